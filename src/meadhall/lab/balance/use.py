"""Use: how often each kind of action is offered and chosen, and each kind of piece shown, acquired and used."""

from __future__ import annotations

import numpy as np

from meadhall.lab.balance.columns import Column, Columns
from meadhall.lab.balance.trace import Trace
from meadhall.lab.kinds import action_kinds, kinds_by_action


def use_of_actions(trace: Trace) -> Columns:
    """Return the columns of actions. Decisions without a choice don't count.

    Whether a kind is chosen is asked only where another kind is offered, too: else the bot has no way to avoid it.
    """
    found: Columns = {}
    one = np.ones(trace.matches)
    free = trace.legal > 1
    match, offered = trace.match[free], trace.offered[free]
    several = offered & (offered - 1) != 0
    chosen = kinds_by_action(trace.setting.subject)[trace.action[free]]
    for number, kind in enumerate(action_kinds(trace.setting.subject)):
        here = (offered >> number) & 1 == 1
        found[f"offered.{kind.name}"] = Column(trace.count(match[here]), one)
        took, could = (trace.count(match[several & which]) for which in (chosen == number, here))
        found[f"chosen.{kind.name}"] = Column(took, could)
    return found


def use_of_pieces(trace: Trace) -> Columns:
    """Return the columns of pieces that are acquired in play: how often shown, acquired, used, and how their owners do."""
    found: Columns = {}
    one = np.ones(trace.matches)
    rivals = len(trace.parties) > 1
    for kind in trace.setting.subject.elements.pieces:
        match, step, seat, piece = trace.acquired(kind)
        shown = None if kind.shown is None else trace.mentions(kind.shown)
        used = None if kind.used is None else trace.mentions(kind.used)
        played = step > 0
        numbers = np.unique(piece[played])
        if shown is not None:
            numbers = np.union1d(numbers, shown[3])
        if kind.numbers is not None:
            numbers = np.union1d(numbers, np.array(list(kind.numbers(trace.setting.options)), np.int64))
        for number in numbers:
            here = played & (piece == number)
            name = f"{kind.name}.{number}"
            found[f"acquired.{name}"] = Column(trace.count(match[here]), one)
            if shown is not None:
                found[f"shown.{name}"] = Column(trace.count(shown[0][shown[3] == number]), one)
            if used is not None:
                found[f"used.{name}"] = Column(trace.count(used[0][used[3] == number]), one)
            if rivals:
                won = trace.fair_shares[match[here], seat[here]]
                found[f"owner.{name}"] = Column(trace.count(match[here], won), trace.count(match[here]))
    return found
