"""Rewrites trees node by node."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from srcgrad.ir import gast
from srcgrad.ir.walk import INNER, walk


def replace_in(tree: Any, node: Any, other: Any) -> None:
    """Put one node in the place of another, wherever that stands in a tree.

    >>> tree = gast.parse("a = f(b)").body[0]
    >>> replace_in(tree, tree.value.args[0], gast.Constant(2, None))
    >>> gast.unparse(tree)
    'a = f(2)'
    """
    for holder in walk(tree):
        for name in INNER[holder.__class__]:
            part = getattr(holder, name, None)
            if part is node:
                setattr(holder, name, other)
            elif part.__class__ is list:
                part[:] = [other if item is node else item for item in part]


class _Methods(dict[type, Callable[[Any, Any], Any] | None]):
    """What a class does with the nodes of each kind: its method for them, or nothing."""

    def __init__(self, rewriter: type) -> None:
        super().__init__()
        self._rewriter = rewriter

    def __missing__(self, kind: type) -> Callable[[Any, Any], Any] | None:
        self[kind] = getattr(self._rewriter, f"visit_{kind.__name__}", None)
        return self[kind]


class Rewriter:
    """Visits nodes and puts what its methods return in their place, as `ast.NodeTransformer` does.

    It is faster, and passes by what holds no expressions: contexts, signs and literals.

    >>> class Sines(Rewriter):
    ...     def visit_Name(self, node):
    ...         return gast.parse(f"np.sin({node.id})").body[0].value
    >>> gast.unparse(Sines().visit(gast.parse("a = -b[0] + 2").body[0].value)).strip()
    '-np.sin(b)[0] + 2'
    """

    _methods: ClassVar[_Methods]

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls._methods = _Methods(cls)

    def visit(self, node: Any) -> Any:
        """Return what is to stand in the place of a node."""
        method = self._methods[node.__class__]
        return self.generic_visit(node) if method is None else method(self, node)

    def generic_visit(self, node: Any) -> Any:
        """Visit the nodes inside a node, and return it."""
        for name in INNER[node.__class__]:
            part = getattr(node, name, None)
            if part.__class__ is list:
                part[:] = self._each(part)
            elif isinstance(part, gast.AST) and name != "op":
                setattr(node, name, self.visit(part))
        return node

    def _each(self, parts: list[Any]) -> list[Any]:
        """Return what is left of the items of a list; a method may return several for one."""
        kept: list[Any] = []
        for part in parts:
            found = self.visit(part) if isinstance(part, gast.AST) else part
            if found.__class__ is list:
                kept += found
            elif found is not None or part is None:
                kept.append(found)
        return kept
