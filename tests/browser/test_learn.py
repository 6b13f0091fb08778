"""The guided first game: by mouse, by keyboard, and whether it fits."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from browser.accessibility import Inspector
from browser.checks import alien_nodes, cut_off, scrolls_sideways, small_controls, too_wide
from browser.people import NewPerson


def at_step(page: Page, step: int, last: int) -> None:
    expect(page.locator(".progress")).to_contain_text(f"{step} of {last}")


@pytest.mark.parametrize(("game", "last"), [("axes-and-allies", 10), ("axxa", 10), ("viking-axes", 12)])
def test_the_guided_game_leads_by_clicks_to_a_real_one(new_person: NewPerson, game: str, last: int) -> None:
    page, inspector = new_person().open(f"/learn/{game}"), Inspector()
    for step in range(1, last):
        at_step(page, step, last)
        if step in (2, 4):
            inspector.inspect(f"step {step}", page)
        wanted = page.locator("[data-wanted]")
        if wanted.count() and not wanted.is_visible():  # the goals of a stack are visible once the stack is selected
            page.locator(".axxa-movable:has([data-wanted]) .axxa-chooser").click()
        (wanted if wanted.count() else page.locator("#step-on")).click()
    at_step(page, last, last)
    assert page.url.endswith(f"/learn/{game}?step={last}"), "every step has an address"
    expect(page.locator("#prompt-words")).to_be_in_viewport()
    inspector.inspect("the end", page)
    assert (inspector.found, alien_nodes(page)) == ([], [])
    page.locator("#board ~ * a.rule, a.rule").first.click()
    expect(page.locator("#rules-text .found")).to_be_visible()
    page.keyboard.press("Escape")
    page.locator("#play-now").click()
    expect(page.locator("#frame.game:not(.lesson)")).to_be_visible()


def test_the_guided_game_works_with_arrows_and_numbers(new_person: NewPerson) -> None:
    page, last = new_person().open("/learn/axes-and-allies"), 10
    for step in range(1, last):
        at_step(page, step, last)
        wanted = page.locator("[data-wanted]")
        page.keyboard.press(wanted.get_attribute("data-key") or "" if wanted.count() else "ArrowRight")
    at_step(page, last, last)
    page.keyboard.press("ArrowLeft")
    at_step(page, last - 1, last)
    page.keyboard.press("ArrowRight")  # skips the task
    at_step(page, last, last)


def test_arrow_keys_on_a_board_do_not_change_the_step(new_person: NewPerson) -> None:
    page = new_person().open("/learn/axxa?step=2")
    page.locator(".axxa-movable:has([data-wanted]) .axxa-chooser").focus()
    for key in ("ArrowRight", "ArrowLeft", "Enter", "ArrowUp", "ArrowUp", "ArrowUp", "ArrowLeft"):
        page.keyboard.press(key)
    expect(page.locator(".progress")).to_contain_text("2 of 10")
    expect(page.locator("[data-wanted]")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator(".progress")).to_contain_text("3 of 10")


def test_the_text_and_the_board_of_a_step_fit_on_one_screen(new_person: NewPerson) -> None:
    page = new_person(has_touch=True).page
    for game, step in (("axes-and-allies", 5), ("axes-and-allies", 8), ("axxa", 4), ("viking-axes", 9), ("viking-axes", 11)):
        page.goto(f"/learn/{game}?step={step}")
        for width, height in ((390, 844), (820, 1180), (1440, 900)):
            page.set_viewport_size({"width": width, "height": height})
            page.evaluate("() => scrollTo(0, 0)")
            where = (game, step, width)
            assert (too_wide(page), cut_off(page), small_controls(page), scrolls_sideways(page)) == ([], [], [], False), where
            for part in ("#board", ".speech", "#step-back"):
                box = page.locator(part).first.bounding_box()
                assert box is not None
                assert box["y"] >= 0, (part, where)
                assert box["y"] + box["height"] <= height, (part, where)
