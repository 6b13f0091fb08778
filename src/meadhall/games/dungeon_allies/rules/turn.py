"""The course of a turn: what can be done now, what follows from it, and what is decided next."""

from __future__ import annotations

from meadhall.engine.events import emit
from meadhall.engine.rule import rule
from meadhall.engine.schema import Grid, Row
from meadhall.games.dungeon_allies.rules.excursion import (
    begin_fight,
    bless,
    enhance,
    hammer,
    list_fights,
    list_preparations,
    list_rerolls,
    lose,
    reroll,
    resolve_excursions,
    roll_dice,
)
from meadhall.games.dungeon_allies.rules.placement import (
    illuminate,
    list_bids,
    list_peeks,
    list_placements,
    look_on,
    make_bid,
    peek,
    place_die,
    resolve_placement,
)
from meadhall.games.dungeon_allies.rules.prisoner import resolve_prisoners
from meadhall.games.dungeon_allies.rules.scoring import end_match, is_last_turn
from meadhall.games.dungeon_allies.rules.setup import assign
from meadhall.games.dungeon_allies.rules.sorcerer import buy, decline, list_answers, resolve_sorcerer, show_cards
from meadhall.games.dungeon_allies.rules.tavern import list_follower_dice, resolve_tavern, welcome_follower
from meadhall.games.dungeon_allies.rules.trade import end_visit, exchange, list_exchanges, resolve_trade
from meadhall.games.dungeon_allies.rules.trainer import resolve_trainer
from meadhall.games.dungeon_allies.rules.treasure import add_treasure, resolve_treasure
from meadhall.games.dungeon_allies.rules.turn_order import resolve_turn_order
from meadhall.games.dungeon_allies.state import (
    ACCEPT,
    ASSIGN,
    BID,
    BLESS,
    BUY,
    DEALT,
    DECLINE,
    DICE,
    END_TRADE,
    ENHANCE,
    FIGHT,
    FOLLOWER_DIE,
    HAMMER,
    ILLUMINATE,
    NONE,
    PEEK,
    PLACE,
    REROLL,
    ROLL,
    TRADE,
    Event,
    Phase,
    Step,
    Table,
)

# ------------------------------------------------------------------------------------------------------------- what is legal


@rule(inline=True)
def legal(table: Table, out: Row) -> int:
    """What the actor can choose from, by what is to be decided."""
    if table.phase == Phase.PLACE:
        return list_placements(table, out)
    return list_others(table, out)


@rule
def list_others(table: Table, out: Row) -> int:
    """All decisions but where to place a die."""
    if table.phase == Phase.ASSIGN:
        for choice in range(DEALT):
            out[choice] = ASSIGN + choice
        return DEALT
    if table.phase == Phase.PEEK:
        return list_peeks(table, out)
    if table.phase == Phase.BID:
        return list_bids(table, out)
    if table.phase == Phase.FIGHT_ORDER:
        return list_fights(table, out)
    if table.phase == Phase.PREP:
        return list_preparations(table, out)
    if table.phase == Phase.REROLL:
        return list_rerolls(table, out)
    if table.phase == Phase.FOLLOWER_DIE:
        return list_follower_dice(table, out)
    if table.phase == Phase.TRADE:
        return list_exchanges(table, out)
    return list_answers(out)


# ---------------------------------------------------------------------------------------------------------------- what follows


@rule(inline=True)
def play(table: Table, action: int, log: Grid) -> None:
    """The action, and all that follows up to the next decision."""
    if PLACE <= action < ILLUMINATE:
        place_die(table, (action - PLACE) % DICE, (action - PLACE) // DICE, log)
    elif action < FIGHT:
        prepare(table, action, log)
    elif action < FOLLOWER_DIE:
        fight(table, action, log)
    else:
        collect(table, action, log)
    if table.phase != Phase.ASSIGN:
        go_on(table, log)


@rule
def prepare(table: Table, action: int, log: Grid) -> None:
    """DA-2.3: a die for each character. DA-3.4: Illuminate. DA-8.1: a bid."""
    if action < PLACE:
        assign(table, action - ASSIGN, log)
    elif action == ILLUMINATE:
        illuminate(table, log)
    elif action <= BID:
        peek(table, action - PEEK, log)
        look_on(table, log)
    else:
        make_bid(table, action - BID, log)


@rule
def fight(table: Table, action: int, log: Grid) -> None:
    """DA-4.2, DA-4.5, DA-4.6: which fight, spells before the roll and after it."""
    if action < ROLL:
        begin_fight(table, action - FIGHT, log)
    elif action == ROLL:
        roll_dice(table, log)
    elif action == HAMMER:
        hammer(table, log)
    elif action < BLESS:
        enhance(table, action - ENHANCE, log)
    elif action < ACCEPT:
        bless(table, action - BLESS, log)
    elif action == ACCEPT:
        lose(table, log)
    else:
        reroll(table, action - REROLL, log)


@rule
def collect(table: Table, action: int, log: Grid) -> None:
    """DA-8.3: the follower's die. DA-10.1: an exchange. DA-11.1: a card."""
    if action < END_TRADE:
        welcome_follower(table, action - FOLLOWER_DIE, log)
    elif action == END_TRADE:
        end_visit(table)
    elif action < DECLINE:
        exchange(table, (action - TRADE) // 2, (action - TRADE) % 2, log)
    elif action == BUY:
        buy(table, log)
    else:
        decline(table, log)


@rule
def go_on(table: Table, log: Grid) -> None:
    """DA-4.1: step after step and turn after turn, to the next decision or to the end."""
    while not resolve_step(table, log):
        table.cursor = 0
        if table.step < Step.SORCERER:
            table.step += 1
            table.phase = Phase.FIGHT_ORDER  # with which excursions begin; later steps ask for what they need
        elif is_last_turn(table):
            emit(log, Event.TURN_ENDED, table.turn)
            end_match(table, log)
            return
        else:
            end_turn(table, log)


@rule
def resolve_step(table: Table, log: Grid) -> bool:
    """DA-4.1: the step, as far as it goes without a decision. True when one is due, False when the step is done."""
    if table.step == Step.PLACEMENT:
        return resolve_placement(table, log)
    if table.step == Step.EXCURSION:
        return resolve_excursions(table, log)
    if table.step == Step.TAVERN:
        return resolve_tavern(table, log)
    if table.step == Step.TRADE:
        return resolve_trade(table)
    if table.step == Step.SORCERER:
        return resolve_sorcerer(table, log)
    if table.step == Step.TURN_ORDER:
        resolve_turn_order(table, log)
    elif table.step == Step.TREASURE:
        resolve_treasure(table, log)
    elif table.step == Step.TRAINER:
        resolve_trainer(table, log)
    else:
        resolve_prisoners(table, log)
    return False


@rule
def end_turn(table: Table, log: Grid) -> None:
    """DA-12.2: dice go home, cards and treasures are filled up, and the next turn begins."""
    table.place[:] = NONE
    table.won_fight[:] = False
    table.track[:] = NONE
    table.holder[:] = NONE
    table.trainees = 0
    table.bid = 0
    show_cards(table, log)
    add_treasure(table, log)
    emit(log, Event.TURN_ENDED, table.turn)
    table.turn += 1
    table.step = Step.PLACEMENT
    table.phase = Phase.PLACE
