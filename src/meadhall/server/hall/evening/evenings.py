"""Evenings: a leader opens one, people join it, and each round seats them at ordinary tables of the hall.

Nothing that matters is only in memory: all else follows from the rows of ``store.evenings`` and from the matches, as ``progress``
says. So an evening goes on after a restart.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from hashlib import sha256
from typing import Any, Final
from weakref import WeakValueDictionary

from cachetools import LRUCache

from meadhall.bots.ranks import HUSCARL
from meadhall.engine.errors import BadSetup, MeadhallError
from meadhall.engine.game import Game
from meadhall.engine.registry import game
from meadhall.engine.state import chance
from meadhall.engine.text.language import gettext as _, ngettext
from meadhall.server.errors import NotFound, NotReady, NotSeated, TooMany, WrongMoment
from meadhall.server.hall.choices import choices_of
from meadhall.server.hall.evening.progress import Placed, Progress, read
from meadhall.server.hall.evening.seating import seat_round
from meadhall.server.hall.lobby_changes import bot_seat, person_seat
from meadhall.server.hall.notices.pubsub import Channel
from meadhall.server.hall.people.names import clean_name
from meadhall.server.hall.room import Room
from meadhall.server.hall.stand_ins import is_out, standing_in
from meadhall.server.hall.state import TableState
from meadhall.server.hall.upkeep.scheduler import Scheduler
from meadhall.server.store import evenings, host_log, jobs
from meadhall.server.store.evenings import Evening
from meadhall.server.store.jobs import Job
from meadhall.server.store.models import Clock, Guest, TableRow, new_id
from meadhall.server.store.store import Store
from meadhall.server.worker.threads import run_in_thread

JOB: Final = "evening"
"""The kind of the jobs that look for people who don't come to their tables. Their key is the id of the evening."""

LOOK: Final = timedelta(seconds=10)
"""How often the hall looks whether people have come to their tables."""

LOOKS: Final = 12
"""After so many looks, two minutes, bots take the seats of those who haven't come."""

MOST_ROUNDS: Final = 12
MOST_PEOPLE: Final = 100
MOST_OPEN: Final = 5
"""Evenings of one leader that have not ended."""

DEEDS_OF_LEADER: Final = frozenset(("start", "close", "end", "remove", "bot"))

_KEPT: Final = 50
"""Evenings whose progress is kept in memory."""


def way_of_playing(subject: Game) -> tuple[dict[str, Any], range]:
    """Return the options with which an evening plays a game, and the numbers of players at a table.

    They are the default options; or, if with these all win or lose together, the first choice with which each plays for
    themselves. Raises BadSetup for a game without one.
    """
    for chosen in ({}, *({option.name: value} for option in choices_of(subject) for value in option.values)):
        options = subject.fitting_options(chosen)
        everyone = range(max(2, subject.min_players), subject.max_players + 1)
        counts = [count for count in everyone if len(subject.parties(count, options)) == count]
        with suppress(BadSetup):
            for count in counts:
                subject.check_setup(count, options)
            if counts:
                return options, range(counts[0], counts[-1] + 1)
    raise BadSetup(_("{game} has no places, so an evening can't count it.").format(game=subject.title))


class Evenings:
    """The evenings of a hall.

    Attributes:
        of_table: the id of the evening to which a table belongs, by the id of the table.
    """

    def __init__(
        self,
        store: Store,
        scheduler: Scheduler,
        room_of: Callable[[str], Awaitable[Room]],
        note_changes: Callable[[Sequence[str]], None],
        check_ready: Callable[[str], None],
    ) -> None:
        self._store, self._scheduler, self._room_of = store, scheduler, room_of
        self._note_changes, self._check_ready = note_changes, check_ready
        self._known: LRUCache[str, Progress] = LRUCache(_KEPT)
        self._channels: WeakValueDictionary[str, Channel] = WeakValueDictionary()  # those with an open page
        self.of_table = store.transact(evenings.all_tables)
        scheduler.register(JOB, self._look)

    def find(self, id: str) -> Progress:
        """Return how far an evening is. Raises NotFound."""
        mark, known = self._store.transact(evenings.mark, id), self._known.get(id)
        if known is None or known.mark != mark:
            known = self._known[id] = self._store.transact(read, id, mark)
        return known

    def channel(self, id: str) -> Channel:
        """Return the open pages of an evening."""
        return self._channels.setdefault(id, Channel(self._store.time))

    def end_pages(self, guest: str = "") -> None:
        """End the streams of a guest's pages; without one, let all look whether the hall closes."""
        for channel in self._channels.values():
            channel.end(guest) if guest else channel.publish()

    # ------------------------------------------------------------------------------------------------------------- opening

    def open(
        self,
        leader: Guest,
        name: str,
        games: Sequence[str],
        rounds: int,
        seats: int,
        clock: Clock | None,
        is_public: bool,
        plays: bool,
    ) -> Evening:
        """Open an evening, and return it. ``plays``: whether the leader takes part. Raises BadSetup, UnknownGame, TooMany."""
        title = clean_name(name) or _("An evening with {name}").format(name=leader.name)
        if not games:
            raise BadSetup(_("Choose at least one game."))
        if not 1 <= rounds <= MOST_ROUNDS:
            raise BadSetup(_("An evening has 1 to {most} rounds.").format(most=MOST_ROUNDS))
        if not 2 <= seats <= max(game(each).max_players for each in games):
            raise BadSetup(_("No game here has that many players."))
        if clock is not None and not clock.is_live:
            raise BadSetup(_("A slow clock would take longer than an evening."))
        for each in games:
            way_of_playing(game(each))
        evening = Evening(new_id(), leader.id, title, tuple(games), rounds, seats, clock, is_public, self._store.time.now())
        with self._store.change() as db:
            if sum(each.leader == leader.id for each in evenings.shown_to(db, leader.id)) >= MOST_OPEN:
                raise TooMany(_("You lead too many evenings; end one first."))
            evenings.add(db, evening)
            if plays:
                evenings.join(db, evening.id, leader.id)
        return evening

    # --------------------------------------------------------------------------------------------------------------- deeds

    async def do(self, id: str, guest: Guest, deed: str, person: str = "", number: int | None = None) -> None:
        """Let a guest join or leave an evening; or its leader, or a host of the hall, lead it.

        Args:
            id: the id of the evening.
            guest: who does it.
            deed: ``join``, from the next round on, or ``leave``; ``start`` the next round; ``close`` a round: give up the matches
                that still run, so that all at these tables are tied; ``end`` the evening, too; ``remove`` a person, who can't
                come back; let a ``bot`` play at once for a person who hasn't come to their table.
            person: the public id of this person.
            number: the last round that the page of the leader shows. A round that has begun since isn't begun again.

        Raises NotFound, NotReady, NotSeated, TooMany, WrongMoment.
        """
        progress = self.find(id)
        if deed in DEEDS_OF_LEADER and not progress.evening.is_led_by(guest):
            raise NotSeated(_("Only the leader of the evening can do that."))
        match deed:
            case "join":
                self._join(progress, guest)
            case "leave":
                self._store.transact(evenings.leave, id, guest.id)
            case "remove":
                self._store.transact(evenings.leave, id, _person(progress, person).id, is_removed=True)
            case "bot":
                await self._let_bot_play(progress, _person(progress, person))
            case "start":
                if number in (None, progress.round):
                    await self._start_round(progress)
            case "close" | "end":
                self._note_changes(self._store.transact(evenings.close, id, ends=deed == "end"))
            case _:
                raise NotFound(_("There is no page at this address."))
        if deed in DEEDS_OF_LEADER and guest.id != progress.evening.leader:
            self._store.transact(host_log.note, guest.public_id, f"evening-{deed}", id)
        self.channel(id).publish()

    def _join(self, progress: Progress, guest: Guest) -> None:
        if progress.is_over:
            raise WrongMoment(_("This evening is over."))
        if len(progress.people) >= MOST_PEOPLE and guest.id not in progress.names:
            raise TooMany(_("This evening is full."))
        if not self._store.transact(evenings.join, progress.evening.id, guest.id):
            raise NotSeated(_("The leader has taken you out of this evening."))

    async def _let_bot_play(self, progress: Progress, guest: Guest) -> None:
        table = progress.table_of(guest)
        if table is None or table.status != "running" or (seat := table.seat_of(guest.id)) is None:
            raise WrongMoment(_("{name} plays at no table now.").format(name=guest.name))
        room = await self._room_of(table.id)
        if room.visits.is_here(room.table.seats[seat]):
            raise WrongMoment(_("{name} is here.").format(name=guest.name))
        room.change(_with_bot, seat)

    async def _start_round(self, progress: Progress) -> None:
        """Seat everyone who is here, and start the matches."""
        evening, number = progress.evening, progress.round + 1
        if progress.is_over or progress.open:
            raise WrongMoment(_("This evening is over.") if progress.is_over else _("The last round is not over yet."))
        subject = progress.game(number)
        self._check_ready(subject.name)
        options, counts = await run_in_thread(way_of_playing, subject)
        people = [each for each in progress.standings if each.is_here]
        if len(people) < (least := counts.start):
            words = ngettext("A round needs at least {count} person.", "A round needs at least {count} people.", least)
            raise WrongMoment(words.format(count=least))
        seed = int.from_bytes(sha256(f"{evening.id}/{number}".encode()).digest()[:8], "big")
        wished = max(least, min(counts.stop - 1, evening.seats))
        seated = await run_in_thread(seat_round, people, progress.met, counts, wished, seed)
        by_id = {each.id: each for each in people}
        rows = [self._table(evening, subject, options, [by_id[id] for id in ids], wished) for ids in seated]
        missing = [(row.id, seat.seat) for row in rows for seat in row.seats if seat.guests]
        with self._store.change() as db:
            now = read(db, evening.id, None)
            if now.round != progress.round or now.is_over:
                raise WrongMoment(_("The round has begun already, or the evening is over."))
            evenings.add_round(db, evening.id, number, rows)
            jobs.put(db, JOB, evening.id, db.now() + LOOK, {"missing": missing, "looks": 1})
        self.of_table |= {row.id: evening.id for row in rows}
        for row in rows:
            with suppress(MeadhallError):  # the job tries again
                (await self._room_of(row.id)).start()
        self._scheduler.wake()

    def _table(self, evening: Evening, subject: Game, options: dict[str, Any], people: Sequence[Placed], wished: int) -> TableRow:
        """Return a table of a round: for several people, or for one person and bots."""
        seats = [replace(person_seat(seat, each.name, each.guest), is_ready=True) for seat, each in enumerate(people)]
        while len(people) == 1 and len(seats) < wished:
            seats.append(bot_seat(subject, len(seats), HUSCARL.name, {row.name for row in seats}))
        return TableRow(
            id=new_id(),
            game=subject.name,
            rules=subject.version,
            options=options,
            status="gathering",
            host=people[0].id,
            is_public=False,
            seed=chance.new_seed(),
            created_at=self._store.time.now(),
            seats=tuple(seats),
            clock=evening.clock,
        )

    # ------------------------------------------------------------------------------------------------------------ absences

    async def missing(self, progress: Progress) -> Mapping[str, bool]:
        """Return who of the running tables is away, by the ids of the guests, and whether a bot plays for them."""
        found: dict[str, bool] = {}
        for id in progress.open:
            with suppress(MeadhallError):
                room = await self._room_of(id)
                away = [row for row in room.table.seats if row.guests and not room.visits.is_here(row)]
                found |= {guest: row.seat in room.running_match().stand_ins for row in away for guest in row.guests}
        return found

    async def _look(self, job: Job) -> None:
        """Look who hasn't come to a table of a round; after a while let bots play for them, until they come."""
        missing, looks = job.payload["missing"], job.payload["looks"]
        with suppress(NotReady):  # after a restart; the time until the game is ready doesn't count
            missing = [(table, seat) for table, seat in missing if await self._is_missing(table, seat, looks >= LOOKS)]
            looks += 1
        again_at = self._store.time.now() + LOOK if missing else None
        self._scheduler.finish(job, again_at=again_at, payload={"missing": missing, "looks": looks})
        self.channel(job.key).publish()

    async def _is_missing(self, table: str, seat: int, is_last: bool) -> bool:
        """Return whether to look again for the person of a seat. ``is_last``: a bot plays for them if they are away."""
        try:
            room = await self._room_of(table)
            if room.table.status == "gathering":  # the hall was stopped at the start of the round
                room.start()
        except NotReady:
            raise
        except MeadhallError:
            return False
        is_away = room.table.status == "running" and not room.visits.is_here(room.table.seats[seat])
        if is_away and is_last:
            room.change(_with_bot, seat)
        return is_away and not is_last


def _with_bot(draft: TableState, seat: int) -> None:
    """Let a bot play for an absent person until they take their seat back. Change nothing if one plays, or they are out."""
    match = draft.running_match()
    if not match.over and seat not in match.stand_ins and not is_out(match, seat):
        draft.add("stand_in", seat, data=standing_in("away"))


def _person(progress: Progress, person: str) -> Guest:
    """Return the person of an evening with that public id. Raises NotFound."""
    for guest in progress.people:
        if guest.public_id == person:
            return guest
    raise NotFound(_("This person doesn't take part."))
