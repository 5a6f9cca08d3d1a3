"""Errors in generated code name the user's line, once."""

from __future__ import annotations

import numpy as np
import pytest

import srcgrad as sg
from srcgrad.codegen.loader import load, unload
from srcgrad.codegen.printer import print_module
from srcgrad.codegen.tracebacks import LineMap, UserLine, annotate, user_line
from srcgrad.ir import gast

USER = ["def f(a, x):", "    b = a * x", "    return b / (x - 1)"]
NOTE = "while differentiating model.py:12: return b / (x - 1)"


@pytest.fixture
def module(tmp_path, monkeypatch):
    monkeypatch.setenv("SRCGRAD_CACHE_DIR", str(tmp_path))
    tree = gast.parse("\n".join(USER))
    gast.increment_lineno(tree, 9)
    printed = print_module(tree)
    loaded = load(printed.text, "f", {}, LineMap.of(printed.lines, "model.py", USER, first=10))
    yield loaded
    unload(loaded)


def failure(function, *args):
    try:
        function(*args)
    except ArithmeticError as error:
        return error
    raise AssertionError("no error")


def test_the_note_names_file_line_and_text(module):
    error = failure(module.f, 1, 1)
    annotate(error)
    assert error.__notes__ == [NOTE]
    assert user_line(error) == UserLine("model.py", 12, "    return b / (x - 1)")


def test_the_note_is_added_once(module):
    def inner():
        try:
            return module.f(1, 1)
        except ZeroDivisionError as error:
            annotate(error)
            raise

    error = failure(inner)
    annotate(error)
    assert error.__notes__ == [NOTE]


def test_the_innermost_generated_frame_counts(module):
    outer = load(
        "def g(f):\n    return f(1, 1)\n",
        "g",
        {},
        LineMap({2: UserLine("outer.py", 3, "y = f(x)")}),
    )
    error = failure(outer.g, module.f)
    annotate(error)
    assert error.__notes__ == [NOTE]
    plain = failure(outer.g, lambda a, x: 1 / 0)
    annotate(plain)
    assert plain.__notes__ == ["while differentiating outer.py:3: y = f(x)"]


def test_a_frame_without_an_origin_leaves_the_word_to_its_caller(module):
    helper = load("def h(a, x):\n    return 1 / 0\n", "h", {}, LineMap())
    outer = load("def g(f):\n    return f(1, 1)\n", "g", {}, LineMap({2: UserLine("m.py", 3)}))
    error = failure(outer.g, helper.h)
    assert user_line(error) == UserLine("m.py", 3)


def test_notes_of_others_are_kept(module):
    error = failure(module.f, 1, 1)
    error.add_note("first")
    annotate(error)
    assert error.__notes__ == ["first", NOTE]


def test_an_error_elsewhere_gets_no_note():
    error = failure(lambda: 1 / 0)
    annotate(error)
    assert user_line(error) is None
    assert not hasattr(error, "__notes__")


def test_a_line_without_an_origin_gets_no_note(tmp_path, monkeypatch):
    monkeypatch.setenv("SRCGRAD_CACHE_DIR", str(tmp_path))
    for lines in (None, LineMap(), LineMap({1: UserLine("a.py", 1)})):
        module = load("def h():\n    return 1 / 0\n", "h", {}, lines)
        error = failure(module.h)
        annotate(error)
        assert not hasattr(error, "__notes__")
        unload(module)


def test_a_line_map_counts_from_the_first_line_of_the_source():
    lines = LineMap.of([0, 5, 6, 9], "m.py", ["a = 1\n", "  b = 2\n"], first=5)
    assert lines.at(1) is None
    assert str(lines.at(2)) == "m.py:5: a = 1"
    assert str(lines.at(3)) == "m.py:6: b = 2"
    assert str(lines.at(4)) == "m.py:9"
    assert lines.at(5) is None


def test_lines_that_the_printer_wraps_lead_back_too(tmp_path, monkeypatch):
    monkeypatch.setenv("SRCGRAD_CACHE_DIR", str(tmp_path))
    tree = gast.parse("def f(x):\n    return function(x) + another_function(x) + 1 / x\n")
    printed = print_module(tree, 30)
    lines = LineMap.of(printed.lines, "m.py")
    module = load(printed.text, "f", {"function": abs, "another_function": abs}, lines)
    error = failure(module.f, 0)
    assert user_line(error) == UserLine("m.py", 2)
    unload(module)


def test_what_a_backward_loop_computes_for_itself_leads_back_too():
    def entropy(x, n):
        total = 0.0
        for i in range(n):
            total += np.log(x[i]) * x[i]
        return total

    gradient = sg.grad(entropy)
    gradient(np.ones(2), 2)
    assert gradient.source.count("for i in") == 2  # the loop, and the comment over it
    with pytest.raises(IndexError) as caught:
        gradient(np.ones(2), 3)
    assert "total += np.log(x[i]) * x[i]" in caught.value.__notes__[0]
