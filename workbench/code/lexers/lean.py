"""Lean 4 for Pygments, on the project's own lexer: the colours show what slots and scans see.

Pygments' `Lean4Lexer` does not know nested comments, character literals, raw strings or most keywords, and takes
`*.lean` for Lean 3. Here Pygments only gives the frame.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import ClassVar

from pygments.lexer import Lexer
from pygments.token import (
    Comment,
    Keyword,
    Name,
    Number,
    Operator,
    String,
    Text,
    Whitespace,
    _TokenType,
)

from workbench.code.lexers.tokens import Danger, Marker, Tactic
from workbench.lean import lexer as lean

_KINDS: dict[str, _TokenType] = {
    lean.WHITESPACE: Whitespace,
    lean.LINE_COMMENT: Comment.Single,
    lean.BLOCK_COMMENT: Comment.Multiline,
    lean.OPEN_COMMENT: Comment.Multiline,
    lean.DOC_COMMENT: String.Doc,
    lean.MODULE_DOC: String.Doc,
    lean.STRING: String,
    lean.RAW_STRING: String,
    lean.OPEN_STRING: String,
    lean.CHAR: String.Char,
    lean.NUMBER: Number,
    lean.IDENTIFIER: Name,
    lean.KEYWORD: Keyword,
    lean.COMMAND: Keyword,
    lean.ATTRIBUTE: Name.Decorator,
    lean.OPERATOR: Operator,
    lean.UNKNOWN: Text,
}

# What leaves a statement unproved, widens what is trusted, or lets compiled code differ from the definition.
_DANGER_WORDS = """
sorry admit axiom unsafe native_decide implemented_by extern csimp sorryAx lcProof lcUnreachable unsafeCast
Lean.ofReduceBool Lean.ofReduceNat Lean.reduceBool Lean.trustCompiler debug.skipKernelTC
initialize builtin_initialize run_cmd run_elab run_meta"""
_DANGER = frozenset(_DANGER_WORDS.split())
_SORTS = frozenset(("Prop", "Sort", "Type"))
_QUANTIFIERS = frozenset("λ∀∃Σ∑Π∏")
_NAMES_FUNCTION = frozenset(
    ("def", "theorem", "lemma", "abbrev", "instance", "axiom", "opaque", "example")
)
_NAMES_TYPE = frozenset(("structure", "inductive", "class", "coinductive"))
_NAMES_SPACE = frozenset(("namespace", "section", "open", "end", "import", "export"))
_MARKER = re.compile(r"-- !(?:benchmark|solution|curation)[ \t]+@\w+")

# Words that open a tactic step. They are ordinary names elsewhere, so place decides.
_TACTIC_WORDS = """
ac_rfl aesop all_goals and_intros any_goals apply apply? assumption bv_decide bv_omega by_cases by_contra case
case' cases cases' change clear congr constructor contradiction conv decide delta done dsimp dsimp? eapply
erw exact exact? exfalso exists ext field_simp fin_cases first focus fun_cases fun_induction funext generalize
grind induction injection injections intro intros interval_cases iterate left let_pure lhs linarith native_decide
next nlinarith nofun nomatch norm_cast norm_num nth_rewrite omega on_goal positivity push_cast push_neg rcases
refine refine' rename rename_i repeat repeat' replace revert rfl rhs right ring ring_nf rintro rotate_left
rotate_right rw rwa rw_mod_cast set simp simp? simp_all simp_all? simp_arith simp_wf simpa skip solve_by_elim
sorry specialize split split_ifs stop subst subst_vars suffices swap symm tauto trans trivial try unfold
unfold_let unhygienic use with_reducible with_unfolding_all"""
_TACTICS = frozenset(_TACTIC_WORDS.split())
_STEP_OPENERS = frozenset(
    ("by", ";", "<;>", "·", "<|>", "|", "=>", "(", "do", "at", "try", "{")
)


class LeanLexer(Lexer):
    """Maps the tokens of `workbench.lean.lexer`, and adds what only place tells: declared names and tactics."""

    name = "Lean 4"
    aliases: ClassVar[list[str]] = ["lean4"]
    filenames: ClassVar[list[str]] = ["*.lean"]
    url = "https://lean-lang.org/"

    def get_tokens_unprocessed(
        self, text: str
    ) -> Iterator[tuple[int, _TokenType, str]]:
        """Yield offset, type and spelling of each token; the spellings join to `text`."""
        naming: _TokenType | None = None
        opens_step = True
        for kind, start, end in lean.scan(text):
            value = text[start:end]
            if kind == lean.WHITESPACE:
                if "\n" in value:
                    opens_step = True
                    if naming is Name.Namespace:
                        naming = None
                yield start, Whitespace, value
                continue
            if kind == lean.LINE_COMMENT and _MARKER.match(value):
                yield start, Marker, value
                continue
            yield start, _type(kind, value, naming, opens_step), value
            if kind in lean.COMMENTS:
                continue
            if kind in (lean.COMMAND, lean.KEYWORD):
                naming = _named_by(value, naming)
            elif naming is not Name.Namespace or kind != lean.IDENTIFIER:
                naming = None
            opens_step = value in _STEP_OPENERS


def _named_by(word: str, naming: _TokenType | None) -> _TokenType | None:
    """Return the type of the name that follows the command `word`, or None."""
    if word in _NAMES_FUNCTION:
        return naming if naming is Name.Class else Name.Function
    if word in _NAMES_TYPE:
        return Name.Class
    return Name.Namespace if word in _NAMES_SPACE else None


def _type(
    kind: str, value: str, naming: _TokenType | None, opens_step: bool
) -> _TokenType:
    if kind in (lean.IDENTIFIER, lean.KEYWORD, lean.COMMAND):
        if value in _DANGER:
            return Danger
        if value in _SORTS:
            return Keyword.Type
        if kind == lean.IDENTIFIER:
            if naming is not None:
                return naming
            return Tactic if opens_step and value in _TACTICS else Name
    if kind == lean.OPERATOR and value in _QUANTIFIERS:
        return Operator.Word
    return _KINDS.get(kind, Text)
