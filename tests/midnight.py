"""Tests that must not run across midnight in UTC."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta


def wait_for_midnight(within: float) -> None:
    """Wait until after midnight if it is less than ``within`` seconds away, so that a test begins and ends on the same day."""
    now = datetime.now(UTC)
    left = (datetime.combine(now.date() + timedelta(days=1), datetime.min.time(), UTC) - now).total_seconds()
    if left < within:
        time.sleep(left + 1)
