"""Apply the entries of a table to its match: new entries, and stored ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, Final

from meadhall.engine.errors import BadSetup
from meadhall.engine.game import Game
from meadhall.engine.match.award import Award
from meadhall.engine.match.match import Match
from meadhall.engine.match.view import Seat
from meadhall.engine.text.language import gettext as _
from meadhall.server.hall.bots.stand_ins import replay_stand_in
from meadhall.server.hall.consent.proposals import ENTRY_KINDS as PROPOSAL_KINDS
from meadhall.server.hall.time.clocks import Clocks, Outage
from meadhall.server.store.models import Entry, EntryKind, SeatRow, TableRow

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
    """Apply an entry that is no action to a match. Raises the errors of the match, and BadSetup for an unknown kind."""
    if entry.kind not in _KINDS:
        raise BadSetup(_("This Meadhall doesn't know entries of the kind {kind}.").format(kind=entry.kind))
    _KINDS[entry.kind](match, entry)


def _take_back(match: Match, entry: Entry) -> None:
    match.undo(entry.value, revealed=True)


def _return(match: Match, entry: Entry) -> None:
    match.end_stand_in(entry.seat)


def _swap(match: Match, entry: Entry) -> None:
    match.rename(entry.seat, Seat(match.names[entry.seat]))
    match.end_stand_in(entry.seat)


def _unchanged(match: Match, entry: Entry) -> None:
    """Replay an entry of a kind that doesn't change the match."""


_KINDS: Final[Mapping[EntryKind, Callable[[Match, Entry], None]]] = {
    "undo": _take_back,
    "hint": _unchanged,
    "stand_in": replay_stand_in,
    "return": _return,
    "pause": _unchanged,
    "resume": _unchanged,
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
    return frozenset({(entry.seat, match.information_set(entry.seat))} if entry.kind == "hint" else ())
