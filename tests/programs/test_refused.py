"""Checks that each program in `tests/refused` is refused at the lines it marks, with their codes.

A line that must be refused ends in ``# SG101``; a program may say its `ARGUMENTS` (else one array)
and the `OPTIONS` of the derivative.
"""

from __future__ import annotations

import ast
import importlib.util
import re
import sys
import warnings
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import srcgrad as sg
from tests import refusals

FILES = sorted((Path(__file__).parent.parent / "refused").glob("*.py"))
MARK = re.compile(r"#\s*(SG\d\d\d)$")

every_file = pytest.mark.parametrize("path", FILES, ids=[path.stem for path in FILES])


def load(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"refused_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def marks(path: Path) -> list[tuple[int, str]]:
    lines = enumerate(path.read_text().splitlines(), 1)
    return [(number, found[1]) for number, line in lines if (found := MARK.search(line))]


def derivative_of(module: ModuleType, **options: Any) -> Any:
    return sg.grad(module.program, **getattr(module, "OPTIONS", {}), **options)


def refusal(path: Path, **options: Any) -> sg.UnsupportedError:
    module = load(path)
    arguments = getattr(module, "ARGUMENTS", None) or (module.X,)
    with pytest.raises(sg.UnsupportedError) as caught:
        derivative_of(module, fallback="error", **options)(*arguments)
    return caught.value


def underlined(error: sg.SrcgradError, path: Path) -> list[tuple[int, int, int | None]]:
    """Return what an error underlines in a file, and is no expression or statement of it."""
    lines = path.read_text().splitlines()
    places = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, (ast.expr, ast.stmt, ast.alias, ast.arg, ast.pattern)):
            line = lines[node.lineno - 1].encode()
            start = len(line[: node.col_offset].decode())
            whole = node.end_lineno == node.lineno
            end = len(line[: node.end_col_offset].decode()) if whole else None
            places.add((node.lineno, start, end))
    spans = [item.span for item in error.diagnostics if item.span and item.span.file == str(path)]
    found = [(span.line, span.column, span.end_column) for span in spans]
    return [place for place in found if place not in places]


@every_file
def test_all_marked_lines_are_refused_together(path: Path) -> None:
    expected = marks(path)
    assert expected, "mark the lines that must be refused"
    error = refusal(path)
    found = [(item.span.line if item.span else 0, item.code) for item in error.diagnostics]
    assert found == expected
    assert error.code == expected[0][1]


@every_file
def test_each_refusal_points_at_the_line_and_says_a_way_out(path: Path) -> None:
    lines = path.read_text().splitlines()
    error = refusal(path)
    assert underlined(error, path) == []
    for item in error.diagnostics:
        assert item.hint
        assert item.span is not None
        assert item.span.file == str(path)
        text = item.render()
        assert f"{path.name}:{item.span.line}" in text
        assert lines[item.span.line - 1].strip() in text
        assert "^" in text


@every_file
def test_the_fallback_warns_once_and_names_the_line(path: Path) -> None:
    module = load(path)
    arguments = getattr(module, "ARGUMENTS", None) or (module.X,)
    derivative = derivative_of(module)
    raised: list[sg.SrcgradError] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for _ in range(2):
            try:
                derivative(*arguments)
            except sg.SrcgradError as error:  # the tape may refuse it too
                raised.append(error)
            except RuntimeError:  # in torch's words
                continue
    assert [underlined(error, path) for error in raised] == [[] for _ in raised]
    ours = [item for item in caught if item.category is sg.FallbackWarning]
    assert len(ours) == 1
    line, code = marks(path)[0]
    assert f"{path.name}:{line}" in str(ours[0].message)
    assert code in str(ours[0].message)
    assert ours[0].filename == __file__


def test_a_helper_that_writes_is_refused_with_the_statement_that_does() -> None:
    path = Path(__file__).parent.parent / "refused" / "helper_that_writes_and_calls_itself.py"
    message = str(refusal(path))
    assert "`counted_down`, which writes into its arguments by `out[i] = x[i] ** 2`" in message
    assert "(writers.py:" in message


LIBRARY = """
import numpy as np


def inner(x):
    return np.frombuffer(x.tobytes()) + x


def outer(x):
    return inner(x * 2.0) * 3.0
"""


@pytest.mark.parametrize("forward", [False, True])
def test_what_is_refused_in_a_library_is_shown_at_the_call_of_the_user(
    forward: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "site-packages"
    folder.mkdir()
    (folder / "library_of_helpers.py").write_text(LIBRARY)
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.delitem(sys.modules, "library_of_helpers", raising=False)
    library = importlib.import_module("library_of_helpers")

    def program(x: Any) -> Any:
        return library.outer(x + 1.0) * x

    x = np.array([0.5, 1.5])
    pull = sg.pullback(program, fallback="error")
    with pytest.raises(sg.UnsupportedError) as caught:
        sg.jvp(program, (x,), (x,), fallback="error") if forward else pull(x)
    span = caught.value.span
    assert span is not None
    assert span.file == __file__
    assert span.text.strip() == "return library.outer(x + 1.0) * x"
    assert f"inside, in a library: {folder / 'library_of_helpers.py'}:6:" in str(caught.value)


def test_what_is_refused_and_not_in_the_table_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(refusals.UPDATES, raising=False)
    with pytest.raises(pytest.fail.Exception, match="does not say"):
        refusals.note_refused("of no use")
    root = Path(__file__).parent.parent.parent
    for test, cases in refusals.table().items():
        file, _, name = test.partition("::")
        name = name.rpartition("::")[2]  # of a class, perhaps
        assert f"def {name}(" in (root / file).read_text(encoding="utf-8")
        assert cases
