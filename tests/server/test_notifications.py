"""Push messages: who gets which, when, once, and to which addresses; and what a guest chooses."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from types import SimpleNamespace
from typing import Any

import pytest
import pytest_asyncio

from meadhall.server.errors import BadPushSubscription
from meadhall.server.hall import notifications as module
from meadhall.server.hall.notifications import Notification, NotificationChoices, notify
from meadhall.server.hall.push_service import Outcome, PushServices, public_key
from meadhall.server.hall.room import Room
from meadhall.server.ops.time import Time
from meadhall.server.settings import BadSetting, Settings
from meadhall.server.store import accounts, guests, jobs
from meadhall.server.store.database import Db
from meadhall.server.store.jobs import Job
from meadhall.server.store.models import Guest
from server.manual_time import ManualTime
from server.people import OpenHall, Person, open_hall, stream
from server.push_endpoint import PATIENCE, PushEndpoint, Received, push_endpoint
from server.rows import stored_jobs
from server.waiting import until

pytestmark = pytest.mark.asyncio

DEVICES = "/settings/notifications/devices"
SILENT = "http://127.0.0.1:9"
"""A push service that doesn't answer: no program listens on the port for discarding (RFC 863)."""

PASSWORD = "correct horse battery"  # noqa: S105


@pytest.fixture
def endpoint() -> Iterator[PushEndpoint]:
    with push_endpoint() as opened:
        yield opened


@pytest_asyncio.fixture
async def calling(
    settings: Settings,
    at_once: None,
    time: ManualTime,
    endpoint: PushEndpoint,
    monkeypatch: pytest.MonkeyPatch,
) -> AsyncIterator[OpenHall]:
    """Open a hall that may send to the push services on loopback, and does so at once."""
    monkeypatch.setattr(module, "PAUSE", timedelta())
    services = (endpoint.url, SILENT)
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
    def work(db: Db) -> None:
        notify(db, note, guests, **more)

    hall.store.transact(work)
    hall.hall.scheduler.wake()


async def received(endpoint: PushEndpoint) -> Received:
    return await asyncio.to_thread(endpoint.messages.get, timeout=PATIENCE)


def waiting(hall: OpenHall) -> list[Any]:
    return stored_jobs(hall.store, kind="push")


async def done(hall: OpenHall) -> None:
    """Wait until no push message waits."""
    await until(lambda: not waiting(hall))


async def tried(hall: OpenHall, times: int) -> Any:
    """Wait until a push message was tried so often and waits for the next try. Return its job."""
    await until(lambda: [job.payload.get("tries") for job in waiting(hall)] == [times])
    (job,) = waiting(hall)
    return job


def subscriptions(hall: OpenHall) -> list[Any]:
    rows = hall.store.transact(lambda db: db.rows("SELECT * FROM push_subscriptions ORDER BY id"))
    return [SimpleNamespace(**dict(row)) for row in rows]


async def at_turn(hall: OpenHall) -> tuple[Person, str, Notification, Room]:
    """Seat two people. Return whose turn it is, their id, its notification, and the room."""
    host, friend, room = await hall.two_at()
    match = room.match
    assert match is not None
    assert match.actor is not None
    guest, note = min(room.table.seats[match.actor].guests), Notification("turn", room.table.id, match.next_number)
    return (host, friend)[match.actor], guest, note, room


async def with_laptop(hall: OpenHall, endpoint: PushEndpoint) -> tuple[Person, Callable[..., None]]:
    """Seat two people, the host with a laptop. Return the host, and a function that invites the host."""
    host, _friend, room = await hall.two_at()
    await subscribe(host, endpoint)

    def invite(sender: str = "Bo", until: datetime | None = None, **more: Any) -> None:
        note = Notification("invitation", room.table.id, sender=sender, until=until)
        tell(hall, note, min(room.table.seats[0].guests), **more)

    return host, invite


async def choose(person: Person, **form: str) -> None:
    assert (await person.post("/settings", {"volume": "60", **form})).status_code == 303


# ------------------------------------------------------------------------------------------------------------------- messages


@pytest.mark.parametrize(("language", "title"), [("en", "It is your turn"), ("de", "Du bist am Zug")])
async def test_a_turn_arrives_encrypted_and_signed_without_what_a_rival_may_not_know(
    calling: OpenHall, endpoint: PushEndpoint, language: str, title: str
) -> None:
    owner, guest, note, room = await at_turn(calling)
    await owner.post("/settings", {"language": language})
    await subscribe(owner, endpoint)
    tell(calling, replace(note, until=calling.time.now() + timedelta(hours=2)), guest)
    message = await received(endpoint)
    text, other = message.text, room.table.seats[1 - (room.table.seat_of(guest) or 0)].name
    assert set(text) == {"id", "tag", "title", "body", "url", "language"}
    assert (text["title"], text["language"], text["url"]) == (title, language, f"/tables/{room.table.id}")
    assert text["body"].startswith("Axes and Allies ")
    assert text["body"].endswith(other)
    assert guest not in str(text)
    assert room.table.seed.hex() not in str(text)
    assert message.key == (await owner.get("/settings/notifications/key")).json()["key"]
    assert 7000 < int(message.headers["TTL"]) <= 7200
    assert 0 < len(message.headers["Topic"]) <= 32
    assert message.claims["sub"] == "https://hall.example.org"
    assert message.claims["exp"] - Time().now().timestamp() < 24 * 3600
    await done(calling)
    assert len(endpoint.seen) == 1


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
    owner, guest, note, _room = await at_turn(calling)
    await subscribe(owner, endpoint)
    tell(calling, replace(note, number=note.number + 1), guest)
    await done(calling)
    assert endpoint.seen == []


async def test_a_guest_who_looks_at_the_table_is_told_when_they_have_left(calling: OpenHall, endpoint: PushEndpoint) -> None:
    owner, guest, note, room = await at_turn(calling)
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
    owner, guest, note, room = await at_turn(calling)
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
    _, invite = await with_laptop(calling, endpoint)
    later = calling.time.now() + timedelta(seconds=1)
    for sender in ("Ada", "Bo"):
        invite(sender, at=later)
    await calling.time.advance(1.0)
    assert (await received(endpoint)).text["title"] == "Bo invites you to a table"
    await done(calling)
    assert len(endpoint.seen) == 1


async def test_a_message_that_is_too_late_is_not_sent(calling: OpenHall, endpoint: PushEndpoint) -> None:
    _, invite = await with_laptop(calling, endpoint)
    invite(until=calling.time.now() - timedelta(seconds=1))
    await done(calling)
    assert endpoint.seen == []


# ---------------------------------------------------------------------------------------------------- answers of push services


@pytest.mark.parametrize("status", [404, 410, 307])
async def test_a_device_that_is_gone_is_forgotten_and_a_redirect_is_not_followed(
    calling: OpenHall, endpoint: PushEndpoint, status: int
) -> None:
    _, invite = await with_laptop(calling, endpoint)
    endpoint.answers.append((status, {"Location": f"{endpoint.url}/secret"}))
    invite()
    await done(calling)
    assert len(subscriptions(calling)) == (status == 307)
    assert endpoint.seen == [("/laptop", status)]


@pytest.mark.parametrize("status", [429, 500, 503])
async def test_a_push_service_that_is_busy_is_asked_again(calling: OpenHall, endpoint: PushEndpoint, status: int) -> None:
    _, invite = await with_laptop(calling, endpoint)
    endpoint.answers += [(status, {}), (status, {})]
    invite()
    for times in (1, 2):
        job = await tried(calling, times)
        await calling.time.advance((job.due_at.replace(tzinfo=UTC) - calling.time.now()).total_seconds())
    await done(calling)
    assert [answer for _, answer in endpoint.seen] == [status, status, 201]
    assert len(subscriptions(calling)) == 1


async def test_a_push_service_says_when_to_ask_again(calling: OpenHall, endpoint: PushEndpoint) -> None:
    _, invite = await with_laptop(calling, endpoint)
    endpoint.answers.append((429, {"Retry-After": "600"}))
    invite()
    job = await tried(calling, 1)
    assert job.due_at.replace(tzinfo=UTC) - calling.time.now() == timedelta(seconds=600)


async def test_a_refused_message_is_not_sent_again_and_the_reason_is_told(
    calling: OpenHall, endpoint: PushEndpoint, caplog: pytest.LogCaptureFixture
) -> None:
    host, invite = await with_laptop(calling, endpoint)
    endpoint.answers.append((413, {}))
    endpoint.reason = "<b>too\nlarge</b>" + "!" * 1000
    with caplog.at_level("WARNING"):
        invite()
        await done(calling)
    assert endpoint.seen == [("/laptop", 413)]
    told = "Its push service has refused the last message: 413 &lt;b&gt;too large&lt;/b&gt;!!!"
    assert any("127.0.0.1 has refused a message: 413 <b>too large</b>!" in line.getMessage() for line in caplog.records)
    assert told in (await host.get("/settings")).text
    await subscribe(host, endpoint)
    assert told in (await host.get("/settings")).text, "a browser subscribes again every day"
    invite()
    await received(endpoint)
    await done(calling)
    assert told not in (await host.get("/settings")).text


async def test_a_push_service_that_does_not_answer_is_asked_again_and_delays_no_deadline(
    calling: OpenHall, endpoint: PushEndpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    host, _friend, room = await calling.two_at()
    await host.http.post(DEVICES, json=endpoint.subscription() | {"endpoint": f"{SILENT}/x"})
    note, guest = Notification("invitation", room.table.id, sender="Bo"), min(room.table.seats[0].guests)
    tell(calling, note, guest)
    for times, pause in ((1, 5), (2, 10)):
        job = await tried(calling, times)
        assert job.due_at.replace(tzinfo=UTC) - calling.time.now() == timedelta(seconds=pause)
        await calling.time.advance(pause)
    await tried(calling, 3)

    never, is_done = asyncio.Event(), asyncio.Event()

    async def hang(*_: object) -> Outcome:
        await never.wait()
        return Outcome("sent")

    async def work(_job: Job) -> None:
        is_done.set()

    monkeypatch.setattr(PushServices, "_post", hang)
    for k in range(12):
        await subscribe(calling.person(f"10.9.{k}.1"), endpoint, f"phone{k}")
    guests = [row.guest for row in subscriptions(calling)]
    tell(calling, note, *guests)
    scheduler = calling.hall.scheduler
    await until(lambda: len(scheduler.running) == 8)
    scheduler.register("deadline", work)
    calling.store.transact(jobs.put, "deadline", "x", calling.time.now())
    scheduler.wake()
    async with asyncio.timeout(PATIENCE):
        await is_done.wait()
    never.set()


async def test_addresses_have_limits_for_a_day(
    calling: OpenHall, endpoint: PushEndpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    day = timedelta(seconds=60)  # a whole day has 86,400 beats of the hall's pulse
    monkeypatch.setattr(accounts, "ATTEMPTS_FORGOTTEN_AFTER", day)
    monkeypatch.setattr(module, "_NEW_DEVICES", replace(module._NEW_DEVICES, free=2, first=day))
    host = calling.person()
    for name in ("laptop", "phone", "phone", "laptop"):
        await subscribe(host, endpoint, name)
    refused = await calling.person().http.post(DEVICES, json=endpoint.subscription("third"))
    assert refused.status_code == 429
    await subscribe(calling.person("10.0.0.2"), endpoint, "fourth")
    await calling.time.advance(60)
    await subscribe(host, endpoint, "third")


async def test_messages_wait_over_a_restart(settings: Settings, at_once: None, endpoint: PushEndpoint) -> None:
    settings = replace(settings, push_services=(endpoint.url,))
    async with open_hall(settings) as hall:
        _, invite = await with_laptop(hall, endpoint)
        invite(at=Time().now() + timedelta(seconds=1))
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
    async with stream(guest, f"/tables/{await guest.open()}/stream") as page:
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
        "http://fcm.googleapis.com/x",
        "https://push.example.org/x",
        "https://127.0.0.1/x",
        "https://fcm.googleapis.com",
        "https://fcm.googleapis.com:8443/x",
        "https://fcm.googleapis.com.example.org/x",
        "https://fcm.googleapis.com@example.org/x",
        "https://user:password@fcm.googleapis.com/x",
        "https://fcm.googleapis.com\\@example.org/x",
        "https://evil-push.apple.com/x",
        "https://push.apple.com/x",
        "https://a.notify.windows.com.evil.org/x",
        "https://fcm.googleapis.com/" + "x" * 1000,
        "https://fcm.googleapis.com/a b",
        "https://fcm.googleapis.com/\n",
        "file:///etc/passwd",
        "",
    ],
)
async def test_an_address_that_is_no_push_service_of_a_browser_is_refused(
    calling: OpenHall, endpoint: PushEndpoint, address: str
) -> None:
    person = calling.person(Accept="application/json")
    answer = await person.http.post(DEVICES, json=endpoint.subscription() | {"endpoint": address})
    assert answer.status_code == 400
    assert answer.json()["error"] == "bad-push-subscription"
    assert subscriptions(calling) == []


@pytest.mark.parametrize(
    "host",
    [
        "fcm.googleapis.com",
        "FCM.googleapis.com:443",
        "jmt17.google.com",
        "updates.push.services.mozilla.com",
        "web.push.apple.com",
        "wns2-am3p.notify.windows.com",
    ],
)
async def test_the_push_services_of_browsers_are_accepted(calling: OpenHall, endpoint: PushEndpoint, host: str) -> None:
    address = f"https://{host}/wpush/v2/gAAA-_%20?x=1"
    answer = await calling.person().http.post(DEVICES, json=endpoint.subscription() | {"endpoint": address})
    assert answer.status_code == 201
    assert [row.endpoint for row in subscriptions(calling)] == [address]


async def test_a_stored_address_that_is_not_allowed_any_more_is_forgotten_when_a_message_is_due(
    settings: Settings, at_once: None, endpoint: PushEndpoint
) -> None:
    async with open_hall(replace(settings, push_services=(endpoint.url,))) as hall:
        _, invite = await with_laptop(hall, endpoint)
        invite(at=Time().now() + timedelta(seconds=1))
    async with open_hall(settings) as hall:
        hall.hall.notifications.check_with("invitation", always)
        await done(hall)
        assert subscriptions(hall) == []
    assert endpoint.seen == []


@pytest.mark.parametrize("url", ["", "http://hall.example.org", "https://192.168.1.5", "https://localhost/hall"])
async def test_push_messages_are_offered_only_in_a_hall_with_a_public_address(
    settings: Settings, at_once: None, endpoint: PushEndpoint, url: str
) -> None:
    services = PushServices([endpoint.url], url, ManualTime())
    services.check(f"{endpoint.url}/x")
    with pytest.raises(BadPushSubscription, match="public https://"):
        services.check("https://fcm.googleapis.com/x")
    assert services.is_offered, "the host's services"
    assert not PushServices([], url, ManualTime()).is_offered
    if not url:
        async with open_hall(settings) as hall:
            person = hall.person()
            await person.post("/settings", {"volume": "60", "sound-turn": "yes"})
            page = (await person.get("/settings")).text
            assert "Sound: 1 · Open page: 0</span>" in page
            assert "push" not in re.sub("<[^>]*>", "", page).lower(), "what this hall can't do isn't there"
            assert "Someone invites me" not in page
            room = await hall.room(await person.open())
            guest = hall.store.transact(guests.find, min(room.table.seats[0].guests))
            assert guest is not None
            assert NotificationChoices.of(guest).kinds("push"), "what was chosen about push messages stays"


@pytest.mark.parametrize("keys", [{"p256dh": "AAAA", "auth": "x" * 22}, {"p256dh": "", "auth": ""}])
async def test_malformed_keys_are_refused(calling: OpenHall, endpoint: PushEndpoint, keys: dict[str, str]) -> None:
    answer = await calling.person().http.post(DEVICES, json={"endpoint": "https://fcm.googleapis.com/x", "keys": keys})
    assert answer.status_code == 400


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
    _, invite = await with_laptop(calling, endpoint)
    first = await calling.hall.notifications.key()
    calling.store.rotate_secret("push", calling.time.now() + timedelta(days=1))
    second = await calling.hall.notifications.key()
    assert first != second
    invite()
    assert (await received(endpoint)).key == first
    calling.store.rotate_secret("push", None)
    await done(calling)
    invite()
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


async def test_a_page_can_ask_for_calls_only_of_guests_who_want_them_about_their_turn(calling: OpenHall) -> None:
    """Its script asks when the reader plays at a slow table, which the page may become."""
    person = calling.person()
    table = f"/tables/{await person.open(players=2)}"
    assert 'id="push-ask"' in (await person.get(table)).text
    assert "data-slow" not in (await person.get(table)).text
    was = "none"
    for clock, is_slow in (("decision:60", False), ("slow:86400", True), ("reserve:604800", True)):
        await person.post(f"{table}/clock", {"clock": clock, "was": was})
        was = clock
        assert (" data-slow" in (await person.get(table)).text) == is_slow, clock
    await choose(person, **{"push-end": "yes"})
    assert 'id="push-ask"' not in (await person.get(table)).text, "they want no messages about their turn"


async def test_a_hall_that_can_not_call_does_not_offer_it(hall: OpenHall) -> None:
    person = hall.person()
    assert 'id="push-ask"' not in (await person.get(f"/tables/{await person.open(players=2)}")).text


async def test_all_settings_are_saved_by_one_form(calling: OpenHall) -> None:
    person = calling.person()
    page = (await person.get("/settings")).text
    (form,) = re.findall(r'(?s)<form method="post" action="/settings".*?</form>', page)
    assert page.count("</svg>Save") == form.count("</svg>Save") == 1
    fields = set(re.findall(r' name="([a-z-]+)"', form))
    assert {"name", "language", "theme", "motion", "confirm", "onward", "push-turn", "sound-end", "volume"} <= fields
    await person.post(
        "/settings",
        {"name": "Gudrun", "theme": "dark", "volume": "35", "sound-end": "yes", "push-short": "yes", "sound-no": "yes"},
    )
    saved = (await person.get("/settings")).text
    assert set(re.findall(r'name="((?:sound|notice|push)-[a-z]+)" value="yes" checked', saved)) == {"sound-end", "push-short"}
    assert 'data-sounds="end"' in saved
    assert 'value="Gudrun"' in saved
    assert 'value="35"' in saved
    assert "Your settings are saved." in saved
    await person.post("/settings", {"language": "de"})  # a form with a part of them leaves the rest alone
    assert 'name="sound-end" value="yes" checked' in (await person.get("/settings")).text
