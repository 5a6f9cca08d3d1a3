"""Runs NumPy's loops over Python functions (`vectorize` and its kin) on tensors."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from srcgrad.backends.jit import of_elements, plain
from srcgrad.errors import MissingRuleError
from srcgrad.rules.equivalents.arrays import Common
from srcgrad.tape.apply import apply, tensors_in, unwrap
from srcgrad.tape.core import Core, make
from srcgrad.tape.modes import STATE
from srcgrad.tape.nesting import to_array
from srcgrad.tape.ops import require_op
from srcgrad.tape.protocols import HANDLED
from srcgrad.tape.pynumbers import as_python
from srcgrad.tape.refusing import refusal


def _shape_of(value: Any) -> tuple[int, ...]:
    return value._array.shape if isinstance(value, Core) else np.shape(value)


def _element(value: Any) -> Any:
    """NumPy gives the function Python's numbers."""
    if isinstance(value, Core):
        return as_python(value) if value._array.dtype.kind == "f" else value
    return value.item() if isinstance(value, np.generic) else value


def _spread(value: Any, shape: tuple[int, ...]) -> Any:
    if isinstance(value, Core):
        return apply(require_op(np.broadcast_to), (value, shape))
    return np.broadcast_to(value, shape)


class Vectorized:
    """What stands in for an `np.vectorize`: its function is called on elements of tensors."""

    def __init__(self, original: Any) -> None:
        self._original = original

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the function on each element and make an array of the results."""
        if not STATE.strict or not tensors_in((*args, *kwargs.values())):
            return self._original(*args, **kwargs)
        given = self._original
        if (
            given.signature is not None
            or given.excluded
            or kwargs
            or _asked(given) == np.dtype(object)
        ):
            raise refusal(
                MissingRuleError,
                "np.vectorize with a signature, key words or objects has no derivative rule",
                "write the loop over the elements",
            )
        shape = np.broadcast_shapes(*map(_shape_of, args))
        spread = [_spread(arg, shape) for arg in args]
        results = [
            given.pyfunc(*[_element(arg[index]) for arg in spread]) for index in np.ndindex(shape)
        ]
        if not results or isinstance(results[0], tuple):
            raise refusal(
                MissingRuleError,
                "np.vectorize of no elements, or with several results, has no derivative rule",
                "write the loop over the elements",
            )
        return _typed(results, _asked(given)).reshape(shape)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._original, name)


class Interpreted:
    """What stands in for a function that Numba compiles: Python runs it, as it does on tensors.

    Numba would read the names that are lent here, where it compiles a function at its first call.
    """

    def __init__(self, original: Any) -> None:
        self._original = original

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the Python function in a run on the tape."""
        return (plain(self._original) if STATE.strict else self._original)(*args, **kwargs)

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self if instance is None else functools.partial(self, instance)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._original, name)


class InterpretedElements(Interpreted):
    """What stands in for a function of `numba.vectorize`: Python runs it on numbers, one by one."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the Python function in a run on the tape, of numbers or of each element."""
        if not STATE.strict or kwargs:
            return self._original(*args, **kwargs)
        python = of_elements(self._original)
        if all(_shape_of(arg) == () for arg in args):
            return python(*args)
        return Vectorized(np.vectorize(python))(*args)


def _asked(given: Any) -> Any:
    """Return the type that an `np.vectorize` is asked for, kept as text or in a list."""
    kinds = given.otypes
    return np.dtype(kinds[0]) if kinds else None


def _typed(results: list[Any], asked: Any) -> Any:
    """Make an array of the type of the first result, as NumPy does, or of the type asked for."""
    first = results[0]
    dtype = first._array.dtype if isinstance(first, Core) else np.asarray(first).dtype
    if isinstance(first, Core) and isinstance(first, int):
        dtype = np.dtype(int)
    return to_array(results, asked or dtype)


@functools.wraps(np.vectorize, updated=())
def _vectorize(*args: Any, **kwargs: Any) -> Any:
    """Make a vectorized function of which tensors may be the arguments."""
    made = np.vectorize(*args, **kwargs)
    return Vectorized(made) if STATE.strict else made


@functools.wraps(np.ndenumerate, updated=())
def _ndenumerate(arr: Any) -> Any:
    """Go through the elements of an array with their indices."""
    if not STATE.strict or not isinstance(arr, Core):
        return np.ndenumerate(arr)
    return _pairs(arr)


def _pairs(arr: Any) -> Iterator[Any]:
    for index in np.ndindex(arr._array.shape):
        yield index, arr[index]


def _apply_along_axis(
    func1d: Callable[..., Any], axis: int, arr: Any, *args: Any, **kwargs: Any
) -> Any:
    """Call a function on each row along an axis and put the results in the place of the rows."""
    rows = np.moveaxis(arr, axis, -1)
    lead = rows._array.shape[:-1]
    results = [func1d(rows[index], *args, **kwargs) for index in np.ndindex(lead)]
    done = to_array(results)
    inner = done.shape[1:]
    done = done.reshape((*lead, *inner))
    if not inner:
        return done
    place = axis % arr._array.ndim
    source = range(len(lead), len(lead) + len(inner))
    return np.moveaxis(done, tuple(source), tuple(range(place, place + len(inner))))


def _piecewise(x: Any, condlist: Any, funclist: Any, *args: Any, **kwargs: Any) -> Any:
    """Call one function on the elements for which its condition holds, the last on the rest."""
    shape = np.shape(x)
    conditions = list(_conditions(unwrap(condlist), len(shape)))
    functions = list(funclist)
    if len(functions) == len(conditions) + 1:
        conditions.append(~np.any(conditions, axis=0))
    if len(functions) != len(conditions):
        return np.piecewise(np.zeros(shape), unwrap(condlist), functions)  # its own error
    points: Any = x if shape else np.reshape(x, 1)
    result = make(np.zeros_like(points._array))
    for condition, function in zip(conditions, functions, strict=True):
        chosen = condition if shape else condition.reshape(1)
        if callable(function):
            if chosen.any():
                result[chosen] = function(points[chosen], *args, **kwargs)
        else:
            result[chosen] = function
    return result if shape else np.reshape(result, ())


def _conditions(condlist: Any, ndim: int) -> Any:
    """Return one condition in a row, as NumPy reads what may be one condition or a list of them."""
    if np.isscalar(condlist) or (ndim and not isinstance(condlist[0], (list, np.ndarray))):
        condlist = [condlist]
    return np.asarray(condlist, bool)


class Broadcast(Common):
    """What tensors are broadcast to, with their elements."""

    def __init__(self, args: tuple[Any, ...]) -> None:
        super().__init__(np.broadcast_shapes(*map(np.shape, args)))
        self._args = args

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        """Go through the elements that meet."""
        return zip(*[np.broadcast_to(item, self.shape).ravel() for item in self._args], strict=True)


@functools.wraps(np.broadcast, updated=())
def _broadcast(*args: Any) -> Any:
    """Return what arrays are broadcast to."""
    return Broadcast(args) if STATE.strict and tensors_in(args) else np.broadcast(*args)


LOOPS: dict[str, Any] = {made.__name__: made for made in (_vectorize, _ndenumerate, _broadcast)}

HANDLED[np.apply_along_axis] = _apply_along_axis
HANDLED[np.piecewise] = _piecewise
