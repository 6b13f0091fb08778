"""The components: the values on boards, tiles and cards, from ``components.toml`` or from a player's own document."""

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
from meadhall.games.dungeon_allies.pieces import (
    CARDS,
    CHARACTERS,
    CRYSTALS,
    DISPLAY,
    FOLLOWERS,
    LEVEL_SQUARES,
    LEVELS,
    MONSTERS,
    PRISONERS,
    SEATS,
    SIDES,
    SQUARES,
    TRACK,
    TRADES,
    TRAINER_SPACES,
    CardKind,
)
from meadhall.games.dungeon_allies.state import MAX_TURNS, ROUND_ENDS, level_of

COLOUR_NAMES = ("red", "blue", "yellow", "green", "white")
ITEM_NAMES = (*COLOUR_NAMES, "gold")
SKILL_NAMES = ("fire", "water", "nature", "potions", "amulet", "ranged", "melee", "armor")
LEVEL_NAMES = ("yellow", "blue", "red")

Skill = Literal["fire", "water", "nature", "potions", "amulet", "ranged", "melee", "armor"]
Colour = Literal["red", "blue", "yellow", "green", "white"]
Id = Annotated[str, Meta(pattern="^[a-z][a-z0-9_]{0,39}$")]
Name = Annotated[str, Meta(min_length=1, max_length=40, pattern=r"^\S(.*\S)?$")]
Count = Annotated[int, Meta(ge=0, le=24)]


class _Part(msgspec.Struct, forbid_unknown_fields=True):
    """Part of a document. Unknown fields are errors."""


class Items(_Part):
    """Crystals by colour, and gold."""

    red: Count = 0
    blue: Count = 0
    yellow: Count = 0
    green: Count = 0
    white: Count = 0
    gold: Count = 0

    @property
    def counts(self) -> tuple[int, ...]:
        """Return how many of each there are, in the order of ``ITEM_NAMES``."""
        return tuple(getattr(self, item) for item in ITEM_NAMES)


class TrackSpace(_Part):
    """DA-5.1: A space of the turn order."""

    position: int
    crystals: Items


class Prisoner(_Part):
    """DA-9.1: A prisoner with their offering and reward."""

    name: Name
    offering: Items
    reward: Items


class TradeLine(_Part):
    """DA-10.1: A line of the trade table. Each side buys the other."""

    left: Items
    right: Items


class Square(_Part):
    """DA-1.5: An excursion square."""

    level: Literal["yellow", "blue", "red"]
    board: str = ""


class Ally(_Part):
    """DA-1.2: A character or a follower."""

    id: Id
    name: Name
    skill: Skill


class Face(_Part):
    """DA-4.4: A monster's numbers on one level."""

    target: Annotated[int, Meta(ge=1, le=99)]
    gold: Annotated[int, Meta(ge=0, le=20)]


class Monster(_Part):
    """A monster tile."""

    id: Id
    name: Name
    weakness: Skill
    yellow: Face
    blue: Face
    red: Face

    @property
    def faces(self) -> tuple[Face, Face, Face]:
        """Return the faces by level."""
        return self.yellow, self.blue, self.red


class _Card(_Part):
    id: Id
    name: Name
    points: Annotated[int, Meta(ge=0, le=30)]


class MonsterCard(_Card, tag_field="kind", tag="monster"):
    """DA-13.2: Points for each kept tile with the weakness."""

    weakness: Skill

    @property
    def codes(self) -> tuple[int, int, int, int]:
        """Return kind, subject, per and points, as the state stores them."""
        return CardKind.MONSTER, SKILL_NAMES.index(self.weakness), 1, self.points


class CrystalCard(_Card, tag_field="kind", tag="crystal"):
    """DA-13.2: Points for every full ``per`` crystals of the colour."""

    color: Colour
    per: Annotated[int, Meta(ge=1, le=24)]

    @property
    def codes(self) -> tuple[int, int, int, int]:
        """Return kind, subject, per and points, as the state stores them."""
        return CardKind.CRYSTAL, COLOUR_NAMES.index(self.color), self.per, self.points


class FixedCard(_Card, tag_field="kind", tag="fixed"):
    """DA-13.2: Points for owning the card."""

    @property
    def codes(self) -> tuple[int, int, int, int]:
        """Return kind, subject, per and points, as the state stores them."""
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
"""Tables that a document may repeat from the rules but can't change."""


class Components(_Part, eq=False):
    """All values on the pieces, as in ``components.toml``. Tables that only repeat the rules are optional.

    Compared by identity, so that caches can use it as a key.
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
        """Return characters, then followers, as the state numbers them."""
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
"""DA-1.1: The number of entries in each table."""


def find_errors(components: Components) -> Iterator[tuple[str, str]]:
    """Yield errors as path and reason: wrong numbers of entries, repeated names, contradictions to the rules."""
    for field, value in RULES.items():
        if getattr(components, field) is not None:
            yield from _differences(f"$.{field}", getattr(components, field), value)
    for field, count in COUNTS.items():
        found = getattr(components, field)
        if found is not None and len(found) != count:
            first_too_many = f"[{count}]" if len(found) > count else ""
            yield f"$.{field}{first_too_many}", f"expected {count} entries, found {len(found)}"
    for fields in (("character", "follower"), ("monster",), ("sorcerer_card",)):
        yield from _repeated(components, fields)
    yield from _wrong_print(components)


def _differences(path: str, found: Any, wanted: Any) -> Iterator[tuple[str, str]]:
    if isinstance(wanted, dict) and isinstance(found, dict):
        for key, value in found.items():
            if key in wanted:
                yield from _differences(f"{path}.{key}", value, wanted[key])
            else:
                yield f"{path}.{key}", "unknown key"
    elif found != wanted or type(found) is not type(wanted):
        yield path, f"the rules fix this to {wanted!r}, not {found!r}"


def _repeated(components: Components, fields: Sequence[str]) -> Iterator[tuple[str, str]]:
    for attribute in ("id", "name"):
        seen = set()
        for field in fields:
            for index, piece in enumerate(getattr(components, field)):
                value = getattr(piece, attribute)
                if value in seen:
                    yield f"$.{field}[{index}].{attribute}", f"{value!r} appears twice"
                seen.add(value)


def _wrong_print(components: Components) -> Iterator[tuple[str, str]]:
    for index, space in enumerate(components.turn_order_space):
        if space.position != index + 1:
            yield f"$.turn_order_space[{index}].position", f"expected {index + 1}, not {space.position}: spaces are in order"
    for index, square in enumerate(components.excursion_square or []):
        level = LEVEL_NAMES[level_of(index)]
        if square.level != level:
            counts = f"{LEVEL_SQUARES} yellow, {LEVEL_SQUARES} blue, the rest red"
            yield f"$.excursion_square[{index}].level", f"expected {level}, not {square.level}: the squares are {counts}"
    for skill, count in Counter(ally.skill for ally in components.character).items():
        if count > SEATS:
            yield "$.character", f"{count} characters have the skill {skill}: one of {SEATS} players would have two of them"
    for index, line in enumerate(components.trade):
        for side in ("left", "right"):
            items = getattr(line, side)
            if items.gold or not any(items.counts):
                yield f"$.trade[{index}].{side}", "each side needs at least one crystal, and no gold"
    lines = [np.subtract(line.right.counts, line.left.counts) for line in components.trade]
    if np.linalg.matrix_rank(np.array(lines)) < len(lines):
        yield "$.trade", "the lines depend on each other: a player could trade in circles (DA-10.2)"


def encode(components: Components) -> tuple[int, ...]:
    """Return the integers for the rules: the fields of the state from ``target`` to ``card_points``, one after the other."""
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
    marked("The values on the tiles, cards and boards."),
    Path(__file__).with_name("components.toml"),
    Components,
    find_errors,
    encode,
)


def components_of(options: Mapping[str, Any]) -> Components:
    """Return the components of a match with these options."""
    return COMPONENTS.of(options["components"])
