"""The texts of the game in English and German, other components, and the sketch for a terminal."""

from __future__ import annotations

import copy
import re
import tomllib
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import pytest

from meadhall import Game, IllegalAction, Match, game
from meadhall.engine.game import Game as Declaration
from meadhall.engine.match.telling import Choices, guided_match
from meadhall.engine.rulebook import rule_ids, rule_sentence, rulebook_text
from meadhall.engine.state import events
from meadhall.engine.text.language import speaking
from meadhall.games.dungeon_allies import pieces
from meadhall.games.dungeon_allies.components import COMPONENTS
from meadhall.games.dungeon_allies.events import events_of
from meadhall.games.dungeon_allies.names import BUILT_IN
from meadhall.games.dungeon_allies.pieces import (
    COLOURS,
    CRYSTALS,
    DICE,
    GOLD_TREASURE,
    GONE,
    NONE,
    SQUARES,
    TRAINER_SPACES,
    Act,
    Die,
    Item,
    Phase,
    Target,
)
from meadhall.games.dungeon_allies.state import Event, State
from meadhall.games.dungeon_allies.words import deciding_colour

DA = game("dungeon-allies")
NAMES = ("Astrid", "Björn", "Cnut")
IDS = """DA-1.1 DA-1.2 DA-1.3 DA-1.4 DA-1.5 DA-1.6 DA-1.7 DA-2.1 DA-2.2 DA-2.3 DA-2.4 DA-2.5 DA-2.6 DA-3.1 DA-3.2 DA-3.3 DA-3.4
DA-4.1 DA-4.2 DA-4.3 DA-4.4 DA-4.5 DA-4.6 DA-4.7 DA-4.8 DA-5.1 DA-5.2 DA-6.1 DA-6.2 DA-6.3 DA-7.1 DA-7.2 DA-8.1 DA-8.2 DA-8.3
DA-8.4 DA-9.1 DA-10.1 DA-10.2 DA-11.1 DA-11.2 DA-11.3 DA-12.1 DA-12.2 DA-13.1 DA-13.2 DA-13.3 DA-13.4 DA-13.5 DA-14.1 DA-14.2
DA-19.1 DA-19.2 DA-19.3 DA-19.4 DA-19.5 DA-19.6 DA-19.7""".split()

Y1, Y2, Y3, Y4, B1, R1, R2 = 0, 1, 2, 3, 8, 16, 17
BRANNOC, SELLA, ROWAN, QUILL = range(4)
RAT_KING, DAMP_IMP = 0, 1  # weak against melee and fire
DEEP_SERPENT = 25


def place(die: int, target: int) -> int:
    return pieces.place(target, die)


def scene(change: Callable[[Any], None] = lambda state: None, seed: str = "words", subject: Game = DA, **options: Any) -> Match:
    """Return a match of Astrid and Björn before the first placement, after ``change`` has changed its state.

    Astrid goes first. She has Sella with the d4 and Brannoc with the d6; Björn has Quill and Rowan. Tiles lie in the order of the
    data. All crystals are in the box.
    """
    match = subject.match(seats=NAMES[:2], seed=seed, **options)
    states = match.states
    state: Any = State.at(states)
    state.phase, state.actor = Phase.PLACE, 0
    state.order[0], state.order[1] = 0, 1
    for seat, allies in enumerate(((SELLA, BRANNOC), (QUILL, ROWAN))):
        state.dealt[seat, 0], state.dealt[seat, 1] = allies
        state.ally[seat, Die.D4], state.ally[seat, Die.D6] = allies
    for square in range(SQUARES):
        state.monster[square] = square
    state.treasure[:] = 0
    state.box[:] = CRYSTALS
    change(state)
    return match.supposing(states)


def owning(seat: int, gold: int = 0, **crystals: int) -> Callable[[Any], None]:
    """Return a change that gives a seat gold and crystals from the box."""
    colours = {"red": Item.RED, "blue": Item.BLUE, "yellow": Item.YELLOW, "green": Item.GREEN, "white": Item.WHITE}

    def give(state: Any) -> None:
        state.gold[seat] = gold
        for name, count in crystals.items():
            state.crystals[seat, colours[name]] = count
            state.box[colours[name]] -= count

    return give


def both(*changes: Callable[[Any], None]) -> Callable[[Any], None]:
    def change(state: Any) -> None:
        for one in changes:
            one(state)

    return change


def played(match: Match, *actions: int) -> Match:
    for action in actions:
        match.play(action)
    return match


def text(match: Match, action: int) -> str:
    return DA.words.action(match.view(match.actor).state, action, match.names)


def told(match: Match) -> list[str]:
    """Return the texts of the events of the last action."""
    return [match.game.words.event(event, match.names) for event in match.steps[-1].events]


# ----------------------------------------------------------------------------------------------------------------- the rulebook


def test_the_rulebook_explains_every_rule_in_english_and_in_german() -> None:
    assert list(rule_ids(DA)) == IDS
    english = rulebook_text(DA)
    assert all(len(rule_sentence(DA, rule)) > 20 for rule in IDS)
    with speaking("de"):
        german = rulebook_text(DA)
        assert re.findall(r"\*\*DA-\d+\.\d+\*\*", german) == re.findall(r"\*\*DA-\d+\.\d+\*\*", english)
        assert re.findall(r"figure:\w+", german) == re.findall(r"figure:\w+", english)
        assert all(len(rule_sentence(DA, rule)) > 20 for rule in IDS)


def test_the_list_of_places_is_part_of_the_rule() -> None:
    sentence = rule_sentence(DA, "DA-3.3")
    assert sentence.startswith("These spaces are open: 1. Excursion")
    assert sentence.endswith("with a card and without a die.")


def before_the_example(state: Any) -> None:
    owning(0, blue=1)(state)
    owning(1, red=1)(state)
    state.ally[1, Die.D8], state.ally[1, Die.D4] = state.ally[1, Die.D4], NONE
    state.monster[Y3], state.monster[DEEP_SERPENT] = DEEP_SERPENT, Y3
    state.treasure[GOLD_TREASURE, Item.GOLD] = 3


def test_the_example_of_the_rulebook_happens_as_described() -> None:
    match = scene(before_the_example, seed="example 20")
    played(match, place(Die.D6, Target.SQUARE + Y3), place(Die.D6, Target.TAVERN))
    assert told(match) == ["Björn places the d6: Tavern", "Björn opens the bidding at 0 gold"]
    played(match, place(Die.D4, Target.TREASURE + GOLD_TREASURE), place(Die.D8, Target.PRISONER))
    assert told(match)[1:] == [
        "Astrid fights on Y3",
        "Revealed on Y3: Deep Serpent",
        "Astrid rolls the d6: 4",
        "Total 4, 6 needed",
    ]
    match.play(Act.REROLL + Die.D6)
    happened = told(match)
    assert happened[:5] == [
        "Astrid re-rolls the d6: 6",
        "Total 6, 6 needed",
        "Astrid wins on Y3 and gains 2 gold",
        "Astrid takes everything from treasure 5",
        "Astrid gains 3 gold",
    ]
    assert happened[5].endswith("joins Björn with the d4")
    match.play(Act.FREE)
    assert told(match)[:3] == ["Björn frees prisoner 1", "Björn pays 1 red crystal", "Björn gains 1 gold"]
    assert "Treasure 5 gets 1 gold" in told(match)


# ---------------------------------------------------------------------------------------------------------------------- actions


def fighting(state: Any) -> None:
    """Give Astrid gold and crystals for all spells."""
    owning(0, gold=9, red=3, blue=3, yellow=3, green=3, white=2)(state)


# Each of these plays from the first placement to a decision of Astrid: in trade, at the sorcerer, and before a roll on Y1.


def trading(match: Match) -> Match:
    return played(
        match,
        place(Die.D6, Target.TRADE),
        place(Die.D6, Target.TRAINER),
        place(Die.D4, Target.TRAINER),
        place(Die.D4, Target.TRAINER),
    )


def buying(match: Match) -> Match:
    return played(
        match,
        place(Die.D6, Target.SORCERER + 1),
        place(Die.D6, Target.TRAINER),
        place(Die.D4, Target.TRAINER),
        place(Die.D4, Target.TRAINER),
    )


def preparing(match: Match) -> Match:
    return played(match, place(Die.D6, Y1), place(Die.D6, Target.TRAINER), place(Die.D4, Y1), place(Die.D4, Target.TREASURE + 1))


def with_large_dice(state: Any) -> None:
    """Astrid has a d8 and a d12."""
    state.ally[0, Die.D8], state.ally[0, Die.D4] = state.ally[0, Die.D4], NONE
    state.ally[0, Die.D12], state.ally[0, Die.D6] = state.ally[0, Die.D6], NONE


SAID = {
    "en": [
        "give the d6 to Sella of the Tides (water)",
        "place the d6: Y3",
        "place the d4: Turn order",
        "place the d4: Treasure 5",
        "place the d6: Prisoner 1 (Caged Goblin Cook)",
        "cast Illuminate for 1 red crystal: look at two tiles",
        "look at the tile on R12",
        "bid 60 gold",
        "fight on B1",
        "roll the dice",
        "call the Hammer of the Gods for 1 white crystal: win without a roll",
        "cast Enhance for 1 green crystal: add a d8",
        "cast Bless for 1 yellow crystal: the d4 counts double",
        "accept the loss",
        "re-roll the d6 for 1 blue crystal",
        "give the d4 to the follower",
        "don't free the prisoner",
        "free Caged Goblin Cook: pay 1 red crystal, get 1 gold",
        "stop trading",
        "trade 2 red crystals for 1 blue crystal",
        "trade 1 yellow crystal for 1 red crystal and 1 blue crystal",
        "don't buy the card",
        "buy the card for 1 blue crystal",
    ],
    "de": [
        "Sella von den Gezeiten den W6 geben (Wasser)",
        "den W6 setzen: G3",
        "den W4 setzen: Zugfolge",
        "den W4 setzen: Schatz 5",
        "den W6 setzen: Gefangene 1 (Goblinkoch im Käfig)",
        "Erhellen wirken für 1 Rotkristall: zwei Plättchen ansehen",
        "das Plättchen auf R12 ansehen",
        "60 Gold bieten",
        "auf B1 kämpfen",
        "würfeln",
        "den Hammer der Götter rufen für 1 Weißkristall: ohne Wurf siegen",
        "Verstärken wirken für 1 Grünkristall: mit einem W8 zusätzlich würfeln",
        "Segnen wirken für 1 Gelbkristall: Der W4 zählt doppelt",
        "die Niederlage hinnehmen",
        "mit dem W6 noch einmal würfeln für 1 Blaukristall",
        "dem Anhänger den W4 geben",
        "nicht befreien",
        "befreien: Goblinkoch im Käfig; 1 Rotkristall zahlen, 1 Gold bekommen",
        "den Handel beenden",
        "2 Rotkristalle gegen 1 Blaukristall tauschen",
        "1 Gelbkristall gegen 1 Rotkristall und 1 Blaukristall tauschen",
        "die Karte nicht kaufen",
        "die Karte für 1 Blaukristall kaufen",
    ],
}
ACTIONS_SAID = [
    Act.ASSIGN,
    place(Die.D6, Y3),
    place(Die.D4, Target.TURN_ORDER),
    place(Die.D4, Target.TREASURE + GOLD_TREASURE),
    place(Die.D6, Target.PRISONER),
    Act.ILLUMINATE,
    Act.PEEK + SQUARES - 1,
    Act.BID + 60,
    Act.FIGHT + B1,
    Act.ROLL,
    Act.HAMMER,
    Act.ENHANCE + Die.D8,
    Act.BLESS + Die.D4,
    Act.ACCEPT,
    Act.REROLL + Die.D6,
    Act.FOLLOWER_DIE + Die.D4,
    Act.KEEP_OFFERING,
    Act.FREE,
    Act.END_TRADE,
    Act.TRADE,
    Act.TRADE + 3,
    Act.DECLINE,
    Act.BUY,
]


@pytest.mark.parametrize("language", SAID)
def test_actions_are_in_the_current_language(language: str) -> None:
    with speaking(language):
        assert [text(scene(), action) for action in ACTIONS_SAID] == SAID[language]


def test_a_sorcerer_space_is_named_with_its_card() -> None:
    def change(state: Any) -> None:
        state.display[0], state.display[1] = 0, NONE

    match = scene(change)
    assert text(match, place(Die.D6, Target.SORCERER)) == "place the d6: Sorcerer 1 (Staff of Cinders)"
    assert text(match, place(Die.D6, Target.SORCERER + 1)) == "place the d6: Sorcerer 2"


def test_the_sorcerers_price_follows_the_round() -> None:
    def change(state: Any) -> None:
        state.removed = 16

    assert text(scene(change), Act.BUY) == "buy the card for 1 green crystal"


# ----------------------------------------------------------------------------------------------------------------------- events


def event(kind: Event, *arguments: int, subject: Declaration = DA) -> str:
    """Return the text of an event with these arguments."""
    described = subject.events[kind]
    written = tuple(described.argument(k)(value) for k, value in enumerate(arguments))
    return subject.words.event(events.Event(kind, described.name, written), NAMES)


@pytest.mark.parametrize(
    ("kind", "arguments", "english", "german"),
    [
        (Event.TILE, (Y1, RAT_KING), "Y1: Cellar Rat King", "G1: Kellerrattenkönig"),
        (Event.ORDER, (1, 2, 0), "Turn order: Björn, Cnut, Astrid", "Zugfolge: Björn, Cnut, Astrid"),
        (Event.TREASURE, (2, Item.RED), "Treasure 2 gets 1 red crystal", "Schatz 2 bekommt 1 Rotkristall"),
        (Event.TREASURE, (5, Item.GOLD), "Treasure 5 gets 1 gold", "Schatz 5 bekommt 1 Gold"),
        (Event.PLACED, (0, 12, 28), "Astrid places the d12: Turn order 1", "Astrid setzt den W12: Zugfolge 1"),
        (Event.PLACED, (0, 4, 46), "Astrid places the d4: Trainer 9", "Astrid setzt den W4: Ausbildung 9"),
        (Event.BID, (0, 0), "Astrid opens the bidding at 0 gold", "Astrid eröffnet das Bieten mit 0 Gold"),
        (Event.BID, (0, 2), "Astrid bids 2 gold", "Astrid bietet 2 Gold"),
        (Event.ROLLED, (1, 6, 3, 3), "Björn rolls the d6: 3", "Björn würfelt mit dem W6: 3"),
        (Event.ROLLED, (1, 6, 3, 6), "Björn rolls the d6: 3, doubled to 6", "Björn würfelt mit dem W6: 3, verdoppelt 6"),
        (Event.REROLLED, (1, 4, 1, 1), "Björn re-rolls the d4: 1", "Björn würfelt noch einmal mit dem W4: 1"),
        (
            Event.REROLLED,
            (1, 4, 1, 2),
            "Björn re-rolls the d4: 1, doubled to 2",
            "Björn würfelt noch einmal mit dem W4: 1, verdoppelt 2",
        ),
        (Event.GAINS, (0, Item.BLUE, 2), "Astrid gains 2 blue crystals", "Astrid bekommt 2 Blaukristalle"),
        (Event.PAYS, (0, Item.GOLD, 3), "Astrid pays 3 gold", "Astrid zahlt 3 Gold"),
        (
            Event.TRADES,
            (1, 0, 0),
            "Björn trades 2 red crystals for 1 blue crystal",
            "Björn tauscht 2 Rotkristalle gegen 1 Blaukristall",
        ),
        (
            Event.TRADES,
            (1, 0, 1),
            "Björn trades 1 blue crystal for 2 red crystals",
            "Björn tauscht 1 Blaukristall gegen 2 Rotkristalle",
        ),
        (Event.BUYS, (2, 15), "Cnut buys Crown of Tales", "Cnut kauft: Sagenkrone"),
        (Event.WON, (1,), "Björn wins", "Björn gewinnt"),
        (Event.WON, (0, 1, 2), "A draw between Astrid, Björn and Cnut", "Unentschieden zwischen Astrid, Björn und Cnut"),
    ],
)
def test_events_are_in_the_current_language(kind: Event, arguments: tuple[int, ...], english: str, german: str) -> None:
    assert event(kind, *arguments) == english
    with speaking("de"):
        assert event(kind, *arguments) == german


def test_events_have_the_form_of_the_record_format() -> None:
    match = scene(both(fighting, lambda state: state.monster.__setitem__(R1, GONE)))
    played(match, Act.ILLUMINATE, Act.PEEK + Y3)
    assert [e.to_list() for e in match.steps[-2].events] == [["illuminates", 0]]
    assert [e.to_list() for e in match.steps[-1].events] == [["peeked", 0, Y3], ["peek_face", 0, Y3, "candle_wisp"]]
    assert [e.audience for e in match.steps[-1].events] == [-1, 0]
    written = {spot: DA.events[Event.PLACED].argument(2)(spot) for spot in (3, 28, 33, 46, 47, 48, 55, 56, 57)}
    assert " ".join(written.values()) == (
        "square:3 turn_order:1 treasure:1 trainer:9 tavern prisoner:1 prisoner:8 trade sorcerer:1"
    )


# ------------------------------------------------------------------------------------------------------------- other components


def other_components() -> dict[str, Any]:
    """Return the built-in components with a few other names."""
    document: dict[str, Any] = copy.deepcopy(tomllib.loads(COMPONENTS.file.read_text("utf-8")))
    document["monster"][0] |= {"id": "red_herring", "name": "Red Herring {0}"}
    document["character"][1] |= {"id": "muse", "name": "The Muse"}
    document["trade"][0] = {"left": {"red": 3}, "right": {"blue": 1}}
    return document


def test_other_components_keep_their_typed_names_in_every_language() -> None:
    match = scene(components=other_components())
    assert match.game.words is not DA.words
    assert event(Event.TILE, Y1, 0, subject=match.game) == "Y1: Red Herring {0}"
    assert match.game.words.action(match.state, Act.TRADE, NAMES) == "trade 3 red crystals for 1 blue crystal"
    with speaking("de"):
        assert event(Event.TILE, Y1, 0, subject=match.game) == "G1: Red Herring {0}"
        assert event(Event.TILE, Y1, DAMP_IMP, subject=match.game) == "G1: Damp Imp"
    assert match.game.events[Event.CHARACTER].argument(1)(1) == "muse"


def test_the_built_in_components_use_the_game_itself() -> None:
    assert DA.match().game is DA
    assert DA.match(components=tomllib.loads(COMPONENTS.file.read_text("utf-8"))).game is DA


def test_every_kind_of_event_has_its_number() -> None:
    assert set(events_of(BUILT_IN)) == set(Event)


# --------------------------------------------------------------------------------------------------------------------- refusals


def crowded(state: Any) -> None:
    """Put dice of Björn on many spaces, and a die of Astrid on the turn order."""
    for target in (Target.SQUARE + Y2, Target.TREASURE + 1, Target.PRISONER + 2, Target.SORCERER + 3):
        state.holder[target] = 1
    state.monster[Y4] = GONE
    state.track[0] = 0
    state.display[4] = NONE
    state.bidder, state.bid = 1, 2
    state.gold[0] = 2


@pytest.mark.parametrize(
    ("change", "action", "rule", "why"),
    [
        (crowded, Act.ASSIGN, "DA-2.3", "Your characters got their dice before the first turn."),
        (crowded, place(Die.D8, Y1), "DA-1.2", "None of your allies has a d8."),
        (crowded, place(Die.D6, Y2), "DA-3.3", "Y2 is taken by Björn."),
        (crowded, place(Die.D6, Y4), "DA-3.3", "No monster is left on Y4."),
        (
            crowded,
            place(Die.D6, Target.TURN_ORDER),
            "DA-3.3",
            "You already have a die on the turn order, and you may have only one there.",
        ),
        (crowded, place(Die.D6, Target.TREASURE + 1), "DA-3.3", "Treasure 2 is taken by Björn."),
        (crowded, place(Die.D6, Target.PRISONER + 2), "DA-3.3", "Prisoner 3 is taken by Björn."),
        (crowded, place(Die.D6, Target.SORCERER + 3), "DA-3.3", "Sorcerer 4 is taken by Björn."),
        (crowded, place(Die.D6, Target.SORCERER + 4), "DA-3.3", "The sorcerer has no card on that space."),
        (crowded, place(Die.D6, Target.TAVERN), "DA-8.1", "You would have to bid at least 3 gold, but you have only 2 gold."),
        (
            lambda t: t.__setattr__("bidder", 0),
            place(Die.D6, Target.TAVERN),
            "DA-8.2",
            "You have the leading bid, and you can't raise it.",
        ),
        (lambda t: t.__setattr__("followers", 0), place(Die.D6, Target.TAVERN), "DA-8.1", "No follower is left in the tavern."),
        (
            lambda t: t.__setattr__("trainees", TRAINER_SPACES),
            place(Die.D6, Target.TRAINER),
            "DA-3.3",
            "All spaces at the trainer are taken.",
        ),
        (
            with_large_dice,
            place(Die.D12, Target.TRAINER),
            "DA-3.3",
            "The d12 is the largest die and can't be trained any further.",
        ),
        (crowded, Act.ILLUMINATE, "DA-3.4", "This costs 1 red crystal, and you don't have one."),
        (crowded, Act.PEEK + Y1, "DA-3.4", "You can look at tiles only after casting Illuminate."),
        (crowded, Act.BID + 3, "DA-8.1", "You bid only right after placing a die on an occupied tavern."),
        (crowded, Act.FIGHT + Y1, "DA-4.2", "You can't choose a fight now."),
        (crowded, Act.HAMMER, "DA-4.5", "You can do this only in a fight, before the roll."),
        (crowded, Act.REROLL + Die.D6, "DA-4.6", "You can do this only in a fight, after a roll that is too low."),
        (crowded, Act.FOLLOWER_DIE, "DA-8.3", "No follower needs a die from you now."),
        (crowded, Act.TRADE, "DA-10.1", "You can't trade now."),
        (crowded, Act.BUY, "DA-11.1", "The sorcerer isn't offering you a card now."),
    ],
)
def test_a_refusal_names_the_rule_and_the_most_helpful_reason(
    change: Callable[[Any], None], action: int, rule: str, why: str
) -> None:
    refused(scene(change), action, rule, why)


def refused(match: Match, action: int, rule: str, why: str) -> None:
    with pytest.raises(IllegalAction) as refused:
        match.play(action)
    assert (refused.value.rule, refused.value.reason) == (rule, why)


def test_a_player_with_five_allies_cannot_bid() -> None:
    def change(state: Any) -> None:
        for die in range(DICE):
            state.ally[0, die] = die

    refused(scene(change), place(Die.D6, Target.TAVERN), "DA-8.1", "You have five allies, and no die is left for another one.")


def test_sixty_gold_is_the_highest_bid() -> None:
    def change(state: Any) -> None:
        state.bidder, state.bid = 1, 60
        state.gold[0] = 99

    refused(scene(change), place(Die.D6, Target.TAVERN), "DA-8.1", "The highest possible bid is 60 gold.")


def test_a_die_is_placed_once() -> None:
    match = played(scene(), place(Die.D6, Y1), place(Die.D6, Y2))
    refused(match, place(Die.D6, Y3), "DA-3.1", "Your d6 is already placed: Y1.")


def test_a_refusal_names_the_decision_that_comes_first() -> None:
    match = DA.match(seats=NAMES, seed="first")
    refused(match, place(Die.D6, Y1), "DA-2.3", "First choose which of your characters gets the d6.")
    match = played(scene(fighting), Act.ILLUMINATE)
    refused(match, place(Die.D6, Y1), "DA-3.4", "You cast Illuminate: choose a tile to look at first.")
    match = played(scene(owning(1, gold=3)), place(Die.D6, Target.TAVERN), place(Die.D6, Target.TAVERN))
    refused(match, place(Die.D4, Y1), "DA-8.1", "Your die is in the tavern: make your bid first.")
    refused(match, Act.BID + 4, "DA-8.1", "You have only 3 gold.")
    match = played(scene(fighting), place(Die.D6, Y1), place(Die.D6, Y2), place(Die.D4, Y1), place(Die.D4, Y2))
    refused(
        match,
        place(Die.D4, Y1),
        "DA-3.1",
        "All dice of this turn are placed. They come home when all eight places have been resolved.",
    )
    refused(match, Act.ILLUMINATE, "DA-3.4", "You can cast Illuminate only before you place a die.")


def test_a_bid_must_be_higher_than_the_last() -> None:
    match = played(scene(owning(1, gold=3)), place(Die.D6, Target.TAVERN), place(Die.D6, Target.TAVERN), Act.BID + 2)
    assert told(match) == ["Björn bids 2 gold"]
    match = scene(both(owning(0, gold=9), owning(1, gold=3)))
    played(match, place(Die.D6, Target.TAVERN), place(Die.D6, Target.TAVERN), Act.BID + 2, place(Die.D4, Target.TAVERN))
    refused(match, Act.BID + 2, "DA-8.1", "The last bid is 2 gold: bid more.")


def test_a_known_tile_can_not_be_looked_at_again() -> None:
    def change(state: Any) -> None:
        fighting(state)
        state.monster[R1] = GONE

    match = played(scene(change), Act.ILLUMINATE, Act.PEEK + Y3)
    refused(match, Act.PEEK + Y3, "DA-3.4", "You already know the tile on Y3.")
    refused(match, Act.PEEK + R1, "DA-3.4", "No monster is left on R1.")


def test_illuminate_is_refused_if_every_tile_is_known() -> None:
    def change(state: Any) -> None:
        fighting(state)
        for square in range(SQUARES):
            state.seen[square] = 1 << 1

    refused(scene(change), Act.ILLUMINATE, "DA-3.4", "You have already seen every tile that is left.")


def test_only_own_fights_can_be_chosen() -> None:
    match = played(scene(), place(Die.D6, Y1), place(Die.D6, Y2), place(Die.D4, Y3), place(Die.D4, Target.TRAINER))
    refused(match, Act.FIGHT + Y2, "DA-4.2", "You have no die on Y2.")
    match.play(Act.FIGHT + Y1)
    assert match.state.monster[Y1] == GONE


def test_before_the_roll_a_refusal_explains_which_spell_fits_which_die() -> None:
    match = preparing(scene(fighting))
    refused(match, Act.BLESS + Die.D8, "DA-4.5", "The d8 is not in this fight.")
    refused(match, Act.ENHANCE + Die.D6, "DA-4.5", "One of your allies has the d6.")
    refused(match, Act.ACCEPT, "DA-4.6", "You can do this only in a fight, after a roll that is too low.")
    played(match, Act.ENHANCE + Die.D8, Act.BLESS + Die.D4)
    refused(match, Act.ENHANCE + Die.D8, "DA-4.5", "The d8 is already in the fight.")
    refused(match, Act.BLESS + Die.D4, "DA-4.5", "The d4 already counts double.")


def test_a_die_doubled_by_a_weakness_can_not_be_blessed() -> None:
    def change(state: Any) -> None:
        fighting(state)
        state.monster[Y1], state.monster[Y2] = DAMP_IMP, RAT_KING

    refused(preparing(scene(change)), Act.BLESS + Die.D6, "DA-4.5", "The d6 already counts double.")


def test_a_spell_needs_its_crystal() -> None:
    match = preparing(scene(owning(0, yellow=1)))
    refused(match, Act.HAMMER, "DA-4.5", "This costs 1 white crystal, and you don't have one.")
    refused(match, Act.ENHANCE + Die.D8, "DA-4.5", "This costs 1 green crystal, and you don't have one.")
    match = preparing(scene(owning(0, green=1)))
    refused(match, Act.BLESS + Die.D4, "DA-4.5", "This costs 1 yellow crystal, and you don't have one.")


def test_the_hammer_is_refused_on_deeper_levels() -> None:
    match = scene(fighting)
    played(match, place(Die.D6, R1), place(Die.D6, Y2), place(Die.D4, R1), place(Die.D4, Y2))
    refused(match, Act.HAMMER, "DA-4.5", "In round 1 the gods don't strike monsters on level 3.")


def test_a_die_outside_the_fight_can_not_be_rerolled() -> None:
    match = scene(owning(0, blue=2))
    played(match, place(Die.D6, R1), place(Die.D6, Y2), place(Die.D4, Target.TRADE), place(Die.D4, Y2))
    assert match.state.phase == Phase.REROLL
    refused(match, Act.REROLL + Die.D4, "DA-4.6", "The d4 is not in this fight.")


def test_a_followers_die_must_be_smaller_than_all_others() -> None:
    match = scene(with_large_dice)
    played(
        match,
        place(Die.D8, Target.TAVERN),
        place(Die.D6, Target.TRAINER),
        place(Die.D12, Target.TREASURE),
        place(Die.D4, Target.TREASURE + 1),
    )
    assert match.view(0).prompt().endswith("joins you. Choose a die for your new ally.")
    refused(
        match,
        Act.FOLLOWER_DIE + Die.D8,
        "DA-8.3",
        "A follower's die must be smaller than all your other dice; your smallest is the d8.",
    )


def test_an_exchange_needs_both_sides_and_can_not_be_reversed() -> None:
    match = trading(scene(owning(0, red=4)))
    refused(match, Act.TRADE + 2, "DA-10.1", "You lack 1 blue crystal for this.")
    match.play(Act.TRADE)
    refused(match, Act.TRADE + 1, "DA-10.2", "On this visit you have already used this line in the other direction.")
    refused(
        trading(scene(both(owning(0, red=4, yellow=1, green=1), owning(1, blue=16)))),
        Act.TRADE,
        "DA-1.6",
        "The box doesn't have the crystals that you would get.",
    )


def rich(match: Match, draw: Random) -> Match:
    """Return the match after every player has got crystals and gold."""
    states = match.states
    state: Any = State.at(states)
    for seat in range(match.players):
        state.gold[seat] += draw.randrange(4)
        for colour in range(COLOURS):
            state.crystals[seat, colour] += 1
            state.box[colour] -= 1
    return match.supposing(states)


def decisions(players: int, seed: str) -> Iterator[Match]:
    """Yield every decision of a random match with many crystals."""
    draw = Random(seed)
    match = DA.match(players=min(players, 4), seed=seed)
    while match.state.phase == Phase.ASSIGN:
        yield match
        match.play(draw.choice(match.legal()))
    match = rich(match, draw)
    while not match.over:
        yield match
        match.play(draw.choice(match.legal()))


@pytest.mark.compiled
@pytest.mark.parametrize("players", [3, *(pytest.param(players, marks=pytest.mark.long) for players in (2, 4))])
def test_refusals_and_legal_actions_agree_on_every_action_of_every_decision(players: int) -> None:
    asked = set()
    for match in decisions(players, f"agree {players}"):
        view = match.view(match.actor)
        asked.add(Phase(view.state.phase))
        allowed = [action for action in range(DA.actions) if view.refusal(action) == ("", "")]
        assert allowed == list(view.legal)
    assert {Phase.ASSIGN, Phase.PLACE, Phase.PEEK, Phase.PREP, Phase.TRADE} <= asked


# ---------------------------------------------------------------------------------------------------------------------- prompts


def test_prompts_name_the_decision_and_the_player() -> None:
    def prompts(match: Match) -> tuple[str, str]:
        mine, theirs, spectators = (match.view(seat).prompt() for seat in (match.actor, 1 - (match.actor or 0), None))
        assert theirs == spectators
        assert theirs.startswith(match.names[match.actor or 0])
        return mine, theirs

    assert prompts(scene()) == ("Choose a die (d4, d6), then a place for it.", "Astrid places a die: d4, d6.")
    assert prompts(played(scene(fighting), Act.ILLUMINATE)) == ("Choose a tile to look at.", "Astrid looks at a tile.")
    bidding = played(scene(owning(1, gold=3)), place(Die.D6, Target.TAVERN), place(Die.D6, Target.TAVERN))
    assert prompts(bidding)[0] == "The last bid is 0 gold, and you have 3. How much do you bid?"
    fights = played(scene(), place(Die.D6, Y1), place(Die.D6, Y2), place(Die.D4, Y3), place(Die.D4, Target.TRAINER))
    assert prompts(fights) == ("Choose your next fight.", "Astrid chooses the next fight.")
    assert prompts(preparing(scene(fighting))) == (
        "Cellar Rat King (Y1): roll 2 or more to beat it. Weak to melee. Cast spells, or roll.",
        "Astrid fights Cellar Rat King (Y1) and needs 2 or more. It is weak to melee.",
    )
    lost = played(scene(owning(0, blue=1)), place(Die.D6, R2), place(Die.D6, Y2), place(Die.D4, Target.TRADE), place(Die.D4, Y2))
    total = lost.state.rolled[Die.D6]
    assert prompts(lost) == (
        f"You rolled {total}; Tomb Archer needs 13. Re-roll a die, or accept the loss?",
        f"Astrid rolled {total}; Tomb Archer needs 13. Astrid can re-roll a die.",
    )
    freeing = played(
        scene(owning(0, red=1)),
        *(place(Die.D6, target) for target in (Target.PRISONER, Y2)),
        place(Die.D4, Target.TRADE),
        place(Die.D4, Y2),
    )
    assert prompts(freeing) == (
        "Do you free Caged Goblin Cook? You pay 1 red crystal and get 1 gold.",
        "Astrid can pay 1 red crystal to free Caged Goblin Cook and get 1 gold.",
    )
    assert prompts(trading(scene(owning(0, red=4)))) == ("Trade crystals, or stop trading.", "Astrid trades crystals.")


def test_a_prompt_names_the_card_on_offer_and_its_price() -> None:
    def change(state: Any) -> None:
        owning(0, blue=1)(state)
        state.display[1] = 15

    match = buying(scene(change))
    assert match.view(0).prompt() == "Do you buy Crown of Tales for 1 blue crystal?"
    assert match.view(1).prompt() == "Astrid can buy Crown of Tales for 1 blue crystal."


@pytest.mark.parametrize(
    ("crystals", "how"),
    [
        ({"red": 1}, "all 60 turns are played; tied on points, decided by crystals: red"),
        ({"red": 3, "white": 1}, "all 60 turns are played; tied on points, decided by crystals: white"),
        ({}, "all 60 turns are played"),
        ({"white": 1, "gold": 1}, "all 60 turns are played"),
    ],
)
def test_the_ending_names_the_crystals_that_break_a_tie(crystals: dict[str, int], how: str) -> None:
    assert DA.words.ending(scene(owning(0, **crystals)).state) == ("DA-13.3", how)


def test_among_three_tied_players_the_ending_names_the_colour_that_leaves_one() -> None:
    """White leaves two players, and they differ in green."""
    state: Any = DA.match(players=3, seed="three").state
    for seat, (green, white) in enumerate(((1, 2), (0, 2), (3, 0))):
        state.crystals[seat, Item.GREEN], state.crystals[seat, Item.WHITE] = green, white
    assert deciding_colour(state) == Item.GREEN


def test_the_ending_says_that_no_monster_is_left() -> None:
    assert DA.words.ending(scene(lambda state: state.__setattr__("removed", SQUARES)).state) == ("DA-13.1", "no monster is left")


# --------------------------------------------------------------------------------------------------------------------- terminal


def test_the_sketch_shows_the_places_in_order_and_then_the_players() -> None:
    def change(state: Any) -> None:
        owning(0, gold=3, red=2)(state)
        state.seen[Y3] = 1 << 1
        state.owner[RAT_KING], state.monster[Y1], state.removed = 0, GONE, 1
        state.card_owner[14] = 1
        state.treasure[1, Item.GREEN] = state.treasure[4, Item.GOLD] = 1
        state.box[:] = [22, 16, 10, 5, 4]
        state.stack[state.followers - 1] = 10
        for space in range(5):
            state.display[space] = (0, 8, 15, NONE, NONE)[space]

    match = played(scene(change), place(Die.D6, Y2), place(Die.D6, Target.TAVERN), place(Die.D4, Target.TURN_ORDER))
    assert DA.words.sketch(match.view(0).state, match.names).splitlines() == [  # type: ignore[union-attr]
        "Turn 1, round 1: 1 of 8 tiles removed",
        "  1 Excursion   Y ·?!?????; B ????????; R ????????????; Y2 ← Astrid d6;",
        "                Y3 Candle Wisp (needs 2, 1 gold, weak to water)",
        "  2 Turn order  Astrid, Björn; 1: 1 red ← Astrid; 2: 1 red",
        "  3 Treasure    1: –; 2: 1 green, guarded; 3: –; 4: –; 5: 1 gold, guarded",
        "  4 Trainer     –",
        "  5 Tavern      Torchbearer Nib (fire); 7 more below;",
        "                Björn leads with 0 gold ← Björn d6",
        "  6 Prisoner    1: 1 red → 1 gold; 2: 1 blue → 1 red 1 gold;",
        "                3: 1 yellow → 2 gold; 4: 1 green → 1 blue 2 gold;",
        "                5: 1 white → 1 yellow 3 gold",
        "  7 Trade       1: 2 red = 1 blue; 2: 1 red 1 blue = 1 yellow;",
        "                3: 1 blue 1 yellow = 1 green; 4: 1 yellow 1 green = 1 white",
        "  8 Sorcerer    price: 1 blue crystal; 1: Staff of Cinders (2 per tile: fire);",
        "                2: Charm of the Ruby Cluster (1 per 3 crystals: red);",
        "                3: Crown of Tales (6 points)",
        "  Astrid        3 points; 2 red 3 gold; d4 Sella of the Tides (water);",
        "                d6 Brannoc the Ember-Hand (fire); tiles: 1 melee",
        "> Björn         5 points; –; d4 Mistress Quill, Brewer (potions);",
        "                d6 Old Rowan Thicket (nature); Silver Bell of Renown 5",
        "  Box           22 red 16 blue 10 yellow 5 green 4 white",
    ]


def test_the_sketch_marks_the_current_step_and_shows_dice_at_the_trainer_and_in_trade() -> None:
    match = trading(scene(owning(0, red=4)))
    shown = DA.words.sketch(match.view(None).state, match.names).splitlines()  # type: ignore[union-attr]
    assert [line[:10] for line in shown if line.startswith(">")] == ["> 7 Trade ", "> Astrid  "]
    assert "  4 Trainer     1: Björn d6; 2: Astrid d4; 3: Björn d4" in shown
    assert any(line.endswith("← Astrid d6") for line in shown)


@pytest.mark.compiled
@pytest.mark.parametrize("language", ["en", "de"])
def test_no_line_is_wider_than_a_terminal(language: str) -> None:
    with speaking(language):
        for match in decisions(4, "wide"):
            lines = DA.words.sketch(match.view(match.actor).state, match.names).splitlines()  # type: ignore[union-attr]
            assert max(map(len, lines)) <= 78


TYPED = {
    "en": "first|d6 Y3|d4 Turn order|d12 Treasure 5|illuminate|look R12|bid 7|fight B1|roll|hammer|enhance d8|bless d4|accept|"
    "again d6|take d4|keep|free|done|line1|back2|leave|buy",
    "de": "erste|W6 G3|W4 Zugfolge|W12 Schatz 5|erhellen|schau R12|biete 7|kampf B1|würfeln|hammer|verstärken W8|segnen W4|"
    "hinnehmen|nochmal W6|nimm W4|behalten|befreien|fertig|hin1|zurück2|lassen|kaufen",
}


@pytest.mark.parametrize("language", TYPED)
def test_typed_actions_are_short_and_in_the_current_language(language: str) -> None:
    actions = [
        *(
            Act.ASSIGN,
            place(Die.D6, Y3),
            place(Die.D4, Target.TURN_ORDER),
            place(Die.D12, Target.TREASURE + GOLD_TREASURE),
            Act.ILLUMINATE,
            Act.PEEK + SQUARES - 1,
        ),
        *(
            Act.BID + 7,
            Act.FIGHT + B1,
            Act.ROLL,
            Act.HAMMER,
            Act.ENHANCE + Die.D8,
            Act.BLESS + Die.D4,
            Act.ACCEPT,
            Act.REROLL + Die.D6,
            Act.FOLLOWER_DIE + Die.D4,
        ),
        *(Act.KEEP_OFFERING, Act.FREE),
        *(Act.END_TRADE, Act.TRADE, Act.TRADE + 3, Act.DECLINE, Act.BUY),
    ]
    with speaking(language):
        choices = Choices(DA)
        assert "|".join(map(choices.written, actions)) == TYPED[language]
        assert [choices.read(choices.written(action)) for action in range(DA.actions)] == list(range(DA.actions))


def test_dice_with_the_same_open_places_are_listed_together() -> None:
    lines = dict(Choices(DA).lines(scene().legal()))
    assert list(lines) == ["d4, d6"]
    assert lines["d4, d6"].startswith("Y1 · Y2 · Y3")
    assert list(dict(Choices(DA).lines(scene(with_large_dice).legal()))) == ["d8", "d12"]


# ---------------------------------------------------------------------------------------------------------------------- lessons


def test_the_lessons_agree_with_the_events() -> None:
    lessons = DA.lessons
    assert lessons is not None
    match = guided_match(DA)
    happened = [DA.words.event(event, match.names) for step in match.steps for event in step.events]
    for line in (
        "Astrid gives the d6 to Mistress Quill, Brewer",
        "Revealed on Y3: Thorn Sprite",
        "Total 5, 3 needed",
        "Björn loses on Y4; the tile is out of the game",
        "Tile on Y2: Briar Giant",
        "Tile on Y6: Cellar Rat King",
        "Astrid rolls the d4: 4, doubled to 8",
        "Astrid gains 1 green crystal",
        "Björn won no fight this turn, so treasure 5 stays guarded",
        "Björn frees prisoner 1",
        "Astrid casts Bless: the d4 counts double",
        "Astrid rolls the d4: 1, doubled to 2",
        "Mistress Quill, Brewer trains for Astrid and now has the d8",
        "No follower joins Björn: no smaller die is free",
        "Brannoc the Ember-Hand trains for Astrid and now has the d6",
        "Well-Keeper Joss joins Astrid with the d4",
        "Astrid trades 1 green crystal for 1 blue crystal and 1 yellow crystal",
        "Astrid buys Silver Bell of Renown",
    ):
        assert line in happened
    assert match.state.turn == 6


def test_the_first_lessons_are_about_the_first_turn_and_all_cite_rules() -> None:
    lessons = DA.lessons
    assert lessons is not None
    assert all(rule_sentence(DA, lesson.rule) for lesson in lessons.lessons)
    assert [lesson.action for lesson in lessons.lessons if lesson.action is not None][:3] == [
        Act.ASSIGN + 1,
        place(Die.D6, Y3),
        place(Die.D4, Target.TREASURE + 1),
    ]
