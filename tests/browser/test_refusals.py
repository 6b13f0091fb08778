"""What can't be done says why; what came too late, or from somebody else, changes nothing."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from browser.people import SAME_ORIGIN, Come
from browser.table import Table, ally_first, open_table, play_now, somebody_bound, whose_turn
from browser.test_viking_axes import VIKING_AXES


@pytest.fixture
def refused(come: Come) -> Table:
    """A moment at which somebody who is to decide sees a choice that is not allowed."""
    return somebody_bound(come(), come(), come())


def test_a_refused_choice_says_why_when_it_is_clicked(refused: Table) -> None:
    choice = refused.refused.first
    told = refused.told
    choice.click(force=True)
    _expect_reason(refused.page, choice)
    expect(refused.page.locator("#live")).to_contain_text("AA-")
    assert refused.told == told


def test_a_refused_choice_says_why_when_it_has_the_focus(refused: Table) -> None:
    choice = refused.refused.first
    choice.focus()
    _expect_reason(refused.page, choice)


def _expect_reason(page: Page, choice: Locator) -> None:
    why = page.locator(f"#{choice.get_attribute('aria-describedby')}")
    expect(why).to_contain_text("(AA-")
    expect(why).to_be_visible()
    expect(why).to_have_css("opacity", "1")


def test_a_stale_tab_is_refused_in_words_and_shows_the_present(come: Come) -> None:
    host, friend = come(), come()
    players = open_table(host, friend)
    actor = whose_turn(players)
    assert actor is not None
    person = host if actor is players[0] else friend
    person.allow("409", "net::ERR_FAILED", "Failed to fetch")
    old = Table(person.context.new_page())
    old.page.route("**/stream", lambda route: route.abort())
    old.page.goto(actor.path)
    old.wait_for_game()

    actor.act(ally_first)
    old.choices.first.click()

    expect(old.notice).to_contain_text("The game has moved on")
    assert old.told == actor.told


def test_an_answer_that_the_stream_has_overtaken_changes_nothing(come: Come) -> None:
    players = open_table(come(), come(), come())
    table = whose_turn(players)
    assert table is not None
    others = [other for other in players if other is not table]
    news = table.news
    stories: list[dict[int, str]] = []

    def arrive_late(route: Route) -> None:
        answer = route.fetch()
        for other in others:
            other.wait_for_news(news + 1)
        following = whose_turn(others)
        assert following is not None, "three allies don't wait before the second has chosen"
        following.act(ally_first)
        table.wait_for_moment(following.moment)  # somebody else has moved since, and the stream has told it
        stories.append(table.story)
        route.fulfill(response=answer)

    table.page.route("**/act", arrive_late)
    with table.page.expect_response("**/act"):
        table.choices.last.click()
    expect(table.page.locator(".pending")).to_have_count(0)
    assert [table.story] == stories


def test_who_presses_twice_decides_once(come: Come) -> None:
    table = whose_turn(open_table(come(), come()))
    assert table is not None
    expect(table.page.locator("#seats .chip", has_text="away")).to_have_count(0)  # everybody's page is live, no news to come
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


def test_somebody_elses_cookie_cannot_act(come: Come) -> None:
    host, friend, stranger = come(), come(), come()
    players = open_table(host, friend)
    actor = whose_turn(players)
    assert actor is not None
    told = actor.told
    stranger.open("/settings")
    form: dict[str, str | float | bool] = {"action": actor.choices.first.get_attribute("value") or ""}
    for headers in ({"Accept": "application/json"}, {"HX-Request": "true"}, {}):
        answer = stranger.context.request.post(f"{actor.path}/act", form=form, headers=SAME_ORIGIN | headers)
        assert answer.status == 403
        assert "You have no seat at this table" in answer.text()
    assert Table(stranger.open(actor.path)).told == told


def test_a_form_from_another_site_is_refused(come: Come) -> None:
    person = come()
    table = play_now(person)
    answer = person.context.request.post(f"{table.path}/resign", form={}, headers={"Sec-Fetch-Site": "cross-site"})
    assert answer.status == 403
    assert "come from a page of this hall" in answer.text()


def test_a_seat_is_carried_to_another_device_by_its_private_link(come: Come) -> None:
    host, friend, phone = come(), come(), come()
    players = open_table(host, friend)
    actor = whose_turn(players)
    assert actor is not None
    actor.page.reload()
    link = actor.page.locator("#device-url").input_value()

    phone.open(link)
    expect(phone.page.get_by_role("heading", name="Use your seat on this device?")).to_be_visible()
    carried = Table(phone.open(actor.path))
    expect(carried.acts).to_have_count(0)  # opening the link has changed nothing

    phone.open(link).get_by_role("button", name="Play here").click()
    carried.wait_for_game()
    carried.act(ally_first)
    actor.wait_for_news(carried.news)
    assert actor.told == carried.told


def test_the_private_link_is_there_as_soon_as_the_match_begins(come: Come) -> None:
    host, friend = come(), come()
    open_table(host, friend)
    host.page.get_by_role("button", name="Link").click()
    expect(host.page.locator("#device-url")).to_be_visible()


def test_the_page_says_why_an_action_cannot_be_undone(come: Come) -> None:
    tables = open_table(come(), come(), come())
    actor = whose_turn(tables)
    assert actor is not None
    undo, reason = actor.page.locator("#undo"), actor.page.locator("#undo-why")
    expect(undo).to_have_attribute("aria-disabled", "true")
    expect(reason).to_have_text("There is nothing to undo.")
    actor.act(ally_first)
    expect(reason).to_contain_text("dice were rolled")
    expect(undo).to_have_attribute("aria-disabled", "true")
    undo.focus()
    expect(reason).to_be_visible()


def test_resigning_asks_once_and_a_bot_plays_on(come: Come) -> None:
    host, friend = come(), come()
    players = open_table(host, friend)
    dialog = host.page.get_by_role("dialog", name="Leave the match?")
    host.page.locator("#resign").click()
    dialog.get_by_role("button", name="Keep playing").click()
    expect(dialog).to_be_hidden()
    expect(host.page.locator("#controls")).to_be_attached()

    host.page.locator("#resign").click()
    dialog.get_by_role("button", name="Resign").click()
    expect(host.page.locator("#frame.watching")).to_be_visible()
    expect(players[0].acts).to_have_count(0)
    expect(friend.page.locator("#plate-0")).to_contain_text("jarl")
    players[1].play_on()
    players[0].wait_for_news(players[1].news)
    assert players[0].headline == players[1].headline


def test_the_last_person_to_resign_gives_the_match_up_and_can_go_on_from_there(come: Come) -> None:
    (table,) = open_table(come(), bots=2, game=VIKING_AXES)  # one in which nobody can have won before
    page = table.page
    page.locator("#resign").click()
    dialog = page.get_by_role("dialog", name="Leave the match?")
    expect(dialog).to_contain_text("the match ends without a winner")
    expect(dialog).not_to_contain_text("A bot takes over")
    dialog.get_by_role("button", name="Resign").click()
    expect(page.get_by_role("heading", name="The match was given up")).to_be_visible()
    for name in ("With friends", "Replay", "Record"):
        expect(page.locator("#tools").get_by_text(name)).to_be_visible()
    page.get_by_role("link", name="Verify the dice").click()
    expect(page.locator(".verdict.good")).to_be_visible()
    page.go_back()
    page.get_by_role("button", name="Play again").click()
    expect(page.locator("#frame.game:not(.over) .plate")).to_have_count(3)
