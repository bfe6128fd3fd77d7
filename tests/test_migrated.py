from __future__ import annotations

import pytest
from django.apps import apps
from django.contrib.auth.models import Permission
from django.contrib.contenttypes.models import ContentType
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

pytestmark = pytest.mark.django_db


def test_the_database_of_the_tests_has_been_through_every_migration() -> None:
    executor = MigrationExecutor(connection)
    targets = executor.loader.graph.leaf_nodes()
    assert len(targets) > 10
    assert executor.migration_plan(targets) == []


def test_it_holds_what_migrate_writes_at_its_end() -> None:
    models = {(model._meta.app_label, model._meta.model_name) for model in apps.get_models()}  # fmt: skip
    assert models <= set(ContentType.objects.values_list("app_label", "model"))
    expected = sum(len(model._meta.default_permissions) + len(model._meta.permissions) for model in apps.get_models())  # fmt: skip
    assert Permission.objects.count() == expected
