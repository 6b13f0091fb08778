"""The pages of the workshop: a question that is kept, changed field by field, shared by its link, and reported beside it."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

import pytest

from meadhall.engine.match.record import dumps
from meadhall.engine.registry import game
from meadhall.lab import balance
from meadhall.server.hall.lobby_changes import document_of
from meadhall.server.hall.orders import Order
from meadhall.server.settings import Settings
from meadhall.server.store import jobs, questions
from server.people import AXES, HOARD, OpenHall, Person, open_hall
from server.waiting import until

pytestmark = [pytest.mark.asyncio, pytest.mark.usefixtures("at_once")]

DUNGEON = "dungeon-allies"

BY_SCRIPT = {"HX-Request": "true"}


async def asked(person: Person, **form: str) -> str:
    """Begin a question. Return its path."""
    answer = await person.post("/workshop", form or {"game": AXES})
    assert answer.status_code == 303, answer.text
    return str(answer.headers["location"])


async def edit(person: Person, path: str, **form: Any) -> int:
    """Change one field, as the script does."""
    return (await person.http.post(path, data={"only": next(iter(form)), **form}, headers=BY_SCRIPT)).status_code


def content(hall: OpenHall, path: str) -> Any:
    return hall.hall.questions.find(path.rpartition("/")[2]).content


def keys(hall: OpenHall, path: str) -> list[str]:
    return [each.key for each in content(hall, path).variants]


async def test_every_game_has_a_card_and_a_question_is_kept_over_a_restart(on_sqlite: Settings, at_once: None) -> None:
    async with open_hall(on_sqlite) as hall:
        person = hall.person()
        page = (await person.get("/workshop")).text
        assert {AXES, "axxa", "dungeon-allies", "viking-axes", HOARD} <= set(re.findall(r'name="game" value="([^"]+)"', page))
        path = await asked(person)
        assert await edit(person, path, name="Who  wins <twice>?") == 200
        assert await edit(person, path, players=["2", "3"]) == 200
        (key,) = keys(hall, path)
        assert (await person.post(path, {"only": f"{key}:last_two", f"{key}:last_two": "fight"}, **BY_SCRIPT)).status_code == 200
        cookies = dict(person.http.cookies)
    async with open_hall(on_sqlite) as hall:
        person = hall.person()
        person.http.cookies.update(cookies)
        assert "Who wins &lt;twice&gt;?" in (await person.get("/workshop")).text
        page = (await person.get(path)).text
        assert re.findall(r'name="players" value="(\d)" checked', page) == ["2", "3"]
        assert '<option value="fight" selected>' in page
        assert content(hall, path).variants[0].options == {"last_two": "fight"}
        for _ in range(3):
            await person.post(path, {"do": "undo"})
        assert content(hall, path).variants[0].options == {}
        assert (await person.post(path, {"do": "undo"})).status_code == 409


async def test_without_a_script_a_button_sends_all_fields(hall: OpenHall) -> None:
    person = hall.person()
    path = await asked(person)
    (key,) = keys(hall, path)
    form = {
        "save": "all",
        "name": "Plain",
        "players": "3",
        "bots": ["thrall"],
        "search": "40",
        "without": "ally",
        "seconds": "15",
    }
    sent = await person.http.post(path, data={**form, key: "Fight on", f"{key}:last_two": "fight"})
    assert (sent.status_code, sent.headers["location"]) == (303, path)
    found = content(hall, path)
    assert (found.players, found.bots, found.without, found.seconds) == ((3,), ("thrall", "search@40"), ("ally",), 15)
    assert [(each.name, each.options) for each in found.variants] == [("Fight on", {"last_two": "fight"})]
    await person.http.post(path, data={"save": "all", "players": "3", "seconds": "15"})
    assert (content(hall, path).bots, content(hall, path).without) == ((), ())


async def test_a_wrong_field_is_refused_beside_the_fields_and_changes_nothing(hall: OpenHall) -> None:
    person = hall.person()
    path = await asked(person)
    (key,) = keys(hall, path)
    assert await edit(person, path, **{f"{key}:sides": "8"}) == 200
    before = content(hall, path)
    assert before.variants[0].options == {"sides": 8}
    wrong: list[dict[str, str]] = [
        {"only": "players"},
        {"only": "players", "players": "9"},
        {"only": "players", "players": "9" * 5000},
        {"only": "bots", "bots": "odin"},
        {"only": "bots", "search": "many"},
        {"only": "seconds", "seconds": "²"},
        {"only": "name", "name": "\u200b"},
        {"only": f"{key}:last_two", f"{key}:last_two": "sing"},
        {"only": f"{key}:sides", f"{key}:sides": "99"},
        {"only": f"{key}:sides", f"{key}:sides": ""},
        {"only": f"{key}:spoons", f"{key}:spoons": "3"},
        {"only": key, key: ""},
    ]
    for form in wrong:
        answer = await person.post(path, form, **BY_SCRIPT)
        assert (answer.status_code, 'role="alert"' in answer.text) == (400, True), form
    for do, status in ((f"remove:{key}", 400), ("link", 400), ("file", 400), ("twin:x", 404), ("sing:3", 404)):
        assert (await person.post(path, {"only": "-", "do": do})).status_code == status, do
    assert content(hall, path) == before


async def test_variants_come_from_a_copy_a_question_a_link_a_table_and_a_file(hall: OpenHall) -> None:
    person, other = hall.person(), hall.person("10.0.0.2")
    theirs = await asked(other)
    (key,) = keys(hall, theirs)
    await other.post(theirs, {"only": f"{key}:last_two", f"{key}:last_two": "fight"})
    table = await other.open(AXES)
    mine, second = await asked(person), await asked(person)
    own = keys(hall, second)[0]
    await person.post(second, {"only": own, own: "Mine"})
    (first,) = keys(hall, mine)
    record = dumps(game(AXES).match(2, seed="mead", last_two="fight").record(abandoned="x"))
    for do, more in (
        (f"twin:{first}", {}),
        ("link", {"address": second}),
        ("link", {"address": f"http://hall.test{theirs}?report=x#report"}),
        ("link", {"address": f"/tables/{table}"}),
    ):
        assert (await person.post(mine, {"only": "-", "do": do, **more})).status_code == 303, do
    added = await person.http.post(mine, data={"only": "-", "do": "file"}, files={"file": ("x.json", record.encode())})
    assert added.status_code == 303, added.text
    variants = content(hall, mine).variants
    assert [each.name for each in variants] == ["As printed", "As printed 2", "Mine", "As printed 3", "That table", "That match"]
    assert [each.options for each in variants] == [{}, {}, {}, {"last_two": "fight"}, {}, {"last_two": "fight"}]
    assert (await person.post(mine, {"only": "-", "do": "add"})).status_code == 400
    assert "That is about" in unescape(
        (await person.post(await asked(person, game=HOARD), {"do": "link", "address": theirs})).text
    )


async def test_a_shared_question_is_read_played_and_copied_and_not_changed(hall: OpenHall) -> None:
    ada, bo = hall.person(), hall.person("10.0.0.2")
    path = await asked(ada)
    (key,) = keys(hall, path)
    await ada.post(path, {"only": f"{key}:last_two", f"{key}:last_two": "fight"})
    page = (await bo.get(path)).text
    assert ("Copy it to change it" in page, 'value="undo"' in page, "js/question.js" in page) == (True, False, False)
    before = content(hall, path)
    for form in ({"only": "players", "players": "3"}, {"do": "undo"}, {"do": "delete"}, {"do": "report"}, {"do": "add"}):
        assert (await bo.post(path, form)).status_code == 403, form
    assert content(hall, path) == before
    table = (await bo.post(path, {"do": f"play:{key}"})).headers["location"]
    assert (await hall.room(table.rpartition("/")[2])).table.options["last_two"] == "fight"
    copy = (await bo.post(path, {"do": "copy"})).headers["location"]
    await bo.post(copy, {"only": "players", "players": "3"})
    assert (content(hall, copy).players, content(hall, copy).variants) == ((3,), content(hall, path).variants)
    assert (await ada.post(path, {"do": "delete"})).headers["location"] == "/workshop"
    assert (await bo.get(path)).status_code == 404


async def test_a_question_begins_with_the_options_of_a_table_and_old_addresses_lead_to_the_games(hall: OpenHall) -> None:
    person = hall.person()
    table = await person.open(AXES, 3)
    await person.ask(f"/tables/{table}/options", {"last_two": "fight"})
    page = (await person.get(f"/tables/{table}")).text
    assert f'name="table" value="{table}"' in page
    path = await asked(person, table=table)
    assert (content(hall, path).players, content(hall, path).variants[0].options) == ((3,), {"last_two": "fight"})
    assert (await person.get(f"/workshop/{AXES}")).headers["location"] == f"/workshop?game={AXES}"
    assert f'name="table" value="{table}"' in (await person.get(f"/workshop?table={table}")).text


async def test_a_report_stands_beside_its_question_with_progress_and_matches_to_watch(hall: OpenHall) -> None:
    person, other = hall.person(), hall.person("10.0.0.2")
    path = await asked(person)
    (key,) = keys(hall, path)
    await person.post(path, {"only": "-", "do": "add"})
    await person.post(path, {"only": f"{key}:last_two", f"{key}:last_two": "fight"})
    answer = await person.post(path, {"only": "-", "do": "report"}, **BY_SCRIPT)
    (order,) = [each for each in hall.hall.orders._orders.values() if each.question]
    assert 'id="report-part"' in answer.text
    told = {name: options["last_two"] for name, options in order.request["variants"].items()}
    assert told == {"As printed": "fight", "Mine": "ally"}
    assert (await person.post(path, {"only": "-", "do": "report"})).status_code == 303
    (order,) = [each for each in hall.hall.orders._orders.values() if each.question]  # in place of the other one
    assert (await person.post(await asked(person), {"do": "report"})).status_code == 429
    await finish(hall, order)
    page = (await person.get(path)).text
    assert ("Is it fair?" in page, 'class="bar"' in page, "data-outdated" in page) == (True, True, False)
    watched = re.findall(rf'href="({path}/reports/{order.id}/\d+)"', page)
    shown = await other.get(watched[-1])
    assert 'id="step-on"' in shown.text, re.findall("<h1.*?</main>", shown.text, re.DOTALL)
    assert (await other.get(f"{path}/reports/{order.id}/999")).status_code == 404
    assert (await other.get(f"{await asked(person)}/reports/{order.id}/0")).status_code == 404
    edited = await person.post(path, {"only": "players", "players": "3"}, **BY_SCRIPT)
    assert ("data-outdated" in edited.text, len(edited.content) < 3000 < len(page)) == (True, True)
    assert "data-outdated" in (await person.get(path)).text
    await person.post(path, {"do": "undo"})
    assert "data-outdated" not in (await person.get(path)).text
    assert "report ready" in (await person.get("/workshop")).text


async def finish(hall: OpenHall, order: Order) -> None:
    """Store a real report as that of an order, whose process is stopped."""
    await until(lambda: order.process is not None)
    order.stop()
    await until(lambda: not order.is_open)
    report = balance(AXES, 2, {"one": {}, "two": {"last_two": "fight"}}, games=8, depth="quick", seed="mead")
    order.state = "done"
    hall.store.transact(jobs.finish_order, order.id, "done", {"report": report.to_dict()})


async def test_counters_go_into_the_report_and_an_unknown_event_is_refused_before_it(hall: OpenHall) -> None:
    person = hall.person()
    path = await asked(person)
    assert await edit(person, path, figures="fallen: kiled by seat") == 200
    refused = await person.post(path, {"only": "-", "do": "report"}, **BY_SCRIPT)
    assert (refused.status_code, "did you mean killed?" in refused.text) == (400, True)
    assert await edit(person, path, figures="fallen: killed by seat\r\n\r\nallied") == 200
    assert content(hall, path).figures == ("fallen: killed by seat", "allied")
    await person.post(path, {"only": "-", "do": "report"}, **BY_SCRIPT)
    (order,) = [each for each in hall.hall.orders._orders.values() if each.question]
    assert order.request["counters"] == {"fallen": "killed by seat", "allied": "allied"}


async def test_a_report_on_an_invalid_document_says_which_variant_is_wrong(hall: OpenHall) -> None:
    person = hall.person()
    path = await asked(person, game=DUNGEON)
    question = hall.hall.questions.find(path.rpartition("/")[2])
    option = document_of(game(DUNGEON), "components")
    data = option.data(option.default)
    data["monster"][0]["name"] = 3
    wrong = question.content.with_option(question.content.variants[0].key, "components", data)
    hall.store.transact(questions.save, question, wrong)
    answer = await person.post(path, {"only": "-", "do": "report"}, **BY_SCRIPT)
    assert (answer.status_code, "As printed: components: monster[0].name" in unescape(answer.text)) == (400, True)
    assert not [each for each in hall.hall.orders._orders.values() if each.question]
