"""A person's profile and the picture of a match's end, in a real browser."""

from __future__ import annotations

from playwright.sync_api import expect

from browser.accessibility import Inspector
from browser.checks import cut_off, scrolls_sideways
from browser.people import NewPerson
from browser.table import fill_lobby, resign


def test_a_finished_match_is_shared_as_a_picture_and_stands_in_both_profiles(new_person: NewPerson) -> None:
    host, friend = new_person(), new_person()
    table, _other = fill_lobby(host, friend)
    host.page.locator("#start").click()
    table.wait_for_game()
    friend.page.locator("#plate-0 .plate-name a").click()
    expect(friend.page.get_by_role("heading", level=1)).to_be_visible()
    profile = friend.page.url
    assert "/people/" in profile
    friend.page.go_back()
    resign(host.page)
    share = friend.page.locator("#share-picture")
    with friend.page.expect_download() as download:
        share.click()
    assert download.value.path().read_bytes().startswith(b"\x89PNG")

    friend.open(profile)
    page = host.open("/people/me")
    expect(friend.open("/people/me").locator(".feats")).to_have_text("Won 1 match against people")
    inspector = Inspector()
    inspector.inspect("own profile", page)
    inspector.inspect("profile of another person", friend.page)
    assert inspector.found == []
    for width in (320, 390, 820, 1440):
        page.set_viewport_size({"width": width, "height": 800})
        assert not scrolls_sideways(page), width
    assert cut_off(page) == []
    page.locator("input[value=public]").check()
    page.locator("form[action$='/visibility'] button").click()
    stranger = new_person()
    expect(stranger.open(profile).get_by_role("heading", level=1)).to_have_text(page.locator("h1").inner_text())
