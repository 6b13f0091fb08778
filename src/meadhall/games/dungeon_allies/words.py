"""Dungeon Allies in words: actions, prompts, endings, and the editions for other components."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from meadhall.games.dungeon_allies import names, refusals
from meadhall.games.dungeon_allies.components import COMPONENTS, Components, components_of
from meadhall.games.dungeon_allies.events import events_of, tell
from meadhall.games.dungeon_allies.names import BUILT_IN, Names
from meadhall.games.dungeon_allies.pieces import COLOURS, DICE, MONSTERS, NONE, Act, Item, Phase, Target, parse
from meadhall.games.dungeon_allies.rules import points_of
from meadhall.games.dungeon_allies.rules.excursion import target_of, total
from meadhall.games.dungeon_allies.rules.market import price
from meadhall.games.dungeon_allies.sketch import notation, sketch
from meadhall.games.dungeon_allies.state import MAX_TURNS, State
from meadhall.sdk import CACHE_SIZE, PUBLIC, Event as GameEvent, EventKind, Part, gettext as _, marked


class Words:
    """The texts of the game for these components."""

    def __init__(self, components: Components) -> None:
        self.pieces = Names(components)
        self.events = events_of(components)

    def event(self, event: GameEvent, names: Sequence[str], viewer: int = PUBLIC, part: Part = Part.LINE) -> str:
        """Return the text of an event. It calls seat ``viewer`` "you"."""
        return tell(event, self.events[event.kind], names, self.pieces, viewer, part)

    def refusal(self, state: State, action: int, names: Sequence[str]) -> tuple[str, str]:
        """Return the rule and the reason why the seat to move can't do this now; two empty texts if it can."""
        return refusals.refusal(state, action, names, self.pieces)

    def sketch(self, state: State, names: Sequence[str]) -> str:
        """Return the boards and the players as text for a terminal."""
        return sketch(state, names, self.pieces)

    def notation(self, action: int) -> str:
        """Return what a person types for an action at the terminal."""
        return notation(action, self.pieces)

    # ------------------------------------------------------------------------------------------------------------------ actions

    def action(self, state: State, action: int, names: Sequence[str]) -> str:
        """Return the text of an action of the seat to move."""
        kind, argument = parse(action)
        return _(ACTIONS[kind]).format(**self._words(state, kind, argument))

    def _words(self, state: State, kind: Act, argument: int) -> dict[str, str]:
        """Return the words that the text of a kind of action needs for an argument."""
        match kind:
            case Act.ASSIGN:
                ally = state.dealt[state.actor, argument]
                return {"ally": self.pieces.ally(ally), "skill": names.skill(state.skill[ally])}
            case Act.PLACE:
                target, die = divmod(argument, DICE)
                return {"die": names.die(die), "place": self._place(state, target)}
            case Act.PEEK | Act.FIGHT:
                return {"square": self.pieces.square(argument)}
            case Act.BID:
                return {"gold": names.amount(Item.GOLD, argument)}
            case Act.TRADE:
                given, taken = self.pieces.exchange(*divmod(argument, 2))
                return {"given": given, "taken": taken}
            case Act.FREE:
                return self._prisoner(state)
            case Act.BUY:
                return {"price": names.amount(price(state), 1)}
            case Act.ENHANCE | Act.BLESS | Act.REROLL:
                return {"die": names.die(argument), "price": names.amount(SPELL_COLOURS[kind], 1)}
            case Act.FOLLOWER_DIE:
                return {"die": names.die(argument)}
            case _:
                return {"price": names.amount(SPELL_COLOURS[kind], 1)} if kind in SPELL_COLOURS else {}

    def _prisoner(self, state: State) -> dict[str, str]:
        """Return the prisoner about whom the seat to move decides, with the offering and the reward."""
        printed = self.pieces.components.prisoner_space[state.cursor]
        return {
            "prisoner": self.pieces.prisoner(state.cursor),
            "offering": names.amounts(printed.offering.counts),
            "reward": names.amounts(printed.reward.counts),
        }

    def _place(self, state: State, target: int) -> str:
        """Return the name of a target, with the prisoner or the card there."""
        place, found = self.pieces.target(target), ""
        if Target.PRISONER <= target < Target.PRISONER + state.prisoners:
            found = self.pieces.prisoner(target - Target.PRISONER)
        elif target >= Target.SORCERER and state.display[target - Target.SORCERER] != NONE:
            found = self.pieces.card(state.display[target - Target.SORCERER])
        return f"{place} ({found})" if found else place

    # ------------------------------------------------------------------------------------------------------------------ prompts

    def prompt(self, state: State, names: Sequence[str], viewer: int) -> str:
        """Return the decision of the seat to move, addressed to the viewer (-1: a spectator)."""
        if state.actor == NONE:
            return _("The match is over.")
        yours = viewer == state.actor
        text = _((YOUR_PROMPTS if yours else OTHERS_PROMPTS)[Phase(state.phase)])
        if state.phase == Phase.BID and state.bidder == NONE:
            text = _(YOUR_FIRST_BID if yours else OTHERS_FIRST_BID)
        return text.format(name=names[state.actor], **self._facts(state))

    def _facts(self, state: State) -> dict[str, Any]:
        """Return the words that the prompt of the current phase needs."""
        match state.phase:
            case Phase.PLACE:
                seat = state.actor
                unplaced = (die for die in range(DICE) if state.ally[seat, die] != NONE and state.place[seat, die] == NONE)
                return {"dice": ", ".join(map(names.die, unplaced))}
            case Phase.BID:
                return {"bid": state.bid, "gold": state.gold[state.actor]}
            case Phase.PREP | Phase.REROLL:
                monster = state.monster[state.square]
                return {
                    "square": self.pieces.square(state.square),
                    "monster": self.pieces.monster(monster),
                    "target": target_of(state),
                    "skill": names.skill(state.weakness[monster]),
                    "total": total(state),
                }
            case Phase.FOLLOWER_DIE:
                return {"follower": self.pieces.ally(state.stack[state.followers - 1])}
            case Phase.PRISONER:
                return self._prisoner(state)
            case Phase.BUY:
                return {"card": self.pieces.card(state.display[state.cursor]), "price": names.amount(price(state), 1)}
            case _:
                return {}

    def ending(self, state: State) -> tuple[str, str]:
        """Return the rule that ended the match, and the reason in words."""
        rule, reason = "DA-13.3", _("all {turns} turns are played").format(turns=MAX_TURNS)
        if state.removed == MONSTERS:
            rule, reason = "DA-13.1", _("no monster is left")
        colour = deciding_colour(state)
        if colour not in (None, NONE):
            reason = _("{reason}; tied on points, decided by crystals: {colour}").format(
                reason=reason, colour=_(names.ITEMS[colour])
            )
        return rule, reason


def deciding_colour(state: State) -> int | None:
    """DA-13.4: Return the colour of the crystals that finally break a tie on points.

    Returns ``NONE`` if the tie stays, and None if there is no tie.
    """
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


SPELL_COLOURS = {
    Act.ILLUMINATE: Item.RED,
    Act.REROLL: Item.BLUE,
    Act.BLESS: Item.YELLOW,
    Act.ENHANCE: Item.GREEN,
    Act.HAMMER: Item.WHITE,
}
"""The crystals that pay for spells (DA-3.4, DA-4.5, DA-4.6)."""

ACTIONS = {
    Act.ASSIGN: marked("give the d6 to {ally} ({skill})"),
    Act.PLACE: marked("place the {die}: {place}"),
    Act.ILLUMINATE: marked("cast Illuminate for {price}: look at two tiles"),
    Act.PEEK: marked("look at the tile on {square}"),
    Act.BID: marked("bid {gold}"),
    Act.FIGHT: marked("fight on {square}"),
    Act.ROLL: marked("roll the dice"),
    Act.HAMMER: marked("call the Hammer of the Gods for {price}: win without a roll"),
    Act.ENHANCE: marked("cast Enhance for {price}: add a {die}"),
    Act.BLESS: marked("cast Bless for {price}: the {die} counts double"),
    Act.ACCEPT: marked("accept the loss"),
    Act.REROLL: marked("re-roll the {die} for {price}"),
    Act.FOLLOWER_DIE: marked("give the {die} to the follower"),
    Act.KEEP_OFFERING: marked("don't free the prisoner"),
    Act.FREE: marked("free {prisoner}: pay {offering}, get {reward}"),
    Act.END_TRADE: marked("stop trading"),
    Act.TRADE: marked("trade {given} for {taken}"),
    Act.DECLINE: marked("don't buy the card"),
    Act.BUY: marked("buy the card for {price}"),
}

YOUR_PROMPTS = {
    Phase.ASSIGN: marked("Which of your two characters gets the d6? The other one gets the d4."),
    Phase.PLACE: marked("Choose a die ({dice}), then a place for it."),
    Phase.PEEK: marked("Choose a tile to look at."),
    Phase.BID: marked("The last bid is {bid} gold, and you have {gold}. How much do you bid?"),
    Phase.FIGHT_ORDER: marked("Choose your next fight."),
    Phase.PREP: marked("{monster} ({square}): roll {target} or more to beat it. Weak to {skill}. Cast spells, or roll."),
    Phase.REROLL: marked("You rolled {total}; {monster} needs {target}. Re-roll a die, or accept the loss?"),
    Phase.FOLLOWER_DIE: marked("{follower} joins you. Choose a die for your new ally."),
    Phase.PRISONER: marked("Do you free {prisoner}? You pay {offering} and get {reward}."),
    Phase.TRADE: marked("Trade crystals, or stop trading."),
    Phase.BUY: marked("Do you buy {card} for {price}?"),
}
OTHERS_PROMPTS = {
    Phase.ASSIGN: marked("{name} decides which character gets the d6."),
    Phase.PLACE: marked("{name} places a die: {dice}."),
    Phase.PEEK: marked("{name} looks at a tile."),
    Phase.BID: marked("{name} must bid more than {bid} gold."),
    Phase.FIGHT_ORDER: marked("{name} chooses the next fight."),
    Phase.PREP: marked("{name} fights {monster} ({square}) and needs {target} or more. It is weak to {skill}."),
    Phase.REROLL: marked("{name} rolled {total}; {monster} needs {target}. {name} can re-roll a die."),
    Phase.FOLLOWER_DIE: marked("{name} chooses a die for {follower}."),
    Phase.PRISONER: marked("{name} can pay {offering} to free {prisoner} and get {reward}."),
    Phase.TRADE: marked("{name} trades crystals."),
    Phase.BUY: marked("{name} can buy {card} for {price}."),
}

YOUR_FIRST_BID = marked("The first bid is one gold or more, and you have {gold}. How much do you bid?")
OTHERS_FIRST_BID = marked("{name} must bid one gold or more.")
"""DA-19.2: These prompts for the first bid."""

WORDS = Words(BUILT_IN)


def edition(options: Mapping[str, Any]) -> tuple[Words, dict[int, EventKind]]:
    """Return the words and events for the components of a match."""
    words = WORDS if options["components"] == COMPONENTS.default else words_of(components_of(options))
    return words, words.events


@lru_cache(maxsize=CACHE_SIZE)
def words_of(components: Components) -> Words:
    """Return the words for these components, the same object each time."""
    return Words(components)
