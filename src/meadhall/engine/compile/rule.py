"""@rule: the decorator of rule functions. It compiles them with Numba, or leaves them as plain Python in interpreted mode.

With ``MEADHALL_INTERPRET=1`` rules run as plain Python, for debugging and coverage, with bit-identical results. A process runs
either compiled or interpreted rules, never both.
"""

from __future__ import annotations

import hashlib
import platform
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from tempfile import TemporaryFile
from threading import Lock
from typing import Any, ParamSpec, TypeVar, overload

import numpy as np

from meadhall.engine.compile import mode
from meadhall.engine.compile.mode import cache_root
from meadhall.engine.errors import NoCache

P = ParamSpec("P")
R = TypeVar("R")

INTERPRETED = mode.interpreted

_ENGINE = "meadhall.engine"
_ENGINE_SOURCES = (Path(__file__).parents[1], Path(__file__).parents[2] / "sdk.py")
"""The sources that the machine code of every game depends on: the engine, and the module through which games import it."""

_NUMBA_SETTINGS = Lock()
"""Held while Numba's settings, which all threads share, are those of one rule. A worker imports several games in threads."""

SOURCES = (".py", ".npz")
"""Suffixes of the files that machine code depends on: the rules, and data files whose values the rules treat as constants."""


def rules_package(module: str) -> str:
    """Return the package that a rule of ``module`` may depend on, besides the engine: one game's folder."""
    parts = module.split(".")
    if parts[0] != "meadhall":
        return parts[0]
    return ".".join(parts[: 3 if parts[1:2] == ["games"] else 2])


def _package_folder(package: str) -> Path | None:
    file = getattr(sys.modules.get(package), "__file__", None)
    if file is None:
        return None
    path = Path(file)
    return path.parent if path.name == "__init__.py" else path


def check_cache(folder: Path | None = None) -> None:
    """Check that machine code can be stored in a folder, by default in the whole cache. Raises NoCache.

    Only what must be compiled needs that: a folder that can't be written, such as one of another user, can be read all the same.
    """
    folder = folder or cache_root()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise NoCache(f"can't store machine code in {folder}: {error.strerror}; set MEADHALL_CACHE to another folder") from None


@cache
def cache_folder(package: str) -> Path:
    """Return the folder for the machine code of a package's rules, named by a hash of everything the code depends on.

    Numba checks only the function's own file, so it would use stale code after a change in another file. Raises NoCache if there
    can be no such folder.
    """
    from importlib.metadata import version  # noqa: PLC0415 - only the compiled mode needs it

    if cache_root().is_file():
        check_cache()
    key = hashlib.sha256()
    for part in ("meadhall", "numba", "numpy"):
        key.update(f"{part} {version(part)}\n".encode())
    key.update(platform.python_version().encode() + b"bounds" * mode.checks_bounds)
    for folder in dict.fromkeys((*_ENGINE_SOURCES, _package_folder(package))):
        if folder is None:
            continue
        sources = [folder] if folder.is_file() else sorted(file for file in folder.rglob("*") if file.suffix in SOURCES)
        for source in sources:
            key.update(source.name.encode() + b"\0" + source.read_bytes() + b"\0")
    return cache_root() / f"{package}-{key.hexdigest()[:20]}"


def rules_folder(module: str) -> Path:
    """Return the folder for the machine code of the package that ``module`` belongs to."""
    return cache_folder(rules_package(module))


@overload
def rule(function: Callable[P, R], /) -> Callable[P, R]: ...
@overload
def rule(*, inline: bool) -> Callable[[Callable[P, R]], Callable[P, R]]: ...
def rule(function: Any = None, /, *, inline: bool = False) -> Any:
    """Make ``function`` a rule. It is compiled at its first call for given types, and the machine code is cached on disk.

    Rule functions use plain integers, records, arrays, enums and other rules; no exceptions, strings or dictionaries.

    Args:
        inline: force the machine code into every caller. Worthwhile for the few rules that run with every action and are called
            from one or two places; LLVM inlines small rules by itself.

    Examples:
        >>> from meadhall.engine.compile.rule import rule
        >>> @rule
        ... def doubled(value: int) -> int:
        ...     return 2 * value
        >>> doubled(4)
        8
    """
    if function is None:
        return lambda function: _compiled(function, inline)
    return _compiled(function, inline)


def _compiled(function: Callable[P, R], inline: bool) -> Callable[P, R]:
    if INTERPRETED:
        return function
    import numba  # noqa: PLC0415 - a process that interprets rules does not load Numba

    settings: Any = numba.config
    package = rules_package(function.__module__)
    with _NUMBA_SETTINGS:
        before = settings.CACHE_DIR, settings.CACHE_LOCATOR_CLASSES
        # One folder per module: two games may share rules, but each has its own module of loops.
        settings.CACHE_DIR = str(cache_folder(package) / function.__module__)
        settings.CACHE_LOCATOR_CLASSES = "meadhall.engine.compile.locator.SameForAllCopies,IPythonCacheLocator"
        try:
            compiled: Callable[P, R] = numba.njit(
                cache=package != _ENGINE,
                nogil=True,
                error_model="numpy",
                forceinline=inline,
                boundscheck=mode.checks_bounds or None,  # None: as NUMBA_BOUNDSCHECK says
            )(function)
        finally:
            settings.CACHE_DIR, settings.CACHE_LOCATOR_CLASSES = before
    return compiled


u64: Callable[[int], int] = int if INTERPRETED else np.uint64  # type: ignore[assignment]
"""Make an unsigned 64-bit integer. In Numba ``uint64 + int64`` is a float, so constants that are combined with one need this."""

i64: Callable[[int], int] = int if INTERPRETED else np.int64  # type: ignore[assignment]
"""Make a signed 64-bit integer. It keeps Numba from compiling a rule once for each integer type it is called with."""
