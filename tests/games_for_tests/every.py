"""Every installed game and Hoard, for tests that hold for all games."""

from __future__ import annotations

from importlib.metadata import entry_points

from games_for_tests.hoard import game as hoard
from meadhall import game
from meadhall.engine.registry import GROUP

EVERY_GAME = [hoard, *(game(entry.name) for entry in sorted(entry_points(group=GROUP)))]
