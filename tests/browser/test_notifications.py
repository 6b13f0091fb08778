"""Being called in a real browser: choices, sounds, the installed app, push messages, and pages that are never out of date."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Worker, expect

from browser.accessibility import Inspector
from browser.people import NewPerson, Person
from browser.server import ENDED, Hall
from browser.table import PATIENCE, Table, ally_first, open_table, play_now, whose_turn
from server.push_endpoint import PushEndpoint, push_endpoint

AXES = "axes-and-allies"

_HEAR = """
window.heard = [];
Audio.prototype.play = function () { window.heard.push(new URL(this.src).pathname.split("/").pop()); return Promise.resolve(); };
"""
"""A page without loudspeakers: it notes the sounds instead."""

_LOOK_AWAY = """
Object.defineProperty(document, "hasFocus", { value: () => !window.isAway });
"""


_KEPT = """async () => {
  const caches_ = await Promise.all((await caches.keys()).map(name => caches.open(name)));
  return (await Promise.all(caches_.map(each => each.keys()))).flat().map(each => each.url);
}"""
"""Returns the addresses that the service worker keeps."""


def choose(person: Person, *names: str) -> None:
    """Tick these boxes of the settings, and no others."""
    page = person.open("/settings")
    for box in page.locator("#notifications input[type=checkbox]").all():
        box.set_checked((box.get_attribute("name") or "") in names)
    page.get_by_role("button", name="Apply choices").click()
    page.wait_for_load_state()


def hand_over(mover: Table, tables: Sequence[Table]) -> None:
    """Let the player play until it is another player's turn."""
    while whose_turn(tables) is mover:
        mover.act(ally_first)


# --------------------------------------------------------------------------------------------------------------------- sounds


def test_no_sound_comes_before_it_is_chosen(new_person: NewPerson) -> None:
    host, friend = new_person(), new_person()
    for person in (host, friend):
        person.context.add_init_script(_HEAR + _LOOK_AWAY)
    tables = open_table(host, friend)
    mover = whose_turn(tables)
    assert mover is not None
    other = next(table for table in tables if table is not mover)
    other.page.evaluate("window.isAway = true")
    hand_over(mover, tables)
    expect(other.frame).to_have_attribute("data-turn", "yes", timeout=PATIENCE)
    other.page.wait_for_timeout(500)
    assert other.page.evaluate("heard") == []


def test_one_of_several_tabs_knocks_when_it_is_my_turn(new_person: NewPerson) -> None:
    host, friend = new_person(), new_person()
    for person in (host, friend):
        person.context.add_init_script(_HEAR + _LOOK_AWAY)
        choose(person, "sound-turn")
    tables = open_table(host, friend)
    mover = whose_turn(tables)
    assert mover is not None
    waiting, owner = next((table, person) for table, person in zip(tables, (host, friend), strict=True) if table is not mover)
    second = Table(owner.context.new_page())
    second.page.goto(waiting.page.url)
    second.wait_for_game()
    third = Table(owner.context.new_page())
    third.page.goto(waiting.page.url)
    third.wait_for_game()
    pages = [waiting.page, second.page, third.page]
    for page in pages:
        page.evaluate("window.isAway = true")
    hand_over(mover, tables)
    for page in pages:
        expect(page.locator("#frame")).to_have_attribute("data-turn", "yes", timeout=PATIENCE)
        expect(page.locator("#icon")).to_have_attribute("href", page.locator("#icon").get_attribute("data-turn") or "")
        assert page.title().startswith("● Your turn")
    waiting.page.wait_for_timeout(1000)
    heard = [sound for page in pages for sound in page.evaluate("heard")]
    assert heard == ["knock.wav"]


def test_who_looks_at_the_table_hears_no_knock(new_person: NewPerson) -> None:
    host, friend = new_person(), new_person()
    for person in (host, friend):
        person.context.add_init_script(_HEAR + _LOOK_AWAY)
        choose(person, "sound-turn")
    tables = open_table(host, friend)
    mover = whose_turn(tables)
    assert mover is not None
    other = next(table for table in tables if table is not mover)
    hand_over(mover, tables)
    expect(other.frame).to_have_attribute("data-turn", "yes", timeout=PATIENCE)
    other.page.wait_for_timeout(500)
    assert other.page.evaluate("heard") == []


@pytest.mark.parametrize(
    ("event", "kind", "sound"),
    [("short-time", "short", "drip"), ("chat", "chat", "pluck"), ("end", "end", "chime"), ("proposal", "proposal", "horn")],
)
def test_each_event_has_its_sound_and_its_volume(new_person: NewPerson, event: str, kind: str, sound: str) -> None:
    person = new_person()
    person.context.add_init_script(_HEAR + _LOOK_AWAY)
    choose(person, f"sound-{kind}")
    play_now(person)
    page = person.page
    page.evaluate("window.isAway = true")
    page.evaluate("name => document.dispatchEvent(new CustomEvent('meadhall:' + name, { detail: { id: 'x' } }))", event)
    page.wait_for_function("() => heard.length")
    assert page.evaluate("heard") == [f"{sound}.wav"]


def test_unread_lines_are_counted_in_the_title_until_the_page_is_looked_at(new_person: NewPerson) -> None:
    person = new_person()
    person.context.add_init_script(_LOOK_AWAY)
    play_now(person)
    page = person.page
    page.evaluate("window.isAway = true")
    for id in ("1", "2"):
        page.evaluate("id => document.dispatchEvent(new CustomEvent('meadhall:chat', { detail: { id } }))", id)
    assert page.title().startswith("(2) ")
    page.evaluate("window.isAway = false; dispatchEvent(new Event('focus'))")
    assert not page.title().startswith("(")


def test_trying_a_sound_plays_it(new_person: NewPerson) -> None:
    person = new_person()
    person.context.add_init_script(_HEAR)
    page = person.open("/settings")
    page.get_by_role("checkbox", name="A match ends: Sound").check()
    assert page.evaluate("heard") == ["chime.wav"]


# ------------------------------------------------------------------------------------------------------------------- settings


def test_choices_are_kept_without_javascript(new_person: NewPerson) -> None:
    person = new_person(java_script_enabled=False)
    choose(person, "sound-end", "push-turn")
    page = person.open("/settings")
    checked = page.locator("#notifications input:checked").evaluate_all("all => all.map(each => each.name)")
    assert set(checked) == {"sound-end", "push-turn"}
    expect(page.locator("#push-here")).to_be_hidden()


def test_a_browser_that_blocks_notifications_is_explained(new_person: NewPerson) -> None:
    """A headless Chromium blocks them."""
    person = new_person()
    person.context.add_init_script("Notification.requestPermission = async () => 'denied'")
    page = person.open("/settings")
    page.get_by_role("checkbox", name="It is my turn: Open page").click()
    expect(page.locator("#toast")).to_contain_text("blocks notifications")
    expect(page.get_by_role("checkbox", name="It is my turn: Open page")).not_to_be_checked()
    page.get_by_role("button", name="Turn on here").click()
    expect(page.locator("#toast")).to_contain_text("blocks notifications")


def test_permission_is_asked_only_after_a_click(new_person: NewPerson) -> None:
    person = new_person()
    person.context.add_init_script("window.asked = 0; Notification.requestPermission = async () => (window.asked++, 'denied')")
    for path in ("/", "/settings"):
        page = person.open(path)
        page.wait_for_timeout(1000)
        assert page.evaluate("asked") == 0


def test_the_settings_and_the_offline_page_are_accessible(new_person: NewPerson) -> None:
    inspector = Inspector()
    person = new_person(reduced_motion="reduce")
    for path in ("/settings", "/offline"):
        inspector.inspect(path, person.open(path))
    assert inspector.found == []


# ---------------------------------------------------------------------------------------------------------- the installed app


def controlled(page: Page) -> None:
    """Wait until the service worker serves the page."""
    page.wait_for_function("() => navigator.serviceWorker.controller")


@pytest.mark.parametrize(
    ("locale", "words"), [("en-GB", "The hall can't be reached."), ("de-DE", "Die Halle ist nicht erreichbar.")]
)
def test_a_page_says_that_there_is_no_connection(new_person: NewPerson, locale: str, words: str) -> None:
    person = new_person(locale=locale)
    person.allow("ERR_INTERNET_DISCONNECTED", "Failed to load resource")
    page = person.open("/")
    controlled(page)
    person.context.set_offline(True)
    person.open("/daily")
    expect(page.get_by_role("heading")).to_have_text(words)
    assert page.evaluate("document.fonts.ready.then(() => document.fonts.check('20px Grenze'))")
    assert page.url.endswith("/daily")
    person.context.set_offline(False)
    expect(page.locator("#daily, main h1")).not_to_have_text(words, timeout=PATIENCE)  # it comes back by itself


def test_the_offline_page_follows_the_language_and_the_theme(new_person: NewPerson) -> None:
    person = new_person()
    person.allow("ERR_INTERNET_DISCONNECTED", "Failed to load resource")
    page = person.open("/settings")
    controlled(page)
    page.locator("input[name=language][value=de]").check()
    page.locator("input[name=theme][value=dark]").check()
    page.get_by_role("button", name="Save").click()
    page.wait_for_function(
        """async () => {
          const kept = await (await caches.open("meadhall-offline")).match("/offline");
          return (await kept.text()).includes('lang="de" data-theme="dark"');
        }"""
    )


def test_no_page_of_the_hall_is_kept(new_person: NewPerson) -> None:
    """After a move, neither a reload nor the way back and forward shows the state before it."""
    host, friend = new_person(), new_person()
    tables = open_table(host, friend)
    for table in tables:
        controlled(table.page)
    mover = whose_turn(tables)
    assert mover is not None
    newest = mover.newest_event
    page = mover.page
    mover.act(ally_first)
    mover.wait_for_event(newest + 1)
    version, url = mover.version, page.url
    page.goto("/")
    page.go_back()
    assert page.url == url
    mover.wait_for_event(newest + 1)
    assert mover.version >= version
    page.go_back()
    page.go_forward()
    assert mover.version >= version
    page.reload()
    assert mover.version >= version
    kept = page.evaluate(_KEPT)
    assert all("offline" in each for each in kept)
    assert len(kept) > 5


def test_a_new_service_worker_takes_over_and_forgets_old_files(new_person: NewPerson) -> None:
    person = new_person()
    page = person.open("/")
    controlled(page)
    page.evaluate("caches.open('meadhall-offline').then(cache => cache.put('/static/old.css?offline', new Response('')))")
    # The browser installs the same file again from another address as if it had changed.
    page.evaluate("navigator.serviceWorker.register('/service-worker.js?next', { scope: '/' })")
    page.wait_for_function("() => navigator.serviceWorker.controller.scriptURL.endsWith('?next')")
    page.wait_for_function(f"() => ({_KEPT})().then(kept => !kept.some(each => each.includes('old.css')))")
    person.open("/settings")
    expect(page.get_by_role("heading", name="Notifications")).to_be_visible()


# --------------------------------------------------------------------------------------------------------------- push messages


@pytest.fixture
def endpoint() -> Iterator[PushEndpoint]:
    with push_endpoint() as opened:
        yield opened


@pytest.fixture
def calling(tmp_path: Path, endpoint: PushEndpoint) -> Iterator[Hall]:
    """Start a hall for one test, which may send to the push service on loopback."""
    hall = Hall(tmp_path / "hall", MEADHALL_PUSH_SERVICES=endpoint.url)
    hall.start(AXES)
    yield hall
    assert hall.stop() in ENDED


@pytest.fixture
def called(browser: Browser, calling: Hall, endpoint: PushEndpoint) -> Iterator[Callable[[], Person]]:
    """Return a function that creates people whose browsers use that push service: a headless Chromium has none."""
    here: list[Person] = []

    def person() -> Person:
        made = Person(browser, calling.url)
        made.allow("when fetching the script", "net::ERR_", "Failed to fetch")
        subscription = json.dumps(endpoint.subscription(f"browser-{len(here)}"))
        made.context.add_init_script(f"""
          Notification.requestPermission = async () => "granted";
          const kept = {{
            get: () => localStorage.getItem("test-push"),
            made: key => ({{ ...{subscription}, options: {{ applicationServerKey: key }}, toJSON: () => ({subscription}),
              unsubscribe: async () => localStorage.removeItem("test-push") }}),
          }};
          const bytes = text => Uint8Array.from(text.split(",").map(Number));
          PushManager.prototype.getSubscription = async () => (kept.get() ? kept.made(bytes(kept.get()).buffer) : null);
          PushManager.prototype.subscribe = async ({{ applicationServerKey }}) => {{
            localStorage.setItem("test-push", String([...applicationServerKey]));
            return kept.made(applicationServerKey.buffer);
          }};
        """)
        here.append(made)
        return made

    yield person
    for each in here:
        each.leave()
    assert [fault for each in here for fault in each.faults] == []


def turn_on(person: Person) -> None:
    page = person.open("/settings")
    page.get_by_role("button", name="Turn on here").click()
    expect(page.locator("#push-here p")).to_have_text("This browser gets push messages.")


def test_a_device_is_turned_on_listed_and_turned_off(called: Callable[[], Person]) -> None:
    person = called()
    turn_on(person)
    page = person.page
    expect(page.locator(".devices-told li")).to_contain_text("Chrome on Linux")
    page.get_by_role("button", name="Turn off here").click()
    expect(page.locator("#push-here p")).to_have_text("This browser gets no push messages.")
    expect(page.locator(".devices-told li")).to_have_count(0)


def shown(worker: Worker, message: dict[str, Any]) -> dict[str, Any]:
    """Deliver a message to the service worker as the browser does, and return the notification that it shows.

    A headless Chromium shows none, so the test notes it.
    """
    found: dict[str, Any] = worker.evaluate(
        """async text => {
          const shown = self.shown ??= [];
          Object.defineProperty(navigator, "setAppBadge", { value: async () => {}, configurable: true });
          self.registration.getNotifications = async ({ tag } = {}) => shown.filter(each => !tag || each.tag === tag);
          self.registration.showNotification = async (title, options) => {
            const k = shown.findIndex(each => each.tag === options.tag);
            if (k >= 0) shown.splice(k, 1);
            shown.push({ title, ...options });
          };
          const event = new PushEvent("push", { data: text });
          let waited;
          event.waitUntil = promise => { waited = promise; };
          self.dispatchEvent(event);
          await waited;
          return shown.at(-1);
        }""",
        json.dumps(message),
    )
    return found


def test_the_service_worker_shows_a_message_and_rings_once(new_person: NewPerson) -> None:
    person = new_person()
    page = person.open("/")
    controlled(page)
    (worker,) = person.context.service_workers
    message = {"id": "a", "tag": "turn:x", "title": "It is your turn", "body": "AxxA", "url": "/tables/x", "language": "en"}
    first = shown(worker, message)
    assert (first["title"], first["body"], first["tag"], first["silent"]) == ("It is your turn", "AxxA", "turn:x", False)
    again = shown(worker, message)
    assert (again["silent"], again["renotify"]) == (True, False)
    following = shown(worker, {**message, "id": "b"})
    assert (following["silent"], following["renotify"]) == (False, True)
