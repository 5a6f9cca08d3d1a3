"""Writes axes that a variable tells as the literals that they are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from typing import Any

from srcgrad.ir import gast
from srcgrad.ir.axes import AXIS_PARAMETERS, axes_of
from srcgrad.ir.build import clone
from srcgrad.ir.one_result import rule_parameters
from srcgrad.ir.operations import Reader
from srcgrad.ir.program import bound_by
from srcgrad.ir.walk import found_in, statements


def with_axes(body: list[Any], reader: Reader, known: Collection[str]) -> list[Any]:
    r"""Return a body whose calls are told axes by literals, for what follows looks at these.

    Names that are `known` are parameters, or may be unbound where they are read.

    >>> from srcgrad.compiler.doctesting import parse, reader_of, text
    >>> body = parse("i = -1\nj = (0, 1)\ny = np.sum(x, i)\nz = np.roll(y.max(axis=j), i)")
    >>> print(text(with_axes(body, reader_of(), [])))
    i = -1
    j = 0, 1
    y = np.sum(x, -1)
    z = np.roll(y.max(axis=(0, 1)), i)
    """
    literals = {name: node for name, node in _literals(body).items() if name not in known}
    for statement in body if literals else ():  # most have none
        for call in found_in(statement, gast.Call):
            _write_named(call, literals)
            if any(isinstance(item, gast.Name) and item.id in literals for item in call.args):
                _write_places(call, reader, literals)
    return body


def _literals(body: list[Any]) -> dict[str, Any]:
    """Return the names that are bound to literals of axes and to nothing else, with these."""
    found: dict[str, Any] = {}
    bindings: Counter[str] = Counter()
    for statement in statements(body):
        bindings.update(bound_by(statement))
        plain = isinstance(statement, gast.Assign) and len(statement.targets) == 1
        target = statement.targets[0] if plain else None
        if isinstance(target, gast.Name) and axes_of(statement.value) is not None:
            found[target.id] = statement.value
    return {name: value for name, value in found.items() if bindings[name] == 1}


def _write_named(call: Any, literals: dict[str, Any]) -> None:
    """Write the literals of arguments that tell axes by name."""
    for item in call.keywords:
        if item.arg in AXIS_PARAMETERS and isinstance(item.value, gast.Name):
            item.value = clone(literals.get(item.value.id, item.value))


def _write_places(call: Any, reader: Reader, literals: dict[str, Any]) -> None:
    """Write the literals of arguments that tell axes by their places."""
    operation = reader.read(call)
    rule = reader.vocabulary.rule_for(operation.primal) if operation.kind == "primitive" else None
    if rule is None:
        return
    names = [parameter.name for parameter in rule_parameters(rule)]
    told = {
        id(item)
        for item, name in zip(operation.args, names, strict=False)
        if name in AXIS_PARAMETERS
    }
    for place, item in enumerate(call.args):
        if id(item) in told and isinstance(item, gast.Name):
            call.args[place] = clone(literals.get(item.id, item))
