"""Events of Dungeon Allies: their form in records, and their text in the log."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from meadhall.games.dungeon_allies import names
from meadhall.games.dungeon_allies.components import ITEM_NAMES, Components
from meadhall.games.dungeon_allies.names import Names
from meadhall.games.dungeon_allies.pieces import SPOTS, Spot
from meadhall.games.dungeon_allies.state import Event
from meadhall.sdk import Argument, Event as GameEvent, EventKind, Part, gettext as _, listed, marked, named, number, seat

PLACES = ("square", "turn_order", "treasure", "trainer", "tavern", "prisoner", "trade", "sorcerer")
"""The names of the eight places in records."""


@dataclass(frozen=True)
class Translated:
    """An argument whose text in the log differs from its form in records."""

    recorded: Argument
    text: Callable[[Any], str]

    def __call__(self, value: int) -> Any:
        return self.recorded(value)


def from_list(recorded: Sequence[str], text: Callable[[int], str]) -> Translated:
    """Return an argument that records write as an entry of a list. ``text`` gives the text for the entry's index."""
    return Translated(named(*recorded), lambda name: text(recorded.index(name)))


def recorded_spots() -> list[str]:
    """Return the spots as records write them: ``square:3``, ``turn_order:1``, ``tavern``.

    Squares count from 0, other spaces from 1.
    """
    found = [f"{PLACES[0]}:{square}" for square in range(Spot.SQUARE, Spot.TURN_ORDER)]
    firsts = (*Spot, SPOTS)
    for place, first, end in zip(PLACES[1:], firsts[1:-1], firsts[2:], strict=True):
        found += [place] if end - first == 1 else [f"{place}:{space}" for space in range(1, end - first + 1)]
    return found


die = Translated(number, names.sided)
item = from_list(ITEM_NAMES, lambda item: names.amount(item, 1))


def events_of(components: Components) -> dict[int, EventKind]:
    """Return every kind of event, with the pieces of these components."""
    pieces = Names(components)
    square = Translated(number, pieces.square)
    spot = from_list(recorded_spots(), pieces.spot)
    ally = from_list([ally.id for ally in components.allies], pieces.ally)
    monster = from_list([monster.id for monster in components.monster], pieces.monster)
    card = from_list([card.id for card in components.sorcerer_card], pieces.card)
    return {
        Event.TILE: EventKind("tile", (square, monster), "DA-2.4", marked("{0}: {1}"), fields=("square", "monster")),
        Event.CHARACTER: EventKind(
            "character",
            (seat, ally),
            "DA-2.1",
            marked("{0} is dealt {1}"),
            you=(marked("You are dealt {1}"),),
            fields=("seat", "character"),
        ),
        Event.PERCENTILE: EventKind(
            "percentile",
            (seat, number),
            "DA-2.5",
            marked("{0} rolls {1} for the turn order"),
            you=(marked("You roll {1} for the turn order"),),
            fields=("seat", "roll"),
        ),
        Event.ORDER: EventKind(
            "order",
            (seat,),
            "DA-5.1",
            marked("Turn order: {0}"),
            rest=seat,
            brief=(marked("turn order {0}"),),
            fields=("*seats",),
        ),
        Event.CARD_SHOWN: EventKind(
            "card_shown", (number, card), "DA-11.3", marked("New card on sorcerer space {0}: {1}"), fields=("space", "card")
        ),
        Event.FOLLOWER_TOP: EventKind(
            "follower_top", (ally,), "DA-2.2", marked("Waiting in the tavern: {0}"), fields=("follower",)
        ),
        Event.TREASURE: EventKind(
            "treasure",
            (number, item),
            "DA-12.2",
            marked("Treasure {0} gets {1}"),
            turn=(marked("The treasures are filled"),),
            joins=("treasure",),
            fields=("space", "item"),
        ),
        Event.ASSIGNED: EventKind(
            "assigned",
            (seat, ally, die),
            "DA-2.3",
            marked("{0} gives the {2} to {1}"),
            you=(marked("You give the {2} to {1}"),),
            turn=(),
            fields=("seat", "ally", "die"),
        ),
        Event.PLACED: EventKind(
            "placed",
            (seat, die, spot),
            "DA-3.2",
            marked("{0} places the {1}: {2}"),
            you=(marked("You place the {1}: {2}"),),
            turn=(),
            joins=("peeked",),
            fields=("seat", "die", "spot"),
        ),
        Event.BID: EventKind(
            "bid",
            (seat, number),
            "DA-8.1",
            marked("{0} bids {1} gold"),
            you=(marked("You bid {1} gold"),),
            turn=(),
            brief=(marked("{1} gold bid"),),
            joins=("placed",),
            fields=("seat", "gold"),
        ),
        Event.ILLUMINATES: EventKind(
            "illuminates", (seat,), "DA-3.4", marked("{0} casts Illuminate"), you=(marked("You cast Illuminate"),), turn=()
        ),
        Event.PEEKED: EventKind(
            "peeked",
            (seat, square),
            "DA-3.4",
            marked("{0} looks at the tile on {1}"),
            you=(marked("You look at the tile on {1}"),),
            brief=(marked("{1} looked at"),),
            fields=("seat", "square"),
        ),
        Event.PEEK_FACE: EventKind(
            "peek_face", (seat, square, monster), "DA-3.4", marked("Tile on {1}: {2}"), fields=("seat", "square", "monster")
        ),
        Event.FIGHTS: EventKind(
            "fights",
            (seat, square),
            "DA-4.2",
            marked("{0} fights on {1}"),
            you=(marked("You fight on {1}"),),
            turn=(),
            fields=("seat", "square"),
        ),
        Event.REVEALED: EventKind(
            "revealed", (square, monster), "DA-4.3", marked("Revealed on {0}: {1}"), brief=("{1}",), fields=("square", "monster")
        ),
        Event.ENHANCES: EventKind(
            "enhances",
            (seat, die),
            "DA-4.5",
            marked("{0} casts Enhance: a {1} joins the fight"),
            you=(marked("You cast Enhance: a {1} joins the fight"),),
            brief=(marked("a {1} added"),),
            fields=("seat", "die"),
        ),
        Event.BLESSES: EventKind(
            "blesses",
            (seat, die),
            "DA-4.5",
            marked("{0} casts Bless: the {1} counts double"),
            you=(marked("You cast Bless: the {1} counts double"),),
            brief=(marked("the {1} blessed"),),
            fields=("seat", "die"),
        ),
        Event.ROLLED: EventKind(
            "rolled",
            (seat, die, number, number),
            "DA-4.4",
            marked("{0} rolls the {1}: {2}"),
            you=(marked("You roll the {1}: {2}"),),
            fields=("seat", "die", "roll", "counted"),
        ),
        Event.REROLLED: EventKind(
            "rerolled",
            (seat, die, number, number),
            "DA-4.6",
            marked("{0} re-rolls the {1}: {2}"),
            you=(marked("You re-roll the {1}: {2}"),),
            fields=("seat", "die", "roll", "counted"),
        ),
        Event.TOTAL: EventKind(
            "total",
            (seat, number, number),
            "DA-4.4",
            marked("Total {1}, {2} needed"),
            brief=(marked("{1} of {2}"),),
            fields=("seat", "total", "target"),
        ),
        Event.HAMMERS: EventKind(
            "hammers",
            (seat, square),
            "DA-4.5",
            marked("{0} calls the Hammer of the Gods down on {1}"),
            you=(marked("You call the Hammer of the Gods down on {1}"),),
            brief=(marked("Hammer of the Gods"),),
            fields=("seat", "square"),
        ),
        Event.DEFEATS: EventKind(
            "defeats",
            (seat, square, number),
            "DA-4.7",
            marked("{0} wins on {1} and gains {2} gold"),
            you=(marked("You win on {1} and gain {2} gold"),),
            brief=(marked("won, {2} gold"),),
            fields=("seat", "square", "gold"),
        ),
        Event.FAILS: EventKind(
            "fails",
            (seat, square),
            "DA-4.7",
            marked("{0} loses on {1}; the tile is out of the game"),
            you=(marked("You lose on {1}; the tile is out of the game"),),
            brief=(marked("lost"),),
            fields=("seat", "square"),
        ),
        Event.ROUND: EventKind("round", (number,), "DA-12.1", marked("Round {0} begins"), turn=(), fields=("round",)),
        Event.GAINS: EventKind(
            "gains",
            (seat, item, number),
            "DA-1.6",
            marked("{0} gains {1}"),
            you=(marked("You gain {1}"),),
            turn=(),
            brief=(marked("{1} gained"),),
            joins=("loots", "frees", "buys", "gains", "pays"),
            fields=("seat", "item", "count"),
        ),
        Event.PAYS: EventKind(
            "pays",
            (seat, item, number),
            "DA-1.6",
            marked("{0} pays {1}"),
            you=(marked("You pay {1}"),),
            turn=(),
            brief=(marked("{1} paid"),),
            joins=("loots", "frees", "buys", "gains", "pays"),
            fields=("seat", "item", "count"),
        ),
        Event.LOOTS: EventKind(
            "loots",
            (seat, number),
            "DA-6.2",
            marked("{0} takes everything from treasure {1}"),
            you=(marked("You take everything from treasure {1}"),),
            turn=(),
            fields=("seat", "space"),
        ),
        Event.GUARDED: EventKind(
            "guarded",
            (seat, number),
            "DA-6.2",
            marked("{0} won no fight this turn, so treasure {1} stays guarded"),
            you=(marked("You won no fight this turn, so treasure {1} stays guarded"),),
            turn=(),
            fields=("seat", "space"),
        ),
        Event.TRAINED: EventKind(
            "trained",
            (seat, ally, die),
            "DA-7.1",
            marked("{1} trains for {0} and now has the {2}"),
            you=(marked("{1} trains for you and now has the {2}"),),
            turn=(),
            fields=("seat", "ally", "die"),
        ),
        Event.TRAINING_FORFEIT: EventKind(
            "training_forfeit",
            (seat, ally),
            "DA-7.1",
            marked("Training fails for {1}: another of {0}'s allies already has that die"),
            you=(marked("Training fails for {1}: another of your allies already has that die"),),
            turn=(),
            fields=("seat", "ally"),
        ),
        Event.FOLLOWER_JOINS: EventKind(
            "follower_joins",
            (seat, ally, die),
            "DA-8.3",
            marked("{1} joins {0} with the {2}"),
            you=(marked("{1} joins you with the {2}"),),
            turn=(),
            fields=("seat", "follower", "die"),
        ),
        Event.TAVERN_FORFEIT: EventKind(
            "tavern_forfeit",
            (seat,),
            "DA-8.4",
            marked("No follower joins {0}: no smaller die is free"),
            you=(marked("No follower joins you: no smaller die is free"),),
            turn=(),
        ),
        Event.FREES: EventKind(
            "frees",
            (seat, number),
            "DA-9.1",
            marked("{0} frees prisoner {1}"),
            you=(marked("You free prisoner {1}"),),
            turn=(),
            fields=("seat", "prisoner"),
        ),
        Event.PRISONER_FORFEIT: EventKind(
            "prisoner_forfeit",
            (seat, number),
            "DA-9.1",
            marked("{0} can't pay the offering for prisoner {1}"),
            you=(marked("You can't pay the offering for prisoner {1}"),),
            turn=(),
            fields=("seat", "prisoner"),
        ),
        Event.PRISONER_DECLINED: EventKind(
            "prisoner_declined",
            (seat, number),
            "DA-9.1",
            marked("{0} doesn't free prisoner {1}"),
            you=(marked("You don't free prisoner {1}"),),
            turn=(),
            fields=("seat", "prisoner"),
        ),
        Event.TRADES: EventKind(
            "trades",
            (seat, number, number),
            "DA-10.1",
            marked("{0} trades {1} for {2}"),
            you=(marked("You trade {1} for {2}"),),
            turn=(),
            fields=("seat", "line", "way"),
        ),
        Event.BUYS: EventKind(
            "buys",
            (seat, card),
            "DA-11.2",
            marked("{0} buys {1}"),
            you=(marked("You buy {1}"),),
            turn=(),
            fields=("seat", "card"),
        ),
        Event.DECLINES: EventKind(
            "declines",
            (seat, card),
            "DA-11.1",
            marked("{0} doesn't buy {1}"),
            you=(marked("You don't buy {1}"),),
            turn=(),
            fields=("seat", "card"),
        ),
        Event.CANNOT_PAY: EventKind(
            "cannot_pay",
            (seat, card),
            "DA-11.1",
            marked("{0} can't pay for {1}"),
            you=(marked("You can't pay for {1}"),),
            turn=(),
            fields=("seat", "card"),
        ),
        Event.TURN_ENDED: EventKind(
            "turn_ended",
            (number,),
            "DA-12.2",
            marked("Turn {0} ends"),
            turn=(),
            brief=(marked("turn {0} ends"),),
            joins=("treasure",),
            fields=("turn",),
        ),
        Event.SCORE: EventKind(
            "score",
            (seat, number, number, number),
            "DA-13.2",
            marked("{0}: {1} gold + {2} from cards = {3} points"),
            you=(marked("You: {1} gold + {2} from cards = {3} points"),),
            turn=(),
            fields=("seat", "gold", "cards", "points"),
        ),
        Event.WON: EventKind(
            "won", (seat,), "DA-13.4", marked("{0} wins"), rest=seat, you=(marked("You win"),), turn=(), fields=("*winners",)
        ),
    }


VARIANTS = {
    marked("{0} bids {1} gold"): marked("{0} opens the bidding at 0 gold"),
    marked("You bid {1} gold"): marked("You open the bidding at 0 gold"),
    marked("{1} gold bid"): marked("the bidding opens at 0 gold"),
    marked("{0} rolls the {1}: {2}"): marked("{0} rolls the {1}: {2}, doubled to {3}"),
    marked("You roll the {1}: {2}"): marked("You roll the {1}: {2}, doubled to {3}"),
    marked("{0} re-rolls the {1}: {2}"): marked("{0} re-rolls the {1}: {2}, doubled to {3}"),
    marked("You re-roll the {1}: {2}"): marked("You re-roll the {1}: {2}, doubled to {3}"),
    marked("{0} wins"): marked("A draw between {0}"),
    marked("You win"): marked("A draw between you and {0}"),
}
"""Texts of special cases by the usual text: a bid of nothing, a doubled die, several winners."""


def tell(event: GameEvent, kind: EventKind, players: Sequence[str], pieces: Names, viewer: int, part: Part) -> str:
    """Return the text of an event in the current language. It calls seat ``viewer`` "you"."""
    message = kind.message(event.arguments, viewer, part)
    if not message:
        return ""
    values = [_text(kind.argument(k), value, players) for k, value in enumerate(event.arguments)]
    if event.kind == Event.ORDER:
        values = [", ".join(_("you") if seat == viewer else players[seat] for seat in event.arguments)]
    elif event.kind == Event.WON and len(values) > 1:
        values[0] = listed([name for seat, name in zip(event.arguments, values, strict=True) if seat != viewer])
    elif event.kind in (Event.GAINS, Event.PAYS):
        values[1] = names.amount(ITEM_NAMES.index(event.arguments[1]), event.arguments[2])
    elif event.kind == Event.TRADES:
        values[1:] = pieces.exchange(*event.arguments[1:])
    return _(VARIANTS.get(message, message) if _is_variant(event) else message).format(*values)


def _text(argument: Argument, value: Any, players: Sequence[str]) -> Any:
    if argument is seat:
        return players[value]
    return argument.text(value) if isinstance(argument, Translated) else value


def _is_variant(event: GameEvent) -> bool:
    if event.kind == Event.BID:
        return not event.arguments[1]
    if event.kind in (Event.ROLLED, Event.REROLLED):
        return bool(event.arguments[3] != event.arguments[2])
    return event.kind == Event.WON and len(event.arguments) > 1
