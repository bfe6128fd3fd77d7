from __future__ import annotations

from django.urls import path

from workbench.upkeep.views.clean_up import ask_for_clean_up

app_name = "upkeep"
urlpatterns = [path("clean-up/", ask_for_clean_up, name="clean_up")]
