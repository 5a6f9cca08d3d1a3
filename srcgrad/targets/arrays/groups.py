"""Finds statements in a row that calculate by element, as one kernel could.

With them come such expressions in the statement behind them, as far as its rest writes nowhere.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any, Final

import numpy as np

from srcgrad import runtime
from srcgrad.rules.library import constant_reason, rule_for
from srcgrad.targets.arrays.gaps import found, path_of

_FEWEST: Final = 2
"""The operations from which on a kernel of their own pays."""
_BY_ELEMENT: Final = (
    *(ast.Add, ast.Sub, ast.Mult, ast.Div, ast.Pow, ast.Mod, ast.FloorDiv),
    *(ast.BitAnd, ast.BitOr, ast.BitXor, ast.USub, ast.UAdd, ast.Invert),
    *(ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE),
)
_OTHERS: Final = (ast.Lambda, ast.NamedExpr, ast.Await, ast.Yield, ast.YieldFrom, ast.Starred)
_HOLDERS: Final = (ast.Assign, ast.AugAssign, ast.Return)


@dataclass(slots=True)
class Group:
    """Statements that calculate by element, and such expressions in the statement behind them."""

    statements: list[ast.Assign] = field(default_factory=list)
    behind: ast.stmt | None = None
    parts: list[ast.expr] = field(default_factory=list)

    @property
    def bound(self) -> list[str]:
        return list(dict.fromkeys(target_of(item) for item in self.statements))

    @property
    def values(self) -> list[ast.expr]:
        return [*(item.value for item in self.statements), *self.parts]


def calculating(imports: Iterable[ast.Import | ast.ImportFrom]) -> Iterator[str]:
    """Yield the names of the helpers that a text imports and that return what they calculate."""
    for node in imports:
        for item in node.names if isinstance(node, ast.ImportFrom) else ():
            helper = getattr(runtime, item.name, None)
            if helper is not None and (rule_for(helper) or constant_reason(helper)):
                yield item.asname or item.name


class Finder:
    """Finds the groups of a text."""

    def __init__(self, module: ModuleType, helpers: frozenset[str]) -> None:
        self._module = module
        self._helpers = helpers
        self._function: Any = None
        self._numbers: set[str] = set()
        self.groups: list[tuple[ast.FunctionDef, Group]] = []

    def function(self, node: ast.FunctionDef) -> None:
        self._function = node
        self._numbers = set(_numbers(node))
        self._block(node.body)

    def _block(self, block: Sequence[ast.stmt]) -> None:
        group = Group()
        for statement in block:
            if not self._joins(statement, group) and self._joins(statement, Group()):
                self._close(group, None)  # it reads parts of what the group binds
                group = Group()
            if self._joins(statement, group):
                assert isinstance(statement, ast.Assign)
                group.statements.append(statement)
                continue
            self._close(group, statement)
            group = Group()
            for name in ("body", "orelse", "finalbody"):
                self._block(getattr(statement, name, []))
            for handler in getattr(statement, "handlers", []):
                self._block(handler.body)
        self._close(group, None)

    def _joins(self, statement: ast.stmt, group: Group) -> bool:
        if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
            return False
        named = isinstance(statement.targets[0], ast.Name)
        return named and self._operations(statement.value, group.bound) > 0

    def _close(self, group: Group, behind: ast.stmt | None) -> None:
        if isinstance(behind, _HOLDERS) and behind.value is not None:
            found_parts = list(self._parts(behind.value, group.bound))
            if found_parts and self._is_calm(behind, found_parts):
                group.behind, group.parts = behind, found_parts
        counts = [self._operations(value, group.bound) for value in group.values]
        if sum(counts) >= _FEWEST and (group.parts or read_later(group, self._function)):
            self.groups.append((self._function, group))

    def _parts(self, node: ast.expr, bound: Sequence[str]) -> Iterator[ast.expr]:
        """Yield the largest expressions in one that calculate by element."""
        if self._operations(node, bound) > 0:
            yield node
        elif isinstance(node, (ast.Tuple, ast.Call)):
            for part in ast.iter_child_nodes(node):
                if isinstance(part, ast.expr):
                    yield from self._parts(part, bound)

    def _is_calm(self, statement: ast.stmt, parts: Iterable[ast.expr]) -> bool:
        """Say whether the rest of a statement writes nowhere, so that parts may be taken before."""
        inside = {id(node) for part in parts for node in ast.walk(part)}
        calls = (n for n in ast.walk(statement) if isinstance(n, ast.Call) and id(n) not in inside)
        return all(map(self._calculates, calls))

    def _calculates(self, call: ast.Call) -> bool:
        """Say whether a call does nothing but return what it calculates."""
        if any(item.arg == "out" for item in call.keywords):
            return False
        names = path_of(call.func)
        return names[0] != "random" if names else name_of(call.func) in self._helpers

    def _operations(self, node: ast.expr, bound: Sequence[str]) -> int:
        """Return how many operations an expression does by element; 0 if it does anything else."""
        names = {item.id for item in ast.walk(node) if isinstance(item, ast.Name)}
        if names <= {*self._numbers, "np"}:
            return 0
        count = self._count(node, bound)
        return 0 if count is None else count

    def _count(self, node: ast.expr, bound: Sequence[str]) -> int | None:
        if isinstance(node, ast.Name):
            return 0
        if isinstance(node, ast.Constant):
            return 0 if type(node.value) in (int, float) else None
        operands = self._operands(node)
        if operands is None:
            return 0 if self._is_leaf(node, bound) else None
        counts = [self._count(item, bound) for item in operands]
        known = [item for item in counts if item is not None]
        return 1 + sum(known) if len(known) == len(counts) else None

    def _is_leaf(self, node: ast.expr, bound: Sequence[str]) -> bool:
        """Say whether a value is calculated before a group, of which it reads nothing."""
        if not isinstance(node, (ast.Subscript, ast.Attribute, ast.Call)):
            return False
        for part in ast.walk(node):
            if isinstance(part, ast.Name) and part.id in bound:
                return False
            if isinstance(part, ast.Call) and not self._calculates(part):
                return False
        return not any(isinstance(part, _OTHERS) for part in ast.walk(node))

    def _operands(self, node: ast.expr) -> list[ast.expr] | None:
        """Return the operands of an operation by element; None for any other expression."""
        if isinstance(node, ast.BinOp):
            return [node.left, node.right] if isinstance(node.op, _BY_ELEMENT) else None
        if isinstance(node, ast.UnaryOp):
            return [node.operand] if isinstance(node.op, _BY_ELEMENT) else None
        if isinstance(node, ast.Compare):
            simple = len(node.ops) == 1 and isinstance(node.ops[0], _BY_ELEMENT)
            return [node.left, *node.comparators] if simple else None
        if isinstance(node, ast.Call) and not node.keywords:
            return node.args if self.is_by_element(node) else None
        return None

    def is_by_element(self, node: ast.Call) -> bool:
        """Say whether a call does one operation by element."""
        names = path_of(node.func)
        if not names:
            return False
        function = found(np, names)
        if function is np.where:
            return len(node.args) == 3
        there = found(self._module, names)
        ours = isinstance(function, np.ufunc) and function.signature is None
        return ours and function.nout == 1 and there is not None and len(node.args) == function.nin


def target_of(statement: ast.Assign) -> str:
    """Return the one name that a statement binds."""
    (target,) = statement.targets
    assert isinstance(target, ast.Name)
    return target.id


def _numbers(function: ast.FunctionDef) -> Iterator[str]:
    """Yield the names that are surely numbers of Python's: counters, lengths and sizes."""
    bindings: dict[str, list[ast.expr | None]] = {}
    for node in ast.walk(function):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            bindings.setdefault(node.targets[0].id, []).append(node.value)
        elif isinstance(node, ast.For):
            if _counts(node.iter) and isinstance(node.target, ast.Name):
                bindings.setdefault(node.target.id, []).append(ast.Constant(0))
            else:
                for item in ast.walk(node.target):
                    if isinstance(item, ast.Name):
                        bindings.setdefault(item.id, []).append(None)
    known: set[str] = set()
    grows = True
    while grows:
        more = {
            name
            for name, values in bindings.items()
            if all(value is not None and _is_number(value, known | {name}) for value in values)
        }
        grows = not more <= known
        known |= more
    parameters = {item.arg for item in function.args.args}
    yield from known - parameters


def _counts(iterable: ast.expr) -> bool:
    """Say whether a loop over something counts."""
    if not isinstance(iterable, ast.Call):
        return False
    name = name_of(iterable.func)
    return name == "range" or (name == "reversed" and _counts(iterable.args[0]))


def _is_number(value: ast.expr, known: set[str]) -> bool:
    if isinstance(value, ast.Constant):
        return True
    if isinstance(value, ast.Name):
        return value.id in known
    if isinstance(value, ast.Call):
        return name_of(value.func) in ("len", "int", "float")
    if isinstance(value, ast.Subscript):
        return isinstance(value.value, ast.Attribute) and value.value.attr == "shape"
    if isinstance(value, ast.Attribute):
        return value.attr in ("ndim", "size")
    if isinstance(value, ast.BinOp):
        return _is_number(value.left, known) and _is_number(value.right, known)
    return isinstance(value, ast.UnaryOp) and _is_number(value.operand, known)


def name_of(node: ast.expr) -> str:
    """Return the name that an expression is; empty if it is none."""
    return node.id if isinstance(node, ast.Name) else ""


def read_later(group: Group, function: ast.FunctionDef) -> list[str]:
    """Return the names that a group binds and that something else in the function reads."""
    inside = {id(node) for value in group.values for node in ast.walk(value)}
    read = _read_before(group)  # a loop hands them on
    read |= {
        node.id
        for node in ast.walk(function)
        if isinstance(node, ast.Name)
        and (isinstance(node.ctx, ast.Load) or _is_updated(node, function))
        and id(node) not in inside
    }
    return [name for name in group.bound if name in read]


def _read_before(group: Group) -> set[str]:
    """Return the names that a group reads before it binds them."""
    read: set[str] = set()
    bound: set[str] = set()
    for statement in group.statements:
        names = {node.id for node in ast.walk(statement.value) if isinstance(node, ast.Name)}
        read |= names - bound
        bound.add(target_of(statement))
    return read & bound


def _is_updated(name: ast.Name, function: ast.FunctionDef) -> bool:
    return any(
        isinstance(node, ast.AugAssign) and node.target is name for node in ast.walk(function)
    )
