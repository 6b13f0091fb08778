"""A guest who waits for other people to start a match with."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from meadhall.server.store.clock import Clock


@dataclass(frozen=True)
class MatchRequest:
    """A guest who waits for other people to start a match with.

    Attributes:
        id: changes whenever the guest looks for another match.
        guest: the id of the guest.
        bot: level of the bots that fill the seats that stay empty.
        bots_after: seconds after ``created_at`` when bots fill them; None: never.
        clock: the clock of the match.
        seen_at: when the guest's page last gave a sign.
        table_id: the table where the guest was seated; None while the guest waits.
        matched_at: when that was.
    """

    id: str
    guest: str
    game: str
    players: int
    options: Mapping[str, Any] = field(hash=False)
    bot: str
    bots_after: int | None
    clock: Clock | None
    created_at: datetime
    seen_at: datetime
    table_id: str | None = None
    matched_at: datetime | None = None

    @property
    def queue(self) -> str:
        """The SHA-256 of the properties that guests must share to play together."""
        wanted = [self.game, self.players, dict(self.options), self.clock and self.clock.to_json()]
        return hashlib.sha256(json.dumps(wanted, sort_keys=True, default=str).encode()).hexdigest()

    @property
    def bots_at(self) -> datetime | None:
        """When bots fill the empty seats."""
        return None if self.bots_after is None else self.created_at + timedelta(seconds=self.bots_after)
