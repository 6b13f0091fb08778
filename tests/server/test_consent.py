"""What people at a table decide together: take-backs, draws, giving up."""

from __future__ import annotations

import asyncio
import re
from dataclasses import replace
from typing import Any, TypeVar, cast

import pytest

import meadhall
from games_for_tests.hoard.rules import BOAST, LOOK
from meadhall.engine.match.view import SPECTATOR
from meadhall.server.hall import consent
from meadhall.server.hall.lobby_changes import person_seat
from meadhall.server.hall.match_records import check_match
from meadhall.server.hall.proposals import Proposal
from meadhall.server.hall.room import Room
from meadhall.server.settings import Settings
from meadhall.server.store import guests, matches, tables
from meadhall.server.store.models import Entry
from meadhall.server.worker.tasks import EvaluatePosition, Progress, Task
from server.manual_time import ManualTime
from server.matches import at_turn, bots_and, match_of, stored
from server.people import AXES, HOARD, OpenHall, Person, open_hall, until
from server.rows import stored_jobs
from server.worker_threads import WorkerThreads

R = TypeVar("R")

pytestmark = pytest.mark.asyncio(loop_scope="module")

COOPERATIVE = "dungeon-allies"


async def propose(person: Person, room: Room, what: str, **form: Any) -> Any:
    return await person.ask(
        f"/tables/{room.table.id}/propose", {"what": what} | {name: str(value) for name, value in form.items()}
    )


async def vote(person: Person, room: Room, answer: str = "agree", proposal: int | None = None) -> Any:
    number = the_open(room).number if proposal is None else proposal
    return await person.ask(f"/tables/{room.table.id}/vote", {"proposal": str(number), "answer": answer})


def the_open(room: Room) -> Proposal:
    found = room.consent.proposals.open
    assert found is not None
    return found


def ending(room: Room) -> str:
    last = room.consent.proposals.last
    return "" if room.consent.proposals.open is not None or last is None else last.ending


def jobs_of(hall: OpenHall, room: Room) -> int:
    return len(stored_jobs(hall.store, kind=consent.JOB, key=room.table.id))


# ------------------------------------------------------------------------------------------------------------- taking back


async def test_a_take_back_that_reveals_is_done_when_the_other_agrees_and_chance_falls_differently(hall: OpenHall) -> None:
    actor, other, room, _ = await at_turn(hall, HOARD)
    before = match_of(room).states
    await actor.act(room.table.id, LOOK, 1)
    assert (await actor.ask(f"/tables/{room.table.id}/undo")).status_code == 409
    assert (await propose(actor, room, "take-back")).status_code == 200
    assert the_open(room).to == 1
    assert jobs_of(hall, room) == 1
    assert (await vote(other, room)).status_code == 200
    match = match_of(room)
    assert match.steps == []
    assert [step.n for step in match.undone[0].steps] == [1]
    assert (match.actor, match.next_number) == (int(before["actor"][0]), 2)
    seat, voter = match.undone[0].steps[0].seat, 1 - match.undone[0].steps[0].seat
    assert stored(hall, room) == [
        ("action", seat, LOOK),
        ("propose", seat, 1),
        ("agree", voter, 2),
        ("undo", seat, 1),
    ]
    assert jobs_of(hall, room) == 0, "nothing waits for its time any more"
    record = match.record(abandoned="enough")
    assert meadhall.replay(record).record() == record


async def test_a_take_back_goes_to_a_chosen_decision_of_anyone(hall: OpenHall) -> None:
    host, friend, room = await hall.two_at(COOPERATIVE)
    people = {0: host, 1: friend}
    for _ in range(5):
        match = match_of(room)
        assert match.actor is not None
        await people[match.actor].act(room.table.id, match.legal()[0].action)
    await propose(host, room, "take-back", to=3)
    await vote(friend, room)
    assert [step.n for step in match_of(room).steps] == [1, 2]
    assert match_of(room).next_number == 6


async def test_bots_agree_to_a_take_back_at_once(settings: Settings, at_once: None) -> None:
    async with open_hall(replace(settings, bot_pause=600.0)) as hall:
        program, room = await bots_and(hall, ["karl"], COOPERATIVE)
        while match_of(room).actor == 0:
            await program.act(room.table.id, match_of(room).legal()[0].action)
        count = len(match_of(room).steps)
        answer = await program.post(f"/tables/{room.table.id}/proposals", {"what": "take-back", "to": 1})
        assert answer.status_code == 200, answer.text
        assert answer.json()["proposal"] is None
        assert count
        assert match_of(room).steps == []


async def test_a_declined_proposal_changes_nothing_and_is_not_repeated_at_once(hall: OpenHall) -> None:
    actor, other, room, _ = await at_turn(hall, HOARD)
    await actor.act(room.table.id, LOOK)
    await propose(actor, room, "take-back")
    assert (await vote(other, room, "decline")).status_code == 200
    assert len(match_of(room).steps) == 1
    again = await propose(actor, room, "take-back")
    assert (again.status_code, again.json()["error"]) == (429, "too-many")
    assert "You have just proposed that" in (await actor.get(f"/tables/{room.table.id}/propose")).text
    assert ending(room) == "declined"


async def test_everyone_sees_it_and_only_those_who_are_asked_get_buttons(hall: OpenHall) -> None:
    actor, other, room, _ = await at_turn(hall, HOARD)
    await actor.act(room.table.id, LOOK)
    await propose(actor, room, "take-back")
    pages = [(await each.get(f"/tables/{room.table.id}")).text for each in (actor, other, hall.person())]
    assert all('id="proposal" class="proposal' in page for page in pages)
    assert ['id="agree"' in page for page in pages] == [False, True, False]
    assert ['id="withdraw"' in page for page in pages] == [True, False, False]
    assert "You ask to take back" in pages[0]
    assert "asks to take back" in pages[1]


# ------------------------------------------------------------------------------------------------------------------- draws


async def test_a_draw_by_agreement_is_awarded_to_all_who_live(hall: OpenHall) -> None:
    host, friend, room = await hall.two_at(AXES)
    await propose(host, room, "draw")
    await vote(friend, room)
    match = match_of(room)
    assert room.table.status == "abandoned"
    record = match.record()
    assert record["awarded"] == {"winners": [0, 1], "scores": [0.5, 0.5], "why": "agreement"}
    assert (record["result"], record["abandoned"]) == (None, "the players agreed to a draw")
    assert meadhall.replay(record).outcome() == match.outcome()
    page = (await host.get(f"/tables/{room.table.id}")).text
    assert "A draw" in page
    frame = page.split('id="frame"')[1]
    assert frame.count("#i-crown") == frame.count('class="chip gold"') == 2, "only plates have a crown"
    assert not re.search(r'class="plate[^"]* winner', frame), "everyone has drawn, so nobody is crowned"
    assert "by agreement" in page
    assert (await propose(host, room, "draw")).status_code == 409


async def test_a_draw_survives_a_restart(settings: Settings, at_once: None) -> None:
    async with open_hall(settings) as before:
        host, friend, room = await before.two_at(AXES)
        await propose(host, room, "draw")
        await vote(friend, room)
        table, record = room.table.id, match_of(room).record()
    async with open_hall(settings) as after:
        again = await after.room(table)
        assert match_of(again).record() == record
        assert (again.table.outcome or {})["why"] == "agreement"


class Expecting(WorkerThreads):
    """A worker whose bots expect a certain payoff in every position."""

    def __init__(self, payoff: float) -> None:
        super().__init__()
        self.payoff = payoff
        self.viewers: list[int] = []

    async def run(self, task: Task[R], progress: Progress | None = None) -> R:
        if not isinstance(task, EvaluatePosition):
            return await super().run(task, progress)
        assert task.seconds > 0
        self.viewers.append(task.view.viewer)
        expected: Any = tuple(self.payoff for _ in task.view.seats)
        return cast("R", expected)


@pytest.mark.parametrize(("payoff", "how"), [(0.3, "accepted"), (0.5, "declined")])
async def test_bots_agree_to_a_draw_when_they_do_not_expect_to_win(
    settings: Settings, at_once: None, payoff: float, how: str
) -> None:
    worker = Expecting(payoff)
    async with open_hall(replace(settings, bot_pause=0.01), worker) as hall:
        host, friend, room = await hall.three_at(AXES)
        await propose(host, room, "draw")
        if the_open(room).waiting != {2}:
            await vote(friend, room)
        await until(room, lambda: ending(room) == how)
        assert worker.viewers == [SPECTATOR], "its answer tells nothing about its hand"
        assert (room.table.status == "abandoned") == (how == "accepted")


async def test_give_up_together_is_for_those_who_win_together(hall: OpenHall) -> None:
    one, two, table = await hall.two_programs("axxa")
    refused = await one.post(f"/tables/{table}/proposals", {"what": "draw"})
    assert (refused.status_code, "give up together" in refused.json()["reason"]) == (409, True)
    told = (await one.post(f"/tables/{table}/proposals", {"what": "give-up"})).json()["proposal"]
    ended = (await two.post(f"/tables/{table}/vote", {"proposal": told["number"], "answer": "agree"})).json()
    assert (ended["status"], ended["awarded"], ended["result"]) == ("abandoned", None, None)
    room = await hall.room(table)
    assert match_of(room).abandoned == "the players gave up together"
    assert "by agreement" in (await hall.person().get(f"/tables/{table}")).text


async def test_what_makes_no_sense_at_a_table_is_refused(hall: OpenHall) -> None:
    host, _, room = await hall.two_at(AXES)
    assert "resign" in (await propose(host, room, "give-up")).json()["reason"], "rivals don't give up together"
    assert "no clock" in (await propose(host, room, "pause")).json()["reason"]
    assert (await propose(hall.person("10.0.0.3"), room, "draw")).status_code == 403, "a spectator"


async def test_a_match_of_an_older_hall_whose_seat_went_to_a_friend_replays(settings: Settings, at_once: None) -> None:
    """There, a friend who watched could ask for a seat."""
    async with open_hall(settings) as before:
        *_, room = await before.two_at(HOARD)
        guest = before.person("10.0.0.3")
        await guest.post("/settings", {"name": "Erik the Red"})
        host_id, friend_id = (min(seat.guests) for seat in room.table.seats)
        asked = {"what": "swap", "until": "2099-01-01T00:00:00+00:00", "asked": [0, 1], "agreed": [], "bots": [], "guest": "x"}
        old = (
            Entry(1, "propose", 1, 0, asked),
            Entry(2, "agree", 0, 1),
            Entry(3, "agree", 1, 1),
            Entry(4, "swap", 1, 0, {"kind": "human", "bot": None}),
        )
        before.store.transact(matches.append, room.table.id, old)
        erik = before.store.transact(guests.find, (await before.room(await guest.open())).table.host)
        assert erik is not None
        before.store.transact(tables.save, room.table.replace_seat(person_seat(1, erik.name, erik)))
        cookies = dict(guest.http.cookies)
    async with open_hall(settings) as after:
        guest = after.person("10.0.0.3")
        guest.http.cookies.update(cookies)
        room = await after.room(room.table.id)
        assert [seat.name for seat in match_of(room).seats][1] == "Erik the Red"
        assert room.state.proposals.open is None
        assert host_id in room.table.seats[0].guests
        assert friend_id not in room.table.seats[1].guests
        check_match(room.table, after.store.transact(matches.entries_of, room.table.id))


# ------------------------------------------------------------------------------------------------------------------- limits


@pytest.mark.asyncio
async def test_a_proposal_that_is_not_answered_expires(hall: OpenHall, time: ManualTime) -> None:
    host, friend, room = await hall.two_at(AXES)
    await propose(host, room, "draw")
    number, until = the_open(room).number, the_open(room).until
    await time.advance((until - time.now()).total_seconds() - 1)
    assert the_open(room).number == number
    await time.advance(1)
    assert ending(room) == "expired"
    assert (await vote(friend, room, proposal=number)).json()["error"] == "stale"
    assert [kind for kind, _, _ in stored(hall, room)] == ["propose", "expire"]
    assert jobs_of(hall, room) == 0


@pytest.mark.parametrize("minutes", [0, 3])
async def test_an_open_proposal_survives_a_restart_and_expires_if_its_time_is_up(
    settings: Settings, at_once: None, time: ManualTime, minutes: int
) -> None:
    async with open_hall(settings, time=time) as before:
        host, friend, room = await before.two_at(AXES)
        await propose(host, room, "draw")
        table, number, cookies = room.table.id, the_open(room).number, dict(friend.http.cookies)
    await time.advance(60 * minutes)
    async with open_hall(settings, time=time) as after:
        friend = after.person()
        friend.http.cookies.update(cookies)
        room = await after.room(table)
        if minutes:
            await until(room, lambda: ending(room) == "expired")
        assert (await vote(friend, room, proposal=number)).status_code == (409 if minutes else 200)
        assert [kind for kind, _, _ in stored(after, room)] == ["propose", "expire" if minutes else "agree"]


async def test_there_is_more_time_where_a_player_is_away(hall: OpenHall) -> None:
    host, _, room = await hall.two_at(AXES)
    room.visits.last.clear()  # the requests of both were long ago
    await propose(host, room, "draw")
    assert the_open(room).until - proposals_began(hall.store.transact(matches.entries_of, room.table.id)) == consent.DAY


def proposals_began(entries: Any) -> Any:
    return next(entry.at for entry in entries if entry.kind == "propose")


async def test_nothing_can_be_proposed_in_the_puzzle_of_the_day(hall: OpenHall) -> None:
    person = hall.person()
    table = (await person.post("/daily")).headers["location"].rpartition("/")[2]
    room = await hall.room(table)
    answer = await propose(person, room, "take-back")
    assert (answer.status_code, "puzzle of the day" in answer.json()["reason"]) == (409, True)
    assert 'id="propose"' not in (await person.get(f"/tables/{table}")).text


@pytest.mark.parametrize(
    ("form", "status"),
    [({"what": "peace"}, 400), ({"what": "take-back", "to": "x"}, 400), ({"what": "take-back", "to": "77"}, 409)],
)
async def test_bad_proposals_are_refused_and_change_nothing(hall: OpenHall, form: dict[str, str], status: int) -> None:
    actor, _, room, _ = await at_turn(hall, HOARD)
    await actor.act(room.table.id, BOAST)
    answer = await actor.ask(f"/tables/{room.table.id}/propose", form)
    assert (answer.status_code, answer.json()["status"]) == (status, status)
    assert [kind for kind, _, _ in stored(hall, room)] == ["action"]
    assert (await vote(actor, room, "perhaps", 1)).status_code == 400


# -------------------------------------------------------------------------------------------------------------------- races


async def test_a_vote_that_comes_twice_counts_once(hall: OpenHall) -> None:
    actor, other, room, _ = await at_turn(hall, HOARD)
    await actor.act(room.table.id, LOOK)
    await propose(actor, room, "take-back")
    number = the_open(room).number
    answers = await asyncio.gather(*(vote(other, room, proposal=number) for _ in range(3)))
    assert sorted(answer.status_code for answer in answers) == [200, 409, 409]
    assert [kind for kind, _, _ in stored(hall, room)] == ["action", "propose", "agree", "undo"]


async def test_of_a_vote_and_an_action_at_once_one_comes_first(hall: OpenHall) -> None:
    proposer, other, room, lowest = await at_turn(hall, HOARD)
    before = match_of(room).actor
    assert (await proposer.act(room.table.id, lowest)).status_code == 200
    assert match_of(room).actor != before, "playing a card ends the turn"
    await propose(proposer, room, "take-back")
    number, n = the_open(room).number, match_of(room).next_number
    voted, acted = await asyncio.gather(vote(other, room, proposal=number), other.act(room.table.id, BOAST, n))
    assert 200 in (voted.status_code, acted.status_code)
    assert ending(room) == ("accepted" if voted.status_code == 200 else "declined")
    record = match_of(room).record(abandoned="enough")
    assert meadhall.replay(record).record() == record
    assert (record["undone"] == []) == (voted.status_code != 200)


async def test_for_a_player_who_leaves_a_bot_answers_and_their_proposal_is_withdrawn(settings: Settings, at_once: None) -> None:
    async with open_hall(replace(settings, bot_pause=0.01), Expecting(0.1)) as hall:
        people = [hall.person(f"10.0.0.{number}") for number in range(1, 5)]
        table = await people[0].open(AXES, players=4)
        for person in people[1:]:
            assert (await person.ask(f"/tables/{table}/seats", {"set": "sit"})).status_code == 200
        await people[0].ask(f"/tables/{table}/start")
        room = await hall.room(table)
        await propose(people[0], room, "draw")
        await vote(people[1], room)
        await people[2].ask(f"/tables/{table}/resign")
        await until(room, lambda: 2 in the_open(room).agreed)
        assert the_open(room).waiting == {3}
        await people[0].ask(f"/tables/{table}/resign")
        assert ending(room) == "withdrawn"
