"""A second implementation of AxxA for comparison: slow and simple, on dictionaries, written from the rules alone.

Spaces are positions (row, column), stacks are lists of numbers from the top, and routes are found step by step.
"""

from __future__ import annotations

from itertools import combinations
from typing import Any

Position = tuple[int, int]
Stacks = dict[Position, list[int]]

STEPS = ((-1, 0), (0, 1), (1, 0), (0, -1))
DIAGONALS = ((-1, 1), (1, 1), (1, -1), (-1, -1))
SQUARE = [(row, column) for row in range(5) for column in range(5)]
TOP = [(-1, 1), (-1, 2), (-1, 3)]
RIGHT = [(1, 5), (2, 5), (3, 5)]
BOTTOM = [(5, 3), (5, 2), (5, 1)]
LEFT = [(3, -1), (2, -1), (1, -1)]
BOARD = [*SQUARE, *TOP, *RIGHT, *BOTTOM, *LEFT]

LEAVE, TURN, REMOVE, PAY = 37 * 37, 37 * 37 + 1, 37 * 37 + 2, 37 * 37 + 2 + 452


def reachable(start: Position, length: int, stacks: Stacks, steps: tuple[Position, ...] = STEPS) -> set[Position]:
    """AX-2.2, AX-2.3: Return where routes of a length with at most one corner end, by trying every step."""
    routes = {(start, step, 0) for step in steps}  # position, direction, number of corners
    for walked in range(length):
        further = set()
        for (row, column), (down, right), turns in routes:
            for step in steps if walked else [(down, right)]:
                turned = turns + (step != (down, right))
                back = step == (-down, -right)
                there = (row + step[0], column + step[1])
                if turned <= 1 and not back and there in BOARD and (there not in stacks or there == start):
                    further.add((there, step, turned))
        routes = further
    return {position for position, _, _ in routes} - {start}


def near(one: Position, other: Position, orthogonal: bool) -> bool:
    steps = {(down, right) for down in (-1, 0, 1) for right in (-1, 0, 1)} - {(0, 0)}
    return (other[0] - one[0], other[1] - one[1]) in (STEPS if orthogonal else steps)


def connected(group: tuple[Position, ...], orthogonal: bool) -> bool:
    """AX-4.1: Tell whether all positions of a group are connected, by spreading from the first one."""
    found, new = set(), {group[0]}
    while new:
        found |= new
        new = {other for other in group for one in new if near(one, other, orthogonal)} - found
    return found == set(group)


TRIPLES: list[tuple[Position, ...]] = [triple for triple in combinations(BOARD, 3) if connected(triple, orthogonal=False)]


def rotated(seats: list[int], first: int | None) -> list[int]:
    """Return the seats beginning with ``first``, cyclically."""
    return seats if first is None else seats[seats.index(first) :] + seats[: seats.index(first)]


class Reference:
    """The state of a match, and its events."""

    def __init__(self, stacks: Stacks, players: int, seat: int, *, versus: bool, orthogonal: bool, order: str = "skip") -> None:
        self.stacks, self.players, self.seat = stacks, players, seat
        self.versus, self.orthogonal, self.order = versus, orthogonal, order
        self.queues = self.turn_order()
        self.wanted = [1, 2, 3, 4, 5, 6]
        self.taken: list[tuple[int, int]] = []  # number, seat
        self.paid: list[int] = []
        self.phase = "move"
        self.moved = BOARD[0]
        self.triplets_of_turn = 0
        self.diagonals = self.with_moved = self.by_number = False  # AX-8
        self.uncovered: set[Position] = set()
        self.over = False
        self.events: list[list[Any]] = []

    def turn_order(self) -> list[list[int]]:
        """AX-7.1: The seats of the side that starts and of the other side, each in the order of their turns."""
        sides = [[seat for seat in range(self.players) if seat % 2 == side] for side in (0, 1)]
        ours, theirs = sides[self.seat % 2], sides[1 - self.seat % 2]
        clockwise = [(self.seat + k) % self.players for k in range(self.players)]
        first = next((seat for seat in clockwise if seat in theirs), None)
        return [rotated(ours, self.seat), rotated(theirs, first)]

    # Legal actions.

    def legal(self) -> list[int]:
        if self.phase == "move":
            return sorted(
                {
                    37 * BOARD.index(start) + BOARD.index(end)
                    for start, pieces in self.stacks.items()
                    for steps in ((STEPS, DIAGONALS) if self.diagonals else (STEPS,))
                    for end in reachable(start, pieces[0], self.stacks, steps)
                }
            )
        if self.phase == "turn":
            return [LEAVE, TURN]
        if self.phase == "remove":
            return [REMOVE + TRIPLES.index(triple) for triple in self.triplets()]
        return sorted(PAY + BOARD.index(position) for position in self.stacks)

    def triplets(self) -> list[tuple[Position, ...]]:
        numbers = range(1, 7) if self.order == "any" else self.wanted[:1]
        found = []
        for number in numbers:
            shown = sorted((p for p in self.stacks if self.stacks[p][0] == number), key=BOARD.index)
            found += [triple for triple in combinations(shown, 3) if connected(triple, self.orthogonal) and self.counts(triple)]
        return sorted(found, key=TRIPLES.index)

    def counts(self, triple: tuple[Position, ...]) -> bool:
        """AX-8.2: Tell whether the moved stack or an uncovered piece is in the triple, if it must be."""
        return not self.with_moved or bool({self.moved, *self.uncovered} & set(triple))

    def left(self, number: int) -> int:
        return sum(pieces.count(number) for pieces in self.stacks.values())

    # Playing.

    def play(self, action: int) -> list[list[Any]]:
        self.events = []
        if action < LEAVE:
            self.move(BOARD[action // 37], BOARD[action % 37])
        elif action < REMOVE:
            if action == TURN:
                pieces = self.stacks[self.moved]
                pieces.append(pieces.pop(0))
                self.emit("turned", self.seat, self.moved, pieces[0])
            self.after_move()
        elif action < PAY:
            self.remove(TRIPLES[action - REMOVE])
            self.after_move()
        else:
            self.pay(BOARD[action - PAY])
        return self.events

    def emit(self, name: str, *arguments: Any) -> None:
        self.events.append([name, *(BOARD.index(value) if isinstance(value, tuple) else value for value in arguments)])

    def move(self, start: Position, end: Position) -> None:
        self.stacks[end] = self.stacks.pop(start)
        self.moved, self.uncovered = end, set()
        self.emit("moved", self.seat, start, end)
        if len(self.stacks[end]) > 1:
            self.phase = "turn"
        else:
            self.after_move()

    def after_move(self) -> None:
        while len(triplets := self.triplets()) == 1:
            self.remove(triplets[0])
        if triplets:
            self.phase = "remove"
        elif self.triplets_of_turn:
            self.end_turn()
        else:
            self.phase = "pay"

    def remove(self, triple: tuple[Position, ...]) -> None:
        number = self.stacks[triple[0]][0]
        if self.order != "any":
            assert self.wanted.pop(0) == number
        self.taken.append((number, self.seat))
        self.triplets_of_turn += 1
        self.emit("removed", self.seat, number, *triple)
        for position in triple:
            self.lift(position)
        self.skip()

    def lift(self, position: Position) -> None:
        self.stacks[position].pop(0)
        if self.stacks[position]:
            self.emit("exposed", position, self.stacks[position][0])
            self.uncovered.add(position)
        else:
            del self.stacks[position]
            self.emit("stack_gone", position)

    def skip(self) -> None:
        while self.versus and self.order == "skip" and self.wanted and self.left(self.wanted[0]) < 3:
            self.emit("skipped", self.wanted.pop(0))

    def pay(self, position: Position) -> None:
        self.paid.append(self.stacks[position][0])
        self.emit("paid", self.seat, position, self.paid[-1])
        self.lift(position)
        self.skip()
        self.end_turn()

    def end_turn(self) -> None:
        if self.triplets_of_turn >= 2:
            self.emit("praise", self.seat, self.triplets_of_turn)
        self.triplets_of_turn = 0
        self.phase = "move"
        full, stuck = any(len(pieces) == 3 for pieces in self.stacks.values()), not self.legal()
        worth = [(number if self.by_number else 1, seat % 2) for number, seat in self.taken]
        sides = [sum(points for points, taker in worth if taker == side) for side in (0, 1)]
        if self.versus and (not full or self.no_number_left() or stuck):
            self.over = True
            if sides[0] == sides[1] and self.by_number and worth:
                self.emit("side_won", worth[-1][1], *sides)
            elif sides[0] == sides[1]:
                self.emit("drawn", *sides)
            else:
                self.emit("side_won", sides.index(max(sides)), *sides)
        elif not self.versus and not self.wanted:
            self.over = True
            self.emit("won")
        elif not self.versus and any(self.left(number) < 3 for number in self.wanted):
            self.over = True
            self.emit("lost", "pieces")
        elif not self.versus and stuck:
            self.over = True
            self.emit("lost", "stuck")
        if self.versus:
            self.queues[0].append(self.queues[0].pop(0))
            self.queues.reverse()
            self.seat = self.queues[0][0]
        else:
            self.seat = (self.seat + 1) % self.players

    def no_number_left(self) -> bool:
        if self.order == "strict":
            return False
        return not self.wanted if self.order == "skip" else all(self.left(number) < 3 for number in range(1, 7))
