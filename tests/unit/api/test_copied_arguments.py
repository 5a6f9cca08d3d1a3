"""Checks that what runs on copies of arguments finds them as they lie in memory."""

from __future__ import annotations

import numpy as np
import pytest

import srcgrad as sg
from srcgrad.api.structures import copied


def through_a_reshaped_copy(a):
    b = a * 1.0
    flat = b.reshape(-1)  # a copy of what does not lie row by row
    flat[1] = 5.0 * a[0, 0]
    return b


@pytest.mark.filterwarnings("ignore::srcgrad.FallbackWarning", "ignore::srcgrad.NumericWarning")
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("backend", ["auto", "tape"])
def test_jacobians_are_those_of_the_layout_at_hand(order, backend):
    a = np.array([[1.0, 2.0], [3.0, 4.0]], order=order)
    columns = [
        through_a_reshaped_copy(a + step) - through_a_reshaped_copy(a - step)
        for step in (np.array(1e-3 * unit, order=order) for unit in np.eye(4).reshape(4, 2, 2))
    ]
    wanted = np.stack(columns, axis=-1).reshape(2, 2, 2, 2) / 2e-3
    for jacobian in (sg.jacfwd, sg.jacrev):
        found = jacobian(through_a_reshaped_copy, backend=backend)(a)
        np.testing.assert_allclose(found, wanted, atol=1e-9)
    _, pull = sg.vjp(sg.numeric_vjp(through_a_reshaped_copy), a)
    (slopes,) = pull(np.ones((2, 2)))
    np.testing.assert_allclose(slopes, wanted.sum(axis=(0, 1)), atol=1e-7)


@pytest.mark.filterwarnings("ignore::srcgrad.FallbackWarning")
@pytest.mark.parametrize("jacobian", [sg.jacfwd, sg.jacrev])
@pytest.mark.parametrize("backend", ["auto", "tape"])
def test_jacobians_at_one_array_given_twice_are_refused_if_it_is_written(jacobian, backend):
    def written(a, b):
        a *= 2.0
        return a * b

    x = np.array([1.0, 2.0, 3.0])
    for other in (x, x[::-1], x[1:2]):
        with pytest.raises(sg.MutationError):
            jacobian(written, backend=backend)(x, other)
    assert np.all(x == [1.0, 2.0, 3.0])


def test_copies_share_memory_as_what_they_are_made_of():
    table = np.arange(12.0).reshape(3, 4)
    given = {"table": table[:, ::2], "row": table[1], "other": [np.ones(2), table.T]}
    made = copied(given)
    np.testing.assert_array_equal(made["table"], given["table"])
    assert made["table"].strides == given["table"].strides
    made["row"][0] = 7.0
    assert made["table"][1, 0] == made["other"][1][0, 1] == 7.0
    assert table[1, 0] == 4.0
    assert not np.may_share_memory(made["other"][0], made["row"])


@pytest.mark.filterwarnings("ignore::srcgrad.FallbackWarning")
@pytest.mark.parametrize("overlap", [slice(None), slice(None, None, -1), slice(1, 3)])
def test_second_derivatives_at_one_array_given_twice_are_refused_if_it_is_written(overlap):
    def written(a, b):
        a *= 2.0
        return np.sum(a[: len(b)] * b * b)

    x = np.array([1.0, 2.0, 3.0])
    d = np.ones(3)
    for take in (
        lambda y: sg.hvp(written, (y, y[overlap]), (d, None)),
        lambda y: sg.hessian(written)(y, y[overlap]),
        lambda y: sg.jvp(sg.grad(written), (y, y[overlap]), (d, 0 * y[overlap])),
        sg.grad(lambda y: np.sum(sg.grad(written)(y, y[overlap]))),
    ):
        with pytest.raises(sg.MutationError):
            take(x)
    assert np.all(x == [1.0, 2.0, 3.0])
