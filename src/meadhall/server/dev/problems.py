"""Problems: errors of a game's files, as the pages of development mode show them."""

from __future__ import annotations

import traceback
from dataclasses import dataclass
from pathlib import Path

from jinja2 import TemplateSyntaxError

from meadhall.engine.errors import BrokenGame


@dataclass(frozen=True)
class Problem:
    """An error in the files of a game.

    Attributes:
        game: the name of the game.
        what: what doesn't work, for a heading.
        message: the type of the error, and what it says.
        file: the file of the game where it happened, "" if it is in none.
        line: its line, 0 if unknown.
        traceback: the traceback, from the first frame in the game's files on.
    """

    game: str
    what: str
    message: str
    file: str
    line: int
    traceback: str


def problem_of(game: str, what: str, error: BaseException, folder: Path | None) -> Problem:
    """Describe an error. ``folder``: the folder of the game's files."""
    cause = error.__cause__ if isinstance(error, BrokenGame) and error.__cause__ is not None else error
    file, line = _place(cause, folder)
    lines = traceback.TracebackException.from_exception(cause, compact=True)
    if folder is not None:
        _drop_other_frames(lines, folder)
    return Problem(game, what, f"{type(cause).__name__}: {cause}", file, line, "".join(lines.format()))


def _place(error: BaseException, folder: Path | None) -> tuple[str, int]:
    """Return the file and line of an error: the last place in the game's files, else where the file can't be read."""
    if isinstance(error, SyntaxError) and error.filename:
        return error.filename, error.lineno or 0
    if isinstance(error, TemplateSyntaxError):
        return error.filename or error.name or "", error.lineno
    places = [(frame.filename, frame.lineno or 0) for frame in traceback.extract_tb(error.__traceback__)]
    own = [place for place in places if folder is not None and _is_within(place[0], folder)]
    return own[-1] if own else ("", 0)


def _drop_other_frames(lines: traceback.TracebackException, folder: Path) -> None:
    """Leave out the frames before the first one in the game's files."""
    within = [_is_within(frame.filename, folder) for frame in lines.stack]
    if True in within:
        del lines.stack[: within.index(True)]
    elif isinstance(lines.exc_type, type) and issubclass(lines.exc_type, SyntaxError):
        lines.stack.clear()


def _is_within(file: str, folder: Path) -> bool:
    return folder in Path(file).parents
