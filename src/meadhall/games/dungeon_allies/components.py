"""Dungeon Allies: what is printed on the boards, tiles and cards, from ``components.toml`` or from a document like it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
import numpy as np
from msgspec import Meta

from meadhall.engine.language import marked
from meadhall.engine.options import Document
from meadhall.games.dungeon_allies.state import (
    CARDS,
    CHARACTERS,
    CRYSTALS,
    DISPLAY,
    FOLLOWERS,
    LEVEL_SQUARES,
    LEVELS,
    MAX_TURNS,
    MONSTERS,
    PRISONERS,
    ROUND_ENDS,
    SEATS,
    SIDES,
    SQUARES,
    TRACK,
    TRADES,
    TRAINER_SPACES,
    CardKind,
    level_of,
)

COLOUR_NAMES = ("red", "blue", "yellow", "green", "white")
ITEM_NAMES = (*COLOUR_NAMES, "gold")
SKILL_NAMES = ("fire", "water", "nature", "potions", "amulet", "ranged", "melee", "armor")
LEVEL_NAMES = ("yellow", "blue", "red")

Skill = Literal["fire", "water", "nature", "potions", "amulet", "ranged", "melee", "armor"]
Colour = Literal["red", "blue", "yellow", "green", "white"]
Id = Annotated[str, Meta(pattern="^[a-z][a-z0-9_]{0,39}$")]
Name = Annotated[str, Meta(min_length=1, max_length=40, pattern=r"^\S(.*\S)?$")]
Count = Annotated[int, Meta(ge=0, le=24)]


class _Printed(msgspec.Struct, forbid_unknown_fields=True):
    """Something with print on it; what isn't written down here is refused."""


class Items(_Printed):
    """Crystals by colour, and gold."""

    red: Count = 0
    blue: Count = 0
    yellow: Count = 0
    green: Count = 0
    white: Count = 0
    gold: Count = 0

    @property
    def counts(self) -> tuple[int, ...]:
        """How many of each, in the order of ``ITEM_NAMES``."""
        return tuple(getattr(self, item) for item in ITEM_NAMES)


class TrackSpace(_Printed):
    """DA-5.1: a space of the turn order."""

    position: int
    crystals: Items


class Prisoner(_Printed):
    """DA-9.1: what is asked, and what is given for it."""

    name: Name
    offering: Items
    reward: Items


class TradeLine(_Printed):
    """DA-10.1: each side buys the other."""

    left: Items
    right: Items


class Square(_Printed):
    """DA-1.5: an excursion square."""

    level: Literal["yellow", "blue", "red"]
    board: str = ""


class Ally(_Printed):
    """DA-1.2: a character or a follower."""

    id: Id
    name: Name
    skill: Skill


class Face(_Printed):
    """DA-4.4: a monster's numbers on one level."""

    target: Annotated[int, Meta(ge=1, le=99)]
    gold: Annotated[int, Meta(ge=0, le=20)]


class Monster(_Printed):
    """A monster tile."""

    id: Id
    name: Name
    weakness: Skill
    yellow: Face
    blue: Face
    red: Face

    @property
    def faces(self) -> tuple[Face, Face, Face]:
        """By level."""
        return self.yellow, self.blue, self.red


class _Card(_Printed):
    id: Id
    name: Name
    points: Annotated[int, Meta(ge=0, le=30)]


class MonsterCard(_Card, tag_field="kind", tag="monster"):
    """DA-13.2: points for each kept tile with the weakness."""

    weakness: Skill

    @property
    def codes(self) -> tuple[int, int, int, int]:
        """Kind, subject, per and points, as the state has them."""
        return CardKind.MONSTER, SKILL_NAMES.index(self.weakness), 1, self.points


class CrystalCard(_Card, tag_field="kind", tag="crystal"):
    """DA-13.2: points for every full ``per`` crystals of the colour."""

    color: Colour
    per: Annotated[int, Meta(ge=1, le=24)]

    @property
    def codes(self) -> tuple[int, int, int, int]:
        """Kind, subject, per and points, as the state has them."""
        return CardKind.CRYSTAL, COLOUR_NAMES.index(self.color), self.per, self.points


class FixedCard(_Card, tag_field="kind", tag="fixed"):
    """DA-13.2: points for having it."""

    @property
    def codes(self) -> tuple[int, int, int, int]:
        """Kind, subject, per and points, as the state has them."""
        return CardKind.FIXED, 0, 1, self.points


Card = MonsterCard | CrystalCard | FixedCard

RULES: Mapping[str, Any] = {
    "schema": 1,
    "game": "dungeon-allies",
    "min_players": 2,
    "max_players": SEATS,
    "crystal_colors": list(COLOUR_NAMES),
    "skills": list(SKILL_NAMES),
    "levels": list(LEVEL_NAMES),
    "supply": {"gold_tokens": 60, "gold_limited": False, "crystals": dict(zip(COLOUR_NAMES, CRYSTALS, strict=True))},
    "dice": {"tokens_per_player": list(SIDES), "start_tokens": list(SIDES[:2]), "enhance_dice": list(SIDES)},
    "rounds": {"ends_at_removed": [*ROUND_ENDS, SQUARES]},
    "spells": {"illuminate": "red", "reroll": "blue", "bless": "yellow", "enhance": "green", "hammer": "white"},
    "sorcerer": {"display": DISPLAY, "cost_by_round": ["blue", "yellow", "green"], "refill": True},
    "trainer": {"spaces": TRAINER_SPACES},
    "treasure": {
        "crystal_spaces": 4,
        "gold_spaces": 1,
        "guarded_colors": ["green", "white"],
        "gold_always_guarded": True,
        "gold_per_turn": 1,
    },
    "limits": {"max_turns": MAX_TURNS},
}
"""What a document may say of the rules, but can't change."""


class Components(_Printed, eq=False):
    """All that is printed: what ``components.toml`` holds. Tables that only repeat the rules may be left out.

    Each is equal to itself alone, so that what is made of it can be kept by it.
    """

    turn_order_space: list[TrackSpace]
    prisoner_space: list[Prisoner]
    trade: list[TradeLine]
    character: list[Ally]
    follower: list[Ally]
    monster: list[Monster]
    sorcerer_card: list[Card]
    excursion_square: list[Square] | None = None
    schema: Any = None
    game: Any = None
    min_players: Any = None
    max_players: Any = None
    crystal_colors: Any = None
    skills: Any = None
    levels: Any = None
    supply: Any = None
    dice: Any = None
    rounds: Any = None
    spells: Any = None
    sorcerer: Any = None
    trainer: Any = None
    treasure: Any = None
    limits: Any = None

    @property
    def allies(self) -> list[Ally]:
        """Characters, then followers, as the state numbers them."""
        return self.character + self.follower


COUNTS = {
    "turn_order_space": TRACK,
    "prisoner_space": PRISONERS,
    "trade": TRADES,
    "character": CHARACTERS,
    "follower": FOLLOWERS,
    "monster": MONSTERS,
    "sorcerer_card": CARDS,
    "excursion_square": SQUARES,
}
"""DA-1.1: how many there are of each."""


def objections(components: Components) -> Iterator[tuple[str, str]]:
    """What is wrong with components, by path: their number, names given twice, what contradicts the rules."""
    for field, value in RULES.items():
        if getattr(components, field) is not None:
            yield from _differences(f"$.{field}", getattr(components, field), value)
    for field, count in COUNTS.items():
        found = getattr(components, field)
        if found is not None and len(found) != count:
            first_too_many = f"[{count}]" if len(found) > count else ""
            yield f"$.{field}{first_too_many}", f"there are {count} in the rules, {len(found)} here"
    for fields in (("character", "follower"), ("monster",), ("sorcerer_card",)):
        yield from _repeated(components, fields)
    yield from _printed_wrongly(components)


def _differences(path: str, found: Any, wanted: Any) -> Iterator[tuple[str, str]]:
    if isinstance(wanted, dict) and isinstance(found, dict):
        for key, value in found.items():
            if key in wanted:
                yield from _differences(f"{path}.{key}", value, wanted[key])
            else:
                yield f"{path}.{key}", "the rules know nothing of it"
    elif found != wanted or type(found) is not type(wanted):
        yield path, f"the rules say {wanted!r}, not {found!r}"


def _repeated(components: Components, fields: Sequence[str]) -> Iterator[tuple[str, str]]:
    for attribute in ("id", "name"):
        known = set()
        for field in fields:
            for index, piece in enumerate(getattr(components, field)):
                value = getattr(piece, attribute)
                if value in known:
                    yield f"$.{field}[{index}].{attribute}", f"{value!r} is there twice"
                known.add(value)


def _printed_wrongly(components: Components) -> Iterator[tuple[str, str]]:
    for index, space in enumerate(components.turn_order_space):
        if space.position != index + 1:
            yield f"$.turn_order_space[{index}].position", f"the spaces come in order: {index + 1}, not {space.position}"
    for index, square in enumerate(components.excursion_square or []):
        level = LEVEL_NAMES[level_of(index)]
        if square.level != level:
            counts = f"{LEVEL_SQUARES} yellow, {LEVEL_SQUARES} blue, the rest red"
            yield f"$.excursion_square[{index}].level", f"{level} is needed here ({counts}), not {square.level}"
    for skill, count in Counter(ally.skill for ally in components.character).items():
        if count > SEATS:
            yield "$.character", f"{count} characters with {skill}: somebody of {SEATS} players would have two"
    for index, line in enumerate(components.trade):
        for side in ("left", "right"):
            items = getattr(line, side)
            if items.gold or not any(items.counts):
                yield f"$.trade[{index}].{side}", "each side is one crystal or more"
    lines = [np.subtract(line.right.counts, line.left.counts) for line in components.trade]
    if np.linalg.matrix_rank(np.array(lines)) < len(lines):
        yield "$.trade", "the lines depend on each other: somebody could trade round and round (DA-10.2)"


def codes(components: Components) -> tuple[int, ...]:
    """What the state holds of them: its fields from ``target`` to ``card_points``, one after the other."""
    monsters, allies, cards = components.monster, components.allies, [card.codes for card in components.sorcerer_card]
    fields: list[Any] = [
        [[monster.faces[level].target for monster in monsters] for level in range(LEVELS)],
        [[monster.faces[level].gold for monster in monsters] for level in range(LEVELS)],
        [SKILL_NAMES.index(monster.weakness) for monster in monsters],
        [SKILL_NAMES.index(ally.skill) for ally in allies],
        [space.crystals.counts for space in components.turn_order_space],
        [prisoner.offering.counts for prisoner in components.prisoner_space],
        [prisoner.reward.counts for prisoner in components.prisoner_space],
        [side.counts[:-1] for line in components.trade for side in (line.left, line.right)],
        *([card[k] for card in cards] for k in range(4)),
    ]
    return tuple(int(value) for field in fields for value in np.ravel(field))


COMPONENTS = Document(
    "components",
    marked("What stands on the tiles, cards and boards."),
    Path(__file__).with_name("components.toml"),
    Components,
    objections,
    codes,
)


def components_of(options: Mapping[str, Any]) -> Components:
    """What a match with these options is played with."""
    return COMPONENTS.of(options["components"])
