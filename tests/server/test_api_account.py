"""Accounts in the API: tokens of sessions, and what changes the account."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from meadhall.server.hall.people.sign_in import OF_ACCOUNT
from server.people import OpenHall, Program, Visitor

pytestmark = pytest.mark.asyncio

PASSWORD = "correct horse battery"  # noqa: S105


def with_token(hall: OpenHall, answer: httpx.Response) -> Program:
    assert answer.status_code in (200, 201), answer.text
    return Program(hall.app, Authorization=f"Bearer {answer.json()['token']}")


async def keep(hall: OpenHall, program: Program, name: str = "Sigrid") -> tuple[Program, list[str]]:
    answer = await program.post("/account", {"name": name, "password": PASSWORD, "label": "the desk"})
    return with_token(hall, answer), answer.json()["recovery_codes"]


async def sign_in(hall: OpenHall, **fields: Any) -> httpx.Response:
    return await Visitor(hall.app).http.post("/api/v1/sessions", json={"name": "Sigrid", **fields})


async def test_a_program_makes_an_account_and_keeps_its_tables(hall: OpenHall) -> None:
    guest = await hall.program()
    table = await guest.open(game="axes-and-allies", players=2)
    owner, codes = await keep(hall, guest)
    assert len(codes) == 10
    assert (await guest.read("/tables")).status_code == 401, "the old token is worth nothing"
    assert [each["id"] for each in (await owner.read("/tables")).json()] == [table["id"]]
    account = (await owner.read("/account")).json()
    assert (account["name"], account["has_password"], account["recovery_codes_left"]) == ("Sigrid", True, 10)
    assert [(each["label"], each["kind"], each["here"]) for each in account["sessions"]] == [("the desk", "program", True)]


async def test_a_program_signs_in_and_out(hall: OpenHall) -> None:
    owner, codes = await keep(hall, await hall.program())
    other = with_token(hall, await sign_in(hall, password=PASSWORD, label="a cron job"))
    third = with_token(hall, await sign_in(hall, recovery_code=codes[3]))
    assert (await sign_in(hall, recovery_code=codes[3])).json()["error"] == "wrong-credentials"
    labels = {each["label"] for each in (await owner.read("/account")).json()["sessions"]}
    assert labels == {"the desk", "a cron job", "A program"}
    assert (await other.post("/account/sign-out")).status_code == 204
    assert (await other.read("/account")).status_code == 401
    assert (await owner.post("/account/sign-out", {"session": "others"})).status_code == 204
    assert (await third.read("/account")).status_code == 401
    assert (await owner.read("/account")).status_code == 200


async def test_a_program_that_has_signed_in_is_known(hall: OpenHall) -> None:
    made = (await (await hall.program()).post("/account", {"name": "Sigrid", "password": PASSWORD})).json()
    device = (await sign_in(hall, password=PASSWORD, device=made["device"])).json()["device"]
    for _ in range(OF_ACCOUNT.free):
        await sign_in(hall, password="wrong wrong")  # noqa: S106
    assert (await sign_in(hall, password=PASSWORD)).status_code == 429
    assert (await sign_in(hall, password=PASSWORD, device=device[:-1])).status_code == 429
    for told in (made["device"], device):
        assert (await sign_in(hall, password=PASSWORD, device=told)).status_code == 201
    owner = Program(hall.app, Authorization=f"Bearer {made['token']}")
    assert (await owner.post("/account/confirm", {"password": PASSWORD})).status_code == 200, "its session is known"


async def test_the_cookie_of_a_browser_is_no_bearer_token(hall: OpenHall) -> None:
    person = hall.person()
    await person.post("/account/new", {"name": "Sigrid", "password": PASSWORD})
    cookie = person.http.cookies.get("meadhall_guest", "", domain="hall.test", path="/")
    assert (await Program(hall.app, Authorization=f"Bearer {cookie}").read("/account")).status_code == 401
    program = with_token(hall, await sign_in(hall, password=PASSWORD))
    stranger = hall.person("10.0.0.2")
    stranger.http.cookies.set("meadhall_guest", program.http.headers["Authorization"][7:], domain="hall.test", path="/")
    assert (await stranger.get("/account")).status_code == 303


async def test_errors_are_typed(hall: OpenHall) -> None:
    guest = await hall.program()
    assert (await guest.read("/account")).json()["error"] == "wrong-moment"
    weak = await guest.post("/account", {"name": "Sigrid", "password": "password"})
    assert (weak.status_code, weak.json()["error"]) == (400, "weak-password")
    owner, _codes = await keep(hall, guest)
    taken = await (await hall.program()).post("/account", {"name": "SIGRID", "password": PASSWORD})
    assert (taken.status_code, taken.json()["error"]) == (409, "name-taken")
    again = await owner.post("/account", {"name": "Sigrun", "password": PASSWORD})
    assert (again.status_code, again.json()["error"]) == (409, "wrong-moment")
    wrong = await sign_in(hall, password="wrong wrong")  # noqa: S106
    nobody = await sign_in(hall, name="Nobody", password="wrong wrong")  # noqa: S106
    assert (wrong.status_code, wrong.json()) == (nobody.status_code, nobody.json()) == (403, nobody.json())
    for _ in range(10):
        last = await sign_in(hall, password="wrong wrong")  # noqa: S106
    assert (last.status_code, last.json()["error"]) == (429, "too-many")
    assert int(last.headers["retry-after"]) > 0


async def test_changes_need_a_confirmation_after_a_while(hall: OpenHall) -> None:
    owner, _codes = await keep(hall, await hall.program())
    old = "UPDATE sessions SET confirmed_at = '2026-01-01 00:00:00.000000'"
    hall.store.transact(lambda db: db.run(old))
    hall.app.state.sessions._sessions.clear()
    for path, data in (("password", {"password": "a longer one"}), ("recovery-codes", {}), ("delete", {})):
        refused = await owner.post(f"/account/{path}", data)
        assert (refused.status_code, refused.json()["error"]) == (403, "not-confirmed"), path
    assert (await owner.post("/account/confirm", {"password": "wrong wrong"})).status_code == 403
    confirmed = with_token(hall, await owner.post("/account/confirm", {"password": PASSWORD}))
    assert (await owner.read("/account")).status_code == 401, "the token is replaced"
    assert len((await confirmed.post("/account/recovery-codes")).json()["recovery_codes"]) == 10
    assert (await confirmed.post("/account/password", {"password": "a longer one"})).status_code == 200
    assert (await confirmed.post("/account/delete")).status_code == 204
    assert (await confirmed.read("/account")).status_code == 401
    assert (await sign_in(hall, password="a longer one")).status_code == 403  # noqa: S106
