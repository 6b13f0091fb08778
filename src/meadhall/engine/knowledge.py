"""The laws about what seats may know: nobody is shown what they may not know, and nobody forgets what they were told.

Two kinds of evidence. A state is *redealt* for a viewer: to the viewer both states are the same table, so whatever the viewer
can tell apart has leaked. And many setups are compared: what an event of a setup tells must be what its audience, and nobody
else, then knows.
"""

from __future__ import annotations

import math
import random
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from meadhall.engine.compiled import loops
from meadhall.engine.events import EVERYBODY, NOBODY, Event
from meadhall.engine.game import Game
from meadhall.engine.match import Match
from meadhall.engine.schema import States, field_names
from meadhall.engine.view import SPECTATOR, concealed, legal_actions, visible

_CERTAIN = 1e-9  # what is less probable than this under the law is taken as a violation
_REDEALS = 8

Bytes = npt.NDArray[np.uint8]


class Broken(Exception):
    """What was found against a law."""


def demand(holds: bool, otherwise: str) -> None:
    """Raise Broken(otherwise) unless the law holds."""
    if not holds:
        raise Broken(otherwise)


def redealt(game: Game, view: States, viewer: int, draw: random.Random) -> States:
    """A copy of a state concealed for ``viewer``, its blanks filled at random."""
    states = view.copy()
    states["rng"][0] = (draw.getrandbits(64), draw.getrandbits(64) | 1)
    loops(game).redeal_one(states, viewer)
    return states


def without_chance(states: States) -> Bytes:
    """The bytes of a state but for its generator."""
    copy = states.copy()
    copy["rng"] = 0
    return copy.view(np.uint8)


def differing_fields(one: States, other: States) -> str:
    """The names of the fields in which two states differ."""
    return ", ".join(name for name in field_names(one.dtype) if one[name].tobytes() != other[name].tobytes())


# -------------------------------------------------------------------------------------------------------------- one position


def concealing_is_idempotent(match: Match, viewer: int) -> None:
    """Concealing blanks the generator, keeps what all know of the course of the match, and done twice is done once."""
    view = concealed(match.game, match._states, viewer)
    demand(not view["rng"].any(), f"concealed for {viewer}, the generator is still there")
    for name in ("actor", "players", "reveals"):
        demand(view[name][0] == match._states[name][0], f"concealed for {viewer}, `{name}` is another")
    again = concealed(match.game, view, viewer)
    demand(
        again.tobytes() == view.tobytes(), f"concealed twice for {viewer}, other fields differ: {differing_fields(again, view)}"
    )


def redealing_is_consistent(match: Match, viewer: int, draw: random.Random) -> None:
    """To the viewer a redealt state is the same table as the true one, and it can be played on."""
    game = match.game
    view = concealed(game, match._states, viewer)
    chance = draw.getstate()
    supposed = redealt(game, view, viewer, draw)
    draw.setstate(chance)
    demand(
        redealt(game, view, viewer, draw).tobytes() == supposed.tobytes(),
        f"redealt for {viewer} from the same key, the state is another",
    )
    again = concealed(game, supposed, viewer)
    changed = differing_fields(again, view)
    demand(again.tobytes() == view.tobytes(), f"redealt for {viewer} and concealed again, these fields are others: {changed}")
    shown, true = match.supposing(supposed).view(viewer), match.view(viewer)
    demand(shown.to_dict() == true.to_dict(), f"with what is hidden changed, viewer {viewer} is shown something else")
    demand(shown.prompt() == true.prompt(), f"with what is hidden changed, viewer {viewer} is asked something else")
    demand(len(legal_actions(game, supposed)) > 0, f"redealt for {viewer}, nothing is legal for seat {match.actor}")


def step_tells_what_it_shows(before: Match, after: Match, viewer: int, draw: random.Random) -> None:
    """With what is hidden changed, the same action shows the viewer another table if, and only if, events tell so.

    And such a revelation moves ``reveals``.
    """
    game, step = before.game, after.steps[-1]
    supposed = redealt(game, concealed(game, before._states, viewer), viewer, draw)
    if np.array_equal(without_chance(supposed), without_chance(before._states)) or step.action not in legal_actions(
        game, supposed
    ):
        return
    other = before.supposing(supposed)
    other.play(step.action)
    seen, would_see = visible(step.events, viewer), visible(other.steps[-1].events, viewer)
    shown, would_be_shown = concealed(game, after._states, viewer), concealed(game, other._states, viewer)
    same_table = shown.tobytes() == would_be_shown.tobytes()
    if seen == would_see:
        demand(same_table, f"no event tells viewer {viewer} what they see change: {differing_fields(shown, would_be_shown)}")
        return
    told = next((str(a) for a, b in zip(seen, would_see, strict=False) if a != b), "events")
    demand(not same_table, f"{told} tells viewer {viewer} something hidden, but their table neither shows nor remembers it")
    risen = int(after._states["reveals"][0]) > int(step.before["reveals"][0])
    demand(risen, f"{told} reveals something to viewer {viewer}, but `reveals` has not risen")


# ------------------------------------------------------------------------------------------------------------- the true state


@dataclass
class Coincidences:
    """How often redeals hit the truth, against how often they hit one another.

    To a fair redeal the truth is one more redeal: among states drawn alike none is drawn again more often than another.
    """

    truth: int = 0  # looks in which more redeals equalled the truth than one of their own
    chance: int = 0  # looks in which it was the other way round

    def look_at(self, match: Match, draw: random.Random) -> None:
        """One look, at a random position and for a random viewer."""
        if match.steps:
            self.compare(match.game, draw.choice(match.steps).before, draw.randrange(SPECTATOR, match.players), draw)

    def compare(self, game: Game, states: States, viewer: int, draw: random.Random) -> None:
        """One look at a state. Looks are independent if their states are of different matches."""
        view = concealed(game, states, viewer)
        true = without_chance(states).tobytes()
        first, *others = [without_chance(redealt(game, view, viewer, draw)).tobytes() for _ in range(_REDEALS)]
        if first == true:
            return
        hits, pairs = others.count(true), others.count(first)
        self.truth += hits > pairs
        self.chance += pairs > hits


def truth_is_not_foreseen(found: Coincidences) -> None:
    """A redeal never reproduces the truth more often than chance."""
    looks = found.truth + found.chance
    fair = _tail(found.truth, looks) > _CERTAIN
    demand(fair, f"redeals hit the truth more often than one another: in {found.truth} of {looks} cases that differ")


def no_part_is_foreseen(deals: Deals) -> None:
    """Nor does it reproduce any part of the truth, as far as it is known by what chance the truth came about: after the setup."""
    for viewer, redeals in deals.redeals.items():
        first, others = redeals[:, 0], redeals[:, 1:]
        hits = (others == deals.truth[:, None]).sum(axis=1)
        pairs = (others == first[:, None]).sum(axis=1)
        truth, chance = (hits > pairs).sum(axis=0).tolist(), (pairs > hits).sum(axis=0).tolist()
        for byte, (more, less) in enumerate(zip(truth, chance, strict=True)):
            if more > less and _tail(more, more + less) < _CERTAIN / len(truth):
                field = _field_at(deals.dtype, byte)
                raise Broken(f"redeals for viewer {viewer} hit the truth in `{field}` more often than one another")


def _tail(heads: int, tosses: int) -> float:
    """The probability of at least so many heads with a fair coin."""
    return sum(math.comb(tosses, k) for k in range(heads, tosses + 1)) / float(2**tosses)


# ---------------------------------------------------------------------------------------------------------------- many setups


@dataclass(frozen=True)
class Deals:
    """Many setups of one kind: their events, true states, and redeals for each viewer (all as bytes, without the generator)."""

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


def what_setups_tell(deals: Deals) -> None:
    """What an event of the setup tells, its audience's redeals know; what it tells one seat alone, nobody else's do.

    What it tells nobody, a spectator's don't; a seat may be able to work it out.
    """
    for (index, name, argument, audience), setups in _told(deals).items():
        event = f"argument {argument} of event {index} of the setup, {name},"
        for viewer in range(SPECTATOR, deals.players):
            if audience in (EVERYBODY, viewer):
                found = _forgotten(deals, setups, viewer)
                demand(found is None, f"{event} tells viewer {viewer} about `{found}`, but their redeals don't know it")
            elif (audience != NOBODY or viewer == SPECTATOR) and _overheard(deals, setups, viewer):
                told = "nobody" if audience == NOBODY else f"seat {audience} alone"
                raise Broken(f"{event} is told to {told}, but redeals for viewer {viewer} always know it")


Slot = tuple[int, str, int, int]
Groups = list[npt.NDArray[np.int64]]


def _told(deals: Deals) -> dict[Slot, Groups]:
    """For each argument of each event of the setups, the setups in which it had the same value."""
    values: dict[Slot, dict[Any, list[int]]] = defaultdict(lambda: defaultdict(list))
    for number, events in enumerate(deals.events):
        for index, event in enumerate(events):
            for argument, value in enumerate(event.arguments):
                values[index, event.name, argument, event.audience][value].append(number)
    return {slot: [np.array(group) for group in groups.values()] for slot, groups in values.items() if len(groups) > 1}


def _forgotten(deals: Deals, groups: Groups, viewer: int) -> str | None:
    """A field that the value told settles, though the viewer's redeals vary in it.

    Were they right, the truth would be one of ``_REDEALS + 1`` alike: that it is always the same one among different ones is
    a matter of chance that grows improbable with every setup.
    """
    truth, redeals = deals.truth, deals.redeals[viewer]
    for group in groups:
        settled = (truth[group] == truth[group[0]]).all(axis=0)
        alike = 1 + (redeals[group] == truth[group][:, None, :]).sum(axis=1)
        chance = np.log(alike / (_REDEALS + 1)).sum(axis=0)
        caught = settled & (chance < math.log(_CERTAIN / truth.shape[1] / len(groups)))
        if caught.any():
            return _field_at(deals.dtype, int(np.flatnonzero(caught)[0]))
    return None


def _overheard(deals: Deals, groups: Groups, viewer: int) -> bool:
    """Whether the viewer's redeals never err in anything that the value told settles."""
    truth, redeals = deals.truth, deals.redeals[viewer]
    settling = 0
    for group in groups:
        settled = (truth[group] == truth[group[0]]).all(axis=0)
        by_chance = len(group) * np.log((truth == truth[group[0]]).mean(axis=0))
        linked = settled & (by_chance < math.log(_CERTAIN / truth.shape[1] / len(groups)))
        if (redeals[group][:, :, linked] != truth[group][:, None, linked]).any():
            return False
        settling += bool(linked.any())
    return settling > 1


def _field_at(dtype: np.dtype[np.void], byte: int) -> str:
    fields: Mapping[str, Any] = dtype.fields or {}
    return next(name for name, (kind, offset, *_) in fields.items() if offset <= byte < offset + kind.itemsize)
