"""The models of replays and chart pages."""

from __future__ import annotations

from dataclasses import replace

from meadhall.bots.analysis import Knowledge
from meadhall.engine.errors import MeadhallError
from meadhall.engine.match.match import Match
from meadhall.engine.match.telling import crowned
from meadhall.engine.match.view import EVERYTHING, SPECTATOR, bot_in_words
from meadhall.engine.text.language import gettext as _
from meadhall.server.errors import reason_of
from meadhall.server.hall.analysis import ChartJob, ChartQueue
from meadhall.server.pages.chart import chart_part
from meadhall.server.pages.match import given_up_view, match_page, result_view, strength
from meadhall.server.pages.models import ChartPage, ChartPart, ReplayPage, SeatView
from meadhall.server.store.models import TableRow
from meadhall.server.web.links import link


def knowledge_of(knowledge: str) -> Knowledge:
    """Return the knowledge that an address asks for."""
    return "everything" if knowledge == "everything" else "public"


def chart_page(match: Match, job: ChartJob, base: str, back: str) -> ChartPage:
    """Return the page of a chart. ``back``: the address of the match."""
    result = result_view(match) or given_up_view(match)
    place = replace(chart_part(match, job, base), kept=True)
    return ChartPage(place, match.game.name, match.game.title, result.headline, result.how, back)


def with_chart(
    content: ReplayPage, charts: ChartQueue, name: str, base: str, match: Match, knowledge: Knowledge, client: str = ""
) -> ReplayPage:
    """Return the replay with the chart of its match, which has ended; or with the reason why there is no chart."""
    try:
        place = chart_part(match, charts.request(name, match, knowledge, client), base)
    except MeadhallError as error:
        place = ChartPart(f"{base}/chart", content.base, knowledge, error=reason_of(error))
    return replace(content, chart=replace(place, step=content.step, seat=content.seat))


def with_crests(content: ReplayPage, table: TableRow) -> ReplayPage:
    """Return the replay with the crests of the people who sat at the table."""
    seats = zip(content.page.seats, table.seats, strict=True)
    return replace(content, page=replace(content.page, seats=tuple(replace(seat, arms=row.crest) for seat, row in seats)))


def replay_page(
    match: Match, base: str, step: int | None, seat: str, own_seat: int | None, url: str, sealed: bool = False
) -> ReplayPage:
    """Return one moment of a match.

    Args:
        base: the address of the replay.
        step: the number of the action after which the match is shown.
        seat: whose view is shown: a seat number, or "all".
        own_seat: the guest's seat. Until the match has ended and is not sealed, other seats can't be chosen, and "all" is a
            spectator's view.
        url: the address of the match.
        sealed: whether other guests still play the same deal.
    """
    last = len(match.steps)
    position = max(0, min(last, step or 0))
    opened = match.ended and not sealed
    if opened:
        viewers = {"all": EVERYTHING} | {str(k): k for k in range(match.players)}
    else:
        viewers = {"all": SPECTATOR} | ({str(own_seat): own_seat} if own_seat is not None else {})
    seat = seat if seat in viewers else "all"
    names = {"all": _("Everything revealed") if opened else _("Spectator")} | {str(k): name for k, name in enumerate(match.names)}
    view = match.view_at(position, viewers[seat])
    result = match.outcome() if position == last else None
    seats = tuple(
        SeatView(
            k,
            who.name,
            who.kind,
            bot_in_words(who.bot),
            strength=strength(who.bot),
            active=k in view.deciders,
            winner=result is not None and k in crowned(len(match.seats), result),
        )
        for k, who in enumerate(match.seats)
    )
    moment = match_page(match, view, id="replay", url=url, seats=seats)
    return ReplayPage(
        page=replace(moment, choices=(), your_turn=False, viewer=None, result=result_view(match) if result else None),
        base=base,
        step=position,
        last=last,
        seat=seat,
        seat_choices=tuple((value, names[value]) for value in viewers),
        verified=_("All rolls were verified against the seed.") if url == link("/replay") else "",
    )
