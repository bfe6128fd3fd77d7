"""Dropping an archive: the form, the job, and what comes of it."""

from __future__ import annotations

import io
import tarfile
import threading
from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import override_settings

from curation.instances.actions.drop_archive import drop_archive
from curation.instances.models import Instance, Link, Upload
from tests.case import CommittedTestCase, WorkbenchTestCase
from tests.curation.instances.made import source, tiny, zipped
from workbench.jobs.models import Job
from workbench.jobs.perform import run_waiting

URL = "/instances/import/"


def dropped(data: bytes, name: str = "tiny.zip") -> SimpleUploadedFile:
    return SimpleUploadedFile(name, data)


class ImportFormTest(WorkbenchTestCase):
    def form(self, **fields: Any) -> dict[str, Any]:
        return {
            "team": "logicians",
            "form_key": "k1",
            "archive": dropped(zipped(tiny())),
            **fields,
        }

    def test_a_curator_sees_the_form_and_others_do_not(self) -> None:
        self.assertContains(self.curator.get(URL), "Import as a job")
        for persona in (self.reader, self.submitter, self.reviewer, self.adjudicator):
            self.assertForbidden(persona.get(URL))
        self.assertAsksForLogin(self.visitor.get(URL))

    def test_dropping_submits_a_job_and_leads_to_its_page(self) -> None:
        response = self.curator.post(URL, self.form())
        job = Job.objects.get()
        self.assertRedirects(
            response, f"/jobs/{job.pk}/", fetch_redirect_response=False
        )
        self.assertEqual(
            (job.name, job.owner, job.team),
            ("import-archive", self.curator.user, self.team),
        )
        self.assertEqual(bytes(Upload.objects.get().data), zipped(tiny()))

    def test_a_double_click_is_one_job(self) -> None:
        first = self.curator.post(URL, self.form())
        second = self.curator.post(URL, self.form())
        self.assertEqual(first["Location"], second["Location"])
        self.assertEqual((Job.objects.count(), Upload.objects.count()), (1, 1))

    def test_the_form_anew_is_another_job(self) -> None:
        self.curator.post(URL, self.form())
        self.curator.post(URL, self.form(form_key="k2"))
        self.assertEqual(Job.objects.count(), 2)

    def test_it_goes_to_no_team_that_is_not_yours(self) -> None:
        response = self.curator.post(URL, self.form(team="strangers"))
        self.assertEqual(response.status_code, 422)
        self.assertFalse(Job.objects.exists())

    def test_what_is_no_archive_is_refused_in_words(self) -> None:
        response = self.curator.post(URL, self.form(archive=dropped(b"x", "notes.txt")))
        self.assertContains(response, "no archive that we read", status_code=422)

    @override_settings(UPLOAD_LIMIT_MB=1)
    def test_what_is_too_large_is_refused_in_words(self) -> None:
        response = self.curator.post(URL, self.form(archive=dropped(b"x" * 1_100_000)))
        self.assertContains(response, "larger than 1 MB", status_code=422)

    def test_nothing_dropped_is_said(self) -> None:
        response = self.curator.post(URL, {"team": "logicians", "form_key": "k"})
        self.assertContains(response, "required", status_code=422)


class ImportJobTest(CommittedTestCase):
    def drop(
        self, data: bytes, name: str = "drop.zip", upstream: bytes | None = None
    ) -> Job:
        form: dict[str, Any] = {
            "team": "logicians",
            "form_key": "k",
            "archive": dropped(data, name),
        }
        if upstream is not None:
            form["source"] = dropped(upstream, "source.zip")
        self.curator.post(URL, form)
        run_waiting()
        return Job.objects.latest("pk")

    def test_the_job_imports_and_lets_the_upload_go(self) -> None:
        job = self.drop(zipped(tiny(), "tiny"), upstream=zipped(source()))
        self.assertEqual((job.state, job.summary), ("done", "1 imported"))
        self.assertEqual(job.link, "/instances/tiny/")
        self.assertEqual(
            Instance.objects.get().revisions.get().author, self.curator.user
        )
        self.assertTrue(Link.objects.exists())
        self.assertFalse(Upload.objects.exists())

    def test_the_same_form_many_times_at_once_is_kept_once(self) -> None:
        gate = threading.Barrier(6)
        errors: list[Exception] = []

        def drop() -> None:
            try:
                gate.wait()
                drop_archive(
                    self.curator.user,
                    self.team,
                    ("tiny.zip", b"x"),
                    ("source.zip", b"y"),
                    form_key="k",
                )
            except Exception as error:
                errors.append(error)
            finally:
                connection.close()

        threads = [threading.Thread(target=drop) for _ in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(errors, [])
        kept = {str(upload.pk) for upload in Upload.objects.all()}
        given = Job.objects.get().arguments
        self.assertEqual(kept, {given["_upload"], given["_source_upload"]})

    def test_one_that_cannot_be_read_does_not_stop_the_others(self) -> None:
        bad = {**tiny("bad"), "manifest.json": b"{"}
        both = {f"good/{path}": data for path, data in tiny("good").items()} | {
            f"bad/{path}": data for path, data in bad.items()
        }
        job = self.drop(zipped(both))
        self.assertEqual(
            (job.state, job.summary), ("done", "1 imported, 1 not imported")
        )
        self.assertIn("manifest.json:1", job.result)
        self.assertEqual(Instance.objects.get().slug, "good")

    def test_when_none_can_be_read_the_job_fails_and_says_why(self) -> None:
        job = self.drop(zipped({"readme.txt": b"hello"}))
        self.assertEqual(job.state, "failed")
        self.assertIn("manifest.json", job.error)

    def test_dangerous_archives_fail_in_words_and_import_nothing(self) -> None:
        for name, data, words in (
            ("climbing.zip", zipped({"../evil": b""}), "refused"),
            ("link.tar", self.tar_with_link(), "link"),
            ("cut.tar.gz", b"\x1f\x8b\x08\x00cut", "read"),
            ("bomb.zip", self.bomb(), "expands"),
        ):
            with self.subTest(name):
                Job.objects.all().delete()
                job = self.drop(data, name)
                self.assertEqual(job.state, "failed")
                self.assertIn(words, job.error)
        self.assertFalse(Instance.objects.exists())

    def tar_with_link(self) -> bytes:
        stream = io.BytesIO()
        with tarfile.open(fileobj=stream, mode="w") as archive:
            entry = tarfile.TarInfo("tiny/manifest.json")
            entry.type, entry.linkname = tarfile.SYMTYPE, "/etc/passwd"
            archive.addfile(entry)
        return stream.getvalue()

    def bomb(self) -> bytes:
        import zipfile

        stream = io.BytesIO()
        with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("tiny/manifest.json", b"0" * 20_000_000)
        return stream.getvalue()
