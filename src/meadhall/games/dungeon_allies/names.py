"""Dungeon Allies: what pieces and places are called, in the current language."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Callable, Iterable, Sequence

from meadhall.engine.language import gettext as _
from meadhall.engine.language import listed, marked, ngettext
from meadhall.games.dungeon_allies.components import COMPONENTS, Components
from meadhall.games.dungeon_allies.state import (
    AT_PRISONER,
    AT_SORCERER,
    AT_SQUARE,
    AT_TAVERN,
    AT_TRACK,
    AT_TRADE,
    AT_TRAINER,
    AT_TREASURE,
    GOLD,
    LEVEL_SQUARES,
    ON_PRISONER,
    ON_SORCERER,
    ON_SQUARE,
    ON_TAVERN,
    ON_TRACK,
    ON_TRADE,
    ON_TRAINER,
    ON_TREASURE,
    SIDES,
    SPOTS,
    TARGETS,
    CardKind,
    Step,
    level_of,
)

BUILT_IN = COMPONENTS.of(COMPONENTS.default)
"""The components that come with the game."""

SKILLS = (
    *(marked("fire"), marked("water"), marked("nature"), marked("potions")),
    *(marked("amulet"), marked("ranged"), marked("melee"), marked("armor")),
)
ITEMS = (marked("red"), marked("blue"), marked("yellow"), marked("green"), marked("white"), marked("gold"))
LEVELS = (marked("Y"), marked("B"), marked("R"))
"""The letters of the squares: yellow, blue, red."""

STEPS = {
    Step.EXCURSION: marked("Excursion"),
    Step.TURN_ORDER: marked("Turn order"),
    Step.TREASURE: marked("Treasure"),
    Step.TRAINER: marked("Trainer"),
    Step.TAVERN: marked("Tavern"),
    Step.PRISONER: marked("Prisoner"),
    Step.TRADE: marked("Trade"),
    Step.SORCERER: marked("Sorcerer"),
}
"""The eight places."""

FIRST_TARGETS = (ON_SQUARE, ON_TRACK, ON_TREASURE, ON_TRAINER, ON_TAVERN, ON_PRISONER, ON_TRADE, ON_SORCERER, TARGETS)
FIRST_SPOTS = (AT_SQUARE, AT_TRACK, AT_TREASURE, AT_TRAINER, AT_TAVERN, AT_PRISONER, AT_TRADE, AT_SORCERER, SPOTS)


class Names:
    """The pieces of these components. Those of the built-in ones have names in every language; others are called as typed."""

    def __init__(self, components: Components) -> None:
        self.components = components
        self._own: Callable[[str], str] = _ if components is BUILT_IN else str

    def ally(self, ally: int) -> str:
        """A character or follower."""
        return self._own(self.components.allies[ally].name)

    def monster(self, monster: int) -> str:
        """A tile."""
        return self._own(self.components.monster[monster].name)

    def card(self, card: int) -> str:
        """A card of the sorcerer's."""
        return self._own(self.components.sorcerer_card[card].name)

    def prisoner(self, space: int) -> str:
        """Who is held on a space."""
        return self._own(self.components.prisoner_space[space].name)

    def value(self, card: int) -> str:
        """DA-13.2: what a card gives points for."""
        kind, subject, per, points = self.components.sorcerer_card[card].codes
        if kind == CardKind.MONSTER:
            return _("{points} per tile: {skill}").format(points=points, skill=skill(subject))
        if kind == CardKind.CRYSTAL:
            text = ngettext("{points} per crystal: {colour}", "{points} per {count} crystals: {colour}", per)
            return text.format(points=points, count=per, colour=_(ITEMS[subject]))
        return ngettext("{points} point", "{points} points", points).format(points=points)

    def exchange(self, line: int, direction: int) -> tuple[str, str]:
        """What is given and what is got for it on a line of the trade table."""
        printed = self.components.trade[line]
        left, right = amounts(printed.left.counts), amounts(printed.right.counts)
        return (right, left) if direction else (left, right)


def skill(skill: int) -> str:
    """What an ally is good at, and a monster weak against."""
    return _(SKILLS[skill])


def die(die: int) -> str:
    """A die by its size: "d6"."""
    return sided(SIDES[die])


def sided(sides: int) -> str:
    """A die with so many sides."""
    return _("d{sides}").format(sides=sides)


def square(square: int) -> str:
    """A square, by its level and its number there: "Y1" to "Y8", "B1" to "B8", "R1" to "R12"."""
    level = level_of(square)
    return f"{_(LEVELS[level])}{square - level * LEVEL_SQUARES + 1}"


def target(target: int) -> str:
    """Where a die can be put: "Y3", "Turn order", "Treasure 2"."""
    return _space(target, FIRST_TARGETS)


def spot(spot: int) -> str:
    """Where a die lies, as events tell it: "Y3", "Turn order 1", "Treasure 2"."""
    return _space(spot, FIRST_SPOTS)


def _space(number: int, firsts: Sequence[int]) -> str:
    step = bisect(firsts, number)
    if step == Step.EXCURSION:
        return square(number)
    name, spaces = _(STEPS[Step(step)]), firsts[step] - firsts[step - 1]
    return name if spaces == 1 else f"{name} {number - firsts[step - 1] + 1}"


def amount(item: int, count: int) -> str:
    """Some crystals of a colour, or gold, as somebody gives or takes them."""
    if item == GOLD:
        return _("{count} gold").format(count=count)
    return (
        ngettext("{count} red crystal", "{count} red crystals", count),
        ngettext("{count} blue crystal", "{count} blue crystals", count),
        ngettext("{count} yellow crystal", "{count} yellow crystals", count),
        ngettext("{count} green crystal", "{count} green crystals", count),
        ngettext("{count} white crystal", "{count} white crystals", count),
    )[item].format(count=count)


def amounts(counts: Iterable[int]) -> str:
    """Crystals by colour, red first, then gold."""
    return listed([amount(item, count) for item, count in enumerate(counts) if count]) or _("nothing")


def short(counts: Iterable[int]) -> str:
    """The same in as few letters as possible: "2 red 1 gold"."""
    return " ".join(f"{count} {_(ITEMS[item])}" for item, count in enumerate(counts) if count) or "–"
