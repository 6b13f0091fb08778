"""What a browser shows of Dungeon Allies: the values that ``page.html`` draws."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from meadhall.engine.view import View
from meadhall.games.dungeon_allies.boards import (
    Ally,
    Boards,
    Corner,
    Die,
    Items,
    Member,
    Offer,
    Prisoner,
    Square,
    Tavern,
    TrackSpace,
    Treasure,
    items,
)
from meadhall.games.dungeon_allies.rules.excursion import is_fighting
from meadhall.games.dungeon_allies.state import (
    ACCEPT,
    BLESS,
    DICE,
    DISPLAY,
    ENHANCE,
    FOLLOWER_DIE,
    HAMMER,
    ILLUMINATE,
    NONE,
    ON_TRADE,
    PLACE,
    PRISONERS,
    REROLL,
    ROLL,
    ROUND_ENDS,
    SIDES,
    SQUARES,
    TARGETS,
    TRADE,
    TRADES,
    TREASURES,
    Phase,
    State,
    has_seen,
)
from meadhall.games.dungeon_allies.story import Fight, Monster, Scene, Thrown, story


@dataclass(frozen=True)
class Picture:
    """The table as everybody sees it. ``n`` numbers the moment, so that what is new can be told from what was there."""

    n: int
    names: tuple[str, ...]
    turn: int
    place: int  # 1 to 8: which is being resolved; 0: dice are placed
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
    price: Items
    customer: int | None  # the space at which somebody is asked to pay
    corners: tuple[Corner, ...]
    fight: Fight | None
    chance: int  # per cent: of winning it with the dice as they are
    told: int  # the turn that the scenes tell of
    scenes: tuple[Scene, ...]


@dataclass(frozen=True)
class Look:
    """A tile that the seat has looked at, and which others too; in per cent, how often each of its dice alone would beat it."""

    on: Square
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
    state, boards = view.state, Boards(view)
    told, scenes = story(view)
    fight = boards.fight()
    return Picture(
        n=view.steps[-1].n if view.steps else 0,
        names=tuple(view.names),
        turn=int(state.turn),
        place=0 if view.actor is None else int(state.step),
        removed=int(state.removed),
        goals=(*ROUND_ENDS, SQUARES),
        squares=tuple(map(boards.square, range(SQUARES))),
        order=tuple(state.order[: state.players].tolist()),
        track=tuple(map(boards.track, range(state.players))),
        treasures=tuple(map(boards.treasure, range(TREASURES))),
        trainees=boards.trainees(),
        tavern=boards.tavern(),
        prisoners=tuple(map(boards.prisoner, range(PRISONERS))),
        exchanges=boards.exchanges(),
        traders=boards.dice(ON_TRADE),
        box=items(state.box),
        offers=tuple(map(boards.offer, range(DISPLAY))),
        price=boards.price(),
        customer=int(state.cursor) if view.actor is not None and state.phase == Phase.BUY else None,
        corners=tuple(map(boards.corner, range(state.players))),
        fight=fight,
        chance=0 if fight is None else chance_of(fight.dice, fight.target),
        told=told,
        scenes=scenes,
    )


def chance_of(dice: Iterable[Thrown], target: int) -> int:
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
    state, boards, seat = view.state, Boards(view), view.viewer
    phase = Phase(state.phase) if view.actor == seat else None
    corner = boards.corner(seat)
    fight = boards.fight() if phase in (Phase.PREP, Phase.REROLL) else None
    return Own(
        phase="" if phase is None else phase.name.lower(),
        turn=int(state.turn),
        corner=corner,
        waiting=tuple(_waiting(state, seat)) if phase == Phase.PLACE else (),
        looks=tuple(_looks(state, boards, corner)),
        pair=tuple(map(boards.ally, state.dealt[seat])) if phase == Phase.ASSIGN else (),
        follower=boards.tavern().follower if phase == Phase.FOLLOWER_DIE else None,
        exchanges=boards.exchanges() if phase == Phase.TRADE else (),
        price=boards.price() if phase == Phase.BUY else None,
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
        yield action, chance_of(changed.values(), fight.target)


def _waiting(state: State, seat: int) -> Iterable[int]:
    """DA-3.1: a seat's dice that are to be placed."""
    return (die for die in range(DICE) if state.ally[seat, die] != NONE and state.place[seat, die] == NONE)


def _looks(state: State, boards: Boards, corner: Corner) -> Iterable[Look]:
    """DA-3.4: what the seat has looked at, as long as not all see it."""
    for square in range(SQUARES):
        if state.seen[square] and has_seen(state, corner.seat, square) and not has_seen(state, NONE, square):
            on = boards.square(square)
            assert on.monster is not None, "who has seen a tile knows it"
            chances = tuple((member.die, _alone(member, on.monster, on.level)) for member in corner.members)
            yield Look(replace(on, seen=tuple(seat for seat in on.seen if seat != corner.seat)), chances)


def _alone(member: Member, monster: Monster, level: int) -> int:
    """DA-4.4: in per cent, how often an ally beats a monster without help."""
    thrown = Thrown(member.die, doubled="skill" if member.ally.skill == monster.weakness else "")
    return chance_of((thrown,), monster.faces[level][0])


def offered(view: View) -> Iterable[int]:
    """What is legal, and of what is not, what somebody may wonder about: every place, every spell, every exchange, a card."""
    state, legal = view.state, set(view.legal)
    match Phase(state.phase):
        case Phase.PLACE:
            dice = list(_waiting(state, view.viewer))
            for target in range(TARGETS):
                actions = [PLACE + DICE * target + die for die in dice]
                refused = [action for action in actions if action not in legal]
                yield from refused if len(refused) < len(actions) else refused[:1]
            yield ILLUMINATE
        case Phase.PREP:
            sent = [die for die in range(DICE) if is_fighting(state, die)]
            for spell in ([HAMMER], [ENHANCE + die for die in range(DICE)], [BLESS + die for die in sent]):
                if not legal.intersection(spell):
                    yield spell[0]
        case Phase.TRADE:
            yield from range(TRADE, TRADE + 2 * TRADES)
        case _:
            return
