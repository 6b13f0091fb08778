"""The model of the ladder: levels in words, with their uncertainty."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Final

from meadhall.engine.rating import Belief, chance
from meadhall.engine.registry import game, game_names
from meadhall.engine.text.language import gettext as _
from meadhall.server.pages.rates import variant_in_words
from meadhall.server.store.ladder import Level
from meadhall.server.store.models import Crest, Guest
from meadhall.server.web.links import link

SETTLED: Final = 10
"""With so many counted matches a level is shown."""

NINE_OF_TEN: Final = 1.645
"""Half the width of the intervals, in standard deviations: about nine of ten contain the chance."""

LEAVES: Final = (3, 0.2)
"""Beside the name stands how often a person gives up, from so many matches and this share on."""

_STEP: Final = 5
"""Chances are told in steps of so many per cent."""


@dataclass(frozen=True)
class Rung:
    """A person on the ladder.

    Attributes:
        place: their place; "" with too few matches.
        level: their chance against the middle of the ladder, or how many matches are missing.
        against: the viewer's chance against them; "" if one of the two has too few matches.
        gave_up: how many of their matches they gave up; "" if these are few.
    """

    place: str
    name: str
    crest: Crest
    url: str
    you: bool
    level: str
    against: str
    gave_up: str


@dataclass(frozen=True)
class LadderPage:
    """The ladder of a way of playing a game.

    Attributes:
        title: the game.
        games: the address and title of each game, and whether it is this one.
        ways: the address, the words of each way of playing it with a ladder, and whether it is this one.
        yours: the place of the viewer in words, or why they have none; "" if they don't take part.
        rungs: all people, those with a place first.
    """

    title: str
    games: tuple[tuple[str, str, bool], ...]
    ways: tuple[tuple[str, str, bool], ...]
    yours: str
    rungs: tuple[Rung, ...]


def middle_of(levels: Sequence[Level]) -> Belief:
    """Return the middle of a ladder: the mean strength of those who have a place."""
    placed = [level.belief.mu for level in levels if level.counted >= SETTLED]
    return Belief(fmean(placed), 0.0) if placed else Belief(sigma=0.0)


def ladder_page(
    name: str, ways: Sequence[str], way: int, levels: Sequence[Level], people: Sequence[Guest], viewer: Guest
) -> LadderPage:
    """Return the ladder as the viewer sees it.

    Args:
        name: the name of the game.
        ways: the ways of playing it with a ladder.
        way: the index of this one.
        levels: the levels of the people who take part.
        people: these people.
        viewer: who looks at it. Helpers and hosts see everyone's given up matches.
    """
    subject, middle = game(name), middle_of(levels)
    persons = {person.id: person for person in people}
    placed = [level for level in levels if level.counted >= SETTLED]
    placed.sort(key=lambda level: _chance(level, Level("", middle, 1, 2)), reverse=True)
    others = [level for level in levels if level not in placed]
    own = next((level for level in levels if level.guest == viewer.id), None)
    places = {level.guest: str(place) for place, level in enumerate(placed, 1)}
    return LadderPage(
        title=subject.title,
        games=tuple((link(f"/ladder/{each}"), game(each).title, each == name) for each in game_names()),
        ways=tuple((link(f"/ladder/{name}?way={k}"), variant_in_words(subject, each), k == way) for k, each in enumerate(ways)),
        yours="" if own is None else _your_place(own, places),
        rungs=tuple(
            _rung(level, persons[level.guest], places, middle, own, bool(viewer.role))
            for level in (*placed, *others)
            if level.guest in persons
        ),
    )


def _your_place(own: Level, places: Mapping[str, str]) -> str:
    if own.guest in places:
        return _("Your place: {place} of {count}.").format(place=places[own.guest], count=len(places))
    return _("You have too few matches for a place yet: {count} of {least}.").format(count=own.counted, least=SETTLED)


def _rung(level: Level, person: Guest, places: Mapping[str, str], middle: Belief, own: Level | None, is_helper: bool) -> Rung:
    is_met = own is not None and own is not level and {own.guest, level.guest} <= {*places}
    against = _("You against {name}: {chance}")
    return Rung(
        place=places.get(level.guest, ""),
        name=person.name,
        crest=person.crest,
        url=link(f"/people/{person.public_id}"),
        you=own is level,
        level=level_in_words(level, middle),
        against=against.format(name=person.name, chance=_in_words(own, level)) if is_met and own is not None else "",
        gave_up=given_up_in_words(level, is_helper),
    )


def level_in_words(level: Level, middle: Belief) -> str:
    """Return a person's chance against the middle of the ladder, or how many matches are missing."""
    if level.counted < SETTLED:
        return _("too few matches yet: {count} of {least}").format(count=level.counted, least=SETTLED)
    return _("{chance} against the middle of the ladder").format(chance=_in_words(level, Level("", middle, 1, 2)))


def given_up_in_words(level: Level, is_helper: bool = False) -> str:
    """Return how many matches a person gave up; "" if these are few, unless a helper or host of the hall reads it."""
    few = level.given_up < LEAVES[0] or level.given_up < LEAVES[1] * level.matches
    if not level.given_up or (few and not is_helper):
        return ""
    return _("gave up {count} of {matches}").format(count=level.given_up, matches=level.matches)


def in_one_line(name: str, variant: str, levels: Sequence[Level], person: Guest, viewer: Guest) -> tuple[str, str]:
    """Return the address of a ladder, and a person's level on it in a line for their profile."""
    level = next(level for level in levels if level.guest == person.id)
    subject, gave_up = game(name), given_up_in_words(level, bool(viewer.role))
    words = f"{subject.title} ({variant_in_words(subject, variant)}): {level_in_words(level, middle_of(levels))}"
    return link(f"/ladder/{name}"), f"{words}; {gave_up}" if gave_up else words


def _chance(one: Level, other: Level, z: float = 0.0) -> float:
    counted = one.counted + other.counted
    return chance(one.belief, other.belief, (one.seats + other.seats) / counted, z)


def _in_words(one: Level, other: Level) -> str:
    """Return a chance with its interval, as "about 60 %, between 45 and 70 %"."""
    low, mean, high = (
        min(100 - _STEP, max(_STEP, _STEP * round(100 / _STEP * _chance(one, other, z)))) for z in (-NINE_OF_TEN, 0, NINE_OF_TEN)
    )
    return _("about {chance} %, between {low} and {high} %").format(chance=mean, low=low, high=high)
