"""The models of *Quick match*: the page of a guest who waits, and the people who wait in the hall."""

from __future__ import annotations

import math
from datetime import datetime
from typing import Final

from meadhall.engine.registry import game
from meadhall.engine.text.language import gettext as _
from meadhall.engine.text.language import ngettext
from meadhall.server.hall.matching.choices import choices_of
from meadhall.server.hall.matching.quick_match import Pool
from meadhall.server.pages.clock_words import clock_in_words, clock_value, time_in_words, usual_clocks
from meadhall.server.pages.hall import OPTION
from meadhall.server.pages.models import Option, QuickCard, QuickPage
from meadhall.server.pages.open_tables import age_in_words
from meadhall.server.store.seek import Seek

NEVER: Final = "never"
TIMES: Final = (30, 60, 120, 300)
"""Seconds after which bots may fill the empty seats; or never."""

DEFAULT_TIME: Final = 60

DEFAULT_CLOCK: Final = "decision:60"
"""The clock of a quick match unless the guest chooses another one: strangers should not wait for each other without an end."""


def quick_page(pool: Pool | None, at: datetime) -> QuickPage | None:
    """Return the page of a guest who waits in a pool; None for one who doesn't wait."""
    if pool is None:
        return None
    seek = pool.seek
    left = None if seek.bots_at is None else max(0, math.ceil((seek.bots_at - at).total_seconds()))
    return QuickPage(
        game=seek.game,
        title=game(seek.game).title,
        wanted=_wanted(seek),
        names=pool.names,
        players=seek.players,
        seconds=left,
        times=(
            *(Option(str(time), time_in_words(time), seek.bots_after == time) for time in TIMES),
            Option(NEVER, _("never"), seek.bots_after is None),
        ),
        clocks=tuple(Option(clock_value(each), clock_in_words(each), each == seek.clock) for each in usual_clocks()),
        fields=_fields(seek),
    )


def quick_card(pool: Pool, at: datetime) -> QuickCard:
    """Return the line about people who wait, with what a form sends to join them."""
    seek, count = pool.seek, len(pool.names)
    waits = ngettext("{count} person waits {age}", "{count} people wait {age}", count)
    return QuickCard(
        game=seek.game,
        title=game(seek.game).title,
        wanted=_wanted(seek),
        waits=waits.format(count=count, age=age_in_words((at - seek.created_at).total_seconds())),
        fields={**_fields(seek), "clock": clock_value(seek.clock), "bots_after": str(DEFAULT_TIME)},
    )


def _wanted(seek: Seek) -> tuple[str, ...]:
    """Say what the guest looks for: the number of players, the values of all options, and the clock."""
    players = ngettext("{count} player", "{count} players", seek.players).format(count=seek.players)
    values = (f"{option.name}: {seek.options.get(option.name, option.default)}" for option in choices_of(game(seek.game)))
    return (players, *values, clock_in_words(seek.clock))


def _fields(seek: Seek) -> dict[str, str]:
    options = {OPTION + each.name: str(seek.options.get(each.name, each.default)) for each in choices_of(game(seek.game))}
    return {"game": seek.game, "seats": str(seek.players), "bot": seek.bot, **options}
