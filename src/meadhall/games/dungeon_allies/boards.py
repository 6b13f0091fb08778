"""What lies on the boards of Dungeon Allies and belongs to its players, as values for the page."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from meadhall.engine.view import View
from meadhall.games.dungeon_allies import names
from meadhall.games.dungeon_allies.components import components_of
from meadhall.games.dungeon_allies.names import Names
from meadhall.games.dungeon_allies.rules.excursion import is_doubled, is_fighting
from meadhall.games.dungeon_allies.rules.scoring import points_of, worth
from meadhall.games.dungeon_allies.rules.sorcerer import price
from meadhall.games.dungeon_allies.rules.treasure import is_guarded
from meadhall.games.dungeon_allies.state import (
    CARDS,
    COLOURS,
    DICE,
    FIRST_FOLLOWER,
    ITEMS,
    MONSTERS,
    NONE,
    ON_PRISONER,
    ON_SORCERER,
    ON_SQUARE,
    ON_TAVERN,
    ON_TRACK,
    ON_TRAINER,
    ON_TREASURE,
    SIDES,
    SKILLS,
    TRADES,
    CardKind,
    Event,
    has_seen,
    has_tile,
    level_of,
)
from meadhall.games.dungeon_allies.story import Fight, Monster, Thrown, monster_of


@dataclass(frozen=True)
class Items:
    """How many of each: red, blue, yellow, green and white crystals, then gold; and in words."""

    counts: tuple[int, ...]
    words: str


@dataclass(frozen=True)
class Die:
    """A die on the boards."""

    seat: int
    die: int


@dataclass(frozen=True)
class Square:
    """A square of the dungeon. ``monster``: None where its tile is not known; ``former``: who was there, when it is gone.
    ``seen``: who has looked.
    """

    square: int
    name: str
    level: int
    tile: bool
    monster: Monster | None
    former: str
    seen: tuple[int, ...]
    dice: tuple[Die, ...]


@dataclass(frozen=True)
class TrackSpace:
    """A space of the turn order, and what it gives."""

    gift: Items
    die: Die | None


@dataclass(frozen=True)
class Treasure:
    """What lies on a treasure space."""

    items: Items
    guarded: bool
    die: Die | None


@dataclass(frozen=True)
class Ally:
    """A character or a follower."""

    name: str
    skill: int
    follower: bool


@dataclass(frozen=True)
class Tavern:
    """Who waits in the tavern, how many more do, and how the bidding stands."""

    follower: Ally | None
    left: int
    bidder: int | None
    bid: int
    dice: tuple[Die, ...]


@dataclass(frozen=True)
class Prisoner:
    """Who is held, what is asked and what is given for it."""

    name: str
    offering: Items
    reward: Items
    die: Die | None


@dataclass(frozen=True)
class Card:
    """A card: what it gives points for, ``per`` how many of it; and what it is worth now to who has it."""

    name: str
    kind: Literal["monster", "crystal", "fixed"]
    subject: int
    per: int
    points: int
    worth: int = 0


@dataclass(frozen=True)
class Offer:
    """A space of the sorcerer's."""

    card: Card | None
    die: Die | None


@dataclass(frozen=True)
class Member:
    """An ally of a player and its die; ``where``: the place on which that lies."""

    die: int
    ally: Ally
    where: str


@dataclass(frozen=True)
class Corner:
    """All that a player has."""

    seat: int
    items: Items
    members: tuple[Member, ...]
    cards: tuple[Card, ...]
    kept: tuple[int, ...]  # tiles by weakness
    points: int


class Boards:
    """Reads the boards of a view."""

    def __init__(self, view: View) -> None:
        self._view = view
        self._state: Any = view.state
        self._names = Names(components_of(view.options))
        self._players = range(view.state.players)
        self._lying: defaultdict[int, list[Die]] = defaultdict(list)
        for seat, targets in enumerate(self._state.place[: view.state.players].tolist()):
            for die, target in enumerate(targets):
                self._lying[target].append(Die(seat, die))

    def dice(self, target: int) -> tuple[Die, ...]:
        """The dice that lie on a target."""
        return tuple(self._lying[target])

    def _only(self, target: int) -> Die | None:
        return next(iter(self._lying[target]), None)

    # ---------------------------------------------------------------------------------------------------------- the dungeon

    def square(self, square: int) -> Square:
        """A square, and what is known of its tile."""
        tile = bool(has_tile(self._state, square))
        return Square(
            square=square,
            name=names.square(square),
            level=level_of(square),
            tile=tile,
            monster=self.monster(square),
            former="" if tile else self._names.monster(self._state.former[square]),
            seen=self.seen(square),
            dice=self.dice(ON_SQUARE + square),
        )

    def monster(self, square: int) -> Monster | None:
        """The tile on a square, if it is known."""
        monster = int(self._state.monster[square])
        return None if monster < 0 else monster_of(self._state, self._names, monster)

    def seen(self, square: int) -> tuple[int, ...]:
        """DA-3.4: who knows the tile on a square."""
        if not self._state.seen[square]:
            return ()
        return tuple(seat for seat in self._players if has_seen(self._state, seat, square))

    def fight(self) -> Fight | None:
        """The fight that goes on."""
        square = int(self._state.square)
        monster = None if square == NONE else self.monster(square)
        if monster is None or self._view.actor is None:
            return None
        last = self._view.steps[-1].events if self._view.steps else ()
        rolls = [event.arguments[1] for event in last if event.kind in (Event.ROLLED, Event.REROLLED)]
        dice = tuple(self._thrown(die, SIDES[die] in rolls) for die in range(DICE) if is_fighting(self._state, die))
        return Fight(self._view.actor, square, level_of(square), monster, dice)

    def _thrown(self, die: int, fresh: bool) -> Thrown:
        state = self._state
        doubled: Literal["", "skill", "bless"] = "" if not is_doubled(state, die) else "bless" if state.blessed[die] else "skill"
        return Thrown(die, int(state.rolled[die]), doubled, bool(state.extra[die]), fresh)

    # ------------------------------------------------------------------------------------------------------- along the road

    def track(self, space: int) -> TrackSpace:
        """A space of the turn order."""
        seat = self._state.track[space]
        die = next((die for die in self._lying[ON_TRACK] if die.seat == seat), None)
        return TrackSpace(items(self._state.track_gift[space]), die)

    def treasure(self, space: int) -> Treasure:
        """A treasure space."""
        guarded = bool(is_guarded(self._state, space))
        return Treasure(items(self._state.treasure[space]), guarded, self._only(ON_TREASURE + space))

    def trainees(self) -> tuple[Die, ...]:
        """The dice at the trainer, from the top."""
        return tuple(Die(*divmod(int(trainee), DICE)) for trainee in self._state.trainee[: self._state.trainees])

    def tavern(self) -> Tavern:
        """The tavern."""
        state = self._state
        return Tavern(
            follower=self.ally(state.stack[state.followers - 1]) if state.followers else None,
            left=int(state.followers),
            bidder=None if state.bidder == NONE else int(state.bidder),
            bid=int(state.bid),
            dice=self.dice(ON_TAVERN),
        )

    def prisoner(self, space: int) -> Prisoner:
        """A prisoner."""
        offering, reward = items(self._state.offering[space]), items(self._state.reward[space])
        return Prisoner(self._names.prisoner(space), offering, reward, self._only(ON_PRISONER + space))

    def exchanges(self) -> tuple[tuple[Items, Items], ...]:
        """The lines of the trade table."""
        sides = [items(side) for side in self._state.exchange]
        return tuple((sides[2 * line], sides[2 * line + 1]) for line in range(TRADES))

    def offer(self, space: int) -> Offer:
        """A card on show."""
        card = int(self._state.display[space])
        return Offer(None if card == NONE else self.card(card), self._only(ON_SORCERER + space))

    def price(self) -> Items:
        """DA-11.1: of a card, now."""
        colour = int(price(self._state))
        return items(int(each == colour) for each in range(COLOURS))

    # ------------------------------------------------------------------------------------------------------------- players

    def corner(self, seat: int) -> Corner:
        """All that a player has."""
        state = self._state
        kept = Counter(int(state.weakness[monster]) for monster in range(MONSTERS) if state.owner[monster] == seat)
        return Corner(
            seat=seat,
            items=items(state.crystals[seat], state.gold[seat]),
            members=tuple(self._members(seat)),
            cards=tuple(self.card(card, seat) for card in range(CARDS) if state.card_owner[card] == seat),
            kept=tuple(kept[skill] for skill in range(SKILLS)),
            points=int(points_of(state, seat)),
        )

    def _members(self, seat: int) -> Iterable[Member]:
        for die in range(DICE):
            ally, target = self._state.ally[seat, die], int(self._state.place[seat, die])
            if target == ON_TRAINER and Die(seat, die) in self._trained:
                target = NONE  # whoever has that die now came with it since
            if ally != NONE:
                yield Member(die, self.ally(ally), "" if target == NONE else names.target(target))

    @cached_property
    def _trained(self) -> set[Die]:
        """DA-7.1: the dice that were exchanged for larger ones at the trainer in the turn that goes on."""
        found: set[Die] = set()
        for step in reversed(self._view.steps):
            if any(event.kind == Event.TURN_ENDED for event in step.events):
                break
            trained = [event.arguments for event in step.events if event.kind == Event.TRAINED]
            found |= {Die(seat, SIDES.index(sides) - 1) for seat, _ally, sides in trained}
        return found

    def ally(self, ally: int) -> Ally:
        """A character or a follower."""
        return Ally(self._names.ally(ally), int(self._state.skill[ally]), ally >= FIRST_FOLLOWER)

    def card(self, card: int, owner: int = NONE) -> Card:
        """A card, and what it is worth to its owner."""
        state = self._state
        return Card(
            name=self._names.card(card),
            kind=_KINDS[CardKind(state.card_kind[card])],
            subject=int(state.card_subject[card]),
            per=int(state.card_per[card]),
            points=int(state.card_points[card]),
            worth=0 if owner == NONE else int(worth(state, owner, card)),
        )


_KINDS: dict[CardKind, Literal["monster", "crystal", "fixed"]] = {
    CardKind.MONSTER: "monster",
    CardKind.CRYSTAL: "crystal",
    CardKind.FIXED: "fixed",
}


def items(counts: Iterable[int], gold: int = 0) -> Items:
    """Crystals by colour and gold; ``counts`` may end with the gold."""
    all_counts = (*map(int, counts), int(gold))[:ITEMS]
    return Items(all_counts, names.amounts(all_counts))
