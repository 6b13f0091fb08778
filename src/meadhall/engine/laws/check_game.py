"""check_game: test the laws that every game must keep on random matches, for built-in games and plug-ins alike.

A law is a function that raises when the game breaks it. Some laws are tested at every position of a match, some on every step,
some when a match is over. The laws about hidden information are in ``knowledge.py``. The first violation ends the check.
``check_position`` tests the laws at one position; ``shortest`` looks for a shorter match that shows the same violation.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import math
import random
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from meadhall.engine.checks import Seed, check_run_seed, seed_label
from meadhall.engine.compile.compiled import loops
from meadhall.engine.compile.loops import GREEDY
from meadhall.engine.compile.rule import INTERPRETED
from meadhall.engine.defaults import own_words
from meadhall.engine.elements import CLOCKWISE
from meadhall.engine.errors import (
    BadEvent,
    BadSetup,
    CannotUndo,
    IllegalAction,
    MalformedAction,
    MatchOver,
    MeadhallError,
    NotYourTurn,
    Refused,
)
from meadhall.engine.game import Game, Scoring
from meadhall.engine.game_faults import game_fault
from meadhall.engine.kind import Kind
from meadhall.engine.laws import hidden as knowledge
from meadhall.engine.laws import simultaneous
from meadhall.engine.laws.counterexample import ConformanceError, Example, Move
from meadhall.engine.laws.names import names_exist
from meadhall.engine.laws.words import compile_error
from meadhall.engine.match.deciders import acting
from meadhall.engine.match.first_order import first_order_of, named_order
from meadhall.engine.match.guided import guided_match
from meadhall.engine.match.match import Match
from meadhall.engine.match.step import Step
from meadhall.engine.match.view import EVERYTHING, SPECTATOR, concealed, legal_actions
from meadhall.engine.options import Choice, HouseRule
from meadhall.engine.record.format import dumps, loads
from meadhall.engine.record.replay import replay
from meadhall.engine.registry import game as find_game
from meadhall.engine.registry import registered
from meadhall.engine.state.chance import step_key
from meadhall.engine.state.events import HIDDEN, NO_LOG_SHAPE, Event
from meadhall.engine.text.daily import Daily
from meadhall.engine.text.language import LANGUAGES, speaking
from meadhall.engine.text.lessons import LEARNER, Lessons
from meadhall.engine.text.rulebook import OPEN, conditions, rule_ids, told_apart

MAX_DECISIONS = 20_000
"""The number of decisions within which random play must end a match."""

DEALS = 200
"""The number of setups that are compared for every combination of players and options."""

Progress = Callable[[int, int], None]
"""Called with the number of matches done, and of all."""

_SWEEP = 160  # action spaces up to this size are tested completely at every position, larger ones after the setup
_WINDOW = 64  # of a larger one, every later position tests the next so many actions, and as many random ones
_BRANCHES = 6  # the number of legal actions whose consequences are tested at every position
_WALKS = 60  # the number of random matches in a row without a shorter example after which the search for one ends
_NON_ACTIONS = (-1, 1 << 70, True, None, "0", 0.0, math.nan, [0], b"0")


@dataclass(frozen=True)
class FurtherLaw:
    """A law about parts of a game that the engine doesn't know, such as its page.

    Attributes:
        name: its name in ``LAWS``.
        game: tests the game; raises if it breaks the law.
        position: tests a match at a position; raises if it breaks the law.
    """

    name: str
    game: Callable[[Game], None]
    position: Callable[[Match], None]


_further: list[FurtherLaw] = []


@contextmanager
def further_law(law: FurtherLaw) -> Iterator[None]:
    """Test another law, too, within a ``with`` block."""
    _further.append(law)
    try:
        yield
    finally:
        _further.remove(law)


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


def check_game(
    game: Game,
    *,
    matches: int = 20,
    seed: Seed = "conformance",
    players: int | None = None,
    options: Mapping[str, Any] | None = None,
    progress: Progress | None = None,
) -> int:
    """Test every law on random matches with every number of players and every combination of options.

    The game is registered during the test, so that its records can be replayed.

    Args:
        game: the game.
        matches: the number of matches for each combination.
        seed: determines all matches; a text, bytes or an integer, see ``check_seed``.
        players: test only this number of players.
        options: test only these values of options.
        progress: called before each match with the number of matches done and of all, and at the end.

    Returns:
        The number of positions tested.

    Raises:
        BadSetup: the game can't be set up with these players and options.
        ConformanceError: the game breaks a law. The error names the law, the match and the position; ``shortest`` looks for
            a shorter example.

    Examples:
        >>> import meadhall
        >>> meadhall.check_game(meadhall.game("axes-and-allies"), matches=1, seed="mead")
        178
    """
    game, seed = find_game(game), seed_label(check_run_seed(seed))
    coincidences = knowledge.Coincidences()
    positions = done = 0
    chosen = list(setups(game, players, options or {}))
    with registered(game):
        _hold("words", game.name, options_have_names, game)
        _hold("words", game.name, rulebook_knows_options, game)
        if game.lessons is not None:
            _hold("lessons", f"{game.name}, {len(game.lessons.players)} players", lessons_are_sound, game, game.lessons)
        if game.daily is not None:
            _hold("daily", f"{game.name}, 1 player", daily_is_sound, game, game.daily, seed)
        _hold("compile", game.name, names_exist, game)
        _hold("kind", game.name, first_order_is_declared, game, chosen)
        for count, values in chosen:
            for number in range(matches):
                if progress:
                    progress(done, matches * len(chosen))
                positions += try_match(game, count, values, f"{seed} {number}", coincidences)
                done += 1
            place = f"{game.name}, {count} players, options {values}, many setups from seed {seed!r}"
            deals = _hold("knowledge", place, knowledge.deal_many, game, count, values, seed, DEALS, coincidences)
            _hold("knowledge", place, knowledge.setup_facts_are_kept, deals)
            _hold("redeal", place, knowledge.no_byte_is_leaked, deals)
        for law in _further:
            _hold(law.name, game.name, law.game, game)
    _hold("redeal", f"{game.name}, all matches from seed {seed!r}", knowledge.true_state_is_not_leaked, coincidences)
    if progress:
        progress(done, done)
    return positions


def setups(
    game: Game, players: int | None = None, options: Mapping[str, Any] | None = None
) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield every valid combination of a number of players and options.

    Not so for house rules, which would be too many: each of them, and all together, with the first other options that go with it.

    Args:
        players: yield only combinations with this number of players.
        options: yield only combinations with these values of options.

    Raises:
        BadSetup: the game doesn't allow these players or options.
    """
    fixed = dict(options or {})
    if fixed or players is not None:
        game.check_setup(game.min_players if players is None else players, game.fitting_options(fixed))
    names = [option.name for option in game.options]
    free = [option for option in game.options if isinstance(option, HouseRule) and option.name not in fixed]
    counts = range(game.min_players, game.max_players + 1) if players is None else (players,)
    for count in counts:
        seen: set[tuple[Any, ...]] = set()
        for values in itertools.product(*(option.values for option in game.options)):
            chosen = dict(zip(names, values, strict=True)) | fixed
            if any(chosen[name] != value for name, value in zip(names, values, strict=True) if name in fixed):
                continue
            changed = tuple((option.name, chosen[option.name]) for option in free if chosen[option.name] != option.default)
            if changed in seen or 1 < len(changed) < len(free):
                continue
            try:
                yield game.check_setup(count, chosen)
            except BadSetup:
                continue
            if changed:
                seen.add(changed)


def try_match(
    game: Game,
    players: int,
    options: dict[str, Any],
    seed: str,
    coincidences: knowledge.Coincidences | None = None,
    limit: int | None = None,
) -> int:
    """Test the laws on a random match and return the number of positions.

    Args:
        coincidences: counts a trial of ``redeal`` at a position of the match.
        limit: the number of actions after which the match is left; None for a whole match.

    Raises:
        ConformanceError: the game breaks a law. The error has an ``Example``.
    """
    place = f"{game.name}, {players} players, options {options}, seed {seed!r}"
    begin = Example(game, players, options, seed)
    trial = Trial(_hold("setup", place, _set_up, game, players, options, seed, example=begin), seed, random.Random(seed))
    with _examples(trial):
        _test_setup(trial)
        while not trial.match.over:
            seat, legal = _test_position(trial)
            if limit is not None and len(trial.match.steps) == limit:
                return len(trial.states)
            trial.match.play(trial.draw.choice(legal), seat)
            _hold("termination", trial.place, _is_not_endless, trial)
        _test_end(trial)
    if coincidences is not None:
        coincidences.sample(trial.match, trial.draw)
    return len(trial.states)


def shortest(error: ConformanceError, seconds: float = 6.0) -> ConformanceError:
    """Return the violation of the same law in the shortest match found: random matches may meet it earlier.

    Setups with few players and default options come first. The search ends after ``_WALKS`` matches in a row
    without a shorter one.

    Args:
        error: a violation; it is returned as it is if it has no example.
        seconds: the time limit.
    """
    if error.example is None:
        return error
    deadline, game, seed = time.monotonic() + seconds, error.example.game, error.example.seed
    smallest_first = sorted(setups(game), key=lambda setup: Example(game, setup[0], setup[1], seed).size)
    best, size, rest = error, error.example.size, _WALKS
    with registered(find_game(game)):
        for number, (players, options) in enumerate(itertools.cycle(smallest_first)):
            if rest == 0 or time.monotonic() > deadline:
                break
            rest -= 1
            try:
                try_match(game, players, options, f"{seed}/{number}", limit=size[0])
            except ConformanceError as found:
                if found.law == best.law and found.example is not None and found.example.size < size:
                    best, size, rest = found, found.example.size, _WALKS
    return best


def violation(example: Example) -> ConformanceError | None:
    """Return the violation at a position, None if there is none or the actions of the example are not all legal."""
    try:
        check_position(example)
    except ConformanceError as found:
        return found
    except MeadhallError:
        return None
    return None


def check_position(example: Example, attempts: int = 3) -> None:
    """Test the laws at one position: with other random draws in every attempt, and with every legal action if there are few.

    Raises:
        ConformanceError: the game breaks a law there, or while the actions of the example are played.
        Refused: an action of the example is illegal.
    """
    game, place = example.game, f"{example.game.name}, the actions {example.written}"
    with registered(find_game(game)):
        for attempt in range(attempts):
            draw = random.Random(f"{example.seed} {attempt}")
            begin = (game, example.players, dict(example.options), example.seed)
            trial = Trial(
                _hold("setup", place, _set_up, *begin, example=replace(example, moves=(), move=None)), example.seed, draw
            )
            with _examples(trial):
                if not example.moves:
                    _test_setup(trial)
                for move in example.moves:
                    trial.states.append((trial.match._states, _hash(trial.match._states)))
                    try:
                        trial.match.play(move.action, move.seat)
                    except Refused:
                        raise
                    except Exception:
                        trial.trying = move.action, trial.match.actor or 0
                        _hold("legal", trial.place, _played, trial.match, move.action, move.seat)
                        raise
                _hold("termination", trial.place, _is_not_endless, trial)
                if trial.match.over:
                    _test_end(trial)
                else:
                    _test_position(trial, _WINDOW)


@contextmanager
def _examples(trial: Trial) -> Iterator[None]:
    """Add the position of the trial to a violation."""
    try:
        yield
    except ConformanceError as error:
        if error.law != "compile":
            error.example = error.example or trial.example
        raise


def _test_setup(trial: Trial) -> None:
    _hold("setup", trial.place, setup_is_sound, trial)
    _hold("events", trial.place, setup_events, trial)


def _test_position(trial: Trial, branches: int = _BRANCHES) -> tuple[int, Sequence[int]]:
    """Test the laws at the position of the trial and on the steps that begin there. Return a seat and its legal actions."""
    trial.states.append((trial.match._states, _hash(trial.match._states)))
    for law, holds in POSITION_LAWS:
        _hold(law, trial.place, holds, trial)
    _test_further(trial)
    seat = trial.chooser()
    legal = _legal_of(trial.match, seat)
    for action in trial.draw.sample(legal, min(branches, len(legal))):
        trial.trying = action, seat
        branch = Branch(trial, _hold("legal", trial.place, _played, trial.match, action, seat))
        for law, holds in STEP_LAWS:
            _hold(law, trial.place, holds, branch)
    trial.trying = None
    return seat, legal


def _test_end(trial: Trial) -> None:
    for law, holds in END_LAWS:
        _hold(law, trial.place, holds, trial)
    _test_further(trial)


def _test_further(trial: Trial) -> None:
    for law in _further:
        _hold(law.name, trial.place, law.position, trial.match)


def _hold(law: str, place: str, holds: Callable[..., Any], *subject: Any, example: Example | None = None) -> Any:
    """Return ``holds(*subject)``. Any exception it raises counts as a violation of ``law``."""
    try:
        return holds(*subject)
    except ConformanceError:
        raise
    except knowledge.Broken as broken:
        raise ConformanceError(law, place, str(broken), example) from None
    except BadEvent as error:
        raise ConformanceError("events", place, str(error), example) from error
    except Exception as error:
        if type(error).__module__.startswith("numba."):
            raise ConformanceError("compile", place, compile_error(error), example) from error
        raise ConformanceError(law, place, _in_words(error), example) from error


def _in_words(error: Exception) -> str:
    """Return an error that a game has raised, with the innermost place in the game. Compiled rules don't tell the place."""
    fault = game_fault(error)
    told = f"{type(error).__name__}: {error}" + (f" ({fault.place})" if fault is not None else "")
    if isinstance(error, IndexError) and not INTERPRETED:
        told += "; --quick, which interprets the rules, tells the line"
    return told


demand = knowledge.demand


def _hash(states: Any) -> str:
    return hashlib.sha256(states.tobytes()).hexdigest()


def _snapshot(match: Match) -> tuple[Any, ...]:
    return match._states.tobytes(), len(match.steps), len(match.undone), match.next_number


def _played(match: Match, action: int, seat: int | None = None) -> Match:
    after = match.copy()
    after.play(action, seat)
    return after


def _legal_of(match: Match, seat: int) -> tuple[int, ...]:
    """Return the legal actions of a seat in the complete state."""
    return legal_actions(match.game, acting(match.game, match._states, seat))


# ----------------------------------------------------------------------------------------------------------------- lessons


def options_have_names(game: Game) -> None:
    """Check that people read a name, not an id, for each option and each of its values."""
    for option in game.options:
        demand(option.title.strip() not in ("", option.name), f"option {option.name} has no title, its name for people")
        for value in option.values:
            named = option.label(value).strip() not in ("", value)
            demand(named, f"value {value} of option {option.name} has no name for people: give a pair, (name, sentence)")


def rulebook_knows_options(game: Game) -> None:
    """Check that in every language the texts of exactly the rules that an option names depend on the option."""
    choices = {option.name: option for option in game.options if isinstance(option, Choice)}
    names = game.at_table(game.check_options({})) if game.at_table else {}
    for language in LANGUAGES:
        with speaking(language):
            for name, value in conditions(game):
                known = name in names or (name in choices and value in (OPEN, *choices[name].values))
                demand(known, f"the rulebook ({language}) asks for {name}={value}, which is no option and value")
            for option in choices.values():
                told = set().union(*(told_apart(game, *pair) for pair in _pairs(game, option)))
                wrong = ", ".join(sorted(told ^ set(option.rules)))
                demand(not wrong, f"the text ({language}) or the declaration `rules` of option {option.name} lacks {wrong}")


def _pairs(game: Game, option: Choice) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Yield the options of two tables, with each value of an option and with its default, beside all that are no house rules."""
    plain = [each for each in game.options if isinstance(each, Choice) and not isinstance(each, HouseRule)]
    others = [each for each in plain if each is not option]
    for values in itertools.product(*(each.values for each in others), option.values):
        beside = dict(zip([each.name for each in others], values, strict=False))
        try:
            yield game.check_options(beside | {option.name: values[-1]}), game.check_options(beside)
        except BadSetup:
            continue


def lessons_are_sound(game: Game, lessons: Lessons) -> None:
    """Check that lessons can be played as scripted, ask only the learner for actions, and cite rules of the rulebook."""
    match = guided_match(game)
    for number, (lesson, position) in enumerate(zip(lessons.lessons, lessons.positions, strict=True), 1):
        demand(bool(lesson.words.strip()), f"lesson {number} has no words")
        demand(lesson.rule in ("", *rule_ids(game)), f"lesson {number} cites rule {lesson.rule!r}, which the rulebook lacks")
        asked = lesson.action is None or match.view_at(position).actor == LEARNER
        demand(asked, f"lesson {number} asks for an action when it is not the learner's turn")
    demand(lessons.lessons[-1].action is None, "the last lesson asks for an action")


def daily_is_sound(game: Game, daily: Daily, seed: str) -> None:
    """Check that one player can play the puzzle to its end, and that it reports the figures it declares at every position."""
    match, draw = _set_up(game, 1, dict(daily.options), seed), random.Random(seed)
    named = [figure.name for figure in daily.figures]
    while not match.over:
        match.play(draw.choice(match.legal()))
        figures = daily.measure(match)
        demand(list(figures) == named, f"it declares the figures {named} and measures {list(figures)}")
        daily.order(figures)
        for figure in daily.figures:
            value = figures[figure.name]
            demand(type(value) is int, f"the figure {figure.name} is {value!r}, not an integer")
            demand(0 <= value <= (figure.most or value), f"the figure {figure.name} is {value}; its maximum is {figure.most}")


def first_order_is_declared(game: Game, chosen: Sequence[tuple[int, Mapping[str, Any]]]) -> None:
    """Check that a game with rivals tells who has the first turn: reports compare places in this order."""
    rivals = any(len(game.parties(count, values)) > 1 for count, values in chosen)
    demand(
        game.elements.first_order is not None or not rivals,
        "the game doesn't declare who has the first turn: Game(…, elements=Elements(first_order=…)) with the number of the event "
        "that names the first seat, or all seats in their order; or with CLOCKWISE, from the seat that decides first",
    )


# ------------------------------------------------------------------------------------------------------------------- setup


def _set_up(game: Game, players: int, options: dict[str, Any], seed: str) -> Match:
    return Match(game, players=players, seed=seed, options=options)


def setup_is_sound(trial: Trial) -> None:
    """Check that setup keeps the number of players, ends with a decision or the end, and depends on the seed alone."""
    match = trial.match
    actor_is_sound(match)
    again = _set_up(trial.game, match.players, match.options, trial.seed)
    demand(again._states.tobytes() == match._states.tobytes(), "a second setup from the same seed gives another state")
    demand(again.setup == match.setup, "a second setup from the same seed gives other events")


def actor_is_sound(match: Match) -> None:
    """Check that the actor is a seat or -1, and that the number of players is constant."""
    actor, players = int(match._states["actor"][0]), int(match._states["players"][0])
    demand(players == match.players, f"`players` is {players}, but the match has {match.players}")
    demand(match.players > actor >= -1, f"`actor` is {actor}; it must be a seat, or -1 when the match is over")
    simultaneous.actor_is_a_decider(match)


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
    legal = set(_legal_of(match, chooser))
    for action in _illegal(trial, legal):
        refused = _refusal(match, action, chooser, IllegalAction)
        demand(bool(refused.reason.strip()), f"action {action} is illegal, but the refusal has no text")
        demand(
            _is_known(trial.game, refused.rule, "refusal"),
            f"action {action} is refused by rule {refused.rule!r}, which the rulebook lacks",
        )
    for what in (*_NON_ACTIONS, trial.game.actions):
        _refusal(match, what, chooser, MalformedAction)
    for seat in range(match.players):
        if seat not in match.deciders:
            _refusal(match, min(legal), seat, NotYourTurn)
    demand(_snapshot(match) == before, "a refused action changed the match")


def _is_known(game: Game, rule: str, hook: str) -> bool:
    """Return whether the rulebook has a rule. "" is right for a game without a rulebook, and for default words."""
    return rule in rule_ids(game) if rule else not rule_ids(game) or not hasattr(own_words(game.words), hook)


def _illegal(trial: Trial, legal: set[int]) -> list[int]:
    actions = range(trial.game.actions)
    if len(actions) > _SWEEP and trial.match.steps:
        near = {a + d for a in legal for d in (-1, 1)} | {0, len(actions) - 1}
        first = len(trial.match.steps) * _WINDOW
        window = {action % len(actions) for action in range(first, first + _WINDOW)}
        actions = sorted((near & set(actions)) | window | set(trial.draw.sample(actions, _WINDOW)))  # type: ignore[assignment]
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


def choices_are_sealed(trial: Trial) -> None:
    """Check that no other seat can tell which action a seat has chosen while others have still to choose."""
    simultaneous.choices_are_sealed(trial.match, trial.draw)


def order_is_irrelevant(trial: Trial) -> None:
    """Check that simultaneous choices have the same result in every order."""
    simultaneous.order_is_irrelevant(trial.match, trial.draw)


def heuristics(trial: Trial) -> None:
    """Check that the greedy player chooses a legal action and uses no hidden information."""
    if trial.game.greedy is None:
        return
    seat = trial.chooser()
    view = concealed(trial.game, trial.match._states, seat)
    rng = np.array([trial.draw.getrandbits(64), 1], np.uint64)
    chosen = int(loops(trial.game).follow_one(GREEDY, view, np.zeros(trial.game.actions, np.int32), rng))
    legal = _legal_of(trial.match, seat)
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
    again = _played(branch.trial.match, branch.step.action, branch.step.seat)
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
    demand(_is_known(match.game, rule, "event"), f"{event} cites rule {rule!r}, which the rulebook lacks")
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


def _is_not_endless(trial: Trial) -> None:
    count, declared = len(trial.match.steps), trial.kind.max_length
    demand(count <= MAX_DECISIONS, f"random play has not ended after {MAX_DECISIONS} decisions")
    demand(declared is None or count <= declared, f"a match has {count} decisions; the game is declared with at most {declared}")


def end_is_final(trial: Trial) -> None:
    """Check that nothing can be played in a finished match, and that its ending has a text and a rule."""
    match = trial.match
    before = _snapshot(match)
    refused = _refusal(match, 0, None, MatchOver)
    demand(_is_known(trial.game, refused.rule, "ending"), f"the match ended by rule {refused.rule!r}, which the rulebook lacks")
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
    if declared is Scoring.RIVALS:
        best = [payoff for payoff in payoffs if payoff > 0]
        sound = bool(best) and all(math.isclose(payoff, 1 / len(best)) for payoff in best) and min(payoffs) >= 0
    elif declared is Scoring.TOGETHER:
        sound = payoffs in ((0.0,) * match.players, (1.0,) * match.players)
    elif declared is Scoring.SIDES:
        best = [payoffs[party[0]] for party in match.parties if payoffs[party[0]] > 0]
        sound = bool(best) and all(math.isclose(payoff, 1 / len(best)) for payoff in best) and min(payoffs) >= 0
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
        demand(_hash(state) == was, "an earlier state of the match changed")
    twin = trial.match.copy()
    twin._states[0] = np.zeros(1, twin._states.dtype)[0]
    twin.steps.clear()
    demand(_hash(trial.match._states) != _hash(twin._states), "a copy of a match shares its state")
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
    ("simultaneous", choices_are_sealed),
    ("simultaneous", order_is_irrelevant),
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
