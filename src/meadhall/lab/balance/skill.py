"""Skill and luck: what a bot wins among others, without a kind of action, and how much the deal decides among random players."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import nan

import numpy as np

from meadhall.lab.balance.columns import Column, Columns
from meadhall.lab.balance.trace import Setting, Tracer
from meadhall.lab.kinds import kind_mask

REPEATS = 16
"""The number of matches of random players with the same deal."""


def measured_agency(setting: Setting, numbers: Sequence[int]) -> Columns:
    """Return the wins in fair shares of the setting's bot among random players."""
    return {"agency": first_bot(replace(setting, bots=(setting.bots[0], *("random",) * (setting.players - 1))), numbers)}


def measured_without(setting: Setting, numbers: Sequence[int], kind: str) -> Columns:
    """Return the wins of a bot that avoids a kind of action, among bots that don't, for each win where it doesn't either.

    Both play the same matches with the same choices, so that only what the ban changes makes a difference.
    """
    mask = kind_mask(setting.subject, [kind])
    avoiding = replace(setting, avoided=(mask, *(0,) * (setting.players - 1)))
    banned, free = (first_bot(each, numbers).sums for each in (avoiding, setting))
    return {f"without.{kind}": Column(banned, free)}


def first_bot(setting: Setting, numbers: Sequence[int]) -> Column:
    """Return the wins in fair shares of the first bot of a setting, which sits on every seat in turn."""
    trace = Tracer(setting).trace(numbers)
    seats = (-trace.numbers) % setting.players  # see ``Setting.seating``
    return Column(trace.fair_shares[np.arange(trace.matches), seats], np.ones(trace.matches))


def measured_luck(setting: Setting, numbers: Sequence[int]) -> Columns:
    """Return how much of the variance of results between random players is between deals (the intraclass correlation).

    Goodman, Perez-Liebana, Lucas: Seeding for Success (2025) measure the span and the entropy of results over deals; here the
    noise of a finite number of matches for each deal is taken out. ``numbers`` are those of deals.
    """
    players = setting.players
    random = replace(setting, bots=("random",) * players, avoided=(0,) * players, repeats=REPEATS)
    tracer = Tracer(random)
    trace = tracer.trace([REPEATS * deal + k for deal in numbers for k in range(REPEATS)])
    seats = [party[0] for party in trace.parties]
    shares = trace.shares[:, seats].reshape(len(numbers), REPEATS, len(seats))
    rates = shares.mean(axis=1)
    squares = (shares**2).mean(axis=1)
    ended = shares[~np.isnan(shares)]
    fair = 1 / len(seats) if len(seats) > 1 else float(ended.mean()) if ended.size else nan
    same = (REPEATS * rates**2 - squares) / (REPEATS - 1)  # an unbiased estimate of the square of the true rate
    found = {"luck": Column((same - fair**2).sum(axis=1), (squares - fair**2).sum(axis=1))}
    if len(seats) > 1:
        logs = np.log(np.where(rates > 0, rates, 1.0))
        found["deal_entropy"] = Column(-(rates * logs).sum(axis=1) / np.log(len(seats)), np.ones(len(numbers)))
        found["deal_best"] = Column(rates.max(axis=1), np.ones(len(numbers)), spread=True)
    return found
