"""Profiles of Hypothesis: the same examples in every run, or new ones with ``HYPOTHESIS_PROFILE=searching``."""

from __future__ import annotations

import os

from hypothesis import settings

settings.register_profile("steady", derandomize=True, deadline=None)
settings.register_profile("searching", max_examples=2000, deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "steady"))

if "PYTEST_XDIST_WORKER" in os.environ:
    # Coverage has followed pytest into this worker. It must not follow into servers and commands that tests start, which would
    # take several times as long, above all those that compile.
    os.environ.pop("COVERAGE_PROCESS_CONFIG", None)
