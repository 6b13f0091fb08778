"""The values that ``page.html`` draws."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from itertools import pairwise
from typing import Any, Final, NamedTuple

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
from meadhall.games.dungeon_allies.components import COMPONENTS, SKILL_NAMES, Monster as Tile
from meadhall.games.dungeon_allies.names import Names, die as die_name
from meadhall.games.dungeon_allies.pieces import (
    DICE,
    FIGHT_DICE,
    FIRST_FOLLOWER,
    LEVELS,
    NONE,
    SQUARES,
    TARGETS,
    Act,
    Phase,
    Target,
    parse,
    trade,
)
from meadhall.games.dungeon_allies.refusals import DIE_MATTERS, at_the_tavern, caution
from meadhall.games.dungeon_allies.rules.excursion import is_fighting
from meadhall.games.dungeon_allies.state import State
from meadhall.games.dungeon_allies.story import Fight, FightDie, Monster, story
from meadhall.sdk import View


class Note(NamedTuple):
    """What a seat should know before it places a die on a target.

    Attributes:
        dice: the dice that it is about.
        text: the reason of a refusal, or what the seat still lacks to gain something.
        rule: of a refusal; "" for a caution.
    """

    dice: tuple[int, ...]
    text: str
    rule: str = ""

    @property
    def words(self) -> str:
        """The text, with the rule."""
        return f"{self.text} ({self.rule})" if self.rule else self.text


SOUNDS: Final = ("dice", "hit", "door", "coins", "crystal", "card", "mug", "chest", "chain", "roar", "thunder")
"""The sounds of ``stage.js``, which a page loads at the first tap."""


@dataclass(frozen=True)
class Own:
    """The values for a seat's private part of the page.

    Attributes:
        phase: the decision in lower case; "" while the seat waits.
        turn: the number of the turn.
        area: everything that the seat has.
        unplaced: the dice that the seat can place now.
        notes: by target, what the seat should know before it places a die there.
        seen: the tiles that only the seat and perhaps some others have looked at: the target, the square, its dice, and for each
            die of the seat the chance in per cent to beat the tile alone.
        chances: by action, the chance in per cent to win the fight after it.
        warning: why no follower can join the seat that bids now; "" if one can.
        deeds: the kind, in lower case, and the argument of each action that the page offers, except on the boards.
        goals: by square, the action that chooses it.
        subject: the pieces about which the seat decides.
        targets: the targets of the eight places, as many as there are with these components.
        levels: the squares of the three levels.
        cells: where each square is drawn.
    """

    phase: str
    turn: int
    area: PlayerArea
    unplaced: tuple[int, ...]
    notes: dict[int, tuple[Note, ...]]
    seen: tuple[SeenTile, ...]
    chances: dict[int, int]
    warning: str
    deeds: dict[int, tuple[str, int]]
    goals: dict[int, int]
    subject: Any
    targets: tuple[tuple[int, ...], ...]
    levels: tuple[tuple[int, ...], ...]
    cells: tuple[int, ...]

    @property
    def noted(self) -> dict[int, tuple[str, str]]:
        """The classes and the words of the targets that have notes.

        The classes are "no" or "c" if a note refuses all dice or is a caution for them, else such as "x0 c3".
        """
        return {target: _marks(notes, self.unplaced) for target, notes in self.notes.items()}


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


def regions(page: Any) -> dict[str, Any]:
    """Return the parts of the boards and of the plates that change, by their ids. ``dice-44`` lie on target 44."""
    p: Boards = page.picture
    state, who = p.state, p.names
    parts: dict[str, Any] = {
        "da-board": {"class": "da", "data-now": state.step if state.actor >= 0 else 0, "data-asked": p.asked},
        "tally": ("tally", state.removed, p.ends),
        "price": ("price", p.price),
        "turn-number": ("turn_number", "turn-number", state.turn),
        "da-stage": ("fight_stage", p.fight, p.chance),
        "da-final": ("final", _final(p, page.result), who),
        "order": ("order", p.order),
        "benches": ("benches", p.trainer_spaces, p.trainees),
        "visitor": ("visitor", p.follower),
        "leading": ("bid", p.follower, state.bidder, p.least_bid),
        _about(Target.TRAINER): ("about_trainer", p.trainer_spaces - len(p.trainees)),
        _about(Target.TAVERN): ("about_tavern", p.follower, state.followers, state.bidder, p.least_bid, who),
        _about(Target.TRADE): ("about_trade", p.lines, p.box),
    }
    for square in range(SQUARES):
        parts[f"spot-{square}"] = ("room", square, p.square(square), p.dice(square), who)
    next_space = next((k for k, (_gift, die) in enumerate(p.track) if die is None), len(p.track))
    gift = p.track[next_space][0] if next_space < len(p.track) else None
    parts[_about(Target.TURN_ORDER)] = ("about_track", p.order, next_space, gift, who)
    for k, (each, die) in enumerate(p.track):
        parts[f"step-{k}"] = ("step", k, each, die, k == next_space)
    for target in (target for place in _targets(state.prisoners)[2:] for target in place if target != Target.TRAINER):
        parts[f"dice-{target}"] = ("dice", target, p.dice(target))
    for k, (content, guarded) in enumerate(p.treasures):
        parts[f"heap-{k}"] = ("heap", k, content, guarded)
        parts[_about(Target.TREASURE + k)] = ("about_treasure", k, content, guarded, p.dice(Target.TREASURE + k), who)
    for k, (name, offering, reward) in enumerate(p.prisoners):
        target = Target.PRISONER + k
        parts[_about(target)] = ("about_prisoner", target, name, offering, reward, p.dice(target), who)
    for k, card in enumerate(p.offers):
        parts[f"offer-{k}"] = ("offer", k, card)
        parts[_about(Target.SORCERER + k)] = ("about_offer", k, card, p.price, p.dice(Target.SORCERER + k), who)
    for area in p.areas:
        parts[f"facts-{area.seat}"] = ("possessions", area.seat, area.items, len(area.cards), area.points)
        members = {member.die: member for member in area.members}
        for size in range(DICE):
            one = members.get(size)
            parts[f"more-{area.seat}-{size}"] = ("pair", area.seat, size, one and one.ally, one and one.where)
    return parts


def _about(target: int) -> str:
    return f"about-{int(target)}"


def _final(p: Boards, result: Any) -> tuple[tuple[int, bool, int, int], ...]:
    """Return the seats at the end, best first: whether it has won, its gold, and its points."""
    rows = [] if result is None else [(one.seat, one.seat in result.winners, one.items.counts[-1], one.points) for one in p.areas]
    return tuple(sorted(rows, key=lambda row: (-row[3], not row[1], row[0])))


# ----------------------------------------------------------------------------------------------------------------- private part


def beats(view: View) -> int:
    """Return how long the board shows the scenes of the last step, in beats (see ``stage.js``)."""
    scenes = [scene for scene in story(view)[1] if scene.n == view.steps[-1].n]
    length = sum(BEATS["fight"] if scene.fight else BEATS["scene"] + BEATS["line"] * (len(scene.lines) - 1) for scene in scenes)
    return min(length, BEATS["all"])


def own(view: View) -> Own:
    """Return the values for a seat's private part."""
    state, boards, seat = view.state, Boards(view), view.viewer
    phase = Phase(state.phase) if view.actor == seat else None
    area = boards.area(seat)
    fight = boards.fight if phase in (Phase.PREP, Phase.REROLL) else None
    unplaced = tuple(_unplaced(state, seat)) if phase == Phase.PLACE else ()
    deeds = {action: parse(action) for action in (offered(view) if phase is not None else ())}
    return Own(
        phase="" if phase is None else phase.name.lower(),
        turn=view.plain.turn,
        area=area,
        unplaced=unplaced,
        notes=_notes(view, unplaced) if unplaced else {},
        seen=tuple(_seen_tiles(view, boards, area)),
        chances={} if fight is None else dict(_chances(view, fight)),
        warning=at_the_tavern(state, seat) if phase == Phase.BID else "",
        deeds={action: (kind.name.lower(), argument) for action, (kind, argument) in deeds.items() if kind not in _GOALS},
        goals={argument: action for action, (kind, argument) in deeds.items() if kind in _GOALS},
        subject=None if phase is None else _subject(boards, seat, phase),
        targets=_targets(view.plain.prisoners),
        levels=boards.levels,
        cells=boards.cells,
    )


_GOALS = (Act.PEEK, Act.FIGHT)
"""Actions that choose a square."""


def _subject(boards: Boards, seat: int, phase: Phase) -> Any:
    match phase:
        case Phase.ASSIGN:
            return tuple(map(boards.ally, boards.state.dealt[seat]))
        case Phase.PREP | Phase.REROLL:
            return {die.die: die for die in boards.fight.dice} if boards.fight else {}
        case Phase.FOLLOWER_DIE:
            return boards.follower
        case Phase.PRISONER:
            return boards.prisoners[boards.state.cursor][1:]
        case Phase.TRADE:
            return boards.lines
        case Phase.BUY:
            return boards.price
    return None


def _notes(view: View, dice: tuple[int, ...]) -> dict[int, tuple[Note, ...]]:
    """Return what the seat should know before it places one of these dice, by target."""
    state, legal = view.state, set(view.legal)
    lacking = cache(partial(caution, state, view.viewer))
    found = dict[int, tuple[Note, ...]]()
    for target in (target for targets in _targets(view.plain.prisoners) for target in targets):
        first = _FIRST + DICE * target
        allowed = tuple(die for die in dice if first + die in legal)
        if not allowed:  # one reason for all
            rule, text = view.refusal(first + dice[0])
            found[target] = (Note(dice, text, rule),)
            continue
        some = [] if target < Target.TREASURE else [(die,) for die in allowed] if target in DIE_MATTERS else [allowed]
        known: list[tuple[tuple[int, ...], tuple[str, str]]] = [
            ((die,), view.refusal(first + die)) for die in dice if die not in allowed
        ]
        known += [(each, ("", lacking(min(target, Target.SORCERER), each[0]))) for each in some]  # all cards have one price
        texts = defaultdict[tuple[str, str], tuple[int, ...]](tuple)
        for each, (rule, text) in known:
            texts[text, rule] += each
        if any(text for text, _rule in texts):
            found[target] = tuple(Note(each, text, rule) for (text, rule), each in texts.items() if text)
    return found


_FIRST: Final = int(Act.PLACE)


def control_regions(page: Any) -> dict[str, Any]:
    """Return the controls of a seat: what it can choose on the boards, its area, and the other choices below."""
    shown: Own = page.own
    seat, area = shown.area.seat, shown.area
    choices = [each for each in page.choices if each.action in shown.deeds]
    choices.sort(key=lambda each: each.action == Act.END_TRADE)  # it stands last
    chosen = [(each, *shown.deeds[each.action], shown.chances.get(each.action)) for each in choices]
    return (
        _looks(shown)
        | _slots(shown)
        | {
            "da-mine": {"class": "da mine", "data-phase": shown.phase, "data-notes": _noted(shown)},
            "acts": ("acts", seat, shown.phase, tuple(chosen), shown.subject, shown.warning),
            "purse": ("purse", area.items),
            "fan": ("fan", seat, area.cards, area.points),
            "own-turn": ("turn_number", "own-turn", shown.turn),
        }
    )


def _looks(shown: Own) -> dict[str, Any]:
    """Return the tiles that only the seat has seen, and the squares that it can choose."""
    found = _NOTHING_SEEN.copy()
    looks = {target: (square, dice, odds) for target, square, dice, odds in shown.seen}
    for target in looks.keys() | shown.goals.keys():
        found[f"look-{target}"] = ("look", target, *looks.get(target, (None, (), ())), shown.goals.get(target))
    return found


_NOTHING_SEEN: Final[dict[str, Any]] = {f"look-{square}": ("look", square) for square in range(SQUARES)}


def _marks(notes: tuple[Note, ...], dice: tuple[int, ...]) -> tuple[str, str]:
    if len(notes) == 1 and notes[0].dice == dice:
        return "no" if notes[0].rule else "c", notes[0].words
    found = [f"{'x' if note.rule else 'c'}{die}" for note in notes for die in note.dice]
    return " ".join(found), " ".join(f"{', '.join(map(die_name, note.dice))}: {note.words}" for note in notes)


def _noted(shown: Own) -> str | None:
    """Return what ``board.js`` writes on the targets: classes, words, and the targets that have them."""
    found = defaultdict[tuple[str, str], list[int]](list)
    for target, noted in shown.noted.items():
        found[noted].append(target)
    return json.dumps([[*words, targets] for words, targets in found.items()], ensure_ascii=False) if found else None


def _slots(shown: Own) -> dict[str, Any]:
    """Return the seat's allies, with the dice that it can choose."""
    members = {member.die: member for member in shown.area.members}
    found = dict[str, Any]()
    for size in range(DICE):
        member, can = members.get(size), size in shown.unplaced
        kind = "empty" if member is None else "can" if can else "away" if member.where else ""
        where, drag = member.where or None if member else None, "#controls .da-to" if can else None
        found[f"slot-{size}"] = {"class": f"da-slot {kind}".strip(), "data-where": where, "data-drag": drag}
        found[f"take-{size}"] = {"disabled": None if can else "", "checked": "" if shown.unplaced == (size,) else None}
        found[f"held-{size}"] = ("held", size, shown.area.seat, member and member.ally)
    return found


@cache
def _targets(prisoners: int) -> tuple[tuple[int, ...], ...]:
    """DA-4.1: Return the targets of the eight places."""
    return tuple(targets[:prisoners] if targets[0] == Target.PRISONER else targets for targets in _PLACES)


_PLACES = tuple(tuple(range(first, end)) for first, end in pairwise((*Target, TARGETS)))
"""The targets of the eight places, if there are as many prisoners as there can be."""


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
        if seen >> (1 + area.seat) & 1 and not seen & 1:  # as `has_seen` says, for a spectator, too
            square = boards.square(target)
            assert square.monster is not None, "a seat knows the tiles that it has seen"
            chances = tuple((member.die, _chance_alone(member, square.monster, square.level)) for member in area.members)
            others = tuple(seat for seat in square.seen if seat != area.seat)
            yield target, square._replace(seen=others), boards.dice(target), chances


@lru_cache(maxsize=1024)
def _chance_alone(member: Member, monster: Monster, level: int) -> int:
    """DA-4.4: Return the chance in per cent that an ally beats a monster without help."""
    die = FightDie(member.die, doubled="skill" if member.ally.skill == monster.weakness else "")
    return chance_of((die,), monster.faces[level][0])


def offered(view: View) -> Iterable[int]:
    """Return the legal actions, and illegal ones that the page shows with their refusals: every spell and exchange.

    The places for a die have no text of their own: the page knows them by ``Own.notes``.
    """
    if view.state.phase == Phase.PLACE:
        return [int(Act.ILLUMINATE)]
    return sorted({*view.legal, *_explained(view)})


def _explained(view: View) -> Iterator[int]:
    """Yield illegal actions that deserve an explanation, and possibly legal ones."""
    state, legal = view.state, set(view.legal)
    match state.phase:
        case Phase.PREP:
            sent = [die for die in range(FIGHT_DICE) if is_fighting(state, die)]
            enhance, bless = [Act.ENHANCE + die for die in range(FIGHT_DICE)], [Act.BLESS + die for die in sent]
            for spell in ([int(Act.HAMMER)], enhance, bless):
                if not legal.intersection(spell):
                    yield spell[0]
        case Phase.TRADE:
            yield from (trade(line, direction) for line in range(state.lines) for direction in range(2))
