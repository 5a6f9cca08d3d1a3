"""What functions keep, set and count outside of them: each derivative sees and leaves what they do.

Each program begins with the same state. Its value, the gradient in every mode, and the state after
the call are compared with the function itself; so are later calls, where settings are others.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import srcgrad as sg
from tests.traps.state import bound_anew, bound_elsewhere, own_memory, settings, written_tables
from tests.traps.state.settings import Program

X, ALONG, ACROSS = np.array([[0.3, 0.7, 1.2], [1.0, -0.5, 0.7], [0.2, 0.9, -0.4]])
MODULES = (settings, bound_anew, bound_elsewhere, own_memory, written_tables)
FUNCTIONS = [item for module in MODULES for item in vars(module).values() if callable(item)]
FUNCTIONS += written_tables.CELLS
PROGRAMS = [found for item in FUNCTIONS if (found := settings.PROGRAMS.get(item)) is not None]
HOLDERS = (*MODULES, settings.Config, settings.BOX)
CACHES = (settings.weight_of, bound_elsewhere._plan)


def _is_data(name: str, value: Any) -> bool:
    is_plain = not name.startswith("__") and name != "PROGRAMS"
    return is_plain and not isinstance(value, (ModuleType, type))


def _contents(value: Any) -> Any:
    return value.copy() if isinstance(value, (np.ndarray, list, dict)) else value


class State:
    """All that the programs may change, as it was when this was made."""

    def __init__(self) -> None:
        self._names = [
            (item, {n: v for n, v in vars(item).items() if _is_data(n, v)}) for item in HOLDERS
        ]
        held = [value for _, names in self._names for value in names.values()]
        self._held = [(v, v.copy()) for v in held if isinstance(v, (np.ndarray, list, dict))]
        functions = [item for item in written_tables.CELLS if item.__closure__]
        cells = {id(c): c for item in functions for c in item.__closure__}
        cells |= {
            id(c): c
            for cell in [*cells.values()]
            if callable(cell.cell_contents)
            for c in cell.cell_contents.__closure__ or ()
        }
        self._cells = [(c, _contents(c.cell_contents)) for c in cells.values()]
        self._fields = vars(bound_elsewhere._attr).copy()
        self._default = bound_elsewhere._mutable.__defaults__[0]

    def restore(self, **names: Any) -> None:
        """Put all back, then bind some names of the settings."""
        for item, before in self._names:
            for name, value in before.items():
                setattr(item, name, value)
        for value, before in self._held:
            if isinstance(value, np.ndarray):
                value[...] = before
            else:
                value.clear()
                (value.update if isinstance(value, dict) else value.extend)(before)
        for cell, before in self._cells:
            if isinstance(before, np.ndarray):
                cell.cell_contents[...] = before
            else:
                cell.cell_contents = before
        vars(bound_elsewhere._attr).clear()
        self._default.clear()
        for cache in CACHES:
            cache.cache_clear()
        for name, value in names.items():
            setattr(settings, name, value)

    def picture(self, given: tuple[Any, ...] = ()) -> str:
        """Return what there is now, in words."""
        held = [[_contents(getattr(item, name)) for name in names] for item, names in self._names]
        cells = [_contents(cell.cell_contents) for cell, _ in self._cells]
        arrays = [item for item in given if isinstance(item, np.ndarray)]
        kept = [vars(bound_elsewhere._attr), self._default]
        return repr([held, cells, arrays, kept])

    def spoil(self, given: tuple[Any, ...]) -> None:
        """Change what a pullback might read too late."""
        settings.UNITS, settings.SCALE, settings.FLAG = "none", 77.0, True
        settings.Config.scale = settings.BOX.scale = bound_anew.LOCAL = 12.0
        arrays = [value for value, _ in self._held if isinstance(value, np.ndarray)]
        for item in (*arrays, *given):
            if isinstance(item, np.ndarray):
                item[...] = 17.0
        settings.OPTIONS.update(power=9.0)
        settings.LIMITS[0] = 9.9


STATE = State()


@pytest.fixture(autouse=True)
def begun() -> Iterator[None]:
    STATE.restore()
    yield
    STATE.restore()


class Way:
    """One program from the same state again and again."""

    def __init__(self, program: Program, **names: Any) -> None:
        self._function, self._given, self._names = program.function, program.given, names

    def value(self, x: Any) -> tuple[Any, str]:
        given = self.begin()
        return self._function(x, *given), STATE.picture(given)

    def begin(self) -> tuple[Any, ...]:
        STATE.restore(**self._names)
        return self._given()

    def slope(self, x: Any, step: float = 1e-6) -> Any:
        units = step * np.eye(3)
        return np.array([self.value(x + h)[0] - self.value(x - h)[0] for h in units]) / (2 * step)


def _names(program: Program) -> str:
    return program.function.__qualname__


every_program = pytest.mark.parametrize("program", PROGRAMS, ids=_names)
runs = pytest.mark.parametrize(
    "program", [item for item in PROGRAMS if item.by != "refused"], ids=_names
)


@runs
def test_gradients_and_what_is_left(program: Program) -> None:
    way = Way(program)
    value, left = way.value(X.copy())
    slope = way.slope(X)
    derivative = sg.value_and_grad(program.function, fallback="tape")
    for _ in range(2):
        given = way.begin()
        found, grad = derivative(X.copy(), *given)
        assert STATE.picture(given) == left
        np.testing.assert_allclose(found, value)
        np.testing.assert_allclose(grad, slope, rtol=1e-5, atol=1e-6)
    for names in ({"UNITS": "two"}, {"SCALE": 3.5}, {"FLAG": True}, {}):
        way = Way(program, **names)
        value, left = way.value(X.copy())
        given = way.begin()
        found, grad = derivative(X.copy(), *given)
        assert STATE.picture(given) == left
        np.testing.assert_allclose(found, value)
        np.testing.assert_allclose(grad, way.slope(X), rtol=1e-5, atol=1e-6)


@runs
def test_pullbacks_read_what_was_there(program: Program) -> None:
    way = Way(program)
    value, left = way.value(X.copy())
    slope = way.slope(X)
    given = way.begin()
    found, pull = sg.pullback(program.function, fallback="tape")(X.copy(), *given)
    assert STATE.picture(given) == left
    np.testing.assert_allclose(found, value)
    for _ in range(2):
        np.testing.assert_allclose(pull(1.0), slope, rtol=1e-5, atol=1e-6)
        assert STATE.picture(given) == left
    given = way.begin()
    _, pull = sg.pullback(program.function, fallback="tape")(X.copy(), *given)
    STATE.spoil(given)
    np.testing.assert_allclose(pull(1.0), slope, rtol=1e-5, atol=1e-6)


@runs
def test_tangents_and_second_derivatives(program: Program) -> None:
    way = Way(program)
    value, left = way.value(X.copy())
    slope = way.slope(X)
    steps = [way.slope(X + h * ACROSS, 1e-4) for h in (1e-4, -1e-4)]
    given = way.begin()

    def alone(x: Any) -> Any:
        return program.function(x, *given)

    function: Callable[..., Any] = alone if given else program.function
    found, tangent = sg.jvp(function, (X.copy(),), (ALONG,), fallback="tape")
    assert STATE.picture(given) == left
    np.testing.assert_allclose(found, value)
    np.testing.assert_allclose(tangent, slope @ ALONG, rtol=1e-5, atol=1e-6)
    given = way.begin()
    product = sg.hvp(function, (X.copy(),), (ACROSS,), fallback="tape")
    np.testing.assert_allclose(product, (steps[0] - steps[1]) / 2e-4, rtol=1e-3, atol=1e-5)


@every_program
def test_each_goes_by_its_engine(program: Program) -> None:
    given = Way(program).begin()
    derivative = sg.grad(program.function, fallback="error")
    with warnings.catch_warnings():
        warnings.simplefilter("error", sg.FallbackWarning)
        if program.by == "source":
            derivative(X.copy(), *given)
        else:
            with pytest.raises(sg.SrcgradError):
                derivative(X.copy(), *given)
