"""Intentions: what waiting seats have chosen ahead for their next decisions.

Each is an entry of the match, ``ahead``, so it survives a restart. Only its seat may know of it. The hall plays it when the
decision of the seat begins (``hall.move``), or drops it if it isn't legal then.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from meadhall.engine.game import ahead_of
from meadhall.engine.match.match import Match
from meadhall.engine.match.view import View
from meadhall.server.hall.clocks import Clocks
from meadhall.server.store.models import Entry

REVOKED: Final = -1
"""The value of an entry with which a seat revokes its intention."""


@dataclass(frozen=True)
class Intentions:
    """The intentions of all seats after the last entry.

    Attributes:
        chosen: by seat, the action that it will play.
        dropped: by seat, the intention that wasn't legal when its decision began, until the seat has decided.
    """

    chosen: Mapping[int, int] = field(default_factory=dict)
    dropped: Mapping[int, int] = field(default_factory=dict)

    def follow(self, entry: Entry, match: Match) -> Intentions:
        """Return the intentions after the next entry. ``match`` is the match after it."""
        if entry.kind == "ahead":
            others = _without(self.chosen, entry.seat)
            return replace(self, chosen=others if entry.value == REVOKED else {**others, entry.seat: entry.value})
        if not self.chosen and not self.dropped:
            return self
        if match.ended or entry.kind in ("undo", "pause"):
            return Intentions()
        kept = self
        if entry.kind in ("action", "hinted", "stand_in", "return", "swap"):
            kept = Intentions(_without(self.chosen, entry.seat), _without(self.dropped, entry.seat))
        begun = {seat: kept.chosen[seat] for seat in match.deciders if seat in kept.chosen}
        dropped = {seat: action for seat, action in begun.items() if action not in match.view(seat).legal}
        chosen = {seat: action for seat, action in kept.chosen.items() if seat not in dropped}
        return Intentions(chosen, {**kept.dropped, **dropped})

    def due(self, match: Match) -> tuple[int, int] | None:
        """Return a seat whose decision has begun, and its intention; None if there is none."""
        return next(((seat, self.chosen[seat]) for seat in match.deciders if seat in self.chosen), None)


def _without(actions: Mapping[int, int], seat: int) -> Mapping[int, int]:
    return {other: action for other, action in actions.items() if other != seat}


def choices_ahead(match: Match, clocks: Clocks | None, view: View) -> Mapping[int, str]:
    """Return the actions that the seat of a view of the match can choose ahead now, with their words."""
    seat = view.viewer
    if seat in match.deciders or match.ended or seat in match.stand_ins or (clocks is not None and clocks.pause is not None):
        return {}
    return ahead_of(view)
