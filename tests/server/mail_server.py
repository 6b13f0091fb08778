"""A mail server on loopback: it wants STARTTLS and a password, keeps the mails that it accepts, and refuses what a test wants."""

from __future__ import annotations

import asyncio
import ssl
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from email import message_from_bytes, policy
from email.message import EmailMessage
from pathlib import Path
from threading import Event
from typing import Any

import trustme
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult, Envelope, Session

from meadhall.server import settings
from ports import free_port

USER, PASSWORD = "hall@example.org", "p@ss/word:1"


NO_MAIL_SERVER = settings.MailServer("127.0.0.1", 9, "", "", "none", "hall@example.org", "Meadhall")
"""A mail server that doesn't answer: no program listens on the port for discarding (RFC 863)."""


class MailServer:
    """A mail server.

    Attributes:
        mails: the mails that it has accepted, the oldest first.
        to_recipient: the answers to the next recipients; without one it accepts them.
        to_mail: the answers to the next mails, after it has received them.
        tried: how many mails were begun.
        answers: cleared while a test lets the server wait with its answers to mails.
    """

    def __init__(self, port: int) -> None:
        self.port = port
        self.mails: list[EmailMessage] = []
        self.to_recipient: deque[str] = deque()
        self.to_mail: deque[str] = deque()
        self.tried = 0
        self.answers = Event()
        self.answers.set()

    async def handle_RCPT(self, _server: Any, _session: Session, envelope: Envelope, address: str, _options: list[str]) -> str:
        self.tried += 1
        answer = self.to_recipient.popleft() if self.to_recipient else "250 OK"
        if answer.startswith("250"):
            envelope.rcpt_tos.append(address)
        return answer

    async def handle_DATA(self, _server: Any, _session: Session, envelope: Envelope) -> str:
        await asyncio.to_thread(self.answers.wait)
        answer = self.to_mail.popleft() if self.to_mail else "250 OK"
        if answer.startswith("250"):
            assert isinstance(envelope.content, bytes)
            mail = message_from_bytes(envelope.content, policy=policy.default)
            assert mail["To"] == envelope.rcpt_tos[0]
            assert not mail.defects
            self.mails.append(mail)
        return answer

    @property
    def url(self) -> str:
        """The setting of a hall that sends by this server."""
        user, password = USER.replace("@", "%40"), PASSWORD.replace("@", "%40").replace("/", "%2F").replace(":", "%3A")
        return f"smtp://{user}:{password}@localhost:{self.port}?tls=on&from=Meadhall <hall@example.org>"


def _authenticate(_server: Any, _session: Any, _envelope: Any, _mechanism: str, given: Any) -> AuthResult:
    is_right = (given.login, given.password) == (USER.encode(), PASSWORD.encode())
    return AuthResult(success=is_right, handled=is_right)  # the server answers itself if it isn't


@contextmanager
def mail_server(folder: Path, port: int = 0) -> Iterator[MailServer]:
    """Run a mail server during the block. ``folder``: gets ``ca.pem``, the certificate by which it is trusted."""
    authority = trustme.CA()
    authority.cert_pem.write_to_path(str(folder / "ca.pem"))
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    authority.issue_cert("localhost").configure_cert(context)
    server = MailServer(port or free_port())
    controller = Controller(
        server,
        hostname="127.0.0.1",
        port=server.port,
        tls_context=context,
        require_starttls=True,
        authenticator=_authenticate,
        auth_required=True,
    )
    controller.start()
    try:
        yield server
    finally:
        controller.stop()


def link_in(mail: EmailMessage, part: str) -> str:
    """Return the path of the link in both parts of a mail that contains a text, without the address of the hall."""
    bodies = [mail.get_body((kind,)) for kind in ("plain", "html")]
    texts = [body.get_content() for body in bodies if body is not None]
    assert len(texts) == 2
    url = next(word for word in texts[0].split() if part in word)
    assert f'href="{url}"' in texts[1]
    return f"{part}{url.partition(part)[2]}"
