"""Cross-site request forgery: which requests count as coming from a page of the hall."""

from __future__ import annotations

from typing import Any

import httpx
import pytest
from litestar import Litestar

from server.people import BASE, OpenHall, Visitor

pytestmark = pytest.mark.asyncio(loop_scope="module")

OTHER = "https://evil.test"


async def with_session(app: Litestar) -> Visitor:
    """Return a client that has the session cookie, but sends no ``Sec-Fetch-Site`` and no ``Origin`` by itself."""
    visitor = Visitor(app)
    await visitor.get("/settings")
    assert "meadhall_guest" in visitor.http.cookies
    return visitor


async def send(visitor: Visitor, headers: dict[str, str], path: str = "/settings") -> httpx.Response:
    return await visitor.http.post(path, data={"name": "Ada"}, headers=headers)


# The cookie only matters where the browser says nothing: another site must not start a new session either, which would replace
# the guest's own.
FROM_HERE = [
    {"Sec-Fetch-Site": "same-origin"},
    {"Sec-Fetch-Site": "none"},
    {"Sec-Fetch-Site": "same-origin", "Origin": BASE},
    {"Sec-Fetch-Site": "same-origin", "Origin": "null"},
    {"Sec-Fetch-Site": "none", "Origin": OTHER},
    {"Origin": BASE},
    {"Origin": f"{BASE}:80"},
    {"Origin": BASE.upper()},
]
FROM_ELSEWHERE = [
    {"Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "same-site"},
    {"Sec-Fetch-Site": ""},
    {"Sec-Fetch-Site": "Same-Origin?"},
    {"Sec-Fetch-Site": "cross-site", "Origin": BASE},
    {"Sec-Fetch-Site": "same-site", "Origin": BASE},
    {"Origin": OTHER},
    {"Origin": "null"},
    {"Origin": ""},
    {"Origin": "https://hall.test"},
    {"Origin": f"{BASE}:8000"},
    {"Origin": f"{BASE}:x"},
    {"Origin": f"{BASE}.evil.test"},
    {"Origin": "http://sub.hall.test"},
    {"Origin": "ftp://hall.test"},
    {"Referer": f"{BASE}/settings", "Origin": OTHER},
]


@pytest.mark.parametrize("headers", FROM_HERE, ids=str)
async def test_a_form_of_the_halls_own_page_is_accepted(hall: OpenHall, headers: dict[str, str]) -> None:
    for visitor in (await with_session(hall.app), Visitor(hall.app)):
        assert (await send(visitor, headers)).status_code == 303


@pytest.mark.parametrize("headers", FROM_ELSEWHERE, ids=str)
async def test_a_form_of_another_site_is_refused(hall: OpenHall, headers: dict[str, str]) -> None:
    for visitor in (await with_session(hall.app), Visitor(hall.app)):
        answer = await send(visitor, headers)
        assert answer.status_code == 403
        assert "come from a page of this hall" in answer.text
        assert "set-cookie" not in answer.headers


async def test_a_request_of_unknown_origin_is_refused_with_a_session_and_accepted_without(hall: OpenHall) -> None:
    with_cookie = await with_session(hall.app)
    assert (await send(with_cookie, {})).status_code == 403
    assert (await send(with_cookie, {"Referer": f"{BASE}/settings"})).status_code == 403
    assert (await send(Visitor(hall.app), {})).status_code == 303


@pytest.mark.parametrize(
    "headers", [[("Sec-Fetch-Site", "same-origin"), ("Sec-Fetch-Site", "cross-site")], [("Origin", BASE), ("Origin", OTHER)]]
)
async def test_headers_that_contradict_each_other_are_refused(hall: OpenHall, headers: list[tuple[str, str]]) -> None:
    visitor = await with_session(hall.app)
    assert (await visitor.http.post("/settings", headers=headers)).status_code == 403


async def test_a_program_is_told_why(hall: OpenHall) -> None:
    answer = await send(await with_session(hall.app), {"Accept": "application/json", "Sec-Fetch-Site": "cross-site"})
    reason = "This form didn't come from a page of this hall. Open the page here and send it again."
    assert answer.json() == {"error": "cross-site", "rule": None, "reason": reason, "status": 403}


@pytest.mark.parametrize(
    "path",
    [
        "/settings",
        "/tables",
        "/daily",
        "/tables/x/act",
        "/tables/x/start",
        "/tables/x/documents/y",
        "/seat/x",
        "/replay",
        "/account/delete",
        "/account/password",
        "/sign-in",
        "/sign-out",
        "/settings/notifications/devices",
        "/workshop",
        "/workshop/x",
        "/evenings",
        "/evenings/x",
        "/account/mail",
        "/sign-in/forgotten",
        "/report",
        "/waiting",
        "/told",
        "/host/cases/x",
        "/host/people/x",
    ],
)
async def test_every_form_is_checked(hall: OpenHall, path: str) -> None:
    assert (await send(await with_session(hall.app), {"Sec-Fetch-Site": "cross-site"}, path)).status_code == 403


@pytest.mark.parametrize("headers", [{}, *FROM_ELSEWHERE], ids=str)
async def test_any_site_may_link_to_the_hall(hall: OpenHall, headers: dict[str, str]) -> None:
    visitor = await with_session(hall.app)
    assert (await visitor.get("/settings", **headers)).status_code == 200


@pytest.mark.parametrize("headers", [{}, *FROM_HERE, *FROM_ELSEWHERE], ids=str)
async def test_programs_are_not_affected(hall: OpenHall, headers: dict[str, str]) -> None:
    """The API ignores cookies, so it needs no check, with a bearer token or without."""
    visitor = await with_session(hall.app)
    answer = await visitor.http.post("/api/v1/guests", json={"name": "Robot"}, headers=headers)
    assert answer.status_code == 201
    token = {"Authorization": f"Bearer {answer.json()['token']}"}
    table = await visitor.http.post("/api/v1/tables", json={"game": "axes-and-allies"}, headers=headers | token)
    assert table.status_code == 201


@pytest.mark.parametrize(
    ("forwarded", "origin", "status"),
    [
        ("https", "https://hall.example", 303),
        ("https", "https://hall.example:443", 303),
        ("https", "http://hall.example", 403),
        ("http", "https://hall.example", 403),
        ("http", "http://hall.example", 303),
        ("https", "https://other.example", 403),
    ],
)
async def test_behind_a_proxy_the_origin_is_the_address_that_the_browser_uses(
    hall: OpenHall, forwarded: str, origin: str, status: int
) -> None:
    behind: Any = hall.app
    transport = httpx.ASGITransport(behind, client=("127.0.0.1", 5000))
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8000") as http:
        headers = {"Host": "hall.example", "X-Forwarded-Proto": forwarded, "X-Forwarded-For": "10.0.0.9", "Origin": origin}
        assert (await http.post("/settings", data={"name": "Ada"}, headers=headers)).status_code == status


async def test_a_stranger_can_not_claim_to_be_the_proxy(hall: OpenHall) -> None:
    behind: Any = hall.app
    transport = httpx.ASGITransport(behind, client=("10.0.0.9", 5000))
    async with httpx.AsyncClient(transport=transport, base_url=BASE) as http:
        headers = {"X-Forwarded-Proto": "https", "Origin": "https://hall.test"}
        assert (await http.post("/settings", data={"name": "Ada"}, headers=headers)).status_code == 403
