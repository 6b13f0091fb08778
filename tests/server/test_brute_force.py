"""Attempts to guess passwords and recovery codes: slowed by account and by address, and nothing tells whether a name is right."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from argon2 import PasswordHasher, extract_parameters

from meadhall.server.errors import NotThatPerson, TooMany
from meadhall.server.hall.people import sign_in
from meadhall.server.hall.people.accounts import Accounts, Device
from meadhall.server.hall.people.sign_in import OF_ACCOUNT, OF_ADDRESS, OF_PLACE, Client, Passwords, mark_of
from meadhall.server.settings import Settings
from meadhall.server.store.accounts import Account
from meadhall.server.store.database import Db, in_utc
from meadhall.server.store.models import Guest
from meadhall.server.store.store import Store

pytestmark = pytest.mark.asyncio

PASSWORD = "correct horse battery"  # noqa: S105
PHONE = Device("browser", "a phone")


async def accounts_with(store: Store, name: str = "Sigrid") -> tuple[Accounts, Account, list[str]]:
    accounts = Accounts(store, lambda _tables: None)
    signed_in, codes = await accounts.create_with_password(Guest("aaaa", "Ada"), name, PASSWORD, PHONE)
    return accounts, signed_in.account, codes


async def tries(
    accounts: Accounts,
    count: int,
    client: Client,
    name: str = "Sigrid",
    password: str = "wrong wrong",  # noqa: S107
) -> list[type]:
    """Try a password several times, and return what happened."""
    found: list[type] = []
    for _ in range(count):
        try:
            await accounts.by_password(name, password, client)
            found.append(Account)
        except (NotThatPerson, TooMany) as error:
            found.append(type(error))
    return found


async def use_up(accounts: Accounts, client: Client) -> None:
    """Use up the free attempts of an address."""
    for _ in range(OF_ADDRESS.free):
        with pytest.raises(NotThatPerson):
            accounts.by_recovery_code("Sigrid", "0000-0000-0000-0000", client)


def pass_time(store: Store, seconds: float) -> None:
    """Let all attempts have happened earlier."""

    def earlier(db: Db) -> None:
        for key, *times in db.rows("SELECT key, next_at, last_at FROM failed_attempts"):
            before = [in_utc(time) - timedelta(seconds=seconds) for time in times]
            db.run("UPDATE failed_attempts SET next_at = ?, last_at = ? WHERE key = ?", *before, key)

    store.transact(earlier)


async def test_after_ten_attempts_each_needs_a_longer_pause_of_at_most_a_minute(on_sqlite: Settings) -> None:
    async with Store.open(on_sqlite) as store:
        accounts, _account, _codes = await accounts_with(store)
        assert await tries(accounts, 10, Client("10.0.0.9")) == [NotThatPerson] * 10
        assert await tries(accounts, 1, Client("10.0.0.9"), password=PASSWORD) == [TooMany], "even the right one is not tried"
        for pause in (2, 4, 8, 16, 32, 60, 60):
            pass_time(store, pause - 1)
            assert await tries(accounts, 1, Client("10.0.0.9")) == [TooMany], pause
            pass_time(store, 1.01)
            assert await tries(accounts, 1, Client("10.0.0.9")) == [NotThatPerson], pause
        pass_time(store, 61)
        assert await tries(accounts, 1, Client("10.0.0.7"), password=PASSWORD) == [Account]
        assert await tries(accounts, 10, Client("10.0.0.7")) == [NotThatPerson] * 10, "the right one ends it"


async def test_an_attacker_who_never_stops_keeps_no_owner_out(on_sqlite: Settings) -> None:
    async with Store.open(on_sqlite) as store:
        accounts, _account, codes = await accounts_with(store)
        attacker, owner = Client("10.0.0.9"), Client("10.0.0.1")
        await tries(accounts, OF_ACCOUNT.free, attacker)
        for minute in range(OF_PLACE.free):
            pass_time(store, 60)
            assert await tries(accounts, 2, attacker) == [NotThatPerson, TooMany], "takes the attempt after the pause"
            assert await tries(accounts, 1, owner) == [NotThatPerson], f"mistyped, {minute}"
        assert await tries(accounts, 1, owner, password=PASSWORD) == [TooMany], "few attempts pass"
        assert (accounts.by_recovery_code("Sigrid", codes[0], owner)).name == "Sigrid"
        pass_time(store, 60)
        await tries(accounts, 1, attacker)
        assert await tries(accounts, 1, owner, password=PASSWORD) == [Account], "it waits for its own mistakes only"


async def test_a_device_that_is_signed_in_is_known(on_sqlite: Settings) -> None:
    async with Store.open(on_sqlite) as store:
        accounts, account, _codes = await accounts_with(store)
        session = (accounts.sign_in(account, PHONE)).session
        await use_up(accounts, Client("10.0.0.9"))
        assert await tries(accounts, 1, Client("10.0.0.9", session=session), password=PASSWORD) == [Account], "behind one router"
        stolen = replace(session, guest="bbbb")
        assert await tries(accounts, 1, Client("10.0.0.9", session=stolen), password=PASSWORD) == [TooMany]


async def test_look_alike_spellings_of_a_name_give_no_more_attempts(on_sqlite: Settings) -> None:
    spellings = ("HELGA", "\N{CYRILLIC CAPITAL LETTER EN}ELGA", "\N{GREEK CAPITAL LETTER ETA}ELGA")
    async with Store.open(on_sqlite) as store:
        accounts, _account, _codes = await accounts_with(store, "HELGA")
        assert await tries(accounts, 10, Client("10.0.0.9"), spellings[0]) == [NotThatPerson] * 10
        for spelling in spellings:
            assert await tries(accounts, 1, Client("10.0.0.9"), spelling, PASSWORD) == [TooMany], spelling
        pass_time(store, 61)
        for spelling in spellings:
            assert await tries(accounts, 1, Client("10.0.0.8"), spelling, PASSWORD) == [Account], spelling


async def test_the_owners_own_device_passes_while_others_are_slowed(on_sqlite: Settings) -> None:
    async with Store.open(on_sqlite) as store:
        accounts, account, _codes = await accounts_with(store)
        await tries(accounts, 10, Client("10.0.0.9"))
        known = Client("10.0.0.1", "laptop", frozenset({mark_of(account.handle)}))
        assert await tries(accounts, 1, known, password=PASSWORD) == [Account]
        other = Client("10.0.0.9", "laptop", frozenset({mark_of("another account")}))
        await tries(accounts, 12, Client("10.0.0.9"))
        assert await tries(accounts, 1, other, password=PASSWORD) == [TooMany]
        assert await tries(accounts, 11, known) == [*[NotThatPerson] * 10, TooMany], "a stolen device is slowed, too"


async def test_an_address_that_tries_many_accounts_is_slowed_for_longer(on_sqlite: Settings) -> None:
    async with Store.open(on_sqlite) as store:
        accounts, _account, _codes = await accounts_with(store)
        attacker = Client("10.0.0.9")
        found = [(await tries(accounts, 1, attacker, f"Name {k}"))[0] for k in range(OF_ADDRESS.free + 1)]
        assert found == [*[NotThatPerson] * OF_ADDRESS.free, TooMany]
        assert await tries(accounts, 1, Client("10.0.0.1"), password=PASSWORD) == [Account], "others are not slowed"
        assert OF_ADDRESS.pause_after(100) == timedelta(minutes=15)
        assert OF_ACCOUNT.pause_after(1000) == timedelta(minutes=1)


async def test_recovery_codes_are_slowed_by_address_only(on_sqlite: Settings) -> None:
    async with Store.open(on_sqlite) as store:
        accounts, _account, codes = await accounts_with(store)
        await use_up(accounts, Client("10.0.0.9"))
        with pytest.raises(TooMany):
            accounts.by_recovery_code("Sigrid", codes[0], Client("10.0.0.9"))
        assert (accounts.by_recovery_code("Sigrid", codes[0], Client("10.0.0.8"))).name == "Sigrid"


async def test_a_wrong_name_costs_the_same_hash_as_a_wrong_password(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    checked: list[Any] = []
    verify = PasswordHasher.verify

    def noted(hasher: PasswordHasher, hash: str | bytes, password: str | bytes) -> Any:
        checked.append(extract_parameters(str(hash)))
        return verify(hasher, hash, password)

    monkeypatch.setattr(PasswordHasher, "verify", noted)
    async with Store.open(settings) as store:
        accounts, _account, _codes = await accounts_with(store)
        for name in ("Sigrid", "Nobody"):
            assert await tries(accounts, 1, Client("10.0.0.9"), name) == [NotThatPerson]
    wrong_password, wrong_name = checked
    assert wrong_password == wrong_name


async def test_a_hash_with_old_parameters_is_replaced_at_the_next_sign_in(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    weak = PasswordHasher(time_cost=1, memory_cost=8 * 1024, parallelism=1)
    strong = sign_in._HASHER
    async with Store.open(settings) as store:
        monkeypatch.setattr(sign_in, "_HASHER", weak)
        accounts, account, _codes = await accounts_with(store)
        assert extract_parameters(str(account.password)).memory_cost == 8 * 1024
        monkeypatch.setattr(sign_in, "_HASHER", strong)
        await tries(accounts, 1, Client("10.0.0.9"))
        assert (accounts.overview(Guest("aaaa", "Sigrid"))).account.password == account.password
        assert await tries(accounts, 1, Client("10.0.0.9"), password=PASSWORD) == [Account]
        stored = (accounts.overview(Guest("aaaa", "Sigrid"))).account.password
        assert extract_parameters(str(stored)).memory_cost == 19 * 1024
        assert await tries(accounts, 1, Client("10.0.0.9"), password=PASSWORD) == [Account]


async def test_hashing_leaves_the_event_loop_free() -> None:
    hashing = asyncio.gather(*(Passwords().hash(f"correct horse {k}", "Ada") for k in range(4)))
    turns = 0
    while not hashing.done():
        await asyncio.sleep(0)
        turns += 1
    assert turns > 50


async def test_attempts_are_forgotten_after_a_day(on_sqlite: Settings) -> None:
    async with Store.open(on_sqlite) as store:
        accounts, _account, _codes = await accounts_with(store)
        await tries(accounts, 10, Client("10.0.0.9"))
        pass_time(store, timedelta(days=1, minutes=1).total_seconds())
        assert await tries(accounts, 10, Client("10.0.0.9")) == [NotThatPerson] * 10
