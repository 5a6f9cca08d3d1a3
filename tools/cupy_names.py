"""Writes down what the installed CuPy has: its functions, their parameters, what they refuse.

It needs CuPy, and no device: importing it does not ask for one, and a function that accepts an
argument is told from one that refuses it by the error, that of the missing device or another.

`python -m tools.cupy_names > tests/doubles/cupy_names.txt`
"""

from __future__ import annotations

import importlib
import inspect
import re
import sys
import warnings
from collections.abc import Iterator
from types import ModuleType
from typing import Any

_SPACES = ("", "linalg", "fft", "random", "exceptions")
_LINE = re.compile(r"^\w+\.\w+\(self(?:, )?(?P<parameters>.*?)\)(?: ->.*)?$")


def parameters_of(function: Any) -> str:
    """Return the names of parameters of a function, with stars; ``?`` if it does not tell."""
    try:
        found = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return "?"
    stars: dict[Any, str] = {
        inspect.Parameter.VAR_POSITIONAL: "*",
        inspect.Parameter.VAR_KEYWORD: "**",
    }
    return " ".join(stars.get(item.kind, "") + item.name for item in found)


def told_by_docstring(method: Any) -> str:
    """Return the names of parameters of a compiled method, which its docstring begins with."""
    found = _LINE.match((method.__doc__ or "").partition("\n")[0])
    if found is None:
        return "?"
    parts = [part.strip().partition("=")[0] for part in found["parameters"].split(",")]
    return " ".join(part.rpartition(" ")[2] for part in parts if part)


def takes(cupy: Any, function: Any, value: Any) -> bool:
    """Say whether a function takes a value for its first argument, as far as that can be seen."""
    try:
        function(value)
    except cupy.cuda.runtime.CUDARuntimeError:
        return True
    except Exception:  # noqa: BLE001 - it refuses, in any way
        return False
    return True


def lines(cupy: Any) -> Iterator[str]:
    """Yield a line for each name: what it is, the name, and its parameters."""
    yield f"# CuPy {cupy.__version__}"
    for space in _SPACES:
        owner = getattr(cupy, space) if space else cupy
        for name in sorted(vars(owner)):
            if not name.startswith("_"):
                yield from told(cupy, ".".join(filter(None, (space, name))), getattr(owner, name))
    for name in sorted(dir(cupy.ndarray)):
        if not name.startswith("__"):
            method = getattr(cupy.ndarray, name)
            is_method = callable(method)
            yield f"method ndarray.{name} {told_by_docstring(method) if is_method else '-'}"
    for name in sorted(dir(cupy.random.Generator)):
        if not name.startswith("_"):
            yield f"draw random.Generator.{name} {told_by_docstring(vars_of(cupy, name))}"


def vars_of(cupy: Any, name: str) -> Any:
    """Return a method of CuPy's generators of random numbers."""
    return getattr(cupy.random.Generator, name)


def told(cupy: Any, name: str, value: Any) -> Iterator[str]:
    """Yield the line of one name."""
    if isinstance(value, ModuleType):
        return
    if isinstance(value, cupy.ufunc):
        yield f"ufunc {name}"
    elif isinstance(value, type) or not callable(value):
        yield f"value {name}"
    else:
        marks = [
            mark for mark, item in (("1", 2.0), ("[]", [1.0, 2.0])) if takes(cupy, value, item)
        ]
        yield f"function {name} {parameters_of(value)} : {' '.join(marks)}".rstrip()


def main() -> None:
    """Print them."""
    warnings.simplefilter("ignore")
    sys.stdout.write("\n".join(lines(importlib.import_module("cupy"))) + "\n")


if __name__ == "__main__":
    main()
