"""Times the derivative of a function of one number with 30 operations."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import srcgrad as sg
from bench import peers
from bench.timing import measure, print_table

HAND = "hand-written Python"
AT = 0.7


def chain(x):
    """Return something of `x` after ten lines of three operations each."""
    a = math.sin(x) * 0.5 + x
    b = math.cos(a) * x - a
    c = math.exp(-b) + a * b
    d = math.tanh(c) * b + a
    e = math.sin(d) / (d * d + 1.0)
    f = math.sqrt(e * e + 2.0)
    g = math.cos(f) * e + d
    h = math.tanh(g) - f * g
    i = math.sin(h) * h + a
    return math.exp(-i) * h


def by_hand(x):
    """Return the derivative as one writes it with care: every value once, first terms assigned."""
    sin_x = math.sin(x)
    a = sin_x * 0.5 + x
    cos_a = math.cos(a)
    b = cos_a * x - a
    exp_b = math.exp(-b)
    c = exp_b + a * b
    tanh_c = math.tanh(c)
    d = tanh_c * b + a
    sin_d = math.sin(d)
    square = d * d + 1.0
    e = sin_d / square
    f = math.sqrt(e * e + 2.0)
    cos_f = math.cos(f)
    g = cos_f * e + d
    tanh_g = math.tanh(g)
    h = tanh_g - f * g
    sin_h = math.sin(h)
    i = sin_h * h + a
    y = math.exp(-i)
    grad_i = -y * h
    grad_h = y + grad_i * (sin_h + h * math.cos(h))
    grad_g = grad_h * (1.0 - tanh_g * tanh_g - f)
    grad_f = -grad_h * g - grad_g * e * math.sin(f)
    grad_e = grad_g * cos_f + grad_f * e / f
    grad_d = grad_g + grad_e * (math.cos(d) - 2.0 * d * e) / square
    grad_c = grad_d * b * (1.0 - tanh_c * tanh_c)
    grad_b = grad_d * tanh_c + grad_c * (a - exp_b)
    grad_a = grad_i + grad_d + grad_c * b - grad_b * (1.0 + x * math.sin(a))
    return grad_b * cos_a + grad_a * (1.0 + 0.5 * math.cos(x))


def with_torch(torch: Any) -> Callable[[], Any]:
    """Return a call of torch's derivative."""
    function = peers.twin(chain, math=torch)
    x = torch.tensor(AT, dtype=torch.float64, requires_grad=True)
    return lambda: torch.autograd.grad(function(x), x)[0]


def with_jax(jax: Any) -> Callable[[], Any]:
    """Return a call of JAX's compiled derivative."""
    gradient = jax.jit(jax.grad(peers.twin(chain, math=jax.numpy)))
    return lambda: jax.block_until_ready(gradient(AT))


def with_autograd(autograd: Any) -> Callable[[], Any]:
    """Return a call of HIPS autograd's derivative."""
    gradient = autograd.grad(peers.twin(chain, math=autograd.numpy))
    return lambda: gradient(AT)


def main() -> None:
    """Check that all agree, and print the table."""
    print("Derivative of a scalar function of 30 operations")
    gradient = sg.grad(chain)
    others, skipped = peers.contestants(
        {"HIPS autograd": with_autograd, "torch": with_torch, "jax.jit": with_jax}
    )
    calls = {HAND: lambda: by_hand(AT), "srcgrad": lambda: gradient(AT), **others}
    expected = calls[HAND]()
    for name, call in calls.items():
        if not math.isclose(float(call()), expected, rel_tol=1e-9):
            raise ArithmeticError(f"{name} finds {float(call())}, by hand it is {expected}")
    print_table(measure(calls), HAND, skipped)


if __name__ == "__main__":
    main()
