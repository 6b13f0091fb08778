"""The plug-in interface: what a game may use of Meadhall. Its four games use nothing else.

    from meadhall.sdk import Game, GameState, I8, Row, record, rule

The interface has a version of its own, ``VERSION``. The page *The plug-in interface* of the documentation says what it promises
and what a game must supply.
"""

from meadhall.engine.compile.rule import i64, rule, u64
from meadhall.engine.errors import BadGame, BadSetup, IllegalAction, MeadhallError, Refused
from meadhall.engine.game import GamePage, Scoring
from meadhall.engine.interface import GameRules, GameWords, HidingRules
from meadhall.engine.kind import Kind, Parties, PayoffRange
from meadhall.engine.laws.check_game import check_game
from meadhall.engine.laws.counterexample import ConformanceError
from meadhall.engine.match.deciders import (
    OfferState,
    all_seats_but,
    close_offer,
    is_among,
    is_offered,
    lowest_seat,
    make_offer,
    refuse_offer,
)
from meadhall.engine.match.match import Match
from meadhall.engine.match.places import places_by_elimination
from meadhall.engine.match.step import Result
from meadhall.engine.match.view import Seat, View, legal_actions
from meadhall.engine.options import CACHE_SIZE, Choice, Document, HouseRule, Number, Option, Origin
from meadhall.engine.registry import PlayableGame as Game, register, registered
from meadhall.engine.report_terms import CLOCKWISE, ActionKind, Bond, Ceiling, Elements, Mention, PieceKind, clockwise
from meadhall.engine.search_settings import (
    Advice,
    Solution,
    Solver,
    always_quiescent,
    equal_payoffs,
    never_solved,
    uniform_random,
)
from meadhall.engine.state.chance import below, die, draw, shuffle
from meadhall.engine.state.events import (
    HIDDEN,
    NO_LOG_SHAPE,
    PUBLIC,
    TURN,
    Argument,
    Event,
    EventKind,
    Part,
    append_argument,
    argument_at,
    arguments_at,
    emit,
    emit_private,
    event_count,
    kind_at,
    named,
    number,
    seat,
)
from meadhall.engine.state.schema import (
    I8,
    I16,
    I32,
    U8,
    U16,
    U32,
    GameState,
    Grid,
    PlainState,
    Row,
    States,
    copy_state,
    record,
    state_at,
)
from meadhall.engine.statistics import Counts, EventFigure, Rate, Spread, Statistics, Totals, event_statistics, histogram
from meadhall.engine.text.language import current_language, decimal, gettext, listed, marked, ngettext, percent
from meadhall.engine.text.lessons import Daily, Figure, Figures, Lesson, Lessons, Outcome

VERSION = (1, 1)
"""The version of the interface. The first number rises when a game must be changed, the second when something is added."""

__all__ = [
    "CACHE_SIZE",
    "CLOCKWISE",
    "HIDDEN",
    "I8",
    "I16",
    "I32",
    "NO_LOG_SHAPE",
    "PUBLIC",
    "TURN",
    "U8",
    "U16",
    "U32",
    "VERSION",
    "ActionKind",
    "Advice",
    "Argument",
    "BadGame",
    "BadSetup",
    "Bond",
    "Ceiling",
    "Choice",
    "ConformanceError",
    "Counts",
    "Daily",
    "Document",
    "Elements",
    "Event",
    "EventFigure",
    "EventKind",
    "Figure",
    "Figures",
    "Game",
    "GamePage",
    "GameRules",
    "GameState",
    "GameWords",
    "Grid",
    "HidingRules",
    "HouseRule",
    "IllegalAction",
    "Kind",
    "Lesson",
    "Lessons",
    "Match",
    "MeadhallError",
    "Mention",
    "Number",
    "OfferState",
    "Option",
    "Origin",
    "Outcome",
    "Part",
    "Parties",
    "PayoffRange",
    "PieceKind",
    "PlainState",
    "Rate",
    "Refused",
    "Result",
    "Row",
    "Scoring",
    "Seat",
    "Solution",
    "Solver",
    "Spread",
    "States",
    "Statistics",
    "Totals",
    "View",
    "all_seats_but",
    "always_quiescent",
    "append_argument",
    "argument_at",
    "arguments_at",
    "below",
    "check_game",
    "clockwise",
    "close_offer",
    "copy_state",
    "current_language",
    "decimal",
    "die",
    "draw",
    "emit",
    "emit_private",
    "equal_payoffs",
    "event_count",
    "event_statistics",
    "gettext",
    "histogram",
    "i64",
    "is_among",
    "is_offered",
    "kind_at",
    "legal_actions",
    "listed",
    "lowest_seat",
    "make_offer",
    "marked",
    "named",
    "never_solved",
    "ngettext",
    "number",
    "percent",
    "places_by_elimination",
    "record",
    "refuse_offer",
    "register",
    "registered",
    "rule",
    "seat",
    "shuffle",
    "state_at",
    "u64",
    "uniform_random",
]
