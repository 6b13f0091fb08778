"""Events: rows of integers in a log that also counts the events that no longer fit."""

from __future__ import annotations

from copy import copy
from dataclasses import replace

import numpy as np
import pytest

from games_for_tests.every import EVERY_GAME
from games_for_tests.hoard import game as hoard
from meadhall.engine.errors import BadEvent, BadGame
from meadhall.engine.game import Game
from meadhall.engine.state.events import (
    ARGUMENTS,
    HIDDEN,
    NO_LOG_SHAPE,
    PUBLIC,
    WIDTH,
    Event,
    EventKind,
    append_argument,
    argument_at,
    arguments_at,
    emit,
    emit_private,
    event_count,
    kind_at,
    named,
    new_log,
    number,
    read_log,
    seat,
)

KINDS = {
    1: EventKind("rolled", (seat, number), "XX-1", "{0} rolls {1}"),
    2: EventKind("saw", (named("axe", "shield"),), "XX-1", "a {0}"),
    3: EventKind("many", (seat,), "XX-1", "{0} has several", rest=named("axe", "shield")),
    4: EventKind("free", (), "XX-1", "anything"),
}


def test_emitted_events_are_read_back_with_their_arguments_and_audience() -> None:
    log = new_log(8)
    emit(log, 1, 0, 6)
    emit_private(log, 2, 2, 1)
    emit_private(log, HIDDEN, 2, 0)
    emit(log, 4)

    events = read_log(log, KINDS)

    assert [event.to_list() for event in events] == [["rolled", 0, 6], ["saw", "shield"], ["saw", "axe"], ["free"]]
    assert [event.audience for event in events] == [PUBLIC, 2, HIDDEN, PUBLIC]
    assert str(events[0]) == "rolled(0, 6)"


def test_arguments_can_be_added_to_the_last_event() -> None:
    log = new_log(2)
    append_argument(log, 5)
    emit(log, 3, 1)
    for kind in (0, 1, 1):
        append_argument(log, kind)
    assert read_log(log, KINDS)[0].to_list() == ["many", 1, "axe", "shield", "shield"]


def test_an_argument_too_many_is_refused_and_overwrites_nothing() -> None:
    memory = np.zeros((4, WIDTH), np.int32)
    log = memory[:2]  # what follows the log is not its own
    emit(log, 3, 1)
    for _ in range(ARGUMENTS):
        append_argument(log, 1)
    assert not memory[2:].any()
    assert [argument_at(log, 1, index) for index in (-1, ARGUMENTS - 1, ARGUMENTS)] == [0, 1, 0]
    with pytest.raises(BadEvent, match="the event many has 7 arguments; an event has at most 6"):
        read_log(log, KINDS)


def test_a_kind_has_no_more_arguments_than_fit() -> None:
    with pytest.raises(BadGame, match="declared with 7 arguments; an event has at most 6"):
        EventKind("wide", (number,) * (ARGUMENTS + 1))


def test_events_that_did_not_fit_are_read_as_no_event() -> None:
    log = new_log(1)
    emit(log, 1, 0, 6)
    emit(log, 1, 0, 5)
    assert [(kind_at(log, row), arguments_at(log, row), argument_at(log, row, 1)) for row in (1, 2)] == [(1, 2, 6), (-1, 0, 0)]
    assert event_count(np.zeros(NO_LOG_SHAPE, np.int32)) == 0


@pytest.mark.parametrize("value", [-1, 2])
def test_an_argument_without_a_name_is_refused(value: int) -> None:
    log = new_log(1)
    emit(log, 2, value)
    with pytest.raises(BadEvent, match="of 2 names: axe, shield"):
        read_log(log, KINDS)


def test_a_full_log_still_counts_events() -> None:
    log = new_log(2)
    for value in range(5):
        emit(log, 1, 0, value)
        append_argument(log, 1)
    assert log[0, 0] == 5
    assert log[1, 3:6].tolist() == [0, 0, 1]


def test_arguments_may_be_of_any_integer_type() -> None:
    log = new_log(1)
    emit(log, 1, np.int8(0), np.int64(6))  # type: ignore[arg-type]
    assert [event.arguments for event in read_log(log, KINDS)] == [(0, 6)]


def test_a_log_of_length_zero_stays_empty() -> None:
    log = np.zeros(NO_LOG_SHAPE, np.int32)
    emit(log, 1, 0, 6)
    append_argument(log, 6)
    assert log.size == 0


@pytest.mark.parametrize(
    ("audience", "viewers"), [(PUBLIC, {-1, 0, 1, 2}), (0, {0}), (2, {2}), (HIDDEN, set())], ids=["all", "0", "2", "none"]
)
def test_an_event_is_visible_to_its_audience(audience: int, viewers: set[int]) -> None:
    event = Event(1, "rolled", (0, 6), audience)
    assert {viewer for viewer in range(-1, 3) if event.visible_to(viewer)} == viewers


def test_arguments_are_attributes_by_their_names() -> None:
    log = new_log(3)
    emit(log, 1, 0, 6)
    emit(log, 3, 1, 0)
    append_argument(log, 1)
    emit(log, 2, 1)
    rolled, many, saw = read_log(log, {**KINDS, 1: replace(KINDS[1], fields=("seat", "roll"))})
    assert (rolled.roll, many.seat, many.rest, saw.piece) == (6, 1, ("axe", "shield"), "shield")
    assert rolled.to_dict() == {"event": "rolled", "seat": 0, "roll": 6}
    assert copy(rolled) == rolled == Event(1, "rolled", (0, 6))
    with pytest.raises(AttributeError, match="the event rolled has no card; it has: seat, roll"):
        rolled.card  # noqa: B018
    with pytest.raises(BadGame, match="can't be called 'name'"):
        replace(KINDS[1], fields=("seat", "name"))


@pytest.mark.parametrize("subject", EVERY_GAME, ids=str)
def test_the_arguments_of_every_game_have_names_that_say_something(subject: Game) -> None:
    for kind in subject.events.values():
        arguments = len(kind.arguments) + (kind.rest is not None)
        assert len(kind.fields) == arguments or kind.fields[-1].startswith("*"), kind.name
        if subject is not hoard:
            assert not {"number_2", "seat_2", "piece", "value", "*rest"} & {*kind.fields}, kind.name


def test_an_argument_can_have_a_separate_rule() -> None:
    kind = EventKind("placed", (seat, named("axe", "shield")), "XX-1", "{0} places a {1}", rules={"shield": "XX-2"})
    assert [kind.rule_of((0, name)) for name in ("axe", "shield")] == ["XX-1", "XX-2"]
    assert KINDS[1].rule_of((0, 6)) == "XX-1"
