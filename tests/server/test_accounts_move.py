"""Accounts survive a backup: their owners sign in as before."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from meadhall.server.hall.people.accounts import Accounts, Device
from meadhall.server.hall.people.sign_in import Client
from meadhall.server.settings import Settings
from meadhall.server.store.models import Guest
from meadhall.server.store.store import Store
from server.halls import run_command
from server.test_passkeys import PARTY, as_json, signed, with_passkey

pytestmark = pytest.mark.asyncio

PASSWORD = "correct horse battery"  # noqa: S105
PHONE = Device("browser", "a phone")


async def test_owners_sign_in_after_a_backup_was_restored_on_another_database(
    settings: Settings, elsewhere: Settings, tmp_path: Path
) -> None:
    async with Store.open(settings) as store:
        accounts = Accounts(store, lambda _tables: None)
        device = await with_passkey(accounts)
        await accounts.by_passkey(Guest("eeee", "Eve"), await signed(accounts, device), PARTY)
        signed_in, codes = await accounts.create_with_password(Guest("bbbb", "Björn"), "Björn", PASSWORD, PHONE)
    file = tmp_path / "hall.backup"
    for target, arguments in ((settings, ("backup", file)), (elsewhere, ("restore", file))):
        done = await asyncio.to_thread(run_command, target, *arguments)
        assert done.returncode == 0, done.stderr
    async with Store.open(elsewhere) as store:
        accounts = Accounts(store, lambda _tables: None)
        assert (await accounts.by_password("björn", PASSWORD, Client("10.0.0.1"))).guest == "bbbb"
        assert (accounts.by_recovery_code("Björn", codes[0], Client("10.0.0.1"))).guest == "bbbb"
        assert [each.id for each in (accounts.overview(Guest("bbbb", "Björn"))).sessions] == [signed_in.session.id]
        options = as_json(await accounts.begin_sign_in(Guest("eeee", "Eve"), PARTY))
        assert (await accounts.by_passkey(Guest("eeee", "Eve"), json.dumps(device.get(options)), PARTY)).guest == "aaaa"
