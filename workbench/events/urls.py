from __future__ import annotations

from django.urls import path

from workbench.events.views.log import event_log

app_name = "events"
urlpatterns = [path("", event_log, name="list")]
