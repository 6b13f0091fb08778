"""A balance report as one page of HTML: a headline, then each question with its charts, its table and its definitions."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from html import escape
from pathlib import Path
from string import Template
from typing import TypeAlias

from meadhall.engine.text.language import current_language, grouped
from meadhall.engine.text.language import gettext as _
from meadhall.lab.balance.charts import Bar, Curve, Point, curves, intervals, scatter
from meadhall.lab.balance.definitions import DEFINITIONS, GROUPS
from meadhall.lab.balance.figures import Figure
from meadhall.lab.balance.in_words import (
    cell_in_words,
    changes_in_words,
    headlines,
    how_measured,
    item_in_words,
    name_in_words,
    number_in_words,
    table_of,
)
from meadhall.lab.balance.measured import EXAMPLES, Example, Key, Measured
from meadhall.lab.balance.measures import PARTS
from meadhall.lab.words import seed_in_words

MOST_BARS = 40
MOST_CURVES = 8

Watch: TypeAlias = Callable[[Key, Example], str]
"""Returns the link to a match of a cell as HTML."""

STYLES = Path(__file__).parent / "static" / "report.css"
"""The rules of a report, for a page that holds one."""

FAMILIES = ("place", "dealt", "chosen", "without", "loss", "worth", "ladder", "agency", "at_leader")
"""The families of figures that have a chart of intervals."""


def page(report: Measured, records: Mapping[Key, Sequence[str]]) -> str:
    """Return the page in the current language. It needs no other file."""
    return Template(Path(__file__).with_name("page.html").read_text("utf-8")).substitute(
        language=current_language(),
        title=escape(_("{game}: balance report").format(game=report.subject.title)),
        styles=STYLES.read_text("utf-8"),
        fragment=fragment(report, linked(report, records)),
    )


def fragment(report: Measured, watch: Watch) -> str:
    """Return what the page says below its title, for an element of the class ``report`` and the rules of ``STYLES``."""
    questions = escape(_("Questions"))
    return "".join(
        (
            f'<ul class="headlines">{"".join(f"<li>{escape(line)}</li>" for line in headlines(report))}</ul>',
            *(_changes(variant, sentences) for variant, sentences in changes_in_words(report).items()),
            f'<nav aria-label="{questions}"><ul>{"".join(_contents(report))}</ul></nav>',
            *_sections(report),
            _examples(report, watch),
            *(f'<p class="quiet">{line}</p>' for line in _about(report)),
        )
    )


def _changes(variant: str, sentences: Sequence[str]) -> str:
    """Return how a variant differs from the usual way to play."""
    return f"<p><strong>{escape(variant)}:</strong> {'<br>'.join(map(escape, sentences))}</p>"


def linked(report: Measured, records: Mapping[Key, Sequence[str]]) -> Watch:
    """Return what makes the link of a match from its record, so that a page needs no other file."""
    found = {
        (key, each.number): record
        for key, examples in report.examples.items()
        for each, record in zip(examples, records[key], strict=True)
    }

    def link(key: Key, example: Example) -> str:
        name = f"{report.game}-{key[1]}-{example.number}.jsonl.gz"
        address = f"data:application/gzip;base64,{found[key, example.number]}"
        return f'<a download="{escape(name)}" href="{address}">{escape(name)}</a>'

    return link


def _about(report: Measured) -> Iterator[str]:
    yield escape(
        _(
            "An arrow marks a figure whose interval lies outside what is tolerated; of all marks on this page one in twenty "
            "is expected to be false (Benjamini and Hochberg)."
        )
    )
    yield escape(how_measured(report))
    again = _("The same report again:")
    yield f"{escape(again)} <code>{escape(_again(report))}</code>"


def _contents(report: Measured) -> Iterator[str]:
    for group, question in GROUPS.items():
        if table_of(report, group, report.figures) is not None:
            yield f'<li><a href="#report-{group}">{escape(_(question))}</a></li>'
    yield f'<li><a href="#report-examples">{escape(_("Matches to watch"))}</a></li>'


def _sections(report: Measured) -> Iterator[str]:
    meaning = _("What these figures mean")
    for group, question in GROUPS.items():
        table = table_of(report, group, report.figures)
        if table is None:
            continue
        gaps = table_of(report, group, report.differences, signed=True) if report.differences else None
        base = next(iter(report.variants))
        title = escape(_(question))
        yield f'<section id="report-{group}" aria-labelledby="report-{group}-title"><h2 id="report-{group}-title">{title}</h2>'
        yield from _charts(report, group)
        yield _wide(_(question), table.to_html())
        if gaps is not None:
            label = _("Difference from {variant}, by pairs of matches with the same deal").format(variant=base)
            yield f"<h3>{escape(label)}</h3>{_wide(f'{label}: {_(question)}', gaps.to_html())}"
        families = dict.fromkeys(figure.family for figures in report.figures.values() for figure in figures.values())
        terms = "".join(
            f"<dt>{escape(_term(report, family))}</dt><dd>{escape(_(DEFINITIONS[family].text))}</dd>"
            for family in families
            if DEFINITIONS[family].group == group
        )
        yield f"{_folded(meaning, f'<dl>{terms}</dl>')}</section>"


def _term(report: Measured, family: str) -> str:
    example = next(figure for figures in report.figures.values() for figure in figures.values() if figure.family == family)
    item = example.item
    name = name_in_words(report, example)
    return name if not item or family == "place" else name.replace(item_in_words(report, example), "…")


def _charts(report: Measured, group: str) -> Iterator[str]:
    """Yield the charts of a question."""
    cells = list(report.figures)
    for family in FAMILIES:
        if DEFINITIONS[family].group != group:
            continue
        figures = [
            (number, figure)
            for number, cell in enumerate(cells)
            for figure in report.figures[cell].values()
            if figure.family == family and (figure.item or family != "place")
        ]
        if figures and len(figures) <= MOST_BARS:
            bars = [_bar(report, number, figure, len(cells)) for number, figure in figures]
            middle = 1.0 if DEFINITIONS[family].unit == "fair shares" else 0.0 if family in ("worth", "loss") else None
            yield _figure(_(DEFINITIONS[family].text), intervals(_(DEFINITIONS[family].text), bars, middle))
    if group == "course":
        yield from _curves(report, "uncertainty_at", PARTS + 1)
    if group == "choice":
        yield from _curves(report, "legal_at", PARTS)
    if group == "pieces":
        yield from _worth(report)


def _bar(report: Measured, number: int, figure: Figure, cells: int) -> Bar:
    key = list(report.figures)[number]
    name = name_in_words(report, figure)
    label = f"{name} \N{MIDDLE DOT} {cell_in_words(report, key)}" if cells > 1 else name
    text = number_in_words(figure, figure.value)
    return Bar(label, figure.value, figure.low, figure.high, text, bool(figure.warning), number)


def _curves(report: Measured, family: str, parts: int) -> Iterator[str]:
    first = 0 if parts > PARTS else 1
    drawn = []
    for key, figures in report.figures.items():
        names = [f"{family}.{part}" for part in range(first, first + parts)]
        if all(name in figures for name in names):
            drawn.append(Curve(cell_in_words(report, key), [figures[name].value for name in names]))
    if drawn and len(drawn) <= MOST_CURVES:
        text = _(DEFINITIONS[family].text)
        rows = "".join(
            f'<tr><th scope="row">{escape(curve.name)}</th>{"".join(f"<td>{value:.2f}</td>" for value in curve.values)}</tr>'
            for curve in drawn
        )
        heads = "".join(f'<th scope="col">{100 * part // PARTS} %</th>' for part in range(first, first + parts))
        heads = f'<tr><th scope="col">{escape(_("part of the match"))}</th>{heads}</tr>'
        numbers = _wide(text, f"<table><thead>{heads}</thead><tbody>{rows}</tbody></table>")
        table = _folded(_("The numbers of this chart"), numbers)
        yield _figure(text, curves(text, drawn, _("part of the match")), table)


def _worth(report: Measured) -> Iterator[str]:
    """Yield what each piece is worth by how often it is acquired, of the first cell."""
    figures = next(iter(report.figures.values()))
    points = [
        Point(item_in_words(report, figure), figures[f"acquired.{figure.item}"].value, 100 * figure.value)
        for figure in figures.values()
        if figure.family == "worth" and f"acquired.{figure.item}" in figures
    ]
    if 1 < len(points) <= MOST_BARS:
        text = _("Worth of each piece by how often it is acquired")
        yield _figure(text, scatter(text, points, _("acquired in a match"), _("points of chance")))


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
    heads = "".join(
        f'<th scope="col">{escape(head)}</th>' for head in (_("matches"), _("why"), _("number"), _("seed"), _("match"))
    )
    how = escape(_("Show a record with “meadhall replay FILE”, its chances with “meadhall analyse FILE”."))
    table = _wide(_("Matches to watch"), f"<table><thead><tr>{heads}</tr></thead><tbody>{''.join(rows)}</tbody></table>")
    title = f'<h2 id="report-examples-title">{escape(_("Matches to watch"))}</h2>'
    opening = '<section id="report-examples" class="examples" aria-labelledby="report-examples-title">'
    return f"{opening}{title}<p>{how}</p>{table}</section>"


def _folded(summary: str, what: str) -> str:
    """Return something that opens with a click."""
    return f"<details><summary>{escape(summary)}</summary>{what}</details>"


def _wide(label: str, table: str) -> str:
    """Return a table that scrolls where it is wider than the page."""
    name = escape(_("Table: {question}").format(question=label))
    return f'<div class="wide" role="region" tabindex="0" aria-label="{name}">{table}</div>'


def _again(report: Measured) -> str:
    """Return the command that makes the report again, as far as a command can say it."""
    players, bots, seed = ",".join(map(str, report.players)), ",".join(report.bots), seed_in_words(report.seed)
    return shlex.join(["meadhall", "balance", report.game, "--players", players, "--bots", bots, "--seed", seed])
