"""Holds what PyTorch's functions over tensors are written with."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import numpy as np

from srcgrad.tape.core import Core, make
from srcgrad.tape.protocols import call_function

Pair = namedtuple("Pair", ["values", "indices"])


def lift(value: Any) -> Any:
    """Return `value` as a tensor: PyTorch's functions take tensors, ours arrays and numbers too."""
    return value if isinstance(value, Core) else make(np.asarray(value))


def np_call(primal: Any, *args: Any, **kwargs: Any) -> Any:
    """Call a NumPy function on tensors."""
    return call_function(primal, args, kwargs)


def axis_of(dim: Any) -> Any:
    """Return PyTorch's `dim` as NumPy's `axis`."""
    return tuple(dim) if isinstance(dim, list) else dim
