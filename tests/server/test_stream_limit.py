"""The limit of open streams per client address."""

from __future__ import annotations

import pytest

from meadhall.server.errors import TooMany
from meadhall.server.web.stream_limit import StreamLimit


def test_streams_are_counted_by_address() -> None:
    streams = StreamLimit(1)
    with streams.count("a"):
        assert streams.total == 1
        streams.check("b")
        with pytest.raises(TooMany):
            streams.check("a")
    streams.check("a")
    assert streams.total == 0
