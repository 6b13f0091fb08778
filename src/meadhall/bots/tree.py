"""Information-set Monte Carlo tree search, compiled for each game: one tree, and the loop that grows it.

Each iteration samples a determinization for the searching seat, descends the tree by UCB1 for the seat to move, adds one node,
plays a rollout and adds the result to all nodes on the path. Nodes are sequences of decisions. Dice and draws are not nodes but
are sampled again in each iteration (open loop). So an action is not available in every iteration, and UCB1 uses the number of
iterations in which it was. Rewards are kept for the seat that decided (max^n).

Cowling, Powley, Whitehouse: Information Set Monte Carlo Tree Search (2012), single observer; Perez Liebana et al.: Open Loop
Search for General Video Game Playing (2015); Sturtevant: An Analysis of UCT in Multi-Player Games (2008); progressive widening:
Coulom (2007).

Like ``loops.py`` this file is the source of one module per game, see ``compiled.module_of``.
"""

from __future__ import annotations

from math import log, sqrt
from typing import TYPE_CHECKING, Any

from meadhall.engine.compile.rule import rule
from meadhall.engine.state.chance import key_from_counter
from meadhall.engine.state.schema import Grid, Row, States, state_at

if TYPE_CHECKING:
    from meadhall.engine.compile.supplied import evaluate, guide, legal, play, quiescent, redeal, rollout, score, solved_value


# The columns of a node. Children form a linked list: CHILD is the first, SIBLING the next one.
CHILD, SIBLING, ACTION, ACTOR, VISITS, AVAILABLE = range(6)
COLUMNS = 6
NOTHING = -1

# Control values of a tree: its size, its number of iterations, the last mark used, and at the root the action to try first
# (DEFAULT_ACTION) or the only one to try (ONLY).
SIZE, ITERATIONS, MARK, DEFAULT_ACTION, ONLY = range(5)
CONTROLS = 5

# The columns of rewards.
SUM, SQUARES = range(2)

SPECTATOR = -1

MAX_DEPTH = 400
"""The largest depth of an iteration, in nodes."""


@rule
def grow(
    states: States,
    seat: int,
    nodes: Grid,
    rewards: Grid,
    control: Row,
    iterations: int,
    seed: int,
    settings: Any,
    buffer: Any,
    silent: Any,
    payoffs: Any,
    party: Row,
    totals: Any,
) -> None:
    """Run ``iterations`` iterations.

    Args:
        states: a buffer of two states: the working state, and the state to search, concealed for ``seat``.
        seat: the searching seat; -1: a spectator; -2: a viewer with full information, for whom nothing is redealt.
        nodes, rewards: the tree; node 0 is the root. ``rewards[k]`` holds the ``SUM`` of node k's payoffs to its ``ACTOR`` and
            the sum of their ``SQUARES``.
        control: int64 (``CONTROLS``,): ``SIZE``, ``ITERATIONS``, ``MARK``, ``DEFAULT_ACTION`` and ``ONLY``.
        iterations: the number of iterations to run.
        seed: together with i it keys the random numbers of iteration i.
        settings: exploration, the two parameters of progressive widening, the cutoff of rollouts; and whether payoffs are turned
            into shares of a win, with their smallest value and their span.
        buffer: int64 (3, size): the legal actions, the marks, and the path.
        silent: a log of length zero.
        payoffs: a buffer for the payoffs of all seats.
        party: by seat, the lowest seat of its party.
        totals: the payoffs of every iteration are added to it.
    """
    for _ in range(iterations):
        states[0] = states[1]
        state = state_at(states, 0)
        key_from_counter(state.rng, seed, control[ITERATIONS])
        if seat >= SPECTATOR:
            redeal(state, seat)
        length = descend(state, nodes, rewards, control, settings, buffer, silent, payoffs)
        finish(state, int(settings[3]), buffer[0], silent, payoffs)
        if settings[4] > 0:
            share(payoffs, party, state.players, settings[5], settings[6])
        control[ITERATIONS] += 1
        for k in range(length):
            node = buffer[2, k]
            nodes[node, VISITS] += 1
            if node > 0:
                payoff = payoffs[nodes[node, ACTOR]]
                rewards[node, SUM] += payoff
                rewards[node, SQUARES] += payoff * payoff
        for player in range(state.players):
            totals[player] += payoffs[player]


@rule
def descend(state: Any, nodes: Grid, rewards: Grid, control: Row, settings: Any, buffer: Any, silent: Any, payoffs: Any) -> int:
    """Descend to a new node or a solved position. Write the path to ``buffer[2]`` and return its length."""
    buffer[2, 0] = 0
    length = 1
    node = 0
    while state.actor >= 0 and length < MAX_DEPTH:
        count = legal(state, buffer[0])
        if node == 0 and control[ONLY] != NOTHING:
            buffer[0, 0] = control[ONLY]
            count = 1
        untried = mark_untried(state, nodes, node, count, control, buffer)
        widest = settings[1] * (nodes[node, VISITS] + 1) ** settings[2]
        new = untried > 0 and count - untried < max(widest, 1.0) and control[SIZE] < nodes.shape[0]
        if new:
            node = add_child(state, nodes, rewards, node, choose_untried(state, node, count, control, buffer), control)
        elif untried == count:
            break  # the tree is full
        else:
            node = best_child(state, nodes, rewards, node, settings[0], control[MARK], buffer)
        play(state, nodes[node, ACTION], silent)
        buffer[2, length] = node
        length += 1
        if new or solved_value(state, payoffs):
            break
    return length


@rule
def mark_untried(state: Any, nodes: Grid, node: int, count: int, control: Row, buffer: Any) -> int:
    """Mark every legal action in ``buffer[1]``: this iteration's mark if it has a node, one more if not.

    Returns the number of actions without a node.
    """
    control[MARK] += 2
    mark = control[MARK]
    for k in range(count):
        buffer[1, buffer[0, k]] = mark + 1
    untried = count
    child = nodes[node, CHILD]
    while child != NOTHING:
        action = nodes[child, ACTION]
        if nodes[child, ACTOR] == state.actor and buffer[1, action] == mark + 1:
            buffer[1, action] = mark
            untried -= 1
        child = nodes[child, SIBLING]
    return untried


@rule
def choose_untried(state: Any, node: int, count: int, control: Row, buffer: Any) -> int:
    """Choose an untried action by the game's guide; at the root the default action comes first, if there is one."""
    mark = control[MARK] + 1
    if node == 0 and control[DEFAULT_ACTION] != NOTHING and buffer[1, control[DEFAULT_ACTION]] == mark:
        return int(control[DEFAULT_ACTION])
    untried = 0
    for k in range(count):
        if buffer[1, buffer[0, k]] == mark:
            buffer[0, untried] = buffer[0, k]
            untried += 1
    return guide(state, buffer[0], untried, state.rng)


@rule
def add_child(state: Any, nodes: Grid, rewards: Any, node: int, action: int, control: Row) -> int:
    """Add a node for an action of the actor and return its index."""
    child = control[SIZE]
    control[SIZE] += 1
    nodes[child, CHILD] = NOTHING
    nodes[child, SIBLING] = nodes[node, CHILD]
    nodes[child, ACTION] = action
    nodes[child, ACTOR] = state.actor
    nodes[child, VISITS] = 0
    nodes[child, AVAILABLE] = 1
    rewards[child, SUM] = 0.0
    rewards[child, SQUARES] = 0.0
    nodes[node, CHILD] = child
    return child


@rule
def best_child(state: Any, nodes: Grid, rewards: Any, node: int, exploration: float, mark: int, buffer: Any) -> int:
    """Return the best legal child by UCB1 with availability counts. Legal actions that have nodes carry the mark."""
    best = NOTHING
    highest = -1.0
    child = nodes[node, CHILD]
    while child != NOTHING:
        if nodes[child, ACTOR] == state.actor and buffer[1, nodes[child, ACTION]] == mark:
            nodes[child, AVAILABLE] += 1
            visits = nodes[child, VISITS]
            value = rewards[child, SUM] / visits + exploration * sqrt(log(nodes[child, AVAILABLE]) / visits)
            if value > highest:
                highest = value
                best = child
        child = nodes[child, SIBLING]
    return best


@rule
def finish(state: Any, cutoff: int, out: Row, silent: Any, payoffs: Any) -> None:
    """Play a rollout to the end, or for ``cutoff`` decisions and then to a quiescent position. Write its payoffs."""
    while state.actor >= 0:
        if solved_value(state, payoffs):
            return
        if cutoff <= 0 and quiescent(state):
            evaluate(state, payoffs)
            return
        play(state, rollout(state, out, legal(state, out), state.rng), silent)
        cutoff -= 1
    score(state, payoffs)


@rule
def share(payoffs: Any, party: Row, players: int, smallest: float, span: float) -> None:
    """Turn payoffs into shares of a win, as ``Game.shares`` does."""
    together = True
    best = payoffs[0]
    for seat in range(players):
        together = together and party[seat] == 0
        best = max(best, payoffs[seat])
    if together:
        for seat in range(players):
            payoffs[seat] = (payoffs[seat] - smallest) / span
        return
    winning = 0
    for seat in range(players):
        winning += party[seat] == seat and payoffs[seat] == best
    for seat in range(players):
        payoffs[seat] = 1.0 / winning if payoffs[seat] == best else 0.0


@rule
def transplant(nodes: Grid, rewards: Grid, root: int, new_nodes: Grid, new_rewards: Grid) -> int:
    """Copy the subtree of ``root`` into an empty tree, breadth first, and return its size."""
    new_nodes[0, CHILD] = nodes[root, CHILD]
    new_nodes[0, VISITS] = nodes[root, VISITS]
    size = 1
    done = 0
    while done < size:
        child = new_nodes[done, CHILD]  # still an index of the old tree
        new_nodes[done, CHILD] = NOTHING
        while child != NOTHING:
            for column in range(ACTION, COLUMNS):
                new_nodes[size, column] = nodes[child, column]
            new_nodes[size, CHILD] = nodes[child, CHILD]
            new_nodes[size, SIBLING] = new_nodes[done, CHILD]
            new_nodes[done, CHILD] = size
            new_rewards[size, SUM] = rewards[child, SUM]
            new_rewards[size, SQUARES] = rewards[child, SQUARES]
            size += 1
            child = nodes[child, SIBLING]
        done += 1
    return size
