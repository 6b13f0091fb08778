"""Viking Axes: the names of the cards."""

from __future__ import annotations

from meadhall.sdk import gettext as _
from meadhall.sdk import marked, named

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
"""The title on each kind of card, by its name in records, in the order of ``Card``."""

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
"""Each kind of card as the object of a verb: "Astrid draws **a double axe**"."""

card = named(*TITLES)


def card_title(kind: int) -> str:
    """Return the title on a card in the current language, e.g. "Double axe"."""
    return _(TITLES[card(kind)])


def card_phrase(kind: int) -> str:
    """Return a card as the object of a verb in the current language, e.g. "a double axe"."""
    return _(PHRASES[card(kind)])
