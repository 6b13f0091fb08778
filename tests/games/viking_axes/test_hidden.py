"""What seats may know: who sees which cards, and that the others are redealt by the exact law."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import combinations_with_replacement
from math import comb, prod
from typing import Any

import numpy as np
import pytest

from games.viking_axes.scenes import VA, counted, legal, play_at_random, scene
from meadhall import Match
from meadhall.engine.compiled import loops
from meadhall.engine.rule import INTERPRETED
from meadhall.engine.view import concealed
from meadhall.games.viking_axes.hidden import unseen
from meadhall.games.viking_axes.state import COPIES, KINDS, NONE, PLAY, THROW, State, hand_size

REDEALS = 1500 if INTERPRETED else 30_000
HANDS = {0: ["axe1", "shield2", "wench"], 1: ["axe3", "axe3"], 2: ["armory", "shield4"]}


def middle(variant: str, players: int = 3) -> Match:
    """A match under way, of players none of whom is out."""
    matches = play_at_random(VA.match(players=players, seed="under way", variant=variant), 3)
    match = next(match.copy() for match in matches if match.state.left < 95)  # type: ignore[attr-defined]
    assert match.state.living == players  # type: ignore[attr-defined]
    return match


def seen_by(match: Match, viewer: int) -> Any:
    return match.view(viewer).state


def hand(state: Any, seat: int) -> list[int]:
    return [state.hand[seat, kind] for kind in range(KINDS)]


def redeals(match: Match, viewer: int, count: int = REDEALS) -> Iterator[Any]:
    """States that are to the viewer the same table."""
    view = concealed(VA, match.states, viewer)
    draw = np.random.default_rng(7)
    for _ in range(count):
        states = view.copy()
        states["rng"][0] = draw.integers(1, 1 << 63, 2)
        loops(VA).redeal_one(states, viewer)
        yield State.at(states)


# ------------------------------------------------------------------------------------------------------------ who sees what


@pytest.mark.parametrize("variant", ["standard", "strategic"])
def test_nobody_sees_the_order_of_the_draw_pile(variant: str) -> None:
    match = middle(variant)
    for viewer in range(-1, 3):
        state = seen_by(match, viewer)
        assert state.left == match.state.left > 10  # type: ignore[attr-defined]
        assert {state.pile[k] for k in range(len(state.pile))} == {NONE}


def test_a_seat_sees_its_own_hand_and_nobody_else_does() -> None:
    match = middle("strategic")
    for viewer in range(-1, 3):
        for seat in range(3):
            shown = hand(seen_by(match, viewer), seat)
            assert shown == (hand(match.state, seat) if seat == viewer else [0] * KINDS)
    assert all(sum(hand(match.state, seat)) for seat in range(3))


def test_everybody_can_see_how_many_cards_are_held() -> None:
    match = scene(hands=HANDS)
    assert [hand_size(seen_by(match, -1), seat) for seat in range(3)] == [3, 2, 2]
    match.play(PLAY + 0)
    assert [hand_size(seen_by(match, 1), seat) for seat in range(3)] == [2, 2, 2]
    assert [hand_size(seen_by(middle("standard"), -1), seat) for seat in range(3)] == [0, 0, 0]


def test_what_lies_in_the_open_stays_as_it_is() -> None:
    match = middle("strategic")
    open_fields = [name for name in VA.state.dtype.names or () if name not in ("rng", "pile", "hand")]
    for viewer in range(-1, 3):
        view = match.view(viewer).states
        assert all(np.array_equal(view[name], match.states[name]) for name in open_fields)


def test_draws_are_told_to_all_in_the_standard_game_and_to_one_in_the_variant() -> None:
    for variant, audience in (("standard", lambda seat: -1), ("strategic", lambda seat: seat)):
        match = middle(variant)
        drew = [event for step in match.steps for event in step.events if event.name == "drew"]
        assert len(drew) > 10
        assert all(event.audience == audience(event.arguments[0]) for event in drew)


def test_a_card_chosen_from_the_hand_may_be_taken_back_before_the_target_is_named() -> None:
    match = scene(hands=HANDS)
    match.play(PLAY + 0)
    assert match.can_undo()
    match.undo()
    assert legal(match) == [PLAY + kind for kind in (0, 4, 8)]
    match.play(PLAY + 0)
    match.play(THROW + 1)
    assert not match.can_undo()  # the next player has drawn


def test_who_goes_out_shows_the_hand_and_that_is_not_taken_back() -> None:
    match = scene(hands=HANDS, front={0: ["armory"]}, hits={1: 9}, offer=True)
    states = match.states
    state: Any = VA.state.at(states)
    state.phase, state.card = 1, 0
    state.hand[0, 0] -= 1
    match = match.supposing(states)
    match.play(THROW + 1)
    assert match.actor == 0  # to cash in the armory: nobody has drawn
    assert not match.can_undo()


# ------------------------------------------------------------------------------------------------------------- the exact law


def test_the_unseen_cards_are_those_of_the_pile_and_of_other_hands() -> None:
    for variant in ("standard", "strategic"):
        match = middle(variant)
        state: Any = match.state
        for viewer in range(-1, 3):
            hidden = Counter(state.pile[k] for k in range(state.left))
            for seat in range(3):
                if seat != viewer:
                    hidden.update({kind: number for kind, number in enumerate(hand(state, seat)) if number})
            assert hidden == +Counter({kind: unseen(seen_by(match, viewer), kind) for kind in range(KINDS)})


@pytest.mark.parametrize("viewer", [-1, 0, 1])
def test_a_redeal_has_all_cards_and_leaves_what_is_known(viewer: int) -> None:
    match = middle("strategic")
    for state in redeals(match, viewer, 50):
        assert counted(state) == dict(enumerate(COPIES))
        assert [sum(hand(state, seat)) for seat in range(3)] == [sum(hand(match.state, seat)) for seat in range(3)]
        if viewer >= 0:
            assert hand(state, viewer) == hand(match.state, viewer)


def hypergeometric(numbers: list[int], drawn: int) -> dict[tuple[int, ...], float]:
    """The exact law of ``drawn`` cards from a heap with so many of each kind: counts by kind -> probability."""
    law = {}
    for cards in combinations_with_replacement(range(len(numbers)), drawn):
        counts = tuple(cards.count(kind) for kind in range(len(numbers)))
        ways = prod(comb(have, want) for have, want in zip(numbers, counts, strict=True))
        if ways:
            law[counts] = ways / comb(sum(numbers), drawn)
    return law


def distance(found: Counter[Any], law: dict[Any, float]) -> float:
    """Pearson's statistic in standard deviations from its mean; rare outcomes are taken together."""
    total = found.total()
    assert set(found) <= set(law)
    cells = [(found[outcome], total * chance) for outcome, chance in law.items() if total * chance >= 8]
    rest = (total - sum(cell[0] for cell in cells), total - sum(cell[1] for cell in cells))
    cells += [rest] if rest[1] >= 8 else []
    statistic = sum((seen - expected) ** 2 / expected for seen, expected in cells)
    free = len(cells) - 1
    return float((statistic - free) / (2 * free) ** 0.5)


SEEN: dict[str, tuple[Callable[[Any], Any], int]] = {
    "a hand": (lambda state: tuple(hand(state, 1)), 2),
    "two hands together": (lambda state: tuple(np.add(hand(state, 1), hand(state, 2)).tolist()), 4),
    "the top of the pile": (lambda state: tuple(int(state.pile[state.left - 1] == kind) for kind in range(KINDS)), 1),
    "the bottom of the pile": (lambda state: tuple(int(state.pile[0] == kind) for kind in range(KINDS)), 1),
    "a hand and the top": (
        lambda state: tuple(n + (state.pile[state.left - 1] == kind) for kind, n in enumerate(hand(state, 1))),
        3,
    ),
}
"""What of a redealt state is compared, and how many of the unseen cards that is."""


@pytest.fixture(scope="module")
def dealt() -> tuple[list[int], dict[str, Counter[Any]]]:
    """For seat 0: the unseen cards by kind, and what many redeals came to."""
    match = middle("strategic")
    while match.actor != 0:
        match.play(legal(match)[0])
    numbers = [unseen(seen_by(match, 0), kind) for kind in range(KINDS)]
    found: dict[str, Counter[Any]] = {what: Counter() for what in SEEN}
    for state in redeals(match, 0):
        for what, (look, _) in SEEN.items():
            found[what][look(state)] += 1
    return numbers, found


@pytest.mark.parametrize("what", SEEN)
def test_unseen_cards_are_redealt_by_the_hypergeometric_law(what: str, dealt: tuple[list[int], dict[str, Counter[Any]]]) -> None:
    numbers, found = dealt
    assert distance(found[what], hypergeometric(numbers, SEEN[what][1])) < 4


def test_another_law_would_be_found_out(dealt: tuple[list[int], dict[str, Counter[Any]]]) -> None:
    """One card fewer of one kind and one more of another, among dozens."""
    numbers, found = dealt
    wrong = [n + (kind == 0) - (kind == 3) for kind, n in enumerate(numbers)]
    if not INTERPRETED:
        assert distance(found["two hands together"], hypergeometric(wrong, 4)) > 6
    assert distance(found["a hand"], hypergeometric([*numbers[1:], numbers[0]], 2)) > 6
