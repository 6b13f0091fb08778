"""How a search goes about Dungeon Allies: it plays turns to their end and looks who is likely to win then."""

from __future__ import annotations

from meadhall.engine.advice import Advice
from meadhall.engine.rule import rule
from meadhall.engine.schema import Row
from meadhall.games.dungeon_allies.heuristics import greedy
from meadhall.games.dungeon_allies.heuristics.outlook import expect_payoffs, is_between_turns
from meadhall.games.dungeon_allies.state import ILLUMINATE, State


@rule
def play_on(state: State, legal: Row, count: int, rng: Row) -> int:
    """As the greedy player would, but without looking at tiles: to weigh that takes as long as all other decisions of a turn."""
    return greedy(state, legal, count - (legal[count - 1] == ILLUMINATE), rng)


ADVICE = Advice(
    rollout=play_on,
    cutoff=0,
    value_cutoff=40,
    evaluate=expect_payoffs,
    quiescent=is_between_turns,
    guide=greedy,
    exploration=0.12,
    widening=(4.0, 0.35),
    minimum_advantage=1.0,
)
