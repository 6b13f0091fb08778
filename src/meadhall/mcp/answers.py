"""The typed results of the tools."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, Field

Status = Literal["gathering", "closed", "running", "over", "abandoned"]


class GameAnswer(BaseModel):
    """A game that can be played."""

    game: str = Field(description="the name to use in other tools")
    title: str
    about: str
    min_players: int
    max_players: int
    usual_players: int
    options: dict[str, dict[str, str]] = Field(description="each option, its values, and what each value means")
    bots: list[str] = Field(description="bots that can take seats, the weakest first")


class GamesAnswer(BaseModel):
    """The games that can be played."""

    games: list[GameAnswer]


class BalanceAnswer(BaseModel):
    """How a game plays, measured by matches of bots."""

    headlines: list[str] = Field(description="what stands out, in sentences")
    report: dict[str, Any] = Field(description="every figure with its interval, by variant and number of players")


class SeatAnswer(BaseModel):
    """A seat at a table. Seats are numbered from 0."""

    seat: int
    name: str
    player: Literal["you", "bot", "person", "open"]
    bot: str = Field(default="", description="the bot's level")


class TableAnswer(BaseModel):
    """A table and its seats."""

    table: str = Field(description="the id to use in other tools")
    game: str
    status: Status = Field(description="gathering: the match has not begun")
    options: dict[str, str]
    seats: list[SeatAnswer]
    your_seat: int | None
    watch: str = Field(default="", description="the address where people can watch the match in a browser; empty without a hall")


class TablesAnswer(BaseModel):
    """Tables of yours, and open tables of others."""

    yours: list[TableAnswer]
    open: list[TableAnswer] = Field(description="tables where you can take a seat")


class ActionAnswer(BaseModel):
    """A legal action."""

    action: int = Field(description="the number to play it with")
    text: str
    notation: str = Field(default="", description="a short form that can be used in place of the number, in some games")


class PositionAnswer(BaseModel):
    """A match as your seat may know it."""

    table: str
    game: str
    status: Status
    your_seat: int | None
    your_turn: bool
    next_number: int = Field(description="the number of the next action; give it to `act` so that an outdated action is refused")
    happened: list[str] = Field(description="what has happened since you looked last, in order")
    board: str = Field(description="the board as text")
    prompt: str = Field(description="the pending decision, or how the match ended")
    legal: list[ActionAnswer] = Field(description="your legal actions; empty when it isn't your turn")
    winners: list[str] = Field(description="the names of the winners when the match is over")
    watch: str = ""


class LegalAnswer(BaseModel):
    """The legal actions of your seat, empty when it isn't your turn."""

    your_turn: bool
    next_number: int
    legal: list[ActionAnswer]


class ReasonAnswer(BaseModel):
    """Why an action can't be played, or that it can."""

    legal: bool
    action: int | None
    text: str = Field(description="the action in words")
    rule: str = Field(description="the id of the rule that forbids it")
    reason: str
    rule_text: str = Field(description="that rule in the rulebook")


class RulesAnswer(BaseModel):
    """The rulebook of a game, or some of its rules."""

    game: str
    rules: str = Field(description="the text in Markdown; each rule begins with its id")
