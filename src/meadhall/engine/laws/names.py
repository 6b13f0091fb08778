"""The names in rules: a misspelt field or function is found in the source, with its line and the name that was meant.

The compiler names no line for these mistakes, and an interpreted rule creates a field that it writes. So no rule is run here.
"""

from __future__ import annotations

import ast
import builtins
import inspect
import linecache
import textwrap
from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from types import FunctionType
from typing import Any

from meadhall.engine.compile.compiled import supplied
from meadhall.engine.game import Game
from meadhall.engine.laws.hidden import demand

_OTHERS = ("meadhall.engine", "numba", "numpy")
"""Packages whose functions are not the game's."""


def names_exist(game: Game) -> None:
    """Check that the rules use only fields that the state has, and only names that their modules have."""
    fields = tuple(game.state.dtype.names or ())
    rules = [(_plain(value), name != "tally") for name, value in supplied(game).items() if callable(value)]
    todo = [(rule, frozenset(_parameters(rule)[:takes])) for rule, takes in rules if rule is not None]
    seen = set(todo)
    while todo:
        rule, states = todo.pop()
        body = _body(rule)
        for line, what, name, known in _unknown(rule, body, states, fields):
            file = rule.__code__.co_filename
            meant = "".join(f"; did you mean {each}?" for each in get_close_matches(name, known, 1))
            demand(False, f"{file}, line {line}: `{linecache.getline(file, line).strip()}`: {what} {name}{meant}")
        for call in (node for node in body if isinstance(node, ast.Call)):
            called = _plain(_value(rule, call.func))
            if called is not None:
                passed = [isinstance(given, ast.Name) and given.id in states for given in call.args]
                found = called, frozenset(name for name, is_state in zip(_parameters(called), passed, strict=False) if is_state)
                todo += {found} - seen
                seen.add(found)


def _unknown(
    rule: FunctionType, body: Iterable[ast.AST], states: frozenset[str], fields: Iterable[str]
) -> Iterator[tuple[int, str, str, Iterable[str]]]:
    """Yield the line of each unknown name, what it isn't, the name, and those that there are."""
    code, first = rule.__code__, rule.__code__.co_firstlineno - 1
    stored = {node.id for node in body if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)}
    known = {*dir(builtins), *rule.__globals__, *code.co_varnames, *code.co_cellvars, *code.co_freevars, *stored}
    for node in body:
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in states:
            if node.attr not in fields:
                yield first + node.lineno, "the state has no field", node.attr, fields
        elif isinstance(node, ast.Name) and node.id not in known:
            yield first + node.lineno, "there is no", node.id, known


def _plain(function: Any) -> FunctionType | None:
    """Return a rule of a game as plain Python; None for anything else."""
    plain = getattr(function, "py_func", function)
    return plain if isinstance(plain, FunctionType) and not plain.__module__.startswith(_OTHERS) else None


def _parameters(rule: FunctionType) -> tuple[str, ...]:
    return rule.__code__.co_varnames[: rule.__code__.co_argcount]


def _value(rule: FunctionType, called: ast.expr) -> Any:
    """Return what a name, or an attribute of a module, stands for in a rule; None if that isn't known before it runs."""
    if isinstance(called, ast.Attribute) and isinstance(called.value, ast.Name):
        return getattr(rule.__globals__.get(called.value.id), called.attr, None)
    return rule.__globals__.get(called.id) if isinstance(called, ast.Name) else None


def _body(rule: FunctionType) -> list[ast.AST]:
    """Return the nodes of a rule's body without annotations, which nothing evaluates; [] if there is no source."""
    try:
        [tree] = ast.parse(textwrap.dedent(inspect.getsource(rule))).body
    except (OSError, SyntaxError, ValueError):
        return []
    nodes = [node for part in getattr(tree, "body", ()) for node in ast.walk(part)]
    hints = {id(part) for node in nodes if isinstance(node, ast.AnnAssign) for part in ast.walk(node.annotation)}
    return [node for node in nodes if id(node) not in hints]
