"""Who may play in a hall: everyone, invited guests, people with an account; and nobody whom the host has shut out."""

from __future__ import annotations

import asyncio
import re
from dataclasses import replace

import pytest

from meadhall.server.ops.time import Time
from meadhall.server.settings import BadSetting, Settings
from meadhall.server.store import links
from meadhall.server.store.links import AdmissionLink
from server.halls import run_command
from server.people import AXES, OpenHall, Person, Program, Visitor, open_hall, stream

pytestmark = [pytest.mark.asyncio, pytest.mark.usefixtures("at_once")]

PASSWORD = {"password": "a long enough password"}


async def run(settings: Settings, *arguments: str) -> str:
    """Run a command beside the hall, and return what it prints."""
    done = await asyncio.to_thread(run_command, settings, *arguments)
    assert done.returncode == 0, done.stderr + done.stdout
    return done.stdout


def invite(hall: OpenHall, uses: int | None = 1) -> str:
    """Return the token of a new invitation."""
    token, link = AdmissionLink.new(Time().now(), "Chess club", uses)
    hall.store.transact(lambda db: links.add_admission(db, link))
    return token


async def is_in(person: Person) -> bool:
    answer = await person.get("/")
    assert answer.status_code in (200, 403)
    return answer.status_code == 200


async def test_a_setting_says_who_may_play() -> None:
    assert Settings.from_environment({}).admission == "open"
    assert Settings.from_environment({"MEADHALL_ADMISSION": "invited"}).admission == "invited"
    with pytest.raises(BadSetting, match="MEADHALL_ADMISSION must be open, invited or accounts"):
        Settings.from_environment({"MEADHALL_ADMISSION": "friends"})


async def test_a_visitor_of_a_hall_for_invited_guests_reads_how_to_get_in(on_sqlite: Settings) -> None:
    async with open_hall(replace(on_sqlite, admission="invited")) as hall:
        visitor = hall.person()
        page = await visitor.get("/")
        assert page.status_code == 403
        assert "Ask its host for an invitation link." in page.text
        assert 'href="/sign-in"' in page.text
        assert 'href="/account/new"' not in page.text
        for path in ("/tables/x", "/daily", "/matches", "/learn/axes-and-allies", "/account/new"):
            assert (await visitor.get(path)).status_code == 403, path
        for form in ("/tables", "/daily", "/quick", "/identity"):
            assert (await visitor.ask(form, {"game": AXES})).json()["error"] == "not-admitted", form
        for path in ("/rules/axes-and-allies", "/privacy", "/settings", "/sign-in"):
            assert (await visitor.get(path)).status_code == 200, path
        for path in ("/health", "/static/favicon.svg", "/api/v1/games"):
            assert (await Visitor(hall.app).get(path)).status_code == 200, path


async def test_an_invitation_admits_as_many_guests_as_it_says(on_sqlite: Settings) -> None:
    async with open_hall(replace(on_sqlite, admission="invited")) as hall:
        token = invite(hall, uses=2)
        people = [hall.person(f"10.0.1.{k}") for k in range(5)]
        page = (await people[0].get(f"/admission/{token}")).text
        assert "You are invited" in page
        assert "Chess club" in page
        assert not await is_in(people[0]), "a look admits nobody: messengers preview links"
        answers = await asyncio.gather(*(person.post(f"/admission/{token}", {"name": "Ada"}) for person in people))
        assert sorted(answer.status_code for answer in answers) == [303, 303, 404, 404, 404]
        inside = [person for person in people if await is_in(person)]
        assert len(inside) == 2
        assert 'value="Ada' in (await inside[0].get("/settings")).text
        assert (await inside[0].post(f"/admission/{token}")).status_code == 303, "who is in uses up nothing"
        assert await inside[0].open(AXES)
    async with open_hall(replace(on_sqlite, admission="invited")) as after:
        again = after.person()
        again.http.cookies.update(inside[0].http.cookies)
        assert await is_in(again)


async def test_an_invitation_expires(settings: Settings) -> None:
    async with open_hall(replace(settings, admission="invited")) as hall:
        token, link = AdmissionLink.new(Time().now(), uses=None, expires_at=Time().now())
        hall.store.transact(lambda db: links.add_admission(db, link))
        assert (await hall.person().get(f"/admission/{token}")).status_code == 404


async def test_a_program_needs_an_invitation_too(settings: Settings) -> None:
    async with open_hall(replace(settings, admission="invited")) as hall:
        token = invite(hall)
        visitor = Visitor(hall.app)
        refused = await visitor.http.post("/api/v1/guests", json={"name": "Robot"})
        assert (refused.status_code, refused.json()["error"]) == (403, "not-admitted")
        wrong = await visitor.http.post("/api/v1/guests", json={"name": "Robot", "invitation": "x"})
        assert (wrong.status_code, wrong.json()["error"]) == (404, "not-found")
        made = await visitor.http.post("/api/v1/guests", json={"name": "Robot", "invitation": token})
        assert made.status_code == 201
        robot = Program(hall.app, Authorization=f"Bearer {made.json()['token']}")
        assert (await robot.post("/tables", {"game": AXES, "players": 2})).status_code == 201


async def test_guests_of_before_need_an_invitation_and_people_with_an_account_do_not(settings: Settings) -> None:
    async with open_hall(settings) as before:
        guest, owner = before.person(), before.person("10.0.0.2")
        program = await before.program()
        await guest.post("/settings", {"name": "Ada"})
        await owner.post("/account/new", {"name": "Bo", **PASSWORD})
    async with open_hall(replace(settings, admission="invited")) as hall:
        again, back = hall.person(), hall.person("10.0.0.2")
        again.http.cookies.update(guest.http.cookies)
        back.http.cookies.update(owner.http.cookies)
        assert not await is_in(again)
        assert await is_in(back)
        robot = Program(hall.app, Authorization=program.http.headers["Authorization"])
        assert (await robot.read("/tables")).json()["error"] == "not-admitted"
        phone = hall.person("10.0.0.3")
        await phone.post("/sign-in", {"name": "Bo", **PASSWORD})
        assert await is_in(phone)


async def test_in_a_hall_for_accounts_a_visitor_makes_one(on_sqlite: Settings) -> None:
    async with open_hall(replace(on_sqlite, admission="accounts")) as hall:
        visitor = hall.person()
        page = await visitor.get("/")
        assert page.status_code == 403
        assert 'href="/account/new"' in page.text
        assert (await visitor.get("/account/new")).status_code == 200
        assert (await visitor.post("/account/new", {"name": "Ada", **PASSWORD})).status_code == 200
        assert await is_in(visitor)
        refused = await Visitor(hall.app).http.post("/api/v1/guests", json={"name": "Robot"})
        assert refused.json()["error"] == "not-admitted"


# ------------------------------------------------------------------------------------------------------------------- commands


async def listed(settings: Settings, name: str) -> str:
    """Return the id of the person with that name, as the command lists it."""
    found = re.findall(rf"^(\S+) .* {name}$", await run(settings, "people", "list"), re.MULTILINE)
    assert len(found) == 1
    return str(found[0])


async def seen(holds: bool, person: Person) -> None:
    """Wait until a person is, or is not, in the hall: SQLite tells of changes by a command within a second."""
    async with asyncio.timeout(20):
        while await is_in(person) != holds:  # noqa: ASYNC110 - it waits for another process
            await asyncio.sleep(0.1)


async def test_the_host_invites_while_the_hall_runs(on_sqlite: Settings) -> None:
    hosted = replace(on_sqlite, admission="invited", public_url="")
    async with open_hall(hosted) as hall:
        made = await run(hosted, "invite", "--uses", "3", "--note", "Chess club")
        path = re.findall(r"/admission/\S+", made)[0]
        assert (await hall.person().post(path)).status_code == 303
        one = await run(hosted, "invite", "list")
        assert "1 of 3 used" in one
        assert "Chess club" in one
        id = one.split()[0]
        await run(hosted, "invite", "revoke", id)
        assert (await hall.person("10.0.0.2").post(path)).status_code == 404
        assert (await asyncio.to_thread(run_command, hosted, "invite", "revoke", id)).returncode != 0


@pytest.mark.parametrize(("command", "said"), [("people", "There are no such people."), ("invite", "There are no invitations.")])
async def test_an_empty_list_is_no_error(on_sqlite: Settings, command: str, said: str) -> None:
    found = await asyncio.to_thread(run_command, on_sqlite, command, "list")
    assert (found.returncode, found.stdout) == (0, f"{said}\n")


async def test_the_host_withdraws_the_invitation_of_a_person_who_is_shut_out(on_sqlite: Settings) -> None:
    invited = replace(on_sqlite, admission="invited")
    async with open_hall(invited) as hall:
        path = f"/admission/{invite(hall, uses=3)}"
        await hall.person().post(path, {"name": "Villain"})
        id = await listed(invited, "Villain")
        assert "can come back" in await run(invited, "people", "close", id)
        assert (await hall.person("10.0.0.2").get(path)).status_code == 200
        assert "is withdrawn" in await run(invited, "people", "close", id, "--revoke")
        assert (await hall.person("10.0.0.3").get(path)).status_code == 404


async def test_the_host_shuts_a_person_out_and_lets_them_in_again(on_sqlite: Settings) -> None:
    async with open_hall(on_sqlite) as hall:
        host, friend, room = await hall.three_at(AXES)
        await friend.post("/settings", {"name": "Villain"})
        made = await friend.post("/account/new", {"name": "Villain", **PASSWORD})
        assert made.status_code == 200
        async with stream(friend, f"/tables/{room.table.id}/stream") as pages:
            await pages.message()
            await run(on_sqlite, "people", "close", await listed(on_sqlite, "Villain"))
            while await pages.message() is not None:
                pass
        assert not await is_named(friend, "Villain"), "signed out everywhere"
        phone = hall.person("10.0.0.3")
        await phone.post("/sign-in", {"name": "Villain", **PASSWORD})
        page = await phone.get("/")
        assert (page.status_code, "The host of this hall has closed your access." in page.text) == (403, True)
        assert (await phone.get("/privacy/data")).status_code == 200
        assert (await host.get(f"/tables/{room.table.id}")).status_code == 200
        after = (await hall.room(room.table.id)).table
        assert [seat.kind for seat in after.seats].count("human") == 1
        await run(on_sqlite, "people", "open", await listed(on_sqlite, "Villain"))
        await seen(holds=True, person=phone)


async def is_named(person: Person, name: str) -> bool:
    return f'value="{name}"' in (await person.get("/settings")).text


async def test_the_host_renames_a_person_at_all_seats(on_sqlite: Settings) -> None:
    async with open_hall(on_sqlite) as hall:
        host = hall.person()
        await host.post("/settings", {"name": "Rudeness"})
        table = await host.open(AXES)
        await run(on_sqlite, "people", "rename", await listed(on_sqlite, "Rudeness"), "Politeness")
        async with asyncio.timeout(20):
            while not await is_named(host, "Politeness"):  # noqa: ASYNC110 - it waits for another process
                await asyncio.sleep(0.1)
        page = (await host.get(f"/tables/{table}")).text
        assert "Politeness" in page
        assert "Rudeness" not in page


async def test_a_link_of_the_host_lets_a_person_in_who_has_lost_their_account(on_sqlite: Settings) -> None:
    async with open_hall(on_sqlite) as hall:
        owner, new = hall.person(), hall.person("10.0.0.2")
        await owner.post("/account/new", {"name": "Ada", **PASSWORD})
        printed = await run(on_sqlite, "people", "link", await listed(on_sqlite, "Ada"))
        path = re.findall(r"/identity/\S+", printed)[0]
        assert (await new.post(path)).headers["location"] == "/account", "where a new password can be chosen"
        changed = await new.post("/account/password", {"password": "quite another password"})
        assert "The password was changed" in changed.text
