"""The games of Meadhall as Python games of OpenSpiel."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pyspiel

from meadhall.engine.game import Game
from meadhall.envs.openspiel.observer import Observer
from meadhall.envs.openspiel.parameters import setup_of, specification
from meadhall.envs.openspiel.position import MAX_OUTCOMES, Position, Setting

_UTILITIES = {
    "zero-sum": pyspiel.GameType.Utility.ZERO_SUM,
    "constant-sum": pyspiel.GameType.Utility.CONSTANT_SUM,
    "general-sum": pyspiel.GameType.Utility.GENERAL_SUM,
    "identical": pyspiel.GameType.Utility.IDENTICAL,
}


def short_name(game: Game) -> str:
    """Return the name of a game in OpenSpiel, e.g. ``python_meadhall_viking_axes``."""
    return f"python_meadhall_{game.name.replace('-', '_')}"


def game_type(game: Game, setting: Setting) -> Any:
    """Return what OpenSpiel knows of a game with this number of players and these options."""
    kind = setting.kind
    simultaneous = kind.dynamics == "simultaneous"
    perfect = kind.information == "perfect"
    return pyspiel.GameType(
        short_name=short_name(game),
        long_name=game.title,
        dynamics=pyspiel.GameType.Dynamics.SIMULTANEOUS if simultaneous else pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=(
            pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC if kind.chance else pyspiel.GameType.ChanceMode.DETERMINISTIC
        ),
        information=(
            pyspiel.GameType.Information.PERFECT_INFORMATION if perfect else pyspiel.GameType.Information.IMPERFECT_INFORMATION
        ),
        utility=_UTILITIES[kind.payoffs],
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        max_num_players=game.max_players,
        min_num_players=game.min_players,
        provides_information_state_string=True,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=True,
        provides_factored_observation_string=True,
        parameter_specification=specification(game),
    )


def _utility_sum(setting: Setting) -> float | None:
    """Return what the payoffs of all seats add up to, if it is always the same."""
    game, players, options = setting.game, setting.players, setting.options
    if setting.kind.payoffs in ("identical", "general-sum"):
        return None
    if not game.scoring_of(options).is_shared:
        return game.payoffs_of(players, options).total
    return float(len(game.parties(players, options)[0]))  # each seat of a side gets the share of its side


class MeadhallGame(pyspiel.Game):  # type: ignore[misc]
    """A game of Meadhall with a number of players and options. Each game has a subclass, see ``loader_of``."""

    subject: Game

    def __init__(self, parameters: Mapping[str, Any]) -> None:
        game = self.subject
        self.setting = Setting(game, *setup_of(game, parameters))
        kind = self.setting.kind
        info = pyspiel.GameInfo(
            num_distinct_actions=game.actions,
            max_chance_outcomes=MAX_OUTCOMES if kind.chance else 0,
            num_players=kind.players,
            min_utility=kind.smallest,
            max_utility=kind.largest,
            utility_sum=_utility_sum(self.setting),
            max_game_length=self.setting.horizon,
        )
        super().__init__(game_type(game, self.setting), info, dict(parameters))

    def __reduce__(self) -> tuple[Any, ...]:
        return _loaded, (str(self),)

    def new_initial_state(self) -> MeadhallState:
        """Return the state before the setup, in which chance decides first."""
        return MeadhallState(self)

    def make_py_observer(self, kind: Any = None, parameters: Mapping[str, Any] | None = None) -> Observer:
        """Return an observer."""
        return Observer(self.setting, kind, parameters)


def _loaded(text: str) -> MeadhallGame:
    """Return the game of a pickle. To find this function, a process imports the package, which registers the games."""
    return pyspiel.load_game(text)  # type: ignore[no-any-return]


def loader_of(game: Game) -> type[MeadhallGame]:
    """Return the class of a game, which OpenSpiel calls with the parameters.

    OpenSpiel keeps it until the process has ended, and would crash there if it were a function.
    """
    return type(short_name(game), (MeadhallGame,), {"subject": game})


class MeadhallState(pyspiel.State):  # type: ignore[misc]
    """A state of a game of Meadhall.

    Attributes:
        position: where the game stands. OpenSpiel copies and pickles it with the state.
    """

    def __init__(self, game: MeadhallGame) -> None:
        super().__init__(game)
        self.position: Position = game.setting.start

    def current_player(self) -> int:
        """Return the seat to move, or OpenSpiel's number for chance, for several seats at once, or for the end."""
        position = self.position
        if position.draw is not None:
            return int(pyspiel.PlayerId.CHANCE)
        if position.over:
            return int(pyspiel.PlayerId.TERMINAL)
        deciders = position.deciders
        return deciders[0] if len(deciders) == 1 else int(pyspiel.PlayerId.SIMULTANEOUS)

    def is_terminal(self) -> bool:
        return self.position.draw is None and self.position.over

    def returns(self) -> list[float]:
        return self.position.payoffs()

    def chance_outcomes(self) -> list[tuple[int, float]]:
        assert self.position.draw is not None
        return self.position.draw.outcomes()

    def _legal_actions(self, player: int) -> list[int]:
        return self.position.legal(player)

    def _apply_action(self, action: int) -> None:
        position = self.position
        if position.draw is not None:
            self.position = position.drawn(action)
        else:
            self.position = position.played(((position.deciders[0], action),))

    def _apply_actions(self, actions: Sequence[int]) -> None:
        self.position = self.position.played(tuple((seat, actions[seat]) for seat in self.position.deciders))

    def _action_to_string(self, player: int, action: int) -> str:
        if player == pyspiel.PlayerId.CHANCE:
            return f"outcome {action}"
        return self.position.action_text(player, action)

    def __str__(self) -> str:
        return self.position.in_text()

    def resample_from_infostate(self, player: int, sampler: Any) -> MeadhallState:
        """Return a random state that the player can't tell from this one.

        Hidden parts are dealt again, see ``GameRules.redeal``. The history keeps the players' actions only: the true outcomes of
        chance would tell what is hidden.

        Args:
            player: the seat.
            sampler: returns a random number from 0 to 1.
        """
        key = int(sampler() * 2**53), int(sampler() * 2**53) | 1
        return self._with_position(self.position.resampled(player, key))

    def _with_position(self, position: Position) -> MeadhallState:
        """Return a state with this position and the history of this one, without chance."""
        game = self.get_game()
        history = ",".join(f"{each.player}:{each.action}" for each in self.full_history() if each.player >= 0)
        copy = game.new_initial_state()
        contents = copy.serialize().split("\n", 2)[2]
        state: MeadhallState = game.deserialize_state(f"history={history}\nmove_number={self.move_number()}\n{contents}")
        state.position = position
        return state
