"""A balance report as one page of HTML: a headline, then each question with its charts, its table and its definitions."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from html import escape
from pathlib import Path
from string import Template
from typing import TypeAlias

from meadhall.engine.checks import seed_label
from meadhall.engine.text.display import Table
from meadhall.engine.text.language import current_language, decimal, gettext as _, grouped, marked, ngettext
from meadhall.lab.balance.charts import board, curves, intervals
from meadhall.lab.balance.definitions import DEFINITIONS, GROUPS
from meadhall.lab.balance.figures import Figure
from meadhall.lab.balance.findings import Finding, findings, first_screen
from meadhall.lab.balance.in_words import (
    cell_in_words,
    changes_in_words,
    figure_in_words,
    head_of,
    how_measured,
    item_in_words,
    name_in_words,
    names_of,
    piece_tables,
    short_item,
    table_of,
)
from meadhall.lab.balance.measured import EXAMPLES, Example, Key, Measured
from meadhall.lab.balance.measures import PARTS

MOST_BARS = 40
MOST_CURVES = 8
MOST_ROWS = 12
"""The rows of a long table that are shown at once; the others open with a click."""

Watch: TypeAlias = Callable[[Key, Example], str]
"""Returns the link to a match of a cell as HTML."""

EXAMPLES_OF = {"length": ("longest",), "pieces": ("rare",), "course": ("comeback", "lead_changes"), "score": ("close",)}
"""The matches to watch that suit a question; else the first."""

STYLES = Path(__file__).parent / "static" / "report.css"
"""The rules of a report, for a page that holds one."""

FAMILIES = ("place", "dealt", "chosen", "without", "loss", "ladder", "at_leader")
"""The families of figures that have a chart of intervals."""


def page(report: Measured, watch: Watch) -> str:
    """Return the page in the current language. It needs no other file."""
    return Template(Path(__file__).with_name("page.html").read_text("utf-8")).substitute(
        language=current_language(),
        title=escape(_("{game}: balance report").format(game=report.subject.title)),
        styles=STYLES.read_text("utf-8"),
        fragment=fragment(report, watch),
        how=escape(_("Show a record with “meadhall replay FILE”, its chances with “meadhall analyse FILE”.")),
    )


def fragment(report: Measured, watch: Watch) -> str:
    """Return what the page says below its title, for an element of the class ``report`` and the rules of ``STYLES``."""
    titles = {**{group: GROUPS[group] for group in _groups(report)}, "examples": marked("Matches to watch")}
    contents = [f'<li><a href="#report-{part}">{escape(_(title))}</a></li>' for part, title in titles.items()]
    questions = escape(_("Questions"))
    return "".join(
        (
            *_findings(report, watch),
            *(
                f"<p><strong>{escape(variant)}:</strong> {'<br>'.join(map(escape, sentences))}</p>"
                for variant, sentences in changes_in_words(report).items()
            ),
            f'<nav aria-label="{questions}"><ul>{"".join(contents)}</ul></nav>',
            *_sections(report),
            _examples(report, watch),
            *(f'<p class="quiet">{line}</p>' for line in _about(report)),
        )
    )


def _findings(report: Measured, watch: Watch) -> Iterator[str]:
    """Yield the sentences, each with its reason; the first ones in full, the others behind a click."""
    first, others = first_screen(findings(report))
    yield f'<ul class="findings">{"".join(_finding(report, each, watch) for each in first)}</ul>'
    brackets = _("In brackets: where the true figure of these bots lies, with 95 % certainty.")
    yield f'<p class="quiet">{escape(brackets)}</p>'
    if others:
        summary = ngettext("{count} more sentence", "{count} more sentences", len(others)).format(count=len(others))
        yield _folded(summary, f'<ul class="findings">{"".join(_finding(report, each, watch) for each in others)}</ul>')


def _finding(report: Measured, finding: Finding, watch: Watch) -> str:
    """Return a sentence with its reason: definitions, the figures in all cells, and a match to watch."""
    families = dict.fromkeys(name.partition(".")[0] for name in finding.names)
    reasons = [f"<p>{escape(_(DEFINITIONS[family].text))}</p>" for family in families]
    by_cell = report.differences if finding.difference else report.figures
    if finding.names:
        table = table_of(report, finding.names, by_cell, partial(figure_in_words, signed=finding.difference))
        reasons.append(_wide(finding.text, table))
    examples = report.examples[finding.key]
    if examples and families:
        wanted = EXAMPLES_OF.get(DEFINITIONS[next(iter(families))].group, ())
        example = next((each for kind in wanted for each in examples if each.kind == kind), examples[0])
        match = escape(_("A match to watch ({why}):").format(why=_(EXAMPLES[example.kind])))
        reasons.append(f"<p>{match} {watch(finding.key, example)}</p>")
    said = escape(finding.text).replace(" %", "&nbsp;%")
    if not reasons:
        return f"<li><p>{said}</p></li>"
    why = escape(_("Why?"))
    return f'<li><details><summary>{said} <span class="why">{why}</span></summary>{"".join(reasons)}</details></li>'


def _about(report: Measured) -> Iterator[str]:
    yield escape(
        _(
            "An arrow marks a figure whose interval lies outside what is tolerated; of all marks on this page one in twenty "
            "is expected to be false (Benjamini and Hochberg)."
        )
    )
    yield escape(how_measured(report))
    players, bots, seed = ",".join(map(str, report.players)), ",".join(report.bots), seed_label(report.seed)
    said = _("The same report again:")
    again = ["meadhall", "balance", report.game, "--players", players, "--bots", bots, "--seed", seed]  # as far as a command can
    yield f"{escape(said)} <code>{escape(shlex.join(again))}</code>"


def _groups(report: Measured) -> list[str]:
    """Return the questions that the report answers."""
    found = {figure.about.group for figures in report.figures.values() for figure in figures.values()}
    return [group for group in GROUPS if group in found]


def _sections(report: Measured) -> Iterator[str]:
    meaning, base = _("What these figures mean"), next(iter(report.variants))
    for group in _groups(report):
        title = escape(_(GROUPS[group]))
        yield f'<section id="report-{group}" aria-labelledby="report-{group}-title"><h2 id="report-{group}-title">{title}</h2>'
        yield from _charts(report, group)
        if group == "pieces":
            yield from _pieces(report)
        elif names := names_of(group, report.figures):
            yield _wide(_(GROUPS[group]), table_of(report, names, report.figures, figure_in_words))
        if names := names_of(group, report.differences):
            gaps = table_of(report, names, report.differences, partial(figure_in_words, signed=True))
            label = _("Difference from {variant}, by pairs of matches with the same deal").format(variant=base)
            yield f"<h3>{escape(label)}</h3>{_wide(f'{label}: {_(GROUPS[group])}', gaps)}"
        families = dict.fromkeys(figure.family for figures in report.figures.values() for figure in figures.values())
        terms = "".join(
            f"<dt>{escape(head_of(family))}</dt><dd>{escape(_(DEFINITIONS[family].text))}</dd>"
            for family in families
            if DEFINITIONS[family].group == group
        )
        yield f"{_folded(meaning, f'<dl>{terms}</dl>')}</section>"


def _pieces(report: Measured) -> Iterator[str]:
    """Yield the tables of all kinds of pieces; the tables of the first cell are open."""
    for number, key in enumerate(report.figures):
        cell = cell_in_words(report, key)
        tables = "".join(_wide(f"{table.heads[0]}, {cell}", table) for table in piece_tables(report, key))
        yield _folded(cell, tables, is_open=number == 0) if len(report.figures) > 1 else tables


def _charts(report: Measured, group: str) -> Iterator[str]:
    """Yield the charts of a question."""
    cells = list(report.figures)
    for family in (each for each in FAMILIES if DEFINITIONS[each].group == group):
        figures = [
            (number, figure)
            for number, cell in enumerate(cells)
            for figure in report.figures[cell].values()
            if figure.family == family and (figure.item or family != "place")
        ]
        if figures and len(figures) <= MOST_BARS:
            bars = [(_bar_name(report, cells[number], figure), figure, number) for number, figure in figures]
            middle = 1.0 if DEFINITIONS[family].unit == "fair shares" else 0.0 if family == "loss" else None
            yield _figure(_(DEFINITIONS[family].text), intervals(_(DEFINITIONS[family].text), bars, middle))
    if group == "course":
        yield from _curves(report, "uncertainty_at", range(PARTS + 1))
    if group == "choice":
        yield from _curves(report, "legal_at", range(1, PARTS + 1))
    if group == "pieces":
        yield from _boards(report)


def _boards(report: Measured) -> Iterator[str]:
    """Yield the boards of each cell with how often something is acquired on each square."""
    for kind in report.subject.elements.pieces:
        for key, figures in report.figures.items() if kind.squares else ():
            cells = kind.squares(report.variants[key[0]]) if kind.squares else ()
            squares = {
                place: (short_item(report, figure), figure)
                for number, place in enumerate(cells)
                if (figure := figures.get(f"acquired.{kind.name}.{number}")) is not None
            }
            if squares:
                title = _("{piece}: how often in a match, {cell}").format(piece=_(kind.text), cell=cell_in_words(report, key))
                yield _figure(title, board(title, squares))


def _bar_name(report: Measured, key: Key, figure: Figure) -> str:
    name = name_in_words(report, figure) if figure.family == "place" or not figure.item else item_in_words(report, figure)
    return f"{name} \N{MIDDLE DOT} {cell_in_words(report, key)}" if len(report.cells) > 1 else name


def _curves(report: Measured, family: str, parts: range) -> Iterator[str]:
    names = [f"{family}.{part}" for part in parts]
    drawn = {
        cell_in_words(report, key): [figures[name].value for name in names]
        for key, figures in report.figures.items()
        if figures.keys() >= set(names)
    }
    if drawn and len(drawn) <= MOST_CURVES:
        text = _(DEFINITIONS[family].text)
        heads = (_("part of the match"), *(f"{100 * part // PARTS} %" for part in parts))
        rows = tuple((name, *(decimal(value, 2) for value in values)) for name, values in drawn.items())
        table = _folded(_("The numbers of this chart"), _wide(text, Table(heads, rows, numbers=True)))
        yield _figure(text, curves(text, drawn, _("part of the match")), table)


def _figure(caption: str, drawing: str, table: str = "") -> str:
    return f"<figure>{drawing}<figcaption>{escape(caption)}</figcaption></figure>{table}"


def _examples(report: Measured, watch: Watch) -> str:
    """Return the list of the matches to watch."""
    rows = [
        f'<tr><th scope="row">{escape(cell_in_words(report, key))}</th><td>{escape(_(EXAMPLES[example.kind]))}</td>'
        f"<td>{grouped(example.number)}</td><td><code>{escape(example.seed)}</code></td><td>{watch(key, example)}</td></tr>"
        for key, found in report.examples.items()
        for example in found
    ]
    heads = (_("matches"), _("why"), _("number"), _("seed"), _("match"))
    columns = "".join(f'<th scope="col">{escape(head)}</th>' for head in heads)
    table = _region(_("Matches to watch"), f"<table><thead><tr>{columns}</tr></thead><tbody>{''.join(rows)}</tbody></table>")
    title = f'<h2 id="report-examples-title">{escape(_("Matches to watch"))}</h2>'
    opening = '<section id="report-examples" class="examples" aria-labelledby="report-examples-title">'
    return f"{opening}{title}{table}</section>"


def _folded(summary: str, what: str, *, is_open: bool = False) -> str:
    """Return something that opens with a click."""
    return f"<details{' open' if is_open else ''}><summary>{escape(summary)}</summary>{what}</details>"


def _wide(label: str, table: Table) -> str:
    """Return a table, of a long one the first rows in full and the others behind a click."""
    if len(table.rows) <= MOST_ROWS + 2:
        return _region(label, table.to_html())
    first, others = replace(table, rows=table.rows[:MOST_ROWS]), replace(table, rows=table.rows[MOST_ROWS:])
    more = _("the other {count}").format(count=len(others.rows))
    return _region(label, first.to_html()) + _folded(more, _region(f"{label}, {more}", others.to_html()))


def _region(label: str, table: str) -> str:
    """Return a table that scrolls where it is wider than the page."""
    name = escape(_("Table: {question}").format(question=label))
    return f'<div class="wide" role="region" tabindex="0" aria-label="{name}">{table}</div>'
