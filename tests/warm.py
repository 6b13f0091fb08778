"""``python tests/warm.py GAME…``: compile the rules of games, including those for tests, before the tests run.

The compiler is several times as slow while coverage is measured.
"""

from __future__ import annotations

import sys

from games_for_tests import coins, hoard
from meadhall.engine.game import registered
from meadhall.lab import warm

if __name__ == "__main__":
    with registered(hoard.game), registered(coins.game):
        warm(sys.argv[1:])
