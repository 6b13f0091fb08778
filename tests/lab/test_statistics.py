"""Statistics: compiled loops and whole matches count the same events, and none is left out."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import meadhall
from bulk_games import counted_tournament
from games_for_tests.hoard import game as hoard
from games_for_tests.hoard.rules import BOAST, DRAW, SEATS, Event
from meadhall.cli import main
from meadhall.engine.compile.rule import rule
from meadhall.engine.compiled import loops
from meadhall.engine.compute.bulk import seed_number
from meadhall.engine.game import Game
from meadhall.engine.loops import GREEDY, LOG_SHAPE, RANDOM
from meadhall.engine.match.record import read_records
from meadhall.engine.registry import registered
from meadhall.engine.state.chance import key_from_counter
from meadhall.engine.state.events import argument_at, arguments_at, event_count, kind_at, new_log, read_log
from meadhall.engine.statistics import NOTHING, Counts, Rate, Spread, Statistics, Totals, added, histogram

GAMES = 8

# The counters: events of each kind except coins, coins by seat, and the arguments of all events.
COINS = len(Event) + 1
ARGUMENTS = COINS + SEATS
COUNTERS = ARGUMENTS + 1


@rule
def tally(log: Any, counts: Any) -> None:
    for index in range(1, event_count(log) + 1):
        if kind_at(log, index) == Event.COIN:
            counts[COINS + argument_at(log, index, 0)] += 1
        else:
            counts[kind_at(log, index)] += 1
        counts[ARGUMENTS] += arguments_at(log, index)


def gather(counts: Counts, _players: int) -> Totals:
    return {"games": np.array([len(counts)]), "sums": counts.sum(axis=0)}


def fields(totals: Totals, players: int, _options: Mapping[str, Any]) -> dict[str, Any]:
    mean = totals["sums"] / totals["games"]
    return {"coins": mean[COINS : COINS + players].tolist(), "draws": float(mean[Event.DREW])}


def rows(fields: dict[str, Any]) -> Iterator[tuple[str, str]]:
    yield "draws", f"{fields['draws']:.2f} a game"


COUNTED = replace(hoard, name="counted", statistics=Statistics(COUNTERS, tally, gather, fields, rows))


@pytest.fixture(autouse=True)
def registered_game() -> Iterator[None]:
    with registered(COUNTED):
        yield


def recounted(events: list[list[Any]]) -> list[int]:
    """Return the same counters, computed from events in the format of a record."""
    numbers = {kind.name: number for number, kind in hoard.events.items()}
    counts = [0] * COUNTERS
    for name, *arguments in events:
        counts[COINS + arguments[0] if name == "coin" else numbers[name]] += 1
        counts[ARGUMENTS] += len(arguments)
    return counts


def played(subject: Game, policies: list[int], seed: str, number: int) -> list[list[Any]]:
    """Return the events of one game of a bulk run, played step by step with the same dice and policies."""
    compiled, players = loops(subject), len(policies)
    states, rng, room = subject.state.new(), np.zeros(2, np.uint64), np.zeros(subject.actions, np.int32)
    key_from_counter(states["rng"][0], seed_number(seed), 2 * number)
    key_from_counter(rng, seed_number(seed), 2 * number + 1)
    log = new_log(500)
    compiled.set_up_one(states, players, subject.encode_options(subject.check_options({})), log)
    events = list(read_log(log, subject.events))
    while (actor := int(states["actor"][0])) >= 0:
        view, log = states.copy(), new_log(500)
        compiled.conceal_one(view, actor)
        compiled.play_one(states, compiled.follow_one(policies[(actor + number) % players], view, room, rng), log)
        events += read_log(log, subject.events)
    return [event.to_list() for event in events]


def test_compiled_loops_count_every_event() -> None:
    policies = [GREEDY, RANDOM, RANDOM]
    counts = counted_tournament(COUNTED, policies, GAMES, seed="counted").counts
    for number in range(GAMES):
        assert counts[number].tolist() == recounted(played(COUNTED, policies, "counted", number)), number


def test_a_step_with_more_events_than_the_log_holds_is_counted_completely() -> None:
    """In Hoard the coins are counted one by one at the end, more than the log can hold."""
    counts = counted_tournament(COUNTED, [RANDOM] * 4, GAMES, seed="coins").counts
    coins = counts[:, COINS : COINS + 4].sum(axis=1)
    assert coins.max() >= LOG_SHAPE[0]
    assert counts[:, Event.ENDED].tolist() == [1] * GAMES


def test_counting_does_not_change_the_games() -> None:
    shares, lengths, _, _ = counted_tournament(COUNTED, [GREEDY, RANDOM], GAMES, seed="same")
    others, other_lengths, nothing, _ = counted_tournament(hoard, [GREEDY, RANDOM], GAMES, seed="same")
    assert shares.tolist() == others.tolist()
    assert lengths.tolist() == other_lengths.tolist()
    assert nothing.shape == (GAMES, 0)


def test_undone_actions_of_a_match_are_not_counted() -> None:
    match = COUNTED.match(players=2, seed="match")
    for action in (BOAST, DRAW):
        match.play(action)
    before = match.tally()
    assert before.tolist() == recounted(
        [event.to_list() for event in [*match.setup, *match.steps[0].events, *match.steps[1].events]]
    )
    match.play(BOAST)
    assert match.tally()[Event.BOASTED] == 2
    match.undo()
    assert match.tally().tolist() == before.tolist()


def test_counts_from_records_equal_the_report(tmp_path: Path) -> None:
    file = tmp_path / "games.jsonl"
    report = meadhall.simulate("counted", ["karl", "thrall"], games=4, seed="records", out=file)
    counts = []
    for record in read_records(file):
        steps = [record["setup"], *(action["events"] for action in record["actions"])]
        counts.append(recounted([event for events in steps for event in events]))
    assert report.statistics == fields(gather(np.array(counts), 2), 2, {})


@pytest.mark.parametrize(
    ("name", "options", "figures"),
    [
        ("axes-and-allies", {}, {"attacks": "attack", "alliances": "allied", "ones": "voided", "limited": "limited"}),
        ("axxa", {}, {"moves": "moved", "triplets": "removed", "paid": "paid", "emptied": "stack_gone"}),
        ("viking-axes", {}, {"cards": "drew", "throws": "throws", "cashed_in": "cashes_in", "shuffles": "shuffled"}),
        ("viking-axes", {"armory": "before"}, {"cards": "drew", "cashed_in": "cashes_in"}),
    ],
)
def test_the_statistics_of_a_game_are_counts_of_its_events(
    name: str, options: dict[str, Any], figures: dict[str, str], tmp_path: Path
) -> None:
    file = tmp_path / "games.jsonl"
    statistics = meadhall.simulate(name, ["thrall", "thrall"], games=2, seed="events", out=file, **options).statistics
    told = Counter(event.name for record in read_records(file) for _n, event in meadhall.events_of(record))
    assert {figure: statistics[figure] for figure in figures} == {figure: told[event] / 2 for figure, event in figures.items()}
    if name == "axes-and-allies":
        assert statistics["hit_rate"] == told["killed"] / told["attack_roll"]


def test_statistics_are_in_the_report_and_in_the_printed_table(capsys: pytest.CaptureFixture[str]) -> None:
    report = meadhall.simulate("counted", games=10, seed="rows", players=3)
    assert json.loads(json.dumps(report.to_dict()))["statistics"] == report.statistics
    assert set(report.statistics) == {"coins", "draws"}
    assert main(["simulate", "counted", "--games", "10", "--seed", "rows", "--players", "3"]) == 0
    assert f"draws  {report.statistics['draws']:.2f} a game" in capsys.readouterr().out


def test_a_game_without_statistics_reports_none() -> None:
    assert hoard.statistics is NOTHING
    assert meadhall.simulate("hoard", games=3).statistics == {}
    assert hoard.match().tally().shape == (0,)


def test_a_spread_summarizes_its_numbers() -> None:
    assert Spread.of(np.array([1, 2, 3, 10])) == Spread(4.0, 12.5**0.5, 1, 2.5, 10)


@pytest.mark.parametrize("count", [1, 2, 7, 100])
def test_a_spread_of_a_histogram_equals_that_of_its_values(count: int) -> None:
    values = np.random.default_rng(count).integers(0, 50, count)
    spread = Spread.of(values)
    assert (spread.min, spread.median, spread.max) == (values.min(), np.median(values), values.max())
    assert (spread.mean, spread.sd) == pytest.approx((values.mean(), values.std()))


def test_totals_of_two_parts_are_those_of_the_whole() -> None:
    values = np.array([3, 0, 1, 7, 3])
    parts = ({"values": histogram(part), "count": np.array([len(part)])} for part in (values[:3], values[3:]))
    found = added(added({}, next(parts)), next(parts))
    assert found["values"].tolist() == histogram(values).tolist()
    assert found["count"].tolist() == [5]


def test_a_rate_is_the_share_of_its_games() -> None:
    rate = Rate.of(np.array([1.0, 0.5, 0.0, 0.0]))
    assert (rate.games, rate.share, rate.rate) == (4, 1.5, 0.375)
    assert rate.low < rate.rate < rate.high


@pytest.mark.parametrize("games", [1, 3, 7, 10, 33, 100, 1000, 12_345])
def test_an_interval_without_wins_begins_at_exactly_0_and_one_without_losses_ends_at_exactly_1(games: int) -> None:
    never, always = Rate.of(np.zeros(games)), Rate.of(np.ones(games))
    assert (never.low, always.high) == (0.0, 1.0)
    assert 0 < never.high < 1
    assert 0 < always.low < 1
