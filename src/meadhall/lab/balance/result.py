"""Balance: the report of how a game plays."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, TypeAlias

from meadhall.engine.errors import BadSetup
from meadhall.engine.game import Game
from meadhall.engine.match.match import Match
from meadhall.engine.match.record import dumps
from meadhall.engine.registry import game
from meadhall.engine.text.display import Displayed, Table
from meadhall.lab.balance.choice import PARTS
from meadhall.lab.balance.columns import Columns
from meadhall.lab.balance.examples import Example, examples_of
from meadhall.lab.balance.figures import Figure, differences_of, figures_of, flagged
from meadhall.lab.balance.tasks import Depth
from meadhall.lab.balance.trace import Setting, Tracer
from meadhall.lab.frames import InFrames, Row
from meadhall.lab.tables import seed_in_json

Ended: TypeAlias = Literal["complete", "time", "interrupted"]

By: TypeAlias = Literal["figure", "place", "action", "piece", "curve", "difference", "example"]

Key: TypeAlias = tuple[str, int, str]
"""A variant, a number of players, and a bot."""


@dataclass(frozen=True)
class Cell:
    """The matches of one variant, number of players and bot."""

    variant: str
    players: int
    bot: str
    setting: Setting

    @property
    def key(self) -> tuple[str, int, str]:
        """Return what the cell is called in ``Balance.figures``."""
        return self.variant, self.players, self.bot


class ByCell(dict[Any, dict[str, Figure]]):
    """Figures by variant, number of players and bot. Without a bot, the figures of the first bot."""

    def __missing__(self, key: tuple[Any, ...]) -> dict[str, Figure]:
        for known, figures in self.items():
            if known[: len(key)] == key:
                return figures
        listed = ", ".join(str(known) for known in self) or "none"
        raise KeyError(f"there are no figures for {key}; there are: {listed}")


@dataclass(frozen=True, repr=False)
class Balance(Displayed, InFrames[By]):
    """The report of how a game plays.

    Attributes:
        game: the name of the game.
        players: the numbers of players.
        variants: the checked options of each variant; the first is what others are compared to.
        bots: the levels.
        seed: the seed; it reproduces the report.
        precision: the wanted standard error of the win rates by place.
        depth: how much was measured.
        ended: why it ended: everything was measured (``complete``), the time was up (``time``), or it was stopped
            (``interrupted``).
        seconds: the duration.
        games: the number of matches of each cell.
        figures: the figures by variant, number of players and bot: ``figures["built-in", 2]["place"]``.
        differences: the figures less those of the first variant, in the same form.
        examples: matches to watch, by the same keys.

    Examples:
        >>> import os
        >>> import meadhall
        >>> variants = {"standard": {}, "strategic": {"variant": "strategic"}}
        >>> report = meadhall.balance("viking-axes", 2, variants, games=20, depth="quick", seed="mead")
        >>> "turns" in report.difference("strategic", "standard")
        True
        >>> report.match(("standard", 2), 0).over, report.write_examples(os.devnull) > 0
        (True, True)
        >>> report.to_dict()["ended"], report.to_html()[:15], report.to_markdown().splitlines()[0]
        ('complete', '<!doctype html>', '# Viking Axes: balance report')
        >>> list(report.frame_rows())[:3], next(iter(report.displayed()))
        (['figure', 'place', 'action'], 'Viking Axes: balance report')
    """

    game: str
    players: tuple[int, ...]
    variants: dict[str, dict[str, Any]]
    bots: tuple[str, ...]
    seed: str | bytes
    precision: float
    depth: Depth
    ended: Ended
    seconds: float
    games: dict[tuple[str, int, str], int]
    figures: ByCell
    differences: ByCell
    examples: dict[tuple[str, int, str], tuple[Example, ...]]
    _cells: tuple[Cell, ...] = field(repr=False, default=())
    _columns: tuple[Columns, ...] = field(repr=False, default=())

    @property
    def subject(self) -> Game:
        """Return the game."""
        return game(self.game)

    def difference(self, one: str, other: str, players: int | None = None, bot: str | None = None) -> dict[str, Figure]:
        """Return the figures of one variant less those of another, by pairs of matches with the same deal.

        Args:
            players: the number of players; by default the smallest.
            bot: the bot; by default the first.

        Raises:
            BadSetup: the report has no such variants, players or bot.
        """
        found = {cell.key: columns for cell, columns in zip(self._cells, self._columns, strict=True)}
        count, level = self.players[0] if players is None else players, self.bots[0] if bot is None else bot
        keys = (one, count, level), (other, count, level)
        for key in keys:
            if key not in found:
                raise BadSetup(f"the report has no variant {key[0]} for {count} players with {level}")
        return flagged([differences_of(found[keys[0]], found[keys[1]])], differences=True)[0]

    def match(self, key: tuple[Any, ...], number: int) -> Match:
        """Return a match of the report, played to its end, for example to look at or to write its record.

        Args:
            key: its variant, number of players and perhaps bot.
            number: its number, as in ``examples``.
        """
        cell = next((cell for cell in self._cells if cell.key[: len(key)] == key), None)
        if cell is None:
            raise BadSetup(f"the report has no cell {key}")
        tracer = Tracer(cell.setting)
        match = cell.setting.match(number)
        for action in tracer.trace([number]).action.tolist():
            match.play(action)
        return match

    def write_examples(self, file: Path | str) -> int:
        """Write the records of all examples as JSON Lines, which ``meadhall replay`` and ``analyse`` read. Return how many."""
        lines = [dumps(self.match(key, example.number).record()) for key, found in self.examples.items() for example in found]
        Path(file).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        return len(lines)

    @property
    def limit(self) -> int:
        """Return the decisions after which a match was stopped."""
        return self._cells[0].setting.limit

    @property
    def stopped(self) -> dict[Key, int]:
        """Return the number of matches of each cell that were stopped. They have no result, so no other figure counts them."""
        pairs = zip(self._cells, self._columns, strict=True)
        return {cell.key: int(columns["stopped"].sums.sum()) if "stopped" in columns else 0 for cell, columns in pairs}

    @cached_property
    def headlines(self) -> tuple[str, ...]:
        """Return the headlines, in sentences of the current language."""
        from meadhall.lab.balance.headlines import headlines  # noqa: PLC0415 - it reads reports

        return tuple(headlines(self))

    def to_dict(self) -> dict[str, Any]:
        """Return the report as JSON-able data, described in ``docs/library/balance.md``."""
        return {
            "game": self.game,
            "players": list(self.players),
            "variants": self.variants,
            "bots": list(self.bots),
            "seed": seed_in_json(self.seed),
            "precision": self.precision,
            "depth": self.depth,
            "limit": self.limit,
            "ended": self.ended,
            "seconds": round(self.seconds, 2),
            "headlines": list(self.headlines),
            "cells": [
                {
                    "variant": variant,
                    "players": players,
                    "bot": bot,
                    "games": self.games[variant, players, bot],
                    "stopped": self.stopped[variant, players, bot],
                    "figures": {name: _in_json(figure) for name, figure in figures.items()},
                    "differences": {
                        name: _in_json(figure) for name, figure in self.differences.get((variant, players, bot), {}).items()
                    },
                    "examples": [asdict(example) for example in self.examples[variant, players, bot]],
                }
                for (variant, players, bot), figures in self.figures.items()
            ],
        }

    def to_html(self) -> str:
        """Return the report as a page that needs no other file, in the current language."""
        from meadhall.lab.balance.page import page  # noqa: PLC0415 - it reads reports

        return page(self)

    def to_markdown(self) -> str:
        """Return the report as Markdown, in the current language."""
        parts = [_markdown(part) if isinstance(part, Table) else part for part in self.displayed()]
        return "# " + "\n\n".join(parts) + "\n"

    def frame_rows(self) -> Mapping[By, Iterable[Row]]:
        """Return the rows of each frame."""
        rows = list(_rows(self.figures))
        places = ("place", "points_at", "dealt")
        curves = ("legal_at", "uncertainty_at")
        actions = ("offered", "chosen", "loss", "without")
        pieces = ("shown", "acquired", "used", "owner", "worth", "dealt")

        def of(families: Sequence[str]) -> list[Row]:
            return [row for row in rows if row["family"] in families and row["item"]]

        return {
            "figure": rows,
            "place": of(places[:2]),
            "action": of(actions),
            "piece": of(pieces),
            "curve": [{**row, "part": int(row["item"].partition(".")[0]) / PARTS} for row in of(curves)],
            "difference": list(_rows(self.differences)),
            "example": [
                {"variant": variant, "players": players, "bot": bot, **asdict(example)}
                for (variant, players, bot), found in self.examples.items()
                for example in found
            ],
        }

    def __repr__(self) -> str:
        return f"<Balance of {self.game}: {sum(self.games.values()):,} matches of {len(self.games)} cells>"

    def displayed(self) -> Iterator[str | Table]:
        """Yield the parts of the readable form."""
        from meadhall.lab.balance.in_words import parts  # noqa: PLC0415 - it reads reports

        return parts(self)


def build(
    subject: Game,
    cells: Sequence[Cell],
    columns: Sequence[Columns],
    games: Sequence[int],
    seed: str | bytes,
    precision: float,
    depth: Depth,
    ended: Ended,
    seconds: float,
) -> Balance:
    """Build the report of these cells from their columns."""
    keys = [cell.key for cell in cells]
    first = {(cell.players, cell.bot): found for cell, found in reversed(list(zip(cells, columns, strict=True)))}
    others = [
        (cell.key, differences_of(found, first[cell.players, cell.bot]))
        for cell, found in zip(cells, columns, strict=True)
        if found is not first[cell.players, cell.bot]
    ]
    differences = flagged([page for _key, page in others], differences=True)
    return Balance(
        game=subject.name,
        players=tuple(dict.fromkeys(cell.players for cell in cells)),
        variants={cell.variant: cell.setting.options for cell in cells},
        bots=tuple(dict.fromkeys(cell.bot for cell in cells)),
        seed=seed,
        precision=precision,
        depth=depth,
        ended=ended,
        seconds=seconds,
        games=dict(zip(keys, games, strict=True)),
        figures=ByCell(zip(keys, flagged(map(figures_of, columns)), strict=True)),
        differences=ByCell(zip((key for key, _page in others), differences, strict=True)),
        examples={cell.key: examples_of(found, seed_of=cell.setting.seed) for cell, found in zip(cells, columns, strict=True)},
        _cells=tuple(cells),
        _columns=tuple(columns),
    )


def _rows(by_cell: Mapping[Key, dict[str, Figure]]) -> Iterator[Row]:
    for key, figures in by_cell.items():
        for figure in figures.values():
            yield {
                "variant": key[0],
                "players": key[1],
                "bot": key[2],
                "family": figure.family,
                "item": figure.item,
                **asdict(figure),
            }


def _in_json(figure: Figure) -> dict[str, Any]:
    return {name: value for name, value in asdict(figure).items() if name != "name"}


def _markdown(table: Table) -> str:
    heads = table.heads or ("",) * len(table.rows[0] if table.rows else ())
    lines = [f"| {' | '.join(row)} |" for row in (heads, *table.rows)]
    lines.insert(1, "|" + "---|" * len(heads))
    return "\n".join([*([f"**{table.title}**", ""] if table.title else []), *lines])
