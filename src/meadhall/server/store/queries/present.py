"""The present time for queries: that of the hall to which the connection belongs."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

from sqlalchemy import Connection

from meadhall.server.ops.time import Time

_OPTION: Final = "time"


def timed(time: Time) -> Mapping[str, Any]:
    """Return the execution options of connections that belong to a hall with this time."""
    return {_OPTION: time}


def now(connection: Connection) -> datetime:
    """Return the date and time in UTC."""
    time: Time = connection.get_execution_options()[_OPTION]
    return time.now()
