"""Work that fails, for tests of executors. Other processes import it from here."""

from __future__ import annotations

import os
from dataclasses import dataclass

from meadhall import BadSetup, game
from meadhall.engine.compute.executors import Pieces
from meadhall.engine.game import Game


@dataclass(frozen=True)
class Failing:
    """Raises an error in the chunk that begins at ``at``, or ends its process there."""

    at: int
    die: bool = False

    @property
    def subject(self) -> Game:
        return game("axes-and-allies")

    def __call__(self, chunk: range, _pieces: Pieces) -> int:
        if chunk.start == self.at:
            if self.die:
                os._exit(1)
            raise BadSetup(f"chunk {self.at} is wrong")
        return chunk.start

    def compile(self) -> None: ...
