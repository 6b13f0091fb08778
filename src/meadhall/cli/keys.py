"""``meadhall keys``: replace the keys of a hall."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, time, timedelta
from pathlib import Path
from typing import Annotated

import typer

from meadhall.cli.hall_data import chosen_settings
from meadhall.engine.text.language import gettext as _
from meadhall.server.hall.notices.push_service import SECRET as PUSH
from meadhall.server.store.store import Store

GRACE = timedelta(days=30)
"""How long an old key is accepted. A browser that comes back meanwhile gets a cookie of the new one."""


def rotate(
    data: Annotated[Path | None, typer.Option(help=_("Folder for the database file (MEADHALL_DATA)."))] = None,
    at_once: Annotated[
        bool, typer.Option("--now", help=_("Refuse the old keys at once, which logs out every browser and program."))
    ] = False,
) -> None:
    """Replace the keys. ``at_once``: accept no old key any more. Raises StoreBusy, StoreUnusable."""
    settings = chosen_settings(data)

    async def replace() -> None:
        async with Store.open(settings) as store:
            store.rotate_secret("guests", None if at_once else store.time.now() + GRACE)
            store.rotate_secret(PUSH, None if at_once else store.time.now() + GRACE)
            store.rotate_secret("daily", datetime.combine(store.time.now().date() + timedelta(days=1), time(), UTC))

    asyncio.run(replace())
    print(_("The keys are replaced. A new daily puzzle key counts from tomorrow on."))
    if at_once:
        print(_("Every browser and program is logged out."))
    else:
        print(_("Old cookies and tokens are accepted for {days} more days.").format(days=GRACE.days))
