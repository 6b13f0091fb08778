"""Sessions: a browser's guest is in a signed cookie, a program's guest in a bearer token. Both are the guest's id, signed."""

from __future__ import annotations

import secrets
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from functools import lru_cache
from typing import Any, Final, Self, get_args

from itsdangerous import BadSignature, URLSafeSerializer
from litestar.datastructures import Cookie
from litestar.types import HTTPScope

from meadhall.engine.language import LANGUAGES
from meadhall.server.errors import DatabaseUnavailable
from meadhall.server.hall.names import any_name, clean_name
from meadhall.server.store.models import Guest, ProfileVisibility, RetiredSecret, now
from meadhall.server.store.store import Store
from meadhall.server.web.links import link
from meadhall.server.web.request import AnyRequest
from meadhall.server.web.weights import weighted

COOKIE: Final = "meadhall_guest"
THEMES: Final = ("auto", "light", "dark")
MOTIONS: Final = ("auto", "slow", "normal", "fast", "off")
PROFILES: Final[dict[str, ProfileVisibility]] = {each: each for each in get_args(ProfileVisibility)}
_KEY: Final = "guests"
_TEN_YEARS: Final = 10 * 365 * 24 * 3600
_CACHE_SIZE: Final = 20_000
_LONGEST_SIGNED_ID: Final = 200


class Sessions:
    """Identifies the guests of requests. The guests seen last stay in memory."""

    def __init__(self, store: Store, secret: str, retired: Sequence[RetiredSecret] = ()) -> None:
        self._store = store
        self._cache: OrderedDict[str, Guest] = OrderedDict()
        self._has_old_keys = False  # whether another process may have replaced the keys
        self._use_keys(secret, retired)
        if store.listener is not None:
            store.listener.on("guest", lambda notice: self._cache.pop(notice.words[0], None))
            store.listener.on("secret", lambda _notice: self._note_gap())
            store.listener.on_gap(self._note_gap)

    @classmethod
    async def load(cls, store: Store) -> Self:
        """Return the sessions of a hall, with the keys that its database has."""
        return cls(store, await store.secret(_KEY), await store.retired_secrets(_KEY))

    def _use_keys(self, secret: str, retired: Sequence[RetiredSecret]) -> None:
        self._cookies = URLSafeSerializer(secret, salt="guest")
        self._tokens = URLSafeSerializer(secret, salt="token")
        self._old_cookies = [(URLSafeSerializer(each.value, salt="guest"), each.valid_until) for each in retired]
        self._old_tokens = [(URLSafeSerializer(each.value, salt="token"), each.valid_until) for each in retired]

    def _note_gap(self) -> None:
        """Note that other processes may have changed guests and keys."""
        self._cache.clear()
        self._has_old_keys = True

    async def refresh(self) -> None:
        """Wait until the changes of other processes are known, and read the keys if they were replaced."""
        is_synced = await self._store.synced()
        if not is_synced or self._has_old_keys:
            with suppress(DatabaseUnavailable):  # pages that need no database are shown all the same
                self._use_keys(await self._store.secret(_KEY), await self._store.retired_secrets(_KEY))
                self._has_old_keys = not is_synced

    async def from_cookie(self, request: AnyRequest) -> Guest:
        """Return the guest of the session cookie. Without a valid one return a new guest, whose cookie the response will set.

        A cookie that was signed with a replaced key is renewed.
        """
        cookies = _session_cookies(request)
        id = next(filter(None, (_verified(self._cookies, each) for each in cookies)), None)
        if id is None and (id := next(filter(None, (_verified_by_old(self._old_cookies, each) for each in cookies)), None)):
            request.scope["state"]["new_session"] = self._cookies.dumps(id)
        if id is not None:
            return await self._guest(id, request)
        guest = Guest(secrets.token_hex(12), any_name(), preferred_language(request))
        self._remember(guest)
        request.scope["state"]["new_session"] = self._cookies.dumps(guest.id)
        return guest

    async def from_bearer_token(self, request: AnyRequest) -> Guest | None:
        """Return the guest of the header ``Authorization: Bearer …``, None without a valid token."""
        scheme, _, token = request.headers.get("Authorization", "").partition(" ")
        if scheme.lower() != "bearer":
            return None
        id = _verified(self._tokens, token.strip()) or _verified_by_old(self._old_tokens, token.strip())
        return None if id is None else await self._guest(id, request)

    async def create_for_program(self, name: str) -> tuple[Guest, str]:
        """Create a guest for a program. Return the guest and the token."""
        guest = await self.save(Guest(secrets.token_hex(12), clean_name(name) or any_name()))
        return guest, self._tokens.dumps(guest.id)

    async def save(
        self, guest: Guest, name: str = "", language: str = "", theme: str = "", motion: str = "", profile: str = ""
    ) -> Guest:
        """Store a guest with changed settings, and return them. Empty and invalid values change nothing."""
        changed = replace(
            guest,
            name=clean_name(name) or guest.name,
            language=language if language in LANGUAGES else guest.language,
            theme=theme if theme in THEMES else guest.theme,
            motion=motion if motion in MOTIONS else guest.motion,
            profile=PROFILES.get(profile, guest.profile),
        )
        if changed != guest or not guest.is_stored:
            changed = await self._store.save_guest(changed)
        self._remember(changed)
        return changed

    async def remember_choice(self, guest: Guest, game: str, choice: Mapping[str, Any]) -> None:
        """Store what a guest chose for a match against bots, to offer it next time."""
        if guest.choices.get(game) != choice:
            self._remember(await self._store.save_guest(replace(guest, choices={**guest.choices, game: choice})))

    async def _guest(self, id: str, request: AnyRequest) -> Guest:
        guest = self._cache.get(id)
        if guest is None or not guest.is_stored:  # another process may have stored the guest meanwhile
            guest = await self._store.guest(id) or guest or Guest(id, any_name(), preferred_language(request))
        elif not self._store.is_informed:
            with suppress(DatabaseUnavailable):
                guest = await self._store.guest(id) or guest
        self._remember(guest)
        return guest

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
    """Return the id in ``text``, None if the signature is missing or wrong."""
    return _loaded(serializer, text) if text and len(text) <= _LONGEST_SIGNED_ID else None


def _verified_by_old(serializers: Sequence[tuple[URLSafeSerializer, datetime]], text: str | None) -> str | None:
    """Return the id in ``text`` if it was signed with a replaced key that is still accepted."""
    ids = (_verified(serializer, text) for serializer, valid_until in serializers if valid_until > now())
    return next((id for id in ids if id is not None), None)


@lru_cache(maxsize=4096)
def _loaded(serializer: URLSafeSerializer, text: str) -> str | None:
    try:
        id = serializer.loads(text)
    except BadSignature:
        return None
    return id if isinstance(id, str) and id.isalnum() and len(id) <= 32 else None
