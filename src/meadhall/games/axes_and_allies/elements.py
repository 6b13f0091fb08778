"""The elements of Axes and Allies that reports name."""

from meadhall.games.axes_and_allies.rules import ALLY, ATTACK, SEATS, Event
from meadhall.sdk import ActionKind, Elements, EventFigure, Mention, event_statistics, marked

ELEMENTS = Elements(
    actions=(
        ActionKind("attack", marked("attack"), range(ATTACK, ATTACK + SEATS)),
        ActionKind("ally", marked("ally"), range(ALLY, ALLY + SEATS)),
    ),
    first_order=Event.FIRST,
    turn=Event.POWER,
    out=Mention(Event.KILLED, 1),
    attacks=Mention(Event.ATTACK, 1),
)

STATISTICS = event_statistics(
    EventFigure("attacks", marked("attacks"), Event.ATTACK),
    EventFigure("hit_rate", marked("attacks that kill"), Event.KILLED, per=(Event.ATTACK_ROLL,)),
    EventFigure("alliances", marked("alliances"), Event.ALLIED),
    EventFigure("ones", marked("ones that end all alliances"), Event.VOIDED),
    EventFigure("limited", marked("turns among allies alone"), Event.LIMITED),
)
