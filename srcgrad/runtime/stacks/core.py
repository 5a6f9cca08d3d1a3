"""Defines the stack: as many arrays of one shape as there are seeds, used as if they were one.

A derivative's text is linear in its seed and reads the values of the function as they are. Run
with a stack in the place of the seed, each of its statements does to all rows of the stack what it
would do to one. What cannot be said for all rows at once is refused, never guessed.
"""

from __future__ import annotations

import operator
import threading
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, NoReturn

import numpy as np

from srcgrad.runtime.stacks.factors import combined, factor_for, is_finite, puts_off

Function = Callable[..., Any]
HANDLERS: Final[dict[Any, Function]] = {}


class CannotStackError(Exception):
    """Something cannot be done to all rows of a stack at once: run row by row instead."""


class Refusals(threading.local):
    """Counts the refusals of this thread, which an `except` in a program may have swallowed."""

    count = 0


refusals: Final = Refusals()


def refuse(reason: str) -> NoReturn:
    """Give up on stacks for this run.

    Raises:
        CannotStackError: Always.
    """
    refusals.count += 1
    raise CannotStackError(reason)


def handles(*functions: Any) -> Callable[[Function], Function]:
    """Register how NumPy's `functions` act on stacks."""

    def add(handler: Function) -> Function:
        HANDLERS.update(dict.fromkeys(functions, handler))
        return handler

    return add


def _binary(ufunc: Any, *, swapped: bool = False) -> Any:
    def method(self: Stack, other: Any) -> Any:
        return elementwise(ufunc, (other, self) if swapped else (self, other))

    return method


def _in_place(ufunc: Any) -> Any:
    def method(self: Stack, other: Any) -> Any:
        return elementwise(ufunc, (self, other), out=self)

    return method


def _refusing(what: str) -> Any:
    def method(_self: Stack, *_args: Any, **_kwargs: Any) -> NoReturn:
        refuse(what)

    return method


class Stack:
    """Rows that are used as one array (or number) of the shape that each of them has.

    A factor that all rows have in common may be put off, as long as nothing is written in place
    (see `srcgrad.runtime.stacks.factors`); whoever asks for the rows gets them with their factor.

    Attributes:
        rows: All of them in one array; its first axis counts them.
        is_array: Whether each is an array, which ``+=`` writes into, and not a number, which it
            does not; rows without axes are numbers unless told otherwise.
    """

    __slots__ = ("_bare", "_factor", "is_array")
    __array_priority__ = 1000.0

    def __init__(self, rows: Any, *, is_array: bool = False, factor: Any = None) -> None:
        self._bare = rows
        self._factor = factor
        self.is_array = is_array or rows.ndim > 1

    @property
    def rows(self) -> Any:
        if self._factor is not None:
            self._bare, self._factor = self._bare * self._factor, None
        return self._bare

    @property
    def shape(self) -> tuple[int, ...]:
        shape: tuple[int, ...] = self._bare.shape[1:]
        return shape

    @property
    def ndim(self) -> int:
        return int(self._bare.ndim) - 1

    @property
    def size(self) -> int:
        return int(np.prod(self._bare.shape[1:], dtype=int))

    @property
    def dtype(self) -> Any:
        return self._bare.dtype

    def own_rows(self) -> Any:
        """Return the rows in an array that nobody else has."""
        if self._factor is not None:
            return self._bare * self._factor
        return np.array(self._bare, order="C")

    def columns(self) -> Any:
        """Return a new matrix that has the numbers of each row in a column."""
        flat = self._bare.reshape(len(self._bare), -1).T
        factor = self._factor
        if factor is None:
            return np.array(flat, order="C")
        if np.shape(factor) != self.shape:
            factor = np.broadcast_to(factor, self.shape)
        return np.multiply(flat, factor.reshape(-1, 1), order="C")

    def times(self, factor: Any) -> Stack | None:
        """Return the rows with one more factor put off, or None if that must not be."""
        if self._factor is not None:
            factor = combined(np.multiply, self._factor, factor)
            if not is_finite(factor):
                return None
        return Stack(self._bare, is_array=self.is_array, factor=factor)

    def joined(self, ufunc: Any, other: Stack) -> Stack | None:
        """Return the sum or difference of two multiples of the same rows, or None for others."""
        if self._bare is not other._bare:
            return None
        factor = combined(ufunc, self._factor, other._factor)
        return (
            Stack(self._bare, is_array=self.is_array, factor=factor) if is_finite(factor) else None
        )

    @property
    def T(self) -> Any:  # noqa: N802 - NumPy's name
        return HANDLERS[np.transpose](self)

    @property
    def real(self) -> Any:
        return Stack(self.rows.real)

    @property
    def imag(self) -> Any:
        return Stack(self.rows.imag)

    def conformed(self, shape: tuple[int, ...], dtype: Any) -> Stack:
        """Return the rows in a shape that they broadcast to and a type that they may have."""
        if self.shape == shape and self.dtype == dtype:
            return self
        rows = self.rows
        if rows.dtype.kind == "c" and dtype.kind != "c":
            rows = rows.real
        if self.shape != shape:
            rows = np.broadcast_to(aligned(Stack(rows), len(shape)), (len(rows), *shape))
        return Stack(rows.astype(dtype, copy=False))

    __add__, __radd__ = _binary(np.add), _binary(np.add, swapped=True)
    __sub__, __rsub__ = _binary(np.subtract), _binary(np.subtract, swapped=True)
    __mul__, __rmul__ = _binary(np.multiply), _binary(np.multiply, swapped=True)
    __truediv__, __rtruediv__ = _binary(np.divide), _binary(np.divide, swapped=True)
    __pow__, __rpow__ = _binary(np.power), _binary(np.power, swapped=True)
    __iadd__, __isub__ = _in_place(np.add), _in_place(np.subtract)
    __imul__, __itruediv__ = _in_place(np.multiply), _in_place(np.divide)
    __bool__ = _refusing("a condition")
    __float__ = __int__ = __complex__ = __index__ = _refusing("a number")
    __array__ = _refusing("an array")
    __lt__ = __le__ = __gt__ = __ge__ = _refusing("a comparison")
    __contains__ = item = tolist = _refusing("a number")

    def __eq__(self, other: object) -> bool:
        refuse("a comparison")

    def __ne__(self, other: object) -> bool:
        refuse("a comparison")

    __hash__ = object.__hash__

    def __neg__(self) -> Stack:
        later = self.times(-1.0) if puts_off.on else None
        return Stack(-self.rows) if later is None else later

    def __pos__(self) -> Stack:
        return Stack(+self.rows)

    def __abs__(self) -> Stack:
        return Stack(abs(self.rows))

    def __matmul__(self, other: Any) -> Any:
        return HANDLERS[np.matmul](self, other)

    def __rmatmul__(self, other: Any) -> Any:
        return HANDLERS[np.matmul](other, self)

    def __len__(self) -> int:
        return self.shape[0] if self.ndim else refuse("the length of a number")

    def __iter__(self) -> Iterator[Any]:
        if not self.ndim:
            refuse("a loop over a number")
        return (self[place] for place in range(self.rows.shape[1]))

    def __getitem__(self, index: Any) -> Any:
        whole = index if isinstance(index, tuple) else (index,)
        _check_index(whole)
        if _is_simple(whole):
            part = self.rows[(slice(None), *whole)]
            if part.ndim > 1 or any(item is Ellipsis for item in whole):
                return Stack(part, is_array=True)
            return Stack(part.copy())
        return Stack(rows_first(rows_last(self.rows)[closed(whole)]))

    def __setitem__(self, index: Any, value: Any) -> None:
        whole = index if isinstance(index, tuple) else (index,)
        _check_index(whole)
        if _is_simple(whole):
            place = (slice(None), *whole)
            part = self.rows[place]
            if operand_ndim(value) >= part.ndim:
                refuse("a value with more axes than its place")
            self.rows[place] = aligned(value, part.ndim - 1)
        else:
            rows_last(self.rows)[closed(whole)] = behind(value)

    def __array_ufunc__(
        self, ufunc: Any, method: str, *inputs: Any, out: Any = None, **options: Any
    ) -> Any:
        if ufunc is np.matmul and method == "__call__":
            if out or options:
                refuse("matmul with options")
            return HANDLERS[np.matmul](*inputs)
        if method == "at":
            return HANDLERS[np.add.at](ufunc, *inputs)
        if method == "reduce" and ufunc is np.add:  # which goes along the first axis, not along all
            return HANDLERS[np.sum](*inputs, out=out, **{"axis": 0, **options})
        if method != "__call__" or ufunc.nout != 1:
            refuse(f"{ufunc.__name__}.{method}")
        if ufunc.signature is not None:
            refuse(ufunc.__name__)
        return elementwise(ufunc, inputs, out=out[0] if out else None, **options)

    def __array_function__(
        self, func: Any, types: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]
    ) -> Any:
        handler = HANDLERS.get(func)
        if handler is None:
            refuse(f"{func.__module__}.{func.__name__}")
        return handler(*args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name == "tocsr":  # asked for to know a sparse matrix
            raise AttributeError(name)
        handler = HANDLERS.get(f".{name}")
        if handler is None:
            refuse(f"the attribute {name}")
        return lambda *args, **kwargs: handler(self, *args, **kwargs)

    def __repr__(self) -> str:
        return f"Stack({self.rows!r})"


class Units(Stack):
    """The rows of the identity matrix, in order: a product with them is the other operand.

    That is so as long as they are not written into; what is made from them is a plain stack.
    """

    __slots__ = ()


def elementwise(ufunc: Any, inputs: tuple[Any, ...], out: Any = None, **options: Any) -> Any:
    """Apply a ufunc of elements; `out` may be a stack of arrays, which is written into."""
    if not options.keys() <= {"where", "dtype", "casting"}:
        refuse("an option of a ufunc")
    is_written = out is not None and getattr(out, "is_array", True)
    if puts_off.on and not options and not is_written:
        later = _put_off(ufunc, *inputs)
        if later is not None:
            return later
    mask = options.get("where", True)
    if mask is not True and not (is_written and type(mask) is np.ndarray):
        refuse("where= without out=, or of no array")
    ndim = max(operand_ndim(item) for item in (*inputs, mask))
    if not is_written:
        return Stack(ufunc(*(aligned(item, ndim) for item in inputs), **options))
    if not isinstance(out, Stack):
        refuse("a result in an array that is no stack")
    if out.ndim < ndim:
        refuse("a result in an array of fewer axes")
    ufunc(*(aligned(item, out.ndim) for item in inputs), out=out.rows, **options)
    return out


def _put_off(ufunc: Any, *inputs: Any) -> Stack | None:
    """Return a product or sum that is a multiple of rows as they are, or None for anything else."""
    if ufunc is np.multiply:
        one, other = inputs
        stack, plain = (one, other) if isinstance(one, Stack) else (other, one)
        factor = factor_for(stack, plain)
        return None if factor is None else stack.times(factor)
    if ufunc is np.add or ufunc is np.subtract:
        one, other = inputs
        both = isinstance(one, Stack) and isinstance(other, Stack)
        return one.joined(ufunc, other) if both else None
    return None


def operand_ndim(value: Any) -> int:
    """Return the number of axes that an operand has for the program."""
    if isinstance(value, (Stack, np.ndarray)):
        return value.ndim
    if isinstance(value, (float, int, complex, np.generic)):
        return 0
    if isinstance(value, (list, tuple)) and not holds_stack(value):
        return np.ndim(value)
    refuse(f"an operand of type {type(value).__name__}")


def aligned(value: Any, ndim: int) -> Any:
    """Return the rows of a stack with axes of length one, so that each row has `ndim` axes."""
    if not isinstance(value, Stack):
        return value
    missing = ndim - value.ndim
    if missing <= 0:
        return value.rows
    rows = value.rows
    return rows.reshape(rows.shape[:1] + (1,) * missing + rows.shape[1:])


def behind(value: Any) -> Any:
    """Return a value with the axis that counts rows behind its own; its length is one if new."""
    if isinstance(value, Stack):
        return rows_last(value.rows)
    operand_ndim(value)
    return np.asarray(value)[..., None]


def rows_last(rows: Any) -> Any:
    """Return a view with the first axis last."""
    return rows.transpose((*range(1, rows.ndim), 0))


def rows_first(rows: Any) -> Any:
    """Return a view with the last axis first."""
    return rows.transpose((rows.ndim - 1, *range(rows.ndim - 1)))


def rows_of(value: Any) -> Any:
    """Return the rows of a stack.

    Raises:
        CannotStackError: It is none.
    """
    return value.rows if isinstance(value, Stack) else refuse("a call in which no stack leads")


def holds_stack(value: Any) -> bool:
    """Say whether there is a stack in a value or in containers inside of it."""
    if isinstance(value, Stack):
        return True
    if isinstance(value, dict):
        return any(map(holds_stack, value.values()))
    return isinstance(value, (list, tuple)) and any(map(holds_stack, value))


def _check_index(index: tuple[Any, ...]) -> None:
    if any(holds_stack(part) for part in index):
        refuse("an index")


def _is_simple(index: tuple[Any, ...]) -> bool:
    """Say whether an index, put behind one for the rows, means the same to the other axes."""
    arrays = 0
    for part in index:
        if isinstance(part, (bool, np.bool_)):
            return False
        if part is not None and part is not Ellipsis and not isinstance(part, slice):
            try:
                operator.index(part)
            except TypeError:
                arrays += 1
    return arrays == 0 or len(index) == 1


def closed(index: tuple[Any, ...]) -> tuple[Any, ...]:
    """Keep an ellipsis from taking the axis of the rows, which stands last."""
    return (*index, slice(None)) if any(part is Ellipsis for part in index) else index
