"""The model of a guided first game: scripted moments of one match, explained step by step."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from meadhall.engine.game import Game
from meadhall.engine.match.match import Match
from meadhall.engine.match.telling import answer_to, crowned, guided_match
from meadhall.engine.match.view import SPECTATOR, View
from meadhall.engine.registry import game
from meadhall.engine.text.language import gettext as _
from meadhall.engine.text.lessons import LEARNER
from meadhall.server.pages.log import rule_url
from meadhall.server.pages.match import match_page, result_view
from meadhall.server.pages.models import LessonPage, MatchPage, Refusal, SeatView
from meadhall.server.web.links import link


def lesson_page(subject: Game, step: int, action: int | None = None) -> LessonPage:
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
    return LessonPage(
        page=_moment(match, match.view_at(position), position),
        own=replace(moment, notice=Refusal("", notice, action)) if notice else moment,
        url=link(f"/learn/{subject.name}"),
        step=step,
        last=last,
        words=_(lesson.words),
        rule=lesson.rule,
        rule_url=rule_url(subject.name, lesson.rule),
        wanted=lesson.action,
        task=task,
        notice=notice,
    )


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
