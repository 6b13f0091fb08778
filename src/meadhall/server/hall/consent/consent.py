"""Consent: make proposals at one table, ask the other players, and carry out a proposal when all agree."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING, Final

from meadhall.engine.errors import MatchOver, MeadhallError, Refused
from meadhall.engine.text.language import gettext as _
from meadhall.server.errors import Stale, WrongMoment
from meadhall.server.hall.consent.kinds import KINDS, Accepted, Kind, Proposer, kind_of
from meadhall.server.hall.consent.proposals import Proposal, Proposals
from meadhall.server.hall.notices.notifications import Notification, notify
from meadhall.server.store import guests, jobs
from meadhall.server.store.database import Db
from meadhall.server.store.jobs import Job
from meadhall.server.store.models import Entry, Guest, TableRow

if TYPE_CHECKING:
    from meadhall.server.hall.room import Room
    from meadhall.server.hall.services import Services
    from meadhall.server.hall.state import TableState

JOB: Final = "proposal"
"""The kind of the jobs that end proposals whose time is up. Their key is the id of the table."""

SHORT_TIME: Final = timedelta(minutes=2)
"""The time to answer with a live clock, and without a clock if all the people asked are present."""

DAY: Final = timedelta(days=1)
"""The time to answer with a slow clock, and without a clock if one of the people asked is away."""


class Consent:
    """The proposals at the table of a room."""

    def __init__(self, room: Room, services: Services) -> None:
        self._room = room
        self._store = services.store
        self._scheduler = services.scheduler
        self._names: dict[str, str] = {}  # of guests, by their public ids

    @property
    def proposals(self) -> Proposals:
        """Their state after the last entry of the match."""
        return self._room.state.proposals

    def learn_names(self) -> None:
        """Read the names of guests who want seats. Entries have only their public ids, so that a guest can be forgotten."""
        found, last = self.proposals.open, self.proposals.last
        for each in (found, None if last is None else last.proposal):
            if each is not None and each.guest and each.guest not in self._names:
                guest = self._store.transact(guests.find_public, each.guest)
                self._names[each.guest] = guest.name if guest is not None else _("former player")

    def name_of(self, proposal: Proposal) -> str:
        """Return the name of the guest who wants a seat; "" for a proposal of a player."""
        return self._names.get(proposal.guest, "")

    def waits_for(self, guest: str, entry: int) -> bool:
        """Return whether the proposal with that entry still waits for the answer of a guest with this id."""
        found, seat = self.proposals.open, self._room.table.seat_of(guest)
        is_open = self._room.table.status == "running" and found is not None and found.entry == entry
        return is_open and found is not None and seat in found.waiting

    # ------------------------------------------------------------------------------------------------------------ proposing

    def offers(self, guest: Guest) -> list[tuple[Kind, MeadhallError | None]]:
        """Return the proposals that make sense at this table for a guest, each with the reason why it has to wait, or None."""
        seat, found = self._room.table.seat_of(guest.id), []
        owner = guest.public_id if seat is None else seat
        with suppress(MeadhallError):
            proposer = self._proposer(seat)
            for kind in KINDS.values():
                with suppress(MeadhallError):
                    kind.check(proposer)
                    found.append((kind, self._refusal(kind, proposer, owner)))
        return found

    def _refusal(self, kind: Kind, proposer: Proposer, owner: str | int) -> MeadhallError | None:
        try:
            kind.check_now(proposer)
            self.proposals.check_new(kind.what, owner, self._room.time.now())
        except MeadhallError as error:
            return error
        return None

    def _proposer(self, seat: int | None) -> Proposer:
        """Return a seat, or a spectator (None), who wants to propose something. Raises WrongMoment, MatchOver."""
        match, table = self._room.running_match(), self._room.table
        if match.over:
            raise MatchOver(_("The match is over."))
        if table.daily is not None:
            raise WrongMoment(_("In the puzzle of the day nothing can be proposed: everyone plays the same deal, once."))
        return Proposer(table, match, self._room.running_clocks, seat)

    def propose(self, guest: Guest, what: str, to: int | None = None, seat: int | None = None) -> None:
        """Make a proposal for the guest's seat, or as a spectator ask for a seat.

        Args:
            what: one of ``KINDS``.
            to: for ``take-back`` the number of the first action that is taken back; None: the guest's last one.
            seat: for ``swap`` the seat that the guest wants.

        Raises:
            Refused: with the reason, if the proposal doesn't fit.
        """
        kind = kind_of(what)
        if kind.by_guest:
            guest = self._store.save_guest(guest)  # the name may belong to an account meanwhile
            self._names[guest.public_id] = guest.name

        self._change(partial(self._proposed, guest=guest, kind=kind, to=to, wanted=seat))

    def _proposed(self, draft: TableState, guest: Guest, kind: Kind, to: int | None, wanted: int | None) -> Entry:
        """Return the entry of a new proposal. Raises Refused."""
        proposer = replace(self._proposer(draft.table.seat_of(guest.id)), to=to, wanted=wanted)
        kind.check(proposer)
        kind.check_now(proposer)
        addressed, bots = kind.addressed(proposer), kind.bots(proposer)
        limit, by = self._time_limit(addressed.asked - bots), guest.public_id if kind.by_guest else ""
        return draft.proposals.proposed(draft.entry_count + 1, kind.what, addressed, bots, draft.at, limit, by)

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
        seat = self._room.table.seat_of(guest.id)
        owner = guest.public_id if seat is None else seat
        self._change(lambda draft: draft.proposals.withdrawn(draft.entry_count + 1, proposal, owner, draft.at))

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
            guest = self._store.transact(guests.find_public, accepted.guest) if accepted.guest else None
            accepted.kind.carry_out(Accepted(draft, accepted.seat, accepted.to, guest))

    def _set_deadline(self, entry: Entry, after: Proposals, table: TableRow, db: Db) -> None:
        """Let the scheduler end a new proposal at its time, and tell the people asked. Cancel that job after an earlier end."""
        found = after.open
        if found is not None and found.entry == entry.number:
            jobs.put(db, JOB, table.id, found.until, {"proposal": found.entry})
            people = {guest for row in table.seats if row.seat in found.waiting - found.bots for guest in row.guests}
            sender = self.name_of(found) or table.seats[found.seat].name
            notify(db, Notification("proposal", table.id, found.entry, sender, found.until), people)
        elif found is None and entry.kind not in ("propose", "expire"):
            jobs.cancel(db, JOB, table.id)


def _answered_by_bot(draft: TableState, seat: int, proposal: int, agrees: bool) -> Entry:
    found = draft.proposals.open
    if found is None or found.number != proposal or seat not in found.waiting & found.bots:
        raise Stale(_("This proposal is not open any more."))
    return Entry(draft.entry_count + 1, "agree" if agrees else "decline", seat, found.entry, at=draft.at)
