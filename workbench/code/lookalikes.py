"""Which characters pass for which: a reading of Unicode's confusables (UTS 39) limited to what code can contain.

Kept short on purpose. Mathematical alphabets, full-width forms and the like need no table: their compatibility
decomposition (NFKC) names the twin.
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache


def _table(*rows: str) -> dict[str, str]:
    pairs: dict[str, str] = {}
    for row in rows:
        strange, plain = row.split()
        pairs.update(zip(strange, plain, strict=True))
    return pairs


# Letters that no reader tells from the Latin one. Inside a Latin word they are a trap.
STRONG = _table(
    "аеорсухѕіјһԁԛԝѵӏѡгьҽ aeopcyxsijhdqwvlwrbe",  # Cyrillic
    "АВСЕНІЈКМОРЅТХУҮԚԜԌЗӀѴҺ ABCEHIJKMOPSTXYYQWG3IVH",
    "ΑΒΕΖΗΙΚΜΝΟΡΤΥΧϹͿοϲϳ ABEZHIKMNOPTYXCJocj",  # Greek
    "օսոհյցզՕՍՏԼ ounhjgqOUSL",  # Armenian
    "ᎠᎡᎢᎪᎫᎬᎳᎷᎻᏀᏃᏎᏏᏒᏔᏕᏙᏚᏞᏟᏢᏦ DRTAJEWMHGZ4bRWSVSLCPK",  # Cherokee
    "ꓐꓑꓓꓔꓖꓗꓙꓚꓜꓝꓟꓠꓡꓢꓣꓦꓧꓪꓫꓬꓮꓰꓲꓳꓴ BPDTGKJCZFMNLSRVHWXYAEIOU",  # Lisu
    "ⲟⲣⲥⲞⲢⲤⲘⲚ opcOPCMN",  # Coptic
    "ıɑɡȷɩſ iagjif",  # Latin beyond ASCII
)
# Modifier letters that pass for an apostrophe, which Lean and Coq names may contain.
STRONG.update(dict.fromkeys("ʹʼʻˈꞌ", "'"))

# Letters with a life of their own in Lean. Worth a word only where the twin stands in the same text.
WEAK = _table("νρυϒµ vpuYμ")

# Symbols that are tokens of their own and have a twin in ASCII. ‘−’ is not ‘-’.
SYMBOLS = _table("∣ǀ∶꞉ː−‐‑⁄∕∗⁎∼․‚′ ||:::---//**~.,'")

# Scripts whose letters are often mixed into Latin words to deceive.
DECEIVING = frozenset(
    {"CYRILLIC", "ARMENIAN", "CHEROKEE", "LISU", "COPTIC", "DESERET", "OSAGE"}
)


@lru_cache(maxsize=4096)
def script(char: str) -> str:
    """Return the script of a letter by its Unicode name (`"CYRILLIC"`), or `""` for what is not a letter."""
    if not char.isalpha():
        return ""
    return unicodedata.name(char, "").partition(" ")[0]


@lru_cache(maxsize=4096)
def compatible(char: str) -> str:
    """Return what `char` is a styled form of (`ℕ` of `N`, `Ａ` of `A`), or `""`.

    Sub- and superscripts, fractions and letters with accents are not styled forms.
    """
    kind, _, _rest = unicodedata.decomposition(char).partition("> ")
    if kind not in {"<font", "<wide", "<narrow", "<small", "<compat"}:
        return ""
    plain = unicodedata.normalize("NFKC", char)
    return (
        plain
        if plain != char and plain.isascii() and plain.isprintable() and plain != " "
        else ""
    )


@lru_cache(maxsize=4096)
def twin(char: str) -> str:
    """Return the character or characters that `char` passes for, or `char` itself."""
    return STRONG.get(char) or WEAK.get(char) or compatible(char) or char


def skeleton(word: str) -> str:
    """Return `word` as a hurried reader sees it. Two words with one skeleton look alike (UTS 39, section 4)."""
    return "".join(map(twin, word))
