"""Defines what stands for ``x.flat``: the elements of a tensor as one row, and a place in it."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from srcgrad.tape.inplace import set_item
from srcgrad.tape.modes import STATE
from srcgrad.tape.nesting import Unrolled, with_row
from srcgrad.tape.protocols import call_function


class Flat(Unrolled):
    """The elements of a tensor as one row that can be written, of which parts are copies.

    It is an iterator, as NumPy's is: what takes elements from it goes on where another stopped.

    >>> from srcgrad.tape import tensor
    >>> row = tensor([3.0, 5.0, 7.0]).flat
    >>> float(next(row)), row.index, [float(each) for each in row], row.index
    (3.0, 1, [5.0, 7.0], 3)
    """

    def __init__(self, tensor: Any) -> None:
        self._tensor = tensor
        self._place = (
            tensor._array.flat
        )  # which knows where it is, and what it lets itself be asked

    @property
    def _row(self) -> Any:
        return call_function(np.reshape, (self._tensor, -1), {})

    def __getitem__(self, index: Any) -> Any:
        self._place[0:0]  # which begins anew
        part = self._row[index]
        return call_function(np.copy, (part,), {}) if isinstance(index, slice) else part

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> Any:
        at = self._place.coords
        next(self._place)
        return self._tensor[at]

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        return function(*_with_rows(args), **_with_rows(kwargs))

    def __array_ufunc__(self, ufunc: Any, method: str, *args: Any, **kwargs: Any) -> Any:
        return getattr(ufunc, method)(*_with_rows(args), **kwargs)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        """Return the elements as a plain array, unless that would lose the derivative."""
        return self._row.__array__(dtype, copy)

    def __setitem__(self, index: Any, value: Any) -> None:
        self._place[0:0]
        places = np.arange(len(self._place))[index]
        set_item(self._tensor, np.unravel_index(places, self._tensor._array.shape), value)

    def __len__(self) -> int:
        return len(self._place)

    @property
    def index(self) -> int:
        """The place of the next element in the row."""
        return int(self._place.index)

    @property
    def coords(self) -> tuple[int, ...]:
        """The place of the next element in the tensor."""
        coords: tuple[int, ...] = self._place.coords
        return coords

    @property
    def base(self) -> Any:
        """The tensor."""
        return self._tensor

    def copy(self) -> Any:
        """Return the elements as a tensor of their own."""
        return call_function(np.copy, (self._row,), {})

    def __getattr__(self, name: str) -> Any:
        if STATE.strict or name.startswith("__"):
            raise AttributeError(f"'numpy.flatiter' object has no attribute {name!r}")
        return getattr(self._row, name)


def _with_rows(value: Any) -> Any:
    """Return an argument with rows in the place of what stands for such, also within lists."""
    if type(value) is dict:
        return {key: _with_rows(item) for key, item in value.items()}
    if type(value) in (list, tuple):
        return type(value)(map(_with_rows, value))
    return with_row(value)
