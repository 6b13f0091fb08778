"""The models of the pages of hosts and helpers."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from meadhall.engine.text.language import gettext as _
from meadhall.engine.text.language import marked
from meadhall.server.hall.chat import in_words
from meadhall.server.hall.moderation import REASONS
from meadhall.server.hall.talk import muted_words
from meadhall.server.store.cases import Context
from meadhall.server.store.models import FOR_GOOD, Guest
from meadhall.server.web.links import link

_SECTIONS: Final = (
    ("/host", marked("Cases"), ("helper", "host")),
    ("/host/waiting", marked("New guests"), ("helper", "host")),
    ("/host/log", marked("Log"), ("host",)),
)
"""The sections: their addresses, their titles, and the roles that see them."""


def sections(reader: Guest) -> list[tuple[str, str]]:
    """Return the addresses and titles of the sections that a reader with a role may open."""
    return [(link(path), _(title)) for path, title, roles in _SECTIONS if reader.role in roles]


@dataclass(frozen=True)
class CaseView:
    """A case as a helper sees it.

    Attributes:
        found: the case with its context.
        reasons: each reason of the reporters, and how many have given it.
        words: what reporters have written.
        lines: the lines around: the author, what was said, and whether it is the line that was reported.
        muted, closed: until when the person is muted or shut out; "" if they aren't.
    """

    found: Context
    reasons: tuple[tuple[str, int], ...]
    words: tuple[str, ...]
    lines: tuple[tuple[str, str, bool], ...]
    muted: str
    closed: str


def case_view(found: Context, now: datetime) -> CaseView:
    """Return a case as a helper sees it at this time."""
    person = found.person
    reasons = Counter(_(REASONS.get(reason, reason)) for reason, _words in found.reports)
    lines = [
        (line.name, in_words(line.phrase) if line.phrase else line.text, line.id == found.case.subject) for line in found.lines
    ]
    ends = [
        "" if end is None or end <= now else _("for good") if end == FOR_GOOD else f"{end:%Y-%m-%d %H:%M} UTC"
        for end in (person.muted_until, person.closed_until)
    ]
    words = tuple(words for _reason, words in found.reports if words)
    return CaseView(found, tuple(reasons.most_common()), words, tuple(lines), *ends)


def outcomes(stored: str) -> str:
    """Return in words what was done in a case."""
    return ", ".join(_(_OUTCOMES.get(each, each)) for each in stored.split())


_OUTCOMES: Final = {
    "hide": marked("line deleted"),
    "mute": marked("muted for a day"),
    "week": marked("shut out for a week"),
    "good": marked("shut out for good"),
    "rename": marked("renamed"),
    "dismiss": marked("dismissed"),
}


def told(guest: Guest, now: datetime) -> list[str]:
    """Return what the next page tells a guest once, in words."""
    reason = " " + _("Reason: {reason}").format(reason=guest.reason) if guest.reason else ""
    is_muted = guest.muted_until is not None and guest.muted_until > now
    words = {
        "renamed": _("A helper of this hall has given you another name: {name}.").format(name=guest.name) + reason,
        "muted": muted_words(guest) if is_muted else "",
        "acted": _("Something was done about what you have reported. Thank you."),
        "unfounded": _("The helpers have looked at what you have reported, and saw no reason to do something."),
    }
    return [words[key] for key in guest.told.split() if words.get(key)]
