"""Who is asking: a guest by a signed cookie, a program by a bearer token. Both are the guest's id, signed."""

from __future__ import annotations

import secrets
from collections import OrderedDict
from dataclasses import replace
from functools import lru_cache
from typing import Any

from itsdangerous import BadSignature, URLSafeSerializer
from litestar import Request
from litestar.datastructures import Cookie
from litestar.types import HTTPScope

from meadhall.engine.language import LANGUAGES
from meadhall.server.hall.names import any_name, clean_name
from meadhall.server.store.models import Guest
from meadhall.server.store.store import Store

COOKIE = "meadhall_guest"
THEMES = ("auto", "light", "dark")
_TEN_YEARS = 10 * 365 * 24 * 3600
_REMEMBERED = 20_000
_LONGEST = 200  # characters of a signed id

AnyRequest = Request[Any, Any, Any]


class Visitors:
    """Tells guests by what they carry, and remembers lately seen ones."""

    def __init__(self, store: Store, secret: str) -> None:
        self._store = store
        self._cookies = URLSafeSerializer(secret, salt="guest")
        self._tokens = URLSafeSerializer(secret, salt="token")
        self._seen: OrderedDict[str, Guest] = OrderedDict()

    async def of_page(self, request: AnyRequest) -> Guest:
        """The guest behind the cookie; a new one when there is none, or none of ours."""
        id = _unsigned(self._cookies, request.cookies.get(COOKIE))
        if id is not None:
            return await self._known(id, request)
        guest = Guest(secrets.token_hex(12), any_name(), preferred_language(request))
        self._remember(guest)
        request.scope["state"]["new_guest"] = self._cookies.dumps(guest.id)
        return guest

    async def of_program(self, request: AnyRequest) -> Guest | None:
        """The guest behind ``Authorization: Bearer …``; None when there is none."""
        kind, _, token = request.headers.get("Authorization", "").partition(" ")
        id = _unsigned(self._tokens, token.strip()) if kind.lower() == "bearer" else None
        return None if id is None else await self._known(id, request)

    async def new_program(self, name: str) -> tuple[Guest, str]:
        """A guest for a program, and its token."""
        guest = await self.save(Guest(secrets.token_hex(12), clean_name(name) or any_name()))
        return guest, self._tokens.dumps(guest.id)

    async def _known(self, id: str, request: AnyRequest) -> Guest:
        guest = self._seen.get(id)
        if guest is None or not guest.is_stored:  # whoever was seen may have been stored since
            guest = await self._store.guest(id) or guest or Guest(id, any_name(), preferred_language(request))
        self._remember(guest)
        return guest

    async def save(self, guest: Guest, name: str = "", language: str = "", theme: str = "") -> Guest:
        """Store what a guest has changed; what is empty or unknown stays as it was."""
        changed = replace(
            guest,
            name=clean_name(name) or guest.name,
            language=language if language in LANGUAGES else guest.language,
            theme=theme if theme in THEMES else guest.theme,
        )
        if changed != guest or not guest.is_stored:
            changed = await self._store.save_guest(changed)
        self._remember(changed)
        return changed

    def _remember(self, guest: Guest) -> None:
        self._seen[guest.id] = guest
        self._seen.move_to_end(guest.id)
        if len(self._seen) > _REMEMBERED:
            self._seen.popitem(last=False)


def guest_cookie(value: str, scope: HTTPScope) -> str:
    """The header that gives a guest their cookie."""
    secure = scope["scheme"] == "https"
    return Cookie(COOKIE, path="/", value=value, max_age=_TEN_YEARS, httponly=True, samesite="lax", secure=secure).to_header(
        header=""
    )


def _unsigned(serializer: URLSafeSerializer, text: str | None) -> str | None:
    """The id that ``text`` holds, if it was signed by us."""
    return _checked(serializer, text) if text and len(text) <= _LONGEST else None


@lru_cache(maxsize=4096)
def _checked(serializer: URLSafeSerializer, text: str) -> str | None:
    try:
        id = serializer.loads(text)
    except BadSignature:
        return None
    return id if isinstance(id, str) and id.isalnum() and len(id) <= 32 else None


def preferred_language(request: AnyRequest) -> str:
    """The first language that the browser asks for and the hall speaks."""
    asked = (part.split(";")[0].strip()[:2].lower() for part in request.headers.get("Accept-Language", "").split(","))
    return next((language for language in asked if language in LANGUAGES), "en")
