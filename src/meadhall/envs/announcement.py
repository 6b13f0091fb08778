"""Tell people at the first step of an environment that rules are being compiled, which takes a minute or two for a large game."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Timer
from typing import Any

from meadhall.engine.compile.rule import INTERPRETED, rules_folder
from meadhall.engine.game import Game

PATIENCE = 2.0
"""Seconds without a word. To load machine code from the cache takes less."""


@contextmanager
def announced(game: Game, loop: Any) -> Iterator[None]:
    """Say on standard error that rules are compiled, and how long it took, if the first call of a loop takes long."""
    if INTERPRETED or loop.signatures:
        yield
        return
    began = time.monotonic()
    timer = Timer(
        PATIENCE, _say, [f"compiling the rules of {game.title}, once; kept in {rules_folder(game.rules.play.__module__)}"]
    )
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()
        taken = time.monotonic() - began
        if taken > PATIENCE:
            _say(f"the rules of {game.title} are compiled ({taken:.0f} s)")


def _say(words: str) -> None:
    sys.stderr.write(f"meadhall: {words}\n")
    sys.stderr.flush()
