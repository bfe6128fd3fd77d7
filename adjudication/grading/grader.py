"""Grade a submission: the steps of grading.md in order, from text to evidence. What they mean is decided in decide.py."""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from adjudication.grading.building import Built, Graph, Workshop, build, graph_of
from adjudication.grading.cache import ModuleCache
from adjudication.grading.checking import Checked, Obligation, check, module_name
from adjudication.grading.evidence import Confirmed, Evidence, examine, replay_all
from adjudication.grading.facts import ApiFact, facts
from adjudication.grading.intake import Submission
from adjudication.grading.jointcore import JointResult, examine_joint
from adjudication.grading.judge import Judge, Ruling, ask
from adjudication.grading.lean import demand_lean
from adjudication.grading.overlay import Trees, overlay
from adjudication.grading.pristine import (
    Ground,
    NotGradable,
    check_core,
    expected_of,
    ground_of,
)
from adjudication.grading.reading import (
    CheckedFiles,
    CheckedModules,
    Reading,
    read_core,
    read_graded,
    read_own,
    swallowed,
)
from adjudication.grading.salvage import salvage
from adjudication.grading.screen import Policy
from adjudication.grading.terms import Key, compiled_terms
from adjudication.grading.watching import Modules, Step, Watch, unwatched
from curation.format.findings import FormatError
from curation.format.instance import Instance
from curation.format.slots import CODEPROOF
from workbench.lean.fingerprint import Fingerprints
from workbench.lean.imports import TreeError
from workbench.lean.library import Environment, LibraryError
from workbench.lean.names import Name
from workbench.lean.replay import Replay, Replayer
from workbench.lean.sandbox.box import BoxBroken, Chosen
from workbench.lean.terms import Term
from workbench.lean.toolchain import (
    CoreBroken,
    Diagnostic,
    Limits,
    Toolchain,
    ToolchainMissing,
)

# Of one module. Compiled modules of the public corpus have 2 MB at most; what is larger would only cost the reader time.
MODULE_LIMITS = Limits(file_bytes=64 << 20)


@dataclass(frozen=True)
class Grader:
    """What grades on this machine: toolchain, sandbox, kernels, and a folder for caches.

    `kernels` must all accept. The `judge`, if there is one, is asked about what rules flag. `scope` names those submissions that may share what depends on their slots (a submitter's own, say);
    empty: nothing of the kind is kept.
    """

    toolchain: Toolchain
    sandbox: Chosen
    kernels: Sequence[Replayer]
    cache: Path
    policy: Policy = field(default_factory=Policy)
    limits: Limits = MODULE_LIMITS
    jobs: int = 2
    scope: str = ""
    judge: Judge | None = None

    @property
    def workshop(self) -> Workshop:
        modules = self.cache / "modules"
        scoped = ModuleCache(modules / f"scope-{self.scope}") if self.scope else None
        return Workshop(
            self.toolchain,
            self.sandbox.sandbox,
            ModuleCache(modules / "shared"),
            scoped,
            self.limits,
            jobs=self.jobs,
        )


@dataclass
class Case:
    """One grading on its way: everything that was found out. What is None was not reached."""

    checked: Checked
    trees: Trees
    grader: Grader
    pristine: Built | None = None
    graded: Built | None = None
    reading: Reading | None = None
    swallowed: Mapping[str, str] = field(default_factory=dict)
    emptied: Mapping[tuple[str, str], Diagnostic] = field(default_factory=dict)
    evidence: dict[tuple[str, str], Evidence] = field(default_factory=dict)
    statements: dict[str, str] = field(default_factory=dict)
    joint: JointResult | None = None
    replays: list[Replay] = field(default_factory=list)
    rulings: tuple[Ruling, ...] = ()
    facts: tuple[ApiFact, ...] = ()
    terms: Mapping[Key, str] = field(default_factory=dict)
    began: float = 0.0
    seconds: float = 0.0
    watch: Watch = unwatched


def grade(
    grader: Grader,
    instance: Instance,
    mode: str,
    submission: Submission,
    watch: Watch = unwatched,
    terms: Collection[Key] = (),
) -> Case:
    """Return the case of a submission, with evidence for every theorem that it claims.

    `watch` is told of each step, by this thread; what it raises ends the grading. `terms` are definitions of the instance
    of which the case is to say what they compile to (terms.py); no verdict rests on that.
    Raises NotGradable when instance or machine cannot grade anything, and nothing for what a submission holds.
    """
    began, clock = time.time(), time.monotonic()
    try:
        demand_lean(grader.toolchain, instance)
        checked = check(instance, mode, submission, grader.policy)
        _tell_text(checked, watch)
        case = Case(checked, overlay(checked), grader, began=began, watch=watch)
        watch(
            Step("render", f"files that hold submitted text: {len(case.trees.touched)}")
        )
        if checked.void is None:
            with (
                TemporaryDirectory(prefix="grading-") as folder,
                ThreadPoolExecutor(1) as beside,
            ):
                judged = beside.submit(_judged, grader, checked)
                _build_and_examine(case, Path(folder).resolve())
                case.rulings = judged.result()
                case.facts = facts(checked, case.reading)
                if terms and case.pristine and case.reading:
                    graph = case.pristine.graph
                    case.terms = compiled_terms(instance, graph, case.reading, terms)
                    watch(Step("read", f"what {len(case.terms)} definitions of the instance compile to"))  # fmt: skip
    except (FormatError, TreeError) as error:
        raise NotGradable(str(error)) from None
    except (BoxBroken, CoreBroken, ToolchainMissing) as error:
        raise NotGradable(f"this machine cannot grade: {error}") from None
    case.seconds = time.monotonic() - clock
    return case


def _tell_text(checked: Checked, watch: Watch) -> None:
    filled = sum(report.filled for report in checked.reports)
    refused = [report for report in checked.reports if report.refused]
    notes = len(checked.submission.notes)
    watch(Step("extract", f"{len(checked.reports)} slots, {filled} filled, {notes} notes"))  # fmt: skip
    watch(Step("lex", f"{len(checked.reports) - len(refused)} slots taken as they are"))
    for report in refused:
        name = f"{report.slot.file} {report.slot.key} {report.slot.def_name}".strip()
        watch(Step("lex", f"{name}: {report.refused[0]}"))
    void = "the whole run is void" if checked.void else "nothing voids the run"
    watch(Step("screen", f"{void}, {len(checked.flags)} flags"))


def _judged(grader: Grader, checked: Checked) -> tuple[Ruling, ...]:
    return ask(grader.judge, checked) if grader.judge and checked.flags else ()


def _build_and_examine(case: Case, folder: Path) -> None:
    checked, grader = case.checked, case.grader
    workshop = replace(grader.workshop, watched=Modules(case.watch))
    ground = ground_of(checked.instance, checked.mode)
    case.watch(Step("build", "preparing the toolchain"))
    own = _build_and_read(case, ground, workshop, folder)
    assert case.graded is not None
    assert case.reading is not None
    case.watch(Step("read", f"{len(case.graded.files)} compiled modules read"))
    _examine_all(case, ground, own)
    _tell_evidence(case)
    case.joint = examine_joint(checked, case.reading, ground, case.graded)
    library, candidates = case.reading.graded, list(case.evidence.values())
    if case.joint and case.joint.evidence and case.joint.environment:
        library = case.joint.environment.library
        candidates.append(case.joint.evidence)
    held = sum(evidence.could_pass for evidence in candidates)
    case.watch(Step("replay", f"theorems: {held}, kernels: {len(grader.kernels)}"))
    case.replays = replay_all(
        grader.kernels,
        library,
        candidates,
        Confirmed(grader.cache / "confirmed", grader.toolchain.digest),
    )
    for replay in case.replays:
        said = f"{replay.kernel}: {len(replay.accepted)} accepted, {len(replay.rejected)} rejected"
        case.watch(Step("replay", f"{said}, {replay.seconds:.1f} s", 1, 1))
    if case.joint:
        case.joint.minimise(
            workshop,
            grader.kernels,
            checked,
            case.trees,
            case.graded,
            case.reading,
            ground,
            folder,
        )


def _tell_evidence(case: Case) -> None:
    same = sum(evidence.could_pass for evidence in case.evidence.values())
    case.watch(Step("compare", f"{same} of {len(case.evidence)} claimed theorems state what they must"))  # fmt: skip
    for evidence in case.evidence.values():
        if evidence.failure:
            theorem = ".".join(map(str, evidence.theorem))
            case.watch(Step("compare", f"{theorem}: {evidence.failure}: {evidence.detail[:300]}"))  # fmt: skip


def _build_and_read(
    case: Case, ground: Ground, workshop: Workshop, folder: Path
) -> _Own:
    """Compile both trees and read what came out; return what the instance's own says."""
    checked = case.checked
    wanted = _wanted(case)
    pristine_graph = graph_of(case.trees.pristine, wanted)
    graph = graph_of(case.trees.graded, wanted)
    for module, why in pristine_graph.unordered.items():
        raise NotGradable(f"{module}: {why}")
    private = _private(case.trees, graph, pristine_graph)
    case.pristine = build(workshop, pristine_graph, folder / "pristine")
    _require_built(case.pristine)
    known = CheckedModules(case.grader.cache / "checked")
    with ThreadPoolExecutor(1) as beside:
        # While compilers work on the graded tree, the instance's own is read.
        prepared = beside.submit(_prepare, case, ground, private, known, graph)
        place = folder / "graded"
        case.graded = build(workshop, graph, place, private=private)
        if _implementation_is_built(case):
            case.trees, case.graded, case.emptied = salvage(
                workshop, checked, case.trees, case.graded, place, wanted, private
            )
        own = prepared.result()
    case.reading, case.statements = own.reading, own.statements
    joint = ".".join(map(str, module_name(checked.instance.joint_path)))
    read_graded(case.reading, case.graded, private, joint, known)
    case.swallowed = find_swallowed(case.reading, case.graded, private)
    return own


def _wanted(case: Case) -> list[str]:
    """Return the files that have to be compiled: Proof files, Joint if it claims something, and Impl files with slots."""
    checked = case.checked
    wanted = dict.fromkeys(
        item.file for group in checked.obligations.values() for item in group
    )
    wanted |= dict.fromkeys(report.slot.file for report in checked.implementation)
    if checked.mode == CODEPROOF and checked.joint and checked.joint.made:
        wanted[checked.instance.joint_path] = None
    return list(wanted)


def _private(trees: Trees, *graphs: Graph) -> frozenset[str]:
    """Return the modules that hold text of the submission, and all above them in either tree."""
    found: frozenset[str] = frozenset()
    for graph in graphs:
        touched = {m for m, path in graph.paths.items() if path in trees.touched}
        found |= graph.above(touched)
    return found


def _require_built(pristine: Built) -> None:
    for module, result in pristine.results.items():
        if not result.ok:
            said = result.errors[0].message if result.errors else result.outcome
            raise NotGradable(f"the instance's own {module} does not build: {said}")


def _implementation_is_built(case: Case) -> bool:
    assert case.graded is not None
    return all(
        result.ok
        for module, result in case.graded.results.items()
        if case.graded.graph.paths[module] not in _proof_files(case.checked)
    )


def _proof_files(checked: Checked) -> frozenset[str]:
    files = {item.file for group in checked.obligations.values() for item in group}
    return frozenset(files | {checked.instance.joint_path})


def find_swallowed(
    reading: Reading, graded: Built, private: frozenset[str]
) -> dict[str, str]:
    """Return module → a constant of its frozen text that is gone."""
    return {
        module: gone[0]
        for module in graded.files
        if module in private and (gone := swallowed(reading, module))
    }


@dataclass(frozen=True)
class _Own:
    """What the instance's own build says: what every theorem must state, and the hash of that."""

    reading: Reading
    environments: Mapping[Name, Environment]
    expected: Mapping[tuple[str, str], Term]
    statements: dict[str, str]


def _prepare(
    case: Case,
    ground: Ground,
    private: frozenset[str],
    known: CheckedModules,
    graded: Graph,
) -> _Own:
    """Read the instance's own build. Raises NotGradable."""
    assert case.pristine is not None
    cache, toolchain = case.grader.cache, case.grader.toolchain
    checked = CheckedFiles(cache / "checked.json")
    core = read_core(toolchain, checked, case.pristine.graph, graded)
    reading = read_own(core, case.pristine, private, known)
    environments: dict[Name, Environment] = {}
    expected: dict[tuple[str, str], Term] = {}
    statements: dict[str, str] = {}
    hashes: dict[Name, Fingerprints] = {}
    for full_name, group in case.checked.obligations.items():
        for item in group:
            if item.module not in environments:
                environment = reading.pristine.environment(item.module)
                check_core(environment)
                environments[item.module] = environment
                hashes[item.module] = Fingerprints(environment)
            term = expected_of(environments[item.module], ground, item)
            expected[full_name, item.kind] = term
            theorem = ".".join(map(str, item.theorem))
            statements[theorem] = hashes[item.module].of_term(term)
    return _Own(reading, environments, expected, statements)


def _examine_all(case: Case, ground: Ground, own: _Own) -> None:
    """Fill in the evidence for every theorem that a slot claims."""
    environments: dict[Name, Environment] = {}
    for full_name, group in case.checked.obligations.items():
        for item in group:
            if not claimed(case, item):
                continue
            evidence = _environment_of(case, item, environments)
            if evidence.could_pass and item.module in environments:
                evidence = examine(
                    ground,
                    own.environments[item.module],
                    environments[item.module],
                    item.theorem,
                    own.expected[full_name, item.kind],
                )
            case.evidence[full_name, item.kind] = evidence


def claimed(case: Case, item: Obligation) -> bool:
    """Return whether a submission claims a theorem by a slot that is in the graded tree."""
    report = case.checked.report(item.file, "proof", item.def_name)
    return (
        report is not None
        and report.filled
        and not report.refused
        and (item.file, item.def_name) not in case.emptied
    )


def _environment_of(
    case: Case, item: Obligation, environments: dict[Name, Environment]
) -> Evidence:
    """Return empty evidence, or a failure where the module is not there to be believed."""
    assert case.reading is not None
    assert case.graded is not None
    evidence = Evidence(item.module, item.theorem)
    result = case.graded.results.get(".".join(map(str, item.module)))
    if result is None or not result.ok:
        return evidence  # decide.py says what became of the module
    if item.module not in environments:
        try:
            environments[item.module] = case.reading.environment(item.module)
        except LibraryError as error:
            return evidence.fail(
                "declined", "built", f"{error}{_refusals(case.reading)}"
            )
    return evidence


def _refusals(reading: Reading) -> str:
    return "".join(
        f"; {module}: {why}" for module, why in sorted(reading.refused.items())[:2]
    )
