"""The elements of Dungeon Allies that reports name."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from meadhall.games.dungeon_allies.actions import Act
from meadhall.games.dungeon_allies.components import Components, components_of
from meadhall.games.dungeon_allies.names import Names
from meadhall.games.dungeon_allies.pieces import ALLIES, CHARACTERS, DICE, SQUARES, TARGETS, TREASURES, Target
from meadhall.games.dungeon_allies.state import Event
from meadhall.sdk import ActionKind, Elements, Mention, PieceKind, marked


def _placing(name: str, text: str, first: int, end: int) -> ActionKind:
    return ActionKind(name, text, range(Act.PLACE + DICE * first, Act.PLACE + DICE * end))


def _acting(name: str, text: str, act: Act) -> ActionKind:
    return ActionKind(name, text, range(act + act.arguments.start, act + act.arguments.stop))


def _named(word: Callable[[Names, int], str]) -> Callable[[Mapping[str, Any], int], str]:
    return lambda options, number: word(Names(components_of(options)), number)


def _all(numbers: Callable[[Components], Iterable[int]]) -> Callable[[Mapping[str, Any]], Iterable[int]]:
    return lambda options: numbers(components_of(options))


def _line(names: Names, line: int) -> str:
    return " \N{LEFT RIGHT ARROW} ".join(names.exchange(line, 0))


ELEMENTS = Elements(
    actions=(
        _placing("place_excursion", marked("die on an excursion"), Target.SQUARE, Target.TURN_ORDER),
        _placing("place_turn_order", marked("die on the turn order"), Target.TURN_ORDER, Target.TREASURE),
        _placing("place_treasure", marked("die on a treasure"), Target.TREASURE, Target.TRAINER),
        _placing("place_trainer", marked("die at the trainer"), Target.TRAINER, Target.TAVERN),
        _placing("place_tavern", marked("die in the tavern"), Target.TAVERN, Target.PRISONER),
        _placing("place_prisoner", marked("die on a prisoner"), Target.PRISONER, Target.TRADE),
        _placing("place_trade", marked("die on the trade table"), Target.TRADE, Target.SORCERER),
        _placing("place_sorcerer", marked("die at the sorcerer"), Target.SORCERER, TARGETS),
        _acting("assign", marked("give the first dice"), Act.ASSIGN),
        _acting("illuminate", marked("cast Illuminate"), Act.ILLUMINATE),
        _acting("peek", marked("look at a tile"), Act.PEEK),
        _acting("bid", marked("bid for a follower"), Act.BID),
        _acting("fight", marked("choose the next fight"), Act.FIGHT),
        _acting("roll", marked("roll without a spell"), Act.ROLL),
        _acting("hammer", marked("call the Hammer"), Act.HAMMER),
        _acting("enhance", marked("cast Enhance"), Act.ENHANCE),
        _acting("bless", marked("cast Bless"), Act.BLESS),
        _acting("accept", marked("accept a roll"), Act.ACCEPT),
        _acting("reroll", marked("re-roll a die"), Act.REROLL),
        _acting("follower_die", marked("choose the follower's die"), Act.FOLLOWER_DIE),
        _acting("keep_offering", marked("leave a prisoner"), Act.KEEP_OFFERING),
        _acting("free", marked("free a prisoner"), Act.FREE),
        _acting("end_trade", marked("end the trade"), Act.END_TRADE),
        _acting("trade", marked("trade"), Act.TRADE),
        _acting("decline", marked("decline a card"), Act.DECLINE),
        _acting("buy", marked("buy a card"), Act.BUY),
    ),
    pieces=(
        PieceKind("character", marked("character"), Mention(Event.CHARACTER, 1), word=_named(Names.ally)),
        PieceKind(
            "card",
            marked("sorcerer card"),
            Mention(Event.BUYS, 1),
            shown=Mention(Event.CARD_SHOWN, 1, seat=-1),
            word=_named(Names.card),
            numbers=_all(lambda components: range(len(components.sorcerer_card))),
        ),
        PieceKind(
            "follower",
            marked("follower"),
            Mention(Event.FOLLOWER_JOINS, 1),
            shown=Mention(Event.FOLLOWER_TOP, 0, seat=-1),
            word=_named(Names.ally),
            numbers=_all(lambda _components: range(CHARACTERS, ALLIES)),
        ),
        PieceKind(
            "prisoner",
            marked("prisoner"),
            Mention(Event.FREES, 1),
            word=_named(lambda names, space: names.prisoner(space - 1)),
            numbers=_all(lambda components: range(1, len(components.prisoner_space) + 1)),
        ),
        PieceKind(
            "treasure",
            marked("treasure space"),
            Mention(Event.LOOTS, 1),
            numbers=_all(lambda _components: range(1, TREASURES + 1)),
        ),
        PieceKind(
            "trade",
            marked("line of the trade table"),
            Mention(Event.TRADES, 1),
            word=_named(_line),
            numbers=_all(lambda components: range(len(components.trade))),
        ),
        PieceKind(
            "monster",
            marked("monster"),
            Mention(Event.DEFEATS, 1),
            placed=Mention(Event.TILE, 1),
            shown=Mention(Event.REVEALED, 1, seat=-1),
            word=_named(Names.monster),
            numbers=_all(lambda components: range(len(components.monster))),
        ),
        PieceKind(
            "square",
            marked("square of a monster"),
            Mention(Event.DEFEATS, 1),
            word=_named(Names.square),
            numbers=_all(lambda _components: range(SQUARES)),
        ),
    ),
    first_order=Event.ORDER,
    turn=Event.TURN_ENDED,
)
