"""Write a frozen release into an archive: what it holds, in which order, and what its manifest says."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import IO, Any

from adjudication.releases.bundle import Bundle, Written
from adjudication.releases.models import Release, ReleaseMember, Waiver
from adjudication.runs.models import GradingRun
from curation.format.instance import Instance as FormatInstance
from curation.format.instance import load_files
from curation.format.render import render
from curation.instances.models import Definition, Placement
from workbench.content.trees import read_tree

Watch = Callable[[int, int, str], None]
_LICENCE_NAMES = ("licence", "license", "copying", "notice")


def write_release(
    release: Release, target: IO[bytes], watch: Watch
) -> tuple[Written, dict[str, Any]]:
    """Return what was written into `target`, and the manifest. `watch(done, total, words)` is told of each step.

    Depends on the frozen rows alone: written again, the bytes are the same.
    """
    top = f"{release.set.slug}-{release.version}"
    bundle = Bundle(target, top, int(release.frozen_at.timestamp()))
    members = _members(release)
    # One step more than instances: the tables and receipts.
    steps = len(members) + 1
    entries = []
    for number, member in enumerate(members):
        watch(number, steps, member.revision.instance.slug)
        entries.append(_instance(bundle, member))
    watch(len(members), steps, "specs, outcomes and receipts")
    bundle.add_lines("specs.jsonl", _specs(members))
    runs = _runs(release)
    trials = {run.pk: why for run in runs if (why := no_score(release, run))}
    bundle.add_lines(
        "outcomes.jsonl", _outcomes([run for run in runs if run.pk not in trials])
    )
    bundle.add_lines(
        "trials.jsonl", _outcomes([run for run in runs if run.pk in trials], trials)
    )
    for run in sorted(runs, key=lambda run: run.receipt_hash):
        if run.receipt is not None:
            bundle.add(f"receipts/{run.receipt_hash}.json", bytes(run.receipt.data))
    manifest = _manifest(release, entries, runs, trials)
    bundle.add("CHANGELOG.md", (release.changelog.rstrip() + "\n").encode())
    bundle.add("README.md", _readme(release, manifest).encode())
    bundle.close(manifest)
    return bundle.written, manifest


def no_score(release: Release, run: GradingRun) -> str:
    """Return why a verdict of `run` is no score in `release`, in words; "" where it is one. Asks what was frozen only."""
    if not run.publishable:
        return f"graded with {run.toolchain}, a trial Lean whose library is ours"
    if release.needs_sandbox and not run.sandbox_holds:
        return f"the sandbox was not shown to hold: {run.sandbox or 'none'}"
    return ""


def _members(release: Release) -> list[ReleaseMember]:
    rows = release.members.select_related(
        "revision__instance", "revision__snapshot", "revision__source", "source_files"
    )
    return list(rows.order_by("revision__instance__slug"))


def _instance(bundle: Bundle, member: ReleaseMember) -> dict[str, Any]:
    revision = member.revision
    name, files = revision.instance.slug, read_tree(revision.snapshot)
    loaded = load_files(files, name)
    bundle.add_tree(f"instances/{name}", files)
    for mode in sorted(revision.modes.split()):
        bundle.add_tree(f"solver/{mode}/{name}", render(loaded, mode))
    bundle.add_tree(f"licences/{name}", _licences(member))
    return _entry(member, loaded)


def _licences(member: ReleaseMember) -> dict[str, bytes]:
    if member.source_files is None:
        return {}
    return {
        path: data
        for path, data in read_tree(member.source_files).items()
        if path.rsplit("/", 1)[-1].lower().startswith(_LICENCE_NAMES)
    }


def _entry(member: ReleaseMember, loaded: FormatInstance) -> dict[str, Any]:
    revision = member.revision
    source = revision.source
    return {
        "name": revision.instance.slug,
        "benchmark_id": loaded.manifest.benchmark_id,
        "revision": revision.number,
        "tree": revision.snapshot.digest,
        "toolchain": revision.lean_version,
        "modes": sorted(revision.modes.split()),
        "counts": {
            "modules": revision.module_count,
            "apis": revision.api_count,
            "specs": revision.spec_count,
        },
        "checks": {"errors": revision.error_count, "warnings": revision.warning_count},
        "trusted_axioms": sorted(loaded.manifest.trusted_axioms),
        "source": {
            "language": source.language if source else "",
            "repository": source.repository_url if source else "",
            "commit": source.commit if source else "",
            "licence": member.licence,
        },
    }


def _specs(members: Sequence[ReleaseMember]) -> Iterator[dict[str, Any]]:
    for revision in (member.revision for member in members):
        placed = Placement.objects.filter(
            revision=revision, kind=Definition.SPEC
        ).select_related("definition", "translation")
        for placement in placed.order_by("position"):
            yield {
                "instance": revision.instance.slug,
                "revision": revision.number,
                "spec": placement.definition.lean_name,
                "module": placement.module,
                "file": placement.definition.path,
                "line": placement.line_start,
                "doc": placement.translation.doc,
                "text": placement.translation.text,
                "meaning": placement.meaning_hash,
            }


def _runs(release: Release) -> list[GradingRun]:
    rows = release.runs.ended().select_related(
        "submission__configuration", "instance", "revision", "receipt"
    )
    return list(
        rows.order_by(
            "instance__slug",
            "submission__mode",
            "submission__configuration__slug",
            "pk",
        )
    )


def _outcomes(
    runs: Sequence[GradingRun], trials: Mapping[int, str] | None = None
) -> Iterator[dict[str, Any]]:
    """Yield one row an outcome; of `trials` (run → why it is no score) each says why."""
    for run in runs:
        why = {"no_score": trials[run.pk]} if trials else {}
        submission = run.submission
        for outcome in run.outcomes.order_by("position"):
            yield {
                "instance": run.instance.slug,
                "revision": run.revision.number,
                "mode": submission.mode,
                "configuration": str(submission.configuration),
                "spec": outcome.spec,
                "outcome": outcome.outcome,
                "route": outcome.route,
                "statement": outcome.statement,
                "axioms": outcome.axioms.split("\n") if outcome.axioms else [],
                "lights": outcome.lights,
                "receipt": run.receipt_hash,
                **why,
            }


def _manifest(
    release: Release,
    entries: list[dict[str, Any]],
    runs: Sequence[GradingRun],
    trials: Mapping[int, str],
) -> dict[str, Any]:
    return {
        "set": release.set.slug,
        "title": release.title,
        "version": release.version,
        "previous": release.previous.version if release.previous else "",
        "frozen_at": release.frozen_at.isoformat(timespec="seconds"),
        "note": release.note,
        "instances": entries,
        "totals": {
            key: sum(entry["counts"][key] for entry in entries)
            for key in ("modules", "apis", "specs")
        },
        "trusted_axioms": _axioms(entries),
        "runs": {
            "scores": len(runs) - len(trials),
            "trials": dict(sorted(Counter(trials.values()).items())),
        },
        "graders": sorted({run.grader_digest for run in runs}),
        "toolchains": sorted({run.toolchain for run in runs}),
        "waivers": [
            {
                "instance": waiver.revision.instance.slug,
                "revision": waiver.revision.number,
                "what": waiver.what,
                "reason": waiver.reason,
                "by": waiver.by.username,
                "at": waiver.created_at.isoformat(timespec="seconds"),
            }
            for waiver in waivers_of(release)
        ],
    }


def waivers_of(release: Release) -> list[Waiver]:
    """Return the waivers for what the release holds, in the order in which they were signed."""
    held = release.members.values("revision")
    rows = release.waivers.filter(revision__in=held)
    return list(rows.select_related("revision__instance", "by").order_by("pk"))


def _axioms(entries: list[dict[str, Any]]) -> dict[str, list[str]]:
    """Return the ledger of trusted axioms: name → the instances that trust it."""
    ledger: dict[str, list[str]] = {}
    for entry in entries:
        for name in entry["trusted_axioms"]:
            ledger.setdefault(name, []).append(entry["name"])
    return dict(sorted(ledger.items()))


def _readme(release: Release, manifest: dict[str, Any]) -> str:
    totals = manifest["totals"]
    lines = [
        f"# {release.title}, release {release.version}",
        "",
        f"{len(manifest['instances'])} instances, {totals['specs']} specs, {totals['apis']} APIs; frozen {manifest['frozen_at']}.",
        "",
        *([release.note, ""] if release.note else []),
        "| instance | revision | specs | toolchain | source | licence |",
        "|---|--:|--:|---|---|---|",
    ]
    for entry in manifest["instances"]:
        source = entry["source"]
        pin = (
            f"{source['repository']} @ {source['commit'][:12]}"
            if source["repository"]
            else "–"
        )
        lines.append(
            f"| {entry['name']} | r{entry['revision']} | {entry['counts']['specs']} | {entry['toolchain']} "
            f"| {pin} | {source['licence'] or 'not recorded'} |"
        )
    lines += [
        "",
        "`instances/` holds the on-disk format, `solver/<mode>/` what a solver gets, `specs.jsonl` and `outcomes.jsonl` one",
        "object a line, `receipts/` the receipt of every run behind an outcome. What stands in `trials.jsonl` was graded",
        "and is no score; each line says why. Blockers that somebody signed for are in `MANIFEST.json` under `waivers`.",
        "Check all of it offline:",
        "",
        "    bin/workbench release verify FILE",
        "",
    ]
    return "\n".join(lines)


def manifest_text(manifest: dict[str, Any]) -> str:
    """Return a manifest as the row of a release keeps it."""
    return json.dumps(manifest, sort_keys=True, ensure_ascii=False)
