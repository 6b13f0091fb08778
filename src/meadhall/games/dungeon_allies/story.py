"""The story of a turn, for the page: every fight and the results of the other places, scene by scene."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

from meadhall.games.dungeon_allies.components import ITEM_NAMES, Components, components_of
from meadhall.games.dungeon_allies.names import Names
from meadhall.games.dungeon_allies.pieces import LEVELS, SIDES, Item
from meadhall.games.dungeon_allies.state import Event, Step
from meadhall.sdk import Event as GameEvent, PlainState, View


class Monster(NamedTuple):
    """A tile.

    Attributes:
        weakness: a skill.
        faces: target and gold on each of the three levels.
        crowned: whether no tile gives more gold on the red level.
    """

    name: str
    weakness: int
    faces: tuple[tuple[int, int], ...]
    crowned: bool


class FightDie(NamedTuple):
    """A die in a fight.

    Attributes:
        value: 0 before the roll.
        doubled: why it counts double, or "".
        extra: whether it was added by Enhance.
    """

    die: int
    value: int = 0
    doubled: Literal["", "skill", "bless"] = ""
    extra: bool = False

    @property
    def counted(self) -> int:
        """DA-4.4: The value that counts."""
        return 2 * self.value if self.doubled else self.value


class Fight(NamedTuple):
    """A fight that goes on or is over."""

    seat: int
    square: int
    level: int
    monster: Monster
    dice: tuple[FightDie, ...] = ()
    outcome: Literal["", "won", "lost"] = ""

    @property
    def target(self) -> int:
        """DA-4.4: The total that the dice must reach."""
        return self.monster.faces[self.level][0]

    @property
    def gold(self) -> int:
        """DA-4.7: The gold for a win."""
        return self.monster.faces[self.level][1]

    @property
    def total(self) -> int:
        """DA-4.4: The sum of the rolled dice."""
        return sum(die.counted for die in self.dice)


class Line(NamedTuple):
    """A line of the story.

    Attributes:
        seat: the player whom it concerns; None if it concerns all.
        items: the items that the player gained (positive) or paid (negative), with their counts.
    """

    seat: int | None
    text: str
    items: tuple[tuple[int, int], ...] = ()


class Scene(NamedTuple):
    """The events of one place in one step of the match: step number ``n``, and scene number ``part`` of that step."""

    n: int
    part: int
    place: int  # 1 to 8; 0: the end of the turn
    lines: tuple[Line, ...] = ()
    fight: Fight | None = None


PLACES: dict[Event, int] = {
    Event.HAMMERS: Step.EXCURSION,
    Event.ROUND: Step.EXCURSION,
    Event.GAINS: Step.TURN_ORDER,
    Event.ORDER: Step.TURN_ORDER,
    Event.LOOTS: Step.TREASURE,
    Event.GUARDED: Step.TREASURE,
    Event.TRAINED: Step.TRAINER,
    Event.TRAINING_FORFEIT: Step.TRAINER,
    Event.FOLLOWER_JOINS: Step.TAVERN,
    Event.TAVERN_FORFEIT: Step.TAVERN,
    Event.FREES: Step.PRISONER,
    Event.PRISONER_FORFEIT: Step.PRISONER,
    Event.PRISONER_DECLINED: Step.PRISONER,
    Event.TRADES: Step.TRADE,
    Event.BUYS: Step.SORCERER,
    Event.DECLINES: Step.SORCERER,
    Event.CANNOT_PAY: Step.SORCERER,
    Event.TURN_ENDED: Step.PLACEMENT,
}
"""The place of each event that gets a line. A ``gains`` gets its own line only in the turn order."""

WITH_ITEMS = (Event.LOOTS, Event.FREES, Event.BUYS)
"""Events whose line also shows the gains and payments that follow."""


def monster_of(state: PlainState, names: Names, monster: int) -> Monster:
    """Return a tile by its number."""
    faces = tuple((state.target[level][monster], state.bounty[level][monster]) for level in range(LEVELS))
    return Monster(names.monster(monster), state.weakness[monster], faces, faces[-1][1] == max(state.bounty[LEVELS - 1]))


def story(view: View) -> tuple[int, tuple[Scene, ...]]:
    """Return the number and the scenes of the current turn, or of the previous one while players are still placing dice."""
    turn = int(view.state.turn)
    happened: list[tuple[int, GameEvent]] = []
    for step in reversed(view.steps):
        if any(event.kind == Event.ASSIGNED for event in step.events):
            break  # turn order and treasure of the set-up belong to no turn
        for event in reversed(step.events):
            if event.kind == Event.TURN_ENDED and happened and (scenes := SceneBuilder(view).build(reversed(happened))):
                return turn, scenes
            if event.kind == Event.TURN_ENDED:
                happened, turn = [], event.arguments[0]
            happened.append((step.n, event))
    return turn, SceneBuilder(view).build(reversed(happened))


class SceneBuilder:
    """Builder of scenes from events."""

    def __init__(self, view: View) -> None:
        self._view = view
        self._state = view.plain
        self._components: Components = components_of(view.options)
        self._names = Names(self._components)
        self._scenes: list[Scene] = []
        self._fight: Fight | None = None

    def build(self, happened: Iterable[tuple[int, GameEvent]]) -> tuple[Scene, ...]:
        """Return the scenes of a turn from its events and the numbers of their steps."""
        before: int | None = None
        for n, event in happened:
            kind = Event(event.kind)
            if kind in (Event.GAINS, Event.PAYS) and before in WITH_ITEMS:
                self._add_items(event)
                continue
            before = kind
            if kind in (Event.DEFEATS, Event.FAILS):
                self._end_fight(n, event)
            elif kind in PLACES:
                self._add_line(n, PLACES[kind], self._line(event))
            else:
                self._continue_fight(kind, event.arguments)
        return tuple(self._scenes)

    def _add_line(self, n: int, place: int, line: Line, fight: Fight | None = None) -> None:
        """Add a line at a place. The lines of one step at one place form a scene; every fight is a scene by itself."""
        last = self._scenes[-1] if self._scenes else None
        if last and fight is None and (last.n, last.place) == (n, place):
            self._scenes[-1] = last._replace(lines=(*last.lines, line))
        else:
            part = last.part + 1 if last and last.n == n else 0
            self._scenes.append(Scene(n, part, place, (line,), fight))

    def _line(self, event: GameEvent) -> Line:
        text = self._view.game.words.event(event, self._view.names)
        if event.kind in (Event.ROUND, Event.ORDER, Event.TURN_ENDED):
            return Line(None, text)
        items = ((ITEM_NAMES.index(event.arguments[1]), event.arguments[2]),) if event.kind == Event.GAINS else ()
        return Line(event.arguments[0], text, items)

    def _add_items(self, event: GameEvent) -> None:
        scene = self._scenes[-1]
        *lines, line = scene.lines
        count = event.arguments[2] if event.kind == Event.GAINS else -event.arguments[2]
        changed = line._replace(items=(*line.items, (ITEM_NAMES.index(event.arguments[1]), count)))
        self._scenes[-1] = scene._replace(lines=(*lines, changed))

    # ------------------------------------------------------------------------------------------------------------------- fights

    def _continue_fight(self, kind: Event, arguments: Sequence[int | str]) -> None:
        fight = self._fight
        if kind == Event.REVEALED:
            square, monster = int(arguments[0]), [each.id for each in self._components.monster].index(str(arguments[1]))
            self._fight = Fight(0, square, self._state.level[square], monster_of(self._state, self._names, monster))
        elif fight and kind == Event.ENHANCES:
            self._fight = fight._replace(dice=(*fight.dice, FightDie(_size(arguments), extra=True)))
        elif fight and kind == Event.BLESSES:
            blessed = _die_of(fight, arguments)._replace(doubled="bless")
            self._fight = fight._replace(dice=(*_other_dice(fight, arguments), blessed))
        elif fight and kind in (Event.ROLLED, Event.REROLLED):
            die = _die_of(fight, arguments)
            doubled = die.doubled or ("skill" if int(arguments[3]) > int(arguments[2]) else "")
            die = die._replace(value=int(arguments[2]), doubled=doubled)
            dice = sorted((*_other_dice(fight, arguments), die), key=lambda each: each.die)
            self._fight = fight._replace(dice=tuple(dice))

    def _end_fight(self, n: int, event: GameEvent) -> None:
        assert self._fight is not None, "a tile is revealed before its fight ends"
        won = event.kind == Event.DEFEATS
        fight = self._fight._replace(seat=event.arguments[0], outcome="won" if won else "lost")
        items = ((int(Item.GOLD), event.arguments[2]),) if won else ()
        self._add_line(n, Step.EXCURSION, self._line(event)._replace(items=items), fight)
        self._fight = None


def _size(arguments: Sequence[int | str]) -> int:
    return SIDES.index(int(arguments[1]))


def _die_of(fight: Fight, arguments: Sequence[int | str]) -> FightDie:
    """Return the die that an event is about."""
    size = _size(arguments)
    return next((die for die in fight.dice if die.die == size), FightDie(size))


def _other_dice(fight: Fight, arguments: Sequence[int | str]) -> tuple[FightDie, ...]:
    return tuple(die for die in fight.dice if die.die != _size(arguments))
