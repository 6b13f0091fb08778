"""Components in a browser: uploaded in the lobby, and edited in the workshop."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import parse_qsl

from playwright.sync_api import Page, Route, expect

from browser.accessibility import Inspector
from browser.checks import too_wide
from browser.people import NewPerson
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
    """The answers of the workshop wait until a test lets them pass.

    Attributes:
        sent: the forms that the page has sent.
    """

    def __init__(self, page: Page) -> None:
        self.sent: list[dict[str, str]] = []
        self._held: list[Route] = []
        self._is_open = False
        page.route("**/workshop/dungeon-allies/components", self._hold)

    def _hold(self, route: Route) -> None:
        self.sent.append(dict(parse_qsl(route.request.post_data or "")))
        if self._is_open:
            route.continue_()
        else:
            self._held.append(route)

    def let_one_pass(self, page: Page) -> None:
        with page.expect_response("**/workshop/**"):
            self._held.pop(0).continue_()

    def let_all_pass(self) -> None:
        self._is_open = True
        for route in self._held:
            route.continue_()


def test_nothing_that_is_typed_while_an_answer_is_under_way_is_lost(new_person: NewPerson) -> None:
    page = new_person().open("/workshop/dungeon-allies/components")
    slow = _Slow(page)
    page.locator("#list-monster > summary").click()
    fields = page.locator("#list-monster .shop-field.number > input")
    names = fields.evaluate_all("all => all.slice(0, 16).map(each => each.name)")
    for k in range(16):
        fields.nth(k).fill(str(20 + k))
        fields.nth(k).blur()
        if k == 8:
            slow.let_one_pass(page)
    slow.let_all_pass()
    page.locator("#compare").click()
    page.wait_for_url("**/workshop/reports/*")
    assert slow.sent[-1]["do"] == "compare"
    assert [slow.sent[-1][name] for name in names] == [str(20 + k) for k in range(16)]


def test_a_file_waits_for_what_was_changed_before(new_person: NewPerson) -> None:
    """Two pieces are taken away and a field is changed while no answer has come: the file has all of it."""
    page = new_person().open("/workshop/dungeon-allies/components")
    slow = _Slow(page)
    for name in ("trade", "monster"):
        page.locator(f"#list-{name} > summary").click()
    pieces, title = page.locator("#list-trade .shop-parts > .shop-part"), page.locator("#at-monster\\.0\\.name")
    before = pieces.count()
    for _ in range(2):
        page.locator("#remove-trade").click()
    title.fill("Mouse")
    slow.let_one_pass(page)
    expect(pieces).to_have_count(before - 1)
    expect(title).to_have_value("Mouse")
    with page.expect_download() as download:
        page.locator("#export").click()
        slow.let_all_pass()
    written = download.value.path().read_text("utf-8")
    assert slow.sent[-1]["do"] == "export"
    assert written.count("[[trade]]") == before - 2
    assert 'name = "Mouse"' in written
    expect(pieces).to_have_count(before - 2)
    expect(page.locator("#export:not(.pending)")).to_be_visible()
