"""States: fields are declared once, equal states have equal bytes, and assignment copies them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np

from games_for_tests.hoard import game as hoard
from games_for_tests.hoard.rules import State, has_card, put_in_hand
from meadhall.engine.compile.rule import rule
from meadhall.engine.state.schema import I8, I32, GameState, Grid, Row, field_names, record, state_at


@record
class Odd(GameState):
    """A state with padding between its fields."""

    small: I8
    large: I32
    row: Annotated[Row, np.int8, 3]
    grid: Annotated[Grid, np.int16, 2, 3]


def test_every_state_begins_with_the_same_fields() -> None:
    for state in (Odd, State):
        assert (state.dtype.names or ())[:4] == ("rng", "reveals", "players", "actor")


def test_fields_have_their_declared_types_and_shapes_and_are_aligned() -> None:
    fields: Mapping[str, Any] = Odd.dtype.fields or {}
    assert [fields[name][0].base for name in ("small", "large", "row", "grid")] == [np.int8, np.int32, np.int8, np.int16]
    assert fields["grid"][0].shape == (2, 3)
    assert fields["large"][1] % 4 == fields["grid"][1] % 2 == Odd.dtype.itemsize % 8 == 0
    assert Odd.dtype.isalignedstruct


def test_copying_covers_every_byte() -> None:
    covered = sum(kind.itemsize for kind, *_ in (Odd.dtype.fields or {}).values())
    assert covered == Odd.dtype.itemsize
    states = Odd.new(2)
    states.view(np.uint8)[:] = 255
    copied = Odd.new(1)
    copied[0] = states[1]
    assert copied.tobytes() == b"\xff" * Odd.dtype.itemsize == states[1:].copy().tobytes()


def test_padding_and_the_generator_are_not_listed_as_fields() -> None:
    assert field_names(Odd.dtype) == ("reveals", "players", "actor", "small", "large", "row", "grid")


def test_attributes_are_views_that_read_as_plain_integers() -> None:
    states = Odd.new(3)
    state = Odd.at(states, 1)
    state.small = -5
    state.row[2] = 7
    state.grid[1, 2] = 300
    state.grid[0, :] = 4
    assert states["small"].tolist() == [0, -5, 0]
    assert states["grid"][1].tolist() == [[4, 4, 4], [0, 0, 300]]
    assert [type(value) for value in (state.small, state.row[2], state.grid[1, 2])] == [int, int, int]
    assert state.small + 200 == 195


def test_plain_python_can_call_rules_on_a_state() -> None:
    states = hoard.match(players=2, seed="x").states
    state = State.at(states)
    card = state.hand[0, 0]
    assert has_card(state, 0, card)
    assert not has_card(state, 1, card)
    put_in_hand(state, 1, card)
    assert has_card(state, 1, card)
    assert states["cards"][0].tolist() == [2, 3, 0, 0]


@rule
def doubled(states: np.ndarray[tuple[int], np.dtype[np.void]]) -> int:
    first = state_at(states, 0)
    states[1] = states[0]
    second = state_at(states, 1)
    second.small = 2 * second.small
    return int(first.small)


def test_states_are_copied_by_assignment_and_share_nothing() -> None:
    states = Odd.new(2)
    Odd.at(states, 0).small = 21
    assert doubled(states) == 21
    assert states["small"].tolist() == [21, 42]
