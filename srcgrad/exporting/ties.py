"""Gives adjoints of factorisations in exported modules their limits at equal values, if it can.

A module has no function to run again there, and the gradients of the factors tell no limits. How a
function is written may: if it reads a few columns of the vectors, losses do not change as the
others turn; and if it reads them in one term ``(v * h(w)) @ v.T`` alone, the ratio of the
gradients on the diagonals holds beside them. In all other cases the module gives NaN there.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import Any, Final

import numpy as np

from srcgrad.exporting.editing import Edits
from srcgrad.exporting.origins import text_of_function
from srcgrad.exporting.request import Export
from srcgrad.runtime import known_limits

_FACTORISING: Final = ("eigh", "svd", "eig", "eigh_tridiagonal")
_ADJOINTS: Final = ("eigh_back", "eigh_tridiagonal_back", "general_eigh_back", "svd_back")
_JOINING: Final = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.Pow)


def with_limits(export: Export) -> tuple[str, Mapping[str, Any]]:
    """Return a generated text in which an adjoint is given its limit, and what that calls."""
    source, function = export.generated.source, export.function
    edits = Edits.of(source)
    calls: list[Any] = [node for node in ast.walk(edits.tree) if _named(node) in _ADJOINTS]
    parts = {node.name for node in edits.tree.body if isinstance(node, ast.FunctionDef)}
    own = {f"{function.__name__}_{part}" for part in ("grad", "forward", "backward")}
    text = text_of_function(function) if len(calls) == 1 and parts <= own else None
    if text is None or export.of_gradient:
        return source, {}
    read = [edits.piece(item) for item in calls[0].args]
    name, added = _limit(_Uses(Edits.of(text), function.__globals__), _named(calls[0]), read)
    if not name:
        return source, {}
    edits.put_after(calls[0].args[-1], f", {name}({added})")
    return edits.text(), {name: getattr(known_limits, name)}


def _limit(uses: _Uses, called: str, read: list[str]) -> tuple[str, str]:
    """Return the function that gives the limit of a call, and its arguments; "" for none."""
    factors = uses.factors
    if len(factors) == 3 and read[1:] == [f"({', '.join(factors)})"]:
        left, right = uses.columns(factors[0]), uses.columns(factors[2], rows=True)
        if left is not None and right is not None:
            return "limits_beside", f"{factors[0]}, {factors[2]}, {_listed(left)}, {_listed(right)}"
    if len(factors) == 2 and read[2:4] == factors:
        columns = uses.columns(factors[1])
        if columns is not None:
            return "limit_beside", ", ".join([factors[0], *columns])
        if called == "eigh_back" and uses.has_one_function():
            return "limit_of_function", f"{read[0]}, {read[1]}, {factors[1]}"
    return "", ""


def _listed(columns: list[str]) -> str:
    return f"[{', '.join(columns)}]"


class _Uses:
    """How a function uses the factors of the one factorisation in it."""

    def __init__(self, text: Edits, scope: Mapping[str, Any]) -> None:
        self.text, self.scope = text, scope
        self.nodes = list(ast.walk(text.tree))
        self.above = {id(c): node for node in self.nodes for c in ast.iter_child_nodes(node)}
        self.names = [node for node in self.nodes if isinstance(node, ast.Name)]
        self.made: Any = None
        self.factors = self._factors()

    def _factors(self) -> list[str]:
        """Return the names of the factors, or nothing if there is not one plain assignment."""
        calls = [node for node in self.nodes if _named(node) in _FACTORISING]
        self.made = self.above.get(id(calls[0])) if len(calls) == 1 else None
        if not isinstance(self.made, ast.Assign) or len(self.made.targets) != 1:
            return []
        target = self.made.targets[0]
        if not isinstance(target, ast.Tuple):
            return []
        names = [part.id if isinstance(part, ast.Name) else "" for part in target.elts]
        plain = all(name and (not self.loads(name) or self._once(name)) for name in names)
        return names if plain else []

    def loads(self, name: str) -> list[ast.Name]:
        """Return where a name is read."""
        return [n for n in self.names if n.id == name and isinstance(n.ctx, ast.Load)]

    def _once(self, name: str) -> bool:
        """Say whether a name is bound once, and in the function itself."""
        bound = [n for n in self.names if n.id == name and not isinstance(n.ctx, ast.Load)]
        inner = (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
        deep = [n for n in self._around(bound[0]) if isinstance(n, (ast.FunctionDef, *inner))]
        others = [n for n in self.nodes if isinstance(n, (ast.FunctionDef, *inner))]
        return len(bound) == 1 and len(deep) == len(others) == 1

    def _around(self, node: Any) -> Iterator[Any]:
        while id(node) in self.above:
            node = self.above[id(node)]
            yield node

    def columns(self, name: str, *, rows: bool = False) -> list[str] | None:
        """Return the columns that a function reads of vectors, or None if it reads them whole."""
        found = []
        for load in self.loads(name):
            whole = self.above[id(load)]
            if not isinstance(whole, ast.Subscript) or not isinstance(whole.ctx, ast.Load):
                return None
            column = _column(whole.slice, rows=rows)
            if column is None or not (place := self._literal(column)):
                return None
            found.append(place)
        return sorted(set(found))

    def _literal(self, part: Any) -> str:
        """Return the text of an index that is a number, or a slice of such; "" for others."""
        if not isinstance(part, ast.Slice):
            return self.text.piece(part) if _is_number(part) else ""
        ends = [end for end in (part.lower, part.upper) if end is not None]
        if part.step or not ends or not all(map(_is_number, ends)):
            return ""
        texts = ["None" if e is None else self.text.piece(e) for e in (part.lower, part.upper)]
        return f"slice({', '.join(texts)})"

    def has_one_function(self) -> bool:
        """Say whether the vectors are read in one ``(v * h(w)) @ v.T`` alone, and `w` in it."""
        w, v = self.factors
        vectors = self.loads(v)
        if len(vectors) != 2:
            return False
        product = next((n for n in self._around(vectors[1]) if _is(n, ast.MatMult)), None)
        if product is None or not self._beside(product):
            return False
        scaled = self._followed(product.left)
        values = _scaling(scaled, v)
        return (
            values is not None
            and self._transposed(product.right, v)
            and self._counts(values, w) == len(self.loads(w)) > 0
        )

    def _transposed(self, node: Any, v: str) -> bool:
        """Say whether an expression is ``v.T``, conjugated or not."""
        forms = ("{}.T", "{}.conj().T", "{}.T.conj()", "np.conj({}.T)", "np.conj({}).T")
        return self.text.piece(node) in [form.format(v) for form in forms]

    def _beside(self, node: Any) -> bool:
        """Say whether a node is in a statement of the block that the factors are made in."""
        statement = next(n for n in self._around(node) if isinstance(n, ast.stmt))
        return self.above[id(statement)] is self.above[id(self.made)]

    def _followed(self, node: Any) -> Any:
        """Return what a name stands for that is bound once and read once."""
        if not isinstance(node, ast.Name) or len(self.loads(node.id)) != 1:
            return node
        bound = [n for n in self.names if n.id == node.id and isinstance(n.ctx, ast.Store)]
        made = self.above[id(bound[0])] if len(bound) == 1 and self._once(node.id) else None
        plain = isinstance(made, ast.Assign) and len(made.targets) == 1 and self._beside(bound[0])
        return self._followed(made.value) if plain and isinstance(made, ast.Assign) else node

    def _counts(self, node: Any, w: str) -> int:
        """Return how often the values are read in an expression, as far as it is elementwise."""
        node = self._followed(node)
        if isinstance(node, ast.Name):
            return int(node.id == w)
        if isinstance(node, ast.BinOp) and isinstance(node.op, _JOINING):
            return self._counts(node.left, w) + self._counts(node.right, w)
        if isinstance(node, ast.UnaryOp):
            return self._counts(node.operand, w)
        if isinstance(node, ast.Call) and not node.keywords and self._is_elementwise(node.func):
            return sum(self._counts(item, w) for item in node.args)
        return 0

    def _is_elementwise(self, called: Any) -> bool:
        if not isinstance(called, ast.Attribute) or not isinstance(called.value, ast.Name):
            return False
        of_numpy = self.scope.get(called.value.id) is np
        return of_numpy and isinstance(getattr(np, called.attr, None), np.ufunc)


def _named(node: Any) -> str:
    """Return the name of the function that a node calls, without its module."""
    if not isinstance(node, ast.Call):
        return ""
    return getattr(node.func, "attr", getattr(node.func, "id", ""))


def _is(node: Any, kind: type) -> bool:
    return isinstance(node, ast.BinOp) and isinstance(node.op, kind)


def _column(index: Any, *, rows: bool) -> Any:
    """Return the index of the last axis, or of the one before, if it is the only one."""
    parts = list(index.elts) if isinstance(index, ast.Tuple) else [index]
    if _is_ellipsis(parts[0]):
        parts = parts[1:] if len(parts) == 3 else [ast.Slice(), *parts[1:]]
        if rows and len(index.elts) == 2:
            return None
    elif rows and len(parts) == 1:
        parts = [*parts, ast.Slice()]
    if len(parts) != 2 or not _is_whole(parts[1 if rows else 0]):
        return None
    return parts[0 if rows else 1]


def _is_ellipsis(part: Any) -> bool:
    return isinstance(part, ast.Constant) and part.value is Ellipsis


def _is_whole(part: Any) -> bool:
    return isinstance(part, ast.Slice) and not (part.lower or part.upper or part.step)


def _is_number(node: Any) -> bool:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        node = node.operand
    return isinstance(node, ast.Constant) and type(node.value) is int


def _scaling(node: Any, v: str) -> Any:
    """Return what the columns of `v` are multiplied by in an expression, or None."""
    if _is(node, ast.Mult):
        sides = [node.left, node.right]
        for one, other in (sides, sides[::-1]):
            if isinstance(one, ast.Name) and one.id == v:
                return other
    if _is(node, ast.MatMult) and isinstance(node.left, ast.Name) and node.left.id == v:
        right = node.right
        return right.args[0] if _named(right) == "diag" and len(right.args) == 1 else None
    return None
