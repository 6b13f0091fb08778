"""``python tests/digests.py``: print digests of matches of every game, to compare compiled with interpreted rules.

A digest covers everything that rules compute in a match: states, legal actions, views, determinizations, choices of bots,
events and results.
"""

from __future__ import annotations

import hashlib
import json
import sys
from datetime import UTC, datetime
from random import Random
from typing import Any

from games_for_tests.every import EVERY_GAME
from meadhall import Game, Match
from meadhall.bots import bot
from meadhall.engine.laws.check_game import setups
from meadhall.engine.laws.knowledge import redealt
from meadhall.engine.match.record import dumps
from meadhall.engine.match.view import SPECTATOR
from sizes import LONG

GREEDY = 2
"""The number of choices of bots in a match. They are slow where they are interpreted."""


def tried(subject: Game) -> list[tuple[int, dict[str, Any]]]:
    """Return two setups for each number of players, which together have all values of the options; in the long run all setups."""
    chosen = []
    for players in range(subject.min_players, subject.max_players + 1):
        every = list(setups(subject, players))
        for number in (3 * players, 3 * players + len(every) // 2):
            if every[number % len(every)] not in chosen:
                chosen.append(every[number % len(every)])
    return list(setups(subject)) if LONG else chosen


def digest(match: Match, searching: bool) -> str:
    """Play a match at random and return a hash of all that its rules computed, with the first choice of a search or without."""
    match.started = datetime(2026, 11, 21, tzinfo=UTC)
    draw, seen, name = Random(match.seed), hashlib.sha256(), match.game.name
    greedy, search = bot(match.game, "karl", b"greedy"), bot(match.game, "search@3", b"search")
    while match.actor is not None:
        view, viewer = match.view(match.actor), draw.randrange(SPECTATOR, match.players)
        supposed = redealt(match.game, match.view(viewer).states, viewer, draw)
        parts = [match.states.tobytes(), view.states.tobytes(), supposed.tobytes(), repr(view.legal).encode()]
        chosen = draw.choice(view.legal)
        if len(match.steps) < GREEDY:
            chosen = greedy.choose(view)
        if searching and not match.steps:
            parts.append(repr(search.choose(view)).encode())
        for part in parts:
            seen.update(part)
        match.play(chosen)
    result = match.result()
    assert result is not None, name
    seen.update(match.states.tobytes() + repr(result.scores).encode() + dumps(match.record(legal=True)).encode())
    return seen.hexdigest()


def digests(subject: Game) -> dict[str, str]:
    """Return the digest of a match for each setup."""
    found: dict[str, str] = {}
    for players, options in tried(subject):
        match = subject.match(players=players, seed=f"both ways {players}", **options)
        found[f"{players} {options}"] = digest(match, searching=not found)
    return found


if __name__ == "__main__":
    json.dump({subject.name: digests(subject) for subject in EVERY_GAME}, sys.stdout)
