"""What a function tells somebody about values with derivatives: it runs as it is, by source."""

from __future__ import annotations

import io
import json
import logging
import pickle
import sys
import warnings

import numpy as np
import pytest

import srcgrad as sg
from tests.differences import numerical_gradient

LOG = logging.getLogger("srcgrad.tests.reports")
TAGGED = logging.LoggerAdapter(LOG, {})
X = np.array([1.5, 2.0, 0.5])


def logs(x):
    LOG.warning("starts at %s", x)
    y = x * x
    TAGGED.warning("norm %g", float(np.sum(y)))
    return np.sum(y)


def _step(x, count):
    LOG.warning("step %d: %.3f", count, x[0])
    return 0.5 * x + x**2


def logs_in_a_helper(x):
    for count in range(3):
        x = _step(x, count)
    return np.sum(x)


def warns(x):
    if x[0] > 1.0:
        warnings.warn(f"large: {x[0]:.2f}", UserWarning, stacklevel=2)
    return np.sum(x**3)


def writes_to_the_terminal(x):
    sys.stderr.write(f"value {x[0]:g}\n")
    print("value", x[1])
    return np.sum(x * np.sin(x))


PROGRAMS = (logs, logs_in_a_helper, warns, writes_to_the_terminal)


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda item: item.__name__)
@pytest.mark.parametrize("backend", ["auto", "tape"])
def test_reports_are_no_reason_for_the_tape(function, backend, capsys) -> None:
    options = {"fallback": "error"} if backend == "auto" else {"backend": backend}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        expected = numerical_gradient(function, (X,), 0)
        found = sg.grad(function, **options)(X.copy())
    np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_each_report_is_made_once_and_in_order(caplog) -> None:
    sg.grad(logs_in_a_helper, fallback="error")(X)
    assert [record.args[0] for record in caplog.records] == [0, 1, 2]
    caplog.clear()
    sg.jvp(logs, (X,), (np.ones(3),), fallback="error")
    assert [record.msg for record in caplog.records] == ["starts at %s", "norm %g"]
    with pytest.warns(UserWarning, match="large: 1.50"):
        sg.grad(warns, fallback="error")(X)


@pytest.mark.parametrize("backend", ["auto", "tape"])
def test_values_are_saved(backend, tmp_path) -> None:
    path, table, notes = (tmp_path / f"x.{kind}" for kind in ("npy", "txt", "json"))

    def saves(x):
        np.save(path, 2.0 * x)
        np.savetxt(table, x)
        with open(notes, "w") as file:  # noqa: PTH123 - as most people write it
            json.dump({"length": len(x)}, file)
        return np.sum(x**2)

    options = {"fallback": "error"} if backend == "auto" else {"backend": backend}
    np.testing.assert_allclose(sg.grad(saves, **options)(X), 2.0 * X)
    np.testing.assert_allclose(np.load(path), 2.0 * X)
    np.testing.assert_allclose(np.loadtxt(table), X)


def test_a_text_that_is_read_again_is_refused() -> None:
    held = io.StringIO()

    def reads_back(x):
        held.seek(0)
        held.write(repr(float(x[0])))
        return x[0] * float(held.getvalue())

    with pytest.raises(sg.SrcgradError):
        sg.grad(reads_back, fallback="error")(X)
    with pytest.raises(sg.SrcgradError):
        sg.grad(reads_back, backend="tape")(X)


def test_what_reports_are_made_of_pickles() -> None:
    again = pickle.loads(pickle.dumps(sg.grad(logs)))
    np.testing.assert_allclose(again(X), 2.0 * X)
