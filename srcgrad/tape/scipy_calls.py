"""Lets code that calls SciPy run on tensors: its functions convert to arrays, ours record first."""

from __future__ import annotations

import functools
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.tape.core import Core

Caller = Callable[[Any, tuple[Any, ...], dict[str, Any]], Any]

_callers: list[Caller] = []


def set_caller(caller: Caller) -> None:
    """Say who calls a function on tensors by its rule; the protocols do so when imported."""
    _callers[:] = [caller]


def is_scipy(value: Any) -> bool:
    """Say whether a value is a module or function of SciPy that does not hand on its calls."""
    if isinstance(value, types.ModuleType):
        return value.__name__.partition(".")[0] == "scipy"
    if isinstance(value, np.ufunc):
        return False
    module = getattr(value, "__module__", None) or getattr(type(value), "__module__", "")
    return isinstance(module, str) and module.startswith("scipy.")


def recording(value: Any) -> Any:
    """Return a module or function of SciPy as one whose calls on tensors are recorded."""
    if isinstance(value, types.ModuleType):
        return RecordingModule(value)
    if callable(value) and not isinstance(value, type):
        return _recording_call(value)
    return value


class RecordingModule(types.ModuleType):
    """A module of SciPy whose functions record."""

    def __init__(self, module: types.ModuleType) -> None:
        super().__init__(module.__name__)
        self.__wrapped__ = module

    def __getattr__(self, name: str) -> Any:
        value = getattr(self.__wrapped__, name)
        found = recording(value) if is_scipy(value) else value
        setattr(self, name, found)
        return found


def _recording_call(function: Any) -> Any:
    @functools.wraps(function, updated=())
    def call(*args: Any, **kwargs: Any) -> Any:
        if not _has_tensor((*args, *kwargs.values())):
            return function(*args, **kwargs)
        return _callers[0](function, args, kwargs)

    return call


def _has_tensor(values: Any) -> bool:
    for value in values:
        if isinstance(value, Core) or (isinstance(value, (list, tuple)) and _has_tensor(value)):
            return True
    return False
