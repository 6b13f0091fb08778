"""Messages that repeat are logged once per interval, with the number of those left out."""

from __future__ import annotations

import logging
import time

import pytest

from meadhall.server.ops.logs import OncePerInterval


def test_a_message_is_logged_once_per_interval(caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    log = logging.getLogger("meadhall.test.log_limit")
    log.addFilter(OncePerInterval(60.0))
    for number in range(3):
        log.warning("full: %d", number)
        log.warning("slow")
        log.error("broken %d", number)
    assert caplog.messages == ["full: 0", "slow", "broken 0", "broken 1", "broken 2"], "errors always pass"
    now += 61.0
    caplog.clear()
    log.warning("full: %d", 7)
    log.warning("full: %d", 8)
    assert caplog.messages == ["full: 7 (2 more like this since the last line)"]
