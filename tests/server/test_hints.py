"""Hints at a table: who may request one, what the page shows, and how the record marks the action."""

from __future__ import annotations

import asyncio
import json
import threading

import pytest

from games_for_tests.hoard.rules import BOAST, DRAW, LOOK
from meadhall.bots import Hint
from meadhall.engine.match.view import View
from meadhall.server.hall.state import replayed
from meadhall.server.settings import Settings
from meadhall.server.store import matches
from meadhall.server.worker import tasks
from server.matches import ask_hint, at_turn, match_of, stored, undo
from server.people import HOARD, PATIENCE, OpenHall, open_hall, play_out, stream, until

pytestmark = pytest.mark.asyncio(loop_scope="module")


class Adviser:
    """A stand-in for the king's search. It collects the views, and waits while ``free`` is not set."""

    def __init__(self) -> None:
        self.views: list[View] = []
        self.free = threading.Event()
        self.free.set()

    def __call__(self, view: View) -> tuple[Hint, ...]:
        self.views.append(view)
        assert self.free.wait(PATIENCE)
        return tuple(Hint(action, 0.5 - k / 10, sure=False) for k, action in enumerate(view.legal[:3]))


@pytest.fixture
def adviser(monkeypatch: pytest.MonkeyPatch) -> Adviser:
    adviser = Adviser()
    monkeypatch.setattr(tasks, "hints", adviser)
    return adviser


async def test_a_hint_is_the_kings_best_actions_with_their_chances(hall: OpenHall, adviser: Adviser) -> None:
    actor, other, room, _ = await at_turn(hall, HOARD)
    answer = (await ask_hint(actor, room)).json()
    legal = {action.action: action.text for action in match_of(room).legal()}
    assert 1 <= len(answer["hints"]) <= 3
    for hint in answer["hints"]:
        assert legal[hint["action"]] == hint["text"]
        assert 0 <= hint["chance"] <= 1
        assert not hint["sure"]
    assert answer["hint"].startswith(f"1. {answer['hints'][0]['text']}: ")
    assert "your chance of winning" in answer["hint"]
    assert match_of(room).steps == []
    assert (await ask_hint(other, room)).status_code == 409
    assert (await ask_hint(hall.person(), room)).status_code == 403


async def test_a_hint_that_is_requested_twice_is_found_once(hall: OpenHall, adviser: Adviser) -> None:
    actor, _, room, _ = await at_turn(hall, HOARD)
    answers = await asyncio.gather(*(ask_hint(actor, room) for _ in range(4)))
    answers.append(await ask_hint(actor, room))
    assert len({answer.text for answer in answers}) == 1
    assert len(adviser.views) == 1
    assert {kind for kind, _, _ in stored(hall, room)} == {"hint"}


async def test_only_the_guest_who_requested_a_hint_sees_it_until_the_next_action(hall: OpenHall, adviser: Adviser) -> None:
    actor, other, room, _ = await at_turn(hall, HOARD)
    path = f"/tables/{room.table.id}"
    assert (await actor.post(f"{path}/hint")).status_code == 303, "a plain form redirects to the table"
    page = (await actor.get(path)).text
    assert page.count('class="button hint-line"') == 3
    assert "What the king would do" in page
    assert 'id="hints"' not in (await other.get(path)).text
    await actor.act(room.table.id, BOAST)
    assert 'id="hints"' not in (await actor.get(path)).text
    answer = await undo(actor, room)
    assert answer.status_code == 200
    assert (await actor.get(path)).text.count('class="button hint-line"') == 3, "it is the same decision as before"


async def test_an_action_is_marked_when_the_same_information_set_is_reached_again(hall: OpenHall, adviser: Adviser) -> None:
    actor, _, room, first = await at_turn(hall, "axxa")
    seat = match_of(room).actor
    assert seat is not None
    await actor.act(room.table.id, first)
    assert match_of(room).actor == seat, "the turn must continue"
    await ask_hint(actor, room)
    await undo(actor, room)
    await actor.act(room.table.id, first)
    hinted = replayed(room.game, room.table, hall.store.transact(matches.entries_of, room.table.id)).hinted
    assert hinted == {(seat, match_of(room).information_set(seat))}, "the same after a restart"
    await actor.act(room.table.id, match_of(room).legal()[0].action)
    assert [step.hinted for step in match_of(room).steps[:2]] == [False, True]


async def test_during_the_search_the_page_says_so_and_stays_usable(hall: OpenHall, adviser: Adviser) -> None:
    actor, _, room, _ = await at_turn(hall, HOARD)
    path = f"/tables/{room.table.id}"
    adviser.free.clear()
    async with stream(actor, f"{path}/stream") as live:
        asking = asyncio.create_task(ask_hint(actor, room))
        while "The king is thinking" not in await live.frame():
            pass
        assert (await actor.act(room.table.id, BOAST, 1)).status_code == 200
        while 'id="hints"' in await live.frame():
            pass
        again = asyncio.create_task(ask_hint(actor, room))
        while "The king is thinking" not in await live.frame():
            pass
        assert len(adviser.views) == 1, "one search at a time"
        adviser.free.set()
        while "What the king would do" not in (frame := await live.frame()):
            pass
        assert 'name="n" value="2"' in frame
    assert [(await each).status_code for each in (asking, again)] == [200, 200]
    assert len(adviser.views) == 2


async def test_after_a_failed_hint_another_can_be_requested(
    hall: OpenHall, adviser: Adviser, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    actor, _, room, _ = await at_turn(hall, HOARD)

    def fail(view: View) -> tuple[Hint, ...]:
        raise RuntimeError(f"no hint for {view.viewer}")

    with monkeypatch.context() as patch:
        patch.setattr(tasks, "hints", fail)
        assert (await ask_hint(actor, room)).status_code == 500
    assert 'id="hints"' not in (await actor.get(f"/tables/{room.table.id}")).text
    assert (await ask_hint(actor, room)).status_code == 200


async def test_a_failed_hint_does_not_remove_a_later_one(
    hall: OpenHall, adviser: Adviser, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    actor, _, room, _ = await at_turn(hall, HOARD)
    begun = threading.Event()

    def fail_first(view: View) -> tuple[Hint, ...]:
        begun.set()
        given = adviser(view)
        if len(adviser.views) == 1:
            raise RuntimeError("no hint")
        return given

    monkeypatch.setattr(tasks, "hints", fail_first)
    adviser.free.clear()
    first = asyncio.create_task(ask_hint(actor, room))
    assert await asyncio.to_thread(begun.wait, PATIENCE)
    assert (await actor.act(room.table.id, BOAST, 1)).status_code == 200
    second = asyncio.create_task(ask_hint(actor, room))
    seat = match_of(room).actor
    assert seat is not None
    await until(room, lambda: room.hints.current(room.match, seat) is not None, seat)
    adviser.free.set()
    assert [(await first).status_code, (await second).status_code] == [500, 200]
    assert "What the king would do" in (await actor.get(f"/tables/{room.table.id}")).text


async def test_an_action_after_a_hint_is_marked_in_the_record(settings: Settings, at_once: None, adviser: Adviser) -> None:
    """Also when the server dies between the request and the action, and when the action is undone and another one played."""
    async with open_hall(settings) as before:
        actor, other, room, _ = await at_turn(before, HOARD)
        await ask_hint(actor, room)
        table, cookies = room.table.id, dict(actor.http.cookies)
        other_cookies = dict(other.http.cookies)
    async with open_hall(settings) as after:
        room = await after.room(table)
        actor, other = after.person(), after.person()
        actor.http.cookies.update(cookies)
        other.http.cookies.update(other_cookies)
        await actor.act(table, BOAST)
        assert [entry.kind for entry in after.store.transact(matches.entries_of, table)] == ["hint", "hinted"]
        await undo(actor, room)
        await actor.act(table, LOOK)
        await actor.act(table, DRAW)
        assert [step.hinted for step in match_of(room).steps] == [True, False]
        for person in (actor, other, after.person()):
            assert "with a hint" in (await person.get(f"/tables/{table}")).text
            assert "with a hint" in (await person.get(f"/tables/{table}/replay?step=1")).text
    async with open_hall(settings) as again:
        room = await again.room(table)
        people = [again.person(), again.person()]
        people[0].http.cookies.update(cookies)
        people[1].http.cookies.update(other_cookies)
        await play_out(room, dict(enumerate(people)))
        record = (await again.person().get(f"/tables/{table}/record")).json()
        assert [action["n"] for action in record["actions"] if action.get("hinted")] == [2]
        assert [undone["actions"][0]["hinted"] for undone in record["undone"]] == [True]
        uploaded = await people[0].upload(json.dumps(record).encode(), Accept="application/json")
        assert uploaded.status_code == 201
        assert "with a hint" in (await people[0].get(f"{uploaded.json()['url']}?step=1")).text


async def test_the_actions_of_a_bot_that_replaces_a_hinted_guest_are_not_marked(hall: OpenHall, adviser: Adviser) -> None:
    actor, _, room = await hall.three_at(HOARD)
    await ask_hint(actor, room)
    await actor.ask(f"/tables/{room.table.id}/resign")
    await until(room, lambda: len(match_of(room).steps) > 0)
    assert not match_of(room).steps[0].hinted
