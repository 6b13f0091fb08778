"""Order among strangers: reports and cases, what is done in them, what people are told, and new guests who wait."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from datetime import timedelta
from html import unescape

import pytest

from meadhall.server.hall.moderation import reported
from meadhall.server.settings import Retention, Settings
from meadhall.server.store import cases as store, guests
from meadhall.server.store.models import Guest
from meadhall.server.store.retention import outdated
from server.manual_time import ManualTime
from server.people import AXES, OpenHall, Person, open_hall
from server.test_rights import run, with_role

pytestmark = [pytest.mark.asyncio, pytest.mark.usefixtures("at_once")]

RUDE = "Your ship smells of herring"


async def at_table(hall: OpenHall) -> tuple[Person, Person, str]:
    """Return a villain who has said something rude at a table, a victim there, and the table's id."""
    villain, victim = hall.person("10.0.1.1"), hall.person("10.0.2.2")
    await villain.post("/settings", {"name": "Villain"})
    table = await villain.open(AXES, 3)
    await victim.ask(f"/tables/{table}/seats", {"set": "sit"})
    await victim.ask(f"/tables/{table}/chat", {"text": "Hello?"})
    await villain.ask(f"/tables/{table}/chat", {"text": RUDE})
    return villain, victim, table


async def line_of(person: Person, table: str) -> str:
    """Return what a person reports who reports the rude line at a table."""
    lines = (await person.get(f"/tables/{table}/chat")).text.split("<li ")
    (line,) = [each for each in lines if RUDE in each]
    return str(re.findall(r"/report\?of=(line:[\w-]+)", line)[0])


async def report(person: Person, of: str, reason: str = "insult", **more: str) -> int:
    return (await person.post("/report", {"of": of, "reason": reason, **more})).status_code


def guest_named(hall: OpenHall, name: str) -> Guest:
    found = hall.store.transact(lambda db: guests.find(db, db.value("SELECT id FROM guests WHERE name = ?", name)))
    assert found is not None
    return found


def public_id(hall: OpenHall) -> str:
    return guest_named(hall, "Villain").public_id


async def cases(reader: Person) -> list[str]:
    """Return the ids of the cases that wait."""
    return re.findall(r'id="case-([\w-]+)"', (await reader.get("/host")).text)


async def decide(reader: Person, deed: str, reason: str = "", case: str = "") -> int:
    """Do something in a case, the first one that waits unless it is given."""
    case = case or (await cases(reader))[0]
    return (await reader.post(f"/host/cases/{case}", {"deed": deed, "reason": reason})).status_code


async def test_reports_of_one_line_are_one_case_with_the_lines_that_the_same_audience_has_heard(
    hall: OpenHall, settings: Settings
) -> None:
    villain, victim, table = await at_table(hall)
    helper, watcher = await with_role(hall, settings, "helper"), hall.person("10.0.3.3")
    await watcher.ask(f"/tables/{table}/chat", {"text": "Only spectators hear this"})
    of = await line_of(victim, table)
    assert RUDE in (await victim.get(f"/report?of={of}")).text
    assert await report(victim, of, words="He says it to all") == 303
    assert await report(victim, of, "spam") == 303
    await helper.ask(f"/tables/{table}/seats", {"set": "sit"})
    assert await report(helper, of, "spam") == 303
    assert await report(villain, of) == 404, "nobody reports themselves"
    assert await report(watcher, of) == 404, "a spectator doesn't hear it"
    assert await report(victim, of, "boredom") == 400
    for wrong in ("", "line", "line:x", "seat:x", f"seat:{table}", f"seat:{table}:9", "person:x", "king:x"):
        assert await report(victim, wrong) == 404, wrong
    await run(settings, "chat", "delete", of.removeprefix("line:"))
    page = (await helper.get("/host")).text
    assert len(await cases(helper)) == 1
    for shown in (
        RUDE,
        "He says it to all",
        "Hello?",
        "Insult or hate × 1",
        "Spam or advertising × 1",
        f'href="/tables/{table}"',
    ):
        assert shown in page, shown
    assert "Only spectators hear this" not in page
    assert not [id for id in hall.store.transact(lambda db: db.values("SELECT id FROM guests")) if id in page], "secrets"
    assert RUDE in await run(settings, "cases")


async def test_a_name_is_reported_apart_from_conduct_and_a_person_only_from_where_they_are_seen(
    hall: OpenHall, settings: Settings
) -> None:
    villain, victim, table = await at_table(hall)
    host = await with_role(hall, settings, "host")
    seat, person = f"seat:{table}:0", f"person:{public_id(hall)}"
    assert f"/report?of={seat}" in (await victim.get(f"/tables/{table}/chat")).text
    assert [await report(victim, seat, "cheating", what=what) for what in ("conduct", "conduct", "name")] == [303] * 3
    assert await report(victim, person) == 404, "they have not played with each other, and the profile is not public"
    await villain.post("/people/me/visibility", {"profile": "public"})
    assert f"/report?of={person}" in (await victim.get(f"/people/{public_id(hall)}")).text
    assert await report(victim, person, what="name") == 303
    assert len(await cases(host)) == 2
    assert "Villain (" in (await host.get("/host")).text
    for number in range(8):
        assert await report(victim, person, what="name", words=str(number)) == 303, "a repeated report changes nothing"
    other = dict(await reported(hall.hall, guest_named(hall, "Host"), person))
    reporter = hall.store.transact(lambda db: db.value("SELECT guest FROM reports LIMIT 1"))
    for number in range(8):
        hall.store.transact(store.report, other | {"subject": str(number)}, None, reporter, "spam", "")
    assert await report(victim, seat) == 429


async def test_each_deed_does_what_it_says_and_helpers_have_fewer(hall: OpenHall, settings: Settings) -> None:
    villain, victim, table = await at_table(hall)
    host, helper = await with_role(hall, settings, "host"), await with_role(hall, settings, "helper", "10.0.8.8")
    assert await report(victim, await line_of(victim, table)) == 303
    (case,) = await cases(helper)
    assert await decide(helper, "good", case=case) == 403
    assert await decide(helper, "fly", case=case) == 400
    assert await decide(helper, "hide", case="x") == 404
    assert await decide(helper, "hide", case=case) == 303
    assert await cases(helper) == []
    assert RUDE not in (await victim.get(f"/tables/{table}/chat")).text
    assert "Something was done about what you have reported" in (await victim.get("/")).text
    assert (await victim.post("/told")).status_code == 303
    assert "Something was done" not in (await victim.get("/")).text

    assert await decide(helper, "mute", "Be kind", case) == 303, "more can be done in a case that is closed"
    refused = (await villain.ask(f"/tables/{table}/chat", {"text": "What?"})).json()
    assert (refused["error"], "Reason: Be kind" in refused["reason"]) == ("no-chat", True)
    assert "has muted you until" in (await villain.get("/")).text
    await run(settings, "people", "mute", public_id(hall), "--days", "9")
    assert await decide(helper, "mute", "Be kind", case) == 303
    until = guest_named(hall, "Villain").muted_until
    assert until is not None
    assert until - hall.store.time.now() > timedelta(days=8), "a helper doesn't shorten what a host has done"
    undo = f"/host/people/{public_id(hall)}"
    assert (await helper.post(undo, {"deed": "unmute"})).status_code == 403
    assert (await host.post(undo, {"deed": "unmute"})).status_code == 303
    assert (await villain.ask(f"/tables/{table}/chat", {"text": "Sorry"})).status_code == 200

    assert await decide(helper, "rename", "A better name", case) == 303
    page = (await villain.get("/")).text
    assert "has given you another name" in page
    assert "Reason: A better name" in page
    assert not hall.store.transact(lambda db: db.value("SELECT 1 FROM chat_lines WHERE name = 'Villain'"))
    shown = (await host.get(f"/host?case={case}")).text
    assert "line deleted, muted for a day, renamed" in shown
    assert "now called" in shown
    assert await decide(helper, "week", case=case) == 303
    assert "Reason: Insult or hate" in (await villain.get("/")).text, "without words the person reads why they were reported"
    assert f'<a href="{undo.removeprefix("/host")}">' in (await host.get("/host/log")).text


async def test_nobody_with_a_role_is_punished_by_a_helper(hall: OpenHall, settings: Settings) -> None:
    host, helper = await with_role(hall, settings, "host"), await with_role(hall, settings, "helper", "10.0.8.8")
    victim, table = hall.person(), await host.open(AXES)
    assert await report(victim, f"seat:{table}:0") == 303
    (case,) = await cases(helper)
    for deed in ("mute", "week", "rename"):
        assert await decide(helper, deed, case=case) == 403, deed
    assert await decide(helper, "dismiss", case=case) == 303
    assert "saw no reason to do something" in (await victim.get("/")).text
    assert await report(victim, f"seat:{table}:0") == 303, "another time it is another case"
    assert len(await cases(helper)) == 1


async def test_a_closing_tells_its_reason_and_ends_by_itself(settings: Settings) -> None:
    async with open_hall(settings, time=ManualTime()) as hall:
        villain, victim, table = await at_table(hall)
        helper = await with_role(hall, settings, "helper")
        assert await report(victim, await line_of(victim, table)) == 303
        assert await decide(helper, "week", "No herring here") == 303
        (settings.data / "house").mkdir()
        (settings.data / "house" / "contact.md").write_text("Write to *Sigrid*.")
        page = await villain.get("/")
        assert (page.status_code, 'href="/contact">Write to the hosts' in page.text) == (403, True)
        assert (await villain.get("/contact")).status_code == 200
        ends = f"{hall.time.now() + timedelta(days=7):%Y-%m-%d %H:%M} UTC"
        for said in ("The host of this hall has closed your access.", ends, "Reason: No herring here"):
            assert said in page.text, said
        twin = hall.person("10.0.1.1")
        assert (await twin.get("/")).status_code == 403
        hall.time.set_date(hall.time.now() + timedelta(days=7, seconds=1))
        assert (await villain.get("/")).status_code == 200
        assert (await twin.get("/")).status_code == 200


async def test_new_guests_from_the_network_of_someone_who_is_shut_out_wait_for_a_helper(
    hall: OpenHall, settings: Settings
) -> None:
    villain, _victim, table = await at_table(hall)
    helper, here = await with_role(hall, settings, "helper"), "10.0.1.1"
    known, member = hall.person(here), hall.person(here)
    await known.post("/settings", {"name": "Neighbour"})
    await member.post("/account/new", {"name": "Member", "password": "a long enough password"})
    assert (await villain.get("/")).status_code == 200
    await run(settings, "people", "close", public_id(hall), "--days", "3", "--reason", "Enough")
    assert (await known.get("/")).status_code == 200, "who was here before stays"
    new = hall.person(here)
    page = await new.get("/")
    assert (page.status_code, 'id="ask-in"' in page.text) == (403, True)
    for path in ("/rules/axes-and-allies", "/privacy", "/sign-in", "/settings"):
        assert (await new.get(path)).status_code == 200, path
    for form in ("/settings", "/tables", "/account/new", f"/tables/{table}/chat", "/quick", "/report"):
        assert (await new.ask(form, {"name": "Back", "game": AXES, "password": "a long enough password"})).status_code == 403, (
            form
        )
    program = await new.http.post("/api/v1/guests", json={"name": "Robot"})
    assert (program.status_code, program.json()["error"]) == (403, "not-admitted")
    back = hall.person(here)
    assert (await back.post("/sign-in", {"name": "Member", "password": "a long enough password"})).status_code == 303
    assert (await back.get("/")).status_code == 200
    assert (await hall.person("10.0.1.2").get("/")).status_code == 200, "of another network"

    hall.switch("hold_newcomers", "off")
    assert (await new.get("/")).status_code == 200
    hall.switch("hold_newcomers", "on")
    assert (await villain.post("/privacy/delete", {"sure": "on"})).status_code == 303
    assert 'id="ask-in"' in (await villain.get("/")).text, "who deletes everything waits, too"

    other = hall.person(here)
    for person, words in ((new, "I am the sister"), (other, "")):
        assert (await person.post("/waiting", {"words": words})).status_code == 303
        assert "You have asked" in (await person.get("/")).text
        assert (await person.post("/settings", {"name": "Back"})).status_code == 403
    await known.post("/waiting", {"words": "I don't wait"})
    waiting = (await helper.get("/host/waiting")).text
    assert "I don't wait" not in unescape(waiting)
    assert "I am the sister" in waiting
    asked = re.findall(r'action="/host/people/([\w-]+)"', waiting)
    assert (await helper.post(f"/host/people/{asked[0]}", {"deed": "admit"})).status_code == 303
    assert (await new.get("/")).status_code == 200
    assert (await helper.post(f"/host/people/{asked[0]}", {"deed": "admit"})).status_code == 400
    assert (await helper.post(f"/host/people/{asked[1]}", {"deed": "refuse"})).status_code == 303
    assert "closed your access" in (await other.get("/")).text
    hashes = hall.store.transact(lambda db: db.values("SELECT address FROM closings"))
    assert len(hashes) == 1
    assert here not in str(hashes)
    await hall.person("10.0.1.9").post("/settings", {"name": "Villain"})
    assert "only when a helper admits them" in await run(settings, "people", "close", public_id(hall))
    assert (await hall.person("10.0.1.9").get("/")).status_code == 403
    await run(settings, "people", "open", public_id(hall))
    assert (await hall.person("10.0.1.9").get("/")).status_code == 200


async def test_the_address_of_a_case_outlives_a_restart_and_goes_with_the_decision(settings: Settings) -> None:
    async with open_hall(settings) as before:
        _villain, victim, table = await at_table(before)
        assert await report(victim, await line_of(victim, table)) == 303
    async with open_hall(settings) as hall:
        host = await with_role(hall, settings, "host")
        case = (await run(settings, "cases")).split()[0]
        unknown = "doesn't know this person's network address"
        assert unknown not in unescape((await host.get("/host")).text)
        await run(settings, "cases", "decide", case, "good", "--reason", "Enough")
        assert (await hall.person("10.0.1.1").get("/")).status_code == 403
        assert not hall.store.transact(lambda db: db.value("SELECT 1 FROM cases WHERE address IS NOT NULL"))
        lines = [line.split(",")[3:] for line in (await host.get("/host/log.csv")).text.splitlines()]
        assert lines[-1] == ["good", f"{public_id(hall)} case {case}", "Enough"]
        await run(settings, "people", "open", public_id(hall))
        assert "doesn't know their network address" in await run(settings, "people", "close", public_id(hall))
        assert unknown in unescape((await host.get(f"/host?case={case}")).text), "the address went with the decision"


async def test_a_mute_goes_along_into_an_account(hall: OpenHall, settings: Settings) -> None:
    member, villain = hall.person("10.0.5.5"), hall.person("10.0.6.6")
    await member.post("/account/new", {"name": "Member", "password": "a long enough password"})
    await villain.post("/settings", {"name": "Villain"})
    await run(settings, "people", "mute", public_id(hall), "--reason", "Shouts")
    await villain.post("/sign-in", {"name": "Member", "password": "a long enough password", "take_along": "on"})
    stored = hall.store.transact(lambda db: db.one("SELECT muted_until IS NULL, reason FROM guests WHERE name = 'Member'"))
    assert stored is not None
    assert (stored[0], stored[1]) == (0, "Shouts")


async def test_a_case_is_in_the_download_of_both_without_the_other_and_goes_with_its_time(
    hall: OpenHall, settings: Settings
) -> None:
    villain, victim, table = await at_table(hall)
    helper = await with_role(hall, settings, "helper")
    assert await report(victim, await line_of(victim, table), words="Rude") == 303
    (about,) = json.loads((await villain.get("/privacy/data")).text)["cases"]
    assert (about["evidence"], "address" in about, "guest" in about) == (RUDE, False, False)
    (own,) = json.loads((await victim.get("/privacy/data")).text)["reports"]
    assert own["words"] == "Rude"
    await decide(helper, "dismiss")
    for days, left in ((0, 1), (20, 1), (5, 0)):
        kept = replace(Retention(0, 0, 0, 0), chat=days)
        later = hall.store.time.now() + timedelta(days=10)
        for deletion in outdated(later, kept):
            for id in hall.store.transact(deletion.find):
                hall.store.transact(deletion.step, id)
        counted = hall.store.transact(
            lambda db: db.values("SELECT (SELECT count(*) FROM cases) + (SELECT count(*) FROM reports)")
        )
        assert counted == [2 * left]
