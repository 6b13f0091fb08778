"""Dungeon Allies in words: actions, prompts, endings; and which words and events belong to which components."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from meadhall.engine import events
from meadhall.engine.events import EventKind
from meadhall.engine.language import gettext as _
from meadhall.engine.language import listed, marked
from meadhall.engine.options import REMEMBERED
from meadhall.games.dungeon_allies import names, refusals, terminal
from meadhall.games.dungeon_allies.components import COMPONENTS, Components, components_of
from meadhall.games.dungeon_allies.events import events_of, tell
from meadhall.games.dungeon_allies.names import BUILT_IN, Names
from meadhall.games.dungeon_allies.rules.excursion import target_of, total
from meadhall.games.dungeon_allies.rules.scoring import points_of
from meadhall.games.dungeon_allies.rules.sorcerer import price
from meadhall.games.dungeon_allies.sketch import sketch
from meadhall.games.dungeon_allies.state import (
    ACCEPT,
    BID,
    BLESS,
    BLUE,
    COLOURS,
    DECLINE,
    DICE,
    END_TRADE,
    ENHANCE,
    FIGHT,
    FOLLOWER_DIE,
    GOLD,
    GREEN,
    HAMMER,
    ILLUMINATE,
    MAX_TURNS,
    MONSTERS,
    NONE,
    ON_PRISONER,
    ON_SORCERER,
    ON_TRADE,
    PEEK,
    PLACE,
    RED,
    REROLL,
    ROLL,
    TRADE,
    WHITE,
    YELLOW,
    Phase,
    State,
)


class Words:
    """The game in words, played with these components."""

    def __init__(self, components: Components) -> None:
        self.pieces = Names(components)
        self.events = events_of(components)

    def event(self, event: events.Event, names: Sequence[str]) -> str:
        """What happened."""
        return tell(event, self.events[event.kind], names, self.pieces)

    def refusal(self, state: State, action: int, names: Sequence[str]) -> tuple[str, str]:
        """Why the actor can't do this now, if so."""
        return refusals.refusal(state, action, names)

    def sketch(self, state: State, names: Sequence[str]) -> str:
        """The table in a terminal."""
        return sketch(state, names, self.pieces)

    def notation(self, action: int) -> str:
        """What a person types for an action at the terminal."""
        return terminal.notation(action)

    # ------------------------------------------------------------------------------------------------------------- actions

    def action(self, state: State, action: int, names: Sequence[str]) -> str:
        """What the actor would do."""
        if action < FIGHT:
            return self._placement(state, action)
        return _fight(action) if action < FOLLOWER_DIE else self._later(state, action)

    def _placement(self, state: State, action: int) -> str:
        if action < PLACE:
            ally = state.dealt[state.actor, action]
            return _("give the d6 to {ally} ({skill})").format(ally=self.pieces.ally(ally), skill=names.skill(state.skill[ally]))
        if action < ILLUMINATE:
            target, die = divmod(action - PLACE, DICE)
            return _("place the {die}: {place}").format(die=names.die(die), place=self._place(state, target))
        if action == ILLUMINATE:
            return _("cast Illuminate: look at two tiles, for {price}").format(price=names.amount(RED, 1))
        if action <= BID:
            return _("look at the tile on {square}").format(square=names.square(action - PEEK))
        return _("bid {gold}").format(gold=names.amount(GOLD, action - BID))

    def _place(self, state: State, target: int) -> str:
        """A target, and whom or what one finds there."""
        place, found = names.target(target), ""
        if ON_PRISONER <= target < ON_TRADE:
            found = self.pieces.prisoner(target - ON_PRISONER)
        elif target >= ON_SORCERER and state.display[target - ON_SORCERER] != NONE:
            found = self.pieces.card(state.display[target - ON_SORCERER])
        return f"{place} ({found})" if found else place

    def _later(self, state: State, action: int) -> str:
        if action < END_TRADE:
            return _("give the {die} to the follower").format(die=names.die(action - FOLLOWER_DIE))
        if action == END_TRADE:
            return _("end the visit")
        if action < DECLINE:
            given, taken = self.pieces.exchange(*divmod(action - TRADE, 2))
            return _("give {given} for {taken}").format(given=given, taken=taken)
        if action == DECLINE:
            return _("leave the card")
        return _("buy the card for {price}").format(price=names.amount(price(state), 1))

    # ------------------------------------------------------------------------------------------------------------- prompts

    def prompt(self, state: State, names: Sequence[str], viewer: int) -> str:
        """What is to be decided and by whom."""
        if state.actor == NONE:
            return _("The match is over.")
        text = _((MINE if viewer == state.actor else THEIRS)[Phase(state.phase)])
        return text.format(name=names[state.actor], **self._facts(state))

    def _facts(self, state: State) -> dict[str, Any]:
        """What the decision is about."""
        if state.phase == Phase.PLACE:
            waiting = [
                die for die in range(DICE) if state.ally[state.actor, die] != NONE and state.place[state.actor, die] == NONE
            ]
            return {"dice": listed([names.die(die) for die in waiting])}
        if state.phase == Phase.BID:
            return {"bid": state.bid, "gold": state.gold[state.actor]}
        if state.phase in (Phase.PREP, Phase.REROLL):
            monster = state.monster[state.square]
            return {
                "square": names.square(state.square),
                "monster": self.pieces.monster(monster),
                "target": target_of(state),
                "skill": names.skill(state.weakness[monster]),
                "total": total(state),
            }
        if state.phase == Phase.FOLLOWER_DIE:
            return {"follower": self.pieces.ally(state.stack[state.followers - 1])}
        if state.phase == Phase.BUY:
            return {"card": self.pieces.card(state.display[state.cursor]), "price": names.amount(price(state), 1)}
        return {}

    def ending(self, state: State) -> tuple[str, str]:
        """How it ended."""
        rule, how = "DA-13.3", _("{turns} turns are over").format(turns=MAX_TURNS)
        if state.removed == MONSTERS:
            rule, how = "DA-13.1", _("no monster is left")
        colour = deciding_colour(state)
        if colour not in (None, NONE):
            how = _("{how}; points being equal, crystals decide: {colour}").format(how=how, colour=_(names.ITEMS[colour]))
        return rule, how


def deciding_colour(state: State) -> int | None:
    """DA-13.4: the crystals that decide between those with most points, at last; ``NONE`` if none do, None if none have to."""
    points = [points_of(state, seat) for seat in range(state.players)]
    best = [seat for seat in range(state.players) if points[seat] == max(points)]
    if len(best) == 1:
        return None
    decided = NONE
    for colour in reversed(range(COLOURS)):
        most = max(state.crystals[seat, colour] for seat in best)
        left = [seat for seat in best if state.crystals[seat, colour] == most]
        if len(left) < len(best):
            best, decided = left, colour
    return decided


def _fight(action: int) -> str:
    if action < ROLL:
        return _("fight on {square}").format(square=names.square(action - FIGHT))
    if action == ROLL:
        return _("roll the dice")
    if action == HAMMER:
        return _("call the Hammer of the Gods: win without a roll, for {price}").format(price=names.amount(WHITE, 1))
    if action < BLESS:
        return _("cast Enhance: roll a {die} too, for {price}").format(
            die=names.die(action - ENHANCE), price=names.amount(GREEN, 1)
        )
    if action < ACCEPT:
        return _("cast Bless: count the {die} twice, for {price}").format(
            die=names.die(action - BLESS), price=names.amount(YELLOW, 1)
        )
    if action == ACCEPT:
        return _("accept the loss")
    return _("roll the {die} again, for {price}").format(die=names.die(action - REROLL), price=names.amount(BLUE, 1))


MINE = {
    Phase.ASSIGN: marked("Which of your two characters gets the d6? The other one gets the d4."),
    Phase.PLACE: marked("Place a die: {dice}."),
    Phase.PEEK: marked("At which tile do you look?"),
    Phase.BID: marked("The last bid is {bid} gold, and you have {gold}. How much do you bid?"),
    Phase.FIGHT_ORDER: marked("Which fight comes next?"),
    Phase.PREP: marked("{monster} on {square}: it takes {target}, and is weak against {skill}. Cast spells, or roll."),
    Phase.REROLL: marked("{total}, and {monster} takes {target}. Roll a die again, or accept the loss?"),
    Phase.FOLLOWER_DIE: marked("{follower} joins you. With which die?"),
    Phase.TRADE: marked("Exchange crystals, or end the visit."),
    Phase.BUY: marked("{card}, for {price}: do you buy it?"),
}
THEIRS = {
    Phase.ASSIGN: marked("{name} decides which character gets the d6."),
    Phase.PLACE: marked("{name} is to place a die: {dice}."),
    Phase.PEEK: marked("{name} looks at a tile."),
    Phase.BID: marked("{name} has to bid more than {bid} gold."),
    Phase.FIGHT_ORDER: marked("{name} chooses the next fight."),
    Phase.PREP: marked("{name} fights on {square}. {monster} takes {target}, and is weak against {skill}."),
    Phase.REROLL: marked("{name} has {total} of {target} against {monster}, and can roll a die again."),
    Phase.FOLLOWER_DIE: marked("{name} chooses the die of {follower}."),
    Phase.TRADE: marked("{name} exchanges crystals."),
    Phase.BUY: marked("{name} can buy {card} for {price}."),
}

WORDS = Words(BUILT_IN)


def edition(options: Mapping[str, Any]) -> tuple[Words, dict[int, EventKind]]:
    """The words and events of the components that a match is played with."""
    words = WORDS if options["components"] == COMPONENTS.default else words_of(components_of(options))
    return words, words.events


@lru_cache(maxsize=REMEMBERED)
def words_of(components: Components) -> Words:
    """The same words for the same components."""
    return Words(components)
