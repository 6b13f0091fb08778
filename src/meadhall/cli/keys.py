"""``meadhall keys``: replace the keys of a hall."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, time, timedelta

from meadhall.engine.text.language import gettext as _
from meadhall.server.hall.push_service import SECRET as PUSH
from meadhall.server.settings import Settings
from meadhall.server.store.store import Store

GRACE = timedelta(days=30)
"""How long an old key is accepted. A browser that comes back meanwhile gets a cookie of the new one."""


def rotate(settings: Settings, at_once: bool) -> None:
    """Replace the keys. ``at_once``: accept no old key any more. Raises StoreBusy, StoreUnusable."""

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
