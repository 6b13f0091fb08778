"""Results of checks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Status = Literal["ok", "warning", "wrong"]


@dataclass(frozen=True)
class Finding:
    """A result of a check.

    Attributes:
        check: what was checked: ``settings``, ``folder``, ``files``, ``cache``, ``database``, ``clock``, ``port`` or ``proxy``.
        status: ``wrong`` if the hall can't work like this, ``warning`` if it works worse than it could.
        text: what was found.
        advice: what to do about it; "" if all is well.
    """

    check: str
    status: Status
    text: str
    advice: str = ""
