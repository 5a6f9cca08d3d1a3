"""What stands for functions and for sparse matrices has their values, with rare options too.

The compiler reads their texts, so hardly anything else calls them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pytest
from scipy import fftpack, integrate, interpolate, linalg, signal, sparse, stats
from scipy.spatial import distance

import srcgrad as sg
from srcgrad.rules.equivalents import loops
from srcgrad.rules.equivalents.table import equivalent
from srcgrad.rules.library import canonical_name
from srcgrad.rules.scipy.sparse_matrices import SparseArray, SparseMatrix, sparse_equivalent
from srcgrad.runtime.scipy.sparse import places_of

RNG = np.random.default_rng(0)
X, Y = RNG.normal(size=12), RNG.normal(size=12)
P, Q = RNG.uniform(0.1, 1, size=6), RNG.uniform(0.1, 1, size=6)
M = RNG.normal(size=(4, 9))
LONG = RNG.normal(size=300)
NONE: Mapping[str, Any] = {}
POINTS = np.array([0.2, 0.7, 1.2])
POLY = np.polynomial.polynomial
CIRCLE = np.array([4.0, 1.0, 0.0, 1.0])
KNOTS = np.array([0.0, 1.0, 2.0])


def transformed(length: int, **options: Any) -> Any:
    return signal.stft(LONG, nperseg=length, **options)[2]


def pchip(*values: float) -> tuple[Any, ...]:
    return KNOTS[: len(values)], np.array(values), POINTS


CALLS: list[tuple[Any, tuple[Any, ...], Mapping[str, Any]]] = [
    (np.interp, (X, KNOTS, np.array([1.0, 3, 2])), {"period": -2.5}),
    (np.histogram2d, (X, Y), NONE),
    (np.histogram2d, (X, Y), {"bins": 3, "range": ((-1, 1), (-2, 2))}),
    (np.histogram2d, (X, Y), {"bins": (3, [-1.0, 0, 1]), "weights": P.repeat(2)}),
    (np.histogram2d, (np.ones(5), Y[:5]), {"bins": 2, "density": True}),
    (np.hypot.reduce, (M,), {"axis": 1, "keepdims": True}),
    (np.hypot.reduce, (M,), {"keepdims": True}),
    (np.polydiv, ([1.0, 2, 3], [2.0, 1]), NONE),
    (np.polydiv, ([1.0, 2, 3], [2.0]), NONE),
    (np.polydiv, ([2.0, 1], [1.0, 2, 3]), NONE),
    (np.polydiv, ([1.0, 2, 1, 0], [1.0, 2, 1]), NONE),
    (np.polydiv, (2.0, 4.0), NONE),
    (POLY.polyadd, ([1.0, 2, 3], [1.0, 2, -3]), NONE),
    (POLY.polyadd, ([1.0, 2], [-1.0, -2]), NONE),
    (POLY.polysub, ([1.0, 2, 3], [1.0, 5, 3]), NONE),
    (distance.jensenshannon, (P, Q), {"base": 2.0}),
    (signal.resample_poly, (X, 3, 3), NONE),
    (signal.resample_poly, (M, 2, 3), {"axis": 1}),
    (signal.decimate, (LONG, 3), {"ftype": "fir"}),
    (signal.decimate, (LONG, 3), {"ftype": "fir", "n": 9, "zero_phase": False}),
    (signal.decimate, (LONG, 3), {"n": 4}),
    (signal.decimate, (LONG, 3), {"n": 4, "zero_phase": False}),
    (signal.wiener, (M, 3), {"noise": 0.4}),
    (signal.wiener, (M,), NONE),
    (interpolate.pchip_interpolate, pchip(1.0, 3), NONE),
    (interpolate.pchip_interpolate, pchip(1.0, 1.1, -3), NONE),
    (interpolate.pchip_interpolate, pchip(0.0, 1, 20), NONE),
    (interpolate.pchip_interpolate, pchip(0.0, 1, -20), NONE),
    (linalg.solve_circulant, (CIRCLE, CIRCLE + 1), NONE),
    (linalg.solve_circulant, (CIRCLE + 1j, CIRCLE + 1), NONE),
    (linalg.solve_circulant, (CIRCLE, 1j * M), NONE),
    (integrate.cumulative_simpson, (X,), {"dx": 0.5, "initial": 1.0}),
    (integrate.romb, (M,), {"dx": 0.5, "axis": 1}),
    (stats.median_abs_deviation, (X,), {"nan_policy": "raise"}),
    (stats.median_abs_deviation, (np.append(X, np.nan),), {"nan_policy": "omit"}),
    *[(stats.skew, (X[:n],), {"bias": False}) for n in (2, 12)],
    *[
        (stats.kurtosis, (X[:n],), {"bias": False, "fisher": fisher})
        for n in (3, 12)
        for fisher in (True, False)
    ],
    (stats.trimboth, (X, 0.2), {"axis": None}),
    (stats.trimboth, (M, 0.2), {"axis": 1}),
    (stats.differential_entropy, (X,), {"method": "vasicek"}),
    (stats.differential_entropy, (X,), {"method": "vasicek", "base": 2, "window_length": 3}),
    *[(stats.chisquare, (np.abs(M),), {"axis": axis}) for axis in (0, 1, None)],
    (stats.chisquare, (P, P[::-1]), {"ddof": 1}),
    *[
        (signal.spectrogram, (LONG,), {"mode": mode, "nperseg": 64})
        for mode in ("phase", "angle", "magnitude", "complex")
    ],
    (signal.stft, (LONG,), {"nperseg": 64, "padded": False}),
    (signal.stft, (LONG,), {"nperseg": 64}),
    (signal.istft, (transformed(64),), NONE),
    (signal.istft, (transformed(64),), {"nperseg": 64}),
    (signal.istft, (transformed(65),), {"nperseg": 65}),
    (signal.istft, (transformed(64, return_onesided=False),), {"input_onesided": False}),
    *[(fftpack.idct, (X,), {"type": kind}) for kind in (1, 2, 3, 4)],
    *[(fftpack.idst, (X,), {"type": kind}) for kind in (1, 2, 3)],
]


def leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, (list, tuple)):
        for item in value:
            yield from leaves(item)
    elif hasattr(value, "pvalue"):
        yield from (value.statistic, value.pvalue)
    else:
        yield value


def assert_same(found: Any, wanted: Any) -> None:
    for mine, theirs in zip(leaves(found), leaves(wanted), strict=True):
        assert np.shape(mine) == np.shape(theirs)
        np.testing.assert_allclose(mine, theirs, rtol=1e-9, atol=1e-11)


def called(function: Any, args: tuple[Any, ...], named: Mapping[str, Any]) -> Any:
    call = equivalent(function, list(args), named)
    assert call is not None
    return call.function(*call.lead, *call.args, **call.keywords)


@pytest.mark.parametrize(
    "call", CALLS, ids=lambda call: f"{canonical_name(call[0])} {[*call[2].items()]}"[:60]
)
def test_what_stands_for_a_function_has_its_values(call: Any) -> None:
    function, args, named = call
    assert_same(called(function, args, named), function(*args, **named))


@pytest.mark.parametrize(
    "call",
    [
        (integrate.cumulative_simpson, (X,), {"x": -np.cumsum(P.repeat(2))}),
        (integrate.romb, (M[:, :7],), NONE),
        (integrate.romb, (M[:, :1],), NONE),
        (stats.median_abs_deviation, (np.append(X, np.nan),), {"nan_policy": "raise"}),
    ],
    ids=lambda call: canonical_name(call[0]),
)
def test_what_stands_for_a_function_raises_what_it_does(call: Any) -> None:
    function, args, named = call
    with pytest.raises(ValueError, match=r"must be|contains nan") as theirs:
        function(*args, **named)
    with pytest.raises(ValueError, match="^" + str(theirs.value)[:20]):
        called(function, args, named)


ROW, COLUMN = X[:3], Y[:2, None]


@pytest.mark.parametrize("dtype", [None, np.float32])
def test_a_vectorized_function_is_called_on_each_element(dtype: Any) -> None:
    for function, ours, args in (
        (lambda a: a if a > 0 else 2 * a, loops.mapped, (ROW,)),
        (lambda a, b: a * b - a, loops.mapped_pairs, (ROW, COLUMN)),
        (lambda a, b, c: a * b - c, loops.mapped_triples, (ROW, COLUMN, 2.0)),
    ):
        found = ours(function, *args, dtype=dtype)
        wanted = np.vectorize(function, otypes=None if dtype is None else [dtype])(*args)
        assert found.dtype == wanted.dtype
        assert_same(found, wanted)


def test_a_function_of_numbers_is_called_once_for_numbers() -> None:
    for function, ours, args in (
        (lambda a: a * a, loops.once_or_mapped, (ROW,)),
        (lambda a, b: a * b - a, loops.once_or_pairs, (ROW, COLUMN)),
        (lambda a, b, c: a * b - c, loops.once_or_triples, (ROW, COLUMN, 2.0)),
    ):
        assert_same(ours(function, *args), np.vectorize(function)(*args))
        numbers = [1.5, 0.5, 3.0][: len(args)]
        assert ours(function, *numbers) == function(*numbers)
        for place in range(len(args)):
            mixed = [ROW if i == place else number for i, number in enumerate(numbers)]
            assert_same(ours(function, *mixed), np.vectorize(function)(*mixed))


DENSE = np.array([[0.0, 2.0, 0.0], [1.0, 0.0, -3.0], [0.5, 0.0, 4.0]])
OTHER = sparse.csr_array([[1.0, 5.0, 0.0], [0.0, 0.0, 2.0], [7.0, 0.0, 0.0]])
PRODUCTS: dict[str, Any] = {
    "shape": lambda A: np.array(A.shape),
    "transposed": lambda A: A.transpose(),
    "by rows": lambda A: A.tocsr(),
    "by columns": lambda A: A.tocsc(),
    "by places": lambda A: A.tocoo(),
    "copied": lambda A: A.copy(),
    "conjugate": lambda A: (A * (1 + 2j)).conj(),
    "product": lambda A: A @ OTHER,
    "product from the left": lambda A: A.__rmatmul__(OTHER),
    "product of a vector from the left": lambda A: np.arange(3.0) @ A,
    "sum": lambda A: A + OTHER,
    "sum from the left": lambda A: OTHER + A,
    "difference": lambda A: A - OTHER,
    "difference from the left": lambda A: OTHER - A,
    "difference of its own": lambda A: A - A.T,
    "elements": lambda A: A.multiply(OTHER),
    "elements of its own": lambda A: A.multiply(A.T),
    "dense": lambda A: A.todense(),
    "sum of all": lambda A: A.sum(),
    "sums": lambda A: A.sum(axis=1),
    "powers": lambda A: A.power(2),
}


def dense(value: Any) -> Any:
    return value.toarray() if hasattr(value, "toarray") else np.asarray(value)


def varying(cls: Any) -> Any:
    """Return a sparse matrix as one that varies."""
    return cls(sparse.coo_array(DENSE).data, places_of(sparse.csr_array(DENSE)))


@pytest.mark.parametrize("name", PRODUCTS)
def test_a_sparse_matrix_that_varies_is_what_scipy_says(name: str) -> None:
    wanted = dense(PRODUCTS[name](sparse.csr_array(DENSE)))
    np.testing.assert_allclose(dense(PRODUCTS[name](varying(SparseArray))), wanted)


def test_a_sparse_matrix_of_the_older_kind_adds_up_all_entries() -> None:
    assert varying(SparseMatrix).sum() == DENSE.sum()


@pytest.mark.parametrize(
    "asked",
    [
        lambda: varying(SparseArray) ** 2,
        lambda: varying(SparseMatrix) * 2.0,
        lambda: np.asarray(varying(SparseArray)),
        lambda: varying(SparseArray).nnz,
    ],
)
def test_a_sparse_matrix_that_varies_refuses_what_it_has_no_rule_for(asked: Any) -> None:
    with pytest.raises(sg.SrcgradError):
        asked()
    assert not hasattr(varying(SparseArray), "__len__")


@pytest.mark.parametrize(
    ("function", "args", "named"),
    [
        (sparse.csr_array, [(X, X, X, X)], {}),
        (sparse.csr_array, [X], {"dtype": float}),
        (sparse.kron, [OTHER, OTHER], {}),
        (sparse.dia_array, [X], {}),
        (np.sin, [], {}),
    ],
)
def test_no_sparse_matrix_stands_for_what_does_not_vary(function, args, named) -> None:
    assert sparse_equivalent(function, args, named) is None
