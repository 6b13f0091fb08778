"""The environment of PettingZoo in which agents act one after the other (AEC, agent environment cycle)."""

from __future__ import annotations

from typing import Any

from pettingzoo import AECEnv

from meadhall.engine.game import Game
from meadhall.envs.observation import Form
from meadhall.envs.render import MODES
from meadhall.envs.seats import Seats


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

    def observe(self, agent: str) -> dict[str, Any]:
        """Return the observation and the action mask of an agent."""
        return self._seen_by(agent)

    def step(self, action: int | None) -> None:
        """Play the action of the agent to move; None for an agent whose match is over.

        Raises:
            MalformedAction, IllegalAction: nothing has changed. PettingZoo's ``TerminateIllegalWrapper`` ends the match instead.
        """
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        self._play(self.possible_agents.index(agent), action)
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
    ``env.match`` is the match itself, with its record.

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
