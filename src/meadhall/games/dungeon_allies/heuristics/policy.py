"""The greedy player: it values every action and takes the best one."""

from __future__ import annotations

import numpy as np

from meadhall.engine.chance import below
from meadhall.engine.rule import rule
from meadhall.engine.schema import Row
from meadhall.games.dungeon_allies.heuristics.fights import (
    chance_of_a_win,
    chance_on,
    dice_on,
    guarded_spoils,
    list_costs,
    list_prizes,
    size,
    value_fights,
    value_of_illuminate,
    value_of_look,
    value_of_preparation,
    value_of_reroll,
)
from meadhall.games.dungeon_allies.heuristics.places import (
    expect_income,
    gain_of_exchange,
    rank,
    smallest,
    value_of_bid,
    value_of_purchase,
    value_places,
)
from meadhall.games.dungeon_allies.heuristics.worth import Values, appraise, count_weak, fill_purse
from meadhall.games.dungeon_allies.rules.placement import waiting_dice
from meadhall.games.dungeon_allies.state import (
    ASSIGN,
    BID,
    BUY,
    COLOURS,
    D4,
    D12,
    DICE,
    END_TRADE,
    FIGHT,
    FOLLOWER_DIE,
    ILLUMINATE,
    ITEMS,
    LEVEL_SQUARES,
    LEVELS,
    MONSTERS,
    NONE,
    ON_SQUARE,
    ON_TAVERN,
    ON_TRACK,
    ON_TRAINER,
    PEEK,
    PLACE,
    SQUARES,
    TARGETS,
    TRADE,
    Phase,
    State,
    has_seen,
    has_tile,
    level_of,
)

HOPE = 1.1  # what guarded treasure is worth while dice still wait that could win a fight: more than itself, as others want it too
CHOSEN = 1.0
PREFERRED = 2.0
MUCH = 20.0  # for a die to bring
MISFIT = 0.8  # of what a place brings, if another die would do


@rule
def greedy(state: State, legal: Row, count: int, rng: Row) -> int:
    """What is worth most; ties are drawn."""
    values = np.zeros(count)
    purse = np.zeros(ITEMS)
    worth = np.zeros(COLOURS)
    fill_purse(state, state.actor, purse)
    if state.phase == Phase.PLACE:
        value_placements(state, legal, count, purse, worth, values)
    else:
        appraise(state, state.actor, purse, worth)
        for k in range(count):
            values[k] = value_of(state, state.actor, legal[k], purse, worth)
    best = tied = 0
    for k in range(count):
        if values[k] > values[best]:
            best = k
            tied = 0
        if values[k] == values[best]:
            tied += 1
            if below(rng, tied) == 0:
                best = k
    return legal[best]


@rule
def value_of(state: State, seat: int, action: int, purse: Values, worth: Values) -> float:
    """What an action is worth, in any phase but PLACE."""
    if state.phase == Phase.ASSIGN:
        return float(count_weak(state, state.skill[state.dealt[seat, action - ASSIGN]]))
    if state.phase == Phase.PEEK:
        return value_of_look(state, seat, action - PEEK)
    if state.phase == Phase.BID:
        return value_of_bid(state, seat, action - BID)
    if state.phase == Phase.FIGHT_ORDER:
        square = action - FIGHT
        return chance_on(state, seat, square, dice_on(state, seat, ON_SQUARE + square))  # the surest first
    if state.phase == Phase.PREP:
        return value_of_preparation(state, seat, action, worth)
    if state.phase == Phase.REROLL:
        return value_of_reroll(state, seat, action, worth)
    if state.phase == Phase.FOLLOWER_DIE:
        return float(action - FOLLOWER_DIE)  # the largest: it is stronger, and leaves room below
    if state.phase == Phase.TRADE:
        return gain_of_exchange(state, action - TRADE, worth) if action != END_TRADE else 0.0
    return value_of_purchase(state, seat, purse, worth) if action == BUY else 0.0


@rule
def value_placements(state: State, legal: Row, count: int, purse: Values, worth: Values, values: Values) -> None:
    """A plan for the dice that wait: the best fight, and the best of the other places. What of it can least wait is chosen."""
    seat = state.actor
    waiting = waiting_dice(state, seat)
    winning = chance_of_a_win(state, seat)
    expect_income(state, seat, winning, purse)
    appraise(state, seat, purse, worth)

    places = np.zeros((TARGETS, DICE))
    ranked = np.zeros(DICE + 1)
    value_places(state, seat, waiting, purse, worth, HOPE if size(waiting) > 1 else winning, places)
    rank(places, ranked)
    costs = np.zeros(DICE + 1)
    list_costs(waiting, ranked, costs)

    prizes = np.zeros((LEVELS, MONSTERS))
    nets = np.zeros(SQUARES)
    parties = np.zeros(SQUARES, np.int64)
    list_prizes(state, seat, guarded_spoils(state, seat, worth) * (1 - winning), prizes)
    value_fights(state, seat, waiting, prizes, costs, worth, nets, parties)

    best = best_of(nets, NONE)
    fights = nets[best] > 0
    party = parties[best] if fights else 0
    others = size(waiting & ~party)
    if fights and others > 0:  # which of the two could less well be replaced?
        fights = nets[best] - max(nets[best_of(nets, best)], 0.0) > ranked[0] - ranked[others]
    if legal[count - 1] == ILLUMINATE:
        known = max(nets[best], 0.0)
        values[count - 1] = PREFERRED * (value_of_illuminate(state, seat, waiting, prizes, costs, worth, known) > 0)
    spare = waiting & ~party if waiting != party else waiting
    for k in range(count):
        if legal[k] == ILLUMINATE:
            continue
        target, die = (legal[k] - PLACE) // DICE, (legal[k] - PLACE) % DICE
        if target < ON_TRACK:
            fits = die == largest(parties[target])
            chosen = fights and fits and nets[target] == nets[best]
            value = 0.0 if is_twin(state, seat, target) else value_of_die(nets[target], parties[target], costs)
        else:
            fits = target == ON_TRAINER or die == spare_die(spare, target)
            chosen = not fights and fits and places[target, die] == ranked[0]
            value = places[target, die]
        values[k] = CHOSEN if chosen else CHOSEN * runner_up(value if fits else MISFIT * value)


@rule
def value_of_die(net: float, party: int, costs: Values) -> float:
    """What a fight brings for each die that it takes."""
    return float((net + costs[size(party)]) / size(party))


@rule
def runner_up(value: float) -> float:
    """How placements that are not chosen stand to each other, below 1: for a search, which tries some of them."""
    return max(value, 0.0) / (max(value, 0.0) + MUCH)


@rule
def is_twin(state: State, seat: int, square: int) -> bool:
    """Whether the seat knows as little of another square of the level, with a lower number, and no die lies on either."""
    if has_seen(state, seat, square) or state.holder[ON_SQUARE + square] != NONE:
        return False
    for other in range(LEVEL_SQUARES * level_of(square), square):
        if has_tile(state, other) and not has_seen(state, seat, other) and state.holder[ON_SQUARE + other] == NONE:
            return True
    return False


@rule
def spare_die(mask: int, target: int) -> int:
    """The smallest die; but the d4 doesn't wait in the tavern, as it may have to be trained to make room there."""
    return smallest(mask & ~(1 << D4)) if target == ON_TAVERN and mask != 1 << D4 else smallest(mask)


@rule
def best_of(nets: Values, but: int) -> int:
    """The square with the best fight but for one."""
    best = 0 if but != 0 else 1
    for square in range(SQUARES):
        if square != but and nets[square] > nets[best]:
            best = square
    return best


@rule
def largest(mask: int) -> int:
    """The largest die of a mask, which is not empty."""
    die = D12
    while not (mask >> die) & 1:
        die -= 1
    return die
