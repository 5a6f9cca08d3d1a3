"""Derivatives on arrays of CuPy, which a double stands in for; `gpu` tests run on a device."""

from __future__ import annotations

import importlib
import warnings

import numpy as np
import pytest

import srcgrad as sg
from tests.doubles.cupy_array import COPIES
from tests.doubles.cupy_module import installed
from tests.programs.corpus import every_program, programs_by, sample
from tests.targets.on_cupy import back, outcome

WEIGHTS = np.arange(3.0)


@pytest.fixture
def cp():
    with installed() as cupy:
        yield cupy


def smooth(x, w):
    h = np.tanh(w @ x)
    return np.sum(h * h) + np.mean(x) ** 2


def swapped(x):
    y = x * 1.0
    first = y[0]
    y[0] = y[1]
    y[1] = first
    total = np.sum(y)
    before = total
    total += y[0]
    return total * before * first + np.sum(y)


def gone_through(x):
    kept = [x[0]]
    for value in x:
        kept[0] += value * x[0]
    return kept[0] * x[0]


def overwritten(x):
    y = x * 1.0
    y[1:] = np.sin(y[:-1])
    return np.sum(y * y * x)


def weighted(x):
    return np.sum(WEIGHTS * x)


def pieces(x, y):
    return np.block([x, y])[0]


def asked(x):
    s = np.sum(x)
    return s * 2.0 if isinstance(s, float) else s


def by_reciprocals(x):
    return np.sum(1.0 / x.sum(where=x > 0))


X = np.array([0.5, -1.5, 2.0])
W = np.arange(6.0).reshape(2, 3) / 7


def agrees(found, expected, cp):
    np.testing.assert_allclose(back(found, cp), expected, rtol=1e-12)


@pytest.mark.parametrize("program", [swapped, gone_through, asked], ids=lambda item: item.__name__)
def test_elements_have_the_meaning_that_they_have_in_numpy(program, cp):
    x = cp.asarray(X)
    expected = sg.value_and_grad(program, fallback="error")(X.copy())
    for _ in range(2):
        found = sg.value_and_grad(program, fallback="error")(x)
        agrees(found[0], expected[0], cp)
        agrees(found[1], expected[1], cp)
    agrees(x, X, cp)


def test_pullbacks_and_tangents_do_so_too(cp):
    x, seed = cp.asarray(X), np.array([1.0, -2.0, 0.5])
    _, pull = sg.vjp(overwritten, x, fallback="error")
    agrees(pull(1.0)[0], sg.vjp(overwritten, X.copy())[1](1.0)[0], cp)
    agrees(pull(2.0)[0], sg.vjp(overwritten, X.copy())[1](2.0)[0], cp)
    expected = sg.jvp(overwritten, (X.copy(),), (seed,))
    found = sg.jvp(overwritten, (x,), (cp.asarray(seed),), fallback="error")
    agrees(found[0], expected[0], cp)
    agrees(found[1], expected[1], cp)


def test_the_library_of_the_arguments_is_chosen_at_each_call(cp):
    g = sg.grad(smooth, (0, 1), fallback="error")
    expected = g(X, W)
    assert "import numpy as np" in g.source
    found = g(cp.asarray(X), cp.asarray(W))
    assert all(isinstance(item, cp.ndarray) for item in found)
    assert "from srcgrad.runtime.cupy import np" in g.source
    for mine, theirs in zip(found, expected, strict=True):
        agrees(mine, theirs, cp)
    assert all(type(item) is np.ndarray for item in g(X, W))


def test_nothing_is_copied_to_the_host(cp):
    g = sg.value_and_grad(smooth, (0, 1), fallback="error")
    before = COPIES.numbers
    g(cp.asarray(X), cp.asarray(W))
    assert COPIES.numbers == before


def test_float32_stays(cp):
    x, w = cp.asarray(X.astype(np.float32)), cp.asarray(W.astype(np.float32))
    value, grad = sg.value_and_grad(smooth, fallback="error")(x, w)
    assert value.dtype == grad.dtype == np.float32


def test_a_gradient_by_a_number_of_python_is_one(cp):
    def scaled(s, x):
        return np.sum(x * s) ** 2

    found = sg.grad(scaled, fallback="error")(2.0, cp.asarray(X))
    assert type(found) is float
    assert found == pytest.approx(sg.grad(scaled)(2.0, X))


@pytest.mark.parametrize("shape", [(), (0,), (1,), (2, 0)])
def test_odd_shapes(shape, cp):
    def f(x):
        return np.sum(np.exp(x) * x)

    x = np.full(shape, 0.5)
    found = sg.grad(f, fallback="error")(cp.asarray(x))
    assert found.shape == shape
    agrees(found, sg.grad(f)(x), cp)


def test_arrays_of_two_libraries_are_refused_by_name(cp):
    with pytest.raises(sg.MixedLibrariesError, match=r"`x` is an array of CuPy, and `w` one of Nu"):
        sg.grad(smooth)(cp.asarray(X), W)
    with pytest.raises(sg.MixedLibrariesError, match="`WEIGHTS`"):
        sg.grad(weighted)(cp.asarray(X))
    with pytest.raises(sg.MixedLibrariesError, match=r"cupy\.asarray"):
        sg.vjp(smooth, X, cp.asarray(W))


@pytest.mark.parametrize(
    ("backend", "there", "why"),
    [("cupy", False, "asks for CuPy"), ("numpy", True, "asks for NumPy"), ("numba", True, "NumPy")],
)
def test_a_backend_is_held_to(backend, there, why, cp):
    x, w = (cp.asarray(X), cp.asarray(W)) if there else (X, W)
    with pytest.raises(sg.MixedLibrariesError, match=why):
        sg.grad(smooth, backend=backend)(x, w)


def test_without_cupy_it_is_asked_for(monkeypatch):
    monkeypatch.setitem(importlib.import_module("sys").modules, "cupy", None)
    with pytest.raises(sg.ArgumentError, match="pip install cupy"):
        sg.grad(lambda s: s * s, backend="cupy")(2.0)


def test_what_is_missing_is_named_with_its_line(cp):
    x = cp.asarray(X)
    with pytest.raises(sg.LibraryGapError, match=r"(?s)no `np.block`.*np.block\(\[x, y\]\)"):
        sg.grad(pieces, fallback="error")(x, x)
    with pytest.raises(sg.LibraryGapError, match=r"(?s)'where'.*x.sum\(where"):
        sg.grad(by_reciprocals, fallback="error")(x)


def weighted_rows(x, w):
    return np.sin(w) * x * x


@pytest.mark.parametrize(
    "derivative",
    [
        sg.jacobian(weighted_rows, 1),
        sg.jacobian(weighted_rows, (0, 1)),
        sg.jacfwd(weighted_rows),
        sg.jacrev(weighted_rows),
        sg.jacobian(smooth),
        sg.hessian(smooth),
    ],
)
def test_jacobians_are_filled_there(derivative, cp):
    wanted = derivative(X, W)
    before = COPIES.numbers
    found = derivative(cp.asarray(X), cp.asarray(W))
    assert COPIES.numbers == before  # nothing was fetched
    for one, other in zip(parts(back(found, cp)), parts(wanted), strict=True):
        np.testing.assert_allclose(one, other)


def parts(value):
    return [p for item in value for p in parts(item)] if type(value) is tuple else [value]


@pytest.mark.parametrize(
    "function", [lambda x: (x, x), lambda x: {"x": x}, lambda x: {"x": x}["x"].sum() and 1.0]
)
def test_jacobians_of_containers_are_refused_there(function, cp):
    with pytest.raises((sg.LibraryGapError, sg.NotDifferentiableError)):
        sg.jacobian(function)(cp.asarray(X))


@pytest.mark.parametrize(
    "derivative",
    [
        sg.grad(swapped, backend="tape"),
        sg.jacobian(lambda x: (x * x, x), has_aux=True),
        sg.hessian(swapped, verify=True),
        sg.grad(swapped, debug_nans=True),
        sg.tensor,
        lambda x: sg.vjp(swapped, x, backend="tape"),
    ],
)
def test_what_is_for_numpy_alone_says_so(derivative, cp):
    with pytest.raises(sg.LibraryGapError, match="CuPy"):
        derivative(cp.asarray(X))


def test_verification_compares_the_text_on_the_host(cp, monkeypatch):
    seen = []
    monkeypatch.setattr("srcgrad.api.gradient.verify_gradient", lambda *item: seen.append(item[-1]))
    sg.grad(smooth, verify=True)(cp.asarray(X), cp.asarray(W))
    assert type(seen[0]["x"]) is np.ndarray
    np.testing.assert_array_equal(seen[0]["x"], X)


def solved(a, b):
    return np.sum(np.linalg.solve(a, b))


def solved_or_not(a, b):
    try:
        x = np.linalg.solve(a, b)
    except np.linalg.LinAlgError:
        x = a @ b
    return np.sum(x * x)


def test_linear_algebra_raises_as_numpy_does(cp):
    singular, b = np.array([[1.0, 2.0], [2.0, 4.0]]), np.array([0.5, -1.0])
    there = cp.asarray(singular), cp.asarray(b)
    assert np.isnan(cp.linalg.solve(*there).get()).all()  # unless it is asked to raise
    with pytest.raises(np.linalg.LinAlgError):
        sg.grad(solved)(*there)
    agrees(sg.grad(solved_or_not)(*there), sg.grad(solved_or_not)(singular, b), cp)


def without_axes_in_a_dict(x):
    a = np.array(np.sum(x))
    kept = {"b": a}
    v = kept["b"]
    v += x[1]
    return a * v


def without_axes_or_nothing(x):
    a = np.array(np.sum(x))
    v = a or x
    v += x[1]
    return a * v


@pytest.mark.parametrize("f", [without_axes_in_a_dict, without_axes_or_nothing])
def test_an_array_without_axes_that_is_updated_under_another_name_is_refused(f, cp):
    with pytest.raises(sg.LibraryGapError, match="without axes"):
        sg.grad(f, fallback="error")(cp.asarray(X))


CHOSEN = sample(
    [item for name, item in programs_by("source").items() if not name.startswith("scipy")], 60
)
KNOWN_TRAPS = (
    "axisless.copy_of_no_axes_updated axisless.selected_number_asked_what_it_is "
    "collisions.array_or_number_beside_a_write views.matrix_product_in_place "
    "callables.type_questions"
).split()


@pytest.mark.parametrize("name", [*(item.name for item in CHOSEN), *KNOWN_TRAPS])
def test_a_program_gives_what_numpy_gives_or_says_why_not(name, cp):
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        kind, why = outcome(every_program()[name], cp)
    assert kind in ("right", "refused", "own"), why


@pytest.mark.gpu
@pytest.mark.parametrize("name", [item.name for item in CHOSEN])
def test_a_program_does_so_on_a_device(name):
    cupy = importlib.import_module("cupy")
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        kind, why = outcome(every_program()[name], cupy)
    assert kind in ("right", "refused", "own"), why
