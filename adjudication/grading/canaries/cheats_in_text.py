"""Cheats that the text of a slot gives away, or `sorry` and axioms below a proof."""

from __future__ import annotations

from adjudication.grading.canaries import ground
from adjudication.grading.canaries.canary import (
    DOUBLE,
    REFERENCE,
    Canary,
    bad_slot,
    code,
    on_false_spec,
    proof,
)
from adjudication.grading.screen import Policy

_LAX = Policy(reject_metaprograms=False, options=("debug.",))

_SORRY = (
    on_false_spec(
        "sorry-by-name",
        "sorry",
        "`sorry` spelled as the constant it is",
        "  exact sorryAx _ false",
        "",
        "sorry",
        "`sorry` is used by",
    ),
    on_false_spec(
        "sorry-inherited",
        "sorry",
        "a lemma with `sorry` below an honest looking proof",
        "  exact nonsense.elim",
        "theorem nonsense : False := by sorry",
        "sorry",
        "nonsense",
    ),
    on_false_spec(
        "sorry-in-definition",
        "sorry",
        "a definition without a value below the proof",
        "  exact (hidden : False).elim",
        "def hidden : False := sorry",
        "sorry",
        "hidden",
    ),
    on_false_spec(
        "sorry-by-instance",
        "sorry",
        "`sorry` inside an instance that the proof finds",
        "  exact (inferInstance : Lie).lie.elim",
        "class Lie : Prop where\n  lie : False\ninstance liar : Lie := ⟨sorryAx _ false⟩",
        "sorry",
        "liar",
    ),
    on_false_spec(
        "sorry-word",
        "sorry",
        "a body with `sorry` in it is not filled",
        "  have : False := sorry\n  exact this.elim",
        "",
        "unfilled",
        "",
    ),
    on_false_spec(
        "admit",
        "sorry",
        "`sorry` as a tactic of another name",
        "  admit",
        "",
        "tainted",
        "rule admit",
    ),
)

_LIE = "theorem lie : False := by\n  have h : Tiny.Colour.red = Tiny.Colour.blue := Tiny.flip_twice .blue\n  cases h"

_AXIOM = (
    on_false_spec(
        "axiom",
        "axiom",
        "an axiom in a lemma slot",
        "  exact anything.elim",
        "axiom anything : False",
        "tainted",
        "rule axiom",
    ),
    on_false_spec(
        "axiom-private",
        "axiom",
        "a private axiom, in the slot of the file",
        "  exact anything.elim",
        "",
        "tainted",
        "rule axiom",
        head="private axiom anything : False",
    ),
    Canary(
        "axiom-in-code",
        "axiom",
        "an axiom in the implementation",
        {
            **REFERENCE,
            **code(
                "flip", REFERENCE[ground.CORE, "code", "flip"], "axiom anything : False"
            ),
            **proof("never", "  exact Tiny.anything.elim"),
        },
        {"never": "tainted"},
        "rule axiom",
        mode="codeproof",
    ),
)

_TRUSTED = (
    Canary(
        "axiom-made-false",
        "axiom",
        "an axiom that is trusted of the reference, about code that makes it false",
        {
            **code("double", "  fun n => n + n"),
            **code("flip", "  fun _ => .red"),
            **proof("never", "  exact lie.elim", _LIE),
        },
        {"never": "axiom"},
        "speaks of Tiny.flip, which the submission writes",
        mode="codeproof",
    ),
)

_SLOT_GRAMMAR = (
    bad_slot(
        "exit",
        "early end of file",
        "the file ends before the frozen statement",
        "#exit",
        "#exit",
    ),
    bad_slot(
        "open-comment",
        "early end of file",
        "a comment swallows the frozen statement",
        "/- the rest is",
        "comment is never closed",
    ),
    bad_slot(
        "open-string",
        "early end of file",
        "a string swallows the frozen statement",
        'def s : String := "',
        "string is never closed",
    ),
    bad_slot(
        "open-bracket",
        "early end of file",
        "a bracket is left open",
        "def s : Nat := (1",
        "never closed",
    ),
    bad_slot(
        "open-section",
        "early end of file",
        "a section is left open",
        "section\nvariable (n : Nat)",
        "`section` is never closed",
    ),
    bad_slot(
        "open-namespace",
        "early end of file",
        "a namespace is left open around the frozen theorem",
        "namespace Elsewhere",
        "`namespace Elsewhere` is never closed",
    ),
    bad_slot(
        "closing-end",
        "early end of file",
        "an `end` closes what frozen text opened",
        "end",
        "closes nothing",
    ),
    bad_slot(
        "dangling-option",
        "early end of file",
        "`set_option … in` would hold for the frozen theorem",
        "set_option maxRecDepth 10 in",
        "ends with `in`",
    ),
    bad_slot(
        "dangling-open",
        "early end of file",
        "`open … in` would hold for the frozen theorem",
        "open Tiny in",
        "ends with `in`",
    ),
    bad_slot(
        "dangling-attribute",
        "early end of file",
        "an attribute would attach to the frozen theorem",
        "@[simp]",
        "ends with an attribute",
    ),
    bad_slot(
        "dangling-modifier",
        "early end of file",
        "`private` would attach to the frozen theorem",
        "theorem t : True := trivial\nprivate",
        "ends with `private`",
    ),
    bad_slot(
        "dangling-doc",
        "early end of file",
        "a documentation comment would attach to the frozen theorem",
        "/-- mine -/",
        "documentation comment",
    ),
    bad_slot(
        "goes-on",
        "early end of file",
        "text goes on with the frozen command above",
        "| 0 => 1",
        "starts no command",
    ),
    bad_slot(
        "marker",
        "early end of file",
        "a marker inside a slot",
        "-- !benchmark @end proof_aux def=prove_double",
        "looks like a marker",
    ),
    bad_slot(
        "import-below",
        "early end of file",
        "an import where none can stand",
        "import Tiny.Test",
        "belongs to the head",
    ),
    Canary(
        "import-foreign",
        "commands and elaborators",
        "an import of what the instance does not know",
        {(ground.PROOF, "imports", ""): "import Lean", **proof("double", DOUBLE)},
        {"double": "build_error"},
        "neither a module of this instance nor allowed",
    ),
    Canary(
        "import-all",
        "commands and elaborators",
        "an import with more than a module's name",
        {
            (ground.PROOF, "imports", ""): "public import Tiny.Test",
            **proof("double", DOUBLE),
        },
        {"double": "build_error"},
        "expected `import` and one module",
    ),
    Canary(
        "import-cycle",
        "commands and elaborators",
        "an import that runs in a circle",
        {
            (ground.PROOF, "imports", ""): "import Tiny.Proof.More",
            (ground.MORE, "imports", ""): "import Tiny.Proof.Core",
            **proof("double", DOUBLE),
        },
        {"double": "build_error"},
        "import cycle",
    ),
)

_ELABORATION = (
    bad_slot(
        "macro",
        "commands and elaborators",
        "a macro that takes over a tactic",
        'macro "rfl" : tactic => `(tactic| trivial)',
        "rule metaprogram",
    ),
    bad_slot(
        "notation",
        "local notation",
        "a notation under which the statement reads otherwise",
        'notation:max "¬" p => p',
        "rule metaprogram",
    ),
    bad_slot(
        "elaborator-attribute",
        "commands and elaborators",
        "an attribute that takes over a command",
        "@[command_elab Lean.Parser.Command.print] def mine : Nat := 0",
        "rule attribute",
    ),
    bad_slot(
        "run-cmd",
        "file and network access",
        "code that runs at elaboration",
        "run_cmd pure ()",
        "rule elaboration",
    ),
    bad_slot(
        "eval", "file and network access", "`#eval`", "#eval 1", "rule elaboration"
    ),
    bad_slot(
        "option",
        "option that skips the kernel",
        "an option that is not on the list",
        "set_option debug.skipKernelTC true in\ntheorem t : True := trivial",
        "rule option",
    ),
    on_false_spec(
        "kernel-skipped",
        "option that skips the kernel",
        "the same option, let through by a lax policy: the replay finds it",
        "  exact (lie : (2 : Nat) = 3)",
        "set_option debug.skipKernelTC true in\ntheorem lie : (2 : Nat) = 3 := by decide +kernel",
        "kernel_rejected",
        "refuses lie",
        policy=_LAX,
    ),
)

_VOID = tuple(
    Canary(
        id,
        "compiled meaning",
        why,
        {
            **REFERENCE,
            **code("flip", REFERENCE[ground.CORE, "code", "flip"], aux),
            **proof("double", DOUBLE),
        },
        {"double": "void"},
        f"rule {rule}",
        mode="codeproof",
    )
    for id, why, aux, rule in (
        ("unsafe", "an unsafe definition", "unsafe def hidden : Nat := 1", "unsafe"),
        (
            "implemented-by",
            "compiled code that is not the definition",
            "def quick : Nat := 1\n@[implemented_by quick] def slow : Nat := 2",
            "runtime-attribute",
        ),
        (
            "extern",
            "code of the runtime instead of the definition",
            '@[extern "lean_nat_add"] def plus (a b : Nat) : Nat := a',
            "runtime-attribute",
        ),
        (
            "csimp",
            "a rewriting of compiled code",
            "attribute [csimp] Nat.add_comm",
            "runtime-attribute",
        ),
        (
            "initialiser",
            "code that runs while a frozen module compiles",
            "initialize counter : Nat ← pure 0",
            "runtime-attribute",
        ),
        (
            "instance-oracle",
            "a hollow instance before all others",
            "instance (priority := 5000) : Inhabited Nat := ⟨default⟩",
            "instance-oracle",
        ),
    )
)

IN_TEXT = (*_SORRY, *_AXIOM, *_TRUSTED, *_SLOT_GRAMMAR, *_ELABORATION, *_VOID)
