"""A language model's part, played by a program: it reads the answers of the tools and chooses among the legal actions."""

from __future__ import annotations

import os
import sys
from random import Random
from typing import Any

from mcp import Client, StdioServerParameters

COMMAND = ("-m", "meadhall.cli", "mcp")

MATCHES: tuple[tuple[str, dict[str, Any]], ...] = (
    ("axes-and-allies", {"players": 3, "bots": ["karl", "thrall"]}),
    ("axxa", {"players": 2, "bots": ["karl"], "options": {"mode": "versus"}}),
    ("dungeon-allies", {"players": 2, "bots": ["karl"]}),
    ("viking-axes", {"players": 3, "bots": ["karl"], "options": {"variant": "strategic"}}),
)
"""A short match of each game."""


def standard_streams(*arguments: str) -> StdioServerParameters:
    """Return how to run the command as a subprocess that speaks on its standard input and output."""
    return StdioServerParameters(
        command=sys.executable, args=[*COMMAND, *arguments], env={**os.environ, "MEADHALL_INTERPRET": "1", "MEADHALL_LANG": "en"}
    )


async def use(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    """Call a tool that must succeed and return its typed result."""
    answer = await client.call_tool(tool, arguments)
    assert not answer.is_error, f"{tool} {arguments}: {answer.content}"
    assert isinstance(answer.structured_content, dict)
    return answer.structured_content


async def refused(client: Client, tool: str, **arguments: Any) -> str:
    """Call a tool that must be refused and return the words."""
    answer = await client.call_tool(tool, arguments)
    assert answer.is_error, f"{tool} {arguments}"
    return str(answer.content[0].text)  # type: ignore[union-attr]


async def play(client: Client, game: str, **setup: Any) -> tuple[dict[str, Any], dict[str, str]]:
    """Play a whole match; before each action try an illegal one. Return the last position, and the reasons by rule."""
    choices = Random(3)
    rules: dict[str, str] = {}
    told = 0
    position = await use(client, "open_table", game=game, **setup)
    table = position["table"]
    for decision in range(2000):
        told += len(position["happened"])
        if position["status"] != "running":
            assert told
            return position, rules
        if not position["your_turn"]:
            position = await use(client, "wait_for_turn", table=table, seconds=20)
            continue
        legal = {each["action"] for each in position["legal"]}
        assert legal
        if len(rules) < 3:
            wrong = choices.choice([action for action in range(max(legal) + 2) if action not in legal] or [max(legal) + 1])
            reason = await use(client, "why_not", table=table, action=wrong)
            words = await refused(client, "act", table=table, action=wrong, number=position["next_number"])
            assert not reason["legal"]
            assert reason["reason"] in words
            if reason["rule"]:
                rules[reason["rule"]] = reason["rule_text"]
                assert f"({reason['rule']})" in words
                assert reason["rule_text"] in words
            same = await use(client, "legal_actions", table=table)
            assert (same["next_number"], same["legal"]) == (position["next_number"], position["legal"])
        chosen = position["legal"][decision % len(legal)]  # all kinds of actions, but a match ends sooner than by random ones
        given = chosen["text"] if choices.random() < 0.1 else chosen["action"]
        position = await use(client, "act", table=table, action=given, number=position["next_number"], wait_seconds=20)
    raise AssertionError(f"{game} did not end")


def check_end(position: dict[str, Any], rules: dict[str, str]) -> None:
    """Check the last position of a match, and that refusals named rules with their text."""
    assert position["status"] == "over"
    assert not position["legal"]
    assert position["prompt"]
    assert position["board"]
    assert all(rules.values())
