"""Compiled code around a game's rules: the interface to plain Python, and loops over many states.

This file is the source of one module per game: ``compiled.module_of`` loads it with the game's ``setup``, ``legal``, ``play``,
``conceal``, ``redeal``, ``score`` and ``greedy`` as its globals. So rules are called directly and inlined, and the machine code
is cached on disk.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from meadhall.engine.compile.rule import i64, rule
from meadhall.engine.search_settings import uniform_random
from meadhall.engine.state.chance import below, key_from_counter
from meadhall.engine.state.events import NO_LOG_SHAPE, WIDTH, argument_at, arguments_at, event_count, kind_at
from meadhall.engine.state.schema import Grid, Row, States, state_at

if TYPE_CHECKING:
    from meadhall.engine.compile.supplied import (
        ACTIONS,
        FIRST_ORDER,
        LOGGED,
        SIMULTANEOUS,
        conceal,
        deciders,
        greedy,
        legal,
        play,
        redeal,
        score,
        setup,
        tally,
    )


# The policies of compiled loops.
RANDOM = 0
GREEDY = 1

LOG_SHAPE = (1 + 64, WIDTH)
"""The initial shape of the log for counting; it grows when needed."""

# Outcomes of an action in ``step``.
PLAYED = 0
ILLEGAL = 1
OVER = 2


# ---------------------------------------------------------------------------------------------- the interface to plain Python


@rule
def set_up_one(states: States, players: int, options: Any, log: Any) -> None:
    """Set up ``states[0]``, which is blank except for its generator."""
    state = state_at(states, 0)
    set_up(state, players, options, log)


@rule
def legal_one(states: States, out: Any) -> int:
    """Write the legal actions of ``states[0]`` to ``out`` in ascending order and return their number."""
    return legal(state_at(states, 0), out)


@rule
def play_one(states: States, action: int, log: Any) -> None:
    """Play a legal action of the actor on ``states[0]``."""
    play(state_at(states, 0), action, log)


@rule
def deciders_one(states: States) -> int:
    """Return a bit mask of the seats that have still to choose in ``states[0]``."""
    return deciders(state_at(states, 0))


@rule
def conceal_one(states: States, seat: int) -> None:
    """Blank the generator and everything ``seat`` may not know in ``states[0]``.

    A seat that has still to choose becomes the actor: to it, it is the seat to move.
    """
    state = state_at(states, 0)
    if SIMULTANEOUS and seat >= 0 and (deciders(state) >> seat) & 1 == 1:
        state.actor = seat
    conceal(state, seat)
    state.rng[0] = 0
    state.rng[1] = 0


@rule
def redeal_one(states: States, seat: int) -> None:
    """Fill the blanks of ``states[0]``, which is concealed for ``seat``, from its generator (determinization)."""
    redeal(state_at(states, 0), seat)


@rule
def score_one(states: States, out: Any) -> None:
    """Write each seat's payoff in ``states[0]``, which is over, to ``out``."""
    score(state_at(states, 0), out)


@rule
def follow_one(policy: int, states: States, out: Any, rng: Any) -> int:
    """Return the action of a policy in ``states[0]``, which is concealed for its actor. ``out`` is a buffer for legal actions."""
    state = state_at(states, 0)
    return choose(policy, state, out, legal(state, out), rng)


# --------------------------------------------------------------------------------------------------------------- helpers


@rule
def set_up(state: Any, players: int, options: Any, log: Any) -> None:
    state.players = players
    setup(state, players, options, log)


@rule
def choose(policy: int, state: Any, options: Any, count: int, rng: Any) -> int:
    if policy == GREEDY:
        return greedy(state, options, count, rng)
    return uniform_random(state, options, count, rng)


@rule
def is_legal(state: Any, action: int, out: Any) -> bool:
    for i in range(legal(state, out)):
        if out[i] == action:
            return True
    return False


# --------------------------------------------------------------------------------------------------- loops over many states


@rule
def playouts(states: States, players: int, options: Any, seed: int, first: int, count: int, payoffs: Any) -> int:
    """Play games ``first`` to ``first + count - 1`` of a bulk run to their ends at random.

    Adds each seat's payoffs to ``payoffs`` and returns the number of decisions.
    """
    out = np.zeros(ACTIONS, np.int32)
    log = np.zeros(NO_LOG_SHAPE, np.int32)
    result = np.zeros(players, np.float64)
    decisions = 0
    for game in range(first, first + count):
        states[0] = states[1]
        state = state_at(states, 0)
        key_from_counter(state.rng, seed, game)
        set_up(state, players, options, log)
        decisions += finish_at_random(state, out, log)
        score(state, result)
        for seat in range(players):
            payoffs[seat] += result[seat]
    return decisions


@rule
def finish_at_random(state: Any, out: Any, log: Any) -> int:
    decisions = 0
    while state.actor >= 0:
        play(state, i64(out[below(state.rng, legal(state, out))]), log)
        decisions += 1
    return decisions


@rule
def tournament(
    states: States,
    players: int,
    options: Any,
    policies: Any,
    seed: int,
    first: int,
    count: int,
    limit: int,
    payoffs: Any,
    lengths: Any,
    counts: Any,
    orders: Any,
) -> None:
    """Play games of a bulk run with a policy for each seat. A policy is given only the concealed state.

    In game g seat k is played by ``policies[(k + g) % players]``. Game ``first + i`` writes its payoffs to ``payoffs[i]``, its
    number of decisions to ``lengths[i]``, its counters to ``counts[i]`` and the seats in the order of their first turns to
    ``orders[i]``, as far as the game names them; -1 for the others. The payoffs are NaN if it was stopped after ``limit``
    decisions. ``states`` is a buffer of four states: the game, the view, a blank state, and the state before a step.
    """
    out = np.zeros(ACTIONS, np.int32)
    log = np.zeros(LOG_SHAPE if LOGGED else NO_LOG_SHAPE, np.int32)
    rng = np.zeros(2, np.uint64)
    for i in range(count):
        game = first + i
        states[0] = states[2]
        state = state_at(states, 0)
        key_from_counter(state.rng, seed, 2 * game)
        key_from_counter(rng, seed, 2 * game + 1)
        orders[i, :] = -1
        log = set_up_and_tally(states, players, options, log, counts[i], orders[i])
        decisions = 0
        beginner = max(state.actor, 0)
        while state.actor >= 0 and decisions < limit:
            policy = policies[(state.actor + game) % players]
            states[1] = states[0]
            view = state_at(states, 1)
            conceal(view, state.actor)
            view.rng[0] = 0
            view.rng[1] = 0
            log = play_and_tally(states, choose(policy, view, out, legal(view, out), rng), log, counts[i], orders[i])
            decisions += 1
        if orders[i, 0] < 0:
            orders[i, 0] = beginner
        if state.actor < 0:
            score(state, payoffs[i])
        else:
            payoffs[i, :] = np.nan
        lengths[i] = decisions


@rule
def set_up_and_tally(states: States, players: int, options: Any, log: Any, counts: Row, order: Row) -> Any:
    """Set up ``states[0]`` and count its events. Returns the log, or a longer one if it was too short."""
    state = state_at(states, 0)
    states[3] = states[0]
    set_up(state, players, options, log)
    while is_overfull(log):
        log = longer(log)
        states[0] = states[3]
        set_up(state, players, options, log)
    count_up(log, counts, order)
    return log


@rule
def play_and_tally(states: States, action: int, log: Any, counts: Row, order: Row) -> Any:
    """Play an action on ``states[0]`` and count its events. Returns the log, or a longer one if it was too short."""
    state = state_at(states, 0)
    if LOGGED:
        states[3] = states[0]
    play(state, action, log)
    while is_overfull(log):
        log = longer(log)
        states[0] = states[3]
        play_one(states, action, log)
    count_up(log, counts, order)
    return log


@rule
def is_overfull(log: Any) -> bool:
    """Return whether there were more events than the log has room for."""
    return bool(log.shape[0] > 0 and log[0, 0] >= log.shape[0])


@rule
def longer(log: Any) -> Any:
    """Return a log with room for all events of an overfull one."""
    return np.zeros((log[0, 0] + 1, log.shape[1]), np.int32)


@rule
def count_up(log: Any, counts: Row, order: Row) -> None:
    """Count the events of a log, note the first order if one names it, and empty the log."""
    if LOGGED:
        tally(log, counts)
        for k in range(1, event_count(log) + 1):
            if kind_at(log, k) == FIRST_ORDER and order[0] < 0:
                for place in range(arguments_at(log, k)):
                    order[place] = argument_at(log, k, place)
        log[0, 0] = 0


@rule
def set_up_many(states: States, players: int, options: Any, seed: int, first: int) -> None:
    """Set up every blank state of ``states`` as game ``first``, ``first + 1`` … of a bulk run."""
    log = np.zeros(NO_LOG_SHAPE, np.int32)
    for i in range(states.shape[0]):
        state = state_at(states, i)
        key_from_counter(state.rng, seed, first + i)
        set_up(state, players, options, log)


@rule
def step(states: States, actions: Row, outcome: Any) -> None:
    """Play ``actions[i]`` on ``states[i]`` for all i. ``outcome[i]`` is PLAYED, or ILLEGAL or OVER where nothing changed."""
    out = np.empty(ACTIONS, np.int32)
    log = np.zeros(NO_LOG_SHAPE, np.int32)
    for i in range(states.shape[0]):
        state = state_at(states, i)
        if state.actor < 0:
            outcome[i] = OVER
        elif not is_legal(state, actions[i], out):
            outcome[i] = ILLEGAL
        else:
            play(state, actions[i], log)
            outcome[i] = PLAYED


@rule
def legal_masks(states: States, masks: Grid) -> None:
    """Set ``masks[i, a]`` to whether action a is legal in ``states[i]``; all False where the game is over."""
    out = np.empty(ACTIONS, np.int32)
    for i in range(states.shape[0]):
        masks[i, :] = False
        state = state_at(states, i)
        if state.actor >= 0:
            for k in range(legal(state, out)):
                masks[i, out[k]] = True


@rule
def legal_masks_of(states: States, seat: int, masks: Grid) -> None:
    """Set ``masks[i, a]`` to whether ``seat`` may choose action a in ``states[i]``; all False where it has nothing to choose."""
    out = np.empty(ACTIONS, np.int32)
    for i in range(states.shape[0]):
        masks[i, :] = False
        state = state_at(states, i)
        actor = state.actor
        if actor >= 0 and (deciders(state) >> seat) & 1 == 1:
            state.actor = seat
            for k in range(legal(state, out)):
                masks[i, out[k]] = True
            state.actor = actor


@rule
def decider_masks(states: States, masks: Grid) -> None:
    """Set ``masks[i, k]`` to whether seat k has still to choose in ``states[i]``."""
    for i in range(states.shape[0]):
        state = state_at(states, i)
        pending = deciders(state) if state.actor >= 0 else 0
        for seat in range(masks.shape[1]):
            masks[i, seat] = (pending >> seat) & 1 == 1


@rule
def scores(states: States, payoffs: Any) -> None:
    """Set ``payoffs[i, k]`` to seat k's payoff in ``states[i]``; 0 where the game is not over."""
    for i in range(states.shape[0]):
        state = state_at(states, i)
        payoffs[i, :] = 0.0
        if state.actor < 0:
            score(state, payoffs[i])
