"""Names of pieces and places in the current language."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Callable, Iterable, Sequence

from meadhall.games.dungeon_allies.components import (
    COLOUR_NAMES,
    COMPONENTS,
    SKILL_NAMES,
    Components,
    CrystalPoints,
    MonsterPoints,
    Points,
)
from meadhall.games.dungeon_allies.pieces import SIDES, SPOTS, TARGETS, Item, Spot, Target
from meadhall.games.dungeon_allies.state import Step
from meadhall.sdk import gettext as _, listed, marked, ngettext

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


_FIRST_TARGETS = (*map(int, Target), TARGETS)
_FIRST_SPOTS = (*map(int, Spot), SPOTS)


class Names:
    """Names of the pieces and squares of these components. Built-in names are translated, others are used as typed."""

    def __init__(self, components: Components) -> None:
        self.components = components
        self._translate: Callable[[str], str] = _ if components is BUILT_IN else str
        self._levels = components.levels_of_squares

    def ally(self, ally: int) -> str:
        """Return the name of a character or follower."""
        return self._translate(self.components.allies[ally].name)

    def monster(self, monster: int) -> str:
        """Return the name of a monster."""
        return self._translate(self.components.monster[monster].name)

    def card(self, card: int) -> str:
        """Return the name of a sorcerer card."""
        return self._translate(self.components.sorcerer_card[card].name)

    def prisoner(self, space: int) -> str:
        """Return the name of the prisoner on a space."""
        return self._translate(self.components.prisoner_space[space].name)

    def value(self, card: int) -> str:
        """DA-13.2: Return what a card scores points for."""
        return ", ".join(map(_value, self.components.sorcerer_card[card].kinds)) or _("no points")

    def square(self, square: int) -> str:
        """Return the name of a square, by its level and its number there: "Y1", "B8", "R12"."""
        level = self._levels[square]
        return f"{_(LEVELS[level])}{square - self._levels.index(level) + 1}"

    def target(self, target: int) -> str:
        """Return the name of a target: "Y3", "Turn order", "Treasure 2"."""
        return self._space(target, _FIRST_TARGETS)

    def spot(self, spot: int) -> str:
        """Return the name of a spot: "Y3", "Turn order 1", "Treasure 2"."""
        return self._space(spot, _FIRST_SPOTS)

    def _space(self, number: int, firsts: Sequence[int]) -> str:
        step = bisect(firsts, number)
        if step == Step.EXCURSION:
            return self.square(number)
        name, spaces = _(STEPS[Step(step)]), firsts[step] - firsts[step - 1]
        return name if spaces == 1 else f"{name} {number - firsts[step - 1] + 1}"

    def exchange(self, line: int, direction: int) -> tuple[str, str]:
        """Return what a player gives and gets on a line of the trade table."""
        printed = self.components.trade[line]
        left, right = amounts(printed.left.counts), amounts(printed.right.counts)
        return (right, left) if direction else (left, right)


def skill(skill: int) -> str:
    """Return the name of a skill, which is also a weakness of monsters."""
    return _(SKILLS[skill])


def die(die: int) -> str:
    """Return the name of a die by its size: "d6"."""
    return sided(SIDES[die])


def sided(sides: int) -> str:
    """Return the name of a die by its number of sides."""
    return _("d{sides}").format(sides=sides)


def _value(kind: Points) -> str:
    """DA-13.2: Return a kind of points in words."""
    if isinstance(kind, MonsterPoints):
        return _("{points} per tile: {skill}").format(points=kind.points, skill=skill(SKILL_NAMES.index(kind.weakness)))
    if isinstance(kind, CrystalPoints):
        text = ngettext("{points} per crystal: {colour}", "{points} per {count} crystals: {colour}", kind.per)
        return text.format(points=kind.points, count=kind.per, colour=_(ITEMS[COLOUR_NAMES.index(kind.color)]))
    return ngettext("{points} point", "{points} points", kind.points).format(points=kind.points)


def amount(item: int, count: int) -> str:
    """Return a number of crystals of a colour, or of gold: "2 red crystals"."""
    if item == Item.GOLD:
        return _("{count} gold").format(count=count)
    match item:
        case Item.RED:
            text = ngettext("{count} red crystal", "{count} red crystals", count)
        case Item.BLUE:
            text = ngettext("{count} blue crystal", "{count} blue crystals", count)
        case Item.YELLOW:
            text = ngettext("{count} yellow crystal", "{count} yellow crystals", count)
        case Item.GREEN:
            text = ngettext("{count} green crystal", "{count} green crystals", count)
        case _:
            text = ngettext("{count} white crystal", "{count} white crystals", count)
    return text.format(count=count)


def amounts(counts: Iterable[int]) -> str:
    """Return several items as a list: crystals by colour, red first, then gold."""
    return listed([amount(item, count) for item, count in enumerate(counts) if count]) or _("nothing")


def short(counts: Iterable[int]) -> str:
    """Return several items in as few letters as possible: "2 red 1 gold"."""
    return " ".join(f"{count} {_(ITEMS[item])}" for item, count in enumerate(counts) if count) or "–"
