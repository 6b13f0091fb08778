"""The feats of a person: what they have done so far, by the results of their matches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from meadhall.engine.match.view import bot_in_words
from meadhall.engine.registry import game, game_names
from meadhall.engine.text.language import gettext as _
from meadhall.engine.text.language import ngettext
from meadhall.server.hall.people.profiles import Profile
from meadhall.server.pages.rates import LEVELS, fair_share
from meadhall.server.store.profiles import ResultGroup

_ROW: Final = 3
"""So many in a row are a feat."""

_FULL: Final = 5
"""A match of so many players is a feat to win."""


@dataclass(frozen=True)
class Feat:
    """A feat, with the icon that stands for it."""

    icon: str
    text: str


def feats(profile: Profile, subject: str = "") -> Iterator[Feat]:
    """Yield a person's feats, in all games or in one."""
    groups = [group for group in profile.groups if group.game in game_names() and subject in ("", group.game)]
    won = [group for group in groups if group.won]
    rivals = [group for group in won if fair_share(group) is not None]
    for name in game_names():
        yield from _bots_beaten(name, [group for group in rivals if group.game == name])
    yield from _tables(rivals)
    for name in dict.fromkeys(group.game for group in won if group.players > 1 and group not in rivals):
        yield Feat("hands", _("Won {game} together").format(game=game(name).title))
    if not subject:
        yield from _in_a_row(profile)
        if len({group.game for group in won}) == len(game_names()) > 1:
            yield Feat("hall", _("Won every game of this hall"))


def _bots_beaten(name: str, groups: Sequence[ResultGroup]) -> Iterator[Feat]:
    """Yield the strongest bots that were beaten in a game: without help, and with help if those were stronger."""
    alone = [LEVELS[group.bots] for group in groups if group.bots in LEVELS and group.unaided]
    any_way = [LEVELS[group.bots] for group in groups if group.bots in LEVELS]
    names = {place: bot_in_words(level) for level, place in LEVELS.items()}
    if alone:
        words = _("Beat the {bot} at {game} without a hint or taking back")
        yield Feat("crown", words.format(bot=names[max(alone)], game=game(name).title))
    if any_way and max(any_way) > max(alone, default=0):
        yield Feat("attack", _("Beat the {bot} at {game}").format(bot=names[max(any_way)], game=game(name).title))


def _tables(groups: Sequence[ResultGroup]) -> Iterator[Feat]:
    """Yield the matches won against people, and the largest table where a match was won."""
    against_people = sum(group.won for group in groups if not group.bots)
    if against_people:
        words = ngettext("Won {count} match against people", "Won {count} matches against people", against_people)
        yield Feat("person", words.format(count=against_people))
    largest = max((group.players for group in groups), default=0)
    if largest >= _FULL:
        yield Feat("helmet", _("Won at a table of {count}").format(count=largest))


def _in_a_row(profile: Profile) -> Iterator[Feat]:
    """Yield the longest rows of wins, which have no take-backs, and of days with a finished puzzle."""
    wins, puzzles = profile.wins.longest, profile.puzzles.longest
    if wins >= _ROW:
        yield Feat("again", _("{count} wins in a row").format(count=wins))
    if puzzles >= _ROW:
        yield Feat("check", _("{count} puzzles in a row").format(count=puzzles))
