"""Laws about what seats know: a seat sees nothing it may not know, and its determinizations keep everything it was told.

There are two kinds of tests. One redeals a state for a viewer: the viewer can't distinguish the two states, so any difference
the viewer sees is a leak. The other compares many setups: the facts in an event of the setup must be known to its audience
afterwards, and to no other seat.

Where several seats decide at the same time, no other seat sees a sealed choice, and the order of the choices doesn't matter.
"""

from __future__ import annotations

import math
import random
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from meadhall.engine.compiled import loops
from meadhall.engine.game import Game
from meadhall.engine.match.deciders import acting, deciders, is_simultaneous
from meadhall.engine.match.match import Match
from meadhall.engine.match.view import SPECTATOR, concealed, legal_actions, visible
from meadhall.engine.state.events import HIDDEN, PUBLIC, Event
from meadhall.engine.state.schema import States, field_names

_SIGNIFICANCE = 1e-9  # observations that are less probable than this under the law count as violations
_REDEALS = 8

Bytes = npt.NDArray[np.uint8]


class Broken(Exception):
    """A violation of a law."""


def demand(holds: bool, otherwise: str) -> None:
    """Raise ``Broken(otherwise)`` unless the law holds."""
    if not holds:
        raise Broken(otherwise)


def redealt(game: Game, view: States, viewer: int, draw: random.Random) -> States:
    """Return a determinization of a state concealed for ``viewer``: a copy with its blanks filled at random."""
    states = view.copy()
    states["rng"][0] = (draw.getrandbits(64), draw.getrandbits(64) | 1)
    loops(game).redeal_one(states, viewer)
    if viewer in deciders(game, states):
        states["actor"] = min(deciders(game, states))  # as in the true state
    return states


def without_chance(states: States) -> Bytes:
    """Return the bytes of a state without its generator."""
    copy = states.copy()
    copy["rng"] = 0
    return copy.view(np.uint8)


def differing_fields(one: States, other: States) -> str:
    """Return the names of the fields in which two states differ."""
    return ", ".join(name for name in field_names(one.dtype) if one[name].tobytes() != other[name].tobytes())


# -------------------------------------------------------------------------------------------------------------- one position


def concealing_is_idempotent(match: Match, viewer: int) -> None:
    """Check that concealing blanks the generator, keeps the public fields, and is idempotent."""
    view = concealed(match.game, match._states, viewer)
    demand(not view["rng"].any(), f"the state concealed for {viewer} still contains the generator")
    for name in ("actor", "players", "reveals"):
        kept = viewer if name == "actor" and viewer in match.deciders else match._states[name][0]
        demand(view[name][0] == kept, f"concealing for {viewer} changes `{name}`")
    demand(deciders(match.game, view) == match.deciders, f"`deciders` depends on what viewer {viewer} may not know")
    again = concealed(match.game, view, viewer)
    demand(again.tobytes() == view.tobytes(), f"concealing twice for {viewer} changes fields: {differing_fields(again, view)}")


def redealing_is_consistent(match: Match, viewer: int, draw: random.Random) -> None:
    """Check that the viewer can't tell a redealt state from the true one, and that it can be played on."""
    game = match.game
    view = concealed(game, match._states, viewer)
    chance = draw.getstate()
    supposed = redealt(game, view, viewer, draw)
    draw.setstate(chance)
    demand(
        redealt(game, view, viewer, draw).tobytes() == supposed.tobytes(),
        f"two redeals for {viewer} from the same key differ",
    )
    again = concealed(game, supposed, viewer)
    changed = differing_fields(again, view)
    demand(again.tobytes() == view.tobytes(), f"redealing for {viewer} and concealing again changes fields: {changed}")
    shown, true = match.supposing(supposed).view(viewer), match.view(viewer)
    demand(shown.to_dict() == true.to_dict(), f"the view of viewer {viewer} depends on hidden parts")
    demand(shown.prompt() == true.prompt(), f"the prompt of viewer {viewer} depends on hidden parts")
    for seat in match.deciders:
        legal = legal_actions(game, acting(game, supposed, seat))
        demand(len(legal) > 0, f"in a state redealt for {viewer}, seat {seat} has no legal action")


def revelations_have_events(before: Match, after: Match, viewer: int, draw: random.Random) -> None:
    """Check that an action reveals hidden parts to a viewer exactly when its events do.

    The action is played in the true state and in a redealt one. The viewer's states may differ only if the events differ. Such a
    revelation must raise ``reveals``, and so must an action that is illegal in the redealt state.
    """
    game, step = before.game, after.steps[-1]
    supposed = redealt(game, concealed(game, before._states, viewer), viewer, draw)
    if np.array_equal(without_chance(supposed), without_chance(before._states)):
        return
    risen = int(after._states["reveals"][0]) > int(step.before["reveals"][0])
    if step.action not in legal_actions(game, acting(game, supposed, step.seat)):  # it reveals for example a card in a hand
        told = risen or not step.shows_action(viewer)
        demand(told, f"action {step.action} shows viewer {viewer} that it was legal, but `reveals` has not risen")
        return
    other = before.supposing(supposed)
    other.play(step.action, step.seat)
    seen, would_see = visible(step.events, viewer), visible(other.steps[-1].events, viewer)
    shown, would_be_shown = concealed(game, after._states, viewer), concealed(game, other._states, viewer)
    same_state = shown.tobytes() == would_be_shown.tobytes()
    if seen == would_see:
        demand(same_state, f"viewer {viewer} sees a change that no event reports: {differing_fields(shown, would_be_shown)}")
        return
    cause = next((str(a) for a, b in zip(seen, would_see, strict=False) if a != b), "events")
    demand(not same_state, f"{cause} reveals something to viewer {viewer}, but their concealed state doesn't keep it")
    demand(risen, f"{cause} reveals something to viewer {viewer}, but `reveals` has not risen")


# ------------------------------------------------------------------------------------------------------------- the true state


@dataclass
class Coincidences:
    """Counts how often redeals equal the true state and how often they equal one another.

    For a fair redeal the true state is just one more sample: it must not be drawn again more often than any other sample.
    """

    truth: int = 0  # trials in which more redeals equalled the truth than equalled one of themselves
    chance: int = 0  # trials in which it was the other way round

    def sample(self, match: Match, draw: random.Random) -> None:
        """Run a trial at a random position for a random viewer."""
        if match.steps:
            self.compare(match.game, draw.choice(match.steps).before, draw.randrange(SPECTATOR, match.players), draw)

    def compare(self, game: Game, states: States, viewer: int, draw: random.Random) -> None:
        """Run a trial on a state. Trials are independent if their states come from different matches."""
        view = concealed(game, states, viewer)
        true = without_chance(states).tobytes()
        first, *others = [without_chance(redealt(game, view, viewer, draw)).tobytes() for _ in range(_REDEALS)]
        if first == true:
            return
        hits, pairs = others.count(true), others.count(first)
        self.truth += hits > pairs
        self.chance += pairs > hits


def true_state_is_not_leaked(found: Coincidences) -> None:
    """Check that redeals don't reproduce the true state more often than by chance."""
    trials = found.truth + found.chance
    fair = _tail(found.truth, trials) > _SIGNIFICANCE
    demand(
        fair,
        f"redeals equal the true state more often than each other: in {found.truth} of {trials} cases where they differ",
    )


def no_byte_is_leaked(deals: Deals) -> None:
    """Check that redeals don't reproduce a byte of the true state more often than by chance.

    It is checked after the setup, where the distribution of the true state is known.
    """
    for viewer, redeals in deals.redeals.items():
        first, others = redeals[:, 0], redeals[:, 1:]
        hits = (others == deals.truth[:, None]).sum(axis=1)
        pairs = (others == first[:, None]).sum(axis=1)
        truth, chance = (hits > pairs).sum(axis=0).tolist(), (pairs > hits).sum(axis=0).tolist()
        for byte, (more, less) in enumerate(zip(truth, chance, strict=True)):
            if more > less and _tail(more, more + less) < _SIGNIFICANCE / len(truth):
                field = _field_at(deals.dtype, byte)
                raise Broken(f"redeals for viewer {viewer} equal the true `{field}` more often than each other")


def _tail(heads: int, tosses: int) -> float:
    """Return the probability of at least ``heads`` heads in ``tosses`` tosses of a fair coin."""
    return sum(math.comb(tosses, k) for k in range(heads, tosses + 1)) / float(2**tosses)


# ---------------------------------------------------------------------------------------------------------------- many setups


@dataclass(frozen=True)
class Deals:
    """Many setups with the same players and options: events, true states, and redeals for each viewer (as bytes)."""

    dtype: np.dtype[np.void]
    players: int
    events: list[tuple[Event, ...]]
    truth: Bytes  # (setups, bytes)
    redeals: dict[int, Bytes]  # viewer -> (setups, redeals, bytes)


def deal_many(game: Game, players: int, options: dict[str, Any], seed: str, count: int, coincidences: Coincidences) -> Deals:
    """Set up ``count`` matches and redeal each for every viewer."""
    draw = random.Random(seed)
    events, truth = [], []
    redeals: dict[int, list[Bytes]] = defaultdict(list)
    for number in range(count):
        match = Match(game, players=players, seed=f"{seed} setup {number}", options=options)
        events.append(match.setup)
        truth.append(without_chance(match._states))
        for viewer in range(SPECTATOR, players):
            view = concealed(game, match._states, viewer)
            redeals[viewer].append(np.stack([without_chance(redealt(game, view, viewer, draw)) for _ in range(_REDEALS)]))
        coincidences.compare(game, match._states, draw.randrange(SPECTATOR, players), draw)
    return Deals(
        game.state.dtype, players, events, np.stack(truth), {viewer: np.stack(found) for viewer, found in redeals.items()}
    )


def setup_facts_are_kept(deals: Deals) -> None:
    """Check that redeals keep every fact their viewer was told in the setup, and no fact that only another seat was told.

    A spectator's redeals must not contain hidden facts. A seat's may, because the seat may be able to deduce them.
    """
    for (index, name, argument, audience), setups in _told(deals).items():
        event = f"argument {argument} of event {index} of the setup, {name},"
        for viewer in range(SPECTATOR, deals.players):
            if audience in (PUBLIC, viewer):
                found = _forgotten(deals, setups, viewer)
                demand(found is None, f"{event} tells viewer {viewer} about `{found}`, but their redeals don't keep it")
            elif (audience != HIDDEN or viewer == SPECTATOR) and _overheard(deals, setups, viewer):
                told = "hidden" if audience == HIDDEN else f"known to seat {audience} alone"
                raise Broken(f"{event} is {told}, but redeals for viewer {viewer} always contain it")


Slot = tuple[int, str, int, int]
Groups = list[npt.NDArray[np.int64]]


def _told(deals: Deals) -> dict[Slot, Groups]:
    """Group the setups by value, for each argument of each setup event."""
    values: dict[Slot, dict[Any, list[int]]] = defaultdict(lambda: defaultdict(list))
    for number, events in enumerate(deals.events):
        for index, event in enumerate(events):
            for argument, value in enumerate(event.arguments):
                values[index, event.name, argument, event.audience][value].append(number)
    return {slot: [np.array(group) for group in groups.values()] for slot, groups in values.items() if len(groups) > 1}


def _forgotten(deals: Deals, groups: Groups, viewer: int) -> str | None:
    """Return a field that the known value determines although the viewer's redeals vary in it; None if there is none.

    If the redeals were right, the true state would be one of ``_REDEALS + 1`` exchangeable samples. The probability that the true
    value is always the same while the redeals differ falls with every setup.
    """
    truth, redeals = deals.truth, deals.redeals[viewer]
    for group in groups:
        determined = (truth[group] == truth[group[0]]).all(axis=0)
        alike = 1 + (redeals[group] == truth[group][:, None, :]).sum(axis=1)
        chance = np.log(alike / (_REDEALS + 1)).sum(axis=0)
        caught = determined & (chance < math.log(_SIGNIFICANCE / truth.shape[1] / len(groups)))
        if caught.any():
            return _field_at(deals.dtype, int(np.flatnonzero(caught)[0]))
    return None


def _overheard(deals: Deals, groups: Groups, viewer: int) -> bool:
    """Return whether the viewer's redeals are never wrong in any field that the value determines."""
    truth, redeals = deals.truth, deals.redeals[viewer]
    determining = 0
    for group in groups:
        determined = (truth[group] == truth[group[0]]).all(axis=0)
        by_chance = len(group) * np.log((truth == truth[group[0]]).mean(axis=0))
        linked = determined & (by_chance < math.log(_SIGNIFICANCE / truth.shape[1] / len(groups)))
        if (redeals[group][:, :, linked] != truth[group][:, None, linked]).any():
            return False
        determining += bool(linked.any())
    return determining > 1


def _field_at(dtype: np.dtype[np.void], byte: int) -> str:
    fields: Mapping[str, Any] = dtype.fields or {}
    return next(name for name, (kind, offset, *_) in fields.items() if offset <= byte < offset + kind.itemsize)


_CHOICES = 4  # the number of choices that are compared
_ORDERS = 3  # the number of random orders that are tried
_LONGEST = 1000  # the largest number of actions of a sealed choice


def actor_is_a_decider(match: Match) -> None:
    """Check that the actor is the lowest seat of those that have still to choose."""
    if is_simultaneous(match.game):
        lowest = match.deciders[0] if match.deciders else None
        demand(match.actor == lowest, f"`actor` is {match.actor}, but the seats that have still to choose are {match.deciders}")


def choices_are_sealed(match: Match, draw: random.Random) -> None:
    """Check that other viewers see the same, whatever a seat chooses, while others have still to choose."""
    if len(match.deciders) < 2:
        return
    seat = draw.choice(match.deciders)
    legal = match.view(seat).legal
    for viewer in range(SPECTATOR, match.players):
        if viewer == seat:
            continue
        seen: dict[tuple[int, ...], Match] = {}
        for action in draw.sample(legal, min(_CHOICES, len(legal))):
            after = match.copy()
            after.play(action, seat)
            demand(not after.over, f"seat {seat} has chosen, others have not, and the match is over")
            first = seen.setdefault(after.deciders, after)
            one, other = (concealed(match.game, each._states, viewer) for each in (first, after))
            demand(
                one.tobytes() == other.tobytes(),
                f"viewer {viewer} sees what seat {seat} has chosen before all have: {differing_fields(one, other)}",
            )
            told = [each.view(viewer).steps[-1].events for each in (first, after)]
            demand(told[0] == told[1], f"events tell viewer {viewer} what seat {seat} has chosen before all have")


def order_is_irrelevant(match: Match, draw: random.Random) -> None:
    """Check that each seat can play its choice in any order, and that all orders lead to the same state."""
    seats = list(match.deciders)
    if len(seats) < 2:
        return
    choices = {seat: _choice_of(match, seat, draw) for seat in seats}
    first = _played(match, seats, choices)
    for _ in range(_ORDERS):
        order = draw.sample(seats, len(seats))
        other = _played(match, order, choices)
        differences = differing_fields(first._states, other._states)
        demand(
            first._states.tobytes() == other._states.tobytes(),
            f"if seats {order} choose in this order, the state differs from that of {seats}: {differences or 'rng'}",
        )


def _choice_of(match: Match, seat: int, draw: random.Random) -> list[int]:
    """Return the actions of a random choice of a seat: usually one, more if the seat goes on choosing."""
    alone, actions = match.copy(), list[int]()
    others = set(match.deciders) - {seat}
    while seat in alone.deciders:
        actions.append(draw.choice(alone.view(seat).legal))
        alone.play(actions[-1], seat)
        demand(set(alone.deciders) - {seat} == others, f"a choice of seat {seat} changes which other seats have still to choose")
        demand(alone.state.reveals == match.state.reveals, f"`reveals` rises when seat {seat} chooses before all have")
        demand(len(actions) <= _LONGEST, f"a choice of seat {seat} never ends")
    return actions


def _played(match: Match, order: Sequence[int], choices: dict[int, list[int]]) -> Match:
    after = match.copy()
    for seat in order:
        for action in choices[seat]:
            demand(
                action in after.view(seat).legal, f"whether seat {seat} may choose {action} depends on what others have chosen"
            )
            after.play(action, seat)
    return after
