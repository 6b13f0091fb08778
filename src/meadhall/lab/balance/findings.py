"""Findings: what a report says in sentences, the most surprising first.

The surprise of a figure is how far it lies beyond what is usual (its tolerance, an equal share, or the median of like figures),
less three standard errors, in steps of the scale of its family. So a wide interval surprises little, and 0 is what chance gives.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf, isclose
from typing import NamedTuple

from meadhall.engine.text.language import gettext as _, listed, ngettext, percent
from meadhall.lab.balance.definitions import DEFINITIONS
from meadhall.lab.balance.figures import Figure, surprise, usual_of
from meadhall.lab.balance.in_words import (
    cell_in_words,
    item_in_words,
    kind_of,
    name_in_words,
    number_in_words,
    players_in_words,
    short_item,
    value_in_words,
)
from meadhall.lab.balance.measured import Key, Measured
from meadhall.lab.words import stopped_in_words, unknown_order

MOST_FINDINGS = 7
"""The number of sentences of the first screen."""
REMARKABLE = 0.5
"""The surprise from which on a piece is named beside its like, and a difference comes before everything else."""
VAGUE = 0.4
"""The width of an interval of a share from which on it tells nothing."""
MOST_ITEMS = 4
"""The number of pieces or actions that a sentence names."""


@dataclass(frozen=True)
class Finding:
    """A sentence with its reason.

    Attributes:
        text: the sentence, in the language of the report.
        key: the cell that it is about, or that says most about it.
        names: the names of its figures.
        surprise: its surprise; 0 for what a reader wants to know in any case, or for what isn't shown to hold.
        plain: whether a reader wants to know it in any case.
        difference: whether its figures are differences of variants.
    """

    text: str
    key: Key
    names: tuple[str, ...]
    surprise: float = 0.0
    plain: bool = False
    difference: bool = False


def findings(report: Measured) -> list[Finding]:
    """Return what limits all figures, then all findings, the most surprising first; differences of variants before others."""
    questions = (_differences, _without, _places, _together, _length, _skill, _by_family, _taken, _levels)
    found = [_of_the_only_cell(report, finding) for question in questions for finding in question(report)]
    notes = (unknown_order(report.subject), stopped_in_words(report.stopped, report.limit) if report.stopped else "")
    return [
        *(Finding(note, report.cells[0].key, (), inf, plain=True) for note in notes if note),
        *sorted(found, key=lambda each: (not (each.difference and each.surprise >= REMARKABLE), -each.surprise)),
    ]


def _of_the_only_cell(report: Measured, finding: Finding) -> Finding:
    """Return a finding without the name of its cell, if a report has one cell."""
    cell = f"{cell_in_words(report, finding.key)}: "
    if len(report.cells) > 1 or not finding.text.startswith(cell):
        return finding
    text = finding.text.removeprefix(cell)
    return replace(finding, text=text[:1].upper() + text[1:])


def first_screen(found: Sequence[Finding]) -> tuple[list[Finding], list[Finding]]:
    """Return the findings of the first screen, and the others. What a reader wants to know in any case is on the first."""
    plain = [each for each in found if each.plain][:MOST_FINDINGS]
    chosen = [*plain, *(each for each in found if not each.plain)][:MOST_FINDINGS]
    return [each for each in found if each in chosen], [each for each in found if each not in chosen]


# -------------------------------------------------------------------------------------------------------- what is always asked


def _places(report: Measured) -> Iterator[Finding]:
    """Yield the place with an advantage, or how large an advantage may be at most."""
    every = _odd(report, "place")
    places = [each for each in every if each.figure.item]
    if not places:
        return
    shown = [each for each in places if each.figure.warning or surprise(each.figure, (1, 1))]
    if shown:
        key = max(shown, key=lambda each: (each.surprise, abs(each.figure.value - 1))).key
        here = [each.figure for each in places if each.key == key]
        best, worst = (choose(here, key=lambda figure: figure.value) for choose in (max, min))
        text = _(
            "{cell}: place {place} in the order of the first turns wins {value} times an equal share, place {other} only {least}."
        )
        said = text.format(
            cell=cell_in_words(report, key),
            place=best.item,
            value=value_in_words(best),
            other=worst.item,
            least=value_in_words(worst),
        )
        yield Finding(
            said, key, tuple(f.name for f in here), max(each.surprise for each in places if each.key == key), plain=True
        )
        return
    low, high = DEFINITIONS["place"].tolerance or (1.0, 1.0)
    widest = max(places, key=lambda each: max(each.figure.high - 1, 1 - each.figure.low))
    most = max(widest.figure.high - 1, 1 - widest.figure.low)
    text = _("Every place in the order of the first turns is shown to win its equal share, within {most}.")
    if any(each.figure.low < low or each.figure.high > high for each in places):
        text = _(
            "No place in the order of the first turns is shown to be better or worse, but a place may win up to {most} more or "
            "less than an equal share ({cell})."
        )
    said = text.format(most=percent(most, 0), cell=cell_in_words(report, widest.key))
    yield Finding(said, widest.key, tuple(each.figure.name for each in places if each.key == widest.key), plain=True)


def _together(report: Measured) -> Iterator[Finding]:
    """Yield how often players win together, with what is known of the best players."""
    for bot in report.bots:
        won = {key: figures["won"] for key, figures in report.figures.items() if "won" in figures and key[2] == bot}
        if not won:
            continue
        said = _("Matches that {bot} wins together: {list}. Better players may win more.").format(
            bot=bot, list=_ends(report, won, _("{value} with {cell}"))
        )
        ceiling = report.subject.elements.ceiling
        bounds = {key: ceiling(report.variants[key[0]]) if ceiling else None for key in won}
        for key, bound in bounds.items():
            if bound is not None:
                at = "" if set(bounds.values()) == {bound} else f"{cell_in_words(report, key)}: "
                said += f" {at}{_(bound.text).format(value=percent(bound.share))}"
                break
        key = next(iter(won))
        solved = _of(report, key, "solved")
        if solved:
            text = _("Of other levels ({cell}): {items}.")
            said += " " + text.format(cell=cell_in_words(report, key), items=_items(report, solved))
        yield Finding(said, key, ("won", *(figure.name for figure in solved)), plain=True)


def _length(report: Measured) -> Iterator[Finding]:
    """Yield how long matches last, in the cells with the shortest and the longest."""
    name, text = "turns.median", _("{value} turns with {cell}")
    if report.subject.elements.turn is None:
        name, text = "decisions.median", _("{value} decisions with {cell}")
    medians = {key: figures[name] for key, figures in report.figures.items() if name in figures}
    if medians:  # else every match was stopped, or the time was up before
        said = _("Half of the matches are over after {list}.").format(list=_ends(report, medians, text))
        yield Finding(said, next(iter(medians)), (name,), plain=True)


def _ends(report: Measured, found: Mapping[Key, Figure], text: str) -> str:
    """Return the smallest and the largest of these figures with their cells."""
    ends = dict.fromkeys(choose(found, key=lambda key: found[key].value) for choose in (min, max))
    return "; ".join(text.format(value=value_in_words(found[key]), cell=cell_in_words(report, key)) for key in ends)


def _skill(report: Measured) -> Iterator[Finding]:
    """Yield the own figures, what luck decides, and how much more a player wins than players of the level below.

    Each has a sentence about the first cell that has it, with the same cell of the other variants beside it.
    """
    unknown = _("{cell}: how much luck decides among equal, good players is not shown yet: {value} of the results.")
    texts = {
        "own": _("{cell}: you counted in a match: {items}."),
        "luck": _("{cell}: luck decides {value} of the results of equal, good players. Their choices decide the rest."),
        "ladder": _("{cell}: one player of a level among players of the level below wins so many times an equal share: {items}."),
    }
    for family, text in texts.items():
        key = next((key for key in report.figures if _of(report, key, family)), None)
        if key is not None:
            found = _of(report, key, family)
            names = tuple(figure.name for figure in found)
            cells = {other: figures for other, figures in report.figures.items() if other[1:] == key[1:]}
            beside = {other: figures for other, figures in cells.items() if figures.keys() >= set(names)}
            cell = cell_in_words(report, (listed([other[0] for other in beside]), *key[1:]))
            is_vague = family == "luck" and found[0].high - found[0].low > VAGUE
            value, items = _beside(found[0], beside), _items(report, found, beside)
            said = (unknown if is_vague else text).format(cell=cell, value=value, items=items)
            yield Finding(said, key, names, plain=family != "ladder")


def _without(report: Measured) -> Iterator[Finding]:
    """Yield what each kind of action is worth that the designer left out."""
    every = _odd(report, "without")
    for name in dict.fromkeys(each.figure.name for each in every):
        most = max((each for each in every if each.figure.name == name), key=lambda each: each.surprise)
        figure = most.figure
        if figure.low == figure.high == 1:
            text = _("{cell}: leaving out “{item}” changes nothing, because no bot ever chose it.")
        elif most.surprise:
            text = _("{cell}: bots that never choose “{item}” win {value} times as often as with it.")
        else:
            text = _("{cell}: not shown to matter: “{item}”. Bots that never choose it win {value} times as often as with it.")
        item, cell = item_in_words(report, figure), cell_in_words(report, most.key)
        said = text.format(cell=cell, item=item, value=value_in_words(figure))
        yield Finding(said, most.key, (name,), most.surprise, plain=True)


# ----------------------------------------------------------------------------------------------------------------- by surprise


class Odd(NamedTuple):
    """A figure of a cell with its surprise."""

    surprise: float
    key: Key
    figure: Figure


def _odd(report: Measured, family: str) -> list[Odd]:
    """Return the figures of a family in all cells, with their surprise beside what is usual."""
    return [
        Odd(surprise(figure, usual_of(figure, figures)), key, figure)
        for key, figures in report.figures.items()
        for figure in figures.values()
        if figure.family == family
    ]


def _by_family(report: Measured) -> Iterator[Finding]:
    """Yield the sentences of each family with figures outside what is usual."""
    for family, about in DEFINITIONS.items():
        for way, text in (("high", about.high), ("low", about.low)):
            every = _odd(report, family) if text else []
            if about.usual is None:
                shown = [
                    each for each in every if each.figure.warning == way and not _is_mirrored(each, report.figures[each.key])
                ]
            else:
                shown = [each for each in every if each.surprise and (each.figure.value > about.usual[1]) == (way == "high")]
            if shown:
                yield _about(report, _(text), shown)


def _is_mirrored(odd: Odd, figures: Mapping[str, Figure]) -> bool:
    """Return whether an action is always chosen because the only other one never is, which has a sentence."""
    chosen = odd.figure
    others = (each for each in figures.values() if each.family == chosen.family == "chosen" and each.of == chosen.of)
    return any(each.warning == "low" and isclose(each.value + chosen.value, 1) for each in others if chosen.warning == "high")


def _about(report: Measured, text: str, shown: Sequence[Odd], **more: str) -> Finding:
    """Return the finding about figures of one family, in the cell where one of them surprises most."""
    most = max(shown, key=lambda each: each.surprise)
    here = sorted((each for each in shown if each.key == most.key), key=lambda each: -each.surprise)
    cell, value = cell_in_words(report, most.key), value_in_words(most.figure)
    said = text.format(cell=cell, value=value, items=_items(report, [each.figure for each in here]), **more)
    return Finding(said, most.key, tuple(each.figure.name for each in here), most.surprise)


def _of(report: Measured, key: Key, family: str) -> list[Figure]:
    """Return the figures of a family in a cell."""
    return [figure for figure in report.figures[key].values() if figure.family == family]


def _beside(figure: Figure, cells: Mapping[Key, Mapping[str, Figure]]) -> str:
    """Return the values of a figure in each of these cells."""
    return listed([value_in_words(figures[figure.name]) for figures in cells.values()])


def _items(report: Measured, figures: Sequence[Figure], cells: Mapping[Key, Mapping[str, Figure]] | None = None) -> str:
    """Return a few figures by their names within their family, with their values in these cells, and how many are left."""
    named = [
        f"{short_item(report, figure)} {value_in_words(figure) if cells is None else _beside(figure, cells)}"
        for figure in figures[:MOST_ITEMS]
    ]
    if left := len(figures) - len(named):
        named.append(ngettext("and {count} other", "and {count} others", left).format(count=left))
    return ", ".join(named)


def _taken(report: Measured) -> Iterator[Finding]:
    """Yield for each kind of piece which ones are taken more or less often than is usual of the kind when they are shown."""
    every = [each for each in _odd(report, "taken") if each.surprise >= REMARKABLE]
    for kind in report.subject.elements.pieces:
        shown = [each for each in every if kind_of(report, each.figure) is kind]
        if shown:
            most = max(shown, key=lambda each: each.surprise)
            usual, _same = usual_of(most.figure, report.figures[most.key])
            text = _("{kind} ({cell}): usually taken in {usual} of the times that one is shown, but {items}.")
            yield _about(report, text, shown, kind=_(kind.text).capitalize(), usual=percent(usual, 0))


def _differences(report: Measured) -> Iterator[Finding]:
    """Yield for each variant and question the difference from the first variant that surprises most, or that none is shown."""
    base = next(iter(report.variants))
    for variant in list(report.variants)[1:]:
        most: dict[str, Odd] = {}
        cells = {key: figures for key, figures in report.differences.items() if key[0] == variant}
        for key, figures in cells.items():
            before = report.figures[base, key[1], key[2]]
            for figure in figures.values():
                if figure.warning and _can_differ(figure) and figure.name in before:
                    counts = figure.about.unit in ("number", "points")
                    scale = abs(before[figure.name].value) / 10 or 1.0 if counts else figure.about.scale
                    each = Odd(surprise(figure, (0, 0), scale), key, figure)
                    most[figure.about.group] = max(each, most.get(figure.about.group, each), key=lambda odd: odd.surprise)
        for each in most.values():
            figure = each.figure
            text = _("{variant} instead of {base} ({cell}): {figure} from {before} to {after}, a difference of {difference}.")
            said = text.format(
                variant=variant,
                base=base,
                cell=players_in_words(each.key),
                figure=name_in_words(report, figure),
                difference=value_in_words(figure, signed=True),
                before=number_in_words(figure, report.figures[base, each.key[1], each.key[2]][figure.name].value),
                after=number_in_words(figure, report.figures[each.key][figure.name].value),
            )
            yield Finding(said, each.key, (figure.name,), each.surprise, difference=True)
        if cells and not most:
            text = _("No difference between {variant} and {base} is shown.")
            wins = [figure for figures in cells.values() for figure in figures.values() if figure.family in ("place", "won")]
            more = _("By place or together, wins may differ by up to {most}.") if wins else ""
            widest = max((max(figure.high, -figure.low) for figure in wins), default=0.0)
            said = f"{text.format(variant=variant, base=base)} {more.format(most=percent(widest, 0))}".rstrip()
            yield Finding(said, next(iter(cells)), (), plain=True, difference=True)


def _can_differ(figure: Figure) -> bool:
    """Return whether a sentence tells a difference of this figure: of a piece only if the figure itself has a sentence."""
    about = figure.about
    is_told = figure.family == "place" or about.alike or about.high or about.low
    return not figure.item or figure.family in ("own", "ladder") or (about.unit in ("share", "fair shares") and bool(is_told))


def _levels(report: Measured) -> Iterator[Finding]:
    """Yield which advantages of a place change their sign with the level of the bots."""
    for variant in report.variants if len(report.bots) > 1 else ():
        for players in report.players:
            levels = [report.figures.get((variant, players, bot), {}) for bot in report.bots]
            names = [name for name in levels[0] if name.startswith("place.")]
            turned = [
                name
                for name in names
                if any(figures[name].low > 1 for figures in levels if name in figures)
                and any(figures[name].high < 1 for figures in levels if name in figures)
            ]
            if turned:
                text = _("{count} players: whether place {places} is an advantage depends on the level of the bots.")
                said = text.format(count=players, places=listed([name.partition(".")[2] for name in turned]))
                yield Finding(said, (variant, players, report.bots[0]), tuple(turned), 1.0)
