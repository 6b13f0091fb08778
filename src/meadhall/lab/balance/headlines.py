"""Headlines: the remarkable figures of a report, in sentences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from meadhall.engine.text.language import decimal, listed, ngettext, percent
from meadhall.engine.text.language import gettext as _
from meadhall.lab.balance.figures import DEFINITIONS, Figure
from meadhall.lab.balance.in_words import (
    cell_in_words,
    figure_in_words,
    item_in_words,
    name_in_words,
    number_in_words,
)
from meadhall.lab.balance.result import Balance, Key
from meadhall.lab.tables import unknown_order

MOST_DIFFERENCES = 4
MOST_ITEMS = 5
COMMON = 0.1
"""The part of the matches from which on comebacks are worth a headline."""


def headlines(report: Balance) -> Iterator[str]:
    """Yield the sentences, those on fairness first."""
    yield from _of_places(report)
    yield from _of_length(report)
    for key, figures in report.figures.items():
        yield from _of_cell(report, key, figures)
    yield from _of_items(report)
    yield from _of_differences(report)
    yield from _of_levels(report)


def _with(report: Balance, key: Key) -> str:
    return cell_in_words(report, key)


def _of_places(report: Balance) -> Iterator[str]:
    fair = []
    low, high = DEFINITIONS["place"].tolerance or (1.0, 1.0)
    if note := unknown_order(report.subject):
        yield note
    for key, figures in report.figures.items():
        places = [figure for figure in figures.values() if figure.family == "place" and figure.item]
        if not places:
            continue
        best, worst = max(places, key=lambda each: each.value), min(places, key=lambda each: each.value)
        if best.warning == "high":
            said = _(
                "{cell}: place {place} in the first order wins {value} fair shares ({low} to {high}), place {other} {least}."
            )
            yield said.format(
                cell=_with(report, key),
                place=best.item,
                value=decimal(best.value, 2),
                low=decimal(best.low, 2),
                high=decimal(best.high, 2),
                other=worst.item,
                least=decimal(worst.value, 2),
            )
        elif all(low <= each.low and each.high <= high for each in places):
            fair.append(_with(report, key))
    if fair:
        yield _("No place in the first order is better than another beyond the tolerance of 10 %: {list}.").format(
            list="; ".join(fair)
        )


def _of_length(report: Balance) -> Iterator[str]:
    told = report.subject.elements.turn is not None
    text = _("Half of the matches last at most so many turns: {list}.")
    if not told:
        text = _("Half of the matches last at most so many decisions: {list}.")
    found = []
    for key, figures in report.figures.items():
        median = figures.get("turns.median" if told else "decisions.median")
        if median is not None:  # else every match was stopped, or the time was up before
            found.append(_("{turns} with {cell}").format(turns=decimal(median.value, 1, exactly=False), cell=_with(report, key)))
    if found:
        yield text.format(list="; ".join(found))


def _of_cell(report: Balance, key: Key, figures: Mapping[str, Figure]) -> Iterator[str]:
    texts = {
        "shared": _("{cell}: {value} of the matches have several winners."),
        "dead": _("{cell}: a player who drops out watches {value} of the match."),
        "forced": _("{cell}: {value} of the decisions leave no choice."),
        "agency": _("{cell}: this bot wins only {value} fair shares among random players: skill decides little."),
        "runaway": _("{cell}: who leads at half time wins {value} of the matches."),
        "kingmaking": _("{cell}: {value} of the decisions are made by players without a chance and decide for others."),
    }
    won = figures.get("won")
    if won is not None:
        yield _("{cell}: the players win {value} of the matches together.").format(
            cell=_with(report, key), value=percent(won.value)
        )
    for name, text in texts.items():
        figure = figures.get(name)
        if figure is not None and figure.warning:
            yield text.format(cell=_with(report, key), value=number_in_words(figure, figure.value))
    comeback = figures.get("comeback")
    if comeback is not None and comeback.low > COMMON:
        yield _("{cell}: in {value} of the matches the winner once had a chance under 10 %.").format(
            cell=_with(report, key), value=percent(comeback.value, 0)
        )


def _of_items(report: Balance) -> Iterator[str]:
    texts = (
        ("chosen", "low", _("Hardly ever chosen where offered: {items}.")),
        ("chosen", "high", _("Always chosen where offered: {items}.")),
        ("acquired", "low", _("Hardly ever acquired: {items}.")),
        ("worth", "high", _("Worth more than 10 points of chance: {items}.")),
        ("worth", "low", _("Costs its owner more than 5 points of chance: {items}.")),
        ("dealt", "high", _("Start pieces that win too much: {items}.")),
        ("dealt", "low", _("Start pieces that win too little: {items}.")),
    )
    for family, warning, text in texts:
        names = [
            item if len(cells) == count else f"{item} ({'; '.join(cells)})"
            for item, cells, count in _flagged_items(report, family, warning)
        ]
        if names:
            left = len(names) - MOST_ITEMS
            rest = [ngettext("and {count} other", "and {count} others", left).format(count=left)] if left > 0 else []
            yield text.format(items=", ".join([*names[:MOST_ITEMS], *rest]))


def _flagged_items(report: Balance, family: str, warning: str) -> Iterator[tuple[str, list[str], int]]:
    """Yield the flagged items of a family, each with the cells that flag it and the number of cells that have it."""
    cells: dict[str, list[str]] = {}
    counts: Counter[str] = Counter()
    items: dict[str, Figure] = {}
    for key, figures in report.figures.items():
        for name, figure in figures.items():
            if figure.family == family and figure.item:
                counts[name] += 1
                if figure.warning == warning:
                    items[name] = figure
                    cells.setdefault(name, []).append(_with(report, key))
    for name, figure in items.items():
        yield item_in_words(report, figure), cells[name], counts[name]


def _of_differences(report: Balance) -> Iterator[str]:
    base = next(iter(report.variants))
    families = ("place", "won", "turns", "decisions", "waiting", "dead", "forced", "points", "shared", "comeback", "decided")
    for key, figures in report.differences.items():
        found = [
            f"{name_in_words(report, figure)} {figure_in_words(figure, signed=True)[:-2]}"
            for figure in figures.values()
            if figure.warning and figure.family in families
        ]
        if found:
            yield _("{cell} differs from {base}: {list}.").format(
                cell=_with(report, key), base=base, list="; ".join(found[:MOST_DIFFERENCES])
            )
        else:
            yield _("{cell}: no difference from {base} beyond chance.").format(cell=_with(report, key), base=base)


def _of_levels(report: Balance) -> Iterator[str]:
    """Yield which advantages of a place change their sign with the level of the bots."""
    if len(report.bots) < 2:
        return
    for variant in report.variants:
        for players in report.players:
            levels = [report.figures.get((variant, players, bot), {}) for bot in report.bots]
            names = [name for name in levels[0] if name.startswith("place.")]
            turned = [
                name.partition(".")[2]
                for name in names
                if any(figures[name].low > 1 for figures in levels if name in figures)
                and any(figures[name].high < 1 for figures in levels if name in figures)
            ]
            if turned:
                said = _("{count} players: whether place {places} is an advantage depends on the level of the bots.")
                yield said.format(count=players, places=listed(turned))
