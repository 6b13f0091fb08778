"""Simulations count correctly, play the requested matches, and find the stronger bot."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import meadhall
from games_for_tests.nim import game as nim
from meadhall.bots import SearchBot
from meadhall.engine.compute.bulk import Played
from meadhall.engine.errors import BadSetup
from meadhall.engine.game import Choice
from meadhall.engine.match.record import read_records
from meadhall.engine.match.view import View
from meadhall.engine.registry import registered
from meadhall.engine.statistics import wilson
from meadhall.lab import Report, Tournament, tournament
from meadhall.lab.matches import Plan
from meadhall.lab.report import Aggregate, report
from meadhall.lab.warm import warm

GAME = "axes-and-allies"
INTERPRETABLE = 60
"""A number of games that takes little time even with interpreted rules."""


@pytest.mark.compiled
def test_greedy_beats_random() -> None:
    report = meadhall.simulate(GAME, ["karl", "thrall"], games=1500, seed="strength", players=2)
    assert report.by_bot["karl"].low > report.by_bot["thrall"].high
    for by_name in (report.by_bot, report.by_bot_and_seat):
        with pytest.raises(KeyError, match=r"no 'carl'; did you mean karl\? the names are: karl, thrall"):
            by_name["carl"]


def test_every_win_is_counted_once() -> None:
    report = meadhall.simulate(GAME, ["karl", "thrall"], games=INTERPRETABLE, seed="sums", players=5)
    assert sum(rate.share for rate in report.by_bot.values()) == INTERPRETABLE
    assert sum(rate.share for rate in report.by_seat) == INTERPRETABLE
    for seat in range(5):
        assert sum(rates[seat].games for rates in report.by_bot_and_seat.values()) == INTERPRETABLE
        shares = sum(rates[seat].share for rates in report.by_bot_and_seat.values())
        assert shares == report.by_seat[seat].share


@pytest.mark.parametrize(("mode", "line_up"), [("together", ["karl"]), ("versus", ["karl", "thrall"])])
def test_intervals_count_each_game_of_a_party_once(mode: str, line_up: list[str]) -> None:
    """The width of the interval depends on the number of games, not on the number of seats in a party."""
    axxa = meadhall.game("axxa")
    options = axxa.check_options({"mode": mode})
    won = np.array([1.0, 0, 0, 1, 1, 0, 1, 1])
    other = won if mode == "together" else 1 - won
    shares = np.stack([won, other, won, other], axis=1)
    counts = np.zeros((8, axxa.statistics.counters), np.int64)
    plan = Plan(axxa.name, tuple(line_up * (4 // len(line_up))), options, "made up")
    played = Played(shares, np.full(8, 30), counts, np.tile(np.arange(4, dtype=np.int8), (8, 1)))
    found = report(axxa, plan, Aggregate.of(axxa, plan, 0, played), 1.0)
    for rate in found.by_bot.values():
        assert rate.games == 32 / len(line_up)
        assert (rate.low, rate.high) == pytest.approx(wilson(8 * rate.rate, 8))


def test_every_bot_plays_on_every_seat() -> None:
    report = meadhall.simulate(GAME, ["karl", "thrall", "thrall"], games=30, seed="seats")
    assert [rate.games for rate in report.by_bot_and_seat["karl"]] == [10, 10, 10]
    assert [rate.games for rate in report.by_bot_and_seat["thrall"]] == [20, 20, 20]


def test_fewer_bots_than_players_are_repeated() -> None:
    report = meadhall.simulate(GAME, ["karl", "thrall"], games=2, players=5)
    assert report.bots == ("karl", "thrall", "karl", "thrall", "karl")


def test_the_seed_determines_the_games() -> None:
    first = meadhall.simulate(GAME, games=10, players=3)
    again = meadhall.simulate(GAME, games=10, players=3, seed=first.seed)
    assert (again.by_seat, again.length) == (first.by_seat, first.length)
    assert meadhall.simulate(GAME, games=10, players=3).seed != first.seed


@pytest.mark.compiled
def test_whole_matches_agree_with_the_compiled_loops(tmp_path: Path) -> None:
    """With different dice the rates must agree within their intervals, and the mean lengths within four standard errors."""
    fast = meadhall.simulate(GAME, ["thrall"], games=200, seed="fast", players=2)
    whole = meadhall.simulate(GAME, ["thrall"], games=200, seed="whole", players=2, out=tmp_path / "games.jsonl")
    assert fast.by_seat[0].low < whole.by_seat[0].high
    assert whole.by_seat[0].low < fast.by_seat[0].high
    error = (fast.length.sd**2 / 200 + whole.length.sd**2 / 200) ** 0.5
    assert abs(fast.length.mean - whole.length.mean) < 4 * error


def test_records_contain_the_reported_games(tmp_path: Path) -> None:
    file = tmp_path / "games.jsonl"
    report = meadhall.simulate(GAME, ["karl", "thrall"], games=6, seed="records", players=3, out=file)
    records = list(read_records(file))
    assert [sum(record["result"]["scores"][seat] for record in records) for seat in range(3)] == [
        rate.share for rate in report.by_seat
    ]
    assert sum(len(record["actions"]) for record in records) == report.decisions
    for number, record in enumerate(records):
        assert [seat["bot"] for seat in record["seats"]] == [report.bots[(seat + number) % 3] for seat in range(3)]
        meadhall.replay(record)


def test_matches_do_not_depend_on_the_number_of_processes(tmp_path: Path) -> None:
    def lines(processes: int) -> list[str]:
        file = tmp_path / f"{processes}.jsonl"
        meadhall.simulate(GAME, games=34, seed="processes", out=file, processes=processes)
        return file.read_text().splitlines()

    assert lines(2) == lines(1)


@pytest.mark.parametrize("play", [meadhall.simulate, tournament])
def test_a_game_that_is_not_installed_can_be_simulated(play: Callable[..., Report | Tournament]) -> None:
    report = play(nim, ["thrall", "search@20"], games=4, seed="own")
    assert report.games == 4
    assert nim.name not in meadhall.game_names()


@pytest.mark.parametrize("play", [meadhall.simulate, tournament])
def test_the_given_game_is_played_and_not_the_registered_one_of_the_same_name(play: Callable[..., Report | Tournament]) -> None:
    """In a Nim with swapped options a small heap has ten, so that more than five can be taken."""
    swapped = replace(nim, options=(Choice("heap", {"small": "ten", "heap": "five"}),))
    with registered(nim):
        of_ten, of_five = (play(game, ["thrall", "search@5"], games=12, seed="same", heap="small") for game in (swapped, nim))
    assert of_ten.length.max > 5 >= of_five.length.max


@pytest.mark.parametrize("play", [meadhall.simulate, tournament])
def test_several_processes_play_only_installed_games(play: Callable[..., Report | Tournament]) -> None:
    for game in (nim, replace(meadhall.game(GAME), title="Another")):
        with pytest.raises(BadSetup, match="not an installed game"):
            play(game, ["search@20", "search@30"], games=40, processes=2)


def test_a_refused_simulation_keeps_an_existing_file_of_records(tmp_path: Path) -> None:
    file = tmp_path / "kept.jsonl"
    file.write_text("unchanged")
    with pytest.raises(BadSetup):
        meadhall.simulate(nim, out=file, processes=2)
    assert file.read_text() == "unchanged"


@pytest.mark.parametrize("play", [meadhall.simulate, tournament])
def test_searches_are_budgeted_in_cpu_time(play: Callable[..., Report | Tournament], monkeypatch: pytest.MonkeyPatch) -> None:
    alone: list[bool] = []
    choose = SearchBot.choose

    def chosen(player: SearchBot, view: View) -> int:
        alone.append(player._search._budget.alone)
        return choose(player, view)

    monkeypatch.setattr(SearchBot, "choose", chosen)
    play(nim, ["thrall", "huscarl"], games=2)
    assert alone
    assert all(alone)


def test_progress_is_reported(tmp_path: Path) -> None:
    for records in (None, tmp_path / "games.jsonl"):
        done: list[int] = []
        meadhall.simulate(GAME, games=8, progress=done.append, out=records)
        assert sum(done) == 8


def test_the_report_can_be_written_as_json() -> None:
    report = meadhall.simulate(GAME, games=10, seed="json")
    data = json.loads(json.dumps(report.to_dict()))
    assert data["game"] == GAME
    assert data["length"]["max"] >= data["length"]["min"] >= 1
    assert data["decisions_per_second"] == report.decisions_per_second
    assert set(data) == set(Report.__dataclass_fields__) | {"decisions_per_second"}


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({"bots": []}, "at least one"),
        ({"bots": "thrall"}, "list of at least one bot"),
        ({"bots": ["hal"]}, "no bot 'hal'"),
        ({"bots": ["thrall"] * 3, "players": 2}, "3 bots for 2 players"),
        ({"players": 7}, "2 to 6 players"),
        ({"bots": 5}, "list of at least one bot"),
        ({"bots": [None, "thrall"]}, "neither the name of a bot"),
        ({"bots": ["search@99999999999999999999"]}, "no bot"),
        ({"out": 5}, "name of a file, not 5"),
        ({"out": "\ud800"}, "UTF-8"),
        ({"out": "a\0b"}, "not a valid file name"),
        ({"games": 0}, "at least 1"),
        ({"games": 10**30}, "at most 1,000,000,000"),
        ({"games": True}, "at least 1"),
        ({"processes": 0}, "at least 1"),
        ({"seed": True}, "text, bytes or an integer, not True"),
        ({"seed": "\ud800"}, "UTF-8"),
        ({"variant": "long"}, "no option 'variant'"),
    ],
)
def test_an_invalid_simulation_is_refused(given: dict[str, object], reason: str) -> None:
    with pytest.raises(meadhall.MeadhallError, match=reason):
        meadhall.simulate(GAME, **{"games": 5, **given})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("wins", "games", "low", "high"),
    [(0, 0, 0.0, 1.0), (0, 10, 0.0, 0.27753), (5, 10, 0.23659, 0.76341), (10, 10, 0.72247, 1.0), (50, 100, 0.40383, 0.59617)],
)
def test_intervals_are_wilson_intervals(wins: int, games: int, low: float, high: float) -> None:
    """Values from R: prop.test(wins, games, correct = FALSE)."""
    assert wilson(wins, games) == pytest.approx((low, high), abs=1e-5)


def test_warming_up_reports_all_its_steps() -> None:
    reported: list[tuple[int, int]] = []
    warm([GAME], lambda done, steps: reported.append((done, steps)))
    assert [done for done, _steps in reported] == list(range(reported[0][1] + 1))
    warm([])


def last(view: View) -> int:
    """Choose the last action: between two such bots a match of Axes and Allies never ends."""
    return view.legal[-1]


@pytest.mark.parametrize("bots", [["karl", last], ["karl", "thrall"]], ids=["whole matches", "compiled loop"])
def test_matches_that_were_stopped_are_counted_and_no_other_figure_counts_them(bots: list[Any]) -> None:
    some = meadhall.simulate(GAME, bots, games=20, seed="stop", players=2, limit=3)
    assert 0 < some.stopped < 20
    assert (some.games, some.limit) == (20, 3)
    ended = 20 - some.stopped
    assert sum(rate.share for rate in some.by_seat) == ended
    assert {rate.games for rate in some.by_seat} == {rate.games for rate in some.by_place} == {ended}
    assert sum(rate.games for rate in some.by_bot.values()) == 2 * ended
    assert some.length.max <= 3
    assert f"{some.stopped} matches were stopped after 3 decisions." in "\n".join(map(str, some.displayed()))
    assert some.to_dict()["stopped"] == some.stopped


def test_a_match_that_ends_before_the_limit_is_the_same_with_another_limit() -> None:
    reports = [meadhall.simulate(GAME, ["karl", "thrall"], games=20, seed="limit", players=3, limit=n) for n in (500, 5_000)]
    one, other = ({**report.to_dict(), "seconds": 0, "decisions_per_second": 0, "limit": 0} for report in reports)
    assert one == other
    assert one["stopped"] == 0


@pytest.mark.parametrize("name", ["axes-and-allies", "axxa", "dungeon-allies", "viking-axes"])
def test_a_report_of_matches_that_were_all_stopped_can_be_read(name: str) -> None:
    for found in (
        meadhall.simulate(name, games=4, seed="all", players=2, limit=1, out=os.devnull),
        meadhall.simulate(name, games=4, seed="all", players=2, limit=1),
        tournament(name, ["thrall", "karl"], games=4, seed="all", players=2, limit=1),
        meadhall.balance(name, 2, games=4, seed="all", limit=1, depth="quick", processes=1),
    ):
        assert found.stopped == 4 or (name == GAME and found.stopped > 0)  # there one attack can end a match
        assert json.dumps(found.to_dict())
        assert "stopped after 1 decisions" in "\n".join(map(str, found.displayed()))
        assert repr(found)
        assert found.to_polars().height > 0


def test_a_match_that_was_stopped_has_a_record_without_a_result(tmp_path: Path) -> None:
    file = tmp_path / "x.jsonl"
    report = meadhall.simulate(GAME, ["karl", last], games=6, seed="stop", players=2, limit=5, out=file)
    records = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    assert sum(record.get("abandoned") == "stopped after 5 decisions" for record in records) == report.stopped > 0
    assert sum(record.get("result") is None for record in records) == report.stopped
    for record in records:
        meadhall.replay(record)


@pytest.mark.parametrize("limit", [0, -1, 1.5, "many", 1_000_001])
def test_a_limit_is_a_number_of_decisions(limit: Any) -> None:
    runs: tuple[Callable[..., Any], ...] = (meadhall.simulate, partial(tournament, bots=["thrall", "karl"]), meadhall.balance)
    for run in runs:
        with pytest.raises(BadSetup, match="number of decisions"):
            run(GAME, limit=limit)


def test_stopped_matches_are_the_same_in_processes() -> None:
    runs = [meadhall.simulate(GAME, ["karl", "thrall"], 40, "p", 2, out=os.devnull, limit=3, processes=count) for count in (1, 2)]
    one, other = ({**report.to_dict(), "seconds": 0, "decisions_per_second": 0} for report in runs)
    assert one == other
    assert one["stopped"] > 0


UNGUARDED = """
import meadhall
from meadhall.lab import tournament


def last(view):
    return view.legal[-1]


print("begin")
{call}
"""


@pytest.mark.slow("two scripts, each with two processes that begin it again")
def test_processes_without_the_guard_of_multiprocessing_are_refused_with_the_reason(tmp_path: Path) -> None:
    calls = (
        f"tournament({GAME!r}, ['karl', last], games=8, limit=5, processes=2)",
        f"meadhall.balance({GAME!r}, 2, bots=['search@2'], games=4, limit=5, depth='quick', processes=2)",
    )
    for call in calls:
        script = tmp_path / "script.py"
        script.write_text(UNGUARDED.format(call=call), "utf-8")
        run = subprocess.run([sys.executable, script], capture_output=True, text=True, check=False)
        assert run.returncode == 1
        told = run.stderr.strip().splitlines()[-1]
        assert told.startswith("meadhall.engine.errors.BadSetup: each process runs the script from its beginning"), run.stderr
        assert 'if __name__ == "__main__":' in told
        assert "bootstrapping" not in run.stderr


def test_balance_plays_functions_of_a_script_in_one_process_by_default(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    call = f"meadhall.balance({GAME!r}, 2, bots=['karl', last], games=4, limit=5, depth='quick')"
    script.write_text(UNGUARDED.format(call=call), "utf-8")
    assert subprocess.run([sys.executable, script], capture_output=True, text=True, check=True).stdout == "begin\n"
