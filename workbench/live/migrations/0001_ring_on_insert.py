"""On PostgreSQL, have every insert into the log of jobs and into the record ring the doorbell of live updates."""

from __future__ import annotations

from django.db import migrations

RING = """
CREATE OR REPLACE FUNCTION workbench_ring_live() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN PERFORM pg_notify('workbench_live', ''); RETURN NULL; END $$;
CREATE OR REPLACE TRIGGER workbench_ring_live AFTER INSERT ON jobs_jobevent
    FOR EACH STATEMENT EXECUTE FUNCTION workbench_ring_live();
CREATE OR REPLACE TRIGGER workbench_ring_live AFTER INSERT ON events_event
    FOR EACH STATEMENT EXECUTE FUNCTION workbench_ring_live();
"""
SILENCE = """
DROP TRIGGER IF EXISTS workbench_ring_live ON jobs_jobevent;
DROP TRIGGER IF EXISTS workbench_ring_live ON events_event;
DROP FUNCTION IF EXISTS workbench_ring_live();
"""


def _run(sql: str):
    def run(apps, schema_editor):
        if schema_editor.connection.vendor == "postgresql":
            schema_editor.execute(sql)

    return run


class Migration(migrations.Migration):
    dependencies = [("jobs", "0001_initial"), ("events", "0001_initial")]
    operations = [migrations.RunPython(_run(RING), _run(SILENCE))]
