"""Lets generated text and its helpers run on arrays of Dask.

A call with an array of Dask among its arguments is one of Dask's function, another is NumPy's own.
What is made from a shape alone is made by Dask, so that blocks can be written into it.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from types import ModuleType
from typing import Any, Final

import numpy as np

from srcgrad.backends import ARRAYS, DASK
from srcgrad.runtime.elsewhere import SIZES, Helpers

_FROM_SHAPES: Final = (np.zeros, np.ones, np.empty, np.full)
_NOT_EXACT: Final = (np.percentile, np.nanpercentile)


def apart(x: Any, index: Any) -> Any:
    """Return ``x[index]``, which must be a number or a copy in NumPy, and no view of `x`.

    Raises:
        TypeError: It would be a view, and `x` is written into before it is read.
    """
    part = x[index]
    entries = index if isinstance(index, tuple) else (index,)
    if hasattr(x, "ndim"):
        picks = any(isinstance(i, list) or getattr(i, "ndim", 0) for i in entries)
        if picks or not getattr(part, "ndim", 0):
            return part
    elif not hasattr(part, "ndim") and not isinstance(part, (list, dict)):
        return part
    raise TypeError("a part of an array is read after a write, which a view of it would show")


class Names:
    """The functions of a module of NumPy, by those of Dask where they are given arrays of it."""

    def __init__(self, own: ModuleType, there: Any, arrays: Any = None) -> None:
        self._own = own
        self._there = there
        self._arrays = arrays

    def __getattr__(self, name: str) -> Any:
        found = self._found(name)
        self.__dict__[name] = found
        return found

    def _found(self, name: str) -> Any:
        own, there = getattr(self._own, name), getattr(self._there, name, None)
        if own is np.ndarray:
            if self._arrays is None:
                raise AttributeError("it asks whether a value is an array of NumPy")
            return self._arrays
        if isinstance(own, ModuleType):
            return Names(own, there, self._arrays)
        if self._own is np and name in SIZES:
            return SIZES[name]
        if own in _FROM_SHAPES:
            return there
        return _by_arguments(own, there) if callable(own) and not isinstance(own, type) else own


def _by_arguments(own: Any, there: Any) -> Callable[..., Any]:
    """Return a function that is Dask's for arrays of Dask, and NumPy's for others."""
    name = getattr(own, "__name__", "")

    def function(*args: Any, **options: Any) -> Any:
        if not (any(map(_is_lazy, args)) or any(map(_is_lazy, options.values()))):
            return own(*args, **options)
        if own in _NOT_EXACT:
            raise TypeError(f"`np.{name}` is not exact there")
        if there is not None:
            placed, named = _by_name(own, there, args)
            return there(*placed, **named, **options)
        if isinstance(own, np.ufunc):
            return own(*args, **options)
        raise TypeError(f"it has no `np.{name}`")

    if isinstance(own, np.ufunc):  # its methods, such as `np.add.reduce`, are those of NumPy
        function.__dict__.update({name: getattr(own, name) for name in ("at", "outer", "reduce")})
    return functools.update_wrapper(function, own, updated=())


def _by_name(own: Any, there: Any, args: tuple[Any, ...]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Return what is given by position, and by their names options that have another place there.

    Raises:
        TypeError: There is no such option.
    """
    moved = _moved(own, there)
    if not moved or len(args) <= moved[0][0]:
        return args, {}
    named = {}
    for (_, name, default, is_there), value in zip(moved, args[moved[0][0] :], strict=False):
        if value is default or (isinstance(value, str) and value == default):
            continue
        if not is_there:
            raise TypeError(f"`np.{own.__name__}` has no option `{name}` there")
        named[name] = value
    return args[: moved[0][0]], named


@functools.cache
def _moved(own: Any, there: Any) -> tuple[tuple[int, str, Any, bool], ...]:
    """Return the options of a function of NumPy, from the first that Dask has elsewhere.

    Each with its place, its name, its default, and whether Dask has it at all.
    """
    try:
        ours = list(inspect.signature(own).parameters.values())
        theirs = inspect.signature(there).parameters
    except (TypeError, ValueError):  # it tells nobody
        return ()
    kinds = [item.kind for item in theirs.values()]
    if isinstance(own, np.ufunc) or inspect.Parameter.VAR_POSITIONAL in kinds:
        return ()  # it hands on what it is given
    placed = [i for i in ours if i.kind in (i.POSITIONAL_ONLY, i.POSITIONAL_OR_KEYWORD)]
    names = [*theirs]
    first = next(
        (
            i
            for i, item in enumerate(placed)
            if item.default is not item.empty and names[i : i + 1] != [item.name]
        ),
        len(placed),
    )
    takes_any = inspect.Parameter.VAR_KEYWORD in kinds
    return tuple(
        (first + i, item.name, item.default, takes_any or item.name in theirs)
        for i, item in enumerate(placed[first:])
    )


def _is_lazy(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return any(map(_is_lazy, value))
    return DASK.owns(value)


@functools.cache
def names(array: ModuleType) -> Names:
    """Return what texts call ``np``."""
    return Names(np, array)


@functools.cache
def helpers(array: ModuleType) -> Helpers:
    """Return the helpers of `srcgrad.runtime`, which ask what an array is of any library."""
    return Helpers(Names(np, array, ARRAYS), "Dask")
