"""The modules of a hall and of the command, for the fork server of the tests."""

from __future__ import annotations

import coverage as coverage

from meadhall.engine.game import game, game_names

for _name in game_names():
    game(_name)
