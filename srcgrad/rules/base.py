"""Defines Function and Context: the contract of a derivative rule, which both engines share."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from srcgrad.backends import ARRAYS
from srcgrad.errors import MissingRuleError
from srcgrad.rules.reasons import refusal_of
from srcgrad.runtime import conj, unbroadcast


class Context:
    """What one call of a rule keeps between its `forward` and its `backward`.

    Any other attribute may be set on it; use that for shapes, axes and other non-arrays.

    Attributes:
        needs_input_grad: One bool for each argument of `forward`: is its gradient wanted?
        saved_tensors: The values given to `save_for_backward`.
    """

    needs_input_grad: tuple[bool, ...]
    saved_tensors: tuple[Any, ...]

    def __init__(self, needs_input_grad: tuple[bool, ...] = ()) -> None:
        self.needs_input_grad = needs_input_grad
        self.saved_tensors = ()

    if TYPE_CHECKING:  # rules set attributes of their own choice

        def __getattr__(self, name: str) -> Any: ...

        def __setattr__(self, name: str, value: Any) -> None: ...

    def save_for_backward(self, *values: Any) -> None:
        """Keep arrays that `backward` reads, in `saved_tensors`."""
        self.saved_tensors = values


class Function:
    """The derivative of one primitive, in the form of PyTorch's ``autograd.Function``.

    `forward(ctx, *args)` computes the value and keeps on `ctx` what the derivative needs;
    `backward(ctx, *grad_outputs)` returns a tuple of one gradient (or None) for each argument of
    `forward`, where trailing None may be left out, or the gradient of the first argument alone.
    The gradient of a list is a tuple, or an array whose rows belong to its items; those of
    ``*args`` stand in a row. Of several outputs, the gradient of one that is not used may be None.
    `jvp(ctx, *tangents)` returns the tangent of the value from those of the arguments (None where
    there is none). All are static methods. `docs/guides/custom-rules.md` says what keeps a rule
    inlinable.

    Most rules need no `jvp`, since one of these says how tangents follow from what is there:

    Attributes:
        linear: The parameters in which the value is linear, all together.
        spreads: A linear function broadcasts those parameters against each other.
        multilinear: The parameters in each of which the value is linear, the others held.
        inert: The parameters of which only shape and type count, so that they carry no derivative.
        elementwise: `backward` multiplies each element of the gradient by a slope (before it is
            summed down to the shape of an argument).
        holomorphic: That slope is one of complex numbers too.
        gives_real: The value is real, that of complex numbers too, where the slope is conjugate.
        reduces: `backward` multiplies the gradient of one number, spread over the axes that
            `axis` reduced, by a slope for each element of the first argument.
        selects: That slope is 0 for the elements that do not matter, whatever their tangents.
        real: The derivative holds for real numbers only; complex ones are refused.
        tells_unused: Of several outputs, `backward` is given None for one that is not used, where
            others are given zeros.
        returns_one: An option and its value with which there is one result, not several; a
            starred parameter and 1 if one argument makes one result.
        pushes: The tape takes `jvp` as well, where a transposed `backward` would not do.
    """

    linear: ClassVar[tuple[str, ...]] = ()
    spreads: ClassVar[bool] = False
    multilinear: ClassVar[tuple[str, ...]] = ()
    inert: ClassVar[tuple[str, ...]] = ()
    elementwise: ClassVar[bool] = False
    holomorphic: ClassVar[bool] = True
    gives_real: ClassVar[bool] = False
    reduces: ClassVar[bool] = False
    selects: ClassVar[bool] = False
    real: ClassVar[bool] = False
    tells_unused: ClassVar[bool] = False
    returns_one: ClassVar[tuple[str, Any] | None] = None
    pushes: ClassVar[bool] = False

    @staticmethod
    def forward(ctx: Any, *args: Any, **kwargs: Any) -> Any:
        """Compute the value; subclasses must define it."""
        raise NotImplementedError("a Function needs a static method `forward(ctx, ...)`")

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Any) -> Any:
        """Compute the gradients of the arguments; subclasses must define it."""
        raise NotImplementedError("a Function needs a static method `backward(ctx, ...)`")


class Elementwise(Function):
    """A function of one array that acts on each element: a subclass gives only its slope.

    `primal` is the function itself. `slope` is a static method of one argument whose *name* says
    what it reads: ``x`` the input or ``y`` the output (prefer the output: it is there already).
    Both engines read rules made so as if they were written out as `forward` and `backward`, with
    ``return grad * conj(slope)``; of real numbers that is ``grad * slope``.
    """

    primal: Any

    @staticmethod
    def slope(x: Any) -> Any:
        """Return dy/dx for each element; subclasses must define it."""
        raise NotImplementedError("an Elementwise rule needs a static method `slope`")

    def __init_subclass__(cls) -> None:
        """Write out `forward` and `backward` in terms of the slope."""
        super().__init_subclass__()
        primal, slope = cls.primal, cls.slope
        reads_output = slope.__code__.co_varnames[0] == "y"

        def forward(ctx: Any, x: Any) -> Any:
            y = primal(x)
            ctx.save_for_backward(y if reads_output else x)
            return y

        cls.forward = staticmethod(forward)  # type: ignore[method-assign]
        cls.backward = staticmethod(cls.backward_by(slope))  # type: ignore[method-assign]

    @staticmethod
    def backward_by(slope: Any) -> Any:
        """Return the `backward` that multiplies with the slope."""

        def backward(ctx: Any, grad: Any) -> Any:
            (value,) = ctx.saved_tensors
            return grad * conj(slope(value))

        return backward


class Pointwise(Function):
    """A function of several arrays that acts on each element: a subclass gives only its partials.

    `primal` is the function itself. `partials` is a static method with the parameters and defaults
    of the function, and returns a tuple of the derivatives in each; None where one is not known,
    ``lambda: derivative`` where one costs much, to be calculated only where it is wanted. A
    keyword-only parameter `out` reads the result. Both engines read rules made so as if `forward`
    and `backward` were written out, with ``unbroadcast(grad * conj(partial), x.shape)`` for each.
    """

    elementwise = True
    primal: Any

    @staticmethod
    def partials(*args: Any) -> tuple[Any, ...]:
        """Return the derivative in each argument; subclasses must define it."""
        raise NotImplementedError("a Pointwise rule needs a static method `partials`")

    def __init_subclass__(cls) -> None:
        """Write out `forward` and `backward` in terms of the partial derivatives."""
        super().__init_subclass__()
        primal = cls.primal
        parameters = inspect.signature(cls.partials).parameters
        context = inspect.Parameter("ctx", inspect.Parameter.POSITIONAL_ONLY)
        own = [item for name, item in parameters.items() if name != "out"]
        reads_output = "out" in parameters

        def forward(ctx: Any, *args: Any) -> Any:
            out = primal(*args)
            ctx.shapes = [np.shape(arg) for arg in args]
            ctx.save_for_backward(*args, *([out] if reads_output else []))
            return out

        written: Any = forward
        written.__signature__ = inspect.Signature([context, *own])
        cls.forward = staticmethod(forward)  # type: ignore[method-assign]
        cls.backward = staticmethod(cls.backward_by(cls.partials))  # type: ignore[method-assign]

    @classmethod
    def backward_by(cls, partials: Any) -> Any:
        """Return the `backward` that multiplies with what `partials` returns."""
        parameters = inspect.signature(partials).parameters
        names = [name for name in parameters if name != "out"]
        reads_output = "out" in parameters
        primal = cls.primal

        def backward(ctx: Any, grad: Any) -> Any:
            saved, count = ctx.saved_tensors, len(names)
            parts = partials(*saved[:count], **({"out": saved[count]} if reads_output else {}))
            found: list[Any] = []
            needs = zip(names, parts, ctx.shapes, ctx.needs_input_grad, strict=True)
            for name, part, shape, needed in needs:
                if needed and part is None:
                    raise unknown_partial(primal, name)
                slope = part() if needed and callable(part) else part
                whole = grad * conj(slope) if needed else None
                found.append(unbroadcast(narrowed(whole, grad), shape) if needed else None)
            return tuple(found)

        return backward


def narrowed(part: Any, grad: Any) -> Any:
    """Return an array in the precision of `grad`: formulas of plain numbers may have widened it."""
    wide = isinstance(part, ARRAYS) and getattr(grad, "dtype", None) in _NARROW
    return part.astype(grad.dtype) if wide and part.dtype == _NARROW[grad.dtype] else part


_NARROW = {np.dtype(np.float32): np.float64, np.dtype(np.complex64): np.complex128}


def unknown_partial(primal: Any, name: str) -> MissingRuleError:
    """Return the error for an argument in which no derivative is known."""
    owner = getattr(getattr(primal, "__self__", None), "name", None)
    called = getattr(primal, "__name__", "the function")
    message, hint = refusal_of(f"{owner}.{called}" if isinstance(owner, str) else called, name)
    return MissingRuleError(message, hint=hint)
