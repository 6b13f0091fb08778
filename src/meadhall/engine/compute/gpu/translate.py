"""From rules to device functions: the same Python functions, compiled by numba-cuda.

A rule reaches other rules, constants and enums through the globals of its module. ``device_function`` copies a rule with globals
of its own, in which every rule is a device function. What rules take from ``portable`` becomes an array in the memory of the
thread, and the thread's share of the states. Events are left out, because loops on a GPU keep no log. An enum becomes a namespace
of plain integers, because numba-cuda doesn't index arrays with members.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dis import get_instructions
from enum import Enum, IntEnum
from functools import cache
from types import CellType, CodeType, FunctionType, ModuleType
from typing import Any

from meadhall.engine.compile import portable
from meadhall.engine.compute.gpu.device import is_simulated, numba_cuda
from meadhall.engine.state import events

Function = Callable[..., Any]


@cache
def _substitutes() -> dict[int, Any]:
    """Return what replaces the functions of ``portable``, by the identity of the function."""
    if is_simulated():
        from meadhall.engine.compute.gpu import shares  # noqa: PLC0415 - needs numba-cuda

        return {id(portable.lanes): shares.lanes}
    from meadhall.engine.compute.gpu import memory, shares  # noqa: PLC0415 - like above

    return {
        id(portable.lanes): shares.lanes,
        id(events.append_event): shares.no_event,
        id(events.append_argument): shares.no_argument,
        id(portable.local_array): memory.local_array,
        id(portable.scratch_array): memory.scratch_array,
    }


@cache
def _cpu_rule() -> Any:
    from numba.core.dispatcher import Dispatcher  # noqa: PLC0415 - only compiled rules load Numba

    return Dispatcher


@cache
def device_function(rule: Any) -> Any:
    """Return a rule as a device function."""
    return numba_cuda().jit(rebuilt(rule.py_func, translated), device=True)


def kernel(loop: Any) -> Any:
    """Return a loop over many states as a kernel. Its last statement returns nothing."""
    if is_simulated():
        return numba_cuda().jit(_simulated(loop))
    return numba_cuda().jit(rebuilt(loop.py_func, translated))


def _simulated(loop: Function) -> Function:
    """Return an interpreted loop for the simulator, which wraps the arrays that it passes: rules need NumPy's."""
    shared = rebuilt(loop, lambda value: _substitutes().get(id(value), value))

    def kernel(*arguments: Any) -> None:
        shared(*(value._item._ary if hasattr(value, "_item") else value for value in arguments))

    return kernel


def translated(value: Any) -> Any:
    """Return what a device function uses in place of a global of a rule."""
    substitute = _substitutes().get(id(value))
    if substitute is not None:
        return substitute
    if isinstance(value, _cpu_rule()):
        return device_function(value)
    if isinstance(value, type) and issubclass(value, IntEnum):
        return _namespace(value)
    return int(value) if isinstance(value, IntEnum) else value


@cache
def _namespace(enum: type[Enum]) -> ModuleType:
    """Return the members of an enum as a module of integers: Numba treats attributes of modules as constants."""
    namespace = ModuleType(enum.__name__)
    namespace.__dict__.update({name: int(member.value) for name, member in enum.__members__.items()})
    return namespace


def rebuilt(function: Any, convert: Callable[[Any], Any]) -> FunctionType:
    """Return a copy of a plain function whose globals and free variables are converted."""
    known = function.__globals__
    names = {name: convert(known[name]) for name in _names(function.__code__) if name in known}
    free = tuple(CellType(convert(cell.cell_contents)) for cell in function.__closure__ or ())
    copy = FunctionType(
        function.__code__, {**names, "__name__": function.__module__}, function.__name__, function.__defaults__, free or None
    )
    copy.__qualname__, copy.__module__ = function.__qualname__, function.__module__
    return copy


def _names(code: CodeType) -> Iterator[str]:
    """Yield the names that a function and the functions inside it look up."""
    yield from (each.argval for each in get_instructions(code) if each.opname == "LOAD_GLOBAL")
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)
