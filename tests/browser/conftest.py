"""The fixtures of the tests in a real browser. They run in a process of their own: ``pytest tests/browser``."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect, sync_playwright

from browser.people import Come, Person
from browser.server import ENDED, Hall

ROOT = Path(__file__).parents[2]


expect.set_options(timeout=20_000)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker("browser")


def chromium() -> str:
    """The path of a Chromium: the one that is named, else what the finder finds or installs."""
    named = os.environ.get("MEADHALL_CHROMIUM")
    if named:
        return named
    found = subprocess.run([ROOT / "tools" / "browser"], capture_output=True, text=True, check=False)
    if found.returncode != 0:
        pytest.fail(f"there is no browser to test with: {found.stderr}", pytrace=False)
    return found.stdout.strip()


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """One Chromium for all tests; every person has a context of their own in it."""
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=chromium(), args=["--no-sandbox"])
        yield started
        started.close()


@pytest.fixture(scope="session")
def hall(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hall]:
    """The hall that most tests share."""
    started = Hall(tmp_path_factory.mktemp("hall"))
    started.start()
    yield started
    assert started.stop() in ENDED, started.log.read_text()
    faults = [line for line in started.log.read_text().splitlines() if "ERROR" in line or "Traceback" in line]
    assert not faults, started.log.read_text()


@pytest.fixture
def come(browser: Browser, hall: Hall) -> Iterator[Come]:
    """People come to the hall, each with their own browser; at the end nothing may have gone wrong in any of them."""
    here: list[Person] = []

    def person(**manner: Any) -> Person:
        here.append(Person(browser, hall.url, **manner))
        return here[-1]

    yield person
    for each in here:
        each.leave()
    faults = [fault for each in here for fault in each.faults]
    assert not faults, "\n".join(faults)
