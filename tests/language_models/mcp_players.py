"""A language model's part, played by a program: it reads the answers of the tools and chooses among the legal actions."""

from __future__ import annotations

import os
import sys
from typing import Any, Protocol

from mcp import StdioServerParameters

COMMAND = ("-m", "meadhall.cli", "mcp")
AXES = "axes-and-allies"


class Client(Protocol):
    """A client of the SDK, or of fastmcp."""

    async def call_tool(self, name: str, arguments: dict[str, Any]) -> Any: ...


def standard_streams(*arguments: str) -> StdioServerParameters:
    """Return how to run the command as a subprocess that speaks on its standard input and output."""
    return StdioServerParameters(command=sys.executable, args=[*COMMAND, *arguments], env=dict(os.environ))


async def use(client: Client, tool: str, **arguments: Any) -> Any:
    """Call a tool that must succeed and return its typed result."""
    answer = await client.call_tool(tool, arguments)
    assert not answer.is_error, f"{tool} {arguments}: {answer.content}"
    assert isinstance(answer.structured_content, dict)
    found = answer.structured_content
    return found["result"] if found.keys() == {"result"} else found  # a list is wrapped


async def refused(client: Client, tool: str, **arguments: Any) -> str:
    """Call a tool that must be refused and return the words."""
    answer = await client.call_tool(tool, arguments)
    assert answer.is_error, f"{tool} {arguments}"
    return str(answer.content[0].text)


async def play(client: Client, id: str) -> Any:
    """Play a match to its end and return the table then. An illegal action is tried first, and refused with its reason."""
    table = await use(client, "look", id=id)
    is_new = True
    for decision in range(2000):
        view = table["view"]
        if table["status"] != "running":
            return table
        if not view["legal"]:
            table = await use(client, "look", id=id, wait=20)
            continue
        legal = [each["action"] for each in view["legal"]]
        if is_new:
            wrong = next(action for action in range(max(legal) + 2) if action not in legal)
            words = await refused(client, "act", id=id, action=wrong, n=view["next"])
            assert '"reason"' in words
            is_new = False
        chosen = legal[decision % len(legal)]  # all kinds of actions, but a match ends sooner than by random ones
        table = await use(client, "act", id=id, action=chosen, n=view["next"], wait=20)
    raise AssertionError("the match did not end")
