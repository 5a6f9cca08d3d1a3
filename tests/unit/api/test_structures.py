"""Arguments of nested objects, lists, tuples and dicts: every mode and engine agrees on them."""

from __future__ import annotations

import inspect
import linecache
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import srcgrad as sg
from srcgrad.api.fallback import run_on_tape
from srcgrad.api.values import conform
from tests.unit.api.trees import (
    Frozen,
    Labelled,
    Layer,
    Pair,
    assert_typed,
    flat,
    is_float,
    like,
    mapped,
)

TOLERANCE = {"rtol": 1e-6, "atol": 1e-8}
DRAWN = 40


class Network:
    """An object in the style of many libraries: it holds layers and calls them in turn."""

    def __init__(self, layers: Any, rate: Any) -> None:
        self.layers, self.rate = layers, rate

    def __call__(self, x: Any) -> Any:
        """Return what the layers make of `x`."""
        for layer in self.layers:
            x = np.tanh(x * layer.w + layer.b)
        return x * self.rate


class Draw:
    """Draws a structure and the text of a function that reads every float of it, in some way."""

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)
        self.lines: list[str] = []
        self.count = 0

    def structure(self, depth: int) -> Any:
        """Return a structure; entries of lists and dicts may be alike, so that loops can be run."""
        kinds = ["object", "frozen", "labelled", "pair", "list", "tuple", "dict", "alike", "named"]
        kind = "leaf" if depth == 0 else self.rng.choice(kinds)
        if kind == "leaf":
            return self._leaf()
        if kind in ("alike", "named"):
            first = self.structure(depth - 1)
            items = [mapped(self._anew, first) for _ in range(self.rng.integers(1, 4))]
            return items if kind == "alike" else dict(zip("abc", items, strict=False))
        first, second = self.structure(depth - 1), self.structure(int(self.rng.integers(depth)))
        if kind in ("list", "tuple"):
            return [first, second] if kind == "list" else (first, second)
        if kind == "dict":
            return {"first": first, "second": second}
        if kind == "labelled":
            return Labelled(first, second, "label")
        made: Any = {"object": Layer, "frozen": Frozen, "pair": Pair}[kind](first, second)
        return made

    def _leaf(self) -> Any:
        kinds = [self.rng.normal(size=2), float(self.rng.normal()), self.rng.normal(size=2), True]
        return kinds[self.rng.integers(4)]

    def _anew(self, leaf: Any) -> Any:
        if not is_float(leaf):
            return leaf
        return self.rng.normal(size=2) if np.ndim(leaf) else float(self.rng.normal())

    def text(self, value: Any) -> str:
        """Return the text of a function of a structure like `value` and of a vector."""
        self.lines = ["def function(s, x):"]
        self._read(value, "s", 1)
        self.lines.append("    return np.sum(x)")
        return "\n".join(self.lines) + "\n"

    def _read(self, value: Any, expression: str, depth: int) -> None:
        indent = "    " * depth
        if isinstance(value, (list, dict)) and self._alike(value) and self.rng.random() < 0.7:
            self.count += 1
            part = f"part_{self.count}"
            first = next(iter(value.values())) if isinstance(value, dict) else value[0]
            over = f"{expression}.values()" if isinstance(value, dict) else expression
            self.lines.append(f"{indent}for {part} in {over}:")
            self._read(first, part, depth + 1)
        elif isinstance(value, (list, tuple)) and not isinstance(value, Pair):
            for place, item in enumerate(value):
                self._read(item, f"{expression}[{place}]", depth)
        elif isinstance(value, dict):
            for key, item in value.items():
                self._read(item, f"{expression}[{key!r}]", depth)
        elif isinstance(value, Pair):
            self._read(value.left, f"{expression}.left", depth)
            self._read(value.right, f"{expression}.right", depth)
        elif hasattr(value, "__dict__"):
            for name, item in vars(value).items():
                self._read(item, f"{expression}.{name}", depth)
        elif not isinstance(value, str):
            self.lines.append(f"{indent}x = np.tanh(x * {expression} + 0.3)")

    def _alike(self, value: Any) -> bool:
        items = list(value.values()) if isinstance(value, dict) else value
        return len({_shape(item) for item in items}) == 1


def _shape(value: Any) -> str:
    """Return what tells structures apart by which one text cannot read."""
    found = mapped(lambda leaf: np.shape(leaf) if is_float(leaf) else str(leaf), value)
    return f"{type(value)} {found if not hasattr(found, '__dict__') else _fields(found)}"


def _fields(value: Any) -> str:
    return str({n: _fields(v) if hasattr(v, "__dict__") else v for n, v in vars(value).items()})


def function_of(text: str, name: str) -> Callable[..., Any]:
    """Return the function that a text defines, whose source can be found."""
    file = f"<{name}>"
    linecache.cache[file] = len(text), None, text.splitlines(keepends=True), file
    scope: dict[str, Any] = {"np": np, "__name__": __name__}
    exec(compile(text, file, "exec"), scope)
    made: Callable[..., Any] = scope["function"]
    return made


def slopes(function: Callable[..., Any], value: Any, x: Any) -> Any:
    """Return the derivatives by all floats of a structure, from differences."""
    here, found = flat(value), []
    for unit in np.eye(here.size):
        at = [float(function(like(value, here + step * unit), x)) for step in (1e-3, -1e-3)]
        further = [float(function(like(value, here + step * unit), x)) for step in (2e-3, -2e-3)]
        found.append((8 * (at[0] - at[1]) - (further[0] - further[1])) / 12e-3)
    return np.array(found)


def drawn(seed: int) -> tuple[Callable[..., Any], Any, Any]:
    """Return a function, and a structure and a vector for it."""
    draw = Draw(seed)
    value = draw.structure(3)
    while not flat(value).size or isinstance(value, (float, np.ndarray)):
        value = draw.structure(3)
    return function_of(draw.text(value), f"structure_{seed}"), value, draw.rng.normal(size=2)


@pytest.mark.filterwarnings("ignore::srcgrad.FallbackWarning")
@pytest.mark.parametrize("seed", range(DRAWN))
def test_every_mode_and_the_tape_agree_with_differences(seed: int) -> None:
    function, value, x = drawn(seed)
    expected = slopes(function, value, x)
    result, grad = sg.value_and_grad(function)(value, x)
    assert result == pytest.approx(function(value, x))
    assert_typed(grad, value)
    along = np.random.default_rng(seed).normal(size=expected.size)
    direction = like(value, along, typed=True, rest=False)
    _, pull = sg.vjp(function, value, x)
    objective = sg.scipy_objective(function, value, x)
    names, signature = ["s"], inspect.signature(function)
    _, (taped,) = run_on_tape(function, signature, names, (value, x), {}, aux=False)
    found = {
        "grad": flat(grad),
        "both": flat(sg.grad(function, (0, 1))(value, x)[0]),
        "vjp": flat(pull(1.0)[0]),
        "jacobian": flat(sg.jacobian(function)(value, x)),
        "jacfwd": flat(sg.jacfwd(function)(value, x)),
        "objective": objective.jac(objective.x0),
        "tape": flat(conform(taped, value)),
    }
    for mode, numbers in found.items():
        np.testing.assert_allclose(numbers, expected, err_msg=mode, **TOLERANCE)
    _, tangent = sg.jvp(function, (value, x), (direction, np.zeros(2)))
    assert tangent == pytest.approx(expected @ along, rel=1e-6, abs=1e-8)


def test_most_structures_are_read_by_source() -> None:
    by_source = 0
    for seed in range(DRAWN):
        function, value, x = drawn(seed)
        try:
            sg.grad(function, fallback="error")(value, x)
        except sg.UnsupportedError:
            continue
        by_source += 1
    assert by_source >= 0.8 * DRAWN


def loss(network: Any, x: Any) -> Any:
    return np.sum(network(x) ** 2)


@pytest.mark.parametrize("kind", [list, tuple])
def test_the_layers_of_a_network_are_differentiated_by_source(kind: Any) -> None:
    rng = np.random.default_rng(0)
    layers = kind(Layer(rng.normal(size=2), 0.3 * place) for place in range(3))
    network, x = Network(layers, 0.7), rng.normal(size=2)
    grad = sg.grad(loss, fallback="error")(network, x)
    assert type(grad) is Network
    assert type(grad.layers) is kind
    step = 1e-6
    for place, layer in enumerate(layers):
        layer.b += step
        above = loss(network, x)
        layer.b -= 2 * step
        slope = (above - loss(network, x)) / (2 * step)
        layer.b += step
        assert grad.layers[place].b == pytest.approx(slope, rel=1e-6)


def test_a_gradient_serves_networks_of_more_layers() -> None:
    derivative = sg.grad(loss, fallback="error")
    x = np.array([0.4, -0.2])
    sizes = [len(derivative(Network([Layer(x)] * n, 0.7), x).layers) for n in (1, 3, 2)]
    assert sizes == [1, 3, 2]
    assert np.all(derivative(Network([Layer(x), Layer(x)], 0.7), x).layers[1].w != 0.0)
