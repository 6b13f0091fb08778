"""A balance report in words: names of figures, values with their intervals, and tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace

from meadhall.engine.changes import changes
from meadhall.engine.checks import seed_label
from meadhall.engine.report_terms import PieceKind
from meadhall.engine.text.display import Table
from meadhall.engine.text.language import decimal, gettext as _, grouped, marked, ngettext, percent
from meadhall.lab.balance.definitions import DEFINITIONS, GROUPS
from meadhall.lab.balance.figures import MEDIAN, Figure, surprise, usual_of
from meadhall.lab.balance.measured import Key, Measured
from meadhall.lab.entrants import action_kinds

ENDINGS = {
    "time": marked("The time limit ended the report before everything was measured."),
    "interrupted": marked("The report was stopped before everything was measured."),
}

ROUNDED = 0.02
"""The width of an interval of shares from which on they are told in whole percents."""

MARKS = {"low": "\N{NO-BREAK SPACE}\N{DOWNWARDS ARROW}", "high": "\N{NO-BREAK SPACE}\N{UPWARDS ARROW}", "": ""}
"""The marks of flagged figures."""


def kind_of(report: Measured, figure: Figure) -> PieceKind | None:
    """Return the kind of piece that a figure is about, if it is about one."""
    if figure.about.group != "pieces" and figure.family != "dealt":
        return None  # and none, too, of a report that was made with another version of the game
    return next((kind for kind in report.subject.elements.pieces if kind.name == figure.item.partition(".")[0]), None)


def short_item(report: Measured, figure: Figure) -> str:
    """Return what a figure is about within its family: a place, an action, a piece by its name alone."""
    item, kind = figure.item, kind_of(report, figure)
    if figure.about.group == "actions":
        return next((_(kind.text) for kind in action_kinds(report.subject) if kind.name == item), item)
    if kind is not None:
        number = item.partition(".")[2]
        return kind.word(next(iter(report.variants.values())), int(number)) if kind.word else f"{_(kind.text)} {number}"
    if figure.family == "uncertainty_at":
        return percent(int(item.partition(".")[0]) / 10, 0)
    name, _sign, number = item.rpartition("." if figure.family == "own" else "@")
    if name and figure.family in ("ladder", "solved"):
        return _("a search of {count} steps").format(count=grouped(int(number)))
    if name and figure.family == "own":
        return _("{name}, player {number}").format(name=name, number=number)
    return item


def item_in_words(report: Measured, figure: Figure) -> str:
    """Return the same with the kind of a piece."""
    kind, item = kind_of(report, figure), short_item(report, figure)
    return item if kind is None or kind.word is None else f"{_(kind.text)}: {item}"


def name_in_words(report: Measured, figure: Figure) -> str:
    """Return the name of a figure in the current language."""
    if figure.item == MEDIAN:
        return _("{figure}, median").format(figure=_(figure.about.name))
    if figure.name == "place":
        return _("best place")
    return _(figure.about.name).format(item=item_in_words(report, figure))


def number_in_words(figure: Figure, value: float, *, signed: bool = False) -> str:
    """Return a value of a figure with its unit."""
    if figure.item == MEDIAN and figure.about.unit != "share":
        return decimal(value, 1, exactly=False)
    sign = "+" if signed and value > 0 else ""
    if figure.about.unit == "share":
        return sign + percent(value)
    if figure.about.unit == "fair shares":
        return sign + decimal(value, 2)
    return sign + decimal(value, 1 if abs(value) >= 10 else 2)


def value_in_words(figure: Figure, *, signed: bool = False) -> str:
    """Return a figure with its interval, in the digits that this allows; alone if the interval is narrower than a digit."""
    is_share = figure.about.unit == "share"
    values = [min(each, 1.0) if is_share else each for each in (figure.value, figure.low, figure.high)]
    if figure.most is not None and not signed:
        values = [max(each, 0.0) for each in values]
    if is_share and values[2] - values[1] > ROUNDED:
        value, low, top = ("+" * (signed and each > 0) + percent(round(each, 2) or 0.0, 0) for each in values)
    else:
        value, low, top = (number_in_words(figure, each, signed=signed) for each in values)
    said = value if low == top else _("{value} ({low} to {high})").format(value=value, low=low, high=top)
    is_most = figure.is_at_ceiling and figure.about.unit == "fair shares"
    return _("{value}, nearly the most possible").format(value=said) if is_most else said


def figure_in_words(figure: Figure, *, signed: bool = False) -> str:
    """Return the same with a mark if the figure is flagged."""
    return value_in_words(figure, signed=signed) + MARKS[figure.warning]


def short_figure(figure: Figure) -> str:
    """Return a figure with half the width of its interval, for a terminal."""
    half = number_in_words(figure, (figure.high - figure.low) / 2)
    return f"{number_in_words(figure, figure.value)} \N{PLUS-MINUS SIGN}{half}{MARKS[figure.warning]}"


def players_in_words(key: Key) -> str:
    """Return the number of players of a cell."""
    return ngettext("{count} player", "{count} players", key[1]).format(count=key[1])


def cell_in_words(report: Measured, key: Key) -> str:
    """Return a short name of a cell: only what differs between the cells of the report, at least the number of players."""
    parts = [players_in_words(key)] if len(report.players) > 1 else []
    if len(report.variants) > 1:
        parts.append(key[0])
    if len(report.bots) > 1:
        parts.append(key[2])
    return ", ".join(parts) or players_in_words(key)


def names_of(group: str, by_cell: Mapping[Key, dict[str, Figure]]) -> list[str]:
    """Return the names of the figures that the table of a question shows: all but curves and pieces."""
    order = list(DEFINITIONS)
    names = dict.fromkeys(
        name
        for figures in by_cell.values()
        for name, figure in figures.items()
        if figure.about.group == group and figure.family not in ("legal_at", "uncertainty_at") and name != "place"
    )
    return sorted(names, key=lambda name: order.index(name.partition(".")[0]))


def table_of(
    report: Measured, names: Iterable[str], by_cell: Mapping[Key, dict[str, Figure]], in_words: Callable[[Figure], str]
) -> Table:
    """Return the table of these figures, a row for each and a column for each cell, empty where a figure is absent."""
    rows = []
    for name in names:
        present = [figures.get(name) for figures in by_cell.values()]
        label = name_in_words(report, next(figure for figure in present if figure is not None))
        rows.append((label, *("" if figure is None else in_words(figure) for figure in present)))
    return Table((_("figure"), *(cell_in_words(report, key) for key in by_cell)), tuple(rows), numbers=True)


def piece_tables(report: Measured, key: Key) -> Iterator[Table]:
    """Yield a table for each kind of piece of a cell: the pieces that are never acquired first, then by surprise."""
    figures = report.figures[key]
    for kind in report.subject.elements.pieces:
        pieces: dict[str, dict[str, Figure]] = {}
        for figure in figures.values():
            if figure.about.group == "pieces" and kind_of(report, figure) is kind:
                pieces.setdefault(figure.item, {})[figure.family] = figure
        order = sorted(pieces.values(), key=lambda piece: _rank(piece, figures))
        families = [family for family in DEFINITIONS if any(family in piece and piece[family].value for piece in order)]
        heads = (_(kind.text), *(head_of(family) for family in families))
        rows = tuple(
            (
                short_item(report, next(iter(piece.values()))),
                *(short_figure(piece[family]) if family in piece else "" for family in families),
            )
            for piece in order
        )
        if rows:
            yield Table(heads, rows, numbers=True)


def _rank(piece: Mapping[str, Figure], figures: Mapping[str, Figure]) -> tuple[bool, float]:
    never = "acquired" in piece and piece["acquired"].value == 0
    return not never, -max(surprise(figure, usual_of(figure, figures)) for figure in piece.values())


def head_of(family: str) -> str:
    """Return the name of a family without its items."""
    about = DEFINITIONS[family]
    return _(about.name).format(item="").strip(" :") or _(GROUPS[about.group])


def how_measured(report: Measured) -> str:
    """Return how the report was measured, in a sentence or two."""
    said = _("{games} matches of {bots}; 95 % intervals; seed {seed}; {seconds} s.").format(
        games=grouped(sum(cell.games for cell in report.cells)),
        bots=", ".join(report.bots),
        seed=seed_label(report.seed),
        seconds=decimal(report.seconds, 0),
    )
    return f"{said} {_(ENDINGS[report.ended])}" if report.ended in ENDINGS else said


def changes_in_words(report: Measured) -> dict[str, list[str]]:
    """Return for each variant how its options differ from the usual ones, in sentences."""
    found = {}
    for name in report.variants:
        subject, options = report.played(name)
        other = [] if subject.name == report.game else [_("Another game: {title}").format(title=subject.title)]
        found[name] = [*other, *map(str, changes(subject, options))]
    return {name: sentences for name, sentences in found.items() if sentences}


def parts(report: Measured, headlines: Iterable[str]) -> Iterator[str | Table]:
    """Yield the parts of the report for a terminal or a notebook: the headlines, the changes, and tables of all figures."""
    yield _("{game}: balance report").format(game=report.subject.title)
    yield "\n".join(f"- {line}" for line in headlines)
    for variant, sentences in changes_in_words(report).items():
        yield "\n".join([f"{variant}:", *(f"  {sentence}" for sentence in sentences)])
    rows: list[tuple[str, ...]] = []
    for group, question in GROUPS.items():
        if group != "pieces" and (names := names_of(group, report.figures)):
            table = table_of(report, names, report.figures, short_figure)
            rows += [(_(question).upper(), *[""] * len(report.cells)), *table.rows]
    yield replace(table_of(report, (), report.figures, short_figure), rows=tuple(rows))
    for key in report.figures:
        for table in piece_tables(report, key):
            yield replace(table, title=cell_in_words(report, key))
    yield how_measured(report)
