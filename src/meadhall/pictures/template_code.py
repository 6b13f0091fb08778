"""The code that Jinja makes of templates, without detours that no template here needs.

A call in a template calls the function at once. Jinja would first ask whether the function takes the context or the way of
escaping: no function of ours does, and macros are always escaped. An attribute is read at once, too.
"""

from __future__ import annotations

import re
from keyword import iskeyword
from typing import Any

from jinja2 import nodes
from jinja2.compiler import CodeGenerator, Frame
from jinja2.runtime import Macro
from jinja2.utils import missing
from markupsafe import Markup, escape


class DirectCalls(CodeGenerator):
    """Writes the code of templates, with direct calls and attributes."""

    def visit_Call(self, node: nodes.Call, frame: Frame, forward_caller: bool = False) -> None:  # noqa: N802 - of Jinja
        """Write a call."""
        self.visit(node.node, frame)
        self.write("(")
        for value in node.args:
            self.visit(value, frame)
            self.write(", ")
        for stars, values in (("*", node.dyn_args), ("**", node.dyn_kwargs)):
            if values is not None:
                self.write(stars)
                self.visit(values, frame)
                self.write(", ")
        for keyword in node.kwargs:
            begin, end = ("**{%r: ", "}, ") if iskeyword(keyword.key) else ("%s=", ", ")
            self.write(begin % keyword.key)
            self.visit(keyword.value, frame)
            self.write(end)
        self.write("caller=caller)" if forward_caller else ")")

    def visit_Getattr(self, node: nodes.Getattr, frame: Frame) -> None:  # noqa: N802 - of Jinja
        """Write the reading of an attribute. Jinja looks only for what an object doesn't have, such as a key of a dictionary."""
        owner, value, name = self.temporary_identifier(), self.temporary_identifier(), repr(node.attr)
        self.write(f"({value} if ({value} := getattr(({owner} := ")
        self.visit(node.node, frame)
        self.write(f"), {name}, missing)) is not missing else environment.getattr({owner}, {name}))")


class DirectMacro(Macro):
    """A macro that is called at once with its arguments."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self._most = -1 if self.explicit_caller or self.catch_kwargs or self.catch_varargs else self._argument_count

    def __call__(self, *values: Any, **named: Any) -> str:
        """Render the macro."""
        if len(values) > self._most or ("caller" in named) != self.caller:
            return super().__call__(*values, **named)
        if not named and len(values) == self._most:
            return as_markup(self._func(*values))
        rest = [named.pop(name, missing) for name in self.arguments[len(values) :]]
        if self.caller:
            rest.append(named.pop("caller"))
        if named:
            raise TypeError(f"macro {self.name!r} takes no keyword argument {next(iter(named))!r}")
        return as_markup(self._func(*values, *rest))


def as_markup(html: str) -> Markup:
    """Return what a template has rendered as Markup, in half of the time that Markup itself takes to look at a value."""
    return str.__new__(Markup, html)


def escaped(value: Any) -> str:
    """Return a value as a part of a page. Most are Markup, numbers or plain words, which need no look by Jinja."""
    kind = type(value)
    if kind is Markup or (kind is str and _SPECIAL.search(value) is None):
        return value  # type: ignore[no-any-return]
    return str(value) if kind is int or kind is float else escape(value)


_SPECIAL = re.compile("[&<>'\"]")
