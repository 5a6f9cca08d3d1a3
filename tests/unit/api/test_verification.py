"""Tests that wrong texts are caught where a check is asked for, and that a check has no effect."""

from __future__ import annotations

import dataclasses
import os
import random
import subprocess
import sys
import threading
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import srcgrad as sg
from tests.unit.api.trees import Layer, Pair

X, Y = np.array([0.3, -0.7, 1.2]), np.array([-0.1, 0.4, 0.9])
pytestmark = pytest.mark.filterwarnings("ignore::srcgrad.FallbackWarning")


def loss(x, y=Y):
    return np.sum(np.sin(x) * x * y)


class Square(sg.autograd.Function):
    """A square whose derivative is off by a tenth of a percent."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return 2.002 * x * grad

    @staticmethod
    def jvp(ctx, x_dot):
        (x,) = ctx.saved_tensors
        return 2.002 * x * x_dot


def wrong(x, y=Y):
    return np.sum(x * 3.0) + np.sum(Square.apply(y))


def wrong_too(x, y=Y):
    return np.sum(x * 2.0) + np.sum(Square.apply(y))


def wrong_in_parts(p):
    return np.sum(p["a"]) * p["c"][1] + np.sum(Square.apply(p["c"][0]) * p["a"])


def by_tensors(f, how):
    x, y = sg.tensor(X, requires_grad=True), sg.tensor(Y, requires_grad=True)
    sg.compile(f, **how)(x, y).backward()
    return y.grad


def solver(f, how):
    @sg.implicit.root(f, **how)
    def solved(y):
        return 0.7  # any point will do

    return sg.grad(lambda y: solved(y) * 1.0)(Y)


BOTH: dict[str, Any] = {"argnums": (0, 1)}
EVERY = {
    "grad": lambda f, how: sg.grad(f, **BOTH, **how)(X, Y),
    "value_and_grad": lambda f, how: sg.value_and_grad(f, **BOTH, **how)(X, Y),
    "vjp": lambda f, how: sg.vjp(f, X, Y, **how),
    "jvp": lambda f, how: sg.jvp(f, (X, Y), (X, X), **how),
    "jacobian": lambda f, how: sg.jacobian(f, **BOTH, **how)(X, Y),
    "jacfwd": lambda f, how: sg.jacfwd(f, **BOTH, **how)(X, Y),
    "jacrev": lambda f, how: sg.jacrev(f, **BOTH, **how)(X, Y),
    "sparse": lambda f, how: sg.jacobian(
        lambda x, y: f(x, y) * x, **BOTH, **how, sparsity=np.ones((3, 6))
    )(X, Y),
    "hessian": lambda f, how: sg.hessian(f, **BOTH, **how)(X, Y),
    "hvp": lambda f, how: sg.hvp(f, (X, Y), (X, X), **how),
    "pushforward": lambda f, how: sg.pushforward(f, **BOTH, **how)(X, Y, x_dot=X, y_dot=X),
    "pullback": lambda f, how: sg.pullback(f, **BOTH, **how)(X, Y),
    "hessian_product": lambda f, how: sg.hessian_product(f, **BOTH, **how)(X, Y, x_dot=X, y_dot=X),
    "objective": lambda f, how: sg.scipy_objective(lambda p: f(p[0], p[1]), (X, Y), **how).jac(
        np.concatenate([X, Y])
    ),
    "compile": by_tensors,
    "implicit": solver,
}
every = pytest.mark.parametrize("take", EVERY.values(), ids=EVERY)


@every
def test_a_wrong_rule_is_caught_in_every_derivative(take):
    with pytest.raises(sg.VerificationError):
        take(wrong, {"verify": True})
    with pytest.raises(sg.VerificationError), sg.verifying():
        take(wrong_too, {})  # a function of which no derivative was verified


@every
def test_a_right_derivative_passes_and_nothing_changes_unless_asked(take):
    with warnings.catch_warnings():
        warnings.simplefilter("error", sg.VerificationWarning)
        take(loss, {"verify": True})
    take(wrong, {})
    with sg.verifying(False):
        take(wrong, {"verify": True})


def test_the_error_says_what_is_wrong_by_how_much():
    with pytest.raises(sg.VerificationError) as caught:
        sg.grad(wrong, (0, 1), verify=True)(X, Y)
    error = caught.value
    assert error.argument == "y"
    assert error.by_text == pytest.approx(error.by_tape)  # the engines share the rule
    assert error.by_text == pytest.approx(error.by_differences * 1.001, rel=1e-6)
    assert error.code == "SG155"
    assert f"{error.by_text:.12g}" in str(error)
    assert "of `wrong` is wrong in `y`" in str(error)


def test_the_argument_is_told_by_its_way_through_containers():
    p = {"a": X, "c": [Y, 0.5]}
    with pytest.raises(sg.VerificationError) as caught:
        sg.grad(wrong_in_parts, verify=True)(p)
    assert caught.value.argument == "p['c'][0]"


# -- changed texts


def in_place(x, y):
    z = x * 2.0
    z[1:] *= y[:-1]
    for i in range(3):
        z = np.tanh(z) + x * i
    return np.sum(z * z)


def layers(x, y):
    h = x
    if h[0] < 1.0:
        h = np.exp(h * y)
    return np.sum(h) + np.sum(h * h) * np.mean(y)


def of_parts(p, y):
    return np.sum(p.left["w"] * y) * p.right + np.sum(np.cos(p.left["w"]))


CHANGES = [
    (loss, "np.cos", "np.sin"),
    (loss, " + ", " - "),
    (loss, "np.cos(x)", "1.001 * np.cos(x)"),
    (in_place, "2.0 * z", "2.002 * z"),
    (in_place, "grad_x += grad_z * i", "grad_x = grad_z * i"),  # an addition is dropped
    (in_place, "grad_z[1:] = grad", "grad_z[1:] += grad"),  # an adjoint is not replaced
    (in_place, "* z_part_now_2", "* z_part"),  # a value is read after it was written
    (in_place, "grad_z_times_y_part = copied", "grad_z_times_y_part = "),  # no copy but an alias
    (in_place, "_saved.pop()", "_saved[-1]"),  # the record of another trip
    (in_place, "reversed(range(3))", "range(3)"),
    (layers, "grad_y = grad_y + ", "grad_y = "),
    (layers, "h_3 * h_3", "h * h"),  # a version too early
    (layers, " + 1.0", ""),
    (layers, "if test:", "if not test:"),
    (of_parts, "-np.sin", "np.sin"),
    (of_parts, "grad_out * right", "grad_out * 1.0"),
]


def changed(monkeypatch, old, new):
    """Let texts of gradients be others than the compiler makes; return those that are."""
    module = sys.modules["srcgrad.api.gradient"]
    compile_gradient = module.compile_gradient
    others = []

    def made(request, stages=None):
        generated = compile_gradient(request, stages)
        head, mark, rest = generated.source.rpartition("# backward")
        if old in rest:
            others.append(rest.replace(old, new))
            return dataclasses.replace(generated, source=head + mark + others[-1])
        return generated

    monkeypatch.setattr(module, "compile_gradient", made)
    return others


@pytest.mark.parametrize(
    ("f", "old", "new"), CHANGES, ids=lambda item: getattr(item, "__name__", item)
)
def test_a_changed_text_is_caught(f, old, new, monkeypatch):
    args = (Pair({"w": X}, 0.5), Y) if f is of_parts else (X, Y)
    others = changed(monkeypatch, old, new)
    with pytest.raises(sg.VerificationError) as caught:
        sg.grad(f, (0, 1), verify=True)(*args)
    assert others
    assert caught.value.by_tape == pytest.approx(caught.value.by_differences)


# -- how often


def test_only_the_first_call_runs_more(monkeypatch):
    runs = []
    module = sys.modules["srcgrad.api.claims"]
    monkeypatch.setattr(module, "verify", lambda claim: runs.append(claim.kind))
    gradient = sg.grad(loss)
    gradient(X)
    with sg.verifying():
        gradient(X)
        gradient(X + 1.0)
        with sg.verifying(False):
            sg.grad(loss)(X)
        sg.hessian(loss)(X)
    gradient(X)
    assert runs.count("gradient") == 2  # its own, and that of which the Hessian is the Jacobian
    assert len(runs) == 3


def test_a_wrong_text_raises_at_each_call():
    gradient = sg.grad(wrong, 1, verify=True)
    for _ in range(2):
        with pytest.raises(sg.VerificationError):
            gradient(X, Y)


def test_another_thread_has_switches_of_its_own():
    found = []

    def run():
        found.append(sg.grad(wrong, 1)(X, Y))

    with sg.verifying():
        thread = threading.Thread(target=run)
        thread.start()
        thread.join()
    assert len(found) == 1


@pytest.mark.parametrize(("value", "checks"), [("1", True), ("0", False), ("", False)])
def test_the_environment_switches_it_on(value, checks, tmp_path):
    file = tmp_path / "model.py"
    file.write_text(
        "import numpy as np\nimport srcgrad as sg\nfrom tests.unit.api.test_verification import *\n"
        "try:\n    sg.grad(wrong, 1)(X, Y)\nexcept sg.VerificationError:\n    print('caught')\n"
    )
    found = subprocess.run(
        [sys.executable, str(file)],
        env={**os.environ, "SRCGRAD_VERIFY": value, "PYTHONPATH": str(Path.cwd())},
        capture_output=True,
        text=True,
        check=True,
    )
    assert found.stdout == ("caught\n" if checks else "")


# -- without effect

LOG: list[float] = []
TOTALS = np.zeros(3)
COUNT = 0
RNG = np.random.default_rng(3)


class Meter:
    seen = 0

    def __init__(self):
        self.calls = 0
        self.values = []


METER = Meter()


def with_effects(x, mine, rng):
    global COUNT
    COUNT += 1
    LOG.append(len(LOG))
    TOTALS[0] += 1.0
    METER.calls += 1
    METER.values.append(METER.calls)
    Meter.seen += 1
    mine["n"] += 1
    mine["log"].append(mine["n"])
    print("ran")
    drawn = rng.normal() + RNG.normal() + np.random.normal() + random.random()  # noqa: NPY002
    x[0] = 5.0
    return np.sum(x * x) * drawn


def state(x, mine, rng):
    outside = list(LOG), TOTALS.copy(), COUNT, METER.calls, list(METER.values), Meter.seen
    states = RNG.bit_generator.state, rng.bit_generator.state, random.getstate()
    return (*outside, states, str(np.random.get_state()), x.tolist(), repr(mine))  # noqa: NPY002


def reset():
    global COUNT
    COUNT = 0
    LOG.clear()
    TOTALS[:] = 0.0
    METER.calls, METER.values = 0, []
    Meter.seen = 0
    RNG.bit_generator.state = np.random.default_rng(3).bit_generator.state
    np.random.seed(1)  # noqa: NPY002
    random.seed(1)


@pytest.mark.parametrize("take", [sg.grad, sg.pullback, sg.value_and_grad])
def test_the_check_has_no_effect_of_its_own(take, capsys):
    found = []
    for verify in (False, True):
        reset()
        x, mine, rng = X.copy(), {"n": 0, "log": []}, np.random.default_rng(5)
        take(with_effects, fallback="tape", verify=verify)(x, mine, rng)
        found.append((str(state(x, mine, rng)), capsys.readouterr().out))
    assert found[0] == found[1]


def test_the_check_has_no_effect_on_objects():
    layer = Layer(X.copy())

    def count(layer, x):
        layer.b += 1.0
        return np.sum(layer.w * x) * layer.b

    expected = Layer(X.copy())
    count(expected, Y)
    sg.grad(count, 1, verify=True, fallback="tape")(layer, Y)
    assert layer.b == expected.b


def test_checks_in_threads_leave_the_modules_as_they_are():
    scope = dict(globals())
    functions = [lambda x, n=n: np.sum(np.sin(x) * n) + len(LOG) for n in range(4)]
    gradients = [sg.grad(f, verify=True, fallback="tape") for f in functions]
    threads = [threading.Thread(target=g, args=(X,)) for g in gradients * 2]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {name: item for name, item in globals().items() if item is not scope.get(name)} == {}


# -- where differences do not tell


def relu(x):
    return np.sum(np.maximum(x, 0.0) * 3.0)


def absolute(x):
    return np.sum(np.abs(x))


def steps(x):
    return np.sum(np.floor(x) * x)


def largest(x):
    return np.max(x) + np.min(x)


def root(x):
    return np.sum(np.sqrt(np.abs(x)))


def unseeded(x):
    return np.sum(x * x) * np.random.default_rng().normal()


def rough(x):
    return np.sum(np.float32(1.0) * x.astype(np.float32) ** 3)


@pytest.mark.parametrize("f", [relu, absolute, steps, largest, root, unseeded, rough])
@pytest.mark.parametrize(
    "x",
    [
        np.zeros(3),
        np.array([1.0, 1.0, 0.0]),
        np.array([1e-9, -1e-9, 1.0]),
        np.array([1e-30, 1e9, 3.0]),
        X.astype(np.float32),
        X * 1e-7,
    ],
    ids=str,
)
@pytest.mark.filterwarnings("ignore::RuntimeWarning", "ignore::srcgrad.VerificationWarning")
def test_kinks_jumps_ends_and_noise_raise_nothing(f, x):
    for take in (sg.grad, sg.jacfwd, sg.jacrev):
        take(f, verify=True, fallback="tape")(x)


def scaled(x, y):
    return np.sum(x * 1e-12 * y)


@pytest.mark.parametrize(
    ("kind", "scale"),
    [(kind, 1.0) for kind in (np.float32, np.float64, np.complex64, np.complex128)]
    + [(np.float32, 1e-6), (np.float32, 1e6), (np.float64, 1e-20), (np.complex128, 1e20)],
)
def test_precision_and_size_make_no_difference(kind, scale):
    def f(x, y):
        return np.sum(np.abs(x * y) ** 2)

    def bad(x, y):
        return np.sum(np.abs(x) ** 2) + np.sum(Double.apply(np.real(y)) ** 2)

    args = (X * scale).astype(kind), (Y * scale).astype(kind)
    for g in (f, scaled):
        if g is scaled and args[0].dtype.kind == "c":
            continue
        sg.grad(g, (0, 1), verify=True)(*args)
    if args[0].dtype.kind == "f":
        with pytest.raises(sg.VerificationError):
            sg.grad(bad, (0, 1), verify=True)(*args)


class Double(sg.autograd.Function):
    """Twice its argument, with a derivative that is off by a third."""

    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return 3 * grad


# -- derivatives that are others on purpose


def stopped(x):
    return np.sum(x * sg.stop_gradient(x))


def edited(x):
    y = x * 2.0
    with sg.grad_of(y) as gy:
        gy *= 0.5  # noqa: PLW2901
    return np.sum(y * y)


@pytest.mark.parametrize("f", [stopped, edited])
@pytest.mark.parametrize("take", [sg.grad, sg.jacfwd, sg.jacrev, sg.hessian])
def test_what_a_program_says_of_its_derivative_is_no_error(f, take):
    take(f, verify=True, fallback="tape")(X)


def test_an_edit_is_compared_with_that_of_the_tape(monkeypatch):
    changed(monkeypatch, "0.5", "0.6")
    with pytest.raises(sg.VerificationError):
        sg.grad(edited, verify=True)(X)


# -- what cannot be compared


def test_what_has_no_copy_is_not_run_twice_and_said():
    def total(x, items):
        return np.sum(x * x) * sum(items)

    items = (v for v in (1.0, 2.0))
    with pytest.warns(sg.VerificationWarning, match="cannot be copied"):
        found = sg.grad(total, verify=True, fallback="tape")(X, items)
    np.testing.assert_allclose(found, sg.grad(total, fallback="tape")(X, iter([1.0, 2.0])))


def test_an_error_of_the_program_is_that_of_its_call():
    def failing(x):
        if x[0] > 0.0:
            raise ValueError("mine")
        return np.sum(x)

    with pytest.raises(ValueError, match="mine"):
        sg.grad(failing, verify=True)(X)


def test_gradients_of_gradients_are_compared_at_each_level():
    with pytest.raises(sg.VerificationError, match="the gradient of `wrong`"):
        sg.hessian(wrong, 1, verify=True)(X, Y)
