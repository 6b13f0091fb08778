"""A match: the order of its checks, its undo, its log, and the contents of its views and its running record."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta, timezone
from typing import Any

import numpy as np
import pytest

from games_for_tests.hoard import game as hoard
from games_for_tests.hoard.rules import ACTIONS, BOAST, DRAW, LOOK
from games_for_tests.kuhn import game as kuhn
from meadhall import (
    Action,
    BadSetup,
    CannotUndo,
    IllegalAction,
    MalformedAction,
    Match,
    MatchOver,
    MeadhallError,
    NotYourTurn,
    Seat,
    game,
)
from meadhall.engine.match.view import EVERYTHING
from meadhall.engine.state.events import HIDDEN

SEED = "a match to look at"


@pytest.fixture
def match() -> Match:
    return hoard.match(players=3, seed=SEED)


def play_out(match: Match, choose: Callable[[list[Action]], Action] = lambda actions: actions[0]) -> Match:
    while not match.over:
        match.play(choose(match.legal()))
    return match


@contextmanager
def unchanged(match: Match) -> Iterator[None]:
    """Check that the block leaves a match as it is, its next number included."""

    def everything() -> tuple[object, ...]:
        return match.states.tobytes(), match.next_number, list(match.steps), list(match.undone), match.record(), match.legal()

    before = everything()
    yield
    assert everything() == before


# ------------------------------------------------------------------------------------------------------------------ refusals


@pytest.mark.parametrize("action", ["0", None, True, np.True_, 1.0, math.nan, [0], {}, b"1", -1, ACTIONS, 1 << 80])
def test_a_value_that_is_no_action_is_malformed(match: Match, action: Any) -> None:
    with unchanged(match), pytest.raises(MalformedAction):
        match.play(action)


@pytest.mark.parametrize("seat", [False, 0.0, "0", 3])
def test_only_the_actors_seat_can_play(match: Match, seat: Any) -> None:
    with unchanged(match), pytest.raises(NotYourTurn):
        match.play(BOAST, seat=seat)


@pytest.mark.parametrize("kind", [int, np.int8, np.uint64])
def test_numpy_integers_are_accepted(kind: Any) -> None:
    match = hoard.match(players=kind(3), seed=SEED)
    assert match.players == 3
    match.play(kind(BOAST), seat=kind(0))
    assert match.steps[0].action == BOAST
    assert match.view(kind(1)).to_dict() == match.view(1).to_dict()
    assert json.dumps(match.view(kind(1)).to_dict()) == json.dumps(match.view(1).to_dict())
    assert match.view_at(kind(0), kind(1)).viewer == 1
    assert match.record(kind(1)) == match.record(1)
    assert len(match.undo(kind(1))) == 1


def test_an_action_object_from_the_legal_list_can_be_played(match: Match) -> None:
    chosen = match.legal()[-1]
    match.play(chosen)
    assert match.steps[0].action == int(chosen) == chosen.action


def test_an_illegal_action_is_refused_with_its_rule_and_changes_nothing(match: Match) -> None:
    match.play(BOAST)
    with unchanged(match), pytest.raises(IllegalAction, match=r"You have boasted already\. \(HO-2\.4\)") as refused:
        match.play(BOAST)
    assert (refused.value.rule, refused.value.reason) == ("HO-2.4", "You have boasted already.")
    assert match.next_number == 2


def test_checks_come_in_the_order_malformed_over_turn_illegal(match: Match) -> None:
    illegal = next(action for action in range(ACTIONS) if action not in [a.action for a in match.legal()])
    with pytest.raises(MalformedAction):
        match.play("x", seat=1)
    with pytest.raises(NotYourTurn):
        match.play(illegal, seat=1)
    play_out(match)
    with pytest.raises(MalformedAction):
        match.play("x", seat=1)
    with unchanged(match), pytest.raises(MatchOver, match="no cards are left") as refused:
        match.play(illegal, seat=1)
    assert refused.value.rule == "HO-3.1"


def test_check_validates_an_action_without_playing_it(match: Match) -> None:
    with unchanged(match):
        assert match.check(BOAST) == BOAST


# -------------------------------------------------------------------------------------------------------------------- setup


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"players": 1}, "2 to 4 players, not 1"),
        ({"players": 5}, "2 to 4 players, not 5"),
        ({"players": True}, "integer"),
        ({"players": "3"}, "integer"),
        ({"players": 3, "mode": "sides"}, "two sides need 2 or 4"),
        ({"mode": "chaos"}, "rivals, together, sides, not 'chaos'"),
        ({"colour": "red"}, "no option 'colour'; its options: hand, mode"),
        ({"seed": b""}, "1 to 32 bytes"),
        ({"seed": bytes(33)}, "1 to 32 bytes"),
        ({"seed": 5.0}, "text, bytes or an integer, not 5.0"),
        ({"seed": "\ud800"}, "UTF-8"),
        ({"players": 2, "seats": [1, 2]}, "a name or a Seat, not 1"),
        ({"seats": [Seat(5), "B"]}, "a name must be text, not 5"),  # type: ignore[arg-type]
        ({"seats": ["\ud800", "B"]}, "a name must be text that can be encoded as UTF-8"),
        ({"seats": ["A\nB", "B"]}, "must not contain control characters"),
        ({"seats": [Seat("A", "alien"), "B"]}, "not 'alien'"),  # type: ignore[arg-type]
        ({"seats": [Seat("A", "bot"), "B"]}, "a bot's seat must name its bot"),
        ({"seats": [Seat("A", "bot", ""), "B"]}, "name of a bot is empty"),
        ({"seats": [Seat("A", "human", "karl"), "B"]}, "a person's seat must not"),
        ({"players": 10**5000}, "players, not a very long int"),
        ({"seats": "AB"}, "list of names, not 'AB'"),
        ({"seats": 2}, "list of names, not 2"),
        ({"players": 2.0}, "integer"),
        ({"players": 3, "seats": ["A", "B"]}, "2 seats for 3 players"),
    ],
)
def test_a_bad_setup_is_refused_with_a_reason(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(BadSetup, match=message):
        hoard.match(**arguments)


@pytest.mark.parametrize("options", [0, 5, "hand", ["hand"]])
def test_options_must_be_given_by_name(options: Any) -> None:
    with pytest.raises(BadSetup, match="options must be given by name"):
        Match(hoard, options=options)


def test_the_refusal_of_an_option_states_that_a_game_has_none() -> None:
    with pytest.raises(BadSetup, match="no option 'hand'; its options: none"):
        kuhn.match(hand="few")


def test_the_seats_determine_the_number_of_players_which_defaults_to_the_minimum() -> None:
    match = hoard.match(seats=["Astrid", Seat("Karl", "bot", "karl"), "Cnut"])
    assert match.players == 3
    assert match.names == ("Astrid", "Karl", "Cnut")
    assert hoard.match().players == 2


def test_equal_seeds_give_equal_matches_and_different_seeds_different_ones() -> None:
    assert hoard.match(seed="x").states.tobytes() == hoard.match(seed="x").states.tobytes()
    assert hoard.match(seed="x").states.tobytes() != hoard.match(seed="y").states.tobytes()
    assert hoard.match().seed != hoard.match().seed


# --------------------------------------------------------------------------------------------------------------------- undo


def test_an_action_that_revealed_nothing_can_be_undone(match: Match) -> None:
    before = match.states.tobytes()
    match.play(BOAST)
    assert match.can_undo()

    taken = match.undo()

    assert [step.action for step in taken] == [BOAST]
    assert match.states.tobytes() == before
    assert match.steps == []


@pytest.mark.parametrize("action", [DRAW, LOOK])
def test_an_action_that_revealed_something_cannot_be_undone(match: Match, action: int) -> None:
    match.play(action)
    before = match.states.tobytes()
    assert not match.can_undo()
    with pytest.raises(CannotUndo, match="revealed"):
        match.undo()
    assert match.states.tobytes() == before


def test_a_revealing_action_can_be_undone_with_consent(match: Match) -> None:
    before = match.states.tobytes()
    match.play(DRAW)
    match.undo(revealed=True)
    assert match.states.tobytes() == before


def test_several_actions_can_be_undone_only_if_none_revealed_anything(match: Match) -> None:
    match.play(LOOK)
    match.play(BOAST)
    assert match.can_undo()
    with pytest.raises(CannotUndo):
        match.undo(2)
    assert len(match.steps) == 2
    assert [step.n for step in match.undo(2, revealed=True)] == [1, 2]


@pytest.mark.parametrize("steps", [0, -1, 2])
def test_undoing_more_actions_than_were_played_is_refused(match: Match, steps: int) -> None:
    match.play(BOAST)
    with pytest.raises(CannotUndo, match="nothing to undo"):
        match.undo(steps)


@pytest.mark.parametrize("steps", ["a", None, 1.0, True])
def test_undoing_an_invalid_number_of_actions_is_refused(match: Match, steps: Any) -> None:
    match.play(BOAST)
    with pytest.raises(CannotUndo, match="integer"):
        match.undo(steps)
    assert len(match.steps) == 1


def test_the_last_action_of_a_match_cannot_be_undone_because_the_seed_is_known(match: Match) -> None:
    play_out(match)
    assert "seed" in match.record()
    assert not match.can_undo()
    with pytest.raises(CannotUndo, match="its seed is known"):
        match.undo()
    assert match.over


def test_numbers_of_undone_actions_are_never_reused_so_each_attempt_has_a_new_roll() -> None:
    match = game("axes-and-allies").match(players=3, seed=SEED)
    attack = match.legal()[0]
    rolls = set()
    for number in range(1, 30):
        events = match.play(attack)
        assert match.steps[-1].n == number
        rolls.add(next(event.arguments[1] for event in events if event.name == "attack_roll"))
        match.undo(revealed=True)
    assert rolls == {1, 2, 3, 4, 5, 6}
    assert [undone.after for undone in match.undone] == [0] * 29


def test_an_undo_restores_the_number_of_the_decision(match: Match) -> None:
    names = [match.decision]
    for action in (BOAST, LOOK):
        match.play(action)
        names.append(match.decision)
    match.undo(revealed=True)
    match.undo()
    match.play(BOAST)
    assert names == [0, 1, 2]
    assert match.decision == 3, "another action was played, so this is another decision"
    match.undo()
    assert match.decision == 0


# ----------------------------------------------------------------------------------------------------------- copies and views


def test_the_returned_state_is_a_copy(match: Match) -> None:
    match.states["actor"] = -1
    match.state.actor = 2
    assert match.actor == 0


def test_a_view_contains_nothing_hidden(match: Match) -> None:
    view = match.view(1)
    assert view.state.hand[0, 0] == 0
    assert view.state.hand[1, 0] > 0
    assert set(view.states["deck"][0].tolist()) == {0}
    assert not view.states["rng"].any()
    assert view.legal == ()
    assert view.actions() == []


def test_changing_a_view_does_not_change_the_match(match: Match) -> None:
    view = match.view(1)
    assert view.options == match.options
    view.options["mode"] = "together"
    assert match.view(1).options == match.options == hoard.match(players=3, seed=SEED).options


@pytest.mark.parametrize("action", ["x", -1, ACTIONS, None])
def test_a_view_refuses_values_that_are_no_actions(match: Match, action: Any) -> None:
    with pytest.raises(MalformedAction):
        match.view(0).refusal(action)


def test_only_the_actors_view_lists_the_legal_actions(match: Match) -> None:
    assert match.view(0).legal == tuple(action.action for action in match.legal())
    assert match.view().legal == match.view(2).legal == ()


def test_private_events_are_only_in_the_views_of_their_audience(match: Match) -> None:
    match.play(LOOK)
    assert [event.name for event in match.steps[0].events] == ["looked", "saw"]
    assert [event.name for event in match.view(0).steps[0].events] == ["looked", "saw"]
    for other in (None, -1, 1, 2):
        assert [event.name for event in match.view(other).steps[0].events] == ["looked"]
        assert match.view(other).steps[0].private_events == ()
    assert [event.name for event in match.view(0).steps[0].private_events] == ["saw"]


def test_hidden_events_are_in_no_view_before_the_end(match: Match) -> None:
    assert match.setup[0].audience == HIDDEN
    for viewer in range(-1, 3):
        assert "bottom" not in [event.name for event in match.view(viewer).setup]
    play_out(match)
    assert match.record()["setup"][0][0] == "bottom"


def test_a_view_of_an_earlier_position_equals_the_view_at_that_time(match: Match) -> None:
    views = []
    while not match.over:
        views.append(match.view(1).to_dict())
        match.play(match.legal()[0])
    views.append(match.view(1).to_dict())

    then = [match.view_at(position, 1).to_dict() for position in range(len(match.steps) + 1)]

    assert [view["state"] for view in then] == [view["state"] for view in views]
    assert [view["legal"] for view in then] == [view["legal"] for view in views]
    assert len(match.view_at(2, 1).steps) == 2


@pytest.mark.parametrize("position", [-1, 1, "0", 0.0, False])
def test_a_view_of_a_nonexistent_position_is_refused(match: Match, position: Any) -> None:
    with pytest.raises(BadSetup, match="positions 0 to 0"):
        match.view_at(position)


@pytest.mark.parametrize("seat", [3, -2, "0", 1.0, True])
@pytest.mark.parametrize("look", [Match.view, Match.record])
def test_a_view_for_a_nonexistent_seat_is_refused(match: Match, look: Any, seat: Any) -> None:
    with pytest.raises(BadSetup, match="there are 0 to 2"):
        look(match, seat)


def test_a_view_exports_plain_data_without_generator_and_padding(match: Match) -> None:
    data = json.loads(json.dumps(match.view(0).to_dict()))
    assert set(data) == {"viewer", "actor", "deciders", "next", "state", "legal"}
    assert "rng" not in data["state"]
    assert not [name for name in data["state"] if name.startswith("_")]
    assert match.view().to_dict()["viewer"] is None


# ---------------------------------------------------------------------------------------------------------- log and results


def test_a_step_may_have_any_number_of_events(match: Match) -> None:
    play_out(match)
    last = match.steps[-1].events
    assert len(last) > 40
    assert last[-1].name == "ended"
    coins = [event.arguments for event in last if event.name == "coin"]
    assert len(coins) == match.states["pile"].sum()
    assert len(set(coins)) == len(coins)


@pytest.mark.parametrize("mode", ["rivals", "together", "sides"])
def test_results_follow_the_scoring_of_the_mode(mode: str) -> None:
    for seed in range(12):
        match = play_out(hoard.match(players=4, seed=str(seed), mode=mode), lambda actions: actions[-1])
        result = match.result()
        assert result is not None
        assert result.points is not None
        assert result.reason == "HO-3.1"
        points = list(result.points)
        if mode == "rivals":
            winners = [seat for seat in range(4) if points[seat] == max(points)]
        elif mode == "together":
            winners = list(range(4)) if sum(points) >= 30 else []
        else:
            ahead = points[0] + points[2] - points[1] - points[3]
            winners = [] if ahead == 0 else [0, 2] if ahead > 0 else [1, 3]
        assert list(result.winners) == winners


def test_a_draw_of_two_sides_has_no_winners(monkeypatch: pytest.MonkeyPatch) -> None:
    for seed in range(400):
        match = play_out(hoard.match(players=2, seed=str(seed), mode="sides"))
        result = match.result()
        assert result is not None
        if result.scores == (0.5, 0.5):
            assert result.winners == ()
            return
    pytest.fail("no draw in 400 matches")


# ---------------------------------------------------------------------------------------------------------- running records


def test_the_record_of_a_running_match_contains_only_what_its_reader_may_know(match: Match) -> None:
    match.play(LOOK)
    match.play(DRAW)

    for reader, dealt in ((None, 0), (0, 2), (1, 2)):
        record = match.record(reader)
        assert record["complete"] is False
        assert record["result"] is None
        assert "seed" not in record
        assert match.seed.hex() not in json.dumps(record)
        assert [event[0] for event in record["setup"]] == ["dealt"] * dealt
        assert [event[0] for event in record["actions"][0]["events"]] == ["looked", "saw"][: 2 if reader == 0 else 1]


def test_an_abandoned_match_is_open_until_it_is_resumed(match: Match) -> None:
    match.play(LOOK)
    twin = match.copy()
    with pytest.raises(BadSetup):
        match.view(EVERYTHING)
    match.abandon("supper")
    assert (match.ended, match.over, match.result()) == (True, False, None)
    assert match.record() == twin.record(abandoned="supper")
    assert match.record()["abandoned"] == "supper"
    assert match.view_at(0, EVERYTHING).states.tobytes() != match.view_at(0).states.tobytes()
    assert not twin.ended
    match.play(BOAST)
    assert not match.ended
    match.abandon("sleep")
    match.undo()
    assert not match.ended
    assert "seed" not in match.record()


def test_a_finished_match_cannot_be_abandoned(match: Match) -> None:
    while not match.over:
        match.play(match.legal()[0])
    record = match.record()
    with pytest.raises(BadSetup, match="to its end"):
        match.abandon("supper")
    assert match.record() == match.record(abandoned="supper") == record


def test_legal_counts_are_recorded_on_request(match: Match) -> None:
    count, actor = len(match.legal()), match.actor
    match.play(BOAST)
    assert match.record(actor, legal=True)["actions"][0]["legal"] == count
    assert match.record(legal=True, abandoned="bored")["actions"][0]["legal"] == count
    assert "legal" not in match.record(actor)["actions"][0]


def test_the_start_is_recorded_in_utc() -> None:
    noon = datetime(2026, 1, 1, 12, tzinfo=timezone(timedelta(hours=5)))
    assert Match(hoard, started=noon).record()["started"] == "2026-01-01T07:00:00Z"
    assert Match(hoard, started=noon.replace(tzinfo=None)).record()["started"] == "2026-01-01T12:00:00Z"


@pytest.mark.parametrize(
    ("started", "message"),
    [("today", "a datetime"), (datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=5))), "can't have started")],
)
def test_an_invalid_start_time_is_refused(started: Any, message: str) -> None:
    with pytest.raises(BadSetup, match=message):
        Match(hoard, started=started)


@pytest.mark.parametrize(
    ("seat", "name"), [(99, Seat("Bob")), (-1, Seat("Bob")), ("0", Seat("Bob")), (0, "Bob"), (0, Seat("\ud800"))]
)
def test_renaming_a_seat_refuses_invalid_seats_and_names(match: Match, seat: Any, name: Any) -> None:
    before = match.seats
    with pytest.raises(BadSetup):
        match.rename(seat, name)
    assert match.seats == before


@pytest.mark.parametrize("reason", [5, "\ud800"])
def test_the_reason_for_abandoning_must_be_text(match: Match, reason: Any) -> None:
    with pytest.raises(BadSetup, match="giving up"):
        match.record(abandoned=reason)
    with pytest.raises(BadSetup, match="giving up"):
        match.abandon(reason)
    assert not match.ended


def test_huge_numbers_are_refused_with_a_short_message(match: Match) -> None:
    huge = 10**5000
    for attempt in (match.play, match.view, match.view_at, match.record):
        with pytest.raises(MeadhallError, match="a very long int"):
            attempt(huge)
    with pytest.raises(CannotUndo):
        match.undo(huge)


def test_the_information_set_depends_on_the_position_and_not_on_the_path_to_it(match: Match) -> None:
    actor = match.actor
    assert actor is not None
    first = match.information_set(actor)
    match.play(BOAST)
    then = match.information_set(actor)
    match.undo()
    assert match.information_set(actor) == first != then
    match.play(BOAST)
    assert match.information_set(actor) == then
    with pytest.raises(BadSetup):
        match.information_set(99)


@pytest.mark.parametrize("after", [None, "1", True, 0.5])
def test_the_number_after_which_actions_are_recorded_must_be_an_integer(match: Match, after: Any) -> None:
    with pytest.raises(BadSetup, match="integer"):
        match.recorded(after=after)


def test_a_running_match_does_not_reveal_other_seats_legal_counts(match: Match) -> None:
    actor = match.actor
    assert actor is not None
    match.play(BOAST)
    for viewer in (None, (actor + 1) % match.players):
        assert "legal" not in match.record(viewer, legal=True)["actions"][0]
