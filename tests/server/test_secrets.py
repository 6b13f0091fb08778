"""No page, stream, API response, record, header, log or error reveals a secret."""

from __future__ import annotations

import logging
import random
import re
from contextlib import AsyncExitStack
from datetime import UTC, datetime, timedelta
from difflib import unified_diff

import numpy as np
import pytest

from games_for_tests.hoard.rules import BOAST, DRAW, LOOK
from meadhall.bots import Hint
from meadhall.engine.match.view import SPECTATOR
from meadhall.engine.state import chance
from meadhall.server.hall import match_changes
from meadhall.server.hall.room import Room
from meadhall.server.settings import Settings
from meadhall.server.store import guests
from meadhall.server.store.models import Crest, Guest
from meadhall.server.worker import tasks
from server.leaks import (
    _lowest_card,
    all_responses,
    comparable,
    encodings,
    everything,
    guest_of,
    keys,
    news_of,
    open_page,
    with_other_hidden_parts,
)
from server.manual_time import ManualTime
from server.matches import match_of
from server.people import HOARD, OpenHall, Person, Program, Visitor, metrics, open_hall, play_out, stream

pytestmark = pytest.mark.asyncio(loop_scope="module")


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
        guest = hall.store.transact(guests.find, guest_of(hall, program))
        assert guest is not None
        room.change(match_changes.carry_seat, seat, guest)
        viewers.append((person, program))
    viewers.append((hall.person("10.0.1.9"), await hall.program("Watcher")))
    await viewers[-1][0].get("/settings")  # to get cookies, like the others
    await host.ask(f"/tables/{table}/start")
    for seat, action in ((0, LOOK), (0, BOAST), (0, _lowest_card(room, 0)), (1, DRAW), (2, LOOK), (2, DRAW), (0, DRAW)):
        answer = await viewers[seat][0].act(table, action)
        assert answer.status_code == 200, answer.text
    return host, viewers, room


async def test_changing_hidden_parts_changes_no_response(hall: OpenHall) -> None:
    _, viewers, room = await at_a_table(hall)
    truth, table = room.match, room.table.id
    assert truth is not None
    draw = random.Random(1)
    for seat, (person, program) in enumerate(viewers):
        viewer = seat if seat < 3 else SPECTATOR
        async with open_page(person, room) as page:
            before = await all_responses(person, program, table)
            assert any("coin" in each for each in before)
            room.state.match = with_other_hidden_parts(truth, viewer, draw)
            room.publish()
            assert match_of(room).states.tobytes() != truth.states.tobytes()
            assert await news_of(page, room) == {"regions": {}}, f"viewer {viewer}"
            assert await all_responses(person, program, table) == before, f"viewer {viewer}"
        room.state.match = truth
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
    async with open_page(viewers[0][0], room) as page:
        room.state.match = twin
        room.publish()
        assert await news_of(page, room) != {"regions": {}}
    assert await all_responses(*viewers[0], room.table.id) != before


async def history(settings: Settings, secretly: bool) -> list[tuple[float, str]]:  # noqa: PLR0915 - a story
    """Play a match, and return what the player on seat 1 and a spectator receive, each with its time.

    ``secretly``: whether the player on seat 0 does everything that they may not notice: block the other, say a line that they
    don't hear, carry the seat to another device, and ask for hints.
    """
    time = ManualTime()
    time.set_date(datetime(2026, 11, 27, 20, 0, tzinfo=UTC))
    async with open_hall(settings, time=time) as hall, AsyncExitStack() as streams:
        ada, bo, eve = people = [hall.person(f"10.0.1.{k}") for k in range(3)]
        for person, name in zip(people, ("Ada", "Bo", "Eve"), strict=True):
            await person.post("/settings", {"name": name})
        table = await ada.open(HOARD)
        await bo.ask(f"/tables/{table}/seats", {"set": "sit"})
        answer = await ada.ask(f"/tables/{table}/start")
        assert answer.status_code == 200, answer.text
        room, phone, programs = (
            await hall.room(table),
            await hall.program("Phone"),
            [await hall.program(n) for n in ("Bo", "Eve")],
        )
        room.change(match_changes.carry_seat, 1, guest_at(hall, programs[0]))
        answer = await ada.act(table, LOOK)
        assert answer.status_code == 200, answer.text
        seen: list[tuple[float, str]] = []
        clients: list[tuple[Visitor, str, str]] = []
        for person, program in zip((bo, eve), programs, strict=True):
            clients += [(person, f"/tables/{table}/stream", ""), (person, f"/tables/{table}/stream", "page")]
            clients.append((program, f"/api/v1/tables/{table}/events", ""))
        open_streams = [await streams.enter_async_context(stream(*client)) for client in clients]
        await streams.enter_async_context(stream(ada, f"/tables/{table}/stream"))  # her requests don't tell that she is here
        began = time.seconds()

        async def wait(seconds: int) -> None:
            for _ in range(seconds):
                await time.advance(1.0)
                for k, live in enumerate(open_streams):
                    while live.waiting:
                        seen.append((time.seconds() - began, f"{k} {await live.message()}"))

        async def secret(path: str, **form: str) -> None:
            if secretly:
                answer = await ada.ask(f"/tables/{table}{path}", form)
                assert answer.status_code == 200, answer.text

        await wait(4)
        await secret("/chat/people", who="seat:1", set="block")
        await wait(3)
        await secret("/chat", text="psst")
        await wait(12)
        await secret("/hint")
        if secretly:
            room.change(match_changes.carry_seat, 0, guest_at(hall, phone))
        await wait(6)
        for _ in range(2):
            answer = await ada.ask(f"/tables/{table}/propose", {"what": "take-back"})
            assert answer.status_code == 200, answer.text
            await wait(3)
            found = room.consent.proposals.open
            assert found is not None
            responses = [
                everything(await bo.get(f"/tables/{table}/propose")),
                everything(await programs[1].read(f"/tables/{table}")),
            ]
            await bo.ask(f"/tables/{table}/vote", {"proposal": str(found.number), "answer": "decline"})
            await secret("/chat", text="psst again")
            await wait(8)
            time.set_date(time.now() + timedelta(minutes=11))  # it may be proposed again
        for person, program in zip((bo, eve), programs, strict=True):
            await wait(1)
            responses += await all_responses(person, program, table)
            responses += [
                everything(await person.get(f"/tables/{table}/chat")),
                (await program.read(f"/tables/{table}/chat")).text,
            ]
        ids = [
            table,
            *(row.link_token for row in room.table.seats),
            'data-person="[^"]+"',
            'data-mark="[^"]+"',
            'class="qr-dark"[^>]+',
            "expires=[^;]+",
            "retry: [0-9]+",
        ]
        seen += [(0.0, response) for response in responses]
        return [(at, comparable(re.sub("|".join(ids), "an-id", told))) for at, told in seen]


def guest_at(hall: OpenHall, program: Program) -> Guest:
    guest = hall.store.transact(guests.find, guest_of(hall, program))
    assert guest is not None
    return guest


@pytest.mark.asyncio
async def test_what_others_do_in_secret_changes_no_response_and_no_time(
    settings: Settings, elsewhere: Settings, at_once: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tasks, "hints", lambda view: (Hint(view.legal[0], None, True),))
    monkeypatch.setattr(chance, "new_seed", lambda: b"the same seed in both halls")
    monkeypatch.setattr(Guest, "crest", Crest(1, 2))  # it would follow from a random id
    twins = await history(settings, secretly=False), await history(elsewhere, secretly=True)
    assert any(told.endswith(": still here") for _, told in twins[0])
    for (at, plain), (also_at, secret) in zip(*twins, strict=True):
        told = unified_diff(plain.replace("<", "\n<").splitlines(), secret.replace("<", "\n<").splitlines(), lineterm="", n=0)
        assert (at, list(told)) == (also_at, [])


async def test_the_seed_is_published_only_after_the_match(hall: OpenHall, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    _, viewers, room = await at_a_table(hall)
    match = room.match
    assert match is not None
    responses = [each for viewer in viewers for each in await all_responses(*viewer, room.table.id)]
    paths = ("/", "/health", "/api/v1/games", "/schema/openapi.json")
    responses += [everything(await viewers[0][0].get(path)) for path in paths] + [everything(await metrics(hall))]
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


@pytest.mark.asyncio
async def test_a_database_error_writes_no_seed_to_the_log(
    hall: OpenHall, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    seed = b"the seed of a match is a secret!"
    monkeypatch.setattr(chance, "new_seed", lambda: seed)
    person = hall.person()
    await person.post("/settings", {"name": "Ada"})
    trigger = "CREATE TRIGGER full BEFORE INSERT ON tables BEGIN SELECT RAISE(ABORT, 'disk full'); END"
    hall.store.transact(lambda db: db.run(trigger))
    answer = await person.ask("/tables", {"game": HOARD, "kind": "friends"})
    assert answer.status_code == 500
    assert "disk full" in caplog.text
    for key in [*encodings(seed), seed.decode()]:
        assert key not in caplog.text
        assert key not in answer.text
