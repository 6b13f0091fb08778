"""An account and its mails, in real browsers and through a real mail server: from an address to a new password by a link."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from browser.checks import scrolls_sideways
from browser.devices import PHONE
from browser.people import Person
from browser.server import ENDED, QUICK, Hall
from server.mail_server import MailServer, link_in, mail_server

NAME, PASSWORD, NEW_PASSWORD = "Astrid", "a shield wall in the rain", "a longship in the fog"


def link_of(server: MailServer, mails: int, part: str) -> str:
    """Wait until the server has so many mails, and return the path of the link in the last one."""
    until = time.monotonic() + 60
    while len(server.mails) < mails:
        assert time.monotonic() < until, "no mail has come"
        time.sleep(0.02)
    return link_in(server.mails[mails - 1], part)


@contextmanager
def sending_hall(data: Path, server: MailServer) -> Iterator[Hall]:
    hall = Hall(data, command=QUICK, MEADHALL_SMTP=server.url, SSL_CERT_FILE=str(data / "ca.pem"))
    hall._settings["MEADHALL_URL"] = hall.url
    hall.start()
    try:
        yield hall
    finally:
        assert hall.stop() in ENDED, hall.log.read_text()


@pytest.mark.slow("starts a hall")
def test_an_address_is_confirmed_and_a_link_leads_back_into_the_account(browser: Browser, tmp_path: Path) -> None:
    with mail_server(tmp_path) as server, sending_hall(tmp_path, server) as hall:
        owner, plain = Person(browser, hall.url, **PHONE), Person(browser, hall.url, java_script_enabled=False)
        owner.ask("/account/new", name=NAME, password=PASSWORD)
        page = owner.open("/account")
        page.get_by_label("Your mail address").fill("astrid@example.org")
        page.get_by_role("button", name="Send a link to it").click()
        expect(page.locator(".notice.good")).to_contain_text("A mail to astrid@example.org is on its way.")

        there = plain.open(link_of(server, 1, "/mail/confirm/"))
        expect(there.locator("#main")).to_contain_text("The account Astrid gets its mails at astrid@example.org from now on.")
        there.get_by_role("button", name="Confirm the address").click()
        expect(there.get_by_role("heading", level=1)).to_have_text("The address is confirmed")

        page = owner.open("/account")
        expect(page.locator("strong", has_text="astrid@example.org")).to_be_visible()
        assert not scrolls_sideways(page)
        page.get_by_role("button", name="Sign out everywhere").click()

        there = plain.open("/sign-in")
        there.get_by_text("Lost your passkey or password?").click()
        there.get_by_role("link", name="Get a link by mail").click()
        there.get_by_label("Your name or mail address").fill("Astrid")
        there.get_by_role("button", name="Send me a link").click()
        expect(there.locator(".notice.good")).to_contain_text("a link to sign in is on its way there")
        there = plain.open(link_of(server, 2, "/identity/"))
        there.get_by_role("button", name="Continue as Astrid").click()
        there.get_by_label("A new password").fill(NEW_PASSWORD)
        there.get_by_role("button", name="Change the password").click()
        expect(there.locator(".notice.good")).to_contain_text("The password was changed")

        assert not scrolls_sideways(owner.open("/sign-in/forgotten"))
        page = owner.open("/sign-in")
        page.get_by_label("Your name", exact=True).fill(NAME)
        page.get_by_label("Your password").fill(NEW_PASSWORD)
        page.get_by_role("button", name="Sign in", exact=True).click()
        expect(page.get_by_role("heading", level=1)).not_to_have_text("Sign in")
        assert owner.faults + plain.faults == []
