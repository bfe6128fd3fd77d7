from __future__ import annotations

from django.urls import path

from workbench.ui.views.home import home
from workbench.ui.views.keys import keys
from workbench.ui.views.operations import operations
from workbench.ui.views.own_keys import own_keys
from workbench.ui.views.preferences import preferences, switch_theme
from workbench.ui.views.search import search

urlpatterns = [
    path("", home, name="home"),
    path("search/", search, name="search"),
    path("preferences/", preferences, name="preferences"),
    path("preferences/keys/", own_keys, name="own_keys"),
    path("preferences/theme/", switch_theme, name="switch_theme"),
    path("operations/", operations, name="operations"),
    path("keys/", keys, name="keys"),
]
