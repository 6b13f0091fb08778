"""Laws about the declaration of a game: names in its rules, its options, the guided first game, the puzzle of the day.

A misspelt field or function of a rule is found in the source, with its line and the name that was meant. The compiler names no
line for these mistakes, and an interpreted rule creates a field that it writes. So no rule is run here.
"""

from __future__ import annotations

import ast
import builtins
import inspect
import itertools
import linecache
import random
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import FunctionType
from typing import Any

from meadhall.engine.checks import meant
from meadhall.engine.compiled import supplied
from meadhall.engine.errors import (
    BadSetup,
)
from meadhall.engine.game import Game
from meadhall.engine.laws.knowledge import demand
from meadhall.engine.match.match import Match
from meadhall.engine.match.telling import guided_match
from meadhall.engine.options import Choice, HouseRule
from meadhall.engine.rulebook import OPEN, conditions, rule_ids, told_apart
from meadhall.engine.text.language import LANGUAGES, speaking
from meadhall.engine.text.lessons import LEARNER, Daily, Lessons

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
            code = linecache.getline(file, line).strip()
            demand(False, f"{file}, line {line}: `{code}`: {what} {name}{meant(name, known)}")
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


def options_have_names(game: Game) -> None:
    """Check that people read a name, not an id, for each option and each of its values."""
    for option in game.options:
        demand(option.title.strip() not in ("", option.name), f"option {option.name} has no title, its name for people")
        for value in option.values:
            named = option.named(value).strip() not in ("", str(value))
            demand(named, f"value {value} of option {option.name} has no name for people: give a pair, (name, sentence)")


def rulebook_knows_options(game: Game) -> None:
    """Check that in every language the texts of exactly the rules that an option names depend on the option."""
    choices = {option.name: option for option in game.options if isinstance(option, Choice)}
    names = game.at_table(game.check_options({})) if game.at_table else {}
    for language in LANGUAGES:
        with speaking(language):
            for name, value in conditions(game):
                values = map(choices[name].told_as, choices[name].tried) if name in choices else ()
                known = name in names or value in (OPEN, *values)
                demand(known, f"the rulebook ({language}) asks for {name}={value}, which is no option and value")
            for option in choices.values():
                told = set().union(*(told_apart(game, *pair) for pair in _pairs(game, option)))
                wrong = ", ".join(sorted(told ^ set(option.rules)))
                demand(not wrong, f"the text ({language}) or the declaration `rules` of option {option.name} lacks {wrong}")


def _pairs(game: Game, option: Choice) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Yield the options of two tables, with each value of an option and with its default, beside all that are no house rules."""
    plain = [each for each in game.options if isinstance(each, Choice) and not isinstance(each, HouseRule)]
    others = [each for each in plain if each is not option]
    for values in itertools.product(*(each.values for each in others), option.tried):
        beside = dict(zip([each.name for each in others], values, strict=False))
        try:
            yield game.check_options(beside | {option.name: values[-1]}), game.check_options(beside)
        except BadSetup:
            continue


def lessons_are_sound(game: Game, lessons: Lessons) -> None:
    """Check that lessons can be played as scripted, ask only the learner for actions, and cite rules of the rulebook."""
    match = guided_match(game)
    for number, (lesson, position) in enumerate(zip(lessons.lessons, lessons.positions, strict=True), 1):
        demand(bool(lesson.words.strip()), f"lesson {number} has no words")
        demand(lesson.rule in ("", *rule_ids(game)), f"lesson {number} cites rule {lesson.rule!r}, which the rulebook lacks")
        asked = lesson.action is None or match.view_at(position).actor == LEARNER
        demand(asked, f"lesson {number} asks for an action when it is not the learner's turn")
    demand(lessons.lessons[-1].action is None, "the last lesson asks for an action")


def daily_is_sound(game: Game, daily: Daily, seed: str) -> None:
    """Check that one player can play the puzzle to its end, and that it reports the figures it declares at every position."""
    match, draw = Match(game, players=1, seed=seed, options=dict(daily.options)), random.Random(seed)
    named = [figure.name for figure in daily.figures]
    while not match.over:
        match.play(draw.choice(match.legal()))
        figures = daily.measure(match)
        demand(list(figures) == named, f"it declares the figures {named} and measures {list(figures)}")
        daily.order(figures)
        for figure in daily.figures:
            value = figures[figure.name]
            demand(type(value) is int, f"the figure {figure.name} is {value!r}, not an integer")
            demand(0 <= value <= (figure.most or value), f"the figure {figure.name} is {value}; its maximum is {figure.most}")


def first_order_is_declared(game: Game, chosen: Sequence[tuple[int, Mapping[str, Any]]]) -> None:
    """Check that a game with rivals tells who has the first turn: reports compare places in this order."""
    rivals = any(len(game.parties(count, values)) > 1 for count, values in chosen)
    demand(
        game.elements.first_order is not None or not rivals,
        "the game doesn't declare who has the first turn: Game(…, elements=Elements(first_order=…)) with the number of the event "
        "that names the first seat, or all seats in their order; or with CLOCKWISE, from the seat that decides first",
    )
