"""Sizes of tests: small ones in every run, full ones in ``make test-long``."""

from __future__ import annotations

import os

LONG = os.environ.get("HYPOTHESIS_PROFILE") == "long"


def sized(small: int, full: int) -> int:
    """Return a number of matches, positions or samples: ``full`` in the long run."""
    return full if LONG else small
