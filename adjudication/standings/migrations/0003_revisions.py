"""Say on which revision a cell was graded, and which one its instance is at."""

from django.db import migrations, models
from django.db.models import OuterRef, Subquery


def fill(apps, schema_editor):
    """Fill the cells and places that are there, as `cells.py` does."""
    run = apps.get_model("runs", "GradingRun")
    revision = apps.get_model("instances", "Revision")
    graded = run.objects.filter(pk=OuterRef("run")).values("revision__number")
    apps.get_model("standings", "Cell").objects.exclude(run=None).update(
        revision=Subquery(graded)
    )
    current = revision.objects.filter(instance=OuterRef("instance"), is_current=True)
    apps.get_model("standings", "SetMember").objects.exclude(instance=None).update(
        revision=Subquery(current.values("number"))
    )


class Migration(migrations.Migration):
    dependencies = [("standings", "0002_graded_by"), ("instances", "0001_initial")]

    operations = [
        migrations.AddField(
            model_name="cell",
            name="revision",
            field=models.PositiveIntegerField(
                help_text="number of the revision that its run was graded on", null=True
            ),
        ),
        migrations.AddField(
            model_name="setmember",
            name="revision",
            field=models.PositiveIntegerField(null=True),
        ),
        migrations.RunPython(fill, migrations.RunPython.noop),
    ]
