"""Two texts of a definition compared, for the pages on which a person decides about one of them."""

from __future__ import annotations

from workbench.code.cache import highlighted
from workbench.code.diff import compare, renumbered, show
from workbench.code.diff_view import DiffView, view_diff


def difference(before: str, after: str, name: str, first: int = 1) -> DiffView:
    """Return what lies between two texts of the definition `name`, whole, by words, as if both began at line `first`."""
    old, new = f"{before}\n", f"{after}\n"  # texts are kept without their last line end
    compared = renumbered(compare(old, new), first, first)
    return view_diff(
        show(compared, context=1000),
        label=name,
        old=highlighted(old, "lean4"),
        new=highlighted(new, "lean4"),
        first=(first, first),
    )
