"""Being called in a real browser: choices, sounds, the installed app, push messages, and pages that are never out of date."""

from __future__ import annotations

import json
from functools import partial
from typing import Any

import pytest
from playwright.sync_api import Page, Worker, expect

from browser.accessibility import Inspector
from browser.axxa_table import decide
from browser.devices import INSTALLED
from browser.people import NewPerson, Person
from browser.table import PATIENCE, Table, ally_first, open_table, whose_turn
from server.push_endpoint import PushEndpoint

_HEAR = """
window.heard = [];
Audio.prototype.play = function () { window.heard.push(new URL(this.src).pathname.split("/").pop()); return Promise.resolve(); };
"""
"""A page without loudspeakers: it notes the sounds instead."""

_LOOK_AWAY = """
Object.defineProperty(document, "hasFocus", { value: () => !window.isAway });
"""


OFFLINE = "Die Halle ist nicht erreichbar."

_KEPT = """async () => {
  const caches_ = await Promise.all((await caches.keys()).map(name => caches.open(name)));
  return (await Promise.all(caches_.map(each => each.keys()))).flat().map(each => each.url);
}"""
"""Returns the addresses that the service worker keeps."""


@pytest.fixture
def new_person(new_person: NewPerson) -> NewPerson:
    """Return a function that creates people whose pages have their service worker."""
    return partial(new_person, **INSTALLED)


def choose(person: Person, *names: str) -> None:
    """Tick these boxes of the settings, and no others."""
    page = person.open("/settings")
    page.locator("#notifications-fold > summary").click()
    for box in page.locator("#notifications input[type=checkbox]").all():
        box.set_checked((box.get_attribute("name") or "") in names)
    page.get_by_role("button", name="Save").click()
    page.wait_for_load_state()


def _pass_the_turn(mover: Table, following: Table) -> None:
    """Play until it is the other player's turn, as both pages show."""
    while not following.my_turn:
        decide(mover.page)
        following.wait_for_version(mover.version)
    mover.wait_for_version(following.version)


# --------------------------------------------------------------------------------------------------------------------- sounds


def heard(page: Page) -> list[str]:
    """Return the sounds of a page, once its scripts have handled what has arrived."""
    page.evaluate("() => new Promise(done => requestAnimationFrame(() => setTimeout(done, 100)))")
    found: list[str] = page.evaluate("heard")
    return found


def test_one_of_several_tabs_knocks_when_it_is_my_turn(new_person: NewPerson) -> None:
    """There is no sound before it is chosen, and none on a page that is looked at."""
    host, friend = new_person(), new_person()
    for person in (host, friend):
        person.context.add_init_script(_HEAR + _LOOK_AWAY)
    choose(host, "sound-turn")
    ours, theirs = tables = open_table(host, friend, game="AxxA")
    path = ours.path
    theirs.page.evaluate("window.isAway = true")
    _pass_the_turn(ours, theirs)
    assert heard(theirs.page) == [], "no sound was chosen"
    _pass_the_turn(theirs, ours)
    assert heard(ours.page) == [], "the page is looked at"

    pages = [ours.page, *(host.context.new_page() for _ in range(2))]
    for page in pages[1:]:
        page.goto(path)
        Table(page).wait_for_game()
    _pass_the_turn(ours, theirs)
    for page in pages:
        expect(page.locator("#frame")).to_have_attribute("data-turn", "no")
        page.evaluate("window.isAway = true")
    _pass_the_turn(theirs, ours)
    for page in pages:
        expect(page.locator("#frame")).to_have_attribute("data-turn", "yes", timeout=PATIENCE)
        expect(page.locator("#icon")).to_have_attribute("href", page.locator("#icon").get_attribute("data-turn") or "")
        assert page.title().startswith("● Your turn")
    assert [sound for page in pages for sound in heard(page)] == ["horn.wav"]
    assert len(tables) == 2


def test_each_event_has_its_sound_and_unread_lines_are_counted(new_person: NewPerson) -> None:
    person = new_person()
    person.context.add_init_script(_HEAR + _LOOK_AWAY)
    choose(person, "sound-short", "sound-chat", "sound-end", "sound-proposal")
    page = open_table(person, game="AxxA")[0].page
    page.evaluate("window.isAway = true")
    for event, sound in (("short-time", "drip"), ("chat", "pluck"), ("end", "chime"), ("proposal", "knock")):
        page.evaluate("window.heard = []")
        page.evaluate("name => document.dispatchEvent(new CustomEvent('meadhall:' + name, { detail: { id: 'x' } }))", event)
        page.wait_for_function("() => heard.length")
        assert page.evaluate("heard") == [f"{sound}.wav"], event
    page.evaluate("document.dispatchEvent(new CustomEvent('meadhall:chat', { detail: { id: 'y' } }))")
    assert page.title().startswith("(2) ")
    page.evaluate("window.isAway = false; dispatchEvent(new Event('focus'))")
    assert not page.title().startswith("(")


# ------------------------------------------------------------------------------------------------------------------- settings


def test_the_settings_are_accessible_and_ask_for_permission_only_after_a_click(new_person: NewPerson) -> None:
    """The browser blocks notifications, as a headless Chromium does, and the page explains it."""
    person, inspector = new_person(), Inspector()
    person.context.add_init_script(
        _HEAR + "window.asked = 0; Notification.requestPermission = async () => (window.asked++, 'denied')"
    )
    inspector.inspect("offline", person.open("/offline"))
    page = person.open("/settings")
    page.locator("#notifications-fold > summary").click()
    inspector.inspect("settings", page)
    assert inspector.found == []
    page.get_by_role("checkbox", name="A match ends: Sound").check()
    assert page.evaluate("heard") == ["chime.wav"], "trying a sound plays it"
    assert page.evaluate("asked") == 0
    page.get_by_role("checkbox", name="It is my turn: Open page").click()
    expect(page.locator("#toast")).to_contain_text("blocks notifications")
    expect(page.get_by_role("checkbox", name="It is my turn: Open page")).not_to_be_checked()
    assert page.evaluate("asked") == 1
    page.get_by_role("button", name="Turn on here").click()
    expect(page.locator("#toast")).to_contain_text("blocks notifications")


# ---------------------------------------------------------------------------------------------------------- the installed app


def controlled(page: Page) -> None:
    """Wait until the service worker serves the page."""
    page.wait_for_function("() => navigator.serviceWorker.controller")


def _wait_until(page: Page, condition: str) -> None:
    """Wait until an expression with ``await`` is true. ``wait_for_function`` takes any promise for true."""
    page.evaluate(f"async () => {{ while (!({condition})) await new Promise(done => setTimeout(done, 50)); }}")


def test_a_page_says_that_there_is_no_connection(new_person: NewPerson) -> None:
    """The offline page follows the language and the theme."""
    person = new_person()
    person.allow("ERR_INTERNET_DISCONNECTED", "Failed to load resource")
    page = person.open("/settings")
    controlled(page)
    page.locator("input[name=language][value=de]").check()
    page.locator("input[name=theme][value=dark]").check()
    page.get_by_role("button", name="Save").click()
    expect(page.locator("html[lang=de]")).to_be_attached()
    _wait_until(page, """(await (await caches.match("/offline")).text()).includes('lang="de" data-theme="dark"')""")
    person.context.set_offline(True)
    person.open("/daily")
    expect(page.get_by_role("heading")).to_have_text(OFFLINE)
    assert page.evaluate("document.fonts.ready.then(() => document.fonts.check('20px Grenze'))")
    assert page.url.endswith("/daily")
    person.context.set_offline(False)
    expect(page.locator("main h1")).not_to_have_text(OFFLINE, timeout=PATIENCE)  # it comes back by itself


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
    _wait_until(page, f"!(await ({_KEPT})()).some(each => each.includes('old.css'))")
    person.open("/settings")
    expect(page.locator("#notifications-fold")).to_be_visible()


# --------------------------------------------------------------------------------------------------------------- push messages


@pytest.fixture
def called(new_person: NewPerson, push_service: PushEndpoint) -> Person:
    """Return a person whose browser uses the push service of the hall: a headless Chromium has none."""
    made = new_person()
    made.allow("when fetching the script", "net::ERR_", "Failed to fetch")
    subscription = json.dumps(push_service.subscription("browser-0"))
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
    return made


def turn_on(person: Person) -> None:
    page = person.open("/settings")
    page.get_by_role("button", name="Turn on here").click()
    expect(page.locator("#push-here p")).to_have_text("This browser gets push messages.")


def test_a_device_is_turned_on_listed_and_turned_off(called: Person) -> None:
    turn_on(called)
    page = called.page
    expect(page.locator(".devices-told li")).to_contain_text("Chrome on Linux")
    expect(page.locator(".devices-told li")).to_contain_text("this device")
    page.goto("/settings")
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


_UNDECIDED = 'Object.defineProperty(Notification, "permission", { get: () => "default" })'
"""A browser whose person has not said whether the hall may call. Without it a headless Chromium denies it."""


def test_the_hall_offers_to_call_when_the_page_becomes_that_of_a_slow_table(called: Person, new_person: NewPerson) -> None:
    """Once on each device: of the host who chooses the clock, and of a friend who sits down or sees the match begin."""
    friend, denied = new_person(), new_person()
    for person in (called, friend):
        person.context.add_init_script(_UNDECIDED)
    path = f"/tables/{called.ask('/tables', game='axes-and-allies', kind='friends', players='3').json()['id']}"
    page, asked = called.open(path), [person.open(path).locator("#push-ask") for person in (called, friend, denied)]
    for locator in asked:
        expect(locator).to_be_hidden()
    page.locator("#clock-panel summary").click()
    page.select_option("#clock-time", "slow:86400")
    expect(asked[0]).to_be_visible()
    friend.page.locator("#sit-1").click()
    expect(asked[1]).to_be_visible()
    asked[1].get_by_role("button", name="No, thanks").click()
    denied.page.locator("#sit-2").click()
    expect(denied.page.locator(".chair.mine")).to_be_visible()
    page.locator("#start").click()
    for person in (called, friend, denied):
        expect(person.page.locator("#frame.game .clock[data-slow]").first).to_be_attached()
    expect(asked[0]).to_be_visible()
    expect(asked[1]).to_be_hidden()
    expect(asked[2]).to_be_hidden()
    friend.page.reload()
    expect(friend.page.locator("#frame.game")).to_be_visible()
    friend.page.evaluate("() => new Promise(done => navigator.serviceWorker.ready.then(() => setTimeout(done, 100)))")
    expect(asked[1]).to_be_hidden()


def test_a_player_of_a_slow_table_lets_the_hall_call_with_one_click(called: Person) -> None:
    called.context.add_init_script(_UNDECIDED)
    table = f"/tables/{called.ask('/tables', game='axes-and-allies', kind='friends', players='2').json()['id']}"
    called.ask(f"{table}/clock", clock="slow:86400", was="none")
    page = called.open(table)
    page.get_by_role("button", name="Call me").click()
    expect(page.locator("#toast")).to_have_text("This browser gets push messages.")
    expect(page.locator("#push-ask")).to_be_hidden()
    page.goto("/settings")
    expect(page.locator(".devices-told li")).to_contain_text("this device")
    page.goto(table)
    expect(page.locator("#frame.lobby")).to_be_visible()
    expect(page.locator("#push-ask")).to_be_hidden()


# ---------------------------------------------------------------------------------------------------------------- slow tables


def test_after_a_decision_at_a_slow_table_the_page_goes_on_to_the_next_and_has_a_way_back(new_person: NewPerson) -> None:
    """It waits until the board has shown the decision, and stays where nothing else waits."""
    host, friend = new_person(), new_person()
    first, second = paths = [_slow_table(host, friend) for _ in range(2)]
    host.ask("/settings", onward="next", confirm="never")
    page = host.open(first)
    expect(page.locator("#acts button")).to_have_count(3)
    page.evaluate("() => { stage.isPlaying = () => !window.isShown; }")
    page.get_by_role("button", name="Action 2").click()
    expect(page.locator("#frame")).to_have_attribute("data-turn", "no")
    page.wait_for_timeout(1600)
    assert page.url.endswith(first), "the board still plays"
    page.evaluate("() => { window.isShown = true; }")
    page.wait_for_url(f"**{second}?from=*")
    page.get_by_role("link", name="Back to Last stone").click()
    page.wait_for_url(f"**{first}")
    page.goto(second)
    page.get_by_role("button", name="Action 0").click()
    with page.expect_response("**/next?after=*") as asked:
        expect(page.locator("#frame")).to_have_attribute("data-turn", "no")
    assert asked.value.json() == {"url": ""}
    assert page.url.endswith(second)
    for path in paths:
        friend.open(path)
        expect(friend.page.locator("#frame")).to_have_attribute("data-turn", "yes")


def _slow_table(host: Person, friend: Person) -> str:
    """Start a match of two people with a slow clock, in which the host begins. Return its address."""
    path = f"/tables/{host.ask('/tables', game='last-stone', kind='friends', players='2').json()['id']}"
    host.ask(f"{path}/clock", clock="slow:86400", was="none")
    friend.ask(f"{path}/seats", seat="1", set="sit")
    host.ask(f"{path}/start")
    return path
