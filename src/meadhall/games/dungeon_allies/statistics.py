"""What a simulation of Dungeon Allies counts: turns, points, where dice go, which monsters fall, what going first is worth."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

import numpy as np

from meadhall.engine.events import argument_at, arguments_at, happened, kind_at
from meadhall.engine.language import gettext as _
from meadhall.engine.language import marked
from meadhall.engine.rule import rule
from meadhall.engine.schema import Grid, Row
from meadhall.engine.statistics import Counts, Rate, Spread, Statistics
from meadhall.games.dungeon_allies.components import LEVEL_NAMES
from meadhall.games.dungeon_allies.state import (
    AT_PRISONER,
    AT_SORCERER,
    AT_SQUARE,
    AT_TAVERN,
    AT_TRACK,
    AT_TRADE,
    AT_TRAINER,
    AT_TREASURE,
    LEVELS,
    SEATS,
    SPOTS,
    Event,
    level_of,
)

# The counters of a game.
TURNS = 0
SCORE = 1  # by seat
CARDS = SCORE + SEATS  # by seat: points from cards
WON = CARDS + SEATS  # by seat
FIRST_ORDER = WON + SEATS  # by place in it: 1 + the seat; 0 while there is none
PLACED = FIRST_ORDER + SEATS  # by spot: dice
DEFEATED = PLACED + SPOTS  # by level
LOST = DEFEATED + LEVELS  # by level: tiles that left the game
SPELLS = LOST + LEVELS  # Illuminate, Hammer, Enhance, Bless, re-roll
COUNTERS = SPELLS + 5

SPELL_EVENTS = (Event.ILLUMINATES, Event.HAMMERS, Event.ENHANCES, Event.BLESSES, Event.REROLLED)
SPELL_NAMES = ("illuminate", "hammer", "enhance", "bless", "reroll")

PLACES = {
    "excursion": (marked("Excursion"), AT_SQUARE, AT_TRACK),
    "turn_order": (marked("Turn order"), AT_TRACK, AT_TREASURE),
    "treasure": (marked("Treasure"), AT_TREASURE, AT_TRAINER),
    "trainer": (marked("Trainer"), AT_TRAINER, AT_TAVERN),
    "tavern": (marked("Tavern"), AT_TAVERN, AT_PRISONER),
    "prisoner": (marked("Prisoners"), AT_PRISONER, AT_TRADE),
    "trade": (marked("Trade"), AT_TRADE, AT_SORCERER),
    "sorcerer": (marked("Sorcerer"), AT_SORCERER, SPOTS),
}
"""DA-4.1: the eight places: what people call them, and their spots from the first to before the last."""


@rule
def tally(log: Grid, counts: Row) -> None:
    """Event by event."""
    for at in range(1, happened(log) + 1):
        kind = kind_at(log, at)
        if kind == Event.PLACED:
            counts[PLACED + argument_at(log, at, 2)] += 1
        elif kind == Event.DEFEATS:
            counts[DEFEATED + level_of(argument_at(log, at, 1))] += 1
        elif kind == Event.FAILS:
            counts[LOST + level_of(argument_at(log, at, 1))] += 1
        elif kind == Event.TURN_ENDED:
            counts[TURNS] = argument_at(log, at, 0)
        elif kind == Event.SCORE:
            counts[SCORE + argument_at(log, at, 0)] = argument_at(log, at, 3)
            counts[CARDS + argument_at(log, at, 0)] = argument_at(log, at, 2)
        elif kind == Event.WON:
            for k in range(arguments_at(log, at)):
                counts[WON + argument_at(log, at, k)] = 1
        elif kind == Event.ORDER and counts[FIRST_ORDER] == 0:
            for k in range(arguments_at(log, at)):
                counts[FIRST_ORDER + k] = 1 + argument_at(log, at, k)
        for k in range(len(SPELL_EVENTS)):
            counts[SPELLS + k] += kind == SPELL_EVENTS[k]


def fields(counts: Counts, players: int) -> dict[str, Any]:
    """For the report: means are of a game, but those of scores of a player."""
    mean = counts.mean(axis=0)
    scores, cards = counts[:, SCORE:CARDS][:, :players], counts[:, CARDS:WON][:, :players]
    won = counts[:, WON:FIRST_ORDER][:, :players]
    shares = np.take_along_axis(won / won.sum(axis=1, keepdims=True), counts[:, FIRST_ORDER:PLACED][:, :players] - 1, axis=1)
    return {
        "turns": asdict(Spread.of(counts[:, TURNS])),
        "score": asdict(Spread.of(scores.ravel())),
        "points_from_cards": float(cards.sum() / max(1, scores.sum())),
        "win_rate_by_first_order": [asdict(Rate.of(shares[:, place])) for place in range(players)],
        "dice_placed": {name: float(mean[PLACED + first : PLACED + end].sum()) for name, (_text, first, end) in PLACES.items()},
        "dice_placed_by_space": {
            name: mean[PLACED + first : PLACED + end].tolist() for name, (_text, first, end) in PLACES.items()
        },
        "monsters": {
            level: {"defeated": float(mean[DEFEATED + k]), "lost": float(mean[LOST + k])} for k, level in enumerate(LEVEL_NAMES)
        },
        "spells": {name: float(mean[SPELLS + k]) for k, name in enumerate(SPELL_NAMES)},
    }


def rows(fields: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """The same for people, a game or a player on average."""
    turns, score = fields["turns"], fields["score"]
    spread = _("{mean:.1f} (sd {sd:.1f}, median {median:g}, from {min} to {max})")
    yield _("turns"), spread.format(**turns)
    yield _("score"), spread.format(**score)
    yield _("points from cards"), f"{100 * fields['points_from_cards']:.1f} %"
    rates = [f"{100 * rate['rate']:.1f} %" for rate in fields["win_rate_by_first_order"]]
    yield _("wins by place in the first turn order"), " · ".join(rates)
    for name, (text, _first, _end) in PLACES.items():
        yield _(text), _("{count:.2f} dice a game").format(count=fields["dice_placed"][name])
    for level, text in zip(LEVEL_NAMES, (_("yellow monsters"), _("blue monsters"), _("red monsters")), strict=True):
        yield text, _("{defeated:.2f} defeated, {lost:.2f} lost").format(**fields["monsters"][level])


STATISTICS = Statistics(COUNTERS, tally, fields, rows)
