"""Text for made instances. `007` is the number of a block, `006` that of the one before."""

from __future__ import annotations

LEAN_HEAD = """\
-- !benchmark @start imports
-- !benchmark @end imports

/-!
# Big.Impl.Core

Sets of integers as sorted, half-open intervals, and many operations on them.
-/

namespace Big

/-- The integers `x` with `lo ≤ x < hi`. -/
structure Interval where
  lo : Int
  hi : Int
  deriving DecidableEq, Repr

structure IntervalSet where
  ivs : List Interval

abbrev OpSig := IntervalSet → Int → Int → Except String IntervalSet
abbrev GiantSig := Int → Int

-- !benchmark @start global_aux
-- !benchmark @end global_aux

"""

LEAN_BLOCK = """\
-- ── op007 ────────────────────────────────────────────────────

-- !benchmark @start code_aux def=op007
/-- Walk the sorted intervals from the left; what `[lo, hi)` touches is merged (operation 007). -/
def op007Go (lo hi : Int) : List Interval → List Interval
  | [] => [⟨lo, hi⟩]
  | iv :: rest =>
    if iv.hi < lo then iv :: op007Go lo hi rest -- still before it
    else if hi < iv.lo then ⟨lo, hi⟩ :: iv :: rest
    else op007Go (min lo iv.lo) (max hi iv.hi) rest
-- !benchmark @end code_aux def=op007

/-- Insert `[lo, hi)` after operation 006 has had its turn; an empty interval is refused.
    The result is sorted and apart when the argument is. -/
def op007 : OpSig :=
-- !benchmark @start code def=op007
  fun s lo hi =>
    if hi ≤ lo then .error s!"empty interval [{lo}, {hi})"
    else match op006 s (lo - 7) (hi + 0x1F) with
      | .error e => .error ("op006: " ++ e)
      | .ok t => .ok ⟨op007Go lo hi t.ivs⟩
-- !benchmark @end code def=op007
"""

SPEC_BLOCK = """\
/-- Operation 007 refuses an empty interval and keeps what was there. -/
def spec_op007 (impl : RepoImpl) : Prop :=
  ∀ (s : Big.IntervalSet) (lo hi : Int), hi ≤ lo → ∃ e, impl.big.op007 s lo hi = .error e
"""

PYTHON_HEAD = '''\
"""Sets of integers as sorted, half-open intervals, and many operations on them."""

from bisect import bisect_left, bisect_right


'''

PYTHON_BLOCK = '''\
def op_007(s, lo, hi):
    """Insert [lo, hi) after operation 006 has had its turn.

    Raises ValueError if the interval is empty. The result is sorted and apart when the argument is.
    """
    if lo >= hi:
        raise ValueError(f"empty interval [{lo}, {hi})")
    if not s:
        return [(lo, hi)]
    s = op_006(s, lo - 7, hi + 0x1F) if len(s) > 1 else s
    i = bisect_left([his for _, his in s], lo)  # the first that is not before it
    j = bisect_right([los for los, _ in s], hi)
    if i < j:
        lo = min(lo, s[i][0])
        hi = max(hi, s[j - 1][1])
    total = sum(b - a for a, b in s[:i])
    while total < 0 and i:
        i -= 1
        total += s[i][1] - s[i][0]
    return s[:i] + [(lo, hi)] + s[j:]


'''


def giant_lean(lines: int) -> str:
    """Return one definition of about `lines` lines."""
    arms = (
        f"  | {n} => if x ≤ {n % 7} then min (x + {n}) {n} else step {n} x -- case {n}\n"
        for n in range(lines - 6)
    )
    head = (
        "/-- A table of cases. -/\ndef giant : GiantSig :=\n"
        "-- !benchmark @start code def=giant\n  fun x => match x with\n"
    )
    return f"{head}{''.join(arms)}  | _ => x\n-- !benchmark @end code def=giant\n"


def giant_python(lines: int) -> str:
    """Return one function of about `lines` lines."""
    arms = (
        f"    if x == {n}: return min(x + {n}, {n}) if x <= {n % 7} else step({n}, x)  # {n}\n"
        for n in range(lines - 4)
    )
    body = "".join(arms)
    return f'def giant(x):\n    """A table of cases."""\n{body}    return x\n\n'
