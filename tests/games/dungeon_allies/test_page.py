"""The values of the page: the boards, the chances of a fight, and the story of a turn."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import product
from math import prod
from typing import Any

import pytest

from games.dungeon_allies.scenes import DA, at_random, enriched, go, play_at_random, scene, send
from meadhall import Match
from meadhall.engine.match.view import EVERYTHING
from meadhall.games.dungeon_allies import page, pieces
from meadhall.games.dungeon_allies.boards import chance_of
from meadhall.games.dungeon_allies.pieces import DICE, NONE, SIDES, SQUARES, TARGETS, Act, Die, Item, Phase, Target
from meadhall.games.dungeon_allies.state import Event, Step
from meadhall.games.dungeon_allies.story import FightDie, Scene, story

PLAYERS = [2, *(pytest.param(players, marks=pytest.mark.long) for players in (3, 5))]


def moments(players: int) -> Iterator[Match]:
    """Yield every position of two random matches, one of which begins rich and late."""
    for match in (DA.match(players=players, seed="plain"), enriched(DA.match(players=players, seed="rich"))):
        for action in at_random(match):
            yield match
            match.play(action)
        yield match


def field(match: Match, name: str) -> Any:
    return match.states[0][name].tolist()


# -------------------------------------------------------------------------------------------------------------------- -- boards


@pytest.mark.compiled
@pytest.mark.parametrize("players", PLAYERS)
def test_every_die_is_drawn_once_where_it_lies(players: int) -> None:
    for match in moments(players):
        shown = page.picture(match.view())
        elsewhere = [target for target in range(TARGETS) if target not in (Target.TURN_ORDER, Target.TRAINER)]
        places = [*map(shown.dice, elsewhere), shown.trainees, [die for _, die in shown.track if die]]
        drawn = Counter(die for dice in places for die in dice)
        lying = field(match, "place")[:players]
        assert drawn == Counter((seat, die) for seat in range(players) for die in range(DICE) if lying[seat][die] != NONE)


def test_a_follower_who_got_the_old_die_of_a_trained_ally_is_not_at_the_trainer() -> None:
    match = scene({0: {4: "water", 8: "fire", 10: "armor"}}, crystals={0: "RRR"})
    send(match, (0, 4, "trainer"), (1, 4, "trade"), (0, 8, "tavern"), (1, 6, "turn_order"))
    before = {member.die: member.where for member in page.picture(match.view()).areas[0].members}
    go(match)
    assert (field(match, "phase"), match.actor) == (Phase.TRADE, 0)
    after = {member.die: member.where for member in page.picture(match.view()).areas[0].members}
    assert before[Die.D4] != ""
    assert sorted(after) == [Die.D4, Die.D6, Die.D6 + 1, Die.D6 + 2]
    assert (after[Die.D4], after[Die.D6]) == ("", "")


def test_an_ally_whose_training_failed_is_still_at_the_trainer() -> None:
    match = scene({0: {4: "water", 6: "fire"}}, crystals={0: "RRR"})
    send(match, (0, 4, "trainer"), (1, 4, "trade"), (0, 6, "trade"))
    go(match)
    assert (field(match, "phase"), match.actor) == (Phase.TRADE, 0)
    where = {member.die: member.where for member in page.picture(match.view()).areas[0].members}
    assert "" not in where.values()
    assert where[Die.D4] != where[Die.D6]


@pytest.mark.compiled
@pytest.mark.parametrize("players", PLAYERS)
def test_a_tile_is_drawn_for_the_seats_that_have_seen_it(players: int) -> None:
    """DA-14.2: In the public part if it is revealed; in a private part if the seat has looked at it."""
    looked = 0
    for match in moments(players):
        revealed = {square for square, seen in enumerate(field(match, "seen")) if seen & 1}
        assert {square for square in range(SQUARES) if page.picture(match.view()).monster(square)} == revealed
        for seat in range(players):
            looks = {square for square, *_ in page.own(match.view(seat)).seen}
            assert looks == {square for square, seen in enumerate(field(match, "seen")) if seen >> (1 + seat) & 1} - revealed
            looked += len(looks)
    assert looked


def test_in_a_replay_everything_can_be_shown() -> None:
    match = play_at_random(DA.match(players=2, seed="plain"))
    assert all(map(page.picture(match.view_at(0, EVERYTHING)).monster, range(SQUARES)))
    assert not any(map(page.picture(match.view_at(0)).monster, range(SQUARES)))


@pytest.mark.compiled
@pytest.mark.parametrize("players", PLAYERS)
def test_illegal_choices_are_offered_with_their_refusals(players: int) -> None:
    phases = set()
    for match in moments(players):
        if match.over:
            continue
        view = match.view(match.actor)
        refused = set(page.offered(view)) - set(view.legal)
        assert all("DA-" in view.refusal(action)[0] and view.refusal(action)[1] for action in refused)
        if refused:
            phases.add(Phase(view.state.phase))
    assert phases >= {Phase.PLACE, Phase.PREP, Phase.TRADE}


def test_what_a_target_says_about_dice_agrees_with_the_rules() -> None:
    """The notes refuse exactly the illegal placements, with a rule; what a seat lacks is about legal ones."""
    refused = lacking = 0
    for match in moments(2):
        if match.over or match.state.phase != Phase.PLACE:
            continue
        view = match.view(match.actor)
        shown = page.own(view)
        forbidden = {(target, die) for target, notes in shown.notes.items() for note in notes if note.rule for die in note.dice}
        every = {(target, die) for targets in shown.targets for target in targets for die in shown.unplaced}
        assert every - forbidden == {divmod(action - Act.PLACE, DICE) for action in view.legal if action != Act.ILLUMINATE}
        for target, notes in shown.notes.items():
            for note in notes:
                refused, lacking = refused + bool(note.rule), lacking + (not note.rule)
                if note.rule:
                    rule, text = view.refusal(pieces.place(target, note.dice[0]))
                    assert (note.rule, note.text) == (rule, text)
                assert not note.rule or "DA-" in note.words
    assert refused
    assert lacking


@pytest.mark.compiled
@pytest.mark.parametrize("players", PLAYERS)
def test_choices_are_taken_apart_as_the_rules_number_them(players: int) -> None:
    kinds = set()
    for match in moments(players):
        if match.over:
            continue
        view = match.view(match.actor)
        own = page.own(view)
        assert sorted([*own.deeds, *own.goals.values()]) == sorted(page.offered(view))
        for action, (name, argument) in own.deeds.items():
            kind = Act[name.upper()]
            kinds.add(kind)
            assert action == kind + argument
    assert kinds >= {
        Act.ASSIGN,
        Act.ILLUMINATE,
        Act.ROLL,
        Act.HAMMER,
        Act.ENHANCE,
        Act.BLESS,
        Act.TRADE,
        Act.END_TRADE,
    }


def test_the_private_part_knows_every_target_and_every_square_once() -> None:
    own = page.own(DA.match(players=2, seed="plain").view(0))
    assert [target for targets in own.targets for target in targets] == [
        *range(Target.PRISONER + 5),
        *range(Target.TRADE, TARGETS),
    ]
    assert [square for squares in own.levels for square in squares] == list(range(SQUARES)) == list(own.targets[0])


# ---------------------------------------------------------------------------------------------------------------------- chances


@pytest.mark.parametrize("dice", [(Die.D4,), (Die.D6, Die.D4), (Die.D4, Die.D6, Die.D6 + 1)])
def test_a_chance_agrees_with_counting_all_rolls(dice: tuple[int, ...]) -> None:
    thrown = [FightDie(die, doubled="skill" if die == Die.D4 else "") for die in dice]
    rolls = list(product(*(range(1, SIDES[die] + 1) for die in dice)))
    assert len(rolls) == prod(SIDES[die] for die in dice)
    for target in range(1, 30):
        enough = sum(sum(2 * v if die == Die.D4 else v for die, v in zip(dice, roll, strict=True)) >= target for roll in rolls)
        assert chance_of(thrown, target) == round(100 * enough / len(rolls))


def test_a_spell_shows_the_chance_after_it() -> None:
    match = scene(
        players=2,
        allies={0: {6: "fire", 4: "water"}, 1: {6: "melee", 4: "armor"}},
        monsters={0: (8, 1, "nature")},
        crystals={0: "Y"},
    )
    send(match, (0, 6, "square:0"), (1, 6, "trade"), (0, 4, "trade"), (1, 4, "trade"))
    chances = page.own(match.view(0)).chances
    assert chances == {Act.ROLL: 0, Act.BLESS + Die.D6: 50}
    assert page.picture(match.view()).chance == 0


def test_a_reroll_shows_the_chance_of_each_die() -> None:
    for match in moments(2):
        if match.state.phase != Phase.REROLL:
            continue
        view = match.view(match.actor)
        own = page.own(view)
        fight = page.picture(view).fight
        assert fight is not None
        assert own.subject == {die.die: die for die in fight.dice}
        for action, chance in own.chances.items():
            thrown = own.subject[action - Act.REROLL]
            others = fight.total - thrown.counted
            enough = sum(
                others + (2 if thrown.doubled else 1) * value >= fight.target for value in range(1, SIDES[thrown.die] + 1)
            )
            assert chance == round(100 * enough / SIDES[thrown.die])


# ------------------------------------------------------------------------------------------------------------------------ story


def turns(match: Match) -> Iterator[tuple[int, int, list[Scene]]]:
    """Yield for every resolved turn: the position before it, the position after it, and its scenes."""
    first = 0
    for position, step in enumerate(match.steps, 1):
        if any(event.kind == Event.TURN_ENDED for event in step.events):
            turn, scenes = story(match.view_at(position))
            assert turn == match.view_at(first).state.turn
            yield first, position, list(scenes)
            first = position


@pytest.mark.parametrize("players", PLAYERS)
def test_the_story_of_a_turn_contains_all_fights_and_all_gold(players: int) -> None:
    match = play_at_random(enriched(DA.match(players=players, seed="rich")))
    told_turns = list(turns(match))[1:]  # the first turn is not complete: the scene made the players rich in it
    assert told_turns
    for first, last, scenes in told_turns:
        happened = [event for step in match.steps[first:last] for event in step.events]
        fights = [each.fight for each in scenes if each.fight]
        assert [fight.outcome for fight in fights] == [
            "won" if event.kind == Event.DEFEATS else "lost" for event in happened if event.kind in (Event.DEFEATS, Event.FAILS)
        ]
        totals = [event.arguments[1] for event in happened if event.kind == Event.TOTAL]
        assert {fight.total for fight in fights if fight.dice} <= {*totals, 0}
        told = Counter[int | None]()
        for line in (line for each in scenes for line in each.lines):
            told[line.seat] += sum(count for item, count in line.items if item == Item.GOLD)
        before, after = match.view_at(first).state.gold, match.view_at(last).state.gold
        bids = Counter[int]()
        for event in happened:
            if event.kind == Event.BID:
                bids[event.arguments[0]] += event.arguments[1]
        for seat in range(players):
            assert after[seat] == before[seat] - bids[seat] + told[seat]


def test_scenes_are_in_the_order_of_the_places_and_keep_their_numbers() -> None:
    """The page recognizes by their numbers the scenes that it has already shown."""
    match = play_at_random(DA.match(players=5, seed="rich"))
    known: dict[tuple[int, int], Scene] = {}
    for position in range(len(match.steps) + 1):
        _, scenes = story(match.view_at(position))
        places = [scene.place or Step.SORCERER + 1 for scene in scenes]
        assert places == sorted(places)
        for scene_ in scenes:
            assert known.setdefault((scene_.n, scene_.part), scene_) == scene_
    assert {scene.place for scene in known.values()} >= {0, Step.EXCURSION, Step.TREASURE, Step.TRAINER}
    assert len(known) > SQUARES
