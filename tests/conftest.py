"""Profiles of Hypothesis: the same examples in every run, or new ones with ``HYPOTHESIS_PROFILE=searching``."""

from __future__ import annotations

import os

from hypothesis import settings

settings.register_profile("steady", derandomize=True, deadline=None)
settings.register_profile("searching", max_examples=2000, deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "steady"))
