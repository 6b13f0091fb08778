"""The steps of a match, and its result."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from meadhall.engine.match.deciders import SEALED
from meadhall.engine.match.view import EVERYTHING, SPECTATOR, VisibleStep, visible
from meadhall.engine.state.events import Event
from meadhall.engine.state.schema import States


@dataclass(frozen=True)
class Step:
    """One action that was played, and its consequences."""

    n: int  # its number, never used again
    seat: int
    action: int
    events: tuple[Event, ...]
    legal: int  # the number of legal actions
    before: States  # the state before the action; read-only, because copies of a match share it
    hinted: bool = False  # whether the seat had asked for a hint
    seconds: float | None = None  # how long the player has thought, if a clock has measured it
    bot: str | None = None  # the level of the bot that played it for the owner of the seat
    sealed: bool = False  # whether the other seats may know only its events, while the match runs

    def __post_init__(self) -> None:
        self.before.flags.writeable = False

    def __copy__(self) -> Step:
        return self

    def __deepcopy__(self, _memo: dict[int, Any]) -> Step:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return Step, tuple(getattr(self, part.name) for part in fields(self))

    def visible_to(self, viewer: int) -> VisibleStep:
        """Return the step as ``viewer`` may know it."""
        events = visible(self.events, viewer)
        private = tuple([event for event in events if event.audience == viewer != SPECTATOR])
        action = self.action if self.shows_action(viewer) else SEALED
        return VisibleStep(self.n, self.seat, action, events, self.hinted, private)

    def shows_action(self, viewer: int) -> bool:
        """Return whether ``viewer`` may know the action, not only its events."""
        return not self.sealed or viewer in (self.seat, EVERYTHING)


@dataclass(frozen=True)
class Undone:
    """Actions that were undone, oldest first, back to the state after action ``after`` (0: the setup)."""

    after: int
    steps: tuple[Step, ...]


@dataclass(frozen=True)
class Result:
    """The result of a match.

    Attributes:
        winners: the seats with the highest payoff; empty when a cooperative game is lost or two sides draw.
        scores: each seat's payoff: 0 to 1, or points or chips if the scoring is ``Scoring.POINTS``.
        reason: the id of the rule that ended the match.
        points: points by seat, if the game counts points, or its payoffs are points in whole numbers.
        shares: each seat's share of the win, 0 to 1, whatever its payoff counts, see ``Game.shares``.
    """

    winners: tuple[int, ...]
    scores: tuple[float, ...]
    reason: str
    points: tuple[int, ...] | None = None
    shares: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        if not self.shares:
            object.__setattr__(self, "shares", self.scores)
