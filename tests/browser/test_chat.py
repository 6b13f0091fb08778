"""The chat of a table in real browsers: sending, reading, what is new, and what it leaves alone."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from browser.accessibility import Inspector
from browser.devices import PHONE
from browser.people import SAME_ORIGIN, NewPerson, Person
from browser.table import AXES_AND_ALLIES, Table, ally_first, fill_lobby, open_chat, open_table, resign, whose_turn
from browser.test_layout import FINGER, MOUSE, look


def say(page: Page, text: str) -> None:
    open_chat(page)
    page.locator("#talk-text").fill(text)
    page.keyboard.press("Enter")


def test_two_people_and_a_spectator_talk_from_the_lobby_to_the_end(new_person: NewPerson) -> None:
    host, friend, spectator = new_person(), new_person(), new_person()
    tables = fill_lobby(host, friend)
    say(host.page, "In the lobby")
    expect(friend.page.locator("#talk-lines")).to_contain_text("In the lobby")
    friend.page.locator("#talk-open").click()
    friend.page.locator("#phrase-luck").click()
    expect(friend.page.locator("#talk-more")).to_be_hidden()
    expect(host.page.locator("#talk-lines")).to_contain_text("Good luck, have fun!")

    friend.page.locator("#talk-text").fill("half a li")
    host.page.locator("#start").click()
    for table in tables:
        table.wait_for_game()
    expect(friend.page.locator("#talk-text")).to_have_value("half a li")
    expect(friend.page.locator("#talk-lines")).to_contain_text("In the lobby")
    watching = Table(spectator.open(tables[0].path))
    watching.wait_for_game()
    say(spectator.page, "Who sits where?")
    expect(spectator.page.locator("#talk-lines")).to_contain_text("Who sits where?")
    expect(spectator.page.locator("#talk-lines")).not_to_contain_text("In the lobby")

    open_chat(host.page)
    friend.page.locator("#talk-text").press("End")
    friend.page.keyboard.type("ne")
    friend.page.keyboard.press("Enter")
    expect(host.page.locator("#talk-live")).to_have_text(_name(friend.page) + " writes: half a line")
    expect(friend.page.locator("#talk-text")).to_be_focused()
    expect(friend.page.locator("#talk-text")).to_have_value("")
    assert "Who sits" not in host.page.locator("#talk").inner_text()

    _check_what_a_line_leaves_alone(host, friend, tables)
    _check_a_refused_line(host)
    _check_a_muted_person(host.page, friend.page)

    resign(host.page)
    expect(host.page.locator("#talk-lines")).to_contain_text("Who sits where?")
    assert "half a line" not in spectator.page.locator("#talk").inner_text()


def _check_what_a_line_leaves_alone(host: Person, friend: Person, tables: list[Table]) -> None:
    """A line redraws nothing else, and a move takes neither focus nor text."""
    whose_turn(tables)
    open_chat(host.page)
    host.page.evaluate("() => { window.swaps = 0; document.addEventListener('htmx:after:swap', () => window.swaps++); }")
    host.page.evaluate("() => document.addEventListener('meadhall:chat', e => { window.heard = e.detail; })")
    version = tables[0].version
    say(friend.page, "Skal!")
    expect(host.page.locator("#talk-lines")).to_contain_text("Skal!")
    line = host.page.locator("#talk-lines li").last.get_attribute("id")
    heard = {"id": line, "lines": 1, "unread": 0, "name": _name(friend.page), "text": "Skal!"}
    assert host.page.evaluate("window.heard") == heard
    assert (host.page.evaluate("window.swaps"), tables[0].version) == (0, version)
    host.page.evaluate("() => { document.querySelector('#talk-lines li').marked = true; }")
    host.page.locator("#talk-text").fill("I was just")
    host.page.locator("#talk-text").focus()
    for _ in range(2):
        actor = whose_turn(tables)
        assert actor is not None
        if actor is tables[0]:  # by a program: the focus stays in the chat
            _act_elsewhere(host, actor)
        else:
            actor.act(ally_first)
    expect(host.page.locator("#talk-text")).to_be_focused()
    expect(host.page.locator("#talk-text")).to_have_value("I was just")
    assert host.page.evaluate("document.querySelector('#talk-lines li').marked"), "the line is the same element"


def _check_a_refused_line(host: Person) -> None:
    """A refused line stays in the field with the reason."""
    host.allow("400")
    host.page.locator("#talk-text").fill("x" * 501)
    expect(host.page.locator("#talk-count")).to_have_text("501 of 500 letters")
    host.page.keyboard.press("Enter")
    expect(host.page.locator("#talk-error")).to_have_text("A line may have 500 letters; this one has 501.")
    expect(host.page.locator("#talk-text")).to_have_value("x" * 501)


def _check_a_muted_person(reader: Page, writer: Page) -> None:
    """The lines of a muted person are not shown, and the sheet stays open."""
    say(writer, "Boo")
    expect(reader.locator("#talk-lines")).to_contain_text("Boo")
    reader.locator("#propose").focus()
    reader.keyboard.press("c")
    expect(reader.locator("#talk-text")).to_be_focused()
    reader.locator("#talk-open").click()
    reader.locator("#mute-seat-1").click()
    expect(reader.locator("#mute-seat-1")).to_have_attribute("aria-pressed", "true")
    expect(reader.locator("#talk-more")).to_be_visible()
    expect(reader.locator("#talk-lines")).not_to_contain_text("Boo")
    expect(writer.locator("#talk-lines")).to_contain_text("Boo")
    reader.keyboard.press("Escape")
    expect(reader.locator("#talk-more")).to_be_hidden()


def test_the_chat_counts_what_is_new_on_a_phone(new_person: NewPerson) -> None:
    """The log is open first; the tab of the chat, and on a phone the header, count what is new."""
    host, phone = new_person(), new_person(**PHONE)
    open_table(host, phone)
    panel, unread = phone.page.locator("#talk-panel"), phone.page.locator("#talk-unread")
    phone.page.reload()
    expect(panel).not_to_have_attribute("open", "")
    for number in range(2):
        say(host.page, f"line {number}")
        expect(host.page.locator("#talk-lines")).to_contain_text(f"line {number}")
    shown = "all => all.map(each => getComputedStyle(each, '::after').display)"
    turns = host.page.locator("#log .turn > details > summary")
    assert set(turns.evaluate_all(shown)) <= {"block"}, "each turn says that it opens"
    assert set(host.page.locator("#log > summary, #talk-panel > summary").evaluate_all(shown)) == {"none"}, "tabs don't"
    expect(unread).to_have_text("2")
    expect(phone.page.locator("#bar-unread")).to_have_text("2")
    expect(phone.page.locator("#talk-live")).to_have_text("2 new lines in the chat")
    phone.page.reload()
    expect(unread).to_have_text("2")
    phone.page.locator(".bar-chat").tap()
    expect(unread).to_be_hidden()
    phone.page.reload()
    expect(phone.page.locator("#talk-lines")).to_contain_text("line 1")
    expect(unread).to_be_hidden()


_NOTE_WHAT_HAPPENS = """() => {
  window.told = [];
  const note = name => document.addEventListener(name, () => told.push(name));
  ["htmx:after:swap", "meadhall:chat", "meadhall:sound"].forEach(note);
}"""


def test_a_reaction_lies_over_the_plate_of_its_player_for_some_seconds(new_person: NewPerson) -> None:
    """Everyone at the table sees it; nothing is redrawn, no sound is made, and nothing counts it as a line."""
    host, friend, watcher = new_person(), new_person(**PHONE), new_person()
    (table, _other) = open_table(host, friend)
    watcher.open(table.path)
    pages = (host.page, friend.page, watcher.page)
    for page in pages:
        expect(page.locator("#talk-note")).to_be_attached()
        page.evaluate(_NOTE_WHAT_HAPPENS)
    expect(watcher.page.locator("#react-form")).to_have_count(0)
    expect(host.page.locator("#log")).to_have_attribute("open", "")
    friend.page.get_by_role("button", name="Skål!").tap()
    for page in pages:
        shown = page.locator(".reaction.seat-1")
        expect(shown).to_be_visible()
        expect(page.locator("#talk-live")).to_have_text(f"{_name(friend.page)}: Skål!")
        if page.locator("#seats .plates").is_visible():
            over, crest = shown.bounding_box(), page.locator("#plate-1 svg").first.bounding_box()
            assert over is not None
            assert crest is not None
            assert abs(over["x"] + over["width"] / 2 - crest["x"] - crest["width"] / 2) < 2
        else:
            expect(shown).to_contain_text(_name(friend.page))
    assert [page.evaluate("window.told") for page in (host.page, watcher.page)] == [[], []]
    expect(host.page.locator("#talk-unread")).to_be_hidden()
    friend.allow("429")
    for key in ("laugh", "wow", "oops"):
        friend.page.locator(f"#react-{key}-now").tap()
        expect(friend.page.locator("#react-form .pending")).to_have_count(0)
    expect(friend.page.locator("#toast")).to_have_text("You react a lot in a short time. Wait a moment.")
    for page in pages:
        expect(page.locator(".reaction")).to_have_count(0)
    assert host.page.locator("#talk-lines li").count() == 0


def test_the_chat_has_no_axe_violation_and_crushes_nothing_in_any_window(new_person: NewPerson) -> None:
    host, friend = new_person(), new_person(**PHONE)
    open_table(host, friend, bots=2, game=AXES_AND_ALLIES)
    for number in range(4):
        say(host.page, f"A line that is long enough to need more than one row in the column, number {number}")
        expect(host.page.locator("#talk-lines")).to_contain_text(f"number {number}")
    inspector = Inspector()
    inspector.inspect("chat", host.page)
    host.page.locator("#talk-open").click()
    inspector.inspect("chat, phrases and people", host.page)
    host.page.keyboard.press("Escape")
    faults = []
    for page, least, sizes in (
        (host.page, MOUSE, [(1440, 900), (1024, 768), (820, 1180), (844, 390)]),
        (friend.page, FINGER, [(1024, 768), (390, 844)]),
    ):
        for size in sizes:
            page.set_viewport_size({"width": size[0], "height": size[1]})
            open_chat(page)
            faults += look(page, size, least)
            box = page.locator(".talk-scroll").bounding_box()
            if box is None or box["height"] < 48:
                faults.append(f"{size}: the lines of the chat are {box} high")
    inspector.inspect("the page of the chat", host.open(f"{Table(host.page).path}/chat"))
    assert not faults, "\n".join(faults)
    assert not inspector.found, "\n".join(inspector.found)


def _name(page: Page) -> str:
    return page.locator(".bar nav .label").last.inner_text()


def _act_elsewhere(person: Person, table: Table) -> None:
    """Play an action by a request, so that the page keeps its focus. Some offered actions are refused with a reason."""
    version = table.version
    for action in reversed(table.legal()):
        form: dict[str, str | float | bool] = {"action": str(action)}
        if person.context.request.post(f"{table.path}/act", form=form, headers=SAME_ORIGIN).ok:
            break
    table.wait_for_version(version + 1)
