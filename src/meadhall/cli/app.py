"""The commands and their options; what each does is in a module of its own, read only when it is called.

Annotations are evaluated by Typer when the app is built, so that the texts in them are in the language chosen then.
"""

from __future__ import annotations

import io
import os
import sys
from importlib.metadata import version as package_version
from pathlib import Path
from typing import Annotated, Any

import typer

from meadhall.cli.console import INTERRUPTED, USAGE, chosen_language, complain
from meadhall.engine.errors import MeadhallError
from meadhall.engine.language import gettext as _
from meadhall.engine.language import speaking

EXISTING_FILE: dict[str, Any] = {"exists": True, "dir_okay": False, "readable": True}


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


def play(
    game: Annotated[str, typer.Argument(help=_("Name of the game; `meadhall games` lists them."))] = "",
    players: Annotated[int | None, typer.Option(help=_("How many play; by default 4, or what the game takes."))] = None,
    bots: Annotated[str, typer.Option(help=_("Bots for the other seats, in turn, e.g. greedy,random."))] = "greedy",
    seed: Annotated[str | None, typer.Option(help=_("Any text: the same dice again."))] = None,
    seat: Annotated[int, typer.Option(help=_("Your seat, counted from 1."), min=1)] = 1,
    name: Annotated[str | None, typer.Option(help=_("Your name."))] = None,
    option: Annotated[list[str] | None, typer.Option(help=_("An option of the game, name=value; as often as needed."))] = None,
    resume: Annotated[Path | None, typer.Option(help=_("A match saved before, to be played on."), **EXISTING_FILE)] = None,
) -> None:
    from meadhall.cli.play import Session, new_match, resumed_match
    from meadhall.engine.game import game as find_game

    if resume is not None:
        if (players, bots, seed, seat, name, option or None) != (None, "greedy", None, 1, None, None):
            raise typer.BadParameter(_("A match is resumed as it was saved: with --resume nothing else is chosen."))
        match = resumed_match(resume)
        if game not in ("", match.game.name):
            raise typer.BadParameter(_("{file} holds a match of {game}.").format(file=resume, game=match.game.name))
    elif game:
        subject = find_game(game)
        match = new_match(subject, players, listed(bots), seed, seat - 1, name, subject.read_options(name_and_value(option)))
    else:
        raise typer.BadParameter(_("Name a game, or a saved match with --resume."))
    Session(match).run()


def simulate(
    game: Annotated[str, typer.Argument(help=_("Name of the game; `meadhall games` lists them."))],
    players: Annotated[int | None, typer.Option(help=_("How many play; by default as many as bots are named."))] = None,
    bots: Annotated[str, typer.Option(help=_("Who plays, e.g. greedy,random; fewer than players are repeated."))] = "random",
    games: Annotated[int, typer.Option(help=_("How many games."), min=1)] = 10_000,
    seed: Annotated[str | None, typer.Option(help=_("Any text: the same games again."))] = None,
    option: Annotated[list[str] | None, typer.Option(help=_("An option of the game, name=value; as often as needed."))] = None,
    as_json: Annotated[bool, typer.Option("--json", help=_("Print the report as JSON."))] = False,
    records: Annotated[Path | None, typer.Option(help=_("Write the match records to this file, one a line."))] = None,
) -> None:
    from meadhall.cli.simulate import run_simulation

    run_simulation(game, players, listed(bots), games, seed, name_and_value(option), as_json, records)


def tournament(
    game: Annotated[str, typer.Argument(help=_("Name of the game; `meadhall games` lists them."))],
    bots: Annotated[str, typer.Option(help=_("Who takes part, each once, the weakest first, e.g. thrall,karl,huscarl."))],
    games: Annotated[
        int, typer.Option(help=_("How many games; rounded up, so that all sit everywhere equally often."), min=1)
    ] = 1000,
    players: Annotated[int | None, typer.Option(help=_("How many sit at a table; by default as few as the game needs."))] = None,
    seed: Annotated[str | None, typer.Option(help=_("Any text: the same games again."))] = None,
    option: Annotated[list[str] | None, typer.Option(help=_("An option of the game, name=value; as often as needed."))] = None,
    processes: Annotated[
        int | None, typer.Option(help=_("How many games are played at once, each on a core; by default one a core."), min=1)
    ] = None,
    until_sure: Annotated[
        bool,
        typer.Option("--until-sure", help=_("End as soon as it is clear that each bot is better than the one named before it.")),
    ] = False,
    luck: Annotated[
        bool, typer.Option("--luck", help=_("Also show what each bot won without luck: surer with as many games, but slower."))
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help=_("Print the report as JSON."))] = False,
    plots: Annotated[Path | None, typer.Option(help=_("Draw the report as SVG into this folder."), file_okay=False)] = None,
) -> int:
    from meadhall.cli.tournament import run_tournament

    chosen = name_and_value(option)
    return run_tournament(game, listed(bots), games, players, seed, chosen, processes, until_sure, luck, as_json, plots)


def verify(files: Annotated[list[Path], typer.Argument(help=_("Match records."), **EXISTING_FILE)]) -> int:
    from meadhall.cli.records import verify_files

    return verify_files(files)


def replay(
    file: Annotated[Path, typer.Argument(help=_("Match records."), **EXISTING_FILE)],
    tables: Annotated[bool, typer.Option("--tables", help=_("Show the table before each action."))] = False,
) -> None:
    from meadhall.cli.records import tell_file

    tell_file(file, tables)


def analyse(
    file: Annotated[Path, typer.Argument(help=_("Match records."), **EXISTING_FILE)],
    knowledge: Annotated[
        str, typer.Option(help=_("What is known of every position: public (what everybody knew) or everything."))
    ] = "public",
    seconds: Annotated[float | None, typer.Option(help=_("How long it may take; by default up to 12."), min=0.0)] = None,
    as_json: Annotated[bool, typer.Option("--json", help=_("Print all figures as JSON."))] = False,
) -> None:
    from meadhall.cli.analyse import analyse_file, known

    analyse_file(file, known(knowledge), seconds, as_json)


def warm(games: Annotated[list[str] | None, typer.Argument(help=_("Names of games; by default all."))] = None) -> None:
    from meadhall.cli.games import warm_up

    warm_up(games or [])


def games() -> None:
    from meadhall.cli.games import list_games

    list_games()


def listed(names: str) -> list[str]:
    """``"a,b"`` as a list."""
    return [name.strip() for name in names.split(",") if name.strip()]


def name_and_value(options: list[str] | None) -> dict[str, str]:
    """``["name=value"]`` as a dictionary, for ``Game.read_options``."""
    pairs = [option.partition("=") for option in options or []]
    for name, equals, _value in pairs:
        if not name or not equals:
            raise typer.BadParameter(_("an option is given as name=value, not {given}").format(given=name or "="))
    return {name: value for name, _equals, value in pairs}


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
    app.command(help=_("Play in the terminal against bots."))(play)
    app.command(help=_("Let bots play many games and show who wins how often."))(simulate)
    app.command(help=_("Let bots compete, and show which is stronger and by how much."))(tournament)
    app.command(help=_("Verify match records: every die, every event, every result."))(verify)
    app.command(help=_("Tell a match record in words."))(replay)
    app.command(help=_("Show how the chances of a recorded match went, and where it turned."))(analyse)
    app.command(help=_("Compile the rules, so that nobody waits for them later."))(warm)
    app.command(help=_("List the games."))(games)
    return app


def prepare_streams() -> None:
    """Let every stream be there, and take whatever is written or read: a shell may have closed it."""
    for name in ("stdin", "stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open("r+", encoding="utf-8"))  # noqa: SIM115 it stays
    for stream in (sys.stdin, sys.stdout):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal or pipe that knows fewer letters gets question marks


def unread() -> int:
    """Exit status when whoever read what was written has gone: that is no fault. Python still flushes, into nothing."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    return 0


def main(arguments: list[str] | None = None) -> int:
    """Run the command; its exit status. Whatever goes wrong is one line on stderr."""
    prepare_streams()
    with speaking(chosen_language()):
        try:
            status = build()(args=arguments, prog_name="meadhall", standalone_mode=False)
            sys.stdout.flush()
        except (MeadhallError, typer.TyperException) as error:
            complain(getattr(error, "format_message", error.__str__)())
            return USAGE
        except BrokenPipeError:
            return unread()
        except SystemExit as end:
            if isinstance(end.__context__, BrokenPipeError):  # so Rich and Typer have it
                return unread()
            raise
        except OSError as error:
            complain(f"{error.filename}: {error.strerror}" if error.filename else error)
            return USAGE
        except MemoryError:
            complain(_("There is not enough memory for that."))
            return USAGE
        except KeyboardInterrupt:
            return INTERRUPTED
        return status if isinstance(status, int) else 0
