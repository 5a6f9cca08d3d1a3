"""NumPy's protocols: every way in which NumPy meets a tensor records or refuses."""

import numpy as np
import pytest

from srcgrad import autograd, tape
from srcgrad.errors import MissingRuleError, NotDifferentiableError
from tests.differences import numerical_gradient

POINT = np.array([0.4, 1.2, 2.0])
MATRIX = np.array([[2.0, 0.3, 0.1], [0.2, 1.5, 0.4], [0.0, 0.1, 1.0]])


def product_and_sum(a, b, c):
    return a * b + c


CALLS = {
    "ufunc of array and tensor": lambda x: np.multiply(POINT, x),
    "array on the left": lambda x: POINT * x + POINT - x / POINT + POINT @ x,
    "scalar on the left": lambda x: np.float64(2.0) * x + np.float32(1.0) - x,
    "matrix on the left": lambda x: MATRIX @ x,
    "reflected power": lambda x: 2.0**x,
    "remainder": lambda x: x % 0.7 + 5.0 % x,
    "list operand": lambda x: x * [1.0, 2.0, 3.0],
    "concatenate": lambda x: np.concatenate([x, POINT, x * 2.0]),
    "stack of rows": lambda x: np.stack([x, x * x], axis=1),
    "where": lambda x: np.where(x > 1.0, x * x, 3.0 * x),
    "einsum": lambda x: np.einsum("i,ij->j", x, MATRIX),
    "einsum of two": lambda x: np.einsum("i,i", x, x),
    "reduce": lambda x: np.add.reduce(x * x) + np.multiply.reduce(x) + np.maximum.reduce(x),
    "accumulate": lambda x: np.add.accumulate(x) * np.multiply.accumulate(x),
    "outer": lambda x: np.add.outer(x, x * x) * np.multiply.outer(x, POINT),
    "key words": lambda x: np.sum(a=np.outer(x, x), axis=0, keepdims=True),
    "dtype": lambda x: np.exp(x, dtype=np.float64),
    "out": lambda x: np.exp(x, out=np.zeros_like(x)) * 2.0,
    "where and out": lambda x: np.exp(x, out=x * 2.0, where=POINT > 1.0),
    "methods": lambda x: (
        x.reshape(3, 1).sum(axis=1).cumsum() * x.mean() + x.std() + x.ptp()
        if hasattr(x, "ptp")
        else np.cumsum(x) * x.mean() + x.std() + np.ptp(x)
    ),
    "attributes": lambda x: (np.outer(x, x).T.real * x.size)[0],
    "linalg": lambda x: np.linalg.solve(MATRIX, x) * np.linalg.norm(x),
    "index by array": lambda x: x[np.array([0, 0, 2])] * x[[True, False, True]].sum(),
    "new axis": lambda x: x[:, None] * x[None],
    "iteration": lambda x: sum(xi * xi for xi in x),
    "unpacking": lambda x: product_and_sum(*x),
    "divmod": lambda x: np.modf(x * 1.3)[0],
    "fft": lambda x: np.abs(np.fft.fft(x)) ** 2,
    "sort": lambda x: np.sort(x)[::-1] * POINT,
    "pad": lambda x: np.pad(x, 1) * np.arange(5.0),
    "abs, sign, positive": lambda x: abs(-x) + (+x),
}


@pytest.mark.parametrize("name", CALLS)
def test_a_call_has_the_value_and_the_gradient_of_the_plain_program(name):
    call = CALLS[name]

    def total(x):
        y = call(x)
        weights = np.cos(np.arange(np.size(y) if isinstance(y, np.ndarray) else y.size) + 1.0)
        return (y.reshape(-1) * weights).sum()

    x = tape.tensor(POINT, requires_grad=True)
    np.testing.assert_allclose(call(x).detach().numpy(), np.asarray(call(POINT)))
    (found,) = autograd.grad(total(x), x)
    expected = numerical_gradient(total, (POINT,), 0)
    np.testing.assert_allclose(found.numpy(), expected, rtol=1e-5, atol=1e-7)
    assert autograd.gradgradcheck(total, (x,), check_undefined_grad=False, atol=1e-4)


def test_a_tensor_inside_a_list_of_an_array_refuses():
    x = tape.tensor(POINT, requires_grad=True)
    with pytest.raises((RuntimeError, ValueError)):
        np.array([x, x])


def test_asarray_refuses_unless_nothing_is_lost():
    x = tape.tensor(POINT, requires_grad=True)
    with pytest.raises(RuntimeError, match="detach"):
        np.asarray(x)
    assert np.asarray(x.detach()) is not None
    assert np.array(x.detach()) is not x.detach().numpy()


def test_a_result_that_requires_grad_does_not_go_into_a_plain_out():
    x = tape.tensor(POINT, requires_grad=True)
    with pytest.raises(NotDifferentiableError, match="out="):
        np.exp(x, out=np.zeros(3))
    with pytest.raises(NotDifferentiableError, match="out="):
        np.sum(x, out=np.zeros(()))


def test_a_function_without_a_rule_names_itself():
    x = tape.tensor(POINT, requires_grad=True)
    with pytest.raises(MissingRuleError, match=r"numpy\..*histogram_bin_edges"):
        np.histogram_bin_edges(x)
    assert np.histogram_bin_edges(x.detach()).shape == (11,)


def test_an_argument_that_a_rule_does_not_know_is_named():
    x = tape.tensor(POINT, requires_grad=True)
    with pytest.raises(MissingRuleError, match="where"):
        np.exp(x, where=POINT > 1.0)


def test_functions_without_derivative_give_constants():
    x = tape.tensor(POINT, requires_grad=True)
    for y in (np.argmax(x), x > 1.0, np.floor(x), np.sign(x), np.zeros_like(x)):
        assert not y.requires_grad


def test_from_numpy_shares_memory_and_tensor_copies():
    array = np.ones(2)
    shared, copied = tape.from_numpy(array), tape.tensor(array)
    array[0] = 5.0
    assert shared.tolist() == [5.0, 1.0]
    assert copied.tolist() == [1.0, 1.0]


def test_a_detached_twin_is_told_from_its_tensor_in_second_derivatives():
    def f(x):
        return (x * x.detach() * x).sum()

    x = tape.tensor(POINT, requires_grad=True)
    (g,) = autograd.grad(f(x), x, create_graph=True)
    (h,) = autograd.grad(g.sum(), x)
    fixed = POINT.copy()
    slope = numerical_gradient(
        lambda v: numerical_gradient(lambda w: (w * fixed * w).sum(), (v,), 0).sum(), (POINT,), 0
    )
    np.testing.assert_allclose(h.numpy(), slope, rtol=1e-3)


COMPLEX = {
    "abs": np.abs,
    "square of abs": lambda z: np.abs(z) ** 2,
    "norm": np.linalg.norm,
    "norm of order 3": lambda z: np.linalg.norm(z, 3),
    "real times imag": lambda z: np.real(z) * np.imag(z),
    "angle": np.angle,
    "power": lambda z: z**3,
    "exp of quotient": lambda z: np.exp(z / (z * z + 1.0)),
    "real factor": lambda z: np.abs(z) * z,
    "fft": lambda z: np.abs(np.fft.fft(z)) * np.real(z),
}


@pytest.mark.parametrize("name", COMPLEX)
def test_a_function_of_complex_numbers_has_right_derivatives(name):
    z = tape.tensor([1 + 2j, 0.5 - 1j], requires_grad=True)
    assert autograd.gradcheck(COMPLEX[name], (z,), check_forward_ad=True)
    assert autograd.gradgradcheck(COMPLEX[name], (z,), check_undefined_grad=False)
