"""The workshop: a document as a form that carries it, checked after each change, saved as a file, and played."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from html import unescape
from typing import Any

import pytest

from games_for_tests.coins import COINS, FILE
from games_for_tests.coins import game as coins
from meadhall.engine.registry import game, registered
from meadhall.engine.text.language import speaking
from meadhall.lab import warm
from meadhall.server.hall.seating import document_of
from meadhall.server.pages.document_form import DocumentForm
from meadhall.server.pages.workshop import toml_text, workshop_page
from server import hoard_on_a_page
from server.people import OpenHall, Person

PATH = "/workshop/coins/coins"
BUILT_IN = COINS.data(COINS.default)
RENAMED = COINS.check(FILE.read_bytes().replace(b'"sovereign"', b'"pistole"'))
DUNGEON = game("dungeon-allies")
COMPONENTS = document_of(DUNGEON, "components")


@pytest.fixture(scope="module")
def coined(hoard: None) -> Iterator[None]:
    """Register and compile a variant of Hoard whose coins have names."""
    with registered(replace(coins, folder=hoard_on_a_page.game.folder, page=hoard_on_a_page.page)):
        warm(["coins"], bulk=False)
        yield


def carried(page: str) -> Any:
    """Return the document that the form of a page carries."""
    (written,) = re.findall(r'name="document" value="([^"]*)"', page)
    return json.loads(unescape(written))


async def bring(person: Person, content: bytes) -> Any:
    return await person.http.post(PATH, data={"do": "import"}, files={"file": ("my.toml", content)})


@pytest.mark.asyncio
@pytest.mark.usefixtures("coined")
async def test_a_change_is_told_at_once_and_nothing_is_stored(hall: OpenHall) -> None:
    person = hall.person()
    page = (await person.get(PATH)).text
    assert carried(page) == BUILT_IN
    assert "This is the built-in document." in page
    assert "usually:" not in page
    changed = (await person.post(PATH, {"document": json.dumps(BUILT_IN), "at-coin.11.name": "pistole"})).text
    assert carried(changed) == RENAMED["data"]
    (differs,) = re.findall(r'<div class="differs">(.*?)</div>', changed, re.DOTALL)
    assert "pistole" in differs.split("usually:")[0]
    wrong = (await person.post(PATH, {"document": json.dumps(RENAMED["data"]), "at-coin.3.name": "farthing"})).text
    assert "Coin, farthing, Name: farthing is there twice" in wrong
    assert re.search(r'id="at-coin\.3\.name"[^>]*aria-invalid', wrong)
    assert 'id="list-coin" open' in wrong
    assert carried(wrong)["coin"][11]["name"] == "pistole"


@pytest.mark.asyncio
@pytest.mark.usefixtures("coined")
async def test_a_document_is_saved_as_a_file_and_read_again(hall: OpenHall) -> None:
    person = hall.person()
    saved = await person.post(PATH, {"do": "export", "document": json.dumps(RENAMED["data"])})
    assert saved.headers["content-disposition"] == 'attachment; filename="coins-coins.toml"'
    assert COINS.check(saved.content) == RENAMED
    assert carried((await bring(person, saved.content)).text) == RENAMED["data"]
    refused = await bring(person, saved.content.replace(b'"groat"', b"4"))
    assert refused.status_code == 400
    assert "coin[3].name" in refused.text
    assert carried(refused.text) == BUILT_IN
    assert (await person.post(PATH, {"do": "import"})).status_code == 400


@pytest.mark.asyncio
@pytest.mark.usefixtures("coined")
async def test_a_table_opens_with_the_document_and_leads_back_to_it(hall: OpenHall) -> None:
    person = hall.person()
    answer = await person.post(PATH, {"do": "play", "document": json.dumps(BUILT_IN), "at-coin.11.name": "pistole"})
    table = answer.headers["location"].removeprefix("/tables/")
    assert (await hall.room(table)).table.options["coins"] == RENAMED
    assert f'href="{PATH}?table={table}"' in (await person.get(f"/tables/{table}")).text
    assert carried((await person.get(f"{PATH}?table={table}")).text) == RENAMED["data"]
    for do in ("play", "export"):
        answer = await person.post(PATH, {"do": do, "document": "{}"})
        assert (answer.status_code, 'id="fault"' in answer.text) == (200, True)


@pytest.mark.asyncio
@pytest.mark.usefixtures("coined")
@pytest.mark.parametrize(
    "written",
    ["[", "[]", '{"coin": ' + "[" * 5000 + "]" * 5000 + "}", json.dumps({"coin": [{}] * 4000}), '{"x": "' + "x" * 140_000 + '"}'],
    ids=["no JSON", "a list", "deep", "many coins", "long"],
)
async def test_a_damaged_form_is_refused(hall: OpenHall, written: str) -> None:
    answer = await hall.person().post(PATH, {"document": written, "do": "add:coin"})
    assert answer.status_code == 400
    assert carried(answer.text) == BUILT_IN


@pytest.mark.asyncio
@pytest.mark.usefixtures("coined")
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
    answer = await hall.person().post(PATH, form)
    assert (answer.status_code, 'id="fault"' in answer.text) == (200, True)


@pytest.mark.asyncio
@pytest.mark.usefixtures("hoard")
async def test_only_documents_have_a_workshop(hall: OpenHall) -> None:
    person = hall.person()
    assert (await person.get("/workshop")).headers["location"].startswith("/workshop/")
    for path in ("/workshop/chess/pieces", "/workshop/dungeon-allies/spoons", "/workshop/hoard/hand"):
        assert (await person.get(path)).status_code == 404


def form(**changes: Any) -> DocumentForm:
    return DocumentForm(COMPONENTS, COMPONENTS.data(COMPONENTS.default) | changes)


def test_the_form_has_every_value_of_the_components_and_changes_nothing_by_itself() -> None:
    data = form().data
    names = {field.name: field.value for field in form()._all_fields()}
    for index, monster in enumerate(data["monster"]):
        for level in ("yellow", "blue", "red"):
            for part in ("target", "gold"):
                assert names[f"monster.{index}.{level}.{part}"] == str(monster[level][part])
    assert form().changed({f"at-{name}": value for name, value in names.items()}) == data
    assert COMPONENTS.check(toml_text(data)) == COMPONENTS.default


def test_a_card_gets_the_fields_of_what_it_counts() -> None:
    card = "sorcerer_card.0"
    mixed = form().changed({f"at-{card}.kind": "mixed"})
    assert mixed["sorcerer_card"][0] == {"id": "staff_of_cinders", "name": "Staff of Cinders", "kind": "mixed", "scores": []}
    grown = DocumentForm(COMPONENTS, mixed).grown(f"{card}.scores")
    chosen = DocumentForm(COMPONENTS, grown).changed({f"at-{card}.scores.0.kind": "crystal"})
    (scored,) = chosen["sorcerer_card"][0]["scores"]
    assert (scored["kind"], set(scored)) == ("crystal", {"kind", "color", "per", "points"})
    COMPONENTS.check(chosen)


def test_values_that_the_rules_leave_open_can_be_changed_and_lists_within_their_sizes() -> None:
    changed = form().changed(
        {"at-sorcerer.refill": "false", "at-dice.enhance_dice": "4 20", "at-prisoner_space.0.reward.gold": "0"}
    )
    assert (changed["sorcerer"]["refill"], changed["dice"]["enhance_dice"]) == (False, [4, 20])
    assert changed["prisoner_space"][0]["reward"] == {}
    lists = {group.path: (group.grows, group.shrinks) for group in form().groups}
    assert (lists["prisoner_space"], lists["monster"]) == ((True, True), (False, False))
    assert len(form().grown("trade")["trade"]) == 5
    assert form().shrunk("prisoner_space.4")["prisoner_space"] == form().data["prisoner_space"][:4]


@pytest.mark.parametrize(
    ("field", "text", "sentence"),
    [
        ("monster.3.blue.gold", "100", "Monsters, Moss Gremlin, blue, gold: a whole number from 0 to 99 is expected"),
        ("prisoner_space.0.name", " ", "Prisoners, 1, Name: a text of 1 to 60 characters is expected"),
        ("excursion_square.9.level", "yellow", "Squares, 10, Level: yellow after blue: the order is yellow, blue, red"),
        ("dice.enhance_dice", "7", "Dice for Enhance: expected a list of some of 4, 6, 8, 10, 12, 20, not [7]"),
        ("trade.0.right.gold", "1", "Trade lines, 1, Right side, gold: gold can't be traded, only crystals can"),
    ],
)
def test_an_error_names_its_place_in_words(field: str, text: str, sentence: str) -> None:
    with speaking("en"):
        page = workshop_page(DUNGEON, COMPONENTS, form().changed({f"at-{field}": text}))
    assert page.fault is not None
    assert (page.fault.text, page.fault_at) == (sentence, field)
