"""Labels of Series and DataFrames, which small doubles of these stand for."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
import pytest

from srcgrad.runtime.labelled import is_labelled, labelled_in, with_labels, without_labels


class Index:
    """Labels."""

    def __init__(self, labels: Any) -> None:
        self.labels = list(labels)

    def __len__(self) -> int:
        return len(self.labels)

    def __iter__(self) -> Any:
        return iter(self.labels)

    def to_numpy(self) -> Any:
        return np.array(self.labels)


class Series:
    """Numbers with a label each."""

    def __init__(self, values: Any, index: Any, name: Any = None, dtype: Any = None) -> None:
        self.values, self.index, self.name = np.array(values, dtype), index, name

    def to_numpy(self) -> Any:
        return self.values


class DataFrame:
    """Columns of the same length."""

    def __init__(self, values: Any, index: Any = None, columns: Any = None) -> None:
        if isinstance(values, dict):
            columns = Index(values)
            index = next(iter(values.values())).index
            self.held = dict(values)
        else:
            rows = np.asarray(values)
            pairs = zip(columns, rows.T, strict=True)
            self.held = {name: Series(part, index, name) for name, part in pairs}
        self.index, self.columns = index, columns

    def __getitem__(self, name: str) -> Series:
        return self.held[name]

    def to_numpy(self) -> Any:
        return np.stack([part.values for part in self.held.values()], 1)


class Pair(NamedTuple):
    """A tuple with names."""

    one: Any
    other: Any


class Own(dict):
    """A dict of a class of its own."""


@pytest.fixture(autouse=True)
def pandas(monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("pandas")
    module.__dict__.update(Series=Series, DataFrame=DataFrame, Index=Index)
    monkeypatch.setitem(sys.modules, "pandas", module)


ROWS = Index("abc")
WEIGHTS = Series([1.0, 2.0, 4.0], ROWS, "w")
FRAME = DataFrame(np.arange(6.0).reshape(3, 2), ROWS, Index("uv"))


def test_what_has_labels_is_known_and_found() -> None:
    for value in (ROWS, WEIGHTS, FRAME):
        assert is_labelled(value)
    assert not is_labelled(np.ones(2))
    held = {"k": [WEIGHTS, (1.0, {"f": FRAME})], "n": np.ones(2)}
    assert [id(item) for item in labelled_in([held, ROWS])] == [id(WEIGHTS), id(FRAME), id(ROWS)]


def test_without_pandas_nothing_has_labels(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "pandas")
    assert not is_labelled(WEIGHTS)
    assert list(labelled_in([WEIGHTS])) == []


def test_labels_are_taken_off_in_containers() -> None:
    given = Own(a=Pair(WEIGHTS, [FRAME, 2.0]), n=None)
    whole = without_labels(given, by_column=False)
    assert type(whole) is Own
    assert type(whole["a"]) is Pair
    np.testing.assert_array_equal(whole["a"].one, [1.0, 2.0, 4.0])
    assert not np.shares_memory(whole["a"].one, WEIGHTS.values)
    np.testing.assert_array_equal(whole["a"].other[0], FRAME.to_numpy())
    assert whole["a"].other[1] == 2.0
    columns = without_labels((FRAME,), by_column=True)[0]
    assert list(columns) == ["u", "v"]
    np.testing.assert_array_equal(columns["v"], [1.0, 3.0, 5.0])
    assert type(without_labels({"k": 1.0}, by_column=True)) is dict


def test_numbers_beside_missing_values_are_floats() -> None:
    mixed = Series([1, 2.5, float("nan")], ROWS, dtype=object)
    found = without_labels(mixed, by_column=True)
    assert found.dtype == float
    words = without_labels(Series(["a", 1.0], Index("xy"), dtype=object), by_column=True)
    assert words.dtype == object


def test_gradients_get_the_labels_back() -> None:
    grad = {"p": Pair(np.ones(3), [np.ones((3, 2)), 5.0]), "i": np.ones(3), "none": None}
    value = {"p": Pair(WEIGHTS, [FRAME, 1.0]), "i": ROWS, "none": WEIGHTS}
    found = with_labels(grad, value)
    assert type(found["p"]) is Pair
    series, (frame, number) = found["p"]
    assert (type(series), series.index, series.name) == (Series, ROWS, "w")
    np.testing.assert_array_equal(series.values, np.ones(3))
    assert (type(frame), frame.index, frame.columns) == (DataFrame, ROWS, FRAME.columns)
    assert number == 5.0
    np.testing.assert_array_equal(found["i"], np.ones(3))
    assert found["none"] is None
    columns = with_labels({"u": np.ones(3), "v": None}, FRAME)
    assert columns["u"].index is ROWS
    np.testing.assert_array_equal(columns["u"].values, np.ones(3))
    assert columns["v"].values.tolist() == [None] * 3
    assert columns["v"].values.dtype == object
    assert with_labels((np.ones(3), 2.0), (WEIGHTS, 1.0))[0].name == "w"
    for value in ({"k": WEIGHTS}, [WEIGHTS], (FRAME,), WEIGHTS, 2.0):
        assert with_labels(None, value) is None
