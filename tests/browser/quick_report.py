"""``python quick_report.py``: prints as ever, and a real balance report of a small game at once, in place of ``worker.order``."""

from __future__ import annotations

from typing import Any

from meadhall.lab import balance
from meadhall.server.worker import order


def quick_report(request: dict[str, Any]) -> dict[str, Any]:
    variants: dict[str, dict[str, object]] = {name: {} for name in request["variants"]}
    report = balance("axes-and-allies", (2,), games=8, depth="quick", seed="mead", variants=variants)
    order.say({"progress": 0.5})
    return {"report": report.to_dict()}


if __name__ == "__main__":
    vars(order)["_report"] = quick_report
    order.main()
