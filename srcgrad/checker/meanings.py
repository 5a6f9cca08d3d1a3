"""What functions that make arrays, of Python's own, and of ours mean where arrays hold elements."""

from __future__ import annotations

import builtins
import math
import types
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from srcgrad import runtime
from srcgrad.checker.arrays import lifted, meaning_of, means, refuse_large
from srcgrad.checker.built_in import Trips
from srcgrad.checker.elements import Element, element_of
from srcgrad.checker.field import code_of, hashed
from srcgrad.checker.library import MOST_TRIPS
from srcgrad.checker.runs import NotCovered, Now
from srcgrad.checker.solving import determinant, determinant_back, inverted, solved, solved_back
from srcgrad.runtime.surgery import grad_of

# -- new arrays


def _is_of_floats(dtype: Any) -> bool:
    return dtype is None or np.dtype(_kind(dtype)).kind in "fO"


def _kind(dtype: Any) -> Any:
    """Return the type that a name of types stands for here."""
    known = isinstance(dtype, (types.FunctionType, _OfFloats))
    return _TYPES.get(dtype, dtype) if known else dtype


def _new(real: Any, value: Element) -> None:
    @means(real)
    def make(shape: Any, dtype: Any = None, order: Any = "C") -> Any:
        refuse_large(math.prod(np.atleast_1d(shape).tolist()))
        if not _is_of_floats(dtype):
            return real(shape, _kind(dtype), order)
        made = np.empty(shape, object, order)
        made[...] = value
        return made


def _new_like(real: Any, value: Element) -> None:
    @means(real)
    def make(like: Any, dtype: Any = None, **options: Any) -> Any:
        like = np.asarray(like)
        if not _is_of_floats(dtype) or (dtype is None and like.dtype.kind not in "fO"):
            return real(like, _kind(dtype), **options)
        made = np.empty_like(like, object, **options)
        made[...] = value
        return made


_EMPTY: Final = Element(hashed(code_of("empty")))
_new(np.zeros, Element(0))
_new(np.ones, Element(1))
_new(np.empty, _EMPTY)
_new_like(np.zeros_like, Element(0))
_new_like(np.ones_like, Element(1))
_new_like(np.empty_like, _EMPTY)


@means(np.full)
def full(shape: Any, value: Any, dtype: Any = None) -> Any:
    """Return an array of equal numbers."""
    refuse_large(math.prod(np.atleast_1d(shape).tolist()))
    return lifted(np.full(shape, value, object if _is_of_floats(dtype) else _kind(dtype)))


@means(np.full_like)
def full_like(like: Any, value: Any, dtype: Any = None) -> Any:
    """Return an array of equal numbers."""
    return lifted(np.full_like(like, value, _kind(dtype)))


def _as_elements(real: Any) -> None:
    @means(real)
    def make(*args: Any, **options: Any) -> Any:
        refuse_large(*args, *options.values())
        if "dtype" in options and _is_of_floats(options["dtype"]):
            del options["dtype"]
            found = real(*args, **options)
            if found.dtype.kind in "iub":
                found = found.astype(float)
        else:
            found = real(*args, **options)
        return found if found.dtype.kind == "O" and found.ndim else lifted(found)


for _real in (np.array, np.asarray, np.asanyarray, np.ascontiguousarray, np.arange, np.linspace,
              np.eye, np.identity, np.copy):  # fmt: skip
    _as_elements(_real)


@means(np.broadcast_to)
def broadcast_to(value: Any, shape: Any) -> Any:
    """Return a value spread over a shape, which must not be written."""
    return np.broadcast_to(lifted(np.asarray(value)), shape)


for _solver, _solution in (
    (np.linalg.solve, solved),
    (np.linalg.inv, inverted),
    (np.linalg.det, determinant),
    (runtime.solve_back, solved_back),
    (runtime.det_back, determinant_back),
):
    means(_solver)(_solution)


# -- Python's own functions


class _OfFloats(type):
    """A type of floats: NumPy, where it is given one that it does not know, keeps elements."""

    def __instancecheck__(cls, value: Any) -> bool:
        return isinstance(value, (Element, float))

    def __call__(cls, value: Any = 0.0) -> Any:
        """Return a number, or an array as it is: one of floats is not copied."""
        if cls is as_double and np.ndim(value):
            held = getattr(getattr(value, "dtype", None), "kind", "")
            return value if held == "O" else lifted(np.float64(value))
        return element_of(value) if isinstance(value, (Element, np.ndarray)) else float(value)


@means(float)
class as_float(metaclass=_OfFloats):
    """Python's floats."""


@means(np.float64)
class as_double(metaclass=_OfFloats):
    """NumPy's floats."""


for _writer in (np.copyto, np.putmask, np.place, np.put, np.fill_diagonal):
    means(_writer)(_writer)


@means(isinstance)
def is_instance(value: Any, kinds: Any) -> bool:
    """Say of what kind a value is; an element is a float."""
    if isinstance(kinds, tuple):
        return any(is_instance(value, kind) for kind in kinds)
    kinds = _kind(kinds)
    if isinstance(value, Element):
        return issubclass(np.float64, kinds)
    return isinstance(value, kinds)


@means(type)
def type_of(value: Any, *rest: Any) -> Any:
    """Return the type of a value; an element is a float.

    Raises:
        NotCovered: A class is made.
    """
    if rest:
        raise NotCovered("a class is made")
    return as_float if isinstance(value, (Element, float)) else type(value)


@means(print)
def printed(*args: Any, **_: Any) -> None:
    """Note what is printed."""
    Now.run.trace.append(("print", repr(args)))


@means(range)
def trips(*bounds: Any) -> Any:
    """Return a range, of which no more than the first trips are made."""
    found = range(*bounds)
    return found if len(found) <= MOST_TRIPS else Trips(found)


_TYPES: Final[dict[Any, Any]] = {as_float: float, as_double: np.float64, trips: range}


def _refused(name: str) -> Callable[..., Any]:
    def refuse(*_: Any, **__: Any) -> Any:
        raise NotCovered(f"`{name}` is called")

    return refuse


for _name in ("open", "input", "exec", "eval", "id", "vars", "globals", "locals", "round"):
    means(getattr(builtins, _name))(_refused(_name))

# -- functions of ours that ask for the type of numbers, or run code that nobody runs forward

means(grad_of)(_refused("grad_of"))


@means(runtime.refuse_integers)
def refuse_integers(array: Any) -> None:
    """Refuse integers: an array of elements stands for one of floats."""
    if getattr(getattr(array, "dtype", None), "kind", "f") != "O":
        runtime.refuse_integers(array)


means(runtime.refuse_twins)(runtime.refuse_twins)


@means(runtime.zeros_like)
def zeros_like(value: Any) -> Any:
    """Return an adjoint of zeros."""
    if isinstance(value, dict):
        return {key: zeros_like(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, range)):
        return [zeros_like(item) for item in value]
    if isinstance(value, np.ndarray):
        return meaning_of(np.zeros)(value.shape)
    found = runtime.zeros_like(value)
    return Element(0) if type(found) is float else found  # a float that is multiplied is rounded


@means(runtime.shadow_of)
def shadow_of(value: Any) -> Any:
    """Return zeros to be written in place."""
    if isinstance(value, dict):
        return {key: shadow_of(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [shadow_of(item) for item in value]
    return None if value is None else meaning_of(np.zeros)(np.shape(value))


@means(runtime.shadow_of_view)
def shadow_of_view(shadow: Any, part: Any, whole: Any) -> Any:
    """Return the view of a shadow, or a shadow of a copy."""
    if isinstance(whole, (list, tuple)) or np.may_share_memory(part, whole):
        return shadow
    return shadow_of(part)


@means(runtime.scalar_seed)
def scalar_seed(value: Any) -> Element:
    """Return what a gradient starts from.

    Raises:
        ValueError: The value is no number.
    """
    if np.shape(value):
        raise ValueError("the value is no number")
    return Element(1)


@means(runtime.greater_part)
def greater_part(grad: Any, x: Any, y: Any) -> Any:
    """Return the part of an adjoint that the greater of two values gets."""
    return np.where(np.equal(x, y), 0.5 * grad, np.where(np.less(x, y), 0.0, grad))[()]


@means(runtime.order_of)
def order_of(x: Any, y: Any) -> Any:
    """Return the order of two values: 0 if the first is less, 1 if it is greater, or else 2."""
    return np.where(np.equal(x, y), 2, np.where(np.less(x, y), 0, 1))[()]


@means(runtime.part_if_greater)
def part_if_greater(grad: Any, order: Any) -> Any:
    """Return the part of an adjoint that the first of two values in order gets."""
    return np.where(np.equal(order, 2), 0.5 * grad, np.where(np.equal(order, 0), 0.0, grad))[()]


@means(runtime.part_if_less)
def part_if_less(grad: Any, order: Any) -> Any:
    """Return the part of an adjoint that the second of two values in order gets."""
    return np.where(np.equal(order, 2), 0.5 * grad, np.where(np.equal(order, 1), 0.0, grad))[()]


@means(runtime.dot_along)
def dot_along(a: Any, b: Any, **options: Any) -> Any:
    """Return the sum of a product along an axis."""
    return np.sum(a * b, **options)


@means(runtime.kept_if)
def kept_if(grad: Any, test: Any) -> Any:
    """Return an adjoint where a test holds, and 0 elsewhere."""
    return np.where(test, grad, 0.0)[()]


@means(runtime.kept_unless)
def kept_unless(grad: Any, test: Any) -> Any:
    """Return 0 where a test holds, and an adjoint elsewhere."""
    return np.where(test, 0.0, grad)[()]


@means(runtime.chosen_part)
def chosen_part(grad: Any, z: Any, x: Any, y: Any) -> Any:
    """Return the part of an adjoint that one of two values gets, of which `z` was chosen."""
    return np.where(np.equal(x, y), 0.5 * grad, np.where(np.equal(x, z), grad, 0.0))[()]


@means(runtime.exp_difference)
def exp_difference(x: Any, z: Any) -> Any:
    """Return ``exp(x - z)``."""
    return meaning_of(np.exp)(x - z)


@means(runtime.exp2_difference)
def exp2_difference(x: Any, z: Any) -> Any:
    """Return ``2 ** (x - z)``."""
    return meaning_of(np.exp2)(x - z)


@means(runtime.sinc_slope)
def sinc_slope(x: Any) -> Any:
    """Return the slope of `np.sinc`, of numbers that are none of them small."""
    t = math.pi * x
    return math.pi * (np.cos(t) - np.sin(t) / t) / t


@means(runtime.stop_gradient)
def stop_gradient(value: Any) -> Any:
    """Return a value that is taken for a constant."""
    if isinstance(value, Element):
        return Element(value.value)
    if isinstance(value, np.ndarray) and value.dtype.kind == "O":
        return np.frompyfunc(stop_gradient, 1, 1)(value)
    return value


BUILTINS: Final[dict[str, Any]] = {
    name: meaning_of(value) for name, value in vars(builtins).items()
}
