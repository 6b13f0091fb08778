"""Write mails: as plain text, and as HTML, which looks like the hall."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime
from typing import Final

from markupsafe import Markup

from meadhall.engine.text.language import current_language, gettext as _, ngettext
from meadhall.server.settings import MailServer

_DAY: Final = 86400
_HOUR: Final = 3600
_MINUTE: Final = 60

_PAGE: Final = Markup(
    '<!doctype html><html lang="{language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
    '<meta name="color-scheme" content="light dark"><title>{subject}</title></head>'
    '<body style="margin:0;padding:16px;background:#f3ead8;color:#2b2118;font:16px/1.5 Georgia,serif">'
    '<div style="max-width:34em;margin:0 auto;padding:20px 24px;background:#fffaf0;border:1px solid #d8c7a3;border-radius:10px">'
    '<p style="margin:0 0 12px;color:#7a5a1e;letter-spacing:.08em">MEADHALL</p>'
    '<h1 style="margin:0 0 12px;font-size:22px;line-height:1.25">{subject}</h1>{body}</div>'
    '<p style="max-width:39em;margin:12px auto;color:#5c5044;font-size:14px">{foot}</p></body></html>'
)
_PARAGRAPH: Final = Markup('<p style="margin:0 0 12px">{}</p>')
_LINE: Final = Markup('<p style="margin:0 0 10px"><a href="{}" style="color:#7a3b12;font-weight:bold">{}</a><br>{}</p>')
_BUTTON: Final = Markup(
    '<p style="margin:16px 0"><a href="{}" style="display:inline-block;padding:11px 18px;background:#7a3b12;color:#fff;'
    'border-radius:8px;text-decoration:none">{}</a></p>'
)


_POLICY: Final = SMTP.clone(max_line_length=998, cte_type="7bit")
"""Headers in one line, as long as RFC 5322 allows: not every provider finds an address to unsubscribe in a folded one."""


@dataclass(frozen=True)
class Waiting:
    """A table that waits for a person.

    Attributes:
        path: the path of its page.
        title: the game and the other players.
        seconds: how much time is left; None without a clock.
    """

    path: str
    title: str
    seconds: float | None


@dataclass(frozen=True)
class Letter:
    """What stands in a mail.

    Attributes:
        paragraphs: the text before the lines.
        lines: tables, each with its address, title and time.
        button: an address, and what opening it does; None without one.
        unsubscribe: the address that ends mails like this; "" without one.
        foot: why the person gets the mail.
    """

    subject: str
    paragraphs: Sequence[str]
    foot: str
    lines: Sequence[tuple[str, str, str]] = ()
    button: tuple[str, str] | None = None
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
        if self.unsubscribe:
            message["List-Unsubscribe"] = f"<{self.unsubscribe}>"
            message["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"  # RFC 8058
        message.set_content(self._text())
        message.add_alternative(str(self._html()), subtype="html")
        return message

    def _text(self) -> str:
        lines = [f"{title}\n{time}\n{url}" for url, title, time in self.lines]
        button = [f"{self.button[1]}:\n{self.button[0]}"] if self.button else []
        end = [f"{_('No more mails about turns')}:\n{self.unsubscribe}"] if self.unsubscribe else []
        return "\n\n".join([*self.paragraphs, *lines, *button, "-- \n" + self.foot, *end]) + "\n"

    def _html(self) -> Markup:
        parts = [*map(_PARAGRAPH.format, self.paragraphs), *(_LINE.format(*line) for line in self.lines)]
        parts += [_BUTTON.format(*self.button)] if self.button else []
        end = Markup('<br><a href="{}" style="color:inherit">{}</a>').format(self.unsubscribe, _("No more mails about turns"))
        foot = Markup("{}{}").format(self.foot, end if self.unsubscribe else "")
        return _PAGE.format(language=current_language(), subject=self.subject, body=Markup("").join(parts), foot=foot)


def about_turns(name: str, url: str, tables: Sequence[Waiting], unsubscribe: str) -> Letter:
    """Write that tables of a hall at this address wait for a person."""
    count = ngettext("{count} table waits for you", "{count} tables wait for you", len(tables)).format(count=len(tables))
    return Letter(
        _("It is your turn") if len(tables) == 1 else count,
        [_("Hello {name}, it is your turn here:").format(name=name)],
        _("You get one such mail while you are away, and the next one only after you have been here again."),
        [(url + table.path, table.title, _left(table.seconds)) for table in tables],
        unsubscribe=unsubscribe,
    )


def about_address(name: str, hall: str, path: str) -> Letter:
    """Ask the owner of an address whether it belongs to an account of the hall. ``path``: of the link that confirms it."""
    return Letter(
        _("Is this your address?"),
        [_("{name} has given this address to the hall {hall}. If that is you, confirm it.").format(name=name, hall=hall)],
        _("The link works once, for a day. If it isn't you, do nothing: then nothing more comes."),
        button=(hall + path, _("Confirm the address")),
    )


def about_account(name: str, hall: str, path: str) -> Letter:
    """Give the owner of an account a link that signs in to the hall. ``path``: of the link."""
    return Letter(
        _("Sign in again"),
        [
            _(
                "This link signs you in as {name} at {hall}, without a password. Then choose a new password or make a passkey."
            ).format(name=name, hall=hall)
        ],
        _("The link works once, for an hour. If you haven't asked for it, do nothing: your account stays as it is."),
        button=(hall + path, _("Sign in")),
    )


def _left(seconds: float | None) -> str:
    """Say how much time is left."""
    if seconds is None:
        return _("without a clock")
    minutes = max(1, int(seconds) // _MINUTE)
    if seconds >= 2 * _DAY:
        words = ngettext("{count} day", "{count} days", int(seconds) // _DAY).format(count=int(seconds) // _DAY)
    elif seconds >= _HOUR:
        words = ngettext("{count} hour", "{count} hours", int(seconds) // _HOUR).format(count=int(seconds) // _HOUR)
    else:
        words = ngettext("{count} minute", "{count} minutes", minutes).format(count=minutes)
    return _("{time} left").format(time=words)
