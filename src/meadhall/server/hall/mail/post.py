"""Hand mails to the server that sends them (SMTP: RFC 5321; STARTTLS: RFC 3207).

The library is imported with the first mail: most halls send none.
"""

from __future__ import annotations

import asyncio
import logging
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from email.message import EmailMessage
from typing import TYPE_CHECKING, Final, Literal

from meadhall.server.ops.logs import OncePerInterval
from meadhall.server.ops.metrics import MAILS
from meadhall.server.settings import MailServer
from meadhall.server.worker.threads import run_in_thread

if TYPE_CHECKING:
    import aiosmtplib

log = logging.getLogger(__name__)
log.addFilter(OncePerInterval())

_TIMEOUT: Final = 20.0
"""Seconds for one mail."""

_LONGEST_REASON: Final = 160

_PERMANENT: Final = 500
"""The first status with which a server refuses for good."""


@dataclass(frozen=True)
class Outcome:
    """What became of a mail.

    Attributes:
        kind: ``sent``; ``later``, it may be tried again; ``stopped``, the server refuses the address; ``refused``, it refuses the
            mail.
        reason: what the server has said.
    """

    kind: Literal["sent", "later", "stopped", "refused"]
    reason: str = ""


@asynccontextmanager
async def connected(server: MailServer, own_host: str) -> AsyncIterator[aiosmtplib.SMTP]:
    """Connect to a mail server, encrypted and signed in as it is set. ``own_host``: what the hall calls itself.

    Raises OSError or aiosmtplib.SMTPException.
    """
    import aiosmtplib  # noqa: PLC0415

    is_encrypted = server.security != "none"
    context = await run_in_thread(ssl.create_default_context) if is_encrypted else None
    async with aiosmtplib.SMTP(
        hostname=server.host,
        port=server.port,
        username=server.user or None,
        password=server.password or None,
        use_tls=server.security == "tls",
        start_tls=server.security == "starttls",
        tls_context=context,
        local_hostname=own_host,
        timeout=_TIMEOUT,
    ) as connection:
        yield connection


async def send(server: MailServer, message: EmailMessage, own_host: str) -> Outcome:
    """Send a mail. It is accepted once: only if the process is killed before it has the answer, the mail is sent again."""
    sending = asyncio.create_task(_send(server, message, own_host))
    try:
        return await asyncio.shield(sending)
    except asyncio.CancelledError:  # the hall stops, and this is the last thing that it does
        return await sending


async def _send(server: MailServer, message: EmailMessage, own_host: str) -> Outcome:
    import aiosmtplib  # noqa: PLC0415

    try:
        async with asyncio.timeout(_TIMEOUT), connected(server, own_host) as connection:
            await connection.sendmail(server.sender, message["To"], message.as_bytes())
        outcome = Outcome("sent")
    except aiosmtplib.SMTPRecipientsRefused as error:
        refusal = error.recipients[0]
        outcome = Outcome("stopped" if refusal.code >= _PERMANENT else "later", f"{refusal.code} {refusal.message}")
    except aiosmtplib.SMTPDataError as error:
        outcome = Outcome("refused" if error.code >= _PERMANENT else "later", f"{error.code} {error.message}")
    except (OSError, aiosmtplib.SMTPException, ValueError) as error:  # the host can mend it
        outcome = Outcome("later", str(error) or "no answer")
    MAILS.labels(outcome.kind).inc()
    reason = "".join(filter(str.isprintable, " ".join(outcome.reason.split())))[:_LONGEST_REASON]
    if outcome.kind in ("later", "refused"):
        log.warning("the mail server %s has not taken a mail: %s", server.host, reason)
    return Outcome(outcome.kind, reason)
