"""The model of a match's page: what one viewer may know, as values for the templates in the current language."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from meadhall.bots import RANKS, bar_of, chance_in_words, chance_of_what, in_words, points_in_words, ranks
from meadhall.engine.game import Game
from meadhall.engine.match.match import Match
from meadhall.engine.match.step import Award, Result, award_in_words
from meadhall.engine.match.telling import crowned, headline_of, how_out
from meadhall.engine.match.view import SPECTATOR, View, bot_in_words
from meadhall.engine.registry import game
from meadhall.engine.text.language import current_language, gettext as _, grouped, listed, ngettext
from meadhall.server.hall.analysis import RequestedHint
from meadhall.server.hall.daily_puzzle import ends_at, is_sealed
from meadhall.server.hall.intentions import choices_ahead
from meadhall.server.hall.move import NO_UNDO, undo_of
from meadhall.server.hall.proposal_kinds import GIVEN_UP
from meadhall.server.hall.room import Room
from meadhall.server.hall.stand_ins import as_played, persons_living, persons_playing
from meadhall.server.hall.table_tools import table_tools
from meadhall.server.ops.time import Time
from meadhall.server.pages.any_game import page_of
from meadhall.server.pages.chart import chart_part
from meadhall.server.pages.clock import clock_views, holiday_in_words, milliseconds, moment
from meadhall.server.pages.log import log, private_events, rule_url
from meadhall.server.pages.models import (
    AbsentView,
    Choice,
    HintLine,
    HintView,
    LoggedTurn,
    MatchPage,
    OutView,
    PauseView,
    Refusal,
    Rematch,
    ResultView,
    SeatView,
    StandInView,
)
from meadhall.server.pages.proposals import can_resign, own_take_back, proposal_view, resign_words
from meadhall.server.store import tables
from meadhall.server.store.evenings import ROUND_CLOSED
from meadhall.server.store.models import FINISHED, TableRow
from meadhall.server.web.links import link

_BEFORE_LAST_NUMBER = re.compile(r" (?=\d+[.,:;!?])")


def seat_views(room: Room) -> tuple[SeatView, ...]:
    """Return the seats as every viewer sees them."""
    match = room.match
    result = match.outcome() if match else None
    winners = crowned(len(room.table.seats), result) if result else ()
    deciders = match.deciders if match and room.table.status == "running" else ()
    is_paused = room.state.pause is not None
    is_slow = room.table.clock is not None and not room.table.clock.is_live
    daily = room.table.daily is not None  # in old tables a bot has the seat after a daily puzzle was given up
    clocks = clock_views(room.running_clocks)
    return tuple(
        SeatView(
            row.seat,
            row.name,
            "human" if daily else row.kind,
            "" if daily else bot_in_words(row.bot),
            strength=0 if daily else strength(played.bot),
            active=row.seat in deciders,
            thinking=row.seat in deciders and played.kind == "bot" and not is_paused,
            winner=row.seat in winners,
            online=room.visits.is_here(row),
            ready=row.is_ready and match is None,
            clock=clocks.get(row.seat),
            away_since=None if (since := room.absences.since.get(row.seat)) is None else milliseconds(since),
            is_slow=is_slow,
            holiday=_holiday(room, row.seat),
            stand_in=bot_in_words(played.bot) if played is not row else "",
            person=link(f"/tables/{room.table.id}/people/{row.seat}") if row.guests else "",
        )
        for row in room.table.seats
        for played in [as_played(row, match if room.table.status == "running" else None)]
    )


def _holiday(room: Room, seat: int) -> str:
    """Say when the player of a seat is on holiday, now or later; "" if they aren't."""
    taken = [] if room.running_clocks is None else room.running_clocks.holidays_of(seat)
    return next((holiday_in_words(each) for each in taken if each.ended_at > room.time.now()), "")


def strength(bot: str | None) -> int:
    """Return the place of a bot's level among all levels, 1 for the weakest; 0 for a bot without a level."""
    return next((place for place, rank in enumerate(RANKS, 1) if rank.name == bot), 0)


def public_page(room: Room, match: Match, view: View, seats: tuple[SeatView, ...], log: tuple[LoggedTurn, ...]) -> MatchPage:
    """Return the match of a table for a spectator.

    Args:
        view: what a spectator may know of the match now.
        seats: the seats as every viewer sees them.
        log: its turns.
    """
    table = room.table
    running = table.status == "running"
    url = link(f"/tables/{table.id}")
    picture = f"{url}/picture.png?language={current_language()}&version={table.version}"  # so it can be cached
    share = picture if has_picture(table, room.time) else ""
    page = match_page(
        match,
        view,
        id=table.id,
        url=url,
        seats=seats,
        abandoned=table.status == "abandoned",
        log=log,
        thinking=next((thinking_words(seat) for seat in seats if seat.thinking), ""),
        spectators=room.visits.open_pages()[None],
        result=result_view(match, take_backs=room.consent.proposals.take_backs),
        tools=table_tools(table),
        given_up=given_up_view(match, table) if table.status == "abandoned" and match.awarded is None else None,
        chart=chart_part(match, room.chart_job, url) if room.chart_job is not None else None,
        rematch=_rematch(room),
        daily=table.daily or "",
        daily_ends=moment(ends_at(table.daily)).iso if table.daily else "",
        daily_ended=table.daily is not None and not is_sealed(table, room.time),
        proposal=proposal_view(room, match, None) if running else None,
        share=share,
        preview=bool(share) and table.is_public,
        marks=table.marks,
    )
    paused = _paused(room, match, None)
    return replace(page, **paused) if paused else page


def seat_page(room: Room, match: Match, view: View, public: MatchPage) -> MatchPage:
    """Return the match of a table for a seat, without the public part of a page.

    Args:
        view: what the seat may know of the match now.
        public: the page of a spectator. What all viewers see is taken from it.
    """
    table, seat = room.table, view.viewer
    running = table.status == "running"
    stand_in = match.stand_ins.get(seat) if running else None
    playing = running and stand_in is None
    paused = _paused(room, match, seat) if public.paused else {}
    out = running and match.is_out(seat)
    undo = undo_of(match, table, seat) if playing and not paused and not out else NO_UNDO
    beginning = playing and table.daily is None and all(step.seat != seat for step in match.steps)
    lessons = match.game.lessons
    hint = room.hints.current(match, seat)
    return replace(
        public,
        **_seen(match, view, table.status == "abandoned", seat, rests=bool(paused), is_out=out)
        | (paused or _ahead(room, match, view)),
        picture=None,
        undo=undo,
        can_resign=not out and can_resign(room, match, seat),
        goal=match.game.goal_of(match.options) if beginning else "",
        lesson_minutes=lessons.minutes if lessons and beginning and seat in room.state.newcomers else 0,
        resign_words=resign_words(room, match, seat) if running else "",
        can_hint=playing and not paused and seat in match.deciders and public.tools is not None and public.tools.hints,
        hint=hint_view(hint) if hint is not None else None,
        absent=tuple(_absent(room, match, seat)) if playing else (),
        stand_in=None if stand_in is None or out else StandInView(bot_in_words(stand_in.bot), stand_in.lasts),
        out=_out(room, match) if out else None,
        spectators=0,
        result=result_view(match, seat, room.consent.proposals.take_backs) if public.result else None,
        stronger=_stronger(table) if public.result else "",
        rematch=_rematch(room, table.seats[seat].guests) if public.rematch else None,
        proposal=proposal_view(room, match, seat) if running else None,
        take_back=own_take_back(room, match, seat) if running and undo.number is None else None,
        devices=len(table.seats[seat].guests) if running else 0,
    )


def _rematch(room: Room, own: frozenset[str] = frozenset()) -> Rematch | None:
    """Return the rematch, and who waits there for the guests of a seat; None if there is none, or it was closed.

    Its first player is its host.
    """
    found = room.services.store.transact(tables.find, room.table.rematch) if room.table.rematch else None
    if found is None or found.status == "closed":
        return None
    others = [row for row in found.seats if own and found.status == "gathering" and not row.guests & own]
    names = [row.name for row in others if row.is_ready or found.host in row.guests]
    words = ngettext("{names} waits for you in the rematch.", "{names} wait for you in the rematch.", len(names))
    return Rematch(link(f"/tables/{found.id}"), words.format(names=listed(names)) if names else "")


def _paused(room: Room, match: Match, seat: int | None) -> dict[str, Any]:
    """Return the fields of a page that a pause changes; none without a pause. ``seat``: of the viewer."""
    pause = room.state.pause
    if pause is None:
        return {}
    text = _("Paused by you") if seat == pause.seat else _("Paused by {name}").format(name=match.names[pause.seat])
    url = "" if seat is None else link(f"/tables/{room.table.id}")
    return {"prompt": text, "paused": PauseView(moment(pause.at), url)}


def _out(room: Room, match: Match) -> OutView:
    """Return what a player can do who has dropped out."""
    is_alone = not persons_living(room.table, match)
    return OutView(is_alone, room.state.is_skipped, is_alone and room.table.daily is None)


def _ahead(room: Room, match: Match, view: View) -> dict[str, Any]:
    """Return the fields with what a seat can choose ahead and has chosen, or with the reason why that was dropped."""
    intentions, seat = room.state.intentions, view.viewer
    if seat in intentions.dropped:
        rule, why = view.refusal(intentions.dropped[seat])
        return {"notice": Refusal(rule, _("What you had chosen ahead isn't possible now: {why}").format(why=why))}
    offered, intended = choices_ahead(match, room.running_clocks, view), intentions.chosen.get(seat)
    found: dict[str, Any] = {"ahead": tuple([Choice(*each) for each in offered.items()])}
    if intended is None or intended not in offered:
        return found
    return found | {"intended": intended, "prompt": _("You will {action}. Tap again to cancel.").format(action=offered[intended])}


def _absent(room: Room, match: Match, viewer: int) -> Iterator[AbsentView]:
    """Yield the players who are away, so that the viewer may let a bot play for them."""
    for seat in persons_playing(room.table, match):
        since, due = room.absences.since.get(seat), room.absences.may_be_replaced_at(seat)
        if since is None or due is None or seat == viewer or seat in match.stand_ins or match.is_out(seat):
            continue
        yield AbsentView(seat, match.names[seat], milliseconds(since), milliseconds(due))


def _stronger(table: TableRow) -> str:
    """Return the next level above that of the strongest bot at a table; "" if there is none, or other people play."""
    names = [rank.name for rank in ranks(game(table.game)) if rank in RANKS]
    levels = [names.index(seat.bot) for seat in table.seats if seat.bot in names]
    if table_tools(table).company != "bots" or not levels or max(levels) + 1 == len(names):
        return ""
    return names[max(levels) + 1]


def has_picture(table: TableRow, time: Time) -> bool:
    """Return whether there is a picture of a table: its match has ended, and no other guest can still play the same deal."""
    return table.status in FINISHED and table.started_at is not None and not is_sealed(table, time)


def thinking_words(seat: SeatView) -> str:
    """Say which bot is thinking, and its level."""
    if seat.stand_in:
        return _("A bot is thinking for {name}").format(name=seat.name)
    if seat.strength:
        return _("{name} the {rank} is thinking").format(name=seat.name, rank=seat.bot)
    return _("{name} is thinking").format(name=seat.name)


def hint_view(hint: RequestedHint) -> HintView:
    """Return a hint as the page shows it; without lines during the search."""
    view, found = hint.view, hint.hints
    lines = tuple(
        HintLine(
            each.action,
            view.game.words.action(view.state, each.action, view.names),
            chance_in_words(each),
            round(100 * bar_of(view, each)),
            each.sure,
        )
        for each in found
    )
    return HintView(lines, chance_of_what(view), in_words(view, found) if found else "")


def match_page(
    match: Match,
    view: View,
    *,
    id: str,
    url: str,
    seats: tuple[SeatView, ...],
    abandoned: bool = False,
    public: bool = True,
    reader: int | None = None,
    **more: Any,
) -> MatchPage:
    """Return a match at the moment of ``view``.

    Args:
        public: whether the page has the public part: board and log.
        reader: the seat that texts call "you"; None in a replay, and for a spectator.
        more: the other fields of a MatchPage, for the page of a table.
    """
    if "log" not in more:
        more["log"] = log(view) if public else ()
    return MatchPage(
        id=id,
        url=url,
        game=match.game.name,
        title=match.game.title,
        seats=seats,
        status="abandoned" if abandoned else "running" if view.actor is not None else "over",
        n=view.next_number,
        picture=page_of(match.game).picture(view) if public else None,
        commitment=match.commitment,
        **_seen(match, view, abandoned, reader),
        **more,
    )


def _seen(
    match: Match, view: View, abandoned: bool, reader: int | None, rests: bool = False, is_out: bool = False
) -> dict[str, Any]:
    """Return the fields of a page that only the viewer gets, as far as they follow from the match.

    Args:
        reader: see match_page.
        rests: the match is paused, so that the viewer can't choose anything.
        is_out: the reader has dropped out of the match, which goes on.
    """
    viewer = view.viewer if view.viewer >= 0 else None
    how = how_out(match, view.viewer) if is_out else ""
    out = "" if not is_out else _("You are out: {how}.").format(how=how) if how else _("You are out.")
    played_by_bot = reader is not None and reader in match.stand_ins
    yours = viewer is not None and view.actor == viewer and not abandoned and not played_by_bot and not rests
    known = _Waiting(view) if view.actor == viewer and not yours else view
    return {
        "viewer": viewer,
        "prompt": out or _prompt(match, view, abandoned, reader, played_by_bot),
        "your_turn": yours,
        "choices": choices(match.game, view) if yours else (),
        "private_events": private_events(view, reader) if view.viewer != SPECTATOR else (),
        "own": None if viewer is None else page_of(match.game).own(known),
    }


class _Waiting(View):
    """The view of a seat that is to move in a pause, while a bot plays for it, or after the match was given up.

    Nothing is left to decide.
    """

    def __init__(self, view: View) -> None:
        self.__dict__.update(view.__dict__)
        self.legal = ()

    @property
    def actor(self) -> int | None:
        """None: the decision is not the viewer's, also while the seat is to move."""
        return None


def _prompt(match: Match, view: View, abandoned: bool, reader: int | None, played_by_bot: bool) -> str:
    """Return the question to the seat to move, or the result. A number at the end of a clause never starts a line.

    ``played_by_bot``: whether a bot plays for the reader, so that no question is theirs.
    """
    if abandoned and match.awarded is None:
        return _("The match was given up.")
    result = match.outcome() if view.actor is None or abandoned else None
    if result is not None:
        words = headline_of(match, result, reader) + "."
    elif view.actor is None:  # after an edit
        words = _("The match is over") + "."
    elif played_by_bot:
        words = match.view().prompt()
    elif reader is not None and view.viewer == reader and match.next_number == view.next_number and match.has_chosen(reader):
        words = match.waiting_in_words(reader)
    else:
        words = view.prompt()
    return _BEFORE_LAST_NUMBER.sub("\N{NO-BREAK SPACE}", words)


def choices(subject: Game, view: View) -> tuple[Choice, ...]:
    """Return the actions that the game's page offers, in its order; the illegal ones with the reason against them."""
    return tuple(
        Choice(
            action,
            subject.words.action(view.state, action, view.names),
            None if action in view.legal else Refusal(*view.refusal(action)),
        )
        for action in dict.fromkeys(page_of(subject).offered(view))
    )


def result_view(match: Match, reader: int | None = None, take_backs: int = 0) -> ResultView | None:
    """Return the result of a match, or the win that was awarded; None before its end, and if it was given up without a winner.

    Args:
        reader: the seat that the headline calls "you"; None: it names all players.
        take_backs: how often a player took back a decision after something was revealed.
    """
    result = match.outcome()
    if result is None and match.over:
        how = _after_decisions(_("no result, because a position was edited"), match)
        return ResultView(_("The match is over"), how, "", "", ())
    if result is None:
        return None
    rule, how = ("", award_in_words(result)) if isinstance(result, Award) else match.game.words.ending(match.state)
    return ResultView(
        headline=headline_of(match, result, reader),
        how=_after_decisions(how, match) + _with_help(match, take_backs) + _points_of(match, result),
        rule=rule,
        rule_url=rule_url(match.game.name, rule) if rule else "",
        winners=crowned(len(match.seats), result),
    )


def _with_help(match: Match, take_backs: int) -> str:
    """Say how often the only person of a match has taken back a decision or played with a hint."""
    if sum(seat.kind == "human" for seat in match.seats) > 1:
        return ""
    hints = sum(step.hinted for step in match.steps)
    helped = [
        ngettext("with {count} hint", "with {count} hints", hints).format(count=hints) if hints else "",
        ngettext("with {count} take-back", "with {count} take-backs", take_backs).format(count=take_backs) if take_backs else "",
    ]
    return "".join(f", {each}" for each in helped if each)


def _points_of(match: Match, result: Result | Award) -> str:
    """Return what each player has won, in a game whose payoffs are points or chips."""
    if match.game.scoring_of(match.options).is_shared or isinstance(result, Award):
        return ""
    points = [f"{name} {points_in_words(payoff)}" for name, payoff in zip(match.names, result.scores, strict=True)]
    return " \N{MIDDLE DOT} " + ", ".join(points)


def given_up_view(match: Match, table: TableRow | None = None) -> ResultView:
    """Return the end of a match that was given up. ``table``: None for an uploaded record."""
    reasons = {GIVEN_UP: _("by agreement"), ROUND_CLOSED: _("the round of the evening was closed")}
    otherwise = _("only bots were left") if table and not table.daily else _("given up")
    how = reasons.get(match.abandoned or "", otherwise)
    return ResultView(_("The match was given up"), _after_decisions(how, match), "", "", ())


def _after_decisions(how: str, match: Match) -> str:
    decisions = ngettext("{count} decision", "{count} decisions", len(match.steps)).format(count=grouped(len(match.steps)))
    return _("{how}, after {decisions}").format(how=how, decisions=decisions)
