"""The workshop in a browser: what is typed is kept over slow answers, Back and a reload, and the report comes beside it."""

from __future__ import annotations

import threading

import pytest
from playwright.sync_api import Page, Route, expect

from browser.accessibility import Inspector
from browser.checks import cut_off, scrolls_sideways, too_wide
from browser.people import NewPerson


def ask(page: Page, game: str) -> None:
    page.locator(f"#ask-{game}").click()
    page.wait_for_url("**/workshop/*")


def later(route: Route) -> None:
    """Let the answer to an edit come late."""
    if route.request.method == "POST":
        threading.Event().wait(0.4)
    route.continue_()


def in_turn(page: Page) -> list[str]:
    """Return the values of all fields."""
    fields = "#question-form :is(textarea, select, input:not([type=hidden], [type=file], [type=checkbox]))"
    ticked = page.locator("#question-form input:checked").evaluate_all("all => all.map(each => each.name + each.value)")
    return [*page.locator(fields).evaluate_all("all => all.map(each => each.value)"), *ticked]


@pytest.mark.slow("a report is made")
def test_nothing_is_lost_over_slow_answers_and_the_report_opens_beside_the_fields(new_person: NewPerson) -> None:
    person = new_person()
    page = person.open("/workshop")
    ask(page, "axes-and-allies")
    page.route("**/workshop/*", later)
    page.locator("#add").click()
    expect(page.locator(".ways thead input")).to_have_count(2)
    names = page.locator(".ways thead input")
    page.locator("#question-name").fill("Who wins when two are left?")
    names.nth(0).fill("Allies")
    names.nth(1).fill("To the end")
    page.locator(".ways select").nth(1).select_option(index=1)
    page.locator("[name=players][value='2']").check()
    page.locator("[name=players][value='3']").check()
    page.get_by_text("Bots, forbidden moves, counting, time").click()
    page.locator("#seconds").select_option("15")
    page.locator("#search").press_sequentially("25", delay=20)
    typed = in_turn(page)
    where = page.url
    page.locator("#ask").click()
    expect(page.locator("#report .report h2").first).to_be_visible()
    assert (page.url, in_turn(page)) == (where, typed)
    names.nth(1).fill("To the bitter end")  # and goes away at once, without leaving the field
    page.goto(f"{where.rpartition('/')[0]}")
    expect(page.locator(".card")).to_contain_text("Who wins when two are left?")
    page.go_back()
    expect(names.nth(1)).to_have_value("To the bitter end")
    page.reload()
    expect(page.locator("#report .report h2").first).to_be_visible()
    kept = [text.replace("To the end", "To the bitter end") for text in typed]
    assert in_turn(page) == kept
    page.locator("#undo").click()
    expect(names.nth(1)).to_have_value("To the end")
    look(page)


def test_a_refused_field_is_marked_and_keeps_back_the_report_but_not_the_other_edits(new_person: NewPerson) -> None:
    person = new_person()
    person.allow("400")
    page = person.open("/workshop")
    ask(page, "axes-and-allies")
    page.route("**/workshop/*", later)
    sides = page.locator(".ways input[type=number]").first
    sides.fill("99")
    page.locator("[name=players][value='2']").check()
    page.locator("#question-name").fill("Ninety-nine sides?")
    page.locator("#ask").click()
    expect(sides).to_be_focused()
    expect(sides).to_have_attribute("aria-invalid", "true")
    expect(page.locator("#report")).to_have_count(0)
    sides.fill("9")
    page.locator("#add").click()
    expect(page.locator(".ways thead input")).to_have_count(2)
    page.reload()
    expect(page.locator("#question-name")).to_have_value("Ninety-nine sides?")
    expect(page.locator("[name=players][value='2']")).to_be_checked()
    expect(sides).to_have_value("9")


def test_the_page_behind_a_link_shows_what_was_edited_before(new_person: NewPerson) -> None:
    page = new_person().open("/workshop")
    ask(page, "dungeon-allies")
    page.route("**/workshop/*", later)
    page.locator(".ways thead input").fill("Richer")
    page.locator(".ways td a").click()
    expect(page.locator("#main")).to_contain_text("Richer")


def look(page: Page) -> None:
    """A question with its report is accessible and fits a phone."""
    inspector = Inspector()
    inspector.inspect("question", page)
    page.set_viewport_size({"width": 390, "height": 844})
    assert inspector.found + ["scrolls sideways"] * scrolls_sideways(page) + too_wide(page) + cut_off(page) == []


def test_a_question_works_without_a_script(new_person: NewPerson) -> None:
    page = new_person(java_script_enabled=False).open("/workshop")
    ask(page, "viking-axes")
    page.locator("#question-name").fill("Hidden hands")
    page.locator(".ways select").first.select_option("strategic")
    page.get_by_role("button", name="Save").last.click()
    expect(page.locator("#question-name")).to_have_value("Hidden hands")
    expect(page.locator(".ways select").first).to_have_value("strategic")
    page.locator("#undo").click()
    expect(page.locator(".ways select").first).to_have_value("standard")
    page.locator("[id^=play-]").click()
    page.wait_for_url("**/tables/*")
