"""Tests derivatives that Numba compiles: they are those of the text for NumPy, or say why not."""

from __future__ import annotations

import pickle
import warnings
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pytest

import srcgrad as sg
from srcgrad.targets.loops.border import differs

pytest.importorskip("numba", reason="needs Numba")
pytestmark = pytest.mark.filterwarnings("ignore:Cannot cache compiled function")  # at NUMBA_OPT=0

RNG = np.random.default_rng(0)
V = RNG.normal(size=5)


def compiled(f, *args, **options):
    """Return what the compiled value and gradient give, after a comparison with NumPy's."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", sg.CompileWarning)
        derivative = sg.value_and_grad(f, backend="numba", fallback="error", **options)
        for _ in range(3):
            found = derivative(*args)
    expected = sg.value_and_grad(f, fallback="error", **options)(*args)
    assert not differs(found, expected)
    assert type(found[0]) is type(expected[0])
    return derivative


def lorenz(start, rate, steps):
    x, y, z = start[0], start[1], start[2]
    for _ in range(steps):
        dx, dy, dz = rate * (y - x), x * (28.0 - z) - y, x * y - 2.6 * z
        x, y, z = x + 0.01 * dx, y + 0.01 * dy, z + 0.01 * dz
    return x + y + z


def cube_root(a):
    x = a
    while abs(x**3 - a) > 1e-12:
        x = x - (x**3 - a) / (3 * x**2)
    return x


def cholesky(a):
    n = a.shape[0]
    low = np.zeros_like(a)
    for i in range(n):
        for j in range(i + 1):
            rest = a[i, j]
            for k in range(j):
                rest = rest - low[i, k] * low[j, k]
            low[i, j] = np.sqrt(rest) if i == j else rest / low[j, j]
    total = 0.0
    for i in range(n):
        total += np.log(low[i, i])
    return total


def first_above(x, limit):
    total = 0.0
    for i in range(len(x)):
        if x[i] > limit:
            break
        if x[i] < -limit:
            continue
        total += np.sin(x[i]) * x[i]
    return total


def of_a_helper(x):
    def bent(v):
        return np.tanh(v) * v if v > 0 else v * v

    total = 0.0
    for i in range(x.shape[0]):
        total += bent(x[i]) * bent(2.0 * x[i])
    return total


def test_loops_branches_and_helpers_are_compiled():
    compiled(lorenz, np.ones(3), 10.0, 30)
    compiled(cube_root, 2.5)
    matrix = RNG.normal(size=(6, 6))
    compiled(cholesky, matrix @ matrix.T + 6 * np.eye(6))
    compiled(first_above, V, 0.9)
    compiled(of_a_helper, V)


def layer(parameters, x):
    return np.sum(np.tanh(x @ parameters["w"] + parameters["b"]) ** 2)


def test_dicts_go_in_and_come_out():
    parameters = {"w": RNG.normal(size=(3, 2)), "b": RNG.normal(size=2)}
    derivative = compiled(layer, parameters, RNG.normal(size=(4, 3)))
    assert "parameters.w" in derivative.source
    assert "@jitted" in derivative.source


def scaled(x, weights=None, *, power=2):
    return np.sum(x**power) if weights is None else np.sum(weights * x**power)


def test_arguments_by_name_and_those_left_out():
    derivative = sg.grad(scaled, backend="numba", fallback="error")
    np.testing.assert_allclose(derivative(V, weights=V, power=3), 3 * V**3)


@dataclass
class Spring:
    rate: float
    rest: np.ndarray

    def pull(self, x):
        return self.rate * (x - self.rest)


@dataclass
class Chain:
    spring: Spring
    count: int


class Pair(NamedTuple):
    u: float
    v: np.ndarray


def of_a_chain(chain, x):
    total = 0.0
    for _ in range(chain.count):
        total += np.sum(chain.spring.pull(x) ** 2)
    return total


def of_a_pair(pair, x):
    return pair.u * np.sum(pair.v * x)


def handed_on(spring, x):
    return np.sum(spring.rate * x), spring


def test_objects_go_in_and_come_out():
    derivative = compiled(of_a_chain, Chain(Spring(2.0, V), 3), V**2)
    assert isinstance(derivative(Chain(Spring(1.0, V), 2), V)[1].spring, Spring)
    compiled(of_a_pair, Pair(2.0, V), V)
    spring = Spring(2.0, V)
    aux = sg.grad(handed_on, has_aux=True, backend="numba", fallback="tape")
    for _ in range(2):
        assert aux(spring, V)[1] is spring


class Settings:
    rate = 2.0
    spring = Spring(3.0, V)


def of_the_settings(x):
    return Settings.rate * x * x + Settings.spring.rate * x


def test_attributes_of_outside_are_read_anew():
    derivative = compiled(of_the_settings, 2.0)
    assert derivative(2.0)[1] == pytest.approx(11.0)
    Settings.rate = 5.0
    try:
        assert derivative(2.0)[1] == pytest.approx(23.0)
        assert "Settings_rate" in derivative.source
    finally:
        Settings.rate = 2.0


RATES = np.array([1.0, 2.0, 3.0, 4.0, 5.0])
STEP = 0.5


def of_data(x):
    total = 0.0
    for i in range(len(x)):
        total += STEP * RATES[i] * x[i] * x[i]
    return total


def test_data_of_outside_are_read_anew():
    derivative = compiled(of_data, V)
    RATES[0] = 10.0
    try:
        np.testing.assert_allclose(derivative(V)[1], 2 * STEP * RATES * V)
    finally:
        RATES[0] = 1.0


def with_integers(x, n):
    k = 1
    for i in range(n):
        k = k * (i + 1)
    return x / k + x * (n % 4) + x * 2**n


def test_integers_beyond_64_bits_are_left_to_python():
    derivative = compiled(with_integers, 1.5, 5)
    assert derivative(1.5, 90) == sg.value_and_grad(with_integers)(1.5, 90)


def divided(x, n):
    return x * (7 // n) + x * (7 % n)


def test_integers_are_not_divided_by_zero():
    derivative = compiled(divided, 1.5, 2)
    with pytest.raises(ZeroDivisionError):
        derivative(1.5, 0)


def picked(x, i):
    return x[i] * x[i] + x[0]


def test_an_index_out_of_bounds_raises_as_in_python():
    derivative = compiled(picked, V, 2)
    compiled(picked, V, -1)
    for place in (5, -6):
        with pytest.raises(IndexError, match="out of bounds") as caught:
            derivative(V, place)
        assert any("return x[i] * x[i]" in note for note in caught.value.__notes__)


def rooted(x):
    return np.sqrt(x[0]) + x[1] / x[2]


def test_what_is_not_finite_is_what_numpy_gives():
    derivative = compiled(rooted, np.array([1.0, 2.0, 3.0]))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        for bad in ([-1.0, 2.0, 3.0], [1.0, 2.0, 0.0], [np.nan, 1.0, 1.0]):
            found = derivative(np.array(bad))
            assert not differs(found, sg.value_and_grad(rooted)(np.array(bad)))


def norm(x):
    return np.sum(x * x) * 2.0


def norm_of_first(items):
    return np.sum(items[0] ** 2)


def test_layouts_and_views_are_kinds_of_their_own():
    matrix = RNG.normal(size=(4, 6))
    derivative = compiled(norm, matrix)
    for other in (matrix.T, matrix[:, ::2], matrix[::-1], np.asfortranarray(matrix)):
        assert not differs(derivative(other), sg.value_and_grad(norm)(other))


@pytest.mark.parametrize(
    ("argument", "why"),
    [
        (V.astype(np.float16), "float16"),
        (np.array(2.0), "without axes"),
        ([V, V, []], "empty list"),
    ],
)
def test_arguments_that_numba_takes_otherwise_are_refused_by_name(argument, why):
    f = norm_of_first if isinstance(argument, list) else norm
    derivative = sg.grad(f, backend="numba")
    with pytest.warns(sg.CompileWarning, match=rf"(?s)SG190.*{why}"):
        found = derivative(argument)
    assert not differs(found, sg.grad(f)(argument))
    with pytest.raises(sg.NotCompiledError, match=why):
        sg.grad(f, backend="numba", fallback="error")(argument)


def determinant(x):
    return np.linalg.det(np.kron(x, x)) * np.sum(np.fft.irfft(np.ones(3)))


def test_what_is_not_compiled_is_named_with_its_line_and_numpy_runs():
    x = RNG.normal(size=(2, 2))
    derivative = sg.value_and_grad(determinant, backend="numba")
    with pytest.warns(sg.CompileWarning, match=r"(?s)determinant.*is run by NumPy.*SG190"):
        found = derivative(x)
    assert not differs(found, sg.value_and_grad(determinant)(x))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        derivative(x)  # it is said once
        sg.value_and_grad(determinant, backend="numba", fallback="tape")(x)
    assert "@jitted" not in derivative.source


def drawn(x):
    return np.sum(x * np.random.default_rng(3).normal(size=5))


def test_random_numbers_are_left_to_numpy():
    with pytest.warns(sg.CompileWarning, match="random numbers"):
        found = sg.grad(drawn, backend="numba")(V)
    np.testing.assert_allclose(found, sg.grad(drawn)(V))


def test_the_gradient_survives_pickling_and_is_differentiated_again():
    derivative = pickle.loads(pickle.dumps(sg.grad(norm, backend="numba")))
    np.testing.assert_allclose(derivative(V), 4 * V)
    assert "@jitted" in derivative.source
    np.testing.assert_allclose(sg.jacobian(derivative)(V), 4 * np.eye(5))


def test_a_text_that_is_verified_is_compared_with_the_other_engine():
    compiled(norm, V, verify=True)


def decay(x, n):
    u = x.copy()
    for _ in range(n):
        u[1:-1] = u[1:-1] + 0.1 * (u[2:] - 2.0 * u[1:-1] + u[:-2]) * u[1:-1]
    return u


def energy(x, n):
    return np.sum(decay(x, n) ** 2)


def silently(derivative, *args):
    with warnings.catch_warnings():
        warnings.simplefilter("error", sg.CompileWarning)
        derivative(*args)
        return derivative(*args)


def types_in(value):
    if type(value) is dict:
        return {key: types_in(item) for key, item in value.items()}
    return tuple(map(types_in, value)) if type(value) is tuple else type(value)


def with_its_parts(x, n):
    return np.cos(x) * n, (np.sin(x), n, {"sin": np.sin(x), "n": n})


def test_numbers_beside_a_gradient_have_the_types_that_numpy_gives():
    for options in ({"has_aux": True}, {}):
        for derive in (sg.grad, sg.value_and_grad):
            f = with_its_parts if options else cube_root
            args = (0.5, 3) if options else (2.5,)
            found = silently(derive(f, backend="numba", **options), *args)
            expected = derive(f, fallback="error", **options)(*args)
            assert types_in(found) == types_in(expected)
            assert not differs(found, expected)


def test_tangents_and_products_with_hessians_are_compiled():
    given, along = (V, 4), (np.cos(V), None)
    for derive in (sg.jvp, sg.hvp):
        found = silently(lambda f=derive: f(energy, given, along, backend="numba"))
        assert not differs(found, derive(energy, given, along, fallback="error"))


def test_jacobians_and_hessians_are_compiled_column_by_column():
    for derive, f in [(sg.jacobian, decay), (sg.jacfwd, decay), (sg.hessian, energy)]:
        derivative = derive(f, backend="numba", fallback="error")
        found = silently(derivative, V, 4)
        assert not differs(found, derive(f, fallback="error")(V, 4))
        assert "@jitted" in derivative.source
        again = pickle.loads(pickle.dumps(derivative))
        np.testing.assert_array_equal(again(V, 4), found)


def test_pushforwards_show_what_ran():
    push = sg.pushforward(energy, backend="numba", fallback="error")
    value, tangent = silently(lambda: push(V, 4, x_dot=V))
    assert "@jitted" in push.source
    assert (value, tangent) == pytest.approx(sg.jvp(energy, (V, 4), (V, None)))


def test_what_is_not_compiled_of_a_tangent_is_named():
    def sorted_sum(x):
        return np.sum(np.linalg.eigvalsh(np.outer(x, x)))

    with pytest.warns(sg.CompileWarning, match="Numba does not compile"):
        value, _ = sg.jvp(sorted_sum, (V,), (V,), backend="numba")
    assert value == pytest.approx(V @ V)


def of_a_mask(x):
    y = x.copy()
    y[x > 0.0] = y[x > 0.0] ** 2
    rows = np.array([x, 2.0 * y])
    return np.sum(y * np.max(rows, axis=0)) + np.sum(np.diag(np.outer(x, y), 1))


def of_coefficients(x):
    value, slope = [x[0], x[1], x[2]], [0.0, 0.0]
    for k in range(1, 3):
        slope[k - 1] = k * value[k]
    return slope[0] * slope[1] + np.sum(np.array(value[1:]) ** 2)


def test_masks_ties_and_arrays_of_arrays_are_compiled():
    compiled(of_a_mask, V)
    compiled(of_coefficients, V)
    ties = sg.grad(lambda a: np.sum(np.max(a, axis=1)), backend="numba", fallback="error")
    np.testing.assert_allclose(ties(np.array([[2.0, 2.0], [1.0, 3.0]])), [[0.5, 0.5], [0.0, 1.0]])


CALLS = 0
SEEN = np.zeros(1)


def counted(x):
    global CALLS
    CALLS += 1
    return x * x * CALLS


def noted(x):
    SEEN[0] += 1.0
    return x * x * SEEN[0]


def test_what_is_written_outside_is_written_once_in_each_call():
    for f in (counted, noted):
        derivative = sg.grad(f, backend="numba", fallback="tape")
        for _ in range(3):
            derivative(2.0)
    assert (CALLS, SEEN[0]) == (3, 3.0)


def scaled_under_another_name(x):
    y = x * 1.0
    for part in [y, y]:
        part *= np.roll(y, -1)  # noqa: PLW2901 - it is written in place
    return np.sum(y**2)


def test_arrays_of_unknown_kind_are_scaled_in_place():
    compiled(scaled_under_another_name, V)
