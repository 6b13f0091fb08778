"""Simultaneous decisions: sealed until all have chosen, in any order, in matches, records, batches and the laws of games."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import permutations
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from games_for_tests.goofspiel import game as goofspiel, rules
from games_for_tests.goofspiel.rules import UNKNOWN, Event, State
from meadhall import BadSetup, Batch, ConformanceError, Match, NotYourTurn, RecordError, check_game, game, replay
from meadhall.engine.laws import check_game as conformance
from meadhall.engine.match.deciders import SEALED
from meadhall.engine.match.view import EVERYTHING
from meadhall.sdk import Choice, Grid, emit, rule

FOUR = Choice("cards", {"four": ("Four", "")}, title="Prizes")


def match_of(players: int = 3, seed: str = "goofspiel") -> Match[State]:
    return goofspiel.match(players=players, seed=seed)


# ------------------------------------------------------------------------------------------------------------------ matches


def test_all_seats_choose_at_the_same_time_in_any_order() -> None:
    for order in permutations(range(3)):
        match = match_of()
        assert match.deciders == (0, 1, 2)
        for seat in order:
            match.play(seat, seat)
        assert [match.state.pile[seat] for seat in range(3)] == [0, 0, match.state.prizes[0]]
        assert match.deciders == (0, 1, 2)


def test_a_seat_that_has_chosen_waits_for_the_others() -> None:
    match = match_of()
    match.play(0, 2)
    with pytest.raises(NotYourTurn, match=r"You have chosen\. Waiting for Player 1 and Player 2"):
        match.play(1, 2)
    assert match.deciders == match.view(2).deciders == (0, 1)
    assert (match.actor, match.view(1).actor, match.view(2).actor) == (0, 1, 0)
    assert [action.action for action in match.legal(1)] == [0, 1, 2, 3]
    assert match.legal(2) == []


def test_a_choice_is_sealed_until_all_have_chosen_and_only_events_tell_it_then() -> None:
    match = match_of()
    match.play(1, 2)
    for viewer in (None, 0, 1):
        view = match.view(viewer)
        assert (view.steps[-1].action, [event.name for event in view.steps[-1].events]) == (SEALED, ["chosen"])
        assert view.state.bid[2] == UNKNOWN
        assert match.record(viewer)["actions"][-1] == {
            "n": 1, "seat": 2, "action": SEALED, "text": "", "events": [["chosen", 2]], "sealed": True,
        }  # fmt: skip
        assert match.action_in_words(match.steps[-1], viewer) == "a sealed choice"
    own = match.view(2)
    assert (own.steps[-1].action, own.state.bid[2], match.action_in_words(match.steps[-1], 2)) == (1, 2, "bid 2")
    assert match.record(2)["actions"][-1]["text"] == "bid 2"
    match.play(0, 0)
    match.play(2, 1)
    shown = [event.arguments for event in match.view(0).steps[-1].events if event.name == "shown"]
    assert shown == [(0, 1), (1, 3), (2, 2)]


def test_the_other_seats_choice_is_not_in_a_bots_view() -> None:
    one, other = match_of(), match_of()
    one.play(0, 0)
    other.play(3, 0)
    assert one.view(1).states.tobytes() == other.view(1).states.tobytes()
    assert one.information_set(1) == other.information_set(1)
    assert one.information_set(0) != other.information_set(0)


def test_a_sealed_choice_can_be_taken_back() -> None:
    match = match_of()
    match.play(0, 2)
    assert match.can_undo()
    match.undo()
    assert (match.deciders, match.next_number) == ((0, 1, 2), 2)
    match.play(3, 2)
    match.play(0, 0)
    match.play(1, 1)
    assert not match.can_undo()


def test_a_record_replays_choices_in_the_order_in_which_they_were_made() -> None:
    match = match_of(2)
    match.play(0, 1)
    match.undo()
    while not match.over:
        for seat in reversed(match.deciders):
            match.play(match.legal(seat)[-1], seat)
    record = match.record(legal=True)
    assert [action["seat"] for action in record["actions"]] == [1, 0] * 4
    assert "sealed" not in record["actions"][0]
    assert replay(record).record(legal=True) == record
    assert match.view_at(1, EVERYTHING).state.bid[1] == 4
    assert match.view_at(1, 0).legal == (0, 1, 2, 3)
    record["actions"][0]["sealed"] = True
    with pytest.raises(RecordError, match="no sealed action"):
        replay(record)


def test_games_without_simultaneous_decisions_have_one_decider() -> None:
    match = game("viking-axes").match(players=3)
    assert match.deciders == match.view().deciders == (match.actor,)
    assert match.view().to_dict()["deciders"] == [match.actor]
    match.play(match.legal()[0])
    assert "sealed" not in match.record(0)["actions"][0]


# ------------------------------------------------------------------------------------------------------------------ batches


def test_a_batch_plays_the_choices_one_after_the_other() -> None:
    batch = Batch(goofspiel, players=3, count=4, seed="batch")
    assert batch.deciders().tolist() == [[True] * 3] * 4
    masks = [batch.legal_masks(seat) for seat in range(3)]
    for seat in range(3):
        assert np.array_equal(masks[seat], batch.legal_masks(seat))  # no choice depends on the others'
        assert batch.actors().tolist() == [seat] * 4
        assert not batch.step([seat] * 4).any()
        assert not batch.deciders()[:, seat].any() or seat == 2
        if seat < 2:
            assert not batch.legal_masks(seat).any()
    assert batch.legal_masks(2)[:, 2].tolist() == [False] * 4
    assert batch.legal_masks(0)[0].tolist() == [False, True, True, True, False, False]
    with pytest.raises(BadSetup):
        batch.legal_masks(3)


def test_a_batch_of_another_game_has_the_actor_as_its_only_decider() -> None:
    batch = Batch("axes-and-allies", players=3, count=2, seed="batch")
    assert batch.deciders().sum(axis=1).tolist() == [1, 1]
    assert np.array_equal(batch.legal_masks(int(batch.actors()[0]))[0], batch.legal_masks()[0])


# --------------------------------------------------------------------------------------------------------------------- laws


def small(**changed: Callable[..., Any]) -> Any:
    """Return Goofspiel for two with some of its rules replaced."""
    names = ("setup", "legal", "play", "conceal", "redeal", "score", "deciders")
    own = {name: getattr(rules, name) for name in names} | changed
    return replace(goofspiel, name="odd-goofspiel", max_players=2, options=(FOUR,), rules=SimpleNamespace(**own))


@pytest.fixture
def few_deals(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conformance, "DEALS", 20)


@pytest.mark.usefixtures("few_deals")
def test_goofspiel_obeys_every_law() -> None:
    assert check_game(replace(goofspiel, name="small-goofspiel", max_players=3, options=(FOUR,)), matches=1) > 10


@rule
def open_conceal(state: State, seat: int) -> None:
    bids = [state.bid[other] for other in range(state.players)]
    rules.conceal(state, seat)
    for other in range(state.players):
        state.bid[other] = bids[other]


@rule
def telling_play(state: State, action: int, log: Grid) -> None:
    emit(log, Event.WON, state.actor, action + 1)
    rules.play(state, action, log)


@rule
def first_come_play(state: State, action: int, log: Grid) -> None:
    if state.pending == (1 << state.players) - 1:
        state.pile[state.actor] += 1
    rules.play(state, action, log)


@rule
def narrowing_legal(state: State, out: Any) -> int:
    count = rules.legal(state, out)
    return count - 1 if count > 1 and state.bid[1 - state.actor] != UNKNOWN else count


@rule
def highest_actor_play(state: State, action: int, log: Grid) -> None:
    rules.play(state, action, log)
    if state.actor >= 0:
        state.actor = state.players - 1


@pytest.mark.usefixtures("few_deals")
@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"conceal": open_conceal}, "bid"),
        ({"play": telling_play}, "events tell viewer"),
        ({"play": first_come_play}, "choose in this order, the state differs"),
        ({"legal": narrowing_legal}, "concealed state"),
        ({"play": highest_actor_play}, "`actor` is 1, but the seats that have still to choose are"),
    ],
)
def test_a_game_whose_choices_are_not_sealed_or_depend_on_the_order_breaks_a_law(changed: Any, message: str) -> None:
    with pytest.raises(ConformanceError, match=message):
        check_game(small(**changed), matches=2)
