"""The links for other people and devices: a visitor on the hall's own machine gets the address that the others can open."""

from __future__ import annotations

import asyncio
import re
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from html import unescape
from subprocess import CompletedProcess

import pytest

from meadhall.cli.hall_data import chosen_settings
from meadhall.server.ops import machine
from meadhall.server.pages.lobby import qr_code
from meadhall.server.settings import Settings
from server.halls import run_command
from server.manual_time import ManualTime
from server.people import AXES, OpenHall, Person, open_hall

LAN = "http://192.168.1.5:8000"
HERE = "http://127.0.0.1:8000"
START = "make play LAN=1"


pytestmark = pytest.mark.usefixtures("at_once")


@pytest.fixture
def in_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let this machine be in a network."""
    monkeypatch.setattr("meadhall.server.settings.host_in_network", lambda host: "192.168.1.5")


@asynccontextmanager
async def hall_on(settings: Settings, host: str) -> AsyncIterator[OpenHall]:
    async with open_hall(replace(settings, host=host), time=ManualTime()) as hall:
        yield hall


def visitor(hall: OpenHall, host: str = "127.0.0.1:8000", address: str = "127.0.0.1", **headers: str) -> Person:
    """Return a person whose browser asks for this host from this address."""
    return hall.person(address, Host=host, **headers)


async def invitation(person: Person) -> str:
    """Return the section of a new lobby with the invitation."""
    page = (await person.get(f"/tables/{await person.open()}")).text
    return page.partition('<h2 id="invite-title">')[2].partition("</section>")[0]


async def attempt(person: Person) -> None:
    """Begin the puzzle of the day, and give it up."""
    table = (await person.ask("/daily")).json()["id"]
    assert (await person.ask(f"/tables/{table}/resign")).status_code == 200


def link_in(text: str) -> str:
    """Return the address in the first field of a link."""
    return str(re.findall(r'value="(http[^"]+)" readonly', text)[0])


@pytest.mark.usefixtures("in_network")
@pytest.mark.parametrize("host", ["0.0.0.0", "::"])  # noqa: S104 - no socket is bound
async def test_every_address_for_others_is_that_of_the_network(on_sqlite: Settings, host: str) -> None:
    """The lobby, its live page, the match with the link of a seat, the link to another device, the puzzle, and the API."""
    async with hall_on(on_sqlite, host) as hall:
        person, friend = visitor(hall), hall.person("192.168.1.7", Host="192.168.1.5:8000")
        table = await person.open()
        lobby = (await person.get(f"/tables/{table}")).text
        await friend.ask(f"/tables/{table}/seats", {"set": "sit"})
        await person.ask(f"/tables/{table}/start")
        match = (await person.get(f"/tables/{table}")).text
        identity = (await person.get((await person.post("/identity")).headers["location"])).text
        await attempt(person)
        daily = (await person.get("/daily")).text
        program = (await visitor(hall).http.post("/api/v1/guests", json={"name": "Robot"})).json()["token"]
        told = (await visitor(hall, Authorization=f"Bearer {program}").get(f"/api/v1/tables/{table}")).json()
        for page in (lobby, match, identity, daily):
            assert "127.0.0.1" not in page
            assert START not in page
        assert unescape(link_in(lobby)) == f"{LAN}/tables/{table}"
        assert qr_code(f"{LAN}/tables/{table}") in lobby
        assert re.search(rf'value="{LAN}/seat/[^"]+" readonly', match)
        assert re.search(rf'value="{LAN}/identity/[^"]+" readonly', identity)
        assert qr_code(link_in(identity)) in identity
        assert f"{LAN}/daily" in daily
        assert f'property="og:image" content="{LAN}/' in lobby
        assert told["url"] == f"{LAN}/tables/{table}"


@pytest.mark.parametrize("name", ["127.0.0.1:8000", "localhost:8000", "[::1]:8000", "0.0.0.0:8000"])
async def test_a_hall_that_only_this_machine_can_open_says_so_in_place_of_a_qr_code(on_sqlite: Settings, name: str) -> None:
    async with hall_on(on_sqlite, "127.0.0.1") as hall:
        person = visitor(hall, name)
        shown = await invitation(person)
        assert link_in(shown).startswith(f"http://{name}/tables/"), "another window of this machine can use it"
        assert START in shown
        assert "Anyone with this link" not in shown
        identity = (await person.get((await person.post("/identity")).headers["location"])).text
        assert START in identity
        await attempt(person)
        daily = (await person.get("/daily")).text
        assert f"{name}/daily" not in daily, "the text for friends has no address that they can't open"
        for page in (shown, identity):
            assert 'class="qr"' not in page


async def test_a_hall_on_all_addresses_without_a_network_says_so(on_sqlite: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("meadhall.server.settings.host_in_network", lambda host: "")
    async with hall_on(on_sqlite, "0.0.0.0") as hall:  # noqa: S104 - no socket is bound
        shown = await invitation(visitor(hall))
        assert "MEADHALL_URL" in shown
        assert 'class="qr"' not in shown


@pytest.mark.usefixtures("in_network")
@pytest.mark.parametrize(
    ("name", "address", "headers", "begins"),
    [
        pytest.param("192.168.1.5:8000", "192.168.1.7", {}, LAN, id="a phone"),
        pytest.param("laptop.local:8000", "127.0.0.1", {}, "http://laptop.local:8000", id="a name in the network"),
        pytest.param(
            "127.0.0.1:8000",
            "127.0.0.1",
            {"X-Forwarded-Host": "hall.example.org", "X-Forwarded-Proto": "https"},
            "https://hall.example.org",
            id="behind a proxy",
        ),
        pytest.param("hall.example.org", "127.0.0.1", {}, "http://hall.example.org", id="a proxy that passes the Host header"),
    ],
)
async def test_an_address_that_others_can_use_is_kept(
    on_sqlite: Settings, name: str, address: str, headers: dict[str, str], begins: str
) -> None:
    async with hall_on(on_sqlite, "0.0.0.0") as hall:  # noqa: S104 - no socket is bound
        person = Person(hall.app, address, Host=name, **headers)
        shown = await invitation(person)
        assert link_in(shown).startswith(f"{begins}/tables/")
        assert 'class="qr"' in shown


@pytest.mark.usefixtures("in_network")
@pytest.mark.parametrize(
    ("address", "headers"),
    [("172.17.0.1", {}), ("127.0.0.1", {"X-Forwarded-For": "192.168.1.7"})],
    ids=["the forwarded port of a container", "a proxy that hides its name"],
)
async def test_what_stands_between_hides_the_address(on_sqlite: Settings, address: str, headers: dict[str, str]) -> None:
    async with hall_on(on_sqlite, "0.0.0.0") as hall:  # noqa: S104 - no socket is bound
        shown = await invitation(visitor(hall, "localhost:8080", address, **headers))
        assert "192.168" not in shown
        assert "MEADHALL_URL" in shown
        assert 'class="qr"' not in shown


async def test_the_public_address_wins(on_sqlite: Settings) -> None:
    public = replace(on_sqlite, public_url="https://hall.example.org/hall")
    async with open_hall(public) as hall:
        person = hall.person("127.0.0.1", Host="127.0.0.1:8000")
        page = (await person.get(f"/hall/tables/{await opened_below(person)}")).text
        assert link_in(page).startswith("https://hall.example.org/hall/tables/")
        assert 'class="qr"' in page


async def opened_below(person: Person) -> str:
    """Open a table in a hall below a path."""
    answer = await person.ask("/hall/tables", {"game": AXES, "kind": "friends", "players": "2"})
    return str(answer.json()["id"])


# ------------------------------------------------------------------------------------------------------------------- network


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "0:0::0"])  # noqa: S104 - the address of a network is looked up
def test_the_address_in_the_network_is_one_of_this_machine(host: str) -> None:
    found = machine.host_in_network(host)
    if found:  # this machine is in a network
        with socket.socket(socket.AF_INET6 if ":" in found else socket.AF_INET) as listener:
            listener.bind((found, 0))
        assert not found.startswith(("127.", "169.254.", "fe80", "::1", "0.0.0.0"))  # noqa: S104


@pytest.mark.parametrize("host", ["192.168.1.5", "laptop.local", "fd00::2"])
def test_a_chosen_address_is_kept(host: str) -> None:
    assert machine.host_in_network(host) == host
    assert machine.host_here(host) == host


def test_a_way_that_leads_to_this_machine_only_is_no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "_FAR_AWAY", {4: (socket.AF_INET, "127.0.0.1"), 6: (socket.AF_INET6, "::1")})
    assert machine.host_in_network("::") == ""
    assert Settings(host="::", port=80).url_for_others == ""


def test_a_hall_on_all_addresses_is_reached_here_by_loopback() -> None:
    assert Settings(host="0.0.0.0", port=80).url_here == "http://127.0.0.1:80"  # noqa: S104
    assert Settings(host="::", port=80).url_here == "http://[::1]:80"
    assert Settings(host="fd00::2", port=80).url_for_others == "http://[fd00::2]:80"


# ------------------------------------------------------------------------------------------------------------------ commands


async def run(settings: Settings, *arguments: str) -> CompletedProcess[str]:
    """Run the command beside the hall."""
    return await asyncio.to_thread(run_command, settings, *arguments)


@pytest.mark.usefixtures("in_network")
async def test_commands_print_links_with_the_address_of_the_last_start(on_sqlite: Settings) -> None:
    started = replace(on_sqlite, host="0.0.0.0", port=8123, admission="invited")  # noqa: S104
    async with open_hall(started) as hall:
        assert "127.0.0.1:8000/admission/" in (await run(on_sqlite, "invite")).stdout, "the hall has not noted its start"
        started.note_start()
        printed = await run(on_sqlite, "invite")
        assert printed.stdout.startswith("http://192.168.1.5:8123/admission/")
        assert "needs no invitations" not in printed.stdout
        assert printed.stderr == ""
        await hall.person().post("/settings", {"name": "Ada"})
        id = (await run(on_sqlite, "people", "list", "--name", "Ada")).stdout.split()[0]
        assert (await run(on_sqlite, "people", "link", id)).stdout.startswith("http://192.168.1.5:8123/identity/")


async def test_a_command_says_if_only_this_machine_can_open_its_link(on_sqlite: Settings) -> None:
    async with open_hall(on_sqlite):
        printed = await run(on_sqlite, "invite")
        assert printed.returncode == 0
        assert "meadhall serve --lan" in printed.stderr


def test_what_a_command_is_given_counts_more_than_the_last_start(on_sqlite: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEADHALL_URL", "https://hall.example.org/")
    replace(on_sqlite, port=8123).note_start()
    chosen = chosen_settings(on_sqlite.data)
    assert (chosen.public_url, chosen.port) == ("https://hall.example.org", 8123)
    on_sqlite.start_file.write_text("{", encoding="utf-8")
    assert chosen_settings(on_sqlite.data).port == 8000
