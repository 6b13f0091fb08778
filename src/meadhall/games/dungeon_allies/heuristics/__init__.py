"""Heuristics for the bots of Dungeon Allies: the greedy player, and an evaluation of positions between two turns."""

from __future__ import annotations

import numpy as np

from meadhall.games.dungeon_allies.heuristics.evaluation import Floats, count_weak_tiles, fill_budget, fill_crystal_values
from meadhall.games.dungeon_allies.heuristics.fights import (
    count_dice,
    dice_on,
    fill_costs,
    fill_win_values,
    guarded_treasure_value,
    probability_of_any_win,
    value_fights,
    value_of_illuminate,
    value_of_look,
    value_of_preparation,
    value_of_reroll,
    win_probability_on,
)
from meadhall.games.dungeon_allies.heuristics.placements import (
    add_expected_income,
    fill_place_values,
    gain_of_exchange,
    rank_places,
    smallest,
    value_of_bid,
    value_of_paying,
    value_of_purchase,
)
from meadhall.games.dungeon_allies.pieces import (
    COLOURS,
    DICE,
    ITEMS,
    LEVELS,
    MONSTERS,
    NONE,
    SQUARES,
    TARGETS,
    Act,
    Die,
    Phase,
    Target,
    kind_of,
)
from meadhall.games.dungeon_allies.rules.placement import unplaced_dice
from meadhall.games.dungeon_allies.state import State, has_seen, has_tile
from meadhall.sdk import Row, below, rule

GUARDED_FACTOR = 1.1  # for guarded treasure while unplaced dice could win a fight; above 1, as other players want it too
CHOSEN = 1.0
PREFERRED = 2.0
SCALE = 20.0  # a value that squashes to one half
OTHER_DIE_FACTOR = 0.8  # for a die that is not the best choice for its place


@rule
def greedy(state: State, legal: Row, count: int, rng: Row) -> int:
    """Return the action with the highest value; ties are broken at random."""
    values = np.zeros(count)
    budget = np.zeros(ITEMS)
    crystal_values = np.zeros(COLOURS)
    fill_budget(state, state.actor, budget)
    if state.phase == Phase.PLACE:
        fill_placement_values(state, legal, count, budget, crystal_values, values)
    else:
        fill_crystal_values(state, state.actor, budget, crystal_values)
        for k in range(count):
            values[k] = value_of(state, state.actor, legal[k], budget, crystal_values)
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
def value_of(state: State, seat: int, action: int, budget: Floats, crystal_values: Floats) -> float:
    """Return the value of an action in any phase except PLACE."""
    argument = action - kind_of(action)
    if state.phase == Phase.ASSIGN:
        return float(count_weak_tiles(state, state.skill[state.dealt[seat, argument]]))
    if state.phase == Phase.PEEK:
        return value_of_look(state, seat, argument)
    if state.phase == Phase.BID:
        return value_of_bid(state, seat, argument)
    if state.phase == Phase.FIGHT_ORDER:
        return win_probability_on(state, seat, argument, dice_on(state, seat, Target.SQUARE + argument))  # the surest win first
    if state.phase == Phase.PREP:
        return value_of_preparation(state, seat, action, crystal_values)
    if state.phase == Phase.REROLL:
        return value_of_reroll(state, seat, action, crystal_values)
    if state.phase == Phase.FOLLOWER_DIE:
        return float(argument)  # the largest: it is stronger and leaves room below
    if state.phase == Phase.PRISONER:
        return value_of_paying(state, seat, budget) if action == Act.FREE else 0.0
    if state.phase == Phase.TRADE:
        return gain_of_exchange(state, argument, crystal_values) if action != Act.END_TRADE else 0.0
    return value_of_purchase(state, seat, budget, crystal_values) if action == Act.BUY else 0.0


@rule
def fill_placement_values(state: State, legal: Row, count: int, budget: Floats, crystal_values: Floats, values: Floats) -> None:
    """Fill in the values of the legal actions in phase PLACE.

    The plan for the unplaced dice is the best fight, and the best other places for the rest. The action chosen now is the part
    of the plan that is hardest to replace later.
    """
    seat = state.actor
    unplaced = unplaced_dice(state, seat)
    winning = probability_of_any_win(state, seat)
    add_expected_income(state, seat, winning, budget)
    fill_crystal_values(state, seat, budget, crystal_values)

    places = np.zeros((TARGETS, DICE))
    ranked = np.zeros(DICE + 1)
    fill_place_values(
        state, seat, unplaced, budget, crystal_values, GUARDED_FACTOR if count_dice(unplaced) > 1 else winning, places
    )
    rank_places(places, ranked)
    costs = np.zeros(DICE + 1)
    fill_costs(unplaced, ranked, costs)

    win_values = np.zeros((LEVELS, MONSTERS))
    net_values = np.zeros(SQUARES)
    teams = np.zeros(SQUARES, np.int64)
    fill_win_values(state, seat, guarded_treasure_value(state, seat, crystal_values) * (1 - winning), win_values)
    value_fights(state, seat, unplaced, win_values, costs, crystal_values, net_values, teams)

    best = best_square(net_values, NONE)
    fights = net_values[best] > 0
    team = teams[best] if fights else 0
    others = count_dice(unplaced & ~team)
    if fights and others > 0:  # which of the two is harder to replace?
        fights = net_values[best] - max(net_values[best_square(net_values, best)], 0.0) > ranked[0] - ranked[others]
    if legal[count - 1] == Act.ILLUMINATE:
        known = max(net_values[best], 0.0)
        values[count - 1] = PREFERRED * (value_of_illuminate(state, seat, unplaced, win_values, costs, crystal_values, known) > 0)
    spare = unplaced & ~team if unplaced != team else unplaced
    for k in range(count):
        if legal[k] == Act.ILLUMINATE:
            continue
        target, die = (legal[k] - Act.PLACE) // DICE, (legal[k] - Act.PLACE) % DICE
        if target < Target.TURN_ORDER:
            fits = die == largest(teams[target])
            chosen = fights and fits and net_values[target] == net_values[best]
            value = 0.0 if is_interchangeable(state, seat, target) else value_of_die(net_values[target], teams[target], costs)
        else:
            fits = target == Target.TRAINER or die == spare_die(spare, target)
            chosen = not fights and fits and places[target, die] == ranked[0]
            value = places[target, die]
        values[k] = CHOSEN if chosen else CHOSEN * squash(value if fits else OTHER_DIE_FACTOR * value)


@rule
def value_of_die(net_value: float, team: int, costs: Floats) -> float:
    """Return what a fight brings for each die that it takes."""
    return float((net_value + costs[count_dice(team)]) / count_dice(team))


@rule
def squash(value: float) -> float:
    """Map the value of an action that is not chosen to a number below 1, so that a search tries the better ones first."""
    return max(value, 0.0) / (max(value, 0.0) + SCALE)


@rule
def is_interchangeable(state: State, seat: int, square: int) -> bool:
    """Return whether another square of the level with a lower number is also unseen and without dice."""
    if has_seen(state, seat, square) or state.holder[Target.SQUARE + square] != NONE:
        return False
    for other in range(square - 1, -1, -1):
        if state.level[other] != state.level[square]:
            return False
        if has_tile(state, other) and not has_seen(state, seat, other) and state.holder[Target.SQUARE + other] == NONE:
            return True
    return False


@rule
def spare_die(mask: int, target: int) -> int:
    """Return the smallest die; for the tavern rather not the d4, which may need training to make room for the follower."""
    return smallest(mask & ~(1 << Die.D4)) if target == Target.TAVERN and mask != 1 << Die.D4 else smallest(mask)


@rule
def best_square(net_values: Floats, excluded: int) -> int:
    """Return the square with the best fight, leaving out ``excluded``."""
    best = 0 if excluded != 0 else 1
    for square in range(SQUARES):
        if square != excluded and net_values[square] > net_values[best]:
            best = square
    return best


@rule
def largest(mask: int) -> int:
    """Return the largest die of a mask that is not empty."""
    die: int = Die.D12
    while not (mask >> die) & 1:
        die -= 1
    return die
