"""Writes a Jacobian as a function: one column of it for each number of an argument."""

from __future__ import annotations

from types import FunctionType
from typing import Any, Final

import numpy as np

from srcgrad.errors import UnsupportedError
from srcgrad.frontend.expand.making import cell, make_function
from srcgrad.frontend.expand.scoping import own_names, parameters
from srcgrad.frontend.expand.values import Home
from srcgrad.frontend.source import find_source
from srcgrad.ir import gast
from srcgrad.ir.parsing import gast_parsed
from srcgrad.ir.walk import walk
from srcgrad.runtime import unit_vectors

_TEXT: Final = """
def {name}({parameters}):
    {columns} = [{push}({parameters}, {unit})[1] for {unit} in {unit_vectors}({by})]
    {shape} = {np}.shape({columns}[0]) + {np}.shape({by})
    return {np}.reshape({np}.stack({columns}, axis=-1), {shape})
"""
_OWN: Final = ("columns", "unit", "shape", "np", "unit_vectors", "push")


def columns_function(push: FunctionType, function: FunctionType, by: str) -> FunctionType:
    """Return the Jacobian of a function by one argument, as a function of the same arguments.

    Args:
        push: The tangent function, with the arguments of `function` and the tangent of one.
        function: The function.
        by: The parameter that has the tangent.

    Raises:
        UnsupportedError: The function returns a container.
    """
    _refuse_containers(push)
    source = find_source(function)
    names = parameters(source.tree.args)
    renamed: dict[str, str] = getattr(function, "__srcgrad_renamed__", {})
    by = renamed.get(by, by)
    spelled = {name: name for name in _OWN} | {"push": push.__name__}
    for key in spelled:
        while spelled[key] in names:
            spelled[key] += "_"
    text = _TEXT.format(
        name=f"{source.name}_jacobian", parameters=", ".join(names), by=by, **spelled
    )
    tree: Any = gast_parsed(text).body[0]
    for node in walk(tree):
        node.lineno, node.col_offset = source.tree.lineno, source.tree.col_offset
        node.end_lineno, node.end_col_offset = node.lineno, node.col_offset
    cells = {spelled["np"]: cell(np), spelled["unit_vectors"]: cell(unit_vectors)}
    cells[spelled["push"]] = cell(push)
    temporaries = frozenset(own_names(tree) - set(names))
    made = make_function(tree, Home(push.__globals__, cells), source, temporaries)
    made.__defaults__ = function.__defaults__
    made.__dict__["__srcgrad_renamed__"] = renamed
    return made


def _refuse_containers(push: FunctionType) -> None:
    result = find_source(push).tree.body[-1]
    parts = getattr(getattr(result, "value", None), "elts", [])
    if any(isinstance(part, (gast.Dict, gast.List, gast.Tuple)) for part in parts):
        raise UnsupportedError(
            "the derivative of a Jacobian of a function that returns a container",
            hint="take the Jacobian of each entry, or put the entries into one array",
        )
