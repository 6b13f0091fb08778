"""The texts of the game in English and German, other components, and the sketch for a terminal."""

from __future__ import annotations

import copy
import tomllib
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import pytest

from meadhall import Game, IllegalAction, Match, game
from meadhall.engine.match.telling import Choices, guided_match
from meadhall.engine.rulebook import rule_sentence
from meadhall.engine.text.language import speaking
from meadhall.games.dungeon_allies import pieces
from meadhall.games.dungeon_allies.components import COMPONENTS
from meadhall.games.dungeon_allies.pieces import (
    COLOURS,
    CRYSTALS,
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


def with_large_dice(state: Any) -> None:
    """Astrid has a d8 and a d12."""
    state.ally[0, Die.D8], state.ally[0, Die.D4] = state.ally[0, Die.D4], NONE
    state.ally[0, Die.D12], state.ally[0, Die.D6] = state.ally[0, Die.D6], NONE


def test_a_sorcerer_space_is_named_with_its_card() -> None:
    def change(state: Any) -> None:
        state.display[0], state.display[1] = 0, NONE

    match = scene(change)
    assert text(match, place(Die.D6, Target.SORCERER)) == "place the d6: Sorcerer 1 (Staff of Cinders)"
    assert text(match, place(Die.D6, Target.SORCERER + 1)) == "place the d6: Sorcerer 2"


# ----------------------------------------------------------------------------------------------------------------------- events


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
    names = match.game.words.pieces  # type: ignore[union-attr]
    assert match.game.words is not DA.words
    assert match.game.words.action(match.state, Act.TRADE, NAMES) == "trade 3 red crystals for 1 blue crystal"
    with speaking("de"):
        assert (names.monster(0), names.monster(DAMP_IMP)) == ("Red Herring {0}", "Damp Imp")
    assert match.game.events[Event.CHARACTER].argument(1)(1) == "muse"


def test_the_built_in_components_use_the_game_itself() -> None:
    assert DA.match().game is DA
    assert DA.match(components=tomllib.loads(COMPONENTS.file.read_text("utf-8"))).game is DA


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


@pytest.mark.parametrize("language", ["en", "de"])
def test_typed_actions_are_read_as_they_are_written(language: str) -> None:
    with speaking(language):
        choices = Choices(DA)
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
