"""Stand-ins: bots that play for a person for a while. The seat keeps its owner; the record says which actions a bot played."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Lasting = Literal["decision", "return", "end"]
"""How long a stand-in plays: for one decision, until the owner of the seat returns, or to the end of the match."""


@dataclass(frozen=True)
class StandIn:
    """A bot that plays for the owner of a seat.

    Attributes:
        bot: the level of the bot.
        lasts: how long it plays.
    """

    bot: str
    lasts: Lasting = "return"
