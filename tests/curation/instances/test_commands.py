"""import-instance, export-instance, render and seed-demo, as scripts call them."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping
from io import StringIO
from pathlib import Path
from typing import Any

from django.core.management import call_command
from django.test import override_settings

from curation.instances import demo
from curation.instances.models import Instance, Link, Source
from tests.case import WorkbenchTestCase
from tests.curation.instances.made import IMPL, import_tiny, source, tiny, zipped
from workbench.access.models import Membership, Team, User
from workbench.content.models import Entry

FIXTURE_INSTANCES = Path(__file__).resolve().parents[3] / "fixtures" / "instances"


def run(*words: str) -> tuple[int, Any, str]:
    """Return exit code, JSON document and standard error of a command."""
    out, err, code = StringIO(), StringIO(), 0
    try:
        call_command(*words, "--json", stdout=out, stderr=err)
    except SystemExit as ended:
        code = int(ended.code or 0)
    return code, json.loads(out.getvalue()), err.getvalue()


class CommandCase(WorkbenchTestCase):
    def setUp(self) -> None:
        super().setUp()
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)

    def write(self, name: str, files: Mapping[str, bytes]) -> Path:
        for path, data in files.items():
            target = self.folder / name / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
        return self.folder / name

    def import_folder(self, *words: str) -> tuple[int, Any, str]:
        return run("import_instance", *words, "--team", "logicians")


class ImportInstanceTest(CommandCase):
    def test_it_says_what_was_imported(self) -> None:
        code, document, _ = self.import_folder(str(self.write("tiny", tiny())))
        self.assertEqual(code, 0)
        one = document["instances"][0]
        self.assertEqual(
            {
                key: one[key]
                for key in (
                    "instance",
                    "revision",
                    "modules",
                    "apis",
                    "specs",
                    "error",
                    "changed",
                )
            },
            {
                "instance": "tiny",
                "revision": 1,
                "modules": 1,
                "apis": 2,
                "specs": 1,
                "error": None,
                "changed": True,
            },
        )
        self.assertEqual(one["report"], {"added": 7, "changed": 0, "removed": 0})
        for finding in one["findings"]:
            self.assertEqual(
                set(finding), {"id", "severity", "path", "line", "message"}
            )

    def test_again_it_says_that_nothing_changed(self) -> None:
        folder = str(self.write("tiny", tiny()))
        self.import_folder(folder)
        code, document, _ = self.import_folder(folder)
        self.assertEqual((code, document["instances"][0]["changed"]), (0, False))
        out = StringIO()
        call_command("import_instance", folder, "--team", "logicians", stdout=out)
        self.assertIn("nothing has changed", out.getvalue())

    def test_source_files_link_definitions(self) -> None:
        folder, upstream = self.write("tiny", tiny()), self.write("upstream", source())
        _, document, _ = self.import_folder(str(folder), "--source", str(upstream))
        self.assertGreaterEqual(document["instances"][0]["source"]["linked"], 3)
        self.assertTrue(Link.objects.exists())

    def test_with_several_each_takes_its_own_folder_of_sources(self) -> None:
        first, second = (
            self.write("first", tiny("first")),
            self.write("second", tiny("second")),
        )
        upstream = self.write(
            "upstream", {f"first/{path}": data for path, data in source().items()}
        )
        _, document, _ = self.import_folder(
            str(first), str(second), "--source", str(upstream)
        )
        self.assertEqual(
            [one["source"]["items"] > 0 for one in document["instances"]], [True, False]
        )

    def test_links_in_a_source_are_left_out_and_do_not_stop_it(self) -> None:
        folder, upstream = self.write("tiny", tiny()), self.write("upstream", source())
        os.symlink("/etc/passwd", upstream / "secret.py")
        (upstream / "big.py").write_bytes(b"x = 1\n" * 800_000)
        (upstream / "picture.py").write_bytes(b"\0\1\2")
        code, document, _ = self.import_folder(str(folder), "--source", str(upstream))
        self.assertEqual((code, document["instances"][0]["error"]), (0, None))
        kept = set(
            Entry.objects.filter(
                snapshot=Source.objects.values("snapshot").get()["snapshot"]
            ).values_list("path", flat=True)
        )
        self.assertEqual(kept, {"stack.py", "LICENSE"})

    def test_an_archive_with_several_gives_each(self) -> None:
        archive = self.folder / "two.zip"
        archive.write_bytes(
            zipped(
                {
                    f"{name}/{path}": data
                    for name in ("a", "b")
                    for path, data in tiny(name).items()
                }
            )
        )
        code, document, _ = self.import_folder(str(archive))
        self.assertEqual(
            (code, [one["instance"] for one in document["instances"]]), (0, ["a", "b"])
        )

    def test_a_bad_one_is_named_and_the_good_one_imported(self) -> None:
        good = self.write("good", tiny("good"))
        bad = self.write(
            "bad", {**tiny("bad"), "manifest.json": b'{"benchmark_id": "bad"}'}
        )
        code, document, error = self.import_folder(str(good), str(bad))
        self.assertEqual(code, 1)
        self.assertIsNone(document["instances"][0]["error"])
        self.assertIn("root_package", document["instances"][1]["error"])
        self.assertIn("1 of 2", error)
        self.assertNotIn("Traceback", error)

    def test_what_is_not_there_or_empty_is_named(self) -> None:
        (self.folder / "empty").mkdir()
        for path, words in (("nowhere", "No such file"), ("empty", "empty")):
            with self.subTest(path):
                code, document, _ = self.import_folder(str(self.folder / path))
                self.assertEqual(code, 1)
                self.assertIn(words, document["instances"][0]["error"])

    def test_an_unknown_team_or_source_is_wrong_use(self) -> None:
        folder = str(self.write("tiny", tiny()))
        code, document, _ = run("import_instance", folder, "--team", "nobody")
        self.assertEqual(code, 2)
        self.assertIn("logicians", document["error"])
        code, document, _ = self.import_folder(folder, "--source", "/nowhere")
        self.assertEqual(code, 2)
        self.assertIn("/nowhere", document["error"])

    def test_without_a_team_the_only_one_gets_it(self) -> None:
        folder = str(self.write("tiny", tiny()))
        code, document, _ = run("import_instance", folder)
        self.assertEqual(code, 2)
        self.assertIn("--team", document["error"])
        Membership.objects.filter(team=self.other_team).delete()
        self.other_team.delete()
        self.assertEqual(run("import_instance", folder)[0], 0)
        self.assertEqual(Instance.objects.get().team, self.team)


class ExportInstanceTest(CommandCase):
    def test_the_bytes_come_back(self) -> None:
        import_tiny(None, self.team)
        code, document, _ = run(
            "export_instance", "tiny", "--out", str(self.folder / "out")
        )
        self.assertEqual((code, document["files"]), (0, len(tiny())))
        for path, data in tiny().items():
            self.assertEqual((self.folder / "out" / path).read_bytes(), data)

    def test_an_older_revision_can_be_asked_for(self) -> None:
        import_tiny(None, self.team)
        import_tiny(None, self.team, tiny(impl=IMPL.replace("n :: xs", "[n] ++ xs")))
        run(
            "export_instance",
            "tiny",
            "--revision",
            "1",
            "--out",
            str(self.folder / "out"),
        )
        self.assertEqual(
            (self.folder / "out" / "Tiny/Impl/Stack.lean").read_text(), IMPL
        )

    def test_a_folder_in_the_way_is_left_alone(self) -> None:
        import_tiny(None, self.team)
        (self.folder / "mine.txt").write_text("mine")
        code, document, _ = run("export_instance", "tiny", "--out", str(self.folder))
        self.assertEqual(code, 2)
        self.assertIn("not an empty folder", document["error"])
        self.assertEqual([path.name for path in self.folder.iterdir()], ["mine.txt"])

    def test_unknown_names_are_answered_with_near_ones(self) -> None:
        import_tiny(None, self.team)
        code, document, _ = run(
            "export_instance", "tini", "--out", str(self.folder / "out")
        )
        self.assertEqual((code, "did you mean tiny?" in document["error"]), (2, True))
        code, document, _ = run(
            "export_instance",
            "tiny",
            "--revision",
            "9",
            "--out",
            str(self.folder / "out"),
        )
        self.assertEqual((code, "no revision 9" in document["error"]), (2, True))
        self.assertFalse((self.folder / "out").exists())


class RenderTest(CommandCase):
    def test_a_solver_sees_stubs_and_no_reference_body_in_codeproof(self) -> None:
        import_tiny(None, self.team)
        for mode in ("proof", "codeproof"):
            code, _, _ = run(
                "render", "tiny", "--mode", mode, "--out", str(self.folder / mode)
            )
            self.assertEqual(code, 0)
        impl = "Tiny/Impl/Stack.lean"
        self.assertEqual((self.folder / "proof" / impl).read_text(), IMPL)
        hidden = (self.folder / "codeproof" / impl).read_text()
        self.assertNotIn("items.length", hidden)
        self.assertNotIn("def cons", hidden)
        proof = (self.folder / "codeproof" / "Tiny/Proof/Stack.lean").read_text()
        self.assertIn("unsat_push_size", proof)
        self.assertFalse((self.folder / "proof" / "manifest.json").exists())

    def test_rendering_twice_gives_the_same_tree(self) -> None:
        import_tiny(None, self.team)
        trees = {
            run("render", "tiny", "--mode", "proof", "--out", str(self.folder / name))[
                1
            ]["tree"]
            for name in ("one", "two")
        }
        self.assertEqual(len(trees), 1)

    def test_what_cannot_be_rendered_is_a_negative_result_in_words(self) -> None:
        files = tiny()
        del files["Tiny/Harness.lean"]
        import_tiny(None, self.team, files)
        code, document, _ = run(
            "render", "tiny", "--mode", "proof", "--out", str(self.folder / "out")
        )
        self.assertEqual(code, 1)
        self.assertIn("Tiny/Harness.lean", document["error"])
        self.assertFalse((self.folder / "out").exists())


class SeedDemoTest(CommandCase):
    def setUp(self) -> None:
        super().setUp()
        User.objects.all().delete()
        self.enterContext(override_settings(DATA_DIR=self.folder))

    def test_it_makes_one_account_a_role_and_the_fixtures(self) -> None:
        code, document, _ = run("seed_demo")
        self.assertEqual((code, document["seeded"]), (0, True))
        self.assertEqual(
            sorted(account["role"] for account in document["accounts"]),
            sorted(self.ROLES),
        )
        for account in document["accounts"]:
            user = User.objects.get(username=account["name"])
            self.assertTrue(user.check_password(account["password"]))
        self.assertEqual(
            set(Instance.objects.values_list("slug", flat=True)),
            {path.name for path in FIXTURE_INSTANCES.iterdir()},
        )
        self.assertEqual(Instance.objects.get(slug="ivalset").revisions.count(), 2)
        self.assertEqual(
            (self.folder / "demo-accounts.json").stat().st_mode & 0o777, 0o600
        )

    def test_the_second_time_it_does_nothing_and_knows_the_passwords(self) -> None:
        first = run("seed_demo")[1]
        code, second, _ = run("seed_demo", "--if-new")
        self.assertEqual(
            (code, second["seeded"], second["accounts"]), (0, False, first["accounts"])
        )
        self.assertEqual(run("seed_demo")[0], 1)
        self.assertEqual(Team.objects.filter(slug=demo.TEAM).count(), 1)

    def test_a_changed_password_is_not_shown(self) -> None:
        run("seed_demo")
        mira = User.objects.get(username="mira")
        mira.set_password("something else entirely")
        mira.save()
        accounts = {
            one["name"]: one["password"]
            for one in run("seed_demo", "--if-new")[1]["accounts"]
        }
        self.assertEqual(accounts["mira"], "")
        self.assertNotEqual(accounts["tomas"], "")

    def test_a_database_with_other_people_is_left_alone(self) -> None:
        User.objects.create_user("somebody")
        code, document, _ = run("seed_demo", "--if-new")
        self.assertEqual((code, document), (0, {"seeded": False, "accounts": []}))
        self.assertFalse(Instance.objects.exists())
