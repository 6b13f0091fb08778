"""The models of a match step by step: a replay, a guided first game, and the check of its dice."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from functools import cache
from typing import Any

from meadhall.bots.analysis import Knowledge
from meadhall.engine.errors import MeadhallError, RecordError
from meadhall.engine.game import Game
from meadhall.engine.match.match import Match
from meadhall.engine.match.telling import answer_to, crowned, guided_match
from meadhall.engine.match.view import EVERYTHING, SPECTATOR, View, bot_in_words
from meadhall.engine.registry import game
from meadhall.engine.replay import replay
from meadhall.engine.text.language import gettext as _
from meadhall.engine.text.lessons import LEARNER
from meadhall.server.errors import WrongMoment, reason_of
from meadhall.server.hall.analysis import ChartJob, ChartQueue
from meadhall.server.hall.daily_puzzle import is_sealed
from meadhall.server.hall.room import Room
from meadhall.server.pages.chart import chart_part
from meadhall.server.pages.log import rule_url
from meadhall.server.pages.match import given_up_view, match_page, result_view, strength
from meadhall.server.pages.models import ChartPart, MatchPage, Refusal, SeatView
from meadhall.server.store.models import FINISHED, Crest
from meadhall.server.web.links import link


def knowledge_of(knowledge: str) -> Knowledge:
    """Return the knowledge that an address asks for."""
    return "everything" if knowledge == "everything" else "public"


def chart_alone(match: Match, job: ChartJob, base: str) -> dict[str, Any]:
    """Return what the page of a chart shows."""
    result = result_view(match) or given_up_view(match)
    return {"chart": replace(chart_part(match, job, base), kept=True), "title": match.game.title, "result": result}


def with_chart(
    content: dict[str, Any], charts: ChartQueue, name: str, base: str, match: Match, knowledge: Knowledge, client: str = ""
) -> dict[str, Any]:
    """Return the replay with the chart of its match, which has ended; or with the reason why there is no chart."""
    try:
        place = chart_part(match, charts.request(name, match, knowledge, client), base)
    except MeadhallError as error:
        place = ChartPart(f"{base}/chart", content["base"], knowledge, error=reason_of(error))
    return content | {"chart": replace(place, step=content["step"], seat=content["seat"])}


def replay_page(
    match: Match,
    base: str,
    step: int | None,
    seat: str,
    own_seat: int | None,
    url: str,
    sealed: bool = False,
    marks: tuple[Crest, ...] = (),
) -> dict[str, Any]:
    """Return one moment of a match.

    Args:
        base: the address of the replay.
        step: the number of the action after which the match is shown.
        seat: whose view is shown: a seat number, or "all".
        own_seat: the guest's seat. Until the match has ended and is not sealed, other seats can't be chosen, and "all" is a
            spectator's view.
        url: the address of the match.
        sealed: whether other guests still play the same deal.
        marks: those of the seats at its table.
    """
    last = len(match.steps)
    position = max(0, min(last, step or 0))
    opened = match.ended and not sealed
    if opened:
        viewers = {"all": EVERYTHING} | {str(k): k for k in range(match.players)}
    else:
        viewers = {"all": SPECTATOR} | ({str(own_seat): own_seat} if own_seat is not None else {})
    seat = seat if seat in viewers else "all"
    names = {"all": _("Everything revealed") if opened else _("Spectator")} | {str(k): name for k, name in enumerate(match.names)}
    view = match.view_at(position, viewers[seat])
    result = match.outcome() if position == last else None
    seats = tuple(
        SeatView(
            k,
            who.name,
            who.kind,
            bot_in_words(who.bot),
            strength=strength(who.bot),
            active=k in view.deciders,
            winner=result is not None and k in crowned(len(match.seats), result),
        )
        for k, who in enumerate(match.seats)
    )
    moment = match_page(match, view, id="replay", url=url, seats=seats, marks=marks)
    return {
        "page": replace(moment, choices=(), your_turn=False, viewer=None, result=result_view(match) if result else None),
        "base": base,  # "/tables/<id>/replay" or "/replay/<key>": steps are base?step=K&seat=all|0|1…
        "step": position,  # position 0 (setup) … last
        "last": last,
        "seat": seat,  # "all" or a seat number
        "seat_choices": tuple((value, names[value]) for value in viewers),
        # says that the dice were verified; "" for a table's match
        "verified": _("All rolls were verified against the seed.") if url == link("/replay") else "",
        "chart": None,
    }


def lesson_page(subject: Game, step: int, action: int | None = None) -> dict[str, Any]:
    """Return a step, or the nearest one that exists; the next step if ``action`` is the action that the step asks for."""
    assert subject.lessons is not None
    lessons, last = subject.lessons.lessons, len(subject.lessons.lessons)
    step = max(1, min(last, step))
    if action is not None and action == lessons[step - 1].action:
        step, action = step + 1, None
    lesson, position = lessons[step - 1], subject.lessons.positions[step - 1]
    match = _lesson_match(subject.name)
    own = match.view_at(position, LEARNER)
    task = "" if lesson.action is None else subject.words.action(own.state, lesson.action, own.names)
    notice = "" if action is None or lesson.action is None else answer_to(own, action, lesson.action)
    moment = _moment(match, own, position)
    return {
        "page": _moment(match, match.view_at(position), position),
        "own": replace(moment, notice=Refusal("", notice, action)) if notice else moment,
        "url": link(f"/learn/{subject.name}"),  # "/learn/<game>": a step is url?step=K
        "step": step,  # 1 … last
        "last": last,
        "words": _(lesson.words),
        "rule": lesson.rule,
        "rule_url": rule_url(subject.name, lesson.rule),
        "wanted": lesson.action,  # the action that the learner should choose now; None if there is only something to read
        "task": task,  # the same in words
        "notice": notice,  # the answer to another choice
    }


@cache
def _lesson_match(name: str) -> Match:
    subject = game(name)
    assert subject.lessons is not None
    return guided_match(subject)


def _moment(match: Match, view: View, position: int) -> MatchPage:
    """Return a moment of the match as a spectator or the learner sees it."""
    result = match.result() if position == len(match.steps) else None
    seats = tuple(
        SeatView(
            seat,
            name,
            "human",
            active=seat == view.actor,
            winner=result is not None and seat in crowned(len(match.seats), result),
        )
        for seat, name in enumerate(match.names)
    )
    public, url = view.viewer == SPECTATOR, link(f"/learn/{match.game.name}")
    moment = match_page(match, view, id="lesson", url=url, seats=seats, public=public, reader=LEARNER)
    return replace(moment, result=result_view(match, LEARNER) if result else None)


async def verification(room: Room) -> dict[str, Any]:
    """Return the check of a match's dice. While the match runs it has the commitment only.

    Raises:
        WrongMoment: the match has not started.
    """
    match = room.match
    if match is None:
        raise WrongMoment(_("The match has not begun yet."))
    sealed = is_sealed(room.table, room.time)
    finished = room.table.status in FINISHED and not sealed
    verified = False
    text = _("The server published the hash below before the first roll. It publishes the seed when the match ends.")
    if sealed:
        text = _(
            "The server published the hash below before the first piece was dealt. It publishes the seed at the end of the day."
        )
    if finished:
        try:
            await asyncio.to_thread(replay, match.record())
        except RecordError as error:
            text = str(error)
        else:
            verified = True
            text = _("Every roll was computed again from the seed, and the seed matches the published hash.")
    return {
        "url": link(f"/tables/{room.table.id}"),
        "title": room.game.title,
        "commitment": match.commitment,
        "seed": match.seed.hex() if finished else "",
        "verified": verified,
        "text": text,
        "steps": len(match.steps),
        "sealed": sealed,
    }
