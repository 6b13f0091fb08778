"""Information-set Monte Carlo tree search, compiled for each game: one tree, and the loop that grows it.

Each iteration deals anew what the searching seat can't see, walks down the tree along what has done well for whoever decides,
adds one node, plays on quickly and reports the result to all nodes on the way. Nodes are sequences of decisions: dice and draws
are not nodes but come anew with each iteration (open loop), so an action is only sometimes available and is judged by how often
it was. Rewards are kept for the seat that decides (max^n).

Cowling, Powley, Whitehouse: Information Set Monte Carlo Tree Search (2012), single observer; Perez Liebana et al.: Open Loop
Search for General Video Game Playing (2015); Sturtevant: An Analysis of UCT in Multi-Player Games (2008); progressive widening:
Coulom (2007).

Like ``loops.py`` this file is the source of one module for each game, see ``kernels.module_of``.
"""

from __future__ import annotations

from math import log, sqrt
from typing import TYPE_CHECKING, Any

from meadhall.engine.chance import key_from_counter
from meadhall.engine.rule import rule
from meadhall.engine.schema import Grid, Row, States, state_at

if TYPE_CHECKING:
    # What kernels.module_of puts here.
    def legal(state: Any, out: Any) -> int: ...
    def play(state: Any, action: int, log: Any) -> None: ...
    def redeal(state: Any, seat: int) -> None: ...
    def score(state: Any, out: Any) -> None: ...
    def rollout(state: Any, legal: Any, count: int, rng: Any) -> int: ...
    def guide(state: Any, legal: Any, count: int, rng: Any) -> int: ...
    def evaluate(state: Any, out: Any) -> None: ...
    def quiescent(state: Any) -> bool: ...
    def solved_value(state: Any, out: Any) -> bool: ...


# The columns of a node. Its children are a list: the first, and the next of each.
CHILD, SIBLING, ACTION, ACTOR, VISITS, AVAILABLE = range(6)
COLUMNS = 6
NOTHING = -1

# How a tree stands: its size, how many iterations it has seen, the mark last used; what to try first at the root, and what alone.
SIZE, ITERATIONS, MARK, DEFAULT_ACTION, ONLY = range(5)
STANDING = 5

# The columns of rewards.
SUM, SQUARES = range(2)

SPECTATOR = -1

LONGEST = 400
"""Nodes that an iteration walks through at most."""


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
    room: Any,
    silent: Any,
    payoffs: Any,
    totals: Any,
) -> None:
    """Grow a tree by so many iterations.

    Args:
        tables: room for one state, and the state to be searched, concealed for ``seat``.
        seat: who looks; -1: everybody, -2: somebody who knows everything, and for whom nothing is dealt anew.
        nodes, rewards: the tree; node 0 is the root. ``rewards[k]``: the ``SUM`` of what node k brought to its ``ACTOR``, and
            the sum of its ``SQUARES``.
        control: int64 (``STANDING``,), how the tree stands: ``SIZE``, ``ITERATIONS``, ``MARK``, ``HABIT`` and ``ONLY``.
        seed: keys the chance of iteration i together with i.
        settings: exploration, the two numbers of widening, the depth of rollouts.
        room: int64 (3, most actions): the legal actions, marks, and the path.
        silent: a log of length zero.
        shares: room for the seats' shares.
        totals: gains the shares of every iteration.
    """
    for _ in range(iterations):
        states[0] = states[1]
        state = state_at(states, 0)
        key_from_counter(state.rng, seed, control[ITERATIONS])
        if seat >= SPECTATOR:
            redeal(state, seat)
        length = descend(state, nodes, rewards, control, settings, room, silent, payoffs)
        finish(state, int(settings[3]), room[0], silent, payoffs)
        control[ITERATIONS] += 1
        for k in range(length):
            node = room[2, k]
            nodes[node, VISITS] += 1
            if node > 0:
                payoff = payoffs[nodes[node, ACTOR]]
                rewards[node, SUM] += payoff
                rewards[node, SQUARES] += payoff * payoff
        for player in range(state.players):
            totals[player] += payoffs[player]


@rule
def descend(state: Any, nodes: Grid, rewards: Grid, control: Row, settings: Any, room: Any, silent: Any, payoffs: Any) -> int:
    """Walk down to a new node, or to where it is settled. The path is ``room[2]``; how long it is."""
    room[2, 0] = 0
    length = 1
    node = 0
    while state.actor >= 0 and length < LONGEST:
        count = legal(state, room[0])
        if node == 0 and control[ONLY] != NOTHING:
            room[0, 0] = control[ONLY]
            count = 1
        untried = mark_untried(state, nodes, node, count, control, room)
        widest = settings[1] * (nodes[node, VISITS] + 1) ** settings[2]
        new = untried > 0 and count - untried < max(widest, 1.0) and control[SIZE] < nodes.shape[0]
        if new:
            node = add_child(state, nodes, rewards, node, choose_untried(state, node, count, control, room), control)
        elif untried == count:
            break  # the tree is full
        else:
            node = best_child(state, nodes, rewards, node, settings[0], control[MARK], room)
        play(state, nodes[node, ACTION], silent)
        room[2, length] = node
        length += 1
        if new or solved_value(state, payoffs):
            break
    return length


@rule
def mark_untried(state: Any, nodes: Grid, node: int, count: int, control: Row, room: Any) -> int:
    """Mark every legal action in ``room[1]``: with this walk's mark if it has a node, one more if not. How many have none."""
    control[MARK] += 2
    mark = control[MARK]
    for k in range(count):
        room[1, room[0, k]] = mark + 1
    untried = count
    child = nodes[node, CHILD]
    while child != NOTHING:
        action = nodes[child, ACTION]
        if nodes[child, ACTOR] == state.actor and room[1, action] == mark + 1:
            room[1, action] = mark
            untried -= 1
        child = nodes[child, SIBLING]
    return untried


@rule
def choose_untried(state: Any, node: int, count: int, control: Row, room: Any) -> int:
    """What the guide would do if it could only do what is untried; at the root first the habit, if there is one."""
    mark = control[MARK] + 1
    if node == 0 and control[DEFAULT_ACTION] != NOTHING and room[1, control[DEFAULT_ACTION]] == mark:
        return int(control[DEFAULT_ACTION])
    untried = 0
    for k in range(count):
        if room[1, room[0, k]] == mark:
            room[0, untried] = room[0, k]
            untried += 1
    return guide(state, room[0], untried, state.rng)


@rule
def add_child(state: Any, nodes: Grid, rewards: Any, node: int, action: int, control: Row) -> int:
    """A new node for what the actor does; its number."""
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
def best_child(state: Any, nodes: Grid, rewards: Any, node: int, exploration: float, mark: int, room: Any) -> int:
    """UCB1 with counts of availability, among the legal actions that have nodes, which bear the mark."""
    best = NOTHING
    highest = -1.0
    child = nodes[node, CHILD]
    while child != NOTHING:
        if nodes[child, ACTOR] == state.actor and room[1, nodes[child, ACTION]] == mark:
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
    """Play on by the quick policy, to the end or for so many decisions and to a quiet position; what it is worth to whom into
    ``shares``.
    """
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
def transplant(nodes: Grid, rewards: Grid, root: int, new_nodes: Grid, new_rewards: Grid) -> int:
    """Copy what grows from ``root`` into an empty tree, breadth first; its size."""
    new_nodes[0, CHILD] = nodes[root, CHILD]
    new_nodes[0, VISITS] = nodes[root, VISITS]
    size = 1
    done = 0
    while done < size:
        child = new_nodes[done, CHILD]  # in the old tree, until now
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
