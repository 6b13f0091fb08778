"""Clocks on a table's page, the choice of one, and times and dates in words.

A frame is rendered once and shown for a while, so it says when the time of a clock is up, not how much is left. A script counts
down by the hall's time. ``filled`` writes into a page what is left when it is loaded, for readers without JavaScript.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import UTC, date, datetime, timedelta
from typing import Any, Final, get_args

import msgspec
from babel.dates import format_date, format_datetime, format_interval, format_timedelta
from babel.numbers import format_decimal
from markupsafe import Markup

from meadhall.engine.errors import BadSetup
from meadhall.engine.text.language import current_language, gettext as _, ngettext
from meadhall.server.hall.clocks import DAY, HOUR, INCREMENTS, MINUTE, SECONDS, Clocks, check_clock, time_in_words
from meadhall.server.hall.deadlines import margin
from meadhall.server.hall.holidays import last_day
from meadhall.server.pages.models import ClockView, Moment, Option, OptionGroup
from meadhall.server.store.models import Clock, ClockKind, TimeUp
from meadhall.server.store.uptime import Holiday
from meadhall.server.web.forms import Form, integer


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


def clock_choice(clock: Clock | None) -> dict[str, Any]:
    """Return what the host can choose, with the table's clock as chosen."""
    was = clock_value(clock)
    kinds: dict[ClockKind, str] = {
        "seat": _("Live, for the whole match"),
        "decision": _("Live, for each decision"),
        "slow": _("Slow, for each decision"),
        "reserve": _("Slow, for the whole match"),
    }
    none = OptionGroup("", (Option(NO_CLOCK, _("No clock"), was == NO_CLOCK),))
    timed = (
        OptionGroup(name, tuple(Option(value := f"{kind}:{each}", time_in_words(each), value == was) for each in SECONDS[kind]))
        for kind, name in kinds.items()
    )
    return {
        "was": was,  # the clock as a value of the form, e.g. "seat:300"
        "brief": clock_in_words(clock),  # "5 minutes each + 3 seconds"
        "slow": clock is not None and not clock.is_live,  # whether it counts days
        "words": clock_sentence(clock),  # its meaning, in a sentence or two
        "groups": (none, *timed),
        # empty if this kind of clock has none
        "increments": tuple(
            Option(str(gain), time_in_words(gain) if gain else _("nothing"), gain == clock.increment)
            for gain in INCREMENTS[clock.kind]
        )
        if clock is not None and clock.is_of_seats
        else (),
        "time_up": () if clock is None else tuple(_time_up(clock)),  # empty without a clock
    }


def _time_up(clock: Clock) -> Iterable[Option]:
    texts: dict[TimeUp, str] = {
        "bot_decision": _("A bot plays this decision"),
        "bot_seat": _("A bot takes the seat, until the player returns"),
        "resign": _("The seat resigns"),
    }
    for each in get_args(TimeUp):
        yield Option(each, texts[each], each == clock.time_up)


def clock_of_form(form: Form) -> Clock | None:
    """Return the clock that the form asks for. Another time has its own increment, and another kind its own rule for its end.

    Raises BadSetup.
    """
    chosen, was = form.get("clock", ""), form.get("was", "")
    increment = integer(form, "increment") if chosen == was != NO_CLOCK else None
    time_up = form.get("time_up") if was.partition(":")[0] == chosen.partition(":")[0] else None
    return read_clock(chosen, increment, time_up)


_TENTHS_BELOW: Final = 10.0
"""Seconds below which a live clock shows tenths."""

_SINCE = re.compile(r"<!--since (\d+)( ago)?-->")
"""Stands where a page shows for how long a player has been away, or how long ago they were seen."""

_LONG_UNITS: Final = (365 * DAY, 30 * DAY, 7 * DAY, DAY, HOUR)
"""Seconds of the units in which a page says how long ago a player was seen, as the script has them, too."""

_DUE = re.compile(r'(data-due="(\d+)") hidden')
"""Begins a part that is hidden until a time."""

_LEFT = re.compile(r"<!--left (\d+) (\d+) (live|slow) (\d+) (\d+)-->")
"""Stands in a frame where a page shows how much time is left: when the time is up, since when it runs, and a holiday, in
milliseconds."""


# ------------------------------------------------------------------------------------------------------------------ the clocks


def clock_views(clocks: Clocks | None) -> Mapping[int, ClockView]:
    """Return the clocks of the seats that people play."""
    if clocks is None:
        return {}
    return {seat: _view(clocks, seat) for seat in range(len(clocks.left)) if seat not in clocks.bots}


def _view(clocks: Clocks, seat: int) -> ClockView:
    deadline = clocks.deadline_of(seat)
    return ClockView(
        slow=not clocks.clock.is_live,
        left=round(1000 * clocks.left[seat]),
        deadline=None if deadline is None else milliseconds(deadline),
        begins=0 if deadline is None else milliseconds(clocks.since),
        short=round(1000 * short_seconds(clocks.clock)),
        paused=clocks.pause is not None,
        still=_still(clocks, seat, deadline),
        until=None if deadline is None or clocks.clock.is_live else moment(deadline),
    )


def _still(clocks: Clocks, seat: int, deadline: datetime | None) -> tuple[int, int] | None:
    """Return the last holiday or outage that a deadline counts, as its beginning and end."""
    for began, ended in reversed(clocks.still(seat)):
        if deadline is not None and began < deadline and ended > clocks.since:
            return milliseconds(began), milliseconds(ended)
    return None


def milliseconds(time: datetime) -> int:
    """Return a time in milliseconds since 1970."""
    return round(1000 * time.timestamp())


def short_seconds(clock: Clock) -> float:
    """Return the seconds below which the time of a clock is short: an eighth of it, of a live one between 10 and 60 seconds."""
    return max(10.0, min(60.0, clock.seconds / 8)) if clock.is_live else margin(clock).total_seconds()


def filled(html: Markup, at: datetime) -> Markup:
    """Return a frame with the times that it shows at this time.

    They are what the running clock has left, how long players have been away, and what may be done about that.
    """
    time = milliseconds(at)

    def left(found: re.Match[str]) -> str:
        deadline, begins = int(found[1]), int(found[2])
        rest = max(0, int(found[5]) - max(time, begins, int(found[4])))
        seconds = max(0.0, (deadline - max(time, begins) - rest) / 1000)
        return time_left(seconds, slow=found[3] == "slow")

    def due(found: re.Match[str]) -> str:
        return found[1] if int(found[2]) <= time else found[0]

    def since(found: re.Match[str]) -> str:
        seconds = (time - int(found[1])) / 1000
        return time_ago(seconds) if found[2] else time_away(seconds)

    text = _DUE.sub(due, _SINCE.sub(since, _LEFT.sub(left, html)))
    return Markup(text)  # noqa: S704 - of a template, with numbers put in


def time_left(seconds: float, slow: bool) -> str:
    """Return a time as a clock shows it: "4:05", "9.3", and on a slow clock "2 days 3 h"."""
    if slow:
        return _time_in_days(int(seconds))
    if seconds < _TENTHS_BELOW:
        return decimal(int(10 * seconds) / 10)
    whole = int(seconds)
    hours, minutes = divmod(whole // MINUTE, 60)
    return f"{hours}:{minutes:02}:{whole % MINUTE:02}" if hours else f"{minutes}:{whole % MINUTE:02}"


def time_away(seconds: float) -> str:
    """Return for how long a player has been away: "4 min", "2 days 3 h"; "" at first."""
    return _time_in_days(int(seconds)) if seconds >= MINUTE else ""


def time_ago(seconds: float) -> str:
    """Return how long ago a player was seen, in the largest whole unit from minutes to years: "2 hours ago"."""
    unit = next((each for each in _LONG_UNITS if seconds >= each), MINUTE)
    past = timedelta(seconds=-max(MINUTE, seconds // unit * unit))
    return str(format_timedelta(past, threshold=1.0, add_direction=True, locale=locale()))


def _time_in_days(seconds: int) -> str:
    days, hours, minutes = seconds // DAY, seconds % DAY // HOUR, seconds % HOUR // MINUTE
    if days:
        words = ngettext("{count} day", "{count} days", days).format(count=days)
        return f"{words} {_hours(hours)}" if hours else words
    if hours:
        return f"{_hours(hours)} {_minutes(minutes)}" if minutes else _hours(hours)
    return _minutes(minutes) if minutes else _("under 1 min")


def _hours(count: int) -> str:
    return _("{count} h").format(count=count)


def _minutes(count: int) -> str:
    return _("{count} min").format(count=count)


def clock_words() -> str:
    """Return the words with which a script shows the time that is left, as JSON. Numbers of things have two forms."""
    words = {
        "days": _forms("{count} day", "{count} days"),
        "hours": [_("{count} h")] * 2,
        "minutes": [_("{count} min")] * 2,
        "seconds": _forms("{count} second", "{count} seconds"),
        "soon": _("under 1 min"),
        "left": _("Your time left:"),
    }
    return msgspec.json.encode(words).decode()


def _forms(one: str, more: str) -> list[str]:
    return [ngettext(one, more, 1), ngettext(one, more, 2)]
