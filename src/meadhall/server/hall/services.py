"""What the modules that work at one table see of its room, and of the hall behind it. So none of them needs the room itself."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Concatenate, ParamSpec, Protocol

from meadhall.engine.game import Game
from meadhall.engine.match.match import Match
from meadhall.server.hall.clocks import Clocks
from meadhall.server.hall.deadlines import Deadlines
from meadhall.server.hall.house import Switches
from meadhall.server.hall.notices.pubsub import Channel
from meadhall.server.hall.state import TableState
from meadhall.server.hall.upkeep.scheduler import Scheduler
from meadhall.server.ops.time import Time
from meadhall.server.store.models import Guest, SeatRow, TableRow
from meadhall.server.store.store import Store
from meadhall.server.worker.client import Worker

P = ParamSpec("P")

Edit = Callable[Concatenate[TableState, P], None]
"""Checks and changes a draft."""


@dataclass(frozen=True)
class Services:
    """The services of a hall that its rooms share.

    Attributes:
        store: the database.
        worker: thinks for the bots.
        scheduler: does work at its time.
        deadlines: the jobs that wait until the time of a seat is up.
        bot_pause: seconds that a bot takes for an action on average.
        switches: what the host has switched off.
    """

    store: Store
    worker: Worker
    scheduler: Scheduler
    deadlines: Deadlines
    bot_pause: float
    switches: Switches


class Company(Protocol):
    """Who is at a table."""

    def is_here(self, seat: SeatRow) -> bool:
        """Return whether a seat's player is here. A bot is always here."""

    def looking(self, state: TableState) -> set[int]:
        """Return the seats to move whose players have a page of the table in front of them."""


class Away(Protocol):
    """Who is away from a running match."""

    def may_be_replaced_at(self, seat: int) -> datetime | None:
        """Return from when on a bot may play for an absent player; None for a player who isn't absent."""


class TableRoom(Protocol):
    """One table, its match, and its subscribers: ``hall.room.Room``."""

    game: Game
    services: Services
    state: TableState
    time: Time
    channel: Channel

    @property
    def visits(self) -> Company:
        """The guests who are here."""

    @property
    def absences(self) -> Away:
        """The players who are away."""

    @property
    def table(self) -> TableRow:
        """The stored table."""

    @property
    def match(self) -> Match | None:
        """The match; None before the start."""

    @property
    def running_clocks(self) -> Clocks | None:
        """The clocks while the match is running."""

    def running_match(self) -> Match:
        """Return the match. Refuse before its start, and if it was given up."""

    def seat_of(self, guest: Guest) -> int:
        """Return the guest's seat. Refuse a guest without one."""

    def change(self, edit: Edit[P], *args: P.args, **kwargs: P.kwargs) -> None:
        """Change the table by ``edit``, see ``hall.move``."""

    def close_table(self) -> None:
        """Close the table before the match."""

    def count_outages(self) -> None:
        """Count the clocks again if there is a new outage."""

    def publish(self, for_seat: int | None = None) -> None:
        """Publish a change to all subscribers, or only to the pages of a seat."""

    def let_bots_act(self) -> None:
        """Let the bots play if it is their turn, and answer an open proposal."""
