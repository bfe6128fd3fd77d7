"""Give placements that are older than the meaning hashes theirs."""

from django.db import migrations

from curation.instances.meaning import meanings, own_hash


def fill(apps, schema_editor):
    Placement = apps.get_model("instances", "Placement")
    Use = apps.get_model("instances", "Use")
    lacking = Placement.objects.filter(meaning_hash="")
    for revision in sorted(set(lacking.values_list("revision", flat=True))):
        rows = list(
            Placement.objects.filter(revision=revision).select_related("translation")
        )
        own = {row.definition_id: own_hash(row.translation.text) for row in rows}
        uses = {}
        pairs = Use.objects.filter(revision=revision, indirect=False)
        for user, used in pairs.values_list("user", "used"):
            uses.setdefault(user, []).append(used)
        means = meanings(own, uses)
        for row in rows:
            row.own_hash = own[row.definition_id]
            row.meaning_hash = means[row.definition_id]
            row.meaning_basis = "text"
        Placement.objects.bulk_update(
            rows, ["own_hash", "meaning_hash", "meaning_basis"], batch_size=200
        )


class Migration(migrations.Migration):
    dependencies = [("instances", "0002_meaning")]

    operations = [migrations.RunPython(fill, migrations.RunPython.noop)]
