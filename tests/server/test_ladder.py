"""The ladder: which matches count, how well levels tell people apart, giving up, the pages, and the commands of the host."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from itertools import combinations
from math import exp, log

import pytest

from meadhall.engine.rating import Belief, chance
from meadhall.server.ops.time import Time
from meadhall.server.settings import Settings
from meadhall.server.store import guests, ladder, matches, switches, tables
from meadhall.server.store.database import Db
from meadhall.server.store.ladder import Level
from meadhall.server.store.models import Entry, SeatRow, TableRow, new_id, new_link_token
from meadhall.server.store.store import Store
from server.halls import run_command
from server.people import AXES, HOARD, OpenHall, Person, play_out

pytestmark = pytest.mark.asyncio

PASSWORD = "correct horse battery"  # noqa: S105
LENGTH = 6
"""The decisions of a match in these tests."""


def played(
    db: Db,
    people: Sequence[str],
    scores: Sequence[float],
    decisions: int = LENGTH,
    why: str | None = None,
    left: int | None = None,
    hints: int = 0,
    hours: int = 0,
) -> TableRow:
    """Store a match of these people. ``left``: the seat that a bot plays after these decisions; ``hours``: how long it took."""
    began = db.now() - timedelta(hours=hours)
    seats = tuple(SeatRow(k, "human", id, None, frozenset({id}), new_link_token()) for k, id in enumerate(people))
    table = TableRow(new_id(), AXES, 1, {}, "running", people[0], True, b"\0" * 32, Time().now(), seats, started_at=began)
    entries = [Entry(k, "action", k % len(people), 0) for k in range(decisions)]
    entries += [Entry(decisions + k, "hint", 0, 0) for k in range(hints)]
    if left is not None:
        entries += [Entry(decisions, "stand_in", left, 0, {"bot": "jarl", "lasts": "end", "why": "resigned"})]
        entries += [Entry(decisions + k, "action", k % len(people), 0) for k in range(1, LENGTH)]
    tables.add(db, table)
    matches.append(db, table.id, entries)
    outcome = {"winners": [0], "scores": [*scores], "why": why}
    if why is None:
        outcome["places"] = [1 + sum(other > score for other in scores) for score in scores]
    return tables.save(db, replace(table, status="over", finished_at=db.now(), outcome=outcome))


def levels(db: Db) -> dict[str, Level]:
    everyone = db.values("SELECT guest FROM ratings")
    return {level.guest: level for level in ladder.levels_of(db, AXES, "{}", everyone)}


def belief(level: Level) -> Belief:
    return Belief(level.mu, level.sigma)


def with_ladder(db: Db, people: Sequence[str]) -> None:
    switches.put(db, "ladder", "on")
    for id in people:
        ladder.take_part(db, id, True)


def finishing(draw: random.Random, strengths: Sequence[float]) -> list[float]:
    """Return scores of people with as much luck as in OpenSkill's model: exp(strength) is the chance to be first."""
    luck = [strength - log(-log(draw.random())) for strength in strengths]
    return [sum(other < own for other in luck) / (len(luck) - 1) for own in luck]


def season(db: Db, seed: int, most: int) -> list[tuple[float, bool]]:
    """Let eight people play 30 matches each. Return each pair's better chance, and whether the better one is above."""
    draw = random.Random(seed)
    strength = {f"{seed}-{k}": draw.gauss(0, 1) for k in range(8)}
    with_ladder(db, [*strength])
    left = dict.fromkeys(strength, 30)
    while waiting := [each for each in strength if left[each] > 0]:
        players = draw.randint(2, most)
        rest = sorted((each for each in strength if each not in waiting), key=lambda each: draw.random())
        people = [*draw.sample(waiting, min(players, len(waiting))), *rest][:players]
        played(db, people, finishing(draw, [strength[each] for each in people]), decisions=1)
        for each in people:
            left[each] -= 1
    found = levels(db)
    pairs = combinations(sorted(strength, key=strength.__getitem__, reverse=True), 2)
    return [(1 / (1 + exp(strength[two] - strength[one])), found[one].mu > found[two].mu) for one, two in pairs]


@pytest.mark.parametrize("most", [2, 6])
async def test_after_30_matches_the_better_one_is_above_in_nine_of_ten_cases(settings: Settings, most: int) -> None:
    async with Store.open(settings) as store:
        pairs = [pair for seed in range(12) for pair in store.transact(season, seed, most)]
    clear = [is_above for share, is_above in pairs if share > 0.7]
    assert len(clear) > 100
    assert sum(clear) >= 0.9 * len(clear)


async def test_a_match_counts_only_among_people_who_took_part_before_it_began(settings: Settings) -> None:
    async with Store.open(settings) as store:
        people = ("ada", "bo", "cy")
        store.transact(with_ladder, people[:2])
        store.transact(played, people, [1, 0.5, 0])
        store.transact(played, people[:2], [1, 0], hints=1)
        store.transact(played, people[:2], [0.5, 0.5], why="agreement")
        found = store.transact(levels)
        assert {id: each.counted for id, each in found.items()} == {"ada": 1, "bo": 1}
        assert found["ada"].mu == found["bo"].mu == pytest.approx(25)
        store.transact(ladder.take_part, "cy", True)
        store.transact(played, people, [1, 0.5, 0], hours=1)
        assert store.transact(levels) == found
        ended = store.transact(played, people, [0, 1, 0.5])
        store.transact(tables.save, ended)  # as a rematch does
        found = store.transact(levels)
        assert found["bo"].mu > found["cy"].mu > found["ada"].mu
        assert [found[each].counted for each in people] == [2, 2, 1]
        store.transact(ladder.take_part, "ada", False)
        store.transact(played, people[:2], [1, 0])
        store.transact(switches.put, "ladder", "off")
        store.transact(played, people[1:], [1, 0])
        assert store.transact(levels) == found


async def test_giving_up_early_lowers_no_level_and_is_counted(settings: Settings) -> None:
    """A strong person who throws matches away stays where they are, and the hall sees it."""
    async with Store.open(settings) as store:
        people = ("strong", "weak", "third")
        store.transact(with_ladder, people)
        for _match in range(8):
            store.transact(played, people[:2], [1, 0])
            store.transact(played, people, [1, 0.5, 0])
        before = store.transact(levels)
        for _match in range(10):
            store.transact(played, people[:2], [0, 1], decisions=1, why="resignation")
            store.transact(played, people, [0.5, 1, 0], decisions=1, left=0)
        after = store.transact(levels)
        assert {id: belief(each) for id, each in after.items()} == {id: belief(each) for id, each in before.items()}
        assert (after["strong"].given_up, after["strong"].matches, after["strong"].counted) == (20, 36, 16)
        assert after["weak"].given_up == 0
        store.transact(played, people[:2], [0, 1], decisions=LENGTH - 1, why="time")
        late = store.transact(levels)
        assert late["strong"].mu < after["strong"].mu
        assert late["strong"].given_up == 21
        store.transact(played, people, [1, 0.5, 0], decisions=LENGTH - 1, left=0)
        last = store.transact(levels)
        assert last["strong"].mu < late["strong"].mu, "who gives up is last, however the bot has played on"
        assert last["third"].mu > late["third"].mu


async def test_levels_are_computed_anew_without_a_mistaken_result(settings: Settings) -> None:
    async with Store.open(settings) as store:
        people = ("ada", "bo")
        store.transact(with_ladder, people)
        for _match in range(3):
            store.transact(played, people, [1, 0])
        before = store.transact(levels)
        mistaken = store.transact(played, people, [0, 1])
        after = store.transact(levels)
    refused = await asyncio.to_thread(run_command, settings, "ladder", "exclude", "none")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "no match of a table none" in refused.stderr
    done = await asyncio.to_thread(run_command, settings, "ladder", "exclude", mistaken.id)
    assert (done.returncode, done.stderr) == (0, "")
    async with Store.open(settings) as store:
        assert store.transact(levels) == before
    await asyncio.to_thread(run_command, settings, "ladder", "include", mistaken.id)
    async with Store.open(settings) as store:
        assert store.transact(levels) == after
        store.transact(lambda db: db.run("UPDATE ratings SET mu = 0"))
    done = await asyncio.to_thread(run_command, settings, "ladder", "recompute", "--game", AXES)
    assert "from 4 matches" in done.stdout
    async with Store.open(settings) as store:
        assert store.transact(levels) == after
        logged = store.transact(lambda db: db.values("SELECT deed || ' ' || subject FROM host_log ORDER BY id"))
    assert logged == [f"ladder-exclude {mistaken.id}", f"ladder-include {mistaken.id}", f"ladder-recompute {AXES}"]


async def test_at_a_large_table_a_strength_decides_less() -> None:
    strong, weak = Belief(30.0, 1.0), Belief(24.0, 1.0)
    assert 0.5 < chance(strong, weak, 6) < chance(strong, weak, 2)
    assert chance(strong, weak, 2, -1.6) < chance(strong, weak, 2) < chance(strong, weak, 2, 1.6)
    assert chance(strong, weak) + chance(weak, strong) == pytest.approx(1)


async def account(hall: OpenHall, name: str, address: str) -> Person:
    person = hall.person(address)
    assert (await person.post("/account/new", {"name": name, "password": PASSWORD})).status_code == 200
    return person


async def test_the_ladder_is_off_until_the_host_and_each_person_want_it(hall: OpenHall) -> None:
    astrid, bjorn = await account(hall, "Astrid", "10.0.0.1"), await account(hall, "Björn", "10.0.0.2")
    assert (await astrid.get(f"/ladder/{HOARD}")).status_code == 403
    assert (await astrid.post("/ladder", {"part": "on"})).status_code == 403
    for path in ("/settings", "/people/me"):
        assert "ladder" not in (await astrid.get(path)).text
    hall.switch("ladder", "on")
    guest = hall.person("10.0.0.3")
    assert (await guest.post("/ladder", {"part": "on"})).status_code == 400
    assert "Take part" not in (await guest.get("/settings")).text
    assert (await astrid.get("/ladder/none")).status_code == 404
    for person in (astrid, bjorn):
        assert "Take part in the ladder" in (await person.get("/settings")).text
        answer = await person.post("/ladder", {"part": "on", "back": f"/ladder/{HOARD}"})
        assert answer.headers["location"] == f"/ladder/{HOARD}"
    table = await astrid.open(HOARD)
    assert (await bjorn.ask(f"/tables/{table}/seats", {"set": "sit"})).status_code == 200
    assert (await astrid.ask(f"/tables/{table}/start")).status_code == 200
    await play_out(await hall.room(table), {0: astrid, 1: bjorn})
    page = (await guest.get(f"/ladder/{HOARD}")).text
    assert page.count("too few matches yet: 1 of 10") == 2
    assert "too few matches yet: 1 of 10" in (await astrid.get("/people/me")).text
    assert "You have too few matches for a place yet: 1 of 10." in (await astrid.get(f"/ladder/{HOARD}")).text
    await bjorn.post("/ladder", {"part": "off"})
    assert "Björn" not in (await guest.get(f"/ladder/{HOARD}")).text
    hall.switch("ladder", "off")
    assert "too few matches" not in (await astrid.get("/people/me")).text


async def test_levels_are_chances_in_words_with_their_ends(hall: OpenHall) -> None:
    hall.switch("ladder", "on")
    names = ("Astrid", "Björn", "Cnut")
    people = [await account(hall, name, f"10.0.0.{k}") for k, name in enumerate(names)]
    ids = hall.store.transact(lambda db: [db.value("SELECT id FROM guests WHERE name = ?", name) for name in names])
    for person in people:
        await person.post("/ladder", {"part": "on"})
    for _match in range(10):
        hall.store.transact(played, ids, [1, 0.5, 0])
    for _match in range(5):
        hall.store.transact(played, ids[:2], [0, 1], decisions=1, why="resignation")
    page = (await people[1].get(f"/ladder/{AXES}")).text
    assert page.index("<bdi>Astrid") < page.index("<bdi>Björn") < page.index("<bdi>Cnut")
    assert "Your place: 2 of 3." in page
    assert "about 50 %, between" in page
    assert "You against Cnut: about" in page
    assert "gave up 5 of 15" in page
    best = hall.store.transact(guests.find, ids[0])
    assert best is not None
    profile = (await people[2].get(f"/people/{best.public_id}")).text
    assert "gave up 5 of 15" in profile
    for days, is_shown in ((1, False), (-1, True)):
        at = hall.store.time.now()
        hall.store.transact(guests.change, ids[2], closed_at=at, closed_until=at + timedelta(days=days))
        assert ("<bdi>Cnut" in (await people[1].get(f"/ladder/{AXES}")).text) is is_shown, "after a closing they are back"
