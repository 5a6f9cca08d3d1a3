"""Makes arrays of nested lists that hold tensors, as ``np.array`` does of numbers."""

from __future__ import annotations

from enum import Enum
from types import FunctionType
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
    copy = _if_copied(copy)
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


def _if_copied(copy: Any) -> bool | None:
    """Return whether a copy is made, None where it need be: NumPy has words for that, too."""
    told = copy.value if isinstance(copy, Enum) else copy
    return None if told is None or told not in (True, False) else bool(told)


class Unrolled:
    """What stands for the elements of a tensor as one row; as an operand it is that row."""

    @property
    def _row(self) -> Any:
        raise NotImplementedError("each kind makes its row in its own way")


def with_row(value: Any) -> Any:
    """Return the row that a value stands for, and any other as it is."""
    return value._row if isinstance(value, Unrolled) else value


def as_operand(value: Any) -> Any:
    """Return what NumPy would make an array of as a tensor: lists of tensors, and objects of such.

    NumPy looks for no tensor in a list, and takes nothing but an array from ``__array__``.
    """
    value = with_row(value)
    if isinstance(value, (list, tuple)):
        if tensors_in(value):
            return to_array(value)
        parts = [as_operand(item) for item in value]
        given = any(part is not item for part, item in zip(parts, value, strict=True))
        return to_array(parts) if given else value
    if not gives_array(type(value)):
        return value
    made = value.__array__()
    return made if isinstance(made, Core) else value


def gives_array(kind: type) -> bool:
    """Say whether NumPy asks objects of a class for an array alone, by a function of the user's."""
    own = isinstance(getattr(kind, "__array__", None), FunctionType)
    if issubclass(kind, Unrolled):
        return True
    return own and not (
        issubclass(kind, (Core, np.ndarray))
        or hasattr(kind, "__array_ufunc__")
        or hasattr(kind, "__array_function__")
    )


def _fits(value: Core, dtype: Any, order: Any) -> bool:
    """Return whether an array is what was asked for already."""
    data = value._array
    return isinstance(value, np.ndarray) and np.array(data, dtype, copy=None, order=order) is data


def _stacked(items: Any) -> Any:
    parts = [to_array(i) if isinstance(i, (list, tuple)) else with_row(i) for i in items]
    shapes = {part._array.shape if isinstance(part, Core) else np.shape(part) for part in parts}
    if len(shapes) > 1:
        raise ValueError(
            "setting an array element with a sequence. The requested array has an inhomogeneous "
            "shape after 1 dimensions."
        )
    return apply(require_op(np.stack), (parts,))
