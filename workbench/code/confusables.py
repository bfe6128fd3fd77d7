"""Characters that deceive the eye: invisible, bidirectional, look-alike, not normalised.

Levels are tones of the design language: `bad` has no honest use in code, `warn` may be an accident, `info` is
ordinary Lean that is worth a second look. Ordinary Lean notation (`→ ∀ λ α ₁ ×`) gives nothing.
Rules after UTS 39 (confusables), UTS 55 (source code handling) and CVE-2021-42574 ("Trojan Source").
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from workbench.code.lines import split_lines
from workbench.code.lookalikes import (
    DECEIVING,
    STRONG,
    SYMBOLS,
    WEAK,
    compatible,
    script,
    skeleton,
)

BAD, WARN, INFO = "bad", "warn", "info"
LEVELS = (BAD, WARN, INFO)

MOST = 10_000
"""Findings of one level that a text can have: more are neither listed nor marked."""

MEANING = {
    "bidi": "changes the order in which text is shown",
    "invisible": "cannot be seen",
    "tag": "cannot be seen and can carry hidden text",
    "selector": "changes how the character before it looks, and cannot be seen",
    "control": "is a control character",
    "separator": "looks like a line end but is none",
    "replacement": "stands for bytes that are not UTF-8",
    "surrogate": "is half a character: the file is not valid Unicode",
    "space": "looks like a space but is none",
    "full-width": "is a wide or joined form of an ordinary character",
    "not-nfc": "is not in normal form (NFC): the same letter has another, usual spelling",
    "mixed-script": "passes for a Latin letter inside a Latin name",
    "other-script": "passes for a Latin letter",
    "digit": "is a digit of another script",
    "private": "has no meaning outside one font",
    "unassigned": "is not a character that Unicode defines",
    "symbol": "is a symbol of its own, not an ASCII character",
    "twin": "has a twin among the names of this text",
}

_BIDI = {
    0x061C: "ALM", 0x200E: "LRM", 0x200F: "RLM", 0x202A: "LRE", 0x202B: "RLE", 0x202C: "PDF", 0x202D: "LRO",
    0x202E: "RLO", 0x2066: "LRI", 0x2067: "RLI", 0x2068: "FSI", 0x2069: "PDI",
}  # fmt: skip
_INVISIBLE = {
    0x00AD: "SHY", 0x034F: "CGJ", 0x115F: "HF", 0x1160: "HF", 0x17B4: "AQ", 0x17B5: "AA", 0x180E: "MVS",
    0x200B: "ZWSP", 0x200C: "ZWNJ", 0x200D: "ZWJ", 0x2060: "WJ", 0x2061: "FA", 0x2062: "IT", 0x2063: "IS",
    0x2064: "IP", 0x3164: "HF", 0xFEFF: "BOM", 0xFFA0: "HF", 0x2800: "BLANK", 0xFFFC: "OBJ",
}  # fmt: skip
_CONTROL_NAMES = """NUL SOH STX ETX EOT ENQ ACK BEL BS HT LF VT FF CR SO SI DLE DC1 DC2 DC3 DC4 NAK SYN ETB CAN EM
SUB ESC FS GS RS US"""
_CONTROL = dict(enumerate(_CONTROL_NAMES.split()))
_CONTROL |= {0x7F: "DEL", 0x85: "NEL"}
_SPACES = {0xA0: "NBSP", 0x1680: "OSP", 0x202F: "NNBSP", 0x205F: "MMSP", 0x3000: "IDSP"}
_SPACES |= dict.fromkeys(range(0x2000, 0x200B), "SP")
_SEPARATORS = {0x2028: "LSEP", 0x2029: "PSEP"}
_ZERO_WIDTH_JOINER, _TEXT_STYLE, _EMOJI_STYLE = "\u200d", "\ufe0e", "\ufe0f"

# Neither ASCII nor any of these: look closer. The list only saves time, it decides nothing.
_ORDINARY = "→←↔⇒⇔↦∀∃λΠΣ∧∨¬≤≥≠≈≡×∘·∈∉⊆⊂∪∩∅⟨⟩⟦⟧⊢⊥⊤⊕∑∏√∞▸⁻αβγδεζηθικμξπστφχψωΓΔΘΛΞΦΨΩ₀₁₂₃₄₅₆₇₈₉ₙᵢⱼ⁰¹²³…“”‘’–—•∎═─│├└"
_SUSPECT = re.compile(rf"[^\t\x20-\x7e{_ORDINARY}]")
_WORD = re.compile(r"[^\W\d_][\w'!?ʹʼʻˈꞌ]*|_[\w'!?ʹʼʻˈꞌ]+")


@dataclass(frozen=True, slots=True)
class Finding:
    """One character (or one unnormalised cluster) worth a look.

    `line` and `column` count from 1, columns in code points. `label` is the short visible glyph (`RLO`), or `""`
    where the character can be seen. `looks_like` is the plain twin or `""`.
    """

    line: int
    column: int
    text: str
    kind: str
    level: str
    label: str = ""
    looks_like: str = ""

    @property
    def code(self) -> str:
        """Return the code points as `U+202E`, separated by spaces."""
        return " ".join(f"U+{ord(char):04X}" for char in self.text)

    @property
    def name(self) -> str:
        """Return the Unicode names, joined by ` + `."""
        return " + ".join(_name(char) for char in self.text)

    @property
    def words(self) -> str:
        """Return one sentence: code point, name, what is wrong with it."""
        twin = f"; looks like {self.looks_like}" if self.looks_like else ""
        return f"{self.code} {self.name}: {MEANING[self.kind]}{twin}"


def scan(text: str) -> list[Finding]:
    """Return what a reader of `text` cannot trust the eye with, in the order of the text.

    A byte order mark at the start is left to the importer. Line numbers are those of `split_lines`. Of each level the
    first `MOST` are given, so that a table of minus signs cannot hide what is bad behind it.
    """
    if text.isascii() and not _SUSPECT.search(
        text.replace("\r\n", "").replace("\n", "")
    ):
        return []
    lines = split_lines(text).lines
    found: list[Finding] = []
    counted: Counter[str] = Counter()
    twins = _twins(text)
    for number, line in enumerate(lines, 1):
        if _SUSPECT.search(line):
            for finding in _scan_line(number, line, twins):
                counted[finding.level] += 1
                if counted[finding.level] <= MOST:
                    found.append(finding)
    return found


def count_levels(findings: Iterable[Finding]) -> dict[str, int]:
    """Return how many findings there are of each level, worst level first, zeros included."""
    counted = Counter(finding.level for finding in findings)
    return {level: counted[level] for level in LEVELS}


def _scan_line(number: int, line: str, twins: frozenset[str]) -> Iterator[Finding]:
    at: dict[int, Finding] = {}
    for match in _SUSPECT.finditer(line):
        column = match.start()
        if found := _single(match.group(), line, column):
            kind, level, label, plain = found
            at[column] = Finding(
                number, column + 1, match.group(), kind, level, label, plain
            )
    for finding in _words(number, line, twins):
        at.setdefault(finding.column - 1, finding)
    for column, cluster in _unnormalised(line):
        at.setdefault(column, Finding(number, column + 1, cluster, "not-nfc", WARN))
    yield from (at[column] for column in sorted(at))


def _single(char: str, line: str, column: int) -> tuple[str, str, str, str] | None:
    """Return kind, level, label and twin of a character that is judged by itself, or None."""
    found = _judge(char)
    if (
        found
        and found[0] in {"selector", "invisible"}
        and _after_emoji(char, line, column)
    ):
        return found[0], INFO, found[2], ""
    return found


def _after_emoji(char: str, line: str, column: int) -> bool:
    """Return whether a joiner or style selector does its honest work behind a pictograph."""
    if char not in (_ZERO_WIDTH_JOINER, _TEXT_STYLE, _EMOJI_STYLE) or column == 0:
        return False
    before = line[column - 1]
    return (
        unicodedata.category(before) == "So"
        or before == _EMOJI_STYLE
        or 0x1F3FB <= ord(before) <= 0x1F3FF
    )


@lru_cache(maxsize=4096)
def _judge(char: str) -> tuple[str, str, str, str] | None:
    code = ord(char)
    if code in _BIDI:
        return "bidi", BAD, _BIDI[code], ""
    if code in _INVISIBLE:
        return "invisible", BAD, _INVISIBLE[code], ""
    if code in _SPACES:
        return "space", WARN, _SPACES[code], ""
    if code in _SEPARATORS:
        return "separator", BAD, _SEPARATORS[code], ""
    if char == "\ufffd":
        return "replacement", WARN, "", ""
    if char in SYMBOLS:
        return "symbol", INFO, "", SYMBOLS[char]
    return _judge_range(char, code)


def _judge_range(char: str, code: int) -> tuple[str, str, str, str] | None:
    category = unicodedata.category(char)
    hexadecimal = f"{code:04X}"
    if category == "Cc":
        return "control", BAD, _CONTROL.get(code, hexadecimal), ""
    if category == "Cs":
        return "surrogate", BAD, hexadecimal, ""
    if 0xE0000 <= code <= 0xE007F:
        return "tag", BAD, "TAG", _tag_twin(code)
    if (
        0xFE00 <= code <= 0xFE0F
        or 0xE0100 <= code <= 0xE01EF
        or 0x180B <= code <= 0x180F
    ):
        return "selector", BAD, "VS", ""
    if category == "Cf" or 0x2065 <= code <= 0x206F or 0xFFF0 <= code <= 0xFFF8:
        return "invisible", BAD, hexadecimal, ""
    if category == "Co":
        return "private", WARN, hexadecimal, ""
    if category == "Cn":
        return "unassigned", WARN, hexadecimal, ""
    if 0xFF01 <= code <= 0xFFEE or 0xFE50 <= code <= 0xFE6B or 0xFB00 <= code <= 0xFB06:
        plain = compatible(char)
        return ("full-width", WARN, "", plain) if plain else None
    if category == "Nd" and not char.isascii() and not compatible(char):
        return "digit", WARN, "", str(unicodedata.digit(char))
    return None


def _tag_twin(code: int) -> str:
    plain = chr(code - 0xE0000)
    return plain if plain.isprintable() else ""


def _words(number: int, line: str, twins: frozenset[str]) -> Iterator[Finding]:
    for match in _WORD.finditer(line):
        word = match.group()
        if word.isascii():
            continue
        latin = any(script(char) == "LATIN" and char not in STRONG for char in word)
        alone = not latin and _passes_for_latin(word, line)
        for offset, char in enumerate(word):
            column = match.start() + offset + 1
            if char.isascii():
                continue
            if latin and (char in STRONG or script(char) in DECEIVING):
                yield Finding(
                    number, column, char, "mixed-script", WARN, "", STRONG.get(char, "")
                )
            elif alone and char in STRONG:
                yield Finding(
                    number, column, char, "other-script", WARN, "", STRONG[char]
                )
            elif word in twins and (char in WEAK or compatible(char)):
                yield Finding(
                    number,
                    column,
                    char,
                    "twin",
                    INFO,
                    "",
                    WEAK.get(char) or compatible(char),
                )


def _passes_for_latin(word: str, line: str) -> bool:
    """Return whether all letters of `word` pass for Latin ones, and the line is not plain prose in that script."""
    strange = [char for char in word if char.isalpha() and not char.isascii()]
    if not strange or not all(char in STRONG for char in strange):
        return False
    scripts = {script(char) for char in strange}
    return not any(
        script(char) in scripts and char not in STRONG and char not in WEAK
        for char in line
        if char > "\x7f"
    )


def _twins(text: str) -> frozenset[str]:
    """Return the names that look like another name of the same text."""
    if not any(char in WEAK or compatible(char) for char in set(text) if char > "\x7f"):
        return frozenset()
    seen: dict[str, set[str]] = {}
    for word in set(_WORD.findall(text)):
        seen.setdefault(skeleton(word), set()).add(word)
    return frozenset(
        word for words in seen.values() if len(words) > 1 for word in words
    )


def _unnormalised(line: str) -> Iterator[tuple[int, str]]:
    if unicodedata.is_normalized("NFC", line):
        return
    start = 0
    for end in range(1, len(line) + 1):
        if end < len(line) and (
            unicodedata.combining(line[end]) or 0x1160 <= ord(line[end]) <= 0x11FF
        ):
            continue
        cluster = line[start:end]
        if (
            not unicodedata.is_normalized("NFC", cluster)
            and unicodedata.normalize("NFC", cluster) != cluster
        ):
            yield start, cluster
        start = end


def _name(char: str) -> str:
    code = ord(char)
    if code in _CONTROL:
        return f"CONTROL {_CONTROL[code]}"
    return unicodedata.name(char, "NO NAME")
