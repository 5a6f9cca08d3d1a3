"""Tests gradients that are exported for Numba: modules that need NumPy and Numba alone."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

import srcgrad as sg

SCALE = 3.0


def loss(x, w, n):
    total = 0.0
    for k in range(n):
        y = np.maximum(np.tanh(x @ w) * SCALE, 0.1)
        total += np.sum(np.sum(y * y, axis=0) ** 2) / (n % 7 + k)
    return total


def in_a_dict(p):
    return np.sum(p["x"] ** 2)


CALL = """
import sys
import numpy as np
import made

rng = np.random.default_rng(0)
x, w = rng.normal(size=(4, 3)), rng.normal(size=(3, 2))
value, grad = made.loss_value_and_grad(x, w, 3)
assert not any(name.startswith("srcgrad") for name in sys.modules)
assert made._loss_value_and_grad.nopython_signatures
print(value, *grad.ravel())
"""


def test_a_module_for_numba_stands_alone(tmp_path):
    pytest.importorskip("numba", reason="needs Numba")
    rng = np.random.default_rng(0)
    x, w = rng.normal(size=(4, 3)), rng.normal(size=(3, 2))
    derivative = sg.value_and_grad(loss, argnums=1)
    text = derivative.export(tmp_path / "made.py", example=(x, w, 3), target="numba")
    assert "import srcgrad" not in text
    assert "from srcgrad" not in text
    run = subprocess.run(
        [sys.executable, "-c", CALL], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    found = np.array(run.stdout.split(), dtype=float)
    value, grad = derivative(x, w, 3)
    np.testing.assert_allclose(found, [value, *grad.ravel()], rtol=1e-9)


def test_what_is_not_exported_for_numba_is_refused():
    with pytest.raises(sg.SrcgradError, match="example"):
        sg.grad(loss).export(target="numba")
    with pytest.raises(sg.SrcgradError, match="list or a dict"):
        sg.grad(in_a_dict).export(example=({"x": np.ones(3)},), target="numba")
