"""A derivative that the user gives."""

import numpy as np

import srcgrad as sg


class Softplus(sg.autograd.Function):
    """y = log(1 + exp(x))."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return np.logaddexp(0.0, x)

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad / (1 + np.exp(-x))


def loss(w, x):
    return np.mean(Softplus.apply(w * x) ** 2)


gradient = sg.grad(loss)


def example(rng):
    return rng.normal(size=4), rng.normal(size=4)


# ---------------------------------------- the derivative ----------------------------------------

import numpy as np


def loss_grad(w, x):
    """Gradient of `loss` (own_rule.py:22) with respect to `w`.

    Taken for granted: w.ndim == 1; x.ndim == 1; x.shape == w.shape.
    """
    w_times_x = w * x
    apply_Softplus = np.logaddexp(0.0, w_times_x)

    # backward
    # L23: return np.mean(Softplus.apply(w * x) ** 2)
    return 2 / np.size(apply_Softplus) * apply_Softplus / (1.0 + np.exp(-w_times_x)) * x
