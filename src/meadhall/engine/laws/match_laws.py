"""Laws about matches: at every position, at every step, and when a match is over.

A law is a function that raises when the game breaks it. The tables at the end name all of them.
"""

from __future__ import annotations

import hashlib
import json
import math
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from meadhall.engine.compiled import loops
from meadhall.engine.errors import (
    CannotUndo,
    IllegalAction,
    MalformedAction,
    MatchOver,
    NotYourTurn,
    Refused,
)
from meadhall.engine.game import Game, Scoring
from meadhall.engine.interface import own_words
from meadhall.engine.kind import Kind
from meadhall.engine.laws import knowledge
from meadhall.engine.laws.counterexample import Example, Move
from meadhall.engine.loops import GREEDY
from meadhall.engine.match.deciders import acting
from meadhall.engine.match.match import Match
from meadhall.engine.match.places import first_order_of, named_order
from meadhall.engine.match.record import dumps, loads
from meadhall.engine.match.step import Step
from meadhall.engine.match.view import EVERYTHING, SPECTATOR, concealed, legal_actions
from meadhall.engine.replay import replay
from meadhall.engine.report_terms import CLOCKWISE
from meadhall.engine.rulebook import rule_ids
from meadhall.engine.state.chance import step_key
from meadhall.engine.state.events import HIDDEN, NO_LOG_SHAPE, Event

MAX_DECISIONS = 20_000
"""The number of decisions within which random play must end a match."""

_SWEEP = 160  # action spaces up to this size are tested completely at every position, larger ones after the setup
WINDOW = 64  # of a larger one, every later position tests the next so many actions, and as many random ones
_NON_ACTIONS = (-1, 1 << 70, True, None, "0", 0.0, math.nan, [0], b"0")

demand = knowledge.demand


@dataclass
class Trial:
    """A match under test."""

    match: Match
    seed: str
    draw: random.Random
    states: list[tuple[Any, str]] = field(default_factory=list)  # every state of the match and its hash at that time
    trying: tuple[int, int] | None = None  # the action whose consequences are tested, and the seat that plays it

    @property
    def game(self) -> Game:
        return self.match.game

    @cached_property
    def kind(self) -> Kind:
        return self.game.kind_of(self.match.players, self.match.options)

    @property
    def place(self) -> str:
        at = f"after action {self.match.steps[-1].n}" if self.match.steps else "after the setup"
        playing = f", playing {self.trying[0]}" if self.trying is not None else ""
        return f"{self.game.name}, {self.match.players} players, options {self.match.options}, seed {self.seed!r}, {at}{playing}"

    @property
    def example(self) -> Example:
        match, tried = self.match, None
        moves = [Move.of(step.action, step.seat, int(step.before["actor"][0])) for step in match.steps]
        if self.trying is not None:
            tried = Move.of(*self.trying, match.actor or 0)
        return Example(self.game, match.players, match.options, self.seed, tuple(moves), tried)

    def chooser(self) -> int:
        """Return the seat to move, or a random one of several that choose at the same time."""
        seats = self.match.deciders
        return seats[0] if len(seats) == 1 else self.draw.choice(seats)

    def viewers(self) -> range:
        """Return a spectator and every seat."""
        return range(SPECTATOR, self.match.players)


@dataclass(frozen=True)
class Branch:
    """A step under test: ``after`` is a copy of the match in which it is the last one."""

    trial: Trial
    after: Match

    @property
    def step(self) -> Step:
        return self.after.steps[-1]


def hash_of(states: Any) -> str:
    return hashlib.sha256(states.tobytes()).hexdigest()


def _snapshot(match: Match) -> tuple[Any, ...]:
    return match._states.tobytes(), len(match.steps), len(match.undone), match.next_number


def played(match: Match, action: int, seat: int | None = None) -> Match:
    after = match.copy()
    after.play(action, seat)
    return after


def legal_of(match: Match, seat: int) -> tuple[int, ...]:
    """Return the legal actions of a seat in the complete state."""
    return legal_actions(match.game, acting(match.game, match._states, seat))


# ------------------------------------------------------------------------------------------------------------------- setup


def setup_is_sound(trial: Trial) -> None:
    """Check that setup keeps the number of players, ends with a decision or the end, and depends on the seed alone."""
    match = trial.match
    actor_is_sound(match)
    again = Match(trial.game, players=match.players, seed=trial.seed, options=match.options)
    demand(again._states.tobytes() == match._states.tobytes(), "a second setup from the same seed gives another state")
    demand(again.setup == match.setup, "a second setup from the same seed gives other events")


def actor_is_sound(match: Match) -> None:
    """Check that the actor is a seat or -1, and that the number of players is constant."""
    actor, players = int(match._states["actor"][0]), int(match._states["players"][0])
    demand(players == match.players, f"`players` is {players}, but the match has {match.players}")
    demand(match.players > actor >= -1, f"`actor` is {actor}; it must be a seat, or -1 when the match is over")
    knowledge.actor_is_a_decider(match)


# --------------------------------------------------------------------------------------------------------- at every position


def legal_list(trial: Trial) -> None:
    """Check that legal actions are ascending, not empty, the same from the actor's concealed state, and have no side effect."""
    for seat in trial.match.deciders:
        _legal_list_of(trial.match, seat)


def _legal_list_of(match: Match, seat: int) -> None:
    game, states = match.game, acting(match.game, match._states, seat).copy()
    before = states.tobytes()
    out = np.zeros(game.actions, np.int32)
    count = int(loops(game).legal_one(states, out))
    demand(states.tobytes() == before, "computing the legal actions changed the state")
    demand(count > 0, f"seat {seat} is to move and has no legal action")
    demand(count <= game.actions, f"{count} legal actions, but the action space has only {game.actions}")
    legal = out[:count].tolist()
    demand(legal == sorted(set(legal)), f"the legal actions are not in ascending order: {legal}")
    demand(legal[0] >= 0 and legal[-1] < game.actions, f"legal actions outside 0 to {game.actions - 1}: {legal}")
    view = match.view(seat)
    demand(list(view.legal) == legal, f"the legal actions are {legal}, but from the actor's concealed state {list(view.legal)}")
    for action in legal:
        against = view.refusal(action)
        demand(against == ("", ""), f"action {action} is legal, but `refusal` returns {against}")


def refusals(trial: Trial) -> None:
    """Check that every illegal integer is refused with a rule of the rulebook, and that the match is unchanged."""
    match = trial.match
    before, chooser = _snapshot(match), trial.chooser()
    legal = set(legal_of(match, chooser))
    for action in _illegal(trial, legal):
        refused = _refusal(match, action, chooser, IllegalAction)
        demand(bool(refused.reason.strip()), f"action {action} is illegal, but the refusal has no text")
        _demand_known(trial.game, f"action {action} is refused by", refused.rule, "refusal")
    for what in (*_NON_ACTIONS, trial.game.actions):
        _refusal(match, what, chooser, MalformedAction)
    for seat in range(match.players):
        if seat not in match.deciders:
            _refusal(match, min(legal), seat, NotYourTurn)
    demand(_snapshot(match) == before, "a refused action changed the match")


def _demand_known(game: Game, said: str, rule: str, hook: str) -> None:
    """Check that the rulebook has a rule. "" is right for a game without a rulebook, and for default words."""
    known = rule in rule_ids(game) if rule else not rule_ids(game) or not hasattr(own_words(game.words), hook)
    unread = "" if game.folder else "; the game is declared without folder=, so no rulebook.md is read"
    demand(known, f"{said} rule {rule!r}, which the rulebook lacks{unread}")


def _illegal(trial: Trial, legal: set[int]) -> list[int]:
    actions = range(trial.game.actions)
    if len(actions) > _SWEEP and trial.match.steps:
        near = {a + d for a in legal for d in (-1, 1)} | {0, len(actions) - 1}
        first = len(trial.match.steps) * WINDOW
        window = {action % len(actions) for action in range(first, first + WINDOW)}
        actions = sorted((near & set(actions)) | window | set(trial.draw.sample(actions, WINDOW)))  # type: ignore[assignment]
    return [action for action in actions if action not in legal]


def _refusal(match: Match, action: Any, seat: int | None, kind: type[Refused]) -> Refused:
    try:
        match.play(action, seat)
    except kind as refused:
        return refused
    except Refused as refused:
        raise knowledge.Broken(f"{action!r} by seat {seat} is refused as {type(refused).__name__}, not {kind.__name__}") from None
    raise knowledge.Broken(f"{action!r} by seat {seat} was played, but it must be refused ({kind.__name__})")


def position_in_words(trial: Trial) -> None:
    """Check that every legal action and every viewer's prompt has a text, and that every view can be written as JSON."""
    for seat in trial.match.deciders:
        for action in trial.match.legal(seat):
            demand(isinstance(action.text, str) and bool(action.text.strip()), f"action {action.action} has no text")
    for viewer in trial.viewers():
        view = trial.match.view(viewer)
        demand(bool(view.prompt().strip()), f"the prompt for viewer {viewer} is empty")
        json.dumps(view.to_dict(), allow_nan=False)


def concealment(trial: Trial) -> None:
    """Check that hidden parts stay concealed, and that a redeal fills them with values the viewer can't tell from the truth."""
    for viewer in trial.viewers():
        knowledge.concealing_is_idempotent(trial.match, viewer)
        knowledge.redealing_is_consistent(trial.match, viewer, trial.draw)


def sides_are_a_partition(trial: Trial) -> None:
    """Check that each seat belongs to exactly one party, in the true state and for every viewer."""
    match, game = trial.match, trial.game
    for viewer in (EVERYTHING, *trial.viewers()):
        parties = game.parties(match.players, match.options, game.state.at(concealed(game, match._states, viewer)))
        seats = sorted(seat for party in parties for seat in party)
        demand(seats == list(range(match.players)), f"the parties {parties} don't contain each of {match.players} seats once")


def declared_kind(trial: Trial) -> None:
    """Check what the game declares of chance and information."""
    match, kind = trial.match, trial.kind
    if not kind.chance:
        drawn = tuple(match._states["rng"][0].tolist()) != step_key(match.seed, match.decision)
        demand(not drawn, "the game is declared without chance, but random numbers were drawn")
    if kind.information == "perfect":
        whole = concealed(trial.game, match._states, EVERYTHING)
        for viewer in trial.viewers():
            hidden = knowledge.differing_fields(concealed(trial.game, match._states, viewer), whole)
            demand(not hidden, f"the game is declared with perfect information, but viewer {viewer} doesn't see {hidden}")


def heuristics(trial: Trial) -> None:
    """Check that the greedy player chooses a legal action and uses no hidden information."""
    if trial.game.greedy is None:
        return
    seat = trial.chooser()
    view = concealed(trial.game, trial.match._states, seat)
    rng = np.array([trial.draw.getrandbits(64), 1], np.uint64)
    chosen = int(loops(trial.game).follow_one(GREEDY, view, np.zeros(trial.game.actions, np.int32), rng))
    legal = legal_of(trial.match, seat)
    demand(chosen in legal, f"greedy chooses {chosen}, but the legal actions are {list(legal)}")


# ------------------------------------------------------------------------------------------------------------- at every step


def step_is_sound(branch: Branch) -> None:
    """Check that a legal action leads to a decision or the end, and to the same state with and without a log."""
    actor_is_sound(branch.after)
    step, key = branch.step, step_key(branch.after.seed, branch.step.n)
    silent = acting(branch.trial.game, step.before, step.seat).copy()
    silent["rng"][0] = key
    loops(branch.trial.game).play_one(silent, step.action, np.zeros(NO_LOG_SHAPE, np.int32))
    demand(silent.tobytes() == branch.after._states.tobytes(), "without a log the same action leads to another state")


def replaying(branch: Branch) -> None:
    """Check that the same action from the same state gives the same events."""
    again = played(branch.trial.match, branch.step.action, branch.step.seat)
    demand(again.steps[-1].events == branch.step.events, "the same action, played again, gives other events")


def revealing(branch: Branch) -> None:
    """Check that ``reveals`` never falls, and rises with every random draw, because such an action can't be undone freely."""
    before, after = int(branch.step.before["reveals"][0]), int(branch.after._states["reveals"][0])
    demand(after >= before, f"`reveals` fell from {before} to {after}")
    rolled = tuple(branch.after._states["rng"][0].tolist()) != step_key(branch.after.seed, branch.step.n)
    demand(after > before or not rolled, "random numbers were drawn, but `reveals` has not risen")


def step_events(branch: Branch) -> None:
    """Check that every event has a rule of the rulebook, its declared arguments, a text, and a valid audience."""
    for event in branch.step.events:
        _event_is_sound(branch.after, event)


def setup_events(trial: Trial) -> None:
    """Check the events of the setup like those of a step."""
    for event in trial.match.setup:
        _event_is_sound(trial.match, event)


def _event_is_sound(match: Match, event: Event) -> None:
    kind = match.game.events[event.kind]
    given, declared = len(event.arguments), len(kind.arguments)
    demand(
        given == declared or (given > declared and kind.rest is not None),
        f"{event} should have {declared} arguments, as declared",
    )
    demand(json.loads(json.dumps(event.to_list())) == event.to_list(), f"{event} can't be written as JSON")
    demand(HIDDEN <= event.audience < match.players, f"{event} has the audience {event.audience}, which is not a seat")
    rule = kind.rule_of(event.arguments)
    _demand_known(match.game, f"{event} cites", rule, "event")
    for viewer in (None, *range(match.players)):
        demand(bool(match.in_words(event, viewer).strip()), f"{event} has no text")


def step_knowledge(branch: Branch) -> None:
    """Check that hidden parts affect nothing a viewer sees until an event reveals them."""
    for viewer in branch.trial.viewers():
        knowledge.revelations_have_events(branch.trial.match, branch.after, viewer, branch.trial.draw)


def undoing(branch: Branch) -> None:
    """Check that an undo restores the state, except what players remember, and never reuses the action's number."""
    match = branch.after.copy()
    number, before = match.next_number, match.steps[-1].before
    free = match.can_undo()
    try:
        match.undo()
        demand(free, "an undo past a revelation was allowed")
    except CannotUndo:
        demand(not free, "an undo was refused, although nothing had been revealed")
        match.undo(revealed=True)
    same = match._states.tobytes() == before.tobytes()
    demand(same or (not free and match.game.recall is not None), "an undo does not restore the state")
    earlier = match.supposing(before)
    demand(match.view(match.actor).legal == earlier.view(earlier.actor).legal, "an undo does not restore the legal actions")
    demand(match.next_number == number, "after an undo the number of an action is reused")


# ---------------------------------------------------------------------------------------------------- when a match is over


def is_not_endless(trial: Trial) -> None:
    count, declared = len(trial.match.steps), trial.kind.max_length
    demand(count <= MAX_DECISIONS, f"random play has not ended after {MAX_DECISIONS} decisions")
    demand(declared is None or count <= declared, f"a match has {count} decisions; the game is declared with at most {declared}")


def end_is_final(trial: Trial) -> None:
    """Check that nothing can be played in a finished match, and that its ending has a text and a rule."""
    match = trial.match
    before = _snapshot(match)
    refused = _refusal(match, 0, None, MatchOver)
    _demand_known(trial.game, "the match ended by", refused.rule, "ending")
    demand(_snapshot(match) == before, "a refused action changed the match")
    for viewer in trial.viewers():
        demand(bool(match.view(viewer).prompt().strip()), f"the prompt for viewer {viewer} is empty")
    _, how = trial.game.words.ending(match.state)
    demand(bool(how.strip()), "the ending of the match has no text")


def scores(trial: Trial) -> None:
    """Check the payoffs against the declared scoring.

    Rivals' payoffs sum to 1. In a cooperative game all are 1 or all 0. Of the sides one has 1, or several share 1. Points have
    the declared sum, if there is one.
    """
    match = trial.match
    result = match.result()
    assert result is not None
    payoffs = result.scores
    declared = trial.game.scoring_of(match.options)
    if declared in (Scoring.RIVALS, Scoring.SIDES):
        shared_by = range(match.players) if declared is Scoring.RIVALS else [party[0] for party in match.parties]
        best = [payoffs[seat] for seat in shared_by if payoffs[seat] > 0]
        sound = bool(best) and all(math.isclose(payoff, 1 / len(best)) for payoff in best) and min(payoffs) >= 0
    elif declared is Scoring.TOGETHER:
        sound = payoffs in ((0.0,) * match.players, (1.0,) * match.players)
    else:
        total = trial.game.payoffs_of(match.players, match.options).total
        sound = total is None or math.isclose(sum(payoffs), total, abs_tol=1e-9)
    parties = match.parties
    sound = sound and all(payoffs[seat] == payoffs[party[0]] for party in parties for seat in party)
    demand(sound, f"the payoffs are {list(payoffs)}, but the game is declared as {declared.value}")
    low, high = trial.kind.smallest, trial.kind.largest
    demand(all(low <= payoff <= high for payoff in payoffs), f"the payoffs are {list(payoffs)}, not from {low} to {high}")
    demand(result.points is None or len(result.points) == match.players, f"points {result.points} for {match.players} seats")


def order_is_told(trial: Trial) -> None:
    """Check that the event that the game declares for the first order has named seats, each once."""
    match, declared = trial.match, trial.game.elements.first_order
    if declared in (None, CLOCKWISE) or len(match.parties) == 1:
        return
    named, order, seats = named_order(match), first_order_of(match), list(range(match.players))
    demand(bool(named), f"event {declared}, which the game declares for the first order, was not told")
    demand(
        sorted(order) == seats and named[0] in seats, f"the first order has each seat once, but event {declared} names {named}"
    )


def copies(trial: Trial) -> None:
    """Check that earlier states of a match never change, and that a copy of a match has its own state."""
    for state, was in trial.states:
        demand(hash_of(state) == was, "an earlier state of the match changed")
    twin = trial.match.copy()
    twin._states[0] = np.zeros(1, twin._states.dtype)[0]
    twin.steps.clear()
    demand(hash_of(trial.match._states) != hash_of(twin._states), "a copy of a match shares its state")
    demand(len(trial.match.steps) == len(trial.states), "a copy of a match shares its steps")


def records(trial: Trial) -> None:
    """Check that a record survives JSON and a replay unchanged, including the record of a match given up halfway."""
    _record_survives(trial.match.record(legal=True))
    _record_survives(trial.match.record())
    half = trial.match.copy()
    half.undo(min(len(half.steps), 1 + len(half.steps) // 2), revealed=True)
    _record_survives(half.record(abandoned="tried"))
    for viewer in trial.viewers():
        running = half.record(viewer)
        demand("seed" not in running and running["complete"] is False, "the record of a running match contains its seed")


def _record_survives(record: dict[str, Any]) -> None:
    legal = any("legal" in action for action in record["actions"])
    match = replay(loads(dumps(record)))
    again = match.record(legal=legal)
    demand(again == record, "the record of the replayed match differs")


Law = tuple[str, Callable[[Any], None]]

POSITION_LAWS: tuple[Law, ...] = (
    ("legal", legal_list),
    ("refusal", refusals),
    ("words", position_in_words),
    ("conceal", concealment),
    ("kind", declared_kind),
    ("sides", sides_are_a_partition),
    ("greedy", heuristics),
    ("simultaneous", lambda trial: knowledge.choices_are_sealed(trial.match, trial.draw)),
    ("simultaneous", lambda trial: knowledge.order_is_irrelevant(trial.match, trial.draw)),
)
STEP_LAWS: tuple[Law, ...] = (
    ("events", step_events),
    ("step", step_is_sound),
    ("events", replaying),
    ("reveals", revealing),
    ("undo", undoing),
    ("knowledge", step_knowledge),
)
END_LAWS: tuple[Law, ...] = (
    ("end", end_is_final),
    ("kind", order_is_told),
    ("scores", scores),
    ("copies", copies),
    ("records", records),
)
