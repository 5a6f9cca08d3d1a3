"""Which library owns an array; CuPy is stood in for, and never imported."""

from __future__ import annotations

import sys
import types

import numpy as np
import pytest

from srcgrad import backends
from srcgrad.runtime.objects import is_plain_object


class FakeArray:
    """Stands for an array on a device."""


@pytest.fixture
def cupy(monkeypatch: pytest.MonkeyPatch) -> types.ModuleType:
    module = types.ModuleType("cupy")
    module.ndarray = FakeArray  # type: ignore[attr-defined]
    module.asarray = lambda value: FakeArray()  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "cupy", module)
    return module


def test_without_cupy_everything_is_numpy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "cupy", raising=False)
    assert backends.namespace(np.ones(2), 1.0) is np
    assert backends.namespace() is np
    assert backends.is_array(np.ones(2))
    assert not backends.is_array(2.0)
    assert "cupy" not in sys.modules


def test_one_device_array_makes_the_namespace_cupy(cupy: types.ModuleType) -> None:
    assert backends.namespace(1.0, FakeArray()) is cupy
    assert backends.namespace(np.ones(2)) is np
    assert backends.is_array(FakeArray())


def test_an_array_of_a_library_is_no_object_of_fields(
    cupy: types.ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    # as of a library whose source stands with the user's own
    assert not is_plain_object(FakeArray())
    monkeypatch.delitem(sys.modules, "cupy")
    assert is_plain_object(FakeArray())


def test_asarray_follows_its_example(cupy: types.ModuleType) -> None:
    assert isinstance(backends.asarray([1.0], FakeArray()), FakeArray)
    assert isinstance(backends.asarray([1.0], np.ones(1)), np.ndarray)
    array = np.ones(2)
    assert backends.asarray(array) is array
