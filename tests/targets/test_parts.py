"""Tests derivatives that run in parts: loops compiled, and what Numba does not know in Python."""

from __future__ import annotations

import re
import warnings

import numpy as np
import pytest

import srcgrad as sg
from srcgrad.errors import NotCompiledError
from srcgrad.targets.loops.border import differs
from srcgrad.targets.loops.running import Loops
from tests.programs.corpus import programs_by, sample
from tests.programs.test_forward import drawn
from tests.targets.counts import counted, narrowed
from tests.targets.spectral import (
    CASES,
    V,
    heat_of_a_signal,
    kept_for_later,
    lists_of_the_caller,
    noisy,
    of_a_pair,
    told,
)

pytest.importorskip("numba", reason="needs Numba")
pytestmark = pytest.mark.filterwarnings("ignore:Cannot cache compiled function")  # at NUMBA_OPT=0


def in_parts(f, *args, fallback="error"):
    with warnings.catch_warnings():
        warnings.simplefilter("error", sg.CompileWarning)
        derivative = sg.value_and_grad(f, backend="numba", fallback=fallback)
        for _ in range(2):
            found = derivative(*args)
    expected = sg.value_and_grad(f, fallback="error")(*args)
    assert not differs(found, expected)
    assert type(found[0]) is type(expected[0])
    assert "@jitted" in derivative.source
    assert re.search(r"_part\w*\(", derivative.source)
    return derivative


@pytest.mark.parametrize("f", CASES, ids=lambda f: f.__name__)
def test_loops_are_compiled_around_what_numba_does_not_know(f):
    in_parts(f, *CASES[f])


def test_numbers_of_32_bits_stay_so_in_parts():
    x = narrowed(V)
    found = in_parts(heat_of_a_signal, x, 3)(x, 3)
    assert found[1].dtype == np.float32


def test_other_kinds_of_arguments_run_by_the_same_parts():
    derivative = in_parts(heat_of_a_signal, V, 3)
    for x in (V[::2], narrowed(V)):
        assert not differs(derivative(x, 2), sg.value_and_grad(heat_of_a_signal)(x, 2))


def test_pullbacks_run_in_parts():
    value, pull = sg.vjp(kept_for_later, V, V**2, backend="numba", fallback="error")
    expected, by_numpy = sg.vjp(kept_for_later, V, V**2)
    assert not differs(value, expected)
    assert not differs(pull(2.0), by_numpy(2.0))


def test_effects_happen_once_in_each_call_and_in_order(capsys):
    derivative = sg.value_and_grad(told, backend="numba", fallback="error")
    for _ in range(3):
        derivative(V)
    assert capsys.readouterr().out.split() == ["begin", "end"] * 3
    found = sg.grad(noisy, backend="numba", fallback="error")(V, np.random.default_rng(1))
    assert not differs(found, sg.grad(noisy)(V, np.random.default_rng(1)))


def test_lists_of_the_caller_are_those_that_grow():
    kept, others = [0.5, 2.0, 1.0], [0.5, 2.0, 1.0]
    derivative = sg.value_and_grad(lists_of_the_caller, backend="numba", fallback="tape")
    for _ in range(3):
        found = derivative(V, kept)
        expected = sg.value_and_grad(lists_of_the_caller)(V, others)
        assert not differs(found, expected)
        assert not differs(kept, others)


def bumped(y, v):
    y += v
    return y[0]


def rows_in_rows(x):
    y = x * 1.0
    b = np.array([[bumped(y, v * w) for w in x] for v in x])
    return np.sum(b**2) + np.sum(y)


def test_adjoints_of_tuples_are_lists_in_every_part():
    derivative = sg.value_and_grad(of_a_pair, backend="numba", fallback="tape")
    for _ in range(3):
        assert not differs(derivative((V, 2.0), V**2), sg.value_and_grad(of_a_pair)((V, 2.0), V**2))


def test_lists_in_lists_stay_in_python():
    derivative = sg.value_and_grad(rows_in_rows, backend="numba", fallback="tape")
    for _ in range(2):
        assert not differs(derivative(V[:4]), sg.value_and_grad(rows_in_rows)(V[:4]))


def left_in_python(x, n):
    total = 0.0
    for k in range(n):
        total += np.einsum("i,i->", x, x) * k
    return total


def test_a_loop_that_holds_nothing_compiled_is_named():
    with pytest.warns(sg.CompileWarning, match=r"(?s)einsum.*SG190|SG190.*einsum"):
        sg.grad(left_in_python, backend="numba")(V, 3)
    with pytest.raises(NotCompiledError):
        sg.grad(left_in_python, backend="numba", fallback="error")(V, 3)


SAMPLE = sample(
    [item for name, item in programs_by("source").items() if not name.startswith("scipy")], 25
)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_texts_that_are_cut_anywhere_say_the_same(monkeypatch):
    rng = np.random.default_rng(3)
    cuts = 0

    def refused(self, *_):
        self._line = -1  # parts run as they are, by NumPy
        if "_part" not in self._subject.entry:
            self._line = int(rng.integers(1, self._subject.source.count("\n") + 1))
        raise NotCompiledError("for once")

    monkeypatch.setattr(Loops, "_fused", refused)
    for program in SAMPLE:
        how = {"argnums": program.argnums}
        args, _ = drawn(program, 0)
        expected = sg.value_and_grad(program.function, fallback="tape", **how)(*args)
        for _ in range(3):
            cut = sg.value_and_grad(program.function, backend="numba", fallback="tape", **how)
            with counted() as made:
                found = cut(*drawn(program, 0)[0])
            cuts += sum(made)
            assert not differs(found, expected), program.name
    assert cuts > 50


def waves(speed, pulse, place):
    before, now = np.zeros_like(speed), np.zeros_like(speed)
    total = 0.0
    for n in sg.checkpointed(range(len(pulse))):
        after = 2.0 * now - before
        after[1:-1] += speed[1:-1] * (now[2:] - 2.0 * now[1:-1] + now[:-2])
        after[place] += pulse[n]
        total += np.sum(after[1] ** 2)
        before, now = now, after
    return total


def heat_in_loops(x, rate, steps):
    for k in sg.checkpointed(range(steps), budget=2):
        new = x.copy()
        for i in range(1, len(x) - 1):
            new[i] += rate * (x[i + 1] - 2.0 * x[i] + x[i - 1])
        x = new
        if np.sum(x * x) < 0.1 * k:
            break
    return np.sum(x * x)


@pytest.mark.parametrize(
    ("f", "args"),
    [
        (waves, (np.linspace(0.1, 0.4, 9), np.sin(np.arange(12.0)), 4)),
        (heat_in_loops, (V, 0.2, 6)),
        (heat_in_loops, (0.1 * V, 0.2, 60)),
    ],
)
def test_the_steps_of_checkpointed_loops_are_compiled(f, args):
    derivative = in_parts(f, *args)
    assert derivative.source.count("@jitted") == 2
    assert "_step_back_part" in derivative.source
