"""Tables as the tools use them, wherever their matches run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Protocol

from meadhall.engine.errors import IllegalAction, MeadhallError, Refused
from meadhall.engine.match.telling import Choices
from meadhall.engine.match.view import View
from meadhall.engine.rulebook import rule_sentence
from meadhall.mcp.answers import ActionAnswer, GameAnswer, PositionAnswer, ReasonAnswer, SeatAnswer, TableAnswer


class NotPossible(MeadhallError):
    """The request can't be carried out; the message says why, and what would be possible."""


@dataclass
class Position:
    """A table with its match as one seat may know it. ``view`` is None before the match.

    Attributes:
        happened: the events since the last look, in words.
        ended: how a match ended that the rules didn't end, in words; "" otherwise.
    """

    table: TableAnswer
    view: View | None
    happened: list[str]
    winners: list[str]
    ended: str = ""

    @property
    def your_turn(self) -> bool:
        """Whether the seat has legal actions now."""
        return self.view is not None and self.table.status == "running" and bool(self.view.legal)

    @property
    def is_over(self) -> bool:
        """Whether nothing can happen any more."""
        return self.table.status in ("over", "abandoned", "closed")


class Tables(Protocol):
    """What the tools need of the place where matches run. Every method may raise MeadhallError with the reason in words."""

    async def games(self) -> list[GameAnswer]:
        """Return the games that can be played."""

    async def listed(self) -> tuple[list[TableAnswer], list[TableAnswer]]:
        """Return the player's tables, and other tables with a free seat."""

    async def open(
        self, game: str, players: int | None, bots: Sequence[str], open_seats: int, options: Mapping[str, Any], public: bool
    ) -> Position:
        """Open a table with the player on seat 0."""

    async def join(self, table: str, seat: int | None) -> Position:
        """Take a seat."""

    async def start(self, table: str) -> Position:
        """Start the match of the player's own table."""

    async def look(self, table: str, *, tell: bool = True) -> Position:
        """Return the table as the player may see it. ``tell``: whether the player is told now what has happened."""

    async def act(self, table: str, action: int, number: int | None) -> Position:
        """Play an action. Raises Refused."""

    async def wait(self, table: str, seconds: float) -> Position:
        """Return the table when it is the player's turn or the match is over, after some seconds in any case."""

    async def resign(self, table: str) -> Position:
        """Give up the seat."""


# ------------------------------------------------------------------------------------------------------------------- as text


def board_text(view: View) -> str:
    """Return the board as text: the sketch of the terminal, or the fields of the visible state."""
    sketch = getattr(view.game.words, "sketch", None)
    if sketch is not None:
        return str(sketch(view.state, view.names))
    return "\n".join(f"{name}: {value}" for name, value in view.to_dict()["state"].items())


def legal_actions(view: View | None) -> list[ActionAnswer]:
    """Return the legal actions of a view's seat."""
    if view is None or not view.legal:
        return []
    notation = getattr(view.game.words, "notation", None)
    return [
        ActionAnswer(action=each.action, text=each.text, notation=notation(each.action) if notation else "")
        for each in view.actions()
    ]


def answer_of(position: Position) -> PositionAnswer:
    """Return a position as the result of a tool."""
    view, table = position.view, position.table
    if view is None:
        prompt = "The match has not begun."
    elif position.is_over:
        prompt = position.ended or view.game.words.ending(view.state)[1]
    else:
        prompt = view.prompt()
    return PositionAnswer(
        table=table.table,
        game=table.game,
        status=table.status,
        your_seat=table.your_seat,
        your_turn=position.your_turn,
        next_number=view.next_number if view else 0,
        happened=position.happened,
        board=board_text(view) if view else "",
        prompt=prompt,
        legal=legal_actions(view) if position.your_turn else [],
        winners=position.winners,
        watch=table.watch,
    )


def position_text(answer: PositionAnswer) -> str:
    """Return a position as text for a model."""
    parts = [
        f"Table {answer.table}, {answer.game}" + (f", you are seat {answer.your_seat}" if answer.your_seat is not None else "")
    ]
    if answer.happened:
        parts.append("What happened:\n" + "\n".join(f"- {line}" for line in answer.happened))
    parts += [answer.board] if answer.board else []
    parts.append(answer.prompt)
    if answer.legal:
        parts.append(f"Your legal actions (next_number {answer.next_number}):\n" + legal_text(answer.legal))
    elif answer.status == "running":
        parts.append("It is not your turn: call wait_for_turn.")
    elif answer.status == "gathering":
        parts.append("Seats are still open, or the match has not been started.")
    else:
        parts.append(f"The match is over. Winners: {', '.join(answer.winners) or 'none'}.")
    if answer.watch:
        parts.append(f"People can watch at {answer.watch}")
    return "\n\n".join(parts)


def legal_text(legal: Sequence[ActionAnswer]) -> str:
    """Return legal actions as lines."""
    return "\n".join(f"{each.action}: {each.text}" + (f" ({each.notation})" if each.notation else "") for each in legal)


def seat_text(seat: SeatAnswer) -> str:
    """Return a seat as text."""
    return f"{seat.seat}: {seat.name or 'open'} ({seat.bot or seat.player})"


def table_text(table: TableAnswer) -> str:
    """Return a table as text."""
    options = "".join(f", {name}={value}" for name, value in table.options.items())
    seats = "; ".join(map(seat_text, table.seats))
    return f"{table.table}: {table.game}{options}, {table.status}. Seats: {seats}" + (f". {table.watch}" if table.watch else "")


# ------------------------------------------------------------------------------------------------------------------ actions


def read_action(view: View, given: int | str) -> int:
    """Return the number of an action that is given as its number, its short form or its words, legal or not.

    Raises NotPossible if it is none of them.
    """
    if isinstance(given, int):
        return given
    text = given.strip()
    known = Choices(view.game).read(text, numbers=True)
    if known is not None:
        return known
    for action in (*view.legal, *range(view.game.actions)):
        with suppress(Exception):  # the words of an action that is impossible here may need what isn't there
            if view.game.words.action(view.state, action, view.names).casefold() == text.casefold():
                return int(action)
    raise NotPossible(f"No action is called {text!r}. Give the number of an action, or the words of a legal one: {_some(view)}.")


def _some(view: View) -> str:
    named = [f"{each.action} ({each.text})" for each in view.actions()[:5]]
    return ", ".join(named) if named else "at the moment you have no legal action"


def reason(position: Position, given: int | str) -> ReasonAnswer:
    """Say whether the player's seat may play an action now, and if not why. Raises NotPossible."""
    view = position.view
    if view is None:
        raise NotPossible("The match has not begun, so no action is legal.")
    action = read_action(view, given)
    words = ""
    with suppress(Exception):
        words = view.game.words.action(view.state, action, view.names)
    found = ReasonAnswer(legal=False, action=action, text=words, rule="", reason="", rule_text="")
    if position.is_over:
        found.reason = "The match is over."
    elif action in view.legal:
        found.legal, found.reason = True, "You can play this action now."
    elif not view.legal:
        found.reason = "It is not your turn."
    else:
        try:
            found.rule, found.reason = view.refusal(action)
        except Refused as refused:
            found.rule, found.reason = refused.rule, refused.reason
        found.rule_text = rule_sentence(view.game, found.rule, view.options) if found.rule else ""
    return found


def refusal_text(view: View | None, refused: Refused) -> str:
    """Return a refusal in words, with the rule from the rulebook, so that a model can correct itself."""
    asked = view is not None and isinstance(refused, IllegalAction) and refused.rule
    rule = rule_sentence(view.game, refused.rule, view.options) if asked and view is not None else ""
    named = f" ({refused.rule})" if refused.rule else ""
    quoted = f"\nRule {refused.rule}: {rule}" if rule else ""
    return f"Refused{named}: {refused.reason}{quoted}\nNothing has changed. Choose one of your legal actions."
