"""Tests sparse Jacobians and Hessians against dense ones."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import srcgrad as sg
from srcgrad.api.sparsity import Pattern, detect
from tests.unit.api.trees import children, is_float

sparse = pytest.importorskip("scipy.sparse")
linalg = pytest.importorskip("scipy.linalg")
pytestmark = pytest.mark.filterwarnings("error")

EVERY = [sg.jacfwd, sg.jacrev, sg.jacobian]
VECTOR = np.random.default_rng(0).normal(size=23)


def waves(x):
    return np.sin(x[1:] * x[:-1])


def rosenbrock(x):
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


def arrow(x):
    return x[0] * np.sum(np.sin(x)) + np.sum(x**3)


def five_points(u):
    inside = 4.0 * u[1:-1, 1:-1] - u[:-2, 1:-1] - u[2:, 1:-1] - u[1:-1, :-2] - u[1:-1, 2:]
    return inside + np.exp(u[1:-1, 1:-1])


def gaps(x):
    y = np.zeros(8)
    y[1] = x[3] * x[5]
    y[6] = np.tanh(x[3])
    return y


def gathered(x, links):
    return np.bincount(links[:, 0], weights=np.sin(x[links[:, 1]]), minlength=9) ** 2


def energy(x, links):
    return np.sum(np.cos(x[links[:, 0]] - x[links[:, 1]])) + np.sum(x**4)


def forked(x):
    if x[0] > 0:
        return x * x
    return x * x[::-1]


def np_size(x):
    return np.arange(x.size)


def through(matrix, x):
    return np.tanh(matrix @ x)


def assert_same(found, dense, tolerance=1e-12):
    assert isinstance(found, sparse.csr_array)
    dense = np.asarray(dense)
    assert found.shape[0] * found.shape[1] == dense.size
    assert found.dtype == dense.dtype
    np.testing.assert_allclose(found.toarray(), dense.reshape(found.shape), tolerance, tolerance)


def runs_of(function):
    """Return how many seeds a sparse Jacobian takes, without that of the check."""
    (compression,) = function._sparse._compressed.values()
    return compression.count


@pytest.mark.parametrize("make", EVERY)
@pytest.mark.parametrize("f", [waves, gaps, rosenbrock, np.tanh], ids=lambda f: f.__name__)
def test_a_sparse_jacobian_is_the_dense_one(make, f):
    def function(x):
        return f(x)

    assert_same(make(function, sparsity="detect")(VECTOR), make(function)(VECTOR))


@pytest.mark.parametrize("make", EVERY)
def test_arrays_of_several_axes_are_laid_out_in_rows(make):
    u = VECTOR[:20].reshape(4, 5)
    found = make(five_points, sparsity="detect")
    assert_same(found(u), make(five_points)(u))
    assert found(u).nnz == 5 * 6


@pytest.mark.parametrize("make", EVERY)
@pytest.mark.parametrize("seed", range(1, 5))
def test_random_patterns_are_found(make, seed):
    rng = np.random.default_rng(seed)
    links = rng.integers(0, 9, size=(7 * seed, 2))
    x = rng.normal(size=9)
    found = make(gathered, sparsity="detect")(x, links)
    assert_same(found, make(gathered)(x, links))
    assert found.nnz == len(np.unique(links, axis=0))


@pytest.mark.parametrize("seed", range(4))
def test_random_hessians_are_the_dense_ones(seed):
    rng = np.random.default_rng(seed)
    links, x = rng.integers(0, 12, size=(4 * seed, 2)), rng.normal(size=12)
    dense = sg.hessian(energy)(x, links)
    found = sg.hessian(energy, sparsity="detect")(x, links)
    assert_same(found, dense)
    given = np.zeros((12, 12), bool)
    given[links[:, 0], links[:, 1]] = True  # one half is enough
    assert_same(sg.hessian(energy, sparsity=given | np.eye(12, dtype=bool))(x, links), dense)


@pytest.mark.parametrize("f", [rosenbrock, arrow], ids=lambda f: f.__name__)
def test_a_hessian_takes_few_seeds(f):
    hessian = sg.hessian(f, sparsity="detect")
    assert_same(hessian(VECTOR), sg.hessian(f)(VECTOR))
    assert runs_of(hessian) <= 3


def test_entries_that_are_zero_here_are_found():
    zero = np.zeros(23)
    assert sg.jacobian(waves, sparsity="detect")(zero).nnz == 44
    assert sg.hessian(rosenbrock, sparsity="detect")(zero).nnz == 67


def test_a_sparse_matrix_in_the_program_shows_its_entries():
    matrix = sparse.random_array((30, 40), density=0.05, rng=np.random.default_rng(1), format="csr")
    x = np.random.default_rng(2).normal(size=40)
    found = sg.jacobian(through, 1, sparsity="detect")(matrix, x)
    assert found.nnz == matrix.nnz
    assert_same(found, sg.jacobian(through, 1)(matrix, x))


@pytest.mark.parametrize(
    "kind", [sparse.csr_array, sparse.coo_matrix, np.asarray, np.ndarray.tolist]
)
@pytest.mark.parametrize("make", EVERY)
def test_a_pattern_may_be_given(make, kind):
    pattern = np.eye(22, 23, dtype=bool) | np.eye(22, 23, 1, dtype=bool)
    jacobian = make(waves, sparsity=kind(pattern))
    assert_same(jacobian(VECTOR), make(waves)(VECTOR))
    assert runs_of(jacobian) == 2


@pytest.mark.parametrize("make", EVERY)
def test_a_pattern_that_misses_an_entry_is_refused(make):
    with pytest.raises(sg.ArgumentError, match="misses an entry"):
        make(waves, sparsity=np.eye(22, 23))(VECTOR)
    with pytest.raises(sg.ArgumentError, match="misses an entry"):
        make(waves, sparsity=np.zeros((22, 23)))(VECTOR)
    with pytest.raises(sg.ArgumentError, match="misses an entry"):
        sg.hessian(rosenbrock, sparsity=np.eye(23))(VECTOR)


@pytest.mark.parametrize("make", EVERY)
def test_another_way_through_the_program_is_noticed(make):
    jacobian, there = make(forked, sparsity="detect"), VECTOR.copy()
    for first in (1.0, -1.0, 1.0, -1.0):
        there[0] = first
        assert_same(jacobian(there), make(forked)(there))
    assert jacobian(there).nnz == 2 * 23 - 1


@pytest.mark.parametrize("make", EVERY)
def test_other_shapes_get_another_pattern(make):
    jacobian = make(waves, sparsity="detect")
    for size in (5, 3, 23, 1, 2):
        assert_same(jacobian(VECTOR[:size]), make(waves)(VECTOR[:size]))
    assert jacobian(np.zeros(1)).shape == (0, 1)
    with pytest.raises(sg.ArgumentError, match=r"\(22, 23\).*\(4, 5\)"):
        make(waves, sparsity=np.ones((22, 23)))(VECTOR[:5])


@pytest.mark.parametrize("make", [*EVERY, sg.hessian])
def test_single_precision_stays(make):
    x = VECTOR.astype(np.float32)
    f = rosenbrock if make is sg.hessian else waves
    assert_same(make(f, sparsity="detect")(x), make(f)(x), 1e-5)


def test_a_number_and_an_empty_array_have_a_matrix_too():
    def parabola(x):
        return x * x

    assert_same(sg.jacobian(parabola, sparsity="detect")(3.0), np.array([[6.0]]))
    assert sg.jacobian(parabola, sparsity="detect")(np.zeros(0)).shape == (0, 0)
    assert sg.hessian(rosenbrock, sparsity="detect")(np.zeros(0)).shape == (0, 0)


def test_derivatives_that_are_not_finite_hide_nothing():
    def roots(x):
        return np.sqrt(x) + 0.0 * x[::-1]

    jacobian = sg.jacobian(roots, sparsity="detect")
    with np.errstate(all="ignore"):
        assert jacobian(np.zeros(4)).nnz == 16
    x = np.array([1.0, 4.0, 9.0, 16.0])
    assert_same(jacobian(x), sg.jacobian(roots)(x))
    assert jacobian(x).nnz == 8


def test_a_program_that_refuses_nan_has_a_full_pattern():
    matrix = np.diag(np.arange(1.0, 5.0))

    class Solve(sg.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return linalg.solve(matrix, x)

        @staticmethod
        def jvp(ctx, x_dot):
            return linalg.solve(matrix, x_dot)

    def solved(x):
        return Solve.apply(x * x)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sg.FallbackWarning)
        found = sg.jacfwd(solved, sparsity="detect")(VECTOR[:4])
        assert_same(found, sg.jacfwd(solved)(VECTOR[:4]))
    assert found.nnz == 16
    assert detect(lambda seeds: linalg.solve(matrix, seeds.T).T, 4) is None


def test_detection_is_not_stopped_by_the_search_for_nan():
    with sg.debug_nans():
        assert sg.jacobian(waves, sparsity="detect")(VECTOR).nnz == 44


def test_auxiliary_results_and_names_go_through():
    def scaled(scale, *, x):
        return x * x * scale, {"x": x}

    found, aux = sg.jacobian(scaled, argnames="x", has_aux=True, sparsity="detect")(2.0, x=VECTOR)
    assert_same(found, np.diag(4.0 * VECTOR))
    np.testing.assert_array_equal(aux["x"], VECTOR)


def test_a_complex_result_is_found_in_forward_mode():
    def turned(x):
        return np.exp(1j * x[1:]) * x[:-1]

    jacobian = sg.jacobian(turned, sparsity="detect")
    assert_same(jacobian(VECTOR), sg.jacobian(turned)(VECTOR))


def several(p, y):
    """Return numbers in a container, by several arguments."""
    x = p["a"]
    return [x[1:] * x[:-1] * y[0], {"s": np.sin(x), "n": 3, "t": (y[1] * p["b"][0] * p["n"],)}]


def energy_of(p, y):
    """Return a number by the same."""
    x = p["a"]
    return np.sum(x[1:] ** 2 * x[:-1] * y[0]) * p["n"] + p["b"][0] ** 2 * y[1]


PLACE = {"a": np.linspace(0.1, 1.0, 6), "b": (0.5, None), "n": 2}


def flattened(found, result, by):
    """Return a Jacobian of containers as one matrix."""
    rows = []
    for leaf, part in pairs_of(result, found):
        parts = [np.reshape(item, (np.size(leaf), -1)) for _, item in pairs_of(by, part)]
        rows.append(np.concatenate(parts, axis=1))
    return np.concatenate(rows)


def pairs_of(value, found):
    inside = children(value)
    if inside is None:
        return [(value, found)] if is_float(value) else []
    both = zip(inside, children(found), strict=True)
    return [pair for (_, one), (_, other) in both for pair in pairs_of(one, other)]


@pytest.mark.parametrize("make", [sg.jacobian, sg.jacfwd, sg.jacrev, sg.hessian])
def test_containers_and_several_arguments_have_one_matrix(make):
    with warnings.catch_warnings():  # a tuple that is multiplied is not, by source
        warnings.simplefilter("ignore", sg.FallbackWarning)
        check_matrices(make)


def check_matrices(make):
    y = np.array([0.3, -0.7])
    function, by = (energy_of, (PLACE, y)) if make is sg.hessian else (several, (PLACE, y))
    result = by if make is sg.hessian else several(*by)
    expected = flattened(make(function, argnums=(0, 1))(*by), result, by)
    for pattern in ("detect", expected != 0):
        found = make(function, argnums=(0, 1), sparsity=pattern)(*by)
        assert found.nnz < expected.size / 2
        np.testing.assert_allclose(found.toarray(), expected, rtol=1e-12, atol=1e-12)
    first = make(function, sparsity="detect")(*by).toarray()
    height = 7 if make is sg.hessian else len(expected)
    np.testing.assert_allclose(first, expected[:height, :7], rtol=1e-12, atol=1e-12)


def test_what_has_no_matrix_is_refused():
    with pytest.raises(sg.ArgumentError, match="whole number"):
        sg.jacrev(sg.grad(energy_of), sparsity="detect")(PLACE, np.ones(2))
    with pytest.raises(sg.ArgumentError, match="neither"):
        sg.jacobian(waves, sparsity="find")
    with pytest.raises(sg.ArgumentError, match="neither"):
        sg.jacobian(waves, sparsity=np.ones(3))
    with pytest.raises(sg.ArgumentError, match="of a int64"):
        sg.jacobian(np_size, sparsity="detect")(VECTOR)


def test_a_sparse_jacobian_is_not_differentiated():
    def trace(x):
        return np.sum(sg.jacobian(lambda x: x * x, sparsity="detect")(x).diagonal())

    diagonal = sg.hessian(rosenbrock, sparsity="detect")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sg.FallbackWarning)
        for f in (trace, lambda x: np.sum(diagonal(x).diagonal()), diagonal):
            with pytest.raises(sg.UnsupportedError):
                sg.grad(f)(VECTOR)


def test_the_program_on_the_tape_has_a_sparse_jacobian_too():
    def recorded(x):
        return eval("m.sin(x[1:] * x[:-1])", {"m": np, "x": x})

    with pytest.warns(sg.FallbackWarning):
        found = sg.jacfwd(recorded, sparsity="detect")(VECTOR)
    assert_same(found, sg.jacfwd(waves)(VECTOR))
    assert found.nnz == 44


@pytest.mark.parametrize("size", [1, 2, 3, 4, 5, 15, 16, 17, 63, 64, 65, 200])
def test_detection_finds_exactly_what_a_linear_map_has(size):
    rng = np.random.default_rng(size)
    matrix = rng.random((size + 3, size)) < 2.0 / size
    map_of = sparse.csr_array(np.where(matrix, 1e-300, 0.0))
    found = detect(lambda seeds: (map_of @ seeds.T).T, size)
    np.testing.assert_array_equal(found.rows, Pattern.of(matrix).rows)
    np.testing.assert_array_equal(found.columns, Pattern.of(matrix).columns)
