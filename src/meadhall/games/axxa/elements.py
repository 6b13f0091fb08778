"""The elements of AxxA that reports name."""

from meadhall.games.axxa.state import ACTIONS, Act, Event
from meadhall.sdk import ActionKind, Elements, Mention, PieceKind, marked

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
