"""The form with which the host chooses the clock of a table."""

from __future__ import annotations

from collections.abc import Iterable
from typing import get_args

from meadhall.engine.errors import BadSetup
from meadhall.engine.text.language import gettext as _
from meadhall.server.hall.clocks import INCREMENTS, SECONDS, check_clock
from meadhall.server.pages.clock_words import NO_CLOCK, clock_in_words, clock_sentence, clock_value, time_in_words
from meadhall.server.pages.models import ClockChoiceView, Option, OptionGroup
from meadhall.server.store.models import Clock, ClockKind, TimeUp
from meadhall.server.web.forms import Form, integer


def clock_choice(clock: Clock | None) -> ClockChoiceView:
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
        OptionGroup(name, tuple(_choice(f"{kind}:{seconds}", time_in_words(seconds), was) for seconds in SECONDS[kind]))
        for kind, name in kinds.items()
    )
    return ClockChoiceView(
        was=was,
        brief=clock_in_words(clock),
        words=clock_sentence(clock),
        groups=(none, *timed),
        increments=tuple(_increments(clock)) if clock is not None and clock.is_of_seats else (),
        time_up=() if clock is None else tuple(_time_up(clock)),
    )


def _choice(value: str, text: str, chosen: str) -> Option:
    return Option(value, text, value == chosen)


def _increments(clock: Clock) -> Iterable[Option]:
    for seconds in INCREMENTS[clock.kind]:
        yield _choice(str(seconds), time_in_words(seconds) if seconds else _("nothing"), str(clock.increment))


def _time_up(clock: Clock) -> Iterable[Option]:
    texts: dict[TimeUp, str] = {
        "bot_decision": _("A bot plays this decision"),
        "bot_seat": _("A bot takes the seat, until the player returns"),
        "resign": _("The seat resigns"),
    }
    for each in get_args(TimeUp):
        yield _choice(each, texts[each], clock.time_up)


def clock_of_form(form: Form) -> Clock | None:
    """Return the clock that the form asks for. Another time has its own increment, and another kind its own rule for its end.

    Raises BadSetup.
    """
    chosen, was = form.get("clock", ""), form.get("was", "")
    kind, _colon, seconds = chosen.partition(":")
    if kind == NO_CLOCK:
        return check_clock(kind)
    if not seconds.isdecimal():
        raise BadSetup(_("Which clock?"))
    increment = integer(form, "increment") if chosen == was else None
    time_up = form.get("time_up") if was.partition(":")[0] == kind else None
    return check_clock(kind, int(seconds), increment, time_up)
