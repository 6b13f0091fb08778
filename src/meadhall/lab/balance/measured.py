"""What was measured: the cells of a report with their figures, as data that JSON holds and a program reads back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from difflib import get_close_matches
from functools import cached_property
from typing import Any, Literal, Self, TypeAlias, TypeVar, get_type_hints

import msgspec
import numpy as np

from meadhall.engine.compute.bulk import Floats
from meadhall.engine.errors import BadSetup
from meadhall.engine.game import Game
from meadhall.engine.registry import game
from meadhall.engine.text.language import marked
from meadhall.lab.balance.definitions import DEFINITIONS
from meadhall.lab.balance.figures import Column, Columns, Figure
from meadhall.lab.balance.tasks import Depth
from meadhall.lab.words import seed_in_json

Ended: TypeAlias = Literal["complete", "time", "interrupted"]

Key: TypeAlias = tuple[str, int, str]
"""A variant, a number of players, and a bot."""

EXAMPLES: Mapping[str, str] = {
    "comeback": marked("the widest comeback"),
    "lead_changes": marked("the most changes of the lead"),
    "flat": marked("decided the earliest"),
    "longest": marked("the longest"),
    "shortest": marked("the shortest"),
    "close": marked("the closest by points"),
    "rare": marked("with the piece that is acquired least"),
}
"""Why a match is worth watching; messages for gettext."""


@dataclass(frozen=True)
class Example:
    """A match that is worth watching.

    Attributes:
        kind: why, one of ``EXAMPLES``.
        number: its number in its cell.
        seed: its seed.
        value: the figure of this match.
        record: its record as JSON, compressed with gzip, in Base64; "" unless the report was read back, see ``Balance.records``.
    """

    kind: str
    number: int
    seed: str
    value: float
    record: str = ""


@dataclass(frozen=True)
class Cell:
    """What was measured with one variant, number of players and bot.

    Attributes:
        variant: the name of the variant.
        players: the number of players.
        bot: the bot.
        games: the number of matches.
        stopped: the number of matches that were stopped. They have no result, so no other figure counts them.
        figures: the figures by name.
        differences: the figures less those of the first variant; empty for the first variant.
        examples: matches to watch.
    """

    variant: str
    players: int
    bot: str
    games: int
    stopped: int
    figures: dict[str, Figure]
    differences: dict[str, Figure]
    examples: tuple[Example, ...]

    @property
    def key(self) -> Key:
        """Return what the cell is called in ``Measured.figures``."""
        return self.variant, self.players, self.bot


OTHER_GAME = "game"
"""Beside the options of a variant: the name of its game, if it is another one."""


T = TypeVar("T")


class ByCell(dict[Any, T]):
    """A mapping from a variant, a number of players and a bot. A key without a bot finds the first bot."""

    def __missing__(self, key: tuple[Any, ...]) -> T:
        for known, found in self.items():
            if known[: len(key)] == key:
                return found
        listed = ", ".join(str(known) for known in self) or "none"
        raise KeyError(f"there is nothing for {key}; the report has: {listed}")


class Figures(dict[str, Figure]):
    """Figures by name. An unknown name is answered with the nearest."""

    def __missing__(self, name: str) -> Figure:
        near = get_close_matches(name, self, 3) or list(self)[:3]
        raise KeyError(f"there is no figure {name}; the nearest: {', '.join(near)}")


@dataclass(frozen=True, repr=False)
class Measured:
    """The data of a report, see ``Balance``."""

    game: str
    players: tuple[int, ...]
    variants: dict[str, dict[str, Any]]
    bots: tuple[str, ...]
    seed: str | bytes
    precision: float
    depth: Depth
    limit: int
    ended: Ended
    seconds: float
    cells: tuple[Cell, ...]
    own: dict[str, str] = field(default_factory=dict)

    @property
    def subject(self) -> Game:
        """Return the game."""
        return game(self.game)

    def played(self, variant: str) -> tuple[Game, dict[str, Any]]:
        """Return the game and the options of a variant."""
        options = dict(self.variants[variant])
        return game(options.pop(OTHER_GAME, self.game)), options

    @cached_property
    def figures(self) -> ByCell[dict[str, Figure]]:
        """Return the figures by variant, number of players and bot: ``figures["built-in", 2]["place"]``."""
        return ByCell({cell.key: Figures(cell.figures) for cell in self.cells})

    @cached_property
    def differences(self) -> ByCell[dict[str, Figure]]:
        """Return the figures less those of the first variant, in the same form."""
        return ByCell({cell.key: Figures(cell.differences) for cell in self.cells if cell.differences})

    @cached_property
    def examples(self) -> ByCell[tuple[Example, ...]]:
        """Return matches to watch, by the same keys."""
        return ByCell({cell.key: cell.examples for cell in self.cells})

    @property
    def stopped(self) -> int:
        """Return the number of matches that were stopped."""
        return sum(cell.stopped for cell in self.cells)

    def to_dict(self) -> dict[str, Any]:
        """Return the data as JSON-able data."""
        about = {each.name: getattr(self, each.name) for each in fields(Measured)}
        found: dict[str, Any] = msgspec.to_builtins({**about, "seed": seed_in_json(self.seed), "seconds": round(self.seconds, 2)})
        return found

    @classmethod
    def from_dict(cls, data: Any) -> Self:
        """Read back what ``to_dict`` has returned. Raises BadSetup."""
        try:
            seed = bytes.fromhex(data["seed"]["hex"]) if isinstance(data["seed"], dict) else data["seed"]
            kinds = {**get_type_hints(Measured), "seed": Any}
            given = {"own": {}, **data, "seed": seed}  # older reports have no own figures
            found = cls(**{name: msgspec.convert(given[name], kind) for name, kind in kinds.items()})
        except (msgspec.ValidationError, KeyError, TypeError, ValueError) as error:
            raise BadSetup(f"this is no balance report: {error}") from error
        named = (name for cell in found.cells for name in (*cell.figures, *cell.differences))
        unknown = {name.partition(".")[0] for name in named} - DEFINITIONS.keys()
        if unknown or not found.cells or not isinstance(seed, str | bytes):
            raise BadSetup(f"this is no balance report of this version; unknown figures: {', '.join(sorted(unknown)) or 'none'}")
        return found


def examples_of(columns: Columns, seed_of: Callable[[int], str]) -> tuple[Example, ...]:
    """Return the examples of a cell, each match once."""
    acquired = (column for name, column in columns.items() if name.startswith("acquired.") and column.sums.any())
    wanted: tuple[tuple[str, Column | None, Callable[[Floats], np.intp]], ...] = (
        ("comeback", columns.get("winner_lowest"), np.nanargmin),
        ("lead_changes", columns.get("lead_changes"), np.nanargmax),
        ("flat", columns.get("decided"), np.nanargmin),
        ("longest", columns.get("decisions"), np.nanargmax),
        ("shortest", columns.get("decisions"), np.nanargmin),
        ("close", columns.get("margin"), np.nanargmin),
        ("rare", min(acquired, key=lambda column: column.value, default=None), np.nanargmax),
    )
    found: dict[int, Example] = {}
    for kind, column, best in wanted:
        if column is not None and (column.counts > 0).any():
            values = np.where(column.counts > 0, column.sums, np.nan)
            number = int(best(values))
            found.setdefault(number, Example(kind, number, seed_of(number), float(values[number])))
    return tuple(found.values())
