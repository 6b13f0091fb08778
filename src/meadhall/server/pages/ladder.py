"""The model of the ladder: levels in words, with their uncertainty."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean
from typing import Any, Final

from meadhall.engine.rating import chance
from meadhall.engine.registry import game, game_names
from meadhall.engine.text.language import gettext as _
from meadhall.server.pages.rates import variant_in_words
from meadhall.server.store.ladder import Level
from meadhall.server.store.models import Guest
from meadhall.server.web.links import link

SETTLED: Final = 10
"""With so many counted matches a person has a place."""

NINE_OF_TEN: Final = 1.645
"""Half the width of the intervals, in standard deviations: about nine of ten contain the chance."""

GAVE_UP: Final = (3, 0.2)
"""From so many matches and this share on, everyone reads how many a person gave up."""

STEP: Final = 5
"""Chances are told in steps of so many per cent."""


def ladder_page(
    name: str, ways: Sequence[str], way: int, levels: Sequence[Level], people: Sequence[Guest], viewer: Guest
) -> dict[str, Any]:
    """Return the ladder as the viewer sees it, as its template takes it: all people are on it, those with a place first.

    Args:
        name: the name of the game.
        ways: the ways of playing it with a ladder.
        way: the index of this one.
        levels: the levels of the people who take part.
        people: these people.
        viewer: who looks at it. Helpers and hosts read how many matches anyone gave up.
    """
    middle, persons = middle_of(levels), {person.id: person for person in people}
    placed = sorted(filter(_is_settled, levels), key=lambda level: _chance(level, middle), reverse=True)
    own = next((level for level in levels if level.guest == viewer.id), None)
    yours = ""
    if own in placed:
        yours = _("Your place: {place} of {count}.").format(place=placed.index(own) + 1, count=len(placed))
    elif own is not None:
        yours = _("You have too few matches for a place yet: {count} of {least}.").format(count=own.counted, least=SETTLED)
    rungs = []
    for level in [*placed, *sorted({*levels} - {*placed}, key=lambda level: -level.matches)]:
        person, words = persons[level.guest], [level_in_words(level, middle)]
        if own in placed and level in placed and own is not level:
            words.append(_("You against {name}: {chance}").format(name=person.name, chance=_in_words(own, level)))
        rungs.append((person, [*words, *given_up_in_words(level, viewer)]))
    return {
        "title": game(name).title,
        "games": [(link(f"/ladder/{each}"), game(each).title, each == name) for each in game_names()],
        "ways": [(link(f"/ladder/{name}?way={k}"), variant_in_words(game(name), each), k == way) for k, each in enumerate(ways)],
        "yours": yours,
        "rungs": rungs,
        "placed": len(placed),
    }


def _is_settled(level: Level) -> bool:
    return level.counted >= SETTLED


def middle_of(levels: Sequence[Level]) -> Level:
    """Return the middle of a ladder: the mean strength of those who have a place, as if it were a person's."""
    return Level(fmean([level.mu for level in levels if _is_settled(level)] or [0.0]), 0.0)


def level_in_words(level: Level, middle: Level) -> str:
    """Return a person's chance against the middle of the ladder, or how many matches are missing."""
    if not _is_settled(level):
        return _("too few matches yet: {count} of {least}").format(count=level.counted, least=SETTLED)
    return _("{chance} against the middle of the ladder").format(chance=_in_words(level, middle))


def given_up_in_words(level: Level, viewer: Guest) -> list[str]:
    """Return how many matches a person gave up; nothing if these are few, unless a helper or host of the hall reads it."""
    is_told = level.given_up >= max(GAVE_UP[0], GAVE_UP[1] * level.matches) or (viewer.role and level.given_up)
    return [_("gave up {count} of {matches}").format(count=level.given_up, matches=level.matches)] if is_told else []


def in_one_line(name: str, variant: str, levels: Sequence[Level], person: Guest, viewer: Guest) -> tuple[str, str]:
    """Return the address of a ladder, and a person's level on it in a line for their profile."""
    level = next(level for level in levels if level.guest == person.id)
    words = "; ".join([level_in_words(level, middle_of(levels)), *given_up_in_words(level, viewer)])
    return link(f"/ladder/{name}"), f"{game(name).title} ({variant_in_words(game(name), variant)}): {words}"


def _chance(one: Level, other: Level, z: float = 0.0) -> float:
    return chance(one, other, (one.seats + other.seats) / (one.counted + other.counted), z)


def _in_words(one: Level, other: Level) -> str:
    """Return a chance with its interval, as "about 60 %, between 45 and 70 %"."""
    steps = [round(100 / STEP * _chance(one, other, z)) for z in (-NINE_OF_TEN, 0, NINE_OF_TEN)]
    low, mean, high = (min(100 - STEP, max(STEP, STEP * step)) for step in steps)
    return _("about {chance} %, between {low} and {high} %").format(chance=mean, low=low, high=high)
