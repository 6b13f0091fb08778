"""``meadhall analyse``: how the win chances changed in a recorded match, and its turning points."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.box import SIMPLE
from rich.console import Console, JustifyMethod
from rich.table import Table
from rich.text import Text

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
from meadhall.cli.arguments import EXISTING_FILE
from meadhall.cli.console import console, page_width, print_prose, print_table, progress_bar
from meadhall.cli.transcript import outcome
from meadhall.engine.errors import BadSetup, RecordError
from meadhall.engine.match.match import Match
from meadhall.engine.record.format import read_records
from meadhall.engine.record.replay import replay
from meadhall.engine.text.language import gettext as _

BARS = "▁▂▃▄▅▆▇█"
ROWS = 24
"""The approximate number of positions in the table of chances; --json prints all."""


def parse_knowledge(text: str) -> Knowledge:
    """Parse the knowledge from the command line. Raises BadSetup."""
    for knowledge in VIEWERS:
        if text == knowledge:
            return knowledge
    raise BadSetup(_("knowledge must be public or everything, not {given}").format(given=text))


def analyse_file(
    file: Annotated[Path, typer.Argument(help=_("Match records."), **EXISTING_FILE)],
    knowledge: Annotated[
        str, typer.Option(help=_("Information used: public (as the players saw it) or everything (with hidden cards revealed)."))
    ] = "public",
    seconds: Annotated[float | None, typer.Option(help=_("Time limit in seconds; by default up to 12."), min=0.0)] = None,
    as_json: Annotated[bool, typer.Option("--json", help=_("Print all figures as JSON."))] = False,
) -> None:
    """Verify and analyse every match of the file and print each; as JSON one per line."""
    used, analysed = parse_knowledge(knowledge), False
    for record in read_records(file):
        match = replay(record)
        analysis = analyse_with_progress(match, file.name, used, seconds)
        if as_json:
            print(json.dumps(to_dict(match, analysis), ensure_ascii=False))
        else:
            if analysed:
                print()
            print_analysis(console(), match, analysis)
        analysed = True
    if not analysed:
        raise RecordError(str(file), _("the file contains no record"))


def analyse_with_progress(match: Match, name: str, knowledge: Knowledge, seconds: float | None) -> Analysis:
    """Analyse a match with a progress bar on stderr."""
    with progress_bar() as progress:
        task = progress.add_task(name, total=100)
        return analyse(match, knowledge, seconds, progress=lambda done: progress.update(task, completed=int(100 * done)))


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
