"""Small things that pages said badly, or not at all, when people tried them."""

from __future__ import annotations

import re
from html import unescape

import pytest

from server.people import AXES, OpenHall, Person

pytestmark = pytest.mark.asyncio(loop_scope="module")

OLD = re.compile(r"\d-\d+ (?:players|seats|Spieler|Plätze)|has an eye|the others come along|You can't undo this")
"""What pages no longer say: a hyphen between two numbers, and three sentences that told nothing."""


async def text_of(person: Person, path: str) -> str:
    """Return a page with its entities decoded, after a look for what it must not say."""
    page = unescape((await person.get(path)).text)
    assert OLD.findall(page) == [], path
    return page


async def test_pages_say_what_people_have_to_know(hall: OpenHall, at_once: None) -> None:
    host, friend = hall.person(), hall.person()
    quick = await host.post("/quick", {"game": AXES, "seats": "3"})
    assert "Keep this page open. If you leave it, you lose your seat." in await text_of(host, quick.headers["location"])
    for path in ("/sign-in", "/account/new"):
        text = await text_of(host, path)
        assert "Browsers make passkeys only where the hall's address is a name with HTTPS." in text, path
        assert path != "/sign-in" or text.index("Your password") < text.index("Browsers make passkeys"), "the form comes first"
    assert 'data-waiting="The browser has not answered yet.' in await text_of(host, "/settings")
    await text_of(host, "/")
    table = f"/tables/{await host.open(players=2)}"
    await host.post(f"{table}/clock", {"clock": "seat:600", "was": "none"})
    await friend.ask(f"{table}/seats", {"seat": "1", "set": "sit"})
    assert "Lines by spectators are marked with an eye." in await text_of(host, table)
    await host.ask(f"{table}/start")
    assert (await friend.ask(f"{table}/propose", {"what": "draw"})).status_code == 200
    for person in (host, friend):
        assert "Until all have answered, the clocks run." in await text_of(person, table)


async def test_after_a_match_sharing_and_replay_are_buttons_and_the_rest_are_links(hall: OpenHall, at_once: None) -> None:
    host, friend, room = await hall.two_at()
    await host.ask(f"/tables/{room.table.id}/resign")
    page = await text_of(friend, f"/tables/{room.table.id}")
    (tools,) = re.findall(r'(?s)<section id="tools".*?</section>', page)
    loud = re.findall(r'(?s)<(?:a|button)[^>]*class="button[^>]*>(.*?)</(?:a|button)>', tools)
    assert [re.sub(r"(?s)<.*?>", "", each).strip() for each in loud] == ["Rematch", "Share", "Replay"]
    (quiet,) = re.findall(r'(?s)<p class="tools-quiet.*?</p>', tools)
    assert all(words in quiet for words in ("Back to the hall", "Record", "Verify the dice"))
