"""Writes ``with grad_of(x) as gx:`` as a call that hands `x` on and carries the block along."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from types import FunctionType
from typing import Any

from srcgrad.ir import gast
from srcgrad.ir.build import assign, at, load
from srcgrad.ir.marks import EDIT
from srcgrad.ir.parsing import gast_parsed
from srcgrad.ir.walk import blocks_of, found_in, names_bound, statements
from srcgrad.runtime.surgery import grad_of, names_bound_in, problem_with


def walk(node: Any) -> list[Any]:
    """Return a tree and all that is in it."""
    return list(ast.walk(node))


def with_edits(tree: Any, function: FunctionType) -> None:
    """Write the blocks of a function that edit adjoints as calls of ``grad_of.edited``.

    One that cannot be is written as a call of ``grad_of.refused``, which says why.

    >>> from srcgrad.compiler.doctesting import parse, text
    >>> body = parse('''
    ... def f(x, limit):
    ...     y = x * x
    ...     with grad_of(y) as gy:
    ...         gy = np.clip(gy, -limit, limit)
    ...     return y
    ... ''')
    >>> def f(x, limit): return grad_of
    >>> with_edits(body[0], f)
    >>> print(text(body[0].body[1:2]))
    y = grad_of.edited(y, "gy, limit: gy = np.clip(gy, -limit, limit)", limit)
    """
    _Edits(tree, function).block(tree.body)


class _Edits:
    def __init__(self, tree: Any, function: FunctionType) -> None:
        self._tree = tree
        self._function = function

    def block(self, block: list[Any]) -> None:
        for place, statement in enumerate(block):
            if isinstance(statement, gast.With) and self._is_edit(statement):
                block[place] = self._call(statement)
                continue
            for part in blocks_of(statement):
                self.block(part)

    def _is_edit(self, statement: Any) -> bool:
        return any(map(self._owner, statement.items))

    def _owner(self, item: Any) -> Any:
        """Return the expression that means `grad_of` in a manager, or None."""
        called = item.context_expr
        is_edit = isinstance(called, gast.Call) and self._value(called.func) is grad_of
        return called.func if is_edit else None

    def _value(self, node: Any) -> Any:
        """Return what a dotted name means outside of the function, or None."""
        if isinstance(node, gast.Attribute):
            return getattr(self._value(node.value), node.attr, None)
        if not isinstance(node, gast.Name):
            return None
        code = self._function.__code__
        cells = dict(zip(code.co_freevars, self._function.__closure__ or (), strict=True))
        if node.id in cells:
            try:
                return cells[node.id].cell_contents
            except ValueError:
                return None
        return self._function.__globals__.get(node.id)

    def _call(self, statement: Any) -> Any:
        problem = self._problem(statement)
        if problem is not None:
            owner = next(filter(None, map(self._owner, statement.items)))
            told = [gast.Constant(text, None) for text in problem]
            refused = gast.Call(gast.Attribute(owner, "refused", gast.Load()), told, [])
            return at(gast.Expr(at(refused, statement)), statement)
        (item,) = statement.items
        called = item.context_expr
        (x,) = called.args
        name = "_" if item.optional_vars is None else item.optional_vars.id
        bound = names_bound_in(statement.body) | {name}
        variables = {*self._function.__code__.co_varnames, *self._function.__code__.co_cellvars}
        read = {
            node.id
            for part in statement.body
            for node in walk(part)
            if isinstance(node, gast.Name) and node.id in variables and node.id not in bound
        }
        head = ", ".join([name, *sorted(read)])
        text = gast.Constant(f"{head}: {block_text(statement.body)}", None)
        owner = gast.Attribute(called.func, "edited", gast.Load())
        reads = [load(key) for key in sorted(read)]
        value = at(gast.Call(owner, [load(x.id), text, *reads], []), statement)
        return assign(x.id, value, statement)

    def _problem(self, statement: Any) -> tuple[str, str] | None:
        called = statement.items[0].context_expr
        outside = _names_outside(self._tree, statement)
        found = problem_with(statement.items, statement.body, outside)
        if found is not None:
            return found
        if len(called.args) != 1 or called.keywords or not isinstance(called.args[0], gast.Name):
            return "`grad_of` of an expression", "give it a name first: y = ...; grad_of(y)"
        return None


def settle_edits(block: list[Any]) -> None:
    """Write ``y = grad_of.edited(x, ...)`` in normal form as the copy it is, which keeps the edit.

    What is differentiated forward needs no more than the copy.
    """
    for statement in statements(block):
        value: Any = getattr(statement, "value", None)
        if not isinstance(statement, gast.Assign) or not _is_edited(value):
            continue
        x, text, *reads = value.args
        (name, *given), body = block_of(text.value)
        statement.value = x
        EDIT.put(statement, Edit(name, body, dict(zip(given, reads, strict=True))))


@dataclass(frozen=True, slots=True)
class Edit:
    """A block on an adjoint: its name for it, and what it reads, by the user's names."""

    name: str
    body: list[Any]
    reads: dict[str, Any]


def refused_edits(body: list[Any]) -> list[tuple[Any, str, str]]:
    """Return the blocks that cannot run in the backward pass, with why not and what to do."""
    return [
        (statement, statement.value.args[0].value, statement.value.args[1].value)
        for statement in statements(body)
        if isinstance(statement, gast.Expr) and _is_call(statement.value, "refused")
    ]


def edits_a_parameter(tree: Any) -> bool:
    """Say whether a block may edit the adjoint of what the caller of a function holds, too."""
    if not any(map(_is_edited, found_in(tree, gast.Call))):
        return False  # as most have none at all
    held = {node.id for node in found_in(tree.args, gast.Name)}
    for statement in tree.body:
        edits = filter(_is_edited, found_in(statement, gast.Call))
        if any(node.args[0].id in held for node in edits):
            return True
        if isinstance(statement, gast.Assign):
            bound = {name for part in statement.targets for name in names_bound(part)}
            handed_on = isinstance(statement.value, gast.Name) and statement.value.id in held
            held = held | bound if handed_on else held - bound
    return False


def names_in_edits(tree: Any) -> set[str]:
    """Return the names that the blocks in a tree assign."""
    texts = [node.args[1].value for node in found_in(tree, gast.Call) if _is_edited(node)]
    return {name for text in texts for name in names_bound_in(block_of(text)[1])}


def _is_edited(node: Any) -> bool:
    return _is_call(node, "edited") and len(node.args) > 1


def _is_call(node: Any, method: str) -> bool:
    func = getattr(node, "func", None)
    return isinstance(func, gast.Attribute) and func.attr == method


def block_text(body: list[Any]) -> str:
    """Return the text of a block."""
    module = gast.gast_to_ast(gast.Module([*body], []))
    return ast.unparse(ast.fix_missing_locations(module))  # noqa: TID251 - `block_of` reads it


def block_of(text: str) -> tuple[list[str], list[Any]]:
    """Return a block that was written as text: the names of the adjoint and of what it reads."""
    names, _, block = text.partition(": ")
    return names.split(", "), gast_parsed(block).body


def _names_outside(tree: Any, statement: Any) -> set[str]:
    """Return the names in a function but for those in one statement of it."""
    inside = {id(node) for node in walk(statement)}
    names = {
        node.id for node in walk(tree) if isinstance(node, gast.Name) and id(node) not in inside
    }
    own = statement.items[0].optional_vars
    again = {
        node.id
        for other in walk(tree)
        if isinstance(other, gast.With) and other is not statement
        for item in other.items
        for node in walk(item)
        if isinstance(node, gast.Name) and item.optional_vars is node
    }
    reused = again & {getattr(own, "id", "")}
    return names - reused if reused and not _elsewhere(tree, reused) else names


def _elsewhere(tree: Any, names: set[str]) -> bool:
    """Say whether one of the names occurs outside of every `with`."""
    hidden = {
        id(node) for other in walk(tree) if isinstance(other, gast.With) for node in walk(other)
    }
    return any(
        isinstance(node, gast.Name) and node.id in names and id(node) not in hidden
        for node in walk(tree)
    )
