"""The hall: pages, live push, tables and store. It needs the extra ``hall``."""

from importlib.util import find_spec
from pathlib import Path

from meadhall.engine.errors import MeadhallError, how_to_install
from meadhall.engine.text.language import add_catalogues, gettext as _

add_catalogues(Path(__file__).parent / "locale")


class NoHall(MeadhallError):
    """The packages that a hall needs are not installed."""


if find_spec("litestar") is None:
    raise NoHall(_("A hall needs packages that are not installed: {command}").format(command=how_to_install("hall")))
