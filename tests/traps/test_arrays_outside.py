"""Arrays of a module that are written into have one name when the text is run, or it is not."""

from __future__ import annotations

import numpy as np
import pytest

import srcgrad as sg
from tests.differences import numerical_gradient


class Holder:
    """An object that may hold the array that is written."""

    def __init__(self) -> None:
        self.held = np.ones(4)


ROOM, OTHER, HOLDER = np.zeros(4), np.ones(4), Holder()
X = np.array([1.3, -0.4, 0.8, 2.1])


@pytest.fixture(autouse=True)
def apart():
    globals().update(ROOM=np.zeros(4), OTHER=np.ones(4))
    HOLDER.held = np.ones(4)


def beside_another(x):
    ROOM[:] = x * x
    return np.sum(ROOM * OTHER)


def beside_a_field(x):
    ROOM[:] = x * x
    return np.sum(ROOM * HOLDER.held)


def put_into_a_field():
    HOLDER.held = ROOM


@pytest.mark.parametrize(
    ("function", "meet"),
    [
        (beside_another, lambda: globals().update(OTHER=ROOM)),
        (beside_another, lambda: globals().update(OTHER=ROOM[::-1])),
        (beside_a_field, put_into_a_field),
    ],
)
def test_a_second_name_between_two_calls_is_refused(function, meet):
    slope = sg.grad(function, fallback="error")
    np.testing.assert_allclose(slope(X), numerical_gradient(function, (X,), 0), rtol=1e-6)
    meet()
    with pytest.raises(sg.MutationError, match="which shares memory with"):
        slope(X)
    globals().update(OTHER=np.ones(4))
    HOLDER.held = np.ones(4)
    np.testing.assert_allclose(slope(X), 2 * X)


def test_the_array_may_not_be_the_argument():
    with pytest.raises(sg.MutationError, match="shares memory with `x`"):
        sg.grad(beside_another, fallback="error")(ROOM)


def test_another_array_may_take_its_place():
    slope = sg.grad(beside_another, fallback="error")
    slope(X)
    globals().update(ROOM=np.zeros((2, 4)), OTHER=np.full((2, 4), 3.0))
    np.testing.assert_allclose(slope(X), numerical_gradient(beside_another, (X,), 0), rtol=1e-6)


def test_one_of_integers_is_refused():
    slope = sg.grad(beside_another, fallback="error")
    slope(X)
    globals().update(ROOM=np.zeros(4, int))
    with pytest.raises(sg.SrcgradError):
        slope(X)


def read_by_a_helper():
    return np.sum(ROOM)


def seen_by_a_helper(x):
    ROOM[:] = x * x
    return read_by_a_helper()


def test_what_a_helper_reads_is_what_was_written():
    for fallback in ("error", "tape"):
        np.testing.assert_allclose(sg.grad(seen_by_a_helper, fallback=fallback)(X), 2 * X)


def test_a_pullback_keeps_what_was_there():
    _, pull = sg.vjp(beside_another, X)
    ROOM[:] = OTHER[:] = 77.0
    (slope,) = pull(1.0)
    np.testing.assert_allclose(slope, 2 * X)


def written_by_the_other_name(x, room):
    ROOM[:] = x * x
    return np.sum(room * x)


def read_by_the_other_name(x, room):
    room[:] = x * x
    return np.sum(ROOM * x)


def set_by_the_other_name(x, room):
    ROOM[:] = 3.0
    return room * x


@pytest.mark.parametrize(
    "function", [written_by_the_other_name, read_by_the_other_name, set_by_the_other_name]
)
@pytest.mark.parametrize("derivative", [sg.jacobian, sg.jacfwd, sg.jacrev])
@pytest.mark.parametrize("fallback", ["error", "tape"])
@pytest.mark.parametrize("part", [slice(None), slice(None, None, -1)])
def test_a_jacobian_takes_no_copy_of_what_has_another_name(function, derivative, fallback, part):
    with pytest.raises(sg.MutationError):
        derivative(function, 0, fallback=fallback)(X, ROOM[part])


@pytest.mark.parametrize("derivative", [sg.jacobian, sg.jacfwd, sg.jacrev])
def test_a_jacobian_takes_another_array(derivative):
    for function in (written_by_the_other_name, read_by_the_other_name):
        expected = numerical_gradient(function, (X, np.ones(4)), 0)
        found = derivative(function, 0)(X, np.ones(4))
        np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-8)


KEPT = {"a": np.ones(4)}


def written_in_a_dict_by_the_other_name(x, kept):
    KEPT["a"][:] = x * x
    return np.sum(kept["a"] * x)


@pytest.mark.parametrize("pure", [False, True])
def test_a_pure_derivative_takes_no_copy_of_it_either(pure):
    found = sg.grad(written_in_a_dict_by_the_other_name, 0, fallback="tape", pure=pure)(X, KEPT)
    np.testing.assert_allclose(found, 3 * X**2)
    np.testing.assert_array_equal(KEPT["a"], X**2)
