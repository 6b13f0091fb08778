"""A report or a print in a separate process, for a hall: ``python -m meadhall.server.worker.order``.

It reads a request as a line of JSON. For a report it writes lines ``{"progress": …}``, and at last ``{"report": …}``, for a print
``{"pdf": …}`` in Base64, and in place of either ``{"error": …}``. It has a low priority, leaves a core to the hall, and ends when
the hall does.
"""

from __future__ import annotations

import json
import os
import sys
from base64 import b64encode
from contextlib import suppress
from threading import Thread
from typing import Any

from meadhall.engine.compute.executors import leave_a_core
from meadhall.engine.errors import MeadhallError
from meadhall.engine.text.language import speak

NICENESS = 10
"""The priority: bots and pages go first, but a busy hall doesn't keep a report from ever ending."""


def say(what: dict[str, Any]) -> None:
    """Write a line. End this process if the hall doesn't read it any more."""
    try:
        print(json.dumps(what, ensure_ascii=False), flush=True)  # noqa: T201 - the hall reads it
    except BrokenPipeError:
        os._exit(0)


def main() -> None:
    """Make what the request asks for."""
    if hasattr(os, "nice"):
        with suppress(OSError):
            os.nice(NICENESS)
    leave_a_core()
    request = json.loads(sys.stdin.buffer.readline() or sys.exit())  # without a request the hall has ended already
    Thread(target=_end_with_hall, name="end", daemon=True).start()
    kind = request.pop("kind")
    speak(request.pop("language", ""))
    try:
        say(_print(**request) if kind == "print" else _report(request))
    except MeadhallError as error:
        say({"error": str(error)})


def _end_with_hall() -> None:
    """End this process when its input ends: the hall, which holds the other end, has ended."""
    os.read(0, 1)
    os._exit(0)


def _report(request: dict[str, Any]) -> dict[str, Any]:
    from meadhall.lab.balance.run import balance  # noqa: PLC0415 - after the priority is set

    report = balance(**request, processes=1, progress=lambda done: say({"progress": round(done, 3)}))
    return {"report": report.to_dict()}


def _print(name: str, options: dict[str, Any]) -> dict[str, Any]:
    """Print the rulebook and the pieces of a game for the most players."""
    from meadhall.engine.registry import game  # noqa: PLC0415 - a report has no need of these
    from meadhall.pictures.print.document import game_pdf  # noqa: PLC0415
    from meadhall.pictures.print.sheets import PAPERS, printed_pieces  # noqa: PLC0415

    subject = game(name)
    players, chosen = subject.check_setup(subject.max_players, options)
    edition = subject.edition_for(chosen)
    return {"pdf": b64encode(game_pdf(edition, chosen, players, PAPERS["a4"], printed_pieces(edition, chosen, players))).decode()}


if __name__ == "__main__":
    main()
