"""check_game: test the laws that every game must keep on random matches, for built-in games and plug-ins alike.

The laws about a game's declaration are in ``declaration_laws.py``, those about positions, steps and ends of matches in
``match_laws.py``, and those about hidden information in ``knowledge.py``. The first violation ends the check.
``check_position`` tests the laws at one position; ``shortest`` looks for a shorter match that shows the same violation.
"""

from __future__ import annotations

import itertools
import random
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from meadhall.engine.checks import Seed, check_run_seed, seed_label
from meadhall.engine.compile.rule import INTERPRETED
from meadhall.engine.errors import (
    BadEvent,
    BadSetup,
    MeadhallError,
    Refused,
)
from meadhall.engine.game import Game
from meadhall.engine.laws import knowledge
from meadhall.engine.laws.counterexample import ConformanceError, Example, compile_error
from meadhall.engine.laws.declaration_laws import (
    daily_is_sound,
    first_order_is_declared,
    lessons_are_sound,
    names_exist,
    options_have_names,
    rulebook_knows_options,
)
from meadhall.engine.laws.match_laws import (
    END_LAWS,
    POSITION_LAWS,
    STEP_LAWS,
    WINDOW,
    Branch,
    Trial,
    hash_of,
    is_not_endless,
    legal_of,
    played,
    setup_events,
    setup_is_sound,
)
from meadhall.engine.match.match import Match
from meadhall.engine.options import HouseRule
from meadhall.engine.registry import game as find_game, game_fault, registered

DEALS = 200
"""The number of setups that are compared for every combination of players and options."""

Progress = Callable[[int, int], None]
"""Called with the number of matches done, and of all."""

_BRANCHES = 6  # the number of legal actions whose consequences are tested at every position
_WALKS = 60  # the number of random matches in a row without a shorter example after which the search for one ends


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

    Not so for house rules and numbers of the rules, which would be too many: each of them (a number at its bounds), and all
    together, with the first other options that go with it.

    Args:
        players: yield only combinations with this number of players.
        options: yield only combinations with these values of options.

    Raises:
        BadSetup: the game doesn't allow these players or options.
    """
    fixed = dict(options or {})
    if fixed or players is not None:
        game.check_setup(game.min_players if players is None else players, game.fitting_options(fixed))
    free = [option for option in game.options if isinstance(option, HouseRule) and option.name not in fixed]
    plain = {option.name: option.values for option in game.options if option not in free and option.name not in fixed}
    others = {option.name: option.tried[1:] for option in free if len(option.tried) > 1}
    changes = [{name: value} for name, values in others.items() for value in values]
    changes += [{name: values[end] for name, values in others.items()} for end in (0, -1)]
    for count in range(game.min_players, game.max_players + 1) if players is None else (players,):
        yield from (
            found for values in itertools.product(*plain.values()) if (found := _setup(game, count, plain, values, fixed))
        )
        for change in (each for k, each in enumerate(changes) if each and each not in changes[:k]):
            tables = (_setup(game, count, plain, values, fixed | change) for values in itertools.product(*plain.values()))
            yield from itertools.islice(filter(None, tables), 1)


def _setup(
    game: Game, players: int, names: Iterable[str], values: Iterable[Any], others: Mapping[str, Any]
) -> tuple[int, dict[str, Any]] | None:
    """Return a number of players and checked options; None if the game can't be set up with them."""
    try:
        return game.check_setup(players, {**dict(zip(names, values, strict=True)), **others})
    except BadSetup:
        return None


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
    setting_up = partial(Match, game, players=players, seed=seed, options=options)
    trial = Trial(_hold("setup", place, setting_up, example=begin), seed, random.Random(seed))
    with _examples(trial):
        _test_setup(trial)
        while not trial.match.over:
            seat, legal = _test_position(trial)
            if limit is not None and len(trial.match.steps) == limit:
                return len(trial.states)
            trial.match.play(trial.draw.choice(legal), seat)
            _hold("termination", trial.place, is_not_endless, trial)
        _test_end(trial)
    if coincidences is not None:
        coincidences.sample(trial.match, trial.draw)
    return len(trial.states)


def shortest(
    error: ConformanceError, seconds: float = 6.0, players: int | None = None, options: Mapping[str, Any] | None = None
) -> ConformanceError:
    """Return the violation of the same law in the shortest match found: random matches may meet it earlier.

    Setups with few players and default options come first. The search ends after ``_WALKS`` matches in a row
    without a shorter one.

    Args:
        error: a violation; it is returned as it is if it has no example.
        seconds: the time limit.
        players: search only matches with this number of players.
        options: search only matches with these values of options.
    """
    if error.example is None:
        return error
    deadline, game, seed = time.monotonic() + seconds, error.example.game, error.example.seed
    smallest_first = sorted(setups(game, players, options), key=lambda setup: Example(game, setup[0], setup[1], seed).size)
    best, size, rest = error, error.example.size, _WALKS
    with registered(find_game(game)):
        for number, setup in enumerate(itertools.cycle(smallest_first)):
            if rest == 0 or time.monotonic() > deadline:
                break
            rest -= 1
            try:
                try_match(game, *setup, f"{seed}/{number}", limit=size[0])
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
            setting_up = partial(Match, game, players=example.players, seed=example.seed, options=dict(example.options))
            trial = Trial(_hold("setup", place, setting_up, example=replace(example, moves=(), move=None)), example.seed, draw)
            with _examples(trial):
                if not example.moves:
                    _test_setup(trial)
                for move in example.moves:
                    trial.states.append((trial.match._states, hash_of(trial.match._states)))
                    try:
                        trial.match.play(move.action, move.seat)
                    except Refused:
                        raise
                    except Exception:
                        trial.trying = move.action, trial.match.actor or 0
                        _hold("legal", trial.place, played, trial.match, move.action, move.seat)
                        raise
                _hold("termination", trial.place, is_not_endless, trial)
                if trial.match.over:
                    _test_end(trial)
                else:
                    _test_position(trial, WINDOW)


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
    trial.states.append((trial.match._states, hash_of(trial.match._states)))
    for law, holds in POSITION_LAWS:
        _hold(law, trial.place, holds, trial)
    _test_further(trial)
    seat = trial.chooser()
    legal = legal_of(trial.match, seat)
    for action in trial.draw.sample(legal, min(branches, len(legal))):
        trial.trying = action, seat
        branch = Branch(trial, _hold("legal", trial.place, played, trial.match, action, seat))
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
