"""Cautions: placements that are legal, but that gain nothing unless something else happens first in the same turn."""

from __future__ import annotations

from collections.abc import Mapping

from meadhall.games.dungeon_allies import names
from meadhall.games.dungeon_allies.pieces import COLOURS, DICE, FIRST_FOLLOWER, NONE, SQUARES, Die, Target
from meadhall.games.dungeon_allies.rules.sorcerer import price
from meadhall.games.dungeon_allies.rules.treasure import is_guarded
from meadhall.games.dungeon_allies.state import State
from meadhall.sdk import gettext as _

DIE_MATTERS = (Target.TRAINER, Target.TAVERN)
"""Where it depends on the die what a seat lacks."""


def caution(state: State, seat: int, target: int, die: int) -> str:
    """Return what the seat still lacks to gain something from this die on a target; "" if it lacks nothing."""
    if target < Target.TURN_ORDER:
        return ""
    if target == Target.TRAINER:
        return _at_the_trainer(state, seat, die)
    if target == Target.TAVERN:
        return at_the_tavern(state, seat, die)
    if target == Target.TRADE:
        return _at_the_market(state, seat)
    if Target.TREASURE <= target < Target.TRAINER:
        return _at_a_treasure(state, seat, target - Target.TREASURE)
    if Target.PRISONER <= target < Target.TRADE:
        return _at_a_prisoner(state, seat, target - Target.PRISONER)
    if target >= Target.SORCERER:
        return _at_the_sorcerer(state, seat)
    return ""


def _at_a_treasure(state: State, seat: int, space: int) -> str:
    """DA-6.2: A guarded treasure needs a fight that is won this turn."""
    attacks = any(state.holder[Target.SQUARE + square] == seat for square in range(SQUARES))
    if attacks or not is_guarded(state, space):
        return ""
    return _("Guarded: you need to win a fight this turn, and you have no die in the dungeon yet.")


def _at_the_trainer(state: State, seat: int, die: int) -> str:
    """DA-7.1: A die can't be trained to a size that another ally has at that moment."""
    _dice, trained = _training(state, seat, die)
    if die in trained:
        return ""
    return _("You have a {larger}, so this {die} can't be trained. It could if the {larger} were trained first.").format(
        larger=names.die(die + 1), die=names.die(die)
    )


def at_the_tavern(state: State, seat: int, die: int = NONE) -> str:
    """DA-8.3, DA-8.4: A follower needs a die that is smaller than those of all other allies, after the training.

    ``die``: the die that would be placed in the tavern, if it doesn't lie there already.
    """
    dice, _trained = _training(state, seat)
    if state.below_characters:
        return _below_the_characters(dice)
    if Die.D4 not in dice:
        return ""
    if die == Die.D4 or state.place[seat, Die.D4] != NONE:
        return _("No follower can join you this turn: you have a d4, and a follower needs a smaller die than all your others.")
    return _("No follower can join you as long as you have a d4: a follower needs a smaller die than all your others.")


def _below_the_characters(dice: Mapping[int, int]) -> str:
    """DA-19.3: A follower needs a free die that is smaller than those of the characters, after the training."""
    lowest = min(die for die, ally in dice.items() if ally < FIRST_FOLLOWER)
    if any(die not in dice for die in range(lowest)):
        return ""
    return _("No follower can join you as long as no free die is smaller than those of your characters.")


def _training(state: State, seat: int, last: int = NONE) -> tuple[dict[int, int], set[int]]:
    """DA-7.1: Return the allies by the dice that they have after the training, and the dice that are replaced.

    ``last``: another die that would be placed at the trainer.
    """
    dice = {die: int(state.ally[seat, die]) for die in range(DICE) if state.ally[seat, die] != NONE}
    placed = [divmod(state.trainee[space], DICE) for space in range(state.trainees)]
    trained = set()
    for die in [*(die for owner, die in placed if owner == seat), *([] if last == NONE else [last])]:
        if die + 1 not in dice:
            dice[die + 1] = dice.pop(die)
            trained.add(die)
    return dice, trained


def _at_a_prisoner(state: State, seat: int, space: int) -> str:
    """DA-9.1: The offering is due when the prisoners are freed, and not before. DA-19.4: Or it has to be there now."""
    missing = missing_offering(state, seat, space)
    if state.offering_first or not any(missing):
        return ""
    return _("You don't have the whole offering yet. You still need {items}.").format(items=names.amounts(missing))


def missing_offering(state: State, seat: int, space: int) -> list[int]:
    """Return how much of each item of an offering a seat lacks."""
    missing = [max(0, int(state.offering[space, colour] - state.crystals[seat, colour])) for colour in range(COLOURS)]
    return [*missing, max(0, int(state.offering[space, COLOURS] - state.gold[seat]))]


def _at_the_market(state: State, seat: int) -> str:
    """DA-10.1: A trade needs all crystals of one side of a line."""
    if any(_can_give(state, seat, side) for side in range(2 * state.lines)):
        return ""
    return _("You don't have the crystals for any of these trades yet.")


def _can_give(state: State, seat: int, side: int) -> bool:
    return all(state.crystals[seat, colour] >= state.exchange[side, colour] for colour in range(COLOURS))


def _at_the_sorcerer(state: State, seat: int) -> str:
    """DA-11.1: The price is due at the sorcerer. It rises with the rounds."""
    colour = int(price(state))
    if state.crystals[seat, colour]:
        return ""
    return _("You don't have the price yet: {price}.").format(price=names.amount(colour, 1))
