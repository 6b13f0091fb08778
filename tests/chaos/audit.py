"""Compare the acknowledged actions with the stored ones."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from contextlib import closing
from pathlib import Path

import httpx

import meadhall
from chaos.load import Acknowledged, Load

_ENTRIES = "SELECT table_id, number, kind, seat, value FROM match_entries ORDER BY table_id, number"


async def audit(load: Load, database: Path) -> list[str]:
    """Return every fault found: an acknowledged action that is missing or doubled, a gap, a record that does not verify."""
    faults = [*load.refused]
    async with httpx.AsyncClient(base_url=load.url, timeout=60) as client:  # before the store is read: bots play on
        records = {table: await _record(client, table, token) for table, token in load.tables.items()}
    stored = _stored(database)
    for table, entries in stored.items():
        numbers = [entry["number"] for entry in entries]
        if numbers != list(range(1, len(numbers) + 1)):
            faults.append(f"{table}: its entries are numbered {numbers}")
    faults += _lost(load.acknowledged, stored)
    for table, record in records.items():
        faults += _unverified(table, record, stored[table])
    return faults


async def _record(client: httpx.AsyncClient, table: str, token: str) -> httpx.Response:
    return await client.get(f"/api/v1/tables/{table}/record", headers={"Authorization": token})


def _stored(database: Path) -> defaultdict[str, list[sqlite3.Row]]:
    """Return the entries of all tables."""
    stored = defaultdict[str, list[sqlite3.Row]](list)
    with closing(sqlite3.connect(f"{database.as_uri()}?mode=ro", uri=True)) as connection:
        connection.row_factory = sqlite3.Row
        for row in connection.execute(_ENTRIES):
            stored[row["table_id"]].append(row)
    return stored


def _lost(acknowledged: list[Acknowledged], stored: dict[str, list[sqlite3.Row]]) -> list[str]:
    """Return the acknowledged actions that are not stored at their number. All entries of these matches are actions."""
    found = []
    for each in acknowledged:
        entries = stored.get(each.table, [])
        entry = entries[each.number - 1] if each.number <= len(entries) else None
        if entry is None or (entry["kind"], entry["seat"], entry["value"]) != ("action", each.seat, each.action):
            found.append(f"{each.table}: {each} was acknowledged, stored is {entry}")
    if len(set(acknowledged)) != len(acknowledged):
        found.append("an action was acknowledged twice")
    return found


def _unverified(table: str, answer: httpx.Response, entries: list[sqlite3.Row]) -> list[str]:
    """Return why the record of a table does not verify, if so."""
    if answer.status_code != httpx.codes.OK:
        return [f"{table}: no record: {answer.status_code} {answer.text}"]
    record = answer.json()
    written = [(action["n"], action["seat"], action["action"]) for action in record["actions"]]
    if written != [(entry["number"], entry["seat"], entry["value"]) for entry in entries[: len(written)]]:
        return [f"{table}: the record differs from the store"]
    if record["result"] is None:
        return []  # its seed is secret until the end
    if len(written) != len(entries):
        return [f"{table}: the record has {len(written)} actions, the store {len(entries)}"]
    try:
        meadhall.replay(record)
    except meadhall.MeadhallError as error:
        return [f"{table}: {error}"]
    return []
