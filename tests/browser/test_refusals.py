"""Refusals show a reason, and what comes late or twice changes nothing."""

from __future__ import annotations

from playwright.sync_api import Locator, Page, Route, expect

from browser.checks import differences
from browser.people import NewPerson
from browser.table import ally_first, open_table, table_with_refused_choice, whose_turn


def test_a_refused_choice_shows_the_reason(new_person: NewPerson) -> None:
    refused = table_with_refused_choice(new_person(), new_person(), new_person())
    choice = refused.refused.first
    before = refused.log
    choice.focus()
    _expect_reason(refused.page, choice)
    refused.page.keyboard.press("Escape")
    choice.click(force=True)
    _expect_reason(refused.page, choice)
    expect(refused.page.locator("#live")).to_contain_text("AA-")
    assert refused.log == before


def _expect_reason(page: Page, choice: Locator) -> None:
    why = page.locator(f"#{choice.get_attribute('aria-describedby')}")
    expect(why).to_contain_text("(AA-")
    expect(why).to_be_visible()
    expect(why).to_have_css("opacity", "1")


def test_a_response_older_than_the_stream_changes_nothing(new_person: NewPerson) -> None:
    players = open_table(new_person(), new_person(), new_person())
    table = whose_turn(players)
    assert table is not None
    others = [other for other in players if other is not table]
    newest = table.newest_event
    logs: list[dict[int, str]] = []

    def arrive_late(route: Route) -> None:
        headers = {name: value for name, value in route.request.headers.items() if name != "meadhall-page"}
        response = route.fetch(headers=headers)  # a page without a name is answered with the frame
        assert 'id="frame"' in response.text()
        for other in others:
            other.wait_for_event(newest + 1)
        following = whose_turn(others)
        assert following is not None, "another player must be able to move"
        following.act(ally_first)
        table.wait_for_version(following.version)  # the stream has already shown the move of another player
        logs.append(table.numbered_log)
        route.fulfill(response=response)

    table.page.route("**/act", arrive_late)
    with table.page.expect_response("**/act"):
        table.choices.last.click()
    expect(table.page.locator(".pending")).to_have_count(0)
    assert [table.numbered_log] == logs


def test_a_page_that_lacks_a_message_loads_the_whole_frame(new_person: NewPerson) -> None:
    players = open_table(new_person(), new_person())
    table = whose_turn(players)
    assert table is not None
    other = next(each for each in players if each is not table)
    other.page.evaluate("""() => {
        document.getElementById("frame").dataset.version -= 1;
        document.getElementById("marks").replaceChildren();  // no message brings it
    }""")
    table.act(ally_first)
    other.wait_for_version(table.version)
    expect(other.page.locator("#marks symbol")).not_to_have_count(0)
    assert differences(other.page) == []


def test_a_double_click_sends_one_action(new_person: NewPerson) -> None:
    table = whose_turn(open_table(new_person(), new_person()))
    assert table is not None
    # When every page is connected, no more frames will arrive.
    expect(table.page.locator("#seats .chip", has_text="away")).to_have_count(0)
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    table.page.route("**/act", hold)
    with table.page.expect_request("**/act"):
        table.choices.first.dblclick()
    table.choices.last.click()
    with table.page.expect_response("**/act"):
        held[0].continue_()
    expect(table.page.locator(".pending")).to_have_count(0)
    assert len(held) == 1
    expect(table.notice).to_have_count(0)
