"""Clients of the hall in this process: people with cookies, programs with tokens, and open streams."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from html import unescape
from typing import Any, TypeVar

import httpx
from litestar import Litestar
from markupsafe import escape

from meadhall.server.app import serve_hall
from meadhall.server.hall.hall import Hall
from meadhall.server.hall.house import set_switches
from meadhall.server.hall.room import Room
from meadhall.server.host_commands import appoint
from meadhall.server.ops.time import Time
from meadhall.server.settings import Settings
from meadhall.server.store.store import Store
from meadhall.server.web import links
from meadhall.server.worker.client import Worker
from meadhall.server.worker.tasks import ChooseAction, Progress, Task
from server.manual_time import ManualTime, settled
from server.prepared import create_schema, spare_app
from server.waiting import PATIENCE as PATIENCE, until as wait_until
from server.worker_threads import WorkerThreads

R = TypeVar("R")

BASE = "http://hall.test"
HOARD = "hoard"
AXES = "axes-and-allies"


class Visitor:
    """A client with an address and a cookie jar."""

    def __init__(self, app: Litestar, address: str = "10.0.0.1", **headers: str) -> None:
        self.app = app
        self.address = address
        asgi: Any = app
        transport = httpx.ASGITransport(asgi, raise_app_exceptions=False, client=(address, 5000))
        self.http = httpx.AsyncClient(transport=transport, base_url=BASE, headers=headers)

    async def get(self, path: str, **headers: str) -> httpx.Response:
        return await self.http.get(path, headers=headers)


async def metrics(hall: OpenHall) -> httpx.Response:
    """Ask for metrics, as Prometheus does on the same machine."""
    return await Visitor(hall.app, "127.0.0.1", Host="localhost").get("/metrics")


class Person(Visitor):
    """A user with a browser, which sends ``Sec-Fetch-Site`` with every request."""

    def __init__(self, app: Litestar, address: str = "10.0.0.1", **headers: str) -> None:
        super().__init__(app, address, **{"Sec-Fetch-Site": "same-origin", **headers})

    async def post(self, path: str, form: Mapping[str, str] | None = None, /, **headers: str) -> httpx.Response:
        """Send a form like a page."""
        return await self.http.post(path, data=form or {}, headers=headers)

    async def ask(self, path: str, form: dict[str, str] | None = None) -> httpx.Response:
        """Send a form and request JSON."""
        return await self.post(path, form, Accept="application/json")

    async def upload(self, record: bytes, **headers: str) -> httpx.Response:
        """Upload a record."""
        return await self.http.post("/replay", files={"record": ("x.match.json", record)}, headers=headers)

    async def open(self, game: str = AXES, players: int = 2) -> str:
        """Open a table for friends and return its id."""
        answer = await self.ask("/tables", {"game": game, "kind": "friends", "players": str(players)})
        assert answer.status_code == 201, answer.text
        return str(answer.json()["id"])

    async def act(self, table: str, action: int, n: int | None = None) -> httpx.Response:
        return await self.ask(f"/tables/{table}/act", {"action": str(action)} | ({} if n is None else {"n": str(n)}))


class Program(Visitor):
    """A program with a token."""

    prefix = "/api/v1"

    @classmethod
    async def new(cls, app: Litestar, name: str = "Robot") -> Program:
        answer = await Visitor(app).http.post("/api/v1/guests", json={"name": name})
        assert answer.status_code == 201, answer.text
        return cls(app, Authorization=f"Bearer {answer.json()['token']}")

    async def post(self, path: str, data: Any = None) -> httpx.Response:
        return await self.http.post(f"{self.prefix}{path}", json={} if data is None else data)

    async def read(self, path: str) -> httpx.Response:
        return await self.http.get(f"{self.prefix}{path}")

    async def open(self, **table: Any) -> dict[str, Any]:
        answer = await self.post("/tables", table)
        assert answer.status_code == 201, answer.text
        found: dict[str, Any] = answer.json()
        return found

    async def act(self, table: str, action: Any, n: int | None = None) -> httpx.Response:
        return await self.post(f"/tables/{table}/actions", {"action": action, "n": n})


class CountedThreads(WorkerThreads):
    """A worker in threads, which counts the tasks that it works on, and of these the choices of bots."""

    running = 0
    choosing = 0

    async def run(self, task: Task[R], progress: Progress | None = None) -> R:
        is_choice = isinstance(task, ChooseAction)
        self.running += 1
        self.choosing += is_choice
        try:
            return await super().run(task, progress)
        finally:
            self.running -= 1
            self.choosing -= is_choice


@dataclass
class OpenHall:
    """A hall that is open in this process."""

    app: Litestar
    hall: Hall
    store: Store

    @property
    def time(self) -> ManualTime:
        """The time of the hall, if it is one that tests advance."""
        assert isinstance(self.store.time, ManualTime)
        return self.store.time

    async def let_time_pass_until(self, holds: Callable[[], object]) -> None:
        """Let time pass until a condition holds. It stands still while the worker thinks."""
        worker = self.hall.worker
        assert isinstance(worker, CountedThreads)
        while True:
            await wait_until(lambda: holds() or not worker.running)
            await settled()
            if holds():
                return
            if not worker.running:
                await self.time.advance_to_next()

    def appoint(self, name: str, role: str = "host") -> None:
        """Make the owner of an account a host or helper of the hall."""
        self.hall.do("", "role", appoint, person=name, role=role)

    def switch(self, name: str, value: str) -> None:
        """Set a switch or a quota, as the host does."""
        self.hall.do("", "switch", set_switches, values={name: value})

    def person(self, address: str = "10.0.0.1", **headers: str) -> Person:
        return Person(self.app, address, **headers)

    async def program(self, name: str = "Robot") -> Program:
        return await Program.new(self.app, name)

    async def room(self, table: str) -> Room:
        return await self.hall.room(table)

    async def two_at(self, game: str = AXES) -> tuple[Person, Person, Room]:
        """Start a match of two people."""
        host, friend = self.person(), self.person("10.0.0.2")
        table = await host.open(game)
        assert (await friend.ask(f"/tables/{table}/seats", {"set": "sit"})).status_code == 200
        assert (await host.ask(f"/tables/{table}/start")).status_code == 200
        return host, friend, await self.room(table)

    async def three_at(self, game: str = AXES) -> tuple[Person, Person, Room]:
        """Start a match of two people and a bot, on seats 0, 1 and 2."""
        host, friend = self.person(), self.person("10.0.0.2")
        table = await host.open(game, players=3)
        assert (await friend.ask(f"/tables/{table}/seats", {"set": "sit"})).status_code == 200
        assert (await host.ask(f"/tables/{table}/seats", {"seat": "2", "set": "bot:karl"})).status_code == 200
        assert (await host.ask(f"/tables/{table}/start")).status_code == 200
        return host, friend, await self.room(table)

    async def two_programs(self, game: str = HOARD, **more: Any) -> tuple[Program, Program, str]:
        """Start a match of two programs. Return them and the id of the table."""
        host, friend = await self.program("Ada"), await self.program("Björn")
        table = str((await host.open(game=game, players=2, **more))["id"])
        assert (await friend.post(f"/tables/{table}/join")).json()["you"] == 1
        assert (await host.post(f"/tables/{table}/start")).json()["status"] == "running"
        return host, friend, table

    async def played_out(self, game: str = AXES) -> Room:
        """Play a match of two people to its end."""
        host, friend, room = await self.two_at(game)
        await play_out(room, {0: host, 1: friend})
        return room


async def play_out(room: Room, people: dict[int, Person]) -> None:
    """Let people play the lowest legal action until the match is over."""
    match = room.match
    assert match is not None
    while not match.over:
        assert match.actor is not None
        answer = await people[match.actor].act(room.table.id, match.legal()[0].action, match.next_number)
        assert answer.status_code == 200, answer.text
        match = room.match
        assert match is not None


@asynccontextmanager
async def open_hall(settings: Settings, worker: Worker | None = None, time: Time | None = None) -> AsyncIterator[OpenHall]:
    """Open the hall like a server, but without a socket, in a separate task because its lifespan must begin and end in one.

    Unless another worker is given, it runs in threads, because registrations and patches of a test exist only in this process.
    ``time``: the time of the hall; None: that of this machine.
    """
    opened: asyncio.Future[OpenHall] = asyncio.get_running_loop().create_future()
    leave = asyncio.Event()

    async def keep_open() -> None:
        async with _in_this_task(settings, worker or CountedThreads(), time or Time()) as hall:
            opened.set_result(hall)
            await leave.wait()

    keeping = asyncio.create_task(keep_open())
    waited_for: list[asyncio.Future[Any]] = [keeping, opened]
    await asyncio.wait(waited_for, return_when=asyncio.FIRST_COMPLETED)
    if not opened.done():
        await keeping  # raises the exception
    try:
        yield opened.result()
    finally:
        leave.set()
        await keeping
        links.serve(Settings())


@asynccontextmanager
async def _in_this_task(settings: Settings, worker: Worker, time: Time) -> AsyncIterator[OpenHall]:
    create_schema(settings)
    with spare_app(settings) as app:
        async with Store.open(settings, time) as store:
            serve_hall(app, settings, store, worker)
            async with app.lifespan():
                yield OpenHall(app, app.state.hall, store)


async def until(room: Room, holds: Callable[[], bool], seat: int | None = None) -> None:
    """Subscribe to a table, as a spectator or as the guest of a seat, until a condition holds."""
    with room.channel.subscribe("" if seat is None else min(room.table.seats[seat].guests)) as subscriber:
        async with asyncio.timeout(PATIENCE):
            while not holds():
                await subscriber.wait(PATIENCE)


# ------------------------------------------------------------------------------------------------------------------- streams


class LivePage:
    """What a page shows that gets messages of a stream, as text. It does what ``static/js/regions.js`` does in a browser.

    Attributes:
        text: the frame, but for the events of its log.
        events: the words of the events that the log shows, by their numbers.
    """

    def __init__(self) -> None:
        self.text = ""
        self.events: dict[int, str] = {}

    def load(self, html: str) -> None:
        """Show a whole frame."""
        self.text, self.events = without_log(str(html)), events_of(str(html))

    def hear(self, data: str) -> None:
        """Show what a message brings."""
        message = json.loads(data)
        if "whole" in message:
            self.load(message["whole"])
            return
        assert f'data-version="{message["was"]}"' in self.text
        self.text = self.text.replace(f'data-version="{message["was"]}"', f'data-version="{message["version"]}"')
        for id, content in message["regions"].items():
            if content is None:
                if f'id="{id}"' in self.text:
                    begin, end = _element_in(self.text, id)
                    self.text = f'{self.text[:begin]}<i id="no-{id}" hidden></i>{self.text[end:]}'
            elif isinstance(content, dict):
                self.text = _with_attributes(self.text, id, content)
            else:
                begin, end = _element_in(self.text, id if f'id="{id}"' in self.text else f"no-{id}")
                self.text = self.text[:begin] + without_log(content) + self.text[end:]
        for event in message.get("events", ()):
            assert event[0] not in self.events, "the page has this event"
            self.events[event[0]] = event[3]
        first = message.get("first", 0)
        self.events = {index: words for index, words in self.events.items() if index >= first}


def without_log(html: str) -> str:
    """Return a frame without the events of its log and the space around its elements, and with sorted attributes in regions."""
    text = re.sub(r'(<ol class="entries">).*?(<li [^>]*id="log-earlier")', r"\1\2", html, flags=re.DOTALL)
    return _BARE.sub(lambda tag: _sorted(_attributes(tag[0])), re.sub(r"\s*(<|>)\s*", r"\1", text))


_BARE = re.compile(r'<[\w-]+(?: [\w-]+(?:="[^"]*")?)* data-bare[^>]*>')
_ATTRIBUTE = re.compile(r' ([\w-]+)(?:="([^"]*)")?')


def _attributes(tag: str) -> tuple[str, dict[str, str], str]:
    """Return the beginning of a tag, its attributes, and its end."""
    name = re.match(r"<[\w-]+", tag)
    assert name is not None
    return name[0], dict(_ATTRIBUTE.findall(tag)), "/>" if tag.endswith("/>") else ">"


def _sorted(parts: tuple[str, dict[str, str], str]) -> str:
    name, attributes, end = parts
    return name + "".join(f' {key}="{value}"' for key, value in sorted(attributes.items())) + end


def events_of(html: str) -> dict[int, str]:
    """Return the words of the events in the log of a frame, by their numbers."""
    found = re.findall(r'id="log-(\d+)" class="line".*?<span>(.*?)</span>', html, re.DOTALL)
    return {int(index): unescape(words) for index, words in found}


def _with_attributes(text: str, id: str, values: dict[str, str | int | None]) -> str:
    """Return a text in which an element has other attributes."""
    found = re.search(rf'<[^<>]* id="{id}"[^<>]*>', text)
    assert found is not None, id
    name, attributes, end = _attributes(found[0])
    attributes |= {key: str(escape(value)) for key, value in values.items() if value is not None}
    for key in [key for key, value in values.items() if value is None]:
        attributes.pop(key, None)
    return text[: found.start()] + _sorted((name, attributes, end)) + text[found.end() :]


def _element_in(text: str, id: str) -> tuple[int, int]:
    at = re.search(rf'<(\w[\w-]*)(?: [^<>]*?)? id="{id}"|<(\w[\w-]*) id="{id}"', text)
    assert at is not None, id
    tag, depth = at[1] or at[2], 0
    for each in re.finditer(rf"<{tag}\b[^>]*?(/?)>|</{tag}>", text[at.start() :]):
        depth += -1 if each[0].startswith("</") else 0 if each[1] else 1
        if depth == 0:
            return at.start(), at.start() + each.end()
    raise AssertionError(id)


class Stream:
    """The messages of a response that doesn't end."""

    def __init__(self, status: int, headers: dict[str, str], cookies: list[str], chunks: asyncio.Queue[str | None]) -> None:
        self.page = LivePage()
        self.status = status
        self.headers = headers
        self.cookies = cookies
        self._chunks = chunks
        self._text = ""

    async def message(self) -> str | None:
        """Return the next message as sent, or None when the server has ended the stream."""
        async with asyncio.timeout(PATIENCE):
            while "\n\n" not in self._text:
                chunk = await self._chunks.get()
                if chunk is None:
                    return self._text or None
                self._text += chunk
        message, _, self._text = self._text.partition("\n\n")
        return message

    @property
    def waiting(self) -> bool:
        """Whether a message has arrived that has not been read yet."""
        return not self._chunks.empty()

    async def frame(self) -> str:
        """Return the data of the next message that is a frame, and not the chat."""
        while (message := await self.message()) is not None and message.startswith("event: chat\n"):
            pass
        assert message is not None, "the stream has ended"
        return "\n".join(line[6:] for line in message.splitlines() if line.startswith("data: "))

    async def patched_frame(self) -> LivePage:
        """Return the page after the next message of its stream."""
        self.page.hear(await self.frame())
        return self.page

    async def event(self) -> tuple[str, Any]:
        """Return the next event as its name and JSON data. Comments, which keep the connection open, are skipped."""
        message = await self.message()
        while message is not None and "event: " not in message:
            message = await self.message()
        assert message is not None, "the stream has ended"
        name = next(line[7:] for line in message.splitlines() if line.startswith("event: "))
        return name, json.loads(next(line[6:] for line in message.splitlines() if line.startswith("data: ")))


@asynccontextmanager
async def stream(
    visitor: Visitor, path: str, page: str = "", encoding: str = "identity", seen: str = ""
) -> AsyncIterator[Stream]:
    """Open a stream as this client and close it at the end of the block. A page that gives its name gets regions.

    ``seen``: the mark and version of the frame that the page has.
    """
    headers = {"Accept-Encoding": encoding, "Meadhall-Page": page, "Meadhall-Seen": seen}
    request = visitor.http.build_request("GET", path, headers=headers)
    scope: dict[str, Any] = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": "GET",
        "scheme": "http",
        "path": request.url.path,
        "raw_path": request.url.raw_path.split(b"?")[0],
        "query_string": request.url.query,
        "root_path": "",
        "headers": [(name.lower(), value) for name, value in request.headers.raw],
        "server": ("hall.test", 80),
        "client": (visitor.address, 5001),
        "state": {},
    }
    gone = asyncio.Event()
    started: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
    chunks: asyncio.Queue[str | None] = asyncio.Queue()
    asked = False

    async def receive() -> dict[str, Any]:
        nonlocal asked
        if not asked:
            asked = True
            return {"type": "http.request", "body": b"", "more_body": False}
        await gone.wait()
        return {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        if message["type"] == "http.response.start":
            started.set_result(message)
        else:
            chunks.put_nowait(message["body"].decode())
            if not message.get("more_body"):
                chunks.put_nowait(None)

    app: Any = visitor.app
    serving: asyncio.Task[None] = asyncio.create_task(app(scope, receive, send))
    try:
        async with asyncio.timeout(PATIENCE):
            head = await started
        pairs = [(name.decode().lower(), value.decode()) for name, value in head["headers"]]
        yield Stream(head["status"], dict(pairs), [value for name, value in pairs if name == "set-cookie"], chunks)
    finally:
        gone.set()
        async with asyncio.timeout(PATIENCE):
            await serving
