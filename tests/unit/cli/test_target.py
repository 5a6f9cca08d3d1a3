"""Tests how the command line finds functions, and what it says when it cannot."""

from __future__ import annotations

import math
import sys

import pytest

from srcgrad.cli.target import TargetError, find_target

MODEL = """\
class Layer:
    def apply(self, x):
        return x

def loss(x):
    return x * x

RATE = 0.1
"""


@pytest.fixture(autouse=True)
def _own_imports(monkeypatch, tmp_path):
    """Undo what finding a target does to the interpreter, and start in an empty folder."""
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(sys, "modules", dict(sys.modules))
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def model(tmp_path):
    path = tmp_path / "toy_model.py"
    path.write_text(MODEL)
    return path


def test_a_function_of_an_installed_module_is_found():
    assert find_target("math:sin") is math.sin


def test_a_function_of_a_module_in_the_current_folder_is_found(model):
    assert find_target("toy_model:loss")(3) == 9


def test_a_function_of_a_file_is_found(model):
    assert find_target(f"{model}:loss")(3) == 9


def test_a_method_is_found_by_its_dotted_name(model):
    assert find_target(f"{model}:Layer.apply")(None, 5) == 5


def test_a_file_may_import_its_neighbours(model, tmp_path):
    (tmp_path / "user.py").write_text("from toy_model import loss\n")
    assert find_target(f"{tmp_path / 'user.py'}:loss")(2) == 4


def test_a_file_named_like_a_loaded_module_does_not_replace_it(tmp_path):
    (tmp_path / "math.py").write_text("def f(x):\n    return x\n")
    find_target("math.py:f")
    assert sys.modules["math"] is math


@pytest.mark.parametrize("text", ["loss", ":loss", "toy_model:", ""])
def test_a_target_without_both_parts_is_refused_with_the_two_forms(text):
    with pytest.raises(TargetError, match=r"module:function or path/to/file\.py:function"):
        find_target(text)


def test_a_missing_module_is_named():
    with pytest.raises(TargetError, match="no module `no_such_module`"):
        find_target("no_such_module:f")


def test_a_missing_module_is_suggested_as_a_file_where_there_is_one(tmp_path):
    folder = tmp_path / "some"
    folder.mkdir()
    (folder / "model.py").write_text(MODEL)
    with pytest.raises(TargetError, match="end a path with"):
        find_target("some/model:loss")


def test_a_missing_file_suggests_one_like_it(model):
    with pytest.raises(TargetError, match=r"did you mean `toy_model\.py`"):
        find_target("toy_modle.py:loss")


def test_a_missing_function_suggests_one_like_it(model):
    with pytest.raises(TargetError, match="did you mean `loss`"):
        find_target("toy_model:los")


def test_a_missing_function_with_no_name_like_it_lists_what_is_there(model):
    with pytest.raises(TargetError, match="it has `Layer` and `loss`"):
        find_target("toy_model:zzzzzz")


def test_a_missing_method_suggests_one_like_it(model):
    with pytest.raises(TargetError, match="`Layer` has no `aply`\nhint: did you mean `apply`"):
        find_target("toy_model:Layer.aply")


@pytest.mark.parametrize("target", ["broken.py:f", "broken:f"])
def test_a_module_that_fails_is_told_with_its_line(tmp_path, target):
    (tmp_path / "broken.py").write_text("x = 1\ny = x / 0\n")
    with pytest.raises(TargetError, match=r"ZeroDivisionError: division by zero\n.*broken\.py:2"):
        find_target(target)


def test_a_module_that_imports_a_missing_one_is_not_called_missing_itself(tmp_path):
    (tmp_path / "needs.py").write_text("import no_such_module\n")
    with pytest.raises(TargetError, match=r"importing `needs` failed.*no_such_module"):
        find_target("needs:f")
