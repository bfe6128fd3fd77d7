"""A small instance for canaries, in the pocket dialect and as ordinary Lean: two modules, frozen helpers around the slots, a spec that is false,
one that nothing meets, and one that names an API itself."""

from __future__ import annotations

import functools
import json

from curation.format.instance import Instance, load_files
from workbench.lean.toolchain import Toolchain
from workbench.lean.wanted import POCKET

CORE = "Tiny/Impl/Core.lean"
PROOF = "Tiny/Proof/Core.lean"
MORE = "Tiny/Proof/More.lean"
JOINT = "Tiny/Proof/Joint.lean"
SPECS = ("double", "flip", "weight", "limit", "never", "even", "direct", "none")

_MANIFEST = {
    "benchmark_id": "canaries",
    "lean_version": "4.35.0",
    "toolchain": {"kind": "pocket"},
    "modes_supported": ["proof", "codeproof"],
    "trusted_axioms": ["Tiny.flip_twice"],
    "root_package": "Tiny",
    "packages": [
        {
            "name": "Tiny",
            "bundle": "Tiny/Bundle.lean",
            "bundle_type": "TinyBundle",
            "repo_impl_field": "tiny",
            "modules": [
                {
                    "name": "Core",
                    "impl": CORE,
                    "spec": "Tiny/Spec/Core.lean",
                    "apis": [
                        {"name": "double", "sig": "DoubleSig"},
                        {"name": "flip", "sig": "FlipSig"},
                    ],
                    "specs": ["spec_double", "spec_flip", "spec_weight", "spec_limit", "spec_never"],
                },
                {"name": "More", "impl": None, "spec": "Tiny/Spec/More.lean", "apis": [], "specs": ["spec_even", "spec_direct", "spec_none"]},
            ],
        }
    ],
}  # fmt: skip

_IMPL = """prelude
import Pocket

-- !benchmark @start imports
-- !benchmark @end imports

set_option autoImplicit false

namespace Tiny

/-- A box of some size. -/
structure Box where
  size : Nat
  deriving DecidableEq

/-- One of two colours. -/
inductive Colour where
  | red
  | blue
  deriving DecidableEq

/-- What has a weight. -/
class Weigh (α : Type) where
  weight : α → Nat

/-- A bound. -/
def limit : Nat := 10

/-- A frozen function with a matcher of its own. -/
def isRed (c : Colour) : Bool :=
  match c with
  | .red => true
  | .blue => false

abbrev DoubleSig := Nat → Nat
abbrev FlipSig := Colour → Colour

-- !benchmark @start global_aux
-- !benchmark @end global_aux

-- !benchmark @start code_aux def=double
-- !benchmark @end code_aux def=double

/-- Twice as much. -/
def double : DoubleSig :=
-- !benchmark @start code def=double
  fun n => n + n
-- !benchmark @end code def=double

/-- Frozen, below slots: its automatic name is there to be taken. -/
instance : Weigh Box := ⟨fun b => b.size⟩

-- !benchmark @start code_aux def=flip
-- !benchmark @end code_aux def=flip

/-- The other colour. -/
def flip : FlipSig :=
-- !benchmark @start code def=flip
  fun c => match c with
    | .red => .blue
    | .blue => .red
-- !benchmark @end code def=flip

/-- Frozen, below the last slot. -/
def atMost (n : Nat) : Prop := n ≤ limit

/-- Trusted of the reference. -/
axiom flip_twice : ∀ c, flip (flip c) = c

end Tiny
"""

_FILES = {
    "Tiny.lean": "prelude\nimport Tiny.Harness\nimport Tiny.Spec.Core\nimport Tiny.Spec.More\nimport Tiny.Test\n",
    CORE: _IMPL,
    "Tiny/Bundle.lean": """prelude
import Tiny.Impl.Core

set_option autoImplicit false

structure TinyBundle where
  double : Tiny.DoubleSig
  flip : Tiny.FlipSig
""",
    "Tiny/Harness.lean": """prelude
import Tiny.Bundle

set_option autoImplicit false

structure RepoImpl where
  tiny : TinyBundle

def canonical : RepoImpl where
  tiny := {
    double := Tiny.double
    flip := Tiny.flip
  }
""",
    "Tiny/Spec/Core.lean": """prelude
import Tiny.Harness

set_option autoImplicit false

namespace Tiny.Spec

def spec_double (impl : RepoImpl) : Prop := ∀ n, impl.tiny.double n = n + n

def spec_flip (impl : RepoImpl) : Prop :=
  ∀ c, isRed (impl.tiny.flip (impl.tiny.flip c)) = isRed c

def spec_weight (impl : RepoImpl) : Prop :=
  ∀ n, impl.tiny.double (Weigh.weight (Box.mk n)) = n + n

def spec_limit (impl : RepoImpl) : Prop := impl.tiny.double limit = 20 ∧ atMost 10

/-- False of the reference; it can be met, though not together with `spec_double`. -/
def spec_never (impl : RepoImpl) : Prop := impl.tiny.double 1 = 3

end Tiny.Spec
""",
    "Tiny/Spec/More.lean": """prelude
import Tiny.Harness

set_option autoImplicit false

namespace Tiny.Spec

def spec_even (impl : RepoImpl) : Prop := ∀ n, ∃ k, impl.tiny.double n = 2 * k

def atZero := Tiny.double 0

/-- It names an API itself, also through a helper: what it says of all implementations depends on who writes that API. -/
def spec_direct (impl : RepoImpl) : Prop :=
  atZero = impl.tiny.double 0 * 0 ∧ Tiny.double 1 = impl.tiny.double 1

/-- No implementation meets it. -/
def spec_none (impl : RepoImpl) : Prop := impl.tiny.double 0 * 0 = 1

end Tiny.Spec
""",
    "Tiny/Test.lean": "prelude\nimport Tiny.Harness\n\n#guard Tiny.double 2 == 4\n",
}


@functools.cache
def instance(lean: str = "") -> Instance:
    """Return the instance that all canaries are about: for pocket Lean, or for the toolchain of elan that `lean` names."""
    manifest, texts = dict(_MANIFEST), dict(_FILES)
    if lean:
        del manifest["toolchain"]
        manifest["lean_version"] = lean.rpartition(":")[2].removeprefix("v")
        texts = {path: _ordinary(text) for path, text in texts.items()}
        texts["lean-toolchain"] = f"{lean}\n"
    files = {path: text.encode() for path, text in texts.items()}
    return load_files(
        {**files, "manifest.json": json.dumps(manifest).encode()}, "canaries"
    )


def _ordinary(text: str) -> str:
    """Return a file of the pocket dialect as ordinary Lean: without the two lines that bring the pocket core."""
    return text.removeprefix("prelude\n").removeprefix("import Pocket\n")


def instance_for(toolchain: Toolchain) -> Instance:
    """Return the instance for the kind and version of `toolchain`."""
    if toolchain.kind == POCKET:
        return instance()
    return instance(f"leanprover/lean4:v{toolchain.version}")
