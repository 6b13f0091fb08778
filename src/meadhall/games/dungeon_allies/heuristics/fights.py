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
    Table,
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
def dice_on(table: Table, seat: int, target: int) -> int:
    """The dice of a seat on a target, as a mask."""
    mask = 0
    for die in range(DICE):
        mask |= (table.place[seat, die] == target) << die
    return mask


@rule
def list_unseen(table: Table, seat: int, unseen: Row) -> int:
    """DA-14.1: the tiles of which a seat doesn't know where they lie; how many."""
    known = np.zeros(MONSTERS, np.int8)
    for square in range(SQUARES):
        if has_tile(table, square) and has_seen(table, seat, square):
            known[table.monster[square]] = True
    count = 0
    for monster in range(MONSTERS):
        if table.owner[monster] == NONE and not known[monster]:
            unseen[count] = monster
            count += 1
    return count


@rule
def chance_on(table: Table, seat: int, square: int, mask: int) -> float:
    """How likely some dice win on a square, without spells."""
    level = level_of(square)
    if has_seen(table, seat, square):
        monster = table.monster[square]
        return chance(against(table, seat, mask, monster), table.target[level, monster])
    unseen = np.zeros(MONSTERS, np.int64)
    count = list_unseen(table, seat, unseen)
    likely = 0.0
    for k in range(count):
        likely += chance(against(table, seat, mask, unseen[k]), table.target[level, unseen[k]])
    return likely / max(count, 1)


@rule
def chance_of_a_win(table: Table, seat: int) -> float:
    """DA-6.2: how likely the seat wins at least one of the fights for which it has placed dice."""
    losing = 1.0
    for square in range(SQUARES):
        if has_tile(table, square) and table.holder[ON_SQUARE + square] == seat:
            losing *= 1 - chance_on(table, seat, square, dice_on(table, seat, ON_SQUARE + square))
    return 1 - losing


@rule
def guarded_spoils(table: Table, seat: int, worth: Values) -> float:
    """DA-6.2: what lies under the seat's dice and needs a win."""
    spoils = 0.0
    for space in range(TREASURES):
        if table.holder[ON_TREASURE + space] == seat and is_guarded(table, space):
            spoils += worth_of(table.treasure, space, worth)
    return spoils


@rule
def booty(table: Table, seat: int, level: int, monster: int) -> float:
    """DA-4.7: what it is worth to defeat a monster: the gold, and the tile."""
    return table.bounty[level, monster] + tile_worth(table, seat, table.weakness[monster])


# ------------------------------------------------------------------------------------------------------------- dice on squares


@rule
def list_prizes(table: Table, seat: int, spoils: float, prizes: Values) -> None:
    """What a win over each monster is worth on each level; ``spoils`` come on top."""
    tiles = np.zeros(SKILLS)
    for skill in range(SKILLS):
        tiles[skill] = tile_worth(table, seat, skill)
    for level in range(LEVELS):
        for monster in range(MONSTERS):
            prizes[level, monster] = table.bounty[level, monster] + tiles[table.weakness[monster]] + spoils


@rule
def list_costs(waiting: int, ranked: Values, costs: Values) -> None:
    """What so many of the dice that wait could do elsewhere: the least of what all of them could."""
    for k in range(size(waiting)):
        costs[k + 1] = costs[k] + ranked[size(waiting) - 1 - k]


@rule
def value_fights(
    table: Table, seat: int, waiting: int, prizes: Values, costs: Values, worth: Values, nets: Values, parties: Row
) -> None:
    """For each square the dice that do best there (``parties``), and how much better than elsewhere (``nets``, or -1)."""
    monsters = np.zeros(MONSTERS + 1, np.int64)
    unseen = list_unseen(table, seat, monsters)
    strong = np.zeros(SKILLS, np.int64)
    list_strong(table, seat, strong)
    dark = np.full(LEVELS, NONE)
    for square in range(SQUARES):
        nets[square] = -1.0
        if can_attack(table, seat, square):
            level = level_of(square)
            there = dice_on(table, seat, ON_SQUARE + square) if table.holder[ON_SQUARE + square] == seat else 0
            if has_seen(table, seat, square):
                monsters[unseen] = table.monster[square]
                known = monsters[unseen : unseen + 1]
                parties[square], nets[square] = best_party(
                    table, seat, level, waiting, there, prizes, costs, strong, worth, known
                )
            elif there == 0 and dark[level] != NONE:  # as good as another one of which nothing is known
                parties[square], nets[square] = parties[dark[level]], nets[dark[level]]
            else:
                known = monsters[:unseen]
                parties[square], nets[square] = best_party(
                    table, seat, level, waiting, there, prizes, costs, strong, worth, known
                )
                if there == 0:
                    dark[level] = square


@rule
def best_party(
    table: Table,
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
    before = value_of_party(table, seat, level, there, prizes, strong, worth, monsters) if there > 0 else 0.0
    best, chosen = -1e9, waiting
    mask = waiting
    while mask > 0:
        value = value_of_party(table, seat, level, there | mask, prizes, strong, worth, monsters) - before - costs[size(mask)]
        if value > best:
            best, chosen = value, mask
        mask = (mask - 1) & waiting
    return chosen, best


@rule
def value_of_party(
    table: Table, seat: int, level: int, mask: int, prizes: Values, strong: Row, worth: Values, monsters: Row
) -> float:
    """What some dice may be expected to bring against one of some monsters, with a re-roll (DA-4.6) or the Hammer (DA-4.5)."""
    value = 0.0
    hammer = table.crystals[seat, WHITE] > 0 and level < current_round(table)
    for k in range(len(monsters)):
        monster = monsters[k]
        prize = prizes[level, monster]
        dice = ONCE[mask] + ONCE[mask & strong[table.weakness[monster]]]
        win = with_reroll(table, seat, chance(dice, table.target[level, monster]))
        value += max(win * prize, prize - worth[WHITE]) if hammer else win * prize
    return value / max(len(monsters), 1)


@rule
def with_reroll(table: Table, seat: int, win: float) -> float:
    """DA-4.6: how likely a fight is won, if there is a crystal for a re-roll."""
    return win + (1 - win) * win * RESCUE if table.crystals[seat, BLUE] > 0 else win


# ------------------------------------------------------------------------------------------------------------- looks at tiles


@rule
def value_of_illuminate(
    table: Table, seat: int, waiting: int, prizes: Values, costs: Values, worth: Values, known: float
) -> float:
    """DA-3.4: how much better than ``known`` the best fight may become when two more tiles are known, less the crystal."""
    unseen = np.zeros(MONSTERS, np.int64)
    count = list_unseen(table, seat, unseen)
    strong = np.zeros(SKILLS, np.int64)
    list_strong(table, seat, strong)
    gains = np.zeros(MONSTERS)
    best = 0.0
    for level in range(LEVELS):
        if count_dark(table, seat, level) >= LOOKS:
            for k in range(count):
                _, net = best_party(table, seat, level, waiting, 0, prizes, costs, strong, worth, unseen[k : k + 1])
                gains[k] = max(net - known, 0.0)
            best = max(best, mean_of_higher(gains, count))
    return float(LOOK * best - worth[RED])


@rule
def count_dark(table: Table, seat: int, level: int) -> int:
    """The squares of a level on which nobody has a die and at which the seat has not looked."""
    count = 0
    for square in range(SQUARES):
        dark = level_of(square) == level and table.holder[ON_SQUARE + square] == NONE
        count += dark and can_peek(table, seat, square)
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
def value_of_look(table: Table, seat: int, square: int) -> float:
    """DA-3.4: at a tile where the dice that wait may hope for most."""
    if not can_attack(table, seat, square):
        return -1.0
    level = level_of(square)
    unseen = np.zeros(MONSTERS, np.int64)
    count = list_unseen(table, seat, unseen)
    value = 0.0
    for k in range(count):
        win = chance(against(table, seat, waiting_dice(table, seat), unseen[k]), table.target[level, unseen[k]])
        value += win * booty(table, seat, level, unseen[k])
    return value / max(count, 1)


# ------------------------------------------------------------------------------------------------------------------ in a fight


@rule
def prize_at_hand(table: Table, seat: int, worth: Values) -> float:
    """What it is worth to win the fight that is on; DA-6.2: the first win of a turn opens the treasures."""
    value = booty(table, seat, level_of(table.square), table.monster[table.square])
    return value if table.won_fight[seat] else value + guarded_spoils(table, seat, worth)


@rule
def value_of_preparation(table: Table, seat: int, action: int, worth: Values) -> float:
    """DA-4.5: a spell makes the win likelier, and costs a crystal."""
    prize = prize_at_hand(table, seat, worth)
    if action == HAMMER:
        return float(prize - worth[WHITE])
    dice, cost = 0, 0.0
    for die in range(DICE):
        if is_fighting(table, die):
            dice += WEIGHT[die] * (1 + is_doubled(table, die))
    if action >= BLESS:
        dice, cost = dice + WEIGHT[action - BLESS], float(worth[YELLOW])
    elif action >= ENHANCE:
        dice, cost = dice + WEIGHT[action - ENHANCE], float(worth[GREEN])
    return with_reroll(table, seat, chance(dice, target_of(table))) * prize - cost


@rule
def value_of_reroll(table: Table, seat: int, action: int, worth: Values) -> float:
    """DA-4.6: what a re-roll of a die may bring, and another one after it."""
    if action == ACCEPT:
        return 0.0
    die = action - REROLL
    times = 1 + is_doubled(table, die)
    others = total(table) - counted(table, die)
    prize = prize_at_hand(table, seat, worth)
    value = 0.0
    for face in range(1, SIDES[die] + 1):
        if others + times * face >= target_of(table):
            value += prize
        elif table.crystals[seat, BLUE] > 1:
            value += max(0.0, likeliest(table, die, others + times * face) * prize - worth[BLUE])
    return float(value / SIDES[die] - worth[BLUE])


@rule
def likeliest(table: Table, changed: int, points: int) -> float:
    """How likely the best single re-roll wins, when the dice count so many points, one of them having changed."""
    best = 0.0
    for die in range(DICE):
        if is_fighting(table, die):
            times = 1 + is_doubled(table, die)
            others = total(table) - counted(table, changed) if die == changed else points - counted(table, die)
            best = max(best, chance(times * WEIGHT[die], target_of(table) - others))
    return best
