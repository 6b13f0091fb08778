"""Chances through a match, from public knowledge, and what follows from them.

Where the game's solver knows a position, its value is exact; elsewhere it is the mean of rollouts. Knowing the order of a draw
pile would make drama vanish, so hidden cards are dealt again for each rollout. Where matches are short, every position is valued;
elsewhere a few, unless ``every`` asks for all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf

import numpy as np

from meadhall.bots.analysis import exact_chances
from meadhall.bots.playouts import Rollouts
from meadhall.engine.compute.bulk import Floats, seed_number
from meadhall.engine.match.view import SPECTATOR, concealed
from meadhall.lab.balance.figures import Column, Columns, joined
from meadhall.lab.balance.measures import PARTS
from meadhall.lab.balance.trace import CellPlan, Ints, Trace, Tracer

SHORT = 64
"""The largest mean number of decisions of matches whose positions are all valued."""
POSITIONS = 16
"""The number of valued positions of a match among longer ones."""
ROLLOUTS = 32
"""The number of rollouts of a position."""
SURE = 2.0
"""Standard errors by which a new leader must be ahead: counted naively, the noise of rollouts changes the lead all the time."""
LOW = 0.1
"""A winner whose chance was lower than this came back."""
LOST, MOVED = 0.02, 0.1
"""A seat with a chance below the first that moves another's by more than the second makes a king."""


@dataclass(frozen=True)
class Chances:
    """The chances through one match.

    Attributes:
        positions: int64 (positions,): the numbers of decisions before each valued position, and at last of all decisions.
        chances: float64 (positions, players): each seat's expected share of a win; the last row is the result.
        errors: float64 (positions, players): their standard errors.
    """

    positions: Ints
    chances: Floats
    errors: Floats


def chances_of(tracer: Tracer, number: int, trace: Trace, *, every: bool) -> Chances:
    """Value the positions of match ``number``, whose trace is given."""
    plan, subject = tracer.plan, tracer.plan.subject
    length, players = int(trace.lengths[0]), plan.players
    count = length if every else POSITIONS
    positions = np.unique(np.arange(count) * length // count)
    chances = np.zeros((len(positions) + 1, players))
    errors = np.zeros_like(chances)
    chances[-1] = trace.shares[0]
    exact = _exact(plan, number, trace)
    snapshots = subject.state.new(length)
    tracer.play(number, snapshots, trace.action.tolist())
    rollouts = Rollouts(subject, players, plan.options)
    seed = seed_number(plan.bot_seed(number, SPECTATOR))
    for row, position in enumerate(positions.tolist()):
        if position in exact:
            chances[row] = exact[position]
            continue
        known = concealed(subject, snapshots[position : position + 1], SPECTATOR)
        won = rollouts.shares(known, SPECTATOR, ROLLOUTS, seed + position)[:players]
        chances[row] = won / ROLLOUTS
        smoothed = (won + 1) / (ROLLOUTS + 2)
        errors[row] = np.sqrt(smoothed * (1 - smoothed) / ROLLOUTS)
    return Chances(np.append(positions, length), chances, errors)


def _exact(plan: CellPlan, number: int, trace: Trace) -> dict[int, Sequence[float]]:
    """Return the exact chances of a match whose game is solved from its beginning."""
    subject = plan.subject
    if subject.solver is None or subject.needs_shares(plan.players, plan.options):
        return {}
    match = plan.match(number)
    if subject.solver(match.view_at(0, SPECTATOR)) is None:
        return {}
    for action in trace.action.tolist():
        match.play(action)
    return dict(exact_chances(match, inf, lambda: None))


def measured_chances(plan: CellPlan, numbers: Sequence[int], *, every: bool) -> Columns:
    """Return the columns of the chances through these matches.

    What single decisions change is known only if every position has been valued.
    """
    tracer = Tracer(plan)
    found = []
    for number in numbers:
        trace = tracer.trace([number])
        if not trace.stopped.any():
            chances = chances_of(tracer, number, trace, every=every)
            drama = _drama(trace, chances) if len(trace.parties) > 1 else {}
            decisions = _worth(trace, chances) | _meddling(trace, chances) if every else {}
            found.append(_uncertainty(trace, chances) | drama | decisions)
    return joined(found)


def _one(value: float, count: float = 1.0, *, spread: bool = False) -> Column:
    return Column(np.array([value]), np.array([count]), spread)


def _uncertainty(trace: Trace, found: Chances) -> Columns:
    """Return how much of the result is open in each part of the match: 1 before anything is known, 0 at the end."""
    parties = [party[0] for party in trace.parties]
    middle, base = (1 / len(parties), 1 - 1 / len(parties)) if len(parties) > 1 else (0.5, 0.25)
    known = ((found.chances[:, parties] - middle) ** 2 - found.errors[:, parties] ** 2).sum(axis=1)
    left = 1 - known / base
    last = int(found.positions[-1])
    columns = {}
    for part in range(PARTS + 1):
        row = int(np.searchsorted(found.positions, part * last / PARTS, side="right")) - 1
        columns[f"uncertainty_at.{part}"] = _one(float(left[row]))
    return columns


def _drama(trace: Trace, found: Chances) -> Columns:
    """Return the winner's lowest chance, changes of the lead, and when the match was decided."""
    parties = np.array([party[0] for party in trace.parties])
    chances, errors = found.chances[:, parties], found.errors[:, parties]
    last = float(found.positions[-1])
    leader, changes = int(chances[0].argmax()), 0
    for now, error in zip(chances[1:], errors[1:], strict=True):
        best = int(now.argmax())
        if best != leader and now[best] - now[leader] > SURE * np.hypot(error[best], error[leader]):
            leader, changes = best, changes + 1
    columns = {"lead_changes": _one(changes)}
    end = chances[-1]
    winners = np.flatnonzero(end == end.max())
    if len(winners) == 1:
        winner = int(winners[0])
        best = chances.argmax(axis=1)
        rows = np.arange(len(chances))
        noise = SURE * np.hypot(errors[rows, best], errors[:, winner])
        behind = np.flatnonzero(chances[rows, best] - chances[:, winner] > noise)
        decided = 0.0 if not len(behind) else found.positions[min(behind[-1] + 1, len(chances) - 1)] / last
        half = int(np.searchsorted(found.positions, last / 2, side="right")) - 1
        lowest = float((chances[:, winner] + SURE * errors[:, winner]).min())  # the least of many estimates is too small
        columns |= {
            "winner_lowest": _one(lowest, spread=True),
            "comeback": _one(float(lowest < LOW)),
            "decided": _one(float(decided), spread=True),
            "runaway": _one(float(int(chances[half].argmax()) == winner)),
        }
    return columns


def _worth(trace: Trace, found: Chances) -> Columns:
    """Return the change of the own chance over each acquisition by an own decision.

    Owners win more for another reason: who leads buys more.
    """
    columns: Columns = {}
    for kind in trace.plan.subject.elements.pieces:
        _match, step, seat, piece = trace.acquired(kind)
        own = (step > 0) & (trace.seat[np.maximum(step - 1, 0)] == seat)
        for number in np.unique(piece[own]):
            here = own & (piece == number)
            change = found.chances[step[here], seat[here]] - found.chances[step[here] - 1, seat[here]]
            columns[f"worth.{kind.name}.{number}"] = _one(float(change.sum()), float(here.sum()))
    return columns


def _meddling(trace: Trace, found: Chances) -> Columns:
    """Return decisions of lost players that decide for others, and how often attacks hit the leader."""
    if trace.plan.players < 3 or len(trace.parties) < 3:
        return {}
    seat = trace.seat
    before, after = found.chances[:-1], found.chances[1:]
    own = before[np.arange(len(seat)), seat]
    moved = np.abs(after - before)
    moved[np.arange(len(seat)), seat] = 0
    sure = moved.max(axis=1) > MOVED + SURE * found.errors[:-1].max(axis=1)
    columns = {"kingmaking": _one(float(((own < LOST) & sure).sum()), float(len(seat)))}
    mention = trace.plan.subject.elements.attacks
    if mention is not None:
        _match, step, attacker, target = trace.mentions(mention)
        rows = np.maximum(step - 1, 0)
        others = before[rows].copy()
        others[np.arange(len(rows)), attacker] = -1
        alive = np.maximum((others > 0).sum(axis=1), 1)
        columns["at_leader"] = _one(float((others.argmax(axis=1) == target).sum()), float(len(rows)))
        columns["at_leader_fair"] = _one(float((1 / alive).sum()), float(len(rows)))
    return columns
