"""Print a match as text, for ``play``, ``learn`` and ``replay``."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from textwrap import indent

from rich.box import SIMPLE
from rich.console import Console
from rich.markdown import Markdown
from rich.table import Table
from rich.text import Text

from meadhall.bots import Hint, chance_in_words, chance_of_what
from meadhall.cli.console import print_prose, print_table, without_control_characters
from meadhall.engine.match.match import Match
from meadhall.engine.match.step import Award, Result, Step, award_in_words
from meadhall.engine.match.telling import headline_of
from meadhall.engine.match.view import EVERYTHING, SPECTATOR, View
from meadhall.engine.state.events import Event
from meadhall.engine.text.language import gettext as _


def print_events(
    console: Console, match: Match, events: Iterable[Event], number: int | None = None, seat: int | None = None
) -> None:
    """Print the events of one step as a paragraph, with the number of the action if given. ``seat``: the reader's, if any."""
    text = " · ".join(match.in_words(event, seat) for event in events)
    if text:
        _print_paragraph(console, number, Text(text))


def print_step(console: Console, match: Match, step: Step, note: str = "") -> None:
    """Print an action, its events, and whether it was played with a hint."""
    words = match.action_in_words(step, EVERYTHING if match.ended else SPECTATOR)
    line = _("{name}: {action}").format(name=match.names[step.seat], action=words)
    notes = [note, _("(with a hint)") if step.hinted else ""]
    _print_paragraph(console, step.n, Text.assemble((line, "bold"), *((f"  {said}", "dim") for said in notes if said)))
    print_events(console, match, step.events)


def _print_paragraph(console: Console, number: int | None, text: Text) -> None:
    """Print a paragraph with its number in the margin."""
    grid = Table.grid(padding=(0, 2, 0, 0))
    grid.add_column(width=4, justify="right", style="dim")
    grid.add_column()
    grid.add_row("" if number is None else str(number), text)
    print_prose(console, grid)


def print_board(console: Console, view: View) -> None:
    """Print the board as the viewer sees it: the sketch of the game's words, or else the fields of the state."""
    console.print()
    console.print(Text(indent(view.sketch(), "  ")))


def print_rules(console: Console, markdown: str) -> None:
    """Print a rulebook. Words stand in for its figures."""
    print_prose(console, Markdown(re.sub(r"!\[(.*?)\]\(figure:\w+(?: \".*?\")?\)", r"*\1*", markdown)))


def print_choices(console: Console, lines: Iterable[tuple[str, str]]) -> None:
    """Print each choice with its text."""
    grid = Table.grid(padding=(0, 2, 0, 0))
    grid.add_column(min_width=4, justify="right", no_wrap=True)
    grid.add_column()
    for typed, text in lines:
        grid.add_row(typed, Text(text))
    print_prose(console, grid)


def print_hints(console: Console, view: View, given: Iterable[Hint], written: Callable[[int], str]) -> None:
    """Print the strongest bot's best actions, what to type for each, and its chances."""
    table = Table(box=SIMPLE, show_edge=False, pad_edge=False)
    for heading in (_("input"), _("move"), chance_of_what(view)):
        table.add_column(heading)
    for hint in given:
        action = view.game.words.action(view.state, hint.action, view.names)
        exactly = _(", exact") if hint.sure and hint.chance is not None else ""
        table.add_row(written(hint.action), Text(action), (chance_in_words(hint) or _("your only action")) + exactly)
    print_table(console, table, prose=1)


def outcome(match: Match, reader: int | None = None) -> str:
    """Return how a match ended: by the rules, by an award, or without a winner. ``reader``: the seat called "you", if any."""
    result = match.outcome()
    if result is None:
        return _("Given up: {why}").format(why=without_control_characters(str(match.abandoned)))
    if isinstance(result, Award):
        how = award_in_words(result)
    else:
        how = match.game.words.ending(match.game.state.at(match.states))[1]
        how = _("{how} ({rule})").format(how=how, rule=result.reason) if result.reason else how
    said = _("{headline}: {how}.").format(headline=headline_of(match, result, reader), how=how)
    if isinstance(result, Result) and result.points is not None:
        points = ", ".join(f"{name} {count}" for name, count in zip(match.names, result.points, strict=True))
        said += " " + _("Points: {points}.").format(points=points)
    return said
