"""The hall for programs: JSON in, JSON out, refusals by name, a stream of events, and a description of all that."""

from __future__ import annotations

import json
from typing import Any

import pytest

import meadhall
from games_for_tests.hoard.rules import BOAST, DRAW, LOOK
from meadhall.server.routes import api
from server.people import AXES, HOARD, OpenHall, Program, stream

pytestmark = pytest.mark.asyncio


async def two_programs(hall: OpenHall, game: str = HOARD) -> tuple[Program, Program, str]:
    host, friend = await hall.program("Ada"), await hall.program("Björn")
    table = (await host.open(game=game, players=2))["id"]
    assert (await friend.post(f"/tables/{table}/join")).json()["you"] == 1
    assert (await host.post(f"/tables/{table}/start")).json()["status"] == "running"
    return host, friend, table


async def test_the_games_are_listed_with_all_one_needs(hall: OpenHall) -> None:
    games = {game["name"]: game for game in (await hall.person().get("/api/games")).json()}
    assert games[AXES]["ready"]
    assert (games[AXES]["min_players"], games[AXES]["max_players"], games[AXES]["actions"]) == (2, 6, 12)
    assert games[AXES]["bots"] == ["thrall", "karl", "huscarl", "jarl", "king", "random", "greedy"]
    assert [option["name"] for option in games[HOARD]["options"]] == ["hand", "mode"]


async def test_a_program_plays_a_whole_match_and_reads_its_record(hall: OpenHall) -> None:
    host, friend, table = await two_programs(hall)
    info: dict[str, Any] = {"view": {"actor": 0}}
    while info["view"]["actor"] is not None:
        actor = (host, friend)[info["view"]["actor"]]
        legal = (await actor.read(f"/tables/{table}/legal")).json()
        shown = (await actor.read(f"/tables/{table}")).json()["view"]
        assert shown["legal"] == legal
        answer = await actor.act(table, legal[0]["action"], shown["next"])
        assert answer.status_code == 200
        info = answer.json()
    assert info["status"] == "over"
    record = (await host.read(f"/tables/{table}/record")).json()
    assert record["result"]["winners"] == info["result"]["winners"]
    assert meadhall.replay(record).over


async def test_with_bots_on_all_other_seats_the_match_begins_at_once(hall: OpenHall) -> None:
    program = await hall.program()
    info = await program.open(game=HOARD, bots=["random", "greedy"], options={"hand": "many"})
    assert info["status"] == "running"
    assert [seat["kind"] for seat in info["seats"]] == ["human", "bot", "bot"]
    assert info["options"] == {"hand": "many", "mode": "rivals"}
    assert len(info["commitment"]) == 64


async def test_an_undo_and_a_resignation(hall: OpenHall) -> None:
    host, friend, table = await two_programs(hall)
    await host.act(table, BOAST)
    assert (await host.post(f"/tables/{table}/undo")).json()["view"]["next"] == 2
    assert (await host.post(f"/tables/{table}/undo")).status_code == 409
    info = (await host.post(f"/tables/{table}/resign")).json()
    assert (info["you"], info["seats"][0]["kind"]) == (None, "bot")
    assert (await friend.post(f"/tables/{table}/resign")).json()["status"] == "abandoned"


async def test_a_hint(hall: OpenHall) -> None:
    host, friend, table = await two_programs(hall)
    legal = (await host.read(f"/tables/{table}/legal")).json()
    given = (await host.post(f"/tables/{table}/hint")).json()
    assert 1 <= len(given) <= 3
    assert all(set(hint) == {"action", "text", "chance", "sure"} for hint in given)
    assert all({"action": hint["action"], "text": hint["text"]} in legal for hint in given)
    assert (await host.post(f"/tables/{table}/hint")).json() == given
    assert (await friend.post(f"/tables/{table}/hint")).json()["error"] == "wrong-moment"
    assert (await (await hall.program()).post(f"/tables/{table}/hint")).json()["error"] == "not-your-seat"
    await host.act(table, given[0]["action"])
    record = (await friend.read(f"/tables/{table}/record")).json()
    assert record["actions"][0]["hinted"] is True, "everybody may know"


@pytest.mark.parametrize("action", ["0", None, 1.5, True, [1], {"a": 1}, "x", 10**30, -1])
async def test_what_is_no_action_is_malformed(hall: OpenHall, action: Any) -> None:
    host, _, table = await two_programs(hall)
    answer = await host.act(table, action)
    assert (answer.status_code, answer.json()["error"]) == (400, "malformed")


async def test_every_refusal_has_a_name_a_reason_and_a_rule(hall: OpenHall) -> None:
    host, friend, table = await two_programs(hall)
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
        (await host.post("/tables", {"game": AXES, "players": 2, "bots": ["random"] * 2}), 400, "bad-setup", None),
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
    answer = await program.http.post("/api/tables", content=body, headers={"Content-Type": "application/json"})
    assert answer.status_code in (400, 404)
    assert answer.json()["error"] in ("bad-request", "unknown-game")


async def test_a_body_nested_without_end_is_refused(hall: OpenHall) -> None:
    host, _, table = await two_programs(hall)
    deep = '{"action": ' + "[" * 20_000 + "]" * 20_000 + "}"
    answer = await host.http.post(f"/api/tables/{table}/actions", content=deep, headers={"Content-Type": "application/json"})
    assert answer.status_code == 400


@pytest.mark.parametrize("name", ["", "x" * 41, 7, None])
async def test_a_guest_needs_a_name(hall: OpenHall, name: Any) -> None:
    assert (await hall.person().http.post("/api/guests", json={"name": name})).status_code == 400


async def test_events_are_streamed_each_action_once(hall: OpenHall) -> None:
    host, friend, table = await two_programs(hall)
    await host.act(table, BOAST)
    async with stream(friend, f"/api/tables/{table}/events") as live:
        assert live.headers["content-type"].startswith("text/event-stream")
        actions: list[int] = []
        tables: list[dict[str, Any]] = []

        async def read_up_to(n: int) -> None:
            while not tables or tables[-1]["view"]["next"] <= n:
                name, data = await live.event()
                (actions.append(data["n"]) if name == "action" else tables.append(data))

        await read_up_to(1)
        await host.post(f"/tables/{table}/undo")
        for n, (program, action) in enumerate([(host, LOOK), (host, DRAW), (friend, DRAW)], 2):
            await program.act(table, action)
            await read_up_to(n)
    assert actions == [1, 2, 3, 4]
    async with stream(friend, f"/api/tables/{table}/events?after=3") as again:
        name, data = await again.event()
        assert (name, data["n"]) == ("action", 4), "what was told before is not told again"


async def test_a_quiet_stream_says_that_it_is_still_there(hall: OpenHall, monkeypatch: pytest.MonkeyPatch) -> None:
    host, _, table = await two_programs(hall)
    monkeypatch.setattr(api, "_PATIENCE", 0.01)
    async with stream(host, f"/api/tables/{table}/events") as live:
        messages = [await live.message() for _ in range(3)]
        assert messages[-1] == ": still here"


async def test_openapi_describes_the_api_and_nothing_else(hall: OpenHall) -> None:
    answer = await hall.person().get("/schema/openapi.json")
    assert answer.status_code == 200
    described = json.loads(answer.text)
    paths = set(described["paths"])
    routes = {route.path.replace(":str", "") for route in hall.app.routes if route.path.startswith("/api")}
    assert paths == routes
    for path in described["paths"].values():
        for operation in path.values():
            assert operation["description"]
