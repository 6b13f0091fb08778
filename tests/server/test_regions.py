"""Streams send regions: a page that puts them in shows the same as a page that is loaded now."""

from __future__ import annotations

import math
import random
import re
from itertools import cycle
from weakref import WeakKeyDictionary

import pytest

from meadhall.engine.errors import CannotUndo
from meadhall.engine.match.view import Seat
from meadhall.engine.registry import game, game_names, installed
from meadhall.engine.text.language import speaking
from meadhall.server.hall import presence
from meadhall.server.hall.room import Room
from meadhall.server.pages.frames import Frames
from meadhall.server.pages.regions import Frame, message
from meadhall.server.store.models import Guest
from meadhall.server.web.links import Outside
from server.people import AXES, BASE, LivePage, OpenHall, events_of, stream, without_log

FRAMES = Frames()
OUTSIDE = Outside(BASE)

PLAYERS = {"axes-and-allies": 4, "axxa": 2, "dungeon-allies": 3, "viking-axes": 4}
OPTIONS = {"axxa": {"mode": "versus"}, "viking-axes": {"variant": "strategic"}}


# --------------------------------------------------------------------------------------------------- random matches, all viewers


class Page:
    """An open page with its stream."""

    def __init__(self, guest: Guest, language: str) -> None:
        self.guest = guest
        self.language = language
        self.shown: Frame | None = None
        self.page = LivePage()

    def receive(self, room: Room) -> LivePage:
        """Receive the newest message, and return the page."""
        with speaking(self.language):
            frame = FRAMES.frame(room, self.guest, OUTSIDE)
            if frame is not self.shown:
                self.page.hear(message(self.shown, frame).decode())
                self.shown = frame
        return self.page

    def reconnect(self) -> None:
        self.shown = None


def is_as_drawn_now(room: Room, page: Page) -> bool:
    """Return whether a page shows what a process draws that sees the table for the first time."""
    known, FRAMES._tables = FRAMES._tables, WeakKeyDictionary()
    try:
        with speaking(page.language):
            fresh = LivePage()
            fresh.load(FRAMES.frame(room, page.guest, OUTSIDE).html)
    finally:
        FRAMES._tables = known
    shown, drawn = (_NOTED.sub("", each.text).replace("><", ">\n<").splitlines() for each in (page.page, fresh))
    assert shown == drawn
    assert page.page.events == fresh.events
    return True


_NOTED = re.compile(r'(?<=class="act da-to)[^"]*"(?: aria-(?:description|disabled)="[^"]*")*')
"""The notes on places of Dungeon Allies, which a whole page has at once and ``board.js`` writes later."""


async def playing(hall: OpenHall, game: str) -> tuple[Room, list[Guest]]:
    """Start a match, and return its players and two spectators, too."""
    people = [hall.person(f"10.0.3.{seat}") for seat in range(PLAYERS[game])]
    host, *others = people
    table = await host.open(game, players=len(people))
    await host.ask(f"/tables/{table}/options", OPTIONS.get(game, {}))
    for other in others:
        assert (await other.ask(f"/tables/{table}/seats", {"set": "sit"})).status_code == 200
    assert (await host.ask(f"/tables/{table}/start")).status_code == 200
    room = await hall.room(table)
    guests = [Guest(next(iter(row.guests)), row.name) for row in room.table.seats]
    return room, [*guests, Guest("x", "Spectator"), Guest("y", "Another")]


def change(room: Room, draw: random.Random) -> None:
    """Make a random change of a running match: usually an action, sometimes an undo, a rename, or news for one seat only."""
    match = room.match
    assert match is not None
    kind = draw.random()
    if kind < 0.06:
        room.publish()  # someone came or left
    elif kind < 0.12:
        room.publish(for_seat=draw.randrange(match.players))
    elif kind < 0.16:
        seat = draw.randrange(match.players)
        match = room.state.match = match.copy()
        match.rename(seat, Seat(f"Other {draw.randrange(3)} <&>"))
        room.publish()
    else:
        match = room.state.match = match.copy()
        undo = kind < 0.24 and match.steps
        try:
            match.undo(1, revealed=True) if undo else match.play(draw.choice(match.legal()))
        except CannotUndo:
            match.play(draw.choice(match.legal()))
        room.publish()


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize("game", sorted(PLAYERS))
@pytest.mark.parametrize("moves", [20, pytest.param(150, marks=pytest.mark.long)])
async def test_messages_lead_to_the_frame_of_a_page_that_is_loaded_now(
    hall: OpenHall, game: str, moves: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pages skip versions, reconnect, and read in two languages. Every one must show what another process would draw."""
    monkeypatch.setattr(presence, "VISIT_SECONDS", math.inf)  # the guests don't leave on a slow machine
    draw = random.Random(f"{game} {moves}")
    room, guests = await playing(hall, game)
    pages = [Page(guest, language) for guest, language in zip(guests, cycle(["en", "de"]), strict=False)]
    for _ in range(moves):
        if room.match is None or room.match.over:
            break
        change(room, draw)
        for page in pages:
            if draw.random() < 0.05:
                page.reconnect()
            if draw.random() < 0.6:
                page.receive(room)
                assert draw.random() > 0.3 or is_as_drawn_now(room, page)
    for page in pages:
        page.receive(room)
        assert is_as_drawn_now(room, page)


def test_every_game_is_played_here() -> None:
    assert set(PLAYERS) == {name for name in game_names() if installed(game(name))}


# ----------------------------------------------------------------------------------------------------------------- over the wire


@pytest.mark.asyncio(loop_scope="module")
async def test_a_stream_sends_regions_to_a_page_that_gives_its_name(hall: OpenHall) -> None:
    host, friend, room = await hall.two_at(AXES)
    people = (host, friend)
    path = f"/tables/{room.table.id}"
    async with stream(host, f"{path}/stream", "p1") as live, stream(host, f"{path}/stream") as whole:
        first = await live.patched_frame()
        assert first.text == without_log(await whole.frame())
        assert room.match is not None
        for _ in range(4):
            match = room.match
            assert match.actor is not None
            await people[match.actor].act(room.table.id, match.legal()[-1].action)
            page, now = await live.patched_frame(), await whole.frame()
            assert (page.text, page.events) == (without_log(now), events_of(now))
    async with stream(host, f"{path}/stream", "p1") as live:
        page = await live.patched_frame()
        assert f'data-version="{room.version}"' in page.text, "a new stream begins with the whole frame"


@pytest.mark.asyncio(loop_scope="module")
async def test_a_stream_begins_with_what_its_page_lacks(hall: OpenHall) -> None:
    """The page says which version it has: of this process, in this language."""
    host, friend, room = await hall.two_at(AXES)
    people, path = (host, friend), f"/tables/{room.table.id}"
    html = (await host.get(path)).text
    mark, version = re.findall(r'data-mark="([^"]+)"', html)[0], re.findall(r'data-version="(\d+)"', html)[0]
    match = room.match
    assert match is not None
    assert match.actor is not None
    for seen, whole in ((f"{mark}-{version}", False), (f"x{mark}-{version}", True), (f"{mark}-{int(version) - 1}", True)):
        async with stream(host, f"{path}/stream", "p1", seen=seen) as live:
            if not whole:
                await people[match.actor].act(room.table.id, match.legal()[-1].action)
            assert ('"whole"' in await live.frame()) == whole


@pytest.mark.asyncio(loop_scope="module")
async def test_a_spectator_who_gets_a_seat_gets_its_whole_frame(hall: OpenHall) -> None:
    """A spectator's page has no controls, so regions can't make it the page of a seat."""
    _host, _friend, room = await hall.two_at(AXES)
    watcher, path = hall.person("10.0.4.1"), f"/tables/{room.table.id}"
    html = (await watcher.get(path)).text
    mark, version = re.findall(r'data-mark="([^"]+)"', html)[0], re.findall(r'data-version="(\d+)"', html)[0]
    link = room.table.seats[1].link_token
    async with stream(watcher, f"{path}/stream", "p") as live:
        await live.patched_frame()
        assert (await watcher.post(f"/seat/{link}")).status_code == 303
        while "you-1" not in (await live.patched_frame()).text:
            pass
        assert 'id="choices"' in live.page.text
    async with stream(watcher, f"{path}/stream", "p", seen=f"{mark}-{version}") as live:
        assert '"whole"' in await live.frame()


@pytest.mark.asyncio(loop_scope="module")
async def test_a_form_of_a_page_with_a_stream_is_answered_without_the_frame(hall: OpenHall) -> None:
    host, friend, room = await hall.two_at(AXES)
    path = f"/tables/{room.table.id}"
    async with stream(host, f"{path}/stream", "of host") as one, stream(friend, f"{path}/stream", "of friend") as other:
        for page, expected in (("own", 204), ("own", 204), ("", 200), ("another", 200), ("own", 204)):
            match = room.match
            assert match is not None
            assert match.actor is not None
            person, live = ((host, one), (friend, other))[match.actor]
            own = ("of host", "of friend")[match.actor]
            headers = {"HX-Request": "true", "Meadhall-Page": own if page == "own" else page}
            refused = await person.post(f"{path}/act", {"action": str(match.actor)}, **headers)
            assert (refused.status_code, 'role="alert"' in refused.text) == (422, True), "no one attacks themselves"
            assert ('id="frame"' in refused.text) == (expected == 200), "an open page needs only the regions that tell a refusal"
            done = await person.post(f"{path}/act", {"action": str(match.legal()[-1].action)}, **headers)
            assert done.status_code == expected
            assert done.text.startswith('<div id="frame"') == (expected == 200)
            while f'data-version="{room.version}"' not in live.page.text:
                await live.patched_frame()


@pytest.mark.asyncio(loop_scope="module")
async def test_the_name_of_another_persons_page_gets_the_frame(hall: OpenHall) -> None:
    host, friend, room = await hall.two_at(AXES)
    path = f"/tables/{room.table.id}"
    match = room.match
    assert match is not None
    assert match.actor is not None
    actor, other = (host, friend) if match.actor == 0 else (friend, host)
    async with stream(other, f"{path}/stream", "p"):
        done = await actor.post(
            f"{path}/act", {"action": str(match.legal()[0].action)}, **{"HX-Request": "true", "Meadhall-Page": "p"}
        )
    assert (done.status_code, done.text[:15]) == (200, '<div id="frame"')
