"""Facts about the components of a match, for the lobby and for the rulebook of a table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from meadhall.games.dungeon_allies import names
from meadhall.games.dungeon_allies.components import COMPONENTS, LEVEL_NAMES, Components, components_of
from meadhall.games.dungeon_allies.house_rules import enhance_dice, refills
from meadhall.games.dungeon_allies.names import BUILT_IN
from meadhall.sdk import gettext as _
from meadhall.sdk import listed, ngettext


def facts(options: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return pairs of a heading and a value. The headings are the same for all components."""
    components = components_of(options)
    return [
        (_(COMPONENTS.title), _title(components, COMPONENTS.shown(options["components"]))),
        (_("Squares"), _squares(components)),
        (_("Prisoners"), str(len(components.prisoner_space))),
        (_("Trade lines"), str(len(components.trade))),
        (_("Dice for Enhance"), _dice(options)),
        (_("Sorcerer"), _refill(options)),
        (_("Other values"), listed(list(_changes(components))) or _("as in the built-in components")),
    ]


def at_table(options: Mapping[str, Any]) -> dict[str, str]:
    """DA-1.1, DA-1.4, DA-1.5, DA-10.1, DA-11.3: Return what the rulebook says of these components, by the names it uses."""
    components = components_of(options)
    lines = len(components.trade)
    return {
        "pieces": "built-in" if components is BUILT_IN else "own",
        "title": _title(components, COMPONENTS.shown(options["components"])),
        "dice": _dice(options),
        "squares": _squares(components),
        "lines": ngettext("{count} line", "{count} lines", lines).format(count=lines),
        "cards": "refilled" if refills(options) else "empty",
    }


def _dice(options: Mapping[str, Any]) -> str:
    return listed([names.sided(sides) for sides in enhance_dice(options)]) or _("none")


def _refill(options: Mapping[str, Any]) -> str:
    return _("empty spaces are refilled") if refills(options) else _("empty spaces stay empty")


def _title(components: Components, shown: str) -> str:
    """Return the name that the document gives itself, and the first digits of its hash."""
    if components is BUILT_IN:
        return shown
    return f"{components.name} ({shown})" if components.name else shown


def _squares(components: Components) -> str:
    levels = components.levels_of_squares
    colours = (_("{count} yellow"), _("{count} blue"), _("{count} red"))
    counts = (levels.count(level) for level in range(len(LEVEL_NAMES)))
    return listed([text.format(count=count) for text, count in zip(colours, counts, strict=True) if count])


def _changes(components: Components) -> Iterator[str]:
    """Yield what differs from the built-in components in play, names aside."""
    monsters = _count(components.monster, BUILT_IN.monster, "weakness", "faces")
    if monsters:
        yield ngettext("{count} other monster", "{count} other monsters", monsters).format(count=monsters)
    cards = _count(components.sorcerer_card, BUILT_IN.sorcerer_card, "kinds")
    if cards:
        yield ngettext("{count} other card", "{count} other cards", cards).format(count=cards)
    allies = _count(components.allies, BUILT_IN.allies, "skill")
    if allies:
        yield ngettext("{count} other ally", "{count} other allies", allies).format(count=allies)
    if _count(components.turn_order_space, BUILT_IN.turn_order_space, "crystals"):
        yield _("other gifts of the turn order")
    if _differ(components.prisoner_space, BUILT_IN.prisoner_space, "offering", "reward"):
        yield _("other offerings or rewards")
    if _differ(components.trade, BUILT_IN.trade, "left", "right"):
        yield _("other exchanges")


def _count(found: Sequence[Any], usual: Sequence[Any], *fields: str) -> int:
    """Return how many pieces differ in one of these fields."""
    return sum(
        any(getattr(one, field) != getattr(other, field) for field in fields) for one, other in zip(found, usual, strict=True)
    )


def _differ(found: Sequence[Any], usual: Sequence[Any], *fields: str) -> bool:
    """Return whether two lists differ in length or in one of these fields."""
    return len(found) != len(usual) or _count(found, usual, *fields) > 0
