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
    Table,
    current_round,
    has_tile,
    level_of,
)


@rule
def resolve_excursions(table: Table, log: Grid) -> bool:
    """DA-4.2: player after player in turn order, each fight after fight. True when a decision is due, False after the last."""
    while True:
        if table.phase == Phase.PREP:
            if has_spell(table):
                return True
            roll_dice(table, log)
        elif table.phase == Phase.REROLL:
            if total(table) >= target_of(table):
                win(table, log)
            elif table.crystals[table.actor, BLUE] > 0:
                return True
            else:
                lose(table, log)
        elif table.cursor == table.players:
            return False
        elif next_fight(table, log):
            return True


@rule
def next_fight(table: Table, log: Grid) -> bool:
    """DA-4.2: the only fight that is left begins; whether the player has to choose one of several. If none is left, on."""
    seat = table.order[table.cursor]
    only = NONE
    for die in range(DICE):
        square = square_of(table, seat, die)
        if square not in (NONE, only):
            table.actor = seat
            if only != NONE:
                table.phase = Phase.FIGHT_ORDER
                return True
            only = square
    if only == NONE:
        table.cursor += 1
    else:
        begin_fight(table, only, log)
    return False


@rule
def square_of(table: Table, seat: int, die: int) -> int:
    """DA-4.2: the square on which a die still has to fight, or NONE."""
    target = table.place[seat, die]
    if ON_SQUARE <= target < ON_TRACK and has_tile(table, target - ON_SQUARE):
        return target - ON_SQUARE
    return NONE


@rule
def begin_fight(table: Table, square: int, log: Grid) -> None:
    """DA-4.3: the tile is turned over before anything else is decided."""
    table.square = square
    table.seen[square] = EVERYBODY_HAS
    table.reveals += 1
    table.phase = Phase.PREP
    emit(log, Event.FIGHTS, table.actor, square)
    emit(log, Event.REVEALED, square, table.monster[square])


# ----------------------------------------------------------------------------------------------------------- what is legal


@rule
def list_fights(table: Table, out: Row) -> int:
    """DA-4.2: the actor's fights."""
    count = 0
    for square in range(SQUARES):
        if has_tile(table, square) and table.holder[ON_SQUARE + square] == table.actor:
            out[count] = FIGHT + square
            count += 1
    return count


@rule
def list_preparations(table: Table, out: Row) -> int:
    """DA-4.5: roll, or a spell before."""
    out[0] = ROLL
    count = 1
    if can_hammer(table):
        out[count] = HAMMER
        count += 1
    for die in range(DICE):
        if can_enhance(table, die):
            out[count] = ENHANCE + die
            count += 1
    for die in range(DICE):
        if can_bless(table, die):
            out[count] = BLESS + die
            count += 1
    return count


@rule
def list_rerolls(table: Table, out: Row) -> int:
    """DA-4.6: accept the loss, or roll one of the dice again."""
    out[0] = ACCEPT
    count = 1
    for die in range(DICE):
        if is_fighting(table, die):
            out[count] = REROLL + die
            count += 1
    return count


@rule
def has_spell(table: Table) -> bool:
    """DA-4.5: whether there is anything to decide before the roll."""
    if can_hammer(table):
        return True
    for die in range(DICE):
        if can_enhance(table, die) or can_bless(table, die):
            return True
    return False


@rule
def can_hammer(table: Table) -> bool:
    """DA-4.5: a white crystal, on a level not above the round."""
    return table.crystals[table.actor, WHITE] > 0 and level_of(table.square) < current_round(table)


@rule
def can_enhance(table: Table, die: int) -> bool:
    """DA-4.5: a green crystal, for a die that is no ally's and not in the fight yet."""
    return table.crystals[table.actor, GREEN] > 0 and table.ally[table.actor, die] == NONE and not table.extra[die]


@rule
def can_bless(table: Table, die: int) -> bool:
    """DA-4.5: a yellow crystal, for a die of the fight that is not doubled."""
    return table.crystals[table.actor, YELLOW] > 0 and is_fighting(table, die) and not is_doubled(table, die)


@rule
def is_sent(table: Table, die: int) -> bool:
    """DA-4.4: whether an ally of the actor fights with that die."""
    return table.place[table.actor, die] == ON_SQUARE + table.square


@rule
def is_fighting(table: Table, die: int) -> bool:
    """DA-4.4, DA-4.5: an ally's die, or one added by Enhance."""
    return is_sent(table, die) or table.extra[die] == 1


@rule
def is_doubled(table: Table, die: int) -> bool:
    """DA-4.4: by the skill of its ally, DA-4.5: or blessed; an added die has no skill."""
    if table.blessed[die]:
        return True
    return is_sent(table, die) and table.skill[table.ally[table.actor, die]] == table.weakness[table.monster[table.square]]


@rule
def target_of(table: Table) -> int:
    """DA-4.4: what the dice have to reach."""
    return table.target[level_of(table.square), table.monster[table.square]]


@rule
def counted(table: Table, die: int) -> int:
    """DA-4.4: what a die counts, doubled or not; 0 if it is not in the fight."""
    return 2 * table.rolled[die] if is_doubled(table, die) else table.rolled[die]


@rule
def total(table: Table) -> int:
    """DA-4.4: the sum of the dice."""
    points = 0
    for die in range(DICE):
        points += counted(table, die)
    return points


# ------------------------------------------------------------------------------------------------------------------ a fight


@rule
def enhance(table: Table, die: int, log: Grid) -> None:
    """DA-4.5: one die more."""
    spend(table, table.actor, GREEN)
    table.extra[die] = True
    emit(log, Event.ENHANCES, table.actor, SIDES[die])


@rule
def bless(table: Table, die: int, log: Grid) -> None:
    """DA-4.5: a die counts twice."""
    spend(table, table.actor, YELLOW)
    table.blessed[die] = True
    emit(log, Event.BLESSES, table.actor, SIDES[die])


@rule
def hammer(table: Table, log: Grid) -> None:
    """DA-4.5: a win without a roll."""
    spend(table, table.actor, WHITE)
    emit(log, Event.HAMMERS, table.actor, table.square)
    win(table, log)


@rule
def roll_dice(table: Table, log: Grid) -> None:
    """DA-4.4, DA-4.8: all dice of the fight, the smallest first."""
    for die in range(DICE):
        if is_fighting(table, die):
            roll_die(table, die, Event.ROLLED, log)
    table.phase = Phase.REROLL
    emit(log, Event.TOTAL, table.actor, total(table), target_of(table))


@rule
def reroll(table: Table, die: int, log: Grid) -> None:
    """DA-4.6: the new value replaces the old one."""
    spend(table, table.actor, BLUE)
    roll_die(table, die, Event.REROLLED, log)
    emit(log, Event.TOTAL, table.actor, total(table), target_of(table))


@rule
def roll_die(table: Table, die: int, event: int, log: Grid) -> None:
    """DA-4.8: chance decides."""
    table.rolled[die] = roll(table.rng, SIDES[die])
    table.reveals += 1
    emit(log, event, table.actor, SIDES[die], table.rolled[die], counted(table, die))


@rule
def win(table: Table, log: Grid) -> None:
    """DA-4.7: the gold at once, and the tile. DA-6.2: treasures are open to the winner this turn."""
    gold = table.bounty[level_of(table.square), table.monster[table.square]]
    table.gold[table.actor] += gold
    table.won_fight[table.actor] = True
    emit(log, Event.DEFEATS, table.actor, table.square, gold)
    end_fight(table, table.actor, log)


@rule
def lose(table: Table, log: Grid) -> None:
    """DA-4.7: the tile leaves the game."""
    emit(log, Event.FAILS, table.actor, table.square)
    end_fight(table, GONE, log)


@rule
def end_fight(table: Table, owner: int, log: Grid) -> None:
    """DA-4.7: the square is empty either way. DA-12.1: that may be the end of a round."""
    before = current_round(table)
    monster = table.monster[table.square]
    table.owner[monster] = owner
    table.former[table.square] = monster
    table.monster[table.square] = GONE
    table.seen[table.square] = 0
    table.square = NONE
    table.removed += 1
    for die in range(DICE):
        table.extra[die] = False
        table.blessed[die] = False
        table.rolled[die] = 0
    table.phase = Phase.FIGHT_ORDER
    if current_round(table) > before:
        emit(log, Event.ROUND, current_round(table))
