"""The fields of a state: as a table with what every seat may see of them, and as texts that can be edited."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from meadhall.engine.errors import BadSetup
from meadhall.engine.game import Game
from meadhall.engine.match.view import SPECTATOR, concealed
from meadhall.engine.state.schema import States, field_names
from meadhall.engine.text.language import gettext as _

T = TypeVar("T")

PREFIX = "field-"
"""The beginning of the names of the inputs for fields."""


@dataclass(frozen=True)
class Cell:
    """An integer of a field. ``hidden``: whether the viewer sees another value than the true one."""

    value: int
    hidden: bool = False


Lines = tuple[tuple[Cell, ...], ...]
"""The cells of a field: one line, or a line for each row of an array."""


@dataclass(frozen=True)
class Seen:
    """A field as one viewer sees it. ``lines`` is empty if the viewer sees the true values."""

    viewer: str
    lines: Lines = ()

    @property
    def count(self) -> int:
        """The number of its cells."""
        return sum(map(len, self.lines))

    @property
    def all_hidden(self) -> bool:
        """Whether the viewer sees one and the same value in place of all cells."""
        return self.count > 0 and len({cell for line in self.lines for cell in line}) == 1 and self.lines[0][0].hidden


@dataclass(frozen=True)
class Field:
    """A field of a state.

    Attributes:
        name: its name.
        kind: its type, e.g. ``int8 × 6``.
        low: its smallest possible value.
        high: its largest possible value.
        is_number: whether it is a single number.
        text: its values as an input shows them.
        lines: its values.
        seen: what every seat, and a spectator, sees of it.
    """

    name: str
    kind: str
    low: int
    high: int
    is_number: bool
    text: str
    lines: Lines
    seen: tuple[Seen, ...]

    @property
    def is_hidden(self) -> bool:
        """Whether any viewer sees other values."""
        return any(seen.lines for seen in self.seen)


def fields_of(game: Game, states: States, names: tuple[str, ...]) -> tuple[Field, ...]:
    """Return all fields of a state, and what each seat and a spectator sees of them."""
    viewers = [*enumerate(names), (SPECTATOR, _("Spectator"))]
    views = [(name, concealed(game, states, viewer)[0]) for viewer, name in viewers]
    return tuple(
        _field(name, states[0][name], [(viewer, view[name]) for viewer, view in views]) for name in field_names(states.dtype)
    )


def _field(name: str, value: Any, views: list[tuple[str, Any]]) -> Field:
    values = np.asarray(value)
    limits = np.iinfo(values.dtype)
    kind = " × ".join([values.dtype.name, *map(str, values.shape)])
    seen = tuple(Seen(viewer, () if np.array_equal(values, other) else _lines(other, values)) for viewer, other in views)
    return Field(name, kind, int(limits.min), int(limits.max), values.ndim == 0, _text(values), _lines(values, values), seen)


def _lines(shown: Any, true: Any) -> Lines:
    flat, truth = np.asarray(shown).reshape(-1).tolist(), np.asarray(true).reshape(-1).tolist()
    cells = [Cell(value, value != other) for value, other in zip(flat, truth, strict=True)]
    return tuple(_rows(cells, true))


def _rows(cells: Sequence[T], values: Any) -> Iterator[tuple[T, ...]]:
    """Yield cells in lines as long as the last dimension of these values."""
    width = max(1, *np.shape(values)[-1:]) if np.ndim(values) else 1
    for first in range(0, len(cells), width):
        yield tuple(cells[first : first + width])


def _text(values: Any) -> str:
    return "; ".join(" ".join(map(str, row)) for row in _rows(values.reshape(-1).tolist(), values))


def changed_fields(states: States, form: Mapping[str, str]) -> dict[str, Any]:
    """Return the new values of the fields that a form changes, as JSON has them. Raises BadSetup for a text of other integers."""
    changed = {}
    for name in field_names(states.dtype):
        text = form.get(PREFIX + name)
        values = np.asarray(states[0][name])
        if text is None or text.strip() == _text(values):
            continue
        new = _parsed(name, text, values.shape)
        if new != values.tolist():
            changed[name] = new
    return changed


def _parsed(name: str, text: str, shape: tuple[int, ...]) -> Any:
    words = text.replace(";", " ").replace(",", " ").split()
    try:
        return np.array([int(word) for word in words], object).reshape(shape).tolist()
    except ValueError:
        count = " × ".join(map(str, shape)) or "1"
        raise BadSetup(_("The field {name} takes {count} integers.").format(name=name, count=count)) from None
