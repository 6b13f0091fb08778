"""Write mails, as plain text and as HTML that looks like the hall, and hand them to the server that sends them.

SMTP: RFC 5321; STARTTLS: RFC 3207. The library is imported with the first mail: most halls send none.
"""

from __future__ import annotations

import asyncio
import logging
import ssl
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime
from typing import TYPE_CHECKING, Final

from markupsafe import Markup

from meadhall.engine.text.language import current_language, gettext as _
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

_POLICY: Final = SMTP.clone(max_line_length=998, cte_type="7bit")
"""Headers in one line, as long as RFC 5322 allows: not every provider finds an address to unsubscribe in a folded one."""

_PAGE: Final = Markup(
    '<!doctype html><html lang="{language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
    '<meta name="color-scheme" content="light dark"><title>{subject}</title></head>'
    '<body style="margin:0;padding:16px;background:#f3ead8;color:#2b2118;font:16px/1.5 Georgia,serif">'
    '<div style="max-width:34em;margin:0 auto;padding:20px 24px;background:#fffaf0;border:1px solid #d8c7a3;border-radius:10px">'
    '<p style="margin:0 0 12px;color:#7a5a1e;letter-spacing:.08em">MEADHALL</p>'
    '<h1 style="margin:0 0 12px;font-size:22px;line-height:1.25">{subject}</h1>'
    '<p style="margin:0 0 12px">{intro}</p>{links}</div>'
    '<p style="max-width:39em;margin:12px auto;color:#5c5044;font-size:14px">{foot}{end}</p></body></html>'
)
_LINE: Final = Markup('<p style="margin:0 0 10px"><a href="{1}" style="color:#7a3b12;font-weight:bold">{0}</a><br>{2}</p>')
_BUTTON: Final = Markup(
    '<p style="margin:16px 0"><a href="{1}" style="display:inline-block;padding:11px 18px;background:#7a3b12;color:#fff;'
    'border-radius:8px;text-decoration:none">{0}</a></p>'
)
_END: Final = Markup('<br><a href="{1}" style="color:inherit">{0}</a>')


@dataclass(frozen=True)
class Letter:
    """What stands in a mail.

    Attributes:
        intro: the text before the links.
        links: each with its words, its address, and a line about it; without this line it is a button.
        foot: why the person gets the mail.
        unsubscribe: the address that ends mails like this; "" without one.
    """

    subject: str
    intro: str
    links: Sequence[tuple[str, str, str]]
    foot: str
    unsubscribe: str = ""

    def message(self, server: MailServer, to: str, at: datetime, id: str) -> EmailMessage:
        """Return the mail. ``id``: the part of its Message-ID before the sender's host."""
        message = EmailMessage(policy=_POLICY)
        message["From"] = Address(server.name, addr_spec=server.sender)
        message["To"] = Address(addr_spec=to)
        message["Subject"] = self.subject
        message["Date"] = format_datetime(at)
        message["Message-ID"] = f"<{id}@{server.sender.rpartition('@')[2]}>"
        message["Auto-Submitted"] = "auto-generated"  # RFC 3834
        end = [(_("No more mails about turns"), self.unsubscribe)] if self.unsubscribe else []
        if self.unsubscribe:
            message["List-Unsubscribe"] = f"<{self.unsubscribe}>"
            message["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"  # RFC 8058
        links = [f"{words}\n{about}\n{url}" if about else f"{words}:\n{url}" for words, url, about in self.links]
        ends = [f"{words}:\n{url}" for words, url in end]
        message.set_content("\n\n".join([self.intro, *links, "-- \n" + self.foot, *ends]) + "\n")
        html = _PAGE.format(
            language=current_language(),
            subject=self.subject,
            intro=self.intro,
            links=Markup("").join((_LINE if each[2] else _BUTTON).format(*each) for each in self.links),
            foot=self.foot,
            end=Markup("").join(_END.format(*each) for each in end),
        )
        message.add_alternative(str(html), subtype="html")
        return message


async def connection_to(server: MailServer, own_host: str) -> aiosmtplib.SMTP:
    """Return a connection to a mail server, for ``async with``, encrypted and signed in as it is set.

    ``own_host``: what the hall calls itself. The block raises OSError or aiosmtplib.SMTPException.
    """
    import aiosmtplib  # noqa: PLC0415

    is_encrypted = server.security != "none"
    context = await run_in_thread(ssl.create_default_context) if is_encrypted else None
    return aiosmtplib.SMTP(
        hostname=server.host,
        port=server.port,
        username=server.user or None,
        password=server.password or None,
        use_tls=server.security == "tls",
        start_tls=server.security == "starttls",
        tls_context=context,
        local_hostname=own_host,
        timeout=_TIMEOUT,
    )


async def send(server: MailServer, message: EmailMessage, own_host: str) -> tuple[str, str]:
    """Send a mail, and return what became of it, and what the server has said.

    ``sent``; ``later``, it may be tried again; ``stopped``, the server refuses the address; ``refused``, it refuses the mail.
    The server accepts it once: only if the process is killed before it has the answer, the mail is sent again.
    """
    sending = asyncio.create_task(_send(server, message, own_host))
    try:
        return await asyncio.shield(sending)
    except asyncio.CancelledError:  # the hall stops, and this is the last thing that it does
        return await sending


async def _send(server: MailServer, message: EmailMessage, own_host: str) -> tuple[str, str]:
    import aiosmtplib  # noqa: PLC0415

    outcome, reason = "sent", ""
    try:
        async with asyncio.timeout(_TIMEOUT), await connection_to(server, own_host) as connection:
            await connection.sendmail(server.sender, message["To"], message.as_bytes())
    except aiosmtplib.SMTPRecipientsRefused as error:
        refusal = error.recipients[0]
        outcome, reason = "stopped" if refusal.code >= 500 else "later", f"{refusal.code} {refusal.message}"
    except aiosmtplib.SMTPDataError as error:
        outcome, reason = "refused" if error.code >= 500 else "later", f"{error.code} {error.message}"
    except (OSError, aiosmtplib.SMTPException, ValueError) as error:  # the host can mend it
        outcome, reason = "later", str(error) or "no answer"
    MAILS.labels(outcome).inc()
    reason = "".join(filter(str.isprintable, " ".join(reason.split())))[:_LONGEST_REASON]
    if outcome in ("later", "refused"):
        log.warning("the mail server %s has not taken a mail: %s", server.host, reason)
    return outcome, reason
