"""Says which names generated text uses for itself."""

from __future__ import annotations

import functools
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from types import FunctionType

from srcgrad import runtime
from srcgrad.compiler.generated import Request
from srcgrad.compiler.parameters import renamed_root
from srcgrad.errors import InternalError

_OWN_BUILTINS = (
    *("bool", "bytearray", "bytes", "isinstance", "len", "list", "min", "range"),
    *("reversed", "slice", "str", "tuple", "zip"),
)


_LEFT: ContextVar[frozenset[str]] = ContextVar("srcgrad_names_left", default=frozenset())


def own_names() -> tuple[str, ...]:
    """Return the names that generated text uses for itself; locals called so get another."""
    return _own_names(_LEFT.get())


@functools.cache
def _own_names(left: frozenset[str]) -> tuple[str, ...]:
    return ("np", *[name for name in runtime.__all__ if name not in left], *_OWN_BUILTINS)


def left_over(function: FunctionType, used: Collection[str]) -> frozenset[str]:
    """Return the names of a function's variables that a text had no use for, but might have had.

    >>> def scaled(given, x):
    ...     copied = given * x
    ...     return copied
    >>> sorted(left_over(scaled, ["copied", "zeros_like"]))
    ['given']
    """
    own = {*function.__code__.co_varnames, *function.__code__.co_cellvars}
    return frozenset(own.intersection(runtime.__all__).difference(used))


@contextmanager
def leaving(names: frozenset[str]) -> Iterator[None]:
    """Leave some of those names to the user's variables, within a block."""
    token = _LEFT.set(names)
    try:
        yield
    finally:
        _LEFT.reset(token)


def by_own_names(request: Request) -> Request:
    """Return a request that calls parameters as the function does.

    In a derivative, those with a name that generated text uses for itself are called otherwise.
    """
    renamed: Mapping[str, str] = getattr(request.function, "__srcgrad_renamed__", {})
    code = request.function.__code__
    unknown = {renamed.get(name, name) for name in request.wrt} - set(code.co_varnames)
    if unknown:
        raise InternalError(f"{code.co_name} has no parameter {min(unknown)!r}")
    if not renamed:
        return request
    return replace(
        request,
        wrt=tuple(renamed.get(name, name) for name in request.wrt),
        arrays=frozenset((renamed_root(text, renamed), fact) for text, fact in request.arrays),
        given={renamed.get(name, name): value for name, value in request.given.items()},
        seen={renamed_root(text, renamed): value for text, value in request.seen.items()},
    )
