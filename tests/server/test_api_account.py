"""A program signs in to an account, for a token."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from meadhall.server.hall.people.sign_in import OF_ACCOUNT
from server.people import OpenHall, Person, Program, Visitor
from server.test_accounts import CODE

pytestmark = pytest.mark.asyncio

PASSWORD = "correct horse battery"  # noqa: S105


async def owner_of_an_account(hall: OpenHall) -> Person:
    person = hall.person()
    assert (await person.post("/account/new", {"name": "Sigrid", "password": PASSWORD})).status_code == 200
    return person


async def sign_in(hall: OpenHall, **fields: Any) -> httpx.Response:
    return await Visitor(hall.app).http.post("/api/v1/sessions", json={"name": "Sigrid", **fields})


def with_token(hall: OpenHall, answer: httpx.Response) -> Program:
    assert answer.status_code == 201, answer.text
    return Program(hall.app, Authorization=f"Bearer {answer.json()['token']}")


async def test_a_program_of_an_account_plays_as_its_owner_until_the_owner_ends_it(hall: OpenHall) -> None:
    owner = await owner_of_an_account(hall)
    program = with_token(hall, await sign_in(hall, password=PASSWORD, label="a cron job"))
    table = await program.open(game="axes-and-allies", players=2)
    assert f'href="/tables/{table["id"]}"' in (await owner.get("/")).text
    assert "a cron job" in (await owner.get("/account")).text
    await owner.post("/account/sessions", {"end": "others"})
    assert (await program.read("/tables")).status_code == 401


async def test_a_recovery_code_signs_in_once(hall: OpenHall) -> None:
    owner = await owner_of_an_account(hall)
    codes = CODE.findall((await owner.post("/account/codes")).text)
    with_token(hall, await sign_in(hall, recovery_code=codes[3]))
    assert (await sign_in(hall, recovery_code=codes[3])).json()["error"] == "wrong-credentials"


async def test_a_program_that_has_signed_in_is_known(hall: OpenHall) -> None:
    await owner_of_an_account(hall)
    device = (await sign_in(hall, password=PASSWORD)).json()["device"]
    for _ in range(OF_ACCOUNT.free):
        await sign_in(hall, password="wrong wrong")  # noqa: S106
    assert (await sign_in(hall, password=PASSWORD)).status_code == 429
    assert (await sign_in(hall, password=PASSWORD, device=device[:-1])).status_code == 429
    assert (await sign_in(hall, password=PASSWORD, device=device)).status_code == 201


async def test_the_cookie_of_a_browser_is_no_bearer_token(hall: OpenHall) -> None:
    owner = await owner_of_an_account(hall)
    cookie = owner.http.cookies.get("meadhall_guest", "", domain="hall.test", path="/")
    assert (await Program(hall.app, Authorization=f"Bearer {cookie}").read("/tables")).status_code == 401
    program = with_token(hall, await sign_in(hall, password=PASSWORD))
    stranger = hall.person("10.0.0.2")
    stranger.http.cookies.set("meadhall_guest", program.http.headers["Authorization"][7:], domain="hall.test", path="/")
    assert (await stranger.get("/account")).status_code == 303


async def test_wrong_credentials_tell_nothing_and_are_slowed(hall: OpenHall) -> None:
    await owner_of_an_account(hall)
    wrong = await sign_in(hall, password="wrong wrong")  # noqa: S106
    unknown = await sign_in(hall, name="Unknown", password="wrong wrong")  # noqa: S106
    assert (wrong.status_code, wrong.json()) == (unknown.status_code, unknown.json()) == (403, unknown.json())
    for _ in range(10):
        last = await sign_in(hall, password="wrong wrong")  # noqa: S106
    assert (last.status_code, last.json()["error"]) == (429, "too-many")
    assert int(last.headers["retry-after"]) > 0
