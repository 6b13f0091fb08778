"""Replays: of a running match from the own seat, of a finished match from every seat, and of uploaded records."""

from __future__ import annotations

import asyncio
import copy
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import meadhall
from games_for_tests.hoard.rules import BOAST, DRAW
from meadhall.engine.match.record import dumps, loads
from meadhall.engine.replay import replay
from meadhall.server.hall import match_records
from meadhall.server.hall.match_records import Uploads
from meadhall.server.pages.models import Viewer
from meadhall.server.pages.replay import replay_page
from meadhall.server.pages.templates import render
from meadhall.server.routes.replay import UPLOAD_LIMIT
from server.manual_time import settled
from server.people import AXES, BASE, HOARD, OpenHall, Person, play_out

pytestmark = pytest.mark.asyncio(loop_scope="module")

Record = dict[str, Any]

RECORDS = Path(__file__).parents[1] / "records"
GUEST = Viewer("", "en", "auto")


def board(page: str) -> str:
    found = re.search(r'<section id="board".*?</section>', page, re.DOTALL)
    assert found is not None
    return found[0]


def genuine(game: str = HOARD) -> Record:
    match = meadhall.game(game).match(players=3, seed="a match elsewhere")
    match.play(BOAST if game == HOARD else match.legal()[0])
    while not match.over:
        match.play(match.legal()[0])
    return json.loads(dumps(match.record()))  # type: ignore[no-any-return]


async def upload(person: Person, record: Record | bytes) -> Any:
    body = record if isinstance(record, bytes) else dumps(record).encode()
    return await person.upload(body, Accept="application/json")


def kept(hall: OpenHall) -> int:
    query = "SELECT count(*) FROM uploads"
    return int(hall.store.transact(lambda db: db.value(query)))


# -------------------------------------------------------------------------------------------------------------- a table's match


async def test_a_running_match_is_replayed_only_from_the_guests_own_seat(hall: OpenHall) -> None:
    host, _, room = await hall.two_at(HOARD)
    assert room.match is not None
    await host.act(room.table.id, DRAW)
    hands = [{f"coin{card}" for card in room.match.states["hand"][0, seat].tolist() if card} for seat in range(2)]
    for seat in ("0", "1", "all", "-2", "7", ""):
        page = (await host.get(f"/tables/{room.table.id}/replay?step=1&seat={seat}")).text
        seen = set(re.findall(r"\bcoin\d+\b", board(page)))
        assert seen == (hands[0] if seat == "0" else set()), seat
        assert not any(re.search(rf"\b{card}\b", page) for card in hands[1])
        stranger = (await hall.person().get(f"/tables/{room.table.id}/replay?step=1&seat={seat}")).text
        assert not any(re.search(rf"\b{card}\b", stranger) for card in hands[0] | hands[1])
        assert room.match.seed.hex() not in page


async def test_a_finished_match_can_be_replayed_from_every_seat(hall: OpenHall) -> None:
    room = await hall.played_out(HOARD)
    spectator = hall.person()
    pages = [(await spectator.get(f"/tables/{room.table.id}/replay?step=0&seat={seat}")).text for seat in ("all", "0", "1")]
    seen = [set(re.findall(r"\bcoin\d+\b", board(page))) for page in pages]
    assert len(seen[0]) == 12
    assert seen[1]
    assert seen[2]
    assert seen[1].isdisjoint(seen[2])


async def test_every_step_has_a_page_and_other_steps_show_the_nearest(hall: OpenHall) -> None:
    room = await hall.played_out()
    assert room.match is not None
    last = len(room.match.steps)
    spectator = hall.person()
    for step in (-5, 0, 1, last, last + 9):
        page = await spectator.get(f"/tables/{room.table.id}/replay?step={step}")
        assert page.status_code == 200
        assert f'max="{last}" value="{max(0, min(last, step))}"' in page.text
    assert "wins" in page.text
    assert "Back to the table" in page.text
    assert "Another record" not in page.text
    assert (await spectator.get(f"/tables/{room.table.id}/replay?step=x")).status_code == 400
    assert (await spectator.get(f"/tables/{room.table.id}/replay?step={'9' * 5000}")).status_code in (200, 400, 414)


async def test_the_seed_is_on_the_verify_page_only_after_the_match(hall: OpenHall) -> None:
    host, friend, room = await hall.two_at()
    assert room.match is not None
    seed, commitment = room.match.seed.hex(), room.match.commitment
    running = (await host.get(f"/tables/{room.table.id}/verify")).text
    assert commitment in running
    assert seed not in running
    await play_out(room, {0: host, 1: friend})
    over = (await host.get(f"/tables/{room.table.id}/verify")).text
    assert commitment in over
    assert seed in over


# ------------------------------------------------------------------------------------------------------------- uploaded records


@pytest.mark.parametrize("game", [AXES, HOARD])
async def test_a_valid_record_is_shown_step_by_step(hall: OpenHall, game: str) -> None:
    person, record = hall.person(), genuine(game)
    answer = await upload(person, record)
    assert answer.status_code == 201, answer.text
    url = answer.json()["url"]
    for step in range(len(record["actions"]) + 1):
        for seat in ("all", "0", "1"):
            page = await hall.person().get(f"{url}?step={step}&seat={seat}")
            assert page.status_code == 200
    assert "verified" in page.text
    assert "Another record" in page.text
    assert "Back to the table" not in page.text
    as_form = await person.upload(dumps(record).encode())
    assert (as_form.status_code, as_form.headers["location"][:8]) == (303, "/replay/")


@pytest.mark.parametrize(
    "name",
    [
        "axes-and-allies/6-players-1",
        "viking-axes/7-players-strategic-0",
        "axxa/2-players-together-all-0",
        "axxa/4-players-versus-all-0",
        "dungeon-allies/4-players-0",
    ],
)
async def test_steps_are_shown_with_full_knowledge_and_from_a_seat(name: str) -> None:
    """This includes games in which seats have looked at hidden parts: full knowledge belongs to no seat."""
    match = replay(loads((RECORDS / f"{name}.match.json").read_text("utf-8")))
    last = len(match.steps)
    for step in {*range(0, last, max(1, last // 5)), last}:
        for seat in ("all", str(step % match.players)):
            content = replay_page(match, "/replay/x", step, seat, None, "/replay")
            assert content["seat"] == seat
            assert (content["page"].own is None) == (seat == "all")
            assert board(render("replay.html", GUEST, content, "/replay/x", BASE, told=()))


def changed(change: Callable[[Record], object]) -> Record:
    record = copy.deepcopy(genuine(AXES))
    change(record)
    return record


@pytest.mark.parametrize(
    ("record", "place"),
    [
        (changed(lambda record: record.update(seed="0" * 64)), "commitment"),
        (changed(lambda record: record["actions"].pop()), "result"),
        (b"", "not JSON: the file is empty"),
        (b"\n{,}", "not JSON: line 2, column 2 can't be read"),
        (b"[1, 2]", "an object|a JSON object"),
        (b"\xff\xfe\x00", "not JSON: the file is not text in UTF-8"),
        (b"[" * 100_000, "not JSON"),
        (b"1" * 5000, "not JSON|a JSON object"),
        (f"{dumps(genuine(AXES))}\n{dumps(genuine(HOARD))}\n".encode(), "text follows the record"),
    ],
)
async def test_an_invalid_record_is_refused_with_the_place(hall: OpenHall, record: Record | bytes, place: str) -> None:
    person, before = hall.person(), kept(hall)
    answer = await upload(person, record)
    assert (answer.status_code, answer.json()["error"]) == (400, "bad-record"), answer.text
    assert any(each in answer.json()["reason"] for each in place.split("|")), answer.json()["reason"]
    page = await person.upload(record if isinstance(record, bytes) else dumps(record).encode())
    assert page.status_code == 400
    assert kept(hall) == before, "a refused record must not be stored"


@pytest.mark.parametrize("name", ["\ud800", "\x00", "<script>alert(1)</script>", "x" * 100_000, "\u202e"])
async def test_a_record_with_a_strange_name_is_refused_or_shown_as_text(hall: OpenHall, name: str) -> None:
    record = changed(lambda record: record["seats"][0].update(name=name))
    answer = await upload(hall.person(), json.dumps(record).encode())
    assert answer.status_code in (201, 400), answer.text
    if answer.status_code == 201:
        page = await hall.person().get(answer.json()["url"])
        assert page.status_code == 200
        assert "<script>alert" not in page.text


async def test_a_record_with_an_early_date_is_shown(hall: OpenHall) -> None:
    record = changed(lambda record: record.update(started="0793-06-08T12:00:00Z"))
    answer = await upload(hall.person(), record)
    assert answer.status_code == 201
    assert (await hall.person().get(answer.json()["url"])).status_code == 200


async def test_a_huge_record_is_refused(hall: OpenHall) -> None:
    before = kept(hall)
    answer = await upload(hall.person(), b" " * (UPLOAD_LIMIT + 1))
    assert (answer.status_code, answer.json()["error"]) == (413, "request-entity-too-large")
    assert kept(hall) == before


async def test_a_record_just_below_the_limit_is_accepted(hall: OpenHall) -> None:
    record = dumps(genuine()).encode()
    answer = await upload(hall.person(), record + b" " * (UPLOAD_LIMIT - len(record) - 2000))
    assert answer.status_code == 201, answer.text


async def test_a_record_with_too_many_actions_is_refused_before_the_replay(
    hall: OpenHall, monkeypatch: pytest.MonkeyPatch
) -> None:
    record, before = genuine(), kept(hall)
    monkeypatch.setattr(match_records, "MAX_ACTIONS", len(record["actions"]))
    assert (await upload(hall.person(), dumps(record).encode())).status_code == 201
    monkeypatch.setattr(match_records, "MAX_ACTIONS", len(record["actions"]) - 1)
    monkeypatch.setattr(match_records, "replay", None)
    answer = await upload(hall.person(), dumps(record).encode())
    assert (answer.status_code, answer.json()["error"]) == (400, "bad-record")
    assert f"at most {len(record['actions']) - 1} actions" in answer.json()["reason"]
    assert kept(hall) == before + 1


async def test_undone_actions_count_against_the_limit(hall: OpenHall, monkeypatch: pytest.MonkeyPatch) -> None:
    match = meadhall.game(HOARD).match(players=3, seed="back and forth")
    for _ in range(7):
        match.play(BOAST)
        match.undo()
    monkeypatch.setattr(match_records, "MAX_ACTIONS", 6)
    answer = await upload(hall.person(), dumps(match.record(abandoned="bored")).encode())
    assert "at most 6 actions, and this one has 7" in answer.json()["reason"]


async def test_records_are_replayed_one_at_a_time_and_cached(monkeypatch: pytest.MonkeyPatch) -> None:
    at_once, most, read = 0, 0, list[str]()
    loop = asyncio.get_running_loop()

    def slowly(text: str) -> Any:
        nonlocal at_once, most
        at_once += 1
        most = max(most, at_once)
        asyncio.run_coroutine_threadsafe(settled(), loop).result()  # the others could begin now
        at_once -= 1
        read.append(text)
        return object()

    monkeypatch.setattr(match_records, "_replay", slowly)
    monkeypatch.setattr(match_records, "MAX_BYTES", 20)
    monkeypatch.setattr(match_records, "size_of", lambda match: 10)
    reader = Uploads()
    await asyncio.gather(*(reader.verify(str(k)) for k in range(5)))
    assert most == 1
    first, second = await reader.match("a"), await reader.match("b")
    assert (await asyncio.gather(*(reader.match("b") for _ in range(3)))) == [second] * 3
    assert (await reader.match("a"), await reader.match("b")) == (first, second)
    assert read[5:] == ["a", "b"]
    await asyncio.gather(*(reader.match("c") for _ in range(3)))
    await reader.match("a")
    assert read[5:] == ["a", "b", "c", "a"]
    monkeypatch.setattr(match_records, "size_of", lambda match: 30)
    large = Uploads()
    assert await large.match("d") is not await large.match("d"), "what is larger than the whole memory is not kept"


async def test_an_upload_without_a_file_is_refused(hall: OpenHall) -> None:
    person = hall.person()
    for answer in (
        await person.http.post("/replay", files={"other": ("x", b"x")}),
        await person.http.post("/replay", data={"record": "{}"}),
    ):
        assert answer.status_code == 400
