"""Every derivative with every option and container, in both engines, against differences."""

from __future__ import annotations

import functools
import inspect
import itertools
import linecache
from collections import OrderedDict, deque
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
import pytest

import srcgrad as sg
from srcgrad.runtime.containers import REGISTERED
from tests.unit.api.trees import (
    Frozen,
    Labelled,
    Layer,
    Pair,
    assert_jacobian,
    assert_typed,
    flat,
    floats,
    is_float,
    like,
)

pytestmark = pytest.mark.filterwarnings("ignore::srcgrad.FallbackWarning")
X: Final = np.array([0.3, -0.7, 1.2])
Y: Final = np.array([-0.1, 0.4, 0.9])
_numbers = itertools.count()


@dataclass(frozen=True)
class Case:
    """A function as text, its arguments, and what is asked of it."""

    text: str
    args: tuple[Any, ...]
    kwargs: dict[str, Any] = field(default_factory=dict)
    argnums: Any = None
    argnames: Any = None
    has_aux: bool = False
    tolerance: float = 1e-6

    @property
    def options(self) -> dict[str, Any]:
        """The options as derivatives take them."""
        given = {"argnums": self.argnums, "argnames": self.argnames, "has_aux": self.has_aux}
        return {
            name: value for name, value in given.items() if value is not None and value is not False
        }

    def function(self, engine: str) -> Any:
        """Return the function, with a source or, for the tape, without one."""
        scope: dict[str, Any] = {"np": np, "Pair": Pair}
        file, text = f"<option {next(_numbers)}>", f"def {self.text}\n"
        if engine == "source":
            linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
        exec(compile(text, file, "exec"), scope)
        return scope["f"]


class Expected:
    """The same by differences."""

    def __init__(self, case: Case) -> None:
        self.case = case
        self.function = case.function("plain")
        self.signature = inspect.signature(self.function)
        arguments = self._bound().arguments
        self.order = list(self.signature.parameters)
        self.names, self.single = _chosen(case, self.signature)
        self.values = tuple(arguments[name] for name in self.names)
        self.by = self.values[0] if self.single else self.values
        self.result = self._call(self.values)
        self.at = flat(self.values)
        self.matrix = _differences(self._value, self.at, 1e-3)

    def _bound(self) -> Any:
        bound = self.signature.bind(*self.case.args, **self.case.kwargs)
        bound.apply_defaults()
        return bound

    def _call(self, values: Any) -> Any:
        bound = self._bound()
        bound.arguments.update(zip(self.names, values, strict=True))
        found = self.function(*bound.args, **bound.kwargs)
        return found[0] if self.case.has_aux else found

    def _value(self, numbers: Any) -> Any:
        return flat(self._call(like(self.values, numbers)))

    @functools.cached_property
    def second(self) -> Any:
        """The matrix of second derivatives."""

        def slope(at: Any) -> Any:
            return _differences(self._value, at, 3e-3).ravel()

        return _differences(slope, self.at, 3e-3)

    @property
    def is_number(self) -> bool:
        """Whether there is a gradient."""
        return is_float(self.result) and np.ndim(self.result) == 0

    @property
    def is_positional(self) -> bool:
        """Whether the call gives what is chosen by position, as `vjp`, `jvp` and `hvp` ask."""
        return set(self.names) <= set(self.order[: len(self.case.args)])


def _chosen(case: Case, signature: inspect.Signature) -> tuple[list[str], bool]:
    parameters = signature.parameters.values()
    places = [p.name for p in parameters if p.kind not in (p.KEYWORD_ONLY, p.VAR_KEYWORD)]
    nums, names = case.argnums, case.argnames
    if nums is None and names is None:
        nums = 0
    numbers = [] if nums is None else [nums] if isinstance(nums, int) else list(nums)
    named = [] if names is None else [names] if isinstance(names, str) else list(names)
    single = (isinstance(nums, int) and not named) or (isinstance(names, str) and not numbers)
    return [*[places[number] for number in numbers], *named], single


def _differences(f: Any, at: Any, step: float) -> Any:
    columns = np.zeros((len(at), len(f(at))))
    for place, unit in enumerate(np.eye(len(at)) * step):
        near, far = f(at + unit) - f(at - unit), f(at + 2 * unit) - f(at - 2 * unit)
        columns[place] = (8 * near - far) / (12 * step)
    return columns.T


def vector_like(value: Any) -> Any:
    """Return a container like `value` with other numbers in it, and None for what is no float."""
    size = len(flat(value))
    return like(value, np.cos(np.arange(size) * 1.7 + 0.4), typed=True, rest=False)


# -- the programs

LOOP = (
    "f(p, x):\n    for layer in p:\n        x = np.tanh(x * layer['w'] + layer['b'])\n    return {}"
)
SEVERAL = "f(a, b, c=0.7, *, d=1.5):\n    return np.sum(a * a * b) * c * d + d * d * c"
WITH_AUX = SEVERAL.replace("return ", "return (") + ", {'twice': a * 2, 'n': 3, 's': 'x'})"
INSIDE = {
    "number": ("p * p * x", 0.7),
    "numpy number": ("p * p * x", np.float64(0.7)),
    "array without axes": ("p * p * x", np.array(0.7)),
    "matrix": ("np.sin(p).sum(axis=0) * x", np.outer(X, Y)[:2]),
    "view": ("np.sin(p) * x", np.arange(6.0)[::2]),
    "single precision": ("np.sin(p) * x", X.astype(np.float32)),
    "nothing": ("np.sum(p * p) * x", np.zeros((2, 0))),
    "dict": (
        "np.tanh(p['w'] * x + p['b']) * p['c']",
        {"w": Y, "b": 0.5, "c": np.arange(3), "name": "x", "none": None, "on": True, "unread": Y},
    ),
    "dict of a class": ("np.tanh(p['w'] * x + p['b'])", OrderedDict(w=Y, b=0.5)),
    "list": ("np.sin(p[0] * x) * p[1]", [Y, np.float32(0.5)]),
    "tuple": ("np.sin(p[0] * x) * p[1]", (Y, 0.5)),
    "named tuple": ("np.sin(p.left * x) * p.right", Pair(Y, 0.5)),
    "dataclass": ("np.sin(p.w * x) * p.b", Layer(Y)),
    "frozen dataclass": ("np.sin(p.w['q'] * x) * p.b", Frozen({"q": Y})),
    "registered": ("np.sin(p.first * x) * p.second", Labelled(Y, 0.5, "label")),
    "registered by parts": ("np.sin(p[0] * x) * p[1]", deque([Y, 0.5], 3)),
    "list of objects": ("np.sin(p[0].w * x) * p[1].b", [Layer(Y), Layer(Y, 0.25)]),
    "nested": (
        "np.sin(p['l'][0]['w'] * x) * p['l'][1][0] + p['t'].left",
        {"l": [{"w": Y}, (0.5, None)], "t": Pair(0.3, []), "e": {}},
    ),
}
OUTSIDE = {
    "tuple": "x * y, np.sum(x)",
    "tuple of one": "(x * y,)",
    "list": "[x * y, 1.0, 'text', None]",
    "dict": "{'a': [x * y, (np.sum(x), y)], 'b': {'c': x}, 'e': ()}",
    "named tuple": "Pair(x * y, np.outer(x, x) * y)",
    "constant": "np.ones(2)",
    "nothing": "x[:0] * y",
    "the arguments": "x, y",
}
CHOICES: Final[list[dict[str, Any]]] = [
    {"argnums": 1},
    {"argnums": -1},
    {"argnums": (2, 0)},
    {"argnums": [-3]},
    {"argnames": "d"},
    {"argnames": ("d", "a")},
    {"argnums": 0, "argnames": "d"},
]
CALLS: Final[list[tuple[tuple[Any, ...], dict[str, Any]]]] = [
    ((X, Y, 0.9), {}),
    ((X,), {"d": 2.0, "b": Y}),
    ((), {"b": Y, "d": 2.0, "a": X, "c": 0.2}),
]
CASES: dict[str, Case] = {}
for _name, (_line, _value) in INSIDE.items():
    _tolerance = 1e-3 if "float32" in repr(_value) else 1e-6
    _both: dict[str, Any] = {"argnums": (1, 0), "tolerance": _tolerance}
    CASES[f"by {_name}"] = Case(
        f"f(p, x):\n    return np.sum({_line} * x)", (_value, X), tolerance=_tolerance
    )
    CASES[f"by {_name} and an array"] = Case(f"f(p, x):\n    return {_line}", (_value, X), **_both)
CASES["second, by layers"] = Case(
    LOOP.format("np.sum(x)"), ([{"w": X, "b": 0.5}, {"w": Y, "b": 0.1}], Y), argnums=(0, 1)
)
for _name, _line in OUTSIDE.items():
    CASES[f"of {_name}"] = Case(f"f(x, y):\n    return {_line}", (X, 0.5), argnums=(0, 1))
for _place, (_choice, _call) in enumerate(zip(CHOICES, itertools.cycle(CALLS), strict=False)):
    CASES[f"choice {_choice}"] = Case(SEVERAL, *_call, **_choice)
    _next = CALLS[(_place + 1) % len(CALLS)]
    if _place % 2:
        CASES[f"choice {_choice} with aux"] = Case(WITH_AUX, *_next, **_choice, has_aux=True)


@pytest.fixture(autouse=True)
def registered():
    """Register the containers of the tests."""
    before = dict(REGISTERED)
    sg.register_container(
        Labelled,
        lambda item: ((item.first, item.second), item.label),
        lambda label, parts: Labelled(*parts, label),
    )
    sg.register_container(deque, lambda d: (tuple(d), d.maxlen), lambda n, parts: deque(parts, n))
    yield
    REGISTERED.clear()
    REGISTERED.update(before)


@functools.cache
def expected_of(name: str) -> Expected:
    return Expected(CASES[name])


# -- the derivatives


def check_gradients(case: Case, expected: Expected, f: Any) -> None:
    for make in (sg.grad, sg.value_and_grad):
        found = make(f, fallback="tape", **case.options)(*case.args, **case.kwargs)
        if make is sg.value_and_grad:
            value, found = found
            close(value[0] if case.has_aux else value, expected.result, case)
        elif case.has_aux:
            found, aux = found
            assert aux["s"] == "x"
        check_by(found, expected, expected.matrix[0])


def check_pullbacks(case: Case, expected: Expected, f: Any) -> None:
    seed = vector_like(expected.result)
    weights = flat(seed) @ expected.matrix
    value, pull, *aux = sg.pullback(f, **case.options)(*case.args, **case.kwargs)
    close(flat(value), flat(expected.result), case)
    assert len(aux) == case.has_aux
    check_by(pull(seed), expected, weights)
    check_by(pull(seed), expected, weights)
    if expected.is_positional:
        _, pull, *aux = sg.vjp(f, *case.args, has_aux=case.has_aux, kwargs=case.kwargs)
        found = dict(zip(expected.order, pull(seed), strict=False))
        check_each([found[name] for name in expected.names], expected, weights)


def check_pushforwards(case: Case, expected: Expected, f: Any) -> None:
    tangents = [vector_like(value) for value in expected.values]
    moved = expected.matrix @ flat(tangents)
    dots = {f"{name}_dot": item for name, item in zip(expected.names, tangents, strict=True)}
    done = [sg.pushforward(f, **case.options)(*case.args, **case.kwargs, **dots)]
    if expected.is_positional:
        given = dict(zip(expected.names, tangents, strict=True))
        chosen = [given.get(name) for name in expected.order[: len(case.args)]]
        options: dict[str, Any] = {"has_aux": case.has_aux, "kwargs": case.kwargs}
        done.append(sg.jvp(f, case.args, chosen, **options))
    for value, tangent, *aux in done:
        assert_typed(tangent, value)
        close(flat(value), flat(expected.result), case)
        close(flat(tangent), moved, case)
        assert len(aux) == case.has_aux


def check_jacobians(case: Case, expected: Expected, f: Any) -> None:
    for make in (sg.jacobian, sg.jacfwd, sg.jacrev):
        found = make(f, **case.options)(*case.args, **case.kwargs)
        if case.has_aux:
            found, aux = found
            assert aux["n"] == 3
        assert_jacobian(found, expected.result, expected.by, expected.matrix, case.tolerance)


def check_hessians(case: Case, expected: Expected, f: Any) -> None:
    found = sg.hessian(f, **case.options)(*case.args, **case.kwargs)
    if case.has_aux:
        found = found[0]
    tolerance = max(case.tolerance, 1e-5)
    assert_jacobian(found, expected.by, expected.by, expected.second, tolerance)
    tangents = [vector_like(value) for value in expected.values]
    moved = expected.second @ flat(tangents)
    dots = {f"{name}_dot": item for name, item in zip(expected.names, tangents, strict=True)}
    product = sg.hessian_product(f, **case.options)(*case.args, **case.kwargs, **dots)
    check_by(product[0] if case.has_aux else product, expected, moved, 1e-5)
    if expected.is_positional and not case.has_aux:
        given = dict(zip(expected.names, tangents, strict=True))
        chosen = [given.get(name) for name in expected.order[: len(case.args)]]
        several = sg.hvp(f, case.args, chosen, kwargs=case.kwargs)
        in_order = sorted(expected.names, key=expected.order.index)
        parts = dict(zip(in_order, several if len(in_order) > 1 else (several,), strict=True))
        check_each([parts[name] for name in expected.names], expected, moved, 1e-5)


def check_by(found: Any, expected: Expected, numbers: Any, tolerance: float = 0.0) -> None:
    """Check derivatives by what is chosen: alone, or in a tuple."""
    assert expected.single or type(found) is tuple
    check_each([found] if expected.single else found, expected, numbers, tolerance)


def check_each(found: Any, expected: Expected, numbers: Any, tolerance: float = 0.0) -> None:
    for item, value in zip(found, expected.values, strict=True):
        assert_typed(item, value)
    close(flat(list(found)), numbers, expected.case, tolerance)


def close(found: Any, expected: Any, case: Case, tolerance: float = 0.0) -> None:
    allowed = max(case.tolerance, tolerance)
    np.testing.assert_allclose(found, expected, rtol=allowed, atol=allowed)


@pytest.mark.parametrize("engine", ["source", "tape"])
@pytest.mark.parametrize("name", CASES)
def test_all_derivatives(name, engine):
    case, expected = CASES[name], expected_of(name)
    f = case.function(engine)
    before = [np.array(leaf) for leaf in floats([*case.args, *case.kwargs.values()])]
    checks = [check_pullbacks, check_pushforwards, check_jacobians]
    if expected.is_number:  # of results that are none, the others are tested with all containers
        checks = checks if "choice" in name else []
        checks = [*checks, check_gradients, check_hessians]
    for check in checks:
        check(case, expected, f)
    after = floats([*case.args, *case.kwargs.values()])
    for old, new in zip(before, after, strict=True):
        np.testing.assert_array_equal(old, new)
