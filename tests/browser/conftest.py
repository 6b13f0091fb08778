"""The fixtures of the tests in a real browser. Run them in a separate process: ``pytest tests/browser``."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect, sync_playwright

from browser.people import NewPerson, Person
from browser.server import ENDED, QUICK, Hall
from server.push_endpoint import PushEndpoint, push_endpoint

ROOT = Path(__file__).parents[2]


expect.set_options(timeout=60_000)  # for a busy machine

ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-quic"]
"""Arguments of Chromium: without a sandbox, as root may need it, and without what no page here uses."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker("browser")


def chromium() -> str:
    """Return the path of a Chromium: MEADHALL_CHROMIUM, or one that ``tools/browser`` finds or installs."""
    path = os.environ.get("MEADHALL_CHROMIUM")
    if path:
        return path
    found = subprocess.run([ROOT / "tools" / "browser"], capture_output=True, text=True, check=False)
    if found.returncode != 0:
        pytest.fail(f"no browser for the tests: {found.stderr}", pytrace=False)
    return found.stdout.strip()


@contextmanager
def started_chromium() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=chromium(), args=ARGUMENTS)
        yield started
        started.close()


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Start one Chromium for all tests. Every person has a separate context in it."""
    with started_chromium() as started:
        yield started


@pytest.fixture(scope="session")
def push_service() -> Iterator[PushEndpoint]:
    with push_endpoint() as opened:
        yield opened


@pytest.fixture(scope="session")
def hall(tmp_path_factory: pytest.TempPathFactory, push_service: PushEndpoint) -> Iterator[Hall]:
    """Start the hall that most tests share."""
    started = Hall(tmp_path_factory.mktemp("hall"), command=QUICK, MEADHALL_PUSH_SERVICES=push_service.url)
    started.start()
    yield started
    assert started.stop() in ENDED, started.log.read_text()
    faults = [line for line in started.log.read_text().splitlines() if "ERROR" in line or "Traceback" in line]
    assert not faults, started.log.read_text()


@pytest.fixture
def new_person(browser: Browser, hall: Hall) -> Iterator[NewPerson]:
    """Return a function that creates people with separate browsers. At the end no browser may have had an error."""
    here: list[Person] = []

    def person(**options: Any) -> Person:
        here.append(Person(browser, hall.url, **options))
        return here[-1]

    yield person
    for each in here:
        each.leave()
    faults = [fault for each in here for fault in each.faults]
    assert not faults, "\n".join(faults)
