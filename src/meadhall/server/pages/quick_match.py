"""The models of *Quick match*: the page of a guest who waits, and the people who wait in the hall."""

from __future__ import annotations

import math
from datetime import datetime
from typing import Final

from meadhall.engine.registry import game
from meadhall.engine.text.language import gettext as _
from meadhall.engine.text.language import ngettext
from meadhall.server.hall.matching.choices import choices_of
from meadhall.server.hall.matching.quick_match import Queue
from meadhall.server.pages.clock import clock_in_words, clock_value, time_in_words, usual_clocks
from meadhall.server.pages.front_page import OPTION, age_in_words
from meadhall.server.pages.models import Option, QuickCard, QuickPage
from meadhall.server.pages.picture import tile_art
from meadhall.server.store.match_request import MatchRequest

NEVER: Final = "never"
TIMES: Final = (30, 60, 120, 300)
"""Seconds after which bots may fill the empty seats; or never."""

DEFAULT_TIME: Final = 60


def quick_page(queue: Queue | None, at: datetime) -> QuickPage | None:
    """Return the page of a guest who waits in a queue; None for one who doesn't wait."""
    if queue is None:
        return None
    request = queue.request
    left = None if request.bots_at is None else max(0, math.ceil((request.bots_at - at).total_seconds()))
    return QuickPage(
        game=request.game,
        title=game(request.game).title,
        art=tile_art(request.game),
        wanted=_wanted(request),
        names=queue.names,
        players=request.players,
        seconds=left,
        times=(
            *(Option(str(time), time_in_words(time), request.bots_after == time) for time in TIMES),
            Option(NEVER, _("never"), request.bots_after is None),
        ),
        clocks=tuple(Option(clock_value(each), clock_in_words(each), each == request.clock) for each in usual_clocks()),
        fields=_fields(request),
    )


def quick_card(queue: Queue, at: datetime) -> QuickCard:
    """Return the line about people who wait, with what a form sends to join them."""
    request, count = queue.request, len(queue.names)
    waits = ngettext("{count} person waits {age}", "{count} people wait {age}", count)
    return QuickCard(
        game=request.game,
        title=game(request.game).title,
        wanted=_wanted(request),
        waits=waits.format(count=count, age=age_in_words((at - request.created_at).total_seconds())),
        fields={**_fields(request), "clock": clock_value(request.clock), "bots_after": str(DEFAULT_TIME)},
    )


def _wanted(request: MatchRequest) -> tuple[str, ...]:
    """Say what the guest looks for: the number of players, the values of all options, and the clock."""
    players = ngettext("{count} player", "{count} players", request.players).format(count=request.players)
    values = (option.label(request.options.get(option.name, option.default)) for option in choices_of(game(request.game)))
    return (players, *values, clock_in_words(request.clock))


def _fields(request: MatchRequest) -> dict[str, str]:
    options = {OPTION + each.name: str(request.options.get(each.name, each.default)) for each in choices_of(game(request.game))}
    return {"game": request.game, "seats": str(request.players), "bot": request.bot, **options}
