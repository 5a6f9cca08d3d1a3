"""Tests `srcgrad show` as a process would be used: arguments in, text and exit code out."""

from __future__ import annotations

import importlib.metadata
import pathlib
import subprocess
import sys
import tomllib

import pytest

import srcgrad as sg
from srcgrad.cli.main import main

MODEL = """\
import numpy as np

def loss(w, x):
    y = np.tanh(w * x)
    return np.sum(y * y)

def refused(x):
    return eval("x")

RATE = 0.1
"""


@pytest.fixture(autouse=True)
def model(monkeypatch, tmp_path):
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(sys, "modules", dict(sys.modules))
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "shown_model.py"
    path.write_text(MODEL)
    return path


def test_the_source_of_the_gradient_is_printed(capsys):
    assert main(["show", "shown_model.py:loss"]) == 0
    text = capsys.readouterr().out
    compile(text, "shown", "exec")
    assert "with respect to `w`." in text


def test_a_module_in_the_current_folder_is_shown_as_its_file_is(capsys):
    main(["show", "shown_model:loss"])
    by_module = capsys.readouterr().out
    main(["show", "shown_model.py:loss"])
    assert capsys.readouterr().out.count("\n") == by_module.count("\n")


def test_argnums_choose_the_arguments(capsys):
    assert main(["show", "shown_model.py:loss", "--argnums", "0,1"]) == 0
    assert "with respect to `w`, `x`." in capsys.readouterr().out


def test_names_choose_the_arguments_as_numbers_do(capsys):
    main(["show", "shown_model.py:loss", "--wrt", "x"])
    by_name = capsys.readouterr().out
    main(["show", "shown_model.py:loss", "--argnums", "1"])
    assert capsys.readouterr().out == by_name


def test_value_adds_the_value_to_what_is_returned(capsys):
    main(["show", "shown_model.py:loss"])
    plain = capsys.readouterr().out
    assert main(["show", "shown_model.py:loss", "--value"]) == 0
    with_value = capsys.readouterr().out
    assert with_value != plain
    assert "return" in with_value


def test_stages_are_printed_under_their_names(capsys):
    assert main(["show", "shown_model.py:loss", "--stages"]) == 0
    text = capsys.readouterr().out
    assert text.count("# ---- ") >= 3


def test_no_escape_codes_are_written_to_a_pipe(capsys):
    main(["show", "shown_model.py:loss"])
    assert "\x1b" not in capsys.readouterr().out


def test_a_refused_function_gives_its_error_and_one(capsys):
    assert main(["show", "shown_model.py:refused"]) == 1
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "[SG" in captured.err
    assert "shown_model.py" in captured.err


def test_wrong_argnums_give_their_error_and_one(capsys):
    assert main(["show", "shown_model.py:loss", "--argnums", "7"]) == 1
    assert "[SG140]" in capsys.readouterr().err


@pytest.mark.parametrize("target", ["no_such_module:f", "shown_model.py:los", "loss"])
def test_a_wrong_target_gives_two(target, capsys):
    assert main(["show", target]) == 2
    assert capsys.readouterr().err.startswith("srcgrad: ")


def test_what_is_no_function_is_refused_by_its_type(capsys):
    assert main(["show", "shown_model.py:RATE"]) == 2
    assert "`shown_model.py:RATE` is of the type float, and no function" in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["show"],
        ["sing"],
        ["show", "a:b", "--argnums", "x"],
        ["show", "a:b", "--wrt", "x", "--argnums", "0"],
    ],
)
def test_wrong_arguments_give_two_and_the_usage(arguments, capsys):
    with pytest.raises(SystemExit) as stop:
        main(arguments)
    assert stop.value.code == 2
    assert "usage: srcgrad" in capsys.readouterr().err


def test_help_has_examples(capsys):
    with pytest.raises(SystemExit) as stop:
        main(["--help"])
    assert stop.value.code == 0
    assert "srcgrad show model:loss" in capsys.readouterr().out


def test_the_package_runs_as_a_program():
    result = subprocess.run(
        [sys.executable, "-m", "srcgrad", "--version"], capture_output=True, text=True, check=True
    )
    assert result.stdout.startswith("srcgrad ")


def test_a_decorated_function_is_shown_as_it_is(model, capsys):
    text = "import srcgrad as sg\n" + MODEL.replace("def loss", "@sg.value_and_grad\ndef loss")
    model.write_text(text)
    assert main(["show", "shown_model.py:loss"]) == 0
    decorated = capsys.readouterr().out
    model.write_text(MODEL)
    main(["show", "shown_model.py:loss", "--value"])
    assert "return" in decorated
    assert decorated.count("\n") == capsys.readouterr().out.count("\n")


def test_the_version_needs_no_metadata_of_a_package(capsys, monkeypatch):
    def missing(name):
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "version", missing)
    with pytest.raises(SystemExit) as end:
        main(["--version"])
    assert end.value.code == 0
    assert capsys.readouterr().out == f"srcgrad {sg.__version__}\n"
    assert main(["cache"]) == 0


def test_the_version_is_that_of_the_package():
    text = (pathlib.Path(sg.__file__).parents[1] / "pyproject.toml").read_text()
    assert tomllib.loads(text)["project"]["version"] == sg.__version__
