"""The interface of a game: its rule functions and its texts, as protocols."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, Protocol

from meadhall.engine.state.events import PUBLIC, Event, Part


class GameRules(Protocol):
    """The rule functions that every game has, on the game's state. ``log`` receives the events.

    A game whose seats decide at the same time has one more, ``deciders(state) -> int``, see ``engine/match/deciders.py``.
    """

    def setup(self, state: Any, players: int, options: Any, log: Any) -> None:
        """Set up a blank state up to the first decision; ``options`` are the integers of ``Game.encode_options``."""

    def legal(self, state: Any, out: Any) -> int:
        """Write the legal actions to ``out`` in ascending order and return their number."""

    def play(self, state: Any, action: int, log: Any) -> None:
        """Play a legal action and everything that follows up to the next decision."""

    def score(self, state: Any, out: Any) -> None:
        """Write each seat's payoff of a finished state to ``out``: 0 to 1, or points within ``Game.payoffs``."""


class HidingRules(GameRules, Protocol):
    """The rule functions of a game with hidden information. Seat -1 is a spectator."""

    def conceal(self, state: Any, seat: int) -> None:
        """Blank what a seat may not know."""

    def redeal(self, state: Any, seat: int) -> None:
        """Fill the blanks of a concealed state at random with values the seat can't tell from the true ones.

        This samples a determinization of the information set.
        """


class GameWords(Hashable, Protocol):
    """The texts of a game, in the current language: a module or an object, the same one for the same edition.

    A game may supply only some of them, see ``engine.defaults``.

    ``state`` is a concealed state; ``names`` are the players' names in seat order.
    """

    def action(self, state: Any, action: int, names: Sequence[str]) -> str:
        """Return the text of an action of the seat to move, e.g. ``"attack Björn"``."""

    def event(self, event: Event, names: Sequence[str], viewer: int = PUBLIC, part: Part = Part.LINE) -> str:
        """Return the text of an event. It calls seat ``viewer`` "you". ``part``: where it is told; "" if it isn't told there."""

    def refusal(self, state: Any, action: int, names: Sequence[str]) -> tuple[str, str]:
        """Return the rule id and text of why the seat to move can't play ``action``; ``("", "")`` if the action is legal.

        ``check_game`` compares this with ``legal``.
        """

    def prompt(self, state: Any, names: Sequence[str], viewer: int) -> str:
        """Return the text of the pending decision for seat ``viewer`` (-1: a spectator)."""

    def ending(self, state: Any) -> tuple[str, str]:
        """Return the rule id and text of how a finished match ended."""
