"""Clocks in a few words, in a sentence, and as a value of a form."""

from __future__ import annotations

from typing import Final

from meadhall.engine.errors import BadSetup
from meadhall.engine.text.language import gettext as _
from meadhall.engine.text.language import ngettext
from meadhall.server.hall.clocks import DAY, HOUR, MINUTE, SECONDS, check_clock
from meadhall.server.store.models import Clock

NO_CLOCK: Final = "none"


def clock_in_words(clock: Clock | None) -> str:
    """Say a clock in a few words: "5 minutes each + 3 seconds", "30 seconds a decision", "no clock"."""
    if clock is None:
        return _("no clock")
    if clock.is_of_seats:
        words = _("{time} each").format(time=time_in_words(clock.seconds))
        return f"{words} + {time_in_words(clock.increment)}" if clock.increment else words
    return _("{time} a decision").format(time=time_in_words(clock.seconds))


def clock_sentence(clock: Clock | None) -> str:
    """Say in a sentence or two what the clock of a table means."""
    if clock is None:
        return _("No clock: everyone takes the time they need.")
    return f"{_times_in_words(clock)} {_time_up_in_words(clock)}"


def _times_in_words(clock: Clock) -> str:
    if not clock.is_of_seats:
        return _("Each player has {time} for each decision.").format(time=time_in_words(clock.seconds))
    if clock.increment == 0:
        return _("Each player has {time} for the whole match.").format(time=time_in_words(clock.seconds))
    text = _("Each player has {time} for the whole match, and {more} more after each action.")
    if not clock.is_live:
        text = _("Each player has {time} for the whole match, and {more} more after each action, up to {time} again.")
    return text.format(time=time_in_words(clock.seconds), more=time_in_words(clock.increment))


def _time_up_in_words(clock: Clock) -> str:
    if clock.time_up == "resign":
        return _("When time is up, the seat resigns.")
    if clock.time_up == "bot_seat":
        return _("When time is up, a bot plays until the player takes the seat back.")
    if clock.kind == "seat":
        return _("When time is up, a bot plays this decision, and the seat gets one more minute.")
    if clock.kind == "reserve":
        return _("When time is up, a bot plays this decision, and the seat gets one more day.")
    return _("When time is up, a bot plays this decision.")


def time_in_words(seconds: int) -> str:
    """Say a time: "30 seconds", "2 minutes", "12 hours", "3 days"."""
    if seconds % DAY == 0 and seconds:
        return ngettext("{count} day", "{count} days", seconds // DAY).format(count=seconds // DAY)
    if seconds % HOUR == 0 and seconds:
        return ngettext("{count} hour", "{count} hours", seconds // HOUR).format(count=seconds // HOUR)
    if seconds % MINUTE == 0 and seconds:
        return ngettext("{count} minute", "{count} minutes", seconds // MINUTE).format(count=seconds // MINUTE)
    return ngettext("{count} second", "{count} seconds", seconds).format(count=seconds)


def clock_value(clock: Clock | None) -> str:
    """Return a clock as a form sends it: ``seat:300``; ``none`` for no clock."""
    return NO_CLOCK if clock is None else f"{clock.kind}:{clock.seconds}"


def read_clock(value: str, increment: int | None = None, time_up: str | None = None) -> Clock | None:
    """Return the clock that a value of a form means, with the usual choices for what is None. Raises BadSetup."""
    kind, _colon, seconds = value.partition(":")
    if kind == NO_CLOCK:
        return None
    if not seconds.isdecimal():
        raise BadSetup(_("Which clock?"))
    return check_clock(kind, int(seconds), increment, time_up)


def usual_clocks() -> list[Clock | None]:
    """Return no clock, and all clocks with their usual increments."""
    return [None, *(check_clock(kind, seconds) for kind, times in SECONDS.items() for seconds in times)]
