"""What people's matches say of a game: counts that agree with the matches, and in which no person can be found."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

import meadhall
from meadhall.engine.match.match import Match
from meadhall.games.axes_and_allies.rules import ALLY, Event
from meadhall.server.hall.among_people import LEAST, PeoplesMatches, ties_of
from meadhall.server.hall.stand_ins import standing_in
from meadhall.server.hall.state import stored_outcome
from meadhall.server.ops.time import Time
from meadhall.server.store import jobs
from meadhall.server.store.models import Entry, SeatRow, TableRow, new_id, new_link_token
from meadhall.server.store.store import Store
from server.people import AXES, OpenHall
from server.rows import append, save
from server.waiting import until

pytestmark = pytest.mark.asyncio


def play(store: Store, number: int, minutes: float, bot: bool = False, more: Sequence[Entry] = ()) -> Match:
    """Store a match of three people that is played at random, and return it."""
    began = Time().now() + timedelta(days=number)
    seats = [SeatRow(k, "human", name, None, frozenset({name}), new_link_token()) for k, name in enumerate(("Ada", "Bo", "Cy"))]
    if bot:
        seats[2] = SeatRow(2, "bot", "Gorm", "karl", frozenset(), new_link_token())
    subject, seed = meadhall.game(AXES), number.to_bytes(32)
    options = subject.check_options({})
    table = TableRow(
        new_id(), AXES, subject.version, options, "running", "Ada", True, seed, began, tuple(seats), started_at=began
    )
    store.add_table(table)
    match = subject.match(seats=[seat.name for seat in seats], seed=seed)
    draw, played = random.Random(number), list[Entry]()
    while not match.over:
        action = draw.choice(match.legal())
        played.append(Entry(0, "action", match.actor or 0, action.action))
        match.play(action)
    for at, entry in enumerate((*more, *played), 1):
        append(store, table, replace(entry, number=at))
    save(store, replace(table, status="over", finished_at=began + timedelta(minutes=minutes), outcome=stored_outcome(match)))
    return match


async def test_counts_agree_with_the_matches_and_grow_by_five(hall: OpenHall) -> None:
    counts = PeoplesMatches(hall.store)
    assert await counts.of(AXES, [3]) == []
    took = [3, 8, 12, 40, 500, 9, 2]
    played = []
    for number, minutes in enumerate(took):
        resigned = [Entry(0, "stand_in", 1, 0, standing_in("resigned", "end"))] if number == 3 else []
        played.append(play(hall.store, number, minutes, more=resigned))
        play(hall.store, 100 + number, minutes, bot=True)
        found = await counts.of(AXES, [2, 3])
        assert len(found) == (number + 1 >= LEAST)
    (among,) = found
    assert (among.players, among.matches, among.resigned, among.take_backs, among.given_up) == (3, 5, 1, 0, 0)
    assert among.minutes == (10, 15)
    allied = sum(step.action >= ALLY for match in played[:LEAST] for step in match.steps)
    assert among.ties is not None
    assert sum(among.ties.values()) == allied > 0
    turns = sorted(turns for match in played[:LEAST] for turns, _how in ties_of(match))[(allied - 1) // 2]
    assert among.turns is not None
    assert among.turns[0] < turns <= (among.turns[1] or turns)
    told = msgspec.json.encode(found).decode()
    assert not [name for name in ("Ada", "Bo", "Cy") if name in told]


def match_with(*events: tuple[int, tuple[int, ...]]) -> Any:
    told = [SimpleNamespace(kind=kind, arguments=arguments) for kind, arguments in events]
    return SimpleNamespace(game=meadhall.game(AXES), setup=told[:1], steps=[SimpleNamespace(events=told[1:])])


async def test_an_alliance_ends_by_an_ally_by_another_by_a_death_or_with_the_match() -> None:
    power, allied, voided, killed = Event.POWER, Event.ALLIED, Event.VOIDED, Event.KILLED
    by_an_ally = match_with((power, (0, 4)), (allied, (0, 1)), (power, (1, 1)), (voided, ()))
    by_another = match_with((power, (0, 4)), (allied, (0, 1)), (power, (1, 3)), (power, (2, 1)), (voided, ()))
    by_death = match_with((power, (0, 4)), (allied, (0, 1)), (power, (2, 6)), (killed, (2, 1)), (power, (0, 1)), (voided, ()))
    to_the_end = match_with((power, (0, 4)), (allied, (0, 1)), (power, (2, 6)), (power, (0, 6)), (power, (1, 6)))
    found = [list(ties_of(match)) for match in (by_an_ally, by_another, by_death, to_the_end)]
    assert found == [[(1, "ally")], [(2, "other")], [(1, "out")], [(3, "match")]]


async def test_a_program_gets_the_counts_with_its_report(hall: OpenHall) -> None:
    for number in range(LEAST):
        play(hall.store, number, 7)
    ada = await hall.program("Ada")
    request = {"game": AXES, "players": [2, 3], "depth": "quick", "precision": 0.1, "bots": ["thrall"], "seconds": 0.5}
    report = (await ada.post("/balance", request)).json()["id"]
    (among,) = (await ada.read(f"/balance/{report}")).json()["people"]
    assert (among["players"], among["matches"], among["minutes"]) == (3, LEAST, [5, 10])
    assert (await ada.http.delete(f"/api/v1/balance/{report}")).status_code == 204


async def test_a_question_shows_the_counts_beside_its_report(hall: OpenHall) -> None:
    for number in range(LEAST):
        play(hall.store, number, 7)
    person = hall.person()
    path = (await person.post("/workshop", {"game": AXES})).headers["location"]
    await person.post(path, {"only": "players", "players": "3"})
    await person.post(path, {"only": "-", "do": "report"})
    (order,) = hall.hall.orders.of(path.rpartition("/")[2])
    assert 'id="people"' not in (await person.get(path)).text
    await until(lambda: order.process is not None)
    order.stop()
    await until(lambda: not order.is_open)
    report = meadhall.balance(AXES, 3, games=8, depth="quick", seed="mead")
    hall.store.transact(jobs.finish_order, order.id, "done", {"report": report.to_dict()})
    shown = (await person.get(path)).text
    table = shown[shown.index('id="people"') :]
    rows = re.findall(r'<th scope="row">(.*?)</th><td>(.*?)</td>', table)
    assert rows[:2] == [("matches", "5"), ("half of them took, with all pauses", "up to 10 minutes")]
    assert rows[5][0] == "alliances"
