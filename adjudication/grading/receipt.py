"""A verdict as a document that a sceptic can check: hash-chained JSON. Source: grading.md, "Receipt".

`hash` is the SHA-256 of the document without it, as JSON with sorted keys and without white space; `previous` is the hash of the
receipt before it about the same instance. A receipt says what was found; `verify` shows that it says one thing only: that it was not changed,
that its figures are those of its specs, and that nothing in it passed without the lights that a pass needs.
"""

from __future__ import annotations

import hashlib
import json
import platform
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any

from adjudication.grading.boxes import KERNEL_LIMITS
from adjudication.grading.decide import Verdict
from adjudication.grading.grader import Case
from adjudication.grading.intake import slot_digest
from adjudication.grading.judge import Ruling
from adjudication.grading.outcomes import (
    NEEDED_LIGHTS,
    PRECEDENCE,
    ROUTES,
    SpecVerdict,
    to_vero,
)
from adjudication.grading.overlay import tree_digest
from adjudication.grading.version import grader_digest
from workbench.lean.build import box_limits

FORMAT = "proofroom receipt 1"


def make(
    case: Case, verdict: Verdict, *, previous: str = "", revision: str = ""
) -> dict[str, Any]:
    """Return the receipt of a grading. `revision` names the revision of the instance, where it has one."""
    grader, checked = case.grader, case.checked
    instance = checked.instance
    toolchain = grader.toolchain
    document: dict[str, Any] = {
        "format": FORMAT,
        "previous": previous,
        "instance": {
            "benchmark_id": instance.manifest.benchmark_id,
            "name": instance.name,
            "revision": revision,
            "tree": tree_digest(instance.files),
        },
        "mode": checked.mode,
        "submission": {
            "slots": slot_digest(checked.submission.artifact),
            "tree": tree_digest(case.trees.graded),
            "pristine_tree": tree_digest(case.trees.pristine),
            "telemetry": dict(checked.submission.telemetry),
        },
        "verdict": _verdict(verdict),
        "specs": [_spec(spec, verdict.void_rule) for spec in verdict.specs],
        "statements": dict(sorted(case.statements.items())),
        "modules": _modules(case),
        "toolchain": {
            "kind": toolchain.kind,
            "version": toolchain.version,
            "digest": toolchain.digest,
            "library": [path.name for path in toolchain.library()],
            "publishable": toolchain.kind != "pocket",
        },
        "kernels": [
            {
                "name": replay.kernel,
                "accepted": len(replay.accepted),
                "rejected": len(replay.rejected),
                "declined": replay.declined,
                "seconds": round(replay.seconds, 3),
            }
            for replay in case.replays
        ],
        "sandbox": grader.sandbox.record(box_limits(grader.limits)),
        "limits": {"module": asdict(grader.limits), "kernel": asdict(KERNEL_LIMITS)},
        "policy": asdict(grader.policy),
        "grader": {"digest": grader_digest(), "python": platform.python_version()},
        "host": {
            "system": platform.system(),
            "release": platform.release(),
            "machine": platform.machine(),
        },
        "began": datetime.fromtimestamp(case.began, UTC).isoformat(timespec="seconds"),
        "seconds": round(case.seconds, 3),
    }
    document["hash"] = hash_of(document)
    return document


def _verdict(verdict: Verdict) -> dict[str, Any]:
    counts = Counter(spec.outcome for spec in verdict.specs)
    return {
        "full_solve": verdict.full_solve,
        "counts": {name: counts[name] for name in PRECEDENCE if counts[name]},
        "void_rule": verdict.void_rule,
        "alarms": list(verdict.alarms),
        "flags": list(verdict.flags),
        "notes": list(verdict.notes),
        "joint": dict(verdict.joint),
        "judge": [_ruling(ruling) for ruling in verdict.rulings],
    }


def _ruling(ruling: Ruling) -> dict[str, Any]:
    return {
        "place": ruling.place,
        "rules": list(ruling.question.rules),
        "opinion": ruling.opinion,
        "reasoning": ruling.reasoning,
        "error": ruling.error,
        "model": ruling.model,
        "prompt_digest": ruling.question.digest,
        "prompt": {"system": ruling.question.task, "user": ruling.question.text},
        "answer": ruling.answer,
        "seconds": ruling.seconds,
    }


def _spec(spec: SpecVerdict, void_rule: str) -> dict[str, Any]:
    vero, detail = to_vero(spec.outcome, void_rule)
    return {
        "spec": spec.spec,
        "outcome": spec.outcome,
        "route": spec.route,
        "detail": spec.detail,
        "lights": {name: asdict(light) for name, light in spec.lights.items()},
        "theorem": spec.theorem,
        "statement": spec.statement,
        "axioms": list(spec.axioms),
        "flags": list(spec.flags),
        "expected": spec.expected,
        "found": spec.found,
        "uses": list(spec.uses),
        "more_uses": spec.more_uses,
        "vero": {"outcome": vero, "detail": detail},
    }


def _modules(case: Case) -> dict[str, Any]:
    found: dict[str, Any] = {}
    # Modules that were built only after slots were taken out of them.
    emptied: dict[str, list[str]] = {}
    for path, name in sorted(case.emptied):
        emptied.setdefault(path, []).append(name)
    for which, built in (("pristine", case.pristine), ("graded", case.graded)):
        found[which] = (
            {}
            if built is None
            else {
                module: {
                    "outcome": result.outcome,
                    "sha256": built.digests.get(module, ""),
                    "reused": module in built.reused,
                    "emptied": emptied.get(built.graph.paths[module], [])
                    if which == "graded"
                    else [],
                    "seconds": round(result.seconds, 3),
                    "peak_kib": result.peak_kib,
                    "diagnostics": [
                        f"{d.file}:{d.line}:{d.column}: {d.severity}: {d.message[:2000]}"
                        for d in result.diagnostics[:50]
                    ],
                }
                for module, result in sorted(built.results.items())
            }
        )
    return found


def hash_of(document: Mapping[str, Any]) -> str:
    """Return the hash of a receipt: over everything in it but `hash` itself."""
    body = {key: value for key, value in document.items() if key != "hash"}
    text = json.dumps(body, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def verify(document: Any, previous: Any = None) -> list[str]:
    """Return what is wrong with a receipt, in words; nothing for a good one.

    `previous` is the receipt before it, if that is at hand: then the chain is checked as well.
    """
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        return [f"it is no receipt; expected the format {FORMAT!r}"]
    try:
        found = (
            []
            if document.get("hash") == hash_of(document)
            else ["it was changed: its hash is another"]
        )
        found += _contradictions(document)
    except (KeyError, TypeError, AttributeError, ValueError, RecursionError) as error:
        return [f"it lacks something or holds something else than a receipt: {error!r}"]
    if previous is not None:
        found += [f"the one before it: {wrong}" for wrong in verify(previous)]
        same = (
            [
                previous.get("instance", {}).get("benchmark_id"),
                document["instance"]["benchmark_id"],
            ]
            if isinstance(previous, dict)
            else []
        )
        if not isinstance(previous, dict) or document["previous"] != previous.get(
            "hash"
        ):
            found.append("it does not follow the one before it")
        elif same[0] != same[1]:
            found.append("the one before it is about another instance")
    return found


def _contradictions(document: Mapping[str, Any]) -> list[str]:
    specs, verdict = document["specs"], document["verdict"]
    found = []
    counts = Counter(spec["outcome"] for spec in specs)
    if {k: v for k, v in counts.items() if v} != verdict["counts"]:
        found.append("its counts are not those of its specs")
    full = bool(specs) and all(spec["outcome"] == "passed" for spec in specs)
    if full != verdict["full_solve"]:
        found.append("it says `full_solve` wrongly")
    graded = document["modules"]["graded"]
    for spec in specs:
        name = spec["spec"]
        if spec["outcome"] not in PRECEDENCE:
            found.append(f"{name}: {spec['outcome']!r} is no outcome")
        if spec["outcome"] != "passed":
            continue
        dark = [
            light
            for light in NEEDED_LIGHTS
            if spec["lights"][light]["state"] != "green"
        ]
        if dark:
            found.append(f"{name}: passed without the light {dark[0]}")
        if spec["route"] not in ROUTES:
            found.append(f"{name}: passed by no route")
        if (
            not spec["statement"]
            or document["statements"].get(spec["theorem"]) != spec["statement"]
        ):
            found.append(f"{name}: passed without the hash of its statement")
    judged = verdict.get("judge", [])
    if counts["passed"] and any(said["opinion"] == "cheat" for said in judged):
        found.append("something passed although a judge called the run a cheat")
    if counts["passed"]:
        if any(not m["sha256"] for m in graded.values() if m["outcome"] == "built"):
            found.append("a module was built and has no hash")
        if all(k["declined"] for k in document["kernels"]):
            found.append("something passed and no kernel gave an answer")
    return found
