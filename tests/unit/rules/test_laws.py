"""Laws at a place and a scale of their own: slopes in every argument are those of differences.

The shapes are those that SciPy tests its laws with.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import stats
from scipy.stats._distr_params import distcont

import srcgrad as sg
from srcgrad.rules.equivalents import equivalent
from srcgrad.rules.library import rule_for
from tests.differences import numerical_gradient

OF_POINTS = ("pdf", "logpdf", "cdf", "logcdf", "sf", "logsf")
OF_SHARES = ("ppf", "isf")
SHARES = np.array([0.2, 0.45, 0.7])
SHAPES = {name: shapes for name, shapes in reversed(distcont) if isinstance(name, str)}


def is_known(function: Any, shapes: tuple[float, ...]) -> bool:
    """Say whether a method of a law has a rule, or is written out."""
    return bool(rule_for(function) or equivalent(function, [0.5, *shapes, 0.3, 1.7], {}))


KNOWN = [
    (name, method)
    for name in sorted(SHAPES)
    for method in (*OF_POINTS, *OF_SHARES)
    if is_known(getattr(getattr(stats, name), method), SHAPES[name])
]


@pytest.mark.filterwarnings("ignore::srcgrad.errors.FallbackWarning")
@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")
@pytest.mark.filterwarnings("ignore:divide by zero:RuntimeWarning")
@pytest.mark.parametrize(("name", "method"), KNOWN)
def test_slopes_are_right_at_another_place_and_scale(name: str, method: str) -> None:
    law, shapes, place, scale = getattr(stats, name), SHAPES[name], 0.3, 1.7
    function = getattr(law, method)
    points = SHARES if method in OF_SHARES else law.ppf(SHARES, *shapes, place, scale)
    weights = np.array([1.0, -0.7, 0.4])

    def loss(points, place, scale, *shapes):
        return np.sum(function(points, *shapes, place, scale) * weights)

    args = (points, place, scale, *map(float, shapes))
    compared = 0
    for number in range(len(args)):
        try:
            found = sg.grad(loss, argnums=number)(*args)
        except sg.MissingRuleError:
            continue
        expected = numerical_gradient(loss, args, number)
        np.testing.assert_allclose(found, expected, rtol=2e-5, atol=2e-6)
        compared += 1
    assert compared >= 3
