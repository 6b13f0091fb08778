"""Compile a game's rules together with a source file of loops, as one module per game and source file.

Rules that are called through a module's globals are inlined, and their machine code is cached on disk. Neither works for rules
that are passed as arguments (``docs/decisions/index.md``).
"""

from __future__ import annotations

import hashlib
import importlib.util
import sys
from pathlib import Path
from threading import Lock
from types import ModuleType
from typing import Any
from weakref import WeakKeyDictionary

from meadhall.engine.compile.rule import rule
from meadhall.engine.game import Game
from meadhall.engine.report_terms import CLOCKWISE
from meadhall.engine.search_settings import uniform_random

LOOPS = Path(__file__).with_name("loops.py")
_RULES = ("setup", "legal", "play", "conceal", "redeal", "score")


@rule
def conceal_nothing(state: Any, seat: int) -> None:
    """Blank nothing: every seat knows the whole state."""


@rule
def redeal_nothing(state: Any, seat: int) -> None:
    """Fill nothing: nothing was blanked."""


_DEFAULT_RULES = {"conceal": conceal_nothing, "redeal": redeal_nothing}


@rule
def only_the_actor(state: Any) -> int:
    """Return the deciders of a game without simultaneous decisions."""
    return 1 << state.actor if state.actor >= 0 else 0


_lock = Lock()
_modules: dict[str, tuple[dict[str, Any], ModuleType]] = {}


def module_of(subject: Game, source: Path, **more: Any) -> Any:
    """Return the game's module of a source file, loaded with the game's rules and ``more`` as its globals.

    The editions of a game share its modules. A game that is registered again gets new ones.
    """
    parts = supplied(subject) | more
    name = _module_name(subject, source, parts)
    with _lock:
        known = _modules.get(name)
        if known is None or any(known[0][key] is not value for key, value in parts.items()):
            known = _modules[name] = parts, _make_module(name, source, parts)
    return known[1]


def supplied(subject: Game) -> dict[str, Any]:
    """Return the globals that a game supplies to its modules."""
    advice, simultaneous = subject.advice, getattr(subject.rules, "deciders", None)
    first_order = CLOCKWISE if subject.elements.first_order is None else int(subject.elements.first_order)
    return {
        **{function: getattr(subject.rules, function, _DEFAULT_RULES.get(function)) for function in _RULES},
        "SIMULTANEOUS": simultaneous is not None,
        "deciders": simultaneous or only_the_actor,
        "ACTIONS": subject.actions,
        "STATE": subject.state.dtype,
        "LOGGED": subject.statistics.counters > 0 or first_order != CLOCKWISE,
        "FIRST_ORDER": first_order,
        "tally": subject.statistics.tally,
        "greedy": subject.greedy or uniform_random,
        "rollout": advice.rollout,
        "guide": advice.guide,
        "evaluate": advice.evaluate,
        "quiescent": advice.quiescent,
        "solved_value": advice.solved_value,
    }


def _module_name(subject: Game, source: Path, parts: dict[str, Any]) -> str:
    """Return a name in the package of the game's rules that is unique for these rules: machine code is cached by module name."""
    package = subject.rules.play.__module__.rpartition(".")[0]
    rules = [f"{value.__module__}.{value.__qualname__}" if callable(value) else str(value) for value in parts.values()]
    name = f"{subject.name}-{source.stem}-{hashlib.sha256(' '.join(rules).encode()).hexdigest()[:8]}"
    return f"{package}.{name}" if package else name  # with a leading dot Python would take it for a relative import


def _make_module(name: str, source: Path, parts: dict[str, Any]) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, source)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    module.__dict__.update(parts)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


_loops: WeakKeyDictionary[Game, Any] = WeakKeyDictionary()


def loops(game: Game) -> Any:
    """Return the game's compiled module of ``loops.py``. It is made at the first call and cached."""
    module = _loops.get(game)
    if module is None:
        module = _loops[game] = module_of(game, LOOPS)
    return module
