"""AxxA: a puzzle of sliding stacks for 1 to 6 players together, or for two sides against each other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any

from meadhall.games.axxa import heuristics, page, rules, words
from meadhall.games.axxa.heuristics import ADVICE
from meadhall.games.axxa.lessons import LESSONS
from meadhall.games.axxa.solver import Verdict, solution, winnable
from meadhall.games.axxa.state import (
    ACTIONS,
    NUMBERS,
    PIECES,
    SEATS,
    SIDES,
    Act,
    Event,
    Mode,
    Order,
    State,
    points_of,
    recall,
    side_of,
)
from meadhall.sdk import (
    ActionKind,
    Ceiling,
    Choice,
    Daily,
    Elements,
    EventFigure,
    Figure,
    Figures,
    Game,
    HouseRule,
    Match,
    Mention,
    Number,
    Origin,
    Outcome,
    PieceKind,
    Scoring,
    clockwise,
    event_statistics,
    gettext as _,
    marked,
)


def measure(match: Match) -> Figures:
    """AX-6.1, AX-5.1: Count the triplets removed, the moves and the payments of a match."""
    counts = Counter(event.kind for step in match.steps for event in step.events)
    return {"triplets": counts[Event.REMOVED], "moves": counts[Event.MOVED], "payments": counts[Event.PAID]}


def order(figures: Figures) -> tuple[int, ...]:
    """Return a sort key, best result first: more triplets; with all six removed, fewer payments, then fewer moves."""
    solved = figures["triplets"] == NUMBERS
    return (-figures["triplets"], figures["payments"], figures["moves"]) if solved else (-figures["triplets"],)


def outcome(match: Match) -> Outcome:
    """Return whether the deal could be won with all pieces known, and in how many moves."""
    result = winnable(match)
    return Outcome(None if result.verdict == Verdict.OPEN else result.verdict == Verdict.WON, result.moves, result.variation)


DAILY = Daily(
    goal=marked(
        "Slide the stacks to bring three equal numbers together and remove them: first the 1s, then the 2s, up to the 6s. "
        "Every move that removes nothing costs a piece."
    ),
    figures=(
        Figure("triplets", marked("Triplets"), most=NUMBERS),
        Figure("moves", marked("Moves")),
        Figure("payments", marked("Payments")),
    ),
    measure=measure,
    order=order,
    outcome=outcome,
)


def alternating(first: int, players: int) -> Sequence[int]:
    """AX-7.1: The two sides take turns, and within a side its seats."""
    seats = clockwise(first, players)
    own, others = ([seat for seat in seats if (side_of(seat) == side_of(first)) is mine] for mine in (True, False))
    return [seat for turn in zip_longest(own, others) for seat in turn if seat is not None]


WITH_ALL_KNOWN = {"all": 0.998, "orthogonal": 0.998}
"""The share of 1,000 shuffles that the solver proves won, by the option ``touching``: see docs/internals/axxa-solver.md."""


def _ceiling(options: Mapping[str, Any]) -> Ceiling | None:
    """Return how often the solver wins with every piece known, if all other options are as usual."""
    usual = {option.name: option.default for option in (MODE, DIRECTIONS, WITH_MOVED)}
    if any(options.get(name, value) != value for name, value in usual.items()):
        return None
    text = marked("With every piece known from the start, the solver wins {value}: players who see less can't win more often.")
    return Ceiling(WITH_ALL_KNOWN[options.get(TOUCHING.name, TOUCHING.default)], text)


ELEMENTS = Elements(
    actions=(
        ActionKind("move", marked("move a stack"), range(Act.MOVE, Act.LEAVE)),
        ActionKind("leave", marked("leave the stack as it is"), range(Act.LEAVE, Act.TURN)),
        ActionKind("turn", marked("turn the stack over"), range(Act.TURN, Act.REMOVE)),
        ActionKind("remove", marked("remove a triplet"), range(Act.REMOVE, Act.PAY)),
        ActionKind("pay", marked("pay a piece"), range(Act.PAY, ACTIONS)),
    ),
    pieces=(
        PieceKind("triplet", marked("triplet"), Mention(Event.REMOVED, 1), numbers=lambda _options: range(1, NUMBERS + 1)),
        PieceKind("payment", marked("paid piece"), Mention(Event.PAID, 2), numbers=lambda _options: range(1, NUMBERS + 1)),
    ),
    first_order=Event.STARTS,
    first_turns=alternating,
    turn=Event.MOVED,
    ceiling=_ceiling,
)

STATISTICS = event_statistics(
    EventFigure("moves", marked("moved stacks"), Event.MOVED),
    EventFigure("turned", marked("stacks turned over"), Event.TURNED, per=(Event.MOVED,)),
    EventFigure("triplets", marked("triplets removed"), Event.REMOVED),
    EventFigure("paid", marked("pieces paid"), Event.PAID),
    EventFigure("emptied", marked("spaces emptied"), Event.STACK_GONE),
    EventFigure("solved", marked("puzzles solved"), Event.WON, per=(Event.WON, Event.LOST)),
    EventFigure("drawn", marked("matches of two sides drawn"), Event.DRAWN, per=(Event.DRAWN, Event.SIDE_WON)),
)


MAX_LENGTH = 3 * PIECES
"""AX-5.1: Each turn removes a piece at least, by at most three decisions: the move, turning the stack over, and the payment."""

TOGETHER, VERSUS = (mode.name.lower() for mode in Mode)
SKIP, STRICT, ANY = (order.name.lower() for order in Order)

MODE = Choice(
    "mode",
    {
        TOGETHER: (marked("All together"), marked("Everyone wins or loses together.")),
        VERSUS: (marked("Two sides"), marked("Two sides compete for the triplets.")),
    },
    title=marked("Sides"),
    rules=("AX-1.3", "AX-4.2", "AX-6.1", "AX-6.2", "AX-7.1", "AX-7.2", "AX-7.3"),
)
TOUCHING = Choice(
    "touching",
    {
        "all": (marked("Corners count"), marked("Pieces of a triplet may touch at sides or corners.")),
        "orthogonal": (marked("Corners don't count"), marked("Pieces of a triplet must touch at sides. That is harder.")),
    },
    title=marked("Touching"),
    origins={"all": Origin.READING, "orthogonal": Origin.HOUSE},
    rules=("AX-4.1",),
)
ORDER = Choice(
    "order",
    {
        SKIP: (marked("Lost numbers are skipped"), marked("Of a lost number fewer than three pieces are left.")),
        STRICT: (marked("No number is skipped"), marked("Often one number blocks all later ones.")),
        ANY: (marked("Any order"), marked("Triplets of any number may be removed.")),
    },
    title=marked("Order of the numbers"),
    origins={SKIP: Origin.HOUSE, STRICT: Origin.PRINTED, ANY: Origin.HOUSE},
    only_with=("mode", VERSUS),
    optional_in_records=True,
    rules=("AX-4.2", "AX-4.3", "AX-4.4", "AX-5.3", "AX-7.3"),
)
DIRECTIONS = HouseRule(
    "directions",
    {
        "straight": (Origin.READING, marked("No diagonal moves"), marked("Stacks move along rows and columns.")),
        "any": (
            Origin.OTHER_READING,
            marked("Diagonal moves"),
            marked("A stack may also move along diagonals, and turn a right angle from one diagonal to another."),
        ),
    },
    title=marked("Directions"),
    rules=("AX-8.1", "AX-2.2"),
)
WITH_MOVED = HouseRule(
    "triplets",
    {
        "anywhere": (
            Origin.READING,
            marked("Triplets anywhere"),
            marked("A triplet that lies on the board counts, wherever it is."),
        ),
        "moved": (
            Origin.HOUSE,
            marked("Triplets with the moved stack"),
            marked("A triplet counts only if the stack just moved is in it. Further ones need a piece just uncovered."),
        ),
    },
    title=marked("Which triplets count"),
    rules=("AX-8.2", "AX-4.3", "AX-4.4", "AX-5.3", "AX-7.3"),
)
WORTH = HouseRule(
    "worth",
    {
        "one": (Origin.PRINTED, marked("Every triplet counts one"), marked("The side that removes more triplets wins.")),
        "number": (
            Origin.HOUSE,
            marked("Triplets count their number"),
            marked("Three 5s count five points. With equal points the side that removed the last triplet wins."),
        ),
    },
    title=marked("Worth of a triplet"),
    rules=("AX-8.3", "AX-7.2"),
    only_with=("mode", VERSUS),
)
PAYMENT = Number(
    "payment",
    marked("A move that removes no triplet costs so many pieces."),
    1,
    (1, 3),
    title=marked("Pieces for a move"),
    rules=("AX-8.4", "AX-5.1"),
)


def scoring(options: Mapping[str, Any]) -> Scoring:
    """AX-6.1, AX-7.1: All players win or lose together, or two sides play against each other."""
    return Scoring.SIDES if options["mode"] == VERSUS else Scoring.TOGETHER


def objection(players: int, options: Mapping[str, Any]) -> str:
    """AX-7.1: Two sides need two players."""
    return _("Two sides need at least 2 players.") if options["mode"] == VERSUS and players < SIDES else ""


def goal(options: Mapping[str, Any]) -> str:
    """AX-6.1, AX-7.2: Remove all six triplets, or more of them than the other side. AX-8.3: Or those that count more."""
    if options["worth"] != WORTH.default:
        return marked(
            "Your goal: bring three equal numbers together. A triplet counts its number; the side with more points wins."
        )
    if options["mode"] == VERSUS:
        return marked("Your goal: bring three equal numbers together. The side that removes more triplets wins.")
    return marked("Your goal: bring three equal numbers together and remove them, first the 1s, then the 2s, up to the 6s.")


def points(state: State, options: Mapping[str, Any]) -> tuple[int, ...] | None:
    """AX-7.1: In mode versus, a seat's points are the triplets of its side. AX-8.3: Or its points."""
    if options["mode"] == TOGETHER:
        return None
    return tuple(points_of(state, side_of(seat)) for seat in range(state.players))


game = Game(
    name="axxa",
    title="AxxA",
    tagline=marked("A puzzle of sliding stacks: 1 to 6 players solve it together, or two sides compete."),
    version=1,
    min_players=1,
    max_players=SEATS,
    usual_players=1,
    actions=ACTIONS,
    state=State,
    rules=rules,
    words=words,
    events=words.EVENTS,
    page=page,
    folder=Path(__file__).parent,
    greedy=heuristics.greedy,
    advice=ADVICE,
    recall=recall,
    solver=solution,
    options=(MODE, TOUCHING, ORDER, DIRECTIONS, WITH_MOVED, WORTH, PAYMENT),
    scoring=scoring,
    points=points,
    objection=objection,
    max_length=MAX_LENGTH,
    elements=ELEMENTS,
    statistics=STATISTICS,
    goal=goal,
    lessons=LESSONS,
    daily=DAILY,
)
