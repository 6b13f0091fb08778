"""What a node of a Ray cluster does: check its version, compile the rules once, play chunks.

A fingerprint names what a result depends on: versions of packages and the source of the engine, the bots and the game.
Machines that share a run compare it, because a node with other rules or another generator would give other games.
"""

from __future__ import annotations

import hashlib
import pickle
import platform
import sys
import time
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from filelock import FileLock

from meadhall.engine.compile.rule import INTERPRETED, SOURCES, rules_folder, rules_package
from meadhall.engine.compute.executors import Pieces, Work
from meadhall.engine.errors import MeadhallError
from meadhall.engine.game import Game

PACKAGES = ("meadhall", "numpy", "numba")
OURS = ("meadhall.engine", "meadhall.bots", "meadhall.lab")

SOURCE = "source of "
MISSING = "missing"

Fingerprint = dict[str, str]
"""The part that was compared, and its version or the hash of its source."""


def fingerprint(subject: Game) -> Fingerprint:
    """Return the fingerprint of this process for runs of a game."""
    return _fingerprint((*OURS, rules_package(subject.rules.play.__module__)))


def fingerprint_like(other: Fingerprint) -> Fingerprint:
    """Return the fingerprint of this process for the sources of another one."""
    return _fingerprint(tuple(name.removeprefix(SOURCE) for name in other if name.startswith(SOURCE)))


def _fingerprint(sources: tuple[str, ...]) -> Fingerprint:
    return {
        "Python": f"{sys.version_info.major}.{sys.version_info.minor}",
        **{package: version(package) for package in PACKAGES},
        **{f"{SOURCE}{package}": _hash_of(package) for package in sources},
    }


def differences(here: Fingerprint, there: Fingerprint) -> str:
    """Return in words what differs; empty if nothing does."""
    names = [name for name in here if here[name] != there.get(name)]
    return ", ".join(f"{name} {there.get(name, MISSING)} instead of {here[name]}" for name in names)


@cache
def _hash_of(package: str) -> str:
    """Return a hash of all sources and data files of a package, or of a single module."""
    try:
        spec = find_spec(package)
    except ModuleNotFoundError:  # its parent
        spec = None
    if spec is None or spec.origin is None:
        return MISSING
    origin = Path(spec.origin)
    key = hashlib.sha256()
    folder = origin.parent
    files = sorted(file for file in folder.rglob("*") if file.suffix in SOURCES) if spec.submodule_search_locations else [origin]
    for file in files:
        key.update(file.relative_to(folder).as_posix().encode() + b"\0" + file.read_bytes() + b"\0")
    return key.hexdigest()[:12]


class ClusterFailed(MeadhallError):
    """The cluster can't finish the run: it lost all nodes, a task kept dying, or a node has another version of the program."""


def play(content: bytes, expected: Fingerprint, parts: list[range]) -> tuple[float, list[Any]]:
    """Play chunks on a node, and return the seconds that it took and their results."""
    work = _unpacked(content, tuple(expected.items()))
    began = time.perf_counter()
    pieces = Pieces()
    results = [work(part, pieces) for part in parts]
    return time.perf_counter() - began, results


@cache
def _unpacked(content: bytes, expected: tuple[tuple[str, str], ...]) -> Work[Any]:
    """Check this node's version, unpack the work and compile its rules, once per process."""
    different = differences(dict(expected), fingerprint_like(dict(expected)))
    if different:
        raise ClusterFailed(f"node {platform.node()} of the cluster has {different}; install the same on every node")
    work: Work[Any] = pickle.loads(content)  # noqa: S301 - our own program has sent it
    _compile_once(work)
    return work


def _compile_once(work: Work[Any]) -> None:
    """Compile the rules in one process of a node while the others wait, instead of in all of them at the same time."""
    if INTERPRETED:
        return
    mark = _mark(work)
    if not mark.exists():
        mark.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(mark.with_suffix(".lock")):
            if not mark.exists():
                work.compile()
                mark.touch()


def _mark(work: Work[Any]) -> Path:
    """Return the file that says that the machine code for this kind of work is in the cache of this machine."""
    name = f"{type(work).__name__.lower()}-{work.subject.name}-{platform.node()}"
    return rules_folder(work.subject.rules.play.__module__) / f"{name}.compiled"
