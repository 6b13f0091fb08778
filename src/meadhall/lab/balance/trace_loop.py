"""The compiled loop of the balance report: plays one match and writes down its decisions and events.

Like ``loops.py`` this file is the source of one module per game, see ``compiled.module_of``. The chance of a step is keyed as in
``Match``, so a match that was traced here can be replayed as a record.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from meadhall.engine.compile.rule import i64, rule
from meadhall.engine.report_terms import MOST_KINDS
from meadhall.engine.search_settings import uniform_random
from meadhall.engine.state.chance import below
from meadhall.engine.state.schema import Grid, Row, States, state_at

if TYPE_CHECKING:
    from meadhall.engine.compile.supplied import ACTIONS, conceal, greedy, legal, play, score, setup


GREEDY = 1

# The columns of decisions, and what comes before a row of the log in events.
SEAT, ACTION, LEGAL = range(3)
STEP = 0

OTHER = MOST_KINDS

# Results of a trace that had too little room.
TOO_FEW_STEPS = -1
TOO_FEW_EVENTS = -2


@rule
def trace(
    states: States,
    players: int,
    options: Any,
    policies: Row,
    avoided: Row,
    kinds: Row,
    script: Row,
    limit: int,
    keys: Any,
    rngs: Any,
    log: Any,
    decisions: Grid,
    offered: Row,
    events: Grid,
    snapshots: States,
    payoffs: Any,
) -> int:
    """Play a match to its end or the limit and return the number of decisions, ``TOO_FEW_STEPS`` or ``TOO_FEW_EVENTS``.

    Args:
        states: a buffer of three states: the match, the view of the seat to move, and a blank state.
        policies: a policy for each seat.
        avoided: for each seat the kinds of actions that it avoids wherever it has another action, as a mask of bits.
        kinds: the kind of each action, -1 for none.
        script: the actions to play instead of what the policies choose, unless it is empty.
        limit: the number of decisions after which the match is stopped.
        keys: the generator's words for each step, the setup first.
        rngs: the generator of each seat's bot.
        log: a buffer for the events of a step.
        decisions: the seat, the action and the number of legal actions of each decision.
        offered: the kinds of the legal actions of each decision, as a mask of bits.
        events: ``events[0, 0]`` becomes the number of events. From row 1 on each row has the number of decisions before the
            event, then a row of the log.
        snapshots: filled with the states before the first decisions, as many as there is room for.
        payoffs: filled with the payoffs, NaN if the match was stopped.
    """
    out = np.zeros(ACTIONS, np.int32)
    kept = np.zeros(ACTIONS, np.int32)
    states[0] = states[2]
    state = state_at(states, 0)
    state.rng[0] = keys[0, 0]
    state.rng[1] = keys[0, 1]
    state.players = players
    events[0, 0] = 0
    log[0, 0] = 0
    setup(state, players, options, log)
    if not note_events(log, events, 0):
        return TOO_FEW_EVENTS
    played = 0
    while state.actor >= 0 and played < limit:
        if played + 1 >= keys.shape[0]:
            return TOO_FEW_STEPS
        if played < snapshots.shape[0]:
            snapshots[played] = states[0]
        seat = state.actor
        states[1] = states[0]
        view = state_at(states, 1)
        conceal(view, seat)
        view.rng[0] = 0
        view.rng[1] = 0
        count = legal(view, out)
        decisions[played, SEAT] = seat
        decisions[played, LEGAL] = count
        offered[played] = mask_of(out, count, kinds)
        if len(script) > 0:
            action = i64(script[played])
        else:
            action = choose_among(policies[seat], avoided[seat], view, out, count, kept, kinds, rngs[seat])
        decisions[played, ACTION] = action
        played += 1
        state.rng[0] = keys[played, 0]
        state.rng[1] = keys[played, 1]
        log[0, 0] = 0
        play(state, action, log)
        if not note_events(log, events, played):
            return TOO_FEW_EVENTS
    if state.actor < 0:
        score(state, payoffs)
    else:
        payoffs[:] = np.nan
    return played


@rule
def mask_of(out: Row, count: int, kinds: Row) -> int:
    """Return the kinds of the first ``count`` actions, as a mask of bits. ``OTHER`` is the bit of actions of no kind."""
    mask = i64(0)
    for k in range(count):
        kind = i64(kinds[out[k]])
        mask |= i64(1) << (kind if kind >= 0 else OTHER)
    return mask


@rule
def choose_among(policy: int, avoided: int, view: Any, out: Row, count: int, kept: Row, kinds: Row, rng: Any) -> int:
    """Return the policy's choice among the legal actions; if it must be avoided, its choice among those that needn't.

    So a bot that would avoid these kinds anyway plays the same match.
    """
    action = choice_of(policy, view, out, count, rng)
    if not is_avoided(avoided, action, kinds):
        return action
    left = 0
    for k in range(count):
        if not is_avoided(avoided, out[k], kinds):
            kept[left] = out[k]
            left += 1
    if left == 0:
        return action
    action = choice_of(policy, view, kept, left, rng)
    for k in range(left):
        if kept[k] == action:
            return action
    return i64(kept[below(rng, left)])


@rule
def is_avoided(avoided: int, action: int, kinds: Row) -> bool:
    """Return whether an action is of an avoided kind."""
    kind = i64(kinds[action])
    return bool(kind >= 0 and (avoided >> kind) & 1 == 1)


@rule
def choice_of(policy: int, view: Any, legal_actions: Row, count: int, rng: Any) -> int:
    if policy == GREEDY:
        return i64(greedy(view, legal_actions, count, rng))
    return i64(uniform_random(view, legal_actions, count, rng))


@rule
def choose_one(policy: int, avoided: int, states: States, out: Row, kept: Row, kinds: Row, rng: Any) -> int:
    """Return the choice of a policy in ``states[0]``, which is concealed for its actor, see ``choose_among``."""
    view = state_at(states, 0)
    return choose_among(policy, avoided, view, out, legal(view, out), kept, kinds, rng)


@rule
def note_events(log: Any, events: Grid, step: int) -> bool:
    """Add the events of a log to ``events``. Return whether there was room for them in both."""
    count = i64(log[0, 0])
    first = i64(events[0, 0])
    if count >= log.shape[0] or first + count >= events.shape[0]:
        return False
    for k in range(1, count + 1):
        events[first + k, STEP] = step
        for column in range(log.shape[1]):
            events[first + k, STEP + 1 + column] = log[k, column]
    events[0, 0] = first + count
    return True
