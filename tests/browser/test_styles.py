"""What a change costs: a small one restyles few elements, whatever else stands on the page."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import CDPSession, Page

from browser.devices import MOVING
from browser.people import NewPerson
from browser.table import AXES_AND_ALLIES, VIKING_AXES, open_table

MOST = 220
"""Elements that a change may restyle."""

LAYOUT = "document.body.offsetWidth"
ADD = """const add = (place, className) =>
  document.querySelector(place).append(Object.assign(document.createElement("div"), { className }))"""
CHANGES = {
    "the layer of the stage": "add('#board', 'stage')",
    "a piece": "add('.stage', 'stage-piece')",
    "what happens now": "add('.prompt-line', '')",
    "the stage plays": "document.documentElement.dataset.playing = ''",
    "the stage rests": "delete document.documentElement.dataset.playing",
    "a chip": "add('.plate', 'chip')",
    "no piece": "document.querySelector('.stage').remove()",
}


def restyled(page: Page, session: CDPSession, change: str) -> int:
    """Make a change, and return how many elements get their style anew."""
    events, done = list[dict[str, Any]](), list[bool]()
    session.on("Tracing.dataCollected", lambda part: events.extend(part["value"]))
    session.once("Tracing.tracingComplete", lambda _: done.append(True))
    categories = "devtools.timeline,disabled-by-default-devtools.timeline,blink.user_timing"
    session.send("Tracing.start", {"categories": categories, "transferMode": "ReportEvents"})
    page.evaluate(f"() => {{ {ADD}; {LAYOUT}; performance.mark('before'); {change}; {LAYOUT}; performance.mark('after'); }}")
    session.send("Tracing.end")
    while not done:
        page.wait_for_timeout(20)
    begin, end = (next(each["ts"] for each in events if each["name"] == mark) for mark in ("before", "after"))
    styles = [each for each in events if each["name"] == "UpdateLayoutTree" and begin <= each["ts"] <= end]
    return sum(int(each["args"].get("elementCount", 0)) for each in styles)


@pytest.mark.parametrize("game", [AXES_AND_ALLIES, "AxxA", "Dungeon Allies", VIKING_AXES])
def test_a_small_change_restyles_few_elements(new_person: NewPerson, game: str) -> None:
    host, friend = new_person(**MOVING), new_person()
    page = open_table(host, friend, game=game)[0].page
    page.wait_for_function("() => document.body.matches('.chats')")
    session = host.context.new_cdp_session(page)
    found = {name: restyled(page, session, change) for name, change in CHANGES.items()}
    assert {name: count for name, count in found.items() if count > MOST} == {}
