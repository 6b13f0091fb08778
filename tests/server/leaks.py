"""Everything that the server sends to a viewer, and matches that differ only in their hidden parts."""

from __future__ import annotations

import base64
import json
import random
import re
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import httpx

from games_for_tests.hoard.rules import BOAST
from games_for_tests.hoard.words import NAMES
from meadhall.engine.laws.knowledge import redealt
from meadhall.engine.match.match import Match
from meadhall.engine.match.view import concealed
from meadhall.engine.state import chance
from meadhall.engine.state.events import Event
from meadhall.engine.state.schema import States
from meadhall.server.hall.room import Room
from server.people import OpenHall, Person, Program, Stream, Visitor, stream


def encodings(secret: bytes) -> Iterator[str]:
    """Yield the texts in which bytes may appear by accident."""
    yield secret.hex()
    yield base64.b64encode(secret).decode().rstrip("=")
    yield base64.urlsafe_b64encode(secret).decode().rstrip("=")
    yield repr(secret)[2:-1]
    yield str(list(secret))[1:-1]


def keys(match: Match) -> Iterator[str]:
    """Yield the seed of a match and the keys of its steps as text."""
    yield from encodings(match.seed)
    for n in range(len(match.steps) + 3):
        for word in chance.step_key(match.seed, n):
            yield str(word)
            yield f"{word:016x}"


def everything(answer: httpx.Response) -> str:
    """Return a response as text: status, headers and the whole body.

    The length of a compressed body is left out: it changes with the digits of the frame's version. The body itself is compared.
    """
    left_out = {"x-request-id"} | ({"content-length"} if "content-encoding" in answer.headers else set())
    headers = sorted((name, value) for name, value in answer.headers.multi_items() if name not in left_out)
    return f"{answer.status_code} {headers} {answer.text}"


_DIFFERS = re.compile(r'data-now="\d+"|name=\\?"key\\?" value=\\?"[\w-]+\\?"|"(away|replaceable)":"[^"]+"')
"""Parts that change with every response and contain no secret: the hall's time, keys of forms, times of absence."""


def timeless(text: str) -> str:
    """Return a response without the parts that change with every response."""
    return _DIFFERS.sub("", text)


def comparable(text: str) -> str:
    """Return a response without these parts and without the versions of its frame, which change with every publication."""
    return re.sub(r'data-version=\\?"\d+\\?"|"(was|version)":\d+', "", timeless(text))


@asynccontextmanager
async def open_page(person: Person, room: Room) -> AsyncIterator[Stream]:
    """Open a page, and yield its stream when the page shows that it is open."""
    async with stream(person, f"/tables/{room.table.id}/stream", "page") as live:
        await live.frame()
        room.publish()
        await news_of(live, room)
        yield live


async def news_of(page: Stream, room: Room) -> dict[str, Any]:
    """Return what the messages bring that lead a page to the newest version of a table, without the versions of its frames."""
    news: dict[str, Any] = {"regions": {}}
    while True:
        message = json.loads(await page.frame())
        version, _ = message.pop("version"), message.pop("was", None)
        news = news | message | {"regions": news["regions"] | message.get("regions", {})}
        if version == room.version:
            return news


async def all_responses(visitor: Visitor, program: Program, table: str) -> list[str]:
    """Return all responses that a viewer can get in a browser and as a program."""
    paths = ["", "/replay?step=0&seat=0", "/replay?step=2&seat=1", "/replay?step=99&seat=all", "/record", "/verify", "/board.svg"]
    answers = [await visitor.get(f"/tables/{table}{path}") for path in paths]
    answers += [await program.read(f"/tables/{table}{path}") for path in ("", "/legal", "/record")]
    answers += [await program.act(table, action, 99) for action in (0, BOAST, "x")]
    answers += [await program.act(table, action) for action in (-1, 99)]
    responses = [everything(answer) for answer in answers]
    async with stream(visitor, f"/tables/{table}/stream") as live:
        responses += [str({**live.headers, "x-request-id": ""}), await live.frame()]
    async with stream(visitor, f"/tables/{table}/stream", "page") as live:
        responses.append(await live.frame())
    async with stream(program, f"/api/v1/tables/{table}/events") as live:
        name = ""
        assert (await live.message() or "").startswith("retry: ")  # a random time
        while name != "table":
            message = await live.message()
            assert message is not None
            name = message.partition("\n")[0].removeprefix("event: ")
            responses.append(message)
    return [comparable(each) for each in responses]


def guest_of(hall: OpenHall, program: Program) -> str:
    token = program.http.headers["Authorization"].removeprefix("Bearer ")
    payload = token.partition(".")[0]
    return base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)).decode().strip('"')


def _lowest_card(room: Room, seat: int) -> int:
    match = room.match or Match(room.game, players=3, seed=room.table.seed)
    return min(int(card) for card in match.states["hand"][0, seat].tolist() if card) - 1


def with_other_hidden_parts(match: Match, viewer: int, draw: random.Random, cards: Sequence[str] = NAMES[1:]) -> Match:
    """Return a match with the same view for ``viewer`` but different hidden parts and events, and more of these events."""

    def dealt(states: States) -> States:
        return redealt(match.game, concealed(match.game, states, viewer), viewer, draw)

    def other(events: tuple[Event, ...]) -> tuple[Event, ...]:
        told = ((event,) if event.visible_to(viewer) else (changed(event), changed(event)) for event in events)
        return tuple(event for group in told for event in group)

    def changed(event: Event) -> Event:
        arguments = tuple(draw.choice(cards) if isinstance(each, str) else each for each in event.arguments)
        return replace(event, arguments=arguments)

    twin = match.supposing(dealt(match.states))
    twin.setup = other(match.setup)
    twin.steps = [replace(step, before=dealt(step.before), events=other(step.events)) for step in match.steps]
    return twin
