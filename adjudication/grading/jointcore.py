"""The evidence for a joint claim, and its core: the specs without which the same proof would not go through."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from adjudication.grading.building import Built, Workshop, build, graph_of
from adjudication.grading.checking import Checked, hits_with, joint_obligation
from adjudication.grading.evidence import Evidence, examine, replay_all
from adjudication.grading.jointclaim import JointClaim
from adjudication.grading.overlay import Trees, reduced_joint
from adjudication.grading.pristine import Ground, expected_joint
from adjudication.grading.pristine import reduced_joint as reduced_term
from adjudication.grading.reading import Reading, load_frozen
from curation.format.slots import JOINT_NAME
from workbench.lean.library import Environment, Library, LibraryError
from workbench.lean.names import parse
from workbench.lean.replay import Replayer
from workbench.lean.terms import Term


@dataclass
class JointResult:
    """What became of a joint claim. `error` says why it counts for nothing; `core` are the full names of specs that it needs."""

    claim: JointClaim
    error: str = ""
    evidence: Evidence | None = None
    environment: Environment | None = None
    expected: Term | None = None
    core: tuple[str, ...] = ()
    dropped: list[str] = field(default_factory=list)

    @property
    def holds(self) -> bool:
        return not self.error and self.evidence is not None and self.evidence.holds

    def why_not(self) -> str:
        """Return why the claim does not hold, empty if it does."""
        if self.holds:
            return ""
        return (
            self.error
            or (self.evidence.detail if self.evidence else "")
            or "it was not replayed"
        )

    def minimise(
        self,
        workshop: Workshop,
        kernels: Sequence[Replayer],
        checked: Checked,
        trees: Trees,
        graded: Built,
        reading: Reading,
        ground: Ground,
        folder: Path,
    ) -> None:
        """Find the core: spec by spec, see whether the same script proves the claim with `True` in its place."""
        names = [spec.full_name for spec in self.claim.specs]
        self.core = tuple(names)
        if not self.holds or len(names) < 3:
            return
        for number, name in enumerate(names):
            if len(names) - len(self.dropped) <= 2:
                break
            trial = [*self.dropped, name]
            place = folder / f"joint-{number}"
            if self._still_holds(
                trial, workshop, kernels, checked, trees, graded, reading, ground, place
            ):
                self.dropped.append(name)
        self.core = tuple(name for name in names if name not in self.dropped)

    def _still_holds(
        self,
        dropped: Sequence[str],
        workshop: Workshop,
        kernels: Sequence[Replayer],
        checked: Checked,
        trees: Trees,
        graded: Built,
        reading: Reading,
        ground: Ground,
        place: Path,
    ) -> bool:
        assert self.expected is not None
        assert self.evidence is not None
        path = checked.instance.joint_path
        tree = {**trees.graded, path: reduced_joint(checked, trees.graded, dropped)}
        graph = graph_of(tree, [path])
        module = ".".join(map(str, self.evidence.module))
        _copy_below(graded, place, module)
        built = build(workshop, graph, place, private=[module], only=[module])
        if module not in built.files:
            return False
        library = Library(reading.graded.bank, reading.graded)
        if load_frozen(library, module, built.files[module], built.digests[module]):
            return False
        try:
            environment = library.environment(self.evidence.module)
        except LibraryError:
            return False
        own = reading.pristine.environment(self.evidence.module)
        kept = [
            None if s.full_name in dropped else parse(s.full_name)
            for s in self.claim.specs
        ]
        expected = reduced_term(own, self.expected, kept)
        evidence = examine(ground, own, environment, (JOINT_NAME,), expected)
        replay_all(kernels, library, [evidence])
        return evidence.holds


def _copy_below(graded: Built, place: Path, module: str) -> None:
    """Give a new folder the compiled modules that the Joint file may import."""
    for name, file in graded.files.items():
        if name != module:
            target = place / "out" / file.relative_to(graded.out)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.hardlink_to(file)


def examine_joint(
    checked: Checked, reading: Reading, ground: Ground, graded: Built
) -> JointResult | None:
    """Return what terms say about the joint claim of a submission, None if it makes none."""
    claim = checked.joint
    if claim is None:
        return None
    result = JointResult(claim, claim.error)
    if not claim.made:
        return result
    reports = checked.by_file[checked.instance.joint_path]
    refused = [reason for report in reports for reason in report.refused]
    tainted = hits_with(reports, "taint")
    proof = checked.report(checked.instance.joint_path, "proof", JOINT_NAME)
    module, theorem = joint_obligation(checked.instance)
    built = graded.results.get(".".join(map(str, module)))
    if refused:
        result.error = f"a slot of its file is refused: {refused[0]}"
    elif proof is None or not proof.filled:
        result.error = "its proof is not filled in"
    elif tainted:
        result.error = f"its file holds {tainted[0].found} (rule {tainted[0].rule})"
    elif built is None or not built.ok:
        said = (
            built.errors[0].message
            if built and built.errors
            else built.outcome
            if built
            else "not reached"
        )
        result.error = f"its file does not build: {said}"
    if result.error:
        return result
    # The graded library holds everything but Joint, whose other forms are read beside it.
    own = reading.pristine.environment(module)
    names = [parse(spec.full_name) for spec in claim.specs]
    result.expected = expected_joint(own, ground, theorem, names)
    try:
        result.environment = _joint_library(reading, graded, module).environment(module)
    except LibraryError as error:
        result.error = str(error)
        return result
    result.evidence = examine(ground, own, result.environment, theorem, result.expected)
    return result


def _joint_library(
    reading: Reading, graded: Built, module: tuple[str | int, ...]
) -> Library:
    library = Library(reading.graded.bank, reading.graded)
    text = ".".join(map(str, module))
    reason = load_frozen(library, text, graded.files[text], graded.digests[text])
    if reason:
        raise LibraryError(reason)
    return library
