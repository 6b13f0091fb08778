"""Length: decisions, turns and rounds of a match, how long players wait, and how long they watch after dropping out."""

from __future__ import annotations

import numpy as np

from meadhall.lab.balance.columns import Column, Columns
from meadhall.lab.balance.trace import Trace


def length(trace: Trace) -> Columns:
    """Return the columns of length. Where the game tells no turns, a turn is a run of decisions of one seat."""
    one, players = np.ones(trace.matches), trace.setting.players
    found = {"decisions": Column(trace.lengths.astype(np.float64), one, spread=True)}
    told = trace.setting.subject.elements.turn
    if told is not None:
        rows = trace.told[trace.told[:, 2] == told]
        found["turns"] = Column(trace.count(rows[:, 0]), one, spread=True)
    else:
        first = np.ones(len(trace.decided), bool)
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
    out = trace.setting.subject.elements.out
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
