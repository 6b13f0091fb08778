"""What an environment shows of a match: text, the page's own picture as SVG, or its pixels."""

from __future__ import annotations

from importlib.util import find_spec
from io import BytesIO
from typing import TYPE_CHECKING, Literal, overload

import numpy as np
import numpy.typing as npt

from meadhall.engine.checks import quoted
from meadhall.engine.errors import BadSetup, MeadhallError, how_to_install
from meadhall.engine.match.view import View

if TYPE_CHECKING:
    from meadhall.pictures import Theme

Mode = Literal["ansi", "svg", "rgb_array"]
MODES: tuple[Mode, ...] = ("ansi", "svg", "rgb_array")
"""The modes of ``render``, for ``metadata["render_modes"]`` of an environment."""


class NoPixels(MeadhallError):
    """A package that pictures need is not installed: Jinja, resvg or Pillow."""


@overload
def render(view: View, mode: Literal["ansi", "svg"] = ..., *, theme: Theme = "light") -> str: ...


@overload
def render(view: View, mode: Literal["rgb_array"], *, theme: Theme = "light", width: int = 600) -> npt.NDArray[np.uint8]: ...


def render(view: View, mode: Mode = "ansi", *, theme: Theme = "light", width: int = 600) -> str | npt.NDArray[np.uint8]:
    """Show a match as the viewer may know it, in the current language.

    Args:
        view: the view of a seat, or of a spectator: ``match.view(seat)``.
        mode: ``"ansi"``: text, the sketch of the board and the prompt. ``"svg"``: the picture of the match's page, as an SVG
            document. ``"rgb_array"``: the pixels of that picture, an array of shape (height, width, 3); its size depends only on
            the game, its options and the number of players. It takes about 0.3 seconds. Pictures need the extra ``envs``.
        theme: the colours of the picture, ``"light"`` or ``"dark"``.
        width: the width of the array in pixels.

    Raises:
        BadSetup: there is no such mode, theme or width.
        NoPixels: a package that pictures need is missing.

    Examples:
        >>> import meadhall
        >>> match = meadhall.game("axes-and-allies").match(players=2, seed="example")
        >>> render(match.view(0), "ansi").splitlines()[0].split()
        ['Player', '1']
        >>> render(match.view(0), "rgb_array").shape
        (400, 600, 3)
    """
    if mode not in MODES:
        raise BadSetup(f"the mode must be one of {', '.join(MODES)}, not {quoted(mode)}")
    if theme not in ("light", "dark"):
        raise BadSetup(f"the theme must be light or dark, not {quoted(theme)}")
    if mode == "ansi":
        return _text(view)
    _check_packages(mode)
    from meadhall.pictures import WIDTH, svg  # noqa: PLC0415 - it loads Jinja, which a training without pictures doesn't need

    if mode == "svg":
        return svg(view, theme)
    if not 50 <= width <= 4 * WIDTH:
        raise BadSetup(f"the width must be 50 to {4 * WIDTH} pixels, not {quoted(width)}")
    return _pixels(svg(view, theme), width)


def _text(view: View) -> str:
    prompt = view.prompt() if view.actor is not None else view.game.words.ending(view.state)[1]
    return f"{view.sketch()}\n\n{prompt}"


def _check_packages(mode: Mode) -> None:
    """Raise NoPixels if a package that pictures need is missing."""
    for module, name in (("jinja2", "Jinja"), ("resvg_py", "resvg-py"), ("PIL", "Pillow")):
        if find_spec(module) is None and (mode == "rgb_array" or module != "PIL"):
            raise NoPixels(f"pictures need {name}, which is not installed: {how_to_install('envs')}")


def _pixels(drawn: str, width: int) -> npt.NDArray[np.uint8]:
    from PIL import Image  # noqa: PLC0415 - an optional dependency

    from meadhall.pictures import png  # noqa: PLC0415 - see above

    with Image.open(BytesIO(png(drawn, width=width))) as image:
        return np.asarray(image.convert("RGB"), np.uint8)
