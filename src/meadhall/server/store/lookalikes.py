"""Names that look alike, by Unicode's list of confusable characters (UTS 39)."""

from __future__ import annotations

import hashlib
import unicodedata
from dataclasses import dataclass
from typing import Self

from confusable_homoglyphs.confusables import confusables_data  # type: ignore[import-untyped]


def look_alike(name: str, other: str) -> bool:
    """Return whether a reader may take one name for the other: they differ in case, accents or confusable characters only."""
    return _skeleton(name) == _skeleton(other) or _skeleton(name.casefold()) == _skeleton(other.casefold())


@dataclass(frozen=True)
class NameKeys:
    """What a database needs of a name to find one that looks like it: two names look alike if one of their keys is the same.

    The keys are hashes, because the skeleton of a short name may be long.
    """

    drawn: str
    folded: str

    @classmethod
    def of(cls, name: str) -> Self:
        """Return the keys of a name."""
        drawn, folded = (hashlib.sha256(_skeleton(each).encode()).hexdigest() for each in (name, name.casefold()))
        return cls(drawn, folded)


def _skeleton(name: str) -> str:
    """Return the name without accents and blanks, and with the first of all characters that look like each of its own."""
    letters = [letter for letter in unicodedata.normalize("NFKD", name) if not unicodedata.combining(letter)]
    drawn = "".join(_PROTOTYPES.get(letter, letter) for letter in letters if not letter.isspace())  # "m" is drawn like "rn"
    return "".join(_PROTOTYPES.get(letter, letter) for letter in drawn)


def _prototypes() -> dict[str, str]:
    """Return for each confusable character the one that stands for all that look like it."""
    parents: dict[str, str] = {}

    def root(text: str) -> str:
        while text in parents:
            text = parents[text]
        return text

    for letter, alike in confusables_data.items():
        for each in alike:
            roots = {root(letter), root(each["c"])}
            chosen = min(roots, key=lambda text: (-len(text), text))  # a sequence of letters stands for a single one
            parents.update(dict.fromkeys(roots - {chosen}, chosen))
    return {letter: root(letter) for letter in confusables_data}


_PROTOTYPES = _prototypes()
