"""Tests of real processes: they share the fixtures of the server's tests, and one hall serves all tests of a file."""

from __future__ import annotations

import pytest

from server.conftest import (
    at_once as at_once,
)
from server.conftest import (
    hall as hall,
)
from server.conftest import (
    hall_time as hall_time,
)
from server.conftest import (
    hoard as hoard,
)
from server.conftest import (
    on_each_database as on_each_database,
)
from server.conftest import (
    on_postgresql as on_postgresql,
)
from server.conftest import (
    on_sqlite as on_sqlite,
)
from server.conftest import (
    own_hall as own_hall,
)
from server.conftest import (
    postgresql as postgresql,
)
from server.conftest import (
    settings as settings,
)
from server.conftest import (
    shared_hall as shared_hall,
)


@pytest.fixture(scope="module")
def compiled(hoard: None) -> None:
    """Register Hoard with its page."""
