"""What the cards of Viking Axes are called."""

from __future__ import annotations

from meadhall.engine.events import named
from meadhall.engine.language import gettext as _
from meadhall.engine.language import marked

TITLES = {
    "axe1": marked("Axe"),
    "axe2": marked("Double axe"),
    "axe3": marked("Triple axe"),
    "shield1": marked("One shield"),
    "shield2": marked("Two shields"),
    "shield3": marked("Three shields"),
    "shield4": marked("Four shields"),
    "armory": marked("Armory"),
    "wench": marked("Wench"),
}
"""Every kind of card, in the rules' order: its name in records, and what stands on it."""

PHRASES = {
    "axe1": marked("an axe"),
    "axe2": marked("a double axe"),
    "axe3": marked("a triple axe"),
    "shield1": marked("one shield"),
    "shield2": marked("two shields"),
    "shield3": marked("three shields"),
    "shield4": marked("four shields"),
    "armory": marked("an armory"),
    "wench": marked("a wench"),
}
"""Every kind of card as somebody draws, plays or discards one."""

card = named(*TITLES)


def card_title(kind: int) -> str:
    """What stands on a card, in the current language, e.g. "Double axe"."""
    return _(TITLES[card(kind)])


def card_phrase(kind: int) -> str:
    """A card as somebody draws, plays or discards it, in the current language, e.g. "a double axe"."""
    return _(PHRASES[card(kind)])
