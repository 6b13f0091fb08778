"""What has happened in a turn, scene by scene: every fight, and what each of the other places gave."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from meadhall.engine import events
from meadhall.engine.view import View
from meadhall.games.dungeon_allies.components import ITEM_NAMES, Components, components_of
from meadhall.games.dungeon_allies.names import Names
from meadhall.games.dungeon_allies.state import LEVELS, MONSTERS, SIDES, Event, State, Step, level_of


@dataclass(frozen=True)
class Monster:
    """A tile: what it is called, what it fears, its targets and its gold on the three levels; ``great``: of the dearest."""

    name: str
    weakness: int
    faces: tuple[tuple[int, int], ...]
    great: bool


@dataclass(frozen=True)
class Thrown:
    """A die in a fight. ``value``: 0 before the roll; ``fresh``: rolled just now; ``extra``: no ally's."""

    die: int
    value: int = 0
    doubled: Literal["", "skill", "bless"] = ""
    extra: bool = False
    fresh: bool = False

    @property
    def counted(self) -> int:
        """DA-4.4: what it counts."""
        return 2 * self.value if self.doubled else self.value


@dataclass(frozen=True)
class Fight:
    """A fight: going on, or over."""

    seat: int
    square: int
    level: int
    monster: Monster
    dice: tuple[Thrown, ...] = ()
    outcome: Literal["", "won", "lost"] = ""

    @property
    def target(self) -> int:
        """DA-4.4: what the dice have to reach."""
        return self.monster.faces[self.level][0]

    @property
    def gold(self) -> int:
        """DA-4.7: what there is to be gained."""
        return self.monster.faces[self.level][1]

    @property
    def total(self) -> int:
        """DA-4.4: the sum of what was rolled."""
        return sum(die.counted for die in self.dice)


@dataclass(frozen=True)
class Line:
    """What a player did or got at a place, in words; the items that changed hands, negative where they were paid."""

    seat: int | None
    text: str
    items: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True)
class Scene:
    """What happened at one place, told in one step: number ``n``, and of its scenes number ``part``."""

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
    Event.TRADES: Step.TRADE,
    Event.BUYS: Step.SORCERER,
    Event.DECLINES: Step.SORCERER,
    Event.CANNOT_PAY: Step.SORCERER,
    Event.TURN_ENDED: Step.PLACEMENT,
}
"""Where an event belongs that is told by itself. ``gains`` stands alone only in the turn order."""

TOLD_BEFORE = (Event.LOOTS, Event.FREES, Event.BUYS)
"""What may be followed by gains and payments that belong to it."""


def monster_of(state: State, names: Names, monster: int) -> Monster:
    """A tile by its number."""
    faces = tuple((int(state.target[level, monster]), int(state.bounty[level, monster])) for level in range(LEVELS))
    dearest = max(state.bounty[LEVELS - 1, other] for other in range(MONSTERS))
    return Monster(names.monster(monster), int(state.weakness[monster]), faces, faces[-1][1] == dearest)


def story(view: View) -> tuple[int, tuple[Scene, ...]]:
    """The scenes of the turn that goes on; while nothing has happened in it but placing, of the one before. And which turn."""
    turn = int(view.state.turn)
    chapter: list[tuple[int, events.Event]] = []
    for step in reversed(view.steps):
        for event in reversed(step.events):
            if event.kind == Event.TURN_ENDED and chapter and (scenes := Teller(view).tell(reversed(chapter))):
                return turn, scenes
            if event.kind == Event.TURN_ENDED:
                chapter, turn = [], event.arguments[0]
            chapter.append((step.n, event))
    return turn, Teller(view).tell(reversed(chapter))


class Teller:
    """Makes scenes of events."""

    def __init__(self, view: View) -> None:
        self._view = view
        self._components: Components = components_of(view.options)
        self._names = Names(self._components)
        self._scenes: list[Scene] = []
        self._fight: Fight | None = None

    def tell(self, happened: Iterable[tuple[int, events.Event]]) -> tuple[Scene, ...]:
        """The scenes of a turn, from its events and the numbers of their steps."""
        before: int | None = None
        for n, event in happened:
            kind = Event(event.kind)
            if kind in (Event.GAINS, Event.PAYS) and before in TOLD_BEFORE:
                self._change_hands(event)
                continue
            before = kind
            if kind in (Event.DEFEATS, Event.FAILS):
                self._end_fight(n, event)
            elif kind in PLACES:
                self._at(n, PLACES[kind], self._line(event))
            else:
                self._go_on_fighting(kind, event.arguments)
        return tuple(self._scenes)

    def _at(self, n: int, place: int, line: Line, fight: Fight | None = None) -> None:
        """A line of what happened at a place; what one step tells of one place is one scene, but every fight is its own."""
        last = self._scenes[-1] if self._scenes else None
        if last and fight is None and (last.n, last.place) == (n, place):
            self._scenes[-1] = replace(last, lines=(*last.lines, line))
        else:
            part = last.part + 1 if last and last.n == n else 0
            self._scenes.append(Scene(n, part, place, (line,), fight))

    def _line(self, event: events.Event) -> Line:
        told = self._view.game.words.event(event, self._view.names)
        if event.kind in (Event.ROUND, Event.ORDER, Event.TURN_ENDED):
            return Line(None, told)
        items = ((ITEM_NAMES.index(event.arguments[1]), event.arguments[2]),) if event.kind == Event.GAINS else ()
        return Line(event.arguments[0], told, items)

    def _change_hands(self, event: events.Event) -> None:
        scene = self._scenes[-1]
        *lines, line = scene.lines
        count = event.arguments[2] if event.kind == Event.GAINS else -event.arguments[2]
        changed = replace(line, items=(*line.items, (ITEM_NAMES.index(event.arguments[1]), count)))
        self._scenes[-1] = replace(scene, lines=(*lines, changed))

    # ------------------------------------------------------------------------------------------------------------------ fights

    def _go_on_fighting(self, kind: Event, arguments: Sequence[int | str]) -> None:
        fight = self._fight
        if kind == Event.REVEALED:
            where, monster = int(arguments[0]), [each.id for each in self._components.monster].index(str(arguments[1]))
            self._fight = Fight(0, where, level_of(where), monster_of(self._view.state, self._names, monster))
        elif fight and kind == Event.ENHANCES:
            self._fight = replace(fight, dice=(*fight.dice, Thrown(_die(arguments), extra=True)))
        elif fight and kind == Event.BLESSES:
            self._fight = replace(fight, dice=(*_but(fight, arguments), replace(_of(fight, arguments), doubled="bless")))
        elif fight and kind in (Event.ROLLED, Event.REROLLED):
            thrown = _of(fight, arguments)
            doubled = thrown.doubled or ("skill" if int(arguments[3]) > int(arguments[2]) else "")
            thrown = replace(thrown, value=int(arguments[2]), doubled=doubled, fresh=True)
            dice = sorted((*_but(fight, arguments), thrown), key=lambda each: each.die)
            self._fight = replace(fight, dice=tuple(dice))

    def _end_fight(self, n: int, event: events.Event) -> None:
        assert self._fight is not None, "a tile is revealed before its fight ends"
        won = event.kind == Event.DEFEATS
        fight = replace(self._fight, seat=event.arguments[0], outcome="won" if won else "lost")
        items = ((ITEM_NAMES.index("gold"), event.arguments[2]),) if won else ()
        self._at(n, Step.EXCURSION, replace(self._line(event), items=items), fight)
        self._fight = None


def _die(arguments: Sequence[int | str]) -> int:
    return SIDES.index(int(arguments[1]))


def _of(fight: Fight, arguments: Sequence[int | str]) -> Thrown:
    """The die that an event is about."""
    die = _die(arguments)
    return next((thrown for thrown in fight.dice if thrown.die == die), Thrown(die))


def _but(fight: Fight, arguments: Sequence[int | str]) -> tuple[Thrown, ...]:
    """All the others."""
    return tuple(thrown for thrown in fight.dice if thrown.die != _die(arguments))
