"""A document as an option of a table: uploaded by the host, refused with the line, shown to all guests, kept in the record."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from html import unescape
from pathlib import Path
from typing import Any

import httpx
import pytest

from games_for_tests.coins import COINS, FILE
from games_for_tests.coins import game as coins
from meadhall.engine.match.record import loads
from meadhall.engine.options import MAX_SIZE
from meadhall.engine.registry import registered
from meadhall.engine.replay import replay
from meadhall.engine.text.language import speaking
from meadhall.lab import balance, warm
from meadhall.server.pages.log import log, turn_in_words
from meadhall.server.pages.workshop import workshop_page
from meadhall.server.routes import workshop
from meadhall.server.routes.workshop import _REPORT_POLICY
from meadhall.server.settings import Settings
from meadhall.server.store import jobs
from server import hoard_on_a_page
from server.people import OpenHall, Person, open_hall, play_out
from server.waiting import until

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


# --------------------------------------------------------------------------------------------------------------- the workshop


def carried(page: str) -> Any:
    """Return the document that the form of a page carries."""
    (written,) = re.findall(r'name="document" value="([^"]*)"', page)
    return json.loads(unescape(written))


async def bring_to_workshop(person: Person, content: bytes) -> httpx.Response:
    return await person.http.post(WORKSHOP, data={"do": "import"}, files={"file": ("my.toml", content)})


async def test_a_change_is_told_at_once_and_nothing_is_stored(hall: OpenHall) -> None:
    person = hall.person()
    page = (await person.get(WORKSHOP)).text
    assert carried(page) == BUILT_IN_DATA
    assert "This is the built-in document." in page
    assert "usually:" not in page
    changed = (await person.post(WORKSHOP, {"document": json.dumps(BUILT_IN_DATA), "at-coin.11.name": "pistole"})).text
    assert carried(changed) == BROUGHT["data"]
    (differs,) = re.findall(r'<div class="differs">(.*?)</div>', changed, re.DOTALL)
    assert "pistole" in differs.split("usually:")[0]
    wrong = (await person.post(WORKSHOP, {"document": json.dumps(BROUGHT["data"]), "at-coin.3.name": "farthing"})).text
    assert "farthing, name: farthing is there twice" in wrong
    assert re.search(r'id="at-coin\.3\.name"[^>]*aria-invalid', wrong)
    assert 'id="list-coin" open' in wrong
    assert carried(wrong)["coin"][11]["name"] == "pistole"


async def test_a_document_is_saved_as_a_file_and_read_again(hall: OpenHall) -> None:
    person = hall.person()
    saved = await person.post(WORKSHOP, {"do": "export", "document": json.dumps(BROUGHT["data"])})
    assert saved.headers["content-disposition"] == 'attachment; filename="coins-coins.toml"'
    assert COINS.check(saved.content) == BROUGHT
    assert carried((await bring_to_workshop(person, saved.content)).text) == BROUGHT["data"]
    refused = await bring_to_workshop(person, saved.content.replace(b'"groat"', b"4"))
    assert refused.status_code == 400
    assert "coin[3].name" in refused.text
    assert carried(refused.text) == BUILT_IN_DATA
    assert (await person.post(WORKSHOP, {"do": "import"})).status_code == 400


async def test_a_table_opens_with_the_document_and_leads_back_to_it(hall: OpenHall) -> None:
    person = hall.person()
    answer = await person.post(WORKSHOP, {"do": "play", "document": json.dumps(BUILT_IN_DATA), "at-coin.11.name": "pistole"})
    table = answer.headers["location"].removeprefix("/tables/")
    assert (await hall.room(table)).table.options["coins"] == BROUGHT
    assert 'name="document" value="coins"' in (await person.get(f"/tables/{table}")).text
    assert carried((await person.get(f"{WORKSHOP}?table={table}")).text) == BROUGHT["data"]
    for do in ("play", "export"):
        answer = await person.post(WORKSHOP, {"do": do, "document": "{}"})
        assert (answer.status_code, 'id="fault"' in answer.text) == (200, True)


@pytest.mark.parametrize(
    "written",
    ["[", "[]", '{"coin": ' + "[" * 5000 + "]" * 5000 + "}", json.dumps({"coin": [{}] * 4000}), '{"x": "' + "x" * 140_000 + '"}'],
    ids=["no JSON", "a list", "deep", "many coins", "long"],
)
async def test_a_damaged_form_is_refused(hall: OpenHall, written: str) -> None:
    answer = await hall.person().post(WORKSHOP, {"document": written, "do": "add:coin"})
    assert answer.status_code == 400
    assert carried(answer.text) == BUILT_IN_DATA


@pytest.mark.parametrize(
    ("written", "do"),
    [
        ('{"coin": 3, "schema": {"a": [1.5, null]}}', "remove:coin.0"),
        ('{"coin": [3, {"name": [], "metal": {}}]}', "remove:coin.²"),
        ('{"coin": {}}', "add:coin"),
        ("{}", "add:"),
        ('{"coin": [], "do": 1}', "remove:" + "9" * 5000),
    ],
)
async def test_any_data_has_a_form(hall: OpenHall, written: str, do: str) -> None:
    form = {"document": written, "do": do, "at-coin.1.name": "x", "at-coin.0.metal": "tin", "at-nothing": "1", "at-": ""}
    answer = await hall.person().post(WORKSHOP, form)
    assert (answer.status_code, 'id="fault"' in answer.text) == (200, True)


async def test_only_documents_have_a_workshop(hall: OpenHall) -> None:
    person = hall.person()
    for path in ("/workshop/chess/pieces", "/workshop/dungeon-allies/spoons", "/workshop/hoard/hand"):
        assert (await person.get(path)).status_code == 404


@pytest.mark.parametrize("can_print", [True, False])
async def test_a_hall_without_what_printing_needs_says_why_it_has_no_button(
    hall: OpenHall, monkeypatch: pytest.MonkeyPatch, can_print: bool
) -> None:
    monkeypatch.setattr(
        workshop, "workshop_page", lambda *given, **named: replace(workshop_page(*given, **named), can_print=can_print)
    )
    page = unescape((await hall.person().get(WORKSHOP)).text)
    assert ('id="print"' in page, "This hall can't print: its host has not installed" in page) == (can_print, not can_print)


async def test_a_report_compares_the_document_with_the_built_in_one(hall: OpenHall) -> None:
    person, other = hall.person(), hall.person("10.0.0.2")
    form = {"do": "compare", "document": json.dumps(BROUGHT["data"])}
    answer = await person.post(WORKSHOP, form)
    (job,) = hall.hall.orders._orders.values()
    assert answer.headers["location"] == f"/workshop/reports/{job.id}"
    assert job.request["variants"] == {"built in": {}, "yours": {"coins": BROUGHT}}
    assert 'id="report-progress"' in (await person.get(answer.headers["location"])).text
    assert (await other.get(answer.headers["location"])).status_code == 404
    again = await person.post(WORKSHOP, form)
    assert (again.status_code, carried(again.text)) == (429, BROUGHT["data"])
    job.stop()
    job.state = "done"
    job.ended.set()
    report = balance("axes-and-allies", 2, {"one": {}, "<two>": {}}, games=8, depth="quick", seed="mead")
    for made in ({"report": report.to_dict()}, {"page": report.to_html()}):
        hall.hall.store.transact(jobs.finish_order, job.id, "done", made)
        page = await person.get(answer.headers["location"])
        assert (page.text, page.headers.get_list("content-security-policy")) == (report.to_html(), [_REPORT_POLICY])
    assert "&lt;two&gt;" in page.text
    hall.hall.store.transact(jobs.finish_order, job.id, "done", {"report": report.to_dict()})
    await person.post("/settings", {"language": "de"})
    german = await person.get(answer.headers["location"])
    assert ('<html lang="de">' in german.text, "Ist es fair?" in german.text) == (True, True)


async def test_a_document_is_printed_by_a_process_that_ends(hall: OpenHall) -> None:
    form = {"do": "print"}
    printing = asyncio.create_task(hall.person().post("/workshop/dungeon-allies/components", form))
    await until(lambda: any(order.process for order in hall.hall.orders._orders.values() if order.kind == "print"))
    (process,) = [order.process for order in hall.hall.orders._orders.values() if order.kind == "print"]
    pdf = await printing
    assert (pdf.status_code, pdf.headers["content-type"], pdf.content[:5]) == (200, "application/pdf", b"%PDF-")
    assert pdf.headers["cache-control"] == "no-store"
    assert process is not None
    assert process.returncode is not None
