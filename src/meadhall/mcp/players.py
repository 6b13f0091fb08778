"""Several players at one address: each client sends its own token of the hall, and plays as that guest."""

from __future__ import annotations

import asyncio
import hashlib
import logging
from collections import OrderedDict
from typing import Final

from mcp.server.auth.middleware.auth_context import get_access_token
from mcp.server.auth.provider import AccessToken

from meadhall.mcp.hall import HallLost, HallTables
from meadhall.mcp.tables import NotPossible

log = logging.getLogger(__name__)

MOST_PLAYERS: Final = 200
"""Players whose streams are kept open. A new one takes the place of the one that was here least recently."""

_LONGEST_TOKEN: Final = 300


class Players:
    """The players of a hall by their tokens. The hall says which tokens are valid.

    Args:
        url: the hall's address.
    """

    def __init__(self, url: str) -> None:
        self.url = url
        self._known: OrderedDict[str, HallTables] = OrderedDict()
        self._closing: set[asyncio.Task[None]] = set()

    async def verify_token(self, token: str) -> AccessToken | None:
        """Return who sends a token, None if the hall doesn't know it."""
        if len(token) > _LONGEST_TOKEN or not token.isascii() or not token.isprintable():
            return None
        if token not in self._known:
            tables = HallTables(self.url, "", token)
            try:
                await tables.listed()
            except (NotPossible, HallLost) as error:
                await tables.close()
                if isinstance(error, HallLost):
                    log.warning("no token can be checked: %s", error)
                return None
            if token in self._known:  # another request of the client has been faster
                await tables.close()
            else:
                self._add(token, tables)
        self._known.move_to_end(token)
        return AccessToken(token=token, client_id=hashlib.sha256(token.encode()).hexdigest(), scopes=[])

    def _add(self, token: str, tables: HallTables) -> None:
        self._known[token] = tables
        if len(self._known) > MOST_PLAYERS:
            _token, oldest = self._known.popitem(last=False)
            closing = asyncio.create_task(oldest.close())
            self._closing.add(closing)
            closing.add_done_callback(self._closing.discard)

    def current(self) -> HallTables:
        """Return the tables of the client that sends the present request. Raises NotPossible."""
        sender = get_access_token()
        if sender is None or sender.token not in self._known:
            raise NotPossible("Send your request again: your token has to be checked once more.")
        return self._known[sender.token]
