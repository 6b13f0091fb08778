"""``meadhall verify``, ``replay`` and ``analyse``: match records, verified and printed as text, and their turning points.

The functions that print a match are also those of ``meadhall play`` and ``meadhall learn``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from textwrap import indent
from typing import Annotated, Any

import typer
from rich.box import SIMPLE
from rich.console import Console, JustifyMethod
from rich.markdown import Markdown
from rich.table import Table
from rich.text import Text

from meadhall.bots import Hint, chance_in_words, chance_of_what
from meadhall.bots.analysis import (
    VIEWERS,
    Analysis,
    Knowledge,
    accuracy_in_words,
    analyse,
    change_in_words,
    party_in_words,
    turning_point_in_words,
)
from meadhall.bots.hints import percent_in_words
from meadhall.cli.console import (
    EXISTING_FILE,
    WRONG,
    complain,
    console,
    page_width,
    print_prose,
    print_table,
    progress_bar,
    without_control_characters,
)
from meadhall.engine.errors import BadSetup, RecordError
from meadhall.engine.match.match import Match
from meadhall.engine.match.record import read_records
from meadhall.engine.match.step import Award, Result, Step, award_in_words
from meadhall.engine.match.telling import headline_of
from meadhall.engine.match.view import EVERYTHING, SPECTATOR, View
from meadhall.engine.replay import replay
from meadhall.engine.state.events import Event
from meadhall.engine.text.language import gettext as _, grouped, ngettext


def verify_files(files: Annotated[list[Path], typer.Argument(help=_("Match records."), **EXISTING_FILE)]) -> int:
    """Verify every record of every file and print a line per file. Returns the exit status: 1 if any record is wrong."""
    total, status = 0, 0
    for path in files:
        count, fault = verify_file(path)
        total += count
        if fault:
            complain(f"{path}: {fault}")
            status = WRONG
        else:
            print(_verified(count, f"{path}: "))
    if len(files) > 1:
        print(_verified(total))
    return status


def _verified(count: int, place: str = "") -> str:
    return place + ngettext("{count} record verified", "{count} records verified", count).format(count=grouped(count))


def verify_file(path: Path) -> tuple[int, str]:
    """Return the number of verified records of the file and the first error, "" if there is none."""
    count = 0
    try:
        with progress_bar(path.name, None) as show:
            for record in read_records(path):
                try:
                    replay(record)
                except RecordError as error:
                    place = _("record {number}").format(number=count + 1)
                    return count, f"{place}: {error}" if count else str(error)
                count += 1
                show(completed=count)
    except RecordError as error:  # the file can't be read as records
        return count, str(error).removeprefix(str(path)).lstrip(":, ")
    return count, ""


def print_file(
    file: Annotated[Path, typer.Argument(help=_("Match records."), **EXISTING_FILE)],
    tables: Annotated[bool, typer.Option("--tables", help=_("Show the board before each action."))] = False,
) -> None:
    """Verify every match of the file and print it as text."""
    for number, record in enumerate(read_records(file)):
        if number:
            print()
        print_match(replay(record), tables)


def print_match(match: Match, boards: bool) -> None:
    """Print one match, including undone actions."""
    out = console()
    out.print(Text(match.game.title, style="bold"))
    out.print(Text(", ".join(f"{who.name} ({who.bot})" if who.bot else who.name for who in match.seats)))
    options = [f"{option.name}={option.shown(match.options[option.name])}" for option in match.game.options]
    started = _("started {time:%Y-%m-%d %H:%M} UTC").format(time=match.started)
    out.print(Text("; ".join([*options, started, _("all dice verified")]), style="dim"))
    print_events(out, match, match.setup)
    for step, undone in _all_steps(match):
        if boards and not undone:
            print_board(out, match.view_at(match.steps.index(step), step.seat))
        print_step(out, match, step, _("(undone)") if undone else "")
    print_board(out, match.view())
    out.print(Text("\n" + outcome(match), style="bold"))


def _all_steps(match: Match) -> list[tuple[Step, bool]]:
    """Return every action by number, and whether it was undone."""
    undone = [(step, True) for undone in match.undone for step in undone.steps]
    return sorted([*((step, False) for step in match.steps), *undone], key=lambda item: item[0].n)


BARS = "▁▂▃▄▅▆▇█"
ROWS = 24
"""The approximate number of positions in the table of chances; --json prints all."""


def analyse_file(
    file: Annotated[Path, typer.Argument(help=_("Match records."), **EXISTING_FILE)],
    knowledge: Annotated[
        str, typer.Option(help=_("Information used: public (as the players saw it) or everything (with hidden cards revealed)."))
    ] = "public",
    seconds: Annotated[float | None, typer.Option(help=_("Time limit in seconds; by default up to 12."), min=0.0)] = None,
    as_json: Annotated[bool, typer.Option("--json", help=_("Print all figures as JSON."))] = False,
) -> None:
    """Verify and analyse every match of the file and print each; as JSON one per line. Raises BadSetup."""
    if knowledge not in VIEWERS:
        raise BadSetup(_("knowledge must be public or everything, not {given}").format(given=knowledge))
    for number, record in enumerate(read_records(file)):
        match = replay(record)
        analysis = analyse_with_progress(match, file.name, knowledge, seconds)
        if as_json:
            print(json.dumps(to_dict(match, analysis), ensure_ascii=False))
        else:
            if number:
                print()
            print_analysis(console(), match, analysis)


def analyse_with_progress(match: Match, name: str, knowledge: Knowledge, seconds: float | None) -> Analysis:
    """Analyse a match with a progress bar on stderr."""
    with progress_bar(name, 100) as show:
        return analyse(match, knowledge, seconds, progress=lambda done: show(completed=int(100 * done)))


def to_dict(match: Match, analysis: Analysis) -> dict[str, Any]:
    """Return the analysis as JSON-able data."""
    return {
        "game": match.game.name,
        "seats": list(match.names),
        "over": match.over,
        "knowledge": analysis.knowledge,
        "parties": [list(party) for party in analysis.parties],
        "chances": [[round(share, 5) for share in row] for row in analysis.chances],
        "samples": list(analysis.samples),
        "turning": [
            {
                "position": point.position,
                "n": match.steps[point.position - 1].n,
                "party": list(analysis.parties[point.party]),
                "before": round(point.before, 5),
                "after": round(point.after, 5),
                "text": turning_point_in_words(match, analysis, point),
            }
            for point in analysis.turning
        ],
    }


# ---------------------------------------------------------------------------------------------------------------- for people


def print_analysis(out: Console, match: Match, analysis: Analysis) -> None:
    """Print a line of bars for each party, the turning points, and a table of chances."""
    out.print(Text(match.game.title, style="bold"))
    hidden = _("With hidden cards revealed: what a draw pile brings is known in advance, so there is little drama.")
    how = {"public": _("As the players saw it."), "everything": hidden}[analysis.knowledge]
    print_prose(out, Text(" ".join([how, *accuracy_in_words(analysis)]), style="dim"))
    out.print()
    out.print(_bars(match, analysis, page_width()))
    if analysis.turning:
        print_table(out, _turning_points(match, analysis), prose=2)
    out.print(_chances(match, analysis))
    out.print(Text(outcome(match) if match.outcome() else _("The match was given up."), style="bold"))


def _bars(match: Match, analysis: Analysis, width: int) -> Table:
    """Return the chances of each party as bars, with the turning points below them."""
    names = [party_in_words(match, party) for party in analysis.parties]
    count = len(analysis.chances)
    room = max(10, width - max(map(len, names)) - 18)
    columns = [min(count - 1, int((column + 0.5) * count / min(room, count))) for column in range(min(room, count))]
    table = Table.grid(padding=(0, 1))
    table.add_column()
    justified: tuple[JustifyMethod, ...] = ("right", "left", "right")
    for justify in justified:
        table.add_column(no_wrap=True, justify=justify)
    for k, name in enumerate(names):
        bars = "".join(_bar(analysis.chance(at, k)) for at in columns)
        ends = [percent_in_words(analysis.chance(at, k), sure=not analysis.samples[at]) for at in (0, count - 1)]
        table.add_row(name, ends[0], bars, ends[1])
    marks = [" "] * len(columns)
    for number, point in enumerate(analysis.turning, 1):
        marks[min(range(len(columns)), key=lambda column: abs(columns[column] - point.position))] = str(number)
    table.add_row("", "", Text("".join(marks), style="bold"), "")
    return table


def _bar(chance: float) -> str:
    """Return the bar of a chance; a dot for 0."""
    return BARS[min(len(BARS) - 1, int(chance * len(BARS)))] if chance else "·"


def _turning_points(match: Match, analysis: Analysis) -> Table:
    table = Table(box=SIMPLE, title=_("Turning points"), title_justify="left", show_edge=False, pad_edge=False)
    for heading in ("", _("action"), _("what happened"), _("player"), ""):
        table.add_column(heading)
    for number, point in enumerate(analysis.turning, 1):
        table.add_row(
            str(number),
            str(match.steps[point.position - 1].n),
            Text(turning_point_in_words(match, analysis, point)),
            party_in_words(match, analysis.parties[point.party]),
            change_in_words(point),
        )
    return table


def _chances(match: Match, analysis: Analysis) -> Table:
    table = Table(box=SIMPLE, title=_("Chances"), title_justify="left", show_edge=False, pad_edge=False)
    table.add_column(_("action"), justify="right")
    for party in analysis.parties:
        table.add_column(party_in_words(match, party), justify="right")
    for position in _shown(analysis):
        sure = not analysis.samples[position]
        chances = [percent_in_words(analysis.chance(position, k), sure=sure) for k in range(len(analysis.parties))]
        table.add_row(str(match.steps[position - 1].n) if position else _("setup"), *chances)
    return table


def _shown(analysis: Analysis) -> Sequence[int]:
    """Return the positions of the table: evenly spaced ones, all in a short match, and the turning points."""

    def chosen() -> Iterator[int]:
        last = len(analysis.chances) - 1
        yield from range(0, last, -(-last // ROWS) or 1)
        yield last
        for point in analysis.turning:
            yield from (point.position - 1, point.position)

    return sorted(set(chosen()))


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
