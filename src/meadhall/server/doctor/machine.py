"""Checks of this machine: the settings, the data folder, open files, the cache of compiled rules."""

from __future__ import annotations

import os
import shutil
import stat
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryFile
from typing import Final

from meadhall.engine.compile import mode
from meadhall.engine.compile.mode import cache_root
from meadhall.engine.compile.rule import check_cache
from meadhall.engine.errors import NoCache
from meadhall.engine.registry import game, game_names
from meadhall.engine.text.language import gettext as _
from meadhall.engine.text.language import listed
from meadhall.lab.warm import is_warm
from meadhall.server.doctor.findings import Finding
from meadhall.server.settings import Settings, known_variables
from meadhall.server.store.files import PRIVATE_FOLDER

_PREFIX: Final = "MEADHALL_"

_MEGABYTE: Final = 1 << 20

_LEAST_SPACE: Final = 200 * _MEGABYTE
"""Bytes of free space below which a hall will soon refuse to store."""

_SPACE_TO_COMPILE: Final = 500 * _MEGABYTE

_ENOUGH_FILES: Final = 1024


def check_variables(environment: Mapping[str, str]) -> Iterator[Finding]:
    """Look for variables that no setting reads: their names are probably misspelt."""
    known = known_variables()
    unknown = sorted(name for name in environment if name.startswith(_PREFIX) and name not in known)
    if unknown:
        yield Finding(
            "settings",
            "warning",
            _("no setting is called {names}").format(names=listed(unknown)),
            _("Compare the names with docs/host/settings.md."),
        )
    else:
        yield Finding("settings", "ok", _("all settings can be used"))


def check_folder(settings: Settings) -> Iterator[Finding]:
    """Check the folder of the database: whether it can be written, who may read it, and the free space."""
    folder = settings.database.resolve().parent
    existing = next(path for path in (folder, *folder.parents) if path.exists())
    try:
        with TemporaryFile(dir=existing):
            pass
    except OSError as error:
        yield Finding(
            "folder",
            "wrong",
            _("{folder} can't be written: {reason}").format(folder=existing, reason=error.strerror),
            _("Give the user of the hall the right to write there, or choose another folder with MEADHALL_DATA."),
        )
        return
    if existing != folder:
        yield Finding("folder", "ok", _("{folder} will be created").format(folder=folder))
    elif os.name == "posix" and stat.S_IMODE(folder.stat().st_mode) & ~PRIVATE_FOLDER:
        yield Finding(
            "folder",
            "warning",
            _("other users can look into {folder}, where the keys of the hall are").format(folder=folder),
            _("Run: {command}").format(command=f"chmod 700 {folder}"),
        )
    else:
        yield Finding("folder", "ok", _("{folder} can be written").format(folder=folder))
    yield from _check_space("folder", existing, _LEAST_SPACE)


def check_files() -> Iterator[Finding]:
    """Check how many connections this user may have open."""
    if sys.platform == "win32":
        return
    import resource  # noqa: PLC0415 - Windows has no such module

    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    if 0 <= hard < _ENOUGH_FILES:
        yield Finding(
            "files",
            "warning",
            _("this user may open only {count} files and connections").format(count=hard),
            _("Raise the hard limit: ulimit -Hn, or LimitNOFILE= in a systemd unit."),
        )
    else:
        yield Finding("files", "ok", _("enough files and connections may be open"))


def check_compiled_rules() -> Iterator[Finding]:
    """Check that compiled rules can be stored, and whether they are."""
    if mode.interpreted:
        yield Finding(
            "cache",
            "warning",
            _("MEADHALL_INTERPRET is set, so bots run uncompiled"),
            _("Unset MEADHALL_INTERPRET, so that bots search as far as their level says."),
        )
        return
    cold = [game(name).title for name in game_names() if not is_warm(game(name))]
    try:
        if cold:
            check_cache()
    except NoCache as error:
        yield Finding("cache", "wrong", str(error), _("Set MEADHALL_CACHE to a folder that the user of the hall may write to."))
        return
    if cold:
        yield Finding(
            "cache",
            "warning",
            _("not yet compiled: {games}").format(games=listed(cold)),
            _("Run `meadhall warm`, or wait some minutes after the first start; it needs 1 GB of memory."),
        )
        yield from _check_space("cache", cache_root(), _SPACE_TO_COMPILE)
    else:
        yield Finding("cache", "ok", _("the rules of all games are compiled in {folder}").format(folder=cache_root()))


def _check_space(check: str, folder: Path, least: int) -> Iterator[Finding]:
    free = shutil.disk_usage(folder).free
    if free < least:
        yield Finding(
            check,
            "wrong" if free < least // 10 else "warning",
            _("only {free} MB are free at {folder}").format(free=free // _MEGABYTE, folder=folder),
            _("Make room on that disk."),
        )
