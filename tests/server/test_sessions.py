"""Sessions: guests with a signed cookie, programs with a bearer token."""

from __future__ import annotations

import pytest

from server.people import OpenHall, Program

pytestmark = pytest.mark.asyncio(loop_scope="module")


def cookies(answer: object) -> list[str]:
    return answer.headers.get_list("set-cookie")  # type: ignore[attr-defined,no-any-return]


async def test_every_cookie_is_http_only_and_same_site(hall: OpenHall) -> None:
    person = hall.person()
    answers = [await person.get("/"), await person.get("/tables/nowhere"), await person.post("/settings", {"name": "Ada"})]
    given = [cookie for answer in answers for cookie in cookies(answer)]
    assert [cookie.partition("=")[0] for cookie in given] == ["meadhall_guest", "meadhall_word"]
    assert "Path=/" in given[0]
    assert "Max-Age=" in given[0]
    for cookie in given:
        assert "httponly" in cookie.lower()
        assert "samesite=lax" in cookie.lower()


async def test_over_https_every_cookie_is_secure(hall: OpenHall) -> None:
    for path in ("/", "/settings", "/daily", "/nowhere", "/tables/nowhere", "/rules/axes-and-allies"):
        given = cookies(await hall.person().http.get(f"https://hall.test{path}"))
        assert all("; Secure" in cookie for cookie in given), path
        assert len(given) == (path != "/nowhere")


async def test_a_guest_with_a_cookie_gets_no_second_one(hall: OpenHall) -> None:
    person = hall.person()
    await person.post("/settings", {"name": "Ada"})
    await person.get("/settings")  # says that the settings are saved
    answer = await person.get("/settings")
    assert cookies(answer) == []
    assert "Ada" in answer.text


@pytest.mark.parametrize("forged", ["", "x", "ImFkYSI.AAAA", "ImFkYSI.", ".", "%00", "a" * 5000])
async def test_a_forged_cookie_is_a_new_guest(hall: OpenHall, forged: str) -> None:
    answer = await hall.person().get("/settings", Cookie=f"meadhall_guest={forged}")
    assert answer.status_code == 200
    assert any(cookie.startswith("meadhall_guest=") for cookie in cookies(answer))


async def test_a_request_from_before_a_sign_in_leaves_the_new_cookie_alone(hall: OpenHall) -> None:
    """A script of the page may send it at the same time, and its answer may come last."""
    person = hall.person()
    await person.get("/settings")
    before = dict(person.http.cookies)
    await person.post("/account/new", {"name": "Late", "password": "correct horse battery"})
    late = hall.person()
    late.http.cookies.update(before)
    assert "set-cookie" not in (await late.get("/settings/notifications/key", **{"Sec-Fetch-Mode": "cors"})).headers
    assert "set-cookie" in (await late.get("/settings", **{"Sec-Fetch-Mode": "navigate"})).headers


async def test_a_tampered_cookie_is_a_new_guest(hall: OpenHall) -> None:
    person = hall.person()
    await person.post("/settings", {"name": "Ada"})
    signed = person.http.cookies["meadhall_guest"]
    tampered = ("J" if signed[0] != "J" else "I") + signed[1:]
    answer = await hall.person().get("/settings", Cookie=f"meadhall_guest={tampered}")
    assert "Ada" not in answer.text
    assert any(cookie.startswith("meadhall_guest=") for cookie in cookies(answer))


async def test_tokens_and_cookies_are_not_interchangeable(hall: OpenHall) -> None:
    program = await hall.program("Robot")
    token = program.http.headers["Authorization"].removeprefix("Bearer ")
    assert "Robot" not in (await hall.person().get("/settings", Cookie=f"meadhall_guest={token}")).text

    person = hall.person()
    table = await person.open()
    stolen = Program(hall.app, Authorization=f"Bearer {person.http.cookies['meadhall_guest']}")
    assert (await stolen.read(f"/tables/{table}")).status_code == 401


@pytest.mark.parametrize("header", ["", "Bearer", "Bearer ", "Bearer x", "Basic YTpi", "Bearer ImFkYSI.AAAA"])
async def test_without_a_token_the_api_answers_401(hall: OpenHall, header: str) -> None:
    answer = await Program(hall.app, Authorization=header).read("/tables/x")
    assert answer.status_code == 401
    assert "Bearer" in answer.json()["reason"]


async def test_the_api_ignores_cookies(hall: OpenHall) -> None:
    person = hall.person()
    table = await person.open()
    for answer in (await person.http.get(f"/api/v1/tables/{table}"), await person.http.post(f"/api/v1/tables/{table}/start")):
        assert answer.status_code == 401
        assert cookies(answer) == []


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("  Ada \n Lovelace ", "Ada Lovelace"),
        ("A\x00d\u202ea", "A d a"),
        ("x" * 60, "x" * 24),
        ("Ǻsa", "Ǻsa"),
        ("\u200b \n", "Bo"),
    ],
)
async def test_names_are_cleaned(hall: OpenHall, given: str, kept: str) -> None:
    person = hall.person()
    await person.post("/settings", {"name": "Bo"})
    await person.post("/settings", {"name": given})
    assert f'value="{kept}"' in (await person.get("/settings")).text


async def test_markup_in_a_name_is_escaped(hall: OpenHall) -> None:
    person = hall.person()
    await person.post("/settings", {"name": "<b>Ada</b>"})
    table = await person.open()
    page = (await person.get(f"/tables/{table}")).text
    assert "<b>Ada" not in page
    assert "&lt;b&gt;Ada" in page


async def test_language_and_theme_are_remembered(hall: OpenHall) -> None:
    person = hall.person()
    answer = await person.post("/settings", {"language": "de", "theme": "dark", "back": "/rules/axes-and-allies"})
    assert (answer.status_code, answer.headers["location"]) == (303, "/rules/axes-and-allies")
    page = (await person.get("/")).text
    assert '<html lang="de" data-theme="dark">' in page
    await person.post("/settings", {"language": "klingon", "theme": "plaid"})
    assert '<html lang="de" data-theme="dark">' in (await person.get("/")).text


@pytest.mark.parametrize(
    ("header", "language"),
    [
        ("fr-FR, de-AT;q=0.8, en;q=0.5", "de"),
        ("xx", "en"),
        ("de;q=0.2, en-GB", "en"),
        ("de, en", "de"),
        ("en, de", "en"),
        ("fr, de;q=0", "en"),
        ("fr, *;q=0.1, en;q=0", "de"),
        ("de-CH-1901", "de"),
        ("deu", "en"),
        ("de;q=oops, en;q=0.1", "en"),
        ("de;q=nan, en;q=0.1", "en"),
    ],
)
async def test_the_browsers_language_has_a_weight(hall: OpenHall, header: str, language: str) -> None:
    assert f'<html lang="{language}"' in (await hall.person(**{"Accept-Language": header}).get("/")).text


@pytest.mark.parametrize("elsewhere", ["https://evil.test/", "//evil.test", "/\\evil.test", "evil", "/a\r\nSet-Cookie: x=y"])
async def test_a_form_never_redirects_to_another_site(hall: OpenHall, elsewhere: str) -> None:
    answer = await hall.person().post("/settings", {"back": elsewhere})
    assert answer.headers["location"] == "/"
