"""The models of the workshop: a guest's questions, and one of them with its variants side by side and its reports."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from typing import Any, Final

from markupsafe import Markup

from meadhall.bots import ranks
from meadhall.engine import options
from meadhall.engine.changes import document_changes, in_short
from meadhall.engine.errors import MeadhallError
from meadhall.engine.game import Game
from meadhall.engine.match.view import bot_in_words
from meadhall.engine.registry import game, game_names
from meadhall.engine.text.language import gettext as _
from meadhall.engine.text.language import ngettext
from meadhall.lab import Balance
from meadhall.lab.balance import STYLES
from meadhall.lab.entrants import action_kinds
from meadhall.server.errors import reason_of
from meadhall.server.hall.among_people import AmongPeople
from meadhall.server.hall.hall import Hall
from meadhall.server.hall.orders import Order
from meadhall.server.hall.questions import MOST_VARIANTS, is_current
from meadhall.server.pages.clock import moment
from meadhall.server.pages.lobby import shared_link
from meadhall.server.pages.models import Moment, Option, Refusal, SharedLink
from meadhall.server.store.models import Guest
from meadhall.server.store.questions import Content, Question, Variant
from meadhall.server.web.links import Outside, link

TIMES: Final = (15, 30, 60, 120)
"""Seconds of a report that the page offers."""


@dataclass(frozen=True)
class Cell:
    """The value of an option in one variant."""

    variant: Variant
    field: str  # the name of the field
    choices: tuple[Option, ...] = ()  # empty for a number or a document
    value: Any = None  # of a number
    words: str = ""  # how a document differs from the built-in one, "" if it doesn't


@dataclass(frozen=True)
class OptionRow:
    """An option with its value in each variant."""

    option: options.Option
    title: str
    about: tuple[tuple[str, str], ...]  # what its values mean: name, sentence
    is_document: bool
    is_house_rule: bool
    only_with: str  # the choice that it needs, "" if it needs none
    cells: tuple[Cell, ...]


@dataclass(frozen=True)
class ReportView:
    """A report of a question."""

    id: str
    state: str  # "waiting", "running", "done", "failed"
    percent: int
    url: str
    is_current: bool  # whether it answers what the question asks now


@dataclass(frozen=True)
class QuestionLine:
    """A question in the list."""

    url: str
    name: str
    title: str  # of the game
    about: str
    changed: Moment
    report: ReportView | None  # the last one


@dataclass(frozen=True)
class QuestionPage:
    """A question of the workshop."""

    id: str
    url: str
    name: str
    game: Game
    is_own: bool
    content: Content
    players: tuple[Option, ...]
    bots: tuple[Option, ...]
    search: str  # the steps of a search that plays, too; "" for none
    without: tuple[Option, ...]
    times: tuple[Option, ...]
    rows: tuple[OptionRow, ...]
    can_add: bool
    others: tuple[Option, ...]  # variants of other questions about this game
    share: SharedLink
    can_undo: bool
    can_report: bool  # whether this hall makes reports
    reports: tuple[ReportView, ...]
    shown: ReportView | None  # the report beside the question
    fragment: Markup  # what it says, "" before it is ready
    fault: str  # why it could not be made
    people: Sequence[AmongPeople]  # what people's matches say beside it
    ties: str  # what ties between seats are called in this game
    notice: Refusal | None
    styles: str  # the address of the rules of a report


@cache
def report_styles() -> str:
    """Return the address of the rules of a report."""
    return link(f"/report.css?v={sha256(STYLES.read_bytes()).hexdigest()[:12]}")


def question_lines(hall: Hall, guest: Guest) -> list[QuestionLine]:
    """Return the questions of a guest about installed games, those changed last first."""
    names = game_names()
    found = [each for each in hall.questions.of(guest) if each.game in names]
    return [
        QuestionLine(
            link(f"/workshop/{each.id}"),
            each.name,
            game(each.game).title,
            _in_words(each.content),
            moment(each.changed_at),
            next((_report(each, order) for order in hall.orders.of(each.id)), None),
        )
        for each in found
    ]


def question_page(
    hall: Hall,
    guest: Guest,
    question: Question,
    outside: Outside,
    shown: Order | None,
    fragment: Markup,
    people: Sequence[AmongPeople],
    error: MeadhallError | None = None,
) -> QuestionPage:
    """Return the page of a question. ``shown``: the report beside it, and ``fragment`` and ``people`` what they say."""
    subject, content = game(question.game), question.content
    kinds = action_kinds(subject)
    searches = [name for name in content.bots if name.startswith("search@")]
    return QuestionPage(
        question.id,
        link(f"/workshop/{question.id}"),
        question.name,
        subject,
        question.guest == guest.id,
        content,
        _options(((str(k), str(k)) for k in range(subject.min_players, subject.max_players + 1)), map(str, content.players)),
        _options(((rank.name, bot_in_words(rank.name)) for rank in ranks(subject)), content.bots),
        searches[0].removeprefix("search@") if searches else "",
        _options(((kind.name, _(kind.text)) for kind in kinds), content.without) if len(kinds) > 1 else (),
        _options(((str(k), _("{seconds} seconds").format(seconds=k)) for k in TIMES), [str(content.seconds)]),
        tuple(_row(subject, option, content) for option in subject.options),
        len(content.variants) < MOST_VARIANTS,
        _others(hall, guest, question),
        shared_link(outside, f"/workshop/{question.id}"),
        hall.questions.can_undo(question),
        hall.orders.is_open,
        tuple(_report(question, order) for order in hall.orders.of(question.id)),
        None if shown is None else _report(question, shown),
        fragment,
        "" if shown is None else hall.orders.answer(shown).get("error", ""),
        people,
        _(bond.text) if (bond := subject.elements.bond) else "",
        None if error is None else Refusal("", reason_of(error)),
        report_styles(),
    )


def _options(offered: Iterable[tuple[str, str]], chosen: Iterable[str]) -> tuple[Option, ...]:
    kept = set(chosen)
    return tuple(Option(value, text, value in kept) for value, text in offered)


def _in_words(content: Content) -> str:
    """Return how much a question compares."""
    count = len(content.variants)
    variants = ngettext("{count} way of playing", "{count} ways of playing", count).format(count=count)
    return _("{variants}, {players} players").format(variants=variants, players=", ".join(map(str, content.players)))


def _row(subject: Game, option: options.Option, content: Content) -> OptionRow:
    needed = option.only_with and next(
        each.label(option.only_with[1]) for each in subject.options if each.name == option.only_with[0]
    )
    shown = [option.default] if isinstance(option, options.Number) else option.values
    return OptionRow(
        option,
        _(option.title),
        tuple((option.label(each), option.explained(each)) for each in shown) if isinstance(option, options.Choice) else (),
        isinstance(option, options.Document),
        isinstance(option, options.HouseRule),
        needed or "",
        tuple(_cell(option, each) for each in content.variants),
    )


def _cell(option: options.Option, variant: Variant) -> Cell:
    value, field = variant.options.get(option.name, option.default), f"{variant.key}:{option.name}"
    if isinstance(option, options.Choice) and not isinstance(option, options.Number):
        return Cell(variant, field, _options(((each, option.label(each)) for each in option.values), [value]))
    if isinstance(option, options.Document):
        data = variant.options.get(option.name)
        return Cell(
            variant, field, words="" if data is None else in_short(document_changes(option, data, option.data(option.default)), 2)
        )
    return Cell(variant, field, value=value)


def _others(hall: Hall, guest: Guest, question: Question) -> tuple[Option, ...]:
    return tuple(
        Option(f"{other.id}:{each.key}", f"{other.name}: {each.name}", False)
        for other in hall.questions.of(guest)
        if other.game == question.game and other.id != question.id
        for each in other.content.variants
    )


def _report(question: Question, order: Order) -> ReportView:
    url = link(f"/workshop/{question.id}?report={order.id}")
    return ReportView(order.id, order.state, round(100 * order.progress), url, is_current(question, order.request))


def fragment_of(question: Question, order: Order | None, answer: Mapping[str, Any]) -> Markup:
    """Return what a report says, as a part of its question's page; "" if the answer has none. It takes a moment."""
    if order is None or "report" not in answer:
        return Markup("")
    report = Balance.from_dict(answer["report"])
    numbers = {id(each): number for number, each in enumerate(each for cell in report.cells for each in cell.examples)}
    url = link(f"/workshop/{question.id}/reports/{order.id}")
    return Markup(report.to_fragment(lambda _key, example: f"{url}/{numbers[id(example)]}"))  # noqa: S704 - it escapes
