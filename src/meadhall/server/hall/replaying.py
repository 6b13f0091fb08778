"""Rebuild the match of a stored table from its entries."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from meadhall.engine.checks import quoted
from meadhall.engine.errors import BadSetup, MatchOver
from meadhall.engine.game import Game
from meadhall.engine.match.award import Award
from meadhall.engine.match.match import Match
from meadhall.engine.match.view import Seat
from meadhall.engine.state.schema import States, copied, field_names
from meadhall.engine.text.language import gettext as _
from meadhall.server.hall.bots.stand_ins import replay_return, replay_take_over
from meadhall.server.hall.consent.proposals import ENTRY_KINDS as PROPOSAL_KINDS
from meadhall.server.hall.time.clocks import Clocks, Standstill
from meadhall.server.store.models import Entry, EntryKind, SeatRow, TableRow

InformationSets = set[tuple[int, bytes]]
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


def new_clocks(table: TableRow, match: Match, standstills: tuple[Standstill, ...] = ()) -> Clocks | None:
    """Return the clocks of a table's match at its start; None without a clock."""
    if table.clock is None or table.started_at is None:
        return None
    return Clocks.of_start(table.clock, match, table.started_at, standstills)


@dataclass(frozen=True)
class Stop:
    """Where the changed rules of a game end a match that older rules have allowed.

    Attributes:
        entry: the first entry that can't be applied; None if the match is over after its last one.
        error: why not.
    """

    entry: Entry | None
    error: Exception


@dataclass(frozen=True)
class Replayed:
    """The result of a replay.

    Attributes:
        match: the match.
        hinted: the information sets in which a hint was requested.
        clocks: its clocks; None without a clock.
        stop: where the replay had to end; None at the end of the entries.
    """

    match: Match
    hinted: InformationSets
    clocks: Clocks | None
    stop: Stop | None = None


def replayed(game: Game, table: TableRow, entries: Sequence[Entry], standstills: tuple[Standstill, ...] = ()) -> Replayed:
    """Replay the entries of a table. ``standstills``: the times in which no clock ran."""
    match = new_match(game, table)
    for entry in reversed(entries):
        if entry.kind == "swap":  # before it, another player had the seat
            before = entry.data or {}
            match.rename(entry.seat, Seat(match.names[entry.seat], before["kind"], before["bot"]))
    return continued(match, table, entries, new_clocks(table, match, standstills))


def replayed_while_legal(
    game: Game, table: TableRow, entries: Sequence[Entry], standstills: tuple[Standstill, ...] = ()
) -> Replayed:
    """Replay the entries of a running table by rules that may have changed, up to the first entry that they don't allow."""
    found = replayed(game, table, (), standstills)
    match, hinted, clocks = found.match, found.hinted, found.clocks
    for entry in entries:
        before = match.copy()
        try:
            found = continued(match, table, (entry,), clocks)
        except Exception as error:  # rules in development can fail in any way
            return Replayed(before, hinted, clocks, Stop(entry, error))
        hinted, clocks = hinted | found.hinted, found.clocks
    if match.over:
        rule, how = match.game.words.ending(match.state)
        return Replayed(match, hinted, clocks, Stop(None, MatchOver(how, rule)))
    return Replayed(match, hinted, clocks)


def continued(match: Match, table: TableRow, entries: Sequence[Entry], clocks: Clocks | None) -> Replayed:
    """Apply further entries to a match and its clocks, and changes of the table to the match."""
    hinted = InformationSets()
    for entry in entries:
        hinted |= hinted_by(entry, match)
        _KINDS[entry.kind](match, entry)
        clocks = None if clocks is None else clocks.after(entry, match)
    for row, seat in zip(table.seats, match.seats, strict=True):
        if seat != (now := seat_of(row)):
            match.rename(row.seat, now)
    if table.abandon_reason is not None and not match.ended:
        match.abandon(table.abandon_reason, awarded(table))
    return Replayed(match, hinted, clocks)


def _play(match: Match, entry: Entry) -> None:
    match.play(entry.value, entry.seat)


def _play_hinted(match: Match, entry: Entry) -> None:
    match.play(entry.value, entry.seat, hinted=True)


def _take_back(match: Match, entry: Entry) -> None:
    match.undo(entry.value, revealed=True)


def _edit(match: Match, entry: Entry) -> None:
    match.edit(with_fields(match.game, match.states, (entry.data or {})["fields"]))


def with_fields(game: Game, states: States, values: Mapping[str, Any]) -> States:
    """Return a copy of a state with other values of some fields, as JSON has them.

    Raises:
        BadSetup: there is no such field, or it can't have this value.
    """
    changed = copied(states)
    for name, value in values.items():
        if name not in field_names(states.dtype):
            raise BadSetup(_("{game} has no field {name}.").format(game=game.title, name=quoted(name)))
        field = changed[name][0]
        try:
            given = np.array(value, np.int64)
        except (ValueError, TypeError, OverflowError):
            given = None
        if given is None or given.shape != np.shape(field):
            shape = " × ".join(map(str, np.shape(field))) or "1"
            raise BadSetup(_("The field {name} takes {count} integers.").format(name=name, count=shape))
        limits = np.iinfo(field.dtype)
        if given.size and not (limits.min <= given.min() and given.max() <= limits.max):
            text = _("The field {name} takes integers from {low} to {high}.")
            raise BadSetup(text.format(name=name, low=limits.min, high=limits.max))
        changed[name][0] = given
    return changed


def _swap(match: Match, entry: Entry) -> None:
    match.rename(entry.seat, Seat(match.names[entry.seat]))
    match.end_stand_in(entry.seat)


def unchanged(match: Match, entry: Entry) -> None:
    """Replay an entry of a kind that doesn't change the match."""


_KINDS: Final[Mapping[EntryKind, Callable[[Match, Entry], None]]] = {
    "action": _play,
    "hinted": _play_hinted,
    "undo": _take_back,
    "hint": unchanged,
    "stand_in": replay_take_over,
    "return": replay_return,
    "pause": unchanged,
    "resume": unchanged,
    "swap": _swap,
    "edit": _edit,
    **dict.fromkeys(PROPOSAL_KINDS, unchanged),
}
"""The function that applies the entries of each kind to a match."""


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

    Its scores are shares of a win, also where the payoffs of the game are points.
    """
    outcome = match.outcome()
    if outcome is None:
        return None
    why = outcome.why if isinstance(outcome, Award) else None
    places = match.places()
    ranked = {} if places is None else {"places": list(places)}
    return {"winners": list(outcome.winners), "scores": list(outcome.shares), "why": why, **ranked}


def hinted_by(entry: Entry, match: Match) -> InformationSets:
    """Return the information set in which an entry requests a hint; empty for other entries.

    Information sets, because after an undo the seat may come back to the same one.
    """
    return {(entry.seat, match.information_set(entry.seat))} if entry.kind == "hint" else set()
