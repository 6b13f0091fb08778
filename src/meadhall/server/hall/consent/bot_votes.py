"""Let the bots of one room answer proposals.

A bot agrees to everything that costs it nothing. To a draw it agrees when it doesn't expect to do better by playing on. It judges
from what everyone knows: otherwise a player who asks again and again would learn what is in its hand. It answers at a moment
that doesn't depend on the position.
"""

from __future__ import annotations

import asyncio
import logging
from typing import Final

from meadhall.engine.match.award import drawn_by_agreement
from meadhall.engine.match.view import SPECTATOR
from meadhall.server.errors import DatabaseUnavailable, Stale, WrongMoment
from meadhall.server.hall.bots.bots import BotDriver
from meadhall.server.hall.consent.consent import Consent
from meadhall.server.hall.consent.proposals import Proposal
from meadhall.server.hall.services import TableRoom

log = logging.getLogger(__name__)

_SECONDS: Final = 1.0
"""The time of an evaluation."""

_ANSWER_AFTER: Final = 2.0
"""Seconds after which a bot answers, with the usual pause between the actions of bots."""

_USUAL_PAUSE: Final = 0.9
"""The default of ``MEADHALL_BOT_PAUSE``."""

_RETRY_DELAY: Final = 1.0
"""Seconds before the next attempt after a failure."""


class BotVotes:
    """Answers the proposals of one room for its bots."""

    def __init__(self, room: TableRoom, bots: BotDriver, consent: Consent) -> None:
        self._room = room
        self._bots = bots
        self._consent = consent
        self._worker = room.services.worker
        self._answering: asyncio.Task[None] | None = None

    def answer(self) -> None:
        """Start answering, if a proposal waits for a bot and no answer is on its way."""
        if self._next() is not None and (self._answering is None or self._answering.done()):
            self._answering = asyncio.create_task(self._answer())

    async def close(self) -> None:
        """Stop answering."""
        if self._answering is not None:
            self._answering.cancel()
            await asyncio.gather(self._answering, return_exceptions=True)

    def _next(self) -> tuple[Proposal, int] | None:
        """Return the open proposal and the next bot that has to answer it."""
        found, table = self._consent.proposals.open, self._room.table
        if found is None or table.status != "running":
            return None
        waiting = found.waiting & found.bots
        return (found, min(waiting)) if waiting else None

    async def _answer(self) -> None:
        while (asked := self._next()) is not None:
            proposal, seat = asked
            try:
                agrees = await self._agrees(proposal, seat)
                self._consent.answer_for_bot(seat, proposal.number, agrees)
            except (Stale, WrongMoment):  # it was answered or withdrawn meanwhile
                continue
            except DatabaseUnavailable:
                await self._room.time.sleep(_RETRY_DELAY)
            except Exception:
                log.exception("table %s: the bot on seat %s could not answer a proposal", self._room.table.id, seat)
                await self._room.time.sleep(_RETRY_DELAY)

    async def _agrees(self, proposal: Proposal, seat: int) -> bool:
        if proposal.kind.bots_agree:
            return True
        match = self._room.running_match()
        await self._worker.load(self._room.game.name)
        pause = asyncio.create_task(self._room.time.sleep(_ANSWER_AFTER * self._bots.pause / _USUAL_PAUSE))
        payoffs = await self._worker.evaluate(match.view(SPECTATOR), _SECONDS, self._bots.learn_of_secrets(match))
        await pause
        award = drawn_by_agreement(match.parties, match.living)
        return award is not None and payoffs[seat] <= award.scores[seat]
