"""Calls of SciPy with options that hardly anybody gives: right, or refused by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.fft
import scipy.integrate
import scipy.interpolate
import scipy.linalg
import scipy.ndimage
import scipy.optimize
import scipy.signal
import scipy.sparse
import scipy.sparse.linalg
import scipy.spatial
import scipy.special

import srcgrad as sg
from tests.differences import copied
from tests.differences import numerical_jacobian as differences
from tests.unit.rules.test_rare_options import total

rng = np.random.default_rng(23)
V, W, M, S = (rng.normal(size=shape) for shape in (5, 5, (3, 4), (3, 3)))
LAST = np.array([0.0, 0.0, 0.1])
LONG, IMAGE = rng.normal(size=40), rng.normal(size=(5, 6))
SPD = S @ S.T + 2.0 * np.eye(3)
OPERATOR = scipy.sparse.linalg.aslinearoperator(SPD)
ROWS = [0, 1, 2, 0]
COLUMNS = [0, 1, 2, 2]
GRID = (np.arange(3.0), np.arange(4.0))
FACTORS = scipy.sparse.linalg.splu(scipy.sparse.csc_array(SPD + S))
Case = tuple[Callable[..., Any], tuple[Any, ...]]


def power(t: Any, a: Any) -> Any:
    return np.exp(-a * t * t)


def falling(y: Any, t: Any, a: Any) -> Any:
    return -a * y


def falling_by_two(y: Any, t: Any, a: Any, n: Any) -> Any:
    return -a * y * n


def excess(x: Any, a: Any) -> Any:
    return x**3 + a * x - 1.0


def bowl(x: Any, a: Any) -> Any:
    return np.sum((x - a) ** 4 + (x - a) ** 2 + 0.1 * x**3)


def bowl_and_slope(x: Any, a: Any) -> Any:
    return (x - a) ** 2 + 0.1 * x**3, 2 * (x - a) + 0.3 * x**2


def line(x: Any, a: Any, b: Any) -> Any:
    return a + b * x


def square(x: Any, a: Any) -> Any:
    return np.sum((x - a) ** 2)


ONCE: dict[str, Case] = {
    "a zoom by one": (lambda x: scipy.ndimage.zoom(x, 1.0) * x, (M,)),
    "a transform of one axis": (lambda x: scipy.fft.dctn(x, s=3, axes=1), (M,)),
    "many weights": (
        lambda x, w: scipy.ndimage.correlate(x, w, mode="constant"),
        (rng.normal(size=(12, 12)), rng.normal(size=(11, 11))),
    ),
    "an integral to infinity": (
        lambda a, b: scipy.integrate.quad(power, b, np.inf, args=a)[0],
        (1.3, 0.2),
    ),
    "an integral beside a whole number": (
        lambda a: scipy.integrate.quad(lambda t, a, n: a * t**n, 0.0, a, args=(a, 2))[0],
        (1.3,),
    ),
    "an integral whose end moves": (
        lambda b: scipy.integrate.quad(power, 0.0, b, args=(1.5,))[0],
        (0.8,),
    ),
    "an integral by its whole": (
        lambda a: scipy.integrate.quad(power, -1.0, 1.0, args=a)[0],
        (0.8,),
    ),
    "a path from one number": (
        lambda y, a: scipy.integrate.odeint(falling, y, [0.0, 0.5, 1.0], args=(a,)),
        (V[:2], 0.7),
    ),
    "a path beside a whole number": (
        lambda y, a: scipy.integrate.odeint(falling_by_two, y, [0.0, 0.5, 1.0], args=(a, 2)),
        (V[:2], 0.7),
    ),
    "a least value at its bound": (
        lambda a: scipy.optimize.minimize(square, [1.5], args=(a,), bounds=[(0.9, 2.0)]).x * a,
        (0.7,),
    ),
    "a root": (lambda a: scipy.optimize.root(excess, 0.5, args=a).x, (0.7,)),
    "a fixed point": (
        lambda a: scipy.optimize.fsolve(excess, 0.5, args=a),
        (0.7,),
    ),
    "a least value": (
        lambda a: scipy.optimize.minimize(bowl, np.zeros(2), args=a, tol=1e-12).x,
        (0.7,),
    ),
    "an operator": (lambda b: scipy.sparse.linalg.cg(OPERATOR, b, rtol=1e-13)[0], (V[:3],)),
    "a filter of numbers": (
        lambda b, x: scipy.signal.lfilter([b, 0.3], [1.0, b * 0.2], x),
        (0.6, V),
    ),
    "a window of one's own": (
        lambda x: scipy.signal.welch(x, window=np.hanning(8) + 0.1)[1],
        (LONG,),
    ),
    "a spectrum of one segment": (lambda x: scipy.signal.welch(x)[1], (LONG,)),
    "another rate by a window": (
        lambda x: scipy.signal.resample(x, 8, window=np.linspace(1.0, 2.0, 5)),
        (V,),
    ),
    "another rate by a function": (
        lambda x: scipy.signal.resample(x, 8, window=lambda f: np.exp(-f * f)),
        (V,),
    ),
    "another rate by a filter": (lambda x: scipy.signal.resample_poly(x, 3, 2), (V,)),
    "a spline that is derived too often": (
        lambda x: scipy.interpolate.BSpline(np.arange(9.0), V, 3)(x, 4) + x,
        (3.4,),
    ),
    "the coefficients of it": (
        lambda c: scipy.interpolate.BSpline(np.arange(9.0), c, 3)(np.array([3.2, 4.1]), 4) + c[0],
        (V,),
    ),
    "the filter of a spline along one axis": (
        lambda x: scipy.ndimage.spline_filter1d(x, axis=0, mode="grid-wrap"),
        (IMAGE,),
    ),
    "the filter of a long spline in a matrix": (
        lambda x: scipy.ndimage.spline_filter1d(x, axis=1, mode="grid-wrap"),
        (rng.normal(size=(2, 30)),),
    ),
    "the filter of a long complex spline": (
        lambda x: np.real(scipy.ndimage.spline_filter1d(x * (1 + 2j), mode="reflect")),
        (LONG,),
    ),
    "the filter of a long spline": (
        lambda x: scipy.ndimage.spline_filter1d(x, mode="reflect"),
        (LONG,),
    ),
    "the vector of a square": (lambda x: scipy.spatial.distance.squareform((x + x.T) * OFF), (S,)),
    "an exponential sum": (lambda x: scipy.special.logsumexp(x, axis=0, keepdims=True), (M,)),
    "a solution by vectors": (
        lambda c, b: scipy.linalg.solve_toeplitz((c, c[::-1] + LAST), b),
        (np.array([3.0, 0.5, 0.2]), V[:3]),
    ),
    "a solution by one vector": (
        scipy.linalg.solve_toeplitz,
        (np.array([3.0, 0.5, 0.2]), V[:3]),
    ),
    "a grid": (
        lambda v, x: scipy.interpolate.interpn(GRID, v, x[None]),
        (M, np.array([0.6, 1.3])),
    ),
    "an axis": (
        lambda x: scipy.interpolate.RegularGridInterpolator((np.arange(5.0),), V)(x[:, None]),
        (np.array([0.6, 1.3]),),
    ),
    "places without a shape": (
        lambda x: scipy.sparse.coo_array((x, (ROWS, COLUMNS))).toarray() * 2.0,
        (V[:4],),
    ),
    "a diagonal of a shape": (
        lambda x: scipy.sparse.diags_array(x, offsets=1, shape=(4, 4)).toarray(),
        (V[:3],),
    ),
    "blocks beside constants": (
        lambda x: scipy.sparse.hstack(
            [scipy.sparse.coo_array((x, (ROWS, COLUMNS))), scipy.sparse.csr_array(S)]
        ).toarray(),
        (V[:4],),
    ),
    "a sum with an array": (
        lambda x: (
            scipy.sparse.coo_array((x, (ROWS, COLUMNS))) + scipy.sparse.csr_array(S)
        ).toarray(),
        (V[:4],),
    ),
    "a solution of constants": (lambda b: FACTORS.solve(b) * b, (V[:3],)),
    "a turned one": (lambda b: FACTORS.solve(b, "T"), (V[:3],)),
    "a turned and conjugate one": (lambda b: FACTORS.solve(b, trans="H"), (V[:3],)),
}
OFF = 1.0 - np.eye(3)
HELD = scipy.optimize.Bounds([0.0, -0.25], [9.0, 9.0])
TWICE: dict[str, Case] = {
    "a shift": (
        lambda x, s: total(scipy.ndimage.shift(x, s)),
        (IMAGE[:3, :4], np.array([0.3, -0.4])),
    ),
    "places": (
        lambda x, p: total(scipy.ndimage.map_coordinates(x, p, order=3)),
        (IMAGE[:3, :4], np.array([[0.3, 1.2], [1.4, 2.2]])),
    ),
    "widths": (lambda x, s: total(scipy.ndimage.gaussian_filter(x, s)), (IMAGE[:3, :4], 0.8)),
    "some widths": (
        lambda x, s: total(scipy.ndimage.gaussian_filter(x, [s, 0.0], order=[1, 0])),
        (IMAGE[:3, :4], 0.8),
    ),
    "a width": (
        lambda x, s: total(scipy.ndimage.gaussian_filter1d(x, s, axis=0)),
        (IMAGE[:3, :4], 0.8),
    ),
    "no width": (lambda x, s: total(scipy.ndimage.gaussian_filter(x, s)), (V, 0.0)),
    "no width along an axis": (
        lambda x, s: total(scipy.ndimage.gaussian_filter(x, [s, 0.7])),
        (IMAGE[:3, :4], 0.0),
    ),
    "blocks on a diagonal": (lambda x, y: total(scipy.linalg.block_diag(x, y * x)), (S, 0.4)),
    "a distance": (lambda x, y: scipy.spatial.distance.euclidean(x, y) ** 3, (V, W)),
    "an exponential sum": (lambda x: scipy.special.logsumexp(x, axis=0)[0] ** 2, (M[:2, :2],)),
    "a solution of constants": (lambda b: total(FACTORS.solve(b * b, "T")), (V[:3],)),
    "a least value": (
        lambda a: total(scipy.optimize.minimize(bowl, np.zeros(2), args=a, tol=1e-12).x),
        (0.7,),
    ),
    "a root": (lambda a: total(scipy.optimize.root(excess, 0.5, args=a).x), (0.7,)),
    "a least value with its slope": (
        lambda a: scipy.optimize.minimize(bowl_and_slope, 0.3, args=a, jac=True, tol=1e-12).fun,
        (0.7,),
    ),
    "an integral": (lambda a: scipy.integrate.quad(power, -1.0, 1.0, args=a)[0] ** 2, (0.8,)),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ONCE)
def test_jacobians_are_those_of_differences(name: str) -> None:
    function, args = ONCE[name]
    places = tuple(range(len(args)))
    wanted = [differences(function, list(args), place) for place in places]
    pushed = [sg.jacfwd(function, place)(*copied(args)) for place in places]  # the others rest
    pulled = sg.jacrev(function, places)(*copied(args))
    taped = sg.jacrev(function, places, backend="tape")(*copied(args))
    for found in (pushed, pulled, taped):
        for part, by_differences in zip(found, wanted, strict=True):
            np.testing.assert_allclose(part, by_differences, rtol=1e-5, atol=1e-6)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", TWICE)
def test_jacobians_of_gradients_are_those_of_differences(name: str) -> None:
    function, args = TWICE[name]
    places = tuple(range(len(args)))
    for place in places:
        gradient = sg.grad(function, place)
        wanted = [differences(gradient, list(args), other) for other in places]
        ways = [sg.jacrev(gradient, places), sg.jacfwd(gradient, places)]
        for way in ways:
            for part, by_differences in zip(way(*copied(args)), wanted, strict=True):
                np.testing.assert_allclose(part, by_differences, rtol=1e-4, atol=1e-5)


def test_a_fit_with_covariances_is_that_of_its_normal_equations() -> None:
    turned = rng.normal(size=(4, 4))
    sigma = turned @ turned.T + np.eye(4)
    x, y = np.arange(4.0), np.array([2.0, 1.1, 0.7, 0.3])
    matrix = np.stack([np.ones(4), x], 1)
    weighted = matrix.T @ np.linalg.inv(sigma)
    wanted = np.linalg.solve(weighted @ matrix, weighted)

    def fitted(y: Any) -> Any:
        return scipy.optimize.curve_fit(line, x, y, [1.0, -0.3], sigma=sigma)[0]

    def within(y: Any) -> Any:
        wide = (-9.0, [9.0, 9.0])
        return scipy.optimize.curve_fit(line, x, y, [1.0, -0.3], sigma=sigma, bounds=wide)[0]

    for f in (fitted, within):
        np.testing.assert_allclose(sg.jacrev(f)(y), wanted, rtol=1e-6, atol=1e-9)


def test_a_fit_is_held_at_its_bounds() -> None:
    def residuals(x: Any, a: Any) -> Any:
        return np.stack([x[0] - a, 2.0 * (x[1] + a * a), x[0] * x[1]])

    def held(a: Any) -> Any:
        return scipy.optimize.least_squares(
            residuals, [0.5, 0.1], bounds=HELD, args=(a,), xtol=1e-14, ftol=1e-14, gtol=1e-14
        ).x

    # the second is at its bound, so that the first minimises (x - a)**2 + (0.25 * x)**2
    np.testing.assert_allclose(sg.jacrev(held)(0.7), [1.0 / 1.0625, 0.0], rtol=1e-4, atol=1e-9)


def test_a_triangle_of_a_sparse_matrix_is_solved() -> None:
    x, (rows, columns) = np.array([2.0, 1.5, 3.0, 0.4]), np.array([ROWS, COLUMNS])
    for lower in (False, True):

        def solved(x: Any, lower: bool = lower) -> Any:
            places = (rows[::-1], columns[::-1]) if not lower else (columns[::-1], rows[::-1])
            made = scipy.sparse.csr_array((x[::-1], places))
            return np.sum(scipy.sparse.linalg.spsolve_triangular(made, V[:3], lower=lower) ** 2)

        def dense(x: Any, lower: bool = lower) -> Any:
            made = np.zeros((3, 3))
            made[rows, columns] = x
            return np.sum(np.linalg.solve(made.T if lower else made, V[:3]) ** 2)

        wanted = differences(dense, [x], 0)
        for backend in ("auto", "tape"):
            np.testing.assert_allclose(sg.grad(solved, backend=backend)(x), wanted, rtol=1e-6)


def test_only_a_short_path_makes_orders_imprecise() -> None:
    def bessel(v: Any) -> Any:
        return scipy.special.jv(v, 45.0)

    with pytest.raises(sg.MissingRuleError, match="not precise at the order 80 and 45"):
        sg.grad(bessel)(80.0)
    assert sg.grad(bessel)(49.0) == pytest.approx(differences(bessel, [49.0], 0), rel=1e-5)


def test_the_end_at_infinity_moves_nothing() -> None:
    def integral(b: Any) -> Any:
        return scipy.integrate.quad(power, 0.0, b, args=(1.0,))[0]

    for backend in ("auto", "tape"):
        assert sg.grad(integral, backend=backend)(np.inf) == 0.0


def nothing(x: Any, a: Any) -> Any:
    return 0.0 * x * a


def no_root(x: Any, a: Any) -> Any:
    return x * x + a


def two_equations(x: Any, a: Any) -> Any:
    return np.stack([x[0] - a, 2.0 * x[0] - 2.0 * a])


def own_loss(z: Any) -> Any:
    return np.stack([z, np.ones_like(z), np.zeros_like(z)])


def at(x: Any) -> Any:
    return (x, (ROWS, COLUMNS))


REFUSED: dict[str, tuple[Callable[..., Any], tuple[Any, ...], str]] = {
    "a loss of one's own": (
        lambda a: scipy.optimize.least_squares(excess, 0.5, loss=own_loss, args=(a,)).x,
        (0.7,),
        "with the loss",
    ),
    "a bound that is touched": (
        lambda a: scipy.optimize.minimize(square, [0.8], args=(a,), bounds=[(0.7, 2.0)]).x,
        (0.7,),
        "just touches its bound",
    ),
    "many solutions": (lambda a: scipy.optimize.root(nothing, 0.5, args=(a,)).x, (0.7,), "as near"),
    "no solution": (lambda a: scipy.optimize.root(no_root, 0.5, args=(a,)).x, (0.7,), "nothing"),
    "too many equations": (
        lambda a: scipy.optimize.root(two_equations, [0.5], args=(a,), method="lm").x,
        (0.7,),
        "2 equations for 1 unknowns",
    ),
    "a grid of vectors": (
        lambda x: scipy.interpolate.interpn(GRID, np.ones((3, 4, 2)), x[None]),
        (np.array([0.6, 1.3]),),
        "more axes than the grid",
    ),
    "outside of a grid": (
        lambda x: scipy.interpolate.interpn(GRID, M, x[None], bounds_error=False, fill_value=None),
        (np.array([-0.6, 1.3]),),
        "outside of the grid",
    ),
    "ends of a spline": (
        lambda y: scipy.interpolate.CubicSpline(np.arange(5.0), y, bc_type=((1, 0.1), (1, 0.0)))(
            1.3
        ),
        (V,),
        "with bc_type",
    ),
    "pieces derived twice": (
        lambda y: scipy.interpolate.PchipInterpolator(np.arange(5.0), y)(1.3, 2),
        (V,),
        "second derivative of these pieces",
    ),
    "pieces of vectors": (
        lambda y: scipy.interpolate.PchipInterpolator(np.arange(3.0), y)(1.3),
        (M,),
        "with several axes",
    ),
    "factors of a wide matrix": (lambda a: scipy.linalg.lu(a)[2], (M,), "not square"),
    "all of a rotation": (lambda a: scipy.linalg.qr(a)[0], (M.T,), "mode 'complete'"),
    "a complex path": (
        lambda y: np.real(
            scipy.integrate.solve_ivp(lambda t, y: 1j * y, (0.0, 1.0), y * (1 + 1j)).y
        ),
        (V[:2],),
        "complex numbers",
    ),
    "a trend of one's own": (
        lambda x: scipy.signal.welch(x, detrend=lambda d: d)[1],
        (LONG,),
        "function for `detrend`",
    ),
    "signals of two lengths": (
        lambda x: scipy.signal.coherence(x, LONG[:30], nperseg=8)[1],
        (LONG,),
        "different lengths",
    ),
    "a matrix of matrices": (scipy.linalg.circulant, (S,), "one by one"),
    "a label twice": (
        lambda x: scipy.ndimage.sum_labels(x, [0, 1, 1, 2, 2], [1, 1]),
        (V,),
        "asked for twice",
    ),
    "several centers": (
        lambda x: scipy.ndimage.center_of_mass(x, np.array([0, 1, 1, 2, 2]), [1, 2])[0][0],
        (np.abs(V),),
        "several labels",
    ),
    "sizes of sums": (
        lambda x: (scipy.sparse.coo_array(at(x)) + scipy.sparse.csr_array(M)).toarray(),
        (V[:4],),
        "",
    ),
    "sizes of products": (
        lambda x: (scipy.sparse.coo_array(at(x)) @ scipy.sparse.csr_array(M.T)).toarray(),
        (V[:4],),
        "",
    ),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", REFUSED)
def test_what_has_no_rule_is_refused_by_name(name: str) -> None:
    function, args, said = REFUSED[name]
    for backend in ("auto", "tape"):
        with pytest.raises((sg.SrcgradError, ValueError), match=said) as caught:
            sg.jacrev(function, backend=backend)(*copied(args))
        assert not said or isinstance(caught.value, sg.SrcgradError)
