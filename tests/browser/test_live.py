"""No page is silently out of date: streams that are held, half-open or never begin, through a real proxy that is bad."""

from __future__ import annotations

import runpy
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from browser.bad_proxy import BadProxy
from browser.conftest import ROOT
from browser.people import NewPerson, Person
from browser.server import Hall
from browser.table import VIKING_AXES, Table, ally_first, open_table, whose_turn

DEAD = 41_000
"""Milliseconds after which a stream without a byte counts as dead."""

UNBEGUN = 16_000
"""Milliseconds after which a stream counts as dead that never begins."""

LOST, POLLING, BACK = "Connection lost", "Live updates don't get through", "Reconnected."


@pytest.fixture
def proxy(hall: Hall) -> Iterator[BadProxy]:
    started = BadProxy(hall.port)
    with started.running():
        yield started


@pytest.fixture
def behind(browser: Browser, proxy: BadProxy) -> Iterator[Callable[..., Person]]:
    """Return a function that creates people who reach the hall through the proxy, with a clock that tests advance."""
    here: list[Person] = []

    def person(**options: Any) -> Person:
        here.append(Person(browser, proxy.url, **options))
        here[-1].context.clock.install()
        return here[-1]

    yield person
    proxy.become("good")
    for each in here:
        each.leave()
    assert [fault for each in here for fault in each.faults] == []


def play_at(tables: list[Table], watched: Table) -> int:
    """Play a move on another page, and return the version that the watched page should show now."""
    before = watched.version
    actor = whose_turn([table for table in tables if table is not watched])
    assert actor is not None
    actor.act(ally_first)
    assert actor.version > before
    return actor.version


def toast(page: Page) -> Any:
    return expect(page.locator("#toast"))


def hide(page: Page, is_hidden: bool) -> None:
    """Let a page believe that its tab is hidden."""
    page.evaluate(
        "is => { Object.defineProperty(document, 'hidden', { value: is, configurable: true });"
        " document.dispatchEvent(new Event('visibilitychange')); }",
        is_hidden,
    )


def watch(new_person: NewPerson, visitor: Person) -> tuple[list[Table], Table]:
    """Return the pages of two players, neither of whom can win early, and the page of a visitor who watches them."""
    players = open_table(new_person(), new_person(), game=VIKING_AXES)
    watching = Table(visitor.open(players[0].path))
    watching.wait_for_game()
    return players, watching


def test_a_half_open_stream_is_replaced_whatever_tells_of_it(new_person: NewPerson, behind: NewPerson, proxy: BadProxy) -> None:
    players, watching = watch(new_person, behind())
    page = watching.page

    def look_again() -> None:
        page.clock.run_for(6_000)
        page.evaluate("dispatchEvent(new Event('focus'))")

    for tell in (
        lambda: page.clock.run_for(DEAD),
        lambda: page.clock.fast_forward(30_000),  # the machine slept
        look_again,
        lambda: page.evaluate("dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))"),
        lambda: page.evaluate("dispatchEvent(new Event('online'))"),
    ):
        proxy.wait_for_streams(1)
        proxy.become("half-open")
        version = play_at(players, watching)
        tell()
        page.clock.resume()
        watching.wait_for_version(version)


def test_a_page_loads_the_frame_that_its_stream_does_not_bring(new_person: NewPerson, behind: NewPerson, proxy: BadProxy) -> None:
    """The hall believes that the stream is open, so it answers a form without the frame."""
    own = behind()
    players = open_table(own, new_person())
    while (actor := whose_turn(players)) is not players[0]:
        assert actor is not None
        actor.act(ally_first)
    proxy.wait_for_streams(1)
    proxy.become("half-open")
    statuses: list[int] = []
    own.page.on("response", lambda answer: statuses.append(answer.status) if answer.url.endswith("/act") else None)
    before = actor.version
    actor.choices.last.click()
    actor.wait_for_version(before + 1)
    assert statuses == [204]
    assert len(proxy.streams) == 1


def test_a_page_is_not_loaded_again_while_its_stream_lives(new_person: NewPerson, behind: NewPerson, proxy: BadProxy) -> None:
    players, watching = watch(new_person, behind())
    proxy.wait_for_streams(1)
    watching.page.clock.run_for(5_000)
    watching.wait_for_version(play_at(players, watching))
    watching.page.evaluate("dispatchEvent(new Event('focus'))")
    watching.page.clock.run_for(15_000)
    watching.wait_for_version(play_at(players, watching))
    assert len(proxy.streams) == 1
    toast(watching.page).to_be_hidden()


@pytest.mark.parametrize("manner", ["holds bodies", "buffers"])
def test_a_page_polls_and_says_so_while_no_stream_comes_through(
    new_person: NewPerson, behind: NewPerson, proxy: BadProxy, manner: Any
) -> None:
    proxy.become(manner)
    players, watching = watch(new_person, behind())
    page = watching.page
    version = play_at(players, watching)
    page.clock.run_for(UNBEGUN)
    toast(page).to_contain_text(POLLING)
    watching.wait_for_version(version)
    version = play_at(players, watching)
    page.clock.run_for(6_000)
    watching.wait_for_version(version)
    toast(page).to_contain_text(POLLING)

    proxy.become("good")
    page.clock.run_for(UNBEGUN)
    page.clock.resume()
    toast(page).to_have_text(BACK)
    watching.wait_for_version(play_at(players, watching))


def test_chat_is_polled_too(new_person: NewPerson, behind: NewPerson, proxy: BadProxy) -> None:
    proxy.become("buffers")
    speaker, visitor = new_person(), behind()
    path = open_table(new_person(), new_person())[0].path
    speaker.open(path)
    page = visitor.open(path)
    page.clock.run_for(UNBEGUN)
    toast(page).to_contain_text(POLLING)
    speaker.ask(f"{path}/chat", text="Skal!", key="skal")
    page.clock.run_for(6_000)
    page.evaluate("() => { document.getElementById('talk-panel').open = true; }")
    expect(page.locator("#talk-lines")).to_contain_text("Skal!")


def test_a_script_that_comes_late_misses_no_event(new_person: NewPerson) -> None:
    """The chat is patched: without its first event a page could not read the next one."""
    host, friend = new_person(), new_person()
    path = open_table(host, friend)[0].path
    held: list[Route] = []
    friend.page.route("**/js/talk.js*", lambda route: held.append(route))  # noqa: PLW0108 - playwright wants a function
    friend.page.goto(f".{path}", wait_until="commit")
    expect(friend.page.locator("#board")).to_be_visible()
    for text in ("Skal!", "Again!"):
        host.ask(f"{path}/chat", text=text, key=text)
        if held:
            held.pop().continue_()
            friend.page.wait_for_load_state()
    expect(friend.page.locator("#talk-lines")).to_contain_text("Again!")


def test_the_first_failure_is_told(new_person: NewPerson, behind: NewPerson, proxy: BadProxy) -> None:
    players, watching = watch(new_person, behind())
    proxy.wait_for_streams(1)
    proxy.become("half-open")
    proxy.become("dead")
    page = watching.page
    page.clock.run_for(DEAD + UNBEGUN)
    toast(page).to_contain_text(LOST)
    version = play_at(players, watching)
    proxy.become("good")
    page.clock.resume()
    toast(page).to_have_text(BACK)
    watching.wait_for_version(version)


def test_the_hall_itself_says_that_it_is_old_and_looks_when_the_network_is_back(behind: NewPerson, proxy: BadProxy) -> None:
    visitor = behind()
    visitor.allow("htmx:error: timeout")  # htmx itself writes it
    page = visitor.open("/")
    expect(page.locator("#hall")).to_be_visible()
    page.wait_for_load_state()
    proxy.become("dead")
    page.clock.run_for(36_000)
    toast(page).to_contain_text(LOST)
    proxy.become("good")
    page.evaluate("dispatchEvent(new Event('online'))")
    page.clock.resume()
    toast(page).to_have_text(BACK)


def test_the_example_of_a_bot_plays_on_without_streams(proxy: BadProxy, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("time.sleep", lambda _seconds: None)
    monkeypatch.setattr("sys.argv", ["bot.py", proxy.url, "viking-axes"])
    proxy.become("breaks off")
    bot = runpy.run_path(str(ROOT / "examples" / "bot.py"))
    assert bot["play"]()
    assert len(proxy.streams) > 1


def test_nobody_sees_a_guest_leave_whose_page_connects_again(new_person: NewPerson, behind: NewPerson, proxy: BadProxy) -> None:
    host, friend = new_person(), behind()
    open_table(host, friend)
    proxy.wait_for_streams(1)
    host.page.evaluate(
        "() => { window.left = false; new MutationObserver(() => { window.left ||= !!document.querySelector('#plate-1 .away'); })"
        ".observe(document.getElementById('frame'), { subtree: true, childList: true, attributes: true }); }"
    )
    for count in (2, 3):
        with friend.page.expect_response("**/stream"):
            friend.page.evaluate("dispatchEvent(new Event('online'))")
        assert len(proxy.streams) == count
    proxy.wait_for_streams(1)
    assert not host.page.evaluate("window.left")


def test_hidden_tabs_give_their_connection_back(new_person: NewPerson, behind: NewPerson, proxy: BadProxy) -> None:
    players, watching = watch(new_person, behind())
    proxy.wait_for_streams(1)
    hide(watching.page, True)
    proxy.wait_for_streams(0)
    version = play_at(players, watching)
    hide(watching.page, False)
    watching.wait_for_version(version)
    proxy.wait_for_streams(1)
