"""The page addresses of version 0.1."""

from __future__ import annotations

import pytest

from server.people import HOARD, OpenHall

pytestmark = pytest.mark.asyncio(loop_scope="module")

MOVED = [
    ("/table/x", "/tables/x"),
    ("/table/x/", "/tables/x"),
    ("/table/x/stream", "/tables/x/stream"),
    ("/table/x/record", "/tables/x/record"),
    ("/table/x/replay?at=3", "/tables/x/replay?step=3"),
    ("/table/x/replay?at=3&eyes=all&known=everything", "/tables/x/replay?step=3&seat=all&knowledge=everything"),
    ("/table/x/replay?step=3&a=b%26c%3D", "/tables/x/replay?step=3&a=b%26c%3D"),
    ("/table/x/chart?known=public", "/tables/x/chart?knowledge=public"),
    ("/table/%20%3F%23/verify", "/tables/%20%3F%23/verify"),
    ("/table//evil.test", "/tables/evil.test"),
    ("/you", "/settings"),
    ("/you?back=/daily", "/settings?back=%2Fdaily"),
]
RENAMED = [
    ("/replay/x?at=3&eyes=1", "/replay/x?step=3&seat=1"),
    ("/replay/x?known=everything", "/replay/x?knowledge=everything"),
    ("/replay/x/chart?known=everything", "/replay/x/chart?knowledge=everything"),
]


@pytest.mark.parametrize(("old", "new"), [*MOVED, *RENAMED])
async def test_an_old_page_address_redirects(hall: OpenHall, old: str, new: str) -> None:
    answer = await hall.person().get(old)
    assert (answer.status_code, answer.headers["location"]) == (308, new)


@pytest.mark.parametrize(("old", "new"), MOVED)
@pytest.mark.parametrize("method", ["HEAD", "POST"])
async def test_other_methods_redirect_too(hall: OpenHall, method: str, old: str, new: str) -> None:
    answer = await hall.person().http.request(method, old)
    assert (answer.status_code, answer.headers["location"]) == (308, new)


async def test_a_link_from_before_the_update_leads_to_the_same_page(hall: OpenHall) -> None:
    host, _, room = await hall.two_at(HOARD)
    for path in ("", "/replay?at=1&eyes=0", "/verify"):
        old = await host.http.get(f"/table/{room.table.id}{path}", follow_redirects=True)
        assert old.status_code == 200
        assert str(old.url).startswith(f"http://hall.test/tables/{room.table.id}")
    assert 'value="0" selected' in (await host.http.get(f"/table/{room.table.id}/replay?eyes=0", follow_redirects=True)).text


async def test_a_form_from_before_the_update_still_works(hall: OpenHall) -> None:
    host = hall.person()
    table = await host.open(HOARD)
    form = {"hand": "many", "_csrf_token": "0" * 128}
    answer = await host.http.post(f"/table/{table}/options", data=form, headers={"HX-Request": "true"}, follow_redirects=True)
    assert (answer.status_code, answer.history[0].status_code) == (200, 308)
    assert (await hall.room(table)).table.options["hand"] == "many"
    answer = await host.http.post("/you", data={"name": "Ada", "_csrf_token": ""}, follow_redirects=True)
    assert answer.status_code == 200
    assert "Ada" in answer.text


async def test_a_form_of_another_site_is_refused_not_redirected(hall: OpenHall) -> None:
    person = hall.person()
    for path in ("/you", "/table/x/act"):
        assert (await person.http.post(path, headers={"Sec-Fetch-Site": "cross-site"})).status_code == 403
