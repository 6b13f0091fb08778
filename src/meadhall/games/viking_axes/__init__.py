"""Viking Axes: cards, shields and thrown axes for 2 to 7."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from meadhall.games.viking_axes import heuristics, page, rules, words
from meadhall.games.viking_axes.heuristics import evaluate
from meadhall.games.viking_axes.lessons import LESSONS
from meadhall.games.viking_axes.state import ACTIONS, HAND, HITS, HITS_OF_TWO, KINDS, SEATS, Act, Event, State, card_title
from meadhall.sdk import (
    ActionKind,
    Advice,
    Choice,
    Elements,
    EventFigure,
    Game,
    HouseRule,
    Match,
    Mention,
    Number,
    Origin,
    PieceKind,
    event_statistics,
    gettext as _,
    marked,
    places_by_elimination,
)


def _card(_options: Mapping[str, Any], kind: int) -> str:
    return card_title(kind)


ELEMENTS = Elements(
    actions=(
        ActionKind("throw", marked("throw"), range(Act.THROW, Act.THROW + SEATS)),
        ActionKind("skip", marked("make a player miss a turn"), range(Act.SKIP, Act.SKIP + SEATS)),
        ActionKind("disarm", marked("empty an armory"), range(Act.DISARM, Act.DISARM + SEATS)),
        ActionKind("discard_armory", marked("discard a drawn armory"), range(Act.DRAW, Act.DRAW + 1)),
        ActionKind("keep_armory", marked("keep an armory"), range(Act.PLACE, Act.PLACE + 1)),
        ActionKind("cash_in", marked("cash in an armory"), range(Act.CASH_IN, Act.CASH_IN + 1)),
        ActionKind("end_turn", marked("end the turn"), range(Act.END_TURN, Act.END_TURN + 1)),
        ActionKind("play", marked("play a card from the hand"), range(Act.PLAY, Act.PLAY + KINDS)),
        ActionKind("discard", marked("discard a card from the hand"), range(Act.DISCARD, Act.DISCARD + KINDS)),
    ),
    pieces=(
        PieceKind("dealt", marked("dealt card"), Mention(Event.DEALT, 1), word=_card),
        PieceKind(
            "drawn",
            marked("drawn card"),
            Mention(Event.DREW, 1),
            used=Mention(Event.PLAYS, 1),
            word=_card,
            numbers=lambda _options: range(KINDS),
        ),
    ),
    first_order=Event.STARTS,
    out=Mention(Event.OUT, 0),
    attacks=Mention(Event.THROWS, 1),
)

STATISTICS = event_statistics(
    EventFigure("cards", marked("cards drawn"), Event.DREW),
    EventFigure("throws", marked("throws"), Event.THROWS),
    EventFigure("hit_rate", marked("throws that hit"), Event.HITS, per=(Event.THROWS,)),
    EventFigure("blocked", marked("throws at a player with shields"), Event.BLOCKED, per=(Event.THROWS,)),
    EventFigure("cashed_in", marked("armories cashed in"), Event.CASHES_IN, also=Event.CASHES_IN_EARLY),
    EventFigure("disarmed", marked("armories emptied by a wench"), Event.DISARMS),
    EventFigure("skipped", marked("turns missed"), Event.TURN_SKIPPED),
    EventFigure("shuffles", marked("shuffles, the first included"), Event.SHUFFLED),
)


def places(match: Match) -> tuple[int, ...]:
    """Return every seat's place: by hits among those left over, then those who are out, the last of them first."""
    return places_by_elimination(match, Event.OUT, 0, match.state.hits.tolist())


def is_out(state: State, seat: int) -> bool:
    """Return whether the player on a seat is out of the game."""
    return bool(state.out[seat])


ARMORY = HouseRule(
    "armory",
    {
        "after": (
            Origin.READING,
            marked("Armory after the first card"),
            marked("An armory from an earlier turn can be cashed in after the turn's first card."),
        ),
        "before": (
            Origin.OTHER_READING,
            marked("Armory before the first card"),
            marked("An armory from an earlier turn can also be cashed in before the turn's first card is drawn."),
        ),
    },
    title=marked("When to cash in"),
    rules=("VA-8.1", "VA-5.3"),
)
LIMIT = Number(
    "hits",
    marked("So many hits put a player out of a game that began with three or more."),
    HITS,
    (3, 30),
    title=marked("Hits"),
    rules=("VA-8.2", "VA-1.2", "VA-3.7"),
)
LIMIT_OF_TWO = Number(
    "hits_of_two",
    marked("So many hits put a player out of a game that began with two."),
    HITS_OF_TWO,
    (3, 30),
    title=marked("Hits for two players"),
    rules=("VA-8.3", "VA-1.2", "VA-3.7"),
)
HELD = Number(
    "hand",
    marked("Players hold so many cards, and one more when they choose."),
    HAND,
    (1, 5),
    title=marked("Cards in a hand"),
    rules=("VA-8.4", "VA-1.3", "VA-2.3"),
    only_with=("variant", "strategic"),
)


MOST_KEPT = 25
"""With more cards in hands and armories in front, none might be left to draw (VA-2.2): 69 axes and 25 shields can lie there."""


def objection(players: int, options: Mapping[str, Any]) -> str:
    """VA-8.4: There must always be a card to draw."""
    held = int(options[HELD.name])
    if players * (held + 1) <= MOST_KEPT:
        return ""
    return _("There are too few cards for {players} players with {cards} in a hand.").format(players=players, cards=held)


def goal(options: Mapping[str, Any]) -> str:
    """VA-1.2, VA-7.1: Be the last one standing. VA-8.2, VA-8.3: Other hits may put a player out."""
    printed = marked("Your goal: be the last one standing. Ten hits put a player out, fifteen in a game that began with two.")
    if all(options[number.name] == number.default for number in (LIMIT, LIMIT_OF_TWO)):
        return printed
    words = _("Your goal: be the last one standing. {hits} hits put a player out, {hits_of_two} in a game that began with two.")
    return words.format(hits=options[LIMIT.name], hits_of_two=options[LIMIT_OF_TWO.name])


game = Game(
    name="viking-axes",
    title="Viking Axes",
    tagline=marked("Cards, shields and thrown axes for 2 to 7. Be the last one standing."),
    version=1,
    min_players=2,
    max_players=SEATS,
    actions=ACTIONS,
    state=State,
    rules=rules,
    words=words,
    events=words.EVENTS,
    page=page,
    places=places,
    objection=objection,
    is_out=is_out,
    folder=Path(__file__).parent,
    greedy=heuristics.greedy,
    advice=Advice(
        rollout=heuristics.greedy, cutoff=4, evaluate=evaluate, guide=heuristics.greedy, exploration=0.3, minimum_advantage=0.5
    ),
    elements=ELEMENTS,
    statistics=STATISTICS,
    goal=goal,
    lessons=LESSONS,
    options=(
        Choice(
            "variant",
            {
                "standard": (marked("Open cards"), marked("Play the card you draw.")),
                "strategic": (
                    marked("Hidden hands"),
                    marked("Hold your cards in secret, draw another and choose which one to play."),
                ),
            },
            title=marked("Cards"),
            rules=("VA-1.3", "VA-1.5", "VA-2.1", "VA-2.3", "VA-2.4", "VA-3.7", "VA-5.2", "VA-5.4", "VA-6.3", "VA-8.4"),
        ),
        ARMORY,
        LIMIT,
        LIMIT_OF_TWO,
        HELD,
    ),
)
