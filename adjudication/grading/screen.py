"""Rules on the text of slots: early exits and hints, never the proof of honesty. Source: grading.md, step 5.

Each rule has an id, an effect and a page in docs/rules. `void` refuses the whole run, `taint` the specs that the slot serves, `reject` the
slot, and `flag` asks a person. What the rules overlook is found in compiled terms; what they find wrongly costs an honest
solver something, so they look at tokens, never at substrings.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from adjudication.grading import screenwords as words
from adjudication.grading.slotgrammar import MODIFIERS, line_of
from workbench.lean import lexer
from workbench.lean.lexer import Token

Effect = Literal["void", "taint", "reject", "flag"]


class Rule(NamedTuple):
    """A rule: its id (the name of its page), what it does, and what it is about in one line."""

    id: str
    effect: Effect
    summary: str


RULES: dict[str, Rule] = {
    rule.id: rule
    for rule in (
        Rule("unsafe", "void", "the keyword `unsafe`"),
        Rule(
            "runtime-attribute",
            "void",
            "an attribute or command with effect on compiled code only",
        ),
        Rule(
            "instance-oracle",
            "void",
            "an instance with a hollow body and a priority of its own",
        ),
        Rule("instance-hollow", "flag", "an instance with a hollow body"),
        Rule("instance-priority", "flag", "an instance with a priority of its own"),
        Rule(
            "decidable-asserted",
            "flag",
            "a `Decidable` instance that asserts its verdict",
        ),
        Rule("axiom", "taint", "an axiom"),
        Rule("admit", "taint", "the tactic `admit`"),
        Rule("option", "reject", "an option outside the list of allowed ones"),
        Rule("metaprogram", "reject", "syntax, macros, elaborators, or new attributes"),
        Rule("attribute", "reject", "an attribute outside the list of allowed ones"),
        Rule("elaboration", "reject", "code that runs while a module is elaborated"),
    )
}


@dataclass(frozen=True, slots=True)
class Hit:
    """Where a rule applies: its id, the line within the slot's body (1-based), and the words it found."""

    rule: str
    line: int
    found: str

    @property
    def effect(self) -> Effect:
        return RULES[self.rule].effect


@dataclass(frozen=True, slots=True)
class Policy:
    """What a set of submissions may do beyond the rules. `options` end with a dot for a whole family."""

    reject_metaprograms: bool = True
    options: tuple[str, ...] = words.ALLOWED_OPTIONS
    imports: tuple[str, ...] = ()


def screen(body: str, policy: Policy | None = None) -> list[Hit]:
    """Return the rules that apply to the body of a slot, in the order of the text, each with its place."""
    policy = policy or Policy()
    skipped = (lexer.WHITESPACE, *lexer.COMMENTS)
    tokens = [token for token in lexer.tokens(body) if token.kind not in skipped]
    hits = [
        Hit(rule, line_of(body, at), found)
        for rule, at, found in (
            *_words(tokens),
            *_options(tokens, policy),
            *_attributes(tokens),
            *_instances(tokens),
        )
    ]
    if not policy.reject_metaprograms:
        hits = [hit for hit in hits if hit.rule not in ("metaprogram", "attribute")]
    return sorted(dict.fromkeys(hits), key=lambda hit: (hit.line, hit.rule))


Found = tuple[str, int, str]
_WORD_KINDS = (lexer.COMMAND, lexer.KEYWORD, lexer.IDENTIFIER)


def _words(tokens: Sequence[Token]) -> Iterator[Found]:
    for position, token in enumerate(tokens):
        text = token.text
        if token.kind not in _WORD_KINDS:
            continue
        if text == "unsafe":
            yield "unsafe", token.start, text
        elif text in words.RUNTIME_COMMANDS:
            yield "runtime-attribute", token.start, text
        elif text == "axiom" and token.kind == lexer.COMMAND:
            yield "axiom", token.start, text
        elif text == "admit":
            yield "admit", token.start, text
        elif text in words.DECLARING_COMMANDS and _as_command(tokens, position):
            yield "metaprogram", token.start, text
        elif (
            text in words.RUNNING_WORDS
            and (text != "eval" or _is_percent(tokens, position))
        ) or (text.startswith("#") and text not in words.ALLOWED_HASHES):
            yield "elaboration", token.start, text


def _is_percent(tokens: Sequence[Token], position: int) -> bool:
    """Return whether `eval` is the start of `eval%`."""
    following = tokens[position + 1 : position + 2]
    return (
        bool(following)
        and following[0].text == "%"
        and following[0].start == tokens[position].end
    )


def _as_command(tokens: Sequence[Token], position: int) -> bool:
    """Return whether a word stands where a command can stand: `prefix` and `syntax` are names elsewhere."""
    if tokens[position].kind == lexer.COMMAND and tokens[position].text not in (
        "prefix",
        "postfix",
        "syntax",
        "notation",
        "macro",
        "elab",
        "infix",
    ):
        return True
    before = tokens[position - 1] if position else None
    if before is None or before.text in MODIFIERS or before.text in ("]", "in"):
        return True
    after = [token.text for token in tokens[position + 1 : position + 3]]
    if not after or before.text in _INSIDE:
        return False
    following = tokens[position + 1]
    return (
        following.kind in (lexer.STRING, lexer.RAW_STRING, lexer.NUMBER)
        or (after[0] == ":" and following.start == tokens[position].end)
        or (after[0] == "(" and after[1:] in (["name"], ["priority"]))
    )


_INSIDE = ("(", "{", ",", "⟨", "fun", "∀", "∃", ".", "let", "have")


def _options(tokens: Sequence[Token], policy: Policy) -> Iterator[Found]:
    for position, token in enumerate(tokens):
        if token.text != "set_option" or token.kind != lexer.COMMAND:
            continue
        name = tokens[position + 1].text if position + 1 < len(tokens) else ""
        if not any(
            name.startswith(allowed) if allowed.endswith(".") else name == allowed
            for allowed in policy.options
        ):
            yield "option", token.start, f"set_option {name}"


def _attributes(tokens: Sequence[Token]) -> Iterator[Found]:
    for position, token in enumerate(tokens):
        if token.kind == lexer.ATTRIBUTE:
            start = position + 1
        elif (
            token.text == "attribute"
            and token.kind == lexer.COMMAND
            and [t.text for t in tokens[position + 1 : position + 2]] in (["["], ["[["])
        ):
            start = position + 2
        else:
            continue
        for entry in _entries(tokens, start):
            names = {t.text for t in entry if t.kind in _WORD_KINDS}
            runtime = sorted(names & words.RUNTIME_ATTRIBUTES)
            if runtime:
                yield "runtime-attribute", entry[0].start, runtime[0]
                continue
            name = next(
                (
                    t.text
                    for t in entry
                    if t.text not in ("-", "local", "scoped", "↓", "↑", "←")
                ),
                "",
            )
            if name == "instance" and any(t.kind == lexer.NUMBER for t in entry):
                yield "instance-priority", entry[0].start, name
            if name and name not in words.ALLOWED_ATTRIBUTES:
                yield "attribute", entry[0].start, name


def _entries(tokens: Sequence[Token], start: int) -> Iterator[list[Token]]:
    """Yield the attributes of a list, whose first token stands at `start`, up to its closing bracket."""
    depth, entry = 1, list[Token]()
    for at in range(start, len(tokens)):
        token = tokens[at]
        if token.kind == lexer.ATTRIBUTE or token.text == "attribute":
            # No attribute has a list in it. That one is looked at by itself, so that a text of nothing but `@[` ends too.
            if entry:
                yield entry
            yield [token]
            return
        if token.kind == lexer.OPERATOR:
            depth += sum((s in "([{⟨") - (s in ")]}⟩") for s in token.text)
        if depth <= 0:
            break
        if depth == 1 and token.text == ",":
            if entry:
                yield entry
            entry = []
        else:
            entry.append(token)
    if entry:
        yield entry


def _instances(tokens: Sequence[Token]) -> Iterator[Found]:
    for position, token in enumerate(tokens):
        if token.text != "instance" or token.kind != lexer.COMMAND:
            continue
        if (
            position
            and tokens[position - 1].text in ("@[", "[", ",", "local", "scoped", "-")
            and _in_attribute(tokens, position)
        ):
            continue
        head, body = _split_instance(tokens, position)
        priority = _has_priority(tokens, position, head)
        hollow = bool(body) and all(t.text in words.HOLLOW for t in body)
        asserted = (
            any(
                t.text in ("Decidable", "DecidablePred", "DecidableRel", "DecidableEq")
                for t in head
            )
            and bool(body)
            and (
                body[0].text in words.ASSERTING
                or (
                    [t.text for t in body[:1]] == ["."]
                    and len(body) > 1
                    and body[1].text in words.ASSERTING
                )
            )
        )
        if hollow and priority:
            yield "instance-oracle", token.start, "instance"
        elif hollow:
            yield "instance-hollow", token.start, "instance"
        elif priority:
            yield "instance-priority", token.start, "instance"
        if asserted:
            yield "decidable-asserted", token.start, "instance"


def _in_attribute(tokens: Sequence[Token], position: int) -> bool:
    for token in reversed(tokens[max(0, position - 12) : position]):
        if token.kind == lexer.ATTRIBUTE or token.text == "attribute":
            return True
        if token.text == "]" or token.text == ":=":
            return False
    return False


def _split_instance(
    tokens: Sequence[Token], position: int
) -> tuple[list[Token], list[Token]]:
    """Return the tokens of an instance between its keyword and `:=` or `where`, and those of its body."""
    head: list[Token] = []
    depth = 0
    at = position + 1
    while at < len(tokens):
        token = tokens[at]
        depth += (
            sum((s in "([{⟨⦃") - (s in ")]}⟩⦄") for s in token.text)
            if token.kind == lexer.OPERATOR
            else 0
        )
        if depth <= 0 and token.text in (":=", "where", "|"):
            break
        if token.text == "instance" and token.kind == lexer.COMMAND:
            break  # looked at by itself
        head.append(token)
        at += 1
    body: list[Token] = []
    for place in range(at + 1, len(tokens)):
        token = tokens[place]
        if token.kind == lexer.COMMAND or token.kind == lexer.ATTRIBUTE:
            break
        body.append(token)
    return head, body


def _has_priority(
    tokens: Sequence[Token], position: int, head: Sequence[Token]
) -> bool:
    """Return whether an instance sets its priority: `(priority := …)` or `@[instance 1000]`."""
    texts = [token.text for token in head[:3]]
    if texts[:2] == ["(", "priority"]:
        return True
    before = [token.text for token in tokens[max(0, position - 8) : position]]
    return "default_instance" in before
