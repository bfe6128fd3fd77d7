"""Findings and errors: what an instance on disk has to say about itself.

A `Finding` is something that loads but deserves a look; every id has a page at docs/findings/<id>.md.
A `FormatError` is something that cannot be loaded or rendered.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Severity = Literal["error", "warning", "info"]
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "info")


class FormatError(ValueError):
    """An instance that cannot be read. Carries `path`, `line` (1-based) and `key`, where known."""

    def __init__(
        self,
        message: str,
        *,
        path: str = "",
        line: int | None = None,
        key: str | None = None,
    ) -> None:
        self.reason = message
        self.path = path
        self.line = line
        self.key = key
        place = path if line is None else f"{path}:{line}"
        parts = [part for part in (place, key, message) if part]
        super().__init__(": ".join(parts))

    def __reduce__(self) -> tuple[object, ...]:
        """Errors cross process borders, where the default would lose the keyword arguments."""
        return (_rebuild, (type(self), self.reason, self.path, self.line, self.key))


def _rebuild(
    kind: type[FormatError], reason: str, path: str, line: int | None, key: str | None
) -> FormatError:
    return kind(reason, path=path, line=line, key=key)


@dataclass(frozen=True, slots=True)
class FindingKind:
    """What all findings with one id have in common."""

    id: str
    severity: Severity
    title: str

    @property
    def page(self) -> str:
        """Return the path of the page that explains it, from the root of the repository."""
        return f"docs/findings/{self.id}.md"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing to look at. `line` is 1-based, or None for the file or instance as a whole."""

    id: str
    severity: Severity
    path: str
    line: int | None
    message: str


def finding(id: str, path: str, message: str, line: int | None = None) -> Finding:
    """Return a finding of the registered kind `id`. Raises KeyError for an id without an entry."""
    return Finding(
        path=path, line=line, id=id, severity=KINDS[id].severity, message=message
    )


def sort_key(item: Finding) -> tuple[int, str, int, str, str]:
    """Return the order of lists of findings: worst first, then by place."""
    return (
        SEVERITIES.index(item.severity),
        item.path,
        item.line or 0,
        item.id,
        item.message,
    )


_REGISTRY: tuple[tuple[str, Severity, str], ...] = (
    ("api-not-found", "error", "An API is not declared in its file"),
    ("api-not-in-bundle", "warning", "An API is no field of the bundle"),
    ("api-without-slot", "error", "An API has no code slot"),
    (
        "axiom-ambiguous",
        "warning",
        "A trusted axiom is written without its namespace, and several fit",
    ),
    ("axiom-bare-name", "info", "A trusted axiom is written without its namespace"),
    ("axiom-not-declared", "warning", "A trusted axiom is not declared"),
    ("axiom-opaque", "info", "A trusted axiom is an opaque constant"),
    ("axiom-untrusted", "warning", "An axiom is not in the list of trusted ones"),
    (
        "bundle-field-unlisted",
        "info",
        "The bundle has a field that is no API of the manifest",
    ),
    ("bundle-missing", "error", "The bundle is not declared"),
    ("code-slot-holds-definition", "info", "A code slot holds a whole definition"),
    ("commit-missing", "info", "The source has no commit"),
    ("dependency-undeclared", "warning", "A library is imported but not required"),
    (
        "dependency-unused",
        "info",
        "The lakefile requires a package that nothing imports",
    ),
    ("directory-skipped", "info", "A directory was left out of the import"),
    ("file-large", "info", "A Lean file is unusually large"),
    ("file-missing", "error", "A file that the manifest names does not exist"),
    ("file-named-twice", "warning", "Two entries of the manifest name the same file"),
    ("file-not-shown", "info", "A file is not shown to solvers"),
    ("file-not-utf8", "info", "A file is not UTF-8 text"),
    ("file-unlisted", "info", "A file is imported but not in the manifest"),
    ("file-unreachable", "warning", "Nothing imports a Lean file"),
    ("frozen-sorry", "warning", "Frozen text holds `sorry`"),
    ("harness-in-namespace", "info", "The harness stands inside a namespace"),
    ("harness-name", "error", "RepoImpl or canonical is not declared once"),
    ("impl-without-global-aux", "info", "An Impl file has no `global_aux` slot"),
    ("impl-without-markers", "info", "An Impl file has no markers"),
    ("import-cycle", "error", "Modules import each other in a circle"),
    ("import-external", "info", "A file imports a library"),
    (
        "import-missing",
        "error",
        "An import names a module of the instance that does not exist",
    ),
    ("joint-macro-missing", "info", "The harness has no `joint_unsat` command"),
    ("language-capitalised", "info", "The source language is not in lower case"),
    ("lean-unbalanced", "warning", "Scopes, comments or strings do not close"),
    (
        "lean-version-differs",
        "warning",
        "Toolchain file and manifest name different Lean versions",
    ),
    ("manifest-default", "info", "The manifest leaves something to a default"),
    (
        "manifest-duplicate-key",
        "error",
        "A key appears twice in one object of the manifest",
    ),
    (
        "manifest-key-misspelt",
        "warning",
        "A key of the manifest looks like a misspelling",
    ),
    ("marker-malformed", "error", "A marker line cannot be read"),
    ("marker-nested", "error", "A slot opens inside another"),
    ("marker-unbalanced", "error", "Markers do not pair up"),
    ("modes-unknown", "warning", "The manifest lists a mode that does not exist"),
    ("module-name-reserved", "info", "A module has a name that some systems refuse"),
    ("module-without-apis", "info", "A module has no APIs"),
    ("module-without-specs", "info", "A module has no specs"),
    ("name-repeated", "warning", "A name appears more than once in the manifest"),
    ("name-unusual", "info", "A name needs care outside Lean"),
    (
        "names-differ",
        "info",
        "Directory, root package and benchmark id have different names",
    ),
    ("path-case-collision", "warning", "Two files differ only in upper and lower case"),
    ("path-not-nfc", "warning", "A file name is not in normal form C"),
    ("proof-file-shipped", "warning", "The instance brings a Proof file"),
    ("proof-mode-hollow", "error", "Nothing can pass in proof mode"),
    ("reference-sorry", "warning", "A reference body is missing"),
    ("reference-visible", "warning", "A reference body can be read elsewhere"),
    ("repo-impl-field-missing", "error", "RepoImpl lacks the field of a package"),
    (
        "repo-impl-field-name",
        "info",
        "The field of RepoImpl is not named after the package",
    ),
    ("sig-not-found", "warning", "The signature of an API is not declared"),
    ("slot-duplicate", "error", "A file has the same slot twice"),
    ("slot-frozen-needs", "warning", "Frozen text needs a name that a slot defines"),
    ("slot-misplaced", "warning", "A slot stands where the format has none"),
    ("slot-unlisted", "info", "A code slot belongs to no API of the manifest"),
    ("spec-ambiguous", "error", "Several declarations fit a spec"),
    ("spec-in-namespace", "info", "Specs stand inside a namespace"),
    ("spec-not-found", "error", "A spec is not declared in its file"),
    (
        "spec-path-unusual",
        "info",
        "A spec file does not lie where its module name says",
    ),
    ("spec-private", "error", "A spec is private"),
    ("spec-shape", "warning", "A spec does not have the usual type"),
    (
        "spec-unlisted",
        "info",
        "A declaration looks like a spec but is not in the manifest",
    ),
    ("spec-without-api", "info", "A spec mentions no API"),
    ("text-bidi", "warning", "Invisible characters change how the text reads"),
    ("text-bom", "warning", "A byte order mark opens the file"),
    ("text-confusable", "warning", "A character passes for another one"),
    ("text-crlf", "info", "Lines end with CR LF"),
    ("text-not-nfc", "warning", "Text is not in normal form C"),
    ("text-tabs", "warning", "A Lean file holds tab characters"),
)

KINDS: dict[str, FindingKind] = {
    id: FindingKind(id, severity, title) for id, severity, title in _REGISTRY
}
