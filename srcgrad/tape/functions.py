"""Offers PyTorch's functions over tensors, by PyTorch's names, arguments and conventions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.tape.apply import unary
from srcgrad.tape.calls import lift, np_call
from srcgrad.tape.core import Core
from srcgrad.tape.ops import op_for
from srcgrad.tape.protocols import call_function
from srcgrad.tape.reductions import (
    all,
    amax,
    amin,
    any,
    argmax,
    argmin,
    argsort,
    cumprod,
    cumsum,
    log_softmax,
    logsumexp,
    max,
    mean,
    median,
    min,
    norm,
    prod,
    softmax,
    sort,
    std,
    sum,
    topk,
    var,
)
from srcgrad.tape.shapes import (
    broadcast_to,
    cat,
    chunk,
    clone,
    diag,
    diagonal,
    expand,
    flatten,
    flip,
    gather,
    index_select,
    mark_multiple,
    masked_fill,
    masked_select,
    movedim,
    narrow,
    permute,
    repeat_interleave,
    reshape,
    roll,
    select,
    shape_argument,
    split,
    squeeze,
    stack,
    t,
    take,
    tile,
    trace,
    transpose,
    tril,
    triu,
    unbind,
    unsqueeze,
)

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


def _named(name: str, call: Callable[..., Any], primal: Any) -> Callable[..., Any]:
    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"Return what `numpy.{primal.__name__}` does, recorded."
    return call


def _unary(name: str, primal: Any) -> Callable[..., Any]:
    if isinstance(primal, np.ufunc):
        op = op_for(primal)
        if op is not None:

            def call(input: Any) -> Any:
                return unary(op, input if isinstance(input, Core) else lift(input))

            return _named(name, call, primal)
    return _named(name, lambda input: call_function(primal, (lift(input),), {}), primal)  # noqa: A006


def _binary(name: str, primal: Any) -> Callable[..., Any]:
    def call(input: Any, other: Any) -> Any:
        return call_function(primal, (lift(input), other), {})

    return _named(name, call, primal)


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
    return np_call(np.where, x > 0, x, x._array.dtype.type(0))


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


__all__ = [
    "NAMES",
    "add",
    "addcdiv",
    "addcmul",
    "addmm",
    "all",
    "amax",
    "amin",
    "any",
    "argmax",
    "argmin",
    "argsort",
    "broadcast_to",
    "cat",
    "chunk",
    "clamp",
    "clone",
    "cumprod",
    "cumsum",
    "det",
    "diag",
    "diagonal",
    "div",
    "einsum",
    "expand",
    "flatten",
    "flip",
    "frac",
    "gather",
    "index_select",
    "inverse",
    "lerp",
    "log_softmax",
    "logit",
    "logsumexp",
    "mark_multiple",
    "masked_fill",
    "masked_select",
    "max",
    "mean",
    "median",
    "min",
    "movedim",
    "narrow",
    "norm",
    "permute",
    "prod",
    "relu",
    "repeat_interleave",
    "reshape",
    "roll",
    "round",
    "rsqrt",
    "select",
    "shape_argument",
    "sigmoid",
    "softmax",
    "softplus",
    "sort",
    "split",
    "squeeze",
    "stack",
    "std",
    "sub",
    "sum",
    "t",
    "take",
    "tensordot",
    "tile",
    "topk",
    "trace",
    "transpose",
    "tril",
    "triu",
    "unbind",
    "unsqueeze",
    "var",
    "where",
]
