"""What a seat may know of a position: observations as named arrays or as one flat array, and information states as text.

An observation is a concealed state (``conceal``), field by field, in the order of the game's schema and under the names of its
fields. ``rng`` and ``reveals``, which belong to the engine, are left out. Instead the first field is ``viewer``, the seat that
observes (-1: a spectator). Seats are absolute: ``hits[2]`` is of seat 2 for every viewer. One policy can play every seat,
because ``viewer`` tells it which one is its own.

Names, order, types and shapes change only with the version of the game's rules. ``policy_bot`` plays a trained policy at any
table: it gets observations and masks as in its training.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from meadhall.engine.checks import quoted
from meadhall.engine.compiled import loops
from meadhall.engine.errors import BadSetup
from meadhall.engine.game import Game
from meadhall.engine.match.view import View, VisibleStep
from meadhall.engine.state.events import Event
from meadhall.engine.state.schema import States, copied, field_names
from meadhall.envs.stepping import VIEWER_AT

if TYPE_CHECKING:
    from gymnasium import spaces

Form = Literal["flat", "dict"]
FORMS = ("flat", "dict")

VIEWER = "viewer"

Arrays = dict[str, npt.NDArray[Any]]
Observation = npt.NDArray[Any] | Arrays
"""One array, or one for each field."""


@dataclass(frozen=True)
class Field:
    """A field of an observation.

    Attributes:
        name: its name in the schema.
        dtype: the type of its cells, which also bounds their values.
        shape: its shape; a single number has shape (1,).
        offset: its first byte in a concealed state.
        cells: its place in a flat observation.
    """

    name: str
    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    offset: int
    cells: slice


class Layout:
    """The fields of a game's observations, and their conversion to named arrays and to one flat array.

    Attributes:
        fields: the fields in order.
        dtype: a concealed state whose fields are those of the observation, without ``rng`` and padding.
        flat_dtype: the smallest integer type that holds the cells of all fields.
        size: the number of cells.

    Examples:
        >>> import meadhall
        >>> from meadhall.envs import layout
        >>> match = meadhall.game("axes-and-allies").match(players=2, seed="mead")
        >>> fields = layout(match.game)
        >>> fields.space().shape == (fields.size,)
        True
        >>> fields.flat(match.states).shape == (1, fields.size)
        True
        >>> fields.named(match.states)["players"], fields.read(match.states, "dict")["living"]
        (array([[2]], dtype=int8), array([[2]], dtype=int8))
    """

    def __init__(self, game: Game) -> None:
        dtype = game.state.dtype
        described = [(VIEWER, np.dtype(np.int8), VIEWER_AT)]
        described += [(name, *dtype.fields[name][:2]) for name in field_names(dtype) if name != "reveals"]
        fields, first = [], 0
        for name, kind, offset in described:
            shape = kind.shape or (1,)
            last = first + int(np.prod(shape))
            fields.append(Field(name, kind.base, shape, offset, slice(first, last)))
            first = last
        self.fields = tuple(fields)
        self.size = first
        self.flat_dtype = np.result_type(*(field.dtype for field in fields))
        self.dtype = np.dtype(
            {
                "names": [field.name for field in fields],
                "formats": [(field.dtype, field.shape) for field in fields],
                "offsets": [field.offset for field in fields],
                "itemsize": dtype.itemsize,
            }
        )

    @cached_property
    def runs(self) -> tuple[tuple[slice, int, np.dtype[Any]], ...]:
        """Return the runs of fields that lie side by side and have one type: their cells, first byte and type."""
        runs: list[tuple[slice, int, np.dtype[Any]]] = []
        for field in self.fields:
            if runs:
                cells, offset, dtype = runs[-1]
                end = offset + (cells.stop - cells.start) * dtype.itemsize
                if dtype == field.dtype and end == field.offset:
                    runs[-1] = slice(cells.start, field.cells.stop), offset, dtype
                    continue
            runs.append((field.cells, field.offset, field.dtype))
        return tuple(runs)

    @cached_property
    def runs_table(self) -> npt.NDArray[np.int64]:
        """Return the runs as ``stepping.flatten`` reads them."""
        rows = [
            (cells.start, cells.stop - cells.start, offset, dtype.itemsize, 256**dtype.itemsize - 1 if dtype.kind == "u" else -1)
            for cells, offset, dtype in self.runs
        ]
        return np.array(rows, np.int64)

    def space(self, form: Form = "flat") -> spaces.Space[Any]:
        """Return the space of one observation: one ``Box``, or a ``Dict`` of a ``Box`` per field, bounded by their types."""
        from gymnasium import spaces  # noqa: PLC0415

        if form == "flat":
            return _box((self.size,), self.flat_dtype)
        return spaces.Dict({field.name: _box(field.shape, field.dtype) for field in self.fields})

    def named(self, states: States) -> Arrays:
        """Return concealed states as named arrays, the first axis for the states: views of the same memory."""
        cells = states.view(self.dtype)
        return {field.name: cells[field.name] for field in self.fields}

    @cached_property
    def _run_type(self) -> np.dtype[np.void]:
        """Return a concealed state whose fields are the runs."""
        names = [str(number) for number in range(len(self.runs))]
        formats = [(dtype, (cells.stop - cells.start,)) for cells, _, dtype in self.runs]
        offsets = [offset for _, offset, _ in self.runs]
        return np.dtype({"names": names, "formats": formats, "offsets": offsets, "itemsize": self.dtype.itemsize})

    def flat(self, states: States) -> npt.NDArray[Any]:
        """Return concealed states as one array (count, size): a view of the same memory if all cells are side by side in it."""
        parts = states.view(self._run_type)
        if len(self.runs) == 1:
            found: npt.NDArray[Any] = parts["0"]
            return found
        out = np.empty((len(states), self.size), self.flat_dtype)
        for number, (cells, _, _) in enumerate(self.runs):
            out[:, cells] = parts[str(number)]
        return out

    def read(self, states: States, form: Form = "flat") -> Observation:
        """Return concealed states in one of the two forms."""
        return self.flat(states) if form == "flat" else self.named(states)


def _box(shape: tuple[int, ...], dtype: np.dtype[Any]) -> spaces.Box:
    from gymnasium import spaces  # noqa: PLC0415 - an optional dependency

    bounds = np.iinfo(dtype)
    return spaces.Box(bounds.min, bounds.max, shape, dtype.type)


_layouts: WeakKeyDictionary[Game, Layout] = WeakKeyDictionary()


def layout(game: Game) -> Layout:
    """Return the layout of a game's observations, made at the first call.

    Examples:
        >>> import meadhall
        >>> fields = layout(meadhall.game("viking-axes")).fields
        >>> fields[0].name, fields[1].name, fields[2].name
        ('viewer', 'players', 'actor')
    """
    known = _layouts.get(game)
    if known is None:
        known = _layouts[game] = Layout(game)
    return known


def check_form(form: Any) -> Form:
    """Return the form of observations. Raises BadSetup if it is none of ``flat`` and ``dict``."""
    if form not in FORMS:
        raise BadSetup(f"observations are {' or '.join(FORMS)}, not {quoted(form)}")
    return "flat" if form == "flat" else "dict"


def observe(game: Game, states: States, viewer: int, form: Form = "flat") -> Observation:
    """Return what ``viewer`` (-1: a spectator) may know of a position.

    Args:
        game: the game.
        states: an array of one complete state, or one that is concealed for this viewer.
        viewer: the seat.
        form: ``flat`` for one array (size,), ``dict`` for an array per field.

    Examples:
        >>> import meadhall
        >>> match = meadhall.game("viking-axes").match(players=3, seed="any")
        >>> observation = observe(match.game, match.states, viewer=1, form="dict")
        >>> observation["viewer"], observation["hits"]
        (array([1], dtype=int8), array([0, 0, 0, 0, 0, 0, 0], dtype=int8))
    """
    seen = copied(states)
    loops(game).conceal_one(seen, viewer)
    seen["reveals"] = 0
    seen.view(np.int8)[VIEWER_AT] = viewer
    found = layout(game).read(seen, form)
    return {name: cells[0] for name, cells in found.items()} if isinstance(found, dict) else found[0]


def information_state(view: View) -> str:
    """Return the information state of a view: everything that its viewer has seen since the setup, and sees now.

    The viewer can't tell two positions with the same text apart, not even with a perfect memory. The first line names the viewer.
    The second has the events of the setup. Then each step has a line: the seat, its action, and the events that the viewer was
    told. The last lines are the fields of the state as the viewer knows it; fields that are zero are left out. The text doesn't
    depend on the language, and changes only with the version of the game's rules.

    Args:
        view: the match as a seat or a spectator may know it.

    Examples:
        >>> import meadhall
        >>> from meadhall.envs import information_state
        >>> match = meadhall.game("viking-axes").match(players=2, seed="example")
        >>> events = match.play(match.legal()[0])
        >>> for line in information_state(match.view(0)).splitlines()[:3]:
        ...     print(line)
        viewer: seat 0
        setup: shuffled(120) starts(1) drew(1,axe2)
        seat 1, action 0: throws(1,0,2) hits(0,2) drew(0,shield3) places(0,shield3) drew(1,axe2)
    """
    viewer = "a spectator" if view.viewer < 0 else f"seat {view.viewer}"
    steps = map(_step_in_text, view.steps)
    return "\n".join((f"viewer: {viewer}", _line("setup:", view.setup), *steps, fields_in_text(view.states)))


def _step_in_text(step: VisibleStep) -> str:
    action = "a sealed action" if step.action < 0 else f"action {step.action}"
    return _line(f"seat {step.seat}, {action}:", step.events)


def _line(title: str, events: Sequence[Event]) -> str:
    return " ".join([title, *(str(event).replace(" ", "") for event in events)])


def fields_in_text(states: States, names: Sequence[str] | None = None) -> str:
    """Return the fields of a state (an array of one), a line each. Fields that are zero, and ``reveals``, are left out.

    Args:
        states: the state, concealed for its reader.
        names: the fields; None: all.
    """
    row, wanted = states[0], field_names(states.dtype) if names is None else names
    shown = [name for name in wanted if name != "reveals" and row[name].any()]
    return "\n".join(f"{name}: {' '.join(map(str, row[name].ravel().tolist()))}" for name in shown)


Policy = Callable[[Any, npt.NDArray[np.int8]], Any]
"""A function of an observation and a mask of the legal actions, which returns an action as a number or an array of one."""


def policy_bot(policy: Policy, form: Form = "flat") -> Callable[[View], int]:
    """Return a function from a view to an action that asks a policy: a bot for ``meadhall serve --bot NAME=module:function``.

    Args:
        policy: is called with the observation of the seat to move, as ``observe`` returns it, and with its mask: an array of int8
            with 1 for every legal action and 0 for the others.
        form: the form of the observation, ``"flat"`` or ``"dict"``, as in the training.

    Raises:
        BadSetup: there is no such form, or the policy is no function.

    Examples:
        >>> import meadhall
        >>> first = policy_bot(lambda observation, mask: mask.argmax())
        >>> match = meadhall.game("axes-and-allies").match(players=2, seed="example")
        >>> first(match.view(match.actor)) == match.legal()[0].action
        True
    """
    check_form(form)
    if not callable(policy):
        raise BadSetup(f"a policy must be a function of an observation and a mask, not {quoted(policy)}")

    def choose(view: View) -> int:
        observation: Observation = observe(view.game, view.states, view.viewer, form)
        mask = np.zeros(view.game.actions, np.int8)
        mask[list(view.legal)] = 1
        return int(np.asarray(policy(observation, mask)).item())

    return choose
