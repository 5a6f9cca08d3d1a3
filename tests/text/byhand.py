"""Gradients written by hand, to compare the texts of derivatives with."""

from __future__ import annotations

import ast
from collections.abc import Callable
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent.parent / "byhand"


def text_by_hand(name: str) -> str:
    """Return the text that a person wrote for a golden program, without its first line."""
    text = (FOLDER / f"{name}.py").read_text(encoding="utf-8")
    return text.split("\n", 1)[1].lstrip()


def gradient_by_hand(name: str) -> Callable[..., Any]:
    """Return the gradient that a person wrote for a golden program."""
    namespace: dict[str, Any] = {}
    exec(compile(text_by_hand(name), f"<{name} by hand>", "exec"), namespace)
    found: Callable[..., Any] = namespace["gradient"]
    return found


def statements(text: str) -> int:
    """Count the statements of a text, leaving out imports, docstrings and the lines of `def`.

    >>> statements("import a\\ndef f(x):\\n    'Doc.'\\n    for i in x:\\n        print(i)\\n")
    2
    """
    counted = 0
    for node in ast.walk(ast.parse(text)):
        doc = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        left_out = isinstance(node, (ast.Import, ast.ImportFrom, ast.FunctionDef)) or doc
        counted += isinstance(node, ast.stmt) and not left_out
    return counted
