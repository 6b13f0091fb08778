"""Analysis: the chances over the course of a match, and its turning points."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from math import inf, nan
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest

from games.axxa.scenes import move, pay, scene
from games_for_tests.hoard import game as hoard
from games_for_tests.nim import game as nim
from meadhall import game
from meadhall.bots.analysis import (
    MAX_TURNING_POINTS,
    MIN_CHANGE,
    Analysis,
    TurningPoint,
    accuracy_in_words,
    analyse,
    change_in_words,
    party_in_words,
    turning_point_in_words,
    turning_points,
)
from meadhall.engine.compiled import loops
from meadhall.engine.errors import BadSetup
from meadhall.engine.interface import GameWords
from meadhall.engine.match.match import Match
from meadhall.engine.match.record import loads
from meadhall.engine.match.step import Step
from meadhall.engine.match.view import EVERYTHING, SPECTATOR, concealed
from meadhall.engine.replay import replay
from meadhall.engine.search_settings import Solution
from meadhall.engine.text.language import speaking
from meadhall.games.axxa.solver import prove
from meadhall.games.axxa.state import Act
from sizes import sized

RECORDS = Path(__file__).parents[1] / "records"
FEW = sized(20, 40)


NIM = replace(nim, words=cast("GameWords", SimpleNamespace(ending=lambda _state: ("", "the last is taken"))))


def recorded(name: str) -> Match:
    return replay(loads((RECORDS / f"{name}.match.json").read_text("utf-8")))


def without_chances(match: Match) -> Analysis:
    """Return an analysis of public knowledge between rivals without estimates."""
    return Analysis("public", tuple((seat,) for seat in range(match.players)), (), (), (), (), secrets=True)


def played_out(match: Match) -> Match:
    """Play a match to its end, always with the first legal action."""
    while not match.over:
        match.play(match.legal()[0])
    return match


def hoarded(**options: str) -> Match:
    return played_out(hoard.match(players=4, seed="analysed", **options))


# ------------------------------------------------------------------------------------------------------------------- chances


def test_chances_have_a_row_for_the_setup_and_each_action_and_end_with_the_result() -> None:
    match = hoarded()
    analysis = analyse(match, iterations=FEW)
    result = match.result()
    assert result is not None
    assert len(analysis.chances) == len(match.steps) + 1
    assert analysis.chances[-1] == result.scores
    assert analysis.samples == (FEW,) * len(match.steps) + (0,)


@pytest.mark.parametrize("knowledge", ["public", "everything"])
def test_the_chances_of_rivals_sum_to_one(knowledge: str) -> None:
    analysis = analyse(hoarded(), knowledge, iterations=FEW)  # type: ignore[arg-type]
    assert analysis.parties == ((0,), (1,), (2,), (3,))
    np.testing.assert_allclose(np.sum(analysis.chances, axis=1), 1)


def test_seats_that_win_together_have_one_chance() -> None:
    together = analyse(hoarded(mode="together"), iterations=FEW)
    assert together.parties == ((0, 1, 2, 3),)
    assert all(len(set(row)) == 1 for row in together.chances)
    sides = analyse(hoarded(mode="sides"), iterations=FEW)
    assert sides.parties == ((0, 2), (1, 3))
    assert sides.chance(0, 0) + sides.chance(0, 1) == pytest.approx(1)


def nim_played() -> Match:
    """Return a match of Nim in which three, one and the last one of five are taken."""
    match = NIM.match(heap="small")
    for take in (2, 0, 0):
        match.play(take)
    return match


def test_a_position_with_only_a_winning_move_has_chance_one() -> None:
    match = nim_played()
    analysis = analyse(match, iterations=FEW)
    assert analysis.chances[2] == (1.0, 0.0)
    assert 0.2 < analysis.chances[0][0] < 0.8


def test_chances_of_solved_positions_are_exact() -> None:
    match = recorded("axes-and-allies/4-players-0")
    analysis = analyse(match, iterations=FEW)
    solver = match.game.solver
    assert solver is not None
    for position in range(len(match.steps)):
        solution = solver(match.view_at(position, SPECTATOR))
        assert solution is not None
        assert analysis.chances[position] == pytest.approx(solution.value)
    assert set(analysis.samples) == {0}
    assert analysis.error == 0
    assert accuracy_in_words(analysis)[0] == "Exact values, assuming perfect play by everyone."


def test_positions_before_the_first_solved_one_are_estimated() -> None:
    def solved_at_the_end(view: object) -> Solution | None:
        left = view.state.left  # type: ignore[attr-defined]
        return Solution({0: (1.0, 0.0)}, {0: 1.0}) if left == 1 else None

    match = replace(NIM, solver=solved_at_the_end).match(heap="small")
    for take in (2, 0, 0):
        match.play(take)
    analysis = analyse(match, iterations=FEW)
    assert analysis.samples == (FEW, FEW, 0, 0)
    assert analysis.chances[2] == (1.0, 0.0)
    assert accuracy_in_words(analysis)[1] == "Exact values towards the end."


@pytest.mark.compiled
def test_the_end_of_axxa_is_exact_once_enough_is_revealed() -> None:
    """The hidden piece on f2 wins the match, but no player can know this before it is revealed."""
    match = scene({"b6": "5", "c6": "5[6]", "f2": "6[5]", "e1": "6"}, current=5)
    for action in prove(match.states).variation:
        match.play(action)
    assert match.over
    revealed = 1 + next(k for k, step in enumerate(match.steps) if step.action == Act.TURN)
    everything, public = analyse(match, "everything", iterations=FEW), analyse(match, iterations=FEW)
    for analysis in (everything, public):
        assert analysis.samples == (FEW,) * revealed + (0,) * (len(match.steps) + 1 - revealed)
        assert set(analysis.chances[revealed:]) == {(1.0, 1.0)}
    assert public.chances[0] < everything.chances[0], "without knowledge of the hidden pieces it may be elsewhere"


def test_a_losing_mistake_is_a_turning_point() -> None:
    match = scene({"b6": "6", "c6": "6", "d4": "26"}, current=6)
    for action in (move("d4", "d2"), Act.TURN, pay("d2")):
        match.play(action)
    analysis = analyse(match, iterations=FEW)
    assert analysis.chances == ((1.0, 1.0), (1.0, 1.0), (0.0, 0.0), (0.0, 0.0))
    assert [(point.position, point.change) for point in analysis.turning] == [(2, -1.0)]


@pytest.mark.parametrize("seconds", [inf, -inf, nan, -1.0])
def test_an_invalid_duration_is_refused(seconds: float) -> None:
    with pytest.raises(BadSetup, match="seconds"):
        analyse(nim_played(), seconds=seconds)


@pytest.mark.parametrize(
    "given",
    [
        {"seconds": "3"},
        {"knowledge": "nonsense"},
        {"knowledge": []},
        {"iterations": nan},
        {"iterations": -1},
        {"iterations": True},
    ],
)
def test_invalid_arguments_of_an_analysis_are_refused(given: dict[str, object]) -> None:
    with pytest.raises(BadSetup):
        analyse(nim_played(), **given)  # type: ignore[arg-type]


@pytest.mark.parametrize("seconds", [0, np.int64(0), np.float32(0.0)])
def test_a_duration_can_be_a_numpy_number(seconds: float) -> None:
    assert analyse(nim_played(), seconds=seconds).turning


# ----------------------------------------------------------------------------------------------------------------- knowledge


def redealt_match(match: Match) -> Match:
    """Return a match with the same public information but other hidden parts."""
    twin = match.copy()

    def other(step: Step) -> Step:
        before = concealed(match.game, step.before, SPECTATOR)
        before["rng"] = (7, step.n)
        loops(match.game).redeal_one(before, SPECTATOR)
        return replace(step, before=before)

    twin.steps = [other(step) for step in match.steps]
    return twin


def test_an_analysis_of_public_knowledge_does_not_depend_on_hidden_parts() -> None:
    match = hoarded()
    other = redealt_match(match)
    assert analyse(match, iterations=FEW) == analyse(other, iterations=FEW)
    assert analyse(match, "everything", iterations=FEW).chances != analyse(other, "everything", iterations=FEW).chances


def test_an_analysis_reports_whether_the_match_had_secrets() -> None:
    assert analyse(hoarded(), iterations=1).secrets
    assert not analyse(recorded("axes-and-allies/2-players-0"), iterations=1).secrets


def test_the_chances_of_an_abandoned_match_end_with_an_estimate() -> None:
    match = hoard.match(players=2, seed="given up")
    match.play(match.legal()[0])
    assert analyse(match, iterations=FEW).samples == (FEW, FEW)
    assert analyse(match, "everything", iterations=FEW).samples == (FEW, FEW)
    four = game("axes-and-allies").match(players=4, seed="given up")
    four.play(four.legal()[0])
    assert analyse(four, iterations=FEW).samples == (0, 0)


def test_a_match_with_too_many_actions_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    match = hoarded()
    most = len(match.steps)
    monkeypatch.setattr("meadhall.bots.analysis.MAX_ACTIONS", most)
    analyse(match, iterations=FEW)
    monkeypatch.setattr("meadhall.bots.analysis.MAX_ACTIONS", most - 1)
    with pytest.raises(BadSetup, match=rf"\b{most - 1} at most"):
        analyse(match, iterations=FEW)


# --------------------------------------------------------------------------------------------------------------- time and order


def test_an_analysis_by_iterations_is_deterministic() -> None:
    match = hoarded()
    assert analyse(match, iterations=FEW) == analyse(match, iterations=FEW)


def test_an_analysis_by_time_samples_positions_equally_and_reports_progress() -> None:
    progress: list[float] = []
    analysis = analyse(hoarded(), seconds=0.5, progress=progress.append)
    assert len(set(analysis.samples[:-1])) == 1
    assert analysis.samples[0] >= FEW // 2
    assert progress == sorted(progress)
    assert all(0 <= part <= 1 for part in progress)


@pytest.mark.parametrize("played", [hoarded, partial(recorded, "axes-and-allies/4-players-0")], ids=["estimated", "solved"])
def test_an_exception_of_the_progress_callback_ends_the_analysis(played: Callable[[], Match]) -> None:
    class EnoughError(Exception):
        pass

    def stop(_part: float) -> None:
        raise EnoughError

    with pytest.raises(EnoughError):
        analyse(played(), seconds=1e6, progress=stop)


# ------------------------------------------------------------------------------------------------------------- turning points


SIDES = ((0, 2), (1, 3))


def turned(match: Match, *chances: float, error: float = 0.005) -> tuple[TurningPoint, ...]:
    """Return the turning points for these chances of the first seat."""
    rows = [(chance, 1 - chance) * 2 for chance in chances]
    errors = [(error,) * 4] * (len(rows) - 1) + [(0.0,) * 4]
    return turning_points(match, SIDES, rows, errors, [FEW] * (len(rows) - 1) + [0])


def steady(match: Match) -> list[float]:
    return [0.5] * (len(match.steps) + 1)


def test_a_turning_point_is_the_largest_change_of_a_chance() -> None:
    match = hoarded()
    chances = steady(match)
    chances[3:] = [0.8] * len(chances[3:])
    (point,) = turned(match, *chances)
    assert point.position == 3
    assert abs(point.change) == pytest.approx(0.3)
    assert match.steps[2].seat in SIDES[point.party]  # of two parties with equal changes, the one that acted


def test_small_and_insignificant_changes_are_no_turning_points() -> None:
    match = hoarded()
    chances = steady(match)
    chances[3:] = [0.5 + 0.9 * MIN_CHANGE] * len(chances[3:])
    assert turned(match, *chances) == ()
    chances[3:] = [0.7] * len(chances[3:])
    assert turned(match, *chances, error=0.04)[:-1] == ()  # the standard error of the difference is 5.7 points
    assert turned(match, *chances, error=0.01) != ()


def test_at_most_five_turning_points_are_listed_in_order() -> None:
    match = hoarded()
    chances = [0.5 + 0.02 * k * (-1) ** k for k in range(len(match.steps) + 1)]
    points = turned(match, *chances)
    assert len(points) == MAX_TURNING_POINTS
    assert [point.position for point in points] == sorted(point.position for point in points)


def test_the_change_from_estimates_to_exact_values_is_no_turning_point() -> None:
    match = hoarded()
    rows = [(0.3, 0.7, 0.3, 0.7)] * 4 + [(0.6, 0.4, 0.6, 0.4)] * (len(match.steps) - 3)
    samples = [10_000] * 4 + [0] * (len(match.steps) - 3)
    assert turning_points(match, SIDES, rows, [(0.0,) * 4] * len(rows), samples) == ()


def test_a_turning_point_is_described_by_the_rarest_event_of_its_party() -> None:
    match = recorded("axes-and-allies/4-players-0")
    analysis = analyse(match, iterations=FEW)
    words = {point.position: turning_point_in_words(match, analysis, point) for point in analysis.turning}
    killed = next(k for k, step in enumerate(match.steps, 1) if any(event.name == "killed" for event in step.events))
    missed = next(k for k in words if any(event.name == "missed" for event in match.steps[k - 1].events))
    assert "hacks" in words[killed]
    assert "misses" in words[missed]
    last = turning_point_in_words(match, analysis, TurningPoint(len(match.steps), match.steps[-1].seat, 0.5, 1.0))
    assert "hacks" in last  # the reason for the end, not the end


def test_a_turning_point_without_visible_events_is_described_by_its_action() -> None:
    match = hoarded()
    silent = replace(match.steps[0], events=())
    match.steps[0] = silent
    analysis = analyse(match, iterations=1)
    words = turning_point_in_words(match, analysis, TurningPoint(1, 0, 0.2, 0.5))
    assert words.startswith(f"{match.names[silent.seat]}: ")


def test_descriptions_contain_secrets_only_with_full_knowledge() -> None:
    match = hoarded()
    for knowledge, viewer in (("public", SPECTATOR), ("everything", EVERYTHING)):
        analysis = analyse(match, knowledge, iterations=1)  # type: ignore[arg-type]
        seen = {match.game.words.event(event, match.names) for step in match.steps for event in step.visible_to(viewer).events}
        for position in range(1, len(match.steps) + 1):
            if match.steps[position - 1].visible_to(viewer).events:
                assert {*turning_point_in_words(match, analysis, TurningPoint(position, 0, 0.2, 0.5)).split(" · ")} <= seen


def test_a_rarer_event_that_names_no_party_is_described_too() -> None:
    """Every action sets the power, but a one that voids every alliance is rare."""
    match = recorded("axes-and-allies/4-players-0")
    analysis = without_chances(match)
    void = next(k for k, step in enumerate(match.steps, 1) if any(event.name == "voided" for event in step.events))
    words = turning_point_in_words(match, analysis, TurningPoint(void, match.steps[void - 1].seat, 0.5, 0.2)).split(" · ")
    assert words[-1] == "A one: every alliance is void"
    assert len(words) == 2
    assert match.names[match.steps[void - 1].seat] in words[0]


def test_an_action_is_described_with_its_consequence() -> None:
    """The discarded armory means little without the card drawn instead."""
    match = recorded("viking-axes/4-players-standard-0")
    analysis = without_chances(match)
    position, step = next((k, step) for k, step in enumerate(match.steps, 1) if [e.name for e in step.events[:1]] == ["discards"])
    name = match.names[step.seat]
    first, second = turning_point_in_words(match, analysis, TurningPoint(position, step.seat, 0.5, 0.2)).split(" · ")
    assert first == f"{name} discards an armory"
    assert second.startswith(f"{name} draws")


def test_the_rarest_consequence_of_an_action_is_described() -> None:
    """A spell decides a fight; its caster's income at the end of the turn is irrelevant."""
    match = recorded("dungeon-allies/3-players-1")
    analysis = without_chances(match)
    spelled = ["blesses", "rolled", "total", "fails", "gains"]
    lost = next(k for k, step in enumerate(match.steps, 1) if [event.name for event in step.events[:5]] == spelled)
    caster = match.names[match.steps[lost - 1].seat]
    first, second = turning_point_in_words(match, analysis, TurningPoint(lost, match.steps[lost - 1].seat, 0.6, 0.0)).split(" · ")
    assert first.startswith(f"{caster} casts Bless")
    assert second.startswith(f"{caster} loses on ")


def test_events_that_list_all_seats_describe_no_turning_point() -> None:
    match = recorded("dungeon-allies/3-players-0")
    analysis = without_chances(match)
    ordered = [k for k, step in enumerate(match.steps, 1) if "order" in {event.name for event in step.events}]
    assert ordered
    for position in ordered:
        for seat in range(match.players):
            assert "Turn order" not in turning_point_in_words(match, analysis, TurningPoint(position, seat, 0.6, 0.2))


def test_parties_and_changes_in_words() -> None:
    assert change_in_words(TurningPoint(1, 0, 0.5, 0.19)) == "−31\N{NO-BREAK SPACE}%"
    assert change_in_words(TurningPoint(1, 0, 0.5, 0.81)) == "+31\N{NO-BREAK SPACE}%"
    together = game("axxa").match(seats=["Astrid", "Björn"], mode="together")
    assert party_in_words(together, (0, 1)) == "All together"
    versus = game("axxa").match(seats=["Astrid", "Björn", "C", "D"], mode="versus")
    assert party_in_words(versus, (0, 2)) == "Astrid and C"


def test_the_precision_of_the_figures_in_words() -> None:
    turning = (TurningPoint(1, 0, 0.5, 1.0),)
    analysis = Analysis(
        "public", ((0,), (1,)), ((0.5, 0.5), (1.0, 0.0)), (2500, 0), ((0.01,) * 2, (0.0,) * 2), turning, secrets=False
    )
    assert analysis.error == 0.01
    estimated = "Estimated from 2,500 playouts per position; margin of error ±2 points."
    assert accuracy_in_words(analysis) == (estimated,)
    assert accuracy_in_words(replace(analysis, turning=())) == (estimated, "No single move stands out as a turning point.")
    with speaking("de"):
        assert accuracy_in_words(analysis)[0].startswith("Geschätzt aus 2.500 Testpartien")


def test_the_standard_error_matches_the_spread_of_repeated_analyses() -> None:
    match = nim_played()
    analysis = analyse(match, iterations=3200)
    chance = analysis.chances[0][0]
    assert analysis.errors[0][0] == pytest.approx((chance * (1 - chance) / 3200) ** 0.5, rel=0.25)
    assert 0 < analysis.errors[2][0] < 0.001  # all rollouts had the same result
    few = analyse(match, iterations=10)  # a single batch has no spread
    supposed = (10 * few.chances[0][0] + 1) / 12
    assert few.errors[0][0] == pytest.approx((supposed * (1 - supposed) / 10) ** 0.5)
