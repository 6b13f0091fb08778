"""tune: search options and values of components towards targets, with the balance report as judge."""

from __future__ import annotations

import time
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from pathlib import Path
from random import Random
from typing import Any, TypeAlias

from meadhall.engine.checks import Seed, check_count, check_run_seed, check_seconds, quoted, seed_label
from meadhall.engine.compute.executors import run_chunks
from meadhall.engine.errors import BadSetup, MeadhallError, how_to_install
from meadhall.engine.game import Game
from meadhall.engine.options import Document
from meadhall.engine.registry import game, registered
from meadhall.engine.state.chance import seed_from_text
from meadhall.lab.balance.figures import Column, Columns, Figure, joined, standard_error
from meadhall.lab.balance.measured import Ended
from meadhall.lab.balance.run import checked_players, working
from meadhall.lab.balance.tasks import Measuring, Task
from meadhall.lab.balance.trace import CellPlan
from meadhall.lab.entrants import Entrant, entered
from meadhall.lab.matches import usual_processes
from meadhall.lab.tournament import check_points
from meadhall.lab.tuning.problem import Knob, Miss, Target, changed, knobs_of, option_knobs, targets_of
from meadhall.lab.tuning.result import Point, Tuning

GAMES = 1024
"""The matches of a candidate for each number of players, if it isn't given up before. The front plays twice as many."""
TRIALS = 100
"""The number of candidates."""
SECONDS = 600.0
"""The default time limit of a search."""
SEARCHING = 0.7
"""The part of the time limit after which no candidate is begun: the rest is for the front on fresh deals."""
DOUBT = 1.3
"""A candidate is given up when it is worse than another by so many standard errors of their difference on the same deals. A
stricter test would play most of the matches for candidates that change nothing."""
Report: TypeAlias = Callable[[float], None]
"""Called with the part of the search that is done, 0 to 1."""


class NoOptuna(MeadhallError):
    """Optuna or tomlkit is not installed."""


@dataclass
class _Candidate:
    """Changed values with the matches so far, by number of players."""

    changes: dict[str, Any]
    plans: tuple[CellPlan, ...]
    columns: list[Columns] = field(default_factory=list)
    games: int = 0

    def misses(self, targets: Sequence[Target], games: int | None = None) -> list[Miss]:
        """Return how far the first matches are from each target, with the worst number of players."""
        worst = []
        for target in targets:
            found = [target.miss(columns if games is None else _first(columns, games)) for columns in self.columns]
            worst.append(max(found, key=lambda miss: miss.value))
        return worst


def tune(
    name: str | Game,
    free: Sequence[str],
    targets: Sequence[str],
    players: int | Sequence[int] | None = None,
    components: Any = None,
    options: Mapping[str, Any] | None = None,
    bot: Entrant | None = None,
    seed: Seed | None = None,
    *,
    trials: int = TRIALS,
    games: int = GAMES,
    seconds: float | None = SECONDS,
    processes: int | None = None,
    progress: Report | None = None,
) -> Tuning:
    """Search options and values of components that meet targets, and return the front: what the fewest changes reach, and more.

    All candidates play the same deals. A candidate is given up as soon as it is worse than another with as few changes, beyond
    doubt (a sequential test). Optuna's sampler proposes the next one. At last the front plays fresh deals, which give its
    figures: the best of many on the same deals was also lucky.

    Args:
        name: the game, or its name.
        free: what may change. Options and numbers of the rules: ``"kills_on=4..6"``, ``"variant=[standard, strategic]"``,
            ``"last_two"`` (all values). In a document, such as the components of Dungeon Allies: ``"prisoner_space.*.reward"``
            (each number up to 2 more or less), ``"PATH=0..3"``,
            ``"PATH=[{}, {red = 1}]"`` (any values, as TOML), ``"monster.*.red.target+=-2..2"`` (a number, added to all of them).
        targets: figures of the report with the value that they should have, e.g. ``"place<1.1"``, ``"turns=14"``.
        players: the number of players, or several, which must all meet the targets; by default the usual number.
        components: the document to start from, as a path, a text or data; by default the built-in one.
        options: the options to start from.
        bot: the level that plays; by default ``karl``, or ``thrall`` without a heuristic player.
        seed: a text, bytes or an integer; by default a random text.
        trials: the number of candidates that are proposed.
        games: the matches of a candidate for each number of players.
        seconds: the time limit; 0 or None for none. The same seed gives the same front unless the limit ends the search.
        processes: the number of processes for bots that aren't compiled, see ``balance``.
        progress: called with the part that is done, 0 to 1.

    Raises:
        BadSetup: an argument is invalid, or the game refuses every candidate.
        NoOptuna: Optuna or tomlkit is not installed (the extra ``tune``).

    Examples:
        >>> import meadhall
        >>> meadhall.tune("dungeon-allies", ["prisoner_space.*.reward"], ["place<1.1"], 2, seed="any", trials=2, games=2).tried
        2
    """
    if find_spec("optuna") is None or find_spec("tomlkit") is None:
        raise NoOptuna(f"tuning needs optuna and tomlkit: {how_to_install('tune')}")
    subject = game(name)
    used, goals = check_run_seed(seed), targets_of(targets)
    counts = checked_players([subject], subject.default_players if players is None else players)
    check_count(trials, "trials", 100_000)
    check_count(games, "games", 1_000_000)
    seconds = check_seconds(seconds)
    base = subject.check_options(options or {})
    text, option = _text_of(subject, components, base)
    turned, paths = option_knobs(subject, free, base)
    if paths and option is None:
        names = ", ".join(each.name for each in subject.options) or "none"
        raise BadSetup(f"{subject.title} has no components; {quoted(paths[0])} is none of its options: {names}")
    knobs = [*turned, *knobs_of(tomllib.loads(text), paths)]
    if not knobs:
        raise BadSetup("at least one value must be free")
    (level,), entrants = entered(subject, [bot or ("karl" if subject.greedy is not None else "thrall")])

    def plans_of(document: Any, changes: Mapping[str, Any], label: str) -> tuple[CellPlan, ...]:
        chosen = {knob.name: changes[knob.name] for knob in turned if knob.name in changes}
        checked = subject.check_options({**base, **chosen, **({} if option is None else {option.name: document})})
        for count in counts:
            subject.check_setup(count, checked)
        return tuple(CellPlan(subject.name, (level,) * count, checked, label, entrants=entrants) for count in counts)

    processes = usual_processes(entrants) if processes is None else processes
    run = _Search(text, knobs, goals, plans_of, games, seconds, processes, progress)
    with registered(subject):
        ended = run.search(trials, seed_label(used))
        front = run.front(f"{seed_label(used)}/fresh", ended)
    return Tuning(
        subject.name,
        counts,
        tuple(goals),
        front,
        len(run.known),
        run.stopped,
        run.refused,
        run.matches,
        used,
        ended,
        run.spent,
        run.stopped_matches,
    )


class _Search:
    """A search: its candidates, and the best of them."""

    def __init__(
        self,
        text: str,
        knobs: Sequence[Knob],
        targets: Sequence[Target],
        plans_of: Callable[[Any, Mapping[str, Any], str], tuple[CellPlan, ...]],
        games: int,
        seconds: float | None,
        processes: int,
        progress: Report | None,
    ) -> None:
        self._text, self._document = text, tomllib.loads(text)
        self._knobs, self._targets, self._plans_of = knobs, targets, plans_of
        self._processes = check_count(processes, "processes")
        self._games, self._seconds, self._progress = games, seconds, progress or (lambda _done: None)
        self._stops = check_points(games, 64)
        self._began = time.monotonic()
        self._best: list[_Candidate] = []
        self.known: dict[str, _Candidate] = {}
        self.stopped = self.refused = self.matches = self.stopped_matches = 0

    @property
    def spent(self) -> float:
        """Return the seconds since the beginning."""
        return time.monotonic() - self._began

    @property
    def _is_late(self) -> bool:
        return self._seconds is not None and self.spent > SEARCHING * self._seconds

    def search(self, trials: int, label: str) -> Ended:
        """Try candidates on the same deals. Raises BadSetup if the document is refused, or every candidate."""
        import optuna  # noqa: PLC0415 - Optuna is an optional dependency

        optuna.logging.set_verbosity(optuna.logging.WARNING)
        sampler = optuna.samplers.TPESampler(seed=int.from_bytes(seed_from_text(label)[:4], "little"))
        study = optuna.create_study(directions=["minimize"] * (len(self._targets) + 1), sampler=sampler)
        for indexes in _first_trials(self._knobs, label, trials // 2):
            study.enqueue_trial(indexes)
        draw, refusal = Random(f"{label}/crossed"), None
        try:
            for number in range(trials):
                if number and self._is_late:
                    return "time"
                if number > trials // 2 and number % 2:
                    study.enqueue_trial(self._crossed(draw))
                trial = study.ask()
                chosen = {knob.name: knob.values[trial.suggest_int(knob.name, 0, len(knob.values) - 1)] for knob in self._knobs}
                changes = {knob.name: chosen[knob.name] for knob in self._knobs if chosen[knob.name] != knob.start}
                try:
                    plans = self._plans_of(changed(self._document, self._knobs, changes), changes, label)
                except BadSetup as error:
                    if not number:
                        raise
                    refusal = error
                    self.refused += 1
                    study.tell(trial, state=optuna.trial.TrialState.FAIL)
                    continue
                candidate = self._judged(_Candidate(changes, plans))
                study.tell(trial, self._losses(candidate))
                self._progress(number / trials * SEARCHING)
        except KeyboardInterrupt:
            return "interrupted"
        if refusal is not None and len(self.known) == 1:
            raise refusal
        return "complete"

    def front(self, label: str, ended: Ended) -> tuple[Point, ...]:
        """Return the front, with the figures of fresh deals unless the search was interrupted."""
        front = [self._best[0], *(each for each in self._best[1:] if not self._is_beaten(each, self._best))] if self._best else []
        fresh: list[_Candidate] = []
        for candidate in front:
            if ended != "interrupted":
                again = _Candidate(candidate.changes, tuple(replace(plan, seed=label) for plan in candidate.plans))
                self._play(again, 2 * self._games)
                fresh.append(again)
                self._progress(SEARCHING + (1 - SEARCHING) * len(fresh) / len(front))
        found = fresh or front
        kept = [
            *found[:1],
            *sorted((each for each in found[1:] if not self._is_beaten(each, found)), key=lambda each: len(each.changes)),
        ]
        return tuple(map(self._point, kept))

    def _crossed(self, draw: Random) -> dict[str, int]:
        """Return the values of two of the front mixed: so a change that does nothing is found and left out."""
        front = [each for each in self._best if not self._is_beaten(each, self._best)]
        parents = draw.choice(front), draw.choice([self._best[0], *front])
        chosen = {knob.name: draw.choice(parents).changes.get(knob.name, knob.start) for knob in self._knobs}
        return {knob.name: knob.values.index(chosen[knob.name]) for knob in self._knobs}

    def _judged(self, candidate: _Candidate) -> _Candidate:
        """Play a candidate until it is worse than another, or to the end, which makes it one of the best."""
        known = self.known.setdefault(repr(candidate.changes), candidate)
        if known is not candidate:
            return known
        for games in self._stops:
            self._play(candidate, games)
            late = bool(self._best) and self._is_late
            if games < self._games and (late or any(self._is_worse(candidate, best) for best in self._best)):
                self.stopped += 1
                return candidate
        self._best.append(candidate)
        return candidate

    def _play(self, candidate: _Candidate, games: int) -> None:
        numbers = range(candidate.games, games)
        for number, plan in enumerate(candidate.plans):
            work = Measuring(plan, Task.PLAY)
            before = candidate.columns[number : number + 1]
            with working(work, self._processes) as executor, closing(run_chunks(executor, work, numbers, work.chunk)) as parts:
                played = list(parts)
            candidate.columns[number : number + 1] = [joined([*before, *played])]
            self.stopped_matches += sum(int(part["stopped"].sums.sum()) for part in played)
            self.matches += len(numbers)
        candidate.games = games

    def _is_worse(self, candidate: _Candidate, best: _Candidate) -> bool:
        """Return whether a candidate misses each target by more on the same deals, beyond doubt, and has as many changes."""
        if len(best.changes) > len(candidate.changes):
            return False
        pairs = zip(candidate.misses(self._targets), best.misses(self._targets, candidate.games), strict=True)
        gaps = [(miss.value - other.value, standard_error(miss.residuals - other.residuals)) for miss, other in pairs]
        return all(gap > DOUBT * error or gap == error == 0 for gap, error in gaps) and any(gap > 0 for gap, _error in gaps)

    def _is_beaten(self, candidate: _Candidate, others: Sequence[_Candidate]) -> bool:
        """Return whether another is at least as good in everything, and better in something."""
        own = self._losses(candidate)
        return any(
            all(theirs <= mine for theirs, mine in zip(losses, own, strict=True)) and losses != own
            for losses in map(self._losses, others)
        )

    def _losses(self, candidate: _Candidate) -> list[float]:
        return [*(miss.value for miss in candidate.misses(self._targets)), float(len(candidate.changes))]

    def _point(self, candidate: _Candidate) -> Point:
        import tomlkit  # noqa: PLC0415 - tomlkit is an optional dependency

        figures = {
            plan.players: {str(target): _figure(target, columns) for target in self._targets}
            for plan, columns in zip(candidate.plans, candidate.columns, strict=True)
        }
        inlined = {name: _inline(each) for name, each in candidate.changes.items()}
        chosen = {knob.name for knob in self._knobs if not knob.paths}
        options = {name: value for name, value in candidate.changes.items() if name in chosen}
        return Point(
            candidate.changes,
            figures,
            {str(target): miss.value for target, miss in zip(self._targets, candidate.misses(self._targets), strict=True)},
            candidate.games,
            changed(self._document, self._knobs, candidate.changes),
            "".join(f"# --option {name}={value}\n" for name, value in options.items())
            + tomlkit.dumps(changed(tomlkit.parse(self._text), self._knobs, inlined)),
            options,
        )


def _text_of(subject: Game, components: Any, options: Mapping[str, Any]) -> tuple[str, Document[Any] | None]:
    """Return the document to start from as TOML, and the option that takes it; "" and None without one. Raises BadSetup."""
    import tomlkit  # noqa: PLC0415 - tomlkit is an optional dependency

    option = next((option for option in subject.options if isinstance(option, Document)), None)
    if option is None:
        if components is not None:
            raise BadSetup(f"{subject.title} has no components")
        return "", None
    if isinstance(components, str):
        option.check(components)
        return components, option
    data = option.check(options[option.name] if components is None else components).get("data")
    if isinstance(components, Path):
        return components.read_text("utf-8-sig"), option
    return (option.file.read_text("utf-8") if data is None else tomlkit.dumps(data)), option


def _inline(value: Any) -> Any:
    """Return values for tomlkit, which writes tables within them in one line."""
    import tomlkit  # noqa: PLC0415 - tomlkit is an optional dependency

    if isinstance(value, Mapping):
        table = tomlkit.inline_table()
        table.update({key: _inline(each) for key, each in value.items()})
        return table
    if isinstance(value, list):
        array = tomlkit.array()
        array.extend(map(_inline, value))
        return array
    return value


def _first_trials(knobs: Sequence[Knob], label: str, most: int) -> Iterator[dict[str, int]]:
    """Yield the document as it is, then changes of single values in random order: from there the sampler goes on."""
    start = {knob.name: knob.values.index(knob.start) for knob in knobs}
    yield start
    single = [(knob.name, index) for knob in knobs for index in range(len(knob.values)) if index != start[knob.name]]
    Random(label).shuffle(single)
    for name, index in single[:most]:
        yield {**start, name: index}


def _first(columns: Columns, games: int) -> Columns:
    return {name: Column(column.sums[:games], column.counts[:games], column.spread) for name, column in columns.items()}


def _figure(target: Target, columns: Columns) -> Figure:
    column = target.column(columns)
    return Figure(target.figure, column.value, *column.interval(), len(column.sums))
