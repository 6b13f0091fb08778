"""A pause: the board and the clocks rest until any player goes on."""

from __future__ import annotations

from dataclasses import replace
from html import unescape

import pytest

from meadhall.server.hall.room import Room
from meadhall.server.hall.state import TableState
from meadhall.server.settings import Settings
from server.manual_time import ManualTime, settled
from server.matches import match_of, stored, who_thinks
from server.people import AXES, OpenHall, Person, open_hall

MINUTES = "seat:300"


async def paused(hall: OpenHall, bots: int = 0, clock: str = MINUTES) -> tuple[Person, Person, Room]:
    """Return a table that two people have paused: the first has proposed it."""
    host, friend = hall.person(), hall.person("10.0.0.2")
    table = await host.open(AXES, 2 + bots)
    await host.ask(f"/tables/{table}/clock", {"clock": clock, "was": "none"})
    await friend.ask(f"/tables/{table}/seats", {"set": "sit"})
    for seat in range(2, 2 + bots):
        await host.ask(f"/tables/{table}/seats", {"seat": str(seat), "set": "bot:karl"})
    assert (await host.ask(f"/tables/{table}/start")).status_code == 200
    room = await hall.room(table)
    await ask_for_pause(host, friend, room)
    return host, friend, room


async def ask_for_pause(host: Person, friend: Person, room: Room) -> None:
    table = f"/tables/{room.table.id}"
    assert (await host.ask(f"{table}/propose", {"what": "pause"})).status_code == 200
    assert room.state.pause is None, "a pause needs the agreement of the others"
    found = room.consent.proposals.open
    assert found is not None
    assert (await friend.ask(f"{table}/vote", {"proposal": str(found.number), "answer": "agree"})).status_code == 200
    assert room.state.pause is not None


async def page_of(person: Person, room: Room) -> str:
    return unescape((await person.get(f"/tables/{room.table.id}")).text)


def prompt_of(page: str) -> str:
    return page.partition('<section id="prompt"')[2].partition("</section>")[0]


async def test_a_bar_in_place_of_the_prompt_says_who_has_paused_and_when_and_every_player_can_go_on(
    hall: OpenHall, time: ManualTime
) -> None:
    host, friend, room = await paused(hall)
    names, began = match_of(room).names, room.state.pause
    assert began is not None
    watching = hall.person("10.0.0.3")
    for person, words in ((host, "Paused by you"), (friend, f"Paused by {names[0]}"), (watching, f"Paused by {names[0]}")):
        page = await page_of(person, room)
        assert words in prompt_of(page)
        assert began.at.strftime("%Y-%m-%dT%H:%M:%SZ") in prompt_of(page)
        assert ('id="resume"' in prompt_of(page)) == (person is not watching)
        assert 'data-turn="yes"' not in page
        assert 'id="hint"' not in page
        assert 'id="undo"' not in page
        assert 'class="proposal' not in page, "the bar says it already"
        assert 'name="action"' not in page


async def test_what_a_pause_means_is_said_without_contradiction(hall: OpenHall, time: ManualTime) -> None:
    host, friend, room = await paused(hall)
    await host.ask(f"/tables/{room.table.id}/resume")
    await host.ask(f"/tables/{room.table.id}/propose", {"what": "pause"})
    for person in (host, friend):
        page = await page_of(person, room)
        assert "The board and the clocks rest until one of you goes on. Until all have answered, the clocks run." in page


async def test_one_click_of_any_player_goes_on(hall: OpenHall, time: ManualTime) -> None:
    host, friend, room = await paused(hall)
    table = f"/tables/{room.table.id}"
    await time.advance(1000)
    assert (await hall.person("10.0.0.3").ask(f"{table}/resume")).status_code == 403
    assert room.state.pause is not None
    for _again in range(2):  # both may click at once
        assert (await friend.ask(f"{table}/resume")).status_code == 200
    assert [kind for kind, _, _ in stored(hall, room)] == ["propose", "agree", "pause", "resume"]
    clocks = room.running_clocks
    assert clocks is not None
    assert (clocks.running, clocks.left) == (match_of(room).actor, (300.0, 300.0))
    page = await page_of(host, room)
    assert "Paused" not in page
    assert "rest until" not in page, "no notice speaks of the pause that is over"


async def test_in_a_pause_no_action_undo_or_hint_is_taken_from_a_page_or_a_program(hall: OpenHall) -> None:
    one, two, table = await hall.two_programs(AXES, clock={"kind": "seat", "seconds": 300})
    room = await hall.room(table)
    programs, actor = {0: one, 1: two}, match_of(room).actor
    assert actor is not None
    mover = programs[actor]
    told = (await one.post(f"/tables/{table}/proposals", {"what": "pause"})).json()["proposal"]
    await two.post(f"/tables/{table}/vote", {"proposal": told["number"], "answer": "agree"})
    before = stored(hall, room)
    for path, body in (("actions", {"action": match_of(room).legal()[0].action}), ("undo", {}), ("hint", {})):
        answer = await mover.post(f"/tables/{table}/{path}", body)
        assert (answer.status_code, answer.json()["error"]) == (409, "paused"), path
    assert stored(hall, room) == before
    assert (await one.post(f"/tables/{table}/proposals", {"what": "pause"})).status_code == 409
    assert (await one.post(f"/tables/{table}/resume")).json()["clocks"]["paused"] is False
    assert (await mover.act(table, match_of(room).legal()[0].action)).status_code == 200


async def test_the_form_of_an_action_is_refused_in_a_pause(hall: OpenHall, time: ManualTime) -> None:
    host, friend, room = await paused(hall)
    match = match_of(room)
    mover = host if match.actor == 0 else friend
    answer = await mover.act(room.table.id, match.legal()[0].action, match.next_number)
    assert (answer.status_code, answer.json()["error"]) == (409, "paused")
    assert match_of(room).steps == []


async def test_a_repeated_request_whose_action_was_played_before_the_pause_changes_nothing(
    hall: OpenHall, time: ManualTime
) -> None:
    host, friend, room = await paused(hall)
    await host.ask(f"/tables/{room.table.id}/resume")
    match = match_of(room)
    mover, action, n = host if match.actor == 0 else friend, match.legal()[0].action, match.next_number
    assert (await mover.act(room.table.id, action, n)).status_code == 200
    if not match_of(room).over:
        await ask_for_pause(host, friend, room)
        assert (await mover.act(room.table.id, action, n)).status_code == 200, "its answer was lost"


def give_to_bots(room: Room) -> None:
    """Let a stand-in play for each of the two people."""

    def change(draft: TableState) -> None:
        for seat in (0, 1):
            draft.add("stand_in", seat, data={"bot": "karl", "lasts": "return", "why": "away"})

    room.change(change)


async def test_bots_and_stand_ins_rest_in_a_pause_and_play_on_after_it(
    settings: Settings, at_once: None, time: ManualTime
) -> None:
    async with open_hall(replace(settings, bot_pause=5.0), time=time) as hall:
        host, friend, room = await paused(hall, bots=2)
        give_to_bots(room)
        for _ in range(20):
            await time.advance(10)
            await settled()
        assert match_of(room).steps == []
        page = await page_of(friend, room)
        assert (who_thinks(page), 'id="thinking"' in page) == ([], False)
        await host.ask(f"/tables/{room.table.id}/resume")
        await hall.let_time_pass_until(lambda: match_of(room).steps)


async def test_a_bot_that_thinks_when_the_pause_begins_does_not_act_in_it(
    settings: Settings, at_once: None, time: ManualTime
) -> None:
    async with open_hall(replace(settings, bot_pause=60.0), time=time) as hall:
        host, _friend, room = await paused(hall, bots=2)
        give_to_bots(room)
        await host.ask(f"/tables/{room.table.id}/resume")
        await time.advance(1)
        assert room.bots._search is not None
        room.change(lambda draft: draft.add("pause", 0))
        for _ in range(20):
            await time.advance(60)
            await settled()
        assert match_of(room).steps == []


async def test_a_pause_lasts_over_a_restart(settings: Settings, at_once: None, time: ManualTime) -> None:
    async with open_hall(settings, time=time) as hall:
        _host, friend, room = await paused(hall)
        before = room.state.pause
    async with open_hall(settings, time=time) as hall:
        room = await hall.room(room.table.id)
        assert room.state.pause == before
        again = hall.person()
        again.http.cookies = friend.http.cookies
        assert "Paused by" in prompt_of(await page_of(again, room))
        assert (await again.ask(f"/tables/{room.table.id}/resume")).status_code == 200
        assert room.state.pause is None


async def test_while_a_table_is_paused_it_is_the_turn_of_no_player(hall: OpenHall, time: ManualTime) -> None:
    host, friend, room = await paused(hall)
    assert not any(room.state.has_turn(seat) for seat in (0, 1))
    for person in (host, friend):
        page = unescape((await person.get("/")).text)
        assert ">Paused<" in page
        assert "Your turn" not in page.partition(f"/tables/{room.table.id}")[2][:600]
    await host.ask(f"/tables/{room.table.id}/resume")
    assert room.state.has_turn(match_of(room).actor)
    pages = [unescape((await person.get("/")).text) for person in (host, friend)]
    assert not any(">Paused<" in page for page in pages)


async def test_chat_draws_and_resignations_are_possible_in_a_pause(hall: OpenHall, time: ManualTime) -> None:
    host, friend, room = await paused(hall)
    table = f"/tables/{room.table.id}"
    assert (await host.ask(f"{table}/propose", {"what": "draw"})).status_code == 200
    assert "The clocks" not in (await page_of(friend, room)).partition('id="proposal-words"')[2].partition("</div>")[0]
    assert (await friend.ask(f"{table}/resign")).status_code == 200
    assert room.table.status == "abandoned"


async def test_a_table_without_a_clock_has_no_pause_to_end(hall: OpenHall) -> None:
    host, _friend, room = await hall.two_at(AXES)
    answer = await host.ask(f"/tables/{room.table.id}/resume")
    assert (answer.status_code, answer.json()["reason"]) == (409, "This table has no clock.")
    assert stored(hall, room) == []


@pytest.mark.parametrize("clock", ["seat:300", "slow:259200"])
async def test_at_slow_tables_a_player_was_last_seen_and_at_live_ones_is_away(
    hall: OpenHall, time: ManualTime, clock: str
) -> None:
    host, _friend, room = await paused(hall, clock=clock)
    await time.advance(2 * 3600 + 60)
    page = await page_of(host, room)
    plate = page.partition('id="plate-1"')[2].partition("</li>")[0]
    assert (">last seen <" in plate) == (clock != "seat:300")
    assert (">away <" in plate) == (clock == "seat:300")
    assert (">2 hours ago<" if clock != "seat:300" else ">2 h") in plate
