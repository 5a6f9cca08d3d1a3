"""Rewrites what a text does with elements, for libraries whose elements are no numbers.

The rest of a text means the same there. Where an element is computed with at once, it does, too:
only what is kept, handed on or updated needs a word.
"""

from __future__ import annotations

import ast
import builtins
from typing import Any, Final

import numpy as np

from srcgrad.codegen.tracebacks import BACKWARD
from srcgrad.targets.arrays.axisless import axisless_in
from srcgrad.targets.arrays.edits import Edits

_SIGNS: Final[dict[type[ast.operator], str]] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.Pow: "**",
    ast.MatMult: "@",
    ast.BitAnd: "&",
    ast.BitOr: "|",
    ast.BitXor: "^",
    ast.LShift: "<<",
    ast.RShift: ">>",
}
_COMPUTES: Final = (ast.BinOp, ast.UnaryOp, ast.Compare, ast.FormattedValue, ast.AugAssign)
_GOES_THROUGH: Final = frozenset(
    "enumerate filter iter list map max min reversed set sorted sum tuple zip".split()
)
_ASKS: Final = {"type": (1, "kind_of"), "isinstance": (2, "is_instance")}
"""What asks for the type of a value, with the number of its arguments, and what does so there."""
_OF_ALL_ARRAYS: Final = frozenset(("dtype", "ndim", "shape", "size"))


class Elements:
    """Puts the functions of `srcgrad.runtime.elements` into a text.

    Attributes:
        used: The names of those that it has put there.
    """

    def __init__(self, tree: ast.Module, edits: Edits, names: dict[str, str]) -> None:
        self._edits = edits
        self._names = names
        self.used: dict[str, None] = {}
        self._parents: dict[ast.AST, ast.AST] = {
            child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)
        }
        for node in ast.walk(tree):
            self._look(node)
        for function in tree.body:
            if isinstance(function, ast.FunctionDef):
                end = edits.line_of(BACKWARD, function)
                for value in axisless_in(function, end, _handing(tree)):
                    self._put(value, "with_axes")

    def _look(self, node: ast.AST) -> None:
        if isinstance(node, ast.AugAssign):
            self._update(node)
        elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
            if _may_be_element(node) and self._is_kept(node):
                self._put(node, "element")
        elif isinstance(node, (ast.For, ast.comprehension)):
            self._gone_through(node.iter)
        elif isinstance(node, ast.Starred) and isinstance(node.ctx, ast.Load):
            self._gone_through(node.value)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            if node.func.id in _GOES_THROUGH:
                for argument in node.args:
                    self._gone_through(argument)
            elif node.func.id in _ASKS and len(node.args) == _ASKS[node.func.id][0]:
                self._rename(node.func, _ASKS[node.func.id][1])
        elif isinstance(node, ast.Assign) and _is_display(node.targets[0]):
            self._gone_through(node.value, also=(ast.Call,))

    def _name(self, function: str) -> str:
        self.used[function] = None
        return self._names[function]

    def _rename(self, node: ast.expr, function: str) -> None:
        self._edits.instead(self._edits.start(node), self._edits.end(node), self._name(function))

    def _put(self, node: ast.expr, function: str) -> None:
        self._edits.around(node, f"{self._name(function)}(", ")")

    def _gone_through(self, node: ast.expr, also: tuple[type[ast.expr], ...] = ()) -> None:
        """Let what is gone through give elements."""
        if isinstance(node, (ast.Name, ast.Attribute, ast.Subscript, *also)):
            self._put(node, "elements")

    def _is_kept(self, node: ast.expr) -> bool:
        """Say whether an element is kept or handed on, not computed with at once."""
        parent = self._parents[node]
        if isinstance(parent, _COMPUTES):
            return False
        if isinstance(parent, ast.Subscript):
            return parent.slice is node  # an index of its own, such as a key
        if isinstance(parent, ast.Attribute):
            return parent.attr not in _OF_ALL_ARRAYS
        if isinstance(parent, (ast.If, ast.While, ast.IfExp)) and parent.test is node:
            return False
        return not (isinstance(parent, ast.Call) and _is_ufunc(parent.func))

    def _update(self, node: ast.AugAssign) -> None:
        sign, target, edits = _SIGNS[type(node.op)], node.target, self._edits
        if isinstance(target, ast.Subscript):
            if not _may_be_element(target):
                return
            is_tuple = isinstance(target.slice, ast.Tuple)
            edits.before(target, f'{self._name("update_at")}("{sign}", ')
            edits.between(edits.end(target.value), "[", ", (" if is_tuple else ", ")
            closes = edits.end(target) - 1
            edits.instead(closes, closes + 1, ")" if is_tuple else "")
            edits.between(edits.end(target), f" {sign}=", ",")
        else:
            shown = edits.text_of(target)
            new = f' = {self._name("updated")}("{sign}", {shown},'
            edits.between(edits.end(target), f" {sign}=", new)
        edits.behind(node, ")")


def _handing(tree: ast.Module) -> frozenset[str]:
    """Return the names of functions that give numbers for numbers: Python's own, and helpers."""
    imports = [node for node in tree.body if isinstance(node, ast.ImportFrom)]
    own = [node for node in imports if (node.module or "").startswith("srcgrad.runtime")]
    return frozenset(dir(builtins)).union(item.name for node in own for item in node.names)


def _may_be_element(node: ast.Subscript) -> bool:
    """Say whether a subscript may give one element: it has no slice, and is not that of a dict."""
    index: Any = node.slice
    parts = index.elts if isinstance(index, ast.Tuple) else [index]
    for part in parts:
        if isinstance(part, ast.Slice) or (isinstance(part, ast.Constant) and _has_axes(part)):
            return False
    value = node.value
    return not (isinstance(value, ast.Attribute) and value.attr == "shape")


def _has_axes(part: ast.Constant) -> bool:
    return part.value is None or part.value is Ellipsis


def _is_display(target: ast.expr) -> bool:
    return isinstance(target, (ast.Tuple, ast.List))


def _is_ufunc(function: ast.expr) -> bool:
    """Say whether ``np.name`` is a function of elements, which gives fresh memory."""
    is_np = isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name)
    if not is_np or function.value.id != "np":  # type: ignore[attr-defined] # it is one
        return False
    return isinstance(getattr(np, function.attr, None), np.ufunc)  # type: ignore[attr-defined]
