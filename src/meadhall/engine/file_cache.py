"""Caches of what was read from files of the code or of a game. In development mode they are emptied when a file changes."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from functools import _lru_cache_wrapper

R = TypeVar("R")

_clear: list[Callable[[], object]] = []


def file_cache(function: Callable[..., R]) -> _lru_cache_wrapper[R]:
    """Decorate a function so that it reads its files once (``functools.cache``), and again after ``forget_files``."""
    cached = cache(function)
    _clear.append(cached.cache_clear)
    return cached


def on_forget(clear: Callable[[], object]) -> None:
    """Let ``forget_files`` call ``clear``, which empties another cache of files."""
    _clear.append(clear)


def forget_files() -> None:
    """Empty all these caches, so that files are read again."""
    for clear in _clear:
        clear()
