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
    Table,
)

HOPE = 1.1  # what guarded treasure is worth while dice still wait that could win a fight: more than itself, as others want it too
CHOSEN = 1.0
PREFERRED = 2.0


@rule
def greedy(table: Table, legal: Row, count: int, rng: Row) -> int:
    """What is worth most; ties are drawn."""
    values = np.zeros(count)
    purse = np.zeros(ITEMS)
    worth = np.zeros(COLOURS)
    fill_purse(table, table.actor, purse)
    if table.phase == Phase.PLACE:
        value_placements(table, legal, count, purse, worth, values)
    else:
        appraise(table, table.actor, purse, worth)
        for k in range(count):
            values[k] = value_of(table, table.actor, legal[k], purse, worth)
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
def value_of(table: Table, seat: int, action: int, purse: Values, worth: Values) -> float:
    """What an action is worth, in any phase but PLACE."""
    if table.phase == Phase.ASSIGN:
        return float(count_weak(table, table.skill[table.dealt[seat, action - ASSIGN]]))
    if table.phase == Phase.PEEK:
        return value_of_look(table, seat, action - PEEK)
    if table.phase == Phase.BID:
        return value_of_bid(table, seat, action - BID)
    if table.phase == Phase.FIGHT_ORDER:
        square = action - FIGHT
        return chance_on(table, seat, square, dice_on(table, seat, ON_SQUARE + square))  # the surest first
    if table.phase == Phase.PREP:
        return value_of_preparation(table, seat, action, worth)
    if table.phase == Phase.REROLL:
        return value_of_reroll(table, seat, action, worth)
    if table.phase == Phase.FOLLOWER_DIE:
        return float(action - FOLLOWER_DIE)  # the largest: it is stronger, and leaves room below
    if table.phase == Phase.TRADE:
        return gain_of_exchange(table, action - TRADE, worth) if action != END_TRADE else 0.0
    return value_of_purchase(table, seat, purse, worth) if action == BUY else 0.0


@rule
def value_placements(table: Table, legal: Row, count: int, purse: Values, worth: Values, values: Values) -> None:
    """A plan for the dice that wait: the best fight, and the best of the other places. What of it can least wait is chosen."""
    seat = table.actor
    waiting = waiting_dice(table, seat)
    winning = chance_of_a_win(table, seat)
    expect_income(table, seat, winning, purse)
    appraise(table, seat, purse, worth)

    places = np.zeros((TARGETS, DICE))
    ranked = np.zeros(DICE + 1)
    value_places(table, seat, waiting, purse, worth, HOPE if size(waiting) > 1 else winning, places)
    rank(places, ranked)

    prizes = np.zeros((LEVELS, MONSTERS))
    nets = np.zeros(SQUARES)
    parties = np.zeros(SQUARES, np.int64)
    list_prizes(table, seat, guarded_spoils(table, seat, worth) * (1 - winning), prizes)
    value_fights(table, seat, waiting, prizes, ranked, worth, nets, parties)

    best = best_of(nets, NONE)
    fights = nets[best] > 0
    party = parties[best] if fights else 0
    others = size(waiting & ~party)
    if fights and others > 0:  # which of the two could less well be replaced?
        fights = nets[best] - max(nets[best_of(nets, best)], 0.0) > ranked[0] - ranked[others]
    if legal[count - 1] == ILLUMINATE:
        known = max(nets[best], 0.0)
        values[count - 1] = PREFERRED * (value_of_illuminate(table, seat, waiting, prizes, ranked, worth, known) > 0)
    for k in range(count):
        target, die = (legal[k] - PLACE) // DICE, (legal[k] - PLACE) % DICE
        if legal[k] == ILLUMINATE:
            continue
        if fights:
            chosen = target < ON_TRACK and nets[target] == nets[best] and die == largest(parties[target])
        else:
            fits = target == ON_TRAINER or die == spare_die(waiting & ~party, target)
            chosen = target >= ON_TRACK and places[target, die] == ranked[0] and fits
        if chosen:
            values[k] = CHOSEN


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
