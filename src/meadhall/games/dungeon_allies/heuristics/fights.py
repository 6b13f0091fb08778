"""The value of fights: which dice to send where, where to look first, which spells to cast, which dice to re-roll."""

from __future__ import annotations

import numpy as np

from meadhall.games.dungeon_allies.heuristics.evaluation import Floats, tile_value, value_of_items
from meadhall.games.dungeon_allies.pieces import (
    DICE,
    FIGHT_DICE,
    LEVELS,
    MONSTERS,
    NONE,
    SIDES,
    SKILLS,
    SQUARES,
    TREASURES,
    Act,
    Item,
    Target,
    kind_of,
)
from meadhall.games.dungeon_allies.rules.excursion import counted_value, is_doubled, is_fighting, target_of, total
from meadhall.games.dungeon_allies.rules.placement import DICE_COUNT, LOOKS, can_attack, can_peek, unplaced_dice
from meadhall.games.dungeon_allies.rules.village import is_guarded
from meadhall.games.dungeon_allies.state import State, current_round, has_seen, has_tile
from meadhall.sdk import Row, rule

# The code of a set of dice in a fight is a number in base 3: digit k says how often the die of that size counts.
DIE_CODE = tuple(3**die for die in range(FIGHT_DICE))
HIGHEST = 2 * sum(SIDES)
MASK_CODE = np.array([sum(DIE_CODE[die] for die in range(DICE) if mask >> die & 1) for mask in range(1 << DICE)])
"""The code of every mask of allies' dice, if each counts once."""


def _reach_probabilities() -> Floats:
    """Return a table [code, target] of the probability that the total reaches the target."""
    reach = np.zeros((3**FIGHT_DICE, HIGHEST + 1))
    for code in range(3**FIGHT_DICE):
        sums = np.ones(1)
        for die, sides in enumerate(SIDES):
            times = code // DIE_CODE[die] % 3
            if times:
                faces = np.zeros(times * sides + 1)
                faces[times::times] = 1 / sides
                sums = np.convolve(sums, faces)
        reach[code, : len(sums)] = sums[::-1].cumsum()[::-1]
    return reach


REACH_PROBABILITY = _reach_probabilities()


@rule
def probability(code: int, target: int) -> float:
    """Return the probability that a set of dice reaches a target."""
    return float(REACH_PROBABILITY[code, min(max(target, 0), HIGHEST)])


@rule
def fill_skill_masks(state: State, seat: int, skill_masks: Row) -> None:
    """DA-4.4: For each skill, a mask of the seat's dice whose allies have it."""
    for die in range(DICE):
        if state.ally[seat, die] != NONE:
            skill_masks[state.skill[state.ally[seat, die]]] |= 1 << die


@rule
def code_against(state: State, seat: int, mask: int, monster: int) -> int:
    """Return the code of a seat's dice against a monster: dice with the right skill count twice."""
    skill_masks = np.zeros(SKILLS, np.int64)
    fill_skill_masks(state, seat, skill_masks)
    return int(MASK_CODE[mask] + MASK_CODE[mask & skill_masks[state.weakness[monster]]])


REROLL_SUCCESS = 0.5  # of the fights that are almost won, the fraction that a re-roll wins
LOOK_EFFICIENCY = 0.8  # of the value of perfect knowledge, the fraction that a look brings

# ---------------------------------------------------------------------------------------------------------------------- helpers


@rule
def count_dice(mask: int) -> int:
    """Return how many dice are in a mask."""
    return int(DICE_COUNT[mask])


@rule
def dice_on(state: State, seat: int, target: int) -> int:
    """Return the dice of a seat on a target, as a mask."""
    mask = 0
    for die in range(DICE):
        mask |= (state.place[seat, die] == target) << die
    return mask


@rule
def list_unseen(state: State, seat: int, unseen: Row) -> int:
    """DA-14.1: The tiles still on squares that the seat can't locate. Returns their number."""
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
def win_probability_on(state: State, seat: int, square: int, mask: int) -> float:
    """Return the probability that some dice win on a square without spells."""
    level = state.level[square]
    if has_seen(state, seat, square):
        monster = state.monster[square]
        return probability(code_against(state, seat, mask, monster), state.target[level, monster])
    unseen = np.zeros(MONSTERS, np.int64)
    count = list_unseen(state, seat, unseen)
    likely = 0.0
    for k in range(count):
        likely += probability(code_against(state, seat, mask, unseen[k]), state.target[level, unseen[k]])
    return likely / max(count, 1)


@rule
def probability_of_any_win(state: State, seat: int) -> float:
    """DA-6.2: The probability that the seat wins at least one of the fights for which it has placed dice."""
    losing = 1.0
    for square in range(SQUARES):
        if has_tile(state, square) and state.holder[Target.SQUARE + square] == seat:
            losing *= 1 - win_probability_on(state, seat, square, dice_on(state, seat, Target.SQUARE + square))
    return 1 - losing


@rule
def guarded_treasure_value(state: State, seat: int, crystal_values: Floats) -> float:
    """DA-6.2: The value of the guarded spaces on which the seat's dice lie."""
    treasure_value = 0.0
    for space in range(TREASURES):
        if state.holder[Target.TREASURE + space] == seat and is_guarded(state, space):
            treasure_value += value_of_items(state.treasure, space, crystal_values)
    return treasure_value


@rule
def value_of_defeat(state: State, seat: int, level: int, monster: int) -> float:
    """DA-4.7: The value of defeating a monster: the gold and the tile."""
    return state.bounty[level, monster] + tile_value(state, seat, state.weakness[monster])


# -------------------------------------------------------------------------------------------------------------- dice on squares


@rule
def fill_win_values(state: State, seat: int, treasure_value: float, win_values: Floats) -> None:
    """Fill in ``win_values[level, monster]``: the value of a win over each monster, with ``treasure_value`` on top."""
    tiles = np.zeros(SKILLS)
    for skill in range(SKILLS):
        tiles[skill] = tile_value(state, seat, skill)
    for level in range(LEVELS):
        for monster in range(MONSTERS):
            win_values[level, monster] = state.bounty[level, monster] + tiles[state.weakness[monster]] + treasure_value


@rule
def fill_costs(unplaced: int, ranked: Floats, costs: Floats) -> None:
    """Fill in ``costs[k]``: what k unplaced dice could bring elsewhere, if the others take the better places."""
    for k in range(count_dice(unplaced)):
        costs[k + 1] = costs[k] + ranked[count_dice(unplaced) - 1 - k]


@rule
def value_fights(
    state: State,
    seat: int,
    unplaced: int,
    win_values: Floats,
    costs: Floats,
    crystal_values: Floats,
    net_values: Floats,
    teams: Row,
) -> None:
    """Find the best unplaced dice for each square.

    Fills in ``teams`` (masks of dice) and ``net_values``: how much more these dice bring there than elsewhere, or -1.
    """
    monsters = np.zeros(MONSTERS + 1, np.int64)
    unseen = list_unseen(state, seat, monsters)
    skill_masks = np.zeros(SKILLS, np.int64)
    fill_skill_masks(state, seat, skill_masks)
    unseen_square = np.full(LEVELS, NONE)  # on each level, a square about which the seat knows nothing
    for square in range(SQUARES):
        net_values[square] = -1.0
        if can_attack(state, seat, square):
            level = state.level[square]
            present = dice_on(state, seat, Target.SQUARE + square) if state.holder[Target.SQUARE + square] == seat else 0
            if has_seen(state, seat, square):
                monsters[unseen] = state.monster[square]
                known = monsters[unseen : unseen + 1]
                teams[square], net_values[square] = best_team(
                    state, seat, level, unplaced, present, win_values, costs, skill_masks, crystal_values, known
                )
            elif present == 0 and unseen_square[level] != NONE:  # as good as another unseen square of the level
                teams[square], net_values[square] = teams[unseen_square[level]], net_values[unseen_square[level]]
            else:
                known = monsters[:unseen]
                teams[square], net_values[square] = best_team(
                    state, seat, level, unplaced, present, win_values, costs, skill_masks, crystal_values, known
                )
                if present == 0:
                    unseen_square[level] = square


@rule
def best_team(
    state: State,
    seat: int,
    level: int,
    unplaced: int,
    present: int,
    win_values: Floats,
    costs: Floats,
    skill_masks: Row,
    crystal_values: Floats,
    monsters: Row,
) -> tuple[int, float]:
    """Find the unplaced dice that add most to the dice already present, against one of some monsters at random.

    Returns their mask and the value that they add, less their costs.
    """
    before = value_of_team(state, seat, level, present, win_values, skill_masks, crystal_values, monsters) if present > 0 else 0.0
    best, chosen = -1e9, unplaced
    mask = unplaced
    while mask > 0:
        value = (
            value_of_team(state, seat, level, present | mask, win_values, skill_masks, crystal_values, monsters)
            - before
            - costs[count_dice(mask)]
        )
        if value > best:
            best, chosen = value, mask
        mask = (mask - 1) & unplaced
    return chosen, best


@rule
def value_of_team(
    state: State, seat: int, level: int, mask: int, win_values: Floats, skill_masks: Row, crystal_values: Floats, monsters: Row
) -> float:
    """Estimate what some dice bring against one of some monsters, with a re-roll (DA-4.6) or the Hammer (DA-4.5)."""
    value = 0.0
    hammer = state.crystals[seat, Item.WHITE] > 0 and level < current_round(state)
    for k in range(len(monsters)):
        monster = monsters[k]
        win_value = win_values[level, monster]
        dice = MASK_CODE[mask] + MASK_CODE[mask & skill_masks[state.weakness[monster]]]
        win_probability = with_reroll(state, seat, probability(dice, state.target[level, monster]))
        value += (
            max(win_probability * win_value, win_value - crystal_values[Item.WHITE]) if hammer else win_probability * win_value
        )
    return value / max(len(monsters), 1)


@rule
def with_reroll(state: State, seat: int, win_probability: float) -> float:
    """DA-4.6: The probability of a win, if the seat has a crystal for a re-roll."""
    return (
        win_probability + (1 - win_probability) * win_probability * REROLL_SUCCESS
        if state.crystals[seat, Item.BLUE] > 0
        else win_probability
    )


# --------------------------------------------------------------------------------------------------------------- looks at tiles


@rule
def value_of_illuminate(
    state: State, seat: int, unplaced: int, win_values: Floats, costs: Floats, crystal_values: Floats, known: float
) -> float:
    """DA-3.4: How much two more known tiles may improve the best fight beyond ``known``, less the crystal."""
    unseen = np.zeros(MONSTERS, np.int64)
    count = list_unseen(state, seat, unseen)
    skill_masks = np.zeros(SKILLS, np.int64)
    fill_skill_masks(state, seat, skill_masks)
    gains = np.zeros(MONSTERS)
    best = 0.0
    for level in range(LEVELS):
        if count_unknown_squares(state, seat, level) >= LOOKS:
            for k in range(count):
                _, net_value = best_team(
                    state, seat, level, unplaced, 0, win_values, costs, skill_masks, crystal_values, unseen[k : k + 1]
                )
                gains[k] = max(net_value - known, 0.0)
            best = max(best, mean_of_maximum(gains, count))
    return float(LOOK_EFFICIENCY * best - crystal_values[Item.RED])


@rule
def count_unknown_squares(state: State, seat: int, level: int) -> int:
    """Return the number of squares of a level without dice at which the seat has not looked."""
    count = 0
    for square in range(SQUARES):
        is_free = state.level[square] == level and state.holder[Target.SQUARE + square] == NONE
        count += is_free and can_peek(state, seat, square)
    return count


@rule
def mean_of_maximum(values: Floats, count: int) -> float:
    """Return the mean of the higher of two values, drawn at random from the first ``count``."""
    total = 0.0
    for k in range(count):
        for other in range(k):
            total += max(values[k], values[other])
    return 2 * total / max(count * (count - 1), 1)


@rule
def value_of_look(state: State, seat: int, square: int) -> float:
    """DA-3.4: Look where the unplaced dice promise most."""
    if not can_attack(state, seat, square):
        return -1.0
    level = state.level[square]
    unseen = np.zeros(MONSTERS, np.int64)
    count = list_unseen(state, seat, unseen)
    value = 0.0
    for k in range(count):
        win_probability = probability(
            code_against(state, seat, unplaced_dice(state, seat), unseen[k]), state.target[level, unseen[k]]
        )
        value += win_probability * value_of_defeat(state, seat, level, unseen[k])
    return value / max(count, 1)


# ------------------------------------------------------------------------------------------------------------------- in a fight


@rule
def value_of_winning(state: State, seat: int, crystal_values: Floats) -> float:
    """Return the value of winning the current fight. DA-6.2: The first win of a turn opens guarded treasure."""
    value = value_of_defeat(state, seat, state.level[state.square], state.monster[state.square])
    return value if state.won_fight[seat] else value + guarded_treasure_value(state, seat, crystal_values)


@rule
def value_of_preparation(state: State, seat: int, action: int, crystal_values: Floats) -> float:
    """DA-4.5: A spell makes a win more likely and costs a crystal."""
    win_value = value_of_winning(state, seat, crystal_values)
    kind = kind_of(action)
    die_of_action = action - kind
    if kind == Act.HAMMER:
        return float(win_value - crystal_values[Item.WHITE])
    dice, cost = 0, 0.0
    for die in range(FIGHT_DICE):
        if is_fighting(state, die):
            dice += DIE_CODE[die] * (1 + is_doubled(state, die))
    if kind == Act.BLESS:
        dice, cost = dice + DIE_CODE[die_of_action], float(crystal_values[Item.YELLOW])
    elif kind == Act.ENHANCE:
        dice, cost = dice + DIE_CODE[die_of_action], float(crystal_values[Item.GREEN])
    return with_reroll(state, seat, probability(dice, target_of(state))) * win_value - cost


@rule
def value_of_reroll(state: State, seat: int, action: int, crystal_values: Floats) -> float:
    """DA-4.6: The expected value of re-rolling a die, and perhaps another one after it."""
    if action == Act.ACCEPT:
        return 0.0
    die = action - Act.REROLL
    times = 1 + is_doubled(state, die)
    others = total(state) - counted_value(state, die)
    win_value = value_of_winning(state, seat, crystal_values)
    value = 0.0
    for face in range(1, SIDES[die] + 1):
        if others + times * face >= target_of(state):
            value += win_value
        elif state.crystals[seat, Item.BLUE] > 1:
            value += max(0.0, best_reroll_probability(state, die, others + times * face) * win_value - crystal_values[Item.BLUE])
    return float(value / SIDES[die] - crystal_values[Item.BLUE])


@rule
def best_reroll_probability(state: State, changed: int, points: int) -> float:
    """Return the probability that the best single re-roll wins, if the total is ``points`` after one die has changed."""
    best = 0.0
    for die in range(FIGHT_DICE):
        if is_fighting(state, die):
            times = 1 + is_doubled(state, die)
            others = total(state) - counted_value(state, changed) if die == changed else points - counted_value(state, die)
            best = max(best, probability(times * DIE_CODE[die], target_of(state) - others))
    return best
