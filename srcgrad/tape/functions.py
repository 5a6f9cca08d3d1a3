"""Offers PyTorch's functions over tensors, by PyTorch's names, arguments and conventions."""

from __future__ import annotations

import builtins
from collections import namedtuple
from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.tape.apply import apply, unary
from srcgrad.tape.core import Core, make
from srcgrad.tape.ops import op_for, require_op
from srcgrad.tape.protocols import call_function

Pair = namedtuple("Pair", ["values", "indices"])

ELEMENTWISE: dict[str, Any] = {
    "abs": np.absolute,
    "absolute": np.absolute,
    "acos": np.arccos,
    "acosh": np.arccosh,
    "angle": np.angle,
    "arccos": np.arccos,
    "arccosh": np.arccosh,
    "arcsin": np.arcsin,
    "arcsinh": np.arcsinh,
    "arctan": np.arctan,
    "arctanh": np.arctanh,
    "asin": np.arcsin,
    "asinh": np.arcsinh,
    "atan": np.arctan,
    "atanh": np.arctanh,
    "ceil": np.ceil,
    "conj": np.conjugate,
    "cos": np.cos,
    "cosh": np.cosh,
    "deg2rad": np.deg2rad,
    "exp": np.exp,
    "exp2": np.exp2,
    "expm1": np.expm1,
    "floor": np.floor,
    "imag": np.imag,
    "isfinite": np.isfinite,
    "isinf": np.isinf,
    "isnan": np.isnan,
    "log": np.log,
    "log10": np.log10,
    "log1p": np.log1p,
    "log2": np.log2,
    "logical_not": np.logical_not,
    "neg": np.negative,
    "negative": np.negative,
    "positive": np.positive,
    "rad2deg": np.rad2deg,
    "real": np.real,
    "reciprocal": np.reciprocal,
    "sgn": np.sign,
    "sign": np.sign,
    "sin": np.sin,
    "sinc": np.sinc,
    "sinh": np.sinh,
    "sqrt": np.sqrt,
    "square": np.square,
    "tan": np.tan,
    "tanh": np.tanh,
    "trunc": np.trunc,
}

PAIRWISE: dict[str, Any] = {
    "arctan2": np.arctan2,
    "atan2": np.arctan2,
    "bmm": np.matmul,
    "copysign": np.copysign,
    "dot": np.dot,
    "eq": np.equal,
    "floor_divide": np.floor_divide,
    "fmax": np.fmax,
    "fmin": np.fmin,
    "fmod": np.fmod,
    "ge": np.greater_equal,
    "greater": np.greater,
    "greater_equal": np.greater_equal,
    "gt": np.greater,
    "hypot": np.hypot,
    "inner": np.inner,
    "kron": np.kron,
    "le": np.less_equal,
    "less": np.less,
    "less_equal": np.less_equal,
    "logaddexp": np.logaddexp,
    "logaddexp2": np.logaddexp2,
    "logical_and": np.logical_and,
    "logical_or": np.logical_or,
    "logical_xor": np.logical_xor,
    "lt": np.less,
    "matmul": np.matmul,
    "maximum": np.maximum,
    "minimum": np.minimum,
    "mm": np.matmul,
    "mul": np.multiply,
    "multiply": np.multiply,
    "mv": np.matmul,
    "ne": np.not_equal,
    "not_equal": np.not_equal,
    "outer": np.outer,
    "pow": np.power,
    "remainder": np.remainder,
    "true_divide": np.divide,
    "vdot": np.vdot,
}


def lift(value: Any) -> Any:
    """Return `value` as a tensor: PyTorch's functions take tensors, ours arrays and numbers too."""
    return value if isinstance(value, Core) else make(np.asarray(value))


def _named(name: str, call: Callable[..., Any], primal: Any) -> Callable[..., Any]:
    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"Return what `numpy.{primal.__name__}` does, recorded."
    return call


def _unary(name: str, primal: Any) -> Callable[..., Any]:
    if isinstance(primal, np.ufunc) and primal.nin == 1:
        op = op_for(primal)
        if op is not None:
            return _named(name, lambda input: unary(op, lift(input)), primal)  # noqa: A006
    return _named(name, lambda input: call_function(primal, (lift(input),), {}), primal)  # noqa: A006


def _binary(name: str, primal: Any) -> Callable[..., Any]:
    def call(input: Any, other: Any) -> Any:
        return call_function(primal, (lift(input), other), {})

    return _named(name, call, primal)


def np_call(primal: Any, *args: Any, **kwargs: Any) -> Any:
    """Call a NumPy function on tensors."""
    return call_function(primal, args, kwargs)


# -- arithmetic with PyTorch's options -------------------------------------------------------------


def add(input: Any, other: Any, *, alpha: Any = 1) -> Any:
    """Return ``input + alpha * other``."""
    return lift(input) + (other if alpha == 1 else other * alpha)


def sub(input: Any, other: Any, *, alpha: Any = 1) -> Any:
    """Return ``input - alpha * other``."""
    return lift(input) - (other if alpha == 1 else other * alpha)


def div(input: Any, other: Any, *, rounding_mode: str | None = None) -> Any:
    """Return ``input / other``, rounded if `rounding_mode` is "floor" or "trunc"."""
    if rounding_mode == "floor":
        return np_call(np.floor_divide, lift(input), other)
    quotient = lift(input) / other
    return np_call(np.trunc, quotient) if rounding_mode == "trunc" else quotient


def rsqrt(input: Any) -> Any:
    """Return ``1 / sqrt(input)``."""
    return 1 / np_call(np.sqrt, lift(input))


def sigmoid(input: Any) -> Any:
    """Return ``1 / (1 + exp(-input))``, without overflow."""
    return 0.5 * (np_call(np.tanh, lift(input) * 0.5) + 1)


def relu(input: Any) -> Any:
    """Return the positive part; its derivative at 0 is 0."""
    x = lift(input)
    return np_call(np.where, x > 0, x, x._data.dtype.type(0))


def softplus(input: Any) -> Any:
    """Return ``log(1 + exp(input))``."""
    return np_call(np.logaddexp, lift(input), 0)


def logit(input: Any) -> Any:
    """Return ``log(p / (1 - p))``."""
    x = lift(input)
    return np_call(np.log, x / (1 - x))


def frac(input: Any) -> Any:
    """Return the fractional part, which has the sign of the input."""
    x = lift(input)
    return x - np_call(np.trunc, x)


def clamp(input: Any, min: Any = None, max: Any = None) -> Any:
    """Return the input limited to [min, max]; its derivative is 1 at the bounds."""
    return np_call(np.clip, lift(input), min, max)


def lerp(input: Any, end: Any, weight: Any) -> Any:
    """Return ``input + weight * (end - input)``."""
    return lift(input) + weight * (end - lift(input))


def addcmul(input: Any, tensor1: Any, tensor2: Any, *, value: Any = 1) -> Any:
    """Return ``input + value * tensor1 * tensor2``."""
    return lift(input) + value * tensor1 * tensor2


def addcdiv(input: Any, tensor1: Any, tensor2: Any, *, value: Any = 1) -> Any:
    """Return ``input + value * tensor1 / tensor2``."""
    return lift(input) + value * tensor1 / tensor2


def round(input: Any, *, decimals: int = 0) -> Any:
    """Return the input rounded to even."""
    return np_call(np.round, lift(input), decimals)


def where(condition: Any, input: Any = None, other: Any = None) -> Any:
    """Return `input` where `condition` holds, else `other`; alone, the indices where it holds."""
    if input is None:
        return np_call(np.nonzero, lift(condition))
    return np_call(np.where, lift(condition), input, other)


# -- reductions ------------------------------------------------------------------------------------


def _axis(dim: Any) -> Any:
    return tuple(dim) if isinstance(dim, list) else dim


def sum(input: Any, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    """Return the sum over `dim`, one axis or several; over all if None."""
    return np_call(np.sum, lift(input), axis=_axis(dim), keepdims=keepdim, dtype=dtype)


def mean(input: Any, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    """Return the mean over `dim`."""
    return np_call(np.mean, lift(input), axis=_axis(dim), keepdims=keepdim, dtype=dtype)


def prod(input: Any, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    """Return the product over `dim`; its gradient is exact with zeros."""
    return np_call(np.prod, lift(input), axis=dim, keepdims=keepdim, dtype=dtype)


def _correction(unbiased: bool | None, correction: Any) -> Any:
    if unbiased is not None:
        return 1 if unbiased else 0
    return 1 if correction is None else correction


def var(
    input: Any,
    dim: Any = None,
    unbiased: bool | None = None,
    keepdim: bool = False,
    *,
    correction: Any = None,
) -> Any:
    """Return the variance over `dim`, divided by n - 1 unless told otherwise."""
    if isinstance(dim, bool):
        dim, unbiased = None, dim
    ddof = _correction(unbiased, correction)
    return np_call(np.var, lift(input), axis=_axis(dim), ddof=ddof, keepdims=keepdim)


def std(
    input: Any,
    dim: Any = None,
    unbiased: bool | None = None,
    keepdim: bool = False,
    *,
    correction: Any = None,
) -> Any:
    """Return the standard deviation over `dim`, divided by n - 1 unless told otherwise."""
    if isinstance(dim, bool):
        dim, unbiased = None, dim
    ddof = _correction(unbiased, correction)
    return np_call(np.std, lift(input), axis=_axis(dim), ddof=ddof, keepdims=keepdim)


def amax(input: Any, dim: Any = None, keepdim: bool = False) -> Any:
    """Return the largest elements; equal ones share the gradient."""
    return np_call(np.max, lift(input), axis=_axis(dim), keepdims=keepdim)


def amin(input: Any, dim: Any = None, keepdim: bool = False) -> Any:
    """Return the smallest elements; equal ones share the gradient."""
    return np_call(np.min, lift(input), axis=_axis(dim), keepdims=keepdim)


def _picked(x: Any, index: Any, dim: int, keepdim: bool) -> Pair:
    """Return the elements of `x` at `index`, one along `dim`, and the index."""
    if x.ndim == 0:
        return Pair(x * 1, make(index))
    expanded = np.expand_dims(index, dim)
    values = np_call(np.take_along_axis, x, expanded, dim)
    if not keepdim:
        return Pair(np_call(np.squeeze, values, dim), make(index))
    return Pair(values, make(expanded))


def _extreme(input: Any, dim: Any, keepdim: bool, full: Any, pair: Any, index: Any) -> Any:
    x = lift(input)
    if dim is None:
        return np_call(full, x)
    if isinstance(dim, (Core, np.ndarray)):
        return np_call(pair, x, dim)
    return _picked(x, index(x._data, axis=dim if x.ndim else None), dim, keepdim)


def max(input: Any, dim: Any = None, keepdim: bool = False, *, other: Any = None) -> Any:
    """Return the largest element; along `dim`, values and indices; of two, the larger ones."""
    chosen = other if other is not None else dim
    return _extreme(input, chosen, keepdim, np.max, np.maximum, np.argmax)


def min(input: Any, dim: Any = None, keepdim: bool = False, *, other: Any = None) -> Any:
    """Return the smallest element; along `dim`, values and indices; of two, the smaller ones."""
    chosen = other if other is not None else dim
    return _extreme(input, chosen, keepdim, np.min, np.minimum, np.argmin)


def median(input: Any, dim: Any = None, keepdim: bool = False) -> Any:
    """Return the median, the lower one of two; along `dim`, values and indices."""
    x = lift(input)
    if dim is None:
        flat = np_call(np.reshape, x, -1)
        return flat[int(np.argsort(flat._data, kind="stable")[(flat._data.size - 1) // 2])]
    order = np.argsort(x._data, axis=dim, kind="stable")
    index = np.take(order, (x._data.shape[dim] - 1) // 2, axis=dim)
    return _picked(x, index, dim, keepdim)


def sort(input: Any, dim: int = -1, descending: bool = False, stable: bool = False) -> Any:
    """Return the sorted values along `dim` and the indices that sort."""
    x = lift(input)
    index = np.argsort(-x._data if descending else x._data, axis=dim, kind="stable")
    return Pair(np_call(np.take_along_axis, x, index, dim), make(index))


def topk(input: Any, k: int, dim: int = -1, largest: bool = True, sorted: bool = True) -> Any:
    """Return the `k` largest (or smallest) values along `dim` and their indices."""
    values, indices = sort(input, dim, descending=largest)
    return Pair(narrow(values, dim, 0, k), narrow(indices, dim, 0, k))


def argsort(input: Any, dim: int = -1, descending: bool = False, stable: bool = False) -> Any:
    """Return the indices that sort along `dim`."""
    return sort(input, dim, descending).indices


def argmax(input: Any, dim: Any = None, keepdim: bool = False) -> Any:
    """Return the index of the largest element."""
    return np_call(np.argmax, lift(input), axis=dim, keepdims=keepdim)


def argmin(input: Any, dim: Any = None, keepdim: bool = False) -> Any:
    """Return the index of the smallest element."""
    return np_call(np.argmin, lift(input), axis=dim, keepdims=keepdim)


def all(input: Any, dim: Any = None, keepdim: bool = False) -> Any:
    """Return whether every element is true."""
    return np_call(np.all, lift(input), axis=_axis(dim), keepdims=keepdim)


def any(input: Any, dim: Any = None, keepdim: bool = False) -> Any:
    """Return whether one element is true."""
    return np_call(np.any, lift(input), axis=_axis(dim), keepdims=keepdim)


def cumsum(input: Any, dim: int) -> Any:
    """Return the running sums along `dim`."""
    return np_call(np.cumsum, lift(input), axis=dim)


def cumprod(input: Any, dim: int) -> Any:
    """Return the running products along `dim`."""
    return np_call(np.cumprod, lift(input), axis=dim)


def logsumexp(input: Any, dim: Any, keepdim: bool = False) -> Any:
    """Return ``log(sum(exp(input)))`` over `dim`, without overflow."""
    x, axis = lift(input), _axis(dim)
    top = np.max(x._data, axis=axis, keepdims=True)
    top = np.where(np.isfinite(top), top, 0)
    total = np_call(np.sum, np_call(np.exp, x - top), axis=axis, keepdims=keepdim)
    return np_call(np.log, total) + (top if keepdim else np.squeeze(top, axis))


def softmax(input: Any, dim: int) -> Any:
    """Return ``exp(input) / sum(exp(input))`` along `dim`."""
    x = lift(input)
    return np_call(np.exp, x - logsumexp(x, dim, keepdim=True))


def log_softmax(input: Any, dim: int) -> Any:
    """Return the logarithm of `softmax`."""
    x = lift(input)
    return x - logsumexp(x, dim, keepdim=True)


def norm(input: Any, p: Any = "fro", dim: Any = None, keepdim: bool = False) -> Any:
    """Return the `p`-norm of the elements over `dim`; its derivative at 0 is 0."""
    x = lift(input)
    order = 2 if p in ("fro", None) else p
    if dim is None:
        dim = tuple(range(x.ndim))
    axes = (dim,) if isinstance(dim, int) else tuple(dim)
    return np_call(np.linalg.vector_norm, x, axis=axes, keepdims=keepdim, ord=order)


# -- shapes ----------------------------------------------------------------------------------------


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
    axes = [d % builtin_max(x.ndim, 1) for d in (dim if isinstance(dim, (tuple, list)) else (dim,))]
    return np_call(np.squeeze, x, tuple(a for a in axes if x.ndim and x.shape[a] == 1))


def builtin_max(a: int, b: int) -> int:
    """Return the larger number: `max` here is PyTorch's."""
    return builtins.max(a, b)


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
    return np_call(np.flip, lift(input), _axis(dims))


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
    return split(x, builtin_max(-(-x.shape[dim] // chunks), 1), dim)


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


# -- products --------------------------------------------------------------------------------------


def addmm(input: Any, mat1: Any, mat2: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    """Return ``beta * input + alpha * (mat1 @ mat2)``."""
    product = lift(mat1) @ mat2
    return beta * lift(input) + alpha * product if (beta, alpha) != (1, 1) else input + product


def einsum(equation: str, *operands: Any) -> Any:
    """Return the sum of products that `equation` describes."""
    if len(operands) == 1 and isinstance(operands[0], (list, tuple)):
        operands = tuple(operands[0])
    return np_call(np.einsum, equation, *[lift(x) for x in operands])


def tensordot(a: Any, b: Any, dims: Any = 2) -> Any:
    """Return the product of two tensors, summed over `dims`."""
    return np_call(np.tensordot, lift(a), lift(b), dims)


def inverse(input: Any) -> Any:
    """Return the inverse of a matrix."""
    return np_call(np.linalg.inv, lift(input))


def det(input: Any) -> Any:
    """Return the determinant."""
    return np_call(np.linalg.det, lift(input))


for _name, _primal in ELEMENTWISE.items():
    globals()[_name] = _unary(_name, _primal)
for _name, _primal in PAIRWISE.items():
    globals()[_name] = _binary(_name, _primal)

subtract = sub
divide = div
clip = clamp
concat = concatenate = cat
swapaxes = swapdims = transpose
moveaxis = movedim
ravel = flatten

OWN = (
    "add", "addcdiv", "addcmul", "addmm", "all", "amax", "amin", "any", "argmax", "argmin",
    "argsort", "broadcast_to", "cat", "chunk", "clamp", "clip", "clone", "concat", "concatenate",
    "cumprod", "cumsum", "det", "diag", "diagonal", "div", "divide", "einsum", "expand", "flatten",
    "flip", "frac", "gather", "index_select", "inverse", "lerp", "log_softmax", "logit",
    "logsumexp", "masked_fill", "masked_select", "max", "mean", "median", "min", "moveaxis",
    "movedim", "narrow", "norm", "permute", "prod", "ravel", "relu", "repeat_interleave", "reshape",
    "roll", "round", "rsqrt", "select", "sigmoid", "softmax", "softplus", "sort", "split",
    "squeeze", "stack", "std", "sub", "subtract", "sum", "swapaxes", "swapdims", "t", "take",
    "tensordot", "tile", "topk", "trace", "transpose", "tril", "triu", "unbind", "unsqueeze", "var",
    "where",
)  # fmt: skip
NAMES = tuple(sorted({*ELEMENTWISE, *PAIRWISE, *OWN}))


def __getattr__(name: str) -> Any:
    raise AttributeError(f"srcgrad.tape.functions has no function {name!r}")
