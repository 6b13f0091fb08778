"""Steps of many matches of one game for a learner, compiled for each game: one pass plays, resets, conceals and observes.

For each match the pass plays the learner's action and those of the bots that follow, until the learner is asked again or the
match is over. Then it writes the rewards, sets up the next match if it should, and writes the concealed state of the seat that is
asked and the mask of its legal actions.

Everything about a match lies side by side in one record, its desk (``desk_type``), because a pass touches all of it. What the
desks have in common are the terms (``terms_type``). What the learner is told is copied from the desks into arrays of its own, the
outputs, while the desks are in the cache (``tell``).

Like ``loops.py`` this file is the source of one module per game, see ``compiled.module_of``.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from meadhall.engine.compile.rule import i64, rule
from meadhall.engine.state.chance import below, key_from_counter
from meadhall.engine.state.events import NO_LOG_SHAPE
from meadhall.engine.state.schema import Row, state_at

if TYPE_CHECKING:
    from meadhall.engine.compile.supplied import conceal, greedy, legal, play, score, setup

    # Supplied by desks.stepping_of.
    TABLE: Any = None
    RUNS: Any = None
    VIEW_AT = FINAL_AT = MASK_AT = TOLD_AT = 0
    BOTS = GREEDY_BOTS = OWN_BOTS = True

    def policy(state: Any, legal: Any, count: int, rng: Any) -> int: ...


# The policies of bots; POLICY is a rule that the environment supplies.
RANDOM, GREEDY, POLICY = range(3)

EVERY_SEAT, ROTATING = -1, -2
"""The learner plays every seat, or another one in each match."""

DISABLED, NEXT_STEP, SAME_STEP = range(3)
"""When a match that has ended is reset."""

WHOLE = -1
"""The number of marked actions of a mask in which all actions are marked."""

PATIENCE = 100_000
"""The largest number of decisions of bots between two of the learner. Then the match is truncated."""

VIEWER_AT = 19
"""The byte of an observation that holds the viewer: the highest one of ``reveals``, which no observation contains."""

VIEWER_SHIFT = 24

BLOCK = 32
"""The number of matches that are stepped before their outputs are copied: as many desks as a core's cache holds."""


def told_fields(players: int) -> list[Any]:
    """Return the fields of what the learner is told of a step, beside observation and mask."""
    return [
        ("reward", np.float64),  # of the seat that acted
        ("payoffs", np.float64, (players,)),  # of all seats in this step
        ("viewer", np.int8),  # the seat that is asked
        ("terminated", np.bool_),
        ("truncated", np.bool_),
        ("illegal", np.bool_),
    ]


@cache
def desk_type(state: np.dtype[np.void], actions: int, players: int) -> np.dtype[np.void]:
    """Return the type of a desk: a match, and what the learner is told of it."""
    return np.dtype(
        [
            ("state", state),
            ("view", state),  # concealed for the viewer
            ("final", state),  # the last view of a match that was reset in the same step
            ("rng", np.uint64, (2,)),  # the generator of the bots
            ("number", np.int64),  # of the next match
            ("key", np.int64),  # of the chance of matches
            ("bot_key", np.int64),
            *told_fields(players),
            ("ended", np.bool_),  # whether the match waits for a reset
            ("seat", np.int8),  # the learner's, or EVERY_SEAT
            ("length", np.int64),  # the learner's decisions
            ("marked", np.int32),  # the number of actions that are marked in the mask
            ("mask", np.int8, (actions,)),
            ("listed", np.int32, (actions,)),  # the actions that are marked
        ],
        align=True,
    )


@cache
def terms_type(state: np.dtype[np.void], players: int, codes: int) -> np.dtype[np.void]:
    """Return the type of the terms."""
    return np.dtype(
        [
            ("blank", state),
            ("options", np.int64, (max(1, codes),)),
            ("policies", np.int64, (players,)),  # clockwise from the learner
            ("players", np.int64),
            ("learner", np.int64),  # a seat, EVERY_SEAT or ROTATING
            ("stride", np.int64),  # the difference between the numbers of two matches at the same desk
            ("limit", np.int64),  # the largest number of the learner's decisions in a match; 0: no limit
            ("autoreset", np.int64),
            ("lowest", np.float64),  # the payoff for an illegal action
        ],
        align=True,
    )


@rule
def begin(desk: Any, state: Any, view: Any, terms: Any, log: Any) -> None:
    """Set up the next match, up to the first decision of the learner, or to its end if there is none."""
    number = desk["number"]
    desk["number"] = number + terms["stride"]
    desk["length"] = 0
    desk["ended"] = False
    desk["seat"] = number % terms["players"] if terms["learner"] == ROTATING else terms["learner"]
    desk["state"] = terms["blank"]
    key_from_counter(state.rng, desk["key"], number)
    state.players = terms["players"]
    setup(state, terms["players"], terms["options"], log)
    if BOTS:
        key_from_counter(desk["rng"], desk["bot_key"], number)
        play_bots(desk, state, view, terms, log)
    desk["viewer"] = viewer_of(desk, state)


@rule
def play_bots(desk: Any, state: Any, view: Any, terms: Any, log: Any) -> None:
    """Play for the bots until the learner is asked, the match is over, or they have no patience left."""
    seat = i64(desk["seat"])
    for _ in range(PATIENCE):
        if state.actor < 0 or state.actor == seat:
            return
        chosen = terms["policies"][(state.actor - seat) % terms["players"]]
        play(state, bot_action(chosen, desk, state, view), log)


@rule
def bot_action(chosen: int, desk: Any, state: Any, view: Any) -> int:
    """Return the action of a policy, which is given the concealed state. ``view`` and the list of actions are buffers."""
    out = desk["listed"]
    if (GREEDY_BOTS or OWN_BOTS) and chosen != RANDOM:
        desk["view"] = desk["state"]
        conceal(view, view.actor)
        view.rng[0] = 0
        view.rng[1] = 0
        count = legal(view, out)
        if GREEDY_BOTS and chosen == GREEDY:
            return greedy(view, out, count, desk["rng"])
        if OWN_BOTS and chosen == POLICY:
            return policy(view, out, count, desk["rng"])
    return int(out[below(desk["rng"], legal(state, out))])


@rule
def viewer_of(desk: Any, state: Any) -> int:
    """Return the seat that is asked: the learner's, or the seat to move."""
    return int(state.actor if desk["seat"] == EVERY_SEAT else desk["seat"])


@rule
def conceal_for(view: Any, viewer: int) -> None:
    """Make an observation of a copy of a state: blank what the viewer may not know and the engine's fields; note the viewer."""
    conceal(view, viewer)
    view.rng[0] = 0
    view.rng[1] = 0
    view.reveals = (i64(viewer) & 0xFF) << VIEWER_SHIFT


@rule
def is_asked(desk: Any, state: Any) -> bool:
    """Return whether the learner is asked. It isn't in a match that was over before its first decision."""
    return bool(state.actor == desk["viewer"] and state.actor >= 0)


@rule
def is_listed(desk: Any, action: int) -> bool:
    """Return whether an action is legal."""
    listed = desk["listed"]
    for k in range(desk["marked"]):
        if listed[k] == action:
            return True
    return False


@rule
def unmark(desk: Any) -> None:
    """Clear the mask."""
    mask, listed = desk["mask"], desk["listed"]
    if desk["marked"] == WHOLE:
        for action in range(len(mask)):
            mask[action] = 0
    else:
        for k in range(desk["marked"]):
            mask[listed[k]] = 0
    desk["marked"] = 0


@rule
def mark(desk: Any, state: Any) -> None:
    """Mark the legal actions in the cleared mask. Where the next action is ignored, every action is allowed."""
    mask, listed = desk["mask"], desk["listed"]
    if desk["ended"] or not is_asked(desk, state):
        for action in range(len(mask)):
            mask[action] = 1
        desk["marked"] = WHOLE
        return
    count = legal(state, listed)
    for k in range(count):
        mask[listed[k]] = 1
    desk["marked"] = count


@rule
def observe(desk: Any, state: Any, view: Any) -> None:
    """Write the observation and the mask."""
    desk["view"] = desk["state"]
    conceal_for(view, desk["viewer"])
    mark(desk, state)


@rule
def first_illegal(desks: Any, actions: Row) -> int:
    """Return the first match whose action is illegal, -1 if there is none."""
    states = desks["state"]
    for i in range(len(actions)):
        desk = desks[i]
        if not desk["ended"] and is_asked(desk, state_at(states, i)) and not is_listed(desk, actions[i]):
            return i
    return -1


@rule
def flatten(row: Row, cells: Any, i: int, begin_at: int) -> None:
    """Write the concealed state at a byte of desk ``i`` as a flat observation.

    ``cells`` are the bytes of the desks as integers of one, two and four bytes. ``RUNS`` has a row for each run of fields: the
    first cell of the row, the number of cells, the first byte in the state, the size of a cell in bytes, and the bits to keep.
    """
    for number in range(len(RUNS)):
        first, count, at, kept = RUNS[number, 0], RUNS[number, 1], begin_at + RUNS[number, 2], RUNS[number, 4]
        if RUNS[number, 3] == 1:
            copy_cells(row[first : first + count], cells[0][i, at : at + count], kept)
        elif RUNS[number, 3] == 2:
            copy_cells(row[first : first + count], cells[1][i, at // 2 : at // 2 + count], kept)
        else:
            copy_cells(row[first : first + count], cells[2][i, at // 4 : at // 4 + count], kept)


@rule
def copy_cells(row: Row, cells: Row, kept: int) -> None:
    """Copy cells, of an unsigned type only the bits to keep. Loops as plain as these are vectorized."""
    if kept == -1:
        for k in range(len(row)):
            row[k] = cells[k]
    else:
        for k in range(len(row)):
            row[k] = int(cells[k]) & kept


@rule
def tell(outputs: Any, cells: Any, first: int, last: int) -> None:
    """Copy the outputs of some desks into arrays with a row for each match.

    ``outputs`` are the masks and what else is told, both as bytes; flat observations, and those of the ends of matches, without
    cells if the learner reads named arrays.
    """
    masks, told, seen, ends = outputs
    flags = told.shape[1] - 8 + 1
    for i in range(first, last):
        copy_cells(masks[i], cells[0][i, MASK_AT : MASK_AT + masks.shape[1]], -1)
        copy_cells(told[i], cells[0][i, TOLD_AT : TOLD_AT + told.shape[1]], -1)
        if seen.shape[1] > 0:
            flatten(seen[i], cells, i, VIEW_AT)
            if told[i, flags] != 0 or told[i, flags + 1] != 0:
                flatten(ends[i], cells, i, FINAL_AT)


@rule
def start(desks: Any, terms: Any, chosen: Any, first: int, last: int, outputs: Any, cells: Any) -> None:
    """Reset the chosen ones of the matches ``first`` to ``last - 1``."""
    log = np.zeros(NO_LOG_SHAPE, np.int32)
    states, views = desks["state"], desks["view"]
    for i in range(first, last):
        if chosen[i]:
            desk, state, view = desks[i], state_at(states, i), state_at(views, i)
            unmark(desk)
            begin(desk, state, view, terms[0], log)
            clear(desk)
            observe(desk, state, view)
    tell(outputs, cells, first, last)


@rule
def clear_rewards(desk: Any) -> None:
    """Clear the rewards of the last step."""
    payoffs = desk["payoffs"]
    for seat in range(len(payoffs)):
        payoffs[seat] = 0.0
    desk["reward"] = 0.0


@rule
def clear(desk: Any) -> None:
    """Clear the rewards and flags of the last step."""
    clear_rewards(desk)
    desk["terminated"] = False
    desk["truncated"] = False
    desk["illegal"] = False


@rule
def advance(desks: Any, terms: Any, actions: Row, first: int, last: int, outputs: Any, cells: Any) -> None:
    """Step the matches ``first`` to ``last - 1``."""
    log = np.zeros(NO_LOG_SHAPE, np.int32)
    states, views, finals = desks["state"], desks["view"], desks["final"]
    for begin_at in range(first, last, BLOCK):
        end = min(begin_at + BLOCK, last)
        for i in range(begin_at, end):
            desk, state, view = desks[i], state_at(states, i), state_at(views, i)
            advance_desk(desk, state, view, state_at(finals, i), terms[0], actions[i], log)
        tell(outputs, cells, begin_at, end)


@rule
def advance_desk(desk: Any, state: Any, view: Any, final: Any, terms: Any, action: int, log: Any) -> None:
    """Play an action of the learner, unless the match has ended, and observe what follows."""
    waits = desk["ended"]
    if waits and terms["autoreset"] == DISABLED:
        clear_rewards(desk)
        return
    clear(desk)
    if waits:
        unmark(desk)
        begin(desk, state, view, terms, log)
    else:
        seat = desk["viewer"]
        take(desk, state, view, terms, action, log)
        if desk["terminated"] or desk["truncated"]:
            desk["viewer"] = seat
            if terms["autoreset"] == SAME_STEP:
                desk["final"] = desk["state"]
                conceal_for(final, seat)
                begin(desk, state, view, terms, log)
            else:
                desk["ended"] = True
    observe(desk, state, view)


@rule
def take(desk: Any, state: Any, view: Any, terms: Any, action: int, log: Any) -> None:
    """Play an action of the learner and the actions of bots that follow, or punish it if it is illegal."""
    seat = desk["viewer"]
    payoffs = desk["payoffs"]
    asked = is_asked(desk, state)
    illegal = asked and not is_listed(desk, action)
    unmark(desk)
    if illegal:
        desk["reward"] = payoffs[seat] = terms["lowest"]
        desk["illegal"] = True
        desk["terminated"] = True
        return
    if asked:
        play(state, i64(action), log)
        desk["length"] += 1
        if BOTS:
            play_bots(desk, state, view, terms, log)
        desk["viewer"] = viewer_of(desk, state)
    if state.actor < 0:
        score(state, payoffs)
        desk["reward"] = payoffs[seat]
        desk["terminated"] = True
    elif not is_asked(desk, state) or desk["length"] == terms["limit"]:
        desk["truncated"] = True


# ------------------------------------------------------------------------------------------------------------------- one match

# What ``advance_one`` returns: these bits, and from bit VIEWER_BIT on 1 + the viewer.
TERMINATED, TRUNCATED, ILLEGAL = 1, 2, 4
VIEWER_BIT = 3


@cache
def table_type(desk: np.dtype[np.void], terms: np.dtype[np.void], cell: np.dtype[Any], cells: int) -> np.dtype[np.void]:
    """Return the type of a desk, at the beginning, with its terms and its flat observation."""
    return np.dtype([("desk", desk), ("terms", terms), ("seen", cell, (cells,))], align=True)


@rule
def flatten_one(memory: Any, tables: Any) -> None:
    """Write the flat observation of a table."""
    cells = (
        memory.view(np.int8).reshape((1, len(memory))),
        memory.view(np.int16).reshape((1, len(memory) // 2)),
        memory.view(np.int32).reshape((1, len(memory) // 4)),
    )
    flatten(tables["seen"][0], cells, 0, VIEW_AT)


@rule
def start_one(memory: Any) -> int:
    """Reset the match of a table, which is given as bytes: Numba recognizes their type faster. Returns the viewer."""
    tables = memory.view(TABLE)
    desks, terms = tables["desk"], tables["terms"]
    log = np.zeros(NO_LOG_SHAPE, np.int32)
    desk, states, views = desks[0], desks["state"], desks["view"]
    unmark(desk)
    begin(desk, state_at(states, 0), state_at(views, 0), terms[0], log)
    clear(desk)
    observe(desk, state_at(states, 0), state_at(views, 0))
    flatten_one(memory, tables)
    return int(desks[0]["viewer"])


@rule
def advance_one(memory: Any, action: int) -> int:
    """Step the match of a table. Returns its flags and its viewer in one integer, which is faster to read than arrays."""
    tables = memory.view(TABLE)
    desks, terms = tables["desk"], tables["terms"]
    desk = desks[0]
    states, views, finals = desks["state"], desks["view"], desks["final"]
    log = np.zeros(NO_LOG_SHAPE, np.int32)
    advance_desk(desk, state_at(states, 0), state_at(views, 0), state_at(finals, 0), terms[0], action, log)
    flatten_one(memory, tables)
    flags = int(desk["terminated"]) | int(desk["truncated"]) << 1 | int(desk["illegal"]) << 2
    return flags | (1 + int(desk["viewer"])) << VIEWER_BIT
