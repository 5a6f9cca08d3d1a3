"""An array library that has a record and no function: its gradients are right, or refused."""

from __future__ import annotations

import sys
import types

import numpy as np
import pytest

import srcgrad as sg
from srcgrad import backends
from tests.programs.corpus import programs_by, sample
from tests.targets.blocks import differs, each, plain

TOY = backends.Library(
    name="toy",
    title="Toy",
    module="toy_arrays",
    kind="Array",
    has_numbers=True,
    to_host="to_numpy",
    example="toy_arrays.Array(x)",
)


class Array:
    """What every array has, and arithmetic."""

    __module__ = "toy_arrays"
    __array_ufunc__ = None

    def __init__(self, values):
        self.values = np.asarray(values)

    dtype = property(lambda self: self.values.dtype)
    shape = property(lambda self: self.values.shape)
    ndim = property(lambda self: self.values.ndim)
    real = property(lambda self: self)

    def __len__(self):
        return len(self.values)

    def astype(self, kind, copy=True):
        return Array(self.values.astype(kind, copy=copy))

    def to_numpy(self):
        return self.values.copy()

    def __getitem__(self, key):
        found = self.values[key]
        return Array(found) if isinstance(found, np.ndarray) else found


def operator(name):
    def run(self, other):
        operand = other.values if isinstance(other, Array) else other
        return Array(getattr(self.values, name)(operand))

    return run


for operation in "add sub mul truediv pow matmul".split():
    for name in (f"__{operation}__", f"__r{operation}__"):
        setattr(Array, name, operator(name))


@pytest.fixture(autouse=True)
def toy(monkeypatch):
    module = types.ModuleType("toy_arrays")
    module.Array = Array
    monkeypatch.setitem(sys.modules, "toy_arrays", module)
    monkeypatch.setattr(backends, "ELSEWHERE", (*backends.ELSEWHERE, TOY))


def squares(x):
    return (x * x)[0] + 3.0 * x[1]


def waves(x):
    return np.sum(np.sin(x) * x)


def weighed(x, w):
    return np.sum(x * w)


def test_what_asks_for_no_function_runs():
    found = sg.jvp(squares, (Array([1.0, 2.0]),), (Array([1.0, 1.0]),), fallback="error")
    assert found == (7.0, 5.0)


def test_a_function_is_refused_by_name_and_line():
    with pytest.raises(sg.LibraryGapError, match=r"Toy has no `np\.\w+`") as caught:
        sg.grad(waves, fallback="error")(Array([1.0, 2.0]))
    assert caught.value.span.line == waves.__code__.co_firstlineno + 1


def test_arrays_of_two_libraries_are_named():
    with pytest.raises(sg.MixedLibrariesError, match="`x` is an array of Toy, and `w` one of NumP"):
        sg.grad(weighed, fallback="error")(Array([1.0]), np.ones(1))


CHOSEN = sample(
    [item for name, item in programs_by("source").items() if not name.startswith("scipy")], 40
)


def there(value):
    return Array(value) if type(value) is np.ndarray else each(value, there)


def here(value):
    return value.values if isinstance(value, Array) else each(value, here)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("program", CHOSEN, ids=lambda item: item.name)
def test_a_program_gives_what_numpy_gives_or_is_refused(program):
    by_numpy = sg.value_and_grad(program.function, program.argnums, fallback="tape")
    try:
        found = sg.value_and_grad(program.function, program.argnums)(*there(program.arguments()))
    except sg.SrcgradError:
        return
    assert not differs(plain(here(found)), plain(by_numpy(*program.arguments())))
