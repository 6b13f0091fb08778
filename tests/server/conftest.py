"""The fixtures of the server's tests: a hall on a database of its own for every test, a PostgreSQL for all of them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import pytest_asyncio

from meadhall.engine.game import registered
from meadhall.lab import warm
from meadhall.server.hall import hall as hall_module
from meadhall.server.ops import gc_tuning
from meadhall.server.settings import Settings
from server import hoard_on_a_page
from server.people import AXES, HOARD, OpenHall, open_hall
from server.postgres import PostgreSQL, start_postgresql
from server.ready import ReadyAtOnce


@pytest.fixture(scope="session")
def compiled() -> Iterator[None]:
    """Axes and Allies and Hoard can be played at once; Hoard has a page here."""
    with registered(hoard_on_a_page.game):
        warm([AXES, HOARD], bulk=False)
        yield


@pytest.fixture(scope="session")
def postgresql(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PostgreSQL]:
    """A real PostgreSQL on loopback."""
    with start_postgresql() as server:
        yield server


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """Settings under which nothing waits and nothing is limited."""
    return Settings(data=tmp_path, browser=False, bot_pause=0.0, requests_per_minute=0)


@pytest.fixture
def on_postgresql(settings: Settings, postgresql: PostgreSQL) -> Settings:
    """The same, on a new PostgreSQL database."""
    return replace(settings, database_url=postgresql.new_database())


@pytest.fixture(params=["sqlite", "postgresql"])
def on_each_database(request: pytest.FixtureRequest, settings: Settings) -> Settings:
    """The same test on both databases."""
    if request.param == "sqlite":
        return settings
    chosen: Settings = request.getfixturevalue("on_postgresql")
    return chosen


@pytest.fixture
def at_once(compiled: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every hall's games are ready at once, and none collects all that the tests have loaded."""
    monkeypatch.setattr(hall_module, "Readiness", ReadyAtOnce)
    monkeypatch.setattr(gc_tuning, "freeze_loaded_objects", lambda: None)


@pytest_asyncio.fixture
async def hall(settings: Settings, at_once: None) -> AsyncIterator[OpenHall]:
    """A hall in this process, on SQLite."""
    async with open_hall(settings) as opened:
        yield opened
