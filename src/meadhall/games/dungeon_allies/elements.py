"""The elements of Dungeon Allies that reports name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict
from enum import IntEnum
from typing import Any

import numpy as np

from meadhall.games.dungeon_allies.components import LEVEL_NAMES, ROW, Components, components_of
from meadhall.games.dungeon_allies.names import Names
from meadhall.games.dungeon_allies.pieces import (
    ALLIES,
    CHARACTERS,
    DICE,
    SEATS,
    SPOTS,
    SQUARES,
    TARGETS,
    TREASURES,
    Act,
    Spot,
    Target,
)
from meadhall.games.dungeon_allies.state import Event
from meadhall.sdk import (
    ActionKind,
    Counts,
    Elements,
    Grid,
    Mention,
    PieceKind,
    Rate,
    Row,
    Spread,
    Statistics,
    Totals,
    argument_at,
    arguments_at,
    decimal,
    event_count,
    gettext as _,
    histogram,
    kind_at,
    marked,
    percent,
    rule,
)


def _placing(name: str, text: str, first: int, end: int) -> ActionKind:
    return ActionKind(name, text, range(Act.PLACE + DICE * first, Act.PLACE + DICE * end))


def _acting(name: str, text: str, act: Act) -> ActionKind:
    return ActionKind(name, text, range(act + act.arguments.start, act + act.arguments.stop))


def _named(word: Callable[[Names, int], str]) -> Callable[[Mapping[str, Any], int], str]:
    return lambda options, number: word(Names(components_of(options)), number)


def _all(numbers: Callable[[Components], Iterable[int]]) -> Callable[[Mapping[str, Any]], Iterable[int]]:
    return lambda options: numbers(components_of(options))


def _line(names: Names, line: int) -> str:
    return " \N{LEFT RIGHT ARROW} ".join(names.exchange(line, 0))


ELEMENTS = Elements(
    actions=(
        _placing("place_excursion", marked("die on an excursion"), Target.SQUARE, Target.TURN_ORDER),
        _placing("place_turn_order", marked("die on the turn order"), Target.TURN_ORDER, Target.TREASURE),
        _placing("place_treasure", marked("die on a treasure"), Target.TREASURE, Target.TRAINER),
        _placing("place_trainer", marked("die at the trainer"), Target.TRAINER, Target.TAVERN),
        _placing("place_tavern", marked("die in the tavern"), Target.TAVERN, Target.PRISONER),
        _placing("place_prisoner", marked("die on a prisoner"), Target.PRISONER, Target.TRADE),
        _placing("place_trade", marked("die on the trade table"), Target.TRADE, Target.SORCERER),
        _placing("place_sorcerer", marked("die at the sorcerer"), Target.SORCERER, TARGETS),
        _acting("assign", marked("give the first dice"), Act.ASSIGN),
        _acting("illuminate", marked("cast Illuminate"), Act.ILLUMINATE),
        _acting("peek", marked("look at a tile"), Act.PEEK),
        _acting("bid", marked("bid for a follower"), Act.BID),
        _acting("fight", marked("choose the next fight"), Act.FIGHT),
        _acting("roll", marked("roll without a spell"), Act.ROLL),
        _acting("hammer", marked("call the Hammer"), Act.HAMMER),
        _acting("enhance", marked("cast Enhance"), Act.ENHANCE),
        _acting("bless", marked("cast Bless"), Act.BLESS),
        _acting("accept", marked("accept a roll"), Act.ACCEPT),
        _acting("reroll", marked("re-roll a die"), Act.REROLL),
        _acting("follower_die", marked("choose the follower's die"), Act.FOLLOWER_DIE),
        _acting("keep_offering", marked("leave a prisoner"), Act.KEEP_OFFERING),
        _acting("free", marked("free a prisoner"), Act.FREE),
        _acting("end_trade", marked("end the trade"), Act.END_TRADE),
        _acting("trade", marked("trade"), Act.TRADE),
        _acting("decline", marked("decline a card"), Act.DECLINE),
        _acting("buy", marked("buy a card"), Act.BUY),
    ),
    pieces=(
        PieceKind("character", marked("character"), Mention(Event.CHARACTER, 1), word=_named(Names.ally)),
        PieceKind(
            "card",
            marked("sorcerer card"),
            Mention(Event.BUYS, 1),
            shown=Mention(Event.CARD_SHOWN, 1, seat=-1),
            word=_named(Names.card),
            numbers=_all(lambda components: range(len(components.sorcerer_card))),
        ),
        PieceKind(
            "follower",
            marked("follower"),
            Mention(Event.FOLLOWER_JOINS, 1),
            shown=Mention(Event.FOLLOWER_TOP, 0, seat=-1),
            word=_named(Names.ally),
            numbers=_all(lambda _components: range(CHARACTERS, ALLIES)),
        ),
        PieceKind(
            "prisoner",
            marked("prisoner"),
            Mention(Event.FREES, 1),
            word=_named(lambda names, space: names.prisoner(space - 1)),
            numbers=_all(lambda components: range(1, len(components.prisoner_space) + 1)),
        ),
        PieceKind(
            "treasure",
            marked("treasure space"),
            Mention(Event.LOOTS, 1),
            numbers=_all(lambda _components: range(1, TREASURES + 1)),
        ),
        PieceKind(
            "trade",
            marked("line of the trade table"),
            Mention(Event.TRADES, 1),
            word=_named(_line),
            numbers=_all(lambda components: range(len(components.trade))),
        ),
        PieceKind(
            "monster",
            marked("monster"),
            Mention(Event.DEFEATS, 1),
            placed=Mention(Event.TILE, 1),
            shown=Mention(Event.REVEALED, 1, seat=-1),
            word=_named(Names.monster),
            numbers=_all(lambda components: range(len(components.monster))),
        ),
        PieceKind(
            "square",
            marked("square of a monster"),
            Mention(Event.DEFEATS, 1),
            word=_named(Names.square),
            numbers=_all(lambda _components: range(SQUARES)),
            squares=lambda options: [divmod(cell, ROW) for cell in components_of(options).cells],
        ),
    ),
    first_order=Event.ORDER,
    turn=Event.TURN_ENDED,
)


SPELL_EVENTS = (Event.ILLUMINATES, Event.HAMMERS, Event.ENHANCES, Event.BLESSES, Event.REROLLED)
SPELL_NAMES = ("illuminate", "hammer", "enhance", "bless", "reroll")


class Count(IntEnum):
    """The first counter of each kind."""

    TURNS = 0
    SCORE = 1  # by seat
    CARDS = SCORE + SEATS  # by seat: points from cards
    WON = CARDS + SEATS  # by seat
    FIRST_ORDER = WON + SEATS  # by position in the turn order: 1 + the seat; 0 while the order isn't known
    PLACED = FIRST_ORDER + SEATS  # by spot: dice
    DEFEATED = PLACED + SPOTS  # by square
    LOST = DEFEATED + SQUARES  # by square: tiles that left the game
    SPELLS = LOST + SQUARES  # in the order of SPELL_EVENTS


COUNTERS = Count.SPELLS + len(SPELL_EVENTS)

PLACES = {
    "excursion": (marked("Excursion"), range(Spot.SQUARE, Spot.TURN_ORDER)),
    "turn_order": (marked("Turn order"), range(Spot.TURN_ORDER, Spot.TREASURE)),
    "treasure": (marked("Treasure"), range(Spot.TREASURE, Spot.TRAINER)),
    "trainer": (marked("Trainer"), range(Spot.TRAINER, Spot.TAVERN)),
    "tavern": (marked("Tavern"), range(Spot.TAVERN, Spot.PRISONER)),
    "prisoner": (marked("Prisoners"), range(Spot.PRISONER, Spot.TRADE)),
    "trade": (marked("Trade"), range(Spot.TRADE, Spot.SORCERER)),
    "sorcerer": (marked("Sorcerer"), range(Spot.SORCERER, SPOTS)),
}
"""DA-4.1: The eight places, with their names and their spots."""


@rule
def tally(log: Grid, counts: Row) -> None:
    """Add the events of a log to the counters."""
    for k in range(1, event_count(log) + 1):
        kind = kind_at(log, k)
        if kind == Event.PLACED:
            counts[Count.PLACED + argument_at(log, k, 2)] += 1
        elif kind == Event.DEFEATS:
            counts[Count.DEFEATED + argument_at(log, k, 1)] += 1
        elif kind == Event.FAILS:
            counts[Count.LOST + argument_at(log, k, 1)] += 1
        elif kind == Event.TURN_ENDED:
            counts[Count.TURNS] = argument_at(log, k, 0)
        elif kind == Event.SCORE:
            counts[Count.SCORE + argument_at(log, k, 0)] = argument_at(log, k, 3)
            counts[Count.CARDS + argument_at(log, k, 0)] = argument_at(log, k, 2)
        elif kind == Event.WON:
            for winner in range(arguments_at(log, k)):
                counts[Count.WON + argument_at(log, k, winner)] = 1
        elif kind == Event.ORDER and counts[Count.FIRST_ORDER] == 0:
            for position in range(arguments_at(log, k)):
                counts[Count.FIRST_ORDER + position] = 1 + argument_at(log, k, position)
        for spell in range(len(SPELL_EVENTS)):
            counts[Count.SPELLS + spell] += kind == SPELL_EVENTS[spell]


def gather(counts: Counts, players: int) -> Totals:
    """Return what many games add to the totals: sums of counters, histograms, wins by position in the first turn order."""
    scores, won, order = (counts[:, first : first + players] for first in (Count.SCORE, Count.WON, Count.FIRST_ORDER))
    won_at = np.take_along_axis(won, order - 1, axis=1)
    winners = won.sum(axis=1)
    return {
        "sums": counts.sum(axis=0),
        "turns": histogram(counts[:, Count.TURNS]),
        "score": histogram(scores.ravel()),
        "won": np.stack([won_at[winners == many].sum(axis=0) for many in range(players + 1)]),  # by number of winners, position
    }


def fields(totals: Totals, players: int, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of the report: means per game, for scores per player."""
    sums, games = totals["sums"], int(totals["turns"].sum())
    mean = sums / games
    components = components_of(options)
    levels = np.array(components.levels_of_squares)
    defeated, lost = (mean[first : first + SQUARES] for first in (Count.DEFEATED, Count.LOST))
    scores, cards = (int(sums[first : first + players].sum()) for first in (Count.SCORE, Count.CARDS))
    payoffs = (totals["won"][1:] / np.arange(1, players + 1)[:, None]).sum(axis=0).tolist()
    placed = {name: mean[Count.PLACED :][spots.start : spots.stop] for name, (_text, spots) in PLACES.items()}
    placed["prisoner"] = placed["prisoner"][: len(components.prisoner_space)]
    return {
        "turns": asdict(Spread.of_histogram(totals["turns"])),
        "score": asdict(Spread.of_histogram(totals["score"])),
        "points_from_cards": cards / max(1, scores),
        "win_rate_by_first_order": [asdict(Rate.of_sum(games, payoff)) for payoff in payoffs],
        "dice_placed": {name: float(dice.sum()) for name, dice in placed.items()},
        "dice_placed_by_space": {name: dice.tolist() for name, dice in placed.items()},
        "monsters": {
            name: {"defeated": float(defeated[levels == level].sum()), "lost": float(lost[levels == level].sum())}
            for level, name in enumerate(LEVEL_NAMES)
        },
        "spells": {name: float(mean[Count.SPELLS + spell]) for spell, name in enumerate(SPELL_NAMES)},
    }


def rows(fields: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the rows of the report for people."""
    turns, score = fields["turns"], fields["score"]
    yield _("turns"), _spread_in_words(turns)
    yield _("score"), _spread_in_words(score)
    yield _("points from cards"), percent(fields["points_from_cards"])
    rates = [percent(rate["rate"]) for rate in fields["win_rate_by_first_order"]]
    yield _("wins by position in the first turn order"), " · ".join(rates)
    for name, (text, _spots) in PLACES.items():
        yield _(text), _("{count} dice per game").format(count=decimal(fields["dice_placed"][name], 2))
    for level, text in zip(LEVEL_NAMES, (_("yellow monsters"), _("blue monsters"), _("red monsters")), strict=True):
        counts = {name: decimal(count, 2) for name, count in fields["monsters"][level].items()}
        yield text, _("{defeated} defeated, {lost} lost").format(**counts)


def _spread_in_words(spread: dict[str, Any]) -> str:
    return _("{mean} (sd {sd}, median {median}, from {min} to {max})").format(
        mean=decimal(spread["mean"], 1),
        sd=decimal(spread["sd"], 1),
        median=decimal(spread["median"], 1, exactly=False),
        min=spread["min"],
        max=spread["max"],
    )


STATISTICS = Statistics(COUNTERS, tally, gather, fields, rows)
