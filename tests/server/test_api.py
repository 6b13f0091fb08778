"""The JSON API: bodies, refusals with a code, the event stream, and the OpenAPI document."""

from __future__ import annotations

import asyncio
import json
import time
from copy import copy
from dataclasses import replace
from datetime import timedelta
from importlib import import_module
from pathlib import Path
from random import Random
from typing import Any

import httpx
import openapi_spec_validator
import pytest
from openapi_python_client import generate
from openapi_python_client.config import Config, ConfigFile, MetaType

import meadhall
from games_for_tests.hoard.rules import BOAST, DRAW, LOOK
from meadhall.engine.laws.knowledge import redealt
from meadhall.server.app import BODY_LIMIT
from meadhall.server.hall import match_changes, presence
from meadhall.server.hall.room import Room
from meadhall.server.routes.api_tables import TableEvents, view_in_words
from meadhall.server.routes.workshop import DOCUMENT_LIMIT
from meadhall.server.store.models import Guest
from meadhall.server.web import event_stream
from meadhall.server.web.links import Outside
from server.described import Described
from server.manual_time import ManualTime, settled
from server.matches import match_of
from server.people import AXES, BASE, HOARD, OpenHall, Program, stream

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def test_the_list_of_games_has_options_bots_and_limits(hall: OpenHall) -> None:
    games = {game["name"]: game for game in (await hall.person().get("/api/v1/games")).json()}
    assert games[AXES]["ready"]
    assert (games[AXES]["min_players"], games[AXES]["max_players"], games[AXES]["actions"]) == (2, 6, 12)
    assert games[AXES]["bots"] == ["thrall", "karl", "huscarl", "jarl", "king"]
    assert [option["name"] for option in games[HOARD]["options"]] == ["hand", "mode"]


async def test_a_program_plays_a_whole_match_and_reads_its_record(hall: OpenHall) -> None:
    host, friend, table = await hall.two_programs()
    info: dict[str, Any] = {"view": {"actor": 0}}
    while info["view"]["actor"] is not None:
        actor = (host, friend)[info["view"]["actor"]]
        legal = (await actor.read(f"/tables/{table}/legal")).json()
        shown = (await actor.read(f"/tables/{table}")).json()["view"]
        assert shown["legal"] == legal
        answer = await actor.act(table, legal[0]["action"], shown["next"])
        assert answer.status_code == 200
        info = answer.json()
        assert info["view"]["viewer"] == info["you"]
    assert info["status"] == "over"
    record = (await host.read(f"/tables/{table}/record")).json()
    assert record["result"]["winners"] == info["result"]["winners"]
    assert meadhall.replay(record).over


async def test_a_view_in_words_tells_what_has_happened_since_the_own_last_action(hall: OpenHall) -> None:
    host, friend, table = await hall.two_programs(AXES)
    players = (host, friend)
    info = (await host.read(f"/tables/{table}?words=true")).json()
    while info["status"] == "running":
        actor, view = (
            players[info["view"]["actor"]],
            (await players[info["view"]["actor"]].read(f"/tables/{table}")).json()["view"],
        )
        action = view["legal"][0]
        info = (await actor.post(f"/tables/{table}/actions?words=true", {"action": action["action"], "n": view["next"]})).json()
        match = match_of(await hall.room(table))
        told = [match.in_words(event, info["you"]) for event in match.steps[-1].events]
        assert info["view"]["happened"] == told
        assert info["view"]["board"] == match.view(info["you"]).sketch()
        assert info["view"]["prompt"]
        assert "state" not in info["view"]
    stranger = await hall.program("Stranger")
    watched = (await stranger.read(f"/tables/{table}?words=true")).json()["view"]
    assert len(watched["happened"]) > len(told), "a spectator reads all of it"


@pytest.mark.parametrize("name", [AXES, "axxa", "dungeon-allies", "viking-axes"])
async def test_a_view_in_words_tells_nothing_that_is_hidden(name: str) -> None:
    match, choices = meadhall.game(name).match(seed="words"), Random(1)
    while not match.over and match.next_number < 8:
        known = view_in_words(match, 0)
        assert view_in_words(match.supposing(redealt(match.game, match.view(0).states, 0, choices)), 0) == known
        match.play(choices.choice(match.legal()))


@pytest.mark.asyncio
async def test_a_program_waits_for_its_turn_and_is_here_meanwhile(hall: OpenHall, time: ManualTime) -> None:
    host, friend, table = await hall.two_programs(AXES)
    info = (await host.read(f"/tables/{table}")).json()
    active, other = (host, friend) if info["view"]["actor"] == 0 else (friend, host)
    assert (await active.read(f"/tables/{table}?wait=50")).json()["view"]["legal"], "at once"
    waiting = asyncio.create_task(other.read(f"/tables/{table}?wait=50"))
    await settled()
    room = await hall.room(table)
    assert room.visits.open_pages()[1 - info["view"]["actor"]] == 1
    await time.advance(49)
    assert not waiting.done()
    proposed = await active.post(f"/tables/{table}/proposals", {"what": "draw"})
    assert proposed.status_code == 200, proposed.text
    assert (await waiting).json()["proposal"]["asked"] == [1 - info["view"]["actor"]], "to be asked is a turn, too"
    assert room.visits.open_pages() == {}


@pytest.mark.asyncio
async def test_a_wait_ends_when_its_time_is_up(hall: OpenHall, time: ManualTime) -> None:
    host, _friend, table = await hall.two_programs(AXES)
    alone = (await host.open(game=AXES, players=2))["id"]
    waiting = asyncio.create_task(host.read(f"/tables/{alone}?wait=20"))
    await settled()
    await time.advance(20)
    assert (await waiting).json()["status"] == "gathering"
    assert (await host.read(f"/tables/{table}?wait=51")).status_code == 400


async def test_with_bots_on_all_other_seats_the_match_begins_at_once(hall: OpenHall) -> None:
    program = await hall.program()
    info = await program.open(game=HOARD, bots=["thrall", "karl"], options={"hand": "many"})
    assert info["status"] == "running"
    assert [seat["kind"] for seat in info["seats"]] == ["human", "bot", "bot"]
    assert info["options"] == {"hand": "many", "mode": "rivals"}
    assert len(info["commitment"]) == 64


async def test_an_undo_and_a_resignation(hall: OpenHall) -> None:
    host, friend, table = await hall.two_programs()
    await host.act(table, BOAST)
    assert (await host.post(f"/tables/{table}/undo")).json()["view"]["next"] == 2
    assert (await host.post(f"/tables/{table}/undo")).status_code == 409
    info = (await host.post(f"/tables/{table}/resign")).json()
    assert (info["status"], info["result"]) == ("abandoned", None)
    assert info["awarded"] == {"winners": [1], "scores": [0, 1], "why": "resignation"}
    assert (await friend.post(f"/tables/{table}/resign")).status_code == 409


@pytest.mark.parametrize("action", ["0", None, 1.5, True, [1], {"a": 1}, "x", 10**30, -1])
async def test_an_action_that_is_not_an_integer_is_malformed(hall: OpenHall, action: Any) -> None:
    host, _, table = await hall.two_programs()
    answer = await host.act(table, action)
    assert (answer.status_code, answer.json()["error"]) == (400, "malformed")


async def test_every_refusal_has_a_code_a_reason_and_a_rule(hall: OpenHall) -> None:
    host, friend, table = await hall.two_programs()
    stranger = await hall.program()
    await host.act(table, LOOK)
    for answer, status, error, rule in (
        (await host.act(table, LOOK), 422, "illegal", "HO-2.3"),
        (await host.act(table, DRAW, 1), 409, "stale", None),
        (await friend.act(table, DRAW), 409, "not-your-turn", None),
        (await stranger.act(table, DRAW), 403, "not-your-seat", None),
        (await stranger.read(f"/tables/{table}/legal"), 403, "not-your-seat", None),
        (await stranger.post(f"/tables/{table}/start"), 403, "not-your-seat", None),
        (await host.post(f"/tables/{table}/start"), 409, "wrong-moment", None),
        (await stranger.post(f"/tables/{table}/join"), 409, "wrong-moment", None),
        (await host.read("/tables/nowhere"), 404, "not-found", None),
        (await host.post("/tables", {"game": "chess"}), 404, "unknown-game", None),
        (await host.post("/tables", {"game": AXES, "players": 9}), 400, "bad-setup", None),
        (await host.post("/tables", {"game": AXES, "bots": ["hal"]}), 400, "unknown-bot", None),
        (await host.post("/tables", {"game": AXES, "players": 2, "bots": ["thrall"] * 2}), 400, "bad-setup", None),
        (await host.post("/tables", {"game": HOARD, "options": {"hand": "none"}}), 400, "bad-setup", None),
        (await host.post("/tables", {"game": HOARD, "options": {"hand": ["few"]}}), 400, "bad-setup", None),
    ):
        assert answer.headers["content-type"] == "application/json"
        told = answer.json()
        assert (answer.status_code, told["error"], told["rule"], told["status"]) == (status, error, rule, status), told
        assert told["reason"]


@pytest.mark.parametrize(
    "body",
    [
        "",
        "{",
        "[]",
        "null",
        '{"game": 1}',
        '{"game": "hoard", "cheat": 1}',
        '{"game": "hoard", "players": "two"}',
        '{"game": "\\ud800"}',
    ],
)
async def test_a_body_that_does_not_fit_is_refused(hall: OpenHall, body: str) -> None:
    program = await hall.program()
    answer = await program.http.post("/api/v1/tables", content=body, headers={"Content-Type": "application/json"})
    assert answer.status_code in (400, 404)
    assert answer.json()["error"] in ("bad-request", "unknown-game")


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/guests", b'{"name": "\xff"}'),
        ("/tables", b'{"game": "\xff"}'),
        ("/tables", b'{"\xff": 1}'),
        ("/tables/{id}/actions", b'{"action": "\xff"}'),
        ("/tables/{id}/actions", b"\xff\xfe{\x00}\x00"),
    ],
)
async def test_a_body_that_is_not_utf_8_is_refused(hall: OpenHall, path: str, body: bytes) -> None:
    host, _, table = await hall.two_programs()
    answer = await host.http.post(f"/api/v1{path.format(id=table)}", content=body, headers={"Content-Type": "application/json"})
    assert (answer.status_code, answer.json()["error"]) == (400, "bad-request"), answer.text


async def test_a_deeply_nested_body_is_refused(hall: OpenHall) -> None:
    host, _, table = await hall.two_programs()
    deep = '{"action": ' + "[" * 20_000 + "]" * 20_000 + "}"
    answer = await host.http.post(f"/api/v1/tables/{table}/actions", content=deep, headers={"Content-Type": "application/json"})
    assert answer.status_code == 400


async def test_a_body_that_repeats_a_name_is_refused(hall: OpenHall) -> None:
    program = await hall.program()
    body = '{"game": "hoard", "players": 2, "options": {}, "players": 3}'
    answer = await program.http.post("/api/v1/tables", content=body, headers={"Content-Type": "application/json"})
    assert (answer.status_code, answer.json()["reason"]) == (400, "the name 'players' occurs twice in one object")
    names = "".join(f'"{number}": 1, ' for number in range(9000))
    many = "{" + names + '"game": 1, "game": 2}'
    before = time.perf_counter()
    answer = await program.http.post("/api/v1/tables", content=many, headers={"Content-Type": "application/json"})
    assert (answer.status_code, "occurs twice" in answer.json()["reason"]) == (400, True)
    assert time.perf_counter() - before < 0.5
    digits = '{"game": "hoard", "players": ' + "9" * 5000 + "}"
    answer = await program.http.post("/api/v1/tables", content=digits, headers={"Content-Type": "application/json"})
    assert answer.status_code == 400
    nested = '{"game": "hoard", "options": {"hand": "few", "hand": "many"}}'
    answer = await program.http.post("/api/v1/tables", content=nested, headers={"Content-Type": "application/json"})
    assert answer.status_code == 400


async def test_pages_of_other_sites_may_use_the_api_with_a_token_only(hall: OpenHall) -> None:
    program = await hall.program()
    origin = {"Origin": "https://elsewhere.test"}
    asking = {"Access-Control-Request-Method": "DELETE", "Access-Control-Request-Headers": "authorization,content-type"}
    preflight = await program.http.options("/api/v1/tables", headers=origin | asking)
    assert preflight.status_code == 204
    assert preflight.headers["access-control-allow-origin"] == "*"
    assert "authorization" in preflight.headers["access-control-allow-headers"].lower()
    methods = {method for route in hall.app.routes if route.path.startswith("/api/v1") for method in route.methods}
    assert set(preflight.headers["access-control-allow-methods"].split(", ")) == (methods | {"HEAD"}) - {"OPTIONS"}
    for path in ("/api/v1/games", "/api/v1/tables/nowhere", "/api/nowhere"):
        answer = await program.http.get(path, headers=origin)
        assert answer.headers["access-control-allow-origin"] == "*"
        assert "access-control-allow-credentials" not in answer.headers
        assert "retry-after" in answer.headers["access-control-expose-headers"].lower()
    for path in ("/", "/settings", "/health", "/apis"):
        assert "access-control-allow-origin" not in (await program.http.get(path, headers=origin)).headers


@pytest.mark.parametrize("name", ["", "x" * 41, 7, None])
async def test_a_guest_needs_a_name(hall: OpenHall, name: Any) -> None:
    assert (await hall.person().http.post("/api/v1/guests", json={"name": name})).status_code == 400


async def test_events_are_streamed_each_action_once(hall: OpenHall) -> None:
    host, friend, table = await hall.two_programs()
    await host.act(table, BOAST)
    async with stream(friend, f"/api/v1/tables/{table}/events") as live:
        assert live.headers["content-type"].startswith("text/event-stream")
        actions: list[dict[str, Any]] = []
        tables: list[dict[str, Any]] = []
        undone: list[list[int]] = []

        async def read_up_to(n: int) -> None:
            while not tables or tables[-1]["view"]["next"] <= n:
                name, data = await live.event()
                if name == "undo":
                    undone.append(data["actions"])
                else:
                    (actions if name == "action" else tables).append(data)

        await read_up_to(1)
        await host.post(f"/tables/{table}/undo")
        for n, (program, action) in enumerate([(host, LOOK), (host, DRAW), (friend, DRAW)], 2):
            await program.act(table, action)
            await read_up_to(n)
    assert [action["n"] for action in actions] == [1, 2, 3, 4]
    assert undone == [[1]]
    assert actions[1:] == (await friend.read(f"/tables/{table}/record")).json()["actions"], (
        "the stream must equal the record of the same viewer"
    )
    async with stream(friend, f"/api/v1/tables/{table}/events?after=3") as again:
        assert await again.event() == ("undo", {"actions": [1]})
        name, data = await again.event()
        assert (name, data["n"]) == ("action", 4), "earlier actions must not be repeated"


async def test_a_client_that_reconnects_is_told_what_was_undone_meanwhile(hall: OpenHall) -> None:
    host, friend, table = await hall.two_programs()
    await host.act(table, BOAST)
    await host.post(f"/tables/{table}/undo")
    await host.act(table, BOAST)
    async with stream(friend, f"/api/v1/tables/{table}/events?after=1") as live:
        assert await live.event() == ("undo", {"actions": [1]})
        name, data = await live.event()
        assert (name, data["n"]) == ("action", 2)
        assert (await live.event())[0] == "table"
        await host.post(f"/tables/{table}/undo")
        assert await live.event() == ("undo", {"actions": [2]})


async def test_a_client_that_knows_what_never_happened_here_is_told_to_reload(hall: OpenHall) -> None:
    host, friend, table = await hall.two_programs()
    await host.act(table, BOAST)
    async with stream(friend, f"/api/v1/tables/{table}/events?after=2") as live:
        assert await live.event() == ("reload", {})
        name, data = await live.event()
        assert (name, data["n"]) == ("action", 1)
    waiting = (await host.open(game=HOARD, players=2))["id"]
    async with stream(host, f"/api/v1/tables/{waiting}/events?after=1") as live:
        assert await live.event() == ("reload", {})
        assert (await live.event())[0] == "table"


async def test_a_client_whose_seat_changes_is_told_to_reload(hall: OpenHall) -> None:
    """A spectator who gets the seat of another device may know more of the actions so far."""
    host, _, table = await hall.two_programs()
    await host.act(table, LOOK)
    newcomer = await hall.program("Phone")
    room = await hall.room(table)
    async with stream(newcomer, f"/api/v1/tables/{table}/events") as live:
        assert [(await live.event())[0] for _ in range(2)] == ["action", "table"]
        (id,) = room.channel.guests()
        room.change(match_changes.carry_seat, 0, Guest(id, "Phone"))
        assert [(await live.event())[0] for _ in range(3)] == ["reload", "action", "table"]


async def test_a_client_that_reconnects_gets_the_events_after_its_last_one(hall: OpenHall) -> None:
    host, _, table = await hall.two_programs()
    for action in (LOOK, BOAST):
        await host.act(table, action)

    async def first(path: str) -> int:
        async with stream(host, path) as live:
            name, data = await live.event()
            assert name == "action"
            number: int = data["n"]
            return number

    events = f"/api/v1/tables/{table}/events"
    assert await first(events) == 1
    host.http.headers["Last-Event-ID"] = "1"
    assert await first(events) == 2
    assert await first(f"{events}?after=0") == 1, "the parameter takes precedence"
    host.http.headers["Last-Event-ID"] = "one"
    assert (await host.http.get(events)).status_code == 400


@pytest.mark.asyncio
async def test_a_stream_without_events_sends_heartbeats(hall: OpenHall, time: ManualTime) -> None:
    host, _, table = await hall.two_programs()
    async with stream(host, f"/api/v1/tables/{table}/events") as live:
        await settled()
        while live.waiting:
            await live.message()
        await time.advance(event_stream.HEARTBEAT_INTERVAL)
        assert await live.message() == ": still here"


# ------------------------------------------------------------------------------------------------------------------- as described


async def described(hall: OpenHall) -> Described:
    answer = await hall.person().get("/schema/openapi.json")
    assert answer.status_code == 200
    return Described(answer.text)


async def test_openapi_describes_the_api_and_nothing_else(hall: OpenHall) -> None:
    document = await described(hall)
    routes = {route.path.replace(":str", "") for route in hall.app.routes if route.path.startswith("/api")}
    assert {path for _method, path, _operation in document.operations()} == routes
    assert all(operation["description"] for _method, _path, operation in document.operations())


async def test_the_document_is_valid_and_names_every_operation_once_and_every_refusal_alike(hall: OpenHall) -> None:
    document = await described(hall)
    openapi_spec_validator.validate(document.document)
    operations = [(path, operation) for _method, path, operation in document.operations()]
    assert all(path.startswith("/api/v1/") for path, _operation in operations)
    refusals = [
        (path, status, answer["content"]["application/json"]["schema"])
        for path, operation in operations
        for status, answer in operation["responses"].items()
        if status >= "400"
    ]
    refusal = {"$ref": "#/components/schemas/RefusalInfo"}
    assert [(path, status) for path, status, schema in refusals if schema != refusal] == []


async def test_a_client_generated_from_the_document_plays_a_whole_match(
    hall: OpenHall, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    document, package = tmp_path / "openapi.json", tmp_path / "client_of_the_hall"
    document.write_text((await hall.person().get("/schema/openapi.json")).text, "utf-8")
    chosen = ConfigFile(post_hooks=[])
    faults = generate(config=Config.from_sources(chosen, MetaType.NONE, document, "utf-8", overwrite=True, output_path=package))
    assert list(faults) == []
    monkeypatch.syspath_prepend(tmp_path)

    def function(name: str) -> Any:
        return import_module(f"{package.name}.api.hall.{name}").asyncio

    def body(kind: str, /, **values: Any) -> Any:
        return getattr(import_module(f"{package.name}.models"), kind)(**values)

    async def program(name: str) -> Any:
        guest = await function("new_guest")(client=client, body=body("NewGuest", name=name))
        return client.set_async_httpx_client(Program(hall.app, Authorization=f"Bearer {guest.token}").http)

    client: Any = import_module(package.name).Client("http://hall.test").set_async_httpx_client(hall.person().http)
    host, friend = [copy(await program(name)) for name in ("Ada", "Björn")]
    table = await function("new_table")(client=host, body=body("NewTable", game=HOARD, players=2))
    await function("join_table")(table.id, client=friend, body=body("JoinTable"))
    table = await function("start_match")(table.id, client=host)
    while table.status == "running":
        player = (host, friend)[table.view["actor"]]
        first, *_ = await function("legal_actions")(table.id, client=player)
        action = body("NewAction", action=first.action, n=table.view["next"])
        table = await function("play_action")(table.id, client=player, body=action)
    record = await function("show_record")(table.id, client=host)
    assert meadhall.replay(record.to_dict()).over


async def test_a_token_is_needed_where_the_document_says_so(hall: OpenHall) -> None:
    document = await described(hall)
    assert document.document["components"]["securitySchemes"]["token"].items() >= {"type": "http", "scheme": "bearer"}.items()
    bodies = {"/api/v1/guests": {"name": "Ada"}, "/api/v1/tables": {"game": HOARD}, "/api/v1/tables/{id}/actions": {"action": 0}}
    for method, path, operation in document.operations():
        needed = operation.get("security") == [{"token": []}]
        for body in (json.dumps(bodies.get(path, {})), "{", '{"no": "such field"}'):
            answer = await hall.person().http.request(method, path.replace("{id}", "nowhere"), content=body)
            assert (answer.status_code == 401) == needed, (path, body)


def fail(*_: object) -> None:
    raise RuntimeError("the wiring")


async def replace_for_a_while(hall: OpenHall, table: str, host: Program, friend: Program, stranger: Program) -> None:
    """Let a bot play for a player who is away, and let that player return."""
    room = await hall.room(table)
    for program in (stranger, host):  # refused: the player is here
        await program.post(f"/tables/{table}/stand-in", {"seat": 1})
    room.visits.last.clear()
    room.publish()
    await host.post(f"/tables/{table}/stand-in", {"seat": 1})
    await host.post(f"/tables/{table}/resume")
    await friend.post(f"/tables/{table}/return")


async def send_every_request(hall: OpenHall, host: Program, friend: Program, stranger: Program) -> str:
    """Send every kind of request, also many that are refused. Return the table of a finished match."""
    await host.http.post("/api/v1/guests", json={"name": "Ada"})
    await host.read("/games")
    for path in (f"/games/{AXES}/rules", "/games/chess/rules"):
        await host.read(path)
    await host.read("/tables")
    await host.read("/tables/open?limit=0")
    await host.read("/tables/open")
    await host.read("/quick-match")
    for wanted in ({"game": HOARD, "players": 3}, {"game": HOARD, "players": 9}, {"game": "chess"}, {"game": "x" * BODY_LIMIT}):
        await host.post("/quick-match", wanted)
    await host.read("/quick-match")
    await host.http.delete("/api/v1/quick-match")
    alone = (await host.open(game=HOARD, bots=["thrall"]))["id"]
    await host.post(f"/tables/{alone}/resign")
    table = (await host.open(game=HOARD, players=2))["id"]
    for path in ("join", "leave", "join", "ready"):
        await friend.post(f"/tables/{table}/{path}")
    await host.post(f"/tables/{(await host.open(game=HOARD, players=2))['id']}/close")
    await host.read(f"/tables/{table}/record")
    await host.post(f"/tables/{table}/clock", {"kind": "seat"})
    await host.post(f"/tables/{table}/start")
    await host.post(f"/tables/{table}/hint")
    await talk(host, friend, stranger, table)
    tried = ((host, LOOK, 1), (host, LOOK, 2), (host, "x", 2), (friend, DRAW, 2), (host, DRAW, 1), (host, BOAST, 2))
    for program, action, n in tried:
        await program.act(table, action, n)
    await host.post(f"/tables/{table}/undo")
    for program, intended in ((friend, DRAW), (friend, None), (friend, "x"), (host, 99), (stranger, DRAW)):
        await program.post(f"/tables/{table}/ahead", {"action": intended})
    await replace_for_a_while(hall, table, host, friend, stranger)
    for what in ("take-back", "give-up", "peace"):
        await host.post(f"/tables/{table}/proposals", {"what": what})
    await host.post(f"/tables/{table}/proposals", {"what": "draw"})
    proposal = (await host.read(f"/tables/{table}")).json()["proposal"]["number"]
    for program, answer in ((stranger, "agree"), (host, "withdraw"), (friend, "decline"), (friend, "x" * BODY_LIMIT)):
        await program.post(f"/tables/{table}/vote", {"proposal": proposal, "answer": answer})
    for program in (host, friend, stranger):
        for path in ("", "/legal", "/record"):
            await program.read(f"/tables/{table}{path}")
    await stranger.post(f"/tables/{table}/clock", {"kind": "none"})
    await host.post("/tables", {"game": HOARD, "clock": {"kind": "hourglass"}})
    for path in ("join", "leave", "ready", "close", "start", "undo", "resign", "return", "resume", "skip", "hint"):
        await stranger.post(f"/tables/{table}/{path}")
        await stranger.post(f"/tables/nowhere/{path}")
    await host.read(f"/tables/{table}/events?after=x")
    while (info := (await host.read(f"/tables/{table}")).json())["view"]["actor"] is not None:
        actor = (host, friend)[info["view"]["actor"]]
        await actor.act(table, (await actor.read(f"/tables/{table}/legal")).json()[0]["action"])
    await friend.post(f"/tables/{table}/resign")
    await host.post("/tables", {"game": "chess"})
    await host.post("/tables", {"game": HOARD, "players": 9})
    await host.post("/tables", {"game": HOARD, "options": {"hand": "x" * DOCUMENT_LIMIT}})
    await host.post(f"/tables/{table}/actions", {"action": "x" * BODY_LIMIT})
    return str(table)


async def talk(host: Program, friend: Program, stranger: Program, table: str) -> None:
    """Talk at a table."""
    for program in (host, friend, stranger):
        for line in ({"text": "Skal!"}, {"phrase": "game"}, {"text": "", "phrase": "rude"}, {"text": "x" * BODY_LIMIT}):
            await program.post(f"/tables/{table}/chat", line)
        for key in ("skal", "rude", "x" * BODY_LIMIT, "laugh", "wow", "oops"):
            await program.post(f"/tables/{table}/chat", {"reaction": key})
        await program.post(f"/tables/{table}/chat/people", {"set": "mute", "seat": 1})
        await program.post(f"/tables/{table}/chat/close")
        await program.post(f"/tables/{table}/chat/open")
        await program.read(f"/tables/{table}/chat")
    await host.read(f"/tables/{table}/chat?before=nothing")


async def cause_rare_refusals(hall: OpenHall, host: Program, table: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Cause rare refusals: an internal error, too many tables, a game that is not ready, other rules, a token of another hall."""
    with monkeypatch.context() as patch:
        patch.setattr(Room, "change", fail)
        await host.post(f"/tables/{table}/undo")
        patch.setitem(hall.hall.switches.values, "tables_per_guest", "0")
        await host.post("/tables", {"game": HOARD})
        patch.setattr(hall.hall.ready, "delayed", {HOARD})
        await host.post("/tables", {"game": HOARD})
    row = (await hall.room(table)).table
    seats = tuple(replace(seat, link_token=f"{seat.link_token}-of-old") for seat in row.seats)
    hall.store.add_table(replace(row, id="old", rules=0, seats=seats))
    await host.read("/tables/old")
    host.http.headers["Authorization"] = "Bearer forged"
    await host.read(f"/tables/{table}")


async def sign_in(hall: OpenHall, program: Program) -> None:
    """Sign in to an account of a person."""
    secret = {"name": "Sigrid", "password": "correct horse battery"}
    await hall.person().post("/account/new", secret)
    await program.post("/sessions", secret)
    await program.post("/sessions", {"name": "Sigrid", "password": "wrong"})


@pytest.mark.asyncio
async def test_every_response_is_as_described(hall: OpenHall, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(presence, "LIVE_LIMIT", timedelta(0))
    document = await described(hall)
    answers: list[httpx.Response] = []

    async def keep(answer: httpx.Response) -> None:
        await answer.aread()
        answers.append(answer)

    host, friend, stranger = programs = [await hall.program() for _ in range(3)]
    for program in programs:
        program.http.event_hooks["response"].append(keep)
    table = await send_every_request(hall, host, friend, stranger)
    await sign_in(hall, stranger)
    report = (await friend.post("/balance", {"game": AXES, "players": [2], "depth": "quick"})).json()["id"]
    await friend.read(f"/balance/{report}")
    await friend.http.delete(f"/api/v1/balance/{report}")
    await cause_rare_refusals(hall, host, table, monkeypatch)

    for answer in answers:
        document.check_answer(answer)
    assert {answer.status_code for answer in answers} == {
        200,
        201,
        202,
        204,
        400,
        401,
        403,
        404,
        409,
        410,
        413,
        422,
        429,
        500,
        503,
    }
    done = [document.operation(answer.request) for answer in answers if answer.is_success]
    described_here = [(path, operation) for _, path, operation in document.operations()]
    elsewhere = {"/api/v1/tables/{id}/events", "/api/v1/tables/{id}/skip"}  # test_out skips to the end
    assert {path for path, operation in described_here if operation not in done} == elsewhere


@pytest.mark.parametrize(
    ("path", "body", "fits"),
    [
        ("/api/v1/guests", {"name": "Ada"}, True),
        ("/api/v1/guests", {"name": 7}, False),
        ("/api/v1/guests", {"name": ""}, False),
        ("/api/v1/guests", {"name": "x" * 41}, False),
        ("/api/v1/guests", {"name": "Ada", "age": 36}, False),
        ("/api/v1/guests", [], False),
        ("/api/v1/tables", {"game": HOARD, "players": 2}, True),
        ("/api/v1/tables", {"game": HOARD, "players": 2.0}, False),
        ("/api/v1/tables", {"game": HOARD, "players": None}, True),
        ("/api/v1/tables", {"game": HOARD, "players": "2"}, False),
        ("/api/v1/tables", {"game": HOARD, "players": 2.5}, False),
        ("/api/v1/tables", {"game": HOARD, "players": True}, False),
        ("/api/v1/tables", {"game": HOARD, "public": "true"}, False),
        ("/api/v1/tables", {"game": HOARD, "public": 1}, False),
        ("/api/v1/tables", {"game": HOARD, "bots": "thrall"}, False),
        ("/api/v1/tables", {"game": HOARD, "bots": [1]}, False),
        ("/api/v1/tables", {"game": HOARD, "options": []}, False),
        ("/api/v1/tables", {"game": 1}, False),
        ("/api/v1/tables", {"game": HOARD, "cheat": 1}, False),
        ("/api/v1/tables", {}, False),
        ("/api/v1/tables/{id}/join", {"seat": "1"}, False),
        ("/api/v1/tables/{id}/join", {"seat": 1, "now": True}, False),
        ("/api/v1/tables/{id}/join", {"seat": 1}, True),
        ("/api/v1/tables/{id}/actions", {"action": BOAST, "n": 1}, True),
        ("/api/v1/tables/{id}/actions", {"action": BOAST, "n": "1"}, False),
        ("/api/v1/tables/{id}/actions", {"action": str(BOAST)}, False),
        ("/api/v1/tables/{id}/actions", {"action": None}, False),
        ("/api/v1/tables/{id}/actions", {"action": BOAST, "why": "glory"}, False),
        ("/api/v1/tables/{id}/actions", {"n": 1}, False),
    ],
)
async def test_a_body_is_accepted_if_it_is_as_described(hall: OpenHall, path: str, body: Any, fits: bool) -> None:
    host = await hall.program()
    table = (await host.open(game=HOARD, players=2))["id"]
    program = await hall.program()
    if path.endswith("actions"):
        await program.post(f"/tables/{table}/join")
        await host.post(f"/tables/{table}/start")
        program = host
    assert (await described(hall)).fits(path, body) == fits
    answer = await program.http.post(path.format(id=table), json=body)
    assert answer.is_success == fits, answer.text
    assert fits or answer.status_code == 400


async def test_a_stream_says_first_when_to_open_it_again(hall: OpenHall) -> None:
    _host, _friend, room = await hall.two_at()
    program, waits = await hall.program(), set()
    for _ in range(5):
        async with stream(program, f"/api/v1/tables/{room.table.id}/events") as events:
            name, _, milliseconds = (await events.message() or "").partition(": ")
            assert name == "retry"
            waits.add(int(milliseconds))
    assert len(waits) > 1
    assert min(waits) >= 350
    assert max(waits) <= 650


async def test_streams_that_share_events_tell_each_viewer_what_it_may_know(hall: OpenHall) -> None:
    host, friend, room = await hall.two_at(HOARD)
    people, viewers = {0: host, 1: friend}, (None, 0, 1)
    guests = [Guest("x", "Spectator"), *(Guest(next(iter(row.guests)), row.name) for row in room.table.seats)]
    streams = [TableEvents(room, guest, Outside(BASE), 0) for guest in guests]
    match, known, private = match_of(room), 0, 0
    while not match.over and known < 12:
        assert match.actor is not None
        legal = [each.action for each in match.legal()]
        await people[match.actor].act(room.table.id, LOOK if LOOK in legal else legal[0], match.next_number)
        match = match_of(room)
        for viewer, events in zip(viewers, streams, strict=True):
            data = [json.loads(event.partition(b"data: ")[2]) for event in events.news()]
            assert data[:-1] == match.recorded(viewer, after=known)
            assert data[-1]["view"] == json.loads(json.dumps(match.view(viewer).to_dict()))
        private += any(event.audience >= 0 for event in match.steps[-1].events)
        known = match.steps[-1].n
    assert private, "the match has shown the sharing of events that some viewers may not know"
