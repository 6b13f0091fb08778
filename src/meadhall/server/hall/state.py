"""The state of a room: a table and its match, with its clocks and proposals after the last entry.

A change is made in a copy, the draft. When it is stored, the draft becomes the state of the room (``hall.move``).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Final, Self

from meadhall.engine.checks import as_integer
from meadhall.engine.errors import BadSetup, MeadhallError
from meadhall.engine.game import Game
from meadhall.engine.match.match import Match
from meadhall.engine.match.step import Award, Result
from meadhall.engine.match.view import Seat
from meadhall.engine.registry import game_fault
from meadhall.engine.text.language import gettext as _
from meadhall.server.errors import DoesNotFit, NotSeated, Paused, Stale, WrongMoment, reason_of, rule_of
from meadhall.server.hall.clocks import Clocks, Outage, Pause
from meadhall.server.hall.intentions import Intentions
from meadhall.server.hall.proposals import ENTRY_KINDS as PROPOSAL_KINDS, Proposals
from meadhall.server.hall.stand_ins import replay_stand_in
from meadhall.server.store.database import Effect
from meadhall.server.store.jobs import Job
from meadhall.server.store.models import FINISHED, UNTIMED, Entry, EntryKind, Guest, SeatRow, TableRow, TableStatus

# ------------------------------------------------------------------------------------------------------------- numbers of actions

# Numbers of actions in requests: which decision a player means.
#
# A request names the number that its action would have. So an action that was meant for an earlier position is refused, and a
# request that is repeated changes nothing. Where several seats choose at the same time, the choices of others don't outdate a
# request.


def is_current(match: Match, seat: int, number: int) -> bool:
    """Return whether an action with this number is meant for the decision that the seat has to make now."""
    if number == match.next_number:
        return True
    return match.decision_of(seat) < number < match.next_number and number not in _undone(match)


def _undone(match: Match) -> set[int]:
    return {step.n for each in match.undone for step in each.steps}


def check_number(match: Match, seat: int, number: int | None) -> None:
    """Check that an action with this number is meant for the pending decision of the seat. None always is. Raises Stale."""
    if number is not None and not is_current(match, seat, number):
        raise Stale(_("The game has moved on. Look again, then choose."))


def check_not_acted(match: Match, seat: int, number: int | None) -> None:
    """Check that a seat hasn't acted since the next action had this number, and nothing was taken back. Raises Stale."""
    last = next((step.n for step in reversed(match.steps) if step.seat == seat), 0)
    if number is not None and (not last < number <= match.next_number or number in _undone(match)):
        raise Stale(_("The game has moved on. Look again, then choose."))


def was_played(match: Match, seat: int, action: Any, number: int | None) -> bool:
    """Return whether the seat has played this action in the decision that the number means."""
    if number is None:
        return False
    position = next((k for k, step in enumerate(match.steps) if step.seat == seat and step.n >= number), None)
    if position is None or match.steps[position].action != as_integer(action):
        return False
    began = match.began(seat, position)
    return number > (match.steps[began - 1].n if began else 0)


# -------------------------------------------------------------------------------------------------------------- replaying entries

# Apply the entries of a table to its match: new entries, and stored ones.


InformationSets = frozenset[tuple[int, bytes]]
"""Pairs of a seat and the key of its information set."""


def todays_options(game: Game, stored: Mapping[str, Any]) -> dict[str, Any]:
    """Return the stored values of the options that the game has today. A value that is no longer allowed becomes the default."""
    chosen = {}
    for option in game.options:
        with suppress(BadSetup):
            chosen[option.name] = option.check(stored.get(option.name, option.default))
    return game.fitting_options(chosen)


def new_match(game: Game, table: TableRow) -> Match:
    """Return the match of a table at its start."""
    return Match(
        game,
        players=len(table.seats),
        seed=table.seed,
        seats=[seat_of(row) for row in table.seats],
        options=table.options,
        started=table.started_at.replace(microsecond=0) if table.started_at else None,
        clock=None if table.clock is None else table.clock.to_json(),
    )


def new_clocks(table: TableRow, match: Match, outages: tuple[Outage, ...] = ()) -> Clocks | None:
    """Return the clocks of a table's match at its start; None without a clock."""
    if table.clock is None or table.started_at is None:
        return None
    return Clocks.of_start(table.clock, match, table.started_at, outages)


def replay(entry: Entry, match: Match) -> None:
    """Apply an entry that is no action to a match. Raises errors of the match, and BadSetup for a kind of earlier versions."""
    if entry.kind not in _KINDS:
        raise BadSetup(_("This Meadhall doesn't know entries of the kind {kind}.").format(kind=entry.kind))
    _KINDS[entry.kind](match, entry)


def _swap(match: Match, entry: Entry) -> None:
    match.rename(entry.seat, Seat(match.names[entry.seat]))
    match.end_stand_in(entry.seat)


def _unchanged(match: Match, entry: Entry) -> None:
    """Replay an entry of a kind that doesn't change the match."""


_KINDS: Final[Mapping[EntryKind, Callable[[Match, Entry], object]]] = {
    "undo": lambda match, entry: match.undo(entry.value, revealed=True),
    "hint": _unchanged,
    "ahead": _unchanged,
    "stand_in": replay_stand_in,
    "return": lambda match, entry: match.end_stand_in(entry.seat),
    "pause": _unchanged,
    "resume": _unchanged,
    "skip": _unchanged,
    "holiday": _unchanged,
    "swap": _swap,
    **dict.fromkeys(PROPOSAL_KINDS, _unchanged),
}
"""The function that applies the entries of each kind but actions to a match."""


def seat_of(row: SeatRow) -> Seat:
    """Return a seat as its match knows it."""
    return Seat(row.name, "bot" if row.kind == "bot" else "human", row.bot)


def awarded(table: TableRow) -> Award | None:
    """Return the win that was awarded at a table when its match was given up."""
    found = table.outcome
    if found is None or found["why"] is None:
        return None
    return Award(tuple(found["winners"]), tuple(found["scores"]), found["why"])


def stored_outcome(match: Match) -> dict[str, Any] | None:
    """Return the outcome of a match as the table stores it; with the places of the seats if the game ranks them.

    Its scores are shares of a win, also where the payoffs of the game are points. What else it has, the record needs when other
    rules are installed.
    """
    outcome = match.outcome()
    if outcome is None:
        return None
    why = outcome.why if isinstance(outcome, Award) else None
    places = match.places()
    found: dict[str, Any] = {"winners": list(outcome.winners), "scores": list(outcome.shares), "why": why}
    if isinstance(outcome, Result):
        found["reason"] = outcome.reason
        if outcome.points is not None:
            found["points"] = list(outcome.points)
        if outcome.scores != outcome.shares:
            found["payoffs"] = list(outcome.scores)
    return found | ({} if places is None else {"places": list(places)})


# ---------------------------------------------------------------------------------------------------------------------- the state


@dataclass(frozen=True)
class Wait:
    """A wait before a quick match.

    Attributes:
        seconds: how long it lasts; None: until all seats are taken by people.
        until: when bots take the empty seats; None: never.
        bot: the level of these bots.
    """

    seconds: int | None
    until: datetime | None
    bot: str


@dataclass
class TableState:
    """A table and its match.

    Attributes:
        table: the stored table.
        match: its match; None before the start.
        wait: the wait of a quick match, see ``hall.waits``; None at any other table.
        clocks: its clocks; None without a clock, and before the start.
        entry_count: the number of entries of the match.
        proposals: the proposals after the last entry.
        hinted: the information sets in which a hint was requested: after an undo a seat may come back to the same one.
        is_skipped: whether the bots play on without pauses, because no person plays any more.
        intentions: what seats have chosen ahead.
        newcomers: seats whose guests play this game for the first time; forgotten after a restart in the middle of a match.
        at: of a draft: the time of its new entries.
        new: of a draft: the new entries.
        effects: of a draft: what else is stored with it.
        ends: of a draft: the job that ends with it, and when the job is due again.
        for_seat: of a draft: the one seat that may see the change; None if everyone may.
    """

    table: TableRow
    match: Match | None = None
    wait: Wait | None = None
    clocks: Clocks | None = None
    entry_count: int = 0
    proposals: Proposals = field(default_factory=Proposals)
    hinted: InformationSets = frozenset()
    is_skipped: bool = False
    intentions: Intentions = field(default_factory=Intentions)
    newcomers: frozenset[int] = frozenset()
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
        return self.match

    def check_not_paused(self) -> None:
        """Refuse what has to wait until a player goes on. Raises Paused."""
        if self.pause is not None:
            raise Paused(_("The match is paused. Any player can go on."))

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

    @property
    def pause(self) -> Pause | None:
        """The pause of the running match; None without one."""
        return None if self.running_clocks is None else self.running_clocks.pause

    def has_turn(self, seat: int | None) -> bool:
        """Return whether a seat's own player has a decision to make now: no bot makes it for them, and the match isn't paused."""
        match = self.match
        is_running = match is not None and self.table.status == "running" and self.pause is None
        return is_running and match is not None and seat in match.deciders and seat not in match.stand_ins

    # -------------------------------------------------------------------------------------------------------------- changing

    def add(self, kind: EntryKind, seat: int, value: int = 0, data: Mapping[str, Any] | None = None) -> None:
        """Add a new entry. It has the effect that its replay will have. Raises the errors of the match."""
        self.enter(Entry(self.entry_count + 1, kind, seat, value, data, self.at))

    def enter(self, entry: Entry) -> None:
        """Add a new entry that was made already."""
        self.new += (self._apply(entry, is_new=True),)
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

    def _apply(self, entry: Entry, is_new: bool = False) -> Entry:
        """Apply an entry, and return it. A new one then says how long boards play it."""
        match = self.match
        assert match is not None
        if entry.kind == "hint":
            self.hinted |= {(entry.seat, match.information_set(entry.seat))}
        self.is_skipped = entry.kind == "skip" or (self.is_skipped and entry.kind != "undo")  # an undo can revive a player
        if entry.kind in ("action", "hinted"):
            match.play(entry.value, entry.seat, hinted=entry.kind == "hinted")
        else:
            replay(entry, match)
        if self.clocks is not None:
            entry = self.clocks.with_play(entry, match) if is_new else entry
            self.clocks = self.clocks.after(entry, match)
        self.proposals = self.proposals.follow(entry)
        self.intentions = self.intentions.follow(entry, match)
        self.entry_count = entry.number
        return entry


def replayed(game: Game, table: TableRow, entries: Sequence[Entry], outages: tuple[Outage, ...] = ()) -> TableState:
    """Return the state of a table after its entries. ``outages``: the times in which no clock ran."""
    state = _begun(game, table, entries, outages)
    state.follow(table, entries)
    return state


def _begun(game: Game, table: TableRow, entries: Sequence[Entry], outages: tuple[Outage, ...]) -> TableState:
    """Return the state of a table at the start of its match."""
    state = TableState(table)
    state.begin(game, outages)
    for entry in reversed(entries):
        if entry.kind == "swap" and state.match is not None:  # before it, another player had the seat
            before = entry.data or {}
            state.match.rename(entry.seat, Seat(state.match.names[entry.seat], before["kind"], before["bot"]))
    return state


def replayed_if_it_fits(game: Game, table: TableRow, entries: Sequence[Entry], outages: tuple[Outage, ...] = ()) -> TableState:
    """Do the same for rules that may have been changed without another version. Raises DoesNotFit, which says why it fails."""
    try:
        state = _begun(game, table, entries, outages)
    except Exception as error:  # changed rules can fail in any way
        raise _does_not_fit(game, table, _("The setup fails: {why}.").format(why=_reason(error))) from error
    match = state.match
    assert match is not None
    try:
        state.follow(table, entries)
    except Exception as error:
        text = _("Actions that fit: {count}. Then it fails: {why}.")
        raise _does_not_fit(game, table, text.format(count=len(match.steps), why=_reason(error))) from error
    if match.over != (table.status == "over") and table.abandon_reason is None:
        text = _("It is over after action {count}.") if match.over else _("It is not over after action {count}.")
        raise _does_not_fit(game, table, text.format(count=len(match.steps)))
    return state


def _reason(error: Exception) -> str:
    """Return what a rule says of an action, with its id; or the error of a game, with its place in the code."""
    if isinstance(error, MeadhallError):
        reason, place = reason_of(error), rule_of(error)
    else:
        fault = game_fault(error)
        reason, place = f"{type(error).__name__}: {error}", "" if fault is None else fault.place
    return f"{reason.rstrip('.')} ({place})" if place else reason.rstrip(".")


def _does_not_fit(game: Game, table: TableRow, what: str) -> DoesNotFit:
    is_over = table.status in FINISHED
    later = _("It can be shown again when the rules allow it.") if is_over else _("It goes on when the rules allow it again.")
    text = _("This match doesn't fit the rules of {game} as they are now. {what} Nothing is lost. {later}")
    return DoesNotFit(text.format(game=game.title, what=what, later=later), table.id if is_over else "")
