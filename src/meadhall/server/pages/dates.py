"""Dates and times in words. The server says them in UTC, and a script changes them to the time zone of the reader."""

from __future__ import annotations

from datetime import UTC, datetime

from babel.dates import format_datetime

from meadhall.engine.language import current_language
from meadhall.server.pages.models import Moment


def moment(time: datetime) -> Moment:
    """Return a time as a page shows it."""
    time = time.astimezone(UTC)
    return Moment(time.strftime("%Y-%m-%dT%H:%M:%SZ"), f"{format_datetime(time, 'medium', tzinfo=UTC, locale=locale())[:-3]} UTC")


def locale() -> str:
    """Return the locale of the current language."""
    language = current_language()
    return "en_GB" if language == "en" else language
