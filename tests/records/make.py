"""Make the golden records: matches that every later version must replay byte for byte.

Run as ``python tests/records/make.py``. It writes only missing records, so to replace one on purpose, delete it first.
``RECORDS`` lists the records by the name of their file.
"""

from __future__ import annotations

import copy
import sys
import tomllib
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from meadhall import Batch, Match, Seat, game
from meadhall.bots import bot
from meadhall.engine.laws.check_game import setups
from meadhall.engine.match.record import SUFFIX, dumps
from meadhall.engine.options import HouseRule, Number
from meadhall.engine.state.chance import step_key
from meadhall.engine.state.schema import States
from meadhall.games.axxa.state import HEIGHT, NUMBERS, OF_EACH, SPACES, TRIPLET_SIZE, Ending, distance
from meadhall.games.dungeon_allies.components import COMPONENTS
from meadhall.games.dungeon_allies.pieces import DICE, GONE, NONE, SQUARES, Act, Target
from meadhall.games.dungeon_allies.state import MAX_TURNS, State
from meadhall.games.dungeon_allies.words import deciding_colour
from meadhall.games.viking_axes.state import COPIES, HITS, Card

HERE = Path(__file__).parent
STARTED = datetime(2026, 11, 21, 20, 0, 0, tzinfo=UTC)
NAMES = ("Astrid", "Björn", "Cnut", "Dagmar", "Egil", "Freydís", "Gudrun")
KINDS = {"random": "thrall", "greedy": "karl"}
"""The names of bots in the records, and the levels that play."""

Bools = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


def played_by_bots(name: str, players: int, number: int, **options: Any) -> Match:
    """Play a match between bots of both kinds, in every third one with undone actions."""
    subject = game(name)
    kinds = [list(KINDS)[(seat + number) % 2] for seat in range(players)]
    seats = [Seat(NAMES[seat], "bot", kind) if seat else Seat(NAMES[0]) for seat, kind in enumerate(kinds)]
    match = Match(subject, seats=seats, seed=f"golden {players} {number}", started=STARTED, options=options)
    bots = [bot(subject, KINDS[kind], bytes([seat + 1, number] * 8)) for seat, kind in enumerate(kinds)]
    while match.actor is not None:
        match.play(bots[match.actor].choose(match.view(match.actor)))
        if number % 3 == 0 and match.next_number in (2, 4, 9):
            match.undo(min(2, len(match.steps)), revealed=True)
    return match


def house_rules(name: str) -> dict[str, str]:
    """Return all house rules of a game, without numbers of the rules."""
    rules = [option for option in game(name).options if isinstance(option, HouseRule) and not isinstance(option, Number)]
    return {option.name: list(option.values)[-1] for option in rules}


def numbers_of_rules(name: str, bound: str) -> dict[str, int]:
    """Return all numbers of the rules of a game at one of their bounds."""
    return {option.name: getattr(option, bound) for option in game(name).options if isinstance(option, Number)}


# ---------------------------------------------------------------------------------------- players who see everything and search


def search(match: Match, goal: Callable[[States], Bools], promise: Callable[[States, int], Floats], width: int) -> bool:
    """Play on until ``goal`` holds, as if all players saw everything and worked together; return False if the search fails.

    A beam search: of all successors of ``width`` positions it keeps the ``width`` best different ones by
    ``promise(states, actions so far)``. Chance is that of the match, which depends only on the number of the action.
    """
    batch = Batch(match.game, match.players, 1, **match.options)
    batch.states = match.states
    draw = np.random.default_rng(0)
    course: list[tuple[Ints, Ints]] = []  # for every kept position, its predecessor and the action
    while not (reached := goal(batch.states)).any():
        before, actions = np.nonzero(batch.legal_masks())
        if not len(actions):
            return False
        batch.states = batch.states[before]
        batch.states["rng"] = step_key(match.seed, match.next_number + len(course))
        batch.step(actions)
        promising = promise(batch.states, len(course)) + 0.9 * draw.random(len(actions))
        best = np.argsort(-promising, kind="stable")[: 2 * width]
        _, first = np.unique(batch.states[best].view(np.void), return_index=True)
        kept = best[np.sort(first)][:width]
        batch.states = batch.states[kept]
        course.append((before[kept], actions[kept]))
    index = int(reached.argmax())
    path = []
    for before, actions in reversed(course):
        path.append(int(actions[index]))
        index = int(before[index])
    for action in reversed(path):
        match.play(action)
    return True


# ---------------------------------------------------------------------------------------------- VA-7.2: every axe card in front

ALL_AXES = sum(COPIES[kind] * (kind + 1) for kind in range(3))
ALL_SHIELDS = sum(COPIES[Card.ONE_SHIELD + kind] * (kind + 1) for kind in range(4))

SPARING = 350
"""The number of actions during which the players save the hits they can still take. Later they may use them up."""


def played_by_friends() -> Match:
    """Play Viking Axes with seven players who all want every axe card in front of players, and no player out."""
    match = Match(game("viking-axes"), seats=NAMES, seed="c", started=STARTED, options={"variant": "strategic"})
    assert search(match, every_axe_in_front, room_for_axes, width=300)
    return match


def every_axe_in_front(states: States) -> Bools:
    found: Bools = (states["actor"] < 0) & (states["living"] > 1)
    return found


def room_for_axes(states: States, played: int) -> Floats:
    """Return how near positions are to VA-7.2: the axe cards in front, and the room for others in hits and shields.

    The game has fewer of both than axes. Room is gained when a throw uses up shields with more axes than they block, ideally one
    more: these cards are discarded and come back, and the thrown card has cost fewer hits than it has axes.
    """
    axes = (states["marks"] + states["lying"]) @ np.arange(1, 4)
    shields = states["shields"] @ np.arange(1, 5)
    hits = np.clip(HITS - 1 - states["hits"], 0, None)[:, : len(NAMES)].sum(axis=1)
    unused = np.clip(states["unused"] - 1, 0, None).sum(axis=1)
    room = hits + unused + ALL_SHIELDS - shields.sum(axis=1) - (ALL_AXES - axes.sum(axis=1))
    lost = len(NAMES) - states["living"].astype(int)
    hit = 1.1 if played < SPARING else 0.6
    found: Floats = states["axes_in_front"] + hit * hits + 0.3 * unused + 3 * np.minimum(room, 10) - 1000 * lost
    return found


# -------------------------------------------------------------------------- AX-6.1: solved; AX-6.2 and AX-7.3: no move possible

REACH = np.array([max(distance(space, other) for other in range(SPACES)) for space in range(SPACES)])
"""The distance from each space of AxxA to the farthest one."""


def played_by_greedy(number: int, **options: Any) -> Match:
    """Play a match of AxxA between two greedy bots."""
    seats = [Seat(name, "bot", "greedy") for name in NAMES[:2]]
    match = Match(game("axxa"), seats=seats, seed=f"golden greedy {number}", started=STARTED, options=options)
    play_greedily(match, number)
    return match


def axxa_kind(options: dict[str, Any]) -> str:
    """Return the options of a match of AxxA as part of a file name. The default order goes without saying: it came later."""
    return "-".join(value for name, value in options.items() if (name, value) != ("order", "skip"))


def play_greedily(match: Match, number: int, until: int = NUMBERS + 1) -> None:
    """Play greedily to the end, or until a number is current."""
    player = bot(match.game, "karl", bytes([number] * 16))
    while match.actor is not None and match.states["current"][0] < until:
        match.play(player.choose(match.view(match.actor)))


def played_to_a_standstill(mode: str) -> Match:
    """Play AxxA until all pieces are gone except sixes, none of which can move."""
    for number in range(256):
        match = Match(game("axxa"), seats=NAMES[:2], seed=f"standstill {number}", started=STARTED, options={"mode": mode})
        if mode == "together":
            play_greedily(match, number, until=NUMBERS)
        if not match.over and search(match, no_move_possible, standstill, width=100):
            return match
    raise AssertionError("every match has a possible move")


def no_move_possible(states: States) -> Bools:
    return np.isin(states["ending"], (Ending.STUCK, Ending.NO_MOVE))


def standstill(states: States, played: int) -> Floats:
    """Return how near positions are to a standstill: stacks that can't move, one of them full, and few pieces except sixes."""
    last = states["height"].astype(int) - 1
    tops = np.take_along_axis(states["piece"], np.maximum(last, 0)[:, :, None], axis=2)[:, :, 0]
    fixed = (last >= 0) & (tops > REACH[states["space"]])
    full = fixed & (states["height"] == HEIGHT)
    others = ((states["piece"] > 0) & (states["piece"] < NUMBERS)).sum(axis=(1, 2))
    lost = (states["actor"] < 0) | (states["taker"][:, NUMBERS, 0] > 0) | (OF_EACH - states["paid"][:, NUMBERS] < TRIPLET_SIZE)
    found: Floats = 3.0 * fixed.sum(axis=1) + 4 * full.any(axis=1) - others - 100 * lost
    return found


# --------------------------------------------------------------- DA-13.3: no fights; DA-13.1: the last monster in the last turn

FIGHTS = range(Act.PLACE + DICE * Target.SQUARE, Act.PLACE + DICE * Target.TURN_ORDER)
"""The actions of Dungeon Allies that place a die on a square."""


def played_slowly(number: int, spared: int) -> Match:
    """Play Dungeon Allies and spare a number of monsters until the last turn, or to the end if it is all of them."""
    match = Match(game("dungeon-allies"), seats=NAMES[:2], seed=f"no hurry {number}", started=STARTED)
    draw = np.random.default_rng(number)
    while not match.over:
        state: Any = match.state
        free = sum(state.monster[square] != GONE and state.holder[square] == NONE for square in range(SQUARES))
        last = state.turn == MAX_TURNS and spared < SQUARES
        legal = [choice.action for choice in match.legal()]
        fights = [action for action in legal if action in FIGHTS and state.holder[(action - Act.PLACE) // DICE] == NONE]
        others = [action for action in legal if action not in FIGHTS]
        match.play(int(draw.choice(fights if fights and (last or free > spared) else others)))
    return match


# ----------------------------------------------------------------------------------------- DA-13.4: equal points and tie-breaks


def played_level(players: int, colour: int) -> Match:
    """Return a random match of Dungeon Allies in which crystals of a colour break the tie (-1: nothing does)."""
    for first in range(0, 1_000_000, MANY):
        seeds = [f"level {number}" for number in range(first, first + MANY)]
        courses, states = played_at_random(players, seeds, first)
        for seed, course, state in zip(seeds, courses, (State.at(states, k) for k in range(MANY)), strict=True):
            if deciding_colour(state) == colour:
                match = Match(game("dungeon-allies"), seats=NAMES[:players], seed=seed, started=STARTED)
                for action in course[: course.index(-1)]:
                    match.play(action)
                return match
    raise AssertionError("no such match")


MANY = 2000
"""The number of matches played at the same time."""


def played_at_random(players: int, seeds: list[str], number: int) -> tuple[list[list[int]], States]:
    """Play random matches of Dungeon Allies; return the actions of each (-1 after its end) and their final states."""
    matches = [Match(game("dungeon-allies"), players=players, seed=seed) for seed in seeds]
    batch = Batch("dungeon-allies", players, len(seeds))
    batch.states = np.concatenate([match.states for match in matches])
    draw = np.random.default_rng(number)
    course: list[Ints] = []
    while (batch.states["actor"] >= 0).any():
        masks = batch.legal_masks()
        actions = np.where(masks.any(axis=1), (masks * (1 + draw.random(masks.shape))).argmax(axis=1), -1)
        batch.states["rng"] = [step_key(match.seed, len(course) + 1) for match in matches]
        batch.step(actions)
        course.append(actions)
    return np.transpose([*course, np.full(len(seeds), -1)]).tolist(), batch.states


# ----------------------------------------------------------------------------------------------------- DA-1.1: other components


def other_components() -> dict[str, Any]:
    """Return the built-in components with other names, numbers and shapes."""
    document: dict[str, Any] = copy.deepcopy(tomllib.loads(COMPONENTS.file.read_text("utf-8")))
    for number, monster in enumerate(document["monster"]):
        monster |= {"id": f"dragon_{number + 1}", "name": f"Dragon {number + 1}", "red": {"target": 9, "gold": 5}}
    document["character"][0] |= {"id": "hero", "name": "Hero"}
    document["prisoner_space"] += [
        {"name": "Bored Guard", "offering": {}, "reward": {"red": 1}},
        {"name": "Fallen Duke", "offering": {"gold": 2, "red": 1}, "reward": {"green": 1, "gold": 1}},
    ]
    document["trade"] = [{"left": {"red": 3}, "right": {"blue": 1}}, {"left": {"blue": 1, "green": 1}, "right": {"white": 1}}]
    document["turn_order_space"][0]["crystals"] = {"gold": 1, "red": 1}
    document["turn_order_space"][2]["crystals"] = {}
    levels = [*["yellow"] * 11, *["blue"] * 3, *["red"] * 14]
    document["excursion_square"] = [{"level": level} for level in levels]
    document["dice"]["enhance_dice"] = [4, 8, 20]
    document["sorcerer"]["refill"] = False
    for card in document["sorcerer_card"][:8]:
        kinds = [{key: card.pop(key) for key in ("kind", "weakness", "points")}, {"kind": "fixed", "points": 1}]
        card |= {"kind": "mixed", "scores": [*kinds, {"kind": "crystal", "color": "red", "per": 2, "points": 1}]}
    return document


# ---------------------------------------------------------------------------------------------------------------------- records

WIDEST: dict[str, dict[str, str]] = {
    "axes-and-allies": {},
    "viking-axes": {"variant": "strategic"},
    "axxa": {"mode": "versus", "order": "any"},
    "dungeon-allies": {},
}
"""The options with which all house rules and numbers of each game apply."""

RECORDS: dict[str, Callable[[], Match]] = {
    **{
        f"axes-and-allies/{players}-players-{number}": partial(played_by_bots, "axes-and-allies", players, number)
        for players in range(2, 7)
        for number in range(4)
    },
    **{
        f"viking-axes/{players}-players-{variant}-{number}": partial(
            played_by_bots, "viking-axes", players, number, variant=variant
        )
        for players in range(2, 8)
        for variant in ("standard", "strategic")
        for number in range(2)
    },
    "viking-axes/every-axe-in-front": played_by_friends,
    **{
        f"axxa/{players}-players-{axxa_kind(options)}-{number}": partial(played_by_bots, "axxa", players, number, **options)
        for players, checked in setups(game("axxa"))
        if (options := game("axxa").recorded_options(checked)).keys() == {"mode", "touching", "order"}
        for number in range(2)
    },
    **{
        f"axxa/greedy-{mode}-{touching}-{number}": partial(played_by_greedy, number, mode=mode, touching=touching)
        for mode in ("together", "versus")
        for touching in ("all", "orthogonal")
        for number in range(2)
    },
    **{
        f"axxa/greedy-versus-all-{order}-{number}": partial(played_by_greedy, number, mode="versus", order=order)
        for order in ("strict", "any")
        for number in range(2)
    },
    "axxa/standstill-together": partial(played_to_a_standstill, "together"),
    "axxa/standstill-versus": partial(played_to_a_standstill, "versus"),
    **{
        f"dungeon-allies/{players}-players-{number}": partial(played_by_bots, "dungeon-allies", players, number)
        for players in range(2, 6)
        for number in range(4)
    },
    **{f"dungeon-allies/no-fights-{number}": partial(played_slowly, number, SQUARES) for number in range(2)},
    **{f"dungeon-allies/last-turn-{number}": partial(played_slowly, number, number + 1) for number in range(2)},
    **{
        f"dungeon-allies/level-{colour}": partial(played_level, 2, number)
        for number, colour in enumerate(("draw", "red", "blue", "yellow", "green", "white"), -1)
    },
    "dungeon-allies/level-three-players": partial(played_level, 3, -1),
    **{
        f"{name}/house-rules": partial(played_by_bots, name, 3, 1, **options, **house_rules(name))
        for name, options in WIDEST.items()
    },
    **{
        f"{name}/{bound}-numbers": partial(played_by_bots, name, 3, 1, **options, **numbers_of_rules(name, bound))
        for name, options in WIDEST.items()
        for bound in ("low", "high")
    },
    "dungeon-allies/other-components": partial(played_by_bots, "dungeon-allies", 3, 4, components=other_components()),
}


def main() -> None:
    for name, make in RECORDS.items():
        path = HERE / f"{name}{SUFFIX}"
        if not path.exists():
            path.parent.mkdir(exist_ok=True)
            path.write_text(dumps(make().record(legal=True)) + "\n", encoding="utf-8")
            sys.stdout.write(f"{path}\n")


if __name__ == "__main__":
    main()
