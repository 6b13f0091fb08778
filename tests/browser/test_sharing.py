"""What a messenger and a phone's home screen show of the hall, and what is visible in forced colours."""

from __future__ import annotations

import re
from urllib.parse import urljoin

import pytest
from playwright.sync_api import Browser, expect

import meadhall
from browser.people import NewPerson
from browser.table import VIKING_AXES, fill_lobby, play_now
from meadhall.envs import render
from meadhall.pictures import png
from pixels import difference


def test_the_preview_of_a_link_has_a_picture_and_no_secret(new_person: NewPerson) -> None:
    host, guest, friend = new_person(), new_person(), new_person()
    host.open("/settings").locator("#name").fill("Sigrun")
    host.page.get_by_role("button", name="Save").click()
    fill_lobby(host, guest)  # a bot might end the match before the host has decided anything
    invitation = host.page.locator("#invite").input_value()
    host.page.locator("#start").click()
    expect(host.page.locator("#frame.game")).to_be_visible()
    host.page.reload()
    seat = host.page.locator("#device-url").input_value()
    for link in (invitation, seat):
        page = friend.open(link)
        tags = page.locator("meta[property^='og:']").evaluate_all("all => all.map(each => each.content).join(' ')")
        assert "Meadhall" in tags
        assert "Sigrun" not in tags
        assert link.rpartition("/")[2] not in tags
        picture = page.locator("meta[property='og:image']").get_attribute("content") or ""
        assert picture.startswith(friend.hall)
        assert friend.context.request.get(picture).headers["content-type"] == "image/jpeg"


@pytest.mark.parametrize("game", ["dungeon-allies", "viking-axes"])
def test_a_browser_draws_the_picture_of_a_match_as_other_renderers_do(browser: Browser, game: str) -> None:
    drawn = render(meadhall.game(game).match(players=3, seed="picture").view(0), "svg")
    page = browser.new_page()
    page.set_content(f'<body style="margin: 0">{drawn}')
    assert difference(page.locator("body > svg").screenshot(), png(drawn, width=300)) < 0.04
    page.close()


def test_the_hall_can_be_put_on_a_home_screen(new_person: NewPerson) -> None:
    person = new_person()
    page = person.open("/")
    answer = person.context.request.get(page.locator("link[rel=manifest]").get_attribute("href") or "")
    manifest = answer.json()
    assert manifest["name"] == "Meadhall"
    addresses = [urljoin(answer.url, icon["src"]) for icon in manifest["icons"]]
    addresses.append(page.locator("link[rel=apple-touch-icon]").get_attribute("href") or "")
    for address in addresses:
        assert re.match("image/(png|svg)", person.context.request.get(address).headers["content-type"]), address


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
