"""Which parsers of Lean's Init library the pocket core binds, and in which syntax category.

A parser has to come before the groups that use it as a part. Names are last components, as Lean spells them.
"""

from __future__ import annotations

from dataclasses import dataclass

LEAN = ("Lean",)
TACTIC = ("Lean", "Parser", "Tactic")
CONV = (*TACTIC, "Conv")
COMMAND = ("Lean", "Parser", "Command")
ATTRIBUTE = ("Lean", "Parser", "Attr")
EXT = ("Lean", "Elab", "Tactic", "Ext")


@dataclass(frozen=True)
class Group:
    """Parsers below one prefix. `category` is empty for parts of other parsers; `macros` asks for their
    `macro_rules` too; a `title` starts a section of the written file."""

    prefix: tuple[str, ...]
    names: str
    category: str = ""
    macros: bool = True
    title: str = ""


# Parsers that continue a term or tactic on their left, besides all of category `term` that begin with `term_`.
TRAILING = frozenset({"tactic_<;>_", "conv_<;>_"})

GROUPS = (
    Group(
        TACTIC,
        """location locationWildcard locationHyp locationType rwRule rwRuleSeq optConfig configItem posConfigItem negConfigItem
        valConfigItem inductionAlts inductionAlt inductionAltLHS elimTarget caseArg simpPre simpPost simpLemma simpErase simpStar
        discharger matchAlts matchRhs dsimpArg dsimpArgs simpArg simpArgs simpaArgsRest simpaUsingBangArgsRest config generalizeArg
        frameAlt rcasesPatLo rcasesPatMed simpTraceArgsRest letrec sepByIndentSemicolon sepBy1IndentSemicolon clearValueArg""",
        macros=False,
        title="parts of other parsers",
    ),
    Group(
        LEAN,
        "binderIdent explicitBinders unbracketedExplicitBinders bracketedExplicitBinders calcSteps calcFirstStep calcStep",
        macros=False,
    ),
    Group(
        CONV,
        "convSeq convSeq1Indented convSeqBracketed occs occsIndexed occsWildcard enterArg argArg enterPattern",
        macros=False,
    ),
    Group(
        (*TACTIC, "rcasesPat"),
        "one ignore clear explicit tuple paren",
        "rcasesPat",
        macros=False,
        title="patterns of `rcases`, `obtain`, `rintro`",
    ),
    Group((*TACTIC, "rintroPat"), "one binder", "rintroPat", macros=False),
    Group(
        TACTIC,
        """exact intro intros apply refine refine' cases rcases obtain rintro induction funInduction funCases constructor left right
        assumption contradiction subst substVars substEqs renameI rename revert clear eqRefl applyRfl tacticRfl tacticRfl' rewriteSeq
        rwSeq rwa simp simpAll simpa dsimp change show case case' first focus skip done fail failIfSuccess tactic_<;>_ tacticTry_
        tacticRepeat_ repeat' repeat1' tacticIterate____ unfold delta generalize specialize injection injections split tacticHave__
        tacticHave' tacticHaveI__ tacticLet__ tacticLet'__ tacticSuffices_ replace tacticExfalso falseOrByContra paren tacticSorry
        tacticAdmit tacticNext_=>_ tacticExists_,, allGoals anyGoals tacticTrivial symm tacticRefine_lift_ decide tacticAnd_intros
        tacticInfer_instance tacticNofun tacticNomatch_,, tacIfThenElse tacDepIfThenElse exact? rotateLeft rotateRight congr
        withReducible traceState omega tacticUnhygienic_ tacticStop_ classical clearValue guardHyp guardTarget guardExpr tacticErw___
        withUnfoldingAll impossible simpArith exposeNames extractLets liftLets applyAssumption rwaAt rwaAtLegacyLocation""",
        "tactic",
        title="tactics",
    ),
    Group((), "tacticBy_cases_:_ tacticFunext___ tactic∎", "tactic"),
    Group(LEAN, "cdot calcTactic solveTactic", "tactic"),
    Group(
        (),
        """tacticDecreasing_tactic tacticDecreasing_trivial tacticDecreasing_with_ tacticSimp_wf tacticClean_wf tacticGet_elem_tactic
        tacticGet_elem_tactic_extensible""",
        "tactic",
    ),
    Group(EXT, "ext tacticExt1___", "tactic"),
    Group(CONV, "conv", "tactic", title="conv mode"),
    Group(
        CONV,
        """lhs rhs arg enter ext fun skip congr unfold simp simpMatch rewrite convRw__ convRfl convDone change paren nestedConv
        convConvSeq conv·_ convIntro___ convArgs convLeft convRight convTactic nestedTacticCore nestedTactic delta whnf reduce zeta
        pattern first convTry_ convRepeat_ conv_<;>_ allGoals case""",
        "conv",
    ),
    Group(ATTRIBUTE, "simp ext", "attr", macros=False, title="attributes"),
    Group(ATTRIBUTE, "extIff extFlat", macros=False),
    Group(ATTRIBUTE, "simprocAttr wf_preprocess", "attr", macros=False),
    Group(
        (), "prioLow prioHigh prioMid prioDefault prio(_)", "prio", title="priorities"
    ),
    Group(
        (),
        """term_=_ term_∧_ term_∨_ term¬_ term∃_,_ term_≠_ term_!=_ term_↔_ term_<->_ term_+_ term_*_ term_-_ term-_ term_/_ term_%_
        term_^_ term_<_ term_≤_ term_>_ term_≥_ term_∈_ term_∉_ term_::_ term_++_ term[_] term_×_ term_==_ term_&&_ term_||_ term!_
        term_$__ term_<|_ term_|>_ term_∘_ term_<|>_ term_<$>_ term_>>=_ term_<*>_ term‹_› term∅ term{} coeNotation coeFunNotation
        coeSortNotation term_∣_ term_⊆_ term_∪_ term_∩_ term{_:_//_} term_⊕_ termExists_,_ termIfThenElse termDepIfThenElse termIfLet
        boolIfThenElse termMax_prec term__[_] term__[_]_! term__[_]_? term__[_]'_ term%[_|_] termWithout_expected_type_ termΣ_,_
        term_&&&_ term_|||_ term_^^^_ term_<<<_ term_>>>_ term~~~_ term#[_,] term{_} term_\\_ term_⊂_ term_>>_ term_=<<_ term_<&>_
        term_<*_ term_*>_ term_•_""",
        "term",
        title="notation",
    ),
    Group(("List",), "term_<+_ term_<+:_ term_<:+_ term_<:+:_ term_~_", "term"),
    Group(
        LEAN,
        "calc term∀__,_ term∃__,_ term_Matches_| termSatisfies_binder_pred%__",
        "term",
    ),
    Group(TACTIC, "showTermElab", "term"),
    Group(
        LEAN,
        "binderPred∈_ binderPred∉_ binderPred≠_ binderPred≤_ binderPred≥_ binderPred<_ binderPred>_ binderPred⊆_",
        "binderPred",
        title="bounded quantifiers",
    ),
    Group(LEAN, "reduceCmd", "command", title="commands"),
    Group(COMMAND, "guardCmd guardExprCmd", "command"),
)

# Constants that are printed as notation by macros of Init.
PRINTED = """Eq And Or Not Iff Ne HAdd.hAdd HSub.hSub HMul.hMul HDiv.hDiv HMod.hMod HPow.hPow LE.le LT.lt GE.ge GT.gt BEq.beq bne
    Bool.and Bool.or Bool.not List.cons HAppend.hAppend Membership.mem Prod Function.comp ite dite Exists cond Neg.neg"""

# Printers that are functions of their own: function, constant.
UNEXPANDERS = (
    ("unexpandExists", "Exists"),
    ("unexpandListNil", "List.nil"),
    ("unexpandListCons", "List.cons"),
    ("unexpandUnit", "Unit"),
    ("unexpandProdMk", "Prod.mk"),
    ("unexpandIte", "ite"),
)
