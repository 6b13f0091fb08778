"""The results of AxxA's solver are correct."""

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
from meadhall.games.axxa.heuristics import is_lost
from meadhall.games.axxa.solver import SYMMETRY, ProofResult, Verdict, key_of, prove, solution, winnable
from meadhall.games.axxa.state import NAMES, POSITIONS, Act
from sizes import sized

SMALL = sized(8, 40)
SHUFFLES = sized(2, 20)
COVERED = sized(60, 300)


# ------------------------------------------------------------------------------------------- comparison with exhaustive search


def can_be_won(match: Reference, known: dict[object, bool]) -> bool:
    """Tell whether a state can be won, by trying everything with the reference rules."""
    if match.over:
        return not match.wanted
    stacks = tuple(sorted((position, tuple(pieces)) for position, pieces in match.stacks.items()))
    here = (stacks, tuple(match.wanted), match.phase, match.moved if match.phase == "turn" else None, match.triplets_of_turn)
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
    """Return random stacks of the last few pieces, with one piece to spare or none, and the current number."""
    draw = random.Random(f"ending {number}")
    pieces = draw.choice((["6", "6", "6", "1"], ["6", "6", "6", "6"], ["5", "5", "5", "6", "6", "6"], ["6", "6", "6", "2"]))
    pieces = draw.sample(pieces, len(pieces))
    stacks = dict.fromkeys(draw.sample(NAMES, draw.choice((3, 3, 4)) if len(pieces) > 4 else 3), "")
    for piece in pieces:
        space = min(stacks, key=lambda space: (len(stacks[space]), draw.random()))
        stacks[space] += piece
    return stacks, int(min(piece for piece in pieces if piece >= "5"))


@pytest.mark.compiled
@pytest.mark.parametrize("touching", ["all", "orthogonal"])
def test_verdicts_on_small_endings_agree_with_exhaustive_search(touching: str) -> None:
    verdicts = set()
    for number in range(SMALL):
        stacks, current = ending(number)
        match = scene(stacks, current=current, touching=touching)
        reference = Reference(
            {POSITIONS[SPACE[name]]: [int(piece) for piece in pieces] for name, pieces in stacks.items()},
            2,
            0,
            versus=False,
            orthogonal=touching == "orthogonal",
        )
        reference.wanted = list(range(current, 7))
        result = prove(match.states)
        assert result.verdict == (Verdict.WON if can_be_won(reference, {}) else Verdict.LOST), stacks
        verdicts.add(result.verdict)
        play_all(match, result.variation)
        assert match.over == (result.verdict == Verdict.WON)
    assert verdicts == {Verdict.WON, Verdict.LOST}


def play_all(match: Match, actions: tuple[int, ...]) -> None:
    for action in actions:
        match.play(action)


@pytest.mark.compiled
@pytest.mark.parametrize("touching", ["all", "orthogonal"])
def test_the_winning_variation_of_a_deal_wins_a_real_match(touching: str) -> None:
    for number in range(SHUFFLES):
        match = AXXA.match(players=3, seed=f"line {number}", touching=touching)
        proof = winnable(match)
        assert proof.verdict == Verdict.WON
        play_all(match, proof.variation)
        result = match.result()
        assert result is not None
        assert result.winners == (0, 1, 2)
        assert sum(event.name == "moved" for step in match.steps for event in step.events) == proof.moves
        assert winnable(match).variation == proof.variation, "the search begins at the deal, even if the match is over"


def test_a_search_with_few_nodes_decides_nothing() -> None:
    result = winnable(AXXA.match(seed="hasty"), node_limit=3)
    assert (result.verdict, result.variation, result.nodes) == (Verdict.OPEN, (), 3)


# -------------------------------------------------------------------------------------------------------- states set up by hand


STUCK = {"b6": "6", "c6": "6", "c4": "6"}
"""The 6 on c4 can't move, and neither of the others can reach a space that touches it and the third."""


def test_completing_the_last_triplet_wins() -> None:
    result = prove(scene({"b6": "6", "c6": "6", "d4": "26"}, current=6).states)
    assert result.verdict == Verdict.WON
    assert (result.variation[-1], result.moves) == (Act.TURN, 1)


def test_a_spare_piece_gains_a_turn() -> None:
    assert prove(scene(STUCK, current=6).states) == ProofResult(Verdict.LOST, (), 0)
    result = prove(scene({**STUCK, "a4": "1"}, current=6).states)
    assert result.verdict == Verdict.WON
    assert result.moves == 2


def test_a_number_in_only_two_stacks_is_lost() -> None:
    match = scene({"b6": "66", "d6": "6", "a5": "111"}, current=6)
    assert is_lost(state_of(match))
    assert prove(match.states).verdict == Verdict.LOST
    assert not is_lost(scene({"b6": "6[6]", "d6": "6", "a5": "1[1]"}, current=6).view(0).state), "the unseen pieces may save it"


def state_of(match: Match) -> Any:
    return match.state


def test_symmetric_states_have_the_same_key() -> None:
    stacks = {"b6": "612", "c6": "6", "f2": "26", "c7": "345"}
    key = key_of(state_of(scene(stacks, current=6)))
    assert len({tuple(symmetry) for symmetry in SYMMETRY.tolist()}) == 8
    for symmetry in SYMMETRY:
        image = {NAMES[symmetry[SPACE[name]]]: pieces for name, pieces in stacks.items()}
        assert key_of(state_of(scene(dict(reversed(image.items())), current=6))) == key
    assert key_of(state_of(scene({**stacks, "c6": "61"}, current=6))) != key
    assert key_of(state_of(scene(stacks, current=5))) != key


# ------------------------------------------------------------------------------------------- solutions for hints and the king


def test_with_all_pieces_known_the_solution_is_a_win() -> None:
    match = scene({"b6": "6", "c6": "6", "d4": "26", "a5": "1"}, current=6, players=3)
    found = solution(match.view(0))
    assert found is not None
    assert solution(match.view(1)) == solution(match.view()) == found, "all viewers know the same"
    assert found.line[0] in found.payoffs
    assert found.value == (1.0, 1.0, 1.0)
    assert set(found.policy) == {found.line[0]}
    assert bot(AXXA, "king").choose(match.view(0)) == found.line[0]
    play_all(match, found.line)
    assert match.over
    assert solution(match.view(0)) is None


def test_in_a_lost_state_every_action_is_reported_as_lost() -> None:
    match = scene(STUCK, current=6)
    found = solution(match.view(0))
    assert found is not None
    assert list(found.policy) == legal(match)
    assert found.value == pytest.approx((0.0, 0.0))


def test_there_is_no_solution_if_unseen_pieces_matter_or_in_mode_versus() -> None:
    assert solution(AXXA.match(seed="all covered").view(0)) is None
    assert solution(scene({"b6": "6", "c6": "6", "d4": "26"}, current=6, mode="versus").view(0)) is None
    assert solution(scene({"b6": "6", "c6": "6", "d4": "2[6]", "e1": "5[1]"}, current=6).view(0)) is None


def test_a_state_that_an_unseen_piece_may_save_is_not_reported_as_lost() -> None:
    """No piece can be paid. If the unseen piece on f2 is a 5, it comes up in reach of the other two; otherwise all is lost."""
    saved = scene({"b6": "5", "c6": "5[6]", "f2": "6[5]", "e1": "6"}, current=5)
    assert solution(saved.view(0)) is None
    assert prove(saved.states).verdict == Verdict.WON
    lost = scene({"b6": "5", "c6": "5[5]", "f2": "6[6]", "e1": "6"}, current=5)
    assert solution(lost.view(0)) is None
    assert prove(lost.states).verdict == Verdict.LOST


def covered_ending(number: int) -> tuple[dict[str, str], list[tuple[str, int]], int]:
    """Return random stacks of the last few pieces, the unseen ones by space and depth, and the current number."""
    draw = random.Random(f"covered {number}")
    pieces = draw.choice(("6661", "6666", "66612", "666555", "6665551"))
    middle = [name for name in NAMES if name[0] in "bcdef" and name[1] in "23456"]
    stacks = dict.fromkeys(draw.sample(middle, 3), "")
    for piece in draw.sample(pieces, len(pieces)):
        stacks[min(stacks, key=lambda space: (len(stacks[space]), draw.random()))] += piece
    covered = [(space, k) for space, stack in stacks.items() for k in range(1, len(stack)) if draw.random() < 0.8]
    return stacks, covered, int(min(piece for piece in pieces if piece >= "5"))


def with_unseen(stacks: dict[str, str], covered: list[tuple[str, int]], order: Sequence[str]) -> dict[str, str]:
    """Return the stacks with these pieces in the unseen places."""
    found = {space: [*stack] for space, stack in stacks.items()}
    for (space, k), piece in zip(covered, order, strict=True):
        found[space][k] = f"[{piece}]"
    return {space: "".join(stack) for space, stack in found.items()}


@pytest.mark.compiled
def test_a_solution_with_unseen_pieces_holds_for_every_order_of_them() -> None:
    seen = set()
    for number in range(COVERED):
        stacks, covered, current = covered_ending(number)
        unseen = [stacks[space][k] for space, k in covered]
        found = solution(scene(with_unseen(stacks, covered, unseen), current=current).view(0))
        verdict = Verdict.OPEN if found is None else Verdict.WON if found.line else Verdict.LOST
        deals = [scene(with_unseen(stacks, covered, order), current=current) for order in set(permutations(unseen))]
        actual = {prove(match.states).verdict for match in deals}
        assert verdict == Verdict.OPEN or actual == {verdict}, stacks
        if len(deals) > 1:
            seen.add((verdict, len(actual)))
    assert seen == {(Verdict.OPEN, 1), (Verdict.OPEN, 2), (Verdict.LOST, 1)}


def test_unseen_pieces_that_can_only_be_one_number_are_known() -> None:
    match = scene({"b6": "6", "c6": "6", "d4": "2[6]"}, current=6)
    found = solution(match.view(0))
    assert found is not None
    assert found.line[-1] == Act.TURN
    play_all(match, found.line)
    assert match.over


def test_the_solution_does_not_depend_on_unseen_pieces() -> None:
    """The winning variation uncovers no unseen piece, so it is the same for every order of them."""
    solutions = set()
    for covered in (("1", "2", "2"), ("2", "1", "2"), ("2", "2", "1")):
        stacks = {"b6": "6", "c6": "6", "d4": "26"} | {
            f"{column}1": f"5[{piece}]" for column, piece in zip("cde", covered, strict=True)
        }
        match = scene(stacks, current=6)
        found = solution(match.view(0))
        assert found is not None
        play_all(match, found.line)
        assert match.over
        solutions.add(str(found))
    assert len(solutions) == 1


@pytest.mark.compiled
def test_the_search_chooses_winning_actions_and_avoids_losing_ones() -> None:
    match = scene({"b6": "6", "c6": "6", "f2": "26", "a5": "11"}, current=6)
    assert set(choices(match)) <= {action for action in legal(match) if wins(match, action)}
    match = scene({"b6": "6", "c6": "6", "d4": "26", "a5": "1"}, current=6)
    match.play(move("a5", "b5"))
    assert {action for action in legal(match) if wins(match, action)} == {pay("d4"), pay("b5")}
    assert {action for action in legal(match) if loses_at_once(match, action)} == {pay("b6"), pay("c6")}
    assert set(choices(match)) <= {pay("d4"), pay("b5")}


def loses_at_once(match: Match, action: int) -> bool:
    after = match.copy()
    after.play(action)
    return after.over


def wins(match: Match, action: int) -> bool:
    after = match.copy()
    after.play(action)
    return bool(after.result().winners) if after.over else prove(after.states).verdict == Verdict.WON  # type: ignore[union-attr]


def choices(match: Match) -> list[int]:
    """Return the choices of the search without the solver, for three seeds."""
    return [bot(AXXA, "search@300", bytes([seed])).choose(match.view(0)) for seed in range(3)]


@pytest.mark.compiled
def test_in_a_duel_the_search_removes_the_deciding_triplet() -> None:
    stacks = {"b6": "6", "c6": "6", "d4": "16", "e1": "121", "f5": "2"}
    match = scene(stacks, current=6, mode="versus", takers={1: 0, 2: 1, 3: 0, 4: 1})
    player = bot(AXXA, "search@300", b"a duel")
    while match.actor == 0:
        match.play(player.choose(match.view(0)))
    result = match.result()
    assert result is not None
    assert result.points == (3, 2)
