"""Gives numbers the types that NumPy gives them beside narrower ones, where Numba widens.

Numba holds the numbers of Python in 64 bits, and a sum of one of these and of an entry of a
`float32` array too. NumPy lets a number of Python adapt. So it is converted where it meets one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

import numpy as np

from srcgrad.ir import gast
from srcgrad.ir.build import call, dotted, load
from srcgrad.ir.walk import found_in, walk
from srcgrad.targets.loops.kind import Array, Items, Kind, Many, is_number, word_in
from srcgrad.targets.loops.results import OF_RUNTIME, UFUNCS, is_elementwise
from srcgrad.targets.loops.words import COMPLEX, NARROW, PYTHON, held, operands

_BLOCKS: Final = ("body", "orelse", "finalbody")
_STEADY: Final = frozenset({"sum", "mean", "prod"})
KindOf = Callable[[Any], Kind]


def is_narrow(kinds: Iterable[Kind]) -> bool:
    """Say whether numbers that are narrower than Python's are among some kinds."""
    for kind in kinds:
        parts = kind.items if isinstance(kind, Items) else (kind,)
        if any(word_in(part) in NARROW for part in parts):
            return True
        if parts != (kind,) and is_narrow(parts):
            return True
    return False


class Narrow:
    """Converts the numbers of one function."""

    def __init__(
        self, function: Any, kind_of: KindOf, parameters: Mapping[str, Sequence[Kind]]
    ) -> None:
        self._function = function
        self._kind = kind_of
        self._parameters = parameters

    def write(self) -> None:
        """Rewrite the function in place."""
        self._function.body = self._block(self._function.body)

    def _block(self, body: Sequence[Any]) -> list[Any]:
        done: list[Any] = []
        for statement in body:
            for name in _BLOCKS:
                if getattr(statement, name, None):
                    setattr(statement, name, self._block(getattr(statement, name)))
            self._expressions(statement)
            done += self._statement(statement)
        return done

    # -- statements

    def _statement(self, statement: Any) -> list[Any]:
        if isinstance(statement, gast.AugAssign):
            kind = self._kind(statement.target)
            statement.value = self._beside(statement.value, word_in(kind))
        elif isinstance(statement, gast.Assign):
            return self._assignment(statement)
        elif isinstance(statement, gast.Expr) and _is_append(statement.value):
            kept = self._kind(statement.value.func.value)
            if isinstance(kept, Many):
                statement.value.args = [self._as(statement.value.args[0], kept.item)]
        return [statement]

    def _assignment(self, statement: Any) -> list[Any]:
        """Convert what is bound to a name that later holds narrow numbers."""
        targets = statement.targets
        kinds = [self._kind(item) for item in targets]
        if len(targets) > 1 and len(set(kinds)) > 1 and isinstance(statement.value, gast.Constant):
            apart = [
                gast.Assign([target], gast.Constant(statement.value.value, None), None)
                for target in targets
            ]
            for item in apart:
                item.lineno = getattr(statement, "lineno", None)
            return [item for part in apart for item in self._assignment(part)]
        if len(set(kinds)) == 1:
            is_name = isinstance(targets[0], (gast.Name, gast.Tuple))
            statement.value = self._as(statement.value, kinds[0]) if is_name else statement.value
        return [statement]

    def _as(self, value: Any, kind: Kind) -> Any:
        """Return an expression that gives numbers of a kind, if it gives adaptable ones."""
        if isinstance(kind, Items) and isinstance(value, gast.Tuple):
            if len(kind.items) == len(value.elts):
                value.elts = list(map(self._as, value.elts, kind.items))
            return value
        return self._beside(value, kind) if is_number(kind) else value

    def _beside(self, value: Any, word: str | None) -> Any:
        """Return an operand beside numbers of a narrow type."""
        own = self._kind(value)
        if word not in NARROW or not isinstance(own, str) or own not in PYTHON or own == "bool":
            return value
        return _converted(value, own, word)

    # -- expressions

    def _expressions(self, statement: Any) -> None:
        parts = [
            part
            for name, value in gast.iter_fields(statement)
            if name not in _BLOCKS
            for part in (value if isinstance(value, list) else [value])
            if isinstance(part, gast.AST)
        ]
        for node in reversed([node for part in parts for node in walk(part)]):  # inside first
            handle = getattr(self, f"_{type(node).__name__}", None)
            if handle is not None:
                handle(node)

    def _BinOp(self, node: Any) -> None:
        if isinstance(node.op, gast.MatMult):
            self._product(node)
            return
        is_power = isinstance(node.op, gast.Pow) and isinstance(node.right, gast.Constant)
        function = UFUNCS.get(type(node.op))
        if function is not None:
            node.left, right = self._operands(function, [node.left, node.right])
            node.right = node.right if is_power and self._kind(node.right) == "int" else right

    def _product(self, node: Any) -> None:
        """Convert an operand of a product of matrices, which Numba takes of one type alone."""
        word = word_in(self._kind(node))
        for name in ("left", "right"):
            part = getattr(node, name)
            own = self._kind(part)
            if isinstance(own, Array) and word is not None and own.dtype != word:
                setattr(node, name, _array_converted(part, word))

    def _Compare(self, node: Any) -> None:
        if len(node.ops) == 1 and not isinstance(node.ops[0], (gast.In, gast.NotIn)):
            parts = self._operands(np.less, [node.left, node.comparators[0]])
            node.left, node.comparators = parts[0], parts[1:]

    def _IfExp(self, node: Any) -> None:
        kind = self._kind(node)
        node.body, node.orelse = self._as(node.body, kind), self._as(node.orelse, kind)

    def _Call(self, node: Any) -> None:
        function = node.func
        name = getattr(function, "attr", "")
        owner = getattr(getattr(function, "value", None), "id", "")
        if owner == "np" and not node.keywords:
            self._of_numpy(node, name)
        elif owner == "math":
            node.args = list(map(self._widened, node.args))
        elif isinstance(function, gast.Name):
            self._own_call(node, function.id)

    def _of_numpy(self, node: Any, name: str) -> None:
        if name == "where" and len(node.args) == 3:
            node.args[1:] = self._operands(np.add, node.args[1:])
        elif name == "clip":
            word = word_in(self._kind(node.args[0]))
            node.args[1:] = [self._beside(item, word) for item in node.args[1:]]
        elif name in ("dot", "outer") and len(node.args) == 2:
            node.args = self._operands(np.multiply, node.args)
        elif name != "where" and is_elementwise(name):
            node.args = self._operands(getattr(np, name), node.args)

    def _own_call(self, node: Any, name: str) -> None:
        if name in self._parameters:
            given = self._parameters[name]
            node.args[: len(given)] = [
                self._as(value, kind) for value, kind in zip(node.args, given, strict=False)
            ]
        elif name == "shared_each" and isinstance(node.args[1], gast.Tuple):
            word = word_in(self._kind(node.args[2]))
            node.args[1].elts = [self._beside(item, word) for item in node.args[1].elts]
        elif name == "float" and len(node.args) == 1:
            node.args = [self._widened(node.args[0])]
        elif name in ("max", "min") or name in OF_RUNTIME:
            words = [word_in(self._kind(item)) for item in node.args]
            word = next((word for word in words if word in NARROW), None)
            if name in ("max", "min") or word_in(self._kind(node)) == word:
                node.args = [self._adapted(item, word) for item in node.args]

    def _adapted(self, value: Any, word: str | None) -> Any:
        return value if self._kind(value) == "int" else self._beside(value, word)

    def _widened(self, value: Any) -> Any:
        return call("np.float64", value) if self._kind(value) == "float32" else value

    def _operands(self, function: Any, parts: Sequence[Any]) -> list[Any]:
        """Return operands of a function of NumPy, with conversions where Numba leaves them out."""
        kinds = [self._kind(part) for part in parts]
        words = [word_in(kind) for kind in kinds]
        if not all(words) or not NARROW & set(words):
            return list(parts)
        wanted = operands(function, tuple(map(str, words)))
        if wanted is None:
            return list(parts)
        return [
            self._operand(part, kind, to)
            for part, kind, to in zip(parts, kinds, wanted, strict=True)
        ]

    def _operand(self, part: Any, kind: Kind, word: str) -> Any:
        own = str(word_in(kind))
        if held(own) == word or own == "bool" or own in NARROW:
            return part  # Numba widens it itself
        if isinstance(kind, Array):
            return _array_converted(part, word)
        return _converted(part, own, word)


def steady_sums(function: Any, kind_of: KindOf) -> set[str]:
    """Let sums of narrow numbers be those that add in 64 bits; return the names that are called."""
    used: set[str] = set()
    for node in list(found_in(function, gast.Call)):
        name = getattr(node.func, "attr", "")
        if name not in _STEADY or node.keywords:
            continue
        is_numpy = getattr(node.func.value, "id", "") == "np"
        parts = node.args if is_numpy else [node.func.value, *node.args]
        kind = kind_of(parts[0]) if len(parts) == 1 else None
        if isinstance(kind, Array) and kind.dtype in NARROW:
            used.add(f"{name}_along")
            node.func = load(f"{name}_along")
            node.args = [parts[0], gast.Constant(None, None), gast.Constant(False, None)]
    return used


def _is_append(node: Any) -> bool:
    return (
        isinstance(node, gast.Call)
        and getattr(node.func, "attr", "") == "append"
        and len(node.args) == 1
    )


def _converted(value: Any, own: str, word: str) -> Any:
    """Return a number as one of another type: of real ones, that is real as well."""
    real = "float32" if word == "complex64" and own not in COMPLEX else word
    return call(f"np.{real}", value)


def _array_converted(part: Any, word: str) -> Any:
    return gast.Call(gast.Attribute(part, "astype", gast.Load()), [dotted(f"np.{word}")], [])
