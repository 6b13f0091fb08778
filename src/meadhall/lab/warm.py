"""warm: compile everything that will be needed, so that nobody waits for it later.

Machine code is made for the types that a function is called with, so the surest way to have all of it is to do once what will be
done.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np

from meadhall.bots import bot
from meadhall.bots.search import Budget, Search
from meadhall.engine.bulk import Batch, random_playouts, tournament
from meadhall.engine.compiled import loops
from meadhall.engine.game import Game, game, game_names
from meadhall.engine.loops import RANDOM
from meadhall.engine.rule import INTERPRETED, rules_folder
from meadhall.lab.matches import play_out

Progress = Callable[[int, int], None]
"""Called with the number of steps done, and of all steps."""


def warm(names: Iterable[str] | None = None, progress: Progress | None = None, *, bulk: bool = True) -> None:
    """Compile all rules of the games named (by default: all), or find them compiled. Raises UnknownGame.

    Without ``bulk`` only what matches are played with: a hall needs no more.
    """
    subjects = [game(name) for name in (game_names() if names is None else names)]
    steps = [step for subject in subjects for step in match_steps(subject) + (bulk_steps(subject) if bulk else [])]
    for done, step in enumerate(steps):
        if progress:
            progress(done, len(steps))
        step()
    if progress:
        progress(len(steps), len(steps))


def is_warm(subject: Game) -> bool:
    """Whether nothing is left to compile before matches are played: all of it is found on disk, or rules are interpreted here."""
    return INTERPRETED or _mark(subject).exists()


def _mark(subject: Game) -> Path:
    """A file beside the machine code. Its name tells the processor, as another can't use that code: folders may be shared."""
    from numba.core.registry import cpu_target  # noqa: PLC0415 - a process that interprets rules does not load Numba

    made_for = repr(cpu_target.target_context.codegen().magic_tuple())
    return rules_folder(subject.rules.play.__module__) / f"warm-{hashlib.sha256(made_for.encode()).hexdigest()[:8]}"


def _mark_warm(subject: Game) -> None:
    if not INTERPRETED:
        _mark(subject).touch()


def match_steps(subject: Game) -> list[Callable[[], object]]:
    """What there is to do for one game before it can be played: a match with its bots. Then it is warm."""
    return [
        lambda: play_a_match(subject),
        lambda: loops(subject).redeal_one(subject.match().states, 0),
        lambda: _mark_warm(subject),
    ]


def bulk_steps(subject: Game) -> list[Callable[[], object]]:
    """What there is to do for one game before many can be played at once."""
    players = subject.min_players
    return [
        lambda: random_playouts(subject, players, games=1, threads=1),
        lambda: tournament(subject, [RANDOM] * players, games=1, threads=1),
        lambda: step_a_batch(subject),
    ]


def play_a_match(subject: Game) -> None:
    """Set up, view, choose, play, score: all that a table in the hall needs."""
    match = subject.match(seed="warm")
    view = match.view(match.actor)
    for name in ("random", *(["greedy"] if subject.greedy is not None else [])):
        bot(subject, name).choose(view)
    search = Search(subject, Budget(iterations=1, trees=1), b"warm")
    for _ in range(2):  # the second time it goes on from what it has thought
        search.consider(view)  # a bot would not, where a single action is legal
    if subject.solver is not None:
        subject.solver(view)
    play_out(match, [bot(subject, "random")] * match.players)
    match.result()


def step_a_batch(subject: Game) -> None:
    """A move in each of a few matches that are played together."""
    batch = Batch(subject, subject.min_players, count=2, seed="warm")
    batch.step(np.argmax(batch.legal_masks(), axis=1))
    batch.scores()
