"""Crests of people: a sign on a coloured shield. A person who has chosen none has the one that follows from their id."""

from __future__ import annotations

from hashlib import sha256
from typing import Final, NamedTuple, Self

SIGNS: Final = ("wolf", "raven", "bear", "ship", "tree", "hammer", "boar")
"""The signs, in the order of the symbols in ``art/sprite.html``."""

COLOURS: Final = ("blue", "violet", "copper", "teal", "green", "rose", "gold")
"""The colours, in the order of the classes ``seat-0`` to ``seat-6``."""


class Crest(NamedTuple):
    """A sign and a colour, as places in ``SIGNS`` and ``COLOURS``."""

    sign: int
    colour: int

    @classmethod
    def read(cls, text: str) -> Self | None:
        """Return the crest that is stored as "raven-blue"; None if there is no such crest."""
        sign, _hyphen, colour = text.partition("-")
        return cls(SIGNS.index(sign), COLOURS.index(colour)) if sign in SIGNS and colour in COLOURS else None

    @classmethod
    def of_guest(cls, id: str, chosen: str) -> Self:
        """Return the crest of a guest: the one that they have chosen, or the one that follows from their id."""
        hash = sha256(id.encode()).digest()
        return cls.read(chosen) or cls(hash[0] % len(SIGNS), hash[1] % len(COLOURS))

    @property
    def text(self) -> str:
        """The crest in its stored form, e.g. "raven-blue"."""
        return f"{SIGNS[self.sign]}-{COLOURS[self.colour]}"
