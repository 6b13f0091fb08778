"""The chat of a table: who hears what, what a line may be, and how much a guest may say."""

from __future__ import annotations

import json
from datetime import timedelta

import httpx
import pytest

from meadhall.server.hall import chat, match_changes, talk
from meadhall.server.hall.chat import LONGEST_LINE
from meadhall.server.hall.room import Room
from meadhall.server.pages import talk as pages
from meadhall.server.settings import Settings
from meadhall.server.store import guests, personal_data
from meadhall.server.store.talk import Audience, ChatLine
from server.leaks import comparable, guest_of
from server.manual_time import settled
from server.people import AXES, OpenHall, Person, Stream, open_hall, play_out, stream

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def say(person: Person, table: str, text: str = "", **more: str) -> httpx.Response:
    return await person.ask(f"/tables/{table}/chat", {"text": text} | more)


async def shown(person: Person, table: str) -> str:
    """Return the page of the table, which has the panel in it."""
    return (await person.get(f"/tables/{table}")).text


def lines(room: Room, audience: Audience = "players") -> list[ChatLine]:
    return room.chat.lines((audience,))


async def said(person: Person, table: str, text: str = "", **more: str) -> None:
    answer = await say(person, table, text, **more)
    assert answer.status_code == 200, answer.text


class Panel:
    """The panel of an open page, as the script of the page keeps it."""

    def __init__(self, streamed: Stream) -> None:
        self._stream = streamed
        self._lines: list[str] = []
        self._others = {"about": "", "others": "", "react": ""}

    async def news(self) -> str:
        """Return the panel after the next news of it. Frames before are skipped."""
        while True:
            message = await self._stream.message()
            assert message is not None
            if message.startswith("event: chat\n"):
                news = json.loads(message.partition("data: ")[2])
                self._lines = news["lines"] if news["whole"] else [*self._lines[news["dropped"] :], *news["lines"]]
                self._others |= {name: news[name] for name in self._others if name in news}
                return "".join([*self._lines, *self._others.values()])


# ----------------------------------------------------------------------------------------------------------------- who hears what


async def test_a_line_changes_no_frame_and_a_move_changes_no_chat(hall: OpenHall) -> None:
    host, friend, room = await hall.two_at()
    async with stream(friend, f"/tables/{room.table.id}/stream", page="p") as streamed:
        await Panel(streamed).news()
        version = room.version
        await said(host, room.table.id, "Skal!")
        line = await streamed.message()
        assert line is not None
        assert line.startswith("event: chat\n")
        assert room.version == version
        assert room.match is not None
        assert room.match.actor is not None
        actor = (host, friend)[room.match.actor]
        await actor.act(room.table.id, room.match.legal()[0].action)
        frame = await streamed.message()
        assert frame is not None
        assert frame.startswith("data: ")
        await said(host, room.table.id, "Well")
        line = await streamed.message()
        assert line is not None
        assert line.startswith("event: chat\n")
        assert "Skal!" not in line, "the page has it"


async def test_spectators_hear_each_other_and_players_hear_them_after_the_match(hall: OpenHall) -> None:
    host, friend, room = await hall.two_at()
    eve, tyr = hall.person("10.0.0.3"), hall.person("10.0.0.4")
    table = room.table.id
    async with stream(host, f"/tables/{table}/stream", page="p") as streamed:
        panel = Panel(streamed)
        before = await panel.news()
        await said(eve, table, "He has the hammer")
        await settled()
        assert not streamed.waiting, "not even a heartbeat"
        await said(friend, table, "Your turn")
        after = await panel.news()
        assert "hammer" not in before + after
        assert "Your turn" in after
    assert "hammer" in await shown(tyr, table)
    assert "Your turn" not in await shown(tyr, table)
    for player in (host, friend):
        for path in (f"/tables/{table}", f"/tables/{table}/chat"):
            assert "hammer" not in (await player.get(path)).text
    await play_out(room, {0: host, 1: friend})
    assert "hammer" in await shown(host, table)
    assert "Your turn" not in await shown(tyr, table), "spectators never hear the players"


async def test_a_line_that_is_not_heard_does_not_end_the_absence_of_a_program(hall: OpenHall) -> None:
    """A program may have no stream. A player who has blocked it would read from "away" that it has said something."""
    host, program = hall.person(), await hall.program("Robot")
    table = await host.open()
    assert (await program.post(f"/tables/{table}/join")).status_code == 200
    assert (await host.ask(f"/tables/{table}/start")).status_code == 200
    room = await hall.room(table)
    assert (await host.ask(f"/tables/{table}/chat/people", {"set": "block", "who": "seat:1"})).status_code == 200
    async with stream(host, f"/tables/{table}/stream", page="p") as streamed:
        await Panel(streamed).news()
        room.visits.last.clear()
        room.absences.look()
        since = room.absences.since.get(1)
        assert since is not None
        assert (await program.post(f"/tables/{table}/chat", {"text": "Hello?"})).status_code == 201
        await settled()
        assert not streamed.waiting
        assert (room.visits.is_here(room.table.seats[1]), room.absences.since.get(1)) == (False, since)


async def test_a_line_is_heard_from_the_lobby_to_the_end(hall: OpenHall) -> None:
    host, friend = hall.person(), hall.person("10.0.0.2")
    table = await host.open()
    await friend.ask(f"/tables/{table}/seats", {"set": "sit"})
    async with stream(friend, f"/tables/{table}/stream", page="p") as streamed:
        panel = Panel(streamed)
        await said(host, table, "In the lobby")
        while "In the lobby" not in await panel.news():
            pass
        await host.ask(f"/tables/{table}/start")
        await said(friend, table, "In the match")
        while "In the match" not in (text := await panel.news()):
            pass
        assert "In the lobby" in text


async def test_a_person_alone_has_no_panel_and_the_puzzle_of_the_day_has_no_chat(hall: OpenHall) -> None:
    alone = hall.person()
    opened = await alone.ask("/tables", {"game": AXES, "kind": "bots", "seats": "3"})
    assert "data-shown" not in await shown(alone, opened.json()["id"])
    daily = (await alone.ask("/daily")).json()["id"]
    assert "talk-form" not in await shown(alone, daily)
    assert (await say(alone, daily, "Anyone?")).json()["error"] == "no-chat"


# ---------------------------------------------------------------------------------------------------------------------- the lines


async def test_a_line_is_text_and_nothing_else(hall: OpenHall) -> None:
    host, _friend, room = await hall.two_at()
    await said(host, room.table.id, "<b>https://example.org/</b> & \u202egnp.exe\u2066 x\u0000y\nz")
    page = await shown(host, room.table.id)
    assert "&lt;b&gt;https://example.org/&lt;/b&gt; &amp; gnp.exe xy z" in page
    assert 'href="https://example.org' not in page


async def test_a_phrase_is_read_in_the_language_of_each_reader(hall: OpenHall) -> None:
    host, friend, room = await hall.two_at()
    await friend.post("/settings", {"language": "de"})
    await said(host, room.table.id, phrase="game")
    assert "Good game!" in await shown(host, room.table.id)
    assert '<span class="said-words" dir="auto">Gutes Spiel!</span>' in await shown(friend, room.table.id)
    assert (await say(host, room.table.id, phrase="rude")).json()["error"] == "bad-line"


@pytest.mark.parametrize(
    "text", ["", "   ", "\u200b\u202e", "x" * (LONGEST_LINE + 1), "👩‍👩‍👧" * (LONGEST_LINE + 1), "x" * 20_000]
)
async def test_a_bad_line_is_refused_and_changes_nothing(hall: OpenHall, text: str) -> None:
    host, _friend, room = await hall.two_at()
    answer = await say(host, room.table.id, text)
    assert answer.json()["error"] == "bad-line", answer.text
    assert lines(room) == []


async def test_a_refused_line_of_a_plain_form_stays_in_the_form(hall: OpenHall) -> None:
    host, _friend, room = await hall.two_at()
    text = "a long story " * 60
    page = await host.post(f"/tables/{room.table.id}/chat", {"text": text})
    assert page.status_code == 400
    assert text.strip() in page.text
    assert "A line may have 500 letters" in page.text
    page = await host.post(f"/tables/{room.table.id}/chat", {"text": "Skal!"})
    assert page.status_code == 303
    assert page.headers["location"] == f"/tables/{room.table.id}"


async def test_a_request_that_is_repeated_says_nothing_twice(hall: OpenHall) -> None:
    host, _friend, room = await hall.two_at()
    for _ in range(3):
        await said(host, room.table.id, "Skal!", key="one")
    assert [line.text for line in lines(room)] == ["Skal!"]
    assert (await say(host, room.table.id, "Other", key="one")).json()["error"] == "key-reused"


async def test_a_guest_may_not_say_much_in_a_short_time_at_all_tables_together(hall: OpenHall) -> None:
    host, friend, room = await hall.two_at()
    other = await host.open()
    most = talk.RATES[0][1]
    for number in range(most):
        await said(host, (room.table.id, other)[number % 2], f"{number}")
    answer = await say(host, other, "too much")
    assert answer.status_code == 429
    assert answer.json()["error"] == "too-many"
    await said(friend, room.table.id, "others may")


async def test_a_spectator_can_not_take_the_name_of_a_player(hall: OpenHall) -> None:
    _host, _friend, room = await hall.two_at()
    name = room.table.seats[0].name
    eve = hall.person("10.0.0.3")
    await eve.post("/settings", {"name": name})
    await said(eve, room.table.id, "I am the host")
    assert [line.name for line in lines(room, "spectators")] == [f"{name} 2"]


async def test_old_lines_are_read_in_pages(hall: OpenHall, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(talk, "RATES", ((timedelta(seconds=1), 10_000),))
    host, friend, room = await hall.two_at()
    for number in range(130):
        await said(host, room.table.id, f"line {number};")
    page = await shown(friend, room.table.id)
    assert "line 129;" in page
    assert "line 60;" not in page
    found, path = [], f"/tables/{room.table.id}/chat"
    while path:
        text = (await friend.get(path)).text
        found.append([number for number in range(130) if f"line {number};" in text])
        before = text.partition(f'href="/tables/{room.table.id}/chat?before=')[2].partition('"')[0]
        path = f"/tables/{room.table.id}/chat?before={before}" if before else ""
    assert found == [[*range(80, 130)], [*range(30, 80)], [*range(30)]]


# -------------------------------------------------------------------------------------------------------------- muted and blocked


async def test_a_muted_player_is_not_heard_and_learns_nothing(hall: OpenHall) -> None:
    host, friend, room = await hall.two_at()
    table = room.table.id
    await said(friend, table, "Boo")
    async with (
        stream(host, f"/tables/{table}/stream", page="p") as mine,
        stream(friend, f"/tables/{table}/stream", page="p") as theirs,
    ):
        panel, other = Panel(mine), Panel(theirs)
        assert "Boo" in await panel.news()
        await other.news()
        assert (await host.ask(f"/tables/{table}/chat/people", {"who": "seat:1", "set": "mute"})).status_code == 200
        assert "Boo" not in await panel.news()
        await said(friend, table, "Still there?")
        text = await other.news()
        assert "Still there?" in text, "nothing else has reached the muted player"
        assert (await host.ask(f"/tables/{table}/chat/people", {"who": "seat:1", "set": "unmute"})).status_code == 200
        assert "Still there?" in await panel.news()


async def test_a_blocked_player_neither_hears_nor_is_heard_from_then_on(hall: OpenHall) -> None:
    host, friend, room = await hall.two_at()
    table = room.table.id
    await said(host, table, "Before")
    await said(friend, table, "Boo")
    assert (await host.ask(f"/tables/{table}/chat/people", {"who": "seat:1", "set": "block"})).status_code == 200
    await said(host, table, "After")
    assert "Boo" not in await shown(host, table)
    page = await shown(friend, table)
    assert "Before" in page, "what the blocked player has read doesn't disappear"
    assert "After" not in page
    assert (await host.ask(f"/tables/{table}/chat/people", {"who": "seat:1", "set": "unblock"})).status_code == 200
    assert "After" in await shown(friend, table)


async def test_lines_that_a_guest_does_not_hear_displace_none(hall: OpenHall, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither on the page of the table, where a few lines are in memory, nor on those of the chat, in the browser and the API."""
    for module, name, number in ((chat, "KEPT", 4), (talk, "KEPT", 4), (talk, "PAGE", 3), (pages, "SHOWN", 3)):
        monkeypatch.setattr(module, name, number)
    monkeypatch.setattr(talk, "RATES", ((timedelta(seconds=1), 10_000),))
    host, friend, room = await hall.two_at()
    robot, path = await hall.program(), f"/tables/{room.table.id}"
    guest = hall.store.transact(guests.find, guest_of(hall, robot))
    assert guest is not None
    room.change(match_changes.carry_seat, 1, guest)

    async def seen() -> list[str]:
        answers = [await friend.get(path), await friend.get(f"{path}/chat"), await robot.read(f"{path}/chat")]
        return [comparable(answer.text) for answer in answers]

    for number in range(5):
        await said(host if number % 2 else friend, room.table.id, f"line {number};")
    assert (await host.ask(f"{path}/chat/people", {"who": "seat:1", "set": "block"})).status_code == 200
    before = await seen()
    assert all("line 2;" in each and "line 1;" not in each for each in before)
    for _ in range(6):
        await said(host, room.table.id, "psst")
    for now, then in zip(await seen(), before, strict=True):
        assert now.split(">") == then.split(">")


@pytest.mark.parametrize("who", ["seat:0", "seat:7", "line:x", "", "guest"])
async def test_only_others_at_the_table_can_be_muted(hall: OpenHall, who: str) -> None:
    host, _friend, room = await hall.two_at()
    answer = await host.ask(f"/tables/{room.table.id}/chat/people", {"who": who, "set": "mute"})
    assert answer.status_code == 404, answer.text


async def test_a_line_that_one_does_not_hear_names_nobody(hall: OpenHall) -> None:
    host, _friend, room = await hall.two_at()
    eve = hall.person("10.0.0.3")
    await said(eve, room.table.id, "Boo")
    line = lines(room, "spectators")[0].id
    assert (await host.ask(f"/tables/{room.table.id}/chat/people", {"who": f"line:{line}", "set": "mute"})).status_code == 404
    assert (await host.get(f"/tables/{room.table.id}/chat?before={line}")).status_code == 404


# --------------------------------------------------------------------------------------------------------------- switching it off


async def test_the_host_of_a_table_closes_its_chat_and_opens_it_again(hall: OpenHall) -> None:
    host, friend, room = await hall.two_at()
    table = room.table.id
    await said(friend, table, "Boo")
    assert (await friend.ask(f"/tables/{table}/chat/close")).json()["error"] == "not-your-seat"
    async with stream(friend, f"/tables/{table}/stream", page="p") as streamed:
        panel = Panel(streamed)
        await panel.news()
        assert (await host.ask(f"/tables/{table}/chat/close")).status_code == 200
        text = await panel.news()
        assert "The host has closed this chat." in text
        assert "Boo" in text
        assert (await say(friend, table, "Why?")).json()["error"] == "wrong-moment"
        assert (await host.ask(f"/tables/{table}/chat/open")).status_code == 200
        assert "The host has closed this chat." not in await panel.news()
        await said(friend, table, "Thanks")


async def test_a_hall_can_have_no_chat(settings: Settings, at_once: None) -> None:
    async with open_hall(settings) as hall:
        hall.switch("chat", "off")
        host, friend, room = await hall.two_at()
        assert "talk-form" not in await shown(host, room.table.id)
        assert (await say(host, room.table.id, "Skal!")).json()["error"] == "no-chat"
        assert (await friend.get(f"/tables/{room.table.id}/chat")).status_code == 403


# --------------------------------------------------------------------------------------------------------------------------- kept


async def test_memory_keeps_the_last_lines_only(hall: OpenHall, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(talk, "RATES", ((timedelta(seconds=1), 10_000),))
    host, _friend, room = await hall.two_at()
    for number in range(105):
        await said(host, room.table.id, f"{number}")
    kept = [line.text for line in lines(room)]
    assert kept == [f"{number}" for number in range(5, 105)]
    room.chat.note_change()
    room.chat.refresh()
    assert [line.text for line in lines(room)] == kept


async def test_what_a_deleted_guest_has_said_disappears_at_once(hall: OpenHall) -> None:
    host, friend, room = await hall.two_at()
    table = room.table.id
    await said(host, table, "Skal!")
    await said(friend, table, "My secret")
    guest = hall.store.transact(guests.find, next(iter(room.table.seats[1].guests)))
    assert guest is not None
    async with stream(host, f"/tables/{table}/stream", page="p") as streamed:
        panel = Panel(streamed)
        assert "My secret" in await panel.news()
        hall.hall.accounts.delete(guest)
        text = await panel.news()
        assert "Skal!" in text
        assert "My secret" not in text
    assert "My secret" not in await shown(host, table)


async def test_a_device_that_signs_in_takes_its_lines_along(hall: OpenHall) -> None:
    host, friend, room = await hall.two_at()
    await said(friend, room.table.id, "Skal!")
    source, target = next(iter(room.table.seats[1].guests)), next(iter(room.table.seats[0].guests))
    hall.store.transact(personal_data.merge_guests, source, target)
    room.chat.note_change()
    room.chat.refresh()
    assert [line.guest for line in lines(room)] == [target]
    assert 'class="said mine' in await shown(host, room.table.id)
