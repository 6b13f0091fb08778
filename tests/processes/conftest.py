"""Tests of real processes use the fixtures of the server's tests."""

from __future__ import annotations

from server.conftest import *  # noqa: F403
