"""``python pictured_hall.py``: run the hall of ``quick_hall.py``, in which all matches have the seed of the pictures."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from browser.pictured import SEED
from meadhall.engine.state import chance

if __name__ == "__main__":
    vars(chance)["new_seed"] = lambda: SEED
    runpy.run_path(str(Path(__file__).with_name("quick_hall.py")), run_name="__main__")
