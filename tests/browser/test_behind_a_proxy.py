"""A match through the real nginx, below a path of another site, over HTTPS and HTTP/2, with JavaScript and without."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect

from browser.conftest import chromium
from browser.people import Person
from browser.server import ENDED, Hall
from browser.table import open_table, play_now
from proxies import SUB_PATH, Proxy, nginx


@pytest.fixture(scope="module")
def proxy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Proxy]:
    folder = tmp_path_factory.mktemp("proxy")
    hall = Hall(tmp_path_factory.mktemp("hall"), MEADHALL_URL=SUB_PATH)
    with nginx(folder, SUB_PATH, [hall.port]) as proxy:
        hall.start("axes-and-allies")
        yield proxy
        assert hall.stop() in ENDED, hall.log.read_text()


@pytest.fixture
def visitors(browser: Browser, proxy: Proxy) -> Iterator[Browser]:
    """A Chromium for which the proxy is the public host."""
    trusting = "--ignore-certificate-errors"  # for service workers, too
    started = browser.browser_type.launch(executable_path=chromium(), args=["--no-sandbox", proxy.resolver_rules, trusting])
    yield started
    started.close()


@pytest.mark.parametrize("scripts", [True, False], ids=["with JavaScript", "without JavaScript"])
def test_a_match_is_played_below_a_path(visitors: Browser, proxy: Proxy, scripts: bool) -> None:
    """Everything that the pages request is below this path; a person's faults name every request elsewhere."""
    person = Person(visitors, proxy.url, ignore_https_errors=True, java_script_enabled=scripts)
    if scripts:
        protocol = "performance.getEntriesByType('navigation')[0].nextHopProtocol"
        person.open("/")
        assert person.page.evaluate(protocol) == "h2"
    table = play_now(person)
    table.play_on()
    assert person.page.url.startswith(f"{proxy.url}tables/")
    assert table.headline.startswith(("You win", "You lost"))
    person.page.get_by_role("link", name="Replay").first.click()
    expect(person.page.locator("#step-back")).to_be_visible()
    person.open("/settings")
    person.page.get_by_label("Name").fill("Ada")
    person.page.get_by_role("button", name="Save").click()
    expect(person.page.get_by_role("link", name="Ada")).to_be_visible()
    (cookie,) = person.context.cookies()
    assert (cookie["name"], cookie["path"], cookie["secure"]) == ("meadhall_guest", "/hall/", True)
    person.leave()
    assert person.faults == []


def test_friends_meet_by_the_invitation(visitors: Browser, proxy: Proxy) -> None:
    """The link has the public address, and the friend's page follows each move."""
    host, friend = (Person(visitors, proxy.url, ignore_https_errors=True) for _ in range(2))
    tables = open_table(host, friend)
    while not tables[0].over:
        mover = next((table for table in tables if table.my_turn), None)
        if mover is not None:
            mover.act()
            for table in tables:
                table.wait_for_event(mover.newest_event)
    for person in (host, friend):
        person.leave()
        assert person.faults == []


def test_the_service_worker_serves_the_hall_and_nothing_beside_it(visitors: Browser, proxy: Proxy) -> None:
    person = Person(visitors, proxy.url, ignore_https_errors=True)
    page = person.open("/settings")
    scope = page.evaluate("navigator.serviceWorker.ready.then(worker => worker.scope)")
    assert scope == proxy.url
    page.wait_for_function("() => navigator.serviceWorker.controller")
    person.allow("ERR_INTERNET_DISCONNECTED", "Failed to load resource")
    person.context.set_offline(True)
    person.open("/daily")
    expect(page.get_by_role("heading")).to_have_text("The hall can't be reached.")
    person.context.set_offline(False)
    page.get_by_role("link", name="Try again").click()
    expect(page.get_by_role("heading", level=1)).not_to_have_text("The hall can't be reached.")
    assert page.url.endswith("/hall/daily")
    person.leave()
    assert person.faults == []
