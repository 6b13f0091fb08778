"""A hall below a path of its host: every address that it sends is below this path, and it answers there."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field, replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import urljoin, urlsplit

import httpx
import pytest
import pytest_asyncio

from meadhall.engine.match.record import dumps
from meadhall.engine.registry import game, game_names
from meadhall.lab import balance
from meadhall.pictures.templates import STATIC as SHARED_STATIC
from meadhall.server.hall.orders import Order
from meadhall.server.pages.templates import STATIC
from meadhall.server.settings import Settings
from meadhall.server.store import guests, jobs, mail
from server.mail_server import NO_MAIL_SERVER
from server.people import AXES, OpenHall, Person, Program, metrics, open_hall, stream

pytestmark = pytest.mark.asyncio(loop_scope="module")

ORIGIN = "https://example.org"
ROOT = "/hall"
PUBLIC = ORIGIN + ROOT

FOR_PROGRAMS = ("/api", "/schema", "/health", "/metrics")
"""The beginnings of routes that send no pages. They have separate tests."""


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def hall(tmp_path_factory: pytest.TempPathFactory, at_once: None) -> AsyncIterator[OpenHall]:
    """Open a hall at a sub-path. Its app is not shared with other files of tests, because it keeps the schema of its API."""
    data, many = tmp_path_factory.mktemp("hall"), 1_000_000
    settings = Settings(data=data, browser=False, bot_pause=0.0, requests_per_minute=many, public_url=PUBLIC)
    async with open_hall(replace(settings, smtp=NO_MAIL_SERVER)) as opened:
        yield opened


def person(hall: OpenHall) -> Person:
    """Return a person whose browser shows pages at the public address."""
    found = hall.person()
    found.http.base_url = httpx.URL(PUBLIC)
    found.http.headers["Origin"] = ORIGIN
    return found


# ----------------------------------------------------------------------------------------------------- addresses of a response


_ADDRESSES = {"href", "src", "action", "formaction", "hx-get", "hx-post"}
"""Attributes that hold addresses. Values of others count as addresses if they look like one."""


class _Addresses(HTMLParser):
    """Collects the attributes and texts of a page that are addresses."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, str]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            is_address = name in _ADDRESSES and not (value or "").startswith("#")
            looks_like_one = value is not None and not name.startswith("xmlns") and (value.startswith("/") or "://" in value)
            if is_address or looks_like_one:
                self.found.append((f"<{tag} {name}>", value or ""))

    def handle_data(self, data: str) -> None:
        self.found.extend(("text", address) for address in re.findall(r"https?://[^\s<>\"']+", data))


def in_page(text: str) -> list[tuple[str, str]]:
    parser = _Addresses()
    parser.feed(text)
    return parser.found


def in_json(value: Any, place: str = "json") -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        for name, each in value.items():
            yield from in_json(each, f"{place}.{name}")
    elif isinstance(value, list):
        for each in value:
            yield from in_json(each, place)
    elif isinstance(value, str) and (value.startswith("/") or "://" in value):
        yield place, value


def addresses_in(answer: httpx.Response) -> list[tuple[str, str]]:
    """Return all addresses in the headers and the body of a response, with their places."""
    kind = answer.headers.get("content-type", "")
    found = [("Location", answer.headers["location"])] if "location" in answer.headers else []
    found += [
        ("Set-Cookie", "/" + path)
        for cookie in answer.headers.get_list("set-cookie")
        for path in re.findall("Path=/([^;]*)", cookie)
    ]
    if "html" in kind:
        found += in_page(answer.text)
    elif "json" in kind and "attachment" not in answer.headers.get("content-disposition", ""):
        found += list(in_json(answer.json()))
    elif "css" in kind:
        found += [
            ("css", address) for address in re.findall(r"url\([\"']?([^\"')#]+)", answer.text) if not address.startswith("data:")
        ]
    return found


def is_below(address: str, page: str) -> bool:
    """Return whether an address on a page leads to a path of the hall."""
    absolute = urljoin(page, address)
    return absolute.startswith(f"{PUBLIC}/") and ".." not in absolute


@dataclass
class Crawl:
    """Follows all links of the pages that it is given, one page for each route and set of parameters."""

    hall: OpenHall
    visitor: Person
    templates: set[str] = field(default_factory=set)
    seen: set[str] = field(default_factory=set)
    outside: list[tuple[str, str, str]] = field(default_factory=list)
    broken: list[tuple[str, int]] = field(default_factory=list)

    async def visit(self, *pages: str) -> None:
        waiting = [PUBLIC + page for page in pages]
        while waiting:
            page = waiting.pop()
            kind = re.sub(r"=[^&]*", "", page.partition("#")[0])
            if kind in self.seen or not page.startswith(f"{PUBLIC}/"):
                continue
            self.seen.add(kind)
            if page.endswith("/stream"):
                async with stream(self.visitor, page) as frames:
                    assert frames.status == 200
                    self.check(page, in_page(await frames.frame()))
                continue
            answer = await self.visitor.get(page)
            if answer.status_code >= 400:
                self.broken.append((page, answer.status_code))
            found = addresses_in(answer)
            self.check(page, found)
            followed = [
                address for place, address in found if not any(each in place for each in ("<form", "formaction", "hx-post"))
            ]
            waiting += [urljoin(page, address) for address in followed]

    def check(self, page: str, addresses: list[tuple[str, str]]) -> None:
        self.outside += [(page, place, address) for place, address in addresses if not is_below(address, page)]


def noting_templates(hall: OpenHall, visitor: Person, templates: set[str]) -> None:
    """Let a visitor note the templates of the paths that are answered."""
    app: Any = hall.app

    async def noting(scope: Any, receive: Any, send: Any) -> None:
        await app(scope, receive, send)
        templates.add(scope.get("path_template", ""))

    visitor.http._transport = httpx.ASGITransport(noting, raise_app_exceptions=False)
    visitor.app = noting  # type: ignore[assignment]


async def finished(hall: OpenHall, host: Person, friend: Person) -> str:
    """Play a match of two people to its end. Return its table."""
    table = await running(hall, host, friend)
    room = await hall.room(table)
    people = {0: host, 1: friend}
    while room.match is not None and not room.match.over:
        assert room.match.actor is not None
        answer = await people[room.match.actor].act(table, room.match.legal()[0].action, room.match.next_number)
        assert answer.status_code == 200, answer.text
    return table


async def running(hall: OpenHall, host: Person, friend: Person) -> str:
    table = await host.open(AXES)
    assert (await friend.ask(f"/tables/{table}/seats", {"set": "sit"})).status_code == 200
    assert (await host.ask(f"/tables/{table}/start")).status_code == 200
    return table


async def visit_the_house(hall: OpenHall, crawl: Crawl, table: str) -> None:
    """Visit the pages of hosts, and those that a host has written. At the table a person sits on seat 1."""
    other = hall.store.transact(guests.find, min((await hall.room(table)).table.seats[1].guests))
    assert other is not None
    await crawl.visit("/host", "/host/waiting", "/host/log", "/host/log.csv", f"/host/people/{other.public_id}")
    house = hall.hall.settings.data / "house"
    house.mkdir()
    for name in ("contact", "imprint", "rules"):
        (house / f"{name}.md").write_text("Eir")
    await crawl.visit("/contact", "/imprint", "/house-rules", "/robots.txt", "/.well-known/security.txt")


async def test_every_address_on_every_page_is_below_the_sub_path(hall: OpenHall) -> None:
    host, friend = person(hall), person(hall)
    lobby, match, ended = (
        await host.open("dungeon-allies", 3),
        await running(hall, host, friend),
        await finished(hall, host, friend),
    )
    room = await hall.room(ended)
    assert room.match is not None
    record = await host.upload(dumps(room.match.record(None)).encode(), Accept="application/json")
    uploaded = record.json()["url"].removeprefix(ROOT)
    link = (await host.ask(f"/tables/{match}/device")).json()["url"]
    attempt = urlsplit((await host.post("/daily")).headers["location"]).path.removeprefix(ROOT)
    crawl = Crawl(hall, host)
    noting_templates(hall, host, crawl.templates)
    await crawl.visit("/", uploaded, f"{uploaded}/chart", link.removeprefix(ROOT), attempt)
    await crawl.visit(*(f"/tables/{table}{rest}" for table in (lobby, match, ended) for rest in ("", "/stream")))
    await crawl.visit("/matches", "/matches?page=2", f"/tables/{ended}/chart", f"/tables/{match}/replay")
    await crawl.visit(*(f"/learn/{name}?step=2" for name in game_names() if game(name).lessons), "/daily/2026-01-01")
    await crawl.visit("/offline", "/service-worker.js", "/settings/notifications/key")
    await crawl.visit("/favicon.ico", "/apple-touch-icon.png", "/apple-touch-icon-precomposed.png", "/manifest.json")
    owner = (await hall.room(lobby)).table.host
    question = urlsplit((await host.post("/workshop", {"game": AXES})).headers["location"]).path.removeprefix(ROOT)
    report = balance(AXES, 2, games=8, depth="quick", seed="mead").to_dict()
    hall.store.transact(jobs.add_order, "q", owner, "report", {"players": [2]}, question.rpartition("/")[2])
    hall.store.transact(jobs.finish_order, "q", "done", {"report": report})
    hall.hall.orders._orders["q"] = done = Order(
        "q", owner, "10.0.0.1", "report", {"players": [2]}, question.rpartition("/")[2], "done"
    )
    done.ended.set()
    draft = (await host.post("/workshop", {"game": "dungeon-allies", "document": "components"})).headers["location"]
    await crawl.visit(question, "/workshop/dungeon-allies/components", urlsplit(draft).path.removeprefix(ROOT))
    form = {"name": "Club", f"game-{AXES}": "on", "rounds": "1", "seats": "2", "clock": "none", "plays": "on", "public": "on"}
    evening = urlsplit((await host.post("/evenings", form)).headers["location"]).path.removeprefix(ROOT)
    await friend.post(evening, {"do": "join"})
    await host.post(evening, {"do": "start"})
    played = next(iter(hall.hall.evenings.find(evening.rpartition("/")[2]).tables))
    await crawl.visit("/evenings/new", evening, f"{evening}/screen", f"{evening}/stream", f"{evening}/bar?table={played}")
    await crawl.visit(f"/tables/{played}", f"/tables/{played}/board.svg?theme=dark&more=1")
    await host.post(evening, {"do": "end"})
    await crawl.visit(f"{evening}?ended=1")
    identity = (await friend.post("/identity", Accept="application/json")).json()["url"].removeprefix(ROOT)
    await crawl.visit("/sign-in", "/account/new", "/admission/x", "/identity", identity)
    await host.post("/account/new", {"name": "Sigrid", "password": "correct horse battery"})
    hall.switch("ladder", "on")
    hall.store.transact(mail.ask, owner, "sigrid@example.org")
    (sigrid,) = hall.store.transact(guests.find_all, [owner])
    await crawl.visit("/sign-in/forgotten", hall.hall.mails.link("confirm", sigrid, "sigrid@example.org"))
    await crawl.visit("/account", "/account/confirm", f"/ladder/{AXES}")
    hall.appoint("Sigrid")
    await visit_the_house(hall, crawl, match)
    assert crawl.outside == []
    known = {
        f"{PUBLIC}{path}" for path in ("/tables/x", "/daily/2026-01-01", "/account/passkey-options", "/sign-in/passkey-options")
    }
    assert [each for each in crawl.broken if each[0] not in known] == [], "scripts send forms to these"
    templates = {route.path_format for route in hall.app.routes if "GET" in getattr(route, "methods", ())}
    missed = {each for each in templates if not each.startswith(FOR_PROGRAMS)} - crawl.templates
    assert missed == {"/tables/{id}/sheets/{name}"}, "only Dungeon Allies has sheets: see test_drawing_of_dungeon_allies.py"


@pytest.mark.parametrize("javascript", [False, True])
async def test_every_answer_to_a_form_is_below_the_sub_path(hall: OpenHall, javascript: bool) -> None:
    headers = {"HX-Request": "true"} if javascript else {}
    host, friend = person(hall), person(hall)
    lobby, match = await host.open(AXES, 3), await running(hall, host, friend)
    ended = await finished(hall, host, friend)
    forms = [
        ("/tables", {"game": AXES, "kind": "friends"}),
        ("/tables", {"game": "no-such-game"}),
        ("/daily", {}),
        ("/settings", {"name": "Ada"}),
        ("/settings", {"name": "Ada", "back": "/hall/daily"}),
        ("/settings", {"name": "Ada", "back": "/elsewhere"}),
        (f"/tables/{lobby}/seats", {"seat": "1", "set": "bot:karl"}),
        (f"/tables/{lobby}/seats", {}),
        (f"/tables/{lobby}/start", {}),
        (f"/tables/{match}/act", {"action": "0", "n": "0"}),
        (f"/tables/{match}/act", {"action": "999"}),
        (f"/tables/{match}/undo", {}),
        (f"/tables/{match}/device", {}),
        (f"/tables/{ended}/rematch", {}),
        ("/account/new", {"name": "Sigrid", "password": "short"}),
        ("/account/delete", {"sure": "on"}),
        ("/sign-in", {"name": "Sigrid", "password": "wrong"}),
        ("/sign-out", {}),
        ("/replay", {}),
        ("/seat/x", {}),
        ("/evenings", {}),
        ("/evenings", {"name": "Club", f"game-{AXES}": "on", "rounds": "1", "seats": "2", "clock": "none"}),
        ("/evenings/x", {"do": "join"}),
        ("/no-such-page", {}),
    ]
    for path, form in forms:
        for extra in ({}, {"Accept": "application/json"}):
            answer = await host.post(path, form, **headers, **extra)
            outside = [each for each in addresses_in(answer) if not is_below(each[1], PUBLIC + path)]
            assert outside == [], (path, answer.status_code)


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/no-such-page", 404),
        ("/tables/x", 404),
        ("/replay/x", 404),
        ("/matches?page=0", 400),
        ("/tables", 405),
        ("/static/x", 404),
    ],
)
async def test_error_pages_lead_back_to_the_hall(hall: OpenHall, path: str, status: int) -> None:
    visitor = person(hall)
    answer = await visitor.get(path)
    assert answer.status_code == status
    found = addresses_in(answer)
    assert ("<a href>", f"{ROOT}/") in found
    assert [each for each in found if not is_below(each[1], PUBLIC + path)] == []


async def test_the_sub_path_itself_redirects_to_the_hall(hall: OpenHall) -> None:
    visitor = person(hall)
    for given, location in ((f"{PUBLIC}", f"{ROOT}/"), (f"{PUBLIC}?a=b", f"{ROOT}/?a=b")):
        answer = await visitor.http.get(httpx.URL(given))
        assert (answer.status_code, answer.headers["location"]) == (308, location)


async def test_a_path_that_only_begins_with_the_same_letters_is_not_the_halls(hall: OpenHall) -> None:
    assert (await person(hall).http.get(f"{ORIGIN}/hallway")).status_code == 404


async def test_a_proxy_may_remove_the_sub_path(hall: OpenHall) -> None:
    """Then the browser's cookies still arrive, and all addresses on the page have the sub-path."""
    visitor = person(hall)
    table = await visitor.open()
    cookie = visitor.http.cookies["meadhall_guest"]
    direct = hall.person(Cookie=f"meadhall_guest={cookie}", Origin=ORIGIN)
    page = await direct.get(f"/tables/{table}")
    assert "set-cookie" not in page.headers
    assert f'action="{ROOT}/tables/{table}/start"' in page.text
    assert [each for each in addresses_in(page) if not is_below(each[1], PUBLIC)] == []
    assert (await direct.post(f"/tables/{table}/close")).headers["location"] == f"{ROOT}/tables/{table}"


async def test_programs_on_the_same_machine_need_no_sub_path(hall: OpenHall) -> None:
    visitor = hall.person()
    assert (await visitor.get("/health")).status_code == (await visitor.get(f"{ROOT}/health")).status_code == 200
    assert (await metrics(hall)).status_code == 200


async def test_invitations_have_the_public_address_whatever_the_guest_has_opened(hall: OpenHall) -> None:
    """A host may open the hall by its address at home, and send the link to a friend elsewhere."""
    visitor = hall.person()
    table = await visitor.open()
    page = await visitor.get(f"{ROOT}/tables/{table}")
    assert f'value="{PUBLIC}/tables/{table}"' in page.text
    assert f'content="{PUBLIC}/static/icons/share.jpg' in page.text
    assert "hall.test" not in page.text


async def test_forms_from_the_public_address_pass_also_if_the_proxy_changes_the_host(hall: OpenHall) -> None:
    for origin, status in (
        (ORIGIN, 303),
        ("https://EXAMPLE.org:443", 303),
        ("http://hall.test", 303),
        ("https://evil.test", 403),
    ):
        visitor = hall.person()
        del visitor.http.headers["Sec-Fetch-Site"]
        await visitor.get(f"{ROOT}/settings")
        assert (await visitor.post(f"{ROOT}/settings", {"name": "Ada"}, Origin=origin)).status_code == status


async def test_the_cookie_belongs_to_the_sub_path_and_is_secure(hall: OpenHall) -> None:
    answer = await person(hall).get("/settings")
    (cookie,) = answer.headers.get_list("set-cookie")
    assert "Path=/hall/" in cookie
    assert "Secure" in cookie


async def test_the_cookie_of_another_hall_on_the_same_host_does_not_hide_the_own_one(hall: OpenHall) -> None:
    """A browser sends both, the one with the longer path first (RFC 6265, 5.4)."""
    visitor = person(hall)
    await visitor.post("/settings", {"name": "Ada the First"})
    own = visitor.http.cookies["meadhall_guest"]
    for cookies in (f"meadhall_guest={own}; meadhall_guest=other", f"a=b; meadhall_guest=other; meadhall_guest={own}"):
        answer = await hall.person(Cookie=cookies).get(f"{ROOT}/settings")
        assert "Ada the First" in answer.text
        assert "set-cookie" not in answer.headers


async def test_the_app_and_its_service_worker_are_below_the_sub_path_and_the_styles_are_relative(hall: OpenHall) -> None:
    visitor = person(hall)
    content = (await visitor.get("/manifest.webmanifest")).json()
    assert content["id"] == content["start_url"] == content["scope"] == f"{ROOT}/"
    for icon in content["icons"]:
        assert (await visitor.get(urljoin(f"{PUBLIC}/", icon["src"]))).status_code == 200
    worker = (await visitor.get("/service-worker.js")).text
    addresses = re.findall(r'"(/[^"]*)"', worker.partition("// The service worker")[0])
    assert len(addresses) > 8
    assert all(address.startswith(f"{ROOT}/") for address in addresses)
    games = [folder for name in game_names() if (folder := game(name).file("static"))]
    sheets = [file for folder in (STATIC, SHARED_STATIC, *games) if folder.is_dir() for file in folder.rglob("*.css")]
    assert len(sheets) > 10
    for sheet in sheets:
        assert not re.search(r"url\([\"']?/", sheet.read_text("utf-8")), sheet


def scripts() -> list[Path]:
    games = [folder for name in game_names() if (folder := game(name).file("static"))]
    own = [file for folder in (STATIC, SHARED_STATIC, *games) if folder.is_dir() for file in folder.rglob("*.js")]
    return [file for file in own if "vendor" not in file.parts]


async def test_no_script_builds_an_address_from_the_root() -> None:
    assert scripts()
    for script in scripts():
        assert re.findall(r"[\"'`]/[a-z{$]", script.read_text("utf-8")) == [], script


async def test_programs_find_the_api_below_the_sub_path(hall: OpenHall) -> None:
    visitor = person(hall)
    schema = json.loads((await visitor.get("/schema/openapi.json")).content)
    assert schema["servers"] == [{"url": ROOT}]
    answer = await visitor.http.post("/api/v1/guests", json={"name": "Robot"})
    program = Program(hall.app, Authorization=f"Bearer {answer.json()['token']}")
    program.prefix = f"{ROOT}/api/v1"
    table = await program.open(game="dungeon-allies", bots=["karl"])
    options = (await program.read("/games")).json()
    for found in (table, options):
        outside = [each for each in in_json(found) if not is_below(each[1], PUBLIC)]
        assert outside == []
    assert (await program.http.get(f"{ROOT}/api/v1/nothing")).headers["content-type"] == "application/json"
