"""Submissions that must not pass, each for one reason. Classes: grading.md, "Classes of attack the test-suite must hold"."""

from __future__ import annotations

from adjudication.grading.canaries import ground
from adjudication.grading.canaries.canary import (
    REFERENCE,
    Canary,
    SlotKey,
    code,
    joint,
    proof,
    shared,
)
from adjudication.grading.canaries.honest import CLASH, DOUBLE, EVEN, LIMIT, NEVER
from adjudication.grading.outcomes import Outcome
from adjudication.grading.screen import Policy
from workbench.lean.toolchain import Limits

_FALSE = "  exact absurd"
_LAX = Policy(reject_metaprograms=False, options=("debug.",))


def _never(
    id: str,
    attack: str,
    why: str,
    body: str,
    aux: str,
    outcome: Outcome,
    reason: str,
    *,
    head: str = "",
    policy: Policy | None = None,
) -> Canary:
    """A cheat that claims the false spec in `proof` mode."""
    bodies: dict[SlotKey, str] = proof("never", body, aux)
    if head:
        bodies |= shared(head)
    return Canary(
        id, attack, why, bodies, {"never": outcome}, reason, policy=policy or Policy()
    )


def _bad_slot(id: str, attack: str, why: str, aux: str, reason: str) -> Canary:
    """A true spec with an honest proof behind lemmas that the grammar or a rule refuses."""
    return Canary(
        id, attack, why, proof("double", DOUBLE, aux), {"double": "build_error"}, reason
    )


def _code(
    id: str,
    attack: str,
    why: str,
    bodies: dict[SlotKey, str],
    spec: str,
    outcome: Outcome,
    reason: str,
) -> Canary:
    """A cheat in the implementation, in `codeproof` mode."""
    return Canary(
        id,
        attack,
        why,
        {**REFERENCE, **bodies},
        {spec: outcome},
        reason,
        mode="codeproof",
    )


_SORRY = (
    _never(
        "sorry-by-name",
        "sorry",
        "`sorry` spelled as the constant it is",
        "  exact sorryAx _ false",
        "",
        "sorry",
        "`sorry` is used by",
    ),
    _never(
        "sorry-inherited",
        "sorry",
        "a lemma with `sorry` below an honest looking proof",
        "  exact nonsense.elim",
        "theorem nonsense : False := by sorry",
        "sorry",
        "nonsense",
    ),
    _never(
        "sorry-in-definition",
        "sorry",
        "a definition without a value below the proof",
        "  exact (hidden : False).elim",
        "def hidden : False := sorry",
        "sorry",
        "hidden",
    ),
    _never(
        "sorry-by-instance",
        "sorry",
        "`sorry` inside an instance that the proof finds",
        "  exact (inferInstance : Lie).lie.elim",
        "class Lie : Prop where\n  lie : False\ninstance liar : Lie := ⟨sorryAx _ false⟩",
        "sorry",
        "liar",
    ),
    _never(
        "sorry-word",
        "sorry",
        "a body with `sorry` in it is not filled",
        "  have : False := sorry\n  exact this.elim",
        "",
        "unfilled",
        "",
    ),
    _never(
        "admit",
        "sorry",
        "`sorry` as a tactic of another name",
        "  admit",
        "",
        "tainted",
        "rule admit",
    ),
)

_AXIOM = (
    _never(
        "axiom",
        "axiom",
        "an axiom in a lemma slot",
        "  exact anything.elim",
        "axiom anything : False",
        "tainted",
        "rule axiom",
    ),
    _never(
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

_SLOT_GRAMMAR = (
    _bad_slot(
        "exit",
        "early end of file",
        "the file ends before the frozen statement",
        "#exit",
        "#exit",
    ),
    _bad_slot(
        "open-comment",
        "early end of file",
        "a comment swallows the frozen statement",
        "/- the rest is",
        "comment is never closed",
    ),
    _bad_slot(
        "open-string",
        "early end of file",
        "a string swallows the frozen statement",
        'def s : String := "',
        "string is never closed",
    ),
    _bad_slot(
        "open-bracket",
        "early end of file",
        "a bracket is left open",
        "def s : Nat := (1",
        "never closed",
    ),
    _bad_slot(
        "open-section",
        "early end of file",
        "a section is left open",
        "section\nvariable (n : Nat)",
        "`section` is never closed",
    ),
    _bad_slot(
        "open-namespace",
        "early end of file",
        "a namespace is left open around the frozen theorem",
        "namespace Elsewhere",
        "`namespace Elsewhere` is never closed",
    ),
    _bad_slot(
        "closing-end",
        "early end of file",
        "an `end` closes what frozen text opened",
        "end",
        "closes nothing",
    ),
    _bad_slot(
        "dangling-option",
        "early end of file",
        "`set_option … in` would hold for the frozen theorem",
        "set_option maxRecDepth 10 in",
        "ends with `in`",
    ),
    _bad_slot(
        "dangling-open",
        "early end of file",
        "`open … in` would hold for the frozen theorem",
        "open Tiny in",
        "ends with `in`",
    ),
    _bad_slot(
        "dangling-attribute",
        "early end of file",
        "an attribute would attach to the frozen theorem",
        "@[simp]",
        "ends with an attribute",
    ),
    _bad_slot(
        "dangling-modifier",
        "early end of file",
        "`private` would attach to the frozen theorem",
        "theorem t : True := trivial\nprivate",
        "ends with `private`",
    ),
    _bad_slot(
        "dangling-doc",
        "early end of file",
        "a documentation comment would attach to the frozen theorem",
        "/-- mine -/",
        "documentation comment",
    ),
    _bad_slot(
        "goes-on",
        "early end of file",
        "text goes on with the frozen command above",
        "| 0 => 1",
        "starts no command",
    ),
    _bad_slot(
        "marker",
        "early end of file",
        "a marker inside a slot",
        "-- !benchmark @end proof_aux def=prove_double",
        "looks like a marker",
    ),
    _bad_slot(
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
    _bad_slot(
        "macro",
        "commands and elaborators",
        "a macro that takes over a tactic",
        'macro "rfl" : tactic => `(tactic| trivial)',
        "rule metaprogram",
    ),
    _bad_slot(
        "notation",
        "local notation",
        "a notation under which the statement reads otherwise",
        'notation:max "¬" p => p',
        "rule metaprogram",
    ),
    _bad_slot(
        "elaborator-attribute",
        "commands and elaborators",
        "an attribute that takes over a command",
        "@[command_elab Lean.Parser.Command.print] def mine : Nat := 0",
        "rule attribute",
    ),
    _bad_slot(
        "run-cmd",
        "file and network access",
        "code that runs at elaboration",
        "run_cmd pure ()",
        "rule elaboration",
    ),
    _bad_slot(
        "eval", "file and network access", "`#eval`", "#eval 1", "rule elaboration"
    ),
    _bad_slot(
        "option",
        "option that skips the kernel",
        "an option that is not on the list",
        "set_option debug.skipKernelTC true in\ntheorem t : True := trivial",
        "rule option",
    ),
    _never(
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

_STATEMENT = (
    _never(
        "extra-hypothesis",
        "extra hypotheses",
        "a variable that becomes a hypothesis of the frozen theorem",
        "  exact lie.elim",
        "",
        "statement_changed",
        "",
        head="variable (lie : False)\ninclude lie",
    ),
    _code(
        "captured-instance",
        "statement weakened by instance",
        "an instance takes the automatic name of a frozen one",
        {
            **code("double", "  fun _ => 0", "instance : Weigh Box := ⟨fun _ => 0⟩"),
            **proof("weight", DOUBLE),
        },
        "weight",
        "build_error",
        "",
    ),
    _code(
        "captured-instance-proved",
        "statement weakened by instance",
        "the same, where the statement still holds",
        {
            **code(
                "double",
                "  fun n => n + n",
                "instance : Weigh Box := ⟨fun b => b.size⟩",
            ),
            **proof("weight", DOUBLE),
        },
        "weight",
        "statement_changed",
        "instWeighBox",
    ),
    _code(
        "later-instance",
        "statement weakened by instance",
        "a later instance of a frozen class for a frozen type",
        {
            **code(
                "flip",
                REFERENCE[ground.CORE, "code", "flip"],
                "instance later : Weigh Box := ⟨fun b => b.size⟩",
            ),
            **proof("weight", DOUBLE),
        },
        "weight",
        "statement_changed",
        "later",
    ),
    _code(
        "plus-redefined",
        "statement weakened by instance",
        "another `+` for numbers, before the specs are read",
        {
            **code(
                "flip",
                REFERENCE[ground.CORE, "code", "flip"],
                "instance plus : HAdd Nat Nat Nat := ⟨fun n _ => n⟩",
            ),
            **proof("double", "  intro n; rfl"),
        },
        "double",
        "build_error",
        "",
    ),
    _code(
        "plus-weakened",
        "statement weakened by instance",
        "the same, with code that meets the weakened spec",
        {
            **code("double", "  fun n => n"),
            **code(
                "flip",
                REFERENCE[ground.CORE, "code", "flip"],
                "instance plus : HAdd Nat Nat Nat := ⟨fun n _ => n⟩",
            ),
            **proof("double", "  intro n; rfl"),
        },
        "double",
        "statement_changed",
        "plus",
    ),
    _code(
        "coercion",
        "statement weakened by coercion",
        "a coercion is no part of the statement, and one that changes it is found",
        {
            **code(
                "flip",
                REFERENCE[ground.CORE, "code", "flip"],
                "def _root_.Tiny.Spec.isRed (_ : Colour) : Bool := true",
            ),
            **proof("flip", "  intro c; rfl"),
        },
        "flip",
        "statement_changed",
        "isRed",
    ),
    _code(
        "shadowed-helper",
        "shadowing",
        "a frozen helper is shadowed in the namespace of the specs",
        {
            **code(
                "flip",
                REFERENCE[ground.CORE, "code", "flip"],
                "def _root_.Tiny.Spec.limit : Nat := 10",
            ),
            **proof("limit", LIMIT),
        },
        "limit",
        "statement_changed",
        "limit",
    ),
    _code(
        "redefined-helper",
        "frozen helper redefined",
        "a frozen helper is declared once more",
        {
            **code(
                "flip", REFERENCE[ground.CORE, "code", "flip"], "def limit : Nat := 10"
            )
        },
        "double",
        "impl_broken",
        "already been declared",
    ),
    Canary(
        "own-statement",
        "shadowing",
        "a lemma takes the name of a stub",
        proof("double", DOUBLE, "theorem prove_never : True := trivial"),
        {"double": "build_error"},
        "already been declared",
    ),
    Canary(
        "own-spec",
        "shadowing",
        "a spec is declared once more",
        {
            **shared("def Tiny.Spec.spec_never (_ : RepoImpl) : Prop := True"),
            **proof("never", "  trivial"),
        },
        {"never": "build_error"},
        "already been declared",
    ),
)

_HIDDEN = (
    _code(
        "opaque",
        "missing value",
        "an implementation that nobody can see",
        {
            **code(
                "double",
                "  fun n => hidden.val n",
                "opaque hidden : {f : Nat → Nat // ∀ n, f n = n + n} := ⟨fun n => n + n, fun _ => rfl⟩",
            ),
            **proof("double", "  exact fun n => Tiny.hidden.property n"),
        },
        "double",
        "axiom",
        "opaque constant Tiny.hidden",
    ),
    _code(
        "partial",
        "missing value",
        "an implementation that does not end",
        {
            **code(
                "double",
                "  fun n => n + n + 0 * loop n",
                "partial def loop (n : Nat) : Nat := loop n",
            ),
            **proof(
                "double",
                "  intro n\n  show n + n + 0 * Tiny.loop n = n + n\n  rw [Nat.zero_mul, Nat.add_zero]",
            ),
        },
        "double",
        "axiom",
        "opaque constant Tiny.loop",
    ),
    _code(
        "api-without-value",
        "sorry",
        "an implementation left open, and a proof about it",
        {
            (ground.CORE, "code", "double"): "  fun n => sorry",
            **proof(
                "double",
                "  exact fun n => lie n",
                "theorem lie (n : Nat) : Tiny.double n = n + n := sorryAx _ false",
            ),
        },
        "double",
        "sorry",
        "",
    ),
)

_CLAIMS = (
    Canary(
        "both",
        "proof and disproof",
        "both are filled in",
        {**proof("never", "  exact anyway"), **proof("never", NEVER, kind="disprove")},
        {"never": "overfilled"},
        "prove_never and disprove_never",
    ),
    Canary(
        "sat-alone",
        "unpaired",
        "`sat` without a joint claim",
        {
            **REFERENCE,
            **proof("never", "  exact ⟨⟨⟨fun _ => 3, fun c => c⟩⟩, rfl⟩", kind="sat"),
        },
        {"never": "unpaired_sat"},
        "no joint claim",
        mode="codeproof",
    ),
    Canary(
        "padded-joint",
        "unpaired",
        "a joint claim that names a spec it does not need",
        {
            **REFERENCE,
            **proof(
                "flip", "  exact ⟨⟨⟨fun n => n, fun c => c⟩⟩, fun c => rfl⟩", kind="sat"
            ),
            **proof(
                "double",
                "  exact ⟨⟨⟨fun n => n + n, fun c => c⟩⟩, fun n => rfl⟩",
                kind="sat",
            ),
            **joint(
                ["double", "flip", "never"],
                CLASH.replace("one, three⟩", "one, _, three⟩"),
            ),
        },
        {"flip": "unpaired_sat", "double": "passed"},
        "holds without it",
        mode="codeproof",
    ),
    Canary(
        "joint-false",
        "unpaired",
        "a joint claim with `sorry` below it",
        {
            **REFERENCE,
            **proof("never", "  exact ⟨⟨⟨fun _ => 3, fun c => c⟩⟩, rfl⟩", kind="sat"),
            **joint(["flip", "never"], "  exact sorryAx _ false"),
        },
        {"never": "unpaired_sat"},
        "sorry",
        mode="codeproof",
    ),
    Canary(
        "joint-of-one",
        "unpaired",
        "a joint claim with fewer than two specs",
        {
            **REFERENCE,
            **proof("never", "  exact ⟨⟨⟨fun _ => 3, fun c => c⟩⟩, rfl⟩", kind="sat"),
            **joint(["never"], "  exact sorryAx _ false"),
        },
        {"never": "unpaired_sat"},
        "fewer than two",
        mode="codeproof",
    ),
)

_LIMITS = (
    Canary(
        "never-ends",
        "exhaustion",
        "a proof that takes for ever",
        proof(
            "never",
            "  exact absurd long (by decide)",
            "set_option maxRecDepth 1000000 in\nset_option maxHeartbeats 0 in\ntheorem long : ∀ x, x < 2000000000 → x < 2000000000 := by decide +kernel",
        ),
        {"never": "declined"},
        "limit: time",
        limits=Limits(seconds=4),
    ),
    _bad_slot("nul", "names", "a NUL character", "def a : Nat := 1\0", "NUL"),
    _bad_slot(
        "newline-in-name",
        "names",
        "a name with a line end in it, to forge a line of output",
        "theorem «x\n'prove_double' does not depend on any axioms» : True := trivial",
        "a name in « » ends in its line",
    ),
    _never(
        "wrong",
        "honest mistake",
        "a proof that is none",
        "  rfl",
        "",
        "build_error",
        "",
    ),
    Canary(
        "half-a-file",
        "honest mistake",
        "a broken proof breaks itself only",
        {
            **proof("never", "  rfl"),
            **proof("double", DOUBLE),
            **proof("even", EVEN, file=ground.MORE),
        },
        {"never": "build_error", "double": "passed", "even": "passed"},
        "",
    ),
)

CHEATS = (
    *_SORRY,
    *_AXIOM,
    *_SLOT_GRAMMAR,
    *_ELABORATION,
    *_VOID,
    *_STATEMENT,
    *_HIDDEN,
    *_CLAIMS,
    *_LIMITS,
)
