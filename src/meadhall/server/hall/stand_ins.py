"""Stand-ins: a bot takes over a person's seat for a while. The seat keeps its owner, who can take it back at any later decision.

Both are entries of the match: ``stand_in`` with the level of the bot, how long it plays and why, and ``return``. So they replay
after a restart, and the record says which actions a bot played. The bot gets the view of the seat and
nothing else, like every bot, and its pace follows the same rules.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final, Literal

from meadhall.bots.ranks import JARL
from meadhall.engine.errors import BadSetup
from meadhall.engine.match.match import Match
from meadhall.engine.match.step import Lasting, StandIn
from meadhall.engine.text.language import gettext as _
from meadhall.server.errors import WrongMoment
from meadhall.server.store.models import Entry, SeatRow, TableRow

LEVEL: Final = JARL.name
"""The level of a stand-in."""

Reason = Literal["time", "away", "resigned"]
"""Why a bot takes over: the time of the seat was up, its owner was away, or has resigned."""


def standing_in(why: Reason, lasts: Lasting = "return", bot: str = LEVEL) -> dict[str, str]:
    """Return the data of the entry with which a bot takes over a seat."""
    return {"bot": bot, "lasts": lasts, "why": why}


def check_return(match: Match, seat: int) -> None:
    """Refuse the return of a seat's owner if a bot plays only this decision for them, or if they have resigned.

    Raises WrongMoment.
    """
    if match.over:
        raise WrongMoment(_("The match is over."))
    _check_may_return(match, seat)


def check_own_decision(match: Match, seat: int) -> None:
    """Refuse the owner of a seat while a bot plays it. Raises WrongMoment."""
    if seat not in match.stand_ins or match.over:
        return
    _check_may_return(match, seat)
    raise WrongMoment(_("A bot plays for you. Take your seat back first."))


def _check_may_return(match: Match, seat: int) -> None:
    check_not_resigned(match, seat)
    if match.stand_ins[seat].lasts == "decision":
        raise WrongMoment(_("Your time was up. A bot plays this one decision."))


def check_not_resigned(match: Match, seat: int) -> None:
    """Refuse the owner of a seat who has resigned, so that a bot plays to the end. Raises WrongMoment."""
    stand_in = match.stand_ins.get(seat)
    if stand_in is not None and stand_in.lasts == "end":
        raise WrongMoment(_("You have resigned. A bot plays your seat to the end."))


def check_absence(table: TableRow, match: Match, asking: int, seat: int) -> None:
    """Check that a person on seat ``asking`` may let a bot play for the person on ``seat`` if that person is away.

    Raises BadSetup, WrongMoment.
    """
    if not 0 <= seat < len(table.seats):
        raise BadSetup(_("There is no seat {seat}.").format(seat=seat))
    if match.over:
        raise WrongMoment(_("The match is over."))
    check_not_resigned(match, asking)
    if seat == asking or seat not in persons_living(table, match):
        raise WrongMoment(_("A bot can play for another person who is away."))


def replay_stand_in(match: Match, entry: Entry) -> None:
    """Let a bot take over a seat, as an entry says."""
    data: Mapping[str, str] = entry.data or {}
    lasts: dict[str, Lasting] = {"decision": "decision", "end": "end"}
    match.begin_stand_in(entry.seat, StandIn(data.get("bot", LEVEL), lasts.get(data.get("lasts", ""), "return")))


def persons_playing(table: TableRow, match: Match) -> list[int]:
    """Return the seats of all people except those who have resigned. A bot may play for them until they return."""
    resigned = {seat for seat, stand_in in match.stand_ins.items() if stand_in.lasts == "end"}
    return [row.seat for row in table.seats if row.kind == "human" and row.seat not in resigned]


def persons_living(table: TableRow, match: Match) -> list[int]:
    """Return the seats of these people that can still act."""
    return [seat for seat in persons_playing(table, match) if not is_out(match, seat)]


def is_out(match: Match, seat: int) -> bool:
    """Return whether a seat has dropped out of a match that goes on."""
    return match.is_out(seat) and not match.ended


def check_not_out(match: Match, seat: int) -> None:
    """Refuse the player of a seat that has dropped out. Raises WrongMoment."""
    if is_out(match, seat):
        raise WrongMoment(_("You are out of the game."))


def check_only_bots_play(table: TableRow, match: Match, seat: int) -> None:
    """Refuse a player who is not out, and one who is while other people still play. Raises WrongMoment."""
    if not is_out(match, seat):
        raise WrongMoment(_("The match is not over yet."))
    if persons_living(table, match):
        raise WrongMoment(_("Other people still play."))


def as_played(row: SeatRow, match: Match | None) -> SeatRow:
    """Return a seat as a bot's if a bot plays it now, also for its owner."""
    stand_in = None if match is None else match.stand_ins.get(row.seat)
    return row if stand_in is None or row.kind != "human" else replace(row, kind="bot", bot=stand_in.bot)
