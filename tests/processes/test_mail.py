"""Mails of a real process that is killed: none is lost, and none that was sent comes twice."""

from __future__ import annotations

import asyncio
import signal
import sqlite3
from contextlib import closing
from pathlib import Path

import httpx
import pytest

from processes.process import hall_process
from server.mail_server import MailServer, link_in, mail_server
from server.people import PATIENCE

HERE = {"Sec-Fetch-Site": "same-origin", "Host": "hall.test"}
FORM = {"name": "Astrid", "password": "correct horse battery"}


async def count(server: MailServer, mails: int) -> None:
    async with asyncio.timeout(PATIENCE):
        while len(server.mails) < mails:
            await asyncio.sleep(0.02)


def waiting(data: Path) -> int:
    """Return how many mails wait in the database."""
    with closing(sqlite3.connect(data / "meadhall.db")) as database:
        return int(database.execute("SELECT count(*) FROM jobs WHERE kind LIKE 'mail%'").fetchone()[0])


@pytest.mark.slow("starts a hall three times")
async def test_a_mail_that_waits_is_sent_after_a_kill_and_one_that_was_sent_only_once(tmp_path: Path) -> None:
    with mail_server(tmp_path) as server:
        settings = {"SSL_CERT_FILE": str(tmp_path / "ca.pem"), "MEADHALL_SMTP": server.url, "MEADHALL_URL": "http://hall.test"}
        async with hall_process(tmp_path, **settings) as hall:

            async def post(client: httpx.AsyncClient, path: str, **form: str) -> None:
                answer = await client.post(path, data=form)
                assert answer.status_code == 200, hall.log.read_text()

            async with hall.client(**HERE) as client:
                await post(client, "/account/new", **FORM)
                server.answers.clear()
                await post(client, "/account/mail", address="astrid@example.org")
                async with asyncio.timeout(PATIENCE):
                    while not server.tried:
                        await asyncio.sleep(0.02)
            await hall.end(signal.SIGKILL)  # while the server has the mail, and hasn't accepted it
            await hall.start()
            server.answers.set()
            await count(server, 1)
            async with hall.client(**HERE) as client:
                await post(client, link_in(server.mails[-1], "/mail/confirm/"))
                await post(client, "/sign-in/forgotten", name="Astrid")
                await count(server, 2)
            async with asyncio.timeout(PATIENCE):
                while waiting(tmp_path):
                    await asyncio.sleep(0.02)
            await hall.end(signal.SIGKILL)
            await hall.start()
            async with hall.client(**HERE) as client:
                await post(client, "/sign-in/forgotten", name="Astrid")
                await count(server, 3)
            assert [mail["Subject"] for mail in server.mails] == ["Is this your address?", "Sign in again", "Sign in again"]
