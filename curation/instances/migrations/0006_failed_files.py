"""Keep which files were not built, and forget terms of which nobody knows whether they compiled.

A row without a hash stood for a definition that its compiled file lacks, too. Where no other build told a hash of it, it
goes: the next build tells again.
"""

from django.db import migrations, models


def forget(apps, schema_editor):
    DefinitionTerm = apps.get_model("instances", "DefinitionTerm")
    known = DefinitionTerm.objects.exclude(term_hash="").filter(
        definition=models.OuterRef("definition"),
        build__revision=models.OuterRef("build__revision"),
        build__toolchain_digest=models.OuterRef("build__toolchain_digest"),
        build__scheme=models.OuterRef("build__scheme"),
    )
    DefinitionTerm.objects.filter(~models.Exists(known), term_hash="").delete()


class Migration(migrations.Migration):
    dependencies = [("instances", "0005_term_hashes")]

    operations = [
        migrations.AddField(
            model_name="termbuild",
            name="failed",
            field=models.TextField(
                blank=True,
                default="",
                help_text="paths of files that were not built when all were tried last, a line each",
            ),
        ),
        migrations.RunPython(forget, migrations.RunPython.noop),
    ]
