"""Gives tensors the methods of NumPy's arrays and of PyTorch's tensors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from srcgrad.rules.operators import METHODS
from srcgrad.tape.apply import apply
from srcgrad.tape.ops import require_op
from srcgrad.tape.protocols import Protocols, call_function


class Methods(Protocols):
    """Methods and attributes of arrays."""

    __slots__ = ()

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...

    @property
    def shape(self) -> tuple[int, ...]:
        """The lengths of the axes."""
        return self._data.shape

    @property
    def ndim(self) -> int:
        """How many axes there are."""
        return self._data.ndim

    @property
    def dtype(self) -> Any:
        """The NumPy type of the elements."""
        return self._data.dtype

    @property
    def size(self) -> int:
        return self._data.size

    @property
    def T(self) -> Any:
        """The tensor with its axes reversed."""
        return apply(require_op(np.transpose), (self,))

    def clone(self) -> Any:
        """Return a copy with history."""
        return apply(require_op(np.copy), (self,))

    def astype(self, dtype: Any, **kwargs: Any) -> Any:
        return call_function(np.astype, (self, np.dtype(dtype)), kwargs)


def _method(name: str, function: Any) -> Any:
    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        return call_function(function, (self, *args), kwargs)

    method.__name__ = name
    return method


for _name, _function in METHODS.items():
    if not hasattr(Methods, _name):
        setattr(Methods, _name, _method(_name, _function))
