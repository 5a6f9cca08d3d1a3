"""Finds the names that a function reads and that mean nothing yet, as in a notebook."""

from __future__ import annotations

import builtins
import dis
import functools
from collections.abc import Iterable, Iterator
from types import CodeType, FunctionType
from typing import Final

from srcgrad.ir.scopes import MISSING, Binding

_BUILT_IN = vars(builtins)
_MOST: Final = 1000
_GLOBAL, _NAME = dis.opmap["LOAD_GLOBAL"], dis.opmap["LOAD_NAME"]


def unbound(functions: Iterable[object]) -> Iterator[Binding]:
    """Yield the globals and free variables of functions that nothing is bound to.

    A text that was made without them is not the one of the program in which they are defined.
    """
    for function in functions:
        if not isinstance(function, FunctionType):
            continue
        known = function.__globals__
        for name in _globals_read(function.__code__):
            if name not in known and name not in _BUILT_IN:
                yield Binding(name, MISSING, known)
        for name, cell in zip(
            function.__code__.co_freevars, function.__closure__ or (), strict=True
        ):
            binding = Binding(name, MISSING, cell)
            if binding.current() is MISSING:
                yield binding


@functools.lru_cache(maxsize=_MOST)
def _globals_read(code: CodeType) -> tuple[str, ...]:
    """Return the names of globals in a code, and in those of functions that it makes."""
    found = [code.co_names[place] for place in _places_read(code.co_code)]
    for item in code.co_consts:
        if isinstance(item, CodeType):
            found += _globals_read(item)
    return tuple(dict.fromkeys(found))


def _places_read(steps: bytes) -> Iterator[int]:
    """Yield the places among the names of a code of the globals that it reads.

    >>> def read(x):
    ...     return len(x) + _MOST + x.real
    >>> [read.__code__.co_names[place] for place in _places_read(read.__code__.co_code)]
    ['len', '_MOST']
    """
    more = 0
    for step, last in zip(steps[::2], steps[1::2], strict=True):
        argument = more | last
        more = argument << 8 if step == dis.EXTENDED_ARG else 0
        if step == _GLOBAL:
            yield argument >> 1  # the last bit says whether a call follows
        elif step == _NAME:
            yield argument
