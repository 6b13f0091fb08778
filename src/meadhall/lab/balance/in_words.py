"""A balance report in words: names of figures, values with their intervals, and a table for each question."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from meadhall.engine.text.display import Table
from meadhall.engine.text.language import decimal, grouped, marked, ngettext, percent
from meadhall.engine.text.language import gettext as _
from meadhall.lab.balance.examples import KINDS
from meadhall.lab.balance.figures import GROUPS, QUANTILES, Figure
from meadhall.lab.balance.result import Balance, Key
from meadhall.lab.kinds import action_kinds
from meadhall.lab.tables import seed_in_words, stopped_in_words

NAMES: Mapping[str, str] = {
    "place": marked("place {item}"),
    "shared": marked("shared wins"),
    "won": marked("won together"),
    "dealt": marked("dealt: {item}"),
    "decisions": marked("decisions"),
    "stopped": marked("stopped matches"),
    "turns": marked("turns"),
    "rounds": marked("rounds"),
    "waiting": marked("waiting"),
    "longest_wait": marked("longest wait"),
    "dead": marked("watching after dropping out"),
    "first_out": marked("first player out"),
    "forced": marked("forced decisions"),
    "legal": marked("legal actions"),
    "legal_at": marked("legal actions in part {item}"),
    "effective": marked("effective choices"),
    "stakes": marked("stakes"),
    "agency": marked("among random players"),
    "ladder": marked("twice the search"),
    "luck": marked("decided by the deal"),
    "deal_entropy": marked("entropy of a deal"),
    "deal_best": marked("luckiest seat of a deal"),
    "offered": marked("offered: {item}"),
    "chosen": marked("chosen: {item}"),
    "loss": marked("loss: {item}"),
    "without": marked("without: {item}"),
    "shown": marked("shown: {item}"),
    "acquired": marked("acquired: {item}"),
    "used": marked("used: {item}"),
    "owner": marked("owner of {item}"),
    "worth": marked("worth of {item}"),
    "winner_lowest": marked("winner's lowest chance"),
    "comeback": marked("comebacks"),
    "lead_changes": marked("lead changes"),
    "decided": marked("decided after"),
    "runaway": marked("leader at half time wins"),
    "uncertainty_at": marked("open after {item}"),
    "kingmaking": marked("kingmaking"),
    "attacks": marked("attacks"),
    "revenge": marked("revenge"),
    "at_leader": marked("attacks on the leader"),
    "at_leader_fair": marked("the same with random targets"),
    "points": marked("points"),
    "winner_points": marked("winner's points"),
    "margin": marked("margin"),
    "points_at": marked("points of place {item}"),
}

ENDINGS = {
    "time": marked("The time limit ended the report before everything was measured."),
    "interrupted": marked("The report was stopped before everything was measured."),
}

_QUANTILES = {"p5": marked("5th percentile"), "median": marked("median"), "p95": marked("95th percentile")}

EDGES = (".p5", ".p95")
"""The quantiles that a terminal has no room for."""

_ENDS = 4
"""How many of the largest and of the smallest values of a long list a table for people shows; frames and JSON have all."""


def item_in_words(report: Balance, figure: Figure) -> str:
    """Return what a figure is about within its family: a place, an action, a piece."""
    item = figure.item
    subject = report.subject
    if figure.about.group == "actions":
        return next((_(kind.text) for kind in action_kinds(subject) if kind.name == item), item)
    if figure.about.group == "pieces" or figure.family == "dealt":
        name, _dot, number = item.partition(".")
        kind = next(kind for kind in subject.elements.pieces if kind.name == name)
        options = next(iter(report.variants.values()))
        word = kind.word(options, int(number)) if kind.word else number
        return f"{_(kind.text)}: {word}" if kind.word else f"{_(kind.text)} {word}"
    if figure.family == "uncertainty_at":
        return percent(int(item.partition(".")[0]) / 10, 0)
    return item


def name_in_words(report: Balance, figure: Figure) -> str:
    """Return the name of a figure in the current language."""
    last = figure.name.rpartition(".")[2]
    if last in QUANTILES:
        base = Figure(figure.name.rpartition(".")[0], 0, 0, 0, 0)
        return f"{name_in_words(report, base)}, {_(_QUANTILES[last])}"
    if figure.name == "place":
        return _("best place")
    return _(NAMES[figure.family]).format(item=item_in_words(report, figure))


def number_in_words(figure: Figure, value: float, *, signed: bool = False) -> str:
    """Return a value of a figure with its unit."""
    sign = "+" if signed and value > 0 else ""
    if figure.about.unit == "share":
        return sign + percent(value)
    if figure.about.unit == "fair shares":
        return sign + decimal(value, 2)
    return sign + decimal(value, 1 if abs(value) >= 10 else 2)


def figure_in_words(figure: Figure, *, signed: bool = False) -> str:
    """Return a figure with its interval, and a mark if it is flagged."""
    value, low, high = (number_in_words(figure, number, signed=signed) for number in (figure.value, figure.low, figure.high))
    mark = {"low": " \N{DOWNWARDS ARROW}", "high": " \N{UPWARDS ARROW}", "": ""}[figure.warning]
    return _("{value} ({low} to {high})").format(value=value, low=low, high=high) + mark


def _short(figure: Figure, *, signed: bool = False) -> str:
    """Return a figure with half the width of its interval, for a terminal."""
    half = Figure(figure.name, (figure.high - figure.low) / 2, 0, 0, 0)
    mark = {"low": "\N{DOWNWARDS ARROW}", "high": "\N{UPWARDS ARROW}", "": ""}[figure.warning]
    value = number_in_words(figure, figure.value, signed=signed)
    return f"{value} \N{PLUS-MINUS SIGN}{number_in_words(half, half.value)}{mark}"


def cell_in_words(report: Balance, key: Key) -> str:
    """Return a short name of a cell: only what differs between the cells of the report."""
    parts = [ngettext("{count} player", "{count} players", key[1]).format(count=key[1])]
    if len(report.variants) > 1:
        parts.append(key[0])
    if len(report.bots) > 1:
        parts.append(str(key[2:][0] if len(key) > 2 else ""))
    return ", ".join(parts)


def shown(group: str, by_cell: Mapping[Key, dict[str, Figure]]) -> list[str]:
    """Return the names of the figures of a question that a table shows; of a long list the flagged ones and both ends."""
    found = []
    for names in _lists(group, by_cell).values():
        flags = {name for figures in by_cell.values() for name in names if name in figures and figures[name].warning}
        size = {name: max(figures[name].value for figures in by_cell.values() if name in figures) for name in names}
        ordered = sorted(names, key=lambda name: size[name])
        chosen = {*flags, *ordered[:_ENDS], *ordered[-_ENDS:]}
        found += [name for name in names if name in chosen]
    return found


def _lists(group: str, by_cell: Mapping[Key, dict[str, Figure]]) -> dict[str, list[str]]:
    """Return the names of the figures of a question by families, those of pieces also by their kinds."""
    names: dict[str, list[str]] = {}
    for figures in by_cell.values():
        for name, figure in figures.items():
            if figure.about.group == group and figure.family not in ("legal_at", "uncertainty_at") and name != "place":
                alike = names.setdefault(name.rpartition(".")[0] or name, [])
                if name not in alike:
                    alike.append(name)
    return names


def table_of(
    report: Balance, group: str, by_cell: Mapping[Key, dict[str, Figure]], *, signed: bool = False, short: bool = False
) -> Table | None:
    """Return the table of a question, a row for each figure and a column for each cell; None if there is nothing.

    ``short``: with half the widths of the intervals instead of their ends, for a terminal.
    """
    names = [name for name in shown(group, by_cell) if not (short and name.endswith(EDGES))]
    if not names:
        return None
    words = _short if short else figure_in_words
    rows = []
    for name in names:
        present = [figures.get(name) for figures in by_cell.values()]
        label = name_in_words(report, next(figure for figure in present if figure is not None))
        rows.append((label, *("" if figure is None else words(figure, signed=signed) for figure in present)))
    heads = (_("figure"), *(_short_cell(report, key) if short else cell_in_words(report, key) for key in by_cell))
    left = sum(map(len, _lists(group, by_cell).values())) - len(shown(group, by_cell))
    note = _(
        "Of each long list its {count} largest and {count} smallest values and all with an arrow; JSON has the other {left}."
    )
    title = _(GROUPS[group]) + (" " + note.format(count=_ENDS, left=left) if left else "")
    return Table(heads, tuple(rows), title, numbers=True)


def _short_cell(report: Balance, key: Key) -> str:
    """Return the number of players, and the variant and the bot if there are several."""
    parts = [str(key[1]), *([key[0]] if len(report.variants) > 1 else []), *([key[2]] if len(report.bots) > 1 else [])]
    return " ".join(parts)


def how_measured(report: Balance) -> str:
    """Return how the report was measured, in a sentence or two."""
    said = _("{games} matches of {bots}; 95 % intervals; seed {seed}; {seconds} s.").format(
        games=grouped(sum(report.games.values())),
        bots=", ".join(report.bots),
        seed=seed_in_words(report.seed),
        seconds=decimal(report.seconds, 0),
    )
    stopped = sum(report.stopped.values())
    notes = [_(ENDINGS[report.ended])] if report.ended in ENDINGS else []
    return " ".join([said, *([stopped_in_words(stopped, report.limit)] if stopped else []), *notes])


def example_in_words(example: Any) -> str:
    """Return why a match is worth watching."""
    return _(KINDS[example.kind])


def parts(report: Balance) -> Iterator[str | Table]:
    """Yield the parts of the report for a terminal, a notebook or Markdown."""
    yield _("{game}: balance report").format(game=report.subject.title)
    yield "\n".join(f"- {line}" for line in report.headlines)
    for group in GROUPS:
        table = table_of(report, group, report.figures, short=len(report.figures) > 2)
        if table is not None:
            yield table
    for group in GROUPS:
        table = table_of(report, group, report.differences, signed=True, short=True) if report.differences else None
        if table is not None:
            base = next(iter(report.variants))
            title = _("Less {variant}: {question}").format(variant=base, question=table.title)
            yield Table(table.heads, table.rows, title, numbers=True)
    rows = tuple(
        (cell_in_words(report, key), example_in_words(example), grouped(example.number), example.seed)
        for key, found in report.examples.items()
        for example in found
    )
    if rows:
        yield Table((_("matches"), _("why"), _("number"), _("seed")), rows, _("Matches to watch"))
    yield how_measured(report)
