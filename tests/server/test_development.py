"""Development mode: the debug panel, another match from a position, edited fields, positions as tests, and who may reach it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest
import pytest_asyncio

from games_for_tests.goofspiel import game as goofspiel
from meadhall.engine.errors import BadSetup
from meadhall.engine.registry import game, game_names, registered
from meadhall.server.app import build_app
from meadhall.server.dev.fields import PREFIX, fields_of
from meadhall.server.dev.panel import TABS, deciders
from meadhall.server.hall.room import Room
from meadhall.server.settings import Settings
from meadhall.server.store.queries import tables
from server.people import AXES, HOARD, OpenHall, Person, open_hall, stream

pytestmark = pytest.mark.asyncio

HERE = "http://127.0.0.1:8000"
ADDRESSES = [
    path for route in build_app(0, development=True).routes if (path := route.path).startswith("/dev") and "static" not in path
]


@pytest_asyncio.fixture
async def workshop(settings: Settings, at_once: None) -> AsyncIterator[OpenHall]:
    """Open a hall in development mode."""
    async with open_hall(replace(settings, development=True)) as opened:
        yield opened


def developer(hall: OpenHall, base: str = HERE) -> Person:
    """Return a person whose browser is on the hall's machine."""
    found = hall.person("127.0.0.1")
    found.http.base_url = httpx.URL(base)
    return found


async def begun(hall: OpenHall, subject: str, players: int = 2) -> tuple[Person, Room]:
    """Start a match in which only the developer moves, on seat 0. Its seed is fixed, because some dice end a match at once."""
    person = developer(hall)
    room = await hall.room(await person.open(subject, players=players))
    for seat in range(1, players):
        assert (await person.ask(f"/tables/{room.table.id}/seats", {"seat": str(seat), "set": "bot:random"})).status_code == 200
    room.bots.play = lambda: None  # type: ignore[method-assign]
    assert (await person.ask(f"/tables/{room.table.id}/start")).status_code == 200
    for seat in range(1, players):
        assert (
            await person.post(f"/dev/tables/{room.table.id}/seat", {"seat": str(seat), "player": "person"})
        ).status_code == 303
    room = await follow(person, hall, room, "restart", seed="development")
    room.bots.play = lambda: None  # type: ignore[method-assign]
    return person, room


async def follow(person: Person, workshop: OpenHall, room: Room, form: str, **values: str) -> Room:
    """Open another match from this one, by a form of the debug panel."""
    answer = await person.post(f"/dev/tables/{room.table.id}/{form}", values)
    assert answer.status_code == 303, answer.text
    return await workshop.room(answer.headers["Location"].rpartition("/")[2])


async def act(person: Person, room: Room, action: int | None = None) -> httpx.Response:
    """Play an action, by default the last legal one, for the seat to move: it doesn't end a match soon."""
    match = room.running_match()
    chosen = match.legal()[-1].action if action is None else action
    form = {"seat": str(match.actor), "action": str(chosen), "n": str(match.next_number), "tab": "actions", "part": "true"}
    return await person.post(f"/dev/tables/{room.table.id}/act", form)


async def panel(person: Person, room: Room, tab: str, at: int | None = None) -> str:
    where = f"/dev/tables/{room.table.id}?part=true&tab={tab}" + ("" if at is None else f"&at={at}")
    answer = await person.get(where)
    assert answer.status_code == 200, answer.text
    return answer.text


# ------------------------------------------------------------------------------------------------------- who may reach it


def the_routes(development: bool) -> list[str]:
    return [route.path for route in build_app(0, development=development).routes]


async def test_without_development_mode_there_are_no_routes_of_it() -> None:
    assert ADDRESSES
    assert not [path for path in the_routes(development=False) if path.startswith("/dev")]
    assert len([path for path in the_routes(development=True) if path.startswith("/dev")]) >= len(ADDRESSES)


@pytest.mark.parametrize("path", ADDRESSES)
async def test_every_address_is_unknown_without_development_mode(settings: Settings, at_once: None, path: str) -> None:
    async with open_hall(settings) as hall:
        person, _friend, room = await hall.two_at(HOARD)
        person.http.base_url = httpx.URL(HERE)
        address = path.replace("{id:str}", room.table.id)
        before = room.entry_count
        assert (await person.get(address)).status_code == 404
        assert (await person.post(address, {"seat": "0", "action": "0", "n": "1"})).status_code in (404, 405)
        assert room.entry_count == before
        assert "/dev" not in (await person.get(f"/tables/{room.table.id}")).text


async def test_no_environment_variable_turns_it_on() -> None:
    names = {f"MEADHALL_{name}": "1" for name in ("DEV", "DEVELOPMENT", "DEBUG")}
    assert not Settings.from_environment(names).development


async def test_only_names_of_this_machine_reach_it(workshop: OpenHall) -> None:
    for name, status in {
        "http://localhost:8000": 200,
        "http://127.0.0.1:8000": 200,
        "http://[::1]:8000": 200,
        "http://rebound.example.org:8000": 403,
        "http://127.0.0.1.example.org:8000": 403,
    }.items():
        assert (await developer(workshop, name).get("/dev")).status_code == status, name


async def test_no_spelling_and_no_forwarded_name_reach_it_under_another_name(workshop: OpenHall) -> None:
    _person, room = await begun(workshop, HOARD)
    app: Any = workshop.app  # trusts a proxy on this machine
    transport = httpx.ASGITransport(app, client=("127.0.0.1", 5000))
    async with httpx.AsyncClient(transport=transport, base_url="http://rebound.example.org:8000") as client:
        for path in (*ADDRESSES, "/dev/static/dev.css"):
            address = path.replace("{id:str}", room.table.id)
            for spelled in (address, f"/{address}", address.replace("/", "//"), f"{address}/"):
                for headers in ({}, {"X-Forwarded-Host": "localhost"}):
                    answer = await client.get(f"http://rebound.example.org:8000{spelled}", headers=headers)
                    assert answer.status_code in (403, 405), (spelled, headers)
        answer = await client.get("http://localhost:8000//dev", headers={"X-Forwarded-Host": "hall.example.org"})
        assert answer.status_code == 200, "the connection's own name counts"


async def test_a_form_of_another_site_is_refused(workshop: OpenHall) -> None:
    person, room = await begun(workshop, HOARD)
    before = room.entry_count
    form = {"seat": "0", "action": "0", "n": "1"}
    for where in (path.replace("{id:str}", room.table.id) for path in ADDRESSES):
        answer = await person.http.post(where, data=form, headers={"Sec-Fetch-Site": "cross-site"})
        assert answer.status_code in (403, 405), where
    assert room.entry_count == before


# ------------------------------------------------------------------------------------------------------------- the panel


@pytest.mark.parametrize("subject", [*game_names(), HOARD])
async def test_every_part_of_the_panel_shows_every_position(workshop: OpenHall, subject: str) -> None:
    person, room = await begun(workshop, subject, max(2, game(subject).min_players))
    for _ in range(6):
        if room.running_match().over:
            break
        assert (await act(person, room)).status_code == 200
    match = room.running_match()
    for at in range(len(match.steps) + 1):
        for tab in TABS:
            shown = await panel(person, room, tab, at)
            assert f'data-tab="{tab}"' in shown
        assert (await person.get(f"/dev/tables/{room.table.id}/board?step={at}")).status_code == 200
    whole = (await person.get(f"/dev/tables/{room.table.id}")).text  # without JavaScript
    assert "<title>" in whole
    assert 'id="dev-panel"' in whole


async def test_the_state_shows_what_is_hidden_from_each_seat(workshop: OpenHall) -> None:
    _person, room = await begun(workshop, HOARD)
    match = room.running_match()
    fields = {field.name: field for field in fields_of(match.game, match.states, match.names)}
    own, other, spectator = fields["hand"].seen
    assert own.lines != other.lines
    assert all(
        cell.hidden == (cell.value != true.value) for cell, true in zip(own.lines[0], fields["hand"].lines[0], strict=False)
    )
    assert spectator.lines
    assert fields["hand"].is_hidden
    assert not fields["players"].is_hidden


async def test_actions_are_played_for_any_seat_and_refused_with_the_rule(workshop: OpenHall) -> None:
    person, room = await begun(workshop, AXES)
    match = room.running_match()
    assert match.actor is not None
    shown = await panel(person, room, "actions")
    legal = {action.action for action in match.legal()}
    for action in range(match.game.actions):
        rule, _reason = match.view(match.actor).refusal(action)
        assert (rule == "") == (action in legal)
        assert rule in shown
    seats: set[int | None] = set()
    while seats != {0, 1}:
        seats.add(room.running_match().actor)
        assert (await act(person, room)).status_code == 200
    refused = await act(person, room, next(k for k in range(12) if k not in {a.action for a in room.running_match().legal()}))
    assert refused.status_code == 422
    assert re.search(r'role="alert".*AA-\d', refused.text, re.DOTALL)
    stale = await person.post(f"/dev/tables/{room.table.id}/act", {"seat": "0", "action": "0", "n": "1"})
    assert stale.status_code == 409


async def test_seats_that_choose_at_the_same_time_have_buttons_each(settings: Settings, at_once: None) -> None:
    with registered(goofspiel):
        async with open_hall(replace(settings, development=True)) as hall:
            person, room = await begun(hall, goofspiel.name)
            assert [each.seat for each in deciders(room.running_match(), 0)] == [0, 1]
            form = {"seat": "1", "action": "3", "n": "1", "tab": "actions", "part": "true"}
            assert (await person.post(f"/dev/tables/{room.table.id}/act", form)).status_code == 200
            assert [each.seat for each in deciders(room.running_match(), 1)] == [0]
            for tab in TABS:
                await panel(person, room, tab)


async def test_hidden_events_are_marked_with_their_audience(workshop: OpenHall) -> None:
    person, room = await begun(workshop, HOARD)
    shown = await panel(person, room, "events")
    private = [event for event in room.running_match().setup if event.audience != -1]
    assert private
    assert shown.count('class="dev-secret"') == len(private)


async def test_a_seat_can_be_played_by_the_developer_a_person_or_a_bot(workshop: OpenHall) -> None:
    person, room = await begun(workshop, AXES)
    where = f"/dev/tables/{room.table.id}/seat"
    guest = min(room.table.seats[0].guests)
    assert (await person.post(where, {"seat": "1", "player": "me"})).status_code == 303
    assert [row.guests for row in room.table.seats] == [frozenset(), frozenset({guest})]
    assert room.table.seat_of(guest) == 1
    assert (await person.post(where, {"seat": "0", "player": "karl"})).status_code == 303
    assert room.running_match().seats[0].bot == "karl"
    assert (await person.post(where, {"seat": "0", "player": "person"})).status_code == 303
    assert room.running_match().seats[0].kind == "human"
    assert (await person.post(where, {"seat": "0", "player": "nobody", "part": "true"})).status_code == 400
    assert (await person.post(where, {"seat": "9", "player": "me", "part": "true"})).status_code == 400


# ------------------------------------------------------------------------------------------------------- another match


async def test_a_match_can_go_on_from_any_position_with_the_same_dice(workshop: OpenHall) -> None:
    person, room = await begun(workshop, AXES)
    for _ in range(3):
        assert (await act(person, room)).status_code == 200
    match = room.running_match()
    for at in range(4):
        other = await follow(person, workshop, room, "continue", at=str(at))
        twin = other.running_match()
        assert [step.action for step in twin.steps] == [step.action for step in match.steps[:at]]
        for step in match.steps[at:]:
            await act(person, other, step.action)
        assert other.running_match().states.tobytes() == match.states.tobytes()
    refused = await person.post(f"/dev/tables/{room.table.id}/continue", {"at": "9"})
    assert refused.status_code == 400


async def test_a_restart_takes_a_seed(workshop: OpenHall) -> None:
    person, room = await begun(workshop, AXES)
    await act(person, room)
    same = await follow(person, workshop, room, "restart", seed="")
    first, second = [await follow(person, workshop, room, "restart", seed="mead") for _ in range(2)]
    assert same.running_match().seed == room.running_match().seed != first.running_match().seed == second.running_match().seed
    assert not same.running_match().steps


# --------------------------------------------------------------------------------------------------------- edited fields


async def edit(person: Person, room: Room, **fields: str) -> httpx.Response:
    values = {PREFIX + name: value for name, value in fields.items()}
    n = str(room.running_match().next_number)
    return await person.post(f"/dev/tables/{room.table.id}/edit", {**values, "n": n, "tab": "state", "part": "true"})


async def test_an_edited_field_changes_the_position_and_the_match_has_no_result_and_no_record(workshop: OpenHall) -> None:
    person, room = await begun(workshop, AXES)
    match = room.running_match()
    other = 1 - match.state.actor
    assert (await edit(person, room, actor=str(other))).status_code == 200
    assert room.running_match().actor == other
    assert "edited" in await panel(person, room, "state")
    while not room.running_match().over:
        await act(person, room, room.running_match().legal()[0].action)
    ended = room.running_match()
    assert ended.result() is None
    assert ended.outcome() is None
    with pytest.raises(BadSetup, match="edited"):
        ended.record()
    assert (await person.get(f"/tables/{room.table.id}/record")).status_code == 400
    shown = await person.get(f"/tables/{room.table.id}")
    assert shown.status_code == 200
    assert "no result" in shown.text
    stored = workshop.store.transact(tables.find, room.table.id)
    assert stored is not None
    assert stored.outcome is None


async def test_an_edited_match_is_the_same_after_a_restart_of_the_hall(settings: Settings, at_once: None) -> None:
    async with open_hall(replace(settings, development=True)) as hall:
        person, room = await begun(hall, AXES)
        assert (await act(person, room)).status_code == 200
        assert (await edit(person, room, actor=str(1 - room.running_match().state.actor))).status_code == 200
        assert (await act(person, room)).status_code == 200
        states, id = room.running_match().states, room.table.id
    async with open_hall(replace(settings, development=True)) as hall:
        again = (await hall.room(id)).running_match()
        assert again.states.tobytes() == states.tobytes()
        assert again.edited


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"actor": "7"}, "players"),
        ({"actor": "300"}, "from -128 to 127"),
        ({"actor": "one"}, "takes 1 integers"),
        ({"actor": "1 1"}, "takes 1 integers"),
        ({"alive": "1 1"}, "takes 6 integers"),
        ({"players": "3"}, "players"),
        ({}, "No field"),
    ],
)
async def test_an_impossible_value_is_refused_and_changes_nothing(workshop: OpenHall, fields: dict[str, str], words: str) -> None:
    person, room = await begun(workshop, AXES)
    before = room.running_match()
    answer = await edit(person, room, **fields)
    assert answer.status_code == 400
    assert words in answer.text
    assert room.running_match() is before
    assert not before.edited


# ---------------------------------------------------------------------------------------------------- positions as tests


def run(source: str, name: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a saved test with pytest. Of the games for tests, only installed ones can be saved."""
    (folder / name).write_text(source, "utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", str(folder), str(folder / name)]
    environment = {**os.environ, "MEADHALL_INTERPRET": "1"}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


async def saved(person: Person, room: Room, at: int) -> tuple[str, str]:
    answer = await person.get(f"/dev/tables/{room.table.id}/test?at={at}")
    assert answer.status_code == 200
    (name,) = re.findall(r'filename="(test_\w+\.py)"', answer.headers["Content-Disposition"])
    return answer.text, name


async def test_a_saved_position_runs_as_a_test_and_fails_when_it_changes(workshop: OpenHall, tmp_path: Path) -> None:
    person, room = await begun(workshop, "viking-axes")
    for _ in range(5):
        await act(person, room)
    source, name = await saved(person, room, 3)
    outcome = run(source, name, tmp_path)
    assert outcome.returncode == 0, outcome.stdout
    assert "1 passed" in outcome.stdout
    assert source.count("match.play(") == 3
    other = re.sub(r"(== \[\n\s+)(\d+)", r"\g<1>999", source)
    assert other != source
    assert run(other, name, tmp_path).returncode == 1


async def test_an_edited_position_is_saved_by_its_fields(workshop: OpenHall, tmp_path: Path) -> None:
    person, room = await begun(workshop, AXES, players=3)
    await act(person, room)
    assert (await edit(person, room, actor=str((room.running_match().state.actor + 1) % 3))).status_code == 200
    source, name = await saved(person, room, 1)
    assert "states[" in source
    assert "match.play(" not in source
    outcome = run(source, name, tmp_path)
    assert outcome.returncode == 0, outcome.stdout


# ------------------------------------------------------------------------------------------------------------- the stream


async def test_pages_hear_of_problems_and_of_another_build(workshop: OpenHall) -> None:
    person = developer(workshop)
    async with stream(person, "/dev/stream") as messages:
        first = json.loads(await messages.frame())
        assert first["problems"] == ""
        assert workshop.app.state.workshop.build == first["build"]
        assert first["build"] in (await person.get("/")).text
