"""A guest's choices for a match against bots: the number of seats, the level of the bots, the options."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from meadhall.bots import ranks
from meadhall.bots.ranks import HUSCARL
from meadhall.engine.game import Choice, Game, applies
from meadhall.engine.options import HouseRule
from meadhall.server.store.models import Guest


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
