"""Tests that facts of library functions are said in their records, not in tables of names."""

from __future__ import annotations

import ast
import math
import textwrap
from collections.abc import Iterator

import numpy as np

from tools import structure
from tools.structure import Source

SPACES = (np, np.ndarray, np.linalg, np.fft, np.random, np.random.Generator, math)
NAMES = {name for space in SPACES for name in dir(space) if not name.startswith("_")}
SOURCES = structure.package()
OWNERS = ("np", "numpy", "math", "linalg")

# How many tables are left in each layer. They may become fewer, never more; most of them say what
# handles a function, and not what is known of it.
LEFT = {
    "analyses": 12,
    "compiler": 0,
    "exporting": 2,
    "frontend": 11,
    "insight": 5,
    "ir": 0,
    "optimizations": 0,
    "rules": 9,
    "tape": 20,
    "transforms": 3,
}


def named(value: ast.AST) -> list[str]:
    """Return the texts and the attributes of modules in an expression, by their last names."""
    found = []
    for node in ast.walk(value):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            found += [word.rpartition(".")[2] for word in node.value.replace(",", " ").split()]
        elif isinstance(node, ast.Attribute) and getattr(node.value, "id", "") in OWNERS:
            found.append(node.attr)
    return found


def tables(source: Source) -> Iterator[str]:
    """Yield the module-level collections of a file that consist of names of functions."""
    for statement in source.tree.body:
        value = getattr(statement, "value", None)
        if not isinstance(statement, (ast.Assign, ast.AnnAssign)) or value is None:
            continue
        words = named(value)
        known = [word for word in words if word in NAMES]
        if len(known) >= 3 and len(known) >= 0.6 * len(words):
            yield source.at(statement)


def test_no_layer_gets_a_table_of_names_of_functions():
    found = {
        layer: [
            place
            for source in SOURCES
            if source.module.startswith(f"srcgrad.{layer}.")
            for place in tables(source)
            if "__init__" not in place
        ]
        for layer in LEFT
    }
    more = {layer: places for layer, places in found.items() if len(places) > LEFT[layer]}
    assert not more, "put what you know of the functions into their records in `primitives`"


def test_a_table_of_names_is_found():
    text = """
        VIEWS = frozenset("reshape ravel transpose".split())
        MAKERS = (np.zeros, np.ones, np.empty)
        WORDS = ("kept", "made", "sum")
    """
    text = textwrap.dedent(text)
    source = Source(structure.PACKAGE / "made_up.py", "srcgrad.made_up", text, ast.parse(text))
    assert len(list(tables(source))) == 2
