"""Lets rules that are written with Python's math module run on tensors, for second derivatives."""

from __future__ import annotations

import math
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.tape.callers import call_recorded
from srcgrad.tape.core import Core

_NUMPY_NAMES = {
    "asin": "arcsin", "acos": "arccos", "atan": "arctan", "asinh": "arcsinh", "acosh": "arccosh",
    "atanh": "arctanh", "atan2": "arctan2", "pow": "power",
}  # fmt: skip


def _either(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function itself on numbers, and NumPy's of the same meaning on tensors."""
    twin = getattr(np, _NUMPY_NAMES.get(name, name), None)

    def call(*args: Any, **kwargs: Any) -> Any:
        if not any(isinstance(arg, Core) for arg in args):
            return function(*args, **kwargs)
        return call_recorded(function, args, kwargs) if twin is None else twin(*args, **kwargs)

    return call


def recording_math() -> types.ModuleType:
    """Return a copy of the math module whose functions take tensors as well."""
    module = types.ModuleType("math")
    for name, value in vars(math).items():
        is_function = isinstance(value, types.BuiltinFunctionType)
        setattr(module, name, _either(name, value) if is_function else value)
    return module
