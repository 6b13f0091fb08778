"""The editor of a document in a question: each field posts itself, and only its guest may change it."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from html import unescape
from typing import Any

import httpx
import pytest

from games_for_tests.coins import COINS, FILE, game as coins
from meadhall.engine.options import MAX_SIZE
from meadhall.engine.registry import registered
from meadhall.lab import warm
from meadhall.server.routes import editor
from meadhall.server.store import guests
from server import hoard_on_a_page
from server.people import OpenHall, Person
from server.waiting import until

pytestmark = [pytest.mark.asyncio, pytest.mark.usefixtures("coined")]

RENAMED = FILE.read_bytes().replace(b'"sovereign"', b'"pistole"')
BROUGHT = COINS.check(RENAMED)
BY_SCRIPT = {"HX-Request": "true"}


@pytest.fixture(scope="module")
def coined(hoard: None) -> Iterator[None]:
    """Register and compile a variant of Hoard whose coins have names."""
    with registered(replace(coins, folder=hoard_on_a_page.game.folder, page=hoard_on_a_page.page)):
        warm(["coins"], bulk=False)
        yield


async def asked(person: Person, game: str = "coins", document: str = "coins") -> str:
    """Begin a question. Return the path of the editor of its document."""
    answer = await person.post("/workshop", {"game": game, "document": document})
    assert answer.status_code == 303, answer.text
    return str(answer.headers["location"])


async def edit(person: Person, path: str, **form: str) -> httpx.Response:
    """Change fields, as the script does: ``__`` stands for a dot."""
    return await person.post(path, {f"at-{name.replace('__', '.')}": value for name, value in form.items()}, **BY_SCRIPT)


def kept(hall: OpenHall, path: str) -> Any:
    """Return the document that a question keeps; None for the built-in one."""
    _workshop, id, key, option = path.strip("/").split("/")
    return hall.hall.questions.find(id).content.variant(key).options.get(option)


async def test_an_edited_field_brings_the_panel_alone_and_is_undone(hall: OpenHall) -> None:
    person = hall.person()
    path = await asked(person)
    assert "This is the built-in document." in (await person.get(path)).text
    answer = await edit(person, path, coin__11__name="pistole")
    assert answer.status_code == 200
    assert "sovereign, name</a>: <b>sovereign → pistole</b>" in answer.text
    assert ("<html" in answer.text, "<form id=" in answer.text, "list-coin" in answer.text) == (False, False, False)
    assert kept(hall, path) == BROUGHT["data"]
    wrong = (await edit(person, path, coin__3__name="farthing")).text
    assert "farthing, name: farthing is there twice" in wrong
    assert json.loads(unescape(re.findall(r'data-marks="([^"]*)"', wrong)[0])) == {"coin.3.name": "fault"}
    assert kept(hall, path)["coin"][3]["name"] == "farthing"
    answer = await person.post(path, {"do": "undo"}, **BY_SCRIPT)
    assert json.loads(unescape(re.findall(r'data-values="([^"]*)"', answer.text)[0])) == {"coin.3.name": "groat"}
    await person.post(path, {"do": "reset:"})
    assert kept(hall, path) is None


async def test_a_document_is_saved_as_a_file_and_read_again(hall: OpenHall) -> None:
    person = hall.person()
    path = await asked(person)
    await edit(person, path, coin__11__name="pistole")
    saved = await person.get(f"{path}/file")
    assert saved.headers["content-disposition"] == 'attachment; filename="coins-coins.toml"'
    assert saved.text.startswith("# Differences from the usual:\n#   sovereign, name: sovereign → pistole\n")
    assert COINS.check(saved.content) == BROUGHT
    other = await asked(person)
    for content, status in ((saved.content.replace(b'"groat"', b"4"), 400), (saved.content, 303)):
        answer = await person.http.post(other, data={"do": "import"}, files={"file": ("my.toml", content)})
        assert (answer.status_code, "coin[3].name" in answer.text) == (status, status == 400)
    assert kept(hall, other) == BROUGHT["data"]
    assert (await person.post(other, {"do": "import"})).status_code == 400
    await edit(person, path, coin__3__name="farthing")
    assert (await person.get(f"{path}/file")).status_code == 400


async def test_others_read_a_document_by_its_link_and_change_nothing(hall: OpenHall) -> None:
    person, other = hall.person(), hall.person("10.0.0.2")
    path = await asked(person)
    await edit(person, path, coin__11__name="pistole")
    page = (await other.get(path)).text
    assert ("sovereign → pistole" in page, '<fieldset class="shop-form" disabled>' in page, "shop-usual" in page) == (
        True,
        True,
        False,
    )
    for form in ({"at-coin.0.name": "x"}, {"do": "undo"}, {"do": "reset:"}, {"do": "add:coin"}):
        assert (await other.post(path, form)).status_code == 403
    assert kept(hall, path) == BROUGHT["data"]
    assert (await other.get(f"{path}/file")).status_code == 200
    question = path.rsplit("/", 2)[0]
    for wrong in (f"{question}/nowhere/coins", path.replace("/coins", "/hand"), "/workshop/nothing/a/coins", f"{path}s"):
        assert (await person.get(wrong)).status_code == 404
        assert (await person.post(wrong, {"do": "undo"})).status_code == 404


@pytest.mark.parametrize(
    "data",
    [
        {"coin": 3, "schema": {"a": [1.5, None]}},
        {"coin": [3, {"name": [], "metal": {}}]},
        {"coin": {}},
        {},
        {"coin": [], "do": 1},
    ],
)
async def test_any_data_has_an_editor(hall: OpenHall, data: dict[str, Any]) -> None:
    person = hall.person()
    path = await asked(person)
    _workshop, id, key, _option = path.strip("/").split("/")
    guest = hall.store.transact(guests.find, hall.hall.questions.find(id).guest)
    assert guest is not None
    hall.hall.questions.change(guest, id, lambda content: content.with_option(key, "coins", data))
    for do in ("", "remove:coin", "remove:coin.²", "add:coin", "add:", "reset:coin.0 coin.99999 x.y", "reset:coin"):
        form = {"do": do, "at-coin.1.name": "x", "at-coin.0.metal": "tin", "at-nothing": "1", "at-": "", "step:coin:name": "+1"}
        answer = await person.post(path, form, **BY_SCRIPT)
        assert (answer.status_code, 'id="shop-side"' in answer.text) == (200, True)


async def test_a_step_that_cant_be_read_is_refused_and_the_fields_beside_it_are_kept(hall: OpenHall) -> None:
    person = hall.person()
    path = await asked(person, "dungeon-allies", "components")
    answer = await person.post(path, {"at-monster.0.red.gold": "7", "step:monster:red.target": "+one"})
    assert (answer.status_code, "not by &#39;+one&#39;" in answer.text) == (400, True)
    assert kept(hall, path)["monster"][0]["red"]["gold"] == 7
    await person.post(path, {"step:monster:red.target": "= 120", "row:monster": "1"})
    assert [monster["red"]["target"] for monster in kept(hall, path)["monster"][:3]] == [10, 99, 10]
    answer = await edit(person, path, monster__1__blue__gold="9" * 60_000)
    assert answer.status_code == 200
    for name in range(4):
        answer = await edit(person, path, **{f"monster__{name}__name": "x" * 60_000})
    assert (answer.status_code, "longer than" in answer.text) == (400, True)
    assert len(json.dumps(kept(hall, path))) < MAX_SIZE + 1000


@pytest.mark.parametrize("can_print", [True, False])
async def test_a_hall_without_what_printing_needs_says_why_it_has_no_button(
    hall: OpenHall, monkeypatch: pytest.MonkeyPatch, can_print: bool
) -> None:
    monkeypatch.setattr(editor, "CAN_PRINT", can_print)
    person = hall.person()
    page = unescape((await person.get(await asked(person))).text)
    assert ('id="print"' in page, "This hall can't print: its host has not installed" in page) == (can_print, not can_print)


async def test_a_document_is_printed_by_a_process_that_ends(hall: OpenHall) -> None:
    person = hall.person()
    path = await asked(person, "dungeon-allies", "components")
    printing = asyncio.create_task(person.post(path, {"do": "print"}))
    await until(lambda: any(order.process for order in hall.hall.orders._orders.values() if order.kind == "print"))
    (process,) = [order.process for order in hall.hall.orders._orders.values() if order.kind == "print"]
    pdf = await printing
    assert (pdf.status_code, pdf.headers["content-type"], pdf.content[:5]) == (200, "application/pdf", b"%PDF-")
    assert pdf.headers["cache-control"] == "no-store"
    assert process is not None
    assert process.returncode is not None


async def test_a_piece_of_another_kind_is_reset_whole(hall: OpenHall) -> None:
    person = hall.person()
    path = await asked(person, "dungeon-allies", "components")
    answer = await edit(person, path, sorcerer_card__13__kind="monster")
    assert (
        "counts</a>: <b>itself → monster tiles</b>" in answer.text,
        '<template data-list="sorcerer_card">' in answer.text,
    ) == (True, True)
    (reset,) = set(re.findall(r'form="shop-form" name="do" value="(reset:[^"]+)"', answer.text))
    await person.post(path, {"do": reset})
    assert kept(hall, path) is None


async def test_older_addresses_lead_to_a_question(hall: OpenHall) -> None:
    person = hall.person()
    answer = await person.get("/workshop/coins/coins?table=x&y")
    assert (answer.status_code, answer.headers["location"]) == (303, "/workshop?game=coins&table=x")
