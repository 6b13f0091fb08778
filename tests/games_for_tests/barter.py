"""Barter: players offer goods to each other. The payoffs are points, and both traders can gain (a general-sum game)."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Annotated, Any, cast

import numpy as np

from meadhall.sdk import (
    CLOCKWISE,
    I8,
    Elements,
    Game,
    GameRules,
    Grid,
    OfferState,
    PayoffRange,
    Row,
    Scoring,
    all_seats_but,
    below,
    close_offer,
    is_offered,
    make_offer,
    record,
    refuse_offer,
    register,
    rule,
)

SEATS = 4
KINDS = 3
GOODS = 4
TURNS = 2
OFFERS = 2

# Actions: 0 to 8 offer good action // 3 for good action % 3; the others follow.
ACCEPT, REFUSE, END = range(KINDS * KINDS, KINDS * KINDS + 3)


@record
class State(OfferState):
    turns: I8
    goods: Annotated[Grid, np.int8, SEATS, KINDS]  # the number of each kind


@rule
def setup(state: State, players: int, _options: Any, _log: Grid) -> None:
    state.reveals += 1
    for seat in range(players):
        for _ in range(GOODS):
            state.goods[seat, below(state.rng, KINDS)] += 1


@rule
def legal(state: State, out: Row) -> int:
    count = 0
    if is_offered(state):
        if state.goods[state.actor, state.offer_terms % KINDS] > 0:
            out[count] = ACCEPT
            count += 1
        out[count] = REFUSE
        return count + 1
    for action in range(KINDS * KINDS):
        given = action // KINDS
        if given != action % KINDS and state.goods[state.actor, given] > 0 and state.offers_made < OFFERS:
            out[count] = action
            count += 1
    out[count] = END
    return count + 1


@rule
def play(state: State, action: int, _log: Grid) -> None:
    if action == ACCEPT:
        move(state, state.offer_by, state.actor, state.offer_terms // KINDS)
        move(state, state.actor, state.offer_by, state.offer_terms % KINDS)
        close_offer(state)
    elif action == REFUSE:
        refuse_offer(state)
    elif action == END:
        state.turns += 1
        state.offers_made = 0
        state.actor = -1 if state.turns == TURNS * state.players else (state.actor + 1) % state.players
    else:
        make_offer(state, action, all_seats_but(state, state.actor))


@rule
def move(state: State, giver: int, taker: int, good: int) -> None:
    state.goods[giver, good] -= 1
    state.goods[taker, good] += 1


@rule
def score(state: State, out: Any) -> None:
    """Three goods of a kind bring three points more."""
    for seat in range(state.players):
        out[seat] = GOODS
        for good in range(KINDS):
            out[seat] += 3 if state.goods[seat, good] >= 3 else 0


@rule
def greedy(state: State, legal: Row, count: int, _rng: Row) -> int:
    """Collect the most frequent good; accept what brings one more of it."""
    best = 0
    for good in range(KINDS):
        if state.goods[state.actor, good] > state.goods[state.actor, best]:
            best = good
    if is_offered(state):
        return legal[0] if state.offer_terms // KINDS == best and state.offer_terms % KINDS != best else REFUSE
    for k in range(count - 1):
        if legal[k] % KINDS == best:
            return legal[k]
    return END


game = register(
    Game(
        name="barter",
        max_players=SEATS,
        actions=END + 1,
        elements=Elements(first_order=CLOCKWISE),
        state=State,
        rules=cast("GameRules", SimpleNamespace(setup=setup, legal=legal, play=play, score=score)),
        greedy=greedy,
        scoring=Scoring.POINTS,
        payoffs=PayoffRange(GOODS, GOODS + 3),
    )
)
