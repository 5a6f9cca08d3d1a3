"""Rules of functions that repeat, reorder or surround elements."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.rules.base import Context, Function
from srcgrad.rules.registry import RuleTable
from srcgrad.runtime import (
    border_sum,
    gather_back,
    given,
    meshgrid_back,
    negated,
    pad_back,
    pad_push,
    places,
    repeat_back,
    shortcut,
    tile_back,
    unbroadcast,
    unbroadcast_each,
)

table = RuleTable("arranging")


@table.rule(np.broadcast_to)
class BroadcastTo(Function):
    """The same elements repeated to a larger shape."""

    linear = ("array",)

    @staticmethod
    def forward(ctx: Context, array: Any, shape: Any, subok: bool = False) -> Any:
        ctx.shape = np.shape(array)
        return np.broadcast_to(array, shape)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return unbroadcast(grad, ctx.shape)


@table.rule(np.broadcast_arrays)
class BroadcastArrays(Function):
    """Arrays repeated to one common shape."""

    linear = ("args",)

    @staticmethod
    def forward(ctx: Context, *args: Any, subok: bool = False) -> Any:
        ctx.shapes = [np.shape(arg) for arg in args]
        return np.broadcast_arrays(*args, subok=subok)

    @staticmethod
    def backward(ctx: Context, *grads: Any) -> Any:
        return unbroadcast_each(grads, ctx.shapes)


@table.rule(np.tile)
class Tile(Function):
    """Copies of A beside each other."""

    linear = ("A",)

    @staticmethod
    def forward(ctx: Context, A: Any, reps: Any) -> Any:
        ctx.shape, ctx.reps = np.shape(A), reps
        return np.tile(A, reps)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return tile_back(grad, ctx.shape, ctx.reps)


@table.rule(np.repeat)
class Repeat(Function):
    """Each element several times."""

    linear = ("a",)

    @staticmethod
    def forward(ctx: Context, a: Any, repeats: Any, axis: int | None = None) -> Any:
        ctx.shape, ctx.repeats, ctx.axis = np.shape(a), repeats, axis
        return np.repeat(a, repeats, axis)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return repeat_back(grad, ctx.shape, ctx.repeats, ctx.axis)


@table.rule(np.flip)
class Flip(Function):
    """The elements in reverse order along axes."""

    linear = ("m",)

    @staticmethod
    def forward(ctx: Context, m: Any, axis: Any = None) -> Any:
        ctx.axis = axis
        return np.flip(m, axis)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return np.flip(grad, ctx.axis)


@table.rule(np.fliplr)
class Fliplr(Function):
    """The columns in reverse order."""

    linear = ("m",)

    @staticmethod
    def forward(ctx: Context, m: Any) -> Any:
        return np.fliplr(m)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return np.fliplr(grad)


@table.rule(np.flipud)
class Flipud(Function):
    """The rows in reverse order."""

    linear = ("m",)

    @staticmethod
    def forward(ctx: Context, m: Any) -> Any:
        return np.flipud(m)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return np.flipud(grad)


@table.rule(np.rot90)
class Rot90(Function):
    """A plane turned by k quarters."""

    linear = ("m",)

    @staticmethod
    def forward(ctx: Context, m: Any, k: int = 1, axes: Any = (0, 1)) -> Any:
        ctx.k, ctx.axes = k, axes
        return np.rot90(m, k, axes)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return np.rot90(grad, -ctx.k, ctx.axes)


@table.rule(np.roll)
class Roll(Function):
    """The elements shifted along axes; what falls off comes back."""

    linear = ("a",)

    @staticmethod
    def forward(ctx: Context, a: Any, shift: Any, axis: Any = None) -> Any:
        ctx.shift, ctx.axis = shift, axis
        return np.roll(a, shift, axis)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        if shortcut(ctx.axis is None):
            grad_a = np.roll(grad, negated(ctx.shift))
        else:
            grad_a = np.roll(grad, negated(ctx.shift), ctx.axis)
        return grad_a


@table.rule(np.pad)
class Pad(Function):
    """The elements surrounded by constants or by elements again, as the mode says."""

    @staticmethod
    def forward(
        ctx: Context,
        array: Any,
        pad_width: Any,
        mode: Any = "constant",
        *,
        constant_values: Any = None,
        end_values: Any = None,
        stat_length: Any = None,
        reflect_type: Any = None,
    ) -> Any:
        ctx.shape, ctx.pad_width, ctx.mode = np.shape(array), pad_width, mode
        ctx.reflect_type, ctx.has_constant = reflect_type, constant_values is not None
        ctx.constant_shape = np.shape(constant_values)
        return np.pad(
            array,
            pad_width,
            mode,
            **given(
                constant_values=constant_values,
                end_values=end_values,
                stat_length=stat_length,
                reflect_type=reflect_type,
            ),
        )

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        grad_array = pad_back(grad, ctx.shape, ctx.pad_width, ctx.mode, ctx.reflect_type)
        grad_constant = (
            border_sum(grad, grad_array, ctx.constant_shape) if ctx.has_constant else None
        )
        return grad_array, None, None, grad_constant

    @staticmethod
    def jvp(
        ctx: Context, array_dot: Any, _: Any, mode: Any, constant_dot: Any, *others: Any
    ) -> Any:
        options = ctx.mode, ctx.reflect_type
        return pad_push(array_dot, constant_dot, ctx.shape, ctx.pad_width, options)


@table.rule(np.resize)
class Resize(Function):
    """The elements over and over, to fill a new shape."""

    linear = ("a",)

    @staticmethod
    def forward(ctx: Context, a: Any, new_shape: Any) -> Any:
        ctx.shape, ctx.new_shape = np.shape(a), new_shape
        return np.resize(a, new_shape)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return gather_back(grad, np.resize(places(ctx.shape), ctx.new_shape), ctx.shape)


@table.rule(np.fft.fftshift)
class Fftshift(Function):
    """The zero frequency moved to the middle."""

    linear = ("x",)

    @staticmethod
    def forward(ctx: Context, x: Any, axes: Any = None) -> Any:
        ctx.axes = axes
        return np.fft.fftshift(x, axes)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return np.fft.ifftshift(grad, ctx.axes)


@table.rule(np.fft.ifftshift)
class Ifftshift(Function):
    """The zero frequency moved back to the start."""

    linear = ("x",)

    @staticmethod
    def forward(ctx: Context, x: Any, axes: Any = None) -> Any:
        ctx.axes = axes
        return np.fft.ifftshift(x, axes)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return np.fft.fftshift(grad, ctx.axes)


@table.rule(np.meshgrid)
class Meshgrid(Function):
    """The coordinates of a grid, one array for each axis."""

    linear = ("xi",)

    @staticmethod
    def forward(
        ctx: Context, *xi: Any, copy: bool = True, sparse: bool = False, indexing: str = "xy"
    ) -> Any:
        ctx.shapes, ctx.indexing = [np.shape(x) for x in xi], indexing
        return np.meshgrid(*xi, copy=copy, sparse=sparse, indexing=indexing)

    @staticmethod
    def backward(ctx: Context, *grads: Any) -> Any:
        return meshgrid_back(grads, ctx.shapes, ctx.indexing)


RULES = table.freeze()
