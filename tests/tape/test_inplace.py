"""In-place changes of tensors, views and bases, against finite differences of the plain program."""

import numpy as np
import pytest

from srcgrad import autograd, tape
from srcgrad.autograd import gradcheck, graph
from tests.differences import numerical_gradient


def leaf(*data):
    return tape.tensor(np.array(data, dtype=float), requires_grad=True)


def slices(x):
    y = x * 1.0
    v = y[1:]
    v *= x[:-1]
    y[0] = v[1] * 2.0
    return (y * y).sum()


def transposes(x):
    y = np.outer(x, x)
    t = y.T
    t[0] += x
    y[:, 1] *= 3.0
    return (t * t).sum()


def work_array(x):
    buffer = np.zeros_like(x)
    total = x.sum() * 0.0
    for k in range(3):
        np.multiply(x, k + 1.0, out=buffer)
        buffer += x * x
        total = total + (buffer * buffer * buffer).sum()
    return total


def repeated_index(x):
    y = x * 1.0
    y[[0, 0, 1]] = x[1:] * np.array([1.0, 2.0, 3.0])
    return (y * y).sum()


def repeated_index_adds(x):
    y = x * 1.0
    np.add.at(y, [0, 0, 1], x[1:])
    return (y * y).sum()


def masks(x):
    y = x * 2.0
    y[x > 0.5] = 0.0
    y[~(x > 0.5)] += x[0]
    return (y * y).sum()


def reshaped_view(x):
    y = np.concatenate([x, x * 2.0]).reshape(2, -1)
    flat = y.reshape(-1)
    flat[2:5] = x[0] * x[1:]
    row = y[1]
    row /= 3.0
    return np.exp(y).sum()


def fortran_base(x):
    y = np.stack([x, x * x]).T.copy(order="F") if isinstance(x, np.ndarray) else columns(x)
    v = y.T[1]
    v *= x
    y[0] = 2.0
    return (y * y).sum()


def columns(x):
    return np.copy(np.stack([x, x * x]).T, order="F")


def swap(x):
    y = x * 1.0
    a, b = y[0] * 1.0, y[2] * 1.0
    y[0], y[2] = b, a
    return (y * np.arange(1.0, 5.0)).sum()


def fill_and_copy(x):
    y = x * 3.0
    np.copyto(y, x * x, where=x > 0.5)
    z = np.stack([y, y])
    np.fill_diagonal(z, x[3])
    return (z * z).sum()


def made_finite(x):
    y = x * 3.0
    y[1] = np.inf
    z = np.tanh(y)
    np.nan_to_num(y[1:], copy=False, posinf=2.0)
    same = np.nan_to_num(y, False)
    same *= x[0]
    return (y * y * z).sum()


def sorted_in_place(x):
    y = x * 1.0
    y.sort()
    return (y * np.arange(1.0, 5.0) * y).sum()


def augmented(x):
    y = x.copy()
    y += 1.0
    y -= x * 0.5
    y *= y
    y /= 2.0
    y **= 2
    return y.sum()


def overlapping(x):
    y = x * 1.0
    a, b = y[:3], y[1:]
    a *= 2.0
    b += a * x[0]
    return np.exp(y * 0.1).sum()


PROGRAMS = [
    slices,
    transposes,
    work_array,
    repeated_index,
    repeated_index_adds,
    masks,
    reshaped_view,
    fortran_base,
    swap,
    fill_and_copy,
    made_finite,
    sorted_in_place,
    augmented,
    overlapping,
]
POINT = np.array([0.3, 0.9, -0.4, 1.1])


OVERWRITING = (work_array, overlapping)  # they write over what was saved
KEEPING = [p for p in PROGRAMS if p not in OVERWRITING]


@pytest.mark.parametrize("program", OVERWRITING, ids=lambda p: p.__name__)
def test_writing_over_saved_values_is_refused_outside_strict_mode(program):
    out = program(leaf(*POINT))
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        out.backward()


@pytest.mark.parametrize("program", KEEPING, ids=lambda p: p.__name__)
def test_a_program_that_writes_has_the_gradient_of_differences(program):
    x = leaf(*POINT)
    (found,) = autograd.grad(program(x), x)
    expected = numerical_gradient(program, (POINT,), 0)
    np.testing.assert_allclose(found.numpy(), expected, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)
def test_a_program_that_writes_is_right_in_strict_mode(program):
    expected = numerical_gradient(program, (POINT,), 0)
    x = leaf(*POINT)
    with tape.strict_fallback():
        out = program(x)
        np.testing.assert_allclose(out.detach().numpy(), program(POINT))
        (found,) = autograd.grad(out, x)
    np.testing.assert_allclose(found.numpy(), expected, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("program", KEEPING, ids=lambda p: p.__name__)
def test_a_program_that_writes_has_right_second_derivatives(program):
    assert autograd.gradgradcheck(program, (leaf(*POINT),), check_undefined_grad=False)


FORWARD = [p for p in KEEPING if p not in (fill_and_copy, sorted_in_place, work_array)]


@pytest.mark.parametrize("program", FORWARD, ids=lambda p: p.__name__)
def test_a_program_that_writes_has_right_tangents(program):
    assert gradcheck(program, (leaf(*POINT),), check_forward_ad=True)


def test_saved_input_that_was_overwritten_is_reported_with_both_versions():
    x = leaf(1.0, 2.0)
    y = x * 1.0
    z = y * y
    y += 1.0
    with pytest.raises(RuntimeError, match=r"version 1; expected version 0"):
        z.sum().backward()


@pytest.mark.parametrize("operation", [np.hypot, np.power, np.logaddexp, np.fmax])
@pytest.mark.parametrize("changed", ["first", "second", "result"])
def test_each_of_three_saved_values_tells_that_it_was_written(operation, changed):
    values = {"first": leaf(1.0, 2.0) * 1.0, "second": leaf(3.0, 4.0) * 1.0}
    values["result"] = operation(values["first"], values["second"])
    total = values["result"].sum()
    values[changed] *= 2.0
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        total.backward()


def test_a_view_tells_on_its_base():
    x = leaf(1.0, 2.0)
    y = x * 1.0
    z = np.exp(y)
    z[0:1].fill(3.0)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        z.sum().backward()


def test_data_changes_go_unseen():
    x = leaf(1.0, 2.0)
    y = x * 1.0
    z = y * y
    y.data.fill_(5.0)
    z.sum().backward()
    assert x.grad.tolist() == [10.0, 10.0]


def test_increment_version_reports_a_foreign_change():
    x = leaf(1.0)
    y = np.exp(x)
    y._array[0] = 7.0
    graph.increment_version(y)
    with pytest.raises(RuntimeError, match="modified"):
        y.backward()


def test_mutation_may_be_allowed_for_every_kind_of_node():
    x = leaf(*POINT)
    with graph.allow_mutation_on_saved_tensors():
        y = x.clone()
        a, b = y * y, np.exp(y)
        c = (a * b).sum()
        y.mul_(0.0)
        a.zero_()
        b[0] = 3.0
        (found,) = autograd.grad(c, x)
    expected = numerical_gradient(lambda v: (v * v * np.exp(v)).sum(), (POINT,), 0)
    np.testing.assert_allclose(found.numpy(), expected, rtol=1e-6)


def slope_after_the_write(x):
    with graph.allow_mutation_on_saved_tensors():
        y = x.clone()
        c = (y * y * x).sum()
        y.mul_(0.0)
        (slope,) = autograd.grad(c, x, create_graph=True)
        return slope.sum(), autograd.grad(slope.sum(), x)[0]


def test_a_product_of_a_value_with_itself_that_is_overwritten_is_differentiated_twice():
    _, found = slope_after_the_write(leaf(*POINT))
    expected = numerical_gradient(lambda v: slope_after_the_write(leaf(*v))[0].item(), (POINT,), 0)
    np.testing.assert_allclose(found.numpy(), expected, rtol=1e-6)


@pytest.mark.parametrize(
    "write",
    [
        lambda plain, x: plain.__setitem__((0, 0), x[0]),
        lambda plain, x: np.exp(x, out=plain[0]),
        lambda plain, x: np.copyto(plain[0], x),
        lambda plain, x: np.add.at(plain, 0, x),
        np.fill_diagonal,
    ],
)
def test_a_plain_array_never_swallows_a_gradient(write):
    x = leaf(1.0, 2.0)
    plain = np.zeros((2, 2))
    with tape.strict_fallback(), pytest.raises((TypeError, ValueError)) as caught:
        write(plain, x)
    errors = caught.value, caught.value.__cause__
    assert any(getattr(error, "code", "") == "SG120" for error in errors)


def floored(x):
    y = x * 3.0
    v = y[1:]
    v //= 0.7
    y *= x
    return (y * y).sum()


def wrapped_around(x):
    y = x * 3.0
    z = y
    z %= 0.9 * x[0]
    return (y * x).sum()


@pytest.mark.parametrize("program", [floored, wrapped_around])
def test_floors_and_remainders_are_written_where_the_array_lies(program):
    x = np.array([0.35, 1.23, 2.41])
    y = tape.tensor(x.copy(), requires_grad=True)
    program(y).backward()
    np.testing.assert_allclose(y.grad, numerical_gradient(program, (x,), 0), rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("sign", ["//", "&", "|", "^", "<<", ">>"])
def test_operators_without_a_slope_write_in_place_too(sign):
    numbers = np.array([5, 12, 7])
    space = {"t": tape.tensor(numbers.copy()), "n": numbers.copy()}
    space |= {"other": space["t"][1:], "view": space["n"][1:]}
    exec(f"t {sign}= 2\nn {sign}= 2", space)
    np.testing.assert_array_equal(space["t"].numpy(), space["n"])
    np.testing.assert_array_equal(space["other"].numpy(), space["view"])


def test_what_is_added_at_places_is_rounded_as_numpy_rounds_it():
    for seed in range(50):
        x = np.random.default_rng(seed).normal(size=3).astype(np.float32)
        t = tape.tensor(x.copy(), requires_grad=True) * np.float32(1.0)
        np.add.at(t, [0, 0], np.float32(0.8))
        np.add.at(x, [0, 0], np.float32(0.8))
        np.testing.assert_array_equal(t._array, x)


class Closed(np.ndarray):
    """An array of a class of its own, which takes some functions of NumPy."""

    def __array_function__(self, func, types, args, kwargs):
        if func is np.may_share_memory:
            raise TypeError(f"no {func.__name__}")
        return super().__array_function__(func, types, args, kwargs)


def test_an_array_of_a_class_that_takes_some_functions_is_stored():
    x = leaf(1.0, 2.0)
    y = x * 2.0
    y[1:] = np.ones(1).view(Closed)
    (y * y).sum().backward()
    assert x.grad.tolist() == [8.0, 0.0]
