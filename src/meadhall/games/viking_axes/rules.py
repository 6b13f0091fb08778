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
    Table,
    can_be_disarmed,
    can_be_hit,
    can_be_skipped,
    clockwise,
    is_playable,
)

# --------------------------------------------------------------------------------------------------------------------- setup


@rule
def setup(table: Table, players: int, options: Any, log: Grid) -> None:
    """VA-1: all cards are shuffled, chance says who starts, and in the variant hands are dealt."""
    table.strategic = options[0]
    table.limit = HITS_OF_TWO if players == 2 else HITS
    table.living = players
    table.card = NONE
    for kind in range(KINDS):
        table.discarded[kind] = COPIES[kind]
    shuffle_discarded(table, log)
    table.actor = below(table.rng, players)
    emit(log, Event.STARTS, table.actor)
    if table.strategic:
        deal_hands(table, log)
    go_on(table, True, log)


@rule
def shuffle_discarded(table: Table, log: Grid) -> None:
    """VA-1.5, VA-2.2: the discarded cards, laid out in the order of their kinds, are shuffled and become the draw pile."""
    count = 0
    for kind in range(KINDS):
        for _ in range(table.discarded[kind]):
            table.pile[count] = kind
            count += 1
        table.discarded[kind] = 0
    table.left = count
    table.reveals += 1
    shuffle(table.rng, table.pile, count)
    emit(log, Event.SHUFFLED, count)


@rule
def deal_hands(table: Table, log: Grid) -> None:
    """VA-1.3: two cards each, clockwise from the player who starts."""
    for _ in range(HAND):
        seat = table.actor
        for _ in range(table.players):
            card = take_top(table, log)
            table.hand[seat, card] += 1
            whisper(log, seat, Event.DEALT, seat, card)
            seat = clockwise(table, seat)


# --------------------------------------------------------------------------------------------------------------------- actions


@rule(inline=True)
def legal(table: Table, out: Row) -> int:
    """VA-2.4: what the actor can choose from."""
    if table.phase == Phase.THROW:
        return legal_targets(table, out)
    if table.phase == Phase.HAND:
        return legal_cards(table, out)
    if table.phase == Phase.WENCH:
        return legal_wenches(table, out)
    out[0] = DRAW if table.phase == Phase.ARMORY else CASH_IN
    out[1] = PLACE if table.phase == Phase.ARMORY else END_TURN
    return 2


@rule(inline=True)
def legal_targets(table: Table, out: Row) -> int:
    count = 0
    for seat in range(table.players):
        if can_be_hit(table, seat):
            out[count] = THROW + seat
            count += 1
    return count


@rule
def legal_wenches(table: Table, out: Row) -> int:
    count = 0
    for seat in range(table.players):
        if can_be_skipped(table, seat):
            out[count] = SKIP + seat
            count += 1
    for seat in range(table.players):
        if can_be_disarmed(table, seat):
            out[count] = DISARM + seat
            count += 1
    return count


@rule
def legal_cards(table: Table, out: Row) -> int:
    """VA-2.3: any playable card of the hand; only if there is none, any card to be discarded."""
    count = 0
    for kind in range(KINDS):
        if table.hand[table.actor, kind] and is_playable(table, kind):
            out[count] = PLAY + kind
            count += 1
    if count == 0:
        for kind in range(KINDS):
            if table.hand[table.actor, kind]:
                out[count] = DISCARD + kind
                count += 1
    return count


@rule(inline=True)
def play(table: Table, action: int, log: Grid) -> None:
    """The action, and all that follows up to the next decision."""
    if action < SKIP:
        throw_axes(table, action - THROW, log)
        if is_over(table):
            end(table, log)
            return
    elif action < DRAW:
        send_wench(table, action, log)
    elif action < PLAY:
        use_armory(table, action, log)
    elif action < DISCARD:
        if play_from_hand(table, action - PLAY, log):
            return
    else:
        discard_from_hand(table, action - DISCARD, log)
    go_on(table, action in (DRAW, CASH_IN), log)


@rule(inline=True)
def go_on(table: Table, draws: bool, log: Grid) -> None:
    """VA-2.4: to the next decision. ``draws``: the actor is to draw a card."""
    while True:
        if draws and draw_card(table, log):
            return
        if table.offer:
            table.phase = Phase.OFFER
            return
        pass_turn(table, log)
        draws = True


@rule
def pass_turn(table: Table, log: Grid) -> None:
    """VA-1.1: clockwise, skipping those who are out. VA-6.4: a skipped turn is skipped whole."""
    table.due[table.actor] = Due.NOTHING
    seat = table.actor
    while True:
        seat = clockwise(table, seat)
        if table.due[seat] == Due.SKIP:
            table.due[seat] = Due.TURN
            emit(log, Event.TURN_SKIPPED, seat)
        elif not table.out[seat]:
            break
    table.actor = seat
    table.offer = table.armory[seat]


# ---------------------------------------------------------------------------------------------------------------------- cards


@rule
def draw_card(table: Table, log: Grid) -> bool:
    """VA-2.1, VA-2.3: the actor draws. Whether there is something to decide now."""
    seat = table.actor
    card = take_top(table, log)
    if table.strategic:
        whisper(log, seat, Event.DREW, seat, card)
        table.hand[seat, card] += 1
        table.phase = Phase.HAND
        return True
    emit(log, Event.DREW, seat, card)
    if is_playable(table, card):
        return bring_into_play(table, card, log)
    discard(table, card, log)
    return False


@rule
def take_top(table: Table, log: Grid) -> int:
    """VA-2.2: when there is no card left, the discarded ones are shuffled first."""
    if table.left == 0:
        shuffle_discarded(table, log)
    table.reveals += 1
    table.left -= 1
    card = table.pile[table.left]
    table.pile[table.left] = NONE
    return card


@rule
def bring_into_play(table: Table, card: int, log: Grid) -> bool:
    """VA-2.4: whether there is something to decide about it; a shield just goes in front of its player."""
    if SHIELD <= card < ARMORY:
        place_shield(table, card, log)
        return False
    table.card = card
    table.phase = Phase.THROW if card < SHIELD else Phase.ARMORY if card == ARMORY else Phase.WENCH
    return True


@rule
def play_from_hand(table: Table, card: int, log: Grid) -> bool:
    """VA-2.3: the card leaves the hand. Whether there is something to decide about it."""
    table.hand[table.actor, card] -= 1
    emit(log, Event.PLAYS, table.actor, card)
    return bring_into_play(table, card, log)


@rule
def discard_from_hand(table: Table, card: int, log: Grid) -> None:
    """VA-2.3: no card of the hand can be played, so one of them is discarded."""
    table.hand[table.actor, card] -= 1
    discard(table, card, log)


@rule
def discard(table: Table, card: int, log: Grid) -> None:
    table.discarded[card] += 1
    emit(log, Event.DISCARDS, table.actor, card)


@rule
def place_shield(table: Table, card: int, log: Grid) -> None:
    """VA-4.1, VA-3.6: it joins the pool."""
    table.shields[table.actor, card - SHIELD] += 1
    table.unused[table.actor] += card - SHIELD + 1
    emit(log, Event.PLACES, table.actor, card)


# ----------------------------------------------------------------------------------------------------------------------- axes


@rule(inline=True)
def throw_axes(table: Table, target: int, log: Grid) -> None:
    """VA-3: what the unused shields don't block, hits."""
    card = table.card
    axes = card + 1
    shields = table.unused[target]
    table.card = NONE
    emit(log, Event.THROWS, table.actor, target, axes)
    if shields:
        emit(log, Event.BLOCKED, target, min(axes, shields))
    if axes < shields:
        catch(table, target, card)
        return
    if shields:
        spend_shields(table, target, log)
    if axes == shields:
        table.discarded[card] += 1
    else:
        hit(table, target, card, axes - shields, log)


@rule
def catch(table: Table, target: int, card: int) -> None:
    """VA-3.3: all blocked with shields to spare: the card lies on them."""
    table.lying[target, card] += 1
    table.axes_in_front += 1
    table.unused[target] -= card + 1


@rule
def spend_shields(table: Table, target: int, log: Grid) -> None:
    """VA-3.4, VA-3.5, VA-3.6: the whole pool is used up and discarded, with the axe cards lying on it."""
    discard_shields(table, target)
    emit(log, Event.SHIELDS_SPENT, target)


@rule
def discard_shields(table: Table, seat: int) -> None:
    for kind in range(SHIELD_KINDS):
        table.discarded[SHIELD + kind] += table.shields[seat, kind]
        table.shields[seat, kind] = 0
    for kind in range(AXE_KINDS):
        table.discarded[kind] += table.lying[seat, kind]
        table.axes_in_front -= table.lying[seat, kind]
        table.lying[seat, kind] = 0
    table.unused[seat] = 0


@rule
def hit(table: Table, target: int, card: int, count: int, log: Grid) -> None:
    """VA-3.2, VA-3.5: the card stays as a mark of the hits, however many of its axes these were."""
    table.marks[target, card] += 1
    table.axes_in_front += 1
    table.hits[target] += count
    emit(log, Event.HITS, target, count)
    if table.hits[target] >= table.limit:
        drop_out(table, target, log)


@rule
def drop_out(table: Table, seat: int, log: Grid) -> None:
    """VA-1.2, VA-3.7: all cards in front are discarded, the thrown one too, and the hand, openly. VA-6.4: a skip lapses."""
    table.out[seat] = True
    table.living -= 1
    table.due[seat] = Due.NOTHING
    emit(log, Event.OUT, seat)
    discard_shields(table, seat)
    for kind in range(AXE_KINDS):
        table.discarded[kind] += table.marks[seat, kind]
        table.axes_in_front -= table.marks[seat, kind]
        table.marks[seat, kind] = 0
    table.discarded[ARMORY] += table.armory[seat]
    table.armory[seat] = False
    if table.strategic:
        reveal_hand(table, seat, log)


@rule
def reveal_hand(table: Table, seat: int, log: Grid) -> None:
    """VA-3.7: the hand of a player who goes out is discarded face up."""
    table.reveals += 1
    for kind in range(KINDS):
        for _ in range(table.hand[seat, kind]):
            table.discarded[kind] += 1
            emit(log, Event.DISCARDS, seat, kind)
        table.hand[seat, kind] = 0


# ------------------------------------------------------------------------------------------------------------ wench and armory


@rule
def send_wench(table: Table, action: int, log: Grid) -> None:
    """VA-6.1: she takes an armory with her, or a player's next turn."""
    table.card = NONE
    table.discarded[WENCH] += 1
    if action < DISARM:
        table.due[action - SKIP] = Due.SKIP
        emit(log, Event.SKIPS, table.actor, action - SKIP)
    else:
        table.armory[action - DISARM] = False
        table.discarded[ARMORY] += 1
        emit(log, Event.DISARMS, table.actor, action - DISARM)


@rule
def use_armory(table: Table, action: int, log: Grid) -> None:
    """VA-5.1: discard the armory drawn, or place it. VA-5.3: cash in one placed earlier, or end the turn.

    VA-5.4: what is drawn then is played like any card; what is placed now is not offered before the next turn.
    """
    seat = table.actor
    table.card = NONE
    table.offer = False
    if action == DRAW:
        discard(table, ARMORY, log)
    elif action == PLACE:
        table.armory[seat] = True
        emit(log, Event.PLACES, seat, ARMORY)
    elif action == CASH_IN:
        table.armory[seat] = False
        table.discarded[ARMORY] += 1
        emit(log, Event.CASHES_IN, seat)


# ------------------------------------------------------------------------------------------------------------------------ end


@rule
def is_over(table: Table) -> bool:
    """VA-7.1: one player is left. VA-7.2: or no axe card is."""
    return table.living == 1 or table.axes_in_front == AXE_CARDS


@rule
def end(table: Table, log: Grid) -> None:
    table.actor = -1
    for seat in range(table.players):
        if has_won(table, seat):
            emit(log, Event.WON, seat)


@rule
def has_won(table: Table, seat: int) -> bool:
    """VA-7.1, VA-7.2: of those not out, whoever has been hit least."""
    if table.out[seat]:
        return False
    for other in range(table.players):
        if not table.out[other] and table.hits[other] < table.hits[seat]:
            return False
    return True


@rule
def score(table: Table, out: Any) -> None:
    """VA-7.1: all to the last player. VA-7.2: or shared by those who have won."""
    winners = 0
    for seat in range(table.players):
        out[seat] = 1.0 if has_won(table, seat) else 0.0
        winners += has_won(table, seat)
    for seat in range(table.players):
        out[seat] /= winners
