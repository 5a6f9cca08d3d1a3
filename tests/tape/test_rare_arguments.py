"""Tensors given what is seldom given: shapes, kinds, mappings, lists."""

import collections
import math
import types

import numpy as np
import pytest

import srcgrad
from srcgrad import autograd, tape
from srcgrad.autograd import Function, profiler
from srcgrad.errors import MissingRuleError
from srcgrad.tape import calls, functions
from tests.differences import assert_same


def leaf(*data, dtype=float):
    return tape.tensor(np.array(data, dtype=dtype), requires_grad=True)


# -- methods ---------------------------------------------------------------------------------------


def test_a_tensor_goes_to_another_type_or_stays_itself():
    x = leaf(1.0, 2.0)
    assert x.to("cpu") is x
    assert x.to(float) is x
    copied = x.to(np.float64, copy=True)
    assert copied is not x
    assert copied.tolist() == x.tolist()
    half = x.to("float32")
    assert half.dtype == np.float32
    assert x.to(half).dtype == np.float32
    assert x.to(np.dtype(np.float16)).dtype == np.float16
    assert autograd.grad(half.sum() + copied.sum(), x)[0].tolist() == [2.0, 2.0]


def test_memory_is_seen_in_other_shapes_or_copied():
    x = tape.tensor(np.arange(6.0).reshape(2, 3), requires_grad=True)
    turned = x.t()
    with pytest.raises(RuntimeError, match="view size is not compatible"):
        turned.view(6)
    assert x.view(3, 2).tolist() == [[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]]
    assert x.view().shape == (2, 3)
    with pytest.raises(MissingRuleError, match="another dtype"):
        x.view(np.int64)
    assert x.contiguous() is x
    dense = turned.contiguous()
    assert dense.numpy(force=True).flags.c_contiguous
    assert dense.tolist() == turned.tolist()
    assert x.tile(2, 1).shape == (4, 3)
    assert x.tile((1, 2)).tolist() == np.tile(np.arange(6.0).reshape(2, 3), (1, 2)).tolist()
    weights = np.arange(24.0).reshape(4, 6)
    (found,) = autograd.grad((x.tile(2, 2) * weights).sum() + dense.sum(), x)
    assert_same(found.numpy(), weights.reshape(2, 2, 2, 3).sum((0, 2)) + 1.0)


def test_axes_may_be_given_in_a_list():
    x = leaf(*np.arange(8.0)).reshape(2, 2, 2)
    assert calls.axis_of([0, 2]) == (0, 2)
    assert calls.axis_of((0, 2)) == (0, 2)
    assert calls.axis_of(1) == 1
    wanted = np.arange(8.0).reshape(2, 2, 2)
    assert functions.sum(x, dim=[0, 2]).tolist() == wanted.sum((0, 2)).tolist()
    assert functions.mean(x, dim=[0, 2], keepdim=True).shape == (1, 2, 1)


def test_values_are_told_to_be_tensors():
    assert tape.is_tensor(leaf(1.0))
    assert not tape.is_tensor(np.ones(2))


def test_one_element_is_an_index_and_has_no_length():
    x = leaf(2.0)
    with pytest.raises(TypeError, match=r"unsized|0-d"):
        len(x[0])
    assert f"{x * 1.0}".startswith("tensor([2.], grad_fn=")
    assert hash(x) == id(x)


# -- what passes are given -------------------------------------------------------------------------


def test_inputs_may_be_a_dict_and_no_other_mapping():
    x, y = leaf(2.0), leaf(3.0)
    found = autograd.grad(x * y, {"x": x, "y": y})
    assert {key: value.tolist() for key, value in found.items()} == {"x": [3.0], "y": [2.0]}
    for mapping in (types.MappingProxyType({"x": x}), collections.ChainMap({"x": x})):
        with pytest.raises(TypeError, match="must be a dict, not"):
            autograd.grad(x * y, mapping)
    for nothing in ({}, ()):
        with pytest.raises(RuntimeError, match="cannot be empty"):
            autograd.grad(x * y, nothing)


@pytest.mark.filterwarnings("ignore:Using backward:UserWarning")
@pytest.mark.parametrize("create", [False, True])
def test_several_outputs_may_come_with_and_without_vectors(create):
    x = leaf(2.0, 3.0)
    outputs, vectors = ((x * x).sum(), x * 2.0), (None, tape.tensor([1.0, 10.0]))
    found = autograd.grad(outputs, x, vectors, create_graph=create, retain_graph=True)
    assert found[0].tolist() == [6.0, 26.0]
    autograd.backward(outputs, vectors, create_graph=create)
    assert x.grad.tolist() == [6.0, 26.0]
    constant = tape.tensor([1.0])
    with pytest.raises(RuntimeError, match="element 1 of tensors does not require grad"):
        autograd.backward(((x * x).sum(), constant))


def test_parts_that_come_late_and_none_are_summed():
    class Nothing(Function):
        @staticmethod
        def forward(ctx, a, b):
            return a * 1.0

        @staticmethod
        def backward(ctx, grad):
            return grad, None

    x = leaf(2.0)
    y = x * 3.0
    (found,) = autograd.grad(Nothing.apply(y, y), x)
    assert found.tolist() == [3.0]


def test_a_gradient_of_any_type_keeps_its_own():
    for data in (np.ones((2, 3)), np.asfortranarray(np.ones((2, 3)))):
        x = tape.from_numpy(data.copy("K")).requires_grad_()
        x.grad_dtype = None
        (x.to(np.float32) * 2.0).sum().backward()
        assert x.grad.numpy().flags.c_contiguous is data.flags.c_contiguous
        assert x.grad.tolist() == [[2.0] * 3] * 2


# -- tangents --------------------------------------------------------------------------------------


class Doubled(Function):
    @staticmethod
    def forward(ctx, x, y):
        return x * 2.0, y[1:]

    @staticmethod
    def backward(ctx, grad, _):
        return grad * 2.0, None

    @staticmethod
    def jvp(ctx, dx, dy):
        return dx * 2.0, dy[1:]


def test_a_users_function_pushes_tangents_if_there_are_any():
    x, y = tape.tensor([1.0, 2.0]), tape.tensor([3.0, 4.0])
    with autograd.forward_ad.dual_level():
        plain, part = Doubled.apply(x, y)
        assert autograd.forward_ad.unpack_dual(plain).tangent is None
        assert autograd.forward_ad.unpack_dual(part).tangent is None
        dual = autograd.forward_ad.make_dual(x, tape.tensor([1.0, 10.0]))
        first, second = Doubled.apply(dual, y)
        assert autograd.forward_ad.unpack_dual(first).tangent.tolist() == [2.0, 20.0]
        assert autograd.forward_ad.unpack_dual(second).tangent.tolist() == [0.0]


def test_a_tangent_through_mixed_kinds_is_transposed():
    a = np.array([[2.0, 0.3], [0.2, 1.5]], np.float32)
    b, db = np.array([1.0, -2.0]), np.array([0.5, 2.0])
    da = np.array([[1.0, 0.0], [0.5, -1.0]], np.float32)

    def made(m, v):
        return np.convolve(np.linalg.solve(m, v) * np.interp(v, [-3.0, 3.0], [0.0, 2.0]), v)

    with autograd.forward_ad.dual_level():
        one = autograd.forward_ad.make_dual(tape.tensor(a), tape.tensor(da))
        other = autograd.forward_ad.make_dual(tape.tensor(b), tape.tensor(db))
        found = autograd.forward_ad.unpack_dual(made(one, other)).tangent
    wide, step = a.astype(float), 1e-6
    high, low = (made(wide + h * da, b + h * db) for h in (step, -step))
    np.testing.assert_allclose(found.numpy(), (high - low) / (2 * step), rtol=1e-5)


# -- profiles --------------------------------------------------------------------------------------


def test_a_profile_keeps_the_shapes_of_arguments():
    x = leaf(1.0, 2.0)
    with profiler.profile(record_shapes=True) as made:
        np.concatenate([x, np.ones(3)])
        np.multiply(x, np.ones((4, 2)))
        np.power(x, 2)
    shapes = {event.name: event.input_shapes for event in made.function_events}
    assert shapes["numpy.concatenate"] == [[[2], [3]]]
    assert shapes["numpy.multiply"] == [[2], [4, 2]]
    assert shapes["numpy.power"] == [[2], []]


Pair = collections.namedtuple("Pair", "a b")


@pytest.mark.parametrize(
    "function",
    [
        lambda x: math.dist(Pair(x[0], x[1]), Pair(x[2], 0.0)),
        lambda x: math.prod(Pair(x[0] ** 2, x[1] ** 3)),
        lambda x: np.prod(np.stack(Pair(x * x, x**3))),
        lambda x: np.linalg.multi_dot(Pair(np.outer(x, x), np.outer(x**2, x)))[0, 1],
    ],
)
def test_tuples_with_names_have_second_derivatives(function):
    x, v, step = np.array([0.7, 1.3, 0.4]), np.array([1.0, 0.5, -0.3]), 1e-6
    slope = srcgrad.grad(function, backend="tape")
    by_differences = (slope(x + step * v) - slope(x - step * v)) / (2 * step)
    found = srcgrad.hvp(function, (x,), (v,), backend="tape")
    np.testing.assert_allclose(found, by_differences, rtol=1e-6, atol=1e-7)
