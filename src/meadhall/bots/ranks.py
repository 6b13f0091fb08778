"""The levels of bots, the same in every game."""

from __future__ import annotations

from dataclasses import dataclass

from meadhall.bots.search import Budget
from meadhall.engine.text.language import marked


@dataclass(frozen=True)
class Rank:
    """A level of bots.

    Attributes:
        name: its name in records and at tables.
        about: a sentence that describes it; a message for gettext.
        budget: the budget of its search; None if it does not search.
        exact: whether it plays optimally where the game's solver knows the position.
    """

    name: str
    about: str
    budget: Budget | None = None
    exact: bool = False


THRALL = Rank("thrall", marked("Plays at random. Good for a first look."))
KARL = Rank("karl", marked("Plays what looks best right now, without thinking ahead."))
HUSCARL = Rank("huscarl", marked("Thinks ahead for the blink of an eye."), Budget(0.05))
JARL = Rank("jarl", marked("Thinks ahead for half a second and rarely misses a chance."), Budget(0.5))
KING = Rank(
    "king", marked("Thinks ahead for three seconds, and plays perfectly wherever perfect play is known."), Budget(3.0), exact=True
)

RANKS = (THRALL, KARL, HUSCARL, JARL, KING)
"""All levels, the weakest first."""

NAMES = (marked("Thrall"), marked("Karl"), marked("Huscarl"), marked("Jarl"), marked("King"))
"""The names of the levels for people, for gettext; see ``bot_in_words``."""
