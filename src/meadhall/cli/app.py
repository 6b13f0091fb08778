"""The commands. The function of each, with its options, is imported when it runs or shows its help, so ``--help`` is fast.

Typer evaluates the annotations of a function when its command is built, so their texts are in the language chosen by then.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import version as package_version
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand
from typer.main import get_command

from meadhall.cli.console import INTERRUPTED, USAGE, chosen_language, complain
from meadhall.engine.compile.mode import cache_root, check_bounds, is_writable, prefer_interpreted
from meadhall.engine.errors import MeadhallError
from meadhall.engine.text.language import gettext as _, marked, speaking

HELP = ("-h", "--help")

_RULES = "meadhall.engine.compile.rule"
"""The module whose import decides whether rules are compiled."""


def _compiled(_arguments: Sequence[str]) -> None:
    """Let rules be compiled, unless the environment says otherwise."""


def _interpreted(_arguments: Sequence[str]) -> None:
    """Interpret rules, so that the command starts at once."""
    prefer_interpreted()


def _interpreted_where_nothing_can_be_compiled(_arguments: Sequence[str]) -> None:
    """Interpret rules if the folder of compiled rules has none and can't be written: for a few matches that is fast enough."""
    root = cache_root()
    if not is_writable(root) and not any(root.glob("*/warm-*")):
        prefer_interpreted()


def _checked(arguments: Sequence[str]) -> None:
    """Let compiled rules check every index, or interpret them with ``--quick``."""
    if "--quick" in arguments:
        prefer_interpreted()
    else:
        check_bounds()


@dataclass(frozen=True)
class Command:
    """A command.

    Attributes:
        place: its function, ``module:name`` below this package.
        help: what it does.
        prepare: decides by the command's arguments, before the function is imported, how rules run.
    """

    place: str
    help: str
    prepare: Callable[[Sequence[str]], None] = _compiled


@dataclass(frozen=True)
class Group:
    """Commands below a command. ``itself``: what the group does without one of them; None: it shows its help."""

    help: str
    commands: Mapping[str, Command]
    itself: Command | None = None


COMMANDS: Mapping[str, Command | Group] = {
    "serve": Command("serve:serve_hall", marked("Start the server and open the hall in a browser.")),
    "play": Command("playing:play_match", marked("Play in the terminal against bots.")),
    "learn": Command("playing:learn_game", marked("Learn a game in the terminal: a guided first game of a few minutes.")),
    "simulate": Command("simulate:run_simulation", marked("Let bots play many games and report how often each wins.")),
    "tournament": Command("simulate:run_tournament", marked("Let bots compete and report which is stronger and by how much.")),
    "balance": Command(
        "balance:run_balance", marked("Measure how a game plays: fairness, length, choice, luck; and what a change of it does.")
    ),
    "tune": Command(
        "balance:run_tune", marked("Search options and components that meet targets: the fairest places, the wanted length.")
    ),
    "mcp": Command("mcp:serve_tools", marked("Let language models play: serve tools of the Model Context Protocol.")),
    "verify": Command(
        "records:verify_files",
        marked("Verify match records: every die, every event, every result."),
        _interpreted_where_nothing_can_be_compiled,
    ),
    "replay": Command("records:print_file", marked("Print a match record as text."), _interpreted_where_nothing_can_be_compiled),
    "analyse": Command(
        "records:analyse_file", marked("Show how the win chances changed in a recorded match, and its turning points.")
    ),
    "print": Command(
        "games:print_game",
        marked("Write a game to a PDF to print and cut out: the rulebook and all pieces."),
        _interpreted,
    ),
    "document": Command(
        "games:write_document",
        marked("Write the built-in values of a game, such as the components of Dungeon Allies, to a file that you can change."),
        _interpreted,
    ),
    "warm": Command("games:warm_up", marked("Compile the rules now instead of at the first game.")),
    "games": Command("games:list_games", marked("List the games.")),
    "new-game": Command(
        "authoring:write_game",
        marked("Write the package of a new game, which works at once, into a new folder."),
        _interpreted,
    ),
    "messages": Command(
        "authoring:update_catalogues",
        marked("Write the texts of a game that are marked for translation into its catalogues."),
        _interpreted,
    ),
    "check": Command(
        "check:run_check", marked("Check that a game keeps every law, and show the shortest example if it doesn't."), _checked
    ),
    "doctor": Command(
        "hall_data:check_hall", marked("Check the settings, folder, disk, compiled rules, port and proxy of a hall.")
    ),
    "backup": Command(
        "hall_data:backup", marked("Write everything in the hall's database to a file, while the hall runs."), _interpreted
    ),
    "restore": Command("hall_data:restore", marked("Fill the hall's database from a backup."), _interpreted),
    "verify-hall": Command("hall_data:verify_hall", marked("Verify all matches of a hall, also while it runs."), _interpreted),
    "keys": Group(
        marked("Manage the keys of a hall."),
        {
            "rotate": Command(
                "hall_data:rotate_keys",
                marked("Replace the keys that sign cookies and tokens, and the key of the daily puzzles."),
            )
        },
    ),
    "ladder": Group(
        marked("Compute the levels of the ladder anew, and take mistaken results out of it."),
        {
            "recompute": Command("people:recompute_ladder", marked("Compute all levels anew from the results."), _interpreted),
            "exclude": Command("people:count_match", marked("Take a mistaken result out of the ladder."), _interpreted),
            "include": Command("people:count_match", marked("Let a result count again."), _interpreted),
        },
    ),
    "chat": Group(
        marked("Review the chat at the tables of a hall."),
        {
            "show": Command("people:show_chat", marked("Print lines of chat: of a table, a person, a time."), _interpreted),
            "delete": Command(
                "people:delete_chat",
                marked("Delete lines of chat, also while the hall runs: they then say 'deleted'."),
                _interpreted,
            ),
        },
    ),
    "invite": Group(
        marked("Invite people to a hall for invited guests (MEADHALL_ADMISSION)."),
        {
            "list": Command("people:list_invitations", marked("List the invitations."), _interpreted),
            "revoke": Command(
                "people:revoke_invitation", marked("Withdraw an invitation. Whom it has admitted may stay."), _interpreted
            ),
        },
        Command("people:invite", "", _interpreted),
    ),
    "cases": Group(
        marked("List what people have reported and what waits for a decision."),
        {"decide": Command("people:decide_case", marked("Do something in a case, and close it."), _interpreted)},
        Command("people:list_cases", "", _interpreted),
    ),
    "host": Group(
        marked("Look after a hall that strangers use."),
        {
            "announce": Command(
                "people:announce_line", marked("Tell one line on all pages of a hall until a time."), _interpreted
            ),
            "maintenance": Command(
                "people:plan",
                marked("Plan a time in which no match begins and no clock runs, and say so on all pages."),
                _interpreted,
            ),
            "switch": Command(
                "people:switch", marked("Show or set the switches and quotas of a hall, also while it runs."), _interpreted
            ),
            "log": Command("people:print_log", marked("Print as CSV what hosts and helpers have done."), _interpreted),
        },
    ),
    "evening": Group(
        marked("Look after the evenings of a hall, also while it runs."),
        {
            "list": Command("people:list_evenings", marked("List evenings, the newest first."), _interpreted),
            "end": Command("people:end_evening", marked("End an evening whose leader has gone."), _interpreted),
        },
    ),
    "people": Group(
        marked("List, rename and shut out the people of a hall, also while it runs."),
        {
            "list": Command("people:list_people", marked("List people, the newest first."), _interpreted),
            "rename": Command(
                "people:rename_person", marked("Give a person another name, at all their seats, too."), _interpreted
            ),
            "close": Command(
                "people:close_person",
                marked("Shut a person out: signed out everywhere, off all tables that are not over."),
                _interpreted,
            ),
            "mute": Command("people:mute_person", marked("Let a person write in no chat for some days."), _interpreted),
            "unmute": Command("people:free_person", marked("Let a person write again."), _interpreted),
            "admit": Command(
                "people:free_person", marked("Admit a new guest who waits, because someone was shut out."), _interpreted
            ),
            "open": Command("people:free_person", marked("Admit a person again after they were shut out."), _interpreted),
            "link": Command(
                "people:link_to_person",
                marked("Print a link that signs a person in once who has lost their account."),
                _interpreted,
            ),
            "delete": Command(
                "people:delete_person", marked("Delete a person, for example after a letter. Their matches stay."), _interpreted
            ),
            "role": Command(
                "people:give_role", marked("Make the owner of an account a helper or a host of the hall, or none."), _interpreted
            ),
        },
    ),
}


class Later(TyperCommand):
    """A command that is built from its function, or a group from its commands, when it is used or shows its own help."""

    def make_context(self, info_name: Any, args: list[str], parent: Any = None, **more: Any) -> Any:
        """Return the context of the command itself."""
        return self.built(args).make_context(info_name, args, parent, **more)

    def built(self, arguments: Sequence[str] = HELP) -> Any:
        """Return the command itself, for these arguments."""
        assert self.callback is not None
        entry: Command | Group = self.callback()
        app = typer.Typer(name=self.name, add_completion=False, context_settings={"help_option_names": HELP})
        if isinstance(entry, Command):
            app.command(self.name, help=_(entry.help))(_imported(entry, arguments))
            return get_command(app)
        shows_help = entry.itself is None
        whole = (lambda: None) if entry.itself is None else _imported(entry.itself, arguments)
        app.callback(help=_(entry.help), no_args_is_help=shows_help, invoke_without_command=not shows_help)(whole)
        _add(app, entry.commands)
        return get_command(app)


def _imported(command: Command, arguments: Sequence[str]) -> Callable[..., Any]:
    """Import the function of a command."""
    if set(HELP).isdisjoint(arguments):
        command.prepare(arguments)
    elif _RULES not in sys.modules:
        prefer_interpreted()  # for its help alone nothing needs a compiler
    module, _colon, name = command.place.partition(":")
    function: Callable[..., Any] = getattr(import_module(f"meadhall.cli.{module}"), name)
    return function


def _add(app: typer.Typer, commands: Mapping[str, Command | Group]) -> None:
    for name, entry in commands.items():
        app.command(name, cls=Later, help=_(entry.help))(lambda entry=entry: entry)


def show_version(asked: bool) -> None:
    if asked:
        print(f"meadhall {package_version('meadhall')}")
        raise typer.Exit


def global_options(
    version: Annotated[
        bool, typer.Option("--version", callback=show_version, is_eager=True, help=_("Show the version and exit."))
    ] = False,
) -> None:
    """Handle the options that come before a command."""


def build() -> typer.Typer:
    """Build the app in the current language."""
    app = typer.Typer(
        help=_("A hall for four tabletop games: play them, host them, simulate them."),
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": HELP},
    )
    app.callback()(global_options)
    _add(app, COMMANDS)
    return app


def prepare_streams() -> None:
    """Open the standard streams that a shell has closed, and make the others accept every character."""
    for name in ("stdin", "stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open("r+", encoding="utf-8"))  # noqa: SIM115 it stays open
    for stream in (sys.stdin, sys.stdout):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal or pipe with a smaller character set gets question marks


def after_closed_pipe() -> int:
    """Send Python's last flush to /dev/null and return exit status 0: it isn't an error if the reader closes a pipe."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    return 0


def main(arguments: list[str] | None = None) -> int:
    """Run the command and return its exit status. An error is one line on stderr."""
    prepare_streams()
    with speaking(chosen_language()):
        try:
            status = build()(args=arguments, prog_name="meadhall", standalone_mode=False)
            sys.stdout.flush()
        except (MeadhallError, typer.TyperException) as error:
            complain(getattr(error, "format_message", error.__str__)())
            return USAGE
        except BrokenPipeError:
            return after_closed_pipe()
        except SystemExit as end:
            if isinstance(end.__context__, BrokenPipeError):  # Rich and Typer turn it into SystemExit
                return after_closed_pipe()
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
