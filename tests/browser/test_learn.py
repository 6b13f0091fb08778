"""The guided first game: by mouse, by keyboard, without JavaScript, on a phone, and with axe-core."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from browser.accessibility import Inspector
from browser.checks import alien_nodes, cut_off, focused, scrolls_sideways, small_controls, too_wide
from browser.keyboard import tab_to
from browser.people import NewPerson

LAST = 10


def at_step(page: Page, step: int) -> None:
    expect(page.locator(".progress")).to_contain_text(f"{step} of {LAST}")


def follow(page: Page, step: int) -> None:
    """Do the task of this step with the mouse."""
    wanted = page.locator("[data-wanted]")
    (wanted if wanted.count() else page.locator("#step-on")).click()
    at_step(page, step + 1)


def test_the_guided_game_leads_by_clicks_to_a_real_one(new_person: NewPerson) -> None:
    person = new_person()
    page = person.open("/")
    page.get_by_role("link", name=re.compile("Learn ?: Axes and Allies")).click()
    inspector = Inspector()
    for step in range(1, LAST):
        at_step(page, step)
        if step in (1, 3):
            inspector.inspect(f"step {step}", page)
        if step == 8:
            page.locator("#act-8").click()  # an ally instead of a victim
            expect(page.locator(".answer")).to_have_text("Good idea, but for now: attack Björn.")
            inspector.inspect("another choice", page)
        assert alien_nodes(page) == []
        follow(page, step)
        assert page.url.endswith(f"/learn/axes-and-allies?step={step + 1}"), "every step has an address"
    expect(page.locator("#prompt-words")).to_have_text("You win.")
    expect(page.locator("#prompt-words")).to_be_in_viewport()
    inspector.inspect("the end", page)
    assert inspector.found == []
    page.get_by_role("link", name="AA-6.1").first.click()
    expect(page.locator("#rules-text #AA-6\\.1")).to_be_visible()
    page.keyboard.press("Escape")
    page.locator("#play-now").click()
    expect(page.locator("#frame.game:not(.lesson)")).to_be_visible()


def test_the_guided_game_works_with_arrows_numbers_and_enter(new_person: NewPerson) -> None:
    page = new_person().open("/learn/axes-and-allies")
    for step in range(1, LAST):
        at_step(page, step)
        wanted = page.locator("[data-wanted]")
        if not wanted.count():
            page.keyboard.press("ArrowRight")
        elif step == 3:
            tab_to(page, lambda: focused(page) == "act-1")
            page.keyboard.press("Enter")
        else:
            page.keyboard.press(wanted.get_attribute("data-key") or "")
    at_step(page, LAST)
    page.keyboard.press("ArrowLeft")
    at_step(page, LAST - 1)
    page.keyboard.press("ArrowRight")  # skips the task
    at_step(page, LAST)


@pytest.mark.parametrize(("game", "last"), [("axxa", 10), ("viking-axes", 12)])
def test_the_guided_games_of_other_games_work_by_clicking(new_person: NewPerson, game: str, last: int) -> None:
    page = new_person().open(f"/learn/{game}")
    inspector = Inspector()
    for step in range(1, last):
        expect(page.locator(".progress")).to_contain_text(f"{step} of {last}")
        if step in (2, 4):
            inspector.inspect(f"step {step}", page)
        wanted = page.locator("[data-wanted]")
        if wanted.count() and not wanted.is_visible():  # the goals of a stack are visible once the stack is selected
            page.locator(".axxa-movable:has([data-wanted]) .axxa-chooser").click()
        (wanted if wanted.count() else page.locator("#step-on")).click()
    expect(page.locator("#play-now")).to_be_visible()
    assert alien_nodes(page) == []
    assert inspector.found == []


def test_arrow_keys_on_a_board_do_not_change_the_step(new_person: NewPerson) -> None:
    page = new_person().open("/learn/axxa?step=2")
    page.locator(".axxa-movable:has([data-wanted]) .axxa-chooser").focus()
    for key in ("ArrowRight", "ArrowLeft", "Enter", "ArrowUp", "ArrowUp", "ArrowUp", "ArrowLeft"):
        page.keyboard.press(key)
    expect(page.locator(".progress")).to_contain_text("2 of 10")
    expect(page.locator("[data-wanted]")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator(".progress")).to_contain_text("3 of 10")


def test_the_guided_game_works_without_javascript_and_in_german(new_person: NewPerson) -> None:
    page = new_person(java_script_enabled=False, locale="de-DE").open("/learn/axes-and-allies?step=3")
    expect(page.locator(".task")).to_have_text("Björn angreifen")
    page.locator("#act-7").click()
    expect(page.locator(".answer")).to_have_text("Gute Idee, aber jetzt erst einmal: Björn angreifen.")
    page.locator("[data-wanted]").click()
    expect(page.locator(".progress")).to_contain_text("4 von 10")
    page.get_by_role("link", name="Weiter").click()
    expect(page.locator(".task")).to_have_text(re.compile("Björn"))


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
