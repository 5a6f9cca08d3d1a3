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


def scattered(x, i):
    y = np.zeros(4)
    for k in range(len(i)):
        y[i[k]] += x[k]
    z = x[i]
    return np.sum(y * y) + np.sum(z * z * z)


def in_rows(x):
    table = [[0.0] * 4 for _ in range(2)]
    table[0] = [x[0], x[1], x[2], x[0]]
    return table[0][1] * x[0]


def heap(node, w):
    left = 2 * node + 1
    if left >= len(w):
        return w[node] * w[node]
    return np.tanh(w[node]) * heap(left, w)


def whole_heap(w):
    return heap(0, w)


X, PLACES = np.random.default_rng(1).normal(size=4), np.array([0, 2, 2, 1])
EXPORTED = {scattered: (X, PLACES), in_rows: (X,), whole_heap: (X,)}
CALL_EACH = """
import numpy as np
import scattered, in_rows, whole_heap

x, places = np.random.default_rng(1).normal(size=4), np.array([0, 2, 2, 1])
for value, grad in (
    scattered.scattered_value_and_grad(x, places),
    in_rows.in_rows_value_and_grad(x),
    whole_heap.whole_heap_value_and_grad(x),
):
    print(value, *grad)
"""


def test_modules_hold_all_that_they_call_also_in_a_second_process(tmp_path):
    pytest.importorskip("numba", reason="needs Numba")
    expected = []
    for function, args in EXPORTED.items():
        derivative = sg.value_and_grad(function)
        path = tmp_path / f"{function.__name__}.py"
        derivative.export(path, example=args, target="numba")
        value, grad = derivative(*args)
        expected += [value, *grad]
    for _ in range(2):  # Numba falls over what it has kept of functions that call themselves
        run = subprocess.run(
            [sys.executable, "-c", CALL_EACH],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
        assert run.returncode == 0, run.stderr
        np.testing.assert_allclose(np.array(run.stdout.split(), float), expected, rtol=1e-9)
