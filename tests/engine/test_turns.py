"""Turns of the log, and texts that address their reader, in all games and languages."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

import pytest

from meadhall.engine.game import beats_of
from meadhall.engine.interface import GameWords
from meadhall.engine.match.match import Match
from meadhall.engine.match.telling import turn_starts
from meadhall.engine.registry import game
from meadhall.engine.state.events import PUBLIC, Event, EventKind, Part, number, seat
from meadhall.engine.text.language import LANGUAGES, speaking

NAMES = ("Xaveria", "Yngvild", "Zoltan", "Quirin")
"""Names that no text of a game contains."""

TABLES: dict[str, dict[str, Any]] = {
    "axes-and-allies": {},
    "viking-axes": {},
    "viking-axes strategic": {"variant": "strategic"},
    "axxa together": {"mode": "together"},
    "axxa versus": {"mode": "versus"},
    "dungeon-allies": {},
}


@cache
def finished(table: str) -> Match:
    draw = random.Random(table)
    name = table.split(maxsplit=1)[0]
    match = game(name).match(seats=NAMES, seed=table, **TABLES[table])
    while match.actor is not None and len(match.steps) < 400:
        match.play(draw.choice(match.legal()))
    return match


def all_events(match: Match) -> Iterator[tuple[EventKind, Event]]:
    for event in (*match.setup, *(event for step in match.steps for event in step.events)):
        yield match.game.events[event.kind], event


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("table", TABLES)
def test_every_text_calls_its_reader_you_and_never_by_name(table: str, language: str) -> None:
    match = finished(table)
    with speaking(language):
        for kind, event in all_events(match):
            concerned = [value for k, value in enumerate(event.arguments) if kind.argument(k) is seat]
            neutral = match.in_words(event)
            for viewer in range(match.players):
                text = match.in_words(event, viewer)
                assert NAMES[viewer] not in text
                assert text == neutral or viewer in concerned or kind.name == "side_won"
                assert text != neutral or viewer not in concerned or NAMES[viewer] not in neutral
                for part in (Part.TURN, Part.BRIEF):
                    assert NAMES[viewer] not in match.game.words.event(event, match.names, viewer, part)


@pytest.mark.parametrize("table", TABLES)
def test_a_spectator_reads_the_names(table: str) -> None:
    match = finished(table)
    for kind, event in all_events(match):
        text = match.in_words(event)
        assert "you" not in text.lower().split()
        assert event.name == kind.name


def public_turns(match: Match) -> list[tuple[Event, ...]]:
    told = tuple(event for _, event in all_events(match) if event.audience == PUBLIC)
    starts = turn_starts(match.game.events, told)
    return [told[start:end] for start, end in zip(starts, [*starts[1:], None], strict=True)]


@pytest.mark.parametrize("table", ["axes-and-allies", "viking-axes", "viking-axes strategic", "axxa together"])
def test_a_turn_has_the_events_of_one_player(table: str) -> None:
    match = finished(table)
    for turn in public_turns(match):
        kind = match.game.events[turn[0].kind]
        if not kind.turn:
            continue
        owner = turn[0].arguments[0]
        assert title(match.game.words, turn, match.names) == f"{NAMES[owner]}'s turn"
        assert title(match.game.words, turn, match.names, owner) == "Your turn"
        actions = [
            event for event in turn if event.name in ("power", "drew", "plays", "throws", "attack", "allied", "moved", "paid")
        ]
        assert {event.arguments[0] for event in actions} == {owner}


def title(words: GameWords, events: Sequence[Event], names: Sequence[str], viewer: int = PUBLIC) -> str:
    return words.event(events[0], names, viewer, Part.TURN) or words.event(events[0], names, viewer)


def briefs(words: GameWords, events: Sequence[Event], names: Sequence[str], viewer: int = PUBLIC) -> list[str]:
    return [words.event(event, names, viewer, Part.BRIEF) for event in events]


def test_a_turn_of_axes_and_allies_in_a_line() -> None:
    match = finished("axes-and-allies")
    turn = next(turn for turn in public_turns(match) if any(event.name == "missed" for event in turn))
    attacker, target = next(event.arguments for event in turn if event.name == "missed")
    powers = [event.arguments[1] for event in turn if event.name == "power"]
    rolls = [event.arguments[1] for event in turn if event.name == "attack_roll"]
    told = [text for text in briefs(match.game.words, turn, match.names, target) if text and text != "every alliance void"]
    assert told == [f"power {powers[0]}", "attack on you", f"roll {rolls[0]}", "missed"]
    assert f"attack on {NAMES[target]}" in briefs(match.game.words, turn, match.names, attacker)


def test_a_fight_of_dungeon_allies_in_a_line() -> None:
    match = finished("dungeon-allies")
    fight = next(turn for turn in public_turns(match) if turn[0].name == "fights" and turn[-1].name == "fails")
    told = [text for text in briefs(match.game.words, fight, match.names) if text]
    total = next(event.arguments for event in reversed(fight) if event.name == "total")
    assert title(match.game.words, fight, match.names, total[0]).startswith("You fight on ")
    assert told[-2:] == [f"{total[1]} of {total[2]}", "lost"]


def test_the_text_for_the_last_argument_serves_further_ones() -> None:
    kind = EventKind("won", (seat,), "X-1", "{0} wins", rest=seat, you=("You win",))
    assert [kind.in_words((2, 0), NAMES, viewer) for viewer in (PUBLIC, 0, 1, 2)] == [
        "Zoltan, Xaveria wins",
        "You win",
        "Zoltan, Xaveria wins",
        "You win",
    ]


def test_a_number_that_equals_a_seat_is_not_the_reader() -> None:
    kind = EventKind("rolled", (seat, number), "X-1", "{0} rolls {1}", you=("You roll {1}",))
    assert kind.in_words((0, 1), NAMES, 1) == "Xaveria rolls 1"


@pytest.mark.parametrize("table", ["viking-axes", "dungeon-allies"])
def test_the_losers_of_a_match_have_places_behind_the_winners(table: str) -> None:
    match = finished(table)
    while match.actor is not None:
        match.play(match.legal()[0])
    places, result = match.places(), match.result()
    assert places is not None
    assert result is not None
    assert [seat for seat, place in enumerate(places) if place == 1] == list(result.winners)
    assert all(len(result.winners) < place <= match.players for seat, place in enumerate(places) if seat not in result.winners)
    ranked = sorted(range(match.players), key=lambda seat: places[seat])
    if result.points is not None:
        points = [result.points[seat] for seat in ranked]
        assert points == sorted(points, reverse=True)


def test_partners_have_no_places() -> None:
    assert finished("axxa versus").places() is None


@pytest.mark.parametrize("table", TABLES)
def test_the_board_takes_time_for_the_events_of_a_step(table: str) -> None:
    """The time is made from a spectator's view, so the pauses of bots tell nothing hidden."""
    match = finished(table)
    lengths = [beats_of(match.view_at(position)) for position in range(len(match.steps) + 1)]
    assert lengths[0] == 0
    assert max(lengths) >= 3


def test_an_undo_plays_no_animation_again() -> None:
    match = game("axes-and-allies").match(seats=NAMES, seed="undo")
    for _ in range(2):
        match.play(match.legal()[0])
    assert beats_of(match.view()) > 0
    match.undo(revealed=True)
    assert beats_of(match.view()) == 0
