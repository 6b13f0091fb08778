"""Development mode: the debug panel, who may reach it, what is wrong with a game, and matches that don't fit changed rules."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import httpx
import pytest
import pytest_asyncio

from games_for_tests.goofspiel import game as goofspiel
from meadhall.engine.registry import game, game_names, registered
from meadhall.server.app import build_app
from meadhall.server.dev.panel import panel_of
from meadhall.server.dev.rehearsal import described
from meadhall.server.hall.room import Room
from meadhall.server.hall.state import TableState
from meadhall.server.settings import Settings
from meadhall.server.store import matches
from meadhall.server.store.models import Entry
from server.people import AXES, HOARD, OpenHall, Person, open_hall, stream

pytestmark = pytest.mark.asyncio

HERE = "http://127.0.0.1:8000"
ADDRESSES = ["/dev/stream", "/dev/tables/{id:str}"]


@pytest_asyncio.fixture
async def developing(settings: Settings, at_once: None) -> AsyncIterator[OpenHall]:
    """Open a hall in development mode."""
    async with open_hall(replace(settings, development=True)) as opened:
        yield opened


def developer(hall: OpenHall, base: str = HERE) -> Person:
    """Return a person whose browser is on the hall's machine."""
    found = hall.person("127.0.0.1")
    found.http.base_url = httpx.URL(base)
    return found


async def begun(hall: OpenHall, subject: str, players: int = 2) -> tuple[Person, Room]:
    """Start a match against bots that don't move."""
    person = developer(hall)
    room = await hall.room(await person.open(subject, players=players))
    for seat in range(1, players):
        assert (await person.ask(f"/tables/{room.table.id}/seats", {"seat": str(seat), "set": "bot:thrall"})).status_code == 200
    room.bots.play = lambda: None  # type: ignore[method-assign]
    assert (await person.ask(f"/tables/{room.table.id}/start")).status_code == 200
    return person, room


def play(room: Room, which: int = 0) -> None:
    """Play a legal action for the seat to move."""
    match = room.running_match()
    assert match.actor is not None
    room.change(TableState.add, "action", match.actor, match.legal()[which].action)


# ------------------------------------------------------------------------------------------------------- who may reach it


def the_routes(development: bool) -> set[str]:
    return {route.path for route in build_app(0, development=development).routes if route.path.startswith("/dev")}


async def test_without_development_mode_there_are_no_routes_of_it() -> None:
    assert the_routes(development=True) == set(ADDRESSES)
    assert not the_routes(development=False)


async def test_a_hall_without_development_mode_shows_nothing_of_it(settings: Settings, at_once: None) -> None:
    async with open_hall(settings) as hall:
        person, _friend, room = await hall.two_at(HOARD)
        for path in ADDRESSES:
            assert (await person.get(path.replace("{id:str}", room.table.id))).status_code == 404
        assert "dev-" not in (await person.get(f"/tables/{room.table.id}")).text


async def test_no_environment_variable_turns_it_on() -> None:
    names = {f"MEADHALL_{name}": "1" for name in ("DEV", "DEVELOPMENT", "DEBUG")}
    assert not Settings.from_environment(names).development


async def test_only_names_of_this_machine_reach_it(developing: OpenHall) -> None:
    _person, room = await begun(developing, HOARD)
    for name, status in {
        "http://localhost:8000": 200,
        "http://127.0.0.1:8000": 200,
        "http://[::1]:8000": 200,
        "http://rebound.example.org:8000": 403,
        "http://127.0.0.1.example.org:8000": 403,
    }.items():
        assert (await developer(developing, name).get(f"/dev/tables/{room.table.id}")).status_code == status, name


async def test_no_spelling_and_no_forwarded_name_reach_it_under_another_name(developing: OpenHall) -> None:
    _person, room = await begun(developing, HOARD)
    app: Any = developing.app  # as a hall does that trusts a proxy on this machine
    transport = httpx.ASGITransport(app, client=("127.0.0.1", 5000))
    async with httpx.AsyncClient(transport=transport) as client:
        for path in ADDRESSES:
            address = path.replace("{id:str}", room.table.id)
            for spelled in (address, f"/{address}", address.replace("/", "//"), f"{address}/"):
                for headers in ({}, {"X-Forwarded-Host": "localhost"}):
                    answer = await client.get(f"http://rebound.example.org:8000{spelled}", headers=headers)
                    assert answer.status_code == 403, (spelled, headers)
        forwarded = {"X-Forwarded-Host": "hall.example.org"}
        answer = await client.get(f"http://localhost:8000//dev/tables/{room.table.id}", headers=forwarded)
        assert answer.status_code == 200, "the connection's own name counts"


# ------------------------------------------------------------------------------------------------------------- the panel


@pytest.mark.parametrize("subject", [*game_names(), HOARD])
async def test_the_panel_shows_the_actions_the_state_and_the_events_of_every_game(developing: OpenHall, subject: str) -> None:
    person, room = await begun(developing, subject, max(2, game(subject).min_players))
    for _ in range(4):
        match = room.running_match()
        shown = (await person.get(f"/dev/tables/{room.table.id}?part=true")).text
        assert [shown.count(f'id="dev-{part}"') for part in ("actions", "state", "events")] == [1, 1, 1]
        for action in match.legal():
            assert f"<code>{action.action}</code>" in shown
        if match.actor is None:
            break
        play(room, -1)
    whole = (await person.get(f"/dev/tables/{room.table.id}")).text  # without JavaScript
    assert "<title>" in whole
    assert 'id="dev-panel"' in whole


async def test_the_state_shows_what_is_hidden_from_each_seat(developing: OpenHall) -> None:
    _person, room = await begun(developing, HOARD)
    panel = panel_of(room)
    fields = {field.name: field for field in panel.fields}
    assert panel.viewers == (*room.running_match().names, "Spectator")
    own, other, spectator = fields["hand"].seen
    true = fields["hand"].text.splitlines()
    assert own.splitlines()[0] == true[0] != other.splitlines()[0]
    assert other.splitlines()[1] == true[1] != own.splitlines()[1]
    assert spectator not in ("", fields["hand"].text)
    assert fields["players"].seen == ("", "", "")


async def test_hidden_events_are_marked_with_their_audience(developing: OpenHall) -> None:
    _person, room = await begun(developing, HOARD)
    names = room.running_match().names
    told = panel_of(room).steps[-1].events
    private = [event for event in room.running_match().setup if event.audience >= 0]
    assert private
    assert [event.audience for event in told if event.audience.startswith("only")] == [
        f"only {names[event.audience]}" for event in private
    ]


async def test_all_seats_that_choose_at_the_same_time_are_shown(settings: Settings, at_once: None) -> None:
    with registered(goofspiel):
        async with open_hall(replace(settings, development=True)) as hall:
            _person, room = await begun(hall, goofspiel.name)
            names = room.running_match().names
            assert [each.name for each in panel_of(room).deciders] == list(names)
            room.change(lambda draft: draft.add("action", 1, 3))
            assert [each.name for each in panel_of(room).deciders] == [names[0]]


async def test_before_the_match_the_panel_says_so(developing: OpenHall) -> None:
    person = developer(developing)
    id = await person.open(AXES)
    assert "has not begun" in (await person.get(f"/dev/tables/{id}")).text


# ------------------------------------------------------------------------------------------- what is wrong with a game


async def test_pages_hear_of_problems_and_of_another_build(developing: OpenHall) -> None:
    person = developer(developing)
    reloading = developing.app.state.dev
    async with stream(person, "/dev/stream") as messages:
        assert json.loads(await messages.frame()) == {"build": reloading.build, "problems": ""}
        assert f'data-build="{reloading.build}"' in (await person.get("/")).text
        reloading.problems = "rules.py:3: SyntaxError"
        reloading.channel.publish()
        assert json.loads(await messages.frame())["problems"] == "rules.py:3: SyntaxError"


async def test_an_error_is_described_with_its_place_and_without_the_frames_that_import_games(tmp_path: Path) -> None:
    for source, first in {
        "def legal((state):\n    pass\n": "{file}:1: SyntaxError: ",
        "dice = 6\n1 // 0\n": "{file}:2: ZeroDivisionError: ",
        "import none_such\n": "{file}:1: ModuleNotFoundError: No module named 'none_such'",
    }.items():
        file = tmp_path / "rules.py"
        file.write_text(source, "utf-8")
        with pytest.raises((SyntaxError, ZeroDivisionError, ImportError)) as raised:
            exec(compile(source, str(file), "exec"))  # noqa: S102 - what an import does
        told = described(raised.value.with_traceback(raised.tb.tb_next))
        assert told.startswith(first.format(file=file))
        assert source.strip().splitlines()[-1 if "1 //" in source else 0] in told


# ------------------------------------------------------------------------------------------------- changed rules


async def reopened(hall: OpenHall, room: Room) -> httpx.Response:
    """Return the page of a table after a restart of the hall."""
    hall.hall._rooms.clear()
    await hall.hall.resume(room.game.name)
    return await developer(hall).get(f"/tables/{room.table.id}")


async def test_a_match_goes_on_when_changed_rules_allow_what_was_played(developing: OpenHall) -> None:
    _person, room = await begun(developing, HOARD)
    play(room)
    with registered(replace(game(room.game.name), title="Hoard, changed")):
        assert (await reopened(developing, room)).status_code == 200
        again = await developing.hall.room(room.table.id)
        assert (again.game.title, len(again.running_match().steps)) == ("Hoard, changed", 1)


async def test_a_match_that_does_not_fit_changed_rules_is_told_and_goes_on_when_they_fit_again(developing: OpenHall) -> None:
    person, room = await begun(developing, AXES, players=3)
    play(room)
    entry = Entry(2, "action", room.running_match().actor or 0, room.game.actions - 1, None, room.time.now())
    with developing.store.change() as connection:  # as rules allowed it that were changed since then
        matches.append(connection, room.table.id, (entry,))
    told = await reopened(developing, room)
    assert told.status_code == 410
    assert "doesn&#39;t fit the rules of Axes and Allies as they are now" in told.text
    assert "Actions that fit: 1. Then it fails: There is no player in seat 6 (AA-3.1)." in told.text
    assert "goes on when the rules allow it again" in told.text
    assert (await person.get(f"/dev/tables/{room.table.id}")).status_code == 410
    assert (await person.get("/")).status_code == 200, "the front page lists the guest's tables"
    assert (await person.get(f"/tables/{await person.open(AXES)}")).status_code == 200, "a new table opens"
    with developing.store.change() as db:
        db.run("DELETE FROM match_entries WHERE number = 2")
    assert (await reopened(developing, room)).status_code == 200


@pytest.mark.parametrize("part", ["setup", "play"])
async def test_rules_that_fail_are_told_with_their_place(developing: OpenHall, part: str) -> None:
    person, room = await begun(developing, HOARD)
    play(room)

    def fails(*_given: Any) -> None:
        raise ZeroDivisionError("no dice")

    rules: Any = SimpleNamespace(**{**vars(room.game.rules), part: fails})
    with registered(replace(game(room.game.name), rules=rules)):
        told = (await reopened(developing, room)).text
        assert "ZeroDivisionError: no dice" in told
        assert ("The setup fails" in told) == (part == "setup")
        assert ("(test_development.py:" in told) == (part == "play"), "a game is known by the module of this function"
        assert (await person.get("/")).status_code == 200


async def test_a_position_that_an_older_meadhall_has_edited_is_told(developing: OpenHall) -> None:
    _person, room = await begun(developing, AXES)
    with developing.store.change() as db:
        edited = Entry(1, cast("Any", "edit"), 0, 0, {"fields": {}}, room.time.now())
        matches.append(db, room.table.id, (edited,))
    assert "know entries of the kind edit" in (await reopened(developing, room)).text


async def test_a_match_that_ends_earlier_by_changed_rules_is_told(developing: OpenHall) -> None:
    _person, room = await begun(developing, AXES)
    while not room.running_match().over:
        play(room)
    with developing.store.change() as db:
        db.run("UPDATE tables SET status = 'running'")
    told = await reopened(developing, room)
    assert told.status_code == 410
    assert f"It is over after action {len(room.running_match().steps)}." in told.text
