"""The values that ``page.html`` draws."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from itertools import pairwise
from typing import Any

from meadhall.games.dungeon_allies.actions import Act, Phase, parse, place, trade
from meadhall.games.dungeon_allies.boards import (
    Ally,
    Boards,
    Card,
    Items,
    Market,
    Member,
    Offer,
    PlayerArea,
    Prisoner,
    Square,
    Tavern,
    Track,
    Trainer,
    Treasure,
    items,
    value,
)
from meadhall.games.dungeon_allies.cautions import DIE_MATTERS, at_the_tavern, caution
from meadhall.games.dungeon_allies.components import COMPONENTS, SKILL_NAMES
from meadhall.games.dungeon_allies.components import Monster as Tile
from meadhall.games.dungeon_allies.names import Names
from meadhall.games.dungeon_allies.pieces import (
    DICE,
    DISPLAY,
    FIGHT_DICE,
    FIRST_FOLLOWER,
    LEVELS,
    NONE,
    SIDES,
    SQUARES,
    TARGETS,
    TREASURES,
    Target,
)
from meadhall.games.dungeon_allies.rules.excursion import is_fighting
from meadhall.games.dungeon_allies.state import ROUND_ENDS, State, has_seen
from meadhall.games.dungeon_allies.story import Fight, FightDie, Monster, Scene, story
from meadhall.sdk import PlainState, View, current_language


@dataclass(frozen=True)
class Picture:
    """The boards as all players see them.

    Attributes:
        n: the number of the last step, by which scripts tell new scenes from old ones.
        place: the place that is being resolved, 1 to 8; 0 while dice are placed.
        ends: the numbers of removed tiles at which the rounds end.
        asked: the target of the prisoner or the card about which a player must decide.
        chance: the probability, in per cent, of winning the fight with the dice as they are.
        story_turn: the turn of the scenes.
    """

    n: int
    names: tuple[str, ...]
    turn: int
    place: int
    removed: int
    ends: tuple[int, ...]
    squares: tuple[Square, ...]
    track: Track
    treasures: tuple[Treasure, ...]
    trainer: Trainer
    tavern: Tavern
    prisoners: tuple[Prisoner, ...]
    market: Market
    offers: tuple[Offer, ...]
    price: Items
    asked: int | None
    areas: tuple[PlayerArea, ...]
    fight: Fight | None
    chance: int
    story_turn: int
    scenes: tuple[Scene, ...]

    @property
    def levels(self) -> tuple[list[Square], ...]:
        """Return the squares of the three levels."""
        return tuple([square for square in self.squares if square.level == level] for level in range(LEVELS))


@dataclass(frozen=True)
class SeenTile:
    """A tile that the seat has looked at, and for each of its dice the chance in per cent to beat it alone."""

    square: Square
    chances: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Deed:
    """An action that the page offers, taken apart.

    Attributes:
        kind: the name of the ``Act`` in lower case.
        target: the target or square, if there is one.
        die: the die, if there is one.
        gold: the bid.
        ally: the character that gets the d6.
        exchange: what the seat gives and gets.
        caution: what the seat still lacks to gain something from a placement; "" if it lacks nothing.
    """

    kind: str
    target: int = NONE
    die: int = NONE
    gold: int = 0
    ally: Ally | None = None
    exchange: tuple[Items, Items] | None = None
    caution: str = ""


@dataclass(frozen=True)
class Own:
    """The values for a seat's private part of the page.

    Attributes:
        phase: the decision in lower case; "" while the seat waits.
        unplaced: the dice that the seat can place now.
        seen: the tiles that only the seat and perhaps some others have looked at.
        follower: the follower who needs a die.
        price: the price of the card on offer.
        bargain: the offering and the reward of the prisoner about whom the seat decides.
        fight: the fight in which the seat can cast spells.
        chances: by action, the chance in per cent to win the fight after it.
        warning: why no follower can join the seat that bids now; "" if one can.
        deeds: by action, what the page offers.
        targets: the targets of the eight places, as many as there are with these components.
        levels: the squares of the three levels.
        cells: where each square is drawn.
    """

    phase: str
    turn: int
    area: PlayerArea
    unplaced: tuple[int, ...]
    seen: tuple[SeenTile, ...]
    follower: Ally | None
    price: Items | None
    bargain: tuple[Items, Items] | None
    fight: Fight | None
    chances: tuple[tuple[int, int], ...]
    warning: str
    deeds: tuple[tuple[int, Deed], ...]
    targets: tuple[tuple[int, ...], ...]
    levels: tuple[tuple[int, ...], ...]
    cells: tuple[int, ...]


# ------------------------------------------------------------------------------------------------------------------ components


@dataclass(frozen=True)
class Printed:
    """The print on the components of a match, for the figures of the rulebook.

    Attributes:
        squares: DA-1.5: how many squares each level has.
        gifts: DA-5.1: what each space of the turn order gives.
        prisoners: DA-9.1: names, offerings and rewards.
        lines: DA-10.1: the two sides of each line of the trade table.
        cards: DA-13.2: the sorcerer's cards, and their points in words.
        monsters: DA-4.4: the tiles.
        allies: DA-1.2: the characters, then the followers.
    """

    squares: tuple[int, ...]
    gifts: tuple[Items, ...]
    prisoners: tuple[tuple[str, Items, Items], ...]
    lines: tuple[tuple[Items, Items], ...]
    cards: tuple[tuple[Card, str], ...]
    monsters: tuple[Monster, ...]
    allies: tuple[Ally, ...]


def components(options: Mapping[str, Any]) -> Printed:
    """Return the print on the components of a match with these options."""
    printed = COMPONENTS.of(options[COMPONENTS.name])
    names = Names(printed)
    most = max(tile.red.gold for tile in printed.monster)
    return Printed(
        squares=tuple(printed.levels_of_squares.count(level) for level in range(LEVELS)),
        gifts=tuple(items(space.crystals.counts) for space in printed.turn_order_space),
        prisoners=tuple(
            (names.prisoner(space), items(each.offering.counts), items(each.reward.counts))
            for space, each in enumerate(printed.prisoner_space)
        ),
        lines=tuple((items(line.left.counts), items(line.right.counts)) for line in printed.trade),
        cards=tuple(
            (Card(names.card(card), tuple(map(value, each.kinds))), names.value(card))
            for card, each in enumerate(printed.sorcerer_card)
        ),
        monsters=tuple(
            Monster(names.monster(tile), SKILL_NAMES.index(each.weakness), _faces(each), each.red.gold == most)
            for tile, each in enumerate(printed.monster)
        ),
        allies=tuple(
            Ally(names.ally(ally), SKILL_NAMES.index(each.skill), ally >= FIRST_FOLLOWER)
            for ally, each in enumerate(printed.allies)
        ),
    )


def _faces(tile: Tile) -> tuple[tuple[int, int], ...]:
    return tuple((face.target, face.gold) for face in tile.faces)


# ------------------------------------------------------------------------------------------------------------------ public part


@lru_cache(maxsize=1)
def _told(view: View, _language: str) -> tuple[int, tuple[Scene, ...]]:
    """Return ``story(view)``. A page asks for it twice."""
    return story(view)


def picture(view: View) -> Picture:
    """Return the values of the boards."""
    state, boards = view.state, Boards(view)
    story_turn, scenes = _told(view, current_language())
    fight = boards.fight()
    return Picture(
        n=view.steps[-1].n if view.steps else 0,
        names=tuple(view.names),
        turn=int(state.turn),
        place=0 if view.actor is None else int(state.step),
        removed=int(state.removed),
        ends=(*ROUND_ENDS, SQUARES),
        squares=tuple(map(boards.square, range(SQUARES))),
        track=boards.track(),
        treasures=tuple(map(boards.treasure, range(TREASURES))),
        trainer=boards.trainer(),
        tavern=boards.tavern(),
        prisoners=tuple(map(boards.prisoner, range(state.prisoners))),
        market=boards.market(),
        offers=tuple(map(boards.offer, range(DISPLAY))),
        price=boards.price(),
        asked=None if view.actor is None else _asked(state),
        areas=tuple(map(boards.area, range(state.players))),
        fight=fight,
        chance=0 if fight is None else chance_of(fight.dice, fight.target),
        story_turn=story_turn,
        scenes=scenes,
    )


def _asked(state: State) -> int | None:
    """DA-9.1, DA-11.1: Return the target of the prisoner or the card about which the seat to move decides."""
    first = {Phase.PRISONER: Target.PRISONER, Phase.BUY: Target.SORCERER}.get(Phase(state.phase))
    return None if first is None else first + state.cursor


def chance_of(dice: Iterable[FightDie], target: int) -> int:
    """DA-4.4: Return the chance in per cent that the dice reach the target. Dice that are already rolled keep their values."""
    probabilities = {0: 1.0}
    for die in dice:
        values = [die.value] if die.value else range(1, SIDES[die.die] + 1)
        faces = [replace(die, value=value).counted for value in values]
        sums: dict[int, float] = {}
        for total, probability in probabilities.items():
            for face in faces:
                sums[total + face] = sums.get(total + face, 0.0) + probability / len(faces)
        probabilities = sums
    return round(100 * sum(probability for total, probability in probabilities.items() if total >= target))


# ----------------------------------------------------------------------------------------------------------------- private part


def beats(view: View) -> int:
    """Return how long the board shows the scenes of the last step, in beats (see ``stage.js``)."""
    scenes = [scene for scene in _told(view, current_language())[1] if scene.n == view.steps[-1].n]
    length = sum(FIGHT_BEATS if scene.fight else SCENE_BEATS + len(scene.lines) - 1 for scene in scenes)
    return min(length, MOST_BEATS)


FIGHT_BEATS, SCENE_BEATS, MOST_BEATS = 9, 5, 50
"""The lengths of a fight, of another scene and of all scenes of a step in beats, as in ``stage.js``."""


def own(view: View) -> Own:
    """Return the values for a seat's private part."""
    state, known, boards, seat = view.state, view.plain, Boards(view), view.viewer
    phase = Phase(state.phase) if view.actor == seat else None
    area = boards.area(seat)
    fight = boards.fight() if phase in (Phase.PREP, Phase.REROLL) else None
    actions = () if phase is None else offered(view)

    @cache  # of this decision: the dice that the seat still has go to the same places
    def lacking(target: int, die: int) -> str:
        return caution(state, seat, target, die)

    return Own(
        phase="" if phase is None else phase.name.lower(),
        turn=known.turn,
        area=area,
        unplaced=tuple(_unplaced(state, seat)) if phase == Phase.PLACE else (),
        seen=tuple(_seen_tiles(state, known, boards, area)),
        follower=boards.tavern().follower if phase == Phase.FOLLOWER_DIE else None,
        price=boards.price() if phase == Phase.BUY else None,
        bargain=_bargain(boards, known.cursor) if phase == Phase.PRISONER else None,
        fight=fight,
        chances=() if fight is None else tuple(_chances(view, fight)),
        warning=at_the_tavern(state, seat) if phase == Phase.BID else "",
        deeds=tuple((action, _deed(state, boards, action, lacking)) for action in actions),
        targets=_targets(known.prisoners),
        levels=tuple(tuple(square for square in range(SQUARES) if known.level[square] == level) for level in range(LEVELS)),
        cells=boards.cells,
    )


def _bargain(boards: Boards, space: int) -> tuple[Items, Items]:
    """DA-9.1: Return the offering and the reward of a prisoner."""
    prisoner = boards.prisoner(space)
    return prisoner.offering, prisoner.reward


def _targets(prisoners: int) -> tuple[tuple[int, ...], ...]:
    """DA-4.1: Return the targets of the eight places."""
    return tuple(targets[:prisoners] if targets[0] == Target.PRISONER else targets for targets in _PLACES)


_PLACES = tuple(tuple(range(first, end)) for first, end in pairwise((*Target, TARGETS)))
"""The targets of the eight places, if there are as many prisoners as there can be."""


def _deed(state: State, boards: Boards, action: int, lacking: Callable[[int, int], str]) -> Deed:
    kind, argument = parse(action)
    name = kind.name.lower()
    match kind:
        case Act.PLACE:
            target, die = divmod(argument, DICE)
            return Deed(name, target=target, die=die, caution=lacking(target, die if target in DIE_MATTERS else NONE))
        case Act.PEEK | Act.FIGHT:
            return Deed(name, target=Target.SQUARE + argument)
        case Act.BID:
            return Deed(name, gold=argument)
        case Act.ENHANCE | Act.BLESS | Act.REROLL | Act.FOLLOWER_DIE:
            return Deed(name, die=argument)
        case Act.ASSIGN:
            return Deed(name, ally=boards.ally(state.dealt[state.actor, argument]))
        case Act.TRADE:
            line, direction = divmod(argument, 2)
            left, right = boards.market().lines[line]
            return Deed(name, exchange=(right, left) if direction else (left, right))
        case _:
            return Deed(name)


def _chances(view: View, fight: Fight) -> Iterable[tuple[int, int]]:
    """DA-4.5, DA-4.6: Yield the chance to win the fight after each roll or spell."""
    dice = {die.die: die for die in fight.dice}
    for action in view.legal:
        kind, die = parse(action)
        match kind:
            case Act.ROLL:
                changed = dice
            case Act.ENHANCE:
                changed = dice | {die: FightDie(die)}
            case Act.BLESS:
                changed = dice | {die: replace(dice[die], doubled="bless")}
            case Act.REROLL:
                changed = dice | {die: replace(dice[die], value=0)}
            case _:
                continue
        yield action, chance_of(changed.values(), fight.target)


def _unplaced(state: State, seat: int) -> Iterable[int]:
    """DA-3.1: Yield the dice that a seat still has to place."""
    return (die for die in range(DICE) if state.ally[seat, die] != NONE and state.place[seat, die] == NONE)


def _seen_tiles(state: State, known: PlainState, boards: Boards, area: PlayerArea) -> Iterable[SeenTile]:
    """DA-3.4: Yield the tiles that the seat has looked at and that are not face up yet."""
    for number, seen in enumerate(known.seen):
        if seen and has_seen(state, area.seat, number) and not has_seen(state, NONE, number):
            square = boards.square(number)
            assert square.monster is not None, "a seat knows the tiles that it has seen"
            chances = tuple((member.die, _chance_alone(member, square.monster, square.level)) for member in area.members)
            yield SeenTile(replace(square, seen=tuple(seat for seat in square.seen if seat != area.seat)), chances)


def _chance_alone(member: Member, monster: Monster, level: int) -> int:
    """DA-4.4: Return the chance in per cent that an ally beats a monster without help."""
    die = FightDie(member.die, doubled="skill" if member.ally.skill == monster.weakness else "")
    return chance_of((die,), monster.faces[level][0])


def offered(view: View) -> Iterable[int]:
    """Return the legal actions, and illegal ones that the page shows with their refusals: every place, spell, exchange."""
    return sorted({*view.legal, *_explained(view)})


def _explained(view: View) -> Iterator[int]:
    """Yield illegal actions that deserve an explanation, and possibly legal ones."""
    state, legal = view.state, set(view.legal)
    match state.phase:
        case Phase.PLACE:
            dice = list(_unplaced(state, view.viewer))
            for target in (target for targets in _targets(state.prisoners) for target in targets):
                first = place(target, 0)
                actions = [first + die for die in dice]
                refused = [action for action in actions if action not in legal]
                yield from refused if len(refused) < len(actions) else refused[:1]
            yield int(Act.ILLUMINATE)
        case Phase.PREP:
            sent = [die for die in range(FIGHT_DICE) if is_fighting(state, die)]
            enhance, bless = [Act.ENHANCE + die for die in range(FIGHT_DICE)], [Act.BLESS + die for die in sent]
            for spell in ([int(Act.HAMMER)], enhance, bless):
                if not legal.intersection(spell):
                    yield spell[0]
        case Phase.TRADE:
            yield from (trade(line, direction) for line in range(state.lines) for direction in range(2))
