"""What guests choose: a match against bots, and which of the open tables they look for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final, Self

from meadhall.bots import ranks
from meadhall.bots.ranks import HUSCARL
from meadhall.engine.game import Choice, Game, applies
from meadhall.engine.options import HouseRule
from meadhall.engine.registry import game, game_names
from meadhall.server.store.models import Guest, TableRow

# ----------------------------------------------------------------------------------------------------------- a match against bots

# A guest's choices for a match against bots: the number of seats, the level of the bots, the options.


@dataclass(frozen=True)
class PlayChoice:
    """A choice for a match against bots. Only options that are a ``Choice`` are chosen here."""

    players: int
    bot: str
    options: Mapping[str, str]

    def stored(self) -> dict[str, Any]:
        """Return the choice as a guest's row stores it."""
        return asdict(self)


def last_choice(subject: Game, guest: Guest) -> PlayChoice:
    """Return what the guest chose last, as far as the game still has it; otherwise the game's defaults."""
    last = guest.choices.get(subject.name, {})
    counts = range(subject.min_players, subject.max_players + 1)
    chosen: Mapping[str, Any] = last.get("options", {})
    return PlayChoice(
        players=last["players"] if last.get("players") in counts else subject.default_players,
        bot=last["bot"] if last.get("bot") in {rank.name for rank in ranks(subject)} else HUSCARL.name,
        options={
            option.name: chosen[option.name] if chosen.get(option.name) in option.values else option.default
            for option in choices_of(subject)
        },
    )


def new_choice(
    subject: Game, guest: Guest, players: int | None = None, bot: str = "", options: Mapping[str, str] | None = None
) -> PlayChoice:
    """Return the guest's last choice with changes. An option that the others rule out gets its default."""
    last = last_choice(subject, guest)
    chosen = {**last.options, **(options or {})}
    everything = {option.name: chosen.get(option.name, option.default) for option in subject.options}
    valid = {
        option.name: chosen[option.name] if applies(option, everything) else option.default for option in choices_of(subject)
    }
    unknown = {name: value for name, value in chosen.items() if name not in valid}  # the game refuses them
    return PlayChoice(players if players is not None else last.players, bot or last.bot, {**valid, **unknown})


def choices_of(subject: Game) -> list[Choice]:
    """Return the options of a game that are a choice of a few values, without the house rules: a table's lobby has those."""
    return [option for option in subject.options if isinstance(option, Choice) and not isinstance(option, HouseRule)]


# -------------------------------------------------------------------------------------------------------------------- open tables

# Which of the open tables a guest or a program looks for.


CLOCKS: Final = ("none", "live", "slow")
"""Which clocks a filter tells apart."""

_DIGITS: Final = 2
"""Digits of the number of free seats at most."""


@dataclass(frozen=True)
class TableFilter:
    """A filter for open tables. The default lets every table of an installed game through.

    Attributes:
        game: the name of a game; "" for all.
        variant: a value of an option, as ``option:value``; "" for all. A game without this option doesn't pass.
        free: the smallest number of open seats.
        clock: ``none``, ``live`` or ``slow``; "" for all.
    """

    game: str = ""
    variant: str = ""
    free: int = 1
    clock: str = ""

    @classmethod
    def read(cls, query: Mapping[str, str]) -> Self:
        """Return the filter in the query of an address. What no filter offers is left out: the address may be old."""
        name, free = query.get("game", ""), query.get("free", "")
        games = [name] if name in game_names() else game_names()
        known = {variant(each.name, value) for other in games for each in choices_of(game(other)) for value in each.values}
        return cls(
            game=name if name in game_names() else "",
            variant=query.get("variant", "") if query.get("variant") in known else "",
            clock=query.get("clock", "") if query.get("clock") in CLOCKS else "",
            free=max(1, int(free)) if free.isascii() and free.isdecimal() and len(free) <= _DIGITS else 1,
        )

    def lets_through(self, table: TableRow) -> bool:
        """Return whether the table is one of those that the filter looks for."""
        if table.game not in game_names() or (self.game and table.game != self.game):
            return False
        if self.variant and self.variant not in variants_of(table):
            return False
        if self.clock and self.clock != clock_of(table):
            return False
        return sum(seat.kind == "open" for seat in table.seats) >= self.free

    @property
    def is_set(self) -> bool:
        """Whether the filter leaves out anything."""
        return self != TableFilter()


def clock_of(table: TableRow) -> str:
    """Return which of the ``CLOCKS`` a table has."""
    if table.clock is None:
        return "none"
    return "live" if table.clock.is_live else "slow"


def variants_of(table: TableRow) -> set[str]:
    """Return the values of the table's options that are a choice of a few values, as ``option:value``."""
    chosen = {**{option.name: option.default for option in choices_of(game(table.game))}, **table.options}
    return {variant(option.name, str(chosen[option.name])) for option in choices_of(game(table.game))}


def changed_choices(table: TableRow) -> list[str]:
    """Return the values of the options that are not the default, in words."""
    return [
        option.named(table.options[option.name])
        for option in game(table.game).options
        if isinstance(option, Choice) and table.options.get(option.name, option.default) != option.default
    ]


def variant(option: str, value: str) -> str:
    """Return the value of an option as a filter names it."""
    return f"{option}:{value}"
