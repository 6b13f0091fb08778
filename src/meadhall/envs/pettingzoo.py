"""The environments of PettingZoo: agents act one after the other (AEC, agent environment cycle), or at the same time."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.utils import seeding
from pettingzoo import AECEnv, ParallelEnv

from meadhall.engine.checks import Named, check_count, quoted
from meadhall.engine.errors import BadSetup, MalformedAction
from meadhall.engine.game import Game
from meadhall.engine.match.deciders import is_simultaneous
from meadhall.engine.match.match import Match
from meadhall.engine.match.view import SPECTATOR
from meadhall.engine.registry import game
from meadhall.engine.state.schema import copied
from meadhall.envs.observation import Form, check_form, layout, observe
from meadhall.envs.render import MODES, render

RENDER_MODES = ("human", *MODES)

Shown = npt.NDArray[np.uint8] | str | None


class Seats:
    """The seats of a match as agents: ``player_0`` has seat 0. An environment adds how they take turns.

    Attributes:
        match: the match that is being played. It has the record, the events and their texts.
        game: the game.
        players: the number of players.
        options: the checked options.
        render_mode: how ``render`` shows the match; None: not at all.
        max_cycles: the largest number of decisions of a seat before the match is truncated; None: no limit.
    """

    metadata: dict[str, Any]
    match: Match

    def __init__(
        self,
        name: str | Game,
        players: int | None,
        options: Mapping[str, Any],
        observations: Form,
        render_mode: str | None,
        max_cycles: int | None,
    ) -> None:
        self.game = game(name)
        self.players, self.options = self.game.check_setup(self.game.min_players if players is None else players, options)
        if render_mode is not None and render_mode not in RENDER_MODES:
            raise BadSetup(f"the render mode must be one of {', '.join(RENDER_MODES)}, not {quoted(render_mode)}")
        self.render_mode = render_mode
        self.max_cycles = None if max_cycles is None else check_count(max_cycles, "cycles")
        self.possible_agents = [f"player_{seat}" for seat in range(self.players)]
        self._seats = Named({agent: seat for seat, agent in enumerate(self.possible_agents)})
        self.agents: list[str] = []
        self._form = check_form(observations)
        known = layout(self.game)
        seen = {"observation": known.space(self._form), "action_mask": spaces.MultiBinary(self.game.actions)}
        self._observation_spaces = Named({agent: spaces.Dict(seen) for agent in self.possible_agents})
        self._action_spaces = Named({agent: spaces.Discrete(self.game.actions) for agent in self.possible_agents})
        self.state_space = known.space("flat")
        self._generator, _ = seeding.np_random()

    def observation_space(self, agent: str) -> spaces.Dict:
        """Return the space of an agent's observations: ``observation`` and ``action_mask``."""
        return self._observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Discrete:
        """Return the space of an agent's actions, the action numbers of the game."""
        return self._action_spaces[agent]

    def _start(self, seed: int | None) -> None:
        """Start a new match: the same one for the same seed, without a seed the next one of the last seed."""
        if seed is not None:
            self._generator, _ = seeding.np_random(seed)
        key = self._generator.bytes(32)
        self.match = Match(self.game, players=self.players, seed=key, options=self.options)
        self.agents = self.possible_agents[:]
        self._decisions = [0] * self.players

    def observe(self, agent: str) -> dict[str, Any]:
        """Return the observation and the action mask of an agent. The mask is zero unless the agent has to choose."""
        seat = self._seats[agent]
        mask = np.zeros(self.game.actions, np.int8)
        mask[list(self.match.view(seat).legal)] = 1
        return {"observation": observe(self.game, self.match.states, seat, self._form), "action_mask": mask}

    def _play(self, seat: int, action: Any) -> None:
        self.match.play(int(action) if isinstance(action, np.integer) else action, seat)
        self._decisions[seat] += 1

    @property
    def _truncated(self) -> bool:
        """Return whether a seat with a pending choice has used up its decisions."""
        return self.max_cycles is not None and any(self._decisions[seat] >= self.max_cycles for seat in self.match.deciders)

    def _payoffs(self) -> list[float]:
        result = self.match.result()
        return [0.0] * self.players if result is None else list(result.scores)

    def state(self) -> npt.NDArray[Any]:
        """Return the complete state with everything hidden, for a critic that is trained with it. No agent may act on it."""
        everything = copied(self.match.states)
        everything["reveals"] = 0
        cells = [everything[field.name][0].ravel() for field in layout(self.game).fields[1:]]
        return np.concatenate([[SPECTATOR], *cells]).astype(self.state_space.dtype)

    def render(self) -> Shown:
        """Show the match as the seat to move may know it; at the end, and while several seats choose, as a spectator may.

        Returns:
            A text for ``ansi``, an SVG document for ``svg``, an array (height, width, 3) for ``rgb_array``; None for ``human``,
            which prints the text.
        """
        if self.render_mode is None:
            return None
        alone = len(self.match.deciders) == 1
        view = self.match.view(self.match.actor if alone else None)
        if self.render_mode == "human":
            sys.stdout.write(f"{render(view, 'ansi')}\n")
            return None
        return render(view, self.render_mode)  # type: ignore[call-overload, no-any-return]

    def close(self) -> None:
        """Do nothing: there is no window."""

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self.game.name}: {self.players} players>"

    def __str__(self) -> str:
        return str(self.metadata["name"])


class MatchAECEnv(Seats, AECEnv):  # type: ignore[misc]
    """A match as an AEC environment, see ``aec_env``."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.metadata = {
            "name": f"meadhall_{self.game.name.replace('-', '_')}_v{self.game.version}",
            "render_modes": list(MODES),
            "is_parallelizable": False,
        }

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:  # noqa: ARG002 - PettingZoo's
        """Start a new match.

        Args:
            seed: the same seed gives the same match. None: the next match of the last seed, at first a random one.
            options: ignored. The options of the game belong to the environment.
        """
        self._start(seed)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._select()

    def step(self, action: int | None) -> None:
        """Play the action of the agent to move; None for an agent whose match is over.

        Raises:
            MalformedAction, IllegalAction: nothing has changed. PettingZoo's ``TerminateIllegalWrapper`` ends the match instead.
        """
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        self._play(self._seats[agent], action)
        self._cumulative_rewards[agent] = 0.0
        self.rewards = dict(zip(self.possible_agents, self._payoffs(), strict=True))
        self._select()
        self._accumulate_rewards()

    def _select(self) -> None:
        """Select the seat to move, or end the match for all agents."""
        over = self.match.over
        self.terminations = dict.fromkeys(self.agents, over)
        self.truncations = dict.fromkeys(self.agents, not over and self._truncated)
        self.agent_selection = self.possible_agents[self.match.actor or 0]


def aec_env(
    name: str | Game,
    players: int | None = None,
    *,
    observations: Form = "flat",
    render_mode: str | None = None,
    max_cycles: int | None = None,
    **options: Any,
) -> MatchAECEnv:
    """Return a match as an AEC environment of PettingZoo.

    Agent ``player_0`` has seat 0, and so on. An observation is a dictionary: ``observation``, see ``meadhall.envs.observation``,
    and ``action_mask``, int8 (actions,). When the match is over, each agent gets its payoff as reward; before, rewards are 0.
    Its attribute ``match`` is the match itself, with its record.

    Where several seats choose at the same time, they are asked one after the other, and see nothing of each other's choices.

    Args:
        name: the game, or its name.
        players: the number of players; by default the smallest.
        observations: ``flat`` for one array, ``dict`` for an array per field.
        render_mode: ``ansi``, ``svg``, ``rgb_array`` or ``human``; None: ``render`` shows nothing.
        max_cycles: the largest number of decisions of a seat; then the match is truncated. None: no limit.
        options: the options of the game.

    Raises:
        BadSetup: an argument is invalid.
        NoEnvs: PettingZoo is not installed.

    Examples:
        >>> from meadhall.envs import aec_env
        >>> env = aec_env("axes-and-allies", players=3)
        >>> env.reset(seed=1)
        >>> for agent in env.agent_iter():
        ...     seen, reward, terminated, truncated, info = env.last()
        ...     over = terminated or truncated
        ...     env.step(None if over else env.action_space(agent).sample(seen["action_mask"]))
        >>> sum(env.match.result().scores)
        1.0
    """
    return MatchAECEnv(name, players, options, observations, render_mode, max_cycles)


Seen = dict[str, dict[str, Any]]


class MatchParallelEnv(Seats, ParallelEnv):  # type: ignore[misc]
    """A match as a parallel environment, see ``parallel_env``."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        if not is_simultaneous(self.game):
            raise BadSetup(f"in {self.game.title} seats never choose at the same time: use aec_env")
        name = f"meadhall_{self.game.name.replace('-', '_')}_v{self.game.version}"
        self.metadata = {"name": name, "render_modes": list(MODES)}

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Seen, Seen]:  # noqa: ARG002
        """Start a new match and return all observations and infos.

        Args:
            seed: the same seed gives the same match. None: the next match of the last seed, at first a random one.
            options: ignored. The options of the game belong to the environment.
        """
        self._start(seed)
        return self._observed(), {agent: {} for agent in self.agents}

    def _observed(self) -> Seen:
        return {agent: self.observe(agent) for agent in self.agents}

    def step(self, actions: Mapping[str, int]) -> tuple[Seen, dict[str, float], dict[str, bool], dict[str, bool], Seen]:
        """Play the actions of all seats that have to choose. Actions of other agents are ignored: their mask is zero.

        Returns:
            Observations, rewards, terminations, truncations and infos by agent.

        Raises:
            MalformedAction, IllegalAction: an action is missing or illegal. Nothing has changed.
        """
        before, chosen = self.match.copy(), self.match.deciders
        decisions = self._decisions[:]
        try:
            for seat in chosen:
                self._play(seat, self._action_of(seat, actions))
        except Exception:
            self.match, self._decisions = before, decisions
            raise
        over = self.match.over
        truncated = not over and self._truncated
        agents, payoffs = self.agents, self._payoffs()
        seen = self._observed()
        if over or truncated:
            self.agents = []
        return (
            seen,
            dict(zip(agents, payoffs, strict=False)),
            dict.fromkeys(agents, over),
            dict.fromkeys(agents, truncated),
            {agent: {} for agent in agents},
        )

    def _action_of(self, seat: int, actions: Mapping[str, int]) -> int:
        agent = self.possible_agents[seat]
        if agent not in actions:
            raise MalformedAction(f"{agent} has to choose, but only these agents have: {quoted(', '.join(actions))}")
        return actions[agent]


def parallel_env(
    name: str | Game,
    players: int | None = None,
    *,
    observations: Form = "flat",
    render_mode: str | None = None,
    max_cycles: int | None = None,
    **options: Any,
) -> MatchParallelEnv:
    """Return a match as a parallel environment of PettingZoo, for games in which seats choose at the same time.

    In each step all seats that have to choose act. The action mask of the others is zero, and their actions are ignored. The rest
    is like ``aec_env``.

    Args:
        name: the game, or its name.
        players: the number of players; by default the smallest.
        observations: ``flat`` for one array, ``dict`` for an array per field.
        render_mode: ``ansi``, ``svg``, ``rgb_array`` or ``human``; None: ``render`` shows nothing.
        max_cycles: the largest number of decisions of a seat; then the match is truncated. None: no limit.
        options: the options of the game.

    Raises:
        BadSetup: an argument is invalid, or seats of this game never choose at the same time.
        NoEnvs: PettingZoo is not installed.

    Examples:
        >>> from meadhall.envs import parallel_env
        >>> parallel_env("viking-axes")
        Traceback (most recent call last):
        meadhall.engine.errors.BadSetup: in Viking Axes seats never choose at the same time: use aec_env
    """
    return MatchParallelEnv(name, players, options, observations, render_mode, max_cycles)
