"""The components: the values on boards, tiles and cards, from ``components.toml`` or from a player's own document."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
import numpy as np
from msgspec import Meta

from meadhall.games.dungeon_allies.pieces import (
    CARDS,
    CHARACTERS,
    COLOURS,
    CRYSTALS,
    DICE,
    DISPLAY,
    FOLLOWERS,
    ITEMS,
    LEVELS,
    MONSTERS,
    PRISONERS,
    SEATS,
    SIDES,
    SQUARES,
    TRACK,
    TRADES,
    TRAINER_SPACES,
)
from meadhall.games.dungeon_allies.state import MAX_TURNS, ROUND_ENDS
from meadhall.sdk import Document, marked

COLOUR_NAMES = ("red", "blue", "yellow", "green", "white")
ITEM_NAMES = (*COLOUR_NAMES, "gold")
SKILL_NAMES = ("fire", "water", "nature", "potions", "amulet", "ranged", "melee", "armor")
LEVEL_NAMES = ("yellow", "blue", "red")

Skill = Literal["fire", "water", "nature", "potions", "amulet", "ranged", "melee", "armor"]
Colour = Literal["red", "blue", "yellow", "green", "white"]
Level = Literal["yellow", "blue", "red"]
Name = Annotated[str, Meta(min_length=1, max_length=60, pattern=r"^\S(.*\S)?$")]
Count = Annotated[int, Meta(ge=0, le=99)]


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

    level: Level
    board: str = ""


class Ally(_Part):
    """DA-1.2: A character or a follower."""

    id: Name
    name: Name
    skill: Skill


class Face(_Part):
    """DA-4.4: A monster's numbers on one level."""

    target: Count
    gold: Count


class Monster(_Part):
    """A monster tile."""

    id: Name
    name: Name
    weakness: Skill
    yellow: Face
    blue: Face
    red: Face

    @property
    def faces(self) -> tuple[Face, Face, Face]:
        """Return the faces by level."""
        return self.yellow, self.blue, self.red


class MonsterPoints(_Part, tag_field="kind", tag="monster"):
    """DA-13.2: Points for each kept tile with the weakness."""

    weakness: Skill
    points: Count


class CrystalPoints(_Part, tag_field="kind", tag="crystal"):
    """DA-13.2: Points for every full ``per`` crystals of the colour."""

    color: Colour
    per: Annotated[int, Meta(ge=1, le=99)]
    points: Count


class FixedPoints(_Part, tag_field="kind", tag="fixed"):
    """DA-13.2: Points for owning the card."""

    points: Count


Points = MonsterPoints | CrystalPoints | FixedPoints


class _Card(_Part):
    id: Name
    name: Name

    @property
    def kinds(self) -> tuple[Points, ...]:
        """Return the kinds of points that the card scores."""
        raise NotImplementedError


class MonsterCard(_Card, tag_field="kind", tag="monster"):
    """A card that scores points for tiles only."""

    weakness: Skill
    points: Count

    @property
    def kinds(self) -> tuple[Points, ...]:
        """Return the one kind."""
        return (MonsterPoints(self.weakness, self.points),)


class CrystalCard(_Card, tag_field="kind", tag="crystal"):
    """A card that scores points for crystals only."""

    color: Colour
    per: Annotated[int, Meta(ge=1, le=99)]
    points: Count

    @property
    def kinds(self) -> tuple[Points, ...]:
        """Return the one kind."""
        return (CrystalPoints(self.color, self.per, self.points),)


class FixedCard(_Card, tag_field="kind", tag="fixed"):
    """A card that scores fixed points only."""

    points: Count

    @property
    def kinds(self) -> tuple[Points, ...]:
        """Return the one kind."""
        return (FixedPoints(self.points),)


class MixedCard(_Card, tag_field="kind", tag="mixed"):
    """A card that scores any number of kinds of points together, or none."""

    scores: list[Points]

    @property
    def kinds(self) -> tuple[Points, ...]:
        """Return the kinds in the order of the document."""
        return tuple(self.scores)


Card = MonsterCard | CrystalCard | FixedCard | MixedCard

RULES: Mapping[str, Any] = {
    "schema": 1,
    "game": "dungeon-allies",
    "min_players": 2,
    "max_players": SEATS,
    "crystal_colors": list(COLOUR_NAMES),
    "skills": list(SKILL_NAMES),
    "levels": list(LEVEL_NAMES),
    "supply": {"gold_tokens": 60, "gold_limited": False, "crystals": dict(zip(COLOUR_NAMES, CRYSTALS, strict=True))},
    "dice": {"tokens_per_player": list(SIDES[:DICE]), "start_tokens": list(SIDES[:2])},
    "rounds": {"ends_at_removed": [*ROUND_ENDS, SQUARES]},
    "spells": {"illuminate": "red", "reroll": "blue", "bless": "yellow", "enhance": "green", "hammer": "white"},
    "sorcerer": {"display": DISPLAY, "cost_by_round": ["blue", "yellow", "green"]},
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
"""Values of the rules. A document may repeat them but not change them."""

FREE: Mapping[str, Mapping[str, Any]] = {
    "dice": {"enhance_dice": list(SIDES[:DICE])},
    "sorcerer": {"refill": True},
}
"""Values beside them that a document may choose, with their defaults."""

ROW = 4
"""Squares in a row of the dungeon."""

BUILT_IN_LEVELS = (*["yellow"] * 8, *["blue"] * 8, *["red"] * 12)
"""DA-1.5: The levels of the squares in a document without squares."""


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
    name: Name = ""
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

    @property
    def cells(self) -> list[int]:
        """Return the cell of every square in rows of ``ROW``. Each level begins a row."""
        levels, cell, found = self.levels_of_squares, -1, list[int]()
        for square in range(SQUARES):
            begins = square > 0 and levels[square] != levels[square - 1]
            cell = ROW * -(-(cell + 1) // ROW) if begins else cell + 1
            found.append(cell)
        return found

    @property
    def levels_of_squares(self) -> list[int]:
        """DA-1.5: Return the level of every square: 0 yellow, 1 blue, 2 red."""
        squares = self.excursion_square
        names = BUILT_IN_LEVELS if squares is None else [square.level for square in squares]
        return [LEVEL_NAMES.index(name) for name in names]

    @property
    def enhance_dice(self) -> list[int]:
        """DA-1.4: Return the sides of the dice that Enhance may add."""
        return list((self.dice or {}).get("enhance_dice", FREE["dice"]["enhance_dice"]))

    @property
    def refill(self) -> bool:
        """DA-11.3: Return whether empty sorcerer spaces are filled again."""
        return bool((self.sorcerer or {}).get("refill", FREE["sorcerer"]["refill"]))


COUNTS = {
    "turn_order_space": (TRACK, TRACK),
    "prisoner_space": (1, PRISONERS),
    "trade": (0, COLOURS),
    "character": (CHARACTERS, CHARACTERS),
    "follower": (FOLLOWERS, FOLLOWERS),
    "monster": (MONSTERS, MONSTERS),
    "sorcerer_card": (CARDS, CARDS),
    "excursion_square": (SQUARES, SQUARES),
}
"""DA-1.1, DA-9.1, DA-10.1: The smallest and the largest number of entries in each table.

More trade lines than colours would depend on each other (DA-10.2).
"""


def find_errors(components: Components) -> Iterator[tuple[str, str]]:
    """Yield errors as path and reason: wrong numbers of entries, repeated ids, contradictions to the rules."""
    for field, value in RULES.items():
        if getattr(components, field) is not None:
            yield from _differences(f"$.{field}", getattr(components, field), value, FREE.get(field, {}))
    for field, (least, most) in COUNTS.items():
        found = getattr(components, field)
        if found is not None and not least <= len(found) <= most:
            first_too_many = f"[{most}]" if len(found) > most else ""
            wanted = f"{most}" if least == most else f"{least} to {most}"
            yield f"$.{field}{first_too_many}", f"expected {wanted} entries, found {len(found)}"
    for fields in (("character", "follower"), ("monster",), ("sorcerer_card",)):
        yield from _repeated_ids(components, fields)
    yield from _wrong_choices(components)
    yield from _wrong_squares(components)
    yield from _wrong_cards(components)
    yield from _wrong_print(components)


def _differences(path: str, found: Any, wanted: Any, free: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    if isinstance(wanted, dict) and isinstance(found, dict):
        for key, value in found.items():
            if key in wanted:
                yield from _differences(f"{path}.{key}", value, wanted[key], {})
            elif key not in free:
                yield f"{path}.{key}", "unknown key"
    elif found != wanted or type(found) is not type(wanted):
        yield path, f"the rules fix this to {wanted!r}, not {found!r}"


def _repeated_ids(components: Components, fields: Sequence[str]) -> Iterator[tuple[str, str]]:
    seen = set()
    for field in fields:
        for index, piece in enumerate(getattr(components, field)):
            if piece.id in seen:
                yield f"$.{field}[{index}].id", f"{piece.id!r} appears twice"
            seen.add(piece.id)


def _wrong_choices(components: Components) -> Iterator[tuple[str, str]]:
    dice = (components.dice or {}).get("enhance_dice", [])
    sizes = ", ".join(map(str, SIDES))
    if not isinstance(dice, list) or any(type(sides) is not int or sides not in SIDES for sides in dice):
        yield "$.dice.enhance_dice", f"expected a list of some of {sizes}, not {dice!r}"
    elif len(set(dice)) < len(dice):
        yield "$.dice.enhance_dice", f"a size appears twice in {dice!r}"
    refill = (components.sorcerer or {}).get("refill", True)
    if type(refill) is not bool:
        yield "$.sorcerer.refill", f"expected true or false, not {refill!r}"


def _wrong_squares(components: Components) -> Iterator[tuple[str, str]]:
    before = 0
    for index, level in enumerate(components.levels_of_squares):
        if level < before:
            found, last = LEVEL_NAMES[level], LEVEL_NAMES[before]
            yield f"$.excursion_square[{index}].level", f"{found} after {last}: the order is yellow, blue, red"
        before = level


def _wrong_cards(components: Components) -> Iterator[tuple[str, str]]:
    for index, card in enumerate(components.sorcerer_card):
        seen = set()
        for number, kind in enumerate(card.kinds):
            counted = _counted(kind)
            if counted in seen:
                yield f"$.sorcerer_card[{index}].scores[{number}]", f"the card scores {counted} twice: use one entry for them"
            seen.add(counted)


def _counted(kind: Points) -> str:
    """Return what a kind of points counts, for an error."""
    match kind:
        case MonsterPoints():
            return f"{kind.weakness} tiles"
        case CrystalPoints():
            return f"{kind.color} crystals"
        case FixedPoints():
            return "fixed points"


def _wrong_print(components: Components) -> Iterator[tuple[str, str]]:
    for index, space in enumerate(components.turn_order_space):
        if space.position != index + 1:
            yield f"$.turn_order_space[{index}].position", f"expected {index + 1}, not {space.position}: spaces are in order"
    for skill, count in Counter(ally.skill for ally in components.character).items():
        if count > SEATS:
            yield "$.character", f"{count} characters have the skill {skill}: one of {SEATS} players would have two of them"
    for index, line in enumerate(components.trade):
        for side in ("left", "right"):
            if getattr(line, side).gold:
                yield f"$.trade[{index}].{side}.gold", "gold can't be traded, only crystals can"
    lines = [np.subtract(line.right.counts, line.left.counts) for line in components.trade]
    if lines and np.linalg.matrix_rank(np.array(lines)) < len(lines):
        yield "$.trade", "the lines depend on each other: a player could trade in circles (DA-10.2)"


def encode(components: Components) -> tuple[int, ...]:
    """Return the integers for the rules: the fields of the state from ``target`` to ``fixed_points``, one after the other."""
    monsters, allies = components.monster, components.allies
    tiles, crystals, per, fixed = _points_of_cards(components)
    fields: list[Any] = [
        [[monster.faces[level].target for monster in monsters] for level in range(LEVELS)],
        [[monster.faces[level].gold for monster in monsters] for level in range(LEVELS)],
        [SKILL_NAMES.index(monster.weakness) for monster in monsters],
        [SKILL_NAMES.index(ally.skill) for ally in allies],
        [space.crystals.counts for space in components.turn_order_space],
        components.levels_of_squares,
        len(components.prisoner_space),
        _padded([prisoner.offering.counts for prisoner in components.prisoner_space], PRISONERS, ITEMS),
        _padded([prisoner.reward.counts for prisoner in components.prisoner_space], PRISONERS, ITEMS),
        len(components.trade),
        _padded([side.counts[:-1] for line in components.trade for side in (line.left, line.right)], 2 * TRADES, COLOURS),
        [sides in components.enhance_dice for sides in SIDES],
        components.refill,
        *(tiles, crystals, per, fixed),
    ]
    return tuple(int(value) for field in fields for value in np.ravel(field))


def _padded(rows: Sequence[Sequence[int]], count: int, columns: int) -> Sequence[Sequence[int]]:
    """Return the rows, filled up with rows of zeros."""
    return [*rows, *[[0] * columns] * (count - len(rows))]


def _points_of_cards(components: Components) -> tuple[Any, Any, Any, Any]:
    """DA-13.2: Return the points by card and weakness, those by card and colour with ``per``, and the fixed ones by card."""
    tiles = np.zeros((CARDS, len(SKILL_NAMES)), np.int64)
    crystals, per = np.zeros((CARDS, COLOURS), np.int64), np.ones((CARDS, COLOURS), np.int64)
    fixed = np.zeros(CARDS, np.int64)
    for card, printed in enumerate(components.sorcerer_card):
        for kind in printed.kinds:
            match kind:
                case MonsterPoints():
                    tiles[card, SKILL_NAMES.index(kind.weakness)] = kind.points
                case CrystalPoints():
                    crystals[card, COLOUR_NAMES.index(kind.color)] = kind.points
                    per[card, COLOUR_NAMES.index(kind.color)] = kind.per
                case FixedPoints():
                    fixed[card] = kind.points
    return tiles, crystals, per, fixed


FIELDS = {
    "name": marked("name"),
    **dict.fromkeys(("id", "position", "board"), ""),
    "excursion_square": marked("Squares"),
    "level": marked("level"),
    "monster": marked("Monsters"),
    "weakness": marked("weakness"),
    "target": marked("target"),
    "prisoner_space": marked("Prisoners"),
    "offering": marked("offering"),
    "reward": marked("reward"),
    "trade": marked("Trade lines"),
    "left": marked("left side"),
    "right": marked("right side"),
    "turn_order_space": marked("Gifts of the turn order"),
    "crystals": marked("gift"),
    "character": marked("Characters"),
    "follower": marked("Followers"),
    "skill": marked("skill"),
    "sorcerer_card": marked("Sorcerer cards"),
    "kind": marked("counts"),
    "kind=monster": marked("monster tiles"),
    "kind=crystal": marked("crystals"),
    "kind=fixed": marked("itself"),
    "kind=mixed": marked("several things"),
    "scores": marked("what it counts"),
    "color": marked("colour"),
    "per": marked("crystals in a set"),
    "points": marked("points"),
    "monster.*": marked("Every monster"),
    "prisoner_space.*": marked("Every prisoner"),
    "trade.*": marked("Every trade line"),
    "turn_order_space.*": marked("Every space of the turn order"),
    "character.*": marked("Every character"),
    "follower.*": marked("Every follower"),
    "sorcerer_card.*": marked("Every sorcerer card"),
    "excursion_square.*": marked("Every square"),
    "dice.enhance_dice": marked("Dice for Enhance"),
    "sorcerer.refill": marked("Refill at the sorcerer"),
    **{name: name for name in (*SKILL_NAMES, *ITEM_NAMES)},
}
"""The words of the fields and values of a document. The names of skills and items are words already."""

COMPONENTS = Document(
    "components",
    marked("The values on the tiles, cards and boards."),
    Path(__file__).with_name("components.toml"),
    Components,
    find_errors,
    encode,
    title=marked("Components"),
    words=FIELDS,
    sizes=COUNTS,
)


def components_of(options: Mapping[str, Any]) -> Components:
    """Return the components of a match with these options."""
    return COMPONENTS.of(options["components"])
