"""Makes the adjoints that a backward pass starts from."""

from __future__ import annotations

from numbers import Complex, Real
from types import ModuleType
from typing import Any, Final

import numpy as np

from srcgrad.errors import NonScalarOutputError, NotDifferentiableError

_FLOATS: Final = np.dtype(float)
_REAL: Final = frozenset({float, int, np.float64})


def zeros_like(x: Any) -> Any:
    """Return an adjoint of zeros for `x`.

    That is 0.0 for a number, or None in the place of one, an array of zeros for an array (of
    float64 if it holds integers), and a dict or list of those for a dict, list, tuple or range,
    since adjoints are written in place.
    """
    kind = type(x)
    if kind is np.ndarray:
        dtype = x.dtype
        floats = dtype is _FLOATS or dtype.kind in "fc"
        if floats and (x.ndim < 2 or x.flags.c_contiguous):
            return np.zeros(x.shape, dtype)  # several times faster than np.zeros_like
    if kind is list or kind is tuple:  # before it is asked whether it is a number, which takes long
        return [0.0 if type(value) in _REAL else zeros_like(value) for value in x]
    if kind is float or x is None or isinstance(x, Real):
        return 0.0
    if isinstance(x, dict):
        return {key: zeros_like(value) for key, value in x.items()}
    if isinstance(x, (list, tuple, range)):
        return [zeros_like(value) for value in x]
    if isinstance(x, Complex):
        return 0j
    if hasattr(x, "dtype") and not isinstance(x, (type, ModuleType)):
        return np.zeros_like(x, dtype=None if x.dtype.kind in "fc" else np.float64)
    return None


def complex_zeros_like(x: Any) -> Any:
    """Return zeros like `zeros_like`, but of complex numbers, since such may be added to them."""
    if isinstance(x, dict):
        return {key: complex_zeros_like(value) for key, value in x.items()}
    if isinstance(x, (list, tuple, range)):
        return [complex_zeros_like(value) for value in x]
    zeros = zeros_like(x)
    if zeros is None or not hasattr(zeros, "dtype"):
        return None if zeros is None else 0j
    return zeros.astype(np.result_type(zeros.dtype, np.complex64))


def scalar_seed(value: Any) -> float:
    """Return 1.0, the adjoint of an output, if `value` is one real number.

    Raises:
        NonScalarOutputError: `value` is an array with axes, complex, or no number at all.
    """
    if type(value) is float or (isinstance(value, (float, int)) and not isinstance(value, bool)):
        return 1.0
    kind = getattr(getattr(value, "dtype", None), "kind", "")
    shape = getattr(value, "shape", None)
    if shape == () and kind in "fiu":
        return 1.0
    raise NonScalarOutputError(
        f"the gradient needs a function that returns one real number, but got {_name(value)}",
        hint="a way through the function ends without `return`: add one"
        if value is None
        else "reduce it to one number, for example with .sum() or .mean()",
    )


def refuse_integers(array: Any) -> None:
    """Refuse an array of integers, which cuts off the fraction of what is stored in it.

    So are arrays of records, objects and texts.

    Raises:
        NotDifferentiableError: `array` is an array of no floats.
    """
    kind = getattr(getattr(array, "dtype", None), "kind", "f")
    if kind not in "fc":
        keeps = "keeps its whole part" if kind in "iub" else "does not keep it as a float"
        raise NotDifferentiableError(
            f"a value with a derivative is stored into {_name(array)}, which {keeps}",
            hint="make the array of floats, for example with `dtype=float` or `.astype(float)`",
        )


def same_kind(value: Any, array: Any) -> Any:
    """Return a value that goes to an array by ``out=``, which takes no fractions for integers.

    >>> same_kind(np.ones(2, int), np.zeros(2))
    array([1, 1])

    Raises:
        TypeError: NumPy does not cast it, unless for a sum or a mean.
    """
    held = np.asarray(value).dtype
    if np.can_cast(held, array.dtype, "same_kind"):
        return value
    rule = "according to the rule 'same_kind'"
    raise TypeError(f"Cannot cast array data from {held!r} to {array.dtype!r} {rule}")


def _name(value: Any) -> str:
    """Describe `value` by what is wrong with it."""
    shape = getattr(value, "shape", None)
    if shape is None:
        return f"a {type(value).__name__}"
    return f"an array of shape {shape} and type {value.dtype}"
