"""Cautions: what a player still lacks to gain something from a legal placement."""

from __future__ import annotations

from games.dungeon_allies.scenes import A, B, bid, go, place, scene, send
from meadhall import Match
from meadhall.games.dungeon_allies.page import own
from meadhall.games.dungeon_allies.pieces import DICE, Act

PLAIN = {A: {4: "fire", 6: "water"}, B: {4: "melee", 6: "armor"}}
TRAINED = {A: {6: "fire", 8: "water"}, B: {4: "melee", 6: "armor"}}


def caution(match: Match, sides: int, spot: str) -> str:
    """Return the caution on the page of the seat to move, for a die on a spot."""
    view, action = match.view(match.actor), place(sides, spot)
    assert action in view.legal
    target, die = divmod(action - Act.PLACE, DICE)
    notes = [note for note in own(view).notes.get(target, ()) if die in note.dice]
    assert not any(note.rule for note in notes)
    return " ".join(note.text for note in notes)


def test_a_guarded_treasure_needs_a_die_in_the_dungeon() -> None:
    match = scene(PLAIN, treasure={1: "G", 2: "R"})
    assert caution(match, 4, "treasure:1").startswith("Guarded: you need to win a fight this turn")
    assert caution(match, 4, "treasure:2") == ""
    send(match, (A, 6, "square:0"), (B, 4, "trade"))
    assert caution(match, 4, "treasure:1") == ""


def test_a_die_of_another_player_in_the_dungeon_does_not_help() -> None:
    match = scene(PLAIN, treasure={1: "G"})
    send(match, (A, 6, "trade"), (B, 6, "square:0"))
    assert caution(match, 4, "treasure:1")


def test_a_die_is_not_trained_to_a_size_that_another_ally_has() -> None:
    match = scene(PLAIN)
    assert caution(match, 4, "trainer") == ("You have a d6, so this d4 can't be trained. It could if the d6 were trained first.")
    assert caution(match, 6, "trainer") == ""
    send(match, (A, 6, "trainer"), (B, 6, "trainer"))
    assert caution(match, 4, "trainer") == ""


def test_no_follower_joins_a_player_with_a_d4() -> None:
    match = scene(PLAIN)
    assert caution(match, 6, "tavern").startswith("No follower can join you as long as you have a d4")
    assert caution(match, 4, "tavern").startswith("No follower can join you this turn")
    assert caution(scene(TRAINED), 6, "tavern") == ""


def test_a_d4_that_is_trained_this_turn_does_not_keep_followers_away() -> None:
    match = scene({A: {4: "fire", 8: "water"}, B: {4: "melee", 6: "armor"}})
    send(match, (A, 4, "trainer"), (B, 4, "trainer"))
    assert caution(match, 8, "tavern") == ""


def test_a_d4_that_waits_for_a_training_that_will_fail_keeps_followers_away() -> None:
    match = scene({A: {4: "fire", 6: "water", 8: "melee"}, B: {4: "melee", 6: "armor"}})
    send(match, (A, 4, "trainer"), (B, 4, "trade"))
    assert caution(match, 8, "tavern").startswith("No follower can join you this turn")


def test_a_bidder_with_a_d4_is_warned_before_the_bid() -> None:
    match = scene(PLAIN, gold={A: 5, B: 5})
    send(match, (A, 4, "trade"), (B, 6, "tavern"))
    match.play(place(6, "tavern"))
    assert own(match.view(A)).warning.startswith("No follower can join you this turn")
    match.play(bid(2))
    assert own(match.view(B)).warning == ""
    rich = scene(TRAINED, gold={A: 5, B: 5})
    send(rich, (A, 8, "trade"), (B, 6, "tavern"))
    rich.play(place(6, "tavern"))
    assert own(rich.view(A)).warning == ""


def test_an_offering_that_the_player_lacks_is_named() -> None:
    assert caution(scene(PLAIN, crystals={A: "R"}), 4, "prisoner:1") == ""
    assert caution(scene(PLAIN, crystals={B: "R"}), 4, "prisoner:1") == (
        "You don't have the whole offering yet. You still need 1 red crystal."
    )


def test_trade_needs_the_crystals_of_a_side() -> None:
    assert caution(scene(PLAIN, crystals={A: "R"}), 4, "trade") == "You don't have the crystals for any of these trades yet."
    assert caution(scene(PLAIN, crystals={A: "RR"}), 4, "trade") == ""
    assert caution(scene(PLAIN, crystals={A: "B"}), 4, "trade") == ""


def test_the_price_of_a_card_depends_on_the_round() -> None:
    assert caution(scene(PLAIN, crystals={A: "Y"}), 4, "sorcerer:1") == "You don't have the price yet: 1 blue crystal."
    assert caution(scene(PLAIN, crystals={A: "B"}), 4, "sorcerer:1") == ""
    assert caution(scene(PLAIN, crystals={A: "Y"}, removed=8), 4, "sorcerer:1") == ""


def test_squares_and_the_turn_order_need_no_caution() -> None:
    match = scene(PLAIN)
    assert caution(match, 4, "square:27") == caution(match, 4, "turn_order") == ""


def test_a_caution_comes_true() -> None:
    match = scene(PLAIN, treasure={1: "G"})
    assert caution(match, 6, "treasure:1")
    send(match, (A, 6, "treasure:1"))
    events = {event.name for event in go(match)}
    assert "guarded" in events
    assert "loots" not in events
