"""Binds derivatives that stand in a class to its objects, as Python binds functions."""

from __future__ import annotations

from types import FunctionType, MethodType
from typing import Any, Protocol, TypeVar

from srcgrad.api.making import made_once


class Binding(Protocol):
    """A derivative that can be taken of another function."""

    primal: Any

    def of(self, primal: Any) -> Any:
        """Return the same derivative of another function."""


B = TypeVar("B", bound=Binding)


def bound(derivative: B, instance: Any) -> B:
    """Return a derivative of a function as that of a method of `instance`.

    Parameters are then counted after `self`. In the class itself, and where it is of what has no
    `self`, the derivative is as it is.
    """
    if instance is None or not _binds(derivative.primal):
        return derivative
    made: B = _bound_once(instance, derivative)
    return made


def _binds(primal: Any) -> bool:
    inner = getattr(primal, "primal", None)
    return isinstance(primal, FunctionType) or (inner is not None and _binds(inner))


@made_once
def _bound_once(instance: Any, derivative: Any) -> Any:
    primal = derivative.primal
    if isinstance(primal, FunctionType):
        return derivative.of(MethodType(primal, instance))
    return derivative.of(primal.__get__(instance, type(instance)))
