"""The model of the workshop: a document of a game to change, what the changes mean, and the pieces as they will look."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any, Final

import msgspec
import tomlkit
from markupsafe import Markup
from tomlkit.items import AoT, Table

from meadhall.engine.changes import as_comment, document_changes
from meadhall.engine.errors import BadSetup
from meadhall.engine.form import DocumentForm
from meadhall.engine.game import Game
from meadhall.engine.options import Document
from meadhall.engine.registry import game, game_names
from meadhall.engine.text.language import gettext as _
from meadhall.server.pages.lobby import facts, template_url
from meadhall.server.pages.models import Fact, Refusal
from meadhall.server.pages.rulebook import figures_of_components
from meadhall.server.web.links import link

CAN_PRINT: Final = find_spec("typst") is not None
"""Whether what printing needs is installed."""

_PLACE = re.compile(r"""(?P<place>[a-z]\w*(?:\[\d+\]|\.\w+)*)(?: of (["']).*?(?:\2|…))?: (?P<reason>.+)""", re.DOTALL)


@dataclass(frozen=True)
class WorkshopPage:
    """A document in the workshop."""

    url: str
    game: str
    title: str  # of the game
    about: str  # the sentence that describes the document
    form: DocumentForm
    written: str  # the document as JSON, for the form
    template: str  # address of the built-in document
    is_built_in: bool
    facts: tuple[Fact, ...]  # empty while the document is invalid
    figures: Markup
    fault: Refusal | None  # why the document is invalid
    fault_at: str  # the field that is wrong, "" if it is none
    open: str  # the name of the list that is unfolded
    notice: Refusal | None  # why the last request was refused
    others: tuple[tuple[str, str], ...]  # other documents that can be changed: address, title
    can_report: bool
    can_print: bool


def workshops() -> list[tuple[Game, Document[Any]]]:
    """Return every document of the installed games."""
    games = map(game, game_names())
    return [(subject, option) for subject in games for option in subject.options if isinstance(option, Document)]


def workshop_url(subject: Game, option: Document[Any]) -> str:
    """Return the address of a document's workshop."""
    return link(f"/workshop/{subject.name}/{option.name}")


def workshop_page(
    subject: Game, option: Document[Any], data: Mapping[str, Any], opened: str = "", refusal: str = "", *, reports: bool = True
) -> WorkshopPage:
    """Return the workshop with a document's data, which may be invalid. Raises BadSetup if it is too long for a form."""
    form = DocumentForm(option, data)
    fault, at, chosen = None, "", None
    try:
        chosen = subject.check_options({option.name: form.data})
    except BadSetup as error:
        fault, at = _told(form, str(error).removeprefix(f"{option.name}: "))
    return WorkshopPage(
        workshop_url(subject, option),
        subject.name,
        subject.title,
        _(option.text),
        form,
        msgspec.json.encode(form.data).decode(),
        template_url(subject, option),
        chosen is not None and chosen[option.name] == option.default,
        () if chosen is None else tuple(facts(subject, chosen)),
        Markup("") if chosen is None else figures_of_components(subject.edition_for(chosen), chosen),
        fault,
        at,
        opened or at.partition(".")[0],
        Refusal("", refusal) if refusal else None,
        tuple(
            (workshop_url(*other), f"{other[0].title}: {_(other[1].title)}") for other in workshops() if other[1] is not option
        ),
        reports,
        reports and CAN_PRINT,
    )


def _told(form: DocumentForm, text: str) -> tuple[Refusal, str]:
    """Return an error of a document with the words of its place, and the name of the field or group there."""
    found = _PLACE.fullmatch(text)
    where = form.where(found["place"]) if found else ""
    if not found or not where:
        return Refusal("", text), ""
    name = found["place"].replace("[", ".").replace("]", "")
    reason = form.expected(name) if "`" in found["reason"] else ""  # of the types, in words for programmers
    return Refusal("", f"{where}: {reason or found['reason']}"), name


def toml_text(option: Document[Any], data: Mapping[str, Any]) -> bytes:
    """Return the data of a document as TOML: what differs from the built-in one, then a table for each piece.

    Its parts are in one line each.
    """
    text = tomlkit.document()
    loose = {name: value for name, value in data.items() if not isinstance(value, Mapping) and not _is_list_of_pieces(value)}
    for name, value in {**loose, **data}.items():  # TOML wants values before tables
        if isinstance(value, Mapping):
            text.add(name, _table(value))
        elif _is_list_of_pieces(value):
            text.add(name, AoT([_table(piece) for piece in value]))
        else:
            text.add(name, value)
    differs = as_comment(document_changes(option, data, option.data(option.default)))
    return f"{differs}{tomlkit.dumps(text)}".encode()


def _is_list_of_pieces(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(piece, Mapping) for piece in value)


def _table(piece: Mapping[str, Any]) -> Table:
    table = tomlkit.table()
    for name, value in piece.items():
        table.add(name, _inline(value))
    return table


def _inline(value: Any) -> Any:
    if isinstance(value, Mapping):
        inline = tomlkit.inline_table()
        inline.update({name: _inline(each) for name, each in value.items()})
        return inline
    return [_inline(each) for each in value] if isinstance(value, list) else value
