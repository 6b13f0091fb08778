"""The commands and their options. Each command imports its own module only when it runs, so that ``--help`` is fast.

Typer evaluates the annotations when the app is built, so their texts are in the language chosen by then.
"""

from __future__ import annotations

import io
import os
import sys
from datetime import datetime
from importlib.metadata import version as package_version
from pathlib import Path
from typing import Annotated, Any

import typer

from meadhall.cli.console import INTERRUPTED, USAGE, chosen_language, complain
from meadhall.engine.compile.mode import cache_root, check_bounds, is_writable, prefer_interpreted
from meadhall.engine.errors import MeadhallError
from meadhall.engine.text.language import gettext as _
from meadhall.engine.text.language import marked, speaking

OUT = marked(
    "Write a file: FILE.jsonl, .jsonl.gz or .jsonl.zst gets the match records, FILE.json the report, FILE.csv or .parquet its "
    "table; can be repeated."
)
REPORT = marked(
    "Write the report to FILE.html or FILE.json, its table to FILE.csv or .parquet, the records of the matches to watch to "
    "FILE.jsonl; can be repeated."
)
CLUSTER = marked("Play on a Ray cluster: start one here (local), use the one of this machine (auto), or connect to one.")
LIMIT = marked("Stop a match after this number of decisions; by default 5000. The report says how many were stopped.")
CLUSTERS = "local|auto|ray://HOST:PORT"

EXISTING_FILE: dict[str, Any] = {"exists": True, "dir_okay": False, "readable": True}


def serve(
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
    from meadhall.cli.serve import EVERY_ADDRESS, serve_hall

    if lan and host is not None:
        raise typer.BadParameter(_("give either --lan or --host"))
    return serve_hall(EVERY_ADDRESS if lan else host, port, data, no_browser, bot or (), dev=dev)


def play(
    game: Annotated[str, typer.Argument(help=_("Name of the game; `meadhall games` lists them."))] = "",
    players: Annotated[int | None, typer.Option(help=_("Number of players; by default the usual number for the game."))] = None,
    bots: Annotated[
        str | None, typer.Option(help=_("Bots for the other seats, in turn, e.g. karl,thrall; by default karl or huscarl."))
    ] = None,
    seed: Annotated[str | None, typer.Option(help=_("Any text; the same text gives the same dice."))] = None,
    seat: Annotated[int, typer.Option(help=_("Your seat, counted from 1."), min=1)] = 1,
    name: Annotated[str | None, typer.Option(help=_("Your name."))] = None,
    option: Annotated[list[str] | None, typer.Option(help=_("An option of the game as name=value; can be repeated."))] = None,
    resume: Annotated[Path | None, typer.Option(help=_("Continue a saved match."), **EXISTING_FILE)] = None,
) -> None:
    from meadhall.cli.play import Session, new_match, resumed_match
    from meadhall.engine.registry import game as find_game

    if resume is not None:
        if (players, bots, seed, seat, name, option or None) != (None, None, None, 1, None, None):
            raise typer.BadParameter(_("With --resume the match continues unchanged; other options don't apply."))
        match = resumed_match(resume)
        if game not in ("", match.game.name):
            raise typer.BadParameter(_("{file} contains a match of {game}.").format(file=resume, game=match.game.name))
    elif game:
        subject = find_game(game)
        named = None if bots is None else split_names(bots)
        match = new_match(subject, players, named, seed, seat - 1, name, subject.read_options(name_and_value(option)))
    else:
        raise typer.BadParameter(_("Name a game, or a saved match with --resume."))
    Session(match).run()


def learn(game: Annotated[str, typer.Argument(help=_("Name of the game; `meadhall games` lists them."))]) -> None:
    from meadhall.cli.learn import learn_game
    from meadhall.engine.registry import game as find_game

    learn_game(find_game(game))


def simulate(
    game: Annotated[str, typer.Argument(help=_("Name of the game; `meadhall games` lists them."))],
    players: Annotated[int | None, typer.Option(help=_("Number of players; by default the number of bots."))] = None,
    bots: Annotated[str, typer.Option(help=_("The bots, e.g. karl,thrall; repeated if there are more players."))] = "thrall",
    games: Annotated[int, typer.Option(help=_("Number of games."), min=1)] = 10_000,
    seed: Annotated[str | None, typer.Option(help=_("Any text; the same text gives the same games."))] = None,
    option: Annotated[list[str] | None, typer.Option(help=_("An option of the game as name=value; can be repeated."))] = None,
    as_json: Annotated[bool, typer.Option("--json", help=_("Print the report as JSON."))] = False,
    out: Annotated[list[Path] | None, typer.Option(help=_(OUT))] = None,
    cluster: Annotated[str | None, typer.Option(help=_(CLUSTER), metavar=CLUSTERS)] = None,
    limit: Annotated[int | None, typer.Option(help=_(LIMIT), min=1)] = None,
) -> None:
    from meadhall.cli.simulate import run_simulation

    run_simulation(game, players, split_names(bots), games, seed, name_and_value(option), as_json, out or [], cluster, limit)


def tournament(
    game: Annotated[str, typer.Argument(help=_("Name of the game; `meadhall games` lists them."))],
    bots: Annotated[str, typer.Option(help=_("The bots, each once, the weakest first, e.g. thrall,karl,huscarl."))],
    games: Annotated[
        int, typer.Option(help=_("Number of games, rounded up so that each bot sits on each seat equally often."), min=1)
    ] = 1000,
    players: Annotated[
        int | None, typer.Option(help=_("Number of players; by default the smallest number the game allows."))
    ] = None,
    seed: Annotated[str | None, typer.Option(help=_("Any text; the same text gives the same games."))] = None,
    option: Annotated[list[str] | None, typer.Option(help=_("An option of the game as name=value; can be repeated."))] = None,
    processes: Annotated[
        int | None, typer.Option(help=_("Number of games played in parallel, each on one core; by default one per core."), min=1)
    ] = None,
    until_sure: Annotated[
        bool,
        typer.Option("--until-sure", help=_("Stop as soon as each bot is significantly better than the one before it.")),
    ] = False,
    luck: Annotated[
        bool, typer.Option("--luck", help=_("Also report results corrected for luck: more precise, but slower."))
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help=_("Print the report as JSON."))] = False,
    out: Annotated[list[Path] | None, typer.Option(help=_(OUT))] = None,
    cluster: Annotated[str | None, typer.Option(help=_(CLUSTER), metavar=CLUSTERS)] = None,
    limit: Annotated[int | None, typer.Option(help=_(LIMIT), min=1)] = None,
) -> int:
    from meadhall.cli.tournament import run_tournament

    chosen = name_and_value(option)
    named = split_names(bots)
    return run_tournament(
        game, named, games, players, seed, chosen, processes, until_sure, luck, as_json, out or [], cluster, limit
    )


def balance(
    game: Annotated[str, typer.Argument(help=_("Name of the game; `meadhall games` lists them."))],
    players: Annotated[str | None, typer.Option(help=_("Numbers of players: 4, 2-5 or 2,4; by default all."))] = None,
    bots: Annotated[
        str | None, typer.Option(help=_("The levels to measure with, e.g. karl,search@400 or module:function; by default karl."))
    ] = None,
    option: Annotated[list[str] | None, typer.Option(help=_("An option of the game as name=value; can be repeated."))] = None,
    vary: Annotated[list[str] | None, typer.Option(help=_("Compare all values of this option."))] = None,
    compare: Annotated[
        list[str] | None,
        typer.Option(help=_("Compare components: built-in, or a TOML file; repeat it, what others are compared to first.")),
    ] = None,
    without: Annotated[
        list[str] | None, typer.Option(help=_("Measure what this kind of action is worth; can be repeated."))
    ] = None,
    precision: Annotated[
        str, typer.Option(help=_("Standard error of the win rates by place at which enough has been played, e.g. 1%."))
    ] = "1%",
    quick: Annotated[bool, typer.Option("--quick", help=_("Matches alone: no chances, skill and luck."))] = False,
    deep: Annotated[bool, typer.Option("--deep", help=_("Searches, too: worth of pieces, effective choices, stakes."))] = False,
    seconds: Annotated[float, typer.Option(help=_("Time limit in seconds; 0 for none."), min=0)] = 120,
    games: Annotated[int | None, typer.Option(help=_("Number of matches of each cell instead of a precision."), min=1)] = None,
    seed: Annotated[str | None, typer.Option(help=_("Any text; the same text gives the same report."))] = None,
    as_json: Annotated[bool, typer.Option("--json", help=_("Print the report as JSON."))] = False,
    out: Annotated[list[Path] | None, typer.Option(help=_(REPORT))] = None,
    cluster: Annotated[str | None, typer.Option(help=_(CLUSTER), metavar=CLUSTERS)] = None,
    limit: Annotated[int | None, typer.Option(help=_(LIMIT), min=1)] = None,
) -> int:
    from meadhall.cli.balance import players_from, run_balance

    if quick and deep:
        raise typer.BadParameter(_("A report is quick or deep, not both."))
    return run_balance(
        game,
        players_from(players),
        split_names(bots) if bots else (),
        name_and_value(option),
        vary or (),
        compare or (),
        without or (),
        share_from(precision),
        "quick" if quick else "deep" if deep else "usual",
        seconds or None,
        games,
        seed,
        as_json,
        out or (),
        cluster,
        limit,
    )


def tune(
    start: Annotated[str, typer.Argument(help=_("Components to start from: FILE.toml, or a game for its built-in ones."))],
    free: Annotated[
        list[str],
        typer.Option(
            help=_(
                "Values that may change: PATH, PATH=0..3, PATH=[1, 2], or PATH+=-2..2 for all of them together; can be repeated."
            )
        ),
    ],
    target: Annotated[list[str], typer.Option(help=_("What a figure should be: place<1.1, turns=14; can be repeated."))],
    players: Annotated[
        str | None, typer.Option(help=_("Numbers of players: 4, 2-5 or 2,4; by default the usual number."))
    ] = None,
    bot: Annotated[str | None, typer.Option(help=_("The level that plays; by default karl."))] = None,
    option: Annotated[list[str] | None, typer.Option(help=_("An option of the game as name=value; can be repeated."))] = None,
    trials: Annotated[int, typer.Option(help=_("Number of candidates."), min=1)] = 100,
    games: Annotated[int, typer.Option(help=_("Matches of a candidate for each number of players."), min=1)] = 1024,
    seconds: Annotated[float, typer.Option(help=_("Time limit in seconds; 0 for none."), min=0)] = 600,
    seed: Annotated[str | None, typer.Option(help=_("Any text; the same text gives the same report."))] = None,
    as_json: Annotated[bool, typer.Option("--json", help=_("Print the report as JSON."))] = False,
    out: Annotated[
        Path | None, typer.Option(help=_("Write the components of each point to a file in this folder."), file_okay=False)
    ] = None,
) -> int:
    from meadhall.cli.balance import players_from
    from meadhall.cli.tune import run_tune

    chosen = name_and_value(option)
    counts = players_from(players)
    return run_tune(start, free, target, counts, bot, chosen, trials, games, seconds or None, seed, as_json, out)


def share_from(text: str) -> float:
    """Read a share: ``1%`` or ``0.01``. Raises typer.BadParameter."""
    try:
        return float(text.rstrip("% ")) / (100 if text.strip().endswith("%") else 1)
    except ValueError:
        raise typer.BadParameter(_("A precision is given as 1% or 0.01, not as {text}.").format(text=text)) from None


def verify(files: Annotated[list[Path], typer.Argument(help=_("Match records."), **EXISTING_FILE)]) -> int:
    interpret_where_nothing_can_be_compiled()
    from meadhall.cli.records import verify_files

    return verify_files(files)


def replay(
    file: Annotated[Path, typer.Argument(help=_("Match records."), **EXISTING_FILE)],
    tables: Annotated[bool, typer.Option("--tables", help=_("Show the board before each action."))] = False,
) -> None:
    interpret_where_nothing_can_be_compiled()
    from meadhall.cli.records import print_file

    print_file(file, tables)


def analyse(
    file: Annotated[Path, typer.Argument(help=_("Match records."), **EXISTING_FILE)],
    knowledge: Annotated[
        str, typer.Option(help=_("Information used: public (as the players saw it) or everything (with hidden cards revealed)."))
    ] = "public",
    seconds: Annotated[float | None, typer.Option(help=_("Time limit in seconds; by default up to 12."), min=0.0)] = None,
    as_json: Annotated[bool, typer.Option("--json", help=_("Print all figures as JSON."))] = False,
) -> None:
    from meadhall.cli.analyse import analyse_file, parse_knowledge

    analyse_file(file, parse_knowledge(knowledge), seconds, as_json)


def print_(
    game: Annotated[str, typer.Argument(help=_("Name of the game; `meadhall games` lists them."))],
    players: Annotated[int | None, typer.Option(help=_("Number of players; by default the most that can play."))] = None,
    option: Annotated[list[str] | None, typer.Option(help=_("An option of the game as name=value; can be repeated."))] = None,
    paper: Annotated[str, typer.Option(help=_("The paper: a4 or letter."))] = "a4",
    out: Annotated[Path | None, typer.Option(help=_("The file to write; by default GAME.pdf."), dir_okay=False)] = None,
) -> None:
    prefer_interpreted()
    from meadhall.cli.print_game import print_game

    print_game(game, players, name_and_value(option), paper, out)


def warm(games: Annotated[list[str] | None, typer.Argument(help=_("Names of games; by default all."))] = None) -> None:
    from meadhall.cli.games import warm_up

    warm_up(games or [])


def games() -> None:
    from meadhall.cli.games import list_games

    list_games()


def new_game(
    name: Annotated[str, typer.Argument(help=_("Name of the game in addresses and records, e.g. liars-dice."))],
    title: Annotated[str | None, typer.Option(help=_("Its name for people; by default made from the name."))] = None,
    bare: Annotated[
        bool, typer.Option("--bare", help=_("Only the rules and the declaration, without words, page and bot."))
    ] = False,
    hidden: Annotated[
        bool, typer.Option("--hidden", help=_("A game in which each player has something that the others don't see."))
    ] = False,
) -> None:
    prefer_interpreted()
    from meadhall.cli.new_game import BARE, HIDDEN, PIG, write_game

    if bare and hidden:
        raise typer.BadParameter(_("choose --bare or --hidden, not both"))
    write_game(name, title, BARE if bare else HIDDEN if hidden else PIG)


def check(
    game: Annotated[str, typer.Argument(help=_("Name of the game, module:attribute, or the folder of its package."))],
    games: Annotated[int, typer.Option(help=_("Matches for each number of players and combination of options."), min=1)] = 5,
    seed: Annotated[str, typer.Option(help=_("Any text; the same text gives the same matches."))] = "check",
    players: Annotated[int | None, typer.Option(help=_("Only this number of players; by default all."))] = None,
    option: Annotated[
        list[str] | None, typer.Option(help=_("Only this value of an option, as name=value; can be repeated."))
    ] = None,
    actions: Annotated[
        str | None, typer.Option(help=_("Check only the position after these actions, e.g. 0,1,0; with the seed of the match."))
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help=_("Interpret the rules: starts at once, but doesn't check that they can be compiled."))
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help=_("Print the outcome as JSON."))] = False,
) -> int:
    if quick:
        prefer_interpreted()
    else:
        check_bounds()
    from meadhall.cli.check import read_moves, run_check

    return run_check(game, games, seed, players, name_and_value(option), read_moves(actions), as_json)


def messages(
    game: Annotated[str, typer.Argument(help=_("Name of the game, module:attribute, or the folder of its package."))],
    language: Annotated[
        list[str] | None, typer.Option(help=_("Language of the catalogue, e.g. de; by default those that the game has."))
    ] = None,
) -> None:
    prefer_interpreted()
    from meadhall.cli.messages import update_catalogues

    update_catalogues(game, language or [])


def rotate_keys(
    data: Annotated[Path | None, typer.Option(help=_("Folder for the database file (MEADHALL_DATA)."))] = None,
    at_once: Annotated[
        bool, typer.Option("--now", help=_("Refuse the old keys at once, which logs out every browser and program."))
    ] = False,
) -> None:
    from meadhall.cli.hall_data import chosen_settings
    from meadhall.cli.keys import rotate

    rotate(chosen_settings(data), at_once)


TABLE = marked("Only lines of the table with this id; the address of a table ends with it.")
PERSON = marked("Only lines of the person with this id; the address of a profile ends with it.")
SINCE = marked("Only lines from this time on, e.g. 2026-11-26 or '2026-11-26 20:15:00'.")
UNTIL = marked("Only lines before this time.")


def show_chat(
    table: Annotated[str | None, typer.Option(help=_(TABLE))] = None,
    person: Annotated[str | None, typer.Option(help=_(PERSON))] = None,
    since: Annotated[datetime | None, typer.Option(help=_(SINCE))] = None,
    until: Annotated[datetime | None, typer.Option(help=_(UNTIL))] = None,
    data: Annotated[Path | None, typer.Option(help=_("Folder for the database file (MEADHALL_DATA)."))] = None,
) -> None:
    prefer_interpreted()
    from meadhall.cli.chat import show
    from meadhall.cli.hall_data import chosen_settings

    show(chosen_settings(data), table, person, since, until)


def delete_chat(
    lines: Annotated[list[str] | None, typer.Argument(help=_("Ids of lines, as `meadhall chat show` prints them."))] = None,
    table: Annotated[str | None, typer.Option(help=_(TABLE))] = None,
    person: Annotated[str | None, typer.Option(help=_(PERSON))] = None,
    since: Annotated[datetime | None, typer.Option(help=_(SINCE))] = None,
    until: Annotated[datetime | None, typer.Option(help=_(UNTIL))] = None,
    data: Annotated[Path | None, typer.Option(help=_("Folder for the database file (MEADHALL_DATA)."))] = None,
) -> int:
    prefer_interpreted()
    from meadhall.cli.chat import delete
    from meadhall.cli.hall_data import chosen_settings

    return delete(chosen_settings(data), lines or [], table, person, since, until)


def backup(
    file: Annotated[Path, typer.Argument(help=_("The new file. An older backup of this name is replaced."))],
    data: Annotated[Path | None, typer.Option(help=_("Folder for the database file (MEADHALL_DATA)."))] = None,
) -> None:
    prefer_interpreted()
    from meadhall.cli.hall_data import back_up, chosen_settings

    back_up(file, chosen_settings(data))


def restore(
    file: Annotated[Path, typer.Argument(help=_("A backup."), **EXISTING_FILE)],
    data: Annotated[Path | None, typer.Option(help=_("Folder for the database file (MEADHALL_DATA)."))] = None,
    replace: Annotated[
        bool, typer.Option("--replace", help=_("Delete the hall that is in the database, and put the backup in its place."))
    ] = False,
) -> int:
    prefer_interpreted()
    from meadhall.cli.hall_data import chosen_settings
    from meadhall.cli.hall_data import restore as restore_hall

    return restore_hall(file, chosen_settings(data), replace)


def verify_hall(
    data: Annotated[Path | None, typer.Option(help=_("Folder for the database file (MEADHALL_DATA)."))] = None,
) -> int:
    prefer_interpreted()
    from meadhall.cli.hall_data import chosen_settings
    from meadhall.cli.hall_data import verify_hall as verify

    return verify(chosen_settings(data))


def doctor(
    data: Annotated[Path | None, typer.Option(help=_("Folder for the database file (MEADHALL_DATA)."))] = None,
    url: Annotated[
        str | None, typer.Option(help=_("Public address of the hall, to ask it through its proxy (MEADHALL_URL)."))
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help=_("Print the findings as JSON."))] = False,
) -> int:
    from meadhall.cli.doctor import check_hall

    given = {"MEADHALL_DATA": data, "MEADHALL_URL": url}
    return check_hall(os.environ | {name: str(value) for name, value in given.items() if value is not None}, as_json)


DATA = marked("Folder for the database file (MEADHALL_DATA).")
PERSON_ID = marked("The person's id; `meadhall people list` shows it, and the address of a profile ends with it.")


def make_invitation(
    context: typer.Context,
    uses: Annotated[int, typer.Option(help=_("How many people the link admits; 0 for any number."), min=0)] = 1,
    days: Annotated[int, typer.Option(help=_("For how many days; 0 for no limit."), min=0, max=36500)] = 7,
    note: Annotated[str, typer.Option(help=_("For whom it is; the guests see it, too."))] = "",
    data: Annotated[Path | None, typer.Option(help=_(DATA))] = None,
) -> None:
    if context.invoked_subcommand is not None:
        return
    prefer_interpreted()
    from meadhall.cli.hall_data import chosen_settings
    from meadhall.cli.invite import create

    create(chosen_settings(data), uses, days, note)


def list_invitations(
    data: Annotated[Path | None, typer.Option(help=_(DATA))] = None,
) -> None:
    prefer_interpreted()
    from meadhall.cli.hall_data import chosen_settings
    from meadhall.cli.invite import show

    show(chosen_settings(data))


def revoke_invitation(
    id: Annotated[str, typer.Argument(help=_("The id of the invitation; `meadhall invite list` shows it."))],
    data: Annotated[Path | None, typer.Option(help=_(DATA))] = None,
) -> None:
    prefer_interpreted()
    from meadhall.cli.hall_data import chosen_settings
    from meadhall.cli.invite import revoke

    revoke(chosen_settings(data), id)


def list_people(
    name: Annotated[str, typer.Option(help=_("Only people whose name contains this text."))] = "",
    most: Annotated[int, typer.Option(help=_("How many at most."), min=1)] = 100,
    data: Annotated[Path | None, typer.Option(help=_(DATA))] = None,
) -> None:
    prefer_interpreted()
    from meadhall.cli.hall_data import chosen_settings
    from meadhall.cli.people import show

    show(chosen_settings(data), name, most)


def rename_person(
    person: Annotated[str, typer.Argument(help=_(PERSON_ID))],
    name: Annotated[str, typer.Argument(help=_("The new name."))],
    data: Annotated[Path | None, typer.Option(help=_(DATA))] = None,
) -> None:
    prefer_interpreted()
    from meadhall.cli.hall_data import chosen_settings
    from meadhall.cli.people import rename

    rename(chosen_settings(data), person, name)


def close_person(
    person: Annotated[str, typer.Argument(help=_(PERSON_ID))],
    revoke: Annotated[bool, typer.Option("--revoke", help=_("Also withdraw the invitation that has admitted them."))] = False,
    data: Annotated[Path | None, typer.Option(help=_(DATA))] = None,
) -> None:
    prefer_interpreted()
    from meadhall.cli.hall_data import chosen_settings
    from meadhall.cli.people import close

    close(chosen_settings(data), person, revoke)


def open_person(
    person: Annotated[str, typer.Argument(help=_(PERSON_ID))],
    data: Annotated[Path | None, typer.Option(help=_(DATA))] = None,
) -> None:
    prefer_interpreted()
    from meadhall.cli.hall_data import chosen_settings
    from meadhall.cli.people import reopen

    reopen(chosen_settings(data), person)


def link_to_person(
    person: Annotated[str, typer.Argument(help=_(PERSON_ID))],
    data: Annotated[Path | None, typer.Option(help=_(DATA))] = None,
) -> None:
    prefer_interpreted()
    from meadhall.cli.hall_data import chosen_settings
    from meadhall.cli.people import link

    link(chosen_settings(data), person)


def split_names(names: str) -> list[str]:
    """Split ``"a,b"`` into a list."""
    return [name.strip() for name in names.split(",") if name.strip()]


def name_and_value(options: list[str] | None) -> dict[str, str]:
    """Convert ``["name=value"]`` to a dictionary for ``Game.read_options``."""
    pairs = [option.partition("=") for option in options or []]
    for name, equals, _value in pairs:
        if not name or not equals:
            raise typer.BadParameter(_("an option must be given as name=value, not {given}").format(given=name or "="))
    return {name: value for name, _equals, value in pairs}


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


def mcp(
    hall: Annotated[
        str | None, typer.Option(help=_("Play in this hall, e.g. http://127.0.0.1:8000; by default here, against bots."))
    ] = None,
    http: Annotated[
        str | None,
        typer.Option(help=_("Serve at this address by HTTP; by default on standard input and output."), metavar="HOST:PORT"),
    ] = None,
    name: Annotated[str | None, typer.Option(help=_("The player's name."))] = None,
    token: Annotated[
        str | None,
        typer.Option(help=_("The token of a guest or a session of the hall."), envvar="MEADHALL_TOKEN", show_envvar=True),
    ] = None,
) -> None:
    from meadhall.cli.mcp import serve_tools

    serve_tools(hall, http, name, token)


def build() -> typer.Typer:
    """Build the app in the current language."""
    app = typer.Typer(
        help=_("A hall for four tabletop games: play them, host them, simulate them."),
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(global_options)
    app.command(help=_("Start the server and open the hall in a browser."))(serve)
    app.command(help=_("Play in the terminal against bots."))(play)
    app.command(help=_("Learn a game in the terminal: a guided first game of a few minutes."))(learn)
    app.command(help=_("Let bots play many games and report how often each wins."))(simulate)
    app.command(help=_("Let bots compete and report which is stronger and by how much."))(tournament)
    app.command(help=_("Measure how a game plays: fairness, length, choice, luck; and what a change of it does."))(balance)
    app.command(help=_("Search values of components that meet targets: the fairest places, the wanted length."))(tune)
    app.command(help=_("Let language models play: serve tools of the Model Context Protocol."))(mcp)
    app.command(help=_("Verify match records: every die, every event, every result."))(verify)
    app.command(help=_("Print a match record as text."))(replay)
    app.command(help=_("Show how the win chances changed in a recorded match, and its turning points."))(analyse)
    app.command("print", help=_("Write a game to a PDF to print and cut out: the rulebook and all pieces."))(print_)
    app.command(help=_("Compile the rules now instead of at the first game."))(warm)
    app.command(help=_("List the games."))(games)
    app.command("new-game", help=_("Write the package of a new game, which works at once, into a new folder."))(new_game)
    app.command(help=_("Write the texts of a game that are marked for translation into its catalogues."))(messages)
    app.command(help=_("Check that a game keeps every law, and show the shortest example if it doesn't."))(check)
    app.command(help=_("Check the settings, folder, disk, compiled rules, port and proxy of a hall."))(doctor)
    app.command(help=_("Write everything in the hall's database to a file, while the hall runs."))(backup)
    app.command(help=_("Fill the hall's database from a backup."))(restore)
    app.command("verify-hall", help=_("Verify all matches of a hall, also while it runs."))(verify_hall)
    keys = typer.Typer(help=_("Manage the keys of a hall."), no_args_is_help=True)
    keys.callback()(lambda: None)
    keys.command("rotate", help=_("Replace the keys that sign cookies and tokens, and the key of the daily puzzles."))(
        rotate_keys
    )
    app.add_typer(keys, name="keys")
    chat = typer.Typer(help=_("Review the chat at the tables of a hall."), no_args_is_help=True)
    chat.command("show", help=_("Print lines of chat: of a table, a person, a time."))(show_chat)
    chat.command("delete", help=_("Delete lines of chat, also while the hall runs: they then say 'deleted'."))(delete_chat)
    app.add_typer(chat, name="chat")
    invite = typer.Typer(help=_("Invite people to a hall for invited guests (MEADHALL_ADMISSION)."), invoke_without_command=True)
    invite.callback()(make_invitation)
    invite.command("list", help=_("List the invitations."))(list_invitations)
    invite.command("revoke", help=_("Withdraw an invitation. Whom it has admitted may stay."))(revoke_invitation)
    app.add_typer(invite, name="invite")
    people = typer.Typer(help=_("List, rename and shut out the people of a hall, also while it runs."), no_args_is_help=True)
    people.command("list", help=_("List people, the newest first."))(list_people)
    people.command("rename", help=_("Give a person another name, at all their seats, too."))(rename_person)
    people.command("close", help=_("Shut a person out: signed out everywhere, off all tables that are not over."))(close_person)
    people.command("open", help=_("Admit a person again after they were shut out."))(open_person)
    people.command("link", help=_("Print a link that signs a person in once who has lost their account."))(link_to_person)
    app.add_typer(people, name="people")
    return app


def interpret_where_nothing_can_be_compiled() -> None:
    """Interpret rules if the folder of compiled rules has none and can't be written: for a few matches that is fast enough."""
    root = cache_root()
    if not is_writable(root) and not any(root.glob("*/warm-*")):
        prefer_interpreted()


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
