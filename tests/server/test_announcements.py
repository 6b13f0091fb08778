"""What the host tells everyone: announcements and maintenance; the pages that the host writes; a deletion after a letter."""

from __future__ import annotations

import asyncio
import re
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Final

import pytest

from meadhall.server.hall.house import announce, plan_maintenance
from meadhall.server.settings import Settings
from meadhall.server.store import guests
from server.halls import run_command
from server.manual_time import ManualTime
from server.people import AXES, HOARD, OpenHall, Person, Visitor, open_hall, stream

pytestmark = [pytest.mark.asyncio, pytest.mark.usefixtures("at_once")]

HOUR: Final = timedelta(hours=1)
PASSWORD: Final = "a long enough password"  # noqa: S105


async def host_of(hall: OpenHall) -> Person:
    host = hall.person("10.0.7.7")
    assert (await host.post("/account/new", {"name": "Host", "password": PASSWORD})).status_code == 200
    hall.appoint("Host")
    return host


def tell(hall: OpenHall, text: str, german: str = "", hours: int = 1) -> None:
    hall.hall.do("", "announce", announce, text=text, german=german, until=(hall.time.now() + hours * HOUR).isoformat())


def plan(hall: OpenHall, begins: timedelta, lasts: timedelta) -> datetime:
    at = hall.time.now() + begins
    hall.hall.do("", "maintenance", plan_maintenance, begins=at.isoformat(), until=(at + lasts).isoformat())
    return at


async def shown(person: Person, path: str = "/") -> str:
    """Return what the page tells of the host's lines."""
    found = re.search(r'id="house-told">(.*?)</div>', (await person.get(path)).text, re.DOTALL)
    assert found
    return found[1]


async def test_an_announcement_stands_on_all_pages_in_the_language_of_the_reader_until_its_end(settings: Settings) -> None:
    async with open_hall(settings, time=ManualTime()) as hall:
        host, reader = await host_of(hall), hall.person(**{"Accept-Language": "de"})
        table = await reader.open()
        async with stream(reader, f"/tables/{table}/stream", page="x1") as page:
            tell(hall, "<b>Cup</b> on https://example.org/cup?a=1&b=2, not www.example.com, come!", "Pokal & Met")
            while (event := await page.event())[0] != "told":
                pass
            assert "Pokal &amp; Met" in event[1]
        assert "Pokal &amp; Met" in await shown(reader, f"/tables/{table}")
        line = await shown(host, "/privacy")
        assert "&lt;b&gt;Cup&lt;/b&gt; on" in line
        assert '<a href="https://example.org/cup?a=1&amp;b=2" rel="noopener noreferrer">' in line
        assert (line.count("<a "), "not www.example.com, come!" in line) == (1, True), "only whole addresses become links"
        await hall.time.advance(3601)
        assert "notice" not in await shown(host)


async def test_the_host_announces_by_page_and_command_but_not_for_the_past(hall: OpenHall, settings: Settings) -> None:
    host = await host_of(hall)
    past = {"what": "announce", "text": "Cup", "german": "", "until": "2001-01-01T00:00"}
    refused = await host.post("/host/switches", past)
    assert (refused.status_code, 'value="Cup"' in refused.text, await shown(host)) == (400, True, "")
    here = datetime.now()
    tomorrow, clock = f"{here + 24 * HOUR:%Y-%m-%dT%H:%M}", f"{here - HOUR:%H:%M}"
    form = {**past, "until": tomorrow}
    assert (await host.post("/host/switches", form)).status_code == 303
    assert "Cup" in await shown(host)
    assert (await host.post("/host/switches", {**form, "end": "yes"})).status_code == 303
    assert await shown(host) == ""
    planned = ("maintenance", clock, "--until", f"{here + 30 * HOUR:%Y-%m-%dT%H:%M}")
    for arguments in (("announce", "Skål", "--until", clock), planned, ("maintenance", "off")):
        done = await asyncio.to_thread(run_command, settings, "host", *arguments)
        assert done.returncode == 0, done.stderr
    assert "Skål" in await shown(host)
    bad = await asyncio.to_thread(run_command, settings, "host", "maintenance", "noon", "--until", "soon")
    assert (bad.returncode, "is no time" in bad.stderr) == (2, True)
    deeds = [line.split(",")[2:4] for line in (await host.get("/host/log.csv")).text.splitlines()[2:]]
    assert deeds == [["Host", "announce"]] * 2 + [["", "announce"]] + [["", "maintenance"]] * 2


async def test_no_match_begins_during_a_maintenance_but_those_that_run_go_on(settings: Settings) -> None:
    async with open_hall(settings, time=ManualTime()) as hall:
        plan(hall, HOUR, 2 * HOUR)
        host, _friend, room = await hall.two_at()
        ended, program, lobby = room.table.id, await hall.program(), await host.open()
        await host.ask(f"/tables/{lobby}/seats", {"seat": "1", "set": "bot"})
        assert "<time" in await shown(host), "it is told before"
        await hall.time.advance(3600)
        assert (await host.ask(f"/tables/{ended}/resign")).status_code == 200
        for path, form in (
            (f"/tables/{lobby}/start", {}),
            ("/tables", {"game": AXES, "kind": "bots"}),
            ("/quick", {"game": AXES, "seats": "2", "clock": "none"}),
            ("/daily", {}),
            (f"/tables/{ended}/rematch", {}),
        ):
            answer = await host.ask(path, form)
            assert (answer.status_code, answer.json()["error"]) == (503, "maintenance"), path
            assert "It ends in 120 min." in answer.json()["reason"]
        refused = await program.post("/quick-match", {"game": AXES})
        assert (refused.status_code, refused.json()["error"]) == (503, "maintenance")
        await hall.time.advance(7201)
        assert (await host.ask(f"/tables/{lobby}/start")).status_code == 200


async def clocks(hall: OpenHall, table: str) -> Any:
    room = await hall.room(table)
    assert room.running_clocks is not None
    return room.running_clocks


async def test_clocks_stand_from_the_beginning_to_the_end_of_a_maintenance_also_over_a_restart(settings: Settings) -> None:
    time = ManualTime()
    async with open_hall(settings, time=time) as hall:
        _one, _other, table = await hall.two_programs(clock={"kind": "seat", "seconds": 600, "increment": 0, "time_up": "resign"})
        deadline = (await clocks(hall, table)).deadline
        begins = plan(hall, timedelta(seconds=60), HOUR)
        await time.advance(6)
        assert (await clocks(hall, table)).still_until(time.now()) is None, "before it, the clock runs"
        assert (await clocks(hall, table)).deadline == deadline + HOUR + timedelta(seconds=20)
        await time.advance(60)
        left = (await clocks(hall, table)).left_at(time.now())
        assert (await clocks(hall, table)).still_until(time.now()) == begins + HOUR + timedelta(seconds=20)
        await time.advance(1200)
        assert (await clocks(hall, table)).left_at(time.now()) == left
    async with open_hall(settings, time=time) as hall:
        assert (await clocks(hall, table)).left_at(time.now()) == left
        assert "<time" in await shown(hall.person())
        hall.hall.do("", "maintenance", plan_maintenance)
        ended = time.now()
        await time.advance(6)
        assert (await clocks(hall, table)).still_until(ended) == ended + timedelta(seconds=20), "it ended early"
        await time.advance(30)
        assert (await clocks(hall, table)).left_at(time.now()) < left


async def test_the_pages_that_the_host_writes(settings: Settings) -> None:
    under = replace(settings, public_url="https://example.org/hall")
    async with open_hall(under) as hall:
        reader, german = hall.person(Host="example.org"), hall.person(Host="example.org", **{"Accept-Language": "de"})
        machine = Visitor(hall.app, Host="example.org").http
        assert "/hall/contact" not in (await reader.get("/hall/")).text
        assert (await reader.get("/hall/contact")).status_code == 404
        assert (await machine.get("/.well-known/security.txt")).status_code == 404
        house = Path(settings.data) / "house"
        house.mkdir()
        (house / "contact.md").write_text("Write to **Eir** <script>alert(1)</script> [here](javascript:alert(1))\n")
        (house / "contact.de.md").write_text("Schreib an *Eir*.")
        (house / "rules.md").write_text("# Be kind")
        page = (await reader.get("/hall/contact")).text
        assert "<strong>Eir</strong> &lt;script&gt;" in page
        assert 'href="javascript' not in page
        assert "Schreib an <em>Eir</em>" in (await german.get("/hall/contact")).text
        assert "Be kind" in (await german.get("/hall/house-rules")).text
        front = (await reader.get("/hall/")).text
        assert ('href="/hall/contact"' in front, 'href="/hall/imprint"' in front) == (True, False)
        security = await machine.get("/.well-known/security.txt")
        assert security.headers["content-type"].startswith("text/plain")
        assert re.fullmatch(r"Contact: https://example.org/hall/contact\nExpires: \d{4}-\d\d-\d\dT00:00:00Z\n", security.text)
        (house / "security.txt").write_text("Contact: mailto:eir@example.org\nExpires: 2027-01-01T00:00:00Z\n")
        assert (await machine.get("/hall/.well-known/security.txt")).text == (house / "security.txt").read_text()
        robots = (await machine.get("/robots.txt")).text.splitlines()
        assert {"Allow: /hall/$", "Allow: /hall/rules/", "Disallow: /hall/"} <= set(robots)


async def test_a_host_deletes_a_person_and_the_log_has_no_name(hall: OpenHall, settings: Settings) -> None:
    host, person = await host_of(hall), hall.person()
    await person.post("/settings", {"name": "Thorbjörn"})
    await person.open(HOARD)
    public = next(each["public_id"] for each in hall.store.transact(guests.named_like, "Thorbjörn", 1))
    assert 'value="delete"' in (await host.get(f"/host/people/{public}")).text
    assert (await host.post(f"/host/people/{public}", {"deed": "delete"})).status_code == 400, "the box was not ticked"
    assert hall.store.transact(guests.named_like, "Thorbjörn", 1)
    assert (await host.post(f"/host/people/{public}", {"deed": "delete", "sure": "on"})).status_code == 303
    assert not hall.store.transact(guests.named_like, "Thorbjörn", 1)
    log = (await host.get("/host/log.csv")).text
    assert (f"delete,{public}" in log, "Thorbjörn" in log) == (True, False)
    done = await asyncio.to_thread(run_command, settings, "people", "delete", public, "--yes")
    assert (done.returncode, "There is no person" in done.stderr) == (2, True)
