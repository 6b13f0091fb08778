"""Clocks on a table's page.

A frame is rendered once and shown for a while, so it says when the time of a clock is up, not how much is left. A script counts
down by the hall's time. ``filled`` writes into a page what is left when it is loaded, for readers without JavaScript.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Final

import msgspec
from markupsafe import Markup

from meadhall.engine.text.language import gettext as _
from meadhall.engine.text.language import ngettext
from meadhall.server.hall.clocks import DAY, HOUR, MINUTE, Clocks
from meadhall.server.hall.deadlines import margin
from meadhall.server.pages.dates import decimal, moment
from meadhall.server.pages.models import ClockView
from meadhall.server.store.models import Clock

_TENTHS_BELOW: Final = 10.0
"""Seconds below which a live clock shows tenths."""

_SINCE = re.compile(r"<!--since (\d+)-->")
"""Stands where a page shows for how long a player has been away."""

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
    begins = max([clocks.since, *(ended for _began, ended in clocks.outages)])
    return ClockView(
        slow=not clocks.clock.is_live,
        left=round(1000 * clocks.left[seat]),
        deadline=None if deadline is None else milliseconds(deadline),
        begins=0 if deadline is None else milliseconds(min(begins, deadline)),
        short=round(1000 * short_seconds(clocks.clock)),
        paused=clocks.is_paused,
        still=_still(clocks, seat, deadline),
        until=None if deadline is None or clocks.clock.is_live else moment(deadline),
    )


def _still(clocks: Clocks, seat: int, deadline: datetime | None) -> tuple[int, int] | None:
    """Return the holiday that a deadline counts, as its beginning and end."""
    for each in reversed(clocks.holidays_of(seat)):
        if deadline is not None and each.began_at < deadline and each.ended_at > clocks.since:
            return milliseconds(each.began_at), milliseconds(each.ended_at)
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

    text = _DUE.sub(due, _SINCE.sub(lambda found: time_away((time - int(found[1])) / 1000), _LEFT.sub(left, html)))
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
