"""balance: measure how a game plays, and what a change of it does."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from math import isnan
from typing import Any, TypeAlias

import cloudpickle  # type: ignore[import-untyped]

from meadhall.engine.checks import Seed, check_count, check_run_seed, check_seconds, quoted, seed_label
from meadhall.engine.compute.bulk import LIMIT, MOST_DECISIONS, bulk_executor
from meadhall.engine.compute.executors import NO_GUARD, Executor, chunks_of, leave_script, run_chunks
from meadhall.engine.errors import BadSetup
from meadhall.engine.game import Game
from meadhall.engine.options import Choice
from meadhall.engine.registry import PlayableGame, game, installed, registered
from meadhall.engine.text.language import gettext as _
from meadhall.lab.balance.chances import SHORT
from meadhall.lab.balance.figures import Columns, joined, merged
from meadhall.lab.balance.measured import OTHER_GAME, Ended
from meadhall.lab.balance.own import Own, OwnFigure, checked_own
from meadhall.lab.balance.result import Balance, build
from meadhall.lab.balance.tasks import HIGH_RUNGS, SIZES, Depth, Measuring, Rounds, Task, works_of
from meadhall.lab.balance.trace import CellPlan
from meadhall.lab.entrants import Entrant, Entrants, entered, kind_mask
from meadhall.lab.matches import match_executor, usual_processes

FIRST_GAMES = 512
"""The number of matches of each cell before anything else is measured, and of a round of all cells."""
MOST_GAMES = 1_000_000
"""The largest number of matches of a cell."""
MOST_CELLS = 200
MOST_CHUNKS = 32
"""The number of chunks of a job above which chunks become larger: each travels to a process with all work of its round."""
SECONDS = 120.0
"""The default time limit of a report."""

FIRST_STAGES = ((Task.CHANCES,), (Task.WITHOUT,), (Task.OWN,))
"""The tasks before the matches that the precision asks for."""
LAST_STAGES = ((Task.LADDER, Task.LUCK), (Task.SEARCH,), (Task.WORTH,))
"""The tasks after them, which take long; those together take turns. The high rungs of the ladder follow."""

Report: TypeAlias = Callable[[float], None]
"""Called with the part of the report that is done, 0 to 1."""

Variants: TypeAlias = Mapping[str, Mapping[str, Any]]

DEPTHS: tuple[Depth, ...] = ("quick", "usual", "deep")


@dataclass
class _Job:
    """A task of a cell with the columns so far."""

    cell: int
    work: Measuring
    wanted: int
    done: int = 0
    parts: list[Columns] = field(default_factory=list)


def balance(
    name: str | Game,
    players: int | Sequence[int] | None = None,
    variants: Variants | None = None,
    bots: Sequence[Entrant] | None = None,
    precision: float = 0.01,
    seed: Seed | None = None,
    *,
    without: Sequence[str] = (),
    figures: Mapping[str, OwnFigure] | None = None,
    counters: Mapping[str, str] | None = None,
    depth: Depth = "usual",
    seconds: float | None = SECONDS,
    games: int | None = None,
    processes: int | None = None,
    progress: Report | None = None,
    cluster: str | None = None,
    limit: int = LIMIT,
) -> Balance:
    """Measure how a game plays: fairness, length, choice, skill, use of actions and pieces, course, interaction, score.

    All variants are played with the same deals, so that their differences are precise. The same seed gives the same report on
    any number of cores, unless the time limit ends it.

    Args:
        name: the game, or its name.
        players: the numbers of players; by default all.
        variants: the options of each variant by its name; by default the default options. The others are compared to the first.
            An entry ``"game"`` names another game, which plays the same seeds: ``{"printed": {}, "mine": {"game": "my-axes"}}``.
        bots: the levels that are measured; by default ``karl``, or ``thrall`` without a heuristic player. See ``Entrant``.
        precision: the standard error of the win rates by place at which a cell has been played often enough.
        seed: a text, bytes or an integer, see ``check_seed``; by default a random text, which the report states.
        without: kinds of actions whose worth is measured by a bot that avoids them.
        figures: your own figures by their names: functions of a finished match, or ``module:function``. A function returns a
            number, a sum and a count (the figure is the quotient of their sums), or None for a match that doesn't count.
        counters: events to count by the names of the figures: ``"dies weapon=double axe by killer"``, see
            ``docs/library/balance.md``.
        depth: ``"quick"``: matches alone; ``"usual"``: chances, skill and luck, too; ``"deep"``: after all of that and what the
            precision asks for, searches, too, the most useful first.
        seconds: the time limit; 0 or None for none.
        games: the number of matches of each cell, instead of a precision.
        processes: the number of processes for what isn't compiled: searches, bots and figures of your own; by default one per
            core, but one if a bot or figure is a function or another object, or in a script without multiprocessing's
            ``if __name__ == "__main__":`` guard, which more than one requires.
        progress: called with the part that is done, 0 to 1.
        cluster: a Ray cluster: ``local``, ``auto`` or ``ray://HOST:PORT``.
        limit: the number of decisions after which a match is stopped, as in ``simulate``.

    Raises:
        BadSetup: an argument is invalid.
        UnknownGame, UnknownBot, BadBot, BadAnswer: there is no such game or bot, or a bot fails.
        FigureFailed: a figure of your own fails.

    Examples:
        >>> import meadhall
        >>> found = meadhall.balance("axes-and-allies", players=3, games=200, depth="quick", seed="mead")
        >>> found.figures["built-in", 3]["shared"].value
        0.0
    """
    leave_script()
    subject = game(name)
    used = check_run_seed(seed)
    chosen = _checked_variants(subject, variants)
    counts = checked_players([each for each, _options in chosen.values()], players)
    for each, _options in chosen.values():
        kind_mask(each, without)
    wanted = FIRST_GAMES if games is None else check_count(games, "games", MOST_GAMES)
    if depth not in DEPTHS:
        raise BadSetup(f"depth must be one of {', '.join(DEPTHS)}, not {quoted(depth)}")
    if not isinstance(precision, int | float) or not 0.0005 <= precision <= 0.5:
        raise BadSetup(f"precision must be a number from 0.0005 to 0.5, not {quoted(precision)}")
    seconds = check_seconds(seconds)
    names, entrants = entered(subject, list(bots or ["karl" if subject.greedy is not None else "thrall"]))
    most = check_count(limit, "decisions", MOST_DECISIONS)
    editions = [each.edition_for(options) for each, options in chosen.values()]
    own = checked_own(editions, max(counts), counters or {}, figures or {})
    cells = _cells(names, entrants, counts, chosen, seed_label(used), most, own)
    if len(cells) > MOST_CELLS:
        raise BadSetup(f"{len(cells)} combinations of variants, players and bots are too many; the limit is {MOST_CELLS}")
    began = time.monotonic()
    jobs = [_Job(number, Measuring(cell, Task.PLAY), wanted) for number, cell in enumerate(cells)]
    later = [
        _Job(number, work, SIZES[work.task])
        for number, cell in enumerate(cells)
        for work in works_of(cell, depth, without, is_first=cell.bots[0] == names[0])
    ]
    shown = progress or (lambda _done: None)
    run = _Run(seconds, began, None if processes is None else check_count(processes, "processes"), cluster, shown)
    with ExitStack() as registrations:
        for each in {each.name: each for each, _options in chosen.values()}.values():
            registrations.enter_context(registered(each))
        ended = run.all(jobs)
        later = [fitted for job in later if (fitted := _fitted(job, jobs[job.cell], games)) is not None]
        run.span = 0.05, 0.3
        ended = run.stages(later, FIRST_STAGES, ended)
        run.span = 0.3, 0.5
        if games is None and ended == "complete":
            ended = run.until_precise(jobs, precision)
        run.span = 0.5, 1.0
        ended = run.stages(later, (*LAST_STAGES, *((level,) for level in HIGH_RUNGS)), ended)
        shown(1.0)
        columns: list[Columns] = [{} for _ in cells]
        for job in (*jobs, *later):
            found = joined(job.parts)
            columns[job.cell] = merged(columns[job.cell], found)
            if "stopped" in found and found["stopped"].sums.any():  # a task without stopped matches doesn't hide another's
                columns[job.cell]["stopped"] = found["stopped"]
        return build(cells, columns, [job.done for job in jobs], used, precision, depth, ended, time.monotonic() - began)


@dataclass
class _Run:
    """Runs jobs until they are done, the time is up, or Ctrl-C."""

    seconds: float | None
    began: float
    processes: int | None
    cluster: str | None
    progress: Report
    span: tuple[float, float] = (0.0, 0.05)  # the parts of the report at whose ends the present work begins and ends
    shown: float = 0.0

    def all(self, jobs: Sequence[_Job]) -> Ended:
        """Do jobs in rounds of all of them: when the time is up, all have about as many of their matches."""
        while left := [job for job in jobs if job.done < job.wanted]:
            for is_compiled in (True, False):
                ended = self._play(list(_in_turn([job for job in left if job.work.is_compiled is is_compiled])))
                if ended != "complete":
                    return ended
        return "complete"

    def stages(self, jobs: Sequence[_Job], stages: Sequence[Sequence[Task | str]], ended: Ended) -> Ended:
        """Do the jobs of one stage after the other, unless the run has ended."""
        first, last = self.span
        todo = [found for stage in stages if (found := [job for job in jobs if job.work.stage in stage])]
        for number, found in enumerate(todo):
            self.span = (first + (last - first) * number / len(todo), first + (last - first) * (number + 1) / len(todo))
            if ended == "complete":
                ended = self.all(found)
        return ended

    def until_precise(self, jobs: Sequence[_Job], precision: float) -> Ended:
        """Play on until each job is precise."""
        while rough := [job for job in jobs if max(_errors(job), default=0.0) > precision and job.done < MOST_GAMES]:
            for job in rough:
                job.wanted = job.done + FIRST_GAMES
            ended = self.all(rough)
            if ended != "complete":
                return ended
        return "complete"

    def _play(self, parts: Sequence[tuple[_Job, range]]) -> Ended:
        """Do chunks of jobs until they are done, the time is up, or Ctrl-C."""
        if not parts:
            return "complete"
        work = Rounds(tuple((job.work, numbers) for job, numbers in parts))
        try:
            with (
                working(work, self.processes or _usual_processes(work), self.cluster) as executor,
                closing(run_chunks(executor, work, range(len(parts)), 1)) as results,
            ):
                for number, ((job, numbers), columns) in enumerate(zip(parts, results, strict=True), 1):
                    job.parts.append(columns)
                    job.done = numbers.stop
                    self._show(number / len(parts))
                    if self._spent() > 1 and number < len(parts):
                        return "time"
        except KeyboardInterrupt:
            return "interrupted"
        except BadSetup as refusal:
            if self.processes is not None or str(refusal) != NO_GUARD:
                raise
            self.processes = 1
            return self._play(parts)
        return "complete"

    def _spent(self) -> float:
        """Return the part of the time limit that is over."""
        return 0.0 if self.seconds is None else (time.monotonic() - self.began) / self.seconds

    def _show(self, part: float) -> None:
        first, last = self.span
        self.shown = max(self.shown, min(1.0, max(first + part * (last - first), self._spent())))
        self.progress(self.shown)


@contextmanager
def working(work: Measuring | Rounds, processes: int, cluster: str | None = None) -> Iterator[Executor]:
    """Yield what does the work of a task: threads, processes for bots that aren't compiled, or a cluster."""
    if work.is_compiled:
        if cluster is None:
            work.compile()  # in one thread, before several need it
        with bulk_executor(work.subject, cluster=cluster) as executor:
            yield executor
    else:
        with match_executor(work.subject, 1 if cluster else processes, cluster) as executor:
            yield executor


def _in_turn(jobs: Sequence[_Job]) -> Iterator[tuple[_Job, range]]:
    """Yield chunks of jobs, the first of each before the second of any, up to ``FIRST_GAMES`` more matches of each."""
    chunks = []
    for job in jobs:
        numbers = range(job.done, min(job.done + FIRST_GAMES, job.wanted))
        chunks.append([(job, part) for part in chunks_of(numbers, max(job.work.chunk, job.wanted // MOST_CHUNKS))])
    yield from (part for together in zip_longest(*chunks) for part in together if part is not None)


def _usual_processes(work: Rounds) -> int:
    """Return the default number of processes: one per core, but one for what other processes can't have or may not find."""
    plan = work.parts[0][0].plan
    own = all(isinstance(cloudpickle.loads(function), str) for function in plan.own.functions.values())
    return usual_processes(plan.entrants) if own and all(installed(each.subject) for each, _numbers in work.parts) else 1


def _fitted(job: _Job, play: _Job, games: int | None) -> _Job | None:
    """Return a job for a cell that has been played. Short matches have their chances valued at every position, and are more."""
    lengths = joined(play.parts).get("decisions")
    if job.work.task is Task.OWN and games is not None:
        return replace(job, wanted=games)
    if lengths is None or isnan(lengths.value):  # the time was up, or every match was stopped
        return job
    work = replace(job.work, every=job.work.task is Task.CHANCES and lengths.value <= SHORT)
    return (
        None if work.task is Task.WORTH and lengths.value <= SHORT else replace(job, work=work, wanted=work.size(lengths.value))
    )


def _errors(job: _Job) -> list[float]:
    """Return the standard errors of the win rates of a cell: by place, or of the players together."""
    columns = joined([{name: part[name] for name in part if name == "won" or name.startswith("place.")} for part in job.parts])
    parties = len(job.work.subject.parties(job.work.plan.players, job.work.plan.options))
    return [column.error / (1 if name == "won" else parties) for name, column in columns.items()]


def checked_players(subjects: Sequence[Game], players: int | Sequence[int] | None) -> tuple[int, ...]:
    """Return the numbers of players; by default all that every game allows. Raises BadSetup."""
    if players is None:
        first, last = max(each.min_players for each in subjects), min(each.max_players for each in subjects)
        if first > last:
            raise BadSetup("no number of players fits all of these games")
        return tuple(range(first, last + 1))
    given = [players] if isinstance(players, int) or not isinstance(players, Sequence) else list(players)
    if not given:
        raise BadSetup("players must be a number of players, or several")
    return tuple(dict.fromkeys(each.check_players(count) for count in given for each in subjects))


def _checked_variants(
    subject: PlayableGame[Any], variants: Variants | None
) -> dict[str, tuple[PlayableGame[Any], dict[str, Any]]]:
    """Return the game and the checked options of each variant."""
    if variants is None:
        return {"built-in": (subject, subject.check_options({}))}
    if not isinstance(variants, Mapping) or not variants:
        raise BadSetup("variants must be a mapping of names to options")
    found = {}
    for name, options in variants.items():
        given: Any = dict(options) if isinstance(options, Mapping) else options
        played = game(given.pop(OTHER_GAME)) if isinstance(given, dict) and OTHER_GAME in given else subject
        found[str(name)] = played, played.check_options(given)
    return found


def _cells(
    names: Sequence[str],
    entrants: Entrants,
    counts: Sequence[int],
    variants: Mapping[str, tuple[PlayableGame[Any], Mapping[str, Any]]],
    label: str,
    limit: int,
    own: Own,
) -> list[CellPlan]:
    """Return the cells, in the order in which a report lists them. Combinations that a game refuses are left out."""
    found = []
    for count in counts:
        for bot in dict.fromkeys(names):
            for variant, (played, options) in variants.items():
                if not (played.objection and played.objection(count, options)):
                    bots = (bot,) * count
                    found.append(
                        CellPlan(
                            played.name, bots, dict(options), label, entrants=entrants, limit=limit, variant=variant, own=own
                        )
                    )
    if not found:
        played, options = next(iter(variants.values()))
        played.check_setup(counts[0], options)
    return found


def values_of(subject: Game, names: Iterable[str], base: Mapping[str, Any] | None = None) -> dict[str, dict[str, Any]]:
    """Return a variant for each value of these options, each with the other options of ``base``. Raises BadSetup.

    Of a number of the rules with many values, these are some at equal distances.

    Examples:
        >>> import meadhall
        >>> from meadhall.lab.balance.run import values_of
        >>> list(values_of(meadhall.game("viking-axes"), ["variant"]))
        ['standard', 'strategic']
    """
    wanted, found = list(names), {}
    choices = {option.name: option for option in subject.options if isinstance(option, Choice)}
    for name in wanted:
        if name not in choices:
            message = _("There is no option {name} to vary; there are: {known}.")
            raise BadSetup(message.format(name=quoted(name), known=", ".join(choices) or "-"))
        for value in choices[name].compared:
            options = subject.fitting_options({**(base or {}), name: value})
            found[f"{name}={value}" if len(wanted) > 1 or isinstance(value, int) else value] = options
    return found
