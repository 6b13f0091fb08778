"""Import games, and say what is wrong with them: ``python -m meadhall.server.dev.rehearsal GAME …``.

A hall in development mode runs this in a process of its own before it starts again.
"""

from __future__ import annotations

import importlib.metadata
import sys
import traceback
from collections.abc import Sequence
from itertools import dropwhile
from pathlib import Path
from typing import Final

from meadhall.engine import registry
from meadhall.engine.errors import BrokenGame

_IMPORTING: Final = (__file__, registry.__file__, importlib.__file__, importlib.metadata.__file__)


def main(names: Sequence[str]) -> int:
    """Import games. Of each that fails, write the error with its place, and the traceback from the game's own files on."""
    problems = [problem for name in names if (problem := problem_of(name))]
    sys.stdout.write("\n".join(problems))
    return 1 if problems else 0


def problem_of(name: str) -> str:
    """Import a game. Return what is wrong with it, "" if nothing is."""
    try:
        registry.game(name)
    except BrokenGame as error:
        return described(error.__cause__ or error)
    return ""


def described(error: BaseException) -> str:
    """Return an error with its place in the first line, and its traceback without the frames that import games."""
    told = traceback.TracebackException.from_exception(error, compact=True)
    told.stack[:] = dropwhile(lambda frame: _is_importing(frame.filename), told.stack)
    lines = told.format() if told.stack else told.format_exception_only()
    return f"{_place(error, told)}{type(error).__name__}: {error}\n\n{''.join(lines)}"


def _place(error: BaseException, told: traceback.TracebackException) -> str:
    if isinstance(error, SyntaxError) and error.filename:
        return f"{error.filename}:{error.lineno}: "
    return f"{told.stack[-1].filename}:{told.stack[-1].lineno}: " if told.stack else ""


def _is_importing(file: str) -> bool:
    return file.startswith("<frozen") or Path(file).parent in {Path(each or "").parent for each in _IMPORTING}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
