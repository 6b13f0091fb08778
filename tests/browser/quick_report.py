"""``python quick_report.py``: make a real balance report of a small game at once, in place of ``meadhall.lab.balance.job``."""

from __future__ import annotations

import json
import sys

from meadhall.lab import balance

if __name__ == "__main__":
    request = json.load(sys.stdin)
    variants: dict[str, dict[str, object]] = {name: {} for name in request["variants"]}
    report = balance("axes-and-allies", (2,), games=8, depth="quick", seed="mead", variants=variants)
    for told in ({"progress": 0.5}, {"page": report.to_html()}):
        sys.stdout.write(f"{json.dumps(told)}\n")
        sys.stdout.flush()
