"""The state of a room: a table and its match, with its clocks and proposals after the last entry.

A change is made in a copy, the draft. When it is stored, the draft becomes the state of the room (``hall.move``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Self

from meadhall.engine.errors import MatchOver
from meadhall.engine.game import Game
from meadhall.engine.match.match import Match
from meadhall.engine.match.view import Seat
from meadhall.engine.text.language import gettext as _
from meadhall.server.errors import NotSeated, WrongMoment
from meadhall.server.hall.consent.proposals import Proposals
from meadhall.server.hall.replaying import (
    InformationSets,
    Stop,
    awarded,
    hinted_by,
    new_clocks,
    new_match,
    replay,
    seat_of,
    stored_outcome,
)
from meadhall.server.hall.time.clocks import Clocks, Outage
from meadhall.server.store.database import Effect
from meadhall.server.store.jobs import Job
from meadhall.server.store.models import UNTIMED, Entry, EntryKind, Guest, TableRow, TableStatus


@dataclass
class TableState:
    """A table and its match.

    Attributes:
        table: the stored table.
        match: its match; None before the start.
        clocks: its clocks; None without a clock, and before the start.
        entry_count: the number of entries of the match.
        proposals: the proposals after the last entry.
        hinted: the information sets in which a hint was requested.
        newcomers: seats whose guests play this game for the first time; forgotten after a restart in the middle of a match.
        stop: where changed rules ended the replay of a running match, in development mode. Nothing can be played until they
            allow its actions again.
        at: of a draft: the time of its new entries.
        new: of a draft: the new entries.
        effects: of a draft: what else is stored with it.
        ends: of a draft: the job that ends with it, and when the job is due again.
        for_seat: of a draft: the one seat that may see the change; None if everyone may.
    """

    table: TableRow
    match: Match | None = None
    clocks: Clocks | None = None
    entry_count: int = 0
    proposals: Proposals = field(default_factory=Proposals)
    hinted: InformationSets = frozenset()
    newcomers: frozenset[int] = frozenset()
    stop: Stop | None = None
    at: datetime = UNTIMED
    new: tuple[Entry, ...] = ()
    effects: tuple[Effect, ...] = ()
    ends: tuple[Job, datetime | None] | None = None
    for_seat: int | None = None

    def draft(self, at: datetime) -> Self:
        """Return an independent copy for a change at that time."""
        match = None if self.match is None else self.match.copy()
        return replace(self, match=match, at=at, new=(), effects=(), ends=None, for_seat=None)

    # -------------------------------------------------------------------------------------------------------------- checking

    def running_match(self) -> Match:
        """Return the match. Refuse before its start, and if it was given up. Raises WrongMoment."""
        if self.match is None:
            is_closed = self.table.status == "closed"
            raise WrongMoment(_("The host has closed this table.") if is_closed else _("The match has not begun yet."))
        if self.table.status == "abandoned":
            raise WrongMoment(_("The match was given up."))
        if self.stop is not None:
            raise WrongMoment(_("The changed rules don't allow this match any more. The debug panel says why."))
        return self.match

    def check_gathering(self) -> None:
        """Refuse after the start of the match, and if the table was closed. Raises WrongMoment."""
        if self.table.status == "closed":
            raise WrongMoment(_("The host has closed this table."))
        if self.table.status != "gathering":
            raise WrongMoment(_("The match has already started."))

    def seat_of(self, guest: Guest) -> int:
        """Return the guest's seat. Raises NotSeated."""
        seat = self.table.seat_of(guest.id)
        if seat is None:
            raise NotSeated(_("You have no seat at this table; you are a spectator."))
        return seat

    def is_hinted(self, seat: int) -> bool:
        """Return whether the seat has requested a hint with its present knowledge."""
        return bool(self.hinted) and self.match is not None and (seat, self.match.information_set(seat)) in self.hinted

    @property
    def running_clocks(self) -> Clocks | None:
        """The clocks while the match is running; None without a clock, before the match, and after its end."""
        return self.clocks if self.table.status == "running" else None

    # -------------------------------------------------------------------------------------------------------------- changing

    def add(self, kind: EntryKind, seat: int, value: int = 0, data: Mapping[str, Any] | None = None) -> None:
        """Add a new entry. It has the effect that its replay will have. Raises the errors of the match."""
        self.enter(Entry(self.entry_count + 1, kind, seat, value, data, self.at))

    def enter(self, entry: Entry) -> None:
        """Add a new entry that was made already."""
        self._apply(entry)
        self.new += (entry,)
        if self.match is not None and self.match.over:
            self.end("over")

    def end(self, status: TableStatus = "abandoned") -> None:
        """End the table: its match is over, or was given up."""
        match = self.running_match()
        ended = replace(self.table, status=status, finished_at=self.at, abandon_reason=match.abandoned)
        self.table = replace(ended, outcome=stored_outcome(match))

    def seat(self, table: TableRow) -> None:
        """Take over the table with other players on its seats."""
        self.table, match = table, self.match
        assert match is not None
        for row, seat in zip(table.seats, match.seats, strict=True):
            if seat != (now := seat_of(row)):
                match.rename(row.seat, now)

    def begin(self, game: Game, outages: tuple[Outage, ...]) -> None:
        """Begin the match of the table."""
        self.match = new_match(game, self.table)
        self.clocks = new_clocks(self.table, self.match, outages)

    def follow(self, table: TableRow, entries: Sequence[Entry]) -> None:
        """Apply entries that are stored, and take over the stored table."""
        for entry in entries:
            self._apply(entry)
        self.seat(table)
        if table.abandon_reason is not None and self.match is not None and not self.match.ended:
            self.match.abandon(table.abandon_reason, awarded(table))

    def _apply(self, entry: Entry) -> None:
        match = self.match
        assert match is not None
        self.hinted |= hinted_by(entry, match)
        if entry.kind in ("action", "hinted"):
            match.play(entry.value, entry.seat, hinted=entry.kind == "hinted")
        else:
            replay(entry, match)
        self.clocks = None if self.clocks is None else self.clocks.after(entry, match)
        self.proposals = self.proposals.follow(entry)
        self.entry_count = entry.number


def replayed(game: Game, table: TableRow, entries: Sequence[Entry], outages: tuple[Outage, ...] = ()) -> TableState:
    """Return the state of a table after its entries. ``outages``: the times in which no clock ran."""
    state = TableState(table)
    state.begin(game, outages)
    for entry in reversed(entries):
        if entry.kind == "swap" and state.match is not None:  # before it, another player had the seat
            before = entry.data or {}
            state.match.rename(entry.seat, Seat(state.match.names[entry.seat], before["kind"], before["bot"]))
    state.follow(table, entries)
    return state


def replayed_while_legal(game: Game, table: TableRow, entries: Sequence[Entry], outages: tuple[Outage, ...] = ()) -> TableState:
    """Do the same by rules that may have changed, for a running table, up to the first entry that they don't allow."""
    state = replayed(game, table, (), outages)
    for k, entry in enumerate(entries):
        before = state.draft(UNTIMED)
        try:
            state.follow(table, (entry,))
        except Exception as error:  # rules in development can fail in any way
            state = before
            state.stop = Stop(entry, error)
            for unplayed in entries[k:]:
                state.proposals = state.proposals.follow(unplayed)
            state.entry_count = len(entries)
            return state
    if state.match is not None and state.match.over:
        rule, how = state.match.game.words.ending(state.match.state)
        state.stop = Stop(None, MatchOver(how, rule))
    return state
