"""Step 1, excursions (§Excursion, §Crystal Spells Used in Combat): fights, spells, rolls."""

from __future__ import annotations

from meadhall.engine.chance import die as roll
from meadhall.engine.events import emit
from meadhall.engine.rule import rule
from meadhall.engine.schema import Grid, Row
from meadhall.games.dungeon_allies.rules.supply import spend
from meadhall.games.dungeon_allies.state import (
    ACCEPT,
    BLESS,
    BLUE,
    DICE,
    ENHANCE,
    EVERYBODY_HAS,
    FIGHT,
    GONE,
    GREEN,
    HAMMER,
    NONE,
    ON_SQUARE,
    ON_TRACK,
    REROLL,
    ROLL,
    SIDES,
    SQUARES,
    WHITE,
    YELLOW,
    Event,
    Phase,
    State,
    current_round,
    has_tile,
    level_of,
)


@rule
def resolve_excursions(state: State, log: Grid) -> bool:
    """DA-4.2: player after player in turn order, each fight after fight. True when a decision is due, False after the last."""
    while True:
        if state.phase == Phase.PREP:
            if has_spell(state):
                return True
            roll_dice(state, log)
        elif state.phase == Phase.REROLL:
            if total(state) >= target_of(state):
                win(state, log)
            elif state.crystals[state.actor, BLUE] > 0:
                return True
            else:
                lose(state, log)
        elif state.cursor == state.players:
            return False
        elif next_fight(state, log):
            return True


@rule
def next_fight(state: State, log: Grid) -> bool:
    """DA-4.2: the only fight that is left begins; whether the player has to choose one of several. If none is left, on."""
    seat = state.order[state.cursor]
    only = NONE
    for die in range(DICE):
        square = square_of(state, seat, die)
        if square not in (NONE, only):
            state.actor = seat
            if only != NONE:
                state.phase = Phase.FIGHT_ORDER
                return True
            only = square
    if only == NONE:
        state.cursor += 1
    else:
        begin_fight(state, only, log)
    return False


@rule
def square_of(state: State, seat: int, die: int) -> int:
    """DA-4.2: the square on which a die still has to fight, or NONE."""
    target = state.place[seat, die]
    if ON_SQUARE <= target < ON_TRACK and has_tile(state, target - ON_SQUARE):
        return target - ON_SQUARE
    return NONE


@rule
def begin_fight(state: State, square: int, log: Grid) -> None:
    """DA-4.3: the tile is turned over before anything else is decided."""
    state.square = square
    state.seen[square] = EVERYBODY_HAS
    state.reveals += 1
    state.phase = Phase.PREP
    emit(log, Event.FIGHTS, state.actor, square)
    emit(log, Event.REVEALED, square, state.monster[square])


# ----------------------------------------------------------------------------------------------------------- what is legal


@rule
def list_fights(state: State, out: Row) -> int:
    """DA-4.2: the actor's fights."""
    count = 0
    for square in range(SQUARES):
        if has_tile(state, square) and state.holder[ON_SQUARE + square] == state.actor:
            out[count] = FIGHT + square
            count += 1
    return count


@rule
def list_preparations(state: State, out: Row) -> int:
    """DA-4.5: roll, or a spell before."""
    out[0] = ROLL
    count = 1
    if can_hammer(state):
        out[count] = HAMMER
        count += 1
    for die in range(DICE):
        if can_enhance(state, die):
            out[count] = ENHANCE + die
            count += 1
    for die in range(DICE):
        if can_bless(state, die):
            out[count] = BLESS + die
            count += 1
    return count


@rule
def list_rerolls(state: State, out: Row) -> int:
    """DA-4.6: accept the loss, or roll one of the dice again."""
    out[0] = ACCEPT
    count = 1
    for die in range(DICE):
        if is_fighting(state, die):
            out[count] = REROLL + die
            count += 1
    return count


@rule
def has_spell(state: State) -> bool:
    """DA-4.5: whether there is anything to decide before the roll."""
    if can_hammer(state):
        return True
    for die in range(DICE):
        if can_enhance(state, die) or can_bless(state, die):
            return True
    return False


@rule
def can_hammer(state: State) -> bool:
    """DA-4.5: a white crystal, on a level not above the round."""
    return state.crystals[state.actor, WHITE] > 0 and level_of(state.square) < current_round(state)


@rule
def can_enhance(state: State, die: int) -> bool:
    """DA-4.5: a green crystal, for a die that is no ally's and not in the fight yet."""
    return state.crystals[state.actor, GREEN] > 0 and state.ally[state.actor, die] == NONE and not state.extra[die]


@rule
def can_bless(state: State, die: int) -> bool:
    """DA-4.5: a yellow crystal, for a die of the fight that is not doubled."""
    return state.crystals[state.actor, YELLOW] > 0 and is_fighting(state, die) and not is_doubled(state, die)


@rule
def is_sent(state: State, die: int) -> bool:
    """DA-4.4: whether an ally of the actor fights with that die."""
    return state.place[state.actor, die] == ON_SQUARE + state.square


@rule
def is_fighting(state: State, die: int) -> bool:
    """DA-4.4, DA-4.5: an ally's die, or one added by Enhance."""
    return is_sent(state, die) or state.extra[die] == 1


@rule
def is_doubled(state: State, die: int) -> bool:
    """DA-4.4: by the skill of its ally, DA-4.5: or blessed; an added die has no skill."""
    if state.blessed[die]:
        return True
    return is_sent(state, die) and state.skill[state.ally[state.actor, die]] == state.weakness[state.monster[state.square]]


@rule
def target_of(state: State) -> int:
    """DA-4.4: what the dice have to reach."""
    return state.target[level_of(state.square), state.monster[state.square]]


@rule
def counted(state: State, die: int) -> int:
    """DA-4.4: what a die counts, doubled or not; 0 if it is not in the fight."""
    return 2 * state.rolled[die] if is_doubled(state, die) else state.rolled[die]


@rule
def total(state: State) -> int:
    """DA-4.4: the sum of the dice."""
    points = 0
    for die in range(DICE):
        points += counted(state, die)
    return points


# ------------------------------------------------------------------------------------------------------------------ a fight


@rule
def enhance(state: State, die: int, log: Grid) -> None:
    """DA-4.5: one die more."""
    spend(state, state.actor, GREEN)
    state.extra[die] = True
    emit(log, Event.ENHANCES, state.actor, SIDES[die])


@rule
def bless(state: State, die: int, log: Grid) -> None:
    """DA-4.5: a die counts twice."""
    spend(state, state.actor, YELLOW)
    state.blessed[die] = True
    emit(log, Event.BLESSES, state.actor, SIDES[die])


@rule
def hammer(state: State, log: Grid) -> None:
    """DA-4.5: a win without a roll."""
    spend(state, state.actor, WHITE)
    emit(log, Event.HAMMERS, state.actor, state.square)
    win(state, log)


@rule
def roll_dice(state: State, log: Grid) -> None:
    """DA-4.4, DA-4.8: all dice of the fight, the smallest first."""
    for die in range(DICE):
        if is_fighting(state, die):
            roll_die(state, die, Event.ROLLED, log)
    state.phase = Phase.REROLL
    emit(log, Event.TOTAL, state.actor, total(state), target_of(state))


@rule
def reroll(state: State, die: int, log: Grid) -> None:
    """DA-4.6: the new value replaces the old one."""
    spend(state, state.actor, BLUE)
    roll_die(state, die, Event.REROLLED, log)
    emit(log, Event.TOTAL, state.actor, total(state), target_of(state))


@rule
def roll_die(state: State, die: int, event: int, log: Grid) -> None:
    """DA-4.8: chance decides."""
    state.rolled[die] = roll(state.rng, SIDES[die])
    state.reveals += 1
    emit(log, event, state.actor, SIDES[die], state.rolled[die], counted(state, die))


@rule
def win(state: State, log: Grid) -> None:
    """DA-4.7: the gold at once, and the tile. DA-6.2: treasures are open to the winner this turn."""
    gold = state.bounty[level_of(state.square), state.monster[state.square]]
    state.gold[state.actor] += gold
    state.won_fight[state.actor] = True
    emit(log, Event.DEFEATS, state.actor, state.square, gold)
    end_fight(state, state.actor, log)


@rule
def lose(state: State, log: Grid) -> None:
    """DA-4.7: the tile leaves the game."""
    emit(log, Event.FAILS, state.actor, state.square)
    end_fight(state, GONE, log)


@rule
def end_fight(state: State, owner: int, log: Grid) -> None:
    """DA-4.7: the square is empty either way. DA-12.1: that may be the end of a round."""
    before = current_round(state)
    monster = state.monster[state.square]
    state.owner[monster] = owner
    state.former[state.square] = monster
    state.monster[state.square] = GONE
    state.seen[state.square] = 0
    state.square = NONE
    state.removed += 1
    for die in range(DICE):
        state.extra[die] = False
        state.blessed[die] = False
        state.rolled[die] = 0
    state.phase = Phase.FIGHT_ORDER
    if current_round(state) > before:
        emit(log, Event.ROUND, current_round(state))
