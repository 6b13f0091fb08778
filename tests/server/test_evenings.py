"""Evenings: who may lead, rounds and their points, people who come late, leave or don't come, and a restart."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from fractions import Fraction
from urllib.parse import urlsplit

import pytest

from meadhall.engine.registry import game
from meadhall.server.hall import moderation
from meadhall.server.hall.evening.evenings import LOOK, LOOKS, way_of_playing
from meadhall.server.hall.evening.progress import Progress
from meadhall.server.hall.room import Room
from meadhall.server.settings import Settings
from meadhall.server.store import guests, personal_data, retention
from meadhall.server.store.evenings import KEPT_FOR
from server.halls import run_command
from server.manual_time import ManualTime
from server.people import AXES, OpenHall, Person, open_hall, stream

pytestmark = [pytest.mark.asyncio, pytest.mark.usefixtures("at_once")]

USUAL = {"name": "Club", "game-axes-and-allies": "on", "rounds": "3", "seats": "4", "clock": "none", "plays": "on"}


async def opened(leader: Person, name: str = "Ada", **form: str) -> str:
    """Open an evening, and return its address."""
    answer = await leader.post("/evenings", USUAL | {"leader": name} | form)
    assert answer.status_code == 303, answer.text
    return urlsplit(answer.headers["location"]).path


async def with_people(hall: OpenHall, names: Sequence[str], **form: str) -> tuple[str, dict[str, Person]]:
    """Open an evening that the first of the people leads, and let the others join it."""
    people = {name: hall.person(f"10.0.1.{number}") for number, name in enumerate(names)}
    leader, *others = people
    path = await opened(people[leader], leader, **form)
    for name in others:
        await do(people[name], path, "join", name=name)
    return path, people


async def do(sender: Person, path: str, what: str, status: int = 303, **form: str) -> str:
    """Send a form of an evening, and return the page of a refusal."""
    answer = await sender.post(path, {"do": what, **form})
    assert answer.status_code == status, answer.text
    return answer.text


def progress(hall: OpenHall, path: str) -> Progress:
    return hall.hall.evenings.find(path.rpartition("/")[2])


def points(hall: OpenHall, path: str) -> dict[str, tuple[int, Fraction]]:
    return {each.name: (each.place, each.points) for each in progress(hall, path).standings}


async def rooms(hall: OpenHall, path: str) -> list[Room]:
    return [await hall.room(id) for id in progress(hall, path).tables]


def seated(room: Room) -> list[str]:
    return [row.name for row in room.table.seats if row.kind == "human"]


async def resign(people: dict[str, Person], room: Room, *names: str) -> None:
    for name in names:
        assert (await people[name].ask(f"/tables/{room.table.id}/resign")).status_code == 200


def public_id(hall: OpenHall, path: str, name: str) -> str:
    return next(guest.public_id for guest in progress(hall, path).people if guest.name == name)


async def test_rounds_give_points_and_pairs_meet_once(hall: OpenHall) -> None:
    """Four people at tables of two: three rounds, in which each meets each other. A tie is shared."""
    path, people = await with_people(hall, ["Ada", "Bo", "Cleo", "Dag"], seats="2")
    met = set()
    for number in (1, 2, 3):
        await do(people["Ada"], path, "start")
        assert [progress(hall, path).round, len(progress(hall, path).open)] == [number, 2]
        for room in await rooms(hall, path):
            assert room.table.status == "running"
            met.add(frozenset(seated(room)))
            page = (await people[min(seated(room))].get(f"/tables/{room.table.id}")).text
            assert f'href="{path}" data-go=""' in page
            await resign(people, room, max(seated(room)))
    assert len(met) == 6
    wins = {name: (place, int(points)) for name, (place, points) in points(hall, path).items()}
    assert wins == {"Ada": (1, 3), "Bo": (2, 2), "Cleo": (3, 1), "Dag": (4, 0)}
    page = (await people["Dag"].get(path)).text
    assert "The evening is over" in page
    assert "Club: Ada wins the evening\n1. Ada (3)\n2. Bo (2)" in page
    picture = await people["Dag"].get(f"{path}/picture.png")
    assert (picture.status_code, picture.content[:4]) == (200, b"\x89PNG")
    assert "over" in await do(people["Ada"], path, "start", 409)


async def test_a_closed_round_is_a_tie_and_those_who_gave_up_a_seat_to_a_bot_are_last(hall: OpenHall) -> None:
    path, people = await with_people(hall, ["Ada", "Bo", "Cleo", "Dag", "Eir", "Finn"], seats="3")
    assert (await people["Bo"].get(f"{path}/picture.png")).status_code == 409
    await do(people["Ada"], path, "start")
    assert "not over yet" in await do(people["Ada"], path, "start", 409)
    first, second = await rooms(hall, path)
    left = seated(first)[0]
    await resign(people, first, left)  # a bot plays to the end
    while first.match is not None and not first.match.over:
        for name in seated(first):
            await people[name].act(first.table.id, first.match.legal()[0].action if first.match.actor is not None else 0)
        await asyncio.sleep(0)
    await do(people["Ada"], path, "close")
    assert (second.table.status, second.table.abandon_reason) == ("abandoned", "the round was closed")
    found = points(hall, path)
    assert found[left][1] == 0
    assert sum(points for _place, points in (found[name] for name in seated(first))) == Fraction(3, 2)
    assert {found[name] for name in seated(second)} == {(found[seated(second)[0]][0], Fraction(1, 2))}
    page = (await people["Bo"].get(f"/tables/{second.table.id}")).text
    assert "the round of the evening was closed" in page
    assert "Round closed: a tie" in (await people["Bo"].get(path)).text


async def test_people_come_late_leave_and_are_taken_out(hall: OpenHall) -> None:
    path, people = await with_people(hall, ["Ada", "Bo", "Cleo", "Dag"], seats="2")
    await do(people["Ada"], path, "start")
    people["Eir"] = hall.person("10.0.1.9")
    await do(people["Eir"], path, "join", name="Eir")
    assert "from the next round on" in (await people["Eir"].get(path)).text
    await do(people["Bo"], path, "leave")
    await do(people["Ada"], path, "remove", person=public_id(hall, path, "Cleo"))
    assert "taken you out" in await do(people["Cleo"], path, "join", 403, name="Cleo")
    await do(people["Ada"], path, "close")
    await do(people["Ada"], path, "start")
    names = sorted(name for room in await rooms(hall, path) for name in seated(room))
    assert names == ["Ada", "Dag", "Eir"]
    assert points(hall, path)["Bo"] == (1, Fraction(1, 2)), "who has left keeps their points"
    await do(people["Bo"], path, "join", name="Bo")
    assert sorted(each.name for each in progress(hall, path).standings if each.is_here) == ["Ada", "Bo", "Dag", "Eir"]


async def test_a_bye_goes_to_a_table_of_bots_and_to_each_only_once(hall: OpenHall) -> None:
    path, people = await with_people(hall, ["Ada", "Bo", "Cleo"], **{"game-axxa": "on", "game-axes-and-allies": "on"})
    without_axes = {key: value for key, value in USUAL.items() if not key.startswith("game-")}
    answer = await people["Ada"].post("/evenings", without_axes | {"game-axxa": "on"})
    path = urlsplit(answer.headers["location"]).path
    for name in ("Bo", "Cleo"):
        await do(people[name], path, "join", name=name)
    byes = []
    for _round in range(3):
        await do(people["Ada"], path, "start")
        alone = next(room for room in await rooms(hall, path) if len(seated(room)) == 1)
        byes += seated(alone)
        assert alone.table.options["mode"] == "versus"
        assert [row.kind for row in alone.table.seats] == ["human", "bot"]
        page = (await people[byes[-1]].get(path)).text
        assert "you play against bots in this round" in page
        await do(people["Ada"], path, "close")
    assert sorted(byes) == ["Ada", "Bo", "Cleo"]


async def test_a_bot_plays_for_those_who_do_not_come_until_they_do(settings: Settings, time: ManualTime) -> None:
    """After two minutes; a restart of the hall in between changes nothing. The leader may let a bot play at once."""
    async with open_hall(settings, time=time) as hall:
        path, people = await with_people(hall, ["Ada", "Bo", "Cleo", "Dag"])
        await do(people["Ada"], path, "start")
        (room,) = await rooms(hall, path)
        table = f"/tables/{room.table.id}"
        cookies = {name: person.http.cookies for name, person in people.items()}
        assert "is here" not in await do(people["Ada"], path, "bot", person=public_id(hall, path, "Cleo"))
        assert room.match is not None
        assert {room.match.names[seat] for seat in room.match.stand_ins} == {"Cleo"}
        await time.advance(LOOK.total_seconds() * (LOOKS - 2))
        assert {room.match.names[seat] for seat in room.match.stand_ins} == {"Cleo"}
    async with open_hall(settings, time=time) as hall:
        for name in people:
            people[name] = hall.person()
            people[name].http.cookies = cookies[name]
        assert progress(hall, path).open
        async with stream(people["Ada"], f"{table}/stream"), stream(people["Bo"], f"{table}/stream"):
            assert "Ada is here" in await do(people["Ada"], path, "bot", 409, person=public_id(hall, path, "Ada"))
            room = await hall.room(room.table.id)
            before = time.now()
            await hall.let_time_pass_until(lambda: room.match is not None and len(room.match.stand_ins) > 1)
            assert time.now() - before < 4 * LOOK
            assert room.match is not None
            assert {room.match.names[seat] for seat in room.match.stand_ins} == {"Cleo", "Dag"}
            assert "a bot plays until they come" in (await people["Ada"].get(path)).text
            assert (await people["Dag"].ask(f"{table}/return")).status_code == 200
            assert {room.match.names[seat] for seat in room.match.stand_ins} == {"Cleo"}


async def test_people_whom_the_host_shuts_out_are_seated_no_more_until_it_ends(hall: OpenHall) -> None:
    path, people = await with_people(hall, ["Ada", "Bo", "Cleo", "Dag"], seats="2")
    await do(people["Ada"], path, "start")
    await do(people["Ada"], path, "close")
    cleo = hall.store.transact(guests.find_public, public_id(hall, path, "Cleo"))
    assert cleo is not None
    hall.hall.do("", "close", moderation.shut_out, person=cleo, days=1, reason="")
    await do(people["Ada"], path, "start")
    assert sorted(name for room in await rooms(hall, path) for name in seated(room)) == ["Ada", "Bo", "Dag"]
    await do(people["Ada"], path, "close")
    hall.store.transact(lambda db: db.run("UPDATE guests SET closed_until = ? WHERE id = ?", db.now(), cleo.id))  # a day later
    await do(people["Ada"], path, "start")
    assert "Cleo" in [name for room in await rooms(hall, path) for name in seated(room)]


async def test_a_host_of_the_hall_leads_an_evening_whose_leader_has_gone(hall: OpenHall) -> None:
    path, people = await with_people(hall, ["Ada", "Bo", "Cleo"])
    host = hall.person("10.0.1.8")
    assert (await host.post("/account/new", {"name": "Hild", "password": "a long enough password"})).status_code == 200
    await do(host, path, "end", 403)
    hall.appoint("Hild")
    for what in ("start", "close", "remove", "end"):
        assert f'value="{what}"' in (await host.get(path)).text
        await do(host, path, what, person=public_id(hall, path, "Bo"))
    assert "The evening is over" in (await people["Ada"].get(path)).text
    assert [each.name for each in progress(hall, path).standings if each.is_here] == ["Ada", "Cleo"]
    logged = hall.store.transact(lambda db: db.values("SELECT deed FROM host_log WHERE done_by <> '' ORDER BY id"))
    assert logged == [f"evening-{what}" for what in ("start", "close", "remove", "end")]


async def test_only_the_leader_leads(hall: OpenHall) -> None:
    path, people = await with_people(hall, ["Ada", "Bo"])
    stranger, person = hall.person("10.0.2.1"), public_id(hall, path, "Bo")
    for each in (people["Bo"], stranger):
        for what in ("start", "close", "end", "remove", "bot"):
            assert "Only the leader" in await do(each, path, what, 403, person=person), what
        page = (await each.get(path)).text
        assert ("noscript><meta" in page) == (each is people["Bo"]), "a page where a stranger types a name isn't loaded again"
        assert not re.search(r'value="(start|close|end|remove|bot)"', page)
    await do(people["Ada"], path, "dance", 404)
    await do(people["Ada"], "/evenings/none", "join", 404)
    assert progress(hall, path).round == 0
    for _double_click in range(2):
        await do(people["Ada"], path, "start", round="0")
    assert progress(hall, path).round == 1
    secrets = [guest.id for guest in progress(hall, path).people]
    for address in (path, f"{path}/screen", f"{path}/bar"):
        for reader in (people["Ada"], people["Bo"], stranger):
            page = (await reader.get(address)).text
            assert not any(secret in page for secret in secrets), address
    await do(people["Ada"], path, "end")
    assert "over" in await do(stranger, path, "join", 409, name="Zoe")


@pytest.mark.parametrize(
    ("form", "words"),
    [
        ({"game-axes-and-allies": ""}, "at least one game"),
        ({"rounds": "0"}, "1 to 12 rounds"),
        ({"seats": "9"}, "that many players"),
        ({"clock": "slow:86400"}, "slow clock"),
        ({"rounds": "many"}, "must be an integer"),
    ],
)
async def test_a_wrong_form_is_refused_with_the_reason(hall: OpenHall, form: dict[str, str], words: str) -> None:
    given = {name: value for name, value in (USUAL | form).items() if value}
    answer = await hall.person().post("/evenings", given)
    assert (answer.status_code, words in answer.text) == (400, True)
    assert 'value="Club"' in answer.text


async def test_the_hall_lists_an_evening_for_all_or_only_for_its_people(hall: OpenHall) -> None:
    leader, stranger = hall.person("10.0.3.1"), hall.person("10.0.3.2")
    secret, public = await opened(leader), await opened(leader, public="on")
    assert [path in (await leader.get("/")).text for path in (secret, public)] == [True, True]
    assert [path in (await stranger.get("/")).text for path in (secret, public)] == [False, True]
    for _more in range(3):
        await opened(leader)
    assert (await leader.post("/evenings", USUAL)).status_code == 429


async def test_pages_are_live_and_the_screen_shows_boards(hall: OpenHall) -> None:
    path, people = await with_people(hall, ["Ada", "Bo", "Cleo", "Dag"])
    async with stream(people["Bo"], f"{path}/stream") as phone, stream(people["Ada"], f"{path}/screen/stream") as screen:
        assert 'data-table=\\"\\"' in await phone.frame()
        assert "Bo" in await screen.frame()
        await do(people["Ada"], path, "start")
        (room,) = await rooms(hall, path)
        assert f"/tables/{room.table.id}" in await phone.frame()
        board = f"/tables/{room.table.id}/board.svg"
        assert board not in await screen.frame()
        assert room.match is not None
        mover = people[room.match.names[room.match.actor or 0]]
        await mover.act(room.table.id, room.match.legal()[0].action)
        assert board in await screen.frame()
    drawn = await people["Bo"].get(f"{board}?theme=dark&language=de")
    assert (drawn.status_code, drawn.headers["content-type"]) == (200, "image/svg+xml")
    bar = (await people["Bo"].get(f"{path}/bar?table=another")).text
    assert f'data-go="/tables/{room.table.id}"' in bar


async def test_a_deleted_person_goes_and_the_points_of_others_stay(hall: OpenHall) -> None:
    path, people = await with_people(hall, ["Ada", "Bo", "Cleo", "Dag"], seats="2")
    await do(people["Ada"], path, "start")
    for room in await rooms(hall, path):
        await resign(people, room, max(seated(room)))
    before = points(hall, path)
    gone = next(name for name, (_place, sum_) in before.items() if sum_ == 1 and name != "Ada")
    assert (await people[gone].post("/privacy/delete", {"sure": "on"})).status_code == 303
    after = points(hall, path)
    assert gone not in after
    assert {name: sum_ for name, (_place, sum_) in after.items()} == {
        name: sum_ for name, (_place, sum_) in before.items() if name != gone
    }
    own = hall.store.transact(guests.find_public, public_id(hall, path, "Ada"))
    assert own is not None
    exported = hall.store.transact(personal_data.export, own.id)
    assert [len(exported[name]) for name in ("evenings", "evening_people", "evening_seats")] == [1, 1, 1]


async def test_an_old_evening_is_deleted_with_its_rounds(hall: OpenHall) -> None:
    path, people = await with_people(hall, ["Ada", "Bo"])
    await do(people["Ada"], path, "start")
    (table,) = progress(hall, path).tables
    hall.store.transact(lambda db: db.run("UPDATE evenings SET created_at = ?", db.now() - KEPT_FOR))
    for step in retention.expired():
        hall.store.transact(step)
    assert (await people["Bo"].get(path)).status_code == 404
    assert (await people["Bo"].get(f"/tables/{table}")).status_code == 200
    assert hall.store.transact(lambda db: db.value("SELECT count(*) FROM evening_seats")) == 0


async def test_the_host_ends_an_evening_by_a_command(hall: OpenHall, settings: Settings) -> None:
    path, people = await with_people(hall, ["Ada", "Bo"])
    await do(people["Ada"], path, "start")
    (room,) = await rooms(hall, path)
    id = path.rpartition("/")[2]
    listed = await asyncio.to_thread(run_command, settings, "evening", "list")
    assert [part in listed.stdout for part in (id, "open", "2 people", "Club")] == [True] * 4
    done = await asyncio.to_thread(run_command, settings, "evening", "end", id)
    assert done.stdout == "The evening “Club” is over.\n"
    assert room.table.status == "abandoned"
    assert "The evening is over" in (await people["Bo"].get(path)).text
    refused = await asyncio.to_thread(run_command, settings, "evening", "end", "none")
    assert (refused.returncode, "no such evening" in refused.stderr) == (2, True)


async def test_each_game_is_played_so_that_it_has_places() -> None:
    assert {name: list(way_of_playing(game(name))[1]) for name in (AXES, "axxa", "viking-axes", "dungeon-allies")} == {
        AXES: [2, 3, 4, 5, 6],
        "axxa": [2],
        "viking-axes": [2, 3, 4, 5, 6, 7],
        "dungeon-allies": [2, 3, 4, 5],
    }
