"""Results of checks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

TOLERANCE: Final = 2.0
"""Seconds by which two clocks may differ, and the wall clock from the monotonic one."""

Status = Literal["ok", "warning", "wrong"]


@dataclass(frozen=True)
class Finding:
    """A result of a check.

    Attributes:
        check: what was checked: ``settings``, ``folder``, ``files``, ``cache``, ``database``, ``matches``, ``clock``, ``port``,
            ``push`` or ``proxy``.
        status: ``wrong`` if the hall can't work like this, ``warning`` if it works worse than it could.
        text: what was found.
        advice: what to do about it; "" if all is well.
    """

    check: str
    status: Status
    text: str
    advice: str = ""
