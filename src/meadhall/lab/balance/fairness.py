"""Fairness: wins by place in the order of the first turns and by start pieces, and matches that several win."""

from __future__ import annotations

import numpy as np

from meadhall.lab.balance.columns import Column, Columns
from meadhall.lab.balance.trace import Trace


def fairness(trace: Trace) -> Columns:
    """Return the columns of fairness."""
    one = np.ones(trace.matches)
    if len(trace.parties) == 1:
        return {"won": Column(trace.shares[:, 0], one)}
    by_place = np.take_along_axis(trace.fair_shares, trace.orders, axis=1)
    found = {f"place.{place + 1}": Column(by_place[:, place], one) for place in range(trace.setting.players)}
    best = trace.shares.max(axis=1, keepdims=True)
    winners = (trace.shares == best)[:, [party[0] for party in trace.parties]].sum(axis=1)
    found["shared"] = Column((winners > 1).astype(np.float64), one)
    return found | _dealt(trace)


def _dealt(trace: Trace) -> Columns:
    """Return the wins in fair shares of the owner of each start piece, where not every seat has the same pieces."""
    found = {}
    for kind in trace.setting.subject.elements.pieces:
        match, step, seat, piece = trace.acquired(kind)
        if (step > 0).any():
            continue  # pieces of this kind come into play later, too
        for number in np.unique(piece):
            here = piece == number
            won = trace.fair_shares[match[here], seat[here]]
            found[f"dealt.{kind.name}.{number}"] = Column(trace.count(match[here], won), trace.count(match[here]))
    return found
