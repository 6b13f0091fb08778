"""The models of replays and of charts on a page of their own."""

from __future__ import annotations

from dataclasses import replace

from meadhall.bots.analysis import Knowledge
from meadhall.engine.errors import MeadhallError
from meadhall.engine.language import gettext as _
from meadhall.engine.match import Match
from meadhall.engine.view import EVERYTHING, SPECTATOR
from meadhall.server.errors import reason_of
from meadhall.server.hall.chart_queue import Charts, Drawing
from meadhall.server.pages.chart import chart_place
from meadhall.server.pages.match import given_up_view, match_page, result_view
from meadhall.server.pages.models import ChartPage, ChartPlace, ReplayPage, SeatView


def knowledge_of(known: str) -> Knowledge:
    """The knowledge asked for in an address."""
    return "everything" if known == "everything" else "public"


def chart_page(match: Match, drawing: Drawing, base: str, back: str) -> ChartPage:
    """A chart on a page of its own."""
    result = result_view(match) or given_up_view(match)
    place = replace(chart_place(match, drawing, base), kept=True)
    return ChartPage(place, match.game.name, match.game.title, result.headline, result.how, back)


def with_chart(
    content: ReplayPage, charts: Charts, name: str, base: str, match: Match, known: str, client: str = ""
) -> ReplayPage:
    """A replay of a match that has ended, with its chart; or with the reason why there is none now."""
    knowledge = knowledge_of(known)
    try:
        place = chart_place(match, charts.chart(name, match, knowledge, client), base)
    except MeadhallError as error:
        place = ChartPlace(f"{base}/chart", content.base, knowledge, trouble=reason_of(error))
    return replace(content, chart=replace(place, at=content.at, eyes=content.eyes))


def replay_page(
    match: Match, base: str, at: int | None, eyes: str, own_seat: int | None, url: str, sealed: bool = False
) -> ReplayPage:
    """One moment of a match. Until it has ended, and is not sealed, only ``own_seat``'s eyes, or a spectator's, can be used."""
    last = len(match.steps)
    position = max(0, min(last, at if at is not None else 0))
    opened = match.ended and not sealed
    if opened:
        known = {"all": EVERYTHING} | {str(seat): seat for seat in range(match.players)}
    else:
        known = {"all": SPECTATOR} | ({str(own_seat): own_seat} if own_seat is not None else {})
    eyes = eyes if eyes in known else "all"
    names = {"all": _("Everybody") if opened else _("A spectator")} | {str(k): name for k, name in enumerate(match.names)}
    view = match.view_at(position, known[eyes])
    result = match.result() if position == last else None
    seats = tuple(
        SeatView(
            seat,
            who.name,
            who.kind,
            who.bot or "",
            active=view.actor == seat,
            winner=result is not None and seat in result.winners,
        )
        for seat, who in enumerate(match.seats)
    )
    moment = match_page(match, view, id="replay", url=url, seats=seats)
    return ReplayPage(
        page=replace(moment, choices=(), your_turn=False, viewer=None, result=result_view(match) if result else None),
        base=base,
        at=position,
        last=last,
        eyes=eyes,
        eyes_choices=tuple((value, names[value]) for value in known),
        verified=_("Every die has been verified against the seed.") if url == "/replay" else "",
    )
