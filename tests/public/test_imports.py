"""Tests what importing srcgrad brings with it."""

from __future__ import annotations

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
