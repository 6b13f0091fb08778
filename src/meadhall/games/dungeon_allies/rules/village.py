"""Places 2 to 6: the turn order, treasure, the trainer, the tavern and the prisoners; and what players gain and pay."""

from __future__ import annotations

from meadhall.games.dungeon_allies.pieces import (
    COLOURS,
    DICE,
    GOLD_TREASURE,
    ITEMS,
    MONSTERS,
    NONE,
    SIDES,
    TREASURES,
    Act,
    Item,
    Phase,
    Target,
)
from meadhall.games.dungeon_allies.state import Event, State, can_take
from meadhall.sdk import Grid, Row, append_argument, below, emit, rule

GOLD_FIRST = (int(Item.GOLD), *range(COLOURS))
"""The order in which items change hands. Plain integers: rules are compiled once for each type of argument."""


@rule
def holding(state: State, seat: int, item: int) -> int:
    """Return how much of an item a seat has."""
    return state.gold[seat] if item == Item.GOLD else state.crystals[seat, item]


@rule
def receive(state: State, seat: int, item: int, count: int, log: Grid) -> None:
    """Give a seat some items that have left their place already."""
    if count > 0:
        if item == Item.GOLD:
            state.gold[seat] += count
        else:
            state.crystals[seat, item] += count
        emit(log, Event.GAINS, seat, item, count)


@rule
def gain(state: State, seat: int, item: int, count: int, log: Grid) -> None:
    """DA-1.6: Crystals come from the box; those that the box lacks are lost. DA-1.7: Gold never runs out."""
    if item != Item.GOLD:
        count = min(count, state.box[item])
        state.box[item] -= count
    receive(state, seat, item, count, log)


@rule
def spend(state: State, seat: int, colour: int) -> None:
    """DA-1.6: A spent crystal returns to the box."""
    state.crystals[seat, colour] -= 1
    state.box[colour] += 1


@rule
def pay(state: State, seat: int, item: int, count: int, log: Grid) -> None:
    """DA-1.6: Crystals that are paid return to the box, gold to the supply."""
    if count > 0:
        if item == Item.GOLD:
            state.gold[seat] -= count
        else:
            state.crystals[seat, item] -= count
            state.box[item] += count
        emit(log, Event.PAYS, seat, item, count)


@rule
def draw_crystal(state: State) -> int:
    """DA-2.6, DA-12.2: Draw a crystal from the box, each equally likely; NONE if the box is empty."""
    left = 0
    for colour in range(COLOURS):
        left += state.box[colour]
    if left == 0:
        return NONE
    state.reveals += 1
    drawn = below(state.rng, left)
    colour = 0
    while drawn >= state.box[colour]:
        drawn -= state.box[colour]
        colour += 1
    state.box[colour] -= 1
    return colour


@rule
def resolve_turn_order(state: State, log: Grid) -> None:
    """DA-5.1: Players get their gifts, then the order changes. DA-5.2: The new order applies from here on."""
    if state.track[0] == NONE:
        return
    taken = 0
    while taken < state.players and state.track[taken] != NONE:
        for item in GOLD_FIRST:
            gain(state, state.track[taken], item, state.track_gift[taken, item], log)
        taken += 1
    for space in range(taken - 1, -1, -1):
        move_to_front(state, state.track[space])
    emit_order(state, log)


@rule
def move_to_front(state: State, seat: int) -> None:
    """DA-5.1: The seats that were before this one move one place back and keep their order."""
    place = 0
    while state.order[place] != seat:
        place += 1
    for k in range(place, 0, -1):
        state.order[k] = state.order[k - 1]
    state.order[0] = seat


@rule
def emit_order(state: State, log: Grid) -> None:
    emit(log, Event.ORDER, state.order[0])
    for place in range(1, state.players):
        append_argument(log, state.order[place])


@rule
def resolve_treasure(state: State, log: Grid) -> None:
    """DA-6.2: Space by space, the owner of the die takes everything; from a guarded space only after a win this turn."""
    for space in range(TREASURES):
        seat = state.holder[Target.TREASURE + space]
        if seat != NONE:
            if is_guarded(state, space) and not state.won_fight[seat]:
                emit(log, Event.GUARDED, seat, space + 1)
            else:
                loot(state, seat, space, log)


@rule
def is_guarded(state: State, space: int) -> bool:
    """DA-6.1: The gold and every space with a green or white crystal. DA-6.3: Nothing if no monster is left."""
    if state.removed == MONSTERS:
        return False
    return space == GOLD_TREASURE or state.treasure[space, Item.GREEN] > 0 or state.treasure[space, Item.WHITE] > 0


@rule
def loot(state: State, seat: int, space: int, log: Grid) -> None:
    """DA-6.2: The player takes everything, gold first."""
    emit(log, Event.LOOTS, seat, space + 1)
    for item in GOLD_FIRST:
        receive(state, seat, item, state.treasure[space, item], log)
        state.treasure[space, item] = 0


@rule
def add_treasure(state: State, log: Grid) -> None:
    """DA-2.6, DA-12.2: A crystal for each of the first four spaces while the box lasts, and one gold for the last."""
    for space in range(GOLD_TREASURE):
        colour = draw_crystal(state)
        if colour != NONE:
            state.treasure[space, colour] += 1
            emit(log, Event.TREASURE, space + 1, colour)
    state.treasure[GOLD_TREASURE, Item.GOLD] += 1
    emit(log, Event.TREASURE, GOLD_TREASURE + 1, Item.GOLD)


@rule
def resolve_trainer(state: State, log: Grid) -> None:
    """DA-7.1: Dice are resolved from top to bottom."""
    for space in range(state.trainees):
        train(state, state.trainee[space] // DICE, state.trainee[space] % DICE, log)


@rule
def train(state: State, seat: int, die: int, log: Grid) -> None:
    """DA-7.1: The ally gets the next larger die, unless another ally has it now.

    DA-7.2: The ally is the one whose die was placed.
    """
    ally = state.ally[seat, die]
    if state.ally[seat, die + 1] != NONE:
        emit(log, Event.TRAINING_FORFEIT, seat, ally)
        return
    state.ally[seat, die] = NONE
    state.ally[seat, die + 1] = ally
    emit(log, Event.TRAINED, seat, ally, SIDES[die + 1])


@rule
def resolve_tavern(state: State, log: Grid) -> bool:
    """DA-8.3: The follower gets a die smaller than all others. DA-8.4: Without such a die the action is forfeit.

    Returns True when the player must choose the die.
    """
    seat = state.bidder
    if seat == NONE:
        return False
    possible = 0
    only = NONE
    for die in range(DICE):
        if can_take(state, seat, die):
            possible += 1
            only = die
    if possible > 1:
        state.actor = seat
        state.phase = Phase.FOLLOWER_DIE
        return True
    if possible == 1:
        add_follower(state, only, log)
    else:
        state.bidder = NONE
        emit(log, Event.TAVERN_FORFEIT, seat)
    return False


@rule
def list_follower_dice(state: State, out: Row) -> int:
    """DA-8.3: Every size below the lowest. DA-19.3: Of the characters, if no other ally has it."""
    count = 0
    for die in range(DICE):
        if can_take(state, state.actor, die):
            out[count] = Act.FOLLOWER_DIE + die
            count += 1
    return count


@rule
def add_follower(state: State, die: int, log: Grid) -> None:
    """DA-8.3: The follower on top joins the bidder. DA-1.2: The follower's die is this one."""
    state.followers -= 1
    follower = state.stack[state.followers]
    state.stack[state.followers] = NONE
    state.ally[state.bidder, die] = follower
    emit(log, Event.FOLLOWER_JOINS, state.bidder, follower, SIDES[die])
    state.bidder = NONE
    show_follower(state, log)


@rule
def show_follower(state: State, log: Grid) -> None:
    """DA-2.2: Only the follower on top of the stack is visible."""
    if state.followers > 0:
        state.reveals += 1
        emit(log, Event.FOLLOWER_TOP, state.stack[state.followers - 1])


@rule
def resolve_prisoners(state: State, log: Grid) -> bool:
    """DA-9.1: Space by space, players decide if they can pay the offering. True when a player must decide.

    DA-19.4: With this house rule they have paid already, and get the reward.
    """
    while state.cursor < state.prisoners:
        seat = state.holder[Target.PRISONER + state.cursor]
        if seat != NONE and state.offering_first:
            emit(log, Event.FREES, seat, state.cursor + 1)
            take_reward(state, seat, state.cursor, log)
        elif seat != NONE:
            if can_pay(state, seat, state.cursor):
                state.actor = seat
                state.phase = Phase.PRISONER
                return True
            emit(log, Event.PRISONER_FORFEIT, seat, state.cursor + 1)
        state.cursor += 1
    return False


@rule
def can_pay(state: State, seat: int, space: int) -> bool:
    """DA-9.1: Whether a seat has the whole offering."""
    for item in range(ITEMS):
        if holding(state, seat, item) < state.offering[space, item]:
            return False
    return True


@rule
def list_prisoner_answers(out: Row) -> int:
    """DA-9.1: The player may decline or pay."""
    out[0] = Act.KEEP_OFFERING
    out[1] = Act.FREE
    return 2


@rule
def free_prisoner(state: State, log: Grid) -> None:
    """DA-9.1: The player pays the offering, then gets as much of the reward as the box has."""
    space = state.cursor
    emit(log, Event.FREES, state.actor, space + 1)
    pay_offering(state, state.actor, space, log)
    take_reward(state, state.actor, space, log)
    state.cursor += 1


@rule
def pay_offering(state: State, seat: int, space: int, log: Grid) -> None:
    """DA-9.1, DA-19.4: The seat pays the whole offering."""
    for item in GOLD_FIRST:
        pay(state, seat, item, state.offering[space, item], log)


@rule
def take_reward(state: State, seat: int, space: int, log: Grid) -> None:
    """DA-9.1: The seat gets as much of the reward as the box has."""
    for item in GOLD_FIRST:
        gain(state, seat, item, state.reward[space, item], log)


@rule
def keep_offering(state: State, log: Grid) -> None:
    """DA-9.1: Declining is allowed: the crystal may be worth more at a later place."""
    emit(log, Event.PRISONER_DECLINED, state.actor, state.cursor + 1)
    state.cursor += 1
