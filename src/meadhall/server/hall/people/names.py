"""Names of guests and bots."""

from __future__ import annotations

import secrets
import unicodedata
from collections.abc import Collection
from itertools import accumulate, chain, count

from meadhall.server.hall.chat import clean_text, clusters
from meadhall.server.store.lookalikes import look_alike

NAME_LENGTH = 24
_LONGEST_TEXT = 1000

GIVEN = """
Astrid Björn Dagny Eirik Frida Gudrun Halvar Inga Jorunn Knut Liv Magnus Njal Oddny Ragna Signe Tove Ulfhild Vidar Ylva
Asmund Bergljot Egil Finn Gyda Hilda Ivar Kari Leif Mjoll Olaf Runa Sten Thora Unn Vebjorn
""".split()  # noqa: SIM905 - a list would take a line for each name
BOTS = ("Skogul", "Gorm", "Hrefna", "Brandr", "Svala", "Toki", "Yrsa")


def any_name(taken: Collection[str] = ()) -> str:
    """Return a random name for a guest who has not chosen one. ``taken``: those of ``GIVEN`` that belong to accounts."""
    free = [name for name in GIVEN if name not in taken]
    return secrets.choice(free) if free else f"{secrets.choice(GIVEN)} {2 + secrets.randbelow(998)}"


def bot_name(seat: int, others: Collection[str] = ()) -> str:
    """Return the name of a bot on a seat; the next one if one of the others at the table has a name that looks like it."""
    names = [BOTS[(seat + k) % len(BOTS)] for k in range(len(BOTS))]
    return next((name for name in names if unlike_others(name, others) == name), unlike_others(names[0], others))


def clean_name(text: str) -> str:
    """Return ``text`` as a name: printable, on one line, with single blanks, at most 24 characters; "" if nothing is left.

    A letter has no more combining marks than in a line of chat, and none stands without a letter.
    """
    words = map(_without_first_marks, clean_text(text[:_LONGEST_TEXT], " ").split())
    return _cut(" ".join(word for word in words if word), NAME_LENGTH)


def _cut(name: str, most: int) -> str:
    """Return the first letters of a name, as people count letters, with at most so many characters."""
    letters = clusters(name)
    count = sum(length <= most for length in accumulate(map(len, letters)))
    return ("".join(letters[:count]) or name[:most]).strip()


def _without_first_marks(word: str) -> str:
    first = next((place for place, letter in enumerate(word) if unicodedata.category(letter)[0] != "M"), len(word))
    return word[first:]


def unlike_others(name: str, others: Collection[str]) -> str:
    """Return the name, with a number if one of the others looks like it."""
    numbered = (f"{_cut(clean_name(name), 20)} {number}" for number in count(2))
    return next(each for each in chain([name], numbered) if not any(look_alike(each, other) for other in others))
