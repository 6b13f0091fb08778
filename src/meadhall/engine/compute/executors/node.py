"""The function that Ray sends to the nodes: as code and not as a name, so that it runs beside any version of meadhall."""

from __future__ import annotations

from typing import Any


def play_on_a_node(content: bytes, expected: dict[str, str], parts: list[range]) -> tuple[float, list[Any]] | Exception:
    """Play chunks on a node, see ``cluster.play``. Return an error instead of raising it.

    It is an ImportError where meadhall is missing, or older than this function.
    """
    try:
        from meadhall.engine.compute.executors.cluster import play  # noqa: PLC0415 - only on the node

        return play(content, expected, parts)
    except Exception as error:
        return error
