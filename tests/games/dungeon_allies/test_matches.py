"""Properties of every match: a slow reference agrees, and no piece is lost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from games.dungeon_allies.reference import COLOURS, DICE, Reference
from games.dungeon_allies.scenes import DA, at_random, check_counts, enriched, legal, unplaced
from games.dungeon_allies.shapes import DATA, drawn
from meadhall import Match
from meadhall.games.dungeon_allies import HOUSE_RULES
from meadhall.games.dungeon_allies.components import components_of
from meadhall.games.dungeon_allies.pieces import GONE, NONE, Phase
from meadhall.games.dungeon_allies.state import Event, Step
from sizes import sized

MATCHES = sized(1, 4)


def matches(count: int) -> Iterator[Match]:
    """Yield matches with every number of players: normal ones, some that begin rich and late, some with other components.

    Those that begin rich and late have house rules.
    """
    for players in range(DA.min_players, DA.max_players + 1):
        for number in range(count):
            yield DA.match(players=players, seed=f"dungeon allies {players} {number}")
            house_rules = {rule.name: list(rule.values)[-1] for k, rule in enumerate(HOUSE_RULES) if (k + players + number) % 3}
            yield enriched(DA.match(players=players, seed=f"rich allies {players} {number}", **house_rules))
            components = drawn(10 * number + players)
            yield enriched(DA.match(players=players, seed=f"other allies {players} {number}", components=components))


def reference_of(match: Match) -> Reference:
    """Return the reference in the same position. It starts from the seed and then copies what the test has changed."""
    rules = [rule.name for rule in HOUSE_RULES if match.options[rule.name] != rule.default]
    rounds = match.options["round_two"], match.options["round_three"]
    reference = Reference(match.players, match.seed, match.options["components"].get("data", DATA), rules, rounds)
    assert [event.to_list() for event in match.setup] == reference.events
    for step in match.steps:
        reference.play(step.action)
    state: Any = match.state
    for square in range(len(state.monster)):
        if state.monster[square] == GONE:
            reference.out.append(reference.squares.pop(square))
    for player in reference.players:
        player.has["gold"] = state.gold[player.seat]
        player.has.update({colour: state.crystals[player.seat, k] for k, colour in enumerate(COLOURS)})
        player.allies = allies_of(match, player.seat)
    reference.box = Counter({colour: state.box[k] for k, colour in enumerate(COLOURS)})
    return reference


def allies_of(match: Match, seat: int) -> dict[int, str]:
    allies = components_of(match.options).allies
    state: Any = match.state
    return {DICE[die]: allies[ally].id for die, ally in enumerate(state.ally[seat].tolist()) if ally != NONE}


def test_every_match_agrees_with_the_reference() -> None:
    """Compare events with their audiences, legal actions, actors, possessions and winners.

    The matches contain every kind of event.
    """
    asked: Counter[int] = Counter()
    names: Counter[str] = Counter()
    for match in matches(MATCHES):
        reference = reference_of(match)
        for action in at_random(match):
            asked[match.state.phase] += 1
            assert (match.actor, legal(match)) == (reference.actor, reference.legal)
            events = match.play(action)
            assert [event.to_list() for event in events] == reference.play(action)
            assert [event.audience for event in events] == reference.audiences
            compare(match, reference)
            names.update(event.name for event in events)
        result = match.result()
        assert result is not None
        assert reference.actor == -1
        assert list(result.winners) == reference.winners
    assert set(asked) == set(Phase)
    of_setup = {"tile", "character"}
    assert set(names) == {kind.name for kind in DA.events.values()} - of_setup
    assert len(names) + len(of_setup) == len(Event)


def compare(match: Match, reference: Reference) -> None:
    """Compare the possessions of all players and the boards."""
    state: Any = match.state
    components = components_of(match.options)
    monsters, cards = [monster.id for monster in components.monster], [card.id for card in components.sorcerer_card]
    lying = {square: monsters[monster] for square, monster in enumerate(state.monster.tolist()) if monster != GONE}
    assert lying == reference.squares
    for player in reference.players:
        seat = player.seat
        assert state.gold[seat] == player.has["gold"]
        assert state.crystals[seat].tolist() == [player.has[colour] for colour in COLOURS]
        assert allies_of(match, seat) == player.allies
        assert {name for name, owner in zip(monsters, state.owner, strict=True) if owner == seat} == set(player.kept)
        assert {name for name, owner in zip(cards, state.card_owner, strict=True) if owner == seat} == set(player.cards)
        known = {square for square in lying if state.seen[square] >> (1 + seat) & 1}
        assert known - {state.square} == player.seen - {state.square}
    assert state.box.tolist() == [reference.box[colour] for colour in COLOURS]


@pytest.mark.compiled
def test_no_piece_is_lost_or_created() -> None:
    """Check it after every action. During the resolution, all active dice lie on the boards."""
    for match in matches(1):
        active = 0
        for action in at_random(match, "counted"):
            state: Any = match.state
            placed = int((state.place != NONE).sum())
            if state.step == Step.PLACEMENT:
                active = placed + sum(unplaced(match, seat) for seat in range(match.players))
            else:
                assert placed == active
            match.play(action)
            check_counts(match.state)
