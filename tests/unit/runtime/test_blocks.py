"""What runs on arrays of Dask, which a small double stands for: the calls are its, or refused."""

from __future__ import annotations

import importlib
import sys
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from srcgrad.runtime import blocks, shape_of, zeros_like
from srcgrad.runtime.blocks import apart, helpers, names


class Array:
    """An array that waits, as far as the calls below ask."""

    def __init__(self, host: Any, said: str = "") -> None:
        self.host, self.said = np.asarray(host), said

    shape = property(lambda self: self.host.shape)
    ndim = property(lambda self: self.host.ndim)
    dtype = property(lambda self: self.host.dtype)

    def __getitem__(self, index: Any) -> Array:
        return Array(self.host[index])

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Array:
        return Array(ufunc(*map(host, inputs), **options), f"{ufunc.__name__} by itself")


def host(value: Any) -> Any:
    return value.host if isinstance(value, Array) else value


def lazy_sum(
    a: Any, axis: Any = None, dtype: Any = None, keepdims: bool = False, *, out: Any = None
) -> Array:
    assert out is None
    return Array(np.sum(host(a), axis, dtype, keepdims=keepdims), "sum")


def lazy_repeat(a: Any, repeats: Any, axis: Any = None) -> Array:
    return Array(np.repeat(host(a), repeats, axis), "repeat")


def lazy_stack(seq: Any, axis: int = 0) -> Array:
    return Array(np.stack([host(item) for item in seq], axis), "stack")


def lazy_pad(array: Any, pad_width: Any, mode: str = "constant", **options: Any) -> Array:
    return Array(np.pad(host(array), pad_width, mode, **options), "pad")


def lazy_cumsum(x: Any, axis: Any = None, method: str = "sequential") -> Array:
    return Array(np.cumsum(host(x), axis), "cumsum")


def lazy_zeros(shape: Any, *args: Any, **options: Any) -> Array:
    return Array(np.zeros(shape), "zeros")


def lazy_any(*given: Any) -> Array:
    return Array(np.exp(host(given[0])), "exp")


def lazy_norm(x: Any, axis: Any = None, **options: Any) -> Array:
    return Array(np.linalg.norm(host(x), axis=axis, **options), "norm")


def lazy_quantile(a: Any, q: Any, axis: Any = None, *, method: str = "linear") -> Array:
    return Array(np.quantile(host(a), q, axis, method=method), method)


@pytest.fixture
def array(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    module, package, linalg = (ModuleType(name) for name in ("dask.array", "dask", "linalg"))
    linalg.norm = lazy_norm  # type: ignore[attr-defined]
    module.__dict__.update(
        Array=Array,
        sum=lazy_sum,
        repeat=lazy_repeat,
        stack=lazy_stack,
        pad=lazy_pad,
        cumsum=lazy_cumsum,
        zeros=lazy_zeros,
        exp=lazy_any,
        linalg=linalg,
        quantile=lazy_quantile,
        percentile=lazy_any,
    )
    monkeypatch.setitem(sys.modules, "dask", package)
    monkeypatch.setitem(sys.modules, "dask.array", module)
    return module


MATRIX = np.arange(6.0).reshape(2, 3)


def test_a_call_with_an_array_that_waits_is_one_of_its_library(array: ModuleType) -> None:
    there = names(array)
    x = Array(MATRIX)
    for found, wanted, said in (
        (there.sum(x, 0), MATRIX.sum(0), "sum"),
        (there.sum(x, 0, None, None, True), MATRIX.sum(0, keepdims=True), "sum"),
        (there.sum(a=x), MATRIX.sum(), "sum"),
        (there.repeat(x, 2, 1), MATRIX.repeat(2, 1), "repeat"),
        (there.stack([MATRIX, (x, x)[0]], 1), np.stack([MATRIX] * 2, 1), "stack"),
        (there.pad(x, 1, "edge"), np.pad(MATRIX, 1, "edge"), "pad"),
        (there.cumsum(x, 1), MATRIX.cumsum(1), "cumsum"),
        (there.exp(x), np.exp(MATRIX), "exp"),
        (there.sin(x), np.sin(MATRIX), "sin by itself"),
        (there.linalg.norm(x, 2, 1), np.linalg.norm(MATRIX, 2, 1), "norm"),
        (there.quantile(x, 0.5, 1, None, False, "linear"), np.quantile(MATRIX, 0.5, 1), "linear"),
        (
            there.quantile(x, 0.5, 1, None, False, "lower"),
            np.quantile(MATRIX, 0.5, 1, method="lower"),
            "lower",
        ),
        (there.zeros(3), np.zeros(3), "zeros"),
    ):
        np.testing.assert_allclose(found.host, wanted)
        assert found.said == said
    assert there.sum is there.sum


def test_a_call_without_one_is_that_of_numpy(array: ModuleType) -> None:
    there = names(array)
    assert type(there.sum(MATRIX, 0)) is np.ndarray
    assert there.sum.__name__ == "sum"
    np.testing.assert_array_equal(there.add.reduce(MATRIX, axis=1), MATRIX.sum(1))
    np.testing.assert_array_equal(there.multiply.outer([1.0, 2.0], [3.0]), [[3.0], [6.0]])
    assert there.shape([[1.0, 2.0]]) == (1, 2)
    assert there.pi == np.pi
    assert there.float32 is np.float32
    assert there.percentile(MATRIX, 50) == 2.5


def test_what_is_not_there_is_refused(array: ModuleType) -> None:
    there, x = names(array), Array(MATRIX)
    for call, said in (
        (lambda: there.percentile(x, 50), "`np.percentile` is not exact there"),
        (lambda: there.sort(x), "it has no `np.sort`"),
        (lambda: there.cumsum(x, 1, float), "`np.cumsum` has no option `dtype` there"),
        (lambda: there.sum(x, 0, None, None, False, 1.0), "no option `initial` there"),
    ):
        with pytest.raises(TypeError, match=said):
            call()
    with pytest.raises(AttributeError, match="an array of NumPy"):
        there.ndarray  # noqa: B018 - to ask is the test


def test_options_that_are_elsewhere_there_go_by_name(array: ModuleType) -> None:
    moved = blocks._moved(np.sum, lazy_sum)
    assert [item[:2] for item in moved[:2]] == [(3, "out"), (4, "keepdims")]
    assert [item[3] for item in moved] == [True, True, False, False]
    assert blocks._moved(np.repeat, lazy_repeat) == ()
    assert blocks._moved(np.exp, lazy_any) == ()
    assert blocks._moved(np.sum, lazy_any) == ()
    assert blocks._moved(np.sum, dict) == ()
    assert [item[1:] for item in blocks._moved(np.pad, lazy_pad)] == []
    assert blocks._moved(np.cumsum, lazy_cumsum)[0] == (2, "dtype", None, False)


def test_helpers_run_with_these_names(array: ModuleType) -> None:
    made = helpers(array)
    assert made.of(shape_of)(Array(MATRIX)) == (2, 3)
    text = importlib.import_module("srcgrad.runtime.dask")
    assert type(text.np) is blocks.Names
    twin = text.zeros_like
    assert twin.__name__ == "zeros_like"
    np.testing.assert_array_equal(twin(MATRIX), zeros_like(MATRIX))
    assert isinstance(Array(MATRIX), twin.__globals__["np"].ndarray)
    with pytest.raises(AttributeError):
        text.__wrapped__  # noqa: B018 - to ask is the test
    sys.modules.pop("dask.array")
    with pytest.raises(AttributeError):
        text.np  # noqa: B018 - to ask is the test


@pytest.mark.parametrize(
    ("x", "index"),
    [
        (Array(MATRIX), (0, 1)),
        (Array(MATRIX), [0, 1]),
        (Array(MATRIX), (slice(None), np.array([0, 2]))),
        (np.array([1.0, 2.0], dtype=object), 1),
        ([1.0, 2.0], 0),
        ({"k": (1.0, 2.0)}, "k"),
    ],
)
def test_a_part_that_is_no_view_is_read_late(x: Any, index: Any) -> None:
    found = apart(x, index)
    np.testing.assert_array_equal(host(found), host(x[index]))


@pytest.mark.parametrize(
    ("x", "index"),
    [
        (Array(MATRIX), 0),
        (Array(MATRIX), (slice(1), 2)),
        ([MATRIX, 1.0], 0),
        ([[1.0], 2.0], 0),
        ({"k": {}}, "k"),
    ],
)
def test_a_view_is_not_read_late(x: Any, index: Any) -> None:
    with pytest.raises(TypeError, match="which a view of it would show"):
        apart(x, index)
