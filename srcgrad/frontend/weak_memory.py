"""Remembers what was found out about functions for as long as those live."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from types import FunctionType
from typing import Any, Generic, TypeVar
from weakref import WeakKeyDictionary

from srcgrad.frontend.left_out import leaves_out

Found = TypeVar("Found")


class PerFunction(Generic[Found]):
    """A function of one argument, itself a function, that remembers its results.

    It does not keep its arguments alive, as `functools.lru_cache` would with all that they capture;
    so its results must not refer to them.
    """

    def __init__(self, find: Callable[[Any], Found]) -> None:
        self._find = find
        self._known: WeakKeyDictionary[FunctionType, Found] = WeakKeyDictionary()
        functools.update_wrapper(self, find)

    def __call__(self, function: Any) -> Found:
        if not isinstance(function, FunctionType) or leaves_out():
            return self._find(function)
        try:
            return self._known[function]
        except KeyError:
            found = self._known[function] = self._find(function)
            return found

    def cache_clear(self) -> None:
        """Forget everything."""
        self._known.clear()


#: What `inspect.signature` says of a function.
signature_of: PerFunction[inspect.Signature] = PerFunction(inspect.signature)


def _positions(function: FunctionType) -> tuple[tuple[str, ...], int] | None:
    parameters = inspect.signature(function).parameters.values()
    by_place = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    plain = [item for item in parameters if item.kind in by_place]
    alone = [item for item in parameters if item.kind is item.KEYWORD_ONLY]
    if any(item.default is item.empty for item in alone):
        return None
    return tuple(item.name for item in plain), sum(item.default is item.empty for item in plain)


_positions_of: PerFunction[tuple[tuple[str, ...], int] | None] = PerFunction(_positions)


def bound(
    function: FunctionType, arguments: Sequence[Any], keywords: Mapping[str, Any]
) -> Mapping[str, Any] | None:
    """Return what a call gives to the parameters of a function; None if it does not take that.

    >>> def rule(ctx, x, axis=None, *, out=None): ...
    >>> bound(rule, (None, 1), {}), bound(rule, (None, 1), {"out": 2})
    ({'ctx': None, 'x': 1}, {'ctx': None, 'x': 1, 'out': 2})
    >>> bound(rule, (None,), {}), bound(rule, (1, 2, 3, 4), {})
    (None, None)
    """
    known = None if keywords else _positions_of(function)
    if known is not None and known[1] <= len(arguments) <= len(known[0]):
        return dict(zip(known[0], arguments, strict=False))
    try:
        return signature_of(function).bind(*arguments, **keywords).arguments
    except TypeError:
        return None
