"""The elements of Viking Axes that reports name."""

from collections.abc import Mapping
from typing import Any

from meadhall.games.viking_axes.cards import card_title
from meadhall.games.viking_axes.state import KINDS, SEATS, Act, Event
from meadhall.sdk import ActionKind, Elements, EventFigure, Mention, PieceKind, event_statistics, marked


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
