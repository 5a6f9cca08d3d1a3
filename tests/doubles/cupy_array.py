"""An array with the restrictions of CuPy's, whose memory is NumPy's: the one thing that it hides.

It refuses what CuPy refuses (arrays of the host, conversions to them, methods and keywords that
CuPy does not have) and counts what CuPy does without a word: numbers that are copied to the host.
Elements and sums are arrays without axes, and elements lie in the memory of their array.
"""

from __future__ import annotations

import operator
from typing import Any, NoReturn

import numpy as np

from tests.doubles.cupy_names import METHODS, check_keywords


class Copies:
    """How many numbers were copied to the host, one at a time."""

    numbers = 0


COPIES = Copies()


def unwrap(value: Any) -> Any:
    """Return the hidden arrays inside of a value; a plain array of NumPy beside them is refused."""
    if isinstance(value, ndarray):
        return value._host
    if isinstance(value, np.ndarray):
        raise TypeError(f"Unsupported type {type(value)}")
    if isinstance(value, (list, tuple)):
        items = [unwrap(item) for item in value]
        return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)
    if isinstance(value, dict):
        return {key: unwrap(item) for key, item in value.items()}
    if isinstance(value, slice):
        return slice(_bound(value.start), _bound(value.stop), _bound(value.step))
    return value


def _bound(value: Any) -> Any:
    if isinstance(value, ndarray):
        raise TypeError("slice indices must be integers or None or have an __index__ method")
    return value


def wrap(value: Any) -> Any:
    """Return a result with arrays of the device: of one number, too, which is no number there."""
    if isinstance(value, np.ndarray):
        return made(value)
    if isinstance(value, np.generic):
        return made(np.array(value))
    if isinstance(value, tuple):
        items = [wrap(item) for item in value]
        return type(value)(*items) if hasattr(value, "_fields") else tuple(items)
    return [wrap(item) for item in value] if isinstance(value, list) else value


def made(host: np.ndarray[Any, Any]) -> ndarray:
    """Return an array of the device that hides an array of the host."""
    if host.dtype.kind not in "biufc":
        raise TypeError(f"Unsupported dtype {host.dtype}")
    new = object.__new__(ndarray)
    new._host, new._base = host, None
    return new


def _view_of(owner: ndarray, found: Any) -> Any:
    """Note whose memory a result has, if it is that of the array it was asked of."""
    if isinstance(found, ndarray) and np.may_share_memory(found._host, owner._host):
        found._base = owner if owner._base is None else owner._base
    return found


def _index(value: Any) -> Any:
    """Return an index for the hidden array; arrays and lists of the host are copied there."""
    parts = value if isinstance(value, tuple) else (value,)
    found = [item if isinstance(item, np.ndarray) else unwrap(item) for item in parts]
    if any(isinstance(item, (list, np.ndarray)) for item in found):
        found = [np.asarray(item) if isinstance(item, list) else item for item in found]
        found = [i.astype(int) if isinstance(i, np.ndarray) and not i.size else i for i in found]
    return tuple(found)


def _is_basic(index: tuple[Any, ...]) -> bool:
    return not any(isinstance(item, (np.ndarray, bool, np.bool_)) for item in index)


class ndarray(np.lib.mixins.NDArrayOperatorsMixin):
    """An array whose memory is elsewhere."""

    __slots__ = ("_base", "_host")
    __module__ = "cupy"
    __hash__ = None  # type: ignore[assignment]
    __array_priority__ = 100
    _host: np.ndarray[Any, Any]
    _base: Any

    def __init__(self, shape: Any, dtype: Any = float) -> None:
        self._base = None
        self._host = np.full(shape, 3, dtype)  # no memory that happens to be zero

    # -- what NumPy hands over

    def __array_ufunc__(self, ufunc: Any, method: str, *args: Any, **kwargs: Any) -> Any:
        import cupy

        there = getattr(cupy, ufunc.__name__, None)
        if there is None or getattr(np, ufunc.__name__, None) is not ufunc:
            return NotImplemented
        function = there if method == "__call__" else getattr(there, method)
        out = kwargs.get("out")
        if isinstance(out, tuple) and len(out) == 1:
            kwargs["out"] = out[0]
        return function(*args, **kwargs)

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        import cupy

        owner = cupy
        for name in function.__module__.split(".")[1:]:
            owner = getattr(owner, name, None)
        there = getattr(owner, function.__name__, None)
        if there is None or any(kind not in (ndarray, np.ndarray) for kind in types):
            return NotImplemented
        return there(*args, **kwargs)

    # -- what copies from the device

    def __array__(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise TypeError(
            "Implicit conversion to a NumPy array is not allowed. "
            "Please use `.get()` to construct a NumPy array explicitly."
        )

    def _number(self, kind: Any) -> Any:
        COPIES.numbers += 1
        return kind(self._host)

    def __bool__(self) -> bool:
        return self._number(bool)

    def __float__(self) -> float:
        return self._number(float)

    def __int__(self) -> int:
        return self._number(int)

    def __complex__(self) -> complex:
        return self._number(complex)

    def __format__(self, spec: str) -> str:
        return format(self._host.item() if not self.ndim else self._host, spec)

    def item(self) -> Any:
        return self._number(np.ndarray.item)

    def tolist(self) -> Any:
        return self._host.tolist()

    def get(self) -> Any:
        return self._host.copy()

    def set(self, host: Any) -> None:
        self._host[...] = host

    # -- an array

    def __len__(self) -> int:
        return len(self._host)

    def __iter__(self) -> Any:
        if not self._host.ndim:
            raise TypeError("iteration over a 0-d array")
        return (self[k] for k in range(len(self._host)))

    def __getitem__(self, index: Any) -> ndarray:
        found = _index(index)
        if _is_basic(found) and Ellipsis not in found:
            found = (*found, Ellipsis)  # a view, of one element too
        return _view_of(self, made(np.asarray(self._host[found])))

    def __setitem__(self, index: Any, value: Any) -> None:
        if isinstance(value, np.ndarray) and value.ndim:
            raise ValueError("non-scalar numpy.ndarray cannot be used for fill")
        if isinstance(value, (list, tuple)):
            raise TypeError(f"Unsupported type {type(value)}")
        self._host[_index(index)] = value if isinstance(value, np.ndarray) else unwrap(value)

    def __getattr__(self, name: str) -> Any:
        if name not in METHODS:
            raise AttributeError(f"'cupy.ndarray' object has no attribute '{name}'")
        value = getattr(self._host, name)
        if not callable(value):
            return _view_of(self, wrap(value))

        def method(*args: Any, **kwargs: Any) -> Any:
            check_keywords(f"ndarray.{name}", kwargs, METHODS[name])
            out = kwargs.get("out")
            done = value(*unwrap(args), **unwrap(kwargs))
            return _view_of(self, wrap(done)) if out is None else out

        return method

    @property
    def base(self) -> Any:
        return self._base

    @property
    def shape(self) -> tuple[int, ...]:
        return self._host.shape

    @property
    def dtype(self) -> Any:
        return self._host.dtype

    @property
    def ndim(self) -> int:
        return self._host.ndim

    @property
    def size(self) -> int:
        return self._host.size

    def __repr__(self) -> str:
        return repr(self._host)

    def __matmul__(self, other: Any) -> Any:
        return _product(self, other)

    def __rmatmul__(self, other: Any) -> Any:
        return _product(other, self)

    def __imatmul__(self, other: Any) -> Any:
        return _product(self, other)


def _product(one: Any, other: Any) -> Any:
    for item in (one, other):
        if not isinstance(item, ndarray):
            raise TypeError(f"Unsupported type {type(item)}")
    return wrap(operator.matmul(one._host, other._host))
