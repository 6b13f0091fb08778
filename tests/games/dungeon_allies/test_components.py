"""The components: numbers, names and references are checked, and each error names its place."""

from __future__ import annotations

import random
import re
from math import prod
from typing import Any

import numpy as np
import pytest

from meadhall import BadSetup, Match, game
from meadhall.engine.match.record import dumps, loads
from meadhall.engine.replay import replay
from meadhall.games.dungeon_allies.components import COMPONENTS, COUNTS, ITEM_NAMES, SKILL_NAMES
from meadhall.games.dungeon_allies.pieces import CARDS, MONSTERS
from meadhall.games.dungeon_allies.state import State

DA = game("dungeon-allies")
BUILT_IN = COMPONENTS.file.read_text("utf-8")
COMPONENTS_OF_BUILT_IN = COMPONENTS.of(COMPONENTS.default)
FIELDS = (
    *("target", "bounty", "weakness", "skill", "track_gift", "level", "prisoners", "offering", "reward", "lines", "exchange"),
    *("enhancers", "refill", "tile_points", "crystal_points", "crystals_per", "fixed_points"),
)
DREAD = BUILT_IN.replace('id = "elder_wyrm"\nname = "Elder Wyrm"', 'id = "dread"\nname = "Dread of the Deep"').replace(
    "red = { target = 18, gold = 4 }", "red = { target = 40, gold = 9 }"
)


def refused(text: str) -> str:
    with pytest.raises(BadSetup) as error:
        COMPONENTS.check(text)
    return str(error.value)


# ------------------------------------------------------------------------------------------------------------- what is built in


def test_the_built_in_components_have_the_numbers_of_the_rules() -> None:
    """DA-1.1, DA-1.5, DA-2.6, DA-9.1, DA-10.1."""
    assert {name: len(getattr(COMPONENTS_OF_BUILT_IN, name)) for name in COUNTS} == {
        "turn_order_space": 5,
        "prisoner_space": 5,
        "trade": 4,
        "character": 10,
        "follower": 8,
        "monster": 28,
        "sorcerer_card": 16,
        "excursion_square": 28,
    }


def test_the_state_holds_what_is_printed() -> None:
    """DA-4.4: A monster's numbers on each level. DA-13.2: The points of cards."""
    state: Any = DA.match(seed="printed").state
    for index, monster in enumerate(COMPONENTS_OF_BUILT_IN.monster):
        assert [(state.target[level, index], state.bounty[level, index]) for level in range(3)] == [
            (face.target, face.gold) for face in monster.faces
        ]
        assert SKILL_NAMES[state.weakness[index]] == monster.weakness
    ids = [card.id for card in COMPONENTS_OF_BUILT_IN.sorcerer_card]
    assert state.tile_points[ids.index("tidecaller_charm"), SKILL_NAMES.index("water")] == 3
    assert (state.crystal_points[ids.index("ruby_cluster_charm"), 0], state.crystals_per[ids.index("ruby_cluster_charm"), 0]) == (
        1,
        3,
    )
    assert state.fixed_points[ids.index("crown_of_tales")] == 6
    points = [state.tile_points.sum(), state.crystal_points.sum(), state.fixed_points.sum()]
    assert points == [20, 8, 15]
    assert (state.prisoners, state.lines, state.refill) == (5, 4, 1)
    assert state.enhancers.tolist() == [1, 1, 1, 1, 1, 0]
    assert state.level.tolist() == [0] * 8 + [1] * 8 + [2] * 12
    for space, prisoner in enumerate(COMPONENTS_OF_BUILT_IN.prisoner_space):
        for item, name in enumerate(ITEM_NAMES):
            assert state.offering[space, item] == getattr(prisoner.offering, name)
            assert state.reward[space, item] == getattr(prisoner.reward, name)
    for line_number, exchange in enumerate(COMPONENTS_OF_BUILT_IN.trade):
        for side, items in enumerate((exchange.left, exchange.right)):
            assert tuple(state.exchange[2 * line_number + side, colour] for colour in range(5)) == items.counts[:5]


def test_the_rules_receive_exactly_the_fields_of_the_state() -> None:
    sizes = [prod(State.dtype[name].shape) for name in FIELDS]
    codes = COMPONENTS.encode(COMPONENTS.default)
    assert len(codes) == sum(sizes)
    info = np.iinfo(np.int8)
    assert info.min <= min(codes) <= max(codes) <= info.max


# ----------------------------------------------------------------------------------------------------------------------- others


def test_a_match_is_played_with_other_components() -> None:
    match = Match(DA, players=3, seed="others", options={"components": DREAD})
    assert match.options["components"]["data"]["monster"][-1]["name"] == "Dread of the Deep"
    assert match.state.target[2, MONSTERS - 1] == 40
    assert match.state.bounty[2, MONSTERS - 1] == 9
    draw = random.Random(1)
    while not match.over:
        match.play(draw.choice(match.legal()))
    record = match.record()
    text = dumps(record)
    assert '"dread"' in text
    assert "elder_wyrm" not in text
    assert replay(loads(text)).record() == record


def test_the_same_components_make_the_same_edition() -> None:
    first, second, built_in = (
        Match(DA, seed=str(k), options={"components": text}) for k, text in enumerate((DREAD, DREAD, BUILT_IN))
    )
    assert first.game.words is second.game.words
    assert first.game.words is not DA.words
    assert built_in.game is DA


def test_a_record_with_the_built_in_ones_holds_their_hash_alone() -> None:
    record = DA.match(seed="x").record(abandoned="x")
    assert record["options"] == {"components": COMPONENTS.default}
    assert set(COMPONENTS.default) == {"sha256"}
    assert replay(record).record() == record


def test_tables_that_only_repeat_the_rules_are_optional() -> None:
    bare = BUILT_IN[BUILT_IN.index("[[turn_order_space]]") : BUILT_IN.index("[[excursion_square]]")]
    bare += BUILT_IN[BUILT_IN.index("[[character]]") :]
    value = COMPONENTS.check(bare)
    assert value["sha256"] != COMPONENTS.default["sha256"]
    assert COMPONENTS.encode(value) == COMPONENTS.encode(COMPONENTS.default)


def test_components_may_be_listed_in_another_order() -> None:
    """DA-13.2: The points of a card don't depend on its place in the file."""
    first, *cards = BUILT_IN[BUILT_IN.index("[[sorcerer_card]]") :].split("[[sorcerer_card]]")[1:]
    text = BUILT_IN[: BUILT_IN.index("[[sorcerer_card]]")] + "".join(
        f"[[sorcerer_card]]{card}" for card in [*cards, "\n" + first]
    )
    codes, built_in = COMPONENTS.encode(COMPONENTS.check(text)), COMPONENTS.encode(COMPONENTS.default)
    assert list(codes[-CARDS:]) == [*built_in[1 - CARDS :], built_in[-CARDS]]


def test_a_card_of_every_kind_may_stand_on_one_line() -> None:
    """DA-13.2: Eight weaknesses, five colours and fixed points: more than 700 characters."""
    kinds = [f'{{ kind = "monster", weakness = "{skill}", points = 1 }}' for skill in SKILL_NAMES]
    kinds += [f'{{ kind = "crystal", color = "{colour}", per = 2, points = 1 }}' for colour in ITEM_NAMES[:5]]
    kinds += ['{ kind = "fixed", points = 1 }']
    line = f"scores = [{', '.join(kinds)}]"
    value = COMPONENTS.check(BUILT_IN.replace(CROWN, f'kind = "mixed"\n{line}'))
    assert len(line) > 700
    assert len(COMPONENTS.of(value).sorcerer_card[15].kinds) == 14


# -------------------------------------------------------------------------------------------------------------- what is refused

FACES = "yellow = { target = 2, gold = 1 }"
THREE_FACES = f"{FACES}\nblue = {{ target = 5, gold = 1 }}\nred = {{ target = 9, gold = 2 }}"
IMP = 'name = "Damp Imp"'
TWO_REDS, THREE_REDS = (f'{{ kind = "crystal", color = "red", points = 1, per = {per} }}' for per in (2, 3))
CROWN = 'kind = "fixed"\npoints = 6'
PERCY = 'name = "Pot-Lid Percy"\nskill = '

COUNTED = [
    (
        '[[monster]]\nid = "elder_wyrm"',
        f'[[monster]]\nid = "x"\nname = "X"\nweakness = "fire"\n{THREE_FACES}\n[[monster]]\nid = "elder_wyrm"',
        "monster[28]: expected 28 entries, found 29",
    ),
    (
        '[[follower]]\nid = "f1"\nname = "Torchbearer Nib"\nskill = "fire"\n\n[[follower]]',
        "[[follower]]",
        "follower: expected 8 entries, found 7",
    ),
    (
        '[[prisoner_space]]\nname = "Imprisoned Oracle"',
        "".join(f'[[prisoner_space]]\nname = "P{k}"\noffering = {{}}\nreward = {{}}\n' for k in range(4))
        + '[[prisoner_space]]\nname = "Imprisoned Oracle"',
        "prisoner_space[8]: expected 1 to 8 entries, found 9",
    ),
    (
        '[[excursion_square]]\nlevel = "yellow"\nboard = "excursion"\n\n[[excursion_square]]',
        "[[excursion_square]]",
        "excursion_square: expected 28 entries, found 27",
    ),
]
FIXED_BY_THE_RULES = [
    ("schema = 1", "schema = 2", "schema: the rules fix this to 1, not 2"),
    ('game = "dungeon-allies"', 'game = "chess"', "game: the rules fix this to 'dungeon-allies', not 'chess'"),
    ("red = 24", "red = 25", "supply.crystals.red: the rules fix this to 24, not 25"),
    (
        "removed = [8, 16, 28]",
        "removed = [8, 16]",
        "rounds.ends_at_removed: the rules fix this to [8, 16, 28], not [8, 16]",
    ),
    ("refill = true", "refill = 1", "sorcerer.refill: expected true or false, not 1"),
    (
        "enhance_dice = [4, 6, 8, 10, 12]",
        "enhance_dice = [4, 7]",
        "dice.enhance_dice: expected a list of some of 4, 6, 8, 10, 12, 20, not [4, 7]",
    ),
    ("enhance_dice = [4, 6, 8, 10, 12]", "enhance_dice = [4, 4]", "dice.enhance_dice: a size appears twice in [4, 4]"),
    ("start_tokens = [4, 6]", "start_tokens = [4, 8]", "dice.start_tokens: the rules fix this to [4, 6], not [4, 8]"),
    ("display = 5", "display = 5\nhidden = 1", "sorcerer.hidden: unknown key"),
    ("max_turns = 60", "max_turns = 60\nleast = 1", "limits.least: unknown key"),
    ("[supply]", "[spells.extra]\n[supply]", "spells.extra: unknown key"),
    (
        '[[excursion_square]]\nlevel = "yellow"\nboard = "excursion"\n\n[[excursion_square]]\nlevel = "yellow"',
        '[[excursion_square]]\nlevel = "red"\n\n[[excursion_square]]\nlevel = "yellow"',
        "excursion_square[1].level: yellow after red: the order is yellow, blue, red",
    ),
    ("position = 2", "position = 3", "turn_order_space[1].position: expected 2, not 3: spaces are in order"),
]
NAMES = [
    ('id = "damp_imp"', 'id = "cellar_rat_king"', "monster[1].id: 'cellar_rat_king' appears twice"),
    ('id = "f1"', 'id = "c1"', "follower[0].id: 'c1' appears twice"),
    (IMP, 'name = " Damp Imp"', r"monster[1].name: expected `str` matching regex '^\\S(.*\\S)?$'"),
    (IMP, 'name = ""', "monster[1].name: expected `str` of length >= 1"),
    (IMP, f'name = "{"D" * 61}"', "monster[1].name: expected `str` of length <= 60"),
    (IMP, r'name = "Damp\u001b[1m Imp"', r"monster[1].name: 'Damp\x1b[1m Imp' can't be printed"),
    (IMP, r'name = "Damp\u202e Imp"', r"monster[1].name: 'Damp\u202e Imp' can't be printed"),
    ('"damp_imp"', '""', "monster[1].id: expected `str` of length >= 1"),
]
REFERENCES = [
    (f'{IMP}\nweakness = "fire"', f'{IMP}\nweakness = "fier"', "monster[1].weakness: invalid enum value 'fier'"),
    (f'{PERCY}"armor"', f'{PERCY}"armored"', "follower[7].skill: invalid enum value 'armored'"),
    ('"monster"\nweakness = "water"', '"monster"\nweakness = 1', "sorcerer_card[1].weakness: expected `str`, got `int`"),
    ('color = "red"', 'color = "pink"', "sorcerer_card[8].color: invalid enum value 'pink'"),
    ('kind = "crystal"', 'kind = "stone"', "sorcerer_card[8].kind: invalid value 'stone'"),
    ("left = { red = 2 }", "left = { pink = 2 }", "trade[0].left: object contains unknown field `pink`"),
]
NUMBERS = [
    (FACES, "yellow = { target = -1, gold = 1 }", "monster[0].yellow.target: expected `int` >= 0"),
    (FACES, "yellow = { target = 2.5, gold = 1 }", "monster[0].yellow.target: expected `int`, got `float`"),
    (FACES, f"yellow = {{ target = {10**20}, gold = 1 }}", "monster[0].yellow.target: expected `int` <= 99"),
    (FACES, "yellow = { target = 2 }", "monster[0].yellow: object missing required field `gold`"),
    ("per = 3", "per = 0", "sorcerer_card[8].per: expected `int` >= 1"),
    ("points = 6", "points = -6", "sorcerer_card[15].points: expected `int` >= 0"),
    ("offering = { red = 1 }", "offering = { red = 100 }", "prisoner_space[0].offering.red: expected `int` <= 99"),
]
CARDS_OF_SEVERAL_KINDS = [
    (
        CROWN,
        'kind = "mixed"\nscores = [{ kind = "fixed", points = 1 }, { kind = "fixed", points = 2 }]',
        "sorcerer_card[15].scores[1]: the card scores fixed points twice: use one entry for them",
    ),
    (
        CROWN,
        f'kind = "mixed"\nscores = [{TWO_REDS}, {THREE_REDS}]',
        "sorcerer_card[15].scores[1]: the card scores red crystals twice: use one entry for them",
    ),
    (CROWN, 'kind = "mixed"\nscores = [{ kind = "stone" }]', "sorcerer_card[15].scores[0].kind: invalid value 'stone'"),
]
ENDLESS_TRADE = [
    ("left = { red = 2 }", "left = { gold = 2 }", "trade[0].left.gold: gold can't be traded, only crystals can"),
    (
        "[[trade]]\nleft = { red = 2 }\nright = { blue = 1 }\n\n[[trade]]\nleft = { red = 1, blue = 1 }\nright = { yellow = 1 }",
        "[[trade]]\nleft = { red = 2 }\nright = { blue = 1 }\n[[trade]]\nleft = { red = 4 }\nright = { blue = 2 }",
        "trade: the lines depend on each other: a player could trade in circles (DA-10.2)",
    ),
]
UNKNOWN_OR_MISSING = [
    ("schema = 1", 'author = "me"', "object contains unknown field `author`"),
    (IMP, f'{IMP}\ncolour = "grey"', "monster[1]: object contains unknown field `colour`"),
    ("points = 6", "points = 6\nper = 2", "sorcerer_card[15]: object contains unknown field `per`"),
    (
        f'[[monster]]\nid = "damp_imp"\n{IMP}',
        '[[monster]]\nid = "damp_imp"',
        "monster[1]: object missing required field `name`",
    ),
]


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [*COUNTED, *FIXED_BY_THE_RULES, *NAMES, *REFERENCES, *NUMBERS, *CARDS_OF_SEVERAL_KINDS, *ENDLESS_TRADE, *UNKNOWN_OR_MISSING],
    ids=lambda text: text.splitlines()[0],
)
def test_an_error_names_its_place(old: str, new: str, reason: str) -> None:
    """DA-1.1, DA-10.2, and other values that the rules fix."""
    start = BUILT_IN.find("\n" + old) + 1 or BUILT_IN.index(old)  # not in a comment, if a line begins with it
    text = BUILT_IN[:start] + new + BUILT_IN[start + len(old) :]
    assert re.sub(r""" of (["']).*?\1(?=: )""", "", refused(text)) == f"components: {reason}"


def test_an_error_in_a_monster_says_which() -> None:
    text = BUILT_IN.replace(IMP, f'{IMP}\ncolour = "grey"')
    assert refused(text) == "components: monster[1] of 'Damp Imp': object contains unknown field `colour`"


def test_a_missing_table_is_an_error() -> None:
    text = BUILT_IN[: BUILT_IN.index("[[sorcerer_card]]")]
    assert refused(text) == "components: object missing required field `sorcerer_card`"


def test_too_many_characters_with_the_same_skill_are_an_error() -> None:
    """DA-2.1: With more than five equal characters, a player would get two of them."""
    text = BUILT_IN
    for skill in ("water", "nature", "potions", "amulet"):
        head, tail = text.split("[[follower]]", 1)
        text = head.replace(f'skill = "{skill}"', 'skill = "fire"', 1) + "[[follower]]" + tail
    assert "6 characters have the skill fire: one of 5 players would have two of them" in refused(text)
