"""``python -m meadhall.server.worker.process``: the process that thinks for a hall, see ``thinkers.Beside``.

It reads what is asked from its standard input and writes answers to its standard output. Everything asked is thought in a thread
of its own; when there is nothing more to read, the hall is gone, and so is this process.
"""

from __future__ import annotations

import os
import pickle
import sys
import traceback
from threading import Lock, Thread
from typing import Any, BinaryIO

from meadhall.engine.cores import leave_a_core
from meadhall.server.worker.client import HEADER
from meadhall.server.worker.tasks import Mind

BEHIND = 10
"""How much less urgent than the hall it is (as ``nice`` counts)."""


class _Dropped(Exception):
    """Nobody waits for the answer any more."""


class Desk:
    """Answers one hall's questions."""

    def __init__(self, mind: Mind, answers: BinaryIO) -> None:
        self._mind = mind
        self._answers = answers
        self._writing = Lock()
        self._wanted: set[int] = set()

    def handle(self, number: int | None, what: str | None, arguments: tuple[Any, ...], wants_progress: bool) -> None:
        """One message: something asked, something told, or that nobody waits for an answer any more."""
        if what is None:
            assert number is not None
            self._wanted.discard(number)
        elif number is None:
            getattr(self._mind, what)(*arguments)
        else:
            self._wanted.add(number)
            Thread(target=self._think, args=(number, what, arguments, wants_progress), name=what, daemon=True).start()

    def _think(self, number: int, what: str, arguments: tuple[Any, ...], wants_progress: bool) -> None:
        def progress(done: float) -> None:
            if number not in self._wanted:
                raise _Dropped
            self._answer(number, "progress", done)

        answer: Any
        try:
            answer = getattr(self._mind, what)(*arguments, *([progress] if wants_progress else []))
        except _Dropped:
            return
        except Exception as error:
            error.add_note(traceback.format_exc())
            answer = error
        self._wanted.discard(number)
        self._answer(number, "answer", answer)

    def _answer(self, number: int, kind: str, value: Any) -> None:
        try:
            packed = pickle.dumps((number, kind, value))
            if isinstance(value, Exception):
                pickle.loads(packed)  # noqa: S301 - our own; not every exception can be made anew
        except Exception as error:  # an exception of a game's own may be anything
            packed = pickle.dumps((number, kind, RuntimeError(f"{value!r}: {error!r}")))
        with self._writing:
            self._answers.write(len(packed).to_bytes(HEADER) + packed)
            self._answers.flush()


def main() -> None:
    """Answer until the hall is gone."""
    questions, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what anything prints goes where the hall's log goes
    if hasattr(os, "nice"):
        os.nice(BEHIND)
    leave_a_core()  # to the hall
    desk = Desk(Mind(), answers)
    while len(header := questions.read(HEADER)) == HEADER:
        desk.handle(*pickle.loads(questions.read(int.from_bytes(header))))  # noqa: S301 - from the hall that began us
    sys.stderr.flush()
    os._exit(0)  # whatever is still thought is thought in vain


if __name__ == "__main__":
    main()
