"""The guided first game visits all eight places."""

from __future__ import annotations

from games.dungeon_allies.scenes import DA
from meadhall.engine.match.telling import guided_match
from meadhall.engine.text.lessons import LEARNER
from meadhall.games.dungeon_allies.state import Event, Step

PLACES = {
    Event.DEFEATS: Step.EXCURSION,
    Event.ORDER: Step.TURN_ORDER,
    Event.LOOTS: Step.TREASURE,
    Event.TRAINED: Step.TRAINER,
    Event.FOLLOWER_JOINS: Step.TAVERN,
    Event.FREES: Step.PRISONER,
    Event.TRADES: Step.TRADE,
    Event.BUYS: Step.SORCERER,
}


def test_the_lessons_visit_all_eight_places_and_the_learner_seven_of_them() -> None:
    lessons = DA.lessons
    assert lessons is not None
    match = guided_match(DA)
    events = [event for step in match.steps for event in step.events if event.kind in PLACES]
    assert {PLACES[Event(event.kind)] for event in events} == set(PLACES.values())
    used = {PLACES[Event(event.kind)] for event in events if event.kind == Event.ORDER or event.arguments[0] == LEARNER}
    assert used == set(PLACES.values()) - {Step.PRISONER}


def test_the_words_name_all_eight_places() -> None:
    lessons = DA.lessons
    assert lessons is not None
    words = " ".join(lesson.words for lesson in lessons.lessons)
    named = ("dungeon", "turn order", "treasure", "trainer", "tavern", "prisoner", "trade", "sorcerer")
    assert [name for name in named if name not in words] == []
