"""Consent: make proposals at one table, ask the other players, and carry out a proposal when all agree."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import Final

from meadhall.engine.errors import MatchOver, MeadhallError, Refused
from meadhall.engine.text.language import gettext as _
from meadhall.server.errors import Stale, WrongMoment
from meadhall.server.hall.notifications import Notification, notify
from meadhall.server.hall.proposal_kinds import KINDS, Accepted, Kind, Proposer, kind_of
from meadhall.server.hall.proposals import Proposals
from meadhall.server.hall.services import TableRoom
from meadhall.server.hall.state import TableState
from meadhall.server.store import jobs
from meadhall.server.store.database import Db
from meadhall.server.store.jobs import Job
from meadhall.server.store.models import Entry, Guest, TableRow

JOB: Final = "proposal"
"""The kind of the jobs that end proposals whose time is up. Their key is the id of the table."""

SHORT_TIME: Final = timedelta(minutes=2)
"""The time to answer with a live clock, and without a clock if all the people asked are present."""

DAY: Final = timedelta(days=1)
"""The time to answer with a slow clock, and without a clock if one of the people asked is away."""


class Consent:
    """The proposals at the table of a room."""

    def __init__(self, room: TableRoom) -> None:
        self._room = room
        self._store = room.services.store
        self._scheduler = room.services.scheduler

    @property
    def proposals(self) -> Proposals:
        """Their state after the last entry of the match."""
        return self._room.state.proposals

    def waits_for(self, guest: str, entry: int) -> bool:
        """Return whether the proposal with that entry still waits for the answer of a guest with this id."""
        found, seat = self.proposals.open, self._room.table.seat_of(guest)
        is_open = self._room.table.status == "running" and found is not None and found.entry == entry
        return is_open and found is not None and seat in found.waiting

    # ------------------------------------------------------------------------------------------------------------ proposing

    def offers(self, guest: Guest) -> list[tuple[Kind, MeadhallError | None]]:
        """Return the proposals that make sense at this table for a guest, each with the reason why it has to wait, or None."""
        found: list[tuple[Kind, MeadhallError | None]] = []
        with suppress(MeadhallError):
            seat = self._room.seat_of(guest)
            proposer = self._proposer(seat)
            for kind in KINDS.values():
                with suppress(MeadhallError):
                    kind.check(proposer)
                    found.append((kind, self._refusal(kind, proposer)))
        return found

    def _refusal(self, kind: Kind, proposer: Proposer) -> MeadhallError | None:
        try:
            kind.check_now(proposer)
            self.proposals.check_new(kind.what, proposer.seat, self._room.time.now())
        except MeadhallError as error:
            return error
        return None

    def _proposer(self, seat: int) -> Proposer:
        """Return the player of a seat who wants to propose something. Raises WrongMoment, MatchOver."""
        match, table = self._room.running_match(), self._room.table
        if match.over:
            raise MatchOver(_("The match is over."))
        if table.daily is not None:
            raise WrongMoment(_("In the puzzle of the day nothing can be proposed: everyone plays the same deal, once."))
        return Proposer(table, match, self._room.running_clocks, seat)

    def propose(self, guest: Guest, what: str, to: int | None = None) -> None:
        """Make a proposal for the guest's seat.

        Args:
            what: one of ``KINDS``.
            to: for ``take-back`` the number of the first action that is taken back; None: the guest's last one.

        Raises:
            Refused: with the reason, if the proposal doesn't fit.
        """
        self._change(partial(self._proposed, guest=guest, kind=kind_of(what), to=to))

    def _proposed(self, draft: TableState, guest: Guest, kind: Kind, to: int | None) -> Entry:
        """Return the entry of a new proposal. Raises Refused."""
        proposer = replace(self._proposer(draft.seat_of(guest)), to=to)
        kind.check(proposer)
        kind.check_now(proposer)
        addressed, bots = kind.addressed(proposer), kind.bots(proposer)
        limit = self._time_limit(addressed.asked - bots)
        return draft.proposals.proposed(draft.entry_count + 1, kind.what, addressed, bots, draft.at, limit)

    def _time_limit(self, people: frozenset[int]) -> timedelta:
        """Return the time that these seats have to answer."""
        room, clock = self._room, self._room.table.clock
        if clock is not None:
            return SHORT_TIME if clock.is_live else DAY
        return SHORT_TIME if all(room.visits.is_here(row) for row in room.table.seats if row.seat in people) else DAY

    # ------------------------------------------------------------------------------------------------------------ answering

    def answer(self, guest: Guest, proposal: int, agrees: bool) -> None:
        """Vote for the guest's seat. A vote that the seat has already given changes nothing. Raises Refused."""
        seat = self._room.seat_of(guest)
        self._change(lambda draft: draft.proposals.answered(draft.entry_count + 1, proposal, seat, agrees, draft.at))

    def answer_for_bot(self, seat: int, proposal: int, agrees: bool) -> None:
        """Vote for the seat of a bot. Raises Stale if its vote isn't wanted any more."""
        self._change(partial(_answered_by_bot, seat=seat, proposal=proposal, agrees=agrees))

    def withdraw(self, guest: Guest, proposal: int) -> None:
        """Withdraw the guest's proposal. Raises Stale, NotSeated."""
        seat = self._room.seat_of(guest)
        self._change(lambda draft: draft.proposals.withdrawn(draft.entry_count + 1, proposal, seat, draft.at))

    def expire(self, job: Job) -> None:
        """End a proposal whose time is up, and the job that waited for it, in one transaction."""
        entry = int(job.payload["proposal"])
        with suppress(Refused, MatchOver):  # it has ended, or the match has
            self._change(lambda draft: draft.proposals.expired(draft.entry_count + 1, entry, draft.at), job)

    # -------------------------------------------------------------------------------------------------------------- effects

    def _change(self, make: Callable[[TableState], Entry], job: Job | None = None) -> None:
        """Append the entry that ``make`` returns, and its effects. End the job in the same transaction."""
        self._room.change(self._enter, make, job)
        self._scheduler.wake()  # it learns of the deadline

    def _enter(self, draft: TableState, make: Callable[[TableState], Entry], job: Job | None) -> None:
        """Enter an entry in a draft. If now everyone has agreed, carry out the proposal."""
        draft.running_match()
        entry, table = make(draft), draft.table
        draft.ends = None if job is None else (job, None)
        draft.enter(entry)
        draft.effects += (partial(self._set_deadline, entry, draft.proposals, table),)
        accepted = draft.proposals.accepted_by(entry)
        if accepted is not None:
            accepted.kind.carry_out(Accepted(draft, accepted.seat, accepted.to))

    def _set_deadline(self, entry: Entry, after: Proposals, table: TableRow, db: Db) -> None:
        """Let the scheduler end a new proposal at its time, and tell the people asked. Cancel that job after an earlier end."""
        found = after.open
        if found is not None and found.entry == entry.number:
            jobs.put(db, JOB, table.id, found.until, {"proposal": found.entry})
            people = {guest for row in table.seats if row.seat in found.waiting - found.bots for guest in row.guests}
            note = Notification("proposal", table.id, found.entry, table.seats[found.seat].name, found.until)
            notify(db, note, people)
        elif found is None and entry.kind not in ("propose", "expire"):
            jobs.cancel(db, JOB, table.id)


def _answered_by_bot(draft: TableState, seat: int, proposal: int, agrees: bool) -> Entry:
    found = draft.proposals.open
    if found is None or found.number != proposal or seat not in found.waiting & found.bots:
        raise Stale(_("This proposal is not open any more."))
    return Entry(draft.entry_count + 1, "agree" if agrees else "decline", seat, found.entry, at=draft.at)
