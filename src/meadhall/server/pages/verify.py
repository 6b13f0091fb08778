"""The model of the page that checks the dice of a match: commitment, seed, and the result of a replay."""

from __future__ import annotations

import asyncio

from meadhall.engine.errors import RecordError
from meadhall.engine.replay import replay
from meadhall.engine.text.language import gettext as _
from meadhall.server.errors import WrongMoment
from meadhall.server.hall.daily_puzzle import is_sealed
from meadhall.server.hall.room import Room
from meadhall.server.pages.models import VerifyPage
from meadhall.server.store.models import FINISHED
from meadhall.server.web.links import link


async def verify_page(room: Room) -> VerifyPage:
    """Return the check of a match's dice. While the match runs it has the commitment only.

    Raises:
        WrongMoment: the match has not started.
    """
    match = room.match
    if match is None:
        raise WrongMoment(_("The match has not begun yet."))
    sealed = is_sealed(room.table, room.time)
    finished = room.table.status in FINISHED and not sealed
    verified = False
    text = _("The server published the hash below before the first roll. It publishes the seed when the match ends.")
    if sealed:
        text = _(
            "The server published the hash below before the first piece was dealt. It publishes the seed at the end of the day."
        )
    if finished:
        try:
            await asyncio.to_thread(replay, match.record())
        except RecordError as error:
            text = str(error)
        else:
            verified = True
            text = _("Every roll was computed again from the seed, and the seed matches the published hash.")
    return VerifyPage(
        url=link(f"/tables/{room.table.id}"),
        title=room.game.title,
        commitment=match.commitment,
        seed=match.seed.hex() if finished else "",
        verified=verified,
        text=text,
        steps=len(match.steps),
        sealed=sealed,
    )
