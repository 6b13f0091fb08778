"""The picture of a match, and what is visible in forced colours."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, expect

import meadhall
from browser.people import NewPerson
from browser.table import VIKING_AXES, fill_lobby, open_table, play_now, resign
from meadhall.envs import render
from meadhall.pictures import png
from pixels import difference


@pytest.mark.parametrize("game", ["dungeon-allies", "viking-axes"])
def test_a_browser_draws_the_picture_of_a_match_as_other_renderers_do(browser: Browser, game: str) -> None:
    drawn = render(meadhall.game(game).match(players=3, seed="picture").view(0), "svg")
    page = browser.new_page()
    page.set_content(f'<body style="margin: 0">{drawn}')
    assert difference(page.locator("body > svg").screenshot(), png(drawn, width=300)) < 0.04
    page.close()


def test_what_is_chosen_is_marked_in_forced_colours(new_person: NewPerson) -> None:
    person = new_person(forced_colors="active")
    fill_lobby(person, bots=1)
    size = person.page.locator("#invite").evaluate("each => parseFloat(getComputedStyle(each).fontSize)")
    assert size >= 16, "iOS doesn't zoom into the field of the link"
    outline = "each => getComputedStyle(each).outlineStyle"
    assert person.page.locator("#size-2[aria-pressed=true]").evaluate(outline) == "solid"
    assert person.page.locator("#size-3[aria-pressed=false]").evaluate(outline) == "none"
    page = play_now(person, VIKING_AXES).page  # bots can't end it before the first decision
    expect(page.locator("#frame.yours")).to_be_visible()
    assert page.locator(".prompt-line").evaluate(outline) == "solid"
    assert page.locator(".plate.active").evaluate(outline) == "solid"


def test_a_finished_match_is_shared_as_a_picture(new_person: NewPerson) -> None:
    host, friend = new_person(), new_person()
    open_table(host, friend)
    resign(host.page)
    with friend.page.expect_download() as download:
        friend.page.locator("#share-picture").click()
    assert download.value.path().read_bytes().startswith(b"\x89PNG")
