"""What a tensor says of itself: its gradient's type, its memory, its text, its modes."""

import copy
import math

import numpy as np
import pytest

from srcgrad import autograd, tape
from srcgrad.autograd import Function, profiler
from tests.differences import assert_same


def leaf(*data, dtype=float):
    return tape.tensor(np.array(data, dtype=dtype), requires_grad=True)


# -- the type of the gradient ----------------------------------------------------------------------


def test_the_type_of_a_gradient_is_that_of_its_tensor_until_another_is_set():
    x = leaf(2.0, 3.0)
    assert x.grad_dtype == np.dtype(float)
    x.grad_dtype = np.float32
    assert x.grad_dtype == np.dtype(np.float32)
    (x * x).sum().backward()
    assert x.grad.dtype == np.float32
    with pytest.raises(RuntimeError, match="already a gradient with dtype 'float32'"):
        x.grad_dtype = float
    x.grad_dtype = np.float32
    x.grad_dtype = None
    assert x.grad_dtype is None
    x.grad = tape.tensor(np.ones(2, np.float16))
    assert x.grad.dtype == np.float16
    x.grad = None
    x.grad_dtype = float
    with pytest.raises(RuntimeError, match="grad_dtype 'float64'"):
        x.grad = tape.tensor(np.ones(2, np.float16))
    with pytest.raises(RuntimeError, match="only be set on leaf"):
        (x * 2.0).grad_dtype = None


@pytest.mark.filterwarnings("ignore:Using backward:UserWarning")
def test_a_recorded_gradient_has_the_type_that_was_set():
    x = leaf(2.0, 3.0)
    x.grad_dtype = np.float32
    (x**3).sum().backward(create_graph=True)
    assert x.grad.dtype == np.float32
    assert autograd.grad(x.grad.sum(), x)[0].tolist() == [12.0, 18.0]


def test_what_is_assigned_as_a_gradient_has_to_fit():
    x = leaf(2.0, 3.0)
    with pytest.raises(RuntimeError, match=r"size '\[3\]'"):
        x.grad = tape.tensor([1.0, 2.0, 3.0])
    with pytest.raises(TypeError, match="ndarray"):
        x.grad = np.ones(2)
    with pytest.raises(RuntimeError, match="its own grad"):
        x.grad = x


# -- memory ----------------------------------------------------------------------------------------


def test_data_may_be_put_in_the_place_of_the_memory():
    x = leaf(2.0, 3.0)
    x.data = new = tape.tensor([5.0])
    assert x.numpy(force=True) is new.numpy()
    assert autograd.grad(x * x, x)[0].tolist() == [10.0]
    with pytest.raises(TypeError, match="not ndarray"):
        x.data = np.ones(2)


def test_the_row_of_elements_has_the_methods_of_a_tensor():
    x = leaf(2.0, 3.0)
    row = (x * x).reshape(2, 1).flat
    assert row.sum().tolist() == 13.0
    assert autograd.grad(row.copy().sum() + row.base.sum(), x)[0].tolist() == [8.0, 12.0]
    with pytest.raises(AttributeError, match="flatiter"):
        _ = row.__wrapped__
    row = (x * x).flat
    assert autograd.grad(np.add(row, 1.0).sum() + np.sum(row), x)[0].tolist() == [8.0, 12.0]


# -- text and numbers ------------------------------------------------------------------------------


def test_a_tensor_says_its_type_and_where_it_comes_from():
    x = leaf(2.0, 3.5)
    assert repr(x) == "tensor([2. , 3.5], requires_grad=True)"
    assert str(x * 2.0) == f"tensor([4., 7.], grad_fn=<{(x * 2.0).grad_fn.name()}>)"
    assert repr(tape.tensor(np.array([1, 2], np.int8))) == "tensor([1, 2], dtype=int8)"
    half = tape.tensor(np.array(1.5, np.float32), requires_grad=True)
    assert repr(half) == "tensor(1.5, dtype=float32, requires_grad=True)"
    for plain in (np.array([True]), np.array([1]), np.array([1.0 + 2.0j])):
        assert "dtype" not in repr(tape.tensor(plain))


def test_a_tensor_of_one_element_is_rounded_as_a_number():
    for x in (tape.tensor(-2.5), leaf(2.7)):
        number = x.item()
        assert math.floor(x) == math.floor(number)
        assert math.ceil(x) == math.ceil(number)
        assert math.trunc(x) == math.trunc(number)
    assert round(leaf(2.337), 2).tolist() == [2.34]
    assert f"{tape.tensor(2.345):.1f}" == "2.3"


def test_an_element_on_the_left_of_an_operator_is_an_operand():
    x = tape.tensor([0.5, 1.5], requires_grad=True)
    matrix = np.array([[1.0, 2.0], [3.0, 4.0]])
    found = matrix.tolist() @ x
    assert_same(found.detach().numpy(), matrix @ [0.5, 1.5])
    assert autograd.grad(found.sum(), x)[0].tolist() == [4.0, 6.0]
    whole, rest = divmod(7.0, x)
    assert whole.tolist() == [14.0, 4.0]
    assert rest.tolist() == [0.0, 1.0]
    flags = tape.tensor([True, False])
    assert (True & flags).tolist() == [True, False]
    assert (False | flags).tolist() == [True, False]
    assert (True ^ flags).tolist() == [False, True]


@pytest.mark.parametrize("name", ["add", "sub", "mul", "truediv", "mod", "pow", "matmul", "divmod"])
def test_operators_leave_what_they_do_not_know_to_the_other_side(name):
    class Other:
        def answer(self, other):
            return "answered"

    setattr(Other, f"__{name}__", Other.answer)
    setattr(Other, f"__r{name}__", Other.answer)
    call = divmod if name == "divmod" else getattr(__import__("operator"), name)
    assert call(leaf(1.0), Other()) == "answered"
    assert call(Other(), leaf(1.0)) == "answered"
    with pytest.raises(TypeError, match="unsupported operand"):
        call(object(), leaf(1.0))


# -- modes -----------------------------------------------------------------------------------------


def test_a_tensor_of_inference_mode_stays_one():
    with autograd.inference_mode():
        x = tape.tensor([1.0, 2.0])
        copied = tape.Tensor(x)
        part = x[1:]
        inside = tape.tensor([1.0], requires_grad=True)
    assert x.is_inference()
    assert copied.is_inference()
    assert x[1:].is_inference()
    assert part.is_inference()
    assert not tape.Tensor([1.0]).is_inference()
    assert inside.requires_grad
    with pytest.raises(RuntimeError, match="outside InferenceMode"):
        x.requires_grad_()
    x.requires_grad_(False)
    with pytest.raises(RuntimeError, match="do not track version"):
        _ = x._version


@pytest.mark.parametrize(
    "call",
    [np.sin, np.exp, np.cumsum, np.log, np.prod, lambda x: x * leaf(1.0, 1.0)],
)
def test_a_tensor_of_inference_mode_is_not_saved(call):
    with autograd.inference_mode():
        x = tape.tensor([1.0, 2.0], requires_grad=True)
    saves = call not in (np.exp, np.cumsum)  # these read their result, or nothing
    if saves:
        with pytest.raises(RuntimeError, match="cannot be saved for backward"):
            call(x)
    else:
        y = call(x)
        assert autograd.grad(y.sum(), x)[0].tolist() == (
            np.exp([1.0, 2.0]).tolist() if call is np.exp else [2.0, 1.0]
        )


def test_a_users_function_saves_tensors_of_inference_mode_only_there():
    class Square(Function):
        @staticmethod
        def forward(ctx, x, held):
            ctx.save_for_backward(x, held)
            return x * x

        @staticmethod
        def backward(ctx, grad):
            return grad * 2.0 * ctx.saved_tensors[0], None

    with autograd.inference_mode():
        held = tape.tensor([1.0])
        Square.apply(leaf(2.0), held)
    x = leaf(2.0)
    assert autograd.grad(Square.apply(x, tape.tensor([1.0])), x)[0].tolist() == [4.0]
    with pytest.raises(RuntimeError, match="cannot be saved for backward"):
        Square.apply(x, held)


def test_a_saved_output_that_was_changed_says_which_it_was():
    class Pair(Function):
        @staticmethod
        def forward(ctx, x):
            one, other = x * 2.0, x * 3.0
            ctx.save_for_backward(x, other)
            return one, other

        @staticmethod
        def backward(ctx, one, other):
            return 2.0 * one + 3.0 * other + 0.0 * ctx.saved_tensors[1]

    x = leaf(2.0)
    one, other = Pair.apply(x)
    assert autograd.grad(one + other, x, retain_graph=True)[0].tolist() == [5.0]
    other.detach().mul_(2.0)
    with pytest.raises(RuntimeError, match="output 1 of Pair"):
        autograd.grad(one + other, x)
    given = x * 1.0
    one, other = Pair.apply(given)
    given.detach().mul_(2.0)
    with pytest.raises(RuntimeError, match="output 0 of Mul"):
        autograd.grad(one + other, x)
    alone = leaf(2.0)
    one, other = Pair.apply(alone)
    alone.detach().mul_(2.0)
    with pytest.raises(RuntimeError, match=r"\[Float64Tensor \[1\]\] is at version 1"):
        autograd.grad(one + other, alone)


def test_a_detached_tensor_keeps_its_tangent():
    with autograd.forward_ad.dual_level():
        x = autograd.forward_ad.make_dual(leaf(2.0), tape.tensor([3.0]))
        assert autograd.forward_ad.unpack_dual(x.detach()).tangent.tolist() == [3.0]
        assert copy.copy(tape.tensor([1.0])).tolist() == [1.0]


@pytest.mark.parametrize(
    ("a", "b"), [(complex, float), (float, complex), (np.float32, float), (complex, complex)]
)
@pytest.mark.parametrize("call", [np.add, np.multiply, np.vdot, np.where, np.real, np.abs])
def test_a_tangent_has_the_type_of_its_value(a, b, call):
    x, y, dx, dy = (np.array(v) for v in ([0.5, 1.5], [2.0, -3.0], [1.0, 2.0], [-2.0, 0.25]))
    if a is complex:
        x, dx = x + 0.5j, dx - 1.5j
    if b is complex:
        y, dy = y - 0.25j, dy + 2.0j
    x, dx, y, dy = x.astype(a), dx.astype(a), y.astype(b), dy.astype(b)
    if call is np.where:
        made = lambda x, y: np.where([True, False], x, y)  # noqa: E731
    else:
        made = call if call not in (np.real, np.abs) else lambda x, y: call(x) * 1.0
    with autograd.forward_ad.dual_level():
        one = autograd.forward_ad.make_dual(tape.tensor(x), tape.tensor(dx))
        other = autograd.forward_ad.make_dual(tape.tensor(y), tape.tensor(dy))
        value, tangent = autograd.forward_ad.unpack_dual(made(one, other))
    step = 1e-6 if x.dtype.itemsize > 4 else 1e-2
    high, low = (made(x + h * dx, y + h * dy) for h in (step, -step))
    assert tangent.dtype == value.dtype
    tolerance = 1e-7 if x.dtype.itemsize > 4 else 1e-4
    np.testing.assert_allclose(tangent.numpy(), (high - low) / (2 * step), tolerance, tolerance)


# -- what a profile counts -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "operations"),
    [
        (lambda x: np.outer(x, x[:2]), 6),
        (lambda x: np.convolve(x, x[:2]), 12),
        (lambda x: np.correlate(x, x[:2]), 12),
        (lambda x: np.inner(x, x), 6),
        (lambda x: np.dot(x, x), 6),
        (lambda x: np.dot(x[0], x[1]), 1),
        (lambda x: np.dot(np.outer(x, x), x), 18 + 9),
        (lambda x: np.matmul(x, x), 6),
        (lambda x: np.matmul(np.ones((2, 3)), x), 12),
        (lambda x: np.matmul(x, np.ones((5, 3, 2))), 60),
        (lambda x: x + 1.0, 3),
    ],
)
def test_a_profile_counts_multiplications_and_additions(call, operations):
    x = leaf(1.0, 2.0, 3.0)
    with profiler.profile(with_flops=True) as made:
        call(x)
    assert sum(event.flops or 0 for event in made.function_events) == operations
