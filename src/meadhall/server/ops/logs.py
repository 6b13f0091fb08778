"""The log of the hall's processes."""

from __future__ import annotations

import logging

from meadhall.server.ops.log_limit import OncePerInterval


def configure_logging() -> None:
    """Write log lines to standard error, from level INFO on."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    logging.getLogger("alembic").setLevel(logging.WARNING)
    logging.getLogger("uvicorn.error").addFilter(OncePerInterval())  # it warns of each malformed request
