"""Analysis: the win chances through a match, move by move, and its turning points.

Where the game's solver knows a position, the chances are those of optimal play. Everywhere else they are the mean of many
rollouts, each from a new determinization for the viewer. ``docs/play/chart.md`` explains the method and its accuracy.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import hypot, inf
from typing import Literal

import numpy as np

from meadhall.bots.playouts import Rollouts
from meadhall.bots.search import background
from meadhall.engine.checks import check_count, quoted
from meadhall.engine.compute.executors import cores
from meadhall.engine.errors import BadSetup
from meadhall.engine.match.match import Match
from meadhall.engine.match.step import Step
from meadhall.engine.match.view import EVERYTHING, SPECTATOR, concealed, visible
from meadhall.engine.state.events import Event, seat
from meadhall.engine.state.schema import States
from meadhall.engine.text.language import gettext as _, grouped, listed, ngettext

Knowledge = Literal["public", "everything"]
"""The information that chances are computed from: common knowledge, or everything including hidden cards."""

VIEWERS: dict[Knowledge, int] = {"public": SPECTATOR, "everything": EVERYTHING}

MAX_ACTIONS = 2000
"""The largest number of actions of a match that can be analysed."""

MAX_SECONDS = 12.0
SECONDS_PER_POSITION = 0.1
"""The default time of an analysis: seconds per position, up to a limit."""

ROUNDS = 20
"""The approximate number of rounds of an analysis with a time limit."""
FIRST = 32
"""The rollouts of each position in the first round, however long they take."""

BATCH = 16
"""The smallest batch, in rollouts, and the largest number of batches per call.

The variance between batches gives the standard error.
"""
PRIOR_BATCHES = 4.0
"""The weight of the prior variance, that of a single won or lost rollout, in batches."""

MAX_TURNING_POINTS = 5
MIN_CHANGE = 0.08
"""The smallest change of a chance at a turning point."""
STANDARD_ERRORS = 4.0
"""The smallest change in standard errors.

It is large because a match has hundreds of actions, any of which could look like a turning point by accident.
"""

NICENESS = 19
"""The nice value of analysis threads: searches of bots go first."""

Progress = Callable[[float], None]
"""Called from time to time with the fraction done, 0 to 1. An exception from it ends the analysis."""


@dataclass(frozen=True)
class TurningPoint:
    """An action that changed a party's chance a lot, including the chance events that followed it.

    Attributes:
        position: the number of actions up to and including this one.
        party: the index of the party whose chance changed most.
        before: its chance before the action, 0 to 1.
        after: its chance after it, 0 to 1.
    """

    position: int
    party: int
    before: float
    after: float

    @property
    def change(self) -> float:
        """Return the change of the chance, negative for a fall."""
        return self.after - self.before


@dataclass(frozen=True)
class Analysis:
    """The chances through a match.

    Attributes:
        knowledge: the information that the chances are computed from.
        parties: the seats that win or lose together.
        chances: ``chances[k][seat]``: each seat's expected share of a win (0 to 1, see ``Game.shares``) after the first k
            actions. The last row of a finished match is its result.
        samples: the number of rollouts behind each row; 0 where it is exact.
        errors: the standard error of each chance; 0 where it is exact.
        turning: the turning points in order.
        secrets: whether anything was ever hidden from spectators. If not, both kinds of knowledge give the same chances.

    Examples:
        >>> import meadhall
        >>> from meadhall.bots.analysis import analyse
        >>> match = meadhall.game("axes-and-allies").match(players=2, seed="mead")
        >>> while not match.over:
        ...     events = match.play(match.legal()[0])
        >>> analysis = analyse(match, iterations=32)
        >>> analysis.chance(len(match.steps), party=match.result().winners[0])
        1.0
    """

    knowledge: Knowledge
    parties: tuple[tuple[int, ...], ...]
    chances: tuple[tuple[float, ...], ...]
    samples: tuple[int, ...]
    errors: tuple[tuple[float, ...], ...]
    turning: tuple[TurningPoint, ...]
    secrets: bool

    def chance(self, position: int, party: int) -> float:
        """Return a party's expected share of a win after ``position`` actions."""
        return self.chances[position][self.parties[party][0]]

    @property
    def error(self) -> float:
        """Return the largest standard error of any chance; 0 if all are exact."""
        return max(map(max, self.errors))


def analyse(
    match: Match,
    knowledge: Knowledge = "public",
    seconds: float | None = None,
    *,
    iterations: int = 0,
    progress: Progress | None = None,
) -> Analysis:
    """Compute every seat's chances after the setup and after each action of a match, and the turning points.

    Args:
        match: a match that is over or was abandoned. The last row of an abandoned match is an estimate, not a result.
        knowledge: the information used in each position: ``"public"``: common knowledge, ``"everything"``: hidden cards too. The
            order of a draw pile is then known in advance, so drama vanishes: the favourite is known early and leads to the end.
        seconds: the time limit, on all cores; by default it depends on the number of actions and is 12 seconds at most.
        iterations: the number of rollouts of each position instead of a time, which makes the analysis deterministic.
        progress: called from time to time with the fraction done, 0 to 1. An exception from it ends the analysis.

    Raises:
        BadSetup: the match has too many actions, or an argument is invalid.

    Examples:
        >>> import meadhall
        >>> from meadhall.bots.analysis import analyse
        >>> match = meadhall.game("axes-and-allies").match(players=2, seed="mead")
        >>> while not match.over:
        ...     events = match.play(match.legal()[0])
        >>> analysis = analyse(match, iterations=32)
        >>> len(analysis.chances) == len(match.steps) + 1
        True
    """
    if knowledge not in [*VIEWERS]:
        raise BadSetup(f"knowledge must be {' or '.join(VIEWERS)}, not {quoted(knowledge)}")
    if iterations != 0:
        iterations = check_count(iterations, "iterations")
    positions = [*(step.before for step in match.steps), match.states]
    if len(match.steps) > MAX_ACTIONS:
        raise BadSetup(_("The match has more actions than can be analysed: {most} at most.").format(most=MAX_ACTIONS))
    if seconds is None:
        seconds = min(MAX_SECONDS, SECONDS_PER_POSITION * len(positions))
    if not isinstance(seconds, int | float | np.number) or not 0 <= seconds < inf:
        raise BadSetup(f"the time of an analysis must be a number of seconds, not {quoted(seconds)}")
    began = time.monotonic()
    viewer = VIEWERS[knowledge]

    def report() -> None:
        if progress and seconds > 0:
            progress(min((time.monotonic() - began) / seconds, 1.0))

    known = exact_chances(match, inf if iterations else began + seconds / 2, report)
    estimates = [
        _Estimate(concealed(match.game, states, viewer), match.players, position)
        for position, states in enumerate(positions)
        if position not in known
    ]
    _run_rollouts(match, viewer, estimates, began + seconds - time.monotonic(), iterations, report)
    known |= {each.position: tuple((each.sums / each.samples).tolist()) for each in estimates}
    estimated = {each.position: each for each in estimates}
    chances = tuple(known[position] for position in range(len(positions)))
    samples = tuple(estimated[position].samples if position in estimated else 0 for position in range(len(positions)))
    sure = (0.0,) * match.players
    errors = tuple(estimated[position].errors() if position in estimated else sure for position in range(len(positions)))
    parties = match.parties
    turning = turning_points(match, parties, chances, errors, samples)
    secrets = any(_has_secrets(match, states) for states in positions)
    return Analysis(knowledge, parties, chances, samples, errors, turning, secrets)


def _has_secrets(match: Match, states: States) -> bool:
    public, complete = (concealed(match.game, states, viewer).tobytes() for viewer in (SPECTATOR, EVERYTHING))
    return public != complete


def exact_chances(match: Match, until: float, report: Callable[[], None]) -> dict[int, tuple[float, ...]]:
    """Return the exact chances: the result, and the solver's values from the end back to the first position it can't solve.

    The solver always gets the spectator's view, because players could not act on hidden cards.
    """
    result = match.result()
    known = {} if result is None else {len(match.steps): result.shares}
    solver = None if match.game.needs_shares(match.players, match.options) else match.game.solver
    thread = background("analysis", NICENESS)
    for position in reversed(range(len(match.steps) + 1 - len(known))):
        if solver is None or time.monotonic() > until:
            break
        solution = thread.submit(solver, match.view_at(position, SPECTATOR)).result()
        if solution is None:
            break
        known[position] = solution.value
        report()
    return known


# ------------------------------------------------------------------------------------------------------------ rollouts


class _Estimate:
    """A position whose chances are estimated, with the sums of its rollouts so far."""

    def __init__(self, states: States, players: int, position: int) -> None:
        self.states = states
        self.position = position
        self.sums = np.zeros(players, np.float64)
        self.squares = np.zeros(players, np.float64)
        self.samples = 0
        self.batches = 0

    def add(self, rollouts: Rollouts, viewer: int, count: int) -> None:
        """Add ``count`` rollouts. Their chance is keyed by the position and their number, not by the match."""
        longest = max(BATCH, -(-count // BATCH))
        for first in range(0, count, longest):
            size = min(longest, count - first)
            payoffs = rollouts.shares(self.states, viewer, size, self.position, self.samples)[: len(self.sums)]
            self.sums += payoffs
            self.squares += payoffs**2 / size
            self.samples += size
            self.batches += 1

    def errors(self) -> tuple[float, ...]:
        """Return the standard error of each chance from the variance between batches.

        A prior variance keeps the error from being too small when there are few batches or they agree by accident.
        """
        chances = (self.sums + 1) / (self.samples + 2)
        between = np.maximum(0, self.squares - self.sums**2 / self.samples)
        variance = (between + PRIOR_BATCHES * chances * (1 - chances)) / (self.batches - 1 + PRIOR_BATCHES)
        return tuple(np.sqrt(variance / self.samples).tolist())


def _run_rollouts(
    match: Match, viewer: int, positions: Sequence[_Estimate], seconds: float, iterations: int, report: Callable[[], None]
) -> None:
    """Run ``iterations`` rollouts of every position, or as many as the time allows."""
    if not positions:
        return
    workers = min(cores(), len(positions))
    rollouts = [Rollouts(match.game, match.players, match.options) for _ in range(workers)]
    rollouts[0].shares(positions[0].states, viewer, 1, 0)  # compile, or load from disk, before the clock starts

    def run(worker: int) -> None:
        for position in positions[worker::workers]:
            position.add(rollouts[worker], viewer, count)

    until = time.monotonic() + seconds
    count = iterations or FIRST
    while True:
        before = time.monotonic()
        list(background("analysis", NICENESS).map(run, range(workers)))
        now = time.monotonic()
        pace = max(now - before, 1e-6) / count
        left = until - now
        if iterations or left < pace:
            return
        report()
        count = max(1, min(2 * count, int(min(left, seconds / ROUNDS) / pace)))


# ----------------------------------------------------------------------------------------------------------- turning points


def turning_points(
    match: Match,
    parties: Sequence[Sequence[int]],
    chances: Sequence[Sequence[float]],
    errors: Sequence[Sequence[float]],
    samples: Sequence[int],
) -> tuple[TurningPoint, ...]:
    """Return the actions that changed a chance most, at most five, and only changes that are statistically significant.

    A change from an estimate to an exact value is skipped: it may come from the change of method.
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
        if abs(point.change) >= max(MIN_CHANGE, STANDARD_ERRORS * error):
            found.append(point)
    found.sort(key=lambda each: -abs(each.change))
    return tuple(sorted(found[:MAX_TURNING_POINTS], key=lambda each: each.position))


def turning_point_in_words(match: Match, analysis: Analysis, point: TurningPoint) -> str:
    """Describe a turning point: the rarest kind of event that names the party whose chance changed.

    A second event is added: a rarer one about the party, about the seats of the first event or about all, otherwise the rarest
    consequence for the party. Two kinds of events are used only if there is nothing else: those that occur only at the very end,
    because they tell how the match ended, not why, and those that list seats, like a turn order, because they aren't about any
    seat in particular.
    """
    step = match.steps[point.position - 1]
    seen = _seen(step, analysis)
    events = [event for event in seen if match.game.events[event.kind].rest is not seat] or seen
    if not events:
        words = match.action_in_words(step, EVERYTHING)
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
    """Return the seats that an event names."""
    kind = match.game.events[event.kind]
    return {value for k, value in enumerate(event.arguments) if kind.argument(k) is seat}


# ------------------------------------------------------------------------------------------------------------------ in words


def party_in_words(match: Match, party: Sequence[int]) -> str:
    """Return the name of a party: its members' names, or "All together"."""
    if len(party) > 1 and len(party) == match.players:
        return _("All together")
    return listed([match.names[member] for member in party])


def change_in_words(point: TurningPoint) -> str:
    """Return the change of a chance in percentage points, with its sign."""
    return f"{round(100 * point.change):+d}\N{NO-BREAK SPACE}%".replace("-", "\N{MINUS SIGN}")


def accuracy_in_words(analysis: Analysis) -> tuple[str, ...]:
    """Return sentences on the method and accuracy of the chances, and a note if there is no turning point."""
    said = []
    estimated = [count for count in analysis.samples if count]
    if estimated:
        points = max(1, round(200 * analysis.error))
        said.append(
            ngettext(
                "Estimated from {samples} playouts per position; margin of error ±{points} point.",
                "Estimated from {samples} playouts per position; margin of error ±{points} points.",
                points,
            ).format(samples=grouped(min(estimated)), points=points)
        )
        if len(analysis.samples) - len(estimated) > 1:
            said.append(_("Exact values towards the end."))
    else:
        said.append(_("Exact values, assuming perfect play by everyone."))
    if not analysis.turning:
        said.append(_("No single move stands out as a turning point."))
    return tuple(said)
