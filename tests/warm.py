"""``python tests/warm.py GAME…``: compile the rules of games, also of Hoard, before the tests with compiled rules run."""

from __future__ import annotations

import sys

from games_for_tests import hoard
from meadhall.engine.registry import registered
from meadhall.lab import warm

if __name__ == "__main__":
    with registered(hoard.game):
        warm(sys.argv[1:], bulk=False)
