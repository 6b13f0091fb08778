"""Axes and Allies: dice and treachery for 2 to 6."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from meadhall.games.axes_and_allies import heuristics, page, rules, words
from meadhall.games.axes_and_allies.exact import solver
from meadhall.games.axes_and_allies.heuristics import ADVICE
from meadhall.games.axes_and_allies.lessons import LESSONS
from meadhall.games.axes_and_allies.rules import ALLY, ATTACK, SEATS, Event
from meadhall.sdk import (
    ActionKind,
    Bond,
    Elements,
    EventFigure,
    Game,
    HouseRule,
    Match,
    Mention,
    Number,
    Origin,
    event_statistics,
    marked,
    places_by_elimination,
)

ELEMENTS = Elements(
    actions=(
        ActionKind("attack", marked("attack"), range(ATTACK, ATTACK + SEATS)),
        ActionKind("ally", marked("ally"), range(ALLY, ALLY + SEATS)),
    ),
    first_order=Event.FIRST,
    turn=Event.POWER,
    out=Mention(Event.KILLED, 1),
    attacks=Mention(Event.ATTACK, 1),
    bond=Bond(marked("alliances"), Mention(Event.ALLIED, 1), (Event.VOIDED,)),
)

STATISTICS = event_statistics(
    EventFigure("attacks", marked("attacks"), Event.ATTACK),
    EventFigure("hit_rate", marked("attacks that kill"), Event.KILLED, per=(Event.ATTACK_ROLL,)),
    EventFigure("alliances", marked("alliances"), Event.ALLIED),
    EventFigure("ones", marked("ones that end all alliances"), Event.VOIDED),
    EventFigure("limited", marked("turns among allies alone"), Event.LIMITED),
)


def places(match: Match) -> tuple[int, ...]:
    """Return every seat's place: the dead in reverse order of their deaths."""
    return places_by_elimination(match, rules.Event.KILLED, 1, [0] * match.players)


def is_out(state: rules.State, seat: int) -> bool:
    """Return whether the player on a seat is dead."""
    return not state.alive[seat]


LAST_TWO = HouseRule(
    "last_two",
    {
        "ally": (Origin.PRINTED, marked("The last two may ally"), marked("Two players left have the same choices as more.")),
        "fight": (
            Origin.HOUSE,
            marked("The last two may not ally"),
            marked("Two players left can't declare an alliance, so they fight it out."),
        ),
    },
    title=marked("The last two"),
    rules=("AA-7.1", "AA-3.1", "AA-3.3", "AA-3.4", "AA-4.2", "AA-6.1"),
)

SIDES = Number(
    "sides",
    marked("The die has this many sides."),
    rules.SIDES,
    (4, 12),
    title=marked("Sides of the die"),
    rules=("AA-7.2", "AA-3.2"),
)
KILLS_ON = Number(
    "kills_on",
    marked("An attack that rolls this number or more kills at any power; 0: only rolls below the power kill."),
    0,
    (0, rules.SIDES),
    title=marked("Roll that always kills"),
    rules=("AA-7.3", "AA-3.2", "AA-3.3"),
)


def goal(options: Mapping[str, Any]) -> str:
    """AA-6.1: Be the last one alive. AA-7.1: The last two may not ally."""
    if options[LAST_TWO.name] != LAST_TWO.default:
        return marked(
            "Your goal: be the last one alive. Attack, or ally while more than two are alive, until a one ends every alliance."
        )
    return marked("Your goal: be the last one alive. Attack, or ally with a player until a one ends every alliance.")


game = Game(
    name="axes-and-allies",
    title="Axes and Allies",
    tagline=marked("Dice and treachery for 2 to 6. Be the last one standing."),
    version=1,
    min_players=2,
    max_players=rules.SEATS,
    actions=rules.ACTIONS,
    state=rules.State,
    rules=rules,
    words=words,
    events=words.EVENTS,
    page=page,
    folder=Path(__file__).parent,
    greedy=heuristics.greedy,
    advice=ADVICE,
    solver=solver,
    places=places,
    is_out=is_out,
    elements=ELEMENTS,
    options=(LAST_TWO, SIDES, KILLS_ON),
    statistics=STATISTICS,
    goal=goal,
    lessons=LESSONS,
)
