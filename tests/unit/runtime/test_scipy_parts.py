"""Parts of derivatives of SciPy that the calls of a user hardly come to."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.interpolate
import scipy.linalg
import scipy.ndimage
import scipy.signal
import scipy.sparse

import srcgrad as sg
import srcgrad.tape
from srcgrad.runtime.scipy import implicit, krylov, linalg, linalg_tangents, sparse
from srcgrad.runtime.scipy.boxes import box, free_part
from srcgrad.runtime.scipy.circular import vonmises_curve, vonmises_slope
from srcgrad.runtime.scipy.grids import checked, grid_places, grid_push
from srcgrad.runtime.scipy.interpolation import bspline_back, spline_basis
from srcgrad.runtime.scipy.linear_maps import along_back, dtype_of
from srcgrad.runtime.scipy.solvers import _integral, quad_end, quad_parts, quad_push
from srcgrad.runtime.scipy.spatial import _turned
from srcgrad.runtime.scipy.special import cylinder_push
from srcgrad.runtime.scipy.spectra import own_frequencies, rates, segments
from srcgrad.runtime.scipy.splines import floats_only, spline_filter1d_back, spline_values
from srcgrad.runtime.scipy.widths import _by_width, _by_width_back

assert srcgrad.tape  # implicit functions run on it
rng = np.random.default_rng(29)
KNOTS = np.arange(9.0)


@pytest.mark.parametrize("grad", ["f4", "f8", "c8", "c16"])
@pytest.mark.parametrize("matrix", ["f8", "c16"])
def test_a_map_along_an_axis_keeps_the_precision_of_its_gradient(grad: str, matrix: str) -> None:
    given, map_ = rng.normal(size=(3, 4)).astype(grad), rng.normal(size=(5, 3)).astype(matrix)
    found = along_back(given, 0, map_)
    np.testing.assert_allclose(found, map_.conj() @ given, rtol=1e-5)
    single = grad in ("f4", "c8")
    assert found.dtype.itemsize == (4 if single else 8) * (1 + (found.dtype.kind == "c"))
    assert dtype_of(2.0).kind == "f"


def test_splines_derived_too_often_are_zero() -> None:
    np.testing.assert_array_equal(spline_basis(KNOTS, 3, np.ones((2, 1)), 4), np.zeros((2, 1, 5)))
    np.testing.assert_array_equal(bspline_back(1.0, KNOTS, (5,), 3, 4.2, 4), np.zeros(5))
    wanted = [scipy.interpolate.BSpline(KNOTS, unit, 3)(4.2, 1) for unit in np.eye(5)]
    np.testing.assert_allclose(bspline_back(1.0, KNOTS, (5,), 3, np.array([4.2]), 1), wanted)


@pytest.mark.parametrize("keeps", [False, True])
def test_the_other_triangle_of_a_factor_is_of_the_matrix_where_scipy_keeps_it(
    keeps: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (linalg, linalg_tangents):
        monkeypatch.setattr(module, "keeps_other_triangle", lambda: keeps)
    a = rng.normal(size=(3, 3))
    factor = np.linalg.cholesky(a @ a.T + np.eye(3))
    grad, moved = rng.normal(size=(3, 3)), rng.normal(size=(3, 3))
    back = linalg.cho_factor_back(grad, factor, True)
    push, _ = linalg_tangents.cho_factor_push(moved, factor, True)
    assert np.sum(back * moved) == pytest.approx(np.sum(grad * push))
    above = np.triu_indices(3, 1)
    np.testing.assert_array_equal(push[above], moved[above] if keeps else 0.0)
    assert np.any(np.tril(push))


def test_factors_of_several_or_wide_matrices_are_refused() -> None:
    np.testing.assert_array_equal(linalg.ordered_rows(np.array([1, 1])), [1, 0])
    with pytest.raises(sg.MissingRuleError, match="several matrices"):
        linalg.ordered_rows(np.zeros((2, 3), int))
    for wide in (np.ones((2, 3)), np.ones((2, 3, 3))):
        with pytest.raises(sg.MissingRuleError, match="not square"):
            linalg.refuse_wide(wide)
    linalg.refuse_wide(np.ones((2, 2)))
    with pytest.raises(sg.MissingRuleError, match="mode 'complete'"):
        linalg_tangents.scipy_qr_push(np.ones((4, 3)), np.eye(4), np.ones((4, 3)), "full")


def test_bounds_are_arrays_or_an_object() -> None:
    whole = box((0.0, [1.0, 2.0]))
    assert box(whole) is whole
    x, slope = np.array([0.0, 2.0]), np.array([1.0, -1.0])
    np.testing.assert_array_equal(free_part(x, slope, np.ones(2), whole), [False, False])
    np.testing.assert_array_equal(free_part(x + 0.5, slope, np.ones(2), box((0, 9))), [True, True])
    assert free_part(x, slope, np.ones(2), None) is None
    with pytest.raises(sg.NotDifferentiableError, match="just touches its bound"):
        free_part(x, 0.0 * slope, np.ones(2), whole)


def test_grids_are_interpolated_by_lines_and_within() -> None:
    points, values = (np.arange(3.0), np.arange(4.0)), np.ones((3, 4))
    checked(points, values, "linear", extrapolates=True, inside=np.array([True]))
    checked(points, values, "linear", extrapolates=False, inside=np.array([False]))
    for method, given, inside, said in (
        ("cubic", values, True, "'cubic'"),
        ("linear", np.ones((3, 4, 2)), True, "more axes than the grid"),
        ("linear", values, False, "outside of the grid"),
    ):
        with pytest.raises(sg.MissingRuleError, match=said):
            checked(points, given, method, extrapolates=True, inside=np.array([True, inside]))
    assert grid_push(points, None, np.ones((1, 2))) is None
    x = sg.tensor([0.3, 1.4], requires_grad=True)
    found = grid_push((np.array([0.0, 2.0]),), x, np.array([0.3, 1.4]))
    np.testing.assert_allclose(found.detach().numpy(), [[0.15, 0.7]])


def product(x: Any, a: Any) -> Any:
    return np.sum(x * a)


def test_adjoints_of_an_implicit_function_are_those_of_its_active_operands() -> None:
    x, a = np.array([1.0, 2.0]), np.array([3.0, 5.0])
    both = implicit.pulled_back(product, [2.0], x, a)
    np.testing.assert_array_equal(both[0], 2.0 * a)
    np.testing.assert_array_equal(both[1], 2.0 * x)
    one = implicit.pulled_back(product, [2.0], x, 3)
    np.testing.assert_array_equal(one[0], [6.0, 6.0])
    assert one[1] is None
    assert implicit.pulled_back(product, [None], x, a) == (None, None)
    assert implicit.pulled_back(product, [2.0], 1, 3) == (None, None)


def test_what_is_handed_on_alone_is_given_back_alone() -> None:
    x, grad, a = np.array([0.5, 2.0]), np.array([1.0, -1.0]), 3.0

    def cubes(x: Any, a: Any) -> Any:
        return a * x**3

    found, part = implicit.called_back(grad, cubes, x, a)
    np.testing.assert_allclose(found, 3 * a * x**2 * grad)
    assert part == pytest.approx(np.sum(x**3 * grad))
    assert implicit.called_back(grad, cubes, x, (a,))[1] == (part,)
    assert implicit.called_back(grad, cubes, x, (2,))[1] == (None,)
    moved = implicit.called_push(cubes, x, a, grad, None)
    np.testing.assert_allclose(moved, 3 * a * x**2 * grad)
    moved = implicit.called_push(cubes, x, (a,), None, (2.0,))
    np.testing.assert_allclose(moved, 2.0 * x**3)


def value(x: Any, a: Any) -> Any:
    return np.sum(a * a * x**3)


def test_slopes_of_a_least_value_move_with_all_that_they_depend_on() -> None:
    x, a, moves = np.array([0.5, 2.0]), 3.0, (0.7, np.array([0.1, 0.2]), 1.3)

    def slope(grad: Any, x: Any, a: Any) -> Any:
        return grad * 2 * a * np.sum(x**3)

    h = 1e-6
    wanted = [
        (slope(2.0 + h, x, a) - slope(2.0 - h, x, a)) / (2 * h) * moves[0],
        (slope(2.0, x + h * moves[1], a) - slope(2.0, x - h * moves[1], a)) / (2 * h),
        (slope(2.0, x, a + h) - slope(2.0, x, a - h)) / (2 * h) * moves[2],
    ]
    for args, last, get in (
        (a, moves[2], lambda found: found),
        ((a,), (moves[2],), lambda found: found[0]),
    ):
        pushed = implicit.value_back_push((moves[0], moves[1], last), 2.0, value, x, args)
        assert get(pushed) == pytest.approx(sum(wanted))
        held = implicit.value_back_push((moves[0], moves[1], None), 2.0, value, x, args)
        assert get(held) == pytest.approx(wanted[0] + wanted[1])
        grads = implicit.value_back_back((1.0,), 2.0, value, x, args)
        assert grads[0] * moves[0] == pytest.approx(wanted[0])
        assert np.sum(grads[1] * moves[1]) == pytest.approx(wanted[1])
        assert get(grads[2]) * moves[2] == pytest.approx(wanted[2])


def test_containers_that_are_handed_on_are_refused() -> None:
    implicit.refuse_containers((1.0, [2], {"n": 1}), (dict, list))
    for held in ({"a": 1.0}, [2.0], [{"a": [np.ones(2)]}]):
        with pytest.raises(sg.NotDifferentiableError, match=f"a {type(held).__name__} that is"):
            implicit.refuse_containers((1.0, held), (dict, list))
    assert implicit.number_of(lambda x: (x, 2 * x))(3.0) == 3.0
    assert implicit.number_of(lambda x: 2 * x)(3.0) == 6.0
    assert implicit.plain_parts(np.float64(2.0), 1.0) == 2.0


def test_integrals_of_nothing_and_to_infinity() -> None:
    def line(t: Any, a: Any) -> Any:
        return np.sum(a) + t

    found = _integral(line, (0.0, 1.0), (np.zeros((0, 2)),), 0, each=True)
    assert found.shape == (0, 2)
    assert quad_end(2.0, line, np.inf, (1.0,)) == 0.0
    assert quad_end(2.0, line, 3.0, 1.0) == 8.0
    assert quad_parts(2.0, line, 0.0, 3.0, (1.0,)) == (6.0,)
    assert quad_parts(2.0, line, 0.0, 3.0, 1.0) == 6.0
    assert quad_push(line, 0.0, 2.0, (1.0,), (None, 3.0, None)) == 9.0
    assert quad_push(line, 0.0, np.inf, (1,), (2.0, 3.0, None)) == -2.0


def test_other_kinds_are_refused_by_name() -> None:
    ones = np.ones(2)
    with pytest.raises(sg.MissingRuleError, match="'chebyshev'"):
        _turned(1.0, ones, ones, "chebyshev")
    with pytest.raises(sg.MissingRuleError, match="order `v`"):
        cylinder_push((1.0, None), 1.0, 2.0, 3.0, 4.0)
    assert cylinder_push((None, 2.0), 1.0, 2.0, 3.0, 4.0) == (8.0, 2.0 * (1.0 - 1.5) * 3.0)
    with pytest.raises(sg.MissingRuleError, match="depend on the filter"):
        own_frequencies(8)
    np.testing.assert_array_equal(own_frequencies([0.1, 0.2]), [0.1, 0.2])
    with pytest.raises(sg.NotDifferentiableError, match="rounded to whole numbers"):
        floats_only(np.arange(3))
    floats_only(np.ones(3))


@pytest.mark.parametrize("kind", [np.dtype(int), np.dtype("f4"), np.dtype("c16")])
def test_a_filter_has_the_precision_of_its_signal(kind: Any) -> None:
    taps, up, down, first, last = rates(10, 6, 4, ("kaiser", 5.0), kind)
    assert taps.dtype == {"i": float, "f": np.float32, "c": float}[kind.kind]
    assert (up, down) == (3, 2)
    x = rng.normal(size=10)
    spread = np.zeros(30)
    spread[::3] = x
    found = scipy.signal.convolve(spread, taps)[::2][first:last]
    np.testing.assert_allclose(found, scipy.signal.resample_poly(x, 6, 4), rtol=1e-5, atol=1e-6)


def test_the_filter_of_long_lines_is_its_own_adjoint_up_to_the_ends() -> None:
    for shape, axis, mode in (
        ((2, 300), 1, "mirror"),
        ((300, 3), 0, "mirror"),
        ((2, 300), -1, "reflect"),
    ):
        for complex_ in (False, True):
            x, g = rng.normal(size=shape), rng.normal(size=shape) + 1j * complex_
            forward = scipy.ndimage.spline_filter1d(x, 3, axis, mode=mode)
            back = spline_filter1d_back(g if complex_ else g.real, 3, axis, mode)
            assert (back.dtype.kind == "c") == complex_
            assert np.sum(g.real * forward) == pytest.approx(np.sum(back.real * x))


def test_what_has_no_width_does_not_move_with_it() -> None:
    x, options = np.array([0.0, 1.0, 3.0]), ("reflect", 0.0, 4.0, None)
    for move in (_by_width, _by_width_back):
        np.testing.assert_array_equal(move(x, 0.0, 0, 0, options), np.zeros(3))
        assert np.any(move(x, 0.6, 0, 0, options))


def test_a_segment_has_256_numbers_where_nothing_is_said() -> None:
    def cut(length: int, given: Any) -> int:
        options = ("hann", given, None, None), ("constant", True)
        return len(segments(length, np.dtype(float), *options)[0])

    assert [cut(600, None), cut(40, None), cut(40, 8)] == [256, 40, 8]
    own = segments(600, np.dtype("f4"), (np.ones(5), None, 2, 16), (False, False))
    assert (own[0].tolist(), own[0].dtype, *own[1:]) == ([1.0] * 5, np.float32, 3, 16, False)
    with pytest.raises(sg.MissingRuleError, match="function for `detrend`"):
        segments(600, np.dtype(float), ("hann", None, None, None), (np.mean, True))


def test_a_spline_of_an_image_is_derived_along_axes() -> None:
    image, h = rng.normal(size=(6, 7)), 1e-5
    places = np.array([[1.3, 3.2], [2.4, 4.1]])
    how = {"order": 3, "mode": "mirror", "cval": 0.0, "prefilter": True}
    moved = np.array([[0.0], [h]])
    ends = [scipy.ndimage.map_coordinates(image, places + s * moved, **how) for s in (1, -1)]
    slope = spline_values(image, places, how, (1,))
    np.testing.assert_allclose(slope, (ends[0] - ends[1]) / (2 * h), rtol=1e-6)
    np.testing.assert_array_equal(
        spline_values(image, places, how), scipy.ndimage.map_coordinates(image, places, **how)
    )


def test_matrices_that_do_not_fit_are_refused_as_by_scipy() -> None:
    small = sparse.every_place((2, 3))
    large = sparse.every_place((2, 4))
    for function in (sparse.joined, sparse.equal_pairs):
        with pytest.raises(ValueError, match="inconsistent shapes"):
            function(small, large)
    with pytest.raises(ValueError, match=r"shapes \(2, 3\) and \(2, 4\)"):
        sparse.pairs_of(small, large)
    for way in ("down", "right"):
        with pytest.raises(ValueError, match="different sizes"):
            sparse.block_places([small, large if way == "down" else small.T], way)
    assert sparse.block_places([small, large], "both").shape == (4, 7)
    assert sparse.block_places([small, np.ones((2, 1))], "right").shape == (2, 4)
    with pytest.raises(sg.MissingRuleError, match="what is no array"):
        sparse.sparse_product(np.ones(6), small, [1.0, 2.0, 3.0])


def test_a_dense_matrix_has_the_entries_that_are_not_zero() -> None:
    dense = np.array([[0.0, 2.0], [3.0, 0.0]])
    for given in (dense, scipy.sparse.csr_array(dense)):
        places = sparse.places_of(given)
        np.testing.assert_array_equal(sparse.entries_of(given), [2.0, 3.0])
        assert (places.rows.tolist(), places.cols.tolist()) == ([0, 1], [1, 0])
    assert sparse.places_of(np.array([0.0, 5.0])).shape == (1, 2)
    upper = sparse.within_triangle(sparse.every_place((2, 2)), False)
    lower = sparse.within_triangle(sparse.every_place((2, 2)), True)
    assert (upper.which.tolist(), lower.which.tolist()) == ([0, 1, 3], [0, 2, 3])


def test_what_is_marked_constant_stays_what_it_is() -> None:
    def places() -> None:
        pass

    assert sparse._constant(places) is places
    assert vars(places)["__srcgrad_constant__"]
    assert grid_places is not None


def test_parts_of_sparse_matrices_that_have_other_axes_are_refused() -> None:
    places = sparse.every_place((2, 3))
    assert sparse.at_place(places, 1, -1).tolist() == [5]
    with pytest.raises(sg.MissingRuleError, match="at several places"):
        sparse.at_place(places, [0, 1], 0)
    part = sparse.chosen(places, (slice(1, 2), [0, 2]), True)
    assert (part.which.tolist(), part.places.shape) == ([3, 5], (1, 2))
    for index in ((0, 1, 2), ([0], [1]), 1):
        with pytest.raises(sg.MissingRuleError, match="a part of one axis"):
            sparse.chosen(places, index, True)


def test_a_solution_that_is_not_found_is_refused() -> None:
    matrix, b = np.diag(np.arange(1.0, 9.0)), np.ones(8)
    found = krylov.krylov_solved(matrix, b, krylov.Method("cg", {"rtol": 1e-12}))
    np.testing.assert_allclose(matrix @ found, b)
    with pytest.raises(sg.NotDifferentiableError, match="`cg` did not find the solution"):
        krylov.krylov_solved(matrix, b, krylov.Method("cg", {"rtol": 1e-12, "maxiter": 1}))


@pytest.mark.parametrize("kappa", [1e-9, 1e-5, 0.9e-4, 1.1e-4, 0.3, 7.0, 299.0, 301.0, 1e4])
def test_circular_laws_bend_as_they_slope_elsewhere(kappa: float) -> None:
    z = np.array([-2.9, -1.0, -0.01, 0.02, 0.5, 3.0, 7.1])
    step = max(kappa * 1e-5, 1e-6)
    slopes = [vonmises_slope(np.full(7, kappa + d), z) for d in (2 * step, 0)]
    found = vonmises_curve(np.full(7, kappa), z)  # without a warning
    wanted = (slopes[0] - slopes[1]) / (2 * step)
    np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-6 / max(1, kappa**2))
