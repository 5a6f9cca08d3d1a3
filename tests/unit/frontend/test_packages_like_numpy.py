"""Packages whose names begin as NumPy's or SciPy's are as any other."""

from __future__ import annotations

import sys
from types import ModuleType

import numpy as np
import pytest

import srcgrad as sg
from tests.differences import numerical_gradient

TEXT = """
import numpy as np

def future_value(rate, periods, present):
    rate, periods, present = map(np.asarray, [rate, periods, present])
    return present * (1 + rate) ** periods
"""


@pytest.mark.parametrize("package", ["numpy_financial_like", "scipy_tools.rates", "srcgradients"])
def test_a_package_with_a_similar_name_goes_by_source(package, tmp_path, monkeypatch) -> None:
    file = tmp_path / "rates.py"
    file.write_text(TEXT)
    module = ModuleType(package)
    exec(compile(TEXT, str(file), "exec"), vars(module))
    monkeypatch.setitem(sys.modules, package, module)
    future_value = module.future_value

    def loss(x):
        worth = future_value(x[0], x[1], x[2])
        return worth * worth

    x = np.array([0.05, 3.0, 2.0])
    found = sg.grad(loss, fallback="error")(x)
    np.testing.assert_allclose(found, numerical_gradient(loss, (x,), 0), rtol=1e-6)
