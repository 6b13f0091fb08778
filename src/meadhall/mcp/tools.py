"""The tools: operations of a hall's API, made from its OpenAPI document."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib.metadata import version
from typing import Any, Final

import httpx2
from fastmcp import FastMCP
from fastmcp.server.dependencies import get_http_headers
from fastmcp.server.middleware import CallNext, Middleware, MiddlewareContext
from fastmcp.server.providers.openapi import MCPType
from fastmcp.tools import ToolResult
from fastmcp.utilities.openapi import HTTPRoute
from mcp_types import CallToolRequestParams, TextContent, ToolAnnotations

from meadhall.mcp.own_hall import NoHall

INSTRUCTIONS: Final = """\
You can play board games here. A usual course: list_games; read_rules of the game; open_table with bots; then, while the match
runs, choose one of the legal actions of your view and call act. With wait, act and look answer when it is your turn again.
A view tells only what your seat may know. Seats and actions are numbered from 0.
If an action is refused, the answer has the reason and the id of the rule, which read_rules explains, and nothing has changed.
"""

_TIMEOUT: Final = 90.0
"""Seconds to wait for an answer. The hall lets a player wait for up to 50, and a hint takes some."""

TOOLS: Final = {
    "list_games": "list_games",
    "read_rules": "read_rules",
    "list_tables": "list_tables",
    "list_open_tables": "list_open_tables",
    "new_table": "open_table",
    "join_table": "take_seat",
    "leave_table": "leave_table",
    "start_match": "start_match",
    "agree_to_start": "agree_to_start",
    "show_table": "look",
    "play_action": "act",
    "undo_action": "undo",
    "give_hint": "hint",
    "resign": "resign",
    "go_on": "go_on",
    "skip_to_end": "skip_to_end",
    "propose": "propose",
    "answer_proposal": "answer_proposal",
    "read_chat": "read_chat",
    "say_line": "say",
    "start_balance": "start_balance",
    "show_balance": "show_balance",
}
"""The operations that are tools, with the names of the tools."""

_FINAL: Final = ("resign", "leave_table")
"""Tools whose effect can't be taken back."""


class Sender(httpx2.Auth):
    """Sends the token that came with the MCP client's request, else the one player's; without either the hall refuses."""

    def __init__(self, token: str) -> None:
        self.token = token

    def auth_flow(self, request: httpx2.Request) -> Iterator[httpx2.Request]:  # type: ignore[override]
        own = f"Bearer {self.token}" if self.token else ""
        sent = get_http_headers(include={"authorization"}).get("authorization", own)
        if sent:
            request.headers["Authorization"] = sent
        yield request


class _Words(Middleware):
    """Tells a table as text. The typed result has the same."""

    async def on_call_tool(
        self, context: MiddlewareContext[CallToolRequestParams], call_next: CallNext[CallToolRequestParams, ToolResult]
    ) -> ToolResult:
        """Call a tool, and put a table in words."""
        result = await call_next(context)
        table = result.structured_content or {}
        if table.get("view"):
            result.content = [TextContent(type="text", text=in_words(table))]
        return result


def in_words(table: dict[str, Any]) -> str:
    """Return a table whose match has begun as text."""
    view, ended = table["view"], table["result"] or table["awarded"]
    seats = ", ".join(f"{each['seat']}: {each['name']}" + (" (you)" if each["you"] else "") for each in table["seats"])
    lines = [f"{table['game']}, table {table['id']}, {table['status']}. Seats: {seats}. People watch at {table['url']}"]
    if view["happened"]:
        lines += ["", "Since your last action:", *view["happened"]]
    lines += ["", view["board"], "", view["prompt"]]
    if ended is not None:
        lines.append(f"Winners: {', '.join(table['seats'][seat]['name'] for seat in ended['winners']) or 'none'}.")
    elif view["legal"]:
        lines += [f"Your legal actions (n is {view['next']}):", *(f"{each['action']}: {each['text']}" for each in view["legal"])]
    else:
        lines.append("It is not your turn: call look with wait.")
    return "\n".join(lines)


def _completed(document: dict[str, Any]) -> Callable[[HTTPRoute, Any], None]:
    """Return what completes a tool: the meaning of its fields, whether it only reads, and nothing that every request has."""
    bodies = document["components"]["schemas"]

    def complete(route: HTTPRoute, tool: Any) -> None:
        fields = tool.parameters["properties"]
        for name in ("words", "Idempotency-Key"):
            fields.pop(name, None)
        if "/tables/{id}" in route.path:
            fields["id"]["description"] = "the id of the table"
        if route.request_body is not None:
            operation = document["paths"][route.path][route.method.lower()]
            body = operation["requestBody"]["content"]["application/json"]["schema"]["$ref"].rpartition("/")[2]
            tool.description += f"\n\n{bodies[body]['description']}"
        reads = route.method == "GET"
        tool.annotations = ToolAnnotations(read_only_hint=reads, destructive_hint=tool.name in _FINAL, open_world_hint=False)

    return complete


async def serve(url: str, name: str, token: str | None, place: tuple[str, int] | None, is_shared: bool) -> None:
    """Serve tools that play in the hall at an address until the MCP client leaves. Raises NoHall.

    Args:
        url: the address of the hall.
        name: the name of a new guest.
        token: the token of a guest or a session; None for a new guest.
        place: host and port for MCP clients by HTTP; None: standard input and output.
        is_shared: whether there are several players: then each client sends its own token.
    """
    sender = Sender(token or "")
    async with httpx2.AsyncClient(base_url=url.rstrip("/"), timeout=_TIMEOUT, params={"words": "true"}, auth=sender) as hall:
        document = await _answer(hall, "GET", "/schema/openapi.json")
        if token is None and not is_shared:
            sender.token = (await _answer(hall, "POST", "/api/v1/guests", {"name": name}))["token"]
        server = tools(document, hall)
        if place is None:
            await server.run_async("stdio", show_banner=False, log_level="WARNING")
        else:
            guarded = False if is_shared else "auto"  # a page of another site doesn't know a token
            host, port = place
            await server.run_http_async(False, host=host, port=port, log_level="WARNING", host_origin_protection=guarded)  # type: ignore[arg-type]


def tools(document: dict[str, Any], hall: httpx2.AsyncClient) -> FastMCP[Any]:
    """Return a server whose tools are operations of the hall with this OpenAPI document."""
    return FastMCP.from_openapi(
        document,
        hall,
        "Meadhall",
        route_map_fn=lambda route, _type: MCPType.TOOL if route.operation_id in TOOLS else MCPType.EXCLUDE,
        mcp_component_fn=_completed(document),
        mcp_names=TOOLS,
        instructions=INSTRUCTIONS,
        version=version("meadhall"),
        middleware=[_Words()],
    )


async def _answer(hall: httpx2.AsyncClient, method: str, path: str, body: Any = None) -> Any:
    """Return what the hall answers before there are tools. Raises NoHall."""
    try:
        answer = await hall.request(method, path, json=body)
        told = answer.json()
    except httpx2.TransportError as error:
        raise NoHall(f"The hall at {hall.base_url} can't be reached: {error!r}") from error
    except ValueError:
        raise NoHall(f"{answer.url} answers with something that isn't JSON: is there a hall?") from None
    if not answer.is_success:
        raise NoHall(f"The hall at {hall.base_url} refuses: {told.get('reason', answer.status_code)}")
    return told
