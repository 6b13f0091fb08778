"""The elements of AxxA that reports name."""

from collections.abc import Sequence
from itertools import zip_longest

from meadhall.games.axxa.state import ACTIONS, NUMBERS, Act, Event, side_of
from meadhall.sdk import ActionKind, Elements, EventFigure, Mention, PieceKind, clockwise, event_statistics, marked


def alternating(first: int, players: int) -> Sequence[int]:
    """AX-7.1: The two sides take turns, and within a side its seats."""
    seats = clockwise(first, players)
    own, others = ([seat for seat in seats if (side_of(seat) == side_of(first)) is mine] for mine in (True, False))
    return [seat for turn in zip_longest(own, others) for seat in turn if seat is not None]


ELEMENTS = Elements(
    actions=(
        ActionKind("move", marked("move a stack"), range(Act.MOVE, Act.LEAVE)),
        ActionKind("leave", marked("leave the stack as it is"), range(Act.LEAVE, Act.TURN)),
        ActionKind("turn", marked("turn the stack over"), range(Act.TURN, Act.REMOVE)),
        ActionKind("remove", marked("remove a triplet"), range(Act.REMOVE, Act.PAY)),
        ActionKind("pay", marked("pay a piece"), range(Act.PAY, ACTIONS)),
    ),
    pieces=(PieceKind("triplet", marked("triplet"), Mention(Event.REMOVED, 1), numbers=lambda _options: range(1, NUMBERS + 1)),),
    first_order=Event.STARTS,
    first_turns=alternating,
    turn=Event.MOVED,
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
