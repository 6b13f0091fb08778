"""Skill, luck and own figures in a balance report, against known truths and loops over the same matches."""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter as Tally
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import meadhall
from games_for_tests.nim import game as nim
from games_for_tests.race import game as race
from meadhall.bots import BadBot
from meadhall.engine.errors import BadSetup
from meadhall.engine.game import Game
from meadhall.engine.match.match import Match
from meadhall.engine.match.view import SPECTATOR
from meadhall.engine.registry import registered
from meadhall.lab import Balance, balance
from meadhall.lab.balance import run, tasks
from meadhall.lab.balance.figures import Column, Columns, figures_of
from meadhall.lab.balance.own import FigureFailed
from meadhall.lab.balance.tasks import Measuring, Task, measured_luck, measured_rung
from meadhall.lab.balance.trace import CellPlan
from meadhall.lab.luck import _Evaluator, values_and_luck

AA = meadhall.game("axes-and-allies")


def plan(subject: Game, players: int = 2, **options: str) -> CellPlan:
    """Return a plan of random players."""
    return CellPlan(subject.name, ("thrall",) * players, subject.check_options(options), "mead")


# ----------------------------------------------------------------------------------------------------------------- luck and skill


def test_luck_decides_everything_in_a_race_of_dice_and_nothing_without_chance(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tasks, "GOOD", "search@4")
    with registered(race):
        found = measured_luck(plan(race), range(60))
        low, high = found["luck"].interval()
        assert low < 1 < high
        assert high - low < 0.5
        assert found["luck_of_deal"].value == pytest.approx(0, abs=0.05)
    with registered(nim):
        without = measured_luck(plan(nim), range(20))
    assert without["luck_of_dice"].value == 0
    assert without["luck"].value == pytest.approx(0, abs=0.1)


def test_a_level_wins_more_only_where_choices_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tasks, "RUNGS", ("thrall", "search@200"))
    with registered(race):
        low, high = measured_rung(plan(race), range(40), "search@200")["ladder.search@200"].interval()
        assert low < 1 < high
    with registered(nim):
        column = measured_rung(plan(nim), range(40), "search@200")["ladder.search@200"]
    assert column.value > 1.8
    assert column.most == 2  # no player can win more than two fair shares of two


def test_a_figure_at_its_ceiling_says_so_and_its_interval_has_a_width() -> None:
    always = figures_of({"ladder.karl": Column(np.full(40, 4.0), np.ones(40), most=4.0)})["ladder.karl"]
    assert (always.value, always.most, always.is_at_ceiling) == (4, 4, True)
    assert 3.5 < always.low < always.high == 4
    assert not figures_of({"ladder.karl": Column(np.repeat([4.0, 0.0], 20), np.ones(40), most=4.0)})["ladder.karl"].is_at_ceiling


def test_hidden_hands_keep_their_cards_when_the_draw_pile_is_shuffled_anew() -> None:
    """What seats know together is all hands, so that drawing a card is luck, and playing it is not."""
    match = meadhall.game("viking-axes").match(3, seed="hands", variant="strategic")
    while len(match.steps) < 12:
        match.play(match.legal()[0])
    values = _Evaluator(match, 1, 4, together=True)
    assert values.viewer_of(match.states, SPECTATOR) == SPECTATOR
    known = values._known(match.states, SPECTATOR)
    assert (known["hand"] == match.states["hand"]).all()
    assert (known["pile"] != match.states["pile"]).any()
    while not match.over:
        match.play(match.legal()[0])
    assert abs(values_and_luck(match, 1, 4)[1]).max() > 0.1


# ----------------------------------------------------------------------------------------------------------- own figures


def kills_by_the_first(match: Match) -> int:
    """Count the kills of seat 0."""
    return sum(event.name == "killed" and event.seat == 0 for step in match.steps for event in step.events)


def roll(match: Match) -> tuple[int, int] | None:
    """Return the sum and the number of the rolls of a match of more than three attacks."""
    rolls = [event.roll for step in match.steps for event in step.events if event.name == "attack_roll"]
    return (sum(rolls), len(rolls)) if len(rolls) > 3 else None


@pytest.fixture(scope="module")
def own() -> Balance:
    """A report with own figures."""
    figures: dict[str, Any] = {"kills of the first": kills_by_the_first, "roll": roll}
    counters = {"sixes": "attack_roll roll=6", "kills": "killed by seat", "feud": "attack seat=1 target=3 by target"}
    return balance(AA, 3, {"one": {}, "two": {}}, games=12, seed="own", depth="quick", figures=figures, counters=counters)


def test_figures_of_ones_own_are_those_of_a_loop_over_the_same_matches(own: Balance) -> None:
    found = {name.removeprefix("own."): each for name, each in own.figures["one", 3].items() if each.family == "own"}
    told, rolls = Tally[str](), list[tuple[int, int]]()
    for number in range(12):
        match = own.match(("one", 3), number)
        for event in (event for step in match.steps for event in step.events):
            told["sixes"] += event.name == "attack_roll" and event.roll == 6
            told["feud"] += event.name == "attack" and (event.seat, event.target) == (0, 2)
            if event.name == "killed":
                told["kills"] += 1
                told[f"kills.{event.seat + 1}"] += 1
        rolls += [pair] if (pair := roll(match)) else []
    assert {name: found[name].value * 12 for name in told} == pytest.approx(dict(told))
    assert found["feud.3"].value == found["feud"].value
    assert (found["feud.1"].value, found["kills of the first"].value) == (0, found["kills.1"].value)
    assert found["roll"].value == pytest.approx(sum(total for total, _count in rolls) / sum(count for _total, count in rolls))
    assert found["roll"].of == sum(count for _total, count in rolls)
    assert found["sixes"].low < found["sixes"].value < found["sixes"].high


def test_figures_of_ones_own_have_differences_rows_and_texts(own: Balance) -> None:
    gap = own.difference("two", "one")["own.kills"]
    assert (gap.value, gap.low, gap.high) == (0, 0, 0)
    again = Balance.from_dict(own.to_dict())
    assert again.own == own.own == {**own.own, "kills": "killed by seat", "roll": "roll"}
    assert {row["item"] for row in again.rows() if row["family"] == "own"} >= {"sixes", "kills.2"}
    assert "kills, player 2" in own.to_html()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("kiled", "no event 'kiled'; did you mean killed"),
        ("killed sat=1", "the event killed has no field 'sat'; did you mean seat"),
        ("killed seat=4", "a player from 1 to 3, not '4'"),
        ("attack_roll roll=six", "is a number, not 'six'"),
        ("attack_roll by roll", "roll of the event attack_roll is no seat"),
        ("killed seat", "a counter is written as"),
    ],
)
def test_a_counter_of_what_there_is_not_is_refused_with_the_nearest(text: str, message: str) -> None:
    with pytest.raises(BadSetup, match=message):
        balance(AA, 3, games=2, depth="quick", counters={"it": text})


def test_a_counter_names_pieces_as_records_do_in_each_variant() -> None:
    report = balance(
        "dungeon-allies", 2, games=2, seed="own", depth="quick", bots=["thrall"], counters={"it": "placed spot=tavern"}
    )
    events = [event for n in range(2) for step in report.match(("built-in", 2), n).steps for event in step.events]
    count = sum(event.name == "placed" and event.spot == "tavern" for event in events)
    assert report.figures["built-in", 2]["own.it"].value * 2 == count > 0
    with pytest.raises(BadSetup, match="did you mean tavern"):
        balance("dungeon-allies", 2, games=2, depth="quick", counters={"it": "placed spot=tavrn"})


def test_a_function_that_fails_or_returns_no_number_ends_the_run_with_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for wrong in (lambda _match: 1 / 0, lambda _match: "many", lambda _match: float("nan")):
        with pytest.raises(FigureFailed, match="the figure mine"):
            balance(AA, 2, games=2, depth="quick", figures={"mine": wrong})
    (tmp_path / "own_figures.py").write_text("def steps(match):\n    return len(match.steps)\n")
    monkeypatch.chdir(tmp_path)
    found = balance(AA, 2, games=4, seed="own", depth="quick", figures={"steps": "own_figures:steps"}, processes=1)
    sys.modules.pop("own_figures", None)
    figures = found.figures["built-in", 2]
    assert figures["own.steps"].value == figures["decisions"].value
    for name, figure, error in (
        ("a.b", "own_figures:steps", BadSetup),
        ("it", "own_figures", BadSetup),
        ("it", "own_figures:no", BadBot),
    ):
        with pytest.raises(error):
            balance(AA, 2, games=2, depth="quick", figures={name: figure})


def test_a_board_shows_each_square_with_its_number() -> None:
    report = balance("dungeon-allies", 2, games=2, seed="own", depth="quick", bots=["thrall"])
    drawn = report.to_html().partition('<svg class="board"')[2].partition("</svg>")[0]
    told = re.findall(
        r'<text x="([\d.]+)%" y="(\d+)" text-anchor="middle">([^<]+)</text><text class="value"[^>]*>([^<]+)<', drawn
    )
    figures = report.figures["built-in", 2]
    assert [value for _x, _y, _name, value in told] == [f"{figures[f'acquired.square.{k}'].value:.2f}" for k in range(28)]
    assert [name for _x, _y, name, _value in told][7:9] == ["Y8", "B1"]
    assert len({(x, y) for x, y, _name, _value in told}) == 28
    assert len({y for _x, y, _name, _value in told}) == 7


# ----------------------------------------------------------------------------------------------------------------- order and time


def test_what_only_a_deep_report_measures_comes_after_all_that_a_usual_one_does(monkeypatch: pytest.MonkeyPatch) -> None:
    order = []

    def measured(work: Measuring, numbers: list[int]) -> Columns:
        order.append(work)
        names = ["decisions", "place.1"] if work.task is Task.PLAY else ["stakes"]
        return {name: Column(np.tile([0.0, 2.0], len(numbers))[: len(numbers)], np.ones(len(numbers))) for name in names}

    monkeypatch.setattr(Measuring, "_measure", measured)
    monkeypatch.setattr(run, "build", lambda _cells, columns, *_rest: columns)
    usual = {Task.PLAY, Task.CHANCES, Task.LADDER, Task.LUCK}
    for depth in ("usual", "deep"):
        balance(AA, 2, precision=0.015, seconds=0, depth=depth, processes=1)
        plays = [number for number, work in enumerate(order) if work.task is Task.PLAY]
        deep = [number for number, work in enumerate(order) if work.stage not in usual]
        assert max(plays) < min(deep, default=len(order))
        assert bool(deep) is (depth == "deep")
        assert len(plays) > 16
        order.clear()


def test_zero_seconds_are_no_limit() -> None:
    assert balance(AA, 2, games=4, seed="mead", depth="quick", seconds=0).ended == "complete"


SCRIPT = """
import meadhall
from meadhall.lab.balance import tasks

tasks.SIZES.update(dict.fromkeys(tasks.SIZES, 1))
tasks.RUNGS, tasks.GOOD, tasks.PLAYOUTS, tasks.TIMES = ("thrall", "karl"), "karl", 2, 2
print(meadhall.balance("axes-and-allies", 2, games=4, seed="mead").ended)
"""


def test_a_script_without_a_guard_gets_a_usual_report_all_the_same(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(SCRIPT)
    done = subprocess.run([sys.executable, tmp_path / "script.py"], capture_output=True, text=True, check=False)
    assert (done.stdout, done.returncode) == ("complete\n", 0), done.stderr
