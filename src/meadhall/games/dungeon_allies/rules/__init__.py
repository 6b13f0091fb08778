"""The rules of Dungeon Allies, a module for each step of the turn. Ids like DA-4.1 are those of ``rulebook.md``."""

from __future__ import annotations

from typing import Any

from meadhall.games.dungeon_allies.pieces import CARDS, COLOURS, DEALT, DICE, MONSTERS, NONE, SKILLS, Act, Phase, kind_of
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
from meadhall.games.dungeon_allies.rules.market import (
    buy,
    decline,
    end_visit,
    exchange,
    list_answers,
    list_exchanges,
    resolve_sorcerer,
    resolve_trade,
    show_cards,
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
from meadhall.games.dungeon_allies.rules.setup import assign, setup as setup
from meadhall.games.dungeon_allies.rules.village import (
    add_follower,
    add_treasure,
    free_prisoner,
    keep_offering,
    list_follower_dice,
    list_prisoner_answers,
    resolve_prisoners,
    resolve_tavern,
    resolve_trainer,
    resolve_treasure,
    resolve_turn_order,
)
from meadhall.games.dungeon_allies.state import MAX_TURNS, Event, State, Step, conceal as conceal, redeal as redeal
from meadhall.sdk import Grid, Row, append_argument, emit, rule


@rule
def is_last_turn(state: State) -> bool:
    """DA-13.1: No monster is left. DA-13.3: Or the limit of turns is reached."""
    return state.removed == MONSTERS or state.turn == MAX_TURNS


@rule
def card_score(state: State, seat: int, card: int) -> int:
    """DA-13.2: The points that a card scores for a seat now: all its kinds of points together."""
    points = state.fixed_points[card]
    for skill in range(SKILLS):
        if state.tile_points[card, skill] > 0:
            points += state.tile_points[card, skill] * count_kept(state, seat, skill)
    for colour in range(COLOURS):
        if state.crystal_points[card, colour] > 0:
            points += state.crystal_points[card, colour] * (state.crystals[seat, colour] // state.crystals_per[card, colour])
    return points


@rule
def count_kept(state: State, seat: int, weakness: int) -> int:
    """DA-13.2: The tiles with a weakness that a seat has kept."""
    count = 0
    for monster in range(MONSTERS):
        count += state.owner[monster] == seat and state.weakness[monster] == weakness
    return count


@rule
def points_from_cards(state: State, seat: int) -> int:
    """DA-13.2: The points of all cards of a seat."""
    points = 0
    for card in range(CARDS):
        if state.card_owner[card] == seat:
            points += card_score(state, seat, card)
    return points


@rule
def points_of(state: State, seat: int) -> int:
    """DA-13.2: Gold plus the points of the cards."""
    return state.gold[seat] + points_from_cards(state, seat)


@rule
def is_ahead(state: State, seat: int, other: int) -> bool:
    """DA-13.4: By points; if they are equal, by white crystals, then green, yellow, blue, red."""
    lead = points_of(state, seat) - points_of(state, other)
    colour = COLOURS
    while lead == 0 and colour > 0:
        colour -= 1
        lead = state.crystals[seat, colour] - state.crystals[other, colour]
    return lead > 0


@rule
def has_won(state: State, seat: int) -> bool:
    """DA-13.4: A seat has won if no other is ahead of it."""
    for other in range(state.players):
        if is_ahead(state, other, seat):
            return False
    return True


@rule
def end_match(state: State, log: Grid) -> None:
    """DA-13.2, DA-13.4: Score the points and find the winners."""
    for seat in range(state.players):
        emit(log, Event.SCORE, seat, state.gold[seat], points_from_cards(state, seat), points_of(state, seat))
    first = NONE
    for seat in range(state.players):
        if has_won(state, seat):
            if first == NONE:
                first = seat
                emit(log, Event.WON, seat)
            else:
                append_argument(log, seat)
    state.actor = NONE


@rule
def score(state: State, out: Any) -> None:
    """DA-13.4: The winner gets payoff 1; tied players share it."""
    winners = 0
    for seat in range(state.players):
        out[seat] = 1.0 if has_won(state, seat) else 0.0
        winners += out[seat] > 0
    for seat in range(state.players):
        out[seat] /= winners


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
