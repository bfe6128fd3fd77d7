"""Build and verify releases."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from adjudication.grading.receipt import verify as verify_receipt
from adjudication.releases.actions.build_release import keep_built
from adjudication.releases.actions.freeze_release import BadRelease, freeze_release
from adjudication.releases.building import (
    NotKept,
    build_archive,
    check,
    digest_of,
    folder,
    place_of,
)
from adjudication.releases.bundle import verify
from adjudication.releases.gate import number, standing
from adjudication.releases.models import Release
from adjudication.standings.models import InstanceSet
from workbench.commands import NegativeResult, ProductCommand, WrongUse
from workbench.jobs.scratch import own_scratch
from workbench.ui.templatetags.ui import plural
from workbench.upkeep.retention import LEFT_ALONE_S, remove_files

_DIGEST = re.compile("[0-9a-fA-F]{64}")


class Command(ProductCommand):
    help = "Build the release of a set, byte for byte the same each time; or verify one offline."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("verb", choices=("build", "verify"), help="what to do")
        parser.add_argument(
            "file", nargs="?", metavar="FILE", help="the archive to verify"
        )
        parser.add_argument(
            "--sha256",
            metavar="DIGEST",
            help="verify: the SHA-256 that the archive must have, from its page or another place that you trust",
        )
        parser.add_argument("--set", metavar="NAME", help="the set to release")
        parser.add_argument("--number", metavar="V", help="for example 1.0")
        parser.add_argument("--note", default="", help="a sentence for its README")
        parser.add_argument(
            "--out", metavar="FILE", help="copy the archive there as well"
        )

    def needs_database(self, options: dict[str, Any]) -> bool:
        return bool(options["verb"] != "verify")

    def run(self, options: dict[str, Any]) -> Any:
        if options["verb"] == "verify":
            return self._verify(options["file"], options["sha256"])
        return self._build(options)

    def _verify(self, name: str | None, expected: str | None) -> Any:
        if not name:
            raise WrongUse("say which archive: release verify FILE")
        path = Path(name)
        if not path.is_file():
            raise WrongUse(f"{path} is no file")
        if expected is not None and not _DIGEST.fullmatch(expected):
            raise WrongUse(
                f"--sha256: expected 64 hexadecimal digits, found {expected[:80]!r}"
            )
        digest = digest_of(path)
        checked = verify(path, verify_receipt)
        wrong = list(checked.wrong)
        if expected is not None and digest != expected.lower():
            wrong.insert(0, f"its SHA-256 is {digest}, expected {expected.lower()}")
        document = {
            "ok": not wrong,
            "set": checked.manifest.get("set", ""),
            "version": checked.manifest.get("version", ""),
            "sha256": digest,
            "sha256_expected": (expected or "").lower(),
            "instances": len(checked.manifest.get("instances", ())),
            "files": len(checked.manifest.get("files", ())),
            "wrong": wrong,
        }
        for sentence in wrong[:20]:
            self.say(sentence)
        if wrong:
            raise NegativeResult(
                f"{path.name} is not what was released: {plural(len(wrong), 'fault')}",
                document,
            )
        self.say(
            f"{path.name}: {document['set']} {document['version']}, {plural(document['instances'], 'instance')}, "
            f"{plural(document['files'], 'file')}, every digest as its manifest says"
        )
        self.say(
            f"SHA-256 {digest}, as expected"
            if expected is not None
            else f"SHA-256 {digest}: compare it with the one on the release's page (--sha256 does), for who forges the "
            "manifest too makes an archive whose every digest is right"
        )
        return document

    def _build(self, options: dict[str, Any]) -> Any:
        release = _release(options)
        blocking = standing(release) if release.state == Release.DRAFT else []
        if blocking:
            document = {
                "release": str(release),
                "blockers": [
                    {
                        "instance": one.revision.instance.slug,
                        "kind": one.blocker.kind,
                        "what": one.blocker.what,
                    }
                    for one in blocking
                ],
            }
            for one in blocking[:20]:
                self.say(f"{one.revision}: {one.blocker.what}")
            raise NegativeResult(
                f"{release} is frozen and not built: {plural(number(blocking), 'blocker')} open. Settle or waive them.",
                document,
            )
        try:
            kept = self._keep(release)
        except NotKept as error:
            raise NegativeResult(
                str(error), {"release": str(release), "error": str(error)}
            ) from None
        place = place_of(kept)
        if options["out"]:
            shutil.copyfile(place, options["out"])
        self.say(f"{kept}: {kept.archive_size:,} bytes, SHA-256 {kept.archive_digest}")
        if kept.builds > 1:
            self.say(f"built {kept.builds} times, each time to these bytes")
        return {
            "release": str(kept),
            "archive": str(options["out"] or place),
            "sha256": kept.archive_digest,
            "bytes": kept.archive_size,
            "builds": kept.builds,
            "instances": kept.members.count(),
        }

    def _keep(self, release: Release) -> Release:
        # Earlier versions left such folders behind when they were killed.
        remove_files(folder().glob(".draft-*"), LEFT_ALONE_S, dry=False)
        with own_scratch() as scratch:
            built = build_archive(release, scratch / "release", self._watch)
            check(built)
            return keep_built(None, release, built)

    def _watch(self, done: int, total: int, words: str) -> None:
        self.say(f"{done + 1} / {total}: {words}") if done < total else self.say(words)


def _release(options: dict[str, Any]) -> Release:
    if not options["set"] or not options["number"]:
        raise WrongUse("say which: release build --set NAME --number V")
    found = InstanceSet.objects.filter(slug=options["set"]).first()
    if found is None:
        raise WrongUse(f"there is no set {options['set']!r}")
    known = (
        found.releases.filter(version=options["number"])
        .select_related("set", "previous")
        .first()
    )
    if known is not None:
        return known
    try:
        return freeze_release(None, found, options["number"], note=options["note"])
    except BadRelease as error:
        raise WrongUse(str(error)) from None
