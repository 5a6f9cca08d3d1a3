"""Tests that debuggers and tracebacks show the generated text of a gradient."""

from __future__ import annotations

import importlib
import io
import pdb
import sys
import traceback

import numpy as np
import pytest

import srcgrad as sg
from srcgrad.codegen.tracebacks import user_line


def step(u, r):
    assert u.ndim == 1  # which keeps it a function of its own
    return u + r * np.sin(u)


def loss(u, r):
    v = step(u, r)
    return np.sum(v * v)


def session(commands, function, *args):
    """Return what pdb says when a function is run under it with the commands given."""
    output = io.StringIO()
    debugger = pdb.Pdb(stdin=io.StringIO("\n".join([*commands, "c"])), stdout=output, nosigint=True)
    debugger.use_rawinput = False
    debugger.prompt = ""
    before = sys.gettrace()
    try:
        debugger.runcall(function, *args)
    finally:
        sys.settrace(before)
    return output.getvalue()


def test_pdb_steps_through_the_gradient_into_its_helpers():
    g = sg.grad(loss)
    said = session(["s", "s", "w", "n", "p u.tolist()", "l"], g.generated, np.ones(2), 0.5)
    assert "step_forward" in said
    assert "loss_grad" in said  # the stack
    assert "[1.0, 1.0]" in said
    assert "->" in said
    assert "def step_forward" in said  # the listing is that of the file


def test_pdb_stops_at_a_breakpoint_in_the_backward_pass_and_sees_adjoints():
    g = sg.grad(loss)
    lines = g.source.splitlines()
    number = next(
        i for i, line in enumerate(lines, 1) if "step_backward(" in line and "def" not in line
    )
    file = g.generated.__code__.co_filename
    steps = [f"b {file}:{number}", "c", "s", "p grad_out.tolist()"]  # that of `v`
    said = session(steps, g.generated, np.ones(2), 0.0)
    assert "[2.0, 2.0]" in said
    assert lines[number - 1].strip() in said


def test_a_traceback_shows_the_generated_and_the_users_line():
    def mismatch(x, y):
        z = x * 2.0
        return np.sum(z * y)

    with pytest.raises(ValueError, match="broadcast") as caught:
        sg.grad(mismatch)(np.ones(2), np.ones(3))
    shown = "".join(traceback.format_exception(caught.value))
    assert "mismatch_grad" in shown
    assert "z_times_y = z * y" in shown or "z * y" in shown
    line = mismatch.__code__.co_firstlineno + 2
    assert f"while differentiating {__file__}:{line}: return np.sum(z * y)" in shown


class Touchy(np.ndarray):
    """An array that counts products, and refuses one of them."""

    left = 0

    def __array_ufunc__(self, ufunc, method, *inputs, out=None, **options):
        if ufunc is np.multiply:
            Touchy.left -= 1
            if not Touchy.left:
                raise ArithmeticError
        plain = [np.asarray(item) for item in inputs]
        return getattr(ufunc, method)(*plain, **options).view(Touchy)


def lines_blamed(function, *args):
    """Return the users' lines that tracebacks name, one for each product that may fail."""
    g = sg.grad(function)
    g(*args)
    names = []
    for count in range(1, 100):
        Touchy.left = count
        try:
            g.generated(*[item.view(Touchy) for item in args])
        except ArithmeticError as error:
            names.append(user_line(error).text)
        else:
            return names
    return names


def test_each_part_of_a_sum_of_adjoints_is_of_the_line_that_it_comes_from():
    def gathered(x, a, b):
        p = 2.0 * x * a
        q = 3.0 * x * b
        return np.sum(p) + np.sum(q)

    g = sg.grad(gathered)
    g(np.ones(2), np.ones(2), np.ones(2))
    assert "+" in g.source.splitlines()[-1], "the adjoints of both lines are added up in one"
    blamed = lines_blamed(gathered, np.ones(2), np.ones(2), np.ones(2))
    assert {"p = 2.0 * x * a", "q = 3.0 * x * b"} <= set(blamed)


def test_a_line_of_a_long_statement_is_the_one_that_a_traceback_names():
    def spread(x, y):
        return (
            np.sum(x)  # of all
            + np.sum(x[1:] * y)
        )

    with pytest.raises(ValueError, match="broadcast") as caught:
        sg.grad(spread)(np.ones(4), np.ones(2))
    line = spread.__code__.co_firstlineno + 3
    assert str(user_line(caught.value)) == f"{__file__}:{line}: + np.sum(x[1:] * y)"


def test_a_traceback_leads_into_a_helper_of_another_file(tmp_path, monkeypatch):
    file = tmp_path / "other_file.py"
    file.write_text("def scale(u, v):\n    u[:2] += 1.0\n    u[:] *= v\n")
    monkeypatch.syspath_prepend(tmp_path)
    scale = importlib.import_module("other_file").scale

    def caller(x, y):
        z = 2.0 * x
        scale(z, y)
        return z.sum()

    with pytest.raises(ValueError, match="broadcast") as caught:
        sg.grad(caller)(np.ones(4), np.ones(2))
    assert "def scale" not in sg.grad(caller).source, "it stands in the place of its call"
    assert str(user_line(caught.value)) == f"{file}:3: u[:] *= v"


def test_a_nan_in_the_midst_of_a_sum_is_of_its_own_line():
    def rooted(x, y):
        close = x * y
        far = np.sqrt(x)
        return np.sum(close) + np.sum(far) + np.sum(x * x)

    with pytest.raises(sg.NonFiniteError) as caught:
        sg.grad(rooted, debug_nans=True)(np.array([0.0, 1.0]), np.ones(2))
    assert caught.value.span.text == "far = np.sqrt(x)"
    assert not hasattr(caught.value, "__notes__"), "it says itself where it is"
