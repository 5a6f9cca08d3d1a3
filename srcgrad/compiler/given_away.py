"""Leaves out copies of what the caller of a function gives away, since it goes on with a new one.

A function that writes into what it is given, and calls itself, was written as one that works on a
copy and returns it (`frontend/normalize/threaded.py`). A list, dict or set need not be copied where
its name is bound anew by the call itself and nothing else holds it or reads it later.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from types import FunctionType
from typing import Any, Final

from srcgrad.ir import gast
from srcgrad.ir.build import call, load
from srcgrad.ir.program import Program, bound_by, header_of
from srcgrad.ir.walk import nodes_in, statements
from srcgrad.transforms.externals import Externals
from srcgrad.transforms.sweep import Facts

KEPT_APART: Final = "kept_apart"
_LOOKS: Final = ("len", "refuse_integers", "taken_over")
"""Functions that keep nothing of what they are given, but for what they return."""


def states_among(program: Program, function: FunctionType, names: Iterable[str]) -> list[str]:
    """Return those of the `names` of outputs that are what the function was given to write into."""
    count = len(program.reader.vocabulary.states_returned(function))
    last = program.outputs[len(program.outputs) - count :]
    return [name for name in names if name in last]


def take_over(
    forward: list[Any],
    program: Program,
    function: FunctionType,
    saved: Collection[str],
    externals: Externals,
    facts: Facts,
) -> None:
    """Let a forward half work on what it is given itself, and give away what it may, in place.

    `saved` are the names that it hands to the backward half.
    """
    own = program.reader.vocabulary.states_returned(function)
    for statement in forward:
        name = _copied(statement)
        if name in own and not facts.dimensions.rank(load(name)):
            statement.value = call(externals.use_runtime("taken_over"), load(name))
    results = {program.namer.base(name) for name in program.outputs}
    kept = {*saved, *_kept(forward, lambda name: program.namer.base(name) in results)}
    for statement in statements(forward):
        value = getattr(statement, "value", None)
        if not isinstance(statement, gast.Assign) or not isinstance(value, gast.Call):
            continue
        bound = bound_by(statement)
        for place, item in enumerate(value.args):
            if _is_kept_apart(item) and item.args[0].id in bound and item.args[0].id not in kept:
                value.args[place] = item.args[0]


def _copied(statement: Any) -> str:
    """Return the name that a statement binds to a copy of what it means, or an empty text."""
    value = getattr(statement, "value", None)
    func = getattr(value, "func", None)
    if not isinstance(statement, gast.Assign) or not isinstance(func, gast.Attribute):
        return ""
    name = getattr(statement.targets[0], "id", "")
    return name if func.attr == "copy" and getattr(func.value, "id", "") == name else ""


def _is_kept_apart(node: Any) -> bool:
    named = isinstance(node, gast.Call) and getattr(node.func, "id", "") == KEPT_APART
    return named and isinstance(node.args[0], gast.Name)


def _kept(body: list[Any], is_result: Callable[[str], bool]) -> set[str]:
    """Return the names that statements may hand on whole, but for results, which are the last."""
    found: set[str] = set()
    for statement in statements(body):
        if isinstance(statement, gast.Return):
            continue  # what is returned is the caller's, and what is saved is known
        named = isinstance(statement, gast.Assign) and isinstance(statement.value, gast.Name)
        if named and all(map(is_result, bound_by(statement))):
            continue
        for part in header_of(statement):
            found |= _handed_on(part)
    return found


def _handed_on(node: Any) -> set[str]:
    """Return the names that an expression reads for more than their entries or their kind."""
    if isinstance(node, gast.Name):
        return {node.id} if isinstance(node.ctx, gast.Load) else set()
    if _is_kept_apart(node):
        return set()
    inner = list(nodes_in(node))
    if isinstance(node, gast.Subscript):
        inner = [item for item in inner if item is not node.value or not _is_name(item)]
    elif isinstance(node, gast.Compare):
        inner = [item for item in inner if not _is_name(item)]
    elif isinstance(node, gast.Attribute) and _is_name(node.value):
        inner = []  # of a method, or of a module
    elif isinstance(node, gast.Call) and getattr(node.func, "id", "") in _LOOKS:
        inner = []
    return {name for item in inner for name in _handed_on(item)}


def _is_name(node: Any) -> bool:
    return isinstance(node, gast.Name)
