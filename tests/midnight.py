"""Tests of what lasts a day, until midnight in UTC."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta


def let_it_pass(within: float) -> None:
    """Wait for midnight if it comes within so many seconds: a test that began now would begin on one day and end on another."""
    now = datetime.now(UTC)
    left = (datetime.combine(now.date() + timedelta(days=1), datetime.min.time(), UTC) - now).total_seconds()
    if left < within:
        time.sleep(left + 1)
