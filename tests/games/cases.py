"""Rules as cases: a scene, the actions played in it, their events and refusals, and what has changed at the end.

    .venv/bin/python tests/games/cases.py    # tells the cases in tests/games/cases/ anew, after a change of the rules

A case begins with ``#``, the ids of its rules and what it shows. Then come its scene, as arguments of the game's ``scene``, and
fields that have other values. ``>`` plays an action, by its number, and ``x`` tries one that is refused. The rest is told by the
game: the legal actions or the result (``:``), the events of an action, some for one seat only, the rule of a refusal, and at the
end the changed fields (``=``).
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))

from games.axxa import scenes as axxa
from games.dungeon_allies import scenes as dungeon_allies
from games.viking_axes import scenes as viking_axes
from meadhall import IllegalAction, Match
from meadhall.engine.match.view import legal_actions
from meadhall.engine.state.chance import seed_from_text
from meadhall.engine.state.events import PUBLIC
from meadhall.engine.state.schema import States, field_names

FOLDER = Path(__file__).parent / "cases"
SCENES: dict[str, Callable[..., Match]] = {
    "axxa": axxa.scene,
    "dungeon-allies": dungeon_allies.scene,
    "viking-axes": viking_axes.scene,
}
_UNTOLD = frozenset({"rng", "pile", "deck", "actor", "cursor"})
"""Fields that are not told: chance, piles whose order is hidden, and what the seat to move and its actions tell."""

_MANY = 12
"""Legal actions that are not listed, except at the end of a case."""


class Case(NamedTuple):
    """A case of a game: the lines of its scene and of its actions."""

    game: str
    title: str
    lines: tuple[str, ...]

    def told(self) -> str:
        """Return the case as the rules of the game tell it."""
        return "\n".join([self.title, *self._told()])

    def _told(self) -> Iterator[str]:
        match: Match | None = None
        for line in self.lines:
            mark, _, rest = line.partition(" ")
            if mark == "scene":
                yield line
                match = SCENES[self.game](**ast.literal_eval(rest))
                before = match.states
            elif match is None:
                raise ValueError(f"{self.title} has no scene before {line!r}")
            elif mark == "with":
                yield line
                match = changed(match, rest)
                before = match.states
            elif mark == "seed":
                yield line
                match.seed = seed_from_text(rest)
            elif mark == ">":
                yield from _decision(match, _MANY)
                yield from _played(match, int(rest.split()[0]))
            elif mark == "x":
                yield from _refused(match, int(rest.split()[0]))
        assert match is not None
        yield from _decision(match)
        changes = list(_changes(before, match.states))
        if changes:
            yield f"= {'; '.join(changes)}"


def changed(match: Match, field: str) -> Match:
    """Return a match whose state has another value of a field: ``"hits [0, 9, 0]"``."""
    name, _, value = field.partition(" ")
    states = match.states
    states[name][0] = ast.literal_eval(value)
    return match.supposing(states)


def _decision(match: Match, most: int | None = None) -> Iterator[str]:
    result = match.result()
    if result is not None:
        yield f": winners {list(result.winners)}, scores {list(result.scores)}, {result.reason}"
        return
    legal = list(legal_actions(match.game, match.states))
    if most is None or len(legal) <= most:
        yield f": seat {match.actor}, {ranges(legal)}"


def _played(match: Match, action: int) -> Iterator[str]:
    yield f"> {action} {match.game.words.action(match.state, action, match.names)}"
    for event in match.play(action):
        only = [] if event.audience == PUBLIC else [f"(seat {event.audience})"]
        yield "  " + " ".join([*map(str, event.to_list()), *only])


def _refused(match: Match, action: int) -> Iterator[str]:
    try:
        match.check(action)
    except IllegalAction as refusal:
        yield f"x {action} {refusal.rule} {refusal.reason}"
    else:
        yield f"x {action} is legal"


def _changes(before: States, after: States) -> Iterator[str]:
    for name in field_names(before.dtype):
        old, new = before[name][0].tolist(), after[name][0].tolist()
        if name not in _UNTOLD and old != new:
            rows = enumerate(zip(old, new, strict=True)) if isinstance(new, list) else ()
            parts = [f"{k}: {value}" for k, (was, value) in rows if was != value]
            yield f"{name} {', '.join(parts) if parts else new}"


def ranges(numbers: Iterable[int]) -> str:
    """Return numbers in a few letters: ``"0-3 7"``."""
    found = sorted(map(int, numbers))
    firsts = [k for k, (a, b) in enumerate(pairwise(found), 1) if b != a + 1]
    runs = [found[a:b] for a, b in pairwise([0, *firsts, len(found)])] if found else []
    return " ".join(str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs)


def cases(name: str) -> list[Case]:
    """Return the cases of a game as its file has them."""
    several = path(name).read_text("utf-8").strip("\n").split("\n\n")
    return [Case(name, title, tuple(lines)) for title, *lines in map(str.splitlines, several)]


def path(name: str) -> Path:
    """Return the file of a game's cases."""
    return FOLDER / f"{name}.txt"


if __name__ == "__main__":
    for game in SCENES:
        path(game).write_text("\n\n".join(case.told() for case in cases(game)) + "\n", "utf-8")
