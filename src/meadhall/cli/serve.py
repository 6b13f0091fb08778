"""``meadhall serve``: open the hall."""

from __future__ import annotations

import os
import socket
import sys
import threading
import time
import webbrowser
from pathlib import Path

_PATIENCE = 60.0
_EVERYWHERE = {"0.0.0.0": "127.0.0.1", "::": "[::1]", "": "127.0.0.1"}  # noqa: S104  # nothing is bound here: it is where a browser finds a server that is


def serve_hall(host: str | None, port: int | None, data: Path | None, database_url: str | None, no_browser: bool) -> None:
    """Serve until stopped. What is given here goes before the environment's ``MEADHALL_…``."""
    given = {"HOST": host, "PORT": port, "DATA": data, "DATABASE_URL": database_url, "NO_BROWSER": "1" if no_browser else None}
    os.environ.update({f"MEADHALL_{name}": str(value) for name, value in given.items() if value is not None})

    from meadhall.server.run import serve
    from meadhall.server.settings import Settings

    settings = Settings.from_environment()
    if settings.browser and has_screen():
        threading.Thread(target=open_when_it_answers, args=(settings.host, settings.port), daemon=True).start()
    serve(settings)


def open_when_it_answers(host: str, port: int) -> None:
    """Open the hall in the browser as soon as its port answers."""
    host = _EVERYWHERE.get(host, host)
    until = time.monotonic() + _PATIENCE
    while time.monotonic() < until:
        try:
            with socket.create_connection((host.strip("[]"), port), timeout=1):
                webbrowser.open(f"http://{host}:{port}/")
                return
        except OSError:
            time.sleep(0.1)


def has_screen() -> bool:
    """Whether a browser window can open here: over ssh it would be a text browser, in the way of the server's own words."""
    if sys.platform in ("darwin", "win32") or "WSL_DISTRO_NAME" in os.environ:
        return True
    return any(os.environ.get(variable) for variable in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"))
