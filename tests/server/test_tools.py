"""The tools for language models, at a hall in this process."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

import httpx2
import pytest
from fastmcp import Client

from language_models.mcp_players import AXES, play, refused, use
from meadhall.engine.registry import game
from meadhall.engine.rulebook import rule_ids, rulebook_text
from meadhall.mcp.tools import Sender, tools
from server.people import BASE, OpenHall

pytestmark = pytest.mark.asyncio(loop_scope="module")


@asynccontextmanager
async def player(hall: OpenHall, name: str = "Ada", token: str = "") -> AsyncIterator[Client[Any]]:
    """Connect a client to tools that play in the hall, as a new guest unless a token is given."""
    token = token or (await hall.program(name)).http.headers["Authorization"].removeprefix("Bearer ")
    transport: Any = httpx2.ASGITransport(hall.app)  # type: ignore[arg-type]
    async with httpx2.AsyncClient(transport=transport, base_url=BASE, params={"words": "true"}, auth=Sender(token)) as sender:
        document = (await sender.get("/schema/openapi.json")).json()
        async with Client(tools(document, sender)) as client:
            vars(client)["call_tool"] = partial(client.call_tool, raise_on_error=False)  # as the client of the SDK
            yield client


async def test_every_tool_says_what_it_does_and_what_a_table_is(hall: OpenHall) -> None:
    async with player(hall) as client:
        found = {each.name: each for each in await client.list_tools()}
    assert all(each.description and each.output_schema for each in found.values())
    assert "table" in found["act"].input_schema["properties"]["id"]["description"]
    assert "bots" in str(found["open_table"].description)
    assert not {"words", "Idempotency-Key"} & {name for each in found.values() for name in each.input_schema["properties"]}


async def test_a_model_reads_the_rules_and_a_table_as_text(hall: OpenHall) -> None:
    async with player(hall) as client:
        assert (await use(client, "read_rules", name=AXES))["rules"] == rulebook_text(game(AXES))
        one = rule_ids(game(AXES))[3]
        assert (await use(client, "read_rules", name=AXES, rule=one.lower()))["rules"].startswith(one)
        assert one in await refused(client, "read_rules", name=AXES, rule="AA-99")
        answer = await client.call_tool("open_table", {"game": "axxa", "players": 1})
        view, text = answer.structured_content["view"], answer.content[0].text  # type: ignore[index, union-attr]
        for words in (view["board"], view["prompt"], f"{view['legal'][0]['action']}: {view['legal'][0]['text']}"):
            assert words in text


async def test_two_models_play_each_other(hall: OpenHall) -> None:
    async with player(hall, "Ada") as ada, player(hall, "Bo") as bo:
        opened = await use(ada, "open_table", game=AXES, players=2, public=True)
        assert opened["status"] == "gathering"
        assert opened["id"] in [table["id"] for table in await use(bo, "list_open_tables")]
        assert (await use(bo, "take_seat", id=opened["id"]))["you"] == 1
        assert (await use(ada, "start_match", id=opened["id"]))["status"] == "running"
        ends = await asyncio.gather(play(ada, opened["id"]), play(bo, opened["id"]))
        assert [end["status"] for end in ends] == ["over", "over"]


async def test_a_wrong_token_is_said_in_words(hall: OpenHall) -> None:
    async with player(hall, token="nonsense") as client:  # noqa: S106
        assert "token" in await refused(client, "list_tables")
