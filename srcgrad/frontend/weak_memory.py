"""Remembers what was found out about functions for as long as those live."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
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
