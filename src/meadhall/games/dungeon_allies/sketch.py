"""The sketch for a terminal: the eight places in order, then the players."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from textwrap import wrap

from meadhall.games.dungeon_allies import names
from meadhall.games.dungeon_allies.names import STEPS, Names
from meadhall.games.dungeon_allies.pieces import (
    CARDS,
    COLOURS,
    DICE,
    DISPLAY,
    GONE,
    ITEMS,
    LEVELS,
    MONSTERS,
    NONE,
    SKILLS,
    SQUARES,
    TREASURES,
    Act,
    Target,
    parse,
)
from meadhall.games.dungeon_allies.rules import card_score, points_of
from meadhall.games.dungeon_allies.rules.market import price
from meadhall.games.dungeon_allies.rules.village import is_guarded
from meadhall.games.dungeon_allies.state import State, current_round
from meadhall.sdk import gettext as _, marked, ngettext

WIDTH = 78
GAP = "\N{NO-BREAK SPACE}"
"""Stands between words that should stay on one line."""


class Sketch:
    """A state as text. ``?`` is a tile that the viewer doesn't know, ``!`` a known one, ``·`` an empty square."""

    def __init__(self, state: State, players: Sequence[str], pieces: Names) -> None:
        self.state = state
        self.players = players
        self.pieces = pieces
        self.margin = max(len(name) for name in (*players, *(f"1 {_(place)}" for place in STEPS.values()))) + 4

    def lines(self) -> Iterator[str]:
        """Yield the lines."""
        yield self._state()
        places = (self._excursion, self._order, self._treasure, self._trainer, self._tavern, self._prisoners, self._trade)
        for step, notes in zip(STEPS, (*places, self._sorcerer), strict=True):
            yield from self._paragraph(f"{int(step)} {_(STEPS[step])}", step == self.state.step, list(notes()))
        for seat, name in enumerate(self.players):
            yield from self._paragraph(name, seat == self.state.actor, list(self._player(seat)))
        yield from self._paragraph(_("Box"), False, [names.short(self.state.box[colour] for colour in range(COLOURS))])

    def _paragraph(self, title: str, current: bool, notes: Sequence[str]) -> Iterator[str]:
        """Yield the lines of a title in the margin with its notes beside it."""
        width = WIDTH - self.margin
        text = "; ".join(note.replace(" ", GAP) if len(note) < width else note for note in notes) or "–"
        head = f"{'>' if current else ' '} {title}".ljust(self.margin)
        for k, line in enumerate(wrap(text, width, break_long_words=False)):
            yield (" " * self.margin if k else head) + line.replace(GAP, " ")

    def _state(self) -> str:
        state = self.state
        now = current_round(state)
        return _("Turn {turn}, round {round}: {removed} of {end} tiles removed").format(
            turn=state.turn, round=now, removed=state.removed, end=(state.second_round, state.third_round, MONSTERS)[now - 1]
        )

    # ------------------------------------------------------------------------------------------------------------------- places

    def _dice(self, target: int) -> str:
        """Return the dice on a target, by player."""
        state = self.state
        dice = {
            name: " ".join(names.die(die) for die in range(DICE) if state.place[seat, die] == target)
            for seat, name in enumerate(self.players)
        }
        return ", ".join(f"{name} {theirs}" for name, theirs in dice.items() if theirs)

    def _taken(self, text: str, target: int) -> str:
        """Return the text of a space with the dice on it."""
        dice = self._dice(target)
        return f"{text} ← {dice}" if dice else text

    def _excursion(self) -> Iterator[str]:
        for level in range(LEVELS):
            squares = [square for square in range(SQUARES) if self.state.level[square] == level]
            marks = "".join("·" if self._is_gone(k) else "?" if self.state.monster[k] == NONE else "!" for k in squares)
            if squares:
                yield f"{_(names.LEVELS[level])} {marks}"
        for square in range(SQUARES):
            if not self._is_gone(square) and (self.state.monster[square] != NONE or self._dice(Target.SQUARE + square)):
                yield self._taken(f"{self.pieces.square(square)}{self._monster(square)}", Target.SQUARE + square)

    def _is_gone(self, square: int) -> bool:
        return self.state.monster[square] == GONE

    def _monster(self, square: int) -> str:
        monster, level = self.state.monster[square], self.state.level[square]
        if monster == NONE:
            return ""
        return " " + _("{monster} (needs {target}, {gold} gold, weak to {skill})").format(
            monster=self.pieces.monster(monster),
            target=self.state.target[level, monster],
            gold=self.state.bounty[level, monster],
            skill=names.skill(self.state.weakness[monster]),
        )

    def _order(self) -> Iterator[str]:
        state = self.state
        if state.order[0] == NONE:
            yield _("not rolled yet")
        else:
            yield ", ".join(self.players[state.order[place]] for place in range(state.players))
        for space, printed in enumerate(self.pieces.components.turn_order_space[: state.players]):
            seat = state.track[space]
            yield f"{space + 1}: {names.short(printed.crystals.counts)}" + (f" ← {self.players[seat]}" if seat != NONE else "")

    def _treasure(self) -> Iterator[str]:
        for space in range(TREASURES):
            items = names.short(self.state.treasure[space, item] for item in range(ITEMS))
            guard = _(", guarded") if is_guarded(self.state, space) else ""
            yield self._taken(f"{space + 1}: {items}{guard}", Target.TREASURE + space)

    def _trainer(self) -> Iterator[str]:
        for space in range(self.state.trainees):
            seat, die = divmod(self.state.trainee[space], DICE)
            yield f"{space + 1}: {self.players[seat]} {names.die(die)}"

    def _tavern(self) -> Iterator[str]:
        state = self.state
        if state.followers:
            yield self._ally(state.stack[state.followers - 1])
            yield _("{count} more below").format(count=state.followers - 1)
        if state.bidder != NONE:
            yield self._taken(
                _("{name} leads with {gold} gold").format(name=self.players[state.bidder], gold=state.bid), Target.TAVERN
            )

    def _ally(self, ally: int) -> str:
        return f"{self.pieces.ally(ally)} ({names.skill(self.state.skill[ally])})"

    def _prisoners(self) -> Iterator[str]:
        for space, prisoner in enumerate(self.pieces.components.prisoner_space):
            price, reward = names.short(prisoner.offering.counts), names.short(prisoner.reward.counts)
            yield self._taken(f"{space + 1}: {price} → {reward}", Target.PRISONER + space)

    def _trade(self) -> Iterator[str]:
        for number, line in enumerate(self.pieces.components.trade, 1):
            yield f"{number}: {names.short(line.left.counts)} = {names.short(line.right.counts)}"
        if dice := self._dice(Target.TRADE):
            yield f"← {dice}"

    def _sorcerer(self) -> Iterator[str]:
        state = self.state
        yield _("price: {price}").format(price=names.amount(price(state), 1))
        for space in range(DISPLAY):
            card = state.display[space]
            if card != NONE:
                yield self._taken(f"{space + 1}: {self.pieces.card(card)} ({self.pieces.value(card)})", Target.SORCERER + space)

    # ------------------------------------------------------------------------------------------------------------------ players

    def _player(self, seat: int) -> Iterator[str]:
        state = self.state
        points = points_of(state, seat)
        yield ngettext("{points} point", "{points} points", points).format(points=points)
        yield names.short([*(state.crystals[seat, colour] for colour in range(COLOURS)), state.gold[seat]])
        for die in range(DICE):
            if state.ally[seat, die] != NONE:
                yield f"{names.die(die)} {self._ally(state.ally[seat, die])}"
        kept = [state.weakness[monster] for monster in range(MONSTERS) if state.owner[monster] == seat]
        if kept:
            tiles = ", ".join(f"{kept.count(skill)} {names.skill(skill)}" for skill in range(SKILLS) if skill in kept)
            yield _("tiles: {tiles}").format(tiles=tiles)
        for card in range(CARDS):
            if state.card_owner[card] == seat:
                yield f"{self.pieces.card(card)} {card_score(state, seat, card)}"


def sketch(state: State, players: Sequence[str], pieces: Names) -> str:
    """Return the state as text, as far as the viewer knows it."""
    return "\n".join(Sketch(state, players, pieces).lines())


VERBS = {
    Act.ILLUMINATE: marked("illuminate"),
    Act.PEEK: marked("look"),
    Act.BID: marked("bid"),
    Act.FIGHT: marked("fight"),
    Act.ROLL: marked("roll"),
    Act.HAMMER: marked("hammer"),
    Act.ENHANCE: marked("enhance"),
    Act.BLESS: marked("bless"),
    Act.ACCEPT: marked("accept"),
    Act.REROLL: marked("again"),
    Act.FOLLOWER_DIE: marked("take"),
    Act.KEEP_OFFERING: marked("keep"),
    Act.FREE: marked("free"),
    Act.END_TRADE: marked("done"),
    Act.DECLINE: marked("leave"),
    Act.BUY: marked("buy"),
}


def notation(action: int, pieces: Names) -> str:
    """Return what a person types for an action: "d6 Y3", "d4 Treasure 2", "bid 3", "bless d6"."""
    kind, argument = parse(action)
    match kind:
        case Act.ASSIGN:
            return (_("first"), _("second"))[argument]
        case Act.PLACE:
            target, die = divmod(argument, DICE)
            return f"{names.die(die)} {pieces.target(target)}"
        case Act.TRADE:
            line, direction = divmod(argument, 2)
            return (_("back") if direction else _("line")) + str(line + 1)
        case Act.BID:
            return f"{_(VERBS[kind])} {argument}"
        case Act.PEEK | Act.FIGHT:
            return f"{_(VERBS[kind])} {pieces.square(argument)}"
        case Act.ENHANCE | Act.BLESS | Act.REROLL | Act.FOLLOWER_DIE:
            return f"{_(VERBS[kind])} {names.die(argument)}"
        case _:
            return _(VERBS[kind])
