"""Step 7, trade (§Trade)."""

from __future__ import annotations

from meadhall.engine.events import emit
from meadhall.engine.rule import rule
from meadhall.engine.schema import Grid, Row
from meadhall.games.dungeon_allies.state import COLOURS, DICE, END_TRADE, ON_TRADE, TRADE, TRADES, Event, Phase, Table


@rule
def resolve_trade(table: Table) -> bool:
    """DA-10.1: visitor after visitor in turn order, as long as there is anything to exchange. True when a decision is due."""
    while table.cursor < table.players:
        seat = table.order[table.cursor]
        if is_at_trade(table, seat) and has_exchange(table, seat):
            table.actor = seat
            table.phase = Phase.TRADE
            return True
        end_visit(table)
    return False


@rule
def is_at_trade(table: Table, seat: int) -> bool:
    """DA-10.1: a second die there adds nothing."""
    for die in range(DICE):
        if table.place[seat, die] == ON_TRADE:
            return True
    return False


@rule
def end_visit(table: Table) -> None:
    """DA-10.2: the next visitor may use every line both ways again."""
    table.cursor += 1
    for line in range(TRADES):
        table.traded[line] = 0


@rule
def has_exchange(table: Table, seat: int) -> bool:
    """DA-10.1: whether there is anything to decide."""
    for line in range(TRADES):
        if can_exchange(table, seat, line, 0) or can_exchange(table, seat, line, 1):
            return True
    return False


@rule
def can_exchange(table: Table, seat: int, line: int, direction: int) -> bool:
    """DA-10.1: one side of the line in hand, and all of the other in the box. DA-10.2: not back in the same visit."""
    if table.traded[line] == 2 - direction:
        return False
    given, taken = 2 * line + direction, 2 * line + 1 - direction
    for colour in range(COLOURS):
        if table.crystals[seat, colour] < table.exchange[given, colour] or table.box[colour] < table.exchange[taken, colour]:
            return False
    return True


@rule
def list_exchanges(table: Table, out: Row) -> int:
    """DA-10.1: to be done, or any exchange."""
    out[0] = END_TRADE
    count = 1
    for line in range(TRADES):
        for direction in range(2):
            if can_exchange(table, table.actor, line, direction):
                out[count] = TRADE + 2 * line + direction
                count += 1
    return count


@rule
def exchange(table: Table, line: int, direction: int, log: Grid) -> None:
    """DA-10.1: direction 0 is from left to right."""
    given, taken = 2 * line + direction, 2 * line + 1 - direction
    for colour in range(COLOURS):
        difference = table.exchange[taken, colour] - table.exchange[given, colour]
        table.crystals[table.actor, colour] += difference
        table.box[colour] -= difference
    table.traded[line] = 1 + direction
    emit(log, Event.TRADES, table.actor, line, direction)
