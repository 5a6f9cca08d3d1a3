"""Finds methods named as those of arrays that are given what those take no derivative of."""

from __future__ import annotations

import inspect
from collections.abc import Collection
from typing import Any

from srcgrad.frontend.counted_results import counted_results
from srcgrad.ir import gast
from srcgrad.ir.operations import Operation
from srcgrad.ir.program import Program, direct_names
from srcgrad.ir.scopes import MISSING
from srcgrad.ir.vocabulary import Vocabulary
from srcgrad.ir.walk import statements
from srcgrad.transforms.rule_sources import whole_parameters


def methods_of_others(program: Program, varied: Collection[str]) -> list[Any]:
    """Return the calls of methods whose owner can be no array, since an axis of it would vary.

    >>> from srcgrad.compiler.doctesting import program_of, text
    >>> program = program_of('''
    ... def f(x, model):
    ...     a = model.mean(x)
    ...     b = x.mean(0)
    ...     return a * b
    ... ''')
    >>> print(text(methods_of_others(program, {"x", "a", "b", "out"})))
    a = model.mean(x)
    """
    vocabulary = program.reader.vocabulary
    asked = [
        statement
        for statement in statements(program.body)
        if isinstance(statement, gast.Assign)
        and isinstance(statement.value, gast.Call)
        and isinstance(statement.value.func, gast.Attribute)
        and program.reader.scope.resolve(statement.value.func) is MISSING
        and _takes_whole_number(program.operation(statement), varied, vocabulary)
    ]
    if not asked:
        return []
    varied = set(varied) - _counted(program)
    return [
        statement
        for statement in asked
        if _takes_whole_number(program.operation(statement), varied, vocabulary)
    ]


def _counted(program: Program) -> set[str]:
    """Return the names of results of the user's functions that are sizes, beside others."""
    found: set[str] = set()
    for statement in statements(program.body):
        several = isinstance(statement, gast.Assign) and isinstance(
            statement.targets[0], gast.Tuple
        )
        operation = program.operation(statement) if several else None
        if operation is not None and operation.kind == "user":
            targets = statement.targets[0].elts
            counted = counted_results(operation.primal, program.reader.vocabulary)
            names = [targets[place] for place in counted if place < len(targets)]
            found.update(name.id for name in names if isinstance(name, gast.Name))
    return found


def _takes_whole_number(
    operation: Operation, varied: Collection[str], vocabulary: Vocabulary
) -> bool:
    """Say whether what varies is given to a parameter of a primitive that has no derivative."""
    rule = vocabulary.rule_for(operation.primal) if operation.kind == "primitive" else None
    if rule is None or rule.elementwise:
        return False
    names = list(inspect.signature(rule.forward).parameters)[1:]
    given = [*zip(names, operation.args, strict=False), *operation.keywords.items()]
    whole = (*rule.inert, *whole_parameters(rule))
    return any(
        name in whole and any(map(varied.__contains__, direct_names(item))) for name, item in given
    )
