"""Texts keep step with the board's animation, at the speed that the guest has chosen."""

from __future__ import annotations

from playwright.sync_api import expect

from browser.devices import MOVING
from browser.people import NewPerson, Person
from browser.table import Table, open_table, whose_turn

PACE = "() => +getComputedStyle(document.documentElement).getPropertyValue('--pace')"
VIKING_AXES = "Viking Axes"
RECORD_TIMES = """() => {
  const told = new Set(Array.from(document.querySelectorAll(".telling"), each => each.id));
  new MutationObserver(() => {
    const arrived = [...document.querySelectorAll(".telling[data-arrived]")].filter(each => !told.has(each.id));
    if (arrived.length === 0) return;
    arrived.forEach(each => told.add(each.id));
    const texts = [...arrived, ...document.querySelectorAll("#prompt-words > span")];
    const timed = texts.flatMap(each => each.getAnimations().map(run => {
      const { delay, endTime } = run.effect.getComputedTiming();
      return [each.textContent.trim(), Math.round(delay), each.matches(".telling") ? Math.round(endTime) : null];
    }));
    if (timed.length) window.timed = timed;
  }).observe(document.body, { subtree: true, childList: true, attributes: true });
}"""
"""Record when each new text in the place of the prompt appears and disappears, in milliseconds after the frame.

They are read as soon as they stand in the document. On a busy machine the first may have ended when htmx reports the swap."""


def choose_speed(person: Person, words: str) -> None:
    person.open("/settings")
    person.page.get_by_role("group", name="Speed of animations").get_by_label(words, exact=True).check()
    person.page.get_by_role("button", name="Save").click()


def throw(players: list[Table]) -> tuple[Table, Table]:
    """Play until a player has thrown an axe. Return the thrower and the other player."""
    while True:
        actor = whose_turn(players)
        assert actor is not None
        other = next(table for table in players if table is not actor)
        throwing = actor.page.locator(".va-target").count() > 0
        if throwing:
            other.page.evaluate(RECORD_TIMES)
        actor.act()
        other.wait_for_event(actor.newest_event)
        if throwing:
            return actor, other


def test_the_prompt_tells_what_happens_before_it_asks(new_person: NewPerson) -> None:
    """With slow animations one text follows the other; without animations all appear at once."""
    host, friend = new_person(**MOVING), new_person(**MOVING)
    choose_speed(host, "slow")
    choose_speed(friend, "slow")
    players = open_table(host, friend, game=VIKING_AXES)
    _, other = throw(players)
    timed = other.page.evaluate("window.timed")
    *told, (prompt, asked, _) = timed
    assert told[0][0].endswith("at you")
    assert told[1][0].startswith(("You take", "Your shields"))
    assert told[0][1] == 0
    assert [end for _, _, end in told] == [start for _, start, _ in told[1:]] + [asked], "one text follows the other"
    assert prompt == other.prompt.inner_text().strip()

    for person, table in zip((host, friend), players, strict=True):
        path = table.path
        choose_speed(person, "off")
        person.open(path)
    _, other = throw(players)
    assert other.page.evaluate(PACE) == 0
    assert other.page.evaluate("document.getAnimations().length") == 0
    expect(other.page.locator("#prompt-words > span")).to_have_css("opacity", "1")
    assert other.page.evaluate("window.timed") is None


def test_a_chosen_speed_goes_before_the_wish_for_less_motion(new_person: NewPerson) -> None:
    person = new_person()
    assert person.open("/settings").evaluate(PACE) == 0
    for words, pace in (("slow", 1.8), ("normal", 1), ("fast", 0.5), ("off", 0)):
        choose_speed(person, words)
        assert person.open("/settings").evaluate(PACE) == pace
        expect(person.page.locator(f"input[name=motion][value={words}]")).to_be_checked()
    choose_speed(person, "System")
    assert person.open("/settings").evaluate(PACE) == 0


def test_the_speed_can_be_chosen_without_javascript(new_person: NewPerson) -> None:
    person = new_person(java_script_enabled=False)
    choose_speed(person, "fast")
    person.open("/settings")
    expect(person.page.locator("html")).to_have_attribute("data-motion", "fast")
