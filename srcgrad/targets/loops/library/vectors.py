"""Elementary functions by glibc's libmvec, which computes four or eight at a time.

LLVM puts a vector function in the place of a scalar one where that says which belongs to it, by an
attribute of its declaration (the vector function ABI; a letter says the registers: `d` is AVX2, `e`
is AVX-512). llvmlite has no way to say so: its list of
known attributes is widened for one object, and the vector functions are named as used, so that they
are there when loops are vectorised.
"""

from __future__ import annotations

import ctypes
import functools
import platform
from typing import Any

import numpy as np
from llvmlite import binding, ir
from numba import types
from numba.extending import intrinsic, overload

from srcgrad.targets.loops import vector
from srcgrad.targets.loops.library.bodies import of_real, unvalued

_FILE = "libmvec.so.1"
_USED = "llvm.compiler.used"
_REGISTERS = (("d", 4, "avx2"), ("e", 8, "avx512f"))


@functools.cache
def _lanes() -> tuple[tuple[str, int], ...]:
    """Return how many numbers go in at once, with the letter of the registers: those there are."""
    features = binding.get_host_cpu_features()
    return tuple((letter, lanes) for letter, lanes, name in _REGISTERS if features.get(name))


@functools.cache
def available() -> frozenset[str]:
    """Return the names of ours whose functions are in libmvec, on this machine; none without it."""
    if platform.machine() != "x86_64" or not _lanes():
        return frozenset()
    try:
        file = ctypes.CDLL(_FILE)
        binding.load_library_permanently(_FILE)
        module = ir.Module("try")
        module.triple = binding.get_default_triple()
        for name in ("exp", "log"):
            _declared(module, name, 1)
        binding.parse_assembly(str(module))
    except Exception:  # noqa: BLE001 - an older llvmlite, or another libc
        return frozenset()
    return frozenset(
        name
        for name in vector.FUNCTIONS
        if all(hasattr(file, there) for there, _ in _variants(_plain(name), _count(name)))
    )


def _plain(name: str) -> str:
    """Return the name of glibc for one of ours."""
    plain = name.removeprefix(vector.PREFIX)
    return vector.IN_GLIBC.get(plain, plain)


def _count(name: str) -> int:
    return int(vector.FUNCTIONS[name].__code__.co_argcount)


def _variants(name: str, count: int) -> list[tuple[str, int]]:
    """Return the vector functions beside one of glibc, each with the numbers that it takes."""
    return [(f"_ZGV{letter}N{lanes}{'v' * count}_{name}", lanes) for letter, lanes in _lanes()]


def _declared(module: Any, name: str, count: int) -> Any:
    """Return the declaration of a function of glibc, with the vector functions beside it."""
    known = module.globals.get(name)
    if known is not None:
        return known
    number = ir.DoubleType()
    one = ir.Function(module, ir.FunctionType(number, [number] * count), name)
    variants = _variants(name, count)
    said = [f"_ZGV_LLVM_N{lanes}{'v' * count}_{name}({there})" for there, lanes in variants]
    for attribute in (
        *("nounwind", "willreturn", "memory(none)"),
        f'"vector-function-abi-variant"="{",".join(said)}"',
    ):
        set.add(one.attributes, attribute)
    for there, lanes in variants:
        several = ir.VectorType(number, lanes)
        _keep(module, ir.Function(module, ir.FunctionType(several, [several] * count), there))
    return one


def _keep(module: Any, function: Any) -> None:
    """Name a function among those that are used though nothing in the module calls them."""
    pointer = ir.IntType(8).as_pointer()
    found = module.globals.get(_USED)
    entries = [*getattr(found, "entries", []), function.bitcast(pointer)]
    kind = ir.ArrayType(pointer, len(entries))
    if found is None:
        found = ir.GlobalVariable(module, kind, _USED)
        found.linkage, found.section = "appending", "llvm.metadata"
    found.value_type, found.type = kind, kind.as_pointer()
    found.initializer = ir.Constant(kind, entries)
    found.entries = entries


def _intrinsic(name: str) -> Any:
    """Return what calls a function of glibc of one or two numbers."""
    plain, count = _plain(name), _count(name)

    def generated(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return builder.call(_declared(builder.module, plain, count), args)

    signature = types.float64(*[types.float64] * count)

    if count == 1:

        @intrinsic
        def of_one(typing_context, x):
            return signature, generated

        return of_one

    @intrinsic
    def of_two(typing_context, x, y):
        return signature, generated

    return of_two


def _is_double(*kinds: Any) -> bool:
    """Say whether a function of some numbers is one of floats of 64 bits."""
    found = [unvalued(kind) for kind in kinds]
    return all(map(of_real, found)) and types.float64 in found and types.float32 not in found


def _give(name: str) -> None:
    function = vector.FUNCTIONS[name]
    plain = getattr(np, name.removeprefix(vector.PREFIX))
    called = _intrinsic(name) if name in available() else None

    if _count(name) == 1:

        @overload(function)
        def of_one(x):
            if called is not None and unvalued(x) is types.float64:
                return lambda x: called(x)
            return lambda x: plain(x)

    else:

        @overload(function)
        def of_two(x, y):
            if called is not None and _is_double(x, y):
                return lambda x, y: called(np.float64(x), np.float64(y))
            return lambda x, y: plain(x, y)


for _name in vector.FUNCTIONS:
    _give(_name)
