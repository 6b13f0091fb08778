"""What finished matches mean for each person, written with their end; and the profile that shows them."""

from __future__ import annotations

import asyncio
import re
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from meadhall.engine.match.record import loads, read_record, read_records
from meadhall.engine.replay import replay
from meadhall.server.hall.people.profiles import Streak, puzzle_streak, winning_streak
from meadhall.server.ops.time import Time
from meadhall.server.settings import Settings
from meadhall.server.store import acquaintances, guests, profiles, tables
from meadhall.server.store.models import Entry, Guest, SeatRow, TableRow, new_id, new_link_token
from meadhall.server.store.profiles import PlayedFilter
from meadhall.server.store.store import Store
from server.people import AXES, HOARD, OpenHall, play_out
from server.rows import append, save


def rows_of(guest: str) -> Any:
    return lambda db: [SimpleNamespace(**dict(row)) for row in db.rows("SELECT * FROM results WHERE guest = ?", guest)]


def table_of(people: list[str], bots: list[str] | None = None, **changes: Any) -> TableRow:
    """Return a running table with people and bots."""
    seats = [SeatRow(k, "human", name.title(), None, frozenset({name}), new_link_token()) for k, name in enumerate(people)]
    for level in bots or []:
        seats.append(SeatRow(len(seats), "bot", "Gorm", level, frozenset(), new_link_token()))
    options = {"variant": "standard", "armory": "after"}  # a house rule that does not hold changes no group
    table = TableRow(
        new_id(),
        "viking-axes",
        1,
        options,
        "running",
        people[0],
        True,
        b"\0" * 32,
        Time().now(),
        tuple(seats),
        started_at=Time().now(),
    )
    return replace(table, **changes)


async def end(store: Store, table: TableRow, scores: list[float] | None, entries: list[Entry] | None = None) -> TableRow:
    """Store a table with its match and its end; ``scores``: None if it was given up without a winner."""
    store.add_table(table)
    for entry in entries or []:
        append(store, table, entry)
    ended_at = table.finished_at or Time().now()
    if scores is None:
        return save(store, replace(table, status="abandoned", finished_at=ended_at, abandon_reason="enough"))
    winners = [seat for seat, score in enumerate(scores) if score == max(scores)]
    outcome = {"winners": winners, "scores": scores, "why": None}
    return save(store, replace(table, status="over", finished_at=ended_at, outcome=outcome))


@pytest.mark.asyncio
async def test_the_end_of_a_match_stores_what_it_means_for_each_person(hall: OpenHall) -> None:
    host, friend, room = await hall.two_at(HOARD)
    (mine,), (theirs,) = (room.table.seats[seat].guests for seat in (0, 1))
    assert hall.store.transact(rows_of(mine)) == []
    await play_out(room, {0: host, 1: friend})
    (one,), (other,) = [hall.store.transact(rows_of(guest)) for guest in (mine, theirs)]
    assert room.match is not None
    outcome = room.match.outcome()
    assert outcome is not None
    assert (one.score, other.score) == tuple(outcome.scores)
    assert {one.seat, other.seat} == {0, 1}
    assert one.decisions == other.decisions == len(room.match.steps)
    assert (one.people, one.players, one.bots) == (2, 2, "")


@pytest.mark.asyncio
async def test_a_resigned_match_is_lost_and_a_match_that_was_given_up_counts_nowhere(hall: OpenHall) -> None:
    host, _friend, room = await hall.two_at(HOARD)
    guests = [min(seat.guests) for seat in room.table.seats]
    assert (await host.ask(f"/tables/{room.table.id}/resign")).status_code == 200
    scores = [row.score for guest in guests for row in hall.store.transact(rows_of(guest))]
    assert scores == [0.0, 1.0]
    groups, order, _days = hall.store.transact(profiles.results_of, guests[0], "2999-01-01")
    assert [(group.matches, group.won, group.ranked, group.places) for group in groups] == [(1, 0, 1, 2)]
    assert order == [0.0]


@pytest.mark.asyncio
async def test_results_are_the_same_on_sqlite_and_after_a_second_end(on_sqlite: Settings) -> None:
    async with Store.open(on_sqlite) as store:
        entries = [Entry(1, "action", 0, 3), Entry(2, "hint", 0, 2), Entry(3, "hinted", 0, 4), Entry(4, "undo", 0, 1)]
        ended = await end(store, table_of(["ada", "bo"], ["jarl", "karl"]), [0.5, 0, 0.5, 0], entries)
        save(store, ended)  # as a rematch does
        (row,) = store.transact(rows_of("ada"))
        assert (row.score, row.place, row.decisions, row.hints) == (0.5, None, 1, 1)
        assert (row.players, row.people, row.bots, row.variant) == (4, 2, "mixed", '{"variant":"standard"}')
        await end(store, table_of(["ada"], ["jarl"], daily=None), None)
        groups, scores, _days = store.transact(profiles.results_of, "ada", "2999-01-01")
        assert [(group.matches, group.score, group.shared, group.hints) for group in groups] == [(1, 0.5, 1, 1)]
        assert scores == [0.5]


@pytest.mark.asyncio
async def test_a_seat_that_a_bot_played_to_the_end_is_lost(on_sqlite: Settings) -> None:
    def stand_in(number: int, seat: int, lasts: str) -> Entry:
        return Entry(number, "stand_in", seat, 0, {"bot": "jarl", "lasts": lasts, "why": "away"})

    async with Store.open(on_sqlite) as store:
        left = [stand_in(1, 0, "return"), stand_in(2, 1, "return"), Entry(3, "return", 1, 0), stand_in(4, 2, "decision")]
        await end(store, table_of(["ada", "bo", "cy"]), [1 / 3, 1 / 3, 1 / 3], left)
        scores = [row.score for guest in ("ada", "bo", "cy") for row in store.transact(rows_of(guest))]
        assert scores == [0, pytest.approx(1 / 3), pytest.approx(1 / 3)]
        await end(store, table_of(["di"]), None, [stand_in(1, 0, "end")])
        assert [row.score for row in store.transact(rows_of("di"))] == [None]


@pytest.mark.asyncio
async def test_matches_are_filtered_by_game_result_and_opponent(on_sqlite: Settings) -> None:
    async with Store.open(on_sqlite) as store:
        start = Time().now()
        alone = await end(store, table_of(["ada"], ["jarl"], finished_at=start), [1, 0])
        private = table_of(["ada", "bo"], is_public=False, finished_at=start + timedelta(seconds=1))
        private = await end(store, private, [0, 1])
        given_up = await end(store, table_of(["ada", "cy"], game="hoard", finished_at=start + timedelta(seconds=2)), None)

        def found(**wanted: Any) -> list[str]:
            games = wanted.pop("games", ("viking-axes", "hoard"))
            played, count = store.transact(profiles.played, "ada", PlayedFilter(games, **wanted), 10)
            assert count == len(played)
            return [each.table.id for each in played]

        assert found() == [given_up.id, private.id, alone.id]
        assert found(games=("hoard",)) == [given_up.id]
        assert found(result="won") == [alone.id]
        assert found(result="lost") == [private.id]
        assert found(result="open") == [given_up.id]
        assert found(opponent="bo") == [private.id]
        assert found(viewer="cy") == [given_up.id, alone.id], "a private table of others is not listed"
        assert found(viewer="bo") == [given_up.id, private.id, alone.id]
        played, count = store.transact(profiles.played, "ada", PlayedFilter(("viking-axes", "hoard")), 1, 1)
        assert ([each.table.id for each in played], count) == ([private.id], 3)
        store.save_guest(Guest("bo", "Bo"))
        store.save_guest(Guest("cy", "Cy"))
        assert {guest.name for guest in store.transact(profiles.often_met, "ada", 10)} == {"Bo", "Cy"}
        assert store.transact(acquaintances.have_met, "ada", "cy")
        assert not store.transact(acquaintances.have_met, "bo", "cy")


def test_streaks_end_with_a_failure() -> None:
    assert winning_streak([]) == Streak(0, 0)
    assert winning_streak([1, 1, 0.5, 1]) == Streak(1, 2)
    assert winning_streak([1, 1, 1, 0]) == Streak(0, 3)
    days = ["2026-02-27", "2026-02-28", "2026-03-01", "2026-03-03"]
    assert puzzle_streak(days, "2026-03-03") == Streak(1, 3)
    assert puzzle_streak(days[:3], "2026-03-02") == Streak(3, 3), "today's can still be played"
    assert puzzle_streak(days[:3], "2026-03-03") == Streak(0, 3)
    assert puzzle_streak([], "2026-03-03") == Streak(0, 0)


# ------------------------------------------------------------------------------------------------------------------ the pages


@pytest.mark.asyncio
async def test_a_profile_is_shown_to_those_whom_the_person_chose(hall: OpenHall) -> None:
    room = await hall.played_out(HOARD)
    ada, bo = [hall.store.transact(guests.find, min(seat.guests)) for seat in room.table.seats]
    assert ada is not None
    assert bo is not None
    sessions = hall.app.state.sessions
    stranger = hall.person("10.0.0.9")

    async def sees(profile: str, viewer: Guest | None) -> int:
        sessions.save(ada, profile=profile)
        person = stranger if viewer is None else hall.person("10.0.0.8")
        if viewer is not None:
            person.http.cookies.set("meadhall_guest", sessions._cookies.dumps(viewer.id))
        answer = await person.get(f"/people/{ada.public_id}")
        assert ("Finished matches" in answer.text) == (answer.status_code == 200)
        return answer.status_code

    assert await sees("opponents", None) == 403
    assert await sees("opponents", bo) == 200
    assert await sees("private", bo) == 403
    assert await sees("private", ada) == 200
    assert await sees("public", None) == 200
    assert room.table.id not in (await stranger.get(f"/people/{ada.public_id}")).text, "the table was private"
    assert (await stranger.get("/people/nobody")).status_code == 404
    assert ada.id not in (await stranger.get(f"/people/{ada.public_id}")).text


@pytest.mark.asyncio
async def test_a_new_guest_has_an_empty_profile(hall: OpenHall) -> None:
    answer = await hall.person().get("/people/me")
    assert answer.status_code == 200
    assert "There are no finished matches here." in answer.text


@pytest.mark.asyncio
async def test_the_person_chooses_who_sees_the_profile(hall: OpenHall) -> None:
    person = hall.person()
    await person.post("/people/me/visibility", {"profile": "public"})
    assert re.search(r'value="public" checked', (await person.get("/people/me")).text)
    await person.post("/people/me/visibility", {"profile": "everything"})
    assert re.search(r'value="public" checked', (await person.get("/people/me")).text)


@pytest.mark.asyncio
async def test_a_profile_tells_feats_and_from_ten_matches_on_statistics(hall: OpenHall) -> None:
    host, friend, room = await hall.two_at(AXES)
    assert "Your feats will stand here" in (await host.get("/people/me")).text
    assert (await friend.ask(f"/tables/{room.table.id}/resign")).status_code == 200
    me = min(room.table.seats[0].guests)
    assert feats_on((await host.get("/people/me")).text) == ["Won 1 match against people"]
    for level, hinted in (("jarl", False), ("king", True), *[("karl", False)] * 6):
        entries = [Entry(1, "action", 0, 3), *([Entry(2, "hint", 0, 1)] if hinted else [])]
        await end(hall.store, table_of([me], [level]), [1, 0], entries)
    page = (await host.get("/people/me")).text
    assert set(feats_on(page)) == {
        "Beat the Jarl at Viking Axes without a hint or taking back",
        "Beat the King at Viking Axes",
        "Won 1 match against people",
        "9 wins in a row",
    }
    assert 'id="statistics"' not in page
    await end(hall.store, table_of([me], ["jarl"] * 4), [1, 0, 0, 0, 0])
    page = (await host.get("/people/me")).text
    assert "Won at a table of 5" in feats_on(page)
    statistics = page[page.index('<details class="panel statistics" id="statistics">') :]
    assert "72–100 %" in statistics, "the interval of Wilson for ten wins in ten matches"
    assert "Axes and Allies" in statistics
    for wrong in ("?result=x", "?with=x", "?page=0"):
        assert (await host.get(f"/people/me{wrong}")).status_code in (400, 404)
    page = (await host.get("/people/me?game=axes-and-allies&result=won")).text
    assert room.table.id in page
    assert feats_on(page) == ["Won 1 match against people"]
    assert room.table.id not in (await host.get("/people/me?result=lost")).text


def feats_on(page: str) -> list[str]:
    """Return the feats on the page of a profile."""
    listed = re.search(r'<ul class="feats">(.*?)</ul>', page, re.DOTALL)
    return re.findall(r"</svg>(.*?)</li>", listed[1]) if listed else []


@pytest.mark.asyncio
async def test_rows_of_a_deleted_table_are_deleted(on_sqlite: Settings) -> None:
    async with Store.open(on_sqlite) as store:
        table = await end(store, table_of(["ada"], ["jarl"]), [1, 0])
        store.transact(lambda db: db.run("DELETE FROM tables WHERE id = ?", table.id))
        assert store.transact(rows_of("ada")) == []


# ---------------------------------------------------------------------------------------------------------- records and the API


@pytest.mark.asyncio
async def test_all_records_are_one_download_that_verifies_line_by_line(hall: OpenHall, tmp_path: Path) -> None:
    host, friend, room = await hall.two_at(AXES)
    await play_out(room, {0: host, 1: friend})
    _host, _friend, other = await hall.two_at(AXES)
    await host.ask(f"/tables/{await host.open(AXES)}/close")
    answer = await host.get("/people/me/records")
    assert answer.headers["content-type"].startswith("application/x-ndjson")
    assert [loads(line)["seats"][0]["name"] for line in answer.text.splitlines()] == [room.table.seats[0].name]
    assert other.table.id not in answer.text
    plain, packed = tmp_path / "all.jsonl", tmp_path / "all.jsonl.gz"
    plain.write_bytes(answer.content)
    packed.write_bytes((await host.get("/people/me/records?gzip=true")).content)
    for path in (plain, packed):
        (record,) = read_records(path)
        replay(record)
        assert record["complete"]
    assert (await hall.person("10.0.0.7").get("/people/me/records")).text == ""


@pytest.mark.asyncio
@pytest.mark.parametrize("way", ["played", "resigned"])
async def test_the_record_of_a_match_of_other_rules_has_its_seed_its_actions_and_its_result(hall: OpenHall, way: str) -> None:
    host, friend, room = await hall.two_at(AXES)
    if way == "played":
        await play_out(room, {0: host, 1: friend})
    else:
        await host.ask(f"/tables/{room.table.id}/resign")
    record = (await host.get("/people/me/records")).json()
    replay(record)
    stored = hall.store.transact(tables.find, room.table.id)
    assert stored is not None
    save(hall.store, replace(stored, rules=0))
    hall.hall._rooms.clear()
    bare = (await host.get(f"/tables/{room.table.id}/record")).json()
    assert (await host.get("/people/me/records")).json() == bare
    read_record(bare)
    without = {"rules": 0, "complete": False, "setup": [], "options": dict(room.table.options)}
    assert bare == record | without | {"actions": [action | {"text": "", "events": []} for action in record["actions"]]}


@pytest.mark.asyncio
async def test_a_record_has_no_name_of_a_deleted_person(hall: OpenHall) -> None:
    host, friend, room = await hall.two_at(AXES)
    await play_out(room, {0: host, 1: friend})
    name = room.table.seats[1].name
    assert (await host.get("/people/me/records")).json()["seats"][1]["name"] == name
    assert (await friend.post("/privacy/delete", {"sure": "on"})).status_code == 303
    answer = await host.get("/people/me/records")
    assert answer.json()["complete"]
    assert answer.json()["seats"][1]["name"] == "former player"


@pytest.mark.asyncio
async def test_a_download_that_is_read_slowly_holds_up_no_other(hall: OpenHall) -> None:
    host, friend, room = await hall.two_at(AXES)
    await play_out(room, {0: host, 1: friend})
    slow = hall.app.state.match_records.of(min(room.table.seats[0].guests))
    assert loads((await anext(slow)).decode())["complete"]
    async with asyncio.timeout(10):
        answer = await friend.get("/people/me/records")
    assert (answer.status_code, answer.text.count("\n")) == (200, 1)
    await slow.aclose()


@pytest.mark.asyncio
async def test_names_at_a_table_lead_to_profiles(hall: OpenHall) -> None:
    host, friend, room = await hall.two_at(AXES)
    assert f'<a href="/tables/{room.table.id}/people/1">' in (await host.get(f"/tables/{room.table.id}")).text
    answer = await host.get(f"/tables/{room.table.id}/people/1")
    assert answer.status_code == 303
    assert (await host.get(answer.headers["location"])).status_code == 200, "they sit at the same table"
    assert (await hall.person("10.0.0.9").get(answer.headers["location"])).status_code == 403
    assert (await friend.get(answer.headers["location"])).status_code == 200
    assert (await host.get(f"/tables/{room.table.id}/people/7")).status_code == 404


@pytest.mark.asyncio
async def test_a_private_profile_tells_strangers_neither_id_nor_present_name(hall: OpenHall) -> None:
    host, friend, room = await hall.two_at(AXES)
    person = (await host.get(f"/tables/{room.table.id}/people/1")).headers["location"]
    await friend.post("/people/me/visibility", {"profile": "private"})
    await friend.post("/settings", {"name": "Thorgerd"})
    stranger = hall.person("10.0.0.9")
    await stranger.post("/people/me/visibility", {"profile": "public"})
    asked = [await stranger.get(f"/tables/{room.table.id}/people/1"), await stranger.get(person)]
    asked.append(await stranger.post(f"{person}/ignore", {"set": "mute"}))
    asked += [await stranger.get(f"/people/me?with={person.rpartition('/')[2]}"), await stranger.get("/people")]
    for answer in asked:
        assert "Thorgerd" not in answer.text
        assert person.rpartition("/")[2] not in answer.headers.get("location", "")
    assert [answer.status_code for answer in asked] == [403, 403, 404, 404, 200]
    assert (await friend.get(f"/tables/{room.table.id}/people/1")).status_code == 303, "their own"
