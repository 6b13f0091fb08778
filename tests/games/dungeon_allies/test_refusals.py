"""Refusals at every kind of decision, and the rules that they name."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from games.dungeon_allies.scenes import (
    DA,
    A,
    B,
    bid,
    bless,
    enhance,
    fated,
    fight,
    follower_die,
    legal,
    peek,
    place,
    refused,
    reroll,
    scene,
    send,
    state_of,
    trade,
)
from meadhall import MalformedAction, Match, NotYourTurn
from meadhall.games.dungeon_allies.pieces import ACTIONS, Act, Phase


def assigning() -> Match:
    return DA.match(players=2, seed="refusals")


def placing() -> Match:
    match = scene(crystals={B: "R"}, removed=3)
    send(match, (A, 4, "square:5"))
    return match


def peeking() -> Match:
    match = scene(crystals={A: "RR"}, removed=3)
    match.play(Act.ILLUMINATE)
    match.play(peek(7))
    return match


def bidding() -> Match:
    match = scene(gold={B: 3})
    send(match, (A, 4, "tavern"), (B, 4, "tavern"))
    return match


def choosing_a_fight() -> Match:
    match = scene()
    send(match, (A, 4, "square:5"), (B, 4, "square:6"), (A, 6, "square:7"), (B, 6, "trade"))
    return match


def preparing() -> Match:
    match = scene({A: {4: "water", 6: "fire"}}, crystals={A: "YYGW"}, monsters={5: (3, 1, "water"), 9: (9, 1, "water")})
    send(match, (A, 4, "square:9"), (B, 4, "trade"), (A, 6, "square:9"), (B, 6, "trade"))
    match.play(bless(6))
    match.play(enhance(12))
    return match


def rerolling() -> Match:
    match = scene({A: {4: "water", 6: "fire"}}, crystals={A: "B"}, monsters={5: (3, 1, "armor")})
    send(match, (A, 4, "square:5"), (B, 4, "trade"), (A, 6, "trade"))
    fated(match, place(6, "trade"), 1)
    return match


def welcoming() -> Match:
    match = scene({A: {8: "water", 10: "fire"}})
    send(match, (A, 8, "tavern"), (B, 4, "trade"), (A, 10, "trade"), (B, 6, "trade"))
    return match


def freeing() -> Match:
    match = scene(crystals={A: "R"})
    send(match, (A, 4, "prisoner:1"), (B, 4, "treasure:1"), (A, 6, "treasure:2"), (B, 6, "treasure:3"))
    return match


def trading() -> Match:
    match = scene(crystals={A: "RRR", B: "B" * 15})
    send(match, (A, 4, "trade"), (B, 4, "treasure:1"), (A, 6, "trade"), (B, 6, "treasure:2"))
    match.play(trade(0, 0))
    return match


def buying() -> Match:
    match = scene(crystals={A: "B"})
    send(match, (A, 4, "sorcerer:1"), (B, 4, "treasure:1"), (A, 6, "treasure:2"), (B, 6, "treasure:3"))
    return match


DECISIONS: dict[Phase, Callable[[], Match]] = {
    Phase.ASSIGN: assigning,
    Phase.PLACE: placing,
    Phase.PEEK: peeking,
    Phase.BID: bidding,
    Phase.FIGHT_ORDER: choosing_a_fight,
    Phase.PREP: preparing,
    Phase.REROLL: rerolling,
    Phase.FOLLOWER_DIE: welcoming,
    Phase.PRISONER: freeing,
    Phase.TRADE: trading,
    Phase.BUY: buying,
}

ANY: dict[Phase, tuple[int, str]] = {
    Phase.ASSIGN: (Act.ASSIGN, "DA-2.3"),
    Phase.PLACE: (place(4, "trade"), "DA-3.1"),
    Phase.PEEK: (peek(20), "DA-3.4"),
    Phase.BID: (bid(2), "DA-8.1"),
    Phase.FIGHT_ORDER: (fight(5), "DA-4.2"),
    Phase.PREP: (Act.ROLL, "DA-4.5"),
    Phase.REROLL: (Act.ACCEPT, "DA-4.6"),
    Phase.FOLLOWER_DIE: (follower_die(4), "DA-8.3"),
    Phase.PRISONER: (Act.FREE, "DA-9.1"),
    Phase.TRADE: (Act.END_TRADE, "DA-10.1"),
    Phase.BUY: (Act.DECLINE, "DA-11.1"),
}
"""An action of every kind, and the rule that refuses it at other decisions."""

OF_ITS_KIND: list[tuple[Phase, int, str]] = [
    (Phase.PLACE, place(8, "trade"), "DA-1.2"),
    (Phase.PLACE, place(4, "square:5"), "DA-3.3"),
    (Phase.PLACE, place(4, "square:0"), "DA-3.3"),
    (Phase.PLACE, place(12, "trainer"), "DA-1.2"),
    (Phase.PLACE, place(4, "prisoner:6"), "DA-3.3"),
    (Phase.PEEK, peek(7), "DA-3.4"),
    (Phase.PEEK, peek(0), "DA-3.4"),
    (Phase.BID, bid(4), "DA-8.1"),
    (Phase.BID, bid(60), "DA-8.1"),
    (Phase.FIGHT_ORDER, fight(6), "DA-4.2"),
    (Phase.FIGHT_ORDER, fight(20), "DA-4.2"),
    (Phase.PREP, Act.HAMMER, "DA-4.5"),
    (Phase.PREP, enhance(8), "DA-4.5"),
    (Phase.PREP, enhance(12), "DA-4.5"),
    (Phase.PREP, enhance(20), "DA-1.4"),
    (Phase.PREP, bless(4), "DA-4.5"),
    (Phase.PREP, bless(6), "DA-4.5"),
    (Phase.PREP, bless(8), "DA-4.5"),
    (Phase.PREP, bless(20), "DA-4.5"),
    (Phase.REROLL, reroll(6), "DA-4.6"),
    (Phase.REROLL, reroll(12), "DA-4.6"),
    (Phase.REROLL, reroll(20), "DA-4.6"),
    (Phase.FOLLOWER_DIE, follower_die(8), "DA-8.3"),
    (Phase.FOLLOWER_DIE, follower_die(12), "DA-8.3"),
    (Phase.TRADE, trade(0, 1), "DA-10.2"),
    (Phase.TRADE, trade(0, 0), "DA-10.1"),
    (Phase.TRADE, trade(3, 0), "DA-10.1"),
    (Phase.TRADE, trade(4, 0), "DA-10.1"),
]


@pytest.mark.parametrize("phase", Phase)
def test_at_every_decision_actions_of_all_other_kinds_are_refused(phase: Phase) -> None:
    match = DECISIONS[phase]()
    assert state_of(match).phase == phase
    for other, (action, rule) in ANY.items():
        if other == Phase.PLACE and phase in (Phase.ASSIGN, Phase.PEEK, Phase.BID):
            assert refused(match, action) == ANY[phase][1], "this decision comes first"
        elif other != phase:
            assert refused(match, action) == rule


@pytest.mark.parametrize(("phase", "action", "rule"), OF_ITS_KIND)
def test_an_action_of_the_right_kind_is_refused_by_the_rule_that_it_breaks(phase: Phase, action: int, rule: str) -> None:
    assert refused(DECISIONS[phase](), action) == rule


def test_illegal_actions_are_refused_and_change_nothing() -> None:
    for make in DECISIONS.values():
        match = make()
        before = match.states.tobytes()
        for action in set(range(ACTIONS)) - set(legal(match)):
            refused(match, action)
        for action in (-1, ACTIONS):
            with pytest.raises(MalformedAction):
                match.play(action)
        with pytest.raises(NotYourTurn):
            match.play(legal(match)[0], seat=1 - (match.actor or 0))
        assert match.states.tobytes() == before


def test_action_numbers_are_those_of_the_rules() -> None:
    """Chapter 15 of the rules. The numbers are public: records contain them."""
    assert place(4, "square:0") == 2
    assert (place(12, "sorcerer:5"), Act.ILLUMINATE) == (251, 252)
    assert place(12, "trainer") == 176
    assert (peek(0), peek(27)) == (253, 280)
    assert (bid(1), bid(60)) == (281, 340)
    assert (fight(0), fight(27)) == (341, 368)
    assert (Act.ROLL, Act.HAMMER, enhance(4), enhance(20), bless(4), bless(20)) == (369, 370, 371, 376, 377, 382)
    assert (Act.ACCEPT, reroll(4), reroll(20), follower_die(4), follower_die(12)) == (383, 384, 389, 390, 394)
    assert (Act.KEEP_OFFERING, Act.FREE) == (395, 396)
    assert (Act.END_TRADE, trade(0, 0), trade(7, 1)) == (397, 398, 413)
    assert (Act.DECLINE, Act.BUY, ACTIONS) == (414, 415, 416)
