"""Step 1, excursions (§Excursion, §Crystal Spells Used in Combat): fights, spells, rolls."""

from __future__ import annotations

from meadhall.games.dungeon_allies.pieces import DICE, FIGHT_DICE, GONE, NONE, SIDES, SQUARES, Act, Item, Phase, Target
from meadhall.games.dungeon_allies.rules.village import spend
from meadhall.games.dungeon_allies.state import SEEN_BY_ALL, Event, State, current_round, has_tile
from meadhall.sdk import Grid, Row, die as roll, emit, rule


@rule
def resolve_excursions(state: State, log: Grid) -> bool:
    """DA-4.2: Players fight in turn order, one fight after another. True when one must decide, False after the last fight."""
    while True:
        if state.phase == Phase.PREP:
            if has_spell(state):
                return True
            roll_dice(state, log)
        elif state.phase == Phase.REROLL:
            if total(state) >= target_of(state):
                win(state, log)
            elif state.crystals[state.actor, Item.BLUE] > 0:
                return True
            else:
                lose(state, log)
        elif state.cursor == state.players:
            return False
        elif next_fight(state, log):
            return True


@rule
def next_fight(state: State, log: Grid) -> bool:
    """DA-4.2: Begin the only fight that the player still has, or move on if there is none. True if the player must choose one."""
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
    """DA-4.2: The square on which a die still has to fight, or NONE."""
    target = state.place[seat, die]
    if Target.SQUARE <= target < Target.TURN_ORDER and has_tile(state, target - Target.SQUARE):
        return target - Target.SQUARE
    return NONE


@rule
def begin_fight(state: State, square: int, log: Grid) -> None:
    """DA-4.3: The tile is revealed before anything else is decided."""
    state.square = square
    state.seen[square] = SEEN_BY_ALL
    state.reveals += 1
    state.phase = Phase.PREP
    emit(log, Event.FIGHTS, state.actor, square)
    emit(log, Event.REVEALED, square, state.monster[square])


# ---------------------------------------------------------------------------------------------------------------- legal actions


@rule
def list_fights(state: State, out: Row) -> int:
    """DA-4.2: The fights of the seat to move."""
    count = 0
    for square in range(SQUARES):
        if has_tile(state, square) and state.holder[Target.SQUARE + square] == state.actor:
            out[count] = Act.FIGHT + square
            count += 1
    return count


@rule
def list_preparations(state: State, out: Row) -> int:
    """DA-4.5: Roll, or cast a spell first."""
    out[0] = Act.ROLL
    count = 1
    if can_hammer(state):
        out[count] = Act.HAMMER
        count += 1
    for die in range(FIGHT_DICE):
        if can_enhance(state, die):
            out[count] = Act.ENHANCE + die
            count += 1
    for die in range(FIGHT_DICE):
        if can_bless(state, die):
            out[count] = Act.BLESS + die
            count += 1
    return count


@rule
def list_rerolls(state: State, out: Row) -> int:
    """DA-4.6: Accept the loss, or re-roll one of the dice."""
    out[0] = Act.ACCEPT
    count = 1
    for die in range(FIGHT_DICE):
        if is_fighting(state, die):
            out[count] = Act.REROLL + die
            count += 1
    return count


@rule
def has_spell(state: State) -> bool:
    """DA-4.5: Whether the player has a spell to cast before the roll."""
    if can_hammer(state):
        return True
    for die in range(FIGHT_DICE):
        if can_enhance(state, die) or can_bless(state, die):
            return True
    return False


@rule
def can_hammer(state: State) -> bool:
    """DA-4.5: A white crystal, on a level not above the current round."""
    return state.crystals[state.actor, Item.WHITE] > 0 and state.level[state.square] < current_round(state)


@rule
def can_enhance(state: State, die: int) -> bool:
    """DA-4.5: A green crystal, for a die that no own ally has and that is not in the fight yet. DA-1.4: Of an allowed size."""
    if state.crystals[state.actor, Item.GREEN] == 0 or state.enhancers[die] == 0 or state.extra[die]:
        return False
    return die >= DICE or state.ally[state.actor, die] == NONE


@rule
def can_bless(state: State, die: int) -> bool:
    """DA-4.5: A yellow crystal, for a die of the fight that is not doubled."""
    return state.crystals[state.actor, Item.YELLOW] > 0 and is_fighting(state, die) and not is_doubled(state, die)


@rule
def is_allys_die(state: State, die: int) -> bool:
    """DA-4.4: Whether an ally of the seat to move fights with this die."""
    return die < DICE and state.place[state.actor, die] == Target.SQUARE + state.square


@rule
def is_fighting(state: State, die: int) -> bool:
    """DA-4.4, DA-4.5: Whether a die is in the fight: an ally's, or one added by Enhance."""
    return is_allys_die(state, die) or state.extra[die] == 1


@rule
def is_doubled(state: State, die: int) -> bool:
    """DA-4.4: Doubled by the ally's skill. DA-4.5: Or by Bless. An Enhance die has no skill."""
    if state.blessed[die]:
        return True
    return is_allys_die(state, die) and state.skill[state.ally[state.actor, die]] == state.weakness[state.monster[state.square]]


@rule
def target_of(state: State) -> int:
    """DA-4.4: The total that the dice must reach."""
    return state.target[state.level[state.square], state.monster[state.square]]


@rule
def counted_value(state: State, die: int) -> int:
    """DA-4.4: The value of a die, doubled or not; 0 if it is not in the fight."""
    return 2 * state.rolled[die] if is_doubled(state, die) else state.rolled[die]


@rule
def total(state: State) -> int:
    """DA-4.4: The sum of the dice."""
    points = 0
    for die in range(FIGHT_DICE):
        points += counted_value(state, die)
    return points


# ------------------------------------------------------------------------------------------------------------------------ fight


@rule
def enhance(state: State, die: int, log: Grid) -> None:
    """DA-4.5: One more die joins the fight."""
    spend(state, state.actor, Item.GREEN)
    state.extra[die] = True
    emit(log, Event.ENHANCES, state.actor, SIDES[die])


@rule
def bless(state: State, die: int, log: Grid) -> None:
    """DA-4.5: A die counts double."""
    spend(state, state.actor, Item.YELLOW)
    state.blessed[die] = True
    emit(log, Event.BLESSES, state.actor, SIDES[die])


@rule
def hammer(state: State, log: Grid) -> None:
    """DA-4.5: A win without a roll."""
    spend(state, state.actor, Item.WHITE)
    emit(log, Event.HAMMERS, state.actor, state.square)
    win(state, log)


@rule
def roll_dice(state: State, log: Grid) -> None:
    """DA-4.4, DA-4.8: All dice of the fight are rolled, the smallest first."""
    for die in range(FIGHT_DICE):
        if is_fighting(state, die):
            roll_die(state, die, Event.ROLLED, log)
    state.phase = Phase.REROLL
    emit(log, Event.TOTAL, state.actor, total(state), target_of(state))


@rule
def reroll(state: State, die: int, log: Grid) -> None:
    """DA-4.6: The new value replaces the old one."""
    spend(state, state.actor, Item.BLUE)
    roll_die(state, die, Event.REROLLED, log)
    emit(log, Event.TOTAL, state.actor, total(state), target_of(state))


@rule
def roll_die(state: State, die: int, event: int, log: Grid) -> None:
    """DA-4.8: The value is a random draw."""
    state.rolled[die] = roll(state.rng, SIDES[die])
    state.reveals += 1
    emit(log, event, state.actor, SIDES[die], state.rolled[die], counted_value(state, die))


@rule
def win(state: State, log: Grid) -> None:
    """DA-4.7: The player gains the gold at once and keeps the tile. DA-6.2: The win opens guarded treasure this turn."""
    gold = state.bounty[state.level[state.square], state.monster[state.square]]
    state.gold[state.actor] += gold
    state.won_fight[state.actor] = True
    emit(log, Event.DEFEATS, state.actor, state.square, gold)
    end_fight(state, state.actor, log)


@rule
def lose(state: State, log: Grid) -> None:
    """DA-4.7: The tile leaves the game."""
    emit(log, Event.FAILS, state.actor, state.square)
    end_fight(state, GONE, log)


@rule
def end_fight(state: State, owner: int, log: Grid) -> None:
    """DA-4.7: The square is empty, won or lost. DA-12.1: The round may change at once."""
    before = current_round(state)
    monster = state.monster[state.square]
    state.owner[monster] = owner
    state.former[state.square] = monster
    state.monster[state.square] = GONE
    state.seen[state.square] = 0
    state.square = NONE
    state.removed += 1
    for die in range(FIGHT_DICE):
        state.extra[die] = False
        state.blessed[die] = False
        state.rolled[die] = 0
    state.phase = Phase.FIGHT_ORDER
    if current_round(state) > before:
        emit(log, Event.ROUND, current_round(state))
