"""A second implementation of Dungeon Allies, slow and simple, written from the rules alone: a whole match as one generator.

Pieces have their names in the data, dice their numbers of sides. A decision is a ``yield``. Chance is drawn from the seed of the
match in the order that the rules define.
"""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Generator, Iterable
from pathlib import Path
from typing import Any

import numpy as np

import meadhall.games.dungeon_allies as package
from meadhall.engine.state.chance import below, step_key

DATA = tomllib.loads((Path(package.__file__).parent / "components.toml").read_text(encoding="utf-8"))
COLOURS = ["red", "blue", "yellow", "green", "white"]
ITEMS = ["gold", *COLOURS]
LEVELS = ["yellow", "blue", "red"]
DICE = [4, 6, 8, 10, 12, 20]
CRYSTALS = {"red": 24, "blue": 16, "yellow": 10, "green": 6, "white": 4}

# Targets and actions, as chapter 15 of the rules numbers them.
TURN_ORDER, TREASURE, TRAINER, TAVERN, PRISONER, TRADE, SORCERER, TARGETS = 28, 29, 34, 35, 36, 44, 45, 50
PLACE, ILLUMINATE, PEEK, BID, FIGHT = 2, 252, 253, 280, 341
ROLL, HAMMER, ENHANCE, BLESS, ACCEPT, REROLL = 369, 370, 371, 377, 383, 384
FOLLOWER_DIE, KEEP, FREE, END_TRADE, EXCHANGE, DECLINE, BUY = 390, 395, 396, 397, 398, 414, 415

Decision = Generator[tuple[int, list[int]], int, int]
Course = Generator[tuple[int, list[int]], int, None]


class Player:
    """A seat and its possessions."""

    def __init__(self, seat: int) -> None:
        self.seat = seat
        self.has: Counter[str] = Counter()  # gold and crystals
        self.dealt: list[str] = []
        self.allies: dict[int, str] = {}  # by die
        self.kept: list[str] = []
        self.cards: list[str] = []
        self.seen: set[int] = set()
        self.placed: dict[int, int] = {}  # where each die is, this turn
        self.won = False  # a fight, this turn

    def waiting(self) -> list[int]:
        return [die for die in sorted(self.allies) if die not in self.placed]

    def dice_on(self, target: int) -> list[int]:
        return sorted(die for die, where in self.placed.items() if where == target)


class Reference:
    """A match that follows another one."""

    def __init__(
        self, players: int, seed: bytes, data: dict[str, Any] = DATA, rules: Iterable[str] = (), rounds: tuple[int, int] = (8, 16)
    ) -> None:
        self.seed, self.step, self.data, self.rules, self.rounds = seed, 0, data, set(rules), rounds
        self.monsters = {monster["id"]: monster for monster in data["monster"]}
        self.cards = {card["id"]: card for card in data["sorcerer_card"]}
        self.skill = {ally["id"]: ally["skill"] for ally in data["character"] + data["follower"]}
        self.levels = [LEVELS.index(square["level"]) + 1 for square in data["excursion_square"]]
        self.events: list[list[Any]] = []
        self.audiences: list[int] = []
        self.box = Counter(CRYSTALS)
        self.players = [Player(seat) for seat in range(players)]
        self.squares: dict[int, str] = {}
        self.out: list[str] = []
        self.treasure: dict[int, Counter[str]] = {space: Counter() for space in range(1, 6)}
        self.display: dict[int, str] = {}
        self.turn = 1
        self.winners: list[int] = []
        self.rng = np.zeros(2, np.uint64)
        self.key()
        self.set_up()
        self.course = self.play_all()
        self.actor, self.legal = next(self.course)

    # ---------------------------------------------------------------------------------------------------------------- - playing

    def play(self, action: int) -> list[list[Any]]:
        """Play an action. Return the events up to the next decision."""
        self.events, self.audiences = [], []
        self.step += 1
        self.key()
        try:
            self.actor, self.legal = self.course.send(action)
        except StopIteration:
            self.actor, self.legal = -1, []
        return self.events

    def key(self) -> None:
        self.rng[:] = step_key(self.seed, self.step)

    def below(self, count: int) -> int:
        return int(below(self.rng, count))

    def shuffled(self, things: Iterable[str]) -> list[str]:
        items = list(things)
        for last in range(len(items) - 1, 0, -1):
            other = self.below(last + 1)
            items[last], items[other] = items[other], items[last]
        return items

    def tell(self, name: str, *arguments: Any, to: int = -1) -> None:
        self.events.append([name, *(a.seat if isinstance(a, Player) else a for a in arguments)])
        self.audiences.append(to)

    def ask(self, player: Player, options: list[int]) -> Decision:
        """Ask the player to choose. A single option is chosen automatically."""
        if len(options) == 1:
            return options[0]
        chosen = yield player.seat, sorted(options)
        return chosen

    # ------------------------------------------------------------------------------------------------------------------- set-up

    def set_up(self) -> None:
        for square, monster in enumerate(self.shuffled(self.monsters)):
            self.squares[square] = monster
            self.tell("tile", square, monster, to=-2)
        while True:
            deck = self.shuffled(character["id"] for character in self.data["character"])
            pairs = [deck[2 * k : 2 * k + 2] for k in range(len(self.players))]
            if all(self.skill[one] != self.skill[other] for one, other in pairs):
                break
        for player, pair in zip(self.players, pairs, strict=True):
            player.dealt = pair
            for character in pair:
                self.tell("character", player, character)
        self.deck = self.shuffled(self.cards)
        self.show_cards()
        self.stack = self.shuffled(follower["id"] for follower in self.data["follower"])
        self.tell("follower_top", self.stack[0])

    def roll_for_order(self, players: list[Player]) -> list[Player]:
        """Roll in rounds: all tied players roll again, in seat order."""
        rolls: dict[int, list[int]] = {player.seat: [] for player in players}
        while len({tuple(rolled) for rolled in rolls.values()}) < len(rolls) or not rolls[0]:
            taken = [tuple(rolled) for rolled in rolls.values()]
            for player in players:
                if taken.count(taken[player.seat]) > 1:
                    rolls[player.seat].append(10 * self.below(10))
                    self.tell("percentile", player, rolls[player.seat][-1])
        return sorted(players, key=lambda player: rolls[player.seat], reverse=True)

    def show_cards(self) -> None:
        for space in range(1, 6):
            if space not in self.display and self.deck:
                self.display[space] = self.deck.pop(0)
                self.tell("card_shown", space, self.display[space])

    def add_treasure(self) -> None:
        for space in range(1, 5):
            crystals = [colour for colour in COLOURS for _ in range(self.box[colour])]
            if crystals:
                colour = crystals[self.below(len(crystals))]
                self.box[colour] -= 1
                self.treasure[space][colour] += 1
                self.tell("treasure", space, colour)
        self.treasure[5]["gold"] += 1
        self.tell("treasure", 5, "gold")

    # --------------------------------------------------------------------------------------------------------------- the course

    def play_all(self) -> Course:
        for player in self.players:
            first = yield from self.ask(player, [0, 1])
            for k, character in enumerate(player.dealt):
                die = 6 if k == first else 4
                player.allies[die] = character
                self.tell("assigned", player, character, die)
        self.order = self.roll_for_order(self.players)
        self.tell("order", *self.order)
        self.add_treasure()
        while True:
            yield from self.placement()
            yield from self.excursions()
            self.turn_order()
            self.loot()
            self.train()
            yield from self.tavern()
            yield from self.prisoners()
            yield from self.trade()
            yield from self.sorcerer()
            if not self.squares or self.turn == 60:
                break
            for player in self.players:
                player.placed, player.won = {}, False
            if self.data["sorcerer"]["refill"] and "refill" not in self.rules:
                self.show_cards()
            self.add_treasure()
            self.tell("turn_ended", self.turn)
            self.turn += 1
        self.tell("turn_ended", self.turn)
        self.end()

    def round(self) -> int:
        removed = 28 - len(self.squares)
        second, third = self.rounds
        return 1 if removed < second else 2 if removed < third else 3

    # ---------------------------------------------------------------------------------------------------------------- placement

    def placement(self) -> Course:
        self.on_track: list[Player] = []
        self.trainees: list[tuple[Player, int]] = []
        self.bids: list[tuple[Player, int]] = []
        while any(player.waiting() for player in self.players):
            for player in self.order:
                if player.waiting():
                    yield from self.place(player)

    def place(self, player: Player) -> Course:
        while (action := (yield from self.ask(player, self.placements(player)))) == ILLUMINATE:
            yield from self.illuminate(player)
        target, die = (action - PLACE) // 5, DICE[(action - PLACE) % 5]
        player.placed[die] = target
        self.tell("placed", player, die, self.spot(target))
        if target == TURN_ORDER:
            self.on_track.append(player)
        elif target == TRAINER:
            self.trainees.append((player, die))
        elif target == TAVERN:
            yield from self.bid(player)
        elif PRISONER <= target < TRADE and "offering" in self.rules:
            self.pay_offering(player, target - PRISONER)

    def spot(self, target: int) -> str:
        if target < TURN_ORDER:
            return f"square:{target}"
        if target == TURN_ORDER:
            return f"turn_order:{len(self.on_track) + 1}"
        if target < TRAINER:
            return f"treasure:{target - TREASURE + 1}"
        if target == TRAINER:
            return f"trainer:{len(self.trainees) + 1}"
        if target == TAVERN:
            return "tavern"
        if target < TRADE:
            return f"prisoner:{target - PRISONER + 1}"
        return "trade" if target == TRADE else f"sorcerer:{target - SORCERER + 1}"

    def placements(self, player: Player) -> list[int]:
        options = [
            PLACE + 5 * target + DICE.index(die)
            for die in player.waiting()
            for target in range(TARGETS)
            if self.open(player, die, target)
        ]
        if player.has["red"] and self.unseen(player):
            options.append(ILLUMINATE)
        return options

    def open(self, player: Player, die: int, target: int) -> bool:
        others = [other for other in self.players if other.dice_on(target) and other is not player]
        occupied = bool(others or player.dice_on(target))
        if target < TURN_ORDER:
            return target in self.squares and not others
        if target == TURN_ORDER:
            return player not in self.on_track
        if target == TRAINER:
            return len(self.trainees) < 9 and die < 12
        if target == TAVERN:
            return self.may_bid(player)
        if target == TRADE:
            return True
        if PRISONER <= target < TRADE and target - PRISONER >= len(self.data["prisoner_space"]):
            return False
        if PRISONER <= target < TRADE and "offering" in self.rules and not self.has_offering(player, target - PRISONER):
            return False
        if TREASURE <= target < TRAINER and "treasures" in self.rules:
            occupied |= any(TREASURE <= placed < TRAINER for placed in player.placed.values())
        return not occupied and (target < SORCERER or target - SORCERER + 1 in self.display)

    def unseen(self, player: Player) -> list[int]:
        return [square for square in sorted(self.squares) if square not in player.seen]

    def illuminate(self, player: Player) -> Course:
        self.give_back(player, "red")
        self.tell("illuminates", player)
        for _ in range(2):
            if unseen := self.unseen(player):
                square = (yield from self.ask(player, [PEEK + square for square in unseen])) - PEEK
                player.seen.add(square)
                self.tell("peeked", player, square)
                self.tell("peek_face", player, square, self.squares[square], to=player.seat)

    def may_bid(self, player: Player) -> bool:
        if not self.stack or len(player.allies) == 5:
            return False
        if not self.bids:
            return player.has["gold"] > 0 or "first_bid" not in self.rules
        leader, last = self.bids[-1]
        return leader is not player and last < min(player.has["gold"], 60)

    def bid(self, player: Player) -> Course:
        amount = 0
        if self.bids or "first_bid" in self.rules:
            most, last = min(player.has["gold"], 60), self.bids[-1][1] if self.bids else 0
            amount = (yield from self.ask(player, [BID + gold for gold in range(last + 1, most + 1)])) - BID
        player.has["gold"] -= amount
        self.bids.append((player, amount))
        self.tell("bid", player, amount)
        if "bids" in self.rules and len(self.bids) > 1:
            loser, lost = self.bids[-2]
            loser.has["gold"] += lost
            if lost:
                self.tell("gains", loser, "gold", lost)

    def give_back(self, player: Player, colour: str) -> None:
        player.has[colour] -= 1
        self.box[colour] += 1

    # --------------------------------------------------------------------------------------------------------------- excursions

    def excursions(self) -> Course:
        for player in self.order:
            fights = {target for target in player.placed.values() if target < TURN_ORDER}
            while fights:
                square = (yield from self.ask(player, [FIGHT + square for square in fights])) - FIGHT
                fights.remove(square)
                self.tell("fights", player, square)
                yield from self.fight(player, square)

    def fight(self, player: Player, square: int) -> Course:
        before = self.round()
        level = self.levels[square]
        name = self.squares[square]
        face = self.monsters[name][LEVELS[level - 1]]
        self.tell("revealed", square, name)
        own = player.dice_on(square)
        doubled = {die for die in own if self.skill[player.allies[die]] == self.monsters[name]["weakness"]}
        won = yield from self.win_by_spell_or_roll(player, square, own, doubled, face["target"])
        del self.squares[square]
        for other in self.players:
            other.seen.discard(square)
        if won:
            player.has["gold"] += face["gold"]
            player.kept.append(name)
            player.won = True
            self.tell("defeats", player, square, face["gold"])
        else:
            self.out.append(name)
            self.tell("fails", player, square)
        if self.round() > before:
            self.tell("round", self.round())

    def win_by_spell_or_roll(
        self, player: Player, square: int, own: list[int], doubled: set[int], target: int
    ) -> Generator[tuple[int, list[int]], int, bool]:
        level, dice = self.levels[square], list(own)
        while True:
            options = [ROLL]
            if player.has["white"] and level <= self.round():
                options.append(HAMMER)
            if player.has["green"]:
                sizes = {*self.data["dice"]["enhance_dice"], *([20] if "enhance" in self.rules else [])}
                allowed = [die for die in sizes if die not in player.allies and die not in dice]
                options += [ENHANCE + DICE.index(die) for die in allowed]
            if player.has["yellow"]:
                options += [BLESS + k for k, die in enumerate(DICE) if die in dice and die not in doubled]
            action = yield from self.ask(player, options)
            if action == ROLL:
                break
            if action == HAMMER:
                self.give_back(player, "white")
                self.tell("hammers", player, square)
                return True
            die = DICE[(action - ENHANCE) % 6]
            if action < BLESS:
                self.give_back(player, "green")
                dice.append(die)
                self.tell("enhances", player, die)
            else:
                self.give_back(player, "yellow")
                doubled.add(die)
                self.tell("blesses", player, die)
        return (yield from self.roll(player, sorted(dice), doubled, target))

    def roll(
        self, player: Player, dice: list[int], doubled: set[int], target: int
    ) -> Generator[tuple[int, list[int]], int, bool]:
        shown: dict[int, int] = {}

        def throw(die: int, name: str) -> None:
            value = 1 + self.below(die)
            shown[die] = 2 * value if die in doubled else value
            self.tell(name, player, die, value, shown[die])

        for die in dice:
            throw(die, "rolled")
        while True:
            total = sum(shown.values())
            self.tell("total", player, total, target)
            if total >= target:
                return True
            if not player.has["blue"]:
                return False
            action = yield from self.ask(player, [ACCEPT, *(REROLL + DICE.index(die) for die in dice)])
            if action == ACCEPT:
                return False
            self.give_back(player, "blue")
            throw(DICE[action - REROLL], "rerolled")

    # ------------------------------------------------------------------------------------------------------------- steps 2 to 6

    def gain(self, player: Player, items: dict[str, int]) -> None:
        """Give the player as many of the items as the box has."""
        for item in ITEMS:
            count = items.get(item, 0)
            if item != "gold":
                count = min(count, self.box[item])
                self.box[item] -= count
            player.has[item] += count
            if count:
                self.tell("gains", player, item, count)

    def turn_order(self) -> None:
        if self.on_track:
            for space, player in enumerate(self.on_track):
                self.gain(player, self.data["turn_order_space"][space]["crystals"])
            self.order = self.on_track + [player for player in self.order if player not in self.on_track]
            self.tell("order", *self.order)

    def owner(self, target: int) -> Player | None:
        return next((player for player in self.players if player.dice_on(target)), None)

    def loot(self) -> None:
        for space in range(1, 6):
            player, found = self.owner(TREASURE + space - 1), self.treasure[space]
            if player is not None:
                guarded = bool(self.squares) and (space == 5 or found["green"] + found["white"] > 0)
                if guarded and not player.won:
                    self.tell("guarded", player, space)
                    continue
                self.tell("loots", player, space)
                for item in ITEMS:
                    if found[item]:
                        player.has[item] += found[item]
                        self.tell("gains", player, item, found[item])
                found.clear()

    def train(self) -> None:
        for player, die in self.trainees:
            ally, higher = player.allies[die], DICE[DICE.index(die) + 1]
            if higher in player.allies:
                self.tell("training_forfeit", player, ally)
            else:
                player.allies[higher] = player.allies.pop(die)
                self.tell("trained", player, ally, higher)

    def tavern(self) -> Course:
        if not self.bids:
            return
        player = self.bids[-1][0]
        limit, characters = min(player.allies), {ally["id"] for ally in self.data["character"]}
        if "followers" in self.rules:
            limit = min(die for die, ally in player.allies.items() if ally in characters)
        sizes = [die for die in DICE if die < limit and die not in player.allies]
        if not sizes:
            self.tell("tavern_forfeit", player)
            return
        die = DICE[(yield from self.ask(player, [FOLLOWER_DIE + DICE.index(die) for die in sizes])) - FOLLOWER_DIE]
        player.allies[die] = self.stack.pop(0)
        self.tell("follower_joins", player, player.allies[die], die)
        if self.stack:
            self.tell("follower_top", self.stack[0])

    def prisoners(self) -> Course:
        for space in range(1, 9):
            player = self.owner(PRISONER + space - 1)
            if player is not None:
                board = self.data["prisoner_space"][space - 1]
                if "offering" in self.rules:
                    self.tell("frees", player, space)
                    self.gain(player, board["reward"])
                    continue
                if not self.has_offering(player, space - 1):
                    self.tell("prisoner_forfeit", player, space)
                    continue
                if (yield from self.ask(player, [KEEP, FREE])) == KEEP:
                    self.tell("prisoner_declined", player, space)
                    continue
                self.tell("frees", player, space)
                self.pay_offering(player, space - 1)
                self.gain(player, board["reward"])

    def has_offering(self, player: Player, space: int) -> bool:
        return all(player.has[item] >= count for item, count in self.data["prisoner_space"][space]["offering"].items())

    def pay_offering(self, player: Player, space: int) -> None:
        for item in ITEMS:
            self.pay(player, item, self.data["prisoner_space"][space]["offering"].get(item, 0))

    def pay(self, player: Player, item: str, count: int) -> None:
        if count:
            player.has[item] -= count
            if item != "gold":
                self.box[item] += count
            self.tell("pays", player, item, count)

    # ------------------------------------------------------------------------------------------------------------------ 7 and 8

    def trade(self) -> Course:
        for player in self.order:
            used: dict[int, int] = {}
            while player.dice_on(TRADE):
                action = yield from self.ask(player, [END_TRADE, *self.exchanges(player, used)])
                if action == END_TRADE:
                    break
                line, direction = divmod(action - EXCHANGE, 2)
                given, taken = self.sides(line, direction)
                for colour, count in given.items():
                    player.has[colour] -= count
                    self.box[colour] += count
                for colour, count in taken.items():
                    player.has[colour] += count
                    self.box[colour] -= count
                used[line] = direction
                self.tell("trades", player, line, direction)

    def sides(self, line: int, direction: int) -> tuple[dict[str, int], dict[str, int]]:
        names = ("left", "right") if direction == 0 else ("right", "left")
        return self.data["trade"][line][names[0]], self.data["trade"][line][names[1]]

    def exchanges(self, player: Player, used: dict[int, int]) -> list[int]:
        options = []
        for line in range(len(self.data["trade"])):
            for direction in (0, 1):
                given, taken = self.sides(line, direction)
                affordable = all(player.has[colour] >= count for colour, count in given.items())
                there = all(self.box[colour] >= count for colour, count in taken.items())
                if affordable and there and used.get(line, direction) == direction:
                    options.append(EXCHANGE + 2 * line + direction)
        return options

    def sorcerer(self) -> Course:
        for space in range(1, 6):
            player = self.owner(SORCERER + space - 1)
            if player is not None:
                card, price = self.display[space], ["blue", "yellow", "green"][self.round() - 1]
                if not player.has[price]:
                    self.tell("cannot_pay", player, card)
                elif (yield from self.ask(player, [DECLINE, BUY])) == DECLINE:
                    self.tell("declines", player, card)
                else:
                    player.cards.append(self.display.pop(space))
                    self.tell("buys", player, card)
                    self.pay(player, price, 1)

    # ------------------------------------------------------------------------------------------------------------------ the end

    def worth(self, player: Player, name: str) -> int:
        card, points = self.cards[name], 0
        for kind in card["scores"] if card["kind"] == "mixed" else [card]:
            if kind["kind"] == "monster":
                points += kind["points"] * sum(self.monsters[kept]["weakness"] == kind["weakness"] for kept in player.kept)
            elif kind["kind"] == "crystal":
                points += kind["points"] * (player.has[kind["color"]] // kind["per"])
            else:
                points += kind["points"]
        return int(points)

    def end(self) -> None:
        standing = []
        for player in self.players:
            cards = sum(self.worth(player, name) for name in player.cards)
            self.tell("score", player, player.has["gold"], cards, player.has["gold"] + cards)
            standing.append((player.has["gold"] + cards, *(player.has[colour] for colour in reversed(COLOURS))))
        self.winners = [seat for seat, result in enumerate(standing) if result == max(standing)]
        self.tell("won", *self.winners)
