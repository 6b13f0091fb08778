"""Warnings: values of components that the rules allow, but that make a piece useless or a monster invincible."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from meadhall.games.dungeon_allies.components import (
    COLOUR_NAMES,
    LEVEL_NAMES,
    Components,
    CrystalPoints,
    Items,
    MixedCard,
    MonsterPoints,
)
from meadhall.games.dungeon_allies.pieces import CRYSTALS, DICE, SIDES
from meadhall.sdk import gettext as _


def find_warnings(components: Components, enhance_dice: Sequence[int]) -> Iterator[tuple[str, str]]:
    """Yield the path of each doubtful value and what is wrong with it, in the current language.

    Args:
        components: the components.
        enhance_dice: the sides of the dice that Enhance may add with the options of the match.
    """
    yield from _targets(components, enhance_dice)
    for path, items in _crystals(components):
        for colour, count, limit in zip(COLOUR_NAMES, items.counts, CRYSTALS, strict=False):
            if count > limit:
                yield f"{path}.{colour}", _("there are only {count} of these crystals.").format(count=limit)
    yield from _cards(components)


def _targets(components: Components, enhance_dice: Sequence[int]) -> Iterator[tuple[str, str]]:
    """DA-4.4, DA-4.5: No die counts more than twice its sides, and no size is twice in a fight."""
    sides = sorted({*SIDES[:DICE], *enhance_dice}, reverse=True)
    most, most_of_two = 2 * sum(sides), 2 * sum(sides[:2])
    for index, monster in enumerate(components.monster):
        for level, face in zip(LEVEL_NAMES, monster.faces, strict=True):
            path = f"monster.{index}.{level}.target"
            if face.target > most:
                yield path, _("no roll can beat it: {most} is the most. Only the Hammer of the Gods can.").format(most=most)
            elif face.target > most_of_two:
                yield path, _("no pair of dice can beat it: {most} is the most of two.").format(most=most_of_two)
            elif face.target <= 1:
                yield path, _("every roll beats it.")


def _crystals(components: Components) -> Iterator[tuple[str, Items]]:
    """DA-1.6: Yield all that players pay and get, with its path."""
    parts = {"prisoner_space": ("offering", "reward"), "trade": ("left", "right"), "turn_order_space": ("crystals",)}
    for name, sides in parts.items():
        for index, piece in enumerate(getattr(components, name)):
            yield from ((f"{name}.{index}.{side}", getattr(piece, side)) for side in sides)


def _cards(components: Components) -> Iterator[tuple[str, str]]:
    """DA-13.2: A card that counts what no player can have."""
    weaknesses = {monster.weakness for monster in components.monster}
    for index, card in enumerate(components.sorcerer_card):
        for number, kind in enumerate(card.kinds):
            path = f"sorcerer_card.{index}" + (f".scores.{number}" if isinstance(card, MixedCard) else "")
            if isinstance(kind, MonsterPoints) and kind.weakness not in weaknesses:
                yield f"{path}.weakness", _("it never scores: no monster has this weakness.")
            elif isinstance(kind, CrystalPoints) and kind.per > (limit := CRYSTALS[COLOUR_NAMES.index(kind.color)]):
                yield f"{path}.per", _("it never scores: there are only {count} of these crystals.").format(count=limit)
