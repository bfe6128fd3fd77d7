"""Files as panes: of a revision (Lean) and of its source."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from django.core.exceptions import BadRequest
from django.http import Http404, HttpRequest
from django.urls import reverse

from curation.instances.models import Item, Placement, Revision
from workbench.code.cache import highlighted
from workbench.code.highlight import Highlighted
from workbench.code.pane import (
    Annotations,
    LineRange,
    Pane,
    build_fragment,
    build_pane,
    read_window,
    window_query,
)
from workbench.content.models import Snapshot
from workbench.content.trees import read_file

LEAN, SOURCE = "lean", "src"
_LANGUAGES = {"dafny": "dafny", "verus": "verus", "coq": "coq", "python": "python"}


@dataclass(frozen=True)
class FileSide:
    """One file as a pane wants it: its text, or the reason why it has none, and the names in it by line."""

    key: str
    path: str
    text: str
    language: str
    size: int
    binary: bool
    names: Sequence[tuple[int, str]]
    url: str
    raw_url: str
    targets: Mapping[str, str] = field(default_factory=dict)

    def pane(
        self, focus: Sequence[LineRange] = (), spoken: Annotations | None = None
    ) -> Pane:
        """Return the pane with `focus` open and the rest folded; `spoken` brings marks, notes and further targets."""
        return build_pane(
            self._highlighted(),
            key=self.key,
            label=self.path,
            focus=focus,
            annotations=self._annotations(spoken),
        )

    def around(self, first: int, last: int, spoken: Annotations | None = None) -> Pane:
        """Return the pane that opens lines `first` to `last` with the end of a slot and blank lines behind them."""
        lines = self.text.split("\n")
        while last < len(lines) and (
            not lines[last].strip() or lines[last].startswith("-- !benchmark @end")
        ):
            last += 1
        return self.pane([LineRange(first, last)], spoken)

    def fragment(self, lines: LineRange, within: LineRange) -> Pane:
        """Return what replaces the fold over `within` once `lines` of it are open."""
        return build_fragment(
            self._highlighted(),
            lines,
            within,
            key=self.key,
            label=self.path,
            annotations=self._annotations(),
        )

    def _highlighted(self) -> Highlighted:
        return highlighted(self.text, self.language, self.path)

    def _annotations(self, spoken: Annotations | None = None) -> Annotations:
        added = spoken or Annotations()
        return Annotations(
            names=self.names,
            marks=added.marks,
            notes=added.notes,
            link=self._opening,
            raw=lambda line: self.raw_url,
            targets={**self.targets, **added.targets},
        )

    def _opening(self, lines: LineRange, within: LineRange) -> str:
        joint = "&" if "?" in self.url else "?"
        return f"{self.url}{joint}{window_query(lines, within)}"


def lean_side(revision: Revision, path: str) -> FileSide:
    """Return file `path` of `revision`; the names of its definitions lead to them. Two queries. Raises `Http404`."""
    rows = list(
        Placement.objects.filter(revision=revision, definition__path=path)
        .order_by("line_start")
        .values_list("line_start", "definition__lean_name", "definition_id")
    )
    short = [(line, name.rsplit(".", 1)[-1]) for line, name, _ in rows]
    address = partial(_address, revision, path)
    side = _side(
        LEAN, revision.snapshot, path, "", short, address("file"), address("raw")
    )
    named = [(name, pk) for _, name, pk in rows]
    return replace(side, targets=definition_targets(revision, named))


def definition_targets(
    revision: Revision, named: Iterable[tuple[str, int]]
) -> dict[str, str]:
    """Return the addresses of definitions, given as (Lean name, id), by short name; a name that two have has none."""
    found: dict[str, int | None] = {}
    for name, pk in named:
        short = name.rsplit(".", 1)[-1]
        found[short] = pk if found.get(short, pk) == pk else None
    # One address made, the others by putting in the id: reversing a thousand takes longer than the page.
    like = reverse("instances:definition", args=[revision.instance.slug, 0])
    head = like.removesuffix("0/")
    return {short: f"{head}{pk}/" for short, pk in found.items() if pk is not None}


def source_side(revision: Revision, path: str) -> FileSide:
    """Return file `path` of the upstream source of `revision`. Two queries. Raises `Http404`."""
    source = revision.source
    if source is None or source.snapshot is None:
        raise Http404("The source files of this instance were not given.")
    names = list(
        Item.objects.filter(source=source, path=path)
        .order_by("line_start")
        .values_list("line_start", "name")
    )
    language = (
        _LANGUAGES.get(source.language, "")
        if not path.endswith((".py", ".v", ".dfy"))
        else ""
    )
    address = partial(_address, revision, path)
    return _side(
        SOURCE,
        source.snapshot,
        path,
        language,
        names,
        address("source_file"),
        address("source_raw"),
    )


def _address(revision: Revision, path: str, name: str) -> str:
    url = reverse(f"instances:{name}", args=[revision.instance.slug, path])
    return url if revision.is_current else f"{url}?r={revision.number}"


def _side(
    key: str,
    snapshot: Snapshot,
    path: str,
    language: str,
    names: Sequence[tuple[int, str]],
    url: str,
    raw_url: str,
) -> FileSide:
    data = read_file(snapshot, path)
    if data is None:
        raise Http404(f"There is no file {path} in this revision.")
    binary = b"\0" in data[:8192]
    text = "" if binary else data.decode("utf-8", errors="replace")
    return FileSide(key, path, text, language, len(data), binary, names, url, raw_url)


def asked_window(request: HttpRequest) -> tuple[LineRange, LineRange] | None:
    """Return the lines that `?lines=&within=` asks for, or None. Raises `BadRequest` in words."""
    try:
        return read_window(request.GET.dict())
    except ValueError as error:
        raise BadRequest(str(error)) from None
