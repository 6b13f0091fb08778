"""What the pages of the workshop show: a guest's questions, and one of them with its variants side by side and its reports."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, Final

from markupsafe import Markup

from meadhall.bots import ranks
from meadhall.engine.changes import document_changes, in_short
from meadhall.engine.game import Document, Game
from meadhall.engine.match.view import bot_in_words
from meadhall.engine.registry import game, game_names
from meadhall.engine.text.language import gettext as _, ngettext
from meadhall.lab import Balance
from meadhall.lab.entrants import action_kinds
from meadhall.server.hall.hall import Hall
from meadhall.server.hall.orders import Order
from meadhall.server.hall.questions import MOST_VARIANTS, SEARCH, is_current
from meadhall.server.pages.clock import moment
from meadhall.server.pages.lobby import option_view, shared_link
from meadhall.server.pages.models import Option
from meadhall.server.store.models import Guest
from meadhall.server.store.questions import Question
from meadhall.server.web.links import Outside, link

TIMES: Final = (15, 30, 50, 120)
"""Seconds of a report that the page offers."""


def question_lines(hall: Hall, guest: Guest) -> list[dict[str, Any]]:
    """Return the questions of a guest about installed games for the list, those changed last first."""
    names = game_names()
    return [
        {
            "question": each,
            "game": game(each.game),
            "about": _in_words(each),
            "changed": moment(each.changed_at),
            "report": next(((order, is_current(each, order.request)) for order in hall.orders.of(each.id)), None),
        }
        for each in hall.questions.of(guest)
        if each.game in names
    ]


def question_page(hall: Hall, guest: Guest, question: Question, outside: Outside, shown: Order | None) -> dict[str, Any]:
    """Return what the page of a question takes beside the question and what its report says. ``shown``: that report."""
    subject, content = game(question.game), question.content
    kinds = action_kinds(subject)
    return {
        "url": link(f"/workshop/{question.id}"),
        "game": subject,
        "is_own": question.guest == guest.id,
        "players": _ticks(((k, k) for k in range(subject.min_players, subject.max_players + 1)), content.players),
        "bots": _ticks(((rank.name, bot_in_words(rank.name)) for rank in ranks(subject)), content.bots),
        "search": next((name.removeprefix(SEARCH) for name in content.bots if name.startswith(SEARCH)), ""),
        "without": _ticks(((kind.name, _(kind.text)) for kind in kinds), content.without) if len(kinds) > 1 else (),
        "events": [(kind.name, kind.fields) for kind in subject.events.values()],
        "times": _ticks(((k, _("{seconds} seconds").format(seconds=k)) for k in TIMES), [content.seconds]),
        "rows": list(zip(*(_column(subject, each.options) for each in content.variants), strict=True)),
        "can_add": len(content.variants) < MOST_VARIANTS,
        "others": [each for each in hall.questions.of(guest) if each.game == question.game and each.id != question.id],
        "share": shared_link(outside, f"/workshop/{question.id}"),
        "can_undo": hall.questions.can_undo(question),
        "can_report": hall.switches.allows("reports", guest),
        "no_reports": hall.switches.reason("reports"),
        "reports": hall.orders.of(question.id),
        "shown": None if shown is None else (shown, is_current(question, shown.request)),
        "ties": _(subject.elements.bond.text) if subject.elements.bond else "",
        "fault": "" if shown is None else hall.orders.answer(shown).get("error", ""),
    }


def _ticks(offered: Iterable[tuple[object, object]], chosen: Collection[object]) -> tuple[Option, ...]:
    return tuple(Option(str(value), str(text), value in chosen) for value, text in offered)


def _in_words(question: Question) -> str:
    """Return how much a question compares."""
    count = len(question.content.variants)
    variants = ngettext("{count} way of playing", "{count} ways of playing", count).format(count=count)
    return _("{variants}, {players} players").format(variants=variants, players=", ".join(map(str, question.content.players)))


def _column(subject: Game, options: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the options of a variant. A document says in short how it differs from the built-in one."""
    chosen = {option.name: option.default for option in subject.options}
    chosen |= {name: value for name, value in options.items() if not isinstance(value, Mapping)}
    for option in subject.options:
        view = option_view(subject, option, chosen)
        if isinstance(option, Document) and option.name in options:
            found = document_changes(option, options[option.name], option.data(option.default))
            view |= {"custom": in_short(found, 2), "is_changed": True}
        yield view


def fragment_of(question: Question, order: Order | None, answer: Mapping[str, Any]) -> Markup:
    """Return what a report says, as a part of its question's page; "" if the answer has none. It takes a moment."""
    if order is None or "report" not in answer:
        return Markup("")
    report = Balance.from_dict(answer["report"])
    numbers = {id(each): number for number, each in enumerate(each for cell in report.cells for each in cell.examples)}
    url = link(f"/workshop/{question.id}/reports/{order.id}")
    return Markup(report.to_fragment(lambda _key, example: f"{url}/{numbers[id(example)]}"))  # noqa: S704 - it escapes
