"""The people of ``hall.py``: browsers with pages, and programs. They open tables, keep streams open and move."""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
import re
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass, field
from html import unescape
from pathlib import Path
from typing import Any, ClassVar, Protocol
from urllib.parse import urlencode

sys.path.append(str(Path(__file__).parents[1] / "tests"))

from server.people import LivePage

HOST = "127.0.0.1"
ENDLESS = {"axes-and-allies": 6}
"""Games whose matches never end if all actions are at least that number: without attacks no warrior dies."""


_SECONDS = 1200
"""The time of a player at tables with clocks. It never runs out."""


class Person(Protocol):
    """Someone with a seat or a spectator: how they send requests, and what they read from their stream."""

    client: Connection

    async def arrive(self) -> None:
        """Become a guest."""

    async def open_table(self, game: str, players: int) -> str:
        """Open a table and return its id."""

    async def sit(self, table: str) -> None:
        """Take a seat."""

    async def set_clock(self, table: str) -> None:
        """Give every player 20 minutes and some seconds for each decision."""

    async def say(self, table: str, text: str) -> int:
        """Say a line of chat, and return the status of the response."""

    async def start(self, table: str) -> None:
        """Start the match."""

    async def play(self, table: str, action: int, number: int) -> int:
        """Play an action, and return the status of the response."""

    def stream(self, table: str) -> str:
        """Return the address of the table's stream."""

    def is_state(self, event: bytes) -> bool:
        """Return whether an event of the stream is the state of the table, and not something beside it."""

    def state(self, event: bytes) -> tuple[int, list[int]]:
        """Return the number of the next action, and the actions that an event offers this person."""


@dataclass
class Connection:
    """A persistent connection for the requests of one person."""

    port: int
    encoding: str
    headers: dict[str, str] = field(default_factory=dict)
    cookies: dict[str, str] = field(default_factory=dict)
    reader: asyncio.StreamReader | None = None
    writer: asyncio.StreamWriter | None = None
    _in_use: asyncio.Lock = field(default_factory=asyncio.Lock)  # a person may say something while a move is on its way

    def head(self, method: str, path: str, length: int = 0, **more: str) -> bytes:
        """Return the head of a request."""
        headers = {"Host": f"{HOST}:{self.port}", **self.headers, **more}
        if self.cookies:
            headers["Cookie"] = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        if length:
            headers["Content-Length"] = str(length)
        lines = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in headers.items())
        return f"{method} {path} HTTP/1.1\r\n{lines}\r\n".encode()

    async def request(self, method: str, path: str, body: bytes = b"", **more: str) -> tuple[int, str, bytes]:
        """Send a request and return the status, the Location header and the body of its response."""
        async with self._in_use:
            return await self._request(method, path, body, **more)

    async def _request(self, method: str, path: str, body: bytes, **more: str) -> tuple[int, str, bytes]:
        if self.reader is None or self.writer is None or self.reader.at_eof():
            self.reader, self.writer = await asyncio.open_connection(HOST, self.port, limit=1 << 20)
        self.writer.write(self.head(method, path, len(body), **more) + body)
        try:
            head = (await self.reader.readuntil(b"\r\n\r\n")).decode()
        except (asyncio.IncompleteReadError, ConnectionResetError):  # the hall has just closed the idle connection
            self.reader = None
            return await self._request(method, path, body, **more)
        for name, value in re.findall(r"set-cookie: ([^=]+)=([^;\r]*)", head, re.IGNORECASE):
            self.cookies[name] = value
        length = re.search(r"content-length: (\d+)", head, re.IGNORECASE)
        content = await self.reader.readexactly(int(length[1])) if length else b""
        location = re.search(r"location: (\S+)", head, re.IGNORECASE)
        return int(head.split()[1]), location[1] if location else "", content


class Browser:
    """A browser with a page of the table: htmx posts its forms, and the stream sends regions."""

    _NUMBER: ClassVar = re.compile(r'id="prompt-(\d+)"')
    _PRESSED: ClassVar = re.compile(r'<(?:button|input)[^>]*name="action"[^>]*>')
    _IDLE: ClassVar = re.compile(r'aria-disabled|tabindex="-1"')  # AxxA answers with the reason why a place can't be chosen

    def __init__(self, port: int, encoding: str) -> None:
        self.client = Connection(port, encoding, {"Sec-Fetch-Site": "same-origin", "Meadhall-Page": f"page {id(self)}"})
        self._page = LivePage()
        self._sections: list[list[str]] = []  # of an older commit

    async def arrive(self) -> None:
        await self.client.request("GET", "/")

    async def open_table(self, game: str, players: int) -> str:
        status, path, _ = await self._post("/tables", game=game, kind="friends", players=str(players))
        if not path.startswith("/tables/"):
            raise RuntimeError(f"status {status} for a table of {game}")
        return path.removeprefix("/tables/")

    async def sit(self, table: str) -> None:
        await self._post(f"/tables/{table}/seats", set="sit")

    async def set_clock(self, table: str) -> None:
        await self._post(f"/tables/{table}/clock", clock=f"seat:{_SECONDS}")

    async def say(self, table: str, text: str) -> int:
        status, _, _ = await self._post(f"/tables/{table}/chat", htmx=True, text=text)
        return status

    async def start(self, table: str) -> None:
        await self._post(f"/tables/{table}/start")

    async def play(self, table: str, action: int, number: int) -> int:
        status, _, _ = await self._post(f"/tables/{table}/act", htmx=True, action=str(action), n=str(number))
        return status

    async def _post(self, path: str, htmx: bool = False, **form: str) -> tuple[int, str, bytes]:
        more = {"HX_Request": "true", "Accept_Encoding": self.client.encoding} if htmx else {}
        body = urlencode(form).encode()
        return await self.client.request("POST", path, body, Content_Type="application/x-www-form-urlencoded", **more)

    def stream(self, table: str) -> str:
        self._page, self._sections = LivePage(), []
        return f"/tables/{table}/stream"

    def is_state(self, event: bytes) -> bool:
        return event.startswith(b"data:")  # not an event with a name, such as a line of chat

    def state(self, event: bytes) -> tuple[int, list[int]]:
        text = self._shown(event.partition(b"data: ")[2].decode())
        number = self._NUMBER.search(text)
        assert number is not None, text
        if 'class="prompt yours' not in text:
            return int(number[1]), []
        pressed = [found for found in self._PRESSED.findall(text) if not self._IDLE.search(found)]
        values = [int(value[1]) for each in pressed if (value := re.search(r'value="(\d+)"', each))]
        return int(number[1]), values + list(self._places(text))

    def _shown(self, data: str) -> str:
        """Return what the page shows after a message, also one with patches of an older commit."""
        patches = json.loads(data)
        if isinstance(patches, dict):
            self._page.hear(data)
            return self._page.text
        known = self._sections or [[] for _ in patches]
        self._sections = [
            [piece for part in parts for piece in ([part] if isinstance(part, str) else before[slice(*part)])]
            for before, parts in zip(known, patches, strict=True)
        ]
        return "".join(self._sections[0])

    def _places(self, text: str) -> Iterator[int]:
        """Yield the placements of dice in Dungeon Allies: the sum of a place and a die, unless a note refuses it."""
        noted = re.search(r'data-notes="([^"]*)"', text)
        notes = {
            target: words.split() for words, _, targets in json.loads(unescape(noted[1]) if noted else "[]") for target in targets
        }
        dice = [
            int(tag[1])
            for tag in re.finditer(r'<input[^>]*name="plus"[^>]*value="(\d+)"[^>]*>', text)
            if "disabled" not in tag[0]
        ]
        for first, target in re.findall(r'name="first" value="(\d+)" data-target="(\d+)"', text):
            refused = notes.get(int(target), [])
            yield from (int(first) + die for die in dice if "no" not in refused and f"x{die}" not in refused)


class Program:
    """A program that uses the JSON API."""

    def __init__(self, port: int, encoding: str) -> None:
        self.client = Connection(port, encoding)

    async def arrive(self) -> None:
        guest = await self._post("/guests", name="Program")
        self.client.headers["Authorization"] = f"Bearer {guest['token']}"

    async def open_table(self, game: str, players: int) -> str:
        return str((await self._post("/tables", game=game, players=players))["id"])

    async def sit(self, table: str) -> None:
        await self._post(f"/tables/{table}/join")

    async def set_clock(self, table: str) -> None:
        await self._post(f"/tables/{table}/clock", kind="seat", seconds=_SECONDS)

    async def say(self, table: str, text: str) -> int:
        status, _, _ = await self._send(f"/tables/{table}/chat", text=text)
        return status

    async def start(self, table: str) -> None:
        await self._post(f"/tables/{table}/start")

    async def play(self, table: str, action: int, number: int) -> int:
        status, _, _ = await self._send(f"/tables/{table}/actions", action=action, n=number)
        return status

    async def _post(self, path: str, **data: object) -> Any:
        return json.loads((await self._send(path, **data))[2])

    async def _send(self, path: str, **data: object) -> tuple[int, str, bytes]:
        return await self.client.request("POST", f"/api/v1{path}", json.dumps(data).encode(), Content_Type="application/json")

    def stream(self, table: str) -> str:
        return f"/api/v1/tables/{table}/events"

    def is_state(self, event: bytes) -> bool:
        return event.startswith(b"event: table")

    def state(self, event: bytes) -> tuple[int, list[int]]:
        view = json.loads(event.partition(b"data: ")[2])["view"]
        return view["next"], [each["action"] for each in view["legal"]]


PEOPLE: dict[str, Callable[[int, str], Person]] = {"pages": Browser, "api": Program}


@dataclass
class Table:
    """A table: its people, the time of its last move, and the measured delays in seconds.

    Attributes:
        people: the players, and at the end a spectator.
        number: the number of the next action.
        awaited: the number of the next action in the state that the streams have to bring.
        late: moves delayed by the one before.
        received: bytes of all streams.
        matches: how many matches have begun. A table whose match has ended goes on with another.
        clocked: whether its matches have clocks.
        lines: how many lines of chat its people have said.
    """

    game: str
    people: list[Person]
    clocked: bool = False
    id: str = ""
    number: int = 1
    awaited: int = 1
    sent_at: float = 0.0
    waiting: int = 0
    delays: list[float] = field(default_factory=list)
    posts: list[float] = field(default_factory=list)
    late: int = 0
    received: int = 0
    matches: int = 0
    lines: int = 0
    all_received: asyncio.Event = field(default_factory=asyncio.Event)
    turn: tuple[Person, list[int]] | None = None  # the person to move, and their legal actions
    streams: list[asyncio.Task[None]] = field(default_factory=list)

    async def begin(self) -> None:
        """Start a match, and open everyone's stream."""
        await self.close()
        host, *others = self.people
        self.id = await host.open_table(self.game, len(others))
        if self.clocked:
            await host.set_clock(self.id)
        for guest in others[:-1]:
            await guest.sit(self.id)
        await host.start(self.id)
        self.number = self.awaited = 1
        self.turn, self.matches, self.sent_at = None, self.matches + 1, 0.0
        self.waiting = len(self.people)
        self.all_received.clear()
        self.streams = [asyncio.create_task(self._follow(person)) for person in self.people]
        await self.all_received.wait()

    async def close(self) -> None:
        """Close all streams. Raises the error that has ended one of them early."""
        for stream in self.streams:
            if stream.done():
                stream.result()
            stream.cancel()
        await asyncio.gather(*self.streams, return_exceptions=True)

    async def move(self, chance: random.Random) -> None:
        """Make a move, and wait until every stream of the table has the state after it."""
        if self.turn is None:
            await self.begin()
        assert self.turn is not None, "no one is offered an action at the beginning of a match"
        (person, actions), self.turn = self.turn, None
        lowest = ENDLESS.get(self.game, 0)
        action = chance.choice([each for each in actions if each >= lowest])
        self.waiting = len(self.people)
        self.all_received.clear()
        self.awaited = self.number + 1
        self.sent_at = time.perf_counter()
        status = await person.play(self.id, action, self.number)
        self.posts.append(time.perf_counter() - self.sent_at)
        if status not in (200, 204):
            raise RuntimeError(f"{self.game} {self.id}: status {status} for action {action}")
        await self.all_received.wait()
        self.number += 1

    async def _follow(self, person: Person) -> None:
        """Keep a stream open, and record the delay of every move."""
        reader, writer = await asyncio.open_connection(HOST, person.client.port, limit=1 << 20)
        writer.write(person.client.head("GET", person.stream(self.id)))
        seen = 0
        with contextlib.closing(writer):
            async for event in self._events(reader):
                if not person.is_state(event):
                    continue
                number, actions = person.state(event)
                if number != self.awaited:
                    continue  # not the outcome of the move, but for example an arrival
                if actions:
                    self.turn = person, actions
                if number == seen:
                    continue  # a second state after the same move
                seen = number
                if self.sent_at:
                    self.delays.append(time.perf_counter() - self.sent_at)
                self.waiting -= 1
                if self.waiting == 0:
                    self.all_received.set()

    async def _events(self, reader: asyncio.StreamReader) -> AsyncIterator[bytes]:
        """Yield the events of a stream, and count its bytes."""
        await reader.readuntil(b"\r\n\r\n")
        text = b""
        while True:
            chunk = await reader.readexactly(int(await reader.readuntil(b"\r\n"), 16) + 2)
            self.received += len(chunk)
            *events, text = (text + chunk[:-2]).split(b"\n\n")
            for event in events:
                yield event


async def open_tables(
    port: int, streams: str, encoding: str, game: str, tables: int, players: int, clocked: bool = False
) -> list[Table]:
    """Open tables with that many players and a spectator each, with streams of this kind, and begin their matches."""
    opened = []
    for _ in range(tables):
        people = [PEOPLE[streams](port, encoding) for _ in range(players + 1)]
        for person in people:
            await person.arrive()
        opened.append(Table(game, people, clocked))
        await opened[-1].begin()
    return opened


async def drive(table: Table, chance: random.Random, interval: float, until: float) -> None:
    """Make moves at random times, ``interval`` seconds apart on average. Count moves delayed by the one before as late."""
    due = time.perf_counter() + chance.expovariate(1 / interval)
    while due < until:
        pause = due - time.perf_counter()
        if pause > 0:
            await asyncio.sleep(pause)
        elif pause < -interval:
            table.late += 1
        await table.move(chance)
        due += chance.expovariate(1 / interval)


async def chat(tables: list[Table], chance: random.Random, rate: float, until: float) -> None:
    """Say lines at random times and tables, ``rate`` a second at all of them together. Raises RuntimeError if one is refused."""
    due = time.perf_counter()
    while (due := due + chance.expovariate(rate)) < until:
        await asyncio.sleep(max(0.0, due - time.perf_counter()))
        table = chance.choice(tables)
        table.lines += 1
        status = await chance.choice(table.people[:-1]).say(table.id, f"Line {table.lines}: who guards the third axe?")
        if status not in (200, 201, 204, 303):
            raise RuntimeError(f"{table.id}: status {status} for a line of chat")
