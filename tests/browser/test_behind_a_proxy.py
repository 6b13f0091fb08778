"""A match through the real nginx, below a path of another site, over HTTPS and HTTP/2, with JavaScript and without."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from browser.conftest import ARGUMENTS, chromium
from browser.devices import INSTALLED
from browser.people import NewPerson, Person
from browser.server import ENDED, QUICK, Hall
from browser.table import ally_first, fill_lobby, resign, whose_turn
from proxies import SUB_PATH, Proxy, nginx


@pytest.fixture(scope="module")
def proxy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Proxy]:
    folder = tmp_path_factory.mktemp("proxy")
    hall = Hall(tmp_path_factory.mktemp("hall"), command=QUICK, MEADHALL_URL=SUB_PATH)
    with nginx(folder, SUB_PATH, hall.port) as proxy:
        hall.start()
        yield proxy
        assert hall.stop() in ENDED, hall.log.read_text()


@pytest.fixture
def visitor(browser: Browser, proxy: Proxy) -> Iterator[NewPerson]:
    """Return a function that creates people. For their Chromium the proxy is the public host."""
    trusting = "--ignore-certificate-errors"  # for service workers, too
    started = browser.browser_type.launch(executable_path=chromium(), args=[*ARGUMENTS, proxy.resolver_rules, trusting])
    here: list[Person] = []

    def person(**options: Any) -> Person:
        here.append(Person(started, proxy.url, ignore_https_errors=True, **options))
        return here[-1]

    yield person
    for each in here:
        each.leave()
    started.close()
    assert [fault for each in here for fault in each.faults] == []


@pytest.mark.slow("starts a hall, nginx and another browser")
def test_a_match_is_played_below_a_path(visitor: NewPerson, proxy: Proxy) -> None:
    """Everything that the pages request is below this path; a person's faults name every request elsewhere.

    The invitation has the public address, and each page follows each move.
    """
    host, friend = visitor(), visitor(**INSTALLED)
    host.open("/")
    assert host.page.evaluate("performance.getEntriesByType('navigation')[0].nextHopProtocol") == "h2"
    tables = fill_lobby(host, friend)
    host.page.locator("#start").click()
    for table in tables:
        table.wait_for_game()
    for _ in range(2):
        mover = whose_turn(tables)
        assert mover is not None
        mover.act(ally_first)
        for table in tables:
            table.wait_for_event(mover.newest_event)
    resign(host.page)
    expect(friend.page.locator("#end-title")).to_have_text("You win")
    look_around(host, proxy)
    _check_the_service_worker(friend, proxy)


def look_around(person: Person, proxy: Proxy) -> None:
    """Go from the end of a match to its replay and to the settings."""
    assert person.page.url.startswith(f"{proxy.url}tables/")
    person.page.get_by_role("link", name="Replay").first.click()
    expect(person.page.locator("#step-back")).to_be_visible()
    person.open("/settings")
    person.page.get_by_label("Name").fill("Ada")
    person.page.get_by_role("button", name="Save").click()
    expect(person.page.get_by_role("link", name="Ada")).to_be_visible()
    (cookie,) = person.context.cookies()
    assert (cookie["name"], cookie["path"], cookie["secure"]) == ("meadhall_guest", "/hall/", True)


def _check_the_service_worker(person: Person, proxy: Proxy) -> None:
    """The service worker serves the hall and nothing beside it."""
    page = person.open("/settings")
    assert page.evaluate("navigator.serviceWorker.ready.then(worker => worker.scope)") == proxy.url
    page.wait_for_function("() => navigator.serviceWorker.controller")
    person.allow("ERR_INTERNET_DISCONNECTED", "Failed to load resource")
    person.context.set_offline(True)
    person.open("/daily")
    expect(page.get_by_role("heading")).to_have_text("The hall can't be reached.")
    expect(page.get_by_role("link", name="Try again")).to_have_attribute("href", f"{proxy.url}daily")
    person.context.set_offline(False)  # the page loads itself again, so there may be no time to follow the link
    expect(page.get_by_role("heading", level=1)).not_to_have_text("The hall can't be reached.")
    assert page.url.endswith("/hall/daily")
