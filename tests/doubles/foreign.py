"""An array that behaves like one on a device: it refuses what CuPy refuses, and silent copies."""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np

from tests.doubles.cupy_gaps import LINALG, lacks


class ForeignError(TypeError):
    """Something that would fail on a device, or copy from it without a word."""


def unwrap(value: Any) -> Any:
    """Return the host arrays inside of a value; a plain array of NumPy beside them is an error."""
    if isinstance(value, Foreign):
        return value._host
    if isinstance(value, np.ndarray):
        raise ForeignError("an array of NumPy is mixed with one of another library")
    if isinstance(value, (list, tuple)):
        return type(value)(unwrap(item) for item in value)
    if isinstance(value, slice):
        return slice(unwrap(value.start), unwrap(value.stop), unwrap(value.step))
    return value


def wrap(value: Any) -> Any:
    """Return a result with foreign arrays: of one number, too, which is no number of NumPy."""
    if isinstance(value, (np.ndarray, np.generic)):
        return Foreign(np.asarray(value))
    if isinstance(value, tuple):
        items = [wrap(item) for item in value]
        return type(value)(*items) if hasattr(value, "_fields") else tuple(items)
    return [wrap(item) for item in value] if isinstance(value, list) else value


class Foreign(np.lib.mixins.NDArrayOperatorsMixin):
    """An array whose memory is elsewhere."""

    __slots__ = ("_host",)
    __module__ = "cupy.double"

    def __init__(self, host: Any) -> None:
        self._host = host

    # -- what NumPy hands over

    def __array_ufunc__(self, ufunc: Any, method: str, *args: Any, **kwargs: Any) -> Any:
        if lacks(ufunc.__name__) or getattr(np, ufunc.__name__, None) is not ufunc:
            raise ForeignError(f"np.{ufunc.__name__} is no function of CuPy")
        if method == "at":
            getattr(ufunc, method)(*unwrap(args))
            return None
        out = kwargs.pop("out", None)
        options = {key: unwrap(value) for key, value in kwargs.items()}
        if out is not None:
            options["out"] = tuple(unwrap(item) for item in out)
        done = wrap(getattr(ufunc, method)(*unwrap(args), **options))
        return done if out is None else out[0]

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        name = function.__name__
        in_linalg = function.__module__ == "numpy.linalg"
        if lacks(name) or (in_linalg and name in LINALG):
            raise ForeignError(f"{function.__module__}.{name} is no function of CuPy")
        for keyword, value in kwargs.items():
            if lacks(name, keyword) and value is not np._NoValue:
                raise ForeignError(f"np.{name} of CuPy has no keyword {keyword!r}")
        options = {key: unwrap(value) for key, value in kwargs.items()}
        return wrap(function(*unwrap(tuple(args)), **options))

    # -- what would copy from the device

    def __array__(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise ForeignError("an implicit conversion to an array of NumPy")

    def _refuse(self, *args: Any) -> NoReturn:
        raise ForeignError("a number is copied from the device")

    __float__ = __int__ = __complex__ = __bool__ = __index__ = item = tolist = _refuse

    # -- an array

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # such as the interfaces by which NumPy reads memory
            raise AttributeError(name)
        value = getattr(self._host, name)
        if not callable(value):
            return wrap(value)

        def method(*args: Any, **kwargs: Any) -> Any:
            options = {key: unwrap(item) for key, item in kwargs.items()}
            return wrap(value(*unwrap(args), **options))

        return method

    def __getitem__(self, index: Any) -> Any:
        return wrap(self._host[unwrap(index)])

    def __setitem__(self, index: Any, value: Any) -> None:
        self._host[unwrap(index)] = unwrap(value)

    def set(self, host: Any) -> None:
        """Copy an array of the host here, which is no silent copy."""
        self._host[...] = host

    def __len__(self) -> int:
        return len(self._host)
