"""The end (§End of the game): points, ties, winners."""

from __future__ import annotations

from typing import Any

from meadhall.games.dungeon_allies.pieces import CARDS, COLOURS, MONSTERS, NONE, SKILLS
from meadhall.games.dungeon_allies.state import MAX_TURNS, Event, State
from meadhall.sdk import Grid, append_argument, emit, rule


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
