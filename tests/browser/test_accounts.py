"""Accounts in a real browser: passkeys with Chromium's virtual authenticator, passwords without JavaScript, and the looks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, CDPSession, Page, expect

from browser.accessibility import Inspector
from browser.checks import scrolls_sideways
from browser.devices import PHONE
from browser.layout import overlapping_targets, overlapping_texts, small_targets
from browser.people import NewPerson, Person
from browser.server import Hall
from browser.table import VIKING_AXES, play_now

PASSWORD = "a shield wall in the rain"  # noqa: S105
WINDOWS = [(1440, 900), (1024, 768), (768, 1024), (390, 844)]


@pytest.fixture
def at_localhost(browser: Browser, hall: Hall) -> Iterator[NewPerson]:
    """Return a function that creates people at ``localhost``: browsers make no passkeys for an IP address."""
    here: list[Person] = []

    def person(**options: Any) -> Person:
        here.append(Person(browser, hall.url.replace("127.0.0.1", "localhost"), **options))
        return here[-1]

    yield person
    for each in here:
        each.leave()
    faults = [fault for each in here for fault in each.faults]
    assert not faults, "\n".join(faults)


class Authenticator:
    """The authenticator of a person's device, as Chromium simulates it."""

    def __init__(self, person: Person) -> None:
        self.devtools: CDPSession = person.context.new_cdp_session(person.page)
        self.devtools.send("WebAuthn.enable")
        options = {
            "protocol": "ctap2",
            "transport": "internal",
            "hasResidentKey": True,
            "hasUserVerification": True,
            "isUserVerified": True,
            "automaticPresenceSimulation": True,
        }
        self.id = self.devtools.send("WebAuthn.addVirtualAuthenticator", {"options": options})["authenticatorId"]

    @property
    def passkeys(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.devtools.send("WebAuthn.getCredentials", {"authenticatorId": self.id})["credentials"]
        return found

    def sync_to(self, other: Authenticator) -> None:
        """Copy the passkeys to another device, as the cloud of a person's devices does."""
        for passkey in self.passkeys:
            other.devtools.send("WebAuthn.addCredential", {"authenticatorId": other.id, "credential": passkey})

    def refuse(self) -> None:
        """Let the person fail to prove who they are from now on."""
        self.devtools.send("WebAuthn.setUserVerified", {"authenticatorId": self.id, "isUserVerified": False})
        self.devtools.send("WebAuthn.removeVirtualAuthenticator", {"authenticatorId": self.id})


def keep_by_passkey(person: Person, name: str) -> Page:
    page = person.open("/settings")
    page.get_by_role("link", name="Keep my name").click()
    page.get_by_label("Your name").fill(name)
    page.get_by_role("button", name="Keep my name with a passkey").click()
    expect(page.locator(".codes code")).to_have_count(10)
    return page


def keep_by_password(person: Person, name: str) -> Page:
    page = person.open("/account/new")
    page.get_by_label("Your name").fill(name)
    page.get_by_label("A password").fill(PASSWORD)
    page.get_by_role("button", name="Keep my name with this password").click()
    expect(page.locator(".codes code")).to_have_count(10)
    return page


def has_seat(page: Page) -> None:
    """Wait until the page shows what only the owner of a seat can do."""
    expect(page.locator("#undo")).to_have_count(1)


def test_a_guest_makes_an_account_by_passkey_and_signs_in_on_another_device(at_localhost: NewPerson) -> None:
    laptop, phone = at_localhost(), at_localhost(**PHONE)
    on_laptop, on_phone = Authenticator(laptop), Authenticator(phone)
    play_now(laptop, VIKING_AXES)  # a match that bots don't win meanwhile
    match = laptop.page.url
    page = keep_by_passkey(laptop, "Yngvild")
    assert len(on_laptop.passkeys) == 1
    page.get_by_role("link", name="I have kept them").click()
    expect(page.get_by_role("heading", name="Your account")).to_be_visible()
    expect(page.locator(".things").first).to_contain_text("Chrome on Linux")
    laptop.open(match)
    expect(page.locator("#plate-0")).to_contain_text("you")

    play_now(phone, VIKING_AXES)
    carried = phone.page.url
    on_laptop.sync_to(on_phone)
    page = phone.open("/settings")
    page.get_by_role("main").get_by_role("link", name="Sign in").click()
    expect(page.get_by_label("Take along what")).to_be_checked()
    page.get_by_role("button", name="Sign in with a passkey").click()
    expect(page).to_have_url(re.compile("/$"))
    expect(page.locator("header")).to_contain_text("Yngvild")
    for person, own in ((laptop, carried), (phone, match)):
        person.open(own)
        has_seat(person.page)

    # The phone is signed out: its open page loses the seat. Another passkey takes the place of the password.
    has_seat(phone.page)
    page = laptop.open("/account")
    page.get_by_role("button", name="Sign out all other devices").click()
    expect(page.get_by_role("status").filter(has_text="All other devices")).to_be_visible()
    expect(phone.page.locator("#undo")).to_have_count(0)
    page.get_by_label("A password").fill(PASSWORD)
    page.get_by_role("button", name="Set the password").click()
    page.get_by_role("button", name=re.compile("^Remove.*Chrome on Linux")).click()
    expect(page.get_by_text("You have no passkey.")).to_be_visible()
    page.get_by_role("button", name="Add a passkey").click()
    expect(page.get_by_role("status").filter(has_text="The passkey was added")).to_be_visible()


def test_what_is_refused_changes_nothing_and_says_so(at_localhost: NewPerson, new_person: NewPerson) -> None:
    """A name that is taken is refused before a passkey is made; then the device refuses to make one."""
    keep_by_password(at_localhost(java_script_enabled=False), "Solveig")
    person = at_localhost()
    person.allow("409")
    authenticator = Authenticator(person)
    page = person.open("/account/new")
    page.get_by_label("Your name").fill("SOLVEIG")
    keep = page.get_by_role("button", name="Keep my name with a passkey")
    keep.click()
    expect(page.get_by_role("alert").filter(has_text="belongs to another player")).to_be_visible()
    assert authenticator.passkeys == []
    authenticator.refuse()
    page.get_by_label("Your name").fill("Ragnhild")
    page.evaluate("() => { navigator.credentials.create = () => Promise.reject(new DOMException('no', 'NotAllowedError')); }")
    keep.click()
    expect(page.get_by_role("alert").filter(has_text="That didn't work")).to_be_visible()
    expect(keep).to_be_enabled()
    page.goto("/account")
    expect(page).to_have_url(re.compile("/account/new$"))

    page = new_person().open("/account/new")  # at an IP address, where passkeys are impossible
    expect(page.get_by_label("A password")).to_be_visible()
    expect(page.get_by_role("button", name="passkey")).to_have_count(0)


def test_the_pages_are_accessible_and_fit_every_window(at_localhost: NewPerson) -> None:
    person = at_localhost(locale="de-DE")
    person.allow("403")
    inspector = Inspector()
    faults: list[str] = []

    def look(place: str) -> None:
        inspector.inspect(place, person.page)
        for width, height in WINDOWS:
            person.page.set_viewport_size({"width": width, "height": height})
            found = [*small_targets(person.page, 24), *overlapping_targets(person.page), *overlapping_texts(person.page)]
            found += ["scrolls sideways"] if scrolls_sideways(person.page) else []
            faults.extend(f"{place}, {width} x {height}: {fault}" for fault in found)

    Authenticator(person)
    person.open("/account/new")
    look("new")
    page = person.page
    page.locator("#account-name").fill("Bergljot")
    page.locator("[data-passkey] button").click()
    expect(page.locator(".codes code")).to_have_count(10)
    look("codes")
    person.open("/account")
    look("account")
    person.open("/account/confirm")
    look("confirm")
    person.open("/settings")
    look("settings")
    page.locator("form[action$=sign-out] button").click()
    expect(page).to_have_url(re.compile("/$"))
    person.open("/sign-in")
    look("sign in")
    page.locator("#account-name").fill("Bergljot")
    page.locator("#password").fill("wrong")
    page.locator("#password").press("Enter")
    expect(page.get_by_role("alert").first).to_be_visible()
    look("sign in, refused")
    assert inspector.found + faults == []
