"""The commands and their options; what each does is in a module of its own, read only when it is called.

Annotations are evaluated by Typer when the app is built, so that the texts in them are in the language chosen then.
"""

from __future__ import annotations

import os
import sys
from importlib.metadata import version as package_version
from pathlib import Path
from typing import Annotated

import typer

from meadhall.cli.console import INTERRUPTED, USAGE, chosen_language, complain
from meadhall.engine.errors import MeadhallError
from meadhall.engine.language import gettext as _
from meadhall.engine.language import speaking


def serve(
    host: Annotated[str | None, typer.Option(help=_("Address to listen on (MEADHALL_HOST; 127.0.0.1)."))] = None,
    port: Annotated[int | None, typer.Option(help=_("Port to listen on (MEADHALL_PORT; 8000)."), min=1, max=65535)] = None,
    data: Annotated[Path | None, typer.Option(help=_("Folder of the database file (MEADHALL_DATA)."))] = None,
    database_url: Annotated[
        str | None, typer.Option(help=_("Another database, e.g. postgresql+asyncpg://… (MEADHALL_DATABASE_URL)."))
    ] = None,
    no_browser: Annotated[bool, typer.Option("--no-browser", help=_("Don't open the browser (MEADHALL_NO_BROWSER)."))] = False,
) -> None:
    from meadhall.cli.serve import serve_hall

    serve_hall(host, port, data, database_url, no_browser)


def show_version(asked: bool) -> None:
    if asked:
        print(f"meadhall {package_version('meadhall')}")
        raise typer.Exit


def everywhere(
    version: Annotated[
        bool, typer.Option("--version", callback=show_version, is_eager=True, help=_("Show the version and exit."))
    ] = False,
) -> None:
    """What goes before any command."""


def build() -> typer.Typer:
    """The app, in the current language."""
    app = typer.Typer(
        help=_("A hall for four tabletop games: play them, host them, simulate them."),
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(everywhere)
    app.command(help=_("Open the hall: a server for everybody's browser."))(serve)
    return app


def main(arguments: list[str] | None = None) -> int:
    """Run the command; its exit status. Whatever goes wrong is one line on stderr."""
    with speaking(chosen_language()):
        try:
            status = build()(args=arguments, prog_name="meadhall", standalone_mode=False)
            sys.stdout.flush()
        except (MeadhallError, typer.TyperException) as error:
            complain(getattr(error, "format_message", error.__str__)())
            return USAGE
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # whoever read it has gone; Python still flushes
            return 0
        except OSError as error:
            complain(f"{error.filename}: {error.strerror}" if error.filename else error)
            return USAGE
        except KeyboardInterrupt:
            return INTERRUPTED
        return status if isinstance(status, int) else 0
