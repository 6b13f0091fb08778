"""Dungeon Allies: why something can't be done. A second statement of what is legal, in words and with the rule."""

from __future__ import annotations

from collections.abc import Sequence

from meadhall.engine.language import gettext as _
from meadhall.engine.language import marked
from meadhall.games.dungeon_allies import names
from meadhall.games.dungeon_allies.state import (
    ACTIONS,
    BID,
    BLESS,
    COLOURS,
    D12,
    DECLINE,
    DICE,
    END_TRADE,
    ENHANCE,
    FIGHT,
    FOLLOWER_DIE,
    GOLD,
    GONE,
    GREEN,
    HAMMER,
    ILLUMINATE,
    MOST_GOLD_BID,
    NONE,
    ON_SORCERER,
    ON_SQUARE,
    ON_TAVERN,
    ON_TRACK,
    ON_TRADE,
    ON_TRAINER,
    PEEK,
    PLACE,
    RED,
    REROLL,
    ROLL,
    SQUARES,
    TRADE,
    TRAINER_SPACES,
    WHITE,
    YELLOW,
    Phase,
    State,
    Step,
    current_round,
    has_seen,
    level_of,
    lowest_die,
)

Refusal = tuple[str, str]
ALLOWED: Refusal = ("", "")

PHASES = (
    (PLACE, Phase.ASSIGN),
    (PEEK, Phase.PLACE),
    (BID + 1, Phase.PEEK),
    (FIGHT, Phase.BID),
    (ROLL, Phase.FIGHT_ORDER),
    (REROLL - 1, Phase.PREP),
    (FOLLOWER_DIE, Phase.REROLL),
    (END_TRADE, Phase.FOLLOWER_DIE),
    (DECLINE, Phase.TRADE),
    (ACTIONS, Phase.BUY),
)
"""Which actions belong to which decision: those below the number, down to the one before."""

FIRST = {
    Phase.ASSIGN: ("DA-2.3", marked("First say which of your characters gets the d6.")),
    Phase.PEEK: ("DA-3.4", marked("You have cast Illuminate: first look at a tile.")),
    Phase.BID: ("DA-8.1", marked("Your die lies in the tavern: first say what you bid.")),
}
"""What has to be decided before a die can be placed."""

NOT_NOW = {
    Phase.ASSIGN: ("DA-2.3", marked("The dice of your characters were given out before the first turn.")),
    Phase.PLACE: (
        "DA-3.1",
        marked("All dice of this turn are placed. They come home when the eight places have been dealt with."),
    ),
    Phase.PEEK: ("DA-3.4", marked("Only who casts Illuminate may look at tiles.")),
    Phase.BID: ("DA-8.1", marked("Gold is bid by who has just placed a die in the tavern, after somebody else.")),
    Phase.FIGHT_ORDER: ("DA-4.2", marked("This is not the moment to choose a fight.")),
    Phase.PREP: ("DA-4.5", marked("This is done in a fight, before its dice are rolled.")),
    Phase.REROLL: ("DA-4.6", marked("This is done in a fight, when its dice have been rolled and are not enough.")),
    Phase.FOLLOWER_DIE: ("DA-8.3", marked("No follower is waiting for a die of yours.")),
    Phase.TRADE: ("DA-10.1", marked("You are not trading now.")),
    Phase.BUY: ("DA-11.1", marked("The sorcerer offers you no card now.")),
}
"""Why there is nothing of this kind to decide."""


def refusal(state: State, action: int, players: Sequence[str]) -> Refusal:
    """Rule and words why the actor can't do this now; ``ALLOWED`` if it can be done."""
    phase = next(phase for end, phase in PHASES if action < end)
    if phase != state.phase:
        return _not_now(state, phase)
    if phase == Phase.PLACE:
        return _no_light(state) if action == ILLUMINATE else _not_placed(state, action - PLACE, players)
    if phase == Phase.PEEK:
        return _not_seen(state, action - PEEK)
    if phase == Phase.BID:
        return _not_bid(state, action - BID)
    if phase == Phase.FIGHT_ORDER:
        return _no_fight(state, action - FIGHT)
    if phase == Phase.PREP:
        return _no_spell(state, action)
    if phase == Phase.REROLL:
        return _not_in_the_fight("DA-4.6", action - REROLL) if action >= REROLL and not state.rolled[action - REROLL] else ALLOWED
    if phase == Phase.FOLLOWER_DIE:
        return _too_large(state, action - FOLLOWER_DIE)
    if phase == Phase.TRADE and action >= TRADE:
        return _no_exchange(state, *divmod(action - TRADE, 2))
    return ALLOWED


def _not_now(state: State, wanted: Phase) -> Refusal:
    rule, why = NOT_NOW[wanted]
    if wanted == Phase.PLACE and state.step == Step.PLACEMENT:
        rule, why = FIRST[Phase(state.phase)]
    return rule, _(why)


# --------------------------------------------------------------------------------------------------------------- placement


def _not_placed(state: State, placement: int, players: Sequence[str]) -> Refusal:
    target, die = divmod(placement, DICE)
    if state.ally[state.actor, die] == NONE:
        return "DA-1.2", _("None of your allies has a {die}.").format(die=names.die(die))
    if state.place[state.actor, die] != NONE:
        place = names.target(state.place[state.actor, die])
        return "DA-3.1", _("Your {die} is placed already: {place}.").format(die=names.die(die), place=place)
    if target < ON_TRACK:
        return _no_attack(state, target - ON_SQUARE, players)
    if target == ON_TRACK:
        on_track = any(state.track[space] == state.actor for space in range(state.players))
        return ("DA-3.3", _("You have a die on the turn order already, and one is all you may have.")) if on_track else ALLOWED
    if target == ON_TRAINER:
        return _not_trained(state, die)
    if target == ON_TAVERN:
        return _no_guest(state)
    if target == ON_TRADE:
        return ALLOWED
    return _occupied(state, target, players)


def _no_attack(state: State, square: int, players: Sequence[str]) -> Refusal:
    if state.monster[square] == GONE:
        return "DA-3.3", _("No monster is left on {square}.").format(square=names.square(square))
    target = ON_SQUARE + square
    if state.holder[target] not in (NONE, state.actor):
        return _taken(target, state.holder[target], players)
    return ALLOWED


def _occupied(state: State, target: int, players: Sequence[str]) -> Refusal:
    """One die fits on the space."""
    if target >= ON_SORCERER and state.display[target - ON_SORCERER] == NONE:
        return "DA-3.3", _("The sorcerer has no card on that space.")
    return ALLOWED if state.holder[target] == NONE else _taken(target, state.holder[target], players)


def _taken(target: int, holder: int, players: Sequence[str]) -> Refusal:
    return "DA-3.3", _("{place} is taken by {name}.").format(place=names.target(target), name=players[holder])


def _not_trained(state: State, die: int) -> Refusal:
    if die == D12:
        return "DA-3.3", _("The d12 is the largest die: who has it can't be trained any more.")
    if state.trainees == TRAINER_SPACES:
        return "DA-3.3", _("All spaces at the trainer's are taken.")
    return ALLOWED


def _no_guest(state: State) -> Refusal:
    if state.followers == 0:
        return "DA-8.1", _("No follower is left in the tavern.")
    if all(state.ally[state.actor, die] != NONE for die in range(DICE)):
        return "DA-8.1", _("You have five allies, and there is no die for one more.")
    if state.bidder == state.actor:
        return "DA-8.2", _("Yours is the leading bid: you can't raise it.")
    if state.bidder != NONE and state.bid >= state.gold[state.actor]:
        return "DA-8.1", _("You would have to bid at least {bid}, and have {gold}.").format(
            bid=names.amount(GOLD, state.bid + 1), gold=names.amount(GOLD, state.gold[state.actor])
        )
    if state.bidder != NONE and state.bid == MOST_GOLD_BID:
        return "DA-8.1", _("Nobody can bid more than {bid}.").format(bid=names.amount(GOLD, MOST_GOLD_BID))
    return ALLOWED


def _no_light(state: State) -> Refusal:
    if not state.crystals[state.actor, RED]:
        return _lacking("DA-3.4", RED)
    if all(_not_seen(state, square) != ALLOWED for square in range(SQUARES)):
        return "DA-3.4", _("You have seen every tile that is left.")
    return ALLOWED


def _not_seen(state: State, square: int) -> Refusal:
    if state.monster[square] == GONE:
        return "DA-3.4", _("No monster is left on {square}.").format(square=names.square(square))
    if has_seen(state, state.actor, square):
        return "DA-3.4", _("You know the tile on {square} already.").format(square=names.square(square))
    return ALLOWED


def _not_bid(state: State, gold: int) -> Refusal:
    if gold <= state.bid:
        return "DA-8.1", _("The last bid is {bid}: bid more.").format(bid=names.amount(GOLD, state.bid))
    if gold > state.gold[state.actor]:
        return "DA-8.1", _("You have only {gold}.").format(gold=names.amount(GOLD, state.gold[state.actor]))
    return ALLOWED


def _lacking(rule: str, colour: int) -> Refusal:
    return rule, _("It takes {price}, which you don't have.").format(price=names.amount(colour, 1))


# ------------------------------------------------------------------------------------------------------------------- fights


def _no_fight(state: State, square: int) -> Refusal:
    if state.monster[square] == GONE:
        return "DA-4.2", _("No monster is left on {square}.").format(square=names.square(square))
    if state.holder[ON_SQUARE + square] != state.actor:
        return "DA-4.2", _("You have no die on {square}.").format(square=names.square(square))
    return ALLOWED


def _no_spell(state: State, action: int) -> Refusal:
    if action == ROLL:
        return ALLOWED
    if action == HAMMER:
        return _no_hammer(state)
    return _no_enhance(state, action - ENHANCE) if action < BLESS else _no_bless(state, action - BLESS)


def _no_hammer(state: State) -> Refusal:
    if not state.crystals[state.actor, WHITE]:
        return _lacking("DA-4.5", WHITE)
    level = level_of(state.square) + 1
    if level > current_round(state):
        return "DA-4.5", _("In round {round} the gods don't strike monsters of level {level}.").format(
            round=current_round(state), level=level
        )
    return ALLOWED


def _no_enhance(state: State, die: int) -> Refusal:
    if not state.crystals[state.actor, GREEN]:
        return _lacking("DA-4.5", GREEN)
    if state.ally[state.actor, die] != NONE:
        return "DA-4.5", _("One of your allies has the {die}.").format(die=names.die(die))
    if state.extra[die]:
        return "DA-4.5", _("The {die} is in the fight already.").format(die=names.die(die))
    return ALLOWED


def _no_bless(state: State, die: int) -> Refusal:
    sent = state.place[state.actor, die] == ON_SQUARE + state.square
    if not state.crystals[state.actor, YELLOW]:
        return _lacking("DA-4.5", YELLOW)
    if not sent and not state.extra[die]:
        return _not_in_the_fight("DA-4.5", die)
    weak = state.weakness[state.monster[state.square]]
    if state.blessed[die] or (sent and state.skill[state.ally[state.actor, die]] == weak):
        return "DA-4.5", _("The {die} counts double already.").format(die=names.die(die))
    return ALLOWED


def _not_in_the_fight(rule: str, die: int) -> Refusal:
    return rule, _("The {die} is not in this fight.").format(die=names.die(die))


# -------------------------------------------------------------------------------------------------------------- later steps


def _too_large(state: State, die: int) -> Refusal:
    lowest = lowest_die(state, state.actor)
    if die >= lowest:
        return "DA-8.3", _("A follower's die is smaller than all others of yours, the smallest of which is the {die}.").format(
            die=names.die(lowest)
        )
    return ALLOWED


def _no_exchange(state: State, line: int, direction: int) -> Refusal:
    given, taken = 2 * line + direction, 2 * line + 1 - direction
    if state.traded[line] == 2 - direction:
        return "DA-10.2", _("On this visit you have used the line in the other direction.")
    lacking = [max(0, state.exchange[given, colour] - state.crystals[state.actor, colour]) for colour in range(COLOURS)]
    if any(lacking):
        return "DA-10.1", _("For that you lack {crystals}.").format(crystals=names.amounts(lacking))
    if any(state.box[colour] < state.exchange[taken, colour] for colour in range(COLOURS)):
        return "DA-1.6", _("The box doesn't have what you would get.")
    return ALLOWED
