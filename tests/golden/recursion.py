"""A power by repeated squaring."""

import numpy as np

import srcgrad as sg


def power(x, n):
    if n == 0:
        return 1.0
    if n % 2:
        return x * power(x, n - 1)
    half = power(x, n // 2)
    return half * half


gradient = sg.grad(power)


def example(rng):
    return rng.uniform(1.0, 1.5), 5


# ---------------------------------------- the derivative ----------------------------------------

def power_forward(x, n):
    """Run `power` and keep what `power_backward` reads."""
    power_x = saved = saved_2 = half = None
    if n == 0:
        out = 1.0
    elif n % 2:
        power_x, saved = power_forward(x, n - 1)
        out = x * power_x
    else:
        half, saved_2 = power_forward(x, n // 2)
        out = half * half
    return out, (n, power_x, saved, x, saved_2, half)


def power_backward(saved, grad_out):
    """Return the gradients of `power` with respect to `x`."""
    n, power_x, saved, x, saved_2, half = saved
    # L9: if n == 0:
    if n == 0:
        return 0.0
    # L11: if n % 2:
    if n % 2:
        # L12: return x * power(x, n - 1)
        return grad_out * power_x + power_backward(saved, grad_out * x)
    # L14: return half * half
    # L13: half = power(x, n // 2)
    return power_backward(saved_2, 2 * grad_out * half)


def power_grad(x, n):
    """Gradient of `power` (recursion.py:8) with respect to `x`.

    Taken for granted: x is a number; n is a number.
    """
    return power_backward(power_forward(x, n)[1], 1.0)
