"""ASGI entry point: pages and live updates. `uvicorn workbench.asgi:application`."""

from __future__ import annotations

import os

from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "workbench.settings")
pages = get_asgi_application()

# Only now can models be imported.
from channels.routing import ProtocolTypeRouter  # noqa: E402
from django.conf import settings  # noqa: E402

from workbench.body_limit import LimitedBodies  # noqa: E402
from workbench.live.routing import sockets  # noqa: E402

# Two archives at most come in one form, with a little around them.
LONGEST_REQUEST = (2 * settings.UPLOAD_LIMIT_MB + 4) * 1024 * 1024
limited = LimitedBodies(pages, LONGEST_REQUEST)
application = ProtocolTypeRouter({"http": limited, "websocket": sockets})
