"""A table's pages: seats, options, start, refusals in three formats, streams, private links."""

from __future__ import annotations

import asyncio
import re
from dataclasses import replace
from typing import Any

import pytest

from games_for_tests.hoard.rules import BOAST, DRAW, LOOK
from meadhall.engine.registry import game
from meadhall.server.hall import presence
from meadhall.server.pages import responses
from meadhall.server.routes import deeds
from meadhall.server.settings import Settings
from meadhall.server.store import tables
from meadhall.server.web import event_stream
from server.manual_time import ManualTime, settled
from server.matches import who_thinks
from server.people import AXES, HOARD, OpenHall, Person, Program, open_hall, play_out, stream
from server.rows import save
from server.waiting import until

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def refused(person: Person, path: str, form: dict[str, str], status: int, error: str, words: str, rule: str = "") -> None:
    """Assert a refusal with this status and reason: as JSON, as a page, and as a frame for htmx."""
    as_json = await person.ask(path, form)
    assert (as_json.status_code, as_json.headers["content-type"]) == (status, "application/json")
    answer = as_json.json()
    assert (answer["error"], answer["status"], answer["rule"]) == (error, status, rule or None)
    assert words in answer["reason"]

    page = await person.post(path, form)
    assert page.status_code == status
    assert page.text.startswith("<!doctype html>")
    assert words in page.text
    assert rule in page.text

    frame = await person.post(path, form, **{"HX-Request": "true"})
    assert frame.status_code == status
    assert words in frame.text


# ----------------------------------------------------------------------------------------------------------- before the match


async def test_only_the_seat_to_move_is_told_that_it_is_its_turn(hall: OpenHall) -> None:
    host, friend, room = await hall.two_at()
    assert room.match is not None
    for seat, person in enumerate((host, friend, hall.person("10.0.0.3"))):
        turn = re.search('data-turn="(yes|no)" data-version', (await person.get(f"/tables/{room.table.id}")).text)
        assert turn is not None
        assert (turn[1] == "yes") == (seat == room.match.actor)


async def test_play_now_starts_at_once_against_huscarls(hall: OpenHall) -> None:
    answer = await hall.person().ask("/tables", {"game": AXES, "kind": "bots"})
    room = await hall.room(answer.json()["id"])
    assert room.table.status == "running"
    assert [seat.bot for seat in room.table.seats] == [None, "huscarl", "huscarl", "huscarl"]


async def test_the_lobby_offers_every_rank_with_a_sentence(hall: OpenHall) -> None:
    host = hall.person()
    page = (await host.get(f"/tables/{await host.open(players=2)}")).text
    offered = re.findall(r'<option value="bot:(\w+)"[^>]*>(\w+): ([^<]+)<', page)
    assert [(rank, name.lower()) for rank, name, _ in offered] == [
        (rank, rank) for rank in ("thrall", "karl", "huscarl", "jarl", "king")
    ]
    assert all(page.count(sentence) == 1 and sentence.endswith(".") for _, _, sentence in offered)
    german = hall.person(**{"Accept-Language": "de"})
    assert "Denkt einen Augenblick lang voraus." in (await german.get(f"/tables/{await german.open(players=2)}")).text


async def test_the_page_says_which_bot_is_thinking(settings: Settings, at_once: None) -> None:
    async with open_hall(replace(settings, bot_pause=3600.0)) as hall:
        host = hall.person()
        table = await host.open(HOARD, players=2)
        await host.ask(f"/tables/{table}/seats", {"seat": "1", "set": "bot:jarl"})
        await host.ask(f"/tables/{table}/start")
        assert who_thinks((await host.get(f"/tables/{table}")).text) == []
        await host.act(table, DRAW)
        name = (await hall.room(table)).table.seats[1].name
        for person in (host, hall.person()):
            page = (await person.get(f"/tables/{table}")).text
            assert f"{name} the Jarl is thinking" in page
            assert who_thinks(page) == [1]
        assert who_thinks((await host.get(f"/tables/{table}/replay?step=1")).text) == [], "a replay shows no thinking bot"


async def test_friends_sit_down_stand_up_and_change_seats(hall: OpenHall) -> None:
    host, friend = hall.person(), hall.person("10.0.0.2")
    table = await host.open(players=3)
    room = await hall.room(table)
    assert (await friend.ask(f"/tables/{table}/seats", {"set": "sit", "name": "Gunnar"})).status_code == 200
    assert room.table.seats[1].name == "Gunnar"
    await friend.ask(f"/tables/{table}/seats", {"set": "sit", "seat": "2"})
    assert [seat.kind for seat in room.table.seats] == ["human", "open", "human"]
    await friend.ask(f"/tables/{table}/seats", {"set": "sit"})
    assert room.table.seats[2].name == "Gunnar", "seated players keep their seats"
    await friend.ask(f"/tables/{table}/seats", {"set": "leave"})
    assert [seat.kind for seat in room.table.seats] == ["human", "open", "open"]


async def test_equal_names_get_numbers(hall: OpenHall) -> None:
    people = [hall.person() for _ in range(3)]
    for person in people:
        await person.post("/settings", {"name": "Astrid the very long named"})
    table = await people[0].open(players=3)
    for person in people[1:]:
        await person.ask(f"/tables/{table}/seats", {"set": "sit"})
    names = [seat.name for seat in (await hall.room(table)).table.seats]
    assert len(set(names)) == 3
    assert all(len(name) <= 24 for name in names)


async def test_the_host_seats_bots_and_frees_and_removes_seats(hall: OpenHall) -> None:
    host = hall.person()
    table = await host.open(players=2)
    room = await hall.room(table)
    await host.ask(f"/tables/{table}/size", {"players": "4"})
    for seat, change in ((1, "bot:thrall"), (2, "bot"), (3, "bot:karl")):
        assert (await host.ask(f"/tables/{table}/seats", {"seat": str(seat), "set": change})).status_code == 200
    assert [seat.bot for seat in room.table.seats] == [None, "thrall", "huscarl", "karl"]
    await host.ask(f"/tables/{table}/seats", {"seat": "1", "set": "open"})
    await host.ask(f"/tables/{table}/seats", {"seat": "2", "set": "remove"})
    assert [(seat.seat, seat.kind) for seat in room.table.seats] == [(0, "human"), (1, "open"), (2, "bot")]
    await host.ask(f"/tables/{table}/size", {"players": "2"})
    assert [seat.kind for seat in room.table.seats] == ["human", "open"]


async def test_the_host_can_remove_a_guest_whose_private_link_no_longer_works(hall: OpenHall) -> None:
    host, friend = hall.person(), hall.person()
    table = await host.open()
    await friend.ask(f"/tables/{table}/seats", {"set": "sit"})
    page = (await host.get(f"/tables/{table}")).text
    form = re.search(r'name="seat" value="1"><button [^>]*value="(\w+)"[^>]*>Remove', page)
    assert form is not None
    room = await hall.room(table)
    key = room.table.seats[1].link_token
    assert (await host.ask(f"/tables/{table}/seats", {"seat": "1", "set": form[1]})).status_code == 200
    assert room.table.seats[1].kind == "open"
    assert (await friend.get(f"/seat/{key}")).status_code == 404


async def test_a_smaller_table_drops_open_seats_and_bots_but_no_people(hall: OpenHall) -> None:
    host, friend = hall.person(), hall.person()
    table = await host.open(players=4)
    await host.ask(f"/tables/{table}/seats", {"seat": "1", "set": "bot"})
    await friend.ask(f"/tables/{table}/seats", {"seat": "3", "set": "sit"})
    await host.ask(f"/tables/{table}/size", {"players": "2"})
    room = await hall.room(table)
    assert [seat.kind for seat in room.table.seats] == ["human", "human"]
    third = hall.person()
    await host.ask(f"/tables/{table}/size", {"players": "3"})
    await third.ask(f"/tables/{table}/seats", {"set": "sit"})
    await refused(
        host, f"/tables/{table}/size", {"players": "2"}, 409, "wrong-moment", "More people than that are already seated."
    )


async def test_options_are_chosen_and_kept(hall: OpenHall) -> None:
    host = hall.person()
    table = await host.open(HOARD)
    assert (await host.ask(f"/tables/{table}/options", {"hand": "many"})).status_code == 200
    room = await hall.room(table)
    assert room.table.options == {"hand": "many", "mode": "rivals"}
    page = (await host.get(f"/tables/{table}")).text
    assert re.search(r'name="hand" value="many" checked', page)
    assert re.search(r'name="mode" value="rivals" checked', page)
    await host.ask(f"/tables/{table}/seats", {"seat": "1", "set": "bot"})
    await host.ask(f"/tables/{table}/start")
    assert room.match is not None
    assert room.match.options == {"hand": "many", "mode": "rivals"}


async def test_a_listed_table_is_in_the_hall_and_another_is_not(hall: OpenHall) -> None:
    host = hall.person()
    table = await host.open()
    assert table not in (await hall.person().get("/")).text
    await host.ask(f"/tables/{table}/visibility", {"public": "yes"})
    assert table in (await hall.person().get("/")).text
    await host.ask(f"/tables/{table}/visibility", {"public": "no"})
    assert table not in (await hall.person().get("/")).text
    assert table in (await host.get("/")).text


@pytest.mark.parametrize(
    ("path", "form", "status", "error", "words"),
    [
        ("seats", {"seat": "9", "set": "bot"}, 400, "bad-setup", "There is no seat 9."),
        ("seats", {"seat": "-1", "set": "open"}, 400, "bad-setup", "There is no seat -1."),
        (
            "seats",
            {"seat": "1", "set": "bot:hal"},
            400,
            "unknown-bot",
            "thrall, karl, huscarl, jarl, king",
        ),
        ("seats", {"seat": "0", "set": "bot:thrall"}, 409, "wrong-moment", "A player sits there."),
        ("seats", {"seat": "0", "set": "remove"}, 409, "wrong-moment", "A player sits there."),
        ("seats", {"seat": "1", "set": "remove"}, 400, "bad-setup", "for 2 to 6 players, not 1"),
        ("size", {"players": "7"}, 400, "bad-setup", "for 2 to 6 players, not 7"),
        ("size", {"players": "1"}, 400, "bad-setup", "for 2 to 6 players, not 1"),
        ("options", {"speed": "fast"}, 400, "bad-setup", "no option &#39;speed&#39;|no option 'speed'"),
        ("start", {}, 409, "wrong-moment", "1 seat is still empty"),
        ("act", {"action": "0"}, 409, "wrong-moment", "The match has not begun yet."),
        ("undo", {}, 409, "wrong-moment", "The match has not begun yet."),
        ("resign", {}, 409, "wrong-moment", "The match has not begun yet."),
        ("hint", {}, 409, "wrong-moment", "The match has not begun yet."),
    ],
)
async def test_actions_that_are_refused_before_the_match(
    hall: OpenHall, path: str, form: dict[str, str], status: int, error: str, words: str
) -> None:
    host = hall.person()
    table = await host.open()
    answer = await host.ask(f"/tables/{table}/{path}", form)
    assert (answer.status_code, answer.json()["error"]) == (status, error)
    assert any(each in answer.json()["reason"] for each in words.split("|"))
    page = await host.post(f"/tables/{table}/{path}", form)
    assert page.status_code == status


@pytest.mark.parametrize(
    ("path", "form", "words"),
    [
        ("seats", {"seat": "1"}, "can be taken, left, opened, removed"),
        ("seats", {"seat": "1", "set": "burn"}, "can be taken, left, opened, removed"),
        ("seats", {"set": "bot"}, "Which seat?"),
        ("seats", {"seat": "one", "set": "bot"}, "seat must be an integer, not 'one'"),
        ("size", {}, "How many players?"),
        ("size", {"players": "1" * 5000}, "How many"),
    ],
)
async def test_an_invalid_form_is_refused(hall: OpenHall, path: str, form: dict[str, str], words: str) -> None:
    host = hall.person()
    table = await host.open()
    answer = await host.ask(f"/tables/{table}/{path}", form)
    assert (answer.status_code, answer.json()["error"]) == (400, "bad-setup")
    assert words in answer.json()["reason"] or "players, not 111" in answer.json()["reason"]


async def test_only_the_host_arranges_the_table(hall: OpenHall) -> None:
    host, friend = hall.person(), hall.person()
    table = await host.open(HOARD, players=3)
    await friend.ask(f"/tables/{table}/seats", {"set": "sit"})
    for path, form in (
        ("seats", {"seat": "2", "set": "bot"}),
        ("seats", {"seat": "0", "set": "open"}),
        ("seats", {"seat": "2", "set": "remove"}),
        ("size", {"players": "2"}),
        ("options", {"hand": "many"}),
        ("visibility", {"public": "yes"}),
        ("start", {}),
    ):
        await refused(friend, f"/tables/{table}/{path}", form, 403, "not-your-seat", "Only the host of the table can do that.")


async def test_a_seat_that_is_taken_is_refused(hall: OpenHall) -> None:
    host, friend = hall.person(), hall.person()
    table = await host.open()
    await refused(friend, f"/tables/{table}/seats", {"set": "sit", "seat": "0"}, 409, "wrong-moment", "That seat is taken.")
    await host.ask(f"/tables/{table}/seats", {"seat": "1", "set": "bot"})
    await refused(friend, f"/tables/{table}/seats", {"set": "sit"}, 409, "wrong-moment", "All seats are taken.")
    await refused(friend, f"/tables/{table}/seats", {"set": "leave"}, 403, "not-your-seat", "You have no seat at this table")


async def test_of_several_guests_one_gets_the_last_seat(hall: OpenHall) -> None:
    host, *friends = (hall.person() for _ in range(5))
    table = await host.open()
    answers = await asyncio.gather(*(friend.ask(f"/tables/{table}/seats", {"set": "sit"}) for friend in friends))
    assert sorted(answer.status_code for answer in answers) == [200, 409, 409, 409]


async def test_a_setup_that_the_game_refuses_can_not_start(hall: OpenHall) -> None:
    host = hall.person()
    table = await host.open(HOARD, players=3)
    for seat in ("1", "2"):
        await host.ask(f"/tables/{table}/seats", {"seat": seat, "set": "bot"})
    await host.ask(f"/tables/{table}/options", {"mode": "sides"})
    await refused(host, f"/tables/{table}/start", {}, 400, "bad-setup", "two sides need 2 or 4 players")
    assert (await hall.room(table)).table.status == "gathering"


async def test_a_started_match_can_not_be_rearranged(hall: OpenHall) -> None:
    host, friend, room = await hall.two_at(HOARD)
    table = room.table.id
    for path, form in (
        ("seats", {"seat": "1", "set": "open"}),
        ("size", {"players": "3"}),
        ("options", {"hand": "many"}),
        ("start", {}),
        ("close", {}),
    ):
        await refused(host, f"/tables/{table}/{path}", form, 409, "wrong-moment", "The match has already started.")
    await refused(friend, f"/tables/{table}/seats", {"set": "leave"}, 409, "wrong-moment", "The match has already started.")


@pytest.mark.parametrize(
    ("form", "status", "error"),
    [
        ({"game": "chess"}, 404, "unknown-game"),
        ({}, 404, "unknown-game"),
        ({"game": AXES, "kind": "friends", "players": "99"}, 400, "bad-setup"),
        ({"game": AXES, "players": "1"}, 400, "bad-setup"),
        ({"game": AXES, "players": "many"}, 400, "bad-setup"),
    ],
)
async def test_an_impossible_table_is_not_opened(hall: OpenHall, form: dict[str, str], status: int, error: str) -> None:
    person = hall.person()
    answer = await person.ask("/tables", form)
    assert (answer.status_code, answer.json()["error"]) == (status, error)
    assert (await person.post("/tables", form)).status_code == status


async def test_the_tables_of_a_host_are_limited(settings: Settings, at_once: None) -> None:
    async with open_hall(settings) as hall:
        hall.switch("tables_per_guest", "2")
        host = hall.person()
        first = await host.open()
        await host.open()
        answer = await host.ask("/tables", {"game": AXES, "kind": "friends"})
        assert (answer.status_code, answer.json()["error"]) == (429, "too-many")
        assert (await host.post("/tables", {"game": AXES})).status_code == 429
        assert (await hall.person().ask("/tables", {"game": AXES})).status_code == 201, "the limit is for each host"
        await host.ask(f"/tables/{first}/seats", {"seat": "1", "set": "bot"})
        await host.ask(f"/tables/{first}/start")
        await host.ask(f"/tables/{first}/resign")
        assert (await host.ask("/tables", {"game": AXES})).status_code == 201, "finished matches don't count"


@pytest.mark.asyncio
async def test_a_table_that_can_not_start_is_not_opened(hall: OpenHall) -> None:
    program = await hall.program()
    answer = await program.post("/tables", {"game": "axxa", "players": 1, "options": {"mode": "versus"}})
    assert (answer.status_code, answer.json()["error"]) == (400, "bad-setup")
    query = "SELECT count(*) FROM tables"
    assert hall.store.transact(lambda db: db.value(query)) == 0


async def test_options_that_no_longer_exist_get_their_defaults(settings: Settings, at_once: None) -> None:
    async with open_hall(settings) as before:
        host = before.person()
        table = await host.open(HOARD)
        stored = before.store.transact(tables.find, table)
        assert stored is not None
        save(before.store, replace(stored, options={"hand": "none at all", "gone": "yes"}))
        cookies = dict(host.http.cookies)
    async with open_hall(settings) as after:
        again = after.person()
        again.http.cookies.update(cookies)
        assert (await again.get(f"/tables/{table}")).status_code == 200
        assert (await after.room(table)).table.options == {option.name: option.default for option in game(HOARD).options}


async def test_tables_opened_at_the_same_time_count_against_the_limit(on_sqlite: Settings, at_once: None) -> None:
    async with open_hall(on_sqlite) as hall:
        hall.switch("tables_per_guest", "5")
        host = await hall.program()
        answers = await asyncio.gather(*(host.post("/tables", {"game": AXES}) for _ in range(12)))
        assert sorted(answer.status_code for answer in answers) == [201] * 5 + [429] * 7


@pytest.mark.parametrize(
    "path",
    [
        "/tables/nowhere",
        "/tables/nowhere/record",
        "/tables/%00",
        "/tables/" + "x" * 3000,
        "/seat/x",
        "/replay/x",
        "/replay/x/chart",
    ],
)
async def test_unknown_addresses_are_not_found(hall: OpenHall, path: str) -> None:
    page = await hall.person().get(path)
    assert page.status_code == 404
    assert page.text.startswith("<!doctype html>")
    answer = await hall.person().get(path, Accept="application/json")
    assert (answer.status_code, answer.json()["error"]) == (404, "not-found")


async def test_there_is_no_record_or_replay_before_the_match(hall: OpenHall) -> None:
    host = hall.person()
    table = await host.open()
    for path in ("record", "replay", "chart"):
        assert (await host.get(f"/tables/{table}/{path}")).status_code == 404
    for path in ("verify", "picture.png"):
        assert (await host.get(f"/tables/{table}/{path}")).status_code == 409


# -------------------------------------------------------------------------------------------------------------- the match


async def test_a_refused_action_has_a_reason(hall: OpenHall) -> None:
    host, friend, room = await hall.two_at(HOARD)
    act = f"/tables/{room.table.id}/act"
    not_mine = next(a for a in range(12) if room.match and a not in room.match.view(0).legal)
    await refused(host, act, {"action": str(not_mine)}, 422, "illegal", "You don", "HO-2.1")
    await refused(host, act, {"action": "x"}, 400, "malformed", "An action must be an integer")
    await refused(host, act, {}, 400, "malformed", "An action must be an integer")
    await refused(host, act, {"action": "99"}, 400, "malformed", "outside 0 to 14")
    await refused(host, act, {"action": "-1"}, 400, "malformed", "outside 0 to 14")
    await refused(host, act, {"action": "0", "n": "7"}, 409, "stale", "The game has moved on.")
    await refused(host, act, {"action": "0", "n": "x"}, 400, "bad-setup", "n must be an integer")
    await refused(friend, act, {"action": "0"}, 409, "not-your-turn", "turn.")
    await refused(hall.person(), act, {"action": "0"}, 403, "not-your-seat", "You have no seat at this table")
    await play_out(room, {0: host, 1: friend})
    await refused(host, act, {"action": "0"}, 409, "over", "The match is over", "HO-3.1")


async def test_a_form_without_script_redirects_to_the_table(hall: OpenHall) -> None:
    host, _, room = await hall.two_at(HOARD)
    answer = await host.post(f"/tables/{room.table.id}/act", {"action": str(BOAST), "n": "1"})
    assert (answer.status_code, answer.headers["location"]) == (303, f"/tables/{room.table.id}")
    frame = await host.post(f"/tables/{room.table.id}/act", {"action": str(LOOK), "n": "2"}, **{"HX-Request": "true"})
    assert frame.status_code == 200
    assert frame.text.lstrip().startswith('<div id="frame"')


async def test_a_rematch_has_the_same_people_and_starts_when_they_are_there(hall: OpenHall) -> None:
    host, friend, room = await hall.two_at(HOARD)
    rematch = f"/tables/{room.table.id}/rematch"
    assert (await host.post(rematch)).status_code == 409
    await play_out(room, {0: host, 1: friend})
    assert (await hall.person().post(rematch)).status_code == 403
    answers = await asyncio.gather(friend.post(rematch), host.post(rematch))
    (where,) = {answer.headers["location"] for answer in answers}
    again = await hall.room(where.removeprefix("/tables/"))
    assert [seat.guests for seat in again.table.seats] == [seat.guests for seat in room.table.seats]
    assert {seat.link_token for seat in again.table.seats}.isdisjoint(seat.link_token for seat in room.table.seats)
    assert again.table.seed != room.table.seed
    assert again.table.status == "running"


async def test_a_rematch_against_bots_starts_at_once(hall: OpenHall) -> None:
    host = hall.person()
    answer = await host.ask("/tables", {"game": AXES, "kind": "bots", "players": "2"})
    room = await hall.room(answer.json()["id"])
    await host.ask(f"/tables/{room.table.id}/resign")
    assert room.table.status == "abandoned"
    answer = await host.post(f"/tables/{room.table.id}/rematch")
    again = await hall.room(answer.headers["Location"].removeprefix("/tables/"))
    assert (again.table.status, [seat.kind for seat in again.table.seats]) == ("running", ["human", "bot"])


# ------------------------------------------------------------------------------------------------------------ private links


async def test_a_private_link_moves_a_seat_to_another_device(hall: OpenHall) -> None:
    host, _, room = await hall.two_at(HOARD)
    page = (await host.get(f"/tables/{room.table.id}")).text
    (key,) = set(re.findall(r"http://hall\.test/seat/([\w-]+)", page))
    assert key == room.table.seats[0].link_token
    phone = hall.person("10.0.0.9")
    before = room.table
    for _ in range(2):  # a messenger looks at the link first
        looked = await phone.get(f"/seat/{key}")
        assert looked.status_code == 200
        assert room.table.seats[0].name in looked.text
    assert room.table == before
    assert hall.store.transact(tables.find, room.table.id) == before, "opening the link alone changes nothing"
    assert (await phone.act(room.table.id, BOAST)).status_code == 403

    carried = await phone.post(f"/seat/{key}")
    assert (carried.status_code, carried.headers["location"]) == (303, f"/tables/{room.table.id}")
    assert (await phone.act(room.table.id, BOAST)).status_code == 200
    assert (await host.act(room.table.id, LOOK)).status_code == 200, "the first device keeps the seat"
    assert (await phone.get(f"/seat/{key}")).status_code == 303, "the seat is already on this device"
    assert room.table.id in (await phone.get("/")).text


async def test_a_guest_with_a_seat_can_not_move_another_one(hall: OpenHall) -> None:
    _, friend, room = await hall.two_at(HOARD)
    before = room.table
    answer = await friend.post(f"/seat/{before.seats[0].link_token}")
    assert answer.status_code == 409
    assert "You already have another seat at this table." in answer.text
    assert room.table == before == hall.store.transact(tables.find, before.id)


async def test_running_matches_are_listed_before_finished_ones(settings: Settings, at_once: None) -> None:
    async with open_hall(settings) as before:
        host, _, room = await before.two_at(HOARD)
        for _ in range(31):
            over = await host.open(players=2)
            await host.ask(f"/tables/{over}/seats", {"seat": "1", "set": "bot:thrall"})
            await host.ask(f"/tables/{over}/start")
            await host.ask(f"/tables/{over}/resign")
        cookies = dict(host.http.cookies)
    async with open_hall(settings) as after:
        again = after.person()
        again.http.cookies.update(cookies)
        page = (await again.get("/")).text
        listed = re.findall(r'href="(/tables/[\w-]+)"', page[page.index("<main") :])
        assert listed[0] == f"/tables/{room.table.id}"
        assert page.index("Your turn") < page.index('id="yours"')


async def test_the_link_of_a_seat_that_has_resigned_leads_to_it_and_not_back_into_play(hall: OpenHall) -> None:
    host, _, room = await hall.three_at(HOARD)
    key, phone = room.table.seats[0].link_token, hall.person("10.0.0.9")
    await host.ask(f"/tables/{room.table.id}/resign")
    assert (await phone.post(f"/seat/{key}")).status_code == 303
    assert len(room.table.seats[0].guests) == 2
    for device in (host, phone):
        assert (await device.ask(f"/tables/{room.table.id}/return")).status_code == 409


# ------------------------------------------------------------------------------------------------------------------ streams


async def test_a_stream_sends_a_frame_at_once_and_after_every_move(hall: OpenHall) -> None:
    host, friend, room = await hall.two_at(HOARD)
    path = f"/tables/{room.table.id}/stream"
    spectator = hall.person()
    async with stream(host, path) as mine, stream(friend, path) as theirs, stream(spectator, path) as watching:
        for each in (mine, theirs, watching):
            assert each.status == 200
            assert each.headers["content-type"].startswith("text/event-stream")
            assert each.headers["cache-control"] == "no-store"
            assert 'id="frame"' in await each.frame()
        await host.act(room.table.id, BOAST)
        for each in (mine, theirs, watching):
            while "boasts" not in (frame := await each.frame()):
                pass
            assert frame.count('id="frame"') == 1
    assert len(room.channel) == 0, "a closed stream must not count"


async def test_streams_are_notified_before_the_response_to_a_move(hall: OpenHall, monkeypatch: pytest.MonkeyPatch) -> None:
    host, friend, room = await hall.two_at(HOARD)
    path = f"/tables/{room.table.id}/stream"
    async with stream(host, path) as mine, stream(friend, path) as theirs:
        for each in (mine, theirs):
            await each.frame()
        await settled()  # the other came, too
        while mine.waiting:
            await mine.frame()
        told: list[bool] = []

        def table_answer(*arguments: Any, **more: Any) -> Any:
            told.extend([mine.waiting, theirs.waiting])
            return responses.table_answer(*arguments, **more)

        monkeypatch.setattr(deeds, "table_answer", table_answer)
        await host.act(room.table.id, BOAST)
        assert told == [True, True]
        assert "boasts" in await mine.frame()


async def test_the_lobby_says_what_a_guest_can_not_do_there(hall: OpenHall) -> None:
    host, friend, third = hall.person(), hall.person(), hall.person()
    table = await host.open("viking-axes")
    theirs, full = "Only the host can change this.", "All seats are taken"
    assert theirs not in (await host.get(f"/tables/{table}")).text
    found = (await friend.get(f"/tables/{table}")).text
    assert theirs in found
    assert full not in found
    await friend.post(f"/tables/{table}/seats", {"seat": "1", "set": "sit"})
    assert full not in (await friend.get(f"/tables/{table}")).text
    assert full in (await third.get(f"/tables/{table}")).text


async def test_the_stream_goes_on_when_the_match_starts(hall: OpenHall) -> None:
    host = hall.person()
    table = await host.open()
    async with stream(host, f"/tables/{table}/stream") as live:
        assert "At the table" in await live.frame()
        await host.ask(f"/tables/{table}/seats", {"seat": "1", "set": "bot"})
        assert '<use href="#i-bot"/></svg> Huscarl' in await live.frame()
        await host.ask(f"/tables/{table}/start")
        while 'class="frame game' not in (frame := await live.frame()):
            pass
        assert 'id="prompt"' in frame


@pytest.mark.asyncio
async def test_a_player_who_leaves_right_after_a_move_is_seen_to_leave(hall: OpenHall, time: ManualTime) -> None:
    """The move counts as a visit. When the stream has ended, the page changes after the end of the visit."""
    host, friend, room = await hall.two_at(HOARD)
    await time.advance(presence.VISIT_SECONDS + 1)  # the visits of the lobby are over
    path = f"/tables/{room.table.id}/stream"
    async with stream(friend, path) as live:
        async with stream(host, path) as playing:
            await playing.frame()
            assert (await host.act(room.table.id, BOAST)).status_code == 200
            while "boasts" not in (frame := await live.frame()):
                pass
            assert "away" not in frame
        await time.advance(presence.VISIT_SECONDS + 1)
        while "away" not in await live.frame():
            pass


@pytest.mark.parametrize("program", [False, True])
async def test_a_spectator_who_takes_a_seat_is_seen_to_leave(
    hall: OpenHall, program: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(presence, "VISIT_SECONDS", 0.0)  # only streams count
    host, friend = hall.person(), await hall.program() if program else hall.person("10.0.0.2")
    await friend.get("/")  # a stream's cookie would get lost
    table = await host.open()
    path = f"/api/v1/tables/{table}/events" if isinstance(friend, Program) else f"/tables/{table}/stream"
    async with stream(host, f"/tables/{table}/stream") as live:
        await live.frame()
        async with stream(friend, path) as looking:
            await looking.message()
            if isinstance(friend, Program):
                assert (await friend.post(f"/tables/{table}/join")).status_code == 200
            else:
                await friend.ask(f"/tables/{table}/seats", {"set": "sit"})
            assert "away" not in await live.frame()
        while "away" not in await live.frame():
            pass


@pytest.mark.asyncio
async def test_a_stream_without_changes_sends_heartbeats(hall: OpenHall, time: ManualTime) -> None:
    host, _, room = await hall.two_at(HOARD)
    async with stream(host, f"/tables/{room.table.id}/stream") as live:
        await settled()
        while live.waiting:
            await live.message()
        await time.advance(event_stream.HEARTBEAT_INTERVAL)
        assert await live.message() == ": still here"


async def test_the_streams_of_a_guest_and_of_an_address_are_limited(settings: Settings, at_once: None) -> None:
    async with open_hall(replace(settings, streams_per_client=3)) as hall:
        hall.app.state.stream_limit._per_guest = 2
        host, friend, room = await hall.two_at(HOARD)
        path = f"/tables/{room.table.id}/stream"
        async with stream(host, path) as one, stream(host, path) as two:
            await one.frame()
            await two.frame()
            refusal = await host.get(path)
            assert refusal.status_code == 429
            assert "You have too many pages" in refusal.text
            async with stream(friend, path) as elsewhere, stream(neighbour := hall.person(host.address), path) as third:
                assert (elsewhere.status, third.status) == (200, 200)
                await elsewhere.frame()
                await third.frame()
                refusal = await neighbour.get(path)
                assert refusal.status_code == 429
                assert "from your address" in refusal.text
                assert hall.app.state.stream_limit.total == 4
        await until(lambda: not hall.app.state.stream_limit.total)
        async with stream(host, path) as again:
            assert again.status == 200


@pytest.mark.asyncio
async def test_streams_end_when_the_hall_closes(hall: OpenHall) -> None:
    host, _, room = await hall.two_at(HOARD)
    async with stream(host, f"/tables/{room.table.id}/stream") as live:
        await live.frame()
        await hall.hall.close()
        async with asyncio.timeout(10):
            while await live.message() is not None:
                pass
