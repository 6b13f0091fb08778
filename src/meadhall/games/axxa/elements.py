"""The elements of AxxA that reports name."""

from meadhall.games.axxa.state import ACTIONS, Act, Event
from meadhall.sdk import ActionKind, Elements, EventFigure, Mention, PieceKind, event_statistics, marked

ELEMENTS = Elements(
    actions=(
        ActionKind("move", marked("move a stack"), range(Act.MOVE, Act.LEAVE)),
        ActionKind("leave", marked("leave the stack as it is"), range(Act.LEAVE, Act.TURN)),
        ActionKind("turn", marked("turn the stack over"), range(Act.TURN, Act.REMOVE)),
        ActionKind("remove", marked("remove a triplet"), range(Act.REMOVE, Act.PAY)),
        ActionKind("pay", marked("pay a piece"), range(Act.PAY, ACTIONS)),
    ),
    pieces=(PieceKind("triplet", marked("triplet"), Mention(Event.REMOVED, 1)),),
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
