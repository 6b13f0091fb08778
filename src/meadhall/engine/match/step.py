"""The steps of a match, and how it ends: by its rules with a ``Result``, or with an ``Award``, for example after a resignation.

A stand-in is a bot that plays for a person for a while. The seat keeps its owner, and the record says which actions a bot played.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass, fields
from typing import Any, Literal

from meadhall.engine.checks import quoted
from meadhall.engine.errors import BadSetup
from meadhall.engine.kind import Parties
from meadhall.engine.match.deciders import SEALED
from meadhall.engine.match.view import EVERYTHING, SPECTATOR, VisibleStep, visible
from meadhall.engine.state.events import Event
from meadhall.engine.state.schema import States
from meadhall.engine.text.language import gettext as _

Lasting = Literal["decision", "return", "end"]
"""How long a stand-in plays: for one decision, until the owner of the seat returns, or to the end of the match."""


@dataclass(frozen=True)
class StandIn:
    """A bot that plays for the owner of a seat.

    Attributes:
        bot: the level of the bot.
        lasts: how long it plays.
    """

    bot: str
    lasts: Lasting = "return"


RESIGNATION, TIME, AGREEMENT = REASONS = ("resignation", "time", "agreement")


@dataclass(frozen=True)
class Award:
    """A win that was awarded when a match was given up.

    Attributes:
        winners: the seats with the highest payoff; all living parties after an agreed draw.
        scores: each seat's share of the win, 0 to 1.
        why: ``resignation``, ``time`` or ``agreement``.
    """

    winners: tuple[int, ...]
    scores: tuple[float, ...]
    why: str

    @property
    def shares(self) -> tuple[float, ...]:
        """Return each seat's share of the win: an award counts no points."""
        return self.scores


def won_by_resignation(parties: Parties, seat: int, why: str = RESIGNATION) -> Award | None:
    """Return the award to the other of two parties when ``seat`` resigns, or loses on time; None if there are not two."""
    if len(parties) != 2:
        return None
    (winners,) = (party for party in parties if seat not in party)
    players = sum(map(len, parties))
    return Award(winners, tuple(float(other in winners) for other in range(players)), why)


def drawn_by_agreement(parties: Parties, living: Collection[int]) -> Award | None:
    """Return the award when all agree to a draw: the parties with a living seat share it equally.

    Returns None if there are not two parties at least: players who win or lose together can't draw.
    """
    if len(parties) < 2:
        return None
    sharing = [party for party in parties if any(seat in living for seat in party)]
    winners = tuple(sorted(seat for party in sharing for seat in party))
    scores = [0.0] * sum(map(len, parties))
    for seat in winners:
        scores[seat] = 1 / len(sharing)
    return Award(winners, tuple(scores), AGREEMENT)


def award_in_words(award: Award) -> str:
    """Return why a win was awarded, e.g. "by resignation", in the current language."""
    return {RESIGNATION: _("by resignation"), TIME: _("on time"), AGREEMENT: _("by agreement")}[award.why]


def check_award(award: Award, parties: Parties) -> None:
    """Check that an award fits a match with these parties. Raises BadSetup."""
    players = sum(map(len, parties))
    if award.why not in REASONS:
        raise BadSetup(f"an award is for {', '.join(REASONS)}, not for {quoted(award.why)}")
    if len(parties) < 2:
        raise BadSetup("no win can be awarded where all players win or lose together")
    if len(award.scores) != players or not all(0 <= score <= 1 for score in award.scores):
        raise BadSetup(f"an award has {players} scores from 0 to 1")
    if any(award.scores[seat] != award.scores[party[0]] for party in parties for seat in party):
        raise BadSetup("the seats of a side have the same score")
    if not math.isclose(sum(award.scores[party[0]] for party in parties), 1, abs_tol=1e-6):
        raise BadSetup("the scores of all sides add up to 1")
    if award.winners != tuple(seat for seat, score in enumerate(award.scores) if score == max(award.scores)):
        raise BadSetup("the winners are the seats with the highest score, in ascending order")


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
