"""The models of the daily puzzle's pages: the strip in the hall, and a day's results."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, Literal

from meadhall.engine.game import Game
from meadhall.engine.match.match import Match
from meadhall.engine.text.language import gettext as _
from meadhall.engine.text.lessons import Figure, Outcome
from meadhall.server.hall.daily_attempts import Attempt, counts, results
from meadhall.server.hall.daily_puzzle import (
    deal,
    ends_at,
    hours_left,
    own_attempt,
    puzzle_of,
    puzzle_on,
    recent_days,
    seed_of,
    terms,
    today,
)
from meadhall.server.hall.hall import Hall
from meadhall.server.pages.clock import day_in_words, moment
from meadhall.server.store import puzzles
from meadhall.server.store.models import Guest, TableRow
from meadhall.server.store.puzzles import Score
from meadhall.server.web.links import Outside, link

BEST_SHOWN = 20
"""Number of attempts that a page lists."""

DAYS_SHOWN = 10
"""Number of days that a page links to."""

_FEWEST_BARS = 6


def daily_strip(hall: Hall, guest: Guest) -> dict[str, Any] | None:
    """Return today's puzzle as the hall shows it; None if no game has a puzzle."""
    day = today(hall.time)
    subject = puzzle_of(day)
    if subject is None:
        return None
    state = _state(own_attempt(hall.store, day, guest), day, today(hall.time))
    return {
        "game": subject.name,
        "title": subject.title,
        "date": day_in_words(day),  # "21 November 2026"
        "state": state,
        "ready": subject.name in hall.ready,
        "ends": moment(ends_at(day)),
    }


async def daily_page(hall: Hall, guest: Guest, day: str, outside: Outside) -> dict[str, Any]:
    """Return a day's puzzle for a guest. It has results only after the day, or the guest's own attempt, has ended.

    ``outside``: the beginning of the address to share.

    Raises:
        NotFound: there is no puzzle for that day.
    """
    subject = puzzle_on(hall.store, day)
    own = own_attempt(hall.store, day, guest)
    state = _state(own, day, today(hall.time))
    done = state in ("over", "missed")
    found = await results(hall, subject, day, own, BEST_SHOWN)
    mine, scores = (found.mine, found.scores) if done else (None, ())
    outcome, pending = await _outcome(hall, subject, day, guest) if done else (None, False)
    yours = None if mine is None else _attempt(subject, mine, you=True)
    days = sorted(
        {*recent_days(hall.time)[:DAYS_SHOWN], *hall.store.transact(puzzles.attempted_days, DAYS_SHOWN), day}, reverse=True
    )
    return {
        "url": link(f"/daily/{day}"),  # "/daily/2026-11-21"
        "game": subject.name,
        "title": subject.title,
        "goal": _(terms(subject).goal),  # what the player should achieve
        "date": day_in_words(day),
        "today": day == today(hall.time),
        "state": state,
        "ready": subject.name in hall.ready,
        "lesson_minutes": subject.lessons.minutes if subject.lessons else 0,  # 0 if the game has no guided first game
        "table": link(f"/tables/{own.id}") if own else "",  # address of the guest's attempt, "" if there is none
        "finished": found.finished,  # number of finished attempts
        "ends": moment(ends_at(day)),  # the end of the day
        "hours": hours_left(hall.time),  # until then
        "mine": yours,
        # best first
        "best": tuple(_attempt(subject, each, mine is not None and each.table == mine.table) for each in found.best)
        if done
        else (),
        "plots": tuple(_plot(figure, scores, mine) for figure in terms(subject).figures) if scores else (),
        "outcome": outcome,  # the best possible result of the deal, if it is known
        "outcome_pending": pending,  # whether the solver is still working on it
        "solution": _solution(hall, subject, day, outcome),  # a winning line in words; empty until the day has ended
        "share": _share(subject, day, yours, outside) if yours else "",  # text to send to friends; contains no spoilers
        # (address, date, whether it is this page), newest first
        "days": tuple((link(f"/daily/{each}"), day_in_words(each), each == day) for each in days),
    }


async def _outcome(hall: Hall, subject: Game, day: str, guest: Guest) -> tuple[Outcome | None, bool]:
    """Return the best possible result of the deal if it is known, and whether the solver is still working on it."""
    if terms(subject).outcome is None or subject.name not in hall.ready:
        return None, False
    outcome = await hall.outcomes.outcome(day, deal(hall.store, subject, day, guest))
    return outcome, outcome is None


def _solution(hall: Hall, subject: Game, day: str, outcome: Outcome | None) -> tuple[str, ...]:
    """Return a winning line in words, after the day: before, it would help other players."""
    if outcome is None or day >= today(hall.time):
        return ()
    match = Match(subject, players=1, seed=seed_of(hall.store, day), options=terms(subject).options)
    words = []
    for action in outcome.line:
        words.append(subject.words.action(match.view(match.actor).state, action, match.names))
        match.play(action)
    return tuple(words)


def _state(own: TableRow | None, day: str, today: str) -> Literal["new", "running", "over", "missed"]:
    """Return how far a guest's attempt is. Missed: the guest didn't finish before the day ended."""
    if own is not None and counts(own):
        return "over"
    if day < today:
        return "missed"
    return "new" if own is None else "running"


def _attempt(subject: Game, attempt: Attempt, you: bool) -> dict[str, Any]:
    figures = tuple((_(figure.title), attempt.figures[figure.name], figure.most) for figure in terms(subject).figures)
    return {
        "url": link(f"/tables/{attempt.table}/replay"),  # the replay
        "place": attempt.place,
        "name": attempt.name,
        "won": attempt.won,
        "you": you,
        "figures": figures,  # "Triplets", 4, of 6
    }


def _plot(figure: Figure, scores: Sequence[Score], mine: Attempt | None) -> dict[str, Any]:
    """Return a plot with a bar for every possible value; for a figure without a limit, from the lowest to the highest result."""
    values = Counter[int]()
    for score in scores:
        values[score.figures[figure.name]] += score.attempts
    first, last = (min(values), max(values)) if figure.most is None else (0, figure.most)
    first = max(0, min(first, last + 1 - _FEWEST_BARS))
    highest = max(values.values())
    own = None if mine is None else mine.figures[figure.name]
    bars = (
        {
            "value": value,
            "count": values[value],
            "height": values[value] / highest,
            "you": value == own,
        }
        for value in range(first, last + 1)
    )
    return {
        "title": _(figure.title),
        "bars": tuple(bars),
    }


def _share(subject: Game, day: str, mine: dict[str, Any], outside: Outside) -> str:
    """Return a short text to send to friends, without spoilers. It has the address if they can open it."""
    figures = [f"{title} {value}" + (f"/{most}" if most else "") for title, value, most in mine["figures"]]
    _title, value, most = mine["figures"][0]
    row = "▰" * value + "▱" * (most - value) if most else ""
    url = "" if outside.closed else f"{outside.url}/daily"
    return "\n".join(line for line in (f"{subject.title}, {day_in_words(day)}", row, " · ".join(figures), url) if line)
