"""Refusals: why an action is not legal, in words and with the rule. A second statement of the rules, tested against the first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from meadhall.games.dungeon_allies import names
from meadhall.games.dungeon_allies.names import Names
from meadhall.games.dungeon_allies.pieces import (
    COLOURS,
    DICE,
    FIRST_FOLLOWER,
    GONE,
    MOST_GOLD_BID,
    NONE,
    SQUARES,
    TRAINER_SPACES,
    Act,
    Die,
    Item,
    Phase,
    Target,
    parse,
)
from meadhall.games.dungeon_allies.rules.market import price
from meadhall.games.dungeon_allies.rules.placement import can_free, can_loot
from meadhall.games.dungeon_allies.rules.village import is_guarded
from meadhall.games.dungeon_allies.state import State, Step, can_take, current_round, has_seen, lowest_die
from meadhall.sdk import gettext as _, marked, ngettext

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


def _cells(row: Any) -> list[int]:
    """Return the cells of a field at once, which is faster than one by one."""
    found: list[int] = row.tolist()
    return found


def _at_a_treasure(state: State, seat: int, space: int) -> str:
    """DA-6.2: A guarded treasure needs a fight that is won this turn."""
    if not is_guarded(state, space) or seat in _cells(state.holder)[: Target.TURN_ORDER]:
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
    owned = [*_cells(state.crystals[seat]), int(state.gold[seat])]
    return [max(0, needed - count) for needed, count in zip(_cells(state.offering[space]), owned, strict=True)]


def _at_the_market(state: State, seat: int) -> str:
    """DA-10.1: A trade needs all crystals of one side of a line."""
    if any(_can_give(state, seat, side) for side in range(2 * state.lines)):
        return ""
    return _("You don't have the crystals for any of these trades yet.")


def _can_give(state: State, seat: int, side: int) -> bool:
    owned, given = _cells(state.crystals[seat]), _cells(state.exchange[side])
    return all(count >= needed for count, needed in zip(owned, given, strict=True))


def _at_the_sorcerer(state: State, seat: int) -> str:
    """DA-11.1: The price is due at the sorcerer. It rises with the rounds."""
    colour = int(price(state))
    if state.crystals[seat, colour]:
        return ""
    return _("You don't have the price yet: {price}.").format(price=names.amount(colour, 1))


Refusal = tuple[str, str]
ALLOWED: Refusal = ("", "")

DECIDE_FIRST = {
    Phase.ASSIGN: ("DA-2.3", marked("First choose which of your characters gets the d6.")),
    Phase.PEEK: ("DA-3.4", marked("You cast Illuminate: choose a tile to look at first.")),
    Phase.BID: ("DA-8.1", marked("Your die is in the tavern: make your bid first.")),
}
"""Decisions that come before placing another die."""

NOT_NOW = {
    Phase.ASSIGN: ("DA-2.3", marked("Your characters got their dice before the first turn.")),
    Phase.PLACE: (
        "DA-3.1",
        marked("All dice of this turn are placed. They come home when all eight places have been resolved."),
    ),
    Phase.PEEK: ("DA-3.4", marked("You can look at tiles only after casting Illuminate.")),
    Phase.BID: ("DA-8.1", marked("You bid only right after placing a die on an occupied tavern.")),
    Phase.FIGHT_ORDER: ("DA-4.2", marked("You can't choose a fight now.")),
    Phase.PREP: ("DA-4.5", marked("You can do this only in a fight, before the roll.")),
    Phase.REROLL: ("DA-4.6", marked("You can do this only in a fight, after a roll that is too low.")),
    Phase.FOLLOWER_DIE: ("DA-8.3", marked("No follower needs a die from you now.")),
    Phase.PRISONER: ("DA-9.1", marked("No prisoner waits for your decision now.")),
    Phase.TRADE: ("DA-10.1", marked("You can't trade now.")),
    Phase.BUY: ("DA-11.1", marked("The sorcerer isn't offering you a card now.")),
}
"""Why an action of this phase is refused in another one."""
BID_IN_THE_TAVERN = marked("You bid only right after placing a die in the tavern.")
"""DA-19.2: The reason for a bid, where the first die bids, too."""
TOO_LATE_TO_LOOK = ("DA-3.4", marked("You can cast Illuminate only before you place a die."))


def refusal(state: State, action: int, players: Sequence[str], pieces: Names) -> Refusal:
    """Return the rule and the reason why the seat to move can't do this now; ``ALLOWED`` if it can."""
    kind, argument = parse(action)
    if kind.phase != state.phase:
        return _not_now(state, kind)
    match kind:
        case Act.PLACE:
            return _placement(state, *divmod(argument, DICE), players, pieces)
        case Act.ILLUMINATE:
            return _illuminate(state, pieces)
        case Act.PEEK:
            return _peek(state, argument, pieces)
        case Act.BID:
            return _bid(state, argument)
        case Act.FIGHT:
            return _fight(state, argument, pieces)
        case Act.HAMMER:
            return _hammer(state)
        case Act.ENHANCE:
            return _enhance(state, argument)
        case Act.BLESS:
            return _bless(state, argument)
        case Act.REROLL:
            return ALLOWED if state.rolled[argument] else _not_in_the_fight("DA-4.6", argument)
        case Act.FOLLOWER_DIE:
            return _follower_die(state, argument)
        case Act.TRADE:
            return _exchange(state, *divmod(argument, 2))
        case _:
            return ALLOWED


def _not_now(state: State, kind: Act) -> Refusal:
    rule, why = TOO_LATE_TO_LOOK if kind == Act.ILLUMINATE else NOT_NOW[kind.phase]
    if kind == Act.BID and state.first_bid:
        why = BID_IN_THE_TAVERN
    if kind.phase == Phase.PLACE and state.step == Step.PLACEMENT:
        rule, why = DECIDE_FIRST[Phase(state.phase)]
    return rule, _(why)


# -------------------------------------------------------------------------------------------------------------------- placement


def _placement(state: State, target: int, die: int, players: Sequence[str], pieces: Names) -> Refusal:
    if state.ally[state.actor, die] == NONE:
        return "DA-1.2", _("None of your allies has a {die}.").format(die=names.die(die))
    if state.place[state.actor, die] != NONE:
        place = pieces.target(state.place[state.actor, die])
        return "DA-3.1", _("Your {die} is already placed: {place}.").format(die=names.die(die), place=place)
    if target < Target.TURN_ORDER:
        return _attack(state, target - Target.SQUARE, players, pieces)
    match target:
        case Target.TURN_ORDER:
            return _track(state)
        case Target.TRAINER:
            return _trainer(state, die)
        case Target.TAVERN:
            return _tavern(state)
        case Target.TRADE:
            return ALLOWED
    return _single_space(state, target, players, pieces)


def _attack(state: State, square: int, players: Sequence[str], pieces: Names) -> Refusal:
    if state.monster[square] == GONE:
        return "DA-3.3", _("No monster is left on {square}.").format(square=pieces.square(square))
    target = Target.SQUARE + square
    if state.holder[target] not in (NONE, state.actor):
        return _taken(target, state.holder[target], players, pieces)
    return ALLOWED


def _track(state: State) -> Refusal:
    if any(state.track[space] == state.actor for space in range(state.players)):
        return "DA-3.3", _("You already have a die on the turn order, and you may have only one there.")
    return ALLOWED


def _single_space(state: State, target: int, players: Sequence[str], pieces: Names) -> Refusal:
    """Refuse a second die on a space for one die, and any die where there is no prisoner or no card."""
    if Target.PRISONER + state.prisoners <= target < Target.TRADE:
        return "DA-3.3", ngettext("There is only {count} prisoner.", "There are only {count} prisoners.", state.prisoners).format(
            count=state.prisoners
        )
    if target >= Target.SORCERER and state.display[target - Target.SORCERER] == NONE:
        return "DA-3.3", _("The sorcerer has no card on that space.")
    if state.holder[target] != NONE:
        return _taken(target, state.holder[target], players, pieces)
    if target < Target.TRAINER and not can_loot(state, state.actor, target - Target.TREASURE):
        return "DA-19.7", _("You already have a die on a treasure, and at this table you may have only one there.")
    if Target.PRISONER <= target < Target.TRADE and not can_free(state, state.actor, target - Target.PRISONER):
        return "DA-19.4", _("At this table the offering is put down with the die. You still need {items}.").format(
            items=names.amounts(missing_offering(state, state.actor, target - Target.PRISONER))
        )
    return ALLOWED


def _taken(target: int, holder: int, players: Sequence[str], pieces: Names) -> Refusal:
    return "DA-3.3", _("{place} is taken by {name}.").format(place=pieces.target(target), name=players[holder])


def _trainer(state: State, die: int) -> Refusal:
    if die == Die.D12:
        return "DA-3.3", _("The d12 is the largest die and can't be trained any further.")
    if state.trainees == TRAINER_SPACES:
        return "DA-3.3", _("All spaces at the trainer are taken.")
    return ALLOWED


def _tavern(state: State) -> Refusal:
    if state.followers == 0:
        return "DA-8.1", _("No follower is left in the tavern.")
    if all(state.ally[state.actor, die] != NONE for die in range(DICE)):
        return "DA-8.1", _("You have five allies, and no die is left for another one.")
    if state.bidder == state.actor:
        return "DA-8.2", _("You have the leading bid, and you can't raise it.")
    if state.bidder == NONE and state.gold[state.actor] < state.first_bid:
        return "DA-19.2", _("At this table the first bid is one gold or more, and you have none.")
    if state.bidder != NONE and state.bid >= state.gold[state.actor]:
        return "DA-8.1", _("You would have to bid at least {bid}, but you have only {gold}.").format(
            bid=names.amount(Item.GOLD, state.bid + 1), gold=names.amount(Item.GOLD, state.gold[state.actor])
        )
    if state.bidder != NONE and state.bid == MOST_GOLD_BID:
        return "DA-8.1", _("The highest possible bid is {bid}.").format(bid=names.amount(Item.GOLD, MOST_GOLD_BID))
    return ALLOWED


def _illuminate(state: State, pieces: Names) -> Refusal:
    if not state.crystals[state.actor, Item.RED]:
        return _missing_crystal("DA-3.4", Item.RED)
    if all(_peek(state, square, pieces) != ALLOWED for square in range(SQUARES)):
        return "DA-3.4", _("You have already seen every tile that is left.")
    return ALLOWED


def _peek(state: State, square: int, pieces: Names) -> Refusal:
    if state.monster[square] == GONE:
        return "DA-3.4", _("No monster is left on {square}.").format(square=pieces.square(square))
    if has_seen(state, state.actor, square):
        return "DA-3.4", _("You already know the tile on {square}.").format(square=pieces.square(square))
    return ALLOWED


def _bid(state: State, gold: int) -> Refusal:
    if gold <= state.bid:
        return "DA-8.1", _("The last bid is {bid}: bid more.").format(bid=names.amount(Item.GOLD, state.bid))
    if gold > state.gold[state.actor]:
        return "DA-8.1", _("You have only {gold}.").format(gold=names.amount(Item.GOLD, state.gold[state.actor]))
    return ALLOWED


def _missing_crystal(rule: str, colour: int) -> Refusal:
    return rule, _("This costs {price}, and you don't have one.").format(price=names.amount(colour, 1))


# ----------------------------------------------------------------------------------------------------------------------- fights


def _fight(state: State, square: int, pieces: Names) -> Refusal:
    if state.monster[square] == GONE:
        return "DA-4.2", _("No monster is left on {square}.").format(square=pieces.square(square))
    if state.holder[Target.SQUARE + square] != state.actor:
        return "DA-4.2", _("You have no die on {square}.").format(square=pieces.square(square))
    return ALLOWED


def _hammer(state: State) -> Refusal:
    if not state.crystals[state.actor, Item.WHITE]:
        return _missing_crystal("DA-4.5", Item.WHITE)
    level = state.level[state.square] + 1
    if level > current_round(state):
        return "DA-4.5", _("In round {round} the gods don't strike monsters on level {level}.").format(
            round=current_round(state), level=level
        )
    return ALLOWED


def _enhance(state: State, die: int) -> Refusal:
    if not state.enhancers[die]:
        return "DA-1.4", _("The {die} is not used for Enhance.").format(die=names.die(die))
    if not state.crystals[state.actor, Item.GREEN]:
        return _missing_crystal("DA-4.5", Item.GREEN)
    if die < DICE and state.ally[state.actor, die] != NONE:
        return "DA-4.5", _("One of your allies has the {die}.").format(die=names.die(die))
    if state.extra[die]:
        return "DA-4.5", _("The {die} is already in the fight.").format(die=names.die(die))
    return ALLOWED


def _bless(state: State, die: int) -> Refusal:
    is_allys_die = die < DICE and state.place[state.actor, die] == Target.SQUARE + state.square
    if not state.crystals[state.actor, Item.YELLOW]:
        return _missing_crystal("DA-4.5", Item.YELLOW)
    if not is_allys_die and not state.extra[die]:
        return _not_in_the_fight("DA-4.5", die)
    weakness = state.weakness[state.monster[state.square]]
    if state.blessed[die] or (is_allys_die and state.skill[state.ally[state.actor, die]] == weakness):
        return "DA-4.5", _("The {die} already counts double.").format(die=names.die(die))
    return ALLOWED


def _not_in_the_fight(rule: str, die: int) -> Refusal:
    return rule, _("The {die} is not in this fight.").format(die=names.die(die))


# ------------------------------------------------------------------------------------------------------------------ later steps


def _follower_die(state: State, die: int) -> Refusal:
    lowest = lowest_die(state, state.actor)
    if state.below_characters and not can_take(state, state.actor, die):
        return "DA-19.3", _("A follower needs a die that no ally of yours has, smaller than those of your characters.")
    if die >= lowest:
        return "DA-8.3", _("A follower's die must be smaller than all your other dice; your smallest is the {die}.").format(
            die=names.die(lowest)
        )
    return ALLOWED


def _exchange(state: State, line: int, direction: int) -> Refusal:
    if line >= state.lines:
        return "DA-10.1", ngettext(
            "The trade table has only {count} line.", "The trade table has only {count} lines.", state.lines
        ).format(count=state.lines)
    given, taken = 2 * line + direction, 2 * line + 1 - direction
    if state.traded[line] == 2 - direction:
        return "DA-10.2", _("On this visit you have already used this line in the other direction.")
    missing = [max(0, state.exchange[given, colour] - state.crystals[state.actor, colour]) for colour in range(COLOURS)]
    if any(missing):
        return "DA-10.1", _("You lack {crystals} for this.").format(crystals=names.amounts(missing))
    if any(state.box[colour] < state.exchange[taken, colour] for colour in range(COLOURS)):
        return "DA-1.6", _("The box doesn't have the crystals that you would get.")
    return ALLOWED
