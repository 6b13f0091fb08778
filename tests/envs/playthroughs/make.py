"""Write the playthroughs of OpenSpiel, one for each game and variant: ``.venv/bin/python tests/envs/playthroughs/make.py``.

A playthrough is a random game with everything that OpenSpiel shows of its states. Without an argument every file is written again
with the actions that it has; a new one gets random actions.
"""

from __future__ import annotations

import sys
from pathlib import Path

from absl import flags

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[2]))

from open_spiel.python.algorithms import generate_playthrough

from games_for_tests.goofspiel import game as goofspiel
from games_for_tests.kuhn import game as kuhn
from meadhall.envs import openspiel

FOLDER = Path(__file__).parent
SEED = 2026

PLAYTHROUGHS = {
    "axes_and_allies": "axes_and_allies(players=3)",
    "axxa-orthogonal": "axxa(touching=orthogonal)",
    "axxa-together": "axxa()",
    "axxa-versus": "axxa(mode=versus,players=2)",
    "axxa-versus-any": "axxa(mode=versus,order=any,players=2)",
    "axxa-versus-strict": "axxa(mode=versus,order=strict,players=2)",
    "dungeon_allies": "dungeon_allies()",
    "goofspiel": "goofspiel(players=3)",
    "kuhn": "kuhn()",
    "viking_axes-standard": "viking_axes()",
    "viking_axes-strategic": "viking_axes(variant=strategic)",
}
"""The name of each file and its game."""

for each in (goofspiel, kuhn):
    openspiel.register(each)


def file_of(name: str) -> Path:
    return FOLDER / f"{name}.txt"


def main() -> None:
    flags.FLAGS(sys.argv[:1])
    for name, game in PLAYTHROUGHS.items():
        file = file_of(name)
        if file.exists():
            _, text = generate_playthrough.replay(str(file))
        else:
            text = generate_playthrough.playthrough(f"python_meadhall_{game}", None, seed=SEED)
        file.write_text(text, "utf-8")


if __name__ == "__main__":
    main()
