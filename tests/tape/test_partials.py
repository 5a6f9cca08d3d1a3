"""The rules that are written out for speed save and return what the rules themselves do."""

import numpy as np
import pytest

from srcgrad import autograd, tape
from srcgrad.rules.library import rule_for
from srcgrad.tape.partials import PARTIALS, PartialsNode
from tests.differences import numerical_gradient

NEEDS = [(True, True), (True, False), (False, True)]
SHAPES = [((3,), (3,)), ((2, 3), (3,)), ((1, 3), (2, 1)), ((), (4,)), ((0, 2), (2,)), ((), ())]


class Saved:
    """A context that only notes."""

    def __init__(self, needs):
        self.needs_input_grad = needs
        self.saved_tensors = ()

    def save_for_backward(self, *values):
        self.saved_tensors = values


def operand(rng, shape, dtype, needed):
    array = (rng.uniform(0.5, 2.0, shape) * rng.choice([-1, 1], shape)).astype(dtype)
    return tape.tensor(array, requires_grad=True) if needed else array


def data_of(value):
    return value.detach().numpy() if isinstance(value, tape.Tensor) else value


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex128])
@pytest.mark.parametrize("shapes", SHAPES)
@pytest.mark.parametrize("needs", NEEDS)
@pytest.mark.parametrize("function", PARTIALS)
def test_a_call_saves_and_returns_what_its_rule_does(function, needs, shapes, dtype):
    rng = np.random.default_rng(5)
    pair = [operand(rng, *args) for args in zip(shapes, (dtype, dtype), needs, strict=True)]
    ctx, rule = Saved(needs), rule_for(function)
    value = rule.forward(ctx, *map(data_of, pair))
    node = function(*pair).grad_fn
    assert isinstance(node, PartialsNode) == (np.dtype(dtype).kind == "f")
    assert len(node.saved_tensors) == len(ctx.saved_tensors)
    for own, rules in zip(node.saved_tensors, ctx.saved_tensors, strict=True):
        assert (own is None) == (rules is None)
        if own is not None:
            np.testing.assert_array_equal(own, rules)
    grad = rng.standard_normal(value.shape).astype(dtype)
    for own, rules in zip(node.pull(grad), rule.backward(ctx, grad), strict=True):
        assert (own is None) == (rules is None)
        if own is not None:
            assert (own.dtype, own.shape) == (rules.dtype, rules.shape)
            np.testing.assert_array_equal(own, rules)


@pytest.mark.parametrize("function", PARTIALS)
def test_second_derivatives_of_a_call_agree_with_differences_of_the_first(function):
    x, y = np.array([0.7, -1.3]), np.array([1.9])

    def first(a):
        t = tape.tensor(a, requires_grad=True)
        (grad,) = autograd.grad((function(t * t, y) * t).sum(), t, create_graph=True)
        return t, grad

    t, grad = first(x)
    (second,) = autograd.grad((grad * grad).sum(), t)
    expected = numerical_gradient(
        lambda a: float((first(a)[1].detach().numpy() ** 2).sum()), (x,), 0
    )
    np.testing.assert_allclose(second.numpy(), expected, rtol=1e-5)


@pytest.mark.parametrize("operand_number", [0, 1])
def test_an_operand_changed_in_place_is_noticed(operand_number):
    pair = [tape.tensor([1.0, 2.0], requires_grad=True).clone() for _ in range(2)]
    product = pair[0] * pair[1]
    pair[operand_number].add_(1.0)
    with pytest.raises(RuntimeError, match="modified by an inplace"):
        product.sum().backward()


def test_values_freed_by_a_pass_are_not_read_by_another():
    x = tape.tensor([1.0, 2.0], requires_grad=True)
    quotient = x / x
    quotient.sum().backward()
    with pytest.raises(RuntimeError, match="second time"):
        quotient.sum().backward()


SINGLE = [np.negative, np.positive, np.absolute, np.log, np.sqrt, np.cbrt, np.deg2rad]


@pytest.mark.parametrize("function", SINGLE)
def test_a_rule_of_one_operand_without_slope_records_what_it_needs(function):
    x = np.array([0.4, 1.7])
    t = tape.tensor(x, requires_grad=True)
    (grad,) = autograd.grad((function(t) * t).sum(), t, create_graph=True)
    expected = numerical_gradient(lambda a: float((function(a) * a).sum()), (x,), 0)
    np.testing.assert_allclose(grad.detach().numpy(), expected, rtol=1e-5)
    (second,) = autograd.grad(grad.sum(), t)

    def first(a):
        u = tape.tensor(a, requires_grad=True)
        (g,) = autograd.grad((function(u) * u).sum(), u)
        return float(g.numpy().sum())

    np.testing.assert_allclose(
        second.numpy(), numerical_gradient(first, (x,), 0), rtol=1e-4, atol=1e-8
    )


def test_the_size_of_complex_numbers_has_a_complex_gradient():
    z = tape.tensor([3 + 4j], requires_grad=True)
    np.absolute(z).sum().backward()
    np.testing.assert_allclose(z.grad.numpy(), [0.6 + 0.8j])
