"""Runs the code that numba-cuda generates for a GPU on this machine's CPU.

Between a rule and the instructions of a GPU there are two compilers: numba-cuda chooses types and generates LLVM's intermediate
language, and NVIDIA's compiler makes instructions of it. The first has the traps: promotion of integers, division, indices from
the end. Its output is independent of a machine, apart from what a thread asks about itself. Here it is compiled for the CPU.
"""

from __future__ import annotations

import ctypes
import re
from typing import Any

import llvmlite.binding as llvm
import numpy as np

from meadhall.engine.compile.compiled import LOOPS, module_of
from meadhall.engine.compute.gpu.compile import HOPPER, _device_of, _signature
from meadhall.engine.compute.gpu.launch import KERNELS
from meadhall.engine.compute.gpu.translate import rebuilt, translated
from meadhall.engine.game import Game

ONE_THREAD = """
define i32 @"llvm.nvvm.read.ptx.sreg.{register}"() alwaysinline {{ ret i32 {value} }}
"""
REGISTERS = {"tid.x": 0, "ctaid.x": 0, "ntid.x": 1, "nctaid.x": 1}


class DeviceCode:
    """A kernel of a game, as numba-cuda generates it, run by one thread on the CPU."""

    def __init__(self, subject: Game, name: str) -> None:
        from numba.cuda.compiler import _compile_pyfunc_with_fixup  # noqa: PLC0415 - needs numba-cuda

        loop = next(found for source in (KERNELS, LOOPS) if (found := getattr(module_of(subject, source), name, None)))
        with _device_of(HOPPER):
            function, signature = rebuilt(loop.py_func, translated), _signature(subject, name)
            library, _ = _compile_pyfunc_with_fixup(function, signature, device=False, abi="numba", cc=HOPPER)
        self._engine = _linked([_for_this_machine(text) for text in dict.fromkeys(library.llvm_strs)])
        self._address = self._engine.get_function_address(library._entry_name)

    def __call__(self, *arguments: Any) -> None:
        values = [value for argument in arguments for value in _flat(argument)]
        ctypes.CFUNCTYPE(None, *(ctypes.c_int64 for _ in values))(self._address)(*values)


def _flat(argument: Any) -> list[int]:
    """Return an argument as a kernel takes it: of an array its owners, size, item size, address, shape and strides."""
    if not isinstance(argument, np.ndarray):
        return [int(argument)]
    return [0, 0, argument.size, argument.itemsize, argument.ctypes.data, *argument.shape, *argument.strides]


def _for_this_machine(text: str) -> str:
    """Return a module of the GPU's dialect for this machine: another target, and pointers without a type."""
    text = re.sub(r'^(target |@"?llvm\.used|!).*\n?|, !\w+ !\d+', "", text, flags=re.MULTILINE)
    text = re.sub(r" *addrspace\(\d+\)(?=\*)|addrspace\(\d+\)", "", text).replace(" addrspacecast ", " bitcast ")  # one memory
    return re.sub(r"llvm\.(memset|memcpy|memmove)((?:\.p0i8)+)", lambda found: found[0].replace("p0i8", "p0"), _untyped(text))


def _untyped(text: str) -> str:
    """Replace every pointer type, such as ``[72 x i8]*``, by ``ptr``."""
    done: list[str] = []
    for part in re.split(r'("[^"]*"|\*)', text):
        if part != "*":
            done.append(part)
            continue
        before = "".join(done[-400:])
        done[-400:] = [before[: _start_of_type(before)], "ptr"]
    return "".join(done)


def _start_of_type(text: str) -> int:
    """Return where the type begins that ends with ``text``."""
    depth = 0
    for place in range(len(text) - 1, -1, -1):
        depth += {"}": 1, "]": 1, ")": 1, "{": -1, "[": -1, "(": -1}.get(text[place], 0)
        if depth == 0 and (text[place] in "{[" or not (text[place - 1].isalnum() or text[place - 1] in '_.%"')):
            return place
    raise AssertionError(text)


def _linked(modules: list[str]) -> Any:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    whole = llvm.parse_assembly(modules[0])
    for text in modules[1:]:
        whole.link_in(llvm.parse_assembly(text))
    known = {function.name for function in whole.functions}
    for register, value in REGISTERS.items():
        if f"llvm.nvvm.read.ptx.sreg.{register}" in known:
            whole.link_in(llvm.parse_assembly(ONE_THREAD.format(register=register, value=value)))
    machine = llvm.Target.from_default_triple().create_target_machine(opt=1)
    engine = llvm.create_mcjit_compiler(whole, machine)
    engine.finalize_object()
    return engine
