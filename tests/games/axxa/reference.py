"""AxxA once more: slow and plain, on dictionaries of positions, written from the rules and from nothing else.

Spaces are positions (row, column) here, stacks are lists of numbers from the top, and a way is searched for step by step.
"""

from __future__ import annotations

from itertools import combinations
from typing import Any

Position = tuple[int, int]
Stacks = dict[Position, list[int]]

STEPS = ((-1, 0), (0, 1), (1, 0), (0, -1))
SQUARE = [(row, column) for row in range(5) for column in range(5)]
TOP = [(-1, 1), (-1, 2), (-1, 3)]
RIGHT = [(1, 5), (2, 5), (3, 5)]
BOTTOM = [(5, 3), (5, 2), (5, 1)]
LEFT = [(3, -1), (2, -1), (1, -1)]
BOARD = [*SQUARE, *TOP, *RIGHT, *BOTTOM, *LEFT]

LEAVE, TURN, REMOVE, PAY = 37 * 37, 37 * 37 + 1, 37 * 37 + 2, 37 * 37 + 2 + 452


def reachable(start: Position, length: int, stacks: Stacks) -> set[Position]:
    """AX-2.2, AX-2.3: where ways of that length end that turn once at most, by trying every step."""
    ways = {(start, step, 0) for step in STEPS}  # where it stands, in which direction it goes, how often it has turned
    for walked in range(length):
        further = set()
        for (row, column), (down, right), turns in ways:
            for step in STEPS if walked else [(down, right)]:
                turned = turns + (step != (down, right))
                back = step == (-down, -right)
                there = (row + step[0], column + step[1])
                if turned <= 1 and not back and there in BOARD and (there not in stacks or there == start):
                    further.add((there, step, turned))
        ways = further
    return {position for position, _, _ in ways} - {start}


def near(one: Position, other: Position, orthogonal: bool) -> bool:
    steps = {(down, right) for down in (-1, 0, 1) for right in (-1, 0, 1)} - {(0, 0)}
    return (other[0] - one[0], other[1] - one[1]) in (STEPS if orthogonal else steps)


def connected(group: tuple[Position, ...], orthogonal: bool) -> bool:
    """AX-4.1, by spreading from the first position as far as it goes."""
    found, new = set(), {group[0]}
    while new:
        found |= new
        new = {other for other in group for one in new if near(one, other, orthogonal)} - found
    return found == set(group)


TRIPLES: list[tuple[Position, ...]] = [triple for triple in combinations(BOARD, 3) if connected(triple, orthogonal=False)]


class Reference:
    """A match, played along by hand."""

    def __init__(self, stacks: Stacks, players: int, seat: int, *, versus: bool, orthogonal: bool) -> None:
        self.stacks, self.players, self.seat = stacks, players, seat
        self.versus, self.orthogonal = versus, orthogonal
        self.wanted = [1, 2, 3, 4, 5, 6]
        self.taken: list[tuple[int, int]] = []  # number, seat
        self.paid: list[int] = []
        self.asked = "move"
        self.moved = BOARD[0]
        self.of_turn = 0
        self.over = False
        self.events: list[list[Any]] = []

    # What can be done.

    def legal(self) -> list[int]:
        if self.asked == "move":
            return sorted(
                37 * BOARD.index(start) + BOARD.index(end)
                for start, pieces in self.stacks.items()
                for end in reachable(start, pieces[0], self.stacks)
            )
        if self.asked == "turn":
            return [LEAVE, TURN]
        if self.asked == "remove":
            return [REMOVE + TRIPLES.index(triple) for triple in self.triplets()]
        return sorted(PAY + BOARD.index(position) for position in self.stacks)

    def triplets(self) -> list[tuple[Position, ...]]:
        if not self.wanted:
            return []
        shown = sorted((p for p in self.stacks if self.stacks[p][0] == self.wanted[0]), key=BOARD.index)
        return [triple for triple in combinations(shown, 3) if connected(triple, self.orthogonal)]

    def left(self, number: int) -> int:
        return sum(pieces.count(number) for pieces in self.stacks.values())

    # What happens.

    def play(self, action: int) -> list[list[Any]]:
        self.events = []
        if action < LEAVE:
            self.move(BOARD[action // 37], BOARD[action % 37])
        elif action < REMOVE:
            if action == TURN:
                pieces = self.stacks[self.moved]
                pieces.append(pieces.pop(0))
                self.tell("turned", self.seat, self.moved, pieces[0])
            self.after_move()
        elif action < PAY:
            self.remove(TRIPLES[action - REMOVE])
            self.after_move()
        else:
            self.pay(BOARD[action - PAY])
        return self.events

    def tell(self, name: str, *arguments: Any) -> None:
        self.events.append([name, *(BOARD.index(value) if isinstance(value, tuple) else value for value in arguments)])

    def move(self, start: Position, end: Position) -> None:
        self.stacks[end] = self.stacks.pop(start)
        self.moved = end
        self.tell("moved", self.seat, start, end)
        if len(self.stacks[end]) > 1:
            self.asked = "turn"
        else:
            self.after_move()

    def after_move(self) -> None:
        while len(triplets := self.triplets()) == 1:
            self.remove(triplets[0])
        if triplets:
            self.asked = "remove"
        elif self.of_turn:
            self.end_turn()
        else:
            self.asked = "pay"

    def remove(self, triple: tuple[Position, ...]) -> None:
        number = self.wanted.pop(0)
        self.taken.append((number, self.seat))
        self.of_turn += 1
        self.tell("removed", self.seat, number, *triple)
        for position in triple:
            self.lift(position)
        self.skip()

    def lift(self, position: Position) -> None:
        self.stacks[position].pop(0)
        if self.stacks[position]:
            self.tell("exposed", position, self.stacks[position][0])
        else:
            del self.stacks[position]
            self.tell("stack_gone", position)

    def skip(self) -> None:
        while self.versus and self.wanted and self.left(self.wanted[0]) < 3:
            self.tell("skipped", self.wanted.pop(0))

    def pay(self, position: Position) -> None:
        self.paid.append(self.stacks[position][0])
        self.tell("paid", self.seat, position, self.paid[-1])
        self.lift(position)
        self.skip()
        self.end_turn()

    def end_turn(self) -> None:
        if self.of_turn >= 2:
            self.tell("praise", self.seat, self.of_turn)
        self.of_turn = 0
        self.asked = "move"
        full, stuck = any(len(pieces) == 3 for pieces in self.stacks.values()), not self.legal()
        sides = [sum(seat % 2 == side for _, seat in self.taken) for side in (0, 1)]
        if self.versus and (not full or not self.wanted or stuck):
            self.over = True
            if sides[0] == sides[1]:
                self.tell("drawn", *sides)
            else:
                self.tell("side_won", sides.index(max(sides)), *sides)
        elif not self.versus and not self.wanted:
            self.over = True
            self.tell("won")
        elif not self.versus and any(self.left(number) < 3 for number in self.wanted):
            self.over = True
            self.tell("lost", "pieces")
        elif not self.versus and stuck:
            self.over = True
            self.tell("lost", "stuck")
        self.seat = (self.seat + 1) % self.players
