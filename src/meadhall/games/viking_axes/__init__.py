"""Viking Axes: cards, shields and thrown axes for 2 to 7."""

from pathlib import Path

from meadhall.games.viking_axes import heuristics, page, rules, words
from meadhall.games.viking_axes.elements import ELEMENTS, STATISTICS
from meadhall.games.viking_axes.evaluation import evaluate
from meadhall.games.viking_axes.lessons import LESSONS
from meadhall.games.viking_axes.state import ACTIONS, SEATS, Event, State
from meadhall.sdk import Advice, Choice, Game, HouseRule, Match, Origin, marked, places_by_elimination


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
    is_out=is_out,
    folder=Path(__file__).parent,
    greedy=heuristics.greedy,
    advice=Advice(
        rollout=heuristics.greedy, cutoff=4, evaluate=evaluate, guide=heuristics.greedy, exploration=0.3, minimum_advantage=0.5
    ),
    elements=ELEMENTS,
    statistics=STATISTICS,
    goal=marked("Your goal: be the last one standing. Ten hits put a player out, fifteen in a game that began with two."),
    lessons=LESSONS,
    options=(
        Choice(
            "variant",
            {
                "standard": (marked("Open cards"), marked("Play the card you draw.")),
                "strategic": (
                    marked("Hidden hands"),
                    marked("Hold two cards in secret, draw a third and choose which one to play."),
                ),
            },
            title=marked("Cards"),
            rules=("VA-1.3", "VA-1.5", "VA-2.1", "VA-2.3", "VA-2.4", "VA-3.7", "VA-5.2", "VA-5.4", "VA-6.3"),
        ),
        ARMORY,
    ),
)
