"""The language that texts are in: gettext, chosen for each task or thread by a context variable.

Catalogues are plain ``locale/<language>.po`` files beside the code they translate (the hall's own and one in every game's
folder), read when first needed; there is nothing to compile and nothing binary to keep.
"""

from __future__ import annotations

import gettext as _gettext
import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from pathlib import Path

LANGUAGES = {"en": "English", "de": "Deutsch"}

_language: ContextVar[str] = ContextVar("language", default="en")
_folders = [Path(__file__).parent / "locale"]


def add_catalogues(folder: Path) -> None:
    """Let the ``.po`` files of ``folder`` take part in every translation."""
    if folder not in _folders:
        _folders.append(folder)
        _catalogue.cache_clear()


@cache
def _catalogue(language: str) -> _gettext.NullTranslations:
    merged = _gettext.NullTranslations()
    for folder in _folders:
        path = folder / f"{language}.po"
        if path.exists():
            translations = _compiled(path, language)
            translations.add_fallback(merged)
            merged = translations
    return merged


def _compiled(path: Path, language: str) -> _gettext.GNUTranslations:
    from babel.messages.mofile import write_mo  # noqa: PLC0415 - a start in English does not load Babel
    from babel.messages.pofile import read_po  # noqa: PLC0415

    compiled = io.BytesIO()
    with path.open("rb") as source:
        write_mo(compiled, read_po(source, locale=language))
    compiled.seek(0)
    return _gettext.GNUTranslations(compiled)


def current_language() -> str:
    """The language in force here, e.g. ``"en"``."""
    return _language.get()


@contextmanager
def speaking(language: str) -> Iterator[None]:
    """Within this block texts are in ``language``; an unknown one means English."""
    token = _language.set(language if language in LANGUAGES else "en")
    try:
        yield
    finally:
        _language.reset(token)


def speak(language: str) -> None:
    """From now on, in this task or thread, texts are in ``language``; an unknown one means English."""
    _language.set(language if language in LANGUAGES else "en")


def gettext(message: str) -> str:
    """``message`` in the current language."""
    return _catalogue(_language.get()).gettext(message)


def ngettext(singular: str, plural: str, number: int) -> str:
    """``singular`` or ``plural``, as ``number`` asks for, in the current language."""
    return _catalogue(_language.get()).ngettext(singular, plural, number)


def grouped(number: int) -> str:
    """A whole number as the current language groups its digits, e.g. ``"12,345"``."""
    from babel.numbers import format_decimal  # noqa: PLC0415 - as above

    return str(format_decimal(number, locale=_language.get()))


def marked(message: str) -> str:
    """Mark ``message`` for translation without translating it yet."""
    return message


def listed(parts: Sequence[str]) -> str:
    """A, B and C."""
    if len(parts) < 2:
        return "".join(parts)
    return gettext("{some} and {last}").format(some=", ".join(parts[:-1]), last=parts[-1])
