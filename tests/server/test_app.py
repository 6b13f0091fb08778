"""The application around the pages: headers, limits, static files, health, metrics, internal errors."""

from __future__ import annotations

import asyncio
import logging
import re
import threading
import time
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime, parsedate_to_datetime
from hashlib import sha256
from html.parser import HTMLParser
from pathlib import Path
from unittest.mock import Mock

import httpx
import pytest
from prometheus_client import CONTENT_TYPE_LATEST, REGISTRY

from meadhall.cli.hall_data import backup as back_up
from meadhall.engine.registry import game_names
from meadhall.server.errors import DatabaseUnavailable, NotThatPerson
from meadhall.server.hall.people.sign_in import Client
from meadhall.server.routes import tables as table_routes
from meadhall.server.routes.workshop import DOCUMENT_LIMIT
from meadhall.server.settings import Settings
from meadhall.server.store.database import NoAnswer
from meadhall.server.web.limits import RequestLimit
from server.manual_time import ManualTime
from server.people import AXES, HOARD, PATIENCE, OpenHall, Visitor, metrics, open_hall, play_out, stream
from server.ready import ReadyAtOnce
from server.waiting import until

pytestmark = pytest.mark.asyncio(loop_scope="module")

POLICY = "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"


class Inline(HTMLParser):
    """Finds the inline scripts and styles that the content security policy forbids."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self._script = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self._script = tag == "script" and "src" not in given
        if tag == "style" or self._script:
            self.found.append(tag)
        for name, value in attrs:
            text = (value or "").strip().lower()
            active = name == "style" or name.startswith(("on", "hx-on")) or text.startswith(("javascript:", "js:"))
            foreign = name in ("src", "href", "action", "hx-get", "hx-post") and text.startswith(
                ("http:", "https:", "//", "data:")
            )
            if active or foreign:
                self.found.append(f"{tag} {name}={value}")


def inline(html: str) -> list[str]:
    parser = Inline()
    parser.feed(html)
    return parser.found


def has_security_headers(headers: httpx.Headers | dict[str, str]) -> bool:
    return (
        headers["content-security-policy"] == POLICY
        and headers["x-content-type-options"] == "nosniff"
        and headers["referrer-policy"] == "same-origin"
        and headers["x-frame-options"] == "DENY"
    )


async def test_every_response_has_security_headers_and_no_page_has_inline_scripts_or_styles(
    hall: OpenHall, monkeypatch: pytest.MonkeyPatch
) -> None:
    pages = []
    for game in (AXES, HOARD):
        host, friend, room = await hall.two_at(game)
        lobby = await host.open(game)
        table = f"/tables/{room.table.id}"
        paths = [f"/rules/{game}", f"/tables/{lobby}", table, f"{table}/replay", f"{table}/verify", f"{table}/record"]
        pages += [await host.get(path) for path in ("/", "/settings", "/replay", *paths)]
        pages += [await person.get(table) for person in (friend, hall.person())]
        pages += [await friend.get(f"/seat/{room.table.seats[0].link_token}"), await host.post(f"{table}/act", {"action": "x"})]
        await play_out(room, {0: host, 1: friend})
        pages += [await host.get(path) for path in (table, f"{table}/replay?step=1", f"{table}/verify")]
    others = [
        await host.get(path)
        for path in ("/nowhere", "/tables/x", "/static/nothing", "/health", "/metrics", "/schema/openapi.json", "/api/v1/x")
    ]
    others += [
        await host.get("/static/css/base.css"),
        await host.http.post("/settings"),
        await host.http.delete("/settings"),
        await host.http.head("/settings"),
    ]
    async with stream(host, f"{table}/stream") as live:
        assert has_security_headers(live.headers)
    for answer in [*pages, *others]:
        assert has_security_headers(answer.headers), answer.request.url
        if answer.headers.get("content-type", "").startswith("text/html"):
            assert inline(answer.text) == [], answer.request.url
    assert all(answer.status_code < 500 for answer in [*pages, *others])


async def test_an_internal_error_is_logged_without_secrets(
    hall: OpenHall, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    host, _, room = await hall.two_at(HOARD)
    key = room.table.seats[0].link_token

    def fail(*_: object) -> None:
        raise RuntimeError("the wiring")

    monkeypatch.setattr(table_routes, "_seat_behind", fail)
    page = await host.get(f"/seat/{key}")
    assert page.status_code == 500
    assert has_security_headers(page.headers)
    assert "Nothing is lost" in page.text
    assert "wiring" not in page.text
    answer = await host.get(f"/seat/{key}", Accept="application/json")
    assert answer.json() == {
        "error": "internal-server-error",
        "rule": None,
        "reason": "Something went wrong on our side. Nothing is lost; please try again.",
        "status": 500,
    }
    assert "the wiring" in caplog.text, "the log must name the cause"
    ours = "\n".join(record.getMessage() for record in caplog.records if record.name.startswith("meadhall"))
    assert key not in ours


@pytest.mark.parametrize(("path", "status"), [("/nowhere", 404), ("/rules/chess", 404), ("/tables/x/y/z", 404)])
async def test_errors_are_pages_for_people_and_json_for_programs(hall: OpenHall, path: str, status: int) -> None:
    page = await hall.person().get(path)
    assert (page.status_code, page.headers["content-type"].split(";")[0]) == (status, "text/html")
    answer = await hall.person().get(path, Accept="application/json")
    assert (answer.status_code, answer.json()["status"]) == (status, status)


async def test_errors_are_in_the_guests_language(hall: OpenHall) -> None:
    german = hall.person()
    await german.post("/settings", {"language": "de"})
    for path in ("/tables/nowhere", "/seat/x", "/replay/x"):
        page = (await german.get(path)).text
        assert '<html lang="de"' in page
        assert "There is" not in page
        assert "This link leads" not in page


async def test_a_body_that_is_too_large_is_refused(hall: OpenHall) -> None:
    person = hall.person()
    answer = await person.post("/settings", {"name": "x" * 70_000})
    assert answer.status_code == 413
    program = await hall.program()
    assert (await program.post("/tables", {"game": "x" * (DOCUMENT_LIMIT + 1)})).status_code == 413


async def test_requests_of_a_client_are_limited_and_it_is_told_how_many_are_left(settings: Settings, at_once: None) -> None:
    async with open_hall(replace(settings, requests_per_minute=5)) as hall:
        busy, other = hall.person("10.0.0.1"), hall.person("10.0.0.2")
        answers = [await busy.get("/settings") for _ in range(7)]
        assert [answer.status_code for answer in answers] == [200] * 5 + [429] * 2
        assert [answer.headers["ratelimit-remaining"] for answer in answers] == ["4", "3", "2", "1", "0", "0", "0"]
        assert {answer.headers["ratelimit-limit"] for answer in answers} == {"5"}
        assert all(0 < int(answer.headers["ratelimit-reset"]) <= 60 for answer in answers)
        assert "Wait a minute" in answers[-1].text
        assert has_security_headers(answers[-1].headers)
        answer = await busy.get("/api/v1/games")
        assert (answer.status_code, answer.json()["error"]) == (429, "too-many-requests")
        assert 0 < int(answer.headers["retry-after"]) <= 60
        assert 0 < int(answers[-1].headers["retry-after"]) <= 60
        assert (await other.get("/settings")).status_code == 200
        for path in ("/health", "/static/css/base.css"):
            assert (await busy.get(path)).status_code == 200, "these requests are not counted"


async def test_an_address_brings_a_limited_number_of_guests_and_records_in_an_hour(settings: Settings, at_once: None) -> None:
    """A guest costs nothing: without this, a limit for each guest would limit no one."""
    async with open_hall(replace(settings, requests_per_minute=1000), time=ManualTime()) as hall:
        hall.switch("new_in_hour", "4")
        first = hall.person("10.0.0.1")
        for _ in range(6):
            assert (await first.post("/settings", {"name": "Ada"})).status_code == 303, "a known guest counts once"
        assert (await hall.person("10.0.0.1").post("/settings", {"name": "Eve"})).status_code == 303
        newcomer = Visitor(hall.app, "10.0.0.1")
        assert (await newcomer.http.post("/api/v1/guests", json={"name": "Robot"})).status_code == 201
        assert (await first.upload(b"{}")).status_code == 400
        assert (await first.upload(b"{}")).status_code == 429
        assert (await newcomer.http.post("/api/v1/guests", json={"name": "Robot"})).status_code == 429
        late = hall.person("10.0.0.1")
        refused = await late.post("/settings", {"name": "Late"})
        assert (refused.status_code, "Try again in an hour" in refused.text) == (429, True)
        assert (await late.get("/")).status_code == 200, "pages are there to read"
        assert (await first.post("/settings", {"name": "Astrid"})).status_code == 303
        assert (await hall.person("10.0.0.2").post("/settings", {"name": "Other"})).status_code == 303
        await hall.time.advance(3601)
        assert (await late.post("/settings", {"name": "Late"})).status_code == 303


PLAIN = {"accept-encoding": "identity"}


async def test_only_the_routes_of_streams_are_free_of_the_limit(settings: Settings, at_once: None) -> None:
    async with open_hall(replace(settings, requests_per_minute=5)) as hall:
        person = hall.person()
        for path in ("/static/css/hall.css", "/health", "//health", "/metrics/", "/time") * 2:
            assert (await person.get(f"http://hall.test{path}")).status_code in (200, 403, 404), path
        for path in ("/x/stream", "/tables/a/b/stream", "/x/events", "//x/events", "/daily/stream"):
            assert (await person.get(f"http://hall.test{path}")).status_code == 404, path
        assert (await person.get("/tables/a/b/stream")).status_code == 429


async def test_head_is_answered_like_get_without_a_body(hall: OpenHall) -> None:
    host, _, room = await hall.two_at(HOARD)
    paths = ("/", "/settings", "/health", "/static/css/base.css", "/api/v1/games", "/nowhere", f"/tables/{room.table.id}")
    for path in (*paths, "/schema/openapi.json"):
        # Uncompressed: a page contains the time of the hall, and other digits compress to another length.
        got, head = await host.get(path, **PLAIN), await host.http.head(path, headers=PLAIN)
        assert head.status_code == got.status_code, path
        assert head.content == b""
        unequal = {"date", "set-cookie", "x-request-id"}
        assert {name: head.headers[name] for name in head.headers if name not in unequal} == {
            name: got.headers[name] for name in got.headers if name not in unequal
        }
    async with asyncio.timeout(PATIENCE):
        head = await host.http.head(f"/tables/{room.table.id}/stream")
    assert (head.status_code, head.headers["content-type"].split(";")[0]) == (200, "text/event-stream")
    assert len(room.channel) == 0, "nothing may go on streaming"


@pytest.mark.parametrize(
    ("path", "page"),
    [
        ("/identity", "/settings#identity-make"),
        ("/settings/notifications/devices/x/remove", "/settings"),
        ("/tables/x/act", "/tables/x"),
        ("/tables/x/documents/components", "/tables/x"),
        ("/quick", "/"),
    ],
)
async def test_the_address_of_a_form_leads_to_a_page(hall: OpenHall, path: str, page: str) -> None:
    answer = await hall.person().get(path, Accept="text/html")
    assert (answer.status_code, answer.headers["location"]) == (303, page)


@pytest.mark.parametrize("path", ["/favicon.ico", "/apple-touch-icon.png", "/manifest.json"])
async def test_programs_find_icon_and_manifest_where_they_look_for_them(hall: OpenHall, path: str) -> None:
    person = hall.person()
    answer = await person.get(path)
    assert answer.status_code == 301
    assert (await person.get(answer.headers["location"])).status_code == 200


async def test_a_method_that_is_not_allowed_is_refused_with_those_that_are(hall: OpenHall) -> None:
    person = hall.person()
    for path, allowed in (("/rules/axes-and-allies", {"GET", "HEAD", "OPTIONS"}), ("/tables", {"POST", "OPTIONS"})):
        answer = await person.http.request("DELETE", path)
        assert answer.status_code == 405
        assert set(answer.headers["allow"].split(", ")) == allowed
    answer = await person.http.request("PUT", "/api/v1/games")
    assert (answer.status_code, answer.json()["error"]) == (405, "method-not-allowed")
    assert "GET" in answer.headers["allow"]


async def test_expired_request_counts_are_forgotten() -> None:
    time = ManualTime()
    limit = RequestLimit(2, time.seconds)
    assert [limit.count("10.0.0.7")[0] for _ in range(3)] == [1, 0, -1]
    await time.advance(30)
    assert limit.count("10.0.0.8") == (1, 60)
    assert limit.count("10.0.0.7") == (-1, 30)
    await time.advance(31)
    limit.forget_expired()
    assert len(limit) == 1, "one address's minute is over"
    assert limit.count("10.0.0.7")[0] == 1


async def test_the_hall_forgets_expired_request_counts_once_a_minute(
    settings: Settings, at_once: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    times = []
    time = ManualTime()
    monkeypatch.setattr(RequestLimit, "forget_expired", lambda _: times.append(time.seconds()))
    async with open_hall(settings, time=time):
        began = time.seconds()
        await time.advance(150)
    assert times == [began + 60, began + 120]


async def test_requests_are_measured_by_their_route(hall: OpenHall) -> None:
    person = hall.person()
    counted = re.compile(r'^meadhall_requests_total{method="GET",path="/rules/{name}",status_code="(\d+)"} (\S+)$', re.MULTILINE)

    async def counts() -> dict[str, float]:
        text = (await metrics(hall)).text
        assert 'path="/metrics"' not in text
        return {status: float(count) for status, count in counted.findall(text)}

    before = await counts()
    assert (await person.get("/rules/axes-and-allies")).status_code == 200
    assert (await person.get("/rules/no-such-game")).status_code == 404
    after = await counts()
    assert {status: after[status] - before.get(status, 0.0) for status in ("200", "404")} == {"200": 1, "404": 1}


async def test_static_files_with_a_version_are_cached_forever(hall: OpenHall) -> None:
    person = hall.person()
    assert "immutable" in (await person.get("/static/css/base.css?v=1")).headers["cache-control"]
    assert (await person.get("/static/css/base.css")).headers["cache-control"] == "no-cache"
    assert "set-cookie" not in (await hall.person().get("/static/css/base.css?v=1")).headers, (
        "cached responses must not belong to a guest"
    )
    missing = await person.get("/static/css/nothing.css?v=1")
    assert missing.status_code == 404
    assert "immutable" not in missing.headers.get("cache-control", "")
    assert (await person.get("/static/../app.py")).status_code == 404
    assert (await person.get("/static/%2e%2e/app.py")).status_code == 404


async def test_what_a_browser_has_kept_is_not_sent_again(hall: OpenHall) -> None:
    """Two machines have files of the same content with other times and in other folders: their ETags are the same."""
    person = hall.person()
    static = ("/static/css/base.css", "/static/icons/icon-192.png", f"/static/games/{AXES}/board.css", "/static/css/base.css?v=1")
    for path in (*static, "/service-worker.js", "/manifest.webmanifest"):
        for encoding in ("identity", "gzip"):
            whole = await person.get(path, **{"accept-encoding": encoding})
            tag = whole.headers["etag"]
            assert sha256(whole.content).hexdigest().startswith(tag.removeprefix('W/"').rstrip('"')), path
            for tags in (tag, tag.removeprefix("W/"), f'"other", {tag}', "*"):
                answer = await person.get(path, **{"if-none-match": tags, "accept-encoding": encoding})
                assert (answer.status_code, answer.content) == (304, b""), (path, tags)
                for name in ("etag", "cache-control", "content-security-policy"):
                    assert answer.headers[name] == whole.headers[name], (path, name)
                assert "content-length" not in answer.headers
        other = {"if-none-match": '"other"', "if-modified-since": format_datetime(datetime.now(UTC), usegmt=True)}
        assert (await person.get(path, **other)).status_code == 200, "the tag is more exact than the time"
        assert (await person.http.head(path, headers={"if-none-match": "*"})).status_code == 304
    for path in static:
        modified = (await person.get(path)).headers["last-modified"]
        before = format_datetime(parsedate_to_datetime(modified) - timedelta(seconds=1), usegmt=True)
        for since, status in ((modified, 304), (before, 200), ("yesterday", 200)):
            assert (await person.get(path, **{"if-modified-since": since})).status_code == status, (path, since)
    for path in ("/", "/time", "/static/nothing.css"):
        answer = await person.get(path, **{"if-none-match": "*"})
        assert (answer.status_code in (200, 404), "etag" in answer.headers) == (True, False), path


@pytest.mark.asyncio
async def test_health_says_whether_the_database_answers(
    hall: OpenHall, time: ManualTime, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = await hall.person().get("/health/ready")
    games = dict.fromkeys(game_names(), True)
    assert (answer.status_code, answer.json()) == (200, {"status": "ok", "games": games})
    assert (await hall.person().get("/health")).json() == answer.json(), "the address of earlier versions"

    def away() -> None:
        raise NoAnswer("connection refused")

    with monkeypatch.context() as patch:
        patch.setattr(hall.store._database, "begin", away)
        assert (await hall.person().get("/health/ready")).status_code == 200, "an answer is used for a second"
        time.set_seconds(time.seconds() + 1)
        answer = await hall.person().get("/health/ready")
        assert (await hall.person().get("/health/live")).status_code == 200, "to start it again would not help"
    assert (answer.status_code, answer.json()) == (503, {"status": "database away", "games": games})


UNREADABLE = [
    (b"name=\xff", "application/x-www-form-urlencoded"),
    (b'--b\r\nContent-Disposition: form-data; name="record"\r\n\r\n\xff\r\n--b--\r\n', "multipart/form-data; boundary=b"),
    (
        b'--b\r\nContent-Disposition: form-data; name="x"\r\nContent-Type: text/plain; charset=runes\r\n\r\nx\r\n--b--\r\n',
        "multipart/form-data; boundary=b",
    ),
]


@pytest.mark.parametrize(("body", "kind"), UNREADABLE, ids=["address", "field", "charset"])
@pytest.mark.parametrize("path", ["/settings", "/replay"])
async def test_a_form_that_can_not_be_decoded_is_refused(hall: OpenHall, path: str, body: bytes, kind: str) -> None:
    person = hall.person()
    answer = await person.http.post(path, content=body, headers={"Content-Type": kind})
    assert 300 <= answer.status_code < 500, answer.text


@pytest.mark.parametrize(
    ("address", "headers", "status"),
    [
        ("127.0.0.1", {"Host": "localhost:8000"}, 200),
        ("::1", {"Host": "[::1]:8000"}, 200),
        ("", {"Host": "localhost"}, 200),  # the Unix socket
        ("10.0.0.1", {"Authorization": "Bearer a-token-of-the-host"}, 200),
        ("10.0.0.1", {"Host": "localhost"}, 403),
        ("127.0.0.1", {"Host": "hall.example.org"}, 403),  # a proxy on the same machine
        ("127.0.0.1", {"Host": "localhost", "X-Forwarded-For": "127.0.0.1"}, 403),
        ("127.0.0.1", {"Host": "localhost", "X-Forwarded-For": "10.0.0.9", "X-Forwarded-Host": "localhost"}, 403),
        ("", {"Host": "localhost", "Forwarded": "for=127.0.0.1"}, 403),
        ("10.0.0.1", {"Authorization": "Bearer another-token"}, 403),
        ("10.0.0.1", {"Authorization": "Bearer "}, 403),
    ],
)
async def test_metrics_are_for_the_machine_of_the_hall_and_for_holders_of_the_token(
    hall: OpenHall, monkeypatch: pytest.MonkeyPatch, address: str, headers: dict[str, str], status: int
) -> None:
    """They tell when a bot thinks and that a hint was requested, so players must not see them."""
    monkeypatch.setattr(hall.hall, "settings", replace(hall.hall.settings, metrics_token="a-token-of-the-host"))  # noqa: S106
    answer = await Visitor(hall.app, address).get("/metrics", **headers)
    assert answer.status_code == status
    assert ("meadhall_" in answer.text) == (status == 200)


@pytest.mark.asyncio
async def test_metrics_say_how_the_hall_does(settings: Settings, at_once: None, tmp_path: Path) -> None:
    def sample(name: str, **labels: str) -> float:
        return REGISTRY.get_sample_value(name, labels) or 0.0

    ended, failed = sample("meadhall_matches_ended_total", game=AXES, status="abandoned"), {}
    ways = ("password", "recovery code", "pause")
    failed = {way: sample("meadhall_failed_sign_ins_total", way=way) for way in ways}
    lost = sample("meadhall_transactions_total", outcome="no database")
    async with open_hall(settings) as hall:
        host, _friend, room = await hall.two_at(AXES)
        await host.open(AXES)
        assert isinstance(hall.hall.ready, ReadyAtOnce)
        hall.hall.ready.delayed.add(HOARD)
        text = (await metrics(hall)).text
        assert 'meadhall_tables{status="running"} 1.0' in text
        assert 'meadhall_tables{status="gathering"} 1.0' in text
        assert f'meadhall_game_ready{{game="{HOARD}"}} 0.0' in text
        assert f'meadhall_game_ready{{game="{AXES}"}} 1.0' in text
        assert "meadhall_last_backup_timestamp_seconds 0.0" in text
        assert "meadhall_database_up 1.0" in text
        assert "_created" not in text
        counters = re.findall(r"^# TYPE (\S+) counter$", text, re.MULTILINE)
        assert counters
        assert all(name.endswith("_total") for name in counters)
        assert (await host.ask(f"/tables/{room.table.id}/resign")).status_code == 200
        assert sample("meadhall_matches_ended_total", game=AXES, status="abandoned") == ended + 1
        with suppress(NotThatPerson):
            await hall.hall.accounts.by_password("Ada", "wrong password", Client("10.0.0.1"))
        with suppress(NotThatPerson):
            hall.hall.accounts.by_recovery_code("Ada", "wrong-code", Client("10.0.0.1"))
        assert {way: sample("meadhall_failed_sign_ins_total", way=way) - failed[way] for way in ways[:2]} == {
            "password": 1,
            "recovery code": 1,
        }
        await asyncio.to_thread(back_up, tmp_path / "hall.backup", settings.data)
        before = time.time() - 120
        await metrics(hall)
        assert before < sample("meadhall_last_backup_timestamp_seconds") <= time.time()

        def no_answer() -> None:
            raise NoAnswer("away")

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(vars(hall.store)["_database"], "begin", no_answer)
            assert "meadhall_database_up 0.0" in (await metrics(hall)).text
        assert sample("meadhall_transactions_total", outcome="no database") > lost


async def test_metrics_have_one_content_type(hall: OpenHall) -> None:
    answer = await metrics(hall)
    assert answer.headers.get_list("content-type") == [CONTENT_TYPE_LATEST]


@pytest.mark.asyncio
async def test_metrics_contain_no_ids_and_no_secrets(hall: OpenHall) -> None:
    host, _, room = await hall.two_at(HOARD)
    key = room.table.seats[0].link_token
    await host.get(f"/seat/{key}")
    await host.get("/no-such-page-as-this")
    async with stream(host, f"/tables/{room.table.id}/stream") as live:
        await live.frame()
        text = (await metrics(hall)).text
    assert "meadhall_rooms 1.0" in text
    assert "meadhall_streams 1.0" in text
    assert 'path="/seat/{key}"' in text
    for secret in (key, room.table.id, "no-such-page-as-this"):
        assert secret not in text


async def test_metrics_show_event_loop_lag(hall: OpenHall) -> None:
    def often_late() -> float:
        """Return how often the event loop was late by more than 100 ms."""
        counts = [
            REGISTRY.get_sample_value("meadhall_event_loop_lag_seconds_bucket", {"process": "web", "le": bound}) or 0.0
            for bound in ("+Inf", "0.1")
        ]
        return counts[0] - counts[1]

    before = often_late()
    threading.Event().wait(0.3)  # holds up the event loop
    await until(lambda: often_late() > before)


async def test_the_hall_opens_although_a_game_was_uninstalled(hall: OpenHall, caplog: pytest.LogCaptureFixture) -> None:
    """The game of a table may have come from another package."""
    host, _, room = await hall.two_at(HOARD)
    for status in ("running", "gathering"):
        gone = replace(room.table, id=status, game="chess", is_public=True, status=status, seats=())
        seats = tuple(replace(seat, link_token=seat.link_token + status) for seat in room.table.seats)
        hall.store.add_table(replace(gone, seats=seats))
    assert (await host.get("/")).status_code == 200
    assert (await host.get("/tables/running")).status_code == 404
    assert not [record for record in caplog.records if record.levelno >= logging.ERROR]


@pytest.mark.parametrize("status", [404, 429, 500, 503])
async def test_errors_have_a_page_with_a_way_on(
    settings: Settings, at_once: None, status: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_hall(replace(settings, requests_per_minute=3 if status == 429 else 0)) as hall:
        person = hall.person()
        (settings.data / "house").mkdir()
        (settings.data / "house" / "contact.md").write_text("Eir")
        faults: dict[int, Exception] = {500: ValueError("a fault"), 503: DatabaseUnavailable("away")}
        if status in faults:
            monkeypatch.setattr(hall.hall, "offered", Mock(side_effect=faults[status]))
        path = "/nothing" if status == 404 else "/"
        answer = await person.get(path)
        while answer.status_code == 200:
            answer = await person.get(path)
        assert answer.status_code == status
        assert 'class="hall-art"' in answer.text
        assert ">Go to the hall</a>" in answer.text
        main = answer.text.partition("<main")[2].partition("</main>")[0]
        assert (">Try again</a>" in main, ">Contact</a>" in main) == (status != 404, status == 500)
