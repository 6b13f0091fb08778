"""Translation by gettext. A context variable holds the current language of each task or thread.

Catalogues are ``locale/<language>.po`` files beside the code they translate: the server's, the command's and each game's. They
are parsed when first needed, so there are no compiled files.
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
_folders = [Path(__file__).parents[1] / "locale"]


def add_catalogues(folder: Path) -> None:
    """Add the ``.po`` files of ``folder`` to the catalogues."""
    if folder not in _folders:
        _folders.append(folder)
        _catalogue.cache_clear()


@cache
def _catalogue(language: str) -> _gettext.NullTranslations:
    """Return the messages of all folders in one catalogue. Those of the folder added last come first."""
    paths = [folder / f"{language}.po" for folder in reversed(_folders)]
    paths = [path for path in paths if path.exists()]
    if not paths:
        return _gettext.NullTranslations()
    from babel.messages.catalog import Catalog  # noqa: PLC0415 - a start in English does not load Babel
    from babel.messages.mofile import write_mo  # noqa: PLC0415
    from babel.messages.pofile import read_po  # noqa: PLC0415

    merged, compiled = Catalog(locale=language), io.BytesIO()
    for path in paths:
        with path.open("rb") as source:
            for message in read_po(source, locale=language):
                if message.id and message.string and not message.fuzzy:
                    merged[message.id] = message  # unless it is there already
    write_mo(compiled, merged)
    compiled.seek(0)
    return _gettext.GNUTranslations(compiled)


def current_language() -> str:
    """Return the current language, e.g. ``"en"``.

    Examples:
        >>> from meadhall.sdk import current_language
        >>> current_language()
        'en'
    """
    return _language.get()


@contextmanager
def speaking(language: str) -> Iterator[None]:
    """Set the current language within a ``with`` block; an unknown language means English."""
    token = _language.set(language if language in LANGUAGES else "en")
    try:
        yield
    finally:
        _language.reset(token)


def speak(language: str) -> None:
    """Set the current language of this task or thread; an unknown language means English."""
    _language.set(language if language in LANGUAGES else "en")


def gettext(message: str) -> str:
    """Return ``message`` in the current language.

    Examples:
        >>> from meadhall.sdk import gettext
        >>> gettext("Your turn")
        'Your turn'
    """
    return _catalogue(_language.get()).gettext(message)


def ngettext(singular: str, plural: str, number: int) -> str:
    """Return ``singular`` or ``plural`` for ``number``, in the current language.

    Examples:
        >>> from meadhall.sdk import ngettext
        >>> ngettext("{n} card", "{n} cards", 2).format(n=2)
        '2 cards'
    """
    return _catalogue(_language.get()).ngettext(singular, plural, number)


def grouped(number: int) -> str:
    """Return an integer with the digit grouping of the current language, e.g. ``"12,345"``."""
    if -1000 < number < 1000:
        return str(number)
    from babel.numbers import format_decimal  # noqa: PLC0415 - as above

    return str(format_decimal(number, locale=_language.get()))


def decimal(number: float, digits: int, *, exactly: bool = True) -> str:
    """Return a number in the current language, rounded to ``digits`` decimals, e.g. ``"1,234.5"`` or ``"1.234,5"``.

    Args:
        number: the number.
        digits: the number of decimals.
        exactly: keep zeros at the end: ``2.0`` rather than ``2``.

    Examples:
        >>> from meadhall.sdk import decimal
        >>> decimal(2.5, digits=2), decimal(2.5, digits=2, exactly=False)
        ('2.50', '2.5')
    """
    from babel.numbers import format_decimal  # noqa: PLC0415 - as above

    shape = f"#,##0.{('0' if exactly else '#') * digits}".rstrip(".")
    return str(format_decimal(number, format=shape, locale=_language.get()))


def percent(share: float, digits: int = 1) -> str:
    """Return a share (0 to 1) in percent in the current language, e.g. ``"36.9 %"`` or ``"36,9 %"``.

    Examples:
        >>> from meadhall.sdk import percent
        >>> percent(0.369).replace("\N{NO-BREAK SPACE}", " ")
        '36.9 %'
    """
    return f"{decimal(100 * share, digits)} %"


def percent_with_interval(share: float, low: float, high: float) -> str:
    """Return a share and its interval in percent in the current language, e.g. ``"28.3 % (27.9-28.7)"``."""
    return f"{percent(share)} ({decimal(100 * low, 1)}-{decimal(100 * high, 1)})"


def marked(message: str) -> str:
    """Mark ``message`` for translation without translating it yet.

    Examples:
        >>> from meadhall.sdk import gettext, marked
        >>> TITLE = marked("Your turn")  # extracted for translators, translated later
        >>> gettext(TITLE)
        'Your turn'
    """
    return message


def listed(parts: Sequence[str]) -> str:
    """Join parts as a list in the current language: "A, B and C".

    Examples:
        >>> from meadhall.sdk import listed
        >>> listed(["Gorm", "Björn", "Astrid"])
        'Gorm, Björn and Astrid'
    """
    if len(parts) < 2:
        return "".join(parts)
    return gettext("{some} and {last}").format(some=", ".join(parts[:-1]), last=parts[-1])
