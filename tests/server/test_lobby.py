"""Test a table before its match: its people, its host, its start, and its place in the list of open tables."""

from __future__ import annotations

import re

import pytest

from meadhall.server.hall import presence
from meadhall.server.hall.room import Room
from meadhall.server.settings import Settings
from server.manual_time import ManualTime
from server.matches import match_of
from server.people import AXES, HOARD, OpenHall, Person, open_hall, play_out, stream

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest.fixture
def no_visits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let only streams show who is there."""
    monkeypatch.setattr(presence, "VISIT_SECONDS", 0.0)


async def lobby_of(hall: OpenHall, players: int = 3, game: str = AXES) -> tuple[Person, Person, Room]:
    """Open a table where a host and a friend sit, on seats 0 and 1."""
    host, friend = hall.person(), hall.person("10.0.0.2")
    table = await host.open(game, players)
    assert (await friend.ask(f"/tables/{table}/seats", {"set": "sit", "name": "Bodil"})).status_code == 200
    return host, friend, await hall.room(table)


async def seats(person: Person, room: Room, change: str, seat: str = "") -> int:
    answer = await person.ask(f"/tables/{room.table.id}/seats", {"set": change} | ({"seat": seat} if seat else {}))
    return answer.status_code


# --------------------------------------------------------------------------------------------------------------------------- host


async def test_the_next_person_is_host_when_the_host_leaves(hall: OpenHall) -> None:
    host, friend, room = await lobby_of(hall)
    assert await seats(host, room, "bot:karl", "2") == 200
    assert await seats(host, room, "leave") == 200
    assert [seat.kind for seat in room.table.seats] == ["open", "human", "bot"]
    assert await seats(host, room, "open", "2") == 403
    assert 'id="start"' in (await friend.get(f"/tables/{room.table.id}")).text
    assert 'id="start"' not in (await host.get(f"/tables/{room.table.id}")).text
    assert await seats(friend, room, "open", "2") == 200
    assert await seats(friend, room, "leave") == 200
    assert await seats(friend, room, "sit") == 200
    assert await seats(friend, room, "bot:thrall", "2") == 200


async def test_a_bot_takes_the_first_open_seat_and_the_next_one_is_offered_at_its_level(hall: OpenHall) -> None:
    host, friend, room = await lobby_of(hall, players=4)
    assert await seats(friend, room, "bot:jarl", "2") == 403
    assert await seats(host, room, "bot:jester", "2") == 400
    for seat, offered in (("2", "huscarl"), ("3", "jarl")):
        page = (await host.get(f"/tables/{room.table.id}")).text
        (form,) = re.findall(r"(?s)<form [^>]*add-bot.*?</form>", page)
        assert f'name="seat" value="{seat}"' in form
        assert re.findall(r'<option value="bot:(\w+)" selected>', form) == [offered]
        assert await seats(host, room, "bot:jarl", seat) == 200
    assert [seat.bot for seat in room.table.seats] == [None, None, "jarl", "jarl"]
    assert "add-bot" not in (await host.get(f"/tables/{room.table.id}")).text, "there is no open seat"


async def test_the_host_closes_a_table(settings: Settings, at_once: None) -> None:
    async with open_hall(settings) as hall:
        host, friend, room = await lobby_of(hall)
        path = f"/tables/{room.table.id}"
        assert (await friend.ask(f"{path}/close")).status_code == 403
        async with stream(friend, f"{path}/stream") as live:
            await live.frame()
            assert (await host.ask(f"{path}/close")).status_code == 200
            while "The host has closed this table." not in await live.frame():
                pass
        for answer in (await friend.ask(f"{path}/seats", {"set": "sit"}), await host.ask(f"{path}/start")):
            assert (answer.status_code, answer.json()["reason"]) == (409, "The host has closed this table.")
        assert path not in (await host.get("/")).text
    async with open_hall(settings) as hall:
        page = await hall.person().get(path)
        assert (page.status_code, "The host has closed this table." in page.text) == (200, True)


# ---------------------------------------------------------------------------------------------------------------------- presence


async def test_the_start_waits_until_the_others_are_there_or_agree(hall: OpenHall, no_visits: None) -> None:
    host, friend, room = await lobby_of(hall, players=2)
    path = f"/tables/{room.table.id}"
    async with stream(host, f"{path}/stream"):
        refused = await host.ask(f"{path}/start")
        assert (refused.status_code, refused.json()["reason"]) == (409, "Bodil is away. Wait, or free the seat.")
        assert "Bodil is away." in (await host.get(path)).text, "the button says why"
        assert await seats(friend, room, "ready") == 200
        assert "Bodil is away." not in (await host.get(path)).text
        assert await seats(friend, room, "unready") == 200
        assert (await host.ask(f"{path}/start")).status_code == 409
        async with stream(friend, f"{path}/stream"):
            assert (await host.ask(f"{path}/start")).status_code == 200
    assert room.table.status == "running"


async def test_an_agreement_ends_when_the_options_change(hall: OpenHall, no_visits: None) -> None:
    host, friend, room = await lobby_of(hall, players=2, game=HOARD)
    await seats(friend, room, "ready")
    await host.ask(f"/tables/{room.table.id}/visibility", {"public": "yes"})
    assert room.table.seats[1].is_ready
    await host.ask(f"/tables/{room.table.id}/options", {"hand": "many"})
    assert not room.table.seats[1].is_ready


@pytest.mark.asyncio
async def test_the_others_see_when_a_page_without_a_stream_is_gone(hall: OpenHall, time: ManualTime) -> None:
    host, friend, room = await lobby_of(hall, players=2)
    path = f"/tables/{room.table.id}"
    async with stream(host, f"{path}/stream") as live:
        await friend.get(path)
        while "Bodil is away." in await live.frame():
            pass
        await time.advance(presence.VISIT_SECONDS + 1)
        while "Bodil is away." not in await live.frame():
            pass


@pytest.mark.asyncio
async def test_who_has_closed_the_page_is_gone_although_they_did_something_before(hall: OpenHall, time: ManualTime) -> None:
    host, friend, room = await lobby_of(hall, players=2)
    path = f"/tables/{room.table.id}"
    page = (await host.get(path)).text
    assert "Anyone with this link can watch." in page
    assert "can sit down" not in page
    async with stream(friend, f"{path}/stream") as live:
        await live.frame()
        await seats(friend, room, "ready")
        await seats(friend, room, "unready")
    await time.advance(3)
    assert "Bodil is away." in (await host.get(path)).text


async def test_only_tables_with_an_open_seat_and_a_player_who_is_there_are_offered(hall: OpenHall, no_visits: None) -> None:
    host, friend, room = await lobby_of(hall, players=3)
    path, stranger = f"/tables/{room.table.id}", hall.person()
    await host.ask(f"{path}/visibility", {"public": "yes"})
    assert path not in (await stranger.get("/")).text, "all are gone"
    async with stream(friend, f"{path}/stream"):
        assert path in (await stranger.get("/")).text
        await seats(host, room, "bot:karl", "2")
        assert path not in (await stranger.get("/")).text, "it is full"
        await seats(host, room, "open", "2")
        assert path in (await stranger.get("/")).text
    assert path not in (await stranger.get("/")).text


async def test_a_rematch_starts_when_all_have_asked_for_it(hall: OpenHall, no_visits: None) -> None:
    host, friend, room = await hall_match(hall)
    rematch = f"/tables/{room.table.id}/rematch"
    where = (await host.post(rematch)).headers["location"]
    again = await hall.room(where.removeprefix("/tables/"))
    assert again.match is None
    assert (await host.ask(f"{where}/start")).status_code == 409, "the friend has not agreed"
    assert (await friend.post(rematch)).headers["location"] == where
    assert match_of(again).names == match_of(room).names


async def test_another_rematch_can_be_asked_for_when_the_first_was_closed(hall: OpenHall) -> None:
    host, friend, room = await hall.two_at(HOARD)
    await play_out(room, {0: host, 1: friend})
    rematch = f"/tables/{room.table.id}/rematch"
    where = (await host.post(rematch)).headers["location"]
    assert (await host.ask(f"{where}/close")).status_code == 200
    again = (await friend.post(rematch)).headers["location"]
    assert again != where
    assert (await host.post(rematch)).headers["location"] == again


async def hall_match(hall: OpenHall) -> tuple[Person, Person, Room]:
    """Play a match of two people who are never seen, to its end."""
    host, friend, room = await lobby_of(hall, players=2, game=HOARD)
    for person in (host, friend):
        await seats(person, room, "ready")
    assert (await host.ask(f"/tables/{room.table.id}/start")).status_code == 200
    await play_out(room, {0: host, 1: friend})
    return host, friend, room


async def test_a_finished_match_says_who_waits_in_the_rematch(hall: OpenHall) -> None:
    people = [hall.person(f"10.0.0.{number}") for number in range(1, 4)]
    ann, bo, cy = people
    table = await ann.open(HOARD, 3)
    for person in (bo, cy):
        assert (await person.ask(f"/tables/{table}/seats", {"set": "sit"})).status_code == 200
    assert (await ann.ask(f"/tables/{table}/start")).status_code == 200
    room, page = await hall.room(table), f"/tables/{table}"
    await play_out(room, dict(enumerate(people)))
    names = [seat.name for seat in room.table.seats]

    async def waits(person: Person) -> str:
        found = re.search(r'class="rematch-waits row">.*?</svg>(.*?)</p>', (await person.get(page)).text)
        return "" if found is None else found[1]

    assert [await waits(person) for person in people] == ["", "", ""]
    where = (await bo.post(f"{page}/rematch")).headers["location"]
    stranger = hall.person("10.0.0.9")
    one = f"{names[1]} waits for you in the rematch."
    assert [await waits(person) for person in (*people, stranger)] == [one, "", one, ""]
    assert f'href="{where}"' in (await stranger.get(page)).text
    assert (await ann.post(f"{page}/rematch")).headers["location"] == where
    assert await waits(cy) == f"{names[0]} and {names[1]} wait for you in the rematch."
    assert await waits(ann) == one
    await cy.post(f"{page}/rematch")
    assert [await waits(person) for person in people] == ["", "", ""], "it has begun"


# -------------------------------------------------------------------------------------------------------------------- invitation


async def headline(person: Person, room: Room) -> str:
    """Return the first heading of a lobby that is seen."""
    found = re.search(r"<h2[^>]*>([^<]*)</h2>", (await person.get(f"/tables/{room.table.id}")).text)
    assert found is not None
    return found[1]


async def test_the_page_behind_a_link_says_who_invites_to_what_and_has_one_loud_button(hall: OpenHall) -> None:
    host, friend, room = await lobby_of(hall, players=4, game=AXES)
    assert (
        await host.ask(f"/tables/{room.table.id}/clock", {"clock": "seat:180", "increment": "2", "was": "none"})
    ).status_code == 200
    guest, name = hall.person("10.0.0.3"), room.table.seats[0].name
    page = (await guest.get(f"/tables/{room.table.id}")).text
    frame = page[page.index('id="frame"') :]
    assert frame.index("/tiles/axes-and-allies.svg") < frame.index(f"{name} invites you to Axes and Allies")
    assert '<p class="about">4 players, 3 minutes each + 2 seconds</p>' in frame
    assert re.findall(
        r'class="button strong[^"]*" name="set" value="(\w+)" id="(\w+)"|id="(\w+)" class="button strong', frame
    ) == [("", "", "sit")]
    assert [await headline(each, room) for each in (host, friend)] == ["Waiting for players"] * 2
    assert 'id="sit"' not in (await friend.get(f"/tables/{room.table.id}")).text
    assert await seats(host, room, "bot:karl", "2") == 200
    assert await seats(guest, room, "sit") == 200, "the button names no seat"
    assert room.table.seats[3].kind == "human"
    assert await headline(guest, room) == "Waiting for the host"
    late = hall.person("10.0.0.4")
    assert await headline(late, room) == f"{name} plays Axes and Allies"
    full = (await late.get(f"/tables/{room.table.id}")).text
    assert "All seats are taken, but you can watch." in full
    assert 'value="sit"' not in full
    assert await seats(host, room, "leave") == 200
    assert await headline(late, room) == "Bodil invites you to Axes and Allies", "the next player is host"


# ------------------------------------------------------------------------------------------------------------------------- names


async def test_a_new_name_reaches_the_seats_before_a_match(hall: OpenHall) -> None:
    host, friend, room = await lobby_of(hall, players=2)
    _, _, running = await hall.two_at()
    await friend.post("/settings", {"name": "Ragnhild"})
    assert room.table.seats[1].name == "Ragnhild"
    await friend.post("/settings", {"name": room.table.seats[0].name})
    assert room.table.seats[1].name != room.table.seats[0].name, "names at a table differ"
    await host.ask(f"/tables/{room.table.id}/start")
    before = [seat.name for seat in room.table.seats]
    await friend.post("/settings", {"name": "Sigrun"})
    assert [seat.name for seat in room.table.seats] == before, "not during a match"
    assert running.table.status == "running"
