"""Refusals show a reason; late requests and requests of others change nothing."""

from __future__ import annotations

from playwright.sync_api import Locator, Page, Route, expect

from browser.people import SAME_ORIGIN, NewPerson, Person
from browser.table import VIKING_AXES, Table, ally_first, open_table, resign_dialog, table_with_refused_choice, whose_turn


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
        response = route.fetch()
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


def test_late_and_foreign_requests_change_nothing(new_person: NewPerson) -> None:
    host, friend, stranger = new_person(), new_person(), new_person()
    players = open_table(host, friend)
    actor = whose_turn(players)
    assert actor is not None
    person = host if actor is players[0] else friend
    before = actor.events
    _ask_as_another_guest(stranger, actor)
    _ask_from_another_site(person, actor)
    assert Table(stranger.open(actor.path)).events == before

    # An outdated tab shows a refusal and the current state.
    person.allow("409", "net::ERR_FAILED", "Failed to fetch")
    old = Table(person.context.new_page())
    old.page.route("**/stream", lambda route: route.abort())
    old.page.goto(actor.path)
    old.wait_for_game()
    old.page.route(f"**{actor.path}", lambda route: route.abort())  # no poll
    actor.act(ally_first)
    old.choices.first.click()
    expect(old.notice).to_contain_text("The game has moved on")
    assert old.events == actor.events
    old.page.close()


def _ask_as_another_guest(stranger: Person, table: Table) -> None:
    stranger.open("/settings")
    form: dict[str, str | float | bool] = {"action": table.choices.first.get_attribute("value") or ""}
    for headers in ({"Accept": "application/json"}, {"HX-Request": "true"}, {}):
        answer = stranger.context.request.post(f"{table.path}/act", form=form, headers=SAME_ORIGIN | headers)
        assert answer.status == 403
        assert "You have no seat at this table" in answer.text()


def _ask_from_another_site(person: Person, table: Table) -> None:
    answer = person.context.request.post(f"{table.path}/resign", form={}, headers={"Sec-Fetch-Site": "cross-site"})
    assert answer.status == 403
    assert "come from a page of this hall" in answer.text()


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


def test_a_private_link_opens_the_seat_on_another_device(new_person: NewPerson) -> None:
    host, friend, phone = new_person(), new_person(), new_person()
    players = open_table(host, friend)
    actor = whose_turn(players)
    assert actor is not None
    actor.page.get_by_role("button", name="Share").click()
    expect(actor.page.locator("#table-url")).to_be_visible()
    expect(actor.page.locator("#device-url"), "the private link is folded away").to_be_hidden()
    actor.page.keyboard.press("Escape")
    link = actor.page.locator("#device-url").input_value()

    phone.open(link)
    expect(phone.page.get_by_role("heading", name="Use your seat on this device?")).to_be_visible()
    moved = Table(phone.open(actor.path))
    expect(moved.acts).to_have_count(0)  # opening the link alone changes nothing

    phone.open(link).get_by_role("button", name="Play here").click()
    moved.wait_for_game()
    moved.act(ally_first)
    actor.wait_for_event(moved.newest_event)
    assert actor.log == moved.log


def test_resigning_needs_a_confirmation_and_a_bot_takes_over(new_person: NewPerson) -> None:
    host, friend, other = new_person(), new_person(), new_person()
    players = open_table(host, friend, other)
    _check_undo(players)
    dialog = resign_dialog(host.page)
    expect(dialog).to_contain_text("A bot plays your seat to the end.")
    host.page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    expect(host.page.locator("#controls")).to_be_attached()

    while (actor := whose_turn(players)) is not players[1]:
        assert actor is not None
        actor.act(ally_first)
    for seat, person in ((0, host), (2, other)):  # in the turn of the friend: until then bots would play on
        resign_dialog(person.page).get_by_role("button", name="Resign").click()
        expect(person.page.locator("#stand-in")).to_contain_text("You have resigned.")
        expect(players[seat].choices).to_have_count(0)
        expect(friend.page.locator(f"#plate-{seat}")).to_contain_text("Jarl plays")
    players[1].play_on()
    players[0].wait_for_event(players[1].newest_event)
    assert players[0].headline.startswith(("You win", "You lost"))  # the bot plays for its owner
    assert players[1].headline.startswith(("You win", "You lost"))


def _check_undo(players: list[Table]) -> None:
    """The page shows why an action can't be undone."""
    actor = whose_turn(players)
    assert actor is not None
    undo, reason = actor.page.locator("#undo"), actor.page.locator("#undo-why")
    expect(undo).to_have_attribute("aria-disabled", "true")
    expect(reason).to_have_text("There is nothing to undo: you haven't decided anything yet.")
    actor.act(ally_first)
    expect(reason).to_have_text("All the others must agree. Dice and cards fall differently afterwards.")
    expect(undo).to_contain_text("Ask to take back")
    undo.hover()
    expect(reason).to_be_visible()


def test_resigning_a_match_of_two_gives_the_other_player_the_win(new_person: NewPerson) -> None:
    host, friend = new_person(), new_person()
    players = open_table(host, friend)
    name = host.page.locator("#plate-1 .plate-name strong").inner_text()
    dialog = resign_dialog(host.page)
    expect(dialog).to_contain_text(f"{name} wins the match.")
    expect(dialog).not_to_contain_text("A bot plays")
    dialog.get_by_role("button", name="Resign").click()
    for table, headline in zip(players, ("You lost", "You win"), strict=True):
        expect(table.page.locator("#end-title")).to_contain_text(headline)
        expect(table.page.locator("#end")).to_contain_text("resign")
        expect(table.acts).to_have_count(0)
    watching = Table(new_person().open(players[0].path))
    assert watching.headline == f"{name} wins"


def test_the_match_is_abandoned_when_the_last_person_resigns(new_person: NewPerson) -> None:
    (table,) = open_table(new_person(), bots=2, game=VIKING_AXES)  # a game that no player can win so early
    page = table.page
    dialog = resign_dialog(page)
    expect(dialog).to_contain_text("the match ends without a winner")
    expect(dialog).not_to_contain_text("A bot plays")
    dialog.get_by_role("button", name="Give up").click()
    expect(page.get_by_role("heading", name="The match was given up")).to_be_visible()
    for name in ("With friends", "Replay", "Record"):
        expect(page.locator("#tools").get_by_text(name)).to_be_visible()
    page.get_by_role("link", name="Verify the dice").click()
    expect(page.locator(".verdict.good")).to_be_visible()
    page.go_back()
    page.get_by_role("button", name="Play again").click()
    expect(page.locator("#frame.game:not(.over) .plate")).to_have_count(3)
