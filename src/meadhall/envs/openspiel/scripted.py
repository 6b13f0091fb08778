"""Scripted chance: rules that run with given outcomes of their random draws.

In OpenSpiel every random draw is a chance node with known outcomes. Our rules draw within ``setup`` and ``play``. So a step runs
from its beginning with the outcomes known so far. When it needs one more, it stops and says how many outcomes there are.

The rules that run are the game's own, as plain Python: a copy of each function whose ``below`` is replaced. This costs nothing in
the compiled rules, and works whether rules are compiled or interpreted in this process.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from threading import Lock
from types import CellType, CodeType, FunctionType, ModuleType
from typing import Any

from meadhall.engine.compile import rule
from meadhall.engine.errors import MeadhallError
from meadhall.engine.game import Game
from meadhall.engine.state import chance, schema
from meadhall.engine.state.events import Event, new_log, read_log
from meadhall.engine.state.schema import States, copied

_LOG_CAPACITY = 64
_FOREIGN = frozenset((*sys.stdlib_module_names, "numpy", "numba"))
"""Packages whose functions draw nothing from our generator."""


class UnknownChance(MeadhallError):
    """A rule draws raw bits, so that its outcomes can't be listed."""


class Needed(Exception):
    """A rule needs the outcome of one more draw.

    Attributes:
        size: the number of its outcomes, which are equally likely.
    """

    def __init__(self, size: int) -> None:
        super().__init__(size)
        self.size = size


class ScriptedRules:
    """The ``setup`` and ``play`` of a game, with given outcomes instead of its generator."""

    def __init__(self, game: Game) -> None:
        self._game = game
        self._outcomes: Sequence[int] = ()
        self._used = 0
        self._lock = Lock()
        self._copies: dict[int, Any] = {
            id(chance.below): self._below,
            id(chance.draw): self._draw,
            id(rule.u64): int,
            id(rule.i64): int,
            id(schema.state_at): game.state.at,
            id(schema.copy_state): _copy_state,
        }
        self._kept: list[Any] = []  # what ``_copies`` names by its id
        self._scopes: dict[int, dict[str, Any]] = {}
        self._setup = self._copy(game.rules.setup)
        self._play = self._copy(game.rules.play)

    def set_up(self, players: int, options: Any, outcomes: Sequence[int]) -> tuple[States, tuple[Event, ...]]:
        """Set up a match. Raises Needed if it draws more often than there are outcomes."""

        def run(state: Any, log: Any) -> None:
            state.players = players
            self._setup(state, players, options, log)

        return self._run(self._game.state.new(), run, outcomes)

    def play(self, before: States, action: int, outcomes: Sequence[int]) -> tuple[States, tuple[Event, ...]]:
        """Play a legal action of the actor on a copy. Raises Needed if it draws more often than there are outcomes."""
        return self._run(before, lambda state, log: self._play(state, action, log), outcomes)

    def _run(self, before: States, step: Any, outcomes: Sequence[int]) -> tuple[States, tuple[Event, ...]]:
        capacity = _LOG_CAPACITY
        with self._lock:
            while True:
                self._outcomes, self._used = outcomes, 0
                states, log = copied(before), new_log(capacity)
                step(self._game.state.at(states), log)
                wanted = int(log[0, 0])
                if wanted <= capacity:
                    return states, read_log(log, self._game.events)
                capacity = wanted

    def _below(self, _rng: Any, n: int) -> int:
        """Return the next given outcome, instead of ``chance.below``."""
        if n == 1:
            return 0
        if self._used == len(self._outcomes):
            raise Needed(int(n))
        self._used += 1
        return self._outcomes[self._used - 1]

    def _draw(self, _rng: Any) -> int:
        title = self._game.title
        raise UnknownChance(f"the rules of {title} draw raw bits; with `below`, `die` and `shuffle` their outcomes can be listed")

    # -------------------------------------------------------------------------------------------------------------- copies

    def _copy(self, value: Any) -> Any:
        """Return a copy of a function, or of a module, in which draws are scripted; return anything else as it is."""
        if id(value) in self._copies:
            return self._copies[id(value)]
        function = getattr(value, "py_func", value)  # of a compiled rule
        if isinstance(function, FunctionType) and not _is_foreign(function.__module__):
            self._kept.append(value)
            return self._copy_function(id(value), function)
        if isinstance(value, ModuleType) and not _is_foreign(value.__name__):
            self._kept.append(value)
            self._copies[id(value)] = _ScriptedModule(value, self._copy)
            return self._copies[id(value)]
        return value

    def _copy_function(self, key: int, function: FunctionType) -> Any:
        names = function.__globals__
        scope = self._scopes.setdefault(id(names), {"__builtins__": names["__builtins__"], "__name__": names["__name__"]})
        cells = tuple(CellType() for _ in function.__closure__ or ())
        copy = FunctionType(function.__code__, scope, function.__name__, function.__defaults__, cells or None)
        copy.__kwdefaults__ = function.__kwdefaults__
        self._copies[key] = copy
        for name in _names_in(function.__code__):
            if name in names and name not in scope:
                scope[name] = names[name]
                scope[name] = self._copy(names[name])
        for cell, original in zip(cells, function.__closure__ or (), strict=True):
            cell.cell_contents = self._copy(original.cell_contents)
        return copy


class _ScriptedModule:
    """A module whose functions are copied when they are used: for rules that write ``sdk.die``."""

    def __init__(self, module: ModuleType, copy: Any) -> None:
        self._module, self._copy = module, copy

    def __getattr__(self, name: str) -> Any:
        return self._copy(getattr(self._module, name))


def _copy_state(state: Any, states: States, index: int) -> None:
    states[index] = state._row


def _is_foreign(module: str | None) -> bool:
    return (module or "").partition(".")[0] in _FOREIGN


def _names_in(code: CodeType) -> Iterator[str]:
    """Yield the global names that a function uses, inner functions included."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names_in(constant)
