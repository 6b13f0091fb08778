"""Evenings: a leader opens one, people join it, and each round seats them at ordinary tables of the hall.

Nothing that matters is only in memory: who is where, and how many points they have, follows from the rows of
``store.evenings`` and from the matches. So an evening goes on after a restart.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import timedelta
from fractions import Fraction
from functools import cached_property
from hashlib import sha256
from itertools import combinations, groupby
from typing import Any, Final

from cachetools import LRUCache

from meadhall.bots.ranks import HUSCARL
from meadhall.engine.errors import BadSetup, MeadhallError
from meadhall.engine.game import Game
from meadhall.engine.registry import game
from meadhall.engine.state import chance
from meadhall.engine.text.language import gettext as _, ngettext
from meadhall.server.errors import NotFound, NotReady, NotSeated, TooMany, WrongMoment
from meadhall.server.hall.choices import choices_of
from meadhall.server.hall.evening.seating import BYE, Standing, points_of, seat_round
from meadhall.server.hall.lobby_changes import bot_seat, person_seat
from meadhall.server.hall.notices.pubsub import Channel
from meadhall.server.hall.people.names import clean_name, unlike_others
from meadhall.server.hall.room import Room
from meadhall.server.hall.stand_ins import is_out, standing_in
from meadhall.server.hall.state import TableState
from meadhall.server.hall.upkeep.scheduler import Scheduler
from meadhall.server.store import evenings, jobs
from meadhall.server.store.evenings import Attendee, Evening, Sitting
from meadhall.server.store.jobs import Job
from meadhall.server.store.models import Clock, Guest, SeatRow, TableRow, new_id
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

_KEPT: Final = 50
"""Evenings whose progress is kept in memory."""

_NO_PLACE: Final = 99
"""Sorts a person behind all others for whom a bot has played to the end."""


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


@dataclass(frozen=True)
class Placed:
    """A person in the standings.

    Attributes:
        place: from 1 on; people with equal points share it.
        points: the sum of all rounds.
        by_round: the points of each round that has ended for them, by its number.
    """

    guest: Guest
    name: str
    place: int
    points: Fraction
    by_round: Mapping[int, Fraction]
    is_here: bool


@dataclass(frozen=True)
class Progress:
    """How far an evening is.

    Attributes:
        mark: changes with everything that follows from the rows.
        people: all who have ever joined, in that order.
        sittings: who has sat where.
        tables: the tables of the last round, by their ids.
    """

    mark: tuple[Any, ...]
    evening: Evening
    people: Sequence[Attendee]
    sittings: Sequence[Sitting]
    tables: Mapping[str, TableRow]

    @property
    def round(self) -> int:
        """The number of the last round; 0 before the first one."""
        return self.sittings[-1].round if self.sittings else 0

    @property
    def is_running(self) -> bool:
        """Whether a table of the last round still plays."""
        return any(_is_open(table) for table in self.tables.values())

    @property
    def is_over(self) -> bool:
        """Whether there are no more rounds."""
        return self.evening.ended_at is not None or (self.round >= self.evening.rounds and not self.is_running)

    @property
    def game(self) -> Game:
        """The game of the last round; before the first one, of that."""
        return game(self.game_of(max(1, self.round)))

    def game_of(self, number: int) -> str:
        """Return the name of the game of a round."""
        return self.evening.games[(number - 1) % len(self.evening.games)]

    @cached_property
    def names(self) -> Mapping[str, str]:
        """The names of the people by their ids, all different."""
        found: dict[str, str] = {}
        for each in self.people:
            found[each.guest.id] = unlike_others(each.guest.name, [*found.values()])
        return found

    @cached_property
    def seated(self) -> Sequence[tuple[int, str, Sequence[Sitting]]]:
        """The tables of all rounds: the round, the id of the table, and who sits there."""
        key = lambda sitting: (sitting.round, sitting.table)  # noqa: E731
        return [(*at, tuple(found)) for at, found in groupby(sorted(self.sittings, key=key), key=key)]

    @cached_property
    def points(self) -> Mapping[str, Mapping[int, Fraction]]:
        """The points of the rounds by the ids of the people. A table that still plays gives none."""
        found: dict[str, dict[int, Fraction]] = {}
        for number, table, sittings in self.seated:
            if table not in self.tables or not _is_open(self.tables[table]):
                for guest, points in _points(sittings).items():
                    found.setdefault(guest, {})[number] = points
        return found

    @cached_property
    def standings(self) -> Sequence[Placed]:
        """Everyone who is here or has played, by their points."""
        totals = {each.guest.id: sum(self.points.get(each.guest.id, {}).values(), Fraction()) for each in self.people}
        shown = [each for each in self.people if each.is_here or each.guest.id in self.points]
        above = {points: 1 + sum(totals[each.guest.id] > points for each in shown) for points in totals.values()}
        placed = (
            Placed(each.guest, self.names[id], above[totals[id]], totals[id], self.points.get(id, {}), each.is_here)
            for each in shown
            for id in (each.guest.id,)
        )
        return sorted(placed, key=lambda each: each.place)

    def table_of(self, guest: str) -> TableRow | None:
        """Return the table where a guest sits in the last round; None without one."""
        at = (sitting.table for sitting in self.sittings if sitting.guest == guest and sitting.round == self.round)
        return self.tables.get(next(at, ""))

    def before_next(self) -> tuple[list[Standing], Mapping[frozenset[str], int]]:
        """Return who takes part in the next round, with their points and byes, and how often each pair has met."""
        byes = Counter(sittings[0].guest for _number, _table, sittings in self.seated if len(sittings) == 1)
        met = Counter(
            frozenset(pair) for *_at, sittings in self.seated for pair in combinations([each.guest for each in sittings], 2)
        )
        here = [each for each in self.standings if each.is_here]
        return [Standing(each.guest.id, each.points, byes[each.guest.id]) for each in here], met


def _points(sittings: Sequence[Sitting]) -> Mapping[str, Fraction]:
    """Return the points of those who sat at a table. Without a result they are tied."""
    if len(sittings) == 1:
        return {sittings[0].guest: BYE}
    ranks = {each.guest: (-(each.score or 0), each.place or _NO_PLACE) for each in sittings}
    order = sorted({*ranks.values()})
    return points_of({guest: order.index(rank) for guest, rank in ranks.items()})


def _is_open(table: TableRow) -> bool:
    return table.status in ("gathering", "running")


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
        self._channels: dict[str, Channel] = {}
        self.of_table = store.transact(evenings.all_tables)
        scheduler.register(JOB, self._look)

    def find(self, id: str) -> Progress:
        """Return how far an evening is. Raises NotFound."""
        mark, known = self._store.transact(evenings.mark, id), self._known.get(id)
        if known is None or known.mark != mark:
            known = self._known[id] = self._store.transact(_read, id, mark)
        return known

    def shown_to(self, guest: Guest) -> list[Evening]:
        """Return the evenings that the hall shows a guest: theirs, and those that anyone may join."""
        found = self._store.transact(evenings.of_guest, guest.id) if guest.is_stored else []
        return [*found, *(each for each in self._store.transact(evenings.listed) if each not in found)]

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
        wrong = {
            _("Choose at least one game."): not games,
            _("An evening has 1 to {most} rounds.").format(most=MOST_ROUNDS): not 1 <= rounds <= MOST_ROUNDS,
            _("No game here has that many players."): not 2 <= seats <= max([2, *(game(each).max_players for each in games)]),
            _("A slow clock would take longer than an evening."): clock is not None and not clock.is_live,
        }
        for words in [words for words, is_wrong in wrong.items() if is_wrong]:
            raise BadSetup(words)
        for each in games:
            way_of_playing(game(each))
        evening = Evening(new_id(), leader.id, title, tuple(games), rounds, seats, clock, is_public, self._store.time.now())
        with self._store.change() as db:
            if sum(each.leader == leader.id for each in evenings.of_guest(db, leader.id)) >= MOST_OPEN:
                raise TooMany(_("You lead too many evenings; end one first."))
            evenings.add(db, evening)
            if plays:
                evenings.join(db, evening.id, leader.id)
        return evening

    # -------------------------------------------------------------------------------------------------------------- people

    def join(self, id: str, guest: Guest) -> None:
        """Let a guest take part from the next round on. Raises NotFound, NotSeated, TooMany, WrongMoment."""
        progress = self.find(id)
        if progress.is_over:
            raise WrongMoment(_("This evening is over."))
        if len(progress.people) >= MOST_PEOPLE and guest.id not in progress.names:
            raise TooMany(_("This evening is full."))
        if not self._store.transact(evenings.join, id, guest.id):
            raise NotSeated(_("The leader has taken you out of this evening."))
        self.channel(id).publish()

    def leave(self, id: str, guest: Guest) -> None:
        """Let a guest take part in no further round."""
        self._store.transact(evenings.leave, id, guest.id)
        self.channel(id).publish()

    def remove(self, id: str, leader: Guest, person: str) -> None:
        """Take out the person with a public id, who can't come back. Raises NotFound, NotSeated."""
        self._store.transact(evenings.leave, id, self._person(self._led(id, leader), person).id, is_removed=True)
        self.channel(id).publish()

    def _led(self, id: str, leader: Guest) -> Progress:
        progress = self.find(id)
        if progress.evening.leader != leader.id:
            raise NotSeated(_("Only the leader of the evening can do that."))
        return progress

    def _person(self, progress: Progress, person: str) -> Guest:
        for each in progress.people:
            if each.guest.public_id == person:
                return each.guest
        raise NotFound(_("This person doesn't take part."))

    # -------------------------------------------------------------------------------------------------------------- rounds

    async def start_round(self, id: str, leader: Guest) -> None:
        """Seat everyone who is here, and start the matches. Raises NotFound, NotReady, NotSeated, WrongMoment."""
        progress = self._led(id, leader)
        number = progress.round + 1
        if progress.is_over or progress.is_running:
            raise WrongMoment(_("This evening is over.") if progress.is_over else _("The last round is not over yet."))
        name = progress.game_of(number)
        self._check_ready(name)
        options, counts = await run_in_thread(way_of_playing, game(name))
        people, met = progress.before_next()
        if len(people) < counts.start:
            raise WrongMoment(
                ngettext("A round needs at least {count} person.", "A round needs at least {count} people.", counts.start).format(
                    count=counts.start
                )
            )
        seed = int.from_bytes(sha256(f"{id}/{number}".encode()).digest()[:8], "big")
        wished = max(counts.start, min(counts.stop - 1, progress.evening.seats))
        seating = await run_in_thread(seat_round, people, met, counts.start, counts.stop - 1, seed, wished)
        seats = [*seating.tables, *([each] for each in seating.byes)]
        rows = [self._table(progress, game(name), options, sitting, wished) for sitting in seats]
        missing = [(row.id, seat) for row, sitting in zip(rows, seats, strict=True) for seat in range(len(sitting))]
        with self._store.change() as db:
            if (now := evenings.mark(db, id))[0] is not None or now[3] != progress.mark[3]:
                raise WrongMoment(_("The round has begun already, or the evening is over."))
            evenings.add_round(db, id, number, rows, seats)
            jobs.put(db, JOB, id, db.now() + LOOK, {"missing": missing, "looks": 1})
        self.of_table |= {row.id: id for row in rows}
        for row in rows:
            with suppress(MeadhallError):  # the job tries again
                (await self._room_of(row.id)).start()
        self._scheduler.wake()
        self.channel(id).publish()

    def _table(
        self, progress: Progress, subject: Game, options: Mapping[str, Any], sitting: Sequence[str], wished: int
    ) -> TableRow:
        """Return a table of a round: for several people, or for one person and bots."""
        guests = {each.guest.id: each.guest for each in progress.people}
        seats: list[SeatRow] = [
            replace(person_seat(seat, progress.names[id], guests[id]), is_ready=True) for seat, id in enumerate(sitting)
        ]
        while len(sitting) == 1 and len(seats) < wished:
            seats.append(bot_seat(subject, len(seats), HUSCARL.name, {row.name for row in seats}))
        return TableRow(
            id=new_id(),
            game=subject.name,
            rules=subject.version,
            options=dict(options),
            status="gathering",
            host=sitting[0],
            is_public=False,
            seed=chance.new_seed(),
            created_at=self._store.time.now(),
            seats=tuple(seats),
            clock=progress.evening.clock,
        )

    def close(self, id: str, leader: Guest, ends: bool) -> None:
        """Give up the matches that still run, so that all at these tables are tied; and perhaps end the evening.

        Raises NotFound, NotSeated.
        """
        self._led(id, leader)
        self._note_changes(self._store.transact(evenings.close, id, ends))
        self.channel(id).publish()

    # ------------------------------------------------------------------------------------------------------------ absences

    async def let_bot_play(self, id: str, leader: Guest, person: str) -> None:
        """Let a bot play at once for a person who hasn't come to their table. Raises NotFound, NotSeated, WrongMoment."""
        progress = self._led(id, leader)
        guest = self._person(progress, person)
        table = progress.table_of(guest.id)
        if table is None or table.status != "running" or (seat := table.seat_of(guest.id)) is None:
            raise WrongMoment(_("{name} plays at no table now.").format(name=guest.name))
        room = await self._room_of(table.id)
        if room.visits.is_here(room.table.seats[seat]):
            raise WrongMoment(_("{name} is here.").format(name=guest.name))
        room.change(_let_bot_play, seat)
        self.channel(id).publish()

    async def missing(self, progress: Progress) -> Mapping[str, bool]:
        """Return who of the running tables is away, by the ids of the guests, and whether a bot plays for them."""
        found: dict[str, bool] = {}
        for table in progress.tables.values():
            with suppress(MeadhallError):
                room = await self._room_of(table.id)
                for row in room.table.seats if room.match is not None and room.table.status == "running" else ():
                    if row.guests and not room.visits.is_here(row):
                        found |= dict.fromkeys(row.guests, row.seat in room.running_match().stand_ins)
        return found

    async def _look(self, job: Job) -> None:
        """Look who hasn't come to a table of a round; after a while let bots play for them, until they come."""
        looks, missing, counts = job.payload["looks"], [], 1
        for table, seat in job.payload["missing"]:
            try:
                room = await self._room_of(table)
                if room.table.status == "gathering":  # the hall was stopped at the start of the round
                    room.start()
            except NotReady:
                missing.append((table, seat))
                counts = 0
                continue
            except MeadhallError:
                continue
            if room.table.status == "running" and not room.visits.is_here(room.table.seats[seat]):
                if looks >= LOOKS:
                    room.change(_let_bot_play, seat)
                else:
                    missing.append((table, seat))
        again_at = self._store.time.now() + LOOK if missing else None
        self._scheduler.finish(job, again_at=again_at, payload={"missing": missing, "looks": looks + counts})
        self.channel(job.key).publish()


def _let_bot_play(draft: TableState, seat: int) -> None:
    """Let a bot play for an absent person until they take their seat back. Change nothing if one plays, or they are out."""
    match = draft.running_match()
    if not match.over and seat not in match.stand_ins and not is_out(match, seat):
        draft.add("stand_in", seat, data=standing_in("away"))


def _read(db: Any, id: str, mark: tuple[Any, ...]) -> Progress:
    evening = evenings.find(db, id)
    if evening is None:
        raise NotFound(_("There is no such evening here."))
    sittings = evenings.sittings_of(db, id)
    last = evenings.tables_of(db, id, sittings[-1].round) if sittings else {}
    return Progress(mark, evening, evenings.people_of(db, id), sittings, last)
