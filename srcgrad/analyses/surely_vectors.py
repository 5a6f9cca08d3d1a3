"""Finds the names that surely have one axis, by what the program does with them."""

from __future__ import annotations

from typing import Final

import gast
import numpy as np

from srcgrad.analyses.shapes import Shapes
from srcgrad.ir.operations import Operation
from srcgrad.ir.program import Program

PRODUCTS: Final = frozenset({"numpy.matmul", "numpy.dot"})


def surely_vectors(program: Program, shapes: Shapes) -> set[str]:
    """Return the names with one axis, by steps that are run whatever path is taken.

    A product that is a number has two vectors for operands; an elementwise step whose result has
    one axis is taken to have operands with one.
    """
    found: set[str] = set()
    for statement in reversed(program.body):
        if not isinstance(statement, gast.Assign) or not isinstance(
            statement.targets[0], gast.Name
        ):
            continue
        operation = program.operation(statement)
        if operation.kind not in ("primitive", "copy"):
            continue
        operands = {item.id for item in operation.args if isinstance(item, gast.Name)}
        name = ""
        if operation.primal is not None:
            name = program.reader.vocabulary.canonical_name(operation.primal)
        if name in PRODUCTS:
            if shapes.is_number(statement.targets[0]):
                found |= operands
        elif statement.targets[0].id in found and _keeps_axes(operation):
            found |= {
                item
                for item in operands
                if not shapes.is_number(gast.Name(item, gast.Load(), None, None))
            }
    return found


def _keeps_axes(operation: Operation) -> bool:
    primal = operation.primal
    elementwise = isinstance(primal, np.ufunc) and primal.signature is None
    return operation.kind == "copy" or elementwise
