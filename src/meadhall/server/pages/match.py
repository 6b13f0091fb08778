"""From what a viewer may know to what their page shows: values for the templates, in the current language."""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

import segno

from meadhall.bots import RANKS, chance_in_words, chance_of_what, in_words, ranks
from meadhall.engine import options
from meadhall.engine.events import Event
from meadhall.engine.game import Game, GamePage, GameWords, game, game_names
from meadhall.engine.language import current_language, listed, ngettext, speaking
from meadhall.engine.language import gettext as _
from meadhall.engine.match import SPECTATOR, Match, Result, View
from meadhall.server.hall.hall import Hall
from meadhall.server.hall.room import AskedHint, Room
from meadhall.server.pages.chart import chart_place
from meadhall.server.pages.models import (
    Choice,
    DailyStrip,
    GameTile,
    HallPage,
    HintLine,
    HintView,
    LobbyPage,
    LogEntry,
    LoggedStep,
    MatchPage,
    OptionChoice,
    OptionView,
    Refusal,
    ResultView,
    SeatView,
    TableCard,
)
from meadhall.server.store.store import Guest, TableRow

LOG_SHOWN = 60
"""How many events a page lists, and the rest of the oldest action among them; the replay has them all, step by step."""

YOURS_SHOWN = 12
"""How many of a guest's tables the hall lists."""

WHISPERS_SHOWN = 5
"""How many events that only they know a seat's page lists."""

_BEFORE_LAST_NUMBER = re.compile(r" (?=\d+[.,:;!?])")


def game_tiles(hall: Hall) -> tuple[GameTile, ...]:
    """The games."""
    return tuple(
        GameTile(
            name,
            each.title,
            _(each.tagline),
            f"{each.min_players}-{each.max_players}",
            name in hall.ready,
            guided=each.lessons is not None,
        )
        for name in game_names()
        for each in (game(name),)
    )


def hall_page(
    hall: Hall,
    guest: Guest,
    daily: DailyStrip | None,
    yours: Sequence[TableRow],
    open_: Sequence[TableRow],
    watched: Sequence[TableRow],
) -> HallPage:
    """The hall as a guest sees it; their turn first."""
    rooms = {room.table.id: room for room in hall.rooms()}
    cards = [card(table, guest, rooms.get(table.id)) for table in yours]
    cards.sort(key=lambda each: (not each.your_turn, each.status not in ("running", "gathering")))
    mine = {table.id for table in yours}
    return HallPage(
        tiles=game_tiles(hall),
        daily=daily,
        yours=tuple(cards[:YOURS_SHOWN]),
        open=tuple(card(table, guest, rooms.get(table.id)) for table in open_ if table.id not in mine),
        watched=tuple(card(table, guest, rooms.get(table.id)) for table in watched if table.id not in mine),
    )


def card(table: TableRow, guest: Guest, room: Room | None) -> TableCard:
    """A table in the hall's lists."""
    seat = table.seat_of(guest.id)
    match = room.match if room else None
    yours = match is not None and table.status == "running" and seat is not None and match.actor == seat
    return TableCard(
        url=f"/table/{table.id}",
        game=table.game,
        title=_("{game}, puzzle of the day").format(game=game(table.game).title) if table.daily else game(table.game).title,
        seats=tuple(SeatView(row.seat, row.name, row.kind, row.bot or "", you=row.seat == seat) for row in table.seats),
        status=table.status,
        your_turn=yours,
        note=_note(table, match, yours),
    )


def _note(table: TableRow, match: Match | None, yours: bool) -> str:
    if table.status == "gathering":
        taken = sum(row.kind != "open" for row in table.seats)
        return _("{taken} of {all} seats taken").format(taken=taken, all=len(table.seats))
    if table.status == "abandoned":
        return _("Given up")
    if yours:
        return _("Your turn")
    if table.status == "over":
        result = match.result() if match else None
        return _headline(match.names, result) if match and result else _("Over")
    if match is not None and match.actor is not None:
        return _("Waiting for {name}").format(name=match.names[match.actor])
    return _("In play")


def seat_views(room: Room) -> tuple[SeatView, ...]:
    """The seats as everybody sees them."""
    here = room.here()
    match = room.match
    result = match.result() if match else None
    actor = match.actor if match and room.table.status == "running" else None
    return tuple(
        SeatView(
            row.seat,
            row.name,
            "human" if room.table.daily else row.kind,  # nobody plays on where a puzzle was given up
            "" if room.table.daily else row.bot or "",
            active=row.seat == actor,
            thinking=row.seat == actor and row.kind == "bot",
            winner=bool(result and row.seat in result.winners),
            online=row.kind == "bot" or here[row.seat] > 0,
        )
        for row in room.table.seats
    )


def lobby_page(room: Room, guest: Guest | None, base_url: str) -> LobbyPage:
    """The table before the match, as a guest sees it."""
    subject, table = room.game, room.table
    empty = sum(row.kind == "open" for row in table.seats)
    refusal = (
        ngettext("{count} seat is still empty.", "{count} seats are still empty.", empty).format(count=empty) if empty else ""
    )
    invite = f"{base_url}/table/{table.id}"
    seat = table.seat_of(guest.id) if guest else None
    return LobbyPage(
        id=table.id,
        url=f"/table/{table.id}",
        game=subject.name,
        title=subject.title,
        seats=tuple(replace(view, you=view.seat == seat) for view in seat_views(room)),
        host=guest is not None and table.host == guest.id,
        seated=seat is not None,
        bots=tuple((rank.name, _(rank.about)) for rank in ranks(subject)),
        options=tuple(option_view(subject, option, table.options[option.name]) for option in subject.options),
        min_players=subject.min_players,
        max_players=subject.max_players,
        can_start=not empty,
        start_refusal=refusal,
        invite_url=invite,
        invite_qr=qr_code(invite),
        public=table.public,
        guided=subject.lessons is not None,
    )


def option_view(subject: Game, option: options.Option, value: Any) -> OptionView:
    """An option that has this value."""
    if isinstance(option, options.Document):
        own = "" if value == option.default else option.shown(value)
        return OptionView(option.name, _(option.text), template=template_url(subject, option), own=own)
    assert isinstance(option, options.Choice)
    choices = tuple(OptionChoice(each, _(text), each == value) for each, text in option.values.items())
    return OptionView(option.name, _(option.values[value]), choices)


def template_url(subject: Game, option: options.Document[Any]) -> str:
    """Where a game's built-in document is to be had, to be filled in anew."""
    return f"/documents/{subject.name}/{option.name}"


def game_page(room: Room, match: Match, viewer: int | None, seats: tuple[SeatView, ...]) -> MatchPage:
    """A match for one viewer (None: a spectator, whose page holds what is public, the log among it)."""
    table = room.table
    seated = viewer is not None
    running = table.status == "running"
    last = match.steps[-1] if match.steps else None
    advice = room.asked_hint(viewer) if viewer is not None else None
    return match_page(
        match,
        match.view(viewer),
        id=table.id,
        url=f"/table/{table.id}",
        seats=seats,
        abandoned=table.status == "abandoned",
        public=viewer is None,
        can_undo=running and seated and last is not None and last.seat == viewer and match.can_undo(),
        can_resign=running and seated,
        alone=sum(row.kind == "human" for row in table.seats) == 1,
        can_hint=running and seated and match.actor == viewer and table.daily is None,
        hint=hint_view(advice) if advice is not None else None,
        thinking=next((thinking_words(seat) for seat in seats if seat.thinking), ""),
        watching=0 if seated else room.here()[None],
        result=result_view(match),
        given_up=given_up_view(match, table) if table.status == "abandoned" else None,
        chart=chart_place(match, room.drawing, f"/table/{table.id}") if room.drawing is not None else None,
        rematch=f"/table/{table.rematch}" if table.rematch else "",
        daily=table.daily or "",
    )


def thinking_words(seat: SeatView) -> str:
    """Which bot thinks, of what rank."""
    if any(seat.bot == rank.name for rank in RANKS):
        return _("{name} the {rank} is thinking").format(name=seat.name, rank=seat.bot)
    return _("{name} is thinking").format(name=seat.name)


def hint_view(advice: AskedHint) -> HintView:
    """A hint as its page shows it, or that it is coming."""
    view, given = advice.view, advice.given
    lines = tuple(
        HintLine(
            hint.action,
            view.game.words.action(view.state, hint.action, view.names),
            chance_in_words(hint),
            round(100 * (hint.chance or 0)),
            hint.sure,
        )
        for hint in given
    )
    return HintView(lines, chance_of_what(view), in_words(view, given) if given else "")


def match_page(
    match: Match,
    view: View,
    *,
    id: str,
    url: str,
    seats: tuple[SeatView, ...],
    abandoned: bool = False,
    public: bool = True,
    **more: Any,
) -> MatchPage:
    """A match at the moment of ``view``; with the board and the log that are the same for everybody, or without.

    ``more``: the other fields of a MatchPage, for a table's page.
    """
    viewer = view.viewer if view.viewer >= 0 else None
    yours = viewer is not None and view.actor == viewer and not abandoned
    shown = _shown(match.game)
    return MatchPage(
        id=id,
        url=url,
        game=match.game.name,
        title=match.game.title,
        seats=seats,
        viewer=viewer,
        status="abandoned" if abandoned else "running" if view.actor is not None else "over",
        prompt=_prompt(match, view, abandoned),
        your_turn=yours,
        n=view.next_number,
        choices=choices(match.game, view) if yours else (),
        log=log(view) if public else (),
        whispers=whispers(view) if view.viewer != SPECTATOR else (),
        picture=shown.picture(view) if public else None,
        own=None if viewer is None else shown.own(view),
        commitment=match.commitment,
        **more,
    )


def _prompt(match: Match, view: View, abandoned: bool) -> str:
    """What is to be decided and by whom, or how it ended. A number that ends a clause never begins a line."""
    if abandoned:
        return _("The match was given up.")
    result = match.result() if view.actor is None else None
    words = view.prompt() if result is None else _headline(match.names, result) + "."
    return _BEFORE_LAST_NUMBER.sub("\N{NO-BREAK SPACE}", words)


def _shown(subject: Game) -> GamePage:
    assert subject.page is not None, "a game without a page has no tables in the hall"
    return subject.page


def choices(subject: Game, view: View) -> tuple[Choice, ...]:
    """What the viewer, who is to decide, can do, and what is worth saying why not."""
    shown = sorted({*view.legal, *_shown(subject).offered(view)})
    return tuple(
        Choice(
            action,
            subject.words.action(view.state, action, view.names),
            None if action in view.legal else Refusal(*view.refusal(action)),
        )
        for action in shown
    )


def log(view: View) -> tuple[LoggedStep, ...]:
    """What the viewer may know of the newest actions, the newest first."""
    names, language = view.names, current_language()
    index = len(view.setup) + sum(len(step.events) for step in view.steps)
    shown: list[LoggedStep] = []
    oldest = index - LOG_SHOWN
    for step in reversed(view.steps):
        if index <= oldest:
            return tuple(shown)
        index -= len(step.events)
        if step.events:
            shown.append(_logged(view.game, index, step.n, step.events, step.hinted, names, language))
    if view.setup and index > oldest:
        shown.append(_logged(view.game, 0, 0, view.setup, False, names, language))
    return tuple(shown)


@lru_cache(maxsize=8192)
def _logged(
    subject: Game, index: int, number: int, events: tuple[Event, ...], hinted: bool, names: tuple[str, ...], language: str
) -> LoggedStep:
    with speaking(language):
        entries = [log_entry(subject, index + k, number, event, names) for k, event in enumerate(events)]
    if hinted:
        entries[0] = replace(entries[0], hinted=True)
    return LoggedStep(tuple(reversed(entries)))


def whispers(view: View) -> tuple[LogEntry, ...]:
    """What the viewer alone was told lately, newest first: it is not in the log that everybody reads."""
    told = [(0, event) for event in view.setup if event.audience == view.viewer]
    told += [(step.n, event) for step in view.steps for event in step.whispers]
    first = max(0, len(told) - WHISPERS_SHOWN)
    entries = [log_entry(view.game, first + k, number, event, view.names) for k, (number, event) in enumerate(told[first:])]
    return tuple(reversed(entries))


@lru_cache(maxsize=8192)
def _in_words(words: GameWords, event: Event, names: tuple[str, ...], language: str) -> str:
    with speaking(language):
        return words.event(event, names)


def log_entry(subject: Game, index: int, number: int, event: Event, names: Sequence[str]) -> LogEntry:
    """One event in words."""
    rule = subject.events[event.kind].rule_of(event.arguments)
    text = _in_words(subject.words, event, tuple(names), current_language())
    return LogEntry(number, index, event.name, text, rule, rule_url(subject.name, rule))


def rule_url(name: str, rule: str) -> str:
    """Where a rule is explained."""
    return f"/rules/{name}#{rule}" if rule else f"/rules/{name}"


def result_view(match: Match) -> ResultView | None:
    """How a match ended."""
    result = match.result()
    if result is None:
        return None
    rule, how = match.game.words.ending(match.state)
    return ResultView(
        headline=_headline(match.names, result),
        how=_after_decisions(how, match),
        rule=rule,
        rule_url=rule_url(match.game.name, rule),
        winners=result.winners,
    )


def given_up_view(match: Match, table: TableRow | None = None) -> ResultView:
    """How a match ended that nobody played to its end, at a table or elsewhere."""
    how = _("nobody was left but the house") if table and not table.daily else _("given up")
    return ResultView(_("The match was given up"), _after_decisions(how, match), "", "", ())


def _after_decisions(how: str, match: Match) -> str:
    decisions = ngettext("{count} decision", "{count} decisions", len(match.steps)).format(count=len(match.steps))
    return _("{how}, after {decisions}").format(how=how, decisions=decisions)


def _headline(names: Sequence[str], result: Result) -> str:
    winners = result.winners
    if not winners:
        return _("Nobody wins")
    if len(winners) == 1:
        return _("{name} wins").format(name=names[winners[0]])
    if len(winners) == len(names):
        return _("All win together") if min(result.scores) == 1 else _("A draw")
    return _("{names} win").format(names=listed([names[seat] for seat in winners]))


@lru_cache(maxsize=2000)
def qr_code(url: str) -> str:
    """The address as a QR code, an ``<svg>`` without inline styles."""
    out = io.BytesIO()
    segno.make(url, error="m").save(
        out, kind="svg", xmldecl=False, svgns=True, omitsize=True, border=2, svgclass="qr", lineclass="qr-dark", nl=False
    )
    return out.getvalue().decode()
