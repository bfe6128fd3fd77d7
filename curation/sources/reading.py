"""A file as tokens with brackets matched, lines counted and comments at hand."""

from __future__ import annotations

from collections import Counter

from curation.sources.comments import leading_comments
from curation.sources.items import LineIndex, Problem, fold, is_test_path, unique
from curation.sources.tokens import NAME, Lexer, Token, partners, without_comments

#: Declarations within declarations, deeper than anybody writes them; what is deeper is not
#: read, since each level costs a look at all that it encloses.
MAX_DEPTH = 60
#: Problems of one file and code that are told one by one.
MAX_PROBLEMS = 100


class Reading:
    """What a reader of declarations needs of one file; positions are indices of tokens.

    `tokens` are without comments, `closing` and `opening` map brackets to each other, `docs`
    has the comment above a token by the token's offset, `problems` what does not end and, with
    `unbalanced`, which brackets do not match.
    """

    def __init__(
        self, path: str, text: str, lexer: Lexer, *, unbalanced: bool = True
    ) -> None:
        everything, unterminated = lexer.tokens(text)
        self.path, self.text = path, text
        self.tokens = without_comments(everything)
        self.closing, odd_brackets = partners(self.tokens)
        self.opening = {close: opener for opener, close in self.closing.items()}
        self.lines = LineIndex(text)
        self.docs = leading_comments(text, everything)
        self.tests = is_test_path(path)
        self.problems: list[Problem] = []
        self._told: Counter[str] = Counter()
        for at, message in unterminated:
            self.problem("unterminated", self.lines.line(at), message)
        for at, message in odd_brackets if unbalanced else ():
            self.problem("unbalanced", self.lines.line(at), message)

    def problem(self, code: str, line: int, message: str) -> None:
        """Add a problem; of the hundred and first of its code only that there are more."""
        self._told[code] += 1
        if self._told[code] > MAX_PROBLEMS + 1:
            return
        if self._told[code] > MAX_PROBLEMS:
            message = "there are more problems like these in this file"
        self.problems.append(Problem(code, self.path, line, message))

    def too_deep(self, index: int) -> None:
        """Add the problem that what begins at `index` is nested too deeply to be read."""
        message = f"declarations nested more than {MAX_DEPTH} deep are not read"
        self.problem("too-deep", self.line(index), message)

    def word(self, index: int) -> str:
        """Return the text of a token, "" outside the file."""
        return self.tokens[index].text if 0 <= index < len(self.tokens) else ""

    def kind(self, index: int) -> str:
        """Return the kind of a token, "" outside the file."""
        return self.tokens[index].kind if 0 <= index < len(self.tokens) else ""

    def skip(self, index: int) -> int:
        """Return the index behind a token, or behind what it opens."""
        return self.closing[index] + 1 if index in self.closing else index + 1

    def close(self, opening: int) -> int:
        """Return the index of the bracket that closes `opening`, else of the last token."""
        return self.closing.get(opening, len(self.tokens) - 1)

    def slice(self, first: int, last: int) -> str:
        """Return the text from the first to the last token, inclusive, on one line."""
        last = min(max(first, last), len(self.tokens) - 1)
        return fold(self.text[self.tokens[first].start : self.tokens[last].end])

    def line(self, index: int) -> int:
        """Return the line on which a token begins."""
        return self.lines.line(self.tokens[index].start)

    def last_line(self, index: int) -> int:
        """Return the line on which a token ends."""
        return self.lines.line(
            max(self.tokens[index].start, self.tokens[index].end - 1)
        )

    def mentions(
        self, first: int, last: int, joiners: tuple[str, ...] = (".",)
    ) -> tuple[str, ...]:
        """Return the names between two tokens, inclusive, those with a joiner between as one."""
        return joined_names(self.tokens[first : last + 1], joiners)


def joined_names(tokens: list[Token], joiners: tuple[str, ...]) -> tuple[str, ...]:
    """Return the names of `tokens` in order, without repetition, dotted ones as one."""
    found: list[str] = []
    for index, token in enumerate(tokens):
        if token.kind != NAME:
            continue
        dotted = (
            index >= 2
            and tokens[index - 1].text in joiners
            and tokens[index - 2].kind == NAME
        )
        if dotted and found:
            found[-1] += tokens[index - 1].text + token.text
        else:
            found.append(token.text)
    return unique(found)
