"""Rules of the user's whose bodies the compiler cannot put in place, or only in part."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import srcgrad as sg

X = np.array([0.3, -0.7, 1.2])


class Noted:
    value: Any = None


class Plain(sg.autograd.Function):
    """x ** 3, which the others are, too."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return 3 * grad * x**2

    @staticmethod
    def jvp(ctx, x_dot):
        (x,) = ctx.saved_tensors
        return 3 * x_dot * x**2


class CallsElsewhere(Plain):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        abs(1)
        return x**3


class MarksItsContext(Plain):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        ctx.__init_subclass__()
        return x**3


class KeepsInAnotherObject(Plain):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        Noted.value = x
        return x**3


class PicksFromAList(Plain):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return sum([x**n for n in (2, 3, 4) if n == 3])


class SavesNothing(Plain):
    @staticmethod
    def forward(ctx, x):
        ctx.kept = x
        return x**3

    @staticmethod
    def backward(ctx, grad):
        () = ctx.saved_tensors
        return 3 * grad * ctx.kept**2

    @staticmethod
    def jvp(ctx, x_dot):
        return 3 * x_dot * ctx.kept**2


class ReadsWhatIsNotThere(Plain):
    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * x**2 * getattr(ctx, "factor", 3)


class LoopsOverItsFactors(Plain):
    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        for _ in range(2):
            grad = grad * x
        return 3 * grad


class ReturnsEarly(Plain):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        if ctx.needs_input_grad[0]:
            return x * x * x
        return x**3

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        if not ctx.needs_input_grad[0]:
            return None
        if 1 in (1, 2):
            return 3 * grad * x**2
        return grad


class TakesPartsOfATuple(Plain):
    @staticmethod
    def forward(ctx, x):
        first, *rest = x, x, x
        ctx.save_for_backward(first, *rest)
        return first * rest[1] * rest[0]

    @staticmethod
    def backward(ctx, grad):
        x, y, z = ctx.saved_tensors
        return grad * (y * z + x * z + x * y)


class TellsNoTuple(Plain):
    @staticmethod
    def backward(ctx, grad):
        return (3 * grad * ctx.saved_tensors[0] ** 2,)


RULES = [
    *(Plain, CallsElsewhere, MarksItsContext, KeepsInAnotherObject, PicksFromAList, SavesNothing),
    *(ReadsWhatIsNotThere, LoopsOverItsFactors, ReturnsEarly, TakesPartsOfATuple, TellsNoTuple),
]
every_rule = pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)


def wanted(x: Any) -> Any:
    return 3 * x**2 * np.cos(x**3)


@every_rule
def test_a_gradient_by_source_has_the_rules_numbers(rule: Any) -> None:
    gradient = sg.grad(lambda x: np.sum(np.sin(rule.apply(x))), fallback="error")
    for x in (X, X[:2] + 1):
        np.testing.assert_allclose(gradient(x), wanted(x))


@pytest.mark.parametrize("rule", [Plain, SavesNothing])
def test_a_tangent_has_the_rules_numbers(rule: Any) -> None:
    value, tangent = sg.jvp(lambda x: np.sin(rule.apply(x)), (X,), (X + 2,))
    np.testing.assert_allclose(value, np.sin(X**3))
    np.testing.assert_allclose(tangent, wanted(X) * (X + 2))


@every_rule
def test_the_tape_has_the_rules_numbers(rule: Any) -> None:
    x = sg.tensor(X, requires_grad=True)
    (grad,) = sg.autograd.grad(np.sum(np.sin(rule.apply(x))), [x])
    np.testing.assert_allclose(grad.numpy(), wanted(X))


class Scaled(sg.autograd.Function):
    """x * by ** power, whose options have names."""

    @staticmethod
    def forward(ctx, x, by, power=1, *, note=None):
        for _ in range(1):
            pass
        ctx.power = power
        ctx.save_for_backward(x, by)
        return x * by**power

    @staticmethod
    def backward(ctx, grad):
        x, by = ctx.saved_tensors
        return grad * by**ctx.power, np.sum(grad * x) * ctx.power * by ** (ctx.power - 1)

    @staticmethod
    def jvp(ctx, x_dot, by_dot, *others):
        x, by = ctx.saved_tensors
        total = 0.0
        if x_dot is not None:
            total = total + x_dot * by**ctx.power
        if by_dot is not None:
            total = total + x * by_dot * ctx.power * by ** (ctx.power - 1)
        return total


SCALED = [
    lambda x, by: np.sum(np.sin(Scaled.apply(x, by))),
    lambda x, by: np.sum(np.sin(Scaled.apply(x, by, 2))),
    lambda x, by: np.sum(np.sin(Scaled.apply(2.0 * x, by * by, 2))) * by,
    lambda x, by: np.sum(np.sin(Scaled.apply(X, by, 2))) * np.sum(x),
]


@pytest.mark.parametrize("program", SCALED)
def test_a_rule_with_options_that_is_called_has_right_gradients_and_tangents(program: Any) -> None:
    def along(step: float) -> Any:
        return program(X + step * way[0], 1.5 + step * way[1])

    way, size = (np.array([0.4, 1.0, -0.5]), 0.7), 1e-3
    near, far = along(size) - along(-size), along(2 * size) - along(-2 * size)
    slope = (8 * near - far) / (12 * size)
    of_x, of_by = sg.grad(program, (0, 1), fallback="error")(X, 1.5)
    np.testing.assert_allclose(np.sum(of_x * way[0]) + of_by * way[1], slope, rtol=1e-6)
    _, tangent = sg.jvp(program, (X, 1.5), way)
    np.testing.assert_allclose(tangent, slope, rtol=1e-6)
