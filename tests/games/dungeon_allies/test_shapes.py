"""Components of other shapes (chapter 18 of the rules): what they allow, and that rules, bots and texts follow them."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pytest

from games.dungeon_allies.scenes import (
    DA,
    A,
    B,
    bless,
    crystals,
    enhance,
    fated,
    go,
    gold,
    legal,
    only,
    place,
    refused,
    reroll,
    scene,
    send,
    spots,
    state_of,
    told,
    trade,
)
from games.dungeon_allies.shapes import DATA, SQUARES, drawn, shaped, squares
from meadhall import BadSetup, Match, replay
from meadhall.bots import bot
from meadhall.games.dungeon_allies import facts, page
from meadhall.games.dungeon_allies.components import COMPONENTS, SKILL_NAMES
from meadhall.games.dungeon_allies.pieces import GONE, NONE, Act, Item
from meadhall.games.dungeon_allies.rules import card_score
from meadhall.pictures.board import svg
from sizes import sized

MANY = range(sized(4, 20))


def prisoners(count: int, offering: dict[str, int] | None = None) -> list[dict[str, Any]]:
    offerings = {"red": 1} if offering is None else offering
    return [{"name": f"Prisoner {k}", "offering": offerings, "reward": {"gold": k + 1}} for k in range(count)]


# ------------------------------------------------------------------------------------------------------------ what is accepted


@pytest.mark.parametrize("counts", [(28, 0, 0), (0, 28, 0), (0, 0, 28), (1, 0, 27), (3, 20, 5)])
def test_any_split_of_the_squares_is_possible(counts: tuple[int, int, int]) -> None:
    match = scene(components=shaped(excursion_square=squares(*counts)))
    assert [state_of(match).level.tolist().count(level) for level in range(3)] == list(counts)
    names = [match.game.words.pieces.square(square) for square in range(SQUARES)]  # type: ignore[union-attr]
    assert names == [f"{letter}{k + 1}" for letter, count in zip("YBR", counts, strict=True) for k in range(count)]


@pytest.mark.parametrize("count", [0, 9])
def test_there_are_one_to_eight_prisoners(count: int) -> None:
    with pytest.raises(BadSetup, match="expected 1 to 8 entries"):
        COMPONENTS.check(shaped(prisoner_space=prisoners(count)))


def test_there_are_five_lines_at_most() -> None:
    """DA-10.2: More than five would depend on each other, because there are only five colours."""
    colours = ["red", "blue", "yellow", "green", "white"]
    lines = [{"left": {colour: 1}, "right": {}} for colour in colours]
    COMPONENTS.check(shaped(trade=lines))
    with pytest.raises(BadSetup, match="expected 0 to 5 entries, found 6"):
        COMPONENTS.check(shaped(trade=[*lines, {"left": {"red": 1}, "right": {"white": 1}}]))


def test_names_may_repeat_and_ids_may_be_any_text() -> None:
    monsters = [monster | {"id": f"Bête nº {k}", "name": "Goblin"} for k, monster in enumerate(DATA["monster"])]
    match = DA.match(seed="goblins", components=shaped(monster=monsters))
    assert match.setup[0].arguments[1].startswith("Bête nº ")


@pytest.mark.compiled
def test_every_shape_is_played_to_its_end_and_replays() -> None:
    for number in MANY:
        match = DA.match(players=2 + number % 4, seed=f"shape {number}", components=drawn(number))
        draw = random.Random(number)
        while not match.over:
            match.play(draw.choice(legal(match)))
        record = match.record()
        assert replay(record).record() == record


# ------------------------------------------------------------------------------------------------------------------------ rules


def test_DA_3_3_only_the_prisoners_that_there_are_can_be_visited() -> None:
    for count in (1, 8):
        match = scene(components=shaped(prisoner_space=prisoners(count)))
        assert [spot for spot in spots(match, 4) if spot.startswith("prisoner")] == [f"prisoner:{k + 1}" for k in range(count)]
    assert refused(scene(components=shaped(prisoner_space=prisoners(1))), place(4, "prisoner:2")) == "DA-3.3"


def test_DA_9_1_an_offering_of_nothing_can_be_paid_so_the_player_is_asked() -> None:
    match = scene(components=shaped(prisoner_space=prisoners(8, {})))
    send(match, (A, 4, "prisoner:8"))
    go(match)
    assert (match.actor, legal(match)) == (A, [Act.KEEP_OFFERING, Act.FREE])
    assert only(match.play(Act.FREE), "frees", "pays", "gains") == [["frees", A, 8], ["gains", A, "gold", 8]]


def test_DA_4_5_the_level_of_a_square_decides_about_the_hammer() -> None:
    match = scene(crystals={A: "W"}, monsters={0: (9, 4, "armor")}, components=shaped(excursion_square=squares(0, 0, 28)))
    send(match, (A, 4, "square:0"))
    assert [event for event in told(go(match, 1)) if event[0] == "fails"] == [["fails", A, 0]], "level 3, but it is round 1"
    match = scene(crystals={A: "W"}, monsters={27: (9, 4, "armor")}, components=shaped(excursion_square=squares(28, 0, 0)))
    send(match, (A, 4, "square:27"))
    go(match)
    assert legal(match) == [Act.ROLL, Act.HAMMER]


def with_a_d20() -> Match:
    data = shaped()
    data["dice"]["enhance_dice"] = [20]
    match = scene({A: {4: "water", 6: "fire"}}, crystals={A: "GGYYBB"}, monsters={0: (60, 1, "armor")}, components=data)
    send(match, (A, 4, "square:0"))
    go(match)
    return match


def test_DA_1_4_a_d20_may_be_allowed_for_enhance_blessed_and_rerolled() -> None:
    match = with_a_d20()
    assert [action for action in legal(match) if action >= enhance(4)] == [enhance(20), bless(4)]
    assert told(match.play(enhance(20))) == [["enhances", A, 20]]
    assert legal(match) == [Act.ROLL, bless(4), bless(20)], "the d20 is in the fight already, although a green crystal is left"
    match.play(bless(20))
    assert told(fated(match, Act.ROLL, 3, 15)) == [["rolled", A, 4, 3, 3], ["rolled", A, 20, 15, 30], ["total", A, 33, 60]]
    assert legal(match) == [Act.ACCEPT, reroll(4), reroll(20)]
    assert told(fated(match, reroll(20), 20))[:2] == [["rerolled", A, 20, 20, 40], ["total", A, 43, 60]]


def test_DA_4_5_without_dice_for_enhance_a_green_crystal_is_no_spell() -> None:
    data = shaped()
    data["dice"]["enhance_dice"] = []
    match = scene({A: {4: "water", 6: "fire"}}, crystals={A: "G"}, monsters={0: (60, 1, "armor")}, components=data)
    send(match, (A, 4, "square:0"))
    assert "fails" in [event[0] for event in told(go(match, 2))], "the dice are rolled at once"


def test_DA_11_3_without_refill_an_empty_space_stays_empty() -> None:
    data = shaped()
    data["sorcerer"]["refill"] = False
    match = scene(crystals={A: "B"}, components=data)
    send(match, (A, 4, "sorcerer:2"), (B, 4, "trade"), (A, 6, "treasure:1"))
    go(match)
    events = match.play(Act.BUY)
    assert only(events, "card_shown") == []
    assert state_of(match).display[1] == NONE
    assert state_of(match).turn == 2
    assert "sorcerer:2" not in spots(match, 4)


def test_DA_5_1_a_gift_may_be_several_items_or_nothing() -> None:
    gifts = [{"position": k, "crystals": {"gold": 2, "red": 1} if k == 1 else {}} for k in range(1, 6)]
    match = scene(components=shaped(turn_order_space=gifts))
    send(match, (A, 4, "turn_order"), (B, 4, "turn_order"))
    assert only(go(match), "gains") == [["gains", A, "gold", 2], ["gains", A, "red", 1]]


def test_DA_10_1_a_table_without_lines_and_one_with_five() -> None:
    match = scene(crystals={A: "RRB"}, components=shaped(trade=[]))
    send(match, (A, 4, "trade"))
    go(match)
    assert state_of(match).turn == 2, "there is nothing to trade"
    lines = [
        {"left": {"red": 1}, "right": {}},
        *({"left": {"red": 1}, "right": {colour: 1}} for colour in ("blue", "yellow", "green", "white")),
    ]
    match = scene(crystals={A: "R"}, components=shaped(trade=lines))
    send(match, (A, 4, "trade"))
    go(match)
    assert legal(match) == [Act.END_TRADE, trade(0, 0), trade(0, 1), trade(1, 0), trade(2, 0), trade(3, 0), trade(4, 0)]
    match.play(trade(0, 1))
    assert crystals(match, A) == "RR", "the empty side of a line can always be given"


def test_DA_13_2_a_card_adds_its_kinds_of_points_each_rounded_down() -> None:
    data = shaped()
    scores = [
        {"kind": "monster", "weakness": "melee", "points": 2},
        {"kind": "monster", "weakness": "fire", "points": 1},
        {"kind": "crystal", "color": "red", "per": 3, "points": 4},
        {"kind": "crystal", "color": "blue", "per": 2, "points": 1},
        {"kind": "fixed", "points": 5},
    ]
    data["sorcerer_card"][0] = {"id": "many", "name": "Of Many Uses", "kind": "mixed", "scores": scores}
    data["sorcerer_card"][1] = {"id": "none", "name": "Of No Use", "kind": "mixed", "scores": []}
    match = scene(crystals={A: "RRRRRBBB"}, components=data)
    state = state_of(match)
    weak = [SKILL_NAMES[weakness] for weakness in state.weakness.tolist()]
    for monster in [weak.index("melee"), weak.index("fire"), weak.index("fire", weak.index("fire") + 1)]:
        state.owner[monster] = A
    assert card_score(state, A, 0) == 2 + 2 * 1 + 4 + 1 + 5
    assert card_score(state, A, 1) == 0
    pieces: Any = match.game.words.pieces  # type: ignore[union-attr]
    assert pieces.value(0) == "2 per tile: melee, 1 per tile: fire, 4 per 3 crystals: red, 1 per 2 crystals: blue, 5 points"
    assert pieces.value(1) == "no points"


# --------------------------------------------------------------------------------------------------------------- bots and texts


def test_before_the_match_players_are_told_which_components_are_used() -> None:
    built_in, same = (dict(facts(DA.check_options(options))) for options in ({}, {"components": shaped()}))
    assert built_in == same
    assert built_in == {
        "Components": "built in",
        "Squares": "8 yellow, 8 blue and 12 red",
        "Prisoners": "5",
        "Trade lines": "4",
        "Dice for Enhance": "d4, d6, d8, d10 and d12",
        "Sorcerer": "empty spaces are refilled",
    }
    data = shaped(name="From my box", excursion_square=squares(0, 20, 8), prisoner_space=prisoners(7), trade=DATA["trade"][:1])
    data["dice"]["enhance_dice"] = [20, 4]
    data["sorcerer"]["refill"] = False
    options = DA.check_options({"components": data})
    assert dict(facts(options)) == {
        "Components": f"From my box ({options['components']['sha256'][:8]})",
        "Squares": "20 blue and 8 red",
        "Prisoners": "7",
        "Trade lines": "1",
        "Dice for Enhance": "d4 and d20",
        "Sorcerer": "empty spaces stay empty",
    }
    for number in MANY:
        assert list(dict(facts(DA.check_options({"components": drawn(number)})))) == list(built_in)


def test_the_picture_of_a_match_without_exchanges_can_be_drawn() -> None:
    assert "<svg" in svg(DA.match(players=2, components=shaped(trade=[])).view())


def moments(number: int) -> Iterator[Match]:
    """Yield every position of a match between greedy players with components of another shape."""
    match = DA.match(players=2 + number % 4, seed=f"greedy shape {number}", components=drawn(number))
    players = [bot(DA, "karl", bytes([seat, number])) for seat in range(match.players)]
    while match.actor is not None:
        yield match
        match.play(players[match.actor].choose(match.view(match.actor)))
    yield match


@pytest.mark.compiled
@pytest.mark.parametrize("number", range(sized(1, 12)))
def test_greedy_players_pages_sketches_and_refusals_follow_every_shape(number: int) -> None:
    for k, match in enumerate(moments(number)):
        if k % sized(29, 7):
            continue
        view = match.view(match.actor or 0)
        drawing, own = page.picture(match.view(None)), page.own(view)
        assert [drawing.square(square).level for square in range(SQUARES)] == match.state.level.tolist()
        assert len(drawing.prisoners) == len(own.targets[5]) == match.state.prisoners
        assert len(drawing.lines) == match.state.lines
        assert match.game.words.sketch(view.state, match.names)  # type: ignore[union-attr]
        for action in page.offered(view) if match.actor is not None else ():
            assert view.refusal(action)[1] or action in view.legal


@pytest.mark.compiled
def test_a_search_advises_with_other_components() -> None:
    match = DA.match(players=2, seed="advice", components=drawn(3))
    searcher = bot(DA, "huscarl", bytes(2))
    for _ in range(6):
        assert match.actor is not None
        match.play(searcher.choose(match.view(match.actor)))


def test_greedy_keeps_a_crystal_that_it_needs_for_a_card() -> None:
    """DA-9.1: The sorcerer comes two places later."""
    for other_place, choice in (("sorcerer:1", Act.KEEP_OFFERING), ("treasure:1", Act.FREE)):
        match = scene({A: {4: "water", 6: "fire"}}, crystals={A: "Y"}, cards=["crown_of_tales"], removed=9)
        send(match, (A, 4, other_place), (B, 4, "trade"), (A, 6, "prisoner:3"))
        go(match)
        assert bot(DA, "karl", bytes(1)).choose(match.view(A)) == choice


def test_greedy_declines_if_the_box_can_not_give_the_reward() -> None:
    data = shaped(prisoner_space=[{"name": "Miser", "offering": {"red": 1}, "reward": {"white": 1}}])
    match = scene({A: {4: "water", 6: "fire"}}, crystals={A: "R", B: "WWWW"}, components=data)
    send(match, (A, 4, "prisoner:1"))
    go(match)
    assert state_of(match).box[Item.WHITE] == 0
    assert bot(DA, "karl", bytes(1)).choose(match.view(A)) == Act.KEEP_OFFERING


def test_a_scene_of_another_shape_has_its_tiles() -> None:
    assert (state_of(scene(components=drawn(1))).monster != GONE).all()
    assert gold(scene(components=drawn(1)), A) == 0
