"""Dungeon Allies: place dice on eight places and fight monsters, for 2 to 5 players."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from meadhall.games.dungeon_allies import heuristics, page, rules
from meadhall.games.dungeon_allies.actions import ACTIONS
from meadhall.games.dungeon_allies.advice import ADVICE
from meadhall.games.dungeon_allies.components import COMPONENTS
from meadhall.games.dungeon_allies.elements import ELEMENTS
from meadhall.games.dungeon_allies.facts import at_table, facts
from meadhall.games.dungeon_allies.house_rules import HOUSE_RULES
from meadhall.games.dungeon_allies.length import max_length
from meadhall.games.dungeon_allies.lessons import LESSONS
from meadhall.games.dungeon_allies.pieces import SEATS
from meadhall.games.dungeon_allies.rules.scoring import points_of
from meadhall.games.dungeon_allies.state import State
from meadhall.games.dungeon_allies.statistics import STATISTICS
from meadhall.games.dungeon_allies.words import WORDS, edition
from meadhall.sdk import Game, marked


def points(end: State, _options: Mapping[str, Any]) -> tuple[int, ...]:
    """DA-13.2: Return the points of every seat."""
    return tuple(points_of(end, seat) for seat in range(end.players))


game = Game(
    name="dungeon-allies",
    title="Dungeon Allies",
    tagline=marked("Send your allies out as dice: to fight, train, trade and recruit. For 2 to 5."),
    version=2,
    min_players=2,
    max_players=SEATS,
    actions=ACTIONS,
    state=State,
    rules=rules,
    words=WORDS,
    events=WORDS.events,
    edition=edition,
    page=page,
    folder=Path(__file__).parent,
    options=(COMPONENTS, *HOUSE_RULES),
    points=points,
    facts=facts,
    at_table=at_table,
    greedy=heuristics.greedy,
    advice=ADVICE,
    statistics=STATISTICS,
    elements=ELEMENTS,
    goal=marked("Your goal: have the most points, in gold and cards, when the last monster is gone."),
    max_length=max_length,
    lessons=LESSONS,
)
