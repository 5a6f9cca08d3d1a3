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
