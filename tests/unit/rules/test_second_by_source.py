"""Second derivatives by source: of each rule one call, in reverse and in forward mode over reverse.

The gradient of a call is differentiated by all its numbers and by the weights of its results, so
that linear rules are seen, too.
"""

from __future__ import annotations

import warnings
import zlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import srcgrad as sg
from srcgrad.rules.library import canonical_name, rule_for
from tests.unit.rules.callers import Caller, callers_of_specs
from tests.unit.rules.opspec import along_way, random_way
from tests.unit.rules.second_gaps import FORWARD, REVERSE


def _size(caller: Caller) -> tuple[bool, int, int]:
    of_complex = any(map(np.iscomplexobj, caller.leaves))
    return of_complex, sum(map(np.size, caller.leaves)), len(caller.spec.label)


def smallest() -> list[Caller]:
    """Return one caller of each rule: that of the fewest numbers, real ones if any."""
    found: dict[Any, Caller] = {}
    for caller in callers_of_specs():
        rule = rule_for(caller.spec.fn)
        if rule not in found or _size(caller) < _size(found[rule]):
            found[rule] = caller
    return list(found.values())


CALLERS = smallest()


def name(caller: Caller) -> str:
    return canonical_name(caller.spec.fn)


class Second:
    """The derivative of the gradient of a call along one direction, weighted by another."""

    def __init__(self, caller: Caller) -> None:
        rng = np.random.default_rng(5)
        self.gradient = caller.gradient
        self.args = [*caller.leaves, *caller.weights]
        self.ways = [_like(random_way(arg, rng), arg) for arg in self.args]
        self.other = tuple(_like(random_way(leaf, rng), leaf) for leaf in caller.leaves)

    def differences(self, step: float = 2e-4) -> float:
        def at(size: float) -> float:
            pairs = zip(self.args, self.ways, strict=True)
            moved = [_like(arg + size * way, arg) for arg, way in pairs]
            return self._against(self.gradient(*moved), self.other)

        near, far = at(step) - at(-step), at(2 * step) - at(-2 * step)
        return (8 * near - far) / (12 * step)

    def reverse(self) -> float:
        _, pull = sg.vjp(self.gradient, *self.args)
        return self._against(pull(self.other), self.ways)

    def forward(self) -> float:
        _, tangents = sg.jvp(self.gradient, tuple(self.args), tuple(self.ways))
        return self._against(tangents, self.other)

    @staticmethod
    def _against(found: Any, ways: Any) -> float:
        return sum(along_way(part, way) for part, way in zip(found, ways, strict=True))


def _like(moved: Any, arg: Any) -> Any:
    return moved if isinstance(arg, np.ndarray) else type(arg)(moved)


def _is_looked_at(label: str) -> bool:
    """Choose one of five gaps: enough to see that the list grows old."""
    return zlib.crc32(label.encode()) % 5 == 0


def _checked(caller: Caller, gaps: frozenset[str], derivative: Callable[[Second], float]) -> None:
    second = Second(caller)
    if name(caller) in gaps:
        if _is_looked_at(name(caller)):
            _assert_right_on_the_tape_or_refused(second, derivative)
        return
    found = derivative(second)
    np.testing.assert_allclose(found, second.differences(), rtol=1e-5, atol=1e-6)


def _assert_right_on_the_tape_or_refused(
    second: Second, derivative: Callable[[Second], float]
) -> None:
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        try:
            found = derivative(second)
        except sg.SrcgradError:
            pass
        else:
            np.testing.assert_allclose(found, second.differences(), rtol=1e-5, atol=1e-6)
    assert any(issubclass(item.category, sg.FallbackWarning) for item in seen)


@pytest.mark.parametrize("caller", CALLERS[::2], ids=name)  # each in one of the two orders
def test_reverse_over_reverse_agrees_with_differences(caller: Caller) -> None:
    _checked(caller, REVERSE, Second.reverse)


@pytest.mark.parametrize("caller", CALLERS[1::2], ids=name)
def test_forward_over_reverse_agrees_with_differences(caller: Caller) -> None:
    _checked(caller, FORWARD, Second.forward)


def test_every_gap_is_one_of_a_rule() -> None:
    known = set(map(name, CALLERS))
    assert known >= REVERSE
    assert known >= FORWARD


MOVED = {"numpy.gradient", "scipy.ndimage.gaussian_filter", "scipy.ndimage.gaussian_filter1d"}
"""Functions whose distances, or widths, meet what lies around an array, and vary with it."""


@pytest.mark.parametrize("derivative", [Second.reverse, Second.forward])
@pytest.mark.parametrize(
    "caller", [c for c in callers_of_specs() if name(c) in MOVED], ids=lambda c: c.spec.label
)
def test_second_derivatives_in_distances_and_widths_agree_with_differences(
    caller: Caller, derivative: Callable[[Second], float]
) -> None:
    _checked(caller, frozenset(), derivative)
