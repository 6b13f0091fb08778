"""Admission to this hall: for everyone, invited guests, or people with an account. The host can shut people out."""

from __future__ import annotations

from typing import Final

from meadhall.engine.text.language import gettext as _
from meadhall.server.errors import NotAdmitted, NotFound, ShutOut
from meadhall.server.settings import ACCOUNTS, INVITED, OPEN
from meadhall.server.store import guests, links
from meadhall.server.store.database import Db
from meadhall.server.store.links import hash_of
from meadhall.server.store.models import Guest
from meadhall.server.store.store import Store

_PUBLIC: Final = (
    *("/admission/", "/sign-in", "/sign-out", "/identity/", "/privacy", "/rules/", "/settings", "/offline"),
    *("/manifest.webmanifest", "/service-worker.js", "/favicon.ico"),
)
"""Pages that everyone may see: how to get in, the rules, what is kept, and the choice of the language."""

_FOR_NEW_ACCOUNTS: Final = ("/account/new", "/account/passkey-options")


class Admission:
    """Admission to a hall.

    Args:
        store: the database.
        mode: ``open``, ``invited`` or ``accounts``.
    """

    def __init__(self, store: Store, mode: str) -> None:
        self._store = store
        self.mode = mode

    def check(self, guest: Guest, path: str) -> None:
        """Refuse a guest who may not see a page. Raises NotAdmitted, ShutOut."""
        if guest.is_closed:
            if not path.startswith(("/privacy", "/sign-out")):
                raise ShutOut(_("The host of this hall has closed your access."))
            return
        if not self.admits(guest) and not self._is_public(path):
            raise NotAdmitted(self.reason())

    def admits(self, guest: Guest) -> bool:
        """Return whether a guest may play here."""
        if guest.is_closed:
            return False
        return self.mode == OPEN or guest.has_account or (self.mode == INVITED and guest.is_admitted)

    def _is_public(self, path: str) -> bool:
        return path.startswith(_PUBLIC) or (self.mode == ACCOUNTS and path.startswith(_FOR_NEW_ACCOUNTS))

    def reason(self) -> str:
        """Return who may play here, in words."""
        if self.mode == INVITED:
            return _("This hall is for invited guests. Ask its host for an invitation link.")
        return _("This hall is for people with an account.")

    def note_of(self, token: str) -> str:
        """Return the note of an invitation that still admits. Raises NotFound."""
        link = self._store.transact(lambda db: links.find_admission(db, hash_of(token)))
        if link is None:
            raise _not_found()
        return link.note

    def check_program(self, invitation: str | None) -> None:
        """Refuse a program that may not become a guest. Raises NotAdmitted."""
        if self.mode == ACCOUNTS or (self.mode == INVITED and invitation is None):
            raise NotAdmitted(self.reason())

    def admit(self, token: str, guest: Guest) -> None:
        """Admit a guest with an invitation. One who is admitted already doesn't use it up. Raises NotFound, NameTaken."""

        def enter(db: Db) -> bool:
            link = links.use_admission(db, hash_of(token))
            if link is None:
                return False
            guests.save(db, guest)
            guests.admit(db, guest.id, link)
            return True

        if not guest.is_admitted and not self._store.transact(enter):
            raise _not_found()


def _not_found() -> NotFound:
    return NotFound(_("This invitation was used up, withdrawn, or has expired. Ask for a new one."))
