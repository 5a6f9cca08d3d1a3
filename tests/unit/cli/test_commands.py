"""Tests `export`, `explain`, `check` and `coverage` as a process would use them."""

from __future__ import annotations

import json
import pathlib
import subprocess
import sys

import numpy as np
import pytest

import srcgrad as sg
from srcgrad.cli.main import main

MODEL = """\
import numpy as np
import srcgrad as sg

RATE = 0.5
START = np.ones(3)

def scaled(x):
    return RATE * x

def loss(w, x):
    return np.sum(np.tanh(scaled(w) * x) ** 2)

def paired(w, *, power=2):
    return np.sum(w ** power), "more"

def annotated(a: float, n: int):
    return a ** n

@sg.value_and_grad(argnums=(0, 1))
def decorated(w, x):
    return np.sum(w * x)

@sg.hessian
def curved(w):
    return np.sum(w**3)

def refused(x):
    return np.sum(x * x) + 0.0 * np.sum(eval("x"))

def nowhere(x):
    return "text"

def raises(x):
    raise ValueError("no")

class Model:
    scale = 2.0

    def loss(self, w):
        return self.scale * np.sum(w**2)

def wrong(x):
    return np.sum(Twice.apply(x))

class Twice(sg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return 2.0 * x

    @staticmethod
    def backward(ctx, grad):
        return 3.0 * grad

    @staticmethod
    def jvp(ctx, tangent):
        return 3.0 * tangent
"""

NETWORKS = """\
import numpy as np
from commanded import START, Twice

class Layer:
    def __init__(self, w):
        self.w = w

class Network:
    def __init__(self, layers):
        self.layers = layers

def layered(network, x):
    for layer in network.layers:
        x = np.tanh(x * layer.w)
    return np.sum(x)

NETWORK = Network([Layer(0.3 * START), Layer(START)])

def empty(x):
    x = x[-1] if isinstance(x, list) else x
    return np.sum(np.real(x * x))

def wrong_layer(network):
    return np.sum(Twice.apply(network.layers[0].w))
"""


@pytest.fixture(autouse=True)
def model(monkeypatch, tmp_path, request):
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(sys, "modules", dict(sys.modules))
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "commanded.py"
    path.write_text(MODEL)
    (tmp_path / "networks.py").write_text(NETWORKS)
    (tmp_path / "broken.py").write_text("def f(x:\n")
    return path


def forget(monkeypatch):
    """Let the next command read the module anew."""
    monkeypatch.delitem(sys.modules, "commanded")


def test_an_export_is_that_of_the_function(tmp_path, capsys):
    assert main(["export", "commanded:loss", "--wrt", "x"]) == 0
    printed = capsys.readouterr().out
    assert main(["export", "commanded:loss", "--wrt", "x", "-o", "loss_grad.py"]) == 0
    assert (tmp_path / "loss_grad.py").read_text() == printed
    assert printed == sg.grad(sys.modules["commanded"].loss, argnames="x").export()
    scope = {}
    exec(printed, scope)
    np.testing.assert_allclose(scope["loss_grad"](np.ones(2), np.zeros(2)), np.zeros(2))


def test_a_decorated_function_is_exported_as_it_is(capsys):
    main(["export", "commanded:decorated"])
    printed = capsys.readouterr().out
    assert "made by:  srcgrad export commanded:decorated --wrt w,x --value" in printed
    main(["export", "commanded:decorated", "--wrt", "w,x", "--value"])
    assert capsys.readouterr().out == printed


@pytest.mark.parametrize(
    ("mode", "made"),
    [("jvp", sg.pushforward), ("hessian", sg.hessian), ("hvp", sg.hessian_product)],
)
def test_other_derivatives_are_exported_and_shown(mode, made, capsys):
    command = ["export", "commanded:loss", "--mode", mode, "--wrt", "x"]
    assert main([*command, "-o", "made.py"]) == 0
    text = pathlib.Path("made.py").read_text()
    assert text == made(sys.modules["commanded"].loss, argnames="x").export()
    assert main(["export", "--check", "made.py"]) == 0
    assert main(["show", *command[1:]]) == 0
    assert "def loss" in capsys.readouterr().out
    assert main([*command, "--value"]) == 2


def test_the_gradient_of_a_method_is_by_what_follows_self(capsys):
    assert main(["show", "commanded:Model.loss"]) == 0
    assert "with respect to `w`." in capsys.readouterr().out
    assert main(["check", "commanded:Model.loss", "--at", "Model(), START"]) == 0


def test_positions_are_numbers(capsys):
    with pytest.raises(SystemExit) as caught:
        main(["show", "commanded:loss", "--argnums", "w"])
    assert caught.value.code == 2
    assert "names are given with --wrt" in capsys.readouterr().err


def test_a_stale_file_is_found_and_made_again(model, monkeypatch, capsys):
    options = ["--at", "START, rng.normal(size=3)", "--seed", "3", "--with-check", "--value"]
    assert main(["export", "commanded.py:loss", *options, "-o", "loss_grad.py"]) == 0
    assert main(["export", "--check", "loss_grad.py"]) == 0
    model.write_text("# a remark\n\n" + MODEL)
    forget(monkeypatch)
    assert main(["export", "--check", "loss_grad.py"]) == 0, "an edit elsewhere makes it stale"
    model.write_text(MODEL.replace("RATE = 0.5", "RATE = 0.25"))
    forget(monkeypatch)
    capsys.readouterr()
    assert main(["export", "--check", "loss_grad.py"]) == 1
    assert "`loss_grad.py` is stale" in (said := capsys.readouterr().err)
    assert "+RATE = 0.25" in said
    assert main(["export", "loss_grad.py"]) == 0
    assert main(["export", "--check", "loss_grad.py"]) == 0
    done = subprocess.run([sys.executable, "-I", "loss_grad.py"], check=False, capture_output=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (["export", "commanded:los"], "did you mean `loss`"),
        (["export", "comanded:loss"], "did you mean `commanded`"),
        (["export", "commanded:loss", "--check"], "name the file with -o"),
        (["show", "commanded.py"], "it has `scaled`, `loss`"),
        (["show", "broken.py:f"], "broken.py:1"),
        (["show", "commanded:Model"], "name a method, such as `commanded:Model.loss`"),
        (["check", "commanded:raises"], "the last ones raised ValueError: no"),
        (["export", "commanded:loss", "commanded:paired"], "one function"),
        (["export", "absent.py"], "there is no file"),
        (["export", "--check", "commanded.py"], "does not say which command"),
        (["export", "commanded:loss", "--at", "1.0"], "missing a required argument: 'x'"),
        (["explain", "commanded:loss", "--at", "1.0, nothing"], "NameError"),
        (["check", "commanded:nowhere"], "no arguments were found"),
        (["coverage", "absent"], "no module `absent`"),
    ],
)
def test_commands_that_make_no_sense(command, said, capsys):
    assert main(command) == 2
    assert said in capsys.readouterr().err


def test_a_function_that_is_refused_is_not_exported(capsys):
    assert main(["export", "commanded:refused"]) == 1
    assert "eval" in capsys.readouterr().err


@pytest.mark.parametrize(
    "options",
    [
        ["commanded:loss"],
        ["commanded:loss", "--at", "START, x=2.0", "--numbers", "2"],
        ["commanded:decorated"],
        ["commanded:paired", "--aux"],
        ["commanded:annotated"],
        ["networks:layered", "--at", "NETWORK, 2.0 * START"],
    ],
)
def test_right_gradients_pass_the_check(options, capsys):
    assert main(["check", *options]) == 0
    assert "agrees" in capsys.readouterr().out


def test_a_gradient_by_the_tape_is_checked_too(capsys):
    assert main(["check", "commanded:refused"]) == 0
    assert "by the tape" in capsys.readouterr().out


def test_a_wrong_gradient_fails_the_check(capsys):
    assert main(["check", "commanded:wrong", "--at", "np.ones(2)"]) == 1
    said = capsys.readouterr()
    assert "x[0]: gradient 3, differences 2" in said.out
    assert "does not agree" in said.err


def test_the_numbers_in_objects_are_compared(capsys):
    assert main(["check", "networks:layered", "--at", "NETWORK, START"]) == 0
    assert "network: 6 numbers" in capsys.readouterr().out
    assert main(["check", "networks:wrong_layer", "--at", "NETWORK"]) == 1
    assert "gradient 3, differences 2" in capsys.readouterr().out


@pytest.mark.parametrize(
    "argument", ["np.zeros(0)", "np.ones(2) + 1j", "[np.zeros(0), np.ones(1) + 1j]"]
)
def test_nothing_compared_is_a_failure(argument, capsys):
    command = ["check", "networks:empty", "--at", argument]
    assert main(command) == 1
    assert "compare" in capsys.readouterr().err


MODES = ["jvp", "vjp", "jacobian", "jacfwd", "jacrev", "hvp", "hessian"]


@pytest.mark.parametrize("mode", MODES)
def test_other_derivatives_are_checked_along_directions(mode, capsys):
    assert main(["check", "commanded:loss", "--mode", mode]) == 0
    said = capsys.readouterr().out
    assert f"the {mode} agrees" in said
    assert ("gradient:" in said) == (mode in ("hvp", "hessian")), "those are compared with it"
    assert main(["check", "commanded:wrong", "--mode", mode, "--at", "np.ones(2)"]) == 1
    assert "WRONG" in capsys.readouterr().out


def test_results_that_are_no_numbers_have_derivatives_to_check(capsys):
    assert main(["check", "commanded:scaled", "--mode", "jacobian"]) == 0
    assert main(["check", "commanded:paired", "--mode", "vjp", "--aux"]) == 0
    assert main(["check", "commanded:curved"]) == 0, "what it is decorated with"
    assert "the hessian agrees" in capsys.readouterr().out


def test_a_misspelt_choice_is_guessed(capsys):
    for words, meant in (
        (["chek", "x:y"], "check"),
        (["show", "x:y", "--mode", "hesian"], "hessian"),
    ):
        with pytest.raises(SystemExit) as exit_:
            main(words)
        assert exit_.value.code == 2
        assert f"did you mean `{meant}`" in capsys.readouterr().err


def test_an_explanation_measures_a_call(capsys):
    assert main(["explain", "commanded:loss", "--at", "START, START"]) == 0
    assert "bytes" in capsys.readouterr().out
    assert main(["explain", "commanded:loss", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)


def test_the_coverage_of_a_module_is_counted(capsys):
    assert main(["coverage", "commanded"]) == 0
    assert "of 10 functions" in (said := capsys.readouterr().out)
    assert "commanded:refused" in said
    assert main(["coverage", "commanded.py", "--fail-under", "99", "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert found["commanded.py:loss"] == "source"


@pytest.mark.parametrize("command", ["show", "explain", "export", "check", "coverage"])
def test_every_command_shows_examples(command, capsys):
    with pytest.raises(SystemExit):
        main([command, "--help"])
    assert f"srcgrad {command} " in capsys.readouterr().out.partition("examples:")[2]
