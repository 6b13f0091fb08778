"""Profiles of Hypothesis, and the order of a run: random, but files with long tests come first."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("steady", derandomize=True, deadline=None)
settings.register_profile("long", max_examples=2000, deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "steady"))


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Move the files with long tests to the front, so that no core waits for them at the end. All are shuffled before."""
    first: set[Path] = {item.path for item in items if item.get_closest_marker("slow")}
    items.sort(key=lambda item: item.path not in first)
