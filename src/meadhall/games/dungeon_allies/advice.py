"""Search settings: rollouts run to the end of a turn, where the evaluation estimates the payoffs."""

from __future__ import annotations

from meadhall.games.dungeon_allies.actions import Act
from meadhall.games.dungeon_allies.heuristics import greedy
from meadhall.games.dungeon_allies.heuristics.evaluation import estimate_payoffs, is_between_turns
from meadhall.games.dungeon_allies.state import State
from meadhall.sdk import Advice, Row, rule


@rule
def greedy_without_looks(state: State, legal: Row, count: int, rng: Row) -> int:
    """Play greedily but never cast Illuminate: to value it takes as long as all other decisions of a turn."""
    return greedy(state, legal, count - (legal[count - 1] == Act.ILLUMINATE), rng)


ADVICE = Advice(
    rollout=greedy_without_looks,
    cutoff=0,
    value_cutoff=40,
    evaluate=estimate_payoffs,
    quiescent=is_between_turns,
    guide=greedy,
    exploration=0.12,
    widening=(4.0, 0.35),
    minimum_advantage=1.0,
)
