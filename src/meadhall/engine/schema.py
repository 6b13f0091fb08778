"""@record: the fields of a state, declared once: attributes for people and type checkers, a dtype for the machine.

    @record
    class Table(State):
        alive: Annotated[Row, np.int8, 6]
        power: I8

``Table.dtype`` is the NumPy dtype, ``Table.new(100)`` a hundred blank states in one array, ``Table.at(tables, 3)`` the fourth of
them with its fields as attributes. In compiled rules a state is Numba's record of the same dtype; in interpreted ones and in all
plain Python it is an instance of the class, a view into the array whose fields read as plain ``int``, so that no small
integer type ever wraps where compiled code would promote.
"""

from __future__ import annotations

from functools import cache
from typing import Annotated, Any, ClassVar, Protocol, Self, TypeVar, get_args, get_origin, get_type_hints

import numpy as np
import numpy.typing as npt

from meadhall.engine.rule import INTERPRETED, rule

States = npt.NDArray[np.void]
"""An array of states of one game: a structured array of its ``Table.dtype``."""

Ints = npt.NDArray[np.integer[Any]]


class Row(Protocol):
    """A one-dimensional field, as type checkers see it: integers in, integers out."""

    def __getitem__(self, index: int) -> int: ...
    def __setitem__(self, index: int | slice, value: int) -> None: ...
    def __len__(self) -> int: ...


class Grid(Protocol):
    """A two-dimensional field: indexed ``grid[row, column]``."""

    @property
    def shape(self) -> tuple[int, ...]: ...
    def __getitem__(self, index: tuple[int, int]) -> int: ...
    def __setitem__(self, index: tuple[int | slice, int | slice] | slice, value: int) -> None: ...


I8 = Annotated[int, np.int8]
I16 = Annotated[int, np.int16]
I32 = Annotated[int, np.int32]
U8 = Annotated[int, np.uint8]
U16 = Annotated[int, np.uint16]
U32 = Annotated[int, np.uint32]


class Cells(np.ndarray[Any, np.dtype[Any]]):
    """An array field read in plain Python: its items are Python integers."""

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, int) and self.ndim == 1:
            return self.item(key)  # what rules ask for most, ten times as fast
        value = super().__getitem__(key)
        return value.item() if isinstance(value, np.generic) else value


class GameState:
    """What every game's state begins with. Declare a game's own fields in a subclass under ``@record``."""

    dtype: ClassVar[np.dtype[np.void]]

    rng: Annotated[Row, np.uint64, 2]  # the generator (chance.py); blank in what anybody is shown
    reveals: U32  # rises with every chance event or revelation: an undo is free only while it has not moved
    players: I8
    actor: I8  # the seat to decide; -1 when the game is over

    _row: np.void

    @classmethod
    def new(cls, count: int = 1) -> States:
        """``count`` blank states (all fields 0) in one array."""
        return np.zeros(count, cls.dtype)

    @classmethod
    def at(cls, states: States, index: int = 0) -> Self:
        """State ``index`` of ``tables``: a view, writing to it writes to the array."""
        state = cls.__new__(cls)
        state._row = states[index]
        return state

    @property
    def data(self) -> memoryview:
        """The bytes of the state: through them Numba reads it, so that plain Python can call rules on it."""
        return self._row.data


S = TypeVar("S", bound=GameState)

GAP = "_gap"
"""What the names of the fields begin with that only fill gaps between others."""

_classes: dict[np.dtype[np.void], type[GameState]] = {}


def _fields(cls: type[GameState]) -> list[tuple[Any, ...]]:
    fields: list[tuple[Any, ...]] = []
    for name, hint in get_type_hints(cls, include_extras=True).items():
        if get_origin(hint) is not Annotated:
            continue
        _, kind, *shape = get_args(hint)
        fields.append((name, kind, tuple(shape)) if shape else (name, kind))
    return fields


def _without_gaps(dtype: np.dtype[np.void]) -> np.dtype[np.void]:
    """The same layout with its gaps as fields: NumPy doesn't copy gaps, and equal states are to be equal in every byte."""
    described: list[tuple[Any, ...]] = []
    end = 0
    for name, (kind, offset, *_) in [*(dtype.fields or {}).items(), ("", (np.dtype("V0"), dtype.itemsize))]:
        if offset > end:
            described.append((f"{GAP}{end}", np.uint8, (offset - end,)))
        if name:
            described.append((name, kind))
        end = offset + kind.itemsize
    return np.dtype(described, align=True)


def _attribute(name: str, shaped: bool) -> property:
    def read_number(self: GameState) -> int:
        return int(self._row[name])

    def read_cells(self: GameState) -> Cells:
        cells: Cells | None = self.__dict__.get(name)
        if cells is None:
            cells = self.__dict__[name] = self._row[name].view(Cells)
        return cells

    def write(self: GameState, value: Any) -> None:
        self._row[name] = value

    return property(read_cells if shaped else read_number, write)


def record(cls: type[S]) -> type[S]:
    """Give the class its ``dtype`` and its fields as attributes: those of ``State`` first, then in order of declaration."""
    fields = _fields(cls)
    first = {field[0]: index for index, field in enumerate(_fields(GameState))}
    fields.sort(key=lambda field: first.get(field[0], len(first)))
    cls.dtype = _without_gaps(np.dtype(fields, align=True))
    for name, _, *shape in fields:
        setattr(cls, name, _attribute(name, bool(shape)))
    _classes[cls.dtype] = cls
    return cls


def copied(states: States) -> States:
    """A copy of an array of states, as bytes: NumPy's own copies field by field, six times as slowly for the largest."""
    copy: States = states.view(np.uint8).copy().view(states.dtype)
    return copy


def field_names(dtype: np.dtype[np.void]) -> list[str]:
    """The fields of a state, but for the generator and gaps."""
    return [name for name in dtype.names or () if name != "rng" and not name.startswith(GAP)]


if INTERPRETED:

    def state_at(states: States, index: int) -> Any:
        """State ``index`` of ``tables``, as rules want it, compiled or not."""
        return _classes[states.dtype].at(states, index)

    def copy_state(state: Any, states: States, index: int) -> None:
        """Make state ``index`` of ``tables`` a copy of ``table``: room in which a rule can try an action."""
        states[index] = state._row

else:
    from numba import from_dtype
    from numba.extending import typeof_impl

    _record_type = cache(from_dtype)
    """Numba's type of a state; to work it out takes it a hundred times as long as a rule takes."""

    @typeof_impl.register(GameState)
    def _type_of_state(state: GameState, _context: Any) -> Any:
        """To a compiled rule a ``State`` is the record that it is a view of."""
        return _record_type(state.dtype)

    @rule
    def state_at(states: States, index: int) -> Any:
        """State ``index`` of ``tables``, as rules want it, compiled or not."""
        return states[index]

    @rule
    def copy_state(state: Any, states: States, index: int) -> None:
        """Make state ``index`` of ``tables`` a copy of ``table``: room in which a rule can try an action."""
        states[index] = state
