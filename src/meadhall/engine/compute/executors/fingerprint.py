"""The fingerprint of what a result depends on: versions of packages and the source of the engine, the bots and the game.

Machines that share a run compare it, because a node with other rules or another generator would give other games.
"""

from __future__ import annotations

import hashlib
import sys
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

from meadhall.engine.compile.rule import SOURCES, rules_package
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
