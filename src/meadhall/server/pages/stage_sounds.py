"""The stage: how long it plays each event, and its sounds with their captions and files (made by ``tools/sounds``)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from meadhall.engine.errors import BadGame
from meadhall.engine.game import BEAT_SECONDS
from meadhall.engine.registry import game
from meadhall.engine.text.language import gettext as _, marked

_WORDS = {
    "die": marked("a die on wood"),
    "axe": marked("an axe in the air"),
    "thud": marked("an axe in wood"),
    "clang": marked("an axe on a shield"),
    "break": marked("wood breaks"),
    "card": marked("a card"),
    "rope": marked("a cord is tied"),
    "snap": marked("a cord snaps"),
    "slide": marked("a stack slides"),
    "stone": marked("a stone on wood"),
    "coins": marked("coins"),
    "crystal": marked("a crystal"),
    "door": marked("a door opens"),
    "mug": marked("a mug of mead"),
    "roar": marked("a monster roars"),
    "drum": marked("a low drum"),
    "note": marked("three stones ring"),
    "victory": marked("horns of victory"),
    "loss": marked("a sad horn"),
}
"""The captions of the sounds that have a file."""

_ALSO = {
    "dice": ("die", 0.9, 1, _WORDS["die"]),
    "hit": ("thud", 0.9, 1, marked("a heavy blow")),
    "pay": ("stone", 0.7, 1, marked("a stone is thrown away")),
    "turn": ("slide", 1.6, 1, marked("a stack is turned over")),
    "shuffle": ("card", 1.2, 4, marked("cards are shuffled")),
    "chest": ("door", 1.5, 1, marked("a chest opens")),
    "chain": ("clang", 0.6, 1, marked("a chain falls")),
    "thunder": ("drum", 0.6, 1, marked("thunder")),
}
"""The sounds made of others: of which, how fast it is played, how often, and the caption."""

_AT_THE_END = ("victory", "loss")


class StageSound(NamedTuple):
    """A sound: its name, its file, how fast and how often that is played, and its caption."""

    name: str
    file: str
    rate: float
    times: int
    words: str


def stage_sounds(name: str) -> Iterator[StageSound]:
    """Yield the sounds of a game in the current language: the ``SOUNDS`` of its page module, and both of the end.

    Raises BadGame for a sound that doesn't exist.
    """
    for each in (*getattr(game(name).page, "SOUNDS", ()), *_AT_THE_END):
        if each not in {**_WORDS, **_ALSO}:
            raise BadGame(f"{name}: SOUNDS has {each!r}; there are {', '.join((*_WORDS, *_ALSO))}")
        file, rate, times, words = _ALSO.get(each) or (each, 1, 1, _WORDS[each])
        yield StageSound(each, f"sounds/{file}.wav", rate, times, _(words))


def stage_beats(name: str) -> str:
    """Return how many beats the stage gives to each kind of event of a game, and the milliseconds of one: ``"280 attack:3"``."""
    kinds = {kind.name: kind.beats for kind in game(name).events.values() if kind.beats}
    return " ".join([f"{1000 * BEAT_SECONDS:.0f}", *(f"{kind}:{beats}" for kind, beats in kinds.items())])
