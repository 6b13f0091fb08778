"""The stage: how long it plays each event, and its sounds with their captions and files (made by ``tools/sounds``)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from meadhall.engine.game import BEAT_SECONDS
from meadhall.engine.registry import game
from meadhall.engine.text.language import gettext as _
from meadhall.engine.text.language import marked

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
    "dice": _WORDS["die"],
    "hit": marked("a heavy blow"),
    "pay": marked("a stone is thrown away"),
    "turn": marked("a stack is turned over"),
    "shuffle": marked("cards are shuffled"),
    "chest": marked("a chest opens"),
    "chain": marked("a chain falls"),
    "thunder": marked("thunder"),
}
"""The captions of the sounds that ``sound.js`` makes of others."""


class StageSound(NamedTuple):
    """A sound: its name, its file ("" if it is made of another sound), and its caption."""

    name: str
    file: str
    words: str


def stage_sounds() -> Iterator[StageSound]:
    """Yield all sounds of the stage, in the current language."""
    for name, words in _WORDS.items():
        yield StageSound(name, f"sounds/{name}.wav", _(words))
    for name, words in _ALSO.items():
        yield StageSound(name, "", _(words))


def stage_beats(name: str) -> str:
    """Return how many beats the stage gives to each kind of event of a game, and the milliseconds of one: ``"280 attack:3"``."""
    kinds = {kind.name: kind.beats for kind in game(name).events.values() if kind.beats}
    return " ".join([f"{1000 * BEAT_SECONDS:.0f}", *(f"{kind}:{beats}" for kind, beats in kinds.items())])
