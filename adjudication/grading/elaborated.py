"""What a declaration of an instance means, as the compiler elaborated it: its terms in words, their hash, its axioms.

Everything is read from the instance's own build, in which no submission has a hand.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from adjudication.grading.building import Built, build, graph_of
from adjudication.grading.grader import Grader
from adjudication.grading.pristine import NotGradable
from adjudication.grading.reading import CheckedFiles, read_core
from curation.format.findings import FormatError
from curation.format.instance import Instance
from curation.format.render import render
from curation.format.slots import PROOF
from workbench.lean.closure import closure_of
from workbench.lean.constants import Constant, InductiveData
from workbench.lean.fingerprint import Fingerprints
from workbench.lean.imports import TreeError
from workbench.lean.library import Environment, Library, LibraryError
from workbench.lean.names import Name, is_auxiliary, parse, show
from workbench.lean.olean import OleanError
from workbench.lean.pretty import Shown, pretty
from workbench.lean.sandbox.box import BoxBroken
from workbench.lean.terms import Term
from workbench.lean.toolchain import CoreBroken, ToolchainMissing


class NoSuchTerm(Exception):
    """No declaration has that name, or several do. Says which come near, or why the module that would have it is missing."""


@dataclass(frozen=True, slots=True)
class Elaborated:
    """One declaration. `value` is the body of a def, empty for what has none or whose proof does not matter.

    `hash` is its fingerprint (64 hex digits): equal for equal meaning, whatever stands around it. `statement` is that of what a
    theorem states, as in receipts. `axioms` are all below it, `sorryAx` among them where something is left open. `constructors` are
    name and type, for an inductive type.
    """

    name: str
    kind: str
    module: str
    type: str
    value: str
    hash: str
    statement: str
    axioms: tuple[str, ...]
    constructors: tuple[tuple[str, str], ...] = ()


def elaborate(
    grader: Grader, instance: Instance, name: str, shown: Shown = Shown.EXPLICIT
) -> Elaborated:
    """Return the declaration `name` of an instance: a full name, or the end of one if that is unique in the instance.

    The stubs of `proof` mode count as declarations of the instance; one of the toolchain's library goes by its full name. Raises NoSuchTerm; NotGradable where nothing can be built or read.
    """
    try:
        tree = render(instance, PROOF)
        stubs = [path for path in sorted(tree) if path not in instance.files]
        wanted = [*sorted(instance.visible_paths), *stubs]
        graph = graph_of(tree, [path for path in wanted if path.endswith(".lean")])
        with TemporaryDirectory(prefix="term-") as folder:
            built = build(grader.workshop, graph, Path(folder).resolve())
            known = CheckedFiles(grader.cache / "checked.json")
            core = read_core(grader.toolchain, known, graph)
            library = _read(core, built)
            module, constant = _chosen(core, library, built, parse(name))
            return _told(library.environment(module), constant, shown)
    except (FormatError, TreeError, OleanError, LibraryError, OSError) as error:
        raise NotGradable(str(error)) from None
    except (BoxBroken, CoreBroken, ToolchainMissing) as error:
        raise NotGradable(f"this machine cannot build it: {error}") from None
    except ValueError as error:
        raise NoSuchTerm(str(error)) from None


def _read(core: Library, built: Built) -> Library:
    library = Library(core.bank, core)
    for module, path in built.files.items():
        library.load(tuple(module.split(".")), path)
    return library


def _chosen(
    core: Library, library: Library, built: Built, wanted: Name
) -> tuple[Name, Name]:
    """Return module and name of the one declaration that `wanted` means."""
    for home in (*library, *core):
        if wanted in home.positions:
            return home.name, wanted
    near = [
        (home, name)
        for home, name in _all(library)
        if name[-len(wanted) :] == wanted and not is_auxiliary(name)
    ]
    if len(near) == 1:
        return near[0]
    if near:
        names = ", ".join(sorted(show(name) for _, name in near)[:5])
        raise NoSuchTerm(f"{show(wanted)} is {len(near)} declarations: {names}")
    for module, result in built.results.items():
        if not result.ok:
            said = result.errors[0].message if result.errors else result.outcome
            raise NoSuchTerm(
                f"no declaration is called {show(wanted)}; {module} does not build: {said}"
            )
    raise NoSuchTerm(f"no declaration of the instance is called {show(wanted)}")


def _all(library: Library) -> Iterator[tuple[Name, Name]]:
    return ((module.name, name) for module in library for name in module.names)


def _told(environment: Environment, name: Name, shown: Shown) -> Elaborated:
    def words(term: Term) -> str:
        return pretty(environment.bank, term, environment.find, shown=shown)

    constant = environment.find(name)
    home = environment.home(name)
    assert constant is not None
    assert home is not None
    fingerprints = Fingerprints(environment)
    body = constant.value if constant.kind == "def" else None
    return Elaborated(
        show(name),
        constant.kind,
        show(home.name),
        words(constant.type),
        "" if body is None else words(body),
        fingerprints.of(name),
        fingerprints.of_term(constant.type)
        if constant.kind == "theorem" and not constant.level_params
        else "",
        tuple(show(use.name) for use in closure_of(environment, name).axioms),
        tuple(
            (show(one.name), words(one.type))
            for one in _constructors(environment, constant)
        ),
    )


def _constructors(environment: Environment, constant: Constant) -> list[Constant]:
    if not isinstance(constant.data, InductiveData):
        return []
    return [c for c in map(environment.find, constant.data.constructors) if c]
