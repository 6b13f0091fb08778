"""warm: compile all rules ahead of time.

Numba compiles a function for the types it is called with, so the surest way to compile everything is to run everything once.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np

from meadhall.bots import bot
from meadhall.bots.search import Budget, Search
from meadhall.engine.compile.rule import INTERPRETED, rules_folder
from meadhall.engine.compiled import loops
from meadhall.engine.compute.batch import Batch
from meadhall.engine.compute.bulk import TournamentLoop, random_playouts
from meadhall.engine.game import Game
from meadhall.engine.loops import RANDOM
from meadhall.engine.match.match import Match
from meadhall.engine.registry import game, game_names
from meadhall.lab.entrants import play_out

Progress = Callable[[int, int], None]
"""Called with the number of steps done, and of all steps."""


def warm(names: Iterable[str] | None = None, progress: Progress | None = None, *, bulk: bool = True) -> None:
    """Compile the rules of the named games (by default of all), or load them from the cache. Raises UnknownGame.

    Args:
        names: the games.
        progress: called before each step, and at the end.
        bulk: also compile bulk runs. A server needs only matches.

    Examples:
        >>> import meadhall
        >>> from meadhall.lab import is_warm, warm
        >>> warm(["axes-and-allies"], bulk=False)
        >>> is_warm(meadhall.game("axes-and-allies"))
        True
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
    """Return whether matches can be played without compiling: the code is in the cache, or rules are interpreted.

    Examples:
        >>> import meadhall
        >>> from meadhall.lab import is_warm
        >>> is_warm(meadhall.game("axes-and-allies"))
        True
    """
    return INTERPRETED or _mark(subject).exists()


def _mark(subject: Game) -> Path:
    """Return the marker file of a compiled game. Its name contains the processor, because machines may share a cache folder."""
    from numba.core.registry import cpu_target  # noqa: PLC0415 - a process that interprets rules does not load Numba

    made_for = repr(cpu_target.target_context.codegen().magic_tuple())
    return rules_folder(subject.rules.play.__module__) / f"warm-{hashlib.sha256(made_for.encode()).hexdigest()[:8]}"


def _mark_warm(subject: Game) -> None:
    if not is_warm(subject):  # another user may have marked it, whose file can't be touched
        _mark(subject).touch()


def match_steps(subject: Game) -> list[Callable[[], object]]:
    """Return the steps that compile the code for a match with bots."""
    return [
        lambda: play_a_match(subject),
        lambda: loops(subject).redeal_one(Match(subject).states, 0),
        lambda: _mark_warm(subject),
    ]


def bulk_steps(subject: Game) -> list[Callable[[], object]]:
    """Return the steps that compile the code for bulk runs."""
    players = subject.min_players
    return [
        lambda: random_playouts(subject, players, games=1, threads=1),
        TournamentLoop.of(subject, [RANDOM] * players, "warm", {}).compile,
        lambda: step_a_batch(subject),
    ]


def play_a_match(subject: Game) -> None:
    """Run everything a match needs: set up, view, choose, search, solve, play, score."""
    match = Match(subject, seed="warm")
    view = match.view(match.actor)
    for name in ("thrall", *(["karl"] if subject.greedy is not None else [])):
        bot(subject, name).choose(view)
    search = Search(subject, Budget(iterations=1, trees=1), b"warm")
    for _ in range(2):  # the second call reuses the tree
        search.consider(view)  # called directly, because a bot skips the search if a single action is legal
    if subject.solver is not None:
        subject.solver(view)
    play_out(match, [bot(subject, "thrall")] * match.players)
    match.result()


def step_a_batch(subject: Game) -> None:
    """Run everything a ``Batch`` needs."""
    batch = Batch(subject, subject.min_players, count=2, seed="warm")
    batch.step(np.argmax(batch.legal_masks(), axis=1))
    batch.scores()


if __name__ == "__main__":  # the exit status says whether a hall need not compile
    sys.exit(not all(is_warm(game(name)) for name in game_names()))
