"""What the games say: a recorded match of each game as text, and an example of every message, in all languages.

    .venv/bin/python tests/games/spoken.py    # writes the files in tests/games/spoken/ anew

A change of a text is then a change of these files, which a person reads before the commit.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from babel.messages.extract import extract_from_file

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))

from games.axxa import spoken as axxa
from games.dungeon_allies import spoken as dungeon_allies
from games.viking_axes import spoken as viking_axes
from meadhall import Match, game, replay
from meadhall.engine.match.view import SPECTATOR
from meadhall.engine.state.events import Part
from meadhall.engine.text.language import LANGUAGES, ngettext, speaking

RECORDS = Path(__file__).parents[1] / "records"
FOLDER = Path(__file__).parent / "spoken"
SAYING = [f"{name}.py" for name in ("words", "refusals", "events", "names", "sketch", "state", "status")]
"""The files of a game with the messages that must occur."""

GAMES: dict[str, tuple[Callable[[], Iterable[Match]], str, tuple[str, ...]]] = {
    "axes-and-allies": (tuple, "3-players-0", ("house-rules", "6-players-0")),
    "axxa": (axxa.scenes, "2-players-versus-all-0", ("house-rules", "standstill-versus", "greedy-together-all-0")),
    "dungeon-allies": (dungeon_allies.scenes, "2-players-0", ("house-rules", "level-green")),
    "viking-axes": (viking_axes.scenes, "3-players-standard-0", ("house-rules", "4-players-strategic-0")),
}
"""By game: its scenes, the record that is told, and records in which many of the messages occur."""

KEYWORDS = {"_": None, "marked": None, "ngettext": (1, 2)}

_STEPS_TOLD = 30
_FEW = 100  # actions


class Said(NamedTuple):
    """A text, and the rule that it names."""

    kind: str
    rule: str
    text: str


def recorded(name: str, record: str) -> Match:
    """Return a recorded match."""
    return replay(json.loads((RECORDS / name / f"{record}.match.json").read_text("utf-8")))


# ------------------------------------------------------------------------------------------------------------------- a match


def told(name: str) -> Iterator[str]:
    """Yield the lines of the beginning of a match, in the current language: prompts, actions, events, and the last board."""
    match = recorded(name, GAMES[name][1])
    yield from (line for event in match.setup for line in _lines(match, [event]))
    for position, step in enumerate(match.steps[:_STEPS_TOLD]):
        view, other = match.view_at(position, step.seat), match.view_at(position, (step.seat + 1) % match.players)
        yield from ("", view.prompt(), other.prompt(), f"> {match.game.words.action(view.state, step.action, match.names)}")
        yield from _lines(match, step.events)
    yield ""
    yield match.view_at(min(_STEPS_TOLD, len(match.steps))).sketch()


def _lines(match: Match, events: Sequence[object]) -> Iterator[str]:
    for event in events:
        words = [match.game.words.event(event, match.names, viewer) for viewer in range(SPECTATOR, match.players)]  # type: ignore[arg-type]
        yield "  " + " | ".join(dict.fromkeys(words))


# ---------------------------------------------------------------------------------------------------------------- all messages


def positions(name: str) -> Iterator[tuple[Match, int]]:
    """Yield positions in which a game says its messages: a match, and the number of its steps before the position."""
    scenes, first, records = GAMES[name]
    for match in scenes():
        yield match, len(match.steps)
    for match in (recorded(name, record) for record in (first, *records)):
        for position in range(len(match.steps) + 1):
            yield match, position


def said(match: Match, position: int, *, rarely: bool) -> Iterator[Said]:
    """Yield what is said about a position and its last step, in the current language. ``rarely``: also refusals and sketches."""
    words, subject = match.game.words, match.game
    for event in match.steps[position - 1].events if position else match.setup:
        kind = subject.events[event.kind]
        for viewer in range(SPECTATOR, match.players):
            for part in Part:
                if kind.message(event.arguments, viewer, part):
                    yield Said("event", kind.rule_of(event.arguments), words.event(event, match.names, viewer, part))
    views = [match.view_at(position, viewer) for viewer in range(SPECTATOR, match.players)]
    for view in views:
        yield Said("prompt", "", view.prompt())
        yield from (Said("sketch", "", line) for line in (view.sketch().splitlines() if rarely else ()))
    actor = views[0].actor
    if actor is None:
        yield Said("ending", *words.ending(match.state))
        return
    view = views[actor + 1]
    for action in view.actions():
        yield Said("action", "", action.text)
        if hasattr(words, "notation"):
            yield Said("typed", "", words.notation(action.action))
    if rarely:
        yield from (Said("refusal", *view.refusal(action)) for action in range(subject.actions))
        cautions = getattr(subject.page.own(view), "cautions", {}) if subject.page else {}
        yield from (Said("caution", "", words) for words in cautions.values())


@cache
def everything(name: str) -> dict[str, list[Said]]:
    """Return everything that is said in the positions of a game once, by language."""
    found: dict[str, dict[Said, None]] = {language: {} for language in LANGUAGES}
    for match, position in positions(name):
        rarely = position == len(match.steps) or match.game.actions < _FEW or position % 40 == 0
        for language in LANGUAGES:
            with speaking(language):
                found[language].update(dict.fromkeys(said(match, position, rarely=rarely)))
    return {language: list(several) for language, several in found.items()}


def messages(name: str) -> list[str]:
    """Return the messages of a game's words, in the current language."""
    folder = game(name).folder
    assert folder is not None
    paths = [folder / file for file in SAYING if (folder / file).is_file()]
    found: list[Any] = [each[2] for path in paths for each in extract_from_file("python", str(path), keywords=KEYWORDS)]
    forms: list[Any] = [each if isinstance(each, tuple) else (each,) for each in found if each]
    return list(dict.fromkeys(ngettext(each[0], each[-1], count) for each in forms for count in (1, 2)))


def examples(name: str, language: str) -> dict[str, Said | None]:
    """Return an example of each message of a game; None for one that isn't said."""
    every = everything(name)[language]
    with speaking(language):
        patterns = {message: _pattern(message) for message in messages(name)}
    return {message: next((one for one in every if said(one.text)), None) for message, said in patterns.items()}


def _pattern(message: str) -> Callable[[str], object]:
    parts = re.split(r"\{\w*\}", message)
    letter = r"[^\W\d_]"
    return re.compile(f"(?<!{letter}){'.+?'.join(map(re.escape, parts))}(?!{letter})", re.DOTALL).search


# ------------------------------------------------------------------------------------------------------------------ the files


def spoken(name: str, language: str) -> str:
    """Return the file of a game in a language."""
    lines = {one for one in examples(name, language).values() if one}
    with speaking(language):
        match = list(told(name))
    rows = sorted(f"{one.kind:8} {one.rule:8} {one.text}" for one in lines)
    return "\n".join([f"# {GAMES[name][1]}", "", *match, "", "# every message", "", *rows]) + "\n"


def path(name: str, language: str) -> Path:
    """Return the path of a file."""
    return FOLDER / f"{name}.{language}.txt"


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for each in sys.argv[1:] or GAMES:
        for spoken_in in LANGUAGES:
            path(each, spoken_in).write_text(spoken(each, spoken_in), "utf-8")
