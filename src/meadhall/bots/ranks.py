"""The ranks of bots, the same in every game."""

from __future__ import annotations

from dataclasses import dataclass

from meadhall.bots.search import Budget
from meadhall.engine.language import marked


@dataclass(frozen=True)
class Rank:
    """A rank.

    Attributes:
        name: as in records and at tables.
        about: a sentence for people, to be translated.
        budget: how long it thinks; None for those who don't.
        exact: whether it plays exactly where the game can be solved.
    """

    name: str
    about: str
    budget: Budget | None = None
    exact: bool = False


THRALL = Rank("thrall", marked("Does anything that is allowed: good for a first look."))
KARL = Rank("karl", marked("Takes what looks best at once, without thinking ahead."))
HUSCARL = Rank("huscarl", marked("Thinks ahead for the blink of an eye."), Budget(0.05))
JARL = Rank("jarl", marked("Thinks ahead for half a second, and seldom lets a chance slip."), Budget(0.5))
KING = Rank("king", marked("Thinks ahead for three seconds, and plays perfectly where that is known."), Budget(3.0), exact=True)

RANKS = (THRALL, KARL, HUSCARL, JARL, KING)
"""The weakest first."""
