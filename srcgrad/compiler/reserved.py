"""Says which names generated text uses for itself."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import replace

from srcgrad import runtime
from srcgrad.compiler.generated import Request
from srcgrad.compiler.parameters import renamed_root
from srcgrad.errors import InternalError

_OWN_BUILTINS = (
    *("bool", "bytearray", "bytes", "isinstance", "len", "list", "min", "range"),
    *("reversed", "slice", "str", "tuple", "zip"),
)


@functools.cache
def own_names() -> tuple[str, ...]:
    """Return the names that generated text uses for itself; locals called so get another."""
    return ("np", *runtime.__all__, *_OWN_BUILTINS)


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
