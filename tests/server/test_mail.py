"""Mail: the address of an account, mails about turns, and signing in again; through a real mail server."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from meadhall.server.hall.mails import WAIT
from meadhall.server.settings import BadSetting, Settings
from meadhall.server.store.jobs import Job
from meadhall.server.store.mail import CONFIRM, RECOVER, TURNS
from ports import free_port
from server.halls import run_command
from server.mail_server import PASSWORD as OF_SERVER, MailServer, link_in, mail_server
from server.manual_time import ManualTime
from server.people import HOARD, OpenHall, Person, Visitor, metrics, open_hall
from server.push_endpoint import push_endpoint
from server.rows import stored_jobs
from server.waiting import until

pytestmark = pytest.mark.asyncio

URL = "http://hall.test"
ADDRESS = "Astrid@example.org"
PASSWORD = "correct horse battery"  # noqa: S105


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[MailServer]:
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "ca.pem"))
    with mail_server(tmp_path) as opened:
        yield opened


def with_mail(settings: Settings, url: str, **more: Any) -> Settings:
    smtp = Settings.from_environment({"MEADHALL_SMTP": url, "MEADHALL_URL": URL}).smtp
    return replace(settings, public_url=URL, smtp=smtp, **more)


@pytest_asyncio.fixture
async def mailing(settings: Settings, at_once: None, time: ManualTime, server: MailServer) -> AsyncIterator[OpenHall]:
    """Open a hall that sends mail."""
    async with open_hall(with_mail(settings, server.url), time=time) as opened:
        yield opened


async def account(hall: OpenHall, name: str, address: str = "10.0.0.1", **headers: str) -> Person:
    person = hall.person(address, **headers)
    assert (await person.post("/account/new", {"name": name, "password": PASSWORD})).status_code == 200
    return person


async def with_address(hall: OpenHall, server: MailServer, person: Person, address: str = ADDRESS) -> None:
    """Give an account an address, and confirm it without a cookie."""
    count = len(server.mails)
    answer = await person.post("/account/mail", {"address": address})
    assert answer.status_code == 200, answer.text
    await sent(hall, server, count + 1)
    answer = await Visitor(hall.app, "10.0.0.9").http.post(link_in(server.mails[-1], "/mail/confirm/"))
    assert answer.status_code == 200


def mails_waiting(hall: OpenHall) -> list[Job]:
    """Return the jobs of mails that wait to be sent, without those that wait for a person to come back."""
    return [job for kind in (TURNS, CONFIRM, RECOVER) for job in stored_jobs(hall.store, kind=kind)]


async def sent(hall: OpenHall, server: MailServer, count: int) -> None:
    """Wait until the server has accepted so many mails, and none waits any more."""
    await until(lambda: len(server.mails) >= count and not mails_waiting(hall))
    assert len(server.mails) == count


def no_mail_waits(hall: OpenHall) -> bool:
    return not mails_waiting(hall)


async def tried(hall: OpenHall, times: int) -> Any:
    """Wait until a mail was tried so often and waits. Return its job."""
    await until(lambda: [job.payload.get("tries") for job in mails_waiting(hall)] == [times])
    return mails_waiting(hall)[0]


async def slow_match(hall: OpenHall, host: Person, friend: Person) -> str:
    """Start a match with three days for a decision, and let the friend play until it is the host's turn."""
    table = f"/tables/{await host.open(HOARD)}"
    await host.ask(f"{table}/clock", {"clock": "slow:259200", "was": "none"})
    assert (await friend.ask(f"{table}/seats", {"set": "sit"})).status_code == 200
    assert (await host.ask(f"{table}/start")).status_code == 200
    await play_on(hall, table, friend, 1)
    return table


async def play_on(hall: OpenHall, table: str, person: Person, seat: int) -> None:
    """Let a person play until it is another one's turn."""
    room = await hall.room(table.rpartition("/")[2])
    while room.match is not None and room.match.actor == seat:
        assert (await person.act(room.table.id, room.match.legal()[0].action, room.match.next_number)).status_code == 200


async def left_alone(hall: OpenHall) -> None:
    """Let so much time pass that a mail about turns is due, if there is one."""
    await hall.time.advance(WAIT.total_seconds() + 20)  # it begins to wait some seconds after the turn


# ----------------------------------------------------------------------------------------------------------------- the setting


@pytest.mark.parametrize(
    ("text", "host", "port", "security", "sender"),
    [
        ("smtp://u:p%40ss@mail.example.org?from=Mead hall <hall@example.org>", "mail.example.org", 587, "starttls", "Mead hall"),
        ("smtps://mail.example.org?from=hall@example.org", "mail.example.org", 465, "tls", ""),
        ("smtp://localhost:25?from=hall@example.org", "localhost", 25, "none", ""),
        ("smtp://127.0.0.1:25?tls=on&from=hall@example.org", "127.0.0.1", 25, "starttls", ""),
        ("smtp://10.0.0.7?tls=off&from=hall@example.org", "10.0.0.7", 587, "none", ""),
    ],
)
async def test_the_setting_is_one_address(text: str, host: str, port: int, security: str, sender: str) -> None:
    read = Settings.from_environment({"MEADHALL_SMTP": text, "MEADHALL_URL": URL})
    assert read.smtp is not None
    assert (read.smtp.host, read.smtp.port, read.smtp.security, read.smtp.name) == (host, port, security, sender)
    assert read.smtp.sender == "hall@example.org"
    assert read.smtp.password in ("", "p@ss")
    assert "p@ss" not in repr(read)


@pytest.mark.parametrize(
    "text",
    [
        "mail.example.org",
        "http://mail.example.org?from=hall@example.org",
        "smtp://mail.example.org",
        "smtp://mail.example.org?from=hall",
        "smtp://mail.example.org?from=hall@example.org&tls=maybe",
        "smtps://mail.example.org?from=hall@example.org&tls=off",
        "smtp://mail.example.org?from=hall@example.org&port=25",
        "smtp://geheim@mail.example.org?from=hall@example.org",
        "smtp://u:geheim@mail.example.org:x?from=hall@example.org",
        "smtp://u:geheim@?from=hall@example.org",
    ],
)
async def test_a_setting_that_can_not_be_used_is_refused_without_telling_the_password(text: str) -> None:
    with pytest.raises(BadSetting, match="MEADHALL_SMTP") as refused:
        Settings.from_environment({"MEADHALL_SMTP": text, "MEADHALL_URL": URL})
    assert "geheim" not in str(refused.value)
    with pytest.raises(BadSetting, match="needs MEADHALL_URL"):
        Settings.from_environment({"MEADHALL_SMTP": "smtp://localhost?from=hall@example.org"})


async def test_without_the_setting_nothing_mentions_mail(hall: OpenHall) -> None:
    person = await account(hall, "Astrid")
    pages = ["/", "/account", "/account/new", "/account/confirm", "/settings", "/privacy", "/privacy/data", "/people/me", "/host"]
    for reader, paths in ((person, pages), (hall.person("10.0.0.2"), [*pages, "/sign-in"])):
        for path in paths:
            text = re.sub("<[^>]*>", "", (await reader.get(path)).text).replace("No e-mail address is needed.", "")
            assert "mail" not in text.lower(), path
    for path in ("/sign-in/forgotten", "/mail/stop/x", "/mail/confirm/x"):
        assert (await person.get(path)).status_code == (await person.post(path)).status_code == 404
    assert (await person.post("/account/mail", {"address": ADDRESS})).status_code == 404


# ----------------------------------------------------------------------------------------------------------------- the address


async def test_an_address_is_confirmed_by_its_link_shown_to_its_owner_alone_and_removed(
    mailing: OpenHall, server: MailServer
) -> None:
    owner = await account(mailing, "Astrid", **{"Accept-Language": "de"})
    assert "ist unterwegs" in (await owner.post("/account/mail", {"address": f" {ADDRESS} "})).text
    await sent(mailing, server, 1)
    mail = server.mails[0]
    assert (mail["To"], mail["From"], mail["Subject"]) == (ADDRESS, "Meadhall <hall@example.org>", "Ist das deine Adresse?")
    assert (mail["Auto-Submitted"], mail["Date"].datetime.date()) == ("auto-generated", mailing.time.now().date())
    path, other = link_in(mail, "/mail/confirm/"), mailing.person("10.0.0.3")
    assert ADDRESS in (await other.get(path)).text, "a preview of the link changes nothing"
    assert "wartet darauf" in (await owner.get("/account")).text
    assert (await other.post(path)).status_code == 200
    assert (await other.post(path)).status_code == 404, "it works once"
    assert f"<strong>{ADDRESS}</strong>" in (await owner.get("/account")).text
    assert "Deine Mailadresse" in (await owner.get("/privacy")).text
    me = (await owner.get("/people/me")).text
    public_id = mailing.store.transact(lambda db: db.value("SELECT public_id FROM guests WHERE name = 'Astrid'"))
    assert ADDRESS not in me + (await other.get(f"/people/{public_id}")).text
    assert ADDRESS in (await owner.get("/privacy/data")).text
    await owner.post("/account/mail", {"set": "none"})
    assert ADDRESS not in (await owner.get("/privacy/data")).text

    for wrong in ("astrid", "a@b c", "a@b\nBcc: x@y.z", "<a@b.c>", "a" * 250 + "@b.cc", "ä@b.cc"):
        assert (await owner.post("/account/mail", {"address": wrong})).status_code == 400, wrong
    await owner.post("/account/mail", {"address": ADDRESS})
    await sent(mailing, server, 2)
    await mailing.time.advance(timedelta(days=1).total_seconds())
    assert (await other.post(link_in(server.mails[1], "/mail/confirm/"))).status_code == 404, "a day later"


async def test_each_copy_of_a_link_works_once_in_all_also_while_its_mail_is_being_sent(
    mailing: OpenHall, server: MailServer
) -> None:
    """A server may have taken a mail whose answer was lost, so that it is tried again."""
    owner, other = await account(mailing, "Astrid"), mailing.person("10.0.0.9")
    await owner.post("/account/mail", {"address": ADDRESS})
    await sent(mailing, server, 1)
    first = link_in(server.mails[0], "/mail/confirm/")
    server.answers.clear()
    await owner.post("/account/mail", {"address": ADDRESS})
    await until(lambda: server.tried == 2)
    answers = await asyncio.gather(*(other.post(first) for _ in range(3)))
    assert sorted(answer.status_code for answer in answers) == [200, 404, 404]
    server.answers.set()
    await sent(mailing, server, 2)
    assert (await other.post(link_in(server.mails[1], "/mail/confirm/"))).status_code == 404
    assert f"<strong>{ADDRESS}</strong>" in (await owner.get("/account")).text
    await owner.post("/account/mail", {"address": "other@example.org"})
    assert (await other.post(first)).status_code == 404, "it confirms only its address"
    stop = first.replace("/confirm/", "/stop/")
    for wrong in (stop, "/mail/other/x", "/mail/confirm/%ff.%ed%a0%80", "/mail/confirm/x%00.y"):
        assert (await other.get(wrong)).status_code == (await other.post(wrong)).status_code == 404, wrong


async def test_few_mails_go_to_one_address_and_only_after_the_owner_has_proved_who_they_are(
    mailing: OpenHall, server: MailServer
) -> None:
    owner, other = await account(mailing, "Astrid"), await account(mailing, "Bo", "10.0.0.2")
    answers = [
        (await person.post("/account/mail", {"address": ADDRESS})).status_code for person in (owner, other) for _ in range(3)
    ]
    assert answers == [200] * 5 + [429]
    await mailing.time.advance(timedelta(hours=1).total_seconds())
    answer = await other.post("/account/mail", {"address": "bo@example.org"})
    assert (answer.status_code, answer.headers["location"]) == (303, "/account/confirm")
    assert (await mailing.person("10.0.0.3").post("/account/mail", {"address": ADDRESS})).status_code == 303


# ----------------------------------------------------------------------------------------------------------------------- turns


@pytest.mark.parametrize(("language", "subject"), [("en", "2 tables wait for you"), ("de", "2 Tische warten auf dich")])
async def test_one_mail_tells_of_all_tables_that_wait_and_the_next_one_only_after_a_visit(
    mailing: OpenHall, server: MailServer, language: str, subject: str
) -> None:
    owner, friend = await account(mailing, "Astrid", **{"Accept-Language": language}), mailing.person("10.0.0.2")
    await with_address(mailing, server, owner)
    tables = [await slow_match(mailing, owner, friend) for _ in range(2)]
    await mailing.time.advance(30)
    assert len(server.mails) == 1
    await left_alone(mailing)
    await sent(mailing, server, 2)
    mail = server.mails[1]
    assert mail["Subject"] == subject
    for table in tables:
        assert link_in(mail, table) == table
    text = mail.get_body(("plain",))
    assert text is not None
    assert text.get_content().count("2 days left" if language == "en" else "noch 2 Tage") == 2

    await slow_match(mailing, friend, owner)  # the friend's turn: nothing to tell
    await left_alone(mailing)
    assert len(server.mails) == 2


async def test_no_further_mail_comes_in_the_same_absence_and_a_visit_ends_it_over_a_restart(
    settings: Settings, at_once: None, time: ManualTime, server: MailServer
) -> None:
    hall_settings = with_mail(settings, server.url)
    async with open_hall(hall_settings, time=time) as hall:
        owner, friend = await account(hall, "Astrid"), hall.person("10.0.0.2")
        await with_address(hall, server, owner)
        second = await slow_match(hall, friend, owner)
        await slow_match(hall, owner, friend)
        await left_alone(hall)
        await sent(hall, server, 2)
        cookies = [person.http.cookies for person in (owner, friend)]
    async with open_hall(hall_settings, time=time) as hall:
        owner, friend = hall.person(), hall.person("10.0.0.2")
        owner.http.cookies, friend.http.cookies = cookies
        told = hall.store.transact(lambda db: db.value("SELECT told_at FROM mail_addresses"))
        assert told is not None
        await play_on(hall, second, friend, 0)
        await left_alone(hall)
        assert len(server.mails) == 2
        await owner.get("/")
        assert hall.store.transact(lambda db: db.value("SELECT told_at FROM mail_addresses")) is None
        third = await slow_match(hall, owner, hall.person("10.0.0.4"))
        await left_alone(hall)
        await sent(hall, server, 3)
        assert link_in(server.mails[2], third) == third


async def test_no_mail_comes_to_who_was_here_meanwhile_or_was_called_by_a_push_message(
    settings: Settings, at_once: None, time: ManualTime, server: MailServer
) -> None:
    with push_endpoint() as endpoint:
        async with open_hall(with_mail(settings, server.url, push_services=(endpoint.url,)), time=time) as hall:
            owner, friend = await account(hall, "Astrid"), hall.person("10.0.0.2")
            await with_address(hall, server, owner)
            await slow_match(hall, owner, friend)
            await time.advance(300)
            await owner.get("/settings")
            await left_alone(hall)
            assert len(server.mails) == 1
            assert stored_jobs(hall.store, kind="mail-turns") == []

            answer = await owner.http.post("/settings/notifications/devices", json=endpoint.subscription())
            assert answer.status_code == 201
            await slow_match(hall, owner, friend)
            await time.advance(67)  # five seconds after the turn they still look at the table, a minute later no more
            await until(lambda: endpoint.seen and not stored_jobs(hall.store, kind="mail-turns"))
            await left_alone(hall)
            assert len(server.mails) == 1


async def test_mails_about_turns_end_with_one_request_without_a_cookie_or_the_button_of_their_page(
    mailing: OpenHall, server: MailServer
) -> None:
    owner, friend = await account(mailing, "Astrid"), mailing.person("10.0.0.2")
    await with_address(mailing, server, owner)
    await slow_match(mailing, owner, friend)
    await left_alone(mailing)
    await sent(mailing, server, 2)
    mail, stop = server.mails[1], link_in(server.mails[1], "/mail/stop/")
    assert mail["List-Unsubscribe"] == f"<{URL}{stop}>"
    assert mail["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    assert "No more mails about turns" in (await friend.get(stop)).text
    assert "Tell me my turns by mail" not in (await owner.get("/account")).text, "to look changes nothing"
    one_click = await Visitor(mailing.app, "10.0.0.9").http.post(stop, data={"List-Unsubscribe": "One-Click"})
    assert one_click.status_code == 200
    assert "Tell me my turns by mail" in (await owner.get("/account")).text
    await slow_match(mailing, owner, friend)
    await left_alone(mailing)
    assert len(server.mails) == 2
    await owner.post("/account/mail", {"set": "turns"})
    assert (await friend.post(stop)).status_code == 200
    assert (await friend.post(f"{stop}x")).status_code == 404


# -------------------------------------------------------------------------------------------------------------- signing in again


@pytest.mark.parametrize("asked", ["Astrid", "astrid@EXAMPLE.org"])
async def test_a_link_signs_in_who_has_forgotten_and_the_answer_tells_nothing(
    mailing: OpenHall, server: MailServer, asked: str
) -> None:
    owner, stranger = await account(mailing, "Astrid"), mailing.person("10.0.0.3")
    await account(mailing, "Bo", "10.0.0.2")
    await with_address(mailing, server, owner)
    assert "/sign-in/forgotten" in (await stranger.get("/sign-in")).text
    answers = [(await stranger.post("/sign-in/forgotten", {"name": name})).text for name in (asked, "Bo", "nix", "x@y.zz", "")]
    assert len(set(answers)) == 1
    await sent(mailing, server, 2)
    path = link_in(server.mails[1], "/identity/")
    answer = await stranger.post(path)
    assert (answer.status_code, answer.headers["location"]) == (303, "/account")
    assert (await stranger.post("/account/password", {"password": "staple of the northern sea"})).status_code == 200
    assert (await mailing.person("10.0.0.4").post(path)).status_code == 404, "it works once"

    for _ in range(6):
        await mailing.person("10.0.0.5").post("/sign-in/forgotten", {"name": asked})
        await until(lambda: not stored_jobs(mailing.store, kind="mail-forgotten"))
        await until(lambda: not mails_waiting(mailing))
    assert len(server.mails) == 6, "five for an account in a day"
    statuses = [(await stranger.post("/sign-in/forgotten", {"name": "nix"})).status_code for _ in range(30)]
    assert statuses[-1] == 429


# ---------------------------------------------------------------------------------------------------------------------- sending


async def test_a_mail_is_tried_again_after_longer_and_longer_pauses(
    settings: Settings, at_once: None, time: ManualTime, server: MailServer
) -> None:
    async with open_hall(with_mail(settings, server.url), time=time) as hall:
        server.to_mail.append("451 try later")
        server.to_recipient.append("450 busy")
        owner = await account(hall, "Astrid")
        await owner.post("/account/mail", {"address": ADDRESS})
        for times, minutes in ((1, 1), (2, 2)):
            job = await tried(hall, times)
            assert (job.due_at - time.now()).total_seconds() == pytest.approx(60 * minutes, abs=1)
            await time.advance(60 * minutes)
        await sent(hall, server, 1)
        counts = (await metrics(hall)).text
        assert 'meadhall_mails_total{outcome="later"}' in counts
        assert 'meadhall_mails_total{outcome="sent"}' in counts


async def test_a_server_that_does_not_answer_or_refuses_the_password_stops_nothing_else(
    settings: Settings, at_once: None, time: ManualTime, server: MailServer
) -> None:
    dead = f"smtp://127.0.0.1:{free_port()}?from=hall@example.org"
    for url in (dead, server.url.replace("word", "wort")):
        async with open_hall(with_mail(settings, url), time=time) as hall:
            owner = await account(hall, f"Astrid {len(url)}")
            await owner.post("/account/mail", {"address": ADDRESS})
            await tried(hall, 1)
            assert (await owner.get("/account")).status_code == 200
            await owner.post("/account/mail", {"set": "none"})
            await time.advance(60)
            await until(partial(no_mail_waits, hall))
    assert server.tried == 0


async def test_an_address_that_is_refused_gets_no_more_mails_until_its_owner_tries_again(
    mailing: OpenHall, server: MailServer
) -> None:
    owner, friend = await account(mailing, "Astrid"), mailing.person("10.0.0.2")
    await with_address(mailing, server, owner)
    server.to_recipient.append("550 no such <user> here")
    await slow_match(mailing, owner, friend)
    await left_alone(mailing)
    await until(lambda: server.tried == 2 and not mails_waiting(mailing))
    page = (await owner.get("/account")).text
    assert "550 no such &lt;user&gt; here" in page
    await slow_match(mailing, owner, friend)
    await left_alone(mailing)
    assert server.tried == 2
    assert (await owner.post("/account/mail", {"set": "again"})).status_code == 200
    await slow_match(mailing, owner, friend)
    await left_alone(mailing)
    await sent(mailing, server, 2)


async def test_the_password_of_the_server_is_in_no_log(
    settings: Settings, at_once: None, server: MailServer, caplog: pytest.LogCaptureFixture
) -> None:
    server.to_recipient.append("550 no")
    async with open_hall(with_mail(settings, server.url)) as hall:
        owner = await account(hall, "Astrid")
        await owner.post("/account/mail", {"address": ADDRESS})
        await until(lambda: server.tried and not mails_waiting(hall))
        assert "550 no" in (await owner.get("/account")).text
    assert OF_SERVER not in caplog.text


async def test_the_doctor_signs_in_to_the_server_and_sends_nothing(
    settings: Settings, server: MailServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEADHALL_URL", URL)
    for url, says in (
        (server.url, f"localhost:{server.port} sends the mails"),
        (server.url.replace("word", "wort"), "takes no mails: "),
    ):
        monkeypatch.setenv("MEADHALL_SMTP", url)
        told = (await asyncio.to_thread(run_command, settings, "doctor")).stdout
        assert says in told
        assert "p@ss" not in told
        assert "p%40ss" not in told
    assert server.tried == 0
