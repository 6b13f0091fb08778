"""Variants: what a report compares."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from meadhall.engine.checks import quoted
from meadhall.engine.errors import BadSetup
from meadhall.engine.game import Game
from meadhall.engine.options import Choice
from meadhall.engine.text.language import gettext as _


def values_of(subject: Game, names: Iterable[str], base: Mapping[str, Any] | None = None) -> dict[str, dict[str, Any]]:
    """Return a variant for each value of these options, each with the other options of ``base``. Raises BadSetup.

    Examples:
        >>> import meadhall
        >>> from meadhall.lab.balance.variants import values_of
        >>> list(values_of(meadhall.game("viking-axes"), ["variant"]))
        ['standard', 'strategic']
    """
    wanted, found = list(names), {}
    choices = {option.name: option for option in subject.options if isinstance(option, Choice)}
    for name in wanted:
        if name not in choices:
            message = _("There is no option {name} to vary; there are: {known}.")
            raise BadSetup(message.format(name=quoted(name), known=", ".join(choices) or "-"))
        for value in choices[name].values:
            options = subject.fitting_options({**(base or {}), name: value})
            found[f"{name}={value}" if len(wanted) > 1 else value] = options
    return found
