"""Finds the names that surely have one axis, by what the program does with them."""

from __future__ import annotations

from srcgrad.analyses.shapes import Shapes
from srcgrad.ir import gast
from srcgrad.ir.program import Program


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
        known = program.reader.vocabulary.primitive(operation.primal)
        if known.shape == "product":
            if shapes.is_number(statement.targets[0]):
                found |= operands
        elif statement.targets[0].id in found and (
            operation.kind == "copy" or known.acts_on_each_element
        ):
            found |= {
                item
                for item in operands
                if not shapes.is_number(gast.Name(item, gast.Load(), None, None))
            }
    return found
