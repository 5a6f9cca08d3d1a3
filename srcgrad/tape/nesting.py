"""Makes arrays of nested lists that hold tensors, as ``np.array`` does of numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.tape.apply import apply, tensors_in
from srcgrad.tape.core import Core
from srcgrad.tape.ops import require_op


def to_array(
    object: Any,
    dtype: Any = None,
    *,
    copy: Any = True,
    order: Any = "K",
    ndmin: int = 0,
    **options: Any,
) -> Any:
    """Return what ``np.array`` does, with tensors among the elements.

    Raises:
        ValueError: The lists have different lengths, as with NumPy.
    """
    if isinstance(object, Core) and not copy and _fits(object, dtype, order):
        result: Any = object
    elif isinstance(object, Core):
        if copy is False and isinstance(object, np.ndarray):
            np.array(object._array, dtype, copy=False, order=order)  # which NumPy refuses
        result = apply(require_op(np.array), (object, dtype), {"order": order, **options})
    elif isinstance(object, (list, tuple)) and tensors_in(object):
        result = _stacked(object)
        if dtype is not None and np.dtype(dtype) != result.dtype:
            result = apply(require_op(np.astype), (result, np.dtype(dtype)))
    else:
        return np.array(object, dtype, copy=copy, order=order, ndmin=ndmin, **options)
    if isinstance(result, Core) and result is not object and not result._array.ndim:
        result._is_array = True
    missing = ndmin - np.ndim(result)
    return result[(None,) * missing] if missing > 0 else result


def _fits(value: Core, dtype: Any, order: Any) -> bool:
    """Return whether an array is what was asked for already."""
    data = value._array
    return isinstance(value, np.ndarray) and np.array(data, dtype, copy=None, order=order) is data


def _stacked(items: Any) -> Any:
    parts = [to_array(item) if isinstance(item, (list, tuple)) else item for item in items]
    shapes = {part._array.shape if isinstance(part, Core) else np.shape(part) for part in parts}
    if len(shapes) > 1:
        raise ValueError(
            "setting an array element with a sequence. The requested array has an inhomogeneous "
            "shape after 1 dimensions."
        )
    return apply(require_op(np.stack), (parts,))
