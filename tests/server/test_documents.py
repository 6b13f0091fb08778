"""A document as an option of a table: uploaded by the host, refused with the line, shown to all guests, kept in the record."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import httpx
import pytest

from games_for_tests.coins import COINS, FILE, game as coins
from meadhall.engine.match.record import loads
from meadhall.engine.options import MAX_SIZE
from meadhall.engine.registry import registered
from meadhall.engine.replay import replay
from meadhall.engine.text.language import speaking
from meadhall.lab import warm
from meadhall.server.pages.log import log, turn_in_words
from meadhall.server.settings import Settings
from server import hoard_on_a_page
from server.people import OpenHall, Person, open_hall, play_out

pytestmark = [pytest.mark.asyncio, pytest.mark.usefixtures("coined")]

NAME = "coins"
BUILT_IN = FILE.read_bytes()
RENAMED = BUILT_IN.replace(b'"sovereign"', b'"pistole"')
WRONG = BUILT_IN.replace(b'name = "groat"', b"name = 4")
BROUGHT = COINS.check(RENAMED)
WORD = BROUGHT["sha256"][:8]
WORKSHOP = "/workshop/coins/coins"
BUILT_IN_DATA = COINS.data(COINS.default)


@pytest.fixture(scope="module")
def coined(hoard: None) -> Iterator[None]:
    """Register and compile a variant of Hoard whose coins have names."""
    with registered(replace(coins, folder=hoard_on_a_page.game.folder, page=hoard_on_a_page.page)):
        warm([NAME], bulk=False)
        yield


async def bring(person: Person, table: str, document: bytes | str | None, name: str = NAME, **headers: str) -> httpx.Response:
    """Upload a document. A ``str`` is sent as a plain field; None sends no document."""
    form = {"document": document} if isinstance(document, str) else {}
    files = {"document": ("my.toml", document)} if isinstance(document, bytes) else {"other": ("", b"")}
    return await person.http.post(f"/tables/{table}/documents/{name}", data=form, files=files, headers=headers)


async def open_with_friend(hall: OpenHall) -> tuple[Person, Person, str]:
    host, friend = hall.person(), hall.person("10.0.0.2")
    table = await host.open(NAME)
    assert (await friend.ask(f"/tables/{table}/seats", {"set": "sit"})).status_code == 200
    return host, friend, table


async def test_the_built_in_document_can_be_downloaded(hall: OpenHall) -> None:
    host = hall.person()
    table = await host.open(NAME)
    link = re.search(r'href="([^"]*)" download', (await host.get(f"/tables/{table}")).text)
    assert link is not None
    answer = await host.get(link[1])
    assert (answer.status_code, answer.content) == (200, BUILT_IN)
    assert answer.headers["content-disposition"] == 'attachment; filename="coins-coins.toml"'
    for path in ("/documents/coins/hand", "/documents/coins/spoons", "/documents/chess/coins", "/documents/coins/..%2Fwords.py"):
        assert (await host.get(path)).status_code == 404


async def test_an_uploaded_document_is_shown_to_all_guests(hall: OpenHall) -> None:
    host, friend, table = await open_with_friend(hall)
    assert "The built-in file is used." in (await friend.get(f"/tables/{table}")).text
    answer = await bring(host, table, RENAMED)
    assert (answer.status_code, answer.headers["location"]) == (303, f"/tables/{table}")
    room = await hall.room(table)
    assert room.table.options == {"hand": "few", "mode": "rivals", "coins": BROUGHT}
    for person in (host, friend):
        assert f"<strong>{WORD}</strong>" in (await person.get(f"/tables/{table}")).text
    assert 'id="bring-coins"' in (await host.get(f"/tables/{table}")).text
    assert 'id="bring-coins"' not in (await friend.get(f"/tables/{table}")).text


async def test_the_lobby_tells_what_differs_from_the_built_in_document(hall: OpenHall) -> None:
    host, friend, table = await open_with_friend(hall)
    built_in = (await friend.get(f"/tables/{table}")).text
    assert "<dt>Coins</dt>" in built_in
    assert "usually:" not in built_in
    await bring(host, table, RENAMED)
    page = (await friend.get(f"/tables/{table}")).text
    (differs,) = re.findall(r'<div class="differs">(.*?)</div>', page, re.DOTALL)
    assert "<dt>Coins</dt>" in differs
    assert "pistole" in differs.split("usually:")[0]
    assert "sovereign" in differs.split("usually:")[1]
    assert "<dt>Metals</dt>" in page
    assert f'href="/tables/{table}/rules"' in page


async def test_a_change_of_other_options_keeps_the_document(hall: OpenHall) -> None:
    host, _, table = await open_with_friend(hall)
    await bring(host, table, RENAMED)
    assert (await host.ask(f"/tables/{table}/options", {"hand": "many"})).status_code == 200
    assert (await hall.room(table)).table.options == {"hand": "many", "mode": "rivals", "coins": BROUGHT}


async def test_the_host_can_go_back_to_the_built_in_document(hall: OpenHall) -> None:
    host, _, table = await open_with_friend(hall)
    await bring(host, table, RENAMED)
    form = {"set": "built-in"}
    answer = await host.http.post(f"/tables/{table}/documents/coins", data=form, files={"document": ("", b"")})
    assert answer.status_code == 303
    assert (await hall.room(table)).table.options["coins"] == COINS.default


@pytest.mark.parametrize(
    ("document", "reason"),
    [
        (WRONG, "coins: coin[3].name: expected `str`, got `int`"),
        (b"name =", "coins: not TOML: the file ends too early"),
        (b"\xff\xfe", "coins: line 1: not text in UTF-8"),
        (b"#\n" * (MAX_SIZE // 2 + 1), "coins: longer than 128 KB"),
        (b"", "missing required field `coin`"),
        (None, "Choose a file first."),
    ],
    ids=["wrong", "no TOML", "no text", "long", "empty", "none"],
)
async def test_an_invalid_document_is_refused_with_the_reason_and_nothing_changes(
    hall: OpenHall, document: bytes | None, reason: str
) -> None:
    host, _, table = await open_with_friend(hall)
    await bring(host, table, RENAMED)
    for headers in ({}, {"HX-Request": "true"}):
        answer = await bring(host, table, document, **headers)
        assert answer.status_code == 400
        assert reason.replace("`", "&#96;") in answer.text or reason in answer.text
        assert f"<strong>{WORD}</strong>" in answer.text
    told = (await bring(host, table, document, Accept="application/json")).json()
    assert (told["error"], reason in told["reason"]) == ("bad-setup", True)
    assert (await hall.room(table)).table.options["coins"] == BROUGHT


async def test_a_document_far_too_large_is_not_read(hall: OpenHall) -> None:
    host, _, table = await open_with_friend(hall)
    assert (await bring(host, table, b"#\n" * MAX_SIZE * 2)).status_code == 413


async def test_only_the_host_can_upload_a_document_and_only_before_the_match(hall: OpenHall) -> None:
    host, friend, table = await open_with_friend(hall)
    assert (await bring(friend, table, RENAMED)).status_code == 403
    assert (await bring(host, table, RENAMED, name="hand")).status_code == 404
    assert (await bring(host, table, RENAMED, name="spoons")).status_code == 404
    await host.ask(f"/tables/{table}/start")
    assert (await bring(host, table, RENAMED)).status_code == 409
    assert (await hall.room(table)).table.options["coins"] == COINS.default


async def test_a_form_can_not_make_the_server_read_its_own_files(hall: OpenHall, tmp_path: Path) -> None:
    path = tmp_path / "my.toml"
    path.write_bytes(RENAMED)
    host, _, table = await open_with_friend(hall)
    assert (await bring(host, table, str(path))).status_code == 400
    for text in (str(path), f"@{path}", f"file://{path}", json.dumps({"path": str(path)})):
        answer = await host.ask(f"/tables/{table}/options", {"coins": text})
        assert (answer.status_code, answer.json()["error"]) == (400, "bad-setup")
    assert (await hall.room(table)).table.options["coins"] == COINS.default


async def test_a_program_can_not_make_the_server_read_its_own_files(hall: OpenHall, tmp_path: Path) -> None:
    path = tmp_path / "my.toml"
    path.write_bytes(RENAMED)
    program = await hall.program()
    for value in (str(path), {"path": str(path)}, {"data": str(path)}, [str(path)], {"sha256": BROUGHT["sha256"]}):
        answer = await program.post("/tables", {"game": NAME, "options": {"coins": value}})
        assert (answer.status_code, answer.json()["error"]) == (400, "bad-setup")


async def test_a_program_sends_text_or_data_and_gets_the_hash(hall: OpenHall) -> None:
    program = await hall.program()
    games = {game["name"]: game["options"] for game in (await program.read("/games")).json()}
    known = {"name": "coins", "values": None, "template": "/documents/coins/coins", "only_with": None}
    assert games[NAME][2] == {**known, "origins": {}, "house_rule": False, "number": None}
    assert games[NAME][0]["template"] is None
    for value in (RENAMED.decode(), BROUGHT["data"], BROUGHT):
        info = await program.open(game=NAME, bots=["thrall"], options={"coins": value})
        assert info["options"] == {"hand": "few", "mode": "rivals", "coins": {"sha256": BROUGHT["sha256"]}}
        record = (await program.read(f"/tables/{info['id']}/record")).json()
        assert record["options"]["coins"] == BROUGHT
    wrong = await program.post("/tables", {"game": NAME, "options": {"coins": WRONG.decode()}})
    assert "coin[3].name" in wrong.json()["reason"]


async def test_a_document_survives_a_restart_and_a_rematch(on_sqlite: Settings, at_once: None) -> None:
    async with open_hall(on_sqlite) as opened:
        host, friend, table = await open_with_friend(opened)
        await bring(host, table, RENAMED.replace(b"Ribe", "Århus 🪙".encode()))
        await host.ask(f"/tables/{table}/start")
        room = await opened.room(table)
        assert room.match is not None
        await (host if room.match.actor == 0 else friend).act(table, room.match.legal()[0].action)
        before = room.match.record(abandoned="x")
    async with open_hall(on_sqlite) as opened:
        room = await opened.room(table)
        assert room.match is not None
        assert room.match.record(abandoned="x") == before
        assert before["options"]["coins"]["data"]["mint"]["city"] == "Århus 🪙"


async def test_log_and_record_use_the_documents_names(hall: OpenHall) -> None:
    host, friend, table = await open_with_friend(hall)
    await bring(host, table, RENAMED)
    await host.ask(f"/tables/{table}/start")
    room = await hall.room(table)
    await play_out(room, {0: host, 1: friend})
    assert room.match is not None
    with speaking("en"):
        logs = [log(room.match.view_at(position)) for position in range(len(room.match.steps))]
        told = " ".join(entry.text for turns in logs for turn in turns for entry in turn_in_words(turn, None).entries)
    played = set(re.findall(r"plays (\w+)", told))
    assert played
    assert played <= set(COINS.of(BROUGHT).names)
    text = (await host.get(f"/tables/{table}/record")).text
    assert replay(loads(text)).options["coins"] == BROUGHT
    page = (await host.get(f"/tables/{table}/verify")).text
    assert "sovereign" not in text + page


async def test_an_uploaded_record_with_a_document_is_verified_and_shown(hall: OpenHall) -> None:
    match = coins.match(seed="elsewhere", coins=RENAMED)
    while not match.over:
        match.play(match.legal()[0])
    record = match.record()
    person = hall.person()
    answer = await person.upload(json.dumps(record).encode(), Accept="application/json")
    assert answer.status_code == 201, answer.text
    assert (await person.get(f"{answer.json()['url']}?step=3")).status_code == 200
    record["options"]["coins"]["data"]["coin"][0]["name"] = "doit"
    answer = await person.upload(json.dumps(record).encode(), Accept="application/json")
    assert (answer.status_code, "the data's hash is" in answer.json()["reason"]) == (400, True)
