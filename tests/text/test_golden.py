"""The text of derivatives, as a reader gets it: current, clean, self-contained and right."""

from __future__ import annotations

import ast
import inspect
import subprocess
import sys
from types import FunctionType
from typing import Any

import numpy as np
import pytest

from tests.differences import assert_same, copied, numerical_gradient
from tests.text.golden import FILES, Golden

OPEN: dict[tuple[str, str], str] = {}
"""What the texts still lack; an entry that has come right must go."""


def lacking(what: str) -> list[Any]:
    """Return the golden files as parameters, those with an open entry marked."""
    return [
        pytest.param(
            golden,
            id=golden.name,
            marks=[pytest.mark.xfail(reason=OPEN[what, golden.name], strict=True)]
            if (what, golden.name) in OPEN
            else [],
        )
        for golden in FILES
    ]


every_file = pytest.mark.parametrize("golden", FILES, ids=lambda golden: golden.name)


@pytest.fixture(scope="module", autouse=True)
def updated(request: pytest.FixtureRequest) -> None:
    """Rewrite the texts first, where that is wanted."""
    if request.config.getoption("--update-golden"):
        for golden in FILES:
            golden.write(golden.gradient().source)


@every_file
def test_the_text_is_current(golden: Golden) -> None:
    hint = "run `pytest tests/text --update-golden` and read the difference"
    assert golden.text == golden.gradient().source, hint


def run_text(golden: Golden) -> FunctionType:
    """Return the derivative that the text in the file defines: the last of its functions."""
    namespace: dict[str, Any] = {}
    exec(compile(golden.text, f"<{golden.name}>", "exec"), namespace)
    functions = [f for f in namespace.values() if isinstance(f, FunctionType)]
    return [f for f in functions if f.__code__.co_filename == f"<{golden.name}>"][-1]


@pytest.mark.parametrize("golden", lacking("differences"))
def test_the_text_agrees_with_differences(golden: Golden) -> None:
    gradient = golden.gradient()
    args = golden.module().example(np.random.default_rng(0))
    before = copied(args)
    result = run_text(golden)(*args)
    used = copied(before)
    expected = gradient.primal(*used)
    assert_same(args, used, 0, 0)  # written into as by the function itself, else untouched
    if gradient._value:
        value, result = result
        assert_same(value, expected, 1e-12)
    assert_gradient(golden, before, result)


@every_file
def test_the_derivative_agrees_with_differences_where_it_is_called(golden: Golden) -> None:
    args = golden.module().example(np.random.default_rng(1))
    result = golden.gradient()(*copied(args))
    assert_gradient(golden, args, result[1] if golden.gradient()._value else result)


def assert_gradient(golden: Golden, args: Any, result: Any) -> None:
    """Compare the gradient in all arguments that are differentiated with differences."""
    gradient = golden.gradient()
    names = list(inspect.signature(gradient.primal).parameters)
    wanted = [names.index(name) for name in gradient._selection.names]
    grads = (result,) if gradient._selection.single else result
    for place, grad in zip(wanted, grads, strict=True):
        expected = numerical_gradient(gradient.primal, args, place)
        assert_same(listed(grad), listed(expected))


def listed(value: Any) -> Any:
    """Return nested containers with lists in the place of tuples, as adjoints have them."""
    if isinstance(value, dict):
        return {key: listed(item) for key, item in value.items()}
    return [listed(item) for item in value] if isinstance(value, (list, tuple)) else value


@every_file
def test_the_text_imports_numpy_math_the_runtime_and_the_users_module_alone(golden: Golden) -> None:
    tree = ast.parse(golden.text)
    imported = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            imported.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            imported.add(node.module)
    assert imported <= {"numpy", "math", "srcgrad.runtime", golden.module().__name__}


@pytest.mark.parametrize("golden", lacking("columns"))
def test_the_text_fits_into_100_columns(golden: Golden) -> None:
    assert [line for line in golden.text.splitlines() if len(line) > 100] == []
    assert all(line == line.rstrip() for line in golden.text.splitlines())


@pytest.fixture(scope="module")
def lints(updated: None, tmp_path_factory: pytest.TempPathFactory) -> str:
    """What the linter says of all texts, with its default rules."""
    folder = tmp_path_factory.mktemp("texts")
    for golden in FILES:
        (folder / f"{golden.name}.py").write_text(golden.text)
    command = [sys.executable, "-m", "ruff", "check", "--isolated", "--no-cache"]
    command += ["--line-length", "100", "--output-format", "concise", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stderr
    return done.stdout


@pytest.mark.parametrize("golden", lacking("linter"))
def test_the_text_is_clean_under_the_linter(golden: Golden, lints: str) -> None:
    assert [line for line in lints.splitlines() if f"{golden.name}.py:" in line] == []


def test_no_file_is_empty() -> None:
    assert len(FILES) >= 24
    assert all(golden.text for golden in FILES)
