"""Push messages: who gets which, when, once, and to which addresses; and what a guest chooses."""

from __future__ import annotations

import asyncio
import re
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, suppress
from dataclasses import replace
from datetime import UTC, timedelta
from functools import partial
from typing import Any

import pytest
import pytest_asyncio
from sqlalchemy import Connection, select

from meadhall.server.doctor.network import check_push
from meadhall.server.errors import BadPushSubscription
from meadhall.server.hall.notices import notifications as module
from meadhall.server.hall.notices import push_service
from meadhall.server.hall.notices.notification_choices import NotificationChoices
from meadhall.server.hall.notices.notifications import Notification, notify
from meadhall.server.hall.notices.push_service import PushServices, is_public, public_key
from meadhall.server.hall.room import Room
from meadhall.server.ops.time import Time
from meadhall.server.settings import BadSetting, Settings
from meadhall.server.store import schema
from meadhall.server.store.models import Guest
from meadhall.server.store.queries import attempts
from server.manual_time import ManualTime, settled
from server.people import OpenHall, Person, open_hall, stream
from server.push_endpoint import PATIENCE, PushEndpoint, Received, push_endpoint
from server.waiting import until

pytestmark = pytest.mark.asyncio

DEVICES = "/settings/notifications/devices"
PASSWORD = "correct horse battery"  # noqa: S105


@pytest.fixture
def endpoint() -> Iterator[PushEndpoint]:
    with push_endpoint() as opened:
        yield opened


@pytest.fixture
def silent() -> Iterator[list[socket.socket]]:
    """Open push services that accept connections and never answer."""
    with ExitStack() as stack:
        yield [stack.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(6)]


def url_of(service: socket.socket) -> str:
    return f"http://127.0.0.1:{service.getsockname()[1]}"


def connections(service: socket.socket) -> int:
    """Return the number of connections that have come since the last call."""
    service.setblocking(False)
    count = 0
    with suppress(BlockingIOError):
        while True:
            service.accept()[0].detach()  # it stays open
            count += 1
    return count


@pytest_asyncio.fixture
async def calling(
    settings: Settings,
    at_once: None,
    time: ManualTime,
    endpoint: PushEndpoint,
    silent: list[socket.socket],
    monkeypatch: pytest.MonkeyPatch,
) -> AsyncIterator[OpenHall]:
    """Open a hall that may send to the push services on loopback, and does so at once."""
    monkeypatch.setattr(module, "PAUSE", timedelta())
    services = (endpoint.url, *map(url_of, silent))
    async with open_hall(replace(settings, push_services=services, public_url="https://hall.example.org"), time=time) as opened:
        opened.hall.notifications.check_with("invitation", always)
        yield opened


async def always(_note: Notification, _guest: str) -> bool:
    """Say that a notification is true. What makes an invitation true has separate tests."""
    return True


async def subscribe(person: Person, endpoint: PushEndpoint, name: str = "laptop", **more: str) -> str:
    answer = await person.http.post(DEVICES, json=endpoint.subscription(name) | more)
    assert answer.status_code == 201, answer.text
    return str(answer.json()["id"])


def tell(hall: OpenHall, note: Notification, *guests: str, **more: Any) -> None:
    def work(connection: Connection) -> None:
        notify(connection, note, guests, **more)

    hall.store.transact(work)
    hall.hall.scheduler.wake()


async def received(endpoint: PushEndpoint) -> Received:
    return await asyncio.to_thread(endpoint.messages.get, timeout=PATIENCE)


def waiting(hall: OpenHall) -> list[Any]:
    def read(connection: Connection) -> list[Any]:
        return list(connection.execute(select(schema.jobs).where(schema.jobs.c.kind == "push")).all())

    return hall.store.transact(read)


async def done(hall: OpenHall) -> None:
    """Wait until no push message waits."""
    await until(lambda: not waiting(hall))


async def tried(hall: OpenHall, times: int) -> Any:
    """Wait until a push message was tried so often and waits for the next try. Return its job."""
    await until(lambda: [job.payload.get("tries") for job in waiting(hall)] == [times])
    (job,) = waiting(hall)
    return job


def subscriptions(hall: OpenHall) -> list[Any]:
    return hall.store.transact(
        lambda connection: list(connection.execute(select(schema.push_subscriptions).order_by(schema.push_subscriptions.c.id)))
    )


def turn_of(room: Room) -> tuple[str, Notification]:
    """Return the guest whose turn it is, and the notification of it."""
    match = room.match
    assert match is not None
    assert match.actor is not None
    return min(room.table.seats[match.actor].guests), Notification("turn", room.table.id, match.next_number)


async def choose(person: Person, **form: str) -> None:
    assert (await person.post("/settings", {"volume": "60", **form})).status_code == 303


# ------------------------------------------------------------------------------------------------------------------- messages


async def test_a_turn_arrives_encrypted_and_signed_with_the_key_of_the_hall(calling: OpenHall, endpoint: PushEndpoint) -> None:
    host, friend, room = await calling.two_at()
    for person in (host, friend):
        await person.post("/settings", {"language": "en"})
    guest, note = turn_of(room)
    owner = host if guest in room.table.seats[0].guests else friend
    await subscribe(owner, endpoint)
    tell(calling, replace(note, until=calling.time.now() + timedelta(hours=2)), guest)
    message = await received(endpoint)
    assert message.text["title"] == "It is your turn"
    other = room.table.seats[1 - (room.table.seat_of(guest) or 0)].name
    assert message.text["body"] == f"Axes and Allies with {other}"
    assert message.text["url"] == f"/tables/{room.table.id}"
    assert message.key == (await host.get("/settings/notifications/key")).json()["key"]
    assert 7000 < int(message.headers["TTL"]) <= 7200
    assert 0 < len(message.headers["Topic"]) <= 32
    assert message.claims["exp"] - Time().now().timestamp() < 24 * 3600
    await done(calling)
    assert len(endpoint.seen) == 1


async def test_a_message_has_nothing_that_a_rival_may_not_know(calling: OpenHall, endpoint: PushEndpoint) -> None:
    _host, _friend, room = await calling.two_at()
    guest, note = turn_of(room)
    owner = _host if guest in room.table.seats[0].guests else _friend
    await subscribe(owner, endpoint)
    tell(calling, note, guest)
    text = (await received(endpoint)).text
    assert set(text) == {"id", "tag", "title", "body", "url", "language"}
    assert guest not in str(text)
    assert room.table.seed.hex() not in str(text)


async def test_texts_are_in_the_language_of_the_guest(calling: OpenHall, endpoint: PushEndpoint) -> None:
    host, friend, room = await calling.two_at()
    guest, note = turn_of(room)
    owner = host if guest in room.table.seats[0].guests else friend
    await owner.post("/settings", {"language": "de"})
    await subscribe(owner, endpoint)
    tell(calling, note, guest)
    message = await received(endpoint)
    assert message.text["title"] == "Du bist am Zug"
    assert message.text["language"] == "de"


async def test_every_device_of_a_guest_gets_the_message(calling: OpenHall, endpoint: PushEndpoint) -> None:
    host, _friend, room = await calling.two_at()
    guest = min(room.table.seats[0].guests)
    for name in ("laptop", "phone"):
        await subscribe(host, endpoint, name)
    tell(calling, Notification("invitation", room.table.id, sender="Björn"), guest)
    messages = [await received(endpoint) for _ in range(2)]
    assert {message.path for message in messages} == {"/laptop", "/phone"}
    assert {message.text["title"] for message in messages} == {"Björn invites you to a table"}


async def test_a_turn_that_is_over_is_not_told(calling: OpenHall, endpoint: PushEndpoint) -> None:
    host, friend, room = await calling.two_at()
    guest, note = turn_of(room)
    owner = host if guest in room.table.seats[0].guests else friend
    await subscribe(owner, endpoint)
    tell(calling, replace(note, number=note.number + 1), guest)
    await done(calling)
    assert endpoint.seen == []


async def test_a_guest_who_looks_at_the_table_is_told_when_they_have_left(calling: OpenHall, endpoint: PushEndpoint) -> None:
    host, friend, room = await calling.two_at()
    guest, note = turn_of(room)
    owner = host if guest in room.table.seats[0].guests else friend
    await subscribe(owner, endpoint)
    async with stream(owner, f"/tables/{room.table.id}/stream") as page:
        await page.message()
        tell(calling, note, guest)
        await calling.time.advance(90)
        assert endpoint.seen == []
        assert len(waiting(calling)) == 1
    await calling.time.advance(60)
    assert (await received(endpoint)).text["title"] == "It is your turn"


async def test_a_kind_of_event_that_the_guest_does_not_want_is_not_told(calling: OpenHall, endpoint: PushEndpoint) -> None:
    host, friend, room = await calling.two_at()
    guest, note = turn_of(room)
    owner = host if guest in room.table.seats[0].guests else friend
    await subscribe(owner, endpoint)
    await choose(owner, **{"push-invitation": "yes"})
    tell(calling, note, guest)
    await done(calling)
    assert endpoint.seen == []
    tell(calling, Notification("invitation", room.table.id, sender="Ivar"), guest)
    assert (await received(endpoint)).text["title"] == "Ivar invites you to a table"


async def test_a_later_message_of_the_same_kind_takes_the_place_of_one_that_waits(
    calling: OpenHall, endpoint: PushEndpoint
) -> None:
    host, _friend, room = await calling.two_at()
    guest = min(room.table.seats[0].guests)
    await subscribe(host, endpoint)
    later = calling.time.now() + timedelta(seconds=1)
    for sender in ("Ada", "Bo"):
        tell(calling, Notification("invitation", room.table.id, sender=sender), guest, at=later)
    await calling.time.advance(1.0)
    assert (await received(endpoint)).text["title"] == "Bo invites you to a table"
    await done(calling)
    assert len(endpoint.seen) == 1


async def test_a_message_that_is_too_late_is_not_sent(calling: OpenHall, endpoint: PushEndpoint) -> None:
    host, _friend, room = await calling.two_at()
    await subscribe(host, endpoint)
    past = calling.time.now() - timedelta(seconds=1)
    tell(calling, Notification("invitation", room.table.id, sender="Bo", until=past), min(room.table.seats[0].guests))
    await done(calling)
    assert endpoint.seen == []


async def test_guests_without_devices_cause_no_jobs(calling: OpenHall) -> None:
    _host, _friend, room = await calling.two_at()
    guest, note = turn_of(room)
    tell(calling, note, guest)
    assert waiting(calling) == []


# ---------------------------------------------------------------------------------------------------- answers of push services


@pytest.mark.parametrize("status", [404, 410])
async def test_a_device_that_is_gone_is_forgotten(calling: OpenHall, endpoint: PushEndpoint, status: int) -> None:
    host, _friend, room = await calling.two_at()
    await subscribe(host, endpoint)
    endpoint.answers.append((status, {}))
    tell(calling, Notification("invitation", room.table.id, sender="Bo"), min(room.table.seats[0].guests))
    await done(calling)
    assert subscriptions(calling) == []
    assert endpoint.seen == [("/laptop", status)]


@pytest.mark.parametrize("status", [429, 500, 503])
async def test_a_push_service_that_is_busy_is_asked_again(calling: OpenHall, endpoint: PushEndpoint, status: int) -> None:
    host, _friend, room = await calling.two_at()
    await subscribe(host, endpoint)
    endpoint.answers += [(status, {}), (status, {})]
    tell(calling, Notification("invitation", room.table.id, sender="Bo"), min(room.table.seats[0].guests))
    for times in (1, 2):
        job = await tried(calling, times)
        await calling.time.advance((job.due_at.replace(tzinfo=UTC) - calling.time.now()).total_seconds())
    await done(calling)
    assert [answer for _, answer in endpoint.seen] == [status, status, 201]
    assert len(subscriptions(calling)) == 1


async def test_a_push_service_says_when_to_ask_again(calling: OpenHall, endpoint: PushEndpoint) -> None:
    host, _friend, room = await calling.two_at()
    await subscribe(host, endpoint)
    endpoint.answers.append((429, {"Retry-After": "600"}))
    tell(calling, Notification("invitation", room.table.id, sender="Bo"), min(room.table.seats[0].guests))
    job = await tried(calling, 1)
    assert job.due_at.replace(tzinfo=UTC) - calling.time.now() == timedelta(seconds=600)


async def test_a_refused_message_is_not_sent_again_and_the_reason_is_told(
    calling: OpenHall, endpoint: PushEndpoint, caplog: pytest.LogCaptureFixture
) -> None:
    host, _friend, room = await calling.two_at()
    await subscribe(host, endpoint)
    endpoint.answers.append((413, {}))
    endpoint.reason = "<b>too\nlarge</b>" + "!" * 1000
    with caplog.at_level("WARNING"):
        tell(calling, note := Notification("invitation", room.table.id, sender="Bo"), min(room.table.seats[0].guests))
        await done(calling)
    assert endpoint.seen == [("/laptop", 413)]
    told = "Its push service has refused the last message: 413 &lt;b&gt;too large&lt;/b&gt;!!!"
    assert any("127.0.0.1 has refused a message: 413 <b>too large</b>!" in line.getMessage() for line in caplog.records)
    assert told in (await host.get("/settings")).text
    await subscribe(host, endpoint)
    assert told in (await host.get("/settings")).text, "a browser subscribes again every day"
    tell(calling, note, min(room.table.seats[0].guests))
    await received(endpoint)
    await done(calling)
    assert told not in (await host.get("/settings")).text


async def strangers(hall: OpenHall, endpoint: PushEndpoint, services: list[socket.socket], count: int) -> list[str]:
    """Store guests with a device each, at the addresses of these push services in turn."""
    keys = endpoint.subscription()["keys"]
    guests = [Guest(f"stranger{k}", "Stranger") for k in range(count)]
    for k, guest in enumerate(guests):
        hall.store.save_guest(guest)
        url = f"{url_of(services[k % len(services)])}/{k}"
        await hall.hall.notifications.subscribe(guest, f"10.9.{k}.1", url, keys["p256dh"], keys["auth"], "phone", "")
    return [guest.id for guest in guests]


async def test_a_silent_push_service_delays_only_its_own_messages(
    calling: OpenHall, endpoint: PushEndpoint, silent: list[socket.socket]
) -> None:
    host, _friend, room = await calling.two_at()
    await subscribe(host, endpoint)
    note = Notification("invitation", room.table.id, sender="Bo")
    tell(calling, note, *await strangers(calling, endpoint, silent[:1], 20))
    await until(lambda: len(calling.hall.scheduler.running) == 1)
    tell(calling, note, min(room.table.seats[0].guests))
    await received(endpoint)
    assert connections(silent[0]) == 1, "one at a time for a host"

    await host.http.post(DEVICES, json=endpoint.subscription() | {"endpoint": f"{url_of(silent[1])}/x"})
    for kind in ("invitation", "proposal"):
        tell(calling, Notification(kind, room.table.id), min(room.table.seats[0].guests))
    await until(lambda: len(calling.hall.scheduler.running) == 2)
    await settled()
    assert len(calling.hall.scheduler.running) == 2, "one at a time for a guest"


async def test_many_silent_push_services_leave_room_for_those_that_answer(
    calling: OpenHall, endpoint: PushEndpoint, silent: list[socket.socket]
) -> None:
    host, _friend, room = await calling.two_at()
    await subscribe(host, endpoint)
    note, guest = Notification("invitation", room.table.id, sender="Bo"), min(room.table.seats[0].guests)
    tell(calling, note, guest)
    await received(endpoint)
    await done(calling)
    tell(calling, note, *await strangers(calling, endpoint, silent, 12))
    await until(lambda: len(calling.hall.scheduler.running) == 4)
    tell(calling, note, guest)
    await received(endpoint)
    assert len(calling.hall.scheduler.running) <= 5


async def test_a_push_service_that_does_not_answer_is_left_alone_for_a_while(
    calling: OpenHall, endpoint: PushEndpoint, silent: list[socket.socket], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(push_service, "_TIMEOUT", 0.1)
    _host, _friend, room = await calling.two_at()
    guests = await strangers(calling, endpoint, silent[:1], 8)
    tell(calling, Notification("invitation", room.table.id, sender="Bo"), *guests)
    for pause in (15, 30):
        await until(lambda: all(job.due_at.replace(tzinfo=UTC) > calling.time.now() for job in waiting(calling)))
        assert connections(silent[0]) == 1
        assert len(waiting(calling)) == len(guests), "none is lost"
        await calling.time.advance(pause)


async def test_addresses_have_limits_for_a_day(
    calling: OpenHall, endpoint: PushEndpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    day = timedelta(seconds=60)  # a whole day has 86,400 beats of the hall's pulse
    monkeypatch.setattr(attempts, "FORGOTTEN_AFTER", day)
    monkeypatch.setattr(module, "_NEW_DEVICES", replace(module._NEW_DEVICES, free=2, first=day))
    monkeypatch.setattr(module, "_MESSAGES", replace(module._MESSAGES, free=1, first=day))
    host, _friend, room = await calling.two_at()
    note, guest = Notification("invitation", room.table.id, sender="Bo"), min(room.table.seats[0].guests)
    for name in ("laptop", "phone", "phone", "laptop"):
        await subscribe(host, endpoint, name)
    refused = await calling.person().http.post(DEVICES, json=endpoint.subscription("third"))
    assert refused.status_code == 429
    for _ in range(2):
        tell(calling, note, guest)
        await done(calling)
    assert sorted(path for path, _ in endpoint.seen) == ["/laptop", "/phone"]
    await calling.time.advance(60)
    await subscribe(host, endpoint, "third")
    tell(calling, note, guest)
    await done(calling)
    assert len(endpoint.seen) == 5


async def test_a_redirect_is_not_followed(calling: OpenHall, endpoint: PushEndpoint) -> None:
    host, _friend, room = await calling.two_at()
    await subscribe(host, endpoint)
    endpoint.answers.append((307, {"Location": f"{endpoint.url}/secret"}))
    tell(calling, Notification("invitation", room.table.id, sender="Bo"), min(room.table.seats[0].guests))
    await done(calling)
    assert endpoint.seen == [("/laptop", 307)]


async def test_messages_wait_over_a_restart(settings: Settings, at_once: None, endpoint: PushEndpoint) -> None:
    settings = replace(settings, push_services=(endpoint.url,))
    async with open_hall(settings) as hall:
        host, _friend, room = await hall.two_at()
        await subscribe(host, endpoint)
        guest = min(room.table.seats[0].guests)
        tell(hall, Notification("invitation", room.table.id, sender="Bo"), guest, at=Time().now() + timedelta(seconds=1))
    async with open_hall(settings) as hall:
        hall.hall.notifications.check_with("invitation", always)
        assert (await received(endpoint)).text["title"] == "Bo invites you to a table"
        await done(hall)
    assert len(endpoint.seen) == 1


# -------------------------------------------------------------------------------------------------------------------- devices


async def test_a_browser_belongs_to_the_guest_who_subscribed_it_last(calling: OpenHall, endpoint: PushEndpoint) -> None:
    ada, bo = calling.person(), calling.person("10.0.0.2")
    assert await subscribe(ada, endpoint) != await subscribe(bo, endpoint)
    (row,) = subscriptions(calling)
    assert "laptop" not in (await ada.get("/settings")).text
    assert row.endpoint.endswith("/laptop")


async def test_a_renewed_subscription_takes_the_place_of_the_old_one(calling: OpenHall, endpoint: PushEndpoint) -> None:
    ada = calling.person()
    await subscribe(ada, endpoint)
    await subscribe(ada, endpoint, "laptop-2", old=f"{endpoint.url}/laptop")
    (row,) = subscriptions(calling)
    assert row.endpoint.endswith("/laptop-2")


@pytest.mark.parametrize("name", ["laptop", "laptop-2"])
async def test_a_message_that_waits_arrives_after_the_browser_has_subscribed_again(
    calling: OpenHall, endpoint: PushEndpoint, name: str
) -> None:
    """Browsers do so every day, and a message may wait for days: the time of a slow match is short at its end."""
    host, _friend, room = await calling.two_at()
    id = await subscribe(host, endpoint)
    guest = min(room.table.seats[0].guests)
    due = calling.time.now() + timedelta(seconds=1)
    tell(calling, Notification("invitation", room.table.id, sender="Bo"), guest, at=due)
    assert await subscribe(host, endpoint, name, old=f"{endpoint.url}/laptop") == id
    await calling.time.advance(1.0)
    await received(endpoint)
    await done(calling)
    assert endpoint.seen == [(f"/{name}", 201)]


async def test_a_guest_has_at_most_ten_devices(calling: OpenHall, endpoint: PushEndpoint) -> None:
    ada = calling.person()
    for number in range(12):
        await subscribe(ada, endpoint, f"device-{number}")
        await calling.time.advance(1.0)
    names = {row.endpoint.rpartition("/")[2] for row in subscriptions(calling)}
    assert names == {f"device-{number}" for number in range(2, 12)}


async def test_only_its_owner_removes_a_device(calling: OpenHall, endpoint: PushEndpoint) -> None:
    ada, bo = calling.person(), calling.person("10.0.0.2")
    id = await subscribe(ada, endpoint)
    assert (await bo.post(f"{DEVICES}/{id}/remove")).status_code == 404
    assert len(subscriptions(calling)) == 1
    assert (await ada.post(f"{DEVICES}/{id}/remove")).status_code == 303
    assert subscriptions(calling) == []


def calls(hall: OpenHall) -> dict[str, str]:
    """Return the id of each subscription by the last part of its address."""
    return {row.endpoint.rpartition("/")[2]: row.id for row in subscriptions(hall)}


@pytest.mark.parametrize("way", ["itself", "one", "others", "all", "password"])
async def test_push_messages_end_with_the_session_of_their_device(calling: OpenHall, endpoint: PushEndpoint, way: str) -> None:
    laptop, phone = calling.person(), calling.person("10.0.0.2")
    assert (await laptop.post("/account/new", {"name": "Sigrid", "password": PASSWORD})).status_code == 200
    assert (await phone.post("/sign-in", {"name": "Sigrid", "password": PASSWORD})).status_code == 303
    await subscribe(laptop, endpoint)
    await subscribe(phone, endpoint, "phone")
    table = await phone.open()
    guest = min((await calling.room(table)).table.seats[0].guests)
    page = (await laptop.get("/account")).text
    assert page.count("push messages</span>") == 2
    other = re.findall(r'this device|name="end" value="([^"]{12})"', page)[-1]
    later = calling.time.now() + timedelta(seconds=1)
    tell(calling, Notification("invitation", table, sender="Bo"), guest, at=later)
    if way == "itself":
        await phone.post("/sign-out")
    elif way == "password":
        await laptop.post("/account/password", {"password": "staple of the northern sea"})
    else:
        await laptop.post("/account/sessions", {"end": other if way == "one" else way})
    assert set(calls(calling)) == ({"laptop"} if way != "all" else set())
    await calling.time.advance(1.0)
    await done(calling)
    assert [path for path, _ in endpoint.seen] == ([] if way == "all" else ["/laptop"]), "the message that waited, too"


async def test_push_messages_of_a_browser_go_along_with_its_guest_and_those_of_other_browsers_end(
    calling: OpenHall, endpoint: PushEndpoint
) -> None:
    laptop, phone, tablet = (calling.person(f"10.0.0.{k}") for k in (1, 2, 3))
    ids = {"laptop": await subscribe(laptop, endpoint)}
    await phone.post((await laptop.ask("/identity")).json()["url"])
    await subscribe(phone, endpoint, "phone")
    assert set(calls(calling)) == {"laptop", "phone"}, "both are the same guest"
    assert (await laptop.get("/settings")).text.count("this device</span>") == 1
    await laptop.post("/account/new", {"name": "Sigrid", "password": PASSWORD})
    assert calls(calling) == ids, "the cookie of the other one is worth nothing"

    ids["tablet"] = await subscribe(tablet, endpoint, "tablet")
    await phone.post((await tablet.ask("/identity")).json()["url"])
    await subscribe(phone, endpoint, "phone")
    form = {"name": "Sigrid", "password": PASSWORD}
    await tablet.post("/sign-in", form | {"take_along": "on"})
    assert calls(calling) == ids
    await tablet.post("/sign-in", form)
    assert calls(calling) == ids, "signed in again"

    await subscribe(guest := calling.person("10.0.0.4"), endpoint, "guest")
    async with stream(guest, "/quick/stream") as page:
        await page.message()
        await guest.post("/sign-in", form)
        assert await page.message() is None, "streams of the guest end, too"
    assert calls(calling) == ids, "the browser belongs to another person now"
    await laptop.post("/account/delete", {"sure": "on"})
    assert calls(calling) == {}


async def test_a_link_to_another_device_ends_with_the_session_that_has_made_it(calling: OpenHall) -> None:
    laptop, phone, guest = (calling.person(f"10.0.0.{k}") for k in (1, 2, 3))
    form = {"name": "Sigrid", "password": PASSWORD}
    await laptop.post("/account/new", form)
    await phone.post("/sign-in", form)
    link = (await phone.ask("/identity")).json()["url"]
    assert (await guest.get(link)).status_code == 200
    await phone.post("/sign-out")
    assert (await guest.get(link)).status_code == 404
    link = (await guest.ask("/identity")).json()["url"]
    assert (await phone.get(link)).status_code == 200
    await guest.post("/sign-in", form)
    assert (await phone.get(link)).status_code == 404, "the guest that this browser was"


@pytest.mark.parametrize(
    "address",
    [
        "http://push.example.org/x",
        "https://127.0.0.1/x",
        "https://10.0.0.3/x",
        "https://169.254.169.254/latest",
        "https://[::1]/x",
        "https://[::ffff:10.0.0.1]/x",
        "https://[64:ff9b::10.0.0.1]/x",
        "https://[64:ff9b:1::127.0.0.1]/x",
        "https://[::127.0.0.1]/x",
        "https://8.8.8.8/x",
        "https://0x7f.0x1/x",
        "https://xn--.com/",
        "https://xn--a.example.org/",
        "https://a\\.b/",
        "https://%31.example.org/",
        "https://push..example.org/",
        "https://-push.example.org/",
        "https://push.example.org./",
        "https://[::1/x",
        "https://2130706433/x",
        "https://0x7f.1/x",
        "https://localhost/x",
        "https://push.example.org:8443/x",
        "https://user:password@push.example.org/x",
        "https://push.example.org/" + "x" * 1000,
        "https://push.example.org/a b",
        "file:///etc/passwd",
        "",
    ],
)
async def test_an_address_that_is_no_public_push_service_is_refused(
    calling: OpenHall, endpoint: PushEndpoint, address: str
) -> None:
    person = calling.person(Accept="application/json")
    answer = await person.http.post(DEVICES, json=endpoint.subscription() | {"endpoint": address})
    assert answer.status_code == 400
    assert answer.json()["error"] == "bad-push-subscription"
    assert subscriptions(calling) == []


async def test_names_of_push_services_are_accepted() -> None:
    services = PushServices([], "https://hall.example.org", ManualTime())
    for host in (
        "fcm.googleapis.com",
        "wns2-am3p.notify.windows.com",
        "PUSH.Example.org:443",
        "push.xn--fa-hia.de",
        "a.xn--p1ai",
    ):
        services.check(f"https://{host}/wpush/v2/gAAA-_%20?x=1")


async def test_only_addresses_of_the_public_internet_are_public() -> None:
    private = (
        "127.0.0.1 10.1.2.3 100.64.0.1 169.254.169.254 224.0.0.1 255.255.255.255 0.0.0.0 :: ::1 ::127.0.0.1 ::ffff:127.0.0.1 "
        "::ffff:0:127.0.0.1 64:ff9b::10.0.0.1 64:ff9b:1::127.0.0.1 64:ff9b:1::8.8.8.8 2002:7f00:1:: 2001:db8::1 3fff::1 5f00::1 "
        "100::1 fc00::1 fe80::1%eth0 ff02::1"
    ).split()
    assert [address for address in private if is_public(address)] == []
    public = ("8.8.8.8", "2a00:1450:4001:80e::200a", "64:ff9b::8.8.8.8", "::ffff:8.8.8.8", "2002:808:808::")
    assert all(map(is_public, public))


@pytest.mark.parametrize("url", ["", "http://hall.example.org", "https://192.168.1.5", "https://localhost/hall"])
async def test_push_messages_are_offered_only_in_a_hall_with_a_public_address(
    settings: Settings, at_once: None, endpoint: PushEndpoint, url: str
) -> None:
    (finding,) = check_push(url)
    assert (finding.check, finding.status) == ("push", "warning" if url else "ok")
    assert "no push messages are offered" in finding.text
    services = PushServices([endpoint.url], url, ManualTime())
    services.check(f"{endpoint.url}/x")
    with pytest.raises(BadPushSubscription, match="public https://"):
        services.check("https://push.example.org/x")
    assert services.is_offered, "the host's services"
    assert not PushServices([], url, ManualTime()).is_offered
    if not url:
        async with open_hall(settings) as hall:
            page = (await hall.person().get("/settings")).text
            assert "This hall sends no push messages" in page
            assert "Open page: 0" in page
            assert "Push message: 0" not in page
            assert "Push message: 4" not in page


async def test_the_public_address_of_the_hall_is_its_contact(calling: OpenHall, endpoint: PushEndpoint) -> None:
    (finding,) = check_push("https://hall.example.org/meadhall")
    assert "contact https://hall.example.org" in finding.text
    host, _friend, room = await calling.two_at()
    assert "This hall sends no push messages" not in (await host.get("/settings")).text
    await subscribe(host, endpoint)
    tell(calling, Notification("invitation", room.table.id, sender="Bo"), min(room.table.seats[0].guests))
    assert (await received(endpoint)).claims["sub"] == "https://hall.example.org"


@pytest.mark.parametrize("keys", [{"p256dh": "AAAA", "auth": "x" * 22}, {"p256dh": "", "auth": ""}])
async def test_malformed_keys_are_refused(calling: OpenHall, endpoint: PushEndpoint, keys: dict[str, str]) -> None:
    answer = await calling.person().http.post(DEVICES, json={"endpoint": "https://push.example.org/x", "keys": keys})
    assert answer.status_code == 400


async def test_another_site_can_not_subscribe_a_browser(calling: OpenHall, endpoint: PushEndpoint) -> None:
    person = calling.person(**{"Sec-Fetch-Site": "cross-site"})
    assert (await person.http.post(DEVICES, json=endpoint.subscription())).status_code == 403


async def test_a_name_that_leads_into_a_private_network_is_not_connected(
    calling: OpenHall, endpoint: PushEndpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The name looks public when the browser subscribes, and is resolved when the message is sent (DNS rebinding)."""
    asked = []
    connected: list[object] = []

    def note(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connected.append(writer)
        writer.close()

    private = await asyncio.start_server(note, "127.0.0.1", 0)
    open_port = private.sockets[0].getsockname()[1]

    def resolve(host: str, *_: Any) -> list[Any]:
        asked.append(host)
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", open_port))]

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    host, _friend, room = await calling.two_at()
    await host.http.post(DEVICES, json=endpoint.subscription() | {"endpoint": "https://push.example.org/x"})
    tell(calling, Notification("invitation", room.table.id, sender="Bo"), min(room.table.seats[0].guests))
    await tried(calling, 1)
    private.close()
    assert connected == []
    assert endpoint.seen == []
    assert set(asked) == {"push.example.org"}


async def test_the_setting_names_origins(settings: Settings) -> None:
    read = partial(Settings.from_environment)
    assert read({"MEADHALL_PUSH_SERVICES": "http://10.0.0.3:8030, https://push.example.org/"}).push_services == (
        "http://10.0.0.3:8030",
        "https://push.example.org",
    )
    for wrong in ("10.0.0.3", "https://push.example.org/path", "ftp://x", "http://a:b@c"):
        with pytest.raises(BadSetting):
            read({"MEADHALL_PUSH_SERVICES": wrong})
    with pytest.raises(BadPushSubscription):
        PushServices(("http://10.0.0.3:8030",), "", Time()).check("http://10.0.0.3:8031/x")


# ----------------------------------------------------------------------------------------------------------------------- keys


async def test_keys_are_made_at_the_first_start_and_a_replaced_one_is_used_for_its_subscriptions(
    calling: OpenHall, endpoint: PushEndpoint
) -> None:
    host, _friend, room = await calling.two_at()
    await subscribe(host, endpoint)
    first = await calling.hall.notifications.key()
    calling.store.rotate_secret("push", calling.time.now() + timedelta(days=1))
    second = await calling.hall.notifications.key()
    assert first != second
    note = Notification("invitation", room.table.id, sender="Bo")
    tell(calling, note, min(room.table.seats[0].guests))
    assert (await received(endpoint)).key == first
    calling.store.rotate_secret("push", None)
    await done(calling)
    tell(calling, note, min(room.table.seats[0].guests))
    await done(calling)
    assert len(endpoint.seen) == 1
    assert subscriptions(calling) == []


async def test_every_secret_is_a_private_key() -> None:
    for secret in ("00" * 32, "ff" * 32, "0" * 63 + "1"):
        assert len(public_key(secret)) == 87


# -------------------------------------------------------------------------------------------------------------------- choices


async def test_everything_is_quiet_until_chosen_and_devices_get_what_matters() -> None:
    choices = NotificationChoices.of(Guest("x", "Ada"))
    assert choices.kinds("sound") == choices.kinds("notice") == ()
    assert choices.kinds("push") == ("turn", "short", "proposal", "invitation")


async def test_choices_are_stored_and_shown_without_javascript(calling: OpenHall) -> None:
    person = calling.person()
    await choose(person, **{"sound-turn": "yes", "push-short": "yes", "sound-nonsense": "yes", "volume": "35"})
    page = (await person.get("/settings")).text
    checked = [name.split('"')[0] for name in page.split('<input type="checkbox" name="')[1:] if " checked" in name.split(">")[0]]
    assert checked == ["sound-turn", "push-short"]
    assert 'value="35"' in page
    assert 'data-sounds="turn"' in (await person.get("/")).text


@pytest.mark.parametrize(
    ("agent", "name"),
    [
        (
            "Mozilla/5.0 (Linux; Android 14) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0 Mobile Safari/537.36",
            "Chrome on Android",
        ),
        ("curl/8", "A device"),
    ],
)
async def test_a_device_is_named_after_browser_and_system(
    calling: OpenHall, endpoint: PushEndpoint, agent: str, name: str
) -> None:
    ada = calling.person(**{"User-Agent": agent})
    await subscribe(ada, endpoint)
    (row,) = subscriptions(calling)
    assert row.device == name


# ----------------------------------------------------------------------------------------------------------- an installed app


async def test_the_manifest_names_its_place_and_icons_of_every_shape(calling: OpenHall) -> None:
    person = calling.person()
    manifest = (await person.get("/manifest.webmanifest?language=de")).json()
    assert manifest["id"] == manifest["start_url"] == manifest["scope"] == "/"
    assert manifest["lang"] == "de"
    shapes = {(icon["sizes"], icon.get("purpose", "any")) for icon in manifest["icons"]}
    assert {("192x192", "any"), ("512x512", "any"), ("192x192", "maskable"), ("512x512", "maskable")} <= shapes
    for icon in manifest["icons"]:
        assert (await person.get(icon["src"])).status_code == 200


async def test_the_service_worker_keeps_only_the_offline_page_and_its_files(calling: OpenHall) -> None:
    person = calling.person()
    answer = await person.get("/service-worker.js")
    assert answer.headers["cache-control"] == "no-cache"
    assert answer.headers["content-type"].startswith("text/javascript")
    page = (await person.get("/offline")).text
    used = [part.split('"')[0].replace("&amp;", "&") for part in page.replace("src=", "href=").split('href="')[1:]]
    for url in used:
        assert url == "/" or f'"{url}"' in answer.text
    for url in set(used):
        assert (await person.get(url)).status_code == 200


async def test_a_proposal_calls_those_who_are_asked_until_they_have_answered(calling: OpenHall, endpoint: PushEndpoint) -> None:
    host, friend, room = await calling.two_at()
    await friend.post("/settings", {"language": "en"})
    await subscribe(friend, endpoint)
    assert (await host.ask(f"/tables/{room.table.id}/propose", {"what": "draw"})).status_code == 200
    message = await received(endpoint)
    assert message.text["title"] == f"{room.table.seats[0].name} proposes something"
    assert message.text["url"] == f"/tables/{room.table.id}"
    proposal = room.consent.proposals.open
    assert proposal is not None
    (guest,) = room.table.seats[1].guests
    assert room.consent.waits_for(guest, proposal.entry)
    await friend.ask(f"/tables/{room.table.id}/vote", {"proposal": str(proposal.number), "answer": "decline"})
    assert not room.consent.waits_for(guest, proposal.entry)


async def test_players_of_a_slow_table_are_asked_whether_to_be_called(calling: OpenHall) -> None:
    host, friend, watcher = calling.person(), calling.person(), calling.person()
    table = f"/tables/{await host.open(players=2)}"

    async def asks(person: Person) -> bool:
        return 'id="push-ask"' in (await person.get(table)).text

    assert not await asks(host), "without a clock"
    await host.post(f"{table}/clock", {"clock": "decision:60", "was": "none"})
    assert not await asks(host), "a live clock"
    await host.post(f"{table}/clock", {"clock": "slow:86400", "was": "decision:60"})
    await friend.ask(f"{table}/seats", {"seat": "1", "set": "sit"})
    assert [await asks(person) for person in (host, friend, watcher)] == [True, True, False]
    await choose(friend, **{"push-end": "yes"})
    assert not await asks(friend), "they want no messages about their turn"
    await host.ask(f"{table}/start")
    assert [await asks(person) for person in (host, friend, watcher)] == [True, False, False]


async def test_all_settings_are_saved_by_one_form(calling: OpenHall) -> None:
    person = calling.person()
    page = (await person.get("/settings")).text
    (form,) = re.findall(r'(?s)<form method="post" action="/settings".*?</form>', page)
    assert page.count("</svg>Save") == form.count("</svg>Save") == 1
    fields = set(re.findall(r' name="([a-z-]+)"', form))
    assert {"name", "language", "theme", "motion", "confirm", "push-turn", "sound-end", "volume"} <= fields
    await person.post("/settings", {"name": "Gudrun", "theme": "dark", "volume": "35", "sound-end": "yes"})
    saved = (await person.get("/settings")).text
    assert re.findall(r'name="((?:sound|notice|push)-[a-z]+)" value="yes" checked', saved) == ["sound-end"]
    assert 'value="Gudrun"' in saved
    assert 'value="35"' in saved
    assert "Your settings are saved." in saved
    await person.post("/settings", {"language": "de"})  # a form with a part of them leaves the rest alone
    assert 'name="sound-end" value="yes" checked' in (await person.get("/settings")).text
