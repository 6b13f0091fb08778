"""The boards and the possessions of the players: what the page draws beside the fields of the state."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any, Literal, NamedTuple

from meadhall.games.dungeon_allies import names
from meadhall.games.dungeon_allies.components import (
    COLOUR_NAMES,
    SKILL_NAMES,
    Components,
    CrystalPoints,
    FixedPoints,
    MonsterPoints,
    Points,
)
from meadhall.games.dungeon_allies.names import Names
from meadhall.games.dungeon_allies.pieces import (
    COLOURS,
    DICE,
    FIGHT_DICE,
    FIRST_FOLLOWER,
    GONE,
    ITEMS,
    LEVELS,
    NONE,
    SIDES,
    SKILLS,
    SQUARES,
    TRAINER_SPACES,
    TREASURES,
    Phase,
    Target,
)
from meadhall.games.dungeon_allies.rules import card_score, points_of
from meadhall.games.dungeon_allies.rules.excursion import is_doubled, is_fighting
from meadhall.games.dungeon_allies.rules.market import price
from meadhall.games.dungeon_allies.rules.village import is_guarded
from meadhall.games.dungeon_allies.state import Event, State
from meadhall.games.dungeon_allies.story import Fight, FightDie, Monster, Scene, monster_of, story
from meadhall.sdk import View, current_language

BEATS = {"fight": 11, "scene": 5, "line": 1, "all": 50}
"""How long the stage shows a fight, the card of another place, each further line there, and at most all scenes of a step."""


class Items(NamedTuple):
    """Counts of red, blue, yellow, green and white crystals and of gold."""

    counts: tuple[int, ...]

    @property
    def words(self) -> str:
        """Return the same in words."""
        return names.amounts(self.counts)


PlacedDie = tuple[int, int]
"""A die on the boards: the seat of its owner, and its size."""


class Square(NamedTuple):
    """A square of the dungeon.

    Attributes:
        cell: where it is drawn: four to a row, every level in new rows.
        monster: the tile; None if the viewer doesn't know it.
        former: the name of the monster that was there, if the square is empty.
        seen: the seats that have looked at the tile.
    """

    name: str
    level: int
    cell: int
    monster: Monster | None
    former: str
    seen: tuple[int, ...]


class Ally(NamedTuple):
    """A character or a follower."""

    name: str
    skill: int
    follower: bool


class Value(NamedTuple):
    """DA-13.2: One kind of points that a card scores.

    Attributes:
        subject: the weakness or colour that scores.
        per: how many of it score once.
    """

    kind: Literal["monster", "crystal", "fixed"]
    points: int
    subject: int = 0
    per: int = 1


class Card(NamedTuple):
    """A card.

    Attributes:
        kinds: the kinds of points that it scores.
        score: the points that the card is worth to its owner now.
    """

    name: str
    kinds: tuple[Value, ...]
    score: int = 0


class Member(NamedTuple):
    """An ally of a player, its die, and the name of the space on which the die lies."""

    die: int
    ally: Ally
    where: str


class PlayerArea(NamedTuple):
    """Everything that a player has."""

    seat: int
    items: Items
    members: tuple[Member, ...]
    cards: tuple[Card, ...]
    kept: tuple[int, ...]  # tiles by weakness
    points: int


@dataclass(frozen=True)
class _Possessions:
    """What decides over a player's area. ``rules``: the state as the rules read it."""

    seat: int
    components: Components
    language: str
    items: Items
    allies: tuple[int, ...]
    places: tuple[int, ...]
    card_owner: tuple[int, ...]
    owner: tuple[int, ...]
    rules: State = field(compare=False)


@lru_cache(maxsize=64)
def _area(one: _Possessions) -> PlayerArea:
    """Return everything that a player has. Most moves leave it as it is."""
    kept = [weakness for weakness, owner in zip(one.rules.weakness, one.owner, strict=True) if owner == one.seat]
    found = Names(one.components)
    members = tuple(
        Member(die, ally_of(found, ally, one.rules.skill[ally]), "" if target == NONE else found.target(target))
        for die, (ally, target) in enumerate(zip(one.allies, one.places, strict=True))
        if ally != NONE
    )
    cards = tuple(card_of(found, card, one.rules, one.seat) for card, owner in enumerate(one.card_owner) if owner == one.seat)
    points = int(points_of(one.rules, one.seat))
    return PlayerArea(one.seat, one.items, members, cards, tuple(map(kept.count, range(SKILLS))), points)


def ally_of(pieces: Names, ally: int, skill: int) -> Ally:
    """Return a character or a follower."""
    return Ally(pieces.ally(ally), int(skill), ally >= FIRST_FOLLOWER)


def card_of(pieces: Names, card: int, rules: State | None = None, owner: int = NONE) -> Card:
    """Return a card, with its score for its owner."""
    kinds = pieces.components.sorcerer_card[card].kinds
    score = 0 if rules is None else int(card_score(rules, owner, card))
    return Card(pieces.card(card), tuple(map(value, kinds)), score)


@lru_cache(maxsize=8)
def _levels(components: Components) -> tuple[tuple[int, ...], ...]:
    """Return the squares of the three levels."""
    levels = components.levels_of_squares
    return tuple(tuple(square for square in range(SQUARES) if levels[square] == k) for k in range(LEVELS))


@lru_cache(maxsize=8)
def _squares(components: Components, _language: str) -> tuple[tuple[str, int, int], ...]:
    """Return the name, the level and the cell of every square."""
    levels, pieces, cells = components.levels_of_squares, Names(components), components.cells
    return tuple((pieces.square(square), levels[square], cells[square]) for square in range(SQUARES))


class Boards:
    """The boards as a viewer sees them: what follows from the state, beside its own fields.

    Attributes:
        ends: the numbers of removed tiles at which the rounds end.
    """

    beats = BEATS
    trainer_spaces = TRAINER_SPACES

    def __init__(self, view: View) -> None:
        self.view = view
        self.state = view.plain
        self.ends = (self.state.second_round, self.state.third_round, SQUARES)
        self.names = view.names
        self._rules = view.state  # as the rules read it
        words: Any = view.game.words
        self._names: Names = words.pieces
        self._language = current_language()

    @cached_property
    def _dice(self) -> dict[int, list[PlacedDie]]:
        found = defaultdict[int, list[PlacedDie]](list)
        for seat in range(self.state.players):
            for die, target in enumerate(self.state.place[seat]):
                found[target].append((seat, die))
        return found

    def dice(self, target: int) -> tuple[PlacedDie, ...]:
        """Return the dice on a target."""
        return tuple(self._dice[target])

    @property
    def asked(self) -> int | None:
        """DA-9.1, DA-11.1: The target of the prisoner or the card about which the seat to move decides."""
        first = {Phase.PRISONER: Target.PRISONER, Phase.BUY: Target.SORCERER}.get(Phase(self.state.phase))
        return None if first is None or self.view.actor is None else first + self.state.cursor

    # ------------------------------------------------------------------------------------------------------------------ dungeon

    @property
    def levels(self) -> tuple[tuple[int, ...], ...]:
        """The squares of the three levels."""
        return _levels(self._names.components)

    @property
    def cells(self) -> tuple[int, ...]:
        """The cell of every square."""
        return tuple(cell for _name, _level, cell in _squares(self._names.components, self._language))

    def square(self, square: int) -> Square:
        """Return a square."""
        name, level, cell = _squares(self._names.components, self._language)[square]
        gone = self.state.monster[square] == GONE
        former = self._names.monster(self.state.former[square]) if gone else ""
        return Square(name, level, cell, self.monster(square), former, self.seen(square))

    def monster(self, square: int) -> Monster | None:
        """Return the tile on a square, if the viewer knows it."""
        monster = self.state.monster[square]
        return None if monster < 0 else monster_of(self.state, self._names, monster)

    def seen(self, square: int) -> tuple[int, ...]:
        """DA-3.4: Return the seats that know the tile on a square."""
        seen = self.state.seen[square]
        return tuple(seat for seat in range(self.state.players) if seen >> (1 + seat) & 1) if seen else ()

    @cached_property
    def fight(self) -> Fight | None:
        """The current fight."""
        square = self.state.square
        monster = None if square == NONE else self.monster(square)
        if monster is None or self.view.actor is None:
            return None
        dice = tuple(self._fight_die(die) for die in range(FIGHT_DICE) if is_fighting(self._rules, die))
        return Fight(self.view.actor, square, self.state.level[square], monster, dice)

    def _fight_die(self, die: int) -> FightDie:
        state = self._rules
        doubled: Literal["", "skill", "bless"] = "" if not is_doubled(state, die) else "bless" if state.blessed[die] else "skill"
        return FightDie(die, int(state.rolled[die]), doubled, bool(state.extra[die]))

    @property
    def tiles(self) -> dict[str, tuple[int, bool, tuple[tuple[int, int], ...]]]:
        """The tiles by their names in records, for the script that plays fights: weakness, whether it has a crown, faces."""
        monsters = [monster_of(self.state, self._names, k) for k in range(len(self.state.weakness))]
        printed = self._names.components.monster
        return {tile.id: (one.weakness, one.crowned, one.faces) for tile, one in zip(printed, monsters, strict=True)}

    @property
    def chance(self) -> int:
        """The probability, in per cent, of winning the fight with the dice as they are."""
        return 0 if self.fight is None else chance_of(self.fight.dice, self.fight.target)

    @property
    def story(self) -> tuple[int, tuple[Scene, ...]]:
        """The turn that is told, and its scenes."""
        return story(self.view)

    # ------------------------------------------------------------------------------------------------------------------ village

    @property
    def order(self) -> tuple[int, ...]:
        """The seats in their current order; none before it is rolled."""
        return tuple(seat for seat in self.state.order if seat != NONE)

    @property
    def track(self) -> tuple[tuple[Items, PlacedDie | None], ...]:
        """The spaces of the turn order: the gift, and the die there."""
        dice = {die[0]: die for die in self._dice[Target.TURN_ORDER]}
        return tuple((items(self.state.track_gift[k]), dice.get(self.state.track[k])) for k in range(self.state.players))

    @property
    def treasures(self) -> list[tuple[Items, bool]]:
        """The treasure spaces: the items, and whether they are guarded."""
        return [(items(self.state.treasure[space]), bool(is_guarded(self._rules, space))) for space in range(TREASURES)]

    @property
    def trainees(self) -> tuple[PlacedDie, ...]:
        """The dice at the trainer, from the top."""
        return tuple(divmod(trainee, DICE) for trainee in self.state.trainee[: self.state.trainees])

    @property
    def follower(self) -> Ally | None:
        """The follower on top in the tavern."""
        return self.ally(self.state.stack[self.state.followers - 1]) if self.state.followers else None

    @property
    def least_bid(self) -> int:
        """The leading bid; without a bidder, DA-19.2: the least first one."""
        return int(self.state.first_bid if self.state.bidder == NONE else self.state.bid)

    @property
    def prisoners(self) -> list[tuple[str, Items, Items]]:
        """The prisoners: names, offerings and rewards."""
        state, spaces = self.state, range(self.state.prisoners)
        return [(self._names.prisoner(k), items(state.offering[k]), items(state.reward[k])) for k in spaces]

    @property
    def lines(self) -> tuple[tuple[Items, Items], ...]:
        """The two sides of each line of the trade table."""
        sides = self.state.exchange
        return tuple((items(sides[2 * line]), items(sides[2 * line + 1])) for line in range(self.state.lines))

    @property
    def box(self) -> Items:
        """The contents of the box."""
        return items(self.state.box)

    @property
    def offers(self) -> list[Card | None]:
        """The cards on show."""
        return [None if card == NONE else card_of(self._names, card) for card in self.state.display]

    @property
    def price(self) -> Items:
        """DA-11.1: The current price of a card."""
        colour = int(price(self._rules))
        return items(int(each == colour) for each in range(COLOURS))

    # ------------------------------------------------------------------------------------------------------------------ players

    @cached_property
    def areas(self) -> list[PlayerArea]:
        """The pieces of each player, by seat."""
        return list(map(self.area, range(self.state.players)))

    def area(self, seat: int) -> PlayerArea:
        """Return everything that a player has."""
        state, places = self.state, self.state.place[seat]
        if Target.TRAINER in places:  # a trained ally has a larger die now, and the ally with the old one joined later
            gone = {die for die, target in enumerate(places) if target == Target.TRAINER and (seat, die) in self._trained}
            places = [NONE if die in gone else target for die, target in enumerate(places)]
        owned, allies = items(state.crystals[seat], state.gold[seat]), tuple(state.ally[seat])
        facts = (owned, allies, tuple(places), tuple(state.card_owner), tuple(state.owner))
        return _area(_Possessions(seat, self._names.components, self._language, *facts, self._rules))

    @cached_property
    def _trained(self) -> set[PlacedDie]:
        """DA-7.1: The dice that were replaced by larger ones at the trainer this turn."""
        found: set[PlacedDie] = set()
        for step in reversed(self.view.steps):
            if any(event.kind == Event.TURN_ENDED for event in step.events):
                break
            trained = [event.arguments for event in step.events if event.kind == Event.TRAINED]
            found |= {(seat, SIDES.index(sides) - 1) for seat, _ally, sides in trained}
        return found

    def ally(self, ally: int) -> Ally:
        """Return a character or a follower."""
        return ally_of(self._names, ally, self.state.skill[ally])


def chance_of(dice: Iterable[FightDie], target: int) -> int:
    """DA-4.4: Return the chance in per cent that the dice reach the target. Dice that are already rolled keep their values."""
    probabilities = {0: 1.0}
    for die in dice:
        values = [die.value] if die.value else range(1, SIDES[die.die] + 1)
        faces = [die._replace(value=value).counted for value in values]
        sums: dict[int, float] = {}
        for total, probability in probabilities.items():
            for face in faces:
                sums[total + face] = sums.get(total + face, 0.0) + probability / len(faces)
        probabilities = sums
    return round(100 * sum(probability for total, probability in probabilities.items() if total >= target))


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
