"""Holds PyTorch's functions that give elements another shape or pick some of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.tape.apply import apply
from srcgrad.tape.calls import axis_of, lift, np_call
from srcgrad.tape.ops import require_op


def shape_argument(shape: tuple[Any, ...]) -> tuple[int, ...]:
    """Return a shape given as one sequence or as several numbers."""
    if len(shape) == 1 and isinstance(shape[0], (tuple, list)):
        shape = tuple(shape[0])
    return tuple(int(n) for n in shape)


def reshape(input: Any, shape: Any) -> Any:
    """Return the same elements in another shape."""
    return np_call(np.reshape, lift(input), tuple(shape))


def flatten(input: Any, start_dim: int = 0, end_dim: int = -1) -> Any:
    """Return the input with the axes from `start_dim` to `end_dim` joined."""
    x = lift(input)
    if x.ndim == 0:
        return np_call(np.reshape, x, (1,))
    start, end = start_dim % x.ndim, end_dim % x.ndim
    return np_call(np.reshape, x, (*x.shape[:start], -1, *x.shape[end + 1 :]))


def squeeze(input: Any, dim: Any = None) -> Any:
    """Return the input without axes of length one; others named in `dim` stay."""
    x = lift(input)
    if dim is None:
        return np_call(np.squeeze, x)
    axes = [d % max(x.ndim, 1) for d in (dim if isinstance(dim, (tuple, list)) else (dim,))]
    return np_call(np.squeeze, x, tuple(a for a in axes if x.ndim and x.shape[a] == 1))


def unsqueeze(input: Any, dim: int) -> Any:
    """Return the input with an axis of length one put in at `dim`."""
    return np_call(np.expand_dims, lift(input), dim)


def transpose(input: Any, dim0: int, dim1: int) -> Any:
    """Return the input with two axes exchanged."""
    return np_call(np.swapaxes, lift(input), dim0, dim1)


def permute(input: Any, dims: Any) -> Any:
    """Return the input with its axes in the order `dims`."""
    return np_call(np.transpose, lift(input), tuple(dims))


def t(input: Any) -> Any:
    """Return the transpose of a matrix; vectors and scalars as they are."""
    x = lift(input)
    return x if x.ndim < 2 else np_call(np.transpose, x)


def movedim(input: Any, source: Any, destination: Any) -> Any:
    """Return the input with axes moved."""
    return np_call(np.moveaxis, lift(input), source, destination)


def broadcast_to(input: Any, size: Any) -> Any:
    """Return the input repeated to a larger shape, without copying."""
    return np_call(np.broadcast_to, lift(input), tuple(size))


def expand(input: Any, *sizes: Any) -> Any:
    """Return the input repeated to a larger shape; -1 keeps an axis."""
    x, wanted = lift(input), shape_argument(sizes)
    lead = len(wanted) - x.ndim
    return np_call(
        np.broadcast_to,
        x,
        tuple(x.shape[i - lead] if n == -1 else n for i, n in enumerate(wanted)),
    )


def flip(input: Any, dims: Any) -> Any:
    """Return the input with the order along `dims` reversed, as a copy."""
    return np_call(np.flip, lift(input), axis_of(dims))


def roll(input: Any, shifts: Any, dims: Any = None) -> Any:
    """Return the input with its elements shifted around."""
    return np_call(np.roll, lift(input), shifts, dims)


def tile(input: Any, dims: Any) -> Any:
    """Return the input repeated as a whole along each axis."""
    return np_call(np.tile, lift(input), tuple(dims) if isinstance(dims, (tuple, list)) else dims)


def repeat_interleave(input: Any, repeats: Any, dim: Any = None) -> Any:
    """Return the input with each element repeated."""
    return np_call(np.repeat, lift(input), repeats, dim)


def cat(tensors: Any, dim: int = 0) -> Any:
    """Return the tensors one after the other along `dim`."""
    return np_call(np.concatenate, [lift(x) for x in tensors], dim)


def stack(tensors: Any, dim: int = 0) -> Any:
    """Return the tensors along a new axis."""
    return np_call(np.stack, [lift(x) for x in tensors], dim)


def unbind(input: Any, dim: int = 0) -> Any:
    """Return the slices along `dim`, which are views, as a tuple."""
    x = lift(input)
    lead = (slice(None),) * (dim % x.ndim)
    return mark_multiple(tuple(x[(*lead, i)] for i in range(x.shape[dim])), "UnbindBackward0")


def split(tensor: Any, split_size_or_sections: Any, dim: int = 0) -> Any:
    """Return views of one size (the last may be shorter), or of the sizes given."""
    x = lift(tensor)
    length = x.shape[dim]
    if isinstance(split_size_or_sections, int):
        size = split_size_or_sections
        sizes = [size] * (length // size) + ([length % size] if length % size else [])
        sizes = sizes or [0]  # of nothing, one piece
    else:
        sizes = list(split_size_or_sections)
    pieces, start = [], 0
    for size in sizes:
        pieces.append(narrow(x, dim, start, size))
        start += size
    return mark_multiple(tuple(pieces), "SplitBackward0")


def chunk(input: Any, chunks: int, dim: int = 0) -> Any:
    """Return about `chunks` pieces along `dim`; they are views."""
    x = lift(input)
    return split(x, -(-x.shape[dim] // chunks) or [0] * chunks, dim)


def mark_multiple(views: tuple[Any, ...], name: str) -> tuple[Any, ...]:
    """Mark views that one function returned together: they may not be changed in place."""
    for view in views:
        if view._view is not None:
            view._view.multiple = name
    return views


def narrow(input: Any, dim: int, start: int, length: int) -> Any:
    """Return `length` elements along `dim` from `start` on, as a view."""
    x = lift(input)
    return x[(*(slice(None),) * (dim % x.ndim), slice(start, start + length))]


def select(input: Any, dim: int, index: int) -> Any:
    """Return the slice at `index` along `dim`, as a view."""
    x = lift(input)
    return x[(*(slice(None),) * (dim % x.ndim), index)]


def index_select(input: Any, dim: int, index: Any) -> Any:
    """Return the slices at several indices along `dim`."""
    return np_call(np.take, lift(input), index, axis=dim)


def gather(input: Any, dim: int, index: Any) -> Any:
    """Return one element along `dim` for each entry of `index`."""
    return np_call(np.take_along_axis, lift(input), index, dim)


def take(input: Any, index: Any) -> Any:
    """Return elements by their index in the flattened input."""
    return np_call(np.take, lift(input), index)


def masked_fill(input: Any, mask: Any, value: Any) -> Any:
    """Return the input with `value` where `mask` holds."""
    return np_call(np.where, lift(mask), value, lift(input))


def masked_select(input: Any, mask: Any) -> Any:
    """Return the elements where `mask` holds, in one row."""
    return lift(input)[mask]


def diag(input: Any, diagonal: int = 0) -> Any:
    """Return the diagonal of a matrix, or the matrix of a diagonal."""
    return np_call(np.diag, lift(input), diagonal)


def diagonal(input: Any, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Any:
    """Return the diagonal over two axes."""
    return np_call(np.diagonal, lift(input), offset, dim1, dim2)


def triu(input: Any, diagonal: int = 0) -> Any:
    """Return the upper triangle."""
    return np_call(np.triu, lift(input), diagonal)


def tril(input: Any, diagonal: int = 0) -> Any:
    """Return the lower triangle."""
    return np_call(np.tril, lift(input), diagonal)


def trace(input: Any) -> Any:
    """Return the sum of the diagonal."""
    return np_call(np.trace, lift(input))


def clone(input: Any) -> Any:
    """Return a copy with history."""
    return apply(require_op(np.copy), (lift(input),))
