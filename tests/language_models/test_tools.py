"""The tools, asked in this process: what they tell, what they refuse, and that nothing hidden leaks."""

from __future__ import annotations

import re
from random import Random
from typing import Any

import pytest
from mcp import Client

from language_models.mcp_players import MATCHES, check_end, play, refused, use
from meadhall.cli.mcp import NoModelContextProtocol, address, serve_tools
from meadhall.engine.errors import MeadhallError, how_to_install
from meadhall.engine.laws.knowledge import redealt
from meadhall.engine.registry import game
from meadhall.engine.rulebook import rule_ids, rulebook_text
from meadhall.lab.balance.tasks import SIZES
from meadhall.mcp import local
from meadhall.mcp.local import LocalTables
from meadhall.mcp.server import build
from meadhall.mcp.tables import answer_of

pytestmark = pytest.mark.asyncio

AXES = "axes-and-allies"


async def test_every_tool_describes_itself_and_its_result() -> None:
    async with Client(build(LocalTables("Ada"))) as client:
        for tool in (await client.list_tools()).tools:
            assert tool.description
            assert tool.output_schema
            for about in tool.input_schema["properties"].values():
                assert about["description"], tool.name


async def test_rulebooks_are_resources_and_a_tool() -> None:
    async with Client(build(LocalTables("Ada"))) as client:
        addresses = {str(each.uri) for each in (await client.list_resources()).resources}
        assert f"meadhall://rules/{AXES}" in addresses
        (content,) = (await client.read_resource(f"meadhall://rules/{AXES}")).contents
        assert content.text == rulebook_text(game(AXES))  # type: ignore[union-attr]
        assert (await use(client, "read_rules", game=AXES))["rules"] == rulebook_text(game(AXES))
        one = rule_ids(game(AXES))[3]
        assert (await use(client, "read_rules", game=AXES, rule=one.lower()))["rules"].startswith(one)
        assert one in await refused(client, "read_rules", game=AXES, rule="AA-99")
        assert AXES in await refused(client, "read_rules", game="chess")


async def test_a_model_can_measure_how_a_game_plays(monkeypatch: pytest.MonkeyPatch) -> None:
    for task in SIZES:
        monkeypatch.setitem(SIZES, task, 1)
    async with Client(build(LocalTables("Ada"))) as client:
        found = await use(client, "balance", game=AXES, players=2, seconds=0.1)
        assert found["report"]["cells"][0]["figures"]["place.1"]["games"] >= 4
        assert any("turns" in line for line in found["headlines"])
        assert "no option" in await refused(client, "balance", game=AXES, players=2, vary="variant")


@pytest.mark.parametrize(("name", "setup"), MATCHES, ids=[name for name, _setup in MATCHES])
async def test_what_is_hidden_never_changes_an_answer(name: str, setup: dict[str, Any]) -> None:
    tables = LocalTables("Ada")
    position = await tables.open(name, setup["players"], setup["bots"], 0, setup.get("options", {}), False)
    table = tables._tables[position.table.table]
    choices = Random(1)
    for _decision in range(8):
        if table.match.over:
            break
        known = await tables.look(table.id, tell=False)
        true, assumed = table.match, table.match.view(0)
        table.match = true.supposing(redealt(true.game, assumed.states, 0, choices))
        assert answer_of(await tables.look(table.id, tell=False)) == answer_of(known)
        table.match = true
        await tables.act(table.id, choices.choice(true.view(0).legal), None)


async def test_a_whole_match_of_every_game() -> None:
    explained: dict[str, str] = {}
    async with Client(build(LocalTables("Ada"))) as client:
        listed = {each["game"]: each for each in (await use(client, "list_games"))["games"]}
        for name, setup in MATCHES:
            assert listed[name]["min_players"] <= setup["players"] <= listed[name]["max_players"]
            position, rules = await play(client, name, **setup)
            check_end(position, rules)
            explained |= rules  # a match may end before the first turn
    assert explained


async def test_an_action_is_a_number_words_or_a_short_form() -> None:
    async with Client(build(LocalTables("Ada"))) as client:
        position = await use(client, "open_table", game="axxa", players=1)
        table, chosen = position["table"], position["legal"][0]
        assert chosen["notation"]
        for given in (chosen["action"], str(chosen["action"]), chosen["text"], chosen["text"].upper(), chosen["notation"]):
            found = await use(client, "why_not", table=table, action=given)
            assert (found["legal"], found["action"]) == (True, chosen["action"])
        assert "No action is called" in await refused(client, "act", table=table, action="castle")
        assert (await use(client, "act", table=table, action=chosen["notation"]))["happened"]


async def test_what_happened_is_told_once_and_only_by_tools_that_tell_a_position() -> None:
    async with Client(build(LocalTables("Ada"))) as client:
        position = await use(client, "open_table", game=AXES, players=2, bots=["thrall"])
        table = position["table"]
        assert position["happened"]
        assert (await use(client, "look", table=table))["happened"] == []
        if position["your_turn"]:
            await refused(client, "act", table=table, action=999)
            await use(client, "legal_actions", table=table)
            acted = await use(client, "act", table=table, action=position["legal"][0]["action"])
            assert acted["happened"]
            assert (await use(client, "look", table=table))["happened"] == []


async def test_an_outdated_number_is_refused() -> None:
    async with Client(build(LocalTables("Ada"))) as client:
        position = await use(client, "open_table", game="axxa", players=1)
        action = position["legal"][0]["action"]
        words = await refused(client, "act", table=position["table"], action=action, number=position["next_number"] + 1)
        assert str(position["next_number"]) in words


async def test_after_resigning_the_match_is_over() -> None:
    async with Client(build(LocalTables("Ada"))) as client:
        table = (await use(client, "open_table", game="viking-axes"))["table"]  # bots can't win this before the first decision
        ended = await use(client, "resign", table=table)
        assert (ended["status"], ended["prompt"], ended["legal"]) == ("abandoned", "You have resigned.", [])
        assert "over" in await refused(client, "resign", table=table)
        assert "over" in (await use(client, "why_not", table=table, action=1))["reason"]


@pytest.mark.parametrize(
    ("setup", "words"),
    [
        ({"game": "chess"}, "chess"),
        ({"game": AXES, "players": 9}, "players"),
        ({"game": AXES, "bots": ["hal"]}, "hal"),
        ({"game": AXES, "players": 2, "bots": ["karl", "karl"]}, "too many"),
        ({"game": AXES, "options": {"colour": "red"}}, "colour"),
        ({"game": AXES, "open_seats": 1}, "hall"),
        ({"game": AXES, "public": True}, "hall"),
    ],
)
async def test_a_table_that_can_not_be_opened_says_why(setup: dict[str, Any], words: str) -> None:
    async with Client(build(LocalTables("Ada"))) as client:
        assert words in await refused(client, "open_table", **setup)
        assert (await use(client, "list_tables"))["yours"] == []


async def test_a_new_table_takes_the_place_of_a_finished_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local, "MAX_TABLES", 2)
    async with Client(build(LocalTables("Ada"))) as client:
        first, second = [(await use(client, "open_table", game=AXES))["table"] for _ in range(2)]
        if (await use(client, "look", table=first))["status"] == "running":
            if (await use(client, "look", table=second))["status"] == "running":
                assert "Finish or resign" in await refused(client, "open_table", game=AXES)
            await use(client, "resign", table=first)
        third = (await use(client, "open_table", game=AXES))["table"]
        assert [table["table"] for table in (await use(client, "list_tables"))["yours"]] == [second, third]


async def test_only_a_hall_has_seats_to_take() -> None:
    async with Client(build(LocalTables("Ada"))) as client:
        table = (await use(client, "open_table", game=AXES))["table"]
        assert "Without a hall" in await refused(client, "take_seat", table=table)
        assert "Without a hall" in await refused(client, "start_match", table=table)


async def test_a_match_against_searching_bots_ends() -> None:
    async with Client(build(LocalTables("Ada"))) as client:
        position, _rules = await play(client, AXES, players=2, bots=["huscarl"])
        assert position["status"] == "over"


async def test_addresses() -> None:
    assert address("127.0.0.1:80") == ("127.0.0.1", 80)
    assert address("[::1]:8765") == ("::1", 8765)
    for text in ("127.0.0.1", ":80", "a:b", "a:99999", ""):
        with pytest.raises(MeadhallError):
            address(text)


async def test_without_the_package_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("meadhall.cli.mcp.find_spec", lambda name: None)
    with pytest.raises(NoModelContextProtocol, match=re.escape(how_to_install("mcp"))):
        serve_tools(None, None, None, None)
