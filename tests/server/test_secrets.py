"""No page, stream, API response, record, header, log or error reveals a secret."""

from __future__ import annotations

import base64
import logging
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import httpx
import numpy as np
import pytest

from games_for_tests.hoard.rules import BOAST, DRAW, LOOK
from games_for_tests.hoard.words import NAMES
from meadhall.engine import chance
from meadhall.engine.events import Event
from meadhall.engine.knowledge import redealt
from meadhall.engine.match import Match
from meadhall.engine.schema import States
from meadhall.engine.view import SPECTATOR, concealed
from meadhall.server.hall.room import Room
from server.people import HOARD, OpenHall, Person, Program, Visitor, play_out, stream

pytestmark = pytest.mark.asyncio


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
    return f"{answer.status_code} {sorted(answer.headers.multi_items())} {answer.text}"


def without_version(text: str) -> str:
    """Remove the version of a frame, which contains no secret and changes with every publication."""
    return re.sub(r'data-version="\d+"', "", text)


async def all_responses(visitor: Visitor, program: Program, table: str) -> list[str]:
    """Return all responses that a viewer can get in a browser and as a program."""
    paths = ["", "/replay?step=0&seat=0", "/replay?step=2&seat=1", "/replay?step=99&seat=all", "/record", "/verify"]
    answers = [await visitor.get(f"/tables/{table}{path}") for path in paths]
    answers += [await program.read(f"/tables/{table}{path}") for path in ("", "/legal", "/record")]
    answers += [await program.act(table, action, 99) for action in (0, BOAST, "x")]
    answers += [await program.act(table, action) for action in (-1, 99)]
    responses = [everything(answer) for answer in answers]
    async with stream(visitor, f"/tables/{table}/stream") as live:
        responses += [str(live.headers), await live.frame()]
    async with stream(program, f"/api/v1/tables/{table}/events") as live:
        name = ""
        while name != "table":
            message = await live.message()
            assert message is not None
            name = message.partition("\n")[0].removeprefix("event: ")
            responses.append(message)
    return [without_version(each) for each in responses]


async def at_a_table(hall: OpenHall) -> tuple[Person, list[tuple[Person, Program]], Room]:
    """Start a match of three with hidden cards. Every viewer has a browser and a program; the last viewer is a spectator."""
    host = hall.person()
    table = await host.open(HOARD, players=3)
    viewers: list[tuple[Person, Program]] = []
    for seat in range(3):
        person = host if seat == 0 else hall.person(f"10.0.1.{seat}")
        if seat:
            await person.ask(f"/tables/{table}/seats", {"set": "sit", "seat": str(seat)})
        program = await hall.program(f"Robot {seat}")
        room = await hall.room(table)
        guest = await hall.store.guest(await guest_of(hall, program))
        assert guest is not None
        await room.carry_seat(seat, guest)
        viewers.append((person, program))
    viewers.append((hall.person("10.0.1.9"), await hall.program("Watcher")))
    await viewers[-1][0].get("/settings")  # to get cookies, like the others
    await host.ask(f"/tables/{table}/start")
    for seat, action in ((0, LOOK), (0, BOAST), (0, _lowest_card(room, 0)), (1, DRAW), (2, LOOK), (2, DRAW), (0, DRAW)):
        answer = await viewers[seat][0].act(table, action)
        assert answer.status_code == 200, answer.text
    return host, viewers, room


async def guest_of(hall: OpenHall, program: Program) -> str:
    token = program.http.headers["Authorization"].removeprefix("Bearer ")
    payload = token.partition(".")[0]
    return base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)).decode().strip('"')


def _lowest_card(room: Room, seat: int) -> int:
    match = room.match or Match(room.game, players=3, seed=room.table.seed)
    return min(int(card) for card in match.states["hand"][0, seat].tolist() if card) - 1


def with_other_hidden_parts(match: Match, viewer: int, draw: random.Random, cards: Sequence[str] = NAMES[1:]) -> Match:
    """Return a match with the same view for ``viewer`` but different hidden parts and events."""

    def dealt(states: States) -> States:
        return redealt(match.game, concealed(match.game, states, viewer), viewer, draw)

    def other(events: tuple[Event, ...]) -> tuple[Event, ...]:
        return tuple(event if event.visible_to(viewer) else replace(event, arguments=changed(event)) for event in events)

    def changed(event: Event) -> tuple[Any, ...]:
        return tuple(draw.choice(cards) if isinstance(each, str) else each for each in event.arguments)

    twin = match.supposing(dealt(match.states))
    twin.setup = other(match.setup)
    twin.steps = [replace(step, before=dealt(step.before), events=other(step.events)) for step in match.steps]
    return twin


async def test_changing_hidden_parts_changes_no_response(hall: OpenHall) -> None:
    _, viewers, room = await at_a_table(hall)
    truth, table = room.match, room.table.id
    assert truth is not None
    draw = random.Random(1)
    for seat, (person, program) in enumerate(viewers):
        viewer = seat if seat < 3 else SPECTATOR
        before = await all_responses(person, program, table)
        assert any("coin" in each for each in before)
        for _ in range(3):
            room.match = with_other_hidden_parts(truth, viewer, draw)
            room.publish()
            assert room.match.states.tobytes() != truth.states.tobytes()
            after = await all_responses(person, program, table)
            assert after == before, f"viewer {viewer}"
        room.match = truth
        room.publish()


async def test_changing_visible_cards_changes_the_responses(hall: OpenHall) -> None:
    """Check that the test above would notice a leak: the owner of the cards sees the change."""
    _, viewers, room = await at_a_table(hall)
    truth = room.match
    assert truth is not None
    before = await all_responses(*viewers[0], room.table.id)
    draw = random.Random(2)
    hand = truth.states["hand"][0, 0]
    while np.array_equal((twin := with_other_hidden_parts(truth, SPECTATOR, draw)).states["hand"][0, 0], hand):
        pass
    room.match = twin
    room.publish()
    assert await all_responses(*viewers[0], room.table.id) != before


async def test_the_seed_is_published_only_after_the_match(hall: OpenHall, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    _, viewers, room = await at_a_table(hall)
    match = room.match
    assert match is not None
    responses = [each for viewer in viewers for each in await all_responses(*viewer, room.table.id)]
    paths = ("/", "/metrics", "/health", "/api/v1/games", "/schema/openapi.json")
    responses += [everything(await viewers[0][0].get(path)) for path in paths]
    text = "\n".join([*responses, caplog.text])
    assert match.commitment in text
    for key in keys(match):
        assert key not in text
    await play_out(room, dict(enumerate(person for person, _ in viewers[:3])))
    assert match.seed.hex() not in caplog.text
    for person, program in viewers:
        assert (await person.get(f"/tables/{room.table.id}/record")).json()["seed"] == match.seed.hex()
        assert (await program.read(f"/tables/{room.table.id}/record")).json()["seed"] == match.seed.hex()


async def test_private_links_are_shown_to_their_owner_only(hall: OpenHall) -> None:
    _, viewers, room = await at_a_table(hall)
    for seat, (person, program) in enumerate(viewers):
        text = "\n".join(await all_responses(person, program, room.table.id))
        for other in room.table.seats:
            assert (other.link_token in text) == (other.seat == seat)
        for other in room.table.seats:
            assert not any(guest in text for guest in other.guests), "no id of a guest may appear, because cookies contain it"


async def test_a_database_error_writes_no_seed_to_the_log(
    hall: OpenHall, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    seed = b"the seed of a match is a secret!"
    monkeypatch.setattr(chance, "new_seed", lambda: seed)
    person = hall.person()
    await person.post("/settings", {"name": "Ada"})
    trigger = "CREATE TRIGGER full BEFORE INSERT ON tables BEGIN SELECT RAISE(ABORT, 'disk full'); END"
    await hall.store.transact(lambda connection: connection.exec_driver_sql(trigger))
    answer = await person.ask("/tables", {"game": HOARD, "kind": "friends"})
    assert answer.status_code == 500
    assert "disk full" in caplog.text
    for key in [*encodings(seed), seed.decode()]:
        assert key not in caplog.text
        assert key not in answer.text
