"""Says which kinds of numbers and arrays calculate otherwise than Python's and NumPy's."""

from __future__ import annotations

import functools
import itertools
from typing import Final

import numpy as np

from srcgrad.backends import DASK, is_kind_of_array

_SIGNS: Final = "add sub mul truediv floordiv mod pow matmul".split()
_OWN: Final = frozenset(
    [f"__{way}{sign}__" for sign in _SIGNS for way in ("", "r", "i")]
    + ["__neg__", "__abs__", "__array_ufunc__", "__array_function__"]
)
_KNOWN: Final = frozenset(("builtins", "cupy", "numpy", "pandas", "scipy", "srcgrad"))
OTHER_ENGINES: Final = frozenset(("jax", "jaxlib", "tensorflow", "torch"))
_UNITS: Final = {"magnitude": "x.magnitude, of one unit", "to_value": "x.to_value(unit)"}
_PLAIN: Final = (np.ndarray, np.generic, float, int, complex)


@functools.lru_cache(maxsize=1024)
def calculates_otherwise(kind: type) -> bool:
    """Say whether a type is one of numbers or arrays with operators of its own, as a matrix is.

    >>> calculates_otherwise(np.matrix), calculates_otherwise(np.float64)
    (True, False)
    """
    if not issubclass(kind, _PLAIN):
        return _is_foreign(kind)
    bases = itertools.takewhile(lambda base: not _is_plain(base), kind.__mro__)
    return any(not _OWN.isdisjoint(vars(base)) for base in bases)


def _is_plain(base: type) -> bool:
    return base in _PLAIN or (issubclass(base, np.generic) and base.__module__ == "numpy")


def _is_foreign(kind: type) -> bool:
    """Say whether a type is an array or a quantity of a library that is not known here."""
    if DASK.makes(kind):
        return True
    if is_kind_of_array(kind) or kind.__module__.partition(".")[0] in _KNOWN:
        return False
    protocols = ("__array_ufunc__", "__array_function__")
    if any(getattr(kind, name, None) is not None for name in protocols):
        return True
    return kind.__module__.partition(".")[0] in OTHER_ENGINES and hasattr(kind, "__array__")


def own_arithmetic(kind: type) -> tuple[str, str]:
    """Return what to say of a value of such a type, and what to do instead.

    >>> own_arithmetic(np.matrix)[1]
    'keep an array, and multiply with `@`'
    """
    if issubclass(kind, np.ma.MaskedArray):
        return (
            "a MaskedArray, whose masked elements have no derivative rule",
            "use np.where with the mask",
        )
    if kind.__module__.partition(".")[0] in OTHER_ENGINES:
        library = kind.__module__.partition(".")[0].removesuffix("lib")
        return f"an array of {library}, which has an engine of its own", "pass np.asarray(x)"
    if DASK.makes(kind):
        return (
            "an array of Dask, for which there are `grad`, `value_and_grad`, `vjp`, `jvp`, `hvp`",
            "take one of these, or pass x.compute()",
        )
    if issubclass(kind, np.matrix):
        return (
            "`*` of `np.matrix`, which has operators of its own, is a product of matrices",
            "keep an array, and multiply with `@`",
        )
    numbers = issubclass(kind, (np.generic, float, int, complex))
    plain = "float(x) or int(x)" if numbers else "np.asarray(x)"
    plain = next((text for name, text in _UNITS.items() if hasattr(kind, name)), plain)
    hint = f"make it a plain one first: {plain}"
    return f"a value of the type `{kind.__name__}`, which has operators of its own", hint
