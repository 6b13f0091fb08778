"""The modules of a hall and of the command, for the fork server of the tests."""

from __future__ import annotations

import gc
from importlib import import_module

from meadhall.engine.registry import game, game_names

for _module in (
    "coverage",
    "meadhall.cli.app",
    "meadhall.cli.hall_data",
    "meadhall.server.worker.remote",
    "processes.serve_with_hoard",
):
    import_module(_module)
for _name in game_names():
    game(_name)

gc.freeze()  # or the first collection of each process would copy all of its memory
