"""The problem of a search: which options and values of a document it may change, and what the figures should become."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from math import inf, isnan
from typing import Any, TypeAlias

import numpy as np

from meadhall.engine.checks import quoted
from meadhall.engine.compute.bulk import Floats
from meadhall.engine.errors import BadSetup
from meadhall.engine.game import Game
from meadhall.engine.options import Choice, Number
from meadhall.lab.balance.figures import Column, Columns

Path: TypeAlias = tuple[str | int, ...]
"""The keys and indexes that lead to a value of a document."""

Changes: TypeAlias = Mapping[str, Any]
"""The chosen value of each knob by its name."""

AROUND = 2
"""How far below and above its value in the document a number may go if nothing else is said."""
MOST_VALUES = 1000
"""The most values of a knob."""

_SPEC = re.compile(r"(?P<path>[\w.*-]+?)\s*(?:(?P<add>\+)?=\s*(?P<values>.+))?", re.DOTALL)
_RANGE = re.compile(r"(-?\d{1,6})\s*\.\.\s*(-?\d{1,6})")


@dataclass(frozen=True)
class Knob:
    """What a search turns: a value, or a number that is added to several values together.

    Attributes:
        name: the path of the value, or the pattern and ``+``; or the name of an option.
        paths: the values of the document that it changes; none if it is an option.
        values: what it may be.
        start: what it is in the document.
        is_added: whether it is added to the values instead of replacing them.
    """

    name: str
    paths: tuple[Path, ...]
    values: tuple[Any, ...]
    start: Any
    is_added: bool = False


def option_knobs(subject: Game, specs: Sequence[str], options: Mapping[str, Any]) -> tuple[list[Knob], list[str]]:
    """Return the knobs of the texts that free an option or a number of the rules, and the other texts.

    ``NAME`` frees all values (of a number with many, some at equal distances), ``NAME=4..6`` or ``NAME=[standard, strategic]``
    these values. The other texts are for a document, see ``knobs_of``.

    Args:
        subject: the game.
        specs: the texts.
        options: the checked options to start from.

    Raises:
        BadSetup: a value is none of the option's, or there is no other.

    Examples:
        >>> import meadhall
        >>> from meadhall.lab.tuning.problem import option_knobs
        >>> axes = meadhall.game("axes-and-allies")
        >>> knobs, others = option_knobs(axes, ["kills_on=4..6", "last_two", "door.*"], axes.check_options({}))
        >>> [(knob.name, knob.values) for knob in knobs], others
        ([('kills_on', (0, 4, 5, 6)), ('last_two', ('ally', 'fight'))], ['door.*'])
    """
    choices = {option.name: option for option in subject.options if isinstance(option, Choice)}
    found, others = [], []
    for spec in specs:
        name, given, text = map(str.strip, spec.partition("="))
        if (option := choices.get(name)) is None:
            others.append(spec)
        else:
            span, words = _RANGE.fullmatch(text), text.removeprefix("[").removesuffix("]").split(",")
            listed = range(int(span[1]), int(span[2]) + 1) if span else [word.strip().strip("\"'") for word in words]
            values = [option.check(option.read(str(value))) for value in listed[:MOST_VALUES]] if given else option.compared
            start = options[name]
            every = dict.fromkeys((start, *values))
            found.append(Knob(name, (), tuple(sorted(every) if isinstance(option, Number) else every), start))
    return checked_knobs(found), others


def checked_knobs(knobs: Iterable[Knob]) -> list[Knob]:
    """Return the knobs. Raises BadSetup if one has no other value, or is there twice."""
    found: dict[str, Knob] = {}
    for knob in knobs:
        if len(knob.values) < 2:
            raise BadSetup(f"{knob.name} is free, but has no other value than {knob.start}")
        if knob.name in found:
            raise BadSetup(f"{knob.name} is free twice")
        found[knob.name] = knob
    return list(found.values())


def knobs_of(document: Mapping[str, Any], specs: Sequence[str]) -> list[Knob]:
    """Return the knobs that these texts free: ``PATH``, ``PATH=LOW..HIGH``, ``PATH=[TOML, …]``, ``PATH+=LOW..HIGH``.

    Items of lists are numbered from 0, ``*`` stands for all of them. A table frees its numbers.

    Raises:
        BadSetup: a text can't be read, leads nowhere, or frees no other value.

    Examples:
        >>> from meadhall.lab.tuning.problem import knobs_of
        >>> document = {"door": [{"level": 2}, {"level": 5}]}
        >>> [(knob.name, knob.values) for knob in knobs_of(document, ["door.*.level=1..3"])]
        [('door.0.level', (1, 2, 3)), ('door.1.level', (5, 1, 2, 3))]
        >>> knobs_of(document, ["door.*.level+=-1..1"])[0].values
        (-1, 0, 1)
    """
    return checked_knobs(knob for spec in specs for knob in _knobs(document, spec))


def changed(document: Mapping[str, Any], knobs: Sequence[Knob], changes: Changes) -> Any:
    """Return a copy of a document with these changes. It may be one of tomlkit, which keeps its comments."""
    made = deepcopy(document)
    for knob in knobs:
        if knob.name in changes:
            for path in knob.paths:
                parent = _at(made, path[:-1])
                value = changes[knob.name]
                parent[path[-1]] = parent[path[-1]] + value if knob.is_added else value
    return made


def _knobs(document: Mapping[str, Any], spec: str) -> Iterator[Knob]:
    parsed = _SPEC.fullmatch(spec.strip())
    if parsed is None:
        raise BadSetup(f"a free value is given as PATH, PATH=0..3, PATH=[…] or PATH+=-2..2, not as {quoted(spec)}")
    paths = list(_paths(document, tuple(parsed["path"].split("."))))
    if not paths:
        raise BadSetup(f"{quoted(parsed['path'])} leads to no value of the document")
    given = None if parsed["values"] is None else _values(parsed["values"], spec)
    if parsed["add"]:
        assert given is not None  # the pattern has values after +=
        _numbers([_at(document, path) for path in paths], f"{parsed['path']} in the document")
        yield Knob(f"{parsed['path']}+", tuple(paths), tuple(sorted({*_numbers(given, spec), 0})), 0, is_added=True)
        return
    if given is None:
        paths = [leaf for path in paths for leaf in _leaves(document, path)]
    for path in paths:
        name, value = ".".join(map(str, path)), _at(document, path)
        start = 0 if value is None else value
        values = given
        if values is None:
            [number] = _numbers([start], f"{name}, which is free without values such as {name}=[1, 2],")
            values = list(range(max(0, number - AROUND), number + AROUND + 1))
        yield Knob(name, (path,), tuple(values if start in values else [start, *values]), start)


def _values(text: str, spec: str) -> list[Any]:
    span = _RANGE.fullmatch(text.strip())
    try:
        values: Any = tomllib.loads(f"x = {text}")["x"] if span is None else range(int(span[1]), int(span[2]) + 1)
    except (ValueError, RecursionError) as error:
        raise BadSetup(f"the values of {quoted(spec)} are neither a range such as 0..3 nor TOML: {error}") from None
    if not isinstance(values, list | range) or not 0 < len(values) <= MOST_VALUES:
        raise BadSetup(f"the values of {quoted(spec)} must be a range or a list of 1 to {MOST_VALUES}")
    return list(values)


def _numbers(values: Sequence[Any], where: str) -> list[int]:
    for value in values:
        if type(value) is not int:
            raise BadSetup(f"{where} must be a whole number, not {quoted(value)}")
    return list(values)


def _paths(document: Any, keys: Sequence[str], done: Path = ()) -> Iterator[Path]:
    """Yield the paths that match a pattern. The last key of a table may be absent: a value that the document leaves out."""
    if not keys:
        yield done
    elif isinstance(document, Mapping):
        for key in document if keys[0] == "*" else [keys[0]]:
            if key in document or len(keys) == 1:
                yield from _paths(document.get(key), keys[1:], (*done, key))
    elif isinstance(document, list):
        for index, item in enumerate(document):
            if keys[0] in ("*", str(index)):
                yield from _paths(item, keys[1:], (*done, index))


def _leaves(document: Any, path: Path) -> Iterator[Path]:
    """Yield the paths of the values of a table, or the path of a value itself."""
    found = _at(document, path)
    if isinstance(found, Mapping) and found:
        for key in found:
            yield from _leaves(document, (*path, key))
    else:
        yield path


def _at(document: Any, path: Path) -> Any:
    for key in path:
        document = document.get(key) if isinstance(document, Mapping) else document[key]
    return document


# ------------------------------------------------------------------------------------------------------------------ targets

_TARGET = re.compile(r"(?P<figure>[a-z][\w.]*)\s*(?P<sign>[<>=])\s*(?P<goal>-?\d+(\.\d+)?)\s*(?P<percent>%)?")


@dataclass(frozen=True)
class Miss:
    """How far some matches are from a target: 0 if they meet it.

    Attributes:
        value: the distance.
        residuals: float64 (matches,): what each match adds to its error.
    """

    value: float
    residuals: Floats


@dataclass(frozen=True)
class Target:
    """A figure with the value that it should have, at most have (``<``), or at least have (``>``)."""

    figure: str
    sign: str
    goal: float

    def __str__(self) -> str:
        return f"{self.figure}{self.sign}{self.goal:g}"

    def column(self, columns: Columns) -> Column:
        """Return the column of the figure; of ``place`` that of the largest. Raises BadSetup if there is no such figure."""
        if self.figure in columns:
            return columns[self.figure]
        places = [column for name, column in columns.items() if name.startswith("place.")]
        if self.figure == "place" and places:
            return max(places, key=lambda column: column.value)
        families = ", ".join(dict.fromkeys(["place", *(name.partition(".")[0] for name in columns)]))
        raise BadSetup(
            f"a target is a mean of matches, such as place.1 or turns; there is no {self.figure}. Families: {families}"
        )

    def miss(self, columns: Columns) -> Miss:
        """Return how far the figure is from its goal."""
        column = self.column(columns)
        beyond = column.value - self.goal
        way = (1.0 if beyond > 0 else -1.0) if self.sign == "=" else 1.0 if self.sign == "<" else -1.0
        if way * beyond > 0:
            return Miss(way * beyond, way * column.residuals)
        return Miss(inf if isnan(beyond) else 0.0, np.zeros(len(column.sums)))  # NaN: nothing was counted, as no match ended


def targets_of(specs: Sequence[str]) -> list[Target]:
    """Read targets: ``place<1.1``, ``turns=14``, ``shared<20%``; several may stand in a text with commas. Raises BadSetup."""
    found = []
    for spec in (part for each in specs for part in each.split(",")):
        parsed = _TARGET.fullmatch(spec.strip())
        if parsed is None:
            raise BadSetup(f"a target is given as place<1.1, turns=14 or points>20, not as {quoted(spec)}")
        found.append(Target(parsed["figure"], parsed["sign"], float(parsed["goal"]) / (100 if parsed["percent"] else 1)))
    if not found:
        raise BadSetup("at least one target must be given")
    return found
