"""Drive the bots of one room: each of them decides within four seconds, and acts when people have seen the last action.

Where players have secrets, the time of a decision depends only on what everyone knows: the level of the bot and the public events
before it. Otherwise a quick answer would tell that a hand leaves no choice, or that the bot knows the position. For the same
reason the worker uses up the whole budget: its CPU time shows in metrics, and in how fast it answers others.
"""

from __future__ import annotations

import asyncio
import logging
import random
from dataclasses import dataclass
from functools import partial
from typing import Final

from meadhall.bots.ranks import RANKS
from meadhall.engine.game import BEAT_SECONDS, beats_of
from meadhall.engine.match.match import Match
from meadhall.engine.match.step import drawn_by_agreement
from meadhall.engine.match.view import SPECTATOR, concealed, visible
from meadhall.engine.text.language import gettext as _
from meadhall.server.errors import DatabaseUnavailable, Stale, WrongMoment
from meadhall.server.hall.consent import Consent
from meadhall.server.hall.proposals import Proposal
from meadhall.server.hall.services import TableRoom
from meadhall.server.hall.stand_ins import as_played
from meadhall.server.hall.state import TableState
from meadhall.server.ops.time import Time
from meadhall.server.store.models import SeatRow
from meadhall.server.worker.tasks import ChooseAction, EvaluatePosition, LoadRules

log = logging.getLogger(__name__)

_MAX_SECONDS = 3.8
"""Limit of a bot's search, and of its pause unless the host sets a longer one or the board still shows the last action."""

_ALLOWANCE = 0.25
"""Seconds between the end of a bot's budget and its action, where players have secrets. An answer arrives within this time on a
machine that is not overloaded."""

_INSTANT = 0.05
"""Seconds within which a bot without a budget answers."""

_EVENTS_PER_PAUSE = 3
"""Number of public events that people can follow during one pause. After more events the pause is longer."""

_USUAL_PAUSE = 0.9
"""The default of ``MEADHALL_BOT_PAUSE``, with which a bot waits exactly as long as the board shows the last step."""

_AFTER_EVENTS = 0.3
"""The part of a pause that follows the end of the animations."""

_MAX_BEATS = 36
"""A bot waits for at most so many beats of a long animation: ten seconds. Players can skip the rest."""

_RETRY_DELAY = 1.0
"""Seconds before the next attempt when even ``thrall`` could not play, for example because the database is unavailable."""


Position = tuple[int, bytes, frozenset[int], bool, bool] | None
"""Tells positions of a match apart, and whether it is paused or skipped.

Unlike the number of its entries it doesn't change with a hint, of which no bot may learn.
"""


@dataclass
class _Pace:
    """When a bot acts on its decision.

    Attributes:
        pause: seconds from the beginning of the decision that an action takes at least.
        secret: whether players have secrets. Then there are only two moments, whenever the answer comes.
        began: when the decision began, in seconds of the monotonic clock; None before.
    """

    pause: float
    secret: bool
    time: Time
    began: float | None = None

    def begin(self) -> None:
        """Start the clock, at the first call."""
        if self.began is None:
            self.began = self.time.seconds()

    async def keep(self) -> None:
        """Wait until the bot may act. If its answer came too late for the first moment, wait for the last."""
        assert self.began is not None
        now = self.time.seconds() - self.began
        moments = (self.pause, max(_MAX_SECONDS, self.pause)) if self.secret else (self.pause,)
        await self.time.sleep(next((moment - now for moment in moments if moment >= now), 0.0))


class BotDriver:
    """Plays for the seats of one room that belong to bots.

    Attributes:
        pause: seconds that a bot takes for an action on average, its search included.
    """

    def __init__(self, room: TableRoom) -> None:
        self.pause = room.services.bot_pause
        self._room = room
        self._worker = room.services.worker
        self._has_secrets = False  # whether a player has had secrets in this match
        self._playing: asyncio.Task[None] | None = None
        self._search: tuple[Position, asyncio.Task[int]] | None = None  # the position before it, and the search

    def next_seat(self) -> SeatRow | None:
        """Return the seat to move if a bot plays there, also for its owner; the first such seat where several choose at once."""
        match, table = self._room.match, self._room.table
        if match is None or table.status != "running" or self._room.state.pause is not None:
            return None
        seats = (as_played(table.seats[seat], match) for seat in match.deciders)
        return next((seat for seat in seats if seat.kind == "bot"), None)

    def play(self) -> None:
        """Start playing, if it is a bot's turn and none plays already. Bots play until it is a person's turn."""
        if self.next_seat() is not None and (self._playing is None or self._playing.done()):
            self._playing = asyncio.create_task(self._play())

    def cancel_outdated_search(self) -> None:
        """Cancel the current search if the match has changed since it began."""
        if self._search is not None:
            position, search = self._search
            if position != _position(self._room.state) or self._room.table.status != "running":
                search.cancel()

    async def close(self) -> None:
        """Stop playing."""
        if self._playing is not None:
            self._playing.cancel()
            await asyncio.gather(self._playing, return_exceptions=True)

    async def _play(self) -> None:
        while (seat := self.next_seat()) is not None:
            await self._play_once(seat)

    def _pause_length(self) -> float:
        """Return the length of the next pause in seconds. People must be able to follow the public events of the last step.

        The pause grows with their number, and lasts until the board has shown them.
        """
        match = self._room.running_match()
        events = len(visible(match.steps[-1].events, SPECTATOR)) if match.steps else 0
        reading = self.pause * random.uniform(0.7, 1.3) * max(1.0, events / _EVENTS_PER_PAUSE)
        shown = min(beats_of(match.view(None)), _MAX_BEATS)
        showing = self.pause * (shown * BEAT_SECONDS / _USUAL_PAUSE + _AFTER_EVENTS) if shown else 0.0
        return max(min(reading, max(_MAX_SECONDS, self.pause)), showing)

    def _pace(self, bot: str) -> _Pace:
        """Return when a bot of this level acts. Where players have secrets, that is never before its budget could be used up.

        When no person plays any more and one wants to see the end, it acts at once: no player can learn anything from that.
        """
        match = self._room.running_match()
        if self._room.state.is_skipped:
            return _Pace(0.0, secret=False, time=self._room.time)
        secret, pause = self.learn_of_secrets(match), self._pause_length()
        return _Pace(max(pause, _full_time(bot)) if secret else pause, secret, self._room.time)

    def learn_of_secrets(self, match: Match) -> bool:
        """Return whether a player has or had secrets up to this position. Then the work and the time of a bot depend on none."""
        self._has_secrets = self._has_secrets or has_secrets(match)
        return self._has_secrets

    async def _play_once(self, seat: SeatRow) -> None:
        """Let a bot play one action. If it fails, try the game's heuristics, then a random legal action."""
        room = self._room
        match = room.running_match()
        position = _position(room.state)
        bot = seat.bot or "thrall"
        pace = self._pace(bot)

        def play(draft: TableState, action: int) -> None:
            if _position(draft) != position or self.next_seat() is None:
                raise Stale(_("The game has moved on. Look again, then choose."))
            draft.add("action", seat.seat, action)

        heuristics = ["karl"] if room.game.greedy is not None else []
        for name in dict.fromkeys([bot, *heuristics, "thrall"]):
            search = asyncio.create_task(self._choose(match, seat.seat, name, pace))
            self._search = position, search
            try:
                room.change(partial(play, action=await search))
            except (Stale, WrongMoment):  # an undo, or the last person has left
                return
            except asyncio.CancelledError:
                if _is_cancelled():
                    raise
                return  # the search was cancelled for the same reasons
            except DatabaseUnavailable:
                break
            except TimeoutError:
                log.warning("table %s: bot %s on seat %s took too long", room.table.id, name, seat.seat)
            except Exception:
                log.exception(
                    "table %s: bot %s on seat %s failed at action %s", room.table.id, name, seat.seat, match.next_number
                )
            else:
                return
            finally:
                self._search = None
        await room.time.sleep(_RETRY_DELAY)

    async def _choose(self, match: Match, seat: int, name: str, pace: _Pace) -> int:
        """Return the action of a bot when it may act. The search runs during the pause."""
        # outside the timeout: a worker that has just started loads for a while
        await self._worker.run(LoadRules(self._room.game.name))
        pace.begin()
        async with self._room.time.timeout(_MAX_SECONDS):
            action = await self._worker.run(ChooseAction(self._room.table.id, name, match.view(seat), pace.secret))
        await pace.keep()
        return action


def has_secrets(match: Match) -> bool:
    """Return whether a seat knows something that a spectator doesn't."""
    public, *known = (concealed(match.game, match.states, viewer).tobytes() for viewer in (SPECTATOR, *range(match.players)))
    return any(each != public for each in known)


def _position(state: TableState) -> Position:
    match = state.match
    if match is None:
        return None
    return match.next_number, match.states.tobytes(), frozenset(match.stand_ins), state.pause is not None, state.is_skipped


def _full_time(bot: str) -> float:
    """Return the seconds after which a bot of this level has decided, in whatever position."""
    budget = next((rank.budget for rank in RANKS if rank.name == bot), None)
    return _INSTANT if budget is None else budget.seconds + _ALLOWANCE


def _is_cancelled() -> bool:
    """Return whether the current task itself is cancelled, not only the task that it awaits."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


# ------------------------------------------------------------------------------------------------------------ answering proposals

# Let the bots of one room answer proposals.
#
# A bot agrees to everything that costs it nothing. To a draw it agrees when it doesn't expect to do better by playing on. It
# judges from what everyone knows: otherwise a player who asks again and again would learn what is in its hand. It answers at a
# moment that doesn't depend on the position.


_SECONDS: Final = 1.0
"""The time of an evaluation."""

_ANSWER_AFTER: Final = 2.0
"""Seconds after which a bot answers, with the usual pause between the actions of bots."""


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
        await self._worker.run(LoadRules(self._room.game.name))
        pause = asyncio.create_task(self._room.time.sleep(_ANSWER_AFTER * self._bots.pause / _USUAL_PAUSE))
        public, has_secrets = match.view(SPECTATOR), self._bots.learn_of_secrets(match)
        payoffs = await self._worker.run(EvaluatePosition(public, _SECONDS, has_secrets))
        await pause
        award = drawn_by_agreement(match.parties, match.living)
        return award is not None and payoffs[seat] <= award.scores[seat]
