"""Profiles of Hypothesis, the order of a run (random, but files with slow tests come first), and what took long in it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

BROWSER = Path(__file__).parent / "browser"

SLOW_SECONDS = 3
"""A test that takes longer needs the marker ``slow`` with its reason."""

SLOW_SECONDS_IN_ALL = 120

OF_THE_RUN = {"MEADHALL_INTERPRET", "MEADHALL_CACHE", "MEADHALL_CHROMIUM"}
"""Variables of this run. All others are settings of a hall: those of the shell don't reach the halls of the tests."""

for _name in [each for each in os.environ if each.startswith("MEADHALL_") and each not in OF_THE_RUN]:
    del os.environ[_name]

settings.register_profile("steady", derandomize=True, deadline=None)
settings.register_profile("long", max_examples=2000, deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "steady"))


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out files and folders that have no tests of this pass: to import them would take longer than many a test."""
    chosen = config.option.markexpr
    if chosen.startswith("compiled"):
        files = collection_path.rglob("test_*.py") if collection_path.is_dir() else [collection_path]
        return not any("mark.compiled" in file.read_text("utf-8") for file in files) or None
    if not collection_path.match("test_*.py"):
        return None
    is_of_browser = BROWSER in collection_path.parents
    return (chosen.startswith("browser") and not is_of_browser) or ("not browser" in chosen and is_of_browser) or None


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Move the files with slow tests to the front, so that no core waits for them at the end. All are shuffled before."""
    first: set[Path] = {item.path for item in items if item.get_closest_marker("slow")}
    items.sort(key=lambda item: item.path not in first)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """List what took long and isn't marked ``slow``, and the sum of all that took long. Nothing fails: a machine may be busy."""
    reports = [report for found in terminalreporter.stats.values() for report in found if isinstance(report, pytest.TestReport)]
    long = sorted((report for report in reports if report.duration > SLOW_SECONDS), key=lambda report: -report.duration)
    terminalreporter.section(f"longer than {SLOW_SECONDS} s without the marker slow")
    for report in long:
        if "slow" not in report.keywords:
            terminalreporter.write_line(f"{report.duration:6.1f} s {report.when:8} {report.nodeid}")
    total = sum(report.duration for report in long)
    terminalreporter.write_line(f"longer than {SLOW_SECONDS} s, marked or not: {total:.0f} s of at most {SLOW_SECONDS_IN_ALL} s")
