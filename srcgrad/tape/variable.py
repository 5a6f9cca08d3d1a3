"""Keeps Variable, the old name of tensors, alive."""

from __future__ import annotations

import warnings
from typing import Any, NoReturn

from srcgrad.tape.core import Core


class VariableMeta(type):
    """Makes every tensor an instance of Variable."""

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, Core)


class Variable(metaclass=VariableMeta):
    """The deprecated alias of Tensor: calling it returns the tensor."""

    def __new__(cls, data: Any = None, requires_grad: bool = False, volatile: Any = None) -> Any:
        """Return a tensor on the memory of `data`, a leaf.

        Raises:
            TypeError: `data` is no tensor.
        """
        if volatile is not None:
            warnings.warn(
                "volatile was removed and now has no effect. Use `with srcgrad.no_grad():` "
                "instead.",
                UserWarning,
                stacklevel=2,
            )
        if data is None:
            raise TypeError("Variable needs a tensor")
        if not isinstance(data, Core):
            raise TypeError(f"Variable data has to be a tensor, but got {type(data).__name__}")
        made = data.detach()
        return made.requires_grad_(True) if requires_grad else made


def variable(*args: Any, **kwargs: Any) -> NoReturn:
    """Refuse.

    Raises:
        RuntimeError: Always.
    """
    raise RuntimeError(
        "srcgrad.autograd.variable(...) is deprecated, use srcgrad.tensor(...) instead"
    )
