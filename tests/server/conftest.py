"""The fixtures of the server's tests: a hall with a separate database for every test."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import pytest_asyncio

from meadhall.cli.hall_data import backup as back_up
from meadhall.engine.registry import registered
from meadhall.server.hall import hall as hall_module
from meadhall.server.ops import machine
from meadhall.server.ops.logs import OncePerInterval
from meadhall.server.ops.time import Time
from meadhall.server.settings import Settings
from ports import free_port
from server import hoard_on_a_page
from server.halls import with_guests
from server.manual_time import ManualTime
from server.people import OpenHall, open_hall
from server.prepared import create_schema
from server.ready import ReadyAtOnce, name_guests_in_turn


@pytest.fixture(scope="session", autouse=True)
def named_in_turn() -> None:
    name_guests_in_turn()


@pytest.fixture(scope="module")
def hoard() -> Iterator[None]:
    """Register Hoard with its page."""
    with registered(hoard_on_a_page.game):
        yield


@pytest.fixture(autouse=True)
def logged_anew() -> None:
    """Let each test log lines that another test has logged a moment ago (``OncePerInterval``)."""
    for logger in logging.root.manager.loggerDict.values():
        for each in logger.filters if isinstance(logger, logging.Logger) else ():
            if isinstance(each, OncePerInterval):
                each.forget()


def without_limits(data: Path) -> Settings:
    """Return settings without pauses and limits."""
    return Settings(data=data, browser=False, bot_pause=0.0, requests_per_minute=0)


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return without_limits(tmp_path)


@pytest.fixture
def on_sqlite(settings: Settings) -> Settings:
    """Return the same settings with a database that has the hall's schema."""
    create_schema(settings)
    return settings


@pytest.fixture(scope="module")
def at_once(hoard: None) -> Iterator[None]:
    """Make all games ready at once, and skip the collection of all loaded objects, which takes long in tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(hall_module, "Readiness", ReadyAtOnce)
        patch.setattr(machine, "freeze_loaded_objects", lambda: None)
        yield


@pytest.fixture
def hall(request: pytest.FixtureRequest) -> OpenHall:
    """Return a hall in this process, on SQLite.

    The tests of a module share one if they share an event loop: ``pytest.mark.asyncio(loop_scope="module")``. A test of such a
    module that needs a hall for itself has the mark ``pytest.mark.asyncio``.
    """
    mark = request.node.get_closest_marker("asyncio")
    is_shared = mark is not None and mark.kwargs.get("loop_scope") == "module"
    opened: OpenHall = request.getfixturevalue("shared_hall" if is_shared else "own_hall")
    return opened


@pytest.fixture
def time() -> ManualTime:
    """Return a time that passes only when the test advances it."""
    return ManualTime()


@pytest.fixture
def hall_time(request: pytest.FixtureRequest) -> Time:
    """Return the time of ``hall``: ``time`` for a test that uses this fixture, too, else that of the machine."""
    if "time" not in request.fixturenames:
        return Time()
    chosen: ManualTime = request.getfixturevalue("time")
    return chosen


@pytest_asyncio.fixture
async def own_hall(settings: Settings, at_once: None, hall_time: Time) -> AsyncIterator[OpenHall]:
    async with open_hall(settings, time=hall_time) as opened:
        yield opened


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def shared_hall(at_once: None, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[OpenHall]:
    async with open_hall(without_limits(tmp_path_factory.mktemp("hall"))) as opened:
        yield opened


@pytest.fixture
def elsewhere(settings: Settings, tmp_path: Path) -> Settings:
    """Return settings of another hall."""
    return replace(settings, data=tmp_path / "elsewhere")


@pytest.fixture
def backup(settings: Settings, tmp_path: Path) -> Path:
    """Return the backup of a hall with a few guests."""
    with_guests(settings, 40)
    file = tmp_path / "hall.backup"
    back_up(file, settings.data)
    return file


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """Return the variables of a hall in a private folder, on a free port."""
    folder = tmp_path / "hall"
    folder.mkdir(mode=0o700)
    return {"MEADHALL_DATA": str(folder), "MEADHALL_PORT": str(free_port())}
