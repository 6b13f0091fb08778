"""``meadhall serve``: start the server."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from meadhall.cli.console import USAGE
from meadhall.engine.compile import mode
from meadhall.engine.errors import MeadhallError, NoCache
from meadhall.engine.text.language import gettext as _

if TYPE_CHECKING:
    from meadhall.server.settings import Settings

EVERY_ADDRESS = "0.0.0.0"  # noqa: S104 - only where the host wants it

_CHILD = "MEADHALL_CHILD"
"""The variable that tells a hall on Windows that another process starts it again."""


def serve_hall(
    host: Annotated[str | None, typer.Option(help=_("Address to listen on (MEADHALL_HOST; 127.0.0.1)."))] = None,
    lan: Annotated[bool, typer.Option("--lan", help=_("Let others in your network in: as --host 0.0.0.0."))] = False,
    port: Annotated[int | None, typer.Option(help=_("Port to listen on (MEADHALL_PORT; 8000)."), min=1, max=65535)] = None,
    data: Annotated[Path | None, typer.Option(help=_("Folder for the database file (MEADHALL_DATA)."))] = None,
    no_browser: Annotated[bool, typer.Option("--no-browser", help=_("Don't open the browser (MEADHALL_NO_BROWSER)."))] = False,
    bot: Annotated[
        list[str] | None,
        typer.Option(help=_("A bot of your own (MEADHALL_BOTS); can be repeated."), metavar="[GAME/]NAME=module:function"),
    ] = None,
    dev: Annotated[
        bool,
        typer.Option("--dev", help=_("Development mode: start again when a game's file changes; a debug panel at every table.")),
    ] = False,
) -> int:
    """Serve until stopped, and return the exit status. These arguments override the ``MEADHALL_…`` environment variables.

    Development mode listens on this machine only and has matches of its own, unless the arguments say otherwise.
    """
    if lan and host is not None:
        raise typer.BadParameter(_("give either --lan or --host"))
    host = EVERY_ADDRESS if lan else host
    if dev:
        _prepare_development()
        if sys.platform == "win32" and _CHILD not in os.environ:
            return run_until_it_ends([sys.executable, *sys.orig_argv[1:]])
    given = {
        "HOST": host,
        "PORT": port,
        "DATA": data,
        "BOTS": " ".join(bot or ()) or None,
    }
    if host is not None:
        os.environ.pop("MEADHALL_SOCKET", None)
    os.environ.update({f"MEADHALL_{name}": str(value) for name, value in given.items() if value is not None})
    if no_browser or not has_screen():
        os.environ["MEADHALL_NO_BROWSER"] = "1"

    compiles = not mode.interpreted and not dev  # the worker process compiles the bots' rules
    mode.prefer_interpreted()  # the server plays one action at a time, which needs no compiler

    try:
        _serve(compiles, dev)
    except MeadhallError as error:
        if os.environ.get("MEADHALL_LOG") != "json":
            raise
        from meadhall.server.ops.logs import JSON, configure_logging

        configure_logging(JSON, "meadhall")
        logging.getLogger(__name__).critical("%s", error)
        return USAGE
    return 0


def _prepare_development() -> None:
    """Set the environment of development mode: rules are interpreted, and nothing is shared with another hall or machine.

    The environment may be that of a real hall. So its addresses, proxies and database don't count, only arguments do.
    """
    mode.interpret()
    os.environ["MEADHALL_INTERPRET"] = "1"  # the worker process, too
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"  # bytecode of an older text could be used after a change in the same second
    sys.dont_write_bytecode = True
    for name in ("HOST", "SOCKET", "URL", "PROXIES"):
        os.environ.pop(f"MEADHALL_{name}", None)
    from meadhall.server.settings import Settings

    data = Settings.from_environment().data
    os.environ["MEADHALL_DATA"] = str(data if data.name == "development" else data / "development")  # a restart comes here again


def run_until_it_ends(command: Sequence[str]) -> int:
    """Run a command, and again whenever it asks for that by its exit status. Return its last one."""
    from meadhall.server.ops.systemd import START_AGAIN

    while True:
        with subprocess.Popen(command, env=os.environ | {_CHILD: "1"}) as running:  # noqa: S603 - our own command
            status = _status_of(running)
        if status != START_AGAIN:
            return status
        os.environ["MEADHALL_NO_BROWSER"] = "1"  # its window is open


def _status_of(running: subprocess.Popen[bytes]) -> int:
    """Wait for the end of a process that Ctrl-C stops, too."""
    while True:
        try:
            return running.wait()
        except KeyboardInterrupt:
            continue


def _serve(compiles: bool, dev: bool) -> None:
    from meadhall.server.run import serve
    from meadhall.server.settings import Settings
    from meadhall.server.store.files import StoreBusy

    check_named_bots()
    if compiles:
        check_compiled_rules()
    settings = replace(Settings.from_environment(), development=dev)
    if dev and "LISTEN_PID" not in os.environ:  # not at a restart
        _announce_development(settings)
    try:
        serve(settings)
    except StoreBusy as error:
        raise StoreBusy(_("{error}, or choose another folder with MEADHALL_DATA").format(error=error)) from None


def check_compiled_rules() -> None:
    """Check that rules can be compiled, or are: a folder of compiled rules may belong to another user. Raises NoCache."""
    from meadhall.engine.compile.rule import check_cache

    try:
        check_cache()
    except NoCache:
        if subprocess.run([sys.executable, "-m", "meadhall.lab.warm"], capture_output=True, check=False).returncode:
            raise


def check_named_bots() -> None:
    """Import the bots that the host has named, in a process that ends: the server has no need of their modules. Raises BadBot."""
    from meadhall.bots.bot import BadBot, declared_bots

    if declared_bots():
        asked = subprocess.run([sys.executable, "-m", "meadhall.bots.bot"], stderr=subprocess.PIPE, text=True, check=False)
        if asked.returncode:
            raise BadBot(asked.stderr.strip() or f"the bots can't be loaded (status {asked.returncode})")


def _announce_development(settings: Settings) -> None:
    """Say on the terminal what development mode does, and who can reach it."""
    print(_("Development mode: the hall starts again when a file of a game changes, and every table has a debug panel."))
    if settings.is_on_this_machine:
        print(_("Only this machine can reach it."), flush=True)
    else:
        text = _("Warning: it listens on {host}. Everyone who can reach this address sees all hands.")
        print(text.format(host=settings.host), flush=True)


def has_screen() -> bool:
    """Return whether a browser window can open. Over ssh a text browser would take over the server's terminal."""
    if sys.platform in ("darwin", "win32") or "WSL_DISTRO_NAME" in os.environ:
        return True
    return any(os.environ.get(variable) for variable in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"))
