"""Viking Axes: cards, shields and thrown axes for 2 to 7."""

from pathlib import Path

from meadhall.games.viking_axes import heuristics, page, rules, words
from meadhall.games.viking_axes.evaluation import evaluate
from meadhall.games.viking_axes.lessons import LESSONS
from meadhall.games.viking_axes.state import ACTIONS, SEATS, Event, State
from meadhall.sdk import Advice, Choice, Game, Match, marked, places_by_elimination


def places(match: Match) -> tuple[int, ...]:
    """Return every seat's place: by hits among those left over, then those who are out, the last of them first."""
    return places_by_elimination(match, Event.OUT, 0, match.state.hits.tolist())


def is_out(state: State, seat: int) -> bool:
    """Return whether the player on a seat is out of the game."""
    return bool(state.out[seat])


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
    goal=marked("Your goal: be the last one standing. Ten hits put a player out, fifteen if you are two."),
    lessons=LESSONS,
    options=(
        Choice(
            "variant",
            {
                "standard": marked("Play the card you draw."),
                "strategic": marked("Hold two cards in secret, draw a third and choose which one to play."),
            },
        ),
    ),
)
