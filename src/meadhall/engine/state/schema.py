"""@record: declare the fields of a state once, as attributes for people and type checkers and as a dtype for NumPy and Numba.

    @record
    class State(GameState):
        alive: Annotated[Row, np.int8, 6]
        power: I8

``State.dtype`` is the NumPy dtype. ``State.new(100)`` returns a hundred blank states in one array, and ``State.at(states, 3)``
the fourth of them with its fields as attributes. In compiled rules a state is a Numba record of this dtype. In interpreted rules
and in plain Python it is an instance of the class: a view into the array whose fields read as plain ``int``, so that small
integer types never wrap where compiled code would promote them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any, ClassVar, Protocol, Self, get_args, get_origin, get_type_hints, overload

import numpy as np
import numpy.typing as npt
from typing_extensions import TypeVar

from meadhall.engine.compile.rule import INTERPRETED, rule
from meadhall.engine.text.display import Displayed, Table

States = npt.NDArray[np.void]
"""An array of states of one game: a structured array of its ``State.dtype``."""


class Row(Protocol):
    """Type of a one-dimensional field of integers."""

    @overload
    def __getitem__(self, index: int) -> int: ...
    @overload
    def __getitem__(self, index: slice) -> Row: ...
    def __setitem__(self, index: int | slice, value: int) -> None: ...
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[int]: ...


class Grid(Protocol):
    """Type of a two-dimensional field of integers, indexed ``grid[row, column]``; ``grid[row]`` is a row."""

    @property
    def shape(self) -> tuple[int, ...]: ...
    @overload
    def __getitem__(self, index: tuple[int, int]) -> int: ...
    @overload
    def __getitem__(self, index: int) -> Row: ...
    def __len__(self) -> int: ...
    def __setitem__(self, index: tuple[int | slice, int | slice] | slice, value: int) -> None: ...


I8 = Annotated[int, np.int8]
I16 = Annotated[int, np.int16]
I32 = Annotated[int, np.int32]
U8 = Annotated[int, np.uint8]
U16 = Annotated[int, np.uint16]
U32 = Annotated[int, np.uint32]


class Cells(np.ndarray[Any, np.dtype[Any]]):
    """An array field in plain Python. Its items are Python integers."""

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, int):
            if self.ndim == 1:
                return self.item(key)  # the most frequent access in rules; ten times as fast as indexing
        elif isinstance(key, tuple) and len(key) == self.ndim and slice not in map(type, key):
            try:
                return self.item(key)
            except (TypeError, ValueError):
                pass  # not a cell: there is another kind of index in it
        value = super().__getitem__(key)
        return value.item() if isinstance(value, np.generic) else value


class GameState(Displayed):
    """Base class of all states. A game declares its fields in a subclass with ``@record``.

    A state is a view into an array; a copy of it has an array of its own.

    Examples:
        >>> import meadhall
        >>> State = meadhall.game("axes-and-allies").state
        >>> states = State.new(3)  # three blank states in one array
        >>> state = State.at(states, 1)
        >>> state.power = 6
        >>> int(states["power"][1])
        6
        >>> next(state.displayed())
        'State'
    """

    dtype: ClassVar[np.dtype[np.void]]

    rng: Annotated[Row, np.uint64, 2]  # the generator (chance.py); blank in every concealed state
    reveals: U32  # counts chance events and revelations: an action can be undone only while the count is unchanged
    players: I8
    actor: I8  # the seat to move; -1 when the game is over

    _row: np.void

    @classmethod
    def new(cls, count: int = 1) -> States:
        """Return ``count`` blank states (all fields 0) in one array."""
        return np.zeros(count, cls.dtype)

    @classmethod
    def at(cls, states: States, index: int = 0) -> Self:
        """Return state ``index`` of ``states`` as a view: writing to it writes to the array."""
        state = cls.__new__(cls)
        state._row = states[index]
        return state

    @property
    def data(self) -> memoryview:
        """Return the bytes of the state. Numba reads it through them when plain Python calls a compiled rule."""
        return self._row.data

    def __copy__(self) -> Self:
        return self._from_bytes(self._row.tobytes())

    def __deepcopy__(self, _memo: dict[int, Any]) -> Self:
        return self.__copy__()

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self)._from_bytes, (self._row.tobytes(),)

    @classmethod
    def _from_bytes(cls, data: bytes) -> Self:
        return cls.at(np.frombuffer(data, cls.dtype).copy())

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={text}' for name, text in self._in_words())})"

    def _in_words(self) -> Iterator[tuple[str, str]]:
        """Yield the fields and their values as text, without the generator."""
        for name in field_names(self.dtype):
            yield name, cells_in_words(self._row[name])

    def displayed(self) -> Iterator[str | Table]:
        """Yield the parts of the readable form: the fields and their values."""
        yield type(self).__name__
        yield Table((), tuple(self._in_words()))


class PlainState:
    """The fields of a state as Python's integers and lists, for what reads much of it: pages, and no rules.

    Each field is read from the array once. Its cells are then found ten times as fast.

    Examples:
        >>> import meadhall
        >>> match = meadhall.game("axes-and-allies").match(players=2, seed="mead")
        >>> match.view().plain.alive[:2]
        [1, 1]
    """

    def __init__(self, states: States) -> None:
        self._states = states

    def __getattr__(self, name: str) -> Any:
        """Read a field."""
        value = self.__dict__[name] = self.__dict__["_states"][name][0].tolist()
        return value


S = TypeVar("S", bound=GameState, default=Any)
"""The class of a game's states. A game that was found by its name has ``Any``."""

_SHOWN_CELLS = 24
"""The largest number of cells of a field that a readable form shows in full."""


def cells_in_words(value: Any) -> str:
    """Return a field's value as text in one line; of a large array only the first and last cells."""
    text = np.array2string(np.asarray(value), threshold=_SHOWN_CELLS, edgeitems=3, separator=", ", max_line_width=1 << 20)
    return " ".join(text.split())


R = TypeVar("R", bound=GameState)

GAP = "_gap"
"""Prefix of the names of padding fields."""

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
    """Return the same layout with padding as fields. NumPy doesn't copy padding, and equal states must be equal in every byte."""
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


def record(cls: type[R]) -> type[R]:
    """Give the class its ``dtype`` and its fields as attributes: those of ``GameState`` first, then in order of declaration.

    Examples:
        >>> from typing import Annotated
        >>> import numpy as np
        >>> from meadhall.engine.state.schema import I8, GameState, Row, record
        >>> @record
        ... class State(GameState):
        ...     left: I8
        ...     scores: Annotated[Row, np.int16, 4]
        >>> State.dtype["scores"].shape
        (4,)
    """
    fields = _fields(cls)
    first = {field[0]: index for index, field in enumerate(_fields(GameState))}
    fields.sort(key=lambda field: first.get(field[0], len(first)))
    cls.dtype = _without_gaps(np.dtype(fields, align=True))
    for name, _, *shape in fields:
        setattr(cls, name, _attribute(name, bool(shape)))
    _classes[cls.dtype] = cls
    return cls


def copied(states: States) -> States:
    """Copy an array of states as bytes. NumPy copies field by field, which takes six times as long."""
    return np.ndarray(states.shape, states.dtype, bytearray(states.tobytes()))


@cache
def field_names(dtype: np.dtype[np.void]) -> tuple[str, ...]:
    """Return the fields of a state, without the generator and padding."""
    return tuple(name for name in dtype.names or () if name != "rng" and not name.startswith(GAP))


if INTERPRETED:

    def state_at(states: States, index: int) -> Any:
        """Return state ``index`` of ``states`` as rules use it.

        Examples:
            >>> import meadhall
            >>> from meadhall.sdk import state_at
            >>> states = meadhall.game("axes-and-allies").state.new(2)
            >>> states["power"] = [3, 6]
            >>> int(state_at(states, 1).power)
            6
        """
        return _classes[states.dtype].at(states, index)

    def copy_state(state: Any, states: States, index: int) -> None:
        """Copy ``state`` to ``states[index]``, for a rule that tries out an action.

        Examples:
            >>> import meadhall
            >>> from meadhall.sdk import copy_state
            >>> match = meadhall.game("axes-and-allies").match(players=2, seed="mead")
            >>> states = match.game.state.new(2)
            >>> copy_state(match.state, states, 1)
            >>> int(states["players"][1])
            2
        """
        states[index] = state._row

else:
    from numba import from_dtype
    from numba.extending import typeof_impl

    _record_type = cache(from_dtype)
    """Numba's type of a state, cached: computing it takes a hundred times as long as running a rule."""

    @typeof_impl.register(GameState)
    def _type_of_state(state: GameState, _context: Any) -> Any:
        """Pass a ``GameState`` to a compiled rule as the record it is a view of."""
        return _record_type(state.dtype)

    @rule
    def state_at(states: States, index: int) -> Any:
        """Return state ``index`` of ``states`` as rules use it."""
        return states[index]

    @rule
    def copy_state(state: Any, states: States, index: int) -> None:
        """Copy ``state`` to ``states[index]``, for a rule that tries out an action."""
        states[index] = state


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
