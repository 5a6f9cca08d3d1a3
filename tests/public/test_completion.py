"""Tests that editors find out about a derivative what they find out about its function."""

from __future__ import annotations

import inspect
from importlib import resources

import numpy as np
import pytest

import srcgrad as sg


def loss(w, rate=2.0, *, offset=0.0):
    """Return one number."""
    return np.sum(w * rate) + offset


WRAPPERS = {
    "grad": sg.grad,
    "value_and_grad": sg.value_and_grad,
    "grad with options": sg.grad(argnums=1),
    "jacobian": sg.jacobian,
    "hessian": sg.hessian,
    "pushforward": sg.pushforward,
    "pullback": sg.pullback,
    "hessian_product": sg.hessian_product,
    "compile": sg.compile,
    "checkpoint": sg.checkpoint,
    "numeric_vjp": sg.numeric_vjp,
    "implicit.root": sg.implicit.root(lambda x, w, rate, offset: x - w),
    "grad of grad": lambda f: sg.grad(sg.grad(f)),
}


@pytest.mark.parametrize("wrap", WRAPPERS.values(), ids=WRAPPERS)
def test_what_wraps_a_function_shows_its_name_text_and_parameters(wrap):
    wrapped = wrap(loss)
    assert wrapped.__name__ == "loss"
    assert wrapped.__doc__ == inspect.getdoc(wrapped) == "Return one number."
    assert wrapped.__module__ == __name__
    assert wrapped.__wrapped__ is loss
    assert inspect.signature(wrapped) == inspect.signature(loss)


class Model:
    def misfit(self, w, rate=2.0):
        """Return one number."""
        return np.sum(w * rate)

    @sg.grad
    def slope(self, w, rate=2.0):
        """Return one number."""
        return np.sum(w * rate)


def test_of_a_method_the_object_is_given_already():
    expected = inspect.signature(Model().misfit)
    for derivative in (sg.grad(Model().misfit), sg.jacobian(Model().misfit), Model().slope):
        assert inspect.signature(derivative) == expected
        assert derivative.__doc__ == "Return one number."


def test_the_types_may_be_written_with_their_parameters():
    assert sg.Gradient[..., float]
    assert sg.Jacobian[...]
    assert isinstance(sg.grad(loss), sg.Gradient)


def test_type_checkers_are_told_that_the_package_has_types():
    assert resources.files("srcgrad").joinpath("py.typed").is_file()
