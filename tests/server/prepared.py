"""An app and a database for a hall, prepared once: to build the routes and to run the migrations takes longer than most tests."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from litestar import Litestar

from meadhall.server.app import build_app
from meadhall.server.pages.templates import static_folders
from meadhall.server.settings import Settings
from meadhall.server.store.files import writing
from meadhall.server.store.schema import upgrade

_spare: defaultdict[Hashable, list[Litestar]] = defaultdict(list)


@contextmanager
def spare_app(settings: Settings) -> Iterator[Litestar]:
    """An app that serves no other hall during the block."""
    if settings.requests_per_minute or settings.development:  # it counts requests, or has other routes
        yield build_app(settings.requests_per_minute, development=settings.development)
        return
    spare = _spare[tuple(static_folders().items())]
    app = spare.pop() if spare else build_app(0)
    yield app
    spare.append(app)  # only after a clean end


def create_schema(settings: Settings) -> None:
    """Create the database of a hall that has none yet, by copying one."""
    file = settings.database
    if not file.exists():
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(_empty_database())


@cache
def _empty_database() -> bytes:
    with TemporaryDirectory() as folder:
        file = Path(folder) / "empty.db"
        file.touch()
        with writing(file) as db:
            upgrade(db)
        return file.read_bytes()
