"""How a match ended, in one line: the same on pages, on pictures and in the terminal."""

from __future__ import annotations

from collections.abc import Sequence

from meadhall.engine.match.award import AGREEMENT, Award
from meadhall.engine.match.match import Match
from meadhall.engine.match.step import Result
from meadhall.engine.text.language import gettext as _
from meadhall.engine.text.language import listed, marked


def headline_of(match: Match, result: Result | Award, reader: int | None = None) -> str:
    """Say how a match ended. ``reader``: the seat that the headline calls "you"; None: it names the winners."""
    if reader is None:
        return headline(match.names, result)
    places = match.places()
    return your_headline(match.names, result, reader, places[reader] if places else None)


def headline(names: Sequence[str], result: Result | Award) -> str:
    """Name the winners."""
    winners = result.winners
    if not winners:
        return _("A draw") if _is_shared(result) else _("No winner")
    if len(winners) == 1:
        return _("{name} wins").format(name=names[winners[0]])
    if isinstance(result, Award) and result.why == AGREEMENT:
        return _("A draw")
    if len(winners) == len(names):
        return _("Everyone wins") if min(result.shares) == 1 else _("A draw")
    return _("{names} win").format(names=listed([names[seat] for seat in winners]))


def your_headline(names: Sequence[str], result: Result | Award, reader: int, place: int | None) -> str:
    """Say to the player on a seat how the match ended. ``place``: the player's place among all, if the game ranks them."""
    winners = result.winners
    if _is_shared(result):
        return _("A draw")
    if isinstance(result, Award) and result.why == AGREEMENT and reader in winners:
        return _("A draw")
    if reader not in winners:
        if place is None or len(names) == 2:
            return _("You lost")
        return _("You lost, {place} of {players}").format(place=_(PLACES[place - 1]), players=len(names))
    others = [names[seat] for seat in winners if seat != reader]
    return _("You win, together with {names}").format(names=listed(others)) if others else _("You win")


def crowned(players: int, result: Result | Award) -> tuple[int, ...]:
    """Return the seats of the winners; none after a draw, which has winners only by the rules."""
    winners = result.winners
    agreed = isinstance(result, Award) and result.why == AGREEMENT and len(winners) > 1
    everyone = 1 < players == len(winners) and min(result.shares) < 1
    return () if agreed or everyone or _is_shared(result) else winners


def _is_shared(result: Result | Award) -> bool:
    """Return whether all seats have the same share of a win that is not a common one."""
    return 0 < min(result.shares) == max(result.shares) < 1


PLACES = (marked("1st"), marked("2nd"), marked("3rd"), marked("4th"), marked("5th"), marked("6th"), marked("7th"))
"""The places of up to seven players."""
