"""Forward mode over the backward of a user's Function."""

from __future__ import annotations

import numpy as np
import pytest

import srcgrad as sg


class Exponential(sg.autograd.Function):
    """Saves its result, which has a tangent of its own where the argument has one."""

    @staticmethod
    def forward(ctx, x):
        y = x.exp()
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, grad):
        (y,) = ctx.saved_tensors
        return grad * y

    @staticmethod
    def jvp(ctx, x_dot):
        (y,) = ctx.saved_tensors
        return x_dot * y


class Product(sg.autograd.Function):
    """Saves its arguments and its result, of several."""

    @staticmethod
    def forward(ctx, x, y):
        product, square = x * y, x * x
        ctx.save_for_backward(x, y, product)
        return product, square

    @staticmethod
    def backward(ctx, grad, grad_square):
        x, _, product = ctx.saved_tensors
        return grad * product / x + 2 * x * grad_square, grad * x

    @staticmethod
    def jvp(ctx, x_dot, y_dot):
        x, _, product = ctx.saved_tensors
        return x_dot * product / x + y_dot * x, 2 * x * x_dot


class Turned(sg.autograd.Function):
    """Returns tangents that lie in memory in another order than its results."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return 2 * x * grad

    @staticmethod
    def jvp(ctx, x_dot):
        (x,) = ctx.saved_tensors
        return (2 * x * x_dot).T.copy().T


def test_a_tangent_of_another_order_has_a_gradient():
    x = sg.tensor(np.arange(6.0).reshape(2, 3), requires_grad=True)
    with sg.autograd.forward_ad.dual_level():
        dual = sg.autograd.forward_ad.make_dual(x, sg.tensor(np.ones((2, 3))))
        y_dot = sg.autograd.forward_ad.unpack_dual(Turned.apply(dual)).tangent
        (y_dot * y_dot).sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), 8 * x.detach().numpy())


SCOPE = {"np": np, "Exponential": Exponential, "Product": Product}
exec(
    "def exponential(x): return np.sum(Exponential.apply(x) ** 2 * x)\n"
    "def product(x):\n"
    "    a, b = Product.apply(x, np.sin(x))\n"
    "    return np.sum(a * b)\n",
    SCOPE,
)
PLAIN = {
    "exponential": lambda x: np.sum(np.exp(x) ** 2 * x),
    "product": lambda x: np.sum(x * np.sin(x) * x * x),
}


@pytest.mark.filterwarnings("ignore::srcgrad.FallbackWarning")
@pytest.mark.parametrize("name", PLAIN)
def test_products_with_the_hessian_know_the_tangents_of_saved_results(name):
    x, v = np.array([0.3, 0.5, 1.1]), np.array([1.0, 2.0, -1.0])
    expected = sg.hvp(PLAIN[name], (x,), (v,))
    np.testing.assert_allclose(sg.hvp(SCOPE[name], (x,), (v,)), expected, rtol=1e-12)
    np.testing.assert_allclose(sg.hessian(SCOPE[name])(x) @ v, expected, rtol=1e-12)
