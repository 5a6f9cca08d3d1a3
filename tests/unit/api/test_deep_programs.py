"""Programs whose trees are deeper than Python's limit on recursion allows."""

from __future__ import annotations

import inspect
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import CodeType
from typing import Any

import numpy as np
import pytest

import srcgrad as sg
from srcgrad.errors import UnsupportedSyntaxError
from srcgrad.ir.depth import deeply
from tests.differences import numerical_gradient

pytestmark = pytest.mark.usefixtures("_few_calls")
_ROOM = 150


@pytest.fixture
def _few_calls() -> Iterator[None]:
    """Leave so little room that small programs are deep ones."""
    with _limited(len(inspect.stack()) + _ROOM):
        yield


@contextmanager
def _limited(limit: int) -> Iterator[None]:
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(limit)
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


def _sum(n: int) -> str:
    return "    return " + " + ".join(f"np.sin(x) * {i}.5" for i in range(n))


def _elifs(n: int) -> str:
    branches = [f"    elif x < {i}.5:\n        y = x * {i}.0\n" for i in range(n)]
    return "    if x < 0:\n        y = x\n" + "".join(branches) + "    return y * x"


def _arguments(n: int) -> str:
    names = ", ".join(f"a{i}" for i in range(n))
    body = " + ".join(f"a{i} * {i}" for i in range(n))
    given = ", ".join(f"x * {i}" for i in range(n))
    return f"    def inner({names}):\n        return {body}\n    return inner({given})"


def _writes(n: int) -> str:
    lines = [f"    y[{i}] = x * {i}.0\n" for i in range(n)]
    return f"    y = np.zeros({n})\n" + "".join(lines) + "    return np.sum(y * y)"


def _chain(n: int) -> str:
    inner = "    def f0(a):\n        return np.sin(a)\n"
    lines = [f"    def f{i}(a):\n        return f{i - 1}(a) * 1.0{i % 7}\n" for i in range(1, n)]
    return inner + "".join(lines) + f"    return f{n - 1}(x)"


def _statements(n: int) -> str:
    lines = [f"    y = np.sin(y) + x * 0.{i % 9 + 1}\n" for i in range(2 * n)]
    return "    y = x\n" + "".join(lines) + "    return y * x"


def _list(n: int) -> str:
    items = ", ".join(f"x * {i}.5" for i in range(n))
    return f"    total = 0.0\n    for v in [{items}]:\n        total += v * v\n    return total"


def _dict(n: int) -> str:
    items = ", ".join(f'"k{i}": x * {i}.5' for i in range(n + 1))
    return f"    held = {{{items}}}\n    return held['k3'] * held['k{n}'] + sum(held.values())"


_PROGRAMS = {
    "sum": _sum,
    "elifs": _elifs,
    "arguments": _arguments,
    "writes": _writes,
    "chain": _chain,
    "statements": _statements,
    "list": _list,
    "dict": _dict,
}


def _made(name: str, size: int, folder: Path) -> Callable[..., Any]:
    text = f"def {name}(x):\n{_PROGRAMS[name](size)}\n"
    path = folder / f"{name}.py"
    path.write_text(text)
    code: CodeType = compile(text, str(path), "exec")
    namespace: dict[str, Any] = {"np": np, "__name__": name}
    exec(code, namespace)
    return namespace[name]  # type: ignore[no-any-return]


@pytest.mark.parametrize("name", _PROGRAMS)
def test_deep_programs_go_by_source(name: str, tmp_path: Path) -> None:
    with _limited(5000):
        f = _made(name, 60, tmp_path)
    limit = sys.getrecursionlimit()
    expected = numerical_gradient(f, (2.2,), 0)
    np.testing.assert_allclose(sg.grad(f, fallback="error")(2.2), expected, rtol=1e-6)
    np.testing.assert_allclose(sg.jvp(f, (2.2,), (1.0,))[1], expected, rtol=1e-6)
    np.testing.assert_allclose(sg.vjp(f, 2.2)[1](1.0), expected, rtol=1e-6)
    assert sys.getrecursionlimit() == limit


def test_what_python_does_not_nest_so_deep_goes_to_the_tape(tmp_path: Path) -> None:
    branches = "".join(f"    elif x[0] < {i}.5:\n        y = x[0] * {i}.0\n" for i in range(150))
    path = tmp_path / "nested.py"
    path.write_text(f"def nested(x):\n    if x[0] < 0:\n        y = x[0]\n{branches}    return y\n")
    namespace: dict[str, Any] = {"__name__": "nested"}
    exec(compile(path.read_text(), str(path), "exec"), namespace)
    f, x = namespace["nested"], np.array([2.2, 1.0])
    with pytest.warns(sg.FallbackWarning, match="nested deeper"):
        np.testing.assert_array_equal(sg.grad(f)(x), [2.0, 0.0])
    with pytest.raises(UnsupportedSyntaxError, match="nested deeper"):
        sg.grad(f, fallback="error")(x)


def test_what_the_deep_walk_raises_is_raised_where_it_was_asked_for() -> None:
    @deeply
    def fails(depth: int) -> None:
        if depth:
            inspect.unwrap(fails)(depth - 1)
        else:
            raise KeyError("the bottom")

    with pytest.raises(KeyError, match="the bottom"):
        fails(2000)


def test_what_never_ends_is_refused() -> None:
    @deeply
    def endless() -> None:
        inspect.unwrap(endless)()

    limit, size = sys.getrecursionlimit(), threading.stack_size()
    with pytest.raises(sg.SrcgradError, match="too deeply"):
        endless()
    assert (sys.getrecursionlimit(), threading.stack_size()) == (limit, size)
