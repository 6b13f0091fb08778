"""Positions set up by hand, with chosen dice rolls, and random matches, for the tests of Dungeon Allies."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pytest

from meadhall import IllegalAction, Match, game
from meadhall.engine.match.view import legal_actions
from meadhall.engine.state.chance import seed_from_text
from meadhall.engine.state.events import Event
from meadhall.games.dungeon_allies import pieces
from meadhall.games.dungeon_allies.components import ITEM_NAMES, SKILL_NAMES
from meadhall.games.dungeon_allies.pieces import (
    ALLIES,
    CARDS,
    CHARACTERS,
    COLOURS,
    CRYSTALS,
    DEALT,
    DICE,
    DISPLAY,
    FIRST_FOLLOWER,
    FOLLOWERS,
    GOLD_TREASURE,
    GONE,
    MONSTERS,
    NONE,
    SIDES,
    SQUARES,
    TREASURES,
    Act,
    Item,
    Phase,
    Target,
)
from meadhall.games.dungeon_allies.state import State, Step

DA = game("dungeon-allies")
LETTERS = "RBYGW"
A, B, C, D, E = range(5)

FIRST_TARGET = {
    "square": Target.SQUARE,
    "turn_order": Target.TURN_ORDER,
    "treasure": Target.TREASURE - 1,
    "trainer": Target.TRAINER,
    "tavern": Target.TAVERN,
    "prisoner": Target.PRISONER - 1,
    "trade": Target.TRADE,
    "sorcerer": Target.SORCERER - 1,
}

Faces = Mapping[int, tuple[int, int, str]]
"""By square: target, gold and weakness of the monster there."""

# ----------------------------------------------------------------------------------------------------------------------- scenes


def scene(
    allies: Mapping[int, Mapping[int, str]] | None = None,
    *,
    players: int = 2,
    order: Sequence[int] | None = None,
    gold: Mapping[int, int] | None = None,
    crystals: Mapping[int, str] | None = None,
    monsters: Faces | None = None,
    removed: int = 0,
    treasure: Mapping[int, str] | None = None,
    followers: int = FOLLOWERS,
    cards: Sequence[str] | None = None,
    turn: int = 1,
    components: Any = None,
    rules: Mapping[str, str] | None = None,
) -> Match:
    """Return a match at the beginning of a turn.

    Args:
        allies: the skills by die for each seat; a seat that isn't named has a d4 and a d6.
        order: the turn order; by default the order of the seats.
        crystals: as letters, e.g. ``"YYW"``.
        monsters: the numbers of the tiles on these squares for their level, and their weakness.
        removed: how many other tiles have been removed; no seat keeps them.
        treasure: crystals for spaces 1 to 4, a number of gold like ``"3"`` for space 5. Other spaces are empty.
        followers: how many are left in the tavern; no seat has the others.
        cards: the ids of the first cards on show; the others follow in the order of the data.
        components: a document of other components.
        rules: house rules by the names of their options.
    """
    options = {} if components is None else {"components": components}
    match = DA.match(players=players, seed="scene", **options, **(rules or {}))
    states = match.states
    state: Any = State.at(states)
    state.phase, state.step, state.turn, state.cursor = Phase.PLACE, Step.PLACEMENT, turn, 0
    state.order[:] = NONE
    state.order[:players] = order or range(players)
    state.actor = state.order[0]
    _put_allies(state, allies or {}, FOLLOWERS - followers)
    _put_monsters(state, monsters or {}, removed)
    _put_crystals(state, crystals or {}, treasure or {})
    for seat, count in (gold or {}).items():
        state.gold[seat] = count
    _put_cards(state, cards or [])
    return match.supposing(states)


def _put_allies(state: Any, allies: Mapping[int, Mapping[int, str]], gone: int) -> None:
    """Give characters with these skills, then followers; take ``gone`` more followers off the stack."""
    state.ally[:] = NONE
    free = list(range(ALLIES))
    for seat in range(state.players):
        for sides, skill in allies.get(seat, {}).items():
            ally = next(ally for ally in free if SKILL_NAMES[state.skill[ally]] == skill)
            free.remove(ally)
            state.ally[seat, SIDES.index(sides)] = ally
    for seat in range(state.players):
        if seat not in allies:
            for die in range(DEALT):
                state.ally[seat, die] = free.pop(0)
        state.dealt[seat] = [*(ally for ally in state.ally[seat].tolist() if 0 <= ally < CHARACTERS), NONE, NONE][:DEALT]
    stack = [ally for ally in free if ally >= FIRST_FOLLOWER][gone:]
    state.followers = len(stack)
    state.stack[:] = [*reversed(stack), *[NONE] * (FOLLOWERS - len(stack))]


def _put_monsters(state: Any, monsters: Faces, removed: int) -> None:
    """Put monster k on square k."""
    state.monster[:] = range(MONSTERS)
    for square, (target, gold, weakness) in monsters.items():
        state.target[state.level[square], square] = target
        state.bounty[state.level[square], square] = gold
        state.weakness[square] = SKILL_NAMES.index(weakness)
    for square in [square for square in range(SQUARES) if square not in monsters][:removed]:
        state.monster[square] = GONE
        state.owner[square] = GONE
        state.former[square] = square
    state.removed = removed


def _put_crystals(state: Any, crystals: Mapping[int, str], treasure: Mapping[int, str]) -> None:
    state.box[:] = CRYSTALS
    state.treasure[:] = 0
    for seat, letters in crystals.items():
        for letter in letters:
            state.crystals[seat, LETTERS.index(letter)] += 1
            state.box[LETTERS.index(letter)] -= 1
    for space, items in treasure.items():
        if items.isdecimal():
            state.treasure[GOLD_TREASURE, Item.GOLD] = int(items)
            continue
        for letter in items:
            state.treasure[space - 1, LETTERS.index(letter)] += 1
            state.box[LETTERS.index(letter)] -= 1
    assert (state.box >= 0).all(), "the box has fewer crystals"


def _put_cards(state: Any, wanted: Sequence[str]) -> None:
    cards = [CARD_IDS.index(name) for name in wanted]
    cards += [card for card in range(CARDS) if card not in cards]
    state.display[:] = cards[:DISPLAY]
    state.cards = CARDS - DISPLAY
    state.deck[:] = [*reversed(cards[DISPLAY:]), *[NONE] * DISPLAY]


CARD_IDS = [card.id for card in DA.options[0].of(DA.options[0].default).sorcerer_card]  # type: ignore[attr-defined]


# ---------------------------------------------------------------------------------------------------------------------- actions


def target(spot: str) -> int:
    """Return the target of a spot as records write it: ``"square:3"``, ``"trade"``; turn order and trainer without a number."""
    place, _, space = spot.partition(":")
    return FIRST_TARGET[place] + int(space or 0)


def place(sides: int, spot: str) -> int:
    return pieces.place(target(spot), SIDES.index(sides))


def peek(square: int) -> int:
    return Act.PEEK + square


def bid(amount: int) -> int:
    return Act.BID + amount


def fight(square: int) -> int:
    return Act.FIGHT + square


def enhance(sides: int) -> int:
    return Act.ENHANCE + SIDES.index(sides)


def bless(sides: int) -> int:
    return Act.BLESS + SIDES.index(sides)


def reroll(sides: int) -> int:
    return Act.REROLL + SIDES.index(sides)


def follower_die(sides: int) -> int:
    return Act.FOLLOWER_DIE + SIDES.index(sides)


def trade(line: int, direction: int) -> int:
    return pieces.trade(line, direction)


# ---------------------------------------------------------------------------------------------------------------------- playing


def legal(match: Match) -> list[int]:
    return list(legal_actions(DA, match.states))


def spots(match: Match, sides: int) -> list[str]:
    """Return the spots where the seat to move may place this die."""
    actions = set(legal(match))
    names = [f"{name}:{space}" for name, count in SPACES.items() for space in _numbers(name, count)]
    return [name for name in (name.removesuffix(":") for name in names) if place(sides, name) in actions]


SPACES = {"square": 28, "turn_order": 0, "treasure": 5, "trainer": 0, "tavern": 0, "prisoner": 8, "trade": 0, "sorcerer": 5}


def _numbers(name: str, count: int) -> list[Any]:
    return list(range(count)) if name == "square" else list(range(1, count + 1)) if count else [""]


def told(events: Sequence[Event]) -> list[list[Any]]:
    """Return the events as a record has them."""
    return [event.to_list() for event in events]


def only(events: Sequence[Event], *names: str) -> list[list[Any]]:
    """Return the events with these names, as a record has them."""
    return [event.to_list() for event in events if event.name in names]


def refused(match: Match, action: int) -> str:
    """Check that an action is illegal, and return the rule that refuses it."""
    with pytest.raises(IllegalAction) as error:
        match.check(action)
    assert error.value.reason
    return error.value.rule


def state_of(match: Match) -> Any:
    return match.state


def send(match: Match, *moves: tuple[int, int, str]) -> tuple[Event, ...]:
    """Place dice (seat, die, spot). Return all events."""
    events: tuple[Event, ...] = ()
    for seat, sides, spot in moves:
        assert match.actor == seat
        assert state_of(match).phase == Phase.PLACE
        events += match.play(place(sides, spot))
    return events


def others_trade(match: Match) -> tuple[Event, ...]:
    """Send all unplaced dice except the last one to trade: the last one starts the resolution. Return all events."""
    events: tuple[Event, ...] = ()
    while sum(unplaced(match, seat) for seat in range(match.players)) > 1:
        events += match.play(trade_with(match))
    return events


def unplaced(match: Match, seat: int) -> int:
    """Return how many dice a seat still has to place."""
    state = state_of(match)
    return int(((state.ally[seat] != NONE) & (state.place[seat] == NONE)).sum())


def trade_with(match: Match) -> int:
    """Return the action that sends the smallest die of the seat to move to trade."""
    return min(action for action in legal(match) if (action - Act.PLACE) // DICE == Target.TRADE)


def fated(match: Match, action: int, *rolls: int) -> tuple[Event, ...]:
    """Play an action with a seed for which the dice show these values."""
    for number in range(5000):
        trial = match.copy()
        trial.seed = seed_from_text(f"fate {number}")
        events = trial.play(action)
        if [event.arguments[2] for event in events if event.name in ("rolled", "rerolled")] == list(rolls):
            match.seed = trial.seed
            return match.play(action)
    raise AssertionError(f"{rolls} can't be rolled")


def go(match: Match, *rolls: int) -> tuple[Event, ...]:
    """Send all other dice to trade; the fights roll these values. Return the events of the last placement."""
    others_trade(match)
    return fated(match, trade_with(match), *rolls)


# ---------------------------------------------------------------------------------------------------------------- what there is


def crystals(match: Match, seat: int) -> str:
    """Return a seat's crystals as letters."""
    return "".join(letter * state_of(match).crystals[seat, colour] for colour, letter in enumerate(LETTERS))


def gold(match: Match, seat: int) -> int:
    return int(state_of(match).gold[seat])


def box(match: Match) -> dict[str, int]:
    return {letter: int(state_of(match).box[colour]) for colour, letter in enumerate(LETTERS)}


def without(count: Mapping[str, int], taken: str, given: str = "") -> dict[str, int]:
    """Return the expected contents of a box after some crystals have been taken and given back."""
    return {letter: number - taken.count(letter) + given.count(letter) for letter, number in count.items()}


def laid(events: Sequence[Event]) -> str:
    """Return the crystals drawn for treasure at the end of a turn, as letters."""
    return "".join(LETTERS[ITEM_NAMES.index(item)] for _, _, item in only(events, "treasure") if item != "gold")


def lying(match: Match, space: int) -> dict[str, int]:
    """Return the contents of a treasure space."""
    return {ITEM_NAMES[item]: int(count) for item, count in enumerate(state_of(match).treasure[space - 1]) if count}


def dice(match: Match, seat: int) -> dict[int, str]:
    """Return a seat's skills by die."""
    state = state_of(match)
    return {SIDES[die]: SKILL_NAMES[state.skill[state.ally[seat, die]]] for die in range(DICE) if state.ally[seat, die] != NONE}


# --------------------------------------------------------------------------------------------------------------- random matches


def enriched(match: Match) -> Match:
    """Return the match at the last seat's first decision, made richer, so that more can happen.

    All seats have some gold and crystals, the other seats have larger dice, and some monsters are gone.
    """
    draw = random.Random(match.seed)
    while match.actor != match.players - 1:
        match.play(draw.choice(legal(match)))
    states = match.states
    state: Any = State.at(states)
    for seat in range(match.players):
        state.gold[seat] = draw.randrange(12)
        for colour in range(COLOURS):
            count = draw.randrange(1 + state.box[colour] // 2)
            state.crystals[seat, colour] += count
            state.box[colour] -= count
        if seat != match.actor:
            state.ally[seat] = NONE
            state.ally[seat, draw.sample(range(DICE), DEALT)] = state.dealt[seat]
    for square in draw.sample(range(SQUARES), draw.randrange(SQUARES)):
        state.former[square] = state.monster[square]
        state.owner[state.former[square]] = GONE
        state.monster[square] = GONE
        state.removed += 1
    return match.supposing(states)


def at_random(match: Match, seed: str = "random") -> Iterator[int]:
    """Yield random actions until the match is over. The caller plays them."""
    draw = random.Random(f"{match.seed.hex()} {seed}")
    while not match.over:
        yield draw.choice(legal(match))


def play_at_random(match: Match) -> Match:
    for action in at_random(match):
        match.play(action)
    return match


def check_counts(state: Any) -> None:
    """DA-1.1: 60 crystals, 28 monsters, 18 allies, 16 cards; DA-1.2: no two allies of a player have the same die."""
    for colour in range(COLOURS):
        assert state.box[colour] + state.crystals[:, colour].sum() + state.treasure[:, colour].sum() == CRYSTALS[colour]
    assert (state.box >= 0).all()
    assert (state.crystals >= 0).all()
    assert (state.gold >= 0).all()
    on_squares = sorted(monster for monster in state.monster.tolist() if monster != GONE)
    assert on_squares == np.flatnonzero(state.owner == NONE).tolist()
    assert len(on_squares) + state.removed == MONSTERS
    assert sorted([*on_squares, *(monster for monster in state.former.tolist() if monster != NONE)]) == list(range(MONSTERS))
    allies = [*state.ally[state.ally != NONE].tolist(), *state.stack[: state.followers].tolist()]
    characters = [ally for ally in allies if ally < CHARACTERS]
    assert len(set(allies)) == len(allies) == len(characters) + FOLLOWERS
    cards = [*state.deck[: state.cards].tolist(), *state.display[state.display != NONE].tolist()]
    assert sorted([*cards, *np.flatnonzero(state.card_owner != NONE).tolist()]) == list(range(CARDS))
    assert state.treasure[:TREASURES, Item.GOLD].sum() == state.treasure[GOLD_TREASURE, Item.GOLD]
