"""Clocks on the page of a table: chosen in the lobby, counting down by the hall's time, also on machines whose clock is wrong."""

from __future__ import annotations

import re
from typing import Any

from playwright.sync_api import Page, Route, expect

from browser.checks import overlapping
from browser.devices import MOVING
from browser.people import NewPerson, Person
from browser.table import Table, whose_turn

WRONG_CLOCK = """
  const Real = Date, ahead = 36 * 3600 * 1000;
  Date = class extends Real {
    constructor(...given) { super(...(given.length ? given : [Real.now() + ahead])); }
    static now() { return Real.now() + ahead; }
  };
"""
"""Sets the machine's own clock a day and a half ahead."""

RUNNING = ".plates .clock.running .clock-time"
NEAR = 30
"""Seconds that may lie between two readings on a busy machine. A clock that is wrong is so by ten minutes or more."""


def open_lobby(host: Person, game: str = "axes-and-allies") -> str:
    """Open a table for two as the host, and return its path."""
    path = f"/tables/{host.ask('/tables', game=game, kind='friends', players='2').json()['id']}"
    host.open(path)
    return path


def open_clocked(host: Person, friend: Person, clock: str, game: str = "axes-and-allies") -> None:
    """Let two people start a match with a clock."""
    path = open_lobby(host, game)
    host.page.locator("#clock-panel summary").click()
    host.page.select_option("#clock-time", clock)
    expect(host.page.locator("#clock-form input[name=was]")).to_have_value(clock)
    friend.open(path)
    friend.page.locator("[id^=sit-]").first.click()
    expect(host.page.locator("#start:not([aria-disabled])")).to_be_visible()
    host.page.locator("#start").click()
    for person in (host, friend):
        expect(person.page.locator("#frame.game")).to_be_visible()


def let_pass(person: Person, seconds: float) -> None:
    """Let this time pass for a page: from now on the hall tells it a later time."""

    def later(route: Route) -> None:
        response = route.fetch()
        route.fulfill(response=response, json={**response.json(), "now": response.json()["now"] + 1000 * seconds})

    person.page.route("**/time", later)
    asked = "until => (hallNow() < until && dispatchEvent(new Event('focus')), hallNow() >= until)"  # at this event it asks
    until = person.page.evaluate("hallNow()") + 1000 * seconds
    person.page.wait_for_function(asked, arg=until, polling=100)


def shown(page: Page, selector: str = RUNNING) -> float:
    """Return the seconds that a clock shows."""
    *minutes, seconds = page.locator(selector).inner_text().split(":")
    return 60 * int(minutes[0] if minutes else 0) + float(seconds)


def test_clocks_count_down_alike_whatever_the_clocks_of_the_machines_say(new_person: NewPerson) -> None:
    host, friend, plain = new_person(), new_person(), new_person(java_script_enabled=False)
    friend.context.add_init_script(WRONG_CLOCK)
    open_clocked(host, friend, "seat:1200")
    expect(host.page.locator(".plates .clock")).to_have_count(2)
    for page in (host.page, friend.page):
        expect(page.locator(RUNNING)).to_have_text(re.compile(r"19:\d\d"))
    assert abs(shown(host.page) - shown(friend.page)) <= NEAR
    friend.page.reload()
    expect(friend.page.locator(RUNNING)).to_have_text(re.compile(r"1\d:\d\d"))
    assert abs(shown(host.page) - shown(friend.page)) <= NEAR

    # During a sleep of the machine the browser's own stopwatch may stand still: it is set back here.
    host.page.evaluate("() => { const now = performance.now.bind(performance); performance.now = () => now() - 600000; }")
    expect(host.page.locator(RUNNING)).not_to_have_text(host.page.locator(RUNNING).inner_text())  # a second later
    assert abs(shown(host.page) - shown(friend.page)) <= NEAR

    # Without JavaScript a page shows what is left when it is loaded.
    plain.open(re.sub(r".*(/tables/[^/?#]+).*", r"\1", host.page.url))
    before = shown(plain.page)
    assert abs(before - shown(friend.page)) <= NEAR
    expect(friend.page.locator(RUNNING)).not_to_have_text(friend.page.locator(RUNNING).inner_text())
    plain.page.reload()
    assert shown(plain.page) < before

    # On a phone the clocks stand above the board.
    row = host.page.locator("#clock-row")
    expect(row).to_be_hidden()
    host.page.set_viewport_size({"width": 390, "height": 844})
    expect(row.locator(".clock")).to_have_count(2)
    expect(row).to_be_visible()
    row_box, board = row.bounding_box(), host.page.locator("#board").bounding_box()
    assert row_box is not None
    assert board is not None
    assert row_box["y"] + row_box["height"] <= board["y"] + 1


def test_a_clock_that_has_little_time_shows_tenths_and_a_sign_and_tells_the_player_once(new_person: NewPerson) -> None:
    host, friend = new_person(), new_person()
    for person in (host, friend):
        person.context.add_init_script(
            "window.short = []; document.addEventListener('meadhall:short-time', each => window.short.push(each.detail));"
        )
    open_clocked(host, friend, "decision:120")
    running = ".plates .clock.running"
    for person in (host, friend):
        expect(person.page.locator(f"{running} .clock-short")).to_be_hidden()
        let_pass(person, 111)
        expect(person.page.locator(f"{running}.short .clock-short")).to_be_visible()
        expect(person.page.locator(f"{running} .clock-time")).to_have_text(re.compile(r"^\d\.\d$"))
    details: list[list[dict[str, Any]]] = [person.page.evaluate("window.short") for person in (host, friend)]
    assert [len(each) for each in details] == [1, 1]
    assert sorted(each[0]["own"] for each in details) == [False, True]
    assert details[0][0]["left"] <= 10
    mover = host if details[0][0]["own"] else friend
    expect(mover.page.locator("#live")).to_contain_text("Your time left: ")


WATCH_CLOCKS = """() => {
  window.seen = [];
  const clocks = () => [...document.querySelectorAll(".plates .clock")];
  new MutationObserver(() => {
    const playing = "playing" in document.documentElement.dataset;
    if (!playing && !window.seen.length) return;
    const begins = clocks().some(each => hallNow() < each.dataset.begins);
    const texts = clocks().filter(each => each.dataset.deadline).map(each => each.querySelector(".clock-time").textContent);
    window.seen.push({ playing, begins, texts, deadlines: clocks().map(each => each.dataset.deadline ?? "") });
  }).observe(document, { subtree: true, attributes: true, childList: true, characterData: true });
}"""
"""Record what the clocks show from the next play on."""


def test_clocks_stand_at_the_full_time_while_the_stage_plays_and_do_not_jump_after_it(new_person: NewPerson) -> None:
    host, friend = new_person(**MOVING), new_person(**MOVING)
    open_clocked(host, friend, "decision:120", game="viking-axes")
    players = [Table(host.page), Table(friend.page)]
    actor = whose_turn(players)
    assert actor is not None
    for page in (host.page, friend.page):
        page.evaluate(WATCH_CLOCKS)
    actor.choices.first.click()
    for page in (host.page, friend.page):
        page.wait_for_function("() => seen.length && !seen.at(-1).playing")
        seen: list[dict[str, Any]] = page.evaluate("seen")
        assert any(each["playing"] for each in seen)
        assert {tuple(each["deadlines"]) for each in seen} == {tuple(seen[-1]["deadlines"])}, "they know at once"
        assert {text for each in seen if each["begins"] for text in each["texts"]} == {"2:00"}


def test_a_slow_clock_shows_days_and_its_date_on_focus(new_person: NewPerson) -> None:
    host, friend = new_person(locale="de-DE"), new_person()
    open_clocked(host, friend, "slow:259200")
    clock = host.page.locator(".plates .clock.running")
    expect(clock.locator(".clock-time")).to_have_text("2 Tage 23 Std.")
    expect(friend.page.locator(".plates .clock.running .clock-time")).to_have_text("2 days 23 h")
    expect(clock.locator(".tip")).to_be_hidden()
    clock.hover()
    expect(clock.locator(".tip")).to_be_visible()
    host.page.mouse.move(0, 0)
    expect(clock.locator(".tip")).to_be_hidden()
    host.page.locator("#seats .scroll").focus()
    for _ in range(6):  # over the names of the players, which are links, and the clock that stands
        host.page.keyboard.press("Tab")
        if clock.evaluate("each => each === document.activeElement"):
            break
    expect(clock).to_be_focused()
    expect(clock.locator(".tip")).to_be_visible()


def test_at_a_slow_table_the_first_press_asks_and_the_second_one_does_it(new_person: NewPerson) -> None:
    host, friend = new_person(), new_person()
    open_clocked(host, friend, "slow:86400")
    players = [Table(host.page), Table(friend.page)]
    actor = whose_turn(players)
    assert actor is not None
    page, before, choice = actor.page, actor.newest_event, actor.choices.first
    question = page.locator("#ask", has_text="You can't take this back.")
    choice.click()
    expect(question).to_be_visible()
    expect(page.locator(".pending")).to_have_count(0)
    with page.expect_response("**/act"):
        choice.dispatch_event("click", {"detail": 2})  # a double click is one press
    expect(page.locator(".pending")).to_have_count(0)
    assert actor.newest_event == before
    expect(question).to_be_visible()
    page.locator("#unsure").click()
    expect(question).to_have_count(0)
    expect(choice).to_be_focused()
    choice.press("Enter")
    expect(question).to_be_visible()
    expect(page.locator(".pending")).to_have_count(0)
    choice.press("Enter")
    actor.wait_for_event(before + 1)
    expect(question).to_have_count(0)
    for person in (host, friend):
        assert person.ask("/settings", confirm="never").ok
        person.page.reload()
    again = whose_turn(players)
    if again is not None:  # the first attack may have won
        before = again.newest_event
        again.choices.first.click()
        again.wait_for_event(before + 1)


def test_a_bot_plays_for_a_player_who_is_away_until_they_return(new_person: NewPerson) -> None:
    host, friend = new_person(), new_person()
    open_clocked(host, friend, "seat:1200", game="viking-axes")  # no player can win early
    table = re.sub(r".*(/tables/[^/?#]+).*", r"\1", friend.page.url)
    friend.page.close()
    away = host.page.locator("#seats [data-since]")
    expect(away).to_have_text("")
    expect(host.page.locator("#plate-1")).to_contain_text("away")
    let_pass(host, 70)
    expect(away).to_have_text("1 min")
    host.page.set_viewport_size({"width": 1280, "height": 800})
    away.evaluate("it => { it.textContent = '2 days 3 h'; }")
    assert overlapping(host.page, "#plate-1 .away", "#plate-1 .clock") == []
    host.page.locator("#stand-in-1").click()
    expect(host.page.locator("#plate-1")).to_contain_text("Jarl plays")
    friend.page = friend.context.new_page()
    friend.open(table)
    expect(friend.page.locator("#stand-in")).to_contain_text("A bot plays for you")
    friend.page.locator("#return").click()
    expect(friend.page.locator("#stand-in")).to_have_count(0)
    expect(host.page.locator("#plate-1")).not_to_contain_text("Jarl plays")


def test_the_words_of_a_seat_never_lie_under_its_clock(new_person: NewPerson) -> None:
    for clock, words in (("seat:300", "away"), ("slow:259200", "last seen 1 minute ago")):
        host, friend = new_person(), new_person()
        open_clocked(host, friend, clock)
        friend.leave()
        expect(host.page.locator("#plate-1 .away")).to_contain_text(words)
        for width in (1440, 1280):
            host.page.set_viewport_size({"width": width, "height": 900})
            for seat in (0, 1):
                assert overlapping(host.page, f"#clock-{seat}", f"#plate-{seat} :is(.chip, strong, .small)") == []
            own = host.page.locator("#plate-0")
            assert own.evaluate("e => e.clientHeight / parseFloat(getComputedStyle(e).lineHeight)") < 4, "at most three lines"
    later = host.page.evaluate("+document.getElementById('away-1').dataset.since + 2.5 * 3600 * 1000 - hallNow()")
    let_pass(host, later / 1000)
    expect(host.page.locator("#plate-1 .away")).to_have_text("last seen 2 hours ago")


def test_a_pause_stands_in_place_of_the_prompt_until_one_click(new_person: NewPerson) -> None:
    host, friend = new_person(), new_person()
    open_clocked(host, friend, "seat:300")
    table = Table(host.page)
    host.ask(f"{table.path}/propose", what="pause")
    friend.page.locator("#agree").click()
    for person in (host, friend):
        expect(person.page.locator("#prompt.paused #resume")).to_be_visible()
        expect(person.page.locator("#controls button[name=action]")).to_have_count(0)
        expect(person.page.locator("#notices .proposal")).to_have_count(0)
    friend.page.locator("#resume").click()
    for person in (host, friend):
        expect(person.page.locator("#resume")).to_have_count(0)
