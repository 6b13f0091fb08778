"""Uploaded components in a browser: upload in the lobby, refusal with a line number, display to all, and play."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from browser.accessibility import Inspector
from browser.checks import too_wide
from browser.people import NewPerson
from browser.table import fill_lobby

DUNGEON_ALLIES = "Dungeon Allies"


@pytest.mark.parametrize("scripts", [True, False], ids=["with scripts", "plain"])
def test_components_are_uploaded_in_the_lobby_and_used_in_the_match(new_person: NewPerson, tmp_path: Path, scripts: bool) -> None:
    host, friend = new_person(java_script_enabled=scripts), new_person()
    fill_lobby(host, friend, game=DUNGEON_ALLIES)
    used = "#used-components"
    unfold(host.page)
    expect(host.page.locator(used)).to_have_text("The built-in file is used.")

    with host.page.expect_download() as download:
        host.page.get_by_role("link", name="Download the built-in file").click()
    built_in = download.value.path().read_text("utf-8")
    assert download.value.suggested_filename == "dungeon-allies-components.toml"

    own, wrong = tmp_path / "own.toml", tmp_path / "wrong.toml"
    own.write_text(re.sub(r'(\[\[sorcerer_card\]\]\nid = ".*"\nname = ")', r"\1Own ", built_in), "utf-8")
    wrong.write_text(built_in.replace('weakness = "melee"', 'weakness = "fist"', 1), "utf-8")
    line = wrong.read_text("utf-8").splitlines().index('weakness = "fist"') + 1

    host.allow("400")
    host.page.locator("#file-components").set_input_files(wrong)
    host.page.locator("#bring-components").click()
    expect(host.page.get_by_role("alert")).to_contain_text(
        f"components: line {line}, monster[0].weakness: invalid enum value 'fist'"
    )
    expect(host.page.locator(used)).to_have_text("The built-in file is used.")

    unfold(host.page)
    host.page.locator("#file-components").set_input_files(own)
    host.page.locator("#bring-components").click()
    uploaded = re.compile(r"\s*Uploaded by the host: [0-9a-f]{8}")
    for person in (host, friend):
        expect(person.page.locator(used)).to_have_text(uploaded)
    expect(friend.page.locator("#bring-components")).to_have_count(0)

    host.page.locator("#built-in-components").click()
    expect(friend.page.locator(used)).to_have_text("The built-in file is used.")
    unfold(host.page)
    host.page.locator("#file-components").set_input_files(own)
    host.page.locator("#bring-components").click()
    expect(friend.page.locator(used)).to_have_text(uploaded)

    _look_at_the_lobby(host.page if scripts else friend.page)
    host.page.locator("#start").click()
    for person in (host, friend):
        expect(person.page.locator("#board")).to_contain_text("Own ")


def unfold(page: Page) -> None:
    """Open what is folded. Without scripts nothing is."""
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
