"""Laws outside of where they have a density: the value is SciPy's, and nothing is NaN."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import srcgrad as sg
from tests.differences import assert_same, numerical_gradient

X = np.array([-3.0, -1.0, 0.5, 1.0, 1.9, 2.5, 4.0])
LAWS = {
    "genpareto, bounded": (stats.genpareto, -0.5),
    "genpareto, unbounded": (stats.genpareto, 0.5),
    "genextreme, above": (stats.genextreme, 0.5),
    "genextreme, below": (stats.genextreme, -0.5),
}


@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")  # the text computes both sides
@pytest.mark.parametrize(("law", "shape"), LAWS.values(), ids=LAWS)
def test_values_end_where_the_density_does(law, shape):
    def density(x):
        return law.logpdf(x, shape)

    value, pull = sg.vjp(density, X)
    np.testing.assert_allclose(value, law.logpdf(X, shape), rtol=1e-12)
    inside = np.isfinite(value)
    assert 0 < np.sum(inside) < X.size
    gradient = pull(inside.astype(float))[0]
    expected = numerical_gradient(lambda x: np.sum(law.logpdf(x, shape)), (X[inside],), 0)
    assert_same(gradient[inside], expected)
    np.testing.assert_array_equal(gradient[~inside], 0.0)


STRAIGHT = {
    "genpareto.logpdf": (stats.genpareto.logpdf, np.array([0.2, 0.9, 2.3])),
    "genextreme.logpdf": (stats.genextreme.logpdf, np.array([-0.8, 0.4, 1.7])),
    "genextreme.cdf": (stats.genextreme.cdf, np.array([-0.8, 0.4, 1.7])),
}


@pytest.mark.parametrize(("law", "x"), STRAIGHT.values(), ids=STRAIGHT)
@pytest.mark.parametrize("slope", [sg.grad, lambda f: lambda c: sg.jvp(f, (c,), (1.0,))[1]])
def test_a_law_bends_in_its_shape_where_that_is_zero(law, x, slope):
    """The formula near 0 is another one, whose first and second derivatives are those beside it."""

    def loss(c):
        return np.sum(law(x, c) * x)

    first = slope(loss)
    h = 1e-3
    beside = [first(place) for place in (-2 * h, -h, h, 2 * h)]
    np.testing.assert_allclose(
        first(0.0), (-beside[0] + 4 * beside[1] + 4 * beside[2] - beside[3]) / 6, rtol=1e-7
    )
    second = (beside[0] - 8 * beside[1] + 8 * beside[2] - beside[3]) / (12 * h)
    for place in (0.0, 1e-9, -1e-8):
        found = sg.jvp(sg.grad(loss), (place,), (1.0,))[1]
        np.testing.assert_allclose(found, second, rtol=1e-6)
