"""Analysis: how the chances of a match went, action by action, and where it turned.

Where the game's solver knows a position, its chances are what best play comes to. Everywhere else they are the mean of many
rollouts of the position: what is hidden from who looks is dealt anew in each, and the game's quick policy plays on.
``docs/play/chart.md`` says why so and how good that is.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import hypot, inf
from typing import Literal

import numpy as np

from meadhall.bots.rollouts import Rollouts
from meadhall.bots.threads import background
from meadhall.engine.checks import check_count, quoted
from meadhall.engine.cores import cores
from meadhall.engine.errors import BadSetup
from meadhall.engine.events import Event, seat
from meadhall.engine.game import Scoring
from meadhall.engine.language import gettext as _
from meadhall.engine.language import grouped, listed, ngettext
from meadhall.engine.match import Match, Step
from meadhall.engine.schema import States
from meadhall.engine.view import EVERYTHING, SPECTATOR, concealed, visible

Knowledge = Literal["public", "everything"]
"""Whose eyes the chances are seen with: what everybody knew, or all that was there."""

VIEWERS: dict[Knowledge, int] = {"public": SPECTATOR, "everything": EVERYTHING}

LONGEST = 2000
"""Actions of a match that an analysis looks at, at most: longer ones are refused."""

MOST_SECONDS = 12.0
SECONDS_A_POSITION = 0.1
"""How long an analysis takes by default: so much for each position, up to a limit."""

ROUNDS = 20
"""How often an analysis by the clock looks whether it may stop, about."""
FIRST = 32
"""Rollouts of each position in the first round, however long they take."""

BATCH = 16
"""Rollouts at a time, at least, and batches at a time; how much their means differ tells how far a chance may be off."""
SUPPOSED = 4.0
"""Batches for which a continuation that is won or lost counts in that."""

MOST_TURNING_POINTS = 5
LEAST_CHANGE = 0.08
"""What a chance changes by, at least, where a match turned …"""
STANDARD_ERRORS = 4.0
"""… and by how many standard errors of the change, as there are hundreds of actions to find one by accident."""

BEHIND = 19
"""How much less urgent an analysis is than everything else (as ``nice`` counts): bots that think go first."""

Progress = Callable[[float], None]
"""Called now and then with the part that is done, 0 to 1. What it raises ends the analysis."""


@dataclass(frozen=True)
class TurningPoint:
    """An action that changed a party's chance much, together with the chance that followed it.

    Attributes:
        position: after how many actions; so it is action ``position`` of those that stand.
        party: index of the party whose chance changed most.
        before, after: its chance.
    """

    position: int
    party: int
    before: float
    after: float

    @property
    def change(self) -> float:
        """By how much its chance rose."""
        return self.after - self.before


@dataclass(frozen=True)
class Analysis:
    """The chances through a match.

    Attributes:
        knowledge: whose eyes they are seen with.
        parties: the seats that win or lose together.
        chances: ``chances[k][seat]``, each seat's expected share (0 to 1) after the first k actions; the last row of a finished
            match is its result.
        samples: of how many rollouts each row is the mean; 0 where it is exact.
        errors: the standard error of each chance; 0 where it is exact.
        turning: where the match turned, in order.
        secrets: whether something was hidden from spectators at any time: if not, to know everything is to know what all know.
    """

    knowledge: Knowledge
    parties: tuple[tuple[int, ...], ...]
    chances: tuple[tuple[float, ...], ...]
    samples: tuple[int, ...]
    errors: tuple[tuple[float, ...], ...]
    turning: tuple[TurningPoint, ...]
    secrets: bool

    def chance(self, position: int, party: int) -> float:
        """A party's expected share after so many actions."""
        return self.chances[position][self.parties[party][0]]

    @property
    def error(self) -> float:
        """The standard error of a chance, at most; 0 where all is exact."""
        return max(map(max, self.errors))


def analyse(
    match: Match,
    knowledge: Knowledge = "public",
    seconds: float | None = None,
    *,
    iterations: int = 0,
    progress: Progress | None = None,
) -> Analysis:
    """The chances of every seat after the setup and after each action of a match, and where it turned.

    Args:
        match: finished, or given up: then its last row is no result.
        knowledge: what is known of each position: ``"public"`` what everybody knew, ``"everything"`` hidden cards too.
        seconds: how long it may take in all, on all cores; by default by the number of actions, 12 seconds at most.
        iterations: rollouts of each position instead, which makes it deterministic.
        progress: told now and then how far it is.

    Raises:
        BadSetup: it has too many actions, there is no such knowledge, the seconds are no length of time, or the iterations no
            number.
    """
    if knowledge not in [*VIEWERS]:
        raise BadSetup(f"what is known is {' or '.join(VIEWERS)}, not {quoted(knowledge)}")
    if iterations != 0:
        iterations = check_count(iterations, "iterations")
    positions = _positions(match)
    if len(match.steps) > LONGEST:
        raise BadSetup(_("The match has more actions than can be analysed: {most} at most.").format(most=LONGEST))
    if seconds is None:
        seconds = min(MOST_SECONDS, SECONDS_A_POSITION * len(positions))
    if not isinstance(seconds, int | float | np.number) or not 0 <= seconds < inf:
        raise BadSetup(f"an analysis takes a number of seconds, not {quoted(seconds)}")
    began = time.monotonic()
    viewer = VIEWERS[knowledge]

    def tell() -> None:
        if progress and seconds > 0:
            progress(min((time.monotonic() - began) / seconds, 1.0))

    known = _known(match, inf if iterations else began + seconds / 2, tell)
    open_ = [
        _Open(concealed(match.game, states, viewer), match.players, position)
        for position, states in enumerate(positions)
        if position not in known
    ]
    _play_on(match, viewer, open_, began + seconds - time.monotonic(), iterations, tell)
    known |= {each.position: tuple((each.sums / each.samples).tolist()) for each in open_}
    estimated = {each.position: each for each in open_}
    chances = tuple(known[position] for position in range(len(positions)))
    samples = tuple(estimated[position].samples if position in estimated else 0 for position in range(len(positions)))
    sure = (0.0,) * match.players
    errors = tuple(estimated[position].errors() if position in estimated else sure for position in range(len(positions)))
    parties = match.game.parties(match.players, match.options)
    turning = turning_points(match, parties, chances, errors, samples)
    secrets = any(_has_secrets(match, states) for states in positions)
    return Analysis(knowledge, parties, chances, samples, errors, turning, secrets)


def _positions(match: Match) -> list[States]:
    """The state before each action, and the last."""
    return [*(step.before for step in match.steps), match.states]


def _has_secrets(match: Match, states: States) -> bool:
    seen, there = (concealed(match.game, states, viewer).tobytes() for viewer in (SPECTATOR, EVERYTHING))
    return seen != there


def _known(match: Match, until: float, tell: Callable[[], None]) -> dict[int, tuple[float, ...]]:
    """What is certain: the result, and what the game's solver knows, from the end to the first position it can't solve.

    It knows what all knew, also where the chances are those with everything known: nobody could play as if they saw it all.
    """
    result = match.result()
    known = {} if result is None else {len(match.steps): result.scores}
    solver, thread = match.game.solver, background("analysis", BEHIND)
    for position in reversed(range(len(match.steps) + 1 - len(known))):
        if solver is None or time.monotonic() > until:
            break
        solution = thread.submit(solver, match.view_at(position, SPECTATOR)).result()
        if solution is None:
            break
        known[position] = solution.value
        tell()
    return known


# ------------------------------------------------------------------------------------------------------------ rollouts


class _Open:
    """A position whose chances are estimated, and what its rollouts have brought so far."""

    def __init__(self, states: States, players: int, position: int) -> None:
        self.states = states
        self.position = position
        self.sums = np.zeros(players, np.float64)
        self.squares = np.zeros(players, np.float64)
        self.samples = 0
        self.batches = 0

    def play_on(self, player: Rollouts, viewer: int, count: int) -> None:
        """So many rollouts more. Their chance is keyed by the position and their number, not by the match."""
        longest = max(BATCH, -(-count // BATCH))
        for first in range(0, count, longest):
            size = min(longest, count - first)
            brought = player.payoffs(self.states, viewer, size, self.position, self.samples)[: len(self.sums)]
            self.sums += brought
            self.squares += brought**2 / size
            self.samples += size
            self.batches += 1

    def errors(self) -> tuple[float, ...]:
        """The standard error of each chance, by how much the means of batches differ.

        Few batches, or such as agree by accident, tell too little of it: a continuation that is won or lost counts for some more.
        """
        chances = (self.sums + 1) / (self.samples + 2)
        between = np.maximum(0, self.squares - self.sums**2 / self.samples)
        variance = (between + SUPPOSED * chances * (1 - chances)) / (self.batches - 1 + SUPPOSED)
        return tuple(np.sqrt(variance / self.samples).tolist())


def _play_on(
    match: Match, viewer: int, positions: Sequence[_Open], seconds: float, iterations: int, tell: Callable[[], None]
) -> None:
    """As many rollouts of every position as there is time for, or ``iterations``."""
    if not positions:
        return
    workers = min(cores(), len(positions))
    players = [Rollouts(match.game) for _ in range(workers)]
    players[0].payoffs(positions[0].states, viewer, 1, 0)  # what has to be compiled first, or read from disk, is not counted

    def play(worker: int) -> None:
        for position in positions[worker::workers]:
            position.play_on(players[worker], viewer, count)

    until = time.monotonic() + seconds
    count = iterations or FIRST
    while True:
        before = time.monotonic()
        list(background("analysis", BEHIND).map(play, range(workers)))
        now = time.monotonic()
        pace = max(now - before, 1e-6) / count
        left = until - now
        if iterations or left < pace:
            return
        tell()
        count = max(1, min(2 * count, int(min(left, seconds / ROUNDS) / pace)))


# ----------------------------------------------------------------------------------------------------------- turning points


def turning_points(
    match: Match,
    parties: Sequence[Sequence[int]],
    chances: Sequence[Sequence[float]],
    errors: Sequence[Sequence[float]],
    samples: Sequence[int],
) -> tuple[TurningPoint, ...]:
    """The actions that changed a chance most, five at most, and none by so little that it may be an accident of estimation.

    Where estimates give way to exact values, a change says more of the method than of the match, and is none.
    """
    found = []
    for position, step in enumerate(match.steps, 1):
        estimated = [samples[position - 1] > 0, samples[position] > 0]
        if estimated[0] != estimated[1] and position < len(match.steps):
            continue
        points = [
            TurningPoint(position, k, chances[position - 1][party[0]], chances[position][party[0]])
            for k, party in enumerate(parties)
        ]
        point = max(points, key=lambda each: (round(abs(each.change), 9), step.seat in parties[each.party]))
        member = parties[point.party][0]
        error = hypot(errors[position - 1][member], errors[position][member])
        if abs(point.change) >= max(LEAST_CHANGE, STANDARD_ERRORS * error):
            found.append(point)
    found.sort(key=lambda each: -abs(each.change))
    return tuple(sorted(found[:MOST_TURNING_POINTS], key=lambda each: each.position))


def told(match: Match, analysis: Analysis, point: TurningPoint) -> str:
    """What happened at a turning point, in words: the rarest kind of event that names those whose chance changed.

    If something still rarer happened to them, to those of the deed or to all, that is told as well; else the rarest of what the
    deed led to for them. What is told only at the very end says how the match ended, not why; it is told where there is nothing
    else, and so is what lists seats, like a turn order: it says nothing of anybody in particular.
    """
    step = match.steps[point.position - 1]
    seen = _seen(step, analysis)
    events = [event for event in seen if match.game.events[event.kind].rest is not seat] or seen
    if not events:
        words = match.game.words.action(match.game.state.at(step.before), step.action, match.names)
        return f"{match.names[step.seat]}: {words}"
    often = Counter(event.kind for each in match.steps for event in _seen(each, analysis))
    earlier = {event.kind for each in match.steps[:-1] for event in _seen(each, analysis)}
    party = set(analysis.parties[point.party])

    def tells(event: Event) -> tuple[bool, bool, int, int]:
        named = _named(match, event)
        return bool(party & named), event.kind in earlier, -often[event.kind], len(named)

    most = max(events, key=tells)
    concerned = party | _named(match, events[0])
    theirs = [event for event in events if event.kind in earlier and event is not most and _named(match, event) <= concerned]
    rarer = [event for event in theirs if often[event.kind] < often[most.kind]]
    led_to = [event for event in reversed(theirs) if most is events[0] and party & _named(match, event)]
    other = min(rarer or led_to or [most], key=lambda event: often[event.kind])
    return " \N{MIDDLE DOT} ".join(match.in_words(event) for event in events if event is most or event is other)


def _seen(step: Step, analysis: Analysis) -> Sequence[Event]:
    return visible(step.events, VIEWERS[analysis.knowledge])


def _named(match: Match, event: Event) -> set[int]:
    """The seats that an event names."""
    kind = match.game.events[event.kind]
    return {value for k, value in enumerate(event.arguments) if kind.argument(k) is seat}


# ------------------------------------------------------------------------------------------------------------------ in words


def party_in_words(match: Match, party: Sequence[int]) -> str:
    """Those who win or lose together, as people call them."""
    if len(party) > 1 and match.game.scoring_of(match.options) is Scoring.TOGETHER:
        return _("All together")
    return listed([match.names[member] for member in party])


def change_in_words(point: TurningPoint) -> str:
    """By how many points the chance rose or fell."""
    return f"{round(100 * point.change):+d}\N{NO-BREAK SPACE}%".replace("-", "\N{MINUS SIGN}")


def how_good(analysis: Analysis) -> tuple[str, ...]:
    """How the chances came about and how far they can be trusted, in sentences; and that there is no turning point, if so."""
    said = []
    estimated = [count for count in analysis.samples if count]
    if estimated:
        points = max(1, round(200 * analysis.error))
        said.append(
            ngettext(
                "Estimated from {samples} rollouts of every position; chance alone may put a figure {points} point off.",
                "Estimated from {samples} rollouts of every position; chance alone may put a figure {points} points off.",
                points,
            ).format(samples=grouped(min(estimated)), points=points)
        )
        if len(analysis.samples) - len(estimated) > 1:
            said.append(_("Towards the end worked out exactly."))
    else:
        said.append(_("Worked out exactly: what the best play of all comes to."))
    if not analysis.turning:
        said.append(_("No single action stands out as a turning point."))
    return tuple(said)
