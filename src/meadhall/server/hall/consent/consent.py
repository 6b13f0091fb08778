"""Consent: make proposals at one table, ask the other players, and carry out a proposal when all agree."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING, Final

from sqlalchemy import Connection

from meadhall.engine.errors import CannotUndo, MatchOver, MeadhallError, Refused
from meadhall.engine.match.match import Match
from meadhall.engine.match.view import Seat
from meadhall.engine.text.language import gettext as _
from meadhall.server.errors import NotFound, NotSeated, Stale, WrongMoment
from meadhall.server.hall.bots.stand_ins import as_played, persons_playing
from meadhall.server.hall.consent.proposals import Proposal, Proposals, What, check_kind
from meadhall.server.hall.notices.notifications import Notification, notify
from meadhall.server.hall.people.names import unlike_others
from meadhall.server.hall.processes.leases import Leases
from meadhall.server.hall.replaying import stored_outcome
from meadhall.server.hall.seating import names_at
from meadhall.server.store.models import Entry, Guest, Job, SeatRow, TableRow, new_link_token
from meadhall.server.store.queries import jobs
from meadhall.server.store.queries.entries import Change
from meadhall.server.store.store import Store, Within

if TYPE_CHECKING:
    from meadhall.server.hall.processes.scheduler import Scheduler
    from meadhall.server.hall.room import Room

JOB: Final = "proposal"
"""The kind of the jobs that end proposals whose time is up. Their key is the id of the table."""

MOMENT: Final = timedelta(minutes=2)
"""The time to answer with a live clock, and without a clock if all the people asked are present."""

DAY: Final = timedelta(days=1)
"""The time to answer with a slow clock, and without a clock if one of the people asked is away."""

GIVEN_UP: Final = "the players gave up together"
"""Why a match ended that the players gave up together."""


class Consent:
    """The proposals at the table of a room.

    Attributes:
        proposals: their state after the last entry of the match.
    """

    def __init__(self, room: Room, store: Store, leases: Leases) -> None:
        self.proposals = Proposals()
        self._room = room
        self._store = store
        self._leases = leases
        self._names: dict[str, str] = {}  # of guests, by their public ids

    def follow(self, new: Sequence[Entry]) -> None:
        """Apply entries of the match that are stored."""
        for entry in new:
            self.proposals = self.proposals.follow(entry)

    def restart(self, entries: Sequence[Entry]) -> None:
        """Follow a match from its first entry on."""
        self.proposals = Proposals()
        self.follow(entries)

    async def learn_names(self) -> None:
        """Read the names of guests who want seats. Entries have only their public ids, so that a guest can be forgotten."""
        found, last = self.proposals.open, self.proposals.last
        for each in (found, None if last is None else last.proposal):
            if each is not None and each.guest and each.guest not in self._names:
                guest = await self._store.guest_by_public_id(each.guest)
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

    def refusal(self, what: What, seat: int | None, guest: Guest) -> MeadhallError | None:
        """Return the refusal of this proposal now by a guest on a seat, or without one (None); None if it is possible."""
        try:
            self._check(what, seat)
            self.proposals.check_new(what, guest.public_id if seat is None else seat, self._room.time.now())
        except MeadhallError as error:
            return error
        return None

    def offers(self, seat: int | None) -> tuple[What, ...]:
        """Return the proposals that make sense at this table for a seat, or for a guest without one, also if they must wait."""
        table, match = self._room.table, self._room.match
        if match is None or match.over or table.status != "running" or table.daily is not None:
            return ()
        if seat is None:
            return ("swap",)
        ending: What = "give-up" if self._is_together(match) else "draw"
        clocks = self._room.running_clocks
        pausing: tuple[What, ...] = () if clocks is None else ("resume",) if clocks.is_paused else ("pause",)
        return ("take-back", ending, *pausing)

    def _check(self, what: What, seat: int | None) -> Match:
        """Check that a proposal fits the match, and return the match."""
        room = self._room
        match = room.running_match()
        if match.over:
            raise MatchOver(_("The match is over."))
        if room.table.daily is not None:
            raise WrongMoment(_("In the puzzle of the day nothing can be proposed: everyone plays the same deal, once."))
        if what == "swap":
            if seat is not None:
                raise WrongMoment(_("You have a seat already. A friend who watches can ask for it, or for that of a bot."))
            return match
        if seat is None:
            raise NotSeated(_("You have no seat at this table; you are a spectator."))
        together = self._is_together(match)
        if what == "take-back" and not match.steps:
            raise CannotUndo(_("There is nothing to take back yet."))
        if what == "draw" and together:
            raise WrongMoment(_("All win or lose together here, so there is no draw. You can give up together."))
        if what == "draw" and seat not in match.living:
            raise WrongMoment(_("You are out of the game, so a draw is no longer yours to offer."))
        if what == "give-up" and not together:
            raise WrongMoment(_("You play against each other here. Offer a draw, or resign."))
        if what in ("pause", "resume"):
            self._check_clocks(stopped=what == "resume")
        return match

    def _check_clocks(self, stopped: bool) -> None:
        """Refuse unless the clocks are stopped, or run. Raises WrongMoment."""
        clocks = self._room.running_clocks
        if clocks is None:
            raise WrongMoment(_("This table has no clock."))
        if clocks.is_paused != stopped:
            raise WrongMoment(_("The clocks are already stopped.") if clocks.is_paused else _("The clocks are running."))

    @staticmethod
    def _is_together(match: Match) -> bool:
        return match.is_cooperative

    async def propose(self, guest: Guest, what: str, to: int | None = None, seat: int | None = None) -> None:
        """Make a proposal for the guest's seat, or as a spectator ask for a seat.

        Args:
            what: one of ``KINDS``.
            to: for ``take-back`` the number of the first action that is taken back; None: the guest's last one.
            seat: for ``swap`` the seat that the guest wants.

        Raises:
            Refused: with the reason, if the proposal doesn't fit.
        """
        kind = check_kind(what)
        if kind == "swap":
            if not guest.public_id:
                guest = await self._store.save_guest(guest)
            self._names[guest.public_id] = guest.name

        def change(match: Match) -> Entry:
            own = self._room.table.seat_of(guest.id)
            self._check(kind, own)
            at = self._room.time.now()
            if kind == "swap":
                place = self._wanted_seat(seat)
                asked = frozenset(range(match.players))
                return self._entry(kind, place, asked, at, guest=guest.public_id)
            assert own is not None
            concerned = match.living if kind == "draw" else range(match.players)
            asked = frozenset(concerned) - {own}
            return self._entry(kind, own, asked, at, to=_first_taken_back(match, own, to) if kind == "take-back" else 0)

        await self._append(change)

    def _wanted_seat(self, seat: int | None) -> int:
        if seat is None or not 0 <= seat < len(self._room.table.seats):
            raise NotFound(_("There is no such seat."))
        return seat

    def _entry(self, what: What, seat: int, asked: frozenset[int], at: datetime, to: int = 0, guest: str = "") -> Entry:
        room, bots = self._room, self._bots(what)
        limit = self._time_limit(asked - bots)
        return self.proposals.proposed(room.entry_count + 1, what, seat, asked, bots, at, limit, to, guest)

    def _time_limit(self, people: frozenset[int]) -> timedelta:
        """Return the time that these seats have to answer."""
        room, clock = self._room, self._room.table.clock
        if clock is not None:
            return MOMENT if clock.is_live else DAY
        return MOMENT if all(room.is_here(row) for row in room.table.seats if row.seat in people) else DAY

    def _bots(self, what: What) -> frozenset[int]:
        """Return the seats for which bots answer. Only its owner can leave a seat to another person, unless they resigned."""
        rows, match = self._room.table.seats, self._room.running_match()
        if what == "swap":
            people = persons_playing(self._room.table, match)
            return frozenset(row.seat for row in rows if row.seat not in people)
        return frozenset(row.seat for row in rows if as_played(row, match).kind == "bot")

    # ------------------------------------------------------------------------------------------------------------ answering

    async def answer(self, guest: Guest, proposal: int, agrees: bool) -> None:
        """Vote for the guest's seat. A vote that the seat has already given changes nothing. Raises Refused."""
        seat = self._room.seat_of(guest)

        def change(_match: Match) -> Entry:
            return self.proposals.answered(self._room.entry_count + 1, proposal, seat, agrees, self._room.time.now())

        await self._append(change)

    async def answer_for_bot(self, seat: int, proposal: int, agrees: bool) -> None:
        """Vote for the seat of a bot. Raises Stale if its vote isn't wanted any more."""

        def change(_match: Match) -> Entry:
            found = self.proposals.open
            if found is None or found.number != proposal or seat not in found.waiting & found.bots:
                raise Stale(_("This proposal is not open any more."))
            return Entry(self._room.entry_count + 1, "agree" if agrees else "decline", seat, found.entry)

        await self._append(change)

    async def withdraw(self, guest: Guest, proposal: int) -> None:
        """Withdraw the guest's proposal. Raises Stale, NotSeated."""
        seat = self._room.table.seat_of(guest.id)
        owner = guest.public_id if seat is None else seat

        def change(_match: Match) -> Entry:
            return self.proposals.withdrawn(self._room.entry_count + 1, proposal, owner, self._room.time.now())

        await self._append(change)

    async def expire(self, job: Job, scheduler: Scheduler) -> None:
        """End a proposal whose time is up, and the job that waited for it, in one transaction."""

        def change(_match: Match) -> Entry:
            return self.proposals.expired(self._room.entry_count + 1, int(job.payload["proposal"]), self._room.time.now())

        try:
            await self._append(change, partial(scheduler.finish, job))
        except (Refused, MatchOver):  # it has ended, or the match has
            return

    # -------------------------------------------------------------------------------------------------------------- effects

    async def _append(self, make: Callable[[Match], Entry], within: Within | None = None) -> None:
        """Append an entry and its effects."""

        async def change(match: Match) -> Change:
            return await self._change(match, make(match))

        await self._room.append_all(change, within)
        self._leases.jobs_due.set()  # the scheduler learns of the deadline

    async def _change(self, subject: Match, entry: Entry) -> Change:
        """Return the changes that an entry makes. If now everyone has agreed, they include the proposal itself."""
        after = self.proposals.follow(entry)
        accepted = after.accepted_by(entry)
        changed: TableRow | None = None
        more: tuple[Entry, ...] = ()
        if accepted is not None:
            match accepted.what:
                case "take-back":
                    count = sum(step.n >= accepted.to for step in subject.steps)
                    subject.undo(count, revealed=True)
                    more = (Entry(entry.number + 1, "undo", accepted.seat, count, at=entry.at),)
                case "draw":
                    subject.agree_to_draw()
                    changed = self._ended(subject)
                case "give-up":
                    subject.abandon(GIVEN_UP)
                    changed = self._ended(subject)
                case "swap":
                    before = self._room.table.seats[accepted.seat]
                    changed = await self._swapped(accepted)
                    subject.rename(accepted.seat, Seat(changed.seats[accepted.seat].name))
                    subject.end_stand_in(accepted.seat)
                    data = {"kind": before.kind, "bot": before.bot}
                    more = (Entry(entry.number + 1, "swap", accepted.seat, 0, data, entry.at),)
                case "pause" | "resume":
                    more = (Entry(entry.number + 1, accepted.what, accepted.seat, 0, at=entry.at),)
        return Change((entry, *more), changed, partial(self._set_deadline, entry, after))

    def _set_deadline(self, entry: Entry, after: Proposals, connection: Connection) -> None:
        """Let the scheduler end a new proposal at its time, and call the people asked. Cancel that job after an earlier end."""
        found, table = after.open, self._room.table
        if found is not None and found.entry == entry.number:
            jobs.put(connection, JOB, table.id, found.until, {"proposal": found.entry})
            people = {guest for row in table.seats if row.seat in found.waiting - found.bots for guest in row.guests}
            sender = self.name_of(found) or table.seats[found.seat].name
            notify(connection, Notification("proposal", table.id, found.entry, sender, found.until), people)
        elif found is None and entry.kind not in ("propose", "expire"):
            jobs.cancel(connection, JOB, table.id)

    def _ended(self, match: Match) -> TableRow:
        ended = replace(self._room.table, status="abandoned", finished_at=self._room.time.now(), abandon_reason=match.abandoned)
        return replace(ended, outcome=stored_outcome(match))

    async def _swapped(self, accepted: Proposal) -> TableRow:
        """Return the table after a guest has taken over the wanted seat. Raises NotFound, WrongMoment."""
        table = self._room.table
        guest = await self._store.guest_by_public_id(accepted.guest)
        if guest is None:
            raise NotFound(_("The guest who has asked for the seat is no longer known here."))
        if table.seat_of(guest.id) is not None:
            raise WrongMoment(_("{name} has a seat at this table already.").format(name=guest.name))
        left = replace(table.seats[accepted.seat], name="")
        name = unlike_others(guest.name, names_at(table.replace_seat(left)))
        return table.replace_seat(SeatRow(accepted.seat, "human", name, None, frozenset({guest.id}), new_link_token()))


def _first_taken_back(match: Match, seat: int, number: int | None) -> int:
    """Return the number of the first action that a take-back to decision ``number`` takes back. Raises CannotUndo, Stale."""
    if number is None:
        number = next((step.n for step in reversed(match.steps) if step.seat == seat), None)
        if number is None:
            raise CannotUndo(_("There is nothing to undo: you haven't decided anything yet."))
    if all(step.n != number for step in match.steps):
        raise Stale(_("The game has moved on. Look again, then choose."))
    return number
