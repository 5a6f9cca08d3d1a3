"""Lets sparse matrices of constants, and classes of SciPy, meet tensors."""

from __future__ import annotations

import functools
import importlib
from typing import Any

from srcgrad.errors import MissingRuleError
from srcgrad.runtime.interpolators import stands_for_object
from srcgrad.runtime.objects import held_attribute
from srcgrad.runtime.products import is_sparse, is_sparse_matrix
from srcgrad.tape.callers import call_recorded, has_tensor
from srcgrad.tape.refusing import refusal


class RecordingClass:
    """A class of SciPy, such as ``csr_array``, that may be called with tensors."""

    def __init__(self, kind: type) -> None:
        self.__wrapped__ = kind

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if has_tensor((*args, *kwargs.values())) or stands_for_object(self.__wrapped__):
            return call_recorded(self.__wrapped__, args, kwargs)
        return taking_tensors(self.__wrapped__(*args, **kwargs))

    def __instancecheck__(self, instance: Any) -> bool:
        return isinstance(instance, self.__wrapped__)

    def __subclasscheck__(self, subclass: Any) -> bool:
        return issubclass(getattr(subclass, "__wrapped__", subclass), self.__wrapped__)

    def __mro_entries__(self, bases: Any) -> tuple[type, ...]:
        return (self.__wrapped__,)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__wrapped__, name)

    def __eq__(self, other: object) -> bool:
        return other is self or other is self.__wrapped__

    def __hash__(self) -> int:
        return hash(self.__wrapped__)


def taking_tensors(value: Any) -> Any:
    """Return a sparse matrix of constants as one that multiplies tensors; others as they are."""
    if is_sparse(value) and not isinstance(value, FixedSparse) and type(value).__module__ != OURS:
        kind: Any = type(value)
        twin: Any = object.__new__(_kind_of(kind))
        twin.__dict__.update(value.__dict__)
        return twin
    factors = held_attribute(value, "__self__", value)
    if type(factors).__name__ != "SuperLU":
        return value
    return FixedFactors(value) if factors is value else FixedFactors(factors).solve


OURS = "srcgrad.rules.scipy.sparse_matrices"
_MAKING = (
    *("transpose", "tocsr", "tocsc", "tocoo", "todia", "tobsr", "copy", "conj", "conjugate"),
    *("astype", "__neg__", "__abs__", "__getitem__", "maximum", "minimum", "power"),
)


@functools.cache
def _kind_of(kind: type) -> type:
    made = {name: _making(kind, name) for name in _MAKING if hasattr(kind, name)}
    return type(kind.__name__, (FixedSparse, kind), {**made, "__module__": kind.__module__})


def class_of(value: Any) -> Any:
    """Return the class of a value, of a matrix of constants that which it had before."""
    kind = type(value)
    return kind.__mro__[2] if issubclass(kind, FixedSparse) else kind


def _making(kind: type, name: str) -> Any:
    function = getattr(kind, name)

    @functools.wraps(function)
    def call(self: Any, *args: Any, **kwargs: Any) -> Any:
        return taking_tensors(function(self, *args, **kwargs))

    return call


class FixedSparse:
    """What a sparse matrix of constants does when it meets tensors."""

    __array_ufunc__ = None

    @property
    def T(self) -> Any:
        """The transposed matrix."""
        return self.transpose()  # type: ignore[attr-defined]

    def dot(self, x: Any) -> Any:
        """Return the product with an array or a tensor."""
        return self @ x

    def __matmul__(self, x: Any) -> Any:
        if has_tensor((x,)):
            if is_sparse(x):
                return self._varying() @ x
            return _module("runtime.scipy.sparse").fixed_product(self, x)
        return self._as_usual("__matmul__", x)

    def __rmatmul__(self, x: Any) -> Any:
        if has_tensor((x,)):
            return x @ self._varying() if is_sparse(x) else (self.T @ x.T).T
        return self._as_usual("__rmatmul__", x)

    def __mul__(self, other: Any) -> Any:
        return self._changed("__mul__", other)

    def __rmul__(self, other: Any) -> Any:
        return self._changed("__rmul__", other)

    def multiply(self, other: Any) -> Any:
        """Return the product element by element."""
        return (
            self._varying().multiply(other)
            if has_tensor((other,))
            else self._as_usual("multiply", other)
        )

    def __truediv__(self, other: Any) -> Any:
        return self._changed("__truediv__", other)

    def __add__(self, other: Any) -> Any:
        return self._changed("__add__", other)

    def __radd__(self, other: Any) -> Any:
        return self._changed("__radd__", other)

    def __sub__(self, other: Any) -> Any:
        return self._changed("__sub__", other)

    def __rsub__(self, other: Any) -> Any:
        return self._changed("__rsub__", other)

    def _changed(self, name: str, other: Any) -> Any:
        if not has_tensor((other,)):
            return self._as_usual(name, other)
        if name in ("__mul__", "__rmul__") and is_sparse_matrix(self) and other.ndim:
            if name == "__rmul__" or is_sparse(other):
                raise refusal(
                    MissingRuleError,
                    "this product of a sparse matrix is one of matrices",
                    "write it with `@`, or make it a sparse array",
                )
            return self @ other
        return getattr(self._varying(), name)(other)

    def _as_usual(self, name: str, other: Any) -> Any:
        return taking_tensors(getattr(class_of(self), name)(self, other))

    def _varying(self) -> Any:
        """Return the matrix as one whose entries may vary."""
        found = _module("runtime.scipy.sparse")
        written = _module("rules.scipy.sparse_matrices")
        return written.SparseArray(found.entries_of(self), found.places_of(self))


class FixedFactors:
    """What `splu` returned for a matrix of constants, which solves systems of tensors."""

    def __init__(self, factors: Any) -> None:
        self.__wrapped__ = factors

    def solve(self, b: Any, trans: str = "N") -> Any:
        """Return the solution of a system."""
        if not has_tensor((b,)):
            return self.__wrapped__.solve(b, trans)
        return _module("runtime.scipy.sparse").factored_solution(self.__wrapped__, b, trans)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__wrapped__, name)


def _module(name: str) -> Any:
    importlib.import_module("srcgrad.rules.scipy.sparse_matrices")
    return importlib.import_module(f"srcgrad.{name}")
