"""Draw the learning curves of trained policies as one SVG.

python examples/learn/curves.py OUT.svg POLICY.npz...
"""

import sys
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np


def draw(out: Path, files: list[Path]) -> None:
    """Draw the mean payoff of the learner, with exploration, over its decisions. A dot at the end: without exploration."""
    mpl.rcParams["svg.hashsalt"] = "meadhall"
    figure, axes = plt.subplots(figsize=(7, 3.6), layout="constrained")
    for file in files:
        with np.load(file) as stored:
            curve, (mean, _) = stored["curve"], stored["result"]
        (line,) = axes.plot(curve[:, 1] / 1e6, curve[:, 2], label=file.stem.replace("-", " "))
        axes.plot(curve[-1, 1] / 1e6, mean, "o", color=line.get_color())
    axes.set_xlabel("decisions of the learner, in millions")
    axes.set_ylabel("payoff against karl")
    axes.set_ylim(0, 1)
    axes.grid(alpha=0.3)
    axes.legend(frameon=False, loc="lower right")
    figure.savefig(out, metadata={"Date": None})


if __name__ == "__main__":
    draw(Path(sys.argv[1]), [Path(name) for name in sys.argv[2:]])
