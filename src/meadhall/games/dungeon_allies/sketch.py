"""Dungeon Allies drawn in a terminal: the eight places in their order, then the players."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from textwrap import wrap

from meadhall.engine.language import gettext as _
from meadhall.engine.language import ngettext
from meadhall.games.dungeon_allies import names
from meadhall.games.dungeon_allies.names import STEPS, Names
from meadhall.games.dungeon_allies.rules.scoring import points_of, worth
from meadhall.games.dungeon_allies.rules.sorcerer import price
from meadhall.games.dungeon_allies.rules.treasure import is_guarded
from meadhall.games.dungeon_allies.state import (
    CARDS,
    COLOURS,
    DICE,
    DISPLAY,
    GONE,
    ITEMS,
    LEVELS,
    MONSTERS,
    NONE,
    ON_PRISONER,
    ON_SORCERER,
    ON_SQUARE,
    ON_TAVERN,
    ON_TRADE,
    ON_TREASURE,
    ROUND_ENDS,
    SKILLS,
    SQUARES,
    TREASURES,
    Table,
    current_round,
    level_of,
)

WIDTH = 78
GAP = "\N{NO-BREAK SPACE}"
"""Between words that are to stay on one line, if they fit on one."""


class Sketch:
    """A table as text. ``?`` is a tile that the viewer doesn't know, ``!`` one that they do, ``·`` a square without one."""

    def __init__(self, table: Table, players: Sequence[str], own: Names) -> None:
        self.table = table
        self.players = players
        self.own = own
        self.margin = max(len(name) for name in (*players, *(f"1 {_(place)}" for place in STEPS.values()))) + 4

    def lines(self) -> Iterator[str]:
        """All of it."""
        yield self._state()
        places = (self._excursion, self._order, self._treasure, self._trainer, self._tavern, self._prisoners, self._trade)
        for step, notes in zip(STEPS, (*places, self._sorcerer), strict=True):
            yield from self._paragraph(f"{int(step)} {_(STEPS[step])}", step == self.table.step, list(notes()))
        for seat, name in enumerate(self.players):
            yield from self._paragraph(name, seat == self.table.actor, list(self._player(seat)))
        yield from self._paragraph(_("Box"), False, [names.short(self.table.box[colour] for colour in range(COLOURS))])

    def _paragraph(self, title: str, current: bool, notes: Sequence[str]) -> Iterator[str]:
        """A title in the margin, its notes beside it."""
        width = WIDTH - self.margin
        text = "; ".join(note.replace(" ", GAP) if len(note) < width else note for note in notes) or "–"
        head = f"{'>' if current else ' '} {title}".ljust(self.margin)
        for k, line in enumerate(wrap(text, width, break_long_words=False)):
            yield (" " * self.margin if k else head) + line.replace(GAP, " ")

    def _state(self) -> str:
        table = self.table
        now = current_round(table)
        return _("Turn {turn}, round {round}: {removed} of {end} tiles are gone").format(
            turn=table.turn, round=now, removed=table.removed, end=(*ROUND_ENDS, MONSTERS)[now - 1]
        )

    # -------------------------------------------------------------------------------------------------------------- places

    def _dice(self, target: int) -> str:
        """Whose dice lie on a target."""
        table = self.table
        dice = {
            name: " ".join(names.die(die) for die in range(DICE) if table.place[seat, die] == target)
            for seat, name in enumerate(self.players)
        }
        return ", ".join(f"{name} {own}" for name, own in dice.items() if own)

    def _taken(self, text: str, target: int) -> str:
        """A space, and whose dice lie on it."""
        dice = self._dice(target)
        return f"{text} ← {dice}" if dice else text

    def _excursion(self) -> Iterator[str]:
        for level in range(LEVELS):
            squares = [square for square in range(SQUARES) if level_of(square) == level]
            marks = "".join("·" if self._is_gone(k) else "?" if self.table.monster[k] == NONE else "!" for k in squares)
            yield f"{_(names.LEVELS[level])} {marks}"
        for square in range(SQUARES):
            if not self._is_gone(square) and (self.table.monster[square] != NONE or self._dice(ON_SQUARE + square)):
                yield self._taken(f"{names.square(square)}{self._monster(square)}", ON_SQUARE + square)

    def _is_gone(self, square: int) -> bool:
        return self.table.monster[square] == GONE

    def _monster(self, square: int) -> str:
        monster, level = self.table.monster[square], level_of(square)
        if monster == NONE:
            return ""
        return " " + _("{monster} (needs {target}, {gold} gold, {skill})").format(
            monster=self.own.monster(monster),
            target=self.table.target[level, monster],
            gold=self.table.bounty[level, monster],
            skill=names.skill(self.table.weakness[monster]),
        )

    def _order(self) -> Iterator[str]:
        table = self.table
        yield ", ".join(self.players[table.order[place]] for place in range(table.players))
        for space, printed in enumerate(self.own.components.turn_order_space[: table.players]):
            seat = table.track[space]
            yield f"{space + 1}: {names.short(printed.crystals.counts)}" + (f" ← {self.players[seat]}" if seat != NONE else "")

    def _treasure(self) -> Iterator[str]:
        for space in range(TREASURES):
            items = names.short(self.table.treasure[space, item] for item in range(ITEMS))
            guard = _(", guarded") if is_guarded(self.table, space) else ""
            yield self._taken(f"{space + 1}: {items}{guard}", ON_TREASURE + space)

    def _trainer(self) -> Iterator[str]:
        for space in range(self.table.trainees):
            seat, die = divmod(self.table.trainee[space], DICE)
            yield f"{space + 1}: {self.players[seat]} {names.die(die)}"

    def _tavern(self) -> Iterator[str]:
        table = self.table
        if table.followers:
            yield self._ally(table.stack[table.followers - 1])
            yield _("{count} below").format(count=table.followers - 1)
        if table.bidder != NONE:
            yield self._taken(
                _("{name} leads with {gold} gold").format(name=self.players[table.bidder], gold=table.bid), ON_TAVERN
            )

    def _ally(self, ally: int) -> str:
        return f"{self.own.ally(ally)} ({names.skill(self.table.skill[ally])})"

    def _prisoners(self) -> Iterator[str]:
        for space, prisoner in enumerate(self.own.components.prisoner_space):
            price, reward = names.short(prisoner.offering.counts), names.short(prisoner.reward.counts)
            yield self._taken(f"{space + 1}: {price} → {reward}", ON_PRISONER + space)

    def _trade(self) -> Iterator[str]:
        for number, line in enumerate(self.own.components.trade, 1):
            yield f"{number}: {names.short(line.left.counts)} = {names.short(line.right.counts)}"
        if dice := self._dice(ON_TRADE):
            yield f"← {dice}"

    def _sorcerer(self) -> Iterator[str]:
        table = self.table
        yield _("for {price}").format(price=names.amount(price(table), 1))
        for space in range(DISPLAY):
            card = table.display[space]
            if card != NONE:
                yield self._taken(f"{space + 1}: {self.own.card(card)} ({self.own.value(card)})", ON_SORCERER + space)

    # ------------------------------------------------------------------------------------------------------------- players

    def _player(self, seat: int) -> Iterator[str]:
        table = self.table
        points = points_of(table, seat)
        yield ngettext("{points} point", "{points} points", points).format(points=points)
        yield names.short([*(table.crystals[seat, colour] for colour in range(COLOURS)), table.gold[seat]])
        for die in range(DICE):
            if table.ally[seat, die] != NONE:
                yield f"{names.die(die)} {self._ally(table.ally[seat, die])}"
        kept = [table.weakness[monster] for monster in range(MONSTERS) if table.owner[monster] == seat]
        if kept:
            tiles = ", ".join(f"{kept.count(skill)} {names.skill(skill)}" for skill in range(SKILLS) if skill in kept)
            yield _("tiles: {tiles}").format(tiles=tiles)
        for card in range(CARDS):
            if table.card_owner[card] == seat:
                yield f"{self.own.card(card)} {worth(table, seat, card)}"


def sketch(table: Table, players: Sequence[str], own: Names) -> str:
    """The table as its viewer sees it."""
    return "\n".join(Sketch(table, players, own).lines())
