"""Lets values that record what is done to them answer to the functions of the runtime."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar, cast

import numpy as np

from srcgrad.backends import NUMPY, is_kind_of_array, library_of

Function = TypeVar("Function", bound=Callable[..., Any])

_OF_PYTHON = (float, int, bool, complex, tuple, list, slice, str, type(None))
PLAIN = frozenset({np.ndarray, np.float64, np.float32, np.int64, np.bool_, *_OF_PYTHON})


def records(value: Any) -> bool:
    """Return whether `value` is no array yet answers to NumPy's functions, as a Tensor does."""
    kind = type(value)
    if kind in PLAIN or issubclass(kind, (np.ndarray, np.generic)):
        return False
    return hasattr(kind, "__array_function__") and not is_kind_of_array(kind)


def beside(value: Any, like: Any) -> Any:
    """Return host arrays, such as those of an index, in the memory where the array `like` is."""
    library = library_of(like)
    if library is None or library is NUMPY:
        return value
    if isinstance(value, tuple):
        return tuple(beside(item, like) for item in value)
    if not isinstance(value, np.ndarray):
        return value
    module: Any = library.loaded()
    return module.asarray(value)


def array_beside(value: Any, like: Any) -> Any:
    """Return a list, or an array of the host, as an array in the memory where `like` is."""
    return beside(np.asarray(value) if isinstance(value, (list, tuple, range)) else value, like)


def hand_over(function: Callable[..., Any], owner: Any, args: tuple[Any, ...]) -> Any:
    """Call `function` through the NEP-18 method of `owner`, which records the call as one step."""
    return type(owner).__array_function__(owner, function, (type(owner),), args, {})


def recordable(function: Function) -> Function:
    """Make `function` one step for values that record, as NumPy's own functions are."""

    @functools.wraps(function)
    def public(*args: Any) -> Any:
        for arg in args:
            if type(arg) not in PLAIN and records(arg):
                return hand_over(public, arg, args)
        return function(*args)

    return cast("Function", public)
