"""Find the line of a value in a TOML document, for error messages. ``tomllib`` keeps no line numbers."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from typing import Any, NamedTuple

Place = tuple[str | int, ...]
"""A path of keys and indexes from the top: ``("monster", 3, "name")``."""

_MARKS = re.compile(
    r'"""(?:[^\\]|\\.)*?"{3,5}'  # strings and comments match as a whole, so that brackets in them don't count
    r"|'''.*?'{3,5}"
    r'|"(?:[^"\\]|\\.)*"'
    r"|'[^']*'"
    r"|#[^\n]*"
    r"|[][{},\n]",
    re.DOTALL,
)
_BLANK = re.compile(r"(?:\s|#[^\n]*)*")


def place_of(path: str) -> Place:
    """Parse ``$.monster[3].name``, the notation of msgspec's errors."""
    return tuple(name or int(index) for name, index in re.findall(r"\.([^.[]+)|\[(\d+)\]", path))


def line_of(text: str, place: Place) -> int:
    """Return the line (from 1) of a place in a TOML document.

    If the place is missing, return the line of the innermost part that exists; 0 if there is none.
    """
    found = deepest = 0
    for statement in _statements(text.replace("\r\n", "\n")):
        depth = _depth(statement, place)
        if depth > deepest:
            found, deepest = statement.line + _lines_into(statement, place), depth
    return found


class _Statement(NamedTuple):
    """The header of a TOML table (``data`` is None), or an assignment in one."""

    line: int
    text: str
    table: Place
    data: Any


def _depth(statement: _Statement, place: Place) -> int:
    """Return how many parts of a place a statement covers."""
    depth = min(len(statement.table), len(place))
    if statement.table[:depth] != place[:depth]:
        return 0
    if statement.data is None:
        return depth
    inside = _reach(statement.data, place[depth:])
    return depth + inside if inside else 0


def _reach(data: Any, place: Place) -> int:
    """Return how many parts of a place exist in ``data``."""
    for depth, step in enumerate(place):
        try:
            data = data[step]
        except (KeyError, IndexError, TypeError):
            return depth
    return len(place)


def _lines_into(statement: _Statement, place: Place) -> int:
    """Return the number of lines from the start of an assignment to the array item that contains the place."""
    wanted = next((step for step in place[len(statement.table) :] if isinstance(step, int)), None)
    if statement.data is None or wanted is None:
        return 0
    depth = item = 0
    for mark in _MARKS.finditer(statement.text):
        depth += _depth_change(mark[0])
        item += mark[0] == "," and depth == 1
        if item == wanted and mark[0] in ("[", ","):
            blank = _BLANK.match(statement.text, mark.end())
            return statement.text.count("\n", 0, blank.end() if blank else 0)
    return 0


def _statements(text: str) -> Iterator[_Statement]:
    table: Place = ()
    last: dict[Place, int] = {}  # the index of the last table in each array of tables
    for line, statement in _split(text):
        data = tomllib.loads(statement)
        if statement.lstrip().startswith("["):
            table = ()
            while data:
                ((name, data),) = data.items()
                table += (name,)
                if isinstance(data, list):
                    data, last[table] = data[0], last.get(table, -1) + 1
                if table in last:
                    table += (last[table],)
            yield _Statement(line, statement, table, None)
        elif data:
            yield _Statement(line, statement, table, data)


def _split(text: str) -> Iterator[tuple[int, str]]:
    """Yield the first line and the text of every statement, and of blank lines and comments."""
    line, start, depth = 1, 0, 0
    for mark in _MARKS.finditer(text):
        depth += _depth_change(mark[0])
        if mark[0] == "\n" and depth == 0:
            yield line, text[start : mark.start()]
            line, start = line + text.count("\n", start, mark.end()), mark.end()
    yield line, text[start:]


def _depth_change(mark: str) -> int:
    return (mark in ("[", "{")) - (mark in ("]", "}"))
