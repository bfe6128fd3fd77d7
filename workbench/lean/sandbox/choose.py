"""Which sandbox this machine gets: the best one that was proven to hold, none by explicit wish only."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from workbench.lean.sandbox.box import Chosen, NoSandbox, Sandbox
from workbench.lean.sandbox.bubblewrap import Bubblewrap
from workbench.lean.sandbox.landlocked import Landlocked
from workbench.lean.sandbox.probe import probe
from workbench.lean.sandbox.unboxed import Unboxed

SETTINGS = ("auto", "bubblewrap", "landlock", "none")
# Best first.
KINDS: Sequence[tuple[str, Callable[[], Sandbox]]] = (
    ("bubblewrap", Bubblewrap),
    ("landlock", lambda: Landlocked(namespaces=True)),
    ("landlock", lambda: Landlocked(namespaces=False)),
)


def choose(
    setting: str,
    *,
    thorough: bool = True,
    kinds: Sequence[tuple[str, Callable[[], Sandbox]]] = KINDS,
) -> Chosen:
    """Return the best sandbox that `setting` allows and that the probe has shown to hold.

    `auto` tries all kinds; a kind's name tries that one alone; `none` is no sandbox. Raises NoSandbox, with what is wrong
    with each kind, where none holds, and ValueError for another word.
    """
    if setting not in SETTINGS:
        raise ValueError(f"sandbox {setting!r}; expected one of {', '.join(SETTINGS)}")
    if setting == "none":
        return Chosen(Unboxed(), None)
    reasons = []
    for name, make in kinds:
        if setting not in ("auto", name):
            continue
        try:
            sandbox = make()
        except NoSandbox as missing:
            reasons.append(f"{name}: {missing}")
            continue
        proof = probe(sandbox, thorough=thorough)
        if proof.proven:
            return Chosen(sandbox, proof)
        reasons.append(f"{sandbox.words}: {'; '.join(proof.failures)}")
    raise NoSandbox(
        "nothing foreign may be run here. "
        + " · ".join(dict.fromkeys(reasons))
        + ". Trusted use can do without: WORKBENCH_SANDBOX=none"
    )
