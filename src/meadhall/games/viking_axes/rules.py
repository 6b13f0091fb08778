"""Viking Axes: the rules. Ids are those of the rulebook beside this file."""

from __future__ import annotations

from typing import Any

from meadhall.games.viking_axes.state import (
    AXE_CARDS,
    AXE_KINDS,
    COPIES,
    KINDS,
    NO_CARD,
    SHIELD_KINDS,
    Act,
    Card,
    Due,
    Event,
    Phase,
    State,
    axes_on,
    can_be_disarmed,
    can_be_hit,
    can_be_skipped,
    clockwise,
    conceal as conceal,
    is_playable,
    redeal as redeal,
    shields_on,
)
from meadhall.sdk import Grid, Row, below, emit, emit_private, rule, shuffle

# --------------------------------------------------------------------------------------------------------------------- setup


@rule
def setup(state: State, players: int, options: Any, log: Grid) -> None:
    """VA-1: All cards are shuffled, the first player is drawn at random, and in the variant hands are dealt.

    VA-8.2, VA-8.3: The hits that put a player out are numbers of the rules.
    """
    state.strategic = options[0]
    state.early = options[1]
    state.limit = options[3] if players == 2 else options[2]
    state.held = options[4]
    state.living = players
    state.card = NO_CARD
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
    """VA-1.5, VA-2.2: The discarded cards, laid out in the order of their kinds, are shuffled and become the draw pile."""
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
    """VA-1.3, VA-8.4: Each player is dealt two cards, or as many as the table chose, one at a time, clockwise from the first."""
    for _ in range(state.held):
        seat = state.actor
        for _ in range(state.players):
            card = take_top(state, log)
            state.hand[seat, card] += 1
            emit_private(log, seat, Event.DEALT, seat, card)
            seat = clockwise(state, seat)


# --------------------------------------------------------------------------------------------------------------------- actions


@rule(inline=True)
def legal(state: State, out: Row) -> int:
    """VA-2.4: The choices of the seat to move."""
    if state.phase == Phase.THROW:
        return legal_targets(state, out)
    if state.phase == Phase.HAND:
        return legal_cards(state, out)
    if state.phase == Phase.WENCH:
        return legal_wenches(state, out)
    out[0] = Act.DRAW if state.phase == Phase.ARMORY else Act.CASH_IN
    out[1] = Act.PLACE if state.phase == Phase.ARMORY else Act.END_TURN
    return 2


@rule(inline=True)
def legal_targets(state: State, out: Row) -> int:
    count = 0
    for seat in range(state.players):
        if can_be_hit(state, seat):
            out[count] = Act.THROW + seat
            count += 1
    return count


@rule
def legal_wenches(state: State, out: Row) -> int:
    count = 0
    for seat in range(state.players):
        if can_be_skipped(state, seat):
            out[count] = Act.SKIP + seat
            count += 1
    for seat in range(state.players):
        if can_be_disarmed(state, seat):
            out[count] = Act.DISARM + seat
            count += 1
    return count


@rule
def legal_cards(state: State, out: Row) -> int:
    """VA-2.3: Any playable card of the hand may be played. If there is none, any card may be discarded."""
    count = 0
    for kind in range(KINDS):
        if state.hand[state.actor, kind] and is_playable(state, kind):
            out[count] = Act.PLAY + kind
            count += 1
    if count == 0:
        for kind in range(KINDS):
            if state.hand[state.actor, kind]:
                out[count] = Act.DISCARD + kind
                count += 1
    return count


@rule(inline=True)
def play(state: State, action: int, log: Grid) -> None:
    """Play the action, and everything that follows up to the next decision."""
    if action < Act.SKIP:
        throw_axes(state, action - Act.THROW, log)
        if is_over(state):
            end(state, log)
            return
    elif action < Act.DRAW:
        send_wench(state, action, log)
    elif action < Act.PLAY:
        use_armory(state, action, log)
    elif action < Act.DISCARD:
        if play_from_hand(state, action - Act.PLAY, log):
            return
    else:
        discard_from_hand(state, action - Act.DISCARD, log)
    go_on(state, action in (Act.DRAW, Act.CASH_IN), log)


@rule(inline=True)
def go_on(state: State, draws: bool, log: Grid) -> None:
    """VA-2.4: The game goes on to the next decision; ``draws`` says whether the seat to move draws a card first.

    VA-8.1: With this house rule an armory is offered before the turn's first card, too.
    """
    while True:
        if draws and draw_card(state, log):
            return
        draws = True
        if state.owed:
            state.owed = False
            continue
        if not state.offer:
            pass_turn(state, log)
            state.owed = state.early and state.offer
            if not state.owed:
                continue
        state.phase = Phase.OFFER
        return


@rule
def pass_turn(state: State, log: Grid) -> None:
    """VA-1.1: Turns pass clockwise among the players still in the game. VA-6.4: A skipped turn is skipped completely."""
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
    """VA-2.1, VA-2.3: The seat to move draws a card. Return whether there is a decision to make now."""
    seat = state.actor
    card = take_top(state, log)
    if state.strategic:
        emit_private(log, seat, Event.DREW, seat, card)
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
    """VA-2.2: If the draw pile is empty, the discarded cards are shuffled first."""
    if state.left == 0:
        shuffle_discarded(state, log)
    state.reveals += 1
    state.left -= 1
    card = state.pile[state.left]
    state.pile[state.left] = NO_CARD
    return card


@rule
def bring_into_play(state: State, card: int, log: Grid) -> bool:
    """VA-2.4: A shield simply goes in front of its player. Return whether the card requires a decision."""
    if Card.ONE_SHIELD <= card < Card.ARMORY:
        place_shield(state, card, log)
        return False
    state.card = card
    state.phase = Phase.THROW if card < Card.ONE_SHIELD else Phase.ARMORY if card == Card.ARMORY else Phase.WENCH
    return True


@rule
def play_from_hand(state: State, card: int, log: Grid) -> bool:
    """VA-2.3: The card leaves the hand, in public. Return whether it requires a decision."""
    state.reveals += 1
    state.hand[state.actor, card] -= 1
    emit(log, Event.PLAYS, state.actor, card)
    return bring_into_play(state, card, log)


@rule
def discard_from_hand(state: State, card: int, log: Grid) -> None:
    """VA-2.3: If no card of the hand can be played, one of them is discarded, in public."""
    state.reveals += 1
    state.hand[state.actor, card] -= 1
    discard(state, card, log)


@rule
def discard(state: State, card: int, log: Grid) -> None:
    state.discarded[card] += 1
    emit(log, Event.DISCARDS, state.actor, card)


@rule
def place_shield(state: State, card: int, log: Grid) -> None:
    """VA-4.1, VA-3.6: The shield card goes in front of its player and joins the pool."""
    state.shields[state.actor, card - Card.ONE_SHIELD] += 1
    state.unused[state.actor] += shields_on(card)
    emit(log, Event.PLACES, state.actor, card)


# ----------------------------------------------------------------------------------------------------------------------- axes


@rule(inline=True)
def throw_axes(state: State, target: int, log: Grid) -> None:
    """VA-3: Unused shields block axes; the other axes hit."""
    card = state.card
    axes = axes_on(card)
    shields = state.unused[target]
    state.card = NO_CARD
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
    """VA-3.3: If shields are left over, the axe card lies on them."""
    state.lying[target, card] += 1
    state.axes_in_front += 1
    state.unused[target] -= axes_on(card)


@rule
def spend_shields(state: State, target: int, log: Grid) -> None:
    """VA-3.4, VA-3.5, VA-3.6: The whole pool is used up and discarded, with the axe cards on it."""
    discard_shields(state, target)
    emit(log, Event.SHIELDS_SPENT, target)


@rule
def discard_shields(state: State, seat: int) -> None:
    for kind in range(SHIELD_KINDS):
        state.discarded[Card.ONE_SHIELD + kind] += state.shields[seat, kind]
        state.shields[seat, kind] = 0
    for kind in range(AXE_KINDS):
        state.discarded[kind] += state.lying[seat, kind]
        state.axes_in_front -= state.lying[seat, kind]
        state.lying[seat, kind] = 0
    state.unused[seat] = 0


@rule
def hit(state: State, target: int, card: int, count: int, log: Grid) -> None:
    """VA-3.2, VA-3.5: The card stays in front of the target as a mark, even if only some of its axes hit."""
    state.marks[target, card] += 1
    state.axes_in_front += 1
    state.hits[target] += count
    emit(log, Event.HITS, target, count)
    if state.hits[target] >= state.limit:
        drop_out(state, target, log)


@rule
def drop_out(state: State, seat: int, log: Grid) -> None:
    """VA-1.2, VA-3.7: A player who drops out discards all cards in front, including the one just thrown, and the hand, face up.

    VA-6.4: A pending skip lapses.
    """
    state.out[seat] = True
    state.living -= 1
    state.due[seat] = Due.NOTHING
    emit(log, Event.OUT, seat)
    discard_shields(state, seat)
    for kind in range(AXE_KINDS):
        state.discarded[kind] += state.marks[seat, kind]
        state.axes_in_front -= state.marks[seat, kind]
        state.marks[seat, kind] = 0
    state.discarded[Card.ARMORY] += state.armory[seat]
    state.armory[seat] = False
    if state.strategic:
        reveal_hand(state, seat, log)


@rule
def reveal_hand(state: State, seat: int, log: Grid) -> None:
    """VA-3.7: The hand of a player who drops out is discarded face up."""
    state.reveals += 1
    for kind in range(KINDS):
        for _ in range(state.hand[seat, kind]):
            state.discarded[kind] += 1
            emit(log, Event.DISCARDS, seat, kind)
        state.hand[seat, kind] = 0


# ------------------------------------------------------------------------------------------------------------ wench and armory


@rule
def send_wench(state: State, action: int, log: Grid) -> None:
    """VA-6.1: A wench empties an armory, or makes a player miss the next turn."""
    state.card = NO_CARD
    state.discarded[Card.WENCH] += 1
    if action < Act.DISARM:
        state.due[action - Act.SKIP] = Due.SKIP
        emit(log, Event.SKIPS, state.actor, action - Act.SKIP)
    else:
        state.armory[action - Act.DISARM] = False
        state.discarded[Card.ARMORY] += 1
        emit(log, Event.DISARMS, state.actor, action - Act.DISARM)


@rule
def use_armory(state: State, action: int, log: Grid) -> None:
    """VA-5.1: The armory in play is discarded or placed. VA-5.3: One placed earlier is cashed in, or the turn ends.

    VA-5.4: The card drawn next is played like any other. An armory placed now is not offered before the next turn.
    VA-8.1: One that is kept before the turn's first card is offered again after it.
    """
    seat = state.actor
    state.card = NO_CARD
    state.offer = state.owed and action == Act.END_TURN
    if action == Act.DRAW:
        discard(state, Card.ARMORY, log)
    elif action == Act.PLACE:
        state.armory[seat] = True
        emit(log, Event.PLACES, seat, Card.ARMORY)
    elif action == Act.CASH_IN:
        state.armory[seat] = False
        state.discarded[Card.ARMORY] += 1
        emit(log, Event.CASHES_IN_EARLY if state.owed else Event.CASHES_IN, seat)


# ------------------------------------------------------------------------------------------------------------------------ end


@rule
def is_over(state: State) -> bool:
    """VA-7.1: The match is over when one player is left. VA-7.2: Also when no axe card is left to throw."""
    return state.living == 1 or state.axes_in_front == AXE_CARDS


@rule
def end(state: State, log: Grid) -> None:
    state.actor = -1
    for seat in range(state.players):
        if has_won(state, seat):
            emit(log, Event.WON, seat)


@rule
def has_won(state: State, seat: int) -> bool:
    """VA-7.1, VA-7.2: Of the players still in the game, those with the fewest hits win."""
    if state.out[seat]:
        return False
    for other in range(state.players):
        if not state.out[other] and state.hits[other] < state.hits[seat]:
            return False
    return True


@rule
def score(state: State, out: Any) -> None:
    """VA-7.1: The last player gets everything. VA-7.2: Several winners share it equally."""
    winners = 0
    for seat in range(state.players):
        out[seat] = 1.0 if has_won(state, seat) else 0.0
        winners += has_won(state, seat)
    for seat in range(state.players):
        out[seat] /= winners
