"""The elements of Axes and Allies that reports name."""

from meadhall.games.axes_and_allies.rules import ALLY, ATTACK, SEATS, Event
from meadhall.sdk import ActionKind, Elements, Mention, marked

ELEMENTS = Elements(
    actions=(
        ActionKind("attack", marked("attack"), range(ATTACK, ATTACK + SEATS)),
        ActionKind("ally", marked("ally"), range(ALLY, ALLY + SEATS)),
    ),
    out=Mention(Event.KILLED, 1),
    attacks=Mention(Event.ATTACK, 1),
)
