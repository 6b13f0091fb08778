"""The balance report: figures, intervals, differences, own bots, and the known truths that are cheap to meet."""

from __future__ import annotations

import json
import os
import re
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import meadhall
from bulk_games import counted_tournament
from meadhall.bots import BadBot
from meadhall.engine.errors import BadSetup
from meadhall.engine.match.record import read_records
from meadhall.engine.match.view import View
from meadhall.engine.registry import registered
from meadhall.engine.report_terms import Elements
from meadhall.engine.state.chance import seed_from_text
from meadhall.engine.text.language import speaking
from meadhall.lab import Balance, balance, simulate, tournament, without
from meadhall.lab.balance import STYLES, run as running, tasks
from meadhall.lab.balance.chances import measured_chances
from meadhall.lab.balance.figures import Column, Columns, Figure, difference, flagged, merged
from meadhall.lab.balance.in_words import name_in_words
from meadhall.lab.balance.measures import use_of_actions, use_of_pieces
from meadhall.lab.balance.run import _Job, _Run
from meadhall.lab.balance.tasks import SIZES, Measuring, Task, measured_without
from meadhall.lab.balance.trace import CellPlan, Trace, Tracer
from meadhall.lab.entrants import BotFailed, action_kinds, kinds_by_action, play_out

AA = meadhall.game("axes-and-allies")
DA = meadhall.game("dungeon-allies")


def make_small(patch: pytest.MonkeyPatch, size: int) -> None:
    """Give reports few matches, and searches few iterations: rules are interpreted here."""
    for task in SIZES:
        patch.setitem(SIZES, task, size)
    patch.setattr(tasks, "ITERATIONS", 4)
    patch.setattr(tasks, "RUNGS", ("thrall", "karl", "search@2", "search@4"))
    patch.setattr(tasks, "HIGH_RUNGS", ("search@6",))
    patch.setattr(running, "HIGH_RUNGS", ("search@6",))
    patch.setattr(tasks, "GOOD", "search@2")
    patch.setattr(tasks, "PLAYOUTS", 4)
    patch.setattr(tasks, "TIMES", 2)


@pytest.fixture(scope="module")
def report() -> Iterator[Balance]:
    """A small report with everything but deep searches."""
    with pytest.MonkeyPatch.context() as patch:
        make_small(patch, 6)
        yield balance(AA, (2, 3), {"built-in": {}, "same": {}}, ["karl"], games=12, seed="mead", without=["ally"], processes=1)


def plan(game: str, players: int, bot: str = "karl") -> CellPlan:
    """Return a plan with the default options."""
    return CellPlan(game, (bot,) * players, meadhall.game(game).check_options({}), "mead")


@pytest.mark.parametrize(("game", "players"), [("axes-and-allies", 4), ("viking-axes", 3)])
def test_a_traced_match_is_the_match_of_its_seed(game: str, players: int) -> None:
    here = plan(game, players)
    trace = Tracer(here).trace([5])
    match = here.match(5)
    play_out(match, here.bots_of(5))
    result = match.result()
    assert result is not None
    assert [step.action for step in match.steps] == trace.action.tolist()
    assert [step.legal for step in match.steps] == trace.legal.tolist()
    assert trace.payoffs[0].tolist() == list(result.scores)
    told = [event.kind for events in (match.setup, *(step.events for step in match.steps)) for event in events]
    assert trace.told[:, 2].tolist() == told


def test_the_place_in_the_first_order_is_not_the_seat() -> None:
    trace = Tracer(plan("axes-and-allies", 4)).trace(range(8))
    firsts = [int(trace.seat[trace.match == number][0]) for number in range(8)]
    assert trace.orders[:, 0].tolist() == firsts
    assert len(set(firsts)) > 1
    assert (np.sort(trace.orders, axis=1) == np.arange(4)).all()
    found = simulate(AA, ["karl", "karl"], games=60, seed="mead")
    assert sum(rate.share for rate in found.by_place) == pytest.approx(60)
    assert found.by_place[0].rate > found.by_seat[0].rate


def shares_of_attackers(sides: int, kills_on: int) -> float:
    """Return the fair shares of the first of two who always attack, as karl does: the chance w = k + (1 - k) (1 - w)."""
    rolls = np.arange(1, sides + 1)
    kill = ((rolls[None] < rolls[:, None]) | ((rolls[None] >= kills_on) & (kills_on > 0))).mean()
    return 2 * float(np.linalg.solve([[2 - kill]], [1.0])[0])


@pytest.mark.parametrize(("sides", "kills_on"), [(6, 0), (6, 5), (12, 0)])
def test_what_if_axes_kill_on_a_five(sides: int, kills_on: int) -> None:
    """The chances of a duel are those of a small Markov chain; 12 of 19 with the printed numbers."""
    assert shares_of_attackers(6, 0) == pytest.approx(2 * 12 / 19)
    report = balance(AA, 2, {"it": {"sides": sides, "kills_on": kills_on}}, games=400, seed="axes", depth="quick")
    place = report.figures["it", 2]["place.1"]
    assert place.low < shares_of_attackers(sides, kills_on) < place.high
    assert place.low > shares_of_attackers(6, 0) or not kills_on


def test_two_games_are_compared_on_common_seeds() -> None:
    """A copy plays the same matches: every difference is exactly 0."""
    with registered(replace(AA, name="my-axes", title="My Axes")):
        variants: dict[str, dict[str, Any]] = {"printed": {}, "mine": {"game": "my-axes"}}
        variants["five"] = {"game": "my-axes", "kills_on": 5}
        report = balance(AA, 3, variants, games=40, depth="quick", seed="copy")
        same, other = report.difference("mine", "printed"), report.difference("five", "printed")
        assert {(figure.value, figure.low, figure.high) for figure in same.values()} == {(0.0, 0.0, 0.0)}
        assert other["turns"].high < 0, "more rolls kill"
        assert report.match(("mine", 3), 0).game.title == "My Axes"
        again = Balance.from_dict(json.loads(json.dumps(report.to_dict())))
        assert again.played("five")[1] == {"last_two": "ally", "sides": 6, "kills_on": 5}
        assert "Another game: My Axes" in report.to_dict()["changes"]["mine"]
    with pytest.raises(meadhall.UnknownGame, match="my-axes"):
        balance(AA, 2, {"mine": {"game": "my-axes"}}, games=2)


TELLING = {"axes-and-allies": "first", "viking-axes": "starts", "dungeon-allies": "order", "axxa": "starts"}
"""The event of each game that tells who has the first turn."""


@pytest.mark.parametrize(
    ("name", "players", "options"),
    [
        ("axes-and-allies", 4, {}),
        ("viking-axes", 3, {}),
        ("viking-axes", 2, {"variant": "strategic"}),
        ("dungeon-allies", 3, {}),
        ("axxa", 3, {"mode": "versus"}),
        ("axxa", 5, {"mode": "versus"}),
    ],
)
def test_the_places_of_a_report_are_those_that_the_events_of_its_matches_tell(
    name: str, players: int, options: dict[str, str]
) -> None:
    subject, count = meadhall.game(name), 2 if name == "dungeon-allies" else 12
    report = balance(subject, players, {"it": options}, games=count, seed="places", depth="quick", bots=["thrall"])
    wins = np.zeros(players)
    for number in range(count):
        match = report.match(("it", players), number)
        told = [event for events in (match.setup, *(step.events for step in match.steps)) for event in events]
        named = next(event.arguments for event in told if event.name == TELLING[name])
        result = match.result()
        assert result is not None
        deciding = list(dict.fromkeys(step.seat for step in match.steps))
        if name == "axxa":  # two sides alternate, whatever their sizes
            order = deciding
            assert len(order) == players
        else:
            order = list(named) if len(named) == players else [(named[0] + step) % players for step in range(players)]
        wins += [result.shares[seat] * len(match.parties) for seat in order]
    found = report.figures["it", players]
    assert [found[f"place.{place + 1}"].value for place in range(players)] == pytest.approx(list(wins / count))


@pytest.mark.parametrize(("name", "players"), [("axes-and-allies", 4), ("viking-axes", 3), ("axxa", 1)])
def test_the_figures_of_a_report_are_those_that_its_matches_tell_one_by_one(name: str, players: int) -> None:
    subject, count = meadhall.game(name), 6
    report = balance(subject, players, games=count, seed="loop", depth="quick", bots=["thrall"])
    figures = {name: figure.value for name, figure in report.figures["built-in", players].items()}
    told, decided, waits = Counter[str](), Counter[str](), list[int]()
    dead = list[float]()
    for number in range(count):
        match = report.match(("built-in", players), number)
        told.update(event.name for events in (match.setup, *(step.events for step in match.steps)) for event in events)
        latest: dict[int, int] = {}
        for position, step in enumerate(match.steps):
            names = {event.name for event in step.events}
            left = len(match.steps) - position - 1
            dead += [left / len(match.steps)] * len(names & {"killed", "out"})
            decided["all"] += 1
            decided["forced"] += step.legal == 1
            decided["choices"] += step.legal if step.legal > 1 else 0
            if step.seat in latest and position - latest[step.seat] > 1:
                waits.append(position - latest[step.seat] - 1)
            latest[step.seat] = position
    found = {
        "decisions": decided["all"] / count,
        "forced": decided["forced"] / decided["all"],
        "legal": decided["choices"] / (decided["all"] - decided["forced"]),
    }
    if waits:
        found["waiting"] = sum(waits) / len(waits)
    if dead:
        found["dead"] = sum(dead) / len(dead)
    if name == "axes-and-allies":
        found |= {"turns": told["power"] / count, "attacks": told["attack"] / count}
    if name == "axxa":
        found |= {"turns": told["moved"] / count, "won": told["won"] / count}
    if name == "viking-axes":
        found |= {"attacks": told["throws"] / count}
    assert {name: figures[name] for name in found} == pytest.approx(found)


def test_a_player_who_drops_out_before_a_decision_keeps_the_place() -> None:
    """With the order of decisions, whoever is killed before a turn would come last, and so the last would win hardly ever."""
    trace = Tracer(plan("axes-and-allies", 6)).trace(range(60))
    deciding = [list(dict.fromkeys(trace.seat[trace.match == number].tolist())) for number in range(60)]
    assert any(len(seats) < 6 for seats in deciding)
    clockwise = [[(seats[0] + step) % 6 for step in range(6)] for seats in deciding]
    assert trace.orders.tolist() == clockwise
    payoffs, _lengths, _counts, orders = counted_tournament(AA, [1] * 6, 60, "mead")
    assert (orders == (orders[:, :1] + np.arange(6)) % 6).all()
    assert payoffs.shape == orders.shape


def test_a_game_without_a_declared_order_says_that_its_places_are_guessed() -> None:
    with registered(replace(AA, elements=replace(AA.elements, first_order=None))) as bare:
        guessed = "so the places are a guess"
        assert guessed in balance(bare, 3, games=10, seed="mead", depth="quick").headlines[0]
        assert guessed in "".join(str(part) for part in simulate(bare, ["karl"], games=20, seed="mead").displayed())
    assert guessed not in "".join(str(part) for part in simulate(AA, ["karl"], games=20, seed="mead").displayed())


def test_a_report_answers_every_question(report: Balance) -> None:
    figures = report.figures["built-in", 3]
    families = {figure.family for figure in figures.values()}
    assert {"place", "turns", "waiting", "dead", "forced", "ladder", "chosen", "without"} <= families
    assert {"decided", "runaway", "uncertainty_at", "kingmaking", "attacks", "at_leader"} <= families
    places = [figures[f"place.{place}"].value for place in (1, 2, 3)]
    assert sum(places) == pytest.approx(3)
    assert figures["place"].value == max(places)
    assert all(figure.low <= figure.value <= figure.high for figure in figures.values())
    assert figures["uncertainty_at.10"].value == pytest.approx(0)
    assert report.ended == "complete"


def test_a_deep_report_searches(monkeypatch: pytest.MonkeyPatch) -> None:
    make_small(monkeypatch, 2)
    figures = balance(AA, 3, games=4, seed="mead", depth="deep", processes=1).figures["built-in", 3]
    families = {figure.family for figure in figures.values()}
    assert {"effective", "stakes", "loss", "ladder", "kingmaking"} <= families
    assert 1 <= figures["effective"].value <= 4
    assert figures["stakes"].value >= 0


def test_a_deep_report_only_adds(monkeypatch: pytest.MonkeyPatch) -> None:
    make_small(monkeypatch, 2)
    usual, more = (
        balance(AA, 2, games=8, seed="mead", depth=depth, processes=1).figures["built-in", 2] for depth in ("usual", "deep")
    )
    assert usual["decided"].games == 4  # matches are short, so there are more
    assert {"ladder.search@6", "stakes"} <= more.keys() - usual.keys()
    assert {name: more[name] for name in usual} == usual


def test_of_two_measurements_of_a_figure_the_one_of_more_matches_stands() -> None:
    few, many = (Column(np.ones(count), np.ones(count)) for count in (2, 8))
    assert merged({"decided": many, "runaway": few}, {"decided": few, "runaway": many, "worth": few}) == {
        "decided": many,
        "runaway": many,
        "worth": few,
    }


def test_what_is_worth_is_measured_in_all_matches_of_a_cell_or_in_none() -> None:
    """A cell of long matches has some short ones. They alone would be no fair sample."""
    for every in (False, True):
        assert ("kingmaking" in measured_chances(plan("axes-and-allies", 3), range(2), every=every)) is every


def test_jobs_are_done_in_rounds_of_all_cells(monkeypatch: pytest.MonkeyPatch) -> None:
    order: list[tuple[int, int]] = []

    def measured(work: Measuring, numbers: list[int]) -> Columns:
        order.append((work.plan.players, numbers[-1]))
        return {"stakes": Column(np.ones(len(numbers)), np.ones(len(numbers)))}

    monkeypatch.setattr(Measuring, "_measure", measured)
    jobs = [_Job(cell, Measuring(plan("axes-and-allies", cell), Task.SEARCH), 4) for cell in (2, 3)]
    assert _Run(None, 0, 1, None, print).all(jobs) == "complete"
    assert order == [(2, 1), (3, 1), (2, 3), (3, 3)]
    assert [job.done for job in jobs] == [4, 4]
    late = [_Job(cell, Measuring(plan("axes-and-allies", cell), Task.SEARCH), 4) for cell in (2, 3)]
    assert _Run(1e-9, 0, 1, None, print).all(late) == "time"
    assert [job.done for job in late] == [2, 0]


def test_variants_play_the_same_deals_and_differ_by_pairs(report: Balance) -> None:
    same = report.differences["same", 2]
    assert all(figure.value == figure.low == figure.high == 0 for figure in same.values())
    variants = {variant: {"variant": variant} for variant in ("standard", "strategic")}
    cards = balance("viking-axes", 2, variants, games=6, seed="mead", depth="quick")
    gap = cards.difference("strategic", "standard")["legal"]
    assert gap.value == pytest.approx(cards.figures["strategic", 2]["legal"].value - cards.figures["standard", 2]["legal"].value)
    assert 0 < gap.low < gap.value
    assert cards.differences["strategic", 2]["legal"].value == gap.value


def test_the_same_seed_gives_the_same_report(report: Balance) -> None:
    first = report.figures["built-in", 2]
    again = balance(AA, 2, games=12, seed="mead", depth="quick").figures["built-in", 2]
    assert {name: first[name].value for name in again} == {name: figure.value for name, figure in again.items()}


def test_an_example_is_a_match_that_can_be_replayed(report: Balance, tmp_path: Path) -> None:
    key = "built-in", 2
    example = report.examples["built-in", 2, "karl"][0]
    match = report.match(key, example.number)
    again = meadhall.replay(match.record())
    assert again.result() == match.result()
    assert match.seed == seed_from_text(example.seed)
    report.write(tmp_path / "examples.jsonl")
    assert len(list(read_records(tmp_path / "examples.jsonl"))) == sum(map(len, report.examples.values()))


def test_a_report_has_every_form(report: Balance, tmp_path: Path) -> None:
    report.write(tmp_path / "report.json")
    again = Balance.from_dict(json.loads((tmp_path / "report.json").read_text()))
    assert (again.cells[0].games, again.to_dict(), again.to_html()) == (12, report.to_dict(), report.to_html())
    assert again.difference("same", "built-in") == report.differences["same", 2]
    with pytest.raises(BadSetup, match="read back"):
        again.difference("built-in", "same")
    page = report.to_html()
    assert page.count("<svg") >= 3
    for forbidden in ('src="http', 'href="http', "<script", "url("):
        assert forbidden not in page
    with speaking("de"):
        assert all(
            part in report.to_html() for part in ("Ist es fair?", "Was diese Kennzahlen bedeuten", "Die Zahlen dieses Diagramms")
        )
    table = report.to_polars()
    assert table.filter(pl.col("less").is_null(), family="place").height == 2 * (3 + 4)
    assert len(report.headlines) > 3


@pytest.mark.parametrize("data", [{}, [], None, {"seed": "s"}, {"seed": {"hex": "x"}}, {"seed": "s", "game": 5}])
def test_what_is_no_report_is_refused(data: Any) -> None:
    with pytest.raises(BadSetup, match="no balance report"):
        Balance.from_dict(data)


def test_a_report_with_unknown_figures_or_none_is_refused(report: Balance) -> None:
    data = report.to_dict()
    figures = data["cells"][0]["figures"]
    charmed = {**data["cells"][0], "figures": {**figures, "charm": {**figures["place"], "name": "charm"}}}
    wrong: list[dict[str, Any]] = [{"cells": []}, {"seed": 5}, {"cells": [charmed]}]
    for changed in wrong:
        with pytest.raises(BadSetup, match="no balance report of this version"):
            Balance.from_dict({**data, **changed})


def test_a_piece_that_a_game_has_no_longer_keeps_the_name_of_its_figure(report: Balance) -> None:
    assert name_in_words(report, Figure("worth.gem.3", 1, 0, 2, 5)) == "worth: gem.3"


def test_a_seed_of_bytes_is_read_back() -> None:
    report = balance(AA, 2, games=4, seed=b"bytes", depth="quick")
    again = Balance.from_dict(json.loads(report.to_json()))
    assert again.seed == report.seed
    assert again.match(("built-in", 2), 3).result() == report.match(("built-in", 2), 3).result()


def test_a_game_that_declares_nothing_gets_the_generic_figures() -> None:
    with registered(replace(AA, elements=Elements())) as bare:
        figures = balance(bare, 3, games=10, seed="mead", depth="quick").figures["built-in", 3]
    assert {"place.1", "turns.median", "forced", "chosen.action_0"} <= set(figures)


def test_a_small_known_truth_is_met() -> None:
    """With two players who only attack, whoever begins wins 12 of 19 matches: the kill has a chance of 5 in 12."""
    place = balance(AA, 2, games=300, seed="truth", depth="quick").figures["built-in", 2]["place.1"]
    assert place.low < 2 * 12 / 19 < place.high


def test_the_error_of_a_ratio_is_that_of_its_linearization() -> None:
    draw = np.random.default_rng(7)
    counts = draw.integers(1, 5, 400).astype(float)
    sums = draw.binomial(counts.astype(int), 0.3).astype(float)
    column = Column(sums, counts)
    again = []
    for _ in range(300):
        rows = draw.integers(0, 400, 400)
        again.append(sums[rows].sum() / counts[rows].sum())
    assert column.error == pytest.approx(float(np.std(again)), rel=0.15)
    gap, error = difference(column, Column(sums + 0.1 * counts, counts))
    assert gap == pytest.approx(-0.1)
    assert error == pytest.approx(0, abs=1e-9)


def test_few_flags_are_false() -> None:
    """Of figures without a true difference at most a few are flagged, of one with a large difference the right one."""
    draw = np.random.default_rng(3)
    flags = 0
    for _ in range(200):
        errors = draw.normal(size=40) * 0.1
        page = {f"place.{k}": Figure(f"place.{k}", e, e - 0.196, e + 0.196, 100) for k, e in enumerate(errors)}
        flags += any(figure.warning for figure in flagged([page], differences=True)[0].values())
    assert flags <= 20
    sure = flagged([{"place.1": Figure("place.1", 1.6, 1.5, 1.7, 100), "forced": Figure("forced", 0.4, 0.3, 0.5, 100)}])[0]
    assert (sure["place.1"].warning, sure["forced"].warning) == ("high", "")


def first_legal(view: View) -> int:
    """Choose the first legal action."""
    return view.legal[0]


def illegal(_view: View) -> int:
    """Choose no legal action."""
    return 10_000


@pytest.fixture
def own_module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A module with a bot."""
    (tmp_path / "own_bot.py").write_text("def attack(view):\n    return min(view.legal)\n")
    monkeypatch.chdir(tmp_path)
    yield "own_bot:attack"
    sys.modules.pop("own_bot", None)


def test_functions_and_modules_are_bots(own_module: str) -> None:
    found = simulate(AA, [first_legal, own_module, "karl", without("karl", "ally")], games=8, seed="mead")
    assert set(found.by_bot) == {"first_legal", "own_bot:attack", "karl", "karl without ally"}
    table = tournament(AA, [first_legal, "thrall"], games=4, seed="mead")
    assert set(table.standings) == {"first_legal", "thrall"}
    own = balance(AA, 2, bots=[first_legal], games=4, seed="mead", depth="quick", processes=1)
    assert own.figures["built-in", 2, "first_legal"]["place.1"].games == 4


def test_a_bot_that_fails_ends_its_run_with_its_name() -> None:
    with pytest.raises(BotFailed, match="illegal"):
        simulate(AA, [illegal, "karl"], games=2, seed="mead")
    with pytest.raises(BotFailed, match="has died"):
        simulate(AA, [lambda _view: os._exit(1), "karl"], games=40, seed="mead", processes=2)
    with pytest.raises(BadBot, match="no_such_module"):
        simulate(AA, ["no_such_module:bot"], games=2)
    with pytest.raises(BadBot):
        simulate(AA, [7], games=2)  # type: ignore[list-item]


def test_a_bot_that_avoids_an_action_takes_it_only_without_another() -> None:
    avoiding = replace(plan("axes-and-allies", 4), avoided=(2,) * 4)
    trace = Tracer(avoiding).trace(range(20))
    assert (trace.action < 6).all()
    with pytest.raises(BadSetup, match="its kinds: attack, ally"):
        simulate(AA, [without("karl", "alley")], games=2)


def test_a_ban_of_what_a_bot_never_does_costs_exactly_nothing() -> None:
    here, numbers = plan("viking-axes", 3), range(6)
    trace = Tracer(here).trace(numbers)
    done = set(kinds_by_action(here.subject)[trace.action].tolist())
    kinds = enumerate(action_kinds(here.subject))
    shunned = [kind.name for number, kind in kinds if ((trace.offered >> number) & 1).any() and number not in done]
    assert "keep_armory" in shunned
    for kind in shunned:
        worth, bites = measured_without(here, numbers, kind).values()
        assert (worth.value, *worth.interval()) == (1, 1, 1)
        mine = (-trace.numbers)[trace.match] % 3 == trace.seat
        offers = (trace.offered >> [each.name for each in action_kinds(here.subject)].index(kind)) & 1 == 1
        beside = trace.offered & (trace.offered - 1) != 0
        assert (bites.sums.sum(), bites.counts.sum()) == (0, (mine & offers & beside).sum())
    worth, bites = measured_without(plan("axes-and-allies", 3), range(60), "ally").values()
    assert worth.value != 1
    assert bites.value > 0


@pytest.fixture(scope="module")
def dungeon() -> Trace:
    """A match of Dungeon Allies."""
    return Tracer(plan("dungeon-allies", 3, "thrall")).trace([0])


def test_a_choice_counts_only_beside_another_kind_of_action(dungeon: Trace) -> None:
    """In Dungeon Allies giving the first dice is never offered beside anything else."""
    columns = use_of_actions(dungeon)
    assert np.isnan(columns["chosen.assign"].value)
    assert 0 < columns["chosen.place_trade"].value < 1


def test_pieces_that_are_never_acquired_are_listed_and_monsters_are_pieces(dungeon: Trace) -> None:
    columns = use_of_pieces(dungeon)
    components = DA.options[0].of(DA.options[0].default)  # type: ignore[attr-defined]
    found = [columns[f"acquired.monster.{number}"] for number in range(len(components.monster))]
    assert min(column.value for column in found) == 0
    squares = sum(column.sums.sum() for name, column in columns.items() if name.startswith("acquired.square."))
    assert sum(column.sums.sum() for column in found) == squares > 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"precision": 2}, "precision must be"),
        ({"depth": "thorough"}, "depth must be"),
        ({"seconds": -1}, "seconds must be"),
        ({"players": 9}, "2 to 6"),
        ({"players": []}, "players must be"),
        ({"variants": {}}, "variants must be"),
        ({"without": ["fly"]}, "no kind of action"),
        ({"games": 0}, "games"),
    ],
)
def test_bad_arguments_are_refused(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(BadSetup, match=message):
        balance(AA, **{"players": 2, **arguments})  # type: ignore[arg-type]


def test_the_time_limit_ends_a_report_and_says_so() -> None:
    found = balance(AA, 2, seed="mead", precision=0.0005, seconds=0.01)
    assert found.ended == "time"
    assert "time limit" in "".join(map(str, found.displayed()))


def test_a_fragment_fits_into_another_page(report: Balance) -> None:
    made = report.to_fragment(lambda key, each: f"/watch/{key[1]}/{each.number}?a&b")
    ids = re.findall(r' id="([^"]*)"', made)
    assert len(ids) == len(set(ids))
    assert all(each.startswith("report-") for each in ids)
    assert not re.search(r"<(html|body|h1|script|style)|style=|data:", made)  # a hall's policy allows no rules in the page
    for key, found in report.examples.items():
        assert all(f'href="/watch/{key[1]}/{each.number}?a&amp;b"' in made for each in found)
    rules = re.sub(r"/\*.*?\*/|@(media|container)[^{]*", "", STYLES.read_text("utf-8"), flags=re.DOTALL)
    assert all(".report" in chosen for chosen in re.findall(r"([^{}]+)\{", rules) if chosen.strip())
    assert STYLES.read_text("utf-8") in report.to_html()
