"""check_game: the laws that every game keeps, ours or a plug-in's, tried on random matches.

A law is a function that raises when the game breaks it. Some are tried at every position of a match, some on every step, some
when a match is over; those about what seats may know are in ``knowledge.py``. The first violation ends the check.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import math
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from meadhall.engine import knowledge
from meadhall.engine.chance import step_key
from meadhall.engine.compiled import loops
from meadhall.engine.daily import Daily
from meadhall.engine.errors import (
    BadSetup,
    CannotUndo,
    ConformanceError,
    IllegalAction,
    MalformedAction,
    MatchOver,
    NotYourTurn,
    Refused,
)
from meadhall.engine.events import NO_LOG_SHAPE, NOBODY, Event
from meadhall.engine.game import Game, Scoring, registered
from meadhall.engine.game import game as find_game
from meadhall.engine.lessons import LEARNER, Lessons
from meadhall.engine.loops import GREEDY
from meadhall.engine.match import Match, Step
from meadhall.engine.record.format import dumps, loads
from meadhall.engine.record.replay import replay
from meadhall.engine.rulebook import rule_ids
from meadhall.engine.view import SPECTATOR, concealed, legal_actions

LONGEST = 20_000
"""Decisions within which random play must have ended a match."""

DEALS = 200
"""Setups that are compared, of every combination of players and options."""

_SWEEP = 64  # action spaces up to this size are tried whole at every position, larger ones at the first and the last
_BRANCHES = 6  # legal actions whose consequences are looked at, at every position
_NO_ACTIONS = (-1, 1 << 70, True, None, "0", 0.0, math.nan, [0], b"0")


@dataclass
class Trial:
    """One match under trial."""

    match: Match
    seed: str
    draw: random.Random
    states: list[tuple[Any, str]] = field(default_factory=list)  # every state there was, and its hash then

    @property
    def game(self) -> Game:
        return self.match.game

    @property
    def place(self) -> str:
        at = f"after action {self.match.steps[-1].n}" if self.match.steps else "after the setup"
        return f"{self.game.name}, {self.match.players} players, options {self.match.options}, seed {self.seed!r}, {at}"

    def viewers(self) -> range:
        """A spectator and every seat."""
        return range(SPECTATOR, self.match.players)


@dataclass(frozen=True)
class Branch:
    """A step under trial: ``after`` is a copy of the match in which it was the last one."""

    trial: Trial
    after: Match

    @property
    def step(self) -> Step:
        return self.after.steps[-1]


def check_game(game: Game, *, matches: int = 20, seed: str = "conformance") -> int:
    """Try every law on random matches with every number of players and every combination of options.

    While they are tried the game is registered, so that its records can be replayed.

    Args:
        matches: how many for each combination.
        seed: a text from which all matches follow.

    Returns:
        The number of positions that were examined.

    Raises:
        ConformanceError: the game breaks a law; says which, in what match and where.
    """
    game = find_game(game)
    coincidences = knowledge.Coincidences()
    positions = 0
    with registered(game):
        if game.lessons is not None:
            _hold("lessons", f"{game.name}, {len(game.lessons.players)} players", lessons_are_sound, game, game.lessons)
        if game.daily is not None:
            _hold("daily", f"{game.name}, 1 player", daily_is_sound, game, game.daily, seed)
        for players, options in setups(game):
            for number in range(matches):
                positions += _try_match(game, players, options, f"{seed} {number}", coincidences)
            place = f"{game.name}, {players} players, options {options}, many setups from seed {seed!r}"
            deals = knowledge.deal_many(game, players, options, seed, DEALS, coincidences)
            _hold("knowledge", place, knowledge.what_setups_tell, deals)
            _hold("redeal", place, knowledge.no_part_is_foreseen, deals)
    _hold("redeal", f"{game.name}, all matches from seed {seed!r}", knowledge.truth_is_not_foreseen, coincidences)
    return positions


def setups(game: Game) -> Iterator[tuple[int, dict[str, Any]]]:
    """Every number of players with every combination of options that goes with it."""
    names = [option.name for option in game.options]
    for players in range(game.min_players, game.max_players + 1):
        for values in itertools.product(*(option.values for option in game.options)):
            options = dict(zip(names, values, strict=True))
            try:
                yield game.check_setup(players, options)
            except BadSetup:
                continue


def _try_match(game: Game, players: int, options: dict[str, Any], seed: str, coincidences: knowledge.Coincidences) -> int:
    place = f"{game.name}, {players} players, options {options}, seed {seed!r}"
    trial = Trial(_hold("setup", place, _set_up, game, players, options, seed), seed, random.Random(seed))
    _hold("setup", trial.place, setup_is_sound, trial)
    _hold("events", trial.place, setup_events, trial)
    while not trial.match.over:
        trial.states.append((trial.match._states, _hash(trial.match._states)))
        for law, holds in POSITION_LAWS:
            _hold(law, trial.place, holds, trial)
        legal = legal_actions(game, trial.match._states)
        for action in trial.draw.sample(legal, min(_BRANCHES, len(legal))):
            branch = Branch(trial, _hold("legal", trial.place, _played, trial.match, action))
            for law, holds in STEP_LAWS:
                _hold(law, f"{trial.place}, playing {action}", holds, branch)
        trial.match.play(trial.draw.choice(legal))
        _hold("termination", trial.place, _is_not_endless, trial)
    for law, holds in END_LAWS:
        _hold(law, trial.place, holds, trial)
    coincidences.look_at(trial.match, trial.draw)
    return len(trial.states)


def _hold(law: str, place: str, holds: Callable[..., Any], *subject: Any) -> Any:
    """``holds(*subject)``; whatever it raises breaks ``law``."""
    try:
        return holds(*subject)
    except ConformanceError:
        raise
    except knowledge.Broken as broken:
        raise ConformanceError(law, place, str(broken)) from None
    except Exception as error:
        raise ConformanceError(law, place, f"{type(error).__name__}: {error}") from error


demand = knowledge.demand


def _hash(states: Any) -> str:
    return hashlib.sha256(states.tobytes()).hexdigest()


def _snapshot(match: Match) -> tuple[Any, ...]:
    return match._states.tobytes(), len(match.steps), len(match.undone), match.next_number


def _played(match: Match, action: int) -> Match:
    after = match.copy()
    after.play(action)
    return after


# ----------------------------------------------------------------------------------------------------------------- lessons


def lessons_are_sound(game: Game, lessons: Lessons) -> None:
    """They can be played as written down, ask only the learner for an action, and cite rules that the rulebook explains."""
    match = lessons.match(game)
    for number, (lesson, position) in enumerate(zip(lessons.lessons, lessons.positions, strict=True), 1):
        demand(bool(lesson.words.strip()), f"lesson {number} has no words")
        demand(lesson.rule in ("", *rule_ids(game)), f"lesson {number} is about rule {lesson.rule!r}, which the rulebook lacks")
        asked = lesson.action is None or match.view_at(position).actor == LEARNER
        demand(asked, f"lesson {number} asks for an action when the learner is not to decide")
    demand(lessons.lessons[-1].action is None, "the last lesson asks for an action")


def daily_is_sound(game: Game, daily: Daily, seed: str) -> None:
    """One player alone can play it to its end, and at every moment it is measured by the figures that it names."""
    match, draw = _set_up(game, 1, dict(daily.options), seed), random.Random(seed)
    named = [figure.name for figure in daily.figures]
    while not match.over:
        match.play(draw.choice(match.legal()))
        figures = daily.measure(match)
        demand(list(figures) == named, f"it names the figures {named} and measures {list(figures)}")
        daily.order(figures)
        for figure in daily.figures:
            value = figures[figure.name]
            demand(type(value) is int, f"the figure {figure.name} is {value!r}, no integer")
            demand(0 <= value <= (figure.most or value), f"the figure {figure.name} is {value}; at most it is {figure.most}")


# ------------------------------------------------------------------------------------------------------------------- setup


def _set_up(game: Game, players: int, options: dict[str, Any], seed: str) -> Match:
    return Match(game, players=players, seed=seed, options=options)


def setup_is_sound(trial: Trial) -> None:
    """Setup keeps the number of players, ends with a decision or the end, and follows from the seed alone."""
    match = trial.match
    actor_is_sound(match)
    again = _set_up(trial.game, match.players, match.options, trial.seed)
    demand(again._states.tobytes() == match._states.tobytes(), "set up again from the same seed, the state is another")
    demand(again.setup == match.setup, "set up again from the same seed, the events are others")


def actor_is_sound(match: Match) -> None:
    """The actor is a seat, or -1; the number of players stays."""
    actor, players = int(match._states["actor"][0]), int(match._states["players"][0])
    demand(players == match.players, f"`players` is {players}, but {match.players} play")
    demand(match.players > actor >= -1, f"`actor` is {actor}; it is a seat, or -1 when the match is over")


# --------------------------------------------------------------------------------------------------------- at every position


def legal_list(trial: Trial) -> None:
    """Legal lists are ascending, not empty, the same for who knows only what the actor knows, and change nothing."""
    match, game = trial.match, trial.game
    before = match._states.tobytes()
    out = np.zeros(game.actions, np.int32)
    count = int(loops(game).legal_one(match._states, out))
    demand(match._states.tobytes() == before, "asking for the legal actions changed the state")
    demand(count > 0, f"seat {match.actor} is to decide, and nothing is legal")
    demand(count <= game.actions, f"{count} legal actions, but the action space has only {game.actions}")
    legal = out[:count].tolist()
    demand(legal == sorted(set(legal)), f"the legal actions don't ascend: {legal}")
    demand(legal[0] >= 0 and legal[-1] < game.actions, f"legal actions outside 0 to {game.actions - 1}: {legal}")
    view = match.view(match.actor)
    demand(list(view.legal) == legal, f"legal are {legal}, but to the actor, who can't see all, {list(view.legal)} seem so")
    for action in legal:
        against = view.refusal(action)
        demand(against == ("", ""), f"action {action} is on the legal list, but the refusal says {against}")


def refusals(trial: Trial) -> None:
    """Every integer that is not legal is refused, for a reason that the rulebook explains, and nothing changes."""
    match = trial.match
    before = _snapshot(match)
    legal = set(legal_actions(trial.game, match._states))
    for action in _illegal(trial, legal):
        refused = _refusal(match, action, match.actor, IllegalAction)
        demand(bool(refused.reason.strip()), f"action {action} is not on the legal list, and no words say why")
        known = refused.rule in rule_ids(trial.game)
        demand(known, f"action {action} is refused by rule {refused.rule!r}, which the rulebook lacks")
    for what in (*_NO_ACTIONS, trial.game.actions):
        _refusal(match, what, match.actor, MalformedAction)
    for seat in range(match.players):
        if seat != match.actor:
            _refusal(match, min(legal), seat, NotYourTurn)
    demand(_snapshot(match) == before, "a refused action changed the match")


def _illegal(trial: Trial, legal: set[int]) -> list[int]:
    actions = range(trial.game.actions)
    if len(actions) > _SWEEP and trial.match.steps:
        near = {a + d for a in legal for d in (-1, 1)} | {0, len(actions) - 1}
        actions = sorted((near & set(actions)) | set(trial.draw.sample(actions, _SWEEP)))  # type: ignore[assignment]
    return [action for action in actions if action not in legal]


def _refusal(match: Match, action: Any, seat: int | None, kind: type[Refused]) -> Refused:
    try:
        match.play(action, seat)
    except kind as refused:
        return refused
    except Refused as refused:
        raise knowledge.Broken(f"{action!r} of seat {seat} is refused as {type(refused).__name__}, not {kind.__name__}") from None
    raise knowledge.Broken(f"{action!r} of seat {seat} was played, though it is to be refused ({kind.__name__})")


def position_in_words(trial: Trial) -> None:
    """Every legal action and every viewer's prompt has words; what a viewer is given can be written as JSON."""
    for action in trial.match.legal():
        demand(isinstance(action.text, str) and bool(action.text.strip()), f"action {action.action} has no words")
    for viewer in trial.viewers():
        view = trial.match.view(viewer)
        demand(bool(view.prompt().strip()), f"the prompt for viewer {viewer} is empty")
        json.dumps(view.to_dict(), allow_nan=False)


def concealment(trial: Trial) -> None:
    """What is concealed stays so, the generator first; a redeal fills it with what the viewer can't tell from the truth."""
    for viewer in trial.viewers():
        knowledge.concealing_is_idempotent(trial.match, viewer)
        knowledge.redealing_is_consistent(trial.match, viewer, trial.draw)


def heuristics(trial: Trial) -> None:
    """The greedy player chooses a legal action, and is not led by what it can't see."""
    if trial.game.greedy is None:
        return
    view = concealed(trial.game, trial.match._states, trial.match.actor or 0)
    rng = np.array([trial.draw.getrandbits(64), 1], np.uint64)
    chosen = int(loops(trial.game).follow_one(GREEDY, view, np.zeros(trial.game.actions, np.int32), rng))
    legal = legal_actions(trial.game, trial.match._states)
    demand(chosen in legal, f"greedy chooses {chosen}; legal are {list(legal)}")


# ------------------------------------------------------------------------------------------------------------- at every step


def step_is_sound(branch: Branch) -> None:
    """A legal action leads to a decision or to the end, always to the same, whether or not anybody listens."""
    actor_is_sound(branch.after)
    step, key = branch.step, step_key(branch.after.seed, branch.step.n)
    silent = step.before.copy()
    silent["rng"][0] = key
    loops(branch.trial.game).play_one(silent, step.action, np.zeros(NO_LOG_SHAPE, np.int32))
    demand(silent.tobytes() == branch.after._states.tobytes(), "without a log the same action leads to another state")


def replaying(branch: Branch) -> None:
    """The same action from the same state gives the same events."""
    again = _played(branch.trial.match, branch.step.action)
    demand(again.steps[-1].events == branch.step.events, "played again, the events are others")


def revealing(branch: Branch) -> None:
    """``reveals`` never falls, and rises when chance was drawn: an undo must not be free then."""
    before, after = int(branch.step.before["reveals"][0]), int(branch.after._states["reveals"][0])
    demand(after >= before, f"`reveals` fell from {before} to {after}")
    rolled = tuple(branch.after._states["rng"][0].tolist()) != step_key(branch.after.seed, branch.step.n)
    demand(after > before or not rolled, "chance was drawn, but `reveals` has not risen")


def step_events(branch: Branch) -> None:
    """Every event has a rule that the rulebook explains, the arguments it is declared with, words, and an audience."""
    for event in branch.step.events:
        _event_is_sound(branch.after, event)


def setup_events(trial: Trial) -> None:
    """As for the events of a step."""
    for event in trial.match.setup:
        _event_is_sound(trial.match, event)


def _event_is_sound(match: Match, event: Event) -> None:
    kind = match.game.events[event.kind]
    given, declared = len(event.arguments), len(kind.arguments)
    demand(given == declared or (given > declared and kind.rest is not None), f"{event} is declared with {declared} arguments")
    demand(json.loads(json.dumps(event.to_list())) == event.to_list(), f"{event} can't be written as JSON")
    demand(NOBODY <= event.audience < match.players, f"{event} is for {event.audience}, who is nobody here")
    rule = kind.rule_of(event.arguments)
    demand(rule in rule_ids(match.game), f"{event} follows from rule {rule!r}, which the rulebook lacks")
    demand(bool(match.in_words(event).strip()), f"{event} has no words")


def step_knowledge(branch: Branch) -> None:
    """What a viewer can't see changes nothing for them, until an event tells them."""
    for viewer in branch.trial.viewers():
        knowledge.step_tells_what_it_shows(branch.trial.match, branch.after, viewer, branch.trial.draw)


def taking_back(branch: Branch) -> None:
    """An action taken back leaves the state as it was, but for what is remembered, and its number is not used again."""
    match = branch.after.copy()
    number, before = match.next_number, match.steps[-1].before
    free = match.can_undo()
    try:
        match.undo()
        demand(free, "an undo past a revelation was free")
    except CannotUndo:
        demand(not free, "an undo was refused, though nothing had been revealed")
        match.undo(revealed=True)
    same = match._states.tobytes() == before.tobytes()
    demand(same or (not free and match.game.recall is not None), "after an undo the state is not as it was")
    earlier = match.supposing(before)
    demand(match.view(match.actor).legal == earlier.view(earlier.actor).legal, "after an undo other actions are legal")
    demand(match.next_number == number, "after an undo a number is used again")


# ---------------------------------------------------------------------------------------------------- when a match is over


def _is_not_endless(trial: Trial) -> None:
    demand(len(trial.match.steps) <= LONGEST, f"random play has not ended after {LONGEST} decisions")


def end_is_final(trial: Trial) -> None:
    """When it is over nothing can be played, and the ending has words and a rule."""
    match = trial.match
    before = _snapshot(match)
    refused = _refusal(match, 0, None, MatchOver)
    demand(refused.rule in rule_ids(trial.game), f"the match ended by rule {refused.rule!r}, which the rulebook lacks")
    demand(_snapshot(match) == before, "a refused action changed the match")
    for viewer in trial.viewers():
        demand(bool(match.view(viewer).prompt().strip()), f"the prompt for viewer {viewer} is empty")
    _, how = trial.game.words.ending(match.state)
    demand(bool(how.strip()), "no words say how the match ended")


def scores(trial: Trial) -> None:
    """Scores are as the game declares: rivals share 1, a company has all or nothing, of two sides one has 1 or both 1/2."""
    match = trial.match
    result = match.result()
    assert result is not None
    payoffs = result.scores
    declared = trial.game.scoring_of(match.options)
    if declared is Scoring.RIVALS:
        best = [payoff for payoff in payoffs if payoff > 0]
        sound = bool(best) and all(math.isclose(payoff, 1 / len(best)) for payoff in best) and min(payoffs) >= 0
    elif declared is Scoring.TOGETHER:
        sound = payoffs in ((0.0,) * match.players, (1.0,) * match.players)
    else:
        sound = set(payoffs) in ({0.0, 1.0}, {0.5})
    parties = trial.game.parties(match.players, match.options)
    sound = sound and all(payoffs[seat] == payoffs[party[0]] for party in parties for seat in party)
    demand(sound, f"the scores are {list(payoffs)}, but the game is declared as {declared.value}")
    demand(result.points is None or len(result.points) == match.players, f"points {result.points} for {match.players} seats")


def copies(trial: Trial) -> None:
    """A state that has been is never touched again; a copy of a match has its own."""
    for state, was in trial.states:
        demand(_hash(state) == was, "a state changed after it had been played on from")
    twin = trial.match.copy()
    twin._states[0] = np.zeros(1, twin._states.dtype)[0]
    twin.steps.clear()
    demand(_hash(trial.match._states) != _hash(twin._states), "a copy of a match shares its state")
    demand(len(trial.match.steps) == len(trial.states), "a copy of a match shares its steps")


def records(trial: Trial) -> None:
    """A record goes through JSON, is replayed, and gives the same record; half a match too, given up."""
    _record_returns(trial.match.record(legal=True))
    _record_returns(trial.match.record())
    half = trial.match.copy()
    half.undo(min(len(half.steps), 1 + len(half.steps) // 2), revealed=True)
    _record_returns(half.record(abandoned="tried"))
    for viewer in trial.viewers():
        running = half.record(viewer)
        demand("seed" not in running and running["complete"] is False, "the record of a running match gives its seed away")


def _record_returns(record: dict[str, Any]) -> None:
    legal = any("legal" in action for action in record["actions"])
    match = replay(loads(dumps(record)))
    again = match.record(legal=legal)
    demand(again == record, "replayed, a record is another")


Law = tuple[str, Callable[[Any], None]]

POSITION_LAWS: tuple[Law, ...] = (
    ("legal", legal_list),
    ("refusal", refusals),
    ("words", position_in_words),
    ("conceal", concealment),
    ("greedy", heuristics),
)
STEP_LAWS: tuple[Law, ...] = (
    ("events", step_events),
    ("step", step_is_sound),
    ("events", replaying),
    ("reveals", revealing),
    ("undo", taking_back),
    ("knowledge", step_knowledge),
)
END_LAWS: tuple[Law, ...] = (
    ("end", end_is_final),
    ("scores", scores),
    ("copies", copies),
    ("records", records),
)
