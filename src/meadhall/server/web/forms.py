"""Forms as they come from pages: a flat mapping of short texts."""

from __future__ import annotations

from meadhall.engine.errors import BadSetup, MalformedAction
from meadhall.engine.language import gettext as _
from meadhall.server.web.sessions import AnyRequest

Form = dict[str, str]

_LONGEST = 200

_OLD_TOKEN = "_csrf_token"  # noqa: S105 - the name of a field
"""A field that forms had up to version 0.1; pages from before an update may still be open."""


async def read_form(request: AnyRequest) -> Form:
    """The fields of a form, each at most a line long; files are not among them."""
    if request.method != "POST":
        return {}
    data = await request.form()
    return {name: value[:_LONGEST] for name, value in data.items() if isinstance(value, str) and name != _OLD_TOKEN}


def integer(form: Form, name: str) -> int | None:
    """A field that is an integer, None where it is absent. Refuses anything else."""
    text = form.get(name, "").strip()
    if not text:
        return None
    try:
        return int(text)
    except ValueError:
        raise BadSetup(_("{name} is a number, not {what}.").format(name=name, what=repr(text[:20]))) from None


def action_number(form: Form) -> int:
    """The action that a form asks for. Refuses what is none."""
    text = form.get("action", "")
    try:
        return int(text)
    except ValueError:
        raise MalformedAction(_("An action must be an integer, not {what}.").format(what=repr(text[:20]))) from None


def safe_path(text: str) -> str:
    """A path within the hall to go back to; the hall itself if ``text`` is none."""
    return text if text.startswith("/") and not text.startswith(("//", "/\\")) and text.isprintable() else "/"
