"""Scores: the points of players, of winners and by place, and the margin between the first and the second."""

from __future__ import annotations

import numpy as np

from meadhall.lab.balance.columns import Column, Columns
from meadhall.lab.balance.trace import Trace


def scores(trace: Trace) -> Columns:
    """Return the columns of points; none for a game without points."""
    if np.isnan(trace.points).any():
        return {}
    one, players = np.ones(trace.matches), trace.setting.players
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
    mention = trace.setting.subject.elements.attacks
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
    if trace.setting.players > 2:
        found["revenge"] = Column(trace.count(match, back), trace.count(match, answers))
    return found
