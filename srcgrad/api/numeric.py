"""Differentiates functions that cannot be read by differences of their values: the last resort."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from types import FunctionType, MethodType
from typing import Any, Generic, overload

import numpy as np

from srcgrad.api.looks import P, R_co, look_like
from srcgrad.api.raveling import Raveling
from srcgrad.api.structures import copied, float_leaves, mapped
from srcgrad.api.underlying import bind
from srcgrad.errors import MissingRuleError, MutationError, NotDifferentiableError, NumericWarning
from srcgrad.insight.once import Once
from srcgrad.rules.base import Function
from srcgrad.runtime import differences_back, differences_push
from srcgrad.tape import Tensor
from srcgrad.tape.apply import apply, tensors_in
from srcgrad.tape.ops import require_op

_PLACES = (-2.0, -1.0, 1.0, 2.0)
_WEIGHTS = (1.0, -8.0, 8.0, -1.0)


class Numeric(Generic[P, R_co]):
    """A function whose derivatives are differences of its values; call it like the function.

    Attributes:
        function: The user's function.
        step: How far apart its values are taken, relative to an argument above 1; None for what
            suits the precision of the argument.
    """

    def __init__(self, function: Callable[P, R_co], step: float | None) -> None:
        self.function: Callable[..., Any] = function
        self.step = step
        self.__srcgrad_rule__ = _rule_of(self)
        self._slow = Once()
        look_like(self, function)

    @overload
    def __call__(self, /, *args: P.args, **kwargs: P.kwargs) -> R_co: ...
    @overload
    def __call__(self, /, *args: Any, **kwargs: Any) -> Any: ...  # with tensors among them
    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        """Return the function's value; on tensors the call is recorded as one step."""
        arguments = tuple(bind(self.function, args, kwargs).values()) if kwargs else args
        if any(isinstance(item, Tensor) for item in arguments):
            return apply(require_op(self), arguments, {})
        return self.value(arguments)

    def value(self, args: Sequence[Any]) -> Any:
        """Return the function's value, which shares no memory with its arguments."""
        self._check_plain(args)
        before = copied(list(args))
        result = self.function(*args)
        if not all(map(_is_same, float_leaves(before), float_leaves(list(args)))):
            raise MutationError(
                f"{self._name} writes into its arguments, so differences cannot tell what it does",
                hint="let it work on copies",
            )
        return mapped(_own, result, other=lambda leaf: leaf)

    def pulled(self, args: Sequence[Any], adjoint: Any) -> list[Any]:
        """Return the adjoint of each argument, given that of the value (None without floats)."""
        self._check_plain((args, adjoint))
        return [
            self._gradient(args, place, adjoint) if float_leaves(arg) else None
            for place, arg in enumerate(args)
        ]

    def pushed(self, args: Sequence[Any], tangents: Sequence[Any]) -> Any:
        """Return the tangent of the value, given those of the arguments (None for zero)."""
        apart = self._step(args)
        moved = [None if t is None else Raveling(a) for a, t in zip(args, tangents, strict=True)]
        layouts = [layout for layout in moved if layout is not None]
        given = [t for t in tangents if t is not None]
        along = [layout.flat(t).astype(float) for layout, t in zip(layouts, given, strict=True)]
        self._warn(4)
        size = max(1.0, *(np.max(np.abs(leaf), initial=0.0) for leaf in float_leaves(args)))
        step = apart * size / (max(np.max(np.abs(t), initial=0.0) for t in along) or 1.0)

        def at(place: float) -> Any:
            changes = iter(along)
            return [
                arg if layout is None else layout.back(layout.flat(arg) + place * next(changes))
                for arg, layout in zip(args, moved, strict=True)
            ]

        layout, slope = self._slope(at, step)
        return layout.back(slope)

    def _gradient(self, args: Sequence[Any], place: int, adjoint: Any) -> Any:
        layout = Raveling(args[place])
        apart = self._step(args[place])
        here = layout.flat(args[place]).astype(float)
        self._warn(4 * layout.size)
        grad = np.zeros(layout.size)
        for i in range(layout.size):

            def at(change: float, i: int = i) -> Any:
                moved = here.copy()
                moved[i] += change
                return [*args[:place], layout.back(moved), *args[place + 1 :]]

            step = apart * max(1.0, abs(here[i]))
            results, slope = self._slope(at, step)
            grad[i] = results.flat(_filled(adjoint, results, slope)) @ slope
        return layout.back(grad)

    def _slope(self, at: Callable[[float], Any], step: float) -> tuple[Raveling, Any]:
        """Return the layout of the value and its derivative, by a difference of fourth order."""
        values = [self.function(*copied(at(place * step))) for place in _PLACES]
        layout = Raveling(values[0])
        flat = [layout.flat(value) for value in values]
        if not layout.size or any(map(np.iscomplexobj, flat)):
            raise NotDifferentiableError(
                f"{self._name} does not return real numbers, which alone have differences here",
                hint="return floats, or arrays of floats",
            )
        pairs = zip(_WEIGHTS, flat, strict=True)
        return layout, sum(weight * value.astype(float) for weight, value in pairs) / (12 * step)

    def _step(self, value: Any) -> float:
        """Return the step that is asked for, or suits the least precise of the floats."""
        leaves = [np.asarray(leaf) for leaf in float_leaves(value)]
        if any(leaf.dtype.kind == "c" for leaf in leaves):
            raise NotDifferentiableError(
                f"{self._name} is differentiated by differences of real arguments alone",
                hint="hand on real and imaginary parts",
            )
        suits = float(max(np.finfo(leaf.dtype).eps for leaf in leaves) ** 0.2)
        return suits if self.step is None else self.step

    def _check_plain(self, value: Any) -> None:
        """Refuse tensors in containers, and adjoints that are themselves differentiated."""
        if tensors_in((value,)):
            raise MissingRuleError(
                f"differences of {self._name} have no derivative rule of second order, nor one for "
                "tensors in containers",
                hint="write a Function with a derivative, or give each tensor a parameter",
            )

    @property
    def _name(self) -> str:
        return f"`{getattr(self.function, '__name__', 'the function')}`"

    def _warn(self, calls: int) -> None:
        if self._slow.is_due():
            warnings.warn(
                f"{self._name} is differentiated by differences of its values, {calls} calls at a "
                "time: slow, and not exact; a Function with a derivative is better",
                NumericWarning,
                stacklevel=2,
            )

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        """Bind to an instance, as functions do: its state is held."""
        if instance is None or not isinstance(self.function, FunctionType):
            return self
        return Numeric(MethodType(self.function, instance), self.step)

    def __repr__(self) -> str:
        return f"<srcgrad.numeric_vjp of {self._name}>"


def numeric_vjp(f: Callable[P, R_co], *, step: float | None = None) -> Numeric[P, R_co]:
    """Return `f` with derivatives by differences of its values, in every engine and first order.

    The last resort, for functions that cannot be read, such as calls of compiled code: four calls
    for each number of the arguments in reverse mode, four in forward mode. A
    `NumericWarning` says so at the first derivative of each. `f` must be smooth where it is called,
    return the same for the same arguments, and write into none of them.

    Args:
        f: A function of floats and float arrays, or containers of them, that returns such.
        step: How far apart values are taken; by default what suits the precision.

    >>> import warnings
    >>> cube = numeric_vjp(lambda x: x**3)
    >>> cube(2.0)
    8.0
    """
    return Numeric(f, step)


def _own(leaf: Any) -> Any:
    return leaf.copy() if isinstance(leaf, np.ndarray) else leaf


def _is_same(first: Any, second: Any) -> bool:
    return bool(np.array_equal(first, second, equal_nan=True))


def _filled(adjoint: Any, layout: Raveling, slope: Any) -> Any:
    """Return an adjoint with zeros for the results that were not used."""
    if not isinstance(adjoint, tuple):
        return adjoint
    zeros = layout.back(np.zeros_like(slope))
    return tuple(z if part is None else part for part, z in zip(adjoint, zeros, strict=True))


def _rule_of(numeric: Numeric[..., Any]) -> type[Function]:
    """Return the derivative rule of a function, for both engines."""

    class Differences(Function):
        """A function that is differentiated by differences of its values."""

        @staticmethod
        def forward(ctx: Any, *args: Any) -> Any:
            ctx.save_for_backward(args)
            return numeric.value(args)

        @staticmethod
        def backward(ctx: Any, *grads: Any) -> Any:
            (args,) = ctx.saved_tensors
            return differences_back(numeric, args, grads)

        @staticmethod
        def jvp(ctx: Any, *tangents: Any) -> Any:
            (args,) = ctx.saved_tensors
            return differences_push(numeric, args, tangents)

    return Differences
