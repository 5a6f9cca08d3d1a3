"""Tests what exported modules say, take, refuse and compare."""

from __future__ import annotations

import ast
import functools
import subprocess
import sys
import threading
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pytest
from numpy import tanh as squashed

import srcgrad as sg
from srcgrad.errors import ArgumentError, ExportError
from tests.differences import assert_same

RATE = 0.25
TABLE = {"low": np.array([1.0, 2.0]), "high": [np.inf, 3]}
LARGE = np.linspace(0.0, 1.0, 1000)
CHANGED = np.linspace(0.0, 1.0, 1000)
CHANGED[3] = 7.0
LOCK = threading.Lock()


class Point(NamedTuple):
    """Two numbers."""

    x: float
    y: float


@dataclass
class Layer:
    """A matrix with its rate."""

    weight: np.ndarray
    rate: float = 0.5

    def __call__(self, x):
        """Return what the layer makes of a vector."""
        return np.tanh(x @ self.weight) * self.rate


class Cube(sg.autograd.Function):
    """A rule of the user's own."""

    @staticmethod
    def forward(ctx, x):
        """Return the cube."""
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx, grad):
        """Return the gradient."""
        (x,) = ctx.saved_tensors
        return 3 * grad * x**2


def scaled(x, by=RATE):
    return x * by


def deeper(x, n):
    return x if n == 0 else deeper(np.sin(scaled(x)), n - 1)


def simple(x):
    return np.sum(squashed(x) ** 2)


def several(x, y, *, power=2):
    """Return a number.

    It has a docstring of its own.
    """
    return np.sum(deeper(x, 3) * y**power) + np.sum(TABLE["low"])


def with_rule(x):
    return np.sum(Cube.apply(x))


def with_lock(x):
    with LOCK:
        return np.sum(x * LARGE[: len(x)])


def with_changed(x):
    return np.sum(x * CHANGED[: len(x)])


def with_given(x, act=np.sin):
    return np.sum(act(x))


def with_objects(layer, x):
    return np.sum(layer(x) ** 2)


def with_point(p):
    return p.x * p.y**2


def with_aux(x):
    y = np.sum(x * x)
    return y, {"twice": 2 * y}


def product(w, x, y):
    error = np.tanh(x @ w) - y
    return np.mean(error * error)


def writes(x, y):
    x[0] = y[1] * x[1]
    return np.sum(x * x)


class Model:
    """Has a method with parameters."""

    scale = 3.0

    def loss(self, w):
        """Return a number."""
        return np.sum(np.tanh(w) * self.scale)


def loaded(text):
    """Return the function of an exported module."""
    scope = {"__name__": "exported"}
    exec(compile(text, "exported", "exec"), scope)
    return scope[next(n.name for n in ast.parse(text).body if isinstance(n, ast.FunctionDef))]


VECTOR = np.array([0.3, -0.7, 1.2])
CASES = {
    "simple": (simple, (VECTOR,), {}),
    "several": (several, (VECTOR, VECTOR + 1), {"argnums": (0, 1)}),
    "by name": (several, (VECTOR, VECTOR + 1), {"argnames": "y"}),
    "rule": (with_rule, (VECTOR,), {}),
    "lock": (with_lock, (VECTOR,), {}),
    "default": (with_given, (VECTOR,), {}),
    "named tuple": (with_point, (Point(2.0, 3.0),), {}),
    "aux": (with_aux, (VECTOR,), {"has_aux": True}),
    "lambda": (lambda x: np.sum(x**3) * RATE, (VECTOR,), {}),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize(("make", "with_example"), [(sg.grad, False), (sg.value_and_grad, True)])
def test_the_module_gives_the_same(name, make, with_example):
    function, arguments, options = CASES[name]
    if name == "named tuple" and not with_example:
        pytest.skip("what class an argument is of has to be known")
    g = make(function, fallback="error", **options)
    text = g.export(example=arguments if with_example else None)
    assert_same(loaded(text)(*arguments), g(*arguments), 1e-12)
    assert "srcgrad" not in text.split('"""', 2)[2].replace("Written by srcgrad", "")


def test_the_text_without_an_example_is_for_all_shapes():
    g = sg.grad(product)
    exported = loaded(g.export())
    for w, x, y in [
        (np.ones((4, 2)), np.ones((3, 4)), 0.5),
        (np.ones(4), np.ones((2, 3, 4)), np.zeros(3)),
        (np.ones(4), np.ones(4), 1.0),
    ]:
        assert_same(exported(w, x, y), g(w, x, y), 1e-12)


def test_the_text_of_an_example_refuses_other_shapes():
    exported = loaded(sg.grad(product).export(example=(np.ones((4, 2)), np.ones((3, 4)), 0.5)))
    with pytest.raises(ValueError, match="exported for"):
        exported(np.ones(4), np.ones((2, 3, 4)), np.zeros(3))


def test_what_was_called_before_changes_nothing():
    g, arguments = sg.grad(product), (np.ones((4, 2)), np.ones((3, 4)), 0.5)
    before = g.export(), g.export(example=arguments)
    g(*arguments)
    g(np.ones(4), np.ones((2, 3, 4)), np.zeros(3))
    assert (g.export(), g.export(example=arguments)) == before


def test_an_example_may_be_given_by_name_and_is_not_written_into():
    x = VECTOR.copy()
    text = sg.grad(writes).export(example={"y": VECTOR, "x": x})
    assert_same(x, VECTOR, 0, 0)
    with pytest.raises(ValueError, match="shares memory"):
        loaded(text)(x, x)


@pytest.mark.parametrize("wrong", [True, "text", np.arange(3), VECTOR + 1j, None])
def test_arguments_that_srcgrad_refuses_are_refused(wrong):
    with pytest.raises(TypeError):
        loaded(sg.grad(simple).export())(wrong)


def test_functions_and_objects_are_checked_to_be_those_of_the_example():
    exported = loaded(sg.grad(with_given).export(example=(VECTOR, np.cos)))
    assert_same(exported(VECTOR, np.cos), -np.sin(VECTOR), 1e-12)
    with pytest.raises(TypeError, match="`act` must be cos"):
        exported(VECTOR, np.sin)


def test_objects_are_arguments():
    g = sg.grad(with_objects, fallback="error")
    layer = Layer(np.eye(3))
    exported = loaded(g.export(example=(layer, VECTOR)))
    found, expected = exported(layer, VECTOR), g(layer, VECTOR)
    assert type(found) is type(expected)
    assert_same(vars(found), vars(expected), 1e-12)


def test_a_method_takes_its_object():
    model = Model()
    g = sg.grad(model.loss)
    exported = loaded(g.export())
    assert_same(exported(model, VECTOR), g(VECTOR), 1e-12)


def test_a_complex_example_gives_a_text_with_conjugates():
    z = VECTOR + 1j
    g = sg.grad(lambda z: np.sum(np.abs(z) ** 2))
    assert_same(loaded(g.export(example=(z,)))(z), g(z), 1e-12)


def test_the_docstring_says_what_the_module_was_made_of():
    text = sg.value_and_grad(several, argnums=(0, 1)).export()
    head = ast.get_docstring(ast.parse(text))
    assert head.startswith("Value and gradient of `several` with respect to `x`, `y`.")
    for fact in ("source: ", "sha256: ", "srcgrad: ", "--wrt x,y --value"):
        assert fact in head


def test_constants_are_written_or_made_by_their_own_line():
    text = sg.grad(with_lock).export()
    assert "LARGE = np.linspace(0.0, 1.0, 1000)" in text
    assert "LOCK = threading.Lock()" in text
    with pytest.raises(ExportError, match="array of 1000 numbers"):
        sg.grad(with_changed).export()


def test_a_check_needs_an_example():
    with pytest.raises(ArgumentError, match="needs arguments"):
        sg.grad(simple).export(with_check=True)
    with pytest.raises(ArgumentError, match="missing a required argument"):
        sg.grad(product).export(example=(1.0,))


@pytest.mark.parametrize("name", ["simple", "named tuple", "aux"])
def test_the_self_check_passes_and_fails(name, tmp_path):
    function, arguments, options = CASES[name]
    make = sg.value_and_grad if name == "aux" else sg.grad
    path = tmp_path / "checked.py"
    text = make(function, **options).export(path, example=arguments, with_check=True)
    assert path.read_text() == text
    run = functools.partial(subprocess.run, capture_output=True, text=True, check=False)
    done = run([sys.executable, "-I", path])
    assert (done.returncode, done.stderr) == (0, "")
    assert "the gradient agrees" in done.stdout
    wrong = text.replace("grad_x = ", "grad_x = 2.0 + ").replace("grad_p = ", "grad_p = {} and ")
    path.write_text(wrong.replace("grad_x += ", "grad_x += 2.0 + "))
    assert run([sys.executable, "-I", path]).returncode == 1 or wrong == text


def test_the_text_is_the_same_whatever_the_hashes(tmp_path):
    script = tmp_path / "exporting.py"
    lines = ["import srcgrad as sg", "from tests.unit.exporting import test_standalone as t"]
    lines += ["print(sg.grad(t.several, (0, 1)).export(), sg.grad(t.with_lock).export())"]
    script.write_text("\n".join(lines))
    texts = set()
    for seed in ("1", "2"):
        environment = {"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path)}
        done = subprocess.run(
            [sys.executable, script], env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        texts.add(done.stdout)
    assert len(texts) == 1
