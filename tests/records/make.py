"""Make the golden records: matches that every later version has to replay byte for byte.

Run as ``python tests/records/make.py``. It writes only records that are not there yet: one that is there is changed on purpose
or not at all. A game's records stand in ``RECORDS``, by the file that each is written to.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from meadhall import Batch, Match, Seat, game
from meadhall.bots import bot
from meadhall.engine.chance import step_key
from meadhall.engine.record import SUFFIX, dumps
from meadhall.engine.schema import Tables
from meadhall.games.viking_axes.state import COPIES, HITS, SHIELD

HERE = Path(__file__).parent
STARTED = datetime(2026, 11, 21, 20, 0, 0, tzinfo=UTC)
NAMES = ("Astrid", "Björn", "Cnut", "Dagmar", "Egil", "Freydís", "Gudrun")
KINDS = ("random", "greedy")

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


def played_by_bots(name: str, players: int, number: int, **options: Any) -> Match:
    """A match of bots of both kinds, in every third of which actions are taken back."""
    subject = game(name)
    kinds = [KINDS[(seat + number) % 2] for seat in range(players)]
    seats = [Seat(NAMES[seat], "bot", kind) if seat else Seat(NAMES[0]) for seat, kind in enumerate(kinds)]
    match = Match(subject, seats=seats, seed=f"golden {players} {number}", started=STARTED, options=options)
    bots = [bot(subject, kind, bytes([seat + 1, number] * 8)) for seat, kind in enumerate(kinds)]
    while match.actor is not None:
        match.play(bots[match.actor].choose(match.view(match.actor)))
        if number % 3 == 0 and match.next_number in (2, 4, 9):
            match.undo(min(2, len(match.steps)), revealed=True)
    return match


# ------------------------------------------------------------------------------------------ VA-7.2: every axe card in front

ALL_AXES = sum(COPIES[kind] * (kind + 1) for kind in range(3))
ALL_SHIELDS = sum(COPIES[SHIELD + kind] * (kind + 1) for kind in range(4))

WIDTH = 300
SPARING = 350
"""For so many actions the hits that players can take are spared; what is left of them may then be used up."""


def played_by_friends() -> Match:
    """Seven players of Viking Axes who see all cards and want every axe card to lie in front of somebody, and nobody to go out.

    A beam search: of all that can be done in ``WIDTH`` positions, the most promising that many are kept, no two alike. Chance is
    the match's own, which depends on nothing but the number of the action.
    """
    match = Match(game("viking-axes"), seats=NAMES, seed="c", started=STARTED, options={"variant": "strategic"})
    batch = Batch("viking-axes", len(NAMES), 1, variant="strategic")
    batch.tables = match.tables
    draw = np.random.default_rng(0)
    course: list[tuple[Ints, Ints]] = []  # of every position kept: the one before, and the action that led from there
    while not (done := (batch.actors() < 0) & (batch.tables["living"] > 1)).any():
        before, actions = np.nonzero(batch.legal_masks())
        batch.tables = batch.tables[before]
        batch.tables["rng"] = step_key(match.seed, len(course) + 1)
        batch.step(actions)
        promising = promise(batch.tables, 1.1 if len(course) < SPARING else 0.6) + 0.9 * draw.random(len(actions))
        best = np.argsort(-promising, kind="stable")[: 2 * WIDTH]
        _, first = np.unique(batch.tables[best].view(np.void), return_index=True)
        kept = best[np.sort(first)][:WIDTH]
        batch.tables = batch.tables[kept]
        course.append((before[kept], actions[kept]))
    place = int(done.argmax())
    path = []
    for before, actions in reversed(course):
        path.append(int(actions[place]))
        place = int(before[place])
    for action in reversed(path):
        match.play(action)
    return match


def promise(tables: Tables, hit: float) -> Floats:
    """How near positions are to VA-7.2: the axe cards in front, and the room for others: in hits (of some worth) and shields.

    There are fewer of both than axes in the game. Room is won when shields are used up by more axes than they block, one more
    at best: these cards go, and come again, and the card thrown has cost fewer hits than it has axes.
    """
    axes = (tables["marks"] + tables["lying"]) @ np.arange(1, 4)
    shields = tables["shields"] @ np.arange(1, 5)
    hits = np.clip(HITS - 1 - tables["hits"], 0, None)[:, : len(NAMES)].sum(axis=1)
    unused = np.clip(tables["unused"] - 1, 0, None).sum(axis=1)
    room = hits + unused + ALL_SHIELDS - shields.sum(axis=1) - (ALL_AXES - axes.sum(axis=1))
    lost = len(NAMES) - tables["living"].astype(int)
    found: Floats = tables["axes_in_front"] + hit * hits + 0.3 * unused + 3 * np.minimum(room, 10) - 1000 * lost
    return found


# --------------------------------------------------------------------------------------------------------------------- records

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
