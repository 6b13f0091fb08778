"""What a die is worth on the other places: turn order, treasure, trainer, tavern, prisoners, trade, sorcerer."""

from __future__ import annotations

from meadhall.engine.rule import rule
from meadhall.games.dungeon_allies.heuristics.fights import dice_on, size
from meadhall.games.dungeon_allies.heuristics.worth import Values, card_worth, price_to_come, turns_left, worth_of
from meadhall.games.dungeon_allies.rules.placement import can_bid, count_allies, is_on_track, waiting_dice
from meadhall.games.dungeon_allies.rules.treasure import is_guarded
from meadhall.games.dungeon_allies.state import (
    COLOURS,
    D4,
    D6,
    D12,
    DICE,
    DISPLAY,
    ITEMS,
    NONE,
    ON_PRISONER,
    ON_SORCERER,
    ON_TAVERN,
    ON_TRACK,
    ON_TRADE,
    ON_TRAINER,
    ON_TREASURE,
    PRISONERS,
    TARGETS,
    TRACK,
    TRADES,
    TRAINER_SPACES,
    TREASURES,
    State,
)

AHEAD = 0.8  # a place further ahead in the turn order
STRONGER = 0.48  # a larger die, for each turn that is left, to all players together
DIE = 0.55  # what a die more brings in a turn
ROOM = 0.4  # of what a follower is worth: room for it below the smallest die
OUTBID = 0.5  # what others may drive the bid up by


@rule
def expect_income(state: State, seat: int, winning: float, purse: Values) -> None:
    """What this turn will bring before step 6, and what of it is promised already."""
    for item in range(ITEMS):
        for space in range(TREASURES):
            if state.holder[ON_TREASURE + space] == seat:
                purse[item] += state.treasure[space, item] * (winning if is_guarded(state, space) else 1.0)
        for space in range(TRACK):
            if state.track[space] == seat:
                purse[item] += state.track_gift[space, item]
        for space in range(PRISONERS):
            if state.holder[ON_PRISONER + space] == seat:
                purse[item] += state.reward[space, item] - state.offering[space, item]


@rule
def value_places(state: State, seat: int, waiting: int, purse: Values, worth: Values, winning: float, values: Values) -> None:
    """[target, die]: what each die that waits would bring there, as far as the place is open; 0 on squares."""
    if not is_on_track(state, seat):
        fill(values, ON_TRACK, waiting, value_of_turn_order(state, seat, worth))
    for space in range(TREASURES):
        if state.holder[ON_TREASURE + space] == NONE:
            likely = winning if is_guarded(state, space) else 1.0
            fill(values, ON_TREASURE + space, waiting, likely * worth_of(state.treasure, space, worth))
    for die in range(D12):
        if (waiting >> die) & 1:
            values[ON_TRAINER, die] = value_of_training(state, seat, die)
    if can_bid(state, seat):
        fill(values, ON_TAVERN, waiting, value_of_tavern(state, seat, waiting))
    for space in range(PRISONERS):
        if state.holder[ON_PRISONER + space] == NONE:
            fill(values, ON_PRISONER + space, waiting, value_of_prisoner(state, space, purse, worth))
    fill(values, ON_TRADE, waiting, value_of_trade(state, seat, purse, worth))
    for space in range(DISPLAY):
        if state.display[space] != NONE and state.holder[ON_SORCERER + space] == NONE:
            fill(values, ON_SORCERER + space, waiting, value_of_card(state, seat, state.display[space], purse, worth))


@rule
def fill(values: Values, target: int, waiting: int, value: float) -> None:
    """The same for every die."""
    for die in range(DICE):
        if (waiting >> die) & 1:
            values[target, die] = value


@rule
def rank(values: Values, ranked: Values) -> None:
    """The best of them in falling order: each place once, the trainer once for each die."""
    for target in range(ON_TRACK, TARGETS):
        best = 0.0
        for die in range(DICE):
            best = max(best, values[target, die])
            if target == ON_TRAINER:
                insert(ranked, values[target, die])
        if target != ON_TRAINER:
            insert(ranked, best)


@rule
def insert(ranked: Values, value: float) -> None:
    """Into a list in falling order; its last value falls off."""
    for k in range(len(ranked)):
        if value > ranked[k]:
            ranked[k], value = value, ranked[k]


@rule
def value_of_turn_order(state: State, seat: int, worth: Values) -> float:
    """DA-5.1: the gift, and the places gained."""
    space = 0
    while state.track[space] != NONE:
        space += 1
    place = 0
    while state.order[place] != seat:
        place += 1
    return worth_of(state.track_gift, space, worth) + AHEAD * max(place - space, 0) * min(turns_left(state), 1.0)


@rule
def trained(state: State, seat: int) -> int:
    """DA-7.1: the dice that a seat will have after this turn's training, as a mask."""
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
    """The smallest die of a mask; DICE if there is none."""
    die = D4
    while die < DICE and not (mask >> die) & 1:
        die += 1
    return die


@rule
def value_of_training(state: State, seat: int, die: int) -> float:
    """DA-7.1: a larger die for the rest of the match; DA-8.3: and perhaps room for a follower below the smallest one."""
    mask = trained(state, seat)
    if (mask >> die) & 3 != 1:
        return 0.0
    value = STRONGER * turns_left(state) / state.players
    if die == D4 and state.bidder == seat:
        return value + follower_worth(state)  # there is no room for it else
    if state.followers > 0 and count_allies(state, seat) < DICE and smallest(mask) == D4:
        if die == D4:
            value += ROOM * follower_worth(state)
        elif die == D6:
            value += ROOM * follower_worth(state) / 2  # it makes way for the d4
    return value


@rule
def follower_worth(state: State) -> float:
    """A die more in every turn that is left."""
    return DIE * turns_left(state)


@rule
def value_of_tavern(state: State, seat: int, waiting: int) -> float:
    """DA-8.3: a follower, if there will be room below the smallest die, less the bid."""
    if not has_room(state, seat, waiting):
        return 0.0
    return follower_worth(state) - (0 if state.bidder == NONE else state.bid + 1) - OUTBID


@rule
def has_room(state: State, seat: int, waiting: int) -> bool:
    """DA-8.4: whether the smallest die will be larger than a d4 after this turn's training, or can still be placed there."""
    mask = trained(state, seat)
    if smallest(mask) > D4:
        return True
    return (mask >> D6) & 1 == 0 and (waiting >> D4) & 1 == 1 and size(waiting) > 1 and state.trainees < TRAINER_SPACES


@rule
def value_of_bid(state: State, seat: int, amount: int) -> float:
    """DA-8.2: the higher the bid, the less likely somebody bids more."""
    keeping = 1.0
    for other in range(state.players):
        rival = other != seat and waiting_dice(state, other) > 0 and state.gold[other] > amount
        if rival and smallest(trained(state, other)) > D4:
            keeping *= 1 - 0.5 * max(0.0, 1 - (amount + 1) / max(1.0, follower_worth(state)))
    return keeping * follower_worth(state) - amount


@rule
def value_of_prisoner(state: State, space: int, purse: Values, worth: Values) -> float:
    """DA-9.1: the reward less the offering, if it can be paid."""
    for item in range(ITEMS):
        if purse[item] < state.offering[space, item]:
            return 0.0
    return worth_of(state.reward, space, worth) - worth_of(state.offering, space, worth)


@rule
def value_of_card(state: State, seat: int, card: int, purse: Values, worth: Values) -> float:
    """DA-11.1: a card less its price, if it can be paid."""
    price = price_to_come(state)
    return float(card_worth(state, seat, card, purse) - worth[price]) if purse[price] >= 1 else 0.0


@rule
def value_of_purchase(state: State, seat: int, purse: Values, worth: Values) -> float:
    """DA-11.1: the card that is offered, less the crystal; or less the best card to come, if it can't be paid then."""
    price = price_to_come(state)
    value = card_worth(state, seat, state.display[state.cursor], purse)
    if purse[price] >= 0:
        return float(value - worth[price])
    best = 0.0
    for space in range(state.cursor + 1, DISPLAY):
        if state.holder[ON_SORCERER + space] == seat and state.display[space] != NONE:
            best = max(best, card_worth(state, seat, state.display[space], purse))
    return value - best


@rule
def value_of_trade(state: State, seat: int, purse: Values, worth: Values) -> float:
    """DA-10.1: the best exchange."""
    best = 0.0
    if dice_on(state, seat, ON_TRADE) == 0:
        for side in range(2 * TRADES):
            if has_crystals(state, side, purse):
                best = max(best, gain_of_exchange(state, side, worth))
    return best


@rule
def has_crystals(state: State, side: int, purse: Values) -> bool:
    """DA-10.1: whether a purse holds one side of a line."""
    for colour in range(COLOURS):
        if purse[colour] < state.exchange[side, colour]:
            return False
    return True


@rule
def gain_of_exchange(state: State, side: int, worth: Values) -> float:
    """DA-10.1: what the other side of a line is worth, less the one that is given."""
    gain = 0.0
    for colour in range(COLOURS):
        gain += (state.exchange[side ^ 1, colour] - state.exchange[side, colour]) * worth[colour]
    return gain
