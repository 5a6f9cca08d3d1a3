"""Tests what importing srcgrad brings with it."""

from __future__ import annotations

import ast
import inspect
import subprocess
import sys

import pytest

OPTIONAL = ["cupy", "numba", "scipy", "torch", "jax", "autograd", "matplotlib", "sklearn"]


def loaded_after(statement):
    """Return the modules that a fresh interpreter has loaded after `statement`."""
    script = f"{statement}\nimport sys\nprint('\\n'.join(sys.modules))"
    result = subprocess.run(
        [sys.executable, "-W", "error", "-c", script], capture_output=True, text=True, check=True
    )
    return set(result.stdout.split())


def test_importing_srcgrad_imports_no_optional_library():
    assert loaded_after("import srcgrad") & set(OPTIONAL) == set()


# the package without what its __init__ brings, to see what a part needs by itself
BARE = """
import importlib.util, sys, types
package = types.ModuleType("srcgrad")
package.__path__ = importlib.util.find_spec("srcgrad").submodule_search_locations
sys.modules["srcgrad"] = package
"""


@pytest.mark.parametrize("name", ["gast", "astunparse", "srcgrad.compiler", "srcgrad.ir"])
def test_the_tape_does_without_the_compiler(name):
    assert name not in loaded_after(f"{BARE}import srcgrad.autograd")


def test_generated_code_needs_only_numpy_and_the_runtime():
    loaded = {m for m in loaded_after(f"{BARE}import srcgrad.runtime") if m.startswith("srcgrad.")}
    layers = {name.split(".")[1] for name in loaded}
    assert layers <= {"runtime", "backends", "errors", "settings", "spans"}


def test_types_are_shipped():
    from importlib.resources import files

    assert (files("srcgrad") / "py.typed").is_file()


def test_importing_srcgrad_loads_nothing_of_it_yet():
    before = {"srcgrad"} | {m for m in loaded_after("") if m.startswith("srcgrad")}
    assert {m for m in loaded_after("import srcgrad") if m.startswith("srcgrad")} <= before
    assert "numpy" not in loaded_after("import srcgrad")


def test_what_type_checkers_see_is_fetched_from_where_they_see_it():
    import srcgrad as sg

    (guarded,) = [n for n in ast.parse(inspect.getsource(sg)).body if isinstance(n, ast.If)]
    seen = {
        alias.name: statement.module
        for statement in guarded.body
        if statement.module != "srcgrad"
        for alias in statement.names
    }
    homes = {name: home for home, names in sg._HOMES.items() for name in names.split()}
    assert seen | {"functions": "srcgrad.tape"} == homes
    assert set(sg.__all__) == set(seen) | {"autograd", "distributed", "utils"}


def test_derivatives_are_fetched_from_where_type_checkers_see_them():
    from srcgrad import api

    tree = ast.parse(inspect.getsource(api))
    (guarded,) = [n for n in tree.body if isinstance(n, ast.If)]
    seen = {
        alias.name: statement.module.rpartition(".")[2]
        for statement in guarded.body
        if statement.module != "srcgrad.api"
        for alias in statement.names
    }
    homes = {name: home for home, names in api._HOMES.items() for name in names.split()}
    assert seen == homes
    assert set(api.__all__) == set(seen) | {"implicit"}
    assert all(getattr(api, name) is not None for name in api.__all__)


def test_parts_of_the_package_and_functions_over_tensors_are_found_by_name():
    import srcgrad as sg

    assert sg.errors.SrcgradError is sg.SrcgradError
    assert sg.exp(sg.tensor(0.0)) == 1.0
    with pytest.raises(AttributeError, match="no attribute 'nothing_such'"):
        sg.nothing_such  # noqa: B018 - it is not there


@pytest.mark.parametrize("module", ["runtime", "tape", "api", "cli.main", "autograd", "compiler"])
def test_a_part_may_be_imported_first(module):
    assert f"srcgrad.{module}" in loaded_after(f"import srcgrad.{module}")
