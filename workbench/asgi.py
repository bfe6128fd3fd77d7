"""ASGI entry point: pages and live updates. `uvicorn workbench.asgi:application`."""

from __future__ import annotations

import os

from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "workbench.settings")
pages = get_asgi_application()

# Only now can models be imported.
from channels.routing import ProtocolTypeRouter  # noqa: E402

from workbench.live.routing import sockets  # noqa: E402

application = ProtocolTypeRouter({"http": pages, "websocket": sockets})
