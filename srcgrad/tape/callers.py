"""Calls a function on tensors by its rule, for files that the protocols import."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from srcgrad.tape.core import Core

Caller = Callable[[Any, tuple[Any, ...], dict[str, Any]], Any]

_callers: list[Caller] = []


def set_caller(caller: Caller) -> None:
    """Say who calls a function on tensors by its rule; the protocols do so when imported."""
    _callers[:] = [caller]


def call_recorded(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call a function on tensors by its rule."""
    return _callers[0](function, args, kwargs)


def has_tensor(values: Any) -> bool:
    """Say whether there is a tensor among values, also in lists and tuples."""
    for value in values:
        if isinstance(value, Core) or (isinstance(value, (list, tuple)) and has_tensor(value)):
            return True
        if hasattr(type(value), "__srcgrad_written_out__"):
            return True  # it stands for an object of SciPy that is made of tensors
    return False
