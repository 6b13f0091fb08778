"""``meadhall serve``: start the server."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from meadhall.cli.console import USAGE
from meadhall.engine import mode
from meadhall.engine.errors import MeadhallError


def serve_hall(
    host: str | None,
    port: int | None,
    data: Path | None,
    database_url: str | None,
    workers: int | None,
    no_browser: bool,
    bots: Sequence[str] = (),
) -> int:
    """Serve until stopped, and return the exit status. These arguments override the ``MEADHALL_…`` environment variables."""
    given = {
        "HOST": host,
        "PORT": port,
        "DATA": data,
        "DATABASE_URL": database_url,
        "WORKERS": workers,
        "BOTS": " ".join(bots) or None,
    }
    os.environ.update({f"MEADHALL_{name}": str(value) for name, value in given.items() if value is not None})
    if no_browser or not has_screen():
        os.environ["MEADHALL_NO_BROWSER"] = "1"

    compiles = not mode.interpreted  # the worker process compiles the bots' rules
    mode.prefer_interpreted()  # the server plays one action at a time, which needs no compiler

    try:
        _serve(compiles)
    except MeadhallError as error:
        if os.environ.get("MEADHALL_LOG") != "json":
            raise
        from meadhall.server.ops.logs import JSON, configure_logging

        configure_logging(JSON, "meadhall")
        logging.getLogger(__name__).critical("%s", error)
        return USAGE
    return 0


def _serve(compiles: bool) -> None:
    from meadhall.engine.rule import check_cache
    from meadhall.server.settings import Settings

    check_named_bots()
    if compiles:
        check_cache()
    settings = Settings.from_environment()
    if settings.workers > 1:
        from meadhall.server.supervisor import supervise

        supervise(settings)
    else:
        from meadhall.server.run import serve

        serve(settings)


def check_named_bots() -> None:
    """Import the bots that the host has named, in a process that ends: the server has no need of their modules. Raises BadBot."""
    from meadhall.bots.named import BadBot, declared

    if declared():
        asked = subprocess.run([sys.executable, "-m", "meadhall.bots.named"], stderr=subprocess.PIPE, text=True, check=False)
        if asked.returncode:
            raise BadBot(asked.stderr.strip() or f"the bots can't be loaded (status {asked.returncode})")


def has_screen() -> bool:
    """Return whether a browser window can open. Over ssh a text browser would take over the server's terminal."""
    if sys.platform in ("darwin", "win32") or "WSL_DISTRO_NAME" in os.environ:
        return True
    return any(os.environ.get(variable) for variable in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"))
