"""What is kept of rules for calls of a form gives the texts that following them anew does."""

from __future__ import annotations

import importlib.util
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import srcgrad as sg
from srcgrad.transforms import rule_forms, templates

TEXT = """\
import numpy as np
from scipy import special


def loss(x, y, w, k):
    a = np.sin(x) * y + (x - 0.5) * 0.25 - 2 / (1 + np.exp(-y))
    b = a * a + np.hypot(a, x) + np.maximum(y, 0.0) + np.power(x, 2) + np.power(a, y) + k * x
    c = np.sum(b * w, axis=0) + np.mean(a, axis=1, keepdims=True) + np.max(b)
    d = np.where(c > 1.0, c, -c) + special.gammaln(x) + np.clip(b, -1.0, 1.0)
    e, f = np.split(np.reshape(d, (-1,)), 2)
    g = np.linalg.norm(e) + np.dot(e, f) + np.trace(d @ np.transpose(d)) + np.cumsum(f)[-1]
    return g + np.linalg.det(np.stack([a[0, :2], b[0, :2]])) + np.concatenate([e, f]).sum()
"""


def text_of(source: str, folder: Path, name: str, argnames: Any) -> str:
    """Return the gradient of a function that nobody has seen before, but for the file's name."""
    path = folder / f"{name}.py"
    path.write_text(source, encoding="utf-8")
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module: Any = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
        return sg.grad(module.loss, argnames, fallback="error").source.replace(name, "module")
    finally:
        del sys.modules[name]


@pytest.fixture
def forms(monkeypatch: pytest.MonkeyPatch) -> dict[Any, Any]:
    """What is kept, empty at the beginning."""
    kept: dict[Any, Any] = {}
    monkeypatch.setattr(rule_forms, "FORMS", kept)
    monkeypatch.setattr(templates, "FORMS", kept)
    return kept


@pytest.mark.parametrize("argnames", [0, (0, 1, 2, 3)])
def test_texts_are_those_of_rules_that_are_followed_each_time(
    argnames: Any, tmp_path: Path, forms: dict[Any, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    first = text_of(TEXT, tmp_path, "forms_first", argnames)
    assert {rule.__name__ for (rule, *_), form in forms.items() if form is None} == {
        "Dot",
        "Matmul",
    }
    before = len(forms)
    other = re.sub(r"\b([xyw])\b", r"\1_other", TEXT)
    again = text_of(other, tmp_path, "forms_again", argnames)
    assert len(forms) == before
    assert "_other" in again
    never: Callable[..., None] = lambda *_: None  # noqa: E731
    monkeypatch.setattr(templates, "operand_kinds", never)
    assert first == text_of(TEXT, tmp_path, "forms_never", argnames)


def test_too_many_forms_are_let_go(monkeypatch: pytest.MonkeyPatch) -> None:
    kept: dict[Any, Any] = {}
    monkeypatch.setattr(rule_forms, "_MOST", 2)
    for number in range(5):
        rule_forms.keep(kept, (number,), number)
        assert (number,) in kept
    assert len(kept) == 1
