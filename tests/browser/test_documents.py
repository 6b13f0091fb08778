"""Components in a browser: uploaded in the lobby, and edited in the workshop."""

from __future__ import annotations

import re
from pathlib import Path

from playwright.sync_api import Locator, Page, Route, expect

from browser.accessibility import Inspector
from browser.checks import scrolls_sideways, too_wide
from browser.people import SAME_ORIGIN, NewPerson, Person
from browser.table import fill_lobby

DUNGEON_ALLIES = "Dungeon Allies"


def test_components_are_uploaded_in_the_lobby_and_used_in_the_match(new_person: NewPerson, tmp_path: Path) -> None:
    host, friend = new_person(), new_person()
    fill_lobby(host, friend, game=DUNGEON_ALLIES)
    unfold(host.page)
    with host.page.expect_download() as download:
        host.page.get_by_role("link", name="Download the built-in file").click()
    built_in = download.value.path().read_text("utf-8")
    own, wrong = tmp_path / "own.toml", tmp_path / "wrong.toml"
    own.write_text(re.sub(r'(\[\[sorcerer_card\]\]\nid = ".*"\nname = ")', r"\1Own ", built_in), "utf-8")
    wrong.write_text(built_in.replace('weakness = "melee"', 'weakness = "fist"', 1), "utf-8")
    host.allow("400")
    host.page.locator("#file-components").set_input_files(wrong)
    host.page.locator("#bring-components").click()
    expect(host.page.get_by_role("alert")).to_contain_text("invalid enum value 'fist'")
    unfold(host.page)
    host.page.locator("#file-components").set_input_files(own)
    host.page.locator("#bring-components").click()
    for person in (host, friend):
        expect(person.page.locator("#used-components")).to_have_text(re.compile(r"\s*Uploaded by the host: [0-9a-f]{8}"))
    for person in (host, friend):
        _look_at_the_lobby(person.page)
    host.page.locator("#start").click()
    for person in (host, friend):
        expect(person.page.locator("#board")).to_contain_text("Own ")


def unfold(page: Page) -> None:
    """Open what is folded."""
    for fold, folded in (("#options-panel", "#used-components"), (".document details", "#file-components")):
        if page.locator(folded).count() and not page.locator(folded).is_visible():
            page.locator(f"{fold} > summary").click()


def _look_at_the_lobby(page: Page) -> None:
    """The lobby with a document, of the host or of a friend, is accessible and fits a phone."""
    page.set_viewport_size({"width": 390, "height": 844})
    unfold(page)
    inspector = Inspector()
    inspector.inspect("lobby", page)
    assert inspector.found == []
    assert too_wide(page) == []
    page.set_viewport_size({"width": 1440, "height": 900})


class _Slow:
    """The requests of an editor wait until a test lets them pass.

    Attributes:
        sent: the bodies of the requests.
    """

    def __init__(self, page: Page) -> None:
        self.sent: list[str] = []
        self._page = page
        self._held: list[Route] = []
        self._is_open = False
        page.route("**/components", self._hold)

    def _hold(self, route: Route) -> None:
        self.sent.append(route.request.post_data or "")
        if self._is_open or route.request.method == "GET":
            route.continue_()
        else:
            self._held.append(route)

    def let_one_pass(self) -> None:
        with self._page.expect_response("**/components"):
            self._held.pop(0).continue_()

    def let_all_pass(self) -> None:
        self._is_open = True
        for route in self._held:
            route.continue_()


def open_editor(person: Person) -> Page:
    """Begin a question about Dungeon Allies, and open its components."""
    answer = person.context.request.post(
        f"{person.hall.rstrip('/')}/workshop", form={"game": "dungeon-allies", "document": "components"}, headers=SAME_ORIGIN
    )
    assert answer.ok, answer.text()
    return person.open(answer.url)


def cell(page: Page, piece: str, number: int, value: str) -> Locator:
    return page.locator(f'[id="at-{piece}.{number}.{value}"]')


def test_sixteen_quick_edits_on_a_slow_network_are_all_kept_and_each_field_posts_itself(new_person: NewPerson) -> None:
    page = open_editor(new_person())
    slow = _Slow(page)
    page.locator("#list-sorcerer_card > summary").click()
    cell(page, "sorcerer_card", 0, "points").focus()
    for k in range(16):
        page.keyboard.press("Control+a")
        page.keyboard.type(str(20 + k))
        page.keyboard.press("Enter")
        if k == 8:
            slow.let_one_pass()
    cell(page, "sorcerer_card", 3, "points").fill("77")  # being edited while the other answers come
    slow.let_all_pass()
    expect(page.locator("#changes")).to_contain_text("Diamond Diadem")
    expect(cell(page, "sorcerer_card", 3, "points")).to_have_value("77")
    assert slow.sent[0] == "at-sorcerer_card.0.points=20"
    page.keyboard.press("Tab")
    expect(page.locator("#changes")).to_contain_text("Alchemist's Rod, points: 2 → 77")
    expect(page.locator("#shop-saved")).to_have_text("Everything is saved.")
    assert max(map(len, slow.sent)) < 400
    cell(page, "sorcerer_card", 5, "points").fill("66")  # and away, without leaving the field
    page.locator("#back").click()
    page.wait_for_url("**/workshop/*")
    page.go_back()
    page.reload()
    kept = [cell(page, "sorcerer_card", k, "points").input_value() for k in range(16)]
    assert kept == [str({3: 77, 5: 66}.get(k, 20 + k)) for k in range(16)]


def test_a_column_changes_is_reset_and_undone_and_warns(new_person: NewPerson) -> None:
    person = new_person()
    person.allow("400")
    page = open_editor(person)
    for name in ("monster", "sorcerer_card"):
        page.locator(f"#list-{name} > summary").click()
    changes = page.locator("#changes li")
    step = page.locator('[name="step:sorcerer_card:points"]')
    step.fill("+4")
    step.press("Enter")
    expect(changes).to_have_text([re.compile(r"Every sorcerer card, points: \+4")])
    expect(cell(page, "sorcerer_card", 15, "points")).to_have_value("10")
    for row in (1, 2):
        page.locator('[name="row:monster"]').nth(row).check()
    step = page.locator('[name="step:monster:red.target"]')
    step.fill("x 1,5")
    step.press("Enter")
    expect(changes).to_have_count(3)
    expect(cell(page, "monster", 1, "red.target")).to_have_value("15")
    expect(cell(page, "monster", 3, "red.target")).to_have_value("10")
    page.locator("#undo").click()
    expect(cell(page, "monster", 1, "red.target")).to_have_value("10")
    target = cell(page, "monster", 0, "yellow.target")
    target.fill("99")
    target.press("ArrowDown")
    expect(cell(page, "monster", 1, "yellow.target")).to_be_focused()
    expect(page.locator("#note-0")).to_contain_text("Cellar Rat King, yellow, target, 99: no roll can beat it: 80 is the most.")
    expect(target).to_have_attribute("aria-describedby", "note-0")
    page.locator('[value="reset:monster.0.yellow.target"]').first.click()
    expect(target).to_have_value("2")
    expect(page.locator("#note-0")).to_have_count(0)
    expect(changes).to_have_count(1)
    changes.get_by_role("button").click()
    expect(page.locator("#changes")).to_have_count(0)
    expect(cell(page, "sorcerer_card", 15, "points")).to_have_value("6")
    step.fill("twice")
    step.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("not by 'twice'")


def test_a_list_that_gets_shorter_keeps_what_is_typed_and_a_file_waits_for_it(new_person: NewPerson) -> None:
    page = open_editor(new_person())
    slow = _Slow(page)
    page.locator("#list-trade > summary").click()
    rows = page.locator("#list-trade tbody tr")
    for _ in range(2):
        page.locator("#remove-trade").click()
    cell(page, "trade", 0, "left.red").fill("5")
    slow.let_one_pass()
    expect(rows).to_have_count(3)
    expect(cell(page, "trade", 0, "left.red")).to_have_value("5")
    expect(cell(page, "trade", 0, "left.red")).to_be_focused()
    with page.expect_download() as download:
        page.locator("#export").click()
        slow.let_all_pass()
    written = download.value.path().read_text("utf-8")
    assert written.count("[[trade]]") == 2
    assert "#   Trade lines 1, left side, red: 2 → 5" in written
    assert "red = 5" in written


def test_the_editor_works_without_a_script_and_on_a_phone(new_person: NewPerson) -> None:
    person = new_person(java_script_enabled=False)
    page = open_editor(person)
    for name in ("monster", "sorcerer_card"):
        page.locator(f"#list-{name} > summary").click()
    cell(page, "monster", 0, "yellow.target").fill("3")
    page.locator('[name="step:sorcerer_card:points"]').fill("+1")
    page.locator("#save").click()
    for change in ("Cellar Rat King, yellow, target: 2 → 3", "Every sorcerer card, points: +1"):
        expect(page.locator("#changes")).to_contain_text(change)
    phone = new_person(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    page = phone.open(page.url)
    expect(page.locator("#shop-form input").first).to_be_disabled()
    page = open_editor(phone)
    page.locator("#list-prisoner_space > summary").click()
    inspector = Inspector()
    inspector.inspect("editor", page)
    assert inspector.found == []
    assert not scrolls_sideways(page)
    title = page.locator("#list-prisoner_space tbody th").first
    before = title.bounding_box()
    page.locator("#list-prisoner_space .wide").evaluate("it => it.scrollBy(300, 0)")
    assert title.bounding_box() == before
