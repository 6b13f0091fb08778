"""What fights are worth: which dice to send where, what to look at before, which spells to cast, which dice to roll again."""

from __future__ import annotations

import numpy as np

from meadhall.engine.rule import rule
from meadhall.engine.schema import Row
from meadhall.games.dungeon_allies.heuristics.chances import ONCE, WEIGHT, against, chance, list_strong
from meadhall.games.dungeon_allies.heuristics.worth import Values, tile_worth, worth_of
from meadhall.games.dungeon_allies.rules.excursion import counted, is_doubled, is_fighting, target_of, total
from meadhall.games.dungeon_allies.rules.placement import DICE_COUNT, can_attack, can_peek, waiting_dice
from meadhall.games.dungeon_allies.rules.treasure import is_guarded
from meadhall.games.dungeon_allies.state import (
    ACCEPT,
    BLESS,
    BLUE,
    DICE,
    ENHANCE,
    GREEN,
    HAMMER,
    LEVELS,
    LOOKS,
    MONSTERS,
    NONE,
    ON_SQUARE,
    ON_TREASURE,
    RED,
    REROLL,
    SIDES,
    SKILLS,
    SQUARES,
    TREASURES,
    WHITE,
    YELLOW,
    State,
    current_round,
    has_seen,
    has_tile,
    level_of,
)

RESCUE = 0.5  # of the fights that are nearly won, re-rolls win so many
LOOK = 0.8  # of what better knowledge of tiles could bring, a look brings so much

# ------------------------------------------------------------------------------------------------------------------ small parts


@rule
def size(mask: int) -> int:
    """How many dice are in a mask."""
    return int(DICE_COUNT[mask])


@rule
def dice_on(state: State, seat: int, target: int) -> int:
    """The dice of a seat on a target, as a mask."""
    mask = 0
    for die in range(DICE):
        mask |= (state.place[seat, die] == target) << die
    return mask


@rule
def list_unseen(state: State, seat: int, unseen: Row) -> int:
    """DA-14.1: the tiles of which a seat doesn't know where they lie; how many."""
    known = np.zeros(MONSTERS, np.int8)
    for square in range(SQUARES):
        if has_tile(state, square) and has_seen(state, seat, square):
            known[state.monster[square]] = True
    count = 0
    for monster in range(MONSTERS):
        if state.owner[monster] == NONE and not known[monster]:
            unseen[count] = monster
            count += 1
    return count


@rule
def chance_on(state: State, seat: int, square: int, mask: int) -> float:
    """How likely some dice win on a square, without spells."""
    level = level_of(square)
    if has_seen(state, seat, square):
        monster = state.monster[square]
        return chance(against(state, seat, mask, monster), state.target[level, monster])
    unseen = np.zeros(MONSTERS, np.int64)
    count = list_unseen(state, seat, unseen)
    likely = 0.0
    for k in range(count):
        likely += chance(against(state, seat, mask, unseen[k]), state.target[level, unseen[k]])
    return likely / max(count, 1)


@rule
def chance_of_a_win(state: State, seat: int) -> float:
    """DA-6.2: how likely the seat wins at least one of the fights for which it has placed dice."""
    losing = 1.0
    for square in range(SQUARES):
        if has_tile(state, square) and state.holder[ON_SQUARE + square] == seat:
            losing *= 1 - chance_on(state, seat, square, dice_on(state, seat, ON_SQUARE + square))
    return 1 - losing


@rule
def guarded_spoils(state: State, seat: int, worth: Values) -> float:
    """DA-6.2: what lies under the seat's dice and needs a win."""
    spoils = 0.0
    for space in range(TREASURES):
        if state.holder[ON_TREASURE + space] == seat and is_guarded(state, space):
            spoils += worth_of(state.treasure, space, worth)
    return spoils


@rule
def booty(state: State, seat: int, level: int, monster: int) -> float:
    """DA-4.7: what it is worth to defeat a monster: the gold, and the tile."""
    return state.bounty[level, monster] + tile_worth(state, seat, state.weakness[monster])


# ------------------------------------------------------------------------------------------------------------- dice on squares


@rule
def list_prizes(state: State, seat: int, spoils: float, prizes: Values) -> None:
    """What a win over each monster is worth on each level; ``spoils`` come on top."""
    tiles = np.zeros(SKILLS)
    for skill in range(SKILLS):
        tiles[skill] = tile_worth(state, seat, skill)
    for level in range(LEVELS):
        for monster in range(MONSTERS):
            prizes[level, monster] = state.bounty[level, monster] + tiles[state.weakness[monster]] + spoils


@rule
def list_costs(waiting: int, ranked: Values, costs: Values) -> None:
    """What so many of the dice that wait could do elsewhere: the least of what all of them could."""
    for k in range(size(waiting)):
        costs[k + 1] = costs[k] + ranked[size(waiting) - 1 - k]


@rule
def value_fights(
    state: State, seat: int, waiting: int, prizes: Values, costs: Values, worth: Values, nets: Values, parties: Row
) -> None:
    """For each square the dice that do best there (``parties``), and how much better than elsewhere (``nets``, or -1)."""
    monsters = np.zeros(MONSTERS + 1, np.int64)
    unseen = list_unseen(state, seat, monsters)
    strong = np.zeros(SKILLS, np.int64)
    list_strong(state, seat, strong)
    dark = np.full(LEVELS, NONE)
    for square in range(SQUARES):
        nets[square] = -1.0
        if can_attack(state, seat, square):
            level = level_of(square)
            there = dice_on(state, seat, ON_SQUARE + square) if state.holder[ON_SQUARE + square] == seat else 0
            if has_seen(state, seat, square):
                monsters[unseen] = state.monster[square]
                known = monsters[unseen : unseen + 1]
                parties[square], nets[square] = best_party(
                    state, seat, level, waiting, there, prizes, costs, strong, worth, known
                )
            elif there == 0 and dark[level] != NONE:  # as good as another one of which nothing is known
                parties[square], nets[square] = parties[dark[level]], nets[dark[level]]
            else:
                known = monsters[:unseen]
                parties[square], nets[square] = best_party(
                    state, seat, level, waiting, there, prizes, costs, strong, worth, known
                )
                if there == 0:
                    dark[level] = square


@rule
def best_party(
    state: State,
    seat: int,
    level: int,
    waiting: int,
    there: int,
    prizes: Values,
    costs: Values,
    strong: Row,
    worth: Values,
    monsters: Row,
) -> tuple[int, float]:
    """Of the dice that wait those that add most to those that are there, against one of some monsters; and how much."""
    before = value_of_party(state, seat, level, there, prizes, strong, worth, monsters) if there > 0 else 0.0
    best, chosen = -1e9, waiting
    mask = waiting
    while mask > 0:
        value = value_of_party(state, seat, level, there | mask, prizes, strong, worth, monsters) - before - costs[size(mask)]
        if value > best:
            best, chosen = value, mask
        mask = (mask - 1) & waiting
    return chosen, best


@rule
def value_of_party(
    state: State, seat: int, level: int, mask: int, prizes: Values, strong: Row, worth: Values, monsters: Row
) -> float:
    """What some dice may be expected to bring against one of some monsters, with a re-roll (DA-4.6) or the Hammer (DA-4.5)."""
    value = 0.0
    hammer = state.crystals[seat, WHITE] > 0 and level < current_round(state)
    for k in range(len(monsters)):
        monster = monsters[k]
        prize = prizes[level, monster]
        dice = ONCE[mask] + ONCE[mask & strong[state.weakness[monster]]]
        win = with_reroll(state, seat, chance(dice, state.target[level, monster]))
        value += max(win * prize, prize - worth[WHITE]) if hammer else win * prize
    return value / max(len(monsters), 1)


@rule
def with_reroll(state: State, seat: int, win: float) -> float:
    """DA-4.6: how likely a fight is won, if there is a crystal for a re-roll."""
    return win + (1 - win) * win * RESCUE if state.crystals[seat, BLUE] > 0 else win


# ------------------------------------------------------------------------------------------------------------- looks at tiles


@rule
def value_of_illuminate(
    state: State, seat: int, waiting: int, prizes: Values, costs: Values, worth: Values, known: float
) -> float:
    """DA-3.4: how much better than ``known`` the best fight may become when two more tiles are known, less the crystal."""
    unseen = np.zeros(MONSTERS, np.int64)
    count = list_unseen(state, seat, unseen)
    strong = np.zeros(SKILLS, np.int64)
    list_strong(state, seat, strong)
    gains = np.zeros(MONSTERS)
    best = 0.0
    for level in range(LEVELS):
        if count_dark(state, seat, level) >= LOOKS:
            for k in range(count):
                _, net = best_party(state, seat, level, waiting, 0, prizes, costs, strong, worth, unseen[k : k + 1])
                gains[k] = max(net - known, 0.0)
            best = max(best, mean_of_higher(gains, count))
    return float(LOOK * best - worth[RED])


@rule
def count_dark(state: State, seat: int, level: int) -> int:
    """The squares of a level on which nobody has a die and at which the seat has not looked."""
    count = 0
    for square in range(SQUARES):
        dark = level_of(square) == level and state.holder[ON_SQUARE + square] == NONE
        count += dark and can_peek(state, seat, square)
    return count


@rule
def mean_of_higher(values: Values, count: int) -> float:
    """Of two of the first ``count`` values, drawn at random, the higher one, on average."""
    total = 0.0
    for k in range(count):
        for other in range(k):
            total += max(values[k], values[other])
    return 2 * total / max(count * (count - 1), 1)


@rule
def value_of_look(state: State, seat: int, square: int) -> float:
    """DA-3.4: at a tile where the dice that wait may hope for most."""
    if not can_attack(state, seat, square):
        return -1.0
    level = level_of(square)
    unseen = np.zeros(MONSTERS, np.int64)
    count = list_unseen(state, seat, unseen)
    value = 0.0
    for k in range(count):
        win = chance(against(state, seat, waiting_dice(state, seat), unseen[k]), state.target[level, unseen[k]])
        value += win * booty(state, seat, level, unseen[k])
    return value / max(count, 1)


# ------------------------------------------------------------------------------------------------------------------ in a fight


@rule
def prize_at_hand(state: State, seat: int, worth: Values) -> float:
    """What it is worth to win the fight that is on; DA-6.2: the first win of a turn opens the treasures."""
    value = booty(state, seat, level_of(state.square), state.monster[state.square])
    return value if state.won_fight[seat] else value + guarded_spoils(state, seat, worth)


@rule
def value_of_preparation(state: State, seat: int, action: int, worth: Values) -> float:
    """DA-4.5: a spell makes the win likelier, and costs a crystal."""
    prize = prize_at_hand(state, seat, worth)
    if action == HAMMER:
        return float(prize - worth[WHITE])
    dice, cost = 0, 0.0
    for die in range(DICE):
        if is_fighting(state, die):
            dice += WEIGHT[die] * (1 + is_doubled(state, die))
    if action >= BLESS:
        dice, cost = dice + WEIGHT[action - BLESS], float(worth[YELLOW])
    elif action >= ENHANCE:
        dice, cost = dice + WEIGHT[action - ENHANCE], float(worth[GREEN])
    return with_reroll(state, seat, chance(dice, target_of(state))) * prize - cost


@rule
def value_of_reroll(state: State, seat: int, action: int, worth: Values) -> float:
    """DA-4.6: what a re-roll of a die may bring, and another one after it."""
    if action == ACCEPT:
        return 0.0
    die = action - REROLL
    times = 1 + is_doubled(state, die)
    others = total(state) - counted(state, die)
    prize = prize_at_hand(state, seat, worth)
    value = 0.0
    for face in range(1, SIDES[die] + 1):
        if others + times * face >= target_of(state):
            value += prize
        elif state.crystals[seat, BLUE] > 1:
            value += max(0.0, likeliest(state, die, others + times * face) * prize - worth[BLUE])
    return float(value / SIDES[die] - worth[BLUE])


@rule
def likeliest(state: State, changed: int, points: int) -> float:
    """How likely the best single re-roll wins, when the dice count so many points, one of them having changed."""
    best = 0.0
    for die in range(DICE):
        if is_fighting(state, die):
            times = 1 + is_doubled(state, die)
            others = total(state) - counted(state, changed) if die == changed else points - counted(state, die)
            best = max(best, chance(times * WEIGHT[die], target_of(state) - others))
    return best
