"""The statistics of simulated games."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import meadhall
from games.dungeon_allies.scenes import DA
from meadhall.cli import main
from meadhall.engine.match.record import read_records
from meadhall.engine.state.events import append_argument, emit, new_log
from meadhall.games.dungeon_allies.elements import COUNTERS, PLACES, STATISTICS, Count, tally
from meadhall.games.dungeon_allies.pieces import SPOTS, SQUARES, Spot
from meadhall.games.dungeon_allies.state import Event

Happened = tuple[int, ...]
BUILT_IN = DA.check_options({})

FIRST_GAME: list[list[Happened]] = [
    [(Event.ORDER, 1, 0), (Event.ASSIGNED, 0, 3, 6)],
    [
        (Event.PLACED, 1, 6, Spot.SQUARE + 3),
        (Event.PLACED, 0, 4, Spot.TURN_ORDER),
        (Event.PLACED, 1, 4, Spot.TAVERN),
        (Event.BID, 1, 0),
    ],
    [(Event.ILLUMINATES, 0), (Event.PEEKED, 0, 9), (Event.PLACED, 0, 6, Spot.SQUARE + 27), (Event.FIGHTS, 1, 3)],
    [(Event.BLESSES, 1, 6), (Event.ROLLED, 1, 6, 4, 8), (Event.DEFEATS, 1, 3, 2), (Event.FIGHTS, 0, 27), (Event.FAILS, 0, 27)],
    [(Event.ORDER, 0, 1), (Event.TURN_ENDED, 1), (Event.PLACED, 0, 4, Spot.SQUARE + 8), (Event.DEFEATS, 0, 8, 1)],
    [(Event.TURN_ENDED, 2), (Event.SCORE, 0, 1, 0, 1), (Event.SCORE, 1, 2, 5, 7), (Event.WON, 1)],
]
SECOND_GAME: list[list[Happened]] = [
    [(Event.ORDER, 0, 1)],
    [(Event.PLACED, 0, 6, Spot.TRAINER + 1), (Event.PLACED, 1, 6, Spot.SORCERER + 4)],
    [(Event.REROLLED, 0, 6, 1, 1), (Event.REROLLED, 0, 6, 2, 2), (Event.HAMMERS, 0, 1), (Event.DEFEATS, 0, 1, 1)],
    [(Event.TURN_ENDED, 60), (Event.SCORE, 0, 4, 0, 4), (Event.SCORE, 1, 1, 3, 4), (Event.WON, 0, 1)],
]


def counted(steps: list[list[Happened]]) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Return the counters after these events."""
    counts = np.zeros(COUNTERS, np.int64)
    for events in steps:
        log = new_log(20)
        for kind, first, *arguments in events:
            emit(log, kind, first)
            for argument in arguments:
                append_argument(log, argument)
        tally(log, counts)
    return counts


def test_a_game_counted_by_hand() -> None:
    counts = counted(FIRST_GAME)
    assert counts[Count.TURNS] == 2
    assert counts[Count.SCORE : Count.SCORE + 2].tolist() == [1, 7]
    assert counts[Count.CARDS : Count.CARDS + 2].tolist() == [0, 5]
    assert counts[Count.WON : Count.WON + 2].tolist() == [0, 1]
    assert counts[Count.FIRST_ORDER : Count.FIRST_ORDER + 3].tolist() == [2, 1, 0]  # the first order: seats 1 and 0
    placed = {spot: count for spot, count in enumerate(counts[Count.PLACED : Count.PLACED + SPOTS].tolist()) if count}
    assert placed == {Spot.SQUARE + 3: 1, Spot.SQUARE + 8: 1, Spot.SQUARE + 27: 1, Spot.TURN_ORDER: 1, Spot.TAVERN: 1}
    assert counts[Count.DEFEATED : Count.DEFEATED + SQUARES].nonzero()[0].tolist() == [3, 8]
    assert counts[Count.LOST : Count.LOST + SQUARES].nonzero()[0].tolist() == [27]
    assert counts[Count.SPELLS : Count.SPELLS + 5].tolist() == [1, 0, 0, 1, 0]


def test_two_games_reported_by_hand() -> None:
    report = STATISTICS.fields(STATISTICS.gather(np.array([counted(FIRST_GAME), counted(SECOND_GAME)]), 2), 2, BUILT_IN)
    assert report["turns"] == {"mean": 31.0, "sd": 29.0, "min": 2, "median": 31.0, "max": 60}
    assert report["score"] == {"mean": 4.0, "sd": 4.5**0.5, "min": 1, "median": 4.0, "max": 7}
    assert report["points_from_cards"] == 8 / 16
    assert [(rate["games"], rate["share"]) for rate in report["win_rate_by_first_order"]] == [(2, 1.5), (2, 0.5)]
    assert report["dice_placed"] == {
        "excursion": 1.5,
        "turn_order": 0.5,
        "treasure": 0.0,
        "trainer": 0.5,
        "tavern": 0.5,
        "prisoner": 0.0,
        "trade": 0.0,
        "sorcerer": 0.5,
    }
    assert report["dice_placed_by_space"]["sorcerer"] == [0, 0, 0, 0, 0.5]
    assert report["dice_placed_by_space"]["trainer"] == [0, 0.5, *[0] * 7]
    assert report["monsters"] == {
        "yellow": {"defeated": 1.0, "lost": 0.0},
        "blue": {"defeated": 0.5, "lost": 0.0},
        "red": {"defeated": 0.0, "lost": 0.5},
    }
    assert report["spells"] == {"illuminate": 0.5, "hammer": 0.5, "enhance": 0.0, "bless": 0.5, "reroll": 1.0}
    assert dict(STATISTICS.rows(report))["turns"] == "31.0 (sd 29.0, median 31, from 2 to 60)"


def test_every_spot_belongs_to_one_place() -> None:
    spots = [spot for _text, spots in PLACES.values() for spot in spots]
    assert spots == list(range(SPOTS))


@pytest.mark.compiled
def test_records_agree_with_the_report(tmp_path: Path) -> None:
    """Count the events in the records by their names."""
    file = tmp_path / "games.jsonl"
    report = meadhall.simulate("dungeon-allies", ["thrall"], games=4, seed="records", players=3, out=file).statistics
    games = [
        [event for step in [record["setup"], *(a["events"] for a in record["actions"])] for event in step]
        for record in read_records(file)
    ]
    names = Counter(event[0] for events in games for event in events)
    places = Counter(event[3].partition(":")[0] for events in games for event in events if event[0] == "placed")
    scores = [event[4] for events in games for event in events if event[0] == "score"]
    turns = [max(event[1] for event in events if event[0] == "turn_ended") for events in games]
    first = [next(event[1:] for event in events if event[0] == "order") for events in games]
    won = [next(event[1:] for event in events if event[0] == "won") for events in games]
    assert report["turns"]["mean"] == np.mean(turns)
    assert report["score"]["median"] == np.median(scores)
    assert report["score"]["sd"] == pytest.approx(np.std(scores))
    for name, count in report["dice_placed"].items():
        assert count * len(games) == pytest.approx(places["square" if name == "excursion" else name])
    assert sum(level["defeated"] for level in report["monsters"].values()) * len(games) == pytest.approx(names["defeats"])
    assert sum(level["lost"] for level in report["monsters"].values()) * len(games) == pytest.approx(names["fails"])
    for name, kind in (("illuminate", "illuminates"), ("enhance", "enhances"), ("bless", "blesses"), ("reroll", "rerolled")):
        assert report["spells"][name] * len(games) == pytest.approx(names[kind])
    for place, rate in enumerate(report["win_rate_by_first_order"]):
        shares = [(order[place] in winners) / len(winners) for order, winners in zip(first, won, strict=True)]
        assert rate["share"] == pytest.approx(sum(shares))


@pytest.mark.compiled
def test_the_command_prints_the_statistics(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEADHALL_LANG", "en")
    command = ["simulate", DA.name, "--players", "4", "--bots", "thrall", "--games", "5", "--seed", "x"]
    assert main([*command, "--json"]) == 0
    report = json.loads(capsys.readouterr().out)["statistics"]
    assert set(report) == {
        "turns",
        "score",
        "points_from_cards",
        "win_rate_by_first_order",
        "dice_placed",
        "dice_placed_by_space",
        "monsters",
        "spells",
    }
    assert len(report["win_rate_by_first_order"]) == 4
    assert main(command) == 0
    told = capsys.readouterr().out
    for heading in ("turns", "score", "points from cards", "wins by position in the first turn", "Tavern", "red monsters"):
        assert heading in told
