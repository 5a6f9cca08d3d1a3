"""NumPy's functions on a library that takes arrays alone: numbers and lists become arrays."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from srcgrad.backends import Library
from srcgrad.errors import LibraryGapError
from srcgrad.runtime import shadow_of, unbroadcast
from srcgrad.runtime.elsewhere import SIZES, Elsewhere, Helpers, Names, array_parameters
from srcgrad.runtime.elsewhere import _taking_numbers as taking_numbers
from tests.doubles.cupy_module import installed

ROW = np.arange(3.0)


@pytest.fixture
def cupy() -> Iterator[ModuleType]:
    with installed() as module:
        yield module


def host(value: Any) -> Any:
    """Return arrays of the library, in containers too, as those of NumPy."""
    if isinstance(value, (list, tuple)):
        return [host(item) for item in value]
    return value.get() if hasattr(value, "get") else value


CALLS: dict[str, Callable[[Any, Any], Any]] = {
    "a number": lambda np, x: np.sum(2.0),
    "an element of NumPy": lambda np, x: np.exp(x) + np.sum(ROW[1]),
    "a list of numbers": lambda np, x: np.sum([1.0, 2.0]),
    "a list with an array in it": lambda np, x: np.sum([x[0], 2.0]),
    "nested lists": lambda np, x: np.mean([[x[0], 1.0], [2.0, x[1]]], axis=0),
    "by its name": lambda np, x: np.sum(axis=0, a=[1.0, 2.0]),
    "an array by its name": lambda np, x: np.sum(a=x),
    "lists to be joined": lambda np, x: np.concatenate([x, [1.0, x[0]]]),
    "an array to be cut up": lambda np, x: np.stack(x.reshape(3, 1)),
    "a tuple of rows": lambda np, x: np.stack((x, [1.0, 2.0, 3.0]), axis=1),
    "a list that comes later": lambda np, x: np.dot(x, [x[0], 1.0, x[2]]),
    "numbers that come later": lambda np, x: np.reshape(x, (3, 1)),
    "places that come later": lambda np, x: np.sum(x, 0),
    "an array of lists": lambda np, x: np.array([[x[0], 2.0], [3.0, x[1]]]),
    "an array of numbers": lambda np, x: np.asarray([1.0, 2.0], dtype="f4"),
    "an inverse": lambda np, x: np.linalg.inv([[2.0, 0.0], [1.0, 4.0]]),
    "a shape": lambda np, x: np.shape([[x, x], [x, x]]),
    "the shape of nothing": lambda np, x: np.shape([[], []]),
    "axes": lambda np, x: np.ndim([x, x]),
    "all elements": lambda np, x: np.size([x, x]),
    "those of one axis": lambda np, x: np.size(x.reshape(3, 1), 1),
    "a scalar": lambda np, x: (np.isscalar(x[0]), np.isscalar(x), np.isscalar(2.0)),
    "a constant": lambda np, x: np.pi * x + (np.newaxis is None),
}


@pytest.mark.parametrize("name", CALLS)
def test_calls_take_what_those_of_numpy_take(name: str, cupy: ModuleType) -> None:
    call = CALLS[name]
    found = host(call(Names(cupy, np, cupy), cupy.asarray(ROW)))
    wanted = call(np, ROW)
    np.testing.assert_array_equal(found, wanted)
    assert getattr(found, "dtype", None) == getattr(wanted, "dtype", None) or np.ndim(wanted) == 0


def test_a_name_that_is_not_about_arrays_is_that_of_numpy(cupy: ModuleType) -> None:
    names = Names(cupy, np, cupy)
    for name in ("True_", "errstate"):
        assert not hasattr(cupy, name) or getattr(names, name) is getattr(cupy, name)
        assert getattr(names, name) in (getattr(np, name), getattr(cupy, name, None))
    lacking = next(n for n, f in vars(np).items() if hasattr(f, "at") and not hasattr(cupy, n))
    with pytest.raises(AttributeError, match=f"cupy has no '{lacking}'"):
        getattr(names, lacking)
    cuda = ModuleType("cupy.cuda")
    own = ModuleType("toy")
    own.cuda, own.asarray = cuda, np.asarray  # type: ignore[attr-defined]
    assert Names(own, np, own).cuda is cuda


def test_linear_algebra_raises_where_that_of_numpy_does(cupy: ModuleType) -> None:
    singular = [[1.0, 1.0], [1.0, 1.0]]
    with pytest.raises(np.linalg.LinAlgError):
        Names(cupy, np, cupy, sys.modules["cupyx"]).linalg.inv(singular)
    assert not np.isfinite(host(Names(cupy, np, cupy).linalg.inv(singular))).all()


def test_the_first_array_is_found_where_nothing_tells_the_parameters(cupy: ModuleType) -> None:
    assert dict(array_parameters(dict)) == {}
    joined = taking_numbers(lambda *given, **named: (given, named), dict, cupy)
    given, named = joined([1.0, 2.0], [3.0], key=[4.0])
    np.testing.assert_array_equal(host(given[0]), [1.0, 2.0])
    assert given[1] == [3.0]
    assert named == {"key": [4.0]}
    assert dict(array_parameters(np.einsum))["operands"] == "array"
    assert "xi" in array_parameters(np.meshgrid)
    assert array_parameters(np.concatenate)["arrays"] == "arrays"


def test_shapes_are_told_of_nested_lists() -> None:
    assert SIZES["shape"]([[1, 2, 3], [4, 5, 6]]) == (2, 3)
    assert SIZES["ndim"]([[1.0]]) == 2
    assert SIZES["size"]([[1, 2, 3], [4, 5, 6]]) == 6
    assert SIZES["size"]([[1, 2, 3], [4, 5, 6]], 1) == 3


def test_shadows_of_numbers_are_refused_there(cupy: ModuleType) -> None:
    made = Helpers(Names(cupy, np, cupy), "CuPy").of(shadow_of)
    np.testing.assert_array_equal(host(made(cupy.asarray(ROW))), np.zeros(3))
    with pytest.raises(LibraryGapError, match="CuPy has no number beside arrays without axes"):
        made(cupy.asarray(ROW)[0])


def test_a_text_gets_its_names_from_the_library(monkeypatch: pytest.MonkeyPatch) -> None:
    library = Library("toy", "Toy", "toy_arrays", "Array", True, "get", "toy.asarray(x)")
    there = Elsewhere(library)
    with pytest.raises(AttributeError, match="Toy is not imported"):
        there.find("np", {})
    with installed() as cupy:
        monkeypatch.setitem(sys.modules, "toy_arrays", cupy)
        helpers = {"unbroadcast": unbroadcast}
        names = there.find("np", helpers)
        assert there.find("np", helpers) is names
        np.testing.assert_array_equal(host(names.sum([1.0, 2.0])), 3.0)
        twin = there.find("unbroadcast", helpers)
        assert twin is there.find("unbroadcast", helpers)
        assert twin.__globals__["np"] is names
        with pytest.raises(AttributeError, match="nothing"):
            there.find("nothing", helpers)
