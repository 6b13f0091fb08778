"""Nim: whoever takes the last of a heap wins; and, with a hand instead of a heap, a guess: what is in it?"""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

from meadhall.engine.chance import below
from meadhall.engine.game import Choice, Game, GameRules, GameWords
from meadhall.engine.rule import rule
from meadhall.engine.schema import I8, Row, State, record

HEAP = 10
MOST = 3
HEAPS = ("heap", "small", "hand")


@record
class Table(State):
    left: I8  # of the heap
    hand: I8  # what is in the hand: 1 or 2, 0 if unknown
    winner: I8


@rule
def setup(table: Table, _players: int, options: Any, _log: Any) -> None:
    table.left = (HEAP, 5, 0)[options[0]]
    if table.left == 0:
        table.hand = 1 + below(table.rng, 2)
    table.actor = 0


@rule
def legal(table: Table, out: Row) -> int:
    """Take 1 to 3 (actions 0 to 2), or guess 1 or 2 (actions 0 and 1)."""
    count = min(table.left, MOST) if table.left > 0 else 2
    for k in range(count):
        out[k] = k
    return count


@rule
def play(table: Table, action: int, _log: Any) -> None:
    if table.left == 0:
        table.winner = table.actor if action + 1 == table.hand else 1 - table.actor
        table.actor = -1
        return
    table.left -= action + 1
    if table.left == 0:
        table.winner = table.actor
        table.actor = -1
    else:
        table.actor = 1 - table.actor


@rule
def conceal(table: Table, _seat: int) -> None:
    if table.actor >= 0:
        table.hand = 0


@rule
def redeal(table: Table, _seat: int) -> None:
    if table.left == 0 and table.actor >= 0:
        table.hand = 1 + below(table.rng, 2)


@rule
def score(table: Table, out: Any) -> None:
    out[table.winner] = 1.0
    out[1 - table.winner] = 0.0


rules = SimpleNamespace(setup=setup, legal=legal, play=play, conceal=conceal, redeal=redeal, score=score)

game = Game(
    name="nim",
    title="Nim",
    tagline="Take the last.",
    version=1,
    min_players=2,
    max_players=2,
    actions=MOST,
    table=Table,
    rules=cast("GameRules", rules),
    words=cast("GameWords", SimpleNamespace(ending=lambda _table: ("NIM-1", "The heap is empty."))),
    events={},
    folder=Path(__file__).parent,
    options=(Choice("heap", dict.fromkeys(HEAPS, "how many")),),
)
