"""The model of the editor: a document of a question, what its changes mean, and the pieces as they will look."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from importlib.util import find_spec
from typing import Any, Final

import msgspec
import tomlkit
from tomlkit.items import AoT, Table

from meadhall.engine.changes import Change, as_comment, document_changes
from meadhall.engine.errors import BadSetup
from meadhall.engine.form import DocumentForm, part_of
from meadhall.engine.options import Document
from meadhall.engine.registry import game
from meadhall.server.hall.questions import options_of
from meadhall.server.pages.models import Refusal
from meadhall.server.pages.rulebook import figures_of_components
from meadhall.server.store.questions import Question, Variant
from meadhall.server.web.links import link

CAN_PRINT: Final = find_spec("typst") is not None
"""Whether what printing needs is installed."""

_PLACE = re.compile(r"""(?P<place>[a-z]\w*(?:\[\d+\]|\.\w+)*)(?: of (["']).*?(?:\2|…))?: (?P<reason>.+)""", re.DOTALL)


def editor_url(question: Question, variant: Variant, option: Document[Any]) -> str:
    """Return the address of the editor of a document."""
    return link(f"/workshop/{question.id}/{variant.key}/{option.name}")


def data_of(option: Document[Any], variant: Variant) -> dict[str, Any]:
    """Return the data of a document in a variant, which may be invalid."""
    return dict(variant.options.get(option.name, option.data(option.default)))


def editor_page(
    question: Question,
    variant: Variant,
    option: Document[Any],
    before: Mapping[str, Any] | None = None,
    opened: str = "",
    refusal: str = "",
) -> dict[str, Any]:
    """Return what the editor shows of the document of a variant. Raises BadSetup if it is too long for a form.

    Args:
        question: the question.
        variant: one of its variants.
        option: the option with the document.
        before: the data before the last request; None for a whole page.
        opened: the name of the list that is unfolded.
        refusal: why the last request was refused.
    """
    subject, form, built_in = game(question.game), DocumentForm(option, data_of(option, variant)), option.data(option.default)
    fault, chosen = ("", ""), None
    try:
        chosen = options_of(question, variant)
    except BadSetup as error:
        fault = _told(form, str(error).removeprefix(f"{option.name}: "))
    found = () if chosen is None or subject.warnings is None else subject.warnings(chosen)
    warnings = [_warning(form, place, reason) for place, reason in found if place.startswith(f"{option.name}.")]
    marks = {field: f"note-{number}" for number, (field, _text) in enumerate(warnings)}
    usual, new, old = (_values(form if data is None else DocumentForm(option, data)) for data in (built_in, None, before))
    unlike = {name.partition(".")[0] for name in new.keys() ^ old.keys()}
    return {
        "url": editor_url(question, variant, option),
        "question": question,
        "variant": variant,
        "subject": subject,
        "form": form,
        "opened": opened or fault[0].partition(".")[0],
        "usual": usual,
        "edited": {name: value for name, value in new.items() if old.get(name) != value},
        "redrawn": [group for group in form.top.groups if group.path in unlike],
        "changes": [(each, _resets(form, usual, each)) for each in document_changes(option, form.data, built_in)],
        "warnings": warnings,
        "fault": fault,
        "marks": msgspec.json.encode(marks | ({fault[0]: "fault"} if fault[1] else {})).decode(),
        "notice": Refusal("", refusal) if refusal else None,
        "figures": "" if chosen is None else figures_of_components(subject.edition_for(chosen), chosen),
    }


def _values(form: DocumentForm) -> dict[str, str]:
    return {name: field.value for name, field in form.entries.items()}


def _resets(form: DocumentForm, usual: Collection[str], change: Change) -> str:
    """Return what a button resets that undoes a change, "" for what the built-in document lacks.

    A piece that has become one of another kind is reset whole.
    """
    if not all(name in usual for name in change.fields):
        return ""
    kinds = {name for name, field in form.entries.items() if field.decides}
    return " ".join(part_of(name) if name in kinds else name for name in change.fields)


def _warning(form: DocumentForm, place: str, reason: str) -> tuple[str, str]:
    """Return the field that a warning is about, and the sentence."""
    field = place.partition(".")[2]
    value = form.entries[field].value if field in form.entries else ""
    return field, f"{form.where(field)}, {value}: {reason}"


def _told(form: DocumentForm, text: str) -> tuple[str, str]:
    """Return the field that an error of a document is about, "" for none, and the sentence with the words of its place."""
    found = _PLACE.fullmatch(text)
    name = found["place"].replace("[", ".").replace("]", "") if found else ""
    where = form.where(name)
    if not found or not where:
        return "", text
    reason = form.expected(name) if "`" in found["reason"] else ""  # of the types, in words for programmers
    return name, f"{where}: {reason or found['reason']}"


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
    table.update({name: _inline(value) for name, value in piece.items()})
    return table


def _inline(value: Any) -> Any:
    if isinstance(value, Mapping):
        inline = tomlkit.inline_table()
        inline.update({name: _inline(each) for name, each in value.items()})
        return inline
    return [_inline(each) for each in value] if isinstance(value, list) else value
