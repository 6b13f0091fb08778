"""The games of Meadhall as Python games of OpenSpiel: registration, parameters, states, and what a seat sees of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyspiel

from meadhall.engine.game import Game
from meadhall.engine.match.view import SPECTATOR
from meadhall.engine.options import Document
from meadhall.engine.registry import game
from meadhall.engine.state.schema import field_names
from meadhall.envs.observation import fields_in_text, information_state, layout, observe
from meadhall.envs.openspiel.position import MAX_OUTCOMES, Position, Setting

PLAYERS = "players"


def specification(game: Game) -> dict[str, Any]:
    """Return the parameters of a game with their defaults: ``players``, then its options.

    A document has the default ``""``, which means the built-in one.
    """
    defaults = {each.name: "" if isinstance(each, Document) else _written(each.default) for each in game.options}
    return {PLAYERS: game.min_players} | defaults


def _written(value: Any) -> Any:
    """Return a value as OpenSpiel reads it from text: an integer where it looks like one."""
    text = str(value)
    return int(text) if text.removeprefix("-").isdecimal() else text


def setup_of(game: Game, parameters: Mapping[str, Any]) -> tuple[int, dict[str, Any]]:
    """Return the checked number of players and options. Raises BadSetup.

    A document is given as the path of a TOML file.
    """
    known = {option.name: option for option in game.options}
    options = {}
    for name, value in parameters.items():
        if name in known and value != "":
            options[name] = known[name].read(str(value))
    return game.check_setup(parameters.get(PLAYERS, game.min_players), options)


class Observer:
    """What a player sees, in the form of OpenSpiel's observers.

    With perfect recall the text is the information state, and there is no tensor: no array is long enough for every match.
    Otherwise it is the position: all of it, its public part, or its private part. The private part has the fields in which the
    player sees more than a spectator.

    Attributes:
        tensor: the flat observation of ``meadhall.envs``, float32; None with perfect recall.
        dict: the fields of ``tensor`` by name.
    """

    def __init__(self, setting: Setting, kind: Any, parameters: Mapping[str, Any] | None) -> None:
        if parameters:
            raise ValueError(f"observations have no parameters, but these were given: {parameters}")
        self._kind = kind or pyspiel.IIGObservationType(perfect_recall=False)
        self._setting = setting
        self.tensor: npt.NDArray[np.float32] | None = None
        self.dict: dict[str, npt.NDArray[np.float32]] = {}
        if not self._kind.perfect_recall:
            known = layout(setting.game)
            tensor = self.tensor = np.zeros(known.size, np.float32)
            self.dict = {field.name: tensor[field.cells].reshape(field.shape) for field in known.fields}

    def set_from(self, state: MeadhallState, player: int) -> None:
        """Write what the player sees to ``tensor``."""
        if self.tensor is not None:
            game, viewer = self._setting.game, player if self._shows_private else SPECTATOR
            self.tensor[:] = np.asarray(observe(game, state.position.states, viewer))

    @property
    def _shows_private(self) -> bool:
        return bool(self._kind.private_info == pyspiel.PrivateInfoType.SINGLE_PLAYER)

    def string_from(self, state: MeadhallState, player: int) -> str:
        """Return what the player sees as text."""
        position = state.position
        if self._kind.perfect_recall:
            return information_state(position.view(player if self._shows_private else SPECTATOR))
        parts = []
        if self._kind.public_info:
            parts.append(fields_in_text(position.concealed(SPECTATOR)))
        if self._kind.private_info != pyspiel.PrivateInfoType.NONE:
            everyone = self._kind.private_info == pyspiel.PrivateInfoType.ALL_PLAYERS
            parts += (self._private(position, seat) for seat in (range(self._setting.players) if everyone else (player,)))
        return "\n".join(part for part in parts if part)

    def _private(self, position: Position, seat: int) -> str:
        """Return the fields in which a seat sees more than a spectator; nothing in a game of perfect information."""
        if self._setting.kind.information == "perfect":
            return ""
        public, own = position.concealed(SPECTATOR), position.concealed(seat)
        names = [name for name in field_names(own.dtype) if own[name].tobytes() != public[name].tobytes()]
        return f"seat {seat}\n{fields_in_text(own, names)}".rstrip()


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

        Hidden parts are dealt again, see ``HidingRules.redeal``. The history keeps the players' actions only: the true
        outcomes of chance would tell what is hidden.

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


def register(name: str | Game) -> str:
    """Register a game with OpenSpiel and return its name there.

    Installed games are registered when ``meadhall.envs.openspiel`` is imported. A game that was registered later with
    ``meadhall.sdk.register`` needs this call.

    Args:
        name: the game, or its name.

    Examples:
        >>> from meadhall.envs import openspiel
        >>> openspiel.register("viking-axes")
        'python_meadhall_viking_axes'
    """
    subject = game(name)
    pyspiel.register_game(game_type(subject, Setting(subject, *setup_of(subject, {}))), loader_of(subject))
    return short_name(subject)
