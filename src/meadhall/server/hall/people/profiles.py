"""Profiles: the matches and puzzles of a person, for their permitted readers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from meadhall.engine.text.language import gettext as _
from meadhall.server.errors import NotFound, PrivateProfile
from meadhall.server.hall.daily_puzzle import today
from meadhall.server.hall.people.acquaintances import shows_profile
from meadhall.server.store import guests, profiles
from meadhall.server.store.models import Guest
from meadhall.server.store.profiles import PuzzleDay, ResultGroup
from meadhall.server.store.store import Store


@dataclass(frozen=True)
class Streak:
    """How many successes follow each other without a failure: up to now, and at most."""

    current: int
    longest: int


@dataclass(frozen=True)
class Profile:
    """The matches and puzzles of a person.

    Attributes:
        person: whose profile it is.
        is_own: whether this person looks at it.
        groups: the matches that count, in groups.
        wins: matches won one after the other.
        days: the puzzles of the day that the person has finished on their day, the first one first. Others don't see today's,
            which they may still play.
        puzzles: days one after the other with a finished puzzle. The current streak lives on while today's can still be played.
        today: the current day.
    """

    person: Guest
    is_own: bool
    groups: Sequence[ResultGroup]
    wins: Streak
    days: Sequence[PuzzleDay]
    puzzles: Streak
    today: str


async def profile_of(store: Store, person: Guest, viewer: Guest) -> Profile:
    """Return a person's profile. The caller has checked that the viewer may see it."""
    is_own = person.id == viewer.id
    now = today(store.time)
    before = _following(now) if is_own else now
    groups, scores, days = await store.read(profiles.results_of, person.id, before)
    return Profile(person, is_own, groups, winning_streak(scores), days, puzzle_streak([day.day for day in days], now), now)


def visible_person(store: Store, public_id: str, viewer: Guest) -> Guest:
    """Return the person with that public id. Raises NotFound, and PrivateProfile if the viewer may not see the profile."""
    person = store.transact(guests.find_public, public_id)
    if person is None:
        raise NotFound(_("There is no such person here."))
    check_visible(store, person, viewer)
    return person


def check_visible(store: Store, person: Guest, viewer: Guest) -> None:
    """Refuse a viewer who may not see the person's profile. Raises PrivateProfile without the name: it may be a new one."""
    if not shows_profile(store, person, viewer):
        if person.profile == "private":
            raise PrivateProfile(_("This profile is private."))
        raise PrivateProfile(_("Only people who have played with this person see this profile."))


def winning_streak(scores: Sequence[float]) -> Streak:
    """Return how many matches were won one after the other. ``scores``: the payoffs, in the order of the matches."""
    current = longest = 0
    for score in scores:
        current = current + 1 if score == 1 else 0
        longest = max(longest, current)
    return Streak(current, longest)


def puzzle_streak(days: Sequence[str], today: str) -> Streak:
    """Return the number of days one after the other that have a finished puzzle. ``days``: all of them, ascending."""
    current = longest = 0
    last = ""
    for day in days:
        current = current + 1 if last and _following(last) == day else 1
        longest = max(longest, current)
        last = day
    return Streak(current if last and _following(last) >= today else 0, longest)


def _following(day: str) -> str:
    return (date.fromisoformat(day) + timedelta(days=1)).isoformat()
