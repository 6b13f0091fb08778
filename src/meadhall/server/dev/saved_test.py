"""A position as a test: a file for pytest that builds the position again and compares its legal actions."""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterator

import numpy as np

from meadhall.engine.match.match import Match
from meadhall.engine.state.schema import field_names
from meadhall.engine.text.language import speaking
from meadhall.server.dev.panel import action_text, actor_of, states_at
from meadhall.server.store.models import Entry


def test_name(match: Match, position: int) -> str:
    """Return the name of the test and, with ``.py``, of its file."""
    game = re.sub(r"\W", "_", match.game.name)
    return f"test_{game}_after_action_{match.steps[position - 1].n if position else 0}"


def test_source(match: Match, entries: tuple[Entry, ...], position: int) -> str:
    """Return the source of a test of a position.

    A position that was played is built by the match's seed and actions. One that was edited is built by its fields.

    Args:
        match: the match.
        entries: the actions and take-backs up to the position.
        position: the number of actions before it.
    """
    with speaking("en"):  # a test runs in English
        return "\n".join(_lines(match, entries, position)) + "\n"


def _lines(match: Match, entries: tuple[Entry, ...], position: int) -> list[str]:
    is_edited = any(entry.kind == "edit" for entry in entries)
    return [
        f'"""A position of {match.game.title}, saved from the debug panel."""',
        "",
        "import meadhall",
        "",
        "",
        f"def {test_name(match, position)}() -> None:",
        *_indented(_started(match)),
        *_indented(_by_fields(match, position) if is_edited else _by_actions(match, entries)),
        *_indented(_assertions(match, position)),
    ]


def _indented(lines: Iterator[str]) -> Iterator[str]:
    for line in lines:
        yield f"    {line}"


def _started(match: Match) -> Iterator[str]:
    yield "match = meadhall.game("
    yield f"    {match.game.name!r}"
    yield ").match("
    yield f'    seed=bytes.fromhex("{match.seed.hex()}"),'
    yield f"    seats={list(match.names)!r},"
    for option in match.game.options:
        name, value = option.name, match.options[option.name]
        if value == option.default:
            continue
        if name.isidentifier() and not keyword.iskeyword(name):
            yield f"    {name}={value!r},"
        else:
            yield f"    **{ {name: value}!r},"
    yield ")"


def _by_actions(match: Match, entries: tuple[Entry, ...]) -> Iterator[str]:
    """Yield the actions and take-backs, each action in words."""
    twin = Match(match.game, players=match.players, seed=match.seed, seats=match.seats, options=match.options)
    for entry in entries:
        if entry.kind == "undo":
            twin.undo(entry.value, revealed=True)
            yield f"match.undo({entry.value}, revealed=True)"
        else:
            twin.play(entry.value, entry.seat)
            words = f"{twin.names[entry.seat]}: {action_text(twin, len(twin.steps) - 1)}"
            yield f"match.play({entry.value}, seat={entry.seat})  # {_in_one_line(words)}"


def _by_fields(match: Match, position: int) -> Iterator[str]:
    """Yield the fields of an edited position that are not zero."""
    row = states_at(match, position)[0]
    yield "states = match.game.state.new()"
    for name in field_names(match.game.state.dtype):
        value = np.asarray(row[name])
        if value.any():
            yield f'states["{name}"][0] = {value.tolist()}'
    yield "match = match.supposing(states)"


def _assertions(match: Match, position: int) -> Iterator[str]:
    actor = actor_of(states_at(match, position))
    if actor is None:
        yield "assert match.actor is None"
        return
    yield f"assert match.actor == {actor}"
    view = match.view_at(position, actor)
    yield "assert [int(action) for action in match.legal()] == ["
    for action in view.actions():
        yield f"    {action.action},  # {_in_one_line(action.text)}"
    yield "]"


def _in_one_line(text: str) -> str:
    return " ".join(text.split())
