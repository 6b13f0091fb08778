"""Sessions: who sends a request, by the cookie of a browser or the bearer token of a program.

A guest without an account is known by their id, signed by the hall. Nothing else is stored about their devices. Once a guest has
an account, the signed id is worth nothing. Then each device and program has a session in the database, which can be ended.

Only the hall's own pages may send its forms (protection against cross-site request forgery). Browsers add the origin of a form
in a header that no page can change: ``Sec-Fetch-Site`` over HTTPS and on localhost, ``Origin`` elsewhere. So forms need no
tokens. The session cookie is also ``SameSite=Lax``. The JSON API is not checked. It ignores cookies, so a request from another
site has no authority there.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from functools import lru_cache
from secrets import token_hex
from typing import Any, Final, Self, get_args

from itsdangerous import BadSignature, URLSafeSerializer
from litestar.datastructures import Cookie
from litestar.types import HTTPScope

from meadhall.engine.text.language import LANGUAGES, gettext as _
from meadhall.server.errors import CrossSite, DatabaseUnavailable
from meadhall.server.hall.notifications import NotificationChoices
from meadhall.server.hall.people import sign_in
from meadhall.server.hall.people.accounts import Accounts, SignedIn
from meadhall.server.hall.people.names import GIVEN, any_name, clean_name
from meadhall.server.hall.people.sign_in import Client
from meadhall.server.store import accounts, guests, secrets, sessions
from meadhall.server.store.accounts import Account
from meadhall.server.store.models import Crest, Guest, ProfileVisibility, new_id
from meadhall.server.store.secrets import RetiredSecret
from meadhall.server.store.sessions import Session, SessionKind
from meadhall.server.store.store import Store
from meadhall.server.web import known_devices
from meadhall.server.web.links import link, origin_of, public_origin
from meadhall.server.web.request import AnyRequest, weighted

COOKIE: Final = "meadhall_guest"
THEMES: Final = ("auto", "light", "dark")
MOTIONS: Final = ("auto", "slow", "normal", "fast", "off")
CONFIRMS: Final = ("slow", "always", "never")
ONWARDS: Final = ("stay", "next")
PROFILES: Final[dict[str, ProfileVisibility]] = {each: each for each in get_args(ProfileVisibility)}
_KEY: Final = "guests"
_TEN_YEARS: Final = 10 * 365 * 24 * 3600
_CACHE_SIZE: Final = 20_000
_LONGEST_SIGNED_ID: Final = 200
_DEVICE: Final = "."
"""Stands between the id of a guest and that of the device in a cookie."""

_SIGNED: Final = re.compile(r"[^\W_]{1,32}(\.[\w-]{1,16})?")
_TOUCHED_EVERY: Final = timedelta(hours=1)
"""How exactly the last use of a session is known. A browser gets its cookie again then, so that it lasts."""

_SAFE_METHODS: Final = frozenset({"GET", "HEAD", "OPTIONS", "TRACE"})
"""Methods that change nothing (RFC 9110, 9.2.1)."""

_ACCEPTED_SITES: Final = frozenset({"same-origin", "none"})
"""``none``: the user started the request, for example by reloading the page."""


class Sessions:
    """Identifies the guests of requests. The guests and sessions seen last stay in memory."""

    def __init__(self, store: Store, accounts: Accounts, secret: str, retired: Sequence[RetiredSecret] = ()) -> None:
        self._store = store
        self._sessions: OrderedDict[str, Session] = OrderedDict()  # by the hash of the token
        accounts.on_session_change(self._forget)
        self._cache: OrderedDict[str, Guest] = OrderedDict()
        self._owned: Collection[str] | None = None  # the random names that belong to accounts, once they are known
        self._use_keys(secret, retired)

    @classmethod
    def load(cls, store: Store, accounts: Accounts) -> Self:
        """Return the sessions of a hall, with the keys that its database has."""
        return cls(store, accounts, store.secret(_KEY), store.transact(secrets.retired, _KEY))

    def _use_keys(self, secret: str, retired: Sequence[RetiredSecret]) -> None:
        self._cookies = URLSafeSerializer(secret, salt="guest")
        self._tokens = URLSafeSerializer(secret, salt="token")
        all_keys = [secret, *(each.value for each in retired if each.valid_until > self._store.time.now())]
        self._devices = [URLSafeSerializer(each, salt="device") for each in all_keys]
        self._old_cookies = [(URLSafeSerializer(each.value, salt="guest"), each.valid_until) for each in retired]
        self._old_tokens = [(URLSafeSerializer(each.value, salt="token"), each.valid_until) for each in retired]

    def _forget(self, guest: str) -> None:
        """Read a guest and their sessions again from the database when they are next needed."""
        self._forget_guest(guest)
        for token in [token for token, session in self._sessions.items() if session.guest == guest]:
            del self._sessions[token]

    def _forget_guest(self, guest: str) -> None:
        self._owned = None
        self._cache.pop(guest, None)

    def from_cookie(self, request: AnyRequest) -> Guest:
        """Return the guest of the session cookie. Without a valid one return a new guest, whose cookie the response will set.

        A cookie that was signed with a replaced key is renewed. The cookie of a session that has ended, and the signed id of a
        guest who has an account, are not valid. Such a cookie is replaced only where the browser loads a page: a script's request
        may have been sent before a sign-in whose answer has just set another cookie.
        """
        cookies = _session_cookies(request)
        for cookie in cookies:
            if cookie.startswith(sign_in.PREFIX) and (guest := self._of_session(cookie, "browser", request)):
                return guest
        known = (_verified(self._cookies, cookie) for cookie in cookies)
        old = (_verified_by_old(self._old_cookies, cookie, self._store.time.now()) for cookie in cookies)
        for ids, is_renewed in ((known, False), (old, True)):
            for signed in filter(None, ids):
                id, _, device = signed.partition(_DEVICE)
                guest = self._guest(id, request)
                if not guest.has_account:
                    request.scope["state"]["device"] = device
                    if is_renewed:
                        self._sign(request, guest)
                    return guest
        guest = self.begin_anew(request)
        if cookies and request.headers.get("Sec-Fetch-Mode", "navigate") != "navigate":
            del request.scope["state"]["new_session"]
        return guest

    def begin_anew(self, request: AnyRequest) -> Guest:
        """Return a new guest, whose cookie the response will set."""
        guest = Guest(token_hex(12), self._any_name(), preferred_language(request))
        self._remember(guest)
        request.scope["state"]["device"] = ""
        self._sign(request, guest)
        return guest

    def forget(self, guest: Guest) -> None:
        """Read a guest again from the database when they are next needed."""
        self._forget_guest(guest.id)

    def become(self, request: AnyRequest, guest: Guest) -> None:
        """Let the response give a browser the cookie of a guest without an account."""
        self._remember(guest)
        self._sign(request, guest)

    def _sign(self, request: AnyRequest, guest: Guest) -> None:
        """Let the response give a browser the cookie of a guest without an account, with the id of the device if it has one."""
        device = request.scope["state"].get("device")
        request.scope["state"]["new_session"] = self._cookies.dumps(f"{guest.id}{_DEVICE}{device}" if device else guest.id)

    def opener_for(self, request: AnyRequest, guest: Guest) -> str:
        """Return the id with which is recorded what a browser opens: of its session, or, without an account, of the device.

        The response gives a device without an id its cookie again, with one.
        """
        if not opener_of(request):
            request.scope["state"]["device"] = new_id()
            self._sign(request, guest)
        return opener_of(request)

    def from_bearer_token(self, request: AnyRequest) -> Guest | None:
        """Return the guest of the header ``Authorization: Bearer …``, None without a valid token."""
        scheme, _, token = request.headers.get("Authorization", "").partition(" ")
        if scheme.lower() != "bearer":
            return None
        token = token.strip()
        if token.startswith(sign_in.PREFIX):
            return self._of_session(token, "program", request)
        id = _verified(self._tokens, token) or _verified_by_old(self._old_tokens, token, self._store.time.now())
        guest = None if id is None else self._guest(id, request)
        return None if guest is None or guest.has_account else guest

    def start(self, request: AnyRequest, signed_in: SignedIn) -> None:
        """Let the response give a browser the cookie of its new session, in place of the one that it has."""
        request.scope["state"]["new_session"] = signed_in.token
        known_devices.remember(request, self._devices, signed_in.account.handle)

    def renew(self, request: AnyRequest, token: str) -> None:
        """Let the response give a browser the new cookie of its session."""
        request.scope["state"]["new_session"] = token

    def client_of(self, request: AnyRequest, device: str = "") -> Client:
        """Return where an attempt to sign in comes from. ``device``: what a program keeps in place of a cookie."""
        return known_devices.client_of(request, session_of(request), self._devices, device)

    def device_with(self, account: Account, device: str = "") -> str:
        """Return what a program keeps after an account has signed in on it."""
        return known_devices.with_account(device, self._devices, account.handle)

    def _of_session(self, token: str, kind: SessionKind, request: AnyRequest) -> Guest | None:
        """Return the guest of a session, None if it has ended."""
        hash = sign_in.hash_of_token(token)
        session = self._sessions.get(hash)
        if session is None:
            session = self._store.transact(lambda connection: sessions.find(connection, hash))
        if session is None or session.kind != kind:
            return None
        if session.last_used_at < self._store.time.now() - _TOUCHED_EVERY:
            id = session.id
            with suppress(DatabaseUnavailable):
                self._store.transact(lambda connection: sessions.touch(connection, id))
                session = replace(session, last_used_at=self._store.time.now())
                if kind == "browser":
                    request.scope["state"]["new_session"] = token
        self._sessions[hash] = session
        self._sessions.move_to_end(hash)
        if len(self._sessions) > _CACHE_SIZE:
            self._sessions.popitem(last=False)
        guest = self._guest(session.guest, request)
        if not guest.has_account:
            return None
        request.scope["state"]["session"] = session
        return guest

    def create_for_program(self, name: str) -> tuple[Guest, str]:
        """Create a guest for a program. Return the guest and the token. Raises NameTaken."""
        guest = self.save(Guest(token_hex(12), self._any_name()), name)
        return guest, self._tokens.dumps(guest.id)

    def save(
        self,
        guest: Guest,
        name: str = "",
        language: str = "",
        theme: str = "",
        motion: str = "",
        confirm: str = "",
        onward: str = "",
        profile: str = "",
        crest: str = "",
    ) -> Guest:
        """Store a guest with changed settings, and return them. Empty and invalid values change nothing. Raises NameTaken."""
        changed = replace(
            guest,
            name=clean_name(name) or guest.name,
            language=language if language in LANGUAGES else guest.language,
            theme=theme if theme in THEMES else guest.theme,
            motion=motion if motion in MOTIONS else guest.motion,
            confirm=confirm if confirm in CONFIRMS else guest.confirm,
            onward=onward if onward in ONWARDS else guest.onward,
            profile=PROFILES.get(profile, guest.profile),
            chosen_crest=crest if Crest.read(crest) else guest.chosen_crest,
        )
        if changed != guest or not guest.is_stored:
            changed = self._store.save_guest(changed, is_chosen=bool(clean_name(name)) and changed.name != guest.name)
            if changed.has_account and changed.name != guest.name:
                self._owned = None
        self._remember(changed)
        return changed

    def remember_choice(self, guest: Guest, game: str, choice: Mapping[str, Any]) -> None:
        """Store what a guest chose for a match against bots, to offer it next time."""
        if guest.choices.get(game) != choice:
            self._remember(self._store.save_guest(replace(guest, choices={**guest.choices, game: choice})))

    def choose_notifications(self, guest: Guest, choices: NotificationChoices) -> None:
        """Store which events the guest wants to be told of."""
        if guest.notifications != (stored := choices.stored()):
            self._remember(self._store.save_guest(replace(guest, notifications=stored)))

    def _guest(self, id: str, request: AnyRequest) -> Guest:
        guest = self._cache.get(id)
        if guest is None or not guest.is_stored:  # a command may have stored the guest meanwhile
            guest = self._store.transact(guests.find, id) or guest
            guest = guest or Guest(id, self._any_name(), preferred_language(request))
        self._remember(guest)
        return guest

    def _any_name(self) -> str:
        """Return a random name that belongs to no account."""
        if self._owned is None:
            with suppress(DatabaseUnavailable):  # then the guest may get a number when something of theirs is stored
                self._owned = self._store.transact(accounts.owned_of, GIVEN)
        return any_name(self._owned or ())

    def _remember(self, guest: Guest) -> None:
        self._cache[guest.id] = guest
        self._cache.move_to_end(guest.id)
        if len(self._cache) > _CACHE_SIZE:
            self._cache.popitem(last=False)


def guest_of(request: AnyRequest) -> Guest:
    """Return the guest of a request whose session has been identified."""
    guest = request.scope["state"]["guest"]
    assert isinstance(guest, Guest)
    return guest


def session_of(request: AnyRequest) -> Session | None:
    """Return the session of a request whose guest has an account."""
    session = request.scope["state"].get("session")
    return session if isinstance(session, Session) else None


def opener_of(request: AnyRequest) -> str:
    """Return the id with which is recorded what a browser has opened; "" if it has opened nothing."""
    session = session_of(request)
    return request.scope["state"].get("device", "") if session is None else session.id


def session_cookie(value: str, scope: HTTPScope) -> str:
    """Return the Set-Cookie header of a new session."""
    secure = scope["scheme"] == "https"
    cookie = Cookie(COOKIE, path=link("/"), value=value, max_age=_TEN_YEARS, httponly=True, samesite="lax", secure=secure)
    return cookie.to_header(header="")


def _session_cookies(request: AnyRequest) -> list[str]:
    """Return the values of all session cookies. A browser also sends that of another hall at the root of the same host."""
    pairs = (pair.strip().partition("=") for header in request.headers.getall("cookie", []) for pair in header.split(";"))
    return [value.strip('"') for name, _, value in pairs if name == COOKIE]


def preferred_language(request: AnyRequest) -> str:
    """Return the language of the hall that the Accept-Language header prefers (RFC 9110, 12.5.4), or English."""
    weights: dict[str, float] = {}
    for wanted, weight in weighted(",".join(request.headers.getall("Accept-Language", []))):
        language = wanted.partition("-")[0]
        weights[language] = max(weight, weights.get(language, 0.0))
    offered = [language for language in (*weights, *LANGUAGES) if language in LANGUAGES]  # of equal ones the first is preferred
    best = max(offered, key=lambda language: weights.get(language, weights.get("*", 0.0)))
    return best if weights.get(best, weights.get("*", 0.0)) > 0 else "en"


def _verified(serializer: URLSafeSerializer, text: str | None) -> str | None:
    """Return the id in ``text``, with that of the device if it has one; None if the signature is missing or wrong."""
    return _loaded(serializer, text) if text and len(text) <= _LONGEST_SIGNED_ID else None


def _verified_by_old(serializers: Sequence[tuple[URLSafeSerializer, datetime]], text: str | None, at: datetime) -> str | None:
    """Return the id in ``text`` if it was signed with a replaced key that is still accepted."""
    ids = (_verified(serializer, text) for serializer, valid_until in serializers if valid_until > at)
    return next((id for id in ids if id is not None), None)


@lru_cache(maxsize=4096)
def _loaded(serializer: URLSafeSerializer, text: str) -> str | None:
    try:
        id = serializer.loads(text)
    except BadSignature:
        return None
    return id if isinstance(id, str) and _SIGNED.fullmatch(id) else None


def check_same_origin(request: AnyRequest) -> None:
    """Accept a request that changes nothing, or that comes from a page of this hall. Raises CrossSite for any other.

    A request without both headers doesn't come from a current browser. It is accepted only without a session cookie, because then
    there is no session that another site could misuse.
    """
    if request.method not in _SAFE_METHODS and not _is_from_here(request):
        raise CrossSite(_("This form didn't come from a page of this hall. Open the page here and send it again."))


def _is_from_here(request: AnyRequest) -> bool:
    sites, origins = request.headers.getall("sec-fetch-site", []), request.headers.getall("origin", [])
    if sites:
        return _ACCEPTED_SITES.issuperset(sites)
    if origins:
        own = {origin_of(str(request.base_url)), public_origin()} - {None}
        return own.issuperset(map(origin_of, origins))
    return COOKIE not in request.cookies
