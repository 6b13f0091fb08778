"""``meadhall check``: test the laws that every game must keep, and show the shortest example of a violation."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from importlib.util import find_spec
from typing import Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from meadhall.cli.authoring import find_game, untranslated
from meadhall.cli.console import WRONG, console, name_and_value, print_table, progress_bar
from meadhall.engine.compile.rule import INTERPRETED
from meadhall.engine.errors import MeadhallError
from meadhall.engine.game import Game
from meadhall.engine.laws.check_game import FurtherLaw, check_game, check_position, further_law, shortest, violation
from meadhall.engine.laws.counterexample import LAWS, ConformanceError, Example, Move
from meadhall.engine.match.match import Match
from meadhall.engine.rulebook import rule_sentence
from meadhall.engine.text.language import gettext as _, ngettext

_SHOWN = 12
"""The number of the last actions that an example shows."""


def run_check(
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
    quick: Annotated[  # noqa: ARG001 - it decides how rules run before this module is imported
        bool, typer.Option("--quick", help=_("Interpret the rules: starts at once, but doesn't check that they can be compiled."))
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help=_("Print the outcome as JSON."))] = False,
) -> int:
    """Check a game, and print the outcome. Return the exit status.

    With ``actions`` only the position after them is checked, in the match with this seed.
    """
    subject, options, moves = find_game(game), name_and_value(option), read_moves(actions)
    chosen = {option.name: option.read(options[option.name]) for option in subject.options if option.name in options}
    subject.check_options({**options, **chosen})  # refuses unknown names
    positions, error = 0, None
    with _page_law():
        try:
            if moves is None:
                positions = _random_matches(subject, games, seed, players, chosen)
            else:
                count = subject.min_players if players is None else players
                check_position(Example(subject, *subject.check_setup(count, subject.fitting_options(chosen)), seed, tuple(moves)))
                positions = 1
        except ConformanceError as found:
            error = shortest(found, players=players, options=chosen) if moves is None else found
        again = ["meadhall", "check", game, "--games", str(games), "--seed", seed]
        again += [] if players is None else ["--players", str(players)]
        again += [word for given in option or () for word in ("--option", given)]
        failure = None if error is None else _failure(error, game, shlex.join(again))
    if as_json:
        print(json.dumps(_as_json(subject, positions, failure), indent=2, ensure_ascii=False))
    elif failure is None:
        _print_success(subject, positions, moves is not None)
        if moves is None:
            _print_untranslated(subject, game)
    else:
        _print_failure(subject, failure)
    return 0 if failure is None else WRONG


def _page_law() -> AbstractContextManager[None]:
    """Test the pages, too, if the packages that a hall needs are installed."""
    try:
        from meadhall.server.pages.trial import try_pages, try_position  # noqa: PLC0415 - needs the packages of a hall
    except MeadhallError:
        return nullcontext()
    return further_law(FurtherLaw("pages", try_pages, try_position))


def read_moves(text: str | None) -> list[Move] | None:
    """Parse the actions of an example, ``0,3@1``. Raises typer.BadParameter."""
    try:
        return None if text is None else [Move.read(part) for part in text.split(",") if part.strip()]
    except ValueError:
        raise typer.BadParameter(_("actions must be numbers with commas between them, not {given}").format(given=text)) from None


def _random_matches(subject: Game, games: int, seed: str, players: int | None, options: Mapping[str, Any]) -> int:
    with progress_bar(subject.title, None) as show:
        return check_game(
            subject,
            matches=games,
            seed=seed,
            players=players,
            options=options,
            progress=lambda done, total: show(completed=done, total=total),
        )


def _failure(error: ConformanceError, where: str, again: str) -> dict[str, Any]:
    """Return a violation as the JSON output holds it."""
    example = error.example
    failure: dict[str, Any] = {"law": error.law, "meaning": _(LAWS.get(error.law, "")), "reason": error.reason}
    if example is None:
        return failure | {"place": error.place, "command": again}
    reproduced = violation(example) is not None
    return failure | {
        "rules": list(example.rules(error.law)),
        "players": example.players,
        "options": dict(example.options),
        "seed": example.seed,
        "actions": [str(move) for move in example.moves],
        "action": None if example.move is None else str(example.move),
        "told": list(_told(example, example.moves)),
        "then": "" if example.move is None else list(_told(example, (*example.moves, example.move)))[len(example.moves)],
        "position": _position(example),
        "command": example.command(where) if reproduced else again,
    }


def _told(example: Example, moves: Sequence[Move]) -> Iterator[str]:
    """Yield actions from the beginning of the match in words, with the seats that play them, as far as the game can tell."""
    match = Match(example.game, players=example.players, seed=example.seed, options=example.options)
    try:
        for move in moves:
            seat = match.actor if move.seat is None else move.seat
            text = next(action.text for action in match.legal(seat) if action.action == move.action)
            yield f"{match.names[seat or 0]}: {text} ({move})"
            match.play(*move)
    except Exception:  # the game is broken here in some way
        yield "…"


def _position(example: Example) -> str:
    """Return a sketch of the position, or the fields of its state if the game has no sketch."""
    try:
        match = example.match()
        sketch = getattr(match.game.words, "sketch", None)
        return str(sketch(match.state, match.names) if sketch is not None else match.state)
    except Exception as error:  # the game is broken here in some way
        return f"{type(error).__name__}: {error}"


def _as_json(subject: Game, positions: int, failure: dict[str, Any] | None) -> dict[str, Any]:
    return {
        "game": subject.name,
        "version": subject.version,
        "passed": failure is None,
        "positions": positions,
        "failure": failure,
        "untranslated": [[language, text.place, text.message] for language, text in untranslated(subject)],
    }


def _print_untranslated(subject: Game, where: str) -> None:
    """List the texts that one of the game's catalogues lacks. They are shown in English, so this is no violation."""
    found = list(untranslated(subject))
    if not found:
        return
    out = console()
    out.print(
        "",
        ngettext("{count} text lacks a translation:", "{count} texts lack a translation:", len(found)).format(count=len(found)),
    )
    for language, text in found[:_SHOWN]:
        message = text.message if isinstance(text.message, str) else text.message[0]
        out.print(Text(f"    {language}  {text.place}  {message}"))
    if len(found) > _SHOWN:
        out.print("    " + _("… {count} more").format(count=len(found) - _SHOWN))
    out.print("    " + shlex.join(["meadhall", "messages", where]))


def _print_success(subject: Game, positions: int, one: bool) -> None:
    laws = Table.grid(padding=(0, 1))
    if not one:
        for name, meaning in LAWS.items():
            if name not in _untested(subject):
                laws.add_row("✓", name, _(meaning))
        print_table(console(), laws, prose=2)
        print()
    said = ngettext("{title} keeps every law at {count} position.", "{title} keeps every law at {count} positions.", positions)
    console().print(said.format(title=subject.title, count=positions))


def _untested(subject: Game) -> Iterator[str]:
    """Yield the laws that don't concern the game, or this process."""
    if INTERPRETED:
        yield "compile"
    if find_spec("litestar") is None:  # the hall isn't installed
        yield "pages"
    if subject.lessons is None:
        yield "lessons"
    if subject.daily is None:
        yield "daily"
    if subject.greedy is None:
        yield "greedy"


def _print_failure(subject: Game, failure: dict[str, Any]) -> None:
    out = console()
    out.print(Text(_("{title} breaks the law “{law}”.").format(title=subject.title, law=failure["law"]), style="bold red"))
    out.print(failure["meaning"], "", Text(f"  {failure['reason']}", style="bold"), "", sep="\n")
    facts = [(_("rule"), f"{rule} {rule_sentence(subject, rule)}".strip()) for rule in failure.get("rules", ())]
    if "place" in failure:
        facts.append((_("place"), failure["place"]))
    else:
        options = [f"{option.name}={option.shown(failure['options'][option.name])}" for option in subject.options]
        facts += [
            (_("match"), ", ".join([_("{count} players").format(count=failure["players"]), *options])),
            (_("seed"), failure["seed"]),
        ]
        told = failure["told"]
        hidden = [_("… {count} more").format(count=len(told) - _SHOWN)] if len(told) > _SHOWN else []
        facts += [
            (_("actions"), "\n".join([*hidden, *told[-_SHOWN:]]) or _("none: it is the position after the setup")),
            (_("position"), failure["position"]),
        ]
        if failure["then"]:
            facts.append((_("then"), failure["then"]))
    width = max(len(name) for name, _value in facts)
    for name, value in facts:
        out.print(Text(f"{name:{width}}  " + value.replace("\n", "\n" + " " * (width + 2))))
    out.print("", _("Check it again:"), f"    {failure['command']}", sep="\n")
