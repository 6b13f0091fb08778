"""The page of Viking Axes: its cards agree with the state."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from itertools import chain
from types import SimpleNamespace

import pytest

from meadhall import Match, game
from meadhall.engine.match.view import EVERYTHING, SPECTATOR
from meadhall.games.viking_axes import page
from meadhall.games.viking_axes.state import AXE_KINDS, KINDS, SHIELD_KINDS, Act, Card, Phase, shields_on
from meadhall.games.viking_axes.story import Piece, Story, story_of

VA = game("viking-axes")


def matches(variant: str, players: int) -> Iterator[Match]:
    """Yield every state of a few random matches."""
    for seed in ("one", "two"):
        match, draw = VA.match(players=players, seed=seed, variant=variant), random.Random(seed)
        yield match
        while not match.over:
            match.play(draw.choice(match.legal()))
            yield match


def counted(pieces: Sequence[Piece], kinds: range) -> list[int]:
    return [sum(piece.kind == kind for piece in pieces) for kind in kinds]


@pytest.mark.compiled
@pytest.mark.parametrize("variant", ["standard", "strategic"])
@pytest.mark.parametrize("players", [2, 4, 7])
def test_cards_derived_from_events_agree_with_the_state(variant: str, players: int) -> None:
    axes, shields = range(AXE_KINDS), range(Card.ONE_SHIELD, Card.ONE_SHIELD + SHIELD_KINDS)
    for match in matches(variant, players):
        story, states = Story(match.view()), match.states
        assert vars(story_of(match.view())) == vars(story), "a story that has grown is the same as a new one"
        assert counted(story.discarded, range(KINDS)) == states["discarded"][0].tolist()
        for seat, front in enumerate(story.fronts):
            assert counted(front.shields, shields) == states["shields"][0, seat].tolist()
            assert counted(front.lying, axes) == states["lying"][0, seat].tolist()
            assert counted(front.marks, axes) == states["marks"][0, seat].tolist()
            assert len(front.armory) == states["armory"][0, seat]


@pytest.mark.compiled
@pytest.mark.parametrize("variant", ["standard", "strategic"])
def test_as_many_shields_are_drawn_used_as_are_used(variant: str) -> None:
    for match in matches(variant, 4):
        drawn = page.picture(match.view())
        for seat, used in enumerate(drawn.used):
            shown = [shields_on(card.kind) for card in drawn.story.fronts[seat].shields]
            assert sum(used) == sum(shown) - drawn.state.unused[seat]
            assert all(0 <= each <= shields for each, shields in zip(used, shown, strict=True))


def test_a_hand_is_shown_only_to_viewers_who_may_know_it() -> None:
    match = next(match for match in matches("strategic", 3) if len(match.steps) == 4)
    seat = match.actor
    assert seat is not None
    hands = {viewer: page.picture(match.view(viewer)).hands[seat] for viewer in (SPECTATOR, seat, (seat + 1) % 3)}
    assert set(hands[SPECTATOR]) == set(hands[(seat + 1) % 3]) == {None}
    assert None not in hands[seat]
    assert len(hands[seat]) == len(hands[SPECTATOR])
    assert [kind for kind, *_ in page.own(match.view(seat)).hand] == list(hands[seat])
    while not match.over:
        match.play(match.legal()[0])
    assert page.picture(match.view_at(4, EVERYTHING)).hands[seat] == hands[seat]


@pytest.mark.parametrize("variant", ["standard", "strategic"])
def test_a_match_has_the_same_regions_from_its_beginning_to_its_end(variant: str) -> None:
    """A page has the elements of all regions. The news only change what they show."""
    board, controls = set[frozenset[str]](), set[frozenset[str]]()
    for match in matches(variant, 3):
        view, own = match.view(), match.view(0)
        seats = [SimpleNamespace(seat=seat, name="A", winner=match.over) for seat in range(3)]
        result = SimpleNamespace(winners=(0,)) if match.over else None
        board.add(frozenset(page.regions(SimpleNamespace(picture=page.picture(view), seats=seats, result=result))))
        choices = [SimpleNamespace(action=action, refusal=None) for action in page.offered(own)] if match.actor == 0 else []
        controls.add(
            frozenset(
                page.control_regions(
                    SimpleNamespace(own=page.own(own), choices=choices, seats=seats, ahead=(), intended=None, url="/t")
                )
            )
        )
    assert len(board) == len(controls) == 1


def test_a_threat_predicts_the_effect_of_the_throw() -> None:
    for match in matches("standard", 4):
        if match.over or match.state.phase != Phase.THROW:
            continue
        threats = page.own(match.view(match.actor)).threats
        for action in match.legal():
            blocked, hits, out = threats[int(action) - Act.THROW]
            happened = {event.name: event.arguments for event in match.copy().play(action)}
            assert happened.get("blocked", (0, 0))[1] == blocked
            assert happened.get("hits", (0, 0))[1] == hits
            assert ("out" in happened) == out


def test_illegal_choices_are_shown_with_a_reason() -> None:
    phases = set()
    for match in chain(matches("standard", 4), matches("strategic", 4)):
        if match.over:
            continue
        view = match.view(match.actor)
        phase = Phase(view.state.phase)
        shown = set(page.offered(view))
        refused = shown - {int(action) for action in view.legal}
        assert all(view.refusal(action)[1] for action in refused)
        if refused:
            phases.add(phase)
        if phase == Phase.WENCH:
            assert {action - Act.SKIP for action in shown if action < Act.DISARM} == {
                seat for seat in range(4) if seat != match.actor and not view.state.out[seat]
            }
        if phase == Phase.HAND:
            assert shown == {Act.PLAY + kind for kind, *_ in page.own(view).hand}
    assert phases == {Phase.THROW, Phase.WENCH, Phase.HAND}
