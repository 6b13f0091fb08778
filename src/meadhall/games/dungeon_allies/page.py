"""The values that ``page.html`` draws."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Any, Final

from meadhall.games.dungeon_allies.boards import (
    BEATS,
    Ally,
    Boards,
    Card,
    Member,
    PlacedDie,
    PlayerArea,
    Square,
    chance_of,
    items,
    value,
)
from meadhall.games.dungeon_allies.components import COMPONENTS, SKILL_NAMES
from meadhall.games.dungeon_allies.components import Monster as Tile
from meadhall.games.dungeon_allies.names import Names
from meadhall.games.dungeon_allies.pieces import (
    DICE,
    FIGHT_DICE,
    FIRST_FOLLOWER,
    LEVELS,
    NONE,
    TARGETS,
    Act,
    Phase,
    Target,
    parse,
    place,
    trade,
)
from meadhall.games.dungeon_allies.refusals import DIE_MATTERS, at_the_tavern, caution
from meadhall.games.dungeon_allies.rules.excursion import is_fighting
from meadhall.games.dungeon_allies.state import State, has_seen
from meadhall.games.dungeon_allies.story import Fight, FightDie, Monster, told
from meadhall.sdk import View, current_language

SOUNDS: Final = ("dice", "hit", "door", "coins", "crystal", "card", "mug", "chest", "chain", "roar", "thunder")
"""The sounds of ``stage.js``, which a page loads at the first tap."""


@dataclass(frozen=True)
class Own:
    """The values for a seat's private part of the page.

    Attributes:
        phase: the decision in lower case; "" while the seat waits.
        boards: the boards for the seat that decides.
        unplaced: the dice that the seat can place now.
        seen: the tiles that only the seat and perhaps some others have looked at: the target, the square, its dice, and for each
            die of the seat the chance in per cent to beat the tile alone.
        chances: by action, the chance in per cent to win the fight after it.
        warning: why no follower can join the seat that bids now; "" if one can.
        deeds: the kind, in lower case, and the argument of each action that the page offers.
        cautions: by action, what the seat still lacks to gain something from a placement.
        targets: the targets of the eight places, as many as there are with these components.
        levels: the squares of the three levels.
        cells: where each square is drawn.
    """

    phase: str
    boards: Boards | None
    turn: int
    area: PlayerArea
    unplaced: tuple[int, ...]
    seen: tuple[SeenTile, ...]
    chances: dict[int, int]
    warning: str
    deeds: dict[int, tuple[str, int]]
    cautions: dict[int, str]
    targets: tuple[tuple[int, ...], ...]
    levels: tuple[tuple[int, ...], ...]
    cells: tuple[int, ...]


SeenTile = tuple[int, Square, tuple[PlacedDie, ...], tuple[tuple[int, int], ...]]
"""See ``Own.seen``."""


# ------------------------------------------------------------------------------------------------------------------ components


def components(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the print on the components of a match with these options, for the figures of the rulebook."""
    printed = COMPONENTS.of(options[COMPONENTS.name])
    names = Names(printed)
    most = max(tile.red.gold for tile in printed.monster)
    return {
        "squares": [printed.levels_of_squares.count(level) for level in range(LEVELS)],  # DA-1.5: how many each level has
        "gifts": [items(space.crystals.counts) for space in printed.turn_order_space],  # DA-5.1
        "prisoners": [  # DA-9.1: names, offerings and rewards
            (names.prisoner(space), items(each.offering.counts), items(each.reward.counts))
            for space, each in enumerate(printed.prisoner_space)
        ],
        "lines": [(items(line.left.counts), items(line.right.counts)) for line in printed.trade],  # DA-10.1
        "cards": [  # DA-13.2: and their points in words
            (Card(names.card(card), tuple(map(value, each.kinds))), names.value(card))
            for card, each in enumerate(printed.sorcerer_card)
        ],
        "monsters": [  # DA-4.4
            Monster(names.monster(tile), SKILL_NAMES.index(each.weakness), _faces(each), each.red.gold == most)
            for tile, each in enumerate(printed.monster)
        ],
        "allies": [  # DA-1.2: the characters, then the followers
            Ally(names.ally(ally), SKILL_NAMES.index(each.skill), ally >= FIRST_FOLLOWER)
            for ally, each in enumerate(printed.allies)
        ],
    }


def _faces(tile: Tile) -> tuple[tuple[int, int], ...]:
    return tuple((face.target, face.gold) for face in tile.faces)


# ------------------------------------------------------------------------------------------------------------------ public part


def picture(view: View) -> Boards:
    """Return the boards."""
    return Boards(view)


# ----------------------------------------------------------------------------------------------------------------- private part


def beats(view: View) -> int:
    """Return how long the board shows the scenes of the last step, in beats (see ``stage.js``)."""
    scenes = [scene for scene in told(view, current_language())[1] if scene.n == view.steps[-1].n]
    length = sum(BEATS["fight"] if scene.fight else BEATS["scene"] + BEATS["line"] * (len(scene.lines) - 1) for scene in scenes)
    return min(length, BEATS["all"])


def own(view: View) -> Own:
    """Return the values for a seat's private part."""
    state, boards, seat = view.state, Boards(view), view.viewer
    phase = Phase(state.phase) if view.actor == seat else None
    area = boards.area(seat)
    fight = boards.fight if phase in (Phase.PREP, Phase.REROLL) else None
    deeds = {} if phase is None else {action: parse(action) for action in offered(view)}
    return Own(
        phase="" if phase is None else phase.name.lower(),
        boards=None if phase is None else boards,
        turn=view.plain.turn,
        area=area,
        unplaced=tuple(_unplaced(state, seat)) if phase == Phase.PLACE else (),
        seen=tuple(_seen_tiles(view, boards, area)),
        chances={} if fight is None else dict(_chances(view, fight)),
        warning=at_the_tavern(state, seat) if phase == Phase.BID else "",
        deeds={action: (kind.name.lower(), argument) for action, (kind, argument) in deeds.items()},
        cautions=dict(_cautions(state, seat, deeds)),
        targets=_targets(view.plain.prisoners),
        levels=boards.levels,
        cells=boards.cells,
    )


def _targets(prisoners: int) -> tuple[tuple[int, ...], ...]:
    """DA-4.1: Return the targets of the eight places."""
    return tuple(targets[:prisoners] if targets[0] == Target.PRISONER else targets for targets in _PLACES)


_PLACES = tuple(tuple(range(first, end)) for first, end in pairwise((*Target, TARGETS)))
"""The targets of the eight places, if there are as many prisoners as there can be."""


def _cautions(state: State, seat: int, deeds: Mapping[int, tuple[Act, int]]) -> Iterator[tuple[int, str]]:
    lacking = cache(caution)  # of this decision: the dice that the seat still has go to the same places
    for action, (kind, argument) in deeds.items():
        if kind == Act.PLACE:
            target, die = divmod(argument, DICE)
            words = lacking(state, seat, target, die if target in DIE_MATTERS else NONE)
            if words:
                yield action, words


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
                changed = dice | {die: dice[die]._replace(doubled="bless")}
            case Act.REROLL:
                changed = dice | {die: dice[die]._replace(value=0)}
            case _:
                continue
        yield action, chance_of(changed.values(), fight.target)


def _unplaced(state: State, seat: int) -> Iterable[int]:
    """DA-3.1: Yield the dice that a seat still has to place."""
    return (die for die in range(DICE) if state.ally[seat, die] != NONE and state.place[seat, die] == NONE)


def _seen_tiles(view: View, boards: Boards, area: PlayerArea) -> Iterator[SeenTile]:
    """DA-3.4: Yield the tiles that the seat has looked at and that are not face up yet."""
    for target, seen in enumerate(view.plain.seen):
        if seen and has_seen(view.state, area.seat, target) and not has_seen(view.state, NONE, target):
            square = boards.square(target)
            assert square.monster is not None, "a seat knows the tiles that it has seen"
            chances = tuple((member.die, _chance_alone(member, square.monster, square.level)) for member in area.members)
            others = tuple(seat for seat in square.seen if seat != area.seat)
            yield target, square._replace(seen=others), boards.dice(target), chances


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
