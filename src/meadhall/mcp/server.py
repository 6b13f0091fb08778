"""The server of the Model Context Protocol: tools, and rulebooks as resources."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import wraps
from importlib.metadata import version
from typing import Annotated, Any, Final, TypeVar

import anyio
import anyio.to_thread
from mcp.server.auth.settings import AuthSettings
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import CallToolResult, TextContent, ToolAnnotations
from pydantic import AnyHttpUrl, BaseModel, Field

from meadhall.engine.errors import MeadhallError, Refused, UnknownGame
from meadhall.engine.game import Game
from meadhall.engine.registry import game as find_game
from meadhall.engine.registry import game_names
from meadhall.engine.rulebook import rule_ids, rule_sentence, rulebook_text
from meadhall.lab import balance as lab_balance
from meadhall.lab.balance.run import values_of
from meadhall.mcp.answers import (
    BalanceAnswer,
    GameAnswer,
    GamesAnswer,
    LegalAnswer,
    PositionAnswer,
    ReasonAnswer,
    RulesAnswer,
    TablesAnswer,
)
from meadhall.mcp.players import Players
from meadhall.mcp.tables import (
    Position,
    Tables,
    answer_of,
    legal_actions,
    legal_text,
    position_text,
    read_action,
    reason,
    refusal_text,
    table_text,
)

INSTRUCTIONS: Final = """\
You can play board games here. A usual course: list_games; read_rules of the game; open_table; then, while the match runs,
choose one of the legal actions of your position and call act. If it isn't your turn, call wait_for_turn.
A position tells only what your seat may know. Seats and actions are numbered from 0.
If an action is refused, the answer has the reason and the rule, and nothing has changed; why_not explains any other action.
"""

MAX_WAIT: Final = 600.0
MAX_BALANCE: Final = 120.0
"""The longest time of a balance report, in seconds."""

R = TypeVar("R")

TableId = Annotated[str, Field(description="the id of the table, or its address in the hall")]
GivenAction = Annotated[
    int | str, Field(description="the action's number; or its words or its short form as in the list of legal actions")
]

_READS: Final = ToolAnnotations(read_only_hint=True, open_world_hint=False)
_PLAYS: Final = ToolAnnotations(read_only_hint=False, destructive_hint=False, open_world_hint=False)
_GIVES_UP: Final = ToolAnnotations(read_only_hint=False, destructive_hint=True, open_world_hint=False)


def build(tables: Tables | Players) -> MCPServer[Any]:
    """Return a server whose tools play at these tables; with ``Players``, at those of the client that calls them."""
    players = tables if isinstance(tables, Players) else None
    server: MCPServer[Any] = MCPServer(
        "meadhall",
        title="Meadhall",
        description="Board games for people, bots and language models.",
        instructions=INSTRUCTIONS,
        version=version("meadhall"),
        log_level="WARNING",
        token_verifier=players,
        auth=None if players is None else AuthSettings(issuer_url=AnyHttpUrl(players.url), resource_server_url=None),
    )

    def own_tables() -> Tables:
        return tables.current() if isinstance(tables, Players) else tables

    _add_reading(server, own_tables)
    _add_seating(server, own_tables)
    _add_playing(server, own_tables)
    _add_rulebooks(server)
    _add_laboratory(server)
    return server


def _add_reading(server: MCPServer[Any], own_tables: Callable[[], Tables]) -> None:
    @server.tool(annotations=_READS)
    @in_words
    async def list_games() -> Annotated[CallToolResult, GamesAnswer]:
        """List the games: how many can play, their options, and the bots."""
        games = await own_tables().games()
        lines = [game_text(each) for each in games]
        return _result("\n".join(lines), GamesAnswer(games=games))

    @server.tool(annotations=_READS)
    @in_words
    async def list_tables() -> Annotated[CallToolResult, TablesAnswer]:
        """List your tables, and the public tables of others where you can take a seat."""
        yours, others = await own_tables().listed()
        told = ["Yours:", *map(table_text, yours), "Open:", *map(table_text, others)]
        return _result("\n".join(told), TablesAnswer(yours=yours, open=others))

    @server.tool(annotations=_READS)
    @in_words
    async def look(table: TableId) -> Annotated[CallToolResult, PositionAnswer]:
        """Read the position as your seat may know it: what has happened since you looked last, the board, your legal actions."""
        return _told(await own_tables().look(table))

    @server.tool(name="legal_actions", annotations=_READS)
    @in_words
    async def list_legal_actions(table: TableId) -> Annotated[CallToolResult, LegalAnswer]:
        """List your legal actions with their numbers; none if it isn't your turn."""
        position = await own_tables().look(table, tell=False)
        legal = legal_actions(position.view) if position.your_turn else []
        number = position.view.next_number if position.view else 0
        answer = LegalAnswer(your_turn=position.your_turn, next_number=number, legal=legal)
        return _result(legal_text(legal) or "You have no legal action now.", answer)

    @server.tool(annotations=_READS)
    @in_words
    async def why_not(table: TableId, action: GivenAction) -> Annotated[CallToolResult, ReasonAnswer]:
        """Ask why you can't play an action: the reason, the id of the rule and its text. It plays nothing."""
        found = reason(await own_tables().look(table, tell=False), action)
        rule = f" ({found.rule})\nRule {found.rule}: {found.rule_text}" if found.rule else ""
        return _result(f"{found.text or found.action}: {found.reason}{rule}", found)

    @server.tool(annotations=_READS)
    @in_words
    async def read_rules(
        game: Annotated[str, Field(description="the name of the game")],
        rule: Annotated[str, Field(description="the id of one rule, such as AA-3.2; empty for the whole rulebook")] = "",
    ) -> Annotated[CallToolResult, RulesAnswer]:
        """Read the rulebook of a game, or one of its rules."""
        text = rules_text(game, rule)
        return _result(text, RulesAnswer(game=game, rules=text))


def _add_seating(server: MCPServer[Any], own_tables: Callable[[], Tables]) -> None:
    @server.tool(annotations=_PLAYS)
    @in_words
    async def open_table(
        game: Annotated[str, Field(description="the name of the game, from list_games")],
        players: Annotated[int | None, Field(description="the number of seats; by default the usual number for the game")] = None,
        bots: Annotated[
            list[str] | None,
            Field(
                description="the bots on the other seats, such as ['karl', 'jarl']; repeated if there are more seats than names"
            ),
        ] = None,
        open_seats: Annotated[int, Field(description="seats to leave open for others, in a hall only", ge=0)] = 0,
        options: Annotated[
            dict[str, str] | None, Field(description="options of the game, such as {'variant': 'strategic'}")
        ] = None,
        public: Annotated[bool, Field(description="whether the hall lists the table for everyone")] = False,
    ) -> Annotated[CallToolResult, PositionAnswer]:
        """Open a table and take seat 0. Bots get the other seats; without open seats the match begins at once."""
        return _told(await own_tables().open(game, players, bots or [], open_seats, options or {}, public))

    @server.tool(annotations=_PLAYS)
    @in_words
    async def take_seat(
        table: TableId,
        seat: Annotated[int | None, Field(description="the number of the seat; by default the first open one")] = None,
    ) -> Annotated[CallToolResult, PositionAnswer]:
        """Take an open seat at a table of the hall."""
        return _told(await own_tables().join(table, seat))

    @server.tool(annotations=_PLAYS)
    @in_words
    async def start_match(table: TableId) -> Annotated[CallToolResult, PositionAnswer]:
        """Start the match at your table when all seats are taken. At the table of another, agree to the start."""
        return _told(await own_tables().start(table))


def _add_playing(server: MCPServer[Any], own_tables: Callable[[], Tables]) -> None:
    @server.tool(annotations=_PLAYS)
    @in_words
    async def act(
        table: TableId,
        action: GivenAction,
        number: Annotated[
            int | None, Field(description="next_number of the position you have seen: refuse if the match has moved on")
        ] = None,
        wait_seconds: Annotated[
            float, Field(description="how long to wait for your next turn before answering", ge=0, le=MAX_WAIT)
        ] = 10.0,
    ) -> Annotated[CallToolResult, PositionAnswer]:
        """Play an action, and read what happened then. An illegal one changes nothing: you get the reason and the rule."""
        before = await own_tables().look(table, tell=False)
        if before.view is None:
            raise ToolError("The match has not begun.")
        try:
            position = await own_tables().act(table, read_action(before.view, action), number)
        except Refused as refused:
            raise ToolError(refusal_text(before.view, refused)) from refused
        if wait_seconds and not position.your_turn and not position.is_over:
            happened = position.happened
            position = await own_tables().wait(table, wait_seconds)
            position.happened = [*happened, *position.happened]
        return _told(position)

    @server.tool(annotations=_READS)
    @in_words
    async def wait_for_turn(
        table: TableId,
        seconds: Annotated[float, Field(description="the longest time to wait", ge=0, le=MAX_WAIT)] = 60.0,
    ) -> Annotated[CallToolResult, PositionAnswer]:
        """Wait until it is your turn or the match is over, then read the position. Call it again if the time was too short."""
        return _told(await own_tables().wait(table, seconds))

    @server.tool(annotations=_GIVES_UP)
    @in_words
    async def resign(table: TableId) -> Annotated[CallToolResult, PositionAnswer]:
        """Give up your seat in a running match. It can't be undone."""
        return _told(await own_tables().resign(table))


def _add_laboratory(server: MCPServer[Any]) -> None:
    alone = anyio.Lock()

    @server.tool(annotations=_READS)
    @in_words
    async def balance(
        game: Annotated[str, Field(description="the name of the game")],
        players: Annotated[int, Field(description="the number of players")],
        vary: Annotated[str, Field(description="an option whose values are compared; empty for none")] = "",
        without: Annotated[
            list[str] | None, Field(description="kinds of actions whose worth is measured by a bot that avoids them")
        ] = None,
        seed: Annotated[str, Field(description="any text; the same text gives the same report")] = "balance",
        seconds: Annotated[float, Field(description="the time limit", gt=0, le=MAX_BALANCE)] = 30.0,
    ) -> Annotated[CallToolResult, BalanceAnswer]:
        """Measure how a game plays: fairness by place, length, choice, luck, use of actions and pieces; and compare variants."""
        subject = find_game(game)
        variants = values_of(subject, [vary]) if vary else None
        async with alone:  # a report takes all cores
            report = await anyio.to_thread.run_sync(
                lambda: lab_balance(subject, players, variants, seed=seed, seconds=seconds, without=without or ())
            )
        return _result("\n".join(report.headlines), BalanceAnswer(headlines=list(report.headlines), report=report.to_dict()))


def _add_rulebooks(server: MCPServer[Any]) -> None:
    for name in game_names():
        subject = find_game(name)

        server.resource(
            f"meadhall://rules/{name}",
            name=f"rules-{name}",
            title=f"Rules of {subject.title}",
            description=f"The rulebook of {subject.title}; each rule begins with its id.",
            mime_type="text/markdown",
        )(_reader(subject))


def _reader(subject: Game) -> Callable[[], str]:
    def rulebook() -> str:
        return rulebook_text(subject)

    return rulebook


# ------------------------------------------------------------------------------------------------------------------ answers


def in_words(tool: Callable[..., Awaitable[R]]) -> Callable[..., Awaitable[R]]:
    """Return a tool whose errors of Meadhall reach the model as text, and don't look like a crash."""

    @wraps(tool)
    async def safe(*given: Any, **named: Any) -> R:
        try:
            return await tool(*given, **named)
        except Refused as refused:
            raise ToolError(refusal_text(None, refused)) from refused
        except MeadhallError as error:
            raise ToolError(str(error)) from error

    return safe


def game_text(game: GameAnswer) -> str:
    """Return a game as text."""
    options = "; ".join(f"{name}: {', '.join(values)}" for name, values in game.options.items()) or "none"
    players = f"{game.min_players} to {game.max_players} players"
    return f"{game.game}: {game.title}. {game.about} {players}. Options: {options}. Bots: {', '.join(game.bots)}."


def rules_text(game: str, rule: str) -> str:
    """Return the rulebook of a game, or one rule. Raises UnknownGame, or ToolError if there is no such rule."""
    try:
        subject = find_game(game)
    except UnknownGame as error:
        raise ToolError(f"There is no game {game!r}. There are: {', '.join(game_names())}.") from error
    if not rule:
        return rulebook_text(subject)
    sentence = rule_sentence(subject, rule.strip().upper())
    if not sentence:
        raise ToolError(f"{subject.title} has no rule {rule!r}. Its rules: {', '.join(rule_ids(subject))}.")
    return f"{rule.strip().upper()} {sentence}"


def _result(text: str, answer: BaseModel) -> CallToolResult:
    return CallToolResult(content=[TextContent(type="text", text=text)], structured_content=answer.model_dump(mode="json"))


def _told(position: Position) -> CallToolResult:
    answer = answer_of(position)
    return _result(position_text(answer), answer)
