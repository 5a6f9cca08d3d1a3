"""Which kinds of values are told apart at run time, and what runs in the place of others."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import srcgrad as sg
from srcgrad.backends import DASK
from srcgrad.errors import InternalError, LibraryGapError
from srcgrad.runtime import checked_generator, on_tape, recordable, taped, written_over
from srcgrad.runtime.drawing import draw_normal, multivariate_normal_push
from srcgrad.runtime.elements import elements, kind_of, updated
from srcgrad.runtime.known_limits import limit_of_function, limits_beside
from srcgrad.runtime.own_arithmetic import calculates_otherwise, own_arithmetic
from srcgrad.runtime.reducing import var_back
from tests.doubles.cupy_module import installed


def made_in(module: str, *bases: type, **names: Any) -> type:
    """Return a class of a module."""
    return type("Kind", bases or (object,), {"__module__": module, **names})


KINDS: dict[str, tuple[type, bool]] = {
    "a matrix": (np.matrix, True),
    "a number of NumPy": (np.float32, False),
    "a number with a name": (made_in("own", float), False),
    "a number that adds otherwise": (made_in("own", float, __add__=float.__sub__), True),
    "an array that is negated otherwise": (made_in("own", np.ndarray, __neg__=None), True),
    "an array": (np.ndarray, False),
    "one of a kind of those": (made_in("own", made_in("own", int, __radd__=None)), True),
    "a text": (str, False),
    "an object": (made_in("own"), False),
    "a quantity": (made_in("own", __array_ufunc__=len), True),
    "one that refuses": (made_in("own", __array_ufunc__=None), False),
    "an array of jax": (made_in("jaxlib.core", __array__=len), True),
    "an object of jax": (made_in("jaxlib.core"), False),
    "an array of nobody": (made_in("own", __array__=len), False),
}


@pytest.mark.parametrize("name", KINDS)
def test_kinds_with_operators_of_their_own_are_known(name: str) -> None:
    kind, otherwise = KINDS[name]
    assert calculates_otherwise(kind) is otherwise


def test_what_calculates_otherwise_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    said, hint = own_arithmetic(made_in("jaxlib.core", __array__=len))
    assert (said, hint) == ("an array of jax, which has an engine of its own", "pass np.asarray(x)")
    assert "masked elements" in own_arithmetic(np.ma.MaskedArray)[0]
    assert own_arithmetic(made_in("own", float))[1].endswith("float(x) or int(x)")
    assert own_arithmetic(made_in("own"))[1].endswith("np.asarray(x)")
    assert own_arithmetic(made_in("own", magnitude=1))[1].endswith("x.magnitude, of one unit")
    lazy = made_in("dask.array.core")
    monkeypatch.setattr(type(DASK), "makes", lambda self, kind: self is DASK and kind is lazy)
    assert calculates_otherwise.__wrapped__(lazy)
    assert own_arithmetic(lazy)[1].endswith("x.compute()")


def test_a_generator_is_one_of_numpy() -> None:
    rng = np.random.default_rng(3)
    assert checked_generator(rng) is rng
    wanted = np.random.default_rng(3).normal(1.0, 2.0, 4)
    np.testing.assert_array_equal(draw_normal(rng, 1.0, 2.0, 4), wanted)
    np.testing.assert_array_equal(draw_normal(3, 1.0, 2.0, 4), wanted)
    with pytest.raises(sg.NotDifferentiableError, match="method of a list, which is no random gen"):
        checked_generator([])


def test_a_covariance_that_varies_is_refused() -> None:
    np.testing.assert_array_equal(
        multivariate_normal_push(np.ones(2), None, (3, 2)), np.ones((3, 2))
    )
    with pytest.raises(sg.MissingRuleError, match="factorises"):
        multivariate_normal_push(np.ones(2), np.eye(2), (3, 2))


def test_a_variance_around_a_complex_mean_is_refused() -> None:
    with pytest.raises(sg.MissingRuleError, match="complex `mean`"):
        var_back(1.0, np.ones(3), True, 1j, None, False, 0)


def test_what_a_call_runs_on_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(taped, "_engines", [])
    with pytest.raises(InternalError, match="no tape"):
        on_tape(math.sin, (True,), 1.0)
    taped.set_engine(lambda *args, **kwargs: (args, kwargs))
    assert on_tape(math.sin, (True,), 1.0, key=2) == ((math.sin, (True,), 1.0), {"key": 2})


def test_what_records_gets_the_call() -> None:
    class Recorder:
        def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
            return "recorded", function, types, args, kwargs

    def half(x: Any, y: Any) -> Any:
        return x / y

    public, recorder = recordable(half), Recorder()
    assert public.__name__ == "half"
    assert public(3.0, np.float64(2.0)) == 1.5
    assert public(2.0, recorder) == ("recorded", public, (Recorder,), (2.0, recorder), {})


def test_an_update_in_place_is_written_as_numpy_writes_it() -> None:
    old = np.zeros(2, dtype="M8[D]")
    found = written_over(old, np.array(["2020-01-01", "2021-01-01"], dtype="M8[D]")[:1])
    np.testing.assert_array_equal(found, np.array(["2020-01-01"] * 2, dtype="M8[D]"))
    assert written_over(np.zeros(2, np.float32), np.ones(2)).dtype == np.float32
    with pytest.raises(TypeError, match="same_kind"):
        written_over(np.zeros(2), np.array(["a", "b"]))


def test_elements_elsewhere_are_numbers_of_their_own() -> None:
    with installed() as cupy:
        x = cupy.asarray(np.arange(3.0))
        items = elements(x)
        assert type(items) is list
        x[...] = 7.0
        assert [float(item.get()) for item in items] == [0.0, 1.0, 2.0]
        assert elements(cupy.asarray(np.ones((2, 2)))).shape == (2, 2)
        assert kind_of(items[0]) is np.float64
        assert kind_of(x) is type(x)
        old = items[1]
        assert float(updated("-", old, 3.0).get()) == -2.0
        assert float(old.get()) == 1.0
    rows = np.ones(2)
    assert elements(rows) is rows


def test_limits_of_functions_of_a_matrix_with_equal_eigenvalues() -> None:
    rng = np.random.default_rng(1)
    vectors, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    loss = rng.normal(size=(3, 3))
    loss = loss + loss.T
    middle, level, slope = vectors.T @ loss @ vectors, math.exp(0.7), math.exp(0.7)
    grad_w, grad_v = slope * np.diag(middle), 2.0 * level * loss @ vectors
    np.testing.assert_allclose(limit_of_function(grad_w, grad_v, vectors), slope * middle)
    first = np.arange(3) == 0
    found = limit_of_function(grad_w + 0.1 * first, grad_v, vectors)
    np.testing.assert_array_equal(np.isnan(found), first[:, None] != first)
    for other_w, other_v in (
        (grad_w, grad_v + vectors @ np.array([[0, 1, 0], [-1, 0, 0], [0, 0, 0]])),
        (0.0 * grad_w, 0.0 * grad_v),
    ):
        assert np.isnan(limit_of_function(other_w, other_v, vectors)).any()


def test_limits_beside_the_vectors_that_are_read() -> None:
    nan = math.nan
    inside, again, left, right = limits_beside(np.eye(4), np.eye(3), (0,), (-1,))
    np.testing.assert_array_equal(inside, [[nan, nan, nan], [nan, 0.0, nan], [nan, nan, nan]])
    np.testing.assert_array_equal(again, inside)
    np.testing.assert_array_equal(left, [nan, 0.0, 0.0])
    np.testing.assert_array_equal(right, [0.0, 0.0, nan])
    assert np.isnan(limits_beside(np.eye(4), np.eye(3), (3,), ())[2]).all()


def test_a_library_that_has_no_numbers_refuses_shadows_of_them() -> None:
    with installed() as cupy:

        def swapped(x: Any) -> Any:
            y = x * 1.0
            y[0] = y[1] * y[2]
            return np.sum(y * x)

        x = np.array([1.0, 2.0, 4.0])
        np.testing.assert_allclose(sg.grad(swapped)(cupy.asarray(x)).get(), sg.grad(swapped)(x))
    assert issubclass(LibraryGapError, sg.SrcgradError)
