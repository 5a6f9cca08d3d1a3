"""Exported modules of functions that are called anything at all: their names are never run."""

from __future__ import annotations

import types
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import srcgrad as sg

X = np.array([1.0, -2.0])
NAMES = {
    "a new line": "f\nraise SystemExit\n",
    "a new line and quotes": 'f"""\nraise SystemExit\n"""',
    "a carriage return": "f\rraise SystemExit\r",
    "a line of Unicode": "f\u2028raise SystemExit",
    "quotes": "x'; raise SystemExit; '",
    "a keyword": "class",
    "a builtin": "__import__",
    "letters outside ASCII": "größe",
    "right to left": "\u202eevil",
    "no letters": "",
    "a null": "\x00",
    "an escape": "\x1b[31m",
    "a path": "../../my-model",
}


def squares(x: Any) -> Any:
    """Return a sum of squares."""
    return np.sum(x * x)


@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES)
@pytest.mark.parametrize("make", [sg.grad, sg.value_and_grad])
def test_an_export_runs_whatever_the_function_is_called(
    name: str, make: Any, tmp_path: Path
) -> None:
    f = types.FunctionType(squares.__code__, {"np": np, "__name__": name}, "f")
    f.__name__ = f.__qualname__ = name
    f.__doc__ = name
    path = tmp_path / "exported.py"
    make(f).export(path)
    scope: dict[str, Any] = {"__name__": "exported"}
    text = path.read_text(encoding="utf-8")
    exec(compile(text, str(path), "exec"), scope)
    made = [item for key, item in scope.items() if key.endswith("_grad") and callable(item)]
    found = made[0](X)  # the first is the one for users, which calls the other
    np.testing.assert_array_equal(found[1] if make is sg.value_and_grad else found, 2 * X)
    assert "\x1b" not in text
    assert list(tmp_path.iterdir()) == [path]
