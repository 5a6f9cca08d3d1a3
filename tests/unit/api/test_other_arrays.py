"""Arrays of other libraries and types: right, or refused by one error that says what to write."""

from __future__ import annotations

import numpy as np
import pytest

import srcgrad as sg
from tests.differences import assert_same, numerical_gradient

X = np.array([1.0, 2.0, 4.0])


def square(x):
    return np.sum(x * x)


def weighed(w, data):
    return np.sum(w * data)


class Quantity:
    """Numbers with a unit, as in libraries for those."""

    def __init__(self, magnitude, unit="m"):
        self._magnitude, self.unit = magnitude, unit

    magnitude = property(lambda self: self._magnitude)
    dtype = property(lambda self: np.asarray(self.magnitude).dtype)

    def __mul__(self, other):
        return Quantity(self.magnitude * getattr(other, "magnitude", other), self.unit)

    __rmul__ = __mul__

    def __array__(self, dtype=None, copy=None):
        return np.asarray(self.magnitude)

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        plain = [getattr(item, "magnitude", item) for item in inputs]
        return Quantity(getattr(ufunc, method)(*plain, **kwargs), self.unit)


class Marked(np.ndarray):
    """A subclass that calculates as arrays do."""


class Doubling(np.ndarray):
    """One that does not."""

    def __mul__(self, other):
        return np.ndarray.__mul__(self, other) * 2.0


def masked():
    return np.ma.masked_array(X, [False, True, False])


def matrix():
    return np.asmatrix(X)


REFUSED = {
    "masked": (masked, "np.where"),
    "matrix": (matrix, "@"),
    "quantity": (lambda: Quantity(X), "magnitude"),
    "doubling": (lambda: X.view(Doubling), "np.asarray"),
}
CALLS = {
    "grad": lambda f, *xs: sg.grad(f)(*xs),
    "tape": lambda f, *xs: sg.grad(f, backend="tape")(*xs),
    "vjp": lambda f, *xs: sg.vjp(f, *xs)[1](1.0),
    "jvp": lambda f, *xs: sg.jvp(f, xs, tuple(xs)),
    "jacobian": lambda f, *xs: sg.jacobian(f)(*xs),
    "hessian": lambda f, *xs: sg.hessian(f)(*xs),
}


@pytest.mark.filterwarnings("ignore::PendingDeprecationWarning")
@pytest.mark.filterwarnings("ignore::srcgrad.FallbackWarning")
@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
@pytest.mark.parametrize(("make", "hint"), REFUSED.values(), ids=REFUSED)
def test_what_calculates_otherwise_is_refused_with_what_to_write(make, hint, call):
    with pytest.raises(sg.SrcgradError) as refusal:
        call(square, make())
    assert hint in str(refusal.value)


@pytest.mark.filterwarnings("ignore::PendingDeprecationWarning")
@pytest.mark.parametrize(("make", "hint"), REFUSED.values(), ids=REFUSED)
def test_so_it_is_beside_what_is_differentiated(make, hint):
    with pytest.raises(sg.SrcgradError) as refusal:
        sg.grad(weighed)(X, make())
    assert hint in str(refusal.value)


def test_subclasses_that_calculate_as_arrays_are_given_back():
    gradient = sg.grad(square)(X.view(Marked))
    assert type(gradient) is Marked
    assert_same(np.asarray(gradient), 2.0 * X)


def test_files_in_memory_are_arrays(tmp_path):
    mapped = np.memmap(tmp_path / "x", dtype=float, mode="w+", shape=(3,))
    mapped[:] = X
    assert_same(sg.grad(square)(mapped), numerical_gradient(square, (X,), 0))


@pytest.mark.parametrize("kind", [object, "M8[D]", "m8[s]", "S3", bool, np.int8])
def test_arrays_of_anything_but_floats_are_named(kind):
    with pytest.raises(sg.IntegerInputError, match=r"x\.astype\(float\)"):
        sg.grad(square)(np.zeros(2, dtype=kind))


def test_objects_that_are_numbers_may_be_data():
    data = np.array([1.0, 2.0, 3.0], dtype=object)
    gradient = sg.grad(weighed)(X, data)
    assert gradient.dtype == float
    np.testing.assert_array_equal(gradient, [1.0, 2.0, 3.0])


@pytest.mark.parametrize("kind", [np.float16, np.float32, np.longdouble])
def test_floats_of_other_sizes_are_kept(kind):
    gradient = sg.grad(square)(X.astype(kind))
    assert gradient.dtype == kind
    assert_same(gradient.astype(float), 2.0 * X)


def other_engine(name):
    library = pytest.importorskip(name)
    return library, library.asarray(X) if name != "jax" else library.numpy.asarray(X)


@pytest.mark.filterwarnings("ignore::srcgrad.FallbackWarning")
@pytest.mark.parametrize("name", ["jax", "torch"])
def test_other_engines_are_named_with_what_to_write(name):
    library, array = other_engine(name)
    for call in CALLS.values():
        with pytest.raises(sg.SrcgradError, match=r"np\.asarray|NumPy"):
            call(square, array)
    with pytest.raises(sg.SrcgradError, match=r"np\.asarray"):
        sg.grad(weighed)(X, array)
    space = library if name == "torch" else library.numpy
    with pytest.raises(sg.SrcgradError, match=f"differentiate it by {name}"):
        sg.grad(lambda x: space.sum(x * x))(X)


def test_a_function_of_another_engine_is_refused_and_not_cut_off(monkeypatch):
    torch = type(np)("torch")
    torch.sum = "".join  # a function without source that raises TypeError, as those of torch do
    monkeypatch.setitem(globals(), "torch", torch)
    with (
        pytest.warns(sg.FallbackWarning),
        pytest.raises(sg.UnsupportedError, match="differentiate it by torch"),
    ):
        sg.grad(of_another_engine)(X)


def of_another_engine(x):
    return torch.sum(x * x)  # noqa: F821 - it stands in for the library


STEEP = {
    "sqrt": (lambda x: np.sum(np.sqrt(x)), np.array([0.0, 4.0])),
    "power": (lambda x: np.sum(x**0.5), np.array([0.0, 4.0])),
    "arcsin": (lambda x: np.sum(np.arcsin(x)), np.array([1.0, 0.5])),
    "inverse": (lambda x: np.sum(1.0 / x), np.array([1e-200, 1.0])),
}


@pytest.mark.parametrize("name", ["tape", "vjp", "backward", "compile"])
@pytest.mark.parametrize(("f", "x"), STEEP.values(), ids=STEEP)
def test_the_way_back_gives_no_warnings_of_its_own(f, x, name):
    def backward(run):
        given = sg.tensor(x, requires_grad=True)
        run(given).backward()
        return given.grad.numpy()

    ways = {
        "tape": lambda: sg.grad(f, backend="tape")(x),
        "vjp": lambda: sg.vjp(f, x)[1](1.0)[0],
        "backward": lambda: backward(f),
        "compile": lambda: backward(sg.compile(f)),
    }
    with np.errstate(all="raise"):
        f(x)
        gradient = ways[name]()
    assert np.isinf(gradient[0])
    assert_same(gradient[1], numerical_gradient(f, (x[1:],), 0)[0])


def test_warnings_of_the_function_itself_are_given():
    for derivative in (sg.value_and_grad(logarithm), lambda x: sg.vjp(logarithm, x)):
        with pytest.warns(RuntimeWarning, match="log"):
            derivative(-X)


def logarithm(x):
    return np.sum(np.log(x) * x)
