"""The values that derivatives take where they do not exist: the table in docs/conventions.md."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.ndimage

import srcgrad as sg
from srcgrad.errors import MissingRuleError
from srcgrad.rules.kinks import KINKS
from tests.unit.rules.convention_lines import COMPLEX_LINES, LINES
from tests.unit.rules.lines import functions_of, gradients, slopes
from tests.unit.rules.opspec import Call, OpSpec

CONVENTIONS = Path(__file__).parents[3] / "docs" / "conventions.md"


def pull(fn: Any, *args: Any, grad: Any = None, active: Any = None, **kwargs: Any) -> list[Any]:
    """The gradients of the floating-point arguments of one call."""
    if active is None:
        active = [i for i, arg in enumerate(args) if np.asarray(arg).dtype.kind in "fc"]
    call = Call.of(OpSpec(fn, args, kwargs), list(args), kwargs, active)
    ones = 1.0 if isinstance(call.output, float) else np.ones_like(call.output)
    return call.backward((ones if grad is None else grad,))


def arr(*values: float) -> Any:
    return np.array(values)


def same(actual: Any, *expected: float) -> None:
    np.testing.assert_array_equal(np.asarray(actual).ravel(), expected)


def test_absolute_value_at_zero_has_the_gradient_zero() -> None:
    for fn in (np.abs, np.fabs):
        same(pull(fn, arr(-2.0, 0.0, 3.0))[0], -1, 0, 1)
    same(pull(abs, 0.0)[0], 0)
    same(pull(math.fabs, 0.0)[0], 0)
    same(pull(np.abs, np.array([0j]), grad=arr(1.0))[0], 0)


@pytest.mark.parametrize("fn", [np.maximum, np.minimum, np.fmax, np.fmin, max, min])
def test_equal_arguments_of_maximum_get_half_each(fn: Any) -> None:
    same(pull(fn, 2.0, 2.0), 0.5, 0.5)


def test_a_tie_with_a_constant_in_a_list_gives_each_number_its_share() -> None:
    def largest(x):
        return max([0.0, x[0], x[1]])

    def least(x):
        return min((x[0], 0.0, 0.0, x[1]))

    for function, share in ((largest, 1.0 / 3.0), (least, 0.25)):
        x = np.zeros(2)
        same(sg.grad(function, fallback="error")(x), share, share)
        assert sg.jvp(function, (x,), (np.array([1.0, 0.0]),))[1] == share


def test_ties_in_generators_and_lists_give_each_number_its_share() -> None:
    def of_generator(x):
        return max(v * v for v in x)

    def of_grown(x):
        squares = []
        for v in x:
            squares.append(v * v)  # noqa: PERF401
        return min(squares, default=0.0) + max(squares)

    def of_rows(x):  # of which Python takes the first that is the largest
        pairs = [(v * v, v) for v in x]
        return max(p for p in pairs)[1]

    for options in ({"fallback": "error"}, {"backend": "tape"}):
        x = np.array([1.0, -1.0, 0.5])
        same(sg.grad(of_generator, **options)(x), 1, -1, 0)
        same(sg.grad(of_grown, **options)(x), 1, -1, 1)
        same(sg.grad(of_rows, **options)(x), 1, 0, 0)
        assert sg.jvp(of_generator, (x,), (np.array([1.0, 0.5, 0.0]),), **options)[1] == 0.5


def test_where_one_argument_is_nan_the_other_gets_all_of_fmax() -> None:
    left, right = pull(np.fmax, arr(np.nan, 1.0), arr(1.0, np.nan))
    same(left, 0, 1)
    same(right, 1, 0)


@pytest.mark.parametrize("fn", [np.max, np.min, np.amax, np.nanmax, np.nanmin, np.maximum.reduce])
def test_ties_of_a_full_maximum_share_evenly(fn: Any) -> None:
    same(pull(fn, arr(3.0, 3.0, 3.0, 3.0))[0], 0.25, 0.25, 0.25, 0.25)
    same(pull(np.max, arr(1.0, 5.0, 5.0))[0], 0, 0.5, 0.5)


def test_the_bounds_of_clip_belong_to_the_value() -> None:
    same(pull(np.clip, arr(0.0, 1.0, 2.0, 3.0), 1.0, 2.0, active=[0])[0], 0, 1, 1, 0)


def test_bounds_of_clip_get_the_gradient_of_what_they_replace() -> None:
    _, low, high = pull(np.clip, arr(0.0, 1.5, 3.0, 4.0), 1.0, 2.0)
    same([low, high], 1, 2)


@pytest.mark.parametrize("order", [None, 2, 1, 3, np.inf, -np.inf])
def test_the_norm_of_zero_has_the_gradient_zero(order: Any) -> None:
    same(pull(np.linalg.norm, np.zeros(3), order)[0], 0, 0, 0)


@pytest.mark.parametrize("order", [None, "fro", 2, "nuc", 1, np.inf])
def test_the_norm_of_a_matrix_of_zeros_has_the_gradient_zero(order: Any) -> None:
    same(pull(np.linalg.norm, np.zeros((3, 3)), order)[0], *[0] * 9)


def test_distances_of_zero_have_the_gradient_zero() -> None:
    same(pull(np.hypot, 0.0, 0.0), 0, 0)
    same(pull(math.hypot, 0.0, 0.0), 0, 0)


def test_the_standard_deviation_of_a_constant_has_the_gradient_zero() -> None:
    same(pull(np.std, np.full(3, 2.0))[0], 0, 0, 0)
    same(pull(np.nanstd, np.full(3, 2.0))[0], 0, 0, 0)


def test_the_exponent_zero_gives_zero_also_at_zero() -> None:
    same(pull(np.power, arr(0.0, 2.0), 0, active=[0])[0], 0, 0)
    same(pull(np.power, arr(0.0, 2.0), arr(0.0, 0.0), active=[0])[0], 0, 0)
    same(pull(np.power, 0.0, 0.0, active=[0])[0], 0)
    same(pull(np.power, arr(0.0), 0.0, active=[1], grad=arr(1.0))[0], 0)


def test_a_base_of_zero_gives_its_exponent_zero() -> None:
    same(pull(np.power, arr(0.0, 0.0), arr(0.5, 2.0), active=[1])[0], 0, 0)
    same(pull(np.power, 0.0, 2.0, active=[1])[0], 0)


def test_squares_at_zero_are_flat() -> None:
    same(pull(np.power, arr(0.0), 2, active=[0])[0], 0)
    same(pull(np.power, arr(0.0), 1, active=[0])[0], 1)


@pytest.mark.parametrize("fn", [np.prod, np.nanprod, np.multiply.reduce])
def test_products_are_exact_with_zeros(fn: Any) -> None:
    same(pull(fn, arr(0.0, 2.0, 3.0))[0], 6, 0, 0)
    same(pull(fn, arr(0.0, 2.0, 0.0))[0], 0, 0, 0)


def test_cumulative_products_are_exact_with_zeros() -> None:
    same(pull(np.cumprod, arr(2.0, 0.0, 3.0, 4.0))[0], 1, 2 + 6 + 24, 0, 0)
    same(pull(math.prod, [0.0, 2.0, 3.0], active=[0])[0], 6, 0, 0)


def test_determinants_are_exact_where_the_matrix_is_singular() -> None:
    matrix = np.array([[1.0, 2.0], [2.0, 4.0]])
    (grad,) = pull(np.linalg.det, matrix, grad=np.float64(1.0))
    np.testing.assert_allclose(grad, [[4, -2], [-2, 1]], atol=1e-12)


def test_sinc_is_flat_at_zero() -> None:
    same(pull(np.sinc, arr(0.0))[0], 0)
    tiny = pull(np.sinc, arr(1e-6))[0]
    np.testing.assert_allclose(tiny, -(math.pi**2) / 3 * 1e-6, rtol=1e-9)


def test_what_where_does_not_select_gets_exactly_nothing() -> None:
    condition = np.array([True, False])
    left, right = pull(np.where, condition, arr(1.0, 2.0), arr(3.0, 4.0), grad=arr(np.inf, np.nan))
    same(left, np.inf, 0)
    same(right, 0, np.nan)


def both_engines(program: Any, x: Any) -> list[Any]:
    """The gradients by source and on the tape."""
    tensor = sg.tensor(x, requires_grad=True)
    program(tensor).backward()
    return [sg.grad(program, fallback="error")(x), tensor.grad.numpy()]


ROOTS = arr(0.25, 0.0, 4.0)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_what_is_not_taken_gets_exactly_nothing() -> None:
    taking = [
        lambda x: np.sum(np.sqrt(x)[np.array([0, 2])]),
        lambda x: np.sum(np.sqrt(x)[x > 0]),
        lambda x: np.sum(np.take(np.sqrt(x), np.array([0, 2]))),
        lambda x: np.sum(np.compress(x > 0, np.sqrt(x))),
        lambda x: np.sum(np.extract(x > 0, np.sqrt(x))),
        lambda x: np.sum(np.choose(np.array([0, 1, 0]), [np.sqrt(x), 0 * x])),
        lambda x: np.sum(np.nan_to_num(np.log(x) * 0.0 + np.sqrt(x))),
        lambda x: np.sum(np.sqrt(x), where=x > 0),
    ]
    for program in taking:
        for grad in both_engines(program, ROOTS):
            same(grad, 1, 0, 0.25)
    for grad in both_engines(lambda x: np.max(np.sqrt(x)), ROOTS):
        same(grad, 0, 0, 0.25)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_what_is_overwritten_gets_exactly_nothing() -> None:
    def stored(x: Any) -> Any:
        y = np.sqrt(x)
        y[x == 0] = 0.0
        return np.sum(y)

    def put(x: Any) -> Any:
        y = np.sqrt(x)
        np.putmask(y, x == 0, 0.0)
        return np.sum(y)

    for program in (stored, put):
        same(sg.grad(program, fallback="error")(ROOTS), 1, 0, 0.25)


def test_the_first_of_equal_elements_gets_the_gradient_of_unique() -> None:
    same(pull(np.unique, arr(3.0, 1.0, 3.0), grad=arr(5.0, 7.0))[0], 7, 5, 0)


def test_the_remainder_holds_its_quotient_fixed() -> None:
    same(pull(np.remainder, arr(7.5), arr(2.0)), 1, -3)
    same(pull(np.remainder, arr(-7.5), arr(2.0)), 1, 4)
    same(pull(np.fmod, arr(-7.5), arr(2.0)), 1, 3)


def test_the_gradient_of_a_squared_modulus_is_twice_the_number() -> None:
    z = np.array([3 + 4j])
    (modulus,) = pull(np.abs, z, grad=2 * np.abs(z))
    np.testing.assert_allclose(modulus, 2 * z)


def test_the_gradient_of_a_product_is_the_conjugate_of_the_other_factor() -> None:
    grads = pull(np.multiply, np.array([1 + 2j]), np.array([3 - 1j]))
    np.testing.assert_array_equal(grads, [[3 + 1j], [1 - 2j]])


def test_conversions_to_integers_carry_nothing() -> None:
    same(pull(np.astype, arr(1.5, 2.5), np.int64, grad=arr(1.0, 1.0), active=[0])[0], 0, 0)
    same(pull(np.array, arr(1.5), dtype=int, grad=arr(1.0), active=[0])[0], 0)


def tape_gradient(loss: Any, a: Any) -> Any:
    leaf = sg.tensor(a, requires_grad=True)
    loss(leaf).backward()
    return leaf.grad.numpy()


@pytest.mark.parametrize("weights", [np.ones((3, 3)), np.arange(9.0).reshape(3, 3)])
def test_equal_eigenvalues_give_finite_gradients(weights: Any) -> None:
    def rebuilt(a: Any) -> Any:
        w, v = np.linalg.eigh(a)
        return np.sum((v * w) @ v.T * weights)

    def several(a: Any) -> Any:
        w, v = np.linalg.eigh(a)
        others = np.diag(np.diag(weights))
        return np.sum((v * w) @ v.T * (weights - others)) + np.sum((v * w**3) @ v.T * others)

    both = weights + weights.T
    for loss, a, slope in (
        (rebuilt, np.eye(3), 1),
        (rebuilt, 0 * np.eye(3), 1),
        (several, np.eye(3), 3),
    ):
        expected = np.tril(both, -1) + slope * np.diag(np.diag(weights))
        for found in (sg.grad(loss, fallback="error")(a), tape_gradient(loss, a)):
            np.testing.assert_allclose(found, expected, atol=1e-12)


def test_equal_singular_values_give_finite_gradients() -> None:
    weights = np.arange(12.0).reshape(4, 3)

    def rebuilt(a: Any) -> Any:
        u, s, vh = np.linalg.svd(a)
        return np.sum((u[:, :3] * s) @ vh * weights)  # the matrix itself

    for a in (np.eye(4, 3), np.zeros((4, 3))):
        for found in (sg.grad(rebuilt, fallback="error")(a), tape_gradient(rebuilt, a)):
            np.testing.assert_allclose(found, weights, atol=1e-12)


def test_only_the_triangle_that_is_read_has_a_gradient() -> None:
    matrix = np.array([[2.0, 99.0], [0.5, 3.0]])
    (grad,) = pull(np.linalg.cholesky, matrix)
    assert grad[0, 1] == 0
    assert grad[1, 0] != 0
    (grad,) = pull(np.linalg.eigvalsh, matrix, "U", grad=arr(1.0, 2.0), active=[0])
    assert grad[1, 0] == 0
    assert grad[0, 1] != 0


def test_a_gradient_that_equal_eigenvalues_do_not_tell_is_nan() -> None:
    call = Call.of(OpSpec(np.linalg.eigh, (), {}), [np.eye(2)], {}, [0])
    (grad,) = call.backward((arr(1.0, -2.0), np.ones((2, 2))))
    assert np.isnan(grad[1, 0])


def test_limits_that_gradients_of_factors_do_not_tell_are_told_by_directions() -> None:
    u, v = arr(1.0, 2.0, 3.0), arr(1.0, 0.0, 2.0)
    weights = np.arange(9.0).reshape(3, 3)

    def rebuilt(a: Any) -> Any:
        left, s, right = np.linalg.svd(a)
        return np.sum((left * s) @ right * weights)

    grad = sg.grad(rebuilt, fallback="error")(np.outer(u, v))
    np.testing.assert_allclose(grad, weights, atol=1e-12)

    def exponential(a: Any) -> Any:
        w, q = np.linalg.eigh(a)
        return np.sum((q * np.exp(w)) @ q.T * weights)

    mixing = np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
    step = 1e-5 * mixing
    expected = (exponential(np.eye(3) + step) - exponential(np.eye(3) - step)) / 2e-5
    np.testing.assert_allclose(sg.jvp(exponential, (np.eye(3),), (mixing,))[1], expected, rtol=1e-8)


@pytest.mark.parametrize(
    "loss",
    [
        lambda a: np.sum(np.linalg.eigh(a)[0] ** 2),
        lambda a: np.sum(np.linalg.eigvalsh(a) ** 2),
        lambda a: np.sum(np.linalg.svd(a)[1] ** 2),
        lambda a: np.linalg.norm(a) ** 2,
    ],
)
@pytest.mark.parametrize("a", [2 * np.eye(3), np.outer(arr(1.0, 2.0, 3.0), arr(1.0, 2.0, 3.0))])
def test_symmetric_losses_of_equal_values_have_their_gradient(loss: Any, a: Any) -> None:
    for grad in both_engines(loss, a):  # all of them are the sum of squares of the elements
        np.testing.assert_allclose(grad + grad.T, 4 * a, atol=1e-9)


@pytest.mark.parametrize(
    ("fn", "args"),
    [
        (np.pad, (np.ones(3), 1, "linear_ramp")),
        (np.linalg.qr, (np.ones((3, 2)), "raw")),
    ],
)
def test_what_has_no_rule_yet_is_refused_by_name(fn: Any, args: Any) -> None:
    call = Call.of(OpSpec(fn, (), {}), list(args), {}, [0])
    grads = tuple(
        np.ones_like(out) for out in (call.output if fn is np.linalg.qr else [call.output])
    )
    with pytest.raises(MissingRuleError, match=fn.__name__):
        call.backward(grads)


def by_torch(expression: str, x: Any) -> Any:
    torch = pytest.importorskip("torch")
    leaf = torch.tensor(x, requires_grad=True)
    eval(expression, {"torch": torch, "x": leaf}).sum().backward()
    return leaf.grad.numpy()


ALL_LINES = [(*line, np.float64) for lines in LINES.values() for line in lines]
ALL_LINES += [(*line, np.complex128) for line in COMPLEX_LINES]


@pytest.mark.parametrize(
    ("line", "theirs", "values", "dtype"), ALL_LINES, ids=lambda v: str(v)[:40]
)
def test_a_line_has_one_derivative_in_both_engines_and_modes(
    line: str, theirs: str | None, values: list[Any], dtype: Any
) -> None:
    x = np.array(values, dtype)
    found = gradients(line, x)
    expected = found["source"]
    assert found["tape"].shape == expected.shape == x.shape
    assert found["tape"].dtype == expected.dtype == x.dtype
    np.testing.assert_allclose(found["tape"], expected, rtol=1e-12, atol=1e-15)
    direction = np.linspace(1.0, 2.0, x.size).astype(dtype) * (1 if dtype is np.float64 else 1 - 2j)
    along = np.sum(np.real(np.conj(expected) * direction))
    for slope in slopes(line, x, direction).values():
        np.testing.assert_allclose(slope, along, rtol=1e-12, atol=1e-15)
    if theirs is not None:
        np.testing.assert_allclose(expected, by_torch(theirs, x), rtol=1e-9, atol=1e-12)


def test_every_row_of_the_table_has_lines() -> None:
    assert set(LINES) == {(kink.shown, kink.where) for kink in KINKS}


SINGLE = np.float32
KINDS = [
    *(np.ones(2), np.ones(2, SINGLE), np.ones(2, np.float16), np.ones((2, 0)), np.ones(2, "g")),
    *(np.float64(2), SINGLE(2), np.array(2.0), np.array(2.0, SINGLE), 2.0),
]


@pytest.mark.parametrize("x", KINDS, ids=lambda x: f"{type(x).__name__}{np.shape(x)}")
def test_a_gradient_has_the_type_and_shape_of_its_argument(x: Any) -> None:
    for grad in gradients("x * x", x).values():
        assert type(grad) is type(x)
        assert np.shape(grad) == np.shape(x)
        assert getattr(grad, "dtype", None) == getattr(x, "dtype", None)


def test_precision_is_that_of_the_argument_beside_wider_ones() -> None:
    for line in ("x * np.ones(2)", "x * np.arange(2)", "x[:, None] * np.ones((2, 3))", "x * 2.0"):
        for grad in gradients(line, np.ones(2, SINGLE)).values():
            assert grad.dtype == SINGLE


def test_whole_python_numbers_are_differentiated_but_not_integer_or_bool_arrays() -> None:
    for grad in gradients("x * x", 3).values():
        assert type(grad) is float
        assert grad == 6.0
    for refused in (np.arange(3), np.array([True]), np.int64(3), True):
        with pytest.raises(sg.IntegerInputError):
            gradients("x * x", refused)


def test_containers_give_containers_with_none_for_what_has_no_derivative() -> None:
    for grad in gradients("x[0] * x[1]", [2.0, 3.0, True, "text", None]).values():
        assert grad == [3.0, 2.0, None, None, None]
    for grad in gradients("x['a'] * x['b'][0]", {"a": 2, "b": (3.0,)}).values():
        assert grad == {"a": 3.0, "b": (2.0,)}


def test_equations_that_scipy_solves_wrongly_are_refused() -> None:
    linalg = pytest.importorskip("scipy.linalg")
    drawn = np.random.default_rng(1)
    a, real, imaginary = (drawn.normal(size=(3, 3)) * 0.3 for _ in range(3))
    q = real + 1j * imaginary
    solvers = {
        "sylvester": lambda a, q: np.sum(np.abs(linalg.solve_sylvester(a, a.T, q)) ** 2),
        "continuous": lambda a, q: np.sum(np.abs(linalg.solve_continuous_lyapunov(a, q)) ** 2),
        "steps": lambda a, q: np.sum(np.abs(linalg.solve_discrete_lyapunov(a, q, "bilinear")) ** 2),
    }
    for solver in solvers.values():
        for fallback in ("error", "tape"):
            with pytest.raises(sg.NotDifferentiableError, match=r"a \+ 0j"):
                sg.grad(solver, (0, 1), fallback=fallback)(a, q)
        sg.grad(solver)(a, real)

    def right(a: Any, q: Any) -> Any:
        return np.sum(np.abs(linalg.solve_discrete_lyapunov(a + 0j, q, "bilinear")) ** 2)

    step = 1e-6 * np.eye(3)
    slope = (right(a + step, q) - right(a - step, q)) / 2e-6
    assert np.trace(sg.grad(right)(a, q)) == pytest.approx(slope, rel=1e-6)


SECOND = [
    ("np.abs(x) ** 2", [0.0, 1.0], [[0.0, 0.0], [0.0, 2.0]]),
    ("np.maximum(x, 0.0) ** 2", [0.0, 1.0], [[0.5, 0.0], [0.0, 2.0]]),
    ("np.clip(x, 0.0, 1.0) ** 2", [0.0, 1.0], [[2.0, 0.0], [0.0, 2.0]]),
    ("np.max(x) ** 2", [1.0, 1.0], [[0.5, 0.5], [0.5, 0.5]]),
    ("np.linalg.norm(x) ** 2", [0.0, 0.0], [[0.0, 0.0], [0.0, 0.0]]),
    ("np.std(x)", [1.0, 1.0], [[0.0, 0.0], [0.0, 0.0]]),
    ("np.prod(x)", [0.0, 0.0], [[0.0, 1.0], [1.0, 0.0]]),
]


@pytest.mark.parametrize(("line", "values", "expected"), SECOND, ids=lambda v: str(v)[:30])
def test_second_derivatives_at_kinks_are_those_of_the_chosen_gradient(
    line: str, values: list[float], expected: Any
) -> None:
    f, x = functions_of(line)[0], np.array(values)
    np.testing.assert_allclose(sg.hessian(f)(x), expected, atol=1e-15)
    leaf = sg.tensor(x, requires_grad=True)
    (grad,) = sg.autograd.grad(f(leaf), leaf, create_graph=True)
    for row, wanted in zip(grad, expected, strict=True):
        (twice,) = sg.autograd.grad(row, leaf, retain_graph=True)
        np.testing.assert_allclose(twice.numpy(), wanted, atol=1e-15)


OF_THE_TABLE = {"test_every_row_of_the_table_has_lines"}


def test_the_number_of_weights_of_a_gaussian_filter_is_held() -> None:
    x, jump, h = np.arange(12.0).reshape(3, 4) ** 2, 0.875, 1e-5  # 4 * 0.875 + 0.5 is 4

    def free(sigma: Any) -> Any:
        return np.sum(scipy.ndimage.gaussian_filter(x, sigma) ** 2)

    def held(sigma: Any) -> Any:
        return np.sum(scipy.ndimage.gaussian_filter(x, sigma, radius=4) ** 2)

    slope = (held(jump + h) - held(jump - h)) / (2 * h)
    for derivative in (sg.grad(free), lambda sigma: sg.jvp(free, (sigma,), (1.0,))[1]):
        np.testing.assert_allclose(derivative(jump), slope, rtol=1e-7)


def test_every_convention_of_the_page_names_a_test_here() -> None:
    text = CONVENTIONS.read_text(encoding="utf-8")
    rows = [line for line in text.splitlines() if line.startswith("| ") and "test_" in line]
    named = {name for line in rows for name in line.split("`") if name.startswith("test_")}
    assert named <= set(globals())
    ours = {name for name in globals() if name.startswith("test_")} - OF_THE_TABLE
    untold = ours - named - {"test_every_convention_of_the_page_names_a_test_here"}
    assert not untold, f"conventions that the page does not tell: {sorted(untold)}"
