"""A second model of Viking Axes for tests. It moves cards between lists as the events say, and predicts the effects of throws."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from games.viking_axes.scenes import CARDS
from meadhall.engine.state.events import Event
from meadhall.games.viking_axes.state import COPIES, Card


class Player:
    """A player's cards, in hand and in front."""

    def __init__(self) -> None:
        self.hand: list[str] = []
        self.shields: list[str] = []
        self.on_shields: list[str] = []
        self.marks: list[str] = []
        self.armory: list[str] = []
        self.hits = 0
        self.out = False

    def unused(self) -> int:
        return sum(int(card[-1]) for card in self.shields) - sum(int(card[-1]) for card in self.on_shields)

    def take_shields(self) -> list[str]:
        taken = self.shields + self.on_shields
        self.shields, self.on_shields = [], []
        return taken

    def take_all(self) -> list[str]:
        taken = [*self.take_shields(), *self.marks, *self.armory]
        self.marks, self.armory = [], []
        return taken


class Ledger:
    """The cards of all players, updated by the events of a match from its setup on."""

    def __init__(self, players: int, strategic: bool) -> None:
        self.limit = 15 if players == 2 else 10
        self.strategic = strategic
        self.pile: Counter[str] = Counter()
        self.discarded = Counter(dict(zip(CARDS, COPIES, strict=True)))
        self.players = [Player() for _ in range(players)]
        self.in_play: list[str] = []
        self.expected: list[list[Any]] = []  # the events that must follow a throw

    def follow(self, events: Sequence[Event]) -> None:
        for event in events:
            if self.expected:
                assert event.to_list() == self.expected.pop(0)
            getattr(self, event.name)(*event.arguments)
        assert not self.expected

    def shuffled(self, count: int) -> None:
        assert count == self.discarded.total()
        assert not self.pile.total()
        self.pile, self.discarded = self.discarded, Counter()

    def starts(self, seat: int) -> None:
        pass

    def dealt(self, seat: int, card: str) -> None:
        self.pile[card] -= 1
        self.players[seat].hand.append(card)

    def drew(self, seat: int, card: str) -> None:
        assert not self.in_play
        self.pile[card] -= 1
        (self.players[seat].hand if self.strategic else self.in_play).append(card)

    def plays(self, seat: int, card: str) -> None:
        self.players[seat].hand.remove(card)
        self.in_play.append(card)

    def discards(self, seat: int, card: str) -> None:
        (self.in_play or self.players[seat].hand).remove(card)
        self.discarded[card] += 1

    def places(self, seat: int, card: str) -> None:
        self.in_play.remove(card)
        player = self.players[seat]
        (player.armory if card == "armory" else player.shields).append(card)
        assert len(player.armory) <= 1

    def cashes_in(self, seat: int) -> None:
        self.discarded[self.players[seat].armory.pop()] += 1

    def disarms(self, seat: int, target: int) -> None:
        self.discarded[self.players[target].armory.pop()] += 1
        self.skips(seat, target)

    def skips(self, seat: int, target: int) -> None:
        assert seat != target
        self.in_play.remove("wench")
        self.discarded["wench"] += 1

    def turn_skipped(self, seat: int) -> None:
        assert not self.players[seat].out

    def throws(self, seat: int, target: int, axes: int) -> None:
        """Move the card thrown: it stays as a mark, lies on the shields, or is discarded with them. All shields are one pool."""
        assert seat != target
        player, card = self.players[target], f"axe{axes}"
        self.in_play.remove(card)
        unused = player.unused()
        if unused:
            self.expected.append(["blocked", target, min(axes, unused)])
        if unused > axes:
            player.on_shields.append(card)
            return
        if unused:
            self.expected.append(["shields_spent", target])
            self.discarded.update(player.take_shields())
        if unused == axes:
            self.discarded[card] += 1
            return
        self.expected.append(["hits", target, axes - unused])
        player.marks.append(card)
        if player.hits + axes - unused >= self.limit:
            self._expect_out(target)

    def _expect_out(self, seat: int) -> None:
        self.expected.append(["out", seat])
        self.expected += [["discards", seat, card] for card in sorted(self.players[seat].hand, key=CARDS.index)]
        left = [other for other, player in enumerate(self.players) if other != seat and not player.out]
        if len(left) == 1:
            self.expected.append(["won", left[0]])

    def blocked(self, target: int, count: int) -> None:
        pass

    def shields_spent(self, target: int) -> None:
        pass

    def hits(self, target: int, count: int) -> None:
        self.players[target].hits += count

    def out(self, seat: int) -> None:
        self.players[seat].out = True
        self.discarded.update(self.players[seat].take_all())

    def won(self, seat: int) -> None:
        assert not self.players[seat].out

    def agrees_with(self, state: Any) -> None:
        """Assert that the state has the same cards, hits and players."""
        assert _of(state.pile[k] for k in range(state.left)) == +self.pile
        assert _of(_times(state.discarded)) == +self.discarded
        assert ([CARDS[state.card]] if state.card >= 0 else []) == self.in_play
        for seat, player in enumerate(self.players):
            assert _of(_times(state.hand[seat])) == Counter(player.hand)
            assert _of(_times(state.marks[seat])) == Counter(player.marks)
            assert _of(_times(state.lying[seat])) == Counter(player.on_shields)
            assert _of(Card.ONE_SHIELD + kind for kind in _times(state.shields[seat])) == Counter(player.shields)
            assert [CARDS[Card.ARMORY]] * state.armory[seat] == player.armory
            assert state.unused[seat] == player.unused()
            assert state.hits[seat] == player.hits
            assert bool(state.out[seat]) == player.out


def _times(counts: Any) -> list[int]:
    return [kind for kind in range(len(counts)) for _ in range(counts[kind])]


def _of(kinds: Any) -> Counter[str]:
    return Counter(CARDS[kind] for kind in kinds)
