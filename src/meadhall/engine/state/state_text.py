"""The fields of a state for readers: what stands in for the board of a game that doesn't draw one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from meadhall.engine.state.schema import States, field_names

_KNOWN = ("players", "actor", "reveals", "rng")  # shown elsewhere, or of no interest to a player
_MOST = 24  # rows and columns that are shown of one field


@dataclass(frozen=True)
class Field:
    """A field of a state.

    Attributes:
        name: its name in words, e.g. ``"round points"``.
        rows: its values; a number is one row of one value. Of a large field only the first rows and columns.
        by_seat: whether row k belongs to seat k.
        cut: whether values were left out.
    """

    name: str
    rows: tuple[tuple[int, ...], ...]
    by_seat: bool
    cut: bool


def fields_of(states: States, players: int, most: int) -> tuple[Field, ...]:
    """Return the fields of a concealed state. A field with a place for each of ``most`` seats has a row for each player."""
    row = states[0]
    shown = [name for name in field_names(states.dtype) if name not in _KNOWN]
    return tuple(_field(name, np.asarray(row[name]), most, players) for name in shown)


def _field(name: str, value: npt.NDArray[Any], most: int, players: int) -> Field:
    by_seat = value.ndim > 0 and value.shape[0] == most and most > 1
    if by_seat:
        value = value[:players].reshape(players, -1)
    elif value.ndim < 2:
        value = value.reshape(1, -1)
    else:
        value = value.reshape(value.shape[0], -1)
    rows = tuple(tuple(cells) for cells in value[:_MOST, :_MOST].tolist())
    return Field(name.replace("_", " "), rows, by_seat, max(value.shape) > _MOST)


def fields_in_words(states: States, names: tuple[str, ...], most: int) -> str:
    """Return the fields as text, one in a line."""
    fields = fields_of(states, len(names), most)
    wide = max((len(field.name) for field in fields), default=0)
    return "\n".join(f"{field.name:{wide}}  {_in_words(field, names)}".rstrip() for field in fields)


def _in_words(field: Field, names: tuple[str, ...]) -> str:
    rows = [" ".join(map(str, row)) for row in field.rows]
    if field.by_seat:
        rows = [f"{name} {row}" for name, row in zip(names, rows, strict=True)]
    return (" · " if field.by_seat else " / ").join(rows) + (" …" if field.cut else "")
