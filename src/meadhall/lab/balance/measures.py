"""Measures: the columns that are computed from the traces of matches, a function for each question."""

from __future__ import annotations

import numpy as np

from meadhall.engine.errors import BadSetup
from meadhall.lab.balance.figures import Column, Columns, counted
from meadhall.lab.balance.own import counter_for
from meadhall.lab.balance.trace import Trace
from meadhall.lab.entrants import action_kinds, kinds_by_action

PARTS = 10
"""The number of equal parts of a match for curves."""


def fairness(trace: Trace) -> Columns:
    """Return the columns of fairness."""
    one = np.ones(trace.matches)
    if len(trace.parties) == 1:
        return {"won": Column(trace.shares[:, 0], one)}
    by_place, most = np.take_along_axis(trace.fair_shares, trace.orders, axis=1), float(len(trace.parties))
    found = {f"place.{place + 1}": Column(by_place[:, place], one, most=most) for place in range(trace.plan.players)}
    best = trace.shares.max(axis=1, keepdims=True)
    winners = (trace.shares == best)[:, [party[0] for party in trace.parties]].sum(axis=1)
    found["shared"] = Column((winners > 1).astype(np.float64), one)
    return found | _dealt(trace)


def _dealt(trace: Trace) -> Columns:
    """Return the wins in fair shares of the owner of each start piece, where not every seat has the same pieces."""
    found = {}
    for kind in trace.plan.subject.elements.pieces:
        match, step, seat, piece = trace.acquired(kind)
        if (step > 0).any():
            continue  # pieces of this kind come into play later, too
        for number in np.unique(piece):
            here = piece == number
            won = trace.fair_shares[match[here], seat[here]]
            owned = trace.count(match[here])
            found[f"dealt.{kind.name}.{number}"] = Column(trace.count(match[here], won), owned, most=float(len(trace.parties)))
    return found


def length_of_matches(trace: Trace) -> Columns:
    """Return the columns of length. Where the game tells no turns, a turn is a run of decisions of one seat."""
    one, players = np.ones(trace.matches), trace.plan.players
    found = {"decisions": Column(trace.lengths.astype(np.float64), one, spread=True)}
    told = trace.plan.subject.elements.turn
    if told is not None:
        rows = trace.told[trace.told[:, 2] == told]
        found["turns"] = Column(trace.count(rows[:, 0]), one, spread=True)
    else:
        first = np.ones(len(trace.match), bool)
        first[1:] = (trace.match[1:] != trace.match[:-1]) | (trace.seat[1:] != trace.seat[:-1])
        match, seat = trace.match[first], trace.seat[first]
        by_seat = np.bincount(match * players + seat, minlength=trace.matches * players).reshape(trace.matches, players)
        found["turns"] = Column(trace.count(match), one, spread=True)
        found["rounds"] = Column(by_seat.max(axis=1).astype(np.float64), one, spread=True)
    return found | (_waiting(trace) if players > 1 else {}) | _dead_time(trace)


def _waiting(trace: Trace) -> Columns:
    """Return how many decisions of others lie between two turns of a seat, and the longest such wait of a match."""
    order = np.lexsort((trace.step, trace.seat, trace.match))
    match, seat, step = trace.match[order], trace.seat[order], trace.step[order]
    same = (match[1:] == match[:-1]) & (seat[1:] == seat[:-1])
    gaps = (step[1:] - step[:-1] - 1)[same]
    where = match[1:][same]
    waits = gaps > 0
    longest = np.zeros(trace.matches)
    np.maximum.at(longest, where, gaps)
    return {
        "waiting": Column(trace.count(where[waits], gaps[waits]), trace.count(where[waits])),
        "longest_wait": Column(longest, np.ones(trace.matches), spread=True),
    }


def _dead_time(trace: Trace) -> Columns:
    """Return the part of the match that a player watches after dropping out, and when the first one does."""
    out = trace.plan.subject.elements.out
    if out is None:
        return {}
    match, step, _seat, _out = trace.mentions(out)
    left = 1 - step / trace.lengths[match]
    first = np.full(trace.matches, np.inf)
    np.minimum.at(first, match, 1 - left)
    some = np.isfinite(first)
    return {
        "dead": Column(trace.count(match, left), trace.count(match)),
        "first_out": Column(np.where(some, first, 0.0), some.astype(np.float64)),
    }


def choice(trace: Trace) -> Columns:
    """Return the columns of choice."""
    forced = trace.legal == 1
    decisions = trace.lengths.astype(np.float64)
    free = trace.match[~forced]
    found = {
        "forced": Column(trace.count(trace.match[forced]), decisions),
        "legal": Column(trace.count(free, trace.legal[~forced]), trace.count(free)),
    }
    part = PARTS * trace.step // trace.lengths[trace.match]
    for number in range(PARTS):
        here = part == number
        found[f"legal_at.{number + 1}"] = Column(
            trace.count(trace.match[here], trace.legal[here]), trace.count(trace.match[here])
        )
    return found


def use_of_actions(trace: Trace) -> Columns:
    """Return the columns of actions. Decisions without a choice don't count.

    Whether a kind is chosen is asked only where another kind is offered, too: else the bot has no way to avoid it.
    """
    found: Columns = {}
    free = trace.legal > 1
    match, offered = trace.match[free], trace.offered[free]
    several = offered & (offered - 1) != 0
    chosen = kinds_by_action(trace.plan.subject)[trace.action[free]]
    for number, kind in enumerate(action_kinds(trace.plan.subject)):
        here = (offered >> number) & 1 == 1
        took, could = (trace.count(match[several & which]) for which in (chosen == number, here))
        found[f"chosen.{kind.name}"] = Column(took, could)
    return found


def use_of_pieces(trace: Trace) -> Columns:
    """Return the columns of pieces that are acquired in play: how often shown, acquired, used, and how their owners do."""
    found: Columns = {}
    one = np.ones(trace.matches)
    rivals = len(trace.parties) > 1
    for kind in trace.plan.subject.elements.pieces:
        match, step, seat, piece = trace.acquired(kind)
        shown = None if kind.shown is None else trace.mentions(kind.shown)
        used = None if kind.used is None else trace.mentions(kind.used)
        played = step > 0
        numbers = np.unique(piece[played])
        if shown is not None:
            numbers = np.union1d(numbers, shown[3])
        if kind.numbers is not None:
            numbers = np.union1d(numbers, np.array(list(kind.numbers(trace.plan.options)), np.int64))
        for number in numbers:
            here = played & (piece == number)
            name = f"{kind.name}.{number}"
            found[f"acquired.{name}"] = Column(trace.count(match[here]), one)
            if shown is not None:
                seen = trace.count(shown[0][shown[3] == number])
                found |= {f"shown.{name}": Column(seen, one), f"taken.{name}": Column(trace.count(match[here]), seen)}
            if used is not None:
                found[f"used.{name}"] = Column(trace.count(used[0][used[3] == number]), one)
            if rivals:
                won = trace.fair_shares[match[here], seat[here]]
                found[f"owner.{name}"] = Column(trace.count(match[here], won), trace.count(match[here]))
    return found


def scores(trace: Trace) -> Columns:
    """Return the columns of points; none for a game without points."""
    if np.isnan(trace.points).any():
        return {}
    one, players = np.ones(trace.matches), trace.plan.players
    ordered = np.sort(trace.points, axis=1)[:, ::-1]
    found = {
        "points": Column(trace.points.sum(axis=1), players * one),
        "winner_points": Column(ordered[:, 0], one, spread=True),
    }
    if len(trace.parties) > 1 and players > 1:
        found["margin"] = Column(ordered[:, 0] - ordered[:, 1], one, spread=True)
        by_place = np.take_along_axis(trace.points, trace.orders, axis=1)
        found |= {f"points_at.{place + 1}": Column(by_place[:, place], one) for place in range(players)}
    return found


def attacks(trace: Trace) -> Columns:
    """Return the attacks in a match, and how often an attack hits the seat that has attacked before."""
    mention = trace.plan.subject.elements.attacks
    if mention is None:
        return {}
    match, _step, attacker, target = trace.mentions(mention)
    latest: dict[tuple[int, int], int] = {}
    back = np.zeros(len(match))
    answers = np.zeros(len(match))
    for k, (number, one, other) in enumerate(zip(match.tolist(), attacker.tolist(), target.tolist(), strict=True)):
        if (number, one) in latest:
            answers[k] = 1
            back[k] = latest[number, one] == other
        latest[number, other] = one
    found = {"attacks": Column(trace.count(match), np.ones(trace.matches))}
    if trace.plan.players > 2:
        found["revenge"] = Column(trace.count(match, back), trace.count(match, answers))
    return found


def counted_events(trace: Trace) -> Columns:
    """Return the own counters. A variant that lacks the events of a counter has no such column."""
    found: Columns = {}
    edition, players, one = trace.plan.subject.edition_for(trace.plan.options), trace.plan.players, np.ones(trace.matches)
    for name, text in trace.plan.own.counters.items():
        counter = counter_for(edition, text, players)
        if isinstance(counter, BadSetup):
            found[f"own.{name}"] = Column(0 * one, one)
            continue
        rows = counter.rows(trace.told)
        found[f"own.{name}"] = Column(trace.count(rows[:, 0]), one)
        for seat in range(players if counter.by >= 0 else 0):
            found[f"own.{name}.{seat + 1}"] = Column(trace.count(rows[rows[:, 5 + counter.by] == seat][:, 0]), one)
    return found


MEASURES = (fairness, length_of_matches, choice, use_of_actions, use_of_pieces, scores, attacks, counted_events)
"""The functions in the order of the questions."""


def measured(trace: Trace) -> Columns:
    """Return the columns of these matches, without what stopped matches would add."""
    return counted({name: column for measure in MEASURES for name, column in measure(trace).items()}, trace.stopped)
