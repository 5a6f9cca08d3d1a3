"""Says which names are surely bound to floats: what is stored in them keeps its fraction."""

from __future__ import annotations

from collections import defaultdict
from typing import Any, Final

import gast
import numpy as np

from srcgrad.ir.changes import change_of
from srcgrad.ir.operations import Operation
from srcgrad.ir.program import Program, is_store
from srcgrad.ir.scopes import MISSING
from srcgrad.ir.walk import names_bound, names_read, statements
from srcgrad.primitives import Primitive

_PARTS: Final = frozenset(["T", "real", "imag", "flat"])


def float_names(program: Program) -> frozenset[str]:
    """Return the names that are surely bound to floating-point numbers, or containers of them.

    A parameter that a gradient is asked for is: integers are refused at the call.

    >>> from srcgrad.compiler.doctesting import program_of
    >>> program = program_of('''
    ... def f(x, k):
    ...     a = np.zeros(3)
    ...     b = np.zeros_like(k)
    ...     c = b / 2
    ...     d = x > c
    ...     return np.sum(a * b * c * d)
    ... ''')
    >>> program.inputs = ("x",)
    >>> sorted(float_names(program))
    ['a', 'c', 'out', 'x']
    """
    return _Analysis(program).run()


class _Analysis:
    def __init__(self, program: Program) -> None:
        self._program = program
        self._makers: dict[str, list[Any]] = defaultdict(list)
        self._floats: set[str] = set()

    def run(self) -> frozenset[str]:
        for statement in statements(self._program.body):
            self._visit(statement)
        self._floats = set(self._makers) | set(self._program.inputs)
        size = -1
        while size != (size := len(self._floats)):
            for name, makers in self._makers.items():
                if name in self._floats and not all(map(self._is_float, makers)):
                    self._floats.remove(name)
        return frozenset(self._floats)

    def _visit(self, statement: Any) -> None:
        """Note what each name is made of."""
        change = change_of(statement)
        if change is not None and change.target is None:
            self._makers[change.name].append(change.value)  # what joins a list
        elif isinstance(statement, gast.For):
            for name in names_bound(statement.target):
                self._makers[name].append(statement)
        elif isinstance(statement, gast.Assign) and not is_store(statement):
            for target in statement.targets:
                self._note(target, statement)

    def _note(self, target: Any, statement: Any) -> None:
        value = statement.value
        plain = isinstance(target, gast.Tuple) and isinstance(value, gast.Tuple)
        if plain and len(target.elts) == len(value.elts):
            for part, item in zip(target.elts, value.elts, strict=True):
                for name in names_bound(part):
                    self._makers[name].append(item)
            return
        for name in names_bound(target):
            self._makers[name].append(value)

    def _is_float(self, node: Any) -> bool:
        judge = getattr(self, f"_judge_{type(node).__name__}", None)
        return judge is not None and bool(judge(node))

    def _judge_For(self, node: Any) -> bool:
        known = set(self._makers) | set(self._program.parameters)
        return (known & set(names_read(node.iter))) <= self._floats and not self._counts(node.iter)

    def _counts(self, iterable: Any) -> bool:
        called = isinstance(iterable, gast.Call)
        return called and self._program.reader.scope.resolve(iterable.func) is range

    def _judge_Name(self, node: Any) -> bool:
        return node.id in self._floats

    def _judge_Constant(self, node: Any) -> bool:
        return node.value is None or isinstance(node.value, (float, complex))

    def _judge_BinOp(self, node: Any) -> bool:
        return (
            isinstance(node.op, gast.Div) or self._is_float(node.left) or self._is_float(node.right)
        )

    def _judge_UnaryOp(self, node: Any) -> bool:
        return not isinstance(node.op, gast.Not) and self._is_float(node.operand)

    def _judge_IfExp(self, node: Any) -> bool:
        return self._is_float(node.body) and self._is_float(node.orelse)

    def _judge_BoolOp(self, node: Any) -> bool:
        return all(map(self._is_float, node.values))

    def _judge_List(self, node: Any) -> bool:
        """Whole numbers beside floats become floats in an array."""
        others = [item for item in node.elts if not _is_whole(item)]
        return all(map(self._is_float, others)) and bool(others or not node.elts)

    _judge_Tuple = _judge_List

    def _judge_Dict(self, node: Any) -> bool:
        return all(map(self._is_float, node.values))

    def _judge_Subscript(self, node: Any) -> bool:
        return self._is_float(node.value)

    def _judge_Attribute(self, node: Any) -> bool:
        if node.attr in _PARTS:
            return self._is_float(node.value)
        return isinstance(self._program.reader.scope.resolve(node), float)

    def _judge_Call(self, node: Any) -> bool:
        operation = self._program.reader.read(node)
        if operation.kind not in ("primitive", "constant") or operation.primal is None:
            return False
        known = self._program.reader.vocabulary.primitive(operation.primal)
        if "dtype" in operation.keywords:
            return self._is_float_type(operation.keywords["dtype"])
        if known.dtype is not None and len(operation.args) > known.dtype:
            return self._is_float_type(operation.args[known.dtype])
        if isinstance(operation.primal, np.ufunc):
            return self._of_ufunc(operation)
        if known.kind in ("float", "int", "truth"):
            return known.kind == "float"
        if known.kind == "first":
            return bool(operation.args) and self._is_float(operation.args[0])
        if operation.kind != "primitive" and known.kind != "promoted":
            return False
        return self._has_float(known, operation)

    def _has_float(self, known: Primitive, operation: Operation) -> bool:
        """Say whether one of the operands that a result is promoted from is of floats."""
        whole = known.shape == "told" or known.least > 2
        operands = operation.args[1:] if whole else operation.args
        if known.kind == "either":
            return all(map(self._is_float, operands))
        return any(map(self._any_float, operands))

    def _any_float(self, node: Any) -> bool:
        parts = node.elts if isinstance(node, (gast.List, gast.Tuple)) else [node]
        return any(map(self._is_float, parts)) or not parts

    def _of_ufunc(self, operation: Operation) -> bool:
        ufunc = operation.primal
        whole, real = ("l" * ufunc.nin, "d" * ufunc.nin)
        results = dict(item.split("->") for item in ufunc.types)
        if results.get(real, "d")[0] not in "fdgFDG":
            return False
        return results.get(whole, "d")[0] in "efdg" or any(map(self._is_float, operation.args))

    def _is_float_type(self, node: Any) -> bool:
        if isinstance(node, gast.Attribute) and node.attr == "dtype":
            return self._is_float(node.value)
        kind = self._program.reader.scope.resolve(node)
        kind = node.value if isinstance(node, gast.Constant) else kind
        try:
            return kind is not MISSING and np.dtype(kind).kind in "fc"
        except TypeError:
            return False


def _is_whole(node: Any) -> bool:
    return isinstance(node, gast.Constant) and type(node.value) is int
