"""``python tests/warm.py GAME…``: compile games' rules, those made for tests too, before the tests: while coverage is measured
the compiler is several times as slow.
"""

from __future__ import annotations

import sys

from games_for_tests import coins, hoard
from meadhall.engine.game import registered
from meadhall.lab import warm

if __name__ == "__main__":
    with registered(hoard.game), registered(coins.game):
        warm(sys.argv[1:])
