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
    State,
    Step,
)

# ------------------------------------------------------------------------------------------------------------- what is legal


@rule(inline=True)
def legal(state: State, out: Row) -> int:
    """What the actor can choose from, by what is to be decided."""
    if state.phase == Phase.PLACE:
        return list_placements(state, out)
    return list_others(state, out)


@rule
def list_others(state: State, out: Row) -> int:
    """All decisions but where to place a die."""
    if state.phase == Phase.ASSIGN:
        for choice in range(DEALT):
            out[choice] = ASSIGN + choice
        return DEALT
    if state.phase == Phase.PEEK:
        return list_peeks(state, out)
    if state.phase == Phase.BID:
        return list_bids(state, out)
    if state.phase == Phase.FIGHT_ORDER:
        return list_fights(state, out)
    if state.phase == Phase.PREP:
        return list_preparations(state, out)
    if state.phase == Phase.REROLL:
        return list_rerolls(state, out)
    if state.phase == Phase.FOLLOWER_DIE:
        return list_follower_dice(state, out)
    if state.phase == Phase.TRADE:
        return list_exchanges(state, out)
    return list_answers(out)


# ---------------------------------------------------------------------------------------------------------------- what follows


@rule(inline=True)
def play(state: State, action: int, log: Grid) -> None:
    """The action, and all that follows up to the next decision."""
    if PLACE <= action < ILLUMINATE:
        place_die(state, (action - PLACE) % DICE, (action - PLACE) // DICE, log)
    elif action < FIGHT:
        prepare(state, action, log)
    elif action < FOLLOWER_DIE:
        fight(state, action, log)
    else:
        collect(state, action, log)
    if state.phase != Phase.ASSIGN:
        go_on(state, log)


@rule
def prepare(state: State, action: int, log: Grid) -> None:
    """DA-2.3: a die for each character. DA-3.4: Illuminate. DA-8.1: a bid."""
    if action < PLACE:
        assign(state, action - ASSIGN, log)
    elif action == ILLUMINATE:
        illuminate(state, log)
    elif action <= BID:
        peek(state, action - PEEK, log)
        look_on(state, log)
    else:
        make_bid(state, action - BID, log)


@rule
def fight(state: State, action: int, log: Grid) -> None:
    """DA-4.2, DA-4.5, DA-4.6: which fight, spells before the roll and after it."""
    if action < ROLL:
        begin_fight(state, action - FIGHT, log)
    elif action == ROLL:
        roll_dice(state, log)
    elif action == HAMMER:
        hammer(state, log)
    elif action < BLESS:
        enhance(state, action - ENHANCE, log)
    elif action < ACCEPT:
        bless(state, action - BLESS, log)
    elif action == ACCEPT:
        lose(state, log)
    else:
        reroll(state, action - REROLL, log)


@rule
def collect(state: State, action: int, log: Grid) -> None:
    """DA-8.3: the follower's die. DA-10.1: an exchange. DA-11.1: a card."""
    if action < END_TRADE:
        welcome_follower(state, action - FOLLOWER_DIE, log)
    elif action == END_TRADE:
        end_visit(state)
    elif action < DECLINE:
        exchange(state, (action - TRADE) // 2, (action - TRADE) % 2, log)
    elif action == BUY:
        buy(state, log)
    else:
        decline(state, log)


@rule
def go_on(state: State, log: Grid) -> None:
    """DA-4.1: step after step and turn after turn, to the next decision or to the end."""
    while not resolve_step(state, log):
        state.cursor = 0
        if state.step < Step.SORCERER:
            state.step += 1
            state.phase = Phase.FIGHT_ORDER  # with which excursions begin; later steps ask for what they need
        elif is_last_turn(state):
            emit(log, Event.TURN_ENDED, state.turn)
            end_match(state, log)
            return
        else:
            end_turn(state, log)


@rule
def resolve_step(state: State, log: Grid) -> bool:
    """DA-4.1: the step, as far as it goes without a decision. True when one is due, False when the step is done."""
    if state.step == Step.PLACEMENT:
        return resolve_placement(state, log)
    if state.step == Step.EXCURSION:
        return resolve_excursions(state, log)
    if state.step == Step.TAVERN:
        return resolve_tavern(state, log)
    if state.step == Step.TRADE:
        return resolve_trade(state)
    if state.step == Step.SORCERER:
        return resolve_sorcerer(state, log)
    if state.step == Step.TURN_ORDER:
        resolve_turn_order(state, log)
    elif state.step == Step.TREASURE:
        resolve_treasure(state, log)
    elif state.step == Step.TRAINER:
        resolve_trainer(state, log)
    else:
        resolve_prisoners(state, log)
    return False


@rule
def end_turn(state: State, log: Grid) -> None:
    """DA-12.2: dice go home, cards and treasures are filled up, and the next turn begins."""
    state.place[:] = NONE
    state.won_fight[:] = False
    state.track[:] = NONE
    state.holder[:] = NONE
    state.trainees = 0
    state.bid = 0
    show_cards(state, log)
    add_treasure(state, log)
    emit(log, Event.TURN_ENDED, state.turn)
    state.turn += 1
    state.step = Step.PLACEMENT
    state.phase = Phase.PLACE
