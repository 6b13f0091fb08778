"""Questions of the workshop: what is kept of them, who may change one, what one may ask, and how long it stays."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import Any

import msgspec
import pytest

from meadhall.bots import UnknownBot
from meadhall.engine.errors import BadSetup
from meadhall.engine.registry import game
from meadhall.server.errors import NotFound, NotYours, TooMany, WrongMoment
from meadhall.server.hall.house import Switches
from meadhall.server.hall.lobby_changes import document_of
from meadhall.server.hall.orders import Order, Orders
from meadhall.server.hall.questions import MOST_QUESTIONS, Edit, Questions, options_of
from meadhall.server.ops.time import Time
from meadhall.server.settings import Settings
from meadhall.server.store import jobs, personal_data, questions, retention
from meadhall.server.store.models import Guest
from meadhall.server.store.questions import MOST_PASTS, Content, Variant
from meadhall.server.store.store import Store
from server.manual_time import ManualTime

pytestmark = pytest.mark.asyncio

AXES = game("axes-and-allies")
ALLIES = game("dungeon-allies")
COMPONENTS = document_of(ALLIES, "components")
ADA = Guest("ada", "Ada", "en")
BO = Guest("bo", "Bo", "en")


class Waiting(Orders):
    """Orders that nobody makes."""

    def go_on(self) -> None: ...


def open_questions(store: Store) -> Questions:
    return Questions(store, Waiting(store, asyncio.Event(), Switches(store)))


def with_players(*players: int) -> Any:
    return lambda content: msgspec.structs.replace(content, players=players)


def named(name: str) -> Edit:
    return lambda content: msgspec.structs.replace(content, name=name)


async def test_a_question_is_kept_over_a_restart_with_the_changes_that_can_be_undone(on_sqlite: Settings) -> None:
    async with Store.open(on_sqlite) as store:
        kept = open_questions(store)
        question = kept.create(ADA, ALLIES)
        key = question.content.variants[0].key
        monsters = COMPONENTS.data(COMPONENTS.default)
        monsters["monster"][0]["name"] = "Moth"
        kept.change(ADA, question.id, lambda content: content.with_option(key, "components", monsters))
        kept.change(ADA, question.id, with_players(4, 3, 4))
        same = kept.change(ADA, question.id, with_players(3, 4))
        assert same.revision == 2, "nothing has changed"
        same = kept.change(ADA, question.id, named("  The last   place "))
    async with Store.open(on_sqlite) as store:
        kept = open_questions(store)
        (found,) = kept.of(ADA)
        assert found == same
        assert (found.content.name, found.content.players) == ("The last place", (3, 4))
        assert options_of(found, found.content.variants[0])["components"]["data"]["monster"][0]["name"] == "Moth"
        assert kept.undo(ADA, found.id).content.name == question.content.name
        assert kept.undo(ADA, found.id).content.players == question.content.players
        assert kept.undo(ADA, found.id).content == question.content
        assert not kept.can_undo(question)
        with pytest.raises(WrongMoment):
            kept.undo(ADA, found.id)
        for players in range(2, 2 + MOST_PASTS + 5):
            kept.change(ADA, found.id, with_players(2 + players % 3))
        assert store.transact(lambda db: db.value("SELECT count(*) FROM question_pasts")) == MOST_PASTS


async def test_a_draft_may_be_wrong_for_a_while_and_says_where(on_sqlite: Settings) -> None:
    async with Store.open(on_sqlite) as store:
        kept = open_questions(store)
        question = kept.create(ADA, ALLIES)
        key = question.content.variants[0].key
        data = COMPONENTS.data(COMPONENTS.default)
        data["monster"][1]["name"] = 4
        question = kept.change(ADA, question.id, lambda content: content.with_option(key, "components", data))
        with pytest.raises(BadSetup, match=r"monster\[1\]"):
            options_of(question, question.content.variants[0])
        built_in = COMPONENTS.data(COMPONENTS.default)
        again = kept.change(ADA, question.id, lambda content: content.with_option(key, "components", built_in))
        assert again.content.variants[0].options == {}


async def test_others_read_and_copy_a_question_and_only_its_guest_changes_it(on_sqlite: Settings) -> None:
    async with Store.open(on_sqlite) as store:
        kept = open_questions(store)
        question = kept.create(ADA, AXES)
        assert kept.find(question.id) == question
        for refused in (
            lambda: kept.change(BO, question.id, with_players(3)),
            lambda: kept.undo(BO, question.id),
            lambda: kept.change(BO, question.id, named("Mine")),
            lambda: kept.delete(BO, question.id),
        ):
            with pytest.raises(NotYours):
                refused()
        copied = kept.copy(BO, question.id)
        assert (copied.guest, copied.content) == ("bo", question.content)
        kept.change(BO, copied.id, named("Fewer axes"))
        kept.delete(ADA, question.id)
        with pytest.raises(NotFound):
            kept.find(question.id)
        assert [each.content.name for each in kept.of(BO)] == ["Fewer axes"]
        for _ in range(MOST_QUESTIONS - 1):
            kept.create(BO, AXES)
        with pytest.raises(TooMany):
            kept.copy(BO, copied.id)


ONE = Variant("a", "As printed")


@pytest.mark.parametrize(
    ("content", "error"),
    [
        (Content("?", (), (ONE,)), BadSetup),
        (Content("?", (9,), (ONE,)), BadSetup),
        (Content("?", (2,) * 9, (ONE,)), BadSetup),
        (Content("?", (2,), ()), BadSetup),
        (Content(" ", (2,), (ONE,)), BadSetup),
        (Content("x" * 81, (2,), (ONE,)), BadSetup),
        (Content("?", (2,), (ONE, Variant("b", "As  printed"))), BadSetup),
        (Content("?", (2,), (ONE, Variant("a", "Other"))), BadSetup),
        (Content("?", (2,), tuple(Variant(str(k), str(k)) for k in range(7))), BadSetup),
        (Content("?", (2,), (Variant("a", "\u200b"),)), BadSetup),
        (Content("?", (2,), (Variant("a", "x" * 81),)), BadSetup),
        (Content("?", (2,), (Variant("a", "x", {"spoons": "1"}),)), BadSetup),
        (Content("?", (2,), (Variant("a", "x", {"last_two": "sing"}),)), BadSetup),
        (Content("?", (2,), (ONE,), bots=("odin",)), UnknownBot),
        (Content("?", (2,), (ONE,), bots=("os:system",)), UnknownBot),
        (Content("?", (2,), (ONE,), bots=("karl", "thrall", "huscarl", "king")), BadSetup),
        (Content("?", (2,), (ONE,), without=("sing",)), BadSetup),
        (Content("?", (2,), (ONE,), figures=("x" * 201,)), BadSetup),
        (Content("?", (2,), (ONE,), seconds=4), BadSetup),
        (Content("?", (2,), (ONE,), seconds=121), BadSetup),
    ],
)
async def test_what_a_question_may_not_ask_is_refused_and_changes_nothing(
    on_sqlite: Settings, content: Content, error: type[Exception]
) -> None:
    async with Store.open(on_sqlite) as store:
        kept = open_questions(store)
        question = kept.create(ADA, AXES)
        with pytest.raises(error):
            kept.change(ADA, question.id, lambda _before: content)
        assert kept.find(question.id) == question


async def test_a_document_in_a_question_is_a_document_and_not_too_long(on_sqlite: Settings) -> None:
    async with Store.open(on_sqlite) as store:
        kept = open_questions(store)
        question = kept.create(ADA, ALLIES)
        key = question.content.variants[0].key

        def brought(value: Any) -> Edit:
            return lambda content: content.with_option(key, "components", value)

        for wrong in ("/etc/passwd", 3, {"card": "x" * 140_000}):
            with pytest.raises(BadSetup):
                kept.change(ADA, question.id, brought(wrong))


async def test_the_reports_of_a_question_are_its_last_few_and_go_with_it(on_sqlite: Settings) -> None:
    async with Store.open(on_sqlite) as store:
        orders = Waiting(store, asyncio.Event(), Switches(store))
        kept = Questions(store, orders)
        question = kept.create(ADA, AXES)

        def report(number: int) -> Order:
            order = orders.start(ADA, "10.0.0.1", "report", {"number": number}, question.id)
            store.transact(jobs.finish_order, order.id, "done", {"report": {}})
            order.state = "done"
            order.ended.set()
            orders._forget_old(order)
            return order

        made = [report(number) for number in range(5)]
        assert orders.of(question.id) == made[:1:-1]
        again = Waiting(store, asyncio.Event(), Switches(store))
        assert [order.id for order in again.of(question.id)] == [order.id for order in made[:1:-1]]
        kept.delete(ADA, question.id)
        assert orders.of(question.id) == []
        assert store.transact(jobs.all_orders) == []
        assert orders._orders == {}


async def test_a_question_is_exported_and_deleted_with_its_guest_and_expires(on_sqlite: Settings) -> None:
    time = ManualTime()
    async with Store.open(on_sqlite, time) as store:
        store.save_guest(ADA)
        kept = open_questions(store)
        question = kept.create(ADA, AXES)
        kept.change(ADA, question.id, with_players(3))
        (row,) = store.transact(personal_data.export, "ada")["questions"]
        assert (row["content"]["name"], row["content"]["players"]) == (question.content.name, [3])
        store.transact(personal_data.delete_guest, "ada", "former player")
        assert store.transact(lambda db: db.value("SELECT count(*) FROM questions, question_pasts")) == 0
        for after, left in ((questions.KEPT_FOR - timedelta(hours=1), 1), (timedelta(hours=2), 0)):
            kept.create(BO, AXES) if left else None
            time.set_date(time.now() + after)
            for step in retention.expired():
                store.transact(step)
            assert len(kept.of(BO)) == left


async def test_a_report_of_a_question_without_one_belongs_to_none(on_sqlite: Settings) -> None:
    async with Store.open(on_sqlite, Time()) as store:
        orders = Waiting(store, asyncio.Event(), Switches(store))
        orders.start(ADA, "10.0.0.1", "report", {})
        assert orders.of("") == []
