"""Steps of many matches of one game for a learner, compiled for each game: one pass plays, resets, conceals and observes.

For each match the pass plays the learner's action and those of the bots that follow, until the learner is asked again or the
match is over. Then it writes the rewards, sets up the next match if it should, and writes the concealed state of the seat that is
asked and the mask of its legal actions.

Like ``loops.py`` this file is the source of one module per game, see ``compiled.module_of``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from meadhall.engine.chance import below, key_from_counter
from meadhall.engine.rule import rule
from meadhall.engine.schema import Grid, Row, States, state_at

if TYPE_CHECKING:
    # Supplied by compiled.module_of and by the environment.
    def setup(state: Any, players: int, options: Any, log: Any) -> None: ...
    def legal(state: Any, out: Any) -> int: ...
    def play(state: Any, action: int, log: Any) -> None: ...
    def conceal(state: Any, seat: int) -> None: ...
    def score(state: Any, out: Any) -> None: ...
    def greedy(state: Any, legal: Any, count: int, rng: Any) -> int: ...
    def policy(state: Any, legal: Any, count: int, rng: Any) -> int: ...


# The policies of bots; POLICY is a rule that the environment supplies.
RANDOM, GREEDY, POLICY = range(3)

# The columns of a match's desk: the number of its next match, the keys of the chance of matches and of bots, the learner's seat
# (EVERY_SEAT: the learner plays all), the viewer of the observation, the decisions of the learner so far, the number of legal
# actions that are marked in the mask (WHOLE: all actions are), and whether the match has ended and waits for a reset.
NUMBER, KEY, BOT_KEY, SEAT, VIEWER, LENGTH, MARKED, ENDED = range(8)
COLUMNS = 8
WHOLE = -1

# The settings of a run: the learner's seat, the difference between the numbers of two matches on the same desk, the largest
# number of the learner's decisions in a match (0: no limit), and when a match that has ended is reset.
LEARNER, STRIDE, LIMIT, AUTORESET = range(4)
EVERY_SEAT, ROTATING = -1, -2
DISABLED, NEXT_STEP, SAME_STEP = range(3)

# The rows of flags.
TERMINATED, TRUNCATED, ILLEGAL = range(3)

PATIENCE = 100_000
"""The largest number of decisions of bots between two of the learner. Then the match is truncated."""
VIEWER_AT = 19
"""The byte of an observation that holds the viewer. In a state it belongs to ``reveals``, which no observation contains."""

VIEW, BLANK = range(2)
"""The two states of the scratch memory: what a bot sees, and a blank state."""


@rule
def begin(
    states: States,
    i: int,
    scratch: States,
    listed: Grid,
    desk: Grid,
    rng: Grid,
    policies: Row,
    players: int,
    options: Any,
    log: Any,
    settings: Row,
) -> None:
    """Set up the next match of desk i, up to the first decision of the learner, or to its end if there is none."""
    number = desk[i, NUMBER]
    desk[i, NUMBER] = number + settings[STRIDE]
    desk[i, LENGTH] = 0
    desk[i, ENDED] = 0
    desk[i, SEAT] = number % players if settings[LEARNER] == ROTATING else settings[LEARNER]
    states[i] = scratch[BLANK]
    state = state_at(states, i)
    key_from_counter(state.rng, desk[i, KEY], number)
    key_from_counter(rng[i], desk[i, BOT_KEY], number)
    state.players = players
    setup(state, players, options, log)
    play_bots(states, i, scratch, listed, desk, rng, policies, log)
    desk[i, VIEWER] = viewer_of(states, i, desk)


@rule
def play_bots(states: States, i: int, scratch: States, listed: Grid, desk: Grid, rng: Grid, policies: Row, log: Any) -> None:
    """Play for the bots until the learner is asked, the match is over, or they have no patience left."""
    seat = desk[i, SEAT]
    if seat == EVERY_SEAT:
        return
    state = state_at(states, i)
    for _ in range(PATIENCE):
        if state.actor < 0 or state.actor == seat:
            return
        chosen = policies[(state.actor - seat) % state.players]
        play(state, bot_action(chosen, states, i, scratch, listed[i], rng[i]), log)


@rule
def bot_action(chosen: int, states: States, i: int, scratch: States, out: Row, rng: Row) -> int:
    """Return the action of a policy, which is given the concealed state. ``out`` is a buffer for legal actions."""
    if chosen == RANDOM:
        return int(out[below(rng, legal(state_at(states, i), out))])
    scratch[VIEW] = states[i]
    view = state_at(scratch, VIEW)
    conceal(view, view.actor)
    view.rng[0] = 0
    view.rng[1] = 0
    count = legal(view, out)
    if chosen == GREEDY:
        return greedy(view, out, count, rng)
    return policy(view, out, count, rng)


@rule
def observe(states: States, i: int, viewer: int, views: States, raw: Grid) -> None:
    """Write the concealed state of match i for ``viewer`` to ``views[i]``, whose bytes are ``raw[i]``."""
    views[i] = states[i]
    view = state_at(views, i)
    conceal(view, viewer)
    view.rng[0] = 0
    view.rng[1] = 0
    view.reveals = 0
    raw[i, VIEWER_AT] = viewer


@rule
def unmark(i: int, listed: Grid, desk: Grid, masks: Grid) -> None:
    """Clear the mask of match i."""
    if desk[i, MARKED] == WHOLE:
        masks[i, :] = 0
    else:
        for k in range(desk[i, MARKED]):
            masks[i, listed[i, k]] = 0
    desk[i, MARKED] = 0


@rule
def mark(states: States, i: int, listed: Grid, desk: Grid, masks: Grid, settings: Row) -> None:
    """Mark the legal actions of match i in its cleared mask. Where the next action is ignored, every action is allowed."""
    if desk[i, ENDED] and settings[AUTORESET] == DISABLED:
        return
    if desk[i, ENDED] or not is_asked(states, i, desk):
        masks[i, :] = 1
        desk[i, MARKED] = WHOLE
        return
    count = legal(state_at(states, i), listed[i])
    for k in range(count):
        masks[i, listed[i, k]] = 1
    desk[i, MARKED] = count


@rule
def is_listed(i: int, action: int, listed: Grid, desk: Grid) -> bool:
    """Return whether an action of match i is legal."""
    for k in range(desk[i, MARKED]):
        if listed[i, k] == action:
            return True
    return False


@rule
def is_asked(states: States, i: int, desk: Grid) -> bool:
    """Return whether the learner is asked. It isn't in a match that was over before its first decision."""
    return bool(state_at(states, i).actor == desk[i, VIEWER] and desk[i, VIEWER] >= 0)


@rule
def first_illegal(states: States, listed: Grid, desk: Grid, actions: Row) -> int:
    """Return the first match whose action is illegal, -1 if there is none."""
    for i in range(len(actions)):
        if not desk[i, ENDED] and is_asked(states, i, desk) and not is_listed(i, actions[i], listed, desk):
            return i
    return -1


@rule
def start(
    scratch: States,
    first: int,
    last: int,
    states: States,
    views: States,
    raw: Grid,
    listed: Grid,
    masks: Grid,
    desk: Grid,
    rng: Grid,
    policies: Row,
    players: int,
    options: Any,
    log: Any,
    settings: Row,
    chosen: Any,
) -> None:
    """Reset the chosen ones of the matches ``first`` to ``last - 1`` and observe all of these."""
    for i in range(first, last):
        if chosen[i]:
            unmark(i, listed, desk, masks)
            begin(states, i, scratch, listed, desk, rng, policies, players, options, log, settings)
            observe(states, i, desk[i, VIEWER], views, raw)
            mark(states, i, listed, desk, masks, settings)


@rule
def viewer_of(states: States, i: int, desk: Grid) -> int:
    """Return the seat that is asked: the learner's, or the seat to move."""
    return int(state_at(states, i).actor if desk[i, SEAT] == EVERY_SEAT else desk[i, SEAT])


@rule
def advance(
    scratch: States,
    first: int,
    last: int,
    states: States,
    views: States,
    raw: Grid,
    listed: Grid,
    masks: Grid,
    desk: Grid,
    rng: Grid,
    policies: Row,
    players: int,
    options: Any,
    log: Any,
    settings: Row,
    finals: States,
    raw_finals: Grid,
    actions: Row,
    lowest: float,
    rewards: Any,
    payoffs: Any,
    flags: Any,
) -> None:
    """Step the matches ``first`` to ``last - 1``.

    Writes to ``rewards[i]`` the reward of the seat that acted, to ``payoffs[i]`` those of all seats, to ``flags[:, i]`` whether
    the match was terminated or truncated and whether the action was illegal, and to ``finals[i]`` the last observation of a match
    that was reset in the same step.
    """
    for i in range(first, last):
        rewards[i] = 0.0
        payoffs[i, :] = 0.0
        flags[ILLEGAL, i] = False
        if desk[i, ENDED] and settings[AUTORESET] == DISABLED:
            continue
        flags[TERMINATED, i] = False
        flags[TRUNCATED, i] = False
        if desk[i, ENDED]:
            unmark(i, listed, desk, masks)
            begin(states, i, scratch, listed, desk, rng, policies, players, options, log, settings)
        else:
            seat = desk[i, VIEWER]
            state = state_at(states, i)
            flags[ILLEGAL, i] = is_asked(states, i, desk) and not is_listed(i, actions[i], listed, desk)
            unmark(i, listed, desk, masks)
            if flags[ILLEGAL, i]:
                rewards[i] = lowest
                payoffs[i, seat] = lowest
                flags[TERMINATED, i] = True
            else:
                if is_asked(states, i, desk):
                    play(state, int(actions[i]), log)
                    desk[i, LENGTH] += 1
                    play_bots(states, i, scratch, listed, desk, rng, policies, log)
                    desk[i, VIEWER] = viewer_of(states, i, desk)
                if state.actor < 0:
                    score(state, payoffs[i])
                    rewards[i] = payoffs[i, seat]
                    flags[TERMINATED, i] = True
                elif not is_asked(states, i, desk) or desk[i, LENGTH] == settings[LIMIT]:
                    flags[TRUNCATED, i] = True
            if flags[TERMINATED, i] or flags[TRUNCATED, i]:
                desk[i, VIEWER] = seat
                if settings[AUTORESET] == SAME_STEP:
                    observe(states, i, seat, finals, raw_finals)
                    begin(states, i, scratch, listed, desk, rng, policies, players, options, log, settings)
                else:
                    desk[i, ENDED] = 1
        observe(states, i, desk[i, VIEWER], views, raw)
        mark(states, i, listed, desk, masks, settings)
