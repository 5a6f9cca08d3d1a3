"""Checks the values to differentiate at, and gives gradients the type of their input."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.backends import is_array, namespace
from srcgrad.errors import IntegerInputError, NotDifferentiableError, NotProvenError
from srcgrad.runtime.containers import part_names, with_parts, within
from srcgrad.runtime.objects import field_names, is_plain_object, rebuilt
from srcgrad.runtime.own_arithmetic import calculates_otherwise, own_arithmetic
from srcgrad.runtime.products import is_sparse_matrix
from srcgrad.runtime.stacks import Stack
from srcgrad.tape import Tensor
from srcgrad.tape.pynumbers import PythonFloat, as_python


def check_input(value: Any, name: str) -> None:
    """Raise unless `value` is a number, a float array, or a container with a float inside.

    Raises:
        IntegerInputError: It is an integer or boolean array, or a container without any float.
        NotDifferentiableError: It is of a type without derivatives.
    """
    if type(value) is np.ndarray and value.dtype.kind in "fc":  # the usual cases first
        return
    if isinstance(value, dict):
        for item in value.values():
            if type(item) is np.ndarray and item.dtype.kind in "fc":
                return
    if isinstance(value, (float, int, complex)):
        if isinstance(value, bool):
            raise _no_float(f"`{name}` is a bool")
        return
    kind = getattr(getattr(value, "dtype", None), "kind", None)
    if hasattr(value, "tocsr"):
        raise NotDifferentiableError(
            f"`{name}` is sparse, and no gradient is given in its entries",
            hint="make the matrix in the function, or differentiate with respect to another",
        )
    refuse_otherwise(value, f"`{name}` is")
    if kind is not None:
        if kind not in "fc":
            raise _no_float(f"`{name}` is an array of type {value.dtype}")
        return
    if _children(value) is None:
        raise NotDifferentiableError(
            f"`{name}` is a {type(value).__name__}, which has no derivative",
            hint="pass a float, a float array, or a dict, list, tuple or object of those",
        )
    if not any(is_float(leaf) for leaf in leaves(value)):
        raise _no_float(f"`{name}` holds no float")


def refuse_otherwise(value: Any, where: str) -> None:
    """Refuse a number or an array that calculates otherwise than those of NumPy.

    Raises:
        NotDifferentiableError: It does.
    """
    kind: type = type(value)
    if calculates_otherwise(kind):
        what, hint = own_arithmetic(kind)
        raise NotDifferentiableError(f"{where} {what}", hint=hint)


def _no_float(what: str) -> IntegerInputError:
    return IntegerInputError(
        f"{what}, and a derivative needs floating-point numbers",
        hint="convert it first: x.astype(float) or float(x)",
    )


def _children(value: Any) -> list[Any] | None:
    if isinstance(value, dict):
        return list(value.values())
    if is_plain_object(value):
        return [getattr(value, name) for name in part_names(value)]
    return list(value) if isinstance(value, (list, tuple)) else None


def leaves(value: Any) -> list[Any]:
    """Return the leaves of nested dicts, lists and tuples, in order.

    Raises:
        NotDifferentiableError: One of them holds what holds it.
    """
    if type(value) is np.ndarray:
        return [value]
    try:
        return _leaves(value)
    except RecursionError:
        raise NotDifferentiableError(
            f"a {type(value).__name__} holds itself, or what holds it",
            hint="pass its numbers and arrays",
        ) from None


def _leaves(value: Any) -> list[Any]:
    children = _children(value)
    return [value] if children is None else [leaf for c in children for leaf in _leaves(c)]


def is_float(value: Any) -> bool:
    """Say whether a leaf is a floating-point number or array."""
    if isinstance(value, (float, complex)):
        return True
    return getattr(getattr(value, "dtype", None), "kind", "") in ("f", "c")


def is_complex(value: Any) -> bool:
    """Say whether there is a complex number in a value or its nested leaves."""
    kind: type = type(value)
    if kind is np.ndarray:
        return bool(value.dtype.kind == "c")
    if kind is float or kind is int:
        return False
    return any(map(_is_complex_leaf, within(value, _fields_of_plain)))


def _fields_of_plain(value: Any) -> tuple[str, ...]:
    refuse_otherwise(value, "in an argument:")
    return tuple(part_names(value))


def _is_complex_leaf(value: Any) -> bool:
    if is_sparse_matrix(value):
        raise NotDifferentiableError(
            "an argument is a sparse matrix, with which `*` multiplies matrices",
            hint="pass a sparse array, which multiplies as arrays do: csr_array(A)",
        )
    refuse_otherwise(value, "in an argument:")
    return isinstance(value, complex) or (getattr(getattr(value, "dtype", None), "kind", "") == "c")


def fits(grad: Any, value: Any) -> bool:
    """Say whether a gradient has the type and shape of its input already; the usual case, fast."""
    kind = type(value)
    if kind is not type(grad):
        return False
    if kind is np.ndarray:
        return grad.dtype is value.dtype and grad.shape == value.shape
    if kind is float:
        return True
    if kind is dict and len(grad) == len(value):
        get = grad.get
        for key, item in value.items():
            part = get(key)
            if type(item) is not np.ndarray or type(part) is not np.ndarray:
                return False
            if part.dtype is not item.dtype or part.shape != item.shape:
                return False
        return True
    return False


def conform(grad: Any, value: Any) -> Any:
    """Return a gradient with the structure, shape and type of the value it belongs to.

    Missing entries become zeros; entries of the value that are no floats get None.
    """
    if fits(grad, value):
        return grad
    if type(grad) is Stack and type(value) is np.ndarray:
        return _conform_leaf(grad, value)
    if isinstance(value, Tensor):  # inside a call on the tape, which differentiates it again
        found = value * 0.0 if grad is None else grad
        return as_python(found, float) if type(value) is PythonFloat else found
    if isinstance(value, dict):
        items = {key: conform(_entry(grad, key), item) for key, item in value.items()}
        return rebuilt_dict(value, items)
    by_field = type(grad) is dict and isinstance(value, tuple) and is_plain_object(value)
    if isinstance(value, (list, tuple)) and not (by_field and grad):
        parts = [conform(_entry(grad, i), item) for i, item in enumerate(value)]
        return _rebuild_sequence(value, parts)
    return _conform_object(grad, value) if is_plain_object(value) else _conform_leaf(grad, value)


def _conform_object(grad: Any, value: Any) -> Any:
    names = part_names(value)
    fields = {name: conform(_entry(grad, name), getattr(value, name)) for name in names}
    return with_parts(value, fields)


def _conform_leaf(grad: Any, value: Any) -> Any:
    if isinstance(grad, Stack):
        if type(value) is np.ndarray:
            return grad.conformed(value.shape, value.dtype) if value.dtype.kind in "fc" else None
        return grad.conformed(np.shape(value), np.result_type(value)) if is_float(value) else None
    if isinstance(grad, Tensor):  # by what a call on the tape holds
        return grad
    if isinstance(value, complex) and not isinstance(value, np.generic):
        return 0j if grad is None else complex(grad)
    if isinstance(value, np.generic):
        return (
            value.dtype.type(0 if grad is None else _real_as(grad, value))
            if is_float(value)
            else None
        )
    if isinstance(value, (float, int)) and not isinstance(value, bool):
        return 0.0 if grad is None else _as_number(grad)
    return _conform_array(grad, value) if is_float(value) else None


def _as_number(grad: Any) -> float:
    if np.ndim(grad):
        raise NotProvenError(
            f"the derivative is not proven: the gradient of a number has shape {np.shape(grad)}",
            hint="the tape differentiates it; please report the function",
        )
    return float(np.real(grad))


def _real_as(grad: Any, value: Any) -> Any:
    return grad if value.dtype.kind == "c" else np.real(grad)


def _conform_array(grad: Any, value: Any) -> Any:
    if grad is None:
        return np.zeros_like(value)
    if type(grad) is type(value) and grad.dtype == value.dtype and grad.shape == value.shape:
        return grad
    if not isinstance(value, np.ndarray) and is_array(value):
        return _conform_elsewhere(grad, value)
    array = np.asarray(_real_as(grad, value)).astype(value.dtype, copy=False)
    return array if array.shape == value.shape else np.array(np.broadcast_to(array, value.shape))


def _conform_elsewhere(grad: Any, value: Any) -> Any:
    """Return the same for an array of another library, there."""
    if not is_array(grad):
        return namespace(value).full_like(value, _real_as(grad, value))
    array = _real_as(grad, value).astype(value.dtype, copy=False)
    if array.shape == value.shape:
        return array
    return namespace(value).broadcast_to(array, value.shape).copy()


def _entry(grad: Any, key: Any) -> Any:
    if isinstance(grad, dict):
        return grad.get(key)
    if isinstance(key, str) and is_plain_object(grad):
        return getattr(grad, key, None)
    if grad is None or not hasattr(grad, "__getitem__"):
        return None
    return grad[key]


def rebuilt_dict(value: dict[Any, Any], items: dict[Any, Any]) -> Any:
    """Return a dict like `value`, of its class, with other items."""
    if type(value) is dict:
        return items
    new = value.copy()
    new.update(items)
    return new


def _rebuild_sequence(value: Any, parts: list[Any]) -> Any:
    kind = type(value)
    if hasattr(kind, "_fields"):
        return kind(*parts)
    make: Callable[[list[Any]], Any] = kind if kind in (list, tuple) else list
    return make(parts)


def as_now(value: Any) -> Any:
    """Return nested containers and objects anew, as they are before a function changes them."""
    if isinstance(value, dict):
        return rebuilt_dict(value, {key: as_now(item) for key, item in value.items()})
    if isinstance(value, (list, tuple)):
        return _rebuild_sequence(value, [as_now(item) for item in value])
    if is_plain_object(value):
        return rebuilt(value, {name: as_now(getattr(value, name)) for name in field_names(value)})
    return value


def is_writable_array(value: Any) -> bool:
    """Say whether a value is an array that can be written into, not a number or a container."""
    return hasattr(value, "dtype") and hasattr(value, "__setitem__")
