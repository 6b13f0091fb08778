"""A clean virtual environment, in which Meadhall is installed from its wheel as people install it."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).parents[2]


class CleanEnvironment:
    """A new environment with the wheel of Meadhall. Its dependencies are the locked ones, so nothing is downloaded.

    Attributes:
        bin: the folder of its commands.
    """

    def __init__(self, folder: Path, wheel: Path) -> None:
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        self.bin = folder / "bin"
        (site,) = folder.glob("lib/python*/site-packages")
        (site / "locked.pth").write_text(sysconfig.get_path("purelib"), "utf-8")
        self.run(["pip", "install", "--no-deps", str(wheel)])

    @property
    def variables(self) -> dict[str, str]:
        """The environment variables of its commands. pip builds with the hatchling that is there."""
        return {
            **os.environ,
            "PATH": f"{self.bin}{os.pathsep}{os.environ['PATH']}",
            "PIP_DISABLE_PIP_VERSION_CHECK": "1",
            "PIP_NO_INDEX": "1",
            "PIP_NO_BUILD_ISOLATION": "0",  # pip reads it as the value of the option's target: no isolation
            "MEADHALL_INTERPRET": "1",
            "MEADHALL_LANG": "en",
            "COLUMNS": "100",
        }

    def run(self, command: Sequence[str | Path] | str, folder: Path = ROOT) -> str:
        """Run a command, or a line of a shell, in a folder, and return what it prints. It must succeed."""
        shell = isinstance(command, str)
        run = subprocess.run(
            command,
            shell=shell,
            executable="/bin/bash" if shell else None,
            cwd=folder,
            env=self.variables,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        assert run.returncode == 0, f"{command}\n{run.stdout}"
        return run.stdout


def build_wheel(folder: Path, source: Path = ROOT) -> Path:
    """Build the wheel of a package into a folder and return its path."""
    subprocess.run([sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder], cwd=source, check=True)
    (wheel,) = folder.glob("*.whl")
    return wheel
