"""Play with a trained policy. It needs NumPy, and not JAX.

    cd examples/learn
    meadhall serve --bot viking-axes/trained=policy:viking_axes

starts a hall in which the trained policy of Viking Axes can take a seat.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from meadhall import View
from meadhall.envs import policy_bot

FOLDER = Path(__file__).parent


MAGNITUDE = 127
"""Marks an input that is the size of a cell, on a logarithmic scale. Other inputs say whether a cell has one certain value."""


def useful_inputs(observations: Any) -> tuple[Any, Any]:
    """Return the inputs of a network that differ among these observations: the cell and the value that each of them looks at."""
    found = [(cell, value) for cell in range(observations.shape[1]) for value in (*range(-1, 5), MAGNITUDE)]
    cells, values = np.array(found, np.int32).T
    return tuple(part[features(observations, cells, values, np).std(axis=0) > 0] for part in (cells, values))


def features(observations: Any, cells: Any, values: Any, xp: Any) -> Any:
    """Return observations as inputs of a network, (..., inputs). ``xp``: NumPy or ``jax.numpy``."""
    seen = observations.astype(xp.float32)[..., cells]
    return xp.where(values == MAGNITUDE, xp.sign(seen) * xp.log1p(xp.abs(seen)) / 4, (seen == values).astype(xp.float32))


class Policy:
    """A trained policy: a function of observations and masks.

    Args:
        file: the file that ``train.py`` has written.
    """

    def __init__(self, file: Path) -> None:
        with np.load(file) as stored:
            self._weights = {name: stored[name].astype(np.float32) for name in stored.files if stored[name].dtype == np.float16}
            self._inputs = stored["cells"], stored["values"]

    def __call__(self, observations: Any, masks: Any) -> Any:
        """Return the legal action that the policy likes best: for one observation (cells,), or for many (count, cells)."""
        w = self._weights
        hidden = np.maximum(features(observations, *self._inputs, np) @ w["w1"] + w["b1"], 0)
        hidden = np.maximum(hidden @ w["w2"] + w["b2"], 0)
        return np.where(masks, hidden @ w["policy"] + w["policy_b"], -np.inf).argmax(axis=-1)


@cache
def trained(name: str) -> Callable[[View], int]:
    """Return the bot of a policy in this folder."""
    return policy_bot(Policy(FOLDER / f"{name}.npz"))


def viking_axes(view: View) -> int:
    """Choose an action in Viking Axes."""
    return trained(f"viking-axes-{view.options['variant']}")(view)
