"""``python coarse_hall.py``: the hall as people start it, but reports of the workshop have few matches, so wide intervals.

``python coarse_hall.py report`` makes one, in place of ``worker.order``: of matches alone, unless only two play.
"""

from __future__ import annotations

import sys
from typing import Any, Final

from meadhall.server import run
from meadhall.server.hall import orders
from meadhall.server.settings import Settings
from meadhall.server.worker import order

COARSE: Final = {"precision": 0.05, "seconds": 120.0, "seed": "ten questions"}
"""The seed makes these reports the same in each run."""

_usual = vars(order)["_report"]


def coarse_report(request: dict[str, Any]) -> dict[str, Any]:
    report: dict[str, Any] = _usual({**request, **COARSE, "depth": "usual" if request["players"] == [2] else "quick"})
    return report


if __name__ == "__main__":
    if sys.argv[1:] == ["report"]:
        vars(order)["_report"] = coarse_report
        order.main()
    else:
        vars(orders)["COMMAND"] = (sys.executable, __file__, "report")
        run.serve(Settings.from_environment())
