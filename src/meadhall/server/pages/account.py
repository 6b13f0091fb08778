"""The pages of accounts: keep my name, sign in, the account itself, recovery codes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from meadhall.server.hall.people.accounts import Overview
from meadhall.server.hall.people.sign_in import LONGEST, SHORTEST
from meadhall.server.pages.dates import moment
from meadhall.server.pages.models import Moment
from meadhall.server.store.sessions import Session


@dataclass(frozen=True)
class SignInPage:
    """A form with a passkey, a password or a recovery code: to sign in, to confirm, or for a new account."""

    passkeys: bool  # whether browsers make passkeys for the hall's address
    name: str = ""
    notice: str = ""  # why the form was refused
    back: str = ""  # where to go afterwards
    tables: int = 0  # how many this device's guest takes along
    guest: str = ""  # the name of this device's guest
    shortest: int = SHORTEST
    longest: int = LONGEST


@dataclass(frozen=True)
class PasskeyView:
    """A passkey."""

    id: str
    label: str
    made: Moment
    used: Moment | None


@dataclass(frozen=True)
class SessionView:
    """A device or program that is signed in."""

    id: str
    label: str
    program: bool
    here: bool
    used: Moment
    has_push: bool  # whether it gets push messages


@dataclass(frozen=True)
class PushDevice:
    """A browser with push messages that belongs to no session."""

    id: str
    label: str


@dataclass(frozen=True)
class AccountPage:
    """An account, for its owner."""

    passkeys: bool
    keys: tuple[PasskeyView, ...]
    has_password: bool
    codes_left: int
    sessions: tuple[SessionView, ...]
    with_push: tuple[PushDevice, ...]
    since: Moment
    notice: str = ""
    done: str = ""  # the change that was just made
    shortest: int = SHORTEST
    longest: int = LONGEST


@dataclass(frozen=True)
class CodesPage:
    """Recovery codes, which are shown once."""

    codes: tuple[str, ...]
    is_new: bool  # whether the account has just been made


def account_page(found: Overview, here: Session | None, passkeys: bool, notice: str = "", done: str = "") -> AccountPage:
    """Return the page of an account."""
    keys = tuple(
        PasskeyView(
            each.id, each.label, moment(each.created_at), None if each.last_used_at is None else moment(each.last_used_at)
        )
        for each in found.passkeys
    )
    ids, with_push = {each.id for each in found.sessions}, {each.session for each in found.with_push}
    return AccountPage(
        passkeys,
        keys,
        found.account.password is not None,
        found.codes_left,
        tuple(_session(each, here, each.id in with_push) for each in _here_first(found.sessions, here)),
        tuple(PushDevice(each.id, each.device) for each in found.with_push if each.session not in ids),
        moment(found.account.created_at),
        notice,
        done,
    )


def _here_first(sessions: Sequence[Session], here: Session | None) -> list[Session]:
    return sorted(sessions, key=lambda session: here is None or session.id != here.id)


def _session(session: Session, here: Session | None, has_push: bool) -> SessionView:
    is_here = here is not None and session.id == here.id
    return SessionView(session.id, session.label, session.kind == "program", is_here, moment(session.last_used_at), has_push)
