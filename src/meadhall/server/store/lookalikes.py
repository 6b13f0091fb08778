"""Names that look alike, by Unicode's list of confusable characters (UTS 39)."""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Self

import regex
from confusable_homoglyphs.confusables import confusables_data  # type: ignore[import-untyped]

_MARKED: Final = regex.compile(r"([\p{Latin}\p{Greek}\p{Cyrillic}\p{Common}])\p{M}+")
"""A letter of a script without vowel signs, and its marks."""

_UNHEEDED: Final = regex.compile(r"[\p{P}\p{Z}\p{Sk}\p{Sm}\p{Cf}\p{Variation_Selector}]")
"""Punctuation, blanks, joiners: readers overlook them in a name."""

_SMALL_CAPITAL: Final = "LATIN LETTER SMALL CAPITAL "
_PHONETIC: Final = (range(0x250, 0x2B0), range(0x1D00, 0x1D80), range(0xA720, 0xA800))
"""The blocks of Unicode with small capitals."""


def look_alike(name: str, other: str) -> bool:
    """Return whether a reader may take one name for the other.

    They differ in case, accents, blanks, punctuation or confusable characters only.
    """
    return _skeleton(name) == _skeleton(other) or _skeleton(name.upper()) == _skeleton(other.upper())


@dataclass(frozen=True)
class NameKeys:
    """Keys by which a database finds names that look alike: two names do if they share one of the first two.

    The keys are hashes, because the skeleton of a short name may be long.

    Attributes:
        drawn: of the name as it is written.
        folded: of the name in capitals.
        spelled: of this spelling only. An account has it in place of both other keys if the names of two accounts were told apart
            before a list of confusable characters grew.
    """

    drawn: str
    folded: str
    spelled: str

    @classmethod
    def of(cls, name: str) -> Self:
        """Return the keys of a name."""
        texts = (_skeleton(name), _skeleton(name.upper()), f"spelled {name}")
        drawn, folded, spelled = (hashlib.sha256(each.encode()).hexdigest() for each in texts)
        return cls(drawn, folded, spelled)


def _skeleton(name: str) -> str:
    """Return the name in small letters without accents, blanks and punctuation. One character stands for all that look alike."""
    drawn = _without_marks(name)
    for _ in range(2):  # "m" is drawn like "rn"
        drawn = _without_marks("".join(_PROTOTYPES.get(letter) or _of_capital(letter) for letter in drawn))
    heeded = _UNHEEDED.sub("", drawn) or "".join(drawn.split())
    return heeded.lower()


def _without_marks(text: str) -> str:
    letters = (letter for letter in unicodedata.normalize("NFKD", text) if not unicodedata.combining(letter))
    return _MARKED.sub(r"\1", "".join(letters))


def _of_capital(letter: str) -> str:
    """Return for a letter of another script the Latin letter that its capital looks like, if there is one."""
    found = _PROTOTYPES.get(letter.upper(), "")
    return found if not letter.isascii() and found.isascii() and found else letter


def _pairs() -> Iterator[tuple[str, str]]:
    """Yield characters, or sequences of them, that look alike."""
    for letter, alike in confusables_data.items():
        yield from ((letter, each["c"].replace("\u200e", "")) for each in alike)
    yield "0", "o"
    for code in (code for block in _PHONETIC for code in block):
        name = unicodedata.name(chr(code), "")
        if name.startswith(_SMALL_CAPITAL) and len(name) == len(_SMALL_CAPITAL) + 1:
            yield chr(code), name[-1].lower()


def _prototypes() -> dict[str, str]:
    """Return for each confusable character the one that stands for all that look like it."""
    parents: dict[str, str] = {}

    def root(text: str) -> str:
        while text in parents:
            text = parents[text]
        return text

    pairs = [(letter.replace("\u200e", ""), other) for letter, other in _pairs()]
    for letter, other in pairs:
        roots = {root(letter), root(other)}
        chosen = min(roots, key=lambda text: (-len(text), text))  # a sequence of letters stands for a single one
        parents.update(dict.fromkeys(roots - {chosen}, chosen))
    return {letter: root(letter) for pair in pairs for letter in pair}


_PROTOTYPES = _prototypes()
