"""Train a policy with PPO and action masks, in JAX, against the game's heuristic bot.

    python examples/learn/train.py viking-axes --players 3 --minutes 10 --out mine.npz [--option variant=strategic]

The learner plays one seat of each match, another one from match to match, and ``karl`` plays the others. If the learner never
wins at first, let it meet a weaker bot as well: ``--bots thrall,karl``. The policy is a network of two hidden layers. The
script writes it to an ``.npz`` file, with the curve of its payoffs. ``policy.py`` plays from that file without JAX.

Source: Schulman and others, "Proximal policy optimization algorithms", 2017. Illegal actions get probability 0, as in Huang and
Ontañón, "A closer look at invalid action masking in policy gradient algorithms", 2020.
"""

from __future__ import annotations

import argparse
import time
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax
from policy import features, useful_inputs

from meadhall.envs import vector_env

MATCHES = 256
STEPS = 64
EPOCHS = 3
MINIBATCHES = 8
CLIP = 0.2
LAMBDA = 0.95
ENTROPY = 0.01
LEARNING_RATE = 1e-3
TELL = 10.0  # seconds between two lines of progress
GAMES = 20_000  # matches of the final comparison
HIDDEN = 192
RANDOM_STEPS = 200  # of random play, which shows the cells that change

Weights = dict[str, Any]


class Rollout(NamedTuple):
    """Decisions of the learner, with shapes (STEPS, MATCHES, ...)."""

    inputs: Any
    masks: Any
    actions: Any
    chances: Any  # logarithms of the probabilities of the actions
    values: Any
    rewards: Any
    ended: Any


def new_weights(key: Any, size: int, actions: int) -> Weights:
    """Return a network with small random weights."""
    keys = jax.random.split(key, 4)

    def layer(key: Any, rows: int, columns: int, scale: float) -> Any:
        return jax.nn.initializers.orthogonal(scale)(key, (rows, columns))

    return {
        "w1": layer(keys[0], size, HIDDEN, 1.4),
        "b1": jnp.zeros(HIDDEN),
        "w2": layer(keys[1], HIDDEN, HIDDEN, 1.4),
        "b2": jnp.zeros(HIDDEN),
        "policy": layer(keys[2], HIDDEN, actions, 0.01),
        "policy_b": jnp.zeros(actions),
        "value": layer(keys[3], HIDDEN, 1, 1.0),
        "value_b": jnp.zeros(1),
    }


def network(weights: Weights, inputs: Any, masks: Any) -> tuple[Any, Any]:
    """Return the logarithms of the probabilities of all actions, and the expected payoff."""
    hidden = jax.nn.relu(inputs @ weights["w1"] + weights["b1"])
    hidden = jax.nn.relu(hidden @ weights["w2"] + weights["b2"])
    logits = jnp.where(masks, hidden @ weights["policy"] + weights["policy_b"], -1e9)
    return jax.nn.log_softmax(logits), (hidden @ weights["value"] + weights["value_b"])[..., 0]


@jax.jit
def decide(weights: Weights, key: Any, inputs: Any, masks: Any) -> tuple[Any, Any, Any]:
    """Draw an action for each match. Return it, its log-probability, and the expected payoff."""
    chances, values = network(weights, inputs, masks)
    actions = jax.random.categorical(key, chances)
    return actions, jnp.take_along_axis(chances, actions[:, None], 1)[:, 0], values


@jax.jit
def advantages(rollout: Rollout, last: Any) -> Any:
    """Return the generalized advantage estimates (Schulman and others, 2016), without discount: only the end pays."""

    def back(carry: tuple[Any, Any], step: tuple[Any, Any, Any]) -> tuple[tuple[Any, Any], Any]:
        following, estimate = carry
        values, rewards, ended = step
        goes_on = 1.0 - ended
        estimate = rewards + following * goes_on - values + LAMBDA * goes_on * estimate
        return (values, estimate), estimate

    steps = (rollout.values, rollout.rewards, rollout.ended)
    return jax.lax.scan(back, (last, jnp.zeros_like(last)), steps, reverse=True)[1]


def loss(weights: Weights, part: Rollout, advantage: Any, target: Any, entropy: Any) -> Any:
    """Return the clipped surrogate objective, the error of the values, and a bonus for entropy, as one number to minimize."""
    chances, values = network(weights, part.inputs, part.masks)
    ratio = jnp.exp(jnp.take_along_axis(chances, part.actions[:, None], 1)[:, 0] - part.chances)
    gain = jnp.minimum(ratio * advantage, jnp.clip(ratio, 1 - CLIP, 1 + CLIP) * advantage).mean()
    spread = -(jnp.exp(chances) * jnp.where(part.masks, chances, 0.0)).sum(-1).mean()
    return -gain + 0.5 * ((values - target) ** 2).mean() - entropy * spread


@partial(jax.jit, static_argnames="optimizer", donate_argnums=(0, 1))
def improve(
    weights: Weights, state: Any, key: Any, rollout: Rollout, last: Any, entropy: Any, optimizer: Any
) -> tuple[Weights, Any]:
    """Run a few epochs of gradient steps on the decisions of one rollout."""
    estimates = advantages(rollout, last)
    targets = estimates + rollout.values
    estimates = (estimates - estimates.mean()) / (estimates.std() + 1e-8)
    flat = jax.tree.map(lambda each: each.reshape(-1, *each.shape[2:]), (rollout, estimates, targets))
    count = flat[1].shape[0]

    def step(carry: tuple[Weights, Any], chosen: Any) -> tuple[tuple[Weights, Any], None]:
        weights, state = carry
        part = jax.tree.map(lambda each: each[chosen], flat)
        gradient = jax.grad(loss)(weights, *part, entropy)
        change, state = optimizer.update(gradient, state, weights)
        return (optax.apply_updates(weights, change), state), None

    order = jnp.concatenate([jax.random.permutation(each, count) for each in jax.random.split(key, EPOCHS)])
    return jax.lax.scan(step, (weights, state), order.reshape(EPOCHS * MINIBATCHES, -1))[0]


class Matches:
    """Matches of a learner against bots, whose observations are the inputs of a network.

    Args:
        game: the game.
        players: the number of players.
        options: its options.
        bots: the opponents. There are as many matches against each kind; the matches against the last kind count.
        lead: a field with a cell for each seat, and a weight. The learner is also rewarded for each change of its lead in this
            field over the mean of the others.
        seed: determines all matches.
    """

    def __init__(
        self, game: str, players: int, options: dict[str, str], bots: list[str], lead: tuple[str, float], seed: int
    ) -> None:
        setting: dict[str, Any] = {"players": players, "seat": "rotate", **options}
        self._count = MATCHES // len(bots)
        self._envs = [vector_env(game, num_envs=self._count, bots=kind, **setting) for kind in bots]
        self.actions = int(self._envs[0].single_action_space.n)
        cells = {field.name: field.cells for field in self._envs[0].layout.fields}
        self._viewer, self._weight = cells["viewer"].start, lead[1]
        self._led = slice(cells[lead[0]].start, cells[lead[0]].start + players) if lead[1] else slice(0)
        shown = [env.reset(seed=seed + k) for k, env in enumerate(self._envs)]
        self._see([observations for observations, _ in shown], [infos for _, infos in shown])
        chance, seen = np.random.default_rng(seed), []
        for _ in range(RANDOM_STEPS):
            self.step((chance.random(self.masks.shape) * self.masks).argmax(axis=1))
            seen.append(self._observations)
        self._looks_at = useful_inputs(np.concatenate(seen))
        self._features = jax.jit(lambda observations: features(observations, *self._looks_at, jnp))

    @property
    def looks_at(self) -> tuple[Any, Any]:
        """Return the cells and the values that the inputs look at."""
        return self._looks_at

    @property
    def inputs(self) -> Any:
        """Return the inputs of the network for the pending decisions."""
        return self._features(self._observations)

    def _see(self, observations: list[Any], infos: list[dict[str, Any]]) -> None:
        self._observations = np.concatenate(observations)
        self.masks = np.concatenate([each["action_mask"] for each in infos]).astype(bool)

    def step(self, actions: Any) -> tuple[Any, Any, Any]:
        """Play the learner's actions. Return the rewards, where matches have ended, and the payoffs of those that count."""
        chosen = np.split(np.asarray(actions), len(self._envs))
        stepped = [env.step(part) for env, part in zip(self._envs, chosen, strict=True)]
        before = self._observations
        self._see([each[0] for each in stepped], [each[4] for each in stepped])
        payoffs = np.concatenate([each[1] for each in stepped])
        ended = np.concatenate([each[2] | each[3] for each in stepped])
        rewards = payoffs
        if self._weight:
            last = [each[4].get("final_obs", each[0]) for each in stepped]
            after = np.where(ended[:, None], np.concatenate(last), self._observations)
            rewards = payoffs + self._weight * (self._lead(after) - self._lead(before))
        return rewards, ended, payoffs[-self._count :][ended[-self._count :]]

    def _lead(self, observations: Any) -> Any:
        """Return how far each learner leads over the mean of the other seats."""
        held = observations[:, self._led].astype(np.float64)
        own = np.take_along_axis(held, observations[:, [self._viewer]].astype(np.int64), 1)[:, 0]
        return own - (held.sum(axis=1) - own) / (held.shape[1] - 1)


def payoff(weights: Weights, matches: Matches, games: int) -> tuple[float, float]:
    """Return the mean payoff of the policy without exploration, and its standard error."""
    choose = jax.jit(lambda inputs, masks: network(weights, inputs, masks)[0].argmax(axis=-1))
    payoffs: list[float] = []
    for _ in range(100):  # the matches that have begun were partly explored
        matches.step(choose(matches.inputs, matches.masks))
    while len(payoffs) < games:
        payoffs += matches.step(choose(matches.inputs, matches.masks))[2].tolist()
    return float(np.mean(payoffs)), float(np.std(payoffs) / len(payoffs) ** 0.5)


def train(
    game: str,
    players: int,
    options: dict[str, str],
    bots: list[str],
    lead: tuple[str, float],
    minutes: float,
    out: Path,
    seed: int = 1,
) -> None:
    """Train for some minutes, print the progress, and write the policy and its curve."""
    matches = Matches(game, players, options, bots, lead, seed)
    key = jax.random.key(seed)
    weights = new_weights(key, len(matches.looks_at[0]), matches.actions)
    adam = optax.inject_hyperparams(optax.adam)(learning_rate=LEARNING_RATE, eps=1e-5)
    optimizer = optax.chain(optax.clip_by_global_norm(0.5), adam)
    state = optimizer.init(weights)
    curve: list[tuple[float, int, float]] = []
    began = told = time.monotonic()
    decisions, payoffs = 0, []
    while (passed := time.monotonic() - began) < 60 * minutes:
        left = 1 - passed / (60 * minutes)
        steps = []
        for _ in range(STEPS):
            key, draw = jax.random.split(key)
            inputs, masks = matches.inputs, matches.masks
            actions, chances, values = decide(weights, draw, inputs, masks)
            rewards, ended, counting = matches.step(actions)
            steps.append(Rollout(inputs, masks, actions, chances, values, rewards.astype(np.float32), ended.astype(np.float32)))
            payoffs += counting.tolist()
        rollout = Rollout(*(jnp.stack([getattr(each, name) for each in steps]) for name in Rollout._fields))
        key, draw, shuffled = jax.random.split(key, 3)
        last = decide(weights, draw, matches.inputs, matches.masks)[2]
        state[1].hyperparams["learning_rate"] = jnp.asarray(LEARNING_RATE * max(0.02, left))
        weights, state = improve(weights, state, shuffled, rollout, last, ENTROPY * left, optimizer)
        decisions += STEPS * MATCHES
        if time.monotonic() - told > TELL and payoffs:
            told = time.monotonic()
            curve.append((told - began, decisions, float(np.mean(payoffs))))
            print(
                f"{told - began:6.0f} s  {decisions:12,} decisions  payoff {curve[-1][2]:.3f} in {len(payoffs):,} matches",
                flush=True,
            )
            payoffs = []
    mean, error = payoff(weights, matches, GAMES)
    print(
        f"without exploration: payoff {mean:.4f}, standard error {error:.4f}, {GAMES:,} matches; a fair share: {1 / players:.4f}"
    )
    policy = {name: np.asarray(value, np.float16) for name, value in weights.items() if not name.startswith("value")}
    cells, values = matches.looks_at
    np.savez_compressed(out, curve=np.array(curve), result=np.array([mean, error]), cells=cells, values=values, **policy)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("game")
    parser.add_argument("--players", type=int, default=2)
    parser.add_argument("--option", action="append", default=[], help="an option of the game, NAME=VALUE")
    parser.add_argument(
        "--bots", default="karl", help="the opponents; several kinds: thrall,karl. The payoff is that against the last kind"
    )
    parser.add_argument(
        "--lead", default="viewer=0", help="reward a lead in a field of the observation: FIELD=WEIGHT, e.g. gold=0.02"
    )
    parser.add_argument("--minutes", type=float, default=20)
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    options = dict(each.split("=", 1) for each in arguments.option)
    bots = arguments.bots.split(",")
    field, weight = arguments.lead.split("=")
    train(arguments.game, arguments.players, options, bots, (field, float(weight)), arguments.minutes, arguments.out)
