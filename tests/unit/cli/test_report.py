"""Tests `srcgrad report` as a process would be used."""

from __future__ import annotations

import sys

import pytest

from srcgrad.cli.main import main

MODEL = """\
import numpy as np

RATE = 0.3

def loss(w, x):
    y = np.tanh(w * x)
    return np.sum(y * y)

def refused(x):
    return eval("x")
"""


@pytest.fixture(autouse=True)
def model(monkeypatch, tmp_path):
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(sys, "modules", dict(sys.modules))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "reported_model.py").write_text(MODEL)
    return tmp_path


def test_a_page_is_written_and_named(model, capsys):
    assert main(["report", "reported_model:loss"]) == 0
    assert capsys.readouterr().out.strip() == "loss_grad.html"
    assert "np.tanh" in (model / "loss_grad.html").read_text(encoding="utf-8")


def test_arguments_may_use_the_names_of_the_module(model):
    args = ["report", "reported_model.py:loss", "--at", "RATE, np.ones(4)", "-o", "page.html"]
    assert main(args) == 0
    assert "time of the derivative" in (model / "page.html").read_text(encoding="utf-8")


def test_the_arguments_to_differentiate_by_are_chosen_as_for_show(model):
    assert main(["report", "reported_model:loss", "--wrt", "w,x", "-o", "page.html"]) == 0
    assert "with respect to w, x" in (model / "page.html").read_text(encoding="utf-8")


def test_arguments_that_make_no_sense_are_told(capsys):
    assert main(["report", "reported_model:loss", "--at", "1 +"]) == 2
    assert "--at 1 +" in capsys.readouterr().err


def test_a_refused_function_has_no_page(model, capsys):
    assert main(["report", "reported_model:refused"]) == 1
    assert "eval" in capsys.readouterr().err
    assert not (model / "refused_grad.html").exists()


def test_a_page_that_cannot_be_written_is_told(capsys):
    assert main(["report", "reported_model:loss", "-o", "no/such/folder.html"]) == 2
    assert "cannot be written" in capsys.readouterr().err
