"""Viking Axes: the rules. Ids are those of the rulebook beside this file."""

from __future__ import annotations

from typing import Any

from meadhall.engine.chance import below, shuffle
from meadhall.engine.events import emit, whisper
from meadhall.engine.rule import rule
from meadhall.engine.schema import Grid, Row
from meadhall.games.viking_axes.hidden import conceal as conceal
from meadhall.games.viking_axes.hidden import redeal as redeal
from meadhall.games.viking_axes.state import (
    ARMORY,
    AXE_CARDS,
    AXE_KINDS,
    CASH_IN,
    COPIES,
    DISARM,
    DISCARD,
    DRAW,
    END_TURN,
    HAND,
    HITS,
    HITS_OF_TWO,
    KINDS,
    NONE,
    PLACE,
    PLAY,
    SHIELD,
    SHIELD_KINDS,
    SKIP,
    THROW,
    WENCH,
    Due,
    Event,
    Phase,
    State,
    can_be_disarmed,
    can_be_hit,
    can_be_skipped,
    clockwise,
    is_playable,
)

# --------------------------------------------------------------------------------------------------------------------- setup


@rule
def setup(state: State, players: int, options: Any, log: Grid) -> None:
    """VA-1: all cards are shuffled, chance says who starts, and in the variant hands are dealt."""
    state.strategic = options[0]
    state.limit = HITS_OF_TWO if players == 2 else HITS
    state.living = players
    state.card = NONE
    for kind in range(KINDS):
        state.discarded[kind] = COPIES[kind]
    shuffle_discarded(state, log)
    state.actor = below(state.rng, players)
    emit(log, Event.STARTS, state.actor)
    if state.strategic:
        deal_hands(state, log)
    go_on(state, True, log)


@rule
def shuffle_discarded(state: State, log: Grid) -> None:
    """VA-1.5, VA-2.2: the discarded cards, laid out in the order of their kinds, are shuffled and become the draw pile."""
    count = 0
    for kind in range(KINDS):
        for _ in range(state.discarded[kind]):
            state.pile[count] = kind
            count += 1
        state.discarded[kind] = 0
    state.left = count
    state.reveals += 1
    shuffle(state.rng, state.pile, count)
    emit(log, Event.SHUFFLED, count)


@rule
def deal_hands(state: State, log: Grid) -> None:
    """VA-1.3: two cards each, clockwise from the player who starts."""
    for _ in range(HAND):
        seat = state.actor
        for _ in range(state.players):
            card = take_top(state, log)
            state.hand[seat, card] += 1
            whisper(log, seat, Event.DEALT, seat, card)
            seat = clockwise(state, seat)


# --------------------------------------------------------------------------------------------------------------------- actions


@rule(inline=True)
def legal(state: State, out: Row) -> int:
    """VA-2.4: what the actor can choose from."""
    if state.phase == Phase.THROW:
        return legal_targets(state, out)
    if state.phase == Phase.HAND:
        return legal_cards(state, out)
    if state.phase == Phase.WENCH:
        return legal_wenches(state, out)
    out[0] = DRAW if state.phase == Phase.ARMORY else CASH_IN
    out[1] = PLACE if state.phase == Phase.ARMORY else END_TURN
    return 2


@rule(inline=True)
def legal_targets(state: State, out: Row) -> int:
    count = 0
    for seat in range(state.players):
        if can_be_hit(state, seat):
            out[count] = THROW + seat
            count += 1
    return count


@rule
def legal_wenches(state: State, out: Row) -> int:
    count = 0
    for seat in range(state.players):
        if can_be_skipped(state, seat):
            out[count] = SKIP + seat
            count += 1
    for seat in range(state.players):
        if can_be_disarmed(state, seat):
            out[count] = DISARM + seat
            count += 1
    return count


@rule
def legal_cards(state: State, out: Row) -> int:
    """VA-2.3: any playable card of the hand; only if there is none, any card to be discarded."""
    count = 0
    for kind in range(KINDS):
        if state.hand[state.actor, kind] and is_playable(state, kind):
            out[count] = PLAY + kind
            count += 1
    if count == 0:
        for kind in range(KINDS):
            if state.hand[state.actor, kind]:
                out[count] = DISCARD + kind
                count += 1
    return count


@rule(inline=True)
def play(state: State, action: int, log: Grid) -> None:
    """The action, and all that follows up to the next decision."""
    if action < SKIP:
        throw_axes(state, action - THROW, log)
        if is_over(state):
            end(state, log)
            return
    elif action < DRAW:
        send_wench(state, action, log)
    elif action < PLAY:
        use_armory(state, action, log)
    elif action < DISCARD:
        if play_from_hand(state, action - PLAY, log):
            return
    else:
        discard_from_hand(state, action - DISCARD, log)
    go_on(state, action in (DRAW, CASH_IN), log)


@rule(inline=True)
def go_on(state: State, draws: bool, log: Grid) -> None:
    """VA-2.4: to the next decision. ``draws``: the actor is to draw a card."""
    while True:
        if draws and draw_card(state, log):
            return
        if state.offer:
            state.phase = Phase.OFFER
            return
        pass_turn(state, log)
        draws = True


@rule
def pass_turn(state: State, log: Grid) -> None:
    """VA-1.1: clockwise, skipping those who are out. VA-6.4: a skipped turn is skipped whole."""
    state.due[state.actor] = Due.NOTHING
    seat = state.actor
    while True:
        seat = clockwise(state, seat)
        if state.due[seat] == Due.SKIP:
            state.due[seat] = Due.TURN
            emit(log, Event.TURN_SKIPPED, seat)
        elif not state.out[seat]:
            break
    state.actor = seat
    state.offer = state.armory[seat]


# ---------------------------------------------------------------------------------------------------------------------- cards


@rule
def draw_card(state: State, log: Grid) -> bool:
    """VA-2.1, VA-2.3: the actor draws. Whether there is something to decide now."""
    seat = state.actor
    card = take_top(state, log)
    if state.strategic:
        whisper(log, seat, Event.DREW, seat, card)
        state.hand[seat, card] += 1
        state.phase = Phase.HAND
        return True
    emit(log, Event.DREW, seat, card)
    if is_playable(state, card):
        return bring_into_play(state, card, log)
    discard(state, card, log)
    return False


@rule
def take_top(state: State, log: Grid) -> int:
    """VA-2.2: when there is no card left, the discarded ones are shuffled first."""
    if state.left == 0:
        shuffle_discarded(state, log)
    state.reveals += 1
    state.left -= 1
    card = state.pile[state.left]
    state.pile[state.left] = NONE
    return card


@rule
def bring_into_play(state: State, card: int, log: Grid) -> bool:
    """VA-2.4: whether there is something to decide about it; a shield just goes in front of its player."""
    if SHIELD <= card < ARMORY:
        place_shield(state, card, log)
        return False
    state.card = card
    state.phase = Phase.THROW if card < SHIELD else Phase.ARMORY if card == ARMORY else Phase.WENCH
    return True


@rule
def play_from_hand(state: State, card: int, log: Grid) -> bool:
    """VA-2.3: the card leaves the hand. Whether there is something to decide about it."""
    state.hand[state.actor, card] -= 1
    emit(log, Event.PLAYS, state.actor, card)
    return bring_into_play(state, card, log)


@rule
def discard_from_hand(state: State, card: int, log: Grid) -> None:
    """VA-2.3: no card of the hand can be played, so one of them is discarded."""
    state.hand[state.actor, card] -= 1
    discard(state, card, log)


@rule
def discard(state: State, card: int, log: Grid) -> None:
    state.discarded[card] += 1
    emit(log, Event.DISCARDS, state.actor, card)


@rule
def place_shield(state: State, card: int, log: Grid) -> None:
    """VA-4.1, VA-3.6: it joins the pool."""
    state.shields[state.actor, card - SHIELD] += 1
    state.unused[state.actor] += card - SHIELD + 1
    emit(log, Event.PLACES, state.actor, card)


# ----------------------------------------------------------------------------------------------------------------------- axes


@rule(inline=True)
def throw_axes(state: State, target: int, log: Grid) -> None:
    """VA-3: what the unused shields don't block, hits."""
    card = state.card
    axes = card + 1
    shields = state.unused[target]
    state.card = NONE
    emit(log, Event.THROWS, state.actor, target, axes)
    if shields:
        emit(log, Event.BLOCKED, target, min(axes, shields))
    if axes < shields:
        catch(state, target, card)
        return
    if shields:
        spend_shields(state, target, log)
    if axes == shields:
        state.discarded[card] += 1
    else:
        hit(state, target, card, axes - shields, log)


@rule
def catch(state: State, target: int, card: int) -> None:
    """VA-3.3: all blocked with shields to spare: the card lies on them."""
    state.lying[target, card] += 1
    state.axes_in_front += 1
    state.unused[target] -= card + 1


@rule
def spend_shields(state: State, target: int, log: Grid) -> None:
    """VA-3.4, VA-3.5, VA-3.6: the whole pool is used up and discarded, with the axe cards lying on it."""
    discard_shields(state, target)
    emit(log, Event.SHIELDS_SPENT, target)


@rule
def discard_shields(state: State, seat: int) -> None:
    for kind in range(SHIELD_KINDS):
        state.discarded[SHIELD + kind] += state.shields[seat, kind]
        state.shields[seat, kind] = 0
    for kind in range(AXE_KINDS):
        state.discarded[kind] += state.lying[seat, kind]
        state.axes_in_front -= state.lying[seat, kind]
        state.lying[seat, kind] = 0
    state.unused[seat] = 0


@rule
def hit(state: State, target: int, card: int, count: int, log: Grid) -> None:
    """VA-3.2, VA-3.5: the card stays as a mark of the hits, however many of its axes these were."""
    state.marks[target, card] += 1
    state.axes_in_front += 1
    state.hits[target] += count
    emit(log, Event.HITS, target, count)
    if state.hits[target] >= state.limit:
        drop_out(state, target, log)


@rule
def drop_out(state: State, seat: int, log: Grid) -> None:
    """VA-1.2, VA-3.7: all cards in front are discarded, the thrown one too, and the hand, openly. VA-6.4: a skip lapses."""
    state.out[seat] = True
    state.living -= 1
    state.due[seat] = Due.NOTHING
    emit(log, Event.OUT, seat)
    discard_shields(state, seat)
    for kind in range(AXE_KINDS):
        state.discarded[kind] += state.marks[seat, kind]
        state.axes_in_front -= state.marks[seat, kind]
        state.marks[seat, kind] = 0
    state.discarded[ARMORY] += state.armory[seat]
    state.armory[seat] = False
    if state.strategic:
        reveal_hand(state, seat, log)


@rule
def reveal_hand(state: State, seat: int, log: Grid) -> None:
    """VA-3.7: the hand of a player who goes out is discarded face up."""
    state.reveals += 1
    for kind in range(KINDS):
        for _ in range(state.hand[seat, kind]):
            state.discarded[kind] += 1
            emit(log, Event.DISCARDS, seat, kind)
        state.hand[seat, kind] = 0


# ------------------------------------------------------------------------------------------------------------ wench and armory


@rule
def send_wench(state: State, action: int, log: Grid) -> None:
    """VA-6.1: she takes an armory with her, or a player's next turn."""
    state.card = NONE
    state.discarded[WENCH] += 1
    if action < DISARM:
        state.due[action - SKIP] = Due.SKIP
        emit(log, Event.SKIPS, state.actor, action - SKIP)
    else:
        state.armory[action - DISARM] = False
        state.discarded[ARMORY] += 1
        emit(log, Event.DISARMS, state.actor, action - DISARM)


@rule
def use_armory(state: State, action: int, log: Grid) -> None:
    """VA-5.1: discard the armory drawn, or place it. VA-5.3: cash in one placed earlier, or end the turn.

    VA-5.4: what is drawn then is played like any card; what is placed now is not offered before the next turn.
    """
    seat = state.actor
    state.card = NONE
    state.offer = False
    if action == DRAW:
        discard(state, ARMORY, log)
    elif action == PLACE:
        state.armory[seat] = True
        emit(log, Event.PLACES, seat, ARMORY)
    elif action == CASH_IN:
        state.armory[seat] = False
        state.discarded[ARMORY] += 1
        emit(log, Event.CASHES_IN, seat)


# ------------------------------------------------------------------------------------------------------------------------ end


@rule
def is_over(state: State) -> bool:
    """VA-7.1: one player is left. VA-7.2: or no axe card is."""
    return state.living == 1 or state.axes_in_front == AXE_CARDS


@rule
def end(state: State, log: Grid) -> None:
    state.actor = -1
    for seat in range(state.players):
        if has_won(state, seat):
            emit(log, Event.WON, seat)


@rule
def has_won(state: State, seat: int) -> bool:
    """VA-7.1, VA-7.2: of those not out, whoever has been hit least."""
    if state.out[seat]:
        return False
    for other in range(state.players):
        if not state.out[other] and state.hits[other] < state.hits[seat]:
            return False
    return True


@rule
def score(state: State, out: Any) -> None:
    """VA-7.1: all to the last player. VA-7.2: or shared by those who have won."""
    winners = 0
    for seat in range(state.players):
        out[seat] = 1.0 if has_won(state, seat) else 0.0
        winners += has_won(state, seat)
    for seat in range(state.players):
        out[seat] /= winners
