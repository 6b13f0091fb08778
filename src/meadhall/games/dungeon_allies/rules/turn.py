"""The course of a turn: the legal actions, their effects, and the next decision."""

from __future__ import annotations

from meadhall.games.dungeon_allies.actions import Act, Phase, kind_of
from meadhall.games.dungeon_allies.pieces import DEALT, DICE, NONE
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
    continue_illuminate,
    illuminate,
    list_bids,
    list_peeks,
    list_placements,
    make_bid,
    peek,
    place_die,
    resolve_placement,
)
from meadhall.games.dungeon_allies.rules.prisoner import free_prisoner, keep_offering, list_prisoner_answers, resolve_prisoners
from meadhall.games.dungeon_allies.rules.scoring import end_match, is_last_turn
from meadhall.games.dungeon_allies.rules.setup import assign
from meadhall.games.dungeon_allies.rules.sorcerer import buy, decline, list_answers, resolve_sorcerer, show_cards
from meadhall.games.dungeon_allies.rules.tavern import add_follower, list_follower_dice, resolve_tavern
from meadhall.games.dungeon_allies.rules.trade import end_visit, exchange, list_exchanges, resolve_trade
from meadhall.games.dungeon_allies.rules.trainer import resolve_trainer
from meadhall.games.dungeon_allies.rules.treasure import add_treasure, resolve_treasure
from meadhall.games.dungeon_allies.rules.turn_order import resolve_turn_order
from meadhall.games.dungeon_allies.state import Event, State, Step
from meadhall.sdk import Grid, Row, emit, rule

# ---------------------------------------------------------------------------------------------------------------- legal actions


@rule(inline=True)
def legal(state: State, out: Row) -> int:
    """List the legal actions of the seat to move, by the decision that it faces."""
    if state.phase == Phase.PLACE:
        return list_placements(state, out)
    return list_other_decisions(state, out)


@rule
def list_other_decisions(state: State, out: Row) -> int:
    """List the legal actions of every phase except PLACE."""
    if state.phase == Phase.ASSIGN:
        for choice in range(DEALT):
            out[choice] = Act.ASSIGN + choice
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
    if state.phase == Phase.PRISONER:
        return list_prisoner_answers(out)
    if state.phase == Phase.TRADE:
        return list_exchanges(state, out)
    return list_answers(out)


# ---------------------------------------------------------------------------------------------------------------------- effects


@rule(inline=True)
def play(state: State, action: int, log: Grid) -> None:
    """Apply the action and everything that follows, up to the next decision."""
    kind = kind_of(action)
    argument = action - kind
    if kind == Act.PLACE:
        place_die(state, argument % DICE, argument // DICE, log)
    elif kind < Act.FIGHT:
        play_placement(state, kind, argument, log)
    elif kind < Act.FOLLOWER_DIE:
        play_fight(state, kind, argument, log)
    else:
        play_later_step(state, kind, argument, log)
    if state.phase != Phase.ASSIGN:
        advance(state, log)


@rule
def play_placement(state: State, kind: int, argument: int, log: Grid) -> None:
    """DA-2.3: A die for each character. DA-3.4: Illuminate. DA-8.1: A bid."""
    if kind == Act.ASSIGN:
        assign(state, argument, log)
    elif kind == Act.ILLUMINATE:
        illuminate(state, log)
    elif kind == Act.PEEK:
        peek(state, argument, log)
        continue_illuminate(state, log)
    else:
        make_bid(state, argument, log)


@rule
def play_fight(state: State, kind: int, argument: int, log: Grid) -> None:
    """DA-4.2: The next fight. DA-4.5: Spells before the roll. DA-4.6: Spells after it."""
    if kind == Act.FIGHT:
        begin_fight(state, argument, log)
    elif kind == Act.ROLL:
        roll_dice(state, log)
    elif kind == Act.HAMMER:
        hammer(state, log)
    elif kind == Act.ENHANCE:
        enhance(state, argument, log)
    elif kind == Act.BLESS:
        bless(state, argument, log)
    elif kind == Act.ACCEPT:
        lose(state, log)
    else:
        reroll(state, argument, log)


@rule
def play_later_step(state: State, kind: int, argument: int, log: Grid) -> None:
    """DA-8.3: The follower's die. DA-9.1: A prisoner. DA-10.1: An exchange. DA-11.1: A card."""
    if kind == Act.FOLLOWER_DIE:
        add_follower(state, argument, log)
    elif kind == Act.KEEP_OFFERING:
        keep_offering(state, log)
    elif kind == Act.FREE:
        free_prisoner(state, log)
    elif kind == Act.END_TRADE:
        end_visit(state)
    elif kind == Act.TRADE:
        exchange(state, argument // 2, argument % 2, log)
    elif kind == Act.BUY:
        buy(state, log)
    else:
        decline(state, log)


@rule
def advance(state: State, log: Grid) -> None:
    """DA-4.1: Resolve step after step and turn after turn, up to the next decision or the end."""
    while not resolve_step(state, log):
        state.cursor = 0
        if state.step < Step.SORCERER:
            state.step += 1
            state.phase = Phase.FIGHT_ORDER  # excursions begin with it; later steps set their own
        elif is_last_turn(state):
            emit(log, Event.TURN_ENDED, state.turn)
            end_match(state, log)
            return
        else:
            end_turn(state, log)


@rule
def resolve_step(state: State, log: Grid) -> bool:
    """DA-4.1: Resolve the step until a player must decide (True) or the step is done (False)."""
    if state.step == Step.PLACEMENT:
        return resolve_placement(state, log)
    if state.step == Step.EXCURSION:
        return resolve_excursions(state, log)
    if state.step == Step.TAVERN:
        return resolve_tavern(state, log)
    if state.step == Step.PRISONER:
        return resolve_prisoners(state, log)
    if state.step == Step.TRADE:
        return resolve_trade(state)
    if state.step == Step.SORCERER:
        return resolve_sorcerer(state, log)
    if state.step == Step.TURN_ORDER:
        resolve_turn_order(state, log)
    elif state.step == Step.TREASURE:
        resolve_treasure(state, log)
    else:
        resolve_trainer(state, log)
    return False


@rule
def end_turn(state: State, log: Grid) -> None:
    """DA-12.2: Dice go home, cards and treasure are refilled, and the next turn begins."""
    state.place[:] = NONE
    state.won_fight[:] = False
    state.track[:] = NONE
    state.holder[:] = NONE
    state.trainees = 0
    state.bid = 0
    if state.refill:
        show_cards(state, log)
    add_treasure(state, log)
    emit(log, Event.TURN_ENDED, state.turn)
    state.turn += 1
    state.step = Step.PLACEMENT
    state.phase = Phase.PLACE
