"""Play now: the number of seats, the level of the bots and the options are chosen in place, and offered again next time."""

from __future__ import annotations

import re

import pytest

from meadhall.engine.registry import game
from meadhall.server.settings import Settings
from server.matches import match_of
from server.people import OpenHall, open_hall, until

pytestmark = pytest.mark.asyncio(loop_scope="module")

CHOSEN = {"game": "viking-axes", "kind": "bots", "seats": "3", "bot": "karl", "option-variant": "strategic"}


def shown(page: str, field: str) -> str:
    """Return what is selected in a field of the hall."""
    select = re.search(rf'<select id="{field}".*?</select>', page, re.DOTALL)
    assert select, field
    (chosen,) = re.findall(r'<option value="([^"]*)" selected>', select[0])
    return str(chosen)


async def test_what_a_guest_chose_last_is_played_and_offered_again(settings: Settings, at_once: None) -> None:
    async with open_hall(settings) as hall:
        person = hall.person()
        page = (await person.get("/")).text
        assert shown(page, "viking-axes-seats") == str(game("viking-axes").default_players)
        assert shown(page, "viking-axes-option-variant") == "standard"
        answer = await person.ask("/tables", CHOSEN)
        room = await hall.room(answer.json()["id"])
        assert [seat.bot for seat in room.table.seats] == [None, "karl", "karl"]
        assert match_of(room).options["variant"] == "strategic"
        cookies = dict(person.http.cookies)
    async with open_hall(settings) as hall:
        person = hall.person()
        person.http.cookies.update(cookies)
        page = (await person.get("/")).text
        assert shown(page, "viking-axes-seats") == "3"
        assert shown(page, "viking-axes-bot") == "karl"
        assert shown(page, "viking-axes-option-variant") == "strategic"
        assert "2 bots (Karl) · Hidden hands" in page
        assert shown((await hall.person().get("/")).text, "viking-axes-bot") == "huscarl", "of this guest only"
        again = await person.ask("/tables", {"game": "viking-axes", "kind": "bots"})
        room = await hall.room(again.json()["id"])
        assert ([seat.bot for seat in room.table.seats], match_of(room).options["variant"]) == (
            [None, "karl", "karl"],
            "strategic",
        )


async def test_a_choice_that_can_not_be_played_is_refused_and_not_remembered(hall: OpenHall) -> None:
    person = hall.person()
    for change in ({"seats": "99"}, {"bot": "jester"}, {"option-variant": "silly"}, {"option-colour": "red"}):
        answer = await person.ask("/tables", CHOSEN | change)
        assert answer.status_code == 400, change
    assert shown((await person.get("/")).text, "viking-axes-seats") == str(game("viking-axes").default_players)


async def test_an_option_that_another_one_rules_out_gets_its_default(hall: OpenHall) -> None:
    form = {"game": "axxa", "kind": "bots", "players": "2", "option-mode": "together", "option-order": "strict"}
    answer = await hall.person().ask("/tables", form)
    assert answer.status_code == 201, answer.text
    assert match_of(await hall.room(answer.json()["id"])).options["order"] == "skip"


@pytest.mark.parametrize("players", [{}, {"players": "1"}, {"seats": "4"}])
async def test_a_table_with_friends_has_room_for_a_friend(hall: OpenHall, players: dict[str, str]) -> None:
    assert game("axxa").default_players == 1
    answer = await hall.person().ask("/tables", {"game": "axxa", "kind": "friends", **players})
    room = await hall.room(answer.json()["id"])
    assert [seat.kind for seat in room.table.seats] == ["human", "open"]


async def test_a_first_match_opens_with_the_goal_and_a_link_to_the_lesson(hall: OpenHall) -> None:
    person, minutes = hall.person(), game("dungeon-allies").lessons
    assert minutes is not None
    for count in range(2):
        answer = await person.ask("/tables", {"game": "dungeon-allies", "kind": "bots", "players": "2", "bot": "thrall"})
        path = answer.json()["url"]
        page = (await person.get(path)).text
        assert "have the most points" in page
        assert (f"New here? Learn it in {minutes.minutes} minute" in page) == (count == 0), "only in the first match"
        assert "have the most points" not in (await hall.person().get(path)).text, "a spectator has no goal"
        room = await hall.room(answer.json()["id"])
        await until(room, lambda: match_of(room).actor == 0)  # noqa: B023 - awaited here
        await person.act(room.table.id, match_of(room).legal()[0].action)
        assert "have the most points" not in (await person.get(path)).text, "until the first decision"
