"""Hidden information of Viking Axes: which cards each seat sees, and the exact distribution of redealt cards."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import combinations_with_replacement
from math import comb, prod
from typing import Any

import numpy as np
import pytest

from games.viking_axes.scenes import VA, counted, legal, play_at_random, scene
from meadhall import CannotUndo, Match
from meadhall.engine.compiled import loops
from meadhall.engine.match.view import concealed
from meadhall.games.viking_axes.state import COPIES, KINDS, NO_CARD, Act, Card, Phase, State, hand_size, unseen
from sizes import LONG, sized

REDEALS = sized(4_000, 30_000)
HANDS = {0: ["axe1", "shield2", "wench"], 1: ["axe3", "axe3"], 2: ["armory", "shield4"]}


def middle(variant: str, players: int = 3) -> Match:
    """Return a match in progress in which no player is out."""
    matches = play_at_random(VA.match(players=players, seed="under way", variant=variant), 3)
    match = next(match.copy() for match in matches if match.state.left < 95)
    assert match.state.living == players
    return match


def seen_by(match: Match, viewer: int) -> Any:
    return match.view(viewer).state


def hand(state: Any, seat: int) -> list[int]:
    return [state.hand[seat, kind] for kind in range(KINDS)]


def redeals(match: Match, viewer: int, count: int = REDEALS) -> Iterator[Any]:
    """Yield determinizations of the match for the viewer."""
    view = concealed(VA, match.states, viewer)
    draw = np.random.default_rng(7)
    for _ in range(count):
        states = view.copy()
        states["rng"][0] = draw.integers(1, 1 << 63, 2)
        loops(VA).redeal_one(states, viewer)
        yield State.at(states)


# ---------------------------------------------------------------------------------------------------------------- visibility


@pytest.mark.parametrize("variant", ["standard", "strategic"])
def test_no_viewer_sees_the_order_of_the_draw_pile(variant: str) -> None:
    match = middle(variant)
    for viewer in range(-1, 3):
        state = seen_by(match, viewer)
        assert state.left == match.state.left > 10
        assert {state.pile[k] for k in range(len(state.pile))} == {NO_CARD}


def test_only_its_owner_sees_a_hand() -> None:
    match = middle("strategic")
    for viewer in range(-1, 3):
        for seat in range(3):
            shown = hand(seen_by(match, viewer), seat)
            assert shown == (hand(match.state, seat) if seat == viewer else [0] * KINDS)
    assert all(sum(hand(match.state, seat)) for seat in range(3))


def test_all_viewers_see_the_sizes_of_hands() -> None:
    match = scene(hands=HANDS)
    assert [hand_size(seen_by(match, -1), seat) for seat in range(3)] == [3, 2, 2]
    match.play(Act.PLAY + Card.AXE)
    assert [hand_size(seen_by(match, 1), seat) for seat in range(3)] == [2, 2, 2]
    assert [hand_size(seen_by(middle("standard"), -1), seat) for seat in range(3)] == [0, 0, 0]


def test_open_fields_are_not_concealed() -> None:
    match = middle("strategic")
    open_fields = [name for name in VA.state.dtype.names or () if name not in ("rng", "pile", "hand")]
    for viewer in range(-1, 3):
        view = match.view(viewer).states
        assert all(np.array_equal(view[name], match.states[name]) for name in open_fields)


def test_draws_are_public_in_the_standard_game_and_private_in_the_variant() -> None:
    for variant, audience in (("standard", lambda seat: -1), ("strategic", lambda seat: seat)):
        match = middle(variant)
        drew = [event for step in match.steps for event in step.events if event.name == "drew"]
        assert len(drew) > 10
        assert all(event.audience == audience(event.arguments[0]) for event in drew)


def test_playing_a_card_from_the_hand_reveals_it_and_cannot_be_undone() -> None:
    match = scene(hands=HANDS)
    match.play(Act.PLAY + Card.AXE)
    assert not match.can_undo()
    with pytest.raises(CannotUndo, match="revealed"):
        match.undo()
    match.undo(revealed=True)  # as the terminal allows
    assert legal(match) == [Act.PLAY + kind for kind in (Card.AXE, Card.TWO_SHIELDS, Card.WENCH)]
    match.play(Act.PLAY + Card.AXE)
    match.play(Act.THROW + 1)
    assert not match.can_undo()


def test_a_throw_that_reveals_a_hand_cannot_be_undone() -> None:
    match = scene(hands=HANDS, front={0: ["armory"]}, hits={1: 9}, offer=True)
    states = match.states
    state: Any = VA.state.at(states)
    state.phase, state.card = Phase.THROW, Card.AXE
    state.hand[0, Card.AXE] -= 1
    match = match.supposing(states)
    match.play(Act.THROW + 1)
    assert match.actor == 0  # with an armory to cash in: no card has been drawn
    assert not match.can_undo()


# ------------------------------------------------------------------------------------------------------------- distribution


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
def test_a_redeal_has_all_cards_and_keeps_the_known_ones(viewer: int) -> None:
    match = middle("strategic")
    for state in redeals(match, viewer, 50):
        assert counted(state) == dict(enumerate(COPIES))
        assert [sum(hand(state, seat)) for seat in range(3)] == [sum(hand(match.state, seat)) for seat in range(3)]
        if viewer >= 0:
            assert hand(state, viewer) == hand(match.state, viewer)


def hypergeometric(numbers: list[int], drawn: int) -> dict[tuple[int, ...], float]:
    """Return the distribution of ``drawn`` cards from a pile with these numbers of each kind: counts by kind -> probability."""
    law = {}
    for cards in combinations_with_replacement(range(len(numbers)), drawn):
        counts = tuple(cards.count(kind) for kind in range(len(numbers)))
        choices = prod(comb(have, want) for have, want in zip(numbers, counts, strict=True))
        if choices:
            law[counts] = choices / comb(sum(numbers), drawn)
    return law


def distance(found: Counter[Any], law: dict[Any, float]) -> float:
    """Return Pearson's statistic, in standard deviations from its mean. Rare outcomes are merged."""
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
"""Parts of a redealt state that are compared: a function that extracts one, and its number of unseen cards."""


@pytest.fixture(scope="module")
def dealt() -> tuple[list[int], dict[str, Counter[Any]]]:
    """Return the cards that seat 0 can't see, by kind, and the outcomes of many redeals."""
    match = middle("strategic")
    while match.actor != 0:
        match.play(legal(match)[0])
    numbers = [unseen(seen_by(match, 0), kind) for kind in range(KINDS)]
    found: dict[str, Counter[Any]] = {part: Counter() for part in SEEN}
    for state in redeals(match, 0):
        for part, (extract, _) in SEEN.items():
            found[part][extract(state)] += 1
    return numbers, found


@pytest.mark.compiled
@pytest.mark.parametrize("part", SEEN)
def test_unseen_cards_are_redealt_hypergeometrically(part: str, dealt: tuple[list[int], dict[str, Counter[Any]]]) -> None:
    numbers, found = dealt
    assert distance(found[part], hypergeometric(numbers, SEEN[part][1])) < 4


@pytest.mark.compiled
def test_a_slightly_different_distribution_would_be_detected(dealt: tuple[list[int], dict[str, Counter[Any]]]) -> None:
    """Among dozens of cards, one fewer of one kind and one more of another."""
    numbers, found = dealt
    wrong = [n + (kind == Card.AXE) - (kind == Card.ONE_SHIELD) for kind, n in enumerate(numbers)]
    if LONG:
        assert distance(found["two hands together"], hypergeometric(wrong, 4)) > 6
    assert distance(found["a hand"], hypergeometric([*numbers[1:], numbers[0]], 2)) > 6
