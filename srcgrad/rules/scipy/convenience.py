"""Rules of logarithms, entropies, losses and powers of ``scipy.special``."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import special

from srcgrad.rules.base import Context, Function
from srcgrad.rules.registry import RuleTable
from srcgrad.runtime import conj, expand_reduced, shortcut
from srcgrad.runtime.scipy.special import logsumexp_back

table = RuleTable("convenience")


@table.slope(special.log1p)
def log1p(x: Any) -> Any:
    return 1 / (1 + x)


@table.slope(special.expm1)
def expm1(y: Any) -> Any:
    return y + 1


@table.slope(special.exp2)
def exp2(y: Any) -> Any:
    return math.log(2) * y


@table.slope(special.exp10)
def exp10(y: Any) -> Any:
    return math.log(10) * y


@table.slope(special.cbrt)
def cbrt(y: Any) -> Any:
    return 1 / (3 * y * y)


@table.slope(special.cosm1)
def cosm1(x: Any) -> Any:
    return -np.sin(x)


@table.slope(special.sindg)
def sindg(x: Any) -> Any:
    return math.pi / 180 * special.cosdg(x)


@table.slope(special.cosdg)
def cosdg(x: Any) -> Any:
    return -math.pi / 180 * special.sindg(x)


@table.slope(special.tandg)
def tandg(y: Any) -> Any:
    return math.pi / 180 * (1 + y * y)


@table.slope(special.cotdg)
def cotdg(y: Any) -> Any:
    return -math.pi / 180 * (1 + y * y)


@table.slope(special.entr)
def entr(x: Any) -> Any:
    return -np.log(x) - 1


@table.slope(special.softplus)
def softplus(x: Any) -> Any:
    return special.expit(x)


@table.partials(special.xlogy)
def xlogy(x: Any, y: Any) -> tuple[Any, ...]:
    return np.log(y), x / y


@table.partials(special.xlog1py)
def xlog1py(x: Any, y: Any) -> tuple[Any, ...]:
    return np.log1p(y), x / (1 + y)


@table.partials(special.rel_entr)
def rel_entr(x: Any, y: Any) -> tuple[Any, ...]:
    return np.log(x / y) + 1, -x / y


@table.partials(special.kl_div)
def kl_div(x: Any, y: Any) -> tuple[Any, ...]:
    return np.log(x / y), 1 - x / y


@table.partials(special.huber)
def huber(delta: Any, r: Any) -> tuple[Any, ...]:
    return np.maximum(np.abs(r) - delta, 0), np.clip(r, -delta, delta)


@table.partials(special.pseudo_huber)
def pseudo_huber(delta: Any, r: Any, *, out: Any) -> tuple[Any, ...]:
    root = np.sqrt(1 + (r / delta) ** 2)
    return 2 * out / delta - r * r / (delta * root), r / root


@table.partials(special.boxcox)
def boxcox(x: Any, lmbda: Any, *, out: Any) -> tuple[Any, ...]:
    power, log = x**lmbda, np.log(x)
    flat = np.abs(lmbda) < 1e-4
    safe = np.where(flat, 1, lmbda)
    series = log**2 / 2 + lmbda * log**3 / 3 + lmbda**2 * log**4 / 8
    return x ** (lmbda - 1), np.where(flat, series, (power * log - out) / safe)


@table.partials(special.boxcox1p)
def boxcox1p(x: Any, lmbda: Any, *, out: Any) -> tuple[Any, ...]:
    power, log = (1 + x) ** lmbda, np.log1p(x)
    flat = np.abs(lmbda) < 1e-4
    safe = np.where(flat, 1, lmbda)
    series = log**2 / 2 + lmbda * log**3 / 3 + lmbda**2 * log**4 / 8
    return (1 + x) ** (lmbda - 1), np.where(flat, series, (power * log - out) / safe)


@table.partials(special.inv_boxcox)
def inv_boxcox(y: Any, lmbda: Any, *, out: Any) -> tuple[Any, ...]:
    flat = np.abs(lmbda * y) < 1e-4
    safe = np.where(flat, 1, lmbda)
    series = -y * y / 2 + 2 * lmbda * y**3 / 3 - 3 * lmbda**2 * y**4 / 4
    exact = y / (safe * (1 + lmbda * y)) - np.log1p(lmbda * y) / safe**2
    return out ** (1 - lmbda), out * np.where(flat, series, exact)


@table.partials(special.inv_boxcox1p)
def inv_boxcox1p(y: Any, lmbda: Any, *, out: Any) -> tuple[Any, ...]:
    flat = np.abs(lmbda * y) < 1e-4
    safe = np.where(flat, 1, lmbda)
    series = -y * y / 2 + 2 * lmbda * y**3 / 3 - 3 * lmbda**2 * y**4 / 4
    exact = y / (safe * (1 + lmbda * y)) - np.log1p(lmbda * y) / safe**2
    return (1 + out) ** (1 - lmbda), (1 + out) * np.where(flat, series, exact)


@table.partials(special.powm1)
def powm1(x: Any, y: Any, *, out: Any) -> tuple[Any, ...]:
    return y * x ** (y - 1), (1 + out) * np.log(x)


@table.rule(special.logsumexp)
class Logsumexp(Function):
    """The logarithm of the sum of exponentials, with weights b."""

    @staticmethod
    def forward(
        ctx: Context, a: Any, axis: Any = None, b: Any = None, keepdims: Any = False
    ) -> Any:
        y = special.logsumexp(a, axis=axis, b=b, keepdims=keepdims)
        ctx.axis, ctx.keepdims = axis, keepdims
        ctx.save_for_backward(a, b, y)
        return y

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        a, b, y = ctx.saved_tensors
        if shortcut(b is None and ctx.axis is None):
            grad_a = grad * conj(np.exp(a - y))
            grad_b = None
        elif shortcut(b is None):
            y_full = expand_reduced(y, np.shape(a), ctx.axis, ctx.keepdims)
            grad_full = expand_reduced(grad, np.shape(a), ctx.axis, ctx.keepdims)
            grad_a = grad_full * conj(np.exp(a - y_full))
            grad_b = None
        else:
            grad_a, grad_b = logsumexp_back(grad, (a, b, y), ctx.axis, ctx.keepdims)
        return grad_a, None, grad_b


@table.rule(special.softmax)
class Softmax(Function):
    """Exponentials divided by their sum along axes."""

    @staticmethod
    def forward(ctx: Context, x: Any, axis: Any = None) -> Any:
        y = special.softmax(x, axis)
        ctx.axis = axis
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        (y,) = ctx.saved_tensors
        if shortcut(ctx.axis is None):
            grad_x = conj(y) * (grad - np.sum(grad * conj(y)))
        else:
            grad_x = conj(y) * (grad - np.sum(grad * conj(y), axis=ctx.axis, keepdims=True))
        return grad_x


@table.rule(special.log_softmax)
class LogSoftmax(Function):
    """The logarithm of the softmax."""

    @staticmethod
    def forward(ctx: Context, x: Any, axis: Any = None) -> Any:
        y = special.log_softmax(x, axis)
        ctx.axis = axis
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        (y,) = ctx.saved_tensors
        if shortcut(ctx.axis is None):
            grad_x = grad - conj(np.exp(y)) * np.sum(grad)
        else:
            grad_x = grad - conj(np.exp(y)) * np.sum(grad, axis=ctx.axis, keepdims=True)
        return grad_x


RULES = table.freeze()
