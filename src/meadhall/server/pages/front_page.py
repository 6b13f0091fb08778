"""The models of the front page: games, open tables with their filter, the guest's tables, and finished matches."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, Final
from urllib.parse import urlencode

from meadhall.bots import ranks
from meadhall.engine.game import Game
from meadhall.engine.match.match import Match
from meadhall.engine.match.step import Result
from meadhall.engine.match.telling import headline, your_headline
from meadhall.engine.match.view import bot_in_words
from meadhall.engine.registry import game, game_names
from meadhall.engine.text.language import gettext as _, listed, ngettext
from meadhall.server.hall.choices import TableFilter, changed_choices, choices_of, last_choice, variant
from meadhall.server.hall.hall import Hall
from meadhall.server.hall.room import Room
from meadhall.server.pages.clock import clock_in_words, clock_value, moment, time_left, usual_clocks
from meadhall.server.pages.lobby import USUAL_WAIT, wait_choice
from meadhall.server.pages.models import (
    Option,
    OptionGroup,
    SeatView,
    TableCard,
)
from meadhall.server.store import matches, talk
from meadhall.server.store.acquaintances import Invitation
from meadhall.server.store.evenings import ROUND_CLOSED, Evening
from meadhall.server.store.models import FINISHED, RULES_CHANGED, Guest, TableRow
from meadhall.server.web.links import link

LATEST = datetime.max.replace(tzinfo=UTC)
"""Comes after the deadlines of all turns."""

YOURS_SHOWN = 12
"""The number of a guest's own tables that the hall lists at most."""


FINISHED_SHOWN = 20
"""The number of finished matches on a page."""

OPEN_SHOWN = 30
"""The number of open tables that the hall lists at most."""

FILTER_FROM = 7
"""From so many tables on the hall offers a filter."""

USUAL_CLOCK = "decision:60"
"""The clock of a match with strangers unless the guest chooses another one: they should not wait without an end."""

OPTION = "option-"
"""The names of the form fields for options begin with this."""


def _tile(subject: Game, ready: bool, guest: Guest) -> dict[str, Any]:
    last = last_choice(subject, guest)
    counts = range(subject.min_players, subject.max_players + 1)
    bots = last.players - 1
    seats = ngettext("{count} bot ({level})", "{count} bots ({level})", bots).format(count=bots, level=bot_in_words(last.bot))
    changed = [
        option.label(last.options[option.name]) for option in choices_of(subject) if last.options[option.name] != option.default
    ]
    return {
        "game": subject,
        "ready": ready,  # False while the rules are being compiled
        # what *Play now* does: "3 bots (Huscarl) · Hidden hands"
        "summary": " · ".join([seats if bots else _("You alone"), *changed]),
        # what can be chosen for it: number of seats, level of the bots, options
        "fields": (
            filter_field("seats", _("Seats"), {str(count): str(count) for count in counts}, str(last.players)),
            filter_field("bot", _("Bots' level"), {rank.name: bot_in_words(rank.name) for rank in ranks(subject)}, last.bot),
            *(
                filter_field(
                    OPTION + option.name,
                    _(option.title),
                    {value: option.label(value) for value in option.values},
                    last.options[option.name],
                )
                for option in choices_of(subject)
            ),
        ),
    }


def filter_field(name: str, title: str, texts: Mapping[str, str], chosen: str) -> dict[str, Any]:
    """Return a field with one group of options: of each value its text."""
    return {
        "name": name,
        "title": title,
        "groups": (OptionGroup("", tuple(Option(value, text, value == chosen) for value, text in texts.items())),),
    }


def hall_page(
    hall: Hall,
    guest: Guest,
    daily: dict[str, Any] | None,
    yours: Sequence[TableRow],
    open_: Sequence[TableRow],
    running: Sequence[TableRow],
    chosen: TableFilter,
    invitations: Sequence[Invitation] = (),
    evenings: Sequence[Evening] = (),
) -> dict[str, Any]:
    """Return the hall as a guest sees it; tables where it is the guest's turn come first. ``chosen`` filters the open ones."""
    at, noted = hall.time.now(), hall.store.transact(talk.noted, guest.id)
    rooms = {room.table.id: room for room in hall.rooms()}
    first = sorted(yours, key=lambda table: _deadline(guest, rooms.get(table.id)) or LATEST)
    cards = [card(table, guest, rooms.get(table.id), noted) for table in first]
    cards.sort(key=lambda each: (not each.your_turn, each.status not in ("running", "gathering")))
    mine = {table.id for table in yours}
    waiting = [replace(card(table, guest, None), waits=who_waits(table, at)) for table in open_ if table.id not in mine]
    offered = open_tables(waiting, chosen)
    others = tuple(card(table, guest, rooms.get(table.id)) for table in running if table.id not in mine)
    return {
        "here": _here(hall),  # "3 here, 1 match on"
        "tiles": tuple(_tile(game(name), name in hall.ready, guest) for name in game_names()),
        "daily": daily,
        "invitations": tuple(invitations),
        "yours": tuple(cards[:YOURS_SHOWN]),
        "open": offered,
        "running": others,
        # there are so many tables that a filter helps, or one is set
        "has_filter": chosen.is_set or len(offered["cards"]) + len(others) >= FILTER_FROM,
        "opens_evenings": hall.switches.allows("evenings", guest),  # whether the guest may open an evening
        # the id, the name and the games of each that the guest may join or takes part in
        "evenings": tuple((each.id, each.name, listed([game(name).title for name in each.games])) for each in evenings),
        # None while no game is ready, and for a guest for whom the host has switched it off
        "search": _search(hall) if hall.switches.allows("quick_match", guest) else None,
    }


def _here(hall: Hall) -> str:
    """Say how many people are here, and how many matches are played: "3 here, 1 match on"."""
    people, matches = max(1, hall.attendance.guests), hall.attendance.matches
    played = [ngettext("{count} match on", "{count} matches on", matches).format(count=matches)] if matches else []
    return ", ".join([ngettext("Only you are here", "{count} here", people).format(count=people), *played])


def _search(hall: Hall) -> dict[str, Any] | None:
    """Return what *Find opponents* offers. The seats are those of any game: a number that the chosen game lacks is refused."""
    games = [game(name) for name in game_names() if name in hall.ready and game(name).max_players > 1]
    if not games:
        return None
    seats = range(2, max(each.max_players for each in games) + 1)
    return {
        "games": tuple(Option(each.name, each.title, False) for each in games),
        "seats": tuple(Option(str(count), str(count), count == 2) for count in seats),
        "clocks": tuple(
            Option(clock_value(each), clock_in_words(each), clock_value(each) == USUAL_CLOCK) for each in usual_clocks()
        ),
        "waits": wait_choice(USUAL_WAIT),
    }


def finished_matches(guest: Guest, tables: Sequence[TableRow], number: int, count: int, noted: Collection[str]) -> dict[str, Any]:
    """Return a page of the guest's finished matches. ``count``: the number of all of them; ``noted``: those with a note."""
    pages = max(1, -(-count // FINISHED_SHOWN))
    return {
        "tables": tuple(card(table, guest, None, noted) for table in tables),
        "number": number,
        "pages": pages,
        "before": link(f"/matches?page={min(number - 1, pages)}") if number > 1 else "",
        "after": link(f"/matches?page={number + 1}") if number < pages else "",
    }


def card(table: TableRow, guest: Guest, room: Room | None, noted: Collection[str] = ()) -> TableCard:
    """Return a table's line in the hall's lists. ``room``: the table's room if it is in memory; ``noted``: tables with a note."""
    seat = table.seat_of(guest.id)
    match = room.match if room else None
    yours = room is not None and room.state.has_turn(seat)
    return TableCard(
        url=link(f"/tables/{table.id}"),
        game=table.game,
        title=_("{game}, puzzle of the day").format(game=game(table.game).title) if table.daily else game(table.game).title,
        seats=tuple(SeatView(row.seat, row.name, row.kind, bot_in_words(row.bot), you=row.seat == seat) for row in table.seats),
        marks=table.marks,
        status=table.status,
        your_turn=yours,
        note=_("Paused") if room is not None and room.state.pause else _note(table, match, yours, seat),
        ended=moment(table.finished_at) if table.finished_at else None,
        left=_left(guest, room) if room is not None and yours else "",
        noted=table.id in noted,
    )


def _deadline(guest: Guest, room: Room | None) -> datetime | None:
    """Return when the guest's time for this turn is up; None if no clock of theirs runs."""
    seat = None if room is None else room.table.seat_of(guest.id)
    return None if room is None or seat is None or room.running_clocks is None else room.running_clocks.deadline_of(seat)


def _left(guest: Guest, room: Room) -> str:
    """Return the time that the guest has for this turn, as a clock shows it; "" if no clock of theirs runs."""
    clocks, seat = room.running_clocks, room.table.seat_of(guest.id)
    if clocks is None or seat not in clocks.all_running:
        return ""
    return time_left(clocks.left_at(room.time.now())[seat], slow=not clocks.clock.is_live)


def result_in_words(table: TableRow, reader: int | None = None) -> str:
    """Say how a finished match ended: for the player on seat ``reader``, or who won."""
    if table.abandon_reason == RULES_CHANGED:
        return _("Closed: it began under older rules")
    if table.abandon_reason == ROUND_CLOSED:
        return _("Round closed: a tie")
    if table.outcome is None:
        return _("Given up") if table.status == "abandoned" else _("Finished")
    names, result = (
        [seat.name for seat in table.seats],
        Result(tuple(table.outcome["winners"]), tuple(table.outcome["scores"]), reason=""),
    )
    if reader is None:
        return headline(names, result)
    return your_headline(names, result, reader, matches.place_of(table.outcome, reader))


def _note(table: TableRow, match: Match | None, yours: bool, seat: int | None) -> str:
    if table.status == "gathering":
        taken = sum(row.kind != "open" for row in table.seats)
        return _("{taken} of {all} seats taken").format(taken=taken, all=len(table.seats))
    if yours:
        return _("Your turn")
    if table.status in FINISHED:
        return result_in_words(table, seat)
    if match is not None and match.deciders:
        return _("Waiting for {name}").format(name=listed([match.names[seat] for seat in match.deciders]))
    return _("In progress")


_MOST_FREE: Final = 4
"""The largest number of free seats that the filter offers."""


def open_tables(cards: Sequence[TableCard], chosen: TableFilter) -> dict[str, Any]:
    """Return the list of open tables with its filter, whose choices the address keeps."""
    given = {
        "game": chosen.game,
        "variant": chosen.variant,
        "clock": chosen.clock,
        "free": str(chosen.free) if chosen.free > 1 else "",
    }
    games = {name: game(name).title for name in game_names() if game(name).max_players > 1}
    clocks = {"": _("With or without"), "none": _("No clock"), "live": _("Live"), "slow": _("Slow (days)")}
    free = {"": _("Any number")} | {
        str(count): ngettext("At least {count} seat", "At least {count} seats", count).format(count=count)
        for count in range(2, _MOST_FREE + 1)
    }
    query = urlencode({name: value for name, value in given.items() if value})
    return {
        "cards": tuple(cards),
        "filters": (
            filter_field("game", _("Game"), {"": _("All games"), **games}, chosen.game),
            _variants(chosen),
            filter_field("clock", _("Clock"), clocks, chosen.clock),
            filter_field("free", _("Free seats"), free, str(chosen.free) if chosen.free > 1 else ""),
        ),
        "is_filtered": chosen.is_set,
        "url": link("/") + (f"?{query}" if query else ""),  # of the hall with this filter
    }


def _variants(chosen: TableFilter) -> dict[str, Any]:
    """Return the values of the options of the chosen game, or of all games, each game with its own group."""
    groups = [OptionGroup("", (Option("", _("All variants"), not chosen.variant),))]
    for name in [chosen.game] if chosen.game else game_names():
        values = tuple(
            Option(code, option.label(value), code == chosen.variant)
            for option in choices_of(game(name))
            for value in option.values
            for code in (variant(option.name, value),)
        )
        if values:
            groups.append(OptionGroup(game(name).title, values))
    return {
        "name": "variant",
        "title": _("Variant"),
        "groups": tuple(groups),
    }


def who_waits(table: TableRow, at: datetime) -> str:
    """Say who waits at an open table, for how long the table has been open, and which options are not the default."""
    names = [seat.name for seat in table.seats if seat.kind == "human"]
    age = age_in_words((at - table.created_at).total_seconds())
    text = ngettext("{names} waits, open {age}", "{names} wait, open {age}", len(names))
    clock = [clock_in_words(table.clock)] if table.clock is not None else []
    return " · ".join([text.format(names=listed(names), age=age), *changed_choices(table), *clock])


def age_in_words(seconds: float) -> str:
    """Say how long something has lasted, roughly: "since a moment ago", "for 3 minutes"."""
    minutes, hours, days = int(seconds // 60), int(seconds // 3600), int(seconds // 86400)
    if minutes < 1:
        return _("for less than a minute")
    if hours < 1:
        return ngettext("for {count} minute", "for {count} minutes", minutes).format(count=minutes)
    if days < 1:
        return ngettext("for {count} hour", "for {count} hours", hours).format(count=hours)
    return ngettext("for {count} day", "for {count} days", days).format(count=days)
