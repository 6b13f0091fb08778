"""Main program of a web process, ``python -m meadhall.server.web_process``; the supervisor starts it.

It inherits the hall's listening socket, shares the worker process, and ends with the supervisor.
"""

from __future__ import annotations

import logging
import os
import socket
import sys
from pathlib import Path

from meadhall.engine.compile import mode

log = logging.getLogger("meadhall.server.web_process")


def main(listener: str, name: str, worker: str, waits: str) -> None:
    """Serve until the supervisor ends.

    Args:
        listener: file descriptor of the hall's listening socket.
        name: name of this process, ``web-1`` and so on.
        worker: path of the Unix socket of the worker.
        waits: "waits" to accept connections only when every game can be played, "" to accept them at once.
    """
    mode.prefer_interpreted()  # as the command does

    from meadhall.engine.errors import MeadhallError  # noqa: PLC0415 - rules are imported in the chosen mode
    from meadhall.server.ops.lifeline import Lifeline  # noqa: PLC0415
    from meadhall.server.run import serve_for_supervisor  # noqa: PLC0415
    from meadhall.server.settings import Settings  # noqa: PLC0415

    lifeline = Lifeline()
    lifeline.stop_at_end()
    try:
        settings, shared = Settings.from_environment(), socket.socket(fileno=int(listener))
        serve_for_supervisor(settings, name, shared, Path(worker), lifeline, waits_for_games=bool(waits))
    except MeadhallError as error:
        log.critical("%s", error)
        sys.exit(1)
    os._exit(0)  # everything is stored and sent; freeing all objects one by one would take longer than the rest of the stop


if __name__ == "__main__":
    main(*sys.argv[1:])
