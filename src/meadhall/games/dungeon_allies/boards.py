"""The boards and the possessions of the players, as values for the page."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from meadhall.games.dungeon_allies import names
from meadhall.games.dungeon_allies.components import (
    COLOUR_NAMES,
    SKILL_NAMES,
    CrystalPoints,
    FixedPoints,
    MonsterPoints,
    Points,
    components_of,
)
from meadhall.games.dungeon_allies.names import Names
from meadhall.games.dungeon_allies.pieces import (
    COLOURS,
    DICE,
    FIGHT_DICE,
    FIRST_FOLLOWER,
    GONE,
    ITEMS,
    NONE,
    SIDES,
    SKILLS,
    SQUARES,
    TRAINER_SPACES,
    Target,
)
from meadhall.games.dungeon_allies.rules.excursion import is_doubled, is_fighting
from meadhall.games.dungeon_allies.rules.scoring import card_score, points_of
from meadhall.games.dungeon_allies.rules.sorcerer import price
from meadhall.games.dungeon_allies.rules.treasure import is_guarded
from meadhall.games.dungeon_allies.state import Event, has_seen
from meadhall.games.dungeon_allies.story import Fight, FightDie, Monster, monster_of
from meadhall.sdk import View

ROW = 4
"""Squares in a row of the dungeon."""


@dataclass(frozen=True)
class Items:
    """Counts of red, blue, yellow, green and white crystals and of gold."""

    counts: tuple[int, ...]

    @property
    def words(self) -> str:
        """Return the same in words."""
        return names.amounts(self.counts)


@dataclass(frozen=True)
class PlacedDie:
    """A die on the boards."""

    seat: int
    die: int


@dataclass(frozen=True)
class Square:
    """A square of the dungeon.

    Attributes:
        cell: where it is drawn: four to a row, every level in new rows.
        tile: whether a tile still lies there.
        monster: the tile; None if the viewer doesn't know it.
        former: the name of the monster that was there, if the square is empty.
        seen: the seats that have looked at the tile.
    """

    target: int
    name: str
    level: int
    cell: int
    tile: bool
    monster: Monster | None
    former: str
    seen: tuple[int, ...]
    dice: tuple[PlacedDie, ...]


@dataclass(frozen=True)
class TrackSpace:
    """A space of the turn order and its gift."""

    gift: Items
    die: PlacedDie | None


@dataclass(frozen=True)
class Track:
    """The turn order: its spaces, and the seats in their current order (none before it is rolled)."""

    target: int
    spaces: tuple[TrackSpace, ...]
    order: tuple[int, ...]


@dataclass(frozen=True)
class Treasure:
    """A treasure space, with its number as printed."""

    target: int
    number: int
    items: Items
    guarded: bool
    die: PlacedDie | None


@dataclass(frozen=True)
class Trainer:
    """The trainer: the dice there from the top, and the number of spaces."""

    target: int
    dice: tuple[PlacedDie, ...]
    spaces: int


@dataclass(frozen=True)
class Ally:
    """A character or a follower."""

    name: str
    skill: int
    follower: bool


@dataclass(frozen=True)
class Tavern:
    """The tavern: the follower on top, the number of followers left, and the leading bid."""

    target: int
    follower: Ally | None
    left: int
    bidder: int | None
    bid: int  # the leading bid; without a bidder, DA-19.2: the least first one
    dice: tuple[PlacedDie, ...]


@dataclass(frozen=True)
class Prisoner:
    """A prisoner with offering and reward."""

    target: int
    name: str
    offering: Items
    reward: Items
    die: PlacedDie | None


@dataclass(frozen=True)
class Market:
    """The trade table: the two sides of each line, the dice there, and the contents of the box."""

    target: int
    lines: tuple[tuple[Items, Items], ...]
    dice: tuple[PlacedDie, ...]
    box: Items


@dataclass(frozen=True)
class Value:
    """DA-13.2: One kind of points that a card scores.

    Attributes:
        subject: the weakness or colour that scores.
        per: how many of it score once.
    """

    kind: Literal["monster", "crystal", "fixed"]
    points: int
    subject: int = 0
    per: int = 1


@dataclass(frozen=True)
class Card:
    """A card.

    Attributes:
        kinds: the kinds of points that it scores.
        score: the points that the card is worth to its owner now.
    """

    name: str
    kinds: tuple[Value, ...]
    score: int = 0


@dataclass(frozen=True)
class Offer:
    """A sorcerer space."""

    target: int
    card: Card | None
    die: PlacedDie | None


@dataclass(frozen=True)
class Member:
    """An ally of a player, its die, and the name of the space on which the die lies."""

    die: int
    ally: Ally
    where: str


@dataclass(frozen=True)
class PlayerArea:
    """Everything that a player has."""

    seat: int
    items: Items
    members: tuple[Member, ...]
    cards: tuple[Card, ...]
    kept: tuple[int, ...]  # tiles by weakness
    points: int

    def member(self, die: int) -> Member | None:
        """Return the ally with this die."""
        return next((member for member in self.members if member.die == die), None)


class Boards:
    """Reader of the boards in a view."""

    def __init__(self, view: View) -> None:
        self._view = view
        self._state = view.state  # for rules
        self._known = view.plain
        self._names = Names(components_of(view.options))
        self._players = range(view.state.players)
        self._dice: defaultdict[int, list[PlacedDie]] = defaultdict(list)
        for seat in self._players:
            for die, target in enumerate(self._known.place[seat]):
                self._dice[target].append(PlacedDie(seat, die))

    def dice(self, target: int) -> tuple[PlacedDie, ...]:
        """Return the dice on a target."""
        return tuple(self._dice[target])

    def _only_die(self, target: int) -> PlacedDie | None:
        return next(iter(self._dice[target]), None)

    # ------------------------------------------------------------------------------------------------------------------ dungeon

    @cached_property
    def cells(self) -> tuple[int, ...]:
        """Return the cell of every square."""
        found: list[int] = []
        levels = self._known.level
        for square in range(SQUARES):
            begins = square > 0 and levels[square] != levels[square - 1]
            following = found[-1] + 1 if found else 0
            found.append(ROW * -(-following // ROW) if begins else following)
        return tuple(found)

    def square(self, square: int) -> Square:
        """Return a square."""
        tile, target = self._known.monster[square] != GONE, Target.SQUARE + square
        return Square(
            target=target,
            name=self._names.square(square),
            level=self._known.level[square],
            cell=self.cells[square],
            tile=tile,
            monster=self.monster(square),
            former="" if tile else self._names.monster(self._known.former[square]),
            seen=self.seen(square),
            dice=self.dice(target),
        )

    def monster(self, square: int) -> Monster | None:
        """Return the tile on a square, if the viewer knows it."""
        monster = self._known.monster[square]
        return None if monster < 0 else monster_of(self._known, self._names, monster)

    def seen(self, square: int) -> tuple[int, ...]:
        """DA-3.4: Return the seats that know the tile on a square."""
        if not self._known.seen[square]:
            return ()
        return tuple(seat for seat in self._players if has_seen(self._state, seat, square))

    def fight(self) -> Fight | None:
        """Return the current fight."""
        square = self._known.square
        monster = None if square == NONE else self.monster(square)
        if monster is None or self._view.actor is None:
            return None
        dice = tuple(self._fight_die(die) for die in range(FIGHT_DICE) if is_fighting(self._state, die))
        return Fight(self._view.actor, square, self._known.level[square], monster, dice)

    def _fight_die(self, die: int) -> FightDie:
        state = self._state
        doubled: Literal["", "skill", "bless"] = "" if not is_doubled(state, die) else "bless" if state.blessed[die] else "skill"
        return FightDie(die, int(state.rolled[die]), doubled, bool(state.extra[die]))

    # ------------------------------------------------------------------------------------------------------------------ village

    def track(self) -> Track:
        """Return the turn order."""
        spaces = tuple(map(self._track_space, self._players))
        order = (seat for seat in self._known.order if seat != NONE)
        return Track(int(Target.TURN_ORDER), spaces, tuple(order))

    def _track_space(self, space: int) -> TrackSpace:
        seat = self._known.track[space]
        die = next((die for die in self._dice[Target.TURN_ORDER] if die.seat == seat), None)
        return TrackSpace(items(self._known.track_gift[space]), die)

    def treasure(self, space: int) -> Treasure:
        """Return a treasure space."""
        target, guarded = Target.TREASURE + space, bool(is_guarded(self._state, space))
        return Treasure(target, space + 1, items(self._known.treasure[space]), guarded, self._only_die(target))

    def trainer(self) -> Trainer:
        """Return the trainer."""
        trainees = self._known.trainee[: self._known.trainees]
        dice = tuple(PlacedDie(*divmod(trainee, DICE)) for trainee in trainees)
        return Trainer(int(Target.TRAINER), dice, TRAINER_SPACES)

    def tavern(self) -> Tavern:
        """Return the tavern."""
        state = self._known
        return Tavern(
            target=int(Target.TAVERN),
            follower=self.ally(state.stack[state.followers - 1]) if state.followers else None,
            left=state.followers,
            bidder=None if state.bidder == NONE else state.bidder,
            bid=state.first_bid if state.bidder == NONE else state.bid,
            dice=self.dice(Target.TAVERN),
        )

    def prisoner(self, space: int) -> Prisoner:
        """Return a prisoner."""
        target, name = Target.PRISONER + space, self._names.prisoner(space)
        offering, reward = items(self._known.offering[space]), items(self._known.reward[space])
        return Prisoner(target, name, offering, reward, self._only_die(target))

    def market(self) -> Market:
        """Return the trade table."""
        sides = self._known.exchange
        lines = tuple((items(sides[2 * line]), items(sides[2 * line + 1])) for line in range(self._known.lines))
        return Market(int(Target.TRADE), lines, self.dice(Target.TRADE), items(self._known.box))

    def offer(self, space: int) -> Offer:
        """Return a sorcerer space."""
        target, card = Target.SORCERER + space, self._known.display[space]
        return Offer(target, None if card == NONE else self.card(card), self._only_die(target))

    def price(self) -> Items:
        """DA-11.1: Return the current price of a card."""
        colour = int(price(self._state))
        return items(int(each == colour) for each in range(COLOURS))

    # ------------------------------------------------------------------------------------------------------------------ players

    def area(self, seat: int) -> PlayerArea:
        """Return everything that a player has."""
        state = self._known
        kept = [weakness for weakness, owner in zip(state.weakness, state.owner, strict=True) if owner == seat]
        return PlayerArea(
            seat=seat,
            items=items(state.crystals[seat], state.gold[seat]),
            members=tuple(self._members(seat)),
            cards=tuple(self.card(card, seat) for card, owner in enumerate(state.card_owner) if owner == seat),
            kept=tuple(map(kept.count, range(SKILLS))),
            points=int(points_of(self._state, seat)),
        )

    def _members(self, seat: int) -> Iterable[Member]:
        for die in range(DICE):
            ally, target = self._known.ally[seat][die], self._known.place[seat][die]
            if target == Target.TRAINER and PlacedDie(seat, die) in self._trained:
                target = NONE  # the trained ally has a larger die now, and this ally joined later
            if ally != NONE:
                yield Member(die, self.ally(ally), "" if target == NONE else self._names.target(target))

    @cached_property
    def _trained(self) -> set[PlacedDie]:
        """DA-7.1: Return the dice that were replaced by larger ones at the trainer this turn."""
        found: set[PlacedDie] = set()
        for step in reversed(self._view.steps):
            if any(event.kind == Event.TURN_ENDED for event in step.events):
                break
            trained = [event.arguments for event in step.events if event.kind == Event.TRAINED]
            found |= {PlacedDie(seat, SIDES.index(sides) - 1) for seat, _ally, sides in trained}
        return found

    def ally(self, ally: int) -> Ally:
        """Return a character or a follower."""
        return Ally(self._names.ally(ally), self._known.skill[ally], ally >= FIRST_FOLLOWER)

    def card(self, card: int, owner: int = NONE) -> Card:
        """Return a card, with its score for its owner."""
        kinds = self._names.components.sorcerer_card[card].kinds
        score = 0 if owner == NONE else int(card_score(self._state, owner, card))
        return Card(self._names.card(card), tuple(map(value, kinds)), score)


def value(kind: Points) -> Value:
    """Return one kind of points of a card."""
    match kind:
        case MonsterPoints():
            return Value("monster", kind.points, SKILL_NAMES.index(kind.weakness))
        case CrystalPoints():
            return Value("crystal", kind.points, COLOUR_NAMES.index(kind.color), kind.per)
        case FixedPoints():
            return Value("fixed", kind.points)


def items(counts: Iterable[int], gold: int = 0) -> Items:
    """Return the items with these counts by colour. The gold is the last count or an argument."""
    return Items((*counts, gold)[:ITEMS])
