"""Dates and times in words. The server says them in UTC, and a script changes them to the time zone of the reader."""

from __future__ import annotations

from datetime import UTC, date, datetime

from babel.dates import format_date, format_datetime, format_interval
from babel.numbers import format_decimal

from meadhall.engine.text.language import current_language
from meadhall.server.hall.holidays import last_day
from meadhall.server.pages.models import Moment
from meadhall.server.store.uptime import Holiday


def moment(time: datetime) -> Moment:
    """Return a time as a page shows it."""
    time = time.astimezone(UTC)
    return Moment(time.strftime("%Y-%m-%dT%H:%M:%SZ"), f"{format_datetime(time, 'medium', tzinfo=UTC, locale=locale())[:-3]} UTC")


def locale() -> str:
    """Return the locale of the current language."""
    language = current_language()
    return "en_GB" if language == "en" else language


def decimal(number: float) -> str:
    """Return a number with one decimal in the current language: "1.8", "1,8"."""
    return str(format_decimal(round(number, 1), "0.0", locale=locale()))


def day_in_words(day: str) -> str:
    """Return a date in words: "21 November 2026"."""
    return str(format_date(date.fromisoformat(day), "long", locale=locale()))


def holiday_in_words(holiday: Holiday) -> str:
    """Return the days of a holiday: "1 – 8 Dec"."""
    return str(format_interval(holiday.began_at.date(), last_day(holiday), "MMMd", locale=locale()))


def month_in_words(day: str) -> str:
    """Return the month of a date, abbreviated: "Nov"."""
    return str(format_date(date.fromisoformat(day), "LLL", locale=locale()))
