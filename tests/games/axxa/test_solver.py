"""What is proved of a position is so."""

from __future__ import annotations

import random
from collections.abc import Sequence
from copy import deepcopy
from itertools import permutations
from typing import Any

import pytest

from games.axxa.reference import Reference
from games.axxa.scenes import AXXA, SPACE, legal, move, pay, scene
from meadhall import Match
from meadhall.bots import bot
from meadhall.engine.rule import INTERPRETED
from meadhall.games.axxa.advice import is_lost
from meadhall.games.axxa.board import NAMES, POSITIONS
from meadhall.games.axxa.solver import SYMMETRY, Proof, Verdict, key_of, prove, solution, winnable
from meadhall.games.axxa.state import TURN

SMALL = 3 if INTERPRETED else 40
SHUFFLES = 1 if INTERPRETED else 20
COVERED = 3 if INTERPRETED else 300


# --------------------------------------------------------------------------------------------------------- against plain search


def can_be_won(match: Reference, known: dict[object, bool]) -> bool:
    """By trying everything, on the plain twin of the rules."""
    if match.over:
        return not match.wanted
    stacks = tuple(sorted((position, tuple(pieces)) for position, pieces in match.stacks.items()))
    here = (stacks, tuple(match.wanted), match.asked, match.moved if match.asked == "turn" else None, match.of_turn)
    if here not in known:
        known[here] = False
        for action in match.legal():
            after = deepcopy(match)
            after.play(action)
            if can_be_won(after, known):
                known[here] = True
                break
    return known[here]


def ending(number: int) -> tuple[dict[str, str], int]:
    """Some last pieces on neighbouring spaces, drawn at random: one of them to spare, or none; and the current number."""
    draw = random.Random(f"ending {number}")
    pieces = draw.choice((["6", "6", "6", "1"], ["6", "6", "6", "6"], ["5", "5", "5", "6", "6", "6"], ["6", "6", "6", "2"]))
    pieces = draw.sample(pieces, len(pieces))
    stacks = dict.fromkeys(draw.sample(NAMES, draw.choice((3, 3, 4)) if len(pieces) > 4 else 3), "")
    for piece in pieces:
        space = min(stacks, key=lambda space: (len(stacks[space]), draw.random()))
        stacks[space] += piece
    return stacks, int(min(piece for piece in pieces if piece >= "5"))


@pytest.mark.parametrize("touching", ["all", "orthogonal"])
def test_small_endings_are_won_or_lost_as_trying_everything_says(touching: str) -> None:
    verdicts = set()
    for number in range(SMALL):
        stacks, current = ending(number)
        match = scene(stacks, current=current, touching=touching)
        twin = Reference(
            {POSITIONS[SPACE[name]]: [int(piece) for piece in pieces] for name, pieces in stacks.items()},
            2,
            0,
            versus=False,
            orthogonal=touching == "orthogonal",
        )
        twin.wanted = list(range(current, 7))
        proof = prove(match.states)
        assert proof.verdict == (Verdict.WON if can_be_won(twin, {}) else Verdict.LOST), stacks
        verdicts.add(proof.verdict)
        play_line(match, proof.line)
        assert match.over == (proof.verdict == Verdict.WON)
    assert INTERPRETED or verdicts == {Verdict.WON, Verdict.LOST}


def play_line(match: Match, line: tuple[int, ...]) -> None:
    for action in line:
        match.play(action)


@pytest.mark.parametrize("touching", ["all", "orthogonal"])
def test_a_line_for_a_shuffle_wins_a_real_match(touching: str) -> None:
    for number in range(SHUFFLES):
        match = AXXA.match(players=3, seed=f"line {number}", touching=touching)
        proof = winnable(match)
        assert proof.verdict == Verdict.WON
        play_line(match, proof.line)
        result = match.result()
        assert result is not None
        assert result.winners == (0, 1, 2)
        assert sum(event.name == "moved" for step in match.steps for event in step.events) == proof.moves
        assert winnable(match).line == proof.line, "a match that is over is looked at from its beginning"


def test_with_next_to_no_time_nothing_is_decided() -> None:
    proof = winnable(AXXA.match(seed="hasty"), budget=3)
    assert (proof.verdict, proof.line, proof.looked_at) == (Verdict.OPEN, (), 3)


# ------------------------------------------------------------------------------------------------------------------- by hand


STUCK = {"b6": "6", "c6": "6", "c4": "6"}
"""From c4 a 6 can't move at all, and the others reach nothing that touches it and the third."""


def test_the_last_triplet_brought_together_wins() -> None:
    proof = prove(scene({"b6": "6", "c6": "6", "d4": "26"}, current=6).states)
    assert proof.verdict == Verdict.WON
    assert (proof.line[-1], proof.moves) == (TURN, 1)


def test_a_piece_that_is_not_needed_buys_a_turn() -> None:
    assert prove(scene(STUCK, current=6).states) == Proof(Verdict.LOST, (), 0)
    proof = prove(scene({**STUCK, "a4": "1"}, current=6).states)
    assert proof.verdict == Verdict.WON
    assert proof.moves == 2


def test_three_pieces_in_two_stacks_are_lost() -> None:
    match = scene({"b6": "66", "d6": "6", "a5": "111"}, current=6)
    assert is_lost(table_of(match))
    assert prove(match.states).verdict == Verdict.LOST
    assert not is_lost(scene({"b6": "6[6]", "d6": "6", "a5": "1[1]"}, current=6).view(0).state), "for all that can be seen"


def table_of(match: Match) -> Any:
    return match.state


def test_a_position_is_the_same_however_the_board_is_turned() -> None:
    stacks = {"b6": "612", "c6": "6", "f2": "26", "c7": "345"}
    key = key_of(table_of(scene(stacks, current=6)))
    assert len({tuple(symmetry) for symmetry in SYMMETRY.tolist()}) == 8
    for symmetry in SYMMETRY:
        turned = {NAMES[symmetry[SPACE[name]]]: pieces for name, pieces in stacks.items()}
        assert key_of(table_of(scene(dict(reversed(turned.items())), current=6))) == key
    assert key_of(table_of(scene({**stacks, "c6": "61"}, current=6))) != key
    assert key_of(table_of(scene(stacks, current=5))) != key


# ----------------------------------------------------------------------------------------------------------- for hints and king


def test_who_sees_everything_is_shown_the_win() -> None:
    match = scene({"b6": "6", "c6": "6", "d4": "26", "a5": "1"}, current=6, players=3)
    found = solution(match.view(0))
    assert found is not None
    assert solution(match.view(1)) == solution(match.view()) == found, "all know the same, whoever's turn it is"
    assert found.line[0] in found.payoffs
    assert found.value == (1.0, 1.0, 1.0)
    assert set(found.policy) == {found.line[0]}
    assert bot(AXXA, "king").choose(match.view(0)) == found.line[0]
    play_line(match, found.line)
    assert match.over
    assert solution(match.view(0)) is None


def test_what_is_lost_is_said_to_be_lost_whatever_one_does() -> None:
    match = scene(STUCK, current=6)
    found = solution(match.view(0))
    assert found is not None
    assert list(found.policy) == legal(match)
    assert found.value == pytest.approx((0.0, 0.0))


def test_nothing_is_said_where_something_unseen_matters_or_sides_play() -> None:
    assert solution(AXXA.match(seed="all covered").view(0)) is None
    assert solution(scene({"b6": "6", "c6": "6", "d4": "26"}, current=6, mode="versus").view(0)) is None
    assert solution(scene({"b6": "6", "c6": "6", "d4": "2[6]", "e1": "5[1]"}, current=6).view(0)) is None


def test_what_only_an_unseen_piece_can_save_is_not_said_to_be_lost() -> None:
    """Nothing is left to pay with. If the 5 lies under f2, it comes to light in reach of the two others; else all is lost."""
    saved = scene({"b6": "5", "c6": "5[6]", "f2": "6[5]", "e1": "6"}, current=5)
    assert solution(saved.view(0)) is None
    assert prove(saved.states).verdict == Verdict.WON
    lost = scene({"b6": "5", "c6": "5[5]", "f2": "6[6]", "e1": "6"}, current=5)
    assert solution(lost.view(0)) is None
    assert prove(lost.states).verdict == Verdict.LOST


def covered_ending(number: int) -> tuple[dict[str, str], list[tuple[str, int]], int]:
    """Some last pieces, drawn at random; which of them nobody has seen, by space and depth; and the current number."""
    draw = random.Random(f"covered {number}")
    pieces = draw.choice(("6661", "6666", "66612", "666555", "6665551"))
    middle = [name for name in NAMES if name[0] in "bcdef" and name[1] in "23456"]
    stacks = dict.fromkeys(draw.sample(middle, 3), "")
    for piece in draw.sample(pieces, len(pieces)):
        stacks[min(stacks, key=lambda space: (len(stacks[space]), draw.random()))] += piece
    covered = [(space, k) for space, stack in stacks.items() for k in range(1, len(stack)) if draw.random() < 0.8]
    return stacks, covered, int(min(piece for piece in pieces if piece >= "5"))


def laid(stacks: dict[str, str], covered: list[tuple[str, int]], order: Sequence[str]) -> dict[str, str]:
    """The same stacks with other pieces where nobody has seen them."""
    laid = {space: [*stack] for space, stack in stacks.items()}
    for (space, k), piece in zip(covered, order, strict=True):
        laid[space][k] = f"[{piece}]"
    return {space: "".join(stack) for space, stack in laid.items()}


def test_what_is_said_of_covered_pieces_holds_however_they_lie() -> None:
    said = set()
    for number in range(COVERED):
        stacks, covered, current = covered_ending(number)
        beneath = [stacks[space][k] for space, k in covered]
        found = solution(scene(laid(stacks, covered, beneath), current=current).view(0))
        verdict = Verdict.OPEN if found is None else Verdict.WON if found.line else Verdict.LOST
        ways = [scene(laid(stacks, covered, order), current=current) for order in set(permutations(beneath))]
        true = {prove(match.states).verdict for match in ways}
        assert verdict == Verdict.OPEN or true == {verdict}, stacks
        if len(ways) > 1:
            said.add((verdict, len(true)))
    assert INTERPRETED or said == {(Verdict.OPEN, 1), (Verdict.OPEN, 2), (Verdict.LOST, 1)}


def test_unseen_pieces_that_can_only_be_one_number_are_known() -> None:
    match = scene({"b6": "6", "c6": "6", "d4": "2[6]"}, current=6)
    found = solution(match.view(0))
    assert found is not None
    assert found.line[-1] == TURN
    play_line(match, found.line)
    assert match.over


def test_it_is_not_led_by_what_it_cannot_see() -> None:
    """The win touches nothing that was not seen, so it is the same however that lies; and else there is none."""
    shown = set()
    for covered in (("1", "2", "2"), ("2", "1", "2"), ("2", "2", "1")):
        stacks = {"b6": "6", "c6": "6", "d4": "26"} | {
            f"{column}1": f"5[{piece}]" for column, piece in zip("cde", covered, strict=True)
        }
        match = scene(stacks, current=6)
        found = solution(match.view(0))
        assert found is not None
        play_line(match, found.line)
        assert match.over
        shown.add(str(found))
    assert len(shown) == 1


def test_the_search_takes_what_wins_and_not_what_loses_at_once() -> None:
    match = scene({"b6": "6", "c6": "6", "f2": "26", "a5": "11"}, current=6)
    assert set(jarls(match)) <= {action for action in legal(match) if wins(match, action)}
    match = scene({"b6": "6", "c6": "6", "d4": "26", "a5": "1"}, current=6)
    match.play(move("a5", "b5"))
    assert {action for action in legal(match) if wins(match, action)} == {pay("d4"), pay("b5")}
    assert {action for action in legal(match) if loses_at_once(match, action)} == {pay("b6"), pay("c6")}
    assert set(jarls(match)) <= {pay("d4"), pay("b5")}


def loses_at_once(match: Match, action: int) -> bool:
    after = match.copy()
    after.play(action)
    return after.over


def wins(match: Match, action: int) -> bool:
    after = match.copy()
    after.play(action)
    return bool(after.result().winners) if after.over else prove(after.states).verdict == Verdict.WON  # type: ignore[union-attr]


def jarls(match: Match) -> list[int]:
    """What the search does on its own, without the solver."""
    return [bot(AXXA, "search@300", bytes([seed])).choose(match.view(0)) for seed in range(3)]


def test_in_a_duel_it_takes_the_triplet_that_decides() -> None:
    stacks = {"b6": "6", "c6": "6", "d4": "16", "e1": "121", "f5": "2"}
    match = scene(stacks, current=6, mode="versus", takers={1: 0, 2: 1, 3: 0, 4: 1})
    player = bot(AXXA, "search@300", b"a duel")
    while match.actor == 0:
        match.play(player.choose(match.view(0)))
    result = match.result()
    assert result is not None
    assert result.points == (3, 2)
