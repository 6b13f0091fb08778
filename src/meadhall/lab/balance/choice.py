"""Choice: how many legal actions there are, how many decisions leave none, and how this changes through a match."""

from __future__ import annotations

import numpy as np

from meadhall.lab.balance.columns import Column, Columns
from meadhall.lab.balance.trace import Trace

PARTS = 10
"""The number of equal parts of a match for curves."""


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
