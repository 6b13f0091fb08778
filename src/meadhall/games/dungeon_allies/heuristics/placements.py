"""The value of placing a die anywhere except on a square: turn order, treasure, trainer, tavern, prisoners, trade, sorcerer."""

from __future__ import annotations

import numpy as np

from meadhall.games.dungeon_allies.heuristics.evaluation import (
    Floats,
    card_value,
    coming_price,
    fill_crystal_values,
    turns_left,
    value_of_items,
)
from meadhall.games.dungeon_allies.heuristics.fights import count_dice, dice_on
from meadhall.games.dungeon_allies.pieces import (
    COLOURS,
    DICE,
    DISPLAY,
    ITEMS,
    NONE,
    TARGETS,
    TRACK,
    TRAINER_SPACES,
    TREASURES,
    Die,
    Item,
    Target,
)
from meadhall.games.dungeon_allies.rules.placement import (
    can_bid,
    can_free,
    can_loot,
    count_allies,
    is_on_track,
    unplaced_dice,
)
from meadhall.games.dungeon_allies.rules.village import is_guarded
from meadhall.games.dungeon_allies.state import State, lowest_die
from meadhall.sdk import i64, rule

ORDER_VALUE = 0.8  # of each place gained in the turn order
TRAINING_VALUE = 0.48  # of a larger die, for each remaining turn, divided by the number of players
DIE_VALUE = 0.55  # of one more die, for each remaining turn
ROOM_FRACTION = 0.4  # of the value of a follower, for room below the smallest die
OUTBID_COST = 0.5  # expected extra gold because other players raise the bid


@rule
def add_expected_income(state: State, seat: int, winning: float, budget: Floats) -> None:
    """Add to the budget what this turn is expected to bring before step 6, and the result of step 6 for dice already placed."""
    for item in range(ITEMS):
        for space in range(TREASURES):
            if state.holder[Target.TREASURE + space] == seat:
                budget[item] += state.treasure[space, item] * (winning if is_guarded(state, space) else 1.0)
        for space in range(TRACK):
            if state.track[space] == seat:
                budget[item] += state.track_gift[space, item]
        for space in range(state.prisoners):
            if state.holder[Target.PRISONER + space] == seat:
                budget[item] += state.reward[space, item] - (0 if state.offering_first else state.offering[space, item])


@rule
def fill_place_values(
    state: State, seat: int, unplaced: int, budget: Floats, crystal_values: Floats, winning: float, values: Floats
) -> None:
    """Fill in ``values[target, die]``: what each unplaced die would bring there; 0 on squares and closed spaces."""
    if not is_on_track(state, seat):
        fill_target(values, i64(Target.TURN_ORDER), unplaced, value_of_turn_order(state, seat, crystal_values))
    for space in range(TREASURES):
        if can_loot(state, seat, space):
            likely = winning if is_guarded(state, space) else 1.0
            fill_target(values, Target.TREASURE + space, unplaced, likely * value_of_items(state.treasure, space, crystal_values))
    for die in range(Die.D12):
        if (unplaced >> die) & 1:
            values[Target.TRAINER, die] = value_of_training(state, seat, die)
    if can_bid(state, seat):
        fill_target(values, i64(Target.TAVERN), unplaced, value_of_tavern(state, seat, unplaced))
    for space in range(state.prisoners):
        if can_free(state, seat, space):
            fill_target(values, Target.PRISONER + space, unplaced, value_of_prisoner(state, space, budget, crystal_values))
    fill_target(values, i64(Target.TRADE), unplaced, value_of_trade(state, seat, budget, crystal_values))
    for space in range(DISPLAY):
        if state.display[space] != NONE and state.holder[Target.SORCERER + space] == NONE:
            fill_target(
                values,
                Target.SORCERER + space,
                unplaced,
                value_of_card_space(state, seat, state.display[space], budget, crystal_values),
            )


@rule
def fill_target(values: Floats, target: int, unplaced: int, value: float) -> None:
    """Fill in the same value for every unplaced die."""
    for die in range(DICE):
        if (unplaced >> die) & 1:
            values[target, die] = value


@rule
def rank_places(values: Floats, ranked: Floats) -> None:
    """Rank the best values in falling order: each target counts once, the trainer once for each die."""
    for target in range(Target.TURN_ORDER, TARGETS):
        best = 0.0
        for die in range(DICE):
            best = max(best, values[target, die])
            if target == Target.TRAINER:
                insert(ranked, values[target, die])
        if target != Target.TRAINER:
            insert(ranked, best)


@rule
def insert(ranked: Floats, value: float) -> None:
    """Insert a value into a list in falling order. The last value of the list drops out."""
    for k in range(len(ranked)):
        if value > ranked[k]:
            ranked[k], value = value, ranked[k]


@rule
def value_of_turn_order(state: State, seat: int, crystal_values: Floats) -> float:
    """DA-5.1: The gift, and the places gained."""
    space = 0
    while state.track[space] != NONE:
        space += 1
    place = 0
    while state.order[place] != seat:
        place += 1
    return value_of_items(state.track_gift, space, crystal_values) + ORDER_VALUE * max(place - space, 0) * min(
        turns_left(state), 1.0
    )


@rule
def dice_after_training(state: State, seat: int) -> int:
    """DA-7.1: The dice that a seat will have after this turn's training, as a mask."""
    mask = 0
    for die in range(DICE):
        mask |= (state.ally[seat, die] != NONE) << die
    for space in range(state.trainees):
        die = state.trainee[space] % DICE
        if state.trainee[space] // DICE == seat and not (mask >> (die + 1)) & 1:
            mask += 1 << die
    return mask


@rule
def smallest(mask: int) -> int:
    """Return the smallest die of a mask; DICE if the mask is empty."""
    die: int = Die.D4
    while die < DICE and not (mask >> die) & 1:
        die += 1
    return die


@rule
def value_of_training(state: State, seat: int, die: int) -> float:
    """DA-7.1: A larger die for the rest of the match. DA-8.3: Perhaps also room for a follower below the smallest die."""
    mask = dice_after_training(state, seat)
    if (mask >> die) & 3 != 1:
        return 0.0
    value = TRAINING_VALUE * turns_left(state) / state.players
    if die == Die.D4 and state.bidder == seat:
        return value + follower_value(state)  # without training there is no room for the follower
    if state.followers > 0 and count_allies(state, seat) < DICE and smallest(mask) == Die.D4:
        if die == Die.D4:
            value += ROOM_FRACTION * follower_value(state)
        elif die == Die.D6:
            value += ROOM_FRACTION * follower_value(state) / 2  # so that the d4 can be trained
    return value


@rule
def follower_value(state: State) -> float:
    """Return the value of one more die in every remaining turn."""
    return DIE_VALUE * turns_left(state)


@rule
def value_of_tavern(state: State, seat: int, unplaced: int) -> float:
    """DA-8.3: A follower, if there will be room below the smallest die, less the bid."""
    if not will_have_room(state, seat, unplaced):
        return 0.0
    return follower_value(state) - (state.first_bid if state.bidder == NONE else state.bid + 1) - OUTBID_COST


@rule
def has_room(state: State, seat: int, mask: int) -> bool:
    """DA-8.3: Whether these dice leave room below the smallest. DA-19.3: Or below those of the characters."""
    if not state.below_characters:
        return smallest(mask) > Die.D4
    lowest = lowest_die(state, seat)
    if not (mask >> lowest) & 1:
        lowest += 1  # it is being trained
    below = (1 << lowest) - 1
    return mask & below != below


@rule
def will_have_room(state: State, seat: int, unplaced: int) -> bool:
    """DA-8.4: Whether the smallest die will be larger than a d4 after this turn's training, or can still be trained."""
    mask = dice_after_training(state, seat)
    if has_room(state, seat, mask):
        return True
    return (
        (mask >> Die.D6) & 1 == 0
        and (unplaced >> Die.D4) & 1 == 1
        and count_dice(unplaced) > 1
        and state.trainees < TRAINER_SPACES
    )


@rule
def value_of_bid(state: State, seat: int, amount: int) -> float:
    """DA-8.2: A higher bid costs more but is less likely to be outbid. DA-19.1: A lost one may cost nothing."""
    keeping = 1.0
    for other in range(state.players):
        rival = other != seat and unplaced_dice(state, other) > 0 and state.gold[other] > amount
        if rival and has_room(state, other, dice_after_training(state, other)):
            keeping *= 1 - 0.5 * max(0.0, 1 - (amount + 1) / max(1.0, follower_value(state)))
    if state.bids_return:
        return keeping * (follower_value(state) - amount)
    return keeping * follower_value(state) - amount


@rule
def value_of_prisoner(state: State, space: int, budget: Floats, crystal_values: Floats) -> float:
    """DA-9.1: The reward less the offering, if the seat will be able to pay it."""
    for item in range(ITEMS):
        if budget[item] < state.offering[space, item]:
            return 0.0
    return value_of_items(state.reward, space, crystal_values) - value_of_items(state.offering, space, crystal_values)


@rule
def value_of_paying(state: State, seat: int, budget: Floats) -> float:
    """DA-9.1: What the box can give of the reward, less the offering. A crystal that the seat needs for a card is worth more."""
    space = state.cursor
    crystal_values = np.zeros(COLOURS)
    for item in range(ITEMS):
        budget[item] -= state.offering[space, item]
    fill_crystal_values(state, seat, budget, crystal_values)
    value = float(state.reward[space, Item.GOLD] - state.offering[space, Item.GOLD])
    for colour in range(COLOURS):
        given = state.offering[space, colour]
        value += (min(state.reward[space, colour], state.box[colour] + given) - given) * crystal_values[colour]
    return value


@rule
def value_of_card_space(state: State, seat: int, card: int, budget: Floats, crystal_values: Floats) -> float:
    """DA-11.1: A card less its price, if the seat will be able to pay it."""
    price = coming_price(state)
    return float(card_value(state, seat, card, budget) - crystal_values[price]) if budget[price] >= 1 else 0.0


@rule
def value_of_purchase(state: State, seat: int, budget: Floats, crystal_values: Floats) -> float:
    """DA-11.1: The card on offer, less its price; or less the best later card, if the seat could not pay for that any more."""
    price = coming_price(state)
    value = card_value(state, seat, state.display[state.cursor], budget)
    if budget[price] >= 0:
        return float(value - crystal_values[price])
    best = 0.0
    for space in range(state.cursor + 1, DISPLAY):
        if state.holder[Target.SORCERER + space] == seat and state.display[space] != NONE:
            best = max(best, card_value(state, seat, state.display[space], budget))
    return value - best


@rule
def value_of_trade(state: State, seat: int, budget: Floats, crystal_values: Floats) -> float:
    """DA-10.1: The best exchange."""
    best = 0.0
    if dice_on(state, seat, i64(Target.TRADE)) == 0:
        for side in range(2 * state.lines):
            if has_crystals(state, side, budget):
                best = max(best, gain_of_exchange(state, side, crystal_values))
    return best


@rule
def has_crystals(state: State, side: int, budget: Floats) -> bool:
    """DA-10.1: Whether a budget contains one side of a line."""
    for colour in range(COLOURS):
        if budget[colour] < state.exchange[side, colour]:
            return False
    return True


@rule
def gain_of_exchange(state: State, side: int, crystal_values: Floats) -> float:
    """DA-10.1: The value of the other side of a line, less the value of the given side."""
    gain = 0.0
    for colour in range(COLOURS):
        gain += (state.exchange[side ^ 1, colour] - state.exchange[side, colour]) * crystal_values[colour]
    return gain
