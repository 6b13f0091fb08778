"""A balance report in words: names of figures, values with their intervals, tables, and the headlines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping

from meadhall.engine.changes import changes
from meadhall.engine.text.display import Table
from meadhall.engine.text.language import decimal, grouped, listed, marked, ngettext, percent
from meadhall.engine.text.language import gettext as _
from meadhall.lab.balance.definitions import DEFINITIONS, GROUPS
from meadhall.lab.balance.figures import MEDIAN, Figure
from meadhall.lab.balance.measured import Key, Measured
from meadhall.lab.entrants import action_kinds
from meadhall.lab.words import seed_in_words, stopped_in_words, unknown_order

ENDINGS = {
    "time": marked("The time limit ended the report before everything was measured."),
    "interrupted": marked("The report was stopped before everything was measured."),
}

_ENDS = 4
"""How many of the largest and of the smallest values of a long list a table for people shows; frames and JSON have all."""
MOST_DIFFERENCES = 4
MOST_ITEMS = 5
COMMON = 0.1
"""The part of the matches from which on comebacks are worth a headline."""


def item_in_words(report: Measured, figure: Figure) -> str:
    """Return what a figure is about within its family: a place, an action, a piece."""
    item = figure.item
    subject = report.subject
    if figure.about.group == "actions":
        return next((_(kind.text) for kind in action_kinds(subject) if kind.name == item), item)
    if figure.about.group == "pieces" or figure.family == "dealt":
        name, _dot, number = item.partition(".")
        kind = next((kind for kind in subject.elements.pieces if kind.name == name), None)
        if kind is None:  # of a report that was made with another version of the game
            return item
        options = next(iter(report.variants.values()))
        word = kind.word(options, int(number)) if kind.word else number
        return f"{_(kind.text)}: {word}" if kind.word else f"{_(kind.text)} {word}"
    if figure.family == "uncertainty_at":
        return percent(int(item.partition(".")[0]) / 10, 0)
    return item


def name_in_words(report: Measured, figure: Figure) -> str:
    """Return the name of a figure in the current language."""
    if figure.item == MEDIAN:
        return _("{figure}, median").format(figure=_(figure.about.name))
    if figure.name == "place":
        return _("best place")
    return _(figure.about.name).format(item=item_in_words(report, figure))


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


def short_figure(figure: Figure) -> str:
    """Return a figure with half the width of its interval, for a terminal."""
    mark = {"low": "\N{DOWNWARDS ARROW}", "high": "\N{UPWARDS ARROW}", "": ""}[figure.warning]
    half = number_in_words(figure, (figure.high - figure.low) / 2)
    return f"{number_in_words(figure, figure.value)} \N{PLUS-MINUS SIGN}{half}{mark}"


def cell_in_words(report: Measured, key: Key) -> str:
    """Return a short name of a cell: only what differs between the cells of the report."""
    parts = [ngettext("{count} player", "{count} players", key[1]).format(count=key[1])]
    if len(report.variants) > 1:
        parts.append(key[0])
    if len(report.bots) > 1:
        parts.append(key[2])
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


def table_of(report: Measured, group: str, by_cell: Mapping[Key, dict[str, Figure]], *, signed: bool = False) -> Table | None:
    """Return the table of a question, a row for each figure and a column for each cell; None if there is nothing."""
    names = shown(group, by_cell)
    if not names:
        return None
    rows = rows_of(report, names, by_cell, lambda figure: figure_in_words(figure, signed=signed))
    heads = (_("figure"), *(cell_in_words(report, key) for key in by_cell))
    left = sum(map(len, _lists(group, by_cell).values())) - len(names)
    note = _(
        "Of each long list its {count} largest and {count} smallest values and all with an arrow; JSON has the other {left}."
    )
    title = _(GROUPS[group]) + (" " + note.format(count=_ENDS, left=left) if left else "")
    return Table(heads, tuple(rows), title, numbers=True)


def rows_of(
    report: Measured, names: Iterable[str], by_cell: Mapping[Key, dict[str, Figure]], in_words: Callable[[Figure], str]
) -> Iterator[tuple[str, ...]]:
    """Yield the row of each figure: its name, and its value in each cell, empty where it is absent."""
    for name in names:
        present = [figures.get(name) for figures in by_cell.values()]
        label = name_in_words(report, next(figure for figure in present if figure is not None))
        yield (label, *("" if figure is None else in_words(figure) for figure in present))


def how_measured(report: Measured) -> str:
    """Return how the report was measured, in a sentence or two."""
    said = _("{games} matches of {bots}; 95 % intervals; seed {seed}; {seconds} s.").format(
        games=grouped(sum(cell.games for cell in report.cells)),
        bots=", ".join(report.bots),
        seed=seed_in_words(report.seed),
        seconds=decimal(report.seconds, 0),
    )
    notes = [_(ENDINGS[report.ended])] if report.ended in ENDINGS else []
    return " ".join([said, *([stopped_in_words(report.stopped, report.limit)] if report.stopped else []), *notes])


def changes_in_words(report: Measured) -> dict[str, list[str]]:
    """Return for each variant how its options differ from the usual ones, in sentences."""
    found = {}
    for name in report.variants:
        subject, options = report.played(name)
        other = [] if subject.name == report.game else [_("Another game: {title}").format(title=subject.title)]
        found[name] = [*other, *map(str, changes(subject, options))]
    return {name: sentences for name, sentences in found.items() if sentences}


def parts(report: Measured, headlines: Iterable[str]) -> Iterator[str | Table]:
    """Yield the parts of the report for a terminal or a notebook: the headlines, the changes, and a table of the figures."""
    yield _("{game}: balance report").format(game=report.subject.title)
    yield "\n".join(f"- {line}" for line in headlines)
    for variant, sentences in changes_in_words(report).items():
        yield "\n".join([f"{variant}:", *(f"  {sentence}" for sentence in sentences)])
    rows: list[tuple[str, ...]] = []
    for group, question in GROUPS.items():
        if names := shown(group, report.figures):
            rows += [(_(question).upper(), *[""] * len(report.cells)), *rows_of(report, names, report.figures, short_figure)]
    yield Table((_("figure"), *(cell_in_words(report, cell.key) for cell in report.cells)), tuple(rows), numbers=True)
    yield how_measured(report)


# ----------------------------------------------------------------------------------------------------------------- headlines


def headlines(report: Measured) -> Iterator[str]:
    """Yield the sentences, those on fairness first."""
    yield from _of_places(report)
    yield from _of_length(report)
    for key, figures in report.figures.items():
        yield from _of_cell(report, key, figures)
    yield from _of_items(report)
    yield from _of_differences(report)
    yield from _of_levels(report)


def _of_places(report: Measured) -> Iterator[str]:
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
                cell=cell_in_words(report, key),
                place=best.item,
                value=decimal(best.value, 2),
                low=decimal(best.low, 2),
                high=decimal(best.high, 2),
                other=worst.item,
                least=decimal(worst.value, 2),
            )
        elif all(low <= each.low and each.high <= high for each in places):
            fair.append(cell_in_words(report, key))
    if fair:
        yield _("No place in the first order is better than another beyond the tolerance of 10 %: {list}.").format(
            list="; ".join(fair)
        )


def _of_length(report: Measured) -> Iterator[str]:
    told = report.subject.elements.turn is not None
    text = _("Half of the matches last at most so many turns: {list}.")
    if not told:
        text = _("Half of the matches last at most so many decisions: {list}.")
    found = []
    for key, figures in report.figures.items():
        median = figures.get("turns.median" if told else "decisions.median")
        if median is not None:  # else every match was stopped, or the time was up before
            found.append(
                _("{turns} with {cell}").format(turns=decimal(median.value, 1, exactly=False), cell=cell_in_words(report, key))
            )
    if found:
        yield text.format(list="; ".join(found))


def _of_cell(report: Measured, key: Key, figures: Mapping[str, Figure]) -> Iterator[str]:
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
            cell=cell_in_words(report, key), value=percent(won.value)
        )
    for name, text in texts.items():
        figure = figures.get(name)
        if figure is not None and figure.warning:
            yield text.format(cell=cell_in_words(report, key), value=number_in_words(figure, figure.value))
    comeback = figures.get("comeback")
    if comeback is not None and comeback.low > COMMON:
        yield _("{cell}: in {value} of the matches the winner once had a chance under 10 %.").format(
            cell=cell_in_words(report, key), value=percent(comeback.value, 0)
        )


def _of_items(report: Measured) -> Iterator[str]:
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


def _flagged_items(report: Measured, family: str, warning: str) -> Iterator[tuple[str, list[str], int]]:
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
                    cells.setdefault(name, []).append(cell_in_words(report, key))
    for name, figure in items.items():
        yield item_in_words(report, figure), cells[name], counts[name]


def _of_differences(report: Measured) -> Iterator[str]:
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
                cell=cell_in_words(report, key), base=base, list="; ".join(found[:MOST_DIFFERENCES])
            )
        else:
            yield _("{cell}: no difference from {base} beyond chance.").format(cell=cell_in_words(report, key), base=base)


def _of_levels(report: Measured) -> Iterator[str]:
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
