"""Passkeys, made and used by an authenticator in software: challenges, origins, forgeries, and answers that are nonsense."""

from __future__ import annotations

import copy
import json
from base64 import urlsafe_b64encode
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings as hypothesis_settings, strategies as st

from meadhall.server.errors import BadPasskey
from meadhall.server.hall.people.accounts import Accounts, Device
from meadhall.server.hall.people.passkeys import RelyingParty
from meadhall.server.ops.time import Time
from meadhall.server.settings import Settings
from meadhall.server.store import guests
from meadhall.server.store.models import Guest
from meadhall.server.store.store import Store
from server.authenticator import SoftAuthenticator

pytestmark = pytest.mark.asyncio

PARTY = RelyingParty.at("https://hall.example/sub", "Meadhall")
ADA, EVE = Guest("aaaa", "Ada"), Guest("eeee", "Eve")
PHONE = Device("browser", "a phone")


def accounts_of(store: Store) -> Accounts:
    return Accounts(store, lambda _tables: None)


async def with_passkey(accounts: Accounts, guest: Guest = ADA, name: str = "Sigrid") -> SoftAuthenticator:
    """Make an account with a passkey."""
    device = SoftAuthenticator(PARTY.origin)
    options = as_json(await accounts.begin_passkey(guest, name, PARTY))
    await accounts.create_with_passkey(guest, name, json.dumps(device.create(options)), PARTY, PHONE)
    return device


def as_json(options: dict[str, object]) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(json.dumps(options))
    return found


async def signed(accounts: Accounts, device: SoftAuthenticator, guest: Guest = EVE) -> str:
    return json.dumps(device.get(as_json(await accounts.begin_sign_in(guest, PARTY))))


async def test_a_passkey_signs_in_to_its_account_at_any_process(on_sqlite: Settings) -> None:
    async with Store.open(on_sqlite) as store:
        first, second = accounts_of(store), accounts_of(store)
        device = await with_passkey(first)
        for _ in range(2):
            answer = await signed(first, device)
            assert (await second.by_passkey(EVE, answer, PARTY)).guest == ADA.id
        found = first.overview(ADA)
        assert (found.passkeys[0].sign_count, found.passkeys[0].transports) == (2, ("internal",))
        assert found.passkeys[0].last_used_at is not None


async def test_what_the_browser_is_asked_for(settings: Settings) -> None:
    async with Store.open(settings) as store:
        accounts = accounts_of(store)
        made = as_json(await accounts.begin_passkey(ADA, "Sigrid", PARTY))
        assert made["rp"] == {"id": "hall.example", "name": "Meadhall"}
        assert made["authenticatorSelection"]["residentKey"] == "required"
        assert made["authenticatorSelection"]["userVerification"] == "preferred"
        assert made["attestation"] == "none"
        assert made["user"]["name"] == "Sigrid"
        assert ADA.id not in json.dumps(made)
        used = as_json(await accounts.begin_sign_in(ADA, PARTY))
        assert (used["rpId"], used.get("allowCredentials", [])) == ("hall.example", [])
        assert used["challenge"] != made["challenge"]


async def test_an_answer_is_accepted_once(on_sqlite: Settings) -> None:
    async with Store.open(on_sqlite) as store:
        accounts = accounts_of(store)
        device = await with_passkey(accounts)
        answer = await signed(accounts, device)
        await accounts.by_passkey(EVE, answer, PARTY)
        with pytest.raises(BadPasskey, match="tried twice"):
            await accounts.by_passkey(EVE, answer, PARTY)


async def test_an_answer_is_accepted_from_the_guest_who_was_asked_only(settings: Settings) -> None:
    async with Store.open(settings) as store:
        accounts = accounts_of(store)
        device = await with_passkey(accounts)
        answer = await signed(accounts, device, EVE)
        with pytest.raises(BadPasskey):
            await accounts.by_passkey(Guest("ffff", "Finn"), answer, PARTY)
        made = SoftAuthenticator(PARTY.origin)
        answer = json.dumps(made.create(as_json(await accounts.begin_passkey(EVE, "Eve", PARTY))))
        with pytest.raises(BadPasskey):
            await accounts.add_passkey(ADA, answer, PARTY, "stolen")


async def test_an_answer_for_another_purpose_is_refused(settings: Settings) -> None:
    async with Store.open(settings) as store:
        accounts = accounts_of(store)
        device = await with_passkey(accounts)
        options = as_json(await accounts.begin_passkey(replace(ADA, has_account=True), "", PARTY))
        answer = json.dumps(device.get({"rpId": PARTY.id, "challenge": options["challenge"]}))
        with pytest.raises(BadPasskey):
            await accounts.by_passkey(ADA, answer, PARTY)


async def test_a_late_answer_is_refused(settings: Settings) -> None:
    async with Store.open(settings) as store:
        accounts = accounts_of(store)
        device = await with_passkey(accounts)
        answer = await signed(accounts, device)
        late = Time().now() - timedelta(seconds=1)
        store.transact(lambda db: db.run("UPDATE challenges SET expires_at = ?", late))
        with pytest.raises(BadPasskey, match="too long"):
            await accounts.by_passkey(EVE, answer, PARTY)


@pytest.mark.parametrize("what", ["origin", "key", "counter", "handle", "removed"])
async def test_a_forged_answer_is_refused(settings: Settings, what: str) -> None:
    async with Store.open(settings) as store:
        accounts = accounts_of(store)
        device = await with_passkey(accounts)
        await accounts.by_passkey(EVE, await signed(accounts, device), PARTY)
        if what == "origin":
            device.origin = "https://hall.example.evil"
        elif what == "key":
            device.key = SoftAuthenticator("").key
        elif what == "counter":
            device.count = 0
        elif what == "handle":
            device.handle = (await with_passkey(accounts, EVE, "Eve")).handle
        else:
            device.id = b"unknown"
        answer = await signed(accounts, device)
        with pytest.raises(BadPasskey):
            await accounts.by_passkey(EVE, answer, PARTY)


@hypothesis_settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
async def test_nonsense_is_refused_as_such(settings: Settings, data: st.DataObject) -> None:
    """Change a part of a good answer into anything: the refusal is always the typed one, and nothing is signed in."""
    async with Store.open(settings) as store:
        accounts = accounts_of(store)
        if store.transact(guests.find, ADA.id) is None:
            device = await with_passkey(accounts)
            KEPT["device"] = device
        device = KEPT["device"]
        good = json.loads(await signed(accounts, device))
        spoiled = copy.deepcopy(good)
        part = data.draw(
            st.sampled_from(["id", "rawId", "type", "clientDataJSON", "authenticatorData", "signature", "userHandle"])
        )
        where = spoiled if part in spoiled else spoiled["response"]
        value = data.draw(st.none() | st.integers() | st.text(max_size=60) | st.lists(st.integers(), max_size=3))
        where[part] = value
        try:
            account = await accounts.by_passkey(EVE, json.dumps(spoiled), PARTY)
        except BadPasskey:
            return
        assert account.guest == ADA.id, "only what doesn't matter was changed"
        assert part in ("userHandle", "id", "rawId", "type")


KEPT: dict[str, SoftAuthenticator] = {}


def answering(challenge: str, id: str = "AAAA") -> str:
    """Return an answer to a challenge."""
    data = urlsafe_b64encode(json.dumps({"challenge": challenge}).encode()).decode()
    return json.dumps({"id": id, "response": {"clientDataJSON": data}})


@pytest.mark.parametrize(
    "text",
    [
        *("", "null", "[]", "{}", '{"id": 5}', '{"id": "x", "response": {"clientDataJSON": "e30"}}', "\ud800"),
        *(answering("\0"), answering("\ud800"), answering("AAAA", id="\0"), answering("AAAA", id="\ud800"), answering("")),
    ],
)
async def test_an_answer_that_is_no_answer_is_refused(on_sqlite: Settings, text: str) -> None:
    async with Store.open(on_sqlite) as store:
        accounts = accounts_of(store)
        with pytest.raises(BadPasskey):
            await accounts.by_passkey(ADA, text, PARTY)
        with pytest.raises(BadPasskey):
            await accounts.create_with_passkey(ADA, "Sigrid", text, PARTY, PHONE)


@pytest.mark.parametrize(
    ("url", "id", "origin", "is_possible"),
    [
        ("https://hall.example", "hall.example", "https://hall.example", True),
        ("https://example.org:8443/hall", "example.org", "https://example.org:8443", True),
        ("http://localhost:8000", "localhost", "http://localhost:8000", True),
        ("http://hall.example", "hall.example", "http://hall.example", False),
        ("http://127.0.0.1:8000", "127.0.0.1", "http://127.0.0.1:8000", False),
        ("https://[::1]:8000", "::1", "https://[::1]:8000", False),
    ],
)
async def test_the_relying_party_follows_from_the_address(url: str, id: str, origin: str, is_possible: bool) -> None:
    party = RelyingParty.at(url, "Meadhall")
    assert (party.id, party.origin, party.is_possible) == (id, origin, is_possible)
