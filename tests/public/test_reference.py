"""Tests that the reference holds every public name."""

from __future__ import annotations

import importlib
import re
from types import ModuleType

import pytest

import srcgrad as sg
from srcgrad.api import implicit
from srcgrad.tape import functions
from tests.public.test_names import PROMISED_OF_A_DERIVATIVE, arguments
from tools.pages import ROOT

TEXT = "\n".join(
    page.read_text(encoding="utf-8") for page in sorted((ROOT / "docs" / "reference").glob("*.md"))
)
LISTED = re.findall(r"^\.\. auto(?:function|class|exception):: ([\w.]+)", TEXT, re.MULTILINE)
ENTRIES = set(LISTED)
WHOLE = set(re.findall(r"automodule:: ([\w.]+)\n   :members:\n", TEXT))
MODULES = ["function", "functional", "forward_ad", "graph", "profiler"]


@pytest.mark.parametrize(
    "name", sorted(set(sg.__all__) - {"autograd", "distributed", "utils", "implicit"})
)
def test_every_name_of_the_package_is_in_the_reference(name):
    assert f"srcgrad.{name}" in ENTRIES


def test_no_name_is_there_twice():
    assert len(LISTED) == len(ENTRIES)


@pytest.mark.parametrize("entry", sorted(ENTRIES))
def test_every_entry_is_a_public_name_with_a_text(entry):
    owner, _, name = entry.rpartition(".")
    module = implicit if owner == "srcgrad.implicit" else importlib.import_module(owner)
    assert getattr(module, name).__doc__


@pytest.mark.parametrize(
    ("entry", "written"), re.findall(r"autofunction:: srcgrad\.(\w+)\((.*)\)", TEXT)
)
def test_arguments_that_are_written_down_are_those_of_the_function(entry, written):
    assert written == arguments(getattr(sg, entry))


@pytest.mark.parametrize("module", [f"srcgrad.autograd.{name}" for name in MODULES])
def test_every_module_of_autograd_is_in_the_reference(module):
    assert module in WHOLE


def test_every_name_of_autograd_itself_is_in_the_reference():
    (listed,) = re.findall(r"automodule:: srcgrad\.autograd\n   :members: (.*)", TEXT)
    elsewhere = set(sg.__all__) | set(sg.autograd.function.__all__)
    names = {
        name
        for name in sg.autograd.__all__
        if not name.startswith("_") and not isinstance(getattr(sg.autograd, name), ModuleType)
    }
    assert names - elsewhere <= set(listed.split(", "))


def test_checkpoints_of_tensors_are_in_the_reference():
    assert "srcgrad.utils.checkpoint" in WHOLE


def test_every_function_on_tensors_is_in_the_reference():
    assert {f"srcgrad.{name}" for name in functions.NAMES} <= ENTRIES


def test_what_a_derivative_has_is_in_the_reference():
    (listed,) = re.findall(r"autoclass:: srcgrad\.Gradient\(\)\n   :members: (.*)", TEXT)
    assert PROMISED_OF_A_DERIVATIVE - {"primal"} <= set(listed.split(", "))
