"""Awards: wins that the rules don't give, for example after a resignation. Only the rules give a ``Result``."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from meadhall.engine.checks import quoted
from meadhall.engine.errors import BadSetup
from meadhall.engine.text.language import gettext as _

RESIGNATION, TIME, AGREEMENT = REASONS = ("resignation", "time", "agreement")

Parties = Sequence[tuple[int, ...]]
"""The seats that win or lose together, see ``Game.parties``."""


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
