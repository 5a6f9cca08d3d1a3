"""Tests that debuggers and tracebacks show the generated text of a gradient."""

from __future__ import annotations

import io
import pdb
import sys
import traceback

import numpy as np
import pytest

import srcgrad as sg


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
    said = session([f"b {file}:{number}", "c", "p grad_v.tolist()"], g.generated, np.ones(2), 0.0)
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
