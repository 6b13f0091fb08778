"""Forms of the hall's pages: flat mappings of short texts."""

from __future__ import annotations

from typing import Final

from meadhall.engine.errors import BadSetup, MalformedAction
from meadhall.engine.text.language import gettext as _
from meadhall.server.web.links import link
from meadhall.server.web.request import AnyRequest

Form = dict[str, str]

LONGEST: Final = 200
"""Characters of a field that are read."""

_LONGEST_OF_ALL: Final = 16_000
"""Characters that are read of a field that may be long, such as the answer of an authenticator."""


async def read_form(request: AnyRequest, longest: int = LONGEST) -> Form:
    """Return the text fields of a form, each cut to ``longest`` characters. Files are left out."""
    if request.method != "POST":
        return {}
    data = await request.form()
    return {name: value[:longest] for name, value in data.items() if isinstance(value, str)}


async def read_long_form(request: AnyRequest) -> Form:
    """Return the text fields of a form. One that is too long for its purpose must be refused, not cut, such as a password."""
    data = await request.form()
    return {name: value[:_LONGEST_OF_ALL] for name, value in data.items() if isinstance(value, str)}


def integer(form: Form, name: str) -> int | None:
    """Return an integer field, None if it is absent or empty. Raises BadSetup for any other text."""
    text = form.get(name, "").strip()
    if not text:
        return None
    try:
        return int(text)
    except ValueError:
        raise BadSetup(_("{name} must be an integer, not {what}.").format(name=name, what=repr(text[:20]))) from None


def action_number(form: Form) -> int:
    """Return the action that a form asks for: ``action``, or the one that follows ``first`` at a distance of ``plus``.

    Raises MalformedAction if it isn't an integer.
    """
    parts = [form.get("first", ""), form.get("plus", "")] if "first" in form else [form.get("action", "")]
    try:
        return sum(map(int, parts))
    except ValueError:
        raise MalformedAction(_("An action must be an integer, not {what}.").format(what=repr("+".join(parts)[:20]))) from None


def safe_path(text: str) -> str:
    """Return ``text`` if it is a path within the hall, else the path of the hall itself: no form may redirect to another site."""
    home = link("/")
    return text if text.startswith(home) and not text.startswith(("//", "/\\")) and text.isprintable() else home
