"""Writes calls of runtime functions as one would by hand."""

from __future__ import annotations

import functools
import inspect
import sys
from pathlib import Path
from pkgutil import iter_modules
from typing import Any, Final

from srcgrad import runtime
from srcgrad.ir import gast
from srcgrad.transforms.folding import UNKNOWN, literal

EXPORTED: Final = frozenset(runtime.__all__)
"""The names of the functions that texts may call."""


def is_sequence_call(node: Any) -> bool:
    """Say whether a gradient is made by a runtime function that returns one for each item."""
    name = getattr(getattr(node, "func", None), "id", "")
    if not name:
        return False
    function = getattr(runtime, name, None) if name in EXPORTED else _of_scipy(name)
    return function is not None and _returns_tuple(function)


@functools.cache
def _returns_tuple(function: Any) -> bool:
    returned = inspect.signature(function).return_annotation
    return isinstance(returned, str) and returned.startswith("tuple")


def _of_scipy(name: str) -> Any:
    """Return a helper of the rules of SciPy's functions, which are read on demand."""
    for path in _scipy_helpers():
        module = sys.modules.get(path)
        if module is not None and name in vars(module):
            return vars(module)[name]
    return None


@functools.cache
def _scipy_helpers() -> tuple[str, ...]:
    """Return the names of the modules of helpers, which may not have been read yet."""
    folder = Path(runtime.__file__).parent / "scipy"
    return tuple(f"{runtime.__name__}.scipy.{item.name}" for item in iter_modules([str(folder)]))


@functools.cache
def _runtime_parameters(name: str) -> tuple[inspect.Parameter, ...]:
    return tuple(inspect.signature(getattr(runtime, name)).parameters.values())


def shorten(name: str, args: list[Any]) -> list[Any]:
    """Write the arguments of a runtime function as one would by hand.

    A parameter called `like` takes an array for its shape: pass `x` rather than `np.shape(x)`. Last
    arguments that are the defaults are left out.
    """
    parameters = _runtime_parameters(name)
    done = [
        _without_shape(item) if parameter.name == "like" else item
        for item, parameter in zip(args, parameters, strict=False)
    ]
    if len(done) < len(args):
        return args
    while done:
        default = parameters[len(done) - 1].default
        plain = default is None or isinstance(default, (bool, int, str))
        value = literal(done[-1])
        if not plain or value is UNKNOWN or type(value) is not type(default) or value != default:
            break
        done.pop()
    return done


def _without_shape(node: Any) -> Any:
    if isinstance(node, gast.Call) and is_shape(node) and len(node.args) == 1:
        return node.args[0]
    return node


def is_shape(node: Any) -> bool:
    """Say whether an expression is ``np.shape(x)``."""
    func = getattr(node, "func", None)
    return isinstance(func, gast.Attribute) and func.attr == "shape"
