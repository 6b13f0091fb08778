"""The puzzle of the day: one deal for all guests, one attempt each, and nothing revealed too early."""

from __future__ import annotations

import asyncio
import hmac
import random
import re
import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from games_for_tests.hoard.rules import BOAST, DRAW
from games_for_tests.hoard.words import NAMES
from meadhall.engine.match.match import Match
from meadhall.engine.registry import game, registered
from meadhall.engine.text.lessons import Outcome
from meadhall.games.axxa import DAILY
from meadhall.server.hall import daily_puzzle
from meadhall.server.hall.daily_puzzle import seed_of, today
from meadhall.server.hall.room import Room
from meadhall.server.settings import Settings
from meadhall.server.store import guests, puzzles, tables
from meadhall.server.store.database import Db
from meadhall.server.store.models import SeatRow, new_link_token
from meadhall.server.store.store import Store
from meadhall.server.worker.client import WorkerLost
from server.hoard_alone import HOARD_ALONE, measure
from server.leaks import everything, keys
from server.manual_time import ManualTime
from server.people import HOARD, OpenHall, Person, Program, open_hall, stream
from server.rows import table_of

pytestmark = [pytest.mark.asyncio, pytest.mark.usefixtures("time")]


@pytest.fixture(autouse=True)
def puzzle(at_once: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Make Hoard the puzzle of every day."""
    with registered(HOARD_ALONE):
        monkeypatch.setattr(daily_puzzle, "game_names", lambda: [HOARD])
        yield


@pytest.fixture
def days_later(time: ManualTime) -> Any:
    """Return a function that sets the date of the hall: today, and a number of days later."""
    today = time.now()

    def pass_(days: int) -> None:
        time.set_date(today + timedelta(days=days))

    return pass_


@pytest_asyncio.fixture
async def robot(hall: OpenHall) -> Program:
    return await hall.program()


async def begin(hall: OpenHall, person: Person, name: str = "") -> Room:
    """Let a person begin today's puzzle."""
    if name:
        await person.post("/settings", {"name": name})
    answer = await person.ask("/daily")
    assert answer.status_code == 201, answer.text
    return await hall.room(str(answer.json()["id"]))


async def play_out(room: Room, person: Person, cards: int = 99) -> None:
    """Lay out the highest card in hand, or draw. Resign after ``cards`` cards."""
    while room.match is not None and not room.match.over:
        if cards == 0:
            assert (await person.ask(f"/tables/{room.table.id}/resign")).status_code == 200
            return
        action = max(action.action for action in room.match.legal() if action.action < DRAW)
        assert (await person.act(room.table.id, action)).status_code == 200
        cards -= 1


def shown_figures(page: str) -> list[tuple[str, ...]]:
    """Return the rows of the list of the best: place, name, figures."""
    body = re.search(r'<table class="best">.*?<tbody>(.*?)</tbody>', page, re.DOTALL)
    assert body, page
    return [
        tuple(
            re.findall(r"<td>(\d+)</td>", row)[:1]
            + re.findall(r'class="name">(.*?)<', row)
            + re.findall(r"<td>(\d+)</td>", row)[1:]
        )
        for row in re.findall(r"<tr.*?</tr>", body[1], re.DOTALL)
    ]


# ---------------------------------------------------------------------------------------------------------------- the deal


async def test_all_guests_get_the_same_deal_which_follows_from_the_day_and_a_secret(hall: OpenHall) -> None:
    rooms = [await begin(hall, hall.person(f"10.0.0.{k}")) for k in range(3)]
    secret = bytes.fromhex(hall.store.secret("daily"))
    seed = hmac.digest(secret, f"daily {today(hall.store.time)}".encode(), "sha256")
    for room in rooms:
        assert room.match is not None
        assert room.match.seed == seed
        assert room.match.names == (room.table.seats[0].name,)
        assert room.table.options == {"hand": "many", "mode": "together"}
        assert not room.table.is_public
    assert seed_of(hall.store, "2026-01-01") != seed_of(hall.store, "2026-01-02")


async def test_another_hall_has_another_deal_and_a_restart_has_the_same(settings: Settings, tmp_path: Path) -> None:
    seeds = []
    for folder in (tmp_path / "a", tmp_path / "a", tmp_path / "b"):
        async with open_hall(replace(settings, data=folder)) as hall:
            seeds.append((await begin(hall, hall.person())).table.seed)
    assert seeds[0] == seeds[1] != seeds[2]


# ------------------------------------------------------------------------------------------------------------- one attempt


async def test_an_attempt_is_continued_and_never_begun_again(hall: OpenHall) -> None:
    guest = hall.person()
    assert 'id="begin"' in (await guest.get("/daily")).text
    await guest.post("/settings", {"name": "Ada"})
    answers = await asyncio.gather(*(guest.ask("/daily") for _ in range(6)))
    (table,) = {answer.json()["id"] for answer in answers}
    room = await hall.room(table)
    assert (await guest.post("/daily")).headers["location"] == f"/tables/{table}"
    await play_out(room, guest)
    assert (await guest.post("/daily")).headers["location"] == f"/tables/{table}"
    refused = await guest.ask(f"/tables/{table}/rematch")
    assert (refused.status_code, refused.json()["error"]) == (409, "wrong-moment")
    page = (await guest.get(f"/tables/{table}")).text
    assert 'id="rematch"' not in page
    assert f'href="/daily/{today(hall.store.time)}"' in page
    assert "chart-wait" not in page
    assert [each.id for each in hall.store.transact(puzzles.attempts, today(hall.store.time), room.table.host)] == [table]


async def test_another_device_continues_the_same_attempt(hall: OpenHall) -> None:
    desk, phone = hall.person(), hall.person("10.0.0.2")
    room = await begin(hall, desk)
    await phone.post(f"/seat/{room.table.seats[0].link_token}")
    assert (await begin(hall, phone)).table.id == room.table.id
    assert (await phone.act(room.table.id, DRAW)).status_code == 200


async def test_there_are_no_hints_and_only_the_free_undo(hall: OpenHall) -> None:
    guest = hall.person()
    room = await begin(hall, guest)
    page = (await guest.get(f"/tables/{room.table.id}")).text
    assert 'id="hint"' not in page
    assert "Give up today" in page
    refused = await guest.ask(f"/tables/{room.table.id}/hint")
    assert (refused.status_code, refused.json()["error"]) == (409, "wrong-moment")
    await guest.act(room.table.id, BOAST)
    assert (await guest.ask(f"/tables/{room.table.id}/undo")).status_code == 200
    await guest.act(room.table.id, DRAW)
    assert (await guest.ask(f"/tables/{room.table.id}/undo")).status_code == 409


async def test_unfinished_puzzles_do_not_count_as_hosted_tables(settings: Settings) -> None:
    async with open_hall(settings) as hall:
        hall.switch("tables_per_guest", "1")
        guest = hall.person()
        await begin(hall, guest)
        await guest.open(HOARD)
        assert (await guest.ask("/tables", {"game": HOARD, "kind": "friends"})).status_code == 429


async def test_a_hall_without_puzzles_has_none(hall: OpenHall, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(daily_puzzle, "game_names", lambda: ["axes-and-allies"])
    guest = hall.person()
    assert "today-title" not in (await guest.get("/")).text
    for answer in (await guest.get("/daily"), await guest.post("/daily")):
        assert answer.status_code == 404


# --------------------------------------------------------------------------------------------- nothing before it is time


async def all_answers(visitor: Person, robot: Program, table: str) -> str:
    """Return every response about an attempt, joined."""
    paths = ["", "/replay?step=0&seat=all", "/replay?step=99&seat=all", "/replay?step=0&seat=0", "/record", "/verify"]
    answers = [await visitor.get(f"/tables/{table}{path}") for path in paths]
    answers += [
        await visitor.get("/daily"),
        await visitor.get(f"/daily/{today(visitor.app.state.hall.time)}"),
        await visitor.get("/"),
    ]
    answers += [await robot.read(f"/tables/{table}{path}") for path in ("", "/record")]
    shown = [everything(answer) for answer in answers]
    async with stream(visitor, f"/tables/{table}/stream") as live:
        if live.status == 200:
            shown.append(await live.frame())
    async with stream(robot, f"/api/v1/tables/{table}/events") as live:
        name = "" if live.status == 200 else "table"
        while name != "table":
            name, data = await live.event()
            shown.append(str(data))
    return "\n".join(shown)


@pytest.mark.parametrize("cards", [0, 99], ids=["given up", "played out"])
async def test_the_seed_and_the_covered_cards_are_published_after_the_day(
    hall: OpenHall, robot: Program, days_later: Any, cards: int
) -> None:
    guest, friend = hall.person(), hall.person("10.0.0.2")
    room = await begin(hall, guest)
    assert room.match is not None
    hidden = [NAMES[card] for card in room.match.states["deck"][0].tolist() if card]
    await play_out(room, guest, cards)
    await play_out(await begin(hall, friend), friend)
    await _add_finished_attempt(hall, robot, room)

    shown = "".join([await all_answers(each, robot, room.table.id) for each in (guest, friend)])
    assert room.match.commitment in shown
    for key in keys(room.match):
        assert key not in shown
    assert not any(f">{card}<" in shown or f"{card} {hidden[0]}" in shown for card in hidden)
    record = (await guest.get(f"/tables/{room.table.id}/record")).json()
    assert record["complete"] is False
    assert not any(event[0] == "bottom" for event in record["setup"])

    days_later(1)
    shown = await all_answers(friend, robot, room.table.id)
    assert room.match.seed.hex() in shown
    assert (await guest.get(f"/tables/{room.table.id}/record")).json()["seed"] == room.match.seed.hex()


async def _add_finished_attempt(hall: OpenHall, robot: Program, room: Room) -> None:
    """Store a finished attempt of a program, which can't begin one through the API."""
    me = (await hall.room((await robot.open(game=HOARD, players=2))["id"])).table.host
    seat = SeatRow(0, "human", "Robot", None, frozenset({me}), new_link_token())
    hall.store.add_table(replace(room.table, id="robots", host=me, seats=(seat,), status="over", rules=0))


async def test_another_attempt_is_shown_only_to_guests_who_have_finished(hall: OpenHall, robot: Program, days_later: Any) -> None:
    guest, friend, third = (hall.person(f"10.0.0.{k}") for k in range(3))
    room, own = await begin(hall, guest), await begin(hall, friend)
    address = f"/tables/{room.table.id}"
    await third.get("/settings")
    for person in (friend, third):
        for path in ("", "/replay", "/record", "/verify", "/stream"):
            answer = await person.get(address + path)
            assert answer.status_code == 409
            assert "Play your own first" in answer.text
        assert (await person.ask(f"{address}/act", {"action": str(DRAW)})).status_code == 409
    assert (await robot.read(f"/tables/{room.table.id}")).status_code == 409
    assert (await robot.act(room.table.id, DRAW)).status_code == 409
    await play_out(own, friend)
    assert (await friend.get(address)).status_code == 200
    assert (await friend.get(address + "/replay")).status_code == 200
    days_later(1)
    assert (await third.get(address)).status_code == 200


# ------------------------------------------------------------------------------------------------------------------ results


async def test_results_are_shown_to_guests_who_have_finished_and_to_all_the_day_after(hall: OpenHall, days_later: Any) -> None:
    ada, bo, cy, di = (hall.person(f"10.0.0.{k}") for k in range(4))
    for person, name, cards in ((ada, "Ada", 99), (bo, "Bo", 1), (cy, "Cy", 0)):
        await play_out(await begin(hall, person, name), person, cards)
    room = await begin(hall, di, "Di")
    for person in (di, hall.person("10.0.0.9")):
        page = (await person.get("/daily")).text
        assert "3 people have finished." in page
        assert "Ada" not in page
        assert 'class="plot"' not in page

    best = shown_figures((await bo.get("/daily")).text)
    assert [row[:2] for row in best] == [("1", "Ada"), ("2", "Bo"), ("3", "Cy")]
    assert [int(row[3]) for row in best] == [3, 1, 0]
    assert int(best[0][2]) > int(best[1][2]) > int(best[2][2]) == 0
    page = (await bo.get("/daily")).text
    assert f"Coins {best[1][2]} · Turns 1/12\nhttp://hall.test/daily" in page
    assert re.findall(r"<tr class=\"you\"><th scope=\"row\">(\d+) \(you\)", page) == [best[1][2], "1"]

    days_later(1)
    page = (await di.get(f"/daily/{room.table.daily}")).text
    assert shown_figures(page) == best
    assert "isn't listed here" in page
    assert "isn't listed here" not in (await bo.get(f"/daily/{room.table.daily}")).text
    assert shown_figures((await hall.person("10.0.0.8").get(f"/daily/{room.table.daily}")).text) == best


async def test_equal_results_share_a_place(hall: OpenHall) -> None:
    for k in range(3):
        person = hall.person(f"10.0.0.{k}")
        await play_out(await begin(hall, person), person, cards=1 if k else 0)
    assert [row[0] for row in shown_figures((await person.get("/daily")).text)] == ["1", "1", "3"]


async def test_an_attempt_that_was_finished_after_its_day_does_not_count(hall: OpenHall, days_later: Any) -> None:
    guest = hall.person()
    days_later(-1)
    yesterday = today(hall.store.time)
    room = await begin(hall, guest)
    days_later(0)
    await play_out(room, guest)
    page = (await guest.get(f"/daily/{yesterday}")).text
    assert "isn't listed here" in page
    assert "There are no finished attempts for this day." in page


def _copy_attempt(db: Db, table: str, count: int) -> None:
    """Add copies of a ranked attempt, by other guests."""
    for name, key in (("tables", "id"), ("seats", "table_id"), ("seat_guests", "table_id")):
        columns = db.values("SELECT name FROM pragma_table_info(?)", name)
        changed = {key: "'copy' || n", "host": "'host' || n", "link_token": "'link' || n", "guest": "'host' || n"}
        changed["finished_at"] = "strftime('%Y-%m-%d %H:%M:%f000', finished_at, '+' || (n / 1000.0) || ' seconds')"
        copied = ", ".join(changed.get(column, column) for column in columns)
        numbers = f"WITH RECURSIVE counted(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counted WHERE n < {count})"  # noqa: S608
        rows = f"SELECT {copied} FROM {name}, counted WHERE {name}.{key} = '{table}'"  # noqa: S608
        db.run(f"INSERT INTO {name} ({', '.join(columns)}) {numbers} {rows}")
    same = f"(SELECT standing FROM tables WHERE id = '{table}')"  # noqa: S608
    db.run(f"UPDATE daily_scores SET attempts = attempts + {count} WHERE standing = {same}")  # noqa: S608


async def test_the_page_costs_the_same_at_10000_attempts(hall: OpenHall) -> None:
    """Count the steps of SQLite's virtual machine."""
    guest, other = hall.person(), hall.person("10.0.0.2")
    table = await begin(hall, guest, "Ada")
    await play_out(table, guest, cards=3)
    await play_out(await begin(hall, other, "Bo"), other, cards=1)

    async def steps_of(page: str) -> int:
        steps = 0

        def count() -> int:
            nonlocal steps
            steps += 1
            return 0

        def listen(db: Db) -> None:
            db.raw.set_progress_handler(count if page else None, 100)

        hall.store.transact(listen)
        assert "people have finished" in (text := (await hall.person("10.0.0.9").get(page)).text)
        assert "Ada" not in text
        best = shown_figures((await guest.get(page)).text)
        assert best[0][:2] == ("1", "Ada")
        return steps

    few = await steps_of("/daily")
    hall.store.transact(lambda db: _copy_attempt(db, table.table.id, 10_000))
    many = await steps_of("/daily")
    page = (await hall.person("10.0.0.9").get("/daily")).text
    assert "10002 people have finished" in re.sub("(?<=[0-9]),(?=[0-9]{3})", "", page)
    assert many < few + 100, "twenty attempts are listed in place of two; reading all of them takes 6,000"


async def test_results_are_measured_once_and_survive_a_restart(settings: Settings) -> None:
    async with open_hall(settings) as hall:
        guest = hall.person()
        room = await begin(hall, guest, "Ada")
        await play_out(room, guest)
        best = shown_figures((await guest.get("/daily")).text)
        (table,) = hall.store.transact(puzzles.best, today(hall.store.time), 9)
        assert room.match is not None
        assert table.figures == {"won": int(bool(room.match.result().winners)), **measure(room.match)}  # type: ignore[union-attr]
    async with open_hall(settings) as hall:
        again = hall.person()
        again.http.cookies = guest.http.cookies
        assert shown_figures((await again.get("/daily")).text) == best
        assert not hall.hall.rooms()


async def test_the_front_page_announces_it_and_shows_the_state_of_the_own_attempt(hall: OpenHall) -> None:
    guest = hall.person()
    assert "one try each" in (await guest.get("/")).text
    room = await begin(hall, guest)
    front = (await guest.get("/")).text
    assert "You have started" in front
    assert "Hoard, puzzle of the day" in front
    await play_out(room, guest)
    assert "See how the others did" in (await guest.get("/")).text


@pytest.mark.parametrize("day", ["9999-01-01", "2026-02-30", "20260101", "today", "1999-12-31", "%00"])
async def test_days_without_a_puzzle_are_not_found(hall: OpenHall, day: str) -> None:
    assert (await hall.person().get(f"/daily/{day}")).status_code == 404


async def test_earlier_days_are_listed(hall: OpenHall, days_later: Any) -> None:
    for days in (-2, -1):
        days_later(days)
        await begin(hall, hall.person())
    earlier = [(datetime.now(UTC) + timedelta(days=days)).date().isoformat() for days in (-1, -2)]
    days_later(0)
    page = (await hall.person().get("/daily")).text
    assert re.findall(r'href="/daily/([\d-]+)"', page)[:2] == earlier


async def test_the_page_says_when_the_day_ends_and_that_it_has_ended(hall: OpenHall, days_later: Any) -> None:
    guest, day = hall.person(), today(hall.store.time)
    ends = (datetime.fromisoformat(day) + timedelta(days=1)).strftime("%Y-%m-%dT00:00:00Z")
    page = (await guest.get("/daily")).text
    assert re.search(rf'Ends: <time datetime="{ends}" data-local>[^<]*00:00 UTC</time>', page)
    assert re.search(rf'id="day-ended"[^>]* hidden data-after="{ends}"', page), "a script shows it at midnight"
    room = await begin(hall, guest)
    assert f'hidden data-after="{ends}"' in (await guest.get(f"/tables/{room.table.id}")).text
    days_later(1)
    room.publish()
    assert "your attempt no longer counts" in (await guest.get(f"/tables/{room.table.id}")).text
    assert 'id="day-ended" class="note">' in (await guest.get(f"/tables/{room.table.id}")).text
    assert f'Ended: <time datetime="{ends}"' in (await guest.get(f"/daily/{day}")).text


@pytest.mark.parametrize("attempted", [True, False])
async def test_a_past_day_is_played_unranked_and_today_is_not(hall: OpenHall, days_later: Any, attempted: bool) -> None:
    guest, day = hall.person(), today(hall.store.time)
    ranked = await begin(hall, hall.person("10.0.0.3")) if attempted else None
    answer = await guest.ask(f"/daily/{day}")
    assert (answer.status_code, answer.json()["error"]) == (409, "wrong-moment")
    days_later(1)
    for _ in range(2):
        assert 'id="unranked"' in (await guest.get(f"/daily/{day}")).text
        answer = await guest.ask(f"/daily/{day}")
        assert answer.status_code == 201, answer.text
        room = await hall.room(answer.json()["id"])
        assert (room.table.daily, room.table.seed) == (None, seed_of(hall.store, day))
        assert ranked is None or room.table.seed == ranked.table.seed
        await play_out(room, guest)
    page = (await guest.get(f"/daily/{day}")).text
    assert "There are no finished attempts for this day." in page, "it counts nowhere"
    assert (await guest.ask("/daily/1999-12-31")).status_code == 404


# ----------------------------------------------------------------------------------------------------- whether it could be won


@pytest.fixture
def judged(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Any]]:
    """Give Hoard an outcome: the first item of this list. The seeds of the solved matches follow it."""
    answers: list[Any] = [Outcome(True, 31)]

    def outcome(match: Match) -> Outcome:
        answers.append(match.seed)
        if isinstance(answers[0], Exception):
            raise answers[0]
        answer: Outcome = answers[0]
        return answer

    assert HOARD_ALONE.daily is not None
    with registered(replace(HOARD_ALONE, daily=replace(HOARD_ALONE.daily, outcome=outcome))):
        yield answers


async def shown_outcome(person: Person, day: str = "") -> str:
    found = re.search(r'<p id="outcome".*?>(.*?)</p>', (await person.get(f"/daily/{day}".rstrip("/"))).text)
    return found[1] if found else ""


async def test_a_puzzle_is_solved_once_and_its_outcome_shown_after_the_attempt(hall: OpenHall, judged: list[Any]) -> None:
    ada, bo, cy = (hall.person(f"10.0.0.{k}") for k in range(3))
    room = await begin(hall, ada)
    await begin(hall, bo)
    for person in (ada, bo, cy):
        assert await shown_outcome(person) == ""
    assert len(judged) == 1, "no page needed the outcome"
    await play_out(room, ada)
    assert "Solvable in 31 moves" in await shown_outcome(ada)
    assert await shown_outcome(bo) == await shown_outcome(cy) == ""
    await play_out(await begin(hall, bo), bo, cards=0)
    assert "Solvable in 31 moves" in await shown_outcome(bo)
    assert judged[1:] == [room.table.seed]


async def test_the_outcome_is_shown_the_day_after_and_in_german(hall: OpenHall, judged: list[Any], days_later: Any) -> None:
    guest = hall.person()
    days_later(-1)
    day = today(hall.store.time)
    await play_out(await begin(hall, guest), guest)
    days_later(0)
    german = hall.person("10.0.0.2", **{"Accept-Language": "de"})
    assert "Lösbar in" in await shown_outcome(german, day)
    assert "31 Züge" in await shown_outcome(german, day)


async def test_the_solution_is_shown_when_the_day_has_ended(hall: OpenHall, judged: list[Any], days_later: Any) -> None:
    guest, day = hall.person(), today(hall.store.time)
    judged[0] = Outcome(True, 2, (BOAST, DRAW))
    room = await begin(hall, guest)
    await play_out(room, guest)
    assert "Solvable in 2 moves" in await shown_outcome(guest)
    await guest.post("/people/me/visibility", {"profile": "public"})
    found = hall.store.transact(guests.find, room.table.host)
    assert found is not None
    assert 'class="calendar"' in (await guest.get("/people/me")).text
    assert 'class="calendar"' not in (await hall.person("10.0.0.2").get(f"/people/{found.public_id}")).text
    assert 'id="solution"' not in (await guest.get("/daily")).text, "others still play"
    days_later(1)
    page = (await guest.get(f"/daily/{day}")).text
    shown = re.search(r'<ol class="solution">(.*?)</ol>', page)
    assert shown
    assert len(re.findall("<li>", shown[1])) == 2


@pytest.mark.parametrize(
    ("outcome", "words"),
    [
        (Outcome(False), "This deal can't be solved"),
        (Outcome(None), "The solver couldn't find out"),
        (Outcome(True, 1), "Solvable in 1 move with"),
        (ValueError("a mistake"), "The solver couldn't find out"),
    ],
)
async def test_every_outcome_has_a_text(hall: OpenHall, judged: list[Any], outcome: Any, words: str) -> None:
    judged[0] = outcome
    guest = hall.person()
    await play_out(await begin(hall, guest), guest)
    assert words in await shown_outcome(guest)


async def test_an_outcome_is_computed_again_after_the_worker_process_ended(hall: OpenHall, judged: list[Any]) -> None:
    judged[0] = WorkerLost("the worker process has ended")
    guest = hall.person()
    await play_out(await begin(hall, guest), guest)
    assert "The solver couldn't find out" in await shown_outcome(guest)
    judged[0] = Outcome(True, 31)
    assert "Solvable in 31 moves" in await shown_outcome(guest)


async def test_a_page_does_not_wait_for_a_long_search(hall: OpenHall, judged: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(daily_puzzle, "MAX_WAIT", 0)
    guest = hall.person()
    await play_out(await begin(hall, guest), guest)
    assert "still checking" in await shown_outcome(guest)
    await asyncio.wait(hall.hall.outcomes._solving.values())
    assert "Solvable in 31 moves" in await shown_outcome(guest)
    assert len(judged) == 2


# -------------------------------------------------------------------------------------------------------------------- store


async def test_the_database_keeps_one_attempt_of_a_guest_and_day(on_sqlite: Settings) -> None:
    async with Store.open(on_sqlite) as store:
        first = table_of("a1", daily="2026-11-21")
        store.add_table(first)
        with pytest.raises(sqlite3.IntegrityError):
            store.add_table(table_of("a1", daily="2026-11-21"))
        others = [table_of("a1", daily="2026-11-22"), table_of("b1", daily="2026-11-21"), table_of("a1"), table_of("a1")]
        for table in others:
            store.add_table(table)
        assert [table.id for table in store.transact(puzzles.attempts, "2026-11-21", "b1")] == [others[1].id]
        assert [table.id for table in store.transact(puzzles.attempts, "2026-11-21", "a1")] == [first.id]
        assert [table.id for table in store.transact(puzzles.attempts, "2026-11-21", "a12")] == [first.id], (
            "the attempt counts for the guest who followed the link"
        )
        assert store.transact(puzzles.attempted_days) == ["2026-11-22", "2026-11-21"]
        store.transact(puzzles.save_figures, first.id, {"coins": 3})
        assert store.transact(tables.find, first.id) == replace(first, figures={"coins": 3}, version=1)


# --------------------------------------------------------------------------------------------------------------------- AxxA


async def test_axxa_measures_triplets_moves_and_payments() -> None:
    draw = random.Random(7)
    match = game("axxa").match(1, seed="measured", **DAILY.options)
    assert DAILY.measure(match) == {"triplets": 0, "moves": 0, "payments": 0}
    while not match.over:
        match.play(draw.choice(match.legal()))
        table: Any = match.state
        figures = DAILY.measure(match)
        assert figures["triplets"] == int((table.taker > 0).sum())
        assert figures["payments"] == sum(table.paid)
        assert figures["payments"] <= figures["moves"] <= figures["payments"] + figures["triplets"] + 1
    assert set(figures) == {figure.name for figure in DAILY.figures}


async def test_axxa_is_better_with_more_triplets_and_when_solved_with_fewer_payments() -> None:
    attempts = [(0, 0, 0), (6, 15, 8), (5, 20, 16), (6, 14, 8), (5, 9, 3), (6, 14, 7)]
    figures = [dict(zip(("triplets", "moves", "payments"), each, strict=True)) for each in attempts]
    best = sorted(figures, key=DAILY.order)
    assert [tuple(each.values()) for each in best] == [(6, 14, 7), (6, 14, 8), (6, 15, 8), (5, 20, 16), (5, 9, 3), (0, 0, 0)]
    assert DAILY.order(best[3]) == DAILY.order(best[4]), "giving up early gains nothing"


async def test_axxa_determines_whether_a_shuffle_can_be_won() -> None:
    match = game("axxa").match(1, seed="could it?", **DAILY.options)
    assert DAILY.outcome is not None
    outcome = DAILY.outcome(match)
    assert outcome.won
    assert 6 <= outcome.moves <= 24
    for action in outcome.line:
        match.play(action)
    result = match.result()
    assert result is not None
    assert result.winners == (0,)
