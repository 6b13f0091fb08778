"""The real PgBouncer, a connection pooler, in front of the PostgreSQL of the tests."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from meadhall.server.settings import Settings
from ports import free_port
from proxies import installed, running


@contextmanager
def pgbouncer(settings: Settings, folder: Path, mode: str, pool_size: int = 60) -> Iterator[Settings]:
    """Run PgBouncer during the block, in this ``pool_mode``. Yield the settings of a hall that uses its database through it."""
    port, url = free_port(), settings.url
    lines = {
        "[databases]": "",
        "*": f"host={url.host} port={url.port} user={url.username}",
        "[pgbouncer]": "",
        "listen_addr": "127.0.0.1",
        "listen_port": port,
        "unix_socket_dir": "",
        "auth_type": "any",
        "pool_mode": mode,
        "default_pool_size": pool_size,
    }
    config = folder / f"pgbouncer-{port}.ini"
    config.write_text("".join(f"{name} = {value}\n" if name[0] != "[" else f"{name}\n" for name, value in lines.items()))
    command = [installed("pgbouncer"), *(("-u", "nobody") if os.geteuid() == 0 else ()), str(config)]
    with running(command, folder, port, {}):
        yield replace(settings, database_url=str(url.set(port=port)))
