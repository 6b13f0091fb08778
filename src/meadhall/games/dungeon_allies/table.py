"""What a browser shows of Dungeon Allies: the values that ``table.html`` draws."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, Literal

from meadhall.engine.match import View
from meadhall.games.dungeon_allies import names
from meadhall.games.dungeon_allies.components import components_of
from meadhall.games.dungeon_allies.names import Names
from meadhall.games.dungeon_allies.rules.excursion import is_doubled, is_fighting
from meadhall.games.dungeon_allies.rules.scoring import count_kept, points_of, worth
from meadhall.games.dungeon_allies.rules.sorcerer import price
from meadhall.games.dungeon_allies.rules.treasure import is_guarded
from meadhall.games.dungeon_allies.state import (
    ACCEPT,
    BLESS,
    CARDS,
    COLOURS,
    DICE,
    DISPLAY,
    ENHANCE,
    FIRST_FOLLOWER,
    FOLLOWER_DIE,
    HAMMER,
    ILLUMINATE,
    ITEMS,
    NONE,
    ON_PRISONER,
    ON_SORCERER,
    ON_SQUARE,
    ON_TAVERN,
    ON_TRACK,
    ON_TRADE,
    ON_TREASURE,
    PLACE,
    PRISONERS,
    REROLL,
    ROLL,
    ROUND_ENDS,
    SIDES,
    SKILLS,
    SQUARES,
    TARGETS,
    TRADE,
    TRADES,
    TREASURES,
    CardKind,
    Event,
    Phase,
    Table,
    current_round,
    has_seen,
    has_tile,
    level_of,
)
from meadhall.games.dungeon_allies.story import Fight, Monster, Scene, Thrown, monster_of, story


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
    """A square of the dungeon. ``monster``: None where its tile is not known. ``seen``: who has looked."""

    square: int
    name: str
    level: int
    tile: bool
    monster: Monster | None
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


@dataclass(frozen=True)
class Picture:
    """The table as everybody sees it. ``n`` numbers the moment, so that what is new can be told from what was there."""

    n: int
    names: tuple[str, ...]
    turn: int
    round: int
    place: int  # 1 to 8: which is being resolved; 0: dice are placed
    actor: int | None
    removed: int
    goals: tuple[int, ...]
    squares: tuple[Square, ...]
    order: tuple[int, ...]
    track: tuple[TrackSpace, ...]
    treasures: tuple[Treasure, ...]
    trainees: tuple[Die, ...]
    tavern: Tavern
    prisoners: tuple[Prisoner, ...]
    exchanges: tuple[tuple[Items, Items], ...]
    traders: tuple[Die, ...]
    box: Items
    offers: tuple[Offer, ...]
    deck: int
    price: Items
    customer: int | None  # the space at which somebody is asked to pay
    corners: tuple[Corner, ...]
    fight: Fight | None
    chance: int  # per cent: of winning it with the dice as they are
    told: int  # the turn that the scenes tell of
    scenes: tuple[Scene, ...]


@dataclass(frozen=True)
class Look:
    """A tile that the seat has seen, and others perhaps too; in per cent what each of its dice could do against it alone."""

    square: int
    name: str
    level: int
    monster: Monster
    seen: tuple[int, ...]
    dice: tuple[Die, ...]
    chances: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Own:
    """What a seat's own part of the page needs."""

    phase: str  # "" while the seat waits
    turn: int
    corner: Corner
    waiting: tuple[int, ...]  # the dice that can be placed now
    looks: tuple[Look, ...]
    pair: tuple[Ally, ...]  # whose dice are to be chosen
    follower: Ally | None  # whose die is to be chosen
    exchanges: tuple[tuple[Items, Items], ...]  # of which to choose
    price: Items | None  # of what is to be bought
    fight: Fight | None  # in which to cast spells
    chances: tuple[tuple[int, int], ...]  # by action: how often, in per cent, the fight would be won then


# -------------------------------------------------------------------------------------------------------------- what all see


def picture(view: View) -> Picture:
    """The picture of a view."""
    table, pieces = view.table, Names(components_of(view.options))
    told, scenes = story(view)
    fight = _fight(view, pieces)
    return Picture(
        n=view.steps[-1].n if view.steps else 0,
        names=tuple(view.names),
        turn=int(table.turn),
        round=int(current_round(table)),
        place=0 if view.actor is None else int(table.step),
        actor=view.actor,
        removed=int(table.removed),
        goals=(*ROUND_ENDS, SQUARES),
        squares=tuple(_square(table, pieces, square) for square in range(SQUARES)),
        order=tuple(table.order[: table.players].tolist()),
        track=tuple(_track(table, space) for space in range(table.players)),
        treasures=tuple(_treasure(table, space) for space in range(TREASURES)),
        trainees=tuple(Die(*divmod(trainee, DICE)) for trainee in table.trainee[: table.trainees].tolist()),
        tavern=_tavern(table, pieces),
        prisoners=tuple(_prisoner(table, pieces, space) for space in range(PRISONERS)),
        exchanges=_exchanges(table),
        traders=tuple(_dice(table, ON_TRADE)),
        box=_items(table.box),
        offers=tuple(_offer(table, pieces, space) for space in range(DISPLAY)),
        deck=int(table.cards),
        price=_price(table),
        customer=int(table.cursor) if view.actor is not None and table.phase == Phase.BUY else None,
        corners=tuple(_corner(table, pieces, seat) for seat in range(table.players)),
        fight=fight,
        chance=0 if fight is None else _chance(fight.dice, fight.target),
        told=told,
        scenes=scenes,
    )


def _row(grid: Any, row: int) -> list[int]:
    return list(map(int, grid[row]))


def _items(crystals: Iterable[int], gold: int = 0) -> Items:
    counts = (*map(int, crystals), gold)[:ITEMS]
    return Items(counts, names.amounts(counts))


def _dice(table: Table, target: int) -> Iterable[Die]:
    """The dice that lie on a target."""
    for seat in range(table.players):
        for die in range(DICE):
            if table.place[seat, die] == target:
                yield Die(seat, die)


def _only(table: Table, target: int) -> Die | None:
    return next(iter(_dice(table, target)), None)


def _square(table: Table, pieces: Names, square: int) -> Square:
    monster = int(table.monster[square])
    return Square(
        square=square,
        name=names.square(square),
        level=level_of(square),
        tile=bool(has_tile(table, square)),
        monster=None if monster < 0 else monster_of(table, pieces, monster),
        seen=tuple(_seen(table, square)),
        dice=tuple(_dice(table, ON_SQUARE + square)),
    )


def _seen(table: Table, square: int) -> Iterable[int]:
    return (seat for seat in range(table.players) if has_seen(table, seat, square))


def _track(table: Table, space: int) -> TrackSpace:
    seat = int(table.track[space])
    die = next((die for die in _dice(table, ON_TRACK) if die.seat == seat), None)
    return TrackSpace(_items(_row(table.track_gift, space)), die)


def _treasure(table: Table, space: int) -> Treasure:
    return Treasure(_items(_row(table.treasure, space)), bool(is_guarded(table, space)), _only(table, ON_TREASURE + space))


def _ally(table: Table, pieces: Names, ally: int) -> Ally:
    return Ally(pieces.ally(ally), int(table.skill[ally]), ally >= FIRST_FOLLOWER)


def _tavern(table: Table, pieces: Names) -> Tavern:
    left = int(table.followers)
    return Tavern(
        follower=_ally(table, pieces, int(table.stack[left - 1])) if left else None,
        left=left,
        bidder=None if table.bidder == NONE else int(table.bidder),
        bid=int(table.bid),
        dice=tuple(_dice(table, ON_TAVERN)),
    )


def _prisoner(table: Table, pieces: Names, space: int) -> Prisoner:
    offering, reward = _items(_row(table.offering, space)), _items(_row(table.reward, space))
    return Prisoner(pieces.prisoner(space), offering, reward, _only(table, ON_PRISONER + space))


def _exchanges(table: Table) -> tuple[tuple[Items, Items], ...]:
    return tuple((_items(_row(table.exchange, 2 * line)), _items(_row(table.exchange, 2 * line + 1))) for line in range(TRADES))


def _price(table: Table) -> Items:
    """DA-11.1: of a card, now."""
    return _items(int(colour == price(table)) for colour in range(COLOURS))


def _card(table: Table, pieces: Names, card: int, owner: int = NONE) -> Card:
    kinds: tuple[Literal["monster", "crystal", "fixed"], ...] = ("monster", "crystal", "fixed")
    return Card(
        name=pieces.card(card),
        kind=kinds[CardKind(table.card_kind[card])],
        subject=int(table.card_subject[card]),
        per=int(table.card_per[card]),
        points=int(table.card_points[card]),
        worth=0 if owner == NONE else int(worth(table, owner, card)),
    )


def _offer(table: Table, pieces: Names, space: int) -> Offer:
    card = int(table.display[space])
    return Offer(None if card == NONE else _card(table, pieces, card), _only(table, ON_SORCERER + space))


def _corner(table: Table, pieces: Names, seat: int) -> Corner:
    return Corner(
        seat=seat,
        items=_items(_row(table.crystals, seat), int(table.gold[seat])),
        members=tuple(_members(table, pieces, seat)),
        cards=tuple(_card(table, pieces, card, seat) for card in range(CARDS) if table.card_owner[card] == seat),
        kept=tuple(int(count_kept(table, seat, skill)) for skill in range(SKILLS)),
        points=int(points_of(table, seat)),
    )


def _members(table: Table, pieces: Names, seat: int) -> Iterable[Member]:
    for die in range(DICE):
        ally, target = int(table.ally[seat, die]), int(table.place[seat, die])
        if ally != NONE:
            yield Member(die, _ally(table, pieces, ally), "" if target == NONE else names.target(target))


# ------------------------------------------------------------------------------------------------------------------ the fight


def _fight(view: View, pieces: Names) -> Fight | None:
    """The fight that goes on."""
    table = view.table
    if view.actor is None or table.square == NONE:
        return None
    square = int(table.square)
    monster = monster_of(table, pieces, int(table.monster[square]))
    dice = tuple(_thrown(view, die) for die in range(DICE) if is_fighting(table, die))
    return Fight(view.actor, square, level_of(square), monster, dice)


def _thrown(view: View, die: int) -> Thrown:
    table = view.table
    last = view.steps[-1].events if view.steps else ()
    rolls = [event.arguments[1] for event in last if event.kind in (Event.ROLLED, Event.REROLLED)]
    doubled: Literal["", "skill", "bless"] = "" if not is_doubled(table, die) else "bless" if table.blessed[die] else "skill"
    return Thrown(die, int(table.rolled[die]), doubled, bool(table.extra[die]), SIDES[die] in rolls)


def _chance(dice: Iterable[Thrown], target: int) -> int:
    """DA-4.4: in per cent, how often the dice reach the target, those that are rolled already as they lie."""
    ways = {0: 1.0}
    for thrown in dice:
        values = [thrown.value] if thrown.value else range(1, SIDES[thrown.die] + 1)
        faces = [replace(thrown, value=value).counted for value in values]
        sums: dict[int, float] = {}
        for total, share in ways.items():
            for face in faces:
                sums[total + face] = sums.get(total + face, 0.0) + share / len(faces)
        ways = sums
    return round(100 * sum(share for total, share in ways.items() if total >= target))


# ------------------------------------------------------------------------------------------------------- what one seat decides


def own(view: View) -> Own:
    """The values for a seat's own part."""
    table, pieces, seat = view.table, Names(components_of(view.options)), view.viewer
    decides = view.actor == seat
    phase = Phase(table.phase) if decides else None
    corner = _corner(table, pieces, seat)
    fight = _fight(view, pieces) if decides else None
    return Own(
        phase="" if phase is None else phase.name.lower(),
        turn=int(table.turn),
        corner=corner,
        waiting=tuple(_waiting(table, seat)) if phase == Phase.PLACE else (),
        looks=tuple(_looks(table, pieces, seat, corner)),
        pair=tuple(_ally(table, pieces, ally) for ally in table.dealt[seat].tolist()) if phase == Phase.ASSIGN else (),
        follower=_tavern(table, pieces).follower if phase == Phase.FOLLOWER_DIE else None,
        exchanges=_exchanges(table) if phase == Phase.TRADE else (),
        price=_price(table) if phase == Phase.BUY else None,
        fight=fight,
        chances=() if fight is None else tuple(_chances(view, fight)),
    )


def _chances(view: View, fight: Fight) -> Iterable[tuple[int, int]]:
    """DA-4.5, DA-4.6: what a spell would make of the fight."""
    dice = {thrown.die: thrown for thrown in fight.dice}
    for action in view.legal:
        if action == ROLL:
            changed = dice
        elif ENHANCE <= action < BLESS:
            changed = dice | {action - ENHANCE: Thrown(action - ENHANCE)}
        elif BLESS <= action < ACCEPT:
            changed = dice | {action - BLESS: replace(dice[action - BLESS], doubled="bless")}
        elif REROLL <= action < FOLLOWER_DIE:
            changed = dice | {action - REROLL: replace(dice[action - REROLL], value=0)}
        else:
            continue
        yield action, _chance(changed.values(), fight.target)


def _waiting(table: Table, seat: int) -> Iterable[int]:
    """DA-3.1: a seat's dice that are to be placed."""
    return (die for die in range(DICE) if table.ally[seat, die] != NONE and table.place[seat, die] == NONE)


def _looks(table: Table, pieces: Names, seat: int, corner: Corner) -> Iterable[Look]:
    for square in range(SQUARES):
        if has_seen(table, seat, square) and not has_seen(table, NONE, square):
            monster, level = monster_of(table, pieces, int(table.monster[square])), level_of(square)
            chances = tuple((member.die, _alone(member, monster, level)) for member in corner.members)
            others = tuple(other for other in _seen(table, square) if other != seat)
            yield Look(square, names.square(square), level, monster, others, tuple(_dice(table, ON_SQUARE + square)), chances)


def _alone(member: Member, monster: Monster, level: int) -> int:
    """DA-4.4: in per cent, how often an ally beats a monster without help."""
    thrown = Thrown(member.die, doubled="skill" if member.ally.skill == monster.weakness else "")
    return _chance((thrown,), monster.faces[level][0])


def offered(view: View) -> Iterable[int]:
    """What is legal, and of what is not, what somebody may wonder about: every place, every spell, every exchange, a card."""
    table, legal = view.table, set(view.legal)
    match Phase(table.phase):
        case Phase.PLACE:
            dice = list(_waiting(table, view.viewer))
            for target in range(TARGETS):
                actions = [PLACE + DICE * target + die for die in dice]
                refused = [action for action in actions if action not in legal]
                yield from refused if len(refused) < len(actions) else refused[:1]
            yield ILLUMINATE
        case Phase.PREP:
            sent = [die for die in range(DICE) if is_fighting(table, die)]
            for spell in ([HAMMER], [ENHANCE + die for die in range(DICE)], [BLESS + die for die in sent]):
                if not legal.intersection(spell):
                    yield spell[0]
        case Phase.TRADE:
            yield from range(TRADE, TRADE + 2 * TRADES)
        case _:
            return
